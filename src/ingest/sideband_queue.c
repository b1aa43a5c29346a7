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
	enum { CHANGE_MAP, CHANGE_NAME, CHANGE_EXEC, CHANGE_FORK } kind;
	uint32_t pid, tid, parent_pid, parent_tid;
	uint32_t name;
	bool made_up;
	struct pipa_range range;
	struct pipa_jit jit; /* code.find NULL: none */
};

void pipa_sideband_queue_done(struct pipa_sideband_queue *changes)
{
	free(changes->items);
	*changes = (struct pipa_sideband_queue){ 0 };
}

/* ---- what is learned ------------------------------------------------------------------------------ */

static int add(struct pipa_sideband_queue *changes, const struct pipa_rec_id *id,
	       const struct pipa_sideband_update *change)
{
	struct pipa_sideband_update *slot = PIPA_VEC_ADD(changes);

	if (!slot)
		return -ENOMEM;
	*slot = *change;
	slot->order = id->order;
	slot->seq = changes->n;
	return 0;
}

int pipa_sideband_queue_map(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
			    const struct pipa_rec_id *id, const struct pipa_rec_map *map,
			    const struct pipa_ingest_code *code)
{
	struct pipa_sideband_update change = { .kind = CHANGE_MAP };
	int rc = pipa_mapped_range(profile, map, &change.pid, &change.range);

	if (rc < 0)
		return rc;
	if (code) {
		change.jit.code = *code;
		change.jit.object = pipa_mapped_jitdump(profile, map);
		if (change.jit.object == PIPA_NONE)
			return -ENOMEM;
	}
	return add(changes, id, &change);
}

int pipa_sideband_queue_ksymbol(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
				const struct pipa_rec_id *id, const struct pipa_rec_ksymbol *symbol)
{
	struct pipa_sideband_update change = { .kind = CHANGE_MAP, .pid = PIPA_KERNEL_PID };
	int rc = pipa_mapped_ksymbol(profile, symbol, &change.range);

	return rc < 0 ? rc : add(changes, id, &change);
}

int pipa_sideband_queue_comm(struct pipa_sideband_queue *changes, struct pipa_profile *profile,
			     const struct pipa_rec_id *id, const struct pipa_rec_comm *comm)
{
	const struct pipa_sideband_update exec = { .kind = CHANGE_EXEC, .pid = comm->pid };
	const struct pipa_sideband_update name = { .kind = CHANGE_NAME,
						   .pid = comm->pid,
						   .tid = comm->tid,
						   .name = pipa_profile_text(profile, comm->name) };
	int rc = name.name == PIPA_NO_STRING ? -ENOMEM : 0;

	if (!rc && comm->exec)
		rc = add(changes, id, &exec);
	return rc ? rc : add(changes, id, &name);
}

int pipa_sideband_queue_fork(struct pipa_sideband_queue *changes, const struct pipa_rec_id *id,
			     const struct pipa_rec_task *task)
{
	const struct pipa_sideband_update change = { .kind = CHANGE_FORK,
						     .pid = task->pid,
						     .tid = task->tid,
						     .parent_pid = task->parent_pid,
						     .parent_tid = task->parent_tid,
						     .made_up = task->made_up };

	return add(changes, id, &change);
}

/* ---- where samples look for it -------------------------------------------------------------------- */

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
		return 0; /* reported again */
	number = pipa_jit_ranges_add(jits, &jit);
	pipa_spaces_mark(spaces, c->pid, number);
	return number == PIPA_NO_JIT ? -ENOMEM : 0;
}

static int apply_fork(const struct pipa_sideband_update *c, struct pipa_spaces *spaces,
		      struct pipa_threads *threads)
{
	int rc;

	if (c->made_up)
		return 0;
	rc = pipa_spaces_fork(spaces, c->parent_pid, c->pid, c->order);
	return rc ? rc :
		    pipa_threads_fork(threads, c->parent_pid, c->parent_tid, c->pid, c->tid,
				      c->order);
}

int pipa_sideband_queue_apply(struct pipa_sideband_queue *changes, struct pipa_spaces *spaces,
			      struct pipa_threads *threads, struct pipa_jit_ranges *jits)
{
	const struct pipa_sideband_update *c;
	size_t i;
	int rc = 0;

	qsort(changes->items, changes->n, sizeof(*changes->items), by_order);
	for (i = 0; !rc && i < changes->n; i++) {
		c = &changes->items[i];
		switch (c->kind) {
		case CHANGE_MAP: rc = apply_map(c, spaces, jits); break;
		case CHANGE_EXEC: rc = pipa_spaces_exec(spaces, c->pid); break;
		case CHANGE_NAME:
			rc = pipa_threads_name(threads, c->pid, c->tid, c->order, c->name);
			break;
		case CHANGE_FORK: rc = apply_fork(c, spaces, threads); break;
		}
	}
	changes->n = 0;
	return rc;
}
