#include <errno.h>
#include <stdlib.h>

#include "model/profile.h"

/* What the numbers of one profile's things are in another. */
struct numbers {
	uint32_t *objects, *locations, *stacks, *threads, *events, *label_sets;
};

static void numbers_done(struct numbers *of)
{
	free(of->objects);
	free(of->locations);
	free(of->stacks);
	free(of->threads);
	free(of->events);
	free(of->label_sets);
}

static uint32_t *make_list(size_t n)
{
	return malloc(n * sizeof(uint32_t) + 1);
}

static bool numbers_init(struct numbers *of, const struct pipa_profile *from)
{
	*of = (struct numbers){
		.objects = make_list(from->objects.n),
		.locations = make_list(from->locations.n),
		.stacks = make_list(from->stacks.n),
		.threads = make_list(from->threads.n),
		.events = make_list(from->events.n),
		.label_sets = make_list(from->label_sets.n + 1),
	};
	return of->objects && of->locations && of->stacks && of->threads && of->events &&
	       of->label_sets;
}

static uint32_t text_of(struct pipa_profile *p, const struct pipa_profile *from, uint32_t number)
{
	return pipa_profile_text(p, pipa_profile_string(from, number));
}

static int merge_objects(struct pipa_profile *p, const struct pipa_profile *from,
			 struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->objects.n; i++) {
		struct pipa_object object = from->objects.items[i];

		object.path = text_of(p, from, object.path);
		if (object.path == PIPA_NO_STRING)
			return -ENOMEM;
		of->objects[i] = pipa_profile_object(p, &object);
		if (of->objects[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_locations(struct pipa_profile *p, const struct pipa_profile *from,
			   struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->locations.n; i++) {
		struct pipa_location location = from->locations.items[i];

		location.object = of->objects[location.object];
		of->locations[i] = pipa_profile_location(p, &location);
		if (of->locations[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* A stack's parent was there before it. */
static int merge_stacks(struct pipa_profile *p, const struct pipa_profile *from, struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->stacks.n; i++) {
		const struct pipa_stack *stack = &from->stacks.items[i];
		uint32_t location = of->locations[stack->location];

		of->stacks[i] = stack->parent == PIPA_NONE ?
					pipa_profile_root(p, location, stack->cut) :
					pipa_profile_stack(p, of->stacks[stack->parent], location);
		if (of->stacks[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_threads(struct pipa_profile *p, const struct pipa_profile *from,
			 struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->threads.n; i++) {
		struct pipa_thread thread = from->threads.items[i];

		thread.comm = text_of(p, from, thread.comm);
		if (thread.comm == PIPA_NO_STRING)
			return -ENOMEM;
		of->threads[i] = pipa_profile_thread(p, &thread);
		if (of->threads[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_events(struct pipa_profile *p, const struct pipa_profile *from, struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->events.n; i++) {
		const struct pipa_profile_event *event = &from->events.items[i];

		const struct pipa_event_type type = {
			.name = pipa_profile_string(from, event->name),
			.unit = pipa_profile_string(from, event->unit),
			.count_unit = pipa_profile_string(from, event->count_unit),
			.period = event->period,
			.frequency = event->frequency,
			.uncounted = !event->counted,
		};

		of->events[i] = pipa_profile_event_of(p, &type);
		if (of->events[i] == PIPA_NONE)
			return -ENOMEM;
		p->events.items[of->events[i]].lost += event->lost;
		p->events.items[of->events[i]].squares += event->squares;
	}
	return 0;
}

static int merge_label_sets(struct pipa_profile *p, const struct pipa_profile *from,
			    struct numbers *of)
{
	uint32_t i;

	of->label_sets[0] = 0;
	for (i = 1; i < from->label_sets.n; i++) {
		of->label_sets[i] = pipa_label_set_copy(p, from, i);
		if (of->label_sets[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* With their weights, of which the events have the sum. */
static int merge_samples(struct pipa_profile *p, const struct pipa_profile *from,
			 const struct numbers *of, uint32_t *ret_samples)
{
	uint32_t number;
	size_t i;

	for (i = 0; i < from->samples.n; i++) {
		struct pipa_sample sample = from->samples.items[i];

		sample.event = of->events[sample.event];
		if (sample.thread != PIPA_NONE)
			sample.thread = of->threads[sample.thread];
		sample.labels = of->label_sets[sample.labels];
		if (sample.stack != PIPA_NONE)
			sample.stack = of->stacks[sample.stack];
		number = pipa_profile_sample(p, &sample);
		if (number == PIPA_NONE)
			return -ENOMEM;
		pipa_profile_add_weight(p, number, sample.weight, sample.count);
		if (ret_samples)
			ret_samples[i] = number;
	}
	return 0;
}

static int merge_cuts(struct pipa_profile *p, const struct pipa_profile *from,
		      const struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->cuts.n; i++) {
		const struct pipa_truncated_stack *cut = &from->cuts.items[i];

		if (pipa_profile_truncated_many(
			    p, cut->object == PIPA_NONE ? PIPA_NONE : of->objects[cut->object],
			    cut->why, cut->count) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void merge_losses(struct pipa_losses *to, const struct pipa_losses *from)
{
	to->lost_records += from->lost_records;
	to->lost_samples += from->lost_samples;
	to->throttled += from->throttled;
	to->damaged += from->damaged;
	to->cut_stacks += from->cut_stacks;
	to->chains += from->chains;
	to->unwound += from->unwound;
	to->unwound_truncated += from->unwound_truncated;
	to->unwound_guessed += from->unwound_guessed;
	to->unwound_joined += from->unwound_joined;
	if (to->stack_needed < from->stack_needed)
		to->stack_needed = from->stack_needed;
}

int pipa_profile_merge_numbered(struct pipa_profile *p, const struct pipa_profile *from,
				uint32_t *ret_samples)
{
	struct numbers of;
	int rc = numbers_init(&of, from) ? 0 : -ENOMEM;

	if (!rc)
		rc = merge_objects(p, from, &of);
	if (!rc)
		rc = merge_locations(p, from, &of);
	if (!rc)
		rc = merge_stacks(p, from, &of);
	if (!rc)
		rc = merge_threads(p, from, &of);
	if (!rc)
		rc = merge_events(p, from, &of);
	if (!rc)
		rc = merge_label_sets(p, from, &of);
	if (!rc)
		rc = merge_samples(p, from, &of, ret_samples);
	if (!rc)
		rc = merge_cuts(p, from, &of);
	if (!rc)
		merge_losses(&p->losses, &from->losses);
	numbers_done(&of);
	return rc;
}

int pipa_profile_merge(struct pipa_profile *p, const struct pipa_profile *from)
{
	return pipa_profile_merge_numbered(p, from, NULL);
}
