#include "ingest/sideband_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "ingest/ingest.h"
#include "ingest/jit_ranges.h"
#include "ingest/mapped.h"
#include "ingest/spaces.h"
#include "ingest/threads.h"

struct pipa_sideband_update {
	uint64_t order, seq;
	enum { UPDATE_MAP, UPDATE_NAME, UPDATE_EXEC, UPDATE_FORK } kind;
	uint32_t pid, tid, parent_pid, parent_tid;
	uint32_t name;
	bool synthesized;
	struct pipa_range range;
	struct pipa_jit jit; /* code.find NULL: not a jitdump */
};

void pipa_sideband_queue_done(struct pipa_sideband_queue *queue)
{
	free(queue->items);
	*queue = (struct pipa_sideband_queue){ 0 };
}

/* ---- queue ----------------------------------------------------------------------------------- */

static int queue_update(struct pipa_sideband_queue *queue, const struct pipa_rec_id *id,
			const struct pipa_sideband_update *update)
{
	struct pipa_sideband_update *slot = PIPA_VEC_ADD(queue);

	if (!slot)
		return -ENOMEM;
	*slot = *update;
	slot->order = id->order;
	slot->seq = queue->n;
	return 0;
}

int pipa_sideband_queue_map(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
			    const struct pipa_rec_id *id, const struct pipa_rec_map *map,
			    const struct pipa_ingest_code *code)
{
	struct pipa_sideband_update update = { .kind = UPDATE_MAP };
	int rc = pipa_mapped_range(profile, map, &update.pid, &update.range);

	if (rc < 0)
		return rc;
	if (code) {
		update.jit.code = *code;
		update.jit.object = pipa_mapped_jitdump(profile, map);
		if (update.jit.object == PIPA_NONE)
			return -ENOMEM;
	}
	return queue_update(queue, id, &update);
}

int pipa_sideband_queue_ksymbol(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
				const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol)
{
	struct pipa_sideband_update update = { .kind = UPDATE_MAP, .pid = PIPA_KERNEL_PID };
	int rc = pipa_mapped_ksymbol(profile, symbol, &update.range);

	return rc < 0 ? rc : queue_update(queue, id, &update);
}

int pipa_sideband_queue_comm(struct pipa_sideband_queue *queue, struct pipa_profile *profile,
			     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm)
{
	const struct pipa_sideband_update exec = { .kind = UPDATE_EXEC, .pid = comm->pid };
	const struct pipa_sideband_update name = { .kind = UPDATE_NAME,
						   .pid = comm->pid,
						   .tid = comm->tid,
						   .name = pipa_profile_text(profile, comm->name) };
	int rc = name.name == PIPA_NO_STRING ? -ENOMEM : 0;

	if (!rc && comm->exec)
		rc = queue_update(queue, id, &exec);
	return rc ? rc : queue_update(queue, id, &name);
}

int pipa_sideband_queue_fork(struct pipa_sideband_queue *queue, const struct pipa_rec_id *id,
			     const struct pipa_rec_task *task)
{
	const struct pipa_sideband_update update = { .kind = UPDATE_FORK,
						     .pid = task->pid,
						     .tid = task->tid,
						     .parent_pid = task->parent_pid,
						     .parent_tid = task->parent_tid,
						     .synthesized = task->synthesized };

	return queue_update(queue, id, &update);
}

/* ---- apply ----------------------------------------------------------------------------------- */

static int by_order(const void *a, const void *b)
{
	const struct pipa_sideband_update *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int apply_map(const struct pipa_sideband_update *c, struct pipa_spaces *spaces,
		     struct pipa_jit_ranges *jits)
{
	struct pipa_jit jit = c->jit;
	uint32_t number;
	int rc = pipa_spaces_map(spaces, c->pid, c->order, &c->range);

	if (rc < 0 || !jit.code.find)
		return rc;
	jit.below = pipa_spaces_last_mark(spaces, c->pid);
	if (jit.below != PIPA_NO_JIT && jits->items[jit.below].object == jit.object)
		return 0; /* known already */
	number = pipa_jit_ranges_add(jits, &jit);
	pipa_spaces_mark(spaces, c->pid, number);
	return number == PIPA_NO_JIT ? -ENOMEM : 0;
}

static int apply_fork(const struct pipa_sideband_update *c, struct pipa_spaces *spaces,
		      struct pipa_threads *threads)
{
	int rc;

	if (c->synthesized)
		return 0;
	rc = pipa_spaces_fork(spaces, c->parent_pid, c->pid, c->order);
	return rc ? rc :
		    pipa_threads_fork(threads, c->parent_pid, c->parent_tid, c->pid, c->tid,
				      c->order);
}

int pipa_sideband_queue_apply(struct pipa_sideband_queue *queue, struct pipa_spaces *spaces,
			      struct pipa_threads *threads, struct pipa_jit_ranges *jits)
{
	const struct pipa_sideband_update *c;
	size_t i;
	int rc = 0;

	qsort(queue->items, queue->n, sizeof(*queue->items), by_order);
	for (i = 0; !rc && i < queue->n; i++) {
		c = &queue->items[i];
		switch (c->kind) {
		case UPDATE_MAP: rc = apply_map(c, spaces, jits); break;
		case UPDATE_EXEC: rc = pipa_spaces_exec(spaces, c->pid); break;
		case UPDATE_NAME:
			rc = pipa_threads_name(threads, c->pid, c->tid, c->order, c->name);
			break;
		case UPDATE_FORK: rc = apply_fork(c, spaces, threads); break;
		}
	}
	queue->n = 0;
	return rc;
}
