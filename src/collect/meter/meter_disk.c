/* Statistics of disks, each and in total. */
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

/*
 * Return utilization, which exceeds 100 if the kernel's clock and ours differ; sar does not limit
 * it, either.
 */
static double disk_util(const struct pipa_metric_input *m)
{
	return growth(m, DISK_BUSY_MS) / m->seconds / 10;
}

static const struct pipa_formula disk[] = {
	[PIPA_COL_DISK_TPS] = CALC(disk_tps),
	[PIPA_COL_DISK_READ] = RATE(DISK_READ_SECTORS, 0.5),
	[PIPA_COL_DISK_WRITTEN] = RATE(DISK_WRITE_SECTORS, 0.5),
	[PIPA_COL_DISK_DISCARDED] = CALC(disk_discard_kb),
	[PIPA_COL_DISK_REQUEST_SIZE] = CALC(disk_request_kb),
	[PIPA_COL_DISK_QUEUE] = CALC(disk_queue),
	[PIPA_COL_DISK_AWAIT] = CALC(disk_await),
	[PIPA_COL_DISK_UTIL] = CALC(disk_util),
	[PIPA_COL_DISK_READ_AWAIT] = CALC(disk_read_await),
	[PIPA_COL_DISK_WRITE_AWAIT] = CALC(disk_write_await),
};

/* Show whole disks that were ever used, as sar does. */
static bool disk_is_shown(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && value(m, DISK_READS) + value(m, DISK_WRITES) > 0;
}

static double discards(const struct pipa_metric_input *m)
{
	return grown(m, DISK_DISCARDS) / m->seconds;
}

/* Totals of all disks, as sar -b. */
static const struct pipa_formula io[] = {
	[PIPA_COL_IO_TPS] = CALC(disk_tps),
	[PIPA_COL_IO_READS] = PER_SECOND(DISK_READS),
	[PIPA_COL_IO_WRITES] = PER_SECOND(DISK_WRITES),
	[PIPA_COL_IO_DISCARDS] = CALC(discards),
	[PIPA_COL_IO_READ_SECTORS] = PER_SECOND(DISK_READ_SECTORS),
	[PIPA_COL_IO_WRITTEN_SECTORS] = PER_SECOND(DISK_WRITE_SECTORS),
	[PIPA_COL_IO_DISCARDED_SECTORS] = CALC(disk_discard_sectors),
};

static bool disk_is_physical(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && (m->mark & PIPA_MARK_PHYSICAL);
}

SECTION(disk, DISK, disk, DISK, .shows = disk_is_shown);
SECTION(io, IO, io, DISK, .shows = disk_is_physical, .summed = true);
