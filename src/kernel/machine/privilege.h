/* Capabilities and settings that decide what this process may measure. */
#ifndef PIPA_KERNEL_MACHINE_PRIVILEGE_H
#define PIPA_KERNEL_MACHINE_PRIVILEGE_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_root;

/* Effective capabilities as a bit per CAP_ number; 0 where /proc does not say. */
uint64_t pipa_privilege_caps(struct pipa_root *root);

/* Test whether this process may create a BPF map; 0 or a negative errno. */
int pipa_privilege_bpf(void);

/* Is the capability among them? */
bool pipa_privilege_has(uint64_t caps, unsigned int cap);

#endif
