/*
 * Tree of facts: maps in insertion order, lists, strings and numbers. Everything is in the tree's
 * arena; strings are copied.
 *
 * Functions that add do not return errors: the first failure is stored in `status`, to be checked
 * once at the end.
 */
#ifndef PIPA_MODEL_FACTS_H
#define PIPA_MODEL_FACTS_H

#include <stdint.h>

#include "base/arena.h"

enum pipa_fact_kind { PIPA_FACT_MAP, PIPA_FACT_LIST, PIPA_FACT_TEXT, PIPA_FACT_NUMBER };

struct pipa_fact {
	const char *key; /* NULL inside a list */
	enum pipa_fact_kind kind;
	const char *text;
	uint64_t number;
	struct pipa_fact *first, *last; /* entries of a map or list */
	struct pipa_fact *next;		/* next entry of the same map or list */
};

struct pipa_facts {
	struct pipa_fact top; /* a map */
	struct pipa_arena arena;
	struct pipa_fact discarded; /* receives entries after an allocation failure */
	int status;		    /* 0 or -ENOMEM */
};

void pipa_facts_done(struct pipa_facts *facts);

/*
 * Add an entry to `in`, a map or list of the tree, or to the top if that is NULL. Never return
 * NULL.
 */
struct pipa_fact *pipa_facts_map(struct pipa_facts *facts, struct pipa_fact *in, const char *key);
struct pipa_fact *pipa_facts_list(struct pipa_facts *facts, struct pipa_fact *in, const char *key);
void pipa_facts_text(struct pipa_facts *facts, struct pipa_fact *in, const char *key,
		     const char *text);
void pipa_facts_number(struct pipa_facts *facts, struct pipa_fact *in, const char *key,
		       uint64_t number);

/* Return the entry of a map, NULL if there is none. */
const struct pipa_fact *pipa_fact_find(const struct pipa_fact *map, const char *key);

static inline void pipa_facts_done_auto(struct pipa_facts *facts)
{
	pipa_facts_done(facts);
}

#endif
