/* Columns of OTLP profiles: types of values and periods of events. */
#include "export/exchange/otlp_own.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

/* Is the event time on a CPU, which pprof and OTLP call "cpu"? */
static bool is_cpu_time(const struct pipa_profile *p, const struct pipa_profile_event *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	const char *name = pipa_profile_string(p, event->name);
	size_t i;

	if (event->column_group || strcmp(pipa_profile_string(p, event->unit), PIPA_VALUE_NS) != 0)
		return false;
	for (i = 0; i < PIPA_COUNT(clocks); i++)
		if (strncmp(name, clocks[i], strlen(clocks[i])) == 0)
			return true;
	return false;
}

bool pipa_otlp_is_column(const struct pipa_profile_event *event)
{
	return event->negative_of == PIPA_NONE && (event->column_group || event->count);
}

static const char *event_name(const struct pipa_profile *p, const struct pipa_profile_event *event)
{
	return is_cpu_time(p, event) ? "cpu" : pipa_profile_string(p, event->name);
}

static const char *event_unit(const struct pipa_profile *p, const struct pipa_profile_event *event)
{
	return event->unit || p->n_column_groups ? pipa_profile_string(p, event->unit) :
						   PIPA_VALUE_COUNT;
}

/* Return the string of a column of counts: "samples", with several events "cycles_samples". */
static uint32_t count_name(struct pipa_otlp_writer *w, const struct pipa_profile_event *event)
{
	PIPA_AUTO(free) char *text = NULL;
	size_t i, n = 0;

	if (event->count_name)
		return pipa_otlp_string(&w->tables, event->count_name);
	for (i = 0; i < w->p->events.n; i++)
		n += pipa_otlp_is_column(&w->p->events.items[i]);
	if (n <= 1)
		return pipa_otlp_text(&w->tables, "samples");
	if (asprintf(&text, "%s_samples", pipa_profile_string(w->p, event->name)) < 0) {
		pipa_otlp_set_failure(w, -ENOMEM);
		return 0;
	}
	return pipa_otlp_text(&w->tables, text);
}

static void put_value_type(struct pipa_otlp_writer *w, uint32_t field, uint32_t type, uint32_t unit)
{
	size_t start = pipa_proto_begin(&w->out, field);

	pipa_proto_put(&w->out, PIPA_OTLP_VALUE_TYPE_TYPE_STRINDEX, type);
	pipa_proto_put(&w->out, PIPA_OTLP_VALUE_TYPE_UNIT_STRINDEX, unit);
	pipa_proto_end(&w->out, start);
}

void pipa_otlp_put_sample_type(struct pipa_otlp_writer *w, const struct pipa_profile_event *event,
			       bool counts)
{
	struct pipa_otlp_tables *t = &w->tables;
	uint32_t type = counts ? count_name(w, event) : pipa_otlp_text(t, event_name(w->p, event));
	uint32_t unit = !counts		  ? pipa_otlp_text(t, event_unit(w->p, event)) :
			event->count_unit ? pipa_otlp_string(t, event->count_unit) :
					    pipa_otlp_text(t, PIPA_VALUE_COUNT);

	put_value_type(w, PIPA_OTLP_PROFILE_SAMPLE_TYPE, type, unit);
}

void pipa_otlp_put_period(struct pipa_otlp_writer *w, const struct pipa_profile_event *event)
{
	struct pipa_otlp_tables *t = &w->tables;
	uint64_t period = event->period;

	if (event->period_name || event->period_unit || event->column_group)
		put_value_type(w, PIPA_OTLP_PROFILE_PERIOD_TYPE,
			       pipa_otlp_string(t, event->period_name),
			       pipa_otlp_string(t, event->period_unit));
	else
		put_value_type(w, PIPA_OTLP_PROFILE_PERIOD_TYPE,
			       pipa_otlp_text(t, event_name(w->p, event)),
			       pipa_otlp_text(t, event_unit(w->p, event)));
	if (!period && event->frequency && is_cpu_time(w->p, event))
		period = 1000000000 / event->frequency; /* the timer's: it does not vary */
	pipa_proto_put(&w->out, PIPA_OTLP_PROFILE_PERIOD, period > INT64_MAX ? 0 : period);
}

const char *pipa_otlp_default_column(const struct pipa_profile *p)
{
	size_t i;

	if (p->default_column || p->n_column_groups)
		return pipa_profile_string(p, p->default_column);
	for (i = 0; i < p->events.n; i++)
		if (pipa_otlp_is_column(&p->events.items[i]))
			return event_name(p, &p->events.items[i]);
	return "";
}
