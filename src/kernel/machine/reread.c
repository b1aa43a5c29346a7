#include "kernel/machine/reread.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"

void pipa_reread_open(struct pipa_reread *kept, int fd, size_t size)
{
	*kept = (struct pipa_reread){ .fd = fd, .data = malloc(size) };
	kept->cap = kept->data ? size : 0;
}

void pipa_reread_close(struct pipa_reread *kept)
{
	pipa_fd_close(kept->fd);
	free(kept->data);
	*kept = (struct pipa_reread){ .fd = -1 };
}

/*
 * Has the file more after a read that gave n bytes? Its kernel side fills a page with whole records;
 * a page left with more room than any record needs was the last. Sparing the read that would only
 * say "end" halves the calls.
 */
static bool may_have_more(size_t n)
{
	enum { PAGE = 4096, LONGEST_RECORD = 1024 };

	return n % PAGE == 0 || n % PAGE > PAGE - LONGEST_RECORD;
}

/* Read into the buffer until the end or until it is full. */
static ssize_t fill(struct pipa_reread *kept)
{
	size_t total = 0;
	ssize_t n;

	do {
		n = pread(kept->fd, kept->data + total, kept->cap - total, (off_t)total);
		if (n < 0)
			return -errno;
		total += (size_t)n;
	} while (n > 0 && total < kept->cap && (kept->long_records || may_have_more((size_t)n)));
	return (ssize_t)total;
}

ssize_t pipa_reread_read(struct pipa_reread *kept)
{
	ssize_t n;

	while (kept->cap) {
		char *data;

		n = fill(kept);
		if (n < 0)
			return n;
		if ((size_t)n < kept->cap) {
			kept->len = (size_t)n;
			return n;
		}
		/* full: all again with more room, since two halves may show two states */
		data = realloc(kept->data, kept->cap * 2);
		if (!data)
			return -ENOMEM;
		kept->data = data;
		kept->cap *= 2;
	}
	return -ENOMEM;
}
