#include "export/view/flame_svg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "export/view/view.h"
#include "export/view/web.h"
#include "lib/test.h"

static struct pipa_profile p, base;
static struct pipa_flame flame;
static struct pipa_buf out;

/* "outer;inner", of one object */
static void add_of(struct pipa_profile *to, const char *path, const char *frames, uint64_t weight)
{
	struct pipa_object object = { .path = pipa_profile_text(to, path) };
	struct pipa_sample sample = { .event = pipa_profile_event(to, "cycles"),
				      .thread = PIPA_NONE,
				      .cpu = PIPA_NONE,
				      .stack = PIPA_NONE,
				      .weight = weight,
				      .count = 1 };

	while (*frames) {
		size_t len = strcspn(frames, ";");
		struct pipa_function function = { .name = pipa_strings_add(&to->strings, frames,
									   len),
						  .object = pipa_profile_object(to, &object) };
		struct pipa_location location = { .object = function.object,
						  .offset = function.name };
		uint32_t at = pipa_profile_location(to, &location);

		if (!to->locations.items[at].n_lines)
			CHECK_EQ(pipa_profile_name(to, at, pipa_profile_function(to, &function), 0),
				 0);
		sample.stack = pipa_profile_stack(to, sample.stack, at);
		frames += len + (frames[len] == ';');
	}
	CHECK_EQ(pipa_profile_add(to, &sample), 0);
}

static void add(struct pipa_profile *to, const char *frames, uint64_t weight)
{
	add_of(to, "/lib/libx.so", frames, weight);
}

static const char *draw(struct pipa_view_show show, struct pipa_flame_svg_style style)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE, .base_event = PIPA_NONE };
	struct pipa_view view = { .view = "flame",
				  .title = "a.data",
				  .base_title = "old.data",
				  .event = "cycles",
				  .unit = "events",
				  .flame = &flame,
				  .profile = &p,
				  .show = show };

	pipa_flame_done(&flame);
	if (base.samples.n)
		CHECK_EQ(pipa_flame_make_diff(&base, &p, &all, &flame), 0);
	else
		CHECK_EQ(pipa_flame_make(&p, &all, &flame), 0);
	pipa_buf_reset(&out);
	pipa_flame_svg_write(&view, &style, &out);
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}

static const struct pipa_view_show plain;
static const struct pipa_flame_svg_style wide = { .width = 1020, /* 1000 for the frames */
						  .min_width = 0.5 };

TEST(frames_are_as_wide_as_their_weight_and_above_their_callers)
{
	const char *text;

	add(&p, "main;a", 250);
	add(&p, "main;b;c", 500);
	add(&p, "main", 250);
	text = draw(plain, wide);
	/* rows of 16 from 62 on: c, then a and b, main, all */
	CHECK_HAS(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1020\" height=\"198\"");
	CHECK_HAS(text, "data-row=\"0\"><title>all\n1,000 events, 3 samples</title>"
			"<rect x=\"10\" y=\"110\" width=\"1000\" height=\"15\"/>");
	CHECK_HAS(text, "<title>main\nlibx.so\ntotal 100.00 %, 1,000 events\n"
			"self 25.00 %, 250 events</title>"
			"<rect x=\"10\" y=\"94\" width=\"1000\" height=\"15\"/>"
			"<text x=\"13\" y=\"105\">main</text>");
	CHECK_HAS(text, "<rect x=\"10\" y=\"78\" width=\"250\" height=\"15\"/>");
	CHECK_HAS(text, "<rect x=\"260\" y=\"78\" width=\"500\" height=\"15\"/>");
	CHECK_HAS(text, "<rect x=\"260\" y=\"62\" width=\"500\" height=\"15\"/>");
	CHECK_HAS(text, "cycles: 1,000 events in 3 samples</text>");
}

TEST(an_icicle_hangs_from_the_top)
{
	const char *text;

	add(&p, "main;a", 250);
	text = draw((struct pipa_view_show){ .icicle = true }, wide);
	CHECK_HAS(text, "data-icicle=\"1\"");
	CHECK_HAS(text,
		  "data-row=\"0\"><title>all\n250 events, 1 sample</title><rect x=\"10\" y=\"62\"");
	CHECK_HAS(text, "self 100.00 %, 250 events</title><rect x=\"10\" y=\"94\"");
}

TEST(narrow_frames_are_omitted_and_counted)
{
	const char *text;

	add(&p, "main;wide", 100000);
	add(&p, "main;thin;er", 1); /* 0.01 pixels, and what it calls */
	text = draw(plain, wide);
	CHECK(!strstr(text, ">thin"));
	CHECK_HAS(text, "2 frames too narrow to draw</text>");
	add(&p, "main;some", 400);
	CHECK_HAS(draw(plain, wide), "<title>some\n");
	text = draw(plain, (struct pipa_flame_svg_style){ .width = 1020, .min_percent = 1 });
	CHECK(!strstr(text, "<title>some\n"));
	CHECK_HAS(text, "3 frames too narrow to draw</text>");
}

TEST(half_a_pixel_is_drawn_and_zero_draws_everything)
{
	const char *text;

	add(&p, "main;wide", 1999);
	add(&p, "main;half", 1); /* of 2,000 on 1,000 pixels */
	CHECK_HAS(draw(plain, wide), "<title>half\n");
	add(&p, "main;wide", 10);
	text = draw(plain, wide);
	CHECK(!strstr(text, "<title>half\n"));
	CHECK_HAS(text, ">1 frame too narrow to draw</text>");
	text = draw(plain, (struct pipa_flame_svg_style){ .width = 1020 });
	CHECK_HAS(text, "<title>half\n");
	CHECK(!strstr(text, "too narrow"));
}

TEST(labels_fit_or_are_not_there)
{
	const char *text;

	add(&p, "a_name_that_is_longer_than_its_frame_can_be", 100);
	add(&p, "small_one", 25);
	add(&p, "rest", 875);
	text = draw(plain, wide); /* of 100, 25 and 875 pixels: 14 columns, 2 and many */
	CHECK_HAS(text, ">a_name_that_i\xe2\x80\xa6</text>");
	CHECK(!strstr(text, ">s\xe2\x80\xa6") && !strstr(text, ">sm\xe2\x80\xa6"));
	CHECK_HAS(text, "<title>small_one\n");
	CHECK_HAS(text, ">rest</text>");
}

TEST(narrow_frames_have_the_part_of_the_name_that_distinguishes)
{
	const char *text;

	add(&p, "libcrypto.so.3!fn@0x29c240", 100);
	add(&p, "std::map<int, std::pair<int, long> >::find(int const&)", 100);
	add(&p, "rest", 800);
	text = draw(plain, wide); /* 14 columns each */
	CHECK_HAS(text, ">fn@0x29c240</text>");
	CHECK_HAS(text, "<title>libcrypto.so.3!fn@0x29c240\n");
	CHECK_HAS(text, ">map&lt;...&gt;::find</text>");
	CHECK_HAS(
		text,
		"<title>std::map&lt;int, std::pair&lt;int, long&gt; &gt;::find(int const&amp;)\n");
}

TEST(a_difference_is_red_and_blue_and_has_vanished_frames)
{
	const char *text;

	add(&base, "main;gone", 500000);
	add(&base, "main;same", 500000);
	add(&p, "main;new", 1000000);
	add(&p, "main;same", 1000000);
	p.samples.items[0].count = 100000; /* a few samples would be pale */
	text = draw(plain, wide); /* half of each, so all are a half and two quarters wide */
	CHECK_HAS(text, "compared with old.data: 1,000,000 events</text>");
	CHECK_HAS(text, "class=\"f d0\" data-row=\"2\"><title>gone\nlibx.so\nnow 0.00 %, 0 events\n"
			"before 50.00 %, 500,000 events</title>"
			"<rect x=\"10\" y=\"62\" width=\"250\"");
	CHECK_HAS(text, "class=\"f d12\" data-row=\"2\"><title>new\n");
	CHECK_HAS(text, "class=\"f d6\" data-row=\"2\"><title>same\n");
	text = draw((struct pipa_view_show){ .absolute = true }, wide); /* same has doubled */
	CHECK_HAS(text, "class=\"f d8\" data-row=\"2\"><title>same\n");
}

TEST(colours_follow_the_color_option)
{
	add(&p, "main;leaf", 3);
	add(&p, "main", 1);
	CHECK_HAS(draw((struct pipa_view_show){ .color = "self" }, wide),
		  "class=\"f s2\" data-row=\"1\"><title>main\n");
	CHECK_HAS(draw((struct pipa_view_show){ .color = "self" }, wide),
		  "class=\"f s8\" data-row=\"2\"><title>leaf\n");
	CHECK_HAS(draw((struct pipa_view_show){ .color = "kind" }, wide), "class=\"f h1");
	CHECK_HAS(draw((struct pipa_view_show){ .color = "library" }, wide), "class=\"f h0");
}

TEST(a_legend_explains_the_colours)
{
	const char *text;

	CHECK(!strstr(draw(plain, wide), "class=\"key\"")); /* nothing has none */
	add(&p, "main;leaf", 3);
	CHECK_HAS(draw(plain, wide), "<g class=\"h00\"><rect x=\"10.0\" y=\"118.0\" width=\"12.0\" "
				     "height=\"12\"/></g><text class=\"key\" x=\"28.0\" "
				     "y=\"128.5\">libx.so</text>");
	text = draw((struct pipa_view_show){ .color = "kind" }, wide);
	CHECK_HAS(text, ">user</text>");
	CHECK(!strstr(text, ">kernel</text>") && !strstr(text, ">libx.so</text>"));
	text = draw((struct pipa_view_show){ .color = "self" }, wide);
	CHECK_HAS(text, ">0 % self</text>");
	CHECK_HAS(text, "<g class=\"s8\">");
	CHECK(!strstr(text, "<g class=\"s9\">"));
	add(&base, "main;leaf", 3);
	text = draw(plain, wide);
	CHECK_HAS(text, ">gone, less</text>");
	CHECK_HAS(text, "<g class=\"d12\">");
	CHECK_HAS(text, ">more, new</text>");
}

TEST(a_legend_takes_the_lines_it_needs)
{
	static const struct pipa_flame_svg_style slim = { .width = 320 };
	char path[40], name[] = "f0";
	const char *text;
	int i;

	for (i = 0; i < 9; i++, name[1]++) { /* two more than there are colours */
		snprintf(path, sizeof(path), "/lib/liblonger%d.so", i);
		add_of(&p, path, name, 100 - (uint64_t)i);
	}
	text = draw(plain, slim);	   /* 300 pixels: two of 117 a line */
	CHECK_HAS(text, "height=\"220\""); /* 62, two rows of 16, 8, four lines of 18, 46 */
	CHECK_HAS(text, "x=\"28.0\" y=\"166.5\">liblonger6.so</text>");
	CHECK_HAS(text, "y=\"166.5\">others</text>");
	CHECK(!strstr(text, ">liblonger7.so</text>"));
}

TEST(markup_in_names_of_frames_is_escaped)
{
	const char *text;

	add(&p, "]]></title><script>alert(1)</script>\x01\xff", 3);
	text = draw(plain, wide);
	CHECK_HAS(text, "<title>]]&gt;&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"
			"&lt;U+0001&gt;\xef\xbf\xbd\n");
	CHECK(!strstr(text, "<script>a"));
}

TEST(an_empty_profile_gives_an_image)
{
	CHECK_HAS(draw(plain, wide), "no samples</text>");
	add(&p, "main", 0);
	CHECK_HAS(draw(plain, wide), "all samples have period 0</text>");
	CHECK_HAS(draw(plain, wide), "</svg>\n");
}

TEST(style_and_script_cannot_end_their_section)
{
	CHECK(!strstr(pipa_web_svg_style.bytes, "]]>"));
	CHECK(!strstr(pipa_web_svg_script.bytes, "]]>"));
	add(&p, "main", 1);
	CHECK_HAS(draw(plain, wide), pipa_web_svg_script.bytes);
}
