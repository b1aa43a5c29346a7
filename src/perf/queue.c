#include "perf/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void pipa_perf_queue_done(struct pipa_perf_queue *q)
{
	free(q->items);
	free(q->bytes);
	*q = (struct pipa_perf_queue){ 0 };
}

static int make_room(struct pipa_perf_queue *q, size_t size)
{
	size_t room = q->room ? q->room : 1 << 16;
	uint8_t *bytes;

	while (room - q->used < size)
		room *= 2;
	if (room == q->room)
		return 0;
	bytes = realloc(q->bytes, room);
	if (!bytes)
		return -ENOMEM;
	q->bytes = bytes;
	q->room = room;
	return 0;
}

int pipa_perf_queue_add(struct pipa_perf_queue *q, const struct pipa_perf_raw *raw, uint64_t time)
{
	size_t size = (raw->len + 7) & ~(size_t)7; /* the next one is aligned as well */
	struct pipa_perf_held *held = make_room(q, size) < 0 ? NULL : PIPA_VEC_ADD(q);

	if (!held)
		return -ENOMEM;
	*held = (struct pipa_perf_held){ time, q->seq++, *raw, q->used };
	if (raw->len)
		memcpy(q->bytes + q->used, raw->body, raw->len);
	q->used += size;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct pipa_perf_held *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* Move what stays to the front; offsets only shrink, in the order they were added. */
static void keep_from(struct pipa_perf_queue *q, size_t first)
{
	uint8_t *bytes;
	size_t i, used = 0, n = q->n - first;

	memmove(q->items, q->items + first, n * sizeof(*q->items));
	q->n = n;
	if (!n) {
		q->used = 0;
		return;
	}
	if (q->used < 1 << 22)
		return; /* not worth moving: the room is used again when it is empty */
	bytes = malloc(q->room);
	if (!bytes)
		return;
	for (i = 0; i < n; i++) {
		struct pipa_perf_held *held = &q->items[i];

		memcpy(bytes + used, q->bytes + held->offset, held->raw.len);
		held->offset = used;
		used += (held->raw.len + 7) & ~(size_t)7;
	}
	free(q->bytes);
	q->bytes = bytes;
	q->used = used;
}

int pipa_perf_queue_flush(struct pipa_perf_queue *q, uint64_t until, pipa_perf_queue_fn fn,
			  void *ctx)
{
	size_t i;
	int rc = 0;

	if (!q->n)
		return 0;
	qsort(q->items, q->n, sizeof(*q->items), by_time);
	for (i = 0; !rc && i < q->n && q->items[i].time <= until; i++) {
		struct pipa_perf_raw raw = q->items[i].raw;

		raw.body = q->bytes + q->items[i].offset;
		rc = fn(ctx, &raw);
	}
	keep_from(q, i);
	return rc;
}
