#include "export/report/html_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/quality/quality.h"
#include "analyze/rules/build_context.h"
#include "analyze/rules/evaluate.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "base/buf.h"
#include "codec/base64.h"
#include "codec/json_pull.h"
#include "codec/varint.h"
#include "lib/test.h"
#include "model/context.h"
#include "model/facts.h"
#include "model/rules.h"
#include "model/sections.h"
#include "model/series_set.h"

#define S UINT64_C(1000000000)

static struct pipa_series_set set;
static struct pipa_series_feed feed;
static struct pipa_buf out;

static int append(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return ((struct pipa_buf *)ctx)->status;
}

static int refuse(void *ctx, const char *bytes, size_t len)
{
	(void)ctx;
	(void)bytes;
	(void)len;
	return -ENOSPC;
}

static void begin_series(void)
{
	ptrdiff_t source = pipa_series_set_add_source(&set, "a.tar: sar.txt", PIPA_CLOCK_UTC);

	CHECK(source >= 0);
	pipa_series_feed_init(&feed, &set, (size_t)source);
}

static void add_row(enum pipa_section_id id, uint64_t second, const char *instance,
		    const double *values)
{
	const struct pipa_tick tick = { .wall_ns = second * S, .interval_s = 1 };

	CHECK_EQ(feed.sink.row(&feed.sink, &pipa_sections[id], &tick, instance, values), 0);
}

static void add_load(uint64_t second, double running, double average)
{
	double values[PIPA_COL_LOAD_NR] = { 0 };

	values[PIPA_COL_LOAD_RUNNING] = running;
	values[PIPA_COL_LOAD_1] = average;
	values[PIPA_COL_LOAD_15] = NAN;
	values[PIPA_COL_LOAD_BLOCKED] = 1e18 * running; /* too large to be quantized */
	add_row(PIPA_SECTION_LOAD, second, "", values);
}

static void add_disk(uint64_t second, const char *disk, double util)
{
	double values[PIPA_COL_DISK_NR] = { 0 };

	values[PIPA_COL_DISK_UTIL] = util;
	add_row(PIPA_SECTION_DISK, second, disk, values);
}

/* Write the page of the series. */
static void write_page(struct pipa_html_report page)
{
	page.title = "test";
	page.version = "1";
	page.series = &set;
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_html_report_write(&page, append, &out), 0);
}

static void end(void)
{
	pipa_series_set_done(&set);
	pipa_buf_done(&out);
}

/* ---- reading a page ------------------------------------------------------------------------------ */

/* Return the data of the page, without the element around it. */
static struct pipa_span data_of(void)
{
	static const char open[] = "id=\"pipa-data\">";
	const char *start = strstr(pipa_buf_str(&out), open), *stop;

	CHECK(start);
	start += sizeof(open) - 1;
	stop = strstr(start, "</script>");
	CHECK(stop);
	return (struct pipa_span){ (const uint8_t *)start, (size_t)(stop - start) };
}

/* Return the position of the value after some keys of objects and indexes of lists ("#3"). */
static struct pipa_json_pull find_json(const char *const *path, size_t n)
{
	struct pipa_json_pull json;
	struct pipa_json_text key;
	size_t i, at;

	pipa_json_pull_init(&json, data_of());
	for (i = 0; i < n; i++) {
		bool first = true, found = false;

		if (path[i][0] == '#') {
			CHECK(pipa_json_pull_open(&json, '['));
			for (at = 0; pipa_json_pull_element(&json, &first); at++) {
				found = at == strtoul(path[i] + 1, NULL, 10);
				if (found || !pipa_json_pull_skip(&json))
					break;
			}
		} else {
			CHECK(pipa_json_pull_open(&json, '{'));
			while (pipa_json_pull_member(&json, &first, &key)) {
				found = pipa_json_text_is(&key, path[i]);
				if (found || !pipa_json_pull_skip(&json))
					break;
			}
		}
		if (!found)
			fprintf(stderr, "%s not found\n", path[i]);
		CHECK(found);
	}
	return json;
}

#define PATH(...)                                                                                  \
	(const char *const[]){ __VA_ARGS__ },                                                      \
		sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(const char *)

static uint64_t number_at(const char *const *path, size_t n)
{
	struct pipa_json_pull json = find_json(path, n);
	uint64_t number = 0;

	CHECK(pipa_json_pull_u64(&json, &number));
	return number;
}

/* Compare the text of a value as it is in the page. */
static bool json_is(const char *expected, const char *const *path, size_t n)
{
	struct pipa_json_pull json = find_json(path, n);
	const char *start;

	pipa_json_pull_peek(&json);
	start = json.at;
	CHECK(pipa_json_pull_skip(&json));
	if ((size_t)(json.at - start) == strlen(expected) &&
	    memcmp(start, expected, strlen(expected)) == 0)
		return true;
	fprintf(stderr, "%.*s\n", (int)(json.at - start), start);
	return false;
}

/* Decode a segment of a block into bytes: base64, then blocks of deflate that are not compressed. */
static void read_segment(size_t block, uint64_t offset, uint64_t len, struct pipa_buf *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf packed = { 0 };
	const unsigned char *at;
	char open[64];
	const char *text;
	bool last;

	snprintf(open, sizeof(open), "id=\"block-%zu\">", block);
	text = strstr(pipa_buf_str(&out), open);
	CHECK(text);
	text += strlen(open) + offset;
	CHECK(!memchr(text, '<', len));
	CHECK(pipa_base64_take(&packed, text, len));
	at = (const unsigned char *)packed.data;
	pipa_buf_reset(ret);
	do {
		size_t n = pipa_le_get(at + 1, 2);

		last = at[0] & 1;
		CHECK_EQ(n ^ pipa_le_get(at + 3, 2), 0xffffu);
		pipa_buf_add(ret, at + 5, n);
		at += 5 + n;
	} while (!last);
	CHECK_EQ((size_t)(at - (const unsigned char *)packed.data), packed.len);
}

static struct pipa_cursor cursor_of(const struct pipa_buf *bytes)
{
	const uint8_t *start = (const uint8_t *)bytes->data;

	return (struct pipa_cursor){ .pos = start, .end = start + bytes->len };
}

/* Decode a column of n values as a page does. */
static void read_column(struct pipa_cursor *c, size_t n, int digits, double *ret)
{
	uint8_t form = *c->pos++;
	double number = NAN;
	int64_t last = 0;
	uint64_t bits;
	size_t i;

	CHECK(form <= 4);
	if (form == 4)
		digits = *c->pos++;
	for (i = 0; i < n; i++) {
		if (form == 3 || (form == 1 && i == 0)) {
			bits = pipa_le_get(c->pos, 8);
			memcpy(&number, &bits, 8);
			c->pos += 8;
		} else if (form == 2 || form == 4) {
			uint64_t code = pipa_get_uleb(c);

			last += code ? pipa_unzigzag(code - 1) : 0;
			number = code ? (double)last / pow(10, digits) : NAN;
		}
		ret[i] = number;
	}
	CHECK_EQ(c->status, 0);
}

/* Read the segment of a row of a group. */
static void read_row(const char *group, const char *row, struct pipa_buf *ret)
{
	read_segment(strtoul(group + 1, NULL, 10),
		     number_at(PATH("series", group, "instances", row, "at", "#0")),
		     number_at(PATH("series", group, "instances", row, "at", "#1")), ret);
}

/* ---- the page ------------------------------------------------------------------------------------ */

TEST(page_has_the_data_and_cannot_be_left_by_names)
{
	static const char *const inputs[] = { "</script><b>\"\xff", "b.tar" };
	static const struct pipa_view_part parts[] = { { "next", "[\"<!--\"]", 8 } };
	const struct pipa_html_report page = { .title = "</title><script>",
					       .version = "1",
					       .language = PIPA_LANGUAGE_ZH,
					       .inputs = inputs,
					       .n_inputs = 2,
					       .parts = parts,
					       .n_parts = 1 };

	CHECK_EQ(pipa_html_report_write(&page, append, &out), 0);
	CHECK(strstr(pipa_buf_str(&out), "<html lang=\"zh\">"));
	CHECK(strstr(pipa_buf_str(&out), "<title>&lt;/title&gt;&lt;script&gt;</title>"));
	CHECK(json_is("[\"\\u003c/script>\\u003cb>\\\"\\ufffd\", \"b.tar\"]", PATH("inputs")));
	CHECK(json_is("[\"\\u003c!--\"]", PATH("next")));
	CHECK(!strstr(pipa_buf_str(&out), "{{"));
	end();
}

TEST(page_ends_with_the_failure_of_its_receiver)
{
	const struct pipa_html_report page = { .title = "", .version = "1" };

	CHECK_EQ(pipa_html_report_write(&page, refuse, NULL), -ENOSPC);
}

TEST(hostile_names_of_series_and_facts_stay_strings)
{
	static const char hostile[] = "</script><script>alert(1)//\xe2\x80\xa8\"\\\x01";
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	const struct pipa_html_note note = { hostile, hostile };
	struct pipa_json_pull json;
	struct pipa_json_text text;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	const char *found;
	size_t scripts = 0;

	pipa_facts_text(&facts, pipa_facts_map(&facts, NULL, hostile), hostile, hostile);
	begin_series();
	add_disk(1, hostile, 5);
	write_page((struct pipa_html_report){ .facts = &facts, .notes = &note, .n_notes = 1 });
	pipa_json_pull_init(&json, data_of());
	CHECK(pipa_json_pull_skip(&json));
	json = find_json(PATH("series", "#0", "instances", "#0", "name"));
	CHECK(pipa_json_pull_string(&json, &text));
	pipa_json_text_put(&text, &name);
	CHECK_STR(pipa_buf_str(&name), hostile);
	for (found = pipa_buf_str(&out); (found = strstr(found, "</script>")); found++)
		scripts++;
	CHECK_EQ(scripts, 3u); /* a block, the data, the script */
	end();
}

/* ---- series -------------------------------------------------------------------------------------- */

TEST(blocks_decode_to_the_values_within_their_quantization)
{
	enum { N = 1500 }; /* more than two blocks of memory */
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	static double values[N];
	struct pipa_cursor c;
	uint64_t at = 0;
	size_t i;

	begin_series();
	for (i = 0; i < N; i++)
		add_load(1000 + i + (i > 700), (double)(i % 7),
			 i == 5 ? NAN : sin((double)i) * 100 + 0.004);
	write_page((struct pipa_html_report){ 0 });
	CHECK_EQ(number_at(PATH("series", "#0", "n")), (uint64_t)N);
	CHECK_EQ(number_at(PATH("series", "#0", "reduced_s")), 0u);
	CHECK(json_is("\"load\"", PATH("series", "#0", "section")));
	CHECK(json_is("\"a.tar: sar.txt\"", PATH("series", "#0", "source")));
	CHECK_EQ(number_at(PATH("time", "begin_ms")), 999000u);

	read_segment(0, number_at(PATH("series", "#0", "axis", "#0")),
		     number_at(PATH("series", "#0", "axis", "#1")), &bytes);
	c = cursor_of(&bytes);
	CHECK_EQ(pipa_get_uleb(&c), (uint64_t)N);
	for (i = 0; i < N; i++) {
		at += (uint64_t)pipa_unzigzag(pipa_get_uleb(&c));
		CHECK_EQ(at, 1000 * (1000 + i + (i > 700)));
	}
	CHECK_EQ(pipa_get_uleb(&c), 1000u);
	CHECK_EQ(pipa_get_uleb(&c), (uint64_t)N);
	CHECK(c.pos == c.end && !c.status);

	read_row("#0", "#0", &bytes);
	c = cursor_of(&bytes);
	read_column(&c, N, 0, values); /* runq-sz */
	for (i = 0; i < N; i++)
		CHECK(values[i] == (double)(i % 7));
	CHECK_EQ(*c.pos, 1); /* plist-sz is 0 all the time */
	read_column(&c, N, 0, values);
	read_column(&c, N, 2, values); /* ldavg-1 */
	for (i = 0; i < N; i++)
		CHECK(i == 5 ? isnan(values[i]) :
			       fabs(values[i] - (sin((double)i) * 100 + 0.004)) < 0.00501);
	read_column(&c, N, 2, values);
	CHECK_EQ(*c.pos, 0); /* ldavg-15 is missing */
	read_column(&c, N, 2, values);
	CHECK(isnan(values[N - 1]));
	CHECK_EQ(*c.pos, 3);
	read_column(&c, N, 0, values);
	for (i = 0; i < N; i++)
		CHECK(values[i] == 1e18 * (double)(i % 7));
	CHECK(c.pos == c.end);
	end();
}

TEST(rows_that_start_later_have_their_first_interval)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	uint64_t i;

	begin_series();
	for (i = 0; i < 10; i++) {
		add_disk(1 + i, "sda", 1);
		if (i >= 4 && i < 7)
			add_disk(1 + i, "sdb", (double)i);
	}
	write_page((struct pipa_html_report){ 0 });
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "first")), 4u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "n")), 3u);
	read_row("#0", "#1", &bytes);
	CHECK_EQ(bytes.len, 9u * 9 + 1 + 6); /* constants, and a column of 4.00, 5.00, 6.00 */
	end();
}

TEST(reduction_to_minutes_keeps_extremes_and_gaps)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	double min[20], mean[20], max[20];
	struct pipa_cursor c;
	uint64_t i;
	size_t column;

	begin_series();
	for (i = 1; i <= 1200; i++)
		if (i <= 600 || i > 720) /* two minutes are missing */
			add_disk(i, "sda", i == 301 ? 99.5 : i == 420 ? 0.25 : 50);
	for (i = 781; i <= 900; i++)
		add_disk(1200 + i, "sdb", (double)(i % 2));
	write_page((struct pipa_html_report){ .max_values = 1000 });
	CHECK_EQ(number_at(PATH("series", "#0", "reduced_s")), 60u);
	CHECK_EQ(number_at(PATH("series", "#0", "n")), 20u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#0", "first")), 0u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#0", "n")), 18u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "first")), 18u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "n")), 2u);
	read_row("#0", "#0", &bytes);
	c = cursor_of(&bytes);
	for (column = 0; column <= PIPA_COL_DISK_UTIL; column++) {
		read_column(&c, 18, 2, min);
		read_column(&c, 18, 2, mean);
		read_column(&c, 18, 2, max);
	}
	CHECK(max[5] == 99.5 && min[5] == 50); /* the second 301 starts a minute */
	CHECK(max[4] == 50);
	CHECK(min[6] == 0.25 && max[6] == 50); /* the second 420 ends one */
	CHECK(fabs(mean[6] - (59 * 50 + 0.25) / 60) < 0.00501);
	CHECK(mean[17] == 50);
	end();
}

TEST(minutes_of_a_row_that_starts_within_one_have_only_its_values)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	double min[2], mean[2], max[2];
	struct pipa_cursor c;
	uint64_t i;

	begin_series();
	for (i = 1; i <= 600; i++) {
		add_disk(i, "sda", 50);
		if (i >= 150 && i < 190)
			add_disk(i, "sdb", (double)i);
	}
	write_page((struct pipa_html_report){ .max_values = 1000 });
	CHECK_EQ(number_at(PATH("series", "#0", "n")), 10u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "first")), 2u);
	CHECK_EQ(number_at(PATH("series", "#0", "instances", "#1", "n")), 2u);
	read_row("#0", "#1", &bytes);
	c = cursor_of(&bytes);
	for (i = 0; i <= PIPA_COL_DISK_UTIL; i++) {
		read_column(&c, 2, 2, min);
		read_column(&c, 2, 2, mean);
		read_column(&c, 2, 2, max);
	}
	CHECK(min[0] == 150 && mean[0] == 165 && max[0] == 180); /* the second 180 ends a minute */
	CHECK(min[1] == 181 && mean[1] == 185 && max[1] == 189);
	end();
}

TEST(reduced_means_of_counts_have_a_fraction)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	double values[10];
	struct pipa_cursor c;
	uint64_t i;

	begin_series();
	for (i = 1; i <= 600; i++)
		add_load(i, i % 4 == 0 && i > 60, 0);
	write_page((struct pipa_html_report){ .max_values = 1000 });
	read_row("#0", "#0", &bytes);
	c = cursor_of(&bytes);
	read_column(&c, 10, 0, values);
	read_column(&c, 10, 0, values);
	CHECK(values[0] == 0 && values[9] == 0.25);
	end();
}

/* ---- findings ------------------------------------------------------------------------------------ */

static struct pipa_rules rules;
static struct pipa_context context;
static struct pipa_findings findings;

static struct pipa_rule_scalar scalar(const char *text)
{
	return (struct pipa_rule_scalar){ .text = text, .raw = text, .line = 1, .column = 1 };
}

/* A rule that fires above 75 % utilization of the busiest disk. */
static struct pipa_html_report judge(struct pipa_phases *phases)
{
	static struct pipa_rule_entry entry;
	static struct pipa_rule_constant constant;
	const struct pipa_context_input input = { .series = &set };

	entry = (struct pipa_rule_entry){ .id = "disk",
					  .precondition = scalar("p95_disk_util > HIGH"),
					  .severity = PIPA_SEVERITY_WARNING,
					  .confidence = NAN,
					  .parent = PIPA_RULE_NO_PARENT,
					  .file = "rules.yaml",
					  .line = 3 };
	entry.name.in[PIPA_LANGUAGE_EN] = scalar("Disk");
	entry.finding.in[PIPA_LANGUAGE_EN] = scalar("Disk **{busiest_disk_name}**<br>is busy");
	entry.finding.in[PIPA_LANGUAGE_ZH] = scalar("磁盘 {busiest_disk_name} 繁忙");
	constant = (struct pipa_rule_constant){ .name = "HIGH",
						.value = { PIPA_VALUE_NUMBER, 75, NULL },
						.unit = "%",
						.file = "rules.yaml" };
	constant.reason.in[PIPA_LANGUAGE_EN] = scalar("limit");
	rules = (struct pipa_rules){ .items = &entry, .n = 1 };
	rules.constants.items = &constant;
	rules.constants.n = 1;
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_context_build(&input, &context), 0);
	CHECK_EQ(pipa_rules_set_constants(&rules, &context), 0);
	CHECK_EQ(pipa_rules_evaluate(&rules, &context, &findings), 0);
	CHECK_EQ(pipa_phases_find(&set, phases), 0);
	return (struct pipa_html_report){
		.rules = &rules, .context = &context, .findings = &findings, .phases = phases
	};
}

static void end_rules(void)
{
	pipa_context_done(&context);
	pipa_findings_done(&findings);
	end();
}

TEST(finding_has_runs_its_series_and_the_time_beyond_its_threshold)
{
	struct pipa_phases phases = { 0 };
	uint64_t i;

	begin_series();
	for (i = 1; i <= 100; i++) {
		add_disk(i, "sda", 1);
		add_disk(i, "sdb", i > 40 && i <= 70 && i != 50 ? 90 : 10);
	}
	write_page(judge(&phases));
	CHECK(json_is("[\"Disk \",[\"b\",\"sdb\"],[\"br\"],\"is busy\"]",
		      PATH("findings", "#0", "text", "en")));
	CHECK(json_is("[\"磁盘 sdb 繁忙\"]", PATH("findings", "#0", "text", "zh")));
	CHECK(json_is("[]", PATH("findings", "#0", "next", "zh")));
	CHECK(json_is("{\"en\": \"Disk\", \"zh\": \"Disk\"}", PATH("tree", "#0", "name")));
	CHECK(json_is("\"fired\"", PATH("tree", "#0", "state")));
	CHECK(json_is("[[\"p95_disk_util > HIGH\", \"true\"]]", PATH("tree", "#0", "tests")));
	CHECK(json_is("[[0, 1, 7]]", PATH("findings", "#0", "evidence", "#0", "series")));
	CHECK(json_is("[40000, 70000]", PATH("findings", "#0", "range_ms")));
	CHECK(json_is("\"warning\"", PATH("verdict", "severity")));
	CHECK_EQ(number_at(PATH("verdict", "finding")), 0u);
	CHECK(json_is("[\"Disk \",[\"b\",\"sdb\"],[\"br\"],\"is busy\"]",
		      PATH("verdict", "text", "en")));
	end_rules();
}

TEST(evidence_of_a_reduced_page_is_in_full_resolution)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_phases phases = { 0 };
	struct pipa_html_report page;
	double values[600];
	struct pipa_cursor c;
	uint64_t i;

	begin_series();
	for (i = 1; i <= 600; i++) {
		add_disk(i, "sda", 1);
		add_disk(i, "sdb", 80 + (double)(i % 10));
	}
	page = judge(&phases);
	page.max_values = 1000;
	write_page(page);
	CHECK_EQ(number_at(PATH("series", "#0", "reduced_s")), 60u);
	CHECK(json_is("true", PATH("series", "#1", "evidence")));
	CHECK(json_is("[[1, 0, 0]]", PATH("findings", "#0", "evidence", "#0", "series")));
	CHECK(json_is("\"disk.util\"", PATH("series", "#1", "columns", "#0", "id")));
	CHECK(json_is("\"sdb\"", PATH("series", "#1", "instances", "#0", "name")));
	read_row("#1", "#0", &bytes);
	c = cursor_of(&bytes);
	read_column(&c, 600, 2, values);
	CHECK(values[8] == 89 && values[9] == 80 && c.pos == c.end);
	end_rules();
}

TEST(verdict_on_a_healthy_machine_describes_its_load)
{
	struct pipa_phases phases = { 0 };
	uint64_t i;

	begin_series();
	for (i = 1; i <= 100; i++)
		add_disk(i, "sda", 12);
	write_page(judge(&phases));
	CHECK(json_is("\"none\"", PATH("verdict", "severity")));
	CHECK(json_is("null", PATH("verdict", "finding")));
	CHECK(json_is("[]", PATH("findings")));
	CHECK(json_is(
		"[[\"b\",\"No bottleneck was found.\"],\" The busiest disk, sda, was utilized "
		"\",[\"b\",\"12.0 %\"],\".\"]",
		PATH("verdict", "text", "en")));
	end_rules();
}

TEST(defects_and_phases_have_texts_in_both_languages)
{
	PIPA_AUTO(pipa_quality_done) struct pipa_quality quality = { 0 };
	struct pipa_phases phases = { 0 };
	uint64_t i;

	begin_series();
	for (i = 1; i <= 100; i++)
		if (i != 50)
			add_disk(i, "sda", 1);
	CHECK_EQ(pipa_series_set_finish(&set), 0);
	CHECK_EQ(pipa_quality_init(&quality, &set), 0);
	CHECK_EQ(pipa_phases_find(&set, &phases), 0);
	write_page((struct pipa_html_report){ .quality = &quality, .phases = &phases });
	CHECK(json_is("\"gap\"", PATH("quality", "#0", "kind")));
	CHECK(json_is("\"缺少若干采样间隔；均值和百分位数不包含它们。\"",
		      PATH("quality", "#0", "effect", "zh")));
	CHECK(json_is("\"no_signal\"", PATH("phases", "reason")));
	CHECK(json_is("\"没有可用于划分阶段的 CPU 统计：指标取自全部时间\"",
		      PATH("phases", "text", "zh")));
	end();
}
