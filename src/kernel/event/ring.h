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

/* Contents of the ring: one piece, or two at the wrap. */
struct pipa_ring_span {
	const uint8_t *first, *second;
	size_t first_len, second_len;
};

/* size is in bytes, a power of two and a multiple of the page size. 0 or a negative errno. */
int pipa_ring_map(struct pipa_ring *ring, const struct pipa_perf *perf, int fd, size_t size);
void pipa_ring_unmap(struct pipa_ring *ring, const struct pipa_perf *perf);

/* Return how far the kernel has written: all records before it are complete. */
uint64_t pipa_ring_head(const struct pipa_ring *ring);

/* Return the unread bytes up to `head`; valid until they are released. */
struct pipa_ring_span pipa_ring_peek(const struct pipa_ring *ring, uint64_t head);

/* Release everything before `head` to the kernel. */
void pipa_ring_release(struct pipa_ring *ring, uint64_t head);

#endif
