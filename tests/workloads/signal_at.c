/*
 * signal_at N SIGNAL COMMAND...: run the command and send it the signal at the Nth entry or exit of a system call
 * of its first thread, then leave it. The exit status is that of the command, or 128 and the signal that ended it;
 * 124: it made fewer calls.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

static int exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	unsigned long n;
	int sig, status, pass = 0;
	pid_t pid;

	if (argc < 4)
		return 2;
	n = work_number(argv[1]);
	sig = (int)work_number(argv[2]);
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		execvp(argv[3], argv + 3);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 2;
	ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD);
	while (n) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, pass) < 0 || waitpid(pid, &status, 0) != pid)
			return 2;
		if (!WIFSTOPPED(status))
			return 124;
		pass = 0;
		if (WSTOPSIG(status) == (SIGTRAP | 0x80))
			n--;
		else if (WSTOPSIG(status) != SIGTRAP)
			pass = WSTOPSIG(status);
	}
	kill(pid, sig);
	ptrace(PTRACE_DETACH, pid, NULL, NULL);
	while (waitpid(pid, &status, 0) != pid)
		;
	return exit_status(status);
}
