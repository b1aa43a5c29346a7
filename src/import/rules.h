/*
 * Read the YAML of a rule file (docs/rules.md): PIPA's decision_tree.yaml, or the same format with texts in
 * several languages, severity, confidence, evidence and next steps.
 *
 * A file that is not YAML, or whose top is not a map, is refused. Unknown keys and invalid values are
 * problems of the rules: they are listed with their position and ignored. Aliases are refused, depth, size
 * and number of rules are bounded, so that memory is proportional to the file.
 */
#ifndef PIPA_IMPORT_RULES_H
#define PIPA_IMPORT_RULES_H

#include <stddef.h>

struct pipa_error;
struct pipa_rules;

enum {
	PIPA_RULES_BYTES = 4 << 20, /* maximum size of a file */
	PIPA_RULES_MAX = 4096,	    /* maximum number of rules and of thresholds, of all files */
	PIPA_RULES_DEPTH = 16,	    /* maximum depth of sub_rules */
};

/*
 * Append the rules of a file. Of thresholds of the same name the last one counts. `name` is that of
 * the file, for messages. On failure the rules are unchanged, except for their arena.
 */
int pipa_rules_decode(const char *text, size_t len, const char *name, struct pipa_rules *rules,
		      struct pipa_error *err);

#endif
