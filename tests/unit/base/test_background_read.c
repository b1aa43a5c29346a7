#include "base/thread/background_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file/file.h"
#include "lib/test.h"

TEST(background_read_returns_the_contents_of_the_file)
{
	struct pipa_background_read *ahead = pipa_background_read_start("/proc/cpuinfo");
	struct pipa_buf got = { 0 };

	CHECK(ahead);
	CHECK_EQ(pipa_background_read_take(ahead, &got), 0);
	CHECK_HAS(pipa_buf_str(&got), "processor");
	pipa_buf_done(&got);
	pipa_background_read_free(ahead);
}

TEST(an_open_file_is_read_ahead_and_closed)
{
	int fd = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
	struct pipa_background_read *ahead = pipa_background_read_start_fd(fd);
	struct pipa_buf got = { 0 };

	CHECK(ahead);
	CHECK_EQ(pipa_background_read_take(ahead, &got), 0);
	CHECK_HAS(pipa_buf_str(&got), "processor");
	CHECK_EQ(fcntl(fd, F_GETFD), -1);
	pipa_buf_done(&got);
	pipa_background_read_free(ahead);
}

TEST(a_missing_file_is_reported_when_the_read_is_taken)
{
	struct pipa_background_read *ahead = pipa_background_read_start("/nowhere/at/all");
	struct pipa_buf got = { 0 };

	CHECK(ahead);
	CHECK_EQ(pipa_background_read_take(ahead, &got), -ENOENT);
	CHECK_EQ(got.len, 0);
	pipa_background_read_free(ahead);
}

TEST(reading_without_end_is_given_up)
{
	pipa_background_read_free(pipa_background_read_start("/dev/zero"));
	pipa_background_read_free(NULL);
}
