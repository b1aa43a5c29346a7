#include "kernel/bpf/task_program.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/auto.h"
#include "kernel/bpf/btf.h"
#include "kernel/machine/root.h"

/* ---- what is asked of a task ---------------------------------------------------------------------- */

/* Structures a task points to; each is followed once. */
enum base { IN_TASK, IN_SIGNAL, IN_MM, IN_DELAYS, IN_CRED, BASES };

static const char *const base_member[BASES] = {
	[IN_SIGNAL] = "signal", [IN_MM] = "mm", [IN_DELAYS] = "delays", [IN_CRED] = "real_cred"
};

/* Where a word comes from, and where in other kernels. */
static const struct source {
	enum base base;
	const char *path, *or_path;
	bool optional; /* kernels may be built without it: missing, then */
} sources[TASK_WORDS] = {
	[W_PID] = { IN_TASK, "pid" },
	[W_TGID] = { IN_TASK, "tgid" },
	[W_STATE] = { IN_TASK, "__state", "state" }, /* until 5.13 */
	[W_EXIT_STATE] = { IN_TASK, "exit_state" },
	[W_COMM] = { IN_TASK, "comm" },
	[W_COMM2] = { IN_TASK, "comm" },
	[W_START] = { IN_TASK, "start_boottime", "real_start_time" },
	[W_CPU] = { IN_TASK, "thread_info.cpu", "cpu", true },
	[W_USER] = { IN_TASK, "utime" },
	[W_SYSTEM] = { IN_TASK, "stime" },
	[W_GUEST] = { IN_TASK, "gtime" },
	[W_RUN] = { IN_TASK, "se.sum_exec_runtime" },
	[W_WAIT] = { IN_TASK, "sched_info.run_delay", NULL, true },
	[W_MINFLT] = { IN_TASK, "min_flt" },
	[W_MAJFLT] = { IN_TASK, "maj_flt" },
	[W_READ] = { IN_TASK, "ioac.read_bytes", NULL, true },
	[W_WRITE] = { IN_TASK, "ioac.write_bytes", NULL, true },
	[W_CANCELLED] = { IN_TASK, "ioac.cancelled_write_bytes", NULL, true },
	[W_SWITCHES] = { IN_TASK, "nvcsw" },
	[W_PREEMPTIONS] = { IN_TASK, "nivcsw" },
	[W_TOLD_USER] = { IN_TASK, "prev_cputime.utime" },
	[W_TOLD_SYSTEM] = { IN_TASK, "prev_cputime.stime" },
	[W_THREADS] = { IN_SIGNAL, "nr_threads" },
	[G_USER] = { IN_SIGNAL, "utime" },
	[G_SYSTEM] = { IN_SIGNAL, "stime" },
	[G_GUEST] = { IN_SIGNAL, "gtime" },
	[G_RUN] = { IN_SIGNAL, "sum_sched_runtime" },
	[G_MINFLT] = { IN_SIGNAL, "min_flt" },
	[G_MAJFLT] = { IN_SIGNAL, "maj_flt" },
	[G_READ] = { IN_SIGNAL, "ioac.read_bytes", NULL, true },
	[G_WRITE] = { IN_SIGNAL, "ioac.write_bytes", NULL, true },
	[G_CANCELLED] = { IN_SIGNAL, "ioac.cancelled_write_bytes", NULL, true },
	[G_TOLD_USER] = { IN_SIGNAL, "prev_cputime.utime" },
	[G_TOLD_SYSTEM] = { IN_SIGNAL, "prev_cputime.stime" },
	[W_VM_PAGES] = { IN_MM, "total_vm" },
	[W_RSS_FILE] = { IN_MM, "rss_stat[0].count", "rss_stat.count[0].counter" }, /* until 6.1 */
	[W_RSS_ANON] = { IN_MM, "rss_stat[1].count", "rss_stat.count[1].counter" },
	[W_RSS_SHMEM] = { IN_MM, "rss_stat[3].count", "rss_stat.count[3].counter" },
	[W_IO_DELAY] = { IN_DELAYS, "blkio_delay", NULL, true },
	[W_UID] = { IN_CRED, "uid.val" },
};

struct places {
	struct pipa_btf_place words[TASK_WORDS];
	bool has[TASK_WORDS];
	struct pipa_btf_place bases[BASES]; /* the pointer in the task */
	uint32_t function;		    /* that the iterator represents */
};

static int find_word(const struct pipa_btf *btf, const uint32_t *types, enum pipa_task_word word,
		     struct places *ret)
{
	const struct source *source = &sources[word];
	struct pipa_btf_place *place = &ret->words[word];
	uint32_t type = types[source->base];
	int rc = -ENOENT;

	if (type)
		rc = pipa_btf_find(btf, type, source->path, place);
	if (rc < 0 && type && source->or_path)
		rc = pipa_btf_find(btf, type, source->or_path, place);
	if (word == W_COMM || word == W_COMM2) { /* an array, taken as two words */
		place->size = 8;
		place->offset += word == W_COMM2 ? 8 : 0;
	}
	ret->has[word] = rc == 0 && place->offset <= INT16_MAX &&
			 (place->size == 4 || place->size == 8);
	return ret->has[word] || source->optional ? 0 : -ENOENT;
}

static int find_places(const struct pipa_btf *btf, struct places *ret)
{
	uint32_t types[BASES] = { [IN_TASK] = pipa_btf_struct(btf, "task_struct") };
	size_t i;
	int rc = 0;

	*ret = (struct places){ .function = pipa_btf_function(btf, "bpf_iter_task") };
	if (!types[IN_TASK] || !ret->function)
		return -ENOENT;
	for (i = IN_TASK + 1; i < BASES; i++)
		if (pipa_btf_find(btf, types[IN_TASK], base_member[i], &ret->bases[i]) == 0 &&
		    ret->bases[i].offset <= INT16_MAX)
			types[i] = pipa_btf_pointee(btf, ret->bases[i].type);
	for (i = 0; !rc && i < TASK_WORDS; i++)
		rc = find_word(btf, types, (enum pipa_task_word)i, ret);
	return rc;
}

static int read_btf(struct pipa_root *root, struct places *ret)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_root_file(root, PIPA_SYS, 0, "kernel/btf/vmlinux");
	PIPA_AUTO(free) unsigned char *bytes = NULL;
	struct pipa_btf btf;
	struct stat st;
	size_t len = 0;
	ssize_t n = 1;
	int rc;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fd < 0 ? fd : -errno;
	if (st.st_size <= 0 || st.st_size > 256 << 20)
		return -EBADMSG;
	bytes = malloc((size_t)st.st_size);
	if (!bytes)
		return -ENOMEM;
	for (; n > 0 && len<(size_t)st.st_size; len += n> 0 ? (size_t)n : 0)
		n = read(fd, bytes + len, (size_t)st.st_size - len);
	rc = pipa_btf_init(&btf, bytes, len);
	if (!rc)
		rc = find_places(&btf, ret);
	pipa_btf_done(&btf);
	return rc;
}

/* ---- the program ---------------------------------------------------------------------------------- */

enum { RECORD = PIPA_TASK_RECORD, MAX_CODE = 3 * TASK_WORDS + 4 * BASES + 32 };

struct code {
	struct bpf_insn items[MAX_CODE];
	size_t n;
};

static void op(struct code *c, int code, int dst, int src, int off, int imm)
{
	c->items[c->n++] = (struct bpf_insn){ .code = (__u8)code,
					      .dst_reg = (__u8)(dst & 15),
					      .src_reg = (__u8)(src & 15),
					      .off = (__s16)off,
					      .imm = imm };
}

static void load(struct code *c, int dst, int src, uint32_t offset, uint32_t size)
{
	op(c, BPF_LDX | BPF_MEM | (size == 8 ? BPF_DW : BPF_W), dst, src, (int)offset, 0);
}

/* The words of one structure, at register `from`, into the record on the stack. */
static void copy_words(struct code *c, const struct places *places, enum base base, int from)
{
	size_t i;

	for (i = 0; i < TASK_WORDS; i++) {
		if (sources[i].base != base || !places->has[i])
			continue;
		load(c, BPF_REG_0, from, places->words[i].offset, places->words[i].size);
		op(c, BPF_STX | BPF_MEM | BPF_DW, BPF_REG_10, BPF_REG_0, (int)i * 8 - RECORD, 0);
	}
}

/*
 *	r6 = ctx->task, r7 = ctx->meta->seq; nothing to do at the end, where there is no task
 *	record = zeroes; its words from r6, and for each structure that is there from r8
 *	bpf_seq_write(r7, record, RECORD)
 */
static void assemble(struct code *c, const struct places *places)
{
	size_t i, skip, skip_base;

	load(c, BPF_REG_6, BPF_REG_1, 8, 8);
	load(c, BPF_REG_7, BPF_REG_1, 0, 8);
	skip = c->n;
	op(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_6, 0, 0, 0);
	load(c, BPF_REG_7, BPF_REG_7, 0, 8);
	for (i = 0; i < TASK_WORDS; i++)
		op(c, BPF_ST | BPF_MEM | BPF_DW, BPF_REG_10, 0, (int)i * 8 - RECORD, 0);
	copy_words(c, places, IN_TASK, BPF_REG_6);
	for (i = IN_TASK + 1; i < BASES; i++) {
		load(c, BPF_REG_8, BPF_REG_6, places->bases[i].offset, 8);
		skip_base = c->n;
		op(c, BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_8, 0, 0, 0);
		copy_words(c, places, (enum base)i, BPF_REG_8);
		c->items[skip_base].off = (__s16)(c->n - skip_base - 1);
	}
	op(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_7, 0, 0);
	op(c, BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0);
	op(c, BPF_ALU64 | BPF_ADD, BPF_REG_2, 0, 0, -RECORD);
	op(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_3, 0, 0, RECORD);
	op(c, BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_seq_write);
	c->items[skip].off = (__s16)(c->n - skip - 1);
	op(c, BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0);
	op(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static int bpf(int command, union bpf_attr *attr)
{
	long rc = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return rc < 0 ? -errno : (int)rc;
}

static int load_program(const struct places *places)
{
	struct code code = { .n = 0 };
	union bpf_attr attr;

	assemble(&code, places);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_TRACE_ITER;
	attr.attach_btf_id = places->function;
	attr.insns = (uintptr_t)code.items;
	attr.insn_cnt = (uint32_t)code.n;
	attr.license = (uintptr_t) "Dual MIT/GPL"; /* bpf_seq_write() asks for it */
	memcpy(attr.prog_name, "pipa_tasks", sizeof("pipa_tasks"));
	return bpf(BPF_PROG_LOAD, &attr);
}

static int make_link(int program)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)program;
	attr.link_create.attach_type = BPF_TRACE_ITER;
	return bpf(BPF_LINK_CREATE, &attr);
}

int pipa_task_program_pass(int link)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.iter_create.link_fd = (uint32_t)link;
	return bpf(BPF_ITER_CREATE, &attr);
}

int pipa_task_program_open(struct pipa_root *root, bool has[static TASK_WORDS])
{
	PIPA_AUTO(pipa_fd_close) int program = -1;
	struct places places = { .function = 0 };
	int rc = read_btf(root, &places);

	if (rc < 0)
		return rc;
	program = load_program(&places);
	if (program < 0)
		return program;
	memcpy(has, places.has, sizeof(places.has));
	return make_link(program);
}
