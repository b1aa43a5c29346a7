#include "kernel/machine/root.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"

static struct pipa_root *open_root(const char *prefix)
{
	struct pipa_root *root = NULL;

	CHECK_EQ(pipa_root_open(prefix, &root, NULL), 0);
	return root;
}

TEST(invented_machine_is_read_below_its_prefix)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	char text[64];

	pipa_test_file(pipa_test_dir(), "proc/sys/kernel/ostype", "Invented\n");
	pipa_test_file(pipa_test_dir(), "sys/class/x3/name", "x three");
	pipa_test_file(pipa_test_dir(), "trace/events/enable", "0\n");
	CHECK_EQ(pipa_root_read(root, PIPA_PROC, text, sizeof(text), "sys/kernel/ostype"), 8);
	CHECK_STR(text, "Invented"); /* without its last newline */
	CHECK_EQ(pipa_root_read(root, PIPA_SYS, text, sizeof(text), "class/x%d/name", 3), 7);
	CHECK_STR(text, "x three");
	CHECK_EQ(pipa_root_read(root, PIPA_TRACE, text, sizeof(text), "events/enable"), 1);
}

TEST(running_machine_is_read_without_a_prefix)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(NULL);
	char text[64], want[64];

	snprintf(want, sizeof(want), "%d", getpid());
	CHECK(pipa_root_read(root, PIPA_PROC, text, sizeof(text), "self/stat") > 0);
	text[strcspn(text, " ")] = '\0';
	CHECK_STR(text, want);
	CHECK(pipa_root_has(root, PIPA_SYS, "devices/system/cpu"));
}

TEST(tracefs_is_found_or_its_absence_is_reported)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(NULL);
	int dir = pipa_root_dir(root, PIPA_TRACE);

	if (dir < 0)
		CHECK(dir == -EACCES || dir == -ENOENT);
	else
		CHECK(pipa_root_has(root, PIPA_TRACE, "events"));
	CHECK_EQ(pipa_root_dir(root, PIPA_TRACE), dir); /* searched once */
}

TEST(unmounted_tracefs_is_mounted_privately)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;

	/* in a mount namespace of our own, where both places are empty */
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		SKIP("no mount namespace of our own: %s", strerror(errno));
	if (mount("none", "/sys/kernel", "tmpfs", 0, NULL) < 0)
		SKIP("nothing can be mounted: %s", strerror(errno));
	root = open_root(NULL);
	if (pipa_root_dir(root, PIPA_TRACE) == -ENOENT)
		SKIP("this kernel has no tracefs, or does not let us mount it");
	CHECK(pipa_root_dir(root, PIPA_TRACE) >= 0);
	CHECK(pipa_root_has(root, PIPA_TRACE, "events"));
	CHECK_EQ(access("/sys/kernel/tracing", F_OK), -1); /* and nowhere to be seen */
}

TEST(unreadable_tracefs_is_reported_as_eacces)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(NULL);
	bool there, readable;
	int dir;

	if (geteuid() == 0)
		CHECK_EQ(seteuid(65534), 0);
	there = faccessat(AT_FDCWD, "/sys/kernel/tracing", F_OK, AT_EACCESS) == 0;
	readable = faccessat(AT_FDCWD, "/sys/kernel/tracing", R_OK, AT_EACCESS) == 0;
	dir = pipa_root_dir(root, PIPA_TRACE);
	if (getuid() == 0)
		CHECK_EQ(seteuid(0), 0);
	if (!there || readable)
		SKIP("tracefs is absent, or open to all");
	CHECK_EQ(dir, -EACCES);
}

TEST(opening_a_root_opens_nothing_yet)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root("/nowhere/at/all");
	char text[8];
	uint64_t number;
	int value;

	CHECK_EQ(pipa_root_dir(root, PIPA_PROC), -ENOENT);
	CHECK_EQ(pipa_root_dir(root, PIPA_PROC), -ENOENT);
	CHECK_EQ(pipa_root_read(root, PIPA_PROC, text, sizeof(text), "x"), -ENOENT);
	CHECK_EQ(pipa_root_read_u64(root, PIPA_SYS, &number, "x"), -ENOENT);
	CHECK_EQ(pipa_root_read_int(root, PIPA_SYS, &value, "x"), -ENOENT);
	CHECK_EQ(pipa_root_file(root, PIPA_TRACE, 0, "x"), -ENOENT);
	CHECK(!pipa_root_has(root, PIPA_TRACE, "x"));
	errno = 0;
	CHECK(!pipa_root_list(root, PIPA_SYS, "x"));
	CHECK_EQ(errno, ENOENT);
	pipa_root_close(NULL);
}

TEST(file_longer_than_its_buffer_is_truncated)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	char text[5];

	pipa_test_file(pipa_test_dir(), "sys/long", "0123456789\n");
	CHECK_EQ(pipa_root_read(root, PIPA_SYS, text, sizeof(text), "long"), 4);
	CHECK_STR(text, "0123");
}

TEST(empty_file_is_an_empty_text)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	char text[5] = "old";

	pipa_test_file(pipa_test_dir(), "sys/empty", "");
	CHECK_EQ(pipa_root_read(root, PIPA_SYS, text, sizeof(text), "empty"), 0);
	CHECK_STR(text, "");
}

TEST(numbers_are_read_whole)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	uint64_t number = 0;

	pipa_test_file(pipa_test_dir(), "sys/dec", "1234\n");
	pipa_test_file(pipa_test_dir(), "sys/hex", "0x1f\n");
	pipa_test_file(pipa_test_dir(), "sys/bad", "12 34\n");
	CHECK_EQ(pipa_root_read_u64(root, PIPA_SYS, &number, "dec"), 0);
	CHECK_EQ(number, 1234);
	CHECK_EQ(pipa_root_read_u64(root, PIPA_SYS, &number, "hex"), 0);
	CHECK_EQ(number, 31);
	CHECK_EQ(pipa_root_read_u64(root, PIPA_SYS, &number, "bad"), -EINVAL);
	CHECK_EQ(number, 31);
}

TEST(small_numbers_may_be_negative)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	int number = 0;

	pipa_test_file(pipa_test_dir(), "proc/paranoid", "-1\n");
	pipa_test_file(pipa_test_dir(), "proc/two", "2\n");
	pipa_test_file(pipa_test_dir(), "proc/big", "2147483648\n");
	pipa_test_file(pipa_test_dir(), "proc/bad", "-\n");
	CHECK_EQ(pipa_root_read_int(root, PIPA_PROC, &number, "paranoid"), 0);
	CHECK_EQ(number, -1);
	CHECK_EQ(pipa_root_read_int(root, PIPA_PROC, &number, "two"), 0);
	CHECK_EQ(number, 2);
	CHECK_EQ(pipa_root_read_int(root, PIPA_PROC, &number, "big"), -ERANGE);
	CHECK_EQ(pipa_root_read_int(root, PIPA_PROC, &number, "bad"), -EINVAL);
	CHECK_EQ(number, 2);
}

TEST(directories_can_be_walked_and_opened)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	struct dirent *entry;
	struct stat st;
	int fd, n = 0;
	DIR *dir;

	pipa_test_file(pipa_test_dir(), "sys/pmus/cpu/type", "4");
	pipa_test_file(pipa_test_dir(), "sys/pmus/power/type", "9");
	dir = pipa_root_list(root, PIPA_SYS, "%s", "pmus");
	CHECK(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	CHECK_EQ(n, 2);

	fd = pipa_root_file(root, PIPA_SYS, O_DIRECTORY, "pmus/%s", "cpu");
	CHECK(fd >= 0);
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK(S_ISDIR(st.st_mode));
	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC); /* the user's command shall not have it */
	close(fd);
	CHECK_EQ(pipa_root_file(root, PIPA_SYS, O_DIRECTORY, "pmus/cpu/type"), -ENOTDIR);
	CHECK_EQ(pipa_root_read(root, PIPA_SYS, (char[8]){ 0 }, 8, "pmus"), -EISDIR);
}

TEST(path_past_the_systems_limit_is_refused)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = open_root(pipa_test_dir());
	char longest[5000], text[8];

	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	pipa_test_file(pipa_test_dir(), "sys/x", "");
	CHECK_EQ(pipa_root_read(root, PIPA_SYS, text, sizeof(text), "%s", longest), -ENAMETOOLONG);
	CHECK(!pipa_root_has(root, PIPA_SYS, "%s", longest));
}
