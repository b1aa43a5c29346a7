/* Disks, each and all together. */
#include "collect/meter/meter_columns.h"

static double disk_ios(const struct pipa_metric_input *m)
{
	return grown(m, DISK_READS) + grown(m, DISK_WRITES) + grown(m, DISK_DISCARDS);
}

static double disk_tps(const struct pipa_metric_input *m)
{
	return disk_ios(m) / m->seconds;
}

static double disk_discard_sectors(const struct pipa_metric_input *m)
{
	return grown(m, DISK_DISCARD_SECTORS) / m->seconds;
}

static double disk_discard_kb(const struct pipa_metric_input *m)
{
	return disk_discard_sectors(m) / 2;
}

static double per_io(double amount, double ios)
{
	return ios > 0 ? amount / ios : 0;
}

static double disk_request_kb(const struct pipa_metric_input *m)
{
	return per_io(grown(m, DISK_READ_SECTORS) + grown(m, DISK_WRITE_SECTORS) +
			      grown(m, DISK_DISCARD_SECTORS),
		      disk_ios(m)) /
	       2;
}

static double disk_await(const struct pipa_metric_input *m)
{
	return per_io(grown(m, DISK_READ_MS) + grown(m, DISK_WRITE_MS) + grown(m, DISK_DISCARD_MS),
		      disk_ios(m));
}

static double disk_read_await(const struct pipa_metric_input *m)
{
	return per_io(grown(m, DISK_READ_MS), grown(m, DISK_READS));
}

static double disk_write_await(const struct pipa_metric_input *m)
{
	return per_io(grown(m, DISK_WRITE_MS), grown(m, DISK_WRITES));
}

static double disk_queue(const struct pipa_metric_input *m)
{
	return growth(m, DISK_QUEUE_MS) / m->seconds / 1e3;
}

/* More than 100 where the kernel's clock and ours differ; sar does not cut it either. */
static double disk_util(const struct pipa_metric_input *m)
{
	return growth(m, DISK_BUSY_MS) / m->seconds / 10;
}

static const struct pipa_column disk[] = {
	CALC("disk.tps", "tps", PER_SECOND, 2, disk_tps),
	RATE("disk.read", "rkB/s", KB_PER_SECOND, DISK_READ_SECTORS, 0.5),
	RATE("disk.written", "wkB/s", KB_PER_SECOND, DISK_WRITE_SECTORS, 0.5),
	CALC("disk.discarded", "dkB/s", KB_PER_SECOND, 2, disk_discard_kb),
	CALC("disk.request_size", "areq-sz", KB, 2, disk_request_kb),
	CALC("disk.queue", "aqu-sz", NONE, 2, disk_queue),
	CALC("disk.await", "await", MS, 2, disk_await),
	CALC("disk.util", "%util", PERCENT, 2, disk_util),
	CALC("disk.read_await", "r_await", MS, 2, disk_read_await),
	CALC("disk.write_await", "w_await", MS, 2, disk_write_await),
};

/* Whole disks that were ever used, like sar. */
static bool disk_is_shown(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && value(m, DISK_READS) + value(m, DISK_WRITES) > 0;
}

static double discards(const struct pipa_metric_input *m)
{
	return grown(m, DISK_DISCARDS) / m->seconds;
}

/* All disks together, as sar -b. */
static const struct pipa_column io[] = {
	CALC("io.tps", "tps", PER_SECOND, 2, disk_tps),
	PER_SECOND("io.reads", "rtps", DISK_READS),
	PER_SECOND("io.writes", "wtps", DISK_WRITES),
	CALC("io.discards", "dtps", PER_SECOND, 2, discards),
	PER_SECOND("io.read_sectors", "bread/s", DISK_READ_SECTORS),
	PER_SECOND("io.written_sectors", "bwrtn/s", DISK_WRITE_SECTORS),
	CALC("io.discarded_sectors", "bdscd/s", PER_SECOND, 2, disk_discard_sectors),
};

static bool disk_is_physical(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && (m->mark & PIPA_MARK_PHYSICAL);
}

SECTION(disk, "disk", "DEV", "disks", disk, DISK, .shows = disk_is_shown);
SECTION(io, "io", NULL, "all disks together", io, DISK, .shows = disk_is_physical, .summed = true);
