/* spin MS: keep one CPU busy for so many milliseconds of its time. */
#include <time.h>

#include "work.h"

int main(int argc, char **argv)
{
	struct timespec now;
	unsigned long ms;

	if (argc != 2)
		return 2;
	ms = work_number(argv[1]);
	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000 < ms);
	return 0;
}
