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
	MOST = 8,	 /* threads: after that, putting profiles together takes longer */
	LEAST = 4 << 20, /* bytes of a share that are worth a thread */
};

/* A thread and its share. */
struct other {
	struct pipa_perf_chunk share;
	struct pipa_profile profile;
	struct pipa_timeline timeline;
	struct pipa_perf_reader *reader; /* of its samples */
	struct pipa_worker thread;
	int rc;
	struct pipa_error err;
};

struct shares {
	struct pipa_record_sink sink; /* what all of them have to know */
	struct pipa_perf_chunk *first;
	struct other *others;
	size_t n; /* others */
	pthread_mutex_t lock;
};

size_t pipa_perf_chunks_worth(const struct pipa_perf_reader *reader)
{
	uint64_t most = pipa_perf_reader_size(reader) / LEAST;
	cpu_set_t cpus;
	size_t n = 1;

	if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0)
		n = (size_t)CPU_COUNT(&cpus);
	n = n < MOST ? n : MOST;
	return n < most ? n : (size_t)most;
}

/* ---- what all of them have to know ---------------------------------------------------------------- */

static struct pipa_record_sink *sink_of(const struct shares *s, size_t i)
{
	return pipa_ingest_sink(pipa_perf_chunk_ingest(i ? &s->others[i - 1].share : s->first));
}

#define HAND_ON(what, type)                                                                        \
	static int on_##what(struct pipa_record_sink *self, const struct pipa_rec_id *id,          \
			     const struct type *record)                                            \
	{                                                                                          \
		const struct shares *s = (const struct shares *)(void *)self;                      \
		int rc = 0;                                                                        \
		size_t i;                                                                          \
                                                                                                   \
		for (i = 0; !rc && i <= s->n; i++)                                                 \
			rc = sink_of(s, i)->what(sink_of(s, i), id, record);                       \
		return rc;                                                                         \
	}

HAND_ON(map, pipa_rec_map)
HAND_ON(comm, pipa_rec_comm)
HAND_ON(fork, pipa_rec_task)
HAND_ON(ksymbol, pipa_rec_ksymbol)

/* These are counted, once. */
static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_record_sink *first = sink_of((const struct shares *)(void *)self, 0);

	return first->lost(first, id, lost);
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_throttle *throttle)
{
	struct pipa_record_sink *first = sink_of((const struct shares *)(void *)self, 0);

	return first->throttle(first, id, throttle);
}

/* ---- samples ---------------------------------------------------------------------------------------- */

static int read_samples(const struct pipa_perf_chunk *share, struct pipa_perf_reader *reader,
			struct pipa_error *err)
{
	struct pipa_ingest *ingest = pipa_perf_chunk_ingest(share);
	int rc = pipa_perf_reader_run_samples(reader, pipa_ingest_sink(ingest), err);

	return rc ? rc : pipa_ingest_flush(ingest);
}

static void run_other(void *ctx)
{
	struct other *other = ctx;

	other->rc = read_samples(&other->share, other->reader, &other->err);
}

/* The readers of the others; those who get none have nothing to do. */
static int divide(struct shares *s)
{
	struct pipa_perf_reader *readers[MOST];
	size_t i;
	int n = s->first->jitdumps && s->first->jitdumps->n ?
			0 : /* what tells of code is for one thread */
			pipa_perf_reader_divide(s->first->reader, s->n + 1, readers);

	for (i = 0; i < s->n; i++)
		s->others[i].reader = n > (int)i ? readers[i] : NULL;
	return n < 0 ? n : 0;
}

static int run_all(struct shares *s, struct pipa_error *err)
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

/* ---- putting together ------------------------------------------------------------------------------- */

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
	pipa_perf_chunk_done(&other->share);
	pipa_unwind_tables_free(other->share.tables);
	pipa_code_files_free(other->share.files);
	pipa_profile_done(&other->profile);
	pipa_timeline_done(&other->timeline);
}

/* One of them. Its moments point to its samples, which have other numbers then. */
static int join_one(struct pipa_perf_chunk *first, struct other *other)
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

/* In their order. Each is gone before the next one is looked at. */
static int join_profiles(struct shares *s)
{
	struct pipa_damage *damage = &pipa_perf_reader_recording(s->first->reader)->damage;
	int rc = 0;
	size_t i;

	/* the first profile becomes larger: what is not needed any more goes before */
	pipa_ingest_free(pipa_profile_builder_take(s->first->builder));
	for (i = 0; i < s->n; i++) {
		pipa_perf_chunk_done(&s->others[i].share);
		pipa_profile_close(&s->others[i].profile);
	}
	for (i = 0; !rc && i < s->n; i++) {
		struct other *other = &s->others[i];

		if (!other->reader)
			continue;
		rc = join_one(s->first, other);
		add_damage(damage, &pipa_perf_reader_recording(other->reader)->damage);
		pipa_profile_done(&other->profile);
	}
	return rc;
}

/* Open a chunk for another thread, with files of its own profile. 0 or -ENOMEM. */
static int open_other(struct shares *s, const struct pipa_load_options *o, struct other *other)
{
	struct pipa_perf_chunk *share = &other->share;

	share->reader = s->first->reader;
	share->profile = &other->profile;
	share->timeline = s->first->timeline ? &other->timeline : NULL;
	share->files = pipa_code_files_new(pipa_code_files_locate(s->first->files), share->profile,
					   pipa_perf_reader_recording(share->reader));
	if (!share->files)
		return -ENOMEM;
	pipa_code_files_set_lock(share->files, &s->lock);
	share->tables = pipa_unwind_tables_new(share->files);
	return pipa_perf_chunk_init(share, o);
}

static int open_all(struct shares *s, const struct pipa_load_options *o, size_t n)
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
	struct shares s = { .sink = { .map = on_map,
				      .comm = on_comm,
				      .fork = on_fork,
				      .lost = on_lost,
				      .throttle = on_throttle,
				      .ksymbol = on_ksymbol },
			    .first = first,
			    .lock = PTHREAD_MUTEX_INITIALIZER };
	size_t i;
	int rc;

	rc = open_all(&s, o, n < MOST ? n : MOST);
	if (!rc)
		rc = pipa_perf_reader_run_others(first->reader, &s.sink, err);
	if (!rc)
		rc = divide(&s);
	if (!rc)
		rc = run_all(&s, err);
	if (!rc)
		rc = join_profiles(&s);
	for (i = 0; i < s.n; i++)
		close_other(&s.others[i]);
	free(s.others);
	pipa_code_files_set_lock(first->files, NULL);
	return rc;
}
