/* touch N: map and touch N fresh pages. Two runs differ by exactly the difference of page faults. */

#include "work.h"

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	work_touch(work_number(argv[1]));
	return 0;
}
