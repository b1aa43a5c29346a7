#include "store/csv_record.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "lib/test.h"
#include "model/sections.h"

/* A row of ones in every section there is, at 2024-02-29 23:59:59 UTC. */
static void record(bool as_sadf)
{
	const struct pipa_tick tick = { .wall_ns = UINT64_C(1709251199) * 1000000000,
					.interval_s = 1 };
	const struct pipa_csv_recorder_options options = { .dir = pipa_test_dir(),
							   .host = "box",
							   .as_sadf = as_sadf };
	struct pipa_csv_recorder *recorder = NULL;
	struct pipa_series_sink *sink;
	double ones[64];
	size_t i;

	for (i = 0; i < PIPA_COUNT(ones); i++)
		ones[i] = 1;
	CHECK_EQ(pipa_csv_recorder_open(&options, &recorder, NULL), 0);
	sink = pipa_csv_recorder_sink(recorder);
	for (i = 0; i < PIPA_SECTION_NR; i++) {
		const struct pipa_section *section = &pipa_sections[i];
		bool cpus = section->label && strcmp(section->label, "CPU") == 0;

		CHECK(section->n_columns <= PIPA_COUNT(ones));
		if (pipa_csv_recorder_file(section))
			CHECK_EQ(sink->row(sink, section, &tick,
					   cpus				? "all" :
					   i == PIPA_SECTION_INTERRUPTS ? "sum" :
									  "x",
					   ones),
				 0);
	}
	CHECK_EQ(sink->end(sink, &tick), 0);
	pipa_csv_recorder_close(recorder);
}

static void holds(const char *file, const char *want)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", pipa_test_dir(), file);
	CHECK_EQ(pipa_file_read(path, &text, NULL), 0);
	CHECK_STR(pipa_buf_str(&text), want);
}

#define BOX "box;1;2024-02-29 23:59:59 UTC"

/* Column for column what sysstat 12.6 writes for -P ALL, -n DEV, -b, -d -p, -r, -B, -q and -w. */
TEST(files_are_those_of_sadf_where_that_is_asked_for)
{
	record(true);
	holds("sar_cpu.csv",
	      "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n" BOX
	      ";-1;1.00;1.00;1.00;1.00;1.00;1.00\n");
	holds("sar_network.csv",
	      "# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;"
	      "rxmcst/s;%ifutil\n" BOX ";x;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00\n");
	holds("sar_io.csv",
	      "# hostname;interval;timestamp;tps;rtps;wtps;dtps;bread/s;bwrtn/s;bdscd/s\n" BOX
	      ";1.00;1.00;1.00;1.00;1.00;1.00;1.00\n");
	holds("sar_disk.csv",
	      "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util\n" BOX
	      ";x;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00\n");
	holds("sar_memory.csv",
	      "# hostname;interval;timestamp;kbmemfree;kbavail;kbmemused;%memused;kbbuffers;kbcached;"
	      "kbcommit;%commit;kbactive;kbinact;kbdirty\n" BOX ";1;1;1;1.00;1;1;1;1.00;1;1;1\n");
	holds("sar_paging.csv",
	      "# hostname;interval;timestamp;pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;"
	      "pgscand/s;pgsteal/s;%vmeff\n" BOX ";1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00\n");
	holds("sar_load.csv",
	      "# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\n" BOX
	      ";1;1;1.00;1.00;1.00;1\n");
	holds("sar_cswch.csv", "# hostname;interval;timestamp;proc/s;cswch/s\n" BOX ";1.00;1.00\n");
}

TEST(columns_that_sadf_has_only_on_request_are_last)
{
	record(false);
	holds("sar_disk.csv",
	      "# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util;"
	      "r_await;w_await\n" BOX ";x;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00;1.00\n");
}

TEST(only_sections_with_rows_get_a_file_beyond_those_of_PIPA)
{
	const struct pipa_section *interrupts = &pipa_sections[PIPA_SECTION_INTERRUPTS];
	const struct pipa_tick tick = { .wall_ns = UINT64_C(1709251199) * 1000000000,
					.interval_s = 1 };
	const struct pipa_csv_recorder_options options = { .dir = pipa_test_dir(), .host = "box" };
	struct pipa_csv_recorder *recorder = NULL;
	struct pipa_series_sink *sink;
	const double one = 1;
	char path[PATH_MAX];

	record(false); /* an earlier recording, which has all */
	snprintf(path, sizeof(path), "%s/sar_psi_io.csv", pipa_test_dir());
	CHECK_EQ(access(path, F_OK), 0);
	CHECK_EQ(pipa_csv_recorder_open(&options, &recorder, NULL), 0);
	CHECK_EQ(access(path, F_OK), -1);
	sink = pipa_csv_recorder_sink(recorder);
	CHECK_EQ(sink->row(sink, interrupts, &tick, "sum", &one), 0);
	CHECK_EQ(sink->row(sink, interrupts, &tick, "14", &one), 0);
	CHECK_EQ(sink->end(sink, &tick), 0);
	pipa_csv_recorder_close(recorder);
	holds("sar_interrupts.csv",
	      "# hostname;interval;timestamp;INTR;intr/s\n" BOX ";sum;1.00\n");
	holds("sar_io.csv", "");
}
