#include "kernel/process/task.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

static void thread(int pid, int tid, const char *comm)
{
	char path[100];

	snprintf(path, sizeof(path), "proc/%d/task/%d/comm", pid, tid);
	pipa_test_file(pipa_test_dir(), path, comm);
	snprintf(path, sizeof(path), "proc/%d/comm", tid); /* /proc answers for threads too */
	pipa_test_file(pipa_test_dir(), path, comm);
}

/* init, a server of three threads, one that just ended, and other entries of /proc. */
static struct pipa_root *machine(void)
{
	struct pipa_root *root = NULL;

	thread(1, 1, "init\n");
	thread(100, 100, "server\n");
	thread(100, 101, "worker one\n");
	thread(100, 102, "a name with more than 15 letters\n");
	pipa_test_file(pipa_test_dir(), "proc/100/task/103/stat", "");
	pipa_test_file(pipa_test_dir(), "proc/sys/kernel/ostype", "Linux\n");
	pipa_test_file(pipa_test_dir(), "proc/uptime", "1 1\n");
	pipa_test_file(pipa_test_dir(), "proc/200/stat", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

static const char *comm_of(const struct pipa_tasks *tasks, pid_t tid)
{
	size_t i;

	for (i = 0; i < tasks->n; i++)
		if (tasks->items[i].tid == tid)
			return tasks->items[i].comm;
	return NULL;
}

TEST(process_is_all_its_threads)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_tasks_done) struct pipa_tasks tasks = { 0 };

	CHECK_EQ(pipa_tasks_of(root, 100, &tasks, NULL), 0);
	CHECK_EQ(tasks.n, 3); /* the ended one is not a failure and not listed */
	CHECK_STR(comm_of(&tasks, 100), "server");
	CHECK_STR(comm_of(&tasks, 101), "worker one");
	CHECK_STR(comm_of(&tasks, 102), "a name with mor");
}

TEST(single_thread_can_be_added)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_tasks_done) struct pipa_tasks tasks = { 0 };

	CHECK_EQ(pipa_tasks_add(root, 101, &tasks, NULL), 0);
	CHECK_EQ(pipa_tasks_add(root, 1, &tasks, NULL), 0);
	CHECK_EQ(tasks.n, 2);
	CHECK_EQ(tasks.items[0].tid, 101);
	CHECK_STR(tasks.items[1].comm, "init");
}

TEST(process_or_thread_that_does_not_exist_is_named)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	PIPA_AUTO(pipa_tasks_done) struct pipa_tasks tasks = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_tasks_of(root, 4711, &tasks, &err), -ESRCH);
	CHECK_STR(err.what, "process 4711 does not exist");
	CHECK_HAS(err.hint, "ps -e");
	CHECK_EQ(pipa_tasks_add(root, 4712, &tasks, &err), -ESRCH);
	CHECK_STR(err.what, "thread 4712 does not exist");
	CHECK_EQ(pipa_tasks_of(root, 200, &tasks, &err), -ESRCH); /* its threads are gone */
	CHECK_EQ(tasks.n, 0);
}

TEST(all_threads_of_all_processes_are_listed)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	PIPA_AUTO(pipa_tasks_done) struct pipa_tasks tasks = { 0 };

	thread(300, 300, "other\n");
	root = machine();
	CHECK_EQ(pipa_tasks_all(root, &tasks, NULL), 0);
	CHECK_EQ(tasks.n, 5);
	CHECK(comm_of(&tasks, 1) && comm_of(&tasks, 102) && comm_of(&tasks, 300));
}

TEST(machine_without_proc_is_an_error)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_tasks tasks = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_tasks_all(root, &tasks, &err), -ENOENT);
	CHECK_HAS(err.what, "/proc");
}

TEST(own_process_is_on_the_running_machine)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	PIPA_AUTO(pipa_tasks_done) struct pipa_tasks tasks = { 0 };

	CHECK_EQ(pipa_root_open(NULL, &root, NULL), 0);
	CHECK_EQ(pipa_tasks_of(root, getpid(), &tasks, NULL), 0);
	CHECK(comm_of(&tasks, getpid()));
}

TEST(end_of_a_process_is_seen_through_its_descriptor)
{
	pid_t pid;
	int fd, hold[2];
	char byte;

	CHECK_EQ(pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	close(hold[0]);
	fd = pipa_task_pidfd(pid);
	if (fd == -ENOSYS)
		SKIP("this kernel has no pidfd_open");
	CHECK(fd >= 0);
	CHECK(!pipa_task_ended(fd));
	close(hold[1]);
	CHECK_EQ(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	CHECK(pipa_task_ended(fd));
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(pipa_task_ended(fd));
	close(fd);
	CHECK_EQ(pipa_task_pidfd(pid), -ESRCH);
}

struct thread_ends {
	int told[2], hold[2];
};

static void *wait_for_end(void *arg)
{
	struct thread_ends *ends = arg;
	pid_t tid = gettid();
	char byte;

	CHECK_EQ(write(ends->told[1], &tid, sizeof(tid)), sizeof(tid));
	CHECK_EQ(read(ends->hold[0], &byte, 1), 1);
	return NULL;
}

TEST(thread_has_a_descriptor_where_the_kernel_can)
{
	struct thread_ends ends;
	pthread_t id;
	pid_t tid = 0;
	int fd;

	CHECK_EQ(pipe(ends.told) || pipe(ends.hold), 0);
	CHECK_EQ(pthread_create(&id, NULL, wait_for_end, &ends), 0);
	CHECK_EQ(read(ends.told[0], &tid, sizeof(tid)), sizeof(tid));
	fd = pipa_task_pidfd(tid);
	if (fd >= 0) {
		CHECK(!pipa_task_ended(fd));
		CHECK_EQ(write(ends.hold[1], "x", 1), 1);
		CHECK_EQ(pthread_join(id, NULL), 0);
		while (!pipa_task_ended(fd)) /* joined a moment before the kernel is through */
			usleep(100);
		close(fd);
	} else {
		CHECK_EQ(write(ends.hold[1], "x", 1), 1);
		CHECK_EQ(pthread_join(id, NULL), 0);
		if (fd == -ENOSYS || fd == -EINVAL)
			SKIP("this kernel has no pidfd for threads");
		CHECK_EQ(fd, 0);
	}
}
