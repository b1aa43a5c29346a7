#include "kernel/text/cgroup_text.h"

#include <errno.h>
#include <stdlib.h>

#include "base/counter.h"
#include "kernel/machine/cgroup.h"
#include "lib/test.h"

static uint64_t fields[CG_FIELDS];

/* A file's text, from exactly as many bytes as there are, into fresh numbers. */
static void parse(const char *name, const char *v1, const char *text)
{
	size_t i, len = strlen(text);
	char *exact = malloc(len ? len : 1);

	CHECK(exact);
	memcpy(exact, text, len);
	pipa_cgroup_fields_init(fields);
	for (i = 0; i < pipa_n_cgroup_files; i++) {
		const struct pipa_cgroup_file *file = &pipa_cgroup_files[i];

		if (strcmp(file->name, name) == 0 && !file->v1 == !v1 &&
		    (!v1 || strcmp(file->v1, v1) == 0)) {
			pipa_cgroup_parse(file, exact, len, fields);
			free(exact);
			return;
		}
	}
	pipa_test_fail(__FILE__, __LINE__, "no file %s", name);
}

static bool all_missing(void)
{
	size_t i;

	for (i = 0; i < CG_FIELDS; i++)
		if (fields[i] != PIPA_COUNTER_MISSING)
			return false;
	return true;
}

TEST(cpu_stat_has_times_and_throttling)
{
	parse("cpu.stat", NULL,
	      "usage_usec 12\nuser_usec 5\nsystem_usec 7\nnr_periods 9\nnr_throttled 3\n"
	      "throttled_usec 1000\nnr_bursts 0\n");
	CHECK_EQ(fields[CG_USAGE_US], 12);
	CHECK_EQ(fields[CG_USER_US], 5);
	CHECK_EQ(fields[CG_SYSTEM_US], 7);
	CHECK_EQ(fields[CG_PERIODS], 9);
	CHECK_EQ(fields[CG_THROTTLED], 3);
}

TEST(v1_counts_cpu_time_in_nanoseconds_and_hundredths)
{
	parse("cpuacct.usage", "cpuacct", "123456789\n");
	CHECK_EQ(fields[CG_USAGE_US], 123456);
	parse("cpuacct.stat", "cpuacct", "user 50\nsystem 7\n");
	CHECK_EQ(fields[CG_USER_US], 500000);
	CHECK_EQ(fields[CG_SYSTEM_US], 70000);
}

TEST(io_is_the_sum_of_devices)
{
	parse("io.stat", NULL,
	      "8:0 rbytes=1000 wbytes=20 rios=1 wios=2 dbytes=0 dios=0\n"
	      "8:16 rbytes=5 wbytes=7\n253:0 \n");
	CHECK_EQ(fields[CG_READ], 1005);
	CHECK_EQ(fields[CG_WRITTEN], 27);
	parse("io.stat", NULL, "");
	CHECK_EQ(fields[CG_READ], 0);
	parse("blkio.throttle.io_service_bytes_recursive", "blkio",
	      "8:0 Read 1000\n8:0 Write 20\n8:0 Sync 1020\n8:0 Total 1020\n8:16 Read 5\nTotal 1025\n");
	CHECK_EQ(fields[CG_READ], 1005);
	CHECK_EQ(fields[CG_WRITTEN], 20);
	parse("blkio.throttle.io_service_bytes_recursive", "blkio", "Total 0\n");
	CHECK_EQ(fields[CG_READ], 0);
}

TEST(all_spellings_of_unlimited_are_missing_values)
{
	parse("memory.max", NULL, "max\n");
	CHECK(all_missing());
	parse("memory.limit_in_bytes", "memory", "9223372036854771712\n");
	CHECK(all_missing());
	parse("cpu.cfs_quota_us", "cpu", "-1\n");
	CHECK(all_missing());
	parse("pids.max", "pids", "max\n");
	CHECK(all_missing());
	parse("cpu.max", NULL, "max 100000\n");
	CHECK_EQ(fields[CG_QUOTA_US], PIPA_COUNTER_MISSING);
	CHECK_EQ(fields[CG_PERIOD_US], 100000);
}

TEST(limits_are_numbers)
{
	parse("memory.max", NULL, "1048576\n");
	CHECK_EQ(fields[CG_MEMORY_MAX], 1048576);
	parse("memory.max", NULL, "0\n");
	CHECK_EQ(fields[CG_MEMORY_MAX], 0);
	parse("cpu.max", NULL, "150000 100000\n");
	CHECK_EQ(fields[CG_QUOTA_US], 150000);
	parse("cpuset.cpus.effective", NULL, "0-3,7,9-10\n");
	CHECK_EQ(fields[CG_CPUS], 7);
}

TEST(garbage_is_missing)
{
	static const char *const texts[] = {
		"",	"\n",	 "x",	   "1x\n",	  "-\n", "99999999999999999999\n",
		"0-\n", "3-1\n", "1,,2\n", "0-99999999\n"
	};
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		parse("cpuset.cpus.effective", NULL, texts[i]);
		CHECK(all_missing());
	}
	for (i = 0; i < 6; i++) {
		parse("memory.current", NULL, texts[i]);
		CHECK(all_missing());
		parse("cpu.stat", NULL, texts[i]);
		CHECK(all_missing());
		parse("cpu.max", NULL, texts[i]);
		CHECK(all_missing());
	}
	parse("cpu.stat", NULL, "usage_usec\nusage_usec x\nusage_usec 99999999999999999999\n");
	CHECK(all_missing());
}

TEST(swap_of_v1_is_memsw_minus_memory)
{
	pipa_cgroup_fields_init(fields);
	fields[CG_MEMORY] = 100;
	fields[CG_MEMSW] = 130;
	fields[CG_MEMORY_MAX] = 200;
	fields[CG_MEMSW_MAX] = 200;
	pipa_cgroup_fields_finish(fields);
	CHECK_EQ(fields[CG_SWAP], 30);
	CHECK_EQ(fields[CG_SWAP_MAX], 0);
	pipa_cgroup_fields_init(fields);
	fields[CG_MEMORY] = 100;
	fields[CG_MEMSW] = 96; /* read a moment earlier */
	pipa_cgroup_fields_finish(fields);
	CHECK_EQ(fields[CG_SWAP], 0);
	pipa_cgroup_fields_init(fields);
	fields[CG_SWAP] = 5;
	pipa_cgroup_fields_finish(fields);
	CHECK_EQ(fields[CG_SWAP], 5);
	CHECK_EQ(fields[CG_SWAP_MAX], PIPA_COUNTER_MISSING);
}

static const char *own(const char *text, const char *controller)
{
	static char path[64];
	int rc = pipa_cgroup_own(text, strlen(text), controller, path, sizeof(path));

	return rc == -ENOENT ? "none" : rc == -ENAMETOOLONG ? "long" : path;
}

TEST(our_group_is_found_in_each_hierarchy)
{
	static const char text[] =
		"9:name=systemd:/init\n4:memory:/a/b\n2:cpu,cpuacct:/c\n0::/d:e\n";

	CHECK_STR(own(text, "memory"), "/a/b");
	CHECK_STR(own(text, "cpuacct"), "/c");
	CHECK_STR(own(text, "cpu"), "/c");
	CHECK_STR(own(text, NULL), "/d:e");
	CHECK_STR(own(text, "pids"), "none");
	CHECK_STR(own("", NULL), "none");
	CHECK_STR(own("0::", NULL), "none");
	CHECK_STR(own("0::nothing\n", NULL), "none");
	CHECK_STR(own("0::/012345678901234567890123456789012345678901234567890123456789xyz\n",
		      NULL),
		  "long");
}

static uint64_t count(const char *text)
{
	return pipa_cgroup_count(text, strlen(text));
}

TEST(groups_are_counted)
{
	CHECK_EQ(
		count("#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t1\t2\t1\nmemory\t4\t17\t1\n"),
		19);
	CHECK_EQ(count("nr_descendants 12\nnr_dying_descendants 5\n"), 12);
	CHECK_EQ(count(""), 0);
	CHECK_EQ(count("nr_descendants\ncpu\t1\n"), 0);
}

TEST(places_of_hierarchies_are_found_in_the_mounts)
{
	const char *mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
			     "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n"
			     "cgroup2 /sys/fs/cgroup/uni\\040fied cgroup2 rw 0 0\n";
	struct pipa_cgroup_place place;

	CHECK(pipa_cgroup_next_place(&mounts, &place));
	CHECK(!place.v2);
	CHECK_STR(place.path, "/sys/fs/cgroup/cpu,cpuacct");
	CHECK(pipa_cgroup_place_has(&place, "cpu"));
	CHECK(pipa_cgroup_place_has(&place, "cpuacct"));
	CHECK(!pipa_cgroup_place_has(&place, "memory"));
	CHECK(pipa_cgroup_next_place(&mounts, &place));
	CHECK(place.v2);
	CHECK_STR(place.path, "/sys/fs/cgroup/uni fied");
	CHECK(!pipa_cgroup_next_place(&mounts, &place));
}
