/*
 * Name unresolved code by the range that it is in, with the linked address, so that its samples add up as those
 * of a function do: "libfoo.so!fn@0x1a40" by its FDE, which is that of a function; without one,
 * "libfoo.so!code@0x2000" by the gap between the symbols around it.
 */
#ifndef PIPA_SYMBOLIZE_FDE_RANGES_H
#define PIPA_SYMBOLIZE_FDE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIPA_RANGE_NAME = 300 }; /* bytes that any name fits into */

/*
 * Name the range of a file that starts there; `object` is the file's name without directories, `gap` says that
 * the range is one between symbols. Return the length.
 */
size_t pipa_range_name(const char *object, uint64_t start, bool gap,
		       char name[static PIPA_RANGE_NAME]);

#endif
