/* CPUs and the core, die, package and node of each. */
#ifndef PIPA_KERNEL_MACHINE_TOPOLOGY_H
#define PIPA_KERNEL_MACHINE_TOPOLOGY_H

#include "base/cpus.h"

struct pipa_error;
struct pipa_root;

struct pipa_cpu_place {
	int cpu;
	int socket; /* -1 where the machine does not say */
	int die;
	int core; /* unique within its die only */
	int node;
};

/* The CPUs that can count now. */
int pipa_topology_online(struct pipa_root *root, struct pipa_cpus *ret, struct pipa_error *err);

/* Fill one place per CPU of the set, in its order. */
int pipa_topology_places(struct pipa_root *root, const struct pipa_cpus *cpus,
			 struct pipa_cpu_place *ret);

#endif
