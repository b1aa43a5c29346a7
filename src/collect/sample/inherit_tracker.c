#include "collect/sample/inherit_tracker.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void pipa_inherit_tracker_done(struct pipa_inherit_tracker *c)
{
	free(c->opened.items);
	free(c->forks.items);
	*c = (struct pipa_inherit_tracker){ 0 };
}

/* Return the index of the first opened thread with this TID or a higher one. */
static size_t lower_bound(const struct pipa_inherit_tracker *c, pid_t tid)
{
	size_t low = 0, high = c->opened.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (c->opened.items[mid].tid < tid)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_at(const struct pipa_inherit_tracker *c, size_t i, pid_t tid)
{
	return i < c->opened.n && c->opened.items[i].tid == tid;
}

int pipa_inherit_tracker_opened(struct pipa_inherit_tracker *c, pid_t tid, uint64_t begun_ns,
				uint64_t done_ns)
{
	size_t i = lower_bound(c, tid);

	if (!is_at(c, i, tid)) {
		if (!PIPA_VEC_ADD(&c->opened))
			return -ENOMEM;
		memmove(&c->opened.items[i + 1], &c->opened.items[i],
			(c->opened.n - 1 - i) * sizeof(*c->opened.items));
	}
	c->opened.items[i] = (struct pipa_opened_thread){ tid, begun_ns, done_ns };
	return 0;
}

int pipa_inherit_tracker_forked(struct pipa_inherit_tracker *c, const struct pipa_fork *fork)
{
	struct pipa_fork *slot = PIPA_VEC_ADD(&c->forks);

	if (!slot)
		return -ENOMEM;
	*slot = *fork;
	return 0;
}

/* Find the last fork record of a TID, which may have been used before. */
static const struct pipa_fork *find_fork(const struct pipa_inherit_tracker *c, pid_t tid)
{
	const struct pipa_fork *found = NULL;
	size_t i;

	for (i = 0; i < c->forks.n; i++)
		if (c->forks.items[i].tid == tid && (!found || c->forks.items[i].ns > found->ns))
			found = &c->forks.items[i];
	return found;
}

/*
 * Does the parent have another fork record between these times? Then it was not creating this
 * thread yet.
 */
static bool forked_between(const struct pipa_inherit_tracker *c, pid_t parent, uint64_t after,
			   uint64_t before)
{
	size_t i;

	for (i = 0; i < c->forks.n; i++)
		if (c->forks.items[i].parent == parent && c->forks.items[i].ns > after &&
		    c->forks.items[i].ns < before)
			return true;
	return false;
}

enum pipa_covered pipa_inherit_tracker_of(const struct pipa_inherit_tracker *c, pid_t tid,
					  pid_t *ret_parent)
{
	size_t i = lower_bound(c, tid), depth;

	if (is_at(c, i, tid))
		return PIPA_COVERED;
	/* a child inherits what its parent had; bounded, because reused TIDs could form a loop */
	for (depth = 0; depth <= c->forks.n; depth++) {
		const struct pipa_fork *fork = find_fork(c, tid);
		const struct pipa_opened_thread *parent;

		if (!fork)
			return PIPA_COVERED_NOT;
		i = lower_bound(c, fork->parent);
		if (!is_at(c, i, fork->parent)) {
			tid = fork->parent;
			continue;
		}
		parent = &c->opened.items[i];
		if (fork->ns < parent->begun_ns)
			return PIPA_COVERED_NOT;
		if (forked_between(c, fork->parent, parent->done_ns, fork->ns))
			return PIPA_COVERED;
		*ret_parent = fork->parent;
		return PIPA_COVERED_PARTLY;
	}
	return PIPA_COVERED_NOT;
}

pid_t pipa_inherit_tracker_twice(struct pipa_inherit_tracker *c)
{
	size_t i, at;

	for (i = 0; i < c->forks.n; i++) {
		const struct pipa_fork *fork = &c->forks.items[i];

		at = lower_bound(c, fork->tid);
		if (!is_at(c, at, fork->tid) || fork->ns < c->opened.items[at].begun_ns)
			continue;
		memmove(&c->opened.items[at], &c->opened.items[at + 1],
			(c->opened.n - 1 - at) * sizeof(*c->opened.items));
		c->opened.n--;
		return fork->tid;
	}
	return 0;
}
