#include "load/load.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "lib/stream.h"
#include "lib/test.h"

static char path[300];

/* Write a file of the test's own; its path is in `path`. */
static void write_input(const void *bytes, size_t len)
{
	FILE *file;

	snprintf(path, sizeof(path), "%s/input", pipa_test_dir());
	file = fopen(path, "we");
	CHECK(file && fwrite(bytes, 1, len, file) == len && fclose(file) == 0);
}

static int load_file(struct pipa_loaded *ret, struct pipa_error *err)
{
	const struct pipa_load_options options = {
		.path = path, .threads = 1, .timeline = true, .no_names = true
	};

	return pipa_load(&options, ret, err);
}

static void load_text(const char *text, struct pipa_loaded *ret)
{
	struct pipa_error err = { 0 };

	write_input(text, strlen(text));
	if (load_file(ret, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
}

/* A stream of one event with that many samples of one process, two frames each. */
static void write_recording(bool swapped, unsigned int n)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_id_all = 1,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						       PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_perf_events events = { 0 };
	struct pipa_rec_id id = { .pid = 70, .tid = 71, .id = 50 };
	uint64_t chain[] = { PIPA_CHAIN_USER, 0x400010, 0x400020 };
	struct pipa_rec_sample sample = { .ip = 0x400010,
					  .period = 3,
					  .mode = PIPA_MODE_USER,
					  .chain = chain,
					  .chain_len = PIPA_COUNT(chain) };
	struct stream stream;
	unsigned int i;

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	stream_init(&stream, &events);
	stream.swapped = swapped;
	CHECK_EQ(stream.sink.comm(&stream.sink, &id,
				  &(struct pipa_rec_comm){ 70, 71, 1, "worker" }),
		 0);
	for (i = 0; i < n; i++) {
		id.time = 1000 + 10 * i;
		CHECK_EQ(stream.sink.sample(&stream.sink, &id, &sample), 0);
	}
	stream_file(&stream, &file);
	write_input(file.data, file.len);
	stream_done(&stream);
	pipa_perf_events_done(&events);
}

static void check_recording(unsigned int n)
{
	struct pipa_error err = { 0 };
	struct pipa_loaded loaded;
	const struct pipa_profile *p = &loaded.profile;

	if (load_file(&loaded, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(loaded.kind, PIPA_KIND_PERF_DATA);
	CHECK_EQ(p->events.n, 1);
	CHECK_EQ(p->events.items[0].count, n);
	CHECK_EQ(p->events.items[0].weight, 3 * n);
	CHECK_EQ(p->samples.n, 1); /* equal ones are one */
	CHECK_EQ(p->stacks.items[p->samples.items[0].stack].depth, 2);
	CHECK_EQ(p->threads.items[p->samples.items[0].thread].tid, 71);
	CHECK_STR(pipa_profile_string(p, p->threads.items[p->samples.items[0].thread].comm),
		  "worker");
	CHECK_EQ(loaded.timeline.n, n);
	CHECK_EQ(loaded.timeline.items[n - 1].time - loaded.timeline.items[0].time, 10 * (n - 1));
	pipa_loaded_done(&loaded);
}

TEST(a_recording_becomes_a_profile_and_a_timeline)
{
	write_recording(false, 20);
	check_recording(20);
}

TEST(a_recording_of_the_other_byte_order_becomes_the_same)
{
	write_recording(true, 20);
	check_recording(20);
}

TEST(a_recording_without_its_end_gives_the_samples_before)
{
	struct pipa_error err = { 0 };
	struct pipa_loaded loaded;
	FILE *file;
	long size;

	write_recording(false, 2000);
	file = fopen(path, "re");
	CHECK(file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 0);
	fclose(file);
	CHECK_EQ(truncate(path, size / 2), 0);
	if (load_file(&loaded, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK(loaded.timeline.n > 500 && loaded.timeline.n < 1500);
	pipa_loaded_done(&loaded);
}

TEST(folded_stacks_become_a_profile)
{
	struct pipa_loaded loaded;

	load_text("main;work;leaf 10\nmain;other 5\n", &loaded);
	CHECK_EQ(loaded.kind, PIPA_KIND_FOLDED);
	CHECK_EQ(loaded.profile.samples.n, 2);
	CHECK_EQ(loaded.profile.samples.items[0].weight + loaded.profile.samples.items[1].weight,
		 15);
	CHECK_EQ(loaded.timeline.n, 0);
	pipa_loaded_done(&loaded);
}

TEST(text_of_perf_script_becomes_a_profile)
{
	struct pipa_loaded loaded;

	load_text("worker 70/71 [001] 5.5: 1000 cycles: \n\t 4010 leaf+0x0 (/bin/x)\n"
		  "\t 4020 main+0x0 (/bin/x)\n\n",
		  &loaded);
	CHECK_EQ(loaded.kind, PIPA_KIND_PERF_SCRIPT);
	CHECK_EQ(loaded.profile.samples.n, 1);
	CHECK_EQ(loaded.profile.samples.items[0].weight, 1000);
	CHECK_EQ(loaded.profile.stacks.items[loaded.profile.samples.items[0].stack].depth, 2);
	pipa_loaded_done(&loaded);
}

TEST(a_file_that_is_missing_or_of_no_kind_is_refused)
{
	struct pipa_loaded loaded;
	struct pipa_error err = { 0 };

	snprintf(path, sizeof(path), "%s/missing", pipa_test_dir());
	CHECK_EQ(load_file(&loaded, &err), -ENOENT);
	CHECK_HAS(err.what, "/missing");
	write_input("\0\1\2\3", 4);
	CHECK(load_file(&loaded, &err) < 0);
	write_input("", 0);
	CHECK(load_file(&loaded, &err) < 0);
}

TEST(a_loaded_profile_can_be_moved)
{
	struct pipa_loaded from, to = { 0 };

	load_text("main;work 7\n", &from);
	pipa_loaded_move(&to, &from);
	CHECK_EQ(to.profile.samples.n, 1);
	CHECK_EQ(to.profile.samples.items[0].weight, 7);
	pipa_loaded_done(&to);
}
