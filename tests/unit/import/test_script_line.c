#include "base/auto.h"
#include "import/script_line.h"
#include "lib/test.h"
#include "model/record.h"

#include <inttypes.h>
#include <stdio.h>

/* A header as "comm|pid|tid|period|event|frame", ? for what is not known. */
static const char *header(const char *line)
{
	static char text[400];
	struct pipa_script_header h;
	char pid[16] = "?", tid[16] = "?";

	pipa_script_header_parse(line, strlen(line), &h);
	if (h.pid != PIPA_UNKNOWN32)
		snprintf(pid, sizeof(pid), "%" PRIu32, h.pid);
	if (h.tid != PIPA_UNKNOWN32)
		snprintf(tid, sizeof(tid), "%" PRIu32, h.tid);
	snprintf(text, sizeof(text), "%.*s|%s|%s|%" PRIu64 "|%.*s|%.*s%s%s", (int)h.comm.len,
		 h.comm.text, pid, tid, h.period, (int)h.event.len,
		 h.event.text ? h.event.text : "", (int)h.frame.len,
		 h.frame.text ? h.frame.text : "", h.vague ? "vague" : "", h.other ? "other" : "");
	return text;
}

/* A frame as "address|symbol|dso". */
static const char *frame(const char *line)
{
	static char text[400];
	struct pipa_parsed_frame f;

	if (!pipa_script_frame_parse(line, strlen(line), &f))
		return "none";
	snprintf(text, sizeof(text), "%" PRIx64 "|%.*s|%.*s%s", f.address, (int)f.symbol.len,
		 f.symbol.text ? f.symbol.text : "", (int)f.dso.len, f.dso.text ? f.dso.text : "",
		 f.inlined ? "|inlined" : "");
	return text;
}

TEST(headers_of_every_shape_are_read)
{
	CHECK_STR(header("dd 29776 666709.771979:   10101010 cpu-clock: "),
		  "dd|?|29776|10101010|cpu-clock|");
	CHECK_STR(header("ab 23927 [000] 184694.229089: cycles: "), "ab|?|23927|0|cycles|");
	CHECK_STR(header("node 31912 cpu-clock: "), "node|?|31912|0|cpu-clock|");
	CHECK_STR(header("iperf 11/12 [003] 1.5:  99 cycles:ppp: "), "iperf|11|12|99|cycles:ppp|");
	CHECK_STR(header("w    11/12    1.500000000:  9 cpu/event=0x3c,umask=0x1/u: "),
		  "w|11|12|9|cpu/event=0x3c,umask=0x1/u|");
	CHECK_STR(header("timeout 32608 "), "timeout|?|32608|0||");
	CHECK_STR(header("timeout 1/32608"), "timeout|1|32608|0||");
	CHECK_STR(header("a 1.25: cycles: "), "a|?|?|0|cycles|");
	CHECK_STR(header("a cycles: "), "a|?|?|0|cycles|");
	CHECK_STR(header("a [001] 1.25: 7 cycles: \r"), "a|?|?|7|cycles|");
	CHECK_STR(header(":-1 -1/-1 1.25: 7 cycles: "), ":-1|?|?|7|cycles|");
	CHECK_STR(header("swapper 0 [000] 1.2: sched:sched_switch: prev_comm=a prev_pid=1 ==> x"),
		  "swapper|?|0|0|sched:sched_switch|");
}

/* perf script -F with any choice of fields, and without call chains */
TEST(headers_without_a_time_are_read)
{
	CHECK_STR(header("a 1     250000 "), "a|?|1|250000||");
	CHECK_STR(header("a 1 [003] "), "a|?|1|0||");
	CHECK_STR(header("a 1     ffffffff81000000 f ([kernel])"),
		  "a|?|1|0||     ffffffff81000000 f ([kernel])");
	CHECK_STR(header("     a           401020 main"), "a|?|?|0||           401020 main");
	CHECK_STR(header("     a 1           401020 main"), "a|?|1|0||           401020 main");
	CHECK_STR(header("a 1     250000           401020 main"),
		  "a|?|1|250000||           401020 main");
	CHECK_STR(header("a cycles:            401020 main (/a)"),
		  "a|?|?|0|cycles|            401020 main (/a)");
	CHECK_STR(header("4711 "), "|?|4711|0||");
	CHECK_STR(header("4711           401020 main"), "4711|?|?|0||           401020 main");
	CHECK_STR(header("cycles: "), "|?|?|0|cycles|");
	CHECK_STR(header("cycles:           401020 main"), "|?|?|0|cycles|           401020 main");
	CHECK_STR(header(" 12.5:           401020 main"), "|?|?|0||           401020 main");
	CHECK_STR(header("[003] "), "|?|?|0||");
	CHECK_STR(header("a 1 PERF_RECORD_COMM: a:1/1"), "a|?|1|0|PERF_RECORD_COMM|other");
}

TEST(fields_of_newer_versions_are_skipped)
{
	CHECK_STR(header("a 1/2 [000] U      1.5: 7 cycles: "), "a|1|2|7|cycles|");
	CHECK_STR(header("a 1 [000] 2026-11-15 22:18:30.123456 1.5: cycles: "), "a|?|1|0|cycles|");
	CHECK_STR(header("a 1 2026-11-15 22:18:30.123456 cycles: "), "a|?|1|0|cycles|");
	CHECK_STR(header("a 1 [000] 12,345678: 7 cycles: "),
		  "a|?|1|7|cycles|"); /* a locale's comma */
}

TEST(a_comm_may_contain_blanks_numbers_and_colons)
{
	CHECK_STR(header("Web Content 5/6 [000] 1.5: cycles: "), "Web Content|5|6|0|cycles|");
	CHECK_STR(header("Thread 5 pool 1234 [000] 1.5: cycles: "),
		  "Thread 5 pool|?|1234|0|cycles|");
	CHECK_STR(header("kworker/0:1 77 [000] 1.5: cycles: "), "kworker/0:1|?|77|0|cycles|");
	CHECK_STR(header("a: b: 77 1.5: cycles: "), "a: b:|?|77|0|cycles|");
	CHECK_STR(header("99999999999 99 1.5: cycles: "), "99999999999|?|99|0|cycles|");
}

TEST(a_sample_without_a_call_chain_has_its_frame_after_the_event)
{
	CHECK_STR(header("              dd   905 11917.855972:   10101010 cpu-clock:pppH:      "
			 "7f866240f8a7 f+0xa7 (/lib/libc.so.6)"),
		  "dd|?|905|10101010|cpu-clock:pppH|      7f866240f8a7 f+0xa7 (/lib/libc.so.6)");
	/* a tracepoint's fields are not a frame, even when they start like an address */
	CHECK_STR(header("a 1 [000] 1.2: x:y: add (b)"), "a|?|1|0|x:y|");
	CHECK_STR(header("a 1 [000] 1.2: x:y: NR 1 (1, 7f)"), "a|?|1|0|x:y|");
}

TEST(lines_other_than_samples_are_recognized)
{
	CHECK_STR(header("a 1 [000] 1.2: PERF_RECORD_COMM: a:1/1"),
		  "a|?|1|0|PERF_RECORD_COMM|other");
	CHECK_STR(header("just some words"), "just some words|?|?|0||vague");
	CHECK_STR(header("a;b;c 12x"), "a;b;c 12x|?|?|0||vague");
	CHECK_STR(header("comm"), "comm|?|?|0||vague");
}

TEST(frames_of_every_shape_are_read)
{
	CHECK_STR(frame("\t          414b3b fsnotify (/lib/vmlinux)"),
		  "414b3b|fsnotify|/lib/vmlinux");
	CHECK_STR(frame("\tffffffff8168a9a7 f+0x27 ([kernel.kallsyms])"),
		  "ffffffff8168a9a7|f|[kernel.kallsyms]");
	CHECK_STR(frame("\t               0 [unknown] ([unknown])"), "0||[unknown]");
	CHECK_STR(frame("   c6d78146ea0 Builtin:A builtin (/tmp/perf-1.map)"),
		  "c6d78146ea0|Builtin:A builtin|/tmp/perf-1.map");
	CHECK_STR(frame("\t    13a80b608e0a RegExp:\\bA ?B(?:/[\\d.]+|[ \\w.]*) (/tmp/perf-1.map)"),
		  "13a80b608e0a|RegExp:\\bA ?B(?:/[\\d.]+|[ \\w.]*)|/tmp/perf-1.map");
	CHECK_STR(frame("\t          12 f(int, char (*)(void)) const (/tmp/a (deleted))"),
		  "12|f(int, char (*)(void)) const|/tmp/a (deleted)");
	CHECK_STR(frame("\t          12 La/B;.run (/tmp/perf-1.map)\r"),
		  "12|La/B;.run|/tmp/perf-1.map");
	CHECK_STR(frame("\t          12 f (inlined)"), "12|f|inlined|inlined");
	CHECK_STR(frame("\t          12 f+0x1 (/a/b+0x55)"), "12|f|/a/b");
	CHECK_STR(frame("\t          12 (/a/b)"), "12||/a/b");
	CHECK_STR(frame("\t          12 f (/a/b) c)"), "12|f|/a/b) c");
	CHECK_STR(frame("\t              12 f+0xz"), "12|f+0xz|");
	CHECK_STR(frame("\t              12f g+0x1a"), "12f|g|");
	CHECK_STR(frame("\t          12abc"), "none"); /* not 16 wide */
	CHECK_STR(frame("\t           12abcd"), "12abcd||");
}

TEST(frames_that_are_not_indented_are_read)
{
	CHECK_STR(frame("7f10 f+0x1 (/bin/a)"), "7f10|f|/bin/a");
	CHECK_STR(frame("7f10 f+0x1"), "7f10|f|");
	CHECK_STR(frame("0 [unknown]"), "0||");
	CHECK_STR(frame("7f10"), "none");
	CHECK_STR(frame("main 12"), "none");
	CHECK_STR(frame("\t00000000004011b5\tinsn: 55 48"), "none");
}

TEST(malformed_frames_are_refused)
{
	CHECK_STR(frame(""), "none");
	CHECK_STR(frame("\t"), "none");
	CHECK_STR(frame("  file.c:12"), "none");
	CHECK_STR(frame("  a b.c:12"), "none");
	CHECK_STR(frame("  [kernel.kallsyms][ffffffff8168a9a7]"), "none");
	CHECK_STR(frame("\tadd foo"), "none");
	CHECK_STR(frame("\t12345678901234567 f (/a)"), "none"); /* no 64 bits */
	CHECK_STR(frame("\t           12g4 f (/a)"), "none");
}

TEST(time_and_cpu_are_read_with_as_many_digits_as_there_are)
{
	static const struct {
		const char *line;
		uint64_t time;
		uint32_t cpu;
	} rows[] = {
		{ "a 1/2 [003] 12.345678:  1 c:", 12345678000, 3 },
		{ "a 1/2 [003] 12.345678901:  1 c:", 12345678901, 3 },
		{ "a 1/2 12.3456789012:  1 c:", 12345678901, PIPA_UNKNOWN32 },
		{ "a 1/2 [001] 0.5:  1 c:", 500000000, 1 },
		{ "a 1/2 [001]  1 c:", PIPA_UNKNOWN, 1 },
		{ "a 1/2 99999999999999.5:  1 c:", PIPA_UNKNOWN, PIPA_UNKNOWN32 },
		{ "comm", PIPA_UNKNOWN, PIPA_UNKNOWN32 },
	};
	struct pipa_script_header h;
	size_t i;

	for (i = 0; i < PIPA_COUNT(rows); i++) {
		pipa_script_header_parse(rows[i].line, strlen(rows[i].line), &h);
		CHECK_EQ(h.time, rows[i].time);
		CHECK_EQ(h.cpu, rows[i].cpu);
	}
}
