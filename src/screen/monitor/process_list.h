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
	PIPA_PROCESS_SORT_TIME, /* CPU time since the start */
	PIPA_PROCESS_SORT_PID,	/* ascending */
};

struct pipa_process {
	double key; /* sort key */
	uint64_t pid;
	size_t row, io_row;
	uint32_t at, parent, child,
		next; /* of the tree, by position in PID order; UINT32_MAX: none */
	uint32_t depth;
};

/* Facts of a process that sections lack, from the owner of the screen. */
struct pipa_process_fact {
	uint64_t ppid; /* 0: none, or unknown */
	int nice;
	double cpu_seconds;  /* since its start */
	bool is_known;	     /* of nice and cpu_seconds */
	const char *command; /* the command line, any bytes; NULL: none */
};

struct pipa_process_source {
	struct pipa_process_fact (*find)(void *ctx, uint64_t pid, bool visible, bool command);
	const char *(*user)(void *ctx, uint32_t uid); /* NULL: no name */
	void *ctx;
};

struct pipa_process_list {
	enum pipa_process_sort sort;
	bool reverse;
	bool tree;				  /* children below their parents */
	bool full;				  /* command lines, not only the comm */
	bool threads;				  /* rows are of the section threads */
	bool no_kernel;				  /* leave out kernel threads */
	bool one_user;				  /* show only processes of `user` */
	uint32_t user;				  /* a UID */
	const struct pipa_process_source *source; /* borrowed; NULL: no such facts */
	char filter[64]; /* show only rows that contain it, ignoring case; "": all */

	uint64_t chosen; /* the selected PID; 0: none, and the list stays at the top */
	size_t chosen_at;
	size_t top;  /* first row on the screen */
	size_t page; /* rows of the last painting */

	const struct pipa_grid *grid, *io; /* borrowed, of the last update, or NULL */
	struct pipa_process *items;
	size_t n, cap;
	struct {
		struct pipa_process *items;
		size_t n, cap;
	} by_pid;	     /* of the tree */
	struct pipa_box box; /* of the last painting */
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

/* Select the next row, after the selected one, that contains the text, ignoring case; false: none. */
bool pipa_process_list_search(struct pipa_process_list *list, const char *text, bool from_next);

/* Select the row or sort by the column at a position of the screen; false if it is outside. */
bool pipa_process_list_click(struct pipa_process_list *list, int x, int y);

/*
 * Show only processes of the selected row's user, or those of all users if only one is shown. Applied by the next
 * update. False if no row is selected or its user is not known.
 */
bool pipa_process_list_toggle_user(struct pipa_process_list *list);

/* Return the selected row, NULL if there is none. */
const struct pipa_process *pipa_process_list_selected(const struct pipa_process_list *list);

/* Return the comm of a row. */
const char *pipa_process_list_comm(const struct pipa_process_list *list, size_t row);

/* Paint a title line and the rows that fit. */
void pipa_process_list_paint(struct pipa_process_list *list, struct pipa_canvas *canvas,
			     const struct pipa_box *box);

#endif
