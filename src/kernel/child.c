#include "kernel/child.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"

__attribute__((noreturn)) static void child_side(char *const argv[], const sigset_t *mask,
						 const struct sigaction *chld, int go, int failed)
{
	char byte;
	int code;

	sigaction(SIGCHLD, chld, NULL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (read(go, &byte, 1) != 1)
		_exit(125);
	execvp(argv[0], argv);
	code = errno;
	if (write(failed, &code, sizeof(code)) < 0)
		_exit(125);
	_exit(127);
}

int pipa_child_start(char *const argv[], const sigset_t *mask, struct pipa_child *ret,
		     struct pipa_error *err)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };
	struct sigaction chld;
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) < 0)
		return pipa_fail(err, -errno, "start %s", argv[0]);
	if (pipe2(failed, O_CLOEXEC) < 0) {
		int code = -errno;

		close(go[0]);
		close(go[1]);
		return pipa_fail(err, code, "start %s", argv[0]);
	}
	sigaction(SIGCHLD, &by_default, &chld);
	pid = fork();
	if (pid == 0) {
		close(go[1]); /* so that our death reads as end of file */
		child_side(argv, mask, &chld, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		int code = -errno;

		sigaction(SIGCHLD, &chld, NULL);
		close(go[1]);
		close(failed[0]);
		return pipa_fail(err, code, "start %s", argv[0]);
	}
	*ret = (struct pipa_child){ .pid = pid, .go = go[1], .failed = failed[0], .chld = chld };
	return 0;
}

int pipa_child_release(struct pipa_child *child, const char *command, struct pipa_error *err)
{
	ssize_t n;
	int code = 0;

	/* when a signal has ended it meanwhile the pipe is broken; its end will tell which */
	if (write(child->go, "", 1) != 1 && errno != EPIPE)
		return pipa_fail(err, -errno, "start %s", command);
	close(child->go);
	child->go = -1;
	do {
		n = read(child->failed, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(child->failed);
	child->failed = -1;
	if (n != sizeof(code))
		return 0; /* end of file: exec closed the pipe */
	pipa_fail(err, -code, "run %s", command);
	if (code == ENOENT && strchr(command, '/') && access(command, F_OK) == 0)
		pipa_hint(err, "the file is there: its interpreter or loader is not");
	else if (code == ENOENT)
		pipa_hint(err,
			  "is it installed and on the PATH? options of pipa go before the command");
	else if (code == EACCES)
		pipa_hint(err, "is it executable? chmod +x makes it so");
	return -code;
}

bool pipa_child_ended(struct pipa_child *child)
{
	if (child->ended || child->pid <= 0)
		return child->ended;
	if (wait4(child->pid, &child->status, WNOHANG, &child->usage) == child->pid)
		child->ended = true;
	return child->ended;
}

void pipa_child_done(struct pipa_child *child)
{
	if (child->pid <= 0)
		return;
	pipa_fd_close(child->go);
	pipa_fd_close(child->failed);
	child->go = child->failed = -1;
	if (!child->ended) {
		kill(child->pid, SIGKILL);
		while (wait4(child->pid, &child->status, 0, &child->usage) < 0 && errno == EINTR)
			;
	}
	sigaction(SIGCHLD, &child->chld, NULL);
	child->pid = 0;
}
