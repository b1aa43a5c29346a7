/*
 * A BPF program named "spinner" that the kernel runs over and over; status 77 where none may be loaded.
 *
 *	bpf TIMES
 */
#include <linux/bpf.h>
#include <sys/syscall.h>

#include "work.h"

enum { LOOPS = 3000 };

/* r0 = 0; r1 = LOOPS; do { r0++; } while (--r1); return r0 */
static const struct bpf_insn program[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 1, .imm = LOOPS },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 0, .imm = 1 },
	{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = 1, .imm = 1 },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = -3, .imm = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

int main(int argc, char **argv)
{
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
				.insns = (uintptr_t)program,
				.insn_cnt = sizeof(program) / sizeof(program[0]),
				.license = (uintptr_t) "GPL",
				.prog_name = "spinner" };
	unsigned long times = argc > 1 ? work_number(argv[1]) : 1;
	char packet[64] = { 0 };
	long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		return 77;
	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = 1000;
	while (times--)
		if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)) < 0)
			return 77;
	return 0;
}
