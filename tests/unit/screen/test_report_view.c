#include "screen/report/report_view.h"

#include <stdio.h>

#include "lib/invent.h"
#include "lib/test.h"
#include "rows.h"
#include "screen/cells/key.h"

static struct pipa_profile p;
static struct pipa_report_model m;
static struct pipa_report_view view;
static struct pipa_canvas canvas;

static void start(int width, int height, bool utf8)
{
	m.profile = &p;
	m.o = (struct pipa_top_options){
		.keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL }, .n_keys = 3
	};
	CHECK_EQ(pipa_report_model_update(&m), 0);
	view.model = &m;
	view.first = m.o;
	view.name = "perf.data";
	canvas = (struct pipa_canvas){ .utf8 = utf8, .color = true };
	CHECK_EQ(pipa_canvas_resize(&canvas, width, height), 0);
}

static void finish(void)
{
	pipa_report_view_done(&view);
	pipa_report_model_done(&m);
	pipa_profile_done(&p);
	pipa_canvas_done(&canvas);
}

static void three(void)
{
	invent(&p, "a", "main;f;g", 10);
	invent(&p, "a", "main;h", 5);
	invent(&p, "b", "y:run", 85);
}

static const char *painted(void)
{
	pipa_report_view_paint(&view, &canvas);
	return canvas_text(&canvas);
}

static const char *line(int y)
{
	pipa_report_view_paint(&view, &canvas);
	return canvas_line(&canvas, y);
}

/* Type them; what the last one asks for. */
static enum pipa_report_action type(const char *keys)
{
	enum pipa_report_action action = PIPA_REPORT_NOTHING;

	for (; *keys; keys++)
		action = pipa_report_view_key(&view, (unsigned char)*keys);
	return action;
}

/* ---- sizes and looks --------------------------------------------------------------------------- */

TEST(the_table_has_its_place_in_80_by_12)
{
	three();
	start(80, 12, true);
	CHECK_STR(
		painted(),
		" perf.data                                                    cycles  3 samples\n"
		" all                                                                    callers\n"
		"▾Children    Self             Command   Shared Object  Symbol\n"
		"▸  85.00%  85.00%  ■■■■■■■■■· b         y              [.] run\n"
		"▸  15.00%   0.00%  ■■········ a         x              [.] main\n"
		"▸  10.00%   0.00%  ■········· a         x              [.] f\n"
		"▸  10.00%  10.00%  ■········· a         x              [.] g\n"
		"▸   5.00%   5.00%  ■········· a         x              [.] h\n"
		"\n"
		"\n"
		" nothing lost                                                            1 of 5\n"
		" q quit  ? help  Enter open  z zoom  Esc out  r callees  v sandwich  a source\n");
	finish();
}

TEST(a_small_terminal_without_utf8_has_the_most_important)
{
	three();
	start(40, 10, false);
	painted();
	type("l");
	pipa_report_view_key(&view, PIPA_TYPED_END);
	pipa_report_view_key(&view, PIPA_TYPED_RIGHT);
	CHECK_STR(painted(), " perf.data            cycles  3 samples\n"
			     " all                            callers\n"
			     "vChildren    Self  Symbol\n"
			     "+  15.00%   0.00%  [.] main\n"
			     "+  10.00%   0.00%  [.] f\n"
			     "+  10.00%  10.00%  [.] g\n"
			     "-   5.00%   5.00%  [.] h\n"
			     "    5.00%              main\n"
			     " nothing lost                    5 of 6\n"
			     " q quit  ? help  Enter open  z zoom\n");
	finish();
}

TEST(tiny_sizes_do_no_harm)
{
	int width, height;

	three();
	start(1, 1, true);
	view.menu.kind = PIPA_MENU_ORDER;
	for (width = 1; width < 30; width += 3)
		for (height = 1; height < 9; height++) {
			CHECK_EQ(pipa_canvas_resize(&canvas, width, height), 0);
			view.help = height & 1;
			painted();
		}
	finish();
}

TEST(names_are_hostile)
{
	invent(&p, "a\033[31m\nb", "evil\033]0;x\a\xff;f", 10);
	start(80, 12, true);
	CHECK_HAS(painted(), "a\\x1b[31m\\x");
	CHECK_HAS(painted(), "evil\\x1b]0");
	CHECK(!strchr(painted(), '\033'));
	finish();
}

TEST(an_empty_profile_is_shown_as_no_samples)
{
	start(60, 10, true);
	CHECK_HAS(painted(), "no samples");
	type("jkeczZo");
	type("\n/x\nnNvaG");
	painted();
	finish();
}

TEST(losses_are_in_the_status_line)
{
	struct pipa_recording recording = { .damage = { .count = 1, .what = "a cut record" } };

	three();
	p.losses.lost_samples = 12;
	p.losses.lost_records = 3;
	p.losses.throttled = 2;
	CHECK_EQ(pipa_profile_truncated(&p, PIPA_NONE, PIPA_STACK_NO_CFI), 0);
	CHECK_EQ(pipa_profile_truncated(&p, PIPA_NONE, PIPA_STACK_COMPLETE), 0);
	start(120, 12, true);
	view.recording = &recording;
	CHECK_STR(line(10), " lost 12 samples, 3 records  throttled 2 times  truncated stacks 1  "
			    "corrupt: a cut record                        1 of 5");
	finish();
}

/* ---- keys -------------------------------------------------------------------------------------- */

TEST(arrows_open_close_and_walk_a_tree)
{
	three();
	start(80, 12, true);
	type("jjj+");
	CHECK_STR(line(6), "▾  10.00%  10.00%  ■········· a         x              [.] g");
	CHECK_STR(line(7), "   10.00%          ■·········   ▸ f");
	type("l"); /* to the first below it */
	CHECK_EQ(view.scroll.at, 4);
	type("l");
	CHECK_STR(line(8), "   10.00%          ■·········       main");
	type("jh"); /* from main up to f */
	CHECK_EQ(view.scroll.at, 4);
	type("h");
	CHECK_EQ(m.lines.n, 6);
	type("hh"); /* up to g, and close it */
	CHECK_EQ(m.lines.n, 5);
	CHECK_EQ(view.scroll.at, 3);
	type("\n");
	CHECK_EQ(m.lines.n, 6);
	type("\n");
	CHECK_EQ(m.lines.n, 5);
	type("e");
	CHECK_EQ(m.lines.n, 7);
	type("jjc"); /* wherever in the tree */
	CHECK_EQ(m.lines.n, 5);
	CHECK_EQ(view.scroll.at, 3);
	finish();
}

TEST(callers_turn_to_callees_and_back)
{
	three();
	start(80, 14, true);
	type("j+");
	CHECK_STR(line(12), " no callers");
	type("r+");
	CHECK_STR(line(5), "   10.00%          ■·········   ▸ f");
	CHECK_STR(line(6), "    5.00%          ■·········     h");
	CHECK_HAS(line(1), "callees");
	CHECK_HAS(line(13), "r callers");
	type("r");
	CHECK_HAS(line(1), "callers");
	CHECK_EQ(view.scroll.at, 1);
	finish();
}

TEST(zooms_leave_a_trail_and_escape_goes_back)
{
	three();
	start(80, 14, true);
	type("jz");
	CHECK_HAS(painted(), "zoom into");
	CHECK_HAS(painted(), "c  comm a");
	type("c");
	CHECK_HAS(line(1), " all > comm a  15.00%");
	type("jzs");
	CHECK_HAS(line(1), " all > comm a > symbol f  10.00%");
	CHECK_EQ(m.lines.n, 3);
	type("%");
	CHECK_HAS(line(3), "100.00%");
	type("%\033");
	CHECK_HAS(line(1), " all > comm a  15.00%");
	pipa_report_view_key(&view, PIPA_TYPED_BACKSPACE);
	CHECK_EQ(m.lines.n, 5);
	type("\033");
	CHECK_HAS(line(12), "nothing to leave");
	type("zu");
	CHECK_HAS(line(12), "n/a for this row");
	finish();
}

TEST(a_search_moves_as_it_is_typed)
{
	three();
	start(80, 14, true);
	type("/MA");
	CHECK_EQ(view.scroll.at, 1);
	CHECK_STR(line(13), " search: MA   Enter  Esc");
	type("q");
	CHECK_HAS(line(12), "no match");
	CHECK_EQ(view.scroll.at, 0); /* where it began */
	pipa_report_view_key(&view, PIPA_TYPED_BACKSPACE);
	CHECK_EQ(view.scroll.at, 1);
	type("\n");
	type("n");
	CHECK_EQ(view.scroll.at, 1); /* round to itself */
	type("/a \n");		     /* all of a's rows */
	CHECK_EQ(view.scroll.at, 1);
	type("n");
	CHECK_EQ(view.scroll.at, 2);
	type("NN");
	CHECK_EQ(view.scroll.at, 4); /* round the other way */
	type("/r\033");
	CHECK_EQ(view.scroll.at, 4);
	type("n");
	CHECK_HAS(line(12), "no search pattern");
	finish();
}

TEST(a_filter_narrows_as_it_is_typed)
{
	three();
	start(80, 14, true);
	type("frun");
	CHECK_EQ(m.lines.n, 1);
	type("\n");
	CHECK_HAS(line(1), "filter \"run\"");
	type("\033");
	CHECK_EQ(m.lines.n, 5);
	type("fzzz");
	CHECK_HAS(painted(), "no row matches the filter");
	type("\033");
	CHECK_EQ(m.lines.n, 5);
	finish();
}

TEST(rows_are_ordered_and_grouped_by_choice)
{
	three();
	start(80, 14, true);
	type("on");
	CHECK_HAS(line(2), "▾Command");
	CHECK_HAS(line(3), "[.] f");
	type("or");
	CHECK_HAS(line(3), "[.] run");
	type("os");
	CHECK_HAS(line(2), "▾Self");
	type("bd");
	CHECK_STR(line(4), "▸  15.00%  15.00%  ■■········ x");
	type("bb");
	CHECK_EQ(m.lines.n, 5);
	CHECK_EQ(type("bu"), PIPA_REPORT_WITH_CPUS);
	CHECK_EQ(type("bl"), PIPA_REPORT_WITH_PLACES);
	view.has_cpus = view.has_places = true;
	CHECK_EQ(type("bu"), PIPA_REPORT_NOTHING);
	CHECK_HAS(line(2), "CPU");
	CHECK_EQ(type("bl"), PIPA_REPORT_NOTHING);
	CHECK_HAS(painted(), "main.c:1");
	finish();
}

TEST(another_event_is_another_table)
{
	struct pipa_sample s = { .stack = PIPA_NONE, .cpu = PIPA_NONE, .weight = 4, .count = 2 };

	three();
	s.event = pipa_profile_event(&p, "page-faults");
	s.thread = 0;
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	start(80, 14, true);
	CHECK_HAS(line(0), "cycles (1 of 2)  3 samples");
	type("V2");
	CHECK_HAS(line(0), "page-faults (2 of 2)  2 samples");
	CHECK_EQ(m.lines.n, 1);
	type("V");
	pipa_report_view_key(&view, PIPA_TYPED_UP);
	type("\n");
	CHECK_EQ(m.lines.n, 5);
	type("Vj\n");
	CHECK_HAS(line(0), "page-faults (2 of 2)");
	type("Vk\n");
	CHECK_HAS(line(0), "cycles (1 of 2)");
	finish();
}

TEST(sandwich_view_shows_a_function_between_callers_and_callees)
{
	invent(&p, "a", "main;f;g", 10);
	invent(&p, "a", "other;f;h", 30);
	invent(&p, "a", "other;f", 60);
	start(80, 12, true);
	type("/] f\nv");
	CHECK_STR(line(2), " Children  of it    callers, function, callees");
	CHECK_STR(line(3), "  90.00%   90.00%  ▾ other");
	CHECK_STR(line(4), "  10.00%   10.00%  ▾ main");
	CHECK_STR(line(5), " 100.00%           ● f");
	CHECK_STR(line(6), "  30.00%   30.00%  ▸ h");
	CHECK_STR(line(7), "  10.00%   10.00%  ▸ g");
	type("j\n"); /* h becomes the one in the middle */
	CHECK_STR(line(3), "  30.00%  100.00%  ▾ f");
	CHECK_STR(line(4), "  30.00%           ● h");
	type("\033");
	CHECK_STR(line(5), " 100.00%           ● f");
	type("\033");
	CHECK_EQ(view.page, PIPA_PAGE_TABLE);
	type("v\nj\n");
	CHECK_HAS(line(11), " q back  ? help");
	CHECK_EQ(type("q"), PIPA_REPORT_NOTHING); /* out of the page, however deep in it */
	CHECK_EQ(view.page, PIPA_PAGE_TABLE);
	CHECK_HAS(line(11), " q quit  ? help");
	type("bcv");
	CHECK_HAS(line(10), "not a function row");
	finish();
}

TEST(source_is_asked_for_and_shown_on_a_page)
{
	struct pipa_buf text = { .max = 4096 };

	three();
	start(60, 9, true);
	CHECK_EQ(type("a"), PIPA_REPORT_SOURCE);
	CHECK_STR(view.typed, "run");
	pipa_buf_puts(&text,
		      "# run\n         : run.c:1  \tint x;\n  12.00 :  push\n  88.00 :  pop\n");
	CHECK_EQ(pipa_report_view_show(&view, "run", &text), 0);
	CHECK_EQ(view.pane.scroll.at, 3); /* the hottest */
	CHECK_STR(line(4), "         : run.c:1      int x;");
	type("/push\n");
	CHECK_EQ(view.pane.scroll.at, 2);
	type("\033");
	CHECK_EQ(view.page, PIPA_PAGE_TABLE);
	CHECK_EQ(pipa_report_view_show(&view, "run", &text), 0);
	CHECK_EQ(type("q"), PIPA_REPORT_NOTHING);
	CHECK_EQ(view.page, PIPA_PAGE_TABLE);
	pipa_buf_done(&text);
	finish();
}

TEST(shown_rows_are_exported_as_csv)
{
	struct pipa_buf text = { .max = 4096 };

	invent(&p, "a,b", "main;f", 25);
	invent(&p, "c", "main", 75);
	start(80, 12, true);
	painted();
	type("j+"); /* no: the rows are c main, a,b main, a,b f */
	type("j+");
	pipa_report_view_export(&view, true, &text);
	CHECK_STR(
		pipa_buf_str(&text),
		"depth,total_percent,total,total_samples,self_percent,self,samples,comm,dso,symbol\n"
		"0,75.0000,75,1,75.0000,75,1,c,x,[.] main\n"
		"0,25.0000,25,1,0.0000,0,0,\"a,b\",x,[.] main\n"
		"0,25.0000,25,1,25.0000,25,1,\"a,b\",x,[.] f\n"
		"1,25.0000,25,1,,,,,,main\n");
	pipa_buf_reset(&text);
	pipa_report_view_export(&view, false, &text);
	CHECK_HAS(pipa_buf_str(&text), "# event: cycles\n# zoom: none\n# trees: callers\n");
	CHECK_HAS(pipa_buf_str(&text),
		  "  25.00%   25.00%          1  a,b       x              [.] f\n"
		  "  25.00%                   1    main\n");
	CHECK_EQ(type("Eout.csv\n"), PIPA_REPORT_EXPORT);
	CHECK_STR(view.path, "out.csv");
	view.prompt = PIPA_PROMPT_OVERWRITE;
	CHECK_EQ(type("n"), PIPA_REPORT_NOTHING);
	view.prompt = PIPA_PROMPT_OVERWRITE;
	CHECK_EQ(type("y"), PIPA_REPORT_EXPORT_OVER);
	pipa_buf_done(&text);
	finish();
}

TEST(help_lists_the_keys_and_goes_with_any)
{
	three();
	start(80, 30, true);
	type("?");
	CHECK_HAS(painted(), "group by command, PID, TID, DSO, symbol, line, CPU");
	CHECK(!strstr(painted(), "pause"));
	type("x");
	CHECK(!strstr(painted(), "this help"));
	CHECK_EQ(pipa_canvas_resize(&canvas, 40, 10), 0);
	type("?");
	CHECK_HAS(painted(), "more: down and up");
	type("jjjjjjjjjjjjjjjjjjjjjjjjjjjjjj");
	CHECK_HAS(painted(), "j k");
	CHECK_EQ(type("q"), PIPA_REPORT_NOTHING); /* losing the table is never intended */
	CHECK(!strstr(painted(), "j k"));
	CHECK_EQ(type("q"), PIPA_REPORT_QUIT);
	finish();
}

TEST(a_live_screen_has_keys_of_its_own)
{
	three();
	start(100, 14, true);
	view.live = (struct pipa_report_live){ .on = true,
					       .interval_ns = 2000000000,
					       .note = "997 Hz, all CPUs" };
	CHECK_HAS(line(0), "every 2s  997 Hz, all CPUs  cycles  3 samples");
	CHECK_EQ(type("p"), PIPA_REPORT_PAUSE);
	CHECK_EQ(type(" "), PIPA_REPORT_PAUSE);
	CHECK_EQ(type("z"), PIPA_REPORT_SPAN);
	CHECK_EQ(type("<"), PIPA_REPORT_SHORTER);
	CHECK_EQ(type(">"), PIPA_REPORT_LONGER);
	type("Zc");
	CHECK_HAS(line(1), "all > comm b");
	view.live.paused = true;
	CHECK_HAS(line(0), "PAUSED  now, every 2s");
	view.live.span = PIPA_LIVE_LAST;
	CHECK_HAS(line(0), "PAUSED  last 2s");
	view.live.span = PIPA_LIVE_ALL;
	CHECK_HAS(line(0), "PAUSED  all, every 2s");
	finish();
}
