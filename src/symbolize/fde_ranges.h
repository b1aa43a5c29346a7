/*
 * Name unresolved code by the range of its FDE: "libfoo.so!fn@0x1a40", with the linked address, so
 * that its samples add up as those of a function do.
 */
#ifndef PIPA_SYMBOLIZE_FDE_RANGES_H
#define PIPA_SYMBOLIZE_FDE_RANGES_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_RANGE_NAME = 300 }; /* bytes that any name fits into */

/* Name the range of a file that starts there; `object` is the file's name without directories. Return the length. */
size_t pipa_range_name(const char *object, uint64_t start, char name[static PIPA_RANGE_NAME]);

#endif
