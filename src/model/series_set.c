#include "model/series_set.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

enum { FIRST_STAGED = 8 };

static const size_t default_max_bytes = (size_t)1 << 30;

static void free_row(struct pipa_series_row *row, size_t columns)
{
	size_t i;

	for (i = 0; row->columns && i < columns; i++)
		free(row->columns[i].items);
	free(row->columns);
	free(row->staged);
}

void pipa_series_set_done(struct pipa_series_set *set)
{
	size_t i, k;

	for (i = 0; i < set->sources.n; i++)
		free(set->sources.items[i].name);
	for (i = 0; i < set->axes.n; i++) {
		free(set->axes.items[i].wall_ns);
		free(set->axes.items[i].interval_s);
	}
	for (i = 0; i < set->groups.n; i++) {
		struct pipa_series_group *group = &set->groups.items[i];

		for (k = 0; k < group->n; k++)
			free_row(&group->items[k], group->section->n_columns);
		free(group->items);
		pipa_index_done(&group->index);
	}
	free(set->sources.items);
	free(set->axes.items);
	free(set->groups.items);
	free(set->restarts.items);
	pipa_arena_done(&set->arena);
	*set = (struct pipa_series_set){ 0 };
}

size_t pipa_series_set_bytes(const struct pipa_series_set *set)
{
	return set->bytes + set->arena.bytes;
}

/* Account for memory outside of the arena; -EFBIG beyond the limit. */
static int account_bytes(struct pipa_series_set *set, size_t bytes)
{
	set->bytes += bytes;
	return pipa_series_set_bytes(set) > (set->max_bytes ? set->max_bytes : default_max_bytes) ?
		       -EFBIG :
		       0;
}

ptrdiff_t pipa_series_set_add_source(struct pipa_series_set *set, const char *name,
				     enum pipa_series_clock clock)
{
	char *copy = strdup(name);
	struct pipa_series_source *source = copy ? PIPA_VEC_ADD(&set->sources) : NULL;

	if (!source) {
		free(copy);
		return -ENOMEM;
	}
	*source = (struct pipa_series_source){ copy, clock };
	return (ptrdiff_t)set->sources.n - 1;
}

/* ---- axes ----------------------------------------------------------------------------------- */

static int append_tick(struct pipa_series_set *set, size_t axis_index, uint64_t wall_ns,
		       double interval_s)
{
	struct pipa_series_axis *axis = &set->axes.items[axis_index];

	if (axis->n == axis->cap) {
		size_t cap = axis->cap ? 2 * axis->cap : 64;
		uint64_t *wall = realloc(axis->wall_ns, cap * sizeof(*wall));
		float *intervals;
		int rc;

		if (!wall)
			return -ENOMEM;
		axis->wall_ns = wall;
		intervals = realloc(axis->interval_s, cap * sizeof(*intervals));
		if (!intervals)
			return -ENOMEM;
		axis->interval_s = intervals;
		rc = account_bytes(set, (cap - axis->cap) * (sizeof(*wall) + sizeof(*intervals)));
		axis->cap = cap;
		if (rc < 0)
			return rc;
	}
	axis->wall_ns[axis->n] = wall_ns;
	axis->interval_s[axis->n++] = interval_s > 0 && interval_s < 1e9 ? (float)interval_s : 0;
	return 0;
}

/* Give the group an axis of its own with the intervals that it has so far; unchanged on failure. */
static int split_axis(struct pipa_series_set *set, struct pipa_series_group *group)
{
	struct pipa_series_axis *added = PIPA_VEC_ADD(&set->axes);
	size_t i, from = group->axis, to = set->axes.n - 1;
	int rc = added ? 0 : -ENOMEM;

	for (i = 0; !rc && i < group->n_ticks; i++)
		rc = append_tick(set, to, set->axes.items[from].wall_ns[i],
				 (double)set->axes.items[from].interval_s[i]);
	if (!rc) {
		group->axis = to;
	} else if (added) {
		free(set->axes.items[to].wall_ns);
		free(set->axes.items[to].interval_s);
		set->axes.n--;
	}
	return rc;
}

/* Move the group to a later interval: the next one of its axis, or a new one. */
static int advance_group(struct pipa_series_set *set, struct pipa_series_group *group,
			 const struct pipa_tick *tick)
{
	const struct pipa_series_axis *axis = &set->axes.items[group->axis];
	int rc = 0;

	if (group->n_ticks < axis->n && axis->wall_ns[group->n_ticks] != tick->wall_ns) {
		rc = split_axis(set, group);
		axis = &set->axes.items[group->axis];
	}
	if (!rc && group->n_ticks == axis->n)
		rc = append_tick(set, group->axis, tick->wall_ns, tick->interval_s);
	if (rc < 0)
		return rc;
	group->n_ticks++;
	group->suspended += tick->suspended_s > 0;
	group->late += tick->late;
	group->next = 0;
	return 0;
}

/* Find the interval that ends at that time; n if there is none. */
static size_t find_tick(const struct pipa_series_axis *axis, uint64_t wall_ns)
{
	size_t low = 0, high = axis->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (axis->wall_ns[middle] < wall_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < axis->n && axis->wall_ns[low] == wall_ns ? low : axis->n;
}

/* ---- groups and rows ------------------------------------------------------------------------ */

/* Add a group; it shares an axis of its source that has the interval. */
static ptrdiff_t add_group(struct pipa_series_set *set, const struct pipa_section *section,
			   size_t source, uint64_t wall_ns)
{
	struct pipa_series_group *group = PIPA_VEC_ADD(&set->groups);
	size_t i;

	if (!group)
		return -ENOMEM;
	*group = (struct pipa_series_group){ .section = section,
					     .source = source,
					     .axis = set->axes.n };
	for (i = 0; i + 1 < set->groups.n; i++) {
		const struct pipa_series_group *other = &set->groups.items[i];
		const struct pipa_series_axis *axis = &set->axes.items[other->axis];
		size_t tick = other->source == source ? find_tick(axis, wall_ns) : axis->n;

		if (tick < axis->n) {
			group->axis = other->axis;
			group->n_ticks = tick;
			return (ptrdiff_t)set->groups.n - 1;
		}
	}
	if (!PIPA_VEC_ADD(&set->axes)) {
		set->groups.n--;
		return -ENOMEM;
	}
	return (ptrdiff_t)set->groups.n - 1;
}

static ptrdiff_t find_group(struct pipa_series_feed *feed, const struct pipa_section *section,
			    uint64_t wall_ns)
{
	struct pipa_series_set *set = feed->set;
	size_t i;

	if (feed->group < set->groups.n && set->groups.items[feed->group].section == section &&
	    set->groups.items[feed->group].source == feed->source)
		return (ptrdiff_t)feed->group;
	for (i = 0; i < set->groups.n; i++)
		if (set->groups.items[i].section == section &&
		    set->groups.items[i].source == feed->source)
			return (ptrdiff_t)i;
	return add_group(set, section, feed->source, wall_ns);
}

static uint64_t hash_instance(const char *instance)
{
	return pipa_hash_bytes(instance, strlen(instance), PIPA_HASH_SEED);
}

ptrdiff_t pipa_series_find_row(const struct pipa_series_group *group, const char *instance)
{
	uint64_t hash = hash_instance(instance);
	const struct pipa_index_slot *slot = pipa_index_start(&group->index, hash);

	for (; slot->id; slot = pipa_index_after(&group->index, slot))
		if (slot->hash == (uint32_t)hash &&
		    strcmp(group->items[slot->id - 1].instance, instance) == 0)
			return (ptrdiff_t)slot->id - 1;
	return -ENOENT;
}

static ptrdiff_t add_row(struct pipa_series_set *set, struct pipa_series_group *group,
			 const char *instance)
{
	size_t columns = group->section->n_columns;
	struct pipa_series_row *row = PIPA_VEC_ADD(group);
	int rc;

	if (!row)
		return -ENOMEM;
	row->first = group->n_ticks - 1;
	row->instance = pipa_arena_text(&set->arena, instance,
					pipa_instance_size(group->section, instance));
	row->columns = calloc(columns, sizeof(*row->columns));
	row->staged = malloc(FIRST_STAGED * columns * sizeof(*row->staged));
	row->cap_staged = FIRST_STAGED;
	rc = row->instance && row->columns && row->staged ?
		     pipa_index_add(&group->index, hash_instance(instance),
				    (uint32_t)(group->n - 1)) :
		     -ENOMEM;
	if (!rc)
		rc = account_bytes(set, columns * (sizeof(*row->columns) +
						   FIRST_STAGED * sizeof(*row->staged)) +
						sizeof(*row));
	if (rc == -ENOMEM) {
		free_row(row, columns);
		group->n--;
	}
	return rc < 0 ? rc : (ptrdiff_t)group->n - 1;
}

/*
 * Compress the staged values of a row, a block per column. Beyond the limit of memory all columns
 * still get their blocks, so that they stay of equal length.
 */
static int compress_staged(struct pipa_series_set *set, const struct pipa_section *section,
			   struct pipa_series_row *row)
{
	double values[PIPA_BLOCK_VALUES];
	size_t i, k, columns = section->n_columns;
	int rc, limit = 0;

	for (k = 0; row->n_staged && k < columns; k++) {
		struct pipa_series_blocks *blocks = &row->columns[k];
		size_t cap = blocks->cap;
		struct pipa_block *block = PIPA_VEC_ADD(blocks);

		if (!block)
			return -ENOMEM;
		for (i = 0; i < row->n_staged; i++)
			values[i] = row->staged[i * columns + k];
		rc = pipa_block_encode(values, row->n_staged, &set->arena, block);
		if (rc < 0)
			return rc;
		limit = account_bytes(set, (blocks->cap - cap) * sizeof(*block));
		set->values += block->present;
	}
	row->n_staged = 0;
	return limit;
}

/* Append a value per column; NULL: all missing. */
static int append_values(struct pipa_series_set *set, const struct pipa_section *section,
			 struct pipa_series_row *row, const double *values)
{
	size_t i, columns = section->n_columns;
	double *to;
	int rc;

	if (row->n_staged == row->cap_staged && row->cap_staged == PIPA_BLOCK_VALUES) {
		rc = compress_staged(set, section, row);
		if (rc < 0)
			return rc;
	} else if (row->n_staged == row->cap_staged) {
		size_t cap = row->cap_staged ? 2 * row->cap_staged : FIRST_STAGED;
		double *bigger = columns ? realloc(row->staged, cap * columns * sizeof(*bigger)) :
					   NULL;

		if (!bigger)
			return -ENOMEM;
		rc = account_bytes(set, (cap - row->cap_staged) * columns * sizeof(*bigger));
		row->staged = bigger;
		row->cap_staged = cap;
		if (rc < 0)
			return rc;
	}
	to = row->staged + row->n_staged++ * columns;
	/* one by one: a wide load of values that were just stored has to wait for the stores */
	for (i = 0; i < columns; i++)
		to[i] = values ? values[i] : NAN;
	row->n++;
	return 0;
}

/* Append missing values up to the last interval of the group; whole blocks of them need no bytes. */
static int append_missing(struct pipa_series_set *set, const struct pipa_series_group *group,
			  struct pipa_series_row *row)
{
	const struct pipa_block none = { .min = NAN, .max = NAN, .n = PIPA_BLOCK_VALUES };
	size_t k, columns = group->section->n_columns;
	int rc = 0, limit = 0;

	while (!rc && row->first + row->n + 1 < group->n_ticks) {
		size_t left = group->n_ticks - 1 - row->first - row->n;

		if (row->n_staged == PIPA_BLOCK_VALUES)
			rc = compress_staged(set, group->section, row);
		if (!rc && (row->n_staged || left < PIPA_BLOCK_VALUES)) {
			rc = append_values(set, group->section, row, NULL);
			continue;
		}
		for (k = 0; !rc && k < columns; k++) { /* all columns: they stay of equal length */
			size_t cap = row->columns[k].cap;
			struct pipa_block *block = PIPA_VEC_ADD(&row->columns[k]);

			if (!block)
				return -ENOMEM;
			*block = none;
			limit = account_bytes(set, (row->columns[k].cap - cap) * sizeof(*block));
		}
		if (!rc)
			row->n += PIPA_BLOCK_VALUES;
		rc = rc ? rc : limit;
	}
	return rc;
}

/* Note a restart once; rows of all sections repeat it. */
static int note_restart(struct pipa_series_feed *feed, const struct pipa_restart *restart)
{
	struct pipa_series_restart *added;

	if (restart->wall_ns == feed->restart_ns && restart->wall_ns)
		return 0;
	added = PIPA_VEC_ADD(&feed->set->restarts);
	if (!added)
		return -ENOMEM;
	*added = (struct pipa_series_restart){ feed->source, *restart };
	feed->restart_ns = restart->wall_ns;
	return 0;
}

static void count_dropped(uint64_t *count, uint64_t *first_ns, uint64_t wall_ns)
{
	if (!(*count)++)
		*first_ns = wall_ns;
}

/* Compare instances, which are mostly a few digits: a call of strcmp() takes longer. */
static bool is_instance(const char *a, const char *b)
{
	while (*a == *b && *a) {
		a++;
		b++;
	}
	return *a == *b;
}

static int feed_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_feed *feed = (struct pipa_series_feed *)(void *)self;
	struct pipa_series_set *set = feed->set;
	ptrdiff_t at = section->n_columns ? find_group(feed, section, tick->wall_ns) : -EINVAL;
	struct pipa_series_group *group;
	struct pipa_series_row *row;
	uint64_t last_ns;
	int rc = 0;

	if (at < 0)
		return (int)at;
	feed->group = (size_t)at;
	group = &set->groups.items[at];
	last_ns = group->n_ticks ? set->axes.items[group->axis].wall_ns[group->n_ticks - 1] : 0;
	if (group->n && tick->wall_ns < last_ns) {
		count_dropped(&group->backwards, &group->first_backward_ns, tick->wall_ns);
		return 0;
	}
	if (!group->n || tick->wall_ns > last_ns)
		rc = advance_group(set, group, tick);
	if (!rc && tick->restart)
		rc = note_restart(feed, tick->restart);
	if (rc < 0)
		return rc;
	at = group->next < group->n && is_instance(group->items[group->next].instance, instance) ?
		     (ptrdiff_t)group->next :
		     pipa_series_find_row(group, instance);
	if (at == -ENOENT)
		at = add_row(set, group, instance);
	if (at < 0)
		return (int)at;
	group->next = (size_t)at + 1;
	row = &group->items[at];
	if (row->first + row->n == group->n_ticks) {
		count_dropped(&group->duplicates, &group->first_duplicate_ns, tick->wall_ns);
		return 0;
	}
	rc = append_missing(set, group, row);
	return rc ? rc : append_values(set, section, row, values);
}

void pipa_series_feed_init(struct pipa_series_feed *feed, struct pipa_series_set *set,
			   size_t source)
{
	*feed = (struct pipa_series_feed){ .sink = { .row = feed_row },
					   .set = set,
					   .source = source };
}

int pipa_series_set_finish(struct pipa_series_set *set)
{
	size_t i, k;
	int rc = 0;

	for (i = 0; i < set->groups.n; i++) {
		struct pipa_series_group *group = &set->groups.items[i];

		for (k = 0; k < group->n; k++) {
			struct pipa_series_row *row = &group->items[k];
			int failed = row->staged ? compress_staged(set, group->section, row) : 0;

			if (failed && failed != -EFBIG) /* compressed values need less memory */
				rc = failed;
			if (row->staged)
				set->bytes -= row->cap_staged * group->section->n_columns *
					      sizeof(*row->staged);
			free(row->staged);
			row->staged = NULL;
		}
	}
	return rc;
}

/* ---- read ----------------------------------------------------------------------------------- */

int pipa_series_find(const struct pipa_series_set *set, const char *id, const char *instance,
		     struct pipa_series_ref *ret)
{
	size_t i, k, b;

	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		ptrdiff_t row = pipa_series_find_row(group, instance);

		for (k = 0; row >= 0 && k < group->section->n_columns; k++) {
			const struct pipa_series_blocks *blocks = &group->items[row].columns[k];

			if (strcmp(group->section->columns[k].id, id) != 0)
				continue;
			for (b = 0; b < blocks->n && !blocks->items[b].present; b++)
				;
			if (b < blocks->n) {
				*ret = (struct pipa_series_ref){ i, (size_t)row, k };
				return 0;
			}
		}
	}
	return -ENOENT;
}

void pipa_series_read(const struct pipa_series_set *set, struct pipa_series_ref ref, size_t from,
		      size_t n, double *ret)
{
	const struct pipa_series_row *row = &set->groups.items[ref.group].items[ref.row];
	const struct pipa_series_blocks *blocks = &row->columns[ref.column];
	double values[PIPA_BLOCK_VALUES];
	size_t i = 0, at, b;

	while (i < n && from + i < row->first)
		ret[i++] = NAN;
	while (i < n) {
		at = from + i - row->first;
		b = at / PIPA_BLOCK_VALUES;
		if (b >= blocks->n || at % PIPA_BLOCK_VALUES >= blocks->items[b].n)
			break;
		pipa_block_decode(&blocks->items[b], values);
		for (at %= PIPA_BLOCK_VALUES; i < n && at < blocks->items[b].n; at++)
			ret[i++] = values[at];
	}
	while (i < n)
		ret[i++] = NAN;
}
