/* A collection while memory runs out at every single allocation: see test_nomem.c. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "job/collect/collect.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/nomem.h"
#include "lib/test.h"

enum { MOST_ALLOCATIONS = 20000 };

static struct fake_perf *fake;
static struct pipa_root *root;
static char data_dir[512], run_dir[600], archive[600];

static int collect(struct pipa_error *err)
{
	struct pipa_collect_outcome outcome = { 0 };
	int rc = pipa_collect_run(&(struct pipa_host){ .perf = &fake->perf, .root = root },
				  &(struct pipa_collect_options){ .output = archive,
								  .stat_ns = 1,
								  .no_record = true,
								  .stat_interval_ns = 1,
								  .sar_interval_ns = 1000000,
								  .hz = 97,
								  .data_dir = data_dir,
								  .run_dir = run_dir,
								  .version = "0" },
				  &outcome, err);

	free(outcome.archive);
	return rc;
}

/* Only the lock: no number of a process, no work in progress. */
static void check_run_dir(size_t n)
{
	DIR *dir = opendir(run_dir);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "pipa-tree.lock") != 0)
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu: %s was left", n,
				       entry->d_name);
	if (dir)
		closedir(dir);
}

static void exhaust(void)
{
	size_t n;

	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		struct pipa_error err = { 0 };
		bool happened;
		int rc;

		fake->n_opens = fake->n_ioctls = 0; /* requests of earlier tries */
		unlink(archive);
		pipa_nomem_after(n);
		rc = collect(&err);
		happened = pipa_nomem_happened();
		CHECK_EQ(fake_perf_still_open(fake), 0);
		check_run_dir(n);
		if (rc < 0 && !err.what[0])
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu failed without a word",
				       n);
		if (rc == 0 && access(archive, F_OK) < 0)
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu: no archive", n);
		if (!happened) {
			CHECK_EQ(rc, 0);
			return;
		}
	}
	pipa_test_fail(__FILE__, __LINE__, "more than %d allocations", MOST_ALLOCATIONS);
}

TEST(collecting_survives_every_failed_allocation)
{
	const char *machine = machine_server();

	snprintf(data_dir, sizeof(data_dir), "%s/data", pipa_test_dir());
	snprintf(run_dir, sizeof(run_dir), "%s/run", data_dir);
	snprintf(archive, sizeof(archive), "%s/out/a.tar.gz", pipa_test_dir());
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	machine_file(machine, "etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	machine_file(machine, "proc/stat", "cpu 1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
	machine_file(machine, "proc/meminfo", "MemTotal: 1 kB\n");
	machine_file(machine, "proc/loadavg", "0.00 0.01 0.05 1/2 3\n");
	machine_file(machine, "proc/vmstat", "pgpgin 1\n");
	machine_file(machine, "proc/diskstats", "8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n");
	machine_file(machine, "proc/net/dev",
		     "a\nb\n lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n");
	CHECK_EQ(pipa_root_open(machine, &root, NULL), 0);
	exhaust();
}
