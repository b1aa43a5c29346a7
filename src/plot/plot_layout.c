/*
 * Layout of a chart: title, then per panel its legend, box, ticks and axis labels. Boxes of all panels
 * have the same left and right edges, so that one time is at one x.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "plot/plot.h"
#include "plot/plot_color.h"
#include "plot/plot_draw.h"
#include "plot/plot_text.h"

static const struct pipa_color ink = { 0x22, 0x26, 0x2b }, grid = { 0xdd, 0xe0, 0xe4 },
			       frame = { 0x6b, 0x72, 0x7c };

/* State of one drawing. */
struct layout {
	struct pipa_plot *plot;
	struct pipa_drawing *drawing;
	double em;	    /* font size */
	double left, right; /* edges of all boxes */
	size_t lacking;	    /* characters that the font lacks */
	int status;
};

/* Sizes of a panel that do not depend on the others. */
struct panel_layout {
	double legend_height, x_height; /* above and below the box */
	struct pipa_rect box;
	struct pipa_plot_ticks x, y;
};

/* ---- texts --------------------------------------------------------------------------------------- */

/* Draw a text, shortened to the width. Returns its width. */
static double put_text(struct layout *l, struct pipa_drawn_text text, double width)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf prepared = { 0 };

	l->lacking += pipa_plot_text_prepare(text.text, l->drawing->has, text.size,
					     text.bold ? width / 1.07 : width, &prepared);
	if (prepared.status) {
		l->status = prepared.status;
		return 0;
	}
	text.text = pipa_buf_str(&prepared);
	text.color = ink;
	l->drawing->text(l->drawing, &text);
	return pipa_plot_text_width(text.text, text.size, text.bold);
}

/* Return the width that put_text() would need. */
static double measure(struct layout *l, const char *text, double size, double width)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf prepared = { 0 };

	pipa_plot_text_prepare(text, l->drawing->has, size, width, &prepared);
	if (prepared.status) {
		l->status = prepared.status;
		return 0;
	}
	return pipa_plot_text_width(pipa_buf_str(&prepared), size, false);
}

static double widest_label(const struct pipa_plot_ticks *ticks, double size)
{
	double widest = 0;
	size_t i;

	for (i = 0; i < ticks->n; i++)
		widest = fmax(widest, pipa_plot_text_width(ticks->items[i].label, size, false));
	return widest;
}

/* ---- legend -------------------------------------------------------------------------------------- */

/* Bars and histograms have squares in the legend, points discs, others lines. */
static bool has_legend(const struct pipa_plot_panel *panel)
{
	return panel->kind != PIPA_PANEL_CELLS &&
	       (panel->series.n > 1 || panel->kind == PIPA_PANEL_ROOFLINE);
}

static void draw_key(struct layout *l, const struct pipa_plot_panel *panel,
		     const struct pipa_plot_series *series, double x, double y)
{
	double em = l->em, middle = y - 0.33 * em;

	if (panel->kind == PIPA_PANEL_POINTS || panel->kind == PIPA_PANEL_ROOFLINE) {
		pipa_plot_draw_marker(l->drawing, (struct pipa_xy){ x + 0.9 * em, middle },
				      0.32 * em, series);
	} else if (panel->kind == PIPA_PANEL_LINES) {
		struct pipa_xy line[] = { { x, middle }, { x + 1.8 * em, middle } };
		struct pipa_stroke stroke = pipa_plot_series_stroke(series, em);

		l->drawing->line(l->drawing, line, 2, &stroke);
	} else {
		pipa_plot_draw_swatch(
			l->drawing,
			(struct pipa_rect){ x + 0.8 * em, y - 0.75 * em, em, 0.85 * em }, series);
	}
}

/*
 * Place the entries of a legend in rows from the left margin; draw them if `top` is not NaN. Returns
 * the height of the rows.
 */
static double put_legend(struct layout *l, const struct pipa_plot_panel *panel, double top)
{
	double em = l->em, size = 0.92 * em, key = 2.2 * em, gap = 1.4 * em;
	double from = 0.8 * em, until = l->plot->width - 0.8 * em, x = from;
	double most = fmin(until - from - key, 28 * em);
	size_t i, row = 0;

	if (!has_legend(panel))
		return 0;
	for (i = 0; i < panel->series.n; i++) {
		const struct pipa_plot_series *series = &panel->series.items[i];
		double width = measure(l, series->name, size, most), y;

		if (x > from && x + key + width > until) {
			x = from;
			row++;
		}
		y = top + ((double)row + 0.85) * 1.35 * em;
		if (!isnan(top)) {
			draw_key(l, panel, series, x, y);
			put_text(l,
				 (struct pipa_drawn_text){
					 .at = { x + key, y }, .text = series->name, .size = size },
				 most);
		}
		x += key + width + gap;
	}
	return (double)(row + 1) * 1.35 * em + 0.75 * em;
}

/* ---- boxes --------------------------------------------------------------------------------------- */

static bool has_rows(const struct pipa_plot_panel *panel)
{
	return panel->kind == PIPA_PANEL_CELLS;
}

static bool has_bars(const struct pipa_plot_panel *panel)
{
	return panel->kind == PIPA_PANEL_BARS;
}

/* Return the width of the texts left of the box: tick labels or row names, and the axis label. */
static double left_margin(struct layout *l, const struct pipa_plot_panel *panel,
			  const struct panel_layout *p)
{
	double widest = 0, most = l->plot->width * 0.25;
	size_t i;

	if (has_rows(panel))
		for (i = 0; i < panel->labels.n; i++)
			widest = fmax(widest,
				      measure(l, panel->labels.items[i], 0.85 * l->em, most));
	else
		widest = widest_label(&p->y, 0.9 * l->em);
	return widest + 0.9 * l->em + (panel->y.label ? 1.7 * l->em : 0.3 * l->em);
}

/* Return the width right of the box: half a tick label, or the scale of the cells with its texts. */
static double right_margin(const struct layout *l, const struct pipa_plot_panel *panel)
{
	return has_rows(panel) ? 7 * l->em : 2.2 * l->em;
}

/* Choose the ticks of y by the height, those of x so that their labels are apart. */
static void make_ticks(const struct layout *l, const struct pipa_plot_panel *panel, double width,
		       double height, struct panel_layout *p)
{
	size_t wanted;

	p->x.n = p->y.n = 0;
	if (!has_rows(panel))
		pipa_plot_axis_ticks(&panel->y, (size_t)fmax(height / (2.2 * l->em), 2), &p->y);
	if (has_bars(panel))
		return;
	for (wanted = (size_t)fmax(width / (4 * l->em), 1);; wanted--) {
		size_t i, labels = 0;
		double widest;

		pipa_plot_axis_ticks(&panel->x, wanted, &p->x);
		widest = widest_label(&p->x, 0.9 * l->em) + l->em;
		for (i = 0; i < p->x.n; i++)
			labels += p->x.items[i].label[0] != '\0';
		if (wanted <= 1 || (double)labels * widest <= width + widest)
			return;
	}
}

static bool same_x(const struct pipa_plot_panel *a, const struct pipa_plot_panel *b)
{
	return a->x.scale == b->x.scale && a->kind != PIPA_PANEL_BARS &&
	       b->kind != PIPA_PANEL_BARS && a->x.min == b->x.min && a->x.max == b->x.max &&
	       a->x.label && b->x.label && strcmp(a->x.label, b->x.label) == 0;
}

/* Compute the boxes of all panels. */
static void place_panels(struct layout *l, struct panel_layout *layouts, double top)
{
	struct pipa_plot *plot = l->plot;
	double em = l->em, texts = 0, height, y = top, left = 0, right = 0;
	size_t i, n = plot->panels.n;

	for (i = 0; i < n; i++) {
		const struct pipa_plot_panel *panel = &plot->panels.items[i];
		bool named = panel->x.label && !(i + 1 < n && same_x(panel, panel + 1));

		layouts[i].legend_height = put_legend(l, panel, NAN);
		layouts[i].x_height = (named ? 3.3 : 1.9) * em;
		texts += layouts[i].legend_height + layouts[i].x_height +
			 (i + 1 < n ? 0.5 * em : 0);
	}
	height = fmax((plot->height - top - texts - 0.4 * em) / (double)n, 2 * em);
	for (i = 0; i < n; i++) {
		const struct pipa_plot_panel *panel = &plot->panels.items[i];

		make_ticks(l, panel, plot->width * 0.8, height, &layouts[i]);
		left = fmax(left, left_margin(l, panel, &layouts[i]));
		right = fmax(right, right_margin(l, panel));
	}
	l->left = fmin(left + 0.4 * em, plot->width / 2);
	l->right = fmax(plot->width - right, l->left + 1);
	for (i = 0; i < n; i++) {
		struct panel_layout *p = &layouts[i];

		p->box = (struct pipa_rect){ l->left, y + p->legend_height, l->right - l->left,
					     height };
		make_ticks(l, &plot->panels.items[i], p->box.w, height, p);
		y += p->legend_height + height + p->x_height + 0.5 * em;
	}
}

/* ---- axes ---------------------------------------------------------------------------------------- */

static void draw_grid(struct layout *l, const struct pipa_plot_panel *panel,
		      const struct panel_layout *p)
{
	struct pipa_stroke stroke = { .color = grid, .width = l->em / 14, .opacity = 1 };
	const struct pipa_rect *box = &p->box;
	size_t i;

	for (i = 0; i < p->y.n && !has_rows(panel); i++) {
		double y = box->y +
			   box->h * (1 - pipa_plot_axis_at(&panel->y, p->y.items[i].value));
		struct pipa_xy line[] = { { box->x, y }, { box->x + box->w, y } };

		if (p->y.items[i].label[0])
			l->drawing->line(l->drawing, line, 2, &stroke);
	}
	for (i = 0; i < p->x.n && !has_rows(panel); i++) {
		double x = box->x + box->w * pipa_plot_axis_at(&panel->x, p->x.items[i].value);
		struct pipa_xy line[] = { { x, box->y }, { x, box->y + box->h } };

		if (p->x.items[i].label[0])
			l->drawing->line(l->drawing, line, 2, &stroke);
	}
}

/* Draw the frame of the box over the data. */
static void draw_frame(struct layout *l, const struct pipa_rect *box)
{
	struct pipa_stroke stroke = { .color = frame, .width = l->em / 12, .opacity = 1 };
	struct pipa_xy line[] = { { box->x, box->y },
				  { box->x + box->w, box->y },
				  { box->x + box->w, box->y + box->h },
				  { box->x, box->y + box->h },
				  { box->x, box->y } };

	l->drawing->line(l->drawing, line, PIPA_COUNT(line), &stroke);
}

static void draw_x_axis(struct layout *l, const struct pipa_plot_panel *panel,
			const struct panel_layout *p, bool named)
{
	struct pipa_stroke stroke = { .color = frame, .width = l->em / 12, .opacity = 1 };
	const struct pipa_rect *box = &p->box;
	double bottom = box->y + box->h, em = l->em;
	size_t i;

	for (i = 0; i < p->x.n; i++) {
		const struct pipa_plot_tick *tick = &p->x.items[i];
		double x = box->x + box->w * pipa_plot_axis_at(&panel->x, tick->value);
		double len = (tick->label[0] ? 0.35 : 0.18) * em;
		struct pipa_xy line[] = { { x, bottom }, { x, bottom + len } };

		l->drawing->line(l->drawing, line, 2, &stroke);
		if (tick->label[0])
			put_text(l,
				 (struct pipa_drawn_text){ .at = { x, bottom + 1.35 * em },
							   .text = tick->label,
							   .size = 0.9 * em,
							   .anchor = PIPA_ANCHOR_MIDDLE },
				 INFINITY);
	}
	if (named && panel->x.label)
		put_text(
			l,
			(struct pipa_drawn_text){ .at = { box->x + box->w / 2, bottom + 2.75 * em },
						  .text = panel->x.label,
						  .size = em,
						  .anchor = PIPA_ANCHOR_MIDDLE },
			l->plot->width - em);
}

/* Draw the names of bars, as many as fit. */
static void draw_bar_names(struct layout *l, const struct pipa_plot_panel *panel,
			   const struct panel_layout *p)
{
	const struct pipa_rect *box = &p->box;
	double size = 0.9 * l->em, widest = 0, each = box->w / (double)panel->labels.n;
	size_t i, every;

	for (i = 0; i < panel->labels.n; i++)
		widest = fmax(widest, measure(l, panel->labels.items[i], size, 8 * l->em));
	every = (size_t)ceil((widest + 0.5 * l->em) / each);
	for (i = 0; i < panel->labels.n; i += every ? every : 1)
		put_text(l,
			 (struct pipa_drawn_text){ .at = { box->x + ((double)i + 0.5) * each,
							   box->y + box->h + 1.35 * l->em },
						   .text = panel->labels.items[i],
						   .size = size,
						   .anchor = PIPA_ANCHOR_MIDDLE },
			 8 * l->em);
}

/* Return 1, 2, 4 or 5 times a power of ten that is not below the number. */
static size_t round_up(size_t n)
{
	size_t power = 1;

	while (power * 10 < n)
		power *= 10;
	return n <= power     ? power :
	       n <= 2 * power ? 2 * power :
	       n <= 4 * power ? 4 * power :
	       n <= 5 * power ? 5 * power :
				10 * power;
}

/* Draw the names of rows, as many as fit. */
static void draw_row_names(struct layout *l, const struct pipa_plot_panel *panel,
			   const struct panel_layout *p)
{
	const struct pipa_rect *box = &p->box;
	double size = 0.85 * l->em, each = box->h / (double)panel->labels.n;
	size_t i, every = round_up((size_t)ceil(1.1 * l->em / each));

	for (i = 0; i < panel->labels.n; i += every ? every : 1)
		put_text(l,
			 (struct pipa_drawn_text){
				 .at = { box->x - 0.5 * l->em,
					 box->y + ((double)i + 0.5) * each + 0.3 * l->em },
				 .text = panel->labels.items[i],
				 .size = size,
				 .anchor = PIPA_ANCHOR_END },
			 l->plot->width * 0.25);
}

static void draw_y_axis(struct layout *l, const struct pipa_plot_panel *panel,
			const struct panel_layout *p)
{
	struct pipa_stroke stroke = { .color = frame, .width = l->em / 12, .opacity = 1 };
	const struct pipa_rect *box = &p->box;
	double em = l->em;
	size_t i;

	for (i = 0; i < p->y.n; i++) {
		const struct pipa_plot_tick *tick = &p->y.items[i];
		double y = box->y + box->h * (1 - pipa_plot_axis_at(&panel->y, tick->value));
		double len = (tick->label[0] ? 0.35 : 0.18) * em;
		struct pipa_xy line[] = { { box->x - len, y }, { box->x, y } };

		l->drawing->line(l->drawing, line, 2, &stroke);
		if (tick->label[0])
			put_text(l,
				 (struct pipa_drawn_text){
					 .at = { box->x - 0.6 * em, y + 0.32 * em },
					 .text = tick->label,
					 .size = 0.9 * em,
					 .anchor = PIPA_ANCHOR_END },
				 INFINITY);
	}
	if (panel->y.label)
		put_text(l,
			 (struct pipa_drawn_text){ .at = { 1.4 * em, box->y + box->h / 2 },
						   .text = panel->y.label,
						   .size = em,
						   .anchor = PIPA_ANCHOR_MIDDLE,
						   .vertical = true },
			 box->h + 2 * em);
}

/* Draw the scale of the cells' colours right of the box. */
static void draw_color_scale(struct layout *l, const struct pipa_plot_panel *panel,
			     const struct panel_layout *p)
{
	enum { STEPS = 64 };
	const struct pipa_rect *box = &p->box;
	double em = l->em, x = box->x + box->w + em, width = em;
	struct pipa_plot_ticks ticks;
	size_t i;

	for (i = 0; i < STEPS; i++) {
		double step = box->h / STEPS;

		/* overlap downwards: no seams between steps */
		l->drawing->rect(l->drawing,
				 (struct pipa_rect){ x, box->y + (double)i * step, width,
						     i + 1 < STEPS ? step * 1.5 : step },
				 pipa_plot_scale_color(1 - ((double)i + 0.5) / STEPS), 1);
	}
	draw_frame(l, &(struct pipa_rect){ x, box->y, width, box->h });
	pipa_plot_axis_ticks(&panel->color, (size_t)fmax(box->h / (2.2 * em), 2), &ticks);
	for (i = 0; i < ticks.n; i++)
		if (ticks.items[i].label[0])
			put_text(l,
				 (struct pipa_drawn_text){
					 .at = { x + width + 0.4 * em,
						 box->y +
							 box->h * (1 -
								   pipa_plot_axis_at(
									   &panel->color,
									   ticks.items[i].value)) +
							 0.32 * em },
					 .text = ticks.items[i].label,
					 .size = 0.9 * em },
				 3 * em);
	if (panel->color.label)
		put_text(l,
			 (struct pipa_drawn_text){
				 .at = { l->plot->width - 0.6 * em, box->y + box->h / 2 },
				 .text = panel->color.label,
				 .size = em,
				 .anchor = PIPA_ANCHOR_MIDDLE,
				 .vertical = true },
			 box->h + 2 * em);
}

/* ---- panels -------------------------------------------------------------------------------------- */

static void draw_panel(struct layout *l, size_t index, const struct panel_layout *p)
{
	struct pipa_plot_panel *panel = &l->plot->panels.items[index];
	bool named = !(index + 1 < l->plot->panels.n && same_x(panel, panel + 1));
	/* lines and points may be on the frame, areas end at it */
	const bool is_thin = panel->kind == PIPA_PANEL_LINES || panel->kind == PIPA_PANEL_POINTS;
	const double edge = is_thin ? l->em / 8 : 0;
	const struct pipa_rect data = { p->box.x - edge, p->box.y - edge, p->box.w + 2 * edge,
					p->box.h + 2 * edge };

	put_legend(l, panel, p->box.y - p->legend_height);
	draw_grid(l, panel, p);
	if (is_thin)
		draw_frame(l, &p->box);
	l->drawing->clip(l->drawing, &data);
	l->status = pipa_plot_draw_data(panel, &p->box, l->em, l->drawing);
	l->drawing->clip(l->drawing, NULL);
	if (!is_thin)
		draw_frame(l, &p->box);
	draw_x_axis(l, panel, p, named);
	draw_y_axis(l, panel, p);
	if (has_rows(panel)) {
		draw_row_names(l, panel, p);
		draw_color_scale(l, panel, p);
	} else if (has_bars(panel)) {
		draw_bar_names(l, panel, p);
	}
}

int pipa_plot_draw(struct pipa_plot *plot, struct pipa_drawing *drawing, size_t *ret_lacking)
{
	struct layout l = { .plot = plot, .drawing = drawing, .em = plot->font_size };
	PIPA_AUTO(free)
	struct panel_layout *layouts = calloc(plot->panels.n ? plot->panels.n : 1,
					      sizeof(*layouts));
	bool titled = plot->title && *plot->title;
	size_t i;

	if (!layouts)
		return -ENOMEM;
	for (i = 0; i < plot->panels.n; i++)
		pipa_plot_fit_panel(&plot->panels.items[i]);
	drawing->rect(drawing, (struct pipa_rect){ 0, 0, plot->width, plot->height },
		      (struct pipa_color){ 255, 255, 255 }, 1);
	if (titled)
		put_text(&l,
			 (struct pipa_drawn_text){ .at = { plot->width / 2, 1.75 * l.em },
						   .text = plot->title,
						   .size = 1.2 * l.em,
						   .anchor = PIPA_ANCHOR_MIDDLE,
						   .bold = true },
			 plot->width - 2 * l.em);
	place_panels(&l, layouts, (titled ? 2.9 : 1) * l.em);
	for (i = 0; i < plot->panels.n && !l.status; i++)
		draw_panel(&l, i, &layouts[i]);
	*ret_lacking = l.lacking;
	return l.status;
}
