#include "analyze/profile/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analyze/profile/label_match.h"
#include "base/error.h"
#include "lib/invent.h"
#include "lib/test.h"
#include "model/profile.h"
#include "model/timeline.h"

static struct pipa_profile p;
static struct pipa_timeline timeline;
static struct pipa_filter_result found;

static void start(void)
{
	invent(&p, "a", "main;f;y:g", 10);
	invent(&p, "a", "main;i<h", 5);
	invent(&p, "b", "main;f;f;k", 100);
	invent(&p, "b", "", 1000);
}

static void finish(void)
{
	pipa_timeline_done(&timeline);
	pipa_profile_done(&p);
}

/* All stacks with their weights, in the order of samples: "main>f>g 10,". */
static const char *stacks(void)
{
	static char text[1000];
	size_t i, used = 0;

	text[0] = '\0';
	for (i = 0; i < p.samples.n; i++) {
		char reversed[20][40];
		size_t n = 0;
		uint32_t stack = p.samples.items[i].stack, k;

		for (; stack != PIPA_NONE; stack = p.stacks.items[stack].parent) {
			const struct pipa_location *l =
				&p.locations.items[p.stacks.items[stack].location];

			for (k = 0; k < l->n_lines; k++)
				snprintf(
					reversed[n++], sizeof(reversed[0]), "%s",
					pipa_profile_string(
						&p,
						p.functions
							.items[p.lines.items[l->lines + k].function]
							.name));
		}
		while (n--)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 reversed[n], n ? ">" : "");
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %d,",
					 (int)p.samples.items[i].weight);
	}
	return text;
}

/* Filter a new profile and compare its stacks. */
static void check(const struct pipa_filter_options *o, const char *expected)
{
	struct pipa_error err = { 0 };

	start();
	CHECK_EQ(pipa_filter_apply(o, &p, &timeline, &found, &err), 0);
	CHECK_STR(stacks(), expected);
	finish();
}

#define FILTER(...) (&(const struct pipa_filter_options){ __VA_ARGS__ })

TEST(focus_and_ignore_select_samples)
{
	check(FILTER(.focus = "^f$"), "main>f>g 10,main>f>f>k 100,");
	check(FILTER(.focus = "lib/y"), "main>f>g 10,");
	check(FILTER(.ignore = "k"), "main>f>g 10,main>h>i 5,");
	check(FILTER(.focus = "f", .ignore = "g"), "main>f>f>k 100,");
	check(FILTER(.focus = "nothing"), "");
	CHECK(!found.focus);
	CHECK_EQ(found.after, 0);
}

TEST(an_inlined_function_and_its_caller_are_judged_together_by_ignore)
{
	check(FILTER(.ignore = "^h$"), "main>f>g 10,main>f>f>k 100,");
	check(FILTER(.focus = "^i$"), "main>h>i 5,");
}

TEST(hide_removes_single_inlined_functions)
{
	check(FILTER(.hide = "^i$"), "main>f>g 10,main>h 5,main>f>f>k 100,");
	check(FILTER(.hide = "^h$"), "main>f>g 10,main>i 5,main>f>f>k 100,");
	check(FILTER(.hide = "^[hi]$"), "main>f>g 10,main 5,main>f>f>k 100,");
	check(FILTER(.hide = "lib/x"), "g 10,");
}

TEST(show_removes_all_other_frames)
{
	check(FILTER(.show = "^[fi]$"), "f 10,i 5,f>f 100,");
	check(FILTER(.show = "lib/y"), "g 10,");
}

TEST(samples_that_become_equal_are_added)
{
	check(FILTER(.show = "main"), "main 15,main 100,"); /* of two threads */
}

TEST(show_from_removes_the_callers_of_the_outermost_match)
{
	check(FILTER(.show_from = "^f$"), "f>g 10,f>f>k 100,");
	check(FILTER(.show_from = "^i$"), "i 5,");
	check(FILTER(.show_from = "^h$"), "h>i 5,");
	check(FILTER(.show_from = "f", .hide = "k"), "f>g 10,f>f 100,");
}

TEST(a_truncated_stack_has_a_frame_of_that_name)
{
	struct pipa_error err = { 0 };
	struct pipa_sample s;
	uint32_t root, inner;

	start();
	s = p.samples.items[0];
	inner = p.stacks.items[s.stack].location;
	root = p.stacks.items[p.stacks.items[s.stack].parent].location;
	s.stack = pipa_profile_stack(&p, pipa_profile_root(&p, root, true), inner);
	s.weight = 7;
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	CHECK_EQ(pipa_filter_apply(FILTER(.focus = "truncated", .hide = "^f$"), &p, &timeline,
				   &found, &err),
		 0);
	CHECK_STR(stacks(), "g 7,");
	CHECK(p.stacks.items[p.samples.items[0].stack].cut);
	finish();
}

TEST(samples_are_selected_by_thread_and_sums_follow)
{
	start();
	p.threads.items[0].pid = 7;
	CHECK_EQ(pipa_filter_apply(FILTER(.pids = "1-3,7", .comms = "a"), &p, &timeline, &found,
				   NULL),
		 0);
	CHECK_EQ(p.events.items[0].weight, 15);
	CHECK_EQ(p.events.items[0].unfiltered_weight, 1115);
	CHECK_EQ(found.before, 4);
	CHECK_EQ(found.after, 2);
	finish();
	check(FILTER(.comms = "b"), "main>f>f>k 100, 1000,");
	check(FILTER(.cpus = "500-509"), "");
}

static uint32_t label(const char *key, const char *text, int64_t number, const char *unit)
{
	struct pipa_label l = { .key = pipa_profile_text(&p, key),
				.kind = text ? PIPA_LABEL_TEXT : PIPA_LABEL_NUMBER,
				.text = text ? pipa_profile_text(&p, text) : 0,
				.unit = pipa_profile_text(&p, unit),
				.number = number };

	return pipa_profile_label_set(&p, &l, 1);
}

static bool label_matches(const char *expression, uint32_t set)
{
	const struct pipa_sample s = { .thread = PIPA_NONE, .cpu = 3, .labels = set };
	struct pipa_label_match *match = NULL;
	struct pipa_error err = { 0 };
	bool found_one;

	CHECK_EQ(pipa_label_match_new(expression, &match, &err), 0);
	found_one = pipa_label_match(match, &p, &s);
	pipa_label_match_free(match);
	return found_one;
}

TEST(labels_match_as_in_tagfocus)
{
	uint32_t text = label("tenant", "blue", 0, ""), kb = label("bytes", NULL, 2048, "");
	uint32_t ms = label("wait", NULL, 30, "milliseconds"), digits = label("id", "123", 0, "");

	CHECK(label_matches("tenant=blue", text));
	CHECK(label_matches("tenant=b.u", text));
	CHECK(label_matches("tenant=red,blue", text));
	CHECK(!label_matches("tenant=red", text));
	CHECK(!label_matches("endpoint=blue", text));
	CHECK(label_matches("tenant:bl", text));
	CHECK(label_matches("blue,ten", text));
	CHECK(!label_matches("blue,green", text));
	CHECK(label_matches("bytes=2kb", kb));
	CHECK(label_matches("bytes=1kb:4kb", kb));
	CHECK(label_matches("2kb:", kb));
	CHECK(!label_matches("bytes=:2047", kb));
	CHECK(label_matches("bytes>=2048", kb));
	CHECK(!label_matches("bytes>2048", kb));
	CHECK(label_matches("bytes<3KB", kb));
	CHECK(!label_matches("bytes=2ms:", kb));
	CHECK(label_matches("wait=1us:1s", ms));
	CHECK(label_matches("wait<=30", ms));
	CHECK(label_matches("id=123", digits));
	CHECK(!label_matches("id=12", digits));
	CHECK(label_matches("cpu=3", 0));
	CHECK(!label_matches("cpu=4:", 0));
	pipa_profile_done(&p);
}

TEST(samples_are_selected_by_trace_id_and_time)
{
	struct pipa_trace_link link = { .trace_id = { 0x0a, 0xf7 } };
	struct pipa_timed_sample at = { .time = 100, .weight = 4, .sample = 0 };
	struct pipa_error err = { 0 };

	start();
	CHECK_EQ(pipa_timeline_add_linked(&timeline, &at, pipa_timeline_link(&timeline, &link)), 0);
	at = (struct pipa_timed_sample){ .time = 200, .weight = 6, .sample = 0 };
	CHECK_EQ(pipa_timeline_add(&timeline, &at), 0);
	at = (struct pipa_timed_sample){ .time = 300, .weight = 100, .sample = 2 };
	CHECK_EQ(pipa_timeline_add(&timeline, &at), 0);
	CHECK_EQ(pipa_filter_apply(FILTER(.from_ns = 150), &p, &timeline, &found, &err), 0);
	CHECK_STR(stacks(), "main>f>g 6,main>f>f>k 100,");
	CHECK_EQ(timeline.n, 2);
	CHECK_EQ(timeline.items[1].sample, 1);
	finish();
	start();
	at = (struct pipa_timed_sample){ .time = 100, .weight = 4, .sample = 0 };
	CHECK_EQ(pipa_timeline_add_linked(&timeline, &at, pipa_timeline_link(&timeline, &link)), 0);
	CHECK_EQ(pipa_filter_apply(FILTER(.trace_id = "0AF70000000000000000000000000000"), &p,
				   &timeline, &found, &err),
		 0);
	CHECK(found.has_trace_ids);
	CHECK_STR(stacks(), "main>f>g 4,");
	finish();
}

TEST(a_label_trace_id_selects_the_whole_sample)
{
	struct pipa_error err = { 0 };

	start();
	p.samples.items[1].labels = label("trace_id", "0af70000000000000000000000000000", 0, "");
	CHECK_EQ(pipa_filter_apply(FILTER(.trace_id = "0af70000000000000000000000000000"), &p,
				   &timeline, &found, &err),
		 0);
	CHECK_STR(stacks(), "main>h>i 5,");
	finish();
}

TEST(invalid_options_are_refused)
{
	static const struct {
		struct pipa_filter_options o;
		const char *what;
	} bad[] = {
		{ { .focus = "(" }, "--focus" },
		{ { .show_from = "(" }, "--show-from" },
		{ { .pids = "1,x" }, "--pid" },
		{ { .tids = "" }, "--tid" },
		{ { .cpus = "3-1" }, "--cpu" },
		{ { .cpus = "1," }, "--cpu" },
		{ { .pids = "99999999999" }, "--pid" },
		{ { .trace_id = "0af7" }, "--trace-id" },
		{ { .labels = { { "bytes>x" }, 1 } }, "--label" },
		{ { .labels = { { "key=" }, 1 } }, "--label" },
		{ { .labels = { { "key=(" }, 1 } }, "--label" },
	};
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct pipa_error err = { 0 };

		CHECK_EQ(pipa_filter_check(&bad[i].o, &err), -EINVAL);
		CHECK(strstr(err.what, bad[i].what));
	}
}
