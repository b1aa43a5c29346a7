#include "codec/otlp_layout.h"

#include <stdbool.h>

#include "base/leb.h"

struct search {
	uint64_t attributes; /* entries of the attribute table */
	uint64_t max_of_two; /* largest number in field 2 of samples */
	bool bare_two;	     /* a sample has field 2 and no other observation */
	bool found;	     /* a wire type has decided */
	enum pipa_otlp_layout layout;
};

/* Read the next length-delimited field of that number; false at the end. */
static bool next_bytes(struct pipa_cursor *in, uint32_t number, struct pipa_span *ret)
{
	struct pipa_proto_item item;
	struct pipa_proto_error err;

	while (pipa_proto_next(in, &item, &err) > 0)
		if (item.number == number && item.wire == PIPA_WIRE_BYTES) {
			*ret = item.bytes;
			return true;
		}
	return false;
}

static void note_two(struct search *s, const struct pipa_proto_item *item)
{
	struct pipa_cursor in;
	uint64_t value = item->value;

	if (item->wire == PIPA_WIRE_VARINT) {
		s->max_of_two = value > s->max_of_two ? value : s->max_of_two;
		return;
	}
	in = pipa_span_cursor(item->bytes, false);
	while (in.pos < in.end && !in.status) {
		value = pipa_get_uleb(&in);
		s->max_of_two = value > s->max_of_two ? value : s->max_of_two;
	}
}

static void look_at_sample(struct search *s, struct pipa_span sample)
{
	struct pipa_cursor in = pipa_span_cursor(sample, false);
	struct pipa_proto_item item;
	struct pipa_proto_error err;
	bool two = false, other = false, list;

	while (pipa_proto_next(&in, &item, &err) > 0) {
		list = item.wire == PIPA_WIRE_BYTES;
		if (item.number == 3 || item.number == 4) {
			s->found = true;
			s->layout = list == (item.number == 3) ? PIPA_OTLP_1_9 : PIPA_OTLP_1_10;
			return;
		}
		if (item.number == 2) {
			two = true;
			note_two(s, &item);
		}
		other |= item.number == PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO;
	}
	s->bare_two |= two && !other;
}

static void look_at_profiles(struct search *s, struct pipa_span scope_profiles)
{
	struct pipa_cursor profiles = pipa_span_cursor(scope_profiles, false), samples;
	struct pipa_span profile, sample;

	while (!s->found && next_bytes(&profiles, PIPA_OTLP_SCOPE_PROFILES_PROFILES, &profile)) {
		samples = pipa_span_cursor(profile, false);
		while (!s->found && next_bytes(&samples, PIPA_OTLP_PROFILE_SAMPLES, &sample))
			look_at_sample(s, sample);
	}
}

static void look_at_resource(struct search *s, struct pipa_span resource_profiles)
{
	struct pipa_cursor scopes = pipa_span_cursor(resource_profiles, false);
	struct pipa_span scope;

	while (!s->found && next_bytes(&scopes, PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, &scope))
		look_at_profiles(s, scope);
}

static void count_attributes(struct search *s, struct pipa_span payload)
{
	struct pipa_cursor in = pipa_span_cursor(payload, false), table;
	struct pipa_span dictionary, entry;

	while (next_bytes(&in, PIPA_OTLP_DICTIONARY, &dictionary)) {
		table = pipa_span_cursor(dictionary, false);
		while (next_bytes(&table, PIPA_OTLP_ATTRIBUTE_TABLE, &entry))
			s->attributes++;
	}
}

enum pipa_otlp_layout pipa_otlp_layout_find(struct pipa_span payload)
{
	struct pipa_cursor in = pipa_span_cursor(payload, false);
	struct search s = { .layout = PIPA_OTLP_1_10 };
	struct pipa_span resource;

	while (!s.found && next_bytes(&in, PIPA_OTLP_RESOURCE_PROFILES, &resource))
		look_at_resource(&s, resource);
	if (s.found)
		return s.layout;
	if (s.bare_two)
		return PIPA_OTLP_1_9;
	count_attributes(&s, payload);
	return s.max_of_two && s.max_of_two >= s.attributes ? PIPA_OTLP_1_9 : PIPA_OTLP_1_10;
}

const char *pipa_otlp_layout_name(enum pipa_otlp_layout layout)
{
	return layout == PIPA_OTLP_1_9 ? "1.9" : "1.10";
}
