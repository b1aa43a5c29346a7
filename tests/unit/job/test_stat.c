/*
 * pipa stat from options to report, over a scripted kernel and invented machines: hardware that no
 * test machine has. Real counts of a processor are not tested here; tests with numbers of simulated
 * hardware have `simulated` in their names.
 */
#include "job/stat.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"

#define HW(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define SW(id) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id

static struct fake_perf *fake;
static struct pipa_root *root;
static struct pipa_stat_options options;
static struct pipa_event_arg args[4];
static struct pipa_stat_outcome outcome;
static struct pipa_error err;
static char report[1 << 16], report_path[256];
static char *cmd_true[] = { "true", NULL };

/* ---- one run ------------------------------------------------------------------------------ */

static void on_machine(const char *prefix)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	pipa_root_close(root);
	root = NULL;
	CHECK_EQ(pipa_root_open(prefix, &root, &err), 0);
	snprintf(report_path, sizeof(report_path), "%s/report", pipa_test_dir());
	options = (struct pipa_stat_options){
		.count = { .target.command = cmd_true, .events = args },
		.format = { .form = PIPA_STAT_CSV, .separator = "|", .header = true },
		.output = report_path,
	};
}

/* x86 with one core PMU and all generic events. */
static void on_icelake(void)
{
	on_machine(machine_icelake());
	fake_perf_add_hardware(fake, 0);
}

static void on_hybrid(void)
{
	on_machine(machine_hybrid());
	fake_perf_add_hardware(fake, MACHINE_CPU);
	fake_perf_add_hardware(fake, MACHINE_ATOM);
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_CPU, false, 0x0f });
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_ATOM, false, 0xf0 });
}

static void count_events(const char *text)
{
	args[options.count.n_events++].text = text;
}

static void read_report(void)
{
	FILE *file = fopen(report_path, "re");
	size_t n = 0;

	if (file) {
		n = fread(report, 1, sizeof(report) - 1, file);
		fclose(file);
	}
	report[n] = '\0';
}

/* Whatever becomes of it, nothing stays open. */
static int run(void)
{
	int rc = pipa_stat_run(&(struct pipa_host){ .perf = &fake->perf, .root = root }, &options,
			       &outcome, &err);

	CHECK_EQ(fake_perf_still_open(fake), 0);
	CHECK_EQ(fake->bad_fds, 0);
	read_report();
	return rc;
}

static void run_well(void)
{
	if (run() < 0)
		pipa_test_fail(__FILE__, __LINE__, "pipa_stat_run: %s", err.what);
}

static void check_failure(int code, const char *what, const char *hint)
{
	CHECK_EQ(run(), code);
	CHECK_HAS(err.what, what);
	CHECK_HAS(err.hint, hint);
	CHECK_STR(report, "");
	CHECK(access(report_path, F_OK) < 0);
}

/* ---- the report as lines and cells -------------------------------------------------------- */

enum column { VALUE, UNIT, EVENT, RUNNING, SHARE, METRIC, METRIC_UNIT };

static size_t columns_before_value(void)
{
	size_t n = options.count.interval_ns > 0;

	if (options.count.by == PIPA_AGGR_CPU || options.count.by == PIPA_AGGR_THREAD)
		return n + 1;
	return options.count.by == PIPA_AGGR_GLOBAL ? n : n + 2;
}

/* Cell of the n-th line of the CSV; NULL after the last line. */
static const char *cell_of_line(size_t line, size_t column)
{
	static char cells[4][128];
	static unsigned int next;
	const char *p = report;
	char *cell = cells[next++ % 4];

	while (line-- && *p) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!*p)
		return NULL;
	while (column-- && *p && *p != '\n') {
		p += strcspn(p, "|\n");
		p += *p == '|';
	}
	snprintf(cell, sizeof(cells[0]), "%.*s", (int)strcspn(p, "|\n"), p);
	return cell;
}

/* The cell of an event at a place (NULL: the first) after the given extra columns. */
static const char *cell_at(const char *place, const char *event, size_t column)
{
	size_t line, before = columns_before_value();
	const char *name;

	for (line = 0; (name = cell_of_line(line, before + EVENT)); line++)
		if (strcmp(name, event) == 0 &&
		    (!place ||
		     strcmp(cell_of_line(line, options.count.interval_ns > 0), place) == 0))
			return cell_of_line(line, before + column);
	pipa_test_fail(__FILE__, __LINE__, "there is no %s at %s in\n%s", event,
		       place ? place : "all", report);
}

static const char *cell(const char *event, size_t column)
{
	return cell_at(NULL, event, column);
}

static size_t count_lines(void)
{
	size_t n = 0;

	while (cell_of_line(n, 0))
		n++;
	return n;
}

/* A metric by its title, in a --metric-only report; the place is the first column. */
static const char *metric_at(const char *place, const char *title)
{
	size_t column, line;
	const char *text;

	for (column = 0; strcmp(text = cell_of_line(0, column), title) != 0; column++)
		if (!text[0])
			pipa_test_fail(__FILE__, __LINE__, "no metric %s in\n%s", title, report);
	for (line = 1; place && (text = cell_of_line(line, 0)) && strcmp(text, place) != 0; line++)
		;
	return cell_of_line(line, column);
}

static const char *metric(const char *title)
{
	return metric_at(NULL, title);
}

/* ---- what is counted, and what is made of it ---------------------------------------------- */

TEST(the_default_set_is_perfs)
{
	static const char *const names[] = { "task-clock",  "context-switches", "cpu-migrations",
					     "page-faults", "cycles",		"instructions",
					     "branches",    "branch-misses" };
	size_t i;

	on_icelake();
	run_well();
	for (i = 0; i < PIPA_COUNT(names); i++)
		CHECK_STR(cell_of_line(i, EVENT), names[i]);
	CHECK_EQ(count_lines(), PIPA_COUNT(names));
	CHECK_STR(cell("task-clock", VALUE), "1.00");
	CHECK_STR(cell("task-clock", UNIT), "msec");
	CHECK_STR(cell("page-faults", VALUE), "2");
	CHECK_STR(cell("instructions", VALUE), "2000");
	CHECK_STR(cell("instructions", RUNNING), "1000000");
	CHECK_STR(cell("instructions", SHARE), "100.00");
	CHECK_EQ(outcome.status, 0);
}

TEST(simulated_counts_become_the_metrics_that_perf_shows)
{
	on_icelake();
	fake_perf_event(fake, HW(BRANCH_MISSES))->value = 50;
	run_well();
	CHECK_STR(cell("task-clock", METRIC_UNIT), "CPUs utilized");
	CHECK_STR(cell("page-faults", METRIC), "2.000");
	CHECK_STR(cell("page-faults", METRIC_UNIT), "K/sec");
	CHECK_STR(cell("cycles", METRIC), "0.001");
	CHECK_STR(cell("cycles", METRIC_UNIT), "GHz");
	CHECK_STR(cell("instructions", METRIC), "2.00");
	CHECK_STR(cell("instructions", METRIC_UNIT), "insn per cycle");
	CHECK_STR(cell("branches", METRIC), "5.000");
	CHECK_STR(cell("branches", METRIC_UNIT), "M/sec");
	CHECK_STR(cell("branch-misses", METRIC), "1.00");
	CHECK_STR(cell("branch-misses", METRIC_UNIT), "of all branches");
}

TEST(details_add_cache_events_step_by_step)
{
	static const size_t lines[] = { 8, 12, 18, 20, 20 };
	unsigned int detail;

	for (detail = 0; detail < PIPA_COUNT(lines); detail++) {
		on_icelake();
		options.count.detail = detail;
		run_well();
		CHECK_EQ(count_lines(), lines[detail]);
	}
	CHECK_STR(cell("L1-dcache-loads", VALUE), "<not supported>");
}

TEST(a_null_run_opens_nothing_and_measures_time)
{
	on_icelake();
	options.count.null_run = true;
	options.format.form = PIPA_STAT_TEXT;
	run_well();
	CHECK_EQ(fake->n_opens, 0);
	CHECK_HAS(report, "seconds time elapsed");
	CHECK_HAS(report, "seconds user");
}

TEST(a_command_is_opened_held_and_starts_its_counters_by_exec)
{
	on_icelake();
	count_events("page-faults");
	run_well();
	CHECK_EQ(fake->n_opens, 1);
	CHECK(fake->opens[0].pid > 0);
	CHECK_EQ(fake->opens[0].cpu, -1);
	CHECK(fake->opens[0].attr.disabled && fake->opens[0].attr.inherit &&
	      fake->opens[0].attr.enable_on_exec);
	CHECK_EQ(fake->n_ioctls, 0);
}

TEST(without_inheritance_children_are_left_out)
{
	on_icelake();
	count_events("page-faults");
	options.count.no_inherit = true;
	run_well();
	CHECK(!fake->opens[0].attr.inherit);
}

TEST(events_of_several_options_are_counted_in_order)
{
	on_icelake();
	count_events("page-faults");
	count_events("{cycles,instructions}");
	count_events("sched:sched_switch");
	args[2].filter = "prev_pid == 1";
	fake_perf_add(fake, &(struct fake_event){
				    .type = PERF_TYPE_TRACEPOINT, .config = 314, .value = 12 });
	run_well();
	CHECK_EQ(count_lines(), 4);
	CHECK_STR(cell_of_line(1, EVENT), "cycles");
	CHECK_STR(cell("sched:sched_switch", VALUE), "12");
	CHECK_STR(fake->ioctls[0].text, "prev_pid == 1");
	CHECK_EQ(fake_perf_find(fake, HW(INSTRUCTIONS), 0)->group_fd,
		 fake_perf_find(fake, HW(CPU_CYCLES), 0)->fd);
}

TEST(a_filter_for_something_else_than_a_tracepoint_is_refused)
{
	on_icelake();
	count_events("page-faults");
	args[0].filter = "x == 1";
	check_failure(-EINVAL, "page-faults is not a tracepoint: no filter possible", "--filter");
}

TEST(tool_events_are_measured_by_the_tool)
{
	on_icelake();
	count_events("duration_time,user_time,system_time");
	run_well();
	CHECK_EQ(fake->n_opens, 0);
	CHECK_STR(cell("duration_time", UNIT), "ns");
	CHECK(strtod(cell("duration_time", VALUE), NULL) > 0);
}

TEST(multiplexed_counts_are_scaled_and_the_share_is_shown)
{
	on_icelake();
	count_events("cycles,instructions,branches");
	fake_perf_event(fake, HW(CPU_CYCLES))->running_ns = 250000;
	fake_perf_event(fake, HW(INSTRUCTIONS))->starved = true;
	run_well();
	CHECK_STR(cell("cycles", VALUE), "4000");
	CHECK_STR(cell("cycles", RUNNING), "250000");
	CHECK_STR(cell("cycles", SHARE), "25.00");
	CHECK_STR(cell("instructions", VALUE), "<not counted>");
	CHECK_STR(cell("instructions", SHARE), "0.00");
	CHECK_STR(cell("instructions", METRIC), "");
	CHECK_STR(cell("branches", SHARE), "100.00");
}

TEST(events_that_the_machine_lacks_are_not_supported)
{
	on_machine(machine_plain());
	run_well();
	CHECK_STR(cell("page-faults", VALUE), "2");
	CHECK_STR(cell("cycles", VALUE), "<not supported>");
	CHECK_STR(cell("branch-misses", VALUE), "<not supported>");
}

TEST(a_weak_group_that_does_not_fit_is_counted_apart)
{
	on_icelake();
	fake->counters = 2;
	count_events("{cycles,instructions,branches}:W");
	run_well();
	CHECK_STR(cell("cycles", VALUE), "1000");
	CHECK_STR(cell("instructions", VALUE), "2000");
	CHECK_STR(cell("branches", VALUE), "5000");
}

/* ---- repeats ------------------------------------------------------------------------------ */

TEST(repeats_give_the_mean_and_its_noise)
{
	on_icelake();
	options.count.repeat = 3;
	count_events("page-faults,cycles,bus-cycles");
	*fake_perf_event(fake, SW(PAGE_FAULTS)) = (struct fake_event){
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.value = 100,
		.per_open = 10, /* 100, 110, 120 */
	};
	fake_perf_event(fake, HW(BUS_CYCLES))->type = 99;
	run_well();
	CHECK_EQ(fake_perf_opened(fake, SW(PAGE_FAULTS)), 3);
	CHECK_STR(cell("page-faults", VALUE), "110");
	CHECK_STR(cell("page-faults", EVENT + 1), "5.25%"); /* 10 / sqrt(3) of 110 */
	CHECK_STR(cell("cycles", EVENT + 1), "0.00%");
	CHECK_STR(cell("bus-cycles", VALUE), "<not supported>");
}

TEST(repeats_show_how_the_runs_were_spread)
{
	on_icelake();
	options.count.repeat = 3;
	options.format.form = PIPA_STAT_TEXT;
	count_events("page-faults");
	fake_perf_event(fake, SW(PAGE_FAULTS))->value = 100;
	fake_perf_event(fake, SW(PAGE_FAULTS))->per_open = 10;
	run_well();
	CHECK_HAS(report, "Performance counter stats for 'true' (3 runs):");
	CHECK_HAS(report, "110  page-faults");
	CHECK_HAS(report, "100              110              120"); /* min, median, max */
	CHECK_HAS(report, "( +-  5.25% )");
}

static uint64_t running_in_turns(const struct fake_open *open)
{
	return open->before % 2 ? 1000 : 3000;
}

TEST(the_share_over_repeats_is_that_of_all_runs)
{
	on_icelake();
	options.count.repeat = 2;
	count_events("cycles");
	fake_perf_event(fake, HW(CPU_CYCLES))->count = running_in_turns;
	fake_perf_event(fake, HW(CPU_CYCLES))->running_ns = 500000;
	run_well();
	CHECK_STR(cell("cycles", VALUE), "4000"); /* mean of 6000 and 2000 */
	CHECK_STR(cell("cycles", RUNNING + 1), "500000");
	CHECK_STR(cell("cycles", SHARE + 1), "50.00");
}

/* ---- intervals, timeouts, delays ---------------------------------------------------------- */

TEST(intervals_report_the_counts_since_the_last_one)
{
	on_icelake();
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.interval_ns = 10 * PIPA_NS_PER_MS;
	options.count.intervals = 3;
	count_events("page-faults,cycles");
	run_well();
	CHECK_EQ(count_lines(), 6);
	CHECK_STR(cell_of_line(0, 1 + VALUE), "8"); /* 2 on each of 4 CPUs */
	CHECK_STR(cell_of_line(2, 1 + VALUE), "8");
	CHECK_STR(cell_of_line(5, 1 + VALUE), "4000");
	CHECK(strtod(cell_of_line(0, 0), NULL) >= 0.01);
	CHECK(strtod(cell_of_line(2, 0), NULL) > strtod(cell_of_line(0, 0), NULL));
}

TEST(intervals_as_text_have_one_header)
{
	const char *line;
	int rows = 0;

	on_icelake();
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.interval_ns = 10 * PIPA_NS_PER_MS;
	options.count.intervals = 2;
	options.format.form = PIPA_STAT_TEXT;
	count_events("page-faults");
	run_well();
	CHECK_EQ(report[0], '#');
	CHECK(!strchr(report + 1, '#'));
	for (line = report; (line = strstr(line, "page-faults\n")); line++)
		rows++;
	CHECK_EQ(rows, 2); /* a slow machine may add a note on late ones */
}

TEST(simulated_metrics_of_hybrid_cores_stand_under_their_own_titles)
{
	on_hybrid();
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.by = PIPA_AGGR_CPU;
	options.count.timeout_ns = PIPA_NS_PER_MS;
	options.count.metrics = "ipc";
	options.format.metric_only = true;
	run_well();
	/* a column for either kind of core and for the sum; a CPU has the two that are its own */
	CHECK_HAS(report, "cpu|insn per cycle|insn per cycle|insn per cycle|\n");
	CHECK_HAS(report, "CPU0||2.00|2.00|\n"); /* cpu_atom comes first */
	CHECK_HAS(report, "CPU4|2.00||2.00|\n");
}

TEST(notes_follow_the_last_interval_of_a_text)
{
	on_machine(machine_plain()); /* without a PMU: there is a note */
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.interval_ns = 2 * PIPA_NS_PER_MS;
	options.count.intervals = 1;
	options.format.form = PIPA_STAT_TEXT;
	count_events("cycles,page-faults");
	run_well();
	CHECK_HAS(report, "page-faults");
	CHECK_HAS(report, " note: no hardware event works on this machine");
}

TEST(the_summary_after_intervals_covers_the_whole_run)
{
	on_icelake();
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.interval_ns = 10 * PIPA_NS_PER_MS;
	options.count.intervals = 2;
	options.summary = true;
	count_events("page-faults");
	run_well();
	CHECK_EQ(count_lines(), 3);
	CHECK_STR(cell_of_line(2, 0), "         summary");
	CHECK_STR(cell_of_line(2, 1 + VALUE), "24"); /* read a third time at the end */
}

TEST(a_commands_last_interval_ends_with_it)
{
	static char *command[] = { "sleep", "0.05", NULL };

	on_icelake();
	options.count.target.command = command;
	options.count.interval_ns = 10000 * PIPA_NS_PER_MS;
	count_events("page-faults");
	run_well();
	CHECK_EQ(count_lines(), 1);
	CHECK_STR(cell_of_line(0, 1 + VALUE), "2");
}

TEST(a_timeout_ends_the_watch)
{
	on_icelake();
	options.count.target.command = NULL;
	options.count.target.system_wide = true;
	options.count.timeout_ns = 20 * PIPA_NS_PER_MS;
	count_events("cycles,duration_time");
	run_well();
	CHECK_STR(cell("cycles", VALUE), "4000");
	CHECK(strtod(cell("duration_time", VALUE), NULL) >= 20e6);
	CHECK_EQ(outcome.status, 0);
}

TEST(a_timeout_ends_the_command)
{
	static char *command[] = { "sleep", "100", NULL };

	on_icelake();
	options.count.target.command = command;
	options.count.timeout_ns = 20 * PIPA_NS_PER_MS;
	count_events("page-faults");
	run_well();
	CHECK_STR(cell("page-faults", VALUE), "2");
	CHECK_EQ(outcome.status, 128 + SIGTERM);
}

TEST(a_delay_starts_the_counters_later)
{
	static char *command[] = { "sleep", "0.1", NULL };

	on_icelake();
	options.count.target.command = command;
	options.count.delay_ns = 10 * PIPA_NS_PER_MS;
	count_events("page-faults");
	run_well();
	CHECK(!fake->opens[0].attr.enable_on_exec);
	CHECK_EQ(fake->n_ioctls, 1);
	CHECK_EQ(fake->ioctls[0].request, PERF_EVENT_IOC_ENABLE);
	CHECK_STR(cell("page-faults", VALUE), "2");
}

TEST(a_command_that_ends_before_its_delay_is_not_counted)
{
	on_icelake();
	options.count.delay_ns = 60 * PIPA_NS_PER_SEC;
	count_events("page-faults");
	run_well();
	CHECK_STR(cell("page-faults", VALUE), "<not counted>");
}

/* ---- places ------------------------------------------------------------------------------- */

/* A server of two packages; cycles count 1000 + the CPU's number. */
static void on_server(enum pipa_aggr by)
{
	on_machine(machine_server());
	fake_perf_add_hardware(fake, 0);
	fake_perf_event(fake, HW(CPU_CYCLES))->per_cpu = 1;
	options.count.target.system_wide = true;
	options.count.by = by;
	count_events("cycles");
}

TEST(counts_of_all_cpus_are_summed)
{
	on_server(PIPA_AGGR_GLOBAL);
	run_well();
	CHECK_EQ(fake->n_opens, 8);
	CHECK_STR(cell("cycles", VALUE), "8028");
}

TEST(counts_can_be_shown_per_cpu)
{
	on_server(PIPA_AGGR_CPU);
	run_well();
	CHECK_EQ(count_lines(), 8);
	CHECK_STR(cell_at("CPU0", "cycles", VALUE), "1000");
	CHECK_STR(cell_at("CPU7", "cycles", VALUE), "1007");
}

TEST(counts_can_be_summed_per_core)
{
	on_server(PIPA_AGGR_CORE);
	run_well();
	CHECK_EQ(count_lines(), 4);
	CHECK_STR(cell_at("S0-D0-C0", "cycles", VALUE), "2001");
	CHECK_STR(cell_at("S0-D0-C1", "cycles", VALUE), "2005");
	CHECK_STR(cell_at("S1-D0-C1", "cycles", VALUE), "2013");
	CHECK_STR(cell_of_line(0, 1), "2");
}

TEST(counts_can_be_summed_per_die_socket_and_node)
{
	on_server(PIPA_AGGR_DIE);
	run_well();
	CHECK_STR(cell_at("S1-D0", "cycles", VALUE), "4022");
	on_server(PIPA_AGGR_SOCKET);
	run_well();
	CHECK_EQ(count_lines(), 2);
	CHECK_STR(cell_at("S0", "cycles", VALUE), "4006");
	CHECK_STR(cell_at("S1", "cycles", VALUE), "4022");
	CHECK_STR(cell_of_line(1, 1), "4");
	on_server(PIPA_AGGR_NODE);
	run_well();
	CHECK_STR(cell_at("N1", "cycles", VALUE), "4022");
}

TEST(some_cpus_can_be_chosen)
{
	on_server(PIPA_AGGR_CPU);
	options.count.target.system_wide = false;
	options.count.target.cpus = "1,6-7";
	run_well();
	CHECK_EQ(count_lines(), 3);
	CHECK_STR(cell_at("CPU6", "cycles", VALUE), "1006");
}

TEST(a_cpu_that_is_not_online_is_refused)
{
	on_server(PIPA_AGGR_CPU);
	options.count.target.cpus = "6-8";
	check_failure(-ENODEV, "CPU 8 is not online", "/sys/devices/system/cpu/online");
}

TEST(whole_cpus_use_the_cpus_clock)
{
	on_server(PIPA_AGGR_GLOBAL);
	options.count.n_events = 0;
	run_well();
	CHECK_STR(cell("cpu-clock", VALUE), "8.00");
	CHECK_STR(cell("cpu-clock", METRIC_UNIT), "CPUs utilized");
	CHECK_EQ(fake_perf_tried(fake, SW(TASK_CLOCK)), 0);
}

/* ---- threads, processes and cgroups ------------------------------------------------------- */

/* A process that sleeps until the test ends. */
static pid_t sleeper(void)
{
	pid_t parent = getpid(), pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		while (getppid() == parent)
			usleep(1000);
		_exit(0);
	}
	return pid;
}

TEST(threads_are_shown_one_by_one_with_their_names)
{
	static char *command[] = { "sleep", "0.02", NULL };
	const char *prefix = machine_icelake();
	pid_t first = sleeper(), second = sleeper();
	char list[40], place[40];

	on_machine(prefix);
	machine_thread(prefix, first, first, "alpha");
	machine_thread(prefix, second, second, "beta");
	snprintf(list, sizeof(list), "%d,%d", first, second);
	options.count.target.pids = list;
	options.count.by = PIPA_AGGR_THREAD;
	options.count.target.command = command;
	count_events("page-faults");
	run_well();
	CHECK_EQ(count_lines(), 2);
	snprintf(place, sizeof(place), "beta-%d", second);
	CHECK_STR(cell_at(place, "page-faults", VALUE), "2");
	CHECK_EQ(fake->opens[0].pid, first);
	CHECK(!fake->opens[0].attr.enable_on_exec); /* the command only sets how long */
	kill(first, SIGKILL);
	kill(second, SIGKILL);
}

static const char *growing;
static pid_t grower, born;

/* With every event that is opened it makes a thread, as long as it may. */
static bool grows(void *ctx, const struct fake_open *open)
{
	int *left = ctx;

	if (open->pid == grower && *left > 0) {
		--*left;
		machine_thread(growing, grower, ++born, "newcomer");
	}
	return false;
}

static void watch_one_that_grows(int *births)
{
	static char *command[] = { "sleep", "0.02", NULL };
	static char list[20];

	growing = machine_icelake();
	grower = sleeper();
	born = 4000000; /* PIDs that no process has */
	on_machine(growing);
	machine_thread(growing, grower, grower, "grower");
	snprintf(list, sizeof(list), "%d", grower);
	options.count.target.pids = list;
	options.count.by = PIPA_AGGR_THREAD;
	options.count.target.command = command;
	fake_perf_refuse(fake, -EIO, grows, births);
	count_events("page-faults");
	run_well();
	kill(grower, SIGKILL);
}

TEST(threads_made_while_a_process_is_opened_are_counted_once)
{
	int births = 2;

	watch_one_that_grows(&births);
	CHECK_EQ(births, 0);
	CHECK_EQ(count_lines(), 3);
	CHECK_STR(cell_at("newcomer-4000002", "page-faults", VALUE), "2");
}

TEST(endless_creation_of_threads_is_reported)
{
	int births = 1000;

	watch_one_that_grows(&births);
	CHECK_EQ(births, 1000 - 30);
	options.format.form = PIPA_STAT_TEXT;
	births = 1000;
	run_well();
	CHECK_HAS(report, "faster than they could be listed");
}

TEST(a_watch_ends_with_its_processes)
{
	const char *prefix = machine_icelake();
	pid_t pid = fork();
	char list[20];

	if (pid == 0) {
		usleep(30000);
		_exit(0);
	}
	on_machine(prefix);
	machine_thread(prefix, pid, pid, "short");
	snprintf(list, sizeof(list), "%d", pid);
	options.count.target.pids = list;
	options.count.target.command = NULL;
	count_events("page-faults");
	run_well();
	CHECK_STR(cell("page-faults", VALUE), "2");
	waitpid(pid, NULL, 0);
}

TEST(a_process_that_does_not_exist_is_refused)
{
	on_icelake();
	options.count.target.pids = "4194304";
	options.count.target.command = NULL;
	check_failure(-ESRCH, "process 4194304 does not exist", "ps -e");
}

TEST(cgroups_are_counted_one_after_the_other)
{
	const char *prefix = machine_icelake();
	char path[300];

	snprintf(path, sizeof(path), "%s/cgroup", pipa_test_dir());
	pipa_test_file(path, "web/cgroup.procs", "");
	pipa_test_file(path, "db/cgroup.procs", "");
	machine_file(prefix, "proc/mounts", "cgroup2 %s cgroup2 rw 0 0\n", path);
	on_machine(prefix);
	options.count.target.command = NULL;
	options.count.target.cgroups = "web,db";
	options.count.timeout_ns = 10 * PIPA_NS_PER_MS;
	count_events("page-faults,cs");
	run_well();
	CHECK_EQ(count_lines(), 4);
	CHECK_STR(cell_of_line(0, EVENT + 1), "web");
	CHECK_STR(cell_of_line(1, EVENT + 1), "web");
	CHECK_STR(cell_of_line(1, EVENT), "cs");
	CHECK_STR(cell_of_line(3, EVENT + 1), "db");
	CHECK_STR(cell_of_line(3, VALUE), "12"); /* 3 on each of 4 CPUs */
	CHECK_EQ(fake->opens[0].flags, PERF_FLAG_PID_CGROUP);
}

TEST(a_cgroup_named_once_per_event_as_perf_wants_it_is_counted_once)
{
	const char *prefix = machine_icelake();
	char path[300];

	snprintf(path, sizeof(path), "%s/cgroup", pipa_test_dir());
	pipa_test_file(path, "web/cgroup.procs", "");
	machine_file(prefix, "proc/mounts", "cgroup2 %s cgroup2 rw 0 0\n", path);
	on_machine(prefix);
	options.count.target.command = NULL;
	options.count.target.cgroups = "web,web";
	options.count.timeout_ns = 10 * PIPA_NS_PER_MS;
	count_events("page-faults,cs");
	run_well();
	CHECK_EQ(count_lines(), 2);
}

TEST(a_cgroup_that_does_not_exist_is_refused)
{
	const char *prefix = machine_icelake();

	machine_file(prefix, "proc/mounts", "cgroup2 %s cgroup2 rw 0 0\n", pipa_test_dir());
	on_machine(prefix);
	options.count.target.cgroups = "nowhere";
	check_failure(-ENOENT, "open cgroup nowhere", "find");
}

/* ---- machines that are not available ------------------------------------------------------ */

TEST(simulated_hybrid_cores_are_shown_apart_and_summed)
{
	on_hybrid();
	options.count.target.system_wide = true;
	count_events("cycles,instructions");
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32)->value = 300;
	run_well();
	CHECK_EQ(count_lines(), 6);
	CHECK_STR(cell("cpu_atom/cycles/", VALUE), "1200");
	CHECK_STR(cell("cpu_core/cycles/", VALUE), "4000");
	CHECK_STR(cell("cycles", VALUE), "5200");
	/* a part's metrics are made of its own PMU's counts, a sum's of sums */
	CHECK_STR(cell("cpu_atom/instructions/", METRIC), "6.67");
	CHECK_STR(cell("cpu_core/instructions/", METRIC), "2.00");
	CHECK_STR(cell("instructions", METRIC), "3.08");
}

TEST(simulated_hybrid_cores_take_turns_on_a_thread)
{
	on_hybrid();
	count_events("cycles");
	/* a quarter of the time on an efficient core, half on a fast one, a quarter without counter */
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32)->value = 100;
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32)->running_ns =
		250000;
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_CPU << 32)->value = 500;
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_CPU << 32)->running_ns = 500000;
	run_well();
	CHECK_STR(cell("cpu_atom/cycles/", VALUE), "400"); /* as perf scales it */
	CHECK_STR(cell("cpu_atom/cycles/", SHARE), "25.00");
	CHECK_STR(cell("cpu_core/cycles/", VALUE), "1000");
	CHECK_STR(cell("cycles", VALUE), "800"); /* 600 in three quarters */
	CHECK_STR(cell("cycles", RUNNING), "750000");
	CHECK_STR(cell("cycles", SHARE), "75.00");
}

TEST(simulated_hybrid_counts_of_a_thread_that_stayed_on_one_kind_of_core)
{
	on_hybrid();
	count_events("cycles");
	fake_perf_event(fake, PERF_TYPE_HARDWARE, (uint64_t)MACHINE_ATOM << 32)->starved = true;
	run_well();
	CHECK_STR(cell("cpu_atom/cycles/", VALUE), "<not counted>");
	CHECK_STR(cell("cpu_core/cycles/", VALUE), "1000");
	CHECK_STR(cell("cycles", VALUE), "1000");
	CHECK_STR(cell("cycles", SHARE), "100.00");
}

TEST(simulated_hybrid_cpus_show_the_events_of_their_pmu)
{
	on_hybrid();
	options.count.target.system_wide = true;
	options.count.by = PIPA_AGGR_CPU;
	count_events("cycles");
	run_well();
	CHECK_STR(cell_at("CPU0", "cpu_core/cycles/", VALUE), "1000");
	CHECK_STR(cell_at("CPU7", "cpu_atom/cycles/", VALUE), "1000");
	CHECK_STR(cell_at("CPU7", "cycles", VALUE), "1000");
	CHECK_EQ(count_lines(), 16);
}

TEST(simulated_biglittle_counts_a_named_event_on_both_clusters)
{
	on_machine(machine_biglittle());
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_A53, false, 0x0f });
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_A73, false, 0x30 });
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_A53, .config = 8, .value = 10 });
	fake_perf_add(fake, &(struct fake_event){ .type = MACHINE_A73, .config = 8, .value = 100 });
	options.count.target.system_wide = true;
	count_events("inst_retired");
	run_well();
	CHECK_STR(cell("armv8_cortex_a53/inst_retired/", VALUE), "40");
	CHECK_STR(cell("armv8_cortex_a73/inst_retired/", VALUE), "200");
	CHECK_STR(cell("inst_retired", VALUE), "240");
}

TEST(simulated_biglittle_counts_generic_events_on_a_kernel_that_cannot_aim_them)
{
	on_machine(machine_biglittle());
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_A53, false, 0x0f });
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_A73, false, 0x30 });
	fake_perf_add(fake,
		      &(struct fake_event){ .type = MACHINE_A53, .config = 0x11, .value = 5 });
	fake_perf_add(fake,
		      &(struct fake_event){ .type = MACHINE_A73, .config = 0x11, .value = 7 });
	options.count.target.system_wide = true;
	run_well();
	CHECK_STR(cell("armv8_cortex_a53/cycles/", VALUE), "20");
	CHECK_STR(cell("armv8_cortex_a73/cycles/", VALUE), "14");
	CHECK_STR(cell("cycles", VALUE), "34");
	CHECK_STR(cell("branches", VALUE), "<not supported>");
}

static void add_raw(uint32_t type, uint64_t config, uint64_t value)
{
	fake_perf_add(fake, &(struct fake_event){ .type = type, .config = config, .value = value });
}

static void ask_topdown(void)
{
	options.count.topdown = true;
	options.format.metric_only = true;
}

TEST(simulated_icelake_topdown_is_a_group_led_by_slots)
{
	size_t i;

	on_machine(machine_icelake());
	add_raw(MACHINE_CPU, 0x400, 1000);
	add_raw(MACHINE_CPU, 0x8000, 250);
	add_raw(MACHINE_CPU, 0x8100, 50);
	add_raw(MACHINE_CPU, 0x8200, 300);
	add_raw(MACHINE_CPU, 0x8300, 400);
	ask_topdown();
	run_well();
	CHECK_EQ(fake->n_opens, 5);
	CHECK_EQ(fake->opens[0].attr.config, 0x400); /* the kernel wants slots in the lead */
	for (i = 1; i < 5; i++)
		CHECK_EQ(fake->opens[i].group_fd, fake->opens[0].fd);
	CHECK_STR(metric("retiring"), "25.00");
	CHECK_STR(metric("bad speculation"), "5.00");
	CHECK_STR(metric("frontend bound"), "30.00");
	CHECK_STR(metric("backend bound"), "40.00");
}

TEST(simulated_skylake_topdown_is_computed_from_issued_and_retired_slots)
{
	on_machine(machine_skylake());
	add_raw(MACHINE_CPU, 0x20003c, 500); /* total, x 2 */
	add_raw(MACHINE_CPU, 0x10e, 400);    /* issued */
	add_raw(MACHINE_CPU, 0x2c2, 300);    /* retired */
	add_raw(MACHINE_CPU, 0x19c, 200);    /* fetch bubbles */
	add_raw(MACHINE_CPU, 0x120030d, 25); /* recovery bubbles, x 2 */
	ask_topdown();
	run_well();
	CHECK_STR(metric("retiring"), "30.00");
	CHECK_STR(metric("bad speculation"), "15.00");
	CHECK_STR(metric("frontend bound"), "20.00");
	CHECK_STR(metric("backend bound"), "35.00");
}

TEST(simulated_neoverse_topdown_is_computed_from_stalled_slots)
{
	on_machine(machine_neoverse());
	add_raw(MACHINE_ARM, 0x3f, 600); /* stall_slot */
	add_raw(MACHINE_ARM, 0x3e, 200); /* of the front end */
	add_raw(MACHINE_ARM, 0x3d, 400); /* of the back end */
	add_raw(MACHINE_ARM, 0x3b, 400); /* op_spec */
	add_raw(MACHINE_ARM, 0x3a, 300); /* op_retired */
	ask_topdown();
	run_well();
	CHECK_STR(metric("retiring"), "30.00");
	CHECK_STR(metric("bad speculation"), "10.00");
	CHECK_STR(metric("frontend bound"), "20.00");
	CHECK_STR(metric("backend bound"), "40.00");
}

TEST(simulated_topdown_per_socket_has_a_line_each)
{
	const char *prefix = machine_server();

	machine_event(prefix, "cpu", "slots", "event=0x00,umask=0x4", NULL, NULL);
	machine_event(prefix, "cpu", "topdown-retiring", "event=0x00,umask=0x80", NULL, NULL);
	on_machine(prefix);
	add_raw(MACHINE_CPU, 0x400, 1000);
	add_raw(MACHINE_CPU, 0x8000, 100);
	fake_perf_event(fake, MACHINE_CPU, 0x8000)->per_cpu = 10;
	options.count.metrics = "retiring";
	options.format.metric_only = true;
	options.count.target.system_wide = true;
	options.count.by = PIPA_AGGR_SOCKET;
	run_well();
	CHECK_STR(metric_at("S0", "retiring"), "11.50");
	CHECK_STR(metric_at("S1", "retiring"), "15.50");
}

TEST(topdown_on_a_machine_without_it_is_refused)
{
	on_machine(machine_plain());
	ask_topdown();
	check_failure(-EOPNOTSUPP, "this machine lacks the events of metric 'topdown'",
		      "pipa list metric");
}

/* RAPL counts 2^-32 Joules. */
static void on_rapl(void)
{
	on_machine(machine_server());
	fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_POWER, true, 0x11 });
	add_raw(MACHINE_POWER, 2, 5ULL << 32);
	fake_perf_event(fake, MACHINE_POWER, 2)->per_cpu = 1ULL << 32;
}

TEST(simulated_rapl_joules_of_a_command_are_those_of_all_packages)
{
	on_rapl();
	count_events("power/energy-pkg/");
	run_well();
	CHECK_EQ(fake->n_opens, 2);
	CHECK_STR(cell("power/energy-pkg/", VALUE), "14.00"); /* 5 on CPU 0, 5 + 4 on CPU 4 */
	CHECK_STR(cell("power/energy-pkg/", UNIT), "Joules");
}

TEST(simulated_rapl_joules_per_socket)
{
	on_rapl();
	options.count.target.system_wide = true;
	options.count.by = PIPA_AGGR_SOCKET;
	count_events("power/energy-pkg/");
	run_well();
	CHECK_STR(cell_at("S0", "power/energy-pkg/", VALUE), "5.00");
	CHECK_STR(cell_at("S1", "power/energy-pkg/", VALUE), "9.00");
	CHECK_STR(cell_of_line(0, 1), "1");
}

TEST(simulated_rapl_watts_are_joules_over_wall_time)
{
	on_rapl();
	count_events("power/energy-pkg/,duration_time");
	options.count.metrics = "package_power,watts=[energy-pkg] / elapsed";
	run_well();
	CHECK_STR(cell("power/energy-pkg/", METRIC_UNIT), "W");
	CHECK_NEAR(strtod(cell("power/energy-pkg/", METRIC), NULL),
		   14 / (strtod(cell("duration_time", VALUE), NULL) / 1e9), 1);
}

TEST(simulated_memory_controllers_are_one_line_or_one_each)
{
	unsigned int i;

	on_machine(machine_server());
	for (i = 0; i < 4; i++) {
		fake_perf_add_pmu(fake, &(struct fake_pmu){ MACHINE_IMC + i, true, 0x11 });
		add_raw(MACHINE_IMC + i, 0x304, 16384); /* a line of 64 bytes each: 1 MiB */
	}
	count_events("uncore_imc/cas_count_read/");
	run_well();
	CHECK_EQ(count_lines(), 1);
	CHECK_STR(cell("uncore_imc/cas_count_read/", VALUE), "8.00");
	CHECK_STR(cell("uncore_imc/cas_count_read/", UNIT), "MiB");
	options.count.no_merge = true;
	run_well();
	CHECK_EQ(count_lines(), 4);
	CHECK_STR(cell("uncore_imc_3/cas_count_read/", VALUE), "2.00");
}

/* ---- metrics ------------------------------------------------------------------------------ */

TEST(metrics_bring_the_events_they_need)
{
	on_icelake();
	options.count.metrics = "ipc,branch_miss_rate,double=2 * [page-faults]";
	run_well();
	CHECK_STR(cell("instructions", METRIC), "2.00");
	CHECK_STR(cell("branch-misses", METRIC), "120.00");
	CHECK_STR(cell("page-faults", METRIC), "4.0000");
	CHECK_STR(cell("page-faults", METRIC_UNIT), "double");
	CHECK_EQ(fake_perf_tried(fake, SW(TASK_CLOCK)), 0); /* time was not requested */
}

TEST(a_metric_shares_the_events_that_are_counted_anyway)
{
	on_icelake();
	count_events("cycles");
	options.count.metrics = "ipc";
	run_well();
	CHECK_EQ(fake_perf_tried(fake, HW(CPU_CYCLES)), 1);
	CHECK_STR(cell("instructions", METRIC), "2.00");
}

TEST(an_unknown_metric_is_refused_with_the_nearest)
{
	on_icelake();
	options.count.metrics = "icp";
	check_failure(-ENOENT, "unknown metric 'icp'", "ipc");
}

/* ---- notes beside the numbers ------------------------------------------------------------- */

static void run_as_text(void)
{
	options.format.form = PIPA_STAT_TEXT;
	run_well();
}

TEST(at_paranoid_two_a_note_explains_user_space_only_counts)
{
	on_icelake();
	fake->unprivileged = true;
	fake->paranoid = 2;
	run_as_text();
	CHECK_HAS(report, "1,000      cycles:u");
	CHECK_HAS(report, "page-faults:u");
	CHECK_HAS(report, "# ");
	CHECK_HAS(report,
		  "note: only user space was counted (:u). Include the kernel with: sudo sysctl "
		  "kernel.perf_event_paranoid=1");
	CHECK_HAS(report,
		  "context-switches:u and cpu-migrations:u happen in the kernel and read 0");
	CHECK_HAS(report, "2.00 insn per cycle"); /* metrics know the events by their keys */
}

TEST(events_requested_in_user_space_need_no_note)
{
	on_icelake();
	fake->unprivileged = true;
	fake->paranoid = 2;
	count_events("page-faults:u");
	run_as_text();
	CHECK(!strstr(report, "note:"));
}

TEST(the_watchdogs_counter_is_mentioned_when_events_had_to_share)
{
	const char *prefix = machine_icelake();
	int shared;

	machine_file(prefix, "proc/sys/kernel/nmi_watchdog", "1\n");
	for (shared = 0; shared < 2; shared++) {
		on_machine(prefix);
		fake_perf_add_hardware(fake, 0);
		fake_perf_event(fake, HW(CPU_CYCLES))->running_ns = shared ? 900000 : 0;
		run_as_text();
		CHECK_EQ(strstr(report, "note: the NMI watchdog uses one hardware counter. Free it "
					"with: sudo sysctl kernel.nmi_watchdog=0") != NULL,
			 shared);
	}
}

TEST(a_machine_without_hardware_events_gets_a_note)
{
	on_machine(machine_plain());
	run_as_text();
	CHECK_HAS(report, "note: no hardware event works on this machine");
	CHECK(!strstr(report, "watchdog"));
}

/* ---- comparing ---------------------------------------------------------------------------- */

/* Three runs of page-faults: value, value + step, value + 2 x step; into `path`. */
static void count_faults(const char *path, uint64_t value, uint64_t step)
{
	options.count.n_events = 0;
	count_events("page-faults");
	fake_perf_event(fake, SW(PAGE_FAULTS))->value = value;
	fake_perf_event(fake, SW(PAGE_FAULTS))->per_open = step;
	options.count.repeat = 3;
	options.output = path;
	run_well();
}

TEST(a_comparison_distinguishes_change_from_noise)
{
	static const struct {
		uint64_t value;
		const char *says;
	} cases[] = { { 200, "+90.91%  higher" },
		      { 101, "+0.91%  within noise" },
		      { 50, "-45.45%  lower" } };
	char before[256];
	size_t i;

	snprintf(before, sizeof(before), "%s/before.json", pipa_test_dir());
	on_icelake();
	options.format.form = PIPA_STAT_JSON;
	count_faults(before, 100, 10);
	for (i = 0; i < PIPA_COUNT(cases); i++) {
		on_icelake();
		options.format.form = PIPA_STAT_TEXT;
		options.compare = before;
		count_faults(report_path, cases[i].value, 10);
		CHECK_HAS(report, cases[i].says);
		CHECK_HAS(report, "elapsed, s");
	}
}

TEST(a_comparison_of_single_runs_has_an_unknown_verdict)
{
	char before[256];

	snprintf(before, sizeof(before), "%s/before.json", pipa_test_dir());
	on_icelake();
	options.format.form = PIPA_STAT_JSON;
	options.output = before;
	count_events("page-faults");
	run_well();
	on_icelake();
	options.format.form = PIPA_STAT_TEXT;
	options.compare = before;
	count_events("page-faults,cycles");
	run_well();
	CHECK_HAS(report, "+0.00%  unknown      page-faults");
	CHECK(!strstr(report, "unknown      cycles")); /* it has no before */
}

TEST(a_baseline_without_a_common_event_gets_a_note)
{
	const char *dir = pipa_test_dir();
	char before[256];

	snprintf(before, sizeof(before), "%s/before.json", dir);
	pipa_test_file(dir, "before.json", "{\"schema\": \"pipa-stat/1\", \"events\": []}");
	on_icelake();
	options.format.form = PIPA_STAT_TEXT;
	options.compare = before;
	count_events("page-faults");
	run_well();
	CHECK_HAS(report, "before.json has no event in common with this report");
}

TEST(an_invalid_baseline_is_refused_before_anything_runs)
{
	const char *dir = pipa_test_dir();
	char before[256];

	snprintf(before, sizeof(before), "%s/before.json", dir);
	on_icelake();
	options.compare = before;
	check_failure(-ENOENT, "open ", "");
	pipa_test_file(dir, "before.json", "{\"schema\": \"other/1\"}");
	check_failure(-EBADMSG, "not a report of pipa stat (schema other/1)", "pipa stat");
	pipa_test_file(dir, "before.json", "{");
	check_failure(-EBADMSG, "is not JSON", "");
	CHECK_EQ(fake->n_opens, 0);
}

/* ---- what goes wrong ---------------------------------------------------------------------- */

TEST(too_few_descriptors_end_in_one_message)
{
	on_icelake();
	options.count.target.system_wide = true;
	fake->max_fds = 10;
	check_failure(-EMFILE, "Too many open files", "ulimit -n");
}

TEST(whole_cpus_without_permission_end_in_one_message)
{
	on_icelake();
	options.count.target.system_wide = true;
	fake->unprivileged = true;
	fake->paranoid = 2;
	check_failure(-EACCES, "cannot count cpu-clock: Permission denied",
		      "kernel.perf_event_paranoid=0 (now 2)");
}

TEST(a_command_that_cannot_be_started_leaves_no_report)
{
	static char *missing[] = { "/nonexistent/program", NULL };
	static char *folder[] = { "/", NULL };

	on_icelake();
	options.count.target.command = missing;
	check_failure(-ENOENT, "run /nonexistent/program", "PATH");
	CHECK(outcome.exec_failed);
	options.count.target.command = folder;
	check_failure(-EACCES, "run /", "it is a directory");
	CHECK(outcome.exec_failed);
}

TEST(the_commands_status_is_handed_on)
{
	static char *seven[] = { "sh", "-c", "exit 7", NULL };
	static char *killed[] = { "sh", "-c", "kill -9 $$", NULL };

	on_icelake();
	options.count.target.command = seven;
	run_well();
	CHECK_EQ(outcome.status, 7);
	options.count.target.command = killed;
	run_well();
	CHECK_EQ(outcome.status, 128 + SIGKILL);
}

TEST(a_command_of_endless_arguments_is_named_by_its_first)
{
	static char argument[80000];
	char *command[] = { "true", argument, NULL };

	on_icelake();
	memset(argument, 'x', sizeof(argument) - 1);
	options.count.target.command = command;
	options.format.form = PIPA_STAT_TEXT;
	run_well();
	CHECK_HAS(report, "stats for 'true ...':");
}

TEST(options_that_do_not_go_together_are_refused)
{
	on_icelake();
	options.count.target.command = NULL;
	check_failure(-EINVAL, "nothing to count", "-a for all CPUs");
	options.count.target.pids = "1";
	options.count.target.system_wide = true;
	check_failure(-EINVAL, "-p and -t count threads", "these cannot be combined");
	options.count.target.pids = NULL;
	options.count.target.system_wide = false;
	options.count.target.command = cmd_true;
	options.count.by = PIPA_AGGR_SOCKET;
	check_failure(-EINVAL, "need whole CPUs", "add -a");
	options.count.by = PIPA_AGGR_THREAD;
	check_failure(-EINVAL, "--per-thread needs existing threads", "-p PID");
}

TEST(a_report_that_cannot_be_written_is_a_failure)
{
	on_icelake();
	count_events("page-faults");
	options.output = "/nonexistent/report";
	CHECK_EQ(run(), -ENOENT);
	CHECK_HAS(err.what, "/nonexistent/report");
}

TEST(appended_reports_follow_each_other)
{
	on_icelake();
	count_events("page-faults");
	options.append = true;
	run_well();
	run_well();
	CHECK_EQ(count_lines(), 2);
}

TEST(a_report_can_go_to_a_descriptor)
{
	int ends[2];
	ssize_t n;

	on_icelake();
	count_events("page-faults");
	CHECK_EQ(pipe(ends), 0);
	options.output = NULL;
	options.out_fd = ends[1];
	run_well();
	n = read(ends[0], report, sizeof(report) - 1);
	CHECK(n > 0);
	report[n] = '\0';
	CHECK_STR(cell("page-faults", VALUE), "2");
}
