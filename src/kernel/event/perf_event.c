#include "kernel/event/perf_event.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/auto.h"

static int live_open(void *ctx PIPA_UNUSED, struct perf_event_attr *attr, pid_t pid, int cpu,
		     int group_fd, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			  flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static ssize_t live_read(void *ctx PIPA_UNUSED, int fd, void *buf, size_t size)
{
	ssize_t n = read(fd, buf, size);

	return n < 0 ? -errno : n;
}

static int live_ioctl(void *ctx PIPA_UNUSED, int fd, unsigned long request, unsigned long arg)
{
	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

static void live_close(void *ctx PIPA_UNUSED, int fd)
{
	close(fd);
}

static void *live_map(void *ctx PIPA_UNUSED, int fd, size_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return base == MAP_FAILED ? NULL : base;
}

static void live_unmap(void *ctx PIPA_UNUSED, void *base, size_t size)
{
	munmap(base, size);
}

static const struct pipa_perf_ops live_ops = {
	.open = live_open,
	.read = live_read,
	.ioctl = live_ioctl,
	.close = live_close,
	.map = live_map,
	.unmap = live_unmap,
};

const struct pipa_perf pipa_perf_live = { .ops = &live_ops };
