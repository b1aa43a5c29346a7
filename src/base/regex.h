/*
 * Regular expressions as pprof's users write them: POSIX extended ones (regex(7)) with the common
 * forms of RE2.
 *
 * Translated: (?i) at the start (ignore case), (?:...), \d and \D, and within brackets \d, \w, \s
 * and escaped punctuation. glibc itself accepts \w, \W, \s, \S, \b and \B. Not supported: \p{...},
 * \x..., \z, \Q...\E, named groups, flags other than a leading (?i).
 */
#ifndef PIPA_BASE_REGEX_H
#define PIPA_BASE_REGEX_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

struct pipa_error;

/*
 * Compile an expression for matching only. `option` names it in the error: "--focus". 0, -EINVAL or
 * -ENOMEM. Free with regfree().
 */
int pipa_regex_compile(const char *option, const char *text, regex_t *ret, struct pipa_error *err);

/* Does the expression match anywhere in the text? */
static inline bool pipa_regex_matches(const regex_t *regex, const char *text)
{
	return regexec(regex, text, 0, NULL, 0) == 0;
}

#endif
