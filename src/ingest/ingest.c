#include "ingest/ingest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"
#include "ingest/ended_processes.h"
#include "ingest/jit_ranges.h"
#include "ingest/order_span.h"
#include "ingest/sample_table.h"
#include "ingest/sample_unwind.h"
#include "ingest/sideband_queue.h"
#include "ingest/spaces.h"
#include "ingest/stack_builder.h"
#include "ingest/stack_samples.h"
#include "ingest/threads.h"
#include "model/container.h"
#include "model/timeline.h"

enum { PENDING = 16, PENDING_WORDS = 128, TASKS = 64 };

/* Attributes of a sample without its chain. */
struct sample_context {
	struct pipa_sample sample; /* its stack is not set yet */
	struct pipa_where where;
	uint64_t seed; /* of the sample's hash */
	uint32_t cpu;
	uint32_t link; /* index in the timeline, 0: none */
};

/*
 * A sample whose slot in the table has been prefetched. Samples are processed with a delay of 16
 * samples, which hides the cache misses. Long chains bypass the queue.
 */
struct pending_sample {
	struct sample_context context;
	uint64_t hash;
	enum pipa_mode mode;
	size_t n;
	bool hashed; /* probably new: its outer frames are hashed and their stack is prefetched */
	uint64_t words[PENDING_WORDS];
	uint64_t hashes[PENDING_WORDS];
};

/* Cached state of a task in a range of time, by pid and tid. */
struct cached_task {
	bool valid;
	uint32_t pid, tid;
	uint32_t thread; /* index in the profile */
	struct pipa_order_span span;
	struct pipa_where where; /* `time` is not set */
	uint64_t seed;		 /* of the hashes of its chains */
};

struct known_cgroup {
	uint64_t id;
	uint32_t path; /* a string of the profile */
};

struct pipa_ingest {
	struct pipa_record_sink sink;
	struct pipa_ingest_options o;
	struct pipa_profile *profile;
	struct pipa_spaces *spaces;
	struct pipa_threads *threads;
	struct pipa_sideband_queue sideband;
	struct pipa_sample_table table;
	struct pipa_stack_samples stack_samples;
	struct cached_task tasks[TASKS];
	struct pending_sample pending[PENDING];
	size_t first, n_pending;
	struct pipa_stack_builder *builder;
	struct {
		uint32_t *items; /* index in the profile per event of the records */
		size_t n, cap;
	} events;
	struct {
		struct known_cgroup *items;
		size_t n, cap;
	} cgroups;
	struct pipa_sample_unwind *unwound; /* NULL: recorded chains are used */
	struct pipa_jit_ranges jits;	    /* pipa_space_mark() is an index of it */
	struct pipa_ended_processes ended;
};

void pipa_ingest_free(struct pipa_ingest *in)
{
	if (!in)
		return;
	pipa_sample_unwind_free(in->unwound);
	pipa_stack_builder_free(in->builder);
	pipa_spaces_free(in->spaces);
	pipa_threads_free(in->threads);
	pipa_jit_ranges_done(&in->jits);
	pipa_sideband_queue_done(&in->sideband);
	pipa_sample_table_done(&in->table);
	pipa_stack_samples_done(&in->stack_samples);
	pipa_ended_processes_done(&in->ended);
	free(in->events.items);
	free(in->cgroups.items);
	free(in);
}

/* ---- side-band records ----------------------------------------------------------------------- */

static int on_map(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		  const struct pipa_rec_map *map)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	struct pipa_ingest_code code;

	if (!map->executable || map->len > UINT64_MAX - map->start)
		return 0;
	return pipa_sideband_queue_map(&in->sideband, in->profile, id, map,
				       in->o.code && in->o.code(in->o.ctx, map, &code) ? &code :
											 NULL);
}

static int on_ksymbol(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		      const struct pipa_rec_ksymbol *symbol)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	/* removed code does not run, and its addresses are free for the next symbol */
	if (symbol->removed || !symbol->len || symbol->len > UINT64_MAX - symbol->start)
		return 0;
	return pipa_sideband_queue_ksymbol(&in->sideband, in->profile, id, symbol);
}

static int on_comm(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_comm *comm)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	return pipa_sideband_queue_comm(&in->sideband, in->profile, id, comm);
}

static int on_fork(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_task *task)
{
	return pipa_sideband_queue_fork(&((struct pipa_ingest *)(void *)self)->sideband, id, task);
}

/*
 * Request the profile's index of a record's event from the caller; PIPA_NONE on allocation failure.
 */
static uint32_t request_event(struct pipa_ingest *in, uint32_t event)
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

static inline uint32_t event_index(struct pipa_ingest *in, uint32_t event)
{
	return event < in->events.n ? in->events.items[event] : request_event(in, event);
}

void pipa_ingest_lost(struct pipa_ingest *in)
{
	if (in->unwound)
		pipa_sample_unwind_lost(in->unwound);
}

/* Add a record of a loss to the timeline, if there is one. 0 or -ENOMEM. */
static int mark_loss(struct pipa_ingest *in, const struct pipa_rec_id *id,
		     enum pipa_timed_mark_kind kind, uint64_t lost)
{
	const struct pipa_timed_mark mark = {
		.time = id->time,
		.lost = lost,
		.kind = kind,
		.event = id->event,
		.pid = id->pid,
		.tid = id->tid,
		.cpu = pipa_timed_sample_cpu(id->cpu),
	};

	if (!in->o.timeline || id->time < in->o.from_ns ||
	    (in->o.until_ns && id->time > in->o.until_ns))
		return 0;
	return pipa_timeline_mark(in->o.timeline, &mark);
}

static int on_lost(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		   const struct pipa_rec_lost *lost)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	uint32_t event = event_index(in, id->event);

	if (id->event != PIPA_UNKNOWN32 && event == PIPA_NONE)
		return -ENOMEM;
	if (lost->samples)
		in->profile->losses.lost_samples += lost->lost;
	else
		in->profile->losses.lost_records += lost->lost;
	pipa_ingest_lost(in);
	if (event < in->profile->events.n)
		in->profile->events.items[event].lost += lost->lost;
	return mark_loss(in, id, lost->samples ? PIPA_MARK_LOST_SAMPLES : PIPA_MARK_LOST,
			 lost->lost);
}

static int on_cgroup(struct pipa_record_sink *self, const struct pipa_rec_id *id PIPA_UNUSED,
		     const struct pipa_rec_cgroup *cgroup)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	uint32_t path = pipa_profile_text(in->profile, cgroup->path);
	struct known_cgroup *slot = path == PIPA_NO_STRING ? NULL : PIPA_VEC_ADD(&in->cgroups);

	if (!slot)
		return -ENOMEM;
	*slot = (struct known_cgroup){ cgroup->id, path };
	return 0;
}

static int on_throttle(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		       const struct pipa_rec_throttle *throttle)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	in->profile->losses.throttled += throttle->on;
	return mark_loss(in, id, throttle->on ? PIPA_MARK_THROTTLE : PIPA_MARK_UNTHROTTLE, 0);
}

/* Invalidate the cached tasks: their address spaces and names may have changed. */
static void invalidate_tasks(struct pipa_ingest *in)
{
	size_t i;

	for (i = 0; i < TASKS; i++)
		in->tasks[i].valid = false;
}

/* Apply queued side-band records. */
static int apply_sideband(struct pipa_ingest *in)
{
	invalidate_tasks(in);
	return pipa_sideband_queue_apply(&in->sideband, in->spaces, in->threads, &in->jits);
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Return the thread's index in the profile. Threads without a comm are named by their tid. */
static uint32_t find_thread(struct pipa_ingest *in, const struct pipa_rec_id *id,
			    struct pipa_order_span *span)
{
	struct pipa_thread thread = { .pid = id->pid, .tid = id->tid };
	char text[16];
	int len;

	/* the kernel reports -1 for a task that has exited */
	thread.comm = id->tid == PIPA_UNKNOWN32 ? PIPA_NO_NAME :
						  pipa_threads_find_span(in->threads, id->pid,
									 id->tid, id->order, span);
	if (thread.comm == PIPA_NO_NAME) {
		len = id->pid == 0 ? snprintf(text, sizeof(text), "swapper") :
				     snprintf(text, sizeof(text), ":%d", (int)id->tid);
		thread.comm = pipa_strings_add(&in->profile->strings, text, (size_t)len);
	}
	return thread.comm == PIPA_NO_STRING ? PIPA_NONE :
					       pipa_profile_thread(in->profile, &thread);
}

/* A call chain, or the single address of a sample without one. */
struct chain {
	const uint64_t *words;
	size_t n;
	enum pipa_mode mode;	/* of the first word */
	const uint64_t *hashes; /* of the outer frames, see ingest/stack_builder.h; or NULL */
	bool unwound;		/* then `how` is set */
	struct pipa_unwound_chain how;
};

/* Return the call chain of a sample, unwound if it has a stack dump. 0 or -ENOMEM. */
static int get_chain(struct pipa_ingest *in, const struct pipa_space *space,
		     const struct pipa_rec_id *id, const struct pipa_rec_sample *s,
		     struct chain *chain)
{
	int rc = in->unwound && s->user_regs.abi ?
			 pipa_unwound_chain(in->unwound, space, id, s, &chain->how) :
			 0;

	chain->words = s->chain;
	chain->n = s->chain_len;
	chain->mode = s->mode;
	chain->hashes = NULL;
	chain->unwound = false;
	if (rc > 0) {
		chain->unwound = !chain->how.recorded;
		chain->words = chain->how.words;
		chain->n = chain->how.n;
	} else if (!s->chain_len) {
		chain->words = &s->ip;
		chain->n = s->ip != PIPA_UNKNOWN;
	} else if (in->o.no_stacks) { /* frames that are not used must not distinguish samples */
		for (; chain->n && chain->words[0] >= PIPA_CHAIN_CONTEXT;
		     chain->words++, chain->n--)
			chain->mode = pipa_chain_mode(chain->words[0], chain->mode);
		chain->n = chain->n ? 1 : 0;
	}
	return rc < 0 ? rc : 0;
}

/* Hash everything that distinguishes samples. */
static uint64_t hash_sample(const struct pipa_ingest *in, const struct chain *chain,
			    const struct sample_context *context)
{
	const struct pipa_where *where = &context->where;
	const struct pipa_sample *sample = &context->sample;
	uint64_t seed = context->seed, hash;

	if (where->jit != PIPA_NO_JIT)
		seed = pipa_jit_ranges_seed(&in->jits, where->jit, chain->words, chain->n,
					    where->time, seed);
	seed = pipa_hash_u64((uint64_t)sample->thread << 32 | sample->cpu, seed ^ chain->mode);
	seed += sample->event + sample->labels * PIPA_HASH_SEED;
	hash = pipa_hash_words(chain->words, chain->n, seed);
	return hash ? hash : 1;
}

/*
 * Return the entry of a hash, and add the sample and its stack to the profile if it is new. NULL on
 * allocation failure.
 */
static struct pipa_sample_slot *get_entry(struct pipa_ingest *in, uint64_t hash,
					  struct sample_context *context, const struct chain *chain)
{
	struct pipa_sample *sample = &context->sample;
	const struct pipa_where *where = &context->where;
	struct pipa_sample_slot *entry = pipa_sample_table_get(&in->table, hash);
	uint32_t number;
	int rc;

	if (!entry || entry->id)
		return entry;
	rc = chain->hashes ?
		     pipa_stack_builder_get_hashed(in->builder, where, chain->words, chain->n,
						   chain->mode, chain->hashes, &sample->stack) :
		     pipa_stack_builder_get(in->builder, where, chain->words, chain->n, chain->mode,
					    &sample->stack);
	if (rc < 0)
		return NULL;
	number = pipa_stack_samples_get(&in->stack_samples, in->profile, sample);
	entry->id = number == PIPA_NONE ? 0 : number + 1;
	return entry->id ? entry : NULL;
}

/*
 * Add a sample to the timeline. A count that exceeds the range of an entry takes several entries. 0
 * or -ENOMEM.
 */
static int add_to_timeline(struct pipa_ingest *in, uint32_t sample,
			   const struct sample_context *context)
{
	struct pipa_timed_sample moment = { context->where.time, context->sample.weight, sample,
					    pipa_timed_sample_cpu(context->cpu), 0 };
	uint64_t left = context->sample.count;
	int rc = 0;

	while (!rc && left) {
		moment.more = (uint16_t)(left <= UINT16_MAX ? left - 1 : UINT16_MAX);
		left -= moment.more + UINT64_C(1);
		rc = pipa_timeline_add_linked(in->o.timeline, &moment, context->link);
		moment.weight = 0;
	}
	return rc;
}

/*
 * Add a sample to that of the profile and to the timeline. 0 or -ENOMEM. The event is taken from
 * the context: in the profile's sample it may be in a cache line that was not prefetched.
 */
static int count_sample(struct pipa_ingest *in, const struct pipa_sample_slot *entry,
			const struct sample_context *context)
{
	pipa_profile_add_weight_of(in->profile, entry->id - 1, context->sample.event,
				   context->sample.weight, context->sample.count);
	return in->o.timeline ? add_to_timeline(in, entry->id - 1, context) : 0;
}

/* Process the oldest pending sample. */
static int process_pending(struct pipa_ingest *in)
{
	struct pending_sample *p = &in->pending[in->first];
	struct chain chain = { .words = p->words,
			       .n = p->n,
			       .mode = p->mode,
			       .hashes = p->hashed ? p->hashes : NULL };
	struct pipa_sample_slot *entry = get_entry(in, p->hash, &p->context, &chain);

	in->first = (in->first + 1) % PENDING;
	in->n_pending--;
	return entry ? count_sample(in, entry, &p->context) : -ENOMEM;
}

static int process_all_pending(struct pipa_ingest *in)
{
	int rc = 0;

	while (!rc && in->n_pending)
		rc = process_pending(in);
	return rc;
}

/*
 * Set the process of a thread that has none yet. Its executable is the file that was mapped first.
 * 0 or -ENOMEM.
 */
static int set_process(struct pipa_ingest *in, const struct cached_task *task)
{
	struct pipa_profile *p = in->profile;
	struct pipa_profile_process process = { .pid = task->pid };
	uint32_t object = pipa_space_first(task->where.user), number;

	if (p->threads.items[task->thread].process || !task->pid || task->pid == PIPA_UNKNOWN32)
		return 0;
	if (object < p->objects.n && p->objects.items[object].kind == PIPA_OBJECT_FILE)
		process.exe = p->objects.items[object].path;
	number = pipa_profile_process(p, &process);
	if (number == PIPA_NONE)
		return -ENOMEM;
	p->threads.items[task->thread].process = number;
	return 0;
}

/* Look up the task of a sample at its time. NULL on allocation failure. */
static const struct cached_task *look_up_task(struct pipa_ingest *in, const struct pipa_rec_id *id,
					      struct cached_task *task)
{
	struct pipa_where *where = &task->where;

	*task = (struct cached_task){ .pid = id->pid, .tid = id->tid, .span = PIPA_ORDER_ALWAYS };
	task->thread = find_thread(in, id, &task->span);
	where->user = pipa_spaces_find_span(in->spaces, id->pid, id->order, &task->span);
	where->kernel = pipa_spaces_find_span(in->spaces, PIPA_KERNEL_PID, id->order, &task->span);
	where->jit = pipa_space_mark(where->user);
	task->seed = pipa_hash_u64(pipa_space_key(where->user), pipa_space_key(where->kernel));
	task->valid = task->thread != PIPA_NONE && set_process(in, task) == 0;
	return task->valid ? task : NULL;
}

static inline const struct cached_task *find_task(struct pipa_ingest *in,
						  const struct pipa_rec_id *id)
{
	struct cached_task *task = &in->tasks[id->tid % TASKS];

	if (task->valid && task->pid == id->pid && task->tid == id->tid &&
	    id->order >= task->span.first && id->order <= task->span.last)
		return task;
	return look_up_task(in, id, task);
}

/* Fill in the attributes of a sample except for its chain. 0 or -ENOMEM. */
static int fill_context(struct pipa_ingest *in, const struct pipa_rec_id *id,
			const struct pipa_rec_sample *s, struct sample_context *ret)
{
	const struct cached_task *task;

	if (in->sideband.n && (process_all_pending(in) < 0 || apply_sideband(in) < 0))
		return -ENOMEM;
	task = find_task(in, id);
	if (!task)
		return -ENOMEM;
	ret->sample.event = event_index(in, id->event);
	ret->sample.cpu = in->o.by_cpu ? id->cpu : PIPA_NONE;
	ret->sample.thread = task->thread;
	ret->sample.labels = in->o.labels ? in->o.labels(in->o.ctx, id, s) : 0;
	ret->where = task->where;
	ret->where.time = id->time;
	ret->seed = task->seed;
	ret->cpu = id->cpu;
	return ret->sample.event == PIPA_NONE || ret->sample.labels == PIPA_NONE ? -ENOMEM : 0;
}

/* Return the entry of a sample and its chain. NULL on allocation failure. */
static struct pipa_sample_slot *find_entry(struct pipa_ingest *in, const struct pipa_rec_id *id,
					   const struct pipa_rec_sample *s, struct chain *chain)
{
	struct sample_context context = { 0 };

	if (fill_context(in, id, s, &context) < 0 ||
	    get_chain(in, context.where.user, id, s, chain) < 0)
		return NULL;
	return get_entry(in, hash_sample(in, chain, &context), &context, chain);
}

int pipa_ingest_find(struct pipa_ingest *in, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *s, struct pipa_ingest_found *ret)
{
	struct chain chain;
	const struct pipa_sample_slot *entry = find_entry(in, id, s, &chain);
	const struct pipa_sample *sample;

	if (!entry)
		return -ENOMEM;
	sample = &in->profile->samples.items[entry->id - 1];
	*ret = (struct pipa_ingest_found){ .stack = sample->stack, .thread = sample->thread };
	if (chain.words != &s->ip) {
		ret->chain = chain.words;
		ret->chain_len = chain.n;
		ret->unwound = chain.unwound;
	}
	return 0;
}

static int count_unwound(struct pipa_ingest *in, const struct pipa_unwound_chain *how, uint64_t n)
{
	struct pipa_losses *losses = &in->profile->losses;

	losses->unwound += n;
	losses->unwound_fp_fallback += how->fp_fallback > 0 ? n : 0;
	losses->unwound_joined += how->joined ? n : 0;
	if (how->needed > losses->stack_needed)
		losses->stack_needed = how->needed;
	if (how->end == PIPA_STACK_COMPLETE)
		return 0;
	losses->unwound_truncated += n;
	return pipa_profile_truncated_many(in->profile, how->object, how->end, n);
}

/*
 * Count the reason for which a recorded chain ended. Chains that were unwound while recording
 * encode it; kernel chains do if they are truncated.
 */
static int count_recorded(struct pipa_ingest *in, const struct pipa_rec_id *id,
			  const struct chain *chain, uint64_t count)
{
	const struct pipa_range *range;
	struct pipa_chain_tail tail;
	size_t n;

	in->profile->losses.chains += chain->n > 1 ? count : 0;
	if (!chain->n || chain->words[chain->n - 1] != PIPA_CHAIN_USER)
		return 0;
	tail = pipa_chain_tail(chain->words, chain->n);
	n = chain->n - tail.marks;
	in->profile->losses.unwound_fp_fallback += tail.fp_fallback ? count : 0;
	in->profile->losses.unwound_joined += tail.joined ? count : 0;
	if (tail.end == PIPA_STACK_COMPLETE)
		return 0;
	in->profile->losses.unwound_truncated += count;
	range = n ? pipa_space_at(pipa_spaces_find(in->spaces, id->pid, id->order),
				  chain->words[n - 1] - (n > 1)) :
		    NULL;
	return pipa_profile_truncated_many(in->profile, range ? range->object : PIPA_NONE, tail.end,
					   count);
}

int pipa_ingest_unwind(struct pipa_ingest *in, const struct pipa_rec_id *id,
		       const struct pipa_rec_sample *s, struct pipa_unwound_chain *ret)
{
	int rc = in->sideband.n ? process_all_pending(in) : 0;

	if (!rc && in->sideband.n)
		rc = apply_sideband(in);
	if (rc < 0 || !in->unwound)
		return rc;
	rc = pipa_unwound_chain(in->unwound, pipa_spaces_find(in->spaces, id->pid, id->order), id,
				s, ret);
	if (rc > 0 && count_unwound(in, ret, 1) < 0)
		return -ENOMEM;
	return rc;
}

static int on_exit_record(struct pipa_record_sink *self, const struct pipa_rec_id *id,
			  const struct pipa_rec_task *task)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;

	if (task->pid != task->tid)
		return 0;
	return pipa_ended_processes_add(&in->ended, task->pid, id->order);
}

static void drop_process(void *ctx, const struct pipa_ended_process *process)
{
	struct pipa_ingest *in = ctx;

	invalidate_tasks(in);
	pipa_spaces_forget(in->spaces, process->pid, process->order);
}

size_t pipa_ingest_size(const struct pipa_ingest *in)
{
	return pipa_spaces_size(in->spaces) + pipa_threads_size(in->threads) + in->sideband.n;
}

void pipa_ingest_end_round(struct pipa_ingest *in)
{
	pipa_ended_processes_end_round(&in->ended, drop_process, in);
}

int pipa_ingest_flush(struct pipa_ingest *in)
{
	return process_all_pending(in);
}

void pipa_ingest_forget_events(struct pipa_ingest *in)
{
	in->o.event = NULL;
}

/* Return the next free entry of the queue; NULL on allocation failure. */
static struct pending_sample *next_pending(struct pipa_ingest *in)
{
	if (in->n_pending == PENDING && process_pending(in) < 0)
		return NULL;
	return &in->pending[(in->first + in->n_pending) % PENDING];
}

/*
 * Prefetch the sample of the profile that a pending one adds to, or hash the frames of a new one.
 */
static void prefetch_entry(struct pipa_ingest *in, struct pending_sample *p)
{
	uint32_t id = pipa_sample_table_find(&in->table, p->hash);

	if (id)
		__builtin_prefetch(&in->profile->samples.items[id - 1].weight, 1);
	else
		p->hashed = pipa_stack_builder_prefetch(in->builder, &p->context.where, p->words,
							p->n, p->mode, p->hashes);
}

/* Return the pending sample that was queued that many samples before the last one. */
static struct pending_sample *pending_before(struct pipa_ingest *in, size_t others)
{
	return &in->pending[(in->first + in->n_pending - 1 - others) % PENDING];
}

static void queue_sample(struct pipa_ingest *in, struct pending_sample *p,
			 const struct chain *chain)
{
	p->mode = chain->mode;
	p->n = chain->n;
	p->hash = hash_sample(in, chain, &p->context);
	p->hashed = false;
	memcpy(p->words, chain->words, chain->n * sizeof(*p->words));
	pipa_sample_table_prefetch(&in->table, p->hash);
	in->n_pending++;
	/* the distance between the steps gives each prefetch time to complete */
	if (in->n_pending < PENDING)
		return;
	prefetch_entry(in, pending_before(in, PENDING / 2 - 1));
	p = pending_before(in, PENDING - 3);
	if (p->hashed)
		pipa_stack_builder_prefetch_stack(in->builder, &p->context.where, p->words, p->n,
						  p->mode, p->hashes);
}

/* Add the squares of `count` equal periods whose sum is `period`. */
static void add_square(struct pipa_profile *p, uint32_t event, uint64_t period, uint64_t count)
{
	double square = (double)period * (double)period;

	if (event < p->events.n)
		p->events.items[event].squares += count > 1 ? square / (double)count : square;
}

/* Set the cgroup and container of a sample's process, unless set. 0 or -ENOMEM. */
static int set_cgroup(struct pipa_ingest *in, const struct sample_context *context, uint64_t id)
{
	struct pipa_profile *p = in->profile;
	struct pipa_profile_process *process;
	const char *path, *container;
	size_t i;

	if (!p->threads.items[context->sample.thread].process)
		return 0;
	process = &p->processes.items[p->threads.items[context->sample.thread].process];
	if (process->cgroup)
		return 0;
	for (i = 0; i < in->cgroups.n && in->cgroups.items[i].id != id; i++)
		;
	if (i == in->cgroups.n)
		return 0;
	path = pipa_profile_string(p, in->cgroups.items[i].path);
	container = pipa_container_id(path);
	process->cgroup = in->cgroups.items[i].path;
	if (!container)
		return 0;
	process->container = pipa_strings_add(&p->strings, container, PIPA_CONTAINER_ID);
	return process->container == PIPA_NO_STRING ? -ENOMEM : 0;
}

static int on_sample(struct pipa_record_sink *self, const struct pipa_rec_id *id,
		     const struct pipa_rec_sample *s)
{
	struct pipa_ingest *in = (struct pipa_ingest *)(void *)self;
	struct pending_sample *p;
	struct sample_context *context;
	struct pipa_sample_slot *entry;
	struct chain chain;

	if (id->time != PIPA_UNKNOWN &&
	    (id->time < in->o.from_ns || (in->o.until_ns && id->time > in->o.until_ns)))
		return 0;
	p = next_pending(in);
	if (!p)
		return -ENOMEM;
	context = &p->context;
	if (fill_context(in, id, s, context) < 0 ||
	    get_chain(in, context->where.user, id, s, &chain) < 0)
		return -ENOMEM;
	context->sample.weight = s->period;
	context->sample.count = s->count ? s->count : 1;
	context->link = s->link && in->o.timeline ? pipa_timeline_link(in->o.timeline, s->link) : 0;
	if (context->link == PIPA_NONE || (in->cgroups.n && set_cgroup(in, context, s->cgroup) < 0))
		return -ENOMEM;
	add_square(in->profile, context->sample.event, s->period, context->sample.count);
	if ((chain.unwound ? count_unwound(in, &chain.how, context->sample.count) :
			     count_recorded(in, id, &chain, context->sample.count)) < 0)
		return -ENOMEM;
	if (chain.n <= PENDING_WORDS) {
		queue_sample(in, p, &chain);
		return 0;
	}
	entry = process_all_pending(in) < 0 ?
			NULL :
			get_entry(in, hash_sample(in, &chain, context), context, &chain);
	return entry ? count_sample(in, entry, context) : -ENOMEM;
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
	if (options->unwind && !options->no_stacks) { /* the innermost frame needs no unwinding */
		in->unwound = pipa_sample_unwind_new(options->unwind);
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
					      .ksymbol = on_ksymbol,
					      .cgroup = on_cgroup };
	if (options->live)
		in->sink.exit = on_exit_record;
	if (in->spaces && options->live)
		pipa_spaces_keep_recent(in->spaces);
	if (in->builder && in->spaces && in->threads)
		return in;
	pipa_ingest_free(in);
	return NULL;
}

struct pipa_record_sink *pipa_ingest_sink(struct pipa_ingest *in)
{
	return &in->sink;
}
