#include "analyze/rules/build_context.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/variables.h"
#include "base/auto.h"
#include "base/buf.h"
#include "model/context.h"
#include "model/rules.h"
#include "model/run.h"
#include "model/sections.h"
#include "model/series_set.h"

enum { MIN_CLASSIFIED = 4 }; /* CPUs; fewer are not classified */

struct context_builder {
	const struct pipa_context_input *in;
	struct pipa_context *out;
	double *values, *more; /* of one column: room for the longest axis */
	double num_cpu;
};

/* Statistics of a column over time; NaN without values. */
struct column_stats {
	double mean, max, p95;
	size_t n;
};

/* ---- variables ----------------------------------------------------------------------------------- */

static double quality_of(const struct context_builder *b, const struct pipa_section *section)
{
	return b->in->quality && section ? b->in->quality(b->in->ctx, section) : 1;
}

/* Set a variable of the table; a NaN is absent. */
static void set_value(struct context_builder *b, const char *name, struct pipa_value value,
		      const struct pipa_section *section)
{
	const struct pipa_rule_variable *row = pipa_rule_variable_find(name);
	struct pipa_variable variable = { .name = name,
					  .value = value,
					  .unit = row->unit,
					  .source = row->formula,
					  .quality = quality_of(b, section) };
	char reason[200];

	if (pipa_value_is_numeric(&value) && !isfinite(value.number))
		variable.value.kind = PIPA_VALUE_ABSENT;
	if (variable.value.kind == PIPA_VALUE_ABSENT) {
		snprintf(reason, sizeof(reason), "needs %s", row->needs);
		variable.source = reason;
		variable.quality = 0;
	}
	pipa_context_set(b->out, &variable); /* a failure is kept in the context */
}

static void set_number(struct context_builder *b, const char *name, double number,
		       const struct pipa_section *section)
{
	set_value(b, name, (struct pipa_value){ PIPA_VALUE_NUMBER, number, NULL }, section);
}

static void set_count(struct context_builder *b, const char *name, size_t n,
		      const struct pipa_section *section)
{
	set_value(b, name, (struct pipa_value){ PIPA_VALUE_INTEGER, (double)n, NULL }, section);
}

static void set_bool(struct context_builder *b, const char *name, bool value,
		     const struct pipa_section *section)
{
	set_value(b, name, (struct pipa_value){ PIPA_VALUE_BOOL, value, NULL }, section);
}

static void set_text(struct context_builder *b, const char *name, const char *text,
		     const struct pipa_section *section)
{
	set_value(b, name, (struct pipa_value){ PIPA_VALUE_TEXT, 0, text }, section);
}

static double number_of(const struct context_builder *b, const char *name)
{
	const struct pipa_variable *variable = pipa_context_find(b->out, name);

	return variable && pipa_value_is_numeric(&variable->value) ? variable->value.number : NAN;
}

/* Return a threshold of the rules, or PIPA's. */
static double threshold(const struct context_builder *b, const char *name, double pipas)
{
	double value = pipas;
	size_t i;

	for (i = 0; b->in->rules && i < b->in->rules->constants.n; i++) {
		const struct pipa_rule_constant *constant = &b->in->rules->constants.items[i];

		if (strcmp(constant->name, name) == 0 && pipa_value_is_numeric(&constant->value))
			value = constant->value.number;
	}
	return value;
}

/* ---- columns ------------------------------------------------------------------------------------- */

/* Return the group of a section with most intervals, NULL if there is none. */
static const struct pipa_series_group *find_group(const struct context_builder *b,
						  const char *section)
{
	const struct pipa_series_set *set = b->in->series;
	const struct pipa_series_group *best = NULL;
	size_t i;

	for (i = 0; set && i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];

		if (strcmp(group->section->name, section) == 0 && group->n &&
		    (!best || group->n_ticks > best->n_ticks))
			best = group;
	}
	return best;
}

static const struct pipa_series_group *group_of(const struct context_builder *b,
						enum pipa_section_id id)
{
	return find_group(b, pipa_sections[id].name);
}

/* Move the k-th smallest value to its position (Hoare's selection). */
static double select_value(double *values, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		double pivot = values[low + (high - low) / 2];
		size_t i = low, j = high;

		for (;;) {
			double swap;

			while (values[i] < pivot)
				i++;
			while (values[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = values[i];
			values[i++] = values[j];
			values[j--] = swap;
		}
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
	return values[k];
}

/* Compute the 95th percentile with linear interpolation, as numpy does; reorders the values. */
static double percentile95(double *values, size_t n)
{
	double at = 0.95 * (double)(n - 1), below, above;
	size_t low = (size_t)at;

	below = select_value(values, n, low);
	if (low + 1 >= n)
		return below;
	above = select_value(values, n, low + 1);
	return below + (at - (double)low) * (above - below);
}

/* Compute the statistics of the sum of some columns of a row; an interval with a missing one is left out. */
static struct column_stats sum_stats(const struct context_builder *b,
				     const struct pipa_series_group *group, size_t row,
				     const int *columns, size_t n_columns)
{
	const struct pipa_series_set *set = b->in->series;
	struct column_stats stats = { NAN, NAN, NAN, 0 };
	size_t i, k, n = 0;
	double sum = 0;

	for (k = 0; k < n_columns; k++) {
		double *to = k ? b->more : b->values;
		const struct pipa_series_ref ref = { (size_t)(group - set->groups.items), row,
						     (size_t)columns[k] };

		pipa_series_read(set, ref, 0, group->n_ticks, to);
		for (i = 0; k && i < group->n_ticks; i++)
			b->values[i] += b->more[i];
	}
	for (i = 0; i < group->n_ticks; i++)
		if (isfinite(b->values[i])) {
			stats.max = n ? fmax(stats.max, b->values[i]) : b->values[i];
			sum += b->values[i];
			b->values[n++] = b->values[i];
		}
	if (!n)
		return stats;
	stats.n = n;
	stats.mean = sum / (double)n;
	stats.p95 = percentile95(b->values, n);
	return stats;
}

static struct column_stats column_stats(const struct context_builder *b,
					const struct pipa_series_group *group, size_t row,
					int column)
{
	return sum_stats(b, group, row, &column, 1);
}

/* Return the mean of a column of a section with one instance, or the sum of the means of all instances. */
static double section_mean(const struct context_builder *b, enum pipa_section_id id, int column)
{
	const struct pipa_series_group *group = group_of(b, id);
	double sum = NAN;
	size_t i;

	for (i = 0; group && i < group->n; i++) {
		double mean;

		if (strcmp(group->items[i].instance, "all") == 0)
			continue; /* the sum of the others */
		mean = column_stats(b, group, i, column).mean;
		sum = isnan(sum) ? mean : isnan(mean) ? sum : sum + mean;
	}
	return sum;
}

/* Set a variable to the mean of a column. */
static void set_mean(struct context_builder *b, const char *name, enum pipa_section_id id,
		     int column)
{
	set_number(b, name, section_mean(b, id, column), &pipa_sections[id]);
}

/* ---- CPUs ---------------------------------------------------------------------------------------- */

struct cpu_load {
	int cpu; /* -1: all */
	struct column_stats user, system, iowait, idle, total;
	double soft, irq, steal;
};

static int by_cpu(const void *a, const void *b)
{
	const struct cpu_load *x = a, *y = b;

	return x->cpu < y->cpu ? -1 : x->cpu > y->cpu;
}

/*
 * Read a row of CPU statistics. %user and %system are those of sar -u: with guests, and with interrupts and
 * softirqs.
 */
static void read_cpu(const struct context_builder *b, const struct pipa_series_group *group,
		     size_t row, bool is_short, struct cpu_load *ret)
{
	static const int user[] = { PIPA_COL_CPU_USR, PIPA_COL_CPU_GUEST };
	static const int system[] = { PIPA_COL_CPU_SYS, PIPA_COL_CPU_IRQ, PIPA_COL_CPU_SOFT };
	static const int total[] = { PIPA_COL_CPU_USR, PIPA_COL_CPU_GUEST, PIPA_COL_CPU_SYS,
				     PIPA_COL_CPU_IRQ, PIPA_COL_CPU_SOFT };
	static const int short_total[] = { PIPA_COL_CPU_SHORT_USER, PIPA_COL_CPU_SHORT_SYSTEM };

	if (is_short) {
		ret->user = column_stats(b, group, row, PIPA_COL_CPU_SHORT_USER);
		ret->system = column_stats(b, group, row, PIPA_COL_CPU_SHORT_SYSTEM);
		ret->total = sum_stats(b, group, row, short_total, PIPA_COUNT(short_total));
		ret->iowait = column_stats(b, group, row, PIPA_COL_CPU_SHORT_IOWAIT);
		ret->idle = column_stats(b, group, row, PIPA_COL_CPU_SHORT_IDLE);
		ret->steal = column_stats(b, group, row, PIPA_COL_CPU_SHORT_STEAL).mean;
		ret->soft = ret->irq = NAN;
		return;
	}
	ret->user = sum_stats(b, group, row, user, PIPA_COUNT(user));
	ret->system = sum_stats(b, group, row, system, PIPA_COUNT(system));
	ret->total = sum_stats(b, group, row, total, PIPA_COUNT(total));
	ret->iowait = column_stats(b, group, row, PIPA_COL_CPU_IOWAIT);
	ret->idle = column_stats(b, group, row, PIPA_COL_CPU_IDLE);
	ret->steal = column_stats(b, group, row, PIPA_COL_CPU_STEAL).mean;
	ret->soft = column_stats(b, group, row, PIPA_COL_CPU_SOFT).mean;
	ret->irq = column_stats(b, group, row, PIPA_COL_CPU_IRQ).mean;
}

static double busy_of(const struct cpu_load *load)
{
	return 100 - load->idle.mean - load->iowait.mean;
}

/* Append CPUs as ranges: "0-3,7"; "None" if there are none. */
static void write_cpus(const int *cpus, size_t n, struct pipa_buf *out)
{
	size_t i, end;

	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && cpus[end] == cpus[end - 1] + 1; end++)
			;
		pipa_buf_printf(out, end - i > 1 ? "%s%d-%d" : "%s%d", i ? "," : "", cpus[i],
				cpus[end - 1]);
	}
	if (!n)
		pipa_buf_puts(out, "None");
}

static void set_cpus(struct context_builder *b, const char *count, const char *list,
		     const int *cpus, size_t n, const struct pipa_section *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	set_count(b, count, n, section);
	write_cpus(cpus, n, &text);
	if (list && !text.status)
		set_text(b, list, pipa_buf_str(&text), section);
}

static bool is_expected(const struct context_builder *b, int cpu)
{
	return pipa_cpus_has(b->in->expected, cpu);
}

/* Set the means of all CPUs, or of the expected ones. */
static void set_means(struct context_builder *b, const struct cpu_load *all,
		      const struct cpu_load *loads, size_t n, const struct pipa_section *section)
{
	bool by_list = b->in->expected && b->in->expected->n;
	double total = 0, user = 0, system = 0, iowait = 0, busy = 0, steal = 0;
	size_t i, count = 0;

	for (i = 0; i < n; i++) {
		if (by_list && !is_expected(b, loads[i].cpu))
			continue;
		total += loads[i].total.mean;
		user += loads[i].user.mean;
		system += loads[i].system.mean;
		iowait += loads[i].iowait.mean;
		busy += busy_of(&loads[i]);
		steal += loads[i].steal;
		count++;
	}
	if (!by_list && all) { /* the row "all" weighs CPUs by their time */
		total = all->user.mean + all->system.mean;
		user = all->user.mean;
		system = all->system.mean;
		iowait = all->iowait.mean;
		busy = busy_of(all);
		steal = all->steal;
		count = 1;
	}
	set_number(b, "total_cpu", total / (double)count, section);
	set_number(b, "cpu_user", user / (double)count, section);
	set_number(b, "cpu_system", system / (double)count, section);
	set_number(b, "avg_iowait", iowait / (double)count, section);
	set_number(b, "cpu_busy", busy / (double)count, section);
	set_number(b, "cpu_steal", steal / (double)count, section);
	set_number(b, "avg_irq_percent", all ? all->irq : NAN, section);
	set_number(b, "avg_softirq_percent", all ? all->soft : NAN, section);
}

/* Set the distribution over CPUs. */
static void set_spread(struct context_builder *b, const struct cpu_load *loads, size_t n,
		       const struct pipa_section *section)
{
	double sum = 0, squares = 0, max = -INFINITY, min = INFINITY, wait95 = NAN, wait_max = NAN;
	double busiest = -INFINITY, soft = NAN;
	size_t i, busy = 0, at = 0;

	for (i = 0; i < n; i++) {
		double total = loads[i].total.mean;

		sum += total;
		max = fmax(max, total);
		min = fmin(min, total);
		wait95 = fmax(wait95, loads[i].iowait.p95); /* fmax ignores a NaN */
		wait_max = fmax(wait_max, loads[i].iowait.max);
		soft = fmax(soft, loads[i].soft);
		busy += busy_of(&loads[i]) > 80;
		if (busy_of(&loads[i]) > busiest) {
			busiest = busy_of(&loads[i]);
			at = i;
		}
	}
	for (i = 0; i < n; i++)
		squares += (loads[i].total.mean - sum / (double)n) *
			   (loads[i].total.mean - sum / (double)n);
	set_number(b, "cpu_util_std_dev", n > 1 ? sqrt(squares / (double)(n - 1)) : NAN, section);
	set_number(b, "cpu_max_util", max, section);
	set_number(b, "cpu_min_util", min, section);
	set_number(b, "p95_single_core_iowait", wait95, section);
	set_number(b, "max_single_core_iowait", wait_max, section);
	set_number(b, "max_cpu_busy", busiest, section);
	set_number(b, "max_cpu_soft", soft, section);
	set_count(b, "busy_cpus", busy, section);
	set_count(b, "busiest_cpu", (size_t)loads[at].cpu, section);
}

enum cpu_class { CLASS_IDLE, CLASS_ACTIVE, CLASS_BUSY, CLASS_NR };

static enum cpu_class class_of(const struct context_builder *b, const struct cpu_load *load)
{
	double load95 = load->user.p95 + load->system.p95;

	if (load95 < threshold(b, "CPU_CLUSTER_IDLE_THRESHOLD", 10))
		return CLASS_IDLE;
	return load95 > threshold(b, "CPU_CLUSTER_BUSY_THRESHOLD", 40) ? CLASS_BUSY : CLASS_ACTIVE;
}

/* Classify CPUs, and compare their load with the expected CPUs. */
static int set_classes(struct context_builder *b, const struct cpu_load *loads, size_t n,
		       const struct pipa_section *section)
{
	PIPA_AUTO(free)
	int *waiting = calloc(n + 1, sizeof(int)), *leaking = calloc(n + 1, sizeof(int)),
	    *absent = calloc(n + 1, sizeof(int));
	size_t counts[CLASS_NR] = { 0 }, classes = 0, n_waiting = 0, n_leaking = 0, n_absent = 0, i;
	bool audits = b->in->expected && b->in->expected->n && n >= MIN_CLASSIFIED;
	char text[120];

	if (!waiting || !leaking || !absent)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		enum cpu_class class = class_of(b, &loads[i]);

		classes += !counts[class];
		counts[class]++;
		if (loads[i].iowait.p95 > threshold(b, "IO_WAIT_HIGH_THRESHOLD", 10))
			waiting[n_waiting++] = loads[i].cpu;
		if (audits && is_expected(b, loads[i].cpu)) {
			if (class != CLASS_BUSY)
				absent[n_absent++] = loads[i].cpu;
		} else if (audits && loads[i].total.mean > 15) {
			leaking[n_leaking++] = loads[i].cpu;
		}
	}
	set_cpus(b, "iowait_core_count", "iowait_core_details", waiting, n_waiting, section);
	if (n >= MIN_CLASSIFIED) {
		snprintf(text, sizeof(text), "idle %zu, active %zu, busy %zu", counts[CLASS_IDLE],
			 counts[CLASS_ACTIVE], counts[CLASS_BUSY]);
		set_count(b, "cpu_clusters_count", classes, section);
		set_text(b, "cpu_clusters_summary", text, section);
	}
	set_bool(b, "is_cpu_imbalanced", n >= MIN_CLASSIFIED && classes > 1 && counts[CLASS_BUSY],
		 section);
	if (audits) {
		set_bool(b, "affinity_check_enabled", true, section);

		set_cpus(b, "affinity_leakage_count", "leakage_cores_str", leaking, n_leaking,
			 section);
		set_cpus(b, "affinity_absent_count", "absent_cores_str", absent, n_absent, section);
	}
	return 0;
}

/* Set the load of NUMA nodes. */
static void set_nodes(struct context_builder *b, const struct cpu_load *loads, size_t n,
		      const struct pipa_section *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const struct pipa_context_machine *machine = b->in->machine;
	double max = -INFINITY, min = INFINITY;
	size_t i, k, used = 0;

	if (!machine || !machine->n_nodes)
		return;
	set_count(b, "numa_nodes_count", machine->n_nodes, section);
	for (i = 0; i < machine->n_nodes; i++) {
		double sum = 0;
		size_t count = 0;

		for (k = 0; k < n; k++)
			if (pipa_cpus_has(machine->nodes[i].cpus, loads[k].cpu)) {
				sum += loads[k].total.mean;
				count++;
			}
		if (!count)
			continue;
		pipa_buf_printf(&text, "%snode%d: %.1f%%", used++ ? ", " : "",
				machine->nodes[i].node, sum / (double)count);
		max = fmax(max, sum / (double)count);
		min = fmin(min, sum / (double)count);
	}
	if (used < 2 || text.status)
		return;
	set_number(b, "numa_max_diff", max - min, section);
	set_text(b, "numa_status_msg", pipa_buf_str(&text), section);
	set_bool(b, "is_numa_imbalanced", max - min > threshold(b, "NUMA_IMBALANCE_THRESHOLD", 20),
		 section);
}

static int build_cpus(struct context_builder *b)
{
	const struct pipa_series_group *group = group_of(b, PIPA_SECTION_CPU);
	bool is_short = !group;
	PIPA_AUTO(free) struct cpu_load *loads = NULL;
	struct cpu_load all = { 0 };
	bool has_all = false;
	size_t i, n = 0;

	if (is_short)
		group = group_of(b, PIPA_SECTION_CPU_SHORT);
	b->num_cpu = b->in->machine && b->in->machine->cpus ? (double)b->in->machine->cpus : NAN;
	if (group) {
		loads = calloc(group->n, sizeof(*loads));
		if (!loads)
			return -ENOMEM;
		for (i = 0; i < group->n; i++) {
			char *end;
			long cpu = strtol(group->items[i].instance, &end, 10);
			bool is_all = end == group->items[i].instance || *end || cpu < 0;
			struct cpu_load *load = is_all ? &all : &loads[n];

			read_cpu(b, group, i, is_short, load);
			load->cpu = is_all ? -1 : (int)cpu;
			has_all |= is_all;
			n += !is_all && load->total.n;
		}
		qsort(loads, n, sizeof(*loads), by_cpu);
		if (isnan(b->num_cpu) && n)
			b->num_cpu = (double)n;
	}
	set_value(b, "num_cpu", (struct pipa_value){ PIPA_VALUE_INTEGER, b->num_cpu, NULL }, NULL);
	if (has_all || n)
		set_means(b, has_all ? &all : NULL, loads, n, group->section);
	if (n) {
		set_spread(b, loads, n, group->section);
		set_nodes(b, loads, n, group->section);
	}
	if (!b->in->expected || !b->in->expected->n || (n && n < MIN_CLASSIFIED))
		set_bool(b, "affinity_check_enabled", false, NULL);
	if (b->in->expected_text)
		set_text(b, "expected_cpus_str", b->in->expected_text, NULL);
	return n ? set_classes(b, loads, n, group->section) : 0;
}

/* ---- disks --------------------------------------------------------------------------------------- */

/* Return the medium of a device or of the device of a partition; NULL if it is unknown. */
static const char *disk_subtype(const struct context_builder *b, const char *name)
{
	const struct pipa_context_machine *machine = b->in->machine;
	const char *parent = NULL;
	size_t i;

	for (i = 0; machine && i < machine->n_disks; i++) {
		const struct pipa_context_disk *disk = &machine->disks[i];
		size_t len = strlen(disk->name);

		if (strcmp(disk->name, name) == 0)
			return disk->subtype;
		if (strncmp(disk->name, name, len) == 0 &&
		    strspn(name + len, "p0123456789") == strlen(name + len))
			parent = disk->subtype;
	}
	return parent;
}

static void set_disk_kind(struct context_builder *b, const char *name)
{
	static const struct {
		const char *subtype, *type, *limit;
		double pipas;
	} kinds[] = { { "HDD", "HDD", "IO_AWAIT_HDD_THRESHOLD", 30 },
		      { "SATA_SSD", "SSD", "IO_AWAIT_SATA_SSD_THRESHOLD", 5 },
		      { "NVME_SSD", "SSD", "IO_AWAIT_NVME_SSD_THRESHOLD", 1 } };
	const char *subtype = disk_subtype(b, name);
	size_t i;

	for (i = 0; subtype && i < PIPA_COUNT(kinds); i++)
		if (strcmp(kinds[i].subtype, subtype) == 0) {
			set_text(b, "busiest_disk_type", kinds[i].type, NULL);
			set_text(b, "busiest_disk_subtype", subtype, NULL);
			set_number(b, "effective_await_threshold",
				   threshold(b, kinds[i].limit, kinds[i].pipas), NULL);
		}
}

static void build_disks(struct context_builder *b)
{
	static const struct {
		const char *mean, *max, *p95;
		int column;
	} columns[] = {
		{ "avg_disk_util", "max_disk_util", "p95_disk_util", PIPA_COL_DISK_UTIL },
		{ "avg_disk_await", "max_disk_await", "p95_disk_await", PIPA_COL_DISK_AWAIT },
		{ "avg_avgqu_sz", "max_avgqu_sz", "p95_avgqu_sz", PIPA_COL_DISK_QUEUE },
		{ "avg_avgrq_sz_kb", NULL, NULL, PIPA_COL_DISK_REQUEST_SIZE },
		{ "disk_rkB_s", NULL, NULL, PIPA_COL_DISK_READ },
		{ "disk_wkB_s", NULL, NULL, PIPA_COL_DISK_WRITTEN },
	};
	const struct pipa_series_group *group = group_of(b, PIPA_SECTION_DISK);
	double best = -INFINITY, await = 0, util = 0, size = 0;
	size_t i, busiest = 0, n = 0;

	for (i = 0; group && i < group->n; i++) {
		const char *name = group->items[i].instance;
		double mean = column_stats(b, group, i, PIPA_COL_DISK_UTIL).mean;

		if (strstr(name, "loop") || strstr(name, "ram") || isnan(mean))
			continue;
		await += column_stats(b, group, i, PIPA_COL_DISK_AWAIT).mean;
		size += column_stats(b, group, i, PIPA_COL_DISK_REQUEST_SIZE).mean;
		util += mean;
		n++;
		if (mean > best) {
			best = mean;
			busiest = i;
		}
	}
	if (!n)
		return;
	set_count(b, "disk_count", n, group->section);
	set_number(b, "avg_await", await / (double)n, group->section);
	set_number(b, "avg_util", util / (double)n, group->section);
	set_number(b, "avg_avgrq_sz", size / (double)n, group->section);
	set_text(b, "busiest_disk_name", group->items[busiest].instance, group->section);
	for (i = 0; i < PIPA_COUNT(columns); i++) {
		struct column_stats stats = column_stats(b, group, busiest, columns[i].column);

		set_number(b, columns[i].mean, stats.mean, group->section);
		if (columns[i].max) {
			set_number(b, columns[i].max, stats.max, group->section);
			set_number(b, columns[i].p95, stats.p95, group->section);
		}
	}
	set_number(b, "disk_throughput_mb",
		   (number_of(b, "disk_rkB_s") + number_of(b, "disk_wkB_s")) / 1024,
		   group->section);
	set_disk_kind(b, group->items[busiest].instance);
}

/* ---- network ------------------------------------------------------------------------------------- */

static void build_network(struct context_builder *b)
{
	const struct pipa_series_group *group = group_of(b, PIPA_SECTION_NET);
	double best = -INFINITY, sum = 0;
	size_t i, busiest = 0, n = 0;

	for (i = 0; group && i < group->n; i++) {
		double mean = column_stats(b, group, i, PIPA_COL_NET_UTILIZATION).mean;

		if (isnan(mean))
			continue;
		sum += mean;
		n++;
		if (mean > best) {
			best = mean;
			busiest = i;
		}
	}
	if (n) {
		set_number(b, "avg_ifutil", sum / (double)n, group->section);
		set_text(b, "busiest_iface", group->items[busiest].instance, group->section);
		set_number(b, "p95_iface_util",
			   column_stats(b, group, busiest, PIPA_COL_NET_UTILIZATION).p95,
			   group->section);
	}
	set_number(b, "net_packets_s",
		   section_mean(b, PIPA_SECTION_NET, PIPA_COL_NET_RX_PACKETS) +
			   section_mean(b, PIPA_SECTION_NET, PIPA_COL_NET_TX_PACKETS),
		   &pipa_sections[PIPA_SECTION_NET]);
	set_number(b, "net_drops_s",
		   section_mean(b, PIPA_SECTION_NET_ERRORS, PIPA_COL_NET_ERRORS_RX_DROPS) +
			   section_mean(b, PIPA_SECTION_NET_ERRORS, PIPA_COL_NET_ERRORS_TX_DROPS),
		   &pipa_sections[PIPA_SECTION_NET_ERRORS]);
	set_number(b, "net_errors_s",
		   section_mean(b, PIPA_SECTION_NET_ERRORS, PIPA_COL_NET_ERRORS_RX_ERRORS) +
			   section_mean(b, PIPA_SECTION_NET_ERRORS, PIPA_COL_NET_ERRORS_TX_ERRORS),
		   &pipa_sections[PIPA_SECTION_NET_ERRORS]);
	set_mean(b, "softnet_dropped_s", PIPA_SECTION_SOFTNET, PIPA_COL_SOFTNET_DROPPED);
	set_mean(b, "softnet_squeezed_s", PIPA_SECTION_SOFTNET, PIPA_COL_SOFTNET_SQUEEZED);
	set_mean(b, "tcp_out_s", PIPA_SECTION_TCP, PIPA_COL_TCP_OUT);
	set_mean(b, "tcp_retransmits_s", PIPA_SECTION_TCP_ERRORS, PIPA_COL_TCP_ERRORS_RETRANSMITS);
	if (number_of(b, "tcp_out_s") > 0)
		set_number(b, "tcp_retransmit_percent",
			   100 * number_of(b, "tcp_retransmits_s") / number_of(b, "tcp_out_s"),
			   &pipa_sections[PIPA_SECTION_TCP_ERRORS]);
	set_mean(b, "udp_in_errors_s", PIPA_SECTION_UDP, PIPA_COL_UDP_IN_ERRORS);
}

/* ---- memory, scheduler --------------------------------------------------------------------------- */

static void build_memory(struct context_builder *b)
{
	const struct pipa_section *mem = &pipa_sections[PIPA_SECTION_MEM];
	double available = section_mean(b, PIPA_SECTION_MEM, PIPA_COL_MEM_AVAILABLE);
	double size = section_mean(b, PIPA_SECTION_MEM, PIPA_COL_MEM_FREE) +
		      section_mean(b, PIPA_SECTION_MEM, PIPA_COL_MEM_USED);

	set_number(b, "avg_swaps",
		   section_mean(b, PIPA_SECTION_PAGING, PIPA_COL_PAGING_IN) +
			   section_mean(b, PIPA_SECTION_PAGING, PIPA_COL_PAGING_OUT),
		   &pipa_sections[PIPA_SECTION_PAGING]);
	set_mean(b, "avg_majflt_s", PIPA_SECTION_PAGING, PIPA_COL_PAGING_MAJOR_FAULTS);
	set_mean(b, "direct_reclaim_s", PIPA_SECTION_PAGING, PIPA_COL_PAGING_SCAN_DIRECT);
	set_mean(b, "kswapd_scan_s", PIPA_SECTION_PAGING, PIPA_COL_PAGING_SCAN_KSWAPD);
	if (number_of(b, "direct_reclaim_s") + number_of(b, "kswapd_scan_s") > 0)
		set_mean(b, "reclaim_efficiency", PIPA_SECTION_PAGING, PIPA_COL_PAGING_EFFICIENCY);
	set_mean(b, "pswpin_total", PIPA_SECTION_SWAPPING, PIPA_COL_SWAPPING_IN);
	set_mean(b, "pswpout_total", PIPA_SECTION_SWAPPING, PIPA_COL_SWAPPING_OUT);
	set_mean(b, "swap_used_percent", PIPA_SECTION_SWAP, PIPA_COL_SWAP_USED_SHARE);
	set_mean(b, "avg_memused_percent", PIPA_SECTION_MEM, PIPA_COL_MEM_USED_SHARE);
	set_mean(b, "avg_commit_percent", PIPA_SECTION_MEM, PIPA_COL_MEM_COMMIT_SHARE);
	set_number(b, "mem_available_percent", size > 0 ? 100 * available / size : NAN, mem);
	set_mean(b, "hugepages_used_percent", PIPA_SECTION_HUGEPAGES,
		 PIPA_COL_HUGEPAGES_USED_SHARE);
	set_mean(b, "hugepages_free_kb", PIPA_SECTION_HUGEPAGES, PIPA_COL_HUGEPAGES_FREE);
	set_mean(b, "psi_memory", PIPA_SECTION_PSI_MEMORY, PIPA_COL_PSI_MEMORY_SOME);
	set_mean(b, "psi_memory_full", PIPA_SECTION_PSI_MEMORY, PIPA_COL_PSI_MEMORY_FULL);
}

static void build_scheduler(struct context_builder *b)
{
	const struct pipa_series_group *freq = group_of(b, PIPA_SECTION_FREQ);
	const struct pipa_series_group *interrupts = group_of(b, PIPA_SECTION_INTERRUPTS);
	const double cpus = b->num_cpu;
	double mhz = 0;
	size_t i, n = 0;

	set_mean(b, "total_tps", PIPA_SECTION_IO, PIPA_COL_IO_TPS);
	set_mean(b, "avg_cswch", PIPA_SECTION_CSWCH, PIPA_COL_CSWCH_SWITCHES);
	set_mean(b, "forks_s", PIPA_SECTION_CSWCH, PIPA_COL_CSWCH_FORKS);
	set_number(b, "cswch_per_cpu", number_of(b, "avg_cswch") / cpus,
		   &pipa_sections[PIPA_SECTION_CSWCH]);
	set_mean(b, "avg_nvcswch_s", PIPA_SECTION_PROCESS_SWITCHES,
		 PIPA_COL_PROCESS_SWITCHES_NVCSWCH);
	set_mean(b, "avg_load1", PIPA_SECTION_LOAD, PIPA_COL_LOAD_1);
	set_mean(b, "run_queue", PIPA_SECTION_LOAD, PIPA_COL_LOAD_RUNNING);
	set_number(b, "run_queue_per_cpu", number_of(b, "run_queue") / cpus,
		   &pipa_sections[PIPA_SECTION_LOAD]);
	set_mean(b, "blocked_tasks", PIPA_SECTION_LOAD, PIPA_COL_LOAD_BLOCKED);
	set_mean(b, "psi_cpu", PIPA_SECTION_PSI_CPU, PIPA_COL_PSI_CPU_SOME);
	set_mean(b, "psi_io", PIPA_SECTION_PSI_IO, PIPA_COL_PSI_IO_SOME);
	set_mean(b, "psi_io_full", PIPA_SECTION_PSI_IO, PIPA_COL_PSI_IO_FULL);
	set_mean(b, "throttled_percent", PIPA_SECTION_LIMITS, PIPA_COL_LIMITS_THROTTLED_SHARE);
	for (i = 0; interrupts && i < interrupts->n; i++)
		if (strcmp(interrupts->items[i].instance, "sum") == 0)
			set_number(b, "interrupts_per_cpu",
				   column_stats(b, interrupts, i, PIPA_COL_INTERRUPTS_COUNT).mean /
					   cpus,
				   interrupts->section);
	for (i = 0; freq && i < freq->n; i++) {
		double mean = column_stats(b, freq, i, PIPA_COL_FREQ_MHZ).mean;

		if (strcmp(freq->items[i].instance, "all") == 0 || !(mean > 0))
			continue; /* 0: the machine does not report it */
		mhz += mean;
		n++;
	}
	if (!n)
		return;
	set_number(b, "cpu_mhz", mhz / (double)n, freq->section);
	if (b->in->machine && b->in->machine->mhz_max > 0)
		set_number(b, "cpu_mhz_percent", 100 * mhz / (double)n / b->in->machine->mhz_max,
			   freq->section);
}

/* ---- counters ------------------------------------------------------------------------------------ */

/* Does "cpu_core/cycles/u", "cycles:D" or "cycles CPU3" count the event? */
static bool is_event(const char *instance, const char *event)
{
	const char *slash = strchr(instance, '/');
	const char *plain = slash && slash < instance + strcspn(instance, " ") ? slash + 1 :
										 instance;
	size_t len = strcspn(plain, ":/ ");

	return strlen(event) == len && strncmp(plain, event, len) == 0;
}

/* Return the sum of an event over all intervals and CPUs, NaN if it was not counted. */
static double event_sum(const struct context_builder *b, const char *event)
{
	const struct pipa_series_group *group = find_group(b, "counters");
	double sum = NAN;
	size_t i;

	for (i = 0; group && i < group->n; i++) {
		struct column_stats stats;

		if (!is_event(group->items[i].instance, event))
			continue;
		stats = column_stats(b, group, i, 0);
		if (stats.n)
			sum = (isnan(sum) ? 0 : sum) + stats.mean * (double)stats.n;
	}
	return sum;
}

static double either(double value, double other)
{
	return isnan(value) ? other : value;
}

/* Return 100 x a / b, NaN if b is zero or unknown. */
static double percent(double a, double b)
{
	return b > 0 ? 100 * a / b : NAN;
}

static double counted_seconds(const struct context_builder *b,
			      const struct pipa_series_group *group)
{
	const struct pipa_series_axis *axis = pipa_series_axis_of(b->in->series, group);
	double sum = 0;
	size_t i;

	for (i = 0; i < group->n_ticks; i++)
		sum += axis->interval_s[i];
	return sum;
}

static void build_counters(struct context_builder *b)
{
	const struct pipa_series_group *group = find_group(b, "counters");
	const struct pipa_section *section = group ? group->section : NULL;
	const double *run = b->in->run ? b->in->run->values : NULL;
	double cycles = either(event_sum(b, "cycles"), event_sum(b, "cpu-cycles"));
	double instructions = event_sum(b, "instructions");
	double branches = either(event_sum(b, "branches"), event_sum(b, "branch-instructions"));
	double mispredicted = event_sum(b, "branch-misses");
	double llc_misses = either(event_sum(b, "LLC-load-misses"),
				   event_sum(b, "ll_cache_miss_rd"));
	double llc_rate = either(
		percent(event_sum(b, "LLC-load-misses"), event_sum(b, "LLC-loads")),
		percent(event_sum(b, "ll_cache_miss_rd"), event_sum(b, "ll_cache_rd")));
	double l1d_rate = either(
		percent(event_sum(b, "L1-dcache-load-misses"), event_sum(b, "L1-dcache-loads")),
		percent(event_sum(b, "l1d_cache_refill"), event_sum(b, "l1d_cache")));
	double dtlb = event_sum(b, "dTLB-load-misses"), itlb = event_sum(b, "iTLB-load-misses");
	double ipc = cycles > 0 ? instructions / cycles : NAN, seconds;

#define OR_RUN(value, key) either(value, run ? run[PIPA_RUN_##key] : NAN)
	ipc = OR_RUN(ipc, IPC);
	set_number(b, "ipc", ipc, section);
	set_number(b, "cpi", ipc > 0 ? 1 / ipc : NAN, section);
	set_number(b, "branch_miss_rate", OR_RUN(percent(mispredicted, branches), BRANCH_MISSES),
		   section);
	set_number(b, "l3_cache_miss_rate", OR_RUN(llc_rate, LLC_MISSES), section);
	set_number(b, "l1d_miss_rate", OR_RUN(l1d_rate, L1D_MISSES), section);
	set_number(b, "dtlb_miss_rate",
		   OR_RUN(percent(dtlb, event_sum(b, "dTLB-loads")), DTLB_MISSES), section);
	set_number(b, "branch_mpki", 10 * percent(mispredicted, instructions), section);
	set_number(b, "llc_mpki", 10 * percent(llc_misses, instructions), section);
	set_number(b, "dtlb_mpki", 10 * percent(dtlb, instructions), section);
	set_number(b, "itlb_mpki", 10 * percent(itlb, instructions), section);
	set_number(b, "stalled_frontend", percent(event_sum(b, "stalled-cycles-frontend"), cycles),
		   section);
	set_number(b, "stalled_backend", percent(event_sum(b, "stalled-cycles-backend"), cycles),
		   section);
	set_number(b, "frontend_bound", OR_RUN(NAN, FRONTEND_BOUND), section);
	set_number(b, "backend_bound", OR_RUN(NAN, BACKEND_BOUND), section);
	set_number(b, "bad_speculation", OR_RUN(NAN, BAD_SPECULATION), section);
#undef OR_RUN
	seconds = group ? counted_seconds(b, group) : 0;
	if (seconds > 0)
		set_number(b, "migrations_s", event_sum(b, "cpu-migrations") / seconds, section);
	set_number(b, "migrations_per_cpu", number_of(b, "migrations_s") / b->num_cpu, section);
	if (seconds > 0 && isnan(number_of(b, "avg_cswch"))) {
		set_number(b, "avg_cswch", event_sum(b, "context-switches") / seconds, section);
		set_number(b, "cswch_per_cpu", number_of(b, "avg_cswch") / b->num_cpu, section);
	}
}

/* ---- all ----------------------------------------------------------------------------------------- */

int pipa_context_build(const struct pipa_context_input *input, struct pipa_context *ret)
{
	static const struct pipa_value absent = { PIPA_VALUE_ABSENT, 0, NULL };
	struct context_builder b = { .in = input, .out = ret, .num_cpu = NAN };
	size_t i, most = 1;
	int rc = -ENOMEM;

	for (i = 0; input->series && i < input->series->groups.n; i++)
		if (input->series->groups.items[i].n_ticks > most)
			most = input->series->groups.items[i].n_ticks;
	b.values = calloc(most, sizeof(*b.values));
	b.more = calloc(most, sizeof(*b.more));
	if (b.values && b.more) {
		for (i = 0; i < pipa_n_rule_variables; i++)
			set_value(&b, pipa_rule_variables[i].name, absent, NULL);
		rc = build_cpus(&b);
		build_disks(&b);
		build_network(&b);
		build_memory(&b);
		build_scheduler(&b);
		build_counters(&b);
	}
	free(b.values);
	free(b.more);
	return rc ? rc : ret->status;
}
