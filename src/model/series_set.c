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

static void free_group(struct pipa_series_group *group)
{
	size_t i;

	for (i = 0; i < group->n; i++)
		free_row(&group->items[i], group->section->n_columns);
	free(group->items);
	pipa_index_done(&group->index);
}

void pipa_series_set_done(struct pipa_series_set *set)
{
	size_t i;

	for (i = 0; i < set->sources.n; i++)
		free(set->sources.items[i].name);
	for (i = 0; i < set->axes.n; i++) {
		free(set->axes.items[i].wall_ns);
		free(set->axes.items[i].interval_s);
	}
	for (i = 0; i < set->groups.n; i++)
		free_group(&set->groups.items[i]);
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
	row->staged = malloc(FIRST_STAGED * columns * sizeof(double));
	row->cap_staged = FIRST_STAGED;
	rc = row->instance && row->columns && row->staged ?
		     pipa_index_add(&group->index, hash_instance(instance),
				    (uint32_t)(group->n - 1)) :
		     -ENOMEM;
	if (!rc)
		rc = account_bytes(
			set, columns * (sizeof(*row->columns) + FIRST_STAGED * sizeof(double)) +
				     sizeof(*row));
	if (rc == -ENOMEM) {
		free_row(row, columns);
		group->n--;
	}
	return rc < 0 ? rc : (ptrdiff_t)group->n - 1;
}

/* Compress the staged values of a column. */
static int compress_column(struct pipa_series_set *set, const struct pipa_series_row *row,
			   size_t columns, size_t k, struct pipa_block *block)
{
	size_t i;

	if (row->has_hundredths) {
		const int32_t *staged = row->staged;
		int32_t hundredths[PIPA_BLOCK_VALUES];

		for (i = 0; i < row->n_staged; i++)
			hundredths[i] = staged[i * columns + k];
		return pipa_block_encode_hundredths(hundredths, row->n_staged, &set->arena, block);
	} else {
		const double *staged = row->staged;
		double values[PIPA_BLOCK_VALUES];

		for (i = 0; i < row->n_staged; i++)
			values[i] = staged[i * columns + k];
		return pipa_block_encode(values, row->n_staged, &set->arena, block);
	}
}

/*
 * Compress the staged values of a row, a block per column. Beyond the limit of memory all columns
 * still get their blocks, so that they stay of equal length.
 */
static int compress_staged(struct pipa_series_set *set, const struct pipa_section *section,
			   struct pipa_series_row *row)
{
	size_t k, columns = section->n_columns;
	int rc, limit = 0;

	for (k = 0; row->n_staged && k < columns; k++) {
		struct pipa_series_blocks *blocks = &row->columns[k];
		size_t cap = blocks->cap;
		struct pipa_block *block = PIPA_VEC_ADD(blocks);

		if (!block)
			return -ENOMEM;
		rc = compress_column(set, row, columns, k, block);
		if (rc < 0)
			return rc;
		limit = account_bytes(set, (blocks->cap - cap) * sizeof(*block));
		set->values += block->present;
	}
	row->n_staged = 0;
	return limit;
}

/* Make room for another staged row. */
static int make_room(struct pipa_series_set *set, const struct pipa_section *section,
		     struct pipa_series_row *row)
{
	size_t cap, columns = section->n_columns;
	double *bigger;

	if (row->n_staged < row->cap_staged)
		return 0;
	if (row->cap_staged == PIPA_BLOCK_VALUES)
		return compress_staged(set, section, row);
	cap = row->cap_staged ? 2 * row->cap_staged : FIRST_STAGED;
	bigger = columns ? realloc(row->staged, cap * columns * sizeof(*bigger)) : NULL;
	if (!bigger)
		return -ENOMEM;
	row->staged = bigger;
	cap -= row->cap_staged;
	row->cap_staged += cap;
	return account_bytes(set, cap * columns * sizeof(*bigger));
}

/* Convert the staged hundredths to doubles, in place, from the last one on. */
static void widen_staged(struct pipa_series_row *row, size_t columns)
{
	char *bytes = row->staged;
	size_t i;

	for (i = row->n_staged * columns; i-- > 0;) {
		int32_t hundredths;
		double value;

		memcpy(&hundredths, bytes + i * sizeof(hundredths), sizeof(hundredths));
		value = hundredths / 100.0;
		memcpy(bytes + i * sizeof(value), &value, sizeof(value));
	}
}

/* Append a value per column; NULL: all missing. */
static int append_values(struct pipa_series_set *set, const struct pipa_section *section,
			 struct pipa_series_row *row, const double *values)
{
	size_t i, columns = section->n_columns;
	double *to;
	int rc = make_room(set, section, row);

	if (rc < 0)
		return rc;
	if (row->has_hundredths)
		widen_staged(row, columns);
	row->has_hundredths = false;
	to = (double *)row->staged + row->n_staged++ * columns;
	/* one by one: a wide load of values that were just stored has to wait for the stores */
	for (i = 0; i < columns; i++)
		to[i] = values ? values[i] : NAN;
	row->n++;
	return 0;
}

/* Append hundredths per column. */
static int append_hundredths(struct pipa_series_set *set, const struct pipa_section *section,
			     struct pipa_series_row *row, const int32_t *hundredths)
{
	size_t i, columns = section->n_columns;
	int32_t *to;
	int rc = make_room(set, section, row);

	if (rc < 0)
		return rc;
	row->has_hundredths = true;
	to = (int32_t *)row->staged + row->n_staged++ * columns;
	for (i = 0; i < columns; i++)
		to[i] = hundredths[i];
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

/*
 * Find the row of an instance and fill it up to the interval. 1: the values follow; 0: they are dropped and were
 * counted; or a negative errno.
 */
static int prepare_row(struct pipa_series_feed *feed, const struct pipa_section *section,
		       const struct pipa_tick *tick, const char *instance,
		       struct pipa_series_row **ret)
{
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
	*ret = row;
	rc = append_missing(set, group, row);
	return rc ? rc : 1;
}

static int feed_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct pipa_series_feed *feed = (struct pipa_series_feed *)(void *)self;
	struct pipa_series_row *row;
	int rc = prepare_row(feed, section, tick, instance, &row);

	return rc > 0 ? append_values(feed->set, section, row, values) : rc;
}

/*
 * Return the row after that of the last call, filled up to the interval before, if it is the one of the instance and
 * the interval is that of the last call: nearly always. NULL: prepare_row() has to find out.
 */
static inline struct pipa_series_row *find_next_row(struct pipa_series_feed *feed,
						    const struct pipa_section *section,
						    const struct pipa_tick *tick,
						    const char *instance)
{
	const struct pipa_series_set *set = feed->set;
	struct pipa_series_group *group;
	struct pipa_series_row *row;

	if (feed->group >= set->groups.n || tick->restart)
		return NULL;
	group = &set->groups.items[feed->group];
	if (group->section != section || group->source != feed->source || !group->n_ticks ||
	    group->next >= group->n ||
	    set->axes.items[group->axis].wall_ns[group->n_ticks - 1] != tick->wall_ns)
		return NULL;
	row = &group->items[group->next];
	if (row->first + row->n + 1 != group->n_ticks || !is_instance(row->instance, instance))
		return NULL;
	group->next++;
	return row;
}

static int feed_hundredths(struct pipa_series_sink *self, const struct pipa_section *section,
			   const struct pipa_tick *tick, const char *instance,
			   const int32_t *hundredths)
{
	struct pipa_series_feed *feed = (struct pipa_series_feed *)(void *)self;
	struct pipa_series_row *row = find_next_row(feed, section, tick, instance);

	if (!row) {
		int rc = prepare_row(feed, section, tick, instance, &row);

		if (rc <= 0)
			return rc;
	}
	if (!row->has_hundredths && row->n_staged && row->n_staged < PIPA_BLOCK_VALUES) {
		double values[PIPA_HUNDREDTHS_COLUMNS];
		size_t i;

		for (i = 0; i < section->n_columns && i < PIPA_HUNDREDTHS_COLUMNS; i++)
			values[i] = hundredths[i] / 100.0;
		return append_values(feed->set, section, row, values);
	}
	return append_hundredths(feed->set, section, row, hundredths);
}

void pipa_series_feed_init(struct pipa_series_feed *feed, struct pipa_series_set *set,
			   size_t source)
{
	*feed = (struct pipa_series_feed){ .sink = { .row = feed_row,
						     .row_hundredths = feed_hundredths },
					   .set = set,
					   .source = source };
}

/* ---- join sources --------------------------------------------------------------------------- */

bool pipa_series_bounds(const struct pipa_series_set *set, size_t source, uint64_t *ret_first_ns,
			uint64_t *ret_last_ns)
{
	bool found = false;
	size_t i;

	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *group = &set->groups.items[i];
		const struct pipa_series_axis *axis = &set->axes.items[group->axis];

		if (group->source != source || !axis->n)
			continue;
		if (!found || axis->wall_ns[0] < *ret_first_ns)
			*ret_first_ns = axis->wall_ns[0];
		if (!found || axis->wall_ns[axis->n - 1] > *ret_last_ns)
			*ret_last_ns = axis->wall_ns[axis->n - 1];
		found = true;
	}
	return found;
}

/* Append blocks of `missing` missing values, then the blocks of another column, to a column. */
static int append_blocks(struct pipa_series_set *set, struct pipa_series_blocks *to, size_t missing,
			 const struct pipa_series_blocks *from)
{
	size_t i, cap = to->cap;
	int rc = 0;

	while (missing) {
		struct pipa_block none = { .min = NAN, .max = NAN, .n = PIPA_BLOCK_VALUES };
		struct pipa_block *block = PIPA_VEC_ADD(to);

		if (!block)
			return -ENOMEM;
		none.n = missing < PIPA_BLOCK_VALUES ? (uint32_t)missing : PIPA_BLOCK_VALUES;
		*block = none;
		missing -= none.n;
	}
	for (i = 0; !rc && i < from->n; i++) {
		struct pipa_block *block = PIPA_VEC_ADD(to);

		rc = block ? 0 : -ENOMEM;
		if (block)
			*block = from->items[i];
	}
	return rc ? rc : account_bytes(set, (to->cap - cap) * sizeof(*to->items));
}

/* Continue a row by the values of another one, which starts at interval `first`. */
static int append_row(struct pipa_series_set *set, const struct pipa_section *section,
		      struct pipa_series_row *row, size_t first, struct pipa_series_set *from,
		      struct pipa_series_row *other)
{
	size_t k, missing = first - row->first - row->n;
	int rc = compress_staged(set, section, row), limit = 0;

	for (k = 0; (!rc || rc == -EFBIG) && k < section->n_columns; k++) {
		limit = rc ? rc : limit; /* all columns stay of equal length */
		rc = append_blocks(set, &row->columns[k], missing, &other->columns[k]);
		from->bytes -= other->columns[k].cap * sizeof(*other->columns[k].items);
	}
	if (rc < 0 && rc != -EFBIG)
		return rc;
	set->bytes -= row->staged ? row->cap_staged * section->n_columns * sizeof(double) : 0;
	free(row->staged);
	row->staged = other->staged;
	row->has_hundredths = other->has_hundredths;
	row->n_staged = other->n_staged;
	row->cap_staged = other->cap_staged;
	other->staged = NULL;
	from->bytes -= section->n_columns * sizeof(*other->columns) + sizeof(*other);
	row->n += missing + other->n;
	row->is_joined = true;
	return rc ? rc : limit;
}

/* Append the intervals and rows of a group to the group at an index; the axis is that of `group`. */
static int append_group(struct pipa_series_set *set, size_t to, struct pipa_series_set *from,
			struct pipa_series_group *group, const struct pipa_series_axis *axis)
{
	const struct pipa_section *section = group->section;
	struct pipa_series_group *target = &set->groups.items[to];
	size_t i, base = target->n_ticks;
	int rc = 0;

	for (i = 0; !rc && i < group->n_ticks; i++) {
		struct pipa_tick tick = { .wall_ns = axis->wall_ns[i],
					  .interval_s = (double)axis->interval_s[i] };

		rc = advance_group(set, target, &tick);
	}
	target->duplicates += group->duplicates;
	target->backwards += group->backwards;
	target->suspended += group->suspended;
	target->late += group->late;
	if (!target->first_duplicate_ns)
		target->first_duplicate_ns = group->first_duplicate_ns;
	if (!target->first_backward_ns)
		target->first_backward_ns = group->first_backward_ns;
	for (i = 0; !rc && i < group->n; i++) {
		struct pipa_series_row *other = &group->items[i], *row;
		ptrdiff_t at = pipa_series_find_row(target, other->instance);

		if (at >= 0) {
			rc = append_row(set, section, &target->items[at], base + other->first, from,
					other);
			continue;
		}
		row = PIPA_VEC_ADD(target);
		rc = row ? pipa_index_add(&target->index, hash_instance(other->instance),
					  (uint32_t)(target->n - 1)) :
			   -ENOMEM;
		if (!row || rc < 0) {
			target->n -= row != NULL;
			break;
		}
		*row = *other;
		row->first += base;
		*other = (struct pipa_series_row){ 0 };
	}
	return rc;
}

/* Find the group of a source and section. Returns its index or -ENOENT. */
static ptrdiff_t find_source_group(const struct pipa_series_set *set, size_t source,
				   const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < set->groups.n; i++)
		if (set->groups.items[i].source == source &&
		    set->groups.items[i].section == section)
			return (ptrdiff_t)i;
	return -ENOENT;
}

/* Move the restarts of a source to another one. */
static int append_restarts(struct pipa_series_set *set, size_t source, struct pipa_series_set *from,
			   size_t other)
{
	size_t i, n = from->restarts.n;

	for (i = 0; i < n; i++) {
		struct pipa_series_restart *added, restart = from->restarts.items[i];

		if (restart.source != other)
			continue;
		restart.source = source;
		added = from == set ? &from->restarts.items[i] : PIPA_VEC_ADD(&set->restarts);
		if (!added)
			return -ENOMEM;
		*added = restart;
	}
	return 0;
}

int pipa_series_append(struct pipa_series_set *set, size_t source, struct pipa_series_set *from,
		       size_t other)
{
	size_t i, kept = 0;
	int rc = append_restarts(set, source, from, other);

	for (i = 0; !rc && i < from->groups.n; i++) {
		struct pipa_series_group *group = &from->groups.items[i];
		const struct pipa_series_axis axis = from->axes.items[group->axis];
		ptrdiff_t to;

		if (group->source != other)
			continue;
		to = find_source_group(set, source, group->section);
		if (to < 0 && from == set) { /* the only one of its section */
			group->source = source;
			continue;
		}
		if (to < 0)
			to = add_group(set, group->section, source, axis.n ? axis.wall_ns[0] : 0);
		rc = to < 0 ? (int)to : append_group(set, (size_t)to, from, group, &axis);
		free_group(group);
		group->n = group->cap = 0;
		group->items = NULL;
	}
	for (i = 0; i < from->groups.n; i++)
		if (from->groups.items[i].source != other || from->groups.items[i].n)
			from->groups.items[kept++] = from->groups.items[i];
	from->groups.n = kept;
	if (from != set) {
		for (i = 0; i < from->axes.n; i++) /* they were copied */
			from->bytes -= from->axes.items[i].cap * (sizeof(uint64_t) + sizeof(float));
		set->bytes += from->bytes;
		set->values += from->values;
		from->bytes = from->values = 0;
		pipa_arena_join(&set->arena, &from->arena);
	}
	return rc ? rc : account_bytes(set, 0);
}

/* ---- finish --------------------------------------------------------------------------------- */

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
					      sizeof(double);
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
	size_t i = 0, at, b = 0;

	while (i < n && from + i < row->first)
		ret[i++] = NAN;
	at = i < n ? from + i - row->first : 0;
	if (!row->is_joined) {
		b = at / PIPA_BLOCK_VALUES;
		at %= PIPA_BLOCK_VALUES;
	} else {
		for (; b < blocks->n && at >= blocks->items[b].n; b++)
			at -= blocks->items[b].n;
	}
	for (; i < n && b < blocks->n; b++, at = 0) {
		if (at >= blocks->items[b].n)
			break;
		if (!at && blocks->items[b].n <= n - i) {
			pipa_block_decode(&blocks->items[b], ret + i);
			i += blocks->items[b].n;
			continue;
		}
		pipa_block_decode(&blocks->items[b], values);
		for (; i < n && at < blocks->items[b].n; at++)
			ret[i++] = values[at];
	}
	while (i < n)
		ret[i++] = NAN;
}
