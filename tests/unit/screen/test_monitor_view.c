#include "screen/monitor/monitor_view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "lib/test.h"
#include "rows.h"
#include "screen/cells/key.h"
#include "screen/monitor/preferences.h"

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
		"    PID USER     S ▾CPU%    MEM  READ/s WRITE/s COMMAND             34 processes\n"
		"  99999 -        S   100   244M   2.00M       0 cc1\n"
		"   4711 -        S  55.5   781M    120K   4.00M postgres: writer\n"
		"   4712 -        S  12.2  62.5M       0       0 nginx\n"
		"    104 -        S   4.0  0.98M       0       0 worker/4\n"
		"    109 -        S   4.0  0.99M       0       0 worker/9\n"
		"    114 -        S   4.0  0.99M       0       0 worker/14\n"
		"    119 -        S   4.0  1.00M       0       0 worker/19\n"
		"    124 -        S   4.0  1.00M       0       0 worker/24\n"
		"    129 -        S   4.0  1.00M       0       0 worker/29\n"
		"    103 -        S   3.0  0.98M       0       0 worker/3\n"
		"    108 -        S   3.0  0.98M       0       0 worker/8\n"
		"    113 -        S   3.0  0.99M       0       0 worker/13\n"
		" q quit  ? help  space pause  +- interval  cmi sort  k signal  t tree  a args\n");
	finish();
}

TEST(without_utf8_the_screen_is_ascii_only)
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
		"    PID USER     S vCPU%    MEM  READ/s WRITE/s COMMAND             34 processes\n"
		"  99999 -        S   100   244M   2.00M       0 cc1\n"
		"   4711 -        S  55.5   781M    120K   4.00M postgres: writer\n"
		"   4712 -        S  12.2  62.5M       0       0 nginx\n"
		"    104 -        S   4.0  0.98M       0       0 worker/4\n"
		"    109 -        S   4.0  0.99M       0       0 worker/9\n"
		"    114 -        S   4.0  0.99M       0       0 worker/14\n"
		"    119 -        S   4.0  1.00M       0       0 worker/19\n"
		"    124 -        S   4.0  1.00M       0       0 worker/24\n"
		"    129 -        S   4.0  1.00M       0       0 worker/29\n"
		"    103 -        S   3.0  0.98M       0       0 worker/3\n"
		"    108 -        S   3.0  0.98M       0       0 worker/8\n"
		"    113 -        S   3.0  0.99M       0       0 worker/13\n"
		" q quit  ? help  space pause  +- interval  cmi sort  k signal  t tree  a args\n");
	for (; *text; text++)
		CHECK((unsigned char)*text < 0x80);
	finish();
}

TEST(essential_rows_remain_in_40_by_10)
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
	CHECK_HAS(painted(), "\ndocker0 ");
	/* 13 rows of 5 columns: CPU 63 is beside CPU 11 */
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

TEST(cells_that_do_not_fit_are_marked_with_a_plus)
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
	CHECK_HAS(painted(), "      7 -        S     -      -       -       - odd");
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

TEST(a_chart_has_a_gap_at_missed_intervals)
{
	start(80, 24, false, false);
	live(2);
	pipa_monitor_model_gap(&model);
	feed_machine(&model, 2);
	feed_end(&model);
	CHECK_HAS(painted(), "cpu :::::::::::::::::::::::::: :  55.0%");
	finish();
}

/* ---- untrusted names ------------------------------------------------------------------------- */

TEST(control_characters_and_odd_bytes_never_reach_the_canvas)
{
	size_t i;

	start(100, 24, true, true);
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

TEST(long_names_are_truncated_with_a_mark)
{
	char name[600] = "7 ";

	start(80, 24, true, true);
	memset(name + 2, 'x', sizeof(name) - 3);
	feed_process(&model, name, 50, 1, 0, 0);
	feed_row(&model, "disk", name + 2, NULL);
	feed_end(&model);
	CHECK_HAS(painted(), " xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…\n");
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
	CHECK_HAS(canvas_line(&canvas, 10),
		  "    PID USER     S  CPU%   vMEM  READ/s WRITE/s COMMAND");
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

/* ---- facts of processes ------------------------------------------------------------------------ */

/* 99999 is a child of 4711, which is one of 104. */
static struct pipa_process_fact find_fact(void *ctx PIPA_UNUSED, uint64_t pid,
					  bool visible PIPA_UNUSED, bool command PIPA_UNUSED)
{
	return (struct pipa_process_fact){ .ppid = pid == 99999 ? 4711 :
						   pid == 4711	? 104 :
								  1,
					   .nice = pid == 4711 ? -5 : 0,
					   .cpu_seconds = 75.5,
					   .is_known = true,
					   .command = pid == 4711 ?
							      "/bin/postgres -D\x1b[2J\ndata" :
						      pid == 99999 ? NULL :
								     "some command" };
}

static const char *find_user(void *ctx PIPA_UNUSED, uint32_t uid PIPA_UNUSED)
{
	return "alexandria";
}

static const struct pipa_process_source source = { .find = find_fact, .user = find_user };

static void start_with_facts(int width, int height)
{
	start(width, height, false, false);
	view.processes.source = &source;
	live(2);
}

static void press(int key)
{
	CHECK_EQ(pipa_monitor_view_key(&view, key), PIPA_MONITOR_NOTHING);
}

TEST(command_lines_are_shown_on_request_and_escaped)
{
	start_with_facts(120, 30);
	CHECK_HAS(
		painted(),
		"   4711 -        S  -5    -   1:15.50  55.5   781M    120K   4.00M postgres: writer\n");
	type("a");
	CHECK_HAS(painted(), " /bin/postgres -D\\x1b[2J\\x0adata\n");
	CHECK_HAS(painted(), " [cc1]\n"); /* it has none */
	type("/data");
	CHECK_HAS(painted(), "1 of 34 match data");
	finish();
}

TEST(a_tree_has_children_below_their_parents)
{
	start_with_facts(120, 30);
	type("t");
	painted();
	CHECK_HAS(painted(), " worker/4\n");
	CHECK_HAS(painted(), " - postgres: writer\n");
	CHECK_HAS(painted(), "   - cc1\n");
	CHECK(strstr(painted(), "worker/4\n") < strstr(painted(), "- postgres"));
	CHECK(strstr(painted(), "- postgres") < strstr(painted(), "- cc1"));
	CHECK_EQ(view.processes.n, 34); /* nothing is lost, and nothing twice */
	type("t");
	CHECK_HAS(painted(), "       0 cc1\n");
	finish();
}

static struct pipa_process_fact find_kernel_fact(void *ctx PIPA_UNUSED, uint64_t pid,
						 bool visible PIPA_UNUSED, bool command PIPA_UNUSED)
{
	return (struct pipa_process_fact){ .ppid = pid < 4711 ? 2 : 1, /* also of PID 1 here */
					   .cpu_seconds = (double)pid * 100,
					   .is_known = true };
}

TEST(kernel_threads_are_hidden_on_request_and_time_and_pid_sort)
{
	static const struct pipa_process_source kernel = { .find = find_kernel_fact,
							   .user = find_user };

	start_with_facts(120, 30);
	view.processes.source = &kernel;
	CHECK_HAS(painted(), " worker/4\n");
	type("N");
	painted();
	CHECK_EQ(view.processes.items[0].pid, 1);
	type("K");
	CHECK(!strstr(painted(), "worker/"));
	CHECK_EQ(view.processes.items[0].pid, 4711);
	CHECK_HAS(painted(), "vPID");
	type("T");
	painted();
	CHECK_EQ(view.processes.items[0].pid, 99999);
	CHECK_HAS(painted(), " 115d17h"); /* 9,999,900 s */
	CHECK_HAS(painted(), "vTIME+");
	type("K");
	CHECK_EQ((painted(), view.processes.n), 34);
	finish();
}

TEST(a_search_selects_as_it_is_typed)
{
	start_with_facts(80, 24);
	painted();
	type("snginx");
	CHECK_EQ(view.processes.chosen, 4712);
	CHECK_HAS(painted(), "search: nginx");
	press(PIPA_TYPED_ENTER);
	CHECK_EQ(view.processes.chosen, 4712);
	CHECK_HAS(painted(), "q quit");
	finish();
}

TEST(a_signal_is_confirmed_before_it_is_sent)
{
	const char *name;

	start_with_facts(100, 24);
	painted();
	type("k");
	CHECK_HAS(painted(), "select a process first");
	press(PIPA_TYPED_DOWN);
	CHECK(!strstr(painted(), "select a process first"));
	CHECK_EQ(pipa_monitor_view_key(&view, 'k'), PIPA_MONITOR_HOLD);
	CHECK_EQ(view.asked, 99999);
	CHECK_HAS(painted(), "signal to 99999 cc1: SIGTERM");
	press(PIPA_TYPED_DOWN);
	press(PIPA_TYPED_ENTER);
	CHECK_HAS(painted(), "send SIGKILL to 99999 cc1?");
	press('x'); /* neither yes nor no */
	CHECK_EQ(pipa_monitor_view_key(&view, 'n'), PIPA_MONITOR_HOLD);
	CHECK_EQ(view.asked, 0); /* it is let go */
	CHECK_EQ(pipa_monitor_view_key(&view, 'k'), PIPA_MONITOR_HOLD);
	press(PIPA_TYPED_ENTER);
	CHECK_EQ(pipa_monitor_view_key(&view, 'y'), PIPA_MONITOR_SIGNAL);
	CHECK_EQ(pipa_monitor_view_signal(&view, &name), 15);
	CHECK_STR(name, "SIGTERM");
	finish();
}

TEST(a_nice_value_is_checked_and_confirmed)
{
	start_with_facts(100, 24);
	painted();
	press(PIPA_TYPED_DOWN);
	CHECK_EQ(pipa_monitor_view_key(&view, 'n'), PIPA_MONITOR_HOLD);
	type("99");
	press(PIPA_TYPED_ENTER);
	CHECK_HAS(painted(), "nice value of 99999 cc1 (-20 to 19): 99");
	press(PIPA_TYPED_BACKSPACE);
	press(PIPA_TYPED_ENTER);
	CHECK_HAS(painted(), "set nice value 9 for 99999 cc1?");
	CHECK_EQ(pipa_monitor_view_key(&view, 'y'), PIPA_MONITOR_RENICE);
	CHECK_STR(view.input, "9");
	finish();
}

TEST(without_a_source_nothing_can_be_signalled)
{
	start(80, 24, false, false);
	live(2);
	painted();
	type("\t");
	press(PIPA_TYPED_DOWN);
	press('k');
	CHECK_EQ(view.prompt, PIPA_MONITOR_ASK_NONE);
	finish();
}

TEST(a_click_selects_a_row_or_sorts_by_a_column)
{
	start_with_facts(80, 24);
	painted();
	pipa_monitor_view_click(&view, 30, 12);
	CHECK_EQ(view.processes.chosen, 4711);
	pipa_monitor_view_click(&view, 26, 10); /* MEM */
	CHECK_EQ(view.processes.sort, PIPA_PROCESS_SORT_MEMORY);
	CHECK(!view.processes.reverse);
	pipa_monitor_view_click(&view, 26, 10);
	CHECK(view.processes.reverse);
	pipa_monitor_view_click(&view, 30, 2); /* of another panel */
	CHECK_EQ(view.processes.chosen, 4711);
	press(PIPA_TYPED_WHEEL_DOWN);
	CHECK(view.processes.chosen != 4711);
	finish();
}

TEST(a_wide_screen_has_the_panels_beside_the_processes)
{
	start_with_facts(200, 50);
	painted();
	CHECK_HAS(canvas_line(&canvas, 1), "  0 ");
	CHECK_HAS(canvas_line(&canvas, 1), "PID USER     S  NI  THR");
	CHECK_HAS(canvas_line(&canvas, 2), "99999");
	CHECK_HAS(canvas_line(&canvas, 3), "Mem ");
	CHECK_HAS(canvas_line(&canvas, 3), "4711");
	CHECK_HAS(painted(), "\nnvme0n1 ");
	CHECK_HAS(painted(), "\ndocker0 ");
	CHECK_HAS(painted(), "\nnet ");
	finish();
}

TEST(preferences_come_back_and_nonsense_is_ignored)
{
	struct pipa_buf text = { 0 };

	start(80, 24, false, false);
	type("mrta1");
	pipa_preferences_write(&view, &text);
	CHECK_STR(pipa_buf_str(&text),
		  "sort memory\nreverse yes\ntree yes\nargs yes\nthreads no\none-cpu-bar yes\n"
		  "no-kernel-threads no\n");
	finish();
	start(80, 24, false, false);
	pipa_preferences_parse(&view, pipa_buf_str(&text));
	CHECK_EQ(view.processes.sort, PIPA_PROCESS_SORT_MEMORY);
	CHECK(view.processes.reverse && view.processes.tree && view.processes.full && view.folded);
	CHECK(!view.processes.threads);
	pipa_preferences_parse(&view, "\n\nsort nothing\ntree \xff\nunknown yes\nsort");
	CHECK_EQ(view.processes.sort, PIPA_PROCESS_SORT_MEMORY);
	CHECK(view.processes.tree);
	pipa_buf_done(&text);
	finish();
}
