/* Memory runs out while a workload is run and reported: at every single allocation in turn. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "job/run/run.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/nomem.h"
#include "lib/test.h"

enum { MOST_ALLOCATIONS = 20000, FIRST_RUN = 250 };

static struct fake_perf *fake;
static struct pipa_root *root;

static int open_fds(void)
{
	int fd, n = 0;

	for (fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int run(const struct pipa_run_options *options, struct pipa_error *err)
{
	struct pipa_run_outcome outcome = { 0 };
	struct pipa_run_options all = *options;

	all.interval_ns = PIPA_NS_PER_SEC;
	all.no_record = true;
	all.fail_above = all.mhz = NAN;
	all.output = "/dev/null";
	return pipa_run_run(&(struct pipa_host){ .perf = &fake->perf, .root = root }, &all,
			    &outcome, err);
}

/* From the allocation with that number on: earlier ones may have had their turn. */
static void exhaust(const struct pipa_run_options *options, size_t from)
{
	int before;
	size_t n;

	CHECK_EQ(run(options, NULL), 0); /* the root has its directories open from now on */
	before = open_fds();
	for (n = from; n < MOST_ALLOCATIONS; n++) {
		struct pipa_error err = { 0 };
		bool happened;
		int rc;

		fake->n_opens = fake->n_ioctls = 0;
		pipa_nomem_after(n);
		rc = run(options, &err);
		happened = pipa_nomem_happened();
		CHECK_EQ(fake_perf_still_open(fake), 0);
		CHECK_EQ(open_fds(), before);
		if (rc < 0 && !err.what[0])
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu failed without a word",
				       n);
		if (!happened) {
			CHECK_EQ(rc, 0);
			return;
		}
	}
	pipa_test_fail(__FILE__, __LINE__, "more than %d allocations", MOST_ALLOCATIONS);
}

static void on_server(void)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	CHECK_EQ(pipa_root_open(machine_server(), &root, NULL), 0);
}

static char *say[] = { "echo", "did", "5", "things", NULL };

TEST(a_run_survives_every_failed_allocation)
{
	on_server();
	exhaust(&(struct pipa_run_options){ .command = say,
					    .transactions = NAN,
					    .expression = "did ([0-9]+) things",
					    .cores = "0-1",
					    .format.form = PIPA_RUN_TEXT },
		0);
}

TEST(a_run_that_is_kept_survives_every_failed_allocation)
{
	char keep[300];

	on_server();
	snprintf(keep, sizeof(keep), "%s/kept", pipa_test_dir());
	exhaust(&(struct pipa_run_options){ .command = say,
					    .transactions = 5,
					    .keep = keep,
					    .username = "me",
					    .no_capture = true,
					    .format.form = PIPA_RUN_JSON },
		0);
}

/* The allocations of the first run have been tried above. */
TEST(a_second_run_survives_every_failed_allocation)
{
	on_server();
	exhaust(&(struct pipa_run_options){ .command = say,
					    .transactions = NAN,
					    .repeat = 2,
					    .format.form = PIPA_RUN_TEXT },
		FIRST_RUN);
}
