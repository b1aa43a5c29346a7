/* forks C N: C children, one after the other, touch N pages each. */
#include <sys/wait.h>

#include "work.h"

int main(int argc, char **argv)
{
	unsigned long n, pages, i;
	int status;

	if (argc != 3)
		return 2;
	n = work_number(argv[1]);
	pages = work_number(argv[2]);
	for (i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			work_fail("fork");
		if (pid == 0) {
			work_touch(pages);
			_exit(0);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			work_fail("a child");
	}
	return 0;
}
