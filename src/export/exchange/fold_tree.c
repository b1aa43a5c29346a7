#include "export/exchange/fold_tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/pieces.h"
#include "base/vec.h"
#include "model/profile.h"

void pipa_fold_tree_done(struct pipa_fold_tree *t)
{
	pipa_strings_done(&t->names);
	free(t->items);
	pipa_index_done(&t->index);
}

uint32_t pipa_fold_tree_add(struct pipa_fold_tree *t, uint32_t parent, uint32_t name)
{
	uint64_t hash = pipa_hash_u64((uint64_t)parent << 32 | name, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&t->index, hash);
	struct pipa_fold_node *node;

	for (; slot->id; slot = pipa_index_after(&t->index, slot)) {
		node = &t->items[slot->id - 1];
		if (slot->hash == (uint32_t)hash && node->parent == parent && node->name == name)
			return slot->id - 1;
	}
	if (t->n >= PIPA_NONE / 2)
		return PIPA_NONE;
	node = PIPA_VEC_ADD(t);
	if (!node)
		return PIPA_NONE;
	*node = (struct pipa_fold_node){ .parent = parent, .name = name };
	if (pipa_index_add(&t->index, hash, (uint32_t)(t->n - 1)) < 0) {
		t->n--;
		return PIPA_NONE;
	}
	if (parent != PIPA_NONE)
		t->items[parent].inner = true;
	return (uint32_t)(t->n - 1);
}

/*
 * Sort entry of a node. A node has two: one for the stacks that end there ("f"), one for longer
 * stacks ("f;"). Other names can sort between them: "f", "f g", "f;h".
 */
struct entry {
	uint32_t node;
	bool inner;
};

/*
 * Return the first byte after the text of an entry. The end of a line sorts before any
 * continuation.
 */
static int sort_byte_at(const struct pipa_string *name, size_t at, bool inner)
{
	if (at < name->len)
		return (unsigned char)name->text[at];
	return inner ? ';' : -1;
}

static int compare(const void *a_, const void *b_, void *tree)
{
	const struct entry *a = a_, *b = b_;
	const struct pipa_fold_tree *t = tree;
	const struct pipa_fold_node *na = &t->items[a->node], *nb = &t->items[b->node];
	const struct pipa_string *sa = &t->names.items[na->name], *sb = &t->names.items[nb->name];
	size_t common = sa->len < sb->len ? sa->len : sb->len;
	int order;

	if (na->parent != nb->parent) /* PIPA_NONE, the root, comes first */
		return na->parent + 1 < nb->parent + 1 ? -1 : 1;
	order = memcmp(sa->text, sb->text, common);
	return order ? order :
		       sort_byte_at(sa, common, a->inner) - sort_byte_at(sb, common, b->inner);
}

struct walk {
	const struct pipa_fold_tree *tree;
	struct entry *entries; /* sorted by parent, then in output order */
	size_t n;
	size_t *first;	      /* [node] index of its first child entry */
	struct pipa_buf path; /* path of the current node, with a trailing semicolon */
	struct pipa_pieces lines;
};

static void line_walk_done(struct walk *w)
{
	free(w->entries);
	free(w->first);
	pipa_buf_done(&w->path);
	pipa_buf_done(&w->lines.buf);
}

static int sort_entries(struct walk *w)
{
	const struct pipa_fold_tree *t = w->tree;
	uint32_t i;

	w->entries = malloc((2 * t->n + 1) * sizeof(*w->entries));
	w->first = malloc((t->n + 1) * sizeof(*w->first));
	if (!w->entries || !w->first)
		return -ENOMEM;
	for (i = 0; i < t->n; i++) {
		if (t->items[i].ends)
			w->entries[w->n++] = (struct entry){ i, false };
		if (t->items[i].inner)
			w->entries[w->n++] = (struct entry){ i, true };
	}
	qsort_r(w->entries, w->n, sizeof(*w->entries), compare, (void *)t);
	for (i = (uint32_t)w->n; i > 0; i--) {
		uint32_t parent = t->items[w->entries[i - 1].node].parent;

		if (parent != PIPA_NONE)
			w->first[parent] = i - 1;
	}
	return 0;
}

/*
 * Write the fraction part / scale before `end`, such as ".5", without trailing zeros; nothing for 0.
 * Returns its start.
 */
static char *put_fraction(char *end, uint32_t part, uint32_t scale)
{
	if (!part)
		return end;
	for (; part % 10 == 0; scale /= 10)
		part /= 10;
	for (; scale > 1; scale /= 10, part /= 10)
		*--end = (char)('0' + part % 10);
	*--end = '.';
	return end;
}

void pipa_fold_tree_put_weight(const struct pipa_fold_tree *tree, uint64_t weight,
			       struct pipa_buf *out)
{
	char text[32], *digit = text + sizeof(text);

	if (tree->scale) {
		digit = put_fraction(digit, (uint32_t)(weight % tree->scale), tree->scale);
		weight /= tree->scale;
	}
	do {
		*--digit = (char)('0' + weight % 10);
		weight /= 10;
	} while (weight);
	pipa_buf_add(out, digit, (size_t)(text + sizeof(text) - digit));
}

static void add_line(struct walk *w, const struct pipa_fold_node *node,
		     const struct pipa_string *name)
{
	struct pipa_buf *out = &w->lines.buf;

	pipa_buf_add(out, w->path.data, w->path.len);
	pipa_buf_add(out, name->text, name->len);
	pipa_buf_putc(out, ' ');
	pipa_fold_tree_put_weight(w->tree, node->weight, out);
	pipa_buf_putc(out, '\n');
	pipa_pieces_flush(&w->lines);
}

/* Truncate the path to that of the parent. */
static void leave_node(struct walk *w, uint32_t node)
{
	w->path.len -= w->tree->names.items[w->tree->items[node].name].len + 1;
}

/*
 * Write all lines in order, iteratively. After entry `at` and its subtree comes the next entry of
 * the same parent, or of the nearest ancestor that has one. `back` holds the entry that led to each
 * node on the path.
 */
static int write_lines(struct walk *w)
{
	const struct pipa_fold_node *nodes = w->tree->items;
	const struct pipa_string *names = w->tree->names.items;
	/* reuses `first`: the first entry of a node is not read after the node was entered */
	size_t *back = w->first;
	uint32_t in = PIPA_NONE;
	size_t at = 0;

	while (!w->path.status && !w->lines.status) {
		const struct entry *e = at < w->n ? &w->entries[at] : NULL;
		const struct pipa_fold_node *node = e ? &nodes[e->node] : NULL;

		if (!node || node->parent != in) { /* the subtree of `in` is finished */
			if (in == PIPA_NONE)
				break;
			at = back[in] + 1;
			leave_node(w, in);
			in = nodes[in].parent;
			continue;
		}
		if (e->inner) {
			size_t first = w->first[e->node];

			pipa_buf_add(&w->path, names[node->name].text, names[node->name].len);
			pipa_buf_putc(&w->path, ';');
			in = e->node;
			back[in] = at;
			at = first;
		} else {
			add_line(w, node, &names[node->name]);
			at++;
		}
	}
	return w->path.status ? w->path.status : pipa_pieces_end(&w->lines);
}

int pipa_fold_tree_write(const struct pipa_fold_tree *tree,
			 int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	/* the length of a line is limited only by memory: a stack can have many long names */
	struct walk w = { .tree = tree,
			  .path.max = SIZE_MAX / 4,
			  .lines = { .buf.max = SIZE_MAX / 4, .put = put, .ctx = ctx } };
	int rc;

	if (!tree->items)
		return 0;
	rc = sort_entries(&w);
	if (!rc)
		rc = write_lines(&w);
	line_walk_done(&w);
	return rc;
}
