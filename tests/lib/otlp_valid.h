/*
 * The rules of an OTLP profiles message, as profcheck of the OpenTelemetry project and Parca check them, and those of
 * the proto's comments: no equal and no unused entries of the dictionary. Written apart from the exporter and the
 * importer, to test both.
 */
#ifndef TESTS_LIB_OTLP_VALID_H
#define TESTS_LIB_OTLP_VALID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "codec/otlp_schema.h"

struct otlp_tables {
	const struct pipa_otlp_dictionary *d;
	bool *used[8]; /* [table][entry] */
};

static inline size_t otlp_table_size(const struct pipa_otlp_dictionary *d, int table)
{
	const size_t sizes[] = {
		0,
		d->mapping_table.n,
		d->location_table.n,
		d->function_table.n,
		d->link_table.n,
		d->string_table.n,
		d->attribute_table.n,
		d->stack_table.n,
	};

	return sizes[table];
}

/* Note the use of an entry; false if it does not exist. */
static inline bool otlp_use(struct otlp_tables *t, int table, int64_t index)
{
	if (index < 0 || (size_t)index >= otlp_table_size(t->d, table))
		return false;
	t->used[table][index] = true;
	return true;
}

/* Check a list of attribute_indices: in range, no key twice. */
static inline bool otlp_use_attributes(struct otlp_tables *t, const int32_t *indices, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		if (indices[i] <= 0 || !otlp_use(t, PIPA_OTLP_ATTRIBUTE_TABLE, indices[i]))
			return false;
		for (k = 0; k < i; k++)
			if (t->d->attribute_table.items[indices[i]].key_strindex ==
			    t->d->attribute_table.items[indices[k]].key_strindex)
				return false;
	}
	return true;
}

static inline const char *otlp_profile_problem(struct otlp_tables *t,
					       const struct pipa_otlp_profile *p)
{
	uint64_t end = p->time_unix_nano + p->duration_nano;
	size_t i, k;

	if (!p->samples.n)
		return "profile without samples";
	if (!p->sample_type || !p->period_type)
		return "profile without sample_type or period_type";
	if (!otlp_use(t, PIPA_OTLP_STRING_TABLE, p->sample_type->type_strindex) ||
	    !otlp_use(t, PIPA_OTLP_STRING_TABLE, p->sample_type->unit_strindex) ||
	    !otlp_use(t, PIPA_OTLP_STRING_TABLE, p->period_type->type_strindex) ||
	    !otlp_use(t, PIPA_OTLP_STRING_TABLE, p->period_type->unit_strindex))
		return "string of a value type out of range";
	if (p->period < 0)
		return "negative period";
	if (p->profile_id.size && p->profile_id.size != 16)
		return "profile_id not of 16 bytes";
	if (!p->original_payload.size != !p->original_payload_format.size)
		return "original payload without format, or format without it";
	if (!otlp_use_attributes(t, p->attribute_indices.items, p->attribute_indices.n))
		return "attributes of a profile";
	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_otlp_sample *s = &p->samples.items[i];

		if (!otlp_use(t, PIPA_OTLP_STACK_TABLE, s->stack_index))
			return "stack_index out of range";
		if (!otlp_use(t, PIPA_OTLP_LINK_TABLE, s->link_index))
			return "link_index out of range";
		if (!otlp_use_attributes(t, s->attribute_indices.items, s->attribute_indices.n))
			return "attributes of a sample";
		if (!s->values.n && !s->timestamps_unix_nano.n)
			return "sample without values and timestamps";
		if (s->values.n && s->timestamps_unix_nano.n &&
		    s->values.n != s->timestamps_unix_nano.n)
			return "values and timestamps of different length";
		if (!s->timestamps_unix_nano.n && s->values.n != 1)
			return "aggregate of several values";
		for (k = 0; k < s->timestamps_unix_nano.n; k++)
			if (s->timestamps_unix_nano.items[k] < p->time_unix_nano ||
			    s->timestamps_unix_nano.items[k] >= end)
				return "timestamp outside of the profile";
	}
	return NULL;
}

static inline const char *otlp_dictionary_problem(struct otlp_tables *t)
{
	const struct pipa_otlp_dictionary *d = t->d;
	size_t i, k;

	for (i = 0; i < d->stack_table.n; i++)
		for (k = 0; k < d->stack_table.items[i].location_indices.n; k++)
			if (!otlp_use(t, PIPA_OTLP_LOCATION_TABLE,
				      d->stack_table.items[i].location_indices.items[k]))
				return "location_indices out of range";
	for (i = 0; i < d->location_table.n; i++) {
		const struct pipa_otlp_location *l = &d->location_table.items[i];

		if (!otlp_use(t, PIPA_OTLP_MAPPING_TABLE, l->mapping_index))
			return "mapping_index out of range";
		if (!otlp_use_attributes(t, l->attribute_indices.items, l->attribute_indices.n))
			return "attributes of a location";
		for (k = 0; k < l->lines.n; k++)
			if (!otlp_use(t, PIPA_OTLP_FUNCTION_TABLE,
				      l->lines.items[k].function_index) ||
			    l->lines.items[k].line < 0 || l->lines.items[k].column < 0)
				return "line of a location";
	}
	for (i = 0; i < d->mapping_table.n; i++) {
		const struct pipa_otlp_mapping *m = &d->mapping_table.items[i];

		if ((m->memory_start || m->memory_limit) && m->memory_start >= m->memory_limit)
			return "mapping with an empty range";
		if (!otlp_use(t, PIPA_OTLP_STRING_TABLE, m->filename_strindex) ||
		    !otlp_use_attributes(t, m->attribute_indices.items, m->attribute_indices.n))
			return "file name or attributes of a mapping";
	}
	for (i = 0; i < d->function_table.n; i++) {
		const struct pipa_otlp_function *f = &d->function_table.items[i];

		if (!otlp_use(t, PIPA_OTLP_STRING_TABLE, f->name_strindex) ||
		    !otlp_use(t, PIPA_OTLP_STRING_TABLE, f->system_name_strindex) ||
		    !otlp_use(t, PIPA_OTLP_STRING_TABLE, f->filename_strindex) || f->start_line < 0)
			return "fields of a function";
		if (i && !f->name_strindex && !f->system_name_strindex && !f->filename_strindex)
			return "function without a name";
	}
	for (i = 0; i < d->attribute_table.n; i++) {
		const struct pipa_otlp_attribute *a = &d->attribute_table.items[i];

		if (!otlp_use(t, PIPA_OTLP_STRING_TABLE, a->key_strindex) ||
		    !otlp_use(t, PIPA_OTLP_STRING_TABLE, a->unit_strindex))
			return "key or unit of an attribute out of range";
		if (i && (!a->value || !a->value->which))
			return "attribute without a value";
	}
	for (i = 1; i < d->link_table.n; i++)
		if (d->link_table.items[i].trace_id.size != 16 ||
		    d->link_table.items[i].span_id.size != 8)
			return "ids of a link";
	return NULL;
}

static inline int otlp_compare_entries(const void *a, const void *b)
{
	const struct pipa_span *x = a, *y = b;
	size_t n = x->size < y->size ? x->size : y->size;
	int order = n ? memcmp(x->data, y->data, n) : 0;

	return order ? order : x->size < y->size ? -1 : x->size > y->size;
}

/* Check the encoded entries of a table: the first is empty, no two are equal. */
static inline const char *otlp_table_problem(struct pipa_span dictionary, uint32_t table, size_t n)
{
	struct pipa_span *entries = calloc(n + 1, sizeof(*entries));
	struct pipa_cursor in = pipa_span_cursor(dictionary, false);
	struct pipa_proto_item item;
	struct pipa_proto_error err;
	const char *problem = NULL;
	size_t i = 0;

	while (entries && i < n && pipa_proto_next(&in, &item, &err) > 0)
		if (item.number == table)
			entries[i++] = item.bytes;
	if (!i || entries[0].size)
		problem = "entry 0 of a table is not empty";
	if (i > 1)
		qsort(entries, i, sizeof(*entries), otlp_compare_entries);
	while (!problem && i-- > 1)
		if (otlp_compare_entries(&entries[i - 1], &entries[i]) == 0)
			problem = "equal entries of a table";
	free(entries);
	return problem;
}

static inline const char *otlp_resource_problem(const struct pipa_otlp_resource *r)
{
	size_t i, k;
	bool service = false;

	for (i = 0; i < r->attributes.n; i++) {
		struct pipa_span key = r->attributes.items[i].key;

		if (!key.size || r->attributes.items[i].key_strindex)
			return "resource attribute without a plain key";
		service = service || (key.size == 12 && memcmp(key.data, "service.name", 12) == 0);
		for (k = 0; k < i; k++)
			if (otlp_compare_entries(&key, &r->attributes.items[k].key) == 0)
				return "resource attribute with a key twice";
	}
	return service ? NULL : "resource without service.name";
}

/* Return the first rule that a message breaks, NULL if it is valid. */
static inline const char *otlp_problem(struct pipa_span bytes, enum pipa_otlp_layout layout)
{
	struct pipa_proto_memory memory = { 0 };
	struct pipa_proto_error err;
	struct otlp_tables t = { 0 };
	struct pipa_cursor in = pipa_span_cursor(bytes, false);
	struct pipa_span dictionary = { 0 };
	struct pipa_proto_item item;
	const char *problem = NULL;
	struct pipa_otlp_data data;
	size_t i, k, n;
	int table;

	if (pipa_proto_decode(&pipa_otlp_data_messages[layout], bytes, &memory, &data, &err) != 0 ||
	    !data.dictionary) {
		pipa_proto_memory_done(&memory);
		return "malformed, or without a dictionary";
	}
	while (pipa_proto_next(&in, &item, &err) > 0)
		if (item.number == PIPA_OTLP_DICTIONARY)
			dictionary = item.bytes;
	t.d = data.dictionary;
	for (table = 1; table < 8; table++) {
		t.used[table] = calloc(otlp_table_size(t.d, table) + 1, sizeof(bool));
		t.used[table][0] = true;
		if (!problem)
			problem = otlp_table_problem(dictionary, (uint32_t)table,
						     otlp_table_size(t.d, table));
	}
	for (i = 0; !problem && i < data.resource_profiles.n; i++) {
		const struct pipa_otlp_resource_profiles *r = &data.resource_profiles.items[i];

		problem = !r->resource	       ? "resource missing" :
			  !r->scope_profiles.n ? "resource without scope" :
						 otlp_resource_problem(r->resource);
		for (k = 0; !problem && k < r->scope_profiles.n; k++) {
			if (!r->scope_profiles.items[k].profiles.n)
				problem = "scope without profiles";
			for (n = 0; !problem && n < r->scope_profiles.items[k].profiles.n; n++)
				problem = otlp_profile_problem(
					&t, &r->scope_profiles.items[k].profiles.items[n]);
		}
	}
	if (!problem)
		problem = otlp_dictionary_problem(&t);
	for (table = 1; table < 8; table++) {
		for (i = 0; !problem && i < otlp_table_size(t.d, table); i++)
			if (!t.used[table][i])
				problem = "unused entry of a table";
		free(t.used[table]);
	}
	pipa_proto_memory_done(&memory);
	return problem;
}

#endif
