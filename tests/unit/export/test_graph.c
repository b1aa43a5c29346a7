/* Texts of pictures, and pictures of small profiles. */
#include <stdio.h>

#include "base/buf.h"
#include "export/graph/graph_dot.h"
#include "export/graph/graph_svg.h"
#include "export/graph/graph_text.h"
#include "lib/test.h"

static struct pipa_profile p;
static struct pipa_buf out;

static const char *as_text(const char *text, size_t most)
{
	pipa_buf_reset(&out);
	pipa_graph_text(&out, text, most);
	return pipa_buf_str(&out);
}

static const char *as_symbol(const char *text, size_t most)
{
	pipa_buf_reset(&out);
	pipa_graph_symbol(&out, text, most);
	return pipa_buf_str(&out);
}

TEST(hidden_characters_are_made_visible)
{
	CHECK_STR(as_text("a\tb\x7f", 99), "a\xe2\x90\x89"
					   "b[U+007F]");
	CHECK_STR(as_text("\xe2\x80\xaegpj.exe", 99), "[U+202E]gpj.exe");
	CHECK_STR(as_text("a\xe2\x80\x8b"
			  "b",
			  99),
		  "a[U+200B]b");
	CHECK_STR(as_text("\xef\xbb\xbfx", 99), "[U+FEFF]x");
	CHECK_STR(as_text("gr\xc3\xbc\xc3\x9f", 99), "gr\xc3\xbc\xc3\x9f");
	pipa_buf_done(&out);
}

TEST(invalid_utf8_bytes_of_names_are_replaced)
{
	CHECK_STR(as_text("a\xff\xc3(", 99), "a\xef\xbf\xbd\xef\xbf\xbd(");
	CHECK_STR(as_text("\xe2\x80", 99), "\xef\xbf\xbd\xef\xbf\xbd");
	pipa_buf_done(&out);
}

TEST(long_names_lose_their_middle_and_templates_first)
{
	CHECK_STR(as_text("abcdefghij", 10), "abcdefghij");
	CHECK_STR(as_text("abcdefghij", 7), "abc\xe2\x80\xa6hij");
	CHECK_STR(as_symbol("std::map<std::string, int>::find(std::string const&)", 25),
		  "std::map<...>::find(...)");
	CHECK_STR(as_symbol("a::very::deeply::nested::name::of(int)", 20), "nested::name::of");
	pipa_buf_done(&out);
}

TEST(a_name_of_a_megabyte_is_cut)
{
	static char name[1 << 20];

	memset(name, '(', sizeof(name) - 1);
	CHECK_EQ(strlen(as_symbol(name, 40)), 42); /* 39 and an ellipsis of 3 bytes */
	CHECK(strlen(as_text(name, 1 << 20)) < 4000);
	pipa_buf_done(&out);
}

TEST(texts_are_quoted_for_their_form)
{
	pipa_graph_xml(&out, "<a href=\"x\">&'");
	CHECK_STR(pipa_buf_str(&out), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
	pipa_buf_reset(&out);
	pipa_graph_dot_text(&out, "\"\\N\" &lt;");
	CHECK_STR(pipa_buf_str(&out), "\\\"\\\\N\\\" &amp;lt;");
	pipa_buf_done(&out);
}

/* ---- pictures --------------------------------------------------------------------------------------- */

static uint32_t at(const char *object, const char *function)
{
	struct pipa_object o = { .path = pipa_profile_text(&p, object) };
	uint32_t number = pipa_profile_object(&p, &o);
	struct pipa_function f = { .name = pipa_profile_text(&p, function), .object = number };
	struct pipa_location location = { .object = number, .offset = f.name };

	number = pipa_profile_location(&p, &location);
	if (!p.locations.items[number].n_lines)
		CHECK_EQ(pipa_profile_name(&p, number, pipa_profile_function(&p, &f), 0), 0);
	return number;
}

/* f is called by main of "prog", and is of the library */
static void sample(const char *library, const char *f, uint64_t weight)
{
	struct pipa_sample s = { .event = pipa_profile_event(&p, "cpu-clock"),
				 .thread = PIPA_NONE,
				 .cpu = PIPA_NONE,
				 .weight = weight,
				 .count = 1 };

	s.stack = pipa_profile_stack(&p, PIPA_NONE, at("/bin/prog", "main"));
	s.stack = pipa_profile_stack(&p, s.stack, at(library, f));
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
}

static const char *draw(int (*write)(const struct pipa_callgraph *, const struct pipa_graph_style *,
				     struct pipa_buf *),
			struct pipa_callgraph_limits limits)
{
	struct pipa_graph_style style = { .title = "a <title>",
					  .event = "cpu-clock",
					  .unit = "ns",
					  .by_library = true,
					  .limits = limits };
	struct pipa_callgraph_options options = { .event = PIPA_NONE };
	struct pipa_callgraph graph = { 0 };

	CHECK_EQ(pipa_callgraph_make(&p, &options, &graph, NULL), 0);
	CHECK_EQ(pipa_callgraph_prune(&graph, &limits), 0);
	pipa_buf_reset(&out);
	CHECK_EQ(write(&graph, &style, &out), 0);
	pipa_callgraph_done(&graph);
	return pipa_buf_str(&out);
}

static void finish(void)
{
	pipa_buf_done(&out);
	pipa_profile_done(&p);
}

TEST(an_image_describes_its_content)
{
	const char *svg;

	sample("/lib/libx.so", "heavy", 1500000000);
	sample("/lib/libx.so", "light", 500000000);
	svg = draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 });
	CHECK_HAS(svg, ">a &lt;title&gt;</text>");
	CHECK_HAS(svg, ">2 samples, 2.00 s of cpu-clock</text>");
	CHECK_HAS(svg, ">heavy</text>");
	CHECK_HAS(svg, ">libx.so</text>");
	CHECK_HAS(svg, ">75.0 % self \xc2\xb7 75.0 % total</text>");
	CHECK_HAS(svg, ">100.0 % total</text>");
	CHECK_HAS(svg, "<title>main \xe2\x86\x92 light\n25.0 % (500.00 ms, 1 sample)</title>");
	CHECK_HAS(svg, ">libx.so 100.0 % self</text>");
	CHECK(!strstr(svg, "not shown"));
	finish();
}

TEST(an_image_names_omitted_functions)
{
	struct pipa_callgraph_limits limits = { .min_node = 2, .min_edge = 1 };

	sample("x", "heavy", 990);
	sample("x", "light", 10);
	CHECK_HAS(draw(pipa_graph_svg, limits),
		  "1 of 3 functions and 1 of 2 calls not shown: below 2 % (calls: 1 %)");
	limits.max_nodes = 1;
	CHECK_HAS(draw(pipa_graph_dot, limits), "2 of 3 functions and 2 of 2 calls not shown: "
						"not among the top 1 (calls: 1 %)");
	finish();
}

TEST(dot_has_the_libraries_as_clusters)
{
	const char *dot;

	sample("libx.so", "\"f\\", 3);
	dot = draw(pipa_graph_dot, (struct pipa_callgraph_limits){ 0 });
	CHECK_HAS(dot, "subgraph cluster_0 {\nlabel=\"libx.so\"\n");
	CHECK_HAS(dot, "label=\"\\\"f\\\\\\nlibx.so\\nself 100.0 %, total 100.0 %\"");
	CHECK_HAS(dot, "label=\" 100.0 %\"");
	finish();
}

/* ---- boxes of libraries ----------------------------------------------------------------------------- */

struct box {
	double x, y, width, height;
	char library[64];
};

static bool box_at(const char *text, struct box *ret)
{
	return sscanf(text, "x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"", &ret->x, &ret->y,
		      &ret->width, &ret->height) == 4;
}

/* Nodes with the name of their library. */
static size_t read_nodes(const char *svg, struct box *ret)
{
	size_t n = 0;

	for (svg = strstr(svg, "<g class=\"n "); svg; svg = strstr(svg + 1, "<g class=\"n ")) {
		CHECK(box_at(strstr(svg, "<rect ") + 6, &ret[n]));
		CHECK_EQ(sscanf(strchr(strstr(svg, "class=\"m\""), '>'), ">%63[^<]",
				ret[n].library),
			 1);
		n++;
	}
	return n;
}

/* All boxes, each with the name that its piece has; returns how many, and the pieces. */
static size_t read_boxes(const char *svg, struct box *ret, size_t *ret_pieces)
{
	const char *name = svg;
	size_t n = 0;

	*ret_pieces = 0;
	for (svg = strstr(svg, "<g class=\"c "); svg; svg = strstr(svg + 1, "<g class=\"c ")) {
		const char *end = strstr(svg, "</g>"), *rect = svg;

		name = strstr(name + 1, "<text class=\"k ");
		CHECK(name && end);
		(*ret_pieces)++;
		while ((rect = strstr(rect + 1, "<rect class=\"f\" ")) && rect < end) {
			CHECK(box_at(rect + strlen("<rect class=\"f\" "), &ret[n]));
			CHECK_EQ(sscanf(strchr(name, '>'), ">%63[^<]", ret[n].library), 1);
			n++;
		}
	}
	return n;
}

static bool overlap(const struct box *a, const struct box *b)
{
	return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height &&
	       b->y < a->y + a->height;
}

static unsigned int seed = 1;

static unsigned int roll(unsigned int n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 8) % n;
}

/* A stack of functions, each of which is in a library by its number. */
static void sample_any(void)
{
	struct pipa_sample s = { .event = pipa_profile_event(&p, "cpu-clock"),
				 .thread = PIPA_NONE,
				 .cpu = PIPA_NONE,
				 .weight = 10,
				 .count = 1,
				 .stack = PIPA_NONE };
	unsigned int depth = 2 + roll(6), f = 0;
	char library[32], name[32];

	while (depth--) {
		f = (f + 1 + roll(9)) % 40;
		snprintf(library, sizeof(library), "/lib/lib%u.so", f % 10 / 3);
		snprintf(name, sizeof(name), "f%u", f);
		s.stack = pipa_profile_stack(&p, s.stack, at(library, name));
	}
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
}

TEST(functions_of_a_library_are_in_a_box)
{
	static struct box nodes[100], boxes[400];
	size_t n_nodes, n_boxes, pieces, i, k, standing = 0;
	const char *svg;

	for (i = 0; i < 60; i++)
		sample_any();
	svg = draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 });
	n_nodes = read_nodes(svg, nodes);
	n_boxes = read_boxes(svg, boxes, &pieces);
	CHECK(n_nodes >= 30 && pieces >= 3);
	for (i = 0; i < n_nodes; i++) {
		bool stands = false;

		for (k = 0; k < n_boxes; k++) {
			if (overlap(&nodes[i], &boxes[k]))
				CHECK_STR(nodes[i].library, boxes[k].library);
			stands |= overlap(&nodes[i], &boxes[k]);
		}
		standing += stands;
	}
	CHECK(standing >= 2 * pieces);
	for (i = 0; i < n_boxes; i++)
		for (k = 0; k < i; k++)
			if (overlap(&boxes[i], &boxes[k]))
				CHECK_STR(boxes[i].library, boxes[k].library);
	finish();
}

TEST(a_single_function_has_no_box)
{
	const char *svg;

	sample("/lib/libz.so", "inflate", 60);
	svg = draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 });
	CHECK(!strstr(svg, "<g class=\"c "));
	pipa_buf_reset(&out);
	sample("/bin/prog", "own", 60);
	svg = draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 });
	CHECK(strstr(svg, "<g class=\"c "));
	CHECK_HAS(svg, ">prog</text>");
	finish();
}

TEST(markup_in_names_is_escaped)
{
	const char *svg;

	sample("</style><script>", "</title><script>alert(1)</script>\x01", 3);
	svg = draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 });
	CHECK(!strstr(svg, "<script"));
	CHECK(!strchr(svg, '\x01'));
	finish();
}

TEST(an_empty_profile_is_an_image_with_a_note)
{
	CHECK_HAS(draw(pipa_graph_svg, (struct pipa_callgraph_limits){ 0 }),
		  ">no samples to show</text>");
	CHECK_HAS(draw(pipa_graph_dot, (struct pipa_callgraph_limits){ 0 }),
		  "no samples to show\\l");
	finish();
}

TEST(samples_of_weight_zero_are_drawn)
{
	sample("x", "f", 0);
	CHECK_HAS(draw(pipa_graph_svg, (struct pipa_callgraph_limits){ .min_node = 0.5 }),
		  "1 sample");
	finish();
}
