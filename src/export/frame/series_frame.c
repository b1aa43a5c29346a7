#include "export/frame/series_frame.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "model/counts.h"
#include "model/sections.h"

enum { NO_COLUMN = -1, MAX_EVENTS = 900 }; /* two columns each; SQLite has at most 2000 */

enum fixed_column {
	SERIES_TIME,
	SERIES_TIME_UTC,
	SERIES_INTERVAL,
	SERIES_MISSED,
	SERIES_SUSPENDED,
	SERIES_RESTART,
	SERIES_SECTION,
	SERIES_INSTANCE,
	SERIES_CGROUP,
	SERIES_FIXED_NR,
};

static const struct pipa_frame_column fixed_columns[SERIES_FIXED_NR] = {
	[SERIES_TIME] = { "time", PIPA_FRAME_TIME_NS, true, "ns" },
	[SERIES_TIME_UTC] = { "time_utc", PIPA_FRAME_UTC_NS, true, "ns" },
	[SERIES_INTERVAL] = { "interval", PIPA_FRAME_F64, true, "s" },
	[SERIES_MISSED] = { "missed_intervals", PIPA_FRAME_U64, true, NULL },
	[SERIES_SUSPENDED] = { "suspended", PIPA_FRAME_F64, true, "s" },
	[SERIES_RESTART] = { "restart", PIPA_FRAME_TEXT, true, NULL },
	[SERIES_SECTION] = { "section", PIPA_FRAME_TEXT, false, NULL },
	[SERIES_INSTANCE] = { "instance", PIPA_FRAME_TEXT, true, NULL },
	[SERIES_CGROUP] = { "cgroup", PIPA_FRAME_TEXT, true, NULL },
};

/* An event, or a metric of an event, that was counted. */
struct counted_event {
	const char *unit; /* in the arena; "": none */
	bool is_seen, all_integers, has_share;
	int value_column, share_column;
};

struct pipa_series_frame {
	struct pipa_series_sink finder, rows; /* callbacks find the frame by its members */
	struct pipa_frame_writer *writer;
	bool utc;
	uint64_t missed; /* intervals until the last one of the counts */
	bool has_section[PIPA_SECTION_NR];
	int *section_columns[PIPA_SECTION_NR]; /* column of the table for each one of the section */
	struct pipa_strings events;	       /* number of an event by name */
	struct {
		struct counted_event *items;
		size_t n, cap;
	} counted; /* by number */
	struct {
		struct pipa_frame_column *items;
		size_t n, cap;
	} columns;
	struct pipa_arena arena; /* names and units */
};

struct pipa_series_frame *pipa_series_frame_new(void)
{
	return calloc(1, sizeof(struct pipa_series_frame));
}

void pipa_series_frame_free(struct pipa_series_frame *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < PIPA_SECTION_NR; i++)
		free(f->section_columns[i]);
	pipa_strings_done(&f->events);
	pipa_arena_done(&f->arena);
	free(f->counted.items);
	free(f->columns.items);
	free(f);
}

/* ---- columns -------------------------------------------------------------------------------- */

static int find_section(struct pipa_series_sink *self, const struct pipa_section *section,
			const struct pipa_tick *tick PIPA_UNUSED, const char *instance PIPA_UNUSED,
			const double *values PIPA_UNUSED)
{
	struct pipa_series_frame *f = (struct pipa_series_frame *)(void *)self;
	enum pipa_section_id id = pipa_section_id(section);

	if (id < PIPA_SECTION_NR)
		f->has_section[id] = true;
	return 0;
}

struct pipa_series_sink *pipa_series_frame_finder(struct pipa_series_frame *f)
{
	f->finder = (struct pipa_series_sink){ .row = find_section, .wants_idle = true };
	return &f->finder;
}

/* Return the event of that name, adding it; NULL on allocation failure. */
static struct counted_event *event_of(struct pipa_series_frame *f, const struct pipa_counts *counts,
				      uint32_t text)
{
	const char *name = pipa_counts_text(counts, text);
	uint32_t number = pipa_strings_add(&f->events, name, strlen(name));

	if (number == PIPA_NO_STRING)
		return NULL;
	while (f->counted.n <= number) {
		struct counted_event *event = PIPA_VEC_ADD(&f->counted);

		if (!event)
			return NULL;
		*event = (struct counted_event){ .all_integers = true,
						 .value_column = NO_COLUMN,
						 .share_column = NO_COLUMN };
	}
	return &f->counted.items[number];
}

int pipa_series_frame_find_counts(struct pipa_series_frame *f, const struct pipa_counts *counts)
{
	size_t i;

	for (i = 0; i < counts->n; i++) {
		const struct pipa_counts_row *row = &counts->items[i];
		struct counted_event *event = event_of(f, counts, row->event);
		const char *unit;

		if (!event)
			return -ENOMEM;
		if (f->counted.n > MAX_EVENTS)
			return -E2BIG;
		event->is_seen = true;
		event->has_share |= !isnan(row->percent);
		if (row->state == PIPA_COUNTED && !row->is_integer)
			event->all_integers = false;
		if (event->unit)
			continue;
		unit = pipa_counts_text(counts, row->unit);
		event->unit = pipa_arena_text(&f->arena, unit, strlen(unit));
		if (!event->unit)
			return -ENOMEM;
	}
	return 0;
}

bool pipa_series_frame_is_empty(const struct pipa_series_frame *f)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (f->has_section[i])
			return false;
	return f->counted.n == 0;
}

static bool is_column_name(const struct pipa_series_frame *f, const char *name)
{
	size_t i;

	for (i = 0; i < f->columns.n; i++)
		if (strcasecmp(f->columns.items[i].name, name) == 0)
			return true;
	return false;
}

/* Copy a name with invalid UTF-8 and control characters replaced, and numbered if a column has it already. */
static const char *unique_name(struct pipa_series_frame *f, const char *name, const char *suffix)
{
	const unsigned char *at = (const unsigned char *)name;
	size_t size = 3 * strlen(name) + strlen(suffix) + 16, len = 0, n;
	char *copy = pipa_arena_take(&f->arena, size);
	unsigned int number;

	if (!copy)
		return NULL;
	for (; *at; at += n ? n : 1) {
		n = *at < ' ' || *at == 0x7f ? 0 : pipa_utf8_len(at);
		memcpy(copy + len, n ? (const char *)at : "\xef\xbf\xbd", n ? n : 3);
		len += n ? n : 3;
	}
	snprintf(copy + len, size - len, "%s", suffix);
	for (number = 2; is_column_name(f, copy); number++)
		snprintf(copy + len, size - len, "%s_%u", suffix, number);
	return copy;
}

/* Add a column and return its index, or a negative errno. */
static int add_column(struct pipa_series_frame *f, const char *name, const char *suffix,
		      enum pipa_frame_type type, const char *unit)
{
	const char *own = unique_name(f, name, suffix);
	struct pipa_frame_column *column = own ? PIPA_VEC_ADD(&f->columns) : NULL;

	if (!column)
		return -ENOMEM;
	*column = (struct pipa_frame_column){ own, type, true, unit && *unit ? unit : NULL };
	return (int)f->columns.n - 1;
}

static int find_metric(const struct pipa_series_frame *f, const char *id)
{
	size_t i;

	for (i = SERIES_FIXED_NR; i < f->columns.n; i++)
		if (strcmp(f->columns.items[i].name, id) == 0)
			return (int)i;
	return NO_COLUMN;
}

static int add_section(struct pipa_series_frame *f, enum pipa_section_id id)
{
	const struct pipa_section *section = &pipa_sections[id];
	int *columns = calloc(section->n_columns, sizeof(*columns));
	size_t i;

	if (!columns)
		return -ENOMEM;
	f->section_columns[id] = columns;
	for (i = 0; i < section->n_columns; i++) {
		const struct pipa_column *c = &section->columns[i];

		columns[i] = find_metric(f, c->id);
		if (columns[i] == NO_COLUMN)
			columns[i] = add_column(
				f, c->id, "",
				c->unit == PIPA_UNIT_WORD ? PIPA_FRAME_TEXT : PIPA_FRAME_F64,
				c->unit == PIPA_UNIT_WORD ? NULL : pipa_unit_text(c->unit));
		if (columns[i] < 0)
			return columns[i];
	}
	return 0;
}

static int add_event_columns(struct pipa_series_frame *f, size_t number)
{
	struct counted_event *event = &f->counted.items[number];
	const char *name = pipa_strings_get(&f->events, (uint32_t)number);

	if (!event->is_seen)
		return 0;
	event->value_column = add_column(
		f, name, "", event->all_integers ? PIPA_FRAME_U64 : PIPA_FRAME_F64, event->unit);
	if (event->value_column >= 0 && event->has_share)
		event->share_column = add_column(f, name, ".running", PIPA_FRAME_F64, "%");
	return event->value_column < 0 || (event->has_share && event->share_column < 0) ? -ENOMEM :
											  0;
}

int pipa_series_frame_columns(struct pipa_series_frame *f, struct pipa_frame_columns *ret)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < SERIES_FIXED_NR; i++) {
		struct pipa_frame_column *column = PIPA_VEC_ADD(&f->columns);

		if (!column)
			return -ENOMEM;
		*column = fixed_columns[i];
	}
	for (i = 0; !rc && i < PIPA_SECTION_NR; i++)
		if (f->has_section[i])
			rc = add_section(f, (enum pipa_section_id)i);
	for (i = 0; !rc && i < f->counted.n; i++)
		rc = add_event_columns(f, i);
	*ret = (struct pipa_frame_columns){ f->columns.items, f->columns.n };
	return rc;
}

/* ---- rows of statistics --------------------------------------------------------------------- */

static int put_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_frame *f =
		(struct pipa_series_frame *)(void *)((char *)self -
						     offsetof(struct pipa_series_frame, rows));
	struct pipa_frame_writer *w = f->writer;
	enum pipa_section_id id = pipa_section_id(section);
	const char *word = instance;
	size_t i;

	if (id == PIPA_SECTION_NR || !f->section_columns[id])
		return 0;
	w->put(w, f->utc ? SERIES_TIME_UTC : SERIES_TIME, tick->wall_ns);
	if (tick->interval_s > 0)
		w->put_f64(w, SERIES_INTERVAL, tick->interval_s);
	w->put(w, SERIES_MISSED, tick->late);
	w->put_f64(w, SERIES_SUSPENDED, tick->suspended_s);
	if (tick->restart)
		pipa_frame_put_string(w, SERIES_RESTART,
				      tick->restart->of == PIPA_RESTART_MACHINE ? "machine" :
										  "collector");
	pipa_frame_put_string(w, SERIES_SECTION, section->name);
	if (section->label)
		pipa_frame_put_string(w, SERIES_INSTANCE, instance);
	for (i = 0; i < section->n_columns; i++) {
		size_t column = (size_t)f->section_columns[id][i];

		if (section->columns[i].unit == PIPA_UNIT_WORD) {
			word = pipa_instance_next(word);
			if (*word)
				pipa_frame_put_string(w, column, word);
		} else if (!isnan(values[i])) {
			w->put_f64(w, column, values[i]);
		}
	}
	return w->end_row(w);
}

struct pipa_series_sink *pipa_series_frame_rows(struct pipa_series_frame *f,
						struct pipa_frame_writer *writer)
{
	f->writer = writer;
	f->rows = (struct pipa_series_sink){ .row = put_row, .wants_idle = true };
	return &f->rows;
}

void pipa_series_frame_set_utc(struct pipa_series_frame *f, bool utc)
{
	f->utc = utc;
}

/* ---- counts --------------------------------------------------------------------------------- */

/* The counts of one interval, place and cgroup, as a list in `next`. */
struct count_group {
	uint32_t first, last;
};

/* Groups of counts that become a row each. */
struct count_groups {
	struct count_group *items;
	size_t n, cap;
	struct pipa_index index;
	uint32_t *next; /* of each count: the next one of its group, UINT32_MAX for the last */
};

/* Return a key for a time, also for a missing one. */
static uint64_t time_key(const struct pipa_counts_row *row)
{
	uint64_t key;

	memcpy(&key, &row->time_s, sizeof(key));
	return key;
}

static bool is_same_row(const struct pipa_counts_row *a, const struct pipa_counts_row *b)
{
	return a->place == b->place && a->cgroup == b->cgroup && time_key(a) == time_key(b);
}

static int group_count(struct count_groups *g, const struct pipa_counts *counts, uint32_t i)
{
	const struct pipa_counts_row *row = &counts->items[i];
	uint64_t words[2] = { time_key(row), (uint64_t)row->place << 32 | row->cgroup }, hash;
	const struct pipa_index_slot *slot;
	struct count_group *group;

	hash = pipa_hash_words(words, PIPA_COUNT(words), PIPA_HASH_SEED);
	g->next[i] = UINT32_MAX;
	for (slot = pipa_index_start(&g->index, hash); g->items && slot->id;
	     slot = pipa_index_after(&g->index, slot)) {
		group = &g->items[slot->id - 1];
		if (slot->hash != (uint32_t)hash || !is_same_row(&counts->items[group->first], row))
			continue;
		g->next[group->last] = i;
		group->last = i;
		return 0;
	}
	group = PIPA_VEC_ADD(g);
	if (!group || pipa_index_add(&g->index, hash, (uint32_t)g->n - 1) < 0)
		return -ENOMEM;
	*group = (struct count_group){ i, i };
	return 0;
}

static int put_count(struct pipa_series_frame *f, const struct pipa_counts *counts,
		     const struct pipa_counts_row *row)
{
	struct pipa_frame_writer *w = f->writer;
	const struct counted_event *event = event_of(f, counts, row->event);

	if (!event)
		return -ENOMEM;
	if (event->value_column == NO_COLUMN) /* the file has grown since it was read first */
		return 0;
	if (row->state == PIPA_COUNTED && event->all_integers)
		w->put(w, (size_t)event->value_column, row->integer);
	else if (row->state == PIPA_COUNTED)
		w->put_f64(w, (size_t)event->value_column, row->value);
	if (event->share_column != NO_COLUMN && !isnan(row->percent))
		w->put_f64(w, (size_t)event->share_column, row->percent);
	return 0;
}

static int put_group(struct pipa_series_frame *f, const struct pipa_counts *counts,
		     const struct count_groups *g, const struct count_group *group)
{
	const struct pipa_counts_row *first = &counts->items[group->first];
	struct pipa_frame_writer *w = f->writer;
	uint32_t i;
	int rc = 0;

	if (!isnan(first->time_s))
		w->put(w, SERIES_TIME, (uint64_t)llround(first->time_s * 1e9));
	if (counts->interval_s > 0)
		w->put_f64(w, SERIES_INTERVAL, counts->interval_s);
	if (counts->has_missed)
		w->put(w, SERIES_MISSED,
		       counts->missed > f->missed ? counts->missed - f->missed : 0);
	pipa_frame_put_string(w, SERIES_SECTION, "counters");
	if (first->place)
		pipa_frame_put_string(w, SERIES_INSTANCE, pipa_counts_text(counts, first->place));
	if (first->cgroup)
		pipa_frame_put_string(w, SERIES_CGROUP, pipa_counts_text(counts, first->cgroup));
	for (i = group->first; !rc && i != UINT32_MAX; i = g->next[i])
		rc = put_count(f, counts, &counts->items[i]);
	return rc ? rc : w->end_row(w);
}

int pipa_series_frame_put_counts(struct pipa_series_frame *f, const struct pipa_counts *counts)
{
	struct count_groups groups = { .next = calloc(counts->n + 1, sizeof(*groups.next)) };
	size_t i;
	int rc = groups.next ? 0 : -ENOMEM;

	for (i = 0; !rc && i < counts->n; i++)
		rc = group_count(&groups, counts, (uint32_t)i);
	for (i = 0; rc >= 0 && i < groups.n; i++)
		rc = put_group(f, counts, &groups, &groups.items[i]);
	f->missed = counts->missed;
	pipa_index_done(&groups.index);
	free(groups.items);
	free(groups.next);
	return rc;
}
