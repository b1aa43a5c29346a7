/*
 * Walk the messages of a file of OTLP profiles, and refuse malformed ones with their offset.
 */
#ifndef PIPA_IMPORT_OTLP_SOURCE_H
#define PIPA_IMPORT_OTLP_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct pipa_cursor;
struct pipa_error;
struct pipa_proto_error;

struct pipa_otlp_source {
	struct pipa_span file;
	struct pipa_span dictionary; /* its bytes, once they are found */
	struct pipa_error *err;
};

/* Return the offset of a byte in the file. */
uint64_t pipa_otlp_offset(const struct pipa_otlp_source *source, const uint8_t *at);

/* Return the offset of an entry of the dictionary, by reading it again. */
uint64_t pipa_otlp_entry_offset(const struct pipa_otlp_source *source, uint32_t table,
				size_t entry);

/* Refuse a message that starts at `base` and cannot be decoded. Returns -EBADMSG. */
int pipa_otlp_refuse_wire(const struct pipa_otlp_source *source, const struct pipa_proto_error *e,
			  uint64_t base);

/* Refuse an index into a table of n entries. Returns -EBADMSG. */
int pipa_otlp_refuse_index(const struct pipa_otlp_source *source, const char *what, int64_t index,
			   size_t n, uint64_t offset);

/* Read the next message with that field number. Returns 1, 0 at the end, or -EBADMSG with the offset. */
int pipa_otlp_next_message(const struct pipa_otlp_source *source, struct pipa_cursor *in,
			   uint32_t number, const char *what, struct pipa_span *ret);

#endif
