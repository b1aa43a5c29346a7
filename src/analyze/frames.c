#include "analyze/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

const char *pipa_object_short(const struct pipa_profile *p, uint32_t object)
{
	const char *path = object < p->objects.n ?
				   pipa_profile_string(p, p->objects.items[object].path) :
				   "[unknown]";
	const char *slash = path[0] == '[' ? NULL : strrchr(path, '/');

	if (!path[0])
		return "[unknown]";
	return slash && slash[1] ? slash + 1 : path;
}

char pipa_mode_letter(enum pipa_mode mode)
{
	static const char letters[] = {
		[PIPA_MODE_UNKNOWN] = '?',	[PIPA_MODE_KERNEL] = 'k',
		[PIPA_MODE_USER] = '.',		[PIPA_MODE_HYPERVISOR] = 'H',
		[PIPA_MODE_GUEST_KERNEL] = 'g', [PIPA_MODE_GUEST_USER] = 'u'
	};

	return letters[mode];
}

const char *pipa_frame_text(const struct pipa_profile *p, uint32_t symbol, char buf[static 64])
{
	const struct pipa_location *location;

	if (symbol == PIPA_NONE)
		return "[unknown]";
	if (!(symbol & PIPA_FRAME_NAMELESS))
		return pipa_profile_string(p, symbol);
	location = &p->locations.items[symbol & ~PIPA_FRAME_NAMELESS];
	snprintf(buf, 64, "0x%016llx",
		 (unsigned long long)(location->nameless == PIPA_NAMELESS_NO_MAPPING ?
					      location->address :
					      location->offset));
	return buf;
}

/*
 * Objects are told apart by the name they are shown with: for each the number of the first one that is
 * called the same.
 */
static int find_firsts(const struct pipa_profile *p, uint32_t *firsts)
{
	struct pipa_strings names = { 0 };
	PIPA_AUTO(free) uint32_t *first_of = calloc(p->objects.n + 2, sizeof(*first_of));
	uint32_t i, name = 0;

	for (i = 0; first_of && i < p->objects.n; i++) {
		const char *text = pipa_object_short(p, i);
		size_t known = names.n;

		name = pipa_strings_add(&names, text, strlen(text));
		if (name == PIPA_NO_STRING)
			break;
		if (name >= known)
			first_of[name] = i;
		firsts[i] = first_of[name];
	}
	pipa_strings_done(&names);
	return first_of && name != PIPA_NO_STRING ? 0 : -ENOMEM;
}

int pipa_frames_make(const struct pipa_profile *p, struct pipa_frames *ret)
{
	PIPA_AUTO(free) uint32_t *firsts = calloc(p->objects.n + 1, sizeof(*firsts));
	struct pipa_frames frames = { .profile = p, .n = p->lines.n + p->locations.n };
	uint32_t i, k;

	frames.items = calloc(frames.n + 1, sizeof(*frames.items));
	if (!frames.items || !firsts || find_firsts(p, firsts) < 0) {
		free(frames.items);
		return -ENOMEM;
	}
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];
		uint32_t object = location->object < p->objects.n ? firsts[location->object] :
								    PIPA_NONE;

		for (k = location->lines; k < location->lines + location->n_lines; k++)
			frames.items[k] = (struct pipa_frame){
				object, p->functions.items[p->lines.items[k].function].name
			};
		frames.items[p->lines.n + i] = (struct pipa_frame){ object,
								    i | PIPA_FRAME_NAMELESS };
	}
	*ret = frames;
	return 0;
}

void pipa_frames_done(struct pipa_frames *frames)
{
	free(frames->items);
	*frames = (struct pipa_frames){ 0 };
}

bool pipa_frame_walk_next(struct pipa_frame_walk *w)
{
	const struct pipa_profile *p = w->frames->profile;
	const struct pipa_location *location;

	if (w->stack == PIPA_NONE)
		return false;
	w->location = p->stacks.items[w->stack].location;
	location = &p->locations.items[w->location];
	if (!location->n_lines)
		w->frame = (uint32_t)p->lines.n + w->location;
	else
		w->frame = location->lines + w->inlined++;
	if (w->inlined >= location->n_lines) {
		w->inlined = 0;
		w->stack = p->stacks.items[w->stack].parent;
	}
	return true;
}
