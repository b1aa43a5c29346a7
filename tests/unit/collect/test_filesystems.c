#include "collect/meter/filesystems.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "handed.h"

/* A directory of the test, to be listed as a mount. */
static const char *place(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", pipa_test_dir(), name);
	mkdir(path, 0700);
	return path;
}

TEST(file_system_usage_equals_that_of_statvfs)
{
	struct statvfs s;
	double bytes;

	if (statvfs(pipa_test_dir(), &s) < 0 || !s.f_blocks)
		SKIP("the test's folder is on a file system without room of its own");
	bytes = (double)s.f_blocks * (double)s.f_frsize;
	file("proc/self/mounts", "/dev/sda1 %s ext4 rw 0 0\n", place("a"));
	start("fs");
	tick(1);
	CHECK_EQ(handed.n, 1);
	/* others may write meanwhile: within a hundredth */
	CHECK_NEAR(value("/dev/sda1", "MBfsfree") + value("/dev/sda1", "MBfsused"),
		   bytes / (1 << 20), 1e-3);
	CHECK_NEAR(value("/dev/sda1", "%fsused"),
		   100 * (1 - (double)s.f_bfree / (double)s.f_blocks), 1);
	CHECK_NEAR(value("/dev/sda1", "%ufsused"),
		   100 * (1 - (double)s.f_bavail / (double)s.f_blocks), 1);
	CHECK_NEAR(value("/dev/sda1", "Ifree") + value("/dev/sda1", "Iused"), (double)s.f_files,
		   s.f_files ? 1e6 : 0);
	CHECK(!missing(0));
	stop();
}

TEST(local_devices_are_shown_once_and_network_file_systems_are_not)
{
	file("proc/self/mounts",
	     "proc /proc proc rw 0 0\n/dev/sda1 %s ext4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\n"
	     "//server/share / cifs rw 0 0\nserver:/export / nfs4 rw 0 0\n"
	     "/etc/auto.misc / autofs rw 0 0\n/dev/sdb\\040x / xfs rw 0 0\n"
	     "/dev/gone /no/such/place ext4 rw 0 0\n/dev/null /proc proc rw 0 0\n",
	     place("a"));
	start("fs");
	tick(1);
	CHECK_EQ(handed.n, 2);
	CHECK(shown("/dev/sda1") && shown("/dev/sdb x"));
	stop();
}

TEST(a_place_with_blanks_in_its_name_is_found)
{
	char escaped[PATH_MAX];

	place("my disk");
	snprintf(escaped, sizeof(escaped), "%s/my\\040disk", pipa_test_dir());
	file("proc/self/mounts", "/dev/sda1 %s ext4 rw 0 0\n", escaped);
	start("fs");
	tick(1);
	CHECK(shown("/dev/sda1"));
	stop();
}

TEST(mounts_that_come_and_go_are_seen)
{
	file("proc/self/mounts", "/dev/sda1 %s ext4 rw 0 0\n", place("a"));
	start("fs");
	tick(1);
	CHECK_EQ(handed.n, 1);
	file("proc/self/mounts", "/dev/sda1 %s ext4 rw 0 0\n/dev/sdb1 %s ext4 rw 0 0\n", place("a"),
	     place("b"));
	tick(1);
	CHECK_EQ(handed.n, 2);
	file("proc/self/mounts", "/dev/sdb1 %s ext4 rw 0 0\n", place("b"));
	tick(1);
	CHECK_EQ(handed.n, 1);
	CHECK(shown("/dev/sdb1"));
	emit(3, true);
	CHECK_EQ(handed.n, 1);
	stop();
}

TEST(a_machine_without_mounts_reports_the_missing_path)
{
	start("fs");
	tick(1);
	CHECK_EQ(handed.n, 0);
	CHECK_STR(missing(0), "/proc/self/mounts");
	CHECK(!missing(1));
	stop();
}
