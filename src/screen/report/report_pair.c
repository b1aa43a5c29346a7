/* Page of a function with its callers and callees. */
#include <stdio.h>
#include <string.h>

#include "screen/report/report_parts.h"

void pipa_report_pair_done(struct pipa_report_pair *pair)
{
	pipa_lazy_calltree_done(&pair->callers);
	pipa_lazy_calltree_done(&pair->callees);
	pair->n_callers = pair->n_callees = 0;
}

/*
 * Build the tree of direct callers or callees. The children of the first node follow it, heaviest
 * first.
 */
static int build_side(const struct pipa_report_view *view, bool callees,
		      struct pipa_lazy_calltree *tree, size_t *n)
{
	const struct pipa_report_pair *pair = &view->pair;
	struct pipa_lazy_calltree_of of = { .event = view->model->event,
					    .callees = callees,
					    .symbol = pair->seen[pair->n_seen - 1].symbol,
					    .object = pair->seen[pair->n_seen - 1].object };
	int rc = pipa_lazy_calltree_make(&view->model->top, &of, tree);

	if (!rc)
		rc = pipa_lazy_calltree_expand(tree, 0);
	*n = rc ? 0 : tree->n - 1;
	return rc;
}

int pipa_report_pair_again(struct pipa_report_view *view)
{
	struct pipa_report_pair *pair = &view->pair;
	int rc;

	pipa_report_pair_done(pair);
	rc = build_side(view, false, &pair->callers, &pair->n_callers);
	if (!rc)
		rc = build_side(view, true, &pair->callees, &pair->n_callees);
	pair->scroll.n = pair->n_callers + 1 + pair->n_callees;
	if (rc < 0) { /* no samples of the function */
		pipa_report_pair_done(pair);
		pair->n_seen = 0;
		view->page = PIPA_PAGE_TABLE;
	}
	return rc;
}

/* Show a function. If the history is full, the oldest entry is dropped. */
int pipa_report_pair_mode(struct pipa_report_view *view, uint32_t symbol, uint32_t object)
{
	struct pipa_report_pair *pair = &view->pair;
	int rc;

	if (pair->n_seen == PIPA_COUNT(pair->seen))
		memmove(pair->seen, pair->seen + 1, --pair->n_seen * sizeof(pair->seen[0]));
	pair->seen[pair->n_seen].symbol = symbol;
	pair->seen[pair->n_seen++].object = object;
	rc = pipa_report_pair_again(view);
	pair->scroll.at = pair->n_callers;
	return rc;
}

bool pipa_report_pair_back(struct pipa_report_view *view, int *rc)
{
	struct pipa_report_pair *pair = &view->pair;

	*rc = 0;
	if (pair->n_seen < 2) {
		pair->n_seen = 0;
		pipa_report_pair_done(pair);
		return false;
	}
	pair->n_seen--;
	*rc = pipa_report_pair_again(view);
	pair->scroll.at = pair->n_callers;
	return true;
}

const struct pipa_lazy_node *pipa_report_pair_node(const struct pipa_report_pair *pair, size_t i)
{
	if (i == pair->n_callers)
		return NULL;
	return i < pair->n_callers ? &pair->callers.items[1 + i] :
				     &pair->callees.items[i - pair->n_callers];
}

void pipa_report_pair_text(const struct pipa_report_view *view, size_t i, char *out, size_t size)
{
	const struct pipa_report_pair *pair = &view->pair;
	const struct pipa_lazy_node *node = pipa_report_pair_node(pair, i);
	uint32_t name = node ? node->name : pair->seen[pair->n_seen - 1].symbol;
	char buf[64];

	snprintf(out, size, "%s%s", pipa_frame_text(view->model->profile, name, buf),
		 node ? pipa_frame_mark(name) : "");
}

static const struct pipa_lazy_node *node_or_center(const struct pipa_report_pair *pair, size_t i)
{
	const struct pipa_lazy_node *node = pipa_report_pair_node(pair, i);

	return node ? node : &pair->callers.items[0];
}

static void paint_line(const struct pipa_report_view *view, struct pipa_canvas *canvas,
		       const struct pipa_box *box, size_t i)
{
	const struct pipa_report_pair *pair = &view->pair;
	const struct pipa_lazy_node *node = node_or_center(pair, i),
				    *center = &pair->callers.items[0];
	bool middle = i == pair->n_callers;
	char text[512], number[32];
	int x = box->x;

	snprintf(number, sizeof(number), "%.2f%%", pipa_report_percent(view, node->weight));
	pipa_canvas_right(canvas, x, box->y, 8, PIPA_STYLE_PLAIN, number);
	snprintf(number, sizeof(number), "%.2f%%",
		 center->weight ? 100 * (double)node->weight / (double)center->weight : 0);
	pipa_canvas_right(canvas, x + 8, box->y, 9, PIPA_STYLE_DIM, middle ? "" : number);
	x += 19;
	pipa_canvas_put(canvas, x, box->y, 2, PIPA_STYLE_STRONG,
			middle		    ? (canvas->utf8 ? "●" : "=") :
			i < pair->n_callers ? (canvas->utf8 ? "▾" : "v") :
					      (canvas->utf8 ? "▸" : ">"));
	pipa_report_pair_text(view, i, text, sizeof(text));
	pipa_canvas_put(canvas, x + 2, box->y, box->x + box->width - x - 2,
			middle ? PIPA_STYLE_STRONG : PIPA_STYLE_PLAIN, text);
}

void pipa_report_pair_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			    const struct pipa_box *box)
{
	struct pipa_scroll *scroll = &view->pair.scroll;
	struct pipa_box line = { box->x, box->y, box->width, 1 };
	size_t i;

	pipa_canvas_fill(canvas, &line, ' ', PIPA_STYLE_HEADER);
	pipa_canvas_put(canvas, box->x, box->y, box->width, PIPA_STYLE_HEADER,
			" Children  of it    callers, function, callees");
	pipa_scroll_fit(scroll, scroll->n, box->height > 1 ? (size_t)box->height - 1 : 0);
	for (i = scroll->from; i < scroll->n && i < scroll->from + scroll->page; i++) {
		line.y++;
		paint_line(view, canvas, &line, i);
		if (i == scroll->at)
			pipa_canvas_restyle(canvas, &line, PIPA_STYLE_CHOSEN);
	}
}

void pipa_report_pair_export(const struct pipa_report_view *view, bool csv, struct pipa_buf *out)
{
	const struct pipa_report_pair *pair = &view->pair;
	char text[1024];
	size_t i;

	pipa_buf_puts(out, csv ? "part,percent,weight,samples,symbol\n" :
				 "# Children   Samples  Callers, function, callees\n");
	for (i = 0; i < pair->scroll.n; i++) {
		const struct pipa_lazy_node *node = node_or_center(pair, i);
		const char *part = i < pair->n_callers	? "caller" :
				   i == pair->n_callers ? "function" :
							  "callee";

		pipa_report_pair_text(view, i, text, sizeof(text));
		if (csv)
			pipa_buf_printf(out, "%s,%.4f,%llu,%llu,", part,
					pipa_report_percent(view, node->weight),
					(unsigned long long)node->weight,
					(unsigned long long)node->count);
		else
			pipa_buf_printf(out, "%6.2f%% %12llu  %-8s  ",
					pipa_report_percent(view, node->weight),
					(unsigned long long)node->count, part);
		pipa_report_field(text, csv, out);
		pipa_buf_putc(out, '\n');
	}
}
