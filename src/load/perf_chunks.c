#include "load/perf_chunks.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/thread/worker.h"
#include "perf/file_read.h"
#include "symbolize/code_files.h"
#include "symbolize/jitdumps.h"
#include "symbolize/profile_builder.h"
#include "symbolize/unwind_tables.h"

enum {
	THREADS_MAX = 8,     /* limit of threads: beyond it merging profiles takes longer */
	CHUNK_MIN = 4 << 20, /* bytes of a chunk that are worth a thread */
};

/* Another thread and its chunk. */
struct other {
	struct pipa_perf_chunk chunk;
	struct pipa_profile profile;
	struct pipa_timeline timeline;
	struct pipa_perf_reader *reader; /* of the samples of its chunk */
	struct pipa_worker thread;
	int rc;
	struct pipa_error err;
};

struct chunks {
	struct pipa_record_sink sink; /* passes side-band records to all ingests */
	struct pipa_perf_chunk *first;
	struct other *others;
	size_t n; /* number of other threads */
	pthread_mutex_t lock;
};

size_t pipa_perf_chunks_worth(const struct pipa_perf_reader *reader)
{
	uint64_t most = pipa_perf_reader_size(reader) / CHUNK_MIN;
	cpu_set_t cpus;
	size_t n = 1;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = (size_t)CPU_COUNT(&cpus);
	n = n < THREADS_MAX ? n : THREADS_MAX;
	return n < most ? n : (size_t)most;
}

/* ---- side-band records, for all threads ------------------------------------------------------ */

static struct pipa_record_sink *sink_of(const struct chunks *s, size_t i)
{
	return pipa_ingest_sink(pipa_perf_chunk_ingest(i ? &s->others[i - 1].chunk : s->first));
}

#define PASS_ON(what, type)                                                                        \
	static int on_##what(struct pipa_record_sink *self, const struct pipa_rec_id *id,          \
			     const struct type *record)                                            \
	{                                                                                          \
		const struct chunks *s = (const struct chunks *)(void *)self;                      \
		int rc = 0;                                                                        \
		size_t i;                                                                          \
                                                                                                   \
		for (i = 0; !rc && i <= s->n; i++)                                                 \
			rc = sink_of(s, i)->what(sink_of(s, i), id, record);                       \
		return rc;                                                                         \
	}

PASS_ON(map, pipa_rec_map)
PASS_ON(comm, pipa_rec_comm)
PASS_ON(fork, pipa_rec_task)
PASS_ON(ksymbol, pipa_rec_ksymbol)

/* Count lost records in one profile only. */
static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_record_sink *first = sink_of((const struct chunks *)(void *)self, 0);

	return first->lost(first, id, lost);
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_throttle *throttle)
{
	struct pipa_record_sink *first = sink_of((const struct chunks *)(void *)self, 0);

	return first->throttle(first, id, throttle);
}

/* ---- samples ---------------------------------------------------------------------------------------- */

static int read_samples(const struct pipa_perf_chunk *chunk, struct pipa_perf_reader *reader,
			struct pipa_error *err)
{
	struct pipa_ingest *ingest = pipa_perf_chunk_ingest(chunk);
	int rc = pipa_perf_reader_run_samples(reader, pipa_ingest_sink(ingest), err);

	return rc ? rc : pipa_ingest_flush(ingest);
}

static void run_other(void *ctx)
{
	struct other *other = ctx;

	other->rc = read_samples(&other->chunk, other->reader, &other->err);
}

/* Create the readers of the other threads; one without a reader has nothing to do. */
static int divide(struct chunks *s)
{
	struct pipa_perf_reader *readers[THREADS_MAX];
	size_t i;
	int n = s->first->jitdumps && s->first->jitdumps->n ?
			0 : /* side-band records are read by one thread */
			pipa_perf_reader_divide(s->first->reader, s->n + 1, readers);

	for (i = 0; i < s->n; i++)
		s->others[i].reader = n > (int)i ? readers[i] : NULL;
	return n < 0 ? n : 0;
}

static int run_all(struct chunks *s, struct pipa_error *err)
{
	size_t i;
	int rc;

	for (i = 0; i < s->n; i++)
		if (s->others[i].reader)
			pipa_worker_start(&s->others[i].thread, "pipa-ingest",
					  PIPA_WORKER_STACK_PARSE, run_other, &s->others[i]);
	rc = read_samples(s->first, s->first->reader, err);
	for (i = 0; i < s->n; i++) {
		struct other *other = &s->others[i];

		if (other->thread.running)
			pipa_worker_join(&other->thread);
		else if (other->reader && !rc)
			run_other(other);
		if (!rc && other->rc) {
			rc = other->rc;
			if (err)
				*err = other->err;
		}
	}
	return rc;
}

/* ---- merge ----------------------------------------------------------------------------------- */

static void add_damage(struct pipa_damage *to, const struct pipa_damage *from)
{
	uint64_t count = to->count + from->count;

	if (!to->count)
		*to = *from;
	to->count = count;
}

static void close_other(struct other *other)
{
	pipa_perf_reader_close(other->reader);
	pipa_perf_chunk_done(&other->chunk);
	pipa_unwind_tables_free(other->chunk.tables);
	pipa_code_files_free(other->chunk.files);
	pipa_profile_done(&other->profile);
	pipa_timeline_done(&other->timeline);
}

/*
 * Merge a chunk into the first one. Entries of its timeline refer to its samples, whose indexes
 * change.
 */
static int merge_chunk(struct pipa_perf_chunk *first, struct other *other)
{
	PIPA_AUTO(free) uint32_t *samples = NULL;
	int rc;

	if (!first->timeline)
		return pipa_profile_merge(first->profile, &other->profile);
	samples = malloc(other->profile.samples.n * sizeof(*samples) + 1);
	if (!samples)
		return -ENOMEM;
	rc = pipa_profile_merge_numbered(first->profile, &other->profile, samples);
	if (!rc)
		rc = pipa_timeline_merge(first->timeline, &other->timeline, samples);
	pipa_timeline_done(&other->timeline);
	return rc;
}

/* Merge all chunks in file order; each is freed before the next one is merged. */
static int merge_chunks(struct chunks *s)
{
	struct pipa_damage *damage = &pipa_perf_reader_recording(s->first->reader)->damage;
	int rc = 0;
	size_t i;

	/* free memory before the first profile grows */
	pipa_ingest_free(pipa_profile_builder_take(s->first->builder));
	for (i = 0; i < s->n; i++) {
		pipa_perf_chunk_done(&s->others[i].chunk);
		pipa_profile_close(&s->others[i].profile);
	}
	for (i = 0; !rc && i < s->n; i++) {
		struct other *other = &s->others[i];

		if (!other->reader)
			continue;
		rc = merge_chunk(s->first, other);
		add_damage(damage, &pipa_perf_reader_recording(other->reader)->damage);
		pipa_profile_done(&other->profile);
	}
	return rc;
}

/* Open a chunk for another thread, with files of its own profile. 0 or -ENOMEM. */
static int open_other(struct chunks *s, const struct pipa_load_options *o, struct other *other)
{
	struct pipa_perf_chunk *chunk = &other->chunk;

	chunk->reader = s->first->reader;
	chunk->profile = &other->profile;
	chunk->timeline = s->first->timeline ? &other->timeline : NULL;
	chunk->files = pipa_code_files_new(pipa_code_files_locate(s->first->files), chunk->profile,
					   pipa_perf_reader_recording(chunk->reader));
	if (!chunk->files)
		return -ENOMEM;
	pipa_code_files_set_lock(chunk->files, &s->lock);
	chunk->tables = pipa_unwind_tables_new(chunk->files);
	return pipa_perf_chunk_init(chunk, o);
}

static int open_all(struct chunks *s, const struct pipa_load_options *o, size_t n)
{
	int rc = pipa_perf_chunk_init(s->first, o);

	pipa_code_files_set_lock(s->first->files, &s->lock);
	s->others = calloc(n, sizeof(*s->others));
	if (!s->others)
		return -ENOMEM;
	for (; !rc && s->n + 1 < n; s->n++)
		rc = open_other(s, o, &s->others[s->n]);
	return rc;
}

int pipa_perf_chunks_run(struct pipa_perf_chunk *first, const struct pipa_load_options *o, size_t n,
			 struct pipa_error *err)
{
	struct chunks s = { .sink = { .map = on_map,
				      .comm = on_comm,
				      .fork = on_fork,
				      .lost = on_lost,
				      .throttle = on_throttle,
				      .ksymbol = on_ksymbol },
			    .first = first,
			    .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t i;
	int rc;

	rc = open_all(&s, o, n < THREADS_MAX ? n : THREADS_MAX);
	if (!rc)
		rc = pipa_perf_reader_run_others(first->reader, &s.sink, err);
	if (!rc)
		rc = divide(&s);
	if (!rc)
		rc = run_all(&s, err);
	if (!rc)
		rc = merge_chunks(&s);
	for (i = 0; i < s.n; i++)
		close_other(&s.others[i]);
	free(s.others);
	pipa_code_files_set_lock(first->files, NULL);
	return rc;
}
