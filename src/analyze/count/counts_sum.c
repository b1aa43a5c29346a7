#include "analyze/count/counts_sum.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"

/* Key of a row of the sum. */
struct key {
	uint32_t event, cgroup;
	int cpu;
};

struct adding {
	const struct pipa_counts *counts;
	struct {
		struct key *items;
		size_t n, cap;
	} keys;
	struct {
		struct pipa_stat_row *items;
		size_t n, cap;
	} rows;
	struct {
		struct pipa_stat_place *items;
		size_t n, cap;
	} places;
	struct pipa_index index;
};

void pipa_counts_sum_done(struct pipa_counts_sum *sum)
{
	free(sum->stat.rows);
	free(sum->stat.places);
	*sum = (struct pipa_counts_sum){ 0 };
}

/* Return the index of a CPU's place, or of the total for -1; -ENOMEM on allocation failure. */
static int find_place(struct adding *a, int cpu)
{
	struct pipa_stat_place *place;
	size_t i;

	for (i = 0; i < a->places.n; i++)
		if (a->places.items[i].cpu == cpu)
			return (int)i;
	place = PIPA_VEC_ADD(&a->places);
	if (!place)
		return -ENOMEM;
	*place = (struct pipa_stat_place){
		.by = cpu < 0 ? PIPA_AGGR_GLOBAL : PIPA_AGGR_CPU,
		.cpu = cpu,
		.core = -1,
		.die = -1,
		.socket = -1,
		.node = -1,
	};
	return (int)(a->places.n - 1);
}

static struct pipa_stat_row *new_row(struct adding *a, const struct key *key, uint64_t hash,
				     const struct pipa_counts_row *from)
{
	int place = find_place(a, key->cpu);
	struct key *slot = place < 0 ? NULL : PIPA_VEC_ADD(&a->keys);
	struct pipa_stat_row *row = slot ? PIPA_VEC_ADD(&a->rows) : NULL;

	if (!row || pipa_index_add(&a->index, hash, (uint32_t)(a->rows.n - 1)) < 0)
		return NULL;
	*slot = *key;
	*row = (struct pipa_stat_row){
		.name = pipa_counts_text(a->counts, key->event),
		.unit = pipa_counts_text(a->counts, from->unit),
		.cgroup = key->cgroup ? pipa_counts_text(a->counts, key->cgroup) : NULL,
		.scale = 1,
		.event = key->event,
		.place = (size_t)place,
		.members = 1,
		.state = from->state,
	};
	return row;
}

static struct pipa_stat_row *find_row(struct adding *a, const struct pipa_counts_row *from)
{
	const struct key key = { from->event, from->cgroup, from->cpu };
	uint64_t words[2] = { (uint64_t)key.event << 32 | key.cgroup, (uint64_t)key.cpu };
	uint64_t hash = pipa_hash_words(words, 2, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&a->index, hash);

	for (; a->keys.items && slot->id; slot = pipa_index_after(&a->index, slot)) {
		const struct key *k = &a->keys.items[slot->id - 1];

		if (k->event == key.event && k->cgroup == key.cgroup && k->cpu == key.cpu)
			return &a->rows.items[slot->id - 1];
	}
	return new_row(a, &key, hash, from);
}

static int add_counts_row(struct adding *a, const struct pipa_counts_row *from)
{
	struct pipa_stat_row *row = find_row(a, from);

	if (!row)
		return -ENOMEM;
	if (from->state != PIPA_COUNTED)
		return 0;
	row->state = PIPA_COUNTED;
	row->value += from->value;
	row->running_ns += from->running_ns;
	row->enabled_ns += from->percent > 0 ?
				   (uint64_t)((double)from->running_ns * 100 / from->percent) :
				   from->running_ns;
	return 0;
}

static bool is_per_cpu(const struct pipa_counts *counts)
{
	size_t i;

	for (i = 0; i < counts->n; i++)
		if (counts->items[i].cpu >= 0)
			return true;
	return false;
}

static void find_least(struct pipa_counts_sum *sum)
{
	size_t i;

	sum->least_percent = 100;
	for (i = 0; i < sum->stat.n_rows; i++) {
		const struct pipa_stat_row *row = &sum->stat.rows[i];
		double percent = row->enabled_ns ?
					 100 * (double)row->running_ns / (double)row->enabled_ns :
					 100;

		if (row->state == PIPA_COUNTED && percent < sum->least_percent - 0.01) {
			sum->least_percent = percent;
			sum->least = row->name;
		}
	}
}

int pipa_counts_sum(const struct pipa_counts *counts, const struct pipa_cpus *cpus,
		    struct pipa_counts_sum *ret)
{
	bool by_cpu = is_per_cpu(counts), choose = by_cpu && cpus && cpus->n;
	struct adding a = { .counts = counts };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < counts->n; i++)
		if (!choose || pipa_cpus_has(cpus, counts->items[i].cpu))
			rc = add_counts_row(&a, &counts->items[i]);
	free(a.keys.items);
	pipa_index_done(&a.index);
	*ret = (struct pipa_counts_sum){
		.stat = { .by = by_cpu ? PIPA_AGGR_CPU : PIPA_AGGR_GLOBAL,
			  .places = a.places.items,
			  .n_places = a.places.n,
			  .rows = a.rows.items,
			  .n_rows = a.rows.n,
			  .elapsed_s = pipa_counts_seconds(counts),
			  .user_s = NAN,
			  .sys_s = NAN,
			  .runs = 1 },
		.by_cpu = by_cpu,
	};
	find_least(ret);
	if (rc)
		pipa_counts_sum_done(ret);
	return rc;
}

bool pipa_counts_sum_has(const struct pipa_counts_sum *sum, int cpu)
{
	size_t i;

	for (i = 0; i < sum->stat.n_places; i++)
		if (sum->stat.places[i].cpu == cpu)
			return true;
	return false;
}

/* ---- time ---------------------------------------------------------------------------------------- */

/* Consecutive intervals. */
struct interval_run {
	double first, second, last;
	size_t n;
};

/*
 * Return the length of the intervals. Times count from the start, so the first one is the length of
 * the first interval; if it is a multiple of the next difference, earlier intervals are missing.
 */
static double length_of(const struct interval_run *s)
{
	double step = s->second - s->first;

	if (!s->n)
		return 0;
	return s->last - s->first + (s->n > 2 && s->first > 3 * step ? step : s->first);
}

double pipa_counts_seconds(const struct pipa_counts *counts)
{
	struct interval_run s = { 0 };
	double sum = NAN;
	size_t i;

	for (i = 0; i < counts->n; i++) {
		double time = counts->items[i].time_s;

		if (isnan(time) || (s.n && time == s.last))
			continue;
		if (isnan(sum))
			sum = 0;
		if (s.n && time < s.last) {
			sum += length_of(&s);
			s = (struct interval_run){ 0 };
		}
		if (s.n == 0)
			s.first = time;
		else if (s.n == 1)
			s.second = time;
		s.last = time;
		s.n++;
	}
	return sum + length_of(&s);
}
