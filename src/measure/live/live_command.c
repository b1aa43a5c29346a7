#include "measure/live/live_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/interrupt.h"

enum { STEP_MS = 10, GRACE_MS = 2000 };

int pipa_live_command_hold(char **command, const sigset_t *mask, struct pipa_child *ret,
			   struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	const int streams[3] = { nowhere, nowhere, nowhere };
	sigset_t ours;

	if (nowhere < 0)
		return pipa_fail(err, -errno, "open /dev/null");
	sigprocmask(SIG_BLOCK, NULL, &ours);
	pipa_child_adopt_orphans();
	return pipa_child_start(command, mask ? mask : &ours, streams, ret, err);
}

int pipa_live_command_status(const struct pipa_child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}

void pipa_live_command_end(struct pipa_child *child)
{
	sigset_t old;
	int waited;

	if (child->pid <= 0)
		return;
	if (!pipa_child_ended(child)) {
		pipa_child_signal_all(SIGTERM);
		pipa_child_signal_all(SIGCONT); /* or a stopped one would not notice */
	}
	pipa_interrupt_enter_wait(&old);
	for (waited = 0; !pipa_child_ended(child) && waited < GRACE_MS; waited += STEP_MS) {
		poll(NULL, 0, STEP_MS);
		if (pipa_interrupt_count() > 1)
			break;
	}
	pipa_interrupt_leave(&old);
	if (!child->ended)
		pipa_child_signal_all(SIGKILL);
	pipa_child_done(child);
}
