/* Convert the locations of a profile to frames of a flame graph. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/flame_own.h"
#include "analyze/profile/frames.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

/* Allocate n ids set to PIPA_NONE. */
static uint32_t *alloc_unknown(size_t n)
{
	uint32_t *numbers = malloc((n + 1) * sizeof(*numbers));

	if (numbers)
		memset(numbers, 0xff, (n + 1) * sizeof(*numbers));
	return numbers;
}

int pipa_flame_names_init(struct pipa_flame_names *names, struct pipa_flame_build *build,
			  const struct pipa_profile *p)
{
	*names = (struct pipa_flame_names){
		.build = build,
		.profile = p,
		.strings = alloc_unknown(p->strings.n),
		.objects = alloc_unknown(p->objects.n),
		.lines = alloc_unknown(p->lines.n + p->locations.n),
	};
	return names->strings && names->objects && names->lines ? 0 : -ENOMEM;
}

void pipa_flame_names_done(struct pipa_flame_names *names)
{
	free(names->strings);
	free(names->objects);
	free(names->lines);
}

static bool is_same(const struct pipa_flame_build *build, const struct pipa_flame_frame *a,
		    const struct pipa_flame_frame *b)
{
	if (a->name != b->name || (a->object != b->object && !build->names_alone))
		return false;
	return build->loose || (a->kind == b->kind && a->inlined == b->inlined);
}

static uint32_t add_frame(struct pipa_flame_build *build, const struct pipa_flame_frame *frame)
{
	uint32_t object = build->names_alone ? 0 : frame->object;
	uint64_t hash = pipa_hash_u64((uint64_t)frame->name << 32 | object, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&build->frames.index, hash);
	struct pipa_flame_frame *new;

	if (frame->name == PIPA_NO_STRING || frame->object == PIPA_NO_STRING)
		return PIPA_NONE;
	for (; slot->id; slot = pipa_index_after(&build->frames.index, slot))
		if (is_same(build, &build->frames.items[slot->id - 1], frame))
			return slot->id - 1;
	new = PIPA_VEC_ADD(&build->frames);
	if (!new || pipa_index_add(&build->frames.index, hash, (uint32_t)build->frames.n - 1) < 0)
		return PIPA_NONE;
	*new = *frame;
	return (uint32_t)build->frames.n - 1;
}

uint32_t pipa_flame_frame_named(struct pipa_flame_build *build, const char *name,
				enum pipa_flame_kind kind)
{
	struct pipa_flame_frame frame = {
		.name = pipa_strings_add(&build->strings, name, strlen(name)), .kind = kind
	};

	return add_frame(build, &frame);
}

/* Convert a string of the profile, once. */
static uint32_t string_of(struct pipa_flame_names *names, uint32_t number)
{
	const struct pipa_string *string = &names->profile->strings.items[number];

	if (names->strings[number] == PIPA_NONE)
		names->strings[number] = pipa_strings_add(&names->build->strings, string->text,
							  string->len);
	return names->strings[number];
}

static uint32_t object_of(struct pipa_flame_names *names, uint32_t object)
{
	const struct pipa_profile *p = names->profile;
	const char *text = pipa_object_short(p, object);

	if (object >= p->objects.n || !pipa_profile_string(p, p->objects.items[object].path)[0])
		return 0;
	if (names->objects[object] == PIPA_NONE)
		names->objects[object] = pipa_strings_add(&names->build->strings, text,
							  strlen(text));
	return names->objects[object];
}

/*
 * Return the kind of a frame of folded stacks from the suffix of its name: kernel, inlined or JIT.
 */
static enum pipa_flame_kind kind_by_name(const struct pipa_string *name)
{
	const char *end = name->text + name->len - 4;

	if (name->len < 4)
		return PIPA_FLAME_USER;
	return memcmp(end, "_[k]", 4) == 0				  ? PIPA_FLAME_KERNEL :
	       memcmp(end, "_[j]", 4) == 0 || memcmp(end, "_[1]", 4) == 0 ? PIPA_FLAME_JIT :
									    PIPA_FLAME_USER;
}

static enum pipa_flame_kind kind_of(const struct pipa_profile *p,
				    const struct pipa_location *location)
{
	enum pipa_object_kind object = PIPA_OBJECT_UNKNOWN;

	if (location->object < p->objects.n)
		object = p->objects.items[location->object].kind;
	if (!location->n_lines || location->unresolved)
		return PIPA_FLAME_UNRESOLVED;
	if (location->mode == PIPA_MODE_KERNEL || location->mode == PIPA_MODE_GUEST_KERNEL ||
	    object == PIPA_OBJECT_KERNEL || object == PIPA_OBJECT_MODULE ||
	    object == PIPA_OBJECT_KSYMBOL)
		return PIPA_FLAME_KERNEL;
	return object == PIPA_OBJECT_JIT ? PIPA_FLAME_JIT : PIPA_FLAME_USER;
}

/* Return the common frame of an object's unresolved code. */
static uint32_t unresolved_frame(struct pipa_flame_names *names,
				 const struct pipa_location *location)
{
	const char *object = pipa_object_short(names->profile, location->object);
	struct pipa_flame_frame frame = { .kind = PIPA_FLAME_UNRESOLVED,
					  .object = object_of(names, location->object) };
	char text[300];

	snprintf(text, sizeof(text), object[0] == '[' ? "%s" : "[%.280s]", object);
	frame.name = pipa_strings_add(&names->build->strings, text, strlen(text));
	return add_frame(names->build, &frame);
}

static uint32_t named_frame(struct pipa_flame_names *names, const struct pipa_location *location,
			    uint32_t line)
{
	const struct pipa_profile *p = names->profile;
	uint32_t name = p->functions.items[p->lines.items[location->lines + line].function].name;
	const struct pipa_string *text = &p->strings.items[name];
	struct pipa_flame_frame frame = {
		.name = string_of(names, name),
		.object = object_of(names, location->object),
		.kind = kind_of(p, location),
		.inlined = line + 1 < location->n_lines,
	};

	if (!frame.object && frame.kind == PIPA_FLAME_USER) {
		frame.kind = kind_by_name(text);
		frame.inlined |= text->len >= 4 &&
				 memcmp(text->text + text->len - 4, "_[i]", 4) == 0;
	}
	return add_frame(names->build, &frame);
}

uint32_t pipa_flame_frame_of(struct pipa_flame_names *names, uint32_t number, uint32_t line)
{
	const struct pipa_location *location = &names->profile->locations.items[number];
	uint32_t *known = location->n_lines ? &names->lines[location->lines + line] :
					      &names->lines[names->profile->lines.n + number];

	if (*known == PIPA_NONE)
		*known = location->n_lines ? named_frame(names, location, line) :
					     unresolved_frame(names, location);
	return *known;
}
