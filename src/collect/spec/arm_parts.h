/* Names of ARM CPUs by the part number of their main id register. */
#ifndef PIPA_COLLECT_SPEC_ARM_PARTS_H
#define PIPA_COLLECT_SPEC_ARM_PARTS_H

/* Return the name of a vendor; of a part. NULL: unknown. */
const char *pipa_arm_vendor(unsigned int implementer);
const char *pipa_arm_part(unsigned int implementer, unsigned int part);

#endif
