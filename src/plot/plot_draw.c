#include "plot/plot_draw.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/auto.h"
#include "plot/plot_color.h"

/* ---- ranges -------------------------------------------------------------------------------------- */

struct extent {
	double min, max;
};

static void include(struct extent *extent, double value)
{
	if (!isfinite(value))
		return;
	extent->min = isnan(extent->min) ? value : fmin(extent->min, value);
	extent->max = isnan(extent->max) ? value : fmax(extent->max, value);
}

/* Include the sums of stacked series at each x. */
static void include_sums(const struct pipa_plot_panel *panel, struct extent *y)
{
	size_t i, k, n = panel->series.n ? panel->series.items[0].n : 0;

	include(y, 0);
	for (i = 0; i < n; i++) {
		double sum = 0;

		for (k = 0; k < panel->series.n; k++)
			if (i < panel->series.items[k].n && panel->series.items[k].points[i].y > 0)
				sum += panel->series.items[k].points[i].y;
		include(y, sum);
	}
}

static void include_points(const struct pipa_plot_panel *panel, struct extent *x, struct extent *y)
{
	size_t i, k;

	for (i = 0; i < panel->series.n; i++)
		for (k = 0; k < panel->series.items[i].n; k++) {
			struct pipa_xy point = panel->series.items[i].points[k];

			if (isnan(point.y))
				continue;
			if (panel->x.scale != PIPA_PLOT_LOG || point.x > 0)
				include(x, point.x);
			if (panel->y.scale != PIPA_PLOT_LOG || point.y > 0)
				include(y, point.y);
		}
}

void pipa_plot_fit_panel(struct pipa_plot_panel *panel)
{
	struct extent x = { NAN, NAN }, y = { NAN, NAN }, cells = { NAN, NAN };
	size_t i;

	include_points(panel, &x, &y);
	for (i = 0; i < panel->labels.n * panel->columns; i++)
		include(&cells, panel->cells[i]);
	switch (panel->kind) {
	case PIPA_PANEL_STACKED: include_sums(panel, &y); break;
	case PIPA_PANEL_HISTOGRAM:
		include(&x, x.max + panel->bin);
		if (panel->y.scale != PIPA_PLOT_LOG)
			include(&y, 0);
		if (isnan(panel->x.min)) {
			panel->x.min = x.min;
			panel->x.max = x.max;
		}
		break;
	case PIPA_PANEL_BARS:
		include(&y, 0);
		panel->x.min = 0;
		panel->x.max = (double)panel->labels.n;
		break;
	case PIPA_PANEL_ROOFLINE:
		include(&x, panel->peak_y / panel->peak_slope / 10);
		include(&x, panel->peak_y / panel->peak_slope * 10);
		include(&y, panel->peak_y * 1.5);
		include(&y, panel->peak_slope * x.min);
		break;
	case PIPA_PANEL_LINES:
	case PIPA_PANEL_POINTS:
	case PIPA_PANEL_CELLS: break;
	}
	pipa_plot_axis_fit(&panel->x, x.min, x.max);
	pipa_plot_axis_fit(&panel->y, y.min, y.max);
	pipa_plot_axis_fit(&panel->color, cells.min, cells.max);
}

/* ---- marks --------------------------------------------------------------------------------------- */

struct pipa_stroke pipa_plot_series_stroke(const struct pipa_plot_series *series, double em)
{
	struct pipa_stroke stroke = { .color = pipa_plot_color(series->color),
				      .width = em / 9,
				      .opacity = 1 };

	pipa_plot_dash(series->color, &stroke.dash, &stroke.gap);
	stroke.dash *= stroke.width;
	stroke.gap *= stroke.width;
	return stroke;
}

void pipa_plot_draw_marker(struct pipa_drawing *drawing, struct pipa_xy at, double radius,
			   const struct pipa_plot_series *series)
{
	struct pipa_color color = pipa_plot_color(series->color);
	double opacity = series->is_faint ? 0.3 : 0.75, r = radius, q = radius * 0.85;
	const struct pipa_xy triangle[] = { { at.x, at.y - r },
					    { at.x + r, at.y + q },
					    { at.x - r, at.y + q } };
	const struct pipa_xy diamond[] = { { at.x, at.y - 1.2 * r },
					   { at.x + 1.2 * r, at.y },
					   { at.x, at.y + 1.2 * r },
					   { at.x - 1.2 * r, at.y } };

	switch (series->color % 4) {
	case 0: drawing->disc(drawing, at, r, color, opacity); break;
	case 1:
		drawing->rect(drawing, (struct pipa_rect){ at.x - q, at.y - q, 2 * q, 2 * q },
			      color, opacity);
		break;
	case 2: drawing->polygon(drawing, triangle, PIPA_COUNT(triangle), color, opacity); break;
	default: drawing->polygon(drawing, diamond, PIPA_COUNT(diamond), color, opacity);
	}
}

void pipa_plot_draw_swatch(struct pipa_drawing *drawing, struct pipa_rect rect,
			   const struct pipa_plot_series *series)
{
	static const double opacities[] = { 0.85, 0.5, 0.25 };

	drawing->rect(drawing, rect, pipa_plot_color(series->color),
		      opacities[series->color / PIPA_PLOT_HUES % PIPA_COUNT(opacities)]);
}

/* ---- kinds --------------------------------------------------------------------------------------- */

struct box_scale {
	const struct pipa_plot_panel *panel;
	const struct pipa_rect *box;
};

/* Return the position of a point in the image, NaN if it has none; far outside it is clamped. */
static struct pipa_xy place(const struct box_scale *s, double x, double y)
{
	double at_x = pipa_plot_axis_at(&s->panel->x, x), at_y = pipa_plot_axis_at(&s->panel->y, y);

	if (isnan(at_x) || isnan(at_y))
		return (struct pipa_xy){ NAN, NAN };
	at_x = fmin(fmax(at_x, -2), 3);
	at_y = fmin(fmax(at_y, -2), 3);
	return (struct pipa_xy){ s->box->x + s->box->w * at_x, s->box->y + s->box->h * (1 - at_y) };
}

/* Draw the parts of a line between missing values; a single value becomes a dot. */
static int draw_line(const struct box_scale *s, const struct pipa_plot_series *series, double em,
		     struct pipa_drawing *drawing)
{
	PIPA_AUTO(free) struct pipa_xy *points = malloc((series->n + 1) * sizeof(*points));
	struct pipa_stroke stroke = pipa_plot_series_stroke(series, em);
	size_t i, n = 0;

	if (!points)
		return -ENOMEM;
	for (i = 0; i <= series->n; i++) {
		if (i < series->n) {
			points[n] = place(s, series->points[i].x, series->points[i].y);
			if (!isnan(points[n].x)) {
				n++;
				continue;
			}
		}
		if (n == 1)
			drawing->disc(drawing, points[0], 2.5 * stroke.width, stroke.color, 1);
		else if (n > 1)
			drawing->line(drawing, points, n, &stroke);
		n = 0;
	}
	return 0;
}

/* Draw areas one upon the other. Missing values count as 0. */
static int draw_stack(const struct box_scale *s, struct pipa_drawing *drawing)
{
	const struct pipa_plot_panel *panel = s->panel;
	size_t i, k, n = panel->series.n ? panel->series.items[0].n : 0;
	PIPA_AUTO(free) double *base = calloc(n ? n : 1, sizeof(*base));
	PIPA_AUTO(free) struct pipa_xy *area = malloc((2 * n + 1) * sizeof(*area));
	static const double opacities[] = { 0.85, 0.5, 0.25 };

	if (!base || !area)
		return -ENOMEM;
	for (k = 0; k < panel->series.n; k++) {
		const struct pipa_plot_series *series = &panel->series.items[k];

		for (i = 0; i < n; i++) {
			area[2 * n - 1 - i] = place(s, series->points[i].x, base[i]);
			base[i] += series->points[i].y > 0 ? series->points[i].y : 0;
			area[i] = place(s, series->points[i].x, base[i]);
		}
		drawing->polygon(drawing, area, 2 * n, pipa_plot_color(series->color),
				 opacities[series->color / PIPA_PLOT_HUES % PIPA_COUNT(opacities)]);
	}
	return 0;
}

static void draw_points(const struct box_scale *s, double em, struct pipa_drawing *drawing)
{
	size_t i, k;

	for (i = 0; i < s->panel->series.n; i++) {
		const struct pipa_plot_series *series = &s->panel->series.items[i];
		double radius = em * (series->is_marked ? 0.45 : series->n > 500 ? 0.16 : 0.24);

		for (k = 0; k < series->n; k++) {
			struct pipa_xy at = place(s, series->points[k].x, series->points[k].y);

			if (!isnan(at.x))
				pipa_plot_draw_marker(drawing, at, radius, series);
		}
	}
}

/* Draw the bins: filled if there is one series, else outlines over a light fill. */
static int draw_bins(const struct box_scale *s, double em, struct pipa_drawing *drawing)
{
	const struct pipa_plot_panel *panel = s->panel;
	double floor_y = panel->y.min;
	size_t i, k;

	for (k = 0; k < panel->series.n; k++) {
		const struct pipa_plot_series *series = &panel->series.items[k];
		struct pipa_stroke stroke = pipa_plot_series_stroke(series, em);
		size_t n = 0;
		PIPA_AUTO(free)
		struct pipa_xy *steps = malloc((2 * series->n + 2) * sizeof(*steps));

		if (!steps)
			return -ENOMEM;
		steps[n++] = place(s, series->n ? series->points[0].x : 0, floor_y);
		for (i = 0; i < series->n; i++) {
			double x = series->points[i].x, y = fmax(series->points[i].y, floor_y);

			steps[n++] = place(s, x, y);
			steps[n++] = place(s, x + panel->bin, y);
		}
		steps[n++] = place(s, series->n ? series->points[series->n - 1].x + panel->bin : 0,
				   floor_y);
		drawing->polygon(drawing, steps, n, stroke.color, panel->series.n > 1 ? 0.25 : 0.6);
		drawing->line(drawing, steps, n, &stroke);
	}
	return 0;
}

static void draw_bars(const struct box_scale *s, struct pipa_drawing *drawing)
{
	const struct pipa_plot_panel *panel = s->panel;
	double each = 0.8 / (double)(panel->series.n ? panel->series.n : 1);
	size_t i, k;

	for (k = 0; k < panel->series.n; k++)
		for (i = 0; i < panel->series.items[k].n; i++) {
			struct pipa_xy point = panel->series.items[k].points[i];
			double x = point.x + 0.1 + (double)k * each;
			struct pipa_xy low = place(s, x, fmax(0, panel->y.min)),
				       high = place(s, x + each, point.y);

			if (!isnan(high.x))
				pipa_plot_draw_swatch(
					drawing,
					(struct pipa_rect){ low.x, fmin(high.y, low.y),
							    high.x - low.x, fabs(low.y - high.y) },
					&panel->series.items[k]);
		}
}

static struct pipa_color cell_color(const struct pipa_plot_panel *panel, double value)
{
	static const struct pipa_color missing = { 0xe3, 0xe6, 0xea };

	return isnan(value) ? missing :
			      pipa_plot_scale_color(pipa_plot_axis_at(&panel->color, value));
}

static bool same_color(struct pipa_color a, struct pipa_color b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b;
}

/*
 * Draw the cells; neighbours of one colour are one rectangle. Missing cells are grey. Each rectangle
 * extends under the next ones, so that no seams appear where edges are between pixels.
 */
static void draw_cells(const struct box_scale *s, struct pipa_drawing *drawing)
{
	const struct pipa_plot_panel *panel = s->panel;
	double width = s->box->w / (double)(panel->columns ? panel->columns : 1);
	double height = s->box->h / (double)(panel->labels.n ? panel->labels.n : 1);
	size_t row, from, until;

	for (row = 0; row < panel->labels.n; row++) {
		const double *cells = panel->cells + row * panel->columns;

		for (from = 0; from < panel->columns; from = until) {
			struct pipa_color color = cell_color(panel, cells[from]);

			for (until = from + 1; until < panel->columns; until++)
				if (!same_color(color, cell_color(panel, cells[until])))
					break;
			drawing->rect(drawing,
				      (struct pipa_rect){ s->box->x + (double)from * width,
							  s->box->y + (double)row * height,
							  ((double)(until - from) + 0.5) * width,
							  1.5 * height },
				      color, 1);
		}
	}
}

/* Name the two peaks at their lines, inside the box. */
static void draw_roof_names(const struct box_scale *s, const struct pipa_xy roof[static 3],
			    double em, struct pipa_drawing *drawing)
{
	struct pipa_drawn_text text = { .size = 0.9 * em, .color = { 0x22, 0x26, 0x2b } };
	char number[24], label[48];

	pipa_plot_number(s->panel->peak_y, s->panel->peak_y < 10, number, sizeof(number));
	snprintf(label, sizeof(label), "peak %s Gop/s", number);
	text.text = label;
	text.anchor = PIPA_ANCHOR_END;
	text.at = (struct pipa_xy){ s->box->x + s->box->w - em / 2, roof[1].y - em / 2 };
	drawing->text(drawing, &text);
	pipa_plot_number(s->panel->peak_slope, s->panel->peak_slope < 10, number, sizeof(number));
	snprintf(label, sizeof(label), "peak %s GB/s", number);
	text.at = (struct pipa_xy){ (roof[0].x + roof[1].x) / 2 - em, (roof[0].y + roof[1].y) / 2 };
	drawing->text(drawing, &text);
}

static void draw_roof(const struct box_scale *s, double em, struct pipa_drawing *drawing)
{
	const struct pipa_plot_panel *panel = s->panel;
	double ridge = panel->peak_y / panel->peak_slope;
	const struct pipa_xy roof[] = { place(s, panel->x.min, panel->peak_slope * panel->x.min),
					place(s, ridge, panel->peak_y),
					place(s, fmax(panel->x.max, ridge), panel->peak_y) };
	struct pipa_stroke stroke = { .color = { 0x22, 0x26, 0x2b },
				      .width = em / 6,
				      .opacity = 1 };
	struct pipa_stroke dashed = stroke;
	struct pipa_xy drop[] = { roof[1], { roof[1].x, s->box->y + s->box->h } };

	drawing->line(drawing, roof, PIPA_COUNT(roof), &stroke);
	dashed.width = em / 14;
	dashed.dash = em / 3;
	dashed.gap = em / 4;
	drawing->line(drawing, drop, PIPA_COUNT(drop), &dashed);
	draw_roof_names(s, roof, em, drawing);
}

int pipa_plot_draw_data(const struct pipa_plot_panel *panel, const struct pipa_rect *box, double em,
			struct pipa_drawing *drawing)
{
	const struct box_scale s = { panel, box };
	size_t i;
	int rc = 0;

	switch (panel->kind) {
	case PIPA_PANEL_LINES:
		for (i = panel->series.n; !rc && i > 0; i--) /* the first is drawn on top */
			rc = draw_line(&s, &panel->series.items[i - 1], em, drawing);
		return rc;
	case PIPA_PANEL_STACKED: return draw_stack(&s, drawing);
	case PIPA_PANEL_HISTOGRAM: return draw_bins(&s, em, drawing);
	case PIPA_PANEL_POINTS: draw_points(&s, em, drawing); break;
	case PIPA_PANEL_BARS: draw_bars(&s, drawing); break;
	case PIPA_PANEL_CELLS: draw_cells(&s, drawing); break;
	case PIPA_PANEL_ROOFLINE:
		draw_roof(&s, em, drawing);
		draw_points(&s, em, drawing);
		break;
	}
	return 0;
}
