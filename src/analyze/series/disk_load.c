#include "analyze/series/disk_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/sections.h"

double pipa_disk_await_limit(enum pipa_disk_medium medium)
{
	switch (medium) {
	case PIPA_MEDIUM_HDD: return PIPA_AWAIT_HDD_MS;
	case PIPA_MEDIUM_SATA_SSD: return PIPA_AWAIT_SATA_SSD_MS;
	case PIPA_MEDIUM_NVME_SSD: return PIPA_AWAIT_NVME_SSD_MS;
	default: return NAN;
	}
}

enum pipa_capacity pipa_disk_capacity(const struct pipa_hardware_disk *disk)
{
	return disk->used_percent > 90 ? PIPA_CAPACITY_CRITICAL :
	       disk->used_percent > 80 ? PIPA_CAPACITY_WARNING :
					 PIPA_CAPACITY_OK;
}

void pipa_disk_loads_done(struct pipa_disk_loads *loads)
{
	free(loads->items);
	*loads = (struct pipa_disk_loads){ .busiest = -1 };
}

/* Is it a device without hardware? "zram" contains "ram". */
static bool is_virtual(const char *name)
{
	return strstr(name, "loop") || strstr(name, "ram");
}

/* Find the medium of a device or of the device of a partition, whose name it starts with. */
static enum pipa_disk_medium medium_of(const struct pipa_hardware *hardware, const char *name)
{
	const struct pipa_hardware_disk *disk = pipa_hardware_find_disk(hardware, name);

	return disk ? disk->medium : PIPA_MEDIUM_UNKNOWN;
}

static int add_disk(struct pipa_disk_loads *loads, const struct pipa_series_set *set, size_t group,
		    size_t row, const struct pipa_hardware *hardware,
		    const struct pipa_time_window *window)
{
	static const struct {
		size_t column, field;
	} fields[] = {
		{ PIPA_COL_DISK_UTIL, offsetof(struct pipa_disk_load, util) },
		{ PIPA_COL_DISK_AWAIT, offsetof(struct pipa_disk_load, await) },
		{ PIPA_COL_DISK_QUEUE, offsetof(struct pipa_disk_load, queue) },
		{ PIPA_COL_DISK_REQUEST_SIZE, offsetof(struct pipa_disk_load, request_kb) },
		{ PIPA_COL_DISK_READ, offsetof(struct pipa_disk_load, read_kb) },
		{ PIPA_COL_DISK_WRITTEN, offsetof(struct pipa_disk_load, written_kb) },
		{ PIPA_COL_DISK_TPS, offsetof(struct pipa_disk_load, tps) },
	};
	struct pipa_disk_load load = { .name = set->groups.items[group].items[row].instance };
	struct pipa_disk_load *added;
	size_t i;
	int rc = 0;

	if (is_virtual(load.name))
		return 0;
	for (i = 0; !rc && i < sizeof(fields) / sizeof(fields[0]); i++)
		rc = pipa_series_summarize(
			set, (struct pipa_series_ref){ group, row, fields[i].column }, window,
			(struct pipa_series_summary *)(void *)((char *)&load + fields[i].field));
	if (rc < 0)
		return rc;
	load.medium = medium_of(hardware, load.name);
	load.await_limit_ms = pipa_disk_await_limit(load.medium);
	load.is_saturated = load.util.p95 > PIPA_DISK_UTIL_HIGH ||
			    load.queue.p95 > PIPA_DISK_QUEUE_HIGH ||
			    load.await.p95 > load.await_limit_ms;
	added = PIPA_VEC_ADD(loads);
	if (!added)
		return -ENOMEM;
	*added = load;
	return 0;
}

int pipa_disk_loads_init(struct pipa_disk_loads *loads, const struct pipa_series_set *set,
			 const struct pipa_hardware *hardware,
			 const struct pipa_time_window *window)
{
	ptrdiff_t group = pipa_series_main_group(set, pipa_sections[PIPA_SECTION_DISK].name);
	size_t i;
	int rc = 0;

	*loads = (struct pipa_disk_loads){ .busiest = -1 };
	for (i = 0; !rc && group >= 0 && i < set->groups.items[group].n; i++)
		rc = add_disk(loads, set, (size_t)group, i, hardware, window);
	if (rc < 0) {
		pipa_disk_loads_done(loads);
		return rc;
	}
	for (i = 0; i < loads->n; i++)
		if (!isnan(loads->items[i].util.mean) &&
		    (loads->busiest < 0 ||
		     loads->items[i].util.mean > loads->items[loads->busiest].util.mean))
			loads->busiest = (ptrdiff_t)i;
	return 0;
}
