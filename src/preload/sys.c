#include "preload/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

void *pipa_sys_memory(size_t size)
{
	long at = PIPA_SYS(mmap, 0, size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at < 0 && at > -PIPA_SYS_ERRORS)
		return NULL;
	/*
	 * Set two flags that are rare together: the kernel does not merge the mapping with one of the program,
	 * and the search for leaks recognizes it in /proc/PID/smaps and leaves it out.
	 */
	PIPA_SYS3(madvise, at, size, MADV_DONTDUMP);
	PIPA_SYS3(madvise, at, size, MADV_RANDOM);
	/* a name for readers of /proc/PID/maps; Linux 5.17 with CONFIG_ANON_VMA_NAME */
	PIPA_SYS(prctl, PR_SET_VMA, PR_SET_VMA_ANON_NAME, at, size, "pipa-heap", 0);
	return (void *)at; // NOLINT
}

int pipa_sys_open(const char *path)
{
	return (int)PIPA_SYS4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
}

long pipa_sys_read(int fd, void *to, size_t size)
{
	long got;

	do
		got = PIPA_SYS3(read, fd, to, size);
	while (got == -EINTR);
	return got;
}

void pipa_sys_close(int fd)
{
	PIPA_SYS1(close, fd);
}

long pipa_sys_read_file(const char *path, void *to, size_t size)
{
	int fd = pipa_sys_open(path);
	size_t at = 0;
	long got = 0;

	if (fd < 0)
		return fd;
	while (at < size) {
		got = pipa_sys_read(fd, (char *)to + at, size - at);
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	pipa_sys_close(fd);
	return got < 0 ? got : (long)at;
}

uint32_t pipa_sys_tid(void)
{
	return (uint32_t)PIPA_SYS0(gettid);
}

uint32_t pipa_sys_pid(void)
{
	return (uint32_t)PIPA_SYS0(getpid);
}

void pipa_sys_pause(void)
{
	struct timespec pause = { .tv_nsec = 100000 };

	PIPA_SYS2(nanosleep, &pause, NULL);
}

uint64_t pipa_sys_clock(int clock)
{
	struct timespec ts = { 0 };

	PIPA_SYS2(clock_gettime, clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}
