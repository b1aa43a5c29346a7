/*
 * Read the YAML of a machine description (docs/format/spec-info.md, PIPA's too) to a tree of facts.
 * Plain whole numbers are numbers, all other scalars strings. Aliases are refused, and depth and
 * number of entries are limited, so that memory is proportional to the file.
 */
#ifndef PIPA_IMPORT_FACTS_YAML_H
#define PIPA_IMPORT_FACTS_YAML_H

#include <stddef.h>

struct pipa_error;
struct pipa_facts;

/*
 * Decode the text. On failure `ret` has the entries before the error: a truncated description is
 * still of use. -EBADMSG for invalid YAML, -EFBIG beyond a limit, -ENOMEM.
 */
int pipa_facts_yaml_decode(const char *text, size_t len, struct pipa_facts *ret,
			   struct pipa_error *err);

#endif
