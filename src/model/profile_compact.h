/* Remove the rows of a profile that no sample uses. */
#ifndef PIPA_MODEL_PROFILE_COMPACT_H
#define PIPA_MODEL_PROFILE_COMPACT_H

struct pipa_profile;

/*
 * Remove stacks, locations, functions, mappings, objects, threads and processes that no sample uses,
 * keeping the order of the others. The first mapping stays: pprof takes it for the main program.
 * The profile is read-only afterwards. 0, or -ENOMEM without a change.
 */
int pipa_profile_compact(struct pipa_profile *profile);

#endif
