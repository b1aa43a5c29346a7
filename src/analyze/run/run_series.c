#include "analyze/run/run_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/sections.h"

/*
 * Columns of cpu-short by columns of cpu, plus 1; 0: none. sar without -u ALL includes guest time in %user and
 * interrupts in %system.
 */
static const int short_columns[PIPA_COL_CPU_NR] = {
	[PIPA_COL_CPU_USR] = PIPA_COL_CPU_SHORT_USER + 1,
	[PIPA_COL_CPU_NICE] = PIPA_COL_CPU_SHORT_NICE_ALL + 1,
	[PIPA_COL_CPU_SYS] = PIPA_COL_CPU_SHORT_SYSTEM + 1,
	[PIPA_COL_CPU_IOWAIT] = PIPA_COL_CPU_SHORT_IOWAIT + 1,
	[PIPA_COL_CPU_STEAL] = PIPA_COL_CPU_SHORT_STEAL + 1,
	[PIPA_COL_CPU_IDLE] = PIPA_COL_CPU_SHORT_IDLE + 1,
};

static bool is_short(const struct pipa_section *section)
{
	return pipa_section_id(section) == PIPA_SECTION_CPU_SHORT;
}

/* Return the column of the section that holds a key, negative: none. */
static int slot_of(const struct pipa_section *section, const struct pipa_run_key_info *info)
{
	if (!info->in_series)
		return -1;
	if (info->section == pipa_section_id(section))
		return info->column;
	return is_short(section) && info->section == PIPA_SECTION_CPU ?
		       short_columns[info->column] - 1 :
		       -1;
}

/* Set the run's values from a row of the section. */
static void set_values(struct pipa_run *run, const struct pipa_section *section,
		       const double *values)
{
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		int slot = slot_of(section, &pipa_run_keys[key]);

		if (slot >= 0)
			run->values[key] = values[slot];
	}
}

/* Add a row to the sums of the named CPUs. */
static void add_values(struct pipa_run_series *s, const struct pipa_section *section,
		       const double *values)
{
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		int slot = slot_of(section, &pipa_run_keys[key]);

		if (slot < 0 || isnan(values[slot]))
			continue;
		s->sums[key] += values[slot];
		s->n[key]++;
	}
}

/*
 * Prefer the ten-column CPU section over the six-column one: drop earlier values. False if this row
 * must be ignored.
 */
static bool prefer_long(struct pipa_run_series *s, const struct pipa_section *section)
{
	enum pipa_run_key key;

	if (is_short(section)) {
		s->had_short |= !s->had_long;
		return !s->had_long;
	}
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (s->had_short && !s->had_long && slot_of(section, &pipa_run_keys[key]) >= 0) {
			s->run->values[key] = NAN;
			s->sums[key] = 0;
			s->n[key] = 0;
		}
	s->had_long = true;
	return true;
}

static double or_zero(double value)
{
	return isnan(value) ? 0 : value;
}

/* Use the named CPUs, or the sum of all, if the section has one. */
static void use_cpu_row(struct pipa_run_series *s, const struct pipa_section *section,
			const char *instance, const double *values)
{
	char *end;
	long cpu = strtol(instance, &end, 10);
	bool is_all = end == instance || *end;

	if (s->run->cores.n) {
		if (!is_all && pipa_cpus_has(&s->run->cores, (int)cpu))
			add_values(s, section, values);
	} else if (is_all) {
		set_values(s->run, section, values);
	} else {
		add_values(s, section, values);
	}
}

static int copy_name(char **at, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

static int use_disk_row(struct pipa_run_series *s, const struct pipa_section *section,
			const char *instance, const double *values)
{
	double util = or_zero(values[PIPA_COL_DISK_UTIL]);

	if (s->dev ? strcmp(s->dev, instance) != 0 : s->run->dev && util <= s->disk_util)
		return 0;
	s->disk_util = util;
	s->has_dev = true;
	set_values(s->run, section, values);
	return copy_name(&s->run->dev, instance);
}

/*
 * Use the busiest interface; the loopback interface only if no other had traffic. Without traffic
 * none is named.
 */
static int use_interface_row(struct pipa_run_series *s, const struct pipa_section *section,
			     const char *instance, const double *values)
{
	double kb = or_zero(values[PIPA_COL_NET_RX]) + or_zero(values[PIPA_COL_NET_TX]);
	bool is_loop = strcmp(instance, "lo") == 0;
	bool had_loop = s->run->iface && strcmp(s->run->iface, "lo") == 0;

	if (s->run->iface && (is_loop || !(kb > 0) || (!had_loop && kb <= s->net_kb)))
		return 0;
	s->net_kb = kb;
	set_values(s->run, section, values);
	return kb > 0 ? copy_name(&s->run->iface, instance) : 0;
}

static int on_row(struct pipa_series_sink *sink, const struct pipa_section *section,
		  const struct pipa_tick *tick PIPA_UNUSED, const char *instance,
		  const double *values)
{
	struct pipa_run_series *s = (struct pipa_run_series *)sink;
	int rc = 0;

	switch (pipa_section_id(section)) {
	case PIPA_SECTION_CPU:
	case PIPA_SECTION_CPU_SHORT:
		if (prefer_long(s, section))
			use_cpu_row(s, section, instance, values);
		break;
	case PIPA_SECTION_FREQ: use_cpu_row(s, section, instance, values); break;
	case PIPA_SECTION_DISK: rc = use_disk_row(s, section, instance, values); break;
	case PIPA_SECTION_NET: rc = use_interface_row(s, section, instance, values); break;
	default: set_values(s->run, section, values);
	}
	if (rc)
		s->status = rc;
	return rc;
}

void pipa_run_series_init(struct pipa_run_series *s, struct pipa_run *run, const char *dev)
{
	*s = (struct pipa_run_series){ .sink = { .row = on_row }, .run = run, .dev = dev };
}

int pipa_run_series_finish(struct pipa_run_series *s)
{
	struct pipa_run *run = s->run;
	enum pipa_run_key key;

	for (key = 0; key < PIPA_RUN_KEYS; key++)
		if (s->n[key] && (run->cores.n || isnan(run->values[key])))
			run->values[key] = s->sums[key] / (double)s->n[key];
	run->values[PIPA_RUN_UTIL] = 100 - run->values[PIPA_RUN_IDLE];
	if (run->values[PIPA_RUN_MHZ] == 0) /* the machine does not report a frequency */
		run->values[PIPA_RUN_MHZ] = NAN;
	return s->status;
}
