#include "import/stat_csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lib/test.h"
#include "model/counts.h"

static struct pipa_counts counts;
static struct pipa_stat_csv_result result;
static char said[4096];

static const char *state_text(const struct pipa_counts_row *row)
{
	return row->state == PIPA_NOT_COUNTED	? " not counted" :
	       row->state == PIPA_NOT_SUPPORTED ? " not supported" :
						  "";
}

static const char *decode_by(const char *text, const char *separator)
{
	size_t i, n = 0;

	pipa_counts_done(&counts);
	result = (struct pipa_stat_csv_result){ 0 };
	CHECK_EQ(pipa_stat_csv_decode(text, strlen(text), separator, &counts, &result), 0);
	said[0] = '\0';
	for (i = 0; i < counts.n; i++) {
		const struct pipa_counts_row *row = &counts.items[i];

		n += (size_t)snprintf(said + n, sizeof(said) - n, "%g %d %s %.12g%s %s %llu %g\n",
				      row->time_s, row->cpu, pipa_counts_text(&counts, row->event),
				      row->value, state_text(row),
				      pipa_counts_text(&counts, row->unit),
				      (unsigned long long)row->running_ns, row->percent);
		CHECK(n < sizeof(said));
	}
	return said;
}

static const char *decode(const char *text)
{
	return decode_by(text, NULL);
}

/* ---- the original's vectors ---------------------------------------------------------------------- */

TEST(the_originals_asset_with_semicolons_is_read)
{
	CHECK_STR(decode("# started on Mon Jan  1 00:00:00 2024\n"
			 "\n"
			 "1.001189252;CPU0;36416323183;;cycles\n"
			 "# in between\n"
			 "2.002825188;CPU0;12345;Joules;power/energy-cores/\n"
			 "2.002825188;CPU0;59861356776;;L1-dcache-loads\n"
			 "4.004000000;CPU0;2.00;;branch-misses\n"),
		  "1.00119 0 cycles 36416323183  0 nan\n"
		  "2.00283 0 power/energy-cores/ 12345 Joules 0 nan\n"
		  "2.00283 0 L1-dcache-loads 59861356776  0 nan\n"
		  "4.004 0 branch-misses 2  0 nan\n");
	CHECK_EQ(result.damaged, 0);
	CHECK_STR(result.separator, ";");
}

TEST(empty_files_and_comments_have_no_events)
{
	CHECK_STR(decode(""), "");
	CHECK_STR(decode("# only a comment\n\n"), "");
	CHECK_EQ(result.damaged, 0);
}

TEST(counts_by_cpu_are_read)
{
	CHECK_STR(decode("1.000,CPU0,1000,,cycles:D,1000,100.00,,\n"
			 "1.000,CPU1,1200,,cycles:D,1000,100.00,,\n"
			 "1.000,CPU0,500,,instructions:D,1000,100.00,,\n"
			 "2.000,CPU1,880,,instructions:D,1000,100.00,0.68,insn per cycle\n"),
		  "1 0 cycles:D 1000  1000 100\n"
		  "1 1 cycles:D 1200  1000 100\n"
		  "1 0 instructions:D 500  1000 100\n"
		  "2 1 instructions:D 880  1000 100\n");
}

TEST(counts_of_everything_have_no_cpu)
{
	CHECK_STR(decode("1.000,2200,,cycles:D\n1.000,1300,,instructions:D\n"
			 "2.000,2400,,cycles:D\n2.000,1430,,instructions:D\n"),
		  "1 -1 cycles:D 2200  0 nan\n1 -1 instructions:D 1300  0 nan\n"
		  "2 -1 cycles:D 2400  0 nan\n2 -1 instructions:D 1430  0 nan\n");
}

TEST(an_event_without_a_modifier_is_an_event)
{
	CHECK_STR(decode("1.000,CPU0,1000,,no_event_here\n"), "1 0 no_event_here 1000  0 nan\n");
}

TEST(lines_of_only_commas_are_malformed)
{
	CHECK_STR(decode(",,,,,,\n,,\n,\n"), "");
	CHECK_EQ(result.damaged, 3);
	CHECK_EQ(result.first_line, 1);
}

TEST(the_old_layout_of_nine_columns_is_read)
{
	CHECK_STR(decode("1.001060857,CPU0,45892724,,cycles,1037560862,100.00,,\n"),
		  "1.00106 0 cycles 45892724  1037560862 100\n");
}

/* ---- layouts ------------------------------------------------------------------------------------- */

TEST(padded_times_units_and_metrics_of_perf_are_read)
{
	CHECK_STR(decode("# started on Sun Nov 15 12:04:27 2026\n\n"
			 "     0.203230287,CPU0,276.00,msec,cpu-clock,275999893,100.00,1.380,CPUs "
			 "utilized\n"
			 "     0.203230287,CPU1,<not supported>,,cycles,0,100.00,,\n"
			 "     0.203230287,CPU0,<not counted>,,page-faults,0,0.00,,\n"),
		  "0.20323 0 cpu-clock 276 msec 275999893 100\n"
		  "0.20323 1 cycles nan not supported  0 100\n"
		  "0.20323 0 page-faults nan not counted  0 0\n");
	CHECK_EQ(result.damaged, 0);
}

TEST(rows_without_intervals_have_no_time)
{
	CHECK_STR(decode("599.44;msec;cpu-clock;599453633;100.00;2.070;CPUs utilized\n"
			 "721;;context-switches;599444843;100.00;1.203;K/sec\n"
			 "<not supported>;;cycles;0;100.00;;\n"),
		  "nan -1 cpu-clock 599.44 msec 599453633 100\n"
		  "nan -1 context-switches 721  599444843 100\n"
		  "nan -1 cycles nan not supported  0 100\n");
}

TEST(sockets_nodes_and_threads_instead_of_cpus_are_read)
{
	CHECK_STR(decode("S0,2,561.58,msec,cpu-clock,561591945,100.00,2.093,CPUs utilized\n"
			 "S0-D0-C1,1,<not counted>,,cycles,0,0.00,,\n"
			 "N0,2,553,,page-faults,553450397,100.00,,\n"
			 "my prog-4711,77,,cycles,1000,50.00,,\n"),
		  "nan -1 cpu-clock 561.58 msec 561591945 100\n"
		  "nan -1 cycles nan not counted  0 0\n"
		  "nan -1 page-faults 553  553450397 100\n"
		  "nan -1 cycles 77  1000 50\n");
	CHECK_STR(pipa_counts_text(&counts, counts.items[1].place), "S0-D0-C1");
	CHECK_STR(pipa_counts_text(&counts, counts.items[3].place), "my prog-4711");
}

TEST(a_name_with_commas_between_slashes_is_one_name)
{
	CHECK_STR(decode("1.0,CPU0,77,,cpu/event=0x3c,umask=0x1,name=x/u,1000,25.00,,\n"
			 "1.0,CPU0,78,,cpu_core/cycles/,1000,25.00,,\n"
			 "1.0,CPU0,79,,odd/name,1000,25.00,,\n"),
		  "1 0 cpu/event=0x3c,umask=0x1,name=x/u 77  1000 25\n"
		  "1 0 cpu_core/cycles/ 78  1000 25\n"
		  "1 0 odd/name 79  1000 25\n");
}

TEST(noise_and_cgroups_precede_the_running_time)
{
	CHECK_STR(decode("0.64,msec,cpu-clock,4.41%,641340,100.00,0.005,CPUs utilized\n"
			 "5353,,page-faults,/a/b,106803586472,99.50,,\n"),
		  "nan -1 cpu-clock 0.64 msec 641340 100\n"
		  "nan -1 page-faults 5353  106803586472 99.5\n");
	CHECK_STR(pipa_counts_text(&counts, counts.items[0].cgroup), "");
	CHECK_STR(pipa_counts_text(&counts, counts.items[1].cgroup), "/a/b");
}

TEST(perf_before_it_had_units_is_read)
{
	CHECK_STR(decode("1.0,CPU0,1234,cycles,1000,50.00\n1.0,CPU0,1235,instructions\n"),
		  "1 0 cycles 1234  1000 50\n1 0 instructions 1235  0 nan\n");
}

TEST(any_separator_is_found)
{
	static const char *const separators[] = {
		",", ";", "\t", "|", ":", " ", "::", "<>", "@#@"
	};
	char text[256];
	size_t i;

	for (i = 0; i < sizeof(separators) / sizeof(separators[0]); i++) {
		const char *s = separators[i];

		snprintf(text, sizeof(text), "     1.5%sCPU3%s42%s%scycles%s1000%s50.00%s%s\n", s,
			 s, s, s, s, s, s, s);
		CHECK_STR(decode(text), "1.5 3 cycles 42  1000 50\n");
		CHECK_STR(result.separator, s);
	}
}

TEST(a_modifier_belongs_to_its_event_if_the_separator_is_a_colon)
{
	CHECK_STR(decode("1.5:CPU3:42::cycles:u:1000:50.00::\n"), "1.5 3 cycles:u 42  1000 50\n");
}

TEST(a_given_separator_is_not_detected)
{
	CHECK_STR(decode_by("1.5;CPU3;42;;cycles\n", ","), "");
	CHECK_EQ(result.damaged, 1);
}

/* ---- what is left out ---------------------------------------------------------------------------- */

TEST(of_repeated_rows_the_first_counts)
{
	CHECK_STR(decode("1.0,CPU0,1,,cycles\n1.0,CPU0,2,,cycles\n1.0,CPU1,3,,cycles\n"
			 "2.0,CPU0,4,,cycles\n"),
		  "1 0 cycles 1  0 nan\n1 1 cycles 3  0 nan\n2 0 cycles 4  0 nan\n");
	CHECK_EQ(result.repeated, 1);
}

TEST(summaries_and_second_metrics_are_skipped)
{
	CHECK_STR(decode("     0.1,326.49,msec,cpu-clock,326495861,100.00,3.265,CPUs utilized\n"
			 "     0.1,,,,,,0.67,cycles per insn\n"
			 ",,,,,0.67,cycles per insn\n"
			 "S0-D0-C0,2,,,,,,0.67,cycles per insn\n"
			 "         summary,326.49,msec,cpu-clock,326495861,100.00,1.570,CPUs "
			 "utilized\n"),
		  "0.1 -1 cpu-clock 326.49 msec 326495861 100\n");
	CHECK_EQ(result.summaries, 1);
	CHECK_EQ(result.damaged, 0);
}

TEST(shares_of_slots_are_read_where_wanted)
{
	static const char text[] =
		"1.0,1000,,slots,1000000000,100.00,,\n"
		"1.0,400,,topdown-fe-bound,1000000000,100.00,40.0,%  tma_frontend_bound\n"
		"1.0,CPU1,,,,,,12.5,%  bad_speculation\n"
		"1.0,500,,stall_slot_backend,1000000000,100.00,30.2,Backend Bound\n"
		"1.0,500,,instructions,1000000000,100.00,0.5,insn per cycle\n";

	decode(text);
	CHECK_EQ(counts.n, 4);
	pipa_counts_done(&counts);
	result = (struct pipa_stat_csv_result){ .wants_slots = true };
	CHECK_EQ(pipa_stat_csv_decode(text, strlen(text), NULL, &counts, &result), 0);
	CHECK_EQ(result.damaged, 0);
	CHECK_EQ(counts.n, 7);
	CHECK_STR(pipa_counts_text(&counts, counts.items[2].event), "frontend_bound");
	CHECK_NEAR(counts.items[2].value, 40, 1e-9);
	CHECK_STR(pipa_counts_text(&counts, counts.items[3].event), "bad_speculation");
	CHECK_NEAR(counts.items[3].value, 12.5, 1e-9);
	CHECK_STR(pipa_counts_text(&counts, counts.items[5].event), "backend_bound");
	CHECK_NEAR(counts.items[5].value, 30.2, 1e-9);
}

TEST(broken_lines_are_counted_and_the_others_read)
{
	CHECK_STR(decode("1.0,CPU0,1,,cycles,10,100.00,,\nSegmentation fault\n"
			 "1.0,CPU0,twelve,,cycles,10,100.00,,\n1.0,CPU0\n"
			 "1.0,CPU0,1e999,,cycles,10,100.00,,\n-1.0,CPU0,5,,cycles,10,100.00,,\n"
			 "2.0,CPU0,2,,cycles,10,100.00,,\n"),
		  "1 0 cycles 1  10 100\n2 0 cycles 2  10 100\n");
	CHECK_EQ(result.damaged, 5);
	CHECK_EQ(result.first_line, 2);
}

TEST(only_an_incomplete_last_line_is_malformed)
{
	CHECK_STR(decode("1.0,CPU0,1,,cycles,10,100.00,,\n2.0,CPU0,2,,cyc"),
		  "1 0 cycles 1  10 100\n");
	CHECK_EQ(result.damaged, 1);
	CHECK_STR(decode("1.0,CPU0,1,,cycles,10,100.00,,\n2.0,CPU0,2,,cycles,10,100.00,,"),
		  "1 0 cycles 1  10 100\n2 0 cycles 2  10 100\n");
	CHECK_EQ(result.damaged, 0);
}

TEST(a_line_with_a_nul_byte_is_malformed)
{
	static const char text[] = "1.0,CPU0,1,,cycles\n1.0,CPU0,2,,\0x\n1.0,CPU1,3\0,,cycles\n";

	result = (struct pipa_stat_csv_result){ 0 };
	CHECK_EQ(pipa_stat_csv_decode(text, sizeof(text) - 1, NULL, &counts, &result), 0);
	CHECK_EQ(counts.n, 1);
	CHECK_EQ(result.damaged, 2);
}

TEST(lines_that_end_like_on_other_systems_are_read)
{
	CHECK_STR(decode("1.0,CPU0,1,,cycles\r\n2.0,CPU0,2,,cycles\r\n"),
		  "1 0 cycles 1  0 nan\n2 0 cycles 2  0 nan\n");
}

TEST(overlong_lines_and_names_are_malformed)
{
	struct pipa_buf text = { 0 };

	pipa_buf_puts(&text, "1.0,CPU0,1,,cycles\n1.0,CPU0,1");
	pipa_buf_fill(&text, ',', 1000000);
	pipa_buf_puts(&text, "\n1.0,CPU0,1,,");
	pipa_buf_fill(&text, 'x', 1000000);
	pipa_buf_puts(&text, "\n1.0,CPU99999999999,1,,cycles\n");
	CHECK_STR(decode(pipa_buf_str(&text)), "1 0 cycles 1  0 nan\n1 -1 cycles 1  0 nan\n");
	CHECK_EQ(result.damaged, 2);
	pipa_buf_done(&text);
}
