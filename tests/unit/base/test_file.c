#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

TEST(a_file_is_appended_whole)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	char path[300];

	pipa_test_file(pipa_test_dir(), "a", "one\ntwo\n");
	snprintf(path, sizeof(path), "%s/a", pipa_test_dir());
	pipa_buf_puts(&text, "zero\n");
	CHECK_EQ(pipa_file_read(path, &text, NULL), 0);
	CHECK_STR(pipa_buf_str(&text), "zero\none\ntwo\n");
}

TEST(a_file_past_the_ceiling_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1000 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_file_read("/dev/zero", &text, &err), -EFBIG);
	CHECK_HAS(err.what, "read /dev/zero: File too large");
}

TEST(a_file_that_is_not_there_is_named)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_file_read("/nowhere/at/all", &text, &err), -ENOENT);
	CHECK_HAS(err.what, "open /nowhere/at/all");
	CHECK_EQ(pipa_file_read("/", &text, &err), -EISDIR);
	CHECK_HAS(err.what, "read /: Is a directory");
}

TEST(a_write_that_fails_is_told)
{
	PIPA_AUTO(pipa_fd_close) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (full < 0)
		SKIP("no /dev/full");
	CHECK_EQ(pipa_file_write(full, "x", 1), -ENOSPC);
	CHECK_EQ(pipa_file_write(-1, "x", 1), -EBADF);
	CHECK_EQ(pipa_file_write(-1, "", 0), 0);
}
