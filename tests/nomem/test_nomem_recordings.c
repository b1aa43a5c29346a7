/*
 * A recording without memory: every allocation while it is read, named and shown fails once. What comes
 * of it is -ENOMEM and a sentence; never half a table that looks like a whole one.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/span.h"
#include "job/collect/bundle.h"
#include "job/view/diff.h"
#include "job/view/flamegraph.h"
#include "job/view/fold.h"
#include "job/view/graph.h"
#include "job/view/heatmap.h"
#include "job/view/report.h"
#include "job/view/script.h"
#include "lib/elf_image.h"
#include "lib/nomem.h"
#include "lib/stream.h"
#include "lib/test.h"
#include "symbol/table/jitdump.h"

enum { MOST_ALLOCATIONS = 20000 };

/* Try with 0, 1, 2... allocations until nothing fails any more. */
static void exhaust(int (*run)(struct pipa_error *err))
{
	size_t n;

	for (n = 0; n < MOST_ALLOCATIONS; n++) {
		struct pipa_error err = { 0 };
		bool happened;
		int rc;

		pipa_nomem_after(n);
		rc = run(&err);
		happened = pipa_nomem_happened();
		if (!happened) {
			CHECK_EQ(rc, 0);
			CHECK(n > 10); /* or nothing was tried */
			return;
		}
		if (rc != -ENOMEM || !err.what[0])
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu failed with %d, '%s'", n,
				       rc, err.what);
	}
	pipa_test_fail(__FILE__, __LINE__, "more than %d allocations", MOST_ALLOCATIONS);
}

/* ---- a recording with a bit of everything ---------------------------------------------------------- */

static char path[300], program[300], kallsyms[300];
static uint32_t pid; /* of this test: of a process that lives more is looked up, on every machine */

static void write_bytes(const char *to, const void *bytes, size_t len)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, bytes, len), 0);
}

static uint64_t make_program(void)
{
	static const uint8_t code[256];
	static const struct elf_image_symbol symbols[] = {
		{ "main", 0x1000, 0x40, STT_FUNC, STB_GLOBAL, 0, 1 },
		{ "_ZN3one3twoEv", 0x1040, 0x40, STT_FUNC, STB_GLOBAL, 0, 1 },
	};
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_span bytes;
	uint64_t at;

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = 0x1000,
						       .bytes = code,
						       .size = sizeof(code) },
			  &at);
	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_R | PF_X, at, 0x1000,
							      sizeof(code), sizeof(code), 0 });
	elf_image_symbols(image, SHT_SYMTAB, symbols, PIPA_COUNT(symbols));
	bytes = elf_image_finish(image);
	write_bytes(program, bytes.data, bytes.size);
	elf_image_free(image);
	return at;
}

static void put_tasks(struct pipa_record_sink *sink, const struct pipa_rec_id *id, uint64_t code_at)
{
	struct pipa_rec_map map = { .pid = PIPA_KERNEL_PID,
				    .start = 0xffffffff81000000,
				    .len = 0x10000,
				    .file_offset = 0xffffffff81000000,
				    .executable = true,
				    .mode = PIPA_MODE_KERNEL,
				    .path = "[kernel.kallsyms]_text" };

	CHECK_EQ(sink->map(sink, id, &map), 0);
	CHECK_EQ(sink->comm(sink, id, &(struct pipa_rec_comm){ pid, pid, true, "prog" }), 0);
	map = (struct pipa_rec_map){ .pid = pid,
				     .start = 0x401000,
				     .len = 0x100,
				     .file_offset = code_at,
				     .executable = true,
				     .mode = PIPA_MODE_USER,
				     .path = program };
	CHECK_EQ(sink->map(sink, id, &map), 0);
	map.start = 0x700000;
	map.path = "//anon";
	CHECK_EQ(sink->map(sink, id, &map), 0);
	map.start = 0x401000; /* in the place of another: a second generation */
	map.path = "/not/there";
	CHECK_EQ(sink->fork(sink, id,
			    &(struct pipa_rec_task){ pid + 1, pid, pid + 1, pid, 3, false }),
		 0);
	map.pid = pid + 1;
	CHECK_EQ(sink->map(sink, id, &map), 0);
	CHECK_EQ(sink->lost(sink, id, &(struct pipa_rec_lost){ 3, false }), 0);
	CHECK_EQ(sink->round(sink), 0);
}

static void put_samples(struct pipa_record_sink *sink, struct pipa_rec_id id)
{
	uint64_t chain[] = { PIPA_CHAIN_KERNEL,
			     0xffffffff81000110,
			     PIPA_CHAIN_USER,
			     0x401050,
			     0x401010,
			     0x700010,
			     0x999 };
	struct pipa_rec_sample sample = { .ip = chain[1],
					  .period = 5,
					  .mode = PIPA_MODE_KERNEL,
					  .chain = chain,
					  .chain_len = PIPA_COUNT(chain) };
	unsigned int i;

	for (i = 0; i < 60; i++) {
		id.time++;
		id.tid = id.pid = pid + i % 3;
		chain[6] = 0x9000 + i;
		CHECK_EQ(sink->sample(sink, &id, &sample), 0);
	}
}

static void make_recording(void)
{
	const struct perf_event_attr attr = { .size = sizeof(attr),
					      .sample_id_all = 1,
					      .sample_type = PERF_SAMPLE_IDENTIFIER |
							     PERF_SAMPLE_IP | PERF_SAMPLE_TID |
							     PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
							     PERF_SAMPLE_CALLCHAIN };
	struct pipa_rec_id id = { .time = 5, .id = 50 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	struct pipa_perf_events events = { 0 };
	struct stream stream;
	char map[32];

	id.pid = id.tid = pid = (uint32_t)getpid();
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	snprintf(path, sizeof(path), "%s/perf.data", pipa_test_dir());
	snprintf(program, sizeof(program), "%s/prog", pipa_test_dir());
	snprintf(kallsyms, sizeof(kallsyms), "%s/kallsyms", pipa_test_dir());
	stream_init(&stream, &events);
	put_tasks(&stream.sink, &id, make_program());
	put_samples(&stream.sink, id);
	stream_file(&stream, &file);
	write_bytes(path, file.data, file.len);
	stream_done(&stream);
	pipa_perf_events_done(&events);
	pipa_test_file(pipa_test_dir(), "kallsyms",
		       "ffffffff81000000 T _text\nffffffff81000100 T do_it\n"
		       "ffffffff81000200 t ext4_read\t[ext4]\n");
	snprintf(map, sizeof(map), "perf-%u.map", pid);
	pipa_test_file(pipa_test_dir(), map, "700000 80 jitted\n700080 80 other\n");
}

/* ---- what is made of it ------------------------------------------------------------------------------ */

static struct pipa_load_options load_options(void)
{
	return (struct pipa_load_options){
		.path = path, .symbols = { .kallsyms = kallsyms, .map_dir = pipa_test_dir() }
	};
}

static int run_report(struct pipa_report_options options, const char *piece, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	int rc;

	options.load = load_options();
	options.top.keys[0] = PIPA_KEY_COMM;
	options.top.keys[1] = PIPA_KEY_SYMBOL;
	options.top.n_keys = 2;
	rc = pipa_report_run(&options, &out, err);
	if (!rc && out.status)
		return pipa_fail(err, out.status, "write the report");
	if (!rc)
		CHECK_HAS(pipa_buf_str(&out), piece);
	return rc;
}

static int report_table(struct pipa_error *err)
{
	return run_report(
		(struct pipa_report_options){ .top.children = true, .tree = true, .header = true },
		"one::two", err);
}

static int report_callees(struct pipa_error *err)
{
	return run_report(
		(struct pipa_report_options){
			.tree = true, .callees = true, .parent = "main", .form = PIPA_REPORT_JSON },
		"do_it", err);
}

static int report_stats(struct pipa_error *err)
{
	return run_report((struct pipa_report_options){ .stats = true }, "SAMPLE", err);
}

static int run_diff(enum pipa_diff_by by, enum pipa_diff_form form, struct pipa_error *err)
{
	const char *const paths[] = { path, path, path };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf crossed = { 0 };
	bool html = form == PIPA_DIFF_CSV && by == PIPA_DIFF_BY_SYMBOL;
	struct pipa_diff_job job = { .load = load_options(),
				     .diff = { .by = by, .n_base = 1, .n_now = html ? 1 : 2 },
				     .paths = paths,
				     .form = form,
				     .html = html,
				     .fail_above = 1 };
	int rc = pipa_diff_run(&job, &out, &crossed, err);

	if (!rc)
		CHECK_HAS(pipa_buf_str(&out), "do_it");
	return rc;
}

static int diff_symbols(struct pipa_error *err)
{
	return run_diff(PIPA_DIFF_BY_SYMBOL, PIPA_DIFF_TEXT, err);
}

static int diff_page(struct pipa_error *err)
{
	return run_diff(PIPA_DIFF_BY_SYMBOL, PIPA_DIFF_CSV, err);
}

static int diff_paths(struct pipa_error *err)
{
	return run_diff(PIPA_DIFF_BY_PATH, PIPA_DIFF_JSON, err);
}

static int diff_paths_csv(struct pipa_error *err)
{
	return run_diff(PIPA_DIFF_BY_PATH, PIPA_DIFF_CSV, err);
}

static int fold(struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return pipa_fold_run(&(struct pipa_fold_options){ .path = path, .out_fd = null }, err);
}

static int run_flamegraph(struct pipa_flamegraph_options options, struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	options.load = load_options();
	options.out_fd = null;
	return pipa_flamegraph_run(&options, err);
}

static int flame_page(struct pipa_error *err)
{
	return run_flamegraph((struct pipa_flamegraph_options){ .by = PIPA_FLAME_BY_PROCESS }, err);
}

static int flame_picture(struct pipa_error *err)
{
	return run_flamegraph((struct pipa_flamegraph_options){ .form = PIPA_FLAMEGRAPH_SVG,
								.reverse = true },
			      err);
}

static int flame_difference(struct pipa_error *err)
{
	return run_flamegraph((struct pipa_flamegraph_options){ .base = path }, err);
}

static int run_script(bool json, struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return pipa_script_run(&(struct pipa_script_options){ .load = load_options(),
							      .json = json,
							      .out_fd = null },
			       err);
}

static int script_text(struct pipa_error *err)
{
	return run_script(false, err);
}

static int script_json(struct pipa_error *err)
{
	return run_script(true, err);
}

TEST(the_report_of_a_recording_survives_every_failed_allocation)
{
	make_recording();
	exhaust(report_table);
	exhaust(report_callees);
	exhaust(report_stats);
}

TEST(comparing_recordings_survives_every_failed_allocation)
{
	make_recording();
	exhaust(diff_symbols);
	exhaust(diff_page);
	exhaust(diff_paths);
	exhaust(diff_paths_csv);
}

TEST(folding_a_recording_survives_every_failed_allocation)
{
	make_recording();
	exhaust(fold);
}

static int heatmap(struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return pipa_heatmap_run(&(struct pipa_heatmap_options){ .load.path = path,
								.load.offline = true,
								.view = "heatmap",
								.rows = "cpu",
								.out_fd = null },
				err);
}

TEST(the_heat_map_of_a_recording_survives_every_failed_allocation)
{
	make_recording();
	exhaust(heatmap);
}

TEST(the_flame_graph_of_a_recording_survives_every_failed_allocation)
{
	make_recording();
	exhaust(flame_page);
	exhaust(flame_picture);
	exhaust(flame_difference);
}

static struct pipa_graph_options graph_options;
static off_t graph_size;

/* The written file is complete, or it is a failure. */
static int draw_graph(struct pipa_error *err)
{
	struct stat st;
	int rc = pipa_graph_run(&graph_options, err);

	if (rc < 0)
		return rc;
	CHECK_EQ(stat(graph_options.output, &st), 0);
	CHECK(!graph_size || st.st_size == graph_size);
	graph_size = st.st_size;
	return 0;
}

TEST(the_call_graph_survives_every_failed_allocation)
{
	char folded[300], output[300];

	pipa_test_file(pipa_test_dir(), "folded",
		       "main;f<int, std::vector<char, long long, short>, unsigned>(int);f;c 3\n"
		       "main;b;main 4\nmain;b;c;d 4\nmain;d 1\n");
	snprintf(folded, sizeof(folded), "%s/folded", pipa_test_dir());
	snprintf(output, sizeof(output), "%s/graph", pipa_test_dir());
	graph_options = (struct pipa_graph_options){
		.load.path = folded, .output = output, .graph.focus = ".", .by_library = true
	};
	CHECK_EQ(draw_graph(NULL), 0);
	exhaust(draw_graph);
	graph_options.form = PIPA_GRAPH_DOT;
	graph_options.limits.max_nodes = 3;
	graph_size = 0;
	CHECK_EQ(draw_graph(NULL), 0);
	exhaust(draw_graph);
}

TEST(the_samples_of_a_recording_survive_every_failed_allocation)
{
	make_recording();
	exhaust(script_text);
	exhaust(script_json);
}

/* ---- with its files in an archive ----------------------------------------------------------------------- */

static char bundle[300];

static int make_bundle(struct pipa_error *err)
{
	return pipa_bundle_run(
		&(struct pipa_bundle_options){ .load = load_options(), .output = bundle }, err);
}

static int report_bundle(struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_report_options options = {
		.load.path = bundle,
		.top = { .keys = { PIPA_KEY_SYMBOL }, .n_keys = 1, .children = true }
	};
	int rc = pipa_report_run(&options, &out, err);

	if (!rc && out.status)
		return pipa_fail(err, out.status, "write the report");
	if (!rc)
		CHECK_HAS(pipa_buf_str(&out), "one::two");
	return rc;
}

TEST(a_bundle_survives_every_failed_allocation)
{
	make_recording();
	snprintf(bundle, sizeof(bundle), "%s/bundle", pipa_test_dir());
	exhaust(make_bundle);
	exhaust(report_bundle);
}

/* ---- code made at run time ---------------------------------------------------------------------------- */

static uint8_t jitdump[40 + 20 * 80];

static void make_jitdump(void)
{
	const uint32_t header[10] = { 0x4a695444, 1, 40, EM_X86_64, 0, 77 };
	unsigned int i;

	memcpy(jitdump, header, sizeof(header));
	for (i = 0; i < 20; i++) {
		uint8_t *at = jitdump + 40 + (size_t)80 * i;
		const uint32_t head[2] = { 0, 80 };
		const uint64_t body[] = {
			i, 77 | UINT64_C(77) << 32, 0x1000 + 16 * i, 0x1000 + 16 * i, 16, i
		};

		memcpy(at, head, sizeof(head));
		memcpy(at + 8, body, sizeof(body));
		memcpy(at + 56, "name", 5);
	}
}

static int read_jitdump(struct pipa_error *err)
{
	struct pipa_jitdump jit;
	int rc = pipa_jitdump_init(&jit, (struct pipa_span){ jitdump, sizeof(jitdump) }, err);

	if (rc < 0)
		return err->what[0] ? rc : pipa_fail(err, rc, "read the jitdump");
	CHECK_EQ(jit.n, 20);
	pipa_jitdump_done(&jit);
	return 0;
}

TEST(a_jitdump_survives_every_failed_allocation)
{
	size_t n;

	make_jitdump();
	for (n = 0; n < 100; n++) {
		struct pipa_error err = { 0 };
		int rc;

		pipa_nomem_after(n);
		rc = read_jitdump(&err);
		if (!pipa_nomem_happened()) {
			CHECK_EQ(rc, 0);
			CHECK(n > 1);
			return;
		}
		CHECK_EQ(rc, -ENOMEM);
	}
}
