#include "kernel/machine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "kernel/machine/root.h"
#include "lib/test.h"

#define V2 "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime 0 0\n"
#define V2_UNIFIED "cgroup2 /sys/fs/cgroup/unified cgroup2 rw,nosuid 0 0\n"
#define V1_MEMORY "cgroup /sys/fs/cgroup/memory cgroup rw,nosuid,memory 0 0\n"
#define V1_PERF "cgroup /sys/fs/cgroup/perf_event cgroup rw,nosuid,perf_event 0 0\n"
#define OTHERS "proc /proc proc rw 0 0\ntmpfs /run tmpfs rw,size=1000k 0 0\n"

static const char *mount_in(const char *mounts)
{
	static char place[PATH_MAX];

	return pipa_cgroup_mount(mounts, place, sizeof(place)) == 0 ? place : "(none)";
}

TEST(unified_hierarchy_is_used_without_v1_hierarchies)
{
	CHECK_STR(mount_in(OTHERS V2), "/sys/fs/cgroup");
	CHECK_STR(mount_in(V2 OTHERS), "/sys/fs/cgroup");
}

TEST(old_perf_event_hierarchy_goes_first)
{
	CHECK_STR(mount_in(OTHERS V2_UNIFIED V1_MEMORY V1_PERF), "/sys/fs/cgroup/perf_event");
	CHECK_STR(mount_in(V1_PERF V2_UNIFIED), "/sys/fs/cgroup/perf_event");
	CHECK_STR(mount_in("x /cg cgroup rw,cpu,perf_event,pids 0 0\n"), "/cg");
}

TEST(first_of_several_unified_mounts_is_used)
{
	CHECK_STR(mount_in(V2 V2_UNIFIED), "/sys/fs/cgroup");
}

TEST(other_hierarchies_do_not_count_events)
{
	CHECK_STR(mount_in(OTHERS V1_MEMORY), "(none)");
	CHECK_STR(mount_in("x /cg cgroup rw,name=perf_event 0 0\n"), "(none)");
	CHECK_STR(mount_in("x /cg cgroup rw,perf_events 0 0\n"), "(none)");
	CHECK_STR(mount_in("x /cg cgroup2fs rw 0 0\n"), "(none)");
	CHECK_STR(mount_in(""), "(none)");
}

TEST(malformed_lines_are_skipped)
{
	CHECK_STR(mount_in("\n\n" V2), "/sys/fs/cgroup");
	CHECK_STR(mount_in("cgroup2\ncgroup2 /x\ncgroup2 /x cgroup2\n" V2), "/sys/fs/cgroup");
	CHECK_STR(mount_in("cgroup2  /x cgroup2 rw 0 0\n" V2), "/sys/fs/cgroup");
	CHECK_STR(mount_in("cgroup2 /x cgroup2 rw"), "/x"); /* has all required fields */
}

TEST(blanks_in_the_place_are_written_as_octal_and_read_back)
{
	CHECK_STR(mount_in("c /my\\040control\\134groups cgroup2 rw 0 0\n"), "/my control\\groups");
	CHECK_STR(mount_in("c /tab\\011 cgroup2 rw 0 0\n"), "/tab\t");
	CHECK_STR(mount_in("c /\\303\\251 cgroup2 rw 0 0\n"), "/\303\251");
	CHECK_STR(mount_in("c /\\400 cgroup2 rw 0 0\n"), "/\\400"); /* more than a byte */
	CHECK_STR(mount_in("c /not\\04octal\\ cgroup2 rw 0 0\n"), "/not\\04octal\\");
}

TEST(too_long_mount_point_is_skipped)
{
	char place[15] = "untouched";

	CHECK_EQ(pipa_cgroup_mount(V2, place, 14), -ENOENT);
	CHECK_STR(place, "untouched");
	CHECK_EQ(pipa_cgroup_mount(V2, place, 15), 0);
	CHECK_STR(place, "/sys/fs/cgroup");
}

/* A machine whose unified hierarchy is mounted in the test's directory. */
static struct pipa_root *machine(void)
{
	struct pipa_root *root = NULL;
	char mounts[300];

	snprintf(mounts, sizeof(mounts), OTHERS "cgroup2 %s/cg cgroup2 rw 0 0\n", pipa_test_dir());
	pipa_test_file(pipa_test_dir(), "proc/mounts", mounts);
	pipa_test_file(pipa_test_dir(), "cg/system.slice/ssh.service/cgroup.procs", "");
	pipa_test_file(pipa_test_dir(), "cg/cgroup.procs", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	return root;
}

/* Is it that directory below the hierarchy? Closes the descriptor. */
static bool is_group(int fd, const char *name)
{
	char path[300];
	struct stat a, b;
	bool same;

	snprintf(path, sizeof(path), "%s/cg/%s", pipa_test_dir(), name);
	same = fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino;
	pipa_fd_close(fd);
	return same;
}

TEST(group_is_named_from_the_top)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();

	CHECK(is_group(pipa_cgroup_open(root, "system.slice", NULL), "system.slice"));
	CHECK(is_group(pipa_cgroup_open(root, "/system.slice/ssh.service", NULL),
		       "system.slice/ssh.service"));
	CHECK(is_group(pipa_cgroup_open(root, "/", NULL), ""));
}

TEST(group_may_be_named_by_its_full_path)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	char path[300];

	snprintf(path, sizeof(path), "%s/cg/system.slice", pipa_test_dir());
	CHECK(is_group(pipa_cgroup_open(root, path, NULL), "system.slice"));
}

TEST(group_descriptor_is_not_for_the_command)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	int fd = pipa_cgroup_open(root, "/", NULL);

	CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

TEST(group_that_does_not_exist_gets_a_hint_where_they_are)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = machine();
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_cgroup_open(root, "no.slice", &err), -ENOENT);
	CHECK_STR(err.what, "cannot open cgroup no.slice: No such file or directory");
	CHECK_HAS(err.hint, "/cg -type d");
	CHECK_EQ(pipa_cgroup_open(root, "cgroup.procs", &err), -ENOTDIR); /* not a group */
	CHECK_EQ(pipa_cgroup_open(root, "no.slice", NULL), -ENOENT);
}

TEST(machine_without_a_hierarchy_gets_a_hint_on_mounting_one)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	pipa_test_file(pipa_test_dir(), "proc/mounts", OTHERS);
	CHECK_EQ(pipa_cgroup_open(root, "/", &err), -ENOENT);
	CHECK_HAS(err.what, "no cgroup hierarchy");
	CHECK_HAS(err.hint, "mount -t cgroup2");
}

TEST(machine_without_mounts_is_an_error)
{
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_cgroup_open(root, "/", &err), -ENOENT);
	CHECK_HAS(err.what, "/proc/mounts");
}
