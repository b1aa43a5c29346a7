/* yield N: parent and child hand a byte to and fro N times: at least 2 x N context switches. */
#include <sys/wait.h>

#include "work.h"

/* Take N bytes from one pipe, answering each on the other. */
static void answer(int from, int to, unsigned long n)
{
	char byte;

	while (n--)
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			_exit(1);
}

int main(int argc, char **argv)
{
	int there[2], back[2], status;
	unsigned long n;
	pid_t pid;

	if (argc != 2)
		return 2;
	n = work_number(argv[1]);
	if (pipe(there) < 0 || pipe(back) < 0)
		work_fail("pipe");
	pid = fork();
	if (pid < 0)
		work_fail("fork");
	if (pid == 0) {
		answer(there[0], back[1], n);
		_exit(0);
	}
	while (n--) {
		char byte = 0;

		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			work_fail("the child");
	}
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}
