#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "export/table/run.h"
#include "export/text/plain.h"
#include "lib/test.h"

static struct pipa_buf text;
static struct pipa_run run;
static struct pipa_run_changes changes;

static const char *report(unsigned int width)
{
	const struct pipa_run_report report = { .run = &run,
						.changes = changes.n ? &changes : NULL };

	pipa_buf_reset(&text);
	pipa_run_text(&report, &(struct pipa_run_format){ .width = width }, &text);
	return pipa_buf_str(&text);
}

static void begin(void)
{
	pipa_run_init(&run);
	run.command = strdup("work");
	run.values[PIPA_RUN_TIME] = 2;
}

/* The widest line; none may end in a space. */
static size_t widest(const char *lines)
{
	size_t max = 0;

	while (*lines) {
		size_t len = strcspn(lines, "\n");
		char *line = strndup(lines, len);

		CHECK(!len || line[len - 1] != ' ');
		max = pipa_plain_width(line) > max ? pipa_plain_width(line) : max;
		free(line);
		lines += len + (lines[len] == '\n');
	}
	return max;
}

static void add_hot(const char *symbol, const char *object)
{
	run.hot[run.n_hot++] = (struct pipa_run_hot){
		.symbol = strdup(symbol), .object = strdup(object), .percent = 12.5, .samples = 5
	};
	run.samples += 5;
}

TEST(units_leave_few_digits)
{
	begin();
	run.values[PIPA_RUN_CPU_SECONDS_PER_TRANSACTION] = 2.14e-7;
	run.values[PIPA_RUN_PEAK_KB] = 12200;
	run.values[PIPA_RUN_MEM_FREE] = 13421772;
	run.values[PIPA_RUN_KSTACK] = 2016;
	report(80);
	CHECK_HAS(text.data,
		  "  cpu_seconds_per_transaction            214.0 ns   CPU time per transaction\n");
	CHECK_HAS(text.data, " 11.9 MiB  peak RSS\n");
	CHECK_HAS(text.data,
		  "  kbmemfree                12.80 GiB    kbkstack                 2,016 kB\n");
	pipa_run_done(&run);
}

TEST(zeros_without_information_are_omitted)
{
	begin();
	run.values[PIPA_RUN_USR] = 0;
	run.values[PIPA_RUN_GNICE] = 0;
	run.values[PIPA_RUN_IRQ] = 0.004;
	run.values[PIPA_RUN_STEAL] = 0.01;
	run.dev = strdup("sda");
	run.values[PIPA_RUN_TPS] = 0;
	report(80);
	CHECK_HAS(text.data, "%usr ");
	CHECK_HAS(text.data, "%steal ");
	CHECK(!strstr(text.data, "%gnice"));
	CHECK(!strstr(text.data, "%irq"));
	CHECK(!strstr(text.data, "Disk"));
	run.values[PIPA_RUN_TPS] = 1;
	CHECK_HAS(report(80), "Disk sda\n");
	pipa_run_done(&run);
}

TEST(every_line_fits_its_terminal)
{
	static const unsigned int widths[] = { 60, 80, 100, 132, 200 };
	enum pipa_run_key key;
	size_t i;

	begin();
	for (key = 0; key < PIPA_RUN_KEYS; key++)
		run.values[key] = 1234.5;
	free(run.command);
	run.command = calloc(500, 1);
	memset(run.command, 'x', 499);
	run.dev = strdup("nvme0n1");
	run.iface = strdup("eth0");
	run.transactions.pattern = strdup(
		"a benchmark: with a long pattern of words that says a lot");
	run.transactions.line = strndup(run.command, 200);
	run.transactions.by_rate = true;
	add_hot("std::map<std::string, std::vector<std::string>>::operator[](std::string const&) "
		"and so on until it is longer than any of the terminals could be, that is to say, "
		"two hundred and more",
		"a_library_with_a_long_name.so.6.0.30");
	add_hot("f", "[kernel.kallsyms]");
	pipa_run_note(&run, "%s",
		      "a note of many words that goes on for longer than one line of a "
		      "terminal of eighty columns");
	for (i = 0; i < PIPA_COUNT(widths); i++)
		CHECK(widest(report(widths[i])) <= widths[i]);
	CHECK(widest(report(0)) <= 100);
	pipa_run_done(&run);
}

TEST(control_characters_in_a_run_report_are_escaped)
{
	size_t i;

	begin();
	free(run.command);
	run.command = strdup("a\033[2J");
	run.transactions.pattern = strdup("p\033");
	run.transactions.line = strdup("l\007\n");
	add_hot("s\033]0;x\007", "o\r\n");
	pipa_run_note(&run, "n\033");
	report(80);
	for (i = 0; i < text.len; i++)
		CHECK(text.data[i] == '\n' || isprint((unsigned char)text.data[i]));
	CHECK_HAS(text.data, "s\\x1b]0;x\\x07");
	pipa_run_done(&run);
}

TEST(only_notable_changes_are_listed)
{
	begin();
	changes.n = 4;
	changes.items[0] = (struct pipa_run_change){ .key = PIPA_RUN_TIME,
						     .before = 1,
						     .after = 2,
						     .percent = 100,
						     .verdict = PIPA_VERDICT_SAME,
						     .notable = true };
	changes.items[1] = (struct pipa_run_change){ .key = PIPA_RUN_USR,
						     .before = 1,
						     .after = 2,
						     .percent = 100,
						     .verdict = PIPA_VERDICT_SAME };
	changes.items[2] = (struct pipa_run_change){ .key = PIPA_RUN_SYS,
						     .before = 1,
						     .after = 2,
						     .percent = 100,
						     .verdict = PIPA_VERDICT_HIGHER,
						     .notable = true };
	changes.items[3] = (struct pipa_run_change){ .key = PIPA_RUN_MAJOR_FAULTS, .percent = NAN };
	report(80);
	CHECK_HAS(
		text.data,
		"  run_time                          1.000 -> 2.000        +100.0 %  within noise\n");
	CHECK(widest(text.data) <= 80);
	CHECK(!strstr(text.data, "%usr"));
	CHECK(!strstr(text.data, "major_faults"));
	CHECK_HAS(text.data, "%sys ");
	CHECK_HAS(text.data, "  2 more not listed: within noise, or of the whole machine\n");
	changes.n = 0;
	pipa_run_done(&run);
}

TEST(a_change_is_better_or_worse_and_small_times_have_their_unit)
{
	begin();
	changes.n = 3;
	changes.items[0] = (struct pipa_run_change){ .key = PIPA_RUN_TIME,
						     .before = 0.0009,
						     .after = 0.0003,
						     .percent = -66.7,
						     .verdict = PIPA_VERDICT_LOWER,
						     .notable = true };
	changes.items[1] = (struct pipa_run_change){ .key = PIPA_RUN_THROUGHPUT,
						     .before = 2,
						     .after = 1,
						     .percent = -50,
						     .verdict = PIPA_VERDICT_LOWER,
						     .worse = true,
						     .notable = true };
	changes.items[2] = (struct pipa_run_change){ .key = PIPA_RUN_CPUS_USED,
						     .before = 2,
						     .after = 1,
						     .percent = -50,
						     .verdict = PIPA_VERDICT_LOWER,
						     .notable = true };
	report(80);
	CHECK_HAS(text.data, " 900.000 us -> 300.000 us    -66.7 %  better\n");
	CHECK_HAS(text.data, " 2.00 -> 1.00          -50.0 %  worse\n");
	CHECK_HAS(text.data, " 2.00 -> 1.00          -50.0 %  lower\n");
	changes.n = 0;
	pipa_run_done(&run);
}

/* A requested event is always shown, also if it was not counted. */
TEST(requested_events_are_printed_one_by_one)
{
	struct pipa_stat_row rows[] = {
		{ .name = "page-faults", .unit = "", .value = 1077 },
		{ .name = "cpu-clock", .unit = "msec", .value = 12.3456 },
		{ .name = "cycles", .unit = "", .state = PIPA_NOT_SUPPORTED },
		{ .name = "branches", .unit = "", .value = 5, .enabled_ns = 200, .running_ns = 50 },
	};
	const struct pipa_stat own = { .rows = rows, .n_rows = PIPA_COUNT(rows) };

	begin();
	run.own = &own;
	report(80);
	CHECK(!strstr(text.data, "Events of the command"));
	run.asked = true;
	report(80);
	CHECK_HAS(text.data, "\nEvents of the command and its children\n"
			     "  page-faults                            1,077\n"
			     "  cpu-clock                             12.346 msec\n"
			     "  cycles                         not supported\n"
			     "  branches                                   5"
			     "  (counted 25 % of the time)\n");
	CHECK(widest(text.data) <= 80);
	run.own = NULL;
	pipa_run_done(&run);
}
