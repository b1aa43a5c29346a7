/*
 * Data of the report screen: the sorted table of a part of the profile, and below expanded rows
 * the tree of callers or callees. Lines are indices; their text is made when they are painted.
 * Pure.
 */
#ifndef PIPA_SCREEN_REPORT_REPORT_MODEL_H
#define PIPA_SCREEN_REPORT_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/lazy_calltree.h"
#include "analyze/profile/top.h"
#include "analyze/profile/zoom.h"
#include "model/profile.h"

enum pipa_report_order {
	PIPA_ORDER_TOTAL,
	PIPA_ORDER_SELF,
	PIPA_ORDER_SAMPLES,
	PIPA_ORDER_NAME,
	PIPA_ORDER_NR,
};

enum { PIPA_FILTER_MAX = 128, PIPA_LINES_MAX = 1 << 18 /* lines below one row */ };

struct pipa_report_line {
	uint32_t row;	 /* index in the table */
	uint32_t node;	 /* node in the row's tree; 0: the row itself */
	uint32_t parent; /* index of the parent line, PIPA_NONE for a row */
	uint32_t depth;	 /* 0 for a row */
	uint64_t hash;	 /* of the path to the line: identifies it after an update */
	bool open;
};

struct pipa_report_lines {
	struct pipa_report_line *items;
	size_t n, cap;
};

struct pipa_report_model {
	/* set by the owner; call update() after a change */
	const struct pipa_profile *profile; /* borrowed */
	struct pipa_top_options o;	    /* sort keys and filters */
	double percent_limit;		    /* omit rows below */
	uint32_t event;
	struct pipa_zoom zooms[PIPA_ZOOMS_MAX];
	size_t n_zooms;
	bool callees;
	/* set by the owner; call relist() after a change */
	enum pipa_report_order order;
	bool reverse;
	char filter[PIPA_FILTER_MAX]; /* show only rows that contain it, ignoring case; "": all */

	struct pipa_frames frames; /* of the whole profile */
	struct pipa_profile part;
	struct pipa_top top;
	struct pipa_lazy_calltree *trees; /* [row]; without items: not built yet */
	uint32_t *order_of;		  /* row indexes in display order */
	size_t n_shown;
	struct pipa_report_lines lines;
	bool has_callers;	 /* some stack has more than one frame */
	bool cut;		 /* lines were omitted at PIPA_LINES_MAX */
	uint64_t whole, partial; /* weight of the event, and of the zoom */
	unsigned long made;	 /* number of times that lines were rebuilt */
};

/* Rebuild the table. -ENOMEM leaves an empty model. */
int pipa_report_model_update(struct pipa_report_model *model);
int pipa_report_model_relist(struct pipa_report_model *model);
void pipa_report_model_done(struct pipa_report_model *model);

/* Expand a line: its callers or callees, or all of them to the end. 0 or -ENOMEM. */
int pipa_report_model_open(struct pipa_report_model *model, size_t line, bool all);
int pipa_report_model_close(struct pipa_report_model *model, size_t line);
int pipa_report_model_close_all(struct pipa_report_model *model);

/* May the line be expanded? */
bool pipa_report_model_has_more(const struct pipa_report_model *model, size_t line);

/* Return the line with that hash, or `or_else` if it is gone. */
size_t pipa_report_model_find(const struct pipa_report_model *model, uint64_t hash, size_t or_else);

/*
 * Zoom into the line's value of a key; false if it has none. On allocation failure nothing is
 * zoomed.
 */
bool pipa_report_model_can_zoom(const struct pipa_report_model *model, size_t line,
				enum pipa_key key, struct pipa_zoom *ret);
int pipa_report_model_zoom(struct pipa_report_model *model, const struct pipa_zoom *zoom);
int pipa_report_model_unzoom(struct pipa_report_model *model);

/* Append the description of a zoom: "comm bash". */
void pipa_report_model_zoom_text(const struct pipa_report_model *model,
				 const struct pipa_zoom *zoom, char *out, size_t size);

/* Weight of a line; self only for rows. */
struct pipa_report_share {
	struct pipa_weight total, self;
	bool has_self;
};
struct pipa_report_share pipa_report_model_share(const struct pipa_report_model *model,
						 size_t line);

/* Return the text of key i of a row, as in its column. */
void pipa_report_model_cell(const struct pipa_report_model *model, uint32_t row, size_t i,
			    char *out, size_t size);

/* Append the complete text of a line. */
void pipa_report_model_text(const struct pipa_report_model *model, size_t line, char *out,
			    size_t size);

/* Find the symbol of a line and its object (PIPA_NONE: any); false if it has none. */
bool pipa_report_model_symbol(const struct pipa_report_model *model, size_t line, uint32_t *symbol,
			      uint32_t *object);

#endif
