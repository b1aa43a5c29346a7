#include "measure/sample/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/interrupt.h"
#include "lib/test.h"
#include "model/recording.h"
#include "perf/file_read.h"

static const char *path(void)
{
	static char text[300];

	snprintf(text, sizeof(text), "%s/perf.data", pipa_test_dir());
	return text;
}

static struct pipa_perf_events one_event(void)
{
	struct pipa_perf_events events = { 0 };
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_period = 1000,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	return events;
}

static struct pipa_record_file *begin(const struct pipa_perf_events *events,
				      struct pipa_perf_about *about)
{
	const struct pipa_record_file_options options = { .path = path(), .ring_bytes = 4096 };
	struct pipa_record_file *file;

	CHECK_EQ(pipa_record_file_open(&options, &file, NULL), 0);
	CHECK_EQ(pipa_record_file_begin(file, events, about, NULL), 0);
	return file;
}

/*
 * Check that the recording has a complete header and no corruption; returns the number of its
 * samples.
 */
static uint64_t check_readable(void)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path(), O_RDONLY | O_CLOEXEC);
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *reader = NULL;
	struct pipa_record_sink sink = { 0 };
	struct pipa_bytes bytes;
	const struct pipa_recording *recording;

	CHECK(fd >= 0);
	pipa_file_bytes(&fd, &bytes);
	CHECK_EQ(pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader,
				       NULL),
		 0);
	CHECK_EQ(pipa_perf_reader_run(reader, &sink, NULL), 0);
	recording = pipa_perf_reader_recording(reader);
	CHECK_STR(recording->damage.what, "");
	CHECK_EQ(recording->damage.count, 0u);
	return recording->counts[PERF_RECORD_SAMPLE];
}

static void put_samples(struct pipa_record_file *file, size_t n)
{
	struct {
		struct perf_event_header header;
		uint64_t ip;
		uint32_t pid, tid;
	} sample = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(sample) },
		     .ip = 0x1000,
		     .pid = 1,
		     .tid = 1 };

	for (; n; n--)
		pipa_record_file_put(file, &sample, sizeof(sample), true);
}

TEST(a_recording_without_records_is_complete)
{
	struct pipa_perf_events events = one_event();
	struct pipa_perf_about about = { .hostname = "here" };
	struct pipa_record_file *file = begin(&events, &about);

	CHECK_EQ(pipa_record_file_finish(file, &events, &about, NULL, NULL), 0);
	pipa_record_file_free(file);
	CHECK_EQ(check_readable(), 0u);
	pipa_perf_events_done(&events);
}

/* Count two stop signals, as after Ctrl-C was typed twice. */
static void interrupt_twice(void)
{
	sigset_t set, old;
	int i;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	pipa_interrupt_enable();
	pipa_interrupt_block(&set, &old);
	for (i = 0; i < 2; i++) {
		raise(SIGINT);
		sigprocmask(SIG_SETMASK, &old, NULL); /* the handler counts it */
		sigprocmask(SIG_BLOCK, &set, NULL);
	}
	CHECK_EQ(pipa_interrupt_count(), 2u);
}

/* Let files grow to so many bytes. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = bytes;
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

TEST(after_two_signals_a_recording_on_a_full_disk_has_its_header)
{
	struct pipa_perf_events events = one_event();
	struct pipa_perf_about about = { .hostname = "here" };
	struct pipa_record_file *file = begin(&events, &about);
	struct pipa_error err = { 0 };
	uint64_t samples;

	put_samples(file, 4000);
	interrupt_twice();
	limit_files(pipa_record_file_size(file) + 36); /* one and a half */
	put_samples(file, 2);
	CHECK_EQ(pipa_record_file_ended(file), PIPA_RECORD_FAILED);
	CHECK_EQ(pipa_record_file_finish(file, &events, &about, NULL, &err), -EFBIG);
	CHECK(!pipa_interrupt_gave_up());
	pipa_record_file_free(file);
	samples = check_readable(); /* the last ones made room for the description of the machine */
	CHECK(samples > 2000 && samples < 4000);
	pipa_perf_events_done(&events);
}

TEST(a_file_that_was_not_kept_is_removed)
{
	struct pipa_perf_events events = one_event();
	struct pipa_perf_about about = { 0 };
	struct pipa_record_file *file = begin(&events, &about);

	put_samples(file, 2);
	pipa_record_file_free(file);
	CHECK(access(path(), F_OK) < 0);
	pipa_perf_events_done(&events);
}
