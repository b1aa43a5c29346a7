/* Group the samples of a flame graph by thread, process or command. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/profile/flame_own.h"
#include "base/auto.h"
#include "base/hash.h"
#include "base/vec.h"

/* The thread that names a process: its first one, with its last name. */
struct process {
	uint32_t pid, thread;
};

struct processes {
	struct process *items;
	size_t n, cap;
	struct pipa_index index;
};

static struct process *find_process(const struct processes *processes, uint32_t pid)
{
	uint64_t hash = pipa_hash_u64(pid, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&processes->index, hash);

	if (!processes->items)
		return NULL;
	for (; slot->id; slot = pipa_index_after(&processes->index, slot))
		if (processes->items[slot->id - 1].pid == pid)
			return &processes->items[slot->id - 1];
	return NULL;
}

static int add_thread(struct processes *processes, const struct pipa_profile *p, uint32_t number)
{
	const struct pipa_thread *thread = &p->threads.items[number];
	struct process *process = find_process(processes, thread->pid);

	if (process) {
		if (thread->tid == thread->pid)
			process->thread = number;
		return 0;
	}
	process = PIPA_VEC_ADD(processes);
	if (!process)
		return -ENOMEM;
	*process = (struct process){ thread->pid, number };
	return pipa_index_add(&processes->index, pipa_hash_u64(thread->pid, PIPA_HASH_SEED),
			      (uint32_t)processes->n - 1);
}

static uint32_t group_of(struct pipa_flame_build *build, const struct pipa_profile *p,
			 enum pipa_flame_by by, const struct pipa_thread *thread)
{
	const char *comm = pipa_profile_string(p, thread->comm);
	char text[400];

	if (build->loose || by == PIPA_FLAME_BY_COMM)
		return pipa_flame_frame_named(build, comm, PIPA_FLAME_GROUP);
	if (by == PIPA_FLAME_BY_THREAD)
		snprintf(text, sizeof(text), "%.350s-%u/%u", comm, thread->pid, thread->tid);
	else
		snprintf(text, sizeof(text), "%.350s-%u", comm, thread->pid);
	return pipa_flame_frame_named(build, text, PIPA_FLAME_GROUP);
}

static int fill_groups(struct pipa_flame_build *build, const struct pipa_profile *p,
		       enum pipa_flame_by by, struct processes *processes, uint32_t *groups)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && by == PIPA_FLAME_BY_PROCESS && i < p->threads.n; i++)
		rc = add_thread(processes, p, i);
	for (i = 0; !rc && i < p->threads.n; i++) {
		const struct pipa_thread *thread = &p->threads.items[i];
		const struct process *process = find_process(processes, thread->pid);

		groups[i] = group_of(build, p, by,
				     process ? &p->threads.items[process->thread] : thread);
		rc = groups[i] == PIPA_NONE ? -ENOMEM : 0;
	}
	return rc;
}

int pipa_flame_groups(struct pipa_flame_build *build, const struct pipa_profile *p,
		      enum pipa_flame_by by, uint32_t **ret)
{
	struct processes processes = { 0 };
	uint32_t *groups;
	int rc;

	*ret = NULL;
	if (by == PIPA_FLAME_BY_NONE)
		return 0;
	groups = malloc((p->threads.n + 1) * sizeof(*groups));
	rc = groups ? fill_groups(build, p, by, &processes, groups) : -ENOMEM;
	free(processes.items);
	pipa_index_done(&processes.index);
	if (rc < 0)
		free(groups);
	else
		*ret = groups;
	return rc;
}

uint32_t *pipa_flame_sort_samples(const struct pipa_profile *p, const uint32_t *groups, size_t n)
{
	uint32_t *order = malloc((p->samples.n + 1) * sizeof(*order));
	PIPA_AUTO(free) uint32_t *starts = calloc(n + 2, sizeof(*starts));
	size_t i;

	if (!order || !starts) {
		free(order);
		return NULL;
	}
	/* index of the group plus one: PIPA_NONE comes first */
	for (i = 0; i < p->samples.n; i++)
		starts[pipa_flame_group_at(groups, p->threads.n, p->samples.items[i].thread) + 1]++;
	for (i = n + 1; i > 0; i--)
		starts[i] = starts[i - 1];
	starts[0] = 0;
	for (i = 1; i <= n; i++)
		starts[i] += starts[i - 1];
	for (i = 0; i < p->samples.n; i++) {
		uint32_t thread = p->samples.items[i].thread;

		order[starts[pipa_flame_group_at(groups, p->threads.n, thread) + 1]++] =
			(uint32_t)i;
	}
	return order;
}
