#include "job/process_info.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

/* Write /proc/PID/stat of an invented machine; the process itself is one of this machine. */
static void write_stat(pid_t pid, unsigned int start)
{
	char path[64], text[256];

	snprintf(path, sizeof(path), "proc/%d/stat", pid);
	snprintf(text, sizeof(text),
		 "%d (victim) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 5 1 0 %u 0 0 0\n", pid, start);
	pipa_test_file(pipa_test_dir(), path, text);
}

/* Start a process that waits for a signal, and ends with this test. */
static pid_t start_process(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

static bool is_running(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

TEST(no_signal_reaches_a_process_that_got_the_pid_of_the_one_shown)
{
	struct pipa_host host = { 0 };
	struct pipa_process_infos *infos;
	pid_t pid;

	NEED_REAL_KERNEL("pidfds");
	pid = start_process();
	write_stat(pid, 100);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &host.root, NULL), 0);
	infos = pipa_process_infos_new(&host);
	CHECK_EQ(pipa_process_infos_find(infos, pid, PIPA_PROCESS_NICE).nice, 5);
	write_stat(pid, 200); /* by now the PID is that of a process that started later */
	CHECK_EQ(pipa_process_infos_hold(infos, pid), -ESRCH);
	CHECK_EQ(pipa_process_infos_signal(infos, SIGKILL), -ESRCH);
	CHECK_EQ(pipa_process_infos_renice(infos, 7), -ESRCH);
	pipa_process_infos_tick(infos); /* the same an interval later */
	CHECK_EQ(pipa_process_infos_hold(infos, pid), -ESRCH);
	CHECK(is_running(pid));
	write_stat(pid, 100);
	CHECK_EQ(pipa_process_infos_hold(infos, pid), 0);
	CHECK_EQ(pipa_process_infos_signal(infos, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	pipa_process_infos_free(infos);
	pipa_root_close(host.root);
}

TEST(a_process_that_ended_while_the_user_decided_gets_nothing)
{
	struct pipa_host host = { 0 };
	struct pipa_process_infos *infos;
	pid_t pid;

	NEED_REAL_KERNEL("pidfds");
	pid = start_process();
	write_stat(pid, 100);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &host.root, NULL), 0);
	infos = pipa_process_infos_new(&host);
	CHECK_EQ(pipa_process_infos_hold(infos, pid), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(pipa_process_infos_renice(infos, 7), -ESRCH);
	CHECK_EQ(pipa_process_infos_hold(infos, pid), -ESRCH);
	pipa_process_infos_free(infos);
	pipa_root_close(host.root);
}
