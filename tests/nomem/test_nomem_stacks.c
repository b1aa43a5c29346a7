/*
 * Recording and looking into code without memory: every allocation fails once while stacks are unwound on
 * their way into the file, while events are opened for it, while instructions are shown and while addresses
 * are named. What comes of it is -ENOMEM and a sentence, or nothing of the stacks is missing.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "job/query/addr_lookup.h"
#include "job/view/annotate.h"
#include "job/view/fold.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/nomem.h"
#include "lib/stream.h"
#include "lib/test.h"
#include "measure/sample/record.h"
#include "measure/sample/record_job.h"
#include "perf/decode.h"
#include "unwind/arch.h"

#ifdef PIPA_HAVE_CAPSTONE
#include <capstone/capstone.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);

/* The disassembler gets all it wants: it does not survive a failed allocation, which is not for us to mend. */
static void spare_the_disassembler(void)
{
	cs_opt_mem real = { __real_malloc, __real_calloc, __real_realloc, free, vsnprintf };

	CHECK_EQ(cs_option(0, CS_OPT_MEM, (size_t)&real), CS_ERR_OK);
}
#else
static void spare_the_disassembler(void)
{
}
#endif

enum { MOST_ALLOCATIONS = 20000, PID = 77, BASE = 0x400000, STACK = 256, SAMPLES = 12 };

struct machine {
	const char *name; /* as uname(2) has it */
	const char *program;
	const struct pipa_unwind_arch *arch;
};

static const struct machine machines[] = {
	{ "x86_64", "gcc5.elf", &pipa_unwind_x86_64 },
	{ "aarch64", "aarch64.elf", &pipa_unwind_aarch64 },
	{ "riscv64", "riscv64.elf", &pipa_unwind_riscv64 },
};

#if defined(__aarch64__)
enum { HOST = 1 };
#elif defined(__riscv)
enum { HOST = 2 };
#else
enum { HOST = 0 };
#endif

static const struct machine *machine = &machines[HOST]; /* that was recorded */

static char program[PATH_MAX], recording[300];
static uint64_t code_at, code_len; /* of the program's code in its file */

/*
 * Try with 0, 1, 2... allocations until nothing fails any more. With `spare` some of them are not
 * needed for the result: caches, and the description of the machine in a file's header. `run` then
 * checks the result.
 */
static void exhaust(int (*run)(struct pipa_error *err), size_t at_least, bool spare)
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
			CHECK(n > at_least); /* or nothing was tried */
			return;
		}
		if ((rc || !spare) && (rc != -ENOMEM || !err.what[0]))
			pipa_test_fail(__FILE__, __LINE__, "allocation %zu failed with %d, '%s'", n,
				       rc, err.what);
	}
	pipa_test_fail(__FILE__, __LINE__, "more than %d allocations", MOST_ALLOCATIONS);
}

static void find_program(void)
{
	const char *source = getenv("PIPA_SOURCE");
	PIPA_AUTO(pipa_fd_close) int fd = -1;
	Elf64_Ehdr head;
	Elf64_Phdr part;
	char path[PATH_MAX];
	int i;

	snprintf(path, sizeof(path), "%s/tests/data/dwarf/%s", source ? source : ".",
		 machine->program);
	CHECK(realpath(path, program)); /* records have absolute paths */
	fd = open(program, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(pread(fd, &head, sizeof(head), 0), sizeof(head));
	for (i = 0; i < head.e_phnum; i++) {
		CHECK_EQ(pread(fd, &part, sizeof(part),
			       (off_t)(head.e_phoff + (uint64_t)i * sizeof(part))),
			 sizeof(part));
		if (part.p_type == PT_LOAD && part.p_flags & PF_X) {
			code_at = part.p_offset;
			code_len = part.p_filesz;
		}
	}
	CHECK(code_len > 0);
}

/* ---- records with stacks ------------------------------------------------------------------------ */

static struct pipa_perf_events events;
static struct stream stream;

static uint64_t all_registers(void)
{
	const struct pipa_unwind_arch *arch = machine->arch;
	uint64_t mask = UINT64_C(1) << arch->perf_pc;
	unsigned int i;

	for (i = 0; i < arch->n_perf; i++)
		if (arch->perf[i] != PIPA_UNWIND_NO_REG)
			mask |= UINT64_C(1) << i;
	return mask;
}

/* The code is sampled from its start to its end, on a stack of nothing. */
static void put_samples(struct pipa_rec_id id, uint64_t mask, bool stacks)
{
	const struct pipa_unwind_arch *arch = machine->arch;
	static const uint8_t stack[STACK];
	uint64_t regs[64] = { 0 }, chain[2];
	struct pipa_rec_sample sample = {
		.period = 1,
		.mode = PIPA_MODE_USER,
		.user_regs = { .abi = 2, .mask = mask, .values = regs },
		.stack = stack,
		.stack_len = stacks ? STACK : 0,
		.stack_requested = stacks ? STACK : 0,
		.chain = chain,
		.chain_len = stacks ? 1 : 2,
	};
	unsigned int i, pc = 0;

	for (i = 0; i < arch->perf_pc; i++)
		pc += (mask & UINT64_C(1) << i) != 0;
	for (i = 0; i < SAMPLES; i++) {
		sample.ip = regs[pc] = chain[0] = BASE + code_len * i / SAMPLES;
		chain[1] = BASE;
		id.time++;
		CHECK_EQ(stream.sink.sample(&stream.sink, &id, &sample), 0);
	}
}

/* With pieces of the stack, or with call chains that lack the caller of a leaf. */
static void make_records(bool stacks)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN |
			       PERF_SAMPLE_REGS_USER | (stacks ? PERF_SAMPLE_STACK_USER : 0),
		.sample_regs_user = all_registers(),
		.sample_stack_user = stacks ? STACK : 0,
	};
	const struct pipa_rec_id id = { .pid = PID, .tid = PID, .time = 5, .id = 50 };
	struct pipa_rec_map map = { .pid = PID,
				    .start = BASE,
				    .file_offset = code_at,
				    .executable = true,
				    .mode = PIPA_MODE_USER,
				    .path = program };
	struct pipa_record_sink *sink = &stream.sink;

	map.len = code_len;
	CHECK_EQ(pipa_perf_events_add(&events, &attr), 0);
	CHECK_EQ(pipa_perf_events_add_id(&events, 50, 0), 0);
	stream_init(&stream, &events);
	stream.arch = machine->name;
	CHECK_EQ(sink->comm(sink, &id, &(struct pipa_rec_comm){ PID, PID, true, "prog" }), 0);
	CHECK_EQ(sink->map(sink, &id, &map), 0);
	CHECK_EQ(sink->fork(sink, &id, &(struct pipa_rec_task){ 78, PID, 78, PID, 3, false }), 0);
	put_samples(id, attr.sample_regs_user, stacks);
	CHECK_EQ(sink->exit(sink, &id, &(struct pipa_rec_task){ 78, PID, 78, PID, 9, false }), 0);
}

static void drop_records(void)
{
	stream_done(&stream);
	pipa_perf_events_done(&events);
	events = (struct pipa_perf_events){ 0 };
}

static int put_all(struct pipa_record_unwind *live, struct pipa_buf *out)
{
	const uint8_t *bytes = (const uint8_t *)stream.records.data;
	struct pipa_perf_raw raw = { 0 };
	struct perf_event_header head;
	size_t at;
	int rc = 0;

	for (at = 0; !rc && at < stream.records.len; at += head.size) {
		memcpy(&head, bytes + at, sizeof(head));
		raw = (struct pipa_perf_raw){ .type = head.type,
					      .misc = head.misc,
					      .body = bytes + at + sizeof(head),
					      .len = head.size - sizeof(head) };
		rc = pipa_record_unwind_put(live, &raw, out);
		pipa_record_unwind_round(live);
	}
	return rc;
}

static int unwind_live(struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_record_unwind *live = NULL;
	int rc = pipa_record_unwind_new(&events, NULL, &live);

	if (!rc)
		rc = put_all(live, &out);
	if (!rc && !pipa_nomem_happened()) {
		CHECK_EQ(pipa_record_unwind_profile(live)->losses.unwound, SAMPLES);
		CHECK(out.len > 0 && out.len < stream.records.len);
	}
	pipa_record_unwind_free(live);
	return rc < 0 ? pipa_fail(err, rc, "unwind stacks") : 0;
}

TEST(unwinding_live_survives_every_failed_allocation)
{
	find_program();
	make_records(true);
	exhaust(unwind_live, 20, false);
	drop_records();
}

/* ---- a whole recording ---------------------------------------------------------------------------- */

static struct fake_perf *fake;
static struct pipa_root *root;

/*
 * All CPUs: everything is opened, described and synthesized; rings without a writer cannot
 * be waited for.
 */
static int set_up_recording(struct pipa_error *err)
{
	static const char *const argv[] = { "pipa", "record", "-a" };
	const struct pipa_record_options options = {
		.target = { .system_wide = true, .verb = "record" },
		.calls = PIPA_CALLS_AUTO,
		.output = recording,
		.argv = argv,
		.argc = PIPA_COUNT(argv),
		.version = "1",
	};
	const struct pipa_host host = { .perf = &fake->perf, .root = root };
	struct pipa_record_job job = { .o = &options, .host = &host };
	int rc;

	fake->n_opens = fake->n_ioctls = 0; /* requests of earlier tries */
	rc = pipa_record_plan_make(&options, &host, &job.plan, err);
	if (!rc)
		rc = pipa_record_open_sampler(&job, err);
	if (!rc)
		rc = pipa_record_open_file(&job, err);
	if (!rc)
		rc = pipa_record_synthesize(&job, err);
	if (!rc)
		rc = pipa_record_load_header(&job, err);
	if (!rc)
		rc = pipa_record_file_finish(job.file, pipa_record_written(&job), &job.about.about,
					     NULL, err);
	if (!rc)
		CHECK(job.live != NULL);
	pipa_record_done(&job);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	return rc;
}

TEST(a_recording_with_stacks_survives_every_failed_allocation)
{
	fake = fake_perf_new();
	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	CHECK_EQ(pipa_root_open(machine_server(), &root, NULL), 0);
	snprintf(recording, sizeof(recording), "%s/perf.data", pipa_test_dir());
	exhaust(set_up_recording, 40, true);
	pipa_root_close(root);
}

/* ---- instructions and addresses ----------------------------------------------------------------------- */

static void write_recording(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 };
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	snprintf(recording, sizeof(recording), "%s/perf.data", pipa_test_dir());
	stream_file(&stream, &file);
	fd = open(recording, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, file.data, file.len), 0);
}

static int annotate(struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	const struct pipa_annotate_options options = { .load = { .path = recording },
						       .code = true,
						       .source = true };
	int rc = pipa_annotate_run(&options, &out, err);

	if (!rc && out.status)
		return pipa_fail(err, out.status, "write it");
	if (!rc && !pipa_nomem_happened())
		CHECK_HAS(pipa_buf_str(&out), "main");
	return rc;
}

static off_t folded_len; /* of the whole result */

/* The stacks, into a file: with every frame, or it is a failure. */
static int fold(struct pipa_error *err)
{
	char output[300];
	struct stat st;
	int rc;

	snprintf(output, sizeof(output), "%s/folded", pipa_test_dir());
	rc = pipa_fold_run(&(struct pipa_fold_options){ .path = recording, .output = output }, err);
	if (rc < 0)
		return rc;
	CHECK_EQ(stat(output, &st), 0);
	CHECK(st.st_size > 0 && (!folded_len || st.st_size == folded_len));
	folded_len = st.st_size;
	return 0;
}

TEST(stacks_of_every_architecture_survive_every_failed_allocation)
{
	size_t i;

	for (i = 0; i < 2 * PIPA_COUNT(machines); i++) {
		machine = &machines[i / 2];
		find_program();
		make_records(i % 2 == 0);
		write_recording();
		folded_len = 0;
		CHECK_EQ(fold(NULL), 0);
		exhaust(fold, 50, true);
		drop_records();
	}
	machine = &machines[HOST];
}

TEST(annotating_a_recording_survives_every_failed_allocation)
{
	find_program();
	make_records(true);
	write_recording();
	spare_the_disassembler();
	exhaust(annotate, 50, true);
	drop_records();
}

static int answer(struct pipa_error *err)
{
	static char *words[] = { "0x1000", "0x1140", "0x1160", "0x1180", "0x11a0", "0x1200" };
	PIPA_AUTO(pipa_fd_close) int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct pipa_addr_lookup_options options = {
		.resolver.exe = program,
		.addresses = true,
		.words = words,
		.n_words = PIPA_COUNT(words),
		.in_fd = -1,
		.out_fd = null,
	};

	return pipa_addr_lookup_run(&options, err);
}

TEST(naming_addresses_survives_every_failed_allocation)
{
	find_program();
	exhaust(answer, 20, false);
}
