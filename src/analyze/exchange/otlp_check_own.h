/* State of a check of OTLP profiles: shared by the otlp_check*.c files only. */
#ifndef PIPA_ANALYZE_EXCHANGE_OTLP_CHECK_OWN_H
#define PIPA_ANALYZE_EXCHANGE_OTLP_CHECK_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/exchange/otlp_check.h"
#include "base/span.h"
#include "codec/otlp_schema.h"

enum { PIPA_OTLP_PATH_DEPTH_MAX = 8 };

#define PIPA_OTLP_NO_INDEX SIZE_MAX

enum pipa_otlp_check_table {
	PIPA_OTLP_MAPPINGS,
	PIPA_OTLP_LOCATIONS,
	PIPA_OTLP_FUNCTIONS,
	PIPA_OTLP_LINKS,
	PIPA_OTLP_STRINGS,
	PIPA_OTLP_ATTRIBUTES,
	PIPA_OTLP_STACKS,
	PIPA_OTLP_TABLE_NR,
};

extern const char *const pipa_otlp_table_names[PIPA_OTLP_TABLE_NR];

/* A field on the way to the current message; `index` if it is repeated. */
struct pipa_otlp_step {
	const char *name;
	size_t index;
};

struct pipa_otlp_checker {
	struct pipa_otlp_check *check;
	size_t limit;
	const struct pipa_otlp_dictionary *dict;
	size_t sizes[PIPA_OTLP_TABLE_NR];
	uint8_t *used[PIPA_OTLP_TABLE_NR]; /* [entry]: something refers to it */
	uint32_t *string_ids;		   /* [string]: equal for equal strings */
	uint32_t *last_list; /* [string id]: the attribute list that had the key last */
	uint32_t lists;
	struct pipa_otlp_step path[PIPA_OTLP_PATH_DEPTH_MAX];
	unsigned int depth;
	int status; /* 0 or -ENOMEM */
};

/* ---- findings (otlp_checker.c) --------------------------------------------------------------- */

/* Make a field of the current message the current one. */
static inline void pipa_otlp_checker_enter(struct pipa_otlp_checker *c, const char *name,
					   size_t index)
{
	c->path[c->depth++] = (struct pipa_otlp_step){ name, index };
}

static inline void pipa_otlp_checker_leave(struct pipa_otlp_checker *c)
{
	c->depth--;
}

#define PIPA_OTLP_HERE ((struct pipa_otlp_step){ NULL, PIPA_OTLP_NO_INDEX })
#define PIPA_OTLP_FIELD(name) ((struct pipa_otlp_step){ (name), PIPA_OTLP_NO_INDEX })

/* Count a breach at a field of the current message, and keep it up to the limit of the rule. */
void pipa_otlp_checker_add(struct pipa_otlp_checker *c, enum pipa_otlp_rule rule,
			   struct pipa_otlp_step field, const char *fmt, ...) PIPA_PRINTF(4, 5);

/* ---- references (otlp_checker.c) ------------------------------------------------------------- */

/* Check that an entry exists and mark it as used. */
bool pipa_otlp_checker_index(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table,
			     int32_t index, enum pipa_otlp_rule rule, struct pipa_otlp_step field);

static inline bool pipa_otlp_checker_string(struct pipa_otlp_checker *c, int32_t index,
					    const char *field)
{
	return pipa_otlp_checker_index(c, PIPA_OTLP_STRINGS, index, PIPA_OTLP_RULE_INDEX,
				       PIPA_OTLP_FIELD(field));
}

/* Return a string of the dictionary, empty if there is none of that index. */
struct pipa_span pipa_otlp_checker_string_at(const struct pipa_otlp_checker *c, int32_t index);

/* Check the indices of a list of attributes, and that no key occurs twice. */
void pipa_otlp_checker_attributes(struct pipa_otlp_checker *c, const int32_t *items, size_t n,
				  enum pipa_otlp_rule rule);

void pipa_otlp_checker_utf8(struct pipa_otlp_checker *c, struct pipa_span text,
			    struct pipa_otlp_step field);

/* Check the strings in a value. `refers` if string references are resolved there. */
void pipa_otlp_checker_value(struct pipa_otlp_checker *c, const struct pipa_otlp_any_value *value,
			     bool refers, struct pipa_otlp_step field);

/* Are all bytes 0? */
bool pipa_otlp_is_zero(struct pipa_span bytes);

/* ---- profiles (otlp_check_profiles.c) -------------------------------------------------------- */

/* Check a resource with its scopes, profiles and samples. */
void pipa_otlp_checker_resource(struct pipa_otlp_checker *c,
				const struct pipa_otlp_resource_profiles *profiles);

/* ---- the dictionary (otlp_check_dictionary.c) ------------------------------------------------ */

/* Allocate the marks of the dictionary's entries and look for equal ones. Before all other checks. */
void pipa_otlp_checker_prepare(struct pipa_otlp_checker *c);

/* Check the entries of a table. */
void pipa_otlp_checker_table(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table);

/* Find the unused entries, after all other checks. */
void pipa_otlp_checker_orphans(struct pipa_otlp_checker *c, enum pipa_otlp_check_table table);

#endif
