#include "job/run/run_dataset.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/top.h"
#include "analyze/run/run_metrics.h"
#include "analyze/run/run_series.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "import/bench/transactions.h"
#include "job/run/run.h"
#include "load/dataset.h"
#include "model/counter_section.h"
#include "store/archive.h"

void pipa_run_dataset_close(struct pipa_run_dataset *from)
{
	pipa_counts_sum_done(&from->sum);
	pipa_counts_done(&from->counts);
	*from = (struct pipa_run_dataset){ 0 };
}

/* Return the last component of the real path, for paths such as ".". */
static char *last_component(const char *path)
{
	PIPA_AUTO(free) char *whole = realpath(path, NULL);
	const char *slash = whole ? strrchr(whole, '/') : NULL;

	return strdup(slash && slash[1] ? slash + 1 : path);
}

int pipa_run_set_names(struct pipa_run *run, const struct pipa_run_options *o)
{
	run->data_location = strdup(o->from);
	run->workload = o->workload ? strdup(o->workload) : last_component(o->from);
	run->username = o->username ? strdup(o->username) : NULL;
	return run->data_location && run->workload && (run->username || !o->username) ? 0 : -ENOMEM;
}

/* ---- averages ------------------------------------------------------------------------------------ */

/* Is the row needed? CPUs are only of interest if they were named, or if the sum of all is missing. */
static bool is_needed(const struct pipa_series_group *group, const struct pipa_series_row *row,
		      const struct pipa_run *run)
{
	enum pipa_section_id id = pipa_section_id(group->section);

	if (id != PIPA_SECTION_CPU && id != PIPA_SECTION_CPU_SHORT)
		return true;
	return run->cores.n || strcmp(row->instance, "all") == 0 ||
	       pipa_series_find_row(group, "all") < 0;
}

/* Pass the means of the rows of a group to the sink. 0 or -ENOMEM. */
static int put_means(const struct pipa_series_set *set, size_t number,
		     const struct pipa_time_window *window, const struct pipa_run *run,
		     struct pipa_series_sink *sink)
{
	const struct pipa_series_group *group = &set->groups.items[number];
	const struct pipa_tick tick = { 0 };
	PIPA_AUTO(free)
	double *values = calloc(group->section->n_columns + 1, sizeof(*values));
	size_t row, column;
	int rc = values ? 0 : -ENOMEM;

	for (row = 0; !rc && row < group->n; row++) {
		if (!is_needed(group, &group->items[row], run))
			continue;
		for (column = 0; !rc && column < group->section->n_columns; column++) {
			const struct pipa_series_ref ref = { number, row, column };
			struct pipa_series_summary summary = { .mean = NAN };

			if (group->section->columns[column].unit != PIPA_UNIT_WORD)
				rc = pipa_series_summarize(set, ref, window, &summary);
			values[column] = summary.mean;
		}
		if (!rc)
			rc = sink->row(sink, group->section, &tick, group->items[row].instance,
				       values);
	}
	return rc;
}

static double axis_seconds(const struct pipa_series_set *set, const struct pipa_series_group *group)
{
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, group);
	double sum = 0;
	size_t i;

	for (i = 0; i < axis->n && i < group->n_ticks; i++)
		sum += axis->interval_s[i];
	return sum;
}

/* Set the averages of the system; *ret_seconds is the time that its statistics cover, NaN without any. */
static int set_averages(const struct pipa_series_set *set, const struct pipa_time_window *window,
			const char *dev, struct pipa_run *run, double *ret_seconds)
{
	struct pipa_run_series series;
	double seconds = 0;
	size_t i;
	int rc = 0;

	pipa_run_series_init(&series, run, dev);
	for (i = 0; !rc && i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];

		if (group->section == &pipa_counter_section ||
		    pipa_section_is_of_tasks(group->section) ||
		    pipa_section_id(group->section) == PIPA_SECTION_NR)
			continue;
		seconds = fmax(seconds, axis_seconds(set, group));
		rc = put_means(set, i, window, run, &series.sink);
	}
	if (!rc)
		rc = pipa_run_series_finish(&series);
	*ret_seconds = seconds > 0 ? seconds : NAN;
	if (!rc && dev && !series.has_dev)
		rc = pipa_run_note(run, "no statistics of disk '%s'", dev);
	if (!rc && run->cores.n && isnan(run->values[PIPA_RUN_IDLE]))
		rc = pipa_run_note(run, "no statistics of --cores");
	return rc;
}

/* ---- counters ------------------------------------------------------------------------------------ */

/* Add a row of the counters for an instance such as "cycles CPU3". 0 or -ENOMEM. */
static int add_event(const struct pipa_series_set *set, size_t number, size_t index, double seconds,
		     struct pipa_counts *counts)
{
	const char *name = set->groups.items[number].items[index].instance;
	const char *unit = pipa_instance_next(name), *place = name + strcspn(name, " ");
	struct pipa_series_summary value, running;
	struct pipa_counts_row *row;
	uint64_t cpu;
	int rc = pipa_series_summarize(
		set, (struct pipa_series_ref){ number, index, PIPA_COL_COUNTER_VALUE },
		&(struct pipa_time_window){ 0 }, &value);

	if (!rc)
		rc = pipa_series_summarize(
			set, (struct pipa_series_ref){ number, index, PIPA_COL_COUNTER_RUNNING },
			&(struct pipa_time_window){ 0 }, &running);
	row = rc ? NULL : PIPA_VEC_ADD(counts);
	if (!row)
		return -ENOMEM;
	*row = (struct pipa_counts_row){
		.time_s = NAN,
		.value = value.n ? value.sum : NAN,
		.percent = running.mean,
		.running_ns = (uint64_t)(seconds * 1e9 *
					 (running.n ? fmin(running.mean, 100) / 100 : 1)),
		.cpu = -1,
		.event = pipa_strings_add(&counts->texts, name, (size_t)(place - name)),
		.unit = pipa_strings_add(&counts->texts, unit, strlen(unit)),
		.state = value.n ? PIPA_COUNTED : PIPA_NOT_COUNTED,
	};
	if (strncmp(place, " CPU", 4) == 0 && pipa_str_u64(place + 4, &cpu) == 0 &&
	    cpu < PIPA_CPU_MAX)
		row->cpu = (int)cpu;
	return row->event == PIPA_NO_STRING || row->unit == PIPA_NO_STRING ? -ENOMEM : 0;
}

int pipa_run_set_counts(struct pipa_run *run, const struct pipa_counts_sum *sum)
{
	size_t i;
	int rc = 0;

	run->cpus = &sum->stat;
	if (pipa_run_take_counts(run, run->cpus))
		run->scope = run->cores.n && sum->by_cpu ? "cores" : "system";
	run->values[PIPA_RUN_JOULES] = pipa_run_count(run->cpus, "energy-pkg");
	if (run->cores.n && !sum->by_cpu)
		rc = pipa_run_note(
			run, "the counters are not per CPU: they are of all CPUs, not of --cores");
	for (i = 0; !rc && sum->by_cpu && i < run->cores.n; i++)
		if (!pipa_counts_sum_has(sum, run->cores.items[i]))
			rc = pipa_run_note(run, "no counters of CPU %d", run->cores.items[i]);
	if (!rc && sum->least)
		rc = pipa_run_note(
			run, "%s was multiplexed (running %.1f %% of the time): counts are scaled",
			sum->least, sum->least_percent);
	if (!rc && !run->scope)
		rc = pipa_run_note(run, "no cycles or instructions were counted");
	return rc;
}

/* Set the metrics of the first group of counters; *ret_seconds is the time they cover. 0 or -ENOMEM. */
static int set_counters(const struct pipa_series_set *set, struct pipa_run *run,
			struct pipa_run_dataset *from, double *ret_seconds)
{
	const struct pipa_series_group *group = NULL;
	size_t i, number;
	int rc = 0;

	*ret_seconds = NAN;
	for (number = 0; number < set->groups.n; number++) {
		group = &set->groups.items[number];
		if (group->section == &pipa_counter_section && group->n)
			break;
	}
	if (number == set->groups.n)
		return pipa_run_note(run, "no counters found");
	*ret_seconds = axis_seconds(set, group);
	for (i = 0; !rc && i < group->n; i++)
		rc = add_event(set, number, i, *ret_seconds, &from->counts);
	if (!rc)
		rc = pipa_counts_sum(&from->counts, &run->cores, &from->sum);
	return rc ? rc : pipa_run_set_counts(run, &from->sum);
}

/* ---- work ---------------------------------------------------------------------------------------- */

static int read_output(const struct pipa_archive *archive, struct pipa_transactions *tx,
		       const char *name, enum pipa_tx_stream stream, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int rc = pipa_archive_read(archive, name, &text, err);

	if (!rc)
		pipa_transactions_put(tx, stream, pipa_buf_str(&text), text.len);
	return rc == -ENOENT ? 0 : rc;
}

int pipa_run_find_transactions(const struct pipa_archive *const *archives, size_t n,
			       const struct pipa_run_options *o, struct pipa_run *run,
			       struct pipa_error *err)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *finder = NULL;
	struct pipa_tx tx;
	int rc = pipa_transactions_new(o->expression, &finder, err);
	size_t i;

	if (!rc && !isnan(o->transactions))
		pipa_transactions_give(finder, o->transactions);
	for (i = 0; !rc && i < n; i++) {
		rc = read_output(archives[i], finder, "stdout.txt", PIPA_TX_STDOUT, err);
		if (!rc)
			rc = read_output(archives[i], finder, "stderr.txt", PIPA_TX_STDERR, err);
	}
	if (rc < 0)
		return rc;
	pipa_transactions_end(finder);
	if (!pipa_transactions_get(finder, &tx))
		return pipa_run_note(run, "transactions unknown: use --transactions N");
	return pipa_run_take_transactions(run, &tx, o->given_by ? o->given_by : "--transactions");
}

/* Find the transactions in the output that any input has stored. */
static int find_transactions(const struct pipa_dataset *dataset, const struct pipa_run_options *o,
			     struct pipa_run *run, struct pipa_error *err)
{
	PIPA_AUTO(free)
	const struct pipa_archive **archives = calloc(dataset->inputs.n + 1,
						      sizeof(struct pipa_archive *));
	size_t i, n = 0;

	if (!archives)
		return -ENOMEM;
	for (i = 0; i < dataset->inputs.n; i++) {
		const struct pipa_archive *archive = dataset->inputs.items[i].archive;

		if (archive && pipa_archive_kind(archive) != PIPA_ARCHIVE_FILE)
			archives[n++] = archive;
	}
	return pipa_run_find_transactions(archives, n, o, run, err);
}

int pipa_run_dataset_open(const struct pipa_dataset *dataset, const struct pipa_time_window *window,
			  const struct pipa_run_options *o, struct pipa_run *run,
			  struct pipa_run_dataset *ret, struct pipa_error *err)
{
	struct pipa_error own = { 0 };
	double counted_s = NAN, statistics_s = NAN;
	int rc = pipa_run_set_names(run, o);

	err = err ? err : &own;
	if (!rc)
		rc = set_counters(&dataset->series, run, ret, &counted_s);
	if (!rc)
		rc = set_averages(&dataset->series, window, o->dev, run, &statistics_s);
	if (!rc && isnan(run->values[PIPA_RUN_MHZ]))
		run->values[PIPA_RUN_MHZ] = o->mhz;
	if (!rc)
		rc = find_transactions(dataset, o, run, err);
	if (!rc && !(counted_s > 0) && statistics_s > 0)
		rc = pipa_run_note(run, "run time taken from the statistics, not exact");
	if (rc < 0)
		return err->code ? rc : pipa_fail(err, rc, "read %s", o->from);
	run->values[PIPA_RUN_TIME] = counted_s > 0 ? counted_s : statistics_s;
	pipa_run_derive(run);
	return 0;
}

/* ---- samples ------------------------------------------------------------------------------------- */

/* Add one row; its share is of the first event's weight. */
static int add_hot(struct pipa_run *run, const struct pipa_top *top, size_t row)
{
	const struct pipa_weight *self = &top->self[row * top->n_events];
	struct pipa_run_hot *hot = &run->hot[run->n_hot];
	char symbol[64], object[64];

	*hot = (struct pipa_run_hot){
		.symbol = strdup(pipa_top_text(top, &top->items[row], 0, symbol)),
		.object = strdup(pipa_top_text(top, &top->items[row], 1, object)),
		.percent = 100 * (double)self->weight / (double)top->all[0].weight,
		.samples = self->count,
	};
	run->n_hot++;
	return hot->symbol && hot->object ? 0 : -ENOMEM;
}

int pipa_run_set_hot(struct pipa_run *run, struct pipa_profile *profile)
{
	const struct pipa_top_options options = { .keys = { PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
						  .n_keys = 2 };
	PIPA_AUTO(pipa_top_done) struct pipa_top top = { 0 };
	size_t i;
	int rc = pipa_top_make(profile, &options, &top);

	for (i = 0; !rc && i < top.n && run->n_hot < PIPA_RUN_HOT && top.all[0].weight; i++)
		if (top.self[i * top.n_events].weight)
			rc = add_hot(run, &top, i);
	run->cut_stacks = profile->losses.unwound_truncated;
	if (!rc && !run->samples && top.n) { /* the number of samples was not recorded */
		run->samples = top.all[0].count;
		run->lost_samples = profile->losses.lost_samples;
	}
	return rc;
}
