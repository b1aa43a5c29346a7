/*
 * relay N [DEPTH [PAUSE_US]]: two processes on one CPU pass a byte through pipes N times: at least
 * 2 x N context switches on that CPU. Each of them does so DEPTH calls deep, 200 bytes per call, so
 * that a switch has a stack of that depth. With PAUSE_US the first one sleeps after each pass.
 * Prints the CPU's number.
 */
#include <sched.h>
#include <sys/wait.h>
#include <time.h>

#include "work.h"

static unsigned long n;
static struct timespec pause_for;

static void pass(int from, int to, int first)
{
	unsigned long i;
	char byte = 0;

	for (i = 0; i < n; i++) {
		if (first && write(to, &byte, 1) != 1)
			_exit(1);
		if (read(from, &byte, 1) != 1 || (!first && write(to, &byte, 1) != 1))
			_exit(1);
		if (first && pause_for.tv_nsec)
			nanosleep(&pause_for, NULL);
	}
}

__attribute__((noinline)) static void deeper(unsigned long depth, int from, int to, int first)
{
	volatile char frame[200];

	frame[depth % sizeof(frame)] = 1;
	if (depth)
		deeper(depth - 1, from, to, first);
	else
		pass(from, to, first);
	frame[0] = 2; /* no tail call */
}

/* The first CPU that this process may run on. */
static int pin(void)
{
	cpu_set_t set;
	int cpu = 0;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		work_fail("sched_getaffinity");
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		work_fail("sched_setaffinity");
	return cpu;
}

int main(int argc, char **argv)
{
	int there[2], back[2], status;
	unsigned long depth;
	pid_t pid;

	if (argc < 2 || argc > 4)
		return 2;
	n = work_number(argv[1]);
	depth = argc > 2 ? work_number(argv[2]) : 0;
	pause_for.tv_nsec = argc > 3 ? (long)work_number(argv[3]) * 1000 : 0;
	printf("%d\n", pin());
	fflush(stdout);
	if (pipe(there) < 0 || pipe(back) < 0)
		work_fail("pipe");
	pid = fork();
	if (pid < 0)
		work_fail("fork");
	if (pid == 0) {
		deeper(depth, there[0], back[1], 0);
		_exit(0);
	}
	deeper(depth, back[0], there[1], 1);
	return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}
