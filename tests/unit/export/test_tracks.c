#include "export/exchange/tracks.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "lib/test.h"

static struct pipa_profile profile;
static struct pipa_timeline timeline;
static struct pipa_tracks tracks;

/* A frame called by its number below `parent`; 0 is unresolved code. */
static uint32_t stack_of(uint32_t parent, unsigned int number)
{
	struct pipa_object object = { .path = pipa_profile_text(&profile, "/bin/a") };
	struct pipa_location at = { .object = pipa_profile_object(&profile, &object),
				    .offset = number };
	struct pipa_function function = { .object = at.object };
	uint32_t location = pipa_profile_location(&profile, &at);
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	function.name = pipa_profile_text(&profile, name);
	if (number && !profile.locations.items[location].n_lines)
		CHECK_EQ(pipa_profile_name(&profile, location,
					   pipa_profile_function(&profile, &function), 7),
			 0);
	return parent == PIPA_NONE ? pipa_profile_root(&profile, location, number == 9) :
				     pipa_profile_stack(&profile, parent, location);
}

static uint32_t thread_of(uint32_t pid, uint32_t tid, const char *comm)
{
	return pipa_profile_thread(
		&profile, &(struct pipa_thread){ .pid = pid,
						 .tid = tid,
						 .comm = pipa_profile_text(&profile, comm) });
}

static void add(uint64_t time, const char *event, uint32_t thread, uint32_t stack, uint64_t weight)
{
	struct pipa_sample sample = { .event = pipa_profile_event(&profile, event),
				      .thread = thread,
				      .stack = stack,
				      .cpu = PIPA_NONE };
	uint32_t number = pipa_profile_sample(&profile, &sample);

	pipa_profile_add_weight(&profile, number, weight, 1);
	CHECK_EQ(pipa_timeline_add(&timeline,
				   &(struct pipa_timed_sample){ time, weight, number, 1, 0 }),
		 0);
}

static void mark(uint64_t time, enum pipa_timed_mark_kind kind, uint64_t lost)
{
	CHECK_EQ(pipa_timeline_mark(&timeline, &(struct pipa_timed_mark){ .time = time,
									  .lost = lost,
									  .kind = kind,
									  .cpu = 1,
									  .pid = 5,
									  .tid = 6 }),
		 0);
}

static void make(bool timed)
{
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(pipa_tracks_make(&profile, timed ? &timeline : NULL, PIPA_NONE, &tracks), 0);
}

static void done(void)
{
	pipa_tracks_done(&tracks);
	pipa_timeline_done(&timeline);
	pipa_profile_done(&profile);
}

static const char *name_of(size_t track)
{
	static struct pipa_buf text;

	pipa_buf_reset(&text);
	pipa_tracks_put_name(&tracks, &tracks.items[track], &text);
	return pipa_buf_str(&text);
}

TEST(tracks_hold_the_samples_of_a_thread_and_event_in_time_order)
{
	struct pipa_track_sample s;
	uint32_t a = thread_of(20, 21, "late"), b = thread_of(3, 3, "first");
	uint32_t stack = stack_of(PIPA_NONE, 1);

	add(50, "cycles", a, stack, 5);
	add(10, "cycles", a, stack, 1);
	add(30, "faults", a, stack, 3);
	add(20, "cycles", b, stack_of(stack, 2), 2);
	make(true);
	CHECK_EQ(tracks.n, 3u);
	CHECK_STR(name_of(0), "first-3/3 cycles");
	CHECK_STR(name_of(1), "late-20/21 cycles");
	CHECK_STR(name_of(2), "late-20/21 faults");
	CHECK_EQ(tracks.items[1].n, 2u);
	CHECK_EQ(tracks.items[1].weight, 6u);
	CHECK_EQ(tracks.items[1].start, 10u);
	CHECK_EQ(tracks.items[1].end, 50u);
	CHECK_EQ(tracks.start, 10u);
	CHECK_EQ(tracks.end, 50u);
	pipa_tracks_sample(&tracks, &tracks.items[1], 0, &s);
	CHECK_EQ(s.time, 10u);
	CHECK_EQ(s.weight, 1u);
	pipa_tracks_sample(&tracks, &tracks.items[1], 1, &s);
	CHECK_EQ(s.time, 50u);
	CHECK_EQ(pipa_tracks_sample_start(&tracks, &tracks.items[1], &s, 10), 10u);
	tracks.items[1].step_ns = 15;
	CHECK_EQ(pipa_tracks_sample_start(&tracks, &tracks.items[1], &s, 10), 35u);
	done();
}

TEST(tracks_without_times_have_the_sums)
{
	struct pipa_track_sample s;
	uint32_t stack = stack_of(PIPA_NONE, 1);

	add(50, "cycles", PIPA_NONE, stack, 5);
	add(10, "cycles", PIPA_NONE, stack, 1);
	make(false);
	CHECK(!tracks.timed);
	CHECK_EQ(tracks.n, 1u);
	CHECK_STR(name_of(0), "cycles");
	CHECK_EQ(tracks.items[0].n, 1u);
	pipa_tracks_sample(&tracks, &tracks.items[0], 0, &s);
	CHECK_EQ(s.weight, 6u);
	CHECK_EQ(s.count, 2u);
	CHECK_EQ(s.time, 0u);
	done();
}

TEST(frames_of_a_stack_are_outermost_first_and_show_truncation)
{
	struct pipa_track_stack frames = { 0 };
	uint32_t cut = stack_of(PIPA_NONE, 9), stack = stack_of(stack_of(cut, 2), 0);

	add(1, "cycles", PIPA_NONE, stack, 1);
	make(true);
	CHECK_EQ(pipa_tracks_stack(&tracks, stack, &frames), 0);
	CHECK_EQ(frames.n, 4u);
	CHECK_STR(pipa_tracks_name(&tracks, frames.items[0].function), "[truncated]");
	CHECK_STR(pipa_tracks_name(&tracks, frames.items[1].function), "f9");
	CHECK_STR(pipa_tracks_name(&tracks, frames.items[2].function), "f2");
	CHECK_STR(pipa_tracks_name(&tracks, frames.items[3].function), "[a]");
	CHECK_EQ(profile.lines.items[frames.items[2].frame].line, 7u);
	CHECK_EQ(pipa_tracks_stack(&tracks, PIPA_NONE, &frames), 0);
	CHECK_EQ(frames.n, 1u);
	CHECK_STR(pipa_tracks_name(&tracks, frames.items[0].function), "[no stack]");
	free(frames.items);
	done();
}

TEST(losses_become_intervals)
{
	const struct pipa_track_interval *i;
	uint32_t stack = stack_of(PIPA_NONE, 1);

	add(10, "cycles", PIPA_NONE, stack, 1);
	add(90, "cycles", PIPA_NONE, stack, 1);
	mark(70, PIPA_MARK_UNTHROTTLE, 0);
	mark(20, PIPA_MARK_THROTTLE, 0);
	mark(30, PIPA_MARK_LOST, 12);
	mark(80, PIPA_MARK_THROTTLE, 0);
	mark(PIPA_UNKNOWN, PIPA_MARK_LOST, 1);
	make(true);
	CHECK_EQ(timeline.marks_dropped, 1u);
	CHECK_EQ(tracks.intervals.n, 3u);
	i = tracks.intervals.items;
	CHECK_EQ(i[0].kind, PIPA_TRACK_LOST);
	CHECK_EQ(i[0].start, 10u);
	CHECK_EQ(i[0].end, 30u);
	CHECK_EQ(i[0].lost, 12u);
	CHECK_EQ(i[1].kind, PIPA_TRACK_THROTTLED);
	CHECK_EQ(i[1].start, 20u);
	CHECK_EQ(i[1].end, 70u);
	CHECK_EQ(i[2].start, 80u);
	CHECK_EQ(i[2].end, 90u);
	CHECK_EQ(i[2].tid, 6u);
	done();
}

TEST(losses_are_formatted_as_text)
{
	struct pipa_buf text = { 0 };

	profile.losses.lost_samples = 1;
	profile.losses.throttled = 3;
	make(false);
	pipa_tracks_put_losses(&tracks, &text);
	CHECK_STR(pipa_buf_str(&text), "1 sample lost, throttled 3 times");
	pipa_buf_done(&text);
	done();
}
