#include "screen/monitor/process_list.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/sections.h"
#include "screen/cells/amount.h"
#include "screen/cells/grid.h"

void pipa_process_list_done(struct pipa_process_list *list)
{
	free(list->items);
	*list = (struct pipa_process_list){ 0 };
}

static const char *command_of(const struct pipa_process_list *list, size_t row)
{
	const char *command = pipa_grid_word(list->grid, row, PIPA_COL_PROCESSES_COMMAND);

	return command ? command : "";
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Add two values; a missing one counts as zero if the other is known. */
static double sum_known(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static double moved(const struct pipa_process_list *list, const struct pipa_process *p)
{
	return sum_known(pipa_grid_value(list->io, p->io_row, PIPA_COL_PROCESS_IO_RD),
			 pipa_grid_value(list->io, p->io_row, PIPA_COL_PROCESS_IO_WR));
}

static double sort_key(const struct pipa_process_list *list, const struct pipa_process *p)
{
	switch (list->sort) {
	case PIPA_PROCESS_SORT_CPU:
		return pipa_grid_value(list->grid, p->row, PIPA_COL_PROCESSES_TOTAL);
	case PIPA_PROCESS_SORT_MEMORY:
		return pipa_grid_value(list->grid, p->row, PIPA_COL_PROCESSES_RSS);
	case PIPA_PROCESS_SORT_IO: return moved(list, p);
	}
	return NAN;
}

/*
 * Is a sorted before b? Missing values are last in both directions; equal rows are sorted by PID.
 */
static bool is_above(const struct pipa_process_list *list, const struct pipa_process *a,
		     const struct pipa_process *b)
{
	if (a->key > b->key)
		return !list->reverse;
	if (a->key < b->key)
		return list->reverse;
	if (isnan(a->key) != isnan(b->key))
		return isnan(b->key);
	return a->pid < b->pid || (a->pid == b->pid && a->row < b->row);
}

static void sift_down(struct pipa_process_list *list, size_t at, size_t n)
{
	struct pipa_process moved = list->items[at];
	size_t child;

	for (; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && is_above(list, &list->items[child], &list->items[child + 1]))
			child++;
		if (!is_above(list, &moved, &list->items[child]))
			break;
		list->items[at] = list->items[child];
	}
	list->items[at] = moved;
}

/* Sort by heap sort: qsort() of glibc allocates. */
static void sort_items(struct pipa_process_list *list)
{
	size_t i;

	for (i = list->n / 2; i-- > 0;)
		sift_down(list, i, list->n);
	for (i = list->n; i-- > 1;) {
		struct pipa_process last = list->items[0];

		list->items[0] = list->items[i];
		list->items[i] = last;
		sift_down(list, 0, i);
	}
}

static void find_chosen(struct pipa_process_list *list)
{
	size_t i;

	if (!list->chosen)
		return;
	for (i = 0; i < list->n; i++)
		if (list->items[i].pid == list->chosen) {
			list->chosen_at = i;
			return;
		}
	/* the selected process is gone: select the row at its position */
	if (list->chosen_at >= list->n)
		list->chosen_at = list->n ? list->n - 1 : 0;
	list->chosen = list->n ? list->items[list->chosen_at].pid : 0;
}

/* Search limit: a missing row must not cost a scan of all rows. */
enum { MOST_AHEAD = 256 };

/* Return the row of that name, usually at `at`: both sections have the same order. */
static size_t io_row(const struct pipa_process_list *list, const char *name, size_t at)
{
	size_t i;

	for (i = at; list->io && i < list->io->n && i < at + MOST_AHEAD; i++)
		if (strcmp(pipa_grid_name(list->io, i), name) == 0)
			return i;
	return SIZE_MAX;
}

/* Does the row match the filter, a substring of "1234 bash"? */
static bool is_match(const struct pipa_process_list *list, size_t row)
{
	char text[PIPA_INSTANCE_MAX + 2];

	snprintf(text, sizeof(text), "%s %s", pipa_grid_name(list->grid, row),
		 command_of(list, row));
	return strcasestr(text, list->filter);
}

int pipa_process_list_update(struct pipa_process_list *list, const struct pipa_grid *grid,
			     const struct pipa_grid *io)
{
	size_t i, at = 0;

	list->n = 0;
	list->grid = grid;
	list->io = io;
	for (i = 0; grid && i < grid->n; i++) {
		const char *name = pipa_grid_name(grid, i);
		size_t found = io_row(list, name, at);
		struct pipa_process *p;

		if (found != SIZE_MAX)
			at = found + 1;
		if (list->filter[0] && !is_match(list, i))
			continue;
		p = PIPA_VEC_ADD(list);
		if (!p) {
			list->n = 0;
			return -ENOMEM;
		}
		p->pid = strtoull(name, NULL, 10);
		p->row = i;
		p->io_row = found;
		p->key = sort_key(list, p);
	}
	sort_items(list);
	find_chosen(list);
	return 0;
}

/* ---- selection --------------------------------------------------------------------------------- */

static void select_row(struct pipa_process_list *list, size_t at)
{
	list->chosen_at = at;
	list->chosen = list->items[at].pid;
}

void pipa_process_list_move(struct pipa_process_list *list, long rows)
{
	long last = (long)list->n - 1, to = (long)list->chosen_at + rows;

	if (!list->n)
		return;
	if (!list->chosen)
		to = rows > 1 ? rows : 0;
	select_row(list, (size_t)(to < 0 ? 0 : to > last ? last : to));
}

void pipa_process_list_home(struct pipa_process_list *list)
{
	list->chosen = 0;
	list->chosen_at = list->top = 0;
}

void pipa_process_list_end(struct pipa_process_list *list)
{
	if (list->n)
		select_row(list, list->n - 1);
}

static void scroll_to_selection(struct pipa_process_list *list)
{
	if (!list->chosen)
		list->top = 0;
	else if (list->chosen_at < list->top)
		list->top = list->chosen_at;
	else if (list->page && list->chosen_at >= list->top + list->page)
		list->top = list->chosen_at - list->page + 1;
	if (list->top + list->page > list->n)
		list->top = list->n > list->page ? list->n - list->page : 0;
}

/* ---- painting ---------------------------------------------------------------------------------- */

enum column { PID, CPU, MEMORY, READ, WRITE, IO, COLUMN_NR };

static const struct {
	const char *title;
	int width;
} columns[COLUMN_NR] = {
	[PID] = { "PID", 7 },	  [CPU] = { "CPU%", 6 },      [MEMORY] = { "MEM", 7 },
	[READ] = { "READ/s", 8 }, [WRITE] = { "WRITE/s", 8 }, [IO] = { "I/O/s", 7 },
};

static void column_text(const struct pipa_process_list *list, const struct pipa_process *p,
			enum column column, char out[static PIPA_AMOUNT_MAX])
{
	switch (column) {
	case CPU:
		pipa_amount_percent(out,
				    pipa_grid_value(list->grid, p->row, PIPA_COL_PROCESSES_TOTAL));
		break;
	case MEMORY:
		pipa_amount_size(out, pipa_grid_value(list->grid, p->row, PIPA_COL_PROCESSES_RSS));
		break;
	case READ:
		pipa_amount_size(out, pipa_grid_value(list->io, p->io_row, PIPA_COL_PROCESS_IO_RD));
		break;
	case WRITE:
		pipa_amount_size(out, pipa_grid_value(list->io, p->io_row, PIPA_COL_PROCESS_IO_WR));
		break;
	case IO: pipa_amount_size(out, moved(list, p)); break;
	default: snprintf(out, PIPA_AMOUNT_MAX, "%llu", (unsigned long long)p->pid);
	}
}

/* Choose the columns that fit. A narrow table has one column after CPU%, the sort key. */
static size_t choose_columns(const struct pipa_process_list *list, int width,
			     enum column out[static COLUMN_NR])
{
	size_t n = 0;

	out[n++] = PID;
	out[n++] = CPU;
	if (width < 60) {
		out[n++] = list->sort == PIPA_PROCESS_SORT_IO ? IO : MEMORY;
		return n;
	}
	out[n++] = MEMORY;
	out[n++] = READ;
	out[n++] = WRITE;
	return n;
}

static bool is_sorted_by(const struct pipa_process_list *list, enum column column)
{
	switch (list->sort) {
	case PIPA_PROCESS_SORT_CPU: return column == CPU;
	case PIPA_PROCESS_SORT_MEMORY: return column == MEMORY;
	case PIPA_PROCESS_SORT_IO: return column == READ || column == WRITE || column == IO;
	}
	return false;
}

static void paint_title(const struct pipa_process_list *list, struct pipa_canvas *canvas,
			const struct pipa_box *box, const enum column *shown, size_t n)
{
	char text[128];
	int x = box->x;
	size_t i;

	for (i = 0; i < n; x += columns[shown[i]].width, i++) {
		bool sorted = is_sorted_by(list, shown[i]);

		snprintf(text, sizeof(text), "%s%s",
			 !sorted       ? "" :
			 canvas->utf8  ? (list->reverse ? "▴" : "▾") :
			 list->reverse ? "^" :
					 "v",
			 columns[shown[i]].title);
		pipa_canvas_right(canvas, x, box->y, columns[shown[i]].width,
				  sorted ? PIPA_STYLE_STRONG : PIPA_STYLE_DIM, text);
	}
	x += 1 + pipa_canvas_put(canvas, x + 1, box->y, box->x + box->width - x - 1, PIPA_STYLE_DIM,
				 "COMMAND");
	if (list->filter[0])
		snprintf(text, sizeof(text), "%zu of %zu match %s", list->n, list->grid->n,
			 list->filter);
	else
		snprintf(text, sizeof(text), "%zu processes", list->grid->n);
	if (box->x + box->width - x > pipa_canvas_measure(text) + 1)
		pipa_canvas_right(canvas, x, box->y, box->x + box->width - x, PIPA_STYLE_DIM, text);
}

static void paint_row(const struct pipa_process_list *list, const struct pipa_process *p,
		      struct pipa_canvas *canvas, const struct pipa_box *box,
		      const enum column *shown, size_t n)
{
	char text[PIPA_AMOUNT_MAX];
	int x = box->x;
	size_t i;

	for (i = 0; i < n; x += columns[shown[i]].width, i++) {
		column_text(list, p, shown[i], text);
		pipa_canvas_right(canvas, x + 1, box->y, columns[shown[i]].width - 1,
				  strcmp(text, "0") == 0 || strcmp(text, "0.0") == 0 ||
						  shown[i] == PID ?
					  PIPA_STYLE_DIM :
					  PIPA_STYLE_PLAIN,
				  text);
	}
	pipa_canvas_put(canvas, x + 1, box->y, box->x + box->width - x - 1, PIPA_STYLE_PLAIN,
			command_of(list, p->row));
}

void pipa_process_list_paint(struct pipa_process_list *list, struct pipa_canvas *canvas,
			     const struct pipa_box *box)
{
	enum column shown[COLUMN_NR];
	size_t n = choose_columns(list, box->width, shown), i;

	list->page = box->height > 1 ? (size_t)box->height - 1 : 0;
	scroll_to_selection(list);
	if (!list->grid || box->height < 1)
		return;
	paint_title(list, canvas, box, shown, n);
	for (i = 0; i < list->page && list->top + i < list->n; i++) {
		const struct pipa_process *p = &list->items[list->top + i];
		struct pipa_box line = { box->x, box->y + 1 + (int)i, box->width, 1 };

		paint_row(list, p, canvas, &line, shown, n);
		if (list->chosen && p->pid == list->chosen)
			pipa_canvas_restyle(canvas, &line, PIPA_STYLE_CHOSEN);
	}
}
