/* Panels of CPUs and load. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "screen/cells/amount.h"
#include "screen/monitor/monitor_panels.h"

enum { LABEL = 4, NUMBER = 5, NARROWEST = 20, WIDEST = 40 };

/* Layout of the CPUs. */
struct plan {
	size_t cpus;
	int columns, rows; /* of bars or cells; 0 rows: only the sum is shown */
	bool sum;	   /* a bar of all CPUs above them */
	bool cells;
};

static int rows_for(size_t n, int columns)
{
	return (int)((n + (size_t)columns - 1) / (size_t)columns);
}

static int at_least(int value, int least)
{
	return value < least ? least : value;
}

static bool is_sum(const struct pipa_grid *cpu, size_t row)
{
	return strcmp(pipa_grid_name(cpu, row), "all") == 0;
}

static struct plan make_plan(const struct pipa_monitor_model *model, int width, int limit,
			     bool folded)
{
	const struct pipa_grid *cpu = pipa_monitor_model_grid(model, PIPA_SECTION_CPU);
	bool has_sum = cpu && pipa_grid_find(cpu, "all") < cpu->n;
	struct plan p = { .cpus = cpu ? cpu->n - has_sum : 0 };

	if (!p.cpus || folded) {
		p.sum = has_sum;
		return p;
	}
	p.columns = at_least(width / WIDEST, 1);
	if ((size_t)p.columns > p.cpus)
		p.columns = (int)p.cpus;
	p.rows = rows_for(p.cpus, p.columns);
	while (p.rows > limit && (p.columns + 1) * NARROWEST <= width)
		p.rows = rows_for(p.cpus, ++p.columns);
	if (p.rows <= limit)
		return p;
	p.cells = true;
	p.sum = has_sum && limit > 1;
	p.columns = at_least(width - LABEL - 1, 1);
	if (p.columns > 16)
		p.columns -= p.columns % 16; /* rows start at multiples of 16 */
	p.rows = rows_for(p.cpus, p.columns);
	if (p.rows > limit - p.sum)
		p.rows = limit - p.sum;
	return p;
}

int pipa_panel_cpu_rows(const struct pipa_monitor_model *model, int width, int limit, bool folded)
{
	struct plan p = make_plan(model, width, limit, folded);

	return p.rows + p.sum;
}

static void paint_bar(const struct pipa_grid *cpu, size_t row, struct pipa_canvas *canvas, int x,
		      int y, int width)
{
	struct pipa_cpu_shares s = pipa_monitor_model_cpu(cpu, row);
	const struct pipa_part parts[] = {
		{ s.user / 100, PIPA_STYLE_USER },
		{ s.system / 100, PIPA_STYLE_SYSTEM },
		{ s.steal / 100, PIPA_STYLE_STEAL },
		{ s.iowait / 100, PIPA_STYLE_IOWAIT },
	};
	const char *name = is_sum(cpu, row) ? "CPU" : pipa_grid_name(cpu, row);
	char text[PIPA_AMOUNT_MAX];

	pipa_canvas_right(canvas, x, y, LABEL - 1, PIPA_STYLE_DIM, name);
	pipa_canvas_bar(canvas, x + LABEL, y, width - LABEL - NUMBER - 1, parts, PIPA_COUNT(parts));
	pipa_amount_percent(text, s.busy);
	pipa_canvas_right(canvas, x + width - NUMBER - 1, y, NUMBER, PIPA_STYLE_PLAIN, text);
	if (!isnan(s.busy))
		pipa_canvas_put(canvas, x + width - 1, y, 1, PIPA_STYLE_DIM, "%");
}

/* Paint the bar of all CPUs with its parts in percent. */
static void paint_sum(const struct pipa_grid *cpu, struct pipa_canvas *canvas, int x, int y,
		      int width)
{
	size_t row = pipa_grid_find(cpu, "all");
	struct pipa_cpu_shares s = pipa_monitor_model_cpu(cpu, row);
	int numbers = width >= 70 && !isnan(s.busy) ? 40 : 0;

	paint_bar(cpu, row, canvas, x, y, width - numbers);
	if (numbers)
		pipa_canvas_printf(canvas, x + width - numbers, y, numbers, PIPA_STYLE_DIM,
				   "  us %4.1f  sy %4.1f  st %4.1f  wa %4.1f", s.user, s.system,
				   s.steal, s.iowait);
}

static void paint_bars(const struct plan *p, const struct pipa_grid *cpu,
		       struct pipa_canvas *canvas, const struct pipa_box *box)
{
	size_t i, n;

	for (i = n = 0; i < cpu->n; i++) {
		int column = (int)n / p->rows, y = (int)n % p->rows;
		int left = box->width * column / p->columns;
		int right = box->width * (column + 1) / p->columns;

		if (is_sum(cpu, i))
			continue;
		/* a space between two columns */
		paint_bar(cpu, i, canvas, box->x + left, box->y + y,
			  right - left - (column + 1 < p->columns));
		n++;
	}
}

static void paint_cell(const struct pipa_grid *cpu, size_t row, struct pipa_canvas *canvas, int x,
		       int y)
{
	double busy = pipa_monitor_model_cpu(cpu, row).busy;
	const struct pipa_box cell = { x, y, 1, 1 };
	enum pipa_cell_style style = busy >= 80 ? PIPA_STYLE_ALERT :
				     busy >= 50 ? PIPA_STYLE_WARN :
						  PIPA_STYLE_GOOD;

	if (isnan(busy))
		pipa_canvas_put(canvas, x, y, 1, PIPA_STYLE_DIM, "-");
	else if (canvas->utf8)
		pipa_canvas_column(canvas, &cell, busy, 100, style);
	else /* tens of percent */
		pipa_canvas_printf(canvas, x, y, 1, style, "%d", busy >= 90 ? 9 : (int)(busy / 10));
}

static void paint_cells(const struct plan *p, const struct pipa_grid *cpu,
			struct pipa_canvas *canvas, const struct pipa_box *box)
{
	size_t i, n;

	for (i = n = 0; i < cpu->n; i++) {
		int x = (int)(n % (size_t)p->columns), y = (int)(n / (size_t)p->columns);

		if (is_sum(cpu, i))
			continue;
		if (y >= p->rows) { /* more CPUs than rows */
			pipa_canvas_put(canvas, box->x + LABEL + p->columns, box->y + y - 1, 1,
					PIPA_STYLE_STRONG, "+");
			return;
		}
		if (x == 0)
			pipa_canvas_right(canvas, box->x, box->y + y, LABEL - 1, PIPA_STYLE_DIM,
					  pipa_grid_name(cpu, i));
		paint_cell(cpu, i, canvas, box->x + LABEL + x, box->y + y);
		n++;
	}
}

void pipa_panel_cpu(const struct pipa_monitor_model *model, struct pipa_canvas *canvas,
		    const struct pipa_box *box, bool folded)
{
	const struct pipa_grid *cpu = pipa_monitor_model_grid(model, PIPA_SECTION_CPU);
	struct plan p = make_plan(model, box->width, box->height, folded);
	struct pipa_box rest = *box;

	if (!cpu || !box->height)
		return;
	if (p.sum) {
		paint_sum(cpu, canvas, box->x, box->y, box->width);
		rest.y++;
	}
	if (p.cells)
		paint_cells(&p, cpu, canvas, &rest);
	else if (p.rows)
		paint_bars(&p, cpu, canvas, &rest);
}
