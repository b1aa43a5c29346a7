/* A recording read by several threads gives the profile that one thread gives. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "lib/stream.h"
#include "lib/test.h"
#include "load/load.h"

enum { SAMPLES = 5000, FRAMES = 12 };

static char path[300];
static uint64_t state;

static uint32_t any(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

static void put_map(struct pipa_record_sink *sink, const struct pipa_rec_id *id, uint32_t pid,
		    const char *file)
{
	struct pipa_rec_map map = { .pid = pid,
				    .start = 0x400000,
				    .len = 0x10000,
				    .executable = true,
				    .mode = PIPA_MODE_USER,
				    .path = file };

	CHECK_EQ(sink->map(sink, id, &map), 0);
}

/* Processes come, are renamed and get other files in the middle of it all. */
static void put_change(struct pipa_record_sink *sink, const struct pipa_rec_id *id)
{
	uint32_t pid = 70 + any(6);
	char name[32];

	snprintf(name, sizeof(name), "/not/there/%u", any(40));
	put_map(sink, id, pid, name);
	snprintf(name, sizeof(name), "comm%u", any(20));
	CHECK_EQ(sink->comm(sink, id, &(struct pipa_rec_comm){ pid, pid, any(2), name }), 0);
	CHECK_EQ(sink->fork(sink, id,
			    &(struct pipa_rec_task){ pid + 100, pid, pid + 100, pid, 3, false }),
		 0);
	CHECK_EQ(sink->lost(sink, id, &(struct pipa_rec_lost){ any(9), false }), 0);
}

static void put_sample(struct pipa_record_sink *sink, const struct pipa_rec_id *id)
{
	uint64_t chain[FRAMES];
	struct pipa_rec_sample sample = { .period = 1 + any(100),
					  .mode = PIPA_MODE_USER,
					  .chain = chain,
					  .chain_len = 1 + any(FRAMES) };
	size_t i;

	for (i = 0; i < sample.chain_len; i++)
		chain[i] = 0x400000 + 16 * any(i < 2 ? 300 : 4);
	if (any(8) == 0) /* one that is not whole */
		chain[sample.chain_len - 1] = PIPA_CHAIN_USER;
	sample.ip = chain[0];
	CHECK_EQ(sink->sample(sink, id, &sample), 0);
}

static void write_file(const struct pipa_buf *bytes)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	snprintf(path, sizeof(path), "%s/perf.data", pipa_test_dir());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, bytes->data, bytes->len), 0);
}

/* Some words of the records become something else. */
static void damage(struct pipa_buf *file, unsigned int places)
{
	while (places--)
		memset(file->data + 2000 + (size_t)8 * any((uint32_t)file->len / 8 - 1000), 0xff,
		       8);
}

static void make_recording(unsigned int broken)
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
	unsigned int i;

	state = broken + 1;
	for (i = 0; i < 3; i++) {
		attr.config = i;
		CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
		CHECK_EQ(pipa_perf_events_add_id(&events, 50 + i, i), 0);
	}
	stream_init(&stream, &events);
	for (i = 0; i < SAMPLES; i++) {
		/* one event is met late */
		struct pipa_rec_id id = { .pid = 70 + any(8),
					  .time = 1000 + i * 10 - any(50),
					  .id = 50 + any(i > SAMPLES / 2 ? 3 : 2),
					  .cpu = any(4) };

		id.tid = id.pid + any(3);
		if (i % 100 == 0)
			put_change(&stream.sink, &id);
		put_sample(&stream.sink, &id);
	}
	stream_file(&stream, &file);
	damage(&file, broken);
	write_file(&file);
	stream_done(&stream);
	pipa_perf_events_done(&events);
}

static void load(size_t threads, struct pipa_loaded *ret)
{
	const struct pipa_load_options options = {
		.path = path, .threads = threads, .timeline = true, .no_names = true
	};
	struct pipa_error err = { 0 };

	if (pipa_load(&options, ret, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(ret->kind, PIPA_KIND_PERF_DATA);
}

/* Append a sample as a line: event, thread, weight, count, frames from the innermost on. */
static void print_sample(const struct pipa_profile *p, const struct pipa_sample *sample,
			 struct pipa_buf *out)
{
	const struct pipa_thread *thread = &p->threads.items[sample->thread];
	uint32_t at;

	pipa_buf_printf(out, "%s %s %u/%u %llu %llu:",
			pipa_profile_string(p, p->events.items[sample->event].name),
			pipa_profile_string(p, thread->comm), thread->pid, thread->tid,
			(unsigned long long)sample->weight, (unsigned long long)sample->count);
	for (at = sample->stack; at != PIPA_NONE; at = p->stacks.items[at].parent) {
		const struct pipa_location *l = &p->locations.items[p->stacks.items[at].location];

		pipa_buf_printf(out, " %s+%llx",
				l->object == PIPA_NONE ?
					"-" :
					pipa_profile_string(p, p->objects.items[l->object].path),
				(unsigned long long)l->offset);
	}
	pipa_buf_putc(out, '\n');
}

/* Append everything that was read: events, losses, samples in their order. */
static void print_profile(const struct pipa_profile *p, struct pipa_buf *out)
{
	size_t i;

	for (i = 0; i < p->events.n; i++)
		pipa_buf_printf(out, "event %llu %llu lost %llu\n",
				(unsigned long long)p->events.items[i].weight,
				(unsigned long long)p->events.items[i].count,
				(unsigned long long)p->events.items[i].lost);
	pipa_buf_printf(out, "lost %llu damaged %llu chains %llu\n",
			(unsigned long long)p->losses.lost_records,
			(unsigned long long)p->losses.damaged,
			(unsigned long long)p->losses.chains);
	for (i = 0; i < p->samples.n; i++)
		print_sample(p, &p->samples.items[i], out);
}

static void print_loaded(size_t threads, struct pipa_buf *out)
{
	struct pipa_loaded loaded;

	load(threads, &loaded);
	CHECK(loaded.profile.samples.n > 1000);
	print_profile(&loaded.profile, out);
	CHECK_EQ(out->status, 0);
	pipa_loaded_done(&loaded);
}

static void check_threads(void)
{
	static const size_t threads[] = { 2, 5 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf one = { 0 };
	size_t i;

	print_loaded(1, &one);
	for (i = 0; i < PIPA_COUNT(threads); i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf several = { 0 };

		print_loaded(threads[i], &several);
		CHECK_EQ(several.len, one.len);
		CHECK(memcmp(several.data, one.data, one.len) == 0);
	}
}

TEST(several_threads_load_the_same_profile_as_one)
{
	make_recording(0);
	check_threads();
}

TEST(several_threads_count_the_same_corrupt_records_as_one)
{
	struct pipa_loaded loaded;

	make_recording(40);
	check_threads();
	load(1, &loaded);
	CHECK(loaded.profile.losses.damaged > 0);
	/* a wrong size does not hide the records after it */
	CHECK(!loaded.recording.damage.incomplete);
	CHECK(loaded.timeline.n > SAMPLES / 2);
	pipa_loaded_done(&loaded);
}

TEST(several_threads_keep_the_times_that_one_keeps)
{
	struct pipa_loaded one, several;
	size_t i;

	make_recording(0);
	load(1, &one);
	load(4, &several);
	CHECK_EQ(one.timeline.n, SAMPLES);
	CHECK_EQ(several.timeline.n, SAMPLES);
	for (i = 0; i < SAMPLES; i++) {
		const struct pipa_timed_sample *a = &one.timeline.items[i];
		const struct pipa_timed_sample *b = &several.timeline.items[i];

		CHECK(!i || a[-1].time <= a->time);
		CHECK_EQ(b->time, a->time);
		CHECK_EQ(b->sample, a->sample);
		CHECK_EQ(b->cpu, a->cpu);
		CHECK_EQ(b->weight, a->weight);
	}
	pipa_loaded_done(&one);
	pipa_loaded_done(&several);
}
