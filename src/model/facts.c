#include "model/facts.h"

#include <errno.h>
#include <string.h>

void pipa_facts_done(struct pipa_facts *facts)
{
	pipa_arena_done(&facts->arena);
	*facts = (struct pipa_facts){ 0 };
}

static const char *copy_text(struct pipa_facts *facts, const char *text)
{
	const char *kept = pipa_arena_text(&facts->arena, text, strlen(text));

	if (!kept)
		facts->status = -ENOMEM;
	return kept ? kept : "";
}

static struct pipa_fact *add_fact(struct pipa_facts *facts, struct pipa_fact *in, const char *key,
				  enum pipa_fact_kind kind)
{
	struct pipa_fact *fact = pipa_arena_take(&facts->arena, sizeof(*fact));

	if (!in)
		in = &facts->top;
	if (!fact || in == &facts->discarded) {
		facts->status = -ENOMEM;
		return &facts->discarded;
	}
	*fact = (struct pipa_fact){ .kind = kind, .key = key ? copy_text(facts, key) : NULL };
	if (in->last)
		in->last->next = fact;
	else
		in->first = fact;
	in->last = fact;
	return fact;
}

struct pipa_fact *pipa_facts_map(struct pipa_facts *facts, struct pipa_fact *in, const char *key)
{
	return add_fact(facts, in, key, PIPA_FACT_MAP);
}

struct pipa_fact *pipa_facts_list(struct pipa_facts *facts, struct pipa_fact *in, const char *key)
{
	return add_fact(facts, in, key, PIPA_FACT_LIST);
}

void pipa_facts_text(struct pipa_facts *facts, struct pipa_fact *in, const char *key,
		     const char *text)
{
	add_fact(facts, in, key, PIPA_FACT_TEXT)->text = copy_text(facts, text);
}

void pipa_facts_number(struct pipa_facts *facts, struct pipa_fact *in, const char *key,
		       uint64_t number)
{
	add_fact(facts, in, key, PIPA_FACT_NUMBER)->number = number;
}

const struct pipa_fact *pipa_fact_find(const struct pipa_fact *map, const char *key)
{
	const struct pipa_fact *fact;

	for (fact = map->first; fact; fact = fact->next)
		if (fact->key && strcmp(fact->key, key) == 0)
			return fact;
	return NULL;
}
