#include "analyze/count/aggregate.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/derive.h"
#include "analyze/count/metrics.h"
#include "analyze/count/noise.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"

#define NO_ROW SIZE_MAX

/*
 * A line of the report before it is split by CPU, thread or group: an event, or the sum of a
 * family.
 */
struct line {
	size_t event, end; /* range of events; those of a family are adjacent */
	const char *name;
	bool has_parts; /* a sum whose parts have lines of their own */
	size_t *rows;	/* [place] row, NO_ROW if the event does not count there */
};

/* Values of completed runs. */
struct runs {
	double *values;	 /* run-major: rows, then elapsed, user, sys */
	uint64_t *times; /* [row] sums over runs: enabled, running */
	size_t n, cap;
};

struct pipa_aggr_table {
	struct pipa_aggr_input in;
	struct pipa_stat stat;
	struct {
		struct line *items;
		size_t n, cap;
	} lines;
	size_t *first;		     /* [event] its first slot in the next two arrays */
	struct pipa_count *previous; /* [slot] value at the last update, for deltas */
	uint32_t *place_of;	     /* [slot] index of its place */
	struct pipa_derive *derive;
	struct runs runs;
	struct pipa_times last;
};

void pipa_aggr_free(struct pipa_aggr_table *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->lines.n; i++)
		free(t->lines.items[i].rows);
	free(t->lines.items);
	pipa_derive_free(t->derive);
	free(t->first);
	free(t->previous);
	free(t->place_of);
	free(t->runs.values);
	free(t->runs.times);
	free(t->stat.places);
	free(t->stat.rows);
	free(t);
}

struct pipa_stat *pipa_aggr_stat(struct pipa_aggr_table *t)
{
	return &t->stat;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Reduce the location of a CPU to the requested aggregation level: clear finer parts. */
static struct pipa_stat_place reduce_location(const struct pipa_stat_place *cpu, enum pipa_aggr by)
{
	struct pipa_stat_place place = { by, -1, -1, -1, -1, -1, -1, "" };

	if (by == PIPA_AGGR_CPU)
		place = *cpu;
	if (by == PIPA_AGGR_CORE)
		place.core = cpu->core;
	if (by == PIPA_AGGR_CORE || by == PIPA_AGGR_DIE)
		place.die = cpu->die;
	if (by == PIPA_AGGR_CORE || by == PIPA_AGGR_DIE || by == PIPA_AGGR_SOCKET)
		place.socket = cpu->socket;
	if (by == PIPA_AGGR_NODE)
		place.node = cpu->node;
	place.by = by;
	return place;
}

static bool same_place(const struct pipa_stat_place *a, const struct pipa_stat_place *b)
{
	return a->cpu == b->cpu && a->core == b->core && a->die == b->die &&
	       a->socket == b->socket && a->node == b->node && a->tid == b->tid;
}

static size_t find_place(struct pipa_stat *stat, const struct pipa_stat_place *place)
{
	size_t i;

	for (i = 0; i < stat->n_places && !same_place(&stat->places[i], place); i++)
		;
	if (i == stat->n_places)
		stat->places[stat->n_places++] = *place;
	return i;
}

static const struct pipa_stat_place *find_cpu(const struct pipa_aggr_input *in, int cpu)
{
	size_t i;

	for (i = 0; i < in->n_cpus; i++)
		if (in->cpus[i].cpu == cpu)
			return &in->cpus[i];
	return NULL;
}

static size_t place_of_slot(struct pipa_aggr_table *t, const struct pipa_slot *slot)
{
	struct pipa_stat_place everywhere = { PIPA_AGGR_GLOBAL, -1, -1, -1, -1, -1, -1, "" };
	const struct pipa_stat_place *cpu = find_cpu(&t->in, slot->cpu);

	if (t->in.by == PIPA_AGGR_THREAD && slot->tid >= 0)
		everywhere = t->in.tasks[slot->task];
	else if (t->in.by != PIPA_AGGR_GLOBAL && t->in.by != PIPA_AGGR_THREAD && cpu)
		everywhere = reduce_location(cpu, t->in.by);
	return find_place(&t->stat, &everywhere);
}

static int map_places(struct pipa_aggr_table *t)
{
	const struct pipa_stat_place everywhere = { PIPA_AGGR_GLOBAL, -1, -1, -1, -1, -1, -1, "" };
	size_t e, i, slots = 0;

	t->first = calloc(t->in.events->n + 1, sizeof(*t->first));
	for (e = 0; t->first && e < t->in.events->n; e++) {
		t->first[e] = slots;
		slots += t->in.banks[e].n;
	}
	t->stat.places = calloc(slots + 1, sizeof(*t->stat.places));
	t->place_of = calloc(slots + 1, sizeof(*t->place_of));
	t->previous = calloc(slots + 1, sizeof(*t->previous));
	if (!t->first || !t->stat.places || !t->place_of || !t->previous)
		return -ENOMEM;
	for (e = 0; e < t->in.events->n; e++)
		for (i = 0; i < t->in.banks[e].n; i++)
			t->place_of[t->first[e] + i] = (uint32_t)place_of_slot(
				t, &t->in.banks[e].slots[i]);
	if (!t->stat.n_places) /* only tool events */
		t->stat.places[t->stat.n_places++] = everywhere;
	return 0;
}

/* ---- lines and rows ---------------------------------------------------------------------- */

static int add_line(struct pipa_aggr_table *t, size_t event, size_t end, const char *name,
		    bool has_parts)
{
	struct line *line = PIPA_VEC_ADD(&t->lines);
	size_t p;

	if (!line)
		return -ENOMEM;
	line->event = event;
	line->end = end;
	line->name = name;
	line->has_parts = has_parts;
	line->rows = malloc(t->stat.n_places * sizeof(*line->rows));
	if (!line->rows)
		return -ENOMEM;
	for (p = 0; p < t->stat.n_places; p++)
		line->rows[p] = NO_ROW;
	return 0;
}

static bool last_of_family(const struct pipa_events *events, size_t e)
{
	return e + 1 == events->n || events->items[e + 1].family != events->items[e].family;
}

/* Make the lines. Shown parts come before their sum; parts that are not shown have only the sum. */
static int make_lines(struct pipa_aggr_table *t)
{
	const struct pipa_events *events = t->in.events;
	size_t e;
	int rc = 0;

	for (e = 0; !rc && e < events->n; e++) {
		const struct pipa_event *event = &events->items[e];

		if (!event->sum || event->apart)
			rc = add_line(t, e, e + 1, event->name, false);
		if (!rc && event->sum && last_of_family(events, e))
			rc = add_line(t, event->family, e + 1, event->sum, event->apart);
	}
	return rc;
}

static size_t count_members(struct pipa_aggr_table *t, const struct line *line, size_t place)
{
	size_t e, i, n = 0;

	for (e = line->event; e < line->end; e++)
		for (i = 0; i < t->in.banks[e].n; i++)
			n += t->place_of[t->first[e] + i] == place;
	return n;
}

static void add_row(struct pipa_aggr_table *t, struct line *line, size_t place)
{
	const struct pipa_event *event = &t->in.events->items[line->event];
	size_t members = count_members(t, line, place);
	struct pipa_stat_row *row;

	if (!members && !(event->tool && place == 0))
		return;
	line->rows[place] = t->stat.n_rows;
	row = &t->stat.rows[t->stat.n_rows++];
	*row = (struct pipa_stat_row){
		.name = line->name,
		.unit = event->unit,
		.cgroup = event->cgroup >= 0 ? t->in.cgroups[event->cgroup] : NULL,
		.scale = event->scale,
		.event = line->event,
		.place = place,
		.members = members,
		.is_sum = line->has_parts,
		.user_only = event->user_only,
	};
}

/* Make the rows in perf's order: by package, but by event for CPUs and threads. */
static int make_rows(struct pipa_aggr_table *t)
{
	bool by_place = t->in.by == PIPA_AGGR_CORE || t->in.by == PIPA_AGGR_DIE ||
			t->in.by == PIPA_AGGR_SOCKET || t->in.by == PIPA_AGGR_NODE;
	size_t places = t->stat.n_places, lines = t->lines.n, i, n = places * lines;

	t->stat.rows = calloc(n ? n : 1, sizeof(*t->stat.rows));
	if (!t->stat.rows)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (by_place)
			add_row(t, &t->lines.items[i % lines], i / lines);
		else
			add_row(t, &t->lines.items[i / places], i % places);
	return 0;
}

/* ---- making and updating ----------------------------------------------------------------- */

int pipa_aggr_new(const struct pipa_aggr_input *input, struct pipa_aggr_table **ret,
		  struct pipa_error *err)
{
	PIPA_AUTO(pipa_aggr_free) struct pipa_aggr_table *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return pipa_fail(err, -ENOMEM, "set up the report");
	t->in = *input;
	t->stat.by = input->by;
	t->stat.asked = input->metrics->asked;
	rc = map_places(t);
	if (!rc)
		rc = make_lines(t);
	if (!rc)
		rc = make_rows(t);
	if (!rc)
		rc = pipa_derive_new(input->events, input->metrics, &t->stat, &t->derive);
	if (rc)
		return pipa_fail(err, rc, "set up the report");
	*ret = PIPA_TAKE(t);
	return 0;
}

/*
 * Are the parts of a hybrid sum counted alternately? A thread is on one kind of core at a time: the
 * counts are added unscaled, and only time that none of them counted is compensated after the last
 * part.
 */
static bool takes_turns(const struct line *line, const struct pipa_event_counts *bank)
{
	return line->has_parts && bank->n && bank->slots[0].tid >= 0;
}

static void scale_alternating(struct pipa_aggr_table *t, const struct line *line,
			      const struct pipa_event_counts *banks)
{
	size_t p, e, parts = 0;

	for (e = line->event; e < line->end; e++)
		parts += banks[e].supported;
	for (p = 0; parts && p < t->stat.n_places; p++) {
		struct pipa_stat_row *row;

		if (line->rows[p] == NO_ROW)
			continue;
		row = &t->stat.rows[line->rows[p]];
		row->enabled_ns /= parts;
		if (row->running_ns && row->running_ns < row->enabled_ns)
			row->value *= (double)row->enabled_ns / (double)row->running_ns;
	}
}

static void add_event_counts(struct pipa_aggr_table *t, const struct line *line, size_t e,
			     const struct pipa_event_counts *bank, bool delta)
{
	bool turns = takes_turns(line, bank);
	size_t i;

	for (i = 0; i < bank->n; i++) {
		struct pipa_stat_row *row = &t->stat.rows[line->rows[t->place_of[t->first[e] + i]]];
		struct pipa_count count = bank->counts[i];

		if (delta)
			count = pipa_count_sub(count, t->previous[t->first[e] + i]);
		if (count.running_ns)
			row->value += (turns ? (double)count.value : pipa_count_scaled(count)) *
				      row->scale;
		row->enabled_ns += count.enabled_ns;
		row->running_ns += count.running_ns;
		if (bank->supported)
			row->state = row->running_ns ? PIPA_COUNTED : PIPA_NOT_COUNTED;
	}
}

static void set_tool(struct pipa_stat_row *row, enum pipa_tool_event tool,
		     const struct pipa_times *times)
{
	double seconds = tool == PIPA_TOOL_DURATION ? times->elapsed_s :
			 tool == PIPA_TOOL_USER	    ? times->user_s :
						      times->sys_s;

	row->state = isnan(seconds) ? PIPA_NOT_COUNTED : PIPA_COUNTED;
	row->value = isnan(seconds) ? 0 : round(seconds * 1e9);
	row->enabled_ns = row->running_ns = isnan(seconds) ? 0 : (uint64_t)(times->elapsed_s * 1e9);
}

void pipa_aggr_update(struct pipa_aggr_table *t, const struct pipa_event_counts *banks, bool delta,
		      const struct pipa_times *times)
{
	const struct pipa_events *events = t->in.events;
	size_t i, e;

	t->last = *times;
	t->stat.elapsed_s = times->elapsed_s;
	t->stat.user_s = times->user_s;
	t->stat.sys_s = times->sys_s;
	for (i = 0; i < t->stat.n_rows; i++) {
		struct pipa_stat_row *row = &t->stat.rows[i];

		row->value = 0;
		row->enabled_ns = row->running_ns = 0;
		row->state = PIPA_NOT_SUPPORTED;
		if (events->items[row->event].tool)
			set_tool(row, events->items[row->event].tool, times);
	}
	for (i = 0; i < t->lines.n; i++) {
		const struct line *line = &t->lines.items[i];

		for (e = line->event; e < line->end; e++)
			add_event_counts(t, line, e, &banks[e], delta);
		if (takes_turns(line, &banks[line->event]))
			scale_alternating(t, line, banks);
	}
	for (e = 0; delta && e < events->n; e++)
		if (banks[e].n)
			memcpy(&t->previous[t->first[e]], banks[e].counts,
			       banks[e].n * sizeof(*banks[e].counts));
	pipa_derive_run(t->derive, t->last.elapsed_s);
}

/* ---- several runs ------------------------------------------------------------------------ */

enum { RUN_EXTRA = 3 }; /* elapsed, user, sys after the rows */

int pipa_aggr_keep_run(struct pipa_aggr_table *t, struct pipa_error *err)
{
	size_t width = t->stat.n_rows + RUN_EXTRA, i;
	double *run, *values = realloc(t->runs.values, (t->runs.n + 1) * width * sizeof(double));

	if (!values)
		return pipa_fail(err, -ENOMEM, "keep a run");
	t->runs.values = values;
	if (!t->runs.times)
		t->runs.times = calloc(2 * width, sizeof(*t->runs.times));
	if (!t->runs.times)
		return pipa_fail(err, -ENOMEM, "keep a run");
	run = &values[t->runs.n++ * width];
	for (i = 0; i < t->stat.n_rows; i++) {
		run[i] = t->stat.rows[i].state == PIPA_COUNTED ? t->stat.rows[i].value : NAN;
		t->runs.times[2 * i] += t->stat.rows[i].enabled_ns;
		t->runs.times[2 * i + 1] += t->stat.rows[i].running_ns;
	}
	run[i++] = t->last.elapsed_s;
	run[i++] = t->last.user_s;
	run[i++] = t->last.sys_s;
	return 0;
}

/* Compute the spread of one column over the runs in which it was counted. */
static void spread_column(const struct pipa_aggr_table *t, size_t column, double *scratch,
			  struct pipa_spread *ret)
{
	size_t width = t->stat.n_rows + RUN_EXTRA, i, n = 0;

	for (i = 0; i < t->runs.n; i++)
		if (!isnan(t->runs.values[i * width + column]))
			scratch[n++] = t->runs.values[i * width + column];
	pipa_spread_of(scratch, n, ret);
}

void pipa_aggr_finish_runs(struct pipa_aggr_table *t)
{
	/* sized for one more run: an allocation must not fail here */
	double *scratch = calloc(t->runs.n + 1, sizeof(*scratch));
	size_t rows = t->stat.n_rows, i;

	if (!scratch)
		return;
	for (i = 0; i < rows; i++) {
		struct pipa_stat_row *row = &t->stat.rows[i];

		spread_column(t, i, scratch, &row->spread);
		if (row->spread.n) {
			row->value = row->spread.mean;
			row->state = PIPA_COUNTED;
			row->enabled_ns = t->runs.times[2 * i] / t->runs.n;
			row->running_ns = t->runs.times[2 * i + 1] / t->runs.n;
		}
	}
	spread_column(t, rows, scratch, &t->stat.elapsed);
	spread_column(t, rows + 1, scratch, &t->stat.user);
	spread_column(t, rows + 2, scratch, &t->stat.sys);
	t->stat.runs = (unsigned int)t->runs.n;
	t->stat.elapsed_s = t->last.elapsed_s = t->stat.elapsed.mean;
	t->stat.user_s = t->stat.user.mean;
	t->stat.sys_s = t->stat.sys.mean;
	pipa_derive_run(t->derive, t->last.elapsed_s);
	free(scratch);
}
