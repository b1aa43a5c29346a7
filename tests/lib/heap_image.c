#include "lib/heap_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

#define ONE (UINT64_C(1) << PIPA_HEAP_FRACTION)

void heap_image_init(struct heap_image *image)
{
	static const struct {
		uint64_t count, size;
	} regions[PIPA_HEAP_REGION_NR] = {
		[PIPA_HEAP_STACKS] = { HEAP_IMAGE_STACKS, sizeof(struct pipa_heap_stack) },
		[PIPA_HEAP_FRAMES] = { HEAP_IMAGE_FRAMES, sizeof(uint64_t) },
		[PIPA_HEAP_BUCKETS] = { HEAP_IMAGE_BUCKETS, sizeof(struct pipa_heap_bucket) },
		[PIPA_HEAP_BLOCKS] = { HEAP_IMAGE_BUCKETS * PIPA_HEAP_BUCKET,
				       sizeof(struct pipa_heap_block) },
		[PIPA_HEAP_SHARDS] = { HEAP_IMAGE_SHARDS, sizeof(struct pipa_heap_shard) },
		[PIPA_HEAP_THREADS] = { HEAP_IMAGE_THREADS, sizeof(struct pipa_heap_thread) },
		[PIPA_HEAP_MAPS] = { HEAP_IMAGE_MAPS, 1 },
	};
	uint64_t at = PIPA_HEAP_REGIONS_AT, offsets[PIPA_HEAP_REGION_NR];
	uint8_t *bytes;
	size_t i;

	for (i = 0; i < PIPA_HEAP_REGION_NR; i++) {
		offsets[i] = at;
		at += (regions[i].count * regions[i].size + PIPA_HEAP_PAGE - 1) &
		      ~(uint64_t)(PIPA_HEAP_PAGE - 1);
	}
	bytes = calloc(1, at);
	if (!bytes)
		abort();
	*image = (struct heap_image){
		.file = { bytes, at },
		.header = (void *)bytes,
		.control = (void *)(bytes + PIPA_HEAP_CONTROL_AT),
		.status = (void *)(bytes + PIPA_HEAP_STATUS_AT),
		.stacks = (void *)(bytes + offsets[PIPA_HEAP_STACKS]),
		.frames = (void *)(bytes + offsets[PIPA_HEAP_FRAMES]),
		.buckets = (void *)(bytes + offsets[PIPA_HEAP_BUCKETS]),
		.blocks = (void *)(bytes + offsets[PIPA_HEAP_BLOCKS]),
		.shards = (void *)(bytes + offsets[PIPA_HEAP_SHARDS]),
		.threads = (void *)(bytes + offsets[PIPA_HEAP_THREADS]),
		.maps = bytes + offsets[PIPA_HEAP_MAPS],
	};
	*image->header = (struct pipa_heap_header){
		.magic = PIPA_HEAP_MAGIC,
		.version = PIPA_HEAP_VERSION,
		.order = PIPA_HEAP_ORDER,
		.ready = 1,
		.file_size = at,
		.pid = 42,
		.ppid = 1,
		.page_size = PIPA_HEAP_PAGE,
		.flags = PIPA_HEAP_FREES,
		.start_ns = 1000000000,
		.start_wall_ns = UINT64_C(1700000000000000000),
		.rate = 1,
		.depth = 128,
		.exe = "/usr/bin/program",
		.cmdline = "program\0--option\0",
	};
	for (i = 0; i < PIPA_HEAP_REGION_NR; i++)
		image->header->regions[i] = (struct pipa_heap_extent){ offsets[i], regions[i].count,
								       regions[i].size };
	image->status->state = PIPA_HEAP_EXITED;
	image->status->end_ns = 2000000000;
	image->status->peak_epoch = 1;
}

void heap_image_free(struct heap_image *image)
{
	free((void *)image->file.data);
}

struct pipa_heap_sums *heap_image_stack(struct heap_image *image, const uint64_t *frames,
					uint32_t n)
{
	struct pipa_heap_stack *stack = &image->stacks[image->status->n_stacks++];

	stack->n_frames = n;
	stack->frames_at = image->status->n_frames;
	memcpy(&image->frames[image->status->n_frames], frames, n * sizeof(*frames));
	image->status->n_frames += n;
	stack->state = PIPA_HEAP_STACK_READY;
	return &stack->sums;
}

void heap_image_alloc(struct pipa_heap_sums *sums, uint64_t objects, uint64_t size, uint64_t freed)
{
	sums->allocs += objects;
	sums->frees += freed;
	sums->alloc_bytes += objects * size;
	sums->free_bytes += freed * size;
	sums->alloc_count_scaled += objects * ONE;
	sums->free_count_scaled += freed * ONE;
	sums->alloc_bytes_scaled += objects * size;
	sums->free_bytes_scaled += freed * size;
	sums->sizes[size > 1 ? 63 - __builtin_clzll(size) : 0] += objects * ONE;
	sums->lifetimes[1] += freed * ONE;
}

void heap_image_block(struct heap_image *image, uint32_t slot, uint64_t address, uint64_t size,
		      uint32_t stack, uint64_t birth_ns)
{
	image->buckets[slot / PIPA_HEAP_BUCKET].address[slot % PIPA_HEAP_BUCKET] = address;
	image->blocks[slot] = (struct pipa_heap_block){
		.size = size, .birth_ns = birth_ns, .weight = ONE, .stack = stack, .tid = 42
	};
}

void heap_image_maps(struct heap_image *image, uint32_t generation, const char *text)
{
	struct pipa_heap_maps record = { .generation = generation,
					 .time_ns = 1000000000,
					 .text_size = (uint32_t)strlen(text) };
	uint8_t *to = image->maps + image->status->maps_bytes;

	record.size = (uint32_t)((sizeof(record) + record.text_size + 7) & ~(size_t)7);
	memcpy(to, &record, sizeof(record));
	memcpy(to + sizeof(record), text, record.text_size);
	image->status->maps_bytes += record.size;
}

void heap_image_example(struct heap_image *image)
{
	static const uint64_t first[] = { 0x401010, 0x401020, 0x7f0000001030 };
	static const uint64_t second[] = { 0x401040, 0x401020, 0x7f0000001030 };
	struct pipa_heap_sums *sums;

	heap_image_init(image);
	heap_image_maps(
		image, 0,
		"00401000-00402000 r-xp 00001000 08:01 77 /usr/bin/program\n"
		"7f0000001000-7f0000002000 r-xp 00001000 08:01 78 /usr/lib/libexample.so\n");
	sums = heap_image_stack(image, first, PIPA_COUNT(first));
	heap_image_alloc(sums, 10, 100, 7);
	sums->temporary_count_scaled = 5 * ONE;
	sums->temporary_bytes_scaled = 500;
	sums->alloc_ns_scaled = 3000;
	sums->peak_epoch = 1;
	sums->peak_count_scaled = (int64_t)(4 * ONE);
	sums->peak_bytes_scaled = 400;
	sums = heap_image_stack(image, second, PIPA_COUNT(second));
	heap_image_alloc(sums, 2, 4096, 0);
	image->status->peak_ns = 1500000000;
	image->threads[0] = (struct pipa_heap_thread){ .tid = 42, .name = "worker" };
	image->status->n_threads = 1;
	heap_image_block(image, 0, 0x10000, 100, 0, 1100000000);
	heap_image_block(image, 8, 0x20000, 100, 0, 1200000000);
	heap_image_block(image, 9, 0x30000, 100, 0, 1900000000);
	heap_image_block(image, 20, 0x40000, 4096, 1, 1500000000);
	heap_image_block(image, 21, 0x50000, 4096, 1, 1600000000);
}
