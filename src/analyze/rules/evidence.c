#include "analyze/rules/evidence.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/str.h"
#include "model/counter_section.h"
#include "model/sections.h"

/* Rows of a section that a variable was computed from. */
enum rows {
	ROWS_ALL,    /* the row "all" if there is one, else each */
	ROWS_EACH,   /* each except "all"; of many those with the highest means */
	ROWS_LEAST,  /* each except "all"; of many those with the lowest means */
	ROWS_NAMED,  /* the one that another variable names */
	ROWS_EVENTS, /* counters of some events */
};

/* A row of the table; a variable may have several, of which the first with series is used. */
struct variable_source {
	const char *variable;
	enum rows rows;
	const char *by; /* of ROWS_NAMED the variable, of ROWS_EVENTS comma-separated events */
	enum pipa_evidence_form form;
	const char *per; /* variable that the values are divided by; NULL: none */
	enum pipa_section_id section;
	size_t n_columns;
	size_t columns[PIPA_EVIDENCE_COLUMNS];
};

#define COLUMNS(...)                                                                               \
	sizeof((size_t[]){ __VA_ARGS__ }) / sizeof(size_t),                                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* Shares of CPU time, of the full and of the short CPU table. */
#define CPU_USER COLUMNS(PIPA_COL_CPU_USR, PIPA_COL_CPU_GUEST)
#define CPU_SYSTEM COLUMNS(PIPA_COL_CPU_SYS, PIPA_COL_CPU_IRQ, PIPA_COL_CPU_SOFT)
#define CPU_TOTAL                                                                                  \
	COLUMNS(PIPA_COL_CPU_USR, PIPA_COL_CPU_SYS, PIPA_COL_CPU_SOFT, PIPA_COL_CPU_IRQ,           \
		PIPA_COL_CPU_GUEST)
#define CPU_SHORT_TOTAL COLUMNS(PIPA_COL_CPU_SHORT_USER, PIPA_COL_CPU_SHORT_SYSTEM)
#define CPU_REST COLUMNS(PIPA_COL_CPU_IDLE, PIPA_COL_CPU_IOWAIT)
#define CPU_SHORT_REST COLUMNS(PIPA_COL_CPU_SHORT_IDLE, PIPA_COL_CPU_SHORT_IOWAIT)

#define FROM(name, rows, by, form, section, ...)                                                   \
	{                                                                                          \
		name, rows, by, PIPA_EVIDENCE_##form, NULL, PIPA_SECTION_##section, __VA_ARGS__    \
	}
#define CPU_TOTALS(name, rows, by, form)                                                           \
	FROM(name, rows, by, form, CPU, CPU_TOTAL),                                                \
		FROM(name, rows, by, form, CPU_SHORT, CPU_SHORT_TOTAL)
#define CPU_BUSY(name, rows, by, form)                                                             \
	FROM(name, rows, by, form, CPU, CPU_REST),                                                 \
		FROM(name, rows, by, form, CPU_SHORT, CPU_SHORT_REST)
#define CPU_COLUMN(name, rows, form, column)                                                       \
	FROM(name, rows, NULL, form, CPU, COLUMNS(PIPA_COL_CPU_##column)),                         \
		FROM(name, rows, NULL, form, CPU_SHORT, COLUMNS(PIPA_COL_CPU_SHORT_##column))
#define MEAN(name, section, column)                                                                \
	FROM(name, ROWS_ALL, NULL, TOTAL, section, COLUMNS(PIPA_COL_##section##_##column))
#define MEAN_PER_CPU(name, section, column)                                                        \
	{                                                                                          \
		name, ROWS_ALL, NULL, PIPA_EVIDENCE_TOTAL, "num_cpu", PIPA_SECTION_##section,      \
			COLUMNS(PIPA_COL_##section##_##column)                                     \
	}
#define DISK(name, column)                                                                         \
	FROM(name, ROWS_NAMED, "busiest_disk_name", ROW, DISK, COLUMNS(PIPA_COL_DISK_##column))
#define DISKS(name, column)                                                                        \
	FROM(name, ROWS_EACH, NULL, SHOWN, DISK, COLUMNS(PIPA_COL_DISK_##column))
#define EVENTS(name, events)                                                                       \
	FROM(name, ROWS_EVENTS, events, SHOWN, NR, COLUMNS(PIPA_COL_COUNTER_VALUE))

static const struct variable_source sources[] = {
	CPU_TOTALS("total_cpu", ROWS_ALL, NULL, ROW),
	CPU_COLUMN("avg_iowait", ROWS_ALL, ROW, IOWAIT),
	MEAN("avg_irq_percent", CPU, IRQ),
	MEAN("avg_softirq_percent", CPU, SOFT),
	CPU_TOTALS("cpu_util_std_dev", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("cpu_max_util", ROWS_EACH, NULL, ROW),
	CPU_TOTALS("cpu_min_util", ROWS_LEAST, NULL, SHOWN),
	CPU_COLUMN("p95_single_core_iowait", ROWS_EACH, ROW, IOWAIT),
	CPU_COLUMN("max_single_core_iowait", ROWS_EACH, ROW, IOWAIT),
	CPU_COLUMN("iowait_core_count", ROWS_EACH, SHOWN, IOWAIT),
	CPU_COLUMN("iowait_core_details", ROWS_EACH, SHOWN, IOWAIT),
	CPU_TOTALS("cpu_clusters_count", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("cpu_clusters_summary", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("is_cpu_imbalanced", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("numa_max_diff", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("numa_status_msg", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("is_numa_imbalanced", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("affinity_leakage_count", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("leakage_cores_str", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("affinity_absent_count", ROWS_EACH, NULL, SHOWN),
	CPU_TOTALS("absent_cores_str", ROWS_EACH, NULL, SHOWN),
	CPU_BUSY("cpu_busy", ROWS_ALL, NULL, REST),
	FROM("cpu_user", ROWS_ALL, NULL, ROW, CPU, CPU_USER),
	FROM("cpu_user", ROWS_ALL, NULL, ROW, CPU_SHORT, COLUMNS(PIPA_COL_CPU_SHORT_USER)),
	FROM("cpu_system", ROWS_ALL, NULL, ROW, CPU, CPU_SYSTEM),
	FROM("cpu_system", ROWS_ALL, NULL, ROW, CPU_SHORT, COLUMNS(PIPA_COL_CPU_SHORT_SYSTEM)),
	CPU_COLUMN("cpu_steal", ROWS_ALL, ROW, STEAL),
	CPU_BUSY("max_cpu_busy", ROWS_NAMED, "busiest_cpu", REST),
	CPU_BUSY("busiest_cpu", ROWS_NAMED, "busiest_cpu", SHOWN),
	CPU_BUSY("busy_cpus", ROWS_EACH, NULL, SHOWN),
	FROM("max_cpu_soft", ROWS_EACH, NULL, ROW, CPU, COLUMNS(PIPA_COL_CPU_SOFT)),
	FROM("cpu_mhz", ROWS_EACH, NULL, SHOWN, FREQ, COLUMNS(PIPA_COL_FREQ_MHZ)),
	FROM("cpu_mhz_percent", ROWS_EACH, NULL, SHOWN, FREQ, COLUMNS(PIPA_COL_FREQ_MHZ)),

	EVENTS("ipc", "instructions,cycles"),
	EVENTS("cpi", "instructions,cycles"),
	EVENTS("branch_miss_rate", "branch-misses,branches"),
	EVENTS("branch_mpki", "branch-misses,instructions"),
	EVENTS("l3_cache_miss_rate", "LLC-load-misses,LLC-loads,ll_cache_miss_rd,ll_cache_rd"),
	EVENTS("llc_mpki", "LLC-load-misses,ll_cache_miss_rd,instructions"),
	EVENTS("l1d_miss_rate", "L1-dcache-load-misses,L1-dcache-loads,l1d_cache_refill,l1d_cache"),
	EVENTS("dtlb_miss_rate", "dTLB-load-misses,dTLB-loads"),
	EVENTS("dtlb_mpki", "dTLB-load-misses,instructions"),
	EVENTS("itlb_mpki", "iTLB-load-misses,instructions"),
	EVENTS("stalled_frontend", "stalled-cycles-frontend,cycles"),
	EVENTS("stalled_backend", "stalled-cycles-backend,cycles"),
	EVENTS("frontend_bound", "topdown-fe-bound,frontend_bound,slots"),
	EVENTS("backend_bound", "topdown-be-bound,backend_bound,slots"),
	EVENTS("bad_speculation", "topdown-bad-spec,bad_speculation,slots"),
	EVENTS("migrations_s", "cpu-migrations"),
	EVENTS("migrations_per_cpu", "cpu-migrations"),

	MEAN("avg_nvcswch_s", PROCESS_SWITCHES, NVCSWCH),
	MEAN("avg_cswch", CSWCH, SWITCHES),
	EVENTS("avg_cswch", "context-switches"),
	MEAN_PER_CPU("cswch_per_cpu", CSWCH, SWITCHES),
	EVENTS("cswch_per_cpu", "context-switches"),
	MEAN("forks_s", CSWCH, FORKS),
	MEAN_PER_CPU("interrupts_per_cpu", INTERRUPTS, COUNT),
	MEAN("avg_load1", LOAD, 1),
	MEAN("run_queue", LOAD, RUNNING),
	MEAN_PER_CPU("run_queue_per_cpu", LOAD, RUNNING),
	MEAN("blocked_tasks", LOAD, BLOCKED),
	MEAN("psi_cpu", PSI_CPU, SOME),
	MEAN("psi_memory", PSI_MEMORY, SOME),
	MEAN("psi_memory_full", PSI_MEMORY, FULL),
	MEAN("psi_io", PSI_IO, SOME),
	MEAN("psi_io_full", PSI_IO, FULL),
	MEAN("throttled_percent", LIMITS, THROTTLED_SHARE),

	MEAN("total_tps", IO, TPS),
	DISKS("avg_await", AWAIT),
	DISKS("avg_util", UTIL),
	DISKS("avg_avgrq_sz", REQUEST_SIZE),
	DISKS("disk_count", UTIL),
	DISK("busiest_disk_name", UTIL),
	DISK("busiest_disk_type", UTIL),
	DISK("busiest_disk_subtype", UTIL),
	DISK("effective_await_threshold", AWAIT),
	DISK("avg_disk_util", UTIL),
	DISK("max_disk_util", UTIL),
	DISK("p95_disk_util", UTIL),
	DISK("avg_disk_await", AWAIT),
	DISK("max_disk_await", AWAIT),
	DISK("p95_disk_await", AWAIT),
	DISK("avg_avgqu_sz", QUEUE),
	DISK("max_avgqu_sz", QUEUE),
	DISK("p95_avgqu_sz", QUEUE),
	DISK("avg_avgrq_sz_kb", REQUEST_SIZE),
	DISK("disk_rkB_s", READ),
	DISK("disk_wkB_s", WRITTEN),
	FROM("disk_throughput_mb", ROWS_NAMED, "busiest_disk_name", SHOWN, DISK,
	     COLUMNS(PIPA_COL_DISK_READ, PIPA_COL_DISK_WRITTEN)),

	FROM("avg_swaps", ROWS_ALL, NULL, TOTAL, PAGING,
	     COLUMNS(PIPA_COL_PAGING_IN, PIPA_COL_PAGING_OUT)),
	MEAN("avg_majflt_s", PAGING, MAJOR_FAULTS),
	MEAN("direct_reclaim_s", PAGING, SCAN_DIRECT),
	MEAN("kswapd_scan_s", PAGING, SCAN_KSWAPD),
	MEAN("reclaim_efficiency", PAGING, EFFICIENCY),
	MEAN("pswpin_total", SWAPPING, IN),
	MEAN("pswpout_total", SWAPPING, OUT),
	MEAN("swap_used_percent", SWAP, USED_SHARE),
	MEAN("avg_memused_percent", MEM, USED_SHARE),
	MEAN("avg_commit_percent", MEM, COMMIT_SHARE),
	FROM("mem_available_percent", ROWS_ALL, NULL, SHOWN, MEM,
	     COLUMNS(PIPA_COL_MEM_AVAILABLE, PIPA_COL_MEM_USED)),
	MEAN("hugepages_used_percent", HUGEPAGES, USED_SHARE),
	MEAN("hugepages_free_kb", HUGEPAGES, FREE),

	FROM("avg_ifutil", ROWS_EACH, NULL, SHOWN, NET, COLUMNS(PIPA_COL_NET_UTILIZATION)),
	FROM("busiest_iface", ROWS_NAMED, "busiest_iface", SHOWN, NET,
	     COLUMNS(PIPA_COL_NET_UTILIZATION)),
	FROM("p95_iface_util", ROWS_NAMED, "busiest_iface", ROW, NET,
	     COLUMNS(PIPA_COL_NET_UTILIZATION)),
	FROM("net_packets_s", ROWS_ALL, NULL, TOTAL, NET,
	     COLUMNS(PIPA_COL_NET_RX_PACKETS, PIPA_COL_NET_TX_PACKETS)),
	FROM("net_drops_s", ROWS_ALL, NULL, TOTAL, NET_ERRORS,
	     COLUMNS(PIPA_COL_NET_ERRORS_RX_DROPS, PIPA_COL_NET_ERRORS_TX_DROPS)),
	FROM("net_errors_s", ROWS_ALL, NULL, TOTAL, NET_ERRORS,
	     COLUMNS(PIPA_COL_NET_ERRORS_RX_ERRORS, PIPA_COL_NET_ERRORS_TX_ERRORS)),
	MEAN("softnet_dropped_s", SOFTNET, DROPPED),
	MEAN("softnet_squeezed_s", SOFTNET, SQUEEZED),
	MEAN("tcp_out_s", TCP, OUT),
	MEAN("tcp_retransmits_s", TCP_ERRORS, RETRANSMITS),
	FROM("tcp_retransmit_percent", ROWS_ALL, NULL, SHOWN, TCP_ERRORS,
	     COLUMNS(PIPA_COL_TCP_ERRORS_RETRANSMITS)),
	MEAN("udp_in_errors_s", UDP, IN_ERRORS),
};

/* ---- series of a variable ------------------------------------------------------------------------ */

/* Is the instance one of the rows? */
static bool is_row_of(const struct variable_source *source, const char *instance, const char *name)
{
	const char *event = source->by;
	char text[64];

	if (source->rows == ROWS_NAMED)
		return name && strcmp(instance, name) == 0;
	if (source->rows != ROWS_EVENTS)
		return strcmp(instance, "all") != 0;
	while (*event) {
		size_t len = strcspn(event, ",");

		snprintf(text, sizeof(text), "%.*s", (int)len, event);
		if (pipa_counter_is_of(instance, text))
			return true;
		event += len + (event[len] == ',');
	}
	return false;
}

/* Return the name of the row that a variable names, NULL if it is absent. */
static const char *row_name(const struct variable_source *source,
			    const struct pipa_context *context, char text[static 32])
{
	const struct pipa_variable *variable = source->rows == ROWS_NAMED ?
						       pipa_context_find(context, source->by) :
						       NULL;

	if (!variable || variable->value.kind == PIPA_VALUE_ABSENT)
		return NULL;
	if (variable->value.kind == PIPA_VALUE_TEXT)
		return variable->value.text;
	snprintf(text, 32, "%.0f", variable->value.number);
	return text;
}

/* Return the sum of the means of the columns of a row, from the sums of its blocks. */
static double mean_of_row(const struct variable_source *source, const struct pipa_series_row *row)
{
	double total = 0;
	size_t i, k;

	for (i = 0; i < source->n_columns; i++) {
		const struct pipa_series_blocks *blocks = &row->columns[source->columns[i]];
		double sum = 0, present = 0;

		for (k = 0; k < blocks->n; k++) {
			sum += blocks->items[k].sum;
			present += blocks->items[k].present;
		}
		total += present > 0 ? sum / present : 0;
	}
	return source->form == PIPA_EVIDENCE_REST ? 100 - total : total;
}

/* Choose the rows: all that match, of many those with the highest or lowest means, in their order. */
static size_t choose_rows(const struct variable_source *source,
			  const struct pipa_series_group *group, const char *name,
			  size_t ret[static PIPA_EVIDENCE_ROWS])
{
	double means[PIPA_EVIDENCE_ROWS];
	size_t i, k, n = 0;

	for (i = 0; source->rows == ROWS_ALL && i < group->n; i++) {
		if (strcmp(group->items[i].instance, "all") == 0 ||
		    strcmp(group->items[i].instance, "sum") == 0) {
			ret[0] = i;
			return 1;
		}
	}
	for (i = 0; i < group->n; i++) {
		double mean;
		size_t least = 0;

		if (!is_row_of(source, group->items[i].instance, name))
			continue;
		mean = mean_of_row(source, &group->items[i]);
		if (source->rows == ROWS_LEAST)
			mean = -mean;
		if (n == PIPA_EVIDENCE_ROWS) { /* drop the least */
			for (k = 1; k < n; k++)
				if (means[k] < means[least])
					least = k;
			if (mean <= means[least])
				continue;
			memmove(means + least, means + least + 1, (n - least - 1) * sizeof(*means));
			memmove(ret + least, ret + least + 1, (n - least - 1) * sizeof(*ret));
			n--;
		}
		means[n] = mean;
		ret[n++] = i;
	}
	return n;
}

bool pipa_evidence_find(const char *variable, const struct pipa_context *context,
			const struct pipa_series_set *set, struct pipa_evidence *ret)
{
	size_t i, k, c, rows[PIPA_EVIDENCE_ROWS];

	for (i = 0; i < PIPA_COUNT(sources); i++) {
		const struct variable_source *source = &sources[i];
		const struct pipa_section *section = source->rows == ROWS_EVENTS ?
							     &pipa_counter_section :
							     &pipa_sections[source->section];
		const struct pipa_series_group *group;
		const struct pipa_variable *per;
		ptrdiff_t index;
		char text[32];

		if (strcmp(source->variable, variable) != 0)
			continue;
		index = pipa_series_main_group(set, section->name);
		if (index < 0)
			continue;
		group = &set->groups.items[index];
		*ret = (struct pipa_evidence){ .form = source->form,
					       .scale = 1,
					       .n_columns = source->n_columns };
		ret->n_rows = choose_rows(source, group, row_name(source, context, text), rows);
		for (k = 0; k < ret->n_rows; k++)
			for (c = 0; c < source->n_columns; c++)
				ret->refs[k * source->n_columns + c] = (struct pipa_series_ref){
					(size_t)index, rows[k], source->columns[c]
				};
		per = source->per ? pipa_context_find(context, source->per) : NULL;
		if (per && pipa_value_is_numeric(&per->value) && per->value.number > 0)
			ret->scale = 1 / per->value.number;
		else if (source->per)
			ret->form = PIPA_EVIDENCE_SHOWN;
		if (ret->n_rows)
			return true;
	}
	return false;
}

/* ---- time beyond a threshold --------------------------------------------------------------------- */

/* A comparison of a variable with a threshold: "p95_disk_util > IO_UTIL_HIGH_THRESHOLD". */
struct comparison {
	struct pipa_evidence evidence;
	double limit;
	bool is_above; /* true if the variable is above the limit, else if it is below */
};

/* Return the number that an operand stands for, NaN if it is unknown. */
static double operand_value(const char *text, const struct pipa_context *context)
{
	const struct pipa_variable *variable = pipa_context_find(context, text);
	double number;

	if (variable)
		return pipa_value_is_numeric(&variable->value) ? variable->value.number : NAN;
	return pipa_str_double(text, &number) == 0 ? number : NAN;
}

/* Copy a word of a name or number; returns the text after it and the blanks, NULL if it is too long. */
static const char *take_operand(const char *text, char ret[static 64])
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_' || text[len] == '.')
		len++;
	if (!len || len >= 64)
		return NULL;
	memcpy(ret, text, len);
	ret[len] = '\0';
	return text + len + strspn(text + len, " ");
}

/* Parse a test of the form OPERAND < OPERAND, one of which is a variable with evidence. */
static bool parse_comparison(const char *text, const struct pipa_context *context,
			     const struct pipa_series_set *set, struct comparison *ret)
{
	char left[64], right[64];
	const char *at = take_operand(text, left);
	bool is_above;

	if (!at || (*at != '<' && *at != '>'))
		return false;
	is_above = *at == '>';
	at += 1 + (at[1] == '=');
	at = take_operand(at + strspn(at, " "), right);
	if (!at || *at)
		return false;
	if (pipa_evidence_find(left, context, set, &ret->evidence) &&
	    ret->evidence.form != PIPA_EVIDENCE_SHOWN) {
		ret->limit = operand_value(right, context);
		ret->is_above = is_above;
	} else if (pipa_evidence_find(right, context, set, &ret->evidence) &&
		   ret->evidence.form != PIPA_EVIDENCE_SHOWN) {
		ret->limit = operand_value(left, context);
		ret->is_above = !is_above;
	} else {
		return false;
	}
	return !isnan(ret->limit);
}

/* Read what is compared into sums[]: the highest row, or the lowest if the variable is below its limit. */
static void read_compared(const struct comparison *c, const struct pipa_series_set *set,
			  size_t from, size_t n, double *part, double *row, double *sums)
{
	const struct pipa_evidence *e = &c->evidence;
	size_t i, k, column;

	for (i = 0; i < n; i++)
		sums[i] = NAN;
	for (k = 0; k < e->n_rows; k++) {
		for (i = 0; i < n; i++)
			row[i] = NAN;
		for (column = 0; column < e->n_columns; column++) {
			pipa_series_read(set, e->refs[k * e->n_columns + column], from, n, part);
			for (i = 0; i < n; i++)
				if (!isnan(part[i]))
					row[i] = (isnan(row[i]) ? 0 : row[i]) + part[i];
		}
		for (i = 0; i < n; i++) {
			double value = e->scale *
				       (e->form == PIPA_EVIDENCE_REST ? 100 - row[i] : row[i]);

			if (isnan(value))
				continue;
			if (e->form == PIPA_EVIDENCE_TOTAL && !isnan(sums[i]))
				sums[i] += value;
			else if (isnan(sums[i]) ||
				 (c->is_above ? value > sums[i] : value < sums[i]))
				sums[i] = value;
		}
	}
}

int pipa_evidence_range(const struct pipa_rule_result *result, const struct pipa_context *context,
			const struct pipa_series_set *set, const struct pipa_time_window *window,
			struct pipa_time_window *ret)
{
	enum { GAP_MAX = 2, RUN_MIN = 3 };
	PIPA_AUTO(free) double *memory = NULL;
	const struct pipa_series_group *group;
	const struct pipa_series_axis *axis;
	struct comparison c;
	size_t i, from, n, first = 0, last = 0, best_first = 0, best_last = 0, t;
	double *sums;

	for (t = 0; t < result->n_tests; t++)
		if (result->tests[t].truth == PIPA_TRUTH_TRUE &&
		    parse_comparison(result->tests[t].text, context, set, &c))
			break;
	if (t == result->n_tests)
		return 0;
	group = &set->groups.items[c.evidence.refs[0].group];
	axis = pipa_series_axis_of(set, group);
	n = pipa_series_group_range(set, group, window, &from);
	memory = reallocarray(NULL, n + 1, 3 * sizeof(*memory));
	if (!memory)
		return -ENOMEM;
	sums = memory + 2 * n;
	read_compared(&c, set, from, n, memory, memory + n, sums);
	for (i = 0; i < n; i++) { /* runs are [first, last) */
		if (isnan(sums[i]) || (c.is_above ? sums[i] <= c.limit : sums[i] >= c.limit))
			continue;
		if (last == first || i - last > GAP_MAX)
			first = i;
		last = i + 1;
		if (last - first > best_last - best_first) {
			best_first = first;
			best_last = last;
		}
	}
	if (best_last - best_first < RUN_MIN)
		return 0;
	ret->from_ns = axis->wall_ns[from + best_first] -
		       (uint64_t)((double)axis->interval_s[from + best_first] * 1e9);
	ret->until_ns = axis->wall_ns[from + best_last - 1];
	return 1;
}
