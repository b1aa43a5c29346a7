/* State of a lookup: shared by the addr_lookup_*.c files only. */
#ifndef PIPA_JOB_QUERY_ADDR_LOOKUP_OWN_H
#define PIPA_JOB_QUERY_ADDR_LOOKUP_OWN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/index.h"
#include "job/query/addr_lookup.h"
#include "symbol/text/demangle.h"

/* A name as it is in the files, and as it is told. */
struct pipa_symbolize_text_name {
	const char *name;
	size_t len;
	const char *text;
};

/* A text that is shown over and over, by where it lies. */
struct pipa_symbolize_text_shown {
	const char *name;
	const char *text; /* as it is told */
	size_t len;
};

/* The outer frames of an answer, which others have as well: those with the same innermost function. */
struct pipa_symbolize_text_tail {
	struct {
		const char *function, *file;
		uint32_t line;
	} frames[8];
	uint32_t n; /* 0: none */
	uint32_t text, at, len;
};

/* Where an answer was written: a text, and after it what it has in common with one before, or nothing. */
struct pipa_symbolize_srcline {
	uint16_t text, tail_text; /* numbers */
	uint32_t at, len;
	uint32_t tail_at, tail_len;
	uint32_t index; /* of the question */
};

enum { PIPA_SYMBOLIZE_SHOWN = 1 << 9, PIPA_SYMBOLIZE_TAILS = 1 << 8 };

/* One thread's share of a batch. Zeroed, but for the options, it is empty. */
struct pipa_addr_lookup_batch {
	const struct pipa_addr_lookup_options *o;
	struct pipa_buf text; /* answers, as they were found: those after the full ones */
	struct {
		struct pipa_buf *items;
		size_t n, cap;
	} full;
	struct {
		struct pipa_symbolize_srcline *items;
		size_t n, cap;
	} places; /* of the answers */
	struct pipa_arena texts;
	struct {
		struct pipa_symbolize_text_name *items;
		size_t n, cap;
	} names; /* of the batch, found by where they lie */
	struct pipa_index index;
	bool used; /* by this batch: what follows is its, */
	/* each where its hash says until another one comes there */
	struct pipa_symbolize_text_shown functions[PIPA_SYMBOLIZE_SHOWN],
		files[PIPA_SYMBOLIZE_SHOWN];
	struct pipa_symbolize_text_tail tails[PIPA_SYMBOLIZE_TAILS];
	struct {
		const char *written, *symbol;
		size_t symbol_len;
		bool is_symbol;
	} outermost; /* the last one: which name it goes by */
	struct pipa_symbolize_text_frame frames[PIPA_DWARF_FRAMES_MAX + 1];
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* There will be many answers: room for them is taken in large pages. 0 or -ENOMEM. */
int pipa_addr_lookup_batch_widen(struct pipa_addr_lookup_batch *part);

/* Write the answer to the index-th question; 0 or a negative errno. */
int pipa_addr_lookup_batch_add(struct pipa_addr_lookup_batch *part, size_t index,
			       const struct pipa_resolved *what);

/* The n-th text. */
static inline char *pipa_addr_lookup_batch_text(const struct pipa_addr_lookup_batch *part, size_t n)
{
	return n < part->full.n ? part->full.items[n].data : part->text.data;
}

/* Forget the batch, and what was written. */
void pipa_addr_lookup_batch_reset(struct pipa_addr_lookup_batch *part);
void pipa_addr_lookup_batch_done(struct pipa_addr_lookup_batch *part);

#endif
