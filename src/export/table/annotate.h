/*
 * Write functions with the share of each instruction and source line, as text or JSON
 * (docs/format/annotate.schema.json). Shares are within the function, as in perf annotate.
 */
#ifndef PIPA_EXPORT_TABLE_ANNOTATE_H
#define PIPA_EXPORT_TABLE_ANNOTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/listing.h"

struct pipa_buf;
struct pipa_doc;

struct pipa_annotate_format {
	bool code, source; /* both: instructions interleaved with source lines */
	bool summary;	   /* text: first the source lines with samples, most first */
	bool color;	   /* highlight hot lines */
	/* Return a line of a source file without its end, borrowed, or NULL. */
	const char *(*line)(void *ctx, const char *file, uint32_t number, size_t *ret_len);
	void *ctx;
};

struct pipa_annotate_of {
	const char *event;
	uint64_t weight, count; /* of the recording */
};

/* Write as text. 0 or -ENOMEM. */
int pipa_annotate_text(const struct pipa_listing *listing, const struct pipa_annotate_of *of,
		       const struct pipa_annotate_format *format, struct pipa_buf *out);

/* Write as one entry of a list that the caller began. 0 or -ENOMEM. */
int pipa_annotate_doc(const struct pipa_listing *listing, const struct pipa_annotate_of *of,
		      const struct pipa_annotate_format *format, struct pipa_doc *doc);

#endif
