#include "import/sadf_csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/time/zone.h"
#include "lib/test.h"
#include "model/sections.h"

/* The two columns of a section that the tests look at. */
static const struct {
	const struct pipa_section *section;
	size_t columns[2];
} shown[] = {
	{ &pipa_sections[PIPA_SECTION_CPU_SHORT],
	  { PIPA_COL_CPU_SHORT_USER, PIPA_COL_CPU_SHORT_IDLE } },
	{ &pipa_sections[PIPA_SECTION_LOAD], { PIPA_COL_LOAD_1, PIPA_COL_LOAD_5 } },
	{ &pipa_sections[PIPA_SECTION_DISK], { PIPA_COL_DISK_READ, PIPA_COL_DISK_QUEUE } },
	{ &pipa_sections[PIPA_SECTION_PROCESSES],
	  { PIPA_COL_PROCESSES_USR, PIPA_COL_PROCESSES_SYSTEM } },
};

static char said[2048];
static struct pipa_sadf_result result;
static const struct pipa_zone *zone;

static int say_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	size_t n = strlen(said), i;

	(void)self;
	for (i = 0; i < PIPA_COUNT(shown) && shown[i].section != section; i++)
		;
	CHECK(i < PIPA_COUNT(shown));
	snprintf(said + n, sizeof(said) - n, "%s %s %.3f+%g %g %g\n", section->name, instance,
		 (double)tick->wall_ns / 1e9, tick->interval_s, values[shown[i].columns[0]],
		 values[shown[i].columns[1]]);
	n = strlen(said);
	if (section == &pipa_sections[PIPA_SECTION_PROCESSES]) {
		const char *state = pipa_instance_next(instance);

		snprintf(said + n, sizeof(said) - n, "'%s' '%s'\n", state,
			 pipa_instance_next(state));
	}
	return 0;
}

static int say_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	(void)self;
	(void)tick;
	memcpy(said + strlen(said), "end\n", sizeof("end\n"));
	return 0;
}

static const char *decode(const char *text)
{
	struct pipa_series_sink sink = { .row = say_row, .end = say_end };

	said[0] = '\0';
	result = (struct pipa_sadf_result){ 0 };
	CHECK_EQ(pipa_sadf_decode(text, strlen(text), zone, &sink, &result), 0);
	return said;
}

TEST(rows_of_an_interval_are_grouped_and_the_sum_of_cpus_is_named_all)
{
	CHECK_STR(
		decode("# hostname;interval;timestamp;CPU;%user;%idle\n"
		       "a;1;1970-01-01 00:00:10 UTC;-1;6.28;90.5\n"
		       "a;1;1970-01-01 00:00:10 UTC;0;7;3\n"
		       "a;1;1970-01-01 00:00:11 UTC;-1;1;2\n"),
		"cpu-short all 10.000+1 6.28 90.5\ncpu-short 0 10.000+1 7 3\nend\ncpu-short all 11.000+1 1 2\nend\n");
	CHECK_EQ(result.rows, 3);
	CHECK_EQ(result.skipped, 0);
}

TEST(a_time_without_utc_is_local_time)
{
	static struct pipa_zone_shift shifts[] = { { 0, 3600 }, { 7200, -1800 } };
	static const struct pipa_zone given = { .items = shifts, .n = 2 };
	static const char text[] = "# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
				   "a;1;1970-01-01 01:00:10;1;2\n"
				   "a;1;1970-01-01 05:00:10;1;2\n"
				   "a;1;1970-01-01 05:00:10 UTC;1;2\n";

	CHECK_STR(decode(text), "load  3610.000+1 1 2\nend\n"
				"load  18010.000+1 1 2\n"
				"load  18010.000+1 1 2\nend\n");
	zone = &given;
	CHECK_STR(decode(text), "load  10.000+1 1 2\nend\n"
				"load  19810.000+1 1 2\nend\n"
				"load  18010.000+1 1 2\nend\n");
}

TEST(times_that_no_clock_shows_are_left_out)
{
	CHECK_STR(decode("# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
			 "a;1;9999-01-01 01:00:10 UTC;1;2\n"
			 "a;1;2026-01-01 01:00:10.5e300 UTC;1;2\n"
			 "a;1;1969-12-31 23:59:59 UTC;1;2\n"
			 "a;1;1970-01-01 00:00:10.5 UTC;1;2\n"),
		  "load  10.500+1 1 2\nend\n");
	CHECK_EQ(result.skipped, 3);
}

TEST(columns_of_older_sysstat_are_found_and_have_todays_unit)
{
	CHECK_STR(decode("# hostname;interval;timestamp;DEV;rd_sec/s;avgqu-sz\n"
			 "a;1;1970-01-01 00:00:10 UTC;sda;8;3\n"),
		  "disk sda 10.000+1 4 3\nend\n");
}

TEST(columns_are_found_by_name_and_absent_ones_are_missing)
{
	CHECK_STR(decode("# hostname;interval;timestamp;CPU;%idle;%user;more\n"
			 "a;1;1970-01-01 00:00:10 UTC;0;3;7;9\n"
			 "a;1;1970-01-01 00:00:11 UTC;0;;7;9\n"),
		  "cpu-short 0 10.000+1 7 3\nend\ncpu-short 0 11.000+1 7 nan\nend\n");
}

TEST(tables_may_follow_each_other_and_headers_be_repeated)
{
	CHECK_STR(
		decode("# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
		       "a;1;1970-01-01 00:00:10 UTC;0.5;0.25\n"
		       "# hostname;interval;timestamp;CPU;%user;%idle\n"
		       "a;1;1970-01-01 00:00:10 UTC;1;1;2\n"
		       "# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
		       "a;1;1970-01-01 00:00:11 UTC;0.75;1\n"),
		"load  10.000+1 0.5 0.25\nend\ncpu-short 1 10.000+1 1 2\nend\nload  11.000+1 0.75 1\nend\n");
}

TEST(fractions_of_seconds_are_kept)
{
	CHECK_STR(decode("# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
			 "a;0.100;1970-01-01 00:00:10.250 UTC;1;2\n"),
		  "load  10.250+0.1 1 2\nend\n");
}

TEST(a_restart_is_counted_and_has_no_row)
{
	decode("# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
	       "a;-1;1970-01-01 00:00:10 UTC;LINUX-RESTART\t(2 CPU)\n");
	CHECK_EQ(result.restarts, 1);
	CHECK_EQ(result.rows + result.skipped, 0);
}

TEST(an_unknown_table_is_left_out_by_name)
{
	CHECK_STR(decode("# hostname;interval;timestamp;ABC;DEF*\n"
			 "a;1;1970-01-01 00:00:10 UTC;sum;1;2\n"),
		  "");
	CHECK_EQ(result.unknown, 1);
	CHECK_STR(result.unknown_name, "ABC");
}

TEST(a_truncated_line_is_ignored)
{
	CHECK_STR(decode("# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
			 "a;1;1970-01-01 00:00:10 UTC;1;2\n"
			 "a;1;1970-01-01 00:00:11 UTC;1;2"),
		  "load  10.000+1 1 2\nend\n");
	CHECK_EQ(result.skipped, 1);
}

TEST(malformed_lines_are_counted_and_the_rest_is_read)
{
	CHECK_STR(decode("garbage\n"
			 "# hostname;interval;timestamp;ldavg-1;ldavg-5\n"
			 "a;1;never;1;2\n"
			 "a;one;1970-01-01 00:00:10 UTC;1;2\n"
			 "a;1;1970-01-01 00:00:10 UTC;1;two\n"
			 "a;1;1970-01-01 00:00:10 UTC;1\n"
			 "\n"
			 "a;1;1970-01-01 00:00:12 UTC;1;2\n"),
		  "load  12.000+1 1 2\nend\n");
	CHECK_EQ(result.skipped, 5);
}

TEST(text_columns_are_read_and_the_last_one_may_contain_semicolons)
{
	CHECK_STR(decode("# hostname;interval;timestamp;PID;%usr;%system;S;Command\n"
			 "box;1;2023-11-14 22:13:20 UTC;1234;5.00;1.00;R;a;b;;\n"
			 "box;1;2023-11-14 22:13:20 UTC;1235;5.00;1.00;S;\n"
			 "box;1;2023-11-14 22:13:20 UTC;1236;5.00;1.00;S\n"),
		  "processes 1234 1700000000.000+1 5 1\n'R' 'a;b;;'\n"
		  "processes 1235 1700000000.000+1 5 1\n'S' ''\n"
		  "end\n");
	CHECK_EQ(result.skipped, 1);
}

TEST(missing_words_are_empty_and_long_ones_end_in_a_hash)
{
	CHECK_STR(decode("# hostname;interval;timestamp;PID;%usr;%system\n"
			 "box;1;2023-11-14 22:13:20 UTC;1234;5.00;1.00\n"),
		  "processes 1234 1700000000.000+1 5 1\n'' ''\nend\n");
	CHECK_STR(
		decode("# hostname;interval;timestamp;PID;%usr;%system;Command\n"
		       "box;1;2023-11-14 22:13:20 UTC;1234;5.00;1.00;"
		       "a-name-that-no-kernel-would-ever-have-let-through\n"),
		"processes 1234 1700000000.000+1 5 1\n'' 'a-name-that-no-kernel-~519713d0'\nend\n");
}

TEST(rows_after_a_malformed_first_row_keep_their_time)
{
	CHECK_STR(decode("# hostname;interval;timestamp;CPU;%user;%idle\n"
			 "a;1;1970-01-01 00:00:10 UTC;0;1;2\n"
			 "a;1;1970-01-01 00:00:11 UTC;0;x;3\n"
			 "a;1;1970-01-01 00:00:11 UTC;1;-4.5;1e1\n"
			 "a;1;1970-01-01 00:00:11 UTC;2;;12345678901234567890\n"
			 "a;1;1970-01-01 00:00:11 UTC;3;.5;\n"
			 "a;1;1970-01-01 00:00:11 UTC;4;1.25;3;4\n"
			 "a;1;1970-01-01 00:00:11 UTC;5;1,25;0.01\n"),
		  "cpu-short 0 10.000+1 1 2\nend\n"
		  "cpu-short 1 11.000+1 -4.5 10\n"
		  "cpu-short 2 11.000+1 nan 1.23457e+19\n"
		  "cpu-short 3 11.000+1 0.5 nan\n"
		  "cpu-short 5 11.000+1 1.25 0.01\nend\n");
	CHECK_EQ(result.skipped, 2);
}

TEST(text_in_chunks_gives_the_same_rows)
{
	static const char text[] = "# hostname;interval;timestamp;CPU;%user;%idle\n"
				   "a;1;1970-01-01 00:00:10 UTC;-1;6.28;90.5\n"
				   "a;1;1970-01-01 00:00:10 UTC;0;7.01;3\n"
				   "a;1;1970-01-01 00:00:11 UTC;LINUX-RESTART\t(2 CPU)\n"
				   "a;1;1970-01-01 00:00:11 UTC;-1;1;2\n"
				   "a;1;1970-01-01 00:00:11 UTC;0;1;2";
	struct pipa_series_sink sink = { .row = say_row, .end = say_end };
	char whole[sizeof(said)];
	size_t piece;

	snprintf(whole, sizeof(whole), "%s", decode(text));
	for (piece = 1; piece < sizeof(text); piece++) {
		struct pipa_sadf_reader *reader = pipa_sadf_reader_new(zone, &sink, &result);
		size_t at = 0, used, len = 0;

		CHECK(reader);
		said[0] = '\0';
		result = (struct pipa_sadf_result){ 0 };
		while (at + len < sizeof(text) - 1) {
			len = at + len + piece < sizeof(text) - 1 ? len + piece :
								    sizeof(text) - 1 - at;
			CHECK_EQ(pipa_sadf_reader_feed(reader, text + at, len,
						       at + len == sizeof(text) - 1, &used),
				 0);
			at += used;
			len -= used;
		}
		CHECK_STR(said, whole);
		CHECK_EQ(result.skipped, 1);
		CHECK_EQ(result.restarts, 1);
		pipa_sadf_reader_free(reader);
	}
}

TEST(commas_and_a_header_without_a_mark_are_read_too)
{
	CHECK_STR(decode("hostname,interval,timestamp,CPU,%user,%idle\n"
			 "a,1,1970-01-01 00:00:10 UTC,-1,6.28,90.5\n"
			 "a,1,1970-01-01 00:00:10 UTC,0,7,3\n"
			 "a,1,1970-01-01 00:00:11 UTC,-1,,2\n"),
		  "cpu-short all 10.000+1 6.28 90.5\ncpu-short 0 10.000+1 7 3\nend\n"
		  "cpu-short all 11.000+1 nan 2\nend\n");
	CHECK_EQ(result.skipped, 0);
}

static double got[2];

static int keep_values(struct pipa_series_sink *self PIPA_UNUSED,
		       const struct pipa_section *section PIPA_UNUSED,
		       const struct pipa_tick *tick PIPA_UNUSED, const char *instance PIPA_UNUSED,
		       const double *values)
{
	got[0] = values[PIPA_COL_CPU_SHORT_USER];
	got[1] = values[PIPA_COL_CPU_SHORT_IDLE];
	return 0;
}

TEST(decimals_of_any_length_are_read_like_strtod)
{
	struct pipa_series_sink sink = { .row = keep_values };
	uint64_t seed = 5;

	for (int i = 0; i < 20000; i++) {
		char number[32], text[256];
		int digits, whole;

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		digits = (int)(seed >> 60) % 8;
		whole = (int)(seed >> 57) % 9;
		snprintf(number, sizeof(number), "%s%.*f", i % 7 ? "" : "-", digits,
			 (double)(seed >> 20 & 0xffffffff) / 4294967296.0 * pow(10, whole));
		snprintf(text, sizeof(text),
			 "# hostname;interval;timestamp;CPU;%%user;%%idle\n"
			 "a;1;1970-01-01 00:00:10 UTC;0;1;2\n"
			 "a;1;1970-01-01 00:00:10 UTC;1;%s;%s\n",
			 number, number);
		result = (struct pipa_sadf_result){ 0 };
		CHECK_EQ(pipa_sadf_decode(text, strlen(text), NULL, &sink, &result), 0);
		if (got[0] != strtod(number, NULL) || got[1] != got[0])
			pipa_test_fail(__FILE__, __LINE__, "%s is read as %.17g and %.17g", number,
				       got[0], got[1]);
	}
}

/* Rows as text, whichever function of the sink receives them. */
static struct pipa_buf heard;
static size_t fast_rows;

static int hear_row(struct pipa_series_sink *self PIPA_UNUSED, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	pipa_buf_printf(&heard, "%s %s %.9f %g", section->name, instance,
			(double)tick->wall_ns / 1e9, tick->interval_s);
	for (size_t i = 0; i < section->n_columns; i++)
		pipa_buf_printf(&heard, " %a", values[i]);
	pipa_buf_putc(&heard, '\n');
	return 0;
}

static int hear_hundredths(struct pipa_series_sink *self, const struct pipa_section *section,
			   const struct pipa_tick *tick, const char *instance,
			   const int32_t *hundredths)
{
	double values[PIPA_HUNDREDTHS_COLUMNS];

	CHECK(section->n_columns <= PIPA_HUNDREDTHS_COLUMNS);
	for (size_t i = 0; i < section->n_columns; i++) {
		CHECK(hundredths[i] >= 0 && hundredths[i] <= PIPA_HUNDREDTHS_MAX);
		values[i] = hundredths[i] / 100.0;
	}
	fast_rows++;
	return hear_row(self, section, tick, instance, values);
}

/* Read a text with and without hundredths. Returns the number of rows of hundredths; the rows are the same. */
static size_t compare_sinks(const char *text, size_t len)
{
	struct pipa_series_sink plain = { .row = hear_row };
	struct pipa_series_sink both = { .row = hear_row, .row_hundredths = hear_hundredths };
	struct pipa_sadf_result one = { 0 }, other = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf rows = { 0 };

	pipa_buf_reset(&heard);
	CHECK_EQ(pipa_sadf_decode(text, len, zone, &plain, &one), 0);
	rows = heard;
	heard = (struct pipa_buf){ 0 };
	fast_rows = 0;
	CHECK_EQ(pipa_sadf_decode(text, len, zone, &both, &other), 0);
	CHECK_STR(pipa_buf_str(&heard), pipa_buf_str(&rows));
	CHECK(memcmp(&one, &other, sizeof(one)) == 0);
	pipa_buf_done(&heard);
	heard = (struct pipa_buf){ 0 };
	return fast_rows;
}

#define CPU_HEAD "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
#define PADDING "################################################################\n"
#define CPU_AT "a;1;1970-01-01 00:00:10 UTC;"

TEST(hundredths_are_the_rows_that_other_sinks_receive)
{
	static const char *const cells[] = { "0.00",
					     "9.99",
					     "10.00",
					     "99.99",
					     "100.00",
					     "9999.99",
					     "12345.00",
					     "",
					     "-1.50",
					     "-0.00",
					     "+1.50",
					     "1e2",
					     "1.5e-3",
					     "nan",
					     "inf",
					     "-inf",
					     ".50",
					     "5.",
					     "5",
					     "1.5",
					     "0.001",
					     "1.123456789",
					     "0x10",
					     "1,25",
					     "\"1.00\"",
					     " 1.00",
					     "1.00 ",
					     "1.00\r",
					     "1.2.3",
					     "--1",
					     "x",
					     "1.0x",
					     "007.25",
					     "12345678.90",
					     "1e400",
					     "1;0.00",
					     "1.0\n0",
					     "1.00\n",
					     "1234567890123456789",
					     "12345678901234567890.12345678901234567890" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t i, column, fast = 0;

	for (i = 0; i < PIPA_COUNT(cells); i++)
		for (column = 0; column < 7; column++) { /* the label too */
			pipa_buf_reset(&text);
			pipa_buf_puts(&text,
				      CPU_HEAD CPU_AT "-1;1.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT);
			for (size_t k = 0; k < 7; k++)
				pipa_buf_printf(&text, "%s%s", k ? ";" : "",
						k == column ? cells[i] : "7.25");
			pipa_buf_puts(&text,
				      "\n" CPU_AT "-1;1.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT
				      "1;1.00;0.00;2.00;0.00;0.00;97.00\n\n\n\n\n");
			fast += compare_sinks(pipa_buf_str(&text), text.len);
		}
	CHECK(fast > 7 * PIPA_COUNT(cells));
}

TEST(tables_of_any_layout_give_other_sinks_the_same_rows)
{
	static const struct {
		const char *text;
		size_t fast;
	} tables[] = {
		{ CPU_HEAD CPU_AT "-1;1.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT
				  "0;1.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT
				  "1234567;1.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT
				  "12345678;1.00;0.00;2.00;0.00;0.00;97.00\n"
				  "a;1;1970-01-01 00:00:11 UTC;0;1.00;0.00;2.00;0.00;0.00;97.00\n"
				  "a;1;1970-01-01 00:00:11 UTC;1;1.00;0.00;2.00;0.00;0.00;97.00\n",
		  2 }, /* there are too few bytes after the last one */
		{ "hostname,interval,timestamp,CPU,%user,%nice,%system,%iowait,%steal,%idle\n"
		  "a,1,1970-01-01 00:00:10 UTC,-1,1.00,0.00,2.00,0.00,0.00,97.00\n"
		  "a,1,1970-01-01 00:00:10 UTC,-1,1.00,0.00,2.00,0.00,0.00,97.00\n" PADDING,
		  1 },
		{ "# hostname;interval;timestamp;CPU;%user;%idle\n" /* columns are missing */
		  CPU_AT "0;1.00;2.00\n" CPU_AT "1;1.00;2.00\n" PADDING,
		  0 },
		{ "# hostname;interval;timestamp;%user;%nice;%system;%iowait;%steal;%idle;CPU\n" CPU_AT
		  "1.00;0.00;2.00;0.00;0.00;97.00;0\n" CPU_AT
		  "1.00;0.00;2.00;0.00;0.00;97.00;1\n" PADDING,
		  0 },
		{ "# hostname;interval;timestamp;%idle;%steal;CPU;%iowait;%system;%nice;%user\n" CPU_AT
		  "1.00;0.00;0;2.00;0.00;0.00;97.00\n" CPU_AT
		  "1.00;0.00;1;2.00;0.00;0.00;97.00\n" PADDING,
		  1 },
		{ "# hostname;interval;timestamp;CPU;%user;%user;%system;%iowait;%steal;%idle\n" CPU_AT
		  "1;0.00;0.00;2.00;0.00;0.00;97.00\n" CPU_AT
		  "1;0.00;0.50;2.00;0.00;0.00;97.00\n" PADDING,
		  0 },
		{ "# hostname;interval;timestamp;ldavg-1;ldavg-5;ldavg-15;runq-sz;plist-sz;blocked\n"
		  "a;1;1970-01-01 00:00:10 UTC;1.00;2.00;3.00;1;2;0\n"
		  "a;1;1970-01-01 00:00:10 UTC;1.00;2.00;3.00;1;2;0\n" PADDING,
		  0 },
	};

	for (size_t i = 0; i < PIPA_COUNT(tables); i++)
		CHECK_EQ(compare_sinks(tables[i].text, strlen(tables[i].text)), tables[i].fast);
}
