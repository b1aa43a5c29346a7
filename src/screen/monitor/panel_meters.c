/* Panels of memory and pressure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "screen/cells/amount.h"
#include "screen/monitor/monitor_panels.h"

enum { LABEL = 4 };

/* ---- lines ------------------------------------------------------------------------------------- */

static bool has_memory(const struct pipa_monitor_model *m)
{
	return !isnan(pipa_monitor_model_memory(m).total);
}

static bool has_swap(const struct pipa_monitor_model *m)
{
	return !isnan(pipa_monitor_model_swap(m).total);
}

static void paint_store(struct pipa_canvas *c, const struct pipa_box *b, const char *label,
			const struct pipa_memory_parts *p)
{
	const struct pipa_part parts[] = {
		{ p->used / p->total, PIPA_STYLE_USED },
		{ p->buffers / p->total, PIPA_STYLE_BUFFERS },
		{ p->cache / p->total, PIPA_STYLE_CACHE },
	};
	char used[PIPA_AMOUNT_MAX], total[PIPA_AMOUNT_MAX], text[2 * PIPA_AMOUNT_MAX];
	int numbers = 12;

	pipa_canvas_put(c, b->x, b->y, LABEL, PIPA_STYLE_DIM, label);
	if (!(p->total > 0)) {
		pipa_canvas_put(c, b->x + LABEL, b->y, b->width - LABEL, PIPA_STYLE_DIM, "none");
		return;
	}
	pipa_canvas_bar(c, b->x + LABEL, b->y, b->width - LABEL - numbers, parts,
			PIPA_COUNT(parts));
	pipa_amount_size(used, p->used);
	pipa_amount_size(total, p->total);
	snprintf(text, sizeof(text), "%s/%s", used, total);
	pipa_canvas_right(c, b->x + b->width - numbers, b->y, numbers, PIPA_STYLE_PLAIN, text);
}

static void paint_memory(const struct pipa_monitor_model *m, struct pipa_canvas *c,
			 const struct pipa_box *b)
{
	struct pipa_memory_parts p = pipa_monitor_model_memory(m);

	paint_store(c, b, "Mem", &p);
}

static void paint_swap(const struct pipa_monitor_model *m, struct pipa_canvas *c,
		       const struct pipa_box *b)
{
	struct pipa_memory_parts p = pipa_monitor_model_swap(m);

	paint_store(c, b, "Swp", &p);
}

static const struct {
	const char *label;
	enum pipa_section_id section;
	int some, full; /* columns; -1: missing */
} pressures[] = {
	{ "cpu", PIPA_SECTION_PSI_CPU, PIPA_COL_PSI_CPU_SOME_10, -1 },
	{ "io", PIPA_SECTION_PSI_IO, PIPA_COL_PSI_IO_SOME_10, PIPA_COL_PSI_IO_FULL_10 },
	{ "mem", PIPA_SECTION_PSI_MEMORY, PIPA_COL_PSI_MEMORY_SOME_10,
	  PIPA_COL_PSI_MEMORY_FULL_10 },
};

static bool has_pressure(const struct pipa_monitor_model *m)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(pressures); i++)
		if (!isnan(pipa_grid_value(pipa_monitor_model_grid(m, pressures[i].section), 0,
					   pressures[i].some)))
			return true;
	return false;
}

/* Format a percentage in three cells: "3.4" or "12". */
static void pressure_text(char out[static PIPA_AMOUNT_MAX], double percent)
{
	snprintf(out, PIPA_AMOUNT_MAX, "%.*f", percent >= 9.95 ? 0 : 1, percent);
}

static enum pipa_cell_style pressure_style(double some)
{
	return some >= 50 ? PIPA_STYLE_ALERT :
	       some >= 10 ? PIPA_STYLE_WARN :
	       some > 0	  ? PIPA_STYLE_PLAIN :
			    PIPA_STYLE_DIM;
}

/* Paint the pressure (PSI) of the last ten seconds, some/full. */
static void paint_pressure(const struct pipa_monitor_model *m, struct pipa_canvas *c,
			   const struct pipa_box *b)
{
	int x = b->x + LABEL, end = b->x + b->width;
	size_t i;

	pipa_canvas_put(c, b->x, b->y, LABEL, PIPA_STYLE_DIM, "PSI");
	for (i = 0; i < PIPA_COUNT(pressures); i++) {
		const struct pipa_grid *grid = pipa_monitor_model_grid(m, pressures[i].section);
		double some = pipa_grid_value(grid, 0, pressures[i].some);
		double full = pipa_grid_value(grid, 0, pressures[i].full);
		char text[PIPA_AMOUNT_MAX];

		if (isnan(some) || x >= end)
			continue;
		x += pipa_canvas_printf(c, x, b->y, end - x, PIPA_STYLE_DIM, "%s ",
					pressures[i].label);
		pressure_text(text, some);
		x += pipa_canvas_put(c, x, b->y, end - x, pressure_style(some), text);
		if (!isnan(full)) {
			pressure_text(text, full);
			x += pipa_canvas_put(c, x, b->y, end - x, PIPA_STYLE_DIM, "/");
			x += pipa_canvas_put(c, x, b->y, end - x, pressure_style(full), text);
		}
		x += 2;
	}
}

static bool has_tasks(const struct pipa_monitor_model *m)
{
	return !isnan(pipa_grid_value(pipa_monitor_model_grid(m, PIPA_SECTION_LOAD), 0,
				      PIPA_COL_LOAD_TASKS));
}

static void paint_tasks(const struct pipa_monitor_model *m, struct pipa_canvas *c,
			const struct pipa_box *b)
{
	const struct pipa_grid *load = pipa_monitor_model_grid(m, PIPA_SECTION_LOAD);
	double switches = pipa_grid_value(pipa_monitor_model_grid(m, PIPA_SECTION_CSWCH), 0,
					  PIPA_COL_CSWCH_SWITCHES);
	double values[] = { pipa_grid_value(load, 0, PIPA_COL_LOAD_RUNNING),
			    pipa_grid_value(load, 0, PIPA_COL_LOAD_BLOCKED),
			    pipa_grid_value(load, 0, PIPA_COL_LOAD_TASKS), switches };
	static const char *const labels[] = { "Run", "wait", "tasks", "csw/s" };
	int x = b->x, end = b->x + b->width;
	size_t i;

	for (i = 0; i < PIPA_COUNT(values) && x < end; i++) {
		char text[PIPA_AMOUNT_MAX];

		if (isnan(values[i]))
			continue;
		pipa_amount_count(text, values[i]);
		x += pipa_canvas_printf(c, x, b->y, end - x, PIPA_STYLE_DIM, "%s ", labels[i]);
		x += pipa_canvas_put(c, x, b->y, end - x, PIPA_STYLE_PLAIN, text) + 1;
	}
}

static const struct {
	bool (*has)(const struct pipa_monitor_model *m);
	void (*paint)(const struct pipa_monitor_model *m, struct pipa_canvas *c,
		      const struct pipa_box *b);
} meters[] = {
	{ has_memory, paint_memory },
	{ has_swap, paint_swap },
	{ has_pressure, paint_pressure },
	{ has_tasks, paint_tasks },
};

size_t pipa_panel_meters(const struct pipa_monitor_model *model)
{
	size_t i, n = 0;

	for (i = 0; i < PIPA_COUNT(meters); i++)
		n += meters[i].has(model);
	return n;
}

void pipa_panel_meter(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box, size_t index)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(meters); i++)
		if (meters[i].has(model) && index-- == 0) {
			meters[i].paint(model, canvas, box);
			return;
		}
}

/* ---- charts ------------------------------------------------------------------------------------ */

static const struct {
	const char *label;
	bool percent;
} charts[PIPA_HISTORY_NR] = {
	[PIPA_HISTORY_CPU] = { "cpu", true },
	[PIPA_HISTORY_MEMORY] = { "mem", true },
	[PIPA_HISTORY_DISK] = { "dsk", false },
	[PIPA_HISTORY_NET] = { "net", false },
};

/* Return the highest value on the screen: the scale of rates, which have no fixed maximum. */
static double highest_value(const struct pipa_monitor_model *model, enum pipa_history which, int n)
{
	double most = 1;
	int i;

	for (i = 0; i < n; i++)
		most = fmax(most, pipa_monitor_model_history(model, which, (size_t)i));
	return most;
}

void pipa_panel_chart(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		      const struct pipa_box *box, enum pipa_history which)
{
	const int number = 8;
	int width = box->width - LABEL - number, last = box->y + box->height - 1, i;
	double most = charts[which].percent ? 100 : highest_value(model, which, width);
	double now = pipa_monitor_model_history(model, which, 0);
	char text[PIPA_AMOUNT_MAX];

	pipa_canvas_put(canvas, box->x, last, LABEL, PIPA_STYLE_DIM, charts[which].label);
	for (i = 0; i < width; i++) {
		const struct pipa_box column = { box->x + LABEL + width - 1 - i, box->y, 1,
						 box->height };

		pipa_canvas_column(canvas, &column,
				   pipa_monitor_model_history(model, which, (size_t)i), most,
				   PIPA_STYLE_CHART);
	}
	if (charts[which].percent)
		pipa_amount_percent(text, now);
	else
		pipa_amount_size(text, now);
	pipa_canvas_right(canvas, box->x + box->width - number, last, number - 2, PIPA_STYLE_PLAIN,
			  text);
	if (!isnan(now))
		pipa_canvas_put(canvas, box->x + box->width - 2, last, 2, PIPA_STYLE_DIM,
				charts[which].percent ? "%" : "/s");
}
