/* Map source files by the paths of the debug information, on demand. */
#ifndef PIPA_JOB_VIEW_SOURCE_TEXT_H
#define PIPA_JOB_VIEW_SOURCE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_source_file;

struct pipa_source_texts {
	const char *symfs; /* prefix of paths, if the file exists there; NULL: none */
	struct {
		struct pipa_source_file *items;
		size_t n, cap;
	} files;
};

void pipa_source_texts_done(struct pipa_source_texts *sources);

/* Return a line without its newline, borrowed; NULL if the file or line does not exist. */
const char *pipa_source_texts_line(struct pipa_source_texts *sources, const char *path,
				   uint32_t number, size_t *ret_len);

#endif
