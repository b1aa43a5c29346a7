#include "ingest/ingest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"
#include "ingest/changes.h"
#include "ingest/jits.h"
#include "ingest/sample_table.h"
#include "ingest/spaces.h"
#include "ingest/stack_builder.h"
#include "ingest/threads.h"
#include "ingest/unwound.h"
#include "model/timeline.h"

enum { WAIT = 8, WAIT_WORDS = 128 };

/*
 * A sample whose sum was asked for from memory and has not come yet: the next ones are looked at while it
 * does. Only those with a short chain wait.
 */
struct waiting {
	struct pipa_sample sample; /* without its stack */
	struct pipa_where where;
	uint64_t hash;
	uint32_t cpu;
	enum pipa_mode mode;
	size_t n;
	uint64_t words[WAIT_WORDS];
};

struct pipa_ingest {
	struct pipa_record_sink sink;
	struct pipa_ingest_options o;
	struct pipa_profile *profile;
	struct pipa_spaces *spaces;
	struct pipa_threads *threads;
	struct pipa_changes changes;
	struct pipa_sample_table table; /* id: the profile's sample + 1, 0: it has none yet */
	struct waiting waiting[WAIT];
	size_t first, n_waiting;
	struct pipa_stack_builder *builder;
	struct {
		uint32_t *items; /* the profile's number of each, as far as they were asked for */
		size_t n, cap;
	} events;
	struct pipa_unwound *unwound; /* NULL: chains are as they were recorded */
	struct pipa_jits jits;	      /* a space's mark is the number of its own */
};

void pipa_ingest_free(struct pipa_ingest *in)
{
	if (!in)
		return;
	pipa_unwound_free(in->unwound);
	pipa_stack_builder_free(in->builder);
	pipa_spaces_free(in->spaces);
	pipa_threads_free(in->threads);
	pipa_jits_done(&in->jits);
	pipa_changes_done(&in->changes);
	pipa_sample_table_done(&in->table);
	free(in->events.items);
	free(in);
}

/* ---- what is learned ------------------------------------------------------------------------------ */

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	struct pipa_ingest_code code;

	if (!map->executable || map->len > UINT64_MAX - map->start)
		return 0;
	return pipa_changes_map(&in->changes, in->profile, id, map,
				in->o.code && in->o.code(in->o.ctx, map, &code) ? &code : NULL);
}

static int on_ksymbol(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_ksymbol *symbol)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	/* what was taken away does not run: its place is free for what comes next */
	if (symbol->removed || !symbol->len || symbol->len > UINT64_MAX - symbol->start)
		return 0;
	return pipa_changes_ksymbol(&in->changes, in->profile, id, symbol);
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	return pipa_changes_comm(&in->changes, in->profile, id, comm);
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	return pipa_changes_fork(&((struct pipa_ingest *)(void *)self)->changes, id, task);
}

/* The profile's number of a record's event; PIPA_NONE without memory. */
static uint32_t event_of(struct pipa_ingest *in, uint32_t event)
{
	uint32_t *slot;

	if (event == PIPA_UNKNOWN32 || (event >= in->events.n && !in->o.event))
		return PIPA_NONE;
	while (in->events.n <= event) {
		slot = PIPA_VEC_ADD(&in->events);
		if (!slot)
			return PIPA_NONE;
		*slot = in->o.event(in->o.ctx, (uint32_t)in->events.n - 1);
		if (*slot == PIPA_NONE) {
			in->events.n--;
			return PIPA_NONE;
		}
	}
	return in->events.items[event];
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	uint32_t event = event_of(in, id->event);

	if (id->event != PIPA_UNKNOWN32 && event == PIPA_NONE)
		return -ENOMEM;
	if (lost->samples)
		in->profile->losses.lost_samples += lost->lost;
	else
		in->profile->losses.lost_records += lost->lost;
	if (event < in->profile->events.n)
		in->profile->events.items[event].lost += lost->lost;
	return 0;
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id PIPA_UNUSED,
		       const struct pipa_rec_throttle *throttle)
{
	((struct pipa_ingest *)(void *)self)->profile->losses.throttled += throttle->on;
	return 0;
}

/* Put what was learned where samples look for it. */
static int apply_changes(struct pipa_ingest *in)
{
	return pipa_changes_apply(&in->changes, in->spaces, in->threads, &in->jits);
}

/* ---- samples -------------------------------------------------------------------------------------- */

/* Its number in the profile. Threads nobody named are called by their number. */
static uint32_t find_thread(struct pipa_ingest *in, const struct pipa_rec_id *id)
{
	struct pipa_thread thread = { .pid = id->pid, .tid = id->tid };
	char text[16];
	int len;

	/* the kernel gives -1 for a task that is already gone: it is nobody's number */
	thread.comm = id->tid == PIPA_UNKNOWN32 ?
			      PIPA_NO_NAME :
			      pipa_threads_find(in->threads, id->pid, id->tid, id->order);
	if (thread.comm == PIPA_NO_NAME) {
		len = id->pid == 0 ? snprintf(text, sizeof(text), "swapper") :
				     snprintf(text, sizeof(text), ":%d", (int)id->tid);
		thread.comm = pipa_strings_add(&in->profile->strings, text, (size_t)len);
	}
	return thread.comm == PIPA_NO_STRING ? PIPA_NONE :
					       pipa_profile_thread(in->profile, &thread);
}

/* A call chain, or the address alone. */
struct chain {
	const uint64_t *words;
	size_t n;
	enum pipa_mode mode; /* of the first */
	bool unwound;	     /* and then: */
	struct pipa_unwound_chain how;
};

static int chain_of(struct pipa_ingest *in, const struct pipa_space *space,
		    const struct pipa_rec_id *id, const struct pipa_rec_sample *s,
		    struct chain *ret)
{
	struct chain chain = { .words = s->chain, .n = s->chain_len, .mode = s->mode };
	int rc = in->unwound && s->user_regs.abi ?
			 pipa_unwound_chain(in->unwound, space, id, s, &chain.how) :
			 0;

	if (rc > 0) {
		chain.unwound = !chain.how.recorded;
		chain.words = chain.how.words;
		chain.n = chain.how.n;
	} else if (!s->chain_len) {
		chain.words = &s->ip;
		chain.n = s->ip != PIPA_UNKNOWN;
	} else if (in->o.no_stacks) { /* what is not looked at must not tell samples apart */
		for (; chain.n && chain.words[0] >= PIPA_CHAIN_MARK; chain.words++, chain.n--)
			chain.mode = pipa_chain_mode(chain.words[0], chain.mode);
		chain.n = chain.n ? 1 : 0;
	}
	*ret = chain;
	return rc < 0 ? rc : 0;
}

static uint64_t hash_of(const struct pipa_ingest *in, const struct chain *chain,
			const struct pipa_where *where, const struct pipa_sample *sample)
{
	uint64_t seed = pipa_hash_u64(pipa_space_key(where->user), pipa_space_key(where->kernel));
	uint64_t hash;

	if (where->jit != PIPA_NO_JIT)
		seed = pipa_jits_seed(&in->jits, where->jit, chain->words, chain->n, where->time,
				      seed);
	seed = pipa_hash_u64((uint64_t)sample->thread << 32 | sample->cpu, seed ^ chain->mode);
	hash = pipa_hash_words(chain->words, chain->n, seed + sample->event);
	return hash ? hash : 1;
}

/* The sum with that hash; a new one gets its stack made. NULL without memory. */
static struct pipa_sample_sum *get_sum(struct pipa_ingest *in, uint64_t hash,
				       struct pipa_sample *sample, const struct pipa_where *where,
				       const struct chain *chain)
{
	struct pipa_sample_sum *sum = pipa_sample_table_get(&in->table, hash);
	size_t stacks = in->profile->stacks.n;
	uint32_t number;

	if (!sum || sum->id)
		return sum;
	if (pipa_stack_builder_get(in->builder, where, chain->words, chain->n, chain->mode,
				   &sample->stack) < 0)
		return NULL;
	/* a stack that is new has no samples yet */
	number = sample->stack != PIPA_NONE && sample->stack >= stacks ?
			 pipa_profile_new_sample(in->profile, sample) :
			 pipa_profile_sample(in->profile, sample);
	sum->id = number == PIPA_NONE ? 0 : number + 1;
	return sum->id ? sum : NULL;
}

/* What was summed up goes to the profile. */
static void settle_sum(struct pipa_ingest *in, struct pipa_sample_sum *sum)
{
	pipa_profile_weigh(in->profile, sum->id - 1, sum->weight, sum->count);
	sum->weight = 0;
	sum->count = 0;
}

/* One more sample. 0, or -ENOMEM without memory for its moment. */
static int add_to(struct pipa_ingest *in, struct pipa_sample_sum *sum, const struct waiting *w)
{
	const struct pipa_moment moment = { w->where.time, w->sample.weight, sum->id - 1, w->cpu };

	sum->weight += w->sample.weight;
	if (++sum->count == UINT32_MAX)
		settle_sum(in, sum);
	return in->o.timeline ? pipa_timeline_add(in->o.timeline, &moment) : 0;
}

/* The one that waits longest. */
static int finish_one(struct pipa_ingest *in)
{
	struct waiting *w = &in->waiting[in->first];
	struct chain chain = { .words = w->words, .n = w->n, .mode = w->mode };
	struct pipa_sample_sum *sum = get_sum(in, w->hash, &w->sample, &w->where, &chain);

	in->first = (in->first + 1) % WAIT;
	in->n_waiting--;
	return sum ? add_to(in, sum, w) : -ENOMEM;
}

static int finish_all(struct pipa_ingest *in)
{
	int rc = 0;

	while (!rc && in->n_waiting)
		rc = finish_one(in);
	return rc;
}

/* What is known of a sample but for its chain. 0 or -ENOMEM. */
static int look_at(struct pipa_ingest *in, const struct pipa_rec_id *id, struct pipa_sample *sample,
		   struct pipa_where *where)
{
	if (in->changes.n && (finish_all(in) < 0 || apply_changes(in) < 0))
		return -ENOMEM;
	sample->event = event_of(in, id->event);
	sample->cpu = in->o.by_cpu ? id->cpu : PIPA_NONE;
	sample->thread = find_thread(in, id);
	*where = (struct pipa_where){
		.user = pipa_spaces_find(in->spaces, id->pid, id->order),
		.kernel = pipa_spaces_find(in->spaces, PIPA_KERNEL_PID, id->order),
		.time = id->time,
	};
	where->jit = pipa_space_mark(where->user);
	return sample->thread == PIPA_NONE || sample->event == PIPA_NONE ? -ENOMEM : 0;
}

/* Where the sample belongs, and the chain that told. NULL without memory. */
static struct pipa_sample_sum *find_sum(struct pipa_ingest *in, const struct pipa_rec_id *id,
					const struct pipa_rec_sample *s, struct chain *chain)
{
	struct pipa_sample sample = { 0 };
	struct pipa_where where;

	if (look_at(in, id, &sample, &where) < 0 || chain_of(in, where.user, id, s, chain) < 0)
		return NULL;
	return get_sum(in, hash_of(in, chain, &where, &sample), &sample, &where, chain);
}

int pipa_ingest_find(struct pipa_ingest *in, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *s, struct pipa_ingest_found *ret)
{
	struct chain chain;
	const struct pipa_sample_sum *sum = find_sum(in, id, s, &chain);
	const struct pipa_sample *sample;

	if (!sum)
		return -ENOMEM;
	sample = &in->profile->samples.items[sum->id - 1];
	*ret = (struct pipa_ingest_found){ .stack = sample->stack, .thread = sample->thread };
	if (chain.words != &s->ip) {
		ret->chain = chain.words;
		ret->chain_len = chain.n;
		ret->unwound = chain.unwound;
	}
	return 0;
}

static int count_unwound(struct pipa_ingest *in, const struct pipa_unwound_chain *how)
{
	struct pipa_losses *losses = &in->profile->losses;

	losses->unwound++;
	losses->unwound_guessed += how->guessed > 0;
	losses->unwound_joined += how->joined;
	if (how->needed > losses->stack_needed)
		losses->stack_needed = how->needed;
	if (how->end == PIPA_STACK_COMPLETE)
		return 0;
	losses->unwound_cut++;
	return pipa_profile_cut(in->profile, how->object, how->end);
}

/* A chain that was unwound while recording tells how it ended; the kernel's do if they are cut. */
static int count_recorded(struct pipa_ingest *in, const struct pipa_rec_id *id,
			  const struct chain *chain)
{
	const struct pipa_range *range;
	struct pipa_chain_tail tail = pipa_chain_tail(chain->words, chain->n);
	size_t n = chain->n - tail.marks;

	in->profile->losses.chains += chain->n > 1;
	in->profile->losses.unwound_guessed += tail.guessed;
	in->profile->losses.unwound_joined += tail.joined;
	if (tail.end == PIPA_STACK_COMPLETE)
		return 0;
	in->profile->losses.unwound_cut++;
	range = n ? pipa_space_at(pipa_spaces_find(in->spaces, id->pid, id->order),
				  chain->words[n - 1] - (n > 1)) :
		    NULL;
	return pipa_profile_cut(in->profile, range ? range->object : PIPA_NONE, tail.end);
}

int pipa_ingest_unwind(struct pipa_ingest *in, const struct pipa_rec_id *id,
		       const struct pipa_rec_sample *s, struct pipa_unwound_chain *ret)
{
	int rc = in->changes.n ? finish_all(in) : 0;

	if (!rc && in->changes.n)
		rc = apply_changes(in);
	if (rc < 0 || !in->unwound)
		return rc;
	rc = pipa_unwound_chain(in->unwound, pipa_spaces_find(in->spaces, id->pid, id->order), id,
				s, ret);
	if (rc > 0 && count_unwound(in, ret) < 0)
		return -ENOMEM;
	return rc;
}

void pipa_ingest_forget(struct pipa_ingest *in, uint32_t pid, uint64_t order)
{
	pipa_spaces_forget(in->spaces, pid, order);
}

int pipa_ingest_settle(struct pipa_ingest *in)
{
	int rc = finish_all(in);
	size_t i;

	for (i = 0; i < in->table.n; i++)
		if (in->table.items[i].id)
			settle_sum(in, &in->table.items[i]);
	return rc;
}

void pipa_ingest_forget_events(struct pipa_ingest *in)
{
	in->o.event = NULL;
}

/* A place among those that wait, which nobody has; NULL without memory. */
static struct waiting *next_place(struct pipa_ingest *in)
{
	if (in->n_waiting == WAIT && finish_one(in) < 0)
		return NULL;
	return &in->waiting[(in->first + in->n_waiting) % WAIT];
}

static int wait_for_sum(struct pipa_ingest *in, struct waiting *w, const struct chain *chain)
{
	w->mode = chain->mode;
	w->n = chain->n;
	w->hash = hash_of(in, chain, &w->where, &w->sample);
	memcpy(w->words, chain->words, chain->n * sizeof(*w->words));
	pipa_sample_table_prefetch(&in->table, w->hash);
	in->n_waiting++;
	return 0;
}

static void add_square(struct pipa_profile *p, uint32_t event, uint64_t period)
{
	if (event < p->events.n)
		p->events.items[event].squares += (double)period * (double)period;
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *s)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	struct waiting *w;
	struct pipa_sample_sum *sum;
	struct chain chain;

	if (id->time != PIPA_UNKNOWN &&
	    (id->time < in->o.from_ns || (in->o.until_ns && id->time > in->o.until_ns)))
		return 0;
	w = next_place(in);
	if (!w || look_at(in, id, &w->sample, &w->where) < 0 ||
	    chain_of(in, w->where.user, id, s, &chain) < 0)
		return -ENOMEM;
	w->sample.weight = s->period;
	w->cpu = id->cpu;
	add_square(in->profile, w->sample.event, s->period);
	if ((chain.unwound ? count_unwound(in, &chain.how) : count_recorded(in, id, &chain)) < 0)
		return -ENOMEM;
	if (chain.n <= WAIT_WORDS)
		return wait_for_sum(in, w, &chain);
	sum = finish_all(in) < 0 ? NULL :
				   get_sum(in, hash_of(in, &chain, &w->where, &w->sample),
					   &w->sample, &w->where, &chain);
	return sum ? add_to(in, sum, w) : -ENOMEM;
}

struct pipa_ingest *pipa_ingest_new(struct pipa_profile *profile,
				    const struct pipa_ingest_options *options)
{
	struct pipa_ingest *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->o = *options;
	in->profile = profile;
	in->builder = pipa_stack_builder_new(profile, &in->jits,
					     options->no_stacks ? 1 : options->max_stack);
	if (options->unwind && !options->no_stacks) { /* the innermost frame is known without */
		in->unwound = pipa_unwound_new(options->unwind);
		if (!in->unwound) {
			pipa_ingest_free(in);
			return NULL;
		}
	}
	in->spaces = pipa_spaces_new();
	in->threads = pipa_threads_new();
	in->sink = (struct pipa_record_sink){ .map = on_map,
					      .comm = on_comm,
					      .fork = on_fork,
					      .sample = on_sample,
					      .lost = on_lost,
					      .throttle = on_throttle,
					      .ksymbol = on_ksymbol };
	if (in->spaces && options->live)
		pipa_spaces_keep_few(in->spaces);
	if (in->builder && in->spaces && in->threads)
		return in;
	pipa_ingest_free(in);
	return NULL;
}

struct pipa_record_sink *pipa_ingest_sink(struct pipa_ingest *in)
{
	return &in->sink;
}
