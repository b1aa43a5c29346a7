/*
 * Hardware of the measured machine as analyses need it: CPUs, NUMA nodes and block devices, taken from the
 * facts of its description (docs/format/spec-info.md). Unknown values are 0 or NaN.
 */
#ifndef PIPA_MODEL_HARDWARE_H
#define PIPA_MODEL_HARDWARE_H

#include <stddef.h>
#include <stdint.h>

#include "base/cpus.h"

struct pipa_facts;

enum pipa_disk_medium {
	PIPA_MEDIUM_UNKNOWN,
	PIPA_MEDIUM_HDD,
	PIPA_MEDIUM_SATA_SSD, /* SSD that is not NVMe */
	PIPA_MEDIUM_NVME_SSD,
	PIPA_MEDIUM_NR,
};

/* Return PIPA's name: "Unknown", "HDD", "SATA_SSD", "NVME_SSD". */
const char *pipa_disk_medium_name(enum pipa_disk_medium medium);

/* A block device or partition; strings are borrowed from the facts. */
struct pipa_hardware_disk {
	const char *name;
	const char *parent; /* device of a partition; NULL: a device */
	enum pipa_disk_medium medium;
	uint64_t size_bytes;
	const char *mount;   /* NULL: not mounted */
	double used_percent; /* of its file system, as df prints it; NaN: not mounted */
};

struct pipa_hardware_node {
	int node;
	struct pipa_cpus cpus;
};

struct pipa_hardware {
	uint32_t cpus; /* 0: unknown */
	struct {
		struct pipa_hardware_node *items;
		size_t n, cap;
	} nodes;
	struct {
		struct pipa_hardware_disk *items;
		size_t n, cap;
	} disks;
};

/* Extract the hardware from facts, which are borrowed. 0 or -ENOMEM; `hardware` must be empty. */
int pipa_hardware_init(struct pipa_hardware *hardware, const struct pipa_facts *facts);
void pipa_hardware_done(struct pipa_hardware *hardware);

/*
 * Return the device of a name in the statistics, which may be a partition ("sda1", "/dev/sda1");
 * NULL if it is unknown.
 */
const struct pipa_hardware_disk *pipa_hardware_find_disk(const struct pipa_hardware *hardware,
							 const char *name);

/* Return the node of a CPU, -1 if it is unknown. */
int pipa_hardware_node_of(const struct pipa_hardware *hardware, int cpu);

static inline void pipa_hardware_done_auto(struct pipa_hardware *hardware)
{
	pipa_hardware_done(hardware);
}

#endif
