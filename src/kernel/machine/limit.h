/* Raise the resource limits that counting needs. */
#ifndef PIPA_KERNEL_MACHINE_LIMIT_H
#define PIPA_KERNEL_MACHINE_LIMIT_H

#include <stddef.h>

/* Lift the soft limit on open files to the hard one; the limit now in force. */
size_t pipa_limit_raise_files(void);

#endif
