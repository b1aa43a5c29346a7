#include "import/otlp/otlp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/leb.h"
#include "base/vec.h"
#include "codec/otlp_layout.h"
#include "codec/otlp_schema.h"
#include "codec/pprof_schema.h"
#include "import/count_column.h"
#include "import/object_name.h"
#include "model/profile.h"
#include "model/timeline.h"

/* Attributes of samples, resources and others that are fields of the model. */
enum own_key {
	KEY_NONE, /* becomes a label */
	KEY_THREAD_ID,
	KEY_THREAD_NAME,
	KEY_CPU,
	KEY_PID,
	KEY_EXE,
	KEY_EXE_NAME,
	KEY_CGROUP,
	KEY_CONTAINER,
	KEY_SERVICE,
	KEY_GNU_ID,
	KEY_GO_ID,
	KEY_HTLHASH,
	KEY_HAS_FUNCTIONS,
	KEY_HAS_FILENAMES,
	KEY_HAS_LINES,
	KEY_HAS_INLINED,
	KEY_FOLDED,
	KEY_FRAME_TYPE,
	KEY_COMMENT,
	KEY_DEFAULT_TYPE,
	KEY_NR,
};

static const char *const key_names[KEY_NR] = {
	[KEY_THREAD_ID] = "thread.id",
	[KEY_THREAD_NAME] = "thread.name",
	[KEY_CPU] = "cpu.logical_number",
	[KEY_PID] = "process.pid",
	[KEY_EXE] = "process.executable.path",
	[KEY_EXE_NAME] = "process.executable.name",
	[KEY_CGROUP] = "process.linux.cgroup",
	[KEY_CONTAINER] = "container.id",
	[KEY_SERVICE] = "service.name",
	[KEY_GNU_ID] = "process.executable.build_id.gnu",
	[KEY_GO_ID] = "process.executable.build_id.go",
	[KEY_HTLHASH] = "process.executable.build_id.htlhash",
	[KEY_HAS_FUNCTIONS] = "pprof.mapping.has_functions",
	[KEY_HAS_FILENAMES] = "pprof.mapping.has_filenames",
	[KEY_HAS_LINES] = "pprof.mapping.has_line_numbers",
	[KEY_HAS_INLINED] = "pprof.mapping.has_inline_frames",
	[KEY_FOLDED] = "pprof.location.is_folded",
	[KEY_FRAME_TYPE] = "profile.frame.type",
	[KEY_COMMENT] = "pprof.profile.comment",
	[KEY_DEFAULT_TYPE] = "pprof.scope.default_sample_type",
};

/* An entry of the attribute table as labels: n of them from `first` on in reader.labels. */
struct attribute {
	uint32_t first, n;
	enum own_key key;
};

struct label_list {
	struct pipa_label *items;
	size_t n, cap;
};

/* A Profile without its samples. */
struct head {
	struct pipa_span bytes;
	uint32_t type, unit, period_type, period_unit; /* strings */
	uint64_t period;
	uint32_t event;
	bool is_count; /* values are the counts of the next Profile's event */
};

struct reader {
	struct pipa_profile *p;
	struct pipa_timeline *timeline;
	struct pipa_error *err;
	struct pipa_span file;
	struct pipa_span dictionary_bytes;
	struct pipa_otlp_dictionary d;
	enum pipa_otlp_layout layout;
	struct pipa_proto_memory table_memory, head_memory, sample_memory;
	uint32_t *strings;	      /* [entry] string of the profile, PIPA_NONE: not yet */
	uint32_t *functions;	      /* [entry] function of the last object, PIPA_NONE: not yet */
	uint32_t *mappings;	      /* [entry] mapping of the profile */
	uint32_t *locations;	      /* [entry] location of the profile */
	uint32_t *stacks;	      /* [entry] stack of the profile + 1; PIPA_NONE: not yet */
	struct attribute *attributes; /* [entry] */
	struct label_list labels;     /* of attributes */
	uint32_t truncated; /* location of PIPA_PPROF_TRUNCATED, PIPA_NONE: there is none */
	uint32_t trace_id, span_id;
	uint32_t column; /* number of columns so far */
	struct {
		struct head *items;
		size_t n, cap;
	} heads;		/* of the current scope */
	struct label_list list; /* of the current sample or other message */
	struct {
		struct pipa_line *items;
		size_t n, cap;
	} lines; /* of the current location */

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
	pipa_proto_memory_done(&r->table_memory);
	pipa_proto_memory_done(&r->head_memory);
	pipa_proto_memory_done(&r->sample_memory);
	free(r->strings);
	free(r->functions);
	free(r->mappings);
	free(r->locations);
	free(r->stacks);
	free(r->attributes);
	free(r->labels.items);
	free(r->heads.items);
	free(r->list.items);
	free(r->lines.items);
	free(r->last.indices);
}

/* ---- errors ------------------------------------------------------------------------------------ */

static uint64_t offset_of(const struct reader *r, const uint8_t *at)
{
	return (uint64_t)(at - r->file.data);
}

static int refuse_wire(const struct reader *r, const struct pipa_proto_error *e, uint64_t base)
{
	return pipa_refuse(r->err, -EBADMSG,
			   "malformed OTLP profiles: %s%s%s: %s at offset %" PRIu64,
			   e->message ? e->message->name : "ProfilesData", e->field ? "." : "",
			   e->field ? e->field->name : "", e->what, base + e->offset);
}

static int refuse_index(const struct reader *r, const char *what, int64_t index, size_t n,
			uint64_t offset)
{
	return pipa_refuse(r->err, -EBADMSG,
			   "malformed OTLP profiles: %s %" PRId64
			   " exceeds the table of %zu entries at offset %" PRIu64,
			   what, index, n, offset);
}

/* Return the offset of an entry of the dictionary, by reading it again. */
static uint64_t entry_offset(const struct reader *r, uint32_t table, size_t entry)
{
	struct pipa_cursor in = pipa_span_cursor(r->dictionary_bytes, false);
	struct pipa_proto_error e;
	struct pipa_proto_item item;

	while (pipa_proto_next(&in, &item, &e) > 0)
		if (item.number == table && !entry--)
			return offset_of(r, item.bytes.data);
	return offset_of(r, r->dictionary_bytes.data);
}

/*
 * Read the next message with that field number. Returns 1, 0 at the end, or -EBADMSG with the offset.
 */
static int next_message(const struct reader *r, struct pipa_cursor *in, uint32_t number,
			const char *what, struct pipa_span *ret)
{
	struct pipa_proto_error e = { 0 };
	struct pipa_proto_item item;
	const uint8_t *at = in->pos;
	int rc;

	for (; (rc = pipa_proto_next(in, &item, &e)) > 0; at = in->pos) {
		if (item.number != number)
			continue;
		if (item.wire != PIPA_WIRE_BYTES)
			return pipa_refuse(r->err, -EBADMSG,
					   "malformed OTLP profiles: %s: wrong wire type at offset "
					   "%" PRIu64,
					   what, offset_of(r, at));
		*ret = item.bytes;
		return 1;
	}
	return rc < 0 ? refuse_wire(r, &e, offset_of(r, at)) : 0;
}

/* ---- strings, attributes ----------------------------------------------------------------------- */

/* Return the number in the profile of a string of the dictionary. `at` is the start of the message that has it. */
static int find_string(struct reader *r, const char *what, int32_t index, const uint8_t *at,
		       uint32_t *ret)
{
	if (index < 0 || (size_t)index >= r->d.string_table.n) {
		if (!index) { /* no dictionary */
			*ret = 0;
			return 0;
		}
		return refuse_index(r, what, index, r->d.string_table.n, offset_of(r, at));
	}
	if (r->strings[index] == PIPA_NONE) {
		struct pipa_span text = r->d.string_table.items[index];

		r->strings[index] = pipa_strings_add(&r->p->strings, (const char *)text.data,
						     text.size);
	}
	*ret = r->strings[index];
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

static int add_text(struct reader *r, struct pipa_span text, uint32_t *ret)
{
	*ret = text.size ? pipa_strings_add(&r->p->strings, (const char *)text.data, text.size) : 0;
	return *ret == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* Replace references to strings in arrays and maps by the strings, so that the value can be copied. */
static int resolve_strings(struct reader *r, struct pipa_otlp_any_value *value, const uint8_t *at)
{
	size_t i;
	int rc = 0;

	if (value->which == PIPA_OTLP_STRING_VALUE_STRINDEX) {
		int32_t index = value->string_value_strindex;

		if (index < 0 || (size_t)index >= r->d.string_table.n)
			return refuse_index(r, "AnyValue.string_value_strindex", index,
					    r->d.string_table.n, offset_of(r, at));
		value->which = PIPA_OTLP_STRING_VALUE;
		value->string_value = r->d.string_table.items[index];
	}
	if (value->which == PIPA_OTLP_ARRAY_VALUE)
		for (i = 0; !rc && i < value->array_value->values.n; i++)
			rc = resolve_strings(r, &value->array_value->values.items[i], at);
	if (value->which != PIPA_OTLP_KVLIST_VALUE)
		return rc;
	for (i = 0; !rc && i < value->kvlist_value->values.n; i++) {
		struct pipa_otlp_key_value *pair = &value->kvlist_value->values.items[i];
		int32_t index = pair->key_strindex;

		if (index < 0 || (index && (size_t)index >= r->d.string_table.n))
			return refuse_index(r, "KeyValue.key_strindex", index, r->d.string_table.n,
					    offset_of(r, at));
		if (index) {
			pair->key = r->d.string_table.items[index];
			pair->key_strindex = 0;
		}
		if (pair->value)
			rc = resolve_strings(r, pair->value, at);
	}
	return rc;
}

static int append_bytes(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return ((struct pipa_buf *)ctx)->status;
}

/* Keep an array or a map encoded. */
static int keep_encoded(struct reader *r, struct pipa_otlp_any_value *value, const uint8_t *at,
			struct pipa_label *label)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_proto_writer w;
	int rc = resolve_strings(r, value, at);

	if (rc)
		return rc;
	pipa_proto_writer_init(&w, append_bytes, &bytes);
	pipa_proto_put_message(&w, &pipa_otlp_any_value_message, value);
	rc = pipa_proto_flush(&w);
	pipa_proto_writer_done(&w);
	if (rc)
		return rc;
	label->kind = PIPA_LABEL_OTLP;
	return add_text(r, (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len },
			&label->text);
}

/* Set the value of a label whose key is set. */
static int set_value(struct reader *r, struct pipa_otlp_any_value *value, uint32_t unit,
		     const uint8_t *at, struct pipa_label *label)
{
	switch (value->which) {
	case PIPA_OTLP_STRING_VALUE:
		label->kind = PIPA_LABEL_TEXT;
		return add_text(r, value->string_value, &label->text);
	case PIPA_OTLP_STRING_VALUE_STRINDEX:
		label->kind = PIPA_LABEL_TEXT;
		return find_string(r, "AnyValue.string_value_strindex",
				   value->string_value_strindex, at, &label->text);
	case PIPA_OTLP_BOOL_VALUE:
		label->kind = PIPA_LABEL_BOOL;
		label->number = value->bool_value;
		return 0;
	case PIPA_OTLP_INT_VALUE:
		label->kind = PIPA_LABEL_NUMBER;
		label->number = value->int_value;
		label->unit = unit;
		return 0;
	case PIPA_OTLP_DOUBLE_VALUE:
		label->kind = PIPA_LABEL_DOUBLE;
		memcpy(&label->number, &value->double_value, sizeof(label->number));
		label->unit = unit;
		return 0;
	case PIPA_OTLP_BYTES_VALUE:
		label->kind = PIPA_LABEL_BYTES;
		return add_text(r, value->bytes_value, &label->text);
	default: return keep_encoded(r, value, at, label);
	}
}

/* Is it an array of several plain values? Labels of pprof with several values are written so. */
static bool is_plain_array(const struct pipa_otlp_any_value *value)
{
	size_t i;

	if (value->which != PIPA_OTLP_ARRAY_VALUE || value->array_value->values.n < 2)
		return false;
	for (i = 0; i < value->array_value->values.n; i++) {
		uint32_t which = value->array_value->values.items[i].which;

		if (!which || which == PIPA_OTLP_ARRAY_VALUE || which == PIPA_OTLP_KVLIST_VALUE)
			return false;
	}
	return true;
}

/* Append the labels of an attribute to the list: none if it has no value, several if it has several. */
static int append_labels(struct reader *r, struct label_list *list, uint32_t key, uint32_t unit,
			 struct pipa_otlp_any_value *value, bool is_split, const uint8_t *at)
{
	struct pipa_otlp_any_value *items = value;
	size_t i, n = value && value->which ? 1 : 0;
	int rc = 0;

	if (n && is_split && is_plain_array(value)) {
		items = value->array_value->values.items;
		n = value->array_value->values.n;
	}
	for (i = 0; !rc && i < n; i++) {
		struct pipa_label *label = PIPA_VEC_ADD(list);

		if (!label)
			return -ENOMEM;
		label->key = key;
		rc = set_value(r, &items[i], unit, at, label);
	}
	return rc;
}

static enum own_key find_own_key(const char *name)
{
	enum own_key key;

	for (key = KEY_NONE + 1; key < KEY_NR; key++)
		if (strcmp(name, key_names[key]) == 0)
			return key;
	return KEY_NONE;
}

static int add_attributes(struct reader *r)
{
	size_t i, n = r->d.attribute_table.n;
	int rc = 0;

	r->attributes = calloc(n + 1, sizeof(*r->attributes));
	if (!r->attributes)
		return -ENOMEM;
	for (i = 0; !rc && i < n; i++) {
		struct pipa_otlp_attribute *from = &r->d.attribute_table.items[i];
		struct attribute *to = &r->attributes[i];
		const uint8_t *at = r->dictionary_bytes.data;
		uint32_t key, unit = 0;

		rc = find_string(r, "KeyValueAndUnit.key_strindex", from->key_strindex, at, &key);
		if (!rc)
			rc = find_string(r, "KeyValueAndUnit.unit_strindex", from->unit_strindex,
					 at, &unit);
		if (rc)
			break;
		to->first = (uint32_t)r->labels.n;
		to->key = find_own_key(pipa_profile_string(r->p, key));
		rc = append_labels(r, &r->labels, key, unit, from->value, true, at);
		to->n = (uint32_t)(r->labels.n - to->first);
	}
	return rc;
}

/*
 * Return the attribute of an index in a list of attribute_indices; NULL with *ret_rc if it is out of range.
 */
static const struct attribute *find_attribute(struct reader *r, const char *what, int32_t index,
					      uint64_t offset, int *ret_rc)
{
	if (index < 0 || (size_t)index >= r->d.attribute_table.n) {
		*ret_rc = refuse_index(r, what, index, r->d.attribute_table.n, offset);
		return NULL;
	}
	return &r->attributes[index];
}

static int list_labels(struct reader *r, const struct attribute *attribute)
{
	uint32_t i;

	for (i = 0; i < attribute->n; i++) {
		struct pipa_label *label = PIPA_VEC_ADD(&r->list);

		if (!label)
			return -ENOMEM;
		*label = r->labels.items[attribute->first + i];
	}
	return 0;
}

/* Return the only label of an attribute, if it is of that kind; else NULL. */
static const struct pipa_label *only_label(const struct reader *r,
					   const struct attribute *attribute,
					   enum pipa_label_kind kind)
{
	const struct pipa_label *label = &r->labels.items[attribute->first];

	return attribute->n == 1 && label->kind == kind ? label : NULL;
}

static int make_set(struct reader *r, uint32_t *ret)
{
	*ret = pipa_profile_label_set(r->p, r->list.items, r->list.n);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

static bool is_number32(const struct pipa_label *label)
{
	return label && label->kind == PIPA_LABEL_NUMBER && !label->unit && label->number >= 0 &&
	       label->number < UINT32_MAX;
}

/* ---- mappings ---------------------------------------------------------------------------------- */

/* Take an attribute of a mapping: a property, the build id, or a label of the object (*ret_object) or the mapping. */
static int add_mapping_attribute(struct reader *r, const struct attribute *attribute,
				 struct pipa_object *object, struct pipa_mapping *mapping,
				 struct label_list *object_list)
{
	static const uint32_t flags[KEY_NR] = {
		[KEY_HAS_FUNCTIONS] = PIPA_MAPPING_FUNCTIONS,
		[KEY_HAS_FILENAMES] = PIPA_MAPPING_FILES,
		[KEY_HAS_LINES] = PIPA_MAPPING_LINES,
		[KEY_HAS_INLINED] = PIPA_MAPPING_INLINED,
	};
	const struct pipa_label *label = only_label(r, attribute, PIPA_LABEL_BOOL);
	struct pipa_label *kept;

	if (flags[attribute->key] && label) {
		mapping->flags |= label->number ? flags[attribute->key] : 0;
		return 0;
	}
	label = only_label(r, attribute, PIPA_LABEL_TEXT);
	if (attribute->key == KEY_GNU_ID && label && !object->build_id.len &&
	    pipa_build_id_parse(pipa_profile_string(r->p, label->text), &object->build_id))
		return 0;
	if (attribute->key < KEY_GNU_ID || attribute->key > KEY_HTLHASH || !label)
		return list_labels(r, attribute);
	kept = PIPA_VEC_ADD(object_list);
	if (!kept)
		return -ENOMEM;
	*kept = *label;
	return 0;
}

static int add_mapping(struct reader *r, size_t entry)
{
	const struct pipa_otlp_mapping *m = &r->d.mapping_table.items[entry];
	struct pipa_mapping mapping = { .start = m->memory_start,
					.limit = m->memory_limit,
					.file_offset = m->file_offset };
	struct pipa_object object = { 0 };
	struct label_list object_list = { 0 };
	const char *path;
	uint32_t before = (uint32_t)r->p->mappings.n;
	size_t i;
	int rc = find_string(r, "Mapping.filename_strindex", m->filename_strindex,
			     r->dictionary_bytes.data, &object.path);

	r->list.n = 0;
	for (i = 0; !rc && i < m->attribute_indices.n; i++) {
		const struct attribute *attribute = find_attribute(
			r, "Mapping.attribute_indices", m->attribute_indices.items[i],
			entry_offset(r, PIPA_OTLP_MAPPING_TABLE, entry), &rc);

		if (attribute)
			rc = add_mapping_attribute(r, attribute, &object, &mapping, &object_list);
	}
	if (!rc)
		rc = make_set(r, &mapping.attributes);
	if (!rc) {
		object.attributes = pipa_profile_label_set(r->p, object_list.items, object_list.n);
		rc = object.attributes == PIPA_NONE ? -ENOMEM : 0;
	}
	free(object_list.items);
	if (rc)
		return rc;
	path = pipa_profile_string(r->p, object.path);
	object.kind = pipa_object_kind_of_name(path, strlen(path), &object.pid);
	mapping.object = pipa_profile_object(r->p, &object);
	r->mappings[entry] = mapping.object == PIPA_NONE ? PIPA_NONE :
							   pipa_profile_mapping(r->p, &mapping);
	if (r->mappings[entry] == PIPA_NONE)
		return -ENOMEM;
	if (r->mappings[entry] < before) /* a property holds only if it holds for both */
		r->p->mappings.items[r->mappings[entry]].flags &= mapping.flags;
	return 0;
}

/* ---- functions, locations ---------------------------------------------------------------------- */

/* Convert a line or column number. Those that do not fit are counted as damage and become 0, not known. */
static uint32_t fit_line(struct reader *r, int64_t number)
{
	if (number >= 0 && number < UINT32_MAX)
		return (uint32_t)number;
	r->p->losses.damaged++;
	return 0;
}

/* Return the function of an entry in an object: OTLP's functions belong to none. */
static int find_function(struct reader *r, int32_t index, uint32_t object, size_t location,
			 uint32_t *ret)
{
	const struct pipa_otlp_function *f;
	struct pipa_function function = { .object = object };
	const uint8_t *at = r->dictionary_bytes.data;
	int rc;

	if (index < 0 || (size_t)index >= r->d.function_table.n)
		return refuse_index(r, "Line.function_index", index, r->d.function_table.n,
				    entry_offset(r, PIPA_OTLP_LOCATION_TABLE, location));
	*ret = r->functions[index];
	if (*ret != PIPA_NONE && r->p->functions.items[*ret].object == object)
		return 0;
	f = &r->d.function_table.items[index];
	function.start_line = fit_line(r, f->start_line);
	rc = find_string(r, "Function.name_strindex", f->name_strindex, at, &function.name);
	if (!rc)
		rc = find_string(r, "Function.system_name_strindex", f->system_name_strindex, at,
				 &function.system_name);
	if (!rc)
		rc = find_string(r, "Function.filename_strindex", f->filename_strindex, at,
				 &function.file);
	if (rc)
		return rc;
	*ret = r->functions[index] = pipa_profile_function_exact(r->p, &function);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

static int add_lines(struct reader *r, const struct pipa_otlp_location *l, uint32_t object,
		     size_t entry)
{
	size_t i;

	r->lines.n = 0;
	for (i = 0; i < l->lines.n; i++) {
		const struct pipa_otlp_line *from = &l->lines.items[i];
		struct pipa_line *line = PIPA_VEC_ADD(&r->lines);
		int rc;

		if (!line)
			return -ENOMEM;
		line->line = fit_line(r, from->line);
		line->column = fit_line(r, from->column);
		rc = find_function(r, from->function_index, object, entry, &line->function);
		if (rc)
			return rc;
	}
	return 0;
}

/* Take the attributes of a location. */
static int add_location_attributes(struct reader *r, const struct pipa_otlp_location *l,
				   size_t entry, struct pipa_location *location)
{
	size_t i;
	int rc = 0;

	r->list.n = 0;
	for (i = 0; !rc && i < l->attribute_indices.n; i++) {
		const struct attribute *attribute = find_attribute(
			r, "Location.attribute_indices", l->attribute_indices.items[i],
			entry_offset(r, PIPA_OTLP_LOCATION_TABLE, entry), &rc);
		const struct pipa_label *text, *flag;

		if (!attribute)
			return rc;
		text = only_label(r, attribute, PIPA_LABEL_TEXT);
		flag = only_label(r, attribute, PIPA_LABEL_BOOL);
		if (attribute->key == KEY_FRAME_TYPE && text)
			location->mode = strcmp(pipa_profile_string(r->p, text->text), "kernel") ==
							 0 ?
						 PIPA_MODE_KERNEL :
						 PIPA_MODE_USER;
		if (attribute->key == KEY_FOLDED && flag)
			location->folded = flag->number != 0;
		else
			rc = list_labels(r, attribute);
	}
	return rc ? rc : make_set(r, &location->attributes);
}

/* Return the offset in the file of an address in a mapping; the address where that is not known. */
static uint64_t file_offset(const struct pipa_profile *p, const struct pipa_location *location)
{
	enum pipa_object_kind kind = p->objects.items[location->object].kind;
	const struct pipa_mapping *m;

	if (!location->mapping || (kind != PIPA_OBJECT_FILE && kind != PIPA_OBJECT_VDSO))
		return location->address;
	m = &p->mappings.items[location->mapping];
	return location->address >= m->start && location->address < m->limit ?
		       location->address - m->start + m->file_offset :
		       location->address;
}

/* Is it the frame that stands for missing callers? */
static bool is_truncation(const struct reader *r, const struct pipa_otlp_location *l)
{
	uint32_t name;

	if (r->lines.n != 1 || l->mapping_index || l->address)
		return false;
	name = r->p->functions.items[r->lines.items[0].function].name;
	return strcmp(pipa_profile_string(r->p, name), PIPA_PPROF_TRUNCATED) == 0;
}

static int add_location(struct reader *r, size_t entry)
{
	const struct pipa_otlp_location *l = &r->d.location_table.items[entry];
	struct pipa_location location = { .address = l->address };
	struct pipa_object unknown = { .kind = PIPA_OBJECT_UNKNOWN };
	enum pipa_object_kind kind;
	int rc;

	if (l->mapping_index < 0 ||
	    (l->mapping_index && (size_t)l->mapping_index >= r->d.mapping_table.n))
		return refuse_index(r, "Location.mapping_index", l->mapping_index,
				    r->d.mapping_table.n,
				    entry_offset(r, PIPA_OTLP_LOCATION_TABLE, entry));
	if (l->mapping_index) {
		location.mapping = r->mappings[l->mapping_index];
		location.object = r->p->mappings.items[location.mapping].object;
	} else {
		location.object = pipa_profile_object(r->p, &unknown);
	}
	if (location.object == PIPA_NONE)
		return -ENOMEM;
	kind = r->p->objects.items[location.object].kind;
	location.offset = file_offset(r->p, &location);
	location.mode = pipa_object_mode(kind, l->address);
	location.unresolved = pipa_object_unresolved(kind);
	rc = add_location_attributes(r, l, entry, &location);
	if (!rc)
		rc = add_lines(r, l, location.object, entry);
	if (rc)
		return rc;
	r->locations[entry] = pipa_profile_location_of_lines(r->p, &location, r->lines.items,
							     r->lines.n);
	if (r->locations[entry] == PIPA_NONE)
		return -ENOMEM;
	if (is_truncation(r, l))
		r->truncated = r->locations[entry];
	return 0;
}

/* Return the stack of an entry; PIPA_NONE if it has no frames. */
static int find_stack(struct reader *r, int32_t index, uint64_t offset, uint32_t *ret)
{
	const struct pipa_otlp_stack *s;
	uint32_t stack = PIPA_NONE;
	bool cut = false;
	size_t left;

	*ret = PIPA_NONE;
	if (!index)
		return 0;
	if (index < 0 || (size_t)index >= r->d.stack_table.n)
		return refuse_index(r, "Sample.stack_index", index, r->d.stack_table.n, offset);
	if (r->stacks[index] != PIPA_NONE) {
		*ret = r->stacks[index] - 1;
		return 0;
	}
	s = &r->d.stack_table.items[index];
	left = s->location_indices.n;
	while (left--) {
		int32_t entry = s->location_indices.items[left];

		if (entry < 0 || (size_t)entry >= r->d.location_table.n)
			return refuse_index(r, "Stack.location_indices", entry,
					    r->d.location_table.n,
					    entry_offset(r, PIPA_OTLP_STACK_TABLE, (size_t)index));
		if (left + 1 == s->location_indices.n && left &&
		    r->locations[entry] == r->truncated) {
			cut = true; /* an outermost frame is another one where callers are missing */
			continue;
		}
		stack = stack == PIPA_NONE ? pipa_profile_root(r->p, r->locations[entry], cut) :
					     pipa_profile_stack(r->p, stack, r->locations[entry]);
		if (stack == PIPA_NONE)
			return -ENOMEM;
	}
	r->stacks[index] = stack + 1; /* PIPA_NONE becomes 0 */
	*ret = stack;
	return 0;
}

/* ---- the dictionary ---------------------------------------------------------------------------- */

static uint32_t *new_numbers(size_t n)
{
	uint32_t *numbers = malloc(n * sizeof(*numbers) + 1);

	if (numbers)
		memset(numbers, 0xff, n * sizeof(*numbers));
	return numbers;
}

static int find_dictionary(struct reader *r)
{
	struct pipa_cursor in = pipa_span_cursor(r->file, false);
	struct pipa_span bytes;
	int rc;

	while ((rc = next_message(r, &in, PIPA_OTLP_DICTIONARY, "ProfilesData.dictionary",
				  &bytes)) > 0) {
		if (r->dictionary_bytes.data)
			return pipa_refuse(r->err, -EBADMSG,
					   "malformed OTLP profiles: second dictionary at offset "
					   "%" PRIu64,
					   offset_of(r, bytes.data));
		r->dictionary_bytes = bytes;
	}
	if (!rc && !r->dictionary_bytes.data)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: the dictionary is missing");
	return rc;
}

static int read_dictionary(struct reader *r)
{
	struct pipa_proto_error e;
	size_t i;
	int rc = find_dictionary(r);

	if (rc)
		return rc;
	/* an entry takes at most 24 times its encoded size, if it is empty */
	r->table_memory.max = 32 * (uint64_t)r->dictionary_bytes.size + (1 << 20);
	rc = pipa_proto_decode(&pipa_otlp_dictionary_message, r->dictionary_bytes, &r->table_memory,
			       &r->d, &e);
	if (rc == -EBADMSG)
		return refuse_wire(r, &e, offset_of(r, r->dictionary_bytes.data));
	if (rc == -E2BIG)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: the dictionary at offset %" PRIu64
				   " is nested too deeply",
				   offset_of(r, r->dictionary_bytes.data));
	if (rc)
		return rc;
	r->strings = new_numbers(r->d.string_table.n);
	r->functions = new_numbers(r->d.function_table.n);
	r->mappings = new_numbers(r->d.mapping_table.n);
	r->locations = new_numbers(r->d.location_table.n);
	r->stacks = new_numbers(r->d.stack_table.n);
	if (!r->strings || !r->functions || !r->mappings || !r->locations || !r->stacks)
		return -ENOMEM;
	if (r->d.string_table.n && r->d.string_table.items[0].size)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: the string table at offset %" PRIu64
				   " does not begin with an empty string",
				   entry_offset(r, PIPA_OTLP_STRING_TABLE, 0));
	rc = add_attributes(r);
	for (i = 1; !rc && i < r->d.mapping_table.n; i++)
		rc = add_mapping(r, i);
	for (i = 0; !rc && i < r->d.location_table.n; i++)
		rc = add_location(r, i);
	return rc;
}

/* ---- resources --------------------------------------------------------------------------------- */

/* Return the key of a resource's or scope's attribute, which may be a reference. */
static int find_key(struct reader *r, const struct pipa_otlp_key_value *pair, const uint8_t *at,
		    uint32_t *ret)
{
	return pair->key.size ?
		       add_text(r, pair->key, ret) :
		       find_string(r, "KeyValue.key_strindex", pair->key_strindex, at, ret);
}

/* Take an attribute of a resource that is a field of a process; false if it is not. */
static bool set_process_field(const struct reader *r, const struct pipa_label *label,
			      struct pipa_profile_process *process)
{
	const char *text = label->kind == PIPA_LABEL_TEXT ? pipa_profile_string(r->p, label->text) :
							    NULL;

	switch (find_own_key(pipa_profile_string(r->p, label->key))) {
	case KEY_PID:
		if (!is_number32(label))
			return false;
		process->pid = (uint32_t)label->number;
		return true;
	case KEY_EXE: process->exe = text ? label->text : 0; return text != NULL;
	case KEY_CGROUP: process->cgroup = text ? label->text : 0; return text != NULL;
	case KEY_CONTAINER: process->container = text ? label->text : 0; return text != NULL;
	case KEY_SERVICE: /* the name of a service without one */
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
	const char *name = base_name(pipa_profile_string(r->p, process->exe));
	size_t i;

	for (i = 0; i < r->list.n; i++) {
		const struct pipa_label *label = &r->list.items[i];

		if (label->kind != PIPA_LABEL_TEXT || !process->exe ||
		    strcmp(pipa_profile_string(r->p, label->key), key_names[KEY_EXE_NAME]) != 0 ||
		    strcmp(pipa_profile_string(r->p, label->text), name) != 0)
			continue;
		r->list.n--;
		memmove(&r->list.items[i], &r->list.items[i + 1],
			(r->list.n - i) * sizeof(*r->list.items));
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
		return refuse_wire(r, &e, offset_of(r, bytes.data));
	r->list.n = 0;
	for (i = 0; !rc && i < resource.attributes.n; i++) {
		struct pipa_otlp_key_value *pair = &resource.attributes.items[i];
		size_t before = r->list.n;
		uint32_t key = 0;

		rc = find_key(r, pair, bytes.data, &key);
		if (!rc)
			rc = append_labels(r, &r->list, key, 0, pair->value, false, bytes.data);
		if (!rc && r->list.n > before &&
		    set_process_field(r, &r->list.items[before], &process))
			r->list.n = before;
	}
	if (rc)
		return rc;
	drop_executable_name(r, &process);
	rc = make_set(r, &process.attributes);
	r->thread = (struct pipa_thread){ .pid = process.pid, .tid = PIPA_UNKNOWN32 };
	if (rc || (process.pid == PIPA_UNKNOWN32 && !process.exe && !process.cgroup &&
		   !process.container && !process.attributes))
		return rc;
	r->thread.process = pipa_profile_process(r->p, &process);
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
	label = PIPA_VEC_ADD(&r->list);
	if (!label)
		return -ENOMEM;
	label->key = key;
	label->kind = PIPA_LABEL_TEXT;
	label->text = pipa_strings_add(&r->p->strings, text, 2 * id.size);
	return label->text == PIPA_NO_STRING ? -ENOMEM : 0;
}

/* Add the labels of a link; an empty link is none. */
static int add_link(struct reader *r, int32_t index, uint64_t offset)
{
	const struct pipa_otlp_link *link;
	int rc = 0;

	if (!index)
		return 0;
	if (index < 0 || (size_t)index >= r->d.link_table.n)
		return refuse_index(r, "Sample.link_index", index, r->d.link_table.n, offset);
	link = &r->d.link_table.items[index];
	if ((link->trace_id.size && link->trace_id.size != 16) ||
	    (link->span_id.size && link->span_id.size != 8))
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: Link at offset %" PRIu64
				   " has ids of %zu and %zu bytes, expected 16 and 8",
				   entry_offset(r, PIPA_OTLP_LINK_TABLE, (size_t)index),
				   link->trace_id.size, link->span_id.size);
	if (link->trace_id.size)
		rc = list_id(r, r->trace_id, link->trace_id);
	if (!rc && link->span_id.size)
		rc = list_id(r, r->span_id, link->span_id);
	return rc;
}

/* Take the attribute of a sample: of its thread or CPU, or a label. */
static int add_sample_attribute(struct reader *r, const struct attribute *attribute,
				struct pipa_thread *thread, uint32_t *cpu)
{
	const struct pipa_label *text = only_label(r, attribute, PIPA_LABEL_TEXT);
	const struct pipa_label *number = only_label(r, attribute, PIPA_LABEL_NUMBER);

	if (attribute->key == KEY_THREAD_ID && is_number32(number))
		thread->tid = (uint32_t)number->number;
	else if (attribute->key == KEY_PID && is_number32(number) && !thread->process)
		thread->pid = (uint32_t)number->number;
	else if (attribute->key == KEY_CPU && is_number32(number))
		*cpu = (uint32_t)number->number;
	else if (attribute->key == KEY_THREAD_NAME && text)
		thread->comm = text->text;
	else
		return list_labels(r, attribute);
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
	r->list.n = 0;
	for (i = 0; !rc && i < n; i++) {
		const struct attribute *attribute = find_attribute(
			r, "Sample.attribute_indices", s->attribute_indices.items[i], offset, &rc);

		if (attribute)
			rc = add_sample_attribute(r, attribute, &thread, &sample->cpu);
	}
	if (!rc)
		rc = add_link(r, s->link_index, offset);
	if (!rc)
		rc = make_set(r, &sample->labels);
	if (rc)
		return rc;
	sample->thread = PIPA_NONE;
	if (thread.process || thread.comm || thread.pid != PIPA_UNKNOWN32 ||
	    thread.tid != PIPA_UNKNOWN32) {
		sample->thread = pipa_profile_thread(r->p, &thread);
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
	row = pipa_profile_sample(r->p, sample);
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
			sample->event = pipa_profile_negative_event(r->p, head->event);
		if (sample->event == PIPA_NONE)
			return -ENOMEM;
		if (r->p->events.items[sample->event].count + size < size)
			return -ERANGE;
		sample->count = size;
		return pipa_profile_add(r->p, sample);
	}
	if (!pipa_profile_has_room(r->p, head->event, size) ||
	    r->p->events.items[head->event].count + n + 1 < n + 1)
		return -ERANGE;
	if (!r->p->events.items[head->event].counted)
		sample->count = n ? n : sum != 0;
	rc = pipa_profile_add_signed(r->p, sample, sum);
	return rc ? rc : add_times(r, s, sample);
}

static int add_sample(struct reader *r, const struct head *head, struct pipa_span bytes)
{
	struct pipa_sample sample = { .cpu = PIPA_NONE };
	uint64_t offset = offset_of(r, bytes.data);
	struct pipa_otlp_sample s;
	struct pipa_proto_error e;
	int rc;

	pipa_proto_reset(&r->sample_memory);
	rc = pipa_proto_decode(&pipa_otlp_sample_messages[r->layout], bytes, &r->sample_memory, &s,
			       &e);
	if (rc == -EBADMSG)
		return refuse_wire(r, &e, offset);
	if (!rc && !s.values.n && !s.timestamps_unix_nano.n)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: Sample at offset %" PRIu64
				   " has neither values nor timestamps",
				   offset);
	if (!rc && s.values.n && s.timestamps_unix_nano.n && s.values.n != s.timestamps_unix_nano.n)
		return pipa_refuse(r->err, -EBADMSG,
				   "malformed OTLP profiles: Sample at offset %" PRIu64
				   " has %zu values and %zu timestamps",
				   offset, s.values.n, s.timestamps_unix_nano.n);
	if (!rc)
		rc = find_stack(r, s.stack_index, offset, &sample.stack);
	if (!rc)
		rc = add_sample_attributes(r, &s, offset, &sample);
	if (!rc)
		rc = add_values(r, head, &s, &sample);
	return rc == -ERANGE ? pipa_refuse(r->err, rc,
					   "cannot add the values of the profile: their sum "
					   "exceeds 64 bits") :
			       rc;
}

/* ---- profiles ---------------------------------------------------------------------------------- */

static int read_value_type(struct reader *r, const struct pipa_otlp_value_type *type,
			   const uint8_t *at, uint32_t *ret_type, uint32_t *ret_unit)
{
	int rc = type ? find_string(r, "ValueType.type_strindex", type->type_strindex, at,
				    ret_type) :
			0;

	if (!rc && type)
		rc = find_string(r, "ValueType.unit_strindex", type->unit_strindex, at, ret_unit);
	return rc;
}

/* Add the texts of a comment, an array or a single one. */
static int add_comments(struct reader *r, const struct attribute *attribute)
{
	const struct pipa_label *label = only_label(r, attribute, PIPA_LABEL_OTLP);
	struct pipa_otlp_any_value value;
	struct pipa_proto_error e;
	const struct pipa_string *text;
	uint32_t i, comment;
	int rc = 0;

	for (i = 0; !rc && i < attribute->n; i++)
		if (r->labels.items[attribute->first + i].kind == PIPA_LABEL_TEXT)
			rc = pipa_profile_comment(
				r->p, pipa_profile_string(
					      r->p, r->labels.items[attribute->first + i].text));
	if (rc || !label)
		return rc;
	/* an array of one text */
	text = &r->p->strings.items[label->text];
	rc = pipa_proto_decode(&pipa_otlp_any_value_message,
			       (struct pipa_span){ (const uint8_t *)text->text, text->len },
			       &r->head_memory, &value, &e);
	if (rc || value.which != PIPA_OTLP_ARRAY_VALUE)
		return rc;
	for (i = 0; !rc && i < value.array_value->values.n; i++) {
		if (value.array_value->values.items[i].which != PIPA_OTLP_STRING_VALUE)
			continue;
		rc = add_text(r, value.array_value->values.items[i].string_value, &comment);
		if (!rc)
			rc = pipa_profile_comment(r->p, pipa_profile_string(r->p, comment));
	}
	return rc;
}

static int add_profile_attributes(struct reader *r, const struct pipa_otlp_profile *profile,
				  uint64_t offset)
{
	uint32_t set;
	size_t i;
	int rc = 0;

	r->list.n = 0;
	for (i = 0; !rc && i < profile->attribute_indices.n; i++) {
		const struct attribute *attribute = find_attribute(
			r, "Profile.attribute_indices", profile->attribute_indices.items[i], offset,
			&rc);

		if (attribute)
			rc = attribute->key == KEY_COMMENT ? add_comments(r, attribute) :
							     list_labels(r, attribute);
	}
	if (!rc)
		rc = make_set(r, &set);
	if (rc)
		return rc;
	set = pipa_label_set_join(r->p, r->p->attributes, set);
	if (set == PIPA_NONE)
		return -ENOMEM;
	r->p->attributes = set;
	return 0;
}

/* Use the earliest start and the longest duration. */
static void add_time(struct reader *r, const struct pipa_otlp_profile *profile)
{
	uint64_t start = profile->time_unix_nano;

	if (start && (!r->p->start_ns || start < r->p->start_ns))
		r->p->start_ns = start;
	if (profile->duration_nano > r->p->duration_ns)
		r->p->duration_ns = profile->duration_nano;
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
		return refuse_wire(r, &e, offset_of(r, bytes.data));
	if (!rc)
		rc = read_value_type(r, profile.sample_type, bytes.data, &head->type, &head->unit);
	if (!rc)
		rc = read_value_type(r, profile.period_type, bytes.data, &head->period_type,
				     &head->period_unit);
	if (rc)
		return rc;
	head->period = profile.period > 0 ? (uint64_t)profile.period : 0;
	add_time(r, &profile);
	return add_profile_attributes(r, &profile, offset_of(r, bytes.data));
}

static bool is_count(const struct reader *r, const struct head *head)
{
	return pipa_is_count_column(pipa_profile_string(r->p, head->type),
				    pipa_profile_string(r->p, head->unit));
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
	struct pipa_profile *p = r->p;
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

	while ((rc = next_message(r, &in, PIPA_OTLP_PROFILE_SAMPLES, "Profile.samples", &bytes)) >
	       0) {
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
		return refuse_wire(r, &e, offset_of(r, bytes.data));
	for (i = 0; !rc && i < scope.attributes.n; i++) {
		struct pipa_otlp_key_value *pair = &scope.attributes.items[i];

		r->list.n = 0;
		rc = find_key(r, pair, bytes.data, &key);
		if (!rc)
			rc = append_labels(r, &r->list, key, 0, pair->value, false, bytes.data);
		if (!rc && r->list.n && r->list.items[0].kind == PIPA_LABEL_TEXT &&
		    strcmp(pipa_profile_string(r->p, key), key_names[KEY_DEFAULT_TYPE]) == 0)
			r->p->default_column = r->list.items[0].text;
	}
	return rc;
}

static int read_scope_profiles(struct reader *r, struct pipa_span bytes)
{
	struct pipa_cursor in = pipa_span_cursor(bytes, false), again = in;
	struct pipa_span inside;
	size_t i;
	int rc;

	while ((rc = next_message(r, &again, PIPA_OTLP_SCOPE_PROFILES_SCOPE, "ScopeProfiles.scope",
				  &inside)) > 0) {
		rc = read_scope(r, inside);
		if (rc < 0)
			return rc;
	}
	r->heads.n = 0;
	while (!rc && (rc = next_message(r, &in, PIPA_OTLP_SCOPE_PROFILES_PROFILES,
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
	while ((rc = next_message(r, &again, PIPA_OTLP_RESOURCE_PROFILES_RESOURCE,
				  "ResourceProfiles.resource", &inside)) > 0) {
		rc = read_resource(r, inside);
		if (rc < 0)
			return rc;
	}
	while (!rc && (rc = next_message(r, &in, PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES,
					 "ResourceProfiles.scope_profiles", &inside)) > 0)
		rc = read_scope_profiles(r, inside);
	return rc;
}

static int read_profiles(struct reader *r)
{
	struct pipa_cursor in = pipa_span_cursor(r->file, false);
	struct pipa_span bytes;
	int rc = 0;

	while (!rc && (rc = next_message(r, &in, PIPA_OTLP_RESOURCE_PROFILES,
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
	struct reader r = {
		.p = profile, .timeline = timeline, .err = err, .file = file, .truncated = PIPA_NONE
	};
	size_t first_event = profile->events.n;
	int rc;

	r.trace_id = pipa_profile_text(profile, "trace_id");
	r.span_id = pipa_profile_text(profile, "span_id");
	rc = r.trace_id == PIPA_NO_STRING || r.span_id == PIPA_NO_STRING ? -ENOMEM : 0;
	if (!rc)
		rc = read_dictionary(&r);
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
