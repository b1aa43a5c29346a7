/*
 * The balance of recordings on the real kernel, in every mode: for each ring, samples and losses in the file
 * are what the sampling events have counted. The test reads these counts itself, from the descriptors that
 * the recorder closes. PIPA_STRESS_ROUNDS repeats each mode.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "kernel/event/host.h"
#include "kernel/event/perf_event.h"
#include "lib/test.h"
#include "measure/sample/record.h"
#include "perf/file_read.h"

enum { CPUS = 1024, FDS = 1 << 16 };

/* ---- the kernel, with counts kept ---------------------------------------------------------------- */

static struct {
	struct perf_event_attr attr;
	int cpu;
	bool sampling;
} opened[FDS];

/* Expected contents of rings. */
static struct {
	uint64_t exact;		   /* samples of events that are sampled each time */
	uint64_t clock_ns, period; /* of the clock */
	bool other;		   /* an event that cannot be balanced */
} counted[CPUS];

static int keep_open(void *ctx PIPA_UNUSED, struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group, unsigned long flags)
{
	int fd = pipa_perf_open(&pipa_perf_live, attr, pid, cpu, group, flags);

	if (fd >= 0 && fd < FDS) {
		opened[fd].attr = *attr;
		opened[fd].cpu = cpu;
		opened[fd].sampling = attr->sample_period && !attr->mmap2 &&
				      attr->config != PERF_COUNT_SW_DUMMY;
	}
	return fd;
}

static bool is_clock(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_CPU_CLOCK;
}

static void keep_close(void *ctx PIPA_UNUSED, int fd)
{
	const struct perf_event_attr *attr = &opened[fd].attr;
	uint64_t words[64] = { 0 }, count;
	int cpu = opened[fd].cpu;

	if (opened[fd].sampling && read(fd, words, sizeof(words)) > 0) {
		count = words[attr->read_format & PERF_FORMAT_GROUP ? 1 : 0];
		if (is_clock(attr)) {
			counted[cpu].clock_ns += count;
			counted[cpu].period = attr->freq ? PIPA_NS_PER_SEC / attr->sample_freq :
							   attr->sample_period;
		} else if (!attr->freq && attr->sample_period == 1) {
			counted[cpu].exact += count;
		} else {
			counted[cpu].other = true;
		}
	}
	opened[fd].sampling = false;
	pipa_perf_close(&pipa_perf_live, fd);
}

static ssize_t keep_read(void *ctx PIPA_UNUSED, int fd, void *buf, size_t size)
{
	return pipa_perf_read(&pipa_perf_live, fd, buf, size);
}

static int keep_ioctl(void *ctx PIPA_UNUSED, int fd, unsigned long request, unsigned long arg)
{
	return pipa_perf_ioctl(&pipa_perf_live, fd, request, arg);
}

static void *keep_map(void *ctx PIPA_UNUSED, int fd, size_t size)
{
	return pipa_perf_map(&pipa_perf_live, fd, size);
}

static void keep_unmap(void *ctx PIPA_UNUSED, void *base, size_t size)
{
	pipa_perf_unmap(&pipa_perf_live, base, size);
}

static const struct pipa_perf_ops ops = { keep_open,  keep_read, keep_ioctl,
					  keep_close, keep_map,	 keep_unmap };
static const struct pipa_perf keeping = { .ops = &ops };

/* ---- the file ------------------------------------------------------------------------------------ */

struct found {
	struct pipa_record_sink sink; /* first: the callbacks get this */
	uint32_t side;		      /* the event of the side-band records */
	uint64_t samples[CPUS], lost[CPUS], all_samples, all_lost;
};

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *sample PIPA_UNUSED)
{
	struct found *found = (struct found *)self;

	CHECK(id->cpu < CPUS);
	found->samples[id->cpu]++;
	found->all_samples++;
	return 0;
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct found *found = (struct found *)self;

	if (id->event == found->side)
		return 0;
	CHECK(id->cpu < CPUS);
	found->lost[id->cpu] += lost->lost;
	found->all_lost += lost->lost;
	return 0;
}

static void read_file(const char *path, struct found *found)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct pipa_perf_reader_options options = { 0 };
	struct pipa_perf_reader *reader;
	struct pipa_error err = { 0 };
	struct stat st;
	uint8_t *data;
	struct pipa_memory memory;
	struct pipa_bytes bytes;

	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	data = malloc((size_t)st.st_size);
	CHECK(data && pread(fd, data, (size_t)st.st_size, 0) == st.st_size);
	memory = (struct pipa_memory){ .data = data, .size = (size_t)st.st_size };
	bytes = pipa_bytes_of_memory(&memory);
	CHECK_EQ(pipa_perf_reader_open(&bytes, &options, &reader, &err), 0);
	found->side = (uint32_t)pipa_perf_reader_events(reader)->n - 1;
	found->sink.sample = on_sample;
	found->sink.lost = on_lost;
	CHECK_EQ(pipa_perf_reader_run(reader, &found->sink, &err), 0);
	pipa_perf_reader_close(reader);
	free(data);
}

/* ---- modes --------------------------------------------------------------------------------------- */

struct mode {
	const char *events[2];
	enum pipa_calls calls;
	uint32_t stack_bytes;
	uint64_t period, ring_bytes, hz;
	bool system_wide;
	bool attach; /* to the workload while it runs */
	const char *workload[4];
};

/* Exact, but for the last period of a clock. */
static void check_ring(int cpu, const struct found *found)
{
	int64_t got = (int64_t)(found->samples[cpu] + found->lost[cpu]);
	int64_t want = (int64_t)counted[cpu].exact;
	int64_t slack = counted[cpu].period > 0;

	if (counted[cpu].other)
		return;
	if (counted[cpu].period)
		want += (int64_t)(counted[cpu].clock_ns / counted[cpu].period);
	if (got < want - slack || got > want + slack)
		pipa_test_fail(__FILE__, __LINE__,
			       "CPU %d: %llu samples and %llu lost, but the events counted %lld",
			       cpu, (unsigned long long)found->samples[cpu],
			       (unsigned long long)found->lost[cpu], (long long)want);
}

static pid_t start_workload(char **command)
{
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		execv(command[0], command);
		_exit(127);
	}
	usleep(20000);
	return pid;
}

static void record(const struct mode *mode)
{
	const char *folder = getenv("PIPA_WORKLOADS");
	static struct found found;
	char program[4096], pids[16], path[4096];
	char *command[5] = { program };
	struct pipa_event_arg args[2] = { 0 };
	struct pipa_record_options o = { .calls = mode->calls,
					 .stack_bytes = mode->stack_bytes,
					 .period = mode->period,
					 .ring_bytes = mode->ring_bytes,
					 .hz = mode->hz,
					 .version = "1",
					 .events = args,
					 .output = path };
	PIPA_AUTO(pipa_host_close) struct pipa_host host = { 0 };
	struct pipa_record_outcome outcome = { 0 };
	struct pipa_error err = { 0 };
	pid_t pid = 0;
	uint64_t all = 0;
	size_t i;
	int rc;

	if (!folder)
		SKIP("needs the workloads (PIPA_WORKLOADS)");
	memset(&found, 0, sizeof(found));
	memset(&counted, 0, sizeof(counted));
	snprintf(path, sizeof(path), "%s/perf.data", pipa_test_dir());
	snprintf(program, sizeof(program), "%s/%s", folder, mode->workload[0]);
	for (i = 1; i < 4 && mode->workload[i]; i++)
		command[i] = (char *)(uintptr_t)mode->workload[i];
	for (i = 0; i < 2 && mode->events[i]; i++)
		args[o.n_events++].text = mode->events[i];
	o.target.verb = "record";
	o.target.system_wide = mode->system_wide;
	if (mode->attach) {
		pid = start_workload(command);
		snprintf(pids, sizeof(pids), "%d", (int)pid);
		o.target.pids = pids;
	} else {
		o.target.command = command;
	}
	CHECK_EQ(pipa_host_open(&host, &err), 0);
	host.perf = &keeping;
	rc = pipa_record_run(&host, &o, &outcome, &err);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	if (rc == -EACCES || rc == -EPERM || rc == -ENOENT)
		SKIP("%s", err.what);
	CHECK_EQ(rc, 0);
	read_file(path, &found);
	CHECK_EQ(found.all_samples, outcome.samples);
	CHECK_EQ(found.all_lost, outcome.lost);
	CHECK(outcome.samples + outcome.lost > 0);
	for (i = 0; i < CPUS; i++) {
		check_ring((int)i, &found);
		all += counted[i].exact + counted[i].clock_ns;
	}
	CHECK(all > 0);
}

static void record_often(const struct mode *mode)
{
	const char *text = getenv("PIPA_STRESS_ROUNDS");
	long rounds = text ? atol(text) : 1;

	signal(SIGCHLD, SIG_DFL);
	while (rounds-- > 0)
		record(mode);
}

#define SWITCHES "sched:sched_switch"
#define RELAY                                                                                      \
	{                                                                                          \
		"relay", "3000", "60"                                                              \
	}
#define CHURN                                                                                      \
	{                                                                                          \
		"churn", "400"                                                                     \
	}
#define BALANCED(name, ...)                                                                        \
	TEST(name)                                                                                 \
	{                                                                                          \
		static const struct mode mode = __VA_ARGS__;                                       \
		record_often(&mode);                                                               \
	}

BALANCED(switches_of_cpus_without_chains,
	 { .events = { SWITCHES }, .system_wide = true, .workload = RELAY })
BALANCED(switches_of_cpus_fp,
	 { .events = { SWITCHES }, .calls = PIPA_CALLS_FP, .system_wide = true, .workload = RELAY })
BALANCED(switches_of_cpus_auto, { .events = { SWITCHES },
				  .calls = PIPA_CALLS_AUTO,
				  .system_wide = true,
				  .workload = RELAY })
BALANCED(switches_of_cpus_dwarf, { .events = { SWITCHES },
				   .calls = PIPA_CALLS_DWARF,
				   .system_wide = true,
				   .workload = RELAY })
BALANCED(switches_of_cpus_dwarf_largest, { .events = { SWITCHES },
					   .calls = PIPA_CALLS_DWARF,
					   .stack_bytes = PIPA_STACK_BYTES_MAX,
					   .system_wide = true,
					   .workload = RELAY })
BALANCED(switches_in_rings_that_are_too_small, { .events = { SWITCHES },
						 .calls = PIPA_CALLS_FP,
						 .ring_bytes = 4096,
						 .system_wide = true,
						 .workload = RELAY })
BALANCED(switches_with_dumps_in_rings_that_are_too_small, { .events = { SWITCHES },
							    .calls = PIPA_CALLS_DWARF,
							    .ring_bytes = 65536,
							    .system_wide = true,
							    .workload = RELAY })
BALANCED(switches_beside_a_clock, { .events = { SWITCHES, "cpu-clock" },
				    .calls = PIPA_CALLS_DWARF,
				    .system_wide = true,
				    .workload = RELAY })
BALANCED(switches_of_a_command,
	 { .events = { SWITCHES }, .calls = PIPA_CALLS_DWARF, .workload = RELAY })
BALANCED(faults_of_threads_that_come_and_go,
	 { .events = { "page-faults" }, .period = 1, .calls = PIPA_CALLS_FP, .workload = CHURN })
BALANCED(faults_of_threads_in_rings_that_are_too_small, { .events = { "page-faults" },
							  .period = 1,
							  .calls = PIPA_CALLS_DWARF,
							  .ring_bytes = 65536,
							  .workload = CHURN })
BALANCED(attached_while_threads_come_and_go_fp, { .events = { "page-faults" },
						  .period = 1,
						  .calls = PIPA_CALLS_FP,
						  .attach = true,
						  .workload = CHURN })
BALANCED(attached_while_threads_come_and_go_dwarf, { .events = { "page-faults" },
						     .period = 1,
						     .calls = PIPA_CALLS_DWARF,
						     .attach = true,
						     .workload = CHURN })
BALANCED(attached_while_threads_come_and_go_auto,
	 { .events = { "cpu-clock" }, .calls = PIPA_CALLS_AUTO, .attach = true, .workload = CHURN })
BALANCED(a_group_of_faults, { .events = { "{page-faults,context-switches}:S" },
			      .period = 1,
			      .calls = PIPA_CALLS_FP,
			      .system_wide = true,
			      .workload = CHURN })
BALANCED(a_group_that_is_sampled_by_member, { .events = { "{page-faults,context-switches}" },
					      .period = 1,
					      .calls = PIPA_CALLS_AUTO,
					      .system_wide = true,
					      .workload = CHURN })
BALANCED(a_clock_of_cpus, { .events = { "cpu-clock" },
			    .calls = PIPA_CALLS_AUTO,
			    .system_wide = true,
			    .workload = RELAY })
BALANCED(a_fast_clock_of_cpus, { .events = { "cpu-clock" },
				 .calls = PIPA_CALLS_FP,
				 .hz = 20000,
				 .system_wide = true,
				 .workload = RELAY })
BALANCED(a_clock_of_a_command,
	 { .events = { "cpu-clock" }, .calls = PIPA_CALLS_DWARF, .workload = CHURN })
