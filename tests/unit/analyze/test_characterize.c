#include "analyze/report/characterize.h"

#include <math.h>
#include <string.h>

#include "analyze/series/cpu_load.h"
#include "analyze/series/disk_load.h"
#include "base/auto.h"
#include "lib/test.h"
#include "model/context.h"
#include "model/run.h"

static struct pipa_context context;
static struct pipa_run run;
static struct pipa_characterization work;

static void set_number(const char *name, double number)
{
	CHECK(pipa_context_set(
		&context, &(struct pipa_variable){ .name = name,
						   .value = { PIPA_VALUE_NUMBER, number, NULL },
						   .unit = "",
						   .source = "test",
						   .quality = 1 }));
}

static void set_text(const char *name, const char *text)
{
	CHECK(pipa_context_set(&context,
			       &(struct pipa_variable){ .name = name,
							.value = { PIPA_VALUE_TEXT, 0, text },
							.unit = "",
							.source = "test",
							.quality = 1 }));
}

static void make(const struct pipa_cpu_loads *cpus, const struct pipa_disk_loads *disks)
{
	const struct pipa_characterize_input input = {
		.context = &context, .cpus = cpus, .disks = disks, .run = &run
	};

	pipa_characterization_done(&work);
	CHECK_EQ(pipa_characterize(&input, &work), 0);
}

static const struct pipa_work_statement *statement(const char *id)
{
	size_t i;

	for (i = 0; i < work.n; i++)
		if (strcmp(work.items[i].id, id) == 0)
			return &work.items[i];
	return NULL;
}

static const char *text(const char *id, enum pipa_language language)
{
	const struct pipa_work_statement *found = statement(id);

	CHECK(found);
	return found->text[language];
}

static double value(const char *id, const char *name)
{
	const struct pipa_work_statement *found = statement(id);
	size_t i;

	CHECK(found);
	for (i = 0; i < found->n_values; i++)
		if (strcmp(found->values[i].name, name) == 0)
			return found->values[i].value;
	return NAN;
}

static void done(void)
{
	pipa_characterization_done(&work);
	pipa_context_done(&context);
	pipa_run_done(&run);
}

TEST(characterization_without_data_has_no_statements)
{
	pipa_run_init(&run);
	make(NULL, NULL);
	CHECK_EQ(work.n, 0u);
	CHECK_EQ(work.bound, PIPA_BOUND_UNKNOWN);
	done();
}

TEST(each_limit_is_recognized)
{
	pipa_run_init(&run);
	set_number("cpu_busy", 20);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_NOTHING);
	CHECK_NEAR(value("bound", "cpu_busy"), 20, 0);

	set_number("cswch_per_cpu", 5000);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_WAITING);

	set_number("cpu_busy", 97);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_CPU);
	CHECK_STR(text("bound", PIPA_LANGUAGE_EN),
		  "The CPUs limit the workload: they were busy 97 % of the time.");
	CHECK_STR(text("bound", PIPA_LANGUAGE_ZH), "CPU 限制了该负载：其忙碌时间占 97%。");

	set_number("p95_iface_util", 93);
	set_text("busiest_iface", "eth0");
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_NETWORK);

	set_text("busiest_disk_name", "sda");
	set_number("p95_disk_util", 99);
	set_number("p95_disk_await", 12);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_NETWORK); /* 12 ms are not slow for an unknown medium */
	set_number("psi_io", 60);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_DISK);
	CHECK_STR(text("bound", PIPA_LANGUAGE_EN),
		  "Disk sda limits the workload: it was busy 99 % of the time (p95), requests took "
		  "12.0 ms (p95), tasks waited for I/O 60.0 % of the time.");

	set_number("psi_memory", 30);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_MEMORY);
	CHECK_NEAR(value("bound", "psi_memory"), 30, 0);
	done();
}

TEST(thresholds_are_those_of_the_rules)
{
	pipa_run_init(&run);
	set_number("cpu_busy", 80);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_NOTHING);
	set_number("CPU_SATURATED", 75);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_CPU);
	done();
}

TEST(one_busy_cpu_limits_a_workload_of_one_thread)
{
	pipa_run_init(&run);
	set_number("cpu_busy", 13);
	set_number("max_cpu_busy", 99);
	set_number("busy_cpus", 1);
	set_number("num_cpu", 8);
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_CPU);
	CHECK_STR(
		text("bound", PIPA_LANGUAGE_EN),
		"The workload is limited by 1 of 8 CPUs: the busiest was busy 99 % of the time, all together "
		"13 %.");
	done();
}

TEST(a_command_is_characterized_by_its_own_resource_usage)
{
	pipa_run_init(&run);
	run.values[PIPA_RUN_CPUS_USED] = 0.99;
	run.values[PIPA_RUN_USER_SECONDS] = 3;
	run.values[PIPA_RUN_SYS_SECONDS] = 1;
	run.values[PIPA_RUN_PEAK_KB] = 2048;
	run.values[PIPA_RUN_IPC] = 2.5;
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_CPU);
	CHECK_STR(
		text("time", PIPA_LANGUAGE_EN),
		"The command used 3.00 s of CPU time in user mode and 1.00 s in the kernel (75 % and "
		"25 %).");
	CHECK_STR(text("memory", PIPA_LANGUAGE_EN),
		  "The working set of the command reached 2.0 MiB (peak RSS).");
	CHECK_STR(text("ipc", PIPA_LANGUAGE_EN),
		  "2.50 instructions per cycle: high, the CPUs execute with few stalls.");
	CHECK(!statement("io"));
	CHECK(!statement("network"));

	run.values[PIPA_RUN_RX] = 0.1;
	run.values[PIPA_RUN_TX] = 0;
	make(NULL, NULL);
	CHECK_STR(text("network", PIPA_LANGUAGE_EN), "Almost no network traffic.");
	run.values[PIPA_RUN_RX] = 3;
	make(NULL, NULL);
	CHECK_STR(text("network", PIPA_LANGUAGE_EN),
		  "Network: 3 KiB per second received, 0 KiB per second sent.");
	set_text("busiest_iface", "eth0");
	make(NULL, NULL);
	CHECK_STR(text("network", PIPA_LANGUAGE_ZH), "网络 eth0：每秒接收 3 KiB，每秒发送 0 KiB。");

	run.values[PIPA_RUN_CPUS_USED] = 0.02;
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_WAITING);
	run.values[PIPA_RUN_CPUS_USED] = 2.5; /* neither never waiting nor mostly waiting */
	make(NULL, NULL);
	CHECK_EQ(work.bound, PIPA_BOUND_UNKNOWN);
	done();
}

TEST(classes_of_cpus_and_the_mix_of_disk_requests_are_counted)
{
	struct pipa_cpu_load items[4] = { { .class = PIPA_CPU_BUSY },
					  { .class = PIPA_CPU_IDLE },
					  { .class = PIPA_CPU_IDLE },
					  { .class = PIPA_CPU_ACTIVE } };
	const struct pipa_cpu_loads cpus = { .items = items, .n = 4, .classes = 3 };
	struct pipa_disk_load disk[2] = { { .name = "sda" }, { .name = "sdb" } };
	const struct pipa_disk_loads disks = { .items = disk, .n = 2, .busiest = 0 };

	pipa_run_init(&run);
	disk[0].read_kb.n = disk[0].written_kb.n = 10; /* sdb has no values */
	disk[0].read_kb.mean = 3072;
	disk[0].written_kb.mean = 1024;
	set_text("busiest_disk_name", "sda");
	set_number("avg_avgrq_sz_kb", 4);
	set_number("num_cpu", 4);
	set_number("cpu_busy", 30);
	make(&cpus, &disks);
	CHECK_STR(text("parallelism", PIPA_LANGUAGE_EN),
		  "CPUs in use on average: 1.2 of 4. Classes by p95: 1 busy, 1 active, 2 idle.");
	CHECK_STR(
		text("io", PIPA_LANGUAGE_EN),
		"Disks: 3.0 MiB per second read, 1.0 MiB per second written, so 75 % of the bytes are "
		"reads. Requests of sda are small (4 KiB on average).");
	CHECK_STR(
		text("io", PIPA_LANGUAGE_ZH),
		"磁盘：每秒读 3.0 MiB，每秒写 1.0 MiB，读占 75%。 sda 的请求较小（平均 4 KiB）。");
	done();
}
