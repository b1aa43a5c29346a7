/*
 * Random-access bytes: a file, a pipe or memory, read through callbacks, so that format readers
 * need no system calls. A window holds the range in use: mapped if possible, else a read buffer.
 */
#ifndef PIPA_BASE_FILE_BYTES_H
#define PIPA_BASE_FILE_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PIPA_BYTES_ENDLESS UINT64_MAX /* size of a pipe: unknown, not seekable */
#define PIPA_BYTES_ALIGN 65536	      /* largest page size of supported machines */

struct pipa_bytes {
	/*
	 * Read up to size bytes at offset. Returns their number, 0 at the end, or a negative errno.
	 */
	ssize_t (*read)(void *ctx, void *buf, size_t size, uint64_t offset);
	void *ctx;
	uint64_t size;

	/*
	 * May be NULL. Return a pointer to the mapped bytes, valid until unmap(); NULL: use read().
	 * offset is a multiple of PIPA_BYTES_ALIGN, and offset + size is at most the total size.
	 */
	const uint8_t *(*map)(void *ctx, uint64_t offset, size_t size);
	void (*unmap)(void *ctx, const uint8_t *data, size_t size);
};

struct pipa_window {
	const struct pipa_bytes *bytes;
	const uint8_t *data; /* points into the read buffer or the mapping */
	uint8_t *room;	     /* read buffer; NULL before the first read */
	size_t cap, len;
	uint64_t start; /* offset of data[0], a multiple of 8 */
	int status;	/* 0, or the negative errno of the last read */
	size_t reach;	/* size of the mapping; 0: the bytes were read */
};

int pipa_window_init(struct pipa_window *window, const struct pipa_bytes *bytes, size_t size);
void pipa_window_done(struct pipa_window *window);

/* Move the window to bytes that it does not contain; otherwise like pipa_window_get(). */
const uint8_t *pipa_window_move(struct pipa_window *window, uint64_t offset, size_t len);

/*
 * Return the len bytes at offset, valid until the next call; NULL if there are fewer, or after a
 * read error, which sets status. len is at most half of the window's size. A pipe can only be read
 * forwards.
 */
static inline const uint8_t *pipa_window_get(struct pipa_window *w, uint64_t offset, size_t len)
{
	if (offset >= w->start && offset - w->start + len <= w->len)
		return w->data + (offset - w->start);
	return pipa_window_move(w, offset, len);
}

/* Memory that is read as bytes. */
struct pipa_memory {
	const uint8_t *data;
	size_t size;
};

/* Return bytes that read from `memory`, which is borrowed. */
struct pipa_bytes pipa_bytes_of_memory(struct pipa_memory *memory);

#endif
