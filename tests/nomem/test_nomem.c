/*
 * Memory runs out at every single allocation in turn: each time the job must fail with a message, or
 * do without, and neither crash, leak nor leave a descriptor open. Under the address sanitizer a
 * lost byte is a failure.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analyze/rules/build_context.h"
#include "analyze/rules/evaluate.h"
#include "analyze/series/series_ops.h"
#include "analyze/series/series_stats.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "collect/spec/spec.h"
#include "export/table/facts.h"
#include "export/table/rules.h"
#include "import/bench/transactions.h"
#include "import/config.h"
#include "import/rules.h"
#include "job/query/doctor.h"
#include "job/query/list.h"
#include "job/run/run.h"
#include "job/run/run_config.h"
#include "job/stat.h"
#include "job/view/fold.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/nomem.h"
#include "lib/test.h"
#include "model/config.h"
#include "model/facts.h"
#include "model/table.h"
#include "symbol/dwarf/dwarf.h"

enum { MOST_ALLOCATIONS = 20000 };

static struct fake_perf *fake;
static struct pipa_root *root;

static struct pipa_host host;

static void on_server(void)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	CHECK_EQ(pipa_root_open(machine_server(), &root, NULL), 0);
	host = (struct pipa_host){ .perf = &fake->perf, .root = root };
}

/* Try with 0, 1, 2... allocations until nothing fails any more. */
static void exhaust(int (*run)(struct pipa_error *err))
{
	size_t n;

	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		struct pipa_error err = { 0 };
		bool happened;
		int rc;

		fake->n_opens = fake->n_ioctls = 0; /* requests of earlier tries */
		pipa_nomem_after(n);
		rc = run(&err);
		happened = pipa_nomem_happened();
		CHECK_EQ(fake_perf_still_open(fake), 0);
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

static int run_stat(struct pipa_error *err, struct pipa_stat_options *options)
{
	struct pipa_stat_outcome outcome = { 0 };
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	options->out_fd = null;
	options->format.separator = ",";
	return pipa_stat_run(&host, options, &outcome, err);
}

static int system_wide(struct pipa_error *err)
{
	static const struct pipa_event_arg events[] = {
		{ .text = "{cycles,instructions}:W,page-faults,cpu/event=0x3c/,r1a8,uncore_imc/cas_count_read/" },
	};

	return run_stat(err, &(struct pipa_stat_options){ .count.target.system_wide = true,
							  .count.by = PIPA_AGGR_CORE,
							  .count.events = events,
							  .count.n_events = 1,
							  .count.timeout_ns = 1 });
}

static int repeated_command(struct pipa_error *err)
{
	static char *command[] = { "true", NULL };

	return run_stat(err, &(struct pipa_stat_options){ .count.target.command = command,
							  .count.repeat = 2,
							  .format.form = PIPA_STAT_JSON });
}

static int asked_metrics(struct pipa_error *err)
{
	return run_stat(err,
			&(struct pipa_stat_options){ .count.target.system_wide = true,
						     .count.metrics = "ipc,x=[page-faults]/elapsed",
						     .count.timeout_ns = 1,
						     .format.form = PIPA_STAT_YAML });
}

static int unknown_event(struct pipa_error *err)
{
	static const struct pipa_event_arg events[] = { { .text = "cycels" } };
	int rc = run_stat(err, &(struct pipa_stat_options){ .count.target.system_wide = true,
							    .count.events = events,
							    .count.n_events = 1 });

	return rc == -ENOENT ? 0 : rc;
}

static int list_all(struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	return pipa_list_run(&host, &(struct pipa_list_options){ .kind = "pmu", .json = true },
			     &out, err);
}

static int examine(struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	bool usable;

	return pipa_doctor_run(&host, &(struct pipa_doctor_options){ 0 }, &out, &usable, err);
}

static int describe(struct pipa_error *err)
{
	PIPA_AUTO(pipa_facts_done) struct pipa_facts facts = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	int rc = pipa_spec_collect(root, &pipa_spec_host, &facts, err);

	if (rc == 0)
		pipa_facts_export(&facts, PIPA_DOC_YAML, &out);
	return out.status ? pipa_fail(err, out.status, "write it") : rc;
}

static int read_config(struct pipa_error *err)
{
	static const char text[] = "workload: a\ncores: [0, 1]\nevents_stat: [a, b]\n";
	PIPA_AUTO(pipa_config_done) struct pipa_config config = { 0 };

	return pipa_config_decode(text, sizeof(text) - 1, "c.yaml", &config, err);
}

/* Rules are read, checked and evaluated on a machine without data, and written. */
static int explain_rules(struct pipa_error *err)
{
	static const char text[] =
		"config:\n  A: {value: 5, unit: s, reason: why}\n"
		"rules:\n  - name: {en: a, zh: b}\n    precondition: \"total_cpu > A or A == 5\"\n"
		"    finding: \"<strong>{A}</strong> {total_cpu}\"\n    evidence: [A]\n"
		"    sub_rules:\n      - {name: c, precondition: odd > }\n";
	PIPA_AUTO(pipa_rules_done) struct pipa_rules rules = { 0 };
	PIPA_AUTO(pipa_context_done) struct pipa_context context = { 0 };
	PIPA_AUTO(pipa_findings_done) struct pipa_findings findings = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const struct pipa_rules_report report = { "input", &rules, &context, &findings,
						  PIPA_LANGUAGE_EN };
	int rc = pipa_rules_decode(text, sizeof(text) - 1, "r.yaml", &rules, err);

	if (rc < 0)
		return rc;
	rc = pipa_context_build(&(struct pipa_context_input){ .rules = &rules }, &context);
	if (!rc)
		rc = pipa_rules_set_constants(&rules, &context);
	if (!rc)
		rc = pipa_rules_check(&rules);
	if (!rc)
		rc = pipa_rules_evaluate(&rules, &context, &findings);
	if (!rc)
		pipa_rules_report_write_text(&report, &out);
	if (!rc)
		pipa_rules_report_write_json(&report, &out);
	rc = rc ? rc : out.status;
	return rc < 0 ? pipa_fail(err, rc, "explain the rules") : 0;
}

/* A configuration that names what was measured, and the report of it. */
static int report_earlier(struct pipa_error *err)
{
	const struct pipa_run_options options = {
		.transactions = NAN, .fail_above = NAN, .mhz = NAN, .output = "/dev/null"
	};
	struct pipa_run_config *config = NULL;
	struct pipa_run_outcome outcome = { 0 };
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "%s/c.yaml", pipa_test_dir());
	rc = pipa_run_config_open(&host, path, &options, &config, err);
	if (!rc)
		rc = pipa_run_run(&host, pipa_run_config_options(config), &outcome, err);
	pipa_run_config_close(config);
	return rc;
}

static const char *text_path;

static int fold_text(struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return pipa_fold_run(&(struct pipa_fold_options){ .path = text_path,
							  .format = { .tid = true },
							  .out_fd = null },
			     err);
}

TEST(describing_a_machine_survives_every_failed_allocation)
{
	const char *machine = machine_server();

	fake = fake_perf_new();
	machine_file(machine, "etc/os-release", "ID=debian\n");
	machine_file(machine, "proc/meminfo", "MemTotal: 1 kB\n");
	machine_file(machine, "proc/interrupts", "CPU0\n1: 2 timer\n");
	machine_file(machine, "proc/modules", "loop 40960 0 - Live 0x0\n");
	machine_file(machine, "proc/self/limits", "Max open files 1 1 files\n");
	machine_file(machine, "proc/self/mountinfo", "1 0 8:0 / / rw - ext4 /dev/sda rw\n");
	machine_file(machine, "sys/block/sda/dev", "8:0\n");
	machine_file(machine, "sys/class/net/lo/flags", "0x9\n");
	machine_file(machine, "sys/bus/pci/devices/0000:00:00.0/vendor", "0x8086\n");
	machine_file(machine, "usr/share/misc/pci.ids", "8086  Intel\n");
	machine_file(machine, "sys/firmware/dmi/tables/DMI", "%s", "\1\5xx\1Maker");
	CHECK_EQ(pipa_root_open(machine, &root, NULL), 0);
	exhaust(describe);
}

TEST(reading_a_configuration_survives_every_failed_allocation)
{
	fake = fake_perf_new();
	exhaust(read_config);
}

TEST(explaining_rules_survives_every_failed_allocation)
{
	fake = fake_perf_new();
	exhaust(explain_rules);
}

TEST(reports_of_earlier_measurements_survive_every_failed_allocation)
{
	char text[600];

	pipa_test_file(pipa_test_dir(), "data/perf-stat.csv",
		       "1.0,CPU0,5,,cycles,1000,50.00,,\n1.0,CPU1,5,,cycles\nrubbish\n");
	pipa_test_file(pipa_test_dir(), "data/sar.txt",
		       "Linux 6.18.0 (box) \t07/01/24 \t_x86_64_\t(3 CPU)\n\n"
		       "10:00:00  proc/s  cswch/s\n10:00:01 1 2\nAverage: 1 2\n\n"
		       "10:00:00  CPU  MHz\n10:00:01 0 2000\n");
	pipa_test_file(pipa_test_dir(), "data/stdout.txt", "requests: 5\n");
	snprintf(text, sizeof(text),
		 "workload: a\ncores: [0, 1]\ntransaction: 5\nplatform: b\n"
		 "data_location: %s/data\n",
		 pipa_test_dir());
	pipa_test_file(pipa_test_dir(), "c.yaml", text);
	on_server();
	exhaust(report_earlier);
}

TEST(counting_cpus_survives_every_failed_allocation)
{
	on_server();
	exhaust(system_wide);
}

TEST(repeating_a_command_survives_every_failed_allocation)
{
	on_server();
	exhaust(repeated_command);
}

TEST(metrics_survive_every_failed_allocation)
{
	on_server();
	exhaust(asked_metrics);
}

static const struct pipa_column series_columns[] = { { .id = "a", .name = "a" },
						     { .id = "b", .name = "b" } };
static const struct pipa_section series_section = { "one", "DEV", "one", series_columns, 2 };

static int fill_table(struct pipa_table *table)
{
	char instance[8];
	int i, rc = 0;

	for (i = 1; !rc && i <= 40; i++) {
		const struct pipa_tick tick = { .wall_ns = (uint64_t)i, .interval_s = 1 };

		snprintf(instance, sizeof(instance), "%d", i % 3);
		rc = table->sink.row(&table->sink, &series_section, &tick, instance,
				     (const double[]){ i, i });
	}
	return rc;
}

static int series_table(struct pipa_error *err)
{
	PIPA_AUTO(pipa_table_done) struct pipa_table from, selected, resampled, joined;
	double percentile = 0;
	int rc;

	pipa_table_init(&from);
	pipa_table_init(&selected);
	pipa_table_init(&resampled);
	pipa_table_init(&joined);
	rc = fill_table(&from);
	if (!rc)
		rc = pipa_series_select(&from, &(struct pipa_selection){ .columns = "a" },
					&selected);
	if (!rc)
		rc = pipa_series_resample(&selected, 7, &resampled);
	if (!rc)
		rc = pipa_series_join(&from, &resampled, 3, &joined);
	if (!rc)
		rc = pipa_series_percentile(&joined, 0, 50, &percentile);
	return rc < 0 ? pipa_fail(err, rc, "work on a table") : 0;
}

TEST(tables_over_time_survive_every_failed_allocation)
{
	on_server();
	exhaust(series_table);
}

static int find_transactions(struct pipa_error *err)
{
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = NULL;
	static const char text[] = "did 5 jobs\n";
	struct pipa_tx found;
	int rc = pipa_transactions_new("did ([0-9]+)", &tx, err);

	if (rc < 0)
		return rc;
	pipa_transactions_put(tx, PIPA_TX_STDOUT, text, sizeof(text) - 1);
	CHECK(pipa_transactions_get(tx, &found));
	return 0;
}

TEST(transactions_survive_every_failed_allocation)
{
	on_server();
	exhaust(find_transactions);
}

TEST(a_wrong_name_survives_every_failed_allocation)
{
	on_server();
	exhaust(unknown_event);
}

TEST(listing_survives_every_failed_allocation)
{
	on_server();
	exhaust(list_all);
}

TEST(the_doctor_survives_every_failed_allocation)
{
	on_server();
	exhaust(examine);
}

TEST(folding_survives_every_failed_allocation)
{
	char path[300];

	on_server();
	pipa_test_file(
		pipa_test_dir(), "script",
		"a 1/2 [000] 1.0:   100 cycles: \n\t              12 g (inlined)\n"
		"\t              12 f+0x2 (/bin/a)\n\t              34 main (/bin/a)\n\n"
		"java 3/3 1.1: faults: \n\t              56 [unknown] (/tmp/perf-3.map)\n\n");
	pipa_test_file(pipa_test_dir(), "folded", "a;b;c 3\na;b 4\n");
	text_path = path;
	snprintf(path, sizeof(path), "%s/script", pipa_test_dir());
	exhaust(fold_text);
	snprintf(path, sizeof(path), "%s/folded", pipa_test_dir());
	exhaust(fold_text);
}

/* An image of tests/data/dwarf with its second file, and how many frames it has in all. */
static struct pipa_buf image, second;
static size_t all_frames;

static bool fetch_second(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret)
{
	(void)ctx;
	(void)wanted;
	*ret = (struct pipa_span){ (const uint8_t *)second.data, second.len };
	return second.len;
}

static int count_frames(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	size_t i;

	(void)index;
	for (i = 0; i < n; i++)
		*(size_t *)ctx += 1u + (frames[i].function != NULL) + (frames[i].file != NULL);
	return 0;
}

/* On allocation failure a result would be wrong: it fails, or it is complete. */
static int resolve(struct pipa_error *err)
{
	struct pipa_dwarf_files files = { .main = { (const uint8_t *)image.data, image.len },
					  .alt = { (const uint8_t *)second.data, second.len },
					  .fetch = fetch_second };
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = NULL;
	uint64_t addrs[512];
	size_t i, frames = 0;
	int rc = pipa_dwarf_new(&files, &dwarf, err);

	for (i = 0; i < 512; i++)
		addrs[i] = i < 256 ? i : UINT64_C(0x400000) + i;
	if (rc == 0) {
		rc = pipa_dwarf_resolve(dwarf, addrs, 512, count_frames, &frames);
		if (rc < 0)
			pipa_fail(err, rc, "resolve");
	}
	if (rc == 0 && frames > all_frames)
		all_frames = frames;
	CHECK(rc < 0 || frames == all_frames);
	return rc;
}

static void read_image(const char *name, struct pipa_buf *ret)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/data/dwarf/%s", getenv("PIPA_SOURCE"), name);
	CHECK_EQ(pipa_file_read(path, ret, NULL), 0);
}

TEST(debug_information_survives_every_failed_allocation)
{
	static const char *const names[][2] = { { "dwz.elf", "dwz.alt" },
						{ "split4.elf", "split4.dwo" },
						{ "zlib.elf" },
						{ "zstd.elf" },
						{ "riscv64.o" } };
	size_t i;

	if (!getenv("PIPA_SOURCE"))
		SKIP("PIPA_SOURCE is not set: run through ctest");
	on_server();
	for (i = 0; i < PIPA_COUNT(names); i++) {
		pipa_buf_reset(&image);
		pipa_buf_reset(&second);
		read_image(names[i][0], &image);
		if (names[i][1])
			read_image(names[i][1], &second);
		all_frames = 0;
		CHECK_EQ(resolve(NULL), 0);
		CHECK(all_frames > 50);
		exhaust(resolve);
	}
}
