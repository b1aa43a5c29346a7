#include "plot/raster.h"

#include <math.h>
#include <stdlib.h>

#include "plot/plot_text.h"
#include "plot/stroke_font.h"
#include "lib/test.h"

enum { W = 40, H = 30 };

static const struct pipa_color black;
static struct pipa_raster raster;

static void begin(void)
{
	CHECK_EQ(pipa_raster_init(&raster, W, H), 0);
}

/* Return how much of a pixel is covered by black, in percent. */
static int cover(int x, int y)
{
	return (int)lround((255 - raster.rgb[(y * W + x) * 3]) / 2.55);
}

/* Return the covered area in pixels. */
static double area(void)
{
	double sum = 0;
	int x, y;

	for (y = 0; y < H; y++)
		for (x = 0; x < W; x++)
			sum += (255 - raster.rgb[(y * W + x) * 3]) / 255.0;
	return sum;
}

static void fill(const struct pipa_xy *points, size_t n)
{
	pipa_raster_add_polygon(&raster, points, n);
	pipa_raster_fill(&raster, black, 1);
}

TEST(pixels_are_covered_by_exact_area)
{
	begin();
	fill((const struct pipa_xy[]){ { 2, 3 }, { 5.5, 3 }, { 5.5, 4.25 }, { 2, 4.25 } }, 4);
	CHECK_EQ(cover(1, 3), 0);
	CHECK_EQ(cover(2, 3), 100);
	CHECK_EQ(cover(4, 3), 100);
	CHECK_EQ(cover(5, 3), 50);
	CHECK_EQ(cover(2, 4), 25);
	CHECK(abs(cover(5, 4) - 13) <= 1);
	CHECK_EQ(cover(6, 3), 0);
	CHECK_EQ(cover(2, 5), 0);
	pipa_raster_done(&raster);
}

TEST(slanted_edges_keep_the_area)
{
	begin();
	fill((const struct pipa_xy[]){ { 3.3, 2.1 }, { 33.7, 9.9 }, { 12.2, 27.3 } }, 3);
	/* half of the cross product */
	CHECK(fabs(area() - fabs(30.4 * 25.2 - 7.8 * 8.9) / 2) < 1);
	pipa_raster_done(&raster);
}

TEST(orientation_does_not_matter)
{
	double first;

	begin();
	fill((const struct pipa_xy[]){ { 3, 2 }, { 30, 9 }, { 12, 27 } }, 3);
	first = area();
	pipa_raster_done(&raster);
	begin();
	fill((const struct pipa_xy[]){ { 12, 27 }, { 30, 9 }, { 3, 2 } }, 3);
	CHECK(fabs(area() - first) < 0.01);
	pipa_raster_done(&raster);
}

TEST(polygons_outside_of_the_image_are_clipped)
{
	begin();
	fill(
		(const struct pipa_xy[]){
			{ -100, -100 }, { 1000, -100 }, { 1000, 1000 }, { -100, 1000 } },
		4);
	CHECK(fabs(area() - W * H) < 0.01);
	fill((const struct pipa_xy[]){ { NAN, 0 }, { 10, 10 }, { INFINITY, 10 } }, 3);
	pipa_raster_done(&raster);
	begin();
	fill((const struct pipa_xy[]){ { -50, 5 }, { -10, 5 }, { -10, 10 }, { -50, 10 } }, 4);
	fill((const struct pipa_xy[]){ { 50, 5 }, { 90, 5 }, { 90, 10 }, { 50, 10 } }, 4);
	CHECK(area() < 0.01);
	pipa_raster_done(&raster);
}

TEST(fills_stay_in_the_clip)
{
	const struct pipa_rect clip = { 10, 5, 4, 3 };

	begin();
	pipa_raster_clip(&raster, &clip);
	fill((const struct pipa_xy[]){ { 0, 0 }, { W, 0 }, { W, H }, { 0, H } }, 4);
	CHECK(fabs(area() - 12) < 0.01);
	CHECK_EQ(cover(10, 5), 100);
	CHECK_EQ(cover(9, 5), 0);
	CHECK_EQ(cover(14, 5), 0);
	pipa_raster_done(&raster);
}

TEST(a_line_that_crosses_itself_covers_once)
{
	const struct pipa_xy line[] = { { 5, 5 }, { 35, 25 }, { 35, 5 }, { 5, 25 } };
	int x, y;

	begin();
	pipa_raster_add_line(&raster, line, 4, 4, 0, 0);
	pipa_raster_fill(&raster, black, 0.5);
	for (y = 0; y < H; y++)
		for (x = 0; x < W; x++)
			CHECK(cover(x, y) <= 51);
	CHECK(cover(20, 15) >= 49);
	pipa_raster_done(&raster);
}

TEST(dashes_leave_gaps)
{
	const struct pipa_xy line[] = { { 0, 10.5 }, { 40, 10.5 } };

	begin();
	pipa_raster_add_line(&raster, line, 2, 1, 4, 4);
	pipa_raster_fill(&raster, black, 1);
	CHECK(fabs(area() - 20) < 0.1);
	CHECK_EQ(cover(1, 10), 100);
	CHECK_EQ(cover(5, 10), 0);
	CHECK_EQ(cover(9, 10), 100);
	pipa_raster_done(&raster);
}

TEST(a_disc_has_the_area_of_its_circle)
{
	begin();
	pipa_raster_add_disc(&raster, (struct pipa_xy){ 20.3, 15.6 }, 9);
	pipa_raster_fill(&raster, black, 1);
	CHECK(fabs(area() - M_PI * 81) < 2);
	pipa_raster_done(&raster);
}

TEST(every_printable_character_has_a_glyph_within_its_advance)
{
	uint32_t ch;

	for (ch = ' '; ch <= '~'; ch++) {
		const char text[2] = { (char)ch };
		struct pipa_drawn_text drawn = { .at = { 10, 20 }, .text = text, .size = 16 };
		double right = 10 + pipa_plot_text_width(text, 16, false);
		int x, y;

		CHECK(pipa_stroke_font_has(ch));
		begin();
		pipa_stroke_font_add(&raster, &drawn);
		pipa_raster_fill(&raster, black, 1);
		CHECK((area() > 1) == (ch != ' '));
		for (y = 0; y < H; y++)
			for (x = 0; x < W; x++)
				CHECK(cover(x, y) < 20 || (x >= 9 && x <= right + 1));
		pipa_raster_done(&raster);
	}
	CHECK(pipa_stroke_font_has(0xb5));
	CHECK(!pipa_stroke_font_has(0xe9));
	CHECK(!pipa_stroke_font_has(0x6027));
}
