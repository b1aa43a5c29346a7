/* Identity of the kernel of a recording: its build id and release. */
#ifndef PIPA_SYMBOLIZE_RECORDED_KERNEL_H
#define PIPA_SYMBOLIZE_RECORDED_KERNEL_H

#include "locate/kernel_files.h"
#include "model/profile.h"
#include "model/recording.h"

struct pipa_recorded_kernel {
	struct pipa_build_id id;
	const char *release; /* borrowed from the recording; NULL: unknown */
};

/*
 * Find the recorded kernel by the profile's kernel object, else by the recording's list of build
 * ids. Both may be NULL.
 */
void pipa_recorded_kernel_find(const struct pipa_recording *recording,
			       const struct pipa_profile *profile,
			       struct pipa_recorded_kernel *ret);

/* Convert to the argument of locate/; valid as long as the struct. */
struct pipa_wanted_kernel pipa_recorded_kernel_wanted(const struct pipa_recorded_kernel *kernel);

/* Return the object of the kernel itself; PIPA_NONE if no sample or mapping is in it. */
uint32_t pipa_recorded_kernel_object(const struct pipa_profile *profile);

#endif
