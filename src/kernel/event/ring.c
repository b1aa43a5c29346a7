#include "kernel/event/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "kernel/event/perf_event.h"

int pipa_ring_map(struct pipa_ring *ring, const struct pipa_perf *perf, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *base = pipa_perf_map(perf, fd, page + size);
	const struct perf_event_mmap_page *control = base;

	if (!base)
		return -errno;
	*ring = (struct pipa_ring){ .base = base, .mapped = page + size, .size = size };
	/* kernels before 4.1 leave the size out: the data follows the first page then as well */
	if (control->data_size && control->data_size != size) {
		pipa_ring_unmap(ring, perf);
		return -EINVAL;
	}
	ring->tail = control->data_tail;
	return 0;
}

void pipa_ring_unmap(struct pipa_ring *ring, const struct pipa_perf *perf)
{
	if (ring->base)
		pipa_perf_unmap(perf, ring->base, ring->mapped);
	*ring = (struct pipa_ring){ 0 };
}

uint64_t pipa_ring_head(const struct pipa_ring *ring)
{
	const struct perf_event_mmap_page *control = ring->base;

	/* the records before the head are read only after it: pairs with the kernel's barrier */
	return __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
}

struct pipa_ring_span pipa_ring_peek(const struct pipa_ring *ring, uint64_t head)
{
	const uint8_t *data = (const uint8_t *)ring->base + (ring->mapped - ring->size);
	size_t from = (size_t)(ring->tail & (ring->size - 1)), len = (size_t)(head - ring->tail);
	struct pipa_ring_span span = { .first = data + from, .first_len = len, .second = data };

	if (len > ring->size - from) {
		span.first_len = ring->size - from;
		span.second_len = len - span.first_len;
	}
	return span;
}

void pipa_ring_release(struct pipa_ring *ring, uint64_t head)
{
	struct perf_event_mmap_page *control = ring->base;

	ring->tail = head;
	/* all reads of the records are done before the kernel may write over them */
	__atomic_store_n(&control->data_tail, head, __ATOMIC_RELEASE);
}
