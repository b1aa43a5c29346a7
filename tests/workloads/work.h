/* Shared by the workloads: numbers from the command line, pages to touch, a gate to wait at. */
#ifndef PIPA_TESTS_WORK_H
#define PIPA_TESTS_WORK_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noreturn)) static inline void work_fail(const char *what)
{
	fprintf(stderr, "workload: %s: %s\n", what, strerror(errno));
	exit(2);
}

static inline unsigned long work_number(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (!*text || *end) {
		errno = EINVAL;
		work_fail(text);
	}
	return n;
}

/* Map and touch n fresh pages, one fault each: a huge page would take hundreds at once. */
static inline void work_touch(unsigned long n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *at;

	if (!n)
		return;
	at = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		work_fail("mmap");
	madvise((void *)(uintptr_t)at, n * page, MADV_NOHUGEPAGE);
	for (i = 0; i < n; i++)
		at[i * page] = 1;
}

/* Wait until another process opens the fifo for writing and closes it again. */
static inline void work_wait(const char *fifo)
{
	int fd = open(fifo, O_RDONLY | O_CLOEXEC);
	char byte;

	if (fd < 0)
		work_fail(fifo);
	while (read(fd, &byte, 1) > 0)
		;
	close(fd);
}

#endif
