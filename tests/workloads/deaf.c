/*
 * deaf SIGNAL...: count those that come and go on, for good: only SIGKILL ends it. "ready" on
 * standard output tells that they are caught, "got N" that number N has come.
 */
#include <signal.h>

#include "work.h"

int main(int argc, char **argv)
{
	sigset_t set;
	int i, sig;

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
