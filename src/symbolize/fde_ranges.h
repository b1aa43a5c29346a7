/*
 * The name of code without a symbol, by its FDE range: "libfoo.so!fn@0x1a40", the address as linked. So its
 * samples add up and can be annotated as those of a function.
 */
#ifndef PIPA_SYMBOLIZE_FDE_RANGES_H
#define PIPA_SYMBOLIZE_FDE_RANGES_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_RANGE_NAME = 300 }; /* bytes that any name fits into */

/* Name the range of a file that starts there; `object` is the file's name without directories. Return the length. */
size_t pipa_range_name(const char *object, uint64_t start, char name[static PIPA_RANGE_NAME]);

#endif
