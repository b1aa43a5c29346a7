#include "import/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/tree.h"
#include "base/vec.h"
#include "import/feed.h"
#include "model/profile.h"

/* A frame of the last line: where its name ends, and its node. */
struct frame {
	size_t end;
	uint32_t node;
};

struct pipa_folded {
	struct pipa_feed feed; /* first, so that it leads back here */
	struct pipa_profile *profile;
	uint32_t event, object;
	struct pipa_tree tree; /* of names; its nodes but for the root are the stacks */
	struct {
		uint32_t *items;
		size_t n, cap;
	} locations, samples; /* [string], [stack]; PIPA_NONE: none yet */
	struct {
		char *items;
		size_t n, cap;
	} last; /* the stack before */
	struct {
		struct frame *items;
		size_t n, cap;
	} frames; /* of it */
	int status;
};

bool pipa_folded_line(const char *line, size_t len, size_t *ret_stack, uint64_t *ret_count)
{
	uint64_t value = 0, unit = 1;
	size_t i;

	while (len && (line[len - 1] == '\r' || line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	for (i = len; i > 0 && line[i - 1] >= '0' && line[i - 1] <= '9'; i--) {
		if (len - i == 19) /* more digits than surely fit */
			return false;
		value += unit * (uint64_t)(line[i - 1] - '0');
		unit *= 10;
	}
	if (i == len || i < 2 || (line[i - 1] != ' ' && line[i - 1] != '\t'))
		return false;
	*ret_stack = i - 1;
	*ret_count = value;
	return true;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	return len >= 4 && memcmp(name + len - 4, end, 4) == 0;
}

/* A frame is its name: the number of the name is as good as an address. */
static uint32_t add_location(struct pipa_folded *f, uint32_t name)
{
	struct pipa_profile *p = f->profile;
	const struct pipa_string *text = &p->strings.items[name];
	struct pipa_function function = { .name = name, .object = f->object };
	struct pipa_location location = {
		.object = f->object,
		.offset = name,
		.mode = ends_with(text->text, text->len, "_[k]") ? PIPA_MODE_KERNEL :
								   PIPA_MODE_UNKNOWN,
	};
	uint32_t at = pipa_profile_location(p, &location), number;

	if (at == PIPA_NONE)
		return PIPA_NONE;
	number = pipa_profile_function(p, &function);
	if (number == PIPA_NONE || pipa_profile_name(p, at, number, 0) < 0)
		return PIPA_NONE;
	return at;
}

/* The place of a name, made when the name is met for the first time. */
static uint32_t location_of(struct pipa_folded *f, uint32_t name)
{
	while (f->locations.n <= name) {
		uint32_t *location = PIPA_VEC_ADD(&f->locations);

		if (!location)
			return PIPA_NONE;
		*location = PIPA_NONE;
	}
	if (f->locations.items[name] == PIPA_NONE)
		f->locations.items[name] = add_location(f, name);
	return f->locations.items[name];
}

/*
 * A stack is a node of the tree of names and has the number before the node's: the profile has no others.
 */
static uint32_t add_frame(struct pipa_folded *f, uint32_t parent, const char *name, size_t len)
{
	uint32_t string = pipa_strings_add(&f->profile->strings, name, len), node, location;
	size_t before = f->tree.n;

	if (string == PIPA_NO_STRING)
		return PIPA_TREE_NONE;
	node = pipa_tree_step(&f->tree, parent, string);
	if (node == PIPA_TREE_NONE || f->tree.n == before)
		return node;
	location = location_of(f, string);
	if (location == PIPA_NONE ||
	    pipa_profile_new_stack(f->profile, parent ? parent - 1 : PIPA_NONE, location) ==
		    PIPA_NONE)
		return PIPA_TREE_NONE;
	return node;
}

static int add_sample(struct pipa_folded *f, uint32_t stack, uint64_t weight)
{
	const struct pipa_sample sample = {
		.event = f->event, .thread = PIPA_NONE, .stack = stack, .cpu = PIPA_NONE
	};

	while (f->samples.n <= stack) {
		uint32_t *number = PIPA_VEC_ADD(&f->samples);

		if (!number)
			return -ENOMEM;
		*number = PIPA_NONE;
	}
	if (f->samples.items[stack] == PIPA_NONE)
		f->samples.items[stack] = pipa_profile_new_sample(f->profile, &sample);
	if (f->samples.items[stack] == PIPA_NONE)
		return -ENOMEM;
	if (pipa_profile_has_room(f->profile, f->event, weight))
		pipa_profile_weigh_each(f->profile, f->samples.items[stack], weight, weight);
	else
		f->profile->losses.damaged++;
	return 0;
}

/*
 * How many frames the stack begins with that the last one began with too: mostly lines are sorted. The
 * rest of the last one's are forgotten.
 */
static size_t common_frames(struct pipa_folded *f, const char *stack, size_t len)
{
	size_t least = len < f->last.n ? len : f->last.n, same = 0, n = 0;

	while (same < least && f->last.items[same] == stack[same])
		same++;
	/* a frame counts when its end is the same as well */
	while (n < f->frames.n && f->frames.items[n].end < same &&
	       stack[f->frames.items[n].end] == ';')
		n++;
	return f->frames.n = n;
}

static int keep_line(struct pipa_folded *f, const char *stack, size_t len)
{
	while (f->last.cap < len) {
		char *bigger = pipa_vec_grow(f->last.items, &f->last.cap, f->last.cap, 1);

		if (!bigger)
			return -ENOMEM;
		f->last.items = bigger;
	}
	if (len)
		memcpy(f->last.items, stack, len);
	f->last.n = len;
	return 0;
}

static int add_line(struct pipa_folded *f, const char *line, size_t len)
{
	const char *frame = line, *end;
	uint64_t weight;
	uint32_t node = 0;
	size_t same;

	if (len == 0 || line[0] == '#' || (len == 1 && line[0] == '\r'))
		return 0;
	if (!pipa_folded_line(line, len, &len, &weight)) {
		f->profile->losses.damaged++;
		return 0;
	}
	same = common_frames(f, line, len);
	if (same) {
		node = f->frames.items[same - 1].node;
		frame = line + f->frames.items[same - 1].end + 1;
	}
	for (end = line + len; frame <= end;) {
		const char *semicolon = memchr(frame, ';', (size_t)(end - frame));
		const char *stop = semicolon ? semicolon : end;
		struct frame *met = PIPA_VEC_ADD(&f->frames);

		node = met ? add_frame(f, node, frame, (size_t)(stop - frame)) : PIPA_TREE_NONE;
		if (node == PIPA_TREE_NONE)
			return -ENOMEM;
		*met = (struct frame){ (size_t)(stop - line), node };
		frame = stop + 1;
	}
	return keep_line(f, line, len) < 0 ? -ENOMEM : add_sample(f, node - 1, weight);
}

static size_t eat(struct pipa_feed *feed, const char *data, size_t len)
{
	struct pipa_folded *f = (struct pipa_folded *)feed;
	const char *line = data, *end = data + len, *newline;

	while (!f->status && line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		f->status = add_line(f, line, (size_t)(newline - line));
		line = newline + 1;
	}
	return (size_t)(line - data);
}

static void give_up(struct pipa_feed *feed)
{
	((struct pipa_folded *)feed)->profile->losses.damaged++;
}

struct pipa_folded *pipa_folded_new(struct pipa_profile *profile)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_folded *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->feed.eat = eat;
	f->feed.give_up = give_up;
	f->profile = profile;
	f->event = pipa_profile_event(profile, "");
	object.path = pipa_profile_text(profile, "");
	f->object = pipa_profile_object(profile, &object);
	if (pipa_tree_init(&f->tree, 0) < 0 || f->event == PIPA_NONE ||
	    object.path == PIPA_NO_STRING || f->object == PIPA_NONE) {
		pipa_folded_free(f);
		return NULL;
	}
	return f;
}

void pipa_folded_free(struct pipa_folded *f)
{
	if (!f)
		return;
	pipa_feed_done(&f->feed);
	pipa_tree_done(&f->tree);
	free(f->locations.items);
	free(f->samples.items);
	free(f->last.items);
	free(f->frames.items);
	free(f);
}

int pipa_folded_put(struct pipa_folded *f, const char *bytes, size_t len)
{
	int rc = f->status ? f->status : pipa_feed_put(&f->feed, bytes, len);

	return rc ? rc : f->status;
}

int pipa_folded_end(struct pipa_folded *f)
{
	int rc = f->status ? f->status : pipa_feed_end(&f->feed);

	return rc ? rc : f->status;
}
