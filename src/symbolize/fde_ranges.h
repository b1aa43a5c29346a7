/*
 * Name unresolved code by the range of its FDE: "libfoo.so!fn@0x1a40", with the link-time address,
 * so that its samples are aggregated like those of a function.
 */
#ifndef PIPA_SYMBOLIZE_FDE_RANGES_H
#define PIPA_SYMBOLIZE_FDE_RANGES_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_RANGE_NAME = 300 }; /* sufficient for any name */

/* Format the name of a range; `object` is the file name without directories. Returns the length. */
size_t pipa_range_name(const char *object, uint64_t start, char name[static PIPA_RANGE_NAME]);

#endif
