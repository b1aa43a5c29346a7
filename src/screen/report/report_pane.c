/* Paint the text pages of the report screen. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "screen/report/report_parts.h"

void pipa_report_pane_done(struct pipa_report_pane *pane)
{
	pipa_buf_done(&pane->text);
	free(pane->starts.items);
	*pane = (struct pipa_report_pane){ 0 };
}

const char *pipa_report_pane_line(const struct pipa_report_pane *pane, size_t i)
{
	return pane->text.data + pane->starts.items[i];
}

/* Append a line with tabs expanded and a terminating NUL. */
static int add_line(struct pipa_report_pane *pane, const char *line, size_t len)
{
	size_t *start = PIPA_VEC_ADD(&pane->starts), i, column = 0;

	if (!start)
		return -ENOMEM;
	*start = pane->text.len;
	for (i = 0; i < len; i++) {
		size_t n = line[i] == '\t' ? 8 - column % 8 : 1;

		if (line[i] == '\t')
			pipa_buf_fill(&pane->text, ' ', n);
		else if (line[i])
			pipa_buf_putc(&pane->text, line[i]);
		column += n;
	}
	pipa_buf_add(&pane->text, "", 1);
	return pane->text.status;
}

/* Return the percentage at the start of a line, 0 if there is none. */
static double percent_of(const char *line)
{
	char *end;
	double percent = strtod(line, &end);

	return end != line ? percent : 0;
}

static size_t hottest_line(const struct pipa_report_pane *pane)
{
	size_t i, found = 0;
	double most = 0;

	for (i = 0; i < pane->starts.n; i++) {
		double percent = percent_of(pipa_report_pane_line(pane, i));

		if (percent > most) {
			most = percent;
			found = i;
		}
	}
	return found;
}

int pipa_report_view_show(struct pipa_report_view *view, const char *title,
			  const struct pipa_buf *text)
{
	struct pipa_report_pane pane = { .text.max = 1 << 30 };
	const char *at = text->data, *end = text->data + text->len;
	int rc = 0;

	while (!rc && at < end) {
		const char *line_end = memchr(at, '\n', (size_t)(end - at));

		line_end = line_end ? line_end : end;
		rc = add_line(&pane, at, (size_t)(line_end - at));
		at = line_end + 1;
	}
	if (rc < 0) {
		pipa_report_pane_done(&pane);
		return rc;
	}
	pipa_report_pane_done(&view->pane);
	view->pane = pane;
	snprintf(view->pane.title, sizeof(view->pane.title), "%s", title);
	view->pane.scroll.n = pane.starts.n;
	view->pane.scroll.at = hottest_line(&view->pane);
	view->page = PIPA_PAGE_TEXT;
	return 0;
}

static enum pipa_cell_style style_of(const char *line)
{
	double percent = percent_of(line);

	if (line[0] == '#')
		return PIPA_STYLE_DIM;
	if (percent >= 10)
		return PIPA_STYLE_ALERT;
	if (percent >= 1)
		return PIPA_STYLE_WARN;
	return strncmp(line, "         :", 10) == 0 ? PIPA_STYLE_CHART : PIPA_STYLE_PLAIN;
}

void pipa_report_pane_paint(struct pipa_report_view *view, struct pipa_canvas *canvas,
			    const struct pipa_box *box)
{
	struct pipa_report_pane *pane = &view->pane;
	struct pipa_scroll *scroll = &pane->scroll;
	struct pipa_box line = { box->x, box->y, box->width, 1 };
	size_t i, page = box->height > 1 ? (size_t)box->height - 1 : 0;

	pipa_canvas_fill(canvas, &line, ' ', PIPA_STYLE_HEADER);
	pipa_canvas_put(canvas, box->x + 1, box->y, box->width - 1, PIPA_STYLE_HEADER, pane->title);
	if (!scroll->page &&
	    scroll->at > page / 2) /* scroll so that the hottest line is in the middle */
		scroll->from = scroll->at - page / 2;
	pipa_scroll_fit(scroll, pane->starts.n, page);
	for (i = scroll->from; i < scroll->n && i < scroll->from + scroll->page; i++) {
		const char *text = pipa_report_pane_line(pane, i);

		line.y++;
		pipa_canvas_put(canvas, line.x, line.y, line.width, style_of(text), text);
		if (i == scroll->at)
			pipa_canvas_restyle(canvas, &line, PIPA_STYLE_CHOSEN);
	}
}
