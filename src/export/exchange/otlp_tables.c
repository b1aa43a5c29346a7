#include "export/exchange/otlp_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "codec/otlp_schema.h"
#include "codec/pprof_schema.h"
#include "export/exchange/object_mapping.h"
#include "model/profile.h"

static void set_failure(struct pipa_otlp_tables *t, int code)
{
	if (!t->status)
		t->status = code;
}

static void table_done(struct pipa_otlp_table *table)
{
	free(table->items);
	pipa_index_done(&table->index);
}

void pipa_otlp_tables_done(struct pipa_otlp_tables *t)
{
	table_done(&t->strings);
	table_done(&t->mappings);
	table_done(&t->locations);
	table_done(&t->functions);
	table_done(&t->links);
	table_done(&t->attributes);
	pipa_proto_writer_done(&t->entry);
	pipa_arena_done(&t->arena);
	free(t->extents);
	free(t->string_ids);
	free(t->location_ids);
	free(t->stack_ids);
	free(t->stacks.items);
	free(t->list.items);
	free(t->list_keys.items);
	free(t->same_stack);
}

/* ---- entries ----------------------------------------------------------------------------------- */

/* Return the entry with these bytes, appending a copy of them; entry 0 has none. */
static uint32_t intern_bytes(struct pipa_otlp_tables *t, struct pipa_otlp_table *table,
			     const void *bytes, size_t len)
{
	const struct pipa_index_slot *slot;
	struct pipa_span *item;
	uint64_t hash;
	char *copy;

	if (!len || t->status)
		return 0;
	hash = pipa_hash_bytes(bytes, len, PIPA_HASH_SEED);
	for (slot = pipa_index_start(&table->index, hash); slot->id;
	     slot = pipa_index_after(&table->index, slot)) {
		const struct pipa_span *known = &table->items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && known->size == len &&
		    memcmp(known->data, bytes, len) == 0)
			return slot->id - 1;
	}
	copy = pipa_arena_text(&t->arena, bytes, len);
	if (!table->n && copy && !PIPA_VEC_ADD(table))
		copy = NULL;
	item = copy && table->n < INT32_MAX ? PIPA_VEC_ADD(table) : NULL;
	if (!item || pipa_index_add(&table->index, hash, (uint32_t)table->n - 1) < 0) {
		set_failure(t, -ENOMEM);
		return 0;
	}
	*item = (struct pipa_span){ (const uint8_t *)copy, len };
	return (uint32_t)table->n - 1;
}

/* Start to encode an entry. It stays in the window of its writer: nothing is passed on. */
static struct pipa_proto_writer *begin_entry(struct pipa_otlp_tables *t)
{
	t->entry.len = 0;
	t->entry.small = 1;
	return &t->entry;
}

static uint32_t end_entry(struct pipa_otlp_tables *t, struct pipa_otlp_table *table)
{
	if (t->entry.status) {
		set_failure(t, t->entry.status);
		return 0;
	}
	return intern_bytes(t, table, t->entry.window, t->entry.len);
}

/* ---- strings ----------------------------------------------------------------------------------- */

static bool is_utf8(const char *text, size_t len)
{
	size_t i = 0, n;

	while (i < len) {
		if ((unsigned char)text[i] < 0x80) {
			i++;
			continue;
		}
		n = pipa_utf8_len((const unsigned char *)text + i);
		if (!n || n > len - i)
			return false;
		i += n;
	}
	return true;
}

/* Append a text with U+FFFD in place of each byte that is not UTF-8: receivers refuse a message with such strings. */
static void replace_invalid(const char *text, size_t len, struct pipa_buf *out)
{
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = (unsigned char)text[i] < 0x80 ? 1 :
						    pipa_utf8_len((const unsigned char *)text + i);
		if (n && n <= len - i) {
			pipa_buf_add(out, text + i, n);
		} else {
			pipa_buf_puts(out, "\xef\xbf\xbd");
			n = 1;
		}
	}
}

static uint32_t intern_text(struct pipa_otlp_tables *t, const char *text, size_t len)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf valid = { 0 };

	if (is_utf8(text, len))
		return intern_bytes(t, &t->strings, text, len);
	replace_invalid(text, len, &valid);
	if (valid.status)
		set_failure(t, valid.status);
	return intern_bytes(t, &t->strings, valid.data, valid.len);
}

uint32_t pipa_otlp_string(struct pipa_otlp_tables *t, uint32_t string)
{
	if (!string || string >= t->p->strings.n)
		return 0;
	if (!t->string_ids[string])
		t->string_ids[string] = intern_text(t, t->p->strings.items[string].text,
						    t->p->strings.items[string].len);
	return t->string_ids[string];
}

uint32_t pipa_otlp_text(struct pipa_otlp_tables *t, const char *text)
{
	return intern_text(t, text, strlen(text));
}

/* ---- attributes, links ------------------------------------------------------------------------- */

void pipa_otlp_put_string(struct pipa_proto_writer *w, uint32_t number, const char *text,
			  size_t len)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf valid = { 0 };

	if (is_utf8(text, len)) {
		pipa_proto_put_bytes(w, number, text, len);
		return;
	}
	replace_invalid(text, len, &valid);
	if (valid.status && !w->status)
		w->status = valid.status;
	pipa_proto_put_bytes(w, number, valid.data, valid.len);
}

void pipa_otlp_put_text_value(struct pipa_proto_writer *w, uint32_t number, const char *text,
			      size_t len)
{
	size_t start = pipa_proto_begin(w, number);

	pipa_otlp_put_string(w, PIPA_OTLP_STRING_VALUE, text, len);
	pipa_proto_end(w, start);
}

void pipa_otlp_put_key_text(struct pipa_proto_writer *w, uint32_t number, const char *key,
			    const char *text)
{
	size_t start = pipa_proto_begin(w, number);

	pipa_otlp_put_string(w, PIPA_OTLP_KEY_VALUE_KEY, key, strlen(key));
	pipa_otlp_put_text_value(w, PIPA_OTLP_KEY_VALUE_VALUE, text, strlen(text));
	pipa_proto_end(w, start);
}

void pipa_otlp_put_value(const struct pipa_profile *p, struct pipa_proto_writer *w, uint32_t number,
			 const struct pipa_label *label)
{
	static const struct pipa_string none = { "", 0 };
	const struct pipa_string *text = label->text < p->strings.n ?
						 &p->strings.items[label->text] :
						 &none;
	size_t start;

	if (label->kind == PIPA_LABEL_TEXT) {
		pipa_otlp_put_text_value(w, number, text->text, text->len);
		return;
	}
	if (label->kind == PIPA_LABEL_OTLP) {
		pipa_proto_put_bytes(w, number, text->text, text->len);
		return;
	}
	start = pipa_proto_begin(w, number);
	if (label->kind == PIPA_LABEL_BYTES)
		pipa_proto_put_bytes(w, PIPA_OTLP_BYTES_VALUE, text->text, text->len);
	else if (label->kind == PIPA_LABEL_BOOL)
		pipa_proto_put_always(w, PIPA_OTLP_BOOL_VALUE, label->number != 0);
	else if (label->kind == PIPA_LABEL_DOUBLE)
		pipa_proto_put_fixed64(w, PIPA_OTLP_DOUBLE_VALUE, (uint64_t)label->number, true);
	else
		pipa_proto_put_always(w, PIPA_OTLP_INT_VALUE, (uint64_t)label->number);
	pipa_proto_end(w, start);
}

/* Return the entry of the attribute with the values of the labels [at, end) of a set, which have one key. */
static uint32_t label_attribute(struct pipa_otlp_tables *t, uint32_t set, size_t at, size_t end)
{
	const struct pipa_label *first = pipa_label_set_get(t->p, set, at);
	uint32_t key = pipa_otlp_string(t, first->key);
	uint32_t unit = pipa_otlp_string(t, first->unit);
	struct pipa_proto_writer *w = begin_entry(t);
	size_t value, array;

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key);
	if (end - at == 1) {
		pipa_otlp_put_value(t->p, w, PIPA_OTLP_ATTRIBUTE_VALUE, first);
	} else {
		value = pipa_proto_begin(w, PIPA_OTLP_ATTRIBUTE_VALUE);
		array = pipa_proto_begin(w, PIPA_OTLP_ARRAY_VALUE);
		for (; at < end; at++)
			pipa_otlp_put_value(t->p, w, PIPA_OTLP_ARRAY_VALUE_VALUES,
					    pipa_label_set_get(t->p, set, at));
		pipa_proto_end(w, array);
		pipa_proto_end(w, value);
	}
	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_UNIT_STRINDEX, unit);
	return end_entry(t, &t->attributes);
}

uint32_t pipa_otlp_number_attribute(struct pipa_otlp_tables *t, const char *key, int64_t number)
{
	const struct pipa_label label = { .kind = PIPA_LABEL_NUMBER, .number = number };
	uint32_t key_id = pipa_otlp_text(t, key);
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key_id);
	pipa_otlp_put_value(t->p, w, PIPA_OTLP_ATTRIBUTE_VALUE, &label);
	return end_entry(t, &t->attributes);
}

uint32_t pipa_otlp_text_attribute(struct pipa_otlp_tables *t, const char *key, uint32_t string)
{
	const struct pipa_label label = { .kind = PIPA_LABEL_TEXT, .text = string };
	uint32_t key_id = pipa_otlp_text(t, key);
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key_id);
	pipa_otlp_put_value(t->p, w, PIPA_OTLP_ATTRIBUTE_VALUE, &label);
	return end_entry(t, &t->attributes);
}

uint32_t pipa_otlp_texts_attribute(struct pipa_otlp_tables *t, const char *key,
				   const char *const *texts, size_t n)
{
	uint32_t key_id = pipa_otlp_text(t, key);
	struct pipa_proto_writer *w = begin_entry(t);
	size_t i, value, array;

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key_id);
	value = pipa_proto_begin(w, PIPA_OTLP_ATTRIBUTE_VALUE);
	array = pipa_proto_begin(w, PIPA_OTLP_ARRAY_VALUE);
	for (i = 0; i < n; i++)
		pipa_otlp_put_text_value(w, PIPA_OTLP_ARRAY_VALUE_VALUES, texts[i],
					 strlen(texts[i]));
	pipa_proto_end(w, array);
	pipa_proto_end(w, value);
	return end_entry(t, &t->attributes);
}

/* Return the entry of an attribute with a text that is not in the profile. */
static uint32_t constant_attribute(struct pipa_otlp_tables *t, const char *key, const char *text)
{
	uint32_t key_id = pipa_otlp_text(t, key);
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key_id);
	pipa_otlp_put_text_value(w, PIPA_OTLP_ATTRIBUTE_VALUE, text, strlen(text));
	return end_entry(t, &t->attributes);
}

static uint32_t true_attribute(struct pipa_otlp_tables *t, const char *key)
{
	const struct pipa_label label = { .kind = PIPA_LABEL_BOOL, .number = 1 };
	uint32_t key_id = pipa_otlp_text(t, key);
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put(w, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, key_id);
	pipa_otlp_put_value(t->p, w, PIPA_OTLP_ATTRIBUTE_VALUE, &label);
	return end_entry(t, &t->attributes);
}

uint32_t pipa_otlp_link(struct pipa_otlp_tables *t, const uint8_t trace_id[16],
			const uint8_t span_id[8])
{
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put_bytes(w, PIPA_OTLP_LINK_TRACE_ID, trace_id, 16);
	pipa_proto_put_bytes(w, PIPA_OTLP_LINK_SPAN_ID, span_id, 8);
	return end_entry(t, &t->links);
}

void pipa_otlp_list_start(struct pipa_otlp_tables *t)
{
	t->list.n = t->list_keys.n = 0;
}

/* Note the key of an attribute that is about to be listed; false if the list has it. */
static bool list_key(struct pipa_otlp_tables *t, uint32_t key)
{
	uint32_t *slot;
	size_t i;

	for (i = 0; i < t->list_keys.n; i++)
		if (t->list_keys.items[i] == key)
			return false;
	slot = PIPA_VEC_ADD(&t->list_keys);
	if (slot)
		*slot = key;
	else
		set_failure(t, -ENOMEM);
	return slot != NULL;
}

static void list_attribute(struct pipa_otlp_tables *t, uint32_t attribute)
{
	uint64_t *slot = PIPA_VEC_ADD(&t->list);

	if (slot)
		*slot = attribute;
	else
		set_failure(t, -ENOMEM);
}

void pipa_otlp_list_label(struct pipa_otlp_tables *t, uint32_t set, size_t *at)
{
	uint32_t key = pipa_label_set_get(t->p, set, *at)->key;
	size_t end = *at + 1, n = pipa_label_set_size(t->p, set);

	while (end < n && pipa_label_set_get(t->p, set, end)->key == key)
		end++;
	if (list_key(t, pipa_otlp_string(t, key)))
		list_attribute(t, label_attribute(t, set, *at, end));
	*at = end;
}

static void list_label_set(struct pipa_otlp_tables *t, uint32_t set)
{
	size_t i = 0, n = pipa_label_set_size(t->p, set);

	while (i < n)
		pipa_otlp_list_label(t, set, &i);
}

static void list_text(struct pipa_otlp_tables *t, const char *key, const char *text)
{
	if (list_key(t, pipa_otlp_text(t, key)))
		list_attribute(t, constant_attribute(t, key, text));
}

static void list_true(struct pipa_otlp_tables *t, const char *key)
{
	if (list_key(t, pipa_otlp_text(t, key)))
		list_attribute(t, true_attribute(t, key));
}

/* ---- mappings ---------------------------------------------------------------------------------- */

static void list_build_id(struct pipa_otlp_tables *t, const struct pipa_build_id *id)
{
	static const char digits[] = "0123456789abcdef";
	char text[2 * PIPA_BUILD_ID_MAX + 1];
	size_t i;

	for (i = 0; i < id->len; i++) {
		text[2 * i] = digits[id->bytes[i] >> 4];
		text[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	text[2 * i] = '\0';
	list_text(t, "process.executable.build_id.gnu", text);
}

static uint32_t add_mapping(struct pipa_otlp_tables *t, const struct pipa_mapping *m)
{
	static const struct {
		uint32_t flag;
		const char *key;
	} flags[] = {
		{ PIPA_MAPPING_FUNCTIONS, "pprof.mapping.has_functions" },
		{ PIPA_MAPPING_FILES, "pprof.mapping.has_filenames" },
		{ PIPA_MAPPING_LINES, "pprof.mapping.has_line_numbers" },
		{ PIPA_MAPPING_INLINED, "pprof.mapping.has_inline_frames" },
	};
	const struct pipa_object *object = &t->p->objects.items[m->object];
	bool is_range = m->start < m->limit;
	struct pipa_proto_writer *w;
	uint32_t name;
	size_t i;

	pipa_otlp_list_start(t);
	if (object->build_id.len)
		list_build_id(t, &object->build_id);
	list_label_set(t, object->attributes);
	for (i = 0; i < PIPA_COUNT(flags); i++)
		if (m->flags & flags[i].flag)
			list_true(t, flags[i].key);
	list_label_set(t, m->attributes);
	name = pipa_otlp_string(t, object->path);
	w = begin_entry(t);
	pipa_proto_put(w, PIPA_OTLP_MAPPING_MEMORY_START, is_range ? m->start : 0);
	pipa_proto_put(w, PIPA_OTLP_MAPPING_MEMORY_LIMIT, is_range ? m->limit : 0);
	pipa_proto_put(w, PIPA_OTLP_MAPPING_FILE_OFFSET, m->file_offset);
	pipa_proto_put(w, PIPA_OTLP_MAPPING_FILENAME_STRINDEX, name);
	pipa_proto_put_packed(w, PIPA_OTLP_MAPPING_ATTRIBUTE_INDICES, t->list.items, t->list.n);
	return end_entry(t, &t->mappings);
}

/* Entries of the mappings that locations refer to. */
struct mapping_ids {
	uint32_t *mappings;   /* [mapping of the profile] */
	uint32_t *objects;    /* [object] */
	uint32_t *unresolved; /* [object] of locations without symbols */
};

/*
 * Add the entry of a recording's object, and a second one without the properties for its locations without symbols:
 * Pyroscope treats a mapping as unsymbolized if one of its locations has no line.
 */
static void add_object_mapping(struct pipa_otlp_tables *t, uint32_t object, struct mapping_ids *ids)
{
	struct pipa_object_extent *e = &t->extents[object];
	struct pipa_mapping mapping;

	if (!ids->objects[object] && !ids->unresolved[object])
		return;
	if (ids->objects[object]) {
		bool unresolved = e->unresolved;

		e->unresolved = false;
		pipa_object_mapping(t->p, t->extents, object, &mapping);
		e->unresolved = unresolved;
		ids->objects[object] = add_mapping(t, &mapping);
	}
	if (ids->unresolved[object]) {
		pipa_object_mapping(t->p, t->extents, object, &mapping);
		mapping.flags = 0;
		ids->unresolved[object] = add_mapping(t, &mapping);
	}
}

/* Add the mappings of used locations in the order of the profile, the program's first. */
static void add_mappings(struct pipa_otlp_tables *t, struct mapping_ids *ids)
{
	const struct pipa_profile *p = t->p;
	uint32_t i, main_object = pipa_main_object(p);

	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *l = &p->locations.items[i];

		if (!t->location_ids[i])
			continue;
		if (l->mapping)
			ids->mappings[l->mapping] = 1;
		else if (pipa_object_is_mapped(p, l) && l->n_lines)
			ids->objects[l->object] = 1;
		else if (pipa_object_is_mapped(p, l))
			ids->unresolved[l->object] = 1;
	}
	for (i = 1; i < p->mappings.n; i++)
		if (ids->mappings[i])
			ids->mappings[i] = add_mapping(t, &p->mappings.items[i]);
	if (main_object != PIPA_NONE)
		add_object_mapping(t, main_object, ids);
	for (i = 0; i < p->objects.n; i++)
		if (i != main_object)
			add_object_mapping(t, i, ids);
}

/* ---- functions, locations ---------------------------------------------------------------------- */

static uint32_t add_function(struct pipa_otlp_tables *t, uint32_t function)
{
	const struct pipa_function *f = &t->p->functions.items[function];
	uint32_t name = pipa_otlp_string(t, f->name);
	uint32_t system_name = pipa_otlp_string(t, f->system_name);
	uint32_t file = pipa_otlp_string(t, f->file);
	struct pipa_proto_writer *w = begin_entry(t);

	pipa_proto_put(w, PIPA_OTLP_FUNCTION_NAME_STRINDEX, name);
	pipa_proto_put(w, PIPA_OTLP_FUNCTION_SYSTEM_NAME_STRINDEX, system_name);
	pipa_proto_put(w, PIPA_OTLP_FUNCTION_FILENAME_STRINDEX, file);
	if (name || system_name || file) /* a function has to have one of them */
		pipa_proto_put(w, PIPA_OTLP_FUNCTION_START_LINE, f->start_line);
	return end_entry(t, &t->functions);
}

/* Return the frame type of a recording's location, NULL if it is not known. */
static const char *frame_type(const struct pipa_profile *p, const struct pipa_location *l)
{
	switch (l->object < p->objects.n ? p->objects.items[l->object].kind : PIPA_OBJECT_UNKNOWN) {
	case PIPA_OBJECT_KERNEL:
	case PIPA_OBJECT_MODULE:
	case PIPA_OBJECT_KSYMBOL: return "kernel";
	case PIPA_OBJECT_FILE:
	case PIPA_OBJECT_VDSO: return "native";
	default: /* readers take high addresses for the kernel's */
		return l->mode == PIPA_MODE_KERNEL ? "kernel" : l->address >> 63 ? "native" : NULL;
	}
}

static uint32_t add_location(struct pipa_otlp_tables *t, uint32_t number,
			     const struct mapping_ids *ids, uint32_t *function_ids)
{
	const struct pipa_profile *p = t->p;
	const struct pipa_location *l = &p->locations.items[number];
	const char *type = p->n_column_groups ? NULL : frame_type(p, l);
	struct pipa_proto_writer *w;
	uint64_t address = l->address;
	uint32_t mapping = 0, i;

	pipa_otlp_list_start(t);
	if (type)
		list_text(t, "profile.frame.type", type);
	if (l->folded)
		list_true(t, "pprof.location.is_folded");
	list_label_set(t, l->attributes);
	for (i = 0; i < l->n_lines; i++) {
		uint32_t function = p->lines.items[l->lines + i].function;

		if (!function_ids[function])
			function_ids[function] = add_function(t, function);
	}
	if (l->mapping) {
		mapping = ids->mappings[l->mapping];
	} else if (pipa_object_is_mapped(p, l)) {
		mapping = (l->n_lines ? ids->objects : ids->unresolved)[l->object];
		address = t->extents[l->object].bias + l->offset;
	}
	w = begin_entry(t);
	pipa_proto_put(w, PIPA_OTLP_LOCATION_MAPPING_INDEX, mapping);
	pipa_proto_put(w, PIPA_OTLP_LOCATION_ADDRESS, address);
	for (i = 0; i < l->n_lines; i++) {
		const struct pipa_line *line = &p->lines.items[l->lines + i];
		size_t start = pipa_proto_begin(w, PIPA_OTLP_LOCATION_LINES);

		pipa_proto_put(w, PIPA_OTLP_LINE_FUNCTION_INDEX, function_ids[line->function]);
		pipa_proto_put(w, PIPA_OTLP_LINE_LINE, line->line);
		pipa_proto_put(w, PIPA_OTLP_LINE_COLUMN, line->column);
		pipa_proto_end(w, start);
	}
	pipa_proto_put_packed(w, PIPA_OTLP_LOCATION_ATTRIBUTE_INDICES, t->list.items, t->list.n);
	return end_entry(t, &t->locations);
}

/* Add the location of missing callers. */
static void add_truncation(struct pipa_otlp_tables *t)
{
	uint32_t name = pipa_otlp_text(t, PIPA_PPROF_TRUNCATED), function;
	struct pipa_proto_writer *w = begin_entry(t);
	size_t start;

	pipa_proto_put(w, PIPA_OTLP_FUNCTION_NAME_STRINDEX, name);
	function = end_entry(t, &t->functions);
	w = begin_entry(t);
	start = pipa_proto_begin(w, PIPA_OTLP_LOCATION_LINES);
	pipa_proto_put(w, PIPA_OTLP_LINE_FUNCTION_INDEX, function);
	pipa_proto_end(w, start);
	t->truncated = end_entry(t, &t->locations);
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* Mark the locations of the samples' stacks; each stack of the profile is visited once. */
static int mark_used(struct pipa_otlp_tables *t, size_t from, size_t until, bool *ret_truncated)
{
	const struct pipa_stack *stacks = t->p->stacks.items;
	PIPA_AUTO(free) bool *seen = calloc(t->p->stacks.n + 1, sizeof(*seen));
	size_t i;

	if (!seen)
		return -ENOMEM;
	*ret_truncated = false;
	for (i = from; i < until; i++) {
		uint32_t stack = t->p->samples.items[i].stack;

		for (; stack != PIPA_NONE && !seen[stack]; stack = stacks[stack].parent) {
			seen[stack] = true;
			t->location_ids[stacks[stack].location] = 1;
			if (stacks[stack].parent == PIPA_NONE && stacks[stack].cut)
				*ret_truncated = true;
		}
	}
	return 0;
}

/* Find equal stacks after locations have been joined: callers precede their callees in the profile. */
static int join_stacks(struct pipa_otlp_tables *t)
{
	const struct pipa_stack *stacks = t->p->stacks.items;
	struct pipa_index index = { 0 };
	size_t i;
	int rc = 0;

	t->same_stack = malloc(t->p->stacks.n * sizeof(*t->same_stack) + 1);
	if (!t->same_stack)
		return -ENOMEM;
	for (i = 0; !rc && i < t->p->stacks.n; i++) {
		uint32_t parent = stacks[i].parent == PIPA_NONE ? PIPA_NONE :
								  t->same_stack[stacks[i].parent];
		uint32_t location = t->location_ids[stacks[i].location];
		uint64_t hash = pipa_hash_u64((uint64_t)parent << 32 | location, stacks[i].cut);
		const struct pipa_index_slot *slot = pipa_index_start(&index, hash);

		t->same_stack[i] = (uint32_t)i;
		for (; slot->id; slot = pipa_index_after(&index, slot)) {
			const struct pipa_stack *known = &stacks[slot->id - 1];
			uint32_t known_parent = known->parent == PIPA_NONE ?
							PIPA_NONE :
							t->same_stack[known->parent];

			if (slot->hash == (uint32_t)hash && known_parent == parent &&
			    t->location_ids[known->location] == location &&
			    known->cut == stacks[i].cut) {
				t->same_stack[i] = slot->id - 1;
				break;
			}
		}
		if (t->same_stack[i] == i)
			rc = pipa_index_add(&index, hash, (uint32_t)i);
	}
	pipa_index_done(&index);
	return rc;
}

uint32_t pipa_otlp_stack(struct pipa_otlp_tables *t, uint32_t stack)
{
	uint32_t *slot;

	if (stack == PIPA_NONE || t->status)
		return 0;
	stack = pipa_otlp_same_stack(t, stack);
	if (!t->stack_ids[stack]) {
		slot = t->stacks.n < INT32_MAX - 1 ? PIPA_VEC_ADD(&t->stacks) : NULL;
		if (!slot) {
			set_failure(t, -ENOMEM);
			return 0;
		}
		*slot = stack;
		t->stack_ids[stack] = (uint32_t)t->stacks.n;
	}
	return t->stack_ids[stack];
}

int pipa_otlp_tables_init(struct pipa_otlp_tables *t, const struct pipa_profile *p, size_t from,
			  size_t until)
{
	PIPA_AUTO(free) uint32_t *mappings = calloc(p->mappings.n + 1, sizeof(*mappings));
	PIPA_AUTO(free) uint32_t *objects = calloc(2 * (p->objects.n + 1), sizeof(*objects));
	PIPA_AUTO(free) uint32_t *functions = calloc(p->functions.n + 1, sizeof(*functions));
	struct mapping_ids ids = { mappings, objects, objects ? objects + p->objects.n : NULL };
	bool truncated;
	size_t before;
	uint32_t i;

	*t = (struct pipa_otlp_tables){ .p = p };
	pipa_proto_writer_init(&t->entry, NULL, NULL);
	t->extents = pipa_object_extents(p);
	t->string_ids = calloc(p->strings.n + 1, sizeof(*t->string_ids));
	t->location_ids = calloc(p->locations.n + 1, sizeof(*t->location_ids));
	t->stack_ids = calloc(p->stacks.n + 1, sizeof(*t->stack_ids));
	if (!mappings || !objects || !functions || !t->extents || !t->string_ids ||
	    !t->location_ids || !t->stack_ids || mark_used(t, from, until, &truncated) < 0)
		return -ENOMEM;
	add_mappings(t, &ids);
	if (truncated)
		add_truncation(t);
	for (i = 0; i < p->locations.n && !t->status; i++) {
		if (!t->location_ids[i])
			continue;
		before = t->locations.n;
		t->location_ids[i] = add_location(t, i, &ids, functions);
		t->joined = t->joined || t->locations.n == before;
	}
	if (t->joined && !t->status && join_stacks(t) < 0)
		set_failure(t, -ENOMEM);
	return t->status;
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void put_table(struct pipa_proto_writer *w, uint32_t number,
		      const struct pipa_otlp_table *table)
{
	size_t i;

	if (!table->n) /* entry 0 has to be there */
		pipa_proto_put_bytes(w, number, "", 0);
	for (i = 0; i < table->n; i++)
		pipa_proto_put_bytes(w, number, table->items[i].data, table->items[i].size);
}

static void put_stack(const struct pipa_otlp_tables *t, struct pipa_proto_writer *w, uint32_t stack)
{
	const struct pipa_stack *stacks = t->p->stacks.items;
	size_t start = pipa_proto_begin(w, PIPA_OTLP_STACK_TABLE), list;
	uint8_t *to;

	list = pipa_proto_begin(w, PIPA_OTLP_STACK_LOCATION_INDICES);
	to = pipa_proto_room(w, ((size_t)stacks[stack].depth + 1) * PIPA_VARINT_MAX);
	for (; to && stack != PIPA_NONE; stack = stacks[stack].parent) {
		to = pipa_proto_encode_varint(to, t->location_ids[stacks[stack].location]);
		if (stacks[stack].parent == PIPA_NONE && stacks[stack].cut)
			to = pipa_proto_encode_varint(to, t->truncated);
	}
	if (to)
		w->len = (size_t)(to - w->window);
	pipa_proto_end(w, list);
	pipa_proto_end(w, start);
}

void pipa_otlp_put_dictionary(const struct pipa_otlp_tables *t, struct pipa_proto_writer *w,
			      uint32_t number)
{
	size_t i;

	pipa_proto_open(w, number);
	put_table(w, PIPA_OTLP_MAPPING_TABLE, &t->mappings);
	put_table(w, PIPA_OTLP_LOCATION_TABLE, &t->locations);
	put_table(w, PIPA_OTLP_FUNCTION_TABLE, &t->functions);
	put_table(w, PIPA_OTLP_LINK_TABLE, &t->links);
	put_table(w, PIPA_OTLP_STRING_TABLE, &t->strings);
	put_table(w, PIPA_OTLP_ATTRIBUTE_TABLE, &t->attributes);
	pipa_proto_put_bytes(w, PIPA_OTLP_STACK_TABLE, "", 0);
	for (i = 0; i < t->stacks.n && !w->status; i++)
		put_stack(t, w, t->stacks.items[i]);
	pipa_proto_close(w);
}
