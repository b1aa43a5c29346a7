#include "export/exchange/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/vec.h"
#include "base/visible.h"
#include "export/exchange/fold_tree.h"
#include "model/profile.h"

/* Range of interned frame names of a location: n ids starting at `first`. */
struct names {
	uint32_t first, n;
	bool known;
};

/* First frame of a line: command, with PID and TID if requested. */
struct label {
	uint32_t node; /* PIPA_NONE: command unknown */
	bool java;
	uint32_t sample; /* last sample of the label; earlier ones are linked by folder.before */
};

struct fold_state {
	const struct pipa_profile *p;
	const struct pipa_folded_format *format;
	struct pipa_fold_tree tree;
	struct pipa_buf text;
	struct names *names; /* [location], twice: for threads of java after those for others */
	struct {
		uint32_t *items;
		size_t n, cap;
	} name_list;
	struct {
		struct label *items;
		size_t n, cap;
	} labels;
	/* [thread], and one for samples without a thread; PIPA_NONE: not resolved yet */
	uint32_t *label_of;
	uint32_t *before; /* [sample] previous sample of the same label, or PIPA_NONE */
	struct {
		uint32_t label, node;
	} * seen; /* [stack] node below the label that visited it last */
	struct {
		uint32_t *items;
		size_t n, cap;
	} path; /* stacks between a new stack and its nearest visited ancestor */
};

static void fold_state_done(struct fold_state *f)
{
	pipa_fold_tree_done(&f->tree);
	pipa_buf_done(&f->text);
	free(f->names);
	free(f->name_list.items);
	free(f->labels.items);
	free(f->label_of);
	free(f->before);
	free(f->seen);
	free(f->path.items);
}

static void put_id(struct pipa_buf *out, char before, uint32_t id)
{
	pipa_buf_putc(out, before);
	if (id == PIPA_UNKNOWN32)
		pipa_buf_putc(out, '?');
	else
		pipa_buf_printf(out, "%u", id);
}

/*
 * Make the node of a label and find out if the command is java. The node is PIPA_NONE if the
 * command is unknown. 0 or -ENOMEM.
 */
static int name_label(struct fold_state *f, uint32_t number, struct label *ret)
{
	const struct pipa_thread *thread;
	const char *c;
	uint32_t name;

	*ret = (struct label){ .node = PIPA_NONE, .sample = PIPA_NONE };
	if (number >= f->p->threads.n || f->format->has_labels)
		return 0;
	thread = &f->p->threads.items[number];
	pipa_buf_reset(&f->text);
	for (c = pipa_profile_string(f->p, thread->comm); *c; c++)
		pipa_buf_putc(&f->text, *c == ' ' || *c == '\n' ? '_' : *c == ';' ? ':' : *c);
	if (f->format->pid || f->format->tid)
		put_id(&f->text, '-', thread->pid);
	if (f->format->tid)
		put_id(&f->text, '/', thread->tid);
	pipa_visible_since(&f->text, 0);
	name = pipa_strings_add(&f->tree.names, pipa_buf_str(&f->text), f->text.len);
	if (f->text.status || name == PIPA_NO_STRING)
		return -ENOMEM;
	ret->java = strcmp(pipa_buf_str(&f->text), "java") == 0;
	ret->node = pipa_fold_tree_add(&f->tree, PIPA_NONE, name);
	return ret->node == PIPA_NONE ? -ENOMEM : 0;
}

/*
 * Return the label of a thread; threads with the same name share one. PIPA_NONE on allocation
 * failure.
 */
static uint32_t find_label(struct fold_state *f, uint32_t thread)
{
	uint32_t *known = &f->label_of[thread < f->p->threads.n ? thread : f->p->threads.n], i;
	struct label label, *added;

	if (*known != PIPA_NONE)
		return *known;
	if (name_label(f, thread, &label) < 0)
		return PIPA_NONE;
	for (i = 0; i < f->labels.n; i++)
		if (f->labels.items[i].node == label.node)
			return *known = i;
	added = PIPA_VEC_ADD(&f->labels);
	if (!added)
		return PIPA_NONE;
	*added = label;
	return *known = (uint32_t)f->labels.n - 1;
}

/* Split "a;b;" at the semicolons and intern each name. */
static int add_names(struct fold_state *f, struct names *names)
{
	const char *start = pipa_buf_str(&f->text), *semicolon;

	names->first = (uint32_t)f->name_list.n;
	for (; (semicolon = strchr(start, ';')); start = semicolon + 1) {
		uint32_t name = pipa_strings_add(&f->tree.names, start,
						 (size_t)(semicolon - start));
		uint32_t *item = PIPA_VEC_ADD(&f->name_list);

		if (name == PIPA_NO_STRING || !item)
			return -ENOMEM;
		*item = name;
		names->n++;
	}
	names->known = true;
	return f->text.status;
}

/* Return the names of a location, made on first use; NULL on allocation failure. */
static const struct names *find_names(struct fold_state *f, uint32_t location, bool java)
{
	struct names *names = &f->names[location + (java ? f->p->locations.n : 0)];
	struct pipa_fold_format format = f->format->names;

	if (names->known)
		return names;
	format.java = java;
	pipa_buf_reset(&f->text);
	pipa_fold_name(f->p, &f->p->locations.items[location], &format, &f->text);
	pipa_visible_since(&f->text, 0);
	return add_names(f, names) < 0 ? NULL : names;
}

/* Add the frames of a stack's innermost location below its caller's node. */
static int add_location_frames(struct fold_state *f, uint32_t label, uint32_t stack, uint32_t *node)
{
	const struct names *names = find_names(f, f->p->stacks.items[stack].location,
					       f->labels.items[label].java);
	uint32_t i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < names->n; i++) {
		*node = pipa_fold_tree_add(&f->tree, *node, f->name_list.items[names->first + i]);
		if (*node == PIPA_NONE)
			return -ENOMEM;
	}
	f->seen[stack].label = label;
	f->seen[stack].node = *node;
	return 0;
}

/* Find the node of a stack below its label. */
static int find_node(struct fold_state *f, uint32_t label, uint32_t stack, uint32_t *ret)
{
	int rc = 0;

	f->path.n = 0;
	while (stack != PIPA_NONE && f->seen[stack].label != label) {
		uint32_t *step = PIPA_VEC_ADD(&f->path);

		if (!step)
			return -ENOMEM;
		*step = stack;
		stack = f->p->stacks.items[stack].parent;
	}
	*ret = stack == PIPA_NONE ? f->labels.items[label].node : f->seen[stack].node;
	while (!rc && f->path.n)
		rc = add_location_frames(f, label, f->path.items[--f->path.n], ret);
	return rc;
}

static bool is_wanted(const struct fold_state *f, const struct pipa_sample *sample)
{
	if (f->format->event == PIPA_NONE || sample->event == f->format->event)
		return true;
	return sample->event >= f->p->events.n || f->p->events.items[sample->event].name == 0;
}

/* Group samples by label, so that one array of visited stacks serves all labels. */
static int sort_samples(struct fold_state *f)
{
	uint32_t i, label;

	for (i = 0; i < f->p->samples.n; i++) {
		const struct pipa_sample *sample = &f->p->samples.items[i];

		if (!is_wanted(f, sample))
			continue;
		label = find_label(f, sample->thread);
		if (label == PIPA_NONE || !f->labels.items)
			return -ENOMEM;
		f->before[i] = f->labels.items[label].sample;
		f->labels.items[label].sample = i;
	}
	return 0;
}

static int add_label(struct fold_state *f, uint32_t label)
{
	uint32_t i, node;
	int rc = 0;

	for (i = f->labels.items[label].sample; !rc && i != PIPA_NONE; i = f->before[i]) {
		rc = find_node(f, label, f->p->samples.items[i].stack, &node);
		if (rc || node == PIPA_NONE) /* neither a command nor a stack: nothing to write */
			continue;
		f->tree.items[node].weight += f->p->samples.items[i].weight;
		f->tree.items[node].ends = true;
	}
	return rc;
}

static int allocate_tables(struct fold_state *f)
{
	const struct pipa_profile *p = f->p;

	f->names = calloc(2 * p->locations.n + 1, sizeof(*f->names));
	f->label_of = malloc((p->threads.n + 1) * sizeof(*f->label_of));
	f->before = malloc(p->samples.n * sizeof(*f->before) + 1);
	f->seen = malloc(p->stacks.n * sizeof(*f->seen) + 1);
	if (!f->names || !f->label_of || !f->before || !f->seen)
		return -ENOMEM;
	memset(f->label_of, 0xff, (p->threads.n + 1) * sizeof(*f->label_of));
	memset(f->seen, 0xff, p->stacks.n * sizeof(*f->seen));
	return 0;
}

int pipa_folded_make(const struct pipa_profile *profile, const struct pipa_folded_format *format,
		     struct pipa_fold_tree *ret)
{
	struct fold_state f = { .p = profile, .format = format };
	int rc = allocate_tables(&f);
	uint32_t i;

	for (i = 0; i < profile->events.n; i++) /* folded stacks have one unnamed event */
		if (profile->events.items[i].scale)
			f.tree.scale = profile->events.items[i].scale;
	if (!rc)
		rc = sort_samples(&f);
	for (i = 0; !rc && i < f.labels.n; i++)
		rc = add_label(&f, i);
	if (!rc) {
		*ret = f.tree;
		f.tree = (struct pipa_fold_tree){ 0 };
	}
	fold_state_done(&f);
	return rc;
}

int pipa_folded_write(const struct pipa_profile *profile, const struct pipa_folded_format *format,
		      int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct pipa_fold_tree tree = { 0 };
	int rc = pipa_folded_make(profile, format, &tree);

	if (!rc)
		rc = pipa_fold_tree_write(&tree, put, ctx);
	pipa_fold_tree_done(&tree);
	return rc;
}
