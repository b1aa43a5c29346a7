/*
 * Process table: rows, order and selection. Works on any section whose instances are "PID" or "PID
 * NAME" (separated by a space, slash or colon); columns are found by id or by pidstat's names.
 */
#ifndef PIPA_SCREEN_MONITOR_PROCESS_LIST_H
#define PIPA_SCREEN_MONITOR_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "screen/cells/canvas.h"

struct pipa_grid;

enum pipa_process_sort {
	PIPA_PROCESS_SORT_CPU,
	PIPA_PROCESS_SORT_MEMORY,
	PIPA_PROCESS_SORT_IO,
};

struct pipa_process {
	double key; /* sort key */
	uint64_t pid;
	size_t row, io_row;
};

struct pipa_process_list {
	enum pipa_process_sort sort;
	bool reverse;
	char filter[64]; /* show only rows that contain it, ignoring case; "": all */

	uint64_t chosen; /* the selected PID; 0: none, and the list stays at the top */
	size_t chosen_at;
	size_t top;  /* first row on the screen */
	size_t page; /* rows of the last painting */

	const struct pipa_grid *grid, *io; /* borrowed, of the last update, or NULL */
	struct pipa_process *items;
	size_t n, cap;
};

void pipa_process_list_done(struct pipa_process_list *list);

/*
 * Use the rows of an interval, of the sections processes and process-io; both may be NULL. -ENOMEM
 * leaves an empty list.
 */
int pipa_process_list_update(struct pipa_process_list *list, const struct pipa_grid *grid,
			     const struct pipa_grid *io);

/* Move the selection by this many rows; the first move selects the first row. */
void pipa_process_list_move(struct pipa_process_list *list, long rows);
void pipa_process_list_home(struct pipa_process_list *list); /* clears the selection */
void pipa_process_list_end(struct pipa_process_list *list);

/* Paint a title line and the rows that fit. */
void pipa_process_list_paint(struct pipa_process_list *list, struct pipa_canvas *canvas,
			     const struct pipa_box *box);

#endif
