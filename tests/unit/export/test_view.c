#include "export/view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "export/view/view_text.h"
#include "export/view/web.h"
#include "lib/test.h"
#include "model/recording.h"

static struct pipa_profile p, base;
static struct pipa_flame flame;
static struct pipa_buf out;

static uint32_t below(struct pipa_profile *to, uint32_t parent, const char *name)
{
	struct pipa_object object = { .path = pipa_profile_text(to, "/lib/libx.so") };
	struct pipa_function function = { .name = pipa_profile_text(to, name),
					  .object = pipa_profile_object(to, &object) };
	struct pipa_location location = { .object = function.object,
					  .offset = function.name,
					  .mode = PIPA_MODE_USER };
	uint32_t at = pipa_profile_location(to, &location);

	if (!to->locations.items[at].n_lines)
		CHECK_EQ(pipa_profile_name(to, at, pipa_profile_function(to, &function), 0), 0);
	return pipa_profile_stack(to, parent, at);
}

static void add(struct pipa_profile *to, uint32_t stack, uint64_t weight, uint64_t count)
{
	struct pipa_sample sample = { .event = pipa_profile_event(to, "cycles"),
				      .thread = PIPA_NONE,
				      .cpu = PIPA_NONE,
				      .stack = stack,
				      .weight = weight,
				      .count = count };

	CHECK_EQ(pipa_profile_add(to, &sample), 0);
}

/* main (2 x 10) calls leaf (1 x 200); and 1 x 10 without a stack, if wanted */
static struct pipa_view tree(uint64_t leaf)
{
	struct pipa_view view = { .view = "flame",
				  .title = "a.data",
				  .event = "cycles",
				  .unit = "events",
				  .flame = &flame,
				  .profile = &p };
	const struct pipa_flame_options all = { .event = PIPA_NONE, .base_event = PIPA_NONE };
	uint32_t main_stack = below(&p, PIPA_NONE, "main");

	add(&p, main_stack, 20, 2);
	add(&p, below(&p, main_stack, "leaf"), leaf, 1);
	CHECK_EQ(pipa_flame_make(&p, &all, &flame), 0);
	return view;
}

static const char *data(const struct pipa_view *view)
{
	pipa_buf_reset(&out);
	pipa_view_write_data(view, &out);
	CHECK_EQ(out.status, 0);
	return pipa_buf_str(&out);
}

TEST(a_view_is_strings_and_columns)
{
	struct pipa_view view = tree(200);

	/* frames leaf (string 1) and main (3), both of libx.so (2): 2, 1 2 0, 3 2 0;
	   nodes main, up 0, self 20, and leaf, up 0, self 200: 2, 0 1 20, 0 0 200 */
	CHECK_STR(data(&view), "{\"schema\":\"pipa.view/1\",\n"
			       "\"view\":\"flame\",\n"
			       "\"title\":\"a.data\",\n"
			       "\"event\":\"cycles\",\n"
			       "\"unit\":\"events\",\n"
			       "\"by\":\"\",\n"
			       "\"total\":220,\n"
			       "\"samples\":3,\n"
			       "\"lost\":0,\n"
			       "\"complete\":true,\n"
			       "\"notes\":[],\n"
			       "\"strings\":[\"\",\n\"leaf\",\n\"libx.so\",\n\"main\"],\n"
			       "\"frames\":\"AgECAAMCAA==\",\n"
			       "\"tree\":\"AgABFAAAyAE=\",\n"
			       "\"counts\":\"AgE=\"}\n");
}

TEST(samples_of_one_weight_need_no_counts)
{
	struct pipa_view view = tree(10);

	CHECK_HAS(data(&view), "\"period\":10}");
	CHECK(!strstr(data(&view), "counts"));
}

/* Samples that weigh nothing are counted, though the others weigh the same each. */
TEST(samples_of_no_weight_are_counted_beside_others)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE };
	struct pipa_view view = tree(10);

	pipa_flame_done(&flame);
	add(&p, below(&p, PIPA_NONE, "aaa"), 0, 3);
	CHECK_EQ(pipa_flame_make(&p, &all, &flame), 0);
	CHECK(!strstr(data(&view), "\"period\""));
	CHECK_HAS(data(&view), "\"counts\":");
}

TEST(an_empty_profile_is_a_view_too)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE };
	struct pipa_view view = { .view = "flame",
				  .title = "",
				  .event = "",
				  .unit = "samples",
				  .flame = &flame,
				  .profile = &p };

	CHECK_EQ(pipa_flame_make(&p, &all, &flame), 0);
	CHECK_HAS(data(&view), "\"unit\":\"samples\"");
	CHECK_HAS(data(&view), "\"total\":0,\n\"samples\":0,");
	CHECK_HAS(data(&view), "\"strings\":[\"\"],\n\"frames\":\"AA==\",\n\"tree\":\"AA==\",\n"
			       "\"period\":1}");
}

TEST(a_view_of_two_has_the_base_beside_it)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE, .base_event = PIPA_NONE };
	struct pipa_view view = tree(10);

	pipa_flame_done(&flame);
	add(&base, below(&base, PIPA_NONE, "gone"), 7, 1);
	CHECK_EQ(pipa_flame_make_diff(&base, &p, &all, &flame), 0);
	view.base_title = "old.data";
	view.show = (struct pipa_view_show){ .absolute = true, .color = "change" };
	CHECK_HAS(data(&view), "\"base\":{\"title\":\"old.data\",\"total\":7,\"samples\":1},\n"
			       "\"base_self\":\"BwAA\"}"); /* gone, main, leaf */
	CHECK_HAS(data(&view),
		  "\"show\":{\"icicle\":false,\"absolute\":true,\"color\":\"change\"}");
}

TEST(losses_and_corruption_are_reported)
{
	struct pipa_recording recording = { .damage = { .count = 2 } };
	struct pipa_view view = tree(10);

	p.losses.lost_samples = 3;
	p.losses.lost_records = 4;
	view.recording = &recording;
	CHECK_HAS(data(&view), "\"lost\":7,\n\"complete\":false,\n\"notes\":[\"lost: "
			       "3 samples, 4 records\",\"corrupt records: 2\"]");
}

TEST(parts_of_others_cannot_end_the_script)
{
	static const char json[] = "{\"a\":\"</script>\xe2\x80\xa8\xe2\x80\xa7\"}";
	struct pipa_view view = tree(10);
	struct pipa_view_part part = { "rows", json, sizeof(json) - 1 };

	view.parts = &part;
	view.n_parts = 1;
	CHECK_HAS(data(&view), ",\n\"rows\":{\"a\":\"\\u003c/script>\\u2028\xe2\x80\xa7\"}}");
}

static int pack(const void *bytes, size_t len, struct pipa_buf *to)
{
	CHECK(bytes && len > 100000);
	pipa_buf_add(to, "pack", 4);
	return 0;
}

static int fail_to_pack(const void *bytes, size_t len, struct pipa_buf *to)
{
	(void)bytes;
	(void)len;
	(void)to;
	return -ENOMEM;
}

TEST(large_columns_are_compressed_and_marked)
{
	const struct pipa_flame_options all = { .event = PIPA_NONE };
	struct pipa_view view = tree(10);
	char name[32];
	uint32_t i;

	view.pack = pack;
	CHECK(!strstr(data(&view), "deflate"));
	for (i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(&p, below(&p, PIPA_NONE, name), 10, 1);
	}
	pipa_flame_done(&flame);
	CHECK_EQ(pipa_flame_make(&p, &all, &flame), 0);
	CHECK_HAS(data(&view), "\"frames\":\"cGFjaw==\",\n\"tree\":\"cGFjaw==\"");
	CHECK_HAS(data(&view), ",\n\"deflate\":[\"frames\",\"tree\"]}");
	view.pack = fail_to_pack;
	pipa_buf_reset(&out);
	pipa_view_write_data(&view, &out);
	CHECK_EQ(out.status, -ENOMEM);
}

TEST(markup_in_names_stays_in_strings)
{
	static const char name[] = "</script>\"\\\n\xff\xe2\x80\xa9\xc3\xa4\xe2\x80\x00z";

	pipa_view_put_json(&out, name, sizeof(name) - 1);
	CHECK_STR(pipa_buf_str(&out), "\"\\u003c/script>\\\"\\\\\\u000a\xef\xbf\xbd\\u2029\xc3\xa4"
				      "\xef\xbf\xbd\xef\xbf\xbd\\u0000z\"");
}

static const char *xml(const char *text, size_t columns)
{
	pipa_buf_reset(&out);
	pipa_view_put_xml(&out, text, strlen(text), columns);
	return pipa_buf_str(&out);
}

TEST(xml_text_is_escaped_and_shows_invisible_characters)
{
	CHECK_STR(xml("<a href=\"x\">&'", 99), "&lt;a href=&quot;x&quot;&gt;&amp;'");
	CHECK_STR(xml("\x01\x7f\xc2\x85", 99), "&lt;U+0001&gt;&lt;U+007F&gt;&lt;U+0085&gt;");
	CHECK_STR(xml("a\xe2\x80\xae"
		      "b\xd8\x9c",
		      99),
		  "a&lt;U+202E&gt;b&lt;U+061C&gt;");
	CHECK_STR(xml("\xff\xc3\xa4", 99), "\xef\xbf\xbd\xc3\xa4");
}

TEST(xml_text_is_truncated_by_columns)
{
	CHECK_STR(xml("abc", 3), "abc");
	CHECK_STR(xml("abcd", 3), "ab\xe2\x80\xa6");
	CHECK_STR(xml("\xc3\xa4\xc3\xa4\xc3\xa4", 2), "\xc3\xa4\xe2\x80\xa6");
	CHECK_STR(xml("abc", 0), "");
	CHECK_STR(xml("\xe4\xb8\xad\xe4\xb8\xad", 4), "\xe4\xb8\xad\xe4\xb8\xad"); /* wide */
	CHECK_STR(xml("\xe4\xb8\xad\xe4\xb8\xad", 3), "\xe4\xb8\xad\xe2\x80\xa6");
	CHECK_STR(xml("\x01"
		      "a",
		      8),
		  "\xe2\x80\xa6");
	CHECK_STR(xml("\x01", 8), "&lt;U+0001&gt;");
}

TEST(the_page_has_its_data_and_its_hashes)
{
	struct pipa_view view = tree(10);
	const char *text;

	view.title = "<b>";
	pipa_view_write_page(&view, &out);
	CHECK_EQ(out.status, 0);
	text = pipa_buf_str(&out);
	CHECK_HAS(text, "<title>&lt;b&gt;</title>");
	CHECK_HAS(text, "id=\"pipa-data\">{\"schema\":\"pipa.view/1\"");
	CHECK_HAS(text, "\"title\":\"\\u003cb>\"");
	CHECK_HAS(text, pipa_web_style.bytes);
	CHECK(!strstr(text, "{{style-hash}}") && !strstr(text, "{{script-hash}}"));
	CHECK_HAS(text, "</html>");
}

TEST(a_page_that_is_too_large_is_an_error)
{
	struct pipa_view view = tree(10);
	struct pipa_buf small = { .max = 100 };

	pipa_view_write_page(&view, &small);
	CHECK_EQ(small.status, -EFBIG);
	pipa_buf_done(&small);
}

TEST(notes_name_a_total_of_truncated_stacks_only_if_it_is_known)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf unknown = { 0 }, known = { 0 };
	struct pipa_profile profile = { .losses = { .unwound_truncated = 3 } };

	pipa_view_notes(&profile, NULL, &unknown);
	CHECK_STR(pipa_buf_str(&unknown), "truncated stacks: 3\n");
	profile.losses.unwound = 9;
	pipa_view_notes(&profile, NULL, &known);
	CHECK_STR(pipa_buf_str(&known), "truncated stacks: 3 of 9\n");
}
