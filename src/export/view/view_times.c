#include "export/view/view_times.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/flame.h"
#include "base/large.h"
#include "codec/varint.h"
#include "export/view/view.h"
#include "export/view/view_text.h"
#include "model/timeline.h"

/* Lookup tables from a sample to its indexes in the data. */
struct maker {
	const struct pipa_profile *profile;
	const struct pipa_timeline *timeline;
	const struct pipa_flame *flame;
	uint32_t event;
	uint32_t *nodes; /* [sample of the profile] node */
	/* [thread of the profile] index in the list; the last is for samples without a thread */
	uint32_t *threads;
	struct pipa_view_times *ret;
};

void pipa_view_times_done(struct pipa_view_times *times)
{
	free(times->threads);
	free(times->cpus);
	pipa_buf_done(&times->varints);
	*times = (struct pipa_view_times){ 0 };
}

static bool is_wanted(const struct maker *m, const struct pipa_timed_sample *moment)
{
	return m->event == PIPA_NONE || m->profile->samples.items[moment->sample].event == m->event;
}

/* Return the index of a thread in `threads`. */
static size_t slot_of(const struct maker *m, uint32_t thread)
{
	return thread < m->profile->threads.n ? thread : m->profile->threads.n;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* List CPUs by sorting: their ids can be arbitrary. */
static int list_cpus(struct maker *m)
{
	struct pipa_view_times *ret = m->ret;
	uint32_t last = PIPA_NONE;
	size_t i, n = 0;

	ret->cpus = malloc(ret->entries * sizeof(*ret->cpus) + 1);
	if (!ret->cpus)
		return -ENOMEM;
	for (i = 0; i < m->timeline->n; i++) {
		uint32_t cpu = m->timeline->items[i].cpu;

		if (is_wanted(m, &m->timeline->items[i]) && cpu != PIPA_TIMED_NO_CPU && cpu != last)
			ret->cpus[n++] = last = cpu;
	}
	qsort(ret->cpus, n, sizeof(*ret->cpus), by_number);
	for (i = 0; i < n; i++)
		if (!i || ret->cpus[i] != ret->cpus[i - 1])
			ret->cpus[ret->n_cpus++] = ret->cpus[i];
	return 0;
}

static int compare_threads(const void *a, const void *b, void *ctx)
{
	const struct pipa_profile *p = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct pipa_thread *s, *t;

	if (x == PIPA_NONE || y == PIPA_NONE)
		return x == PIPA_NONE ? y != PIPA_NONE : -1;
	s = &p->threads.items[x];
	t = &p->threads.items[y];
	if (s->pid != t->pid)
		return s->pid < t->pid ? -1 : 1;
	if (s->tid != t->tid)
		return s->tid < t->tid ? -1 : 1;
	return strcmp(pipa_profile_string(p, s->comm), pipa_profile_string(p, t->comm));
}

/* List threads that have samples, sorted by PID and TID instead of file order. */
static int list_threads(struct maker *m)
{
	const struct pipa_profile *p = m->profile;
	struct pipa_view_times *ret = m->ret;
	size_t i;

	ret->threads = malloc((p->threads.n + 1) * sizeof(*ret->threads));
	m->threads = calloc(p->threads.n + 1, sizeof(*m->threads));
	if (!ret->threads || !m->threads)
		return -ENOMEM;
	for (i = 0; i < m->timeline->n; i++)
		if (is_wanted(m, &m->timeline->items[i]))
			m->threads[slot_of(
				m, p->samples.items[m->timeline->items[i].sample].thread)] = 1;
	for (i = 0; i <= p->threads.n; i++)
		if (m->threads[i])
			ret->threads[ret->n_threads++] = i < p->threads.n ? (uint32_t)i : PIPA_NONE;
	qsort_r(ret->threads, ret->n_threads, sizeof(*ret->threads), compare_threads, (void *)p);
	for (i = 0; i < ret->n_threads; i++)
		m->threads[slot_of(m, ret->threads[i])] = (uint32_t)i;
	return 0;
}

/* Find the node of each sample: one lookup per distinct stack of a thread. */
static int find_nodes(struct maker *m)
{
	const struct pipa_profile *p = m->profile;
	size_t i;

	m->nodes = pipa_large_alloc(p->samples.n * sizeof(*m->nodes));
	if (!m->nodes)
		return -ENOMEM;
	for (i = 0; i < p->samples.n; i++)
		if (m->event == PIPA_NONE || p->samples.items[i].event == m->event)
			m->nodes[i] = pipa_flame_find(m->flame, p->samples.items[i].thread,
						      p->samples.items[i].stack);
	return 0;
}

static uint64_t place_of_cpu(const struct pipa_view_times *times, uint32_t cpu)
{
	const uint32_t *found = cpu == PIPA_TIMED_NO_CPU ? NULL :
							   bsearch(&cpu, times->cpus, times->n_cpus,
								   sizeof(cpu), by_number);

	return found ? (uint64_t)(found - times->cpus) + 1 : 0;
}

static int write_samples(struct maker *m)
{
	struct pipa_view_times *ret = m->ret;
	uint64_t before = ret->start;
	size_t i;

	ret->varints.max = SIZE_MAX / 4; /* proportional to the number of samples */
	pipa_varint_put(&ret->varints, ret->entries);
	for (i = 0; i < m->timeline->n; i++) {
		const struct pipa_timed_sample *moment = &m->timeline->items[i];
		const struct pipa_sample *sample = &m->profile->samples.items[moment->sample];

		if (!is_wanted(m, moment))
			continue;
		pipa_varint_put(&ret->varints, moment->time - before);
		pipa_varint_put(&ret->varints, m->threads[slot_of(m, sample->thread)]);
		pipa_varint_put(&ret->varints, place_of_cpu(ret, moment->cpu));
		pipa_varint_put(&ret->varints, m->nodes[moment->sample]);
		pipa_varint_put(&ret->varints, moment->weight);
		if (ret->resolution_ns)
			pipa_varint_put(&ret->varints, moment->more);
		before = moment->time;
	}
	return ret->varints.status;
}

static void find_time_range(const struct maker *m)
{
	size_t i;

	for (i = 0; i < m->timeline->n; i++) {
		if (!is_wanted(m, &m->timeline->items[i]))
			continue;
		if (!m->ret->entries++)
			m->ret->start = m->timeline->items[i].time;
		m->ret->end = m->timeline->items[i].time;
	}
}

int pipa_view_times_make(const struct pipa_profile *profile, const struct pipa_timeline *timeline,
			 const struct pipa_flame *flame, uint32_t event,
			 struct pipa_view_times *ret)
{
	struct maker m = { profile, timeline, flame, event, .ret = ret };
	int rc;

	*ret = (struct pipa_view_times){ .resolution_ns = timeline->resolution_ns };
	find_time_range(&m);
	rc = list_cpus(&m);
	if (!rc)
		rc = list_threads(&m);
	if (!rc)
		rc = find_nodes(&m);
	if (!rc)
		rc = write_samples(&m);
	free(m.nodes);
	free(m.threads);
	if (rc)
		pipa_view_times_done(ret);
	return rc;
}

static void put_seconds(struct pipa_buf *out, uint64_t ns)
{
	pipa_buf_printf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void put_thread(const struct pipa_profile *p, uint32_t number, struct pipa_buf *out)
{
	static const struct pipa_thread nobody = { .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 };
	const struct pipa_thread *thread = number == PIPA_NONE ? &nobody :
								 &p->threads.items[number];
	const char *comm = number == PIPA_NONE ? "" : pipa_profile_string(p, thread->comm);

	pipa_buf_printf(out,
			"{\"pid\":%" PRId32 ",\"tid\":%" PRId32 ",\"comm\":", (int32_t)thread->pid,
			(int32_t)thread->tid);
	pipa_view_put_json(out, comm, strlen(comm));
	pipa_buf_putc(out, '}');
}

void pipa_view_times_write(struct pipa_view_times *times, const struct pipa_profile *p,
			   const char *rows, pipa_view_pack_fn *pack, struct pipa_buf *out)
{
	size_t i;

	pipa_buf_printf(out, "{\"rows\":\"%s\",\"start\":", rows);
	put_seconds(out, times->start);
	pipa_buf_puts(out, ",\"end\":");
	put_seconds(out, times->end);
	if (times->resolution_ns)
		pipa_buf_printf(out, ",\"resolution_ns\":%" PRIu64, times->resolution_ns);
	pipa_buf_puts(out, ",\"threads\":[");
	for (i = 0; i < times->n_threads; i++) {
		pipa_buf_puts(out, i ? ",\n" : "\n");
		put_thread(p, times->threads[i], out);
	}
	pipa_buf_puts(out, "],\n\"cpus\":[");
	for (i = 0; i < times->n_cpus; i++)
		pipa_buf_printf(out, "%s%" PRIu32, i ? "," : "", times->cpus[i]);
	pipa_buf_puts(out, "],\n\"samples\":");
	if (pipa_view_column_pack(pack, &times->varints, out))
		pipa_buf_puts(out, ",\n\"deflate\":[\"samples\"]");
	pipa_buf_putc(out, '}');
}
