/*
 * List the loaded BPF programs that this user may see: addresses of their code and names of their
 * functions, as in kallsyms and in records.
 */
#ifndef PIPA_KERNEL_BPF_BPF_PROGRAMS_H
#define PIPA_KERNEL_BPF_BPF_PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

enum { PIPA_BPF_TAG = 8, PIPA_BPF_NAME = 256 };

struct pipa_bpf_function {
	uint64_t start;
	uint32_t len;
	char name[PIPA_BPF_NAME]; /* "bpf_prog_TAG_NAME" */
};

/* Valid during the callback. */
struct pipa_bpf_program {
	uint32_t id;
	uint8_t tag[PIPA_BPF_TAG];
	const struct pipa_bpf_function *functions;
	size_t n;
};

/*
 * Call fn for each compiled program; one that vanishes meanwhile is left out. 0, -EPERM without
 * permission, -ENOSYS if the kernel has none, -ENOMEM, or the result of fn.
 */
int pipa_bpf_programs(int (*fn)(void *ctx, const struct pipa_bpf_program *program), void *ctx);

#endif
