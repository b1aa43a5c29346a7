#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/time/zone.h"
#include "plot/plot_color.h"
#include "plot/plot_number.h"
#include "plot/plot_text.h"
#include "lib/test.h"

/* ---- ticks --------------------------------------------------------------------------------------- */

static char joined[2000];

/* Fit an axis and return its labels, separated by spaces; minor ticks are "." */
static const char *ticks(enum pipa_plot_scale scale, double min, double max, size_t wanted)
{
	struct pipa_plot_axis axis = { .scale = scale, .min = NAN, .max = NAN };
	struct pipa_plot_ticks made;
	size_t i, len = 0;

	pipa_plot_axis_fit(&axis, min, max);
	pipa_plot_axis_ticks(&axis, wanted, &made);
	joined[0] = '\0';
	for (i = 0; i < made.n; i++) {
		CHECK(made.items[i].value >= axis.min - 1e-6 * fabs(axis.min));
		CHECK(made.items[i].value <= axis.max + 1e-6 * fabs(axis.max));
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%s", i ? " " : "",
					made.items[i].label[0] ? made.items[i].label : ".");
	}
	return joined;
}

TEST(linear_ticks_are_round_numbers)
{
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 3, 97, 5), "0 20 40 60 80 100");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 0, 0.07, 4), "0.00 0.02 0.04 0.06");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, -2, 2, 4), "-2 -1 0 1 2");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 990, 1000, 5), "990 992 994 996 998 1000");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 0, 2.5e6, 5), "0 500k 1M 1.5M 2M 2.5M");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 0, 8e9, 4), "0 2G 4G 6G 8G");
}

TEST(an_axis_of_one_value_has_a_range)
{
	struct pipa_plot_axis axis = { .scale = PIPA_PLOT_LINEAR, .min = NAN, .max = NAN };

	pipa_plot_axis_fit(&axis, 50, 50);
	CHECK_NEAR(axis.max, 55, 1e-9);
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 0, 0, 2), "0.0 0.5 1.0");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, 42, 42, 4), "0 20 40");
	CHECK_STR(ticks(PIPA_PLOT_LINEAR, -42, -42, 4), "-40 -20 0");
	CHECK(ticks(PIPA_PLOT_LINEAR, NAN, NAN, 4)[0]);
	CHECK(ticks(PIPA_PLOT_LINEAR, INFINITY, -INFINITY, 4)[0]);
	CHECK(ticks(PIPA_PLOT_TIME, 5, 5, 4)[0]);
	CHECK(ticks(PIPA_PLOT_LOG, -3, 0, 4)[0]);
}

TEST(logarithmic_ticks_are_decades_with_minor_ones)
{
	CHECK_STR(ticks(PIPA_PLOT_LOG, 1, 1000, 5),
		  "1 . . . . . . . . 10 . . . . . . . . 100 . . . . . . . . 1000");
	CHECK_STR(ticks(PIPA_PLOT_LOG, 0.2, 7, 8), "0.1 0.2 . . 0.5 . . . . 1 2 . . 5 . . . . 10");
	CHECK_STR(ticks(PIPA_PLOT_LOG, 1e-3, 1e9, 4), "0.001 . . . 10 . . . 100k . . . 1G");
}

TEST(time_ticks_are_round_in_the_time_zone)
{
	struct pipa_zone zone = { 0 };
	struct pipa_plot_axis axis = { .scale = PIPA_PLOT_TIME, .zone = &zone };
	struct pipa_plot_ticks made;
	double day = 1763164800; /* 2025-11-15 00:00 UTC */

	CHECK_STR(ticks(PIPA_PLOT_TIME, day + 61, day + 83, 5),
		  "00:01:05 00:01:10 00:01:15 00:01:20");
	CHECK_STR(ticks(PIPA_PLOT_TIME, day - 3600 * 5, day + 3600 * 5, 4), "21:00 11-15 03:00");
	CHECK_STR(ticks(PIPA_PLOT_TIME, day + 0.1, day + 0.5, 4),
		  "00:00.1 00:00.2 00:00.3 00:00.4 00:00.5");
	CHECK_STR(ticks(PIPA_PLOT_TIME, day, day + 86400 * 3, 3), "11-15 11-16 11-17 11-18");
	CHECK_EQ(pipa_zone_add(&zone, 0, 5 * 3600 + 1800), 0);
	axis.min = day;
	axis.max = day + 7200;
	pipa_plot_axis_ticks(&axis, 3, &made);
	CHECK_STR(made.items[0].label, "06:00");
	CHECK(made.items[0].value == day + 1800);
	pipa_zone_done(&zone);
}

TEST(positions_follow_the_scale)
{
	struct pipa_plot_axis axis = { .scale = PIPA_PLOT_LOG, .min = 1, .max = 100 };

	CHECK(fabs(pipa_plot_axis_at(&axis, 10) - 0.5) < 1e-12);
	CHECK(isnan(pipa_plot_axis_at(&axis, 0)));
	axis.scale = PIPA_PLOT_LINEAR;
	axis.min = 0;
	CHECK(fabs(pipa_plot_axis_at(&axis, 25) - 0.25) < 1e-12);
}

/* ---- texts --------------------------------------------------------------------------------------- */

static bool has_ascii(uint32_t ch)
{
	return ch < 0x80;
}

static bool has_all(uint32_t ch)
{
	return ch > 0;
}

static const char *prepared(const char *text, bool (*has)(uint32_t), double width, size_t *lacking)
{
	static struct pipa_buf out;

	pipa_buf_reset(&out);
	*lacking = pipa_plot_text_prepare(text, has, 10, width, &out);
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}

TEST(texts_have_the_widths_of_helvetica)
{
	CHECK(fabs(pipa_plot_text_width("AVi ", 1000, false) - (667 + 667 + 222 + 278)) < 1e-9);
	CHECK(fabs(pipa_plot_text_width("\xc2\xb0", 1000, false) - 400) < 1e-9);
	CHECK(fabs(pipa_plot_text_width("\xe6\x80\xa7", 10, false) - 10) < 1e-9);
}

TEST(characters_without_glyph_and_controls_are_escaped)
{
	size_t lacking;

	CHECK_STR(prepared("a\xe6\x80\xa7", has_ascii, INFINITY, &lacking), "a\\u6027");
	CHECK_EQ(lacking, 1);
	CHECK_STR(prepared("a\xe6\x80\xa7", has_all, INFINITY, &lacking), "a\xe6\x80\xa7");
	CHECK_EQ(lacking, 0);
	CHECK_STR(prepared("a\x1b\xff", has_all, INFINITY, &lacking), "a\\x1b\\xff");
}

TEST(long_texts_are_shortened_to_the_width)
{
	size_t lacking;
	const char *text = prepared("a very long name of a series", has_all, 60, &lacking);

	CHECK(strncmp(text, "a very", 6) == 0);
	CHECK(strcmp(text + strlen(text) - 3, "...") == 0);
	CHECK(pipa_plot_text_width(text, 10, false) <= 60);
	CHECK_STR(prepared("\xe6\x80\xa7\xe6\x80\xa7\xe6\x80\xa7", has_all, 20, &lacking),
		  "\xe6\x80\xa7...");
}

TEST(numbers_of_files_have_no_exponent_and_no_locale)
{
	struct pipa_buf out = { 0 };

	pipa_plot_put_number(&out, 12.5);
	pipa_buf_putc(&out, ' ');
	pipa_plot_put_number(&out, -0.256);
	pipa_buf_putc(&out, ' ');
	pipa_plot_put_number(&out, 100000);
	pipa_buf_putc(&out, ' ');
	pipa_plot_put_number(&out, -0.001);
	pipa_buf_putc(&out, ' ');
	pipa_plot_put_number(&out, NAN);
	CHECK_STR(pipa_buf_str(&out), "12.5 -0.26 100000 0 0");
	pipa_buf_done(&out);
}

TEST(colours_of_the_scale_are_interpolated)
{
	CHECK_EQ(pipa_plot_scale_color(-1).r, 0xff);
	CHECK_EQ(pipa_plot_scale_color(0).b, 0xd0);
	CHECK_EQ(pipa_plot_scale_color(1).r, 0xa8);
	CHECK_EQ(pipa_plot_scale_color(7).g, 0x32);
	CHECK_EQ(pipa_plot_scale_color(0.125).b, 0xad);
	CHECK_EQ(pipa_plot_scale_color(NAN).r, 0xff);
}

/* ---- layout -------------------------------------------------------------------------------------- */

/* A drawing that records texts, lines and the clip. */
static struct {
	struct {
		char text[80];
		double left, right, top, bottom;
	} texts[200];
	size_t n_texts, n_lines, n_rects, n_discs, n_polygons;
	struct pipa_rect clip;
} seen;

static void see_line(struct pipa_drawing *self PIPA_UNUSED, const struct pipa_xy *points, size_t n,
		     const struct pipa_stroke *stroke)
{
	size_t i;

	for (i = 0; i < n; i++)
		CHECK(isfinite(points[i].x) && isfinite(points[i].y));
	CHECK(stroke->width > 0);
	seen.n_lines++;
}

static void see_rect(struct pipa_drawing *self PIPA_UNUSED, struct pipa_rect rect,
		     struct pipa_color color PIPA_UNUSED, double opacity PIPA_UNUSED)
{
	CHECK(isfinite(rect.x + rect.y + rect.w + rect.h) && rect.w >= 0 && rect.h >= 0);
	seen.n_rects++;
}

static void see_polygon(struct pipa_drawing *self PIPA_UNUSED, const struct pipa_xy *points,
			size_t n, struct pipa_color color PIPA_UNUSED, double opacity PIPA_UNUSED)
{
	size_t i;

	for (i = 0; i < n; i++)
		CHECK(isfinite(points[i].x) && isfinite(points[i].y));
	seen.n_polygons++;
}

static void see_disc(struct pipa_drawing *self PIPA_UNUSED, struct pipa_xy center,
		     double radius PIPA_UNUSED, struct pipa_color color PIPA_UNUSED,
		     double opacity PIPA_UNUSED)
{
	CHECK(isfinite(center.x) && isfinite(center.y));
	seen.n_discs++;
}

static void see_text(struct pipa_drawing *self PIPA_UNUSED, const struct pipa_drawn_text *text)
{
	double width = pipa_plot_text_width(text->text, text->size, text->bold);
	double back = text->anchor == PIPA_ANCHOR_START	 ? 0 :
		      text->anchor == PIPA_ANCHOR_MIDDLE ? width / 2 :
							   width;

	CHECK(seen.n_texts < 200);
	snprintf(seen.texts[seen.n_texts].text, sizeof(seen.texts[0].text), "%s", text->text);
	if (text->vertical) {
		seen.texts[seen.n_texts].left = text->at.x - text->size * 0.7;
		seen.texts[seen.n_texts].right = text->at.x;
		seen.texts[seen.n_texts].top = text->at.y + back - width;
		seen.texts[seen.n_texts].bottom = text->at.y + back;
	} else {
		seen.texts[seen.n_texts].left = text->at.x - back;
		seen.texts[seen.n_texts].right = text->at.x - back + width;
		seen.texts[seen.n_texts].top = text->at.y - text->size * 0.7;
		seen.texts[seen.n_texts].bottom = text->at.y;
	}
	seen.n_texts++;
}

static void see_clip(struct pipa_drawing *self PIPA_UNUSED, const struct pipa_rect *rect)
{
	if (rect)
		seen.clip = *rect;
}

/* Draw and check that all texts are inside the image and none is on another. */
static void draw_and_check(struct pipa_plot *plot)
{
	struct pipa_drawing drawing = { see_line, see_rect, see_polygon, see_disc,
					see_text, see_clip, has_all };
	size_t i, k, lacking;

	memset(&seen, 0, sizeof(seen));
	CHECK_EQ(pipa_plot_draw(plot, &drawing, &lacking), 0);
	for (i = 0; i < seen.n_texts; i++) {
		CHECK(seen.texts[i].left >= -0.01 && seen.texts[i].right <= plot->width + 0.01);
		CHECK(seen.texts[i].top >= -0.01 && seen.texts[i].bottom <= plot->height + 0.01);
		for (k = 0; k < i; k++)
			if (seen.texts[i].left < seen.texts[k].right &&
			    seen.texts[k].left < seen.texts[i].right &&
			    seen.texts[i].top < seen.texts[k].bottom &&
			    seen.texts[k].top < seen.texts[i].bottom)
				pipa_test_fail(__FILE__, __LINE__, "'%s' is on '%s'",
					       seen.texts[i].text, seen.texts[k].text);
	}
}

static bool is_drawn(const char *text)
{
	size_t i;

	for (i = 0; i < seen.n_texts; i++)
		if (strcmp(seen.texts[i].text, text) == 0)
			return true;
	return false;
}

/* Add a panel with n series of 20 points. */
static struct pipa_plot_panel *add_panel(struct pipa_plot *plot, enum pipa_panel_kind kind,
					 size_t n)
{
	struct pipa_plot_panel *panel = pipa_plot_add_panel(plot, kind);
	char name[60];
	size_t i, k;

	CHECK(panel);
	for (i = 0; i < n; i++) {
		struct pipa_plot_series *series;

		snprintf(name, sizeof(name), "series number %zu", i);
		series = pipa_plot_add_series(panel, name);
		CHECK(series);
		for (k = 0; k < 20; k++)
			CHECK_EQ(pipa_plot_add_point(series, (double)k,
						     k == 10 ? NAN : 1000.0 * (double)(k + i)),
				 0);
	}
	CHECK_EQ(pipa_plot_set_text(&panel->x.label, "elapsed time (s)"), 0);
	CHECK_EQ(pipa_plot_set_text(&panel->y.label, "value"), 0);
	return panel;
}

static struct pipa_plot new_plot(double width, double height, double font)
{
	struct pipa_plot plot = { .width = width, .height = height, .font_size = font };

	CHECK_EQ(pipa_plot_set_text(&plot.title, "A title"), 0);
	return plot;
}

TEST(texts_are_inside_the_image_and_apart)
{
	static const double sizes[][3] = {
		{ 900, 500, 13 }, { 400, 300, 9 }, { 453, 255, 8 }, { 1800, 1000, 26 }
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(sizes); i++) {
		struct pipa_plot plot = new_plot(sizes[i][0], sizes[i][1], sizes[i][2]);

		add_panel(&plot, PIPA_PANEL_LINES, 12);
		draw_and_check(&plot);
		CHECK(is_drawn("A title"));
		CHECK(is_drawn("series number 11"));
		CHECK(is_drawn("value"));
		CHECK(is_drawn("elapsed time (s)"));
		CHECK(seen.clip.w > plot.width * 0.7);
		pipa_plot_done(&plot);
	}
}

TEST(panels_of_one_time_axis_name_it_once)
{
	struct pipa_plot plot = new_plot(900, 800, 13);
	size_t i, n = 0;

	add_panel(&plot, PIPA_PANEL_LINES, 2);
	add_panel(&plot, PIPA_PANEL_LINES, 1);
	draw_and_check(&plot);
	for (i = 0; i < seen.n_texts; i++)
		n += strcmp(seen.texts[i].text, "elapsed time (s)") == 0;
	CHECK_EQ(n, 1);
	pipa_plot_done(&plot);
}

TEST(every_kind_is_drawn)
{
	enum pipa_panel_kind kind;

	for (kind = PIPA_PANEL_LINES; kind <= PIPA_PANEL_ROOFLINE; kind++) {
		struct pipa_plot plot = new_plot(900, 500, 13);
		struct pipa_plot_panel *panel = add_panel(&plot, kind,
							  kind == PIPA_PANEL_CELLS ? 0 : 2);
		size_t i;

		panel->bin = 1;
		panel->peak_y = 5000;
		panel->peak_slope = 1000;
		if (kind == PIPA_PANEL_ROOFLINE)
			panel->x.scale = panel->y.scale = PIPA_PLOT_LOG;
		for (i = 0; i < 20 && (kind == PIPA_PANEL_BARS || kind == PIPA_PANEL_CELLS); i++)
			CHECK_EQ(pipa_plot_add_label(panel, i % 2 ? "odd" : "even name"), 0);
		if (kind == PIPA_PANEL_CELLS) {
			panel->columns = 7;
			panel->cells = malloc(20 * 7 * sizeof(double));
			CHECK(panel->cells);
			for (i = 0; i < 20 * 7; i++)
				panel->cells[i] = i % 5 ? (double)i : NAN;
			panel->x.max = 100;
			panel->x.min = 0;
		}
		draw_and_check(&plot);
		CHECK(seen.n_lines > 5);
		CHECK(kind != PIPA_PANEL_CELLS || seen.n_rects > 100);
		CHECK(kind != PIPA_PANEL_STACKED || seen.n_polygons == 2);
		pipa_plot_done(&plot);
	}
}

TEST(empty_and_absurd_data_is_drawn)
{
	struct pipa_plot plot = new_plot(300, 200, 9);
	struct pipa_plot_panel *panel = pipa_plot_add_panel(&plot, PIPA_PANEL_LINES);
	struct pipa_plot_series *series;

	draw_and_check(&plot);
	series = pipa_plot_add_series(panel, "x");
	CHECK(series);
	CHECK_EQ(pipa_plot_add_point(series, 0, 1e300), 0);
	CHECK_EQ(pipa_plot_add_point(series, 1, -1e300), 0);
	CHECK_EQ(pipa_plot_add_point(series, 2, INFINITY), 0);
	CHECK_EQ(pipa_plot_add_point(series, 3, 5e-324), 0);
	panel->x.min = panel->x.max = panel->y.min = panel->y.max = NAN;
	draw_and_check(&plot);
	pipa_plot_done(&plot);
}

/* ---- files --------------------------------------------------------------------------------------- */

TEST(files_have_their_signatures)
{
	static const char *const starts[] = { "<?xml version=\"1.0\"", "%PDF-1.4\n",
					      "\x89PNG\r\n\x1a\n" };
	static const char *const ends[] = { "</svg>\n", "%%EOF\n", "\xae\x42\x60\x82" };
	enum pipa_plot_format format;

	for (format = PIPA_PLOT_SVG; format <= PIPA_PLOT_PNG; format++) {
		struct pipa_plot plot = new_plot(300, 200, 9);
		struct pipa_buf out = { 0 };
		size_t lacking = 99;

		add_panel(&plot, PIPA_PANEL_LINES, 3);
		CHECK_EQ(pipa_plot_write(&plot, format, &out, &lacking), 0);
		CHECK_EQ(lacking, 0);
		CHECK(out.len > 1000);
		CHECK(memcmp(out.data, starts[format], strlen(starts[format])) == 0);
		CHECK(memcmp(out.data + out.len - strlen(ends[format]), ends[format],
			     strlen(ends[format])) == 0);
		pipa_buf_done(&out);
		pipa_plot_done(&plot);
	}
}

TEST(offsets_of_the_pdf_are_those_of_its_objects)
{
	struct pipa_plot plot = new_plot(300, 200, 9);
	struct pipa_buf out = { 0 };
	const char *table, *row;
	size_t lacking;
	int i;

	add_panel(&plot, PIPA_PANEL_LINES, 1);
	CHECK_EQ(pipa_plot_write(&plot, PIPA_PLOT_PDF, &out, &lacking), 0);
	table = memmem(out.data, out.len, "\nxref\n0 8\n", 10);
	CHECK(table);
	for (i = 1, row = table + 10 + 20; i < 8; i++, row += 20) {
		size_t offset = strtoul(row, NULL, 10);
		char start[20];

		snprintf(start, sizeof(start), "%d 0 obj\n", i);
		CHECK(offset < out.len);
		CHECK(strncmp(out.data + offset, start, strlen(start)) == 0);
	}
	pipa_buf_done(&out);
	pipa_plot_done(&plot);
}
