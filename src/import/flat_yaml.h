/* Read a YAML map of names to plain values, as of a configuration file. Nesting, lists and aliases are refused. */
#ifndef PIPA_IMPORT_FLAT_YAML_H
#define PIPA_IMPORT_FLAT_YAML_H

#include <stddef.h>

struct pipa_error;

/*
 * Call each() for every entry, in the order of the text; a negative return ends it and is the result, with the line added
 * to its error. `name` is that of the file, for messages. -EINVAL: not such a map, or a name occurs twice.
 */
int pipa_flat_yaml_decode(const char *text, size_t len, const char *name,
			  int (*each)(void *ctx, const char *key, const char *value,
				      struct pipa_error *err),
			  void *ctx, struct pipa_error *err);

#endif
