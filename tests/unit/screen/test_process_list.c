#include "screen/monitor/process_list.h"

#include <math.h>
#include <stdio.h>

#include "lib/test.h"
#include "rows.h"

static struct pipa_monitor_model model;
static struct pipa_process_list list;
static struct pipa_canvas canvas;
static const struct pipa_grid *grid, *io;

/* Processes 1 to n; process k uses k percent. */
static void start(int n)
{
	char name[32];
	int i;

	list = (struct pipa_process_list){ 0 };
	pipa_monitor_model_init(&model);
	for (i = 1; i <= n; i++) {
		snprintf(name, sizeof(name), "%d p%d", i, i);
		feed_process(&model, name, i, 1000 - i, i % 2 ? NAN : (double)i, NAN);
	}
	feed_end(&model);
	grid = pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESSES);
	io = pipa_monitor_model_grid(&model, PIPA_SECTION_PROCESS_IO);
	CHECK_EQ(pipa_process_list_update(&list, grid, io), 0);
}

static void finish(void)
{
	pipa_process_list_done(&list);
	pipa_monitor_model_done(&model);
	pipa_canvas_done(&canvas);
}

static const char *paint(int height)
{
	canvas.utf8 = false;
	CHECK_EQ(pipa_canvas_resize(&canvas, 40, height), 0);
	pipa_process_list_paint(&list, &canvas, &(struct pipa_box){ 0, 0, 40, height });
	return canvas_text(&canvas);
}

TEST(a_thousand_processes_are_in_order)
{
	size_t i;

	start(1000);
	CHECK_EQ(list.n, 1000);
	for (i = 0; i < list.n; i++)
		CHECK_EQ(list.items[i].pid, 1000 - i);
	list.reverse = true;
	pipa_process_list_update(&list, grid, io);
	for (i = 0; i < list.n; i++)
		CHECK_EQ(list.items[i].pid, i + 1);
	finish();
}

TEST(missing_values_are_last_whichever_way_it_is_sorted)
{
	start(5);
	list.sort = PIPA_PROCESS_SORT_IO;
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.items[0].pid, 4);
	CHECK_EQ(list.items[1].pid, 2);
	CHECK_EQ(list.items[2].pid, 1); /* equals by pid */
	CHECK_EQ(list.items[4].pid, 5);
	list.reverse = true;
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.items[0].pid, 2);
	CHECK_EQ(list.items[1].pid, 4);
	CHECK_EQ(list.items[2].pid, 1);
	finish();
}

TEST(the_selection_stays_with_its_process)
{
	start(20);
	pipa_process_list_move(&list, 1);
	CHECK_EQ(list.chosen, 20);
	pipa_process_list_move(&list, 1);
	CHECK_EQ(list.chosen, 19);
	list.sort = PIPA_PROCESS_SORT_MEMORY; /* the other way round */
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.chosen, 19);
	CHECK_EQ(list.chosen_at, 18);
	pipa_process_list_move(&list, -100);
	CHECK_EQ(list.chosen, 1);
	pipa_process_list_end(&list);
	CHECK_EQ(list.chosen, 20);
	pipa_process_list_move(&list, 5);
	CHECK_EQ(list.chosen, 20);
	finish();
}

TEST(a_process_that_ends_leaves_the_selection_to_the_next)
{
	start(3);
	pipa_process_list_move(&list, 1);
	pipa_process_list_move(&list, 1);
	CHECK_EQ(list.chosen, 2);
	feed_process(&model, "1 p1", 1, 1, 0, 0);
	feed_process(&model, "3 p3", 3, 1, 0, 0);
	feed_end(&model);
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.chosen, 1);
	feed_end(&model); /* all gone */
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.chosen, 0);
	pipa_process_list_move(&list, 1);
	CHECK_EQ(list.chosen, 0);
	finish();
}

TEST(the_selected_row_is_always_on_the_screen)
{
	start(20);
	CHECK_HAS(paint(4), "     20  20.0   980K p20\n");
	pipa_process_list_move(&list, 1);
	pipa_process_list_move(&list, 4);
	CHECK_STR(paint(4), "    PID vCPU%    MEM COMMAND\n"
			    "     18  18.0   982K p18\n"
			    "     17  17.0   983K p17\n"
			    "     16  16.0   984K p16\n");
	CHECK_EQ(canvas.cells[3 * 40].style, PIPA_STYLE_CHOSEN);
	CHECK_EQ(canvas.cells[2 * 40].style, PIPA_STYLE_PLAIN);
	pipa_process_list_move(&list, -1);
	CHECK_HAS(paint(4), "p18\n"); /* nothing moved */
	pipa_process_list_end(&list);
	CHECK_HAS(paint(4), "      1   1.0   999K p1\n");
	CHECK_HAS(paint(30), "p20\n"); /* a window that grew is filled */
	pipa_process_list_home(&list);
	CHECK_HAS(paint(4), "p20\n");
	CHECK_EQ(canvas.cells[1 * 40].style, PIPA_STYLE_PLAIN);
	finish();
}

TEST(a_narrow_table_shows_its_sort_column)
{
	start(4);
	list.sort = PIPA_PROCESS_SORT_IO;
	pipa_process_list_update(&list, grid, io);
	CHECK_HAS(paint(6), "    PID  CPU% vI/O/s COMMAND\n      4   4.0  4.00K p4\n");
	finish();
}

TEST(a_filter_looks_at_name_and_number)
{
	start(30);
	snprintf(list.filter, sizeof(list.filter), "P2");
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.n, 11); /* p2, p20 to p29 */
	snprintf(list.filter, sizeof(list.filter), "30");
	pipa_process_list_update(&list, grid, io);
	CHECK_EQ(list.n, 1);
	CHECK_HAS(paint(3), "p30");
	finish();
}

static void add_row(struct pipa_grid *to, const char *instance, int column, double value,
		    int second_column, double second)
{
	double values[PIPA_COL_PROCESSES_NR] = { 0 };

	values[column] = value;
	values[second_column] = second;
	CHECK_EQ(pipa_grid_add(to, instance, values), 0);
}

static void add_cpu(struct pipa_grid *to, const char *instance, double percent)
{
	add_row(to, instance, PIPA_COL_PROCESSES_CPU, 9, PIPA_COL_PROCESSES_TOTAL, percent);
}

static void add_io(struct pipa_grid *to, const char *instance, double read, double written)
{
	add_row(to, instance, PIPA_COL_PROCESS_IO_RD, read, PIPA_COL_PROCESS_IO_WR, written);
}

TEST(storage_is_a_section_of_its_own_that_may_lack_processes)
{
	struct pipa_grid cpus = { .section = &pipa_sections[PIPA_SECTION_PROCESSES] };
	struct pipa_grid storage = { .section = &pipa_sections[PIPA_SECTION_PROCESS_IO] };

	list = (struct pipa_process_list){ .sort = PIPA_PROCESS_SORT_IO };
	add_cpu(&cpus, "1\0S\0a", 5);
	add_cpu(&cpus, "2\0S\0b", 6); /* only here */
	add_cpu(&cpus, "3\0S\0c", 7);
	add_io(&storage, "1\0S\0a", 10, 20);
	add_io(&storage, "3\0S\0c", 40, 50);
	CHECK_EQ(pipa_process_list_update(&list, &cpus, &storage), 0);
	CHECK_STR(paint(4), "    PID  CPU% vI/O/s COMMAND\n"
			    "      3   7.0  90.0K c\n"
			    "      1   5.0  30.0K a\n"
			    "      2   6.0      - b\n");
	pipa_grid_done(&cpus);
	pipa_grid_done(&storage);
	pipa_process_list_done(&list);
	pipa_canvas_done(&canvas);
}

TEST(processes_of_one_user_are_shown)
{
	struct pipa_grid all = { .section = &pipa_sections[PIPA_SECTION_PROCESSES] };

	list = (struct pipa_process_list){ 0 };
	add_row(&all, "1\0S\0a", PIPA_COL_PROCESSES_TOTAL, 3, PIPA_COL_PROCESSES_UID, 0);
	add_row(&all, "2\0S\0b", PIPA_COL_PROCESSES_TOTAL, 2, PIPA_COL_PROCESSES_UID, 1000);
	add_row(&all, "3\0S\0c", PIPA_COL_PROCESSES_TOTAL, 1, PIPA_COL_PROCESSES_UID, 1000);
	CHECK_EQ(pipa_process_list_update(&list, &all, NULL), 0);
	CHECK(!pipa_process_list_toggle_user(&list)); /* no process is selected */
	pipa_process_list_move(&list, 1);
	pipa_process_list_move(&list, 1);
	CHECK(pipa_process_list_toggle_user(&list));
	CHECK_EQ(pipa_process_list_update(&list, &all, NULL), 0);
	CHECK_EQ(list.n, 2);
	CHECK_EQ(list.items[0].pid, 2);
	CHECK_EQ(list.items[1].pid, 3);
	CHECK(pipa_process_list_toggle_user(&list));
	CHECK_EQ(pipa_process_list_update(&list, &all, NULL), 0);
	CHECK_EQ(list.n, 3);
	pipa_grid_done(&all);
	pipa_process_list_done(&list);
}

TEST(a_missing_section_gives_an_empty_table)
{
	list = (struct pipa_process_list){ 0 };
	grid = NULL;
	CHECK_EQ(pipa_process_list_update(&list, NULL, NULL), 0);
	pipa_process_list_move(&list, 1);
	CHECK_STR(paint(2), "\n\n");
	finish();
}
