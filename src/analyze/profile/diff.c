/* The tables of a diff; their rows are filled by diff_rows.c and judged by diff_judge.c. */
#include "analyze/profile/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/diff_own.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

static const struct {
	const char *name, *alias;
} bys[PIPA_DIFF_BY_NR] = {
	[PIPA_DIFF_BY_SYMBOL] = { "symbol", "sym" },
	[PIPA_DIFF_BY_LIBRARY] = { "dso", "library" },
	[PIPA_DIFF_BY_LINE] = { "srcline", "line" },
	[PIPA_DIFF_BY_PATH] = { "stack", "path" },
};

enum pipa_diff_by pipa_diff_by_find(const char *name)
{
	enum pipa_diff_by by = 0;

	while (by < PIPA_DIFF_BY_NR && strcmp(bys[by].name, name) != 0 &&
	       strcmp(bys[by].alias, name) != 0)
		by++;
	return by;
}

const char *pipa_diff_by_name(enum pipa_diff_by by)
{
	return bys[by].name;
}

const char *pipa_diff_verdict_name(enum pipa_diff_verdict verdict)
{
	static const char *const names[PIPA_DIFF_VERDICT_NR] = {
		[PIPA_DIFF_UNKNOWN] = "unknown", [PIPA_DIFF_SAME] = "same",
		[PIPA_DIFF_MORE] = "more",	 [PIPA_DIFF_LESS] = "less",
		[PIPA_DIFF_NEW] = "new",	 [PIPA_DIFF_GONE] = "gone",
	};

	return names[verdict];
}

int pipa_diff_init(struct pipa_diff *d, const struct pipa_diff_options *options)
{
	*d = (struct pipa_diff){ .o = *options };
	d->n_runs = options->n_base + options->n_now;
	d->n_columns = options->n_base > 1 ? 1 : options->n_now;
	d->runs = calloc(d->n_runs, sizeof(*d->runs));
	d->all = calloc(d->n_columns, sizeof(*d->all));
	d->moved = calloc(d->n_columns, sizeof(*d->moved));
	if (!d->runs || !d->all || !d->moved || pipa_strings_add(&d->strings, "", 0) != 0)
		return -ENOMEM;
	return 0;
}

void pipa_diff_done(struct pipa_diff *d)
{
	free(d->runs);
	pipa_strings_done(&d->strings);
	free(d->functions.items);
	free(d->renames.items);
	free(d->frames.items);
	pipa_index_done(&d->frames.index);
	free(d->nodes.items);
	pipa_index_done(&d->nodes.index);
	free(d->rows.items);
	pipa_index_done(&d->rows.index);
	free(d->cells);
	free(d->sorted);
	free(d->base);
	free(d->changes);
	free(d->all);
	free(d->moved);
	*d = (struct pipa_diff){ 0 };
}

size_t pipa_diff_column_runs(const struct pipa_diff *d, size_t column, size_t *ret_n)
{
	*ret_n = d->o.n_base > 1 ? d->o.n_now : 1;
	return d->o.n_base + column;
}

int pipa_diff_path(const struct pipa_diff *d, uint32_t row, uint32_t **ret, size_t *ret_n)
{
	uint32_t i, *frames;
	size_t n = 0, at;

	for (i = d->rows.items[row].path; i != PIPA_NONE; i = d->nodes.items[i].parent)
		n++;
	frames = malloc(n * sizeof(*frames) + 1);
	if (!frames)
		return -ENOMEM;
	at = n;
	for (i = d->rows.items[row].path; i != PIPA_NONE; i = d->nodes.items[i].parent)
		frames[--at] = d->nodes.items[i].frame;
	*ret = frames;
	*ret_n = n;
	return 0;
}

static bool same_frame(const struct pipa_diff_frame *a, const struct pipa_diff_frame *b,
		       bool by_object)
{
	return (!by_object || a->object == b->object) && a->symbol == b->symbol &&
	       a->place == b->place && a->build == b->build && a->inlined == b->inlined;
}

uint32_t pipa_diff_frame(struct pipa_diff *d, const struct pipa_diff_frame *frame)
{
	/* an address, or a row that is not of a function, is known by its object */
	bool by_object = !d->o.match_symbol || !pipa_diff_text(d, frame->symbol)[0] ||
			 pipa_diff_text(d, frame->build)[0];
	uint64_t hash = pipa_hash_u64((uint64_t)(by_object ? frame->object : 0) << 32 |
					      frame->symbol,
				      (uint64_t)frame->place << 32 | frame->build);
	const struct pipa_index_slot *slot = pipa_index_start(&d->frames.index, hash);
	struct pipa_diff_frame *added;

	for (; slot->id; slot = pipa_index_after(&d->frames.index, slot))
		if (slot->hash == (uint32_t)hash &&
		    same_frame(&d->frames.items[slot->id - 1], frame, by_object))
			return slot->id - 1;
	added = PIPA_VEC_ADD(&d->frames);
	if (!added || pipa_index_add(&d->frames.index, hash, (uint32_t)d->frames.n - 1) < 0)
		return PIPA_NONE;
	*added = *frame;
	return (uint32_t)d->frames.n - 1;
}

uint32_t pipa_diff_node(struct pipa_diff *d, uint32_t parent, uint32_t frame)
{
	uint64_t hash = pipa_hash_u64((uint64_t)parent << 32 | frame, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&d->nodes.index, hash);
	struct pipa_diff_node *added;

	for (; slot->id; slot = pipa_index_after(&d->nodes.index, slot))
		if (d->nodes.items[slot->id - 1].parent == parent &&
		    d->nodes.items[slot->id - 1].frame == frame)
			return slot->id - 1;
	added = PIPA_VEC_ADD(&d->nodes);
	if (!added || pipa_index_add(&d->nodes.index, hash, (uint32_t)d->nodes.n - 1) < 0)
		return PIPA_NONE;
	*added = (struct pipa_diff_node){ parent, frame };
	return (uint32_t)d->nodes.n - 1;
}

/*
 * Return the index of a row, with memory for its weight in each run; PIPA_NONE on allocation
 * failure.
 */
static uint32_t find_row(struct pipa_diff *d, const struct pipa_diff_row *row)
{
	uint64_t hash = pipa_hash_u64((uint64_t)row->path << 32 | row->frame, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&d->rows.index, hash);
	struct pipa_diff_row *added;
	void *cells;

	for (; slot->id; slot = pipa_index_after(&d->rows.index, slot))
		if (d->rows.items[slot->id - 1].path == row->path &&
		    d->rows.items[slot->id - 1].frame == row->frame)
			return slot->id - 1;
	cells = pipa_vec_room(d->cells, &d->cells_cap, d->rows.n, d->n_runs * sizeof(*d->cells));
	if (!cells)
		return PIPA_NONE;
	d->cells = cells;
	added = PIPA_VEC_ADD(&d->rows);
	if (!added || pipa_index_add(&d->rows.index, hash, (uint32_t)d->rows.n - 1) < 0)
		return PIPA_NONE;
	*added = *row;
	return (uint32_t)d->rows.n - 1;
}

int pipa_diff_add_weight(struct pipa_diff *d, const struct pipa_diff_row *row, size_t run,
			 const struct pipa_weight *weight)
{
	uint32_t number = find_row(d, row);
	struct pipa_weight *cell;

	if (number == PIPA_NONE)
		return -ENOMEM;
	cell = &d->cells[number * d->n_runs + run];
	cell->weight += weight->weight;
	cell->count += weight->count;
	return 0;
}

int pipa_diff_scale(struct pipa_diff *d, uint32_t factor)
{
	size_t i;

	for (i = 0; i < d->n_runs; i++)
		if (d->runs[i].weight > UINT64_MAX / factor)
			return -ERANGE;
	for (i = 0; i < d->n_runs; i++)
		d->runs[i].weight *= factor;
	for (i = 0; i < d->rows.n * d->n_runs; i++)
		d->cells[i].weight *= factor;
	for (i = 0; i < d->functions.n; i++)
		d->functions.items[i].weight *= factor;
	return 0;
}
