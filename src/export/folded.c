#include "export/folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/vec.h"
#include "export/fold_tree.h"
#include "model/profile.h"

/* The names a location gives: n numbers from `first` on. */
struct names {
	uint32_t first, n;
	bool known;
};

/* A stack of the profile below a label, and the node it led to. */
struct seen {
	uint32_t label, stack, node;
};

struct folder {
	const struct pipa_profile *p;
	const struct pipa_folded_look *look;
	struct pipa_fold_tree tree;
	struct pipa_buf text;
	struct names *names; /* of each location, for java behind those for others */
	struct {
		uint32_t *items;
		size_t n, cap;
	} name_list;
	struct {
		struct seen *items;
		size_t n, cap;
		struct pipa_index index;
	} seen;
	struct {
		uint32_t *items;
		size_t n, cap;
	} path; /* the stacks on the way to one that was seen */
};

static void folder_done(struct folder *f)
{
	pipa_fold_tree_done(&f->tree);
	pipa_buf_done(&f->text);
	free(f->names);
	free(f->name_list.items);
	free(f->seen.items);
	pipa_index_done(&f->seen.index);
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

/* The first frame: who ran it. PIPA_NONE when that is not known; 0 or -ENOMEM. */
static int find_label(struct folder *f, uint32_t number, uint32_t *ret, bool *ret_java)
{
	const struct pipa_thread *thread;
	const char *c;
	uint32_t name;

	*ret = PIPA_NONE;
	*ret_java = false;
	if (number >= f->p->threads.n)
		return 0;
	thread = &f->p->threads.items[number];
	pipa_buf_reset(&f->text);
	for (c = pipa_profile_string(f->p, thread->comm); *c; c++)
		pipa_buf_putc(&f->text, *c == ' ' || *c == '\n' ? '_' : *c == ';' ? ':' : *c);
	if (f->look->pid || f->look->tid)
		put_id(&f->text, '-', thread->pid);
	if (f->look->tid)
		put_id(&f->text, '/', thread->tid);
	name = pipa_strings_add(&f->tree.names, pipa_buf_str(&f->text), f->text.len);
	if (f->text.status || name == PIPA_NO_STRING)
		return -ENOMEM;
	*ret_java = strcmp(pipa_buf_str(&f->text), "java") == 0;
	*ret = pipa_fold_tree_add(&f->tree, PIPA_NONE, name);
	return *ret == PIPA_NONE ? -ENOMEM : 0;
}

/* Cut "a;b;" into names. */
static int add_names(struct folder *f, struct names *names)
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

/* The names of a location, NULL without memory. */
static const struct names *find_names(struct folder *f, uint32_t location, bool java)
{
	struct names *names = &f->names[location + (java ? f->p->locations.n : 0)];
	struct pipa_fold_look look = f->look->names;

	if (names->known)
		return names;
	look.java = java;
	pipa_buf_reset(&f->text);
	pipa_fold_name(f->p, &f->p->locations.items[location], &look, &f->text);
	return add_names(f, names) < 0 ? NULL : names;
}

static uint64_t seen_hash(uint32_t label, uint32_t stack)
{
	return pipa_hash_u64((uint64_t)label << 32 | stack, PIPA_HASH_SEED);
}

static const struct seen *find_seen(const struct folder *f, uint32_t label, uint32_t stack)
{
	uint64_t hash = seen_hash(label, stack);
	const struct pipa_index_slot *slot = pipa_index_start(&f->seen.index, hash);

	for (; f->seen.items && slot->id; slot = pipa_index_after(&f->seen.index, slot)) {
		const struct seen *seen = &f->seen.items[slot->id - 1];

		if (slot->hash == (uint32_t)hash && seen->label == label && seen->stack == stack)
			return seen;
	}
	return NULL;
}

static int remember(struct folder *f, uint32_t label, uint32_t stack, uint32_t node)
{
	struct seen *seen = f->seen.n < PIPA_NONE - 1 ? PIPA_VEC_ADD(&f->seen) : NULL;

	if (!seen)
		return -ENOMEM;
	*seen = (struct seen){ label, stack, node };
	return pipa_index_add(&f->seen.index, seen_hash(label, stack), (uint32_t)f->seen.n - 1);
}

/* One frame further in. */
static int descend(struct folder *f, uint32_t label, bool java, uint32_t stack, uint32_t *node)
{
	const struct names *names = find_names(f, f->p->stacks.items[stack].location, java);
	uint32_t i;

	if (!names)
		return -ENOMEM;
	for (i = 0; i < names->n; i++) {
		*node = pipa_fold_tree_add(&f->tree, *node, f->name_list.items[names->first + i]);
		if (*node == PIPA_NONE)
			return -ENOMEM;
	}
	return remember(f, label, stack, *node);
}

/* The node of a stack below its label. */
static int find_node(struct folder *f, uint32_t label, bool java, uint32_t stack, uint32_t *ret)
{
	const struct seen *seen = NULL;
	int rc = 0;

	f->path.n = 0;
	while (stack != PIPA_NONE && !(seen = find_seen(f, label, stack))) {
		uint32_t *step = PIPA_VEC_ADD(&f->path);

		if (!step)
			return -ENOMEM;
		*step = stack;
		stack = f->p->stacks.items[stack].parent;
	}
	*ret = seen ? seen->node : label;
	while (!rc && f->path.n)
		rc = descend(f, label, java, f->path.items[--f->path.n], ret);
	return rc;
}

static bool is_wanted(const struct folder *f, const struct pipa_sample *sample)
{
	if (f->look->event == PIPA_NONE || sample->event == f->look->event)
		return true;
	return sample->event >= f->p->events.n || f->p->events.items[sample->event].name == 0;
}

static int add_sample(struct folder *f, const struct pipa_sample *sample)
{
	uint32_t label, node = PIPA_NONE;
	bool java;
	int rc = find_label(f, sample->thread, &label, &java);

	if (!rc)
		rc = find_node(f, label, java, sample->stack, &node);
	if (rc || node == PIPA_NONE) /* of nobody, and nowhere: there is nothing to show */
		return rc;
	f->tree.items[node].weight += sample->weight;
	f->tree.items[node].ends = true;
	return 0;
}

int pipa_folded_write(const struct pipa_profile *profile, const struct pipa_folded_look *look,
		      int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct folder f = { .p = profile, .look = look };
	size_t i;
	int rc = 0;

	f.names = calloc(2 * profile->locations.n + 1, sizeof(*f.names));
	if (!f.names)
		return -ENOMEM;
	for (i = 0; !rc && i < profile->samples.n; i++)
		if (is_wanted(&f, &profile->samples.items[i]))
			rc = add_sample(&f, &profile->samples.items[i]);
	if (!rc)
		rc = pipa_fold_tree_write(&f.tree, put, ctx);
	folder_done(&f);
	return rc;
}
