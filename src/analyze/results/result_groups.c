#include "analyze/results/result_groups.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/f64.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/time/zone.h"
#include "base/vec.h"

/* What results are grouped by. */
struct key {
	enum { BY_FIELD, BY_LABEL, BY_DAY } kind;
	enum pipa_result_field field;
	struct pipa_span label;
};

struct pipa_result_groups {
	struct pipa_arena arena; /* of labels, values and statistics */
	enum pipa_result_field metrics[PIPA_RESULT_GROUPS_METRICS];
	struct key by[PIPA_RESULT_GROUPS_BY];
	size_t n_metrics, n_by, max;
	struct {
		struct pipa_result_group *items;
		size_t n, cap;
	} groups;
	struct pipa_index index;
	struct pipa_buf text; /* values of the current result, one after the other */
	uint64_t dropped;
};

void pipa_result_groups_free(struct pipa_result_groups *groups)
{
	if (!groups)
		return;
	pipa_arena_done(&groups->arena);
	pipa_index_done(&groups->index);
	pipa_buf_done(&groups->text);
	free(groups->groups.items);
	free(groups);
}

/* Find a field by a name that is not a string. */
static enum pipa_result_field find_field(struct pipa_span name)
{
	char text[64];

	if (name.size >= sizeof(text) || (name.size && memchr(name.data, '\0', name.size)))
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)name.size,
		 name.size ? (const char *)name.data : "");
	return pipa_result_field_find(text);
}

static bool is_text(struct pipa_span span, const char *text)
{
	return span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
}

static int refuse_name(struct pipa_error *err, const char *what, struct pipa_span name)
{
	return pipa_refuse(err, -EINVAL, "invalid %s '%.*s'", what,
			   (int)(name.size < 64 ? name.size : 64),
			   name.size ? (const char *)name.data : "");
}

static int set_key(struct pipa_result_groups *groups, struct pipa_span name, struct key *key,
		   struct pipa_error *err)
{
	static const char prefix[] = "label:";
	size_t len = sizeof(prefix) - 1;
	const char *copy;

	*key = (struct key){ .kind = BY_FIELD, .field = find_field(name) };
	if (key->field)
		return 0;
	if (is_text(name, "day")) {
		key->kind = BY_DAY;
		return 0;
	}
	if (name.size <= len || memcmp(name.data, prefix, len) != 0) {
		refuse_name(err, "name to group by", name);
		pipa_hint(err, "use a field, label:KEY or day");
		return -EINVAL;
	}
	copy = pipa_arena_text(&groups->arena, (const char *)name.data + len, name.size - len);
	if (!copy)
		return pipa_fail(err, -ENOMEM, "group results");
	key->kind = BY_LABEL;
	key->label = (struct pipa_span){ (const uint8_t *)copy, name.size - len };
	return 0;
}

static bool is_numeric(enum pipa_result_field field)
{
	return pipa_result_fields[field].type == PIPA_RESULT_UINT64 ||
	       pipa_result_fields[field].type == PIPA_RESULT_DOUBLE;
}

int pipa_result_groups_new(const struct pipa_span *metrics, size_t n_metrics,
			   const struct pipa_span *by, size_t n_by, size_t max_groups,
			   struct pipa_result_groups **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_result_groups_free)
	struct pipa_result_groups *groups = calloc(1, sizeof(*groups));
	size_t i;
	int rc;

	if (!groups)
		return pipa_fail(err, -ENOMEM, "group results");
	if (!n_metrics || n_metrics > PIPA_RESULT_GROUPS_METRICS || n_by > PIPA_RESULT_GROUPS_BY)
		return pipa_refuse(err, -EINVAL,
				   "cannot group results: expected 1 to %d metrics and at most %d "
				   "names to group by",
				   PIPA_RESULT_GROUPS_METRICS, PIPA_RESULT_GROUPS_BY);
	groups->max = max_groups;
	groups->n_metrics = n_metrics;
	groups->n_by = n_by;
	for (i = 0; i < n_metrics; i++) {
		groups->metrics[i] = find_field(metrics[i]);
		if (!groups->metrics[i] || !is_numeric(groups->metrics[i]))
			return refuse_name(err, "metric", metrics[i]);
	}
	for (i = 0; i < n_by; i++) {
		rc = set_key(groups, by[i], &groups->by[i], err);
		if (rc < 0)
			return rc;
	}
	*ret = PIPA_TAKE(groups);
	return 0;
}

/* ---- groups -------------------------------------------------------------------------------------- */

static void put_field(struct pipa_buf *out, const struct pipa_result *result,
		      enum pipa_result_field field)
{
	const union pipa_result_value *value = &result->values[field];
	char text[PIPA_F64_SIZE];

	if (!pipa_result_has(result, field))
		return;
	switch (pipa_result_fields[field].type) {
	case PIPA_RESULT_TEXT: pipa_buf_add(out, value->text.data, value->text.size); break;
	case PIPA_RESULT_UINT64: pipa_buf_put_u64(out, value->number); break;
	case PIPA_RESULT_LIST: pipa_result_put_list(out, value->list.items, value->list.n); break;
	case PIPA_RESULT_DOUBLE: pipa_buf_puts(out, pipa_f64_print(value->real, text));
	}
}

static void put_day(struct pipa_buf *out, uint64_t us)
{
	struct pipa_date date = pipa_date_at((int64_t)(us / 1000000));

	pipa_buf_printf(out, "%04d-%02d-%02d", date.year, date.month, date.day);
}

/* Write the values of a result after each other, and where each ends. */
static void put_values(struct pipa_result_groups *groups, const struct pipa_result_row *row,
		       size_t ends[PIPA_RESULT_GROUPS_BY])
{
	struct pipa_span label;
	size_t i;

	pipa_buf_reset(&groups->text);
	for (i = 0; i < groups->n_by; i++) {
		const struct key *key = &groups->by[i];

		if (key->kind == BY_FIELD)
			put_field(&groups->text, row->result, key->field);
		else if (key->kind == BY_DAY)
			put_day(&groups->text, row->upload_time_us);
		else if (row->label) {
			label = row->label(row->ctx, key->label);
			pipa_buf_add(&groups->text, label.data, label.size);
		}
		ends[i] = groups->text.len;
	}
}

static bool is_group(const struct pipa_result_groups *groups, const struct pipa_result_group *group,
		     const size_t ends[PIPA_RESULT_GROUPS_BY])
{
	size_t i, start = 0;

	for (i = 0; i < groups->n_by; start = ends[i++])
		if (group->by[i].size != ends[i] - start ||
		    (group->by[i].size &&
		     memcmp(group->by[i].data, groups->text.data + start, group->by[i].size) != 0))
			return false;
	return true;
}

static struct pipa_result_group *add_group(struct pipa_result_groups *groups, uint64_t hash,
					   const size_t ends[PIPA_RESULT_GROUPS_BY])
{
	size_t size = groups->n_metrics * sizeof(struct pipa_result_statistics), start = 0, i;
	struct pipa_result_statistics *metrics = pipa_arena_take(&groups->arena, size);
	struct pipa_span *by = pipa_arena_take(&groups->arena, (groups->n_by + 1) * sizeof(*by));
	const char *text = pipa_arena_text(&groups->arena, pipa_buf_str(&groups->text),
					   groups->text.len);
	struct pipa_result_group *group;

	if (!metrics || !by || !text)
		return NULL;
	memset(metrics, 0, size);
	for (i = 0; i < groups->n_by; start = ends[i++])
		by[i] = (struct pipa_span){ (const uint8_t *)text + start, ends[i] - start };
	if (pipa_index_add(&groups->index, hash, (uint32_t)groups->groups.n) < 0)
		return NULL;
	group = PIPA_VEC_ADD(&groups->groups);
	if (group)
		*group = (struct pipa_result_group){ .by = by, .metrics = metrics };
	return group;
}

/* Find or add the group of a result. *ret is NULL if there are too many. */
static int find_group(struct pipa_result_groups *groups, const struct pipa_result_row *row,
		      struct pipa_result_group **ret)
{
	size_t ends[PIPA_RESULT_GROUPS_BY] = { 0 };
	const struct pipa_index_slot *slot;
	uint64_t hash = PIPA_HASH_SEED;
	size_t i;

	put_values(groups, row, ends);
	if (groups->text.status)
		return groups->text.status;
	hash = pipa_hash_bytes(pipa_buf_str(&groups->text), groups->text.len, hash);
	for (i = 0; i < groups->n_by; i++)
		hash = pipa_hash_u64(ends[i], hash);
	for (slot = pipa_index_start(&groups->index, hash); slot->id;
	     slot = pipa_index_after(&groups->index, slot))
		if (slot->hash == (uint32_t)hash &&
		    is_group(groups, &groups->groups.items[slot->id - 1], ends)) {
			*ret = &groups->groups.items[slot->id - 1];
			return 0;
		}
	*ret = NULL;
	if (groups->groups.n == groups->max)
		return 0;
	*ret = add_group(groups, hash, ends);
	return *ret ? 0 : -ENOMEM;
}

/* Add a value; of values at the same time the one that is added first is the last. */
static void add_value(struct pipa_result_statistics *s, double value, uint64_t time_us)
{
	double distance = value - s->mean;

	if (!s->count || value < s->min)
		s->min = value;
	if (!s->count || value > s->max)
		s->max = value;
	if (!s->count || time_us > s->last_us) {
		s->last = value;
		s->last_us = time_us;
	}
	s->count++;
	s->mean += distance / (double)s->count;
	s->sum_squares += distance * (value - s->mean);
}

int pipa_result_groups_add(struct pipa_result_groups *groups, const struct pipa_result_row *row)
{
	struct pipa_result_group *group = NULL;
	size_t i;
	int rc = find_group(groups, row, &group);

	if (rc < 0)
		return rc;
	if (!group) {
		groups->dropped++;
		return 0;
	}
	if (!group->runs || row->upload_time_us < group->first_us)
		group->first_us = row->upload_time_us;
	if (row->upload_time_us > group->last_us)
		group->last_us = row->upload_time_us;
	group->runs++;
	for (i = 0; i < groups->n_metrics; i++) {
		enum pipa_result_field field = groups->metrics[i];
		const union pipa_result_value *value = &row->result->values[field];

		if (pipa_result_has(row->result, field))
			add_value(&group->metrics[i],
				  pipa_result_fields[field].type == PIPA_RESULT_UINT64 ?
					  (double)value->number :
					  value->real,
				  row->upload_time_us);
	}
	return 0;
}

static int compare_texts(struct pipa_span a, struct pipa_span b)
{
	size_t n = a.size < b.size ? a.size : b.size;
	int order = n ? memcmp(a.data, b.data, n) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Read a number as put_field() writes it. */
static double real_of(struct pipa_span text)
{
	char copy[PIPA_F64_SIZE];

	snprintf(copy, sizeof(copy), "%.*s", (int)text.size, (const char *)text.data);
	return strtod(copy, NULL);
}

/* Compare numbers; absent ones are first, those that are none are last. */
static int compare_numbers(struct pipa_span a, struct pipa_span b)
{
	double x, y;

	if (!a.size || !b.size)
		return (a.size > 0) - (b.size > 0);
	x = real_of(a);
	y = real_of(b);
	if (isnan(x) || isnan(y))
		return !!isnan(x) - !!isnan(y);
	return (x > y) - (x < y);
}

static int compare_values(const struct key *key, struct pipa_span a, struct pipa_span b)
{
	if (key->kind != BY_FIELD || !is_numeric(key->field))
		return compare_texts(a, b);
	if (pipa_result_fields[key->field].type == PIPA_RESULT_DOUBLE)
		return compare_numbers(a, b);
	/* digits without leading zeros */
	return a.size != b.size ? (a.size > b.size) - (a.size < b.size) : compare_texts(a, b);
}

static int compare_groups(const void *left, const void *right, void *ctx)
{
	const struct pipa_result_group *a = left, *b = right;
	const struct pipa_result_groups *groups = ctx;
	size_t i;
	int order = 0;

	for (i = 0; i < groups->n_by && !order; i++)
		order = compare_values(&groups->by[i], a->by[i], b->by[i]);
	return order;
}

const struct pipa_result_group *pipa_result_groups_all(struct pipa_result_groups *groups,
						       size_t *ret_n)
{
	*ret_n = groups->groups.n;
	if (groups->groups.n)
		qsort_r(groups->groups.items, groups->groups.n, sizeof(groups->groups.items[0]),
			compare_groups, groups);
	/* their numbers in the index are wrong now */
	pipa_index_done(&groups->index);
	return groups->groups.items;
}

uint64_t pipa_result_groups_dropped(const struct pipa_result_groups *groups)
{
	return groups->dropped;
}

enum pipa_result_field pipa_result_groups_metric(const struct pipa_result_groups *groups, size_t i)
{
	return groups->metrics[i];
}

double pipa_result_statistics_sd(const struct pipa_result_statistics *statistics)
{
	return statistics->count < 2 ?
		       0 :
		       sqrt(statistics->sum_squares / (double)(statistics->count - 1));
}
