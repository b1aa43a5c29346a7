/*
 * Bytes of somewhere, asked for by offset: a file, a pipe, memory. Whoever has them hands in the
 * function, so readers of formats need no system calls. A window keeps the stretch in use.
 */
#ifndef PIPA_BASE_BYTES_H
#define PIPA_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PIPA_BYTES_ENDLESS UINT64_MAX /* of a pipe: its size is not known, nor can it go back */

struct pipa_bytes {
	/* Up to size bytes from offset on; 0 at the end, else a negative errno. */
	ssize_t (*read)(void *ctx, void *buf, size_t size, uint64_t offset);
	void *ctx;
	uint64_t size;
};

struct pipa_window {
	const struct pipa_bytes *bytes;
	uint8_t *data;
	size_t cap, len;
	uint64_t start; /* offset of data[0]; 8 divides it */
	int status;	/* 0, or why the last read failed: -EIO and so on */
};

int pipa_window_init(struct pipa_window *window, const struct pipa_bytes *bytes, size_t size);
void pipa_window_done(struct pipa_window *window);

/* As pipa_window_get(), where the bytes are not in the window yet. */
const uint8_t *pipa_window_move(struct pipa_window *window, uint64_t offset, size_t len);

/*
 * The len bytes at offset, a loan until the next call; NULL when there are not as many, or on a failed
 * read, which sets status. len is at most half of the window's size. Of a pipe, only forwards.
 */
static inline const uint8_t *pipa_window_get(struct pipa_window *w, uint64_t offset, size_t len)
{
	if (offset >= w->start && offset - w->start + len <= w->len)
		return w->data + (offset - w->start);
	return pipa_window_move(w, offset, len);
}

/* Bytes in memory. */
struct pipa_memory {
	const uint8_t *data;
	size_t size;
};

struct pipa_bytes pipa_bytes_of_memory(struct pipa_memory *memory);

#endif
