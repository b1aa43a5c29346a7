#include "ingest/ingest.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "lib/test.h"
#include "model/timeline.h"

static struct pipa_profile profile;
static struct pipa_ingest *ingest;
static struct pipa_record_sink *sink;

static uint32_t same_event(void *ctx, uint32_t event)
{
	(void)ctx;
	return event;
}

static void start(struct pipa_ingest_options options)
{
	options.event = same_event;
	CHECK_EQ(pipa_profile_event(&profile, "cycles"), 0);
	ingest = pipa_ingest_new(&profile, &options);
	CHECK(ingest);
	sink = pipa_ingest_sink(ingest);
}

static void stop(void)
{
	pipa_ingest_free(ingest);
	pipa_profile_done(&profile);
}

static struct pipa_rec_id when(uint64_t time)
{
	return (struct pipa_rec_id){ .pid = 7, .tid = 7, .time = time, .order = time, .cpu = 3 };
}

static void map(uint64_t time, uint32_t pid, uint64_t from, uint64_t offset, const char *path)
{
	struct pipa_rec_id id = when(time);
	struct pipa_rec_map map = { .pid = pid,
				    .start = from,
				    .len = 0x1000,
				    .file_offset = offset,
				    .executable = true,
				    .mode = pid == PIPA_KERNEL_PID ? PIPA_MODE_KERNEL :
								     PIPA_MODE_USER,
				    .path = path };

	CHECK_EQ(sink->map(sink, &id, &map), 0);
}

static void name(uint64_t time, uint32_t pid, uint32_t tid, const char *text)
{
	struct pipa_rec_id id = when(time);
	struct pipa_rec_comm comm = { .pid = pid, .tid = tid, .name = text };

	CHECK_EQ(sink->comm(sink, &id, &comm), 0);
}

static void sample(uint64_t time, const uint64_t *chain, size_t n)
{
	struct pipa_rec_id id = when(time);
	struct pipa_rec_sample s = { .ip = chain[n ? n - 1 : 0],
				     .period = 10,
				     .mode = PIPA_MODE_USER,
				     .chain = chain,
				     .chain_len = n };

	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	CHECK_EQ(pipa_ingest_flush(ingest), 0);
}

/* "comm object+offset object+offset ... weight", outermost frame first */
static const char *told(size_t number)
{
	static char text[512];
	const struct pipa_sample *s = &profile.samples.items[number];
	size_t n;
	uint32_t i, depth, frame;

	n = (size_t)snprintf(text, sizeof(text), "%s",
			     pipa_profile_string(&profile, profile.threads.items[s->thread].comm));
	depth = s->stack == PIPA_NONE ? 0 : profile.stacks.items[s->stack].depth;
	for (i = 1; i <= depth; i++) {
		const struct pipa_location *location;

		for (frame = s->stack; profile.stacks.items[frame].depth > i;)
			frame = profile.stacks.items[frame].parent;
		location = &profile.locations.items[profile.stacks.items[frame].location];
		n += (size_t)snprintf(
			text + n, sizeof(text) - n, " %s+%llx",
			pipa_profile_string(&profile, profile.objects.items[location->object].path),
			(unsigned long long)location->offset);
	}
	snprintf(text + n, sizeof(text) - n, " %llu", (unsigned long long)s->weight);
	return text;
}

TEST(frames_are_places_in_files_and_callers_lie_before_their_return)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, 0xffff0010, PIPA_CHAIN_USER, 0x1010, 0x2020 };

	start((struct pipa_ingest_options){ 0 });
	map(1, 7, 0x1000, 0x500, "/bin/a");
	map(1, 7, 0x2000, 0, "/lib/b");
	map(1, PIPA_KERNEL_PID, 0xffff0000, 0xffff0000, "[kernel.kallsyms]_text");
	name(1, 7, 7, "prog");
	sample(2, chain, 5);
	sample(3, chain, 5);
	CHECK_EQ(profile.samples.n, 1);
	CHECK_STR(told(0), "prog /lib/b+1f /bin/a+510 [kernel.kallsyms]+ffff0010 20");
	stop();
}

/* A function whose first page is not yet mapped faults at its very start: it is that one. */
TEST(an_event_has_the_sum_of_its_periods_squared)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };
	struct pipa_rec_id id = when(4);
	struct pipa_rec_sample s = { .ip = 0x1010, .period = 7, .mode = PIPA_MODE_USER };

	start((struct pipa_ingest_options){ 0 });
	sample(2, chain, 2);
	sample(3, chain, 2);
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	CHECK_EQ(pipa_ingest_flush(ingest), 0);
	CHECK_EQ(profile.events.items[0].weight, 27);
	CHECK_NEAR(profile.events.items[0].squares, 249, 1e-9);
	stop();
}

TEST(interrupted_addresses_are_exact_and_return_addresses_are_not)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, 0xffff0010, 0xffff0100,
				   PIPA_CHAIN_USER,   0x1000,	  0x1000 };

	start((struct pipa_ingest_options){ 0 });
	map(1, 7, 0, 0, "/lib/before");
	map(1, 7, 0x1000, 0, "/bin/a");
	map(1, PIPA_KERNEL_PID, 0xffff0000, 0xffff0000, "[kernel.kallsyms]_text");
	sample(2, chain, 6);
	CHECK_STR(told(0), ":7 /lib/before+fff /bin/a+0 [kernel.kallsyms]+ffff00ff "
			   "[kernel.kallsyms]+ffff0010 10");
	stop();
}

TEST(a_late_sample_is_resolved_by_the_mappings_of_its_time)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };

	start((struct pipa_ingest_options){ 0 });
	map(10, 7, 0x1000, 0, "/bin/old");
	map(20, 7, 0x1000, 0, "/bin/new");
	name(1, 7, 7, "early");
	name(20, 7, 7, "late");
	sample(25, chain, 2);
	sample(15, chain, 2);
	CHECK_STR(told(0), "late /bin/new+10 10");
	CHECK_STR(told(1), "early /bin/old+10 10");
	stop();
}

/* outer frames are remembered by what they are, and that is more than their addresses */
TEST(equal_addresses_are_other_frames_later_and_in_truncated_stacks)
{
	const uint64_t first[] = { PIPA_CHAIN_USER, 0x1010, 0x1020, 0x1030 };
	const uint64_t second[] = { PIPA_CHAIN_USER, 0x1018, 0x1020, 0x1030 };
	const uint64_t cut[] = { PIPA_CHAIN_USER, 0x1018, 0x1020, 0x1030, PIPA_CHAIN_USER };
	const uint64_t stopped[] = { PIPA_CHAIN_USER, 0x1018, PIPA_CHAIN_USER, 0x1020, 0x1030 };

	start((struct pipa_ingest_options){ 0 });
	map(10, 7, 0x1000, 0, "/bin/old");
	map(20, 7, 0x1000, 0, "/bin/new");
	sample(15, first, 4);
	sample(15, second, 4);
	sample(25, second, 4);
	sample(15, stopped, 5);
	sample(15, cut, 5);
	CHECK_STR(told(0), ":7 /bin/old+2f /bin/old+1f /bin/old+10 10");
	CHECK_STR(told(1), ":7 /bin/old+2f /bin/old+1f /bin/old+18 10");
	CHECK_STR(told(2), ":7 /bin/new+2f /bin/new+1f /bin/new+18 10");
	CHECK_STR(told(3), ":7 /bin/old+2f /bin/old+20 /bin/old+18 10");
	CHECK_STR(told(4), ":7 /bin/old+2f /bin/old+1f /bin/old+18 10");
	CHECK_EQ(profile.stacks.items[profile.samples.items[0].stack].parent,
		 profile.stacks.items[profile.samples.items[1].stack].parent);
	CHECK(profile.samples.items[1].stack != profile.samples.items[4].stack);
	stop();
}

TEST(an_address_outside_of_mappings_is_unresolved_with_the_reason)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };

	start((struct pipa_ingest_options){ 0 });
	sample(1, chain, 2);
	CHECK_STR(told(0), ":7 [unknown]+1010 10");
	CHECK_EQ(profile.locations.items[0].unresolved, PIPA_UNRESOLVED_NO_MAPPING);
	stop();
}

TEST(only_the_requested_times_and_stack_depth_are_kept)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010, 0x1020, 0x1030 };

	start((struct pipa_ingest_options){
		.max_stack = 2, .from_ns = 5, .until_ns = 6, .by_cpu = true });
	map(1, 7, 0x1000, 0, "a");
	sample(4, chain, 4);
	sample(5, chain, 4);
	sample(7, chain, 4);
	CHECK_EQ(profile.samples.n, 1);
	CHECK_STR(told(0), ":7 a+1f a+10 10");
	CHECK_EQ(profile.samples.items[0].cpu, 3);
	stop();
}

TEST(a_chain_of_only_context_markers_has_no_stack)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, PIPA_CHAIN_USER };

	start((struct pipa_ingest_options){ 0 });
	sample(1, chain, 2);
	CHECK_EQ(profile.samples.items[0].stack, PIPA_NONE);
	stop();
}

TEST(a_second_lookup_finds_the_same_locations_and_adds_none)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };
	struct pipa_rec_sample again = {
		.mode = PIPA_MODE_USER, .chain = chain, .chain_len = 2, .period = 10
	};
	struct pipa_ingest_found late, early;
	struct pipa_rec_id id;

	start((struct pipa_ingest_options){ 0 });
	map(10, 7, 0x1000, 0, "/bin/old");
	map(20, 7, 0x1000, 0, "/bin/new");
	name(1, 7, 7, "early");
	name(20, 7, 7, "late");
	sample(25, chain, 2);
	sample(15, chain, 2);
	id = when(15);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &again, &early), 0);
	id = when(25);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &again, &late), 0);
	CHECK_EQ(late.stack, profile.samples.items[0].stack);
	CHECK_EQ(late.thread, profile.samples.items[0].thread);
	CHECK_EQ(early.stack, profile.samples.items[1].stack);
	CHECK_EQ(early.thread, profile.samples.items[1].thread);
	CHECK_EQ(profile.samples.n, 2);
	CHECK_EQ(profile.samples.items[0].count, 1);
	CHECK_EQ(profile.locations.n, 2);
	stop();
}

TEST(losses_are_added_up_by_event)
{
	struct pipa_rec_id id = { .event = 0 };
	struct pipa_rec_lost lost = { .lost = 5 }, lost_samples = { .lost = 7, .samples = true };
	struct pipa_rec_throttle throttle = { .on = true };

	start((struct pipa_ingest_options){ 0 });
	CHECK_EQ(sink->lost(sink, &id, &lost), 0);
	CHECK_EQ(sink->lost(sink, &id, &lost_samples), 0);
	CHECK_EQ(sink->throttle(sink, &id, &throttle), 0);
	CHECK_EQ(profile.losses.lost_records, 5);
	CHECK_EQ(profile.losses.lost_samples, 7);
	CHECK_EQ(profile.losses.throttled, 1);
	CHECK_EQ(profile.events.items[0].lost, 12);
	stop();
}

/* Code made at 0x1000 from time 10 on, other code there from time 20 on, and more at 0x1800. */
static bool find_made(const void *ctx, uint64_t address, uint64_t time, uint64_t *ret_offset)
{
	uint64_t base = *(const uint64_t *)ctx;

	if (address - 0x1000 < 0x100)
		*ret_offset = base + (time < 20 ? 0 : 0x100) + address - 0x1000;
	else if (address - 0x1800 < 0x100)
		*ret_offset = base + 0x200 + address - 0x1800;
	else
		return false;
	return time >= 10;
}

static bool made_code(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret)
{
	static const uint64_t bases[] = { 0x10000, 0x20000 };

	(void)ctx;
	if (!strstr(map->path, ".dump"))
		return false;
	*ret = (struct pipa_ingest_code){ find_made, &bases[strstr(map->path, "two") != NULL],
					  0x1000, 0x1100 };
	return true;
}

TEST(jit_code_at_one_address_is_resolved_by_the_time_of_the_sample)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010, 0x1820 };
	const uint64_t beside[] = { PIPA_CHAIN_USER, 0x1600 };

	start((struct pipa_ingest_options){ .code = made_code });
	map(1, 7, 0x1000, 0, "//anon");
	map(5, 7, 0x9000, 0, "/tmp/one.dump");
	sample(12, chain, 3);
	sample(25, chain, 3);
	sample(13, chain, 3);
	sample(26, chain, 3);
	sample(26, beside, 2);
	CHECK_EQ(profile.samples.n, 3);
	CHECK_STR(told(0), ":7 /tmp/one.dump+1021f /tmp/one.dump+10010 20");
	CHECK_STR(told(1), ":7 /tmp/one.dump+1021f /tmp/one.dump+10110 20");
	CHECK_STR(told(2), ":7 //anon+1600 10");
	stop();
}

/* The same addresses at other times are one chain where the code stays what it is. */
TEST(unchanged_code_is_one_location_at_all_times)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1820 };

	start((struct pipa_ingest_options){ .code = made_code });
	map(1, 7, 0x1000, 0, "//anon");
	map(5, 7, 0x9000, 0, "/tmp/one.dump");
	sample(12, chain, 2);
	sample(25, chain, 2);
	CHECK_EQ(profile.samples.n, 1);
	CHECK_STR(told(0), ":7 /tmp/one.dump+10220 20");
	stop();
}

TEST(jit_code_is_not_resolved_in_file_mappings_or_after_exec)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };
	struct pipa_rec_id id = when(30);
	struct pipa_rec_comm comm = { .pid = 7, .tid = 7, .name = "next", .exec = true };

	start((struct pipa_ingest_options){ .code = made_code });
	map(5, 7, 0x9000, 0, "/tmp/one.dump");
	sample(12, chain, 2);
	map(20, 7, 0x1000, 0, "/lib/late");
	sample(25, chain, 2);
	CHECK_EQ(sink->comm(sink, &id, &comm), 0);
	map(31, 7, 0x1000, 0, "//anon");
	sample(35, chain, 2);
	CHECK_STR(told(0), ":7 /tmp/one.dump+10010 10");
	CHECK_STR(told(1), ":7 /lib/late+10 10");
	CHECK_STR(told(2), "next //anon+1010 10");
	stop();
}

TEST(a_second_jitdump_of_a_process_overrides_the_first)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };

	start((struct pipa_ingest_options){ .code = made_code });
	map(5, 7, 0x9000, 0, "/tmp/one.dump");
	sample(12, chain, 2);
	map(5, 7, 0xa000, 0, "/tmp/two.dump");
	map(5, 7, 0xa000, 0, "/tmp/two.dump");
	sample(12, chain, 2);
	CHECK_STR(told(0), ":7 /tmp/one.dump+10010 10");
	CHECK_STR(told(1), ":7 /tmp/two.dump+20010 10");
	stop();
}

TEST(a_child_has_the_code_that_its_parent_made)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };
	struct pipa_rec_id id = when(8);
	struct pipa_rec_task task = { .pid = 7, .tid = 7, .parent_pid = 6, .parent_tid = 6 };

	start((struct pipa_ingest_options){ .code = made_code });
	map(5, 6, 0x9000, 0, "/tmp/one.dump");
	CHECK_EQ(sink->fork(sink, &id, &task), 0);
	sample(12, chain, 2);
	CHECK_STR(told(0), ":7 /tmp/one.dump+10010 10");
	stop();
}

TEST(code_that_the_kernel_made_has_the_name_it_gave)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, 0xffff0110 };
	struct pipa_rec_ksymbol symbol = {
		.start = 0xffff0100, .len = 0x40, .bpf = true, .name = "bpf_prog_1_a"
	};
	struct pipa_rec_id id = when(10);

	start((struct pipa_ingest_options){ 0 });
	map(1, PIPA_KERNEL_PID, 0xffff0000, 0xffff0000, "[kernel.kallsyms]_text");
	CHECK_EQ(sink->ksymbol(sink, &id, &symbol), 0);
	sample(5, chain, 2);
	sample(15, chain, 2);
	id = when(20);
	symbol.removed = true;
	CHECK_EQ(sink->ksymbol(sink, &id, &symbol), 0);
	symbol.removed = false;
	symbol.name = "bpf_prog_2_b";
	id = when(30);
	CHECK_EQ(sink->ksymbol(sink, &id, &symbol), 0);
	sample(35, chain, 2);
	symbol.start = UINT64_MAX - 2;
	CHECK_EQ(sink->ksymbol(sink, &id, &symbol), 0);
	CHECK_STR(told(0), ":7 [kernel.kallsyms]+ffff0110 10");
	CHECK_STR(told(1), ":7 bpf_prog_1_a+ffff0110 10");
	CHECK_STR(told(2), ":7 bpf_prog_2_b+ffff0110 10");
	CHECK_EQ(profile.objects.items[1].kind, PIPA_OBJECT_KSYMBOL);
	stop();
}

/*
 * Two user markers enclose frames of the fallback; nine at the end mark a chain with such frames.
 */
TEST(frames_of_the_recorded_fp_fallback_are_callers_and_counted)
{
	uint64_t chain[20] = { PIPA_CHAIN_USER, 0x1010,		 PIPA_CHAIN_USER, PIPA_CHAIN_USER,
			       0x1020,		0x1030,		 PIPA_CHAIN_USER, PIPA_CHAIN_USER,
			       0x1040,		PIPA_CHAIN_USER, 0x1050 };
	size_t n = 11, i;

	start((struct pipa_ingest_options){ 0 });
	map(1, 7, 0x1000, 0, "a");
	sample(2, chain, n);
	CHECK_EQ(profile.losses.unwound_fp_fallback, 0);
	for (i = 0; i < PIPA_STACK_END_NR; i++)
		chain[n++] = PIPA_CHAIN_USER;
	sample(3, chain, n);
	CHECK_EQ(profile.samples.n, 1);
	CHECK_STR(told(0), ":7 a+50 a+3f a+2f a+1f a+10 20");
	CHECK_EQ(profile.losses.unwound_fp_fallback, 1);
	CHECK_EQ(profile.losses.unwound_truncated, 0);
	stop();
}

TEST(each_sample_has_an_entry_in_a_requested_timeline)
{
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline t = { 0 };
	const uint64_t one[] = { PIPA_CHAIN_USER, 0x1010 };
	uint64_t deep[200]; /* too long to wait for its sum */
	size_t i;

	for (i = 0; i < 200; i++)
		deep[i] = i ? 0x1020 : PIPA_CHAIN_USER;
	start((struct pipa_ingest_options){ .timeline = &t, .until_ns = 50 });
	map(1, 7, 0x1000, 0, "/bin/a");
	sample(5, one, 2);
	sample(9, deep, 200);
	sample(7, one, 2);
	sample(51, one, 2);
	CHECK_EQ(t.n, 3);
	CHECK_EQ(t.items[0].time, 5);
	CHECK_EQ(t.items[1].time, 9);
	CHECK_EQ(t.items[2].time, 7); /* sorting is the caller's */
	CHECK_EQ(t.items[0].sample, t.items[2].sample);
	CHECK_EQ(profile.stacks.items[profile.samples.items[t.items[1].sample].stack].depth, 199);
	CHECK_EQ(t.items[1].cpu, 3); /* though samples are not kept apart by it */
	CHECK_EQ(profile.samples.items[t.items[1].sample].cpu, PIPA_NONE);
	CHECK_EQ(t.items[1].weight, 10);
	stop();
}

static uint32_t labels_by_time(void *ctx, const struct pipa_rec_id *id,
			       const struct pipa_rec_sample *s)
{
	struct pipa_label label = { .key = pipa_profile_text(&profile, "odd") };

	(void)ctx;
	(void)s;
	return id->time & 1 ? pipa_profile_label_set(&profile, &label, 1) : 0;
}

TEST(labels_keep_samples_of_one_chain_apart)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010, 0x1020 };

	start((struct pipa_ingest_options){ .labels = labels_by_time });
	map(1, 7, 0x1000, 0, "/bin/a");
	sample(2, chain, 3);
	sample(3, chain, 3);
	sample(4, chain, 3);
	CHECK_EQ(profile.samples.n, 2);
	CHECK_EQ(profile.samples.items[0].labels, 0);
	CHECK_EQ(profile.samples.items[0].weight, 20);
	CHECK_EQ(profile.samples.items[1].labels, 1);
	CHECK_EQ(profile.samples.items[1].weight, 10);
	CHECK_EQ(profile.samples.items[0].stack, profile.samples.items[1].stack);
	stop();
}

TEST(a_sample_may_stand_for_many)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010, 0x1020 };
	const struct pipa_trace_link link = { { 1 }, { 2 } };
	PIPA_AUTO(pipa_timeline_done) struct pipa_timeline timeline = { 0 };
	struct pipa_rec_id id = when(2);
	struct pipa_rec_sample s = { .ip = 0x1010,
				     .period = 700,
				     .count = 70000,
				     .mode = PIPA_MODE_USER,
				     .chain = chain,
				     .chain_len = 3,
				     .link = &link };

	start((struct pipa_ingest_options){ .timeline = &timeline });
	map(1, 7, 0x1000, 0, "/bin/a");
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	sample(3, chain, 3); /* and one more */
	CHECK_EQ(profile.samples.n, 1);
	CHECK_EQ(profile.samples.items[0].count, 70001);
	CHECK_EQ(profile.samples.items[0].weight, 710);
	CHECK_EQ(profile.losses.chains, 70001);
	CHECK(profile.events.items[0].squares > 106 && profile.events.items[0].squares < 108);
	CHECK_EQ(timeline.n, 3); /* an entry counts 65536 */
	CHECK_EQ(timeline.items[0].more + 1 + timeline.items[1].more + 1, 70000);
	CHECK_EQ(timeline.items[0].weight + timeline.items[1].weight, 700);
	CHECK_EQ(pipa_timeline_link_of(&timeline, 1)->span_id[0], 2);
	CHECK(!pipa_timeline_link_of(&timeline, 2));
	s.count = UINT64_C(1) << 33; /* more than the table of sums counts */
	CHECK_EQ(pipa_ingest_flush(ingest), 0);
	stop();
}

TEST(counts_beyond_32_bits_are_kept)
{
	const uint64_t chain[] = { 0x1010, 0x1020 };
	struct pipa_rec_id id = when(2);
	struct pipa_rec_sample s = { .period = 5,
				     .count = UINT64_C(1) << 33,
				     .mode = PIPA_MODE_USER,
				     .chain = chain,
				     .chain_len = 2 };

	start((struct pipa_ingest_options){ 0 });
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	s.count = UINT32_MAX - 1;
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	CHECK_EQ(pipa_ingest_flush(ingest), 0);
	CHECK_EQ(profile.samples.items[0].count,
		 (UINT64_C(1) << 33) + 2 * (uint64_t)(UINT32_MAX - 1));
	CHECK_EQ(profile.samples.items[0].weight, 15);
	stop();
}

TEST(processes_have_an_executable_and_a_cgroup)
{
	const uint64_t chain[] = { 0x1010, 0x1020 };
	const struct pipa_rec_cgroup cgroup = {
		.id = 9,
		.path = "/docker/"
			"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	};
	struct pipa_rec_id id = when(4);
	struct pipa_rec_sample s = { .period = 1, .chain = chain, .chain_len = 2, .cgroup = 9 };
	const struct pipa_profile_process *process;

	start((struct pipa_ingest_options){ 0 });
	map(1, 7, 0x1000, 0, "/bin/a");
	map(1, 7, 0x4000, 0, "/lib/b");
	CHECK_EQ(sink->cgroup(sink, &id, &cgroup), 0);
	sample(2, chain, 2);
	CHECK_EQ(profile.threads.items[0].process, 1);
	process = &profile.processes.items[1];
	CHECK_EQ(process->pid, 7);
	CHECK_STR(pipa_profile_string(&profile, process->exe), "/bin/a");
	CHECK_STR(pipa_profile_string(&profile, process->cgroup), "");
	CHECK_EQ(sink->sample(sink, &id, &s), 0);
	CHECK_STR(pipa_profile_string(&profile, process->cgroup), cgroup.path);
	CHECK_STR(pipa_profile_string(&profile, process->container), cgroup.path + 8);
	stop();
}
