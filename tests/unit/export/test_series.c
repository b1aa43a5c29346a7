#include "export/table/series.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "base/time/zone.h"
#include "lib/test.h"

static const struct pipa_column cpu_columns[] = {
	{ "cpu.usr", "%usr", PIPA_UNIT_PERCENT, 2, 0, NULL },
	{ "cpu.idle", "%idle", PIPA_UNIT_PERCENT, 2, 0, NULL },
};
static const struct pipa_column memory_columns[] = {
	{ "memory.free", "kbmemfree", PIPA_UNIT_KB, 0, 0, NULL },
	{ "memory.used_share", "%memused", PIPA_UNIT_PERCENT, 2, 0, NULL },
};
static const struct pipa_column disk_columns[] = {
	{ "disk.tps", "tps", PIPA_UNIT_PER_SECOND, 2, 0, NULL },
};

static const struct pipa_section cpu = { "cpu", "CPU", "CPU time", cpu_columns, 2 };
static const struct pipa_section memory = { "mem", NULL, "memory", memory_columns, 2 };
static const struct pipa_section disk = { "disk", "DEV", "disks", disk_columns, 1 };

static struct pipa_buf out;
static struct pipa_series_writer *writer;

static const struct pipa_zone *zone; /* of the writer */

/* 2023-11-14 22:13:20.25 UTC and n seconds */
static struct pipa_tick at(unsigned int n)
{
	return (struct pipa_tick){ .wall_ns = (UINT64_C(1700000000) + n) * 1000000000 + 250000000,
				   .interval_s = 1 };
}

static void open_writer(enum pipa_series_form form, bool fractions)
{
	struct pipa_series_format format = {
		.form = form, .host = "box", .fractions = fractions, .zone = zone
	};

	writer = pipa_series_writer_new(&format, &out);
	CHECK(writer);
}

static void row(const struct pipa_section *section, unsigned int second, const char *instance,
		double a, double b)
{
	struct pipa_series_sink *sink = pipa_series_writer_sink(writer);
	struct pipa_tick tick = at(second);

	CHECK_EQ(sink->row(sink, section, &tick, instance, (const double[]){ a, b }), 0);
}

static void end(unsigned int second)
{
	struct pipa_series_sink *sink = pipa_series_writer_sink(writer);
	struct pipa_tick tick = at(second);

	if (sink->end)
		CHECK_EQ(sink->end(sink, &tick), 0);
}

static void close_writer(void)
{
	pipa_series_writer_free(writer);
	pipa_buf_done(&out);
}

/* Compare the written text, as the last step of a test. */
static void check_out(const char *want)
{
	CHECK_STR(pipa_buf_str(&out), want);
	close_writer();
}

/* ---- times ----------------------------------------------------------------------------------- */

TEST(tables_have_the_zones_time_and_csv_has_utc)
{
	static struct pipa_zone_shift shifts[] = { { 0, 3600 }, { 1700000001, -2 * 3600 } };
	static const struct pipa_zone given = { .items = shifts, .n = 2 };

	zone = &given;
	open_writer(PIPA_SERIES_TEXT, false);
	row(&cpu, 0, "0", 0, 100);
	CHECK_HAS(pipa_buf_str(&out), "\n23:13:20 ");
	row(&cpu, 1, "0", 0, 100);
	CHECK_HAS(pipa_buf_str(&out), "\n20:13:21 ");
	pipa_buf_reset(&out);
	pipa_series_writer_free(writer);
	open_writer(PIPA_SERIES_CSV, false);
	row(&cpu, 0, "0", 0, 100);
	CHECK_HAS(pipa_buf_str(&out), ";2023-11-14 22:13:20 UTC;");
	pipa_series_writer_free(writer);
	pipa_buf_done(&out);
}

/* ---- text ------------------------------------------------------------------------------------ */

TEST(one_section_has_one_header_and_a_line_a_row)
{
	open_writer(PIPA_SERIES_TEXT, false);
	row(&cpu, 0, "all", 12.345, 87.655);
	row(&cpu, 0, "0", 0, 100);
	end(0);
	row(&cpu, 1, "all", 1, NAN);
	end(1);
	check_out("\n"
		  "22:13:20        CPU      %usr     %idle\n"
		  "22:13:20        all     12.35     87.66\n"
		  "22:13:20          0      0.00    100.00\n"
		  "22:13:21        all      1.00         -\n");
}

TEST(several_sections_have_a_header_each_time)
{
	unsigned int i;

	open_writer(PIPA_SERIES_TEXT, false);
	for (i = 0; i < 2; i++) {
		row(&memory, i, "", 3994476, 50);
		row(&disk, i, "sda", 7, 0);
		end(i);
	}
	check_out("\n"
		  "22:13:20    kbmemfree  %memused\n"
		  "22:13:20      3994476     50.00\n"
		  "\n"
		  "22:13:20          DEV       tps\n"
		  "22:13:20          sda      7.00\n"
		  "\n"
		  "22:13:21    kbmemfree  %memused\n"
		  "22:13:21      3994476     50.00\n"
		  "\n"
		  "22:13:21          DEV       tps\n"
		  "22:13:21          sda      7.00\n");
}

static size_t count(const char *text, const char *piece)
{
	size_t n = 0;

	for (; (text = strstr(text, piece)); text++)
		n++;
	return n;
}

TEST(a_header_is_repeated_on_a_full_page_but_not_within_an_interval)
{
	unsigned int i;

	open_writer(PIPA_SERIES_TEXT, false);
	for (i = 0; i < 20; i++)
		row(&memory, i, "", 1, 1);
	CHECK_EQ(count(pipa_buf_str(&out), "kbmemfree"), 1);
	row(&memory, 20, "", 1, 1);
	CHECK_EQ(count(pipa_buf_str(&out), "kbmemfree"), 2);
	pipa_buf_reset(&out);
	for (i = 0; i < 50; i++)
		row(&cpu, 21, "7", 1, 1);
	CHECK_EQ(count(pipa_buf_str(&out), "%idle"), 1);
	row(&cpu, 22, "7", 1, 1);
	CHECK_EQ(count(pipa_buf_str(&out), "%idle"), 2);
	pipa_series_writer_free(writer);
	pipa_buf_done(&out);
}

TEST(averages_follow_their_label)
{
	open_writer(PIPA_SERIES_TEXT, false);
	row(&cpu, 0, "all", 1, 99);
	end(0);
	pipa_series_writer_average(writer);
	row(&cpu, 0, "all", 2, 98);
	row(&cpu, 0, "0", 3, 97);
	row(&memory, 0, "", 5, NAN);
	end(0);
	check_out("\n"
		  "22:13:20        CPU      %usr     %idle\n"
		  "22:13:20        all      1.00     99.00\n"
		  "\n"
		  "Average:        CPU      %usr     %idle\n"
		  "Average:        all      2.00     98.00\n"
		  "Average:          0      3.00     97.00\n"
		  "\n"
		  "Average:    kbmemfree  %memused\n"
		  "Average:            5         -\n");
}

TEST(intervals_below_a_second_have_milliseconds_and_stay_in_their_columns)
{
	open_writer(PIPA_SERIES_TEXT, true);
	row(&memory, 0, "", 5, 6);
	pipa_series_writer_average(writer);
	row(&memory, 0, "", 5, 6);
	check_out("\n"
		  "22:13:20.250 kbmemfree  %memused\n"
		  "22:13:20.250         5      6.00\n"
		  "\n"
		  "Average:     kbmemfree  %memused\n"
		  "Average:             5      6.00\n");
}

TEST(numbers_and_names_too_wide_for_their_column_are_not_cut)
{
	open_writer(PIPA_SERIES_TEXT, false);
	row(&disk, 0, "mapper-with-a-long-name", 12345678901.5, 0);
	check_out("\n"
		  "22:13:20          DEV       tps\n"
		  "22:13:20    mapper-with-a-long-name 12345678901.50\n");
}

/* ---- CSV ------------------------------------------------------------------------------------- */

TEST(csv_equals_the_output_of_sadf)
{
	open_writer(PIPA_SERIES_CSV, false);
	row(&cpu, 0, "all", 12.345, 87.655);
	row(&cpu, 0, "0", 0, NAN);
	row(&cpu, 1, "all", 1, 99);
	row(&memory, 1, "", 3994476, 50);
	end(1);
	check_out("# hostname;interval;timestamp;CPU;%usr;%idle\n"
		  "box;1;2023-11-14 22:13:20 UTC;-1;12.35;87.66\n"
		  "box;1;2023-11-14 22:13:20 UTC;0;0.00;\n"
		  "box;1;2023-11-14 22:13:21 UTC;-1;1.00;99.00\n"
		  "# hostname;interval;timestamp;kbmemfree;%memused\n"
		  "box;1;2023-11-14 22:13:21 UTC;3994476;50.00\n");
}

TEST(csv_below_a_second_has_milliseconds)
{
	open_writer(PIPA_SERIES_CSV, true);
	row(&disk, 0, "all", 1, 0); /* a disk of that name is not all CPUs */
	check_out("# hostname;interval;timestamp;DEV;tps\n"
		  "box;1.000;2023-11-14 22:13:20.250 UTC;all;1.00\n");
}

TEST(csv_has_no_averages)
{
	open_writer(PIPA_SERIES_CSV, false);
	pipa_series_writer_average(writer);
	row(&cpu, 0, "all", 1, 99);
	end(0);
	check_out("");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

TEST(json_is_an_object_a_tick)
{
	open_writer(PIPA_SERIES_JSON, false);
	row(&cpu, 0, "all", 12.34567, 87.5);
	row(&cpu, 0, "0", 0, NAN);
	row(&memory, 0, "", 3994476, 50);
	end(0);
	row(&disk, 1, "s\"d", 7, 0);
	end(1);
	check_out("{\"schema\": \"pipa-monitor/1\", \"time\": 1700000000.25, \"interval\": 1, "
		  "\"cpu\": [{\"CPU\": \"all\", \"%usr\": 12.3457, \"%idle\": 87.5}, "
		  "{\"CPU\": \"0\", \"%usr\": 0, \"%idle\": null}], "
		  "\"mem\": [{\"kbmemfree\": 3994476, \"%memused\": 50}]}\n"
		  "{\"schema\": \"pipa-monitor/1\", \"time\": 1700000001.25, \"interval\": 1, "
		  "\"disk\": [{\"DEV\": \"s\\\"d\", \"tps\": 7}]}\n");
}

TEST(an_interval_without_rows_has_no_line)
{
	open_writer(PIPA_SERIES_JSON, false);
	end(0);
	check_out("");
}

TEST(the_average_is_marked_in_json)
{
	open_writer(PIPA_SERIES_JSON, false);
	row(&disk, 0, "sda", 7, 0);
	end(0);
	pipa_buf_reset(&out);
	pipa_series_writer_average(writer);
	row(&disk, 0, "sda", 7, 0);
	end(0);
	check_out("{\"schema\": \"pipa-monitor/1\", \"average\": true, \"time\": 1700000000.25, "
		  "\"interval\": 1, \"disk\": [{\"DEV\": \"sda\", \"tps\": 7}]}\n");
}

TEST(every_format_reports_a_full_buffer)
{
	static const enum pipa_series_form forms[] = { PIPA_SERIES_TEXT, PIPA_SERIES_CSV,
						       PIPA_SERIES_JSON };
	struct pipa_tick tick = at(0);
	size_t i;

	for (i = 0; i < 3; i++) {
		struct pipa_series_sink *sink;

		out = (struct pipa_buf){ .max = 16 };
		open_writer(forms[i], false);
		sink = pipa_series_writer_sink(writer);
		CHECK_EQ(sink->row(sink, &cpu, &tick, "all", (const double[]){ 1, 2 }), -EFBIG);
		pipa_series_writer_free(writer);
		pipa_buf_done(&out);
	}
}

TEST(every_unit_has_a_text)
{
	int unit;

	for (unit = 0; unit < PIPA_UNIT_NR; unit++)
		CHECK(pipa_unit_text((enum pipa_unit)unit));
	CHECK_STR(pipa_unit_text(PIPA_UNIT_NONE), "");
	CHECK_STR(pipa_unit_text(PIPA_UNIT_KB_PER_SECOND), "kB/s");
}

/* ---- output as text -------------------------------------------------------------------------- */

static const struct pipa_column task_columns[] = {
	{ "process.usr", "%usr", PIPA_UNIT_PERCENT, 2, 0, NULL },
	{ "process.state", "S", PIPA_UNIT_WORD, 0, 0, NULL },
	{ "process.command", "Command", PIPA_UNIT_WORD, 0, 0, NULL },
};
static const struct pipa_section tasks = { "processes", "PID", "processes", task_columns, 3 };

static void task_row(enum pipa_series_form form, const char *instance)
{
	struct pipa_series_sink *sink;
	struct pipa_tick tick = at(0);

	open_writer(form, false);
	sink = pipa_series_writer_sink(writer);
	CHECK_EQ(sink->row(sink, &tasks, &tick, instance, (const double[]){ 5, NAN, NAN }), 0);
	end(0);
}

TEST(text_columns_follow_the_numbers)
{
	task_row(PIPA_SERIES_TEXT, "1234\0R\0my shell");
	CHECK_STR(pipa_buf_str(&out), "\n22:13:20          PID      %usr  S  Command\n"
				      "22:13:20         1234      5.00  R  my shell\n");
	close_writer();
}

TEST(words_are_cells_of_the_csv)
{
	task_row(PIPA_SERIES_CSV, "1234\0R\0bash");
	CHECK_STR(pipa_buf_str(&out), "# hostname;interval;timestamp;PID;%usr;S;Command\n"
				      "box;1;2023-11-14 22:13:20 UTC;1234;5.00;R;bash\n");
	close_writer();
}

TEST(line_ends_and_control_characters_in_names_are_escaped)
{
	task_row(PIPA_SERIES_CSV, "1234\0R\0a\n;\x1b[2J");
	CHECK_HAS(pipa_buf_str(&out), ";5.00;R;a\\x0a;\\x1b[2J\n");
	close_writer();
}

TEST(a_task_has_a_number_and_text_columns_in_json)
{
	task_row(PIPA_SERIES_JSON, "1234\0R\0a\n\"b\"");
	CHECK_HAS(pipa_buf_str(&out),
		  "{\"PID\": 1234, \"%usr\": 5, \"S\": \"R\", \"Command\": \"a\\n\\\"b\\\"\"}");
	close_writer();
}

/* ---- restarts -------------------------------------------------------------------------------- */

/* Rows of two ticks, the second after a restart. */
static void put_restarted(enum pipa_series_form form)
{
	static const struct pipa_restart machine = { .of = PIPA_RESTART_MACHINE,
						     .wall_ns = UINT64_C(1700000001000000000),
						     .cpus = 2 };
	struct pipa_series_sink *sink;
	struct pipa_tick second = at(2);

	open_writer(form, false);
	sink = pipa_series_writer_sink(writer);
	row(&memory, 0, "", 1, 2);
	end(0);
	second.restart = &machine;
	CHECK_EQ(sink->row(sink, &memory, &second, "", (const double[]){ 3, 4 }), 0);
	if (sink->end)
		CHECK_EQ(sink->end(sink, &second), 0);
}

static void check_has(const char *piece)
{
	CHECK_HAS(pipa_buf_str(&out), piece);
	pipa_series_writer_free(writer);
	pipa_buf_done(&out);
}

TEST(a_restart_is_a_line_of_its_own_and_a_header_follows)
{
	put_restarted(PIPA_SERIES_TEXT);
	CHECK_EQ(count(pipa_buf_str(&out), memory_columns[0].name), 2);
	check_has("\n\n22:13:21     LINUX RESTART\t(2 CPU)\n\n22:13:22   ");
}

TEST(a_restart_in_csv_is_sadfs)
{
	put_restarted(PIPA_SERIES_CSV);
	check_has("\nbox;-1;2023-11-14 22:13:21 UTC;LINUX-RESTART\t(2 CPU)\n# hostname;");
}

TEST(a_restart_in_json_is_a_member_of_its_tick)
{
	put_restarted(PIPA_SERIES_JSON);
	CHECK_EQ(count(pipa_buf_str(&out), "restart"), 1);
	check_has("\"restart\": \"machine\"");
}
