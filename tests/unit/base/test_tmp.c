#include "base/file/tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "lib/test.h"

TEST(a_temporary_file_is_unnamed_and_closed_on_exec)
{
	PIPA_AUTO(pipa_fd_close) int fd = pipa_tmp_open();
	char text[4] = "";
	struct stat st;

	CHECK(fd >= 0);
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_EQ(st.st_mode & 0777, 0600);
	CHECK_EQ(st.st_nlink, 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_EQ(write(fd, "abc", 3), 3);
	CHECK_EQ(pread(fd, text, 3, 0), 3);
	CHECK_STR(text, "abc");
}

TEST(temporary_files_go_to_tmpdir_or_to_tmp)
{
	CHECK_EQ(setenv("TMPDIR", "/proc/version", 1), 0);
	CHECK_STR(pipa_tmp_dir(), "/proc/version");
	CHECK_EQ(pipa_tmp_open(), -ENOTDIR);
	CHECK_EQ(setenv("TMPDIR", "", 1), 0);
	CHECK_STR(pipa_tmp_dir(), "/tmp");
	CHECK_EQ(unsetenv("TMPDIR"), 0);
	CHECK_STR(pipa_tmp_dir(), "/tmp");
}
