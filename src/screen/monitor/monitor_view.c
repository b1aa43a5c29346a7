#include "screen/monitor/monitor_view.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "screen/cells/amount.h"
#include "screen/monitor/monitor_model.h"
#include "screen/monitor/monitor_panels.h"

void pipa_monitor_view_done(struct pipa_monitor_view *view)
{
	pipa_process_list_done(&view->processes);
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* ---- first and last line ----------------------------------------------------------------------- */

/* Paint interval and pause at the right; returns where the text begins. */
static int paint_state(const struct pipa_monitor_view *view, const struct pipa_monitor_model *model,
		       struct pipa_canvas *canvas)
{
	uint64_t wall = model->ticks ? model->tick.wall_ns : view->wall_ns;
	time_t seconds = (time_t)(wall / PIPA_NS_PER_SEC);
	char late[40] = "", slept[40] = "", interval[PIPA_AMOUNT_MAX], text[200];
	struct tm tm;
	int width;

	localtime_r(&seconds, &tm);
	pipa_amount_interval(interval, view->interval_ns);
	if (view->late)
		snprintf(late, sizeof(late), "missed %llu  ", (unsigned long long)view->late);
	if (view->suspended_s > 0)
		snprintf(slept, sizeof(slept), "slept %.0fs  ", view->suspended_s);
	snprintf(text, sizeof(text), " %s%s%s%s  %02d:%02d:%02d ", late, slept,
		 view->paused ? "PAUSED  " : "", interval, tm.tm_hour, tm.tm_min, tm.tm_sec);
	width = min_int(pipa_canvas_measure(text), canvas->width);
	pipa_canvas_put(canvas, canvas->width - width, 0, width, PIPA_STYLE_HEADER, text);
	return canvas->width - width;
}

/* Paint the description of the machine, as much as fits. */
static void paint_header(const struct pipa_monitor_view *view,
			 const struct pipa_monitor_model *model, struct pipa_canvas *canvas)
{
	const struct pipa_grid *load = pipa_monitor_model_grid(model, PIPA_SECTION_LOAD);
	double one = pipa_grid_value(load, 0, PIPA_COL_LOAD_1);
	char texts[4][80], uptime[PIPA_AMOUNT_MAX];
	int x = 1, end;
	size_t i;

	pipa_canvas_fill(canvas, &(struct pipa_box){ 0, 0, canvas->width, 1 }, ' ',
			 PIPA_STYLE_HEADER);
	end = paint_state(view, model, canvas);
	pipa_amount_uptime(uptime, view->uptime_s);
	snprintf(texts[0], sizeof(texts[0]), "%.60s", view->host ? view->host : "");
	texts[1][0] = '\0';
	if (!isnan(one))
		snprintf(texts[1], sizeof(texts[1]), "load %.2f %.2f %.2f", one,
			 pipa_grid_value(load, 0, PIPA_COL_LOAD_5),
			 pipa_grid_value(load, 0, PIPA_COL_LOAD_15));
	snprintf(texts[2], sizeof(texts[2]), "up %s", uptime);
	snprintf(texts[3], sizeof(texts[3]), "%.60s", view->kernel ? view->kernel : "");
	for (i = 0; i < PIPA_COUNT(texts); i++) {
		int width = pipa_canvas_measure(texts[i]);

		if (!width || (i && x + width > end)) /* truncate a long name, omit the rest */
			continue;
		x += pipa_canvas_put(canvas, x, 0, end - x, PIPA_STYLE_HEADER, texts[i]) + 2;
	}
}

static const struct {
	const char *key, *what, *more;
} keys[] = {
	{ "q", "quit", "quit (also Ctrl-C)" },
	{ "?", "help", "this help (also F1, h)" },
	{ "space", "pause", "pause or continue" },
	{ "+-", "interval", "longer or shorter interval (also > <)" },
	{ "cmi", "sort", "sort by CPU, memory, I/O; T by time, N by PID" },
	{ "k", "signal", "send a signal to the selected process (also F9)" },
	{ "t", "tree", "children below their parents (also F5)" },
	{ "a", "args", "command lines or names" },
	{ "/", "filter", "show only processes with a string (also F4)" },
	{ "s", "search", "select the next process with a string (F3)" },
	{ "n", "nice", "set the nice value of the process (F7, F8)" },
	{ "H", "threads", "threads or processes" },
	{ "K", "kernel", "with or without kernel threads" },
	{ "u", "user", "only processes of the selected one's user" },
	{ "r", "reverse", "reverse the sort order" },
	{ "1", "CPUs", "one bar for all CPUs" },
	{ "arrows", NULL, "select a process; PgUp, PgDn, Home, End, mouse" },
	{ "Esc", NULL, "clear selection and filters" },
};

/* Paint what the user is asked, at the foot of the screen. */
static void paint_prompt(const struct pipa_monitor_view *view, struct pipa_canvas *canvas, int y)
{
	const char *name = "", *answer = "Enter continue  Esc cancel", *input = view->input;
	char text[160];
	int x = 1;

	pipa_monitor_view_signal(view, &name);
	switch (view->prompt) {
	case PIPA_MONITOR_ASK_SEARCH:
		snprintf(text, sizeof(text), "search: ");
		answer = "Enter select  F3 next  Esc cancel";
		break;
	case PIPA_MONITOR_ASK_SIGNAL:
		snprintf(text, sizeof(text), "signal to %llu %s: ", (unsigned long long)view->asked,
			 view->asked_name);
		input = name;
		answer = "arrows choose  Enter continue  Esc cancel";
		break;
	case PIPA_MONITOR_ASK_NICE:
		snprintf(text, sizeof(text),
			 "nice value of %llu %s (-20 to 19): ", (unsigned long long)view->asked,
			 view->asked_name);
		break;
	case PIPA_MONITOR_ASK_CONFIRM_SIGNAL:
		snprintf(text, sizeof(text), "send %s to %llu %s? ", name,
			 (unsigned long long)view->asked, view->asked_name);
		input = "";
		answer = "y yes  n no";
		break;
	default:
		snprintf(text, sizeof(text), "set nice value %s for %llu %s? ", view->input,
			 (unsigned long long)view->asked, view->asked_name);
		input = "";
		answer = "y yes  n no";
	}
	x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_STRONG, text);
	x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_PLAIN, input);
	x += pipa_canvas_put(canvas, x, y, 1, PIPA_STYLE_CHOSEN, " ") + 2;
	pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_DIM, answer);
}

static void paint_footer(const struct pipa_monitor_view *view, struct pipa_canvas *canvas)
{
	int x = 1, y = canvas->height - 1;
	size_t i;

	if (view->prompt) {
		paint_prompt(view, canvas, y);
		return;
	}
	if (view->message[0]) {
		pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_WARN, view->message);
		return;
	}
	if (view->typing) {
		x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_STRONG,
				     "filter: ");
		x += pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_PLAIN,
				     view->processes.filter);
		x += pipa_canvas_put(canvas, x, y, 1, PIPA_STYLE_CHOSEN, " ") + 2;
		pipa_canvas_put(canvas, x, y, canvas->width - x, PIPA_STYLE_DIM,
				"Enter apply  Esc cancel");
		return;
	}
	for (i = 0; i < PIPA_COUNT(keys) && keys[i].what; i++) {
		int width = pipa_canvas_measure(keys[i].key) + 1 +
			    pipa_canvas_measure(keys[i].what);

		if (x + width > canvas->width)
			break;
		x += pipa_canvas_put(canvas, x, y, width, PIPA_STYLE_STRONG, keys[i].key) + 1;
		x += pipa_canvas_put(canvas, x, y, width, PIPA_STYLE_DIM, keys[i].what) + 2;
	}
}

static void paint_help(struct pipa_canvas *canvas)
{
	int width = min_int(canvas->width, 62), height = min_int(canvas->height, 22), y;
	struct pipa_box box = { (canvas->width - width) / 2, (canvas->height - height) / 2, width,
				height };
	static const struct {
		enum pipa_cell_style style;
		const char *what;
	} parts[] = {
		{ PIPA_STYLE_USER, "user" },   { PIPA_STYLE_SYSTEM, "system" },
		{ PIPA_STYLE_STEAL, "steal" }, { PIPA_STYLE_IOWAIT, "iowait" },
		{ PIPA_STYLE_USED, "used" },   { PIPA_STYLE_BUFFERS, "buffers" },
		{ PIPA_STYLE_CACHE, "cache" },
	};
	size_t i;
	int x;

	pipa_canvas_frame(canvas, &box, PIPA_STYLE_DIM);
	for (i = 0, y = box.y + 1; i < PIPA_COUNT(keys) && y < box.y + height - 1; i++, y++) {
		pipa_canvas_put(canvas, box.x + 2, y, 7, PIPA_STYLE_STRONG, keys[i].key);
		pipa_canvas_put(canvas, box.x + 10, y, width - 12, PIPA_STYLE_PLAIN, keys[i].more);
	}
	for (i = 0, y++, x = 0; i < PIPA_COUNT(parts); i++) {
		if (i == 4) { /* memory on a line of its own */
			y++;
			x = 0;
		}
		if (y >= box.y + height - 1)
			return;
		pipa_canvas_bar(canvas, box.x + 2 + x, y, 1,
				&(struct pipa_part){ 1, parts[i].style }, 1);
		pipa_canvas_put(canvas, box.x + 4 + x, y, 9, PIPA_STYLE_DIM, parts[i].what);
		x += 11;
	}
	if (y + 1 < box.y + height - 1)
		pipa_canvas_put(canvas, box.x + 2, y + 1, width - 4, PIPA_STYLE_DIM,
				"PSI: some/full avg10; net: busiest interface except lo");
}

/* ---- layout ------------------------------------------------------------------------------------ */

/* Rows of each part; their sum is the height between header and footer. */
struct layout {
	bool two;		       /* two columns */
	int side;		       /* width of the panels if they are left of the processes */
	bool cpus_across;	       /* of those, bars of CPUs are above: they are many */
	int cpu, meters, lines, chart; /* lines: meters without charts; chart: height of one */
	int disks, interfaces;	       /* titles included */
	int processes;
};

/* Return the rows of the process table, NULL if there are none. */
static const struct pipa_grid *process_grid(const struct pipa_monitor_view *view,
					    const struct pipa_monitor_model *model)
{
	return pipa_monitor_model_grid(model, view->processes.threads ? PIPA_SECTION_THREADS :
									PIPA_SECTION_PROCESSES);
}

static int device_rows(const struct pipa_monitor_model *model, enum pipa_section_id section)
{
	const struct pipa_grid *grid = pipa_monitor_model_grid(model, section);

	return grid && grid->n ? min_int((int)grid->n, 1000) + 1 : 0;
}

/* Return the rows for devices: at least a title and a row, or 0. */
static int devices_in(int wanted, int room)
{
	int rows = min_int(wanted, room);

	return rows < 2 ? 0 : rows;
}

static void plan_devices(struct layout *l, const struct pipa_monitor_model *model, int room)
{
	int disks = device_rows(model, PIPA_SECTION_DISK),
	    interfaces = device_rows(model, PIPA_SECTION_NET);

	if (l->two) {
		l->disks = l->interfaces = devices_in(max_int(disks, interfaces), room);
		return;
	}
	l->disks = devices_in(disks, max_int(room / 2, room - interfaces));
	l->interfaces = devices_in(interfaces, room - l->disks);
}

static struct layout plan_layout(const struct pipa_monitor_view *view,
				 const struct pipa_monitor_model *model, int width, int rows)
{
	bool has_processes = process_grid(view, model);
	struct layout l = { .two = width >= 70, .chart = 1 };
	int kept, room;

	l.cpu = pipa_panel_cpu_rows(model, width, max_int(rows / 3, 1), view->folded);
	l.cpu = min_int(l.cpu, rows);
	rows -= l.cpu;
	kept = has_processes ? min_int(max_int(4, rows / 2), rows) : 0;
	room = rows - kept;

	l.lines = (int)pipa_panel_meters(model);
	if (l.two && has_processes)
		l.chart = max_int(min_int(room / 12, 3), 1);
	else if (l.two) /* no other panel needs the space */
		l.chart = max_int((room - max_int(device_rows(model, PIPA_SECTION_DISK),
						  device_rows(model, PIPA_SECTION_NET))) /
					  PIPA_HISTORY_NR,
				  1);
	l.meters = l.two ? max_int(l.lines, PIPA_HISTORY_NR * l.chart) : l.lines + PIPA_HISTORY_NR;
	l.meters = min_int(l.meters, room);
	plan_devices(&l, model, room - l.meters);
	l.processes = rows - l.meters - (l.two ? l.disks : l.disks + l.interfaces);
	return l;
}

/* Narrowest screen that has the panels beside the processes. */
enum { SIDE_BY_SIDE = 140 };

/* Plan for a wide screen: panels in one column at the left, as high as the screen. */
static struct layout plan_side(const struct pipa_monitor_view *view,
			       const struct pipa_monitor_model *model, int width, int rows)
{
	struct layout l = { .side = min_int(max_int(width / 3, 56), 80), .chart = 1 };
	const struct pipa_grid *cpu = pipa_monitor_model_grid(model, PIPA_SECTION_CPU);
	int room = rows;

	l.cpus_across = !view->folded && cpu && (int)cpu->n - 1 > max_int(rows / 3, 1);
	l.cpu = pipa_panel_cpu_rows(model, l.cpus_across ? width : l.side, max_int(rows / 3, 1),
				    view->folded);
	l.cpu = min_int(l.cpu, rows);
	room -= l.cpu;
	l.lines = min_int((int)pipa_panel_meters(model), room);
	room -= l.lines;
	plan_devices(&l, model, room - min_int(room / 2, 2 * PIPA_HISTORY_NR));
	room -= l.disks + l.interfaces;
	l.chart = max_int(min_int(room / PIPA_HISTORY_NR, 6), 1);
	l.meters = l.lines + min_int(PIPA_HISTORY_NR * l.chart, room);
	l.processes = rows - (l.cpus_across ? l.cpu : 0);
	return l;
}

static void paint_side(const struct layout *l, const struct pipa_monitor_model *model,
		       struct pipa_canvas *canvas, int y)
{
	struct pipa_box box = { 0, y, l->side, 1 };
	int i;

	for (i = 0; i < l->lines; i++, box.y++)
		pipa_panel_meter(model, canvas, &box, (size_t)i);
	box.height = l->chart;
	for (i = 0; i < PIPA_HISTORY_NR && box.y + l->chart <= y + l->meters; i++) {
		pipa_panel_chart(model, canvas, &box, (enum pipa_history)i);
		box.y += l->chart;
	}
	box.y = y + l->meters;
	box.height = l->disks;
	pipa_panel_disks(model, canvas, &box);
	box.y += l->disks;
	box.height = l->interfaces;
	pipa_panel_interfaces(model, canvas, &box);
}

/* Paint in two columns: lines at the left, charts at the right. */
static void paint_two(const struct layout *l, const struct pipa_monitor_model *model,
		      struct pipa_canvas *canvas, int y)
{
	int left = canvas->width / 2, i;
	struct pipa_box box = { 0, y, left - 1, 1 };

	for (i = 0; i < min_int(l->lines, l->meters); i++, box.y++)
		pipa_panel_meter(model, canvas, &box, (size_t)i);
	box = (struct pipa_box){ left, y, canvas->width - left, l->chart };
	for (i = 0; i < PIPA_HISTORY_NR && (i + 1) * l->chart <= l->meters; i++) {
		pipa_panel_chart(model, canvas, &box, (enum pipa_history)i);
		box.y += l->chart;
	}
	y += l->meters;
	pipa_panel_disks(model, canvas, &(struct pipa_box){ 0, y, left - 1, l->disks });
	pipa_panel_interfaces(model, canvas,
			      &(struct pipa_box){ left, y, canvas->width - left, l->interfaces });
}

/* Paint in one column, by decreasing importance. */
static void paint_one(const struct layout *l, const struct pipa_monitor_model *model,
		      struct pipa_canvas *canvas, int y)
{
	struct pipa_box box = { 0, y, canvas->width, 1 };
	int i, line = 0, chart = 0;

	for (i = 0; i < l->meters; i++, box.y++) {
		if (line < l->lines && (line < 2 || chart > 0))
			pipa_panel_meter(model, canvas, &box, (size_t)line++);
		else if (chart < PIPA_HISTORY_NR)
			pipa_panel_chart(model, canvas, &box, (enum pipa_history)chart++);
	}
	box.height = l->disks;
	pipa_panel_disks(model, canvas, &box);
	box.y += l->disks;
	box.height = l->interfaces;
	pipa_panel_interfaces(model, canvas, &box);
}

static void paint_middle(struct pipa_monitor_view *view, const struct pipa_monitor_model *model,
			 struct pipa_canvas *canvas, int rows)
{
	bool wide = canvas->width >= SIDE_BY_SIDE && process_grid(view, model);
	const struct layout l = wide ? plan_side(view, model, canvas->width, rows) :
				       plan_layout(view, model, canvas->width, rows);
	struct pipa_box box = { 0, 1, wide && !l.cpus_across ? l.side : canvas->width, l.cpu };

	pipa_panel_cpu(model, canvas, &box, view->folded);
	box.y += l.cpu;
	if (wide)
		paint_side(&l, model, canvas, box.y);
	else if (l.two)
		paint_two(&l, model, canvas, box.y);
	else
		paint_one(&l, model, canvas, box.y);
	box.x = wide ? l.side + 1 : 0;
	box.width = canvas->width - box.x;
	box.y = 1 + rows - l.processes;
	box.height = l.processes;
	pipa_process_list_paint(&view->processes, canvas, &box);
}

int pipa_monitor_view_paint(struct pipa_monitor_view *view, const struct pipa_monitor_model *model,
			    struct pipa_canvas *canvas)
{
	bool threads = view->processes.threads;
	int rc = pipa_process_list_update(
		&view->processes, process_grid(view, model),
		pipa_monitor_model_grid(model, threads ? PIPA_SECTION_THREAD_IO :
							 PIPA_SECTION_PROCESS_IO));
	bool footer = canvas->height > 4;

	pipa_canvas_clear(canvas);
	paint_header(view, model, canvas);
	if (canvas->height > 1)
		paint_middle(view, model, canvas, canvas->height - 1 - footer);
	if (footer)
		paint_footer(view, canvas);
	if (view->help)
		paint_help(canvas);
	return rc;
}
