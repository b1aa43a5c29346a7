#include "collect/meter/cgroups.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/meter/limits.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

/* ---- an invented machine and what is handed out of it ---------------------------------------- */

enum { MAX_ROWS = 64, MAX_VALUES = 16 };

struct handed {
	struct pipa_series_sink sink;
	struct {
		const struct pipa_section *section;
		char instance[64];
		double values[MAX_VALUES];
	} rows[MAX_ROWS];
	size_t n;
};

static int take_row(struct pipa_series_sink *self, const struct pipa_section *section,
		    const struct pipa_tick *tick PIPA_UNUSED, const char *instance,
		    const double *values)
{
	struct handed *h = (struct handed *)(void *)self;

	CHECK(h->n < MAX_ROWS && section->n_columns <= MAX_VALUES);
	h->rows[h->n].section = section;
	snprintf(h->rows[h->n].instance, sizeof(h->rows[0].instance), "%s", instance);
	memcpy(h->rows[h->n].values, values, section->n_columns * sizeof(*values));
	h->n++;
	return 0;
}

static struct handed handed = { .sink = { .row = take_row } };
static struct pipa_root *root;
static struct pipa_source *source;

__attribute__((format(printf, 2, 3))) static void file(const char *path, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pipa_test_file(pipa_test_dir(), path, text);
}

static void start(const struct pipa_source_kind *kind)
{
	file("sys/nothing", "%s", "");
	file("proc/nothing", "%s", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(kind->open(root, NULL, 0, &source, NULL), 0);
	CHECK_EQ(kind->read(source, NULL), 0);
}

/* A tick of two seconds. */
static void tick(void)
{
	const struct pipa_tick two = { .wall_ns = 1, .interval_s = 2 };

	handed.n = 0;
	CHECK_EQ(source->kind->read(source, NULL), 0);
	CHECK_EQ(source->kind->emit(source, &two, false, &handed.sink), 0);
}

static void whole(double seconds)
{
	const struct pipa_tick all = { .wall_ns = 1, .interval_s = seconds };

	handed.n = 0;
	CHECK_EQ(source->kind->emit(source, &all, true, &handed.sink), 0);
}

static void stop(void)
{
	source->kind->close(source);
	pipa_root_close(root);
}

static bool has_row(const char *instance)
{
	size_t i;

	for (i = 0; i < handed.n; i++)
		if (strcmp(handed.rows[i].instance, instance) == 0)
			return true;
	return false;
}

static double value(const char *instance, const char *name)
{
	size_t i, k;

	for (i = 0; i < handed.n; i++)
		for (k = 0; k < handed.rows[i].section->n_columns; k++)
			if (strcmp(handed.rows[i].instance, instance) == 0 &&
			    strcmp(handed.rows[i].section->columns[k].name, name) == 0)
				return handed.rows[i].values[k];
	pipa_test_fail(__FILE__, __LINE__, "no %s of '%s'", name, instance);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_group(const char *path)
{
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", pipa_test_dir(), path);
	CHECK_EQ(nftw(full, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

#define V2 "sys/fs/cgroup"

static void v2_mounts(void)
{
	file("proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n");
}

static void v2_group(const char *path, unsigned int k)
{
	char name[256];

#define GROUP_FILE(text) (snprintf(name, sizeof(name), V2 "/%s/%s", path, text), name)
	file(GROUP_FILE("cpu.stat"),
	     "usage_usec %u\nuser_usec %u\nsystem_usec %u\nnr_periods %u\nnr_throttled %u\n",
	     k * 1000000, k * 600000, k * 400000, k * 20, k * 5);
	file(GROUP_FILE("memory.current"), "%u\n", k * 1048576);
	file(GROUP_FILE("memory.max"), "8388608\n");
	file(GROUP_FILE("memory.swap.current"), "%u\n", k * 4096);
	file(GROUP_FILE("io.stat"), "8:0 rbytes=%u wbytes=%u\n8:16 rbytes=0 wbytes=%u\n", k * 2048,
	     k * 4096, k * 4096);
	file(GROUP_FILE("pids.current"), "%u\n", k + 3);
}

/* ---- groups ---------------------------------------------------------------------------------- */

TEST(usage_of_v2_cgroups_is_reported)
{
	v2_mounts();
	file(V2 "/cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\n");
	v2_group("web.slice", 1);
	v2_group("web.slice/one.service", 1);
	start(&pipa_cgroups_source);
	v2_group("web.slice", 2);
	v2_group("web.slice/one.service", 3);
	tick();
	CHECK_EQ(handed.n, 3);
	CHECK_STR(handed.rows[0].instance, "/");
	CHECK_NEAR(value("/", "%CPU"), 0, 0);
	CHECK(isnan(value("/", "kbmem")));
	CHECK(isnan(value("/", "%thr")));
	CHECK_NEAR(value("web.slice", "%CPU"), 50, 1e-9);
	CHECK_NEAR(value("web.slice", "%usr"), 30, 1e-9);
	CHECK_NEAR(value("web.slice", "%sys"), 20, 1e-9);
	CHECK_NEAR(value("web.slice", "%thr"), 25, 1e-9);
	CHECK_NEAR(value("web.slice", "thr/s"), 2.5, 1e-9);
	CHECK_NEAR(value("web.slice", "kbmem"), 2048, 0);
	CHECK_NEAR(value("web.slice", "kbmax"), 8192, 0);
	CHECK_NEAR(value("web.slice", "%mem"), 25, 1e-9);
	CHECK_NEAR(value("web.slice", "kbswp"), 8, 0);
	CHECK_NEAR(value("web.slice", "rkB/s"), 1, 1e-9);
	CHECK_NEAR(value("web.slice", "wkB/s"), 4, 1e-9);
	CHECK_NEAR(value("web.slice", "pids"), 5, 0);
	CHECK_NEAR(value("web.slice/one.service", "%CPU"), 100, 1e-9);
	v2_group("web.slice", 2);
	tick();
	CHECK_NEAR(value("web.slice", "%CPU"), 0, 1e-9);
	whole(4); /* growth over all of it, means of the rest */
	CHECK_NEAR(value("web.slice", "%CPU"), 25, 1e-9);
	CHECK_NEAR(value("web.slice/one.service", "kbmem"), 3072, 0);
	stop();
}

TEST(groups_that_come_and_go_are_seen_by_their_number)
{
	v2_mounts();
	file(V2 "/cgroup.stat", "nr_descendants 2\n");
	v2_group("a", 1);
	v2_group("b", 1);
	start(&pipa_cgroups_source);
	tick();
	CHECK_EQ(handed.n, 2); /* the root cgroup has no file of limits */
	v2_group("c", 7);
	file(V2 "/cgroup.stat", "nr_descendants 3\n");
	tick();
	CHECK_EQ(handed.n, 3);
	CHECK(isnan(value("c", "%CPU"))); /* it may have run for long: no value yet */
	CHECK_NEAR(value("c", "kbmem"), 7168, 0);
	v2_group("c", 8);
	remove_group(V2 "/a");
	file(V2 "/cgroup.stat", "nr_descendants 2\n");
	tick();
	CHECK_EQ(handed.n, 2);
	CHECK(!has_row("a"));
	CHECK_NEAR(value("c", "%CPU"), 50, 1e-9);
	whole(6);
	CHECK_NEAR(value("c", "%CPU"), 100 / 6.0, 1e-9); /* since it was first seen */
	stop();
}

TEST(cgroups_without_a_notification_are_found_by_rescanning)
{
	int i;

	v2_mounts();
	v2_group("a", 1);
	start(&pipa_cgroups_source);
	v2_group("a/deep/er", 1);
	for (i = 0; i < 16 && !has_row("a/deep/er"); i++)
		tick();
	CHECK(has_row("a/deep/er"));
	stop();
}

TEST(v1_hierarchies_are_put_together)
{
	file("proc/mounts", "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpuacct,cpu 0 0\n"
			    "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n"
			    "cgroup /sys/fs/cgroup/blkio cgroup rw,blkio 0 0\n"
			    "cgroup /sys/fs/cgroup/pids cgroup rw,pids 0 0\n");
#define V1(controller, name) "sys/fs/cgroup/" controller "/box/" name
	file(V1("cpu,cpuacct", "cpuacct.usage"), "0\n");
	file(V1("cpu,cpuacct", "cpuacct.stat"), "user 0\nsystem 0\n");
	file(V1("cpu,cpuacct", "cpu.stat"), "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n");
	file(V1("memory", "memory.usage_in_bytes"), "1048576\n");
	file(V1("memory", "memory.limit_in_bytes"), "2097152\n");
	file(V1("memory", "memory.memsw.usage_in_bytes"), "1050624\n");
	file(V1("blkio", "blkio.throttle.io_service_bytes_recursive"), "8:0 Read 0\n8:0 Write 0\n");
	file(V1("pids", "pids.current"), "3\n");
	file("sys/fs/cgroup/memory/other/memory.usage_in_bytes", "4096\n");
	file("sys/fs/cgroup/memory/other/memory.limit_in_bytes", "9223372036854771712\n");
	start(&pipa_cgroups_source);
	file(V1("cpu,cpuacct", "cpuacct.usage"), "500000000\n");
	file(V1("cpu,cpuacct", "cpuacct.stat"), "user 30\nsystem 10\n");
	file(V1("cpu,cpuacct", "cpu.stat"), "nr_periods 10\nnr_throttled 4\nthrottled_time 9\n");
	file(V1("blkio", "blkio.throttle.io_service_bytes_recursive"),
	     "8:0 Read 4096\n8:0 Write 0\n");
	tick();
	CHECK_EQ(handed.n, 2);
	CHECK_NEAR(value("box", "%CPU"), 25, 1e-9);
	CHECK_NEAR(value("box", "%usr"), 15, 1e-9);
	CHECK_NEAR(value("box", "%sys"), 5, 1e-9);
	CHECK_NEAR(value("box", "%thr"), 40, 1e-9);
	CHECK_NEAR(value("box", "%mem"), 50, 1e-9);
	CHECK_NEAR(value("box", "kbswp"), 2, 0);
	CHECK_NEAR(value("box", "rkB/s"), 2, 1e-9);
	CHECK_NEAR(value("box", "pids"), 3, 0);
	CHECK_NEAR(value("other", "kbmem"), 4, 0);
	CHECK(isnan(value("other", "kbmax")));
	CHECK(isnan(value("other", "%mem")));
	CHECK(isnan(value("other", "%CPU")));
	stop();
}

TEST(on_a_hybrid_machine_v1_comes_first)
{
	file("proc/mounts", "cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n"
			    "cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n");
	file("sys/fs/cgroup/unified/a/cpu.stat", "usage_usec 77\n");
	file("sys/fs/cgroup/unified/a/memory.current", "4096\n");
	file("sys/fs/cgroup/cpuacct/a/cpuacct.usage", "1000\n");
	start(&pipa_cgroups_source);
	file("sys/fs/cgroup/unified/a/cpu.stat", "usage_usec 2000077\n");
	file("sys/fs/cgroup/cpuacct/a/cpuacct.usage", "1000001000\n");
	tick();
	CHECK_EQ(handed.n, 1);
	CHECK_NEAR(value("a", "%CPU"), 50, 1e-9);
	CHECK_NEAR(value("a", "kbmem"), 4, 0);
	stop();
}

TEST(a_machine_without_cgroups_reports_the_missing_path)
{
	char path[64];

	file("proc/mounts", "proc /proc proc rw 0 0\n");
	start(&pipa_cgroups_source);
	tick();
	CHECK_EQ(handed.n, 0);
	CHECK(source->kind->missing(source, 0, path, sizeof(path)));
	CHECK_STR(path, "/sys/fs/cgroup");
	CHECK(!source->kind->missing(source, 1, path, sizeof(path)));
	stop();
}

TEST(garbage_in_a_file_leaves_its_columns_missing)
{
	v2_mounts();
	v2_group("a", 1);
	file(V2 "/a/cpu.stat", "garbage\n");
	file(V2 "/a/memory.max", "lots\n");
	file(V2 "/a/pids.current", "%s", "");
	start(&pipa_cgroups_source);
	tick();
	CHECK(isnan(value("a", "%CPU")));
	CHECK(isnan(value("a", "%mem")));
	CHECK(isnan(value("a", "pids")));
	CHECK_NEAR(value("a", "kbmem"), 1024, 0);
	stop();
}

/* They are escaped where they are written. */
TEST(names_are_left_as_they_are)
{
	v2_mounts();
	v2_group("a\033[2J;b", 1);
	start(&pipa_cgroups_source);
	tick();
	CHECK_STR(handed.rows[0].instance, "a\033[2J;b");
	stop();
}

TEST(without_descriptors_left_files_are_opened_each_time)
{
	struct rlimit limit = { 32, 32 };
	char name[16];
	int i;

	v2_mounts();
	for (i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "g%02d", i);
		v2_group(name, 1);
	}
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	start(&pipa_cgroups_source);
	v2_group("g19", 2);
	v2_group("g00", 3);
	tick();
	CHECK_EQ(handed.n, 20);
	CHECK_NEAR(value("g19", "%CPU"), 50, 1e-9);
	CHECK_NEAR(value("g00", "%CPU"), 100, 1e-9);
	CHECK_NEAR(value("g07", "kbmem"), 1024, 0);
	stop();
}

/* ---- limits ---------------------------------------------------------------------------------- */

static void host(void)
{
	file("sys/devices/system/cpu/online", "0-7\n");
	file("proc/meminfo", "MemTotal:       16777216 kB\nMemFree: 1 kB\n");
}

static bool in_force(void)
{
	struct pipa_root *r = NULL;
	bool yes;

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &r, NULL), 0);
	yes = pipa_limits_in_force(r);
	pipa_root_close(r);
	return yes;
}

TEST(the_tightest_group_above_ours_bounds_us)
{
	host();
	v2_mounts();
	file("proc/self/cgroup", "0::/pod/box\n");
	file(V2 "/pod/cpu.max", "150000 100000\n");
	file(V2 "/pod/cpu.stat", "nr_periods 10\nnr_throttled 1\n");
	file(V2 "/pod/memory.max", "1073741824\n");
	file(V2 "/pod/memory.current", "536870912\n");
	file(V2 "/pod/pids.max", "max\n");
	file(V2 "/pod/pids.current", "9\n");
	file(V2 "/pod/box/cpu.max", "400000 100000\n");
	file(V2 "/pod/box/cpu.stat", "nr_periods 0\nnr_throttled 0\n");
	file(V2 "/pod/box/cpuset.cpus.effective", "0-3\n");
	file(V2 "/pod/box/memory.max", "max\n");
	file(V2 "/pod/box/memory.current", "4096\n");
	file(V2 "/pod/box/memory.swap.max", "0\n");
	file(V2 "/pod/box/memory.swap.current", "0\n");
	file(V2 "/pod/box/pids.max", "100\n");
	file(V2 "/pod/box/pids.current", "7\n");
	CHECK(in_force());
	start(&pipa_limits_source);
	file(V2 "/pod/cpu.stat", "nr_periods 30\nnr_throttled 6\n");
	tick();
	CHECK_EQ(handed.n, 1);
	CHECK_NEAR(value("", "hostcpus"), 8, 0);
	CHECK_NEAR(value("", "cpus"), 4, 0);
	CHECK_NEAR(value("", "quota"), 1.5, 1e-9);
	CHECK_NEAR(value("", "%thr"), 25, 1e-9);
	CHECK_NEAR(value("", "thr/s"), 2.5, 1e-9);
	CHECK_NEAR(value("", "kbhost"), 16777216, 0);
	CHECK_NEAR(value("", "kbmax"), 1048576, 0);
	CHECK_NEAR(value("", "kbmem"), 524288, 0);
	CHECK_NEAR(value("", "%mem"), 50, 1e-9);
	CHECK_NEAR(value("", "kbswpmax"), 0, 0);
	CHECK_NEAR(value("", "kbswp"), 0, 0);
	CHECK_NEAR(value("", "pidsmax"), 100, 0);
	CHECK_NEAR(value("", "pids"), 7, 0);
	file(V2 "/pod/memory.max", "2147483648\n"); /* lifted while we watch */
	tick();
	CHECK_NEAR(value("", "kbmax"), 2097152, 0);
	stop();
}

TEST(a_group_that_allows_all_there_is_bounds_nothing)
{
	host();
	v2_mounts();
	file("proc/self/cgroup", "0::/box\n");
	file(V2 "/box/cpu.max", "max 100000\n");
	file(V2 "/box/cpu.stat", "usage_usec 1\n");
	file(V2 "/box/cpuset.cpus.effective", "0-7\n");
	file(V2 "/box/memory.max", "17179869184\n");
	file(V2 "/box/memory.current", "8192\n");
	file(V2 "/box/pids.max", "1000\n");
	CHECK(!in_force());
	start(&pipa_limits_source);
	tick();
	CHECK(isnan(value("", "cpus")));
	CHECK(isnan(value("", "quota")));
	CHECK(isnan(value("", "thr/s")));
	CHECK(isnan(value("", "kbmax")));
	CHECK_NEAR(value("", "kbmem"), 8, 0);
	CHECK_NEAR(value("", "pidsmax"), 1000, 0);
	stop();
	file(V2 "/box/cpu.max", "800000 100000\n");
	CHECK(!in_force());
	file(V2 "/box/cpu.max", "799000 100000\n");
	CHECK(in_force());
}

/* Docker on v1 mounts the container's own group as the top, but names it from the machine's. */
TEST(a_container_finds_its_group_where_it_is_mounted)
{
	host();
	file("proc/mounts", "cgroup /sys/fs/cgroup/memory cgroup ro,memory 0 0\n"
			    "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup ro,cpu,cpuacct 0 0\n"
			    "cgroup /sys/fs/cgroup/cpuset cgroup ro,cpuset 0 0\n"
			    "cgroup /sys/fs/cgroup/pids cgroup ro,pids 0 0\n");
	file("proc/self/cgroup", "5:cpuset:/docker/abc\n4:memory:/docker/abc/sub\n"
				 "3:pids:/docker/abc\n2:cpu,cpuacct:/docker/abc\n");
	file("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
	file("sys/fs/cgroup/memory/memory.usage_in_bytes", "2097152\n");
	file("sys/fs/cgroup/memory/memory.memsw.limit_in_bytes", "1610612736\n");
	file("sys/fs/cgroup/memory/memory.memsw.usage_in_bytes", "2097152\n");
	file("sys/fs/cgroup/memory/sub/memory.limit_in_bytes", "536870912\n");
	file("sys/fs/cgroup/memory/sub/memory.usage_in_bytes", "1048576\n");
	file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n");
	file("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	file("sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 5\nnr_throttled 5\n");
	file("sys/fs/cgroup/cpuset/cpuset.effective_cpus", "2,5\n");
	file("sys/fs/cgroup/pids/pids.max", "max\n");
	file("sys/fs/cgroup/pids/pids.current", "4\n");
	CHECK(in_force());
	start(&pipa_limits_source);
	tick();
	CHECK_NEAR(value("", "cpus"), 2, 0);
	CHECK_NEAR(value("", "quota"), 0.5, 1e-9);
	CHECK_NEAR(value("", "%thr"), 0, 0);
	CHECK_NEAR(value("", "kbmax"), 524288, 0);
	CHECK_NEAR(value("", "kbmem"), 1024, 0);
	CHECK_NEAR(value("", "kbswpmax"), 524288, 0); /* of the group above */
	CHECK(isnan(value("", "pidsmax")));
	CHECK_NEAR(value("", "pids"), 4, 0);
	stop();
}

TEST(without_a_cgroup_of_its_own_pipa_reports_no_limits)
{
	char path[64];

	host();
	v2_mounts();
	CHECK(!in_force());
	start(&pipa_limits_source);
	tick();
	CHECK_EQ(handed.n, 0);
	CHECK(source->kind->missing(source, 0, path, sizeof(path)));
	stop();
	file("proc/self/cgroup", "garbage\n0:\n:::\n");
	CHECK(!in_force());
}

TEST(malformed_limits_are_ignored)
{
	host();
	v2_mounts();
	file("proc/self/cgroup", "0::/box\n");
	file(V2 "/box/cpu.max", "lots of it\n");
	file(V2 "/box/memory.max", "-5\n");
	file(V2 "/box/cpuset.cpus.effective", "all\n");
	CHECK(!in_force());
	file(V2 "/box/cpu.max", "5 0\n");
	CHECK(!in_force());
	file("proc/meminfo", "no\n");
	file("sys/devices/system/cpu/online", "no\n");
	file(V2 "/box/cpu.max", "50000 100000\n");
	CHECK(in_force()); /* a quota is one whatever the machine has */
}
