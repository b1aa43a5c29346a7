#include "load/dataset.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "lib/test.h"
#include "model/counter_section.h"
#include "store/archive_write.h"

#define S UINT64_C(1000000000)

static const char sar_cpu[] =
	"# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle\n"
	"box;1;1970-01-01 00:01:01 UTC;-1;10.00;0.00;5.00;0.00;0.00;85.00\n"
	"box;1;1970-01-01 00:01:01 UTC;0;15.00;0.00;5.00;0.00;0.00;80.00\n"
	"box;1;1970-01-01 00:01:01 UTC;1;5.00;0.00;5.00;0.00;0.00;90.00\n"
	"box;1;1970-01-01 00:01:02 UTC;-1;20.00;0.00;5.00;0.00;0.00;75.00\n"
	"box;1;1970-01-01 00:01:02 UTC;0;25.00;0.00;5.00;0.00;0.00;70.00\n"
	"box;1;1970-01-01 00:01:02 UTC;1;15.00;0.00;5.00;0.00;0.00;80.00\n";
static const char sar_load[] =
	"# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked\n"
	"box;1;1970-01-01 00:01:01 UTC;1;100;0.50;0.40;0.30;0\n"
	"box;1;1970-01-01 00:01:02 UTC;2;100;0.60;0.40;0.30;0\n";
static const char with_commas[] =
	"# started on Thu Jan  1 00:01:00 1970\n\n"
	"     1.000100000,1000,,cycles,1000000000,100.00,,\n"
	"     1.000100000,500,,instructions,500000000,50.00,0.50,insn per cycle\n"
	"     2.000200000,1200,,cycles,1000000000,100.00,,\n"
	"     2.000200000,<not counted>,,instructions,0,0.00,,\n";
static const char with_semicolons[] = "1.0001;1000;;cycles;1000000000;100.00;;\n"
				      "1.0001;500;;instructions;500000000;50.00;;\n"
				      "2.0002;1200;;cycles;1000000000;100.00;;\n"
				      "2.0002;<not counted>;;instructions;0;0.00;;\n";
static const char spec[] = "---\n"
			   "cpu_info:\n  CPU(s): 2\n  Model name: \"Some CPU\"\n"
			   "numa_info:\n  numa_topology:\n    node0: \"0\"\n    node1: \"1\"\n"
			   "disk_info:\n  block_devices:\n"
			   "    - name: sda\n      type: disk\n      size_bytes: 1000\n"
			   "      rotational: SSD\n"
			   "      partitions:\n        - name: sda1\n          size_bytes: 900\n"
			   "          fs_usage:\n            percent: 92.5\n            mount: /\n"
			   "    - name: nvme0n1\n      rotational: \"SSD\"\n"
			   "    - name: sdb\n      rotational: HDD\n";

static const char *in_dir(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", pipa_test_dir(), name);
	return path;
}

static void put_bytes(const char *name, const void *bytes, size_t len)
{
	FILE *file = fopen(in_dir(name), "w");

	CHECK(file);
	CHECK(len == 0 || fwrite(bytes, len, 1, file) == 1);
	CHECK_EQ(fclose(file), 0);
}

static void put_file(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static struct pipa_dataset data;

static void load(const char *path)
{
	struct pipa_error err = { 0 };

	pipa_dataset_done(&data);
	if (pipa_dataset_add(&data, path, &err) < 0 || pipa_dataset_finish(&data, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
}

/* The values of a column as text; "-" for missing ones. */
static const char *show(const char *id, const char *instance)
{
	static char text[512];
	struct pipa_series_ref ref;
	double values[16];
	size_t i, n = 0, ticks;

	if (pipa_series_find(&data.series, id, instance, &ref) < 0)
		return "none";
	ticks = pipa_series_axis_of(&data.series, &data.series.groups.items[ref.group])->n;
	CHECK(ticks <= 16);
	pipa_series_read(&data.series, ref, 0, ticks, values);
	text[0] = '\0';
	for (i = 0; i < ticks; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, isnan(values[i]) ? "- " : "%g ",
				      values[i]);
	return text;
}

/* The notes as text: problem and name without the directory, a line each. */
static const char *show_notes(void)
{
	static char text[2048];
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < data.notes.n; i++) {
		const char *slash = strrchr(data.notes.items[i].name, '/');

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s\n",
				      pipa_dataset_problem_name(data.notes.items[i].problem),
				      slash ? slash + 1 : data.notes.items[i].name);
	}
	return text;
}

/* Make a collection as PIPA leaves it in a directory. */
static const char *make_collection(const char *name, const char *counts)
{
	static char path[PATH_MAX];
	char file[256];

	CHECK_EQ(mkdir(in_dir(name), 0755), 0);
	snprintf(file, sizeof(file), "%s/attach_session", name);
	CHECK_EQ(mkdir(in_dir(file), 0755), 0);
	snprintf(file, sizeof(file), "%s/attach_session/sar_cpu.csv", name);
	put_file(file, sar_cpu);
	snprintf(file, sizeof(file), "%s/attach_session/sar_load.csv", name);
	put_file(file, sar_load);
	snprintf(file, sizeof(file), "%s/attach_session/perf_stat.txt", name);
	put_file(file, counts);
	snprintf(file, sizeof(file), "%s/attach_session/perf.data", name);
	put_bytes(file, "PERFILE2\x68\0\0\0\0\0\0\0", 16);
	snprintf(file, sizeof(file), "%s/attach_session/pipa-tree.log", name);
	put_file(file, "[1970] started\n");
	snprintf(file, sizeof(file), "%s/spec_info.yaml", name);
	put_file(file, spec);
	snprintf(path, sizeof(path), "%s", in_dir(name));
	return path;
}

static void put_member(struct pipa_archive_writer *w, const char *member, const char *text)
{
	CHECK_EQ(pipa_archive_put(w, member,
				  (struct pipa_span){ (const uint8_t *)text, strlen(text) }, NULL),
		 0);
}

/* The same as an archive, with hostile members. */
static const char *make_archive(const char *name, enum pipa_archive_packing packing)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *w = NULL;
	const char *path = in_dir(name);

	CHECK_EQ(pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, packing, 6, &w, NULL), 0);
	put_member(w, "./../../../../tmp/escape", "not a file that pipa reads \x01");
	put_member(w, "./spec_info.yaml", spec);
	put_member(w, "./attach_session/sar_load.csv", sar_load);
	put_member(w, "./attach_session/sar_cpu.csv", sar_cpu);
	put_member(w, "./attach_session/perf_stat.txt", with_commas);
	put_member(w, "./attach_session/perf.data", "PERFILE2........");
	CHECK_EQ(pipa_archive_end(w, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	return path;
}

static void check_collection(void)
{
	CHECK_STR(show("cpu.user", "all"), "10 20 ");
	CHECK_STR(show("cpu.user", "0"), "15 25 ");
	CHECK_STR(show("cpu.idle", "1"), "90 80 ");
	CHECK_STR(show("load.1", ""), "0.5 0.6 ");
	CHECK_STR(show("counter.value", "cycles"), "1000 1200 ");
	CHECK_STR(show("counter.value", "instructions"), "500 - ");
	CHECK_STR(show("counter.running", "instructions"), "50 0 ");
	CHECK_EQ(data.recordings.n, 1);
	CHECK_EQ(data.recordings.items[0].kind, PIPA_KIND_PERF_DATA);
	CHECK_EQ(data.hardware.cpus, 2);
}

TEST(collections_in_directories_and_archives_give_the_same_series)
{
	load(make_collection("commas", with_commas));
	check_collection();
	CHECK_STR(show_notes(), "");
	load(make_collection("semicolons", with_semicolons));
	check_collection();
	CHECK_STR(show_notes(), "");
	load(make_archive("a.tar.gz", PIPA_ARCHIVE_GZIP));
	check_collection();
	CHECK_STR(show_notes(), "unknown escape\n");
	load(make_archive("a.tar.zst", PIPA_ARCHIVE_ZSTD));
	check_collection();
	pipa_dataset_done(&data);
}

TEST(counters_are_placed_on_the_clock_of_the_statistics)
{
	struct pipa_series_ref ref;
	const struct pipa_series_group *group;

	load(make_collection("clock", with_commas));
	CHECK_EQ(pipa_series_find(&data.series, "counter.value", "cycles", &ref), 0);
	group = &data.series.groups.items[ref.group];
	CHECK_EQ(data.series.sources.items[group->source].clock, PIPA_CLOCK_ASSUMED);
	CHECK_EQ(pipa_series_axis_of(&data.series, group)->wall_ns[0], 61 * S + 100000);
	CHECK_EQ(data.series.axes.n, 2);
	pipa_dataset_done(&data);
}

TEST(the_hardware_is_read_from_the_description)
{
	const struct pipa_hardware *h = &data.hardware;

	load(make_collection("hardware", with_commas));
	CHECK_EQ(h->nodes.n, 2);
	CHECK_EQ(pipa_hardware_node_of(h, 1), 1);
	CHECK_EQ(pipa_hardware_node_of(h, 7), -1);
	CHECK_EQ(pipa_hardware_find_disk(h, "sda")->medium, PIPA_MEDIUM_SATA_SSD);
	CHECK_EQ(pipa_hardware_find_disk(h, "/dev/nvme0n1")->medium, PIPA_MEDIUM_NVME_SSD);
	CHECK_EQ(pipa_hardware_find_disk(h, "sdb")->medium, PIPA_MEDIUM_HDD);
	CHECK(pipa_hardware_find_disk(h, "sda1")->used_percent == 92.5);
	CHECK_STR(pipa_hardware_find_disk(h, "sda1")->parent, "sda");
	CHECK(!pipa_hardware_find_disk(h, "sdz"));
	pipa_dataset_done(&data);
}

TEST(missing_empty_and_foreign_members_are_noted)
{
	CHECK_EQ(mkdir(in_dir("poor"), 0755), 0);
	put_file("poor/sar_cpu.csv", sar_cpu);
	put_file("poor/perf_stat.txt", "");
	put_file("poor/notes.bin", "\x01\x02\x03\n");
	load(in_dir("poor"));
	CHECK_STR(show("cpu.user", "all"), "10 20 ");
	CHECK_STR(show_notes(),
		  "empty perf_stat.txt\nunknown notes.bin\nmissing poor\nmissing poor\n"
		  "missing poor\n");
	CHECK(strstr(data.notes.items[2].text, "perf_stat.txt"));
	CHECK(strstr(data.notes.items[3].text, "perf.data"));
	CHECK(strstr(data.notes.items[4].text, "spec_info.yaml"));
	pipa_dataset_done(&data);
}

TEST(corrupt_members_are_used_as_far_as_possible)
{
	char half[sizeof(sar_cpu)];

	CHECK_EQ(mkdir(in_dir("damaged"), 0755), 0);
	memcpy(half, sar_cpu, sizeof(sar_cpu) - 30);
	half[sizeof(sar_cpu) - 30] = '\0';
	put_file("damaged/sar_cpu.csv", half);
	put_file("damaged/spec_info.yaml", "cpu_info:\n  CPU(s): 2\n  flags: [a, b\n");
	put_file("damaged/perf_stat.txt", "1.0;5;;cycles;1;100.00\nxxx\n2.0;7;;cycles;1;100.00\n");
	load(in_dir("damaged"));
	CHECK_STR(show("cpu.user", "0"), "15 25 ");
	CHECK_STR(show("cpu.user", "1"), "5 - ");
	CHECK_STR(show("counter.value", "cycles"), "5 7 ");
	CHECK_EQ(data.hardware.cpus, 2);
	CHECK_STR(show_notes(), "damaged spec_info.yaml\ndamaged sar_cpu.csv\n"
				"damaged perf_stat.txt\nmissing damaged\n");
	pipa_dataset_done(&data);
}

TEST(a_truncated_archive_gives_the_members_before_its_end)
{
	const char *path = make_archive("cut.tar.gz", PIPA_ARCHIVE_GZIP);
	struct stat st;

	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(truncate(path, st.st_size * 3 / 4), 0);
	load(path);
	CHECK(strcmp(show("load.1", ""), "none") != 0);
	CHECK(strstr(show_notes(), "truncated cut.tar.gz"));
	pipa_dataset_done(&data);
}

TEST(the_directory_of_pipashu_is_read)
{
	CHECK_EQ(mkdir(in_dir("shu"), 0755), 0);
	put_file("shu/sar.txt",
		 "Linux 6.1.0 (box) \t01/01/70 \t_x86_64_\t(2 CPU)\n\n"
		 "00:00:01        CPU      %usr     %nice      %sys   %iowait    %steal"
		 "      %irq     %soft    %guest    %gnice     %idle\n"
		 "00:00:02        all     10.00      0.00      5.00      0.00      0.00"
		 "      0.00      0.00      0.00      0.00     85.00\n"
		 "00:00:03        all     20.00      0.00      5.00      0.00      0.00"
		 "      0.00      0.00      0.00      0.00     75.00\n"
		 "Average:        all     15.00      0.00      5.00      0.00      0.00"
		 "      0.00      0.00      0.00      0.00     80.00\n");
	put_file("shu/perf-stat.csv", "1.001,CPU0,1000,,cycles:D,1000000,100.00,,\n"
				      "1.001,CPU1,1200,,cycles:D,1000000,100.00,,\n"
				      "2.002,CPU0,1100,,cycles:D,1000000,100.00,,\n"
				      "2.002,CPU1,1300,,cycles:D,1000000,100.00,,\n"
				      "2.002,CPU1,9999,,cycles:D,1000000,100.00,,\n");
	put_file("shu/perf.script",
		 "perf 3732494 [000] 954453.309835:       2715 cycles: \n"
		 "\tffffffff8ae9ceb6 native_write_msr+0x6 ([kernel.kallsyms])\n\n");
	load(in_dir("shu"));
	CHECK_STR(show("cpu.usr", "all"), "10 20 ");
	CHECK_STR(show("counter.value", "cycles:D CPU0"), "1000 1100 ");
	CHECK_STR(show("counter.value", "cycles:D CPU1"), "1200 1300 ");
	CHECK_EQ(data.recordings.n, 1);
	CHECK_EQ(data.recordings.items[0].kind, PIPA_KIND_PERF_SCRIPT);
	pipa_dataset_done(&data);
}

TEST(single_files_are_recognized_by_their_content)
{
	put_file("counts", "1.001060857,CPU0,45892724,,cycles,1037560862,100.00,,\n");
	load(in_dir("counts"));
	CHECK_STR(show("counter.value", "cycles CPU0"), "4.58927e+07 ");
	CHECK_EQ(data.series.sources.items[0].clock, PIPA_CLOCK_ELAPSED);
	put_file("cpus", sar_cpu);
	load(in_dir("cpus"));
	CHECK_STR(show("cpu.user", "all"), "10 20 ");
	CHECK_STR(show_notes(), "");
	pipa_dataset_done(&data);
}

TEST(inputs_without_anything_usable_are_refused)
{
	struct pipa_error err = { 0 };

	put_file("none", "nothing at all\n");
	CHECK_EQ(pipa_dataset_add(&data, in_dir("none"), &err), 0);
	CHECK_EQ(pipa_dataset_finish(&data, &err), -ENODATA);
	pipa_dataset_done(&data);
	CHECK_EQ(pipa_dataset_add(&data, in_dir("not there"), &err), -ENOENT);
	pipa_dataset_done(&data);
}

/* The events of PIPA's test asset, with `;` and units. */
TEST(counters_of_pipas_asset_keep_their_units)
{
	struct pipa_series_ref ref;
	const char *instance;

	put_file("asset", "# started on Mon Jul  1 00:00:00 2024\n\n"
			  "1.001189252;CPU0;36416323183;;cycles\n"
			  "2.002825188;CPU0;12345;Joules;power/energy-cores/\n"
			  "2.002825188;CPU0;59861356776;;L1-dcache-loads\n"
			  "4.004000000;CPU0;2.00;;branch-misses\n");
	load(in_dir("asset"));
	CHECK_EQ(data.series.groups.items[0].n, 4);
	CHECK_STR(show("counter.value", "cycles CPU0"), "3.64163e+10 - - ");
	CHECK_STR(show("counter.value", "branch-misses CPU0"), "- - 2 ");
	CHECK_EQ(pipa_series_find(&data.series, "counter.value", "power/energy-cores/ CPU0", &ref),
		 0);
	instance = data.series.groups.items[ref.group].items[ref.row].instance;
	CHECK_STR(pipa_instance_next(instance), "Joules");
	pipa_dataset_done(&data);
}

TEST(json_of_monitor_and_stat_is_read)
{
	put_file(
		"monitor.json",
		"{\"schema\": \"pipa-monitor/1\", \"time\": 100.5, \"interval\": 0.5, \"cpu\": "
		"[{\"CPU\": \"all\", \"%usr\": 10, \"%idle\": 90}], \"load\": [{\"ldavg-1\": 2}]}\n"
		"not JSON\n"
		"{\"schema\": \"pipa-monitor/1\", \"time\": 101, \"interval\": 0.5, \"restart\": "
		"\"machine\", \"cpu\": [{\"CPU\": \"all\", \"%usr\": 20, \"%idle\": 80}]}\n"
		"{\"schema\": \"pipa-monitor/1\", \"average\": true, \"time\": 101.1, \"interval\": 1, "
		"\"cpu\": [{\"CPU\": \"all\", \"%usr\": 15, \"%idle\": 85}]}\n");
	load(in_dir("monitor.json"));
	CHECK_STR(show("cpu.usr", "all"), "10 20 ");
	CHECK_STR(show("load.1", ""), "2 - ");
	CHECK_EQ(data.series.restarts.n, 1);
	CHECK_STR(show_notes(), "damaged monitor.json\n");
	put_file(
		"stat.json",
		"{\"schema\": \"pipa-stat/1\", \"time\": 1.0, \"elapsed\": {\"value\": 1}, \"events\": "
		"[{\"event\": \"cycles\", \"value\": 5, \"unit\": \"\", \"enabled_ns\": 10, "
		"\"running_ns\": 5}]}\n"
		"{\"schema\": \"pipa-stat/1\", \"time\": 2.0, \"elapsed\": {\"value\": 1}, \"events\": "
		"[{\"event\": \"cycles\", \"value\": 7, \"unit\": \"\", \"enabled_ns\": 10, "
		"\"running_ns\": 10}]}\n{\"schema\": \"pipa-st");
	load(in_dir("stat.json"));
	CHECK_STR(show("counter.value", "cycles"), "5 7 ");
	CHECK_STR(show("counter.running", "cycles"), "50 100 ");
	CHECK_STR(show_notes(), "damaged stat.json\n");
	pipa_dataset_done(&data);
}

/* ---- several inputs ------------------------------------------------------------------------- */

/* Write CPU statistics of a host for some seconds from a second of 1970 on. */
static void put_statistics(const char *name, const char *host, int from, int seconds)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	int i, cpu;

	pipa_buf_puts(&text, "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;"
			     "%steal;%idle\n");
	for (i = from; i < from + seconds; i++)
		for (cpu = -1; cpu < 2; cpu++)
			pipa_buf_printf(&text,
					"%s;1;1970-01-01 %02d:%02d:%02d UTC;%d;%d.25;0.00;0.00;"
					"0.00;0.00;50.00\n",
					host, i / 3600, i / 60 % 60, i % 60, cpu, i % 50);
	put_bytes(name, text.data, text.len);
}

static void load_two(const char *first, const char *second)
{
	pipa_dataset_done(&data);
	CHECK_EQ(pipa_dataset_add(&data, in_dir(first), NULL), 0);
	CHECK_EQ(pipa_dataset_add(&data, in_dir(second), NULL), 0);
	CHECK_EQ(pipa_dataset_finish(&data, NULL), 0);
}

TEST(statistics_of_one_machine_are_joined_in_order_of_time)
{
	put_statistics("early.csv", "box", 100, 3);
	put_statistics("late.csv", "box", 200, 4);
	load_two("late.csv", "early.csv");
	CHECK_EQ(data.series.groups.n, 1);
	CHECK_STR(show("cpu.user", "1"), "0.25 1.25 2.25 0.25 1.25 2.25 3.25 ");
	CHECK_STR(show_notes(), "");
	pipa_dataset_done(&data);
}

TEST(statistics_of_other_machines_or_the_same_time_are_noted)
{
	put_statistics("box.csv", "box", 100, 3);
	put_statistics("other.csv", "other", 200, 4);
	load_two("box.csv", "other.csv");
	CHECK_EQ(data.series.groups.n, 2);
	CHECK_STR(show_notes(), "unused box.csv\n");
	CHECK_HAS(data.notes.items[0].text, "statistics of another machine; findings are those of");
	put_statistics("same.csv", "box", 101, 3);
	load_two("box.csv", "same.csv");
	CHECK_STR(show_notes(), "unused same.csv\n");
	CHECK_HAS(data.notes.items[0].text, "statistics of the same time");
	pipa_dataset_done(&data);
}

TEST(collections_in_subdirectories_are_read)
{
	CHECK_EQ(mkdir(in_dir("deep"), 0755), 0);
	CHECK_EQ(mkdir(in_dir("deep/monday"), 0755), 0);
	CHECK_EQ(mkdir(in_dir("deep/monday/attach_session_demo"), 0755), 0);
	CHECK_EQ(mkdir(in_dir("deep/tuesday"), 0755), 0);
	put_statistics("deep/monday/attach_session_demo/sar_cpu.csv", "box", 100, 2);
	put_statistics("deep/tuesday/sar_cpu.csv", "box", 200, 2);
	put_file("deep/tuesday/perf_stat.txt", with_commas);
	load(in_dir("deep"));
	CHECK_STR(show("cpu.user", "0"), "0.25 1.25 0.25 1.25 ");
	CHECK_EQ(data.series.axes.items[data.series.groups.items[1].axis].wall_ns[0] / S, 200);
	pipa_dataset_done(&data);
}

TEST(notes_beyond_their_limit_are_counted)
{
	char name[64];
	int i;

	CHECK_EQ(mkdir(in_dir("many"), 0755), 0);
	put_statistics("many/sar_cpu.csv", "box", 100, 2);
	for (i = 0; i < 250; i++) {
		snprintf(name, sizeof(name), "many/foreign%d.bin", i);
		put_file(name, "\x01 not a file that pipa reads");
	}
	load(in_dir("many"));
	CHECK_EQ(data.notes.n, 200);
	CHECK_HAS(data.notes.items[199].text, "further notes not shown");
	pipa_dataset_done(&data);
}

TEST(stacks_without_statistics_are_an_input)
{
	put_file("stacks.folded", "main;work;inner 10\nmain;rest 5\n");
	load(in_dir("stacks.folded"));
	CHECK_EQ(data.recordings.n, 1);
	CHECK_EQ(data.series.groups.n, 0);
	pipa_dataset_done(&data);
}
