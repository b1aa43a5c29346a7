/* Functions shared by the files of the report screen only. */
#ifndef PIPA_SCREEN_REPORT_REPORT_PARTS_H
#define PIPA_SCREEN_REPORT_REPORT_PARTS_H

#include "screen/report/report_view.h"

enum { PIPA_LINE_TEXT_MAX = 8192 }; /* bytes of a line with a name that is not shortened */

/* ---- shares ---- */

/* Return a weight as a percentage of the profile or, if selected, of the zoom. */
double pipa_report_percent(const struct pipa_report_view *view, uint64_t weight);

/* Append a string, quoted for CSV if needed, escaped. */
void pipa_report_field(const char *text, bool csv, struct pipa_buf *out);

/* ---- menus ---- */

void pipa_report_menu_open(struct pipa_report_view *view, enum pipa_report_menu_kind kind);
enum pipa_report_action pipa_report_menu_key(struct pipa_report_view *view, int key);
void pipa_report_menu_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas);

/* ---- a function between its callers and callees ---- */

void pipa_report_pair_done(struct pipa_report_pair *pair);

/*
 * Show a function, refresh the shown one, or go back to the previous one (false if there is none).
 */
int pipa_report_pair_mode(struct pipa_report_view *view, uint32_t symbol, uint32_t object);
int pipa_report_pair_again(struct pipa_report_view *view);
bool pipa_report_pair_back(struct pipa_report_view *view, int *rc);

/* Return line i: a caller, NULL for the function itself, or a callee. */
const struct pipa_lazy_node *pipa_report_pair_node(const struct pipa_report_pair *pair, size_t i);
void pipa_report_pair_text(const struct pipa_report_view *view, size_t i, char *out, size_t size);
void pipa_report_pair_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			    const struct pipa_box *box);
void pipa_report_pair_export(const struct pipa_report_view *view, bool csv, struct pipa_buf *out);

/* ---- text ---- */

void pipa_report_pane_done(struct pipa_report_pane *pane);
const char *pipa_report_pane_line(const struct pipa_report_pane *pane, size_t i);
void pipa_report_pane_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			    const struct pipa_box *box);

/* ---- the table, and what is around each page ---- */

void pipa_report_table_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			     const struct pipa_box *box);
void pipa_report_name_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas);
void pipa_report_help_paint(struct pipa_report_view *view, struct pipa_canvas *canvas);
size_t pipa_report_help_lines(const struct pipa_report_view *view);
void pipa_report_footer_paint(const struct pipa_report_view *view, struct pipa_canvas *canvas);

/* ---- the page's list ---- */

struct pipa_scroll *pipa_report_scroll(struct pipa_report_view *view);
void pipa_report_line_text(const struct pipa_report_view *view, size_t i, char *out, size_t size);

/*
 * Return the next line from `from` on, inclusive, that contains the text; wraps around. Returns n
 * if there is none.
 */
size_t pipa_report_search(const struct pipa_report_view *view, const char *search, size_t from,
			  bool backwards);

#endif
