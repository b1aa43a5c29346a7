#include <errno.h>

#include "lib/test.h"
#include "model/profile.h"

static struct pipa_profile p, q;

static void stop(void)
{
	pipa_profile_done(&q);
	pipa_profile_done(&p);
}

/* A location at the offset in /bin/a; with a name, if it is not NULL. */
static uint32_t location(struct pipa_profile *to, uint64_t offset, const char *name)
{
	struct pipa_object object = { .path = pipa_profile_text(to, "/bin/a") };
	struct pipa_location at = { .object = pipa_profile_object(to, &object), .offset = offset };
	struct pipa_function function = { .object = at.object };
	uint32_t number = pipa_profile_location(to, &at);

	if (!name)
		return number;
	function.name = pipa_profile_text(to, name);
	function.system_name = pipa_profile_text(to, "_Z1fv");
	function.start_line = 3;
	CHECK_EQ(pipa_profile_name(to, number, pipa_profile_function(to, &function), 7), 0);
	to->lines.items[to->lines.n - 1].column = 9;
	return number;
}

static const char *name_of(const struct pipa_profile *of, uint32_t number)
{
	const struct pipa_location *at = &of->locations.items[number];

	return at->n_lines ?
		       pipa_profile_string(
			       of, of->functions.items[of->lines.items[at->lines].function].name) :
		       "";
}

static void add(struct pipa_profile *to, const char *event, uint32_t at, uint64_t weight)
{
	struct pipa_sample sample = { .event = pipa_profile_event(to, event),
				      .thread = PIPA_NONE,
				      .cpu = PIPA_NONE,
				      .stack = pipa_profile_stack(to, PIPA_NONE, at),
				      .weight = weight,
				      .count = 1 };

	CHECK_EQ(pipa_profile_add(to, &sample), 0);
}

TEST(symbolized_locations_keep_their_lines)
{
	pipa_profile_text(&q, "other numbers than p's");
	add(&q, "e", location(&q, 0x30, "new"), 1);
	add(&q, "e", location(&q, 0x10, "named later"), 1);
	add(&q, "e", location(&q, 0x20, "not taken"), 1);
	location(&p, 0x10, NULL);
	add(&p, "e", location(&p, 0x20, "own"), 1);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.locations.n, 3);
	CHECK_STR(name_of(&p, 0), "named later");
	CHECK_STR(name_of(&p, 1), "own");
	CHECK_STR(name_of(&p, 2), "new");
	CHECK_EQ(p.locations.items[2].unresolved, PIPA_RESOLVED);
	CHECK_EQ(p.lines.items[p.locations.items[2].lines].line, 7);
	CHECK_EQ(p.lines.items[p.locations.items[2].lines].column, 9);
	CHECK_EQ(p.functions.items[p.lines.items[p.locations.items[2].lines].function].start_line,
		 3);
	CHECK_EQ(p.samples.n, 3);
	stop();
}

TEST(locations_without_an_address_are_the_same_if_their_lines_are)
{
	struct pipa_location at = { .offset = 1 };
	struct pipa_function f = { .name = pipa_profile_text(&p, "f") };
	struct pipa_line lines[2] = { { .function = pipa_profile_function(&p, &f) } };

	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 1), 0);
	at.offset = 2; /* no part of it */
	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 1), 0);
	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 2), 1);
	lines[0].line = 5;
	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 1), 2);
	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 0), 3);
	CHECK_EQ(pipa_profile_location_of_lines(&p, &at, lines, 0), 3);
	CHECK_EQ(pipa_profile_location(&p, &at), 4); /* by its offset */
	CHECK_EQ(p.lines.n, 4);

	f.name = pipa_profile_text(&q, "g");
	pipa_profile_function(&q, &f);
	f.name = pipa_profile_text(&q, "f");
	lines[0] = (struct pipa_line){ .function = pipa_profile_function(&q, &f) };
	pipa_profile_object(&q, &(struct pipa_object){ 0 });
	pipa_profile_location_of_lines(&q, &at, lines, 1);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.locations.n, 5);
	stop();
}

TEST(leaders_and_column_groups_are_those_of_the_merged_events)
{
	struct pipa_event_type type = { .name = "objects", .column_group = 1 };

	pipa_profile_event(&p, "cycles");
	q.n_column_groups = 1;
	pipa_profile_event_of(&q, &type);
	type.name = "space";
	type.unit = PIPA_VALUE_BYTES;
	type.column = 1;
	pipa_profile_event_of(&q, &type);
	pipa_profile_event(&q, "leader");
	pipa_profile_event(&q, "member");
	q.events.items[3].leader = 2;
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.events.n, 5);
	CHECK_EQ(p.events.items[4].leader, 3);
	CHECK_EQ(p.events.items[3].leader, 3);
	CHECK_EQ(p.events.items[1].column_group, 1);
	CHECK_EQ(p.events.items[2].column_group, 1);
	CHECK_EQ(p.events.items[2].column, 1);
	CHECK_EQ(p.events.items[3].column_group, 0);
	CHECK_EQ(p.n_column_groups, 1);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0); /* the same columns again */
	CHECK_EQ(p.events.n, 5);
	CHECK_EQ(p.n_column_groups, 1);
	stop();
}

TEST(weights_of_different_scales_get_a_common_one)
{
	add(&p, "e", location(&p, 1, NULL), 3);
	add(&q, "e", location(&q, 1, NULL), 2);
	CHECK_EQ(pipa_profile_scale(&q, 0, 1000), 0);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.samples.items[0].weight, 5000);
	CHECK_EQ(p.events.items[0].weight, 5000);
	CHECK_EQ(p.events.items[0].scale, 1000);
	CHECK_EQ(pipa_profile_merge(&q, &p), 0);
	CHECK_EQ(q.samples.items[0].weight, 7000);
	stop();
}

TEST(weights_that_would_not_fit_are_refused)
{
	add(&p, "e", location(&p, 1, NULL), UINT64_MAX - 1);
	add(&q, "e", location(&q, 1, NULL), 2);
	CHECK_EQ(pipa_profile_merge(&p, &q), -ERANGE);
	stop();
}

TEST(attributes_of_whole_profiles_are_merged)
{
	struct pipa_label url = { .key = pipa_profile_text(&q, "pprof.profile.doc_url"),
				  .text = pipa_profile_text(&q, "http://x") };

	p.start_ns = 50;
	p.duration_ns = 5;
	q.start_ns = 40;
	q.duration_ns = 7;
	p.losses.stack_bytes = 8192;
	q.losses.stack_bytes = 16384;
	CHECK_EQ(pipa_profile_comment(&p, "one"), 0);
	CHECK_EQ(pipa_profile_comment(&q, "two"), 0);
	CHECK_EQ(pipa_profile_comment(&q, "one"), 0);
	CHECK_EQ(pipa_profile_comment(&q, "one"), 0);
	q.default_column = pipa_profile_text(&q, "space");
	q.attributes = pipa_profile_label_set(&q, &url, 1);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.start_ns, 40);
	CHECK_EQ(p.duration_ns, 12);
	CHECK_EQ(p.losses.stack_bytes, 16384);
	CHECK_EQ(q.comments.n, 2);
	CHECK_EQ(p.comments.n, 2);
	CHECK_STR(pipa_profile_string(&p, p.default_column), "space");
	CHECK_STR(pipa_profile_string(&p, pipa_label_set_get(&p, p.attributes, 0)->text),
		  "http://x");
	stop();
}

TEST(threads_of_different_containers_are_different)
{
	struct pipa_profile_process process = { .pid = 1,
						.exe = pipa_profile_text(&p, "/bin/a"),
						.container = pipa_profile_text(&p, "decade") };
	struct pipa_thread thread = { .pid = 1, .tid = 1 };

	CHECK_EQ(pipa_profile_thread(&p, &thread), 0);
	thread.process = pipa_profile_process(&p, &process);
	CHECK_EQ(thread.process, 1);
	CHECK_EQ(pipa_profile_thread(&p, &thread), 0); /* now it is known whose it is */
	CHECK_EQ(p.threads.items[0].process, 1);
	process.exe = pipa_profile_text(&q, "/bin/a");
	process.container = pipa_profile_text(&q, "c0ffee");
	thread.process = pipa_profile_process(&q, &process);
	CHECK_EQ(pipa_profile_thread(&q, &thread), 0);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.processes.n, 3);
	CHECK_EQ(p.threads.n, 2);
	CHECK_STR(pipa_profile_string(&p, p.processes.items[p.threads.items[1].process].container),
		  "c0ffee");
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.threads.n, 2);
	stop();
}

TEST(mappings_keep_their_ranges_and_make_locations_distinct)
{
	struct pipa_object object = { .path = pipa_profile_text(&q, "/bin/a") };
	struct pipa_mapping mapping = { .object = pipa_profile_object(&q, &object),
					.start = 0x1000,
					.limit = 0x3000,
					.file_offset = 0x500,
					.flags = PIPA_MAPPING_FUNCTIONS };
	struct pipa_location at = { .offset = 0x10 };

	at.mapping = pipa_profile_mapping(&q, &mapping);
	CHECK_EQ(at.mapping, 1);
	CHECK_EQ(pipa_profile_mapping(&q, &mapping), 1);
	CHECK_EQ(pipa_profile_location(&q, &at), 0);
	at.mapping = 0;
	CHECK_EQ(pipa_profile_location(&q, &at), 1);
	pipa_profile_object(&p, &(struct pipa_object){ .path = pipa_profile_text(&p, "/b") });
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.locations.items[0].mapping, 1);
	CHECK_EQ(p.locations.items[1].mapping, 0);
	CHECK_EQ(p.mappings.items[1].object, 1);
	CHECK_EQ(p.mappings.items[1].limit, 0x3000);
	CHECK_EQ(p.mappings.items[1].file_offset, 0x500);
	CHECK_EQ(p.mappings.items[1].flags, PIPA_MAPPING_FUNCTIONS);
	stop();
}

TEST(negative_values_are_weights_of_an_event_of_their_own)
{
	struct pipa_sample sample = { .event = pipa_profile_event(&q, "space"),
				      .thread = PIPA_NONE,
				      .stack = PIPA_NONE,
				      .count = 1 };

	CHECK_EQ(pipa_profile_add_signed(&q, &sample, 5), 0);
	CHECK_EQ(pipa_profile_add_signed(&q, &sample, -7), 0);
	CHECK_EQ(pipa_profile_add_signed(&q, &sample, INT64_MIN), 0);
	CHECK_EQ(q.events.n, 2);
	CHECK_EQ(q.events.items[0].negative_of, PIPA_NONE);
	CHECK_EQ(q.events.items[1].negative_of, 0);
	CHECK_EQ(q.events.items[0].weight, 5);
	CHECK_EQ(q.events.items[1].weight, (UINT64_C(1) << 63) + 7);
	CHECK_EQ(pipa_profile_negative_event(&q, 0), 1);
	pipa_profile_event(&p, "first");
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.events.items[2].negative_of, 1);
	stop();
}

TEST(functions_may_differ_in_the_linkers_name_only)
{
	struct pipa_function f = { .name = pipa_profile_text(&p, "T::T()"),
				   .system_name = pipa_profile_text(&p, "_ZN1TC1Ev") };

	CHECK_EQ(pipa_profile_function(&p, &f), 0);
	f.system_name = pipa_profile_text(&p, "_ZN1TC2Ev");
	CHECK_EQ(pipa_profile_function(&p, &f), 0);
	CHECK_EQ(pipa_profile_function_exact(&p, &f), 1);
	CHECK_EQ(pipa_profile_function_exact(&p, &f), 1);
	stop();
}
