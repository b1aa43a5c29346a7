#include "analyze/exchange/otlp_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "codec/otlp_schema.h"
#include "codec/proto_json.h"

enum { PATH_MAX_DEPTH = 8 };

#define NO_INDEX SIZE_MAX
#define MEMORY_MAX ((uint64_t)4 << 30)

enum table { MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS, TABLE_NR };

static const char *const table_names[TABLE_NR] = {
	[MAPPINGS] = "mapping_table",	[LOCATIONS] = "location_table",
	[FUNCTIONS] = "function_table", [LINKS] = "link_table",
	[STRINGS] = "string_table",	[ATTRIBUTES] = "attribute_table",
	[STACKS] = "stack_table",
};

/* A field on the way to the current message; `index` if it is repeated. */
struct step {
	const char *name;
	size_t index;
};

struct checker {
	struct pipa_otlp_check *check;
	size_t limit;
	const struct pipa_otlp_dictionary *dict;
	size_t sizes[TABLE_NR];
	uint8_t *used[TABLE_NR]; /* [entry]: something refers to it */
	uint32_t *string_ids;	 /* [string]: equal for equal strings */
	uint32_t *last_list;	 /* [string id]: the attribute list that had the key last */
	uint32_t lists;
	struct step path[PATH_MAX_DEPTH];
	unsigned int depth;
	int status; /* 0 or -ENOMEM */
};

/* ---- findings ---------------------------------------------------------------------------------- */

static void enter(struct checker *c, const char *name, size_t index)
{
	c->path[c->depth++] = (struct step){ name, index };
}

static void leave(struct checker *c)
{
	c->depth--;
}

static void put_step(struct pipa_buf *out, struct step step, bool first)
{
	if (!first)
		pipa_buf_putc(out, '.');
	pipa_buf_puts(out, step.name);
	if (step.index != NO_INDEX)
		pipa_buf_printf(out, "[%zu]", step.index);
}

/* Count a breach at a field of the current message and keep it unless there are enough of the rule. */
static void PIPA_PRINTF(4, 5) add_finding(struct checker *c, enum pipa_otlp_rule rule,
					  struct step field, const char *fmt, ...)
{
	struct pipa_buf *texts = &c->check->texts;
	struct pipa_otlp_finding *finding;
	unsigned int i;
	va_list ap;

	if (c->check->counts[rule]++ >= c->limit || texts->status)
		return;
	finding = PIPA_VEC_ADD(&c->check->findings);
	if (!finding) {
		c->status = -ENOMEM;
		return;
	}
	finding->rule = rule;
	finding->path = (uint32_t)texts->len;
	for (i = 0; i < c->depth; i++)
		put_step(texts, c->path[i], i == 0);
	if (field.name)
		put_step(texts, field, c->depth == 0);
	pipa_buf_putc(texts, '\0');
	finding->text = (uint32_t)texts->len;
	va_start(ap, fmt);
	pipa_buf_vprintf(texts, fmt, ap);
	va_end(ap);
	pipa_buf_putc(texts, '\0');
	if (texts->status) { /* kept findings have their texts */
		c->status = texts->status == -ENOMEM ? -ENOMEM : c->status;
		c->check->findings.n--;
	}
}

#define HERE ((struct step){ NULL, NO_INDEX })
#define FIELD(name) ((struct step){ (name), NO_INDEX })

/* ---- references -------------------------------------------------------------------------------- */

/* Check that an entry exists and mark it as used. */
static bool check_index(struct checker *c, enum table table, int32_t index,
			enum pipa_otlp_rule rule, struct step field)
{
	if (index >= 0 && (size_t)index < c->sizes[table]) {
		c->used[table][index] = 1;
		return true;
	}
	if (!c->dict || (!index && !c->sizes[table]))
		return false; /* the missing dictionary or the empty table is a finding already */
	add_finding(c, rule, field, "index %" PRId32 " is outside of %s, which has %zu entries",
		    index, table_names[table], c->sizes[table]);
	return false;
}

static bool check_string(struct checker *c, int32_t index, const char *field)
{
	return check_index(c, STRINGS, index, PIPA_OTLP_RULE_INDEX, FIELD(field));
}

/* Return a string of the dictionary, empty if there is none of that index. */
static struct pipa_span string_at(const struct checker *c, int32_t index)
{
	if (index < 0 || (size_t)index >= c->sizes[STRINGS])
		return (struct pipa_span){ 0 };
	return c->dict->string_table.items[index];
}

static bool is_text(struct pipa_span span, const char *text)
{
	return span.size == strlen(text) && (!span.size || memcmp(span.data, text, span.size) == 0);
}

static bool has_prefix(struct pipa_span span, const char *text)
{
	return span.size >= strlen(text) && memcmp(span.data, text, strlen(text)) == 0;
}

/* Check the indices of a list of attributes, and that no key occurs twice. */
static void check_attributes(struct checker *c, const int32_t *items, size_t n,
			     enum pipa_otlp_rule rule)
{
	uint32_t list = ++c->lists, key;
	size_t i;

	for (i = 0; i < n; i++) {
		const struct step field = { "attribute_indices", i };
		struct pipa_span text;
		int32_t index;

		if (!check_index(c, ATTRIBUTES, items[i], rule, field))
			continue;
		index = c->dict->attribute_table.items[items[i]].key_strindex;
		if (index < 0 || (size_t)index >= c->sizes[STRINGS])
			continue;
		key = c->string_ids[index];
		text = string_at(c, index);
		if (c->last_list[key] == list)
			add_finding(c, PIPA_OTLP_RULE_DUPLICATE_KEY, field,
				    "key '%.*s' occurs twice in the list",
				    (int)(text.size < 64 ? text.size : 64),
				    (const char *)text.data);
		c->last_list[key] = list;
	}
}

static void check_utf8(struct checker *c, struct pipa_span text, struct step field)
{
	unsigned char padded[8];
	size_t i = 0, len, left;

	while (i < text.size) {
		if (text.data[i] < 0x80) {
			i++;
			continue;
		}
		left = text.size - i < 4 ? text.size - i : 4;
		memset(padded, 0, sizeof(padded));
		memcpy(padded, text.data + i, left);
		len = pipa_utf8_len(padded);
		if (!len || len > left) {
			add_finding(c, PIPA_OTLP_RULE_UTF8, field,
				    "byte %zu of the string is not UTF-8", i);
			return;
		}
		i += len;
	}
}

/* ---- attributes of resources and scopes -------------------------------------------------------- */

/* Check the strings in a value. `refers` if string references are resolved there. */
static void check_value(struct checker *c, const struct pipa_otlp_any_value *value, bool refers,
			struct step field)
{
	size_t i;

	if (!value)
		return;
	switch (value->which) {
	case PIPA_OTLP_STRING_VALUE: check_utf8(c, value->string_value, field); break;
	case PIPA_OTLP_STRING_VALUE_STRINDEX:
		check_index(c, STRINGS, value->string_value_strindex, PIPA_OTLP_RULE_INDEX, field);
		if (!refers)
			add_finding(c, PIPA_OTLP_RULE_STRING_REFERENCE, field,
				    "the value is a string reference, which receivers of OTLP do "
				    "not resolve here");
		break;
	case PIPA_OTLP_ARRAY_VALUE:
		for (i = 0; value->array_value && i < value->array_value->values.n; i++)
			check_value(c, &value->array_value->values.items[i], refers, field);
		break;
	case PIPA_OTLP_KVLIST_VALUE:
		for (i = 0; value->kvlist_value && i < value->kvlist_value->values.n; i++) {
			check_utf8(c, value->kvlist_value->values.items[i].key, field);
			check_value(c, value->kvlist_value->values.items[i].value, refers, field);
		}
		break;
	default: break;
	}
}

/* Check attributes with their own keys; returns whether one has the wanted key. */
static bool check_key_values(struct checker *c, const struct pipa_otlp_key_value *items, size_t n,
			     bool resource, const char *wanted)
{
	struct pipa_strings keys = { 0 };
	bool found = false;
	size_t i, before;

	for (i = 0; i < n; i++) {
		const struct pipa_otlp_key_value *item = &items[i];
		const struct step field = { "attributes", i };

		check_utf8(c, item->key, field);
		check_value(c, item->value, false, field);
		if (item->key_strindex) {
			add_finding(c, PIPA_OTLP_RULE_KEY_REFERENCE, field,
				    item->key.size ? "both key and key_strindex are set" :
						     "the key is a string reference, which "
						     "receivers of OTLP do not resolve here");
			check_index(c, STRINGS, item->key_strindex, PIPA_OTLP_RULE_INDEX, field);
		}
		if (!item->key.size) {
			if (resource)
				add_finding(c, PIPA_OTLP_RULE_EMPTY_KEY, field, "the key is empty");
			continue;
		}
		found |= is_text(item->key, wanted);
		before = keys.n;
		if (pipa_strings_add(&keys, (const char *)item->key.data, item->key.size) ==
		    PIPA_NO_STRING)
			c->status = -ENOMEM;
		else if (keys.n == before)
			add_finding(c, PIPA_OTLP_RULE_DUPLICATE_KEY, field, "the key occurs twice");
	}
	pipa_strings_done(&keys);
	return found;
}

static void check_entities(struct checker *c, const struct pipa_otlp_resource *resource)
{
	size_t i, j, k;

	for (i = 0; i < resource->entity_refs.n && i < 64; i++) {
		const struct pipa_otlp_entity_ref *ref = &resource->entity_refs.items[i];

		for (j = 0; j < ref->id_keys.n && j < 64; j++) {
			for (k = 0; k < resource->attributes.n; k++)
				if (resource->attributes.items[k].key.size ==
					    ref->id_keys.items[j].size &&
				    (!ref->id_keys.items[j].size ||
				     memcmp(resource->attributes.items[k].key.data,
					    ref->id_keys.items[j].data,
					    ref->id_keys.items[j].size) == 0))
					break;
			if (k == resource->attributes.n)
				add_finding(c, PIPA_OTLP_RULE_ENTITY_KEY,
					    (struct step){ "entity_refs", i },
					    "id_keys[%zu] is not a key of the resource", j);
		}
	}
}

/* ---- profiles ---------------------------------------------------------------------------------- */

enum shape { SHAPE_NONE, SHAPE_VALUES, SHAPE_TIMESTAMPS, SHAPE_BOTH };

static const char *const shape_names[] = {
	[SHAPE_NONE] = "nothing",
	[SHAPE_VALUES] = "only values",
	[SHAPE_TIMESTAMPS] = "only timestamps",
	[SHAPE_BOTH] = "values and timestamps",
};

static void check_timestamps(struct checker *c, const struct pipa_otlp_profile *profile,
			     const struct pipa_otlp_sample *sample)
{
	uint64_t end;
	size_t i;

	if (__builtin_add_overflow(profile->time_unix_nano, profile->duration_nano, &end))
		end = UINT64_MAX;
	for (i = 0; i < sample->timestamps_unix_nano.n; i++) {
		const struct step field = { "timestamps_unix_nano", i };
		uint64_t at = sample->timestamps_unix_nano.items[i];

		if (at < profile->time_unix_nano || at > end)
			add_finding(c, PIPA_OTLP_RULE_TIME_RANGE, field,
				    "%" PRIu64 " is outside of the profile's time, %" PRIu64
				    " to %" PRIu64,
				    at, profile->time_unix_nano, end);
		else if (at == end)
			add_finding(c, PIPA_OTLP_RULE_TIME_END, field,
				    "%" PRIu64 " is the end of the profile's time, which is not "
				    "part of it",
				    at);
	}
}

static void check_sample(struct checker *c, const struct pipa_otlp_profile *profile,
			 const struct pipa_otlp_sample *sample, bool off_cpu, enum shape *expected)
{
	size_t values = sample->values.n, times = sample->timestamps_unix_nano.n;
	enum shape shape = (values ? SHAPE_VALUES : 0) | (times ? SHAPE_TIMESTAMPS : 0);

	check_index(c, STACKS, sample->stack_index, PIPA_OTLP_RULE_INDEX, FIELD("stack_index"));
	check_index(c, LINKS, sample->link_index, PIPA_OTLP_RULE_INDEX, FIELD("link_index"));
	check_attributes(c, sample->attribute_indices.items, sample->attribute_indices.n,
			 PIPA_OTLP_RULE_SAMPLE_ATTRIBUTE);
	check_timestamps(c, profile, sample);
	if (shape == SHAPE_NONE)
		add_finding(c, PIPA_OTLP_RULE_NO_OBSERVATION, HERE,
			    "the sample has neither values nor timestamps");
	if (shape == SHAPE_BOTH && values != times)
		add_finding(c, PIPA_OTLP_RULE_LENGTHS, FIELD("values"),
			    "%zu values and %zu timestamps", values, times);
	if (values > 1 && !off_cpu)
		add_finding(c, PIPA_OTLP_RULE_SEVERAL_VALUES, FIELD("values"),
			    "%zu values in one sample of a type that is not off_cpu", values);
	if (*expected == SHAPE_NONE)
		*expected = shape;
	else if (shape != SHAPE_NONE && shape != *expected)
		add_finding(c, PIPA_OTLP_RULE_MIXED_SHAPES, HERE,
			    "the sample has %s, the first sample of the profile %s",
			    shape_names[shape], shape_names[*expected]);
}

static void check_value_type(struct checker *c, const struct pipa_otlp_value_type *type,
			     const char *name)
{
	if (!type)
		return;
	enter(c, name, NO_INDEX);
	check_string(c, type->type_strindex, "type_strindex");
	check_string(c, type->unit_strindex, "unit_strindex");
	leave(c);
}

static bool is_off_cpu(const struct checker *c, const struct pipa_otlp_profile *profile)
{
	return profile->sample_type &&
	       is_text(string_at(c, profile->sample_type->type_strindex), "off_cpu") &&
	       is_text(string_at(c, profile->sample_type->unit_strindex), "nanoseconds");
}

static bool is_zero(struct pipa_span bytes)
{
	size_t i;

	for (i = 0; i < bytes.size; i++)
		if (bytes.data[i])
			return false;
	return true;
}

static void check_profile_fields(struct checker *c, const struct pipa_otlp_profile *profile)
{
	check_value_type(c, profile->sample_type, "sample_type");
	check_value_type(c, profile->period_type, "period_type");
	check_attributes(c, profile->attribute_indices.items, profile->attribute_indices.n,
			 PIPA_OTLP_RULE_INDEX);
	if (!profile->sample_type || !profile->sample_type->type_strindex)
		add_finding(c, PIPA_OTLP_RULE_NO_SAMPLE_TYPE, FIELD("sample_type"),
			    "the values have no type");
	if (!profile->period_type)
		add_finding(c, PIPA_OTLP_RULE_NO_PERIOD_TYPE, FIELD("period_type"),
			    "is missing; an empty one is enough");
	if (!profile->time_unix_nano)
		add_finding(c, PIPA_OTLP_RULE_NO_TIME, FIELD("time_unix_nano"),
			    "is missing; Pyroscope uses the time of arrival");
	if (profile->period < 0)
		add_finding(c, PIPA_OTLP_RULE_NEGATIVE_PERIOD, FIELD("period"),
			    "%" PRId64 " is negative", profile->period);
	if (profile->profile_id.size &&
	    (profile->profile_id.size != 16 || is_zero(profile->profile_id)))
		add_finding(c, PIPA_OTLP_RULE_PROFILE_ID, FIELD("profile_id"),
			    "%zu bytes, expected 16 that are not all 0", profile->profile_id.size);
	if (!profile->original_payload_format.size != !profile->original_payload.size)
		add_finding(c, PIPA_OTLP_RULE_PAYLOAD, FIELD("original_payload"),
			    "only one of original_payload and original_payload_format is set");
	check_utf8(c, profile->original_payload_format, FIELD("original_payload_format"));
}

static void check_profile(struct checker *c, const struct pipa_otlp_profile *profile)
{
	bool off_cpu = is_off_cpu(c, profile);
	enum shape expected = SHAPE_NONE;
	size_t i;

	check_profile_fields(c, profile);
	if (!profile->samples.n)
		add_finding(c, PIPA_OTLP_RULE_NO_SAMPLES, FIELD("samples"),
			    "the profile has no samples");
	for (i = 0; i < profile->samples.n; i++) {
		enter(c, "samples", i);
		check_sample(c, profile, &profile->samples.items[i], off_cpu, &expected);
		leave(c);
	}
	c->check->sizes.samples += profile->samples.n;
}

static void check_scope_profiles(struct checker *c, const struct pipa_otlp_scope_profiles *scope)
{
	size_t i;

	if (!scope->scope || !scope->scope->name.size)
		add_finding(c, PIPA_OTLP_RULE_SCOPE_NAME, FIELD("scope.name"),
			    "is empty; Parca names the profile after it");
	if (scope->scope) {
		enter(c, "scope", NO_INDEX);
		check_utf8(c, scope->scope->name, FIELD("name"));
		check_utf8(c, scope->scope->version, FIELD("version"));
		check_key_values(c, scope->scope->attributes.items, scope->scope->attributes.n,
				 false, "");
		leave(c);
	}
	check_utf8(c, scope->schema_url, FIELD("schema_url"));
	if (!scope->profiles.n)
		add_finding(c, PIPA_OTLP_RULE_NO_PROFILES, FIELD("profiles"),
			    "the scope has no profiles");
	for (i = 0; i < scope->profiles.n; i++) {
		enter(c, "profiles", i);
		check_profile(c, &scope->profiles.items[i]);
		leave(c);
	}
	c->check->sizes.profiles += scope->profiles.n;
}

static void check_resource_profiles(struct checker *c,
				    const struct pipa_otlp_resource_profiles *profiles)
{
	bool named = false;
	size_t i;

	if (profiles->resource) {
		enter(c, "resource", NO_INDEX);
		named = check_key_values(c, profiles->resource->attributes.items,
					 profiles->resource->attributes.n, true, "service.name");
		check_entities(c, profiles->resource);
		leave(c);
	}
	if (!named)
		add_finding(c, PIPA_OTLP_RULE_SERVICE_NAME, FIELD("resource.attributes"),
			    "service.name is missing");
	check_utf8(c, profiles->schema_url, FIELD("schema_url"));
	if (!profiles->scope_profiles.n)
		add_finding(c, PIPA_OTLP_RULE_NO_SCOPE_PROFILES, FIELD("scope_profiles"),
			    "the resource has no scopes");
	for (i = 0; i < profiles->scope_profiles.n; i++) {
		enter(c, "scope_profiles", i);
		check_scope_profiles(c, &profiles->scope_profiles.items[i]);
		leave(c);
	}
	c->check->sizes.scopes += profiles->scope_profiles.n;
}

/* ---- the dictionary ---------------------------------------------------------------------------- */

static void check_mapping(struct checker *c, const void *entry)
{
	const struct pipa_otlp_mapping *mapping = entry;
	bool identified = false;
	size_t i;

	check_string(c, mapping->filename_strindex, "filename_strindex");
	check_attributes(c, mapping->attribute_indices.items, mapping->attribute_indices.n,
			 PIPA_OTLP_RULE_INDEX);
	if ((mapping->memory_start || mapping->memory_limit) &&
	    mapping->memory_start >= mapping->memory_limit)
		add_finding(c, PIPA_OTLP_RULE_MAPPING_RANGE, HERE,
			    "memory_start 0x%" PRIx64 " is not below memory_limit 0x%" PRIx64,
			    mapping->memory_start, mapping->memory_limit);
	for (i = 0; i < mapping->attribute_indices.n; i++) {
		int32_t index = mapping->attribute_indices.items[i];

		if (index >= 0 && (size_t)index < c->sizes[ATTRIBUTES])
			identified |= has_prefix(
				string_at(c, c->dict->attribute_table.items[index].key_strindex),
				"process.executable.build_id.");
	}
	if (!identified)
		add_finding(c, PIPA_OTLP_RULE_BUILD_ID, FIELD("attribute_indices"),
			    "none is a build id (process.executable.build_id.*)");
}

static void check_location(struct checker *c, const void *entry)
{
	const struct pipa_otlp_location *location = entry;
	const struct pipa_otlp_mapping *mapping = NULL;
	size_t i;

	if (check_index(c, MAPPINGS, location->mapping_index, PIPA_OTLP_RULE_INDEX,
			FIELD("mapping_index")))
		mapping = &c->dict->mapping_table.items[location->mapping_index];
	check_attributes(c, location->attribute_indices.items, location->attribute_indices.n,
			 PIPA_OTLP_RULE_INDEX);
	if (mapping && mapping->memory_start < mapping->memory_limit &&
	    (location->address < mapping->memory_start ||
	     location->address > mapping->memory_limit))
		add_finding(c, PIPA_OTLP_RULE_ADDRESS, FIELD("address"),
			    "0x%" PRIx64 " is outside of its mapping", location->address);
	for (i = 0; i < location->lines.n; i++) {
		const struct pipa_otlp_line *line = &location->lines.items[i];

		enter(c, "lines", i);
		check_index(c, FUNCTIONS, line->function_index, PIPA_OTLP_RULE_INDEX,
			    FIELD("function_index"));
		if (line->line < 0)
			add_finding(c, PIPA_OTLP_RULE_NEGATIVE, FIELD("line"),
				    "%" PRId64 " is negative", line->line);
		if (line->column < 0)
			add_finding(c, PIPA_OTLP_RULE_NEGATIVE, FIELD("column"),
				    "%" PRId64 " is negative", line->column);
		leave(c);
	}
}

static void check_function(struct checker *c, const void *entry)
{
	const struct pipa_otlp_function *function = entry;

	check_string(c, function->name_strindex, "name_strindex");
	check_string(c, function->system_name_strindex, "system_name_strindex");
	check_string(c, function->filename_strindex, "filename_strindex");
	if (function->start_line < 0)
		add_finding(c, PIPA_OTLP_RULE_NEGATIVE, FIELD("start_line"),
			    "%" PRId64 " is negative", function->start_line);
	if (!function->name_strindex && !function->system_name_strindex &&
	    !function->filename_strindex)
		add_finding(c, PIPA_OTLP_RULE_FUNCTION_NAME, HERE,
			    "the function has neither a name nor a file");
}

static void check_link(struct checker *c, const void *entry)
{
	const struct pipa_otlp_link *link = entry;

	if (!link->trace_id.size || !link->span_id.size)
		add_finding(c, PIPA_OTLP_RULE_LINK_EMPTY, HERE,
			    "trace_id has %zu bytes and span_id %zu, expected 16 and 8",
			    link->trace_id.size, link->span_id.size);
	else if (link->trace_id.size != 16 || link->span_id.size != 8)
		add_finding(c, PIPA_OTLP_RULE_LINK_LENGTH, HERE,
			    "trace_id has %zu bytes and span_id %zu, expected 16 and 8",
			    link->trace_id.size, link->span_id.size);
}

static void check_attribute(struct checker *c, const void *entry)
{
	const struct pipa_otlp_attribute *attribute = entry;

	check_string(c, attribute->key_strindex, "key_strindex");
	check_string(c, attribute->unit_strindex, "unit_strindex");
	check_value(c, attribute->value, true, FIELD("value"));
	if (!attribute->value || !attribute->value->which)
		add_finding(c, PIPA_OTLP_RULE_NO_VALUE, FIELD("value"),
			    "the attribute has no value");
}

static void check_stack(struct checker *c, const void *entry)
{
	const struct pipa_otlp_stack *stack = entry;
	size_t i;

	for (i = 0; i < stack->location_indices.n; i++)
		check_index(c, LOCATIONS, stack->location_indices.items[i], PIPA_OTLP_RULE_INDEX,
			    (struct step){ "location_indices", i });
}

static void check_string_entry(struct checker *c, const void *entry)
{
	check_utf8(c, *(const struct pipa_span *)entry, HERE);
}

#define TABLE(member, check_, message_)                                                            \
	{                                                                                          \
		.offset = offsetof(struct pipa_otlp_dictionary, member),                           \
		.size = sizeof(*((struct pipa_otlp_dictionary *)0)->member.items),                 \
		.check = (check_), .message = (message_)                                           \
	}

static const struct {
	size_t offset, size; /* of the list in the dictionary, of an entry */
	void (*check)(struct checker *c, const void *entry); /* not for entry 0 */
	const struct pipa_proto_message *message;	     /* NULL: strings */
} tables[TABLE_NR] = {
	[MAPPINGS] = TABLE(mapping_table, check_mapping, &pipa_otlp_mapping_message),
	[LOCATIONS] = TABLE(location_table, check_location, &pipa_otlp_location_message),
	[FUNCTIONS] = TABLE(function_table, check_function, &pipa_otlp_function_message),
	[LINKS] = TABLE(link_table, check_link, &pipa_otlp_link_message),
	[STRINGS] = TABLE(string_table, check_string_entry, NULL),
	[ATTRIBUTES] = TABLE(attribute_table, check_attribute, &pipa_otlp_attribute_message),
	[STACKS] = TABLE(stack_table, check_stack, &pipa_otlp_stack_message),
};

/* Any repeated field as the decoder fills it. */
struct list {
	const char *items;
	size_t n;
};

static const struct list *table_list(const struct checker *c, enum table table)
{
	return (const void *)((const char *)c->dict + tables[table].offset);
}

static const void *table_entry(const struct checker *c, enum table table, size_t i)
{
	return table_list(c, table)->items + i * tables[table].size;
}

static int add_bytes(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Return the encoded entry, which is equal for equal entries and empty for the zero value. */
static struct pipa_span entry_bytes(struct checker *c, enum table table, size_t i,
				    struct pipa_proto_writer *w, struct pipa_buf *out)
{
	if (!tables[table].message)
		return c->dict->string_table.items[i];
	pipa_buf_reset(out);
	pipa_proto_put_message(w, tables[table].message, table_entry(c, table, i));
	pipa_proto_flush(w);
	if (w->status || out->status)
		c->status = -ENOMEM;
	return (struct pipa_span){ (const uint8_t *)pipa_buf_str(out), out->len };
}

static void check_entry_0(struct checker *c, enum table table, struct pipa_span bytes)
{
	const struct pipa_otlp_link *link;

	if (!bytes.size)
		return;
	enter(c, table_names[table], 0);
	link = table == LINKS ? c->dict->link_table.items : NULL;
	if (link && link->trace_id.size == 16 && link->span_id.size == 8 &&
	    is_zero(link->trace_id) && is_zero(link->span_id))
		add_finding(c, PIPA_OTLP_RULE_ZERO_LINK, HERE,
			    "ids of zeros, expected an empty link");
	else
		add_finding(c, PIPA_OTLP_RULE_ENTRY_0, HERE,
			    "is not empty: index 0 means \"not "
			    "set\"");
	leave(c);
}

/* Compare the entries of a table with each other and entry 0 with the zero value. */
static void check_duplicates(struct checker *c, enum table table)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf scratch = { 0 };
	PIPA_AUTO(free) uint32_t *first = calloc(c->sizes[table] + 1, sizeof(*first));
	struct pipa_strings distinct = { 0 };
	struct pipa_proto_writer w;
	size_t i;

	if (!first)
		c->status = -ENOMEM;
	pipa_proto_writer_init(&w, add_bytes, &scratch);
	for (i = 0; i < c->sizes[table] && !c->status; i++) {
		struct pipa_span bytes = entry_bytes(c, table, i, &w, &scratch);
		uint32_t id = pipa_strings_add(
			&distinct, bytes.data ? (const char *)bytes.data : "", bytes.size);

		if (id == PIPA_NO_STRING) {
			c->status = -ENOMEM;
			break;
		}
		if (i == 0)
			check_entry_0(c, table, bytes);
		if (table == STRINGS)
			c->string_ids[i] = id;
		if (first[id])
			add_finding(c, PIPA_OTLP_RULE_DUPLICATE,
				    (struct step){ table_names[table], i },
				    "is the same as entry %" PRIu32, first[id] - 1);
		else
			first[id] = (uint32_t)i + 1;
	}
	pipa_proto_writer_done(&w);
	pipa_strings_done(&distinct);
}

static void check_table(struct checker *c, enum table table)
{
	size_t i;

	if (!c->sizes[table])
		add_finding(c, PIPA_OTLP_RULE_EMPTY_TABLE, FIELD(table_names[table]),
			    "has no entries, expected at least an empty one");
	for (i = 1; i < c->sizes[table]; i++) {
		enter(c, table_names[table], i);
		tables[table].check(c, table_entry(c, table, i));
		leave(c);
	}
}

static void check_orphans(struct checker *c, enum table table)
{
	size_t i;

	for (i = 1; i < c->sizes[table]; i++)
		if (!c->used[table][i])
			add_finding(c, PIPA_OTLP_RULE_ORPHAN,
				    (struct step){ table_names[table], i }, "nothing refers to it");
}

/* Allocate the marks of the dictionary's entries and look for equal ones. */
static void prepare_dictionary(struct checker *c)
{
	enum table table;

	for (table = 0; table < TABLE_NR && !c->status; table++) {
		c->sizes[table] = table_list(c, table)->n;
		c->used[table] = calloc(c->sizes[table] + 1, 1);
		if (!c->used[table])
			c->status = -ENOMEM;
	}
	c->string_ids = calloc(c->sizes[STRINGS] + 1, sizeof(*c->string_ids));
	c->last_list = calloc(c->sizes[STRINGS] + 1, sizeof(*c->last_list));
	if (!c->string_ids || !c->last_list)
		c->status = -ENOMEM;
	enter(c, "dictionary", NO_INDEX);
	for (table = 0; table < TABLE_NR && !c->status; table++)
		check_duplicates(c, table);
	leave(c);
	c->check->sizes.strings = c->sizes[STRINGS];
	c->check->sizes.stacks = c->sizes[STACKS];
	c->check->sizes.links = c->sizes[LINKS];
}

/* ---- the payload ------------------------------------------------------------------------------- */

static void check_data(struct checker *c, const struct pipa_otlp_data *data)
{
	enum table table;
	size_t i;

	c->dict = data->dictionary;
	if (c->dict)
		prepare_dictionary(c);
	if (!data->resource_profiles.n)
		add_finding(c, PIPA_OTLP_RULE_NO_RESOURCE_PROFILES, FIELD("resource_profiles"),
			    "the payload has no resources");
	for (i = 0; i < data->resource_profiles.n && !c->status; i++) {
		enter(c, "resource_profiles", i);
		check_resource_profiles(c, &data->resource_profiles.items[i]);
		leave(c);
	}
	c->check->sizes.resources = data->resource_profiles.n;
	if (!c->dict) {
		add_finding(c, PIPA_OTLP_RULE_NO_DICTIONARY, FIELD("dictionary"), "is missing");
		return;
	}
	enter(c, "dictionary", NO_INDEX);
	for (table = 0; table < TABLE_NR && !c->status; table++)
		check_table(c, table);
	for (table = 0; table < TABLE_NR && !c->status; table++)
		check_orphans(c, table);
	if (c->check->json && c->sizes[LINKS] > 1)
		add_finding(c, PIPA_OTLP_RULE_JSON_LINK, FIELD("link_table"),
			    "Pyroscope reads ids in JSON as base64; send protobuf");
	leave(c);
}

static void add_malformed(struct checker *c, const struct pipa_proto_error *err)
{
	char at[40];

	snprintf(at, sizeof(at), "byte %" PRIu64, err->offset);
	add_finding(c, PIPA_OTLP_RULE_MALFORMED, FIELD(at), "%s%s%s%s%s",
		    err->message ? err->message->name : "", err->field ? "." : "",
		    err->field ? err->field->name : "", err->message ? ": " : "", err->what);
}

/* Convert JSON to protobuf bytes. Returns 0, or -EBADMSG after a finding. */
static int convert_json(struct checker *c, struct pipa_span text, struct pipa_buf *bytes)
{
	struct pipa_proto_json_unknown unknown = { 0 };
	struct pipa_proto_error err;
	char at[40];
	int rc = pipa_proto_json_read(&pipa_otlp_data_messages[PIPA_OTLP_1_10], text, bytes,
				      &unknown, &err);

	if (rc == -EBADMSG)
		add_malformed(c, &err);
	if (!rc && unknown.n) {
		snprintf(at, sizeof(at), "byte %" PRIu64, unknown.offset);
		add_finding(c, PIPA_OTLP_RULE_JSON_KEY, FIELD(at),
			    "unknown key in %s, which is skipped; %" PRIu64 " in all",
			    unknown.message->name, unknown.n);
	}
	return rc;
}

static int decode_and_check(struct checker *c, struct pipa_span payload)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct pipa_otlp_data data;
	struct pipa_proto_error err;
	int rc = pipa_proto_decode(&pipa_otlp_data_messages[c->check->layout], payload, &memory,
				   &data, &err);

	if (rc == -EBADMSG)
		add_malformed(c, &err);
	else if (!rc)
		check_data(c, &data);
	pipa_proto_memory_done(&memory);
	return rc == -EBADMSG ? 0 : rc;
}

bool pipa_otlp_is_json(struct pipa_span payload)
{
	return (payload.size && payload.data[0] == '{') ||
	       pipa_proto_json_matches(&pipa_otlp_data_messages[PIPA_OTLP_1_10], payload);
}

int pipa_otlp_check(struct pipa_span payload, const struct pipa_otlp_check_options *options,
		    struct pipa_otlp_check *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { .max = (size_t)1 << 30 };
	struct checker c = { .check = ret, .limit = options->limit ? options->limit : 10 };
	enum table table;
	int rc = 0;

	*ret = (struct pipa_otlp_check){ .json = pipa_otlp_is_json(payload) };
	if (ret->json) {
		rc = convert_json(&c, payload, &bytes);
		payload = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&bytes), bytes.len };
	} else {
		ret->layout = options->fixed_layout ? options->layout :
						      pipa_otlp_layout_find(payload);
		if (ret->layout == PIPA_OTLP_1_9 && !options->fixed_layout)
			add_finding(&c, PIPA_OTLP_RULE_LAYOUT, FIELD("resource_profiles"),
				    "layout 1.9: receivers of 1.10 (collector 0.148, Pyroscope "
				    "1.20, Parca 0.27 and later) read values as attributes");
	}
	if (!rc)
		rc = decode_and_check(&c, payload);
	for (table = 0; table < TABLE_NR; table++)
		free(c.used[table]);
	free(c.string_ids);
	free(c.last_list);
	if (rc == -EBADMSG)
		rc = 0;
	return rc == -EFBIG ? -E2BIG : rc ? rc : c.status;
}

void pipa_otlp_check_done(struct pipa_otlp_check *check)
{
	free(check->findings.items);
	pipa_buf_done(&check->texts);
	*check = (struct pipa_otlp_check){ 0 };
}
