#include "export/view/view_times.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyze/profile/flame.h"
#include "base/auto.h"
#include "base/leb.h"
#include "lib/test.h"
#include "model/timeline.h"

static struct pipa_profile profile;
static struct pipa_timeline timeline;
static struct pipa_flame flame;
static struct pipa_view_times times;
static char text[1000];

/* A stack of one frame, called by its number. */
static uint32_t stack_of(unsigned int number)
{
	struct pipa_object object = { .path = pipa_profile_text(&profile, "/bin/a") };
	struct pipa_location at = { .object = pipa_profile_object(&profile, &object),
				    .offset = number };
	struct pipa_function function = { .object = at.object };
	uint32_t location = pipa_profile_location(&profile, &at);
	char name[16];

	snprintf(name, sizeof(name), "f%u", number);
	function.name = pipa_profile_text(&profile, name);
	if (!profile.locations.items[location].n_lines)
		CHECK_EQ(pipa_profile_name(&profile, location,
					   pipa_profile_function(&profile, &function), 0),
			 0);
	return pipa_profile_stack(&profile, PIPA_NONE, location);
}

static void add(uint64_t time, const char *event, uint32_t thread, unsigned int stack, uint32_t cpu,
		uint64_t weight)
{
	struct pipa_sample sample = { .event = pipa_profile_event(&profile, event),
				      .thread = thread,
				      .stack = stack ? stack_of(stack) : PIPA_NONE,
				      .cpu = PIPA_NONE };
	uint32_t number = pipa_profile_sample(&profile, &sample);

	pipa_profile_add_weight(&profile, number, weight, 1);
	CHECK_EQ(pipa_timeline_add(&timeline,
				   &(struct pipa_timed_sample){ time, weight, number,
								pipa_timed_sample_cpu(cpu), 0 }),
		 0);
}

static uint32_t thread_of(uint32_t pid, uint32_t tid, const char *comm)
{
	return pipa_profile_thread(
		&profile, &(struct pipa_thread){ .pid = pid,
						 .tid = tid,
						 .comm = pipa_profile_text(&profile, comm) });
}

/* "since/thread/cpu/node/weight" for each, and "/more" where samples were merged */
static const char *told(uint32_t event)
{
	struct pipa_cursor c;
	uint64_t n, i, width = timeline.resolution_ns ? 6 : 5;
	size_t len = 0;

	text[0] = '\0';
	CHECK_EQ(pipa_flame_make(&profile,
				 &(struct pipa_flame_options){ .event = event, .ends = true },
				 &flame),
		 0);
	CHECK_EQ(pipa_timeline_sort(&timeline), 0);
	CHECK_EQ(pipa_view_times_make(&profile, &timeline, &flame, event, &times), 0);
	c = (struct pipa_cursor){ .pos = (const uint8_t *)times.varints.data };
	c.end = c.pos + times.varints.len;
	n = pipa_get_uleb(&c);
	CHECK_EQ(n, times.entries);
	for (i = 0; i < width * n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%" PRIu64 "%s",
					pipa_get_uleb(&c),
					i % width < width - 1 ? "/" :
					i + 1 < width * n     ? " " :
								"");
	CHECK_EQ(c.status, 0);
	CHECK(c.pos == c.end);
	return text;
}

static void done(void)
{
	pipa_view_times_done(&times);
	pipa_flame_done(&flame);
	pipa_timeline_done(&timeline);
	pipa_profile_done(&profile);
}

TEST(samples_of_an_event_are_ordered_by_time_with_indexes_in_short_lists)
{
	uint32_t late = thread_of(9, 9, "late"), early = thread_of(5, 6, "early");

	add(1000, "cycles", late, 1, 70, 3);
	add(4000, "cycles", early, 2, 4, 300);
	add(2500, "faults", late, 1, 99, 7);
	add(3000, "cycles", late, 0, PIPA_NONE, 5); /* no stack, no cpu */
	add(4000, "cycles", late, 1, 70, 0);
	/* nodes by name: "[no stack]", f1, f2 */
	CHECK_STR(told(0), "0/1/2/1/3 2000/1/0/0/5 1000/0/1/2/300 0/1/2/1/0");
	CHECK_EQ(times.start, 1000);
	CHECK_EQ(times.end, 4000);
	CHECK_EQ(times.n_threads, 2);
	CHECK_EQ(times.threads[0], early);
	CHECK_EQ(times.threads[1], late);
	CHECK_EQ(times.n_cpus, 2);
	CHECK_EQ(times.cpus[0], 4);
	CHECK_EQ(times.cpus[1], 70);
	done();
}

TEST(merged_samples_have_their_number)
{
	uint32_t thread = thread_of(1, 1, "a"), i;

	timeline.max = 4;
	for (i = 0; i < 5; i++)
		add(i, "cycles", thread, 1, 0, 10);
	CHECK_STR(told(0), "0/0/1/0/40/3 4/0/1/0/10/0");
	CHECK_EQ(times.resolution_ns, 1 << 20);
	done();
}

TEST(samples_without_a_thread_are_last)
{
	uint32_t one = thread_of(UINT32_MAX - 1, 1, "one");

	add(7, "", PIPA_NONE, 1, PIPA_NONE, 1);
	add(8, "", one, 1, PIPA_NONE, 1);
	CHECK_STR(told(PIPA_NONE), "0/1/0/0/1 1/0/0/0/1");
	CHECK_EQ(times.n_threads, 2);
	CHECK_EQ(times.threads[0], one);
	CHECK_EQ(times.threads[1], PIPA_NONE);
	CHECK_EQ(times.n_cpus, 0);
	done();
}

TEST(an_event_without_samples_has_an_empty_list)
{
	CHECK_STR(told(PIPA_NONE), "");
	CHECK_EQ(times.entries, 0);
	CHECK_EQ(times.n_threads, 0);
	done();
}

static int pack(const void *bytes, size_t len, struct pipa_buf *to)
{
	CHECK(bytes && len > 100000);
	pipa_buf_add(to, "pack", 4);
	return 0;
}

TEST(a_long_timeline_is_compressed_and_marked)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const struct pipa_flame_options all = { .event = PIPA_NONE, .ends = true };
	uint32_t thread = thread_of(1, 1, "one"), i;

	for (i = 0; i < 30000; i++) {
		if (i < 2 || i == 29999) {
			pipa_flame_done(&flame);
			CHECK_EQ(pipa_flame_make(&profile, &all, &flame), 0);
			CHECK_EQ(pipa_view_times_make(&profile, &timeline, &flame, PIPA_NONE,
						      &times),
				 0);
			pipa_buf_reset(&out);
			pipa_view_times_write(&times, &profile, "cpu", pack, &out);
			pipa_view_times_done(&times);
			CHECK_EQ(out.status, 0);
			CHECK_EQ(!!strstr(pipa_buf_str(&out),
					  "\"samples\":\"cGFjaw==\",\n\"deflate\":[\"samples\"]}"),
				 i > 1);
			CHECK_EQ(!!strstr(pipa_buf_str(&out), "deflate"), i > 1);
		}
		add(1000 * i, "cycles", thread, 1, 0, 1000);
	}
	done();
}
