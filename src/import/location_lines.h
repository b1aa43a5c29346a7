/*
 * Collect the lines of a location of a pprof or OTLP file: the function that contains the address, and before it the
 * functions that the compiler inlined there.
 */
#ifndef PIPA_IMPORT_LOCATION_LINES_H
#define PIPA_IMPORT_LOCATION_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_line;
struct pipa_profile;

struct pipa_location_lines {
	struct pipa_line *items;
	size_t n, cap;
};

/* Convert a line or column number. Numbers that do not fit are counted as damage and become 0, not known. */
uint32_t pipa_line_number(struct pipa_profile *p, int64_t number);

/* Append a line in a function of the profile. 0 or -ENOMEM. */
int pipa_location_lines_add(struct pipa_location_lines *lines, struct pipa_profile *p,
			    uint32_t function, int64_t line, int64_t column);

/* Are these the lines of the location that takes the place of missing callers (PIPA_PPROF_TRUNCATED)? */
bool pipa_location_lines_are_truncation(const struct pipa_location_lines *lines,
					const struct pipa_profile *p);

#endif
