/*
 * Something to measure around: `workload spin N` computes, `workload pass N` hands a byte to and fro between
 * two processes, each of which sleeps meanwhile. Writes the milliseconds it took itself to the file that
 * WORKLOAD_MS names, whoever else was started and ended beside it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void spin(long n)
{
	volatile uint64_t state = 88172645463325252u;
	long i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < 1000; k++)
			state ^= state << 13 ^ state >> 7;
}

static int echo_back(int from, int to, long n)
{
	char byte;

	while (n-- > 0)
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			return 1;
	return 0;
}

static int pass(long n)
{
	int there[2], back[2], status = 1;
	char byte = 'x';
	pid_t pid;

	if (pipe(there) < 0 || pipe(back) < 0)
		return 1;
	pid = fork();
	if (pid == 0)
		_exit(echo_back(there[0], back[1], n));
	while (n-- > 0)
		if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1)
			return 1;
	waitpid(pid, &status, 0);
	return status != 0;
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[2]) : 0;
	const char *path = getenv("WORKLOAD_MS");
	double start = now_ms();
	int rc = 0;
	FILE *file;

	if (n <= 0)
		return 2;
	if (strcmp(argv[1], "pass") == 0)
		rc = pass(n);
	else
		spin(n);
	file = path ? fopen(path, "a") : NULL;
	if (file) {
		fprintf(file, "%.3f\n", now_ms() - start);
		fclose(file);
	}
	return rc;
}
