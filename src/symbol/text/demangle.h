/*
 * Demangle C++ (Itanium), Rust (legacy without its hash, and v0) and D names, by libiberty with its
 * recursion limit.
 *
 * Names come from untrusted files: output never exceeds the caller's buffer, and a name that would
 * exceed it is rejected at once.
 */
#ifndef PIPA_SYMBOL_TEXT_DEMANGLE_H
#define PIPA_SYMBOL_TEXT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PIPA_DEMANGLE_PARAMS = 1 << 0, /* with parameters and return types, like perf -v */
};

enum { PIPA_DEMANGLE_MAX = 8192 }; /* longer names are not demangled */

/* Can it be a mangled name? Tests two or three characters. */
bool pipa_is_mangled(const char *name, size_t len);

/*
 * Write the demangled name and a NUL to `out` and return its length; 0 if the name is not mangled,
 * malformed, or does not fit into `room` bytes. A trailing "@plt" is retained. Uses no heap except
 * for D.
 */
size_t pipa_demangle(const char *name, size_t len, unsigned int flags, char *out, size_t room);

#endif
