#include "ingest/ingest.h"

#include <stdio.h>

#include "lib/test.h"

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
	pipa_ingest_settle(ingest);
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
	CHECK_STR(told(0), "prog /lib/b+1f /bin/a+50f [kernel.kallsyms]+ffff0010 20");
	stop();
}

TEST(a_sample_that_comes_before_its_mapping_in_time_is_told_by_what_was_there_then)
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

TEST(an_address_in_no_mapping_is_unknown_and_says_why)
{
	const uint64_t chain[] = { PIPA_CHAIN_USER, 0x1010 };

	start((struct pipa_ingest_options){ 0 });
	sample(1, chain, 2);
	CHECK_STR(told(0), ":7 [unknown]+1010 10");
	CHECK_EQ(profile.locations.items[0].nameless, PIPA_NAMELESS_NO_MAPPING);
	stop();
}

TEST(only_the_asked_part_is_kept)
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

TEST(a_chain_of_markers_alone_has_no_stack)
{
	const uint64_t chain[] = { PIPA_CHAIN_KERNEL, PIPA_CHAIN_USER };

	start((struct pipa_ingest_options){ 0 });
	sample(1, chain, 2);
	CHECK_EQ(profile.samples.items[0].stack, PIPA_NONE);
	stop();
}

TEST(a_second_look_finds_the_same_places_and_adds_nothing)
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
