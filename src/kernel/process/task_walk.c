#include "kernel/process/task_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "kernel/machine/root.h"
#include "kernel/process/task_text.h"

enum {
	ASK_EVERY =
		16, /* readings after which uid, and the size of who sleeps, are requested again */
	FD_NONE = -1,	/* not open */
	FD_REFUSED = -2 /* and will not be: not ours to read, or not there */
};

static const char *const file_names[PIPA_TASK_FILES] = {
	[PIPA_TASK_STAT] = "stat",
	[PIPA_TASK_SCHEDSTAT] = "schedstat",
	[PIPA_TASK_IO] = "io",
	[PIPA_TASK_STATUS] = "status",
};

/* What is kept of a task between readings. */
struct slot {
	pid_t tid, tgid;
	int fds[PIPA_TASK_FILES];
	uint64_t seen; /* the reading it was last in */
	uint64_t uid;
	char sched[64]; /* its schedstat, as last read */
	size_t sched_len;
	struct pipa_task_stat last;
};

/* By ascending tid. */
struct slots {
	struct slot *items;
	size_t n, cap;
	size_t next;  /* where the task after the last one should be */
	bool threads; /* else processes: one directory up */
};

struct pipa_task_walk {
	int proc; /* borrowed */
	int list; /* /proc, to be listed */
	unsigned int files;
	size_t max_open, n_open;
	uint64_t reading;
	struct pipa_task_units units;
	struct slots processes, threads;
	bool limited; /* to these processes */
	struct {
		pid_t *items;
		size_t n, cap;
	} only;
	bool absent[PIPA_TASK_FILES]; /* this kernel has none */
	size_t refused[PIPA_TASK_FILES];
	char text[4096];
};

/* ---- slots ------------------------------------------------------------------------------------------ */

static void close_files(struct pipa_task_walk *walk, struct slot *slot)
{
	size_t i;

	for (i = 0; i < PIPA_TASK_FILES; i++) {
		if (slot->fds[i] >= 0) {
			close(slot->fds[i]);
			walk->n_open--;
		}
		slot->fds[i] = FD_NONE;
	}
}

static void empty_slot(struct slot *slot, pid_t tid, pid_t tgid)
{
	size_t i;

	*slot = (struct slot){ .tid = tid, .tgid = tgid, .uid = PIPA_RAW_MISSING };
	for (i = 0; i < PIPA_TASK_FILES; i++)
		slot->fds[i] = FD_NONE;
}

static size_t lower_bound(const struct slots *slots, pid_t tid)
{
	size_t low = 0, high = slots->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (slots->items[middle].tid < tid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The task's slot, a new one if need be; NULL on allocation failure. Most come in the order of last time. */
static struct slot *find_slot(struct slots *slots, pid_t tid, pid_t tgid)
{
	size_t at = slots->next;

	if (at >= slots->n || slots->items[at].tid != tid)
		at = lower_bound(slots, tid);
	if (at == slots->n || slots->items[at].tid != tid) {
		if (!PIPA_VEC_ADD(slots))
			return NULL;
		memmove(&slots->items[at + 1], &slots->items[at],
			(slots->n - 1 - at) * sizeof(*slots->items));
		empty_slot(&slots->items[at], tid, tgid);
	}
	slots->next = at + 1;
	return &slots->items[at];
}

/* Those that were not in this reading have ended. */
static void drop_ended(struct pipa_task_walk *walk, struct slots *slots)
{
	size_t i, kept = 0;

	for (i = 0; i < slots->n; i++) {
		if (slots->items[i].seen != walk->reading)
			close_files(walk, &slots->items[i]);
		else
			slots->items[kept++] = slots->items[i];
	}
	slots->n = kept;
}

/* ---- a task's files --------------------------------------------------------------------------------- */

static int open_file(struct pipa_task_walk *walk, const struct slot *slot, bool thread,
		     enum pipa_task_file file)
{
	char path[80];
	int fd;

	if (thread)
		snprintf(path, sizeof(path), "%d/task/%d/%s", slot->tgid, slot->tid,
			 file_names[file]);
	else
		snprintf(path, sizeof(path), "%d/%s", slot->tid, file_names[file]);
	fd = openat(walk->proc, path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* One file into walk->text: its length or a negative errno. */
static ssize_t read_once(struct pipa_task_walk *walk, struct slot *slot, bool thread,
			 enum pipa_task_file file)
{
	bool kept = slot->fds[file] >= 0;
	int fd = kept ? slot->fds[file] : open_file(walk, slot, thread, file);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = pread(fd, walk->text, sizeof(walk->text), 0);
	n = n < 0 ? -errno : n;
	if (!kept && n >= 0 && walk->n_open < walk->max_open) {
		slot->fds[file] = fd;
		walk->n_open++;
	} else if (!kept) {
		close(fd);
	}
	return n;
}

/*
 * A kept descriptor belongs to the task it was opened for: when that has ended it says so, and a later
 * one of the same number may be there already.
 */
static ssize_t read_file(struct pipa_task_walk *walk, struct slot *slot, bool thread,
			 enum pipa_task_file file)
{
	ssize_t n;

	if (walk->absent[file])
		return -ENOENT;
	if (slot->fds[file] == FD_REFUSED) {
		walk->refused[file]++;
		return -EACCES;
	}
	n = read_once(walk, slot, thread, file);
	if (n == -ESRCH && slot->fds[file] >= 0) {
		close_files(walk, slot);
		slot->sched_len = 0;
		slot->uid = PIPA_RAW_MISSING;
		n = read_once(walk, slot, thread, file);
	}
	if (n == -EACCES || n == -EPERM) {
		if (slot->fds[file] >= 0) {
			close(slot->fds[file]);
			walk->n_open--;
		}
		slot->fds[file] = FD_REFUSED;
		walk->refused[file]++;
	}
	return n;
}

static bool is_due(const struct pipa_task_walk *walk, const struct slot *slot)
{
	return (walk->reading + (uint64_t)slot->tid) % ASK_EVERY == 0;
}

/*
 * Did it not run since the last reading? Then it did nothing else either, and one small file instead of
 * four has told us. The scheduler counts for one thread only: of several, others may have run. It is read
 * before the other files, so that what comes after is seen next time.
 */
static bool has_slept(struct pipa_task_walk *walk, struct slot *slot, bool thread)
{
	ssize_t n = read_file(walk, slot, thread, PIPA_TASK_SCHEDSTAT);

	if (n <= 0 || (size_t)n > sizeof(slot->sched)) {
		slot->sched_len = 0;
		return false;
	}
	if ((size_t)n == slot->sched_len && memcmp(slot->sched, walk->text, (size_t)n) == 0)
		return slot->last.fields[TASK_THREADS] == 1 && slot->last.tid == slot->tid &&
		       !is_due(walk, slot);
	memcpy(slot->sched, walk->text, (size_t)n);
	slot->sched_len = (size_t)n;
	return false;
}

static void read_more(struct pipa_task_walk *walk, struct slot *slot, bool thread,
		      struct pipa_task_stat *task)
{
	static void (*const parse[PIPA_TASK_FILES])(const char *, size_t,
						    struct pipa_task_stat *) = {
		[PIPA_TASK_IO] = pipa_task_parse_io,
		[PIPA_TASK_STATUS] = pipa_task_parse_status,
	};
	bool asks_uid = slot->uid == PIPA_RAW_MISSING || is_due(walk, slot);
	size_t i;

	pipa_task_parse_schedstat(slot->sched, slot->sched_len, task);
	for (i = PIPA_TASK_IO; i < PIPA_TASK_FILES; i++) {
		ssize_t n;

		if (!(walk->files >> i & 1) && !(i == PIPA_TASK_STATUS && asks_uid))
			continue;
		n = read_file(walk, slot, thread, (enum pipa_task_file)i);
		if (n > 0)
			parse[i](walk->text, (size_t)n, task);
	}
	if (task->fields[TASK_UID] != PIPA_RAW_MISSING)
		slot->uid = task->fields[TASK_UID];
	task->fields[TASK_UID] = slot->uid;
}

/* Append the task to the list; one that has ended meanwhile is left out. -ENOMEM is the only failure. */
static int read_task(struct pipa_task_walk *walk, struct slots *slots, pid_t tid, pid_t tgid,
		     struct pipa_task_stats *list)
{
	struct slot *slot = find_slot(slots, tid, tgid);
	struct pipa_task_stat *task = slot ? PIPA_VEC_ADD(list) : NULL;
	ssize_t n;

	if (!task)
		return -ENOMEM;
	if (has_slept(walk, slot, slots->threads)) {
		*task = slot->last;
		slot->seen = walk->reading;
		return 0;
	}
	n = read_file(walk, slot, slots->threads, PIPA_TASK_STAT);
	pipa_task_stat_clear(task);
	if (n <= 0 || !pipa_task_parse_stat(walk->text, (size_t)n, &walk->units, task)) {
		list->n--;
		return 0;
	}
	if (slot->last.fields[TASK_START_NS] != task->fields[TASK_START_NS])
		slot->uid = PIPA_RAW_MISSING; /* another task than it was */
	task->tid = tid;
	task->tgid = tgid;
	slot->seen = walk->reading;
	read_more(walk, slot, slots->threads, task);
	slot->last = *task;
	return 0;
}

/* ---- the pass ----------------------------------------------------------------------------------------- */

/* Call take() for every name that is a number, in the directory's order. */
static int for_numbers(struct pipa_task_walk *walk, int fd,
		       int (*take)(struct pipa_task_walk *walk, pid_t number, void *ctx), void *ctx)
{
	_Alignas(struct dirent64) char names[8192];
	ssize_t n, at;
	int rc = 0;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return -errno;
	while (!rc && (n = getdents64(fd, names, sizeof(names))) > 0) {
		for (at = 0; !rc && at < n;) {
			const struct dirent64 *entry = (const void *)&names[at];
			char *end;
			long number = strtol(entry->d_name, &end, 10);

			if (!*end && number > 0 && number <= INT32_MAX)
				rc = take(walk, (pid_t)number, ctx);
			at += entry->d_reclen;
		}
	}
	return rc;
}

struct pass {
	struct pipa_task_stats *processes, *threads;
	pid_t tgid;
};

static int take_thread(struct pipa_task_walk *walk, pid_t tid, void *ctx)
{
	struct pass *pass = ctx;

	return read_task(walk, &walk->threads, tid, pass->tgid, pass->threads);
}

static int take_process(struct pipa_task_walk *walk, pid_t pid, void *ctx)
{
	struct pass *pass = ctx;
	char path[32];
	int rc = 0, fd;

	if (pass->processes)
		rc = read_task(walk, &walk->processes, pid, pid, pass->processes);
	if (rc < 0 || !pass->threads)
		return rc;
	snprintf(path, sizeof(path), "%d/task", pid);
	fd = openat(walk->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	pass->tgid = pid;
	rc = for_numbers(walk, fd, take_thread, pass);
	close(fd);
	return rc == -ENOMEM ? rc : 0;
}

/* Every process, or those that we are limited to. */
static int take_all(struct pipa_task_walk *walk, struct pass *pass)
{
	size_t i;
	int rc = 0;

	if (!walk->limited)
		return for_numbers(walk, walk->list, take_process, pass);
	for (i = 0; !rc && i < walk->only.n; i++)
		rc = take_process(walk, walk->only.items[i], pass);
	return rc;
}

static int by_tid(const void *a, const void *b)
{
	const struct pipa_task_stat *left = a, *right = b;

	return (left->tid > right->tid) - (left->tid < right->tid);
}

/* /proc lists processes in order; invented trees and a process's threads need not be. */
static void sort(struct pipa_task_stats *list)
{
	size_t i;

	for (i = 1; i < list->n; i++)
		if (list->items[i - 1].tid > list->items[i].tid) {
			qsort(list->items, list->n, sizeof(*list->items), by_tid);
			return;
		}
}

int pipa_task_walk_read(struct pipa_task_walk *walk, struct pipa_task_stats *processes,
			struct pipa_task_stats *threads)
{
	struct pass pass = { .processes = processes, .threads = threads };
	int rc;

	walk->reading++;
	walk->processes.next = walk->threads.next = 0;
	memset(walk->refused, 0, sizeof(walk->refused));
	if (processes)
		processes->n = 0;
	if (threads)
		threads->n = 0;
	rc = take_all(walk, &pass);
	if (rc < 0)
		return rc;
	drop_ended(walk, &walk->processes);
	drop_ended(walk, &walk->threads);
	if (processes)
		sort(processes);
	if (threads)
		sort(threads);
	return 0;
}

static int note_number(struct pipa_task_walk *walk, pid_t number, void *ctx PIPA_UNUSED)
{
	pid_t *item = PIPA_VEC_ADD(&walk->only);

	if (!item)
		return -ENOMEM;
	*item = number;
	return 0;
}

int pipa_task_walk_list(struct pipa_task_walk *walk)
{
	walk->only.n = 0;
	return for_numbers(walk, walk->list, note_number, NULL);
}

static bool is_among(const struct pipa_task_stats *list, pid_t tid)
{
	const struct pipa_task_stat key = { .tid = tid };

	return list->n && bsearch(&key, list->items, list->n, sizeof(key), by_tid);
}

size_t pipa_task_walk_keep_hidden(struct pipa_task_walk *walk,
				  const struct pipa_task_stats *processes)
{
	size_t i, kept = 0;
	char path[32];

	for (i = 0; i < walk->only.n; i++) {
		snprintf(path, sizeof(path), "%d/stat", walk->only.items[i]);
		if (!is_among(processes, walk->only.items[i]) &&
		    faccessat(walk->proc, path, F_OK, 0) == 0)
			walk->only.items[kept++] = walk->only.items[i];
	}
	walk->only.n = kept;
	walk->limited = true;
	return kept;
}

size_t pipa_task_walk_refused(const struct pipa_task_walk *walk, enum pipa_task_file file)
{
	return walk->absent[file] ? SIZE_MAX : walk->refused[file];
}

static void done_slots(struct pipa_task_walk *walk, struct slots *slots)
{
	size_t i;

	for (i = 0; i < slots->n; i++)
		close_files(walk, &slots->items[i]);
	free(slots->items);
}

void pipa_task_walk_close(struct pipa_task_walk *walk)
{
	if (!walk)
		return;
	done_slots(walk, &walk->processes);
	done_slots(walk, &walk->threads);
	pipa_fd_close(walk->list);
	free(walk->only.items);
	free(walk);
}

int pipa_task_walk_open(struct pipa_root *root, unsigned int files, size_t max_open,
			struct pipa_task_walk **ret, struct pipa_error *err)
{
	struct pipa_task_walk *walk = calloc(1, sizeof(*walk));
	int rc;

	if (!walk)
		return pipa_fail(err, -ENOMEM, "list the processes");
	walk->proc = pipa_root_dir(root, PIPA_PROC);
	walk->list = walk->proc < 0 ? walk->proc :
				      pipa_root_file(root, PIPA_PROC, O_DIRECTORY, ".");
	if (walk->list < 0) {
		rc = pipa_fail(err, walk->list, "list the processes");
		pipa_task_walk_close(walk);
		return rc;
	}
	walk->files = files;
	walk->max_open = max_open;
	walk->threads.threads = true;
	walk->absent[PIPA_TASK_SCHEDSTAT] = !pipa_root_has(root, PIPA_PROC, "self/schedstat");
	walk->absent[PIPA_TASK_IO] = files >> PIPA_TASK_IO & 1 &&
				     !pipa_root_has(root, PIPA_PROC, "self/io");
	walk->units = (struct pipa_task_units){
		.tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK),
		.page_bytes = (uint64_t)sysconf(_SC_PAGESIZE),
	};
	*ret = walk;
	return 0;
}
