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
	free(list->by_pid.items);
	*list = (struct pipa_process_list){ 0 };
}

/* Return the value of a column of the section processes; that of threads has one more before them, TGID. */
static double value_of(const struct pipa_process_list *list, size_t row, int column)
{
	return pipa_grid_value(list->grid, row, column + list->threads);
}

static double io_value(const struct pipa_process_list *list, const struct pipa_process *p,
		       int column)
{
	return pipa_grid_value(list->io, p->io_row, column + list->threads);
}

static const char *word_of(const struct pipa_process_list *list, size_t row, size_t column)
{
	const char *word = pipa_grid_word(list->grid, row, column + list->threads);

	return word ? word : "";
}

const char *pipa_process_list_comm(const struct pipa_process_list *list, size_t row)
{
	return word_of(list, row, PIPA_COL_PROCESSES_COMMAND);
}

static struct pipa_process_fact fact_of(const struct pipa_process_list *list, uint64_t pid,
					bool visible, bool command)
{
	if (!list->source)
		return (struct pipa_process_fact){ 0 };
	return list->source->find(list->source->ctx, pid, visible, command);
}

/* Return the text of the column COMMAND: the command line, "[comm]" if the process has none. */
static const char *command_of(const struct pipa_process_list *list, size_t row, uint64_t pid,
			      char *text, size_t size)
{
	const char *comm = pipa_process_list_comm(list, row), *command;

	if (!list->full || !list->source)
		return comm;
	command = fact_of(list, pid, false, true).command;
	if (command)
		return command;
	snprintf(text, size, "[%s]", comm);
	return text;
}

/* ---- order ------------------------------------------------------------------------------------- */

/* Add two values; a missing one counts as zero if the other is known. */
static double sum_known(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static double moved(const struct pipa_process_list *list, const struct pipa_process *p)
{
	return sum_known(io_value(list, p, PIPA_COL_PROCESS_IO_RD),
			 io_value(list, p, PIPA_COL_PROCESS_IO_WR));
}

static double sort_key(const struct pipa_process_list *list, const struct pipa_process *p)
{
	switch (list->sort) {
	case PIPA_PROCESS_SORT_CPU: return value_of(list, p->row, PIPA_COL_PROCESSES_TOTAL);
	case PIPA_PROCESS_SORT_MEMORY: return value_of(list, p->row, PIPA_COL_PROCESSES_RSS);
	case PIPA_PROCESS_SORT_IO: return moved(list, p);
	case PIPA_PROCESS_SORT_TIME: return fact_of(list, p->pid, true, false).cpu_seconds;
	case PIPA_PROCESS_SORT_PID: return -(double)p->pid;
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

/* Does the row contain the text: in "1234 bash", or in the command line if that is shown? */
static bool is_match(const struct pipa_process_list *list, size_t row, uint64_t pid,
		     const char *wanted)
{
	char text[PIPA_INSTANCE_MAX + 2];

	snprintf(text, sizeof(text), "%s %s", pipa_grid_name(list->grid, row),
		 pipa_process_list_comm(list, row));
	if (strcasestr(text, wanted))
		return true;
	return list->full && strcasestr(command_of(list, row, pid, text, sizeof(text)), wanted);
}

/* Is it kthreadd or one of its children? */
static bool is_kernel_thread(const struct pipa_process_list *list, uint64_t pid)
{
	enum { KTHREADD = 2 };

	return list->source &&
	       (pid == KTHREADD || fact_of(list, pid, false, false).ppid == KTHREADD);
}

/* ---- tree -------------------------------------------------------------------------------------- */

/* Return the position of a PID among the rows in PID order, UINT32_MAX if it is not among them. */
static uint32_t position_of(const struct pipa_process_list *list, uint64_t pid)
{
	size_t low = 0, high = list->by_pid.n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->by_pid.items[middle].pid < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->by_pid.n && list->by_pid.items[low].pid == pid ? (uint32_t)low :
									    UINT32_MAX;
}

static uint64_t parent_of(const struct pipa_process_list *list, const struct pipa_process *p)
{
	double tgid = list->threads ? pipa_grid_value(list->grid, p->row, PIPA_COL_THREADS_TGID) :
				      NAN;

	if (tgid > 0 && (uint64_t)tgid != p->pid)
		return (uint64_t)tgid;
	return fact_of(list, p->pid, false, false).ppid;
}

/* Sort the rows by PID, as they mostly are already. */
static void sort_by_pid(struct pipa_process_list *list)
{
	bool reverse = list->reverse;
	size_t i;

	for (i = 1; i < list->n && list->items[i - 1].pid < list->items[i].pid; i++)
		;
	if (i >= list->n)
		return;
	for (i = 0; i < list->n; i++)
		list->items[i].key = -(double)list->items[i].pid;
	list->reverse = false;
	sort_items(list);
	list->reverse = reverse;
	for (i = 0; i < list->n; i++)
		list->items[i].key = sort_key(list, &list->items[i]);
}

/* Copy the rows in PID order and find their parents. */
static int begin_tree(struct pipa_process_list *list)
{
	size_t i;

	sort_by_pid(list);
	list->by_pid.n = 0;
	for (i = 0; i < list->n; i++) {
		struct pipa_process *p = PIPA_VEC_ADD(&list->by_pid);

		if (!p)
			return -ENOMEM;
		list->items[i].at = (uint32_t)i;
		*p = list->items[i];
		p->child = p->next = UINT32_MAX;
	}
	for (i = 0; i < list->n; i++) {
		struct pipa_process *p = &list->by_pid.items[i];

		p->parent = position_of(list, parent_of(list, p));
		if (p->parent >=
		    i) /* a parent is older; PIDs that wrapped around would make cycles */
			p->parent = UINT32_MAX;
	}
	return 0;
}

/* Put the sorted rows below their parents, siblings in their order. */
static void finish_tree(struct pipa_process_list *list)
{
	struct pipa_process *all = list->by_pid.items;
	uint32_t first = UINT32_MAX, at, depth = 0;
	size_t i, n = 0;

	for (i = list->n; i-- > 0;) { /* the last first: each goes before its siblings */
		struct pipa_process *p = &all[list->items[i].at];
		uint32_t *list_of = p->parent == UINT32_MAX ? &first : &all[p->parent].child;

		p->next = *list_of;
		*list_of = p->at;
	}
	for (at = first; at != UINT32_MAX;) {
		all[at].depth = depth;
		list->items[n++] = all[at];
		if (all[at].child != UINT32_MAX) {
			at = all[at].child;
			depth++;
			continue;
		}
		while (at != UINT32_MAX && all[at].next == UINT32_MAX) {
			at = all[at].parent;
			depth -= at != UINT32_MAX;
		}
		at = at == UINT32_MAX ? at : all[at].next;
	}
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
		if (list->filter[0] && !is_match(list, i, strtoull(name, NULL, 10), list->filter))
			continue;
		if (list->one_user && value_of(list, i, PIPA_COL_PROCESSES_UID) != list->user)
			continue;
		if (list->no_kernel && is_kernel_thread(list, strtoull(name, NULL, 10)))
			continue;
		p = PIPA_VEC_ADD(list);
		if (!p) {
			list->n = 0;
			return -ENOMEM;
		}
		*p = (struct pipa_process){ .pid = strtoull(name, NULL, 10),
					    .row = i,
					    .io_row = found };
		p->key = sort_key(list, p);
	}
	if (list->tree && begin_tree(list) < 0) {
		list->n = 0;
		return -ENOMEM;
	}
	sort_items(list);
	if (list->tree)
		finish_tree(list);
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

bool pipa_process_list_toggle_user(struct pipa_process_list *list)
{
	const struct pipa_process *p = pipa_process_list_selected(list);
	double uid = p ? value_of(list, p->row, PIPA_COL_PROCESSES_UID) : -1;

	if (!list->one_user && !(uid >= 0))
		return false;
	list->one_user = !list->one_user;
	if (list->one_user)
		list->user = (uint32_t)uid;
	return true;
}

const struct pipa_process *pipa_process_list_selected(const struct pipa_process_list *list)
{
	bool is_there = list->chosen && list->chosen_at < list->n &&
			list->items[list->chosen_at].pid == list->chosen;

	return is_there ? &list->items[list->chosen_at] : NULL;
}

bool pipa_process_list_search(struct pipa_process_list *list, const char *text, bool from_next)
{
	size_t i, start = list->chosen ? list->chosen_at + from_next : 0;

	for (i = 0; *text && i < list->n; i++) {
		size_t at = (start + i) % list->n;

		if (!is_match(list, list->items[at].row, list->items[at].pid, text))
			continue;
		select_row(list, at);
		return true;
	}
	return false;
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

enum column { PID, USER, STATE, NICE, THREADS, TIME, CPU, MEMORY, READ, WRITE, IO, COLUMN_NR };

static const struct {
	const char *title;
	int width;
} columns[COLUMN_NR] = {
	[PID] = { "PID", 7 },	 [USER] = { "USER", 9 },   [STATE] = { "S", 2 },
	[NICE] = { "NI", 4 },	 [THREADS] = { "THR", 5 }, [CPU] = { "CPU%", 6 },
	[MEMORY] = { "MEM", 7 }, [READ] = { "READ/s", 8 }, [WRITE] = { "WRITE/s", 8 },
	[IO] = { "I/O/s", 7 },	 [TIME] = { "TIME+", 10 },
};

/* Write the name of a user, or the UID if it has none. */
static void put_user(const struct pipa_process_list *list, uint32_t uid,
		     char out[static PIPA_AMOUNT_MAX])
{
	const char *name = list->source ? list->source->user(list->source->ctx, uid) : NULL;

	if (name)
		snprintf(out, PIPA_AMOUNT_MAX, "%.8s", name);
	else
		snprintf(out, PIPA_AMOUNT_MAX, "%u", uid);
}

static void user_text(const struct pipa_process_list *list, const struct pipa_process *p,
		      char out[static PIPA_AMOUNT_MAX])
{
	double uid = value_of(list, p->row, PIPA_COL_PROCESSES_UID);

	if (uid >= 0)
		put_user(list, (uint32_t)uid, out);
	else
		snprintf(out, PIPA_AMOUNT_MAX, "-");
}

/* Write a CPU time as htop does: "0:01.25", "12:34.56", "3h25:45", "12d05h". */
static void time_text(double seconds, char out[static PIPA_AMOUNT_MAX])
{
	unsigned long long all = (unsigned long long)seconds;

	if (all < 3600)
		snprintf(out, PIPA_AMOUNT_MAX, "%llu:%02llu.%02d", all / 60, all % 60,
			 (int)((seconds - (double)all) * 100));
	else if (all < 86400)
		snprintf(out, PIPA_AMOUNT_MAX, "%lluh%02llu:%02llu", all / 3600, all / 60 % 60,
			 all % 60);
	else
		snprintf(out, PIPA_AMOUNT_MAX, "%llud%02lluh", all / 86400, all / 3600 % 24);
}

static void column_text(const struct pipa_process_list *list, const struct pipa_process *p,
			enum column column, char out[static PIPA_AMOUNT_MAX])
{
	struct pipa_process_fact fact;
	double count;

	switch (column) {
	case USER: user_text(list, p, out); break;
	case STATE:
		snprintf(out, PIPA_AMOUNT_MAX, "%.1s",
			 word_of(list, p->row, PIPA_COL_PROCESSES_STATE));
		break;
	case NICE:
		fact = fact_of(list, p->pid, true, false);
		snprintf(out, PIPA_AMOUNT_MAX, fact.is_known ? "%d" : "-", fact.nice);
		break;
	case TIME:
		fact = fact_of(list, p->pid, true, false);
		snprintf(out, PIPA_AMOUNT_MAX, "-");
		if (fact.is_known)
			time_text(fact.cpu_seconds, out);
		break;
	case THREADS:
		count = value_of(list, p->row, PIPA_COL_PROCESSES_THREADS);
		snprintf(out, PIPA_AMOUNT_MAX, isnan(count) ? "-" : "%.0f", count);
		break;
	case CPU: pipa_amount_percent(out, value_of(list, p->row, PIPA_COL_PROCESSES_TOTAL)); break;
	case MEMORY: pipa_amount_size(out, value_of(list, p->row, PIPA_COL_PROCESSES_RSS)); break;
	case READ: pipa_amount_size(out, io_value(list, p, PIPA_COL_PROCESS_IO_RD)); break;
	case WRITE: pipa_amount_size(out, io_value(list, p, PIPA_COL_PROCESS_IO_WR)); break;
	case IO: pipa_amount_size(out, moved(list, p)); break;
	default: snprintf(out, PIPA_AMOUNT_MAX, "%llu", (unsigned long long)p->pid);
	}
}

/*
 * Choose the columns that fit, so that the command keeps at least a third. A narrow table has one column
 * after CPU%, the sort key.
 */
static size_t choose_columns(const struct pipa_process_list *list, int width,
			     enum column out[static COLUMN_NR])
{
	size_t n = 0;

	out[n++] = PID;
	if (width >= 76) {
		out[n++] = USER;
		out[n++] = STATE;
	}
	if (width >= 90) {
		if (list->source)
			out[n++] = NICE;
		out[n++] = THREADS;
	}
	if (list->source && (width >= 105 || (width >= 70 && list->sort == PIPA_PROCESS_SORT_TIME)))
		out[n++] = TIME;
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
	case PIPA_PROCESS_SORT_TIME: return column == TIME;
	case PIPA_PROCESS_SORT_PID: return column == PID;
	}
	return false;
}

static void paint_title(const struct pipa_process_list *list, struct pipa_canvas *canvas,
			const struct pipa_box *box, const enum column *shown, size_t n)
{
	char text[128], user[PIPA_AMOUNT_MAX];
	int x = box->x;
	size_t i;

	for (i = 0; i < n; x += columns[shown[i]].width, i++) {
		bool sorted = is_sorted_by(list, shown[i]);

		if (shown[i] == USER) {
			pipa_canvas_put(canvas, x + 1, box->y, columns[USER].width - 1,
					PIPA_STYLE_DIM, columns[USER].title);
			continue;
		}
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
	put_user(list, list->user, user);
	if (list->filter[0])
		snprintf(text, sizeof(text), "%zu of %zu match %s", list->n, list->grid->n,
			 list->filter);
	else if (list->one_user)
		snprintf(text, sizeof(text), "%zu of %zu are of user %s", list->n, list->grid->n,
			 user);
	else if (list->no_kernel && list->source)
		snprintf(text, sizeof(text), "%zu of %zu %s", list->n, list->grid->n,
			 list->threads ? "threads" : "processes");
	else
		snprintf(text, sizeof(text), "%zu %s", list->grid->n,
			 list->threads ? "threads" : "processes");
	if (box->x + box->width - x > pipa_canvas_measure(text) + 1)
		pipa_canvas_right(canvas, x, box->y, box->x + box->width - x, PIPA_STYLE_DIM, text);
}

static void paint_row(const struct pipa_process_list *list, const struct pipa_process *p,
		      struct pipa_canvas *canvas, const struct pipa_box *box,
		      const enum column *shown, size_t n)
{
	char text[PIPA_AMOUNT_MAX], own[PIPA_INSTANCE_MAX + 3];
	int x = box->x;
	size_t i;

	for (i = 0; i < n; x += columns[shown[i]].width, i++) {
		column_text(list, p, shown[i], text);
		if (shown[i] == USER) {
			pipa_canvas_put(canvas, x + 1, box->y, columns[USER].width - 1,
					PIPA_STYLE_DIM, text);
			continue;
		}
		pipa_canvas_right(canvas, x + 1, box->y, columns[shown[i]].width - 1,
				  strcmp(text, "0") == 0 || strcmp(text, "0.0") == 0 ||
						  shown[i] == PID || strcmp(text, "S") == 0 ?
					  PIPA_STYLE_DIM :
					  PIPA_STYLE_PLAIN,
				  text);
	}
	if (list->tree && p->depth) {
		x += 2 * (int)(p->depth < 20 ? p->depth - 1 : 19);
		x += pipa_canvas_put(canvas, x + 1, box->y, 2, PIPA_STYLE_DIM,
				     canvas->utf8 ? "\u2514 " : "- ");
	}
	pipa_canvas_put(canvas, x + 1, box->y, box->x + box->width - x - 1, PIPA_STYLE_PLAIN,
			command_of(list, p->row, p->pid, own, sizeof(own)));
}

void pipa_process_list_paint(struct pipa_process_list *list, struct pipa_canvas *canvas,
			     const struct pipa_box *box)
{
	enum column shown[COLUMN_NR];
	size_t n = choose_columns(list, box->width, shown), i;

	list->page = box->height > 1 ? (size_t)box->height - 1 : 0;
	list->box = *box;
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

bool pipa_process_list_click(struct pipa_process_list *list, int x, int y)
{
	enum column shown[COLUMN_NR];
	size_t n = choose_columns(list, list->box.width, shown), i;
	int left = list->box.x;

	if (!list->grid || x < list->box.x || x >= list->box.x + list->box.width ||
	    y < list->box.y || y >= list->box.y + list->box.height)
		return false;
	if (y > list->box.y) {
		size_t at = list->top + (size_t)(y - list->box.y - 1);

		if (at < list->n)
			select_row(list, at);
		return true;
	}
	for (i = 0; i < n && x >= left + columns[shown[i]].width; i++)
		left += columns[shown[i]].width;
	if (i < n && is_sorted_by(list, shown[i]))
		list->reverse = !list->reverse;
	else if (i < n && (shown[i] == PID || shown[i] >= TIME)) {
		list->sort = shown[i] == PID	? PIPA_PROCESS_SORT_PID :
			     shown[i] == TIME	? PIPA_PROCESS_SORT_TIME :
			     shown[i] == CPU	? PIPA_PROCESS_SORT_CPU :
			     shown[i] == MEMORY ? PIPA_PROCESS_SORT_MEMORY :
						  PIPA_PROCESS_SORT_IO;
		list->reverse = false;
	}
	return true;
}
