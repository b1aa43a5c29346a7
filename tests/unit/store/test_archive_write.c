#include "store/archive_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "codec/decompress.h"
#include "codec/tar.h"
#include "lib/test.h"

enum { LARGE = 3 << 20 };

static const char *in_dir(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", pipa_test_dir(), name);
	return path;
}

/* A file of that many bytes that are hard to pack. */
static void make_large(const char *name)
{
	PIPA_AUTO(free) char *text = malloc(LARGE + 1);
	uint32_t seed = 1;
	size_t i;

	CHECK(text);
	for (i = 0; i < LARGE; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = (char)('!' + (seed >> 24) % 90);
	}
	text[LARGE] = '\0';
	pipa_test_file(pipa_test_dir(), name, text);
}

static void put_text(struct pipa_archive_writer *w, const char *member, const char *text)
{
	struct pipa_span bytes = { (const uint8_t *)text, strlen(text) };

	CHECK_EQ(pipa_archive_put(w, member, bytes, NULL), 0);
}

static void make_archive(const char *name, enum pipa_archive_packing packing)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *w = NULL;
	char deep[201] = "./";

	memset(deep + 2, 'd', sizeof(deep) - 3);
	make_large("large");
	CHECK_EQ(pipa_outfile_open(in_dir(name), PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, packing, 6, &w, NULL), 0);
	put_text(w, "./spec_info.yaml", "---\n");
	put_text(w, "./attach_session/empty", "");
	CHECK_EQ(pipa_archive_put_file(w, "./attach_session/large", in_dir("large"), NULL), 0);
	put_text(w, deep, "deep");
	CHECK_EQ(access(in_dir(name), F_OK), -1); /* not before it is whole */
	CHECK_EQ(pipa_archive_end(w, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
}

static void check_archive(const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf packed = { 0 }, bytes = { 0 }, large = { 0 };
	struct pipa_tar_member member;
	struct pipa_tar tar;

	CHECK_EQ(pipa_file_read(in_dir(name), &packed, NULL), 0);
	CHECK_EQ(pipa_file_read(in_dir("large"), &large, NULL), 0);
	CHECK_EQ(pipa_decompress((struct pipa_span){ (const uint8_t *)packed.data, packed.len },
				 &bytes),
		 0);
	tar = (struct pipa_tar){ (unsigned char *)bytes.data,
				 (unsigned char *)bytes.data + bytes.len, false };
	CHECK(pipa_tar_next(&tar, &member));
	CHECK_STR(member.name, "./spec_info.yaml");
	CHECK(member.len == 4 && memcmp(member.bytes, "---\n", 4) == 0);
	CHECK(pipa_tar_next(&tar, &member));
	CHECK_EQ(member.len, 0);
	CHECK(pipa_tar_next(&tar, &member));
	CHECK_STR(member.name, "./attach_session/large");
	CHECK_EQ(member.len, LARGE);
	CHECK(memcmp(member.bytes, large.data, LARGE) == 0);
	CHECK(pipa_tar_next(&tar, &member));
	CHECK_EQ(strlen(member.name), 200);
	CHECK(!pipa_tar_next(&tar, &member));
	CHECK(!tar.damaged);
}

TEST(archives_contain_their_members_with_each_compression)
{
	make_archive("a.tar.gz", PIPA_ARCHIVE_GZIP);
	check_archive("a.tar.gz");
	make_archive("a.tar.zst", PIPA_ARCHIVE_ZSTD);
	check_archive("a.tar.zst");
}

TEST(the_same_members_make_the_same_archive)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf first = { 0 }, second = { 0 };

	make_archive("a.tar.gz", PIPA_ARCHIVE_GZIP);
	make_archive("b.tar.gz", PIPA_ARCHIVE_GZIP);
	CHECK_EQ(pipa_file_read(in_dir("a.tar.gz"), &first, NULL), 0);
	CHECK_EQ(pipa_file_read(in_dir("b.tar.gz"), &second, NULL), 0);
	CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
}

TEST(gnu_tar_lists_and_extracts_written_archives)
{
	char command[4 * PATH_MAX];

	if (system("tar --version 2>/dev/null | grep -q GNU && command -v gzip >/dev/null") != 0)
		SKIP("needs GNU tar and gzip");
	make_archive("a.tar.gz", PIPA_ARCHIVE_GZIP);
	snprintf(command, sizeof(command),
		 "cd %s && mkdir x && gzip -t a.tar.gz && tar -tzf a.tar.gz 2>&1 | head -3 >list &&"
		 " printf '%%s\\n' ./spec_info.yaml ./attach_session/empty ./attach_session/large |"
		 " cmp - list && tar -xzf a.tar.gz -C x 2>said && ! [ -s said ] &&"
		 " cmp large x/attach_session/large && [ $(cat x/ddd*) = deep ]",
		 pipa_test_dir());
	CHECK_EQ(system(command), 0);
}

/* The names in an archive, each on a line. */
static const char *members(const char *name)
{
	static char text[1024];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf packed = { 0 }, bytes = { 0 };
	struct pipa_tar_member member;
	struct pipa_tar tar;
	size_t len = 0;

	CHECK_EQ(pipa_file_read(in_dir(name), &packed, NULL), 0);
	CHECK_EQ(pipa_decompress((struct pipa_span){ (const uint8_t *)packed.data, packed.len },
				 &bytes),
		 0);
	tar = (struct pipa_tar){ (unsigned char *)bytes.data,
				 (unsigned char *)bytes.data + bytes.len, false };
	while (pipa_tar_next(&tar, &member))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", member.name);
	CHECK(!tar.damaged && len < sizeof(text));
	return text;
}

TEST(a_directory_is_archived_in_the_order_of_names)
{
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *w = NULL;
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct pipa_error err;

	pipa_test_file(pipa_test_dir(), "work/spec_info.yaml", "---\n");
	pipa_test_file(pipa_test_dir(), "work/attach_session/sar_cpu.csv", "c");
	pipa_test_file(pipa_test_dir(), "work/attach_session/perf.data", "p");
	pipa_test_file(pipa_test_dir(), "work/.hidden", "h");
	pipa_test_file(pipa_test_dir(), "work/1/2/3/4/5/6/7/shown", "8");
	pipa_test_file(pipa_test_dir(), "work/1/2/3/4/5/6/7/8/deep", "9");
	CHECK_EQ(mkfifo(in_dir("work/fifo"), 0600), 0);
	CHECK_EQ(symlink("/etc/passwd", in_dir("work/link")), 0);
	CHECK_EQ(pipa_outfile_open(in_dir("a.tar.gz"), PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, PIPA_ARCHIVE_GZIP, 6, &w, NULL), 0);
	CHECK_EQ(pipa_archive_put_directory(w, in_dir("work"), NULL), 0);
	CHECK_EQ(pipa_archive_put_directory(w, in_dir("none"), &err), -ENOENT);
	CHECK_HAS(err.what, "none");
	CHECK_EQ(pipa_archive_end(w, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	CHECK_STR(members("a.tar.gz"), "./.hidden\n./1/2/3/4/5/6/7/shown\n"
				       "./attach_session/perf.data\n"
				       "./attach_session/sar_cpu.csv\n./spec_info.yaml\n");
}

TEST(an_archive_that_is_given_up_leaves_no_trace)
{
	struct pipa_archive_writer *w;
	struct pipa_outfile *out;

	CHECK_EQ(pipa_outfile_open(in_dir("a.tar.gz"), PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, PIPA_ARCHIVE_GZIP, 6, &w, NULL), 0);
	put_text(w, "./a", "b");
	pipa_archive_writer_free(w);
	pipa_outfile_free(out);
	CHECK_EQ(rmdir(pipa_test_dir()), 0); /* it is empty */
}

static ssize_t read_nothing(void *ctx PIPA_UNUSED, void *buf PIPA_UNUSED, size_t size PIPA_UNUSED,
			    uint64_t offset PIPA_UNUSED)
{
	return 0;
}

TEST(members_that_cannot_be_archived_are_named)
{
	const struct pipa_bytes shorter = { .read = read_nothing, .size = 10 };
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *w = NULL;
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	struct pipa_error err;

	CHECK_EQ(pipa_outfile_open(in_dir("a.tar.gz"), PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, PIPA_ARCHIVE_GZIP, 6, &w, NULL), 0);
	CHECK_EQ(pipa_archive_put_file(w, "./a", in_dir("nothing"), &err), -ENOENT);
	CHECK_HAS(err.what, "nothing");
	CHECK_EQ(pipa_archive_put_file(w, "./a", "/dev/null", &err), -EINVAL);
	CHECK_STR(err.what, "/dev/null is not a regular file");
	CHECK_EQ(pipa_archive_put_bytes(w, "./a", &shorter, "the recording", &err), -EIO);
	CHECK_STR(err.what, "the recording became shorter while it was read");
}
