#include "measure/live/live_command.h"

#include <poll.h>
#include <sys/wait.h>

#include "base/interrupt.h"

enum { STEP_MS = 10, GRACE_MS = 2000 };

int pipa_live_command_status(const struct pipa_child *child)
{
	return WIFSIGNALED(child->status) ? 128 + WTERMSIG(child->status) :
					    WEXITSTATUS(child->status);
}

void pipa_live_command_end(struct pipa_child *child, bool adopted)
{
	sigset_t old;
	int waited;

	if (child->pid <= 0)
		return;
	if (!pipa_child_ended(child)) {
		pipa_child_signal_all(child, adopted, SIGTERM);
		pipa_child_signal_all(child, adopted,
				      SIGCONT); /* so that a stopped process handles SIGTERM */
	}
	pipa_interrupt_enter_wait(&old);
	for (waited = 0; !pipa_child_ended(child) && waited < GRACE_MS; waited += STEP_MS) {
		poll(NULL, 0, STEP_MS);
		if (pipa_interrupt_count() > 1)
			break;
	}
	pipa_interrupt_leave(&old);
	if (!child->ended)
		pipa_child_signal_all(child, adopted, SIGKILL);
	pipa_child_done(child);
}
