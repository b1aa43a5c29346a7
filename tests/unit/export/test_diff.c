/* A comparison on screens of all widths, with untrusted names. */
#include "export/table/diff.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_diff diff;

static void add_run(size_t run, const char *object, const char *name, uint64_t weight)
{
	struct pipa_profile p = { 0 };
	struct pipa_object o = { .path = pipa_profile_text(&p, object) };
	struct pipa_location at = { .object = pipa_profile_object(&p, &o), .mode = PIPA_MODE_USER };
	struct pipa_function f = { .name = pipa_profile_text(&p, name), .object = at.object };
	struct pipa_sample sample = { .event = pipa_profile_event(&p, "cycles"),
				      .thread = PIPA_NONE,
				      .cpu = PIPA_NONE,
				      .weight = weight,
				      .count = 20 };
	uint32_t place = pipa_profile_location(&p, &at);

	CHECK_EQ(pipa_profile_name(&p, place, pipa_profile_function(&p, &f), 0), 0);
	sample.stack = pipa_profile_stack(&p, PIPA_NONE, place);
	sample.stack = pipa_profile_stack(&p, sample.stack, place); /* it called itself */
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(pipa_diff_add(&diff, run, &p, 0), 0);
	pipa_profile_done(&p);
}

/* The last line of the text: the row. */
static const char *row_of(enum pipa_diff_by by, const char *object, const char *name,
			  size_t columns)
{
	static const struct pipa_diff_file files[] = { { "before", 0, true },
						       { "after", 7, false } };
	static char row[4096];
	const struct pipa_diff_options options = { .by = by, .n_base = 1, .n_now = 1 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const char *last;

	CHECK_EQ(pipa_diff_init(&diff, &options), 0);
	add_run(0, object, name, 20000);
	add_run(1, object, name, 40000000);
	CHECK_EQ(pipa_diff_finish(&diff), 0);
	pipa_diff_write(&(struct pipa_diff_report){ .diff = &diff,
						    .files = files,
						    .event = "cycles",
						    .unit = "events",
						    .columns = columns },
			1, PIPA_DIFF_TEXT, &out);
	CHECK_EQ(out.status, 0);
	CHECK_HAS(pipa_buf_str(&out), "# Now:    after: 20 samples, weight 40.00 M, lost: 7, "
				      "corrupt\n");
	CHECK_HAS(pipa_buf_str(&out), "#         total +39.98 M, +199900.00%\n");
	last = strstr(pipa_buf_str(&out), "\n  ");
	CHECK(last && strchr(last + 1, '\n') == pipa_buf_str(&out) + out.len - 1);
	snprintf(row, sizeof(row), "%s", last + 1);
	pipa_diff_done(&diff);
	return row;
}

TEST(a_wide_screen_has_all_columns_and_a_narrow_one_the_changes)
{
	CHECK_STR(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/x", "f", 0),
		  "   100.00%   100.00%     +0.00     20.00 k     40.00 M    +39.98 M"
		  "          20 > 20  same     x              [.] f\n");
	CHECK_STR(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/x", "f", 134),
		  "   100.00%   100.00%     +0.00    +39.98 M"
		  "          20 > 20  same     x              [.] f\n");
	CHECK_STR(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/x", "f", 80),
		  "   100.00%   100.00%     +0.00    +39.98 M  same     x              [.] f\n");
}

/* pprof files may have weights only: then the numbers of samples are not known, and not 0. */
TEST(counts_of_a_source_that_has_only_weights_are_unknown)
{
	static const struct pipa_diff_file files[] = { { "before", 0, true },
						       { "after", 0, true } };
	const struct pipa_diff_options options = { .n_base = 1, .n_now = 1 };
	static const struct {
		enum pipa_diff_form form;
		const char *has;
	} rows[] = { { PIPA_DIFF_TEXT, "# Now:    after: number of samples unknown, weight" },
		     { PIPA_DIFF_TEXT, " +20.00 k          unknown  same" },
		     { PIPA_DIFF_CSV, ",20,unknown,same," },
		     { PIPA_DIFF_JSON, "\"samples\": null" } };
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

		CHECK_EQ(pipa_diff_init(&diff, &options), 0);
		add_run(0, "/lib/x", "f", 20000);
		add_run(1, "/lib/x", "f", 40000);
		diff.runs[1].counted = false;
		CHECK_EQ(pipa_diff_finish(&diff), 0);
		pipa_diff_write(&(struct pipa_diff_report){ .diff = &diff,
							    .files = files,
							    .event = "cycles",
							    .unit = "events" },
				1, rows[i].form, &out);
		CHECK_HAS(pipa_buf_str(&out), rows[i].has);
		pipa_diff_done(&diff);
	}
}

TEST(names_end_where_the_screen_does)
{
	char name[300];
	size_t width;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (width = 90; width < 200; width += 10) {
		CHECK_EQ(strlen(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/x", name, width)), width + 1);
		CHECK_EQ(strlen(row_of(PIPA_DIFF_BY_PATH, "/lib/x", name, width)), width + 1);
	}
	/* at least twenty, whatever the screen */
	CHECK_HAS(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/x", name, 30), " [.] nnnnnnnnnnnnn...\n");
	CHECK_HAS(row_of(PIPA_DIFF_BY_LIBRARY, name, "f", 0), "nnn...\n");
}

TEST(no_name_commands_the_terminal)
{
	CHECK_HAS(row_of(PIPA_DIFF_BY_SYMBOL, "/lib/\033[2Jx\n", "f\r\033[31m", 0),
		  "  \\x1b[2Jx\\x0a   [.] f\\x0d\\x1b[31m\n");
	CHECK_HAS(row_of(PIPA_DIFF_BY_PATH, "/lib/x", "f\ng", 0),
		  "  x              f\\x0ag < f\\x0ag\n");
}
