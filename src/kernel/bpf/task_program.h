/*
 * Generate the BPF program of kernel/bpf/task_iter.h: loads that copy the members of a task into a
 * record, with offsets from the kernel's BTF.
 */
#ifndef PIPA_KERNEL_BPF_TASK_PROGRAM_H
#define PIPA_KERNEL_BPF_TASK_PROGRAM_H

#include <stdbool.h>

struct pipa_root;

/* The words of a record, 8 bytes each. G_: of the group, that is of its threads that have ended. */
/* clang-format off */
enum pipa_task_word {
	W_PID, W_TGID, W_STATE, W_EXIT_STATE, W_COMM, W_COMM2, W_START, W_CPU, W_USER, W_SYSTEM,
	W_GUEST, W_RUN, W_WAIT, W_MINFLT, W_MAJFLT, W_READ, W_WRITE, W_CANCELLED, W_SWITCHES,
	W_PREEMPTIONS, W_TOLD_USER, W_TOLD_SYSTEM,
	W_THREADS, G_USER, G_SYSTEM, G_GUEST, G_RUN, G_MINFLT, G_MAJFLT, G_READ, G_WRITE,
	G_CANCELLED, G_TOLD_USER, G_TOLD_SYSTEM,
	W_VM_PAGES, W_RSS_FILE, W_RSS_ANON, W_RSS_SHMEM, W_IO_DELAY, W_UID, TASK_WORDS,
};
/* clang-format on */

enum { PIPA_TASK_RECORD = TASK_WORDS * 8 }; /* bytes */

/*
 * Load the program: returns a descriptor of its link, which the caller closes, or a negative errno.
 * `has` says which words this kernel fills; the others are zero.
 */
int pipa_task_program_open(struct pipa_root *root, bool has[static TASK_WORDS]);

/*
 * Return a descriptor that yields a record per task by ascending id, complete ones in each read(2).
 */
int pipa_task_program_pass(int link);

#endif
