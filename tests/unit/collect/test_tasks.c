#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/meter/sources.h"
#include "kernel/machine/root.h"
#include "lib/test.h"
#include "model/sections.h"

/* ---- an invented machine whose processes are files ------------------------------------------------ */

enum { MAX_ROWS = 32, MAX_VALUES = 20 };

struct handed {
	struct pipa_series_sink sink;
	struct {
		const struct pipa_section *section;
		char name[PIPA_INSTANCE_MAX], state[PIPA_INSTANCE_MAX], command[PIPA_INSTANCE_MAX];
		double values[MAX_VALUES];
	} rows[MAX_ROWS];
	size_t n;
};

static int take_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct handed *h = (struct handed *)(void *)self;

	CHECK(tick->interval_s > 0);
	CHECK(h->n < MAX_ROWS && section->n_columns <= MAX_VALUES);
	CHECK(pipa_instance_size(section, instance) <= PIPA_INSTANCE_MAX);
	h->rows[h->n].section = section;
	strcpy(h->rows[h->n].name, instance);
	instance = pipa_instance_next(instance);
	strcpy(h->rows[h->n].state, instance);
	strcpy(h->rows[h->n].command, pipa_instance_next(instance));
	memcpy(h->rows[h->n].values, values, section->n_columns * sizeof(*values));
	h->n++;
	return 0;
}

static struct handed handed = { .sink = { .row = take_row } };
static struct pipa_root *root;
static struct pipa_sources *sources;

struct process {
	int pid;
	const char *comm;
	int user, system, minflt, pages, start; /* ticks, ticks, -, -, ticks */
};

static void put(const struct process *p)
{
	char path[64], text[400];

	snprintf(path, sizeof(path), "proc/%d/stat", p->pid);
	snprintf(
		text, sizeof(text),
		"%d (%s) S 1 1 1 0 -1 0 %d 0 0 0 %d %d 0 0 20 0 1 0 %d 1048576 %d 0 0 0 0 0 0 0 0 0 0 "
		"0 0 0 17 1 0 0 0 0 0\n",
		p->pid, p->comm, p->minflt, p->user, p->system, p->start, p->pages);
	pipa_test_file(pipa_test_dir(), path, text);
}

static void take_away(int pid)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/proc/%d/stat", pipa_test_dir(), pid);
	CHECK_EQ(unlink(path), 0);
	*strrchr(path, '/') = '\0';
	CHECK_EQ(rmdir(path), 0);
}

static void start(const char *name)
{
	const struct pipa_section *section = pipa_section_find(name);

	pipa_test_file(pipa_test_dir(), "proc/meminfo", "MemTotal:  400000 kB\n");
	CHECK(section);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_sources_open(root, &section, 1, &sources, NULL), 0);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
}

static void emit(double seconds, bool whole)
{
	struct pipa_tick tick = { .wall_ns = 1, .interval_s = seconds };

	handed.n = 0;
	CHECK_EQ(pipa_sources_emit(sources, &tick, whole, &handed.sink), 0);
}

static void tick(double seconds)
{
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	emit(seconds, false);
}

static size_t row_of(const char *name)
{
	size_t i;

	for (i = 0; i < handed.n; i++)
		if (strcmp(handed.rows[i].name, name) == 0)
			return i;
	return MAX_ROWS;
}

static double value(const char *name, const char *column)
{
	size_t row = row_of(name), k;

	for (k = 0; row < handed.n && k < handed.rows[row].section->n_columns; k++)
		if (strcmp(handed.rows[row].section->columns[k].name, column) == 0)
			return handed.rows[row].values[k];
	pipa_test_fail(__FILE__, __LINE__, "no %s of '%s'", column, name);
}

static void stop(void)
{
	pipa_sources_close(sources);
	pipa_root_close(root);
}

#define IS(name, column, want) CHECK_NEAR(value(name, column), want, 1e-9)

/* ---- what happens to them --------------------------------------------------------------------------- */

TEST(a_process_has_pidstats_columns)
{
	struct process p = { 40, "a b) (c", 100, 50, 1000, 25, 5 };
	double page = (double)sysconf(_SC_PAGESIZE);

	put(&p);
	start("processes");
	p.user += 30, p.system += 20, p.minflt += 500;
	put(&p);
	tick(2);
	CHECK_EQ(handed.n, 1);
	CHECK_STR(handed.rows[0].command, "a b) (c");
	CHECK_STR(handed.rows[0].state, "S");
	IS("40", "%usr", 15);
	IS("40", "%system", 10);
	IS("40", "%guest", 0);
	IS("40", "%CPU", 25);
	IS("40", "CPU", 1);
	IS("40", "minflt/s", 250);
	IS("40", "VSZ", 1024);
	IS("40", "RSS", 25 * page / 1024);
	IS("40", "%MEM", 25 * page / 1024 / 4000);
	IS("40", "threads", 1);
	CHECK(isnan(value("40", "UID")));   /* no status */
	CHECK(isnan(value("40", "%wait"))); /* no schedstat */
	stop();
}

TEST(a_process_that_appears_counts_from_zero_and_one_that_ended_is_dropped)
{
	put(&(struct process){ 40, "old", 100, 0, 0, 1, 5 });
	start("processes");
	put(&(struct process){ 41, "new", 30, 0, 0, 1, 900 });
	take_away(40);
	tick(1);
	CHECK_EQ(handed.n, 1);
	IS("41", "%usr", 30);
	emit(3, true);
	CHECK_EQ(handed.n, 1);
	IS("41", "%usr", 10);
	stop();
}

TEST(a_number_that_is_used_again_is_another_process)
{
	put(&(struct process){ 40, "first", 100, 0, 0, 1, 5 });
	start("processes");
	put(&(struct process){ 40, "second", 120, 0, 0, 1, 900 });
	tick(1);
	CHECK_STR(handed.rows[row_of("40")].command, "second");
	IS("40", "%usr", 120);
	stop();
}

TEST(idle_tasks_are_omitted_by_default)
{
	struct process busy = { 41, "busy", 1, 0, 0, 1, 5 };

	put(&(struct process){ 40, "asleep", 100, 0, 0, 1, 5 });
	put(&busy);
	start("processes");
	busy.user++;
	put(&busy);
	tick(1);
	CHECK_EQ(handed.n, 1);
	CHECK_EQ(row_of("41"), 0);
	handed.sink.wants_idle = true;
	emit(1, false);
	CHECK_EQ(handed.n, 2);
	IS("40", "%CPU", 0);
	stop();
}

TEST(the_average_has_deltas_of_counters_and_means_of_gauges)
{
	struct process p = { 40, "a", 100, 0, 0, 10, 5 };
	double page_kb = (double)sysconf(_SC_PAGESIZE) / 1024;

	put(&p);
	start("processes");
	p.user += 10, p.pages = 20;
	put(&p);
	tick(1);
	p.user += 50, p.pages = 40;
	put(&p);
	tick(1);
	emit(2, true);
	IS("40", "%usr", 30);
	IS("40", "RSS", 30 * page_kb);
	stop();
}

TEST(redistributed_cpu_time_does_not_decrease)
{
	struct process p = { 40, "a", 100, 50, 0, 1, 5 };

	put(&p);
	start("processes");
	p.user = 98, p.system = 62; /* 10 in all */
	put(&p);
	tick(1);
	IS("40", "%usr", 0);
	IS("40", "%system", 10);
	IS("40", "%CPU", 10);
	p.user = 120, p.system = 55; /* 15 in all */
	put(&p);
	tick(1);
	IS("40", "%usr", 15);
	IS("40", "%system", 0);
	stop();
}

TEST(processes_that_come_and_go_keep_their_own_history)
{
	int i, round;

	for (i = 0; i < 20; i++)
		put(&(struct process){ 40 + i, "a", 100 * i, 0, 0, 1, 5 });
	start("processes");
	for (round = 1; round < 5; round++) {
		for (i = 0; i < 20; i++) {
			if (i % 5 == round)
				take_away(40 + i);
			else if (i % 5 > round || i % 5 == 0)
				put(&(struct process){ 40 + i, "a", 100 * i + round * (i + 1), 0, 0,
						       1, 5 });
		}
		put(&(struct process){ 100 + round, "n", round, 0, 0, 1, 50 + round });
		tick(1);
	}
	emit(4, true);
	CHECK_EQ(handed.n, 4 + 4);
	IS("40", "%usr", 1);
	IS("45", "%usr", 6);
	IS("55", "%usr", 16);
	IS("103", "%usr", 0.75);
	stop();
}

TEST(storage_and_switches_are_sections_of_their_own)
{
	pipa_test_file(pipa_test_dir(), "proc/self/io", "");
	pipa_test_file(pipa_test_dir(), "proc/sys/kernel/task_delayacct", "0\n");
	put(&(struct process){ 40, "a", 1, 0, 0, 1, 5 });
	pipa_test_file(pipa_test_dir(), "proc/40/io", "read_bytes: 0\nwrite_bytes: 4096\n");
	start("process-io");
	pipa_test_file(pipa_test_dir(), "proc/40/io", "read_bytes: 2048\nwrite_bytes: 8192\n");
	tick(2);
	IS("40", "kB_rd/s", 1);
	IS("40", "kB_wr/s", 2);
	CHECK(isnan(value("40", "kB_ccwr/s")));
	CHECK(isnan(value("40", "iodelay"))); /* the kernel does not count it */
	stop();
}

TEST(threads_name_their_process)
{
	static const char stat[] = "41 (worker) R 1 1 1 0 -1 0 0 0 0 0 %d 0 0 0 20 0 2 0 5 0 0 0\n";
	char text[200];

	put(&(struct process){ 40, "a", 1, 0, 0, 1, 5 });
	snprintf(text, sizeof(text), stat, 10);
	pipa_test_file(pipa_test_dir(), "proc/40/task/41/stat", text);
	start("threads");
	snprintf(text, sizeof(text), stat, 35);
	pipa_test_file(pipa_test_dir(), "proc/40/task/41/stat", text);
	tick(1);
	CHECK_EQ(handed.n, 1);
	IS("41", "TGID", 40);
	IS("41", "%CPU", 25);
	CHECK_STR(handed.rows[0].state, "R");
	stop();
}

TEST(unreadable_files_are_reported_once)
{
	char path[200];

	put(&(struct process){ 40, "a", 1, 0, 0, 1, 5 });
	start("process-io");
	CHECK(pipa_sources_missing(sources, 0, path, sizeof(path)));
	CHECK_STR(path, "/proc/PID/schedstat");
	CHECK(pipa_sources_missing(sources, 1, path, sizeof(path)));
	CHECK_STR(path, "/proc/PID/io");
	CHECK(!pipa_sources_missing(sources, 2, path, sizeof(path)));
	stop();
}
