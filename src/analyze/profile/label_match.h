/*
 * Expressions on labels of samples, as of pprof -tagfocus: [KEY=]VALUE.
 *
 * A VALUE that is a number or a range (32kb, :64kb, 4mb:, 12kb:64mb, bounds included) is compared
 * with numbers, with units converted. KEY>N, KEY>=N, KEY<N and KEY<=N are ranges, too. Any other
 * VALUE is a comma-separated list of regular expressions for strings: with a KEY one has to match
 * the value, without it each has to match a "key:value". pid, tid, comm and cpu are labels as well.
 *
 * Different from pprof: a range without a unit is compared in the label's own unit, and KEY=NUMBER
 * also finds the string of these digits.
 */
#ifndef PIPA_ANALYZE_PROFILE_LABEL_MATCH_H
#define PIPA_ANALYZE_PROFILE_LABEL_MATCH_H

#include <stdbool.h>

struct pipa_error;
struct pipa_label_match;
struct pipa_profile;
struct pipa_sample;

/* Parse an expression. 0, -EINVAL or -ENOMEM. */
int pipa_label_match_new(const char *text, struct pipa_label_match **ret, struct pipa_error *err);
void pipa_label_match_free(struct pipa_label_match *match);

/* Does the sample match? */
bool pipa_label_match(const struct pipa_label_match *match, const struct pipa_profile *profile,
		      const struct pipa_sample *sample);

static inline void pipa_label_match_free_auto(struct pipa_label_match **match)
{
	pipa_label_match_free(*match);
}

#endif
