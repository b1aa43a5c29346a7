/*
 * Read JSON from memory value by value, without a tree: for files of any size whose parts are read in the order that the
 * reader needs. A position can be copied to read a part twice.
 *
 * The first failure is kept in `status`; every later call returns false. Strings are not decoded until they are needed.
 */
#ifndef PIPA_CODEC_JSON_PULL_H
#define PIPA_CODEC_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_buf;

struct pipa_json_pull {
	const char *at, *end;
	const char *start;
	int status;	  /* 0 or -EBADMSG */
	const char *what; /* description of the failure */
};

/* A string between its quotes, with its escapes. */
struct pipa_json_text {
	const char *text;
	size_t len;
	bool escaped;
};

void pipa_json_pull_init(struct pipa_json_pull *json, struct pipa_span text);

/* Return the offset of the position in the text. */
static inline size_t pipa_json_pull_offset(const struct pipa_json_pull *json)
{
	return (size_t)(json->at - json->start);
}

/* Fail with a description; always false. Does not replace an earlier failure. */
bool pipa_json_pull_fail(struct pipa_json_pull *json, const char *what);

/* Return the first character of the next value: one of { [ " - 0-9 t f n; 0 at the end. */
char pipa_json_pull_peek(struct pipa_json_pull *json);

/* Enter an object or an array. */
bool pipa_json_pull_open(struct pipa_json_pull *json, char bracket);

/*
 * Move to the next element of an array, or to the next member of an object and return its key. False at the end, which is
 * left, and after a failure. *first is true before the first call.
 */
bool pipa_json_pull_element(struct pipa_json_pull *json, bool *first);
bool pipa_json_pull_member(struct pipa_json_pull *json, bool *first, struct pipa_json_text *key);

/* Read a value. A failure if it is of another type, or the number is not an integer from 0 to 2^64 - 1. */
bool pipa_json_pull_string(struct pipa_json_pull *json, struct pipa_json_text *ret);
bool pipa_json_pull_double(struct pipa_json_pull *json, double *ret);
bool pipa_json_pull_u64(struct pipa_json_pull *json, uint64_t *ret);

/* Skip a value of any type. Arrays and objects may be nested 512 deep. */
bool pipa_json_pull_skip(struct pipa_json_pull *json);

/* Is it this string? Keys with escapes are equal to none. */
bool pipa_json_text_is(const struct pipa_json_text *text, const char *word);

/* Append a string with its escapes decoded; a surrogate without its other half becomes U+FFFD, NUL likewise. */
void pipa_json_text_put(const struct pipa_json_text *text, struct pipa_buf *out);

#endif
