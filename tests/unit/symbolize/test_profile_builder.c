/* A profile built from records: numbers and groups of events, mappings of processes that have exited. */
#include "symbolize/profile_builder.h"

#include <linux/perf_event.h>

#include "lib/test.h"
#include "perf/attr.h"
#include "symbolize/code_files.h"
#include "symbolize/unwind_tables.h"

static struct pipa_profile profile;
static struct pipa_perf_events events;
static struct pipa_code_files *files;
static struct pipa_unwind_tables *tables;
static struct pipa_profile_builder *builder;
static struct pipa_ingest *ingest;
static struct pipa_record_sink *sink;

static void add_event(const char *name)
{
	const struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };

	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_rename(&events, (uint32_t)events.n - 1, name), 0);
	events.items[events.n - 1].leader = PIPA_NONE;
}

static void start(bool live)
{
	static const struct pipa_locate_options locate;
	struct pipa_profile_builder_options options = { .ingest.live = live, .events = &events };

	files = pipa_code_files_new(&locate, &profile, NULL);
	tables = pipa_unwind_tables_new(files);
	options.tables = tables;
	builder = pipa_profile_builder_new(&profile, &options);
	CHECK(builder);
	ingest = pipa_profile_builder_ingest(builder);
	sink = pipa_ingest_sink(ingest);
}

static void stop(void)
{
	pipa_profile_builder_free(builder);
	pipa_unwind_tables_free(tables);
	pipa_code_files_free(files);
	pipa_perf_events_done(&events);
	pipa_profile_done(&profile);
}

static void map_file(uint64_t order)
{
	const struct pipa_rec_id id = { .pid = 7, .tid = 7, .time = order, .order = order };
	const struct pipa_rec_map map = { .pid = 7,
					  .start = 0x1000,
					  .len = 0x1000,
					  .executable = true,
					  .mode = PIPA_MODE_USER,
					  .path = "/bin/a" };

	CHECK_EQ(sink->map(sink, &id, &map), 0);
}

/* The kind of the object that a sample at 0x1010 is in. */
static enum pipa_object_kind put_sample(uint64_t order, uint32_t event)
{
	const struct pipa_rec_id id = {
		.pid = 7, .tid = 7, .time = order, .order = order, .event = event
	};
	const struct pipa_rec_sample sample = { .ip = 0x1010, .period = 1, .mode = PIPA_MODE_USER };
	struct pipa_ingest_found found;

	CHECK_EQ(sink->sample(sink, &id, &sample), 0);
	CHECK_EQ(pipa_ingest_flush(ingest), 0);
	CHECK_EQ(pipa_ingest_find(ingest, &id, &sample, &found), 0);
	return profile.objects
		.items[profile.locations.items[profile.stacks.items[found.stack].location].object]
		.kind;
}

static void exit_task(uint64_t order, uint32_t tid)
{
	const struct pipa_rec_id id = { .pid = 7, .tid = tid, .time = order, .order = order };
	const struct pipa_rec_task task = { .pid = 7, .tid = tid };

	CHECK_EQ(sink->exit(sink, &id, &task), 0);
}

TEST(an_event_that_becomes_known_later_is_numbered_when_a_sample_needs_it)
{
	add_event("cycles");
	start(false);
	map_file(1);
	put_sample(2, 0);
	CHECK_EQ(profile.events.n, 1);
	add_event("faults");
	put_sample(3, 1);
	CHECK_EQ(profile.events.n, 2);
	CHECK_STR(pipa_profile_string(&profile, profile.events.items[1].name), "faults");
	CHECK_EQ(profile.samples.items[1].event, 1);
	stop();
}

TEST(events_without_samples_are_added_with_the_leader_of_their_group)
{
	add_event("cycles");
	add_event("instructions");
	events.items[0].leader = 0;
	events.items[1].leader = 0;
	start(false);
	CHECK_EQ(profile.events.n, 0);
	CHECK_EQ(pipa_profile_builder_add_events(builder), 0);
	CHECK_EQ(profile.events.n, 2);
	CHECK_EQ(profile.events.items[1].leader, 0);
	stop();
}

/* Its last samples may be in another ring when its exit record is read. */
TEST(mappings_of_a_process_are_dropped_a_round_after_its_exit)
{
	add_event("cycles");
	start(true);
	map_file(1);
	CHECK_EQ(put_sample(2, 0), PIPA_OBJECT_FILE);
	exit_task(5, 7);
	pipa_ingest_end_round(ingest);
	CHECK_EQ(put_sample(4, 0), PIPA_OBJECT_FILE);
	pipa_ingest_end_round(ingest);
	CHECK(put_sample(6, 0) != PIPA_OBJECT_FILE);
	stop();
}

TEST(the_exit_of_a_thread_drops_nothing)
{
	add_event("cycles");
	start(true);
	map_file(1);
	exit_task(5, 8);
	pipa_ingest_end_round(ingest);
	pipa_ingest_end_round(ingest);
	CHECK_EQ(put_sample(6, 0), PIPA_OBJECT_FILE);
	stop();
}

TEST(an_ingest_that_was_taken_still_finds_samples)
{
	const struct pipa_rec_id id = { .pid = 7, .tid = 7, .time = 2, .order = 2 };
	const struct pipa_rec_sample sample = { .ip = 0x1010, .period = 1, .mode = PIPA_MODE_USER };
	struct pipa_ingest_found found = { .stack = PIPA_NONE };

	add_event("cycles");
	start(false);
	map_file(1);
	put_sample(2, 0);
	ingest = pipa_profile_builder_take(builder);
	CHECK(!pipa_profile_builder_ingest(builder));
	CHECK_EQ(pipa_ingest_find(ingest, &id, &sample, &found), 0);
	CHECK(found.stack != PIPA_NONE);
	pipa_ingest_free(ingest);
	stop();
}
