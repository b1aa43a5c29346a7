/*
 * sleepers N: N processes that do nothing until standard input ends. Says "ready" when they are there.
 * A process each, not threads: what is measured is reading the numbers of many processes.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc == 2 ? strtol(argv[1], NULL, 10) : -1;
	char byte;

	if (n < 0)
		return 2;
	for (; n; n--) {
		pid_t child = fork();

		if (child < 0) {
			perror("sleepers: fork");
			return 1;
		}
		if (child == 0) {
			close(STDIN_FILENO);
			close(STDOUT_FILENO);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (;;)
				pause();
		}
	}
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
