#include "model/hardware.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "model/facts.h"

enum { MAX_CPUS = PIPA_CPU_MAX };

const char *pipa_disk_medium_name(enum pipa_disk_medium medium)
{
	static const char *const names[PIPA_MEDIUM_NR] = {
		[PIPA_MEDIUM_UNKNOWN] = "Unknown",
		[PIPA_MEDIUM_HDD] = "HDD",
		[PIPA_MEDIUM_SATA_SSD] = "SATA_SSD",
		[PIPA_MEDIUM_NVME_SSD] = "NVME_SSD",
	};

	return names[medium];
}

void pipa_hardware_done(struct pipa_hardware *h)
{
	size_t i;

	for (i = 0; i < h->nodes.n; i++)
		pipa_cpus_done(&h->nodes.items[i].cpus);
	free(h->nodes.items);
	free(h->disks.items);
	*h = (struct pipa_hardware){ 0 };
}

static const struct pipa_fact *find_map(const struct pipa_fact *in, const char *key)
{
	const struct pipa_fact *fact = in ? pipa_fact_find(in, key) : NULL;

	return fact && fact->kind == PIPA_FACT_MAP ? fact : NULL;
}

/* Return a string entry of a map; NULL if there is none. */
static const char *find_text(const struct pipa_fact *in, const char *key)
{
	const struct pipa_fact *fact = pipa_fact_find(in, key);

	return fact && fact->kind == PIPA_FACT_TEXT ? fact->text : NULL;
}

/* Return a number, also one that is written as a string ("63.5"); NaN if there is none. */
static double find_number(const struct pipa_fact *in, const char *key)
{
	const struct pipa_fact *fact = pipa_fact_find(in, key);
	double number;

	if (fact && fact->kind == PIPA_FACT_NUMBER)
		return (double)fact->number;
	return fact && fact->kind == PIPA_FACT_TEXT && pipa_str_double(fact->text, &number) == 0 ?
		       number :
		       NAN;
}

static enum pipa_disk_medium medium_of(const char *name, const char *rotational)
{
	if (rotational && strcmp(rotational, "HDD") == 0)
		return PIPA_MEDIUM_HDD;
	if (!rotational || strcmp(rotational, "SSD") != 0)
		return PIPA_MEDIUM_UNKNOWN;
	return strstr(name, "nvme") ? PIPA_MEDIUM_NVME_SSD : PIPA_MEDIUM_SATA_SSD;
}

static int add_disk(struct pipa_hardware *h, const struct pipa_fact *fact, const char *parent,
		    enum pipa_disk_medium medium)
{
	const char *name = fact->kind == PIPA_FACT_MAP ? find_text(fact, "name") : NULL;
	const struct pipa_fact *usage = find_map(fact, "fs_usage"), *parts, *part;
	struct pipa_hardware_disk *disk;
	double size;
	int rc = 0;

	if (!name)
		return 0;
	if (!parent)
		medium = medium_of(name, find_text(fact, "rotational"));
	size = find_number(fact, "size_bytes");
	disk = PIPA_VEC_ADD(&h->disks);
	if (!disk)
		return -ENOMEM;
	*disk = (struct pipa_hardware_disk){
		.name = name,
		.parent = parent,
		.medium = medium,
		.size_bytes = size >= 0 && size < 1e19 ? (uint64_t)size : 0,
		.mount = usage ? find_text(usage, "mount") : NULL,
		.used_percent = usage ? find_number(usage, "percent") : NAN,
	};
	parts = pipa_fact_find(fact, "partitions");
	for (part = parts && !parent ? parts->first : NULL; !rc && part; part = part->next)
		rc = add_disk(h, part, name, medium);
	return rc;
}

/* Add a node "node0": "0-7,16-23"; *left is the number of CPUs that nodes may still have. */
static int add_node(struct pipa_hardware *h, const struct pipa_fact *fact, size_t *left)
{
	struct pipa_hardware_node *node;
	struct pipa_cpus cpus = { 0 };
	uint64_t number;
	int rc;

	if (fact->kind == PIPA_FACT_LIST || fact->kind == PIPA_FACT_MAP ||
	    strncmp(fact->key, "node", 4) != 0 || pipa_str_u64(fact->key + 4, &number) < 0 ||
	    number >= MAX_CPUS || !*left)
		return 0;
	rc = fact->kind == PIPA_FACT_TEXT ? pipa_cpus_parse(fact->text, &cpus, NULL) :
	     fact->number < MAX_CPUS	  ? pipa_cpus_add(&cpus, (int)fact->number) :
					    -EINVAL;
	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	if (cpus.n > *left) { /* a CPU is in one node: the list is not that of a machine */
		*left = 0;
		pipa_cpus_done(&cpus);
		return 0;
	}
	*left -= cpus.n;
	node = PIPA_VEC_ADD(&h->nodes);
	if (!node) {
		pipa_cpus_done(&cpus);
		return -ENOMEM;
	}
	*node = (struct pipa_hardware_node){ (int)number, cpus };
	return 0;
}

int pipa_hardware_init(struct pipa_hardware *h, const struct pipa_facts *facts)
{
	const struct pipa_fact *cpu = find_map(&facts->top, "cpu_info");
	const struct pipa_fact *numa = find_map(find_map(&facts->top, "numa_info"),
						"numa_topology");
	const struct pipa_fact *info = find_map(&facts->top, "disk_info");
	const struct pipa_fact *disks = info ? pipa_fact_find(info, "block_devices") : NULL;
	double cpus = cpu ? find_number(cpu, "CPU(s)") : NAN;
	const struct pipa_fact *fact;
	size_t left = MAX_CPUS;
	int rc = 0;

	h->cpus = cpus > 0 && cpus <= MAX_CPUS ? (uint32_t)cpus : 0;
	for (fact = numa ? numa->first : NULL; !rc && fact; fact = fact->next)
		rc = add_node(h, fact, &left);
	for (fact = disks ? disks->first : NULL; !rc && fact; fact = fact->next)
		rc = add_disk(h, fact, NULL, PIPA_MEDIUM_UNKNOWN);
	return rc;
}

const struct pipa_hardware_disk *pipa_hardware_find_disk(const struct pipa_hardware *h,
							 const char *name)
{
	size_t i;

	if (strncmp(name, "/dev/", 5) == 0)
		name += 5;
	for (i = 0; i < h->disks.n; i++)
		if (strcmp(h->disks.items[i].name, name) == 0)
			return &h->disks.items[i];
	return NULL;
}

int pipa_hardware_node_of(const struct pipa_hardware *h, int cpu)
{
	size_t i;

	for (i = 0; i < h->nodes.n; i++)
		if (pipa_cpus_has(&h->nodes.items[i].cpus, cpu))
			return h->nodes.items[i].node;
	return -1;
}
