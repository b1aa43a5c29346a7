#include "analyze/profile/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

/* ---- profiles of a few words ------------------------------------------------------------------------ */

static struct pipa_profile p;
static const char *object_path = "/lib/x";
static uint8_t build;

/* A location in a function of the object; "+NUMBER" is an unresolved offset in the file. */
static uint32_t at(const char *function)
{
	struct pipa_object o = { .path = pipa_profile_text(&p, object_path) };
	struct pipa_location location = { .mode = PIPA_MODE_USER,
					  .unresolved = PIPA_UNRESOLVED_NO_SYMBOL };
	struct pipa_function f;
	uint32_t number;

	o.build_id.len = build ? 1 : 0;
	o.build_id.bytes[0] = build;
	location.object = pipa_profile_object(&p, &o);
	if (function[0] == '+') {
		location.offset = strtoul(function, NULL, 10);
		return pipa_profile_location(&p, &location);
	}
	f = (struct pipa_function){ .name = pipa_profile_text(&p, function),
				    .file = pipa_profile_text(&p, "/src/file.c"),
				    .object = location.object };
	location.offset = 1000 + f.name; /* one place for each name will do */
	number = pipa_profile_location(&p, &location);
	if (!p.locations.items[number].n_lines)
		CHECK_EQ(pipa_profile_name(&p, number, pipa_profile_function(&p, &f),
					   (uint32_t)strlen(function)),
			 0);
	return number;
}

/* So many samples of "outer;inner", each of that weight. */
static void samples(const char *stack, uint64_t count, uint64_t weight)
{
	struct pipa_thread thread = { .pid = 1, .tid = 1, .comm = pipa_profile_text(&p, "prog") };
	struct pipa_sample s = { .event = pipa_profile_event(&p, "cycles"),
				 .thread = pipa_profile_thread(&p, &thread),
				 .stack = PIPA_NONE,
				 .cpu = PIPA_NONE,
				 .weight = weight * count,
				 .count = count };
	char name[64];

	while (*stack) {
		size_t len = strcspn(stack, ";");

		snprintf(name, sizeof(name), "%.*s", (int)len, stack);
		s.stack = pipa_profile_stack(&p, s.stack, at(name));
		stack += len + (stack[len] == ';');
	}
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
}

static struct pipa_diff diff;
static size_t runs;

static void begin(struct pipa_diff_options options)
{
	if (!options.n_base)
		options.n_base = options.n_now = 1;
	CHECK_EQ(pipa_diff_init(&diff, &options), 0);
	runs = 0;
}

/* Add the profile made by samples() as the next run. */
static void add_run(void)
{
	CHECK_EQ(pipa_diff_add(&diff, runs++, &p, 0), 0);
	pipa_profile_done(&p);
	p = (struct pipa_profile){ 0 };
}

/* "x f: 50.00 > 75.00 more\n" for every row, of a path "a;b" */
static const char *table(void)
{
	static char text[4096];
	size_t i, c, n = 0;

	CHECK_EQ(pipa_diff_finish(&diff), 0);
	text[0] = '\0';
	for (i = 0; i < diff.rows.n; i++) {
		uint32_t row = diff.sorted[i];
		const struct pipa_diff_frame *frame =
			&diff.frames.items[diff.rows.items[row].frame];

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s%s: %.2f",
				      pipa_diff_text(&diff, frame->object),
				      pipa_diff_text(&diff, frame->symbol),
				      pipa_diff_text(&diff, frame->place), diff.base[row].percent);
		for (c = 0; c < diff.n_columns; c++) {
			const struct pipa_diff_change *change =
				&diff.changes[row * diff.n_columns + c];

			n += (size_t)snprintf(text + n, sizeof(text) - n, " > %.2f %s",
					      change->now.percent,
					      pipa_diff_verdict_name(change->verdict));
		}
		n += (size_t)snprintf(text + n, sizeof(text) - n, "\n");
	}
	return text;
}

static void end(void)
{
	pipa_diff_done(&diff);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

TEST(rows_are_sorted_by_change_and_have_its_direction)
{
	begin((struct pipa_diff_options){ 0 });
	samples("main;f", 500, 1);
	samples("main;g", 480, 1);
	samples("main", 20, 1);
	add_run();
	samples("main;f", 700, 1);
	samples("main;g", 290, 1);
	samples("main", 10, 1);
	add_run();
	CHECK_STR(table(), "x f: 50.00 > 70.00 more\n"
			   "x g: 48.00 > 29.00 less\n"
			   "x main: 2.00 > 1.00 same\n");
	CHECK_EQ(diff.moved[0], 2);
	end();
}

TEST(rows_of_only_one_recording_are_new_or_gone)
{
	begin((struct pipa_diff_options){ 0 });
	samples("old", 100, 1);
	samples("f", 900, 1);
	add_run();
	samples("new", 120, 1);
	samples("f", 900, 1);
	add_run();
	CHECK_STR(table(), "x new: 0.00 > 11.76 new\n"
			   "x old: 10.00 > 0.00 gone\n"
			   "x f: 90.00 > 88.24 same\n");
	end();
}

TEST(a_profile_against_itself_has_not_moved)
{
	begin((struct pipa_diff_options){ 0 });
	samples("f", 3, 7);
	samples("g", 300, 7);
	add_run();
	samples("f", 3, 7);
	samples("g", 300, 7);
	add_run();
	CHECK_STR(table(), "x g: 99.01 > 99.01 same\nx f: 0.99 > 0.99 same\n");
	CHECK_EQ(diff.moved[0], 0);
	end();
}

TEST(rows_with_too_few_samples_have_an_unknown_verdict)
{
	begin((struct pipa_diff_options){ 0 });
	samples("f", 2, 1);
	samples("g", 998, 1);
	add_run();
	samples("f", 7, 1);
	samples("g", 993, 1);
	add_run();
	CHECK_STR(table(), "x g: 99.80 > 99.30 same\nx f: 0.20 > 0.70 unknown\n");
	end();
}

TEST(significance_depends_on_the_effective_number_of_samples)
{
	begin((struct pipa_diff_options){ 0 });
	samples("f", 500, 1);
	samples("g", 500, 1);
	add_run();
	samples("f", 560, 1);
	samples("g", 440, 1);
	add_run();
	CHECK_HAS(table(), "x f: 50.00 > 56.00 more\n");
	end();

	begin((struct pipa_diff_options){ 0 });
	samples("f", 5, 100); /* the same shares of a tenth of the samples, most of them light */
	samples("g", 5, 100);
	samples("g", 490, 0);
	samples("f", 490, 0);
	add_run();
	samples("f", 560, 1);
	samples("g", 440, 1);
	add_run();
	CHECK_NEAR(diff.runs[0].effective, 10, 1e-9);
	CHECK_HAS(table(), "x f: 50.00 > 56.00 same\n");
	end();
}

TEST(the_more_rows_are_tested_the_more_one_has_to_move)
{
	char name[16];
	int side, i;

	begin((struct pipa_diff_options){ 0 });
	for (side = 0; side < 2; side++) {
		samples("f", side ? 560 : 500, 1);
		samples("g", side ? 440 : 500, 1);
		add_run();
	}
	CHECK_HAS(table(), "x f: 50.00 > 56.00 more\n"); /* 2.7 standard errors */
	end();

	begin((struct pipa_diff_options){ 0 });
	for (side = 0; side < 2; side++) {
		samples("f", side ? 560 : 500, 1);
		for (i = 0; i < 20; i++) {
			snprintf(name, sizeof(name), "g%d", i);
			samples(name, side ? 22 : 25, 1);
		}
		add_run();
	}
	CHECK_HAS(table(), "x f: 50.00 > 56.00 same\n");
	end();
}

/* ---- matching ---------------------------------------------------------------------------------------- */

TEST(objects_match_across_directories_and_build_ids)
{
	begin((struct pipa_diff_options){ 0 });
	object_path = "/old/libx.so.1";
	build = 1;
	samples("f", 100, 1);
	add_run();
	object_path = "/new/libx.so.1";
	build = 2;
	samples("f", 100, 1);
	add_run();
	CHECK_STR(table(), "libx.so.1 f: 100.00 > 100.00 same\n");
	end();
}

TEST(another_version_of_a_library_has_rows_of_its_own)
{
	begin((struct pipa_diff_options){ 0 });
	object_path = "/lib/libx.so.1";
	samples("f", 100, 1);
	add_run();
	object_path = "/lib/libx.so.2";
	samples("f", 100, 1);
	add_run();
	CHECK_STR(table(), "libx.so.1 f: 100.00 > 0.00 gone\nlibx.so.2 f: 0.00 > 100.00 new\n");
	end();
}

/* Two runs of a program: "parse" and "check" in both, "extra" only in the second. */
static void add_renamed(struct pipa_diff_options options)
{
	begin(options);
	object_path = "/old/prog-1";
	samples("main;parse", 100, 1);
	samples("main;check", 100, 1);
	add_run();
	object_path = "/new/prog-2";
	samples("main;parse", 100, 1);
	samples("main;check", 60, 1);
	samples("main;extra", 40, 1);
	add_run();
}

TEST(a_program_with_another_file_name_is_found_by_its_functions)
{
	add_renamed((struct pipa_diff_options){ 0 });
	CHECK_STR(table(), "prog-1 check: 50.00 > 30.00 less\nprog-1 extra: 0.00 > 20.00 new\n"
			   "prog-1 parse: 50.00 > 50.00 same\n");
	CHECK_EQ(diff.renames.n, 1);
	CHECK_EQ(diff.renames.items[0].run, 1);
	CHECK_EQ(diff.renames.items[0].common, 2);
	CHECK_STR(pipa_diff_text(&diff, diff.renames.items[0].now), "prog-2");
	CHECK(pipa_diff_same_object(&diff, 1, "prog-1", "prog-2"));
	CHECK(pipa_diff_same_object(&diff, 1, "prog-1", "prog-1"));
	CHECK(!pipa_diff_same_object(&diff, 1, "prog-2", "prog-2"));
	CHECK(!pipa_diff_same_object(&diff, 1, "other", "other"));
	end();
}

TEST(renamed_files_have_rows_of_their_own_where_names_decide)
{
	add_renamed((struct pipa_diff_options){ .match_dso = true });
	CHECK_EQ(pipa_diff_finish(&diff), 0);
	CHECK_EQ(diff.rows.n, 5);
	CHECK_EQ(diff.renames.n, 0);
	end();
}

TEST(programs_with_few_functions_in_common_are_different)
{
	begin((struct pipa_diff_options){ 0 });
	object_path = "/bin/one";
	samples("parse", 100, 1);
	samples("check", 100, 1);
	samples("print", 300, 1);
	add_run();
	object_path = "/bin/two";
	samples("parse", 100, 1);
	samples("check", 100, 1);
	samples("write", 100, 1);
	add_run();
	CHECK_EQ(pipa_diff_finish(&diff), 0);
	CHECK_EQ(diff.renames.n, 0);
	CHECK_EQ(diff.rows.n, 6);
	end();
}

TEST(an_offset_means_nothing_in_another_build)
{
	int same;

	for (same = 0; same < 2; same++) {
		begin((struct pipa_diff_options){ 0 });
		build = 1;
		samples("+16", 100, 1);
		add_run();
		build = same ? 1 : 2;
		samples("+16", 100, 1);
		add_run();
		CHECK_EQ(pipa_diff_finish(&diff), 0);
		CHECK_EQ(diff.rows.n, same ? 1 : 2);
		end();
	}
}

/* ---- other rows -------------------------------------------------------------------------------------- */

static void add_two_of_everything(struct pipa_diff_options options)
{
	begin(options);
	samples("main;f", 60, 1);
	samples("main;g;f", 30, 1);
	samples("", 10, 1);
	add_run();
	samples("main;f", 30, 1);
	samples("main;g;f", 60, 1);
	samples("", 10, 1);
	add_run();
}

TEST(rows_may_be_libraries)
{
	add_two_of_everything((struct pipa_diff_options){ .by = PIPA_DIFF_BY_LIBRARY });
	CHECK_STR(table(), "x : 90.00 > 90.00 same\n[unknown] : 10.00 > 10.00 same\n");
	end();
}

TEST(rows_may_be_lines)
{
	add_two_of_everything((struct pipa_diff_options){ .by = PIPA_DIFF_BY_LINE });
	CHECK_STR(table(), "x file.c:1: 90.00 > 90.00 same\n"
			   "[unknown] [unknown]: 10.00 > 10.00 same\n");
	end();
}

TEST(rows_may_be_whole_paths)
{
	uint32_t *frames;
	size_t n;

	add_two_of_everything((struct pipa_diff_options){ .by = PIPA_DIFF_BY_PATH });
	CHECK_STR(table(), "x f: 60.00 > 30.00 less\n"
			   "x f: 30.00 > 60.00 more\n"
			   "[unknown] [no stack]: 10.00 > 10.00 same\n");
	CHECK_EQ(pipa_diff_path(&diff, diff.sorted[1], &frames, &n), 0);
	CHECK_EQ(n, 3);
	CHECK_STR(pipa_diff_text(&diff, diff.frames.items[frames[0]].symbol), "main");
	CHECK_STR(pipa_diff_text(&diff, diff.frames.items[frames[1]].symbol), "g");
	CHECK_STR(pipa_diff_text(&diff, diff.frames.items[frames[2]].symbol), "f");
	free(frames);
	end();
}

TEST(children_option_compares_inclusive_shares)
{
	const char *text;

	add_two_of_everything((struct pipa_diff_options){ .children = true });
	text = table();
	CHECK_HAS(text, "x g: 30.00 > 60.00 more\n");
	CHECK_HAS(text, "x main: 90.00 > 90.00 same\n");
	end();
}

TEST(filtered_rows_still_count_for_percentages)
{
	add_two_of_everything((struct pipa_diff_options){ .symbols = "f" });
	CHECK_STR(table(), "x f: 90.00 > 90.00 same\n");
	end();
	add_two_of_everything((struct pipa_diff_options){
		.by = PIPA_DIFF_BY_PATH, .objects = "x,y", .comms = "prog" });
	CHECK_EQ(pipa_diff_finish(&diff), 0);
	CHECK_EQ(diff.rows.n, 2);
	end();
	add_two_of_everything(
		(struct pipa_diff_options){ .by = PIPA_DIFF_BY_PATH, .comms = "other" });
	CHECK_STR(table(), "");
	end();
}

/* ---- weights ----------------------------------------------------------------------------------------- */

TEST(doubled_work_changes_weights_and_not_percentages)
{
	int absolute;

	for (absolute = 0; absolute < 2; absolute++) {
		begin((struct pipa_diff_options){ .absolute = absolute });
		samples("f", 300, 5);
		samples("g", 100, 5);
		add_run();
		samples("f", 600, 5);
		samples("g", 200, 5);
		add_run();
		CHECK_STR(table(), absolute ? "x f: 75.00 > 75.00 more\nx g: 25.00 > 25.00 more\n" :
					      "x f: 75.00 > 75.00 same\nx g: 25.00 > 25.00 same\n");
		CHECK_NEAR(diff.all[0].weight, 2000, 1e-9);
		CHECK_EQ(diff.all[0].verdict, PIPA_DIFF_UNKNOWN);
		end();
	}
}

TEST(rows_are_in_the_requested_order)
{
	enum pipa_diff_order order;
	static const char *const first[] = { "x f: 10.00 > 45.00", "x g: 60.00 > 35.00",
					     "x g: 60.00 > 35.00", "x f: 10.00 > 45.00" };

	for (order = 0; order < PIPA_DIFF_ORDER_NR; order++) {
		begin((struct pipa_diff_options){ .order = order });
		samples("f", 10, 10);
		samples("g", 60, 10);
		samples("h", 30, 10);
		add_run();
		samples("f", 45, 3);
		samples("g", 35, 3);
		samples("h", 20, 3);
		add_run();
		CHECK(strncmp(table(), first[order], strlen(first[order])) == 0);
		end();
	}
}

/* ---- several runs ------------------------------------------------------------------------------------ */

TEST(each_of_several_is_compared_with_the_base)
{
	begin((struct pipa_diff_options){ .n_base = 1, .n_now = 2 });
	samples("f", 500, 1);
	samples("g", 500, 1);
	add_run();
	samples("f", 800, 1);
	samples("g", 200, 1);
	add_run();
	samples("f", 505, 1);
	samples("g", 495, 1);
	add_run();
	CHECK_STR(table(), "x f: 50.00 > 80.00 more > 50.50 same\n"
			   "x g: 50.00 > 20.00 less > 49.50 same\n");
	CHECK_EQ(diff.moved[0], 2);
	CHECK_EQ(diff.moved[1], 0);
	end();
}

static void add_shares(const int *percents, size_t n, uint64_t count)
{
	size_t i;

	for (i = 0; i < n; i++) {
		samples("f", (uint64_t)percents[i] * count, 1);
		samples("g", (uint64_t)(100 - percents[i]) * count, 1);
		add_run();
	}
}

TEST(changes_within_the_spread_of_runs_are_noise_despite_many_samples)
{
	static const int base[] = { 40, 50, 60 }, near[] = { 45, 55, 62 }, far[] = { 80, 85, 90 };

	begin((struct pipa_diff_options){ .n_base = 3, .n_now = 3 });
	add_shares(base, 3, 1000);
	add_shares(near, 3, 1000);
	CHECK_STR(table(), "x f: 50.00 > 54.00 same\nx g: 50.00 > 46.00 same\n");
	end();
	begin((struct pipa_diff_options){ .n_base = 3, .n_now = 3 });
	add_shares(base, 3, 1000);
	add_shares(far, 3, 1000);
	CHECK_STR(table(), "x f: 50.00 > 85.00 more\nx g: 50.00 > 15.00 less\n");
	end();
}

TEST(one_run_is_placed_among_those_of_the_base)
{
	static const int base[] = { 48, 50, 52 }, near[] = { 55 }, far[] = { 65 };

	begin((struct pipa_diff_options){ .n_base = 3, .n_now = 1 });
	add_shares(base, 3, 1000);
	add_shares(near, 1, 1000);
	CHECK_HAS(table(), "x f: 50.00 > 55.00 same\n");
	end();
	begin((struct pipa_diff_options){ .n_base = 3, .n_now = 1 });
	add_shares(base, 3, 1000);
	add_shares(far, 1, 1000);
	CHECK_HAS(table(), "x f: 50.00 > 65.00 more\n");
	end();
}

TEST(runs_that_agree_by_chance_do_not_make_little_much)
{
	static const int base[] = { 50, 50 }, now[] = { 60, 60 };

	begin((struct pipa_diff_options){ .n_base = 2, .n_now = 2 });
	add_shares(base, 2, 1); /* 200 samples a side: ten points are two standard errors */
	add_shares(now, 2, 1);
	CHECK_HAS(table(), "x f: 50.00 > 60.00 same\n");
	end();
}

TEST(the_whole_is_judged_by_the_spread_of_runs)
{
	static const uint64_t counts[] = { 100, 102, 98, 150, 151, 149 };
	size_t i;

	begin((struct pipa_diff_options){ .n_base = 3, .n_now = 3, .absolute = true });
	for (i = 0; i < 6; i++) {
		samples("f", counts[i], 10);
		add_run();
	}
	CHECK_STR(table(), "x f: 100.00 > 100.00 more\n");
	CHECK_EQ(diff.all[0].verdict, PIPA_DIFF_MORE);
	CHECK_NEAR(diff.base_all.weight, 1000, 1e-9);
	CHECK_NEAR(diff.all[0].now.weight, 1500, 1e-9);
	end();
}
