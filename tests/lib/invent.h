/* Invented profiles: stacks as text. */
#ifndef PIPA_TESTS_INVENT_H
#define PIPA_TESTS_INVENT_H

#include "model/profile.h"

/*
 * "outer;inner" by a thread of that name, each function of object "/lib/x" or, as "y:f", of "/lib/y";
 * "i<f" is a place where i was inlined into f.
 */
void invent(struct pipa_profile *p, const char *comm, const char *stack, uint64_t weight);

#endif
