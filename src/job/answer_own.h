/* What the halves of job/answer share: streams of questions, and writing the answers. */
#ifndef PIPA_JOB_ANSWER_OWN_H
#define PIPA_JOB_ANSWER_OWN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/index.h"
#include "job/answer.h"
#include "symbol/demangle.h"

/* A name as it is in the files, and as it is told. */
struct pipa_answer_name {
	const char *name;
	size_t len;
	const char *text;
};

/* One thread's share of a batch. Zeroed, but for the options, it is empty. */
struct pipa_answer_part {
	const struct pipa_answer_options *o;
	struct pipa_buf text; /* answers, as they were found: those behind the full ones */
	struct {
		struct pipa_buf *items;
		size_t n, cap;
	} full;
	struct pipa_arena texts;
	struct {
		struct pipa_answer_name *items;
		size_t n, cap;
	} names; /* of the batch, found by where they lie */
	struct pipa_index index;
	struct pipa_answer_frame frames[PIPA_DWARF_FRAMES_MAX + 1];
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* There will be many answers: room for them is taken in large pages. 0 or -ENOMEM. */
int pipa_answer_part_widen(struct pipa_answer_part *part);

/*
 * Write one answer to the part's text, the full.n-th of them; what goes wrong is in text.status. If it is
 * nearly full then, it is the last: the next one goes to another.
 */
void pipa_answer_part_add(struct pipa_answer_part *part, const struct pipa_resolved *what);
int pipa_answer_part_turn(struct pipa_answer_part *part);

/* The n-th text. */
static inline char *pipa_answer_part_text(const struct pipa_answer_part *part, size_t n)
{
	return n < part->full.n ? part->full.items[n].data : part->text.data;
}

/* Forget the batch, and what was written. */
void pipa_answer_part_reset(struct pipa_answer_part *part);
void pipa_answer_part_done(struct pipa_answer_part *part);

#endif
