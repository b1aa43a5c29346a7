#include "analyze/profile/zoom.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

static bool is_of_frames(enum pipa_key key)
{
	return key == PIPA_KEY_OBJECT || key == PIPA_KEY_SYMBOL || key == PIPA_KEY_SRCLINE;
}

/* Return the symbol without the inlined bit: an inlined function is the same function. */
static uint32_t without_inlined_bit(uint32_t symbol)
{
	return symbol & PIPA_FRAME_UNRESOLVED ? symbol : symbol & ~PIPA_FRAME_INLINED;
}

static bool is_frame(const struct pipa_zoom *zoom, const struct pipa_frame *frame)
{
	switch (zoom->key) {
	case PIPA_KEY_OBJECT: return frame->object == zoom->value;
	case PIPA_KEY_SRCLINE: return frame->place == zoom->value;
	default:
		return without_inlined_bit(frame->symbol) == without_inlined_bit(zoom->value) &&
		       (zoom->object == PIPA_NONE || zoom->object == frame->object);
	}
}

static bool has_frame(const struct pipa_frames *frames, const struct pipa_zoom *zoom,
		      uint32_t place)
{
	const struct pipa_location *location = &frames->profile->locations.items[place];
	uint32_t i;

	for (i = location->lines; i < location->lines + location->n_lines; i++)
		if (is_frame(zoom, &frames->items[i]))
			return true;
	return !location->n_lines &&
	       is_frame(zoom, &frames->items[frames->profile->lines.n + place]);
}

/* Mark the stacks that contain the frame; the index of a stack is larger than its caller's. */
static bool *find_stacks(const struct pipa_frames *frames, const struct pipa_zoom *zoom)
{
	const struct pipa_profile *p = frames->profile;
	bool *found = calloc(p->stacks.n + 1, sizeof(*found));
	uint32_t i;

	for (i = 0; found && i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];

		found[i] = (stack->parent != PIPA_NONE && found[stack->parent]) ||
			   has_frame(frames, zoom, stack->location);
	}
	return found;
}

static bool is_sample(const struct pipa_profile *p, const struct pipa_zoom *zoom,
		      const struct pipa_sample *s, const bool *stacks)
{
	static const struct pipa_thread nobody = { .pid = PIPA_NONE,
						   .tid = PIPA_NONE,
						   .comm = PIPA_NONE };
	const struct pipa_thread *thread = s->thread == PIPA_NONE ? &nobody :
								    &p->threads.items[s->thread];

	switch (zoom->key) {
	case PIPA_KEY_COMM: return thread->comm == zoom->value;
	case PIPA_KEY_PID: return thread->pid == zoom->value;
	case PIPA_KEY_TID: return thread->tid == zoom->value;
	case PIPA_KEY_CPU: return s->cpu == zoom->value;
	case PIPA_KEY_OBJECT:
	case PIPA_KEY_SYMBOL:
	case PIPA_KEY_SRCLINE:
		if (s->stack == PIPA_NONE) /* samples without a frame */
			return zoom->value == PIPA_NONE ||
			       (zoom->key == PIPA_KEY_SRCLINE && !zoom->value);
		return stacks[s->stack];
	default: return true;
	}
}

/* Keep the samples that match one zoom. */
static int apply_zoom(const struct pipa_frames *frames, const struct pipa_zoom *zoom,
		      struct pipa_profile *part)
{
	PIPA_AUTO(free) bool *stacks = NULL;
	size_t i, n = 0;

	if (is_of_frames(zoom->key)) {
		stacks = find_stacks(frames, zoom);
		if (!stacks)
			return -ENOMEM;
	}
	for (i = 0; i < part->samples.n; i++)
		if (is_sample(part, zoom, &part->samples.items[i], stacks))
			part->samples.items[n++] = part->samples.items[i];
	part->samples.n = n;
	return 0;
}

int pipa_zoom_make(const struct pipa_frames *frames, uint32_t event, const struct pipa_zoom *zooms,
		   size_t n, struct pipa_profile *ret)
{
	const struct pipa_profile *p = frames->profile;
	struct pipa_profile part = *p;
	size_t i;
	int rc = 0;

	part.samples.items = malloc(p->samples.n * sizeof(*part.samples.items) + 1);
	part.samples.n = 0;
	part.samples.cap = p->samples.n;
	part.samples.index = (struct pipa_index){ 0 };
	if (!part.samples.items)
		return -ENOMEM;
	for (i = 0; i < p->samples.n; i++)
		if (p->samples.items[i].event == event)
			part.samples.items[part.samples.n++] = p->samples.items[i];
	for (i = 0; !rc && i < n; i++)
		rc = apply_zoom(frames, &zooms[i], &part);
	if (rc < 0)
		pipa_zoom_done(&part);
	else
		*ret = part;
	return rc;
}

void pipa_zoom_done(struct pipa_profile *part)
{
	free(part->samples.items);
	*part = (struct pipa_profile){ 0 };
}
