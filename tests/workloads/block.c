/*
 * block FIFO COMMAND...: wait until FIFO is opened for writing and closed, then become COMMAND.
 * Counters attached meanwhile count the whole command and nothing before.
 */

#include "work.h"

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	work_wait(argv[1]);
	execvp(argv[2], argv + 2);
	work_fail(argv[2]);
}
