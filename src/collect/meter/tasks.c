#include "collect/meter/tasks.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "collect/meter/task_table.h"
#include "kernel/bpf/task_iter.h"
#include "kernel/machine/limit.h"
#include "kernel/machine/root.h"
#include "kernel/process/task_walk.h"
#include "model/sections.h"

/* ---- sections --------------------------------------------------------------------------------------- */

/* How a column is computed from a field. */
enum how {
	IN_WORDS, /* a string */
	AS_IT_IS,
	LAST, /* the last value, also over the whole time: a mean is not useful */
	IN_KB,
	OF_MEMORY,  /* as a percentage of memory */
	SHARE,	    /* as a percentage of elapsed time */
	SHARE_USER, /* likewise, without guest time */
	SHARE_BOTH, /* sum of user and system */
	RATE,
	RATE_KB,
	IN_TICKS, /* delta in clock ticks */
};

struct making {
	enum how how;
	enum pipa_task_field field;
};

/* By column of the thread sections; those of processes have the same columns without TGID. */
static const struct making makings[PIPA_COL_THREADS_NR] = {
	[PIPA_COL_THREADS_TGID] = { LAST, TASK_FIELDS }, /* not a field */
	[PIPA_COL_THREADS_UID] = { LAST, TASK_UID },
	[PIPA_COL_THREADS_USR] = { SHARE_USER, TASK_USER_NS },
	[PIPA_COL_THREADS_SYSTEM] = { SHARE, TASK_SYSTEM_NS },
	[PIPA_COL_THREADS_GUEST] = { SHARE, TASK_GUEST_NS },
	[PIPA_COL_THREADS_WAIT] = { SHARE, TASK_WAIT_NS },
	[PIPA_COL_THREADS_TOTAL] = { SHARE_BOTH, TASK_USER_NS },
	[PIPA_COL_THREADS_CPU] = { LAST, TASK_CPU },
	[PIPA_COL_THREADS_MINFLT] = { RATE, TASK_MINFLT },
	[PIPA_COL_THREADS_MAJFLT] = { RATE, TASK_MAJFLT },
	[PIPA_COL_THREADS_VSZ] = { IN_KB, TASK_VSIZE_BYTES },
	[PIPA_COL_THREADS_RSS] = { IN_KB, TASK_RSS_BYTES },
	[PIPA_COL_THREADS_MEM] = { OF_MEMORY, TASK_RSS_BYTES },
	[PIPA_COL_THREADS_THREADS] = { AS_IT_IS, TASK_THREADS },
	[PIPA_COL_THREADS_STATE] = { IN_WORDS, TASK_FIELDS },
	[PIPA_COL_THREADS_COMMAND] = { IN_WORDS, TASK_FIELDS },
};
static const struct making io_makings[PIPA_COL_THREAD_IO_NR] = {
	[PIPA_COL_THREAD_IO_TGID] = { LAST, TASK_FIELDS },
	[PIPA_COL_THREAD_IO_RD] = { RATE_KB, TASK_READ_BYTES },
	[PIPA_COL_THREAD_IO_WR] = { RATE_KB, TASK_WRITE_BYTES },
	[PIPA_COL_THREAD_IO_CCWR] = { RATE_KB, TASK_CANCELLED_BYTES },
	[PIPA_COL_THREAD_IO_IODELAY] = { IN_TICKS, TASK_IO_DELAY_NS },
	[PIPA_COL_THREAD_IO_STATE] = { IN_WORDS, TASK_FIELDS },
	[PIPA_COL_THREAD_IO_COMMAND] = { IN_WORDS, TASK_FIELDS },
};
static const struct making switch_makings[PIPA_COL_THREAD_SWITCHES_NR] = {
	[PIPA_COL_THREAD_SWITCHES_TGID] = { LAST, TASK_FIELDS },
	[PIPA_COL_THREAD_SWITCHES_CSWCH] = { RATE, TASK_SWITCHES },
	[PIPA_COL_THREAD_SWITCHES_NVCSWCH] = { RATE, TASK_PREEMPTIONS },
	[PIPA_COL_THREAD_SWITCHES_STATE] = { IN_WORDS, TASK_FIELDS },
	[PIPA_COL_THREAD_SWITCHES_COMMAND] = { IN_WORDS, TASK_FIELDS },
};

#define SAME_COLUMNS(process, thread)                                                              \
	_Static_assert((int)PIPA_COL_##process##_NR + 1 == (int)PIPA_COL_##thread##_NR,            \
		       #process " and " #thread " differ by more than TGID")
SAME_COLUMNS(PROCESSES, THREADS);
SAME_COLUMNS(PROCESS_IO, THREAD_IO);
SAME_COLUMNS(PROCESS_SWITCHES, THREAD_SWITCHES);

enum { MAX_COLUMNS = PIPA_COL_THREADS_NR };

struct task_section {
	const struct pipa_section *section;
	const struct making *makings; /* by column */
	bool threads;
	unsigned int files; /* needed by the text reader */
};

#define PROCESSES(index, makings_, files_)                                                         \
	{                                                                                          \
		.section = &pipa_sections[PIPA_SECTION_##index], .makings = (makings_) + 1,        \
		.files = files_                                                                    \
	}
#define THREADS(index, makings_, files_)                                                           \
	{                                                                                          \
		.section = &pipa_sections[PIPA_SECTION_##index], .makings = makings_,              \
		.threads = true, .files = files_                                                   \
	}

static const struct task_section task_sections[] = {
	PROCESSES(PROCESSES, makings, 0),
	PROCESSES(PROCESS_IO, io_makings, 1 << PIPA_TASK_IO),
	PROCESSES(PROCESS_SWITCHES, switch_makings, 1 << PIPA_TASK_STATUS),
	THREADS(THREADS, makings, 0),
	THREADS(THREAD_IO, io_makings, 1 << PIPA_TASK_IO),
	THREADS(THREAD_SWITCHES, switch_makings, 1 << PIPA_TASK_STATUS),
};

static bool tasks_has(const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(task_sections); i++)
		if (task_sections[i].section == section)
			return true;
	return false;
}

/* ---- opening and reading ------------------------------------------------------------------------------ */

struct tasks {
	struct pipa_source source;
	const struct task_section *sections[PIPA_COUNT(task_sections)];
	size_t n_sections;
	bool wants_processes, wants_threads;
	struct pipa_task_iter *iter; /* NULL: not permitted */
	/* the only reader if iter is NULL; else for tasks that iter does not show, usually NULL */
	struct pipa_task_walk *walk;
	struct pipa_task_stats hidden_processes, hidden_threads;
	struct pipa_task_table processes, threads;
	double memory_bytes; /* of the machine; NaN: unknown */
	double tick_ns;
	bool delays; /* delay accounting of the kernel is enabled */
};

static struct tasks *tasks_of(struct pipa_source *source)
{
	return (struct tasks *)(void *)source;
}

static void tasks_free(struct tasks *t)
{
	if (!t)
		return;
	pipa_task_iter_close(t->iter);
	pipa_task_walk_close(t->walk);
	pipa_task_table_done(&t->processes);
	pipa_task_table_done(&t->threads);
	free(t->hidden_processes.items);
	free(t->hidden_threads.items);
	free(t);
}

PIPA_DEFINE_AUTO(tasks_free, struct tasks *)

static double memory_of(struct pipa_root *root)
{
	static const char key[] = "MemTotal:";
	char text[256], *end;
	uint64_t kb;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "meminfo") < 0 ||
	    !pipa_str_starts(text, key))
		return (double)NAN;
	kb = strtoull(text + sizeof(key) - 1, &end, 10);
	return pipa_str_starts(end, " kB") ? (double)kb * 1024 : (double)NAN;
}

/* Find processes that /proc shows but BPF does not, on hardened kernels. */
static int find_hidden(struct tasks *t)
{
	int rc = pipa_task_walk_list(t->walk);

	if (!rc)
		rc = pipa_task_iter_read(t->iter, &t->hidden_processes, NULL);
	if (!rc && !pipa_task_walk_keep_hidden(t->walk, &t->hidden_processes)) {
		pipa_task_walk_close(t->walk);
		t->walk = NULL;
	}
	return rc;
}

/* Open the reader of /proc text, which is always permitted; it uses half of the descriptors. */
static int open_reader(struct tasks *t, struct pipa_root *root, unsigned int files,
		       struct pipa_error *err)
{
	int rc = pipa_task_walk_open(root, files, pipa_limit_raise_files() / 2, &t->walk, err);

	if (rc < 0 || pipa_task_iter_open(root, &t->iter) < 0)
		return rc;
	rc = find_hidden(t);
	return rc < 0 ? pipa_fail(err, rc, "read the processes") : 0;
}

static int tasks_open(struct pipa_root *root, const struct pipa_section *const *sections, size_t n,
		      struct pipa_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(tasks_free) struct tasks *t = calloc(1, sizeof(*t));
	unsigned int files = 0;
	uint64_t on;
	size_t i, k;
	int rc;

	if (!t)
		return pipa_fail(err, -ENOMEM, "watch the processes");
	t->source.kind = &pipa_tasks_source;
	pipa_task_table_init(&t->processes);
	pipa_task_table_init(&t->threads);
	for (i = 0; i < n; i++)
		for (k = 0; k < PIPA_COUNT(task_sections); k++)
			if (sections[i] == task_sections[k].section) {
				t->sections[t->n_sections++] = &task_sections[k];
				t->wants_threads |= task_sections[k].threads;
				t->wants_processes |= !task_sections[k].threads;
				files |= task_sections[k].files;
			}
	t->memory_bytes = memory_of(root);
	t->tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	t->delays = pipa_root_read_u64(root, PIPA_PROC, &on, "sys/kernel/task_delayacct") < 0 || on;
	rc = open_reader(t, root, files, err);
	if (rc < 0)
		return rc;
	*ret = &PIPA_TAKE(t)->source;
	return 0;
}

/* Insert tasks in order; those that iter returned meanwhile are in the list already. */
static int insert_tasks(struct pipa_task_stats *list, const struct pipa_task_stats *more)
{
	size_t i, at;

	for (i = 0; list && i < more->n; i++) {
		for (at = list->n; at && list->items[at - 1].tid >= more->items[i].tid; at--)
			;
		if (at < list->n && list->items[at].tid == more->items[i].tid)
			continue;
		if (!PIPA_VEC_ADD(list))
			return -ENOMEM;
		memmove(&list->items[at + 1], &list->items[at],
			(list->n - 1 - at) * sizeof(*list->items));
		list->items[at] = more->items[i];
	}
	return 0;
}

static int read_both(struct tasks *t, struct pipa_task_stats *processes,
		     struct pipa_task_stats *threads)
{
	int rc;

	if (!t->iter)
		return pipa_task_walk_read(t->walk, processes, threads);
	rc = pipa_task_iter_read(t->iter, processes, threads);
	if (rc < 0 || !t->walk)
		return rc;
	rc = pipa_task_walk_read(t->walk, processes ? &t->hidden_processes : NULL,
				 threads ? &t->hidden_threads : NULL);
	if (!rc)
		rc = insert_tasks(processes, &t->hidden_processes);
	return rc ? rc : insert_tasks(threads, &t->hidden_threads);
}

static int tasks_read(struct pipa_source *source, struct pipa_error *err)
{
	struct tasks *t = tasks_of(source);
	struct pipa_task_stats *processes = t->wants_processes ? &t->processes.now : NULL;
	struct pipa_task_stats *threads = t->wants_threads ? &t->threads.now : NULL;
	int rc;

	pipa_task_table_begin(&t->processes);
	pipa_task_table_begin(&t->threads);
	rc = read_both(t, processes, threads);
	if (!rc)
		rc = pipa_task_table_end(&t->processes);
	if (!rc)
		rc = pipa_task_table_end(&t->threads);
	return rc < 0 ? pipa_fail(err, rc, "read the processes") : 0;
}

/* ---- handing out -------------------------------------------------------------------------------------- */

/* A task over an interval. */
struct look {
	const struct tasks *tasks;
	const struct pipa_task_table *table;
	const struct pipa_task_stat *task;
	double seconds;
	bool whole;
};

static double growth(const struct look *l, enum pipa_task_field field)
{
	return pipa_task_growth(l->table, l->task, field, l->whole);
}

static double state(const struct look *l, enum pipa_task_field field, bool whole)
{
	if (field == TASK_FIELDS)
		return l->task->tgid;
	return pipa_task_state_of(l->table, l->task, field, whole);
}

static double share(const struct look *l, double ns)
{
	return ns / 1e7 / l->seconds;
}

static double make_value(const struct look *l, const struct making *m)
{
	switch (m->how) {
	case IN_WORDS: break;
	case AS_IT_IS: return state(l, m->field, l->whole);
	case LAST: return state(l, m->field, false);
	case IN_KB: return state(l, m->field, l->whole) / 1024;
	case OF_MEMORY: return state(l, m->field, l->whole) / l->tasks->memory_bytes * 100;
	case SHARE: return share(l, growth(l, m->field));
	case SHARE_USER: return share(l, fmax(growth(l, m->field) - growth(l, TASK_GUEST_NS), 0));
	case SHARE_BOTH: return share(l, growth(l, TASK_USER_NS) + growth(l, TASK_SYSTEM_NS));
	case RATE: return growth(l, m->field) / l->seconds;
	case RATE_KB: return growth(l, m->field) / 1024 / l->seconds;
	case IN_TICKS:
		return l->tasks->delays ? round(growth(l, m->field) / l->tasks->tick_ns) :
					  (double)NAN;
	}
	return (double)NAN;
}

/* Would a delta column show anything but zero? */
static bool shows_growth(const struct task_section *section, const double *values)
{
	static const double least[] = { 0.5, 0.05, 0.005 };
	size_t i;

	for (i = 0; i < section->section->n_columns; i++)
		if (section->makings[i].how >= SHARE &&
		    values[i] >= least[section->section->columns[i].digits])
			return true;
	return false;
}

static int emit_row(const struct look *l, const struct task_section *section,
		    const struct pipa_tick *tick, struct pipa_series_sink *sink)
{
	double values[MAX_COLUMNS];
	char instance[16 + 2 + PIPA_COMM_LEN];
	size_t i;

	for (i = 0; i < section->section->n_columns; i++)
		values[i] = make_value(l, &section->makings[i]);
	if (!sink->wants_idle && !shows_growth(section, values))
		return 0;
	snprintf(instance, sizeof(instance), "%d%c%c%c%s", l->task->tid, '\0', l->task->state, '\0',
		 l->task->comm);
	return sink->row(sink, section->section, tick, instance, values);
}

static int emit_section(const struct tasks *t, const struct task_section *section,
			const struct pipa_tick *tick, bool whole, struct pipa_series_sink *sink)
{
	const struct pipa_task_table *table = section->threads ? &t->threads : &t->processes;
	struct look look = {
		.tasks = t, .table = table, .seconds = tick->interval_s, .whole = whole
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < table->now.n; i++) {
		look.task = &table->now.items[i];
		if (sink->wants_idle || !pipa_task_is_idle(table, look.task, whole))
			rc = emit_row(&look, section, tick, sink);
	}
	return rc;
}

static int tasks_emit(struct pipa_source *source, const struct pipa_tick *tick, bool whole,
		      struct pipa_series_sink *sink)
{
	struct tasks *t = tasks_of(source);
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < t->n_sections; i++)
		rc = emit_section(t, t->sections[i], tick, whole, sink);
	return rc;
}

static bool tasks_missing(struct pipa_source *source, size_t index, char *path, size_t size)
{
	static const char *const files[PIPA_TASK_FILES] = { [PIPA_TASK_SCHEDSTAT] = "schedstat",
							    [PIPA_TASK_STAT] = "stat",
							    [PIPA_TASK_IO] = "io",
							    [PIPA_TASK_STATUS] = "status" };
	struct tasks *t = tasks_of(source);
	size_t i, refused;

	for (i = 0; t->walk && i < PIPA_TASK_FILES; i++) {
		refused = pipa_task_walk_refused(t->walk, (enum pipa_task_file)i);
		if (!refused || index-- > 0)
			continue;
		if (refused == SIZE_MAX)
			snprintf(path, size, "/proc/PID/%s", files[i]);
		else
			snprintf(path, size, "/proc/PID/%s of %zu task%s", files[i], refused,
				 refused == 1 ? "" : "s");
		return true;
	}
	return false;
}

static void tasks_close(struct pipa_source *source)
{
	tasks_free(tasks_of(source));
}

const struct pipa_source_kind pipa_tasks_source = {
	.has = tasks_has,
	.open = tasks_open,
	.close = tasks_close,
	.read = tasks_read,
	.emit = tasks_emit,
	.missing = tasks_missing,
};
