/*
 * Ring buffer that the kernel writes records to, read without a system call. One reader; the
 * kernel drops records when it is full and reports that later (PERF_RECORD_LOST).
 */
#ifndef PIPA_KERNEL_EVENT_RING_H
#define PIPA_KERNEL_EVENT_RING_H

#include <stddef.h>
#include <stdint.h>

struct pipa_perf;

struct pipa_ring {
	void *base; /* NULL: not mapped */
	size_t mapped;
	size_t size; /* of the data, a power of two */
	uint64_t tail;
};

/* What is in it, in one piece or (round the end) two. */
struct pipa_ring_span {
	const uint8_t *first, *second;
	size_t first_len, second_len;
};

/* size bytes of data, a power of two and of whole pages. 0 or a negative errno. */
int pipa_ring_map(struct pipa_ring *ring, const struct pipa_perf *perf, int fd, size_t size);
void pipa_ring_unmap(struct pipa_ring *ring, const struct pipa_perf *perf);

/* How far the kernel has written: everything before it is whole. */
uint64_t pipa_ring_head(const struct pipa_ring *ring);

/* What lies between what was given back and `head`; a loan until it is given back. */
struct pipa_ring_span pipa_ring_peek(const struct pipa_ring *ring, uint64_t head);

/* Give everything before `head` back to the kernel. */
void pipa_ring_release(struct pipa_ring *ring, uint64_t head);

#endif
