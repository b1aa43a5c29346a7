/*
 * pipa monitor over recorded and invented machines: /proc as kernels of several ages and kinds
 * show it, at two moments (tests/data/proc/MACHINE/{0,1}), with the output kept byte for byte. The
 * time between is simulated.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "collect/meter/sources.h"
#include "export/table/series.h"
#include "kernel/machine/root.h"
#include "lib/golden.h"
#include "lib/test.h"
#include "model/sections.h"

static const double seconds = 2;

/* ---- a machine as files, overwritten in place as time goes by -------------------------------- */

static void copy_file(const char *from, const char *path)
{
	char text[1 << 16];
	FILE *file = fopen(from, "re");
	size_t n;

	CHECK(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	CHECK(n < sizeof(text) - 1);
	text[n] = '\0';
	fclose(file);
	pipa_test_file(pipa_test_dir(), path, text);
}

/* Copy what is below `top`/`path` to the same path of the test's own directory. */
static void copy_tree(const char *top, const char *path)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(from, sizeof(from), "%s/%s", top, path);
	dir = opendir(from);
	if (!dir) {
		copy_file(from, path);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(to, sizeof(to), "%s%s%s", path, *path ? "/" : "", entry->d_name);
		copy_tree(top, to);
	}
	closedir(dir);
}

static void machine_at(const char *name, int moment)
{
	char top[PATH_MAX];

	snprintf(top, sizeof(top), "%s/proc/%s/%d", golden_data(), name, moment);
	copy_tree(top, "");
}

/* ---- output ---------------------------------------------------------------------------------- */

/* The sections of sar, in its order; sections that come later are tested on their own. */
static const char *const sections[] = {
	"cpu",	"cpu-short", "cswch",	   "swapping",	    "paging",	  "io",
	"mem",	"swap",	     "hugepages",  "kernel-tables", "load",	  "tty",
	"disk", "net",	     "net-errors", "nfs",	    "nfsd",	  "sockets",
	"ip",	"ip-errors", "icmp",	   "icmp-errors",   "tcp",	  "tcp-errors",
	"udp",	"sockets6",  "ip6",	   "ip6-errors",    "icmp6",	  "icmp6-errors",
	"udp6", "softnet",   "psi-cpu",	   "psi-io",	    "psi-memory",
};

static const struct pipa_section *section_of(const char *name)
{
	const struct pipa_section *section = pipa_section_find(name);

	if (section)
		return section;
	pipa_test_fail(__FILE__, __LINE__, "no section %s", name);
}

static struct pipa_root *root;
static struct pipa_sources *sources;

/* Open the machine as its files are now, and read it for the first time. */
static void start(void)
{
	const struct pipa_section *wanted[PIPA_COUNT(sections)];
	size_t i;

	for (i = 0; i < PIPA_COUNT(sections); i++)
		wanted[i] = section_of(sections[i]);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_sources_open(root, wanted, PIPA_COUNT(wanted), &sources, NULL), 0);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
}

static void stop(void)
{
	pipa_sources_close(sources);
	pipa_root_close(root);
}

/* The interval and the average after it, in one of the forms. */
static void check_form(const char *name, const char *ending, enum pipa_series_form form)
{
	struct pipa_series_format format = { .form = form, .host = "host" };
	struct pipa_tick tick = { .wall_ns = UINT64_C(1700000000000000000), .interval_s = seconds };
	struct pipa_buf out = { 0 };
	struct pipa_series_writer *writer = pipa_series_writer_new(&format, &out);
	char path[PATH_MAX];

	CHECK(writer);
	CHECK_EQ(pipa_sources_emit(sources, &tick, false, pipa_series_writer_sink(writer)), 0);
	pipa_series_writer_average(writer);
	CHECK_EQ(pipa_sources_emit(sources, &tick, true, pipa_series_writer_sink(writer)), 0);
	CHECK_EQ(out.status, 0);
	snprintf(path, sizeof(path), "proc/%s/%s", name, ending);
	CHECK_GOLDEN(path, out.data, out.len);
	pipa_series_writer_free(writer);
	pipa_buf_done(&out);
}

static void check_machine(const char *name)
{
	setenv("TZ", "UTC", 1);
	machine_at(name, 0);
	start();
	machine_at(name, 1);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	check_form(name, "shown.txt", PIPA_SERIES_TEXT);
	check_form(name, "shown.csv", PIPA_SERIES_CSV);
	check_form(name, "shown.json", PIPA_SERIES_JSON);
	stop();
}

TEST(a_recorded_x86_machine_with_linux_6_18_is_shown)
{
	check_machine("x86_64-6.18");
}

TEST(an_arm_board_with_linux_5_10_is_shown)
{
	check_machine("aarch64-5.10");
}

TEST(linux_4_19_has_fifteen_numbers_a_disk_and_no_pressure)
{
	check_machine("x86_64-4.19");
}

TEST(linux_3_12_has_no_available_memory_and_counts_reclaim_by_zone)
{
	check_machine("x86_64-3.12");
}

TEST(linux_2_6_18_has_no_guest_time_and_no_space_after_an_interface)
{
	check_machine("x86_64-2.6.18");
}

TEST(a_sandbox_that_shows_little_leaves_the_rest_missing)
{
	check_machine("gvisor");
}

/* ---- a large sources, made up here -------------------------------------------------------------- */

enum { CPUS = 256, DISKS = 1000 };

static void big_machine(int moment)
{
	struct pipa_buf stat = { 0 }, disks = { 0 };
	int i;

	pipa_buf_printf(&stat, "cpu  0 0 0 0 0 0 0 0 0 0\n");
	for (i = 0; i < CPUS; i++)
		pipa_buf_printf(&stat, "cpu%d %d 0 %d %d 0 0 0 0 0 0\n", i, moment * i, 7000,
				9000 + moment * (1000 - i));
	pipa_buf_printf(&stat, "ctxt %d\n", moment * 10);
	for (i = 0; i < DISKS; i++)
		pipa_buf_printf(&disks, "%4d %7d sd%d %d 0 %d 0 1 0 0 0 0 0 0 0 0 0 0 0 0\n",
				8 + i / 16, i % 16 * 16, i, 1 + moment * 2 * i, moment * 64 * i);
	CHECK_EQ(stat.status | disks.status, 0);
	pipa_test_file(pipa_test_dir(), "proc/stat", stat.data);
	pipa_test_file(pipa_test_dir(), "proc/diskstats", disks.data);
	pipa_buf_done(&stat);
	pipa_buf_done(&disks);
}

struct seen {
	struct pipa_series_sink sink;
	size_t cpus, disks;
	double all_usr, all_tps;
};

static int see_row(struct pipa_series_sink *self, const struct pipa_section *section,
		   const struct pipa_tick *tick PIPA_UNUSED, const char *instance,
		   const double *values)
{
	struct seen *seen = (struct seen *)(void *)self;

	if (strcmp(section->name, "cpu") == 0 && strcmp(instance, "all") == 0) {
		seen->all_usr = values[0];
	} else if (strcmp(section->name, "cpu") == 0) {
		CHECK_NEAR(values[0], strtod(instance, NULL) / 10, 1e-9);
		seen->cpus++;
	} else if (strcmp(section->name, "disk") == 0) {
		CHECK_NEAR(values[0], strtod(instance + 2, NULL), 1e-9);
		seen->disks++;
	} else if (strcmp(section->name, "io") == 0) {
		seen->all_tps = values[0];
	}
	return 0;
}

TEST(a_machine_with_256_cpus_and_1000_disks_has_a_row_for_each)
{
	struct pipa_tick tick = { .wall_ns = 1, .interval_s = seconds };
	struct seen seen = { .sink = { .row = see_row } };
	char path[64];
	int i;

	for (i = 0; i < DISKS; i++) {
		snprintf(path, sizeof(path), "sys/block/sd%d/device/vendor", i);
		pipa_test_file(pipa_test_dir(), path, "");
	}
	big_machine(0);
	start();
	big_machine(1);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	CHECK_EQ(pipa_sources_emit(sources, &tick, false, &seen.sink), 0);
	CHECK_EQ(seen.cpus, CPUS);
	CHECK_EQ(seen.disks, DISKS);
	CHECK_NEAR(seen.all_usr, 12.75, 1e-9);
	CHECK_NEAR(seen.all_tps, 499500, 1e-6);
	stop();
}
