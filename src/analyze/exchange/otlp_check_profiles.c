/* Check the resources, scopes, profiles and samples of a payload. */
#include "analyze/exchange/otlp_check_own.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/strings.h"

static bool is_text(struct pipa_span span, const char *text)
{
	return span.size == strlen(text) && (!span.size || memcmp(span.data, text, span.size) == 0);
}

/* ---- resources ------------------------------------------------------------------------------- */

/* Check attributes with their own keys; returns whether one has the wanted key. */
static bool check_key_values(struct pipa_otlp_checker *c, const struct pipa_otlp_key_value *items,
			     size_t n, bool resource, const char *wanted)
{
	struct pipa_strings keys = { 0 };
	bool found = false;
	size_t i, before;

	for (i = 0; i < n; i++) {
		const struct pipa_otlp_key_value *item = &items[i];
		const struct pipa_otlp_step field = { "attributes", i };

		pipa_otlp_checker_utf8(c, item->key, field);
		pipa_otlp_checker_value(c, item->value, false, field);
		if (item->key_strindex) {
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_KEY_REFERENCE, field,
					      item->key.size ?
						      "both key and key_strindex are set" :
						      "the key is a string reference, which "
						      "receivers of OTLP do not resolve here");
			pipa_otlp_checker_index(c, PIPA_OTLP_STRINGS, item->key_strindex,
						PIPA_OTLP_RULE_INDEX, field);
		}
		if (!item->key.size) {
			if (resource)
				pipa_otlp_checker_add(c, PIPA_OTLP_RULE_EMPTY_KEY, field,
						      "the key is empty");
			continue;
		}
		found |= is_text(item->key, wanted);
		before = keys.n;
		if (pipa_strings_add(&keys, (const char *)item->key.data, item->key.size) ==
		    PIPA_NO_STRING)
			c->status = -ENOMEM;
		else if (keys.n == before)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_DUPLICATE_KEY, field,
					      "the key occurs twice");
	}
	pipa_strings_done(&keys);
	return found;
}

static void check_entities(struct pipa_otlp_checker *c, const struct pipa_otlp_resource *resource)
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
				pipa_otlp_checker_add(c, PIPA_OTLP_RULE_ENTITY_KEY,
						      (struct pipa_otlp_step){ "entity_refs", i },
						      "id_keys[%zu] is not a key of the resource",
						      j);
		}
	}
}

/* ---- profiles -------------------------------------------------------------------------------- */

enum shape { SHAPE_NONE, SHAPE_VALUES, SHAPE_TIMESTAMPS, SHAPE_BOTH };

static const char *const shape_names[] = {
	[SHAPE_NONE] = "nothing",
	[SHAPE_VALUES] = "only values",
	[SHAPE_TIMESTAMPS] = "only timestamps",
	[SHAPE_BOTH] = "values and timestamps",
};

static void check_timestamps(struct pipa_otlp_checker *c, const struct pipa_otlp_profile *profile,
			     const struct pipa_otlp_sample *sample)
{
	uint64_t end;
	size_t i;

	if (__builtin_add_overflow(profile->time_unix_nano, profile->duration_nano, &end))
		end = UINT64_MAX;
	for (i = 0; i < sample->timestamps_unix_nano.n; i++) {
		const struct pipa_otlp_step field = { "timestamps_unix_nano", i };
		uint64_t at = sample->timestamps_unix_nano.items[i];

		if (at < profile->time_unix_nano || at > end)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_TIME_RANGE, field,
					      "%" PRIu64
					      " is outside of the profile's time, %" PRIu64
					      " to %" PRIu64,
					      at, profile->time_unix_nano, end);
		else if (at == end)
			pipa_otlp_checker_add(c, PIPA_OTLP_RULE_TIME_END, field,
					      "%" PRIu64
					      " is the end of the profile's time, which is not "
					      "part of it",
					      at);
	}
}

static void check_sample(struct pipa_otlp_checker *c, const struct pipa_otlp_profile *profile,
			 const struct pipa_otlp_sample *sample, bool off_cpu, enum shape *expected)
{
	size_t values = sample->values.n, times = sample->timestamps_unix_nano.n;
	enum shape shape = (values ? SHAPE_VALUES : 0) | (times ? SHAPE_TIMESTAMPS : 0);

	pipa_otlp_checker_index(c, PIPA_OTLP_STACKS, sample->stack_index, PIPA_OTLP_RULE_INDEX,
				PIPA_OTLP_FIELD("stack_index"));
	pipa_otlp_checker_index(c, PIPA_OTLP_LINKS, sample->link_index, PIPA_OTLP_RULE_INDEX,
				PIPA_OTLP_FIELD("link_index"));
	pipa_otlp_checker_attributes(c, sample->attribute_indices.items,
				     sample->attribute_indices.n, PIPA_OTLP_RULE_SAMPLE_ATTRIBUTE);
	check_timestamps(c, profile, sample);
	if (shape == SHAPE_NONE)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_OBSERVATION, PIPA_OTLP_HERE,
				      "the sample has neither values nor timestamps");
	if (shape == SHAPE_BOTH && values != times)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_LENGTHS, PIPA_OTLP_FIELD("values"),
				      "%zu values and %zu timestamps", values, times);
	if (values > 1 && !off_cpu)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_SEVERAL_VALUES, PIPA_OTLP_FIELD("values"),
				      "%zu values in one sample of a type that is not off_cpu",
				      values);
	if (*expected == SHAPE_NONE)
		*expected = shape;
	else if (shape != SHAPE_NONE && shape != *expected)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_MIXED_SHAPES, PIPA_OTLP_HERE,
				      "the sample has %s, the first sample of the profile %s",
				      shape_names[shape], shape_names[*expected]);
}

static void check_value_type(struct pipa_otlp_checker *c, const struct pipa_otlp_value_type *type,
			     const char *name)
{
	if (!type)
		return;
	pipa_otlp_checker_enter(c, name, PIPA_OTLP_NO_INDEX);
	pipa_otlp_checker_string(c, type->type_strindex, "type_strindex");
	pipa_otlp_checker_string(c, type->unit_strindex, "unit_strindex");
	pipa_otlp_checker_leave(c);
}

static bool is_off_cpu(const struct pipa_otlp_checker *c, const struct pipa_otlp_profile *profile)
{
	return profile->sample_type &&
	       is_text(pipa_otlp_checker_string_at(c, profile->sample_type->type_strindex),
		       "off_cpu") &&
	       is_text(pipa_otlp_checker_string_at(c, profile->sample_type->unit_strindex),
		       "nanoseconds");
}

static void check_profile_fields(struct pipa_otlp_checker *c,
				 const struct pipa_otlp_profile *profile)
{
	check_value_type(c, profile->sample_type, "sample_type");
	check_value_type(c, profile->period_type, "period_type");
	pipa_otlp_checker_attributes(c, profile->attribute_indices.items,
				     profile->attribute_indices.n, PIPA_OTLP_RULE_INDEX);
	if (!profile->sample_type || !profile->sample_type->type_strindex)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_SAMPLE_TYPE,
				      PIPA_OTLP_FIELD("sample_type"), "the values have no type");
	if (!profile->period_type)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_PERIOD_TYPE,
				      PIPA_OTLP_FIELD("period_type"),
				      "is missing; an empty one is enough");
	if (!profile->time_unix_nano)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_TIME, PIPA_OTLP_FIELD("time_unix_nano"),
				      "is missing; Pyroscope uses the time of arrival");
	if (profile->period < 0)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NEGATIVE_PERIOD, PIPA_OTLP_FIELD("period"),
				      "%" PRId64 " is negative", profile->period);
	if (profile->profile_id.size &&
	    (profile->profile_id.size != 16 || pipa_otlp_is_zero(profile->profile_id)))
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_PROFILE_ID, PIPA_OTLP_FIELD("profile_id"),
				      "%zu bytes, expected 16 that are not all 0",
				      profile->profile_id.size);
	if (!profile->original_payload_format.size != !profile->original_payload.size)
		pipa_otlp_checker_add(
			c, PIPA_OTLP_RULE_PAYLOAD, PIPA_OTLP_FIELD("original_payload"),
			"only one of original_payload and original_payload_format is set");
	pipa_otlp_checker_utf8(c, profile->original_payload_format,
			       PIPA_OTLP_FIELD("original_payload_format"));
}

static void check_profile(struct pipa_otlp_checker *c, const struct pipa_otlp_profile *profile)
{
	bool off_cpu = is_off_cpu(c, profile);
	enum shape expected = SHAPE_NONE;
	size_t i;

	check_profile_fields(c, profile);
	if (!profile->samples.n)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_SAMPLES, PIPA_OTLP_FIELD("samples"),
				      "the profile has no samples");
	for (i = 0; i < profile->samples.n; i++) {
		pipa_otlp_checker_enter(c, "samples", i);
		check_sample(c, profile, &profile->samples.items[i], off_cpu, &expected);
		pipa_otlp_checker_leave(c);
	}
	c->check->sizes.samples += profile->samples.n;
}

static void check_scope_profiles(struct pipa_otlp_checker *c,
				 const struct pipa_otlp_scope_profiles *scope)
{
	size_t i;

	if (!scope->scope || !scope->scope->name.size)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_SCOPE_NAME, PIPA_OTLP_FIELD("scope.name"),
				      "is empty; Parca names the profile after it");
	if (scope->scope) {
		pipa_otlp_checker_enter(c, "scope", PIPA_OTLP_NO_INDEX);
		pipa_otlp_checker_utf8(c, scope->scope->name, PIPA_OTLP_FIELD("name"));
		pipa_otlp_checker_utf8(c, scope->scope->version, PIPA_OTLP_FIELD("version"));
		check_key_values(c, scope->scope->attributes.items, scope->scope->attributes.n,
				 false, "");
		pipa_otlp_checker_leave(c);
	}
	pipa_otlp_checker_utf8(c, scope->schema_url, PIPA_OTLP_FIELD("schema_url"));
	if (!scope->profiles.n)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_PROFILES, PIPA_OTLP_FIELD("profiles"),
				      "the scope has no profiles");
	for (i = 0; i < scope->profiles.n; i++) {
		pipa_otlp_checker_enter(c, "profiles", i);
		check_profile(c, &scope->profiles.items[i]);
		pipa_otlp_checker_leave(c);
	}
	c->check->sizes.profiles += scope->profiles.n;
}

void pipa_otlp_checker_resource(struct pipa_otlp_checker *c,
				const struct pipa_otlp_resource_profiles *profiles)
{
	bool named = false;
	size_t i;

	if (profiles->resource) {
		pipa_otlp_checker_enter(c, "resource", PIPA_OTLP_NO_INDEX);
		named = check_key_values(c, profiles->resource->attributes.items,
					 profiles->resource->attributes.n, true, "service.name");
		check_entities(c, profiles->resource);
		pipa_otlp_checker_leave(c);
	}
	if (!named)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_SERVICE_NAME,
				      PIPA_OTLP_FIELD("resource.attributes"),
				      "service.name is missing");
	pipa_otlp_checker_utf8(c, profiles->schema_url, PIPA_OTLP_FIELD("schema_url"));
	if (!profiles->scope_profiles.n)
		pipa_otlp_checker_add(c, PIPA_OTLP_RULE_NO_SCOPE_PROFILES,
				      PIPA_OTLP_FIELD("scope_profiles"),
				      "the resource has no scopes");
	for (i = 0; i < profiles->scope_profiles.n; i++) {
		pipa_otlp_checker_enter(c, "scope_profiles", i);
		check_scope_profiles(c, &profiles->scope_profiles.items[i]);
		pipa_otlp_checker_leave(c);
	}
	c->check->sizes.scopes += profiles->scope_profiles.n;
}
