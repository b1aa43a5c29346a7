#include "kernel/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "kernel/machine/root.h"

void pipa_tasks_done(struct pipa_tasks *tasks)
{
	free(tasks->items);
	*tasks = (struct pipa_tasks){ 0 };
}

static int gone(struct pipa_error *err, const char *what, pid_t id)
{
	pipa_refuse(err, -ESRCH, "%s %d does not exist", what, id);
	pipa_hint(err, "list running processes with: ps -e");
	return -ESRCH;
}

int pipa_tasks_add(struct pipa_root *root, pid_t tid, struct pipa_tasks *tasks,
		   struct pipa_error *err)
{
	struct pipa_task task = { .tid = tid }, *slot;
	char comm[64];

	if (pipa_root_read(root, PIPA_PROC, comm, sizeof(comm), "%d/comm", tid) < 0)
		return gone(err, "thread", tid);
	snprintf(task.comm, sizeof(task.comm), "%.*s", PIPA_COMM_LEN - 1, comm);
	slot = PIPA_VEC_ADD(tasks);
	if (!slot)
		return pipa_fail(err, -ENOMEM, "list threads");
	*slot = task;
	return 0;
}

int pipa_tasks_of(struct pipa_root *root, pid_t pid, struct pipa_tasks *tasks,
		  struct pipa_error *err)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(root, PIPA_PROC, "%d/task", pid);
	size_t before = tasks->n, i;
	struct dirent *entry;
	uint64_t tid;
	int rc;

	while (dir && (entry = readdir(dir))) {
		if (pipa_str_u64(entry->d_name, &tid) < 0)
			continue;
		rc = pipa_tasks_add(root, (pid_t)tid, tasks, err);
		if (rc < 0 && rc != -ESRCH) /* a thread that just ended is not a failure */
			return rc;
	}
	for (i = before; i < tasks->n; i++)
		tasks->items[i].pid = pid;
	return tasks->n > before ? 0 : gone(err, "process", pid);
}

/* "PID (COMM) STATE ...", where COMM may have anything in it. */
bool pipa_task_is_zombie(struct pipa_root *root, pid_t tid)
{
	char text[1024];
	const char *state;

	if (pipa_root_read(root, PIPA_PROC, text, sizeof(text), "%d/stat", tid) < 0)
		return false;
	state = strrchr(text, ')');
	return state && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0);
}

int pipa_tasks_all(struct pipa_root *root, struct pipa_tasks *tasks, struct pipa_error *err)
{
	PIPA_AUTO(closedir) DIR *dir = pipa_root_list(root, PIPA_PROC, ".");
	struct dirent *entry;
	uint64_t pid;
	int rc;

	if (!dir)
		return pipa_fail(err, -errno, "list processes in /proc");
	while ((entry = readdir(dir))) {
		if (pipa_str_u64(entry->d_name, &pid) < 0)
			continue;
		rc = pipa_tasks_of(root, (pid_t)pid, tasks, err);
		if (rc < 0 && rc != -ESRCH)
			return rc;
	}
	return 0;
}

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif

int pipa_task_pidfd(pid_t tid)
{
	long fd = syscall(SYS_pidfd_open, tid, 0);

	if (fd < 0 && (errno == EINVAL || errno == ENOENT)) /* not a process's first thread */
		fd = syscall(SYS_pidfd_open, tid, PIDFD_THREAD);
	return fd < 0 ? -errno : (int)fd;
}

int pipa_task_signal(int pidfd, int sig)
{
	return syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) < 0 ? -errno : 0;
}

bool pipa_task_ended(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1;
}

int pipa_task_renice(pid_t tid, int nice)
{
	return setpriority(PRIO_PROCESS, (id_t)tid, nice) < 0 ? -errno : 0;
}
