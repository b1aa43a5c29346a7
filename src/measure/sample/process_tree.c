#include "measure/sample/process_tree.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/vec.h"

enum {
	PIDS = 1 << 22, /* PID_MAX_LIMIT of the kernel */
	KEPT_MOST = 16 << 20,
	TRAILER = 32,	 /* sample_id of side-band records: pid and tid, time, CPU, id */
	SAMPLE_PID = 16, /* offset of the PID: after id and address */
	SAMPLE_TIME = 24,
};

struct fork {
	uint64_t ns;
	uint32_t pid, parent;
};

struct pipa_process_tree {
	pipa_perf_record_fn fn;
	void *ctx;
	uint32_t command;
	uint64_t exec_ns; /* 0: not yet */
	uint64_t left_out;
	struct pipa_buf kept; /* complete records */
	struct {
		struct fork *items;
		size_t n, cap;
	} forks;
	uint64_t *is_theirs; /* a bit per PID */
};

int pipa_process_tree_new(pid_t command, pipa_perf_record_fn fn, void *ctx,
			  struct pipa_process_tree **ret)
{
	struct pipa_process_tree *tree = calloc(1, sizeof(*tree));

	if (tree)
		tree->is_theirs = calloc(PIDS / 64, sizeof(*tree->is_theirs));
	if (!tree || !tree->is_theirs) {
		free(tree);
		return -ENOMEM;
	}
	tree->fn = fn;
	tree->ctx = ctx;
	tree->command = (uint32_t)command;
	*ret = tree;
	return 0;
}

void pipa_process_tree_free(struct pipa_process_tree *tree)
{
	if (!tree)
		return;
	pipa_buf_done(&tree->kept);
	free(tree->forks.items);
	free(tree->is_theirs);
	free(tree);
}

uint64_t pipa_process_tree_left_out(const struct pipa_process_tree *tree)
{
	return tree->left_out;
}

/* ---- who belongs to them ------------------------------------------------------------------------- */

static bool is_theirs(const struct pipa_process_tree *tree, uint32_t pid)
{
	return pid == tree->command || (pid < PIDS && tree->is_theirs[pid / 64] >> pid % 64 & 1);
}

static void set_theirs(struct pipa_process_tree *tree, uint32_t pid, bool theirs)
{
	if (pid >= PIDS)
		return;
	if (theirs)
		tree->is_theirs[pid / 64] |= UINT64_C(1) << pid % 64;
	else /* the PID was reused by an unrelated process */
		tree->is_theirs[pid / 64] &= ~(UINT64_C(1) << pid % 64);
}

static uint32_t u32_at(const struct pipa_perf_raw *raw, size_t at)
{
	uint32_t value = 0;

	if (at + sizeof(value) <= raw->len)
		memcpy(&value, raw->body + at, sizeof(value));
	return value;
}

static uint64_t u64_at(const struct pipa_perf_raw *raw, size_t at)
{
	uint64_t value = 0;

	if (at + sizeof(value) <= raw->len)
		memcpy(&value, raw->body + at, sizeof(value));
	return value;
}

static int by_time(const void *a, const void *b)
{
	const struct fork *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/*
 * Add the children of known processes. Each CPU records only its own forks, so they are sorted by
 * time when all rings were read.
 */
static void apply_forks(struct pipa_process_tree *tree)
{
	size_t i;

	if (tree->forks.n > 1)
		qsort(tree->forks.items, tree->forks.n, sizeof(*tree->forks.items), by_time);
	for (i = 0; i < tree->forks.n; i++)
		set_theirs(tree, tree->forks.items[i].pid,
			   is_theirs(tree, tree->forks.items[i].parent));
	tree->forks.n = 0;
}

/* ---- records ------------------------------------------------------------------------------------- */

/* Is the record of the tree? Records of the kernel and of the rings concern all processes. */
static bool is_wanted(const struct pipa_process_tree *tree, const struct pipa_perf_raw *raw)
{
	switch (raw->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_NAMESPACES: return is_theirs(tree, u32_at(raw, 0));
	default: return true;
	}
}

int pipa_process_tree_end(struct pipa_process_tree *tree)
{
	struct perf_event_header header;
	size_t at;
	int rc = 0;

	apply_forks(tree);
	for (at = 0; !rc && at < tree->kept.len; at += header.size) {
		struct pipa_perf_raw raw;

		memcpy(&header, tree->kept.data + at, sizeof(header));
		raw = (struct pipa_perf_raw){
			.type = header.type,
			.misc = header.misc,
			.body = (const uint8_t *)tree->kept.data + at + sizeof(header),
			.len = header.size - sizeof(header),
		};
		if (is_wanted(tree, &raw))
			rc = tree->fn(tree->ctx, &raw);
	}
	pipa_buf_reset(&tree->kept);
	return rc;
}

/* Store a fork: header | pid, ppid | tid, ptid | time. */
static int store_fork(struct pipa_process_tree *tree, const struct pipa_perf_raw *raw)
{
	struct fork *fork = PIPA_VEC_ADD(&tree->forks);

	if (!fork)
		return -ENOMEM;
	*fork = (struct fork){ .ns = u64_at(raw, 16),
			       .pid = u32_at(raw, 0),
			       .parent = u32_at(raw, 4) };
	return 0;
}

static int store_record(struct pipa_process_tree *tree, const struct pipa_perf_raw *raw)
{
	const struct perf_event_header header = {
		.type = raw->type,
		.misc = raw->misc,
		.size = (uint16_t)(sizeof(header) + raw->len),
	};
	size_t whole = tree->kept.len;
	int rc = 0;

	if (raw->type == PERF_RECORD_FORK)
		rc = store_fork(tree, raw);
	if (raw->type == PERF_RECORD_COMM && raw->misc & PERF_RECORD_MISC_COMM_EXEC &&
	    u32_at(raw, 0) == tree->command && !tree->exec_ns && raw->len >= TRAILER)
		tree->exec_ns = u64_at(raw, raw->len - TRAILER + 8);
	pipa_buf_add(&tree->kept, &header, sizeof(header));
	pipa_buf_add(&tree->kept, raw->body, raw->len);
	if (tree->kept.status) /* a partial record must not be read */
		tree->kept.len = whole;
	if (!rc)
		rc = tree->kept.status;
	return rc || tree->kept.len < KEPT_MOST ? rc : pipa_process_tree_end(tree);
}

static bool is_wanted_sample(const struct pipa_process_tree *tree, const struct pipa_perf_raw *raw)
{
	return is_theirs(tree, u32_at(raw, SAMPLE_PID)) && tree->exec_ns &&
	       u64_at(raw, SAMPLE_TIME) >= tree->exec_ns;
}

int pipa_process_tree_put(struct pipa_process_tree *tree, const struct pipa_perf_raw *raw)
{
	int rc = 0;

	if (raw->type != PERF_RECORD_SAMPLE)
		return store_record(tree, raw);
	if (tree->kept.len)
		rc = pipa_process_tree_end(tree);
	if (rc)
		return rc;
	if (is_wanted_sample(tree, raw))
		return tree->fn(tree->ctx, raw);
	tree->left_out++;
	return 0;
}
