/* Which package has the symbols of a file: by a package database that is made up here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/test.h"
#include "locate/debug_package.h"

static char root[64];

static void make_dirs(const char *path)
{
	char name[256], *slash;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (slash = name + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(name, 0700);
		*slash = '/';
	}
}

static void put(const char *path, const char *text)
{
	char name[256];
	FILE *file;

	make_dirs(path);
	snprintf(name, sizeof(name), "%s%s", root, path);
	file = fopen(name, "w");
	CHECK(file);
	fputs(text, file);
	fclose(file);
}

static void begin(void)
{
	snprintf(root, sizeof(root), "/tmp/pipa-packages-XXXXXX");
	CHECK(mkdtemp(root));
}

static void end(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK_EQ(system(command), 0);
}

static const char *package(const char *path)
{
	static char name[PIPA_DEBUG_PACKAGE_MAX];
	static const uint8_t id[] = { 0xab, 0xcd, 0x01 };

	pipa_debug_package_find(root, path, id, sizeof(id), name);
	return name;
}

TEST(the_list_of_a_dpkg_package_names_its_debug_package)
{
	begin();
	put("/var/lib/dpkg/info/libssl3:amd64.list",
	    "/.\n/usr\n/usr/lib/x86_64-linux-gnu/libcrypto.so.3\n/usr/lib/x86_64-linux-gnu/libssl.so.3\n");
	put("/var/lib/dpkg/info/libc6:amd64.list", "/lib/x86_64-linux-gnu/libc.so.6\n");
	put("/var/lib/dpkg/info/bash.list", "/bin/bash");
	put("/var/lib/dpkg/info/bash.md5sums", "/usr/bin/other\n");
	CHECK_STR(package("/usr/lib/x86_64-linux-gnu/libcrypto.so.3"), "libssl3-dbgsym");
	CHECK_STR(package("/lib/x86_64-linux-gnu/libssl.so.3"), "libssl3-dbgsym");
	put("/var/lib/dpkg/info/gzip.list", "/.\n/bin\n/bin/gzip\n/usr\n");
	CHECK_STR(package("/usr/bin/gzip"), "gzip-dbgsym");
	CHECK_STR(package("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc6-dbg");
	CHECK_STR(package("/bin/bash"), "bash-dbgsym");
	CHECK_STR(package("/usr/lib/x86_64-linux-gnu/libcrypto.so"), "");
	CHECK_STR(package("/usr/bin/other"), "");
	CHECK_STR(package("relative"), "");
	end();
}

TEST(rpm_installs_the_debug_file_by_its_path)
{
	begin();
	CHECK_STR(package("/usr/lib64/libx.so"), "");
	put("/var/lib/rpm/rpmdb.sqlite", "");
	CHECK_STR(package("/usr/lib64/libx.so"), "/usr/lib/debug/.build-id/ab/cd01.debug");
	end();
}

TEST(the_server_is_that_of_the_distribution)
{
	begin();
	CHECK_STR(pipa_debug_server(root), "https://debuginfod.elfutils.org");
	put("/etc/os-release", "PRETTY_NAME=\"Debian\"\nID=debian\n");
	CHECK_STR(pipa_debug_server(root), "https://debuginfod.debian.net");
	end();
}
