#include "analyze/profile/frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

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
	if (!(symbol & PIPA_FRAME_UNRESOLVED))
		return pipa_profile_string(p, symbol & ~PIPA_FRAME_INLINED);
	location = &p->locations.items[symbol & ~PIPA_FRAME_UNRESOLVED];
	snprintf(buf, 64, "0x%016llx",
		 (unsigned long long)(location->unresolved == PIPA_UNRESOLVED_NO_MAPPING ?
					      location->address :
					      location->offset));
	return buf;
}

/* Objects are distinguished by their displayed name: map each to the first one of the same name. */
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

/* Return "file.c:12" of a line; 0 if unknown, PIPA_NO_STRING on allocation failure. */
static uint32_t place_of(struct pipa_frames *frames, const struct pipa_line *line)
{
	const struct pipa_profile *p = frames->profile;
	const char *path = pipa_profile_string(p, p->functions.items[line->function].file);
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	char text[512];
	int len;

	if (!file[0])
		return 0;
	len = snprintf(text, sizeof(text), "%.480s:%u", file, line->line);
	return pipa_strings_add(&frames->places, text, (size_t)len);
}

static int fill_location(struct pipa_frames *frames, uint32_t number, uint32_t object, bool places)
{
	const struct pipa_profile *p = frames->profile;
	const struct pipa_location *location = &p->locations.items[number];
	uint32_t k, last = location->lines + location->n_lines - 1;

	for (k = location->lines; k < location->lines + location->n_lines; k++) {
		struct pipa_frame *frame = &frames->items[k];

		frame->object = object;
		frame->symbol = p->functions.items[p->lines.items[k].function].name |
				(k < last ? PIPA_FRAME_INLINED : 0);
		frame->place = places ? place_of(frames, &p->lines.items[k]) : 0;
		if (frame->place == PIPA_NO_STRING)
			return -ENOMEM;
	}
	frames->items[p->lines.n + number] =
		(struct pipa_frame){ object, number | PIPA_FRAME_UNRESOLVED, 0 };
	return 0;
}

int pipa_frames_make(const struct pipa_profile *p, bool places, struct pipa_frames *ret)
{
	PIPA_AUTO(free) uint32_t *firsts = calloc(p->objects.n + 1, sizeof(*firsts));
	struct pipa_frames frames = { .profile = p, .n = p->lines.n + p->locations.n };
	uint32_t i;
	int rc;

	frames.items = calloc(frames.n + 1, sizeof(*frames.items));
	rc = frames.items && firsts ? find_firsts(p, firsts) : -ENOMEM;
	for (i = 0; !rc && i < p->locations.n; i++) {
		uint32_t object = p->locations.items[i].object;

		rc = fill_location(&frames, i, object < p->objects.n ? firsts[object] : PIPA_NONE,
				   places);
	}
	if (rc < 0)
		pipa_frames_done(&frames);
	else
		*ret = frames;
	return rc;
}

void pipa_frames_done(struct pipa_frames *frames)
{
	free(frames->items);
	pipa_strings_done(&frames->places);
	*frames = (struct pipa_frames){ 0 };
}

const char *pipa_frame_mark(uint32_t symbol)
{
	return symbol != PIPA_NONE && !(symbol & PIPA_FRAME_UNRESOLVED) &&
			       symbol & PIPA_FRAME_INLINED ?
		       " (inlined)" :
		       "";
}

uint32_t pipa_frame_innermost(const struct pipa_frames *frames, uint32_t stack)
{
	const struct pipa_profile *p = frames->profile;
	uint32_t number = p->stacks.items[stack].location;
	const struct pipa_location *location = &p->locations.items[number];

	return location->n_lines ? location->lines : (uint32_t)p->lines.n + number;
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
