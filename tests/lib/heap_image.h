/* A file as libpipa-heap.so shares it with pipa (preload/abi.h), made by hand. */
#ifndef PIPA_TESTS_HEAP_IMAGE_H
#define PIPA_TESTS_HEAP_IMAGE_H

#include <stdint.h>

#include "base/span.h"
#include "preload/abi.h"

enum {
	HEAP_IMAGE_STACKS = 16,
	HEAP_IMAGE_FRAMES = 64,
	HEAP_IMAGE_BUCKETS = 4,
	HEAP_IMAGE_SHARDS = 2,
	HEAP_IMAGE_THREADS = 4,
	HEAP_IMAGE_MAPS = 4096,
};

/* All of it; the regions are at their place in the file. */
struct heap_image {
	struct pipa_span file;
	struct pipa_heap_header *header;
	struct pipa_heap_control *control;
	struct pipa_heap_status *status;
	struct pipa_heap_stack *stacks;
	uint64_t *frames;
	struct pipa_heap_bucket *buckets;
	struct pipa_heap_block *blocks;
	struct pipa_heap_shard *shards;
	struct pipa_heap_thread *threads;
	uint8_t *maps;
};

/* A process 42 with a rate of 1 that has run for a second, without stacks. Free it with heap_image_free(). */
void heap_image_init(struct heap_image *image);
void heap_image_free(struct heap_image *image);

/* Append a stack of n frames, innermost first; returns its sums. */
struct pipa_heap_sums *heap_image_stack(struct heap_image *image, const uint64_t *frames,
					uint32_t n);

/* Allocate `objects` of a size in sums, and free some of them. */
void heap_image_alloc(struct pipa_heap_sums *sums, uint64_t objects, uint64_t size, uint64_t freed);

/* Add a live block. */
void heap_image_block(struct heap_image *image, uint32_t slot, uint64_t address, uint64_t size,
		      uint32_t stack, uint64_t birth_ns);

/* Append a capture of mappings. */
void heap_image_maps(struct heap_image *image, uint32_t generation, const char *text);

/* A small complete recording: two stacks in a program and a library, live blocks, a thread. */
void heap_image_example(struct heap_image *image);

#endif
