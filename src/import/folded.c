#include "import/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_chunks.h"
#include "base/tree.h"
#include "base/vec.h"
#include "import/folded_scan.h"
#include "model/profile.h"

/*
 * Lines are processed in batches: names are interned first; if lines are not sorted, the frames of
 * all lines are then looked up in the tree together, which overlaps their cache misses; then each
 * line is added.
 */
enum { LINES = 16 };

enum { THOUSANDTHS = 1000, MILLIONTHS = 1000000 };

struct line {
	size_t first, n; /* index of its first frame in the batch, and their number */
	size_t same;	 /* number of outer frames equal to those of the previous line */
	uint64_t weight, count;
};

struct numbers {
	uint32_t *items;
	size_t n, cap;
};

struct pipa_folded {
	struct pipa_text_chunks feed; /* first: the callback casts it back */
	struct pipa_profile *profile;
	uint32_t event, object;
	bool weights;	       /* numbers are weights, not counts */
	uint32_t scale;	       /* factor of weights: 1, THOUSANDTHS or MILLIONTHS */
	struct pipa_tree tree; /* of names; its nodes except for the root are the stacks */
	struct numbers locations, samples; /* by string, by stack; PIPA_NONE: none yet */
	/* the batch: the line before it, which is in the tree, then up to LINES lines */
	struct line lines[1 + LINES];
	size_t n_lines;
	struct numbers names, nodes; /* of the frames */
	bool scattered;		     /* lines have frames that the previous line did not have */
	/* last line of the batch */
	const char *last; /* its stack: in the input, or in the copy */
	size_t last_len;
	struct {
		size_t *items;
		size_t n, cap;
	} ends; /* ends of its frames */
	struct {
		char *items;
		size_t cap;
	} kept;
	int status;
};

static bool ends_with(const char *name, size_t len, const char *end)
{
	return len >= 4 && memcmp(name + len - 4, end, 4) == 0;
}

/* Is it a function of Java that async-profiler marks as JIT-compiled, interpreted or compiled by C1? */
static bool is_java(const struct pipa_string *name)
{
	return ends_with(name->text, name->len, "_[j]") ||
	       ends_with(name->text, name->len, "_[0]") || ends_with(name->text, name->len, "_[1]");
}

/*
 * Return the thread that async-profiler writes as the outermost frame, "[tid=12]" or "[main tid=12]"; PIPA_NONE if the
 * frame is a function.
 */
static uint32_t find_thread(struct pipa_folded *f, uint32_t name)
{
	static const char key[] = "tid=";
	const struct pipa_string *frame = &f->profile->strings.items[name];
	const char *end = frame->text + frame->len - 1, *digit = end;
	struct pipa_thread thread = { .pid = PIPA_UNKNOWN32 };
	uint64_t tid = 0;
	size_t before;

	if (frame->len < 7 || frame->text[0] != '[' || *end != ']')
		return PIPA_NONE;
	while (digit[-1] >= '0' && digit[-1] <= '9')
		digit--;
	before = (size_t)(digit - frame->text);
	if (digit == end || end - digit > 10 || before < 1 + strlen(key) ||
	    memcmp(digit - strlen(key), key, strlen(key)) != 0)
		return PIPA_NONE;
	before -= 1 + strlen(key); /* the name and a space */
	if (before && frame->text[before] != ' ')
		return PIPA_NONE;
	for (; digit < end; digit++)
		tid = tid * 10 + (uint64_t)(*digit - '0');
	if (tid >= PIPA_UNKNOWN32)
		return PIPA_NONE;
	thread.tid = (uint32_t)tid;
	thread.comm = pipa_strings_add(&f->profile->strings, frame->text + 1,
				       before ? before - 1 : 0);
	return thread.comm == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_thread(f->profile, &thread);
}

/* Add a location for a name. A frame has only its name, so the string index is its address. */
static uint32_t add_location(struct pipa_folded *f, uint32_t name)
{
	struct pipa_profile *p = f->profile;
	const struct pipa_string *text = &p->strings.items[name];
	struct pipa_function function = { .name = name, .object = f->object };
	struct pipa_location location = {
		.object = f->object,
		.offset = name,
		.mode = ends_with(text->text, text->len, "_[k]") ? PIPA_MODE_KERNEL :
			is_java(text)				 ? PIPA_MODE_USER :
								   PIPA_MODE_UNKNOWN,
	};
	struct pipa_line line = { .function = pipa_profile_function(p, &function) };

	if (line.function == PIPA_NONE)
		return PIPA_NONE;
	return pipa_profile_location_of_lines(p, &location, &line, 1);
}

/* Extend a list up to an index with PIPA_NONE. 0 or -ENOMEM. */
static int extend_numbers(struct numbers *numbers, uint32_t last)
{
	while (numbers->cap <= last) {
		uint32_t *bigger = pipa_vec_grow(numbers->items, &numbers->cap, numbers->cap,
						 sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		numbers->items = bigger;
	}
	if (numbers->n <= last) {
		memset(numbers->items + numbers->n, 0xff,
		       (last + 1 - numbers->n) * sizeof(*numbers->items));
		numbers->n = (size_t)last + 1;
	}
	return 0;
}

/* Return the location of a name, added at its first occurrence; PIPA_NONE on allocation failure. */
static uint32_t location_of(struct pipa_folded *f, uint32_t name)
{
	if (name >= f->locations.n && extend_numbers(&f->locations, name) < 0)
		return PIPA_NONE;
	if (f->locations.items[name] == PIPA_NONE)
		f->locations.items[name] = add_location(f, name);
	return f->locations.items[name];
}

/*
 * Add a frame and return its stack. A stack is a node of the tree of names, and its index is that
 * of the node - 1, because the profile has no other stacks.
 */
static uint32_t add_frame(struct pipa_folded *f, uint32_t parent, uint32_t name, size_t *known)
{
	size_t before = f->tree.n;
	uint32_t node = pipa_tree_step(&f->tree, parent, name), location;

	if (node == PIPA_TREE_NONE || f->tree.n == before) {
		++*known;
		return node;
	}
	location = location_of(f, name);
	if (location == PIPA_NONE ||
	    pipa_profile_new_stack(f->profile, parent ? parent - 1 : PIPA_NONE, location) ==
		    PIPA_NONE)
		return PIPA_TREE_NONE;
	return node;
}

static int add_sample(struct pipa_folded *f, uint32_t stack, uint32_t outermost, uint64_t weight,
		      uint64_t count)
{
	struct pipa_sample sample = { .event = f->event, .stack = stack, .cpu = PIPA_NONE };

	if (stack >= f->samples.n && extend_numbers(&f->samples, stack) < 0)
		return -ENOMEM;
	if (f->samples.items[stack] == PIPA_NONE) {
		sample.thread = find_thread(f, outermost);
		f->samples.items[stack] = pipa_profile_new_sample(f->profile, &sample);
	}
	if (f->samples.items[stack] == PIPA_NONE)
		return -ENOMEM;
	if (pipa_profile_has_room(f->profile, f->event, weight))
		pipa_profile_add_weight_each(f->profile, f->samples.items[stack], weight, count);
	else
		f->profile->losses.damaged++;
	return 0;
}

/* ---- batch ----------------------------------------------------------------------------------- */

static void follow_lines(struct pipa_folded *f, size_t known[static 1 + LINES])
{
	struct pipa_tree_way ways[LINES];
	size_t i;

	for (i = 1; i < f->n_lines; i++)
		ways[i - 1] = (struct pipa_tree_way){ .keys = f->names.items + f->lines[i].first,
						      .nodes = f->nodes.items + f->lines[i].first,
						      .n = f->lines[i].n };
	pipa_tree_follow(&f->tree, ways, f->n_lines - 1);
	for (i = 1; i < f->n_lines; i++) {
		known[i] = ways[i - 1].known;
		if (known[i]) /* prefetch the depth of its stack */
			__builtin_prefetch(
				&f->profile->stacks.items[ways[i - 1].nodes[known[i] - 1] - 1]);
	}
}

/*
 * Add the stack of a line. *known: number of its frames known to be in the tree; on return the
 * number that was, without those of the previous line.
 */
static int add_stack(struct pipa_folded *f, size_t number, size_t *known)
{
	const struct line *line = &f->lines[number];
	const uint32_t *names = f->names.items + line->first;
	uint32_t *nodes = f->nodes.items + line->first;
	size_t i = line->same > *known ? line->same : *known;

	memcpy(nodes, f->nodes.items + line[-1].first, line->same * sizeof(*nodes));
	*known = i - line->same;
	for (; i < line->n; i++) {
		nodes[i] = add_frame(f, i ? nodes[i - 1] : 0, names[i], known);
		if (nodes[i] == PIPA_TREE_NONE)
			return -ENOMEM;
	}
	return add_sample(f, nodes[i - 1] - 1, names[0], line->weight, line->count);
}

/*
 * Add the stacks of all lines of the batch. The last line becomes the previous line of the next
 * batch.
 */
static int add_batch(struct pipa_folded *f)
{
	size_t known[1 + LINES] = { 0 }, sum = 0, i;
	struct line *last = &f->lines[f->n_lines - 1];
	int rc = 0;

	if (f->n_lines == 1)
		return 0;
	while (f->nodes.cap < f->names.n) {
		uint32_t *bigger = pipa_vec_grow(f->nodes.items, &f->nodes.cap, f->nodes.cap,
						 sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		f->nodes.items = bigger;
	}
	if (f->scattered)
		follow_lines(f, known);
	for (i = 1; !rc && i < f->n_lines; i++) {
		rc = add_stack(f, i, &known[i]);
		sum += known[i];
	}
	f->scattered = sum > f->n_lines;
	memmove(f->names.items, f->names.items + last->first, last->n * sizeof(*f->names.items));
	memmove(f->nodes.items, f->nodes.items + last->first, last->n * sizeof(*f->nodes.items));
	f->names.n = last->n;
	f->lines[0] = (struct line){ .n = last->n };
	f->n_lines = 1;
	return rc;
}

/* ---- line ------------------------------------------------------------------------------------ */

/*
 * Return the number of outer frames that a stack shares with the last one, because lines are
 * usually sorted, and drop the other frames of the last one.
 */
static size_t common_frames(struct pipa_folded *f, const char *stack, size_t len)
{
	size_t same = pipa_folded_common(f->last, stack, len < f->last_len ? len : f->last_len),
	       n = 0;

	/* a frame is shared only if it ends at the same position */
	while (n < f->ends.n && f->ends.items[n] < same && stack[f->ends.items[n]] == ';')
		n++;
	return f->ends.n = n;
}

/* Copy the last stack, because its input buffer will be overwritten. 0 or -ENOMEM. */
static int copy_last(struct pipa_folded *f)
{
	if (f->last == f->kept.items)
		return 0;
	while (f->kept.cap < f->last_len) {
		char *bigger = pipa_vec_grow(f->kept.items, &f->kept.cap, f->kept.cap, 1);

		if (!bigger)
			return -ENOMEM;
		f->kept.items = bigger;
	}
	memcpy(f->kept.items, f->last, f->last_len);
	f->last = f->kept.items;
	return 0;
}

static int add_name(struct pipa_folded *f, const char *stack, const struct pipa_folded_name *frame)
{
	uint32_t name = pipa_strings_add_hashed(&f->profile->strings, frame->text, frame->len,
						frame->hash);
	uint32_t *added = PIPA_VEC_ADD(&f->names);
	size_t *end = PIPA_VEC_ADD(&f->ends);

	if (name == PIPA_NO_STRING || !added || !end)
		return -ENOMEM;
	*added = name;
	*end = (size_t)(frame->text - stack) + frame->len;
	return 0;
}

/* Intern the names of a stack's frames after the shared ones. 0 or -ENOMEM. */
static int add_names(struct pipa_folded *f, struct line *line, const char *stack, size_t len)
{
	enum { AT_ONCE = 32 };
	struct pipa_folded_name names[AT_ONCE];
	const char *frame = stack + (line->same ? f->ends.items[line->same - 1] + 1 : 0);
	size_t i, n;
	int rc = 0;

	for (i = 0; !rc && i < line->same; i++) {
		uint32_t *name = PIPA_VEC_ADD(&f->names);

		rc = name ? 0 : -ENOMEM;
		if (name)
			*name = f->names.items[line[-1].first + i];
	}
	while (!rc && frame <= stack + len) {
		frame = pipa_folded_scan(&f->profile->strings, frame, stack + len, names, AT_ONCE,
					 &n);
		for (i = 0; !rc && i < n; i++)
			rc = add_name(f, stack, &names[i]);
	}
	line->n = f->names.n - line->first;
	return rc;
}

int pipa_folded_name_event(struct pipa_profile *profile, uint32_t event)
{
	struct pipa_profile_event *e = &profile->events.items[event];
	uint32_t name;

	if (e->scale != THOUSANDTHS && e->scale != MILLIONTHS)
		return 0;
	name = pipa_profile_text(profile, e->scale == MILLIONTHS ? "millionths" : "thousandths");
	if (name == PIPA_NO_STRING)
		return -ENOMEM;
	e->name = name;
	return 0;
}

/* Return the scale that keeps a count: of 500 and more, a thousandth is a millionth or less. */
static uint32_t scale_of(const struct pipa_folded_count *count)
{
	if (!count->millionths)
		return 1;
	return count->millionths % 1000 == 0 || count->whole >= 500 ? THOUSANDTHS : MILLIONTHS;
}

/* Scale all weights, also those of the batch. 0, -ENOMEM, or -ERANGE on overflow. */
static int begin_fractions(struct pipa_folded *f, uint32_t scale)
{
	int rc = add_batch(f);

	if (!rc)
		rc = pipa_profile_scale(f->profile, f->event, scale / f->scale);
	if (rc)
		return rc;
	f->scale = scale;
	return pipa_folded_name_event(f->profile, f->event);
}

/* Set the weight of a line. 0, -ENOMEM, or -ERANGE on overflow. */
static int set_weight(struct pipa_folded *f, const struct pipa_folded_count *count,
		      struct line *ret)
{
	uint32_t scale = scale_of(count), unit;
	int rc = scale > f->scale ? begin_fractions(f, scale) : 0;

	if (rc == -ERANGE && f->scale < THOUSANDTHS && scale > THOUSANDTHS)
		rc = begin_fractions(f, THOUSANDTHS);
	if (rc == -ENOMEM || (rc && f->scale == 1))
		return rc;
	unit = MILLIONTHS / f->scale;
	if (__builtin_mul_overflow(count->whole, (uint64_t)f->scale, &ret->weight) ||
	    __builtin_add_overflow(ret->weight, (count->millionths + unit / 2) / unit,
				   &ret->weight) ||
	    (!ret->weight && count->millionths))
		return -ERANGE;
	ret->count = count->whole + (count->millionths >= MILLIONTHS / 2);
	if (f->weights || (!ret->count && ret->weight))
		ret->count = 1;
	return 0;
}

static int add_line(struct pipa_folded *f, const char *text, size_t len)
{
	struct pipa_folded_count count;
	struct line added, *line;
	int rc;

	if (len == 0 || text[0] == '#' || (len == 1 && text[0] == '\r'))
		return 0;
	rc = pipa_folded_line(text, len, &len, &count) ? set_weight(f, &count, &added) : -ERANGE;
	if (rc == -ERANGE) {
		f->profile->losses.damaged++;
		return 0;
	}
	if (rc)
		return rc;
	line = &f->lines[f->n_lines];
	*line = added;
	line->first = f->names.n;
	line->same = common_frames(f, text, len);
	rc = add_names(f, line, text, len);
	f->last = text;
	f->last_len = len;
	f->n_lines++;
	return rc || f->n_lines <= LINES ? rc : add_batch(f);
}

static size_t read_line(struct pipa_text_chunks *feed, const char *data, size_t len)
{
	struct pipa_folded *f = (struct pipa_folded *)feed;
	const char *line = data, *end = data + len, *newline;

	while (!f->status && line < end && (newline = memchr(line, '\n', (size_t)(end - line)))) {
		f->status = add_line(f, line, (size_t)(newline - line));
		line = newline + 1;
	}
	if (!f->status)
		f->status = add_batch(f);
	if (!f->status)
		f->status = copy_last(f);
	return (size_t)(line - data);
}

static void give_up(struct pipa_text_chunks *feed)
{
	((struct pipa_folded *)feed)->profile->losses.damaged++;
}

struct pipa_folded *pipa_folded_new(struct pipa_profile *profile)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };
	struct pipa_folded *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->feed.eat = read_line;
	f->feed.give_up = give_up;
	f->profile = profile;
	f->n_lines = 1;
	f->scale = 1;
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
	pipa_text_chunks_done(&f->feed);
	pipa_tree_done(&f->tree);
	free(f->locations.items);
	free(f->samples.items);
	free(f->kept.items);
	free(f->names.items);
	free(f->nodes.items);
	free(f->ends.items);
	free(f);
}

int pipa_folded_expect(struct pipa_folded *f, uint64_t bytes)
{
	enum { BYTES_EACH = 8, MOST = 4 << 20 };
	size_t room = bytes / BYTES_EACH < MOST ? (size_t)bytes / BYTES_EACH : MOST;
	struct pipa_tree tree;

	if (f->tree.n > 1)
		return 0;
	if (pipa_tree_init(&tree, room) < 0)
		return -ENOMEM;
	pipa_tree_done(&f->tree);
	f->tree = tree;
	return pipa_profile_expect_stacks(f->profile, room);
}

void pipa_folded_take_weights(struct pipa_folded *f)
{
	f->weights = true;
	f->profile->events.items[f->event].counted = false;
}

int pipa_folded_put(struct pipa_folded *f, const char *bytes, size_t len)
{
	int rc = f->status ? f->status : pipa_text_chunks_put(&f->feed, bytes, len);

	return rc ? rc : f->status;
}

int pipa_folded_end(struct pipa_folded *f)
{
	int rc = f->status ? f->status : pipa_text_chunks_end(&f->feed);

	return rc ? rc : f->status;
}
