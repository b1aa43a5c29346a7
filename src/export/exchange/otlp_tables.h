/*
 * Tables of an OTLP dictionary while it is written. Entries are kept encoded and interned by their bytes, so that no
 * table has equal entries; entry 0 of each is empty. Only mappings, functions and locations of stacks that samples use
 * are in them.
 */
#ifndef PIPA_EXPORT_EXCHANGE_OTLP_TABLES_H
#define PIPA_EXPORT_EXCHANGE_OTLP_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"
#include "base/span.h"
#include "codec/proto.h"

struct pipa_label;
struct pipa_object_extent;
struct pipa_profile;

/* Entries of one table of the dictionary. */
struct pipa_otlp_table {
	struct pipa_span *items;
	size_t n, cap;
	struct pipa_index index;
};

struct pipa_otlp_tables {
	const struct pipa_profile *p;
	struct pipa_otlp_table strings, mappings, locations, functions, links, attributes;
	struct pipa_arena arena;	/* bytes of entries */
	struct pipa_proto_writer entry; /* the entry that is being encoded */
	struct pipa_object_extent *extents;
	uint32_t *string_ids;	/* [string of the profile] entry; 0: not yet */
	uint32_t *location_ids; /* [location of the profile] entry; 0: not used */
	uint32_t *stack_ids;	/* [stack of the profile] entry; 0: not used yet */
	struct {
		uint32_t *items;
		size_t n, cap;
	} stacks; /* [entry - 1] stack of the profile */
	struct {
		uint64_t *items;
		size_t n, cap;
	} list; /* attributes of the message that is about to be encoded */
	struct {
		uint32_t *items;
		size_t n, cap;
	} list_keys;	    /* their keys */
	uint32_t truncated; /* location of missing callers; 0: none */
	bool joined; /* different locations of the profile are one entry, so stacks may be, too */
	uint32_t *same_stack; /* [stack of the profile] first equal one; NULL unless joined */
	int status;	      /* 0, or the first failure */
};

/*
 * Make the tables for the samples [from, until) of a profile: mappings, functions and locations are complete
 * afterwards. 0 or -ENOMEM; pipa_otlp_tables_done() either way.
 */
int pipa_otlp_tables_init(struct pipa_otlp_tables *t, const struct pipa_profile *p, size_t from,
			  size_t until);
void pipa_otlp_tables_done(struct pipa_otlp_tables *t);

/* Return the entry of a string of the profile, or of a text. Bytes that are not UTF-8 are replaced by U+FFFD. */
uint32_t pipa_otlp_string(struct pipa_otlp_tables *t, uint32_t string);
uint32_t pipa_otlp_text(struct pipa_otlp_tables *t, const char *text);

/*
 * Start a list of attributes in t->list, and add to it the attribute with all values that a label set has for the key of
 * its label *at, unless the key is in the list; *at is advanced to the next key. Several values are an array.
 */
void pipa_otlp_list_start(struct pipa_otlp_tables *t);
void pipa_otlp_list_label(struct pipa_otlp_tables *t, uint32_t set, size_t *at);

/* Return the entry of an attribute with a number, a string of the profile, or several texts. */
uint32_t pipa_otlp_number_attribute(struct pipa_otlp_tables *t, const char *key, int64_t number);
uint32_t pipa_otlp_text_attribute(struct pipa_otlp_tables *t, const char *key, uint32_t string);
uint32_t pipa_otlp_texts_attribute(struct pipa_otlp_tables *t, const char *key,
				   const char *const *texts, size_t n);

/* Return the entry of a trace link. */
uint32_t pipa_otlp_link(struct pipa_otlp_tables *t, const uint8_t trace_id[16],
			const uint8_t span_id[8]);

/* Return the entry of a stack of the profile, which PIPA_NONE has not: 0. */
uint32_t pipa_otlp_stack(struct pipa_otlp_tables *t, uint32_t stack);

/* Return the first stack of the profile that has the same entry. */
static inline uint32_t pipa_otlp_same_stack(const struct pipa_otlp_tables *t, uint32_t stack)
{
	return t->same_stack && stack != UINT32_MAX ? t->same_stack[stack] : stack;
}

/* Write an AnyValue with the value of a label as a field of a message. */
void pipa_otlp_put_value(const struct pipa_profile *p, struct pipa_proto_writer *w, uint32_t number,
			 const struct pipa_label *label);

/* Write a string field, and an AnyValue with a text. Invalid UTF-8 is replaced. */
void pipa_otlp_put_string(struct pipa_proto_writer *w, uint32_t number, const char *text,
			  size_t len);
void pipa_otlp_put_text_value(struct pipa_proto_writer *w, uint32_t number, const char *text,
			      size_t len);

/* Write a KeyValue with a text. */
void pipa_otlp_put_key_text(struct pipa_proto_writer *w, uint32_t number, const char *key,
			    const char *text);

/* Write the dictionary as a large message, in both rounds of the writer. */
void pipa_otlp_put_dictionary(const struct pipa_otlp_tables *t, struct pipa_proto_writer *w,
			      uint32_t number);

#endif
