#include "import/script_stacks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"
#include "import/object_name.h"
#include "import/script_line.h"
#include "model/profile.h"

void pipa_script_stacks_done(struct pipa_script_stacks *s)
{
	free(s->blocks.items);
	pipa_index_done(&s->blocks.index);
	free(s->frames.items);
	pipa_index_done(&s->frames.index);
	free(s->chain.items);
	pipa_arena_done(&s->arena);
}

static const struct pipa_script_text *find_text(const struct pipa_script_texts *texts,
						uint64_t hash, const char *text, size_t len)
{
	const struct pipa_index_slot *slot;

	for (slot = pipa_index_start(&texts->index, hash); slot->id;
	     slot = pipa_index_after(&texts->index, slot)) {
		const struct pipa_script_text *item = &texts->items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && item->len == len &&
		    memcmp(item->text, text, len) == 0)
			return item;
	}
	return NULL;
}

/* Add a text that is in the arena to the index. 0 or -ENOMEM. */
static int index_text(struct pipa_script_texts *texts, uint64_t hash, struct pipa_script_text text)
{
	struct pipa_script_text *item;

	if (texts->n >= PIPA_NONE - 1)
		return -ENOMEM;
	item = PIPA_VEC_ADD(texts);
	if (!item)
		return -ENOMEM;
	*item = text;
	if (pipa_index_add(&texts->index, hash, (uint32_t)(texts->n - 1)) < 0) {
		texts->n--;
		return -ENOMEM;
	}
	return 0;
}

enum { INLINED_MAX = 256 }; /* limit per frame; outer ones beyond it are dropped */

/* A frame and the functions inlined into it, line by line. */
struct group {
	struct pipa_parsed_frame frames[INLINED_MAX];
	size_t n;
};

static int add_object(struct pipa_profile *p, struct pipa_text_slice dso, struct pipa_location *at)
{
	struct pipa_object object = { .path = pipa_strings_add(&p->strings, dso.text, dso.len) };

	if (object.path == PIPA_NO_STRING)
		return -ENOMEM;
	object.kind = pipa_object_kind_of_name(dso.text, dso.len, &object.pid);
	at->mode = pipa_object_mode(object.kind, at->address);
	at->unresolved = pipa_object_unresolved(object.kind);
	at->object = pipa_profile_object(p, &object);
	return at->object == PIPA_NONE ? -ENOMEM : 0;
}

static int add_location(struct pipa_profile *p, const struct group *group, uint32_t *ret)
{
	const struct pipa_parsed_frame *outer = &group->frames[group->n - 1];
	struct pipa_location at = { .offset = outer->address, .address = outer->address };
	struct pipa_line lines[INLINED_MAX];
	size_t i, n = 0;
	int rc = add_object(p, outer->dso, &at);

	if (rc < 0)
		return rc;
	for (i = 0; i < group->n; i++) {
		struct pipa_text_slice symbol = group->frames[i].symbol;
		struct pipa_function function = { .object = at.object };

		if (!symbol.len)
			continue;
		function.name = pipa_strings_add(&p->strings, symbol.text, symbol.len);
		if (function.name == PIPA_NO_STRING)
			return -ENOMEM;
		lines[n] = (struct pipa_line){ .function = pipa_profile_function(p, &function) };
		if (lines[n++].function == PIPA_NONE)
			return -ENOMEM;
	}
	/* an address may have other names in another process, or after JIT code was replaced */
	*ret = pipa_profile_location_of_lines(p, &at, lines, n);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

/* Append the location of the group, whose lines are the text, to the chain. */
static int end_group(struct pipa_script_stacks *s, const struct group *group, const char *text,
		     size_t len)
{
	uint64_t hash = pipa_hash_bytes(text, len, PIPA_HASH_SEED);
	const struct pipa_script_text *known = find_text(&s->frames, hash, text, len);
	uint32_t *link = PIPA_VEC_ADD(&s->chain);
	int rc;

	if (!link)
		return -ENOMEM;
	if (known) {
		*link = known->number;
		return 0;
	}
	rc = add_location(s->profile, group, link);
	if (rc < 0)
		return rc;
	return index_text(&s->frames, hash,
			  (struct pipa_script_text){ text, (uint32_t)len, *link });
}

/* Parse the lines to the chain. The text is in the arena. */
static int parse_lines(struct pipa_script_stacks *s, const char *text, size_t len)
{
	const char *end = text + len, *line, *next, *start = text;
	struct group group;
	int rc = 0;

	group.n = 0;
	for (line = text; !rc && line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct pipa_parsed_frame *frame = &group.frames[group.n];

		next = newline ? newline + 1 : end;
		if (!pipa_script_frame_parse(line, (size_t)((newline ? newline : end) - line),
					     frame)) {
			s->profile->losses.damaged += line[0] == '\t';
			continue;
		}
		start = group.n == 0 ? line : start;
		group.n++;
		if (!frame->inlined || group.n == INLINED_MAX) {
			rc = end_group(s, &group, start, (size_t)(next - start));
			group.n = 0;
		}
	}
	if (!rc && group.n) /* inlined functions without an outer one: truncated */
		rc = end_group(s, &group, start, (size_t)(end - start));
	return rc;
}

static int add_stack(struct pipa_script_stacks *s, uint32_t *ret)
{
	size_t i;

	*ret = PIPA_NONE;
	for (i = s->chain.n; i > 0; i--) {
		*ret = pipa_profile_stack(s->profile, *ret, s->chain.items[i - 1]);
		if (*ret == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

int pipa_script_stacks_find(struct pipa_script_stacks *s, const char *text, size_t len,
			    uint32_t *ret)
{
	uint64_t hash = pipa_hash_bytes(text, len, PIPA_HASH_SEED);
	const struct pipa_script_text *known = find_text(&s->blocks, hash, text, len);
	struct pipa_script_text block = { .len = (uint32_t)len };
	int rc;

	if (known) {
		*ret = known->number;
		return 0;
	}
	block.text = pipa_arena_text(&s->arena, text, len);
	if (!block.text)
		return -ENOMEM;
	s->chain.n = 0;
	rc = parse_lines(s, block.text, len);
	if (!rc)
		rc = add_stack(s, &block.number);
	if (!rc)
		rc = index_text(&s->blocks, hash, block);
	*ret = block.number;
	return rc;
}
