/*
 * program FIFO: loads a BPF program of two functions, pipa_first and pipa_second, that nothing runs, and
 * keeps it until FIFO is opened for writing and closed. Ends with 3 where that is not permitted.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/syscall.h>

#include "work.h"

#define STRINGS "\0int\0pipa_first\0pipa_second"
#define KIND(kind) ((uint32_t)(kind) << 24)

/* int; int (*)(); the two functions */
static const struct {
	struct btf_header header;
	uint32_t integer[4], proto[3], first[3], second[3];
	char strings[sizeof(STRINGS)];
} types = {
	.header = { .magic = BTF_MAGIC,
		    .version = BTF_VERSION,
		    .hdr_len = sizeof(struct btf_header),
		    .type_len = 52,
		    .str_off = 52,
		    .str_len = sizeof(STRINGS) },
	.integer = { 1, KIND(BTF_KIND_INT), 4, BTF_INT_SIGNED << 24 | 32 },
	.proto = { 0, KIND(BTF_KIND_FUNC_PROTO), 1 },
	.first = { 5, KIND(BTF_KIND_FUNC), 2 },
	.second = { 16, KIND(BTF_KIND_FUNC), 2 },
	.strings = STRINGS,
};

static const struct bpf_insn code[] = {
	{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 1 },
	{ .code = BPF_JMP | BPF_EXIT },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static const struct bpf_func_info functions[] = { { 0, 3 }, { 2, 4 } };

int main(int argc, char **argv)
{
	union bpf_attr attr;
	long btf, fd;

	if (argc != 2)
		return 2;
	memset(&attr, 0, sizeof(attr));
	attr.btf = (uintptr_t)&types;
	attr.btf_size = sizeof(types.header) + 52 + sizeof(STRINGS);
	btf = syscall(SYS_bpf, BPF_BTF_LOAD, &attr, sizeof(attr));
	if (btf < 0)
		return 3;
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = sizeof(code) / sizeof(code[0]);
	attr.license = (uintptr_t) "GPL";
	attr.prog_btf_fd = (uint32_t)btf;
	attr.func_info = (uintptr_t)functions;
	attr.func_info_cnt = 2;
	attr.func_info_rec_size = sizeof(functions[0]);
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		return 3;
	work_wait(argv[1]);
	return 0;
}
