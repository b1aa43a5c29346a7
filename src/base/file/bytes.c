#include "base/file/bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LARGE = 2 << 20,  /* the large page of all three architectures, with small ones of 4 KiB */
	MUCH = 256 << 20, /* a file of which twice as much is lent at once */
};

/* Pages that are lent count as the process's own; to give them back takes time. */
static size_t most_lent(const struct pipa_bytes *bytes)
{
	return bytes->size < MUCH ? LARGE : 2 * LARGE;
}

static bool get_room(struct pipa_window *w)
{
	if (!w->room)
		w->data = w->room = malloc(w->cap);
	return w->room != NULL;
}

int pipa_window_init(struct pipa_window *w, const struct pipa_bytes *bytes, size_t size)
{
	*w = (struct pipa_window){ .bytes = bytes, .cap = size };
	/* a small file needs no large window */
	if (bytes->size != PIPA_BYTES_ENDLESS && bytes->size + 4096 < size)
		w->cap = (size_t)bytes->size + 4096;
	return bytes->map || get_room(w) ? 0 : -ENOMEM;
}

static void give_back(struct pipa_window *w)
{
	if (!w->reach)
		return;
	w->bytes->unmap(w->bytes->ctx, w->data, w->len);
	w->data = w->room;
	w->reach = w->len = 0;
}

void pipa_window_done(struct pipa_window *w)
{
	give_back(w);
	free(w->room);
	*w = (struct pipa_window){ 0 };
}

/* Read on after what is there until `wanted` bytes are in the window. */
static void fill(struct pipa_window *w, size_t wanted)
{
	while (w->len < wanted) {
		ssize_t n = w->bytes->read(w->bytes->ctx, w->room + w->len, w->cap - w->len,
					   w->start + w->len);

		if (n == -EINTR)
			continue;
		if (n <= 0) {
			w->status = n < 0 ? (int)n : 0;
			return;
		}
		w->len += (size_t)n;
	}
}

/* A pipe is read up to there, and what was read forgotten. */
static bool skip_to(struct pipa_window *w, uint64_t start)
{
	while (start > w->start + w->len) {
		w->start += w->len;
		w->len = 0;
		fill(w, 1);
		if (!w->len)
			return false;
	}
	return true;
}

/* The next range as borrowed: a longer one each time that it goes on where the last one ended. */
static const uint8_t *lend(struct pipa_window *w, uint64_t offset, size_t len)
{
	uint64_t start = offset & ~(uint64_t)(PIPA_BYTES_ALIGN - 1), size = w->bytes->size;
	size_t skip = (size_t)(offset - start), reach = w->cap;
	const uint8_t *lent;

	if (w->reach && offset >= w->start && start <= w->start + w->len)
		reach = w->reach < most_lent(w->bytes) ? 2 * w->reach : w->reach;
	if (offset > size || len > size - offset)
		return NULL;
	if (reach < skip + len)
		reach = skip + len;
	give_back(w);
	len = reach;
	/* up to where a large page ends: whole ones are mapped as such, in a third of the time */
	if (reach >= LARGE)
		len += (size_t)(-(start + reach) & (LARGE - 1));
	len = len < size - start ? len : (size_t)(size - start);
	lent = w->bytes->map(w->bytes->ctx, start, len);
	if (!lent)
		return NULL;
	w->data = lent;
	w->len = len;
	w->start = start;
	w->reach = reach;
	return w->data + skip;
}

static const uint8_t *read_on(struct pipa_window *w, uint64_t offset, size_t len)
{
	uint64_t start = offset & ~UINT64_C(7);
	size_t skip = (size_t)(offset - start), kept;

	if (w->bytes->size == PIPA_BYTES_ENDLESS && start >= w->start && !skip_to(w, start))
		return NULL;
	if (start >= w->start && start - w->start <= w->len) {
		kept = w->len - (size_t)(start - w->start);
		memmove(w->room, w->room + (start - w->start), kept);
	} else if (w->bytes->size == PIPA_BYTES_ENDLESS) {
		return NULL;
	} else {
		kept = 0;
	}
	w->start = start;
	w->len = kept;
	fill(w, skip + len);
	return w->len >= skip + len ? w->data + skip : NULL;
}

const uint8_t *pipa_window_move(struct pipa_window *w, uint64_t offset, size_t len)
{
	const uint8_t *lent;

	if (len > w->cap - 8 || offset > UINT64_MAX - len)
		return NULL;
	lent = w->bytes->map ? lend(w, offset, len) : NULL;
	if (lent)
		return lent;
	give_back(w);
	if (!get_room(w)) {
		w->status = -ENOMEM;
		return NULL;
	}
	return read_on(w, offset, len);
}

static ssize_t read_memory(void *ctx, void *buf, size_t size, uint64_t offset)
{
	const struct pipa_memory *memory = ctx;

	if (offset >= memory->size)
		return 0;
	if (size > memory->size - offset)
		size = memory->size - (size_t)offset;
	memcpy(buf, memory->data + offset, size);
	return (ssize_t)size;
}

struct pipa_bytes pipa_bytes_of_memory(struct pipa_memory *memory)
{
	return (struct pipa_bytes){ .read = read_memory, .ctx = memory, .size = memory->size };
}
