/* Read reports of `pipa run -f json` and `pipa analyze -f json` as results for pipad. */
#ifndef PIPA_IMPORT_RESULT_JSON_H
#define PIPA_IMPORT_RESULT_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "model/result.h"

struct pipa_error;

/* A result of a document: texts and the list are borrowed from it. */
struct pipa_result_entry {
	struct pipa_result result;
	uint32_t *threads;
	const char *command; /* of a comparison of commands; NULL: the only result */
};

struct pipa_result_document {
	struct pipa_result_entry *items;
	size_t n;
	json_t *doc;
};

/*
 * Decode a report (one result) or a comparison of commands (one for each). Keys are found by their names in reports;
 * keys that a result does not have are skipped, values of another type and numbers that the field cannot hold are refused
 * with their key: -EINVAL. -EBADMSG: not JSON, or another document. Means of whole numbers are rounded. `ret` must be
 * zero; it is empty after a failure.
 */
int pipa_result_json_decode(const char *text, size_t len, struct pipa_result_document *ret,
			    struct pipa_error *err);
void pipa_result_document_done(struct pipa_result_document *document);

static inline void pipa_result_document_done_auto(struct pipa_result_document *document)
{
	pipa_result_document_done(document);
}

#endif
