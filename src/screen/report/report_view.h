/*
 * View of a profile: state of the keys, and painting of a model on a canvas of any size. Pure: a
 * test types keys and reads cells. Files and clocks are requested from the owner.
 */
#ifndef PIPA_SCREEN_REPORT_REPORT_VIEW_H
#define PIPA_SCREEN_REPORT_REPORT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "measure/live/live.h"
#include "model/recording.h"
#include "screen/cells/canvas.h"
#include "screen/cells/scroll.h"
#include "screen/report/report_model.h"

/* Page that fills the screen. */
enum pipa_report_page {
	PIPA_PAGE_TABLE,
	PIPA_PAGE_PAIR, /* a function with its callers and callees */
	PIPA_PAGE_TEXT, /* source and code of a function */
};

/* Prompt of the last line. */
enum pipa_report_prompt {
	PIPA_PROMPT_NONE,
	PIPA_PROMPT_SEARCH,
	PIPA_PROMPT_FILTER,
	PIPA_PROMPT_EXPORT,
	PIPA_PROMPT_OVERWRITE, /* the file exists: overwrite it? */
};

/* A list to choose from, by its letters or the arrows. */
enum pipa_report_menu_kind {
	PIPA_MENU_NONE,
	PIPA_MENU_ZOOM,
	PIPA_MENU_ORDER,
	PIPA_MENU_GROUP,
	PIPA_MENU_EVENT,
};

struct pipa_report_choice {
	char letter;
	char text[64];
	uint32_t value;
	bool off; /* not applicable */
};

struct pipa_report_menu {
	enum pipa_report_menu_kind kind;
	const char *title;
	struct pipa_report_choice items[128];
	size_t n, at;
};

/* Lines of text, tabs expanded. */
struct pipa_report_pane {
	char title[160];
	struct pipa_buf text; /* lines separated by NULs */
	struct {
		size_t *items;
		size_t n, cap;
	} starts;
	struct pipa_scroll scroll;
};

/* A function with callers and callees; earlier functions are stacked for going back. */
struct pipa_report_pair {
	struct {
		uint32_t symbol, object;
	} seen[32];
	size_t n_seen;
	struct pipa_lazy_calltree callers, callees;
	size_t n_callers, n_callees;
	struct pipa_scroll scroll;
};

/* A view that is refreshed while it is shown. */
struct pipa_report_live {
	bool on, paused;
	enum pipa_live_span span;
	uint64_t interval_ns; /* between two updates */
	char note[96];	      /* "997 Hz, all CPUs" */
};

struct pipa_report_view {
	/* set by the owner */
	struct pipa_report_model *model;
	const struct pipa_recording *recording; /* or NULL */
	const char *name;			/* of the file */
	struct pipa_report_live live;
	/* recorded in the profile; otherwise the view requests a reload */
	bool has_cpus, has_places;

	/* state of the keys */
	enum pipa_report_page page;
	enum pipa_report_prompt prompt;
	struct pipa_report_menu menu;
	struct pipa_scroll scroll; /* of the table */
	struct pipa_report_pair pair;
	struct pipa_report_pane pane;
	struct pipa_top_options first; /* initial sort keys */
	char typed[PIPA_FILTER_MAX];   /* input of the prompt */
	char search[PIPA_FILTER_MAX];
	size_t search_from; /* line where the search began */
	char path[PIPA_FILTER_MAX];
	char message[200]; /* shown until the next key */
	bool help;
	bool full_name;	  /* of the selected line, in a box */
	size_t help_from; /* first visible line of the help */
	bool relative;	  /* percentages are of the zoom, not of the profile */

	int widths[PIPA_KEY_NR]; /* widths of the columns */
	unsigned long measured;	 /* value of model->made they were measured for */
};

/* Request of a key to the owner of the loop. */
enum pipa_report_action {
	PIPA_REPORT_NOTHING,
	PIPA_REPORT_QUIT,
	PIPA_REPORT_SOURCE,	 /* of the symbol in `typed`: pipa_report_view_show() */
	PIPA_REPORT_EXPORT,	 /* to `path`: see pipa_report_view_export() */
	PIPA_REPORT_EXPORT_OVER, /* likewise, replacing an existing file */
	PIPA_REPORT_WITH_CPUS,	 /* load again with this key: pipa_report_view_regroup() */
	PIPA_REPORT_WITH_PLACES,
	PIPA_REPORT_PAUSE, /* these four only if live */
	PIPA_REPORT_SPAN,
	PIPA_REPORT_LONGER,
	PIPA_REPORT_SHORTER,
	PIPA_REPORT_NO_MEMORY,
};

void pipa_report_view_done(struct pipa_report_view *view);

enum pipa_report_action pipa_report_view_key(struct pipa_report_view *view, int key);

void pipa_report_view_paint(struct pipa_report_view *view, struct pipa_canvas *canvas);

/* Replace the profile: drop data of the old one, keep the user's choices. */
void pipa_report_view_forget(struct pipa_report_view *view);

/* Show a message until the next key. */
void pipa_report_view_message(struct pipa_report_view *view, const char *fmt, ...)
	PIPA_PRINTF(2, 3);

/* Show a text on a page of its own; the buffer is copied. 0 or -ENOMEM. */
int pipa_report_view_show(struct pipa_report_view *view, const char *title,
			  const struct pipa_buf *text);

/* Group rows by this key (PIPA_KEY_NR: the initial keys). 0 or -ENOMEM. */
int pipa_report_view_regroup(struct pipa_report_view *view, enum pipa_key key);

/* Select the line with this hash after an update of the model. 0 or -ENOMEM. */
int pipa_report_view_follow(struct pipa_report_view *view, uint64_t hash);
uint64_t pipa_report_view_chosen(const struct pipa_report_view *view);

/* Write all lines of the shown page as text or CSV. */
void pipa_report_view_export(const struct pipa_report_view *view, bool csv, struct pipa_buf *out);

#endif
