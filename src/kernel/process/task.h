/* List processes and threads from /proc. */
#ifndef PIPA_KERNEL_PROCESS_TASK_H
#define PIPA_KERNEL_PROCESS_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pipa_error;
struct pipa_root;

enum { PIPA_COMM_LEN = 16 };

struct pipa_task {
	pid_t tid;
	pid_t pid; /* whose threads were listed; 0: it was named as a thread */
	char comm[PIPA_COMM_LEN];
};

struct pipa_tasks {
	struct pipa_task *items;
	size_t n, cap;
};

void pipa_tasks_done(struct pipa_tasks *tasks);

/* Append the threads of a process; -ESRCH when it does not exist. */
int pipa_tasks_of(struct pipa_root *root, pid_t pid, struct pipa_tasks *tasks,
		  struct pipa_error *err);

/* Append one thread; -ESRCH when it does not exist. */
int pipa_tasks_add(struct pipa_root *root, pid_t tid, struct pipa_tasks *tasks,
		   struct pipa_error *err);

/* Append every thread of every process; those that vanish meanwhile are left out. */
int pipa_tasks_all(struct pipa_root *root, struct pipa_tasks *tasks, struct pipa_error *err);

/* Is the thread a zombie? */
bool pipa_task_is_zombie(struct pipa_root *root, pid_t tid);

/*
 * A descriptor that becomes readable when the thread ends. -ESRCH when it has, -EINVAL where the
 * kernel has none for a thread that is not its process's first (before 6.9).
 */
int pipa_task_pidfd(pid_t tid);
bool pipa_task_ended(int pidfd);

/* Signal the process of a pidfd, even if its PID was reused; 0 or a negative errno. */
int pipa_task_signal(int pidfd, int sig);

/* Set the nice value of a process or thread, -20 to 19; 0 or a negative errno. */
int pipa_task_renice(pid_t tid, int nice);

static inline void pipa_tasks_done_auto(struct pipa_tasks *tasks)
{
	pipa_tasks_done(tasks);
}

#endif
