#include "import/otlp/otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/leb.h"
#include "base/vec.h"
#include "codec/otlp_layout.h"
#include "codec/otlp_schema.h"
#include "import/count_column.h"
#include "import/otlp/attributes.h"
#include "import/otlp/dictionary.h"
#include "import/otlp/source.h"
#include "model/profile.h"
#include "model/timeline.h"

/* A Profile without its samples. */
struct head {
	struct pipa_span bytes;
	uint32_t type, unit, period_type, period_unit; /* strings */
	uint64_t period;
	uint32_t event;
	bool is_count; /* values are the counts of the next Profile's event */
};

struct reader {
	struct pipa_otlp_rows rows; /* the dictionary and the profile */
	struct pipa_timeline *timeline;
	enum pipa_otlp_layout layout;
	struct pipa_proto_memory head_memory, sample_memory;
	uint32_t trace_id, span_id; /* keys of labels, strings of the profile */
	uint32_t column;	    /* number of columns so far */
	struct {
		struct head *items;
		size_t n, cap;
	} heads; /* of the current scope */

	/* the attributes of the last sample, which the next one often shares */
	struct {
		bool is_set;
		int32_t *indices;
		size_t n, cap;
		int32_t link;
		uint32_t thread, cpu, labels;
	} last;
	struct pipa_thread thread; /* pid and process of the current resource */
};

static void reader_done(struct reader *r)
{
	pipa_otlp_rows_done(&r->rows);
	pipa_proto_memory_done(&r->head_memory);
	pipa_proto_memory_done(&r->sample_memory);
	free(r->heads.items);
	free(r->last.indices);
}

/* ---- resources --------------------------------------------------------------------------------- */

/* Return the key of a resource's or scope's attribute, which may be a reference. */
static int find_key(struct reader *r, const struct pipa_otlp_key_value *pair, const uint8_t *at,
		    uint32_t *ret)
{
	return pair->key.size ? pipa_otlp_add_text(&r->rows, pair->key, ret) :
				pipa_otlp_find_string(&r->rows, "KeyValue.key_strindex",
						      pair->key_strindex, at, ret);
}

/* Take an attribute of a resource that is a field of a process; false if it is not. */
static bool set_process_field(const struct reader *r, const struct pipa_label *label,
			      struct pipa_profile_process *process)
{
	const char *text = label->kind == PIPA_LABEL_TEXT ?
				   pipa_profile_string(r->rows.p, label->text) :
				   NULL;

	switch (pipa_otlp_key_find(pipa_profile_string(r->rows.p, label->key))) {
	case PIPA_OTLP_KEY_PID:
		if (!pipa_label_is_u32(label))
			return false;
		process->pid = (uint32_t)label->number;
		return true;
	case PIPA_OTLP_KEY_EXE: process->exe = text ? label->text : 0; return text != NULL;
	case PIPA_OTLP_KEY_CGROUP: process->cgroup = text ? label->text : 0; return text != NULL;
	case PIPA_OTLP_KEY_CONTAINER:
		process->container = text ? label->text : 0;
		return text != NULL;
	case PIPA_OTLP_KEY_SERVICE: /* the name of a service without one */
		return text && strncmp(text, "unknown_service", 15) == 0;
	default: return false;
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Remove process.executable.name if it follows from the path. */
static void drop_executable_name(struct reader *r, const struct pipa_profile_process *process)
{
	const char *name = base_name(pipa_profile_string(r->rows.p, process->exe));
	size_t i;

	for (i = 0; i < r->rows.list.n; i++) {
		const struct pipa_label *label = &r->rows.list.items[i];

		if (label->kind != PIPA_LABEL_TEXT || !process->exe ||
		    strcmp(pipa_profile_string(r->rows.p, label->key),
			   pipa_otlp_key_names[PIPA_OTLP_KEY_EXE_NAME]) != 0 ||
		    strcmp(pipa_profile_string(r->rows.p, label->text), name) != 0)
			continue;
		r->rows.list.n--;
		memmove(&r->rows.list.items[i], &r->rows.list.items[i + 1],
			(r->rows.list.n - i) * sizeof(*r->rows.list.items));
		return;
	}
}

/* Read a resource to r->thread: the process of its samples. */
static int read_resource(struct reader *r, struct pipa_span bytes)
{
	struct pipa_profile_process process = { .pid = PIPA_UNKNOWN32 };
	struct pipa_otlp_resource resource;
	struct pipa_proto_error e;
	size_t i;
	int rc;

	pipa_proto_reset(&r->head_memory);
	rc = pipa_proto_decode(&pipa_otlp_resource_message, bytes, &r->head_memory, &resource, &e);
	if (rc == -EBADMSG)
		return pipa_otlp_refuse_wire(&r->rows.source, &e,
					     pipa_otlp_offset(&r->rows.source, bytes.data));
	r->rows.list.n = 0;
	for (i = 0; !rc && i < resource.attributes.n; i++) {
		struct pipa_otlp_key_value *pair = &resource.attributes.items[i];
		size_t before = r->rows.list.n;
		uint32_t key = 0;

		rc = find_key(r, pair, bytes.data, &key);
		if (!rc)
			rc = pipa_otlp_append_labels(&r->rows, &r->rows.list, key, 0, pair->value,
						     false, bytes.data);
		if (!rc && r->rows.list.n > before &&
		    set_process_field(r, &r->rows.list.items[before], &process))
			r->rows.list.n = before;
	}
	if (rc)
		return rc;
	drop_executable_name(r, &process);
	rc = pipa_otlp_make_set(&r->rows, &process.attributes);
	r->thread = (struct pipa_thread){ .pid = process.pid, .tid = PIPA_UNKNOWN32 };
	if (rc || (process.pid == PIPA_UNKNOWN32 && !process.exe && !process.cgroup &&
		   !process.container && !process.attributes))
		return rc;
	r->thread.process = pipa_profile_process(r->rows.p, &process);
	return r->thread.process == PIPA_NONE ? -ENOMEM : 0;
}

/* ---- samples ----------------------------------------------------------------------------------- */

static int list_id(struct reader *r, uint32_t key, struct pipa_span id)
{
	static const char digits[] = "0123456789abcdef";
	struct pipa_label *label;
	char text[2 * 16];
	size_t i;

	for (i = 0; i < id.size; i++) {
		text[2 * i] = digits[id.data[i] >> 4];
		text[2 * i + 1] = digits[id.data[i] & 15];
	}
	label = PIPA_VEC_ADD(&r->rows.list);
	if (!label)
		return -ENOMEM;
	label->key = key;
	label->kind = PIPA_LABEL_TEXT;
	label->text = pipa_strings_add(&r->rows.p->strings, text, 2 * id.size);
	return label->text == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* Add the labels of a link; an empty link is none. */
static int add_link(struct reader *r, int32_t index, uint64_t offset)
{
	const struct pipa_otlp_link *link;
	int rc = 0;

	if (!index)
		return 0;
	if (index < 0 || (size_t)index >= r->rows.tables.link_table.n)
		return pipa_otlp_refuse_index(&r->rows.source, "Sample.link_index", index,
					      r->rows.tables.link_table.n, offset);
	link = &r->rows.tables.link_table.items[index];
	if ((link->trace_id.size && link->trace_id.size != 16) ||
	    (link->span_id.size && link->span_id.size != 8))
		return pipa_refuse(r->rows.source.err, -EBADMSG,
				   "malformed OTLP profiles: Link at offset %" PRIu64
				   " has ids of %zu and %zu bytes, expected 16 and 8",
				   pipa_otlp_entry_offset(&r->rows.source, PIPA_OTLP_LINK_TABLE,
							  (size_t)index),
				   link->trace_id.size, link->span_id.size);
	if (link->trace_id.size)
		rc = list_id(r, r->trace_id, link->trace_id);
	if (!rc && link->span_id.size)
		rc = list_id(r, r->span_id, link->span_id);
	return rc;
}

/* Take the attribute of a sample: of its thread or CPU, or a label. */
static int add_sample_attribute(struct reader *r,
				const struct pipa_otlp_attribute_labels *attribute,
				struct pipa_thread *thread, uint32_t *cpu)
{
	const struct pipa_label *text = pipa_otlp_only_label(&r->rows, attribute, PIPA_LABEL_TEXT);
	const struct pipa_label *number = pipa_otlp_only_label(&r->rows, attribute,
							       PIPA_LABEL_NUMBER);

	if (attribute->key == PIPA_OTLP_KEY_THREAD_ID && pipa_label_is_u32(number))
		thread->tid = (uint32_t)number->number;
	else if (attribute->key == PIPA_OTLP_KEY_PID && pipa_label_is_u32(number) &&
		 !thread->process)
		thread->pid = (uint32_t)number->number;
	else if (attribute->key == PIPA_OTLP_KEY_CPU && pipa_label_is_u32(number))
		*cpu = (uint32_t)number->number;
	else if (attribute->key == PIPA_OTLP_KEY_THREAD_NAME && text)
		thread->comm = text->text;
	else
		return pipa_otlp_list_labels(&r->rows, attribute);
	return 0;
}

/* Remember the attributes of a sample for the next one. 0 or -ENOMEM. */
static int keep_last(struct reader *r, const struct pipa_otlp_sample *s,
		     const struct pipa_sample *sample)
{
	size_t n = s->attribute_indices.n;

	if (n > r->last.cap) {
		int32_t *indices = realloc(r->last.indices, 2 * n * sizeof(*indices));

		if (!indices)
			return -ENOMEM;
		r->last.indices = indices;
		r->last.cap = 2 * n;
	}
	if (n)
		memcpy(r->last.indices, s->attribute_indices.items, n * sizeof(*r->last.indices));
	r->last.n = n;
	r->last.link = s->link_index;
	r->last.thread = sample->thread;
	r->last.cpu = sample->cpu;
	r->last.labels = sample->labels;
	r->last.is_set = true;
	return 0;
}

static int add_sample_attributes(struct reader *r, const struct pipa_otlp_sample *s,
				 uint64_t offset, struct pipa_sample *sample)
{
	struct pipa_thread thread = r->thread;
	size_t i, n = s->attribute_indices.n;
	int rc = 0;

	if (r->last.is_set && r->last.link == s->link_index && r->last.n == n &&
	    (!n || memcmp(r->last.indices, s->attribute_indices.items,
			  n * sizeof(*r->last.indices)) == 0)) {
		sample->thread = r->last.thread;
		sample->cpu = r->last.cpu;
		sample->labels = r->last.labels;
		return 0;
	}
	r->rows.list.n = 0;
	for (i = 0; !rc && i < n; i++) {
		const struct pipa_otlp_attribute_labels *attribute = pipa_otlp_find_attribute(
			&r->rows, "Sample.attribute_indices", s->attribute_indices.items[i], offset,
			&rc);

		if (attribute)
			rc = add_sample_attribute(r, attribute, &thread, &sample->cpu);
	}
	if (!rc)
		rc = add_link(r, s->link_index, offset);
	if (!rc)
		rc = pipa_otlp_make_set(&r->rows, &sample->labels);
	if (rc)
		return rc;
	sample->thread = PIPA_NONE;
	if (thread.process || thread.comm || thread.pid != PIPA_UNKNOWN32 ||
	    thread.tid != PIPA_UNKNOWN32) {
		sample->thread = pipa_profile_thread(r->rows.p, &thread);
		if (sample->thread == PIPA_NONE)
			return -ENOMEM;
	}
	return keep_last(r, s, sample);
}

/* Add the times of observations to the timeline; `values` has a value for each, or none. */
static int add_times(struct reader *r, const struct pipa_otlp_sample *s,
		     const struct pipa_sample *sample)
{
	uint32_t row;
	size_t i;

	if (!r->timeline)
		return 0;
	row = pipa_profile_sample(r->rows.p, sample);
	if (row == PIPA_NONE)
		return -ENOMEM;
	for (i = 0; i < s->timestamps_unix_nano.n; i++) {
		struct pipa_timed_sample moment = { .time = s->timestamps_unix_nano.items[i],
						    .weight = 1,
						    .sample = row,
						    .cpu = pipa_timed_sample_cpu(sample->cpu) };

		if (s->values.n)
			moment.weight = s->values.items[i] > 0 ? (uint64_t)s->values.items[i] : 0;
		if (pipa_timeline_add(r->timeline, &moment) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Add values to the sample: to its count, or to its weight. */
static int add_values(struct reader *r, const struct head *head, const struct pipa_otlp_sample *s,
		      struct pipa_sample *sample)
{
	int64_t sum = 0;
	uint64_t n = s->timestamps_unix_nano.n, size;
	size_t i;
	int rc;

	for (i = 0; i < s->values.n; i++)
		if (__builtin_add_overflow(sum, s->values.items[i], &sum))
			return -ERANGE;
	if (!s->values.n)
		sum = (int64_t)n;
	size = sum < 0 ? 0 - (uint64_t)sum : (uint64_t)sum;
	sample->event = head->event;
	if (head->is_count) {
		if (sum < 0)
			sample->event = pipa_profile_negative_event(r->rows.p, head->event);
		if (sample->event == PIPA_NONE)
			return -ENOMEM;
		if (r->rows.p->events.items[sample->event].count + size < size)
			return -ERANGE;
		sample->count = size;
		return pipa_profile_add(r->rows.p, sample);
	}
	if (!pipa_profile_has_room(r->rows.p, head->event, size) ||
	    r->rows.p->events.items[head->event].count + n + 1 < n + 1)
		return -ERANGE;
	if (!r->rows.p->events.items[head->event].counted)
		sample->count = n ? n : sum != 0;
	rc = pipa_profile_add_signed(r->rows.p, sample, sum);
	return rc ? rc : add_times(r, s, sample);
}

static int add_sample(struct reader *r, const struct head *head, struct pipa_span bytes)
{
	struct pipa_sample sample = { .cpu = PIPA_NONE };
	uint64_t offset = pipa_otlp_offset(&r->rows.source, bytes.data);
	struct pipa_otlp_sample s;
	struct pipa_proto_error e;
	int rc;

	pipa_proto_reset(&r->sample_memory);
	rc = pipa_proto_decode(&pipa_otlp_sample_messages[r->layout], bytes, &r->sample_memory, &s,
			       &e);
	if (rc == -EBADMSG)
		return pipa_otlp_refuse_wire(&r->rows.source, &e, offset);
	if (!rc && !s.values.n && !s.timestamps_unix_nano.n)
		return pipa_refuse(r->rows.source.err, -EBADMSG,
				   "malformed OTLP profiles: Sample at offset %" PRIu64
				   " has neither values nor timestamps",
				   offset);
	if (!rc && s.values.n && s.timestamps_unix_nano.n && s.values.n != s.timestamps_unix_nano.n)
		return pipa_refuse(r->rows.source.err, -EBADMSG,
				   "malformed OTLP profiles: Sample at offset %" PRIu64
				   " has %zu values and %zu timestamps",
				   offset, s.values.n, s.timestamps_unix_nano.n);
	if (!rc)
		rc = pipa_otlp_find_stack(&r->rows, s.stack_index, offset, &sample.stack);
	if (!rc)
		rc = add_sample_attributes(r, &s, offset, &sample);
	if (!rc)
		rc = add_values(r, head, &s, &sample);
	return rc == -ERANGE ? pipa_refuse(r->rows.source.err, rc,
					   "cannot add the values of the profile: their sum "
					   "exceeds 64 bits") :
			       rc;
}

/* ---- profiles ---------------------------------------------------------------------------------- */

static int read_value_type(struct reader *r, const struct pipa_otlp_value_type *type,
			   const uint8_t *at, uint32_t *ret_type, uint32_t *ret_unit)
{
	int rc = type ? pipa_otlp_find_string(&r->rows, "ValueType.type_strindex",
					      type->type_strindex, at, ret_type) :
			0;

	if (!rc && type)
		rc = pipa_otlp_find_string(&r->rows, "ValueType.unit_strindex", type->unit_strindex,
					   at, ret_unit);
	return rc;
}

/* Add the texts of a comment, an array or a single one. */
static int add_comments(struct reader *r, const struct pipa_otlp_attribute_labels *attribute)
{
	const struct pipa_label *label = pipa_otlp_only_label(&r->rows, attribute, PIPA_LABEL_OTLP);
	struct pipa_otlp_any_value value;
	struct pipa_proto_error e;
	const struct pipa_string *text;
	uint32_t i, comment;
	int rc = 0;

	for (i = 0; !rc && i < attribute->n; i++)
		if (r->rows.labels.items[attribute->first + i].kind == PIPA_LABEL_TEXT)
			rc = pipa_profile_comment(
				r->rows.p,
				pipa_profile_string(
					r->rows.p,
					r->rows.labels.items[attribute->first + i].text));
	if (rc || !label)
		return rc;
	/* an array of one text */
	text = &r->rows.p->strings.items[label->text];
	rc = pipa_proto_decode(&pipa_otlp_any_value_message,
			       (struct pipa_span){ (const uint8_t *)text->text, text->len },
			       &r->head_memory, &value, &e);
	if (rc || value.which != PIPA_OTLP_ARRAY_VALUE)
		return rc;
	for (i = 0; !rc && i < value.array_value->values.n; i++) {
		if (value.array_value->values.items[i].which != PIPA_OTLP_STRING_VALUE)
			continue;
		rc = pipa_otlp_add_text(&r->rows, value.array_value->values.items[i].string_value,
					&comment);
		if (!rc)
			rc = pipa_profile_comment(r->rows.p,
						  pipa_profile_string(r->rows.p, comment));
	}
	return rc;
}

static int add_profile_attributes(struct reader *r, const struct pipa_otlp_profile *profile,
				  uint64_t offset)
{
	uint32_t set;
	size_t i;
	int rc = 0;

	r->rows.list.n = 0;
	for (i = 0; !rc && i < profile->attribute_indices.n; i++) {
		const struct pipa_otlp_attribute_labels *attribute = pipa_otlp_find_attribute(
			&r->rows, "Profile.attribute_indices", profile->attribute_indices.items[i],
			offset, &rc);

		if (attribute)
			rc = attribute->key == PIPA_OTLP_KEY_COMMENT ?
				     add_comments(r, attribute) :
				     pipa_otlp_list_labels(&r->rows, attribute);
	}
	if (!rc)
		rc = pipa_otlp_make_set(&r->rows, &set);
	if (rc)
		return rc;
	set = pipa_label_set_join(r->rows.p, r->rows.p->attributes, set);
	if (set == PIPA_NONE)
		return -ENOMEM;
	r->rows.p->attributes = set;
	return 0;
}

/* Use the earliest start and the longest duration. */
static void add_time(struct reader *r, const struct pipa_otlp_profile *profile)
{
	uint64_t start = profile->time_unix_nano;

	if (start && (!r->rows.p->start_ns || start < r->rows.p->start_ns))
		r->rows.p->start_ns = start;
	if (profile->duration_nano > r->rows.p->duration_ns)
		r->rows.p->duration_ns = profile->duration_nano;
}

static int add_head(struct reader *r, struct pipa_span bytes)
{
	struct head *head = PIPA_VEC_ADD(&r->heads);
	struct pipa_otlp_profile profile;
	struct pipa_proto_error e;
	int rc;

	if (!head)
		return -ENOMEM;
	head->bytes = bytes;
	pipa_proto_reset(&r->head_memory);
	rc = pipa_proto_decode(&pipa_otlp_profile_head_message, bytes, &r->head_memory, &profile,
			       &e);
	if (rc == -EBADMSG)
		return pipa_otlp_refuse_wire(&r->rows.source, &e,
					     pipa_otlp_offset(&r->rows.source, bytes.data));
	if (!rc)
		rc = read_value_type(r, profile.sample_type, bytes.data, &head->type, &head->unit);
	if (!rc)
		rc = read_value_type(r, profile.period_type, bytes.data, &head->period_type,
				     &head->period_unit);
	if (rc)
		return rc;
	head->period = profile.period > 0 ? (uint64_t)profile.period : 0;
	add_time(r, &profile);
	return add_profile_attributes(r, &profile, pipa_otlp_offset(&r->rows.source, bytes.data));
}

static bool is_count(const struct reader *r, const struct head *head)
{
	return pipa_is_count_column(pipa_profile_string(r->rows.p, head->type),
				    pipa_profile_string(r->rows.p, head->unit));
}

/* Has the next Profile of the scope the weights of the samples that this one counts? */
static bool is_pair(const struct reader *r, size_t i)
{
	const struct head *a = &r->heads.items[i], *b = a + 1;

	return i + 1 < r->heads.n && is_count(r, a) && !is_count(r, b) && a->period == b->period &&
	       a->period_type == b->period_type && a->period_unit == b->period_unit;
}

/* Find the event of a Profile; `count` has its counts, NULL: none has. */
static int add_column(struct reader *r, struct head *head, const struct head *count)
{
	struct pipa_profile *p = r->rows.p;
	size_t before = p->events.n;
	struct pipa_event_type type = {
		.name = pipa_profile_string(p, head->type),
		.unit = pipa_profile_string(p, head->unit),
		.period = head->period,
		.period_name = pipa_profile_string(p, head->period_type),
		.period_unit = pipa_profile_string(p, head->period_unit),
		.uncounted = !count,
		.column_group = p->n_column_groups,
		.column = r->column + (count != NULL),
	};

	if (count) {
		type.count_name = pipa_profile_string(p, count->type);
		type.count_unit = pipa_profile_string(p, count->unit);
	}
	head->event = pipa_profile_event_of(p, &type);
	if (head->event == PIPA_NONE)
		return -ENOMEM;
	if (p->events.n > before)
		r->column = type.column + 1;
	return 0;
}

static int add_samples(struct reader *r, const struct head *head)
{
	struct pipa_cursor in = pipa_span_cursor(head->bytes, false);
	struct pipa_span bytes;
	int rc;

	while ((rc = pipa_otlp_next_message(&r->rows.source, &in, PIPA_OTLP_PROFILE_SAMPLES,
					    "Profile.samples", &bytes)) > 0) {
		rc = add_sample(r, head, bytes);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* Read the scope's attributes: the column to be shown first. */
static int read_scope(struct reader *r, struct pipa_span bytes)
{
	struct pipa_otlp_scope scope;
	struct pipa_proto_error e;
	uint32_t key;
	size_t i;
	int rc;

	pipa_proto_reset(&r->head_memory);
	rc = pipa_proto_decode(&pipa_otlp_scope_message, bytes, &r->head_memory, &scope, &e);
	if (rc == -EBADMSG)
		return pipa_otlp_refuse_wire(&r->rows.source, &e,
					     pipa_otlp_offset(&r->rows.source, bytes.data));
	for (i = 0; !rc && i < scope.attributes.n; i++) {
		struct pipa_otlp_key_value *pair = &scope.attributes.items[i];

		r->rows.list.n = 0;
		rc = find_key(r, pair, bytes.data, &key);
		if (!rc)
			rc = pipa_otlp_append_labels(&r->rows, &r->rows.list, key, 0, pair->value,
						     false, bytes.data);
		if (!rc && r->rows.list.n && r->rows.list.items[0].kind == PIPA_LABEL_TEXT &&
		    strcmp(pipa_profile_string(r->rows.p, key),
			   pipa_otlp_key_names[PIPA_OTLP_KEY_DEFAULT_TYPE]) == 0)
			r->rows.p->default_column = r->rows.list.items[0].text;
	}
	return rc;
}

static int read_scope_profiles(struct reader *r, struct pipa_span bytes)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false), again = in;
	struct pipa_span inside;
	size_t i;
	int rc;

	while ((rc = pipa_otlp_next_message(&r->rows.source, &again, PIPA_OTLP_SCOPE_PROFILES_SCOPE,
					    "ScopeProfiles.scope", &inside)) > 0) {
		rc = read_scope(r, inside);
		if (rc < 0)
			return rc;
	}
	r->heads.n = 0;
	while (!rc &&
	       (rc = pipa_otlp_next_message(&r->rows.source, &in, PIPA_OTLP_SCOPE_PROFILES_PROFILES,
					    "ScopeProfiles.profiles", &inside)) > 0)
		rc = add_head(r, inside);
	for (i = 0; !rc && i < r->heads.n; i++) {
		struct head *head = &r->heads.items[i];

		head->is_count = is_pair(r, i);
		if (head->is_count) {
			rc = add_column(r, head + 1, head);
			head->event = head[1].event;
		} else if (!i || !head[-1].is_count) {
			rc = add_column(r, head, NULL);
		}
	}
	for (i = 0; !rc && i < r->heads.n; i++)
		rc = add_samples(r, &r->heads.items[i]);
	return rc;
}

static int read_resource_profiles(struct reader *r, struct pipa_span bytes)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false), again = in;
	struct pipa_span inside;
	int rc;

	r->last.is_set = false;
	r->thread = (struct pipa_thread){ .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 };
	while ((rc = pipa_otlp_next_message(&r->rows.source, &again,
					    PIPA_OTLP_RESOURCE_PROFILES_RESOURCE,
					    "ResourceProfiles.resource", &inside)) > 0) {
		rc = read_resource(r, inside);
		if (rc < 0)
			return rc;
	}
	while (!rc && (rc = pipa_otlp_next_message(&r->rows.source, &in,
						   PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES,
						   "ResourceProfiles.scope_profiles", &inside)) > 0)
		rc = read_scope_profiles(r, inside);
	return rc;
}

static int read_profiles(struct reader *r)
{
	struct pipa_cursor in = pipa_span_cursor(r->rows.source.file, false);
	struct pipa_span bytes;
	int rc = 0;

	while (!rc &&
	       (rc = pipa_otlp_next_message(&r->rows.source, &in, PIPA_OTLP_RESOURCE_PROFILES,
					    "ProfilesData.resource_profiles", &bytes)) > 0)
		rc = read_resource_profiles(r, bytes);
	return rc;
}

/* Sum the squared weights of events whose counts and weights came from different Profiles. */
static void sum_squares(struct pipa_profile *p, size_t first_event)
{
	size_t i;

	for (i = first_event; i < p->events.n; i++)
		p->events.items[i].squares = 0;
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];

		if (s->event >= first_event && s->event < p->events.n && s->count)
			p->events.items[s->event].squares += (double)s->weight * (double)s->weight /
							     (double)s->count;
	}
}

int pipa_otlp_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
		   struct pipa_span file, struct pipa_error *err)
{
	struct reader r = { .rows = { .p = profile, .source = { .file = file, .err = err } },
			    .timeline = timeline };
	size_t first_event = profile->events.n;
	int rc;

	r.trace_id = pipa_profile_text(profile, "trace_id");
	r.span_id = pipa_profile_text(profile, "span_id");
	rc = r.trace_id == PIPA_NO_STRING || r.span_id == PIPA_NO_STRING ? -ENOMEM : 0;
	if (!rc)
		rc = pipa_otlp_read_dictionary(&r.rows);
	r.layout = pipa_otlp_layout_find(file);
	profile->n_column_groups++;
	if (!rc)
		rc = read_profiles(&r);
	sum_squares(profile, first_event);
	reader_done(&r);
	return rc;
}

bool pipa_otlp_is(struct pipa_span start)
{
	struct pipa_cursor in = pipa_span_cursor(start, false);
	uint64_t tag = pipa_get_uleb(&in);

	/*
	 * If the dictionary comes first, so does its empty mapping. Samples of a pprof profile have the same number and
	 * could be a mapping by chance.
	 */
	if (!in.status && tag == (PIPA_OTLP_DICTIONARY << 3 | PIPA_WIRE_BYTES)) {
		static const uint8_t empty_mapping[] = {
			PIPA_OTLP_MAPPING_TABLE << 3 | PIPA_WIRE_BYTES, 0
		};

		pipa_get_uleb(&in);
		if (in.status || pipa_cursor_left(&in) < sizeof(empty_mapping) ||
		    memcmp(in.pos, empty_mapping, sizeof(empty_mapping)) != 0)
			return false;
	}
	return pipa_proto_matches(&pipa_otlp_data_messages[PIPA_OTLP_1_10], start, false) ||
	       pipa_proto_matches(&pipa_otlp_data_messages[PIPA_OTLP_1_9], start, false);
}
