/*
 * Remove the frames that a pprof profile asks to hide, as `go tool pprof` does before it shows a profile.
 *
 * The attribute pprof.profile.drop_frames is a regular expression of functions (allocators, signal handlers). A frame
 * whose function it matches completely is removed with its callees, unless pprof.profile.keep_frames matches, too. Frames
 * outside of the first other function stay, so that no stack vanishes.
 */
#ifndef PIPA_IMPORT_PRUNE_H
#define PIPA_IMPORT_PRUNE_H

struct pipa_profile;

/*
 * Returns 0, -EINVAL if an expression is invalid or too complex (the profile is then unchanged), or -ENOMEM. Samples are
 * renumbered, so the profile must have no timeline.
 */
int pipa_prune_frames(struct pipa_profile *profile);

#endif
