#include "kernel/event/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/test.h"

TEST(live_calls_reach_the_kernel)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_TASK_CLOCK,
					.disabled = 1,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	uint64_t before = 1, after = 0;
	volatile int spin;
	int fd = pipa_perf_open(&pipa_perf_live, &attr, 0, -1, -1, 0);

	if (fd == -EACCES || fd == -EPERM || fd == -ENOSYS)
		SKIP("this machine does not let us count our own task-clock");
	CHECK(fd >= 0);
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC); /* the user's command shall not have it */
	CHECK_EQ(pipa_perf_read(&pipa_perf_live, fd, &before, sizeof(before)), sizeof(before));
	CHECK_EQ(before, 0);
	errno = EIO; /* left over from somewhere else */
	CHECK_EQ(pipa_perf_ioctl(&pipa_perf_live, fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	for (spin = 0; spin < 100000; spin++)
		;
	CHECK_EQ(pipa_perf_read(&pipa_perf_live, fd, &after, sizeof(after)), sizeof(after));
	CHECK(after > 0);
	pipa_perf_close(&pipa_perf_live, fd);
	CHECK_EQ(fcntl(fd, F_GETFD), -1);
}

TEST(failures_are_negative_errnos)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = 1 };
	char byte;
	int fd = pipa_perf_open(&pipa_perf_live, &attr, 0, -1, -1, 0);

	CHECK(fd == -E2BIG || fd == -ENOSYS || fd == -EACCES || fd == -EPERM);
	CHECK_EQ(pipa_perf_read(&pipa_perf_live, -1, &byte, 1), -EBADF);
	CHECK_EQ(pipa_perf_ioctl(&pipa_perf_live, -1, FIONREAD, 0), -EBADF);
}

static int n_closed;

static void note_close(void *ctx, int fd)
{
	(void)ctx;
	n_closed += fd;
}

TEST(invalid_descriptors_are_not_closed)
{
	static const struct pipa_perf_ops ops = { .close = note_close };
	const struct pipa_perf perf = { .ops = &ops };

	pipa_perf_close(&perf, -ENOENT);
	CHECK_EQ(n_closed, 0);
	pipa_perf_close(&perf, 5);
	CHECK_EQ(n_closed, 5);
}
