/* Have all bytes of an input at once: mapped if possible, else read into memory. */
#ifndef PIPA_LOAD_WHOLE_FILE_H
#define PIPA_LOAD_WHOLE_FILE_H

#include "base/buf.h"
#include "base/span.h"

struct pipa_bytes;

struct pipa_whole_file {
	struct pipa_span span;
	const struct pipa_bytes *mapped; /* NULL: the bytes are in `copy` */
	struct pipa_buf copy;
};

/*
 * Returns 0, -EFBIG if bytes that cannot be mapped exceed 1 GiB, -ENOMEM, or the error of the read.
 */
int pipa_whole_file_open(const struct pipa_bytes *bytes, struct pipa_whole_file *ret);
void pipa_whole_file_close(struct pipa_whole_file *file);

static inline void pipa_whole_file_close_auto(struct pipa_whole_file *file)
{
	pipa_whole_file_close(file);
}

#endif
