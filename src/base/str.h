/* Numbers and durations out of text, whole strings only: "12x" is refused, not read as 12. */
#ifndef PIPA_BASE_STR_H
#define PIPA_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal, or hexadecimal after 0x. -EINVAL when it is no number, -ERANGE when it does not fit. */
int pipa_str_u64(const char *text, uint64_t *ret);

/* Hexadecimal digits without a prefix, as in raw event codes. */
int pipa_str_hex(const char *text, uint64_t *ret);

/* A finite decimal number, "C" locale whatever the user's locale is. */
int pipa_str_double(const char *text, double *ret);

/*
 * "250ms", "1.5s", "2m": suffixes ns us ms s m h. A bare number counts in units of bare_ns, which
 * is the unit of the peer tool's option of that name. -ERANGE past 2^63 ns.
 */
int pipa_str_duration(const char *text, uint64_t bare_ns, uint64_t *ret_ns);

/* "10M", "1.5Gi": suffixes k M G of thousands, Ki Mi Gi of 1024. -ERANGE past 2^63 bytes. */
int pipa_str_size(const char *text, uint64_t *ret_bytes);

bool pipa_str_starts(const char *text, const char *prefix);

#endif
