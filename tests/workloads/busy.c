/*
 * busy FILE MS: for so many milliseconds, a round every 5 ms: compute for 1 ms, touch 10 fresh pages,
 * write 16 KiB to the file from its start. Even enough that two who watch it see the same. On a busy machine it lasts
 * longer: until half of these rounds are done.
 */
#include <time.h>

#include "work.h"

static uint64_t now_us(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

static void spin_us(uint64_t us)
{
	uint64_t end = now_us(CLOCK_PROCESS_CPUTIME_ID) + us;

	while (now_us(CLOCK_PROCESS_CPUTIME_ID) < end)
		;
}

int main(int argc, char **argv)
{
	enum { PAGES = 10, BYTES = 16384 };
	static char block[BYTES];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	unsigned long rounds;
	uint64_t end;
	char *at;
	int fd;

	if (argc != 3)
		return 2;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || at == MAP_FAILED)
		work_fail(argv[1]);
	rounds = work_number(argv[2]) / 10;
	for (end = now_us(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000;
	     rounds || now_us(CLOCK_MONOTONIC) < end; usleep(4000)) {
		volatile unsigned int turns;

		if (rounds)
			rounds--;
		for (turns = 0; turns < 200000; turns++) /* only in user space */
			;
		spin_us(500);
		madvise(at, PAGES * page, MADV_DONTNEED);
		for (i = 0; i < PAGES; i++)
			at[i * page] = 1;
		if (pwrite(fd, block, sizeof(block), 0) != BYTES)
			work_fail("write");
	}
	return 0;
}
