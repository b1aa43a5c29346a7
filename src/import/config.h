/*
 * Read the YAML of a configuration file. An invalid key or value is reported with its line and,
 * for a key, the nearest valid one. Values are strings and lists of strings; nesting and aliases
 * are refused, so that memory is proportional to the file.
 */
#ifndef PIPA_IMPORT_CONFIG_H
#define PIPA_IMPORT_CONFIG_H

#include <stddef.h>

struct pipa_config;
struct pipa_error;

/*
 * Decode the text. `ret` must be empty, and stays so on failure. `name` is that of the file, for
 * messages: "NAME:3:1: ...".
 */
int pipa_config_decode(const char *text, size_t len, const char *name, struct pipa_config *ret,
		       struct pipa_error *err);

#endif
