/* Conversion of mapping records to an object of the profile and an address range. */
#ifndef PIPA_INGEST_MAPPED_H
#define PIPA_INGEST_MAPPED_H

#include <stdint.h>

#include "ingest/spaces.h"
#include "model/profile.h"
#include "model/record.h"

/*
 * Convert a mapping and add its object to the profile. *ret_pid is the process, or PIPA_KERNEL_PID.
 * Returns 0 or -ENOMEM.
 */
int pipa_mapped_range(struct pipa_profile *profile, const struct pipa_rec_map *map,
		      uint32_t *ret_pid, struct pipa_range *ret);

/*
 * Convert a ksymbol record: code that the kernel generated and named, such as a BPF program.
 * Returns 0 or -ENOMEM.
 */
int pipa_mapped_ksymbol(struct pipa_profile *profile, const struct pipa_rec_ksymbol *symbol,
			struct pipa_range *ret);

/* Add the object of the code in a jitdump and return its index; PIPA_NONE on allocation failure. */
uint32_t pipa_mapped_jitdump(struct pipa_profile *profile, const struct pipa_rec_map *map);

#endif
