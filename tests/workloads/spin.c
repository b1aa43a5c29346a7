/* spin MS: keep one CPU busy for so many milliseconds of its time. */
#include <time.h>

#include "work.h"

static unsigned long long cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (unsigned long long)now.tv_sec * 1000000000 + (unsigned long long)now.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long long end;
	unsigned long ms;

	if (argc != 2)
		return 2;
	ms = work_number(argv[1]);
	end = cpu_ns() + ms * 1000000ull; /* time spent before exec is not ours */
	while (cpu_ns() < end)
		;
	return 0;
}
