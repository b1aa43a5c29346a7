#include "base/thread/message_queue.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"

/*
 * Each message follows its length, both aligned to 8 bytes. A message does not wrap: if the end of the memory is too near,
 * the length there is SKIP and the message is at the start. Positions only grow; their low bits are offsets.
 */
#define SKIP UINT64_MAX

enum { CACHE_LINE = 64 };

struct pipa_message_queue {
	uint8_t *memory;
	uint64_t size;
	int fd; /* eventfd */
	/* on cache lines of their own: each is written by one thread */
	_Alignas(CACHE_LINE) _Atomic uint64_t put;
	_Alignas(CACHE_LINE) _Atomic uint64_t taken;
};

struct pipa_message_queue *pipa_message_queue_new(size_t bytes)
{
	struct pipa_message_queue *q = aligned_alloc(CACHE_LINE, sizeof(*q));

	if (!q)
		return NULL;
	memset(q, 0, sizeof(*q));
	q->size = bytes;
	q->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/* pages are used only as far as messages pile up in the first round */
	q->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (q->memory == MAP_FAILED)
		q->memory = NULL;
	if (q->fd < 0 || !q->memory) {
		pipa_message_queue_free(q);
		return NULL;
	}
	return q;
}

void pipa_message_queue_free(struct pipa_message_queue *q)
{
	if (!q)
		return;
	if (q->memory)
		munmap(q->memory, q->size);
	pipa_fd_close(q->fd);
	free(q);
}

/* ---- the writer ------------------------------------------------------------------------------------ */

static uint64_t bytes_of_message(size_t len)
{
	return sizeof(uint64_t) + (((uint64_t)len + 7) & ~UINT64_C(7));
}

bool pipa_message_queue_put(struct pipa_message_queue *q, const void *bytes, size_t len,
			    size_t reserve)
{
	uint64_t put = atomic_load_explicit(&q->put, memory_order_relaxed);
	uint64_t used = put - atomic_load_explicit(&q->taken, memory_order_acquire);
	uint64_t at = put & (q->size - 1), need = bytes_of_message(len), skipped = 0;
	uint64_t header = len;

	if (need > q->size - at)
		skipped = q->size - at;
	if (skipped + need + reserve > q->size - used)
		return false;
	if (skipped) {
		memcpy(q->memory + at, &(uint64_t){ SKIP }, sizeof(header));
		at = 0;
	}
	memcpy(q->memory + at, &header, sizeof(header));
	memcpy(q->memory + at + sizeof(header), bytes, len);
	atomic_store_explicit(&q->put, put + skipped + need, memory_order_release);
	return true;
}

void pipa_message_queue_wake(struct pipa_message_queue *q)
{
	const uint64_t one = 1;
	ssize_t n = write(q->fd, &one, sizeof(one)); /* fails only if it is readable already */

	(void)n;
}

/* ---- the reader ------------------------------------------------------------------------------------ */

struct pipa_span pipa_message_queue_first(struct pipa_message_queue *q)
{
	uint64_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
	uint64_t at, header;

	if (atomic_load_explicit(&q->put, memory_order_acquire) == taken)
		return (struct pipa_span){ 0 };
	at = taken & (q->size - 1);
	memcpy(&header, q->memory + at, sizeof(header));
	if (header == SKIP) {
		at = 0;
		memcpy(&header, q->memory, sizeof(header));
	}
	return (struct pipa_span){ q->memory + at + sizeof(header), (size_t)header };
}

void pipa_message_queue_drop(struct pipa_message_queue *q)
{
	uint64_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
	uint64_t at = taken & (q->size - 1), header;

	memcpy(&header, q->memory + at, sizeof(header));
	if (header == SKIP) {
		taken += q->size - at;
		memcpy(&header, q->memory, sizeof(header));
	}
	atomic_store_explicit(&q->taken, taken + bytes_of_message((size_t)header),
			      memory_order_release);
}

void pipa_message_queue_wait(struct pipa_message_queue *q, int ms)
{
	struct pollfd poller = { .fd = q->fd, .events = POLLIN };
	uint64_t count;
	ssize_t n;

	poll(&poller, 1, ms);
	n = read(q->fd, &count, sizeof(count)); /* makes it unreadable again */
	(void)n;
}
