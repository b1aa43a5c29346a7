/*
 * Jobs that run at the same time in one process share nothing: two reports and two recordings on threads
 * give what they give one after the other. The thread sanitizer runs it too.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "job/view/report.h"
#include "kernel/event/host.h"
#include "lib/stream.h"
#include "lib/test.h"
#include "measure/sample/record.h"

enum { SAMPLES = 3000, FRAMES = 8, ROUNDS = 3 };

static char recording_path[300];

/* A job on a thread of its own, and its result. */
struct concurrent_job {
	int (*run)(struct concurrent_job *job);
	struct pipa_report_options report;
	char output[300];    /* of a recording */
	struct pipa_buf out; /* a report */
	struct pipa_record_outcome outcome;
	unsigned int notes;
	struct pipa_error err;
	int rc;
	pthread_t thread;
};

static void count_note(void *ctx, enum pipa_log_level level PIPA_UNUSED,
		       const char *text PIPA_UNUSED)
{
	struct concurrent_job *job = ctx;

	job->notes++;
}

/* ---- a recording to report: samples in this program, so that there are symbols to look up ---------- */

static void write_recording(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_perf_events events = { 0 };
	struct stream stream;
	struct pipa_error err;
	char program[300] = "";
	uint64_t chain[FRAMES], state = 1;
	unsigned int i, k;

	CHECK(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	stream_init(&stream, &events);
	for (i = 0; i < SAMPLES; i++) {
		struct pipa_rec_id id = {
			.pid = 70, .tid = 70 + i % 3, .time = 1000 + i, .id = 50
		};
		struct pipa_rec_sample sample = {
			.period = 1, .mode = PIPA_MODE_USER, .chain = chain, .chain_len = FRAMES
		};
		struct pipa_rec_map map = { .pid = 70,
					    .start = 0x10000000,
					    .len = 0x400000,
					    .executable = true,
					    .mode = PIPA_MODE_USER,
					    .path = program };

		if (i == 0)
			CHECK_EQ(stream.sink.map(&stream.sink, &id, &map), 0);
		for (k = 0; k < FRAMES; k++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			chain[k] = map.start + 0x40000 + (state >> 33) % 64 * 1024;
		}
		sample.ip = chain[0];
		CHECK_EQ(stream.sink.sample(&stream.sink, &id, &sample), 0);
	}
	stream_file(&stream, &file);
	snprintf(recording_path, sizeof(recording_path), "%s/perf.data", pipa_test_dir());
	if (pipa_outfile_write(recording_path, -1, file.data, file.len, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	stream_done(&stream);
	pipa_perf_events_done(&events);
}

/* ---- the jobs -------------------------------------------------------------------------------------- */

static int run_report(struct concurrent_job *job)
{
	return pipa_report_run(&job->report, &job->out, &job->err);
}

static int run_recording(struct concurrent_job *job)
{
	char *command[] = { "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; exit 7",
			    NULL };
	const struct pipa_event_arg event = { .text = "cpu-clock" };
	const struct pipa_record_options options = {
		.target = { .command = command, .verb = "record" },
		.events = &event,
		.n_events = 1,
		.hz = 997,
		.calls = PIPA_CALLS_FP,
		.output = job->output,
		.out_fd = -1,
		.version = "1",
		.log = { .write = count_note, .ctx = job },
	};
	PIPA_AUTO(pipa_host_close) struct pipa_host host = { 0 };
	int rc = pipa_host_open(&host, &job->err);

	return rc ? rc : pipa_record_run(&host, &options, &job->outcome, &job->err);
}

static struct concurrent_job report_job(bool json)
{
	struct concurrent_job job = {
		.run = run_report,
		.report = { .load = { .path = recording_path, .threads = 2 },
			    .top = { .keys = { PIPA_KEY_COMM, PIPA_KEY_SYMBOL, PIPA_KEY_OBJECT },
				     .n_keys = 3,
				     .children = json },
			    .form = json ? PIPA_REPORT_JSON : PIPA_REPORT_TEXT,
			    .tree = !json,
			    .header = json },
		.out = { .max = 1 << 30 },
	};

	if (json)
		job.report.load.symbols.lines = PIPA_LINES_PLAIN;
	return job;
}

static struct concurrent_job recording_job(const char *name)
{
	struct concurrent_job job = { .run = run_recording };

	snprintf(job.output, sizeof(job.output), "%s/%s", pipa_test_dir(), name);
	return job;
}

static void *run_on_thread(void *ctx)
{
	struct concurrent_job *job = ctx;

	job->rc = job->run(job);
	return NULL;
}

/* ---- results --------------------------------------------------------------------------------------- */

static void check_report(const struct concurrent_job *job, const struct concurrent_job *alone)
{
	if (job->rc < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", job->err.what);
	CHECK_EQ(job->out.len, alone->out.len);
	CHECK(memcmp(job->out.data, alone->out.data, alone->out.len) == 0);
}

/* The status is the command's, and the file has the samples that the outcome counts, all of this command. */
static void check_recording(const struct concurrent_job *job)
{
	const struct pipa_load_options load = { .path = job->output, .no_names = true };
	struct pipa_loaded loaded = { 0 };
	struct pipa_error err = { 0 };
	uint64_t samples = 0;
	uint32_t i;

	if (job->rc < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", job->err.what);
	CHECK_EQ(job->outcome.status, 7);
	CHECK(job->outcome.samples > 0);
	CHECK_EQ(pipa_load(&load, &loaded, &err), 0);
	for (i = 0; i < loaded.profile.events.n; i++)
		samples += loaded.profile.events.items[i].count;
	CHECK_EQ(samples, job->outcome.samples);
	CHECK_EQ(loaded.profile.threads.n, 1);
	pipa_loaded_done(&loaded);
}

/* Recordings need a kernel that permits them; without one the reports are compared. */
static size_t may_record(void)
{
	struct concurrent_job job = recording_job("first.data");

	if (getenv("PIPA_EMULATED"))
		return 0;
	job.rc = run_recording(&job);
	if (job.rc == -EACCES || job.rc == -EPERM || job.rc == -ENOENT || job.rc == -ENOSYS)
		return 0;
	check_recording(&job);
	return 2;
}

TEST(jobs_at_the_same_time_give_the_same_output_as_in_sequence)
{
	struct concurrent_job alone[] = { report_job(false), report_job(true) };
	size_t n_recordings, round, i;

	write_recording();
	for (i = 0; i < PIPA_COUNT(alone); i++) {
		alone[i].rc = run_report(&alone[i]);
		if (alone[i].rc < 0)
			pipa_test_fail(__FILE__, __LINE__, "%s", alone[i].err.what);
		CHECK(alone[i].out.len > 1000);
	}
	n_recordings = may_record();
	for (round = 0; round < ROUNDS; round++) {
		struct concurrent_job jobs[] = { report_job(false), report_job(true),
						 recording_job("a.data"), recording_job("b.data") };
		size_t n = 2 + n_recordings;

		for (i = 0; i < n; i++)
			CHECK_EQ(pthread_create(&jobs[i].thread, NULL, run_on_thread, &jobs[i]), 0);
		for (i = 0; i < n; i++)
			CHECK_EQ(pthread_join(jobs[i].thread, NULL), 0);
		for (i = 0; i < 2; i++) {
			check_report(&jobs[i], &alone[i]);
			pipa_buf_done(&jobs[i].out);
		}
		for (i = 2; i < n; i++)
			check_recording(&jobs[i]);
	}
	for (i = 0; i < PIPA_COUNT(alone); i++)
		pipa_buf_done(&alone[i].out);
}
