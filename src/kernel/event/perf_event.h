/*
 * Interface to perf_event_open(2): every call on an event's descriptor goes through these
 * functions, so that a test can script hybrid PMUs, multiplexing, EMFILE or missing permission.
 */
#ifndef PIPA_KERNEL_EVENT_PERF_EVENT_H
#define PIPA_KERNEL_EVENT_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/types.h>

/* All return 0, a descriptor or a length, or a negative errno. */
struct pipa_perf_ops {
	int (*open)(void *ctx, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		    unsigned long flags);
	ssize_t (*read)(void *ctx, int fd, void *buf, size_t size);
	int (*ioctl)(void *ctx, int fd, unsigned long request, unsigned long arg);
	void (*close)(void *ctx, int fd);
	/* Map the event's ring; NULL with errno set on failure. */
	void *(*map)(void *ctx, int fd, size_t size);
	void (*unmap)(void *ctx, void *base, size_t size);
};

struct pipa_perf {
	const struct pipa_perf_ops *ops;
	void *ctx;
};

extern const struct pipa_perf pipa_perf_live;

static inline int pipa_perf_open(const struct pipa_perf *perf, struct perf_event_attr *attr,
				 pid_t pid, int cpu, int group_fd, unsigned long flags)
{
	return perf->ops->open(perf->ctx, attr, pid, cpu, group_fd, flags);
}

static inline ssize_t pipa_perf_read(const struct pipa_perf *perf, int fd, void *buf, size_t size)
{
	return perf->ops->read(perf->ctx, fd, buf, size);
}

static inline int pipa_perf_ioctl(const struct pipa_perf *perf, int fd, unsigned long request,
				  unsigned long arg)
{
	return perf->ops->ioctl(perf->ctx, fd, request, arg);
}

static inline void *pipa_perf_map(const struct pipa_perf *perf, int fd, size_t size)
{
	return perf->ops->map(perf->ctx, fd, size);
}

static inline void pipa_perf_unmap(const struct pipa_perf *perf, void *base, size_t size)
{
	perf->ops->unmap(perf->ctx, base, size);
}

static inline void pipa_perf_close(const struct pipa_perf *perf, int fd)
{
	if (fd >= 0)
		perf->ops->close(perf->ctx, fd);
}

#endif
