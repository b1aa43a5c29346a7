#include "import/sar_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/time/zone.h"
#include "lib/test.h"
#include "model/sections.h"

/* The columns of a section that the tests look at; none: all. */
static const struct {
	const struct pipa_section *section;
	size_t columns[6], n;
} shown[] = {
	{ &pipa_sections[PIPA_SECTION_CPU],
	  { PIPA_COL_CPU_USR, PIPA_COL_CPU_NICE, PIPA_COL_CPU_SYS, PIPA_COL_CPU_IOWAIT,
	    PIPA_COL_CPU_STEAL, PIPA_COL_CPU_IDLE },
	  6 },
	{ &pipa_sections[PIPA_SECTION_DISK],
	  { PIPA_COL_DISK_TPS, PIPA_COL_DISK_REQUEST_SIZE, PIPA_COL_DISK_QUEUE },
	  3 },
	{ &pipa_sections[PIPA_SECTION_FS], { PIPA_COL_FS_FREE, PIPA_COL_FS_USED }, 2 },
};

#define BANNER "Linux 6.18.0 (box) \t11/15/26 \t_x86_64_\t(2 CPU)\n\n"
#define MIDNIGHT 1794700800.0 /* of 2026-11-15 */
#define CPU_HEAD "        CPU      %usr     %nice      %sys   %iowait    %steal     %idle\n"

static char said[4096];
static struct pipa_sar_result result;
static const struct pipa_zone *zone;

static void say(const char *text)
{
	CHECK(strlen(said) + strlen(text) < sizeof(said));
	memcpy(said + strlen(said), text, strlen(text) + 1);
}

static void say_values(const struct pipa_section *section, const struct pipa_tick *tick,
		       const char *instance, const double *values)
{
	char text[256];
	size_t i, k, n;

	snprintf(text, sizeof(text), "%s '%s' %g+%g", section->name, instance,
		 (double)tick->wall_ns / 1e9 - MIDNIGHT, tick->interval_s);
	say(text);
	for (k = 0; k < PIPA_COUNT(shown) && shown[k].section != section; k++)
		;
	n = k < PIPA_COUNT(shown) ? shown[k].n : section->n_columns;
	for (i = 0; i < n; i++) {
		snprintf(text, sizeof(text), " %g",
			 values[k < PIPA_COUNT(shown) ? shown[k].columns[i] : i]);
		say(text);
	}
	say(tick->restart ? " restarted\n" : "\n");
}

static int say_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	(void)self;
	say_values(section, tick, instance, values);
	return 0;
}

static int say_average(struct pipa_series_sink *self, const struct pipa_section *section,
		       const struct pipa_tick *tick, const char *instance, const double *values)
{
	(void)self;
	say("mean ");
	say_values(section, tick, instance, values);
	return 0;
}

static int say_end(struct pipa_series_sink *self, const struct pipa_tick *tick)
{
	(void)self;
	(void)tick;
	say("end\n");
	return 0;
}

static const char *decode(const char *text)
{
	struct pipa_series_sink sink = { .row = say_row, .end = say_end };
	struct pipa_series_sink averages = { .row = say_average };

	said[0] = '\0';
	result = (struct pipa_sar_result){ 0 };
	CHECK_EQ(pipa_sar_decode(text, strlen(text), zone, &sink, &averages, &result), 0);
	return said;
}

TEST(intervals_and_averages_of_a_table_are_distinguished)
{
	CHECK_STR(decode(BANNER "12:00:00" CPU_HEAD
				"12:00:01        all     72.91     10.34     16.75      0.00      "
				"0.00      0.00\n"
				"12:00:01          0     1 2 3 4 5 6\n"
				"12:00:03        all     1 1 1 1 1 95\n"
				"Average:        all     3 3 3 3 3 85\n"
				"\n"
				"12:00:00       proc/s   cswch/s\n"
				"12:00:01        57.84   1350.98\n"
				"Average:        40.98   2696.39\n"),
		  "cpu 'all' 43201+1 72.91 10.34 16.75 0 0 0\n"
		  "cpu '0' 43201+1 1 2 3 4 5 6\n"
		  "end\n"
		  "cpu 'all' 43203+2 1 1 1 1 1 95\n"
		  "mean cpu 'all' 43203+3 3 3 3 3 3 85\n"
		  "end\n"
		  "cswch '' 43201+1 57.84 1350.98\n"
		  "mean cswch '' 43201+1 40.98 2696.39\n"
		  "end\n");
	CHECK_EQ(result.rows, 4);
	CHECK_EQ(result.averages, 2);
	CHECK_EQ(result.skipped + result.mended + result.unknown, 0);
}

TEST(an_earlier_time_belongs_to_the_next_day)
{
	CHECK_STR(decode(BANNER "23:59:58       proc/s   cswch/s\n"
				"23:59:59        1   1\n00:00:00        2   2\n"
				"00:00:01        3   3\n00:00:00        4   4\n"),
		  "cswch '' 86399+1 1 1\nend\ncswch '' 86400+1 2 2\nend\n"
		  "cswch '' 86401+1 3 3\nend\ncswch '' 172800+86399 4 4\nend\n");
}

TEST(every_table_crosses_midnight_for_itself)
{
	CHECK_STR(decode(BANNER "23:59:59       proc/s   cswch/s\n00:00:00        1   1\n\n"
				"23:59:59      INTR    intr/s\n00:00:00       sum      5.00\n"),
		  "cswch '' 86400+1 1 1\nend\ninterrupts 'sum' 86400+1 5\nend\n");
}

TEST(tables_may_alternate)
{
	CHECK_STR(decode(BANNER "23:59:58       proc/s   cswch/s\n23:59:59        1   1\n\n"
				"23:59:58      INTR    intr/s\n23:59:59       sum      5.00\n\n"
				"23:59:59       proc/s   cswch/s\n00:00:00        2   2\n\n"
				"23:59:59      INTR    intr/s\n00:00:00       sum      6.00\n"),
		  "cswch '' 86399+1 1 1\nend\ninterrupts 'sum' 86399+1 5\nend\n"
		  "cswch '' 86400+1 2 2\nend\ninterrupts 'sum' 86400+1 6\nend\n");
}

TEST(halves_of_the_day_are_understood)
{
	CHECK_STR(decode(BANNER "11:59:59 PM" CPU_HEAD "12:00:00 AM     all 0.12 0 0 0 0 99.88\n"
				"01:00:00 AM     all 1 0 0 0 0 99\n"
				"12:00:00 PM     all 2 0 0 0 0 98\n"
				"01:00:00 PM     all 3 0 0 0 0 97\n"),
		  "cpu 'all' 86400+1 0.12 0 0 0 0 99.88\nend\n"
		  "cpu 'all' 90000+3600 1 0 0 0 0 99\nend\n"
		  "cpu 'all' 129600+39600 2 0 0 0 0 98\nend\n"
		  "cpu 'all' 133200+3600 3 0 0 0 0 97\nend\n");
}

TEST(words_too_many_and_too_few_are_mended)
{
	CHECK_STR(decode(BANNER "12:00:00    DEV    tps  areq-sz  aqu-sz\n"
				"12:00:01    sda   1.5  20  0.06 extra values\n"
				"12:00:01    sdb   2.5\n"),
		  "disk 'sda' 43201+1 1.5 20 nan\n"
		  "disk 'sdb' 43201+1 2.5 nan nan\nend\n");
	CHECK_EQ(result.mended, 2);
	CHECK_EQ(result.skipped, 0);
}

/*
 * Surplus words belong to the last column, whose text is not a number then; the other columns
 * stay.
 */
TEST(a_last_column_with_surplus_text_is_missing)
{
	CHECK_STR(decode(BANNER "12:00:00" CPU_HEAD "12:00:01 all 4.32 0 0.9 0 0 0.06extra values\n"
				"12:00:02 all 4.32 0 0.9 0 0 0.06extra\n"
				"12:00:03 all 4.32 0 0.9 0 0 0.06 extra values\n"),
		  "cpu 'all' 43201+1 4.32 0 0.9 0 0 nan\nend\n"
		  "cpu 'all' 43202+1 4.32 0 0.9 0 0 nan\nend\n"
		  "cpu 'all' 43203+1 4.32 0 0.9 0 0 nan\nend\n");
	CHECK_EQ(result.mended, 3);
	CHECK_EQ(result.skipped, 0);
}

TEST(a_name_at_the_end_of_a_row_may_have_blanks)
{
	CHECK_STR(decode(BANNER "12:00:00   MBfsfree  MBfsused FILESYSTEM\n"
				"12:00:01       1     2 //server/my files\n"
				"Summary:       3     4 //server/my files\n"),
		  "fs '//server/my files' 43201+1 1 2\n"
		  "mean fs '//server/my files' 43201+1 3 4\nend\n");
	CHECK_EQ(result.mended, 0);
}

TEST(nine_cpus_are_nine_rows)
{
	decode(BANNER "12:00:00" CPU_HEAD "12:00:01 all 4.32 0 0.9 0 0.04 94.74\n"
		      "12:00:01 0 1 0 0 0 0 99\n12:00:01 1 1 0 0 0 0 99\n12:00:01 2 1 0 0 0 0 99\n"
		      "12:00:01 3 1 0 0 0 0 99\n12:00:01 4 1 0 0 0 0 99\n12:00:01 5 1 0 0 0 0 99\n"
		      "12:00:01 6 1 0 0 0 0 99\n12:00:01 7 1 0 0 0 0 99\n");
	CHECK_EQ(result.rows, 9);
	CHECK_HAS(said, "cpu 'all' 43201+1 4.32 0 0.9 0 0.04 94.74\n");
}

TEST(averages_in_a_block_of_their_own_belong_to_their_table)
{
	CHECK_STR(decode(BANNER "12:00:00" CPU_HEAD "12:00:02 all 4 0 0 0 0 96\n\n"
				"Average:" CPU_HEAD "Average: all 5 0 0 0 0 95\n"
				"Average: 0 6 0 0 0 0 94\n"),
		  "cpu 'all' 43202+2 4 0 0 0 0 96\nend\n"
		  "mean cpu 'all' 43202+2 5 0 0 0 0 95\n"
		  "mean cpu '0' 43202+2 6 0 0 0 0 94\n");
}

TEST(headers_may_be_repeated_with_and_without_a_blank_line)
{
	CHECK_STR(decode(BANNER "12:00:00       proc/s   cswch/s\n12:00:01        1   1\n\n"
				"12:00:01       proc/s   cswch/s\n12:00:02        2   2\n"
				"12:00:02       proc/s   cswch/s\n12:00:03        3   3\n"),
		  "cswch '' 43201+1 1 1\nend\ncswch '' 43202+1 2 2\nend\n"
		  "cswch '' 43203+1 3 3\nend\n");
}

TEST(intervals_and_averages_restart_after_a_restart)
{
	CHECK_STR(decode(BANNER "12:00:00       proc/s   cswch/s\n12:00:10        1   1\n"
				"Average:        1   1\n\n"
				"12:30:00     LINUX RESTART\t(2 CPU)\n\n"
				"12:30:05       proc/s   cswch/s\n12:30:10        2   2\n"
				"12:30:15        4   4\nAverage:        3   3\n"),
		  "cswch '' 43210+10 1 1\nmean cswch '' 43210+10 1 1\nend\n"
		  "cswch '' 45010+5 2 2 restarted\nend\ncswch '' 45015+5 4 4\n"
		  "mean cswch '' 45015+10 3 3\nend\n");
	CHECK_EQ(result.restarts, 1);
	CHECK_EQ(result.skipped, 0);
}

TEST(interrupts_by_cpu_are_read_as_their_sum)
{
	CHECK_STR(decode(BANNER "12:00:00         INTR       all      CPU0      CPU1\n"
				"12:00:01          sum    749.02    325.49    423.53\n"
				"12:00:01           24      1.00      1.00      0.00\n"),
		  "interrupts 'sum' 43201+1 749.02\ninterrupts '24' 43201+1 1\nend\n");
	CHECK_EQ(result.mended, 0);
	CHECK_STR(decode(BANNER
			 "12:00:00         INTR    intr/s\n12:00:01          sum     10.00\n"),
		  "interrupts 'sum' 43201+1 10\nend\n");
}

TEST(interrupts_of_more_cpus_than_a_row_has_cells_are_read)
{
	struct pipa_buf text = { 0 };
	int i;

	pipa_buf_puts(&text, BANNER "12:00:00 INTR all");
	for (i = 0; i < 300; i++)
		pipa_buf_printf(&text, " CPU%d", i);
	pipa_buf_puts(&text, "\n12:00:01 sum 300.00");
	for (i = 0; i < 300; i++)
		pipa_buf_puts(&text, " 1.00");
	pipa_buf_putc(&text, '\n');
	CHECK_STR(decode(pipa_buf_str(&text)), "interrupts 'sum' 43201+1 300\nend\n");
	pipa_buf_done(&text);
}

TEST(both_vocabularies_are_known)
{
	CHECK_STR(decode(BANNER "12:00:00 CPU %user %nice %system %iowait %steal %idle\n"
				"12:00:01 all 1 2 3 4 5 85\n\n"
				"12:00:00 DEV tps avgrq-sz avgqu-sz\n12:00:01 sda 1 16 2\n"),
		  "cpu-short 'all' 43201+1 1 2 3 4 5 85\nend\n"
		  "disk 'sda' 43201+1 1 8 2\nend\n"); /* sectors of half a kilobyte */
}

TEST(dates_and_zones_are_minded)
{
	struct pipa_zone_shift shift = { 0, 3600 };
	const struct pipa_zone east = { .items = &shift, .n = 1 };

	zone = &east;
	CHECK_STR(decode("Linux 5.0 (b) \t2026-11-15 \t_aarch64_\t(8 CPU)\n\n"
			 "12:00:00  proc/s  cswch/s\n12:00:01 1 2\n"),
		  "cswch '' 39601+1 1 2\nend\n");
	zone = NULL;
	CHECK_STR(decode("Linux 5.0 (b) \t11/16/2026 \t_riscv64_\t(8 CPU)\n\n"
			 "12:00:00  proc/s  cswch/s\n12:00:01 1 2\n"),
		  "cswch '' 129601+1 1 2\nend\n");
}

TEST(unknown_and_malformed_lines_are_counted)
{
	CHECK_STR(decode(BANNER "12:00:00  foo  bar\n12:00:01 1 2\n\n"
				"12:00:00  proc/s  cswch/s\n"
				"12:00:01 1 2\n12:00:02\nwhat is this\n12:00:03 x y\n"
				"25:00:00 1 2\n12:00:05    COM a comment\n12:00:04 5 6"),
		  "cswch '' 43201+1 1 2\nend\n");
	CHECK_EQ(result.unknown, 1);
	CHECK_STR(result.unknown_name, "foo");
	CHECK_EQ(result.skipped, 5);
	CHECK_STR(decode(""), "");
	CHECK_STR(decode("12:00:01 1 2\n"), "");
	CHECK_EQ(result.skipped, 1);
}

TEST(sars_text_is_known_by_its_first_line)
{
	CHECK(pipa_sar_is(BANNER, strlen(BANNER)));
	CHECK(!pipa_sar_is("Linux is fine\n", 14));
	CHECK(!pipa_sar_is("# hostname;interval\n", 20));
	CHECK(!pipa_sar_is("", 0));
}

static int refuse(struct pipa_series_sink *self, const struct pipa_section *section,
		  const struct pipa_tick *tick, const char *instance, const double *values)
{
	(void)self;
	(void)section;
	(void)tick;
	(void)instance;
	(void)values;
	return -ENOSPC;
}

TEST(an_error_of_the_sink_ends_the_reading_of_sar_text)
{
	struct pipa_series_sink sink = { .row = say_row }, bad = { .row = refuse };
	static const char text[] = BANNER
		"12:00:00 proc/s cswch/s\n12:00:01 1 2\nAverage: 1 2\n12:00:02 1 2\n";

	result = (struct pipa_sar_result){ 0 };
	CHECK_EQ(pipa_sar_decode(text, strlen(text), NULL, &bad, NULL, &result), -ENOSPC);
	CHECK_EQ(result.rows, 1);
	result = (struct pipa_sar_result){ 0 };
	CHECK_EQ(pipa_sar_decode(text, strlen(text), NULL, &sink, &bad, &result), -ENOSPC);
	CHECK_EQ(result.rows, 1);
}
