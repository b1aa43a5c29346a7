#include "import/pprof_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "codec/pprof_schema.h"
#include "import/count_column.h"
#include "import/id_map.h"
#include "import/location_lines.h"
#include "import/object_name.h"
#include "model/profile.h"

/* A frame of the last sample's stack. */
struct step {
	uint64_t id;	/* of the location */
	uint32_t stack; /* of the frames from the outermost one to this */
};

struct pipa_pprof_builder {
	struct pipa_profile *p;
	struct pipa_error *err;
	const struct pipa_pprof_profile *tables; /* all but the samples */
	uint32_t *strings;   /* [string of the file] in the profile, PIPA_NONE: not yet */
	uint32_t *functions; /* [function of the file] in the profile, PIPA_NONE: not yet */
	struct pipa_id_map mapping_ids, function_ids, location_ids;
	uint32_t truncated; /* location of PIPA_PPROF_TRUNCATED, PIPA_NONE: there is none */
	uint32_t *columns;  /* [column] its event; PIPA_NONE: the counts of the next one's */
	uint32_t pid, tid, comm, cpu; /* keys of labels, strings of the profile */
	struct {
		struct step *items;
		size_t n, cap;
	} path; /* the stack of the last sample, outermost first */
	struct {
		struct pipa_label *items;
		size_t n, cap;
	} labels;			  /* of the current sample */
	struct pipa_location_lines lines; /* of the current location */
};

void pipa_pprof_builder_free(struct pipa_pprof_builder *r)
{
	if (!r)
		return;
	free(r->strings);
	free(r->functions);
	pipa_id_map_done(&r->mapping_ids);
	pipa_id_map_done(&r->function_ids);
	pipa_id_map_done(&r->location_ids);
	free(r->columns);
	free(r->path.items);
	free(r->labels.items);
	free(r->lines.items);
	free(r);
}

/* Return the number in the profile of a string of the file. 0, -EBADMSG or -ENOMEM. */
static int find_string(struct pipa_pprof_builder *r, int64_t number, uint32_t *ret)
{
	if (number < 0 || (uint64_t)number >= r->tables->string_table.n)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed pprof profile: string index %" PRId64
				   " exceeds the table of %zu strings",
				   number, r->tables->string_table.n);
	if (r->strings[number] == PIPA_NONE) {
		struct pipa_span text = r->tables->string_table.items[number];

		r->strings[number] = pipa_strings_add(&r->p->strings, (const char *)text.data,
						      text.size);
	}
	*ret = r->strings[number];
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

static int add_id(struct pipa_pprof_builder *r, struct pipa_id_map *map, const char *what,
		  uint64_t id, uint32_t row)
{
	int rc = id ? pipa_id_map_add(map, id, row) : -EEXIST;

	return rc == -EEXIST ? pipa_refuse(r->err, -EBADMSG,
					   "malformed pprof profile: %s id %" PRIu64 " is %s", what,
					   id, id ? "defined twice" : "not allowed") :
			       rc;
}

/* ---- mappings ---------------------------------------------------------------------------------- */

/* Keep a build id of another form as an attribute, as OTLP names it. */
static int keep_build_id(struct pipa_pprof_builder *r, uint32_t text, struct pipa_object *object)
{
	struct pipa_label label = { .kind = PIPA_LABEL_TEXT, .text = text };

	object->build_id = (struct pipa_build_id){ 0 };
	label.key = pipa_profile_text(r->p, "process.executable.build_id.gnu");
	if (label.key == PIPA_NO_STRING)
		return -ENOMEM;
	object->attributes = pipa_profile_label_set(r->p, &label, 1);
	return object->attributes == PIPA_NONE ? -ENOMEM : 0;
}

static int add_mapping(struct pipa_pprof_builder *r, const struct pipa_pprof_mapping *m)
{
	struct pipa_object object = { 0 };
	struct pipa_mapping mapping = { .start = m->memory_start,
					.limit = m->memory_limit,
					.file_offset = m->file_offset,
					.flags = (m->has_functions ? PIPA_MAPPING_FUNCTIONS : 0) |
						 (m->has_filenames ? PIPA_MAPPING_FILES : 0) |
						 (m->has_line_numbers ? PIPA_MAPPING_LINES : 0) |
						 (m->has_inline_frames ? PIPA_MAPPING_INLINED :
									 0) };
	uint32_t build_id, row;
	const char *path;
	int rc = find_string(r, m->filename, &object.path);

	if (!rc)
		rc = find_string(r, m->build_id, &build_id);
	if (!rc && !pipa_build_id_parse(pipa_profile_string(r->p, build_id), &object.build_id))
		rc = keep_build_id(r, build_id, &object);
	if (rc)
		return rc;
	path = pipa_profile_string(r->p, object.path);
	object.kind = pipa_object_kind_of_name(path, strlen(path), &object.pid);
	mapping.object = pipa_profile_object(r->p, &object);
	row = mapping.object == PIPA_NONE ? PIPA_NONE : pipa_profile_mapping(r->p, &mapping);
	return row == PIPA_NONE ? -ENOMEM : add_id(r, &r->mapping_ids, "mapping", m->id, row);
}

/* ---- functions, locations ---------------------------------------------------------------------- */

/*
 * Return the row of a function. It belongs to the object of the first location that refers to it, because functions of
 * a pprof file have no mapping.
 */
static int find_function(struct pipa_pprof_builder *r, const struct pipa_pprof_location *at,
			 uint64_t id, uint32_t object, uint32_t *ret)
{
	uint32_t number = pipa_id_map_find(&r->function_ids, id);
	const struct pipa_pprof_function *f;
	struct pipa_function function = { .object = object };
	int rc;

	if (number == PIPA_NONE)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed pprof profile: location id %" PRIu64
				   " has a line with function id %" PRIu64 ", which is not defined",
				   at->id, id);
	*ret = r->functions[number];
	if (*ret != PIPA_NONE)
		return 0;
	f = &r->tables->function.items[number];
	function.start_line = pipa_line_number(r->p, f->start_line);
	rc = find_string(r, f->name, &function.name);
	if (!rc)
		rc = find_string(r, f->system_name, &function.system_name);
	if (!rc)
		rc = find_string(r, f->filename, &function.file);
	if (rc)
		return rc;
	*ret = r->functions[number] = pipa_profile_function_exact(r->p, &function);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

/* Return the object of code that is in no mapping. */
static uint32_t unknown_object(struct pipa_pprof_builder *r)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };

	return pipa_profile_object(r->p, &object);
}

static int add_lines(struct pipa_pprof_builder *r, const struct pipa_pprof_location *l,
		     uint32_t object)
{
	size_t i;
	int rc = 0;

	r->lines.n = 0;
	for (i = 0; !rc && i < l->line.n; i++) {
		const struct pipa_pprof_line *from = &l->line.items[i];
		uint32_t function = PIPA_NONE;

		rc = find_function(r, l, from->function_id, object, &function);
		if (!rc)
			rc = pipa_location_lines_add(&r->lines, r->p, function, from->line,
						     from->column);
	}
	return rc;
}

static int add_location(struct pipa_pprof_builder *r, const struct pipa_pprof_location *l)
{
	struct pipa_location location = { .address = l->address,
					  .offset = l->address,
					  .folded = l->is_folded };
	enum pipa_object_kind kind;
	uint32_t row;
	int rc;

	row = pipa_id_map_find(&r->mapping_ids, l->mapping_id);
	location.mapping = row == PIPA_NONE ? 0 : row;
	location.object = row == PIPA_NONE ? unknown_object(r) : r->p->mappings.items[row].object;
	if (location.object == PIPA_NONE)
		return -ENOMEM;
	kind = r->p->objects.items[location.object].kind;
	location.mode = pipa_object_mode(kind, l->address);
	location.unresolved = pipa_object_unresolved(kind);
	rc = add_lines(r, l, location.object);
	if (rc)
		return rc;
	row = pipa_profile_location_of_lines(r->p, &location, r->lines.items, r->lines.n);
	if (row == PIPA_NONE)
		return -ENOMEM;
	if (!l->mapping_id && !l->address && pipa_location_lines_are_truncation(&r->lines, r->p))
		r->truncated = row;
	return add_id(r, &r->location_ids, "location", l->id, row);
}

/* ---- columns ----------------------------------------------------------------------------------- */

static const char *type_name(const struct pipa_pprof_builder *r, uint32_t string)
{
	return pipa_profile_string(r->p, string);
}

/* The names of a column. */
struct column_type {
	uint32_t type, unit;
};

static int read_types(struct pipa_pprof_builder *r, struct column_type *types)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < r->tables->sample_type.n; i++) {
		rc = find_string(r, r->tables->sample_type.items[i].type, &types[i].type);
		if (!rc)
			rc = find_string(r, r->tables->sample_type.items[i].unit, &types[i].unit);
	}
	return rc;
}

/* Are the columns pairs, each of a count of samples and what they weigh? */
static bool are_pairs(const struct pipa_pprof_builder *r, const struct column_type *types, size_t n)
{
	size_t i;

	for (i = 0; i < n; i += 2)
		if (i + 1 == n ||
		    !pipa_is_count_column(type_name(r, types[i].type), type_name(r, types[i].unit)))
			return false;
	return true;
}

static int add_column(struct pipa_pprof_builder *r, const struct column_type *types, size_t column,
		      bool paired, const char *period_name, const char *period_unit)
{
	struct pipa_event_type type = {
		.name = type_name(r, types[column].type),
		.unit = type_name(r, types[column].unit),
		.period = r->tables->period > 0 ? (uint64_t)r->tables->period : 0,
		.period_name = period_name,
		.period_unit = period_unit,
		.uncounted = !paired,
		.column_group = r->p->n_column_groups,
		.column = (uint32_t)column,
	};

	if (paired) {
		type.count_name = type_name(r, types[column - 1].type);
		type.count_unit = type_name(r, types[column - 1].unit);
	}
	r->columns[column] = pipa_profile_event_of(r->p, &type);
	return r->columns[column] == PIPA_NONE ? -ENOMEM : 0;
}

static int add_columns(struct pipa_pprof_builder *r)
{
	size_t n = r->tables->sample_type.n, i;
	PIPA_AUTO(free) struct column_type *types = calloc(n + 1, sizeof(*types));
	uint32_t period_name = 0, period_unit = 0;
	bool paired;
	int rc;

	r->columns = pipa_row_numbers_new(n);
	rc = types && r->columns ? read_types(r, types) : -ENOMEM;
	if (!rc && r->tables->period_type) {
		rc = find_string(r, r->tables->period_type->type, &period_name);
		if (!rc)
			rc = find_string(r, r->tables->period_type->unit, &period_unit);
	}
	if (rc)
		return rc;
	paired = are_pairs(r, types, n);
	r->p->n_column_groups++;
	for (i = paired ? 1 : 0; !rc && i < n; i += paired ? 2 : 1)
		rc = add_column(r, types, i, paired, type_name(r, period_name),
				type_name(r, period_unit));
	return rc;
}

/* ---- the rest of the tables -------------------------------------------------------------------- */

static int add_comments(struct pipa_pprof_builder *r)
{
	uint32_t text;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < r->tables->comment.n; i++) {
		rc = find_string(r, r->tables->comment.items[i], &text);
		if (!rc)
			rc = pipa_profile_comment(r->p, pipa_profile_string(r->p, text));
	}
	return rc;
}

/* Keep the fields that only pprof has as attributes of the profile, named as OTLP names them. */
static int add_attributes(struct pipa_pprof_builder *r)
{
	const struct {
		const char *key;
		int64_t text;
	} fields[] = { { "pprof.profile.drop_frames", r->tables->drop_frames },
		       { "pprof.profile.keep_frames", r->tables->keep_frames },
		       { "pprof.profile.doc_url", r->tables->doc_url } };
	struct pipa_label labels[PIPA_COUNT(fields)] = { 0 };
	uint32_t set;
	size_t i, n = 0;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(fields); i++) {
		if (!fields[i].text)
			continue;
		labels[n].kind = PIPA_LABEL_TEXT;
		labels[n].key = pipa_profile_text(r->p, fields[i].key);
		rc = labels[n].key == PIPA_NO_STRING ?
			     -ENOMEM :
			     find_string(r, fields[i].text, &labels[n].text);
		n++;
	}
	if (rc)
		return rc;
	set = pipa_profile_label_set(r->p, labels, n);
	if (set != PIPA_NONE)
		set = pipa_label_set_join(r->p, r->p->attributes, set);
	if (set == PIPA_NONE)
		return -ENOMEM;
	r->p->attributes = set;
	return 0;
}

/* Widen the profile's interval of time by the file's. */
static void add_time(struct pipa_pprof_builder *r)
{
	uint64_t start = r->tables->time_nanos > 0 ? (uint64_t)r->tables->time_nanos : 0;

	if (start && (!r->p->start_ns || start < r->p->start_ns))
		r->p->start_ns = start;
	if (r->tables->duration_nanos > 0)
		r->p->duration_ns += (uint64_t)r->tables->duration_nanos;
}

static int add_tables(struct pipa_pprof_builder *r)
{
	const struct pipa_pprof_profile *t = r->tables;
	uint32_t i, text;
	int rc;

	if (!t->string_table.n || t->string_table.items[0].size)
		return pipa_refuse(r->err, -EBADMSG, "malformed pprof profile: the string table %s",
				   t->string_table.n ? "does not begin with an empty string" :
						       "is missing");
	r->strings = pipa_row_numbers_new(t->string_table.n);
	r->functions = pipa_row_numbers_new(t->function.n);
	rc = r->strings && r->functions ? add_columns(r) : -ENOMEM;
	for (i = 0; !rc && i < t->mapping.n; i++)
		rc = add_mapping(r, &t->mapping.items[i]);
	for (i = 0; !rc && i < t->function.n; i++)
		rc = add_id(r, &r->function_ids, "function", t->function.items[i].id, i);
	for (i = 0; !rc && i < t->location.n; i++)
		rc = add_location(r, &t->location.items[i]);
	if (!rc)
		rc = add_comments(r);
	if (!rc)
		rc = add_attributes(r);
	if (!rc)
		rc = find_string(r, t->default_sample_type, &text);
	if (!rc && text)
		r->p->default_column = text;
	add_time(r);
	return rc;
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Take a label that names the thread or the CPU. Returns whether it is one. */
static bool read_own_label(const struct pipa_pprof_builder *r, const struct pipa_label *label,
			   struct pipa_thread *thread, struct pipa_sample *sample)
{
	uint32_t *to = label->key == r->pid ? &thread->pid :
		       label->key == r->tid ? &thread->tid :
		       label->key == r->cpu ? &sample->cpu :
					      NULL;

	if (to && pipa_label_is_u32(label) && *to == PIPA_UNKNOWN32) {
		*to = (uint32_t)label->number;
		return true;
	}
	if (label->key == r->comm && label->kind == PIPA_LABEL_TEXT && !thread->comm) {
		thread->comm = label->text;
		return true;
	}
	return false;
}

static int read_label(struct pipa_pprof_builder *r, const struct pipa_pprof_label *from,
		      struct pipa_label *ret)
{
	int rc = find_string(r, from->key, &ret->key);

	if (rc)
		return rc;
	if (from->str) {
		ret->kind = PIPA_LABEL_TEXT;
		return find_string(r, from->str, &ret->text);
	}
	ret->kind = PIPA_LABEL_NUMBER;
	ret->number = from->num;
	return find_string(r, from->num_unit, &ret->unit);
}

static int add_labels(struct pipa_pprof_builder *r, const struct pipa_pprof_sample *s,
		      struct pipa_sample *sample)
{
	struct pipa_thread thread = { .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 };
	bool has_thread = false;
	size_t i;
	int rc;

	r->labels.n = 0;
	for (i = 0; i < s->label.n; i++) {
		struct pipa_label *label = PIPA_VEC_ADD(&r->labels);
		uint32_t cpu = sample->cpu;

		if (!label)
			return -ENOMEM;
		rc = read_label(r, &s->label.items[i], label);
		if (rc)
			return rc;
		if (read_own_label(r, label, &thread, sample)) {
			has_thread = has_thread || sample->cpu == cpu;
			r->labels.n--;
		}
	}
	sample->labels = pipa_profile_label_set(r->p, r->labels.items, r->labels.n);
	sample->thread = has_thread ? pipa_profile_thread(r->p, &thread) : PIPA_NONE;
	return sample->labels == PIPA_NONE || (has_thread && sample->thread == PIPA_NONE) ?
		       -ENOMEM :
		       0;
}

/* Append a frame to the path of the last sample; `is_new` if the stack of its caller is. */
static int add_step(struct pipa_pprof_builder *r, uint64_t id, uint32_t location, bool cut,
		    bool is_new)
{
	size_t depth = r->path.n;
	uint32_t parent = depth ? r->path.items[depth - 1].stack : PIPA_NONE;
	struct step *step = PIPA_VEC_ADD(&r->path);

	if (!step)
		return -ENOMEM;
	step->id = id;
	if (parent == PIPA_NONE)
		step->stack = pipa_profile_root(r->p, location, cut);
	else if (is_new)
		step->stack = pipa_profile_add_new_stack(r->p, parent, location,
							 (uint32_t)depth + 1);
	else
		step->stack = pipa_profile_stack_at(r->p, parent, location, (uint32_t)depth + 1);
	return step->stack == PIPA_NONE ? -ENOMEM : 0;
}

/*
 * Prefetch where the frames below a new one will be added: they are new, too, so their numbers are known before they
 * are added.
 */
static void prefetch_new(struct pipa_pprof_builder *r, const struct pipa_pprof_sample *s,
			 size_t left)
{
	uint32_t parent = (uint32_t)r->p->stacks.n - 1;

	while (left--)
		pipa_profile_prefetch_stack(r->p, parent++,
					    pipa_id_map_find(&r->location_ids,
							     s->location_id.items[left]));
}

/*
 * Return the stack of a sample. The frames that it shares with the stack of the last sample, from the outermost
 * one on, are not searched again.
 */
static int add_stack(struct pipa_pprof_builder *r, const struct pipa_pprof_sample *s, uint32_t *ret)
{
	size_t left = s->location_id.n, depth = 0;
	bool cut = false, is_new = false;
	int rc = 0;

	*ret = PIPA_NONE;
	if (left && r->truncated != PIPA_NONE &&
	    pipa_id_map_find(&r->location_ids, s->location_id.items[left - 1]) == r->truncated) {
		cut = true; /* an outermost frame is another one where callers are missing */
		left--;
	}
	while (!cut && left && depth < r->path.n &&
	       r->path.items[depth].id == s->location_id.items[left - 1]) {
		left--;
		depth++;
	}
	r->path.n = depth;
	while (!rc && left) {
		uint64_t id = s->location_id.items[--left];
		uint32_t location = pipa_id_map_find(&r->location_ids, id);
		size_t before = r->p->stacks.n;

		if (location == PIPA_NONE)
			return pipa_refuse(r->err, -EBADMSG,
					   "malformed pprof profile: a sample has location id "
					   "%" PRIu64 ", which is not defined",
					   id);
		rc = add_step(r, id, location, cut, is_new);
		if (!is_new && r->p->stacks.n > before) {
			is_new = true;
			prefetch_new(r, s, left);
		}
	}
	if (!rc && r->path.n)
		*ret = r->path.items[r->path.n - 1].stack;
	if (cut)
		r->path.n = 0;
	return rc;
}

static int add_value(struct pipa_pprof_builder *r, struct pipa_sample *sample, int64_t weight,
		     int64_t count)
{
	uint64_t size = weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight;
	uint32_t event = sample->event;
	int rc = 0;

	if (!pipa_profile_has_room(r->p, event, size))
		return -ERANGE;
	/* where count and weight have different signs, each goes to an event of its own */
	if (count < 0 && weight < 0) {
		sample->count = 0 - (uint64_t)count;
		rc = pipa_profile_add_signed(r->p, sample, weight);
	} else if (count < 0) {
		sample->count = 0;
		rc = weight ? pipa_profile_add_signed(r->p, sample, weight) : 0;
		sample->event = pipa_profile_negative_event(r->p, event);
		sample->count = 0 - (uint64_t)count;
		sample->weight = 0;
		if (!rc)
			rc = sample->event == PIPA_NONE ? -ENOMEM : pipa_profile_add(r->p, sample);
		sample->event = event;
	} else if (weight < 0 && count > 0) {
		sample->count = 0;
		rc = pipa_profile_add_signed(r->p, sample, weight);
		sample->count = (uint64_t)count;
		sample->weight = 0;
		if (!rc)
			rc = pipa_profile_add(r->p, sample);
	} else {
		sample->count = (uint64_t)count;
		rc = pipa_profile_add_signed(r->p, sample, weight);
	}
	return rc;
}

/* Add the values of a sample; zeros only if there is nothing else, so that the stack is not lost. */
static int add_values(struct pipa_pprof_builder *r, const struct pipa_pprof_sample *s,
		      struct pipa_sample *sample)
{
	size_t i, last = s->value.n;
	bool added = false;
	int rc = 0;

	for (i = 0; !rc && i < s->value.n; i++) {
		bool paired;
		int64_t count;

		if (r->columns[i] == PIPA_NONE)
			continue;
		last = i;
		sample->event = r->columns[i];
		paired = r->p->events.items[sample->event].counted;
		count = paired ? s->value.items[i - 1] : s->value.items[i] != 0;
		if (!count && !s->value.items[i])
			continue;
		rc = add_value(r, sample, s->value.items[i], count);
		added = true;
	}
	if (!rc && !added && last < s->value.n) {
		sample->event = r->columns[last];
		rc = add_value(r, sample, 0, 0);
	}
	return rc == -ERANGE ? pipa_refuse(r->err, rc,
					   "cannot add the values of the profile: "
					   "their sum exceeds 64 bits") :
			       rc;
}

static int find_own_keys(struct pipa_pprof_builder *r)
{
	r->pid = pipa_profile_text(r->p, "pid");
	r->tid = pipa_profile_text(r->p, "tid");
	r->comm = pipa_profile_text(r->p, "comm");
	r->cpu = pipa_profile_text(r->p, "cpu");
	return r->pid == PIPA_NO_STRING || r->tid == PIPA_NO_STRING || r->comm == PIPA_NO_STRING ||
			       r->cpu == PIPA_NO_STRING ?
		       -ENOMEM :
		       0;
}

int pipa_pprof_build(struct pipa_profile *profile, const struct pipa_pprof_profile *tables,
		     struct pipa_error *err, struct pipa_pprof_builder **ret)
{
	PIPA_AUTO(pipa_pprof_builder_free)
	struct pipa_pprof_builder *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	*r = (struct pipa_pprof_builder){
		.p = profile, .err = err, .tables = tables, .truncated = PIPA_NONE
	};
	rc = find_own_keys(r);
	if (!rc)
		rc = add_tables(r);
	if (!rc)
		*ret = PIPA_TAKE(r);
	return rc;
}

int pipa_pprof_build_sample(struct pipa_pprof_builder *r, const struct pipa_pprof_sample *s)
{
	struct pipa_sample sample = { .cpu = PIPA_NONE };
	int rc = add_stack(r, s, &sample.stack);

	if (!rc)
		rc = add_labels(r, s, &sample);
	return rc ? rc : add_values(r, s, &sample);
}
