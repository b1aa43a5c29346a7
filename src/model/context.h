/*
 * Variables of rules: a name, a value with its unit, the source it was computed from, and the quality of
 * that source. An absent variable has a reason and no value: it is never zero.
 */
#ifndef PIPA_MODEL_CONTEXT_H
#define PIPA_MODEL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum pipa_value_kind {
	PIPA_VALUE_ABSENT, /* not measured */
	PIPA_VALUE_NONE,   /* the literal None */
	PIPA_VALUE_BOOL,
	PIPA_VALUE_INTEGER, /* number without a fraction: 50 is printed as 50, not as 50.0 */
	PIPA_VALUE_NUMBER,
	PIPA_VALUE_TEXT,
};

struct pipa_value {
	enum pipa_value_kind kind;
	double number;	  /* of a bool 0 or 1; integers are exact up to 2^53 */
	const char *text; /* borrowed from the context, the rules or the expression */
};

struct pipa_variable {
	const char *name;
	struct pipa_value value;
	const char *unit;   /* "%", "ms"; "": none */
	const char *source; /* "sar_disk: sda %util, p95"; of an absent value the reason */
	double quality;	    /* 0 to 1: share of the source that is usable */
	bool is_constant;   /* a threshold of the rule file */
};

struct pipa_context {
	struct pipa_variable *items;
	size_t n, cap;
	struct pipa_arena arena; /* of the texts */
	int status;		 /* 0 or -ENOMEM; kept, to be checked once at the end */
};

void pipa_context_done(struct pipa_context *context);

/* Return the variable of that name, NULL if there is none. */
const struct pipa_variable *pipa_context_find(const struct pipa_context *context, const char *name);

/*
 * Set a variable, replacing one of that name; all texts are copied. Returns the variable, valid until the
 * next call, or NULL on allocation failure.
 */
struct pipa_variable *pipa_context_set(struct pipa_context *context,
				       const struct pipa_variable *variable);

static inline bool pipa_value_is_numeric(const struct pipa_value *value)
{
	return value->kind == PIPA_VALUE_BOOL || value->kind == PIPA_VALUE_INTEGER ||
	       value->kind == PIPA_VALUE_NUMBER;
}

static inline void pipa_context_done_auto(struct pipa_context *context)
{
	pipa_context_done(context);
}

#endif
