/* Parse numbers and durations, complete strings only: "12x" is refused. */
#ifndef PIPA_BASE_STR_H
#define PIPA_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Parse decimal, or hexadecimal after 0x. -EINVAL if it is not a number, -ERANGE if it does not
 * fit.
 */
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

/*
 * "512k", "1.5M", "64Ki": bytes, with k M G for powers of 1000 and Ki Mi Gi for those of 1024; K is k, and
 * a B may follow. A bare number counts in units of bare_bytes. -ERANGE past 2^63.
 */
int pipa_str_size(const char *text, uint64_t bare_bytes, uint64_t *ret);

/* Is the name one of the words of "sda,nvme*"? With globs they are patterns. */
bool pipa_str_listed(const char *list, const char *name, bool globs);

/* Cut spaces and tabs off both ends, in place; returns the start. */
char *pipa_str_trim(char *text);

bool pipa_str_starts(const char *text, const char *prefix);

/* Return the ending of a regular English noun after a number: "" for 1, else "s". */
static inline const char *pipa_str_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
