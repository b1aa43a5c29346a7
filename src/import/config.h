/*
 * The YAML of a configuration file. A wrong key or value is told with its place in the file and, for a
 * key, the nearest right one. Values are words and lists of words, nothing deeper, and none refers to
 * another, so that no file is larger than it looks.
 */
#ifndef PIPA_IMPORT_CONFIG_H
#define PIPA_IMPORT_CONFIG_H

#include <stddef.h>

struct pipa_config;
struct pipa_error;

/* ret is to be empty, and stays so on failure. `name` is the file's, for messages: "NAME:3:1: ...". */
int pipa_config_decode(const char *text, size_t len, const char *name, struct pipa_config *ret,
		       struct pipa_error *err);

#endif
