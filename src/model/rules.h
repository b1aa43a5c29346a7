/*
 * Contents of rule files (docs/rules.md): thresholds, and rules as a tree in file order. Expressions and
 * templates are texts with their position in the file; analyze/rules evaluates them.
 */
#ifndef PIPA_MODEL_RULES_H
#define PIPA_MODEL_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "model/context.h"

enum pipa_language { PIPA_LANGUAGE_EN, PIPA_LANGUAGE_ZH, PIPA_LANGUAGE_NR };

/* Return the code of a language: "en". */
const char *pipa_language_code(enum pipa_language language);

/* In ascending order. */
enum pipa_severity {
	PIPA_SEVERITY_INFO, /* describes the workload; the default */
	PIPA_SEVERITY_NOTICE,
	PIPA_SEVERITY_WARNING,
	PIPA_SEVERITY_CRITICAL,
	PIPA_SEVERITY_NR,
};

const char *pipa_severity_text(enum pipa_severity severity); /* "critical" */

/* A scalar of the file. */
struct pipa_rule_scalar {
	const char *text;    /* NULL: not given */
	const char *raw;     /* bytes of the file from its start on, NUL-terminated */
	size_t line, column; /* of `raw`, from 1; columns count characters */
};

/* A text in each language; a text without a language is that of all. */
struct pipa_rule_words {
	struct pipa_rule_scalar in[PIPA_LANGUAGE_NR];
};

/* A threshold. Its value is a variable of expressions and templates. */
struct pipa_rule_constant {
	const char *name;
	struct pipa_value value;
	bool is_quoted;	  /* the value is a text in quotes */
	const char *unit; /* "": not given */
	struct pipa_rule_words reason;
	const char *file;
	size_t line, column;
};

enum { PIPA_RULE_NO_PARENT = -1 };

struct pipa_rule_entry {
	const char *id; /* "cpu.saturated"; NULL: not given */
	struct pipa_rule_words name, finding, next;
	struct pipa_rule_scalar precondition; /* not given: true */
	enum pipa_severity severity;
	double confidence; /* 0 to 1; NaN: not given */
	/* variables to show as evidence; n is 0: those of the precondition */
	struct pipa_rule_scalar *evidence;
	size_t n_evidence;
	bool is_audit;	    /* belongs to the audit of the configuration, not to the diagnosis */
	ptrdiff_t parent;   /* index, or PIPA_RULE_NO_PARENT; less than its own index */
	unsigned int depth; /* 0: no parent */
	const char *file;
	size_t line, column;
};

/* A problem that does not prevent the other rules from being used. */
struct pipa_rule_problem {
	const char *file, *what;
	size_t line, column; /* from 1 */
	ptrdiff_t rule;	     /* index of the rule it belongs to, or PIPA_RULE_NO_PARENT */
};

struct pipa_rules {
	struct pipa_rule_entry *items; /* in preorder */
	size_t n, cap;
	struct {
		struct pipa_rule_constant *items;
		size_t n, cap;
	} constants;
	struct {
		struct pipa_rule_problem *items;
		size_t n, cap;
	} problems;
	size_t n_problems; /* the list has only the first PIPA_RULE_PROBLEMS of them */
	struct pipa_arena arena;
};

enum { PIPA_RULE_PROBLEMS = 1000 };

void pipa_rules_done(struct pipa_rules *rules);

/* Return the text in a language, else in another; NULL if there is none. */
const struct pipa_rule_scalar *pipa_rule_words_in(const struct pipa_rule_words *words,
						  enum pipa_language language);

/* Add a problem at a position; the texts are copied, except `file`. 0 or -ENOMEM. */
int pipa_rules_add_problem(struct pipa_rules *rules, const struct pipa_rule_problem *problem);

/*
 * Find the position in the file of a byte of a scalar's text. Folded and quoted texts differ from
 * the file only in blanks and escapes; after an escape the position is that of the scalar.
 */
void pipa_rule_scalar_position(const struct pipa_rule_scalar *scalar, size_t offset,
			       size_t *ret_line, size_t *ret_column);

/* Copy the constants to a context, where they replace variables of the same name. 0 or -ENOMEM. */
int pipa_rules_set_constants(const struct pipa_rules *rules, struct pipa_context *context);

static inline void pipa_rules_done_auto(struct pipa_rules *rules)
{
	pipa_rules_done(rules);
}

#endif
