#include "import/prune.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "import/legacy/legacy.h"
#include "lib/test.h"
#include "model/profile.h"
#include "profile_text.h"

/* A heap profile of Java, whose functions have names: columns inuse_objects and inuse_space. */
static void read_java(struct pipa_profile *p, const char *samples)
{
	static const char names[] =
		"0x1 main (A.java:1)\n0x2 work (A.java:2)\n0x3 malloc (m.c:3)\n"
		"0x4 tcmalloc::Span(int) (t.cc:4)\n0x5 runtime.call32 (r.go:5)\n"
		"0x6 runtime.mallocgc (r.go:6)\n0x7 mallocate (m.c:7)\n";
	struct pipa_error err = { 0 };
	char *text;

	CHECK(asprintf(&text, "--- heapz 1 ---\nformat = java\nresolution = bytes\n%s%s", samples,
		       names) > 0);
	CHECK_EQ(pipa_legacy_read(p, (struct pipa_span){ (const uint8_t *)text, strlen(text) },
				  &err),
		 0);
	free(text);
}

static void check(const char *samples, const char *want)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };

	read_java(&p, samples);
	CHECK_EQ(pipa_prune_frames(&p), 0);
	CHECK_STR(profile_text(&p), want);
}

TEST(allocators_and_their_callees_are_removed)
{
	check("1048576000 1 @ 0x4 0x3 0x2 0x1\n",
	      "inuse_objects| main work | 1 1\ninuse_space| main work | 1048576000 1\n");
	check("1048576000 1 @ 0x2 0x3 0x1\n",
	      "inuse_objects| main | 1 1\ninuse_space| main | 1048576000 1\n");
	check("1048576000 1 @ 0x7 0x1\n", "inuse_objects| main mallocate | 1 1\n"
					  "inuse_space| main mallocate | 1048576000 1\n");
}

TEST(stacks_that_become_equal_are_added_up)
{
	check("1048576000 1 @ 0x3 0x1\n1048576000 1 @ 0x4 0x1\n",
	      "inuse_objects| main | 2 2\ninuse_space| main | 2097152000 2\n");
}

TEST(frames_outside_of_the_first_other_function_stay)
{
	check("1048576000 1 @ 0x4 0x3\n",
	      "inuse_objects| malloc tcmalloc::Span(int) | 1 1\n"
	      "inuse_space| malloc tcmalloc::Span(int) | 1048576000 1\n");
	check("1048576000 1 @ 0x3 0x2 0x3\n", "inuse_objects| malloc work | 1 1\n"
					      "inuse_space| malloc work | 1048576000 1\n");
}

TEST(frames_to_keep_stay)
{
	check("1048576000 1 @ 0x6 0x5 0x2 0x1\n",
	      "inuse_objects| main work runtime.call32 | 1 1\n"
	      "inuse_space| main work runtime.call32 | 1048576000 1\n");
}

/* Set the expression of a profile. */
static int prune_with(const char *expression)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_label label = { .kind = PIPA_LABEL_TEXT };

	label.key = pipa_profile_text(&p, "pprof.profile.drop_frames");
	label.text = pipa_profile_text(&p, expression);
	p.attributes = pipa_profile_label_set(&p, &label, 1);
	return pipa_prune_frames(&p);
}

TEST(inlined_functions_are_removed_from_their_caller)
{
	PIPA_AUTO(pipa_profile_done) struct pipa_profile p = { 0 };
	struct pipa_label label = { .kind = PIPA_LABEL_TEXT };
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_sample sample = {
		.thread = PIPA_NONE, .cpu = PIPA_NONE, .weight = 1, .count = 1
	};
	struct pipa_line lines[2] = { 0 }, root = { 0 };
	uint32_t number = pipa_profile_object(&p, &object);

	root.function = pipa_profile_function(
		&p,
		&(struct pipa_function){ .name = pipa_profile_text(&p, "main"), .object = number });
	lines[0].function = pipa_profile_function(
		&p,
		&(struct pipa_function){ .name = pipa_profile_text(&p, "free"), .object = number });
	lines[1].function = pipa_profile_function(
		&p,
		&(struct pipa_function){ .name = pipa_profile_text(&p, "work"), .object = number });
	sample.event = pipa_profile_event(&p, "e");
	sample.stack = pipa_profile_root(
		&p,
		pipa_profile_location_of_lines(&p, &(struct pipa_location){ .object = number },
					       &root, 1),
		false);
	sample.stack = pipa_profile_stack(
		&p, sample.stack,
		pipa_profile_location_of_lines(&p, &(struct pipa_location){ .object = number },
					       lines, 2));
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	label.key = pipa_profile_text(&p, "pprof.profile.drop_frames");
	label.text = pipa_profile_text(&p, "free");
	p.attributes = pipa_profile_label_set(&p, &label, 1);
	CHECK_STR(profile_text(&p), "e| main work>free | 1 1\n");
	CHECK_EQ(pipa_prune_frames(&p), 0);
	CHECK_STR(profile_text(&p), "e| main work | 1 1\n");
}

TEST(expressions_without_bounds_are_refused)
{
	char deep[300];

	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	CHECK_EQ(prune_with(deep), -EINVAL);
	CHECK_EQ(prune_with("((a{1000}){1000}){1000}"), -EINVAL);
	CHECK_EQ(prune_with("(a*)*\\1"), -EINVAL);
	CHECK_EQ(prune_with("(?:a)"), -EINVAL);
	CHECK_EQ(prune_with("[a"), -EINVAL);
	CHECK_EQ(prune_with("a\\(b|c"), 0);
}
