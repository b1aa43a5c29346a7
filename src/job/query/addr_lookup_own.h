/* State of a lookup: shared by the addr_lookup_*.c files only. */
#ifndef PIPA_JOB_QUERY_ADDR_LOOKUP_OWN_H
#define PIPA_JOB_QUERY_ADDR_LOOKUP_OWN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/index.h"
#include "job/query/addr_lookup.h"
#include "symbol/text/demangle.h"

/* A symbol and its demangled text. */
struct pipa_symbolize_text_name {
	const char *name;
	size_t len;
	const char *text;
};

/* Cached text of a string, keyed by its address. */
struct pipa_symbolize_text_shown {
	const char *name;
	const char *text; /* as printed */
	size_t len;
};

/* Outer frames shared by results with the same innermost function. */
struct pipa_symbolize_text_tail {
	struct {
		const char *function, *file;
		uint32_t line;
	} frames[8];
	uint32_t n; /* 0: empty slot */
	uint32_t text, at, len;
};

/* Position of a result: its text, followed by text shared with an earlier result, if any. */
struct pipa_symbolize_srcline {
	uint16_t text, tail_text; /* indexes */
	uint32_t at, len;
	uint32_t tail_at, tail_len;
	uint32_t index; /* of the address in the input */
};

enum { PIPA_SYMBOLIZE_SHOWN = 1 << 9, PIPA_SYMBOLIZE_TAILS = 1 << 8 };

/* Results of one thread. Zeroed except for the options, it is empty. */
struct pipa_addr_lookup_batch {
	const struct pipa_addr_lookup_options *o;
	struct pipa_buf text; /* results in order of resolution, after the full buffers */
	struct {
		struct pipa_buf *items;
		size_t n, cap;
	} full;
	struct {
		struct pipa_symbolize_srcline *items;
		size_t n, cap;
	} srclines; /* of the results */
	struct pipa_arena texts;
	struct {
		struct pipa_symbolize_text_name *items;
		size_t n, cap;
	} names; /* of the batch, by address of the string */
	struct pipa_index index;
	bool used; /* the caches below are of this batch */
	/* direct-mapped caches */
	struct pipa_symbolize_text_shown functions[PIPA_SYMBOLIZE_SHOWN],
		files[PIPA_SYMBOLIZE_SHOWN];
	struct pipa_symbolize_text_tail tails[PIPA_SYMBOLIZE_TAILS];
	struct {
		const char *written, *symbol;
		size_t symbol_len;
		bool is_symbol;
	} outermost; /* the last outermost function and its printed name */
	struct pipa_symbolize_text_frame frames[PIPA_DWARF_FRAMES_MAX + 1];
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* Reserve large pages for many results. 0 or -ENOMEM. */
int pipa_addr_lookup_batch_widen(struct pipa_addr_lookup_batch *part);

/* Format the result of the address with that index in the input. 0 or a negative errno. */
int pipa_addr_lookup_batch_add(struct pipa_addr_lookup_batch *part, size_t index,
			       const struct pipa_resolved *what);

/* Return the n-th text buffer. */
static inline char *pipa_addr_lookup_batch_text(const struct pipa_addr_lookup_batch *part, size_t n)
{
	return n < part->full.n ? part->full.items[n].data : part->text.data;
}

/* Drop the results and caches of the batch. */
void pipa_addr_lookup_batch_reset(struct pipa_addr_lookup_batch *part);
void pipa_addr_lookup_batch_done(struct pipa_addr_lookup_batch *part);

#endif
