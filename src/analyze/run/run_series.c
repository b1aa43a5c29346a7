#include "analyze/run/run_series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/metric_names.h"

/* sar's six-column CPU section, which includes guest in user and interrupts in system. */
static const struct {
	const char *column, *in_short;
} short_columns[] = { { "cpu.usr", "%user" },	 { "cpu.nice", "%nice" },
		      { "cpu.sys", "%system" },	 { "cpu.iowait", "%iowait" },
		      { "cpu.steal", "%steal" }, { "cpu.idle", "%idle" } };

static bool is_short(const struct pipa_section *section)
{
	return strcmp(section->name, "cpu-short") == 0;
}

/* Return the column of a key in the section, negative if there is none. */
static int slot_of(const struct pipa_section *section, const struct pipa_run_key_info *info)
{
	size_t i;

	if (!info->section)
		return -ENOENT;
	if (strcmp(info->section, section->name) == 0)
		return pipa_metric_slot(section, info->column, NULL);
	for (i = 0; is_short(section) && i < PIPA_COUNT(short_columns); i++)
		if (strcmp(info->section, "cpu") == 0 &&
		    strcmp(info->column, short_columns[i].column) == 0)
			return pipa_metric_slot(section, short_columns[i].in_short, NULL);
	return -ENOENT;
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

static double value_of(const struct pipa_section *section, const char *column, const double *values)
{
	int slot = pipa_metric_slot(section, column, NULL);

	return slot >= 0 && !isnan(values[slot]) ? values[slot] : 0;
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
	double util = value_of(section, "disk.util", values);

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
	double kb = value_of(section, "net.rx", values) + value_of(section, "net.tx", values);
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

	if ((strcmp(section->name, "cpu") == 0 || is_short(section)) && !prefer_long(s, section))
		return 0;
	if (strcmp(section->name, "cpu") == 0 || strcmp(section->name, "freq") == 0 ||
	    is_short(section))
		use_cpu_row(s, section, instance, values);
	else if (strcmp(section->name, "disk") == 0)
		rc = use_disk_row(s, section, instance, values);
	else if (strcmp(section->name, "net") == 0)
		rc = use_interface_row(s, section, instance, values);
	else
		set_values(s->run, section, values);
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
