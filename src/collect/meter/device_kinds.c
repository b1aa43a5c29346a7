#include "collect/meter/device_kinds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "collect/meter/meter_columns.h"
#include "kernel/machine/root.h"
#include "kernel/text/sys_text.h"

void pipa_device_parts_done(struct pipa_device_parts *parts)
{
	size_t i;

	for (i = 0; i < parts->n; i++)
		pipa_reread_close(&parts->items[i].kept);
	free(parts->items);
	*parts = (struct pipa_device_parts){ 0 };
}

/* Add a file; takes ownership of fd. A missing file is skipped. */
static int add_part(struct pipa_device_parts *parts, const struct pipa_device_part *like, int fd,
		    size_t size)
{
	struct pipa_device_part *part;

	if (fd < 0)
		return 0;
	part = PIPA_VEC_ADD(parts);
	if (!part) {
		pipa_fd_close(fd);
		return -ENOMEM;
	}
	*part = *like;
	pipa_reread_open(&part->kept, fd, size);
	return 0;
}

/* ---- numbered names ----------------------------------------------------------------------------- */

struct numbers {
	unsigned int *items;
	size_t n, cap;
};

static int by_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

/*
 * List the N of every "prefixNsuffix" in a directory of /sys, in order; none if it does not exist.
 */
static int list_numbers(struct pipa_root *root, const char *folder, const char *prefix,
			const char *suffix, struct numbers *ret)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(root, PIPA_SYS, "%s", folder);
	size_t skip = strlen(prefix);
	struct dirent *entry;

	*ret = (struct numbers){ 0 };
	while (dir && (entry = readdir(dir))) {
		unsigned int *number;
		char *end;
		unsigned long n;

		if (strncmp(entry->d_name, prefix, skip) != 0 || entry->d_name[skip] < '0' ||
		    entry->d_name[skip] > '9')
			continue;
		n = strtoul(entry->d_name + skip, &end, 10);
		if (strcmp(end, suffix) != 0 || n > UINT32_MAX)
			continue;
		number = PIPA_VEC_ADD(ret);
		if (!number) {
			free(ret->items);
			*ret = (struct numbers){ 0 };
			return -ENOMEM;
		}
		*number = (unsigned int)n;
	}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_number);
	return 0;
}

/* ---- NUMA nodes --------------------------------------------------------------------------------- */

static const struct pipa_formula numa[] = {
	[PIPA_COL_NUMA_HIT] = PER_SECOND(NODE_HIT),
	[PIPA_COL_NUMA_MISS] = PER_SECOND(NODE_MISS),
	[PIPA_COL_NUMA_FOREIGN] = PER_SECOND(NODE_FOREIGN),
	[PIPA_COL_NUMA_INTERLEAVE] = PER_SECOND(NODE_INTERLEAVE),
	[PIPA_COL_NUMA_LOCAL] = PER_SECOND(NODE_LOCAL),
	[PIPA_COL_NUMA_OTHER] = PER_SECOND(NODE_OTHER),
	[PIPA_COL_NUMA_MEMORY_FREE] = GAUGE(NODE_MEMORY_FREE, 1),
	[PIPA_COL_NUMA_MEMORY_USED] = GAUGE(NODE_MEMORY_USED, 1),
};

static int find_nodes(struct pipa_root *root, struct pipa_device_parts *parts)
{
	struct pipa_device_part part = { 0 };
	struct numbers nodes;
	size_t i;
	int rc = list_numbers(root, "devices/system/node", "node", "", &nodes);

	for (i = 0; !rc && i < nodes.n; i++) {
		snprintf(part.row, sizeof(part.row), "%u", nodes.items[i]);
		part.parse = pipa_sys_numastat;
		rc = add_part(parts, &part,
			      pipa_root_file(root, PIPA_SYS, 0,
					     "devices/system/node/node%s/numastat", part.row),
			      512);
		part.parse = pipa_sys_node_memory;
		if (!rc)
			rc = add_part(parts, &part,
				      pipa_root_file(root, PIPA_SYS, 0,
						     "devices/system/node/node%s/meminfo",
						     part.row),
				      4096);
	}
	free(nodes.items);
	return rc;
}

SECTION(numa, NUMA, numa, NR);

/* ---- clocks of CPUs ----------------------------------------------------------------------------- */

static const struct pipa_formula freq[] = {
	[PIPA_COL_FREQ_MHZ] = GAUGE(0, 1e-3),
};

/*
 * Use /proc/cpuinfo if no driver reports frequencies: expensive, because it interrupts every CPU.
 */
static int find_cpuinfo(struct pipa_root *root, struct pipa_device_parts *parts)
{
	struct pipa_device_part part = { .text = pipa_sys_cpuinfo };
	char text[4096]; /* the first CPU suffices */
	int rc;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "cpuinfo") <= 0 ||
	    (!strstr(text, "cpu MHz") && !strstr(text, "\nclock")))
		return 0;
	rc = add_part(parts, &part, pipa_root_file(root, PIPA_PROC, 0, "cpuinfo"), 8192);
	if (!rc && parts->n)
		parts->items[0].kept.long_records = true; /* the flags line of x86 */
	return rc;
}

static int find_clocks(struct pipa_root *root, struct pipa_device_parts *parts)
{
	struct pipa_device_part part = { .parse = pipa_sys_number };
	struct numbers cpus;
	size_t i;
	int rc = list_numbers(root, "devices/system/cpu", "cpu", "", &cpus);

	for (i = 0; !rc && i < cpus.n; i++) {
		snprintf(part.row, sizeof(part.row), "%u", cpus.items[i]);
		rc = add_part(parts, &part,
			      pipa_root_file(root, PIPA_SYS, 0,
					     "devices/system/cpu/cpu%s/cpufreq/scaling_cur_freq",
					     part.row),
			      32);
	}
	free(cpus.items);
	return rc || parts->n ? rc : find_cpuinfo(root, parts);
}

SECTION(freq, FREQ, freq, NR);

/* ---- temperatures ------------------------------------------------------------------------------- */

enum { SENSOR_NOW, SENSOR_MIN, SENSOR_MAX, SENSOR_FIELDS }; /* thousandths of a kelvin */

static double sensor_celsius(const struct pipa_metric_input *m)
{
	return value(m, SENSOR_NOW) / 1e3 - 273.15;
}

/*
 * Return the temperature as a share of the range between the chip's minimum (or 0 degrees) and
 * maximum.
 */
static double sensor_share(const struct pipa_metric_input *m)
{
	double least = value(m, SENSOR_MIN), most = value(m, SENSOR_MAX);

	if (isnan(least))
		least = 273.15e3;
	return most > least ? 100 * (value(m, SENSOR_NOW) - least) / (most - least) : NAN;
}

static const struct pipa_formula thermal[] = {
	[PIPA_COL_THERMAL_TEMPERATURE] = STATE(sensor_celsius),
	[PIPA_COL_THERMAL_SHARE] = STATE(sensor_share),
};

SECTION(thermal, THERMAL, thermal, NR);

/* Read the name of a chip or sensor as one word. */
static void read_word(struct pipa_root *root, const char *path, const char *otherwise, char ret[40])
{
	if (pipa_root_read(root, PIPA_SYS, ret, 40, "%s", path) <= 0)
		snprintf(ret, 40, "%s", otherwise);
	for (; *ret; ret++)
		if ((unsigned char)*ret <= ' ')
			*ret = '_';
}

/* Add a file of a sensor; a missing file leaves its field missing. */
static int add_sensor(struct pipa_root *root, struct pipa_device_parts *parts, const char *row,
		      unsigned int field, const char *path)
{
	struct pipa_device_part part = { .field = field,
					 .rarely = field != SENSOR_NOW,
					 .parse = pipa_sys_millikelvin };

	snprintf(part.row, sizeof(part.row), "%s", row);
	return add_part(parts, &part, pipa_root_file(root, PIPA_SYS, 0, "%s", path), 32);
}

/* Add a sensor, "coretemp-3/Package_id_0": chips of several sockets differ by number. */
static int add_hwmon_sensor(struct pipa_root *root, struct pipa_device_parts *parts,
			    unsigned int chip, unsigned int sensor)
{
	static const char *const highest[] = { "max", "crit" };
	char path[96], name[40], label[40], row[PIPA_RAW_NAME], fallback[24];
	size_t i;
	int rc;

	snprintf(fallback, sizeof(fallback), "temp%u", sensor);
	snprintf(path, sizeof(path), "class/hwmon/hwmon%u/name", chip);
	read_word(root, path, "hwmon", name);
	snprintf(path, sizeof(path), "class/hwmon/hwmon%u/temp%u_label", chip, sensor);
	read_word(root, path, fallback, label);
	snprintf(row, sizeof(row), "%s-%u/%s", name, chip, label);
	snprintf(path, sizeof(path), "class/hwmon/hwmon%u/temp%u_input", chip, sensor);
	rc = add_sensor(root, parts, row, SENSOR_NOW, path);
	snprintf(path, sizeof(path), "class/hwmon/hwmon%u/temp%u_min", chip, sensor);
	if (!rc)
		rc = add_sensor(root, parts, row, SENSOR_MIN, path);
	for (i = 0; !rc && i < PIPA_COUNT(highest); i++) {
		snprintf(path, sizeof(path), "class/hwmon/hwmon%u/temp%u_%s", chip, sensor,
			 highest[i]);
		if (!pipa_root_has(root, PIPA_SYS, "%s", path))
			continue;
		return add_sensor(root, parts, row, SENSOR_MAX, path);
	}
	return rc;
}

static int find_hwmon(struct pipa_root *root, struct pipa_device_parts *parts)
{
	struct numbers chips, sensors;
	size_t i, k;
	int rc = list_numbers(root, "class/hwmon", "hwmon", "", &chips);

	for (i = 0; !rc && i < chips.n; i++) {
		char folder[64];

		snprintf(folder, sizeof(folder), "class/hwmon/hwmon%u", chips.items[i]);
		rc = list_numbers(root, folder, "temp", "_input", &sensors);
		for (k = 0; !rc && k < sensors.n; k++)
			rc = add_hwmon_sensor(root, parts, chips.items[i], sensors.items[k]);
		free(sensors.items);
	}
	free(chips.items);
	return rc;
}

/* Add thermal zones, if there is no hwmon driver. */
static int find_zones(struct pipa_root *root, struct pipa_device_parts *parts)
{
	struct numbers zones;
	size_t i;
	int rc = list_numbers(root, "class/thermal", "thermal_zone", "", &zones);

	for (i = 0; !rc && i < zones.n; i++) {
		char path[96], type[40], row[PIPA_RAW_NAME];

		snprintf(path, sizeof(path), "class/thermal/thermal_zone%u/type", zones.items[i]);
		read_word(root, path, "zone", type);
		snprintf(row, sizeof(row), "%s-%u", type, zones.items[i]);
		snprintf(path, sizeof(path), "class/thermal/thermal_zone%u/temp", zones.items[i]);
		rc = add_sensor(root, parts, row, SENSOR_NOW, path);
	}
	free(zones.items);
	return rc;
}

static int find_sensors(struct pipa_root *root, struct pipa_device_parts *parts)
{
	int rc = find_hwmon(root, parts);

	return rc || parts->n ? rc : find_zones(root, parts);
}

/* ---- all of them -------------------------------------------------------------------------------- */

const struct pipa_device_kind pipa_device_kinds[PIPA_DEVICE_KINDS] = {
	{ .section = &pipa_meter_numa,
	  .fields = NODE_FIELDS,
	  .path = "devices/system/node",
	  .online = "devices/system/node/online",
	  .find = find_nodes },
	{ .section = &pipa_meter_freq,
	  .fields = 1,
	  .cpus = true,
	  .path = "devices/system/cpu/cpu0/cpufreq",
	  .online = "devices/system/cpu/online",
	  .find = find_clocks },
	{ .section = &pipa_meter_thermal,
	  .fields = SENSOR_FIELDS,
	  .path = "class/hwmon",
	  .find = find_sensors },
};
