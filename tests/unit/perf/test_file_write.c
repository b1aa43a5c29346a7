#include "perf/file_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/file/bytes.h"
#include "lib/test.h"
#include "perf/encode.h"
#include "perf/file_read.h"

static char told[4096];

static void tell(const char *fmt, ...)
{
	size_t n = strlen(told);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(told + n, sizeof(told) - n, fmt, ap);
	va_end(ap);
}

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	(void)self;
	tell("map %d %llx+%llx@%llx %s %u t%llu\n", (int)map->pid, (unsigned long long)map->start,
	     (unsigned long long)map->len, (unsigned long long)map->file_offset, map->path,
	     map->build_id.len ? map->build_id.bytes[0] : (unsigned int)map->inode,
	     (unsigned long long)id->time);
	return 0;
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	(void)self;
	(void)id;
	tell("comm %u/%u %s%s\n", comm->pid, comm->tid, comm->name, comm->exec ? " exec" : "");
	return 0;
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	(void)self;
	(void)id;
	tell("fork %u from %u%s\n", task->pid, task->parent_pid,
	     task->synthesized ? " made up" : "");
	return 0;
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	(void)self;
	tell("lost %llu of event %u\n", (unsigned long long)lost->lost, id->event);
	return 0;
}

static struct pipa_perf_events two_events(void)
{
	struct pipa_perf_events events = { 0 };
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_id_all = 1,
					.freq = 1,
					.precise_ip = 2,
					.sample_freq = 997,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
						       PERF_SAMPLE_IDENTIFIER };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_rename(&events, 0, "cycles:pp"), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 51, 1), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 52, 0), 0);
	return events;
}

static void put_records(struct pipa_buf *out, const struct perf_event_attr *attr)
{
	const struct pipa_rec_id id = { .pid = 7, .tid = 8, .time = 99, .id = 51, .cpu = 3 };
	const struct pipa_rec_map with_inode = { .pid = 7,
						 .start = 0x1000,
						 .len = 0x200,
						 .file_offset = 0x30,
						 .inode = 77,
						 .executable = true,
						 .mode = PIPA_MODE_USER,
						 .path = "/bin/with a longer name" };
	struct pipa_rec_map with_id = with_inode;

	with_id.build_id = (struct pipa_build_id){ 20, { 5, 6 } };
	with_id.path = "/lib/b";
	pipa_perf_put_map(out, attr, &id, &with_inode);
	pipa_perf_put_map(out, attr, &id, &with_id);
	pipa_perf_put_comm(
		out, attr, &id,
		&(struct pipa_rec_comm){ .pid = 7, .tid = 8, .exec = true, .name = "x" });
	pipa_perf_put_fork(
		out, attr, &id,
		&(struct pipa_rec_task){ .pid = 9, .parent_pid = 7, .synthesized = true });
	pipa_perf_put_lost(out, attr, &id, &(struct pipa_rec_lost){ .lost = 4 });
	pipa_perf_put_round(out);
	pipa_perf_put_init_end(out);
}

static const struct pipa_perf_about about = {
	.hostname = "box",
	.os_release = "6.1",
	.arch = "x86_64",
	.cpus_online = 2,
	.cpus_available = 4,
	.memory_kb = 1024,
	.command = (const char *const[]){ "pipa", "record", "a b" },
	.n_command = 3,
	.topology = { .cores = (const char *const[]){ "0-1" },
		      .n_cores = 1,
		      .threads = (const char *const[]){ "0", "1" },
		      .n_threads = 2,
		      .core_ids = (const uint32_t[]){ 0, 1 },
		      .socket_ids = (const uint32_t[]){ 0, 0 },
		      .n_cpus = 2 },
	.pmus = (const struct pipa_perf_pmu[]){ { 1, "software" }, { 4, "cpu" } },
	.n_pmus = 2,
	.first_ns = 5,
	.last_ns = 10,
	.clock_id = 1,
	.clock_wall_ns = 1000,
	.clock_ns = 100,
	.kernel_build_id = &(const struct pipa_build_id){ 20, { 0xab } },
};

/* The whole file, as it is when a recording has ended. */
static void make_file(struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf records = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf features = { 0 };
	struct pipa_perf_events events = two_events();
	uint64_t bits[4] = { 0 };
	size_t head = pipa_perf_put_head(out, &events, 0, bits);

	CHECK_EQ(out->len, head);
	put_records(&records, &events.items[0].attr);
	pipa_perf_put_features(&features, &events, &about, head + records.len, bits);
	pipa_buf_reset(out);
	CHECK_EQ(pipa_perf_put_head(out, &events, records.len, bits), head);
	pipa_buf_add(out, records.data, records.len);
	pipa_buf_add(out, features.data, features.len);
	pipa_perf_events_done(&events);
}

TEST(a_written_file_is_read_back)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_record_sink sink = {
		.map = on_map, .comm = on_comm, .fork = on_fork, .lost = on_lost
	};
	struct pipa_memory memory;
	struct pipa_bytes bytes;
	struct pipa_perf_reader *reader;
	struct pipa_recording *recording;
	const struct pipa_perf_events *events;

	make_file(&file);
	memory = (struct pipa_memory){ (const uint8_t *)file.data, file.len };
	bytes = pipa_bytes_of_memory(&memory);
	CHECK_EQ(pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader,
				       NULL),
		 0);
	CHECK_EQ(pipa_perf_reader_run(reader, &sink, NULL), 0);
	recording = pipa_perf_reader_recording(reader);
	events = pipa_perf_reader_events(reader);
	CHECK_STR(told, "map 7 1000+200@30 /bin/with a longer name 77 t99\n"
			"map 7 1000+200@30 /lib/b 5 t99\n"
			"comm 7/8 x exec\n"
			"fork 9 from 7 made up\n"
			"lost 4 of event 1\n");
	CHECK_EQ(recording->damage.count, 0);
	CHECK_EQ(recording->records, 7);
	CHECK_EQ(events->n, 2);
	CHECK_STR(events->items[0].name, "cycles:pp");
	CHECK_EQ(events->items[0].attr.precise_ip, 2);
	CHECK_EQ(events->items[0].attr.sample_freq, 997);
	CHECK_EQ(pipa_perf_events_find(events, 52), 0);
	CHECK_EQ(pipa_perf_events_find(events, 51), 1);
	CHECK_STR(pipa_recording_fact(recording, "hostname"), "box");
	CHECK_STR(pipa_recording_fact(recording, "nrcpus avail"), "4");
	CHECK_STR(pipa_recording_fact(recording, "cmdline"), "pipa record a b");
	CHECK_STR(pipa_recording_fact(recording, "pmu mappings"), "software = 1, cpu = 4");
	CHECK_STR(pipa_recording_fact(recording, "sibling threads"), "0; 1");
	CHECK_EQ(recording->files.n, 1);
	CHECK_EQ(recording->files.items[0].build_id.bytes[0], 0xab);
	CHECK_EQ(recording->clock_wall_ns, 1000);
	pipa_perf_reader_close(reader);
}

TEST(a_truncated_file_is_read_up_to_its_end)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_record_sink sink = { .map = on_map, .lost = on_lost };
	struct pipa_perf_reader *reader;
	struct pipa_memory memory;
	struct pipa_bytes bytes;
	size_t len, opened = 0;

	make_file(&file);
	for (len = 0; len < file.len; len++) {
		told[0] = '\0';
		memory = (struct pipa_memory){ (const uint8_t *)file.data, len };
		bytes = pipa_bytes_of_memory(&memory);
		if (pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader,
					  NULL) < 0)
			continue;
		opened++;
		CHECK_EQ(pipa_perf_reader_run(reader, &sink, NULL), 0);
		CHECK(pipa_perf_reader_recording(reader)->damage.count > 0);
		pipa_perf_reader_close(reader);
	}
	CHECK(opened > 500);
}

TEST(a_pipe_has_the_features_of_a_file_at_its_beginning)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf pipe = { 0 };
	struct pipa_record_sink sink = {
		.map = on_map, .comm = on_comm, .fork = on_fork, .lost = on_lost
	};
	struct pipa_perf_events events = two_events();
	struct pipa_perf_about with_tracing = about;
	struct pipa_memory memory;
	struct pipa_bytes bytes;
	struct pipa_perf_reader *reader;
	struct pipa_recording *recording;

	with_tracing.tracing = (const uint8_t *)"123456789"; /* padded, and skipped by its size */
	with_tracing.n_tracing = 9;
	CHECK_EQ(pipa_perf_put_pipe_head(&pipe, &events, &with_tracing), 0);
	put_records(&pipe, &events.items[0].attr);
	memory = (struct pipa_memory){ (const uint8_t *)pipe.data, pipe.len };
	bytes = pipa_bytes_of_memory(&memory);
	CHECK_EQ(pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader,
				       NULL),
		 0);
	CHECK_EQ(pipa_perf_reader_run(reader, &sink, NULL), 0);
	recording = pipa_perf_reader_recording(reader);
	CHECK_EQ(recording->damage.count, 0);
	CHECK(recording->piped);
	CHECK_HAS(told, "comm 7/8 x exec\n");
	CHECK_HAS(told, "lost 4 of event 1\n");
	CHECK_EQ(pipa_perf_reader_events(reader)->n, 2);
	CHECK_STR(pipa_perf_reader_events(reader)->items[0].name, "cycles:pp");
	CHECK_STR(pipa_recording_fact(recording, "hostname"), "box");
	CHECK_STR(pipa_recording_fact(recording, "sibling threads"), "0; 1");
	CHECK_EQ(recording->files.n, 1);
	pipa_perf_reader_close(reader);
	pipa_perf_events_done(&events);
}

TEST(more_ids_than_a_record_holds_do_not_go_through_a_pipe)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf pipe = { 0 };
	struct pipa_perf_events events = two_events();
	uint64_t id;

	for (id = 1000; id < 10000; id++)
		CHECK_EQ(pipa_perf_events_add_id(&events, id, 1), 0);
	CHECK_EQ(pipa_perf_put_pipe_head(&pipe, &events, &about), -E2BIG);
	pipa_perf_events_done(&events);
}
