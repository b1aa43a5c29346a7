#include "model/value_columns.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "model/profile.h"
#include "model/timeline.h"

/* Has the event columns? Negative weights are part of those of another event. */
static bool has_columns(const struct pipa_profile_event *event)
{
	return event->negative_of == PIPA_NONE && (event->column_group || event->count);
}

bool pipa_value_column_get(const struct pipa_profile *p, size_t i, struct pipa_value_column *ret)
{
	uint32_t event;

	for (event = 0; event < p->events.n; event++) {
		size_t n = has_columns(&p->events.items[event]) ?
				   1 + p->events.items[event].counted :
				   0;

		if (i < n) {
			*ret = (struct pipa_value_column){ event, n == 2 && i == 0 };
			return true;
		}
		i -= n;
	}
	return false;
}

static size_t count_events(const struct pipa_profile *p)
{
	size_t i, n = 0;

	for (i = 0; i < p->events.n; i++)
		n += has_columns(&p->events.items[i]);
	return n;
}

const char *pipa_value_column_name(const struct pipa_profile *p,
				   const struct pipa_value_column *column,
				   char buf[static PIPA_VALUE_NAME_MAX])
{
	const struct pipa_profile_event *event = &p->events.items[column->event];

	if (!column->counts)
		return pipa_profile_string(p, event->name);
	if (event->count_name)
		return pipa_profile_string(p, event->count_name);
	if (count_events(p) == 1)
		return "samples";
	snprintf(buf, PIPA_VALUE_NAME_MAX, "%s_samples", pipa_profile_string(p, event->name));
	return buf;
}

const char *pipa_value_column_unit(const struct pipa_profile *p,
				   const struct pipa_value_column *column)
{
	const struct pipa_profile_event *event = &p->events.items[column->event];
	uint32_t unit = column->counts ? event->count_unit : event->unit;

	return unit ? pipa_profile_string(p, unit) : PIPA_VALUE_COUNT;
}

bool pipa_event_is_cpu_time(const struct pipa_profile *p, const struct pipa_profile_event *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	const char *name = pipa_profile_string(p, event->name);
	size_t i;

	if (strcmp(pipa_profile_string(p, event->unit), PIPA_VALUE_NS) != 0)
		return false;
	for (i = 0; i < PIPA_COUNT(clocks); i++) {
		size_t n = strlen(clocks[i]);

		if (strncmp(name, clocks[i], n) == 0 && (!name[n] || name[n] == ':'))
			return true;
	}
	return strcmp(name, "cpu") == 0;
}

bool pipa_value_column_find(const struct pipa_profile *p, const char *name,
			    struct pipa_value_column *ret)
{
	struct pipa_value_column column;
	char buf[PIPA_VALUE_NAME_MAX];
	size_t i;

	for (i = 0; pipa_value_column_get(p, i, &column); i++)
		if (strcmp(pipa_value_column_name(p, &column, buf), name) == 0) {
			*ret = column;
			return true;
		}
	for (i = 0; strcmp(name, "cpu") == 0 && pipa_value_column_get(p, i, &column); i++)
		if (!column.counts && pipa_event_is_cpu_time(p, &p->events.items[column.event])) {
			*ret = column;
			return true;
		}
	return false;
}

bool pipa_value_column_default(const struct pipa_profile *p, struct pipa_value_column *ret)
{
	const char *name = pipa_profile_string(p, p->default_column);
	size_t i = 0;

	if (p->default_column && pipa_value_column_find(p, name, ret))
		return true;
	while (pipa_value_column_get(p, i, ret))
		i++;
	return i > 0;
}

/* Keep an event and its negative weights, which refer to each other by their new indexes. */
static void keep_events(struct pipa_profile *p, uint32_t event, uint32_t *numbers)
{
	uint32_t i, n = 0;

	for (i = 0; i < p->events.n; i++) {
		struct pipa_profile_event row = p->events.items[i];

		numbers[i] = PIPA_NONE;
		if (i != event && row.negative_of != event)
			continue;
		numbers[i] = n;
		p->events.items[n++] = row;
	}
	p->events.n = n;
	for (i = 0; i < n; i++) {
		struct pipa_profile_event *row = &p->events.items[i];

		row->leader = i;
		if (row->negative_of != PIPA_NONE)
			row->negative_of = numbers[event];
	}
}

/* Make the counts of an event its weights. */
static void use_counts(struct pipa_profile *p, uint32_t name, uint32_t unit)
{
	size_t i;

	for (i = 0; i < p->samples.n; i++)
		p->samples.items[i].weight = p->samples.items[i].count;
	for (i = 0; i < p->events.n; i++) {
		struct pipa_profile_event *event = &p->events.items[i];

		if (event->negative_of == PIPA_NONE)
			event->name = name;
		event->unit = unit;
		event->weight = event->count;
		event->squares = (double)event->count;
		event->unfiltered_weight = event->unfiltered_count;
		event->period = 1;
	}
}

static void renumber_timeline(struct pipa_timeline *t, const uint32_t *samples, bool counts)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		struct pipa_timed_sample entry = t->items[i];

		entry.sample = samples[entry.sample];
		if (entry.sample == PIPA_NONE)
			continue;
		if (counts)
			entry.weight = (uint64_t)entry.more + 1;
		if (t->links)
			t->links[n] = t->links[i];
		t->items[n++] = entry;
	}
	t->n = n;
}

int pipa_value_column_keep(struct pipa_profile *p, struct pipa_timeline *timeline,
			   const struct pipa_value_column *column)
{
	PIPA_AUTO(free) uint32_t *events = calloc(p->events.n + 1, sizeof(*events));
	PIPA_AUTO(free) uint32_t *samples = calloc(p->samples.n + 1, sizeof(*samples));
	char buf[PIPA_VALUE_NAME_MAX];
	uint32_t name = pipa_profile_text(p, pipa_value_column_name(p, column, buf));
	uint32_t unit = pipa_profile_text(p, pipa_value_column_unit(p, column));
	size_t i, n = 0;

	if (!events || !samples || name == PIPA_NO_STRING || unit == PIPA_NO_STRING)
		return -ENOMEM;
	keep_events(p, column->event, events);
	for (i = 0; i < p->samples.n; i++) {
		struct pipa_sample sample = p->samples.items[i];

		samples[i] = PIPA_NONE;
		if (events[sample.event] == PIPA_NONE ||
		    !(column->counts ? sample.count : sample.weight))
			continue;
		sample.event = events[sample.event];
		samples[i] = (uint32_t)n;
		p->samples.items[n++] = sample;
	}
	p->samples.n = n;
	pipa_index_done(&p->samples.index);
	pipa_index_done(&p->events.index);
	if (column->counts)
		use_counts(p, name, unit);
	renumber_timeline(timeline, samples, column->counts);
	return 0;
}
