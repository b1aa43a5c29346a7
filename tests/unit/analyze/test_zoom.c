#include "analyze/profile/zoom.h"

#include <stdio.h>

#include "lib/invent.h"
#include "lib/test.h"

static struct pipa_profile p, part;
static struct pipa_frames frames;

static uint64_t weight_of(const struct pipa_zoom *zooms, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	pipa_frames_done(&frames);
	pipa_zoom_done(&part);
	CHECK_EQ(pipa_frames_make(&p, true, &frames), 0);
	CHECK_EQ(pipa_zoom_make(&frames, 0, zooms, n, &part), 0);
	for (i = 0; i < part.samples.n; i++)
		sum += part.samples.items[i].weight;
	return sum;
}

static void start(void)
{
	invent(&p, "a", "main;f;y:g", 10);
	invent(&p, "a", "main;i<h", 5);
	invent(&p, "b", "main;f", 100);
	invent(&p, "b", "", 1000);
}

static void finish(void)
{
	pipa_zoom_done(&part);
	pipa_frames_done(&frames);
	pipa_profile_done(&p);
}

TEST(without_a_zoom_all_samples_of_the_event_are_there)
{
	struct pipa_sample other = { .event = 0, .stack = PIPA_NONE, .weight = 7, .count = 1 };

	start();
	other.event = pipa_profile_event(&p, "other");
	CHECK_EQ(pipa_profile_add(&p, &other), 0);
	CHECK_EQ(weight_of(NULL, 0), 1115);
	CHECK_EQ(p.samples.n, 5); /* the whole one is as it was */
	finish();
}

TEST(samples_keep_their_labels)
{
	struct pipa_label label = { 0 };
	struct pipa_sample s;

	start();
	s = p.samples.items[0];
	label.key = pipa_profile_text(&p, "request");
	s.labels = pipa_profile_label_set(&p, &label, 1);
	CHECK_EQ(pipa_profile_add(&p, &s), 0);
	CHECK_EQ(weight_of(&(struct pipa_zoom){ PIPA_KEY_COMM, pipa_profile_text(&p, "a"), 0 }, 1),
		 25);
	CHECK_EQ(part.samples.items[0].labels, 0);
	CHECK_EQ(part.samples.items[2].labels, s.labels);
	finish();
}

TEST(a_process_a_thread_or_a_cpu_has_its_samples)
{
	start();
	CHECK_EQ(weight_of(&(struct pipa_zoom){ PIPA_KEY_COMM, pipa_profile_text(&p, "a"), 0 }, 1),
		 15);
	CHECK_EQ(weight_of(&(struct pipa_zoom){ PIPA_KEY_PID, p.threads.items[1].pid, 0 }, 1),
		 1100);
	CHECK_EQ(weight_of(&(struct pipa_zoom){ PIPA_KEY_TID, p.threads.items[0].tid, 0 }, 1), 15);
	CHECK_EQ(weight_of(&(struct pipa_zoom){ PIPA_KEY_CPU, 'b' & 1, 0 }, 1), 1100);
	finish();
}

TEST(zoom_keeps_the_samples_through_an_object_or_a_function)
{
	struct pipa_zoom zoom = { PIPA_KEY_SYMBOL, 0, PIPA_NONE };

	start();
	zoom.value = pipa_profile_text(&p, "f");
	CHECK_EQ(weight_of(&zoom, 1), 110);
	zoom.value = pipa_profile_text(&p, "i"); /* inlined is the same function */
	CHECK_EQ(weight_of(&zoom, 1), 5);
	zoom.value = pipa_profile_text(&p, "main");
	CHECK_EQ(weight_of(&zoom, 1), 115);
	zoom.object = 1; /* it is in the other one */
	CHECK_EQ(weight_of(&zoom, 1), 0);
	zoom = (struct pipa_zoom){ PIPA_KEY_OBJECT, 1, 0 };
	CHECK_EQ(weight_of(&zoom, 1), 10);
	zoom = (struct pipa_zoom){ PIPA_KEY_SYMBOL, PIPA_NONE, PIPA_NONE };
	CHECK_EQ(weight_of(&zoom, 1), 1000); /* those without a stack */
	finish();
}

TEST(zooms_are_one_within_the_other)
{
	struct pipa_zoom zooms[2] = { { PIPA_KEY_COMM, 0, 0 }, { PIPA_KEY_SYMBOL, 0, PIPA_NONE } };

	start();
	zooms[0].value = pipa_profile_text(&p, "b");
	zooms[1].value = pipa_profile_text(&p, "f");
	CHECK_EQ(weight_of(zooms, 2), 100);
	finish();
}

TEST(rows_may_be_those_of_one_object)
{
	struct pipa_top_options options = { .keys = { PIPA_KEY_SYMBOL },
					    .n_keys = 1,
					    .children = true,
					    .one_object = true,
					    .object = 1 };
	struct pipa_top top;
	char buf[64];

	start();
	CHECK_EQ(pipa_top_make(&p, &options, &top), 0);
	CHECK_EQ(top.n, 1);
	CHECK_STR(pipa_top_text(&top, &top.items[0], 0, buf), "g");
	CHECK_EQ(top.all[0].weight, 1115);
	pipa_top_done(&top);
	finish();
}
