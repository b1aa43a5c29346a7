#include "screen/monitor/monitor_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "lib/test.h"
#include "rows.h"
#include "screen/cells/key.h"

static struct pipa_monitor_model model;
static struct pipa_monitor_view view;
static struct pipa_canvas canvas;

static void start(int width, int height, bool utf8, bool color)
{
	setenv("TZ", "UTC", 1);
	tzset();
	pipa_monitor_model_init(&model);
	view = (struct pipa_monitor_view){ .host = "example.org",
					   .kernel = "6.1.0-13-amd64",
					   .interval_ns = PIPA_NS_PER_SEC,
					   .uptime_s = 187653,
					   .late = 3 };
	canvas = (struct pipa_canvas){ .utf8 = utf8, .color = color };
	CHECK_EQ(pipa_canvas_resize(&canvas, width, height), 0);
}

static void finish(void)
{
	pipa_monitor_view_done(&view);
	pipa_monitor_model_done(&model);
	pipa_canvas_done(&canvas);
}

/* 50 seconds of a machine with that many CPUs. */
static void live(int cpus)
{
	int i;

	for (i = 0; i < 50; i++) {
		feed_machine(&model, cpus);
		feed_processes(&model);
		feed_end(&model);
	}
}

static const char *painted(void)
{
	CHECK_EQ(pipa_monitor_view_paint(&view, &model, &canvas), 0);
	return canvas_text(&canvas);
}

static enum pipa_cell_style style_at(int x, int y)
{
	return canvas.cells[y * canvas.width + x].style;
}

/* ---- sizes and looks --------------------------------------------------------------------------- */

TEST(everything_has_its_place_in_80_by_24)
{
	start(80, 24, true, true);
	live(2);
	CHECK_STR(
		painted(),
		" example.org  load 1.25 0.50 0.25  up 2d 04:07           missed 3  1s  03:04:05\n"
		"  0 ■■■■■■······················· 15.0%   1 ■■■■■■■■■■■■■■■■■■■■■■■■■■■■■■ 95.0%\n"
		"Mem ■■■■■■■■■■■■··········· 2.00G/8.00G cpu ▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅▅  55.0%\n"
		"Swp ■■■■■■·················  256M/1.00G mem ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃  25.0%\n"
		"PSI cpu 12  io 1.5/0.8  mem 0.0/0.0     dsk ████████████████████████████ 3.00M/s\n"
		"Run 3 wait 1 tasks 345 csw/s 12.3k      net ████████████████████████████ 2.00M/s\n"
		"Disk         read/s write/s await util% Net             rx/s   tx/s  pkt/s err/s\n"
		"nvme0n1       0.98M   1.95M    12  87.5 eth0           1.50M   512K  1.50k     3\n"
		"sda           24.0K   48.0K   0.2   1.5 lo             1.00K  1.00K      0     0\n"
		"                                        docker0            0      0      0     0\n"
		"    PID ▾CPU%    MEM  READ/s WRITE/s COMMAND                        34 processes\n"
		"  99999   100   244M   2.00M       0 cc1\n"
		"   4711  55.5   781M    120K   4.00M postgres: writer\n"
		"   4712  12.2  62.5M       0       0 nginx\n"
		"    104   4.0  0.98M       0       0 worker/4\n"
		"    109   4.0  0.99M       0       0 worker/9\n"
		"    114   4.0  0.99M       0       0 worker/14\n"
		"    119   4.0  1.00M       0       0 worker/19\n"
		"    124   4.0  1.00M       0       0 worker/24\n"
		"    129   4.0  1.00M       0       0 worker/29\n"
		"    103   3.0  0.98M       0       0 worker/3\n"
		"    108   3.0  0.98M       0       0 worker/8\n"
		"    113   3.0  0.99M       0       0 worker/13\n"
		" q quit  ? help  space pause  +- interval  cmi sort  r reverse  / filter  1 CPUs\n");
	finish();
}

TEST(without_utf8_it_is_ascii_alone)
{
	const char *text;

	start(80, 24, false, false);
	live(2);
	text = painted();
	CHECK_STR(
		text,
		" example.org  load 1.25 0.50 0.25  up 2d 04:07           missed 3  1s  03:04:05\n"
		"  0 ###x::....................... 15.0%   1 ||||||||||||||||||||||||####x: 95.0%\n"
		"Mem ||||||#:::::........... 2.00G/8.00G cpu ::::::::::::::::::::::::::::  55.0%\n"
		"Swp ||||||.................  256M/1.00G mem ............................  25.0%\n"
		"PSI cpu 12  io 1.5/0.8  mem 0.0/0.0     dsk |||||||||||||||||||||||||||| 3.00M/s\n"
		"Run 3 wait 1 tasks 345 csw/s 12.3k      net |||||||||||||||||||||||||||| 2.00M/s\n"
		"Disk         read/s write/s await util% Net             rx/s   tx/s  pkt/s err/s\n"
		"nvme0n1       0.98M   1.95M    12  87.5 eth0           1.50M   512K  1.50k     3\n"
		"sda           24.0K   48.0K   0.2   1.5 lo             1.00K  1.00K      0     0\n"
		"                                        docker0            0      0      0     0\n"
		"    PID vCPU%    MEM  READ/s WRITE/s COMMAND                        34 processes\n"
		"  99999   100   244M   2.00M       0 cc1\n"
		"   4711  55.5   781M    120K   4.00M postgres: writer\n"
		"   4712  12.2  62.5M       0       0 nginx\n"
		"    104   4.0  0.98M       0       0 worker/4\n"
		"    109   4.0  0.99M       0       0 worker/9\n"
		"    114   4.0  0.99M       0       0 worker/14\n"
		"    119   4.0  1.00M       0       0 worker/19\n"
		"    124   4.0  1.00M       0       0 worker/24\n"
		"    129   4.0  1.00M       0       0 worker/29\n"
		"    103   3.0  0.98M       0       0 worker/3\n"
		"    108   3.0  0.98M       0       0 worker/8\n"
		"    113   3.0  0.99M       0       0 worker/13\n"
		" q quit  ? help  space pause  +- interval  cmi sort  r reverse  / filter  1 CPUs\n");
	for (; *text; text++)
		CHECK((unsigned char)*text < 0x80);
	finish();
}

TEST(what_matters_most_is_left_in_40_by_10)
{
	start(40, 10, false, false);
	live(2);
	CHECK_STR(painted(), " example.org     missed 3  1s  03:04:05\n"
			     "  0 ####x:........................ 15.0%\n"
			     "  1 ||||||||||||||||||||||||####x: 95.0%\n"
			     "Mem ||||||##::::............ 2.00G/8.00G\n"
			     "Swp ||||||..................  256M/1.00G\n"
			     "    PID vCPU%    MEM COMMAND\n"
			     "  99999   100   244M cc1\n"
			     "   4711  55.5   781M postgres: writer\n"
			     "   4712  12.2  62.5M nginx\n"
			     " q quit  ? help  space pause\n");
	finish();
}

TEST(a_large_screen_has_bars_for_64_cpus_and_many_processes)
{
	start(200, 60, true, true);
	live(64);
	CHECK_HAS(painted(), " 62 ■");
	CHECK_HAS(painted(), "6.1.0-13-amd64");
	CHECK_HAS(painted(), " worker/20");
	CHECK_HAS(painted(), " docker0 ");
	/* 13 rows of 5 columns: CPU 63 stands beside CPU 11 */
	CHECK_HAS(canvas_line(&canvas, 12), " 11 ■");
	CHECK_HAS(canvas_line(&canvas, 12), "  63 ■");
	finish();
}

TEST(more_cpus_than_fit_are_a_cell_each)
{
	start(80, 24, false, false);
	live(256);
	painted();
	CHECK_STR(canvas_line(&canvas, 1), "CPU ||||||||||||####x:............ 55.0%"
					   "  us 40.0  sy 12.0  st  3.0  wa  5.0");
	CHECK_STR(canvas_line(&canvas, 2),
		  "  0 1111111111111111222222222222222222222222222222223333333333333333");
	CHECK_STR(canvas_line(&canvas, 5),
		  "192 7777777777777777888888888888888888888888888888889999999999999999");
	CHECK_HAS(canvas_line(&canvas, 6), "Mem ");
	canvas.utf8 = true;
	painted();
	CHECK_STR(canvas_line(&canvas, 5),
		  "192 ▆▆▆▆▆▆▆▆▆▆▆▆▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇███████");
	CHECK_EQ(style_at(4, 2), PIPA_STYLE_GOOD);
	CHECK_EQ(style_at(4 + 63, 5), PIPA_STYLE_ALERT);
	finish();
}

TEST(cells_that_do_not_fit_are_told_of)
{
	start(40, 10, false, false);
	live(256);
	painted();
	CHECK_STR(canvas_line(&canvas, 2), "  0 11111111111111112222222222222222+");
	finish();
}

TEST(without_colour_the_parts_of_a_bar_differ_in_shape)
{
	start(80, 24, true, false);
	live(2);
	painted();
	CHECK_STR(
		canvas_line(&canvas, 1),
		"  0 ▓▓▓▒░░······················· 15.0%   1 ████████████████████████▓▓▓▓▒░ 95.0%");
	CHECK_STR(canvas_line(&canvas, 3), "Swp ██████·················  256M/1.00G "
					   "mem ▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃  25.0%");
	finish();
}

TEST(any_size_can_be_painted)
{
	int width, height;

	start(1, 1, true, true);
	live(7);
	view.help = true;
	for (width = 1; width < 100; width += 3)
		for (height = 1; height < 40; height++) {
			CHECK_EQ(pipa_canvas_resize(&canvas, width, height), 0);
			painted();
		}
	finish();
}

TEST(before_the_first_tick_there_is_a_clock_and_a_footer)
{
	start(80, 24, true, true);
	view.late = 0;
	view.wall_ns = 3600 * PIPA_NS_PER_SEC;
	painted();
	CHECK_STR(canvas_line(&canvas, 0), " example.org  up 2d 04:07  6.1.0-13-amd64"
					   "                          1s  01:00:00");
	CHECK_HAS(canvas_line(&canvas, 23), "q quit");
	finish();
}

/* ---- what is missing --------------------------------------------------------------------------- */

TEST(missing_sections_leave_no_lines)
{
	start(80, 24, false, false);
	feed_row(&model, "load", NULL, "load.1", 0.5, NULL);
	feed_end(&model);
	CHECK(!strstr(painted(), "PSI"));
	CHECK(!strstr(painted(), "Mem"));
	CHECK(!strstr(painted(), "Disk"));
	CHECK(!strstr(painted(), "PID"));
	CHECK_HAS(painted(), "load 0.50");
	finish();
}

TEST(missing_values_are_dashes_and_never_zeros)
{
	start(80, 24, false, false);
	feed_row(&model, "cpu", "all", "*", NAN, NULL);
	feed_row(&model, "cpu", "0", "*", NAN, NULL);
	feed_row(&model, "mem", NULL, "*", NAN, NULL);
	feed_row(&model, "psi-cpu", NULL, "*", NAN, NULL);
	feed_row(&model, "load", NULL, "*", NAN, NULL);
	feed_row(&model, "disk", "sda", "*", NAN, NULL);
	feed_row(&model, "net", "eth0", "*", NAN, NULL);
	feed_process(&model, "7 odd", NAN, NAN, NAN, NAN);
	feed_end(&model);
	painted();
	CHECK_STR(canvas_line(&canvas, 1), "  0 ..................................................."
					   "...................    -");
	CHECK_HAS(painted(), "sda               -       -     -     - "
			     "eth0               -      -      -     -");
	CHECK_HAS(painted(), "      7     -      -       -       - odd");
	CHECK(!strstr(painted(), "load"));
	CHECK(!strstr(painted(), "nan"));
	finish();
}

TEST(a_machine_without_swap_has_none)
{
	start(80, 24, false, false);
	feed_row(&model, "swap", NULL, NULL);
	feed_end(&model);
	CHECK_HAS(painted(), "Swp none");
	finish();
}

TEST(a_chart_leaves_a_gap_where_nobody_looked)
{
	start(80, 24, false, false);
	live(2);
	pipa_monitor_model_gap(&model);
	feed_machine(&model, 2);
	feed_end(&model);
	CHECK_HAS(painted(), "cpu :::::::::::::::::::::::::: :  55.0%");
	finish();
}

/* ---- names nobody vouches for ------------------------------------------------------------------ */

TEST(control_characters_and_odd_bytes_never_reach_the_canvas)
{
	size_t i;

	start(80, 24, true, true);
	view.host = "host\x1b]0;owned\a";
	feed_process(&model, "7 a\x1b[2Jb\nc\x7f\xff\xc3(\xe2\x80\xaeX\xc2\x9b", 50, 1, 0, 0);
	feed_process(&model, "8 \xe6\x97\xa5\xe6\x9c\xac go", 40, 1, 0, 0);
	feed_row(&model, "net", "eth\r0", NULL);
	feed_end(&model);
	CHECK_HAS(painted(), " a\\x1b[2Jb\\x0ac\\x7f\\xff\\xc3(\\u202eX\\u009b\n");
	CHECK_HAS(painted(), " 日本 go\n");
	CHECK_HAS(painted(), "eth\\x0d0");
	CHECK_HAS(painted(), "host\\x1b]0;owned\\x07");
	for (i = 0; i < (size_t)(canvas.width * canvas.height); i++)
		CHECK(canvas.cells[i].ch == 0 ||
		      (canvas.cells[i].ch >= ' ' &&
		       (canvas.cells[i].ch < 0x7f || canvas.cells[i].ch >= 0xa0)));
	finish();
}

TEST(long_names_are_cut_with_a_mark)
{
	char name[600] = "7 ";

	start(80, 24, true, true);
	memset(name + 2, 'x', sizeof(name) - 3);
	feed_process(&model, name, 50, 1, 0, 0);
	feed_row(&model, "disk", name + 2, NULL);
	feed_end(&model);
	CHECK_HAS(painted(), "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\n");
	CHECK_HAS(painted(), "\nxxxxxxxxxxx…      0       0     0   0.0");
	view.host = name;
	painted();
	CHECK_HAS(canvas_line(&canvas, 0), "xxx… missed 3  1s  03:04:05");
	finish();
}

/* ---- keys -------------------------------------------------------------------------------------- */

static void type(const char *text)
{
	for (; *text; text++)
		CHECK_EQ(pipa_monitor_view_key(&view, *text), PIPA_MONITOR_NOTHING);
}

/* The line of the first process. */
static const char *first(void)
{
	painted();
	return canvas_line(&canvas, 11);
}

TEST(processes_are_sorted_by_the_key_that_was_typed)
{
	start(80, 24, false, false);
	live(2);
	CHECK_HAS(first(), "cc1");
	type("m");
	CHECK_HAS(first(), "postgres");
	CHECK_HAS(canvas_line(&canvas, 10), "    PID  CPU%   vMEM  READ/s WRITE/s COMMAND");
	type("i");
	CHECK_HAS(first(), "postgres");
	type("P");
	CHECK_HAS(first(), "cc1");
	type("r");
	CHECK_HAS(first(), "init");
	CHECK_HAS(canvas_line(&canvas, 10), "^CPU%");
	type("c"); /* another column starts from its top */
	CHECK_HAS(first(), "cc1");
	finish();
}

TEST(a_filter_is_typed_kept_and_dropped)
{
	start(80, 24, false, false);
	live(2);
	type("/NGq");
	CHECK_HAS(painted(), "0 of 34 match NGq");
	CHECK_HAS(canvas_line(&canvas, 23), "filter: NGq");
	pipa_monitor_view_key(&view, PIPA_TYPED_BACKSPACE);
	CHECK_HAS(first(), "nginx");
	CHECK_HAS(painted(), "1 of 34 match NG");
	pipa_monitor_view_key(&view, PIPA_TYPED_ENTER);
	CHECK_HAS(painted(), "1 of 34 match NG");
	CHECK_HAS(canvas_line(&canvas, 23), "q quit");
	pipa_monitor_view_key(&view, PIPA_TYPED_ESCAPE);
	CHECK_HAS(painted(), "34 processes");
	finish();
}

TEST(a_filter_takes_no_more_than_fits_and_whole_characters)
{
	int i;

	start(80, 24, true, true);
	live(2);
	type("/");
	for (i = 0; i < 100; i++)
		pipa_monitor_view_key(&view, 0x65e5);
	CHECK(strlen(view.processes.filter) < sizeof(view.processes.filter));
	CHECK_EQ(strlen(view.processes.filter) % 3, 0);
	for (i = 0; i < 100; i++)
		pipa_monitor_view_key(&view, PIPA_TYPED_BACKSPACE);
	CHECK_STR(view.processes.filter, "");
	pipa_monitor_view_key(&view, PIPA_TYPED_OTHER);
	CHECK_STR(view.processes.filter, "");
	finish();
}

TEST(help_lies_over_the_screen_until_a_key)
{
	start(80, 24, false, false);
	live(2);
	type("?");
	CHECK_HAS(painted(), "| +-      longer or shorter interval");
	type("c");
	CHECK(!strstr(painted(), "shorter interval"));
	type("h");
	CHECK_EQ(pipa_monitor_view_key(&view, 'q'),
		 PIPA_MONITOR_NOTHING); /* closes the help only */
	CHECK_EQ(pipa_monitor_view_key(&view, PIPA_TYPED_F1), PIPA_MONITOR_NOTHING);
	CHECK_HAS(painted(), "this help");
	CHECK_EQ(pipa_monitor_view_key(&view, PIPA_TYPED_ESCAPE), PIPA_MONITOR_NOTHING);
	CHECK(!strstr(painted(), "this help"));
	CHECK_EQ(pipa_monitor_view_key(&view, 'q'), PIPA_MONITOR_QUIT);
	finish();
}

TEST(cpus_fold_into_one_bar)
{
	start(80, 24, false, false);
	live(8);
	type("1");
	painted();
	CHECK_HAS(canvas_line(&canvas, 1), "CPU ||||||||||||####x:............ 55.0%");
	CHECK_HAS(canvas_line(&canvas, 2), "Mem ");
	type("1");
	painted();
	CHECK_HAS(canvas_line(&canvas, 4), "  3 |");
	finish();
}

TEST(keys_for_the_loop_are_handed_on)
{
	start(80, 24, false, false);
	CHECK_EQ(pipa_monitor_view_key(&view, 'q'), PIPA_MONITOR_QUIT);
	CHECK_EQ(pipa_monitor_view_key(&view, ' '), PIPA_MONITOR_PAUSE);
	CHECK_EQ(pipa_monitor_view_key(&view, '+'), PIPA_MONITOR_LONGER);
	CHECK_EQ(pipa_monitor_view_key(&view, '>'), PIPA_MONITOR_LONGER);
	CHECK_EQ(pipa_monitor_view_key(&view, '-'), PIPA_MONITOR_SHORTER);
	CHECK_EQ(pipa_monitor_view_key(&view, '<'), PIPA_MONITOR_SHORTER);
	CHECK_EQ(pipa_monitor_view_key(&view, 'X'), PIPA_MONITOR_NOTHING);
	CHECK_EQ(pipa_monitor_view_key(&view, PIPA_TYPED_OTHER), PIPA_MONITOR_NOTHING);
	view.paused = true;
	view.suspended_s = 12;
	CHECK_HAS(painted(), "missed 3  slept 12s  PAUSED  1s ");
}

static uint64_t longer(uint64_t ms)
{
	return pipa_monitor_view_interval(ms * PIPA_NS_PER_MS, PIPA_MONITOR_LONGER) /
	       PIPA_NS_PER_MS;
}

static uint64_t shorter(uint64_t ms)
{
	return pipa_monitor_view_interval(ms * PIPA_NS_PER_MS, PIPA_MONITOR_SHORTER) /
	       PIPA_NS_PER_MS;
}

TEST(intervals_go_in_steps)
{
	CHECK_EQ(longer(1000), 2000);
	CHECK_EQ(longer(1500), 2000);
	CHECK_EQ(longer(10), 100);
	CHECK_EQ(longer(60000), 60000);
	CHECK_EQ(longer(90000), 90000);
	CHECK_EQ(shorter(1000), 500);
	CHECK_EQ(shorter(1500), 1000);
	CHECK_EQ(shorter(100), 100);
	CHECK_EQ(shorter(10), 10);
	CHECK_EQ(shorter(90000), 60000);
}
