#include "ingest/threads.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "ingest/order_span.h"

struct named {
	uint64_t order;
	uint32_t name;
};

struct thread {
	uint32_t pid, tid;
	struct named *items; /* oldest first */
	size_t n, cap;
};

struct pipa_threads {
	struct thread *items;
	size_t n, cap;
	size_t names; /* of all threads */
	struct pipa_index index;
};

struct pipa_threads *pipa_threads_new(void)
{
	return calloc(1, sizeof(struct pipa_threads));
}

void pipa_threads_free(struct pipa_threads *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		free(t->items[i].items);
	free(t->items);
	pipa_index_done(&t->index);
	free(t);
}

static uint64_t hash_thread(uint32_t pid, uint32_t tid)
{
	return pipa_hash_u64((uint64_t)pid << 32 | tid, PIPA_HASH_SEED);
}

static struct thread *find_thread(const struct pipa_threads *t, uint32_t pid, uint32_t tid)
{
	uint64_t hash = hash_thread(pid, tid);
	const struct pipa_index_slot *slot = pipa_index_start(&t->index, hash);

	for (; slot->id; slot = pipa_index_after(&t->index, slot)) {
		struct thread *thread = &t->items[slot->id - 1];

		if (thread->pid == pid && thread->tid == tid)
			return thread;
	}
	return NULL;
}

static struct thread *get_thread(struct pipa_threads *t, uint32_t pid, uint32_t tid)
{
	struct thread *thread = find_thread(t, pid, tid);

	if (thread)
		return thread;
	thread = PIPA_VEC_ADD(t);
	if (!thread)
		return NULL;
	thread->pid = pid;
	thread->tid = tid;
	if (pipa_index_add(&t->index, hash_thread(pid, tid), (uint32_t)t->n - 1) < 0) {
		t->n--;
		return NULL;
	}
	return thread;
}

int pipa_threads_name(struct pipa_threads *t, uint32_t pid, uint32_t tid, uint64_t order,
		      uint32_t name)
{
	struct thread *thread = get_thread(t, pid, tid);
	struct named *named;

	if (!thread)
		return -ENOMEM;
	if (thread->n && thread->items[thread->n - 1].name == name)
		return 0;
	named = PIPA_VEC_ADD(thread);
	if (!named)
		return -ENOMEM;
	*named = (struct named){ order, name };
	t->names++;
	return 0;
}

size_t pipa_threads_size(const struct pipa_threads *t)
{
	return t->n + t->names;
}

/*
 * Return the name of a thread at that time, or its first name if that is later. Narrows *span to
 * the orders for which the result is the same.
 */
static uint32_t name_at(const struct thread *thread, uint64_t order, struct pipa_order_span *span)
{
	size_t i;

	if (!thread || !thread->n)
		return PIPA_NO_NAME;
	for (i = thread->n - 1; i && thread->items[i].order > order; i--)
		pipa_order_span_before(span, thread->items[i].order);
	if (i)
		pipa_order_span_from(span, thread->items[i].order);
	return thread->items[i].name;
}

int pipa_threads_fork(struct pipa_threads *t, uint32_t parent_pid, uint32_t parent_tid,
		      uint32_t pid, uint32_t tid, uint64_t order)
{
	uint32_t name = pipa_threads_find(t, parent_pid, parent_tid, order);

	return name == PIPA_NO_NAME ? 0 : pipa_threads_name(t, pid, tid, order, name);
}

uint32_t pipa_threads_find_span(const struct pipa_threads *t, uint32_t pid, uint32_t tid,
				uint64_t order, struct pipa_order_span *span)
{
	uint32_t name = name_at(find_thread(t, pid, tid), order, span);

	return name == PIPA_NO_NAME && pid != tid ? name_at(find_thread(t, pid, pid), order, span) :
						    name;
}

uint32_t pipa_threads_find(const struct pipa_threads *t, uint32_t pid, uint32_t tid, uint64_t order)
{
	struct pipa_order_span span = PIPA_ORDER_ALWAYS;

	return pipa_threads_find_span(t, pid, tid, order, &span);
}
