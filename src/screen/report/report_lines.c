#include "screen/report/report_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

/* ---- what was open ----------------------------------------------------------------------------- */

void pipa_expanded_lines_done(struct pipa_expanded_lines *expanded)
{
	free(expanded->hashes);
	pipa_index_done(&expanded->index);
	*expanded = (struct pipa_expanded_lines){ 0 };
}

int pipa_expanded_lines_make(const struct pipa_report_lines *lines, struct pipa_expanded_lines *ret)
{
	size_t i;
	int rc = 0;

	*ret = (struct pipa_expanded_lines){ .hashes = malloc(lines->n * sizeof(*ret->hashes) +
							      1) };
	if (!ret->hashes)
		return -ENOMEM;
	for (i = 0; !rc && i < lines->n; i++)
		if (lines->items[i].open) {
			ret->hashes[ret->n] = lines->items[i].hash;
			rc = pipa_index_add(&ret->index, lines->items[i].hash, (uint32_t)ret->n++);
		}
	return rc;
}

static bool is_expanded(const struct pipa_expanded_lines *expanded, uint64_t hash)
{
	const struct pipa_index_slot *slot = pipa_index_start(&expanded->index, hash);

	for (; slot->id; slot = pipa_index_after(&expanded->index, slot))
		if (expanded->hashes[slot->id - 1] == hash)
			return true;
	return false;
}

/* ---- order ------------------------------------------------------------------------------------- */

struct sorting {
	const struct pipa_report_model *model;
	char **names; /* [row], if sorted by name */
};

static uint64_t amount(const struct pipa_report_model *m, uint32_t row)
{
	size_t at = row * m->top.n_events + m->event;

	switch (m->order) {
	case PIPA_ORDER_SELF: return m->top.self[at].weight;
	case PIPA_ORDER_SAMPLES: return m->top.self[at].count;
	default: return m->top.total[at].weight;
	}
}

/*
 * Compare rows: heaviest first, names in ascending order; equal rows keep the order of the table.
 */
static int by_order(const void *x, const void *y, void *ctx)
{
	const struct sorting *s = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	uint64_t one, other;
	int order;

	if (s->names) {
		order = strcmp(s->names[a], s->names[b]);
	} else {
		one = amount(s->model, a);
		other = amount(s->model, b);
		order = one > other ? -1 : one < other;
	}
	if (s->model->reverse)
		order = -order;
	return order ? order : a < b ? -1 : a > b;
}

static void row_text(const struct pipa_report_model *m, uint32_t row, char *out, size_t size)
{
	struct pipa_report_line line = { .row = row };
	struct pipa_report_model as = *m; /* a copy of the model with only this line */

	as.lines = (struct pipa_report_lines){ &line, 1, 1 };
	pipa_report_model_text(&as, 0, out, size);
}

static bool is_shown(const struct pipa_report_model *m, uint32_t row)
{
	size_t at = row * m->top.n_events + m->event;
	char text[1024];

	if ((double)m->top.total[at].weight * 100 < m->percent_limit * (double)m->whole)
		return false;
	if (!m->filter[0])
		return true;
	row_text(m, row, text, sizeof(text));
	return strcasestr(text, m->filter) != NULL;
}

/* Return the sort text of a row: numbers by value, symbols without the letter of the CPU mode. */
static char *name_of(const struct pipa_report_model *m, uint32_t row)
{
	char text[1024] = "", buf[64];
	size_t i, n = 0;

	for (i = 0; i < m->top.o.n_keys && n < sizeof(text); i++) {
		enum pipa_key key = m->top.o.keys[i];
		bool number = key == PIPA_KEY_PID || key == PIPA_KEY_TID || key == PIPA_KEY_CPU;

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%*s\t", number ? 12 : 0,
				      pipa_top_text(&m->top, &m->top.items[row], i, buf));
	}
	return strdup(text);
}

static char **make_names(const struct pipa_report_model *m)
{
	char **names = calloc(m->top.n + 1, sizeof(*names));
	size_t i;

	for (i = 0; names && i < m->n_shown; i++) {
		names[m->order_of[i]] = name_of(m, m->order_of[i]);
		if (!names[m->order_of[i]])
			break;
	}
	return names;
}

static void free_names(const struct pipa_report_model *m, char **names)
{
	size_t i;

	for (i = 0; names && i < m->top.n; i++)
		free(names[i]);
	free(names);
}

int pipa_report_lines_order(struct pipa_report_model *m)
{
	struct sorting sorting = { .model = m };
	uint32_t i;
	int rc = 0;

	m->n_shown = 0;
	for (i = 0; i < m->top.n; i++)
		if (is_shown(m, i))
			m->order_of[m->n_shown++] = i;
	if (m->order == PIPA_ORDER_NAME) {
		sorting.names = make_names(m);
		if (!sorting.names || (m->n_shown && !sorting.names[m->order_of[m->n_shown - 1]]))
			rc = -ENOMEM;
	}
	if (!rc)
		qsort_r(m->order_of, m->n_shown, sizeof(*m->order_of), by_order, &sorting);
	free_names(m, sorting.names);
	return rc;
}

/* ---- lines ------------------------------------------------------------------------------------- */

/* Return the tree of a row, made on first use; NULL on allocation failure. */
static struct pipa_lazy_calltree *tree_of(struct pipa_report_model *m, uint32_t row)
{
	struct pipa_lazy_calltree_of of = { .event = m->event,
					    .callees = m->callees,
					    .row = &m->top.items[row] };
	struct pipa_lazy_calltree *tree = &m->trees[row];

	return tree->items || pipa_lazy_calltree_make(&m->top, &of, tree) == 0 ? tree : NULL;
}

struct making {
	struct pipa_report_model *model;
	const struct pipa_expanded_lines *expanded;
	struct pipa_report_lines lines;
	uint64_t all; /* hash of the line whose whole subtree is expanded */
	bool has_all;
	size_t under; /* index of that line while its subtree is listed; SIZE_MAX otherwise */
};

static bool is_open(struct making *m, uint64_t hash)
{
	if (m->has_all && hash == m->all)
		m->under = m->lines.n;
	return m->under != SIZE_MAX || is_expanded(m->expanded, hash);
}

static int add_line(struct making *m, const struct pipa_report_line *line)
{
	struct pipa_report_line *added = PIPA_VEC_ADD(&m->lines);

	if (!added)
		return -ENOMEM;
	*added = *line;
	return 0;
}

/* Add the line of a tree node below line `up`. 1: it is expanded, 0: it is not, or -ENOMEM. */
static int add_node_line(struct making *m, struct pipa_lazy_calltree *tree, uint32_t node,
			 size_t up, bool enough)
{
	const struct pipa_report_line *above = &m->lines.items[up];
	struct pipa_report_line line = {
		above->row, node, (uint32_t)up, above->depth + 1, 0, false
	};
	int rc;

	line.hash = pipa_hash_u64(tree->items[node].name, above->hash);
	line.open = tree->items[node].n_steps && is_open(m, line.hash);
	m->model->cut |= line.open && enough;
	line.open &= !enough;
	rc = add_line(m, &line);
	if (!rc && line.open)
		rc = pipa_lazy_calltree_expand(tree, node);
	return rc ? rc : line.open;
}

/*
 * Add the lines below line `at`, which is expanded. Follows the links of the tree, without
 * recursion.
 */
static int add_subtree_lines(struct making *m, size_t at)
{
	struct pipa_lazy_calltree *tree = tree_of(m->model, m->lines.items[at].row);
	size_t up = at;
	uint32_t node;
	int rc;

	if (!tree || pipa_lazy_calltree_expand(tree, 0) < 0)
		return -ENOMEM;
	node = tree->items[0].child;
	while (node != PIPA_NONE || up != at) {
		if (node == PIPA_NONE) { /* continue with the sibling of the parent */
			m->under = m->under == up ? SIZE_MAX : m->under;
			node = tree->items[m->lines.items[up].node].next;
			up = m->lines.items[up].parent;
			continue;
		}
		rc = add_node_line(m, tree, node, up, m->lines.n - at > PIPA_LINES_MAX);
		if (rc < 0)
			return rc;
		up = rc ? m->lines.n - 1 : up;
		node = rc ? tree->items[node].child : tree->items[node].next;
	}
	m->lines.items[at].open = m->lines.n > at + 1;
	return 0;
}

static int add_row_line(struct making *m, uint32_t row)
{
	const struct pipa_top *top = &m->model->top;
	struct pipa_report_line line = { .row = row, .parent = PIPA_NONE };
	size_t at = m->lines.n;
	int rc;

	line.hash = pipa_hash_bytes(top->items[row].key, top->o.n_keys * sizeof(uint32_t),
				    PIPA_HASH_SEED);
	line.open = is_open(m, line.hash);
	rc = add_line(m, &line);
	if (!rc && line.open)
		rc = add_subtree_lines(m, at);
	m->under = SIZE_MAX;
	return rc;
}

int pipa_report_lines_make(struct pipa_report_model *model,
			   const struct pipa_expanded_lines *expanded, size_t all)
{
	struct making m = { .model = model, .expanded = expanded, .under = SIZE_MAX };
	size_t i;
	int rc = 0;

	if (all < model->lines.n) {
		m.has_all = true;
		m.all = model->lines.items[all].hash;
	}
	model->cut = false;
	for (i = 0; !rc && i < model->n_shown; i++)
		rc = add_row_line(&m, model->order_of[i]);
	if (rc < 0) {
		free(m.lines.items);
		return rc;
	}
	free(model->lines.items);
	model->lines = m.lines;
	model->made++;
	return 0;
}

/* Rebuild the lines with the current set of expanded ones. */
static int rebuild_lines(struct pipa_report_model *m, size_t all)
{
	struct pipa_expanded_lines expanded;
	int rc = pipa_expanded_lines_make(&m->lines, &expanded);

	if (!rc)
		rc = pipa_report_lines_make(m, &expanded, all);
	pipa_expanded_lines_done(&expanded);
	return rc;
}

int pipa_report_model_relist(struct pipa_report_model *m)
{
	int rc = pipa_report_lines_order(m);

	return rc ? rc : rebuild_lines(m, PIPA_NONE);
}

bool pipa_report_model_has_more(const struct pipa_report_model *m, size_t line)
{
	const struct pipa_report_line *l = &m->lines.items[line];

	if (m->trees[l->row].items)
		return m->trees[l->row].items[l->node].n_steps > 0;
	return m->has_callers;
}

int pipa_report_model_open(struct pipa_report_model *m, size_t line, bool all)
{
	if (line >= m->lines.n || !pipa_report_model_has_more(m, line))
		return 0;
	m->lines.items[line].open = true;
	return rebuild_lines(m, all ? line : PIPA_NONE);
}

int pipa_report_model_close(struct pipa_report_model *m, size_t line)
{
	if (line >= m->lines.n)
		return 0;
	m->lines.items[line].open = false;
	return rebuild_lines(m, PIPA_NONE);
}

int pipa_report_model_close_all(struct pipa_report_model *m)
{
	size_t i;

	for (i = 0; i < m->lines.n; i++)
		m->lines.items[i].open = false;
	return rebuild_lines(m, PIPA_NONE);
}

size_t pipa_report_model_find(const struct pipa_report_model *m, uint64_t hash, size_t or_else)
{
	size_t i;

	for (i = 0; i < m->lines.n; i++)
		if (m->lines.items[i].hash == hash)
			return i;
	return or_else;
}
