#include "export/exchange/otlp.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "export/exchange/otlp_tables.h"
#include "model/profile.h"
#include "model/timeline.h"

/* Samples of one process: a ResourceProfiles. */
struct resource {
	uint32_t process; /* 0: unknown */
	uint32_t pid;	  /* PIPA_UNKNOWN32: unknown */
};

/* Attributes and link of a label set. */
struct set_attributes {
	uint32_t first, n; /* in `attributes` */
	uint32_t link;
	bool is_known;
	bool has_thread_id, has_thread_name, has_cpu; /* keys that the set has itself */
};

enum { CPU_CACHE = 1024 };

struct writer {
	const struct pipa_profile *p;
	const struct pipa_otlp_format *format;
	struct pipa_proto_writer out;
	struct pipa_otlp_tables tables;
	size_t from, until; /* samples */
	struct {
		struct resource *items;
		size_t n, cap;
		struct pipa_index index;
	} resources;
	uint32_t *
		thread_resources; /* [thread + 1] of samples without a thread first; PIPA_NONE: not yet */
	uint32_t *
		base_events; /* [event] the event from which its weights are subtracted, or itself */
	uint32_t *order;     /* samples by resource and event */
	size_t n_order;
	bool is_joined;		     /* samples next to each other in `order` may be one Sample */
	struct set_attributes *sets; /* [label set] */
	struct {
		uint32_t *items;
		size_t n, cap;
	} attributes; /* of label sets */
	struct {
		uint32_t id, name;
	} * threads;		   /* [thread] attributes; 0: not yet */
	uint32_t cpus[CPU_CACHE];  /* [cpu] attribute; 0: not yet */
	uint64_t *profile_indices; /* attributes of every Profile */
	size_t n_profile_indices;
	struct {
		uint64_t *items;
		size_t n, cap;
	} list; /* attributes of the current sample */
	/* times of samples, little-endian and in UTC; NULL: no timestamps */
	uint64_t *times;
	size_t *time_starts;	      /* [sample - from] first of its times; one more at the end */
	struct pipa_buf sample_times; /* of the current sample */
	uint64_t start_ns, duration_ns; /* of each Profile; contains all times */
};

static void writer_done(struct writer *w)
{
	pipa_proto_writer_done(&w->out);
	pipa_otlp_tables_done(&w->tables);
	free(w->resources.items);
	pipa_index_done(&w->resources.index);
	free(w->thread_resources);
	free(w->base_events);
	free(w->order);
	free(w->sets);
	free(w->attributes.items);
	free(w->threads);
	free(w->profile_indices);
	free(w->list.items);
	free(w->times);
	free(w->time_starts);
	pipa_buf_done(&w->sample_times);
}

static void set_failure(struct writer *w, int code)
{
	if (!w->tables.status)
		w->tables.status = code;
}

/* ---- columns ----------------------------------------------------------------------------------- */

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

/* Is it an event with samples of its own? Columns of foreign files are, even if all values are 0. */
static bool is_column(const struct pipa_profile_event *event)
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
static uint32_t count_name(struct writer *w, const struct pipa_profile_event *event)
{
	PIPA_AUTO(free) char *text = NULL;
	size_t i, n = 0;

	if (event->count_name)
		return pipa_otlp_string(&w->tables, event->count_name);
	for (i = 0; i < w->p->events.n; i++)
		n += is_column(&w->p->events.items[i]);
	if (n <= 1)
		return pipa_otlp_text(&w->tables, "samples");
	if (asprintf(&text, "%s_samples", pipa_profile_string(w->p, event->name)) < 0) {
		set_failure(w, -ENOMEM);
		return 0;
	}
	return pipa_otlp_text(&w->tables, text);
}

static void put_value_type(struct writer *w, uint32_t field, uint32_t type, uint32_t unit)
{
	size_t start = pipa_proto_begin(&w->out, field);

	pipa_proto_put(&w->out, PIPA_OTLP_VALUE_TYPE_TYPE_STRINDEX, type);
	pipa_proto_put(&w->out, PIPA_OTLP_VALUE_TYPE_UNIT_STRINDEX, unit);
	pipa_proto_end(&w->out, start);
}

static void put_sample_type(struct writer *w, const struct pipa_profile_event *event, bool counts)
{
	struct pipa_otlp_tables *t = &w->tables;
	uint32_t type = counts ? count_name(w, event) : pipa_otlp_text(t, event_name(w->p, event));
	uint32_t unit = !counts		  ? pipa_otlp_text(t, event_unit(w->p, event)) :
			event->count_unit ? pipa_otlp_string(t, event->count_unit) :
					    pipa_otlp_text(t, PIPA_VALUE_COUNT);

	put_value_type(w, PIPA_OTLP_PROFILE_SAMPLE_TYPE, type, unit);
}

/*
 * Write period_type and period. A recording's event always has a type, because Pyroscope makes the name of the profile of
 * it; the type of a foreign file without one is empty, because Parca needs the field.
 */
static void put_period(struct writer *w, const struct pipa_profile_event *event)
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

/* ---- attributes of samples --------------------------------------------------------------------- */

/* Parse lower-case hexadecimal digits of `len` bytes that are not all 0. */
static bool parse_id(const struct pipa_string *text, uint8_t *ret, size_t len)
{
	uint8_t any = 0;
	size_t i;

	if (text->len != 2 * len)
		return false;
	for (i = 0; i < 2 * len; i++) {
		char c = text->text[i];
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
						   -1;

		if (digit < 0)
			return false;
		ret[i / 2] = (uint8_t)(i % 2 ? ret[i / 2] << 4 | digit : digit);
		any |= (uint8_t)digit;
	}
	return any != 0;
}

/* Set the ids of the labels trace_id and span_id; false if the set does not have one of each. */
static bool find_link(const struct pipa_profile *p, uint32_t set, uint8_t trace_id[16],
		      uint8_t span_id[8])
{
	size_t i, n = pipa_label_set_size(p, set), traces = 0, spans = 0;

	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(p, set, i);
		const char *key = pipa_profile_string(p, label->key);
		bool is_trace = strcmp(key, "trace_id") == 0;

		if (!is_trace && strcmp(key, "span_id") != 0)
			continue;
		if (label->kind != PIPA_LABEL_TEXT || !label->text ||
		    !parse_id(&p->strings.items[label->text], is_trace ? trace_id : span_id,
			      is_trace ? 16 : 8))
			return false;
		traces += is_trace;
		spans += !is_trace;
	}
	return traces == 1 && spans == 1;
}

static const struct set_attributes *attributes_of_set(struct writer *w, uint32_t set)
{
	struct set_attributes *s = &w->sets[set];
	size_t i = 0, n = pipa_label_set_size(w->p, set);
	uint8_t trace_id[16], span_id[8];

	if (s->is_known)
		return s;
	s->is_known = true;
	s->first = (uint32_t)w->attributes.n;
	if (find_link(w->p, set, trace_id, span_id))
		s->link = pipa_otlp_link(&w->tables, trace_id, span_id);
	pipa_otlp_list_start(&w->tables);
	while (i < n) {
		const char *key = pipa_profile_string(w->p, pipa_label_set_get(w->p, set, i)->key);

		if (s->link && (strcmp(key, "trace_id") == 0 || strcmp(key, "span_id") == 0)) {
			i++;
			continue;
		}
		s->has_thread_id = s->has_thread_id || strcmp(key, "thread.id") == 0;
		s->has_thread_name = s->has_thread_name || strcmp(key, "thread.name") == 0;
		s->has_cpu = s->has_cpu || strcmp(key, "cpu.logical_number") == 0;
		pipa_otlp_list_label(&w->tables, set, &i);
	}
	for (i = 0; i < w->tables.list.n; i++) {
		uint32_t *slot = PIPA_VEC_ADD(&w->attributes);

		if (!slot) {
			set_failure(w, -ENOMEM);
			break;
		}
		*slot = (uint32_t)w->tables.list.items[i];
		s->n++;
	}
	return s;
}

static void list_attribute(struct writer *w, uint32_t attribute)
{
	uint64_t *slot = PIPA_VEC_ADD(&w->list);

	if (slot)
		*slot = attribute;
	else
		set_failure(w, -ENOMEM);
}

static void list_thread(struct writer *w, uint32_t number, const struct set_attributes *set)
{
	const struct pipa_thread *thread = &w->p->threads.items[number];

	if (thread->tid != PIPA_UNKNOWN32 && !set->has_thread_id) {
		if (!w->threads[number].id)
			w->threads[number].id = pipa_otlp_number_attribute(&w->tables, "thread.id",
									   thread->tid);
		list_attribute(w, w->threads[number].id);
	}
	if (thread->comm && !set->has_thread_name) {
		if (!w->threads[number].name)
			w->threads[number].name = pipa_otlp_text_attribute(
				&w->tables, "thread.name", thread->comm);
		list_attribute(w, w->threads[number].name);
	}
}

static uint32_t cpu_attribute(struct writer *w, uint32_t cpu)
{
	if (cpu >= CPU_CACHE)
		return pipa_otlp_number_attribute(&w->tables, "cpu.logical_number", cpu);
	if (!w->cpus[cpu])
		w->cpus[cpu] = pipa_otlp_number_attribute(&w->tables, "cpu.logical_number", cpu);
	return w->cpus[cpu];
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Write the times of the current sample, or without times its value. */
static void put_observations(struct writer *w, uint32_t values_field, int64_t value)
{
	uint64_t values[] = { (uint64_t)value };

	if (!w->sample_times.len)
		pipa_proto_put_packed(&w->out, values_field, values, 1);
}

static void put_sample(struct writer *w, const struct pipa_sample *sample, int64_t value)
{
	static const struct set_attributes none = { 0 };
	const struct set_attributes *set = sample->labels ? attributes_of_set(w, sample->labels) :
							    &none;
	uint32_t stack = pipa_otlp_stack(&w->tables, sample->stack);
	size_t start;
	uint32_t i;

	w->list.n = 0;
	for (i = 0; i < set->n; i++)
		list_attribute(w, w->attributes.items[set->first + i]);
	if (sample->thread < w->p->threads.n && !w->format->no_threads)
		list_thread(w, sample->thread, set);
	if (sample->cpu != PIPA_NONE && !set->has_cpu)
		list_attribute(w, cpu_attribute(w, sample->cpu));
	start = pipa_proto_begin(&w->out, PIPA_OTLP_PROFILE_SAMPLES);
	pipa_proto_put(&w->out, PIPA_OTLP_SAMPLE_STACK_INDEX, stack);
	if (w->format->layout == PIPA_OTLP_1_9) {
		put_observations(w, PIPA_OTLP_1_9_SAMPLE_VALUES, value);
		pipa_proto_put_packed(&w->out, PIPA_OTLP_1_9_SAMPLE_ATTRIBUTE_INDICES,
				      w->list.items, w->list.n);
		pipa_proto_put(&w->out, PIPA_OTLP_1_9_SAMPLE_LINK_INDEX, set->link);
	} else {
		pipa_proto_put_packed(&w->out, PIPA_OTLP_SAMPLE_ATTRIBUTE_INDICES, w->list.items,
				      w->list.n);
		pipa_proto_put(&w->out, PIPA_OTLP_SAMPLE_LINK_INDEX, set->link);
		put_observations(w, PIPA_OTLP_SAMPLE_VALUES, value);
	}
	if (w->sample_times.len) /* the same number in both layouts */
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO,
				     w->sample_times.data, w->sample_times.len);
	pipa_proto_end(&w->out, start);
}

static uint32_t resource_of(const struct writer *w, const struct pipa_sample *sample)
{
	return w->thread_resources[sample->thread < w->p->threads.n ? sample->thread + 1 : 0];
}

/* Compare what samples of one event and one process have to share to be one Sample. */
static int compare_keys(const struct writer *w, const struct pipa_sample *a,
			const struct pipa_sample *b)
{
	uint32_t x = pipa_otlp_same_stack(&w->tables, a->stack);
	uint32_t y = pipa_otlp_same_stack(&w->tables, b->stack);

	if (x != y)
		return x < y ? -1 : 1;
	if (!w->format->no_threads && a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->labels < b->labels ? -1 : a->labels > b->labels;
}

/* Values of one Sample. */
struct row {
	const struct pipa_sample *sample;
	int64_t weight, count;
};

static void add_value(struct writer *w, int64_t *to, uint64_t value, bool is_negative)
{
	int64_t number = (int64_t)value;

	if (value > INT64_MAX || (is_negative ? __builtin_sub_overflow(*to, number, to) :
						__builtin_add_overflow(*to, number, to)))
		set_failure(w, -ERANGE);
}

/* Read the next row of order[*at, end), with the values of all samples that are one. */
static void next_row(struct writer *w, size_t *at, size_t end, struct row *ret)
{
	const struct pipa_sample *samples = w->p->samples.items, *s;

	*ret = (struct row){ .sample = &samples[w->order[*at]] };
	do {
		s = &samples[w->order[*at]];
		add_value(w, &ret->weight, s->weight, w->base_events[s->event] != s->event);
		add_value(w, &ret->count, s->count, w->base_events[s->event] != s->event);
		++*at;
	} while (w->is_joined && *at < end &&
		 compare_keys(w, ret->sample, &samples[w->order[*at]]) == 0);
}

/* Collect the times of the samples order[from, until), which are one Sample. */
static void collect_times(struct writer *w, size_t from, size_t until)
{
	size_t i;

	pipa_buf_reset(&w->sample_times);
	for (i = from; w->times && i < until; i++) {
		const size_t *starts = &w->time_starts[w->order[i] - w->from];

		pipa_buf_add(&w->sample_times, w->times + starts[0],
			     (starts[1] - starts[0]) * sizeof(*w->times));
	}
	if (w->sample_times.status)
		set_failure(w, w->sample_times.status);
}

/* Write the samples of a column: those with a value, and those of which no column has one, so that none is lost. */
static void put_rows(struct writer *w, size_t at, size_t end, bool counts)
{
	const struct pipa_sample *first = &w->p->samples.items[w->order[at]];
	struct row row;
	bool any = false;

	while (at < end && !w->out.status && !w->tables.status) {
		const size_t row_start = at;
		int64_t value;

		next_row(w, &at, end, &row);
		value = counts ? row.count : row.weight;
		if (!value && (counts || row.weight || row.count))
			continue;
		if (counts)
			collect_times(w, row_start, at);
		put_sample(w, row.sample, value);
		pipa_buf_reset(&w->sample_times);
		any = true;
	}
	if (!any) /* Parca refuses a Profile without samples */
		put_sample(w, first, 0);
}

static void put_profile(struct writer *w, uint32_t number, bool counts, size_t at, size_t end)
{
	const struct pipa_profile_event *event = &w->p->events.items[number];

	pipa_proto_open(&w->out, PIPA_OTLP_SCOPE_PROFILES_PROFILES);
	put_sample_type(w, event, counts);
	if (w->base_events[w->p->samples.items[w->order[at]].event] == number)
		put_rows(w, at, end, counts);
	else /* a column without values in this process keeps its place */
		put_sample(w, &w->p->samples.items[w->order[at]], 0);
	pipa_proto_put_fixed64(&w->out, PIPA_OTLP_PROFILE_TIME_UNIX_NANO, w->start_ns, false);
	pipa_proto_put(&w->out, PIPA_OTLP_PROFILE_DURATION_NANO, w->duration_ns);
	put_period(w, event);
	pipa_proto_put_packed(&w->out, PIPA_OTLP_PROFILE_ATTRIBUTE_INDICES, w->profile_indices,
			      w->n_profile_indices);
	pipa_proto_close(&w->out);
}

/* ---- resources --------------------------------------------------------------------------------- */

static void put_text(struct writer *w, uint32_t field, const char *key, const char *text)
{
	size_t start = pipa_proto_begin(&w->out, field);

	pipa_otlp_put_string(&w->out, PIPA_OTLP_KEY_VALUE_KEY, key, strlen(key));
	pipa_otlp_put_text_value(&w->out, PIPA_OTLP_KEY_VALUE_VALUE, text, strlen(text));
	pipa_proto_end(&w->out, start);
}

static bool has_key(const struct pipa_profile *p, uint32_t set, const char *key)
{
	size_t i, n = pipa_label_set_size(p, set);

	for (i = 0; i < n; i++)
		if (strcmp(pipa_profile_string(p, pipa_label_set_get(p, set, i)->key), key) == 0)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Write service.name, which every resource has to have: that of the caller, or as the specification forms it. */
static void put_service_name(struct writer *w, const struct pipa_profile_process *process)
{
	char text[300];
	size_t i;

	if (has_key(w->p, process->attributes, "service.name"))
		return;
	for (i = 0; i < w->format->n_resource; i++)
		if (strcmp(w->format->resource[i].key, "service.name") == 0)
			return;
	snprintf(text, sizeof(text), "unknown_service%s%s", process->exe ? ":" : "",
		 base_name(pipa_profile_string(w->p, process->exe)));
	put_text(w, PIPA_OTLP_RESOURCE_ATTRIBUTES, "service.name", text);
}

static void put_resource(struct writer *w, const struct resource *r)
{
	static const struct pipa_profile_process none = { 0 };
	const struct pipa_profile_process *process = r->process ?
							     &w->p->processes.items[r->process] :
							     &none;
	const char *exe = pipa_profile_string(w->p, process->exe);
	const struct pipa_label pid = { .kind = PIPA_LABEL_NUMBER, .number = r->pid };
	size_t start = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_PROFILES_RESOURCE), i, one;
	uint32_t last = PIPA_NONE;

	put_service_name(w, process);
	if (r->pid != PIPA_UNKNOWN32 && !has_key(w->p, process->attributes, "process.pid")) {
		one = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES);
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_KEY_VALUE_KEY, "process.pid", 11);
		pipa_otlp_put_value(w->p, &w->out, PIPA_OTLP_KEY_VALUE_VALUE, &pid);
		pipa_proto_end(&w->out, one);
	}
	const struct pipa_otlp_resource_text own[] = {
		{ "process.executable.name", base_name(exe) },
		{ "process.executable.path", exe },
		{ "process.linux.cgroup", pipa_profile_string(w->p, process->cgroup) },
		{ "container.id", pipa_profile_string(w->p, process->container) },
	};
	for (i = 0; i < PIPA_COUNT(own); i++)
		if (*own[i].text && !has_key(w->p, process->attributes, own[i].key))
			put_text(w, PIPA_OTLP_RESOURCE_ATTRIBUTES, own[i].key, own[i].text);
	for (i = 0; i < pipa_label_set_size(w->p, process->attributes); i++) {
		const struct pipa_label *label = pipa_label_set_get(w->p, process->attributes, i);
		const char *key = pipa_profile_string(w->p, label->key);

		if (!*key || label->key == last) /* Parca refuses an empty one */
			continue;
		last = label->key;
		one = pipa_proto_begin(&w->out, PIPA_OTLP_RESOURCE_ATTRIBUTES);
		pipa_otlp_put_string(&w->out, PIPA_OTLP_KEY_VALUE_KEY, key, strlen(key));
		pipa_otlp_put_value(w->p, &w->out, PIPA_OTLP_KEY_VALUE_VALUE, label);
		pipa_proto_end(&w->out, one);
	}
	for (i = 0; i < w->format->n_resource; i++)
		if (!has_key(w->p, process->attributes, w->format->resource[i].key))
			put_text(w, PIPA_OTLP_RESOURCE_ATTRIBUTES, w->format->resource[i].key,
				 w->format->resource[i].text);
	pipa_proto_end(&w->out, start);
}

/* Return the name of the column to be shown first, "" if none is given. */
static const char *default_column(const struct pipa_profile *p)
{
	size_t i;

	if (p->default_column || p->n_column_groups)
		return pipa_profile_string(p, p->default_column);
	for (i = 0; i < p->events.n; i++)
		if (is_column(&p->events.items[i]))
			return event_name(p, &p->events.items[i]);
	return "";
}

static void put_scope(struct writer *w)
{
	const char *version = w->format->version, *column = default_column(w->p);
	size_t start = pipa_proto_begin(&w->out, PIPA_OTLP_SCOPE_PROFILES_SCOPE);

	pipa_proto_put_bytes(&w->out, PIPA_OTLP_SCOPE_NAME, "pipa", 4);
	if (version)
		pipa_proto_put_bytes(&w->out, PIPA_OTLP_SCOPE_VERSION, version, strlen(version));
	if (*column)
		put_text(w, PIPA_OTLP_SCOPE_ATTRIBUTES, "pprof.scope.default_sample_type", column);
	pipa_proto_end(&w->out, start);
}

/* Return the end of the samples of the event, or if it is PIPA_NONE of the resource, of order[at]. */
static size_t find_end(const struct writer *w, size_t at, uint32_t event)
{
	const struct pipa_sample *samples = w->p->samples.items;
	uint32_t resource = resource_of(w, &samples[w->order[at]]);

	while (at < w->n_order && resource_of(w, &samples[w->order[at]]) == resource &&
	       (event == PIPA_NONE || w->base_events[samples[w->order[at]].event] == event))
		at++;
	return at;
}

/* Has one of the samples an event of that column group? */
static bool has_group(const struct writer *w, size_t at, size_t end, uint32_t group)
{
	for (; group && at < end; at++)
		if (w->p->events.items[w->p->samples.items[w->order[at]].event].column_group ==
		    group)
			return true;
	return false;
}

/* Write the samples order[at, end) of one process. */
static void put_resource_profiles(struct writer *w, size_t at, size_t end)
{
	const struct pipa_sample *samples = w->p->samples.items;
	const size_t start = at;
	uint32_t event;

	pipa_proto_open(&w->out, PIPA_OTLP_RESOURCE_PROFILES);
	put_resource(w, &w->resources.items[resource_of(w, &samples[w->order[at]])]);
	pipa_proto_open(&w->out, PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES);
	put_scope(w);
	for (event = 0; event < w->p->events.n; event++) {
		const struct pipa_profile_event *e = &w->p->events.items[event];
		size_t first = at < end ? at : end - 1, last = end;

		if (!is_column(e))
			continue;
		if (at < end && w->base_events[samples[w->order[at]].event] == event)
			last = at = find_end(w, at, event);
		else if (!has_group(w, start, end, e->column_group))
			continue;
		if (e->counted)
			put_profile(w, event, true, first, last);
		put_profile(w, event, false, first, last);
	}
	pipa_proto_close(&w->out);
	pipa_proto_close(&w->out);
}

static void put_all(struct writer *w)
{
	size_t at = 0, end;

	for (; at < w->n_order && !w->out.status && !w->tables.status; at = end) {
		end = find_end(w, at, PIPA_NONE);
		put_resource_profiles(w, at, end);
	}
	pipa_otlp_put_dictionary(&w->tables, &w->out, PIPA_OTLP_DICTIONARY);
}

/* ---- preparation ------------------------------------------------------------------------------- */

/* Find the resource of a thread; PIPA_NONE is a sample without one. 0 or -ENOMEM. */
static int add_resource(struct writer *w, uint32_t number)
{
	struct resource r = { .pid = PIPA_UNKNOWN32 };
	uint32_t *to = &w->thread_resources[number == PIPA_NONE ? 0 : number + 1];
	const struct pipa_index_slot *slot;
	uint64_t hash;

	if (number != PIPA_NONE) {
		r.process = w->p->threads.items[number].process;
		r.pid = w->p->threads.items[number].pid;
	}
	hash = pipa_hash_u64((uint64_t)r.process << 32 | r.pid, PIPA_HASH_SEED);
	for (slot = pipa_index_start(&w->resources.index, hash); slot->id;
	     slot = pipa_index_after(&w->resources.index, slot)) {
		const struct resource *known = &w->resources.items[slot->id - 1];

		if (known->process == r.process && known->pid == r.pid) {
			*to = slot->id - 1;
			return 0;
		}
	}
	struct resource *new = PIPA_VEC_ADD(&w->resources);
	if (!new)
		return -ENOMEM;
	*new = r;
	*to = (uint32_t)w->resources.n - 1;
	return pipa_index_add(&w->resources.index, hash, *to);
}

static int find_resources(struct writer *w)
{
	size_t n = w->p->threads.n + 1, i;

	w->thread_resources = malloc(n * sizeof(*w->thread_resources));
	if (!w->thread_resources)
		return -ENOMEM;
	memset(w->thread_resources, 0xff, n * sizeof(*w->thread_resources));
	for (i = w->from; i < w->until; i++) {
		const struct pipa_sample *s = &w->p->samples.items[i];
		uint32_t thread = s->thread < w->p->threads.n ? s->thread : PIPA_NONE;

		if (resource_of(w, s) == PIPA_NONE && add_resource(w, thread) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int compare_order(const void *a, const void *b, void *ctx)
{
	const struct writer *w = ctx;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const struct pipa_sample *x = &w->p->samples.items[i], *y = &w->p->samples.items[k];
	uint32_t p = resource_of(w, x), q = resource_of(w, y);
	int order;

	if (p != q)
		return p < q ? -1 : 1;
	p = w->base_events[x->event];
	q = w->base_events[y->event];
	if (p != q)
		return p < q ? -1 : 1;
	order = compare_keys(w, x, y);
	return order ? order : i < k ? -1 : 1;
}

/* Sort order[] by resource, or else by event, by counting: samples keep their order otherwise. 0 or -ENOMEM. */
static int sort_by_count(struct writer *w, bool by_resource)
{
	size_t keys = by_resource ? w->resources.n : w->p->events.n, i, sum = 0;
	PIPA_AUTO(free) size_t *starts = calloc(keys + 1, sizeof(*starts));
	uint32_t *sorted = malloc(w->n_order * sizeof(*sorted) + 1);
#define KEY(number)                                                                                \
	(by_resource ? resource_of(w, &w->p->samples.items[number]) :                              \
		       w->base_events[w->p->samples.items[number].event])

	if (!starts || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (i = 0; i < w->n_order; i++)
		starts[KEY(w->order[i])]++;
	for (i = 0; i < keys; i++) {
		size_t n = starts[i];

		starts[i] = sum;
		sum += n;
	}
	for (i = 0; i < w->n_order; i++)
		sorted[starts[KEY(w->order[i])]++] = w->order[i];
#undef KEY
	free(w->order);
	w->order = sorted;
	return 0;
}

static int sort_samples(struct writer *w)
{
	size_t i;
	int rc = 0;

	w->n_order = w->until - w->from;
	w->order = malloc(w->n_order * sizeof(*w->order) + 1);
	w->base_events = malloc(w->p->events.n * sizeof(*w->base_events) + 1);
	if (!w->order || !w->base_events)
		return -ENOMEM;
	w->is_joined = w->tables.joined || w->format->no_threads;
	for (i = 0; i < w->p->events.n; i++) {
		uint32_t base = w->p->events.items[i].negative_of;

		w->base_events[i] = base == PIPA_NONE ? (uint32_t)i : base;
		w->is_joined = w->is_joined || base != PIPA_NONE;
	}
	for (i = 0; i < w->n_order; i++)
		w->order[i] = (uint32_t)(w->from + i);
	if (w->is_joined) {
		qsort_r(w->order, w->n_order, sizeof(*w->order), compare_order, w);
		return 0;
	}
	if (w->p->events.n > 1)
		rc = sort_by_count(w, false);
	if (!rc && w->resources.n > 1)
		rc = sort_by_count(w, true);
	return rc;
}

/* Make the attributes of every Profile: those of the file that was read, and its comments with the losses. */
static int make_profile_attributes(struct writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	const struct {
		const char *name;
		uint64_t n;
	} lost[] = { { "lost records", losses->lost_records },
		     { "lost samples", losses->lost_samples },
		     { "throttled", losses->throttled },
		     { "malformed records", losses->damaged },
		     { "truncated stacks", losses->cut_stacks + losses->unwound_truncated } };
	size_t n = pipa_label_set_size(w->p, w->p->attributes), i = 0, n_texts = 0;
	char numbers[PIPA_COUNT(lost)][64];
	PIPA_AUTO(free)
	const char **texts = calloc(w->p->comments.n + PIPA_COUNT(lost), sizeof(*texts));

	w->profile_indices = calloc(n + 1, sizeof(*w->profile_indices));
	if (!w->profile_indices || !texts)
		return -ENOMEM;
	pipa_otlp_list_start(&w->tables);
	while (i < n)
		pipa_otlp_list_label(&w->tables, w->p->attributes, &i);
	for (i = 0; i < w->tables.list.n; i++)
		w->profile_indices[w->n_profile_indices++] = w->tables.list.items[i];
	for (i = 0; i < w->p->comments.n; i++)
		texts[n_texts++] = pipa_profile_string(w->p, w->p->comments.items[i]);
	for (i = 0; i < PIPA_COUNT(lost); i++) {
		if (!lost[i].n)
			continue;
		snprintf(numbers[i], sizeof(numbers[i]), "%s: %" PRIu64, lost[i].name, lost[i].n);
		texts[n_texts++] = numbers[i];
	}
	if (n_texts)
		w->profile_indices[w->n_profile_indices++] = pipa_otlp_texts_attribute(
			&w->tables, "pprof.profile.comment", texts, n_texts);
	return w->tables.status;
}

/* Extend the time range of the profiles, whose end is exclusive, to a timestamp. */
static void include_time(struct writer *w, uint64_t ns)
{
	uint64_t end = w->start_ns + w->duration_ns;

	if (ns < w->start_ns || !w->start_ns)
		w->start_ns = ns;
	if (end <= ns)
		end = ns + 1;
	w->duration_ns = end - w->start_ns;
}

/* Do the timestamps count all samples [from, until)? Sums of several events of a file cannot be counted. */
static bool has_all_times(const struct writer *w)
{
	const struct pipa_timeline *t = w->format->times;
	uint64_t timed = 0, samples = 0;
	size_t i;

	if (!t || !t->n || t->untimed)
		return false;
	for (i = 0; i < t->n; i++)
		if (t->items[i].sample >= w->from && t->items[i].sample < w->until)
			timed += UINT64_C(1) + t->items[i].more;
	for (i = w->from; i < w->until; i++)
		samples += w->p->samples.items[i].count;
	return timed == samples;
}

/* Sort the times by sample, by counting. 0 or -ENOMEM. */
static int sort_times(struct writer *w)
{
	const struct pipa_timeline *t = w->format->times;
	size_t n = w->until - w->from, total = 0, i, k;

	w->start_ns = w->p->start_ns;
	w->duration_ns = w->p->duration_ns;
	w->sample_times.max = SIZE_MAX;
	if (!has_all_times(w))
		return 0;
	w->time_starts = calloc(n + 2, sizeof(*w->time_starts));
	if (!w->time_starts)
		return -ENOMEM;
	/* number of times of sample i in [i + 2], then its start in [i + 1], then its end there */
	for (i = 0; i < t->n; i++)
		if (t->items[i].sample - w->from < n)
			w->time_starts[t->items[i].sample - w->from + 2] +=
				(size_t)t->items[i].more + 1;
	for (i = 2; i < n + 2; i++)
		w->time_starts[i] += w->time_starts[i - 1];
	total = w->time_starts[n + 1];
	w->times = malloc(total * sizeof(*w->times) + 1);
	if (!w->times)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		uint64_t ns = t->items[i].time + w->format->utc_offset_ns;

		if (t->items[i].sample - w->from >= n)
			continue;
		include_time(w, ns);
		for (k = 0; k <= t->items[i].more; k++)
			w->times[w->time_starts[t->items[i].sample - w->from + 1]++] = htole64(ns);
	}
	return 0;
}

static int prepare(struct writer *w)
{
	int rc = pipa_otlp_tables_init(&w->tables, w->p, w->from, w->until);

	w->sets = calloc(w->p->label_sets.n + 1, sizeof(*w->sets));
	w->threads = calloc(w->p->threads.n + 1, sizeof(*w->threads));
	if (!rc && (!w->sets || !w->threads))
		rc = -ENOMEM;
	if (!rc)
		rc = find_resources(w);
	if (!rc)
		rc = sort_samples(w);
	if (!rc)
		rc = sort_times(w);
	if (!rc && w->n_order)
		rc = make_profile_attributes(w);
	return rc;
}

int pipa_otlp_write(const struct pipa_profile *profile, const struct pipa_otlp_format *format,
		    int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct writer w = { .p = profile, .format = format };
	int rc;

	w.until = format->until && format->until < profile->samples.n ? format->until :
									profile->samples.n;
	w.from = format->from < w.until ? format->from : w.until;
	pipa_proto_writer_init(&w.out, put, ctx);
	rc = prepare(&w);
	if (!rc) {
		pipa_proto_measure(&w.out); /* fills the tables, too */
		put_all(&w);
		pipa_proto_write(&w.out);
		rc = w.tables.status ? w.tables.status : w.out.status;
	}
	if (!rc) {
		put_all(&w);
		rc = pipa_proto_flush(&w.out);
	}
	writer_done(&w);
	return rc;
}
