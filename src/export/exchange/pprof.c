#include "export/exchange/pprof.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"
#include "codec/pprof_schema.h"
#include "export/exchange/object_mapping.h"
#include "model/profile.h"

/* A value column: the counts or the weights of an event. */
struct column {
	uint32_t event;
	uint32_t negative; /* event whose values are subtracted, PIPA_NONE: none */
	bool counts;
};

struct writer {
	const struct pipa_profile *p;
	const struct pipa_pprof_format *format;
	struct pipa_proto_writer out;
	uint32_t *strings; /* [string of the profile] number in the file, 0: not yet */
	struct {
		const char **items;
		size_t n, cap;
	} texts; /* strings of the file, in order; the first is "" */
	struct {
		struct column *items;
		size_t n, cap;
	} columns;
	struct pipa_object_extent *extents; /* [object] */
	uint32_t *rows; /* samples of several events in the order of their keys; NULL: one event */
	uint32_t
		*groups; /* where in `rows` each row of the file begins, in the order of the file */
	size_t n_groups;
	uint64_t *values; /* [column] of a row */
	uint64_t *ids; /* [location] its id as a varint, the number of bytes in the highest one */
	bool has_truncated;	/* some stack lacks its callers */
	bool is_foreign;	/* the profile comes from a file with columns */
	struct pipa_arena made; /* texts that the profile does not have */
};

static void writer_done(struct writer *w)
{
	pipa_proto_writer_done(&w->out);
	free(w->strings);
	free(w->texts.items);
	free(w->columns.items);
	free(w->extents);
	free(w->rows);
	free(w->groups);
	free(w->values);
	free(w->ids);
	pipa_arena_done(&w->made);
}

static void set_failure(struct writer *w, int code)
{
	if (!w->out.status)
		w->out.status = code;
}

/* ---- strings ----------------------------------------------------------------------------------- */

/* Return the number in the file of a text, which has to live as long as the writer. */
static uint32_t add_text(struct writer *w, const char *text)
{
	const char **slot = PIPA_VEC_ADD(&w->texts);

	if (!slot) {
		set_failure(w, -ENOMEM);
		return 0;
	}
	*slot = text;
	return (uint32_t)w->texts.n - 1;
}

/* Return the number in the file of a string of the profile. Strings are numbered as they are met. */
static uint32_t string(struct writer *w, uint32_t number)
{
	if (!number || number >= w->p->strings.n || !w->p->strings.items[number].len)
		return 0;
	if (!w->strings[number])
		w->strings[number] = add_text(w, pipa_profile_string(w->p, number));
	return w->strings[number];
}

/* The same of a constant text. Few of them exist, so that searching them is cheap. */
static uint32_t constant(struct writer *w, const char *text)
{
	size_t i;

	for (i = 1; i < w->texts.n && i < 64; i++)
		if (strcmp(w->texts.items[i], text) == 0)
			return (uint32_t)i;
	return *text ? add_text(w, text) : 0;
}

/* ---- columns ----------------------------------------------------------------------------------- */

static uint32_t negative_of(const struct pipa_profile *p, uint32_t event)
{
	uint32_t i;

	for (i = 0; i < p->events.n; i++)
		if (p->events.items[i].negative_of == event)
			return i;
	return PIPA_NONE;
}

static int add_column(struct writer *w, uint32_t event, bool counts)
{
	struct column *column = PIPA_VEC_ADD(&w->columns);

	if (!column)
		return -ENOMEM;
	*column = (struct column){ event, negative_of(w->p, event), counts };
	return 0;
}

/* Lay out the columns: a count and a weight per event, only the weight where counts are not known. */
static int add_columns(struct writer *w)
{
	bool empty = !w->p->samples.n; /* then readers still need columns to know the file */
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < w->p->events.n; i++) {
		const struct pipa_profile_event *event = &w->p->events.items[i];

		/* the event of the side-band records has no samples; a column of a foreign file stays */
		if (event->negative_of != PIPA_NONE ||
		    (!event->column_group && !event->count && !empty))
			continue;
		if (event->counted)
			rc = add_column(w, i, true);
		if (!rc)
			rc = add_column(w, i, false);
	}
	w->values = calloc(w->columns.n + 1, sizeof(*w->values));
	return rc || w->values ? rc : -ENOMEM;
}

static size_t count_events(const struct writer *w)
{
	size_t i, n = 0;

	for (i = 0; i < w->columns.n; i++)
		n += !w->columns.items[i].counts;
	return n;
}

/* Is the event time on a CPU, which pprof calls "cpu"? */
static bool is_cpu_time(const struct pipa_profile *p, const struct pipa_profile_event *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	const char *name = pipa_profile_string(p, event->name);
	size_t i;

	if (strcmp(pipa_profile_string(p, event->unit), PIPA_VALUE_NS) != 0)
		return false;
	for (i = 0; i < PIPA_COUNT(clocks); i++)
		if (strncmp(name, clocks[i], strlen(clocks[i])) == 0)
			return true;
	return false;
}

static uint32_t event_name(struct writer *w, const struct pipa_profile_event *event)
{
	if (!event->column_group && is_cpu_time(w->p, event))
		return constant(w, "cpu");
	if (!event->column_group && !string(w, event->name)) /* folded stacks */
		return constant(w, "value");
	return string(w, event->name);
}

/* Return the name of the column with the event's counts: "samples", with several events "cycles_samples". */
static uint32_t count_name(struct writer *w, const struct pipa_profile_event *event)
{
	const char *name = pipa_profile_string(w->p, event->name);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const char *kept;

	if (event->count_name)
		return string(w, event->count_name);
	if (count_events(w) == 1)
		return constant(w, "samples");
	pipa_buf_printf(&text, "%s_samples", name);
	kept = text.status ? NULL : pipa_arena_text(&w->made, text.data, text.len);
	if (!kept) {
		set_failure(w, -ENOMEM);
		return 0;
	}
	return constant(w, kept);
}

static void put_value_type(struct writer *w, uint32_t field, uint32_t type, uint32_t unit)
{
	size_t start = pipa_proto_begin(&w->out, field);

	pipa_proto_put(&w->out, PIPA_PPROF_VALUE_TYPE_TYPE, type);
	pipa_proto_put(&w->out, PIPA_PPROF_VALUE_TYPE_UNIT, unit);
	pipa_proto_end(&w->out, start);
}

static void put_columns(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->columns.n; i++) {
		const struct pipa_profile_event *event =
			&w->p->events.items[w->columns.items[i].event];

		if (w->columns.items[i].counts)
			put_value_type(w, PIPA_PPROF_SAMPLE_TYPE, count_name(w, event),
				       event->count_unit ? string(w, event->count_unit) :
							   constant(w, PIPA_VALUE_COUNT));
		else
			put_value_type(w, PIPA_PPROF_SAMPLE_TYPE, event_name(w, event),
				       event->unit || w->is_foreign ?
					       string(w, event->unit) :
					       constant(w, PIPA_VALUE_COUNT));
	}
}

/* ---- samples ----------------------------------------------------------------------------------- */

static void put_text_label(struct writer *w, uint32_t key, uint32_t text)
{
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_SAMPLE_LABEL);

	pipa_proto_put(&w->out, PIPA_PPROF_LABEL_KEY, key);
	pipa_proto_put(&w->out, PIPA_PPROF_LABEL_STR, text);
	pipa_proto_end(&w->out, start);
}

static void put_number_label(struct writer *w, uint32_t key, int64_t number, uint32_t unit)
{
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_SAMPLE_LABEL);

	pipa_proto_put(&w->out, PIPA_PPROF_LABEL_KEY, key);
	pipa_proto_put(&w->out, PIPA_PPROF_LABEL_NUM, (uint64_t)number);
	pipa_proto_put(&w->out, PIPA_PPROF_LABEL_NUM_UNIT, unit);
	pipa_proto_end(&w->out, start);
}

/* Write what only OTLP has as text or number: pprof knows nothing else. */
static void put_label(struct writer *w, const struct pipa_label *label)
{
	uint32_t key = string(w, label->key);

	if (label->kind == PIPA_LABEL_TEXT)
		put_text_label(w, key, string(w, label->text));
	else if (label->kind == PIPA_LABEL_BOOL)
		put_text_label(w, key, constant(w, label->number ? "true" : "false"));
	else if (label->kind == PIPA_LABEL_NUMBER)
		put_number_label(w, key, label->number, string(w, label->unit));
	else if (label->kind == PIPA_LABEL_DOUBLE)
		put_number_label(w, key, (int64_t)pipa_label_double(label), string(w, label->unit));
}

static void put_labels(struct writer *w, const struct pipa_sample *sample)
{
	size_t i, n = pipa_label_set_size(w->p, sample->labels);

	for (i = 0; i < n; i++)
		put_label(w, pipa_label_set_get(w->p, sample->labels, i));
	if (sample->thread < w->p->threads.n && !w->format->no_threads) {
		const struct pipa_thread *thread = &w->p->threads.items[sample->thread];

		if (thread->pid != PIPA_UNKNOWN32)
			put_number_label(w, constant(w, "pid"), thread->pid, 0);
		if (thread->tid != PIPA_UNKNOWN32)
			put_number_label(w, constant(w, "tid"), thread->tid, 0);
		if (thread->comm)
			put_text_label(w, constant(w, "comm"), string(w, thread->comm));
	}
	if (sample->cpu != PIPA_NONE)
		put_number_label(w, constant(w, "cpu"), sample->cpu, 0);
}

/* Encode the ids of all locations once: most are written many times. */
static int encode_ids(struct writer *w)
{
	size_t i;

	w->ids = malloc(w->p->locations.n * sizeof(*w->ids) + 1);
	if (!w->ids)
		return -ENOMEM;
	for (i = 0; i < w->p->locations.n; i++) {
		uint8_t bytes[PIPA_VARINT_MAX] = { 0 };
		uint8_t *end = pipa_proto_encode_varint(bytes, i + 1);

		bytes[7] = (uint8_t)(end - bytes); /* at most 5, as the number has 32 bits */
		memcpy(&w->ids[i], bytes, sizeof(w->ids[i]));
	}
	return 0;
}

/* Write the id of a location and, after it, bytes that the next one replaces. */
static inline uint8_t *put_id(const struct writer *w, uint8_t *to, uint32_t location)
{
	memcpy(to, &w->ids[location], sizeof(w->ids[location]));
	return to + (le64toh(w->ids[location]) >> 56);
}

/* Write the locations of a stack, innermost first, as a packed field. */
static void put_stack(struct writer *w, uint32_t stack)
{
	const struct pipa_stack *stacks = w->p->stacks.items;
	size_t start;
	uint8_t *to;

	if (stack == PIPA_NONE)
		return;
	start = pipa_proto_begin(&w->out, PIPA_PPROF_SAMPLE_LOCATION_ID);
	to = pipa_proto_room(&w->out, ((size_t)stacks[stack].depth + 1) * PIPA_VARINT_MAX);
	if (to) {
		to = put_id(w, to, stacks[stack].location);
		while (stacks[stack].parent != PIPA_NONE) {
			/* mostly it is the one before: then the next load does not wait for this one */
			for (; stack && stacks[stack].parent == stack - 1; stack--)
				to = put_id(w, to, stacks[stack - 1].location);
			if (stacks[stack].parent == PIPA_NONE)
				break;
			stack = stacks[stack].parent;
			to = put_id(w, to, stacks[stack].location);
		}
		if (stacks[stack].cut) {
			to = pipa_proto_encode_varint(to, w->p->locations.n + 1);
			w->has_truncated = true;
		}
		w->out.len = (size_t)(to - w->out.window);
	}
	pipa_proto_end(&w->out, start);
}

static void put_sample(struct writer *w, const struct pipa_sample *sample)
{
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_SAMPLE);

	put_stack(w, sample->stack);
	pipa_proto_put_packed(&w->out, PIPA_PPROF_SAMPLE_VALUE, w->values, w->columns.n);
	put_labels(w, sample);
	pipa_proto_end(&w->out, start);
}

/* Add the weight and count of a sample to the columns of its event. */
static void add_values(struct writer *w, const struct pipa_sample *sample)
{
	size_t i;

	for (i = 0; i < w->columns.n; i++) {
		const struct column *column = &w->columns.items[i];
		uint64_t value = column->counts ? sample->count : sample->weight;

		if (value > INT64_MAX)
			set_failure(w, -ERANGE);
		if (column->event == sample->event)
			w->values[i] += value;
		else if (column->negative != PIPA_NONE && column->negative == sample->event)
			w->values[i] -= value;
	}
}

/* Compare what samples of several events share. */
static int compare_keys(const struct pipa_sample *a, const struct pipa_sample *b)
{
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->labels != b->labels ? a->labels < b->labels ? -1 : 1 : 0;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
	const struct pipa_sample *samples = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_keys(&samples[x], &samples[y]);

	return order ? order : x < y ? -1 : 1;
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
	const uint32_t *rows = ctx;
	uint32_t x = rows[*(const uint32_t *)a], y = rows[*(const uint32_t *)b];

	return x < y ? -1 : x > y;
}

/*
 * Sort the samples by key, so that those of one row are neighbours, and the rows by their first sample: a file that is
 * read and written again keeps its order.
 */
static int sort_rows(struct writer *w)
{
	const struct pipa_sample *samples = w->p->samples.items;
	size_t n = w->p->samples.n, i;

	w->rows = malloc(n * sizeof(*w->rows) + 1);
	w->groups = malloc(n * sizeof(*w->groups) + 1);
	if (!w->rows || !w->groups)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		w->rows[i] = (uint32_t)i;
	qsort_r(w->rows, n, sizeof(*w->rows), compare_rows, w->p->samples.items);
	for (i = 0; i < n; i++)
		if (!i || compare_keys(&samples[w->rows[i - 1]], &samples[w->rows[i]]) != 0)
			w->groups[w->n_groups++] = (uint32_t)i;
	qsort_r(w->groups, w->n_groups, sizeof(*w->groups), compare_groups, w->rows);
	return 0;
}

/* Write a row for each stack, thread, CPU and label set, with the values of all events. */
static void put_rows(struct writer *w)
{
	const struct pipa_sample *samples = w->p->samples.items, *first;
	size_t i, row;

	for (i = 0; i < w->n_groups && !w->out.status; i++) {
		row = w->groups[i];
		first = &samples[w->rows[row]];
		memset(w->values, 0, w->columns.n * sizeof(*w->values));
		for (; row < w->p->samples.n && compare_keys(first, &samples[w->rows[row]]) == 0;
		     row++)
			add_values(w, &samples[w->rows[row]]);
		put_sample(w, first);
	}
}

/*
 * Prefetch the frames of a sample that is written later. Those that only this stack has were mostly added one after
 * the other, so that their lines precede that of the innermost one.
 */
static inline __attribute__((always_inline)) void prefetch_stack(const struct writer *w, size_t i)
{
	enum { LINE = 64, LINES = 4 };
	const char *at;
	size_t k;

	if (i >= w->p->samples.n || w->p->samples.items[i].stack == PIPA_NONE)
		return;
	at = (const char *)&w->p->stacks.items[w->p->samples.items[i].stack];
	for (k = 0; k < LINES; k++)
		__builtin_prefetch(at - k * LINE);
}

/* Prefetch the first frame that it shares with an earlier stack, which may be anywhere. */
static inline __attribute__((always_inline)) void prefetch_shared(const struct writer *w, size_t i)
{
	const struct pipa_stack *stacks = w->p->stacks.items;
	uint32_t at;

	if (i >= w->p->samples.n || w->p->samples.items[i].stack == PIPA_NONE)
		return;
	at = w->p->samples.items[i].stack;
	while (at && stacks[at].parent == at - 1)
		at--;
	if (stacks[at].parent != PIPA_NONE)
		__builtin_prefetch(&stacks[stacks[at].parent]);
}

static void put_samples(struct writer *w)
{
	enum { AHEAD = 8 };
	size_t i;

	if (w->rows) {
		put_rows(w);
		return;
	}
	for (i = 0; i < w->p->samples.n && !w->out.status; i++) {
		prefetch_stack(w, i + (size_t)2 * AHEAD);
		prefetch_shared(w, i + AHEAD);
		memset(w->values, 0, w->columns.n * sizeof(*w->values));
		add_values(w, &w->p->samples.items[i]);
		put_sample(w, &w->p->samples.items[i]);
	}
}

/* ---- mappings ---------------------------------------------------------------------------------- */

/* Numbers of mappings: those of the profile first, then one per object. */
static uint64_t mapping_id(const struct writer *w, const struct pipa_location *location)
{
	if (location->mapping)
		return location->mapping;
	return pipa_object_is_mapped(w->p, location) ? w->p->mappings.n + location->object + 1 : 0;
}

/* Return the string of a build id in hexadecimal digits, or of the attribute that a foreign file had. */
static uint32_t build_id(struct writer *w, const struct pipa_object *object)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * PIPA_BUILD_ID_MAX + 1];
	const char *kept;
	size_t i;

	if (!object->build_id.len) {
		const struct pipa_label *label =
			pipa_label_set_size(w->p, object->attributes) == 1 ?
				pipa_label_set_get(w->p, object->attributes, 0) :
				NULL;

		return label && label->kind == PIPA_LABEL_TEXT ? string(w, label->text) : 0;
	}
	for (i = 0; i < object->build_id.len; i++) {
		text[2 * i] = digits[object->build_id.bytes[i] >> 4];
		text[2 * i + 1] = digits[object->build_id.bytes[i] & 15];
	}
	kept = pipa_arena_text(&w->made, text, 2 * i);
	if (!kept)
		set_failure(w, -ENOMEM);
	return kept ? add_text(w, kept) : 0;
}

static void put_mapping(struct writer *w, uint64_t id, const struct pipa_mapping *m)
{
	const struct pipa_object *object = &w->p->objects.items[m->object];
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_MAPPING);

	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_ID, id);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_MEMORY_START, m->start);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_MEMORY_LIMIT, m->limit);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_FILE_OFFSET, m->file_offset);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_FILENAME, string(w, object->path));
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_BUILD_ID, build_id(w, object));
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_HAS_FUNCTIONS,
		       (m->flags & PIPA_MAPPING_FUNCTIONS) != 0);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_HAS_FILENAMES,
		       (m->flags & PIPA_MAPPING_FILES) != 0);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_HAS_LINE_NUMBERS,
		       (m->flags & PIPA_MAPPING_LINES) != 0);
	pipa_proto_put(&w->out, PIPA_PPROF_MAPPING_HAS_INLINE_FRAMES,
		       (m->flags & PIPA_MAPPING_INLINED) != 0);
	pipa_proto_end(&w->out, start);
}

/* Write the mapping of an object of a recording. */
static void put_object_mapping(struct writer *w, uint32_t object)
{
	struct pipa_mapping mapping;

	if (pipa_object_mapping(w->p, w->extents, object, &mapping))
		put_mapping(w, w->p->mappings.n + object + 1, &mapping);
}

static void put_mappings(struct writer *w)
{
	uint32_t i, main_object = pipa_main_object(w->p);

	for (i = 1; i < w->p->mappings.n; i++)
		put_mapping(w, i, &w->p->mappings.items[i]);
	if (main_object != PIPA_NONE)
		put_object_mapping(w, main_object);
	for (i = 0; i < w->p->objects.n; i++)
		if (i != main_object)
			put_object_mapping(w, i);
}

/* ---- locations, functions ---------------------------------------------------------------------- */

static void put_line(struct writer *w, uint64_t function, uint32_t line, uint32_t column)
{
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_LOCATION_LINE);

	pipa_proto_put(&w->out, PIPA_PPROF_LINE_FUNCTION_ID, function);
	pipa_proto_put(&w->out, PIPA_PPROF_LINE_LINE, line);
	pipa_proto_put(&w->out, PIPA_PPROF_LINE_COLUMN, column);
	pipa_proto_end(&w->out, start);
}

static void put_location(struct writer *w, uint32_t number)
{
	const struct pipa_location *l = &w->p->locations.items[number];
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_LOCATION);
	uint64_t address = l->address;
	uint32_t i;

	if (!l->mapping && mapping_id(w, l))
		address = w->extents[l->object].bias + l->offset;
	pipa_proto_put(&w->out, PIPA_PPROF_LOCATION_ID, (uint64_t)number + 1);
	pipa_proto_put(&w->out, PIPA_PPROF_LOCATION_MAPPING_ID, mapping_id(w, l));
	pipa_proto_put(&w->out, PIPA_PPROF_LOCATION_ADDRESS, address);
	for (i = 0; i < l->n_lines; i++) {
		const struct pipa_line *line = &w->p->lines.items[l->lines + i];

		put_line(w, (uint64_t)line->function + 1, line->line, line->column);
	}
	pipa_proto_put(&w->out, PIPA_PPROF_LOCATION_IS_FOLDED, l->folded);
	pipa_proto_end(&w->out, start);
}

static void put_function(struct writer *w, uint32_t number)
{
	const struct pipa_function *f = &w->p->functions.items[number];
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_FUNCTION);
	uint32_t system_name = f->system_name || w->is_foreign ? f->system_name : f->name;

	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_ID, (uint64_t)number + 1);
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_NAME, string(w, f->name));
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_SYSTEM_NAME, string(w, system_name));
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_FILENAME, string(w, f->file));
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_START_LINE, f->start_line);
	pipa_proto_end(&w->out, start);
}

/* Write the location and the function that take the place of missing callers. */
static void put_truncation(struct writer *w)
{
	uint64_t function = w->p->functions.n + 1;
	size_t start = pipa_proto_begin(&w->out, PIPA_PPROF_LOCATION);

	pipa_proto_put(&w->out, PIPA_PPROF_LOCATION_ID, w->p->locations.n + 1);
	put_line(w, function, 0, 0);
	pipa_proto_end(&w->out, start);
	start = pipa_proto_begin(&w->out, PIPA_PPROF_FUNCTION);
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_ID, function);
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_NAME, constant(w, PIPA_PPROF_TRUNCATED));
	pipa_proto_put(&w->out, PIPA_PPROF_FUNCTION_SYSTEM_NAME, constant(w, PIPA_PPROF_TRUNCATED));
	pipa_proto_end(&w->out, start);
}

/* ---- the rest ---------------------------------------------------------------------------------- */

/* Return the string of an attribute of the profile. */
static uint32_t attribute(struct writer *w, const char *key)
{
	size_t i, n = pipa_label_set_size(w->p, w->p->attributes);

	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(w->p, w->p->attributes, i);

		if (label->kind == PIPA_LABEL_TEXT &&
		    strcmp(pipa_profile_string(w->p, label->key), key) == 0)
			return string(w, label->text);
	}
	return 0;
}

static void put_period(struct writer *w)
{
	const struct pipa_profile_event *event = NULL;
	size_t i;

	for (i = 0; i < w->columns.n && !event; i++)
		if (!w->columns.items[i].counts)
			event = &w->p->events.items[w->columns.items[i].event];
	if (!event)
		return;
	if (event->period_name || event->period_unit)
		put_value_type(w, PIPA_PPROF_PERIOD_TYPE, string(w, event->period_name),
			       string(w, event->period_unit));
	else if (event->period && !event->column_group)
		put_value_type(w, PIPA_PPROF_PERIOD_TYPE, event_name(w, event),
			       event->unit ? string(w, event->unit) :
					     constant(w, PIPA_VALUE_COUNT));
	pipa_proto_put(&w->out, PIPA_PPROF_PERIOD, event->period);
}

static void put_comment(struct writer *w, const char *name, uint64_t n)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	const char *kept;

	if (!n)
		return;
	pipa_buf_printf(&text, "%s: %" PRIu64, name, n);
	kept = text.status ? NULL : pipa_arena_text(&w->made, text.data, text.len);
	if (kept)
		pipa_proto_put(&w->out, PIPA_PPROF_COMMENT, add_text(w, kept));
	else
		set_failure(w, -ENOMEM);
}

/* Comments are for people: the losses of the recording are among them. */
static void put_comments(struct writer *w)
{
	const struct pipa_losses *losses = &w->p->losses;
	size_t i;

	for (i = 0; i < w->p->comments.n; i++)
		pipa_proto_put_always(&w->out, PIPA_PPROF_COMMENT,
				      string(w, w->p->comments.items[i]));
	put_comment(w, "lost records", losses->lost_records);
	put_comment(w, "lost samples", losses->lost_samples);
	put_comment(w, "throttled", losses->throttled);
	put_comment(w, "malformed records", losses->damaged);
	put_comment(w, "truncated stacks", losses->cut_stacks + losses->unwound_truncated);
}

/* Return the column to be shown first: without one readers take the last, which is not the first event's. */
static uint32_t default_column(struct writer *w)
{
	size_t i;

	if (w->p->default_column || w->is_foreign)
		return string(w, w->p->default_column);
	for (i = 0; i < w->columns.n; i++)
		if (!w->columns.items[i].counts)
			return event_name(w, &w->p->events.items[w->columns.items[i].event]);
	return 0;
}

static void put_header(struct writer *w)
{
	pipa_proto_put(&w->out, PIPA_PPROF_DROP_FRAMES, attribute(w, "pprof.profile.drop_frames"));
	pipa_proto_put(&w->out, PIPA_PPROF_KEEP_FRAMES, attribute(w, "pprof.profile.keep_frames"));
	pipa_proto_put(&w->out, PIPA_PPROF_TIME_NANOS, w->p->start_ns);
	pipa_proto_put(&w->out, PIPA_PPROF_DURATION_NANOS, w->p->duration_ns);
	put_period(w);
	put_comments(w);
	pipa_proto_put(&w->out, PIPA_PPROF_DEFAULT_SAMPLE_TYPE, default_column(w));
	pipa_proto_put(&w->out, PIPA_PPROF_DOC_URL, attribute(w, "pprof.profile.doc_url"));
}

static void put_strings(struct writer *w)
{
	size_t i;

	for (i = 0; i < w->texts.n; i++)
		pipa_proto_put_bytes(&w->out, PIPA_PPROF_STRING_TABLE, w->texts.items[i],
				     strlen(w->texts.items[i]));
}

static int prepare(struct writer *w)
{
	int rc;

	w->strings = calloc(w->p->strings.n + 1, sizeof(*w->strings));
	if (!w->strings)
		return -ENOMEM;
	add_text(w, "");
	rc = add_columns(w);
	w->extents = pipa_object_extents(w->p);
	if (!w->extents)
		rc = -ENOMEM;
	if (!rc)
		rc = encode_ids(w);
	if (!rc && w->p->events.n > 1)
		rc = sort_rows(w);
	return rc ? rc : w->out.status;
}

int pipa_pprof_write(const struct pipa_profile *profile, const struct pipa_pprof_format *format,
		     int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct writer w = { .p = profile,
			    .format = format,
			    .is_foreign = profile->n_column_groups > 0 };
	uint32_t i;
	int rc;

	pipa_proto_writer_init(&w.out, put, ctx);
	rc = prepare(&w);
	if (!rc) {
		put_columns(&w);
		put_samples(&w);
		put_mappings(&w);
		for (i = 0; i < profile->locations.n; i++)
			put_location(&w, i);
		for (i = 0; i < profile->functions.n; i++)
			put_function(&w, i);
		if (w.has_truncated)
			put_truncation(&w);
		put_header(&w);
		put_strings(&w);
		rc = pipa_proto_flush(&w.out);
	}
	writer_done(&w);
	return rc;
}
