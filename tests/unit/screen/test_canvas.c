#include "screen/cells/canvas.h"

#include <math.h>

#include "lib/test.h"
#include "rows.h"

static struct pipa_canvas canvas;

static void start(int width, int height)
{
	canvas = (struct pipa_canvas){ .utf8 = true, .color = true };
	CHECK_EQ(pipa_canvas_resize(&canvas, width, height), 0);
}

TEST(text_is_clipped_at_the_edges)
{
	start(5, 2);
	CHECK_EQ(pipa_canvas_put(&canvas, 3, 0, 10, PIPA_STYLE_PLAIN, "abc"), 3);
	pipa_canvas_put(&canvas, -1, 1, 10, PIPA_STYLE_PLAIN, "xyz");
	pipa_canvas_put(&canvas, 0, 2, 10, PIPA_STYLE_PLAIN, "below");
	pipa_canvas_put(&canvas, 0, -1, 10, PIPA_STYLE_PLAIN, "above");
	CHECK_STR(canvas_text(&canvas), "   ab\nyz\n");
	pipa_canvas_done(&canvas);
}

TEST(text_that_is_too_long_ends_in_a_mark)
{
	start(10, 1);
	CHECK_EQ(pipa_canvas_put(&canvas, 0, 0, 4, PIPA_STYLE_PLAIN, "abcd"), 4);
	CHECK_STR(canvas_line(&canvas, 0), "abcd");
	CHECK_EQ(pipa_canvas_put(&canvas, 0, 0, 4, PIPA_STYLE_PLAIN, "abcde"), 4);
	CHECK_STR(canvas_line(&canvas, 0), "abc…");
	canvas.utf8 = false;
	pipa_canvas_put(&canvas, 0, 0, 4, PIPA_STYLE_PLAIN, "abcde");
	CHECK_STR(canvas_line(&canvas, 0), "abc~");
	pipa_canvas_done(&canvas);
}

TEST(a_wide_character_is_never_halved)
{
	start(6, 1);
	pipa_canvas_put(&canvas, 0, 0, 3, PIPA_STYLE_PLAIN, "日本");
	CHECK_STR(canvas_line(&canvas, 0), "日…");
	pipa_canvas_put(&canvas, 1, 0, 1, PIPA_STYLE_PLAIN, "x"); /* over its right half */
	CHECK_STR(canvas_line(&canvas, 0), " x…");
	pipa_canvas_put(&canvas, 3, 0, 2, PIPA_STYLE_PLAIN, "本");
	pipa_canvas_put(&canvas, 3, 0, 1, PIPA_STYLE_PLAIN, "y"); /* over its left half */
	CHECK_STR(canvas_line(&canvas, 0), " x…y");
	CHECK_EQ(canvas.cells[4].ch, ' ');
	pipa_canvas_put(&canvas, 5, 0, 2, PIPA_STYLE_PLAIN, "日"); /* over the edge */
	CHECK_STR(canvas_line(&canvas, 0), " x…y");
	pipa_canvas_done(&canvas);
}

TEST(text_can_end_at_the_right)
{
	start(8, 1);
	pipa_canvas_right(&canvas, 1, 0, 6, PIPA_STYLE_PLAIN, "abc");
	CHECK_STR(canvas_line(&canvas, 0), "    abc");
	pipa_canvas_right(&canvas, 1, 0, 6, PIPA_STYLE_PLAIN, "abcdefgh");
	CHECK_STR(canvas_line(&canvas, 0), " abcde…");
	pipa_canvas_done(&canvas);
}

TEST(the_parts_of_a_bar_add_up)
{
	const struct pipa_part parts[] = { { 0.24, PIPA_STYLE_USER },
					   { NAN, PIPA_STYLE_STEAL },
					   { 0.26, PIPA_STYLE_SYSTEM },
					   { 9, PIPA_STYLE_IOWAIT } };

	start(10, 1);
	canvas.utf8 = false;
	pipa_canvas_bar(&canvas, 0, 0, 10, parts, 3);
	CHECK_STR(canvas_line(&canvas, 0), "||###.....");
	pipa_canvas_bar(&canvas, 0, 0, 10, parts, 4); /* more than all of it */
	CHECK_STR(canvas_line(&canvas, 0), "||###:::::");
	pipa_canvas_bar(&canvas, 0, 0, -3, parts, 4);
	pipa_canvas_done(&canvas);
}

static const char *column(double value, int height)
{
	const char *text;

	start(1, height);
	pipa_canvas_column(&canvas, &(struct pipa_box){ 0, 0, 1, height }, value, 100,
			   PIPA_STYLE_CHART);
	text = canvas_text(&canvas);
	pipa_canvas_done(&canvas);
	return text;
}

TEST(a_column_grows_in_eighths_and_missing_is_not_zero)
{
	CHECK_STR(column(NAN, 1), "\n");
	CHECK_STR(column(0, 1), "▁\n");
	CHECK_STR(column(0.01, 1), "▂\n");
	CHECK_STR(column(50, 1), "▅\n");
	CHECK_STR(column(100, 1), "█\n");
	CHECK_STR(column(1e9, 1), "█\n");
	CHECK_STR(column(0, 2), "\n▁\n");
	CHECK_STR(column(50, 2), "▁\n█\n");
	CHECK_STR(column(100, 2), "█\n█\n");
}

TEST(a_frame_has_corners_and_is_blank_inside)
{
	start(4, 3);
	pipa_canvas_fill(&canvas, &(struct pipa_box){ 0, 0, 4, 3 }, 'x', PIPA_STYLE_PLAIN);
	pipa_canvas_frame(&canvas, &(struct pipa_box){ 0, 0, 4, 3 }, PIPA_STYLE_DIM);
	CHECK_STR(canvas_text(&canvas), "┌──┐\n│  │\n└──┘\n");
	pipa_canvas_done(&canvas);
}
