/*
 * Demangle C++ (Itanium), Rust (legacy without its hash, and v0) and D names, by libiberty with
 * its recursion limit.
 *
 * Names come from untrusted files: output never exceeds the caller's buffer, and a name that grows
 * beyond it is given up at once.
 */
#ifndef PIPA_SYMBOL_TEXT_DEMANGLE_H
#define PIPA_SYMBOL_TEXT_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PIPA_DEMANGLE_PARAMS =
		1 << 0, /* with parameters and return types; perf -v does, perf not */
};

enum { PIPA_DEMANGLE_MAX = 8192 }; /* longer ones are left as they are */

/* Could it be a mangled name? Two or three characters decide; most names of C stop here. */
bool pipa_is_mangled(const char *name, size_t len);

/*
 * Write the readable name and a NUL into room bytes of out and return its length; 0 when the name is
 * not mangled, broken, or does not fit. A trailing "@plt" is kept. Uses no heap but for D.
 */
size_t pipa_demangle(const char *name, size_t len, unsigned int flags, char *out, size_t room);

#endif
