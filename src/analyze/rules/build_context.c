#include "analyze/rules/build_context.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/rules/event_values.h"
#include "analyze/rules/variables.h"
#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "analyze/series/series_summary.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/cpus.h"
#include "model/context.h"
#include "model/counter_section.h"
#include "model/hardware.h"
#include "model/rules.h"
#include "model/run.h"
#include "model/sections.h"
#include "model/series_set.h"

/*
 * Values of thresholds for rule files that do not have them, as PIPA's. rules/default.yaml has the reason for
 * each.
 */
#define PIPA_BUSY_CPU_PERCENT 80.0
#define PIPA_LEAKAGE_PERCENT 15.0
#define PIPA_IOWAIT_PERCENT 10.0
#define PIPA_NUMA_PERCENT 20.0

/* Shortest window for CPU times, whose resolution is 10 ms. */
#define PIPA_WINDOW_MIN_NS UINT64_C(100000000)

struct context_builder {
	const struct pipa_context_input *in;
	struct pipa_context *out;
	double num_cpu;
	bool is_short; /* too short for rates of the kernel, whose clock ticks every 10 ms */
	int status;    /* 0 or -ENOMEM; kept, to be checked once at the end */
};

/* ---- variables ----------------------------------------------------------------------------------- */

static double quality_of(const struct context_builder *b, const struct pipa_section *section)
{
	return b->in->quality && section ? b->in->quality(b->in->ctx, section) : 1;
}

/* Are all columns of the section gauges, which do not depend on the length of the measurement? */
static bool is_amount(const struct pipa_section *section)
{
	return !section || section == &pipa_counter_section ||
	       section == &pipa_sections[PIPA_SECTION_MEM] ||
	       section == &pipa_sections[PIPA_SECTION_SWAP] ||
	       section == &pipa_sections[PIPA_SECTION_HUGEPAGES] ||
	       section == &pipa_sections[PIPA_SECTION_FREQ];
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
	bool is_short = b->is_short && !is_amount(section);
	char reason[200];

	if (is_short || (pipa_value_is_numeric(&value) && !isfinite(value.number)))
		variable.value.kind = PIPA_VALUE_ABSENT;
	if (variable.value.kind == PIPA_VALUE_ABSENT) {
		snprintf(reason, sizeof(reason), "needs %s%s", is_short ? "at least 0.1 s of " : "",
			 row->needs);
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

/* Return the group of a section to use, NULL if there is none. */
static const struct pipa_series_group *group_of(const struct context_builder *b,
						enum pipa_section_id id)
{
	const struct pipa_series_set *set = b->in->series;
	ptrdiff_t at = set ? pipa_series_main_group(set, pipa_sections[id].name) : -ENOENT;

	return at < 0 ? NULL : &set->groups.items[at];
}

/* Summarize a column of a row. */
static struct pipa_series_summary summarize(struct context_builder *b,
					    const struct pipa_series_group *group, size_t row,
					    int column)
{
	const struct pipa_series_set *set = b->in->series;
	const struct pipa_series_ref ref = { (size_t)(group - set->groups.items), row,
					     (size_t)column };
	struct pipa_series_summary summary = { .mean = NAN, .max = NAN, .p95 = NAN };
	int rc = pipa_series_summarize(set, ref, &b->in->window, &summary);

	if (rc < 0)
		b->status = rc;
	return summary;
}

/* Return the mean of a column of a row, NaN without values. */
static double column_mean(struct context_builder *b, const struct pipa_series_group *group,
			  size_t row, int column)
{
	const struct pipa_series_set *set = b->in->series;
	const struct pipa_series_ref ref = { (size_t)(group - set->groups.items), row,
					     (size_t)column };
	double mean = NAN;
	int rc = pipa_series_weighted_mean(set, ref, &b->in->window, &mean);

	if (rc < 0)
		b->status = rc;
	return mean;
}

/*
 * Return the mean over time of the sum of a column over all instances, which need not exist at the same time. NaN
 * without values.
 */
static double mean_of_sums(struct context_builder *b, const struct pipa_series_group *group,
			   int column)
{
	const struct pipa_series_set *set = b->in->series;
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
	size_t from, i, k, n = pipa_series_group_range(set, group, &b->in->window, &from);
	PIPA_AUTO(free) double *values = calloc(n + 1, 2 * sizeof(*values));
	double *sums, sum = 0, seconds = 0;

	if (!values) {
		b->status = -ENOMEM;
		return NAN;
	}
	sums = values + n;
	for (i = 0; i < n; i++)
		sums[i] = NAN;
	for (k = 0; k < group->n; k++) {
		const struct pipa_series_row *row = &group->items[k];
		size_t first = row->first > from ? row->first : from;
		size_t until = row->first + row->n < from + n ? row->first + row->n : from + n;
		struct pipa_series_ref ref = { (size_t)(group - set->groups.items), k,
					       (size_t)column };

		if (first >= until)
			continue;
		pipa_series_read(set, ref, first, until - first, values);
		pipa_series_repair(&group->section->columns[column], values, until - first);
		for (i = first; i < until; i++)
			if (!isnan(values[i - first]))
				sums[i - from] = (isnan(sums[i - from]) ? 0 : sums[i - from]) +
						 values[i - first];
	}
	for (i = 0; i < n; i++) {
		double length = (double)axis->interval_s[from + i];

		length = length > 0 ? length : 1;
		sum += isnan(sums[i]) ? 0 : sums[i] * length;
		seconds += isnan(sums[i]) ? 0 : length;
	}
	return seconds > 0 ? sum / seconds : NAN;
}

/*
 * Return the mean of a column: that of the row "all" if there is one, else of the sum over all instances. Rows
 * "all" of the sections that are used so are sums.
 */
static double section_mean(struct context_builder *b, enum pipa_section_id id, int column)
{
	const struct pipa_series_group *group = group_of(b, id);
	ptrdiff_t all = group ? pipa_series_find_row(group, "all") : -ENOENT;

	if (!group)
		return NAN;
	return all >= 0 ? summarize(b, group, (size_t)all, column).mean :
			  mean_of_sums(b, group, column);
}

/* Set a variable to the mean of a column. */
static void set_mean(struct context_builder *b, const char *name, enum pipa_section_id id,
		     int column)
{
	set_number(b, name, section_mean(b, id, column), &pipa_sections[id]);
}

/* ---- CPUs ---------------------------------------------------------------------------------------- */

static double busy_of(const struct pipa_cpu_load *load)
{
	return 100 - load->idle.mean - load->iowait.mean;
}

/* Append CPUs as ranges; "None" if there are none. */
static void write_cpus(const int *cpus, size_t n, struct pipa_buf *out)
{
	pipa_cpus_put(cpus, n, out);
	if (!n)
		pipa_buf_puts(out, "None");
}

static void set_cpus(struct context_builder *b, const char *count, const char *list,
		     const int *cpus, size_t n, const struct pipa_section *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	set_count(b, count, n, section);
	write_cpus(cpus, n, &text);
	if (!text.status)
		set_text(b, list, pipa_buf_str(&text), section);
	else
		b->status = text.status;
}

static bool has_expected(const struct context_builder *b)
{
	return b->in->expected && b->in->expected->n;
}

/* Set the means of all CPUs, or of the expected ones. */
static void set_means(struct context_builder *b, const struct pipa_cpu_loads *loads,
		      const struct pipa_section *section)
{
	double total = 0, user = 0, system = 0, iowait = 0, busy = 0;
	const struct pipa_cpu_load *all = &loads->all;
	size_t i, count = 0;

	for (i = 0; i < loads->n; i++) {
		const struct pipa_cpu_load *load = &loads->items[i];

		if (has_expected(b) && !pipa_cpus_has(b->in->expected, load->cpu))
			continue;
		total += load->total;
		user += load->user.mean;
		system += load->system.mean;
		iowait += load->iowait.mean;
		busy += busy_of(load);
		count++;
	}
	if (!has_expected(b) && all->user.n) { /* the row "all" weighs CPUs by their time */
		total = all->user.mean + all->system.mean;
		user = all->user.mean;
		system = all->system.mean;
		iowait = all->iowait.mean;
		busy = busy_of(all);
		count = 1;
	}
	set_number(b, "total_cpu", total / (double)count, section);
	set_number(b, "cpu_user", user / (double)count, section);
	set_number(b, "cpu_system", system / (double)count, section);
	set_number(b, "avg_iowait", iowait / (double)count, section);
	set_number(b, "cpu_busy", busy / (double)count, section);
}

/* Set the distribution over CPUs. */
static void set_spread(struct context_builder *b, const struct pipa_cpu_loads *loads,
		       const struct pipa_section *section)
{
	double sum = 0, squares = 0, max = -INFINITY, min = INFINITY, wait95 = NAN, wait_max = NAN;
	double busiest = -INFINITY;
	size_t i, n = loads->n, busy = 0, at = 0;

	for (i = 0; i < n; i++) {
		const struct pipa_cpu_load *load = &loads->items[i];

		sum += load->total;
		max = fmax(max, load->total);
		min = fmin(min, load->total);
		wait95 = fmax(wait95, load->iowait.p95); /* fmax ignores a NaN */
		wait_max = fmax(wait_max, load->iowait.max);
		busy += busy_of(load) > threshold(b, "BUSY_CPU", PIPA_BUSY_CPU_PERCENT);
		if (busy_of(load) > busiest) {
			busiest = busy_of(load);
			at = i;
		}
	}
	for (i = 0; i < n; i++)
		squares += pow(loads->items[i].total - sum / (double)n, 2);
	set_number(b, "cpu_util_std_dev", n > 1 ? sqrt(squares / (double)(n - 1)) : NAN, section);
	set_number(b, "cpu_max_util", max, section);
	set_number(b, "cpu_min_util", min, section);
	set_number(b, "p95_single_core_iowait", wait95, section);
	set_number(b, "max_single_core_iowait", wait_max, section);
	set_number(b, "max_cpu_busy", busiest, section);
	set_count(b, "busy_cpus", busy, section);
	set_count(b, "busiest_cpu", (size_t)loads->items[at].cpu, section);
}

/* Set the classes of CPUs, and compare their load with the expected CPUs. */
static int set_classes(struct context_builder *b, const struct pipa_cpu_loads *loads,
		       const struct pipa_section *section)
{
	size_t n = loads->n, idle = 0, busy = 0, n_waiting = 0, n_leaking = 0, n_absent = 0, i,
	       at = 0;
	size_t n_expected = has_expected(b) ? b->in->expected->n : 0;
	PIPA_AUTO(free) int *waiting = calloc(n + 1, sizeof(*waiting));
	PIPA_AUTO(free) int *leaking = calloc(n + 1, sizeof(*leaking));
	PIPA_AUTO(free) int *absent = calloc(n_expected + 1, sizeof(*absent));
	bool audits = has_expected(b) && n >= PIPA_CPU_CLASSES_MIN;
	char text[120];

	if (!waiting || !leaking || !absent)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		const struct pipa_cpu_load *load = &loads->items[i];

		idle += load->class == PIPA_CPU_IDLE;
		busy += load->class == PIPA_CPU_BUSY;
		if (load->iowait.p95 > threshold(b, "IO_WAIT_HIGH_THRESHOLD", PIPA_IOWAIT_PERCENT))
			waiting[n_waiting++] = load->cpu;
		if (audits && !pipa_cpus_has(b->in->expected, load->cpu) &&
		    load->total > threshold(b, "AFFINITY_LEAKAGE_THRESHOLD", PIPA_LEAKAGE_PERCENT))
			leaking[n_leaking++] = load->cpu;
	}
	for (i = 0; audits && i < n_expected; i++) { /* both lists are sorted */
		int cpu = b->in->expected->items[i];

		while (at < n && loads->items[at].cpu < cpu)
			at++;
		if (at == n || loads->items[at].cpu != cpu ||
		    loads->items[at].class != PIPA_CPU_BUSY)
			absent[n_absent++] = cpu; /* also a CPU without statistics */
	}
	set_cpus(b, "iowait_core_count", "iowait_core_details", waiting, n_waiting, section);
	if (loads->classes) {
		snprintf(text, sizeof(text), "idle %zu, active %zu, busy %zu", idle,
			 n - idle - busy, busy);
		set_count(b, "cpu_clusters_count", loads->classes, section);
		set_text(b, "cpu_clusters_summary", text, section);
	}
	set_bool(b, "is_cpu_imbalanced", loads->classes > 1 && busy, section);
	if (audits) {
		set_bool(b, "affinity_check_enabled", true, section);
		set_cpus(b, "affinity_leakage_count", "leakage_cores_str", leaking, n_leaking,
			 section);
		set_cpus(b, "affinity_absent_count", "absent_cores_str", absent, n_absent, section);
	}
	return 0;
}

/* Set the load of NUMA nodes. */
static int set_nodes(struct context_builder *b, const struct pipa_cpu_loads *loads,
		     const struct pipa_section *section)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	PIPA_AUTO(free) struct pipa_node_load *nodes = NULL;
	const struct pipa_hardware *hardware = b->in->hardware;
	double difference;
	size_t i, n;

	if (!hardware || !hardware->nodes.n)
		return 0;
	set_count(b, "numa_nodes_count", hardware->nodes.n, section);
	nodes = calloc(hardware->nodes.n, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	n = pipa_node_loads(loads, hardware, nodes, hardware->nodes.n, &difference);
	for (i = 0; i < n; i++)
		pipa_buf_printf(&text, "%snode%d: %.1f%%", i ? ", " : "", nodes[i].node,
				nodes[i].total);
	if (n < 2 || text.status)
		return text.status;
	set_number(b, "numa_max_diff", difference, section);
	set_text(b, "numa_status_msg", pipa_buf_str(&text), section);
	set_bool(b, "is_numa_imbalanced",
		 difference > threshold(b, "NUMA_IMBALANCE_THRESHOLD", PIPA_NUMA_PERCENT), section);
	return 0;
}

/* Set the columns of CPU tables that loads do not have: steal, and interrupts of the long table. */
static void set_interruptions(struct context_builder *b, const struct pipa_series_group *group,
			      bool is_short)
{
	int steal = is_short ? (int)PIPA_COL_CPU_SHORT_STEAL : (int)PIPA_COL_CPU_STEAL;
	double sum = 0, max_soft = NAN;
	size_t i, n = 0;

	for (i = 0; i < group->n; i++) {
		const char *cpu = group->items[i].instance;
		bool is_all = strcmp(cpu, "all") == 0;
		double mean = column_mean(b, group, i, steal);

		if (is_all)
			set_number(b, "cpu_steal", mean, group->section);
		else if (!isnan(mean)) {
			sum += mean;
			n++;
		}
		if (is_short)
			continue;
		if (is_all) {
			set_number(b, "avg_irq_percent", column_mean(b, group, i, PIPA_COL_CPU_IRQ),
				   group->section);
			set_number(b, "avg_softirq_percent",
				   column_mean(b, group, i, PIPA_COL_CPU_SOFT), group->section);
		} else {
			max_soft = fmax(max_soft, column_mean(b, group, i, PIPA_COL_CPU_SOFT));
		}
	}
	if (n && isnan(number_of(b, "cpu_steal")))
		set_number(b, "cpu_steal", sum / (double)n, group->section);
	set_number(b, "max_cpu_soft", max_soft, group->section);
}

static int build_cpus(struct context_builder *b)
{
	const struct pipa_cpu_thresholds limits = {
		.idle = threshold(b, "CPU_CLUSTER_IDLE_THRESHOLD", PIPA_CPU_IDLE_PERCENT),
		.busy = threshold(b, "CPU_CLUSTER_BUSY_THRESHOLD", PIPA_CPU_BUSY_PERCENT),
	};
	PIPA_AUTO(pipa_cpu_loads_done) struct pipa_cpu_loads own = { 0 };
	const struct pipa_cpu_loads *loads = b->in->cpus ? b->in->cpus : &own;
	const struct pipa_series_group *group = group_of(b, PIPA_SECTION_CPU);
	bool is_short = !group;
	int rc = 0;

	if (is_short)
		group = group_of(b, PIPA_SECTION_CPU_SHORT);
	if (b->in->cpus)
		pipa_cpu_loads_classify(b->in->cpus, &limits);
	else if (group)
		rc = pipa_cpu_loads_init(&own, b->in->series, &b->in->window, &limits);
	if (rc < 0)
		return rc;
	if (b->in->hardware && b->in->hardware->cpus)
		b->num_cpu = b->in->hardware->cpus;
	else if (loads->n)
		b->num_cpu = (double)loads->n;
	else
		b->num_cpu = section_mean(b, PIPA_SECTION_LIMITS, PIPA_COL_LIMITS_HOST_CPUS);
	set_value(b, "num_cpu", (struct pipa_value){ PIPA_VALUE_INTEGER, b->num_cpu, NULL }, NULL);
	if (!has_expected(b) || (loads->n && loads->n < PIPA_CPU_CLASSES_MIN))
		set_bool(b, "affinity_check_enabled", false, NULL);
	if (b->in->expected_text)
		set_text(b, "expected_cpus_str", b->in->expected_text, NULL);
	if (!group)
		return 0;
	set_means(b, loads, group->section);
	set_interruptions(b, group, is_short);
	if (!loads->n)
		return 0;
	set_spread(b, loads, group->section);
	rc = set_nodes(b, loads, group->section);
	return rc ? rc : set_classes(b, loads, group->section);
}

/* ---- disks --------------------------------------------------------------------------------------- */

/* Set the medium of the busiest disk and its limit of the response time. */
static void set_medium(struct context_builder *b, enum pipa_disk_medium medium)
{
	static const char *const limits[PIPA_MEDIUM_NR] = {
		[PIPA_MEDIUM_HDD] = "IO_AWAIT_HDD_THRESHOLD",
		[PIPA_MEDIUM_SATA_SSD] = "IO_AWAIT_SATA_SSD_THRESHOLD",
		[PIPA_MEDIUM_NVME_SSD] = "IO_AWAIT_NVME_SSD_THRESHOLD",
	};

	if (medium == PIPA_MEDIUM_UNKNOWN)
		return;
	set_text(b, "busiest_disk_type", medium == PIPA_MEDIUM_HDD ? "HDD" : "SSD", NULL);
	set_text(b, "busiest_disk_subtype", pipa_disk_medium_name(medium), NULL);
	set_number(b, "effective_await_threshold",
		   threshold(b, limits[medium], pipa_disk_await_limit(medium)), NULL);
}

/* Return the mean over disks of the mean of a summary; disks without values do not count. */
static double mean_of_disks(const struct pipa_disk_loads *loads, size_t field)
{
	double sum = 0;
	size_t i, n = 0;

	for (i = 0; i < loads->n; i++) {
		const struct pipa_series_summary *summary =
			(const void *)((const char *)&loads->items[i] + field);

		sum += summary->n ? summary->mean : 0;
		n += summary->n > 0;
	}
	return n ? sum / (double)n : NAN;
}

static int build_disks(struct context_builder *b)
{
	static const struct pipa_hardware unknown;
	const struct pipa_section *section = &pipa_sections[PIPA_SECTION_DISK];
	PIPA_AUTO(pipa_disk_loads_done) struct pipa_disk_loads loads = { 0 };
	const struct pipa_disk_load *disk;
	int rc = 0;

	if (b->in->series)
		rc = pipa_disk_loads_init(&loads, b->in->series,
					  b->in->hardware ? b->in->hardware : &unknown,
					  &b->in->window);
	if (rc < 0 || !loads.n || loads.busiest < 0)
		return rc;
	disk = &loads.items[loads.busiest];
	set_count(b, "disk_count", loads.n, section);
	set_number(b, "avg_await", mean_of_disks(&loads, offsetof(struct pipa_disk_load, await)),
		   section);
	set_number(b, "avg_util", mean_of_disks(&loads, offsetof(struct pipa_disk_load, util)),
		   section);
	set_number(b, "avg_avgrq_sz",
		   mean_of_disks(&loads, offsetof(struct pipa_disk_load, request_kb)), section);
	set_text(b, "busiest_disk_name", disk->name, section);
	set_number(b, "avg_disk_util", disk->util.mean, section);
	set_number(b, "max_disk_util", disk->util.max, section);
	set_number(b, "p95_disk_util", disk->util.p95, section);
	set_number(b, "avg_disk_await", disk->await.mean, section);
	set_number(b, "max_disk_await", disk->await.max, section);
	set_number(b, "p95_disk_await", disk->await.p95, section);
	set_number(b, "avg_avgqu_sz", disk->queue.mean, section);
	set_number(b, "max_avgqu_sz", disk->queue.max, section);
	set_number(b, "p95_avgqu_sz", disk->queue.p95, section);
	set_number(b, "avg_avgrq_sz_kb", disk->request_kb.mean, section);
	set_number(b, "disk_rkB_s", disk->read_kb.mean, section);
	set_number(b, "disk_wkB_s", disk->written_kb.mean, section);
	set_number(b, "disk_throughput_mb", (disk->read_kb.mean + disk->written_kb.mean) / 1024,
		   section);
	set_medium(b, disk->medium);
	return 0;
}

/* ---- network ------------------------------------------------------------------------------------- */

static void build_network(struct context_builder *b)
{
	const struct pipa_series_group *group = group_of(b, PIPA_SECTION_NET);
	double best = -INFINITY, sum = 0;
	size_t i, busiest = 0, n = 0;

	for (i = 0; group && i < group->n; i++) {
		double mean = summarize(b, group, i, PIPA_COL_NET_UTILIZATION).mean;

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
			   summarize(b, group, busiest, PIPA_COL_NET_UTILIZATION).p95,
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
	/* used memory is without caches: only its share gives the size of the memory */
	double used = section_mean(b, PIPA_SECTION_MEM, PIPA_COL_MEM_USED);
	double share = section_mean(b, PIPA_SECTION_MEM, PIPA_COL_MEM_USED_SHARE);
	double size = share > 0 ? 100 * used / share : NAN;

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
				   summarize(b, interrupts, i, PIPA_COL_INTERRUPTS_COUNT).mean /
					   cpus,
				   interrupts->section);
	for (i = 0; freq && i < freq->n; i++) {
		double mean = summarize(b, freq, i, PIPA_COL_FREQ_MHZ).mean;

		if (!(mean > 0) || (freq->n > 1 && strcmp(freq->items[i].instance, "all") == 0))
			continue; /* 0: the machine does not report it */
		mhz += mean;
		n++;
	}
	if (!n)
		return;
	set_number(b, "cpu_mhz", mhz / (double)n, freq->section);
	if (b->in->mhz_max > 0)
		set_number(b, "cpu_mhz_percent", 100 * mhz / (double)n / b->in->mhz_max,
			   freq->section);
}

/* ---- counters ------------------------------------------------------------------------------------ */

static double either(double value, double other)
{
	return isnan(value) ? other : value;
}

static void build_counters(struct context_builder *b)
{
	static const struct {
		const char *name;
		const char *formulas[2]; /* the first whose events were counted is used */
		int run;		 /* metric of a run with the same meaning, or -1 */
	} formulas[] = {
		{ "ipc", { "[instructions] / [cycles]" }, PIPA_RUN_IPC },
		{ "branch_miss_rate",
		  { "100 * [branch-misses] / [branches]" },
		  PIPA_RUN_BRANCH_MISSES },
		{ "l3_cache_miss_rate",
		  { "100 * [LLC-load-misses] / [LLC-loads]",
		    "100 * [ll_cache_miss_rd] / [ll_cache_rd]" },
		  PIPA_RUN_LLC_MISSES },
		{ "l1d_miss_rate",
		  { "100 * [L1-dcache-load-misses] / [L1-dcache-loads]",
		    "100 * [l1d_cache_refill] / [l1d_cache]" },
		  PIPA_RUN_L1D_MISSES },
		{ "dtlb_miss_rate",
		  { "100 * [dTLB-load-misses] / [dTLB-loads]" },
		  PIPA_RUN_DTLB_MISSES },
		{ "branch_mpki", { "1000 * [branch-misses] / [instructions]" }, -1 },
		{ "llc_mpki",
		  { "1000 * [LLC-load-misses] / [instructions]",
		    "1000 * [ll_cache_miss_rd] / [instructions]" },
		  -1 },
		{ "dtlb_mpki", { "1000 * [dTLB-load-misses] / [instructions]" }, -1 },
		{ "itlb_mpki", { "1000 * [iTLB-load-misses] / [instructions]" }, -1 },
		{ "stalled_frontend", { "100 * [stalled-cycles-frontend] / [cycles]" }, -1 },
		{ "stalled_backend", { "100 * [stalled-cycles-backend] / [cycles]" }, -1 },
	};
	static const struct {
		const char *name;
		int run;
	} slots[] = {
		{ "frontend_bound", PIPA_RUN_FRONTEND_BOUND },
		{ "backend_bound", PIPA_RUN_BACKEND_BOUND },
		{ "bad_speculation", PIPA_RUN_BAD_SPECULATION },
	};
	struct pipa_event_values events = { .set = b->in->series, .window = &b->in->window };
	const double *run = b->in->run ? b->in->run->values : NULL;
	const struct pipa_section *section = &pipa_counter_section;
	size_t i;

	for (i = 0; i < PIPA_COUNT(formulas); i++) {
		double value = pipa_event_formula(&events, formulas[i].formulas[0]);

		if (isnan(value) && formulas[i].formulas[1])
			value = pipa_event_formula(&events, formulas[i].formulas[1]);
		if (run && formulas[i].run >= 0)
			value = either(value, run[formulas[i].run]);
		set_number(b, formulas[i].name, value, section);
	}
	set_number(b, "cpi", number_of(b, "ipc") > 0 ? 1 / number_of(b, "ipc") : NAN, section);
	for (i = 0; i < PIPA_COUNT(slots); i++)
		set_number(b, slots[i].name,
			   either(pipa_event_slots(&events, slots[i].name),
				  run ? run[slots[i].run] : NAN),
			   section);
	set_number(b, "migrations_s", pipa_event_rate(&events, "cpu-migrations"), section);
	set_number(b, "migrations_per_cpu", number_of(b, "migrations_s") / b->num_cpu, section);
	if (isnan(number_of(b, "avg_cswch"))) {
		set_number(b, "avg_cswch", pipa_event_rate(&events, "context-switches"), section);
		set_number(b, "cswch_per_cpu", number_of(b, "avg_cswch") / b->num_cpu, section);
	}
	b->status = b->status ? b->status : events.status;
}

/* ---- all ----------------------------------------------------------------------------------------- */

int pipa_context_build(const struct pipa_context_input *input, struct pipa_context *ret)
{
	static const struct pipa_value absent = { PIPA_VALUE_ABSENT, 0, NULL };
	const uint64_t length_ns = input->window.until_ns - input->window.from_ns;
	struct context_builder b = { .in = input,
				     .out = ret,
				     .num_cpu = NAN,
				     .is_short = length_ns && length_ns < PIPA_WINDOW_MIN_NS };
	size_t i;
	int rc;

	for (i = 0; i < pipa_n_rule_variables; i++)
		set_value(&b, pipa_rule_variables[i].name, absent, NULL);
	rc = build_cpus(&b);
	if (!rc)
		rc = build_disks(&b);
	build_network(&b);
	build_memory(&b);
	build_scheduler(&b);
	build_counters(&b);
	rc = rc ? rc : b.status;
	return rc ? rc : ret->status;
}
