/*
 * Load of disks: utilization, response time, queue, request size and throughput of each device, the
 * busiest one, saturation against limits per medium, and file systems that are nearly full.
 */
#ifndef PIPA_ANALYZE_SERIES_DISK_LOAD_H
#define PIPA_ANALYZE_SERIES_DISK_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/series/series_summary.h"
#include "model/hardware.h"

/* PIPA's limits of response times in ms, of utilization and of the queue. */
#define PIPA_AWAIT_HDD_MS 30.0
#define PIPA_AWAIT_SATA_SSD_MS 5.0
#define PIPA_AWAIT_NVME_SSD_MS 1.0
#define PIPA_DISK_UTIL_HIGH 75.0
#define PIPA_DISK_QUEUE_HIGH 80.0

struct pipa_disk_load {
	const char *name; /* borrowed from the series */
	enum pipa_disk_medium medium;
	struct pipa_series_summary util, await, queue, request_kb, read_kb, written_kb, tps;
	double await_limit_ms; /* of its medium; NaN: unknown medium */
	bool is_saturated; /* p95 of utilization or queue is high, or of await above its limit */
};

struct pipa_disk_loads {
	struct pipa_disk_load *items;
	size_t n, cap;
	ptrdiff_t busiest; /* device with the highest mean utilization; -1: none */
};

/*
 * Compute the loads of all disks in the window, without loop devices, RAM disks and zram. 0 or
 * -ENOMEM.
 */
int pipa_disk_loads_init(struct pipa_disk_loads *loads, const struct pipa_series_set *set,
			 const struct pipa_hardware *hardware,
			 const struct pipa_time_window *window);
void pipa_disk_loads_done(struct pipa_disk_loads *loads);

/* Return PIPA's limit of the response time of a medium in ms; NaN if it is unknown. */
double pipa_disk_await_limit(enum pipa_disk_medium medium);

enum pipa_capacity { PIPA_CAPACITY_OK, PIPA_CAPACITY_WARNING, PIPA_CAPACITY_CRITICAL };

/* Judge a file system: above 80 % a warning, above 90 % critical. */
enum pipa_capacity pipa_disk_capacity(const struct pipa_hardware_disk *disk);

static inline void pipa_disk_loads_done_auto(struct pipa_disk_loads *loads)
{
	pipa_disk_loads_done(loads);
}

#endif
