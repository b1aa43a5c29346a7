#include "kernel/text/mounts.h"

#include <limits.h>

#include "lib/test.h"

/* The field of the mount number `index`, copied out. */
static const char *field(const char *text, int index, int which)
{
	static char copy[PATH_MAX];
	const char *pos = text, *end = text + strlen(text);
	struct pipa_mount mount;

	do
		if (!pipa_mount_next(&pos, end, &mount))
			return NULL;
	while (index--);
	CHECK(pipa_mount_copy(&mount, which, copy, sizeof(copy)));
	return copy;
}

TEST(a_mount_has_a_device_a_place_a_type_and_options)
{
	static const char text[] = "proc /proc proc rw,relatime 0 0\n"
				   "/dev/sda1 / ext4 rw,errors=remount-ro 0 0\n"
				   "/dev/sdb /last xfs ro";

	CHECK_STR(field(text, 0, PIPA_MOUNT_DEVICE), "proc");
	CHECK_STR(field(text, 1, PIPA_MOUNT_DEVICE), "/dev/sda1");
	CHECK_STR(field(text, 1, PIPA_MOUNT_PLACE), "/");
	CHECK_STR(field(text, 1, PIPA_MOUNT_TYPE), "ext4");
	CHECK_STR(field(text, 1, PIPA_MOUNT_OPTIONS), "rw,errors=remount-ro");
	CHECK_STR(field(text, 2, PIPA_MOUNT_OPTIONS), "ro");
	CHECK(!field(text, 3, PIPA_MOUNT_DEVICE));
}

TEST(malformed_lines_of_mounts_are_skipped)
{
	CHECK_STR(field("\n/dev/sda\n/dev/sdb /b\n/dev/sdc /c ext4\n  \n/dev/sdd /d ext4 rw\n", 0,
			PIPA_MOUNT_PLACE),
		  "/d");
	CHECK(!field("", 0, PIPA_MOUNT_PLACE));
}

TEST(blanks_and_backslashes_of_names_come_back)
{
	CHECK_STR(field("/dev/sda /my\\040disk\\134x\\011\\012 ext4 rw 0 0\n", 0, PIPA_MOUNT_PLACE),
		  "/my disk\\x\t\n");
	CHECK_STR(field("/dev/sda /no\\04 ext4 rw 0 0\n", 0, PIPA_MOUNT_PLACE), "/no\\04");
	CHECK_STR(field("/dev/sda /no\\480\\400 ext4 rw 0 0\n", 0, PIPA_MOUNT_PLACE),
		  "/no\\480\\400");
}

TEST(a_field_that_does_not_fit_is_truncated_and_reported)
{
	static const char text[] = "/dev/sda /abc\\040def ext4 rw 0 0\n";
	const char *pos = text;
	struct pipa_mount mount;
	char copy[9];

	CHECK(pipa_mount_next(&pos, text + sizeof(text) - 1, &mount));
	CHECK(pipa_mount_copy(&mount, PIPA_MOUNT_PLACE, copy, 9));
	CHECK_STR(copy, "/abc def");
	CHECK(!pipa_mount_copy(&mount, PIPA_MOUNT_PLACE, copy, 8));
	CHECK_STR(copy, "/abc de");
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_TYPE, "ext4"));
	CHECK(!pipa_mount_is(&mount, PIPA_MOUNT_TYPE, "ext"));
}

TEST(mountinfo_has_the_device_number_and_the_mounted_root)
{
	static const char text[] =
		"36 35 98:0 /sub /my\\040disk rw,noatime shared:1 master:2 - ext3 /dev/root rw\n"
		"37 35 98:1 / / rw - btrfs /dev/sda2\n";
	const char *pos = text, *end = text + sizeof(text) - 1;
	struct pipa_mount mount;
	char place[32];

	CHECK(pipa_mountinfo_next(&pos, end, &mount));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_NUMBER, "98:0"));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_ROOT, "/sub"));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_TYPE, "ext3"));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_DEVICE, "/dev/root"));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_OPTIONS, "rw,noatime"));
	CHECK(pipa_mount_copy(&mount, PIPA_MOUNT_PLACE, place, sizeof(place)));
	CHECK_STR(place, "/my disk");
	CHECK(pipa_mountinfo_next(&pos, end, &mount));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_DEVICE, "/dev/sda2"));
	CHECK(!pipa_mountinfo_next(&pos, end, &mount));
}

TEST(lines_of_mountinfo_without_a_dash_are_skipped)
{
	static const char text[] = "36 35 98:0 / / rw shared:1\n1 2 3:4 / / - - ext4\n"
				   "36 35  / / rw - ext4 /dev/a rw\n36 35 98:9 / / - - ext4 /dev/b";
	const char *pos = text, *end = text + sizeof(text) - 1;
	struct pipa_mount mount;

	CHECK(pipa_mountinfo_next(&pos, end, &mount));
	CHECK(pipa_mount_is(&mount, PIPA_MOUNT_NUMBER, "98:9"));
	CHECK(!pipa_mountinfo_next(&pos, end, &mount));
}
