/* Every kind of record with everything in it: written and read again it is the same. */
#include <string.h>

#include "base/file/bytes.h"
#include "lib/stream.h"
#include "lib/test.h"
#include "perf/file_read.h"

enum { HW_INDEX = 1 << 17 };

static struct pipa_perf_events events;

/* One event that samples everything there is, one that reads a group and weighs, and its member. */
static void make_events(bool sample_id_all)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.sample_id_all = sample_id_all,
					.freq = 1,
					.precise_ip = 1,
					.mmap2 = 1,
					.clockid = 1,
					.config1 = 0x0102030405060708,
					.config2 = 0x1112131415161718,
					.sample_freq = 997,
					.wakeup_events = 3,
					.sample_max_stack = 127,
					.aux_sample_size = 16,
					.aux_watermark = 9,
					.sample_regs_user = 0x10f,
					.sample_regs_intr = 0x3,
					.sample_stack_user = 64,
					.branch_sample_type = HW_INDEX | 8,
					.read_format = PERF_FORMAT_ID |
						       PERF_FORMAT_TOTAL_TIME_ENABLED };

	attr.sample_type = PIPA_SAMPLE_WEIGHT_STRUCT - 1; /* all below it */
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	attr.precise_ip = 2;
	attr.exclude_kernel = 1;
	attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER |
			   PIPA_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_STACK_USER;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PIPA_FORMAT_LOST;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	attr.type = PERF_TYPE_SOFTWARE;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 51, 1), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 52, 0), 0);
}

static void name_events(void)
{
	CHECK_EQ(pipa_perf_events_rename(&events, 0, "cycles:pp"), 0);
	CHECK_EQ(pipa_perf_events_rename(&events, 1, "leader"), 0);
	CHECK_EQ(pipa_perf_events_rename(&events, 2, "member"), 0);
	events.items[2].leader = 1;
	events.items[1].n_members = 2;
}

static struct pipa_rec_id id_of(uint32_t event, bool known)
{
	const struct pipa_rec_id unknown = {
		PIPA_UNKNOWN32, PIPA_UNKNOWN32, PIPA_UNKNOWN,	0, PIPA_UNKNOWN,
		PIPA_UNKNOWN,	PIPA_UNKNOWN32, PIPA_UNKNOWN32, 0
	};
	const struct pipa_rec_id told = { .pid = 7,
					  .tid = 8,
					  .time = 99,
					  .id = 50 + event,
					  .stream_id = 60,
					  .cpu = 3,
					  .event = event };

	return known ? told : unknown;
}

static void put_tasks(struct pipa_record_sink *sink, const struct pipa_rec_id *id)
{
	struct pipa_rec_map map = { 7, 8,    0x1000, 0x200, 0x30,
				    1, 2,    77,     3,	    5,
				    2, true, 0,	     { 0 }, "/bin/with a longer name" };
	struct pipa_rec_task task = { 9, 7, 10, 8, 1234, true };
	unsigned int mode;

	for (mode = PIPA_MODE_UNKNOWN; mode <= PIPA_MODE_GUEST_USER; mode++) {
		map.mode = mode;
		map.executable = mode % 2;
		CHECK_EQ(sink->map(sink, id, &map), 0);
	}
	map.major = map.minor = 0;
	map.inode = map.inode_generation = 0;
	map.build_id = (struct pipa_build_id){ 20, { 5, 6, [19] = 9 } };
	map.path = "//anon-8";
	CHECK_EQ(sink->map(sink, id, &map), 0);
	CHECK_EQ(sink->comm(sink, id, &(struct pipa_rec_comm){ 7, 8, true, "x" }), 0);
	CHECK_EQ(sink->comm(sink, id, &(struct pipa_rec_comm){ 7, 9, false, "sixteen letters!" }),
		 0);
	CHECK_EQ(sink->fork(sink, id, &task), 0);
	task.synthesized = false;
	CHECK_EQ(sink->fork(sink, id, &task), 0);
	CHECK_EQ(sink->exit(sink, id, &task), 0);
	CHECK_EQ(sink->round(sink), 0);
}

static void put_others(struct pipa_record_sink *sink, const struct pipa_rec_id *id)
{
	struct pipa_rec_id whose = *id;

	whose.event = 0; /* some name their event themselves, and have a time, whatever the rest */
	CHECK_EQ(sink->lost(sink, &whose, &(struct pipa_rec_lost){ 4, false }), 0);
	whose.time = 99;
	CHECK_EQ(sink->throttle(sink, &whose, &(struct pipa_rec_throttle){ true }), 0);
	CHECK_EQ(sink->throttle(sink, &whose, &(struct pipa_rec_throttle){ false }), 0);
	CHECK_EQ(sink->lost(sink, id, &(struct pipa_rec_lost){ 5, true }), 0);
	CHECK_EQ(sink->switched(sink, id, &(struct pipa_rec_switch){ true, true, 5, 6 }), 0);
	CHECK_EQ(sink->switched(sink, id,
				&(struct pipa_rec_switch){ false, false, PIPA_UNKNOWN32,
							   PIPA_UNKNOWN32 }),
		 0);
	CHECK_EQ(
		sink->ksymbol(sink, id,
			      &(struct pipa_rec_ksymbol){ 0xffff000, 64, true, false, "bpf_prog" }),
		0);
	CHECK_EQ(sink->ksymbol(sink, id,
			       &(struct pipa_rec_ksymbol){ 0xffff000, 64, false, true, "gone" }),
		 0);
	CHECK_EQ(sink->cgroup(sink, id, &(struct pipa_rec_cgroup){ 12, "/a/b" }), 0);
	CHECK_EQ(sink->round(sink), 0);
}

static void put_full_sample(struct pipa_record_sink *sink)
{
	static const uint64_t words[] = { PIPA_CHAIN_KERNEL, 0xffff1, PIPA_CHAIN_USER, 0x1003, 5 };
	static const struct pipa_branch branches[] = { { 1, 2, 0x8765432112345679 }, { 3, 4, 2 } };
	static const struct pipa_rec_value value = { 1000, 50, 0 };
	const uint8_t bytes[64] = { 1, 2, 3, [63] = 4 };
	const struct pipa_rec_sample sample = {
		.ip = 0x1001,
		.addr = 0x1002,
		.period = 17,
		.mode = PIPA_MODE_GUEST_USER,
		.chain = words,
		.chain_len = 5,
		.branches = branches,
		.n_branches = 2,
		.raw = bytes,
		.raw_len = 12,
		.user_regs = { 2, 0x10f, words },
		.interrupt_regs = { 1, 3, words + 1 },
		.stack = bytes,
		.stack_len = 40,
		.stack_requested = 64,
		.values = &value,
		.n_values = 1,
		.enabled_ns = 20,
		.weight = UINT64_C(1) << 40,
		.data_source = 22,
		.transaction = 23,
		.phys_addr = 24,
		.cgroup = 25,
		.data_page_size = 26,
		.code_page_size = 27,
		.aux_size = 16,
	};
	const struct pipa_rec_id id = id_of(0, true);

	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
}

static void put_group_sample(struct pipa_record_sink *sink)
{
	static const struct pipa_rec_value values[] = { { 1, 51, 7 }, { 2, 53, 0 } };
	const struct pipa_rec_sample sample = { .ip = PIPA_UNKNOWN,
						.addr = PIPA_UNKNOWN,
						.period = 997, /* its attr's */
						.mode = PIPA_MODE_HYPERVISOR,
						.values = values,
						.n_values = 2,
						.running_ns = 30,
						.weight = 77 };
	struct pipa_rec_id id = id_of(1, true);

	id.cpu = PIPA_UNKNOWN32; /* not requested */
	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
}

static void same_again(bool sample_id_all, bool swapped, bool library)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 }, told = { 0 }, again = { 0 };
	const struct pipa_rec_id id = id_of(0, sample_id_all);
	struct pipa_perf_reader *reader;
	struct pipa_memory memory;
	struct pipa_bytes bytes;
	struct stream first, second;

	make_events(sample_id_all);
	if (!swapped)
		name_events();
	stream_init(&first, &events);
	first.swapped = swapped;
	first.library = library;
	put_tasks(&first.sink, &id);
	put_others(&first.sink, &id);
	put_full_sample(&first.sink);
	put_group_sample(&first.sink);
	stream_file(&first, &file);
	memory = (struct pipa_memory){ (const uint8_t *)file.data, file.len };
	bytes = pipa_bytes_of_memory(&memory);
	CHECK_EQ(pipa_perf_reader_open(&bytes, &(struct pipa_perf_reader_options){ 0 }, &reader,
				       NULL),
		 0);
	stream_init(&second, pipa_perf_reader_events(reader));
	CHECK_EQ(pipa_perf_reader_run(reader, &second.sink, NULL), 0);
	CHECK_STR(pipa_perf_reader_recording(reader)->damage.what, "");
	CHECK_EQ(pipa_perf_reader_recording(reader)->swapped, swapped);
	CHECK_STR(pipa_buf_str(&second.others), pipa_buf_str(&first.others));
	CHECK_STR(pipa_buf_str(&second.samples), pipa_buf_str(&first.samples));
	stream_tell_events(&events, &told);
	stream_tell_events(second.events, &again);
	CHECK_STR(pipa_buf_str(&again), pipa_buf_str(&told));
	stream_done(&first);
	stream_done(&second);
	pipa_perf_reader_close(reader);
	pipa_perf_events_done(&events);
}

TEST(records_written_and_read_again_are_the_same)
{
	same_again(true, false, false);
	same_again(false, false, false);
}

TEST(records_of_the_other_byte_order_are_the_same)
{
	same_again(true, true, false);
	same_again(false, true, false);
}

TEST(records_that_our_own_encoder_writes_are_the_same)
{
	same_again(true, false, true);
	same_again(false, false, true);
}
