/*
 * Write structured documents: the same calls give JSON (indented, or one line) or YAML. Commas,
 * quotes and indentation are handled; output goes to a buffer without a tree.
 *
 * Written by hand because jansson and libyaml need a tree or an event object per value; these
 * hundred lines append to a buffer and allocate nothing else.
 */
#ifndef PIPA_CODEC_DOC_H
#define PIPA_CODEC_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

enum pipa_doc_format { PIPA_DOC_JSON, PIPA_DOC_JSON_LINE, PIPA_DOC_YAML };

enum { PIPA_DOC_DEPTH = 16 };

struct pipa_doc {
	struct pipa_buf *out;
	enum pipa_doc_format format;
	unsigned int depth;
	struct {
		bool is_list;
		size_t n; /* entries so far */
	} level[PIPA_DOC_DEPTH];
};

/* Starts a document whose top is a map. */
void pipa_doc_begin(struct pipa_doc *doc, enum pipa_doc_format format, struct pipa_buf *out);
void pipa_doc_finish(struct pipa_doc *doc);

/* Inside a map every entry has a key, which may be any text; inside a list none has one (NULL). */
void pipa_doc_map(struct pipa_doc *doc, const char *key);
void pipa_doc_list(struct pipa_doc *doc, const char *key);
void pipa_doc_end(struct pipa_doc *doc);

void pipa_doc_str(struct pipa_doc *doc, const char *key, const char *value); /* NULL: null */
void pipa_doc_u64(struct pipa_doc *doc, const char *key, uint64_t value);
void pipa_doc_int(struct pipa_doc *doc, const char *key, int64_t value);
void pipa_doc_double(struct pipa_doc *doc, const char *key, double value); /* NaN, inf: null */
void pipa_doc_bool(struct pipa_doc *doc, const char *key, bool value);

/* Add an entry that is JSON already, unchanged; YAML reads JSON on one line, too. */
void pipa_doc_json(struct pipa_doc *doc, const char *key, const char *json, size_t len);

/* Append a string of JSON in quotes: control and hidden characters escaped, bytes that are not UTF-8 as U+FFFD. */
void pipa_doc_put_quoted(struct pipa_buf *out, const char *text);

#endif
