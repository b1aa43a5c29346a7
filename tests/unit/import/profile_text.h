/* A profile as text, so that a test has its expectation in one string. */
#ifndef PIPA_TESTS_PROFILE_TEXT_H
#define PIPA_TESTS_PROFILE_TEXT_H

struct pipa_profile;

/*
 * A line per sample, in the order they came first: "comm PID/TID event| outer inner_a>inner_b |
 * weight count". An unknown number is "?", an unresolved frame "[dso]", > precedes inlined
 * functions. Valid until the next call.
 */
const char *profile_text(const struct pipa_profile *p);

#endif
