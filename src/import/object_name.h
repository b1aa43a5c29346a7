/* Derive the kind of an object from the name that perf, pprof and others give it; parse its build id. */
#ifndef PIPA_IMPORT_OBJECT_NAME_H
#define PIPA_IMPORT_OBJECT_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "model/record.h"

/*
 * Return the kind of the object of that name: "[kernel.kallsyms]", "[vdso]", "/tmp/perf-4711.map",
 * a path. *ret_pid is the process of a perf map, else 0. A .ko by its path is a file: perf calls
 * modules [name].
 */
enum pipa_object_kind pipa_object_kind_of_name(const char *name, size_t len, uint32_t *ret_pid);

/* Return the mode that code at an address in an object of that kind runs in. */
enum pipa_mode pipa_object_mode(enum pipa_object_kind kind, uint64_t address);

/* Return the reason why an address in an object of that kind has no symbol, if it has none. */
enum pipa_unresolved pipa_object_unresolved(enum pipa_object_kind kind);

/* Parse a build id of an even number of lower-case hexadecimal digits. */
bool pipa_build_id_parse(const char *text, struct pipa_build_id *ret);

#endif
