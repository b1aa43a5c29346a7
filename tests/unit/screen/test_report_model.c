#include "screen/report/report_model.h"

#include <stdio.h>

#include "lib/invent.h"
#include "lib/test.h"

static struct pipa_profile p;
static struct pipa_report_model m;

static void start(void)
{
	m.profile = &p;
	m.o = (struct pipa_top_options){
		.keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL }, .n_keys = 3
	};
	CHECK_EQ(pipa_report_model_update(&m), 0);
}

static void finish(void)
{
	pipa_report_model_done(&m);
	pipa_profile_done(&p);
}

/* "depth text total[/self]\n" */
static const char *lines(void)
{
	static char out[4096];
	char text[128];
	size_t i, n = 0;

	out[0] = '\0';
	for (i = 0; i < m.lines.n && n < sizeof(out); i++) {
		struct pipa_report_share share = pipa_report_model_share(&m, i);

		pipa_report_model_text(&m, i, text, sizeof(text));
		n += (size_t)snprintf(out + n, sizeof(out) - n, "%u %s %llu",
				      m.lines.items[i].depth, text,
				      (unsigned long long)share.total.weight);
		if (share.has_self)
			n += (size_t)snprintf(out + n, sizeof(out) - n, "/%llu",
					      (unsigned long long)share.self.weight);
		n += (size_t)snprintf(out + n, sizeof(out) - n, "\n");
	}
	return out;
}

static void three(void)
{
	invent(&p, "a", "main;f;g", 10);
	invent(&p, "a", "main;h", 5);
	invent(&p, "b", "y:run", 100);
}

TEST(rows_come_with_total_and_self_most_first)
{
	three();
	start();
	CHECK_STR(lines(), "0 b y [.] run 100/100\n"
			   "0 a x [.] main 15/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] g 10/10\n"
			   "0 a x [.] h 5/5\n");
	CHECK_EQ(m.whole, 115);
	finish();
}

TEST(the_order_is_a_choice)
{
	three();
	start();
	m.order = PIPA_ORDER_NAME;
	CHECK_EQ(pipa_report_model_relist(&m), 0);
	CHECK_STR(lines(), "0 a x [.] f 10/0\n"
			   "0 a x [.] g 10/10\n"
			   "0 a x [.] h 5/5\n"
			   "0 a x [.] main 15/0\n"
			   "0 b y [.] run 100/100\n");
	m.order = PIPA_ORDER_SELF;
	m.reverse = true;
	CHECK_EQ(pipa_report_model_relist(&m), 0);
	CHECK_STR(lines(), "0 a x [.] main 15/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] h 5/5\n"
			   "0 a x [.] g 10/10\n"
			   "0 b y [.] run 100/100\n");
	finish();
}

TEST(a_filter_and_a_limit_leave_rows_out)
{
	three();
	start();
	snprintf(m.filter, sizeof(m.filter), "MAI");
	CHECK_EQ(pipa_report_model_relist(&m), 0);
	CHECK_STR(lines(), "0 a x [.] main 15/0\n");
	m.filter[0] = '\0';
	m.percent_limit = 10;
	CHECK_EQ(pipa_report_model_relist(&m), 0);
	CHECK_STR(lines(), "0 b y [.] run 100/100\n0 a x [.] main 15/0\n");
	finish();
}

TEST(a_row_opens_to_its_callers_one_level_at_a_time)
{
	three();
	start();
	CHECK_EQ(pipa_report_model_open(&m, 3, false), 0);
	CHECK_STR(lines(), "0 b y [.] run 100/100\n"
			   "0 a x [.] main 15/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] g 10/10\n"
			   "1 f 10\n"
			   "0 a x [.] h 5/5\n");
	CHECK_EQ(pipa_report_model_open(&m, 4, false), 0);
	CHECK_STR(lines(), "0 b y [.] run 100/100\n"
			   "0 a x [.] main 15/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] g 10/10\n"
			   "1 f 10\n"
			   "2 main 10\n"
			   "0 a x [.] h 5/5\n");
	CHECK_EQ(m.lines.items[5].parent, 4);
	CHECK(!pipa_report_model_has_more(&m, 5));
	CHECK_EQ(pipa_report_model_close(&m, 3), 0);
	CHECK_EQ(m.lines.n, 5);
	finish();
}

TEST(a_row_without_callers_does_not_stay_open)
{
	three();
	start();
	CHECK_EQ(pipa_report_model_open(&m, 0, false), 0);
	CHECK_EQ(m.lines.n, 5);
	CHECK(!m.lines.items[0].open);
	CHECK(!pipa_report_model_has_more(&m, 0));
	finish();
}

TEST(all_below_a_line_opens_and_nothing_beside_it)
{
	invent(&p, "a", "main;f;g;k", 10);
	invent(&p, "a", "other;g;k", 7);
	start();
	m.callees = true;
	CHECK_EQ(pipa_report_model_update(&m), 0);
	CHECK_EQ(pipa_report_model_open(&m, 0, true), 0); /* g, which has most */
	CHECK_STR(lines(), "0 a x [.] g 17/0\n"
			   "1 k 17\n"
			   "0 a x [.] k 17/17\n"
			   "0 a x [.] main 10/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] other 7/0\n");
	m.callees = false;
	CHECK_EQ(pipa_report_model_update(&m), 0);
	CHECK_EQ(pipa_report_model_close_all(&m), 0);
	CHECK_EQ(pipa_report_model_open(&m, 1, false), 0); /* k */
	CHECK_EQ(pipa_report_model_open(&m, 2, false), 0); /* g below it */
	CHECK_EQ(pipa_report_model_open(&m, 3, true), 0);  /* f below that: all, but not other */
	CHECK_STR(lines(), "0 a x [.] g 17/0\n"
			   "0 a x [.] k 17/17\n"
			   "1 g 17\n"
			   "2 f 10\n"
			   "3 main 10\n"
			   "2 other 7\n"
			   "0 a x [.] main 10/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] other 7/0\n");
	finish();
}

TEST(open_rows_stay_open_after_new_samples)
{
	size_t at;
	uint64_t hash;

	three();
	start();
	CHECK_EQ(pipa_report_model_open(&m, 3, false), 0);
	hash = m.lines.items[4].hash;
	invent(&p, "a", "main;f;g", 1000);
	CHECK_EQ(pipa_report_model_update(&m), 0);
	CHECK_STR(lines(), "0 a x [.] main 1015/0\n"
			   "0 a x [.] f 1010/0\n"
			   "0 a x [.] g 1010/1010\n"
			   "1 f 1010\n"
			   "0 b y [.] run 100/100\n"
			   "0 a x [.] h 5/5\n");
	at = pipa_report_model_find(&m, hash, 99);
	CHECK_EQ(at, 3);
	CHECK_EQ(pipa_report_model_find(&m, 1, 99), 99);
	finish();
}

TEST(zooms_go_in_and_out)
{
	struct pipa_zoom zoom;
	char text[64];

	three();
	start();
	CHECK(pipa_report_model_can_zoom(&m, 1, PIPA_KEY_COMM, &zoom));
	pipa_report_model_zoom_text(&m, &zoom, text, sizeof(text));
	CHECK_STR(text, "comm a");
	CHECK_EQ(pipa_report_model_zoom(&m, &zoom), 0);
	CHECK_EQ(m.partial, 15);
	CHECK_EQ(m.whole, 115);
	CHECK(pipa_report_model_can_zoom(&m, 1, PIPA_KEY_SYMBOL, &zoom));
	CHECK_EQ(pipa_report_model_zoom(&m, &zoom), 0);
	CHECK_STR(lines(), "0 a x [.] main 10/0\n"
			   "0 a x [.] f 10/0\n"
			   "0 a x [.] g 10/10\n");
	CHECK_EQ(pipa_report_model_unzoom(&m), 0);
	CHECK_EQ(pipa_report_model_unzoom(&m), 0);
	CHECK_EQ(pipa_report_model_unzoom(&m), 0);
	CHECK_EQ(m.lines.n, 5);
	finish();
}

TEST(zoom_into_a_dso_shows_only_its_functions)
{
	struct pipa_zoom zoom;

	invent(&p, "a", "main;y:g", 10);
	start();
	CHECK(pipa_report_model_can_zoom(&m, 1, PIPA_KEY_OBJECT, &zoom));
	CHECK_EQ(pipa_report_model_zoom(&m, &zoom), 0);
	CHECK_STR(lines(), "0 a y [.] g 10/10\n");
	finish();
}

TEST(a_process_can_be_zoomed_into_where_a_row_has_only_one)
{
	struct pipa_zoom zoom;

	three();
	invent(&p, "c", "main", 1);
	start();
	CHECK(pipa_report_model_can_zoom(&m, 0, PIPA_KEY_PID, &zoom));
	CHECK_EQ(zoom.value, p.threads.items[1].pid);
	CHECK(!pipa_report_model_can_zoom(&m, 0, PIPA_KEY_CPU, &zoom));
	m.o.keys[0] = PIPA_KEY_SYMBOL;
	m.o.n_keys = 1;
	CHECK_EQ(pipa_report_model_update(&m), 0);
	CHECK(!pipa_report_model_can_zoom(&m, 1, PIPA_KEY_PID, &zoom)); /* of a and of c */
	finish();
}

TEST(an_empty_profile_has_no_lines)
{
	start();
	CHECK_EQ(m.lines.n, 0);
	CHECK_EQ(pipa_report_model_open(&m, 0, true), 0);
	CHECK_EQ(pipa_report_model_close(&m, 0), 0);
	finish();
}

TEST(a_tree_of_10000_levels_opens_whole)
{
	struct pipa_sample s = { .stack = PIPA_NONE, .weight = 1, .count = 1 };
	uint32_t i;
	char name[16];

	invent(&p, "a", "first", 1);
	for (i = 0; i < 10000; i++) {
		struct pipa_location location = { .offset = 1000000 + i };
		struct pipa_function f = { 0 };
		uint32_t place = pipa_profile_location(&p, &location);

		snprintf(name, sizeof(name), "g%u", i);
		f.name = pipa_profile_text(&p, name);
		CHECK_EQ(pipa_profile_name(&p, place, pipa_profile_function(&p, &f), 0), 0);
		s.stack = pipa_profile_stack(&p, s.stack, place);
	}
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	start();
	snprintf(m.filter, sizeof(m.filter), "%s", name);
	CHECK_EQ(pipa_report_model_relist(&m), 0);
	CHECK_EQ(m.lines.n, 1);
	CHECK_EQ(pipa_report_model_open(&m, 0, true), 0);
	CHECK_EQ(m.lines.n, 10000);
	CHECK_EQ(m.lines.items[9999].depth, 9999);
	CHECK(!m.cut);
	finish();
}
