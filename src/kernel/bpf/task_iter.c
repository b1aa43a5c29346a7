#include "kernel/bpf/task_iter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/vec.h"
#include "kernel/bpf/task_program.h"
#include "kernel/machine/root.h"

/* ---- records into readings ------------------------------------------------------------------------ */

/* What a process has besides its fields until all of its threads are added. */
struct sum {
	uint64_t run_ns;
	struct pipa_cputime told;
};

/* A thread whose process was not there yet: its number is the lower one. */
struct late {
	uint64_t words[TASK_WORDS];
};

struct pipa_task_iter {
	int link;
	bool has[TASK_WORDS];
	uint64_t page;
	struct {
		struct sum *items;
		size_t n, cap;
	} sums; /* beside the processes */
	struct {
		struct late *items;
		size_t n, cap;
	} late;
	size_t last;			 /* process that the last thread belonged to */
	uint64_t records[32 * 1024 / 8]; /* as much as the kernel passes on at once */
};

struct pipa_cputime pipa_cputime_scale(struct pipa_cputime seen, uint64_t run_ns,
				       struct pipa_cputime told)
{
	struct pipa_cputime ret = { 0 };
	uint64_t both = seen.user_ns + seen.system_ns;

	if (told.user_ns + told.system_ns >= run_ns)
		return told;
	if (!seen.user_ns)
		ret.system_ns = seen.system_ns ? run_ns : 0;
	else
		ret.system_ns = (uint64_t)((unsigned __int128)seen.system_ns * run_ns / both);
	if (ret.system_ns < told.system_ns)
		ret.system_ns = told.system_ns;
	ret.user_ns = run_ns - ret.system_ns;
	if (ret.user_ns < told.user_ns) {
		ret.user_ns = told.user_ns;
		ret.system_ns = run_ns - ret.user_ns;
	}
	return ret;
}

char pipa_task_state(uint64_t state, uint64_t exit_state)
{
	enum {
		REPORTED = 0x7f,
		NOLOAD = 0x400,
		UNINTERRUPTIBLE = 2,
		RTLOCK = 0x1000,
		FROZEN = 0x8000
	};
	static const char letters[] = "RSDTtXZP";
	uint64_t bits = (state | exit_state) & REPORTED;

	if ((state & (NOLOAD | UNINTERRUPTIBLE)) == (NOLOAD | UNINTERRUPTIBLE))
		return 'I';
	if (state & (RTLOCK | FROZEN))
		bits = UNINTERRUPTIBLE;
	return letters[bits ? 64 - __builtin_clzll(bits) : 0];
}

static void fill_state(const struct pipa_task_iter *iter, const uint64_t *w,
		       struct pipa_task_stat *task)
{
	uint64_t *f = task->fields;

	task->tid = (pid_t)w[W_PID];
	task->tgid = (pid_t)w[W_TGID];
	task->state = pipa_task_state(w[W_STATE], w[W_EXIT_STATE]);
	memcpy(task->comm, &w[W_COMM], sizeof(task->comm));
	task->comm[sizeof(task->comm) - 1] = '\0';
	f[TASK_START_NS] = w[W_START];
	f[TASK_UID] = w[W_UID];
	f[TASK_CPU] = iter->has[W_CPU] ? w[W_CPU] : PIPA_RAW_MISSING;
	f[TASK_THREADS] = w[W_THREADS];
	f[TASK_VSIZE_BYTES] = w[W_VM_PAGES] * iter->page;
	f[TASK_RSS_BYTES] = 0;
	for (size_t i = W_RSS_FILE; i <= W_RSS_SHMEM; i++) /* a count over CPUs may be below zero */
		f[TASK_RSS_BYTES] += (int64_t)w[i] > 0 ? w[i] * iter->page : 0;
	f[TASK_WAIT_NS] = iter->has[W_WAIT] ? w[W_WAIT] : PIPA_RAW_MISSING;
	f[TASK_IO_DELAY_NS] = iter->has[W_IO_DELAY] ? w[W_IO_DELAY] : PIPA_RAW_MISSING;
	f[TASK_SWITCHES] = w[W_SWITCHES];
	f[TASK_PREEMPTIONS] = w[W_PREEMPTIONS];
}

/* What the threads of a process have together: which word is added to which field. */
static const struct {
	enum pipa_task_field field;
	enum pipa_task_word own, group;
} shared[] = {
	{ TASK_USER_NS, W_USER, G_USER },	{ TASK_SYSTEM_NS, W_SYSTEM, G_SYSTEM },
	{ TASK_GUEST_NS, W_GUEST, G_GUEST },	{ TASK_MINFLT, W_MINFLT, G_MINFLT },
	{ TASK_MAJFLT, W_MAJFLT, G_MAJFLT },	{ TASK_READ_BYTES, W_READ, G_READ },
	{ TASK_WRITE_BYTES, W_WRITE, G_WRITE }, { TASK_CANCELLED_BYTES, W_CANCELLED, G_CANCELLED },
};

/* Bring the two times from what the tick saw to what passed. */
static void scale(struct pipa_task_stat *task, uint64_t run_ns, struct pipa_cputime told)
{
	struct pipa_cputime seen = { task->fields[TASK_USER_NS], task->fields[TASK_SYSTEM_NS] };
	struct pipa_cputime time = pipa_cputime_scale(seen, run_ns, told);

	task->fields[TASK_USER_NS] = time.user_ns;
	task->fields[TASK_SYSTEM_NS] = time.system_ns;
}

static int add_thread(const struct pipa_task_iter *iter, const uint64_t *w,
		      struct pipa_task_stats *threads)
{
	struct pipa_task_stat *task = PIPA_VEC_ADD(threads);
	size_t i;

	if (!task)
		return -ENOMEM;
	fill_state(iter, w, task);
	for (i = 0; i < PIPA_COUNT(shared); i++)
		task->fields[shared[i].field] = iter->has[shared[i].own] ? w[shared[i].own] :
									   PIPA_RAW_MISSING;
	scale(task, w[W_RUN], (struct pipa_cputime){ w[W_TOLD_USER], w[W_TOLD_SYSTEM] });
	return 0;
}

static int add_process(struct pipa_task_iter *iter, const uint64_t *w,
		       struct pipa_task_stats *processes)
{
	struct pipa_task_stat *task = PIPA_VEC_ADD(processes);
	struct sum *sum = task ? PIPA_VEC_ADD(&iter->sums) : NULL;
	size_t i;

	if (!sum)
		return -ENOMEM;
	fill_state(iter, w, task);
	for (i = 0; i < PIPA_COUNT(shared); i++)
		task->fields[shared[i].field] = iter->has[shared[i].own] ?
							w[shared[i].own] + w[shared[i].group] :
							PIPA_RAW_MISSING;
	*sum = (struct sum){ .run_ns = w[W_RUN] + w[G_RUN],
			     .told = { w[G_TOLD_USER], w[G_TOLD_SYSTEM] } };
	iter->last = processes->n - 1;
	return 0;
}

static bool find_process(struct pipa_task_iter *iter, const struct pipa_task_stats *processes,
			 pid_t tgid)
{
	size_t low = 0, high = processes->n;

	if (iter->last < processes->n && processes->items[iter->last].tid == tgid)
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (processes->items[middle].tid < tgid)
			low = middle + 1;
		else
			high = middle;
	}
	iter->last = low;
	return low < processes->n && processes->items[low].tid == tgid;
}

/* Add a thread's share to its process; false when that is not there. */
static bool add_share(struct pipa_task_iter *iter, const uint64_t *w,
		      struct pipa_task_stats *processes)
{
	struct pipa_task_stat *process;
	size_t i;

	if (!find_process(iter, processes, (pid_t)w[W_TGID]))
		return false;
	process = &processes->items[iter->last];
	for (i = 0; i < PIPA_COUNT(shared); i++)
		if (iter->has[shared[i].own])
			process->fields[shared[i].field] += w[shared[i].own];
	iter->sums.items[iter->last].run_ns += w[W_RUN];
	return true;
}

static int take_record(struct pipa_task_iter *iter, const uint64_t *w,
		       struct pipa_task_stats *processes, struct pipa_task_stats *threads)
{
	struct late *late;
	int rc = threads ? add_thread(iter, w, threads) : 0;

	if (rc < 0 || !processes)
		return rc;
	if (w[W_PID] == w[W_TGID])
		return add_process(iter, w, processes);
	if (add_share(iter, w, processes))
		return 0;
	late = PIPA_VEC_ADD(&iter->late);
	if (!late)
		return -ENOMEM;
	memcpy(late->words, w, PIPA_TASK_RECORD);
	return 0;
}

/* Records are whole in what a read returns: the kernel passes on no part of one. */
static int take_all(struct pipa_task_iter *iter, int pass, struct pipa_task_stats *processes,
		    struct pipa_task_stats *threads)
{
	ssize_t n;
	size_t i;
	int rc = 0;

	while (!rc) {
		n = read(pass, iter->records, sizeof(iter->records));
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		if (n % PIPA_TASK_RECORD)
			return -EBADMSG;
		for (i = 0; !rc && i < (size_t)n / PIPA_TASK_RECORD; i++)
			rc = take_record(iter, &iter->records[i * TASK_WORDS], processes, threads);
	}
	return rc;
}

static void finish_processes(struct pipa_task_iter *iter, struct pipa_task_stats *processes)
{
	size_t i;

	for (i = 0; i < iter->late.n; i++) /* without a process it has just ended */
		add_share(iter, iter->late.items[i].words, processes);
	for (i = 0; i < processes->n; i++)
		scale(&processes->items[i], iter->sums.items[i].run_ns, iter->sums.items[i].told);
}

int pipa_task_iter_read(struct pipa_task_iter *iter, struct pipa_task_stats *processes,
			struct pipa_task_stats *threads)
{
	PIPA_AUTO(pipa_fd_close) int pass = pipa_task_program_pass(iter->link);
	int rc;

	if (processes)
		processes->n = 0;
	if (threads)
		threads->n = 0;
	iter->sums.n = iter->late.n = iter->last = 0;
	if (pass < 0)
		return pass;
	rc = take_all(iter, pass, processes, threads);
	if (!rc && processes)
		finish_processes(iter, processes);
	return rc;
}

/* ---- opening --------------------------------------------------------------------------------------- */

/*
 * The numbers that the kernel's tables hold are those of the first pid namespace; and where CPUs run
 * without ticks, times are kept in another way.
 */
static bool is_plain(struct pipa_root *root)
{
	enum { FIRST_PID_NAMESPACE = 0xeffffffcu };
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_PROC, 0, "self/ns/pid");
	char cpus[64];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_ino != (ino_t)FIRST_PID_NAMESPACE)
		return false;
	return pipa_root_read(root, PIPA_SYS, cpus, sizeof(cpus), "devices/system/cpu/nohz_full") <=
		       0 ||
	       strcmp(cpus, "(null)") == 0;
}

PIPA_DEFINE_AUTO(pipa_task_iter_close, struct pipa_task_iter *)

int pipa_task_iter_open(struct pipa_root *root, struct pipa_task_iter **ret)
{
	PIPA_AUTO(pipa_task_iter_close) struct pipa_task_iter *iter = calloc(1, sizeof(*iter));

	if (!iter)
		return -ENOMEM;
	iter->page = (uint64_t)sysconf(_SC_PAGESIZE);
	iter->link = is_plain(root) ? pipa_task_program_open(root, iter->has) : -EOPNOTSUPP;
	if (iter->link < 0)
		return iter->link;
	*ret = PIPA_TAKE(iter);
	return 0;
}

void pipa_task_iter_close(struct pipa_task_iter *iter)
{
	if (!iter)
		return;
	pipa_fd_close(iter->link);
	free(iter->sums.items);
	free(iter->late.items);
	free(iter);
}
