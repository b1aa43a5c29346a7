/*
 * Rows of a profile by any set of keys. Self weight is that of samples whose innermost frame,
 * inlined or not, is the row's; children is that of samples with the row anywhere in the stack,
 * recursion counted once.
 */
#ifndef PIPA_ANALYZE_PROFILE_TOP_H
#define PIPA_ANALYZE_PROFILE_TOP_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/frames.h"
#include "analyze/profile/rollup.h"
#include "base/index.h"
#include "model/profile.h"

enum pipa_key {
	PIPA_KEY_COMM,
	PIPA_KEY_PID,
	PIPA_KEY_TID,
	PIPA_KEY_OBJECT,
	PIPA_KEY_SYMBOL,
	PIPA_KEY_CPU,
	PIPA_KEY_EVENT,
	PIPA_KEY_SRCLINE, /* source file and line */
	PIPA_KEY_PARENT,  /* the outermost caller that matches an expression */
	/* values of labels: as many keys as PIPA_TOP_LABELS_MAX */
	PIPA_KEY_LABEL,
	PIPA_KEY_LABEL_LAST = PIPA_KEY_LABEL + 3,
	PIPA_KEY_NR,
};

enum { PIPA_TOP_LABELS_MAX = PIPA_KEY_LABEL_LAST - PIPA_KEY_LABEL + 1, PIPA_TOP_LABEL_LEN = 64 };

/* Parse "comm", "symbol"... and perf's names for them ("dso", "sym"); PIPA_KEY_NR if unknown. */
enum pipa_key pipa_key_find(const char *name, size_t len);

struct pipa_top_options {
	enum pipa_key keys[PIPA_KEY_NR];
	size_t n_keys;
	bool children; /* totals are wanted: every frame has a row */
	bool by_self;  /* order rows by self also if they have totals */
	bool modes;    /* the kernel's part of self is wanted */
	bool relative; /* `all` is the sum of the rows that the filters left, not of the profile */
	const char *comms, *objects, *symbols; /* only these, comma-separated; NULL: all */
	bool one_object;		       /* only rows of one object: */
	uint32_t object;		       /* as frames have it */
	const regex_t *parent;		       /* for PIPA_KEY_PARENT */
	/* "label:NAME" of each PIPA_KEY_LABEL + i; "": not used */
	char labels[PIPA_TOP_LABELS_MAX][PIPA_TOP_LABEL_LEN];
};

/* Return the name of a key, "comm" or "symbol", and its title, "Command" or "Symbol". */
const char *pipa_key_name(const struct pipa_top_options *options, enum pipa_key key);
const char *pipa_key_title(const struct pipa_top_options *options, enum pipa_key key);

/*
 * Return the key of the values of a label, "label:NAME", adding it to the options' labels. Labels that
 * are fields of samples are their keys: label:pid is pid. PIPA_KEY_NR if the name is empty, too long,
 * or there are too many.
 */
enum pipa_key pipa_top_label_key(struct pipa_top_options *options, const char *name, size_t len);

bool pipa_top_has_key(const struct pipa_top_options *options, enum pipa_key key);

struct pipa_top_row {
	uint32_t key[PIPA_KEY_NR]; /* a number for each of the options' keys: see pipa_top_text() */
	uint32_t location;	   /* one of those in it, PIPA_NONE: none has a place */
};

struct pipa_top {
	const struct pipa_profile *profile;
	struct pipa_frames frames;
	struct pipa_top_options o;
	/* by total (or own) weight, most first, callers before callees */
	struct pipa_top_row *items;
	size_t n, cap;
	struct pipa_index index;
	size_t n_events;
	struct pipa_weight *self, *total; /* [row x n_events + event] */
	struct pipa_weight *kernel;	  /* part of self in kernel mode; NULL: not requested */
	struct pipa_weight *all;	  /* [event] of the whole profile */
	uint32_t *parents;		  /* [sample] its parent as a symbol; NULL: not requested */
	/* [label set] its value as a string of label_texts, 0: none; NULL: not requested */
	uint32_t *labels[PIPA_TOP_LABELS_MAX];
	struct pipa_strings label_texts;
};

/* The row of frame number `frame` of a sample, PIPA_NONE when it has none. */
uint32_t pipa_top_find(const struct pipa_top *top, uint32_t sample, uint32_t frame);

/* Does the sample have the row's keys anywhere in its stack? */
bool pipa_top_is_of_row(const struct pipa_top *top, uint32_t sample,
			const struct pipa_top_row *row);

int pipa_top_make(const struct pipa_profile *profile, const struct pipa_top_options *options,
		  struct pipa_top *ret);
void pipa_top_done(struct pipa_top *top);

/* Return the text of key i of a row: "bash", "1234", "libc.so.6". Borrowed, or in buf. */
const char *pipa_top_text(const struct pipa_top *top, const struct pipa_top_row *row, size_t i,
			  char buf[static 64]);

static inline void pipa_top_done_auto(struct pipa_top *top)
{
	pipa_top_done(top);
}

#endif
