/*
 * deaf SIGNAL...: report the signals that come and go on; only SIGKILL ends it, and an alarm after
 * a minute, so that a failed test leaves no process. It prints "ready" when they are caught, "got
 * N" when signal N has come.
 */
#include <signal.h>

#include "work.h"

int main(int argc, char **argv)
{
	sigset_t set;
	int i, sig;

	alarm(60);
	sigemptyset(&set);
	for (i = 1; i < argc; i++)
		sigaddset(&set, (int)work_number(argv[i]));
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("ready");
	fflush(stdout);
	for (;;) {
		if (sigwait(&set, &sig) != 0)
			return 1;
		printf("got %d\n", sig);
		fflush(stdout);
	}
}
