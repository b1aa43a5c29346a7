/* Describe a mapping: its object in the profile and its address range. */
#ifndef PIPA_INGEST_MAPPED_H
#define PIPA_INGEST_MAPPED_H

#include <stdint.h>

#include "ingest/spaces.h"
#include "model/profile.h"
#include "model/record.h"

/* 0 or -ENOMEM. Whose addresses they are: the process's, or PIPA_KERNEL_PID. */
int pipa_mapped_range(struct pipa_profile *profile, const struct pipa_rec_map *map,
		      uint32_t *ret_pid, struct pipa_range *ret);

/* Code that the kernel made and gave a name: a BPF program. */
int pipa_mapped_ksymbol(struct pipa_profile *profile, const struct pipa_rec_ksymbol *symbol,
			struct pipa_range *ret);

/* Return the object of the code in a jitdump; PIPA_NONE on allocation failure. */
uint32_t pipa_mapped_jitdump(struct pipa_profile *profile, const struct pipa_rec_map *map);

#endif
