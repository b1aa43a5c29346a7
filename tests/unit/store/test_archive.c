#include "store/archive.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/file/outfile.h"
#include "lib/test.h"
#include "store/archive_write.h"
#include "store/input.h"
#include "store/tar_index.h"

static const char *in_dir(const char *name)
{
	static char paths[4][PATH_MAX];
	static int turn;
	char *path = paths[turn++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", pipa_test_dir(), name);
	return path;
}

/* Append a member in the format of 1988; `size` is what its header claims. */
static void add_claiming(struct pipa_buf *tar, const char *name, const char *text, size_t size)
{
	unsigned char block[512] = { 0 };
	size_t i, len = strlen(text);
	unsigned int sum = 0;

	snprintf((char *)block, 100, "%s", name);
	snprintf((char *)block + 124, 12, "%011zo", size);
	block[156] = '0';
	memset(block + 148, ' ', 8);
	for (i = 0; i < sizeof(block); i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
	pipa_buf_add(tar, block, sizeof(block));
	pipa_buf_add(tar, text, len);
	pipa_buf_fill(tar, '\0', (512 - len % 512) % 512);
}

static void add(struct pipa_buf *tar, const char *name, const char *text)
{
	add_claiming(tar, name, text, strlen(text));
}

static const char *write_file(const char *name, const struct pipa_buf *bytes, size_t len)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	const char *path = in_dir(name);

	CHECK_EQ(pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_outfile_put(out, bytes->data, len, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	return path;
}

static void put_text(struct pipa_archive_writer *w, const char *member, const char *text)
{
	CHECK_EQ(pipa_archive_put(w, member,
				  (struct pipa_span){ (const uint8_t *)text, strlen(text) }, NULL),
		 0);
}

/* A measurement as pipa collect archives it. */
static const char *write_compressed(const char *name, enum pipa_archive_packing packing)
{
	PIPA_AUTO(pipa_outfile_free) struct pipa_outfile *out = NULL;
	PIPA_AUTO(pipa_archive_writer_free) struct pipa_archive_writer *w = NULL;
	const char *path = in_dir(name);

	CHECK_EQ(pipa_outfile_open(path, PIPA_OUTFILE_REPLACE, &out, NULL), 0);
	CHECK_EQ(pipa_archive_writer_new(out, packing, 6, &w, NULL), 0);
	put_text(w, "./spec_info.yaml", "---\n");
	put_text(w, "./attach_session/sar.txt", "Linux\n");
	put_text(w, "./attach_session/perf.data", "PERFILE2");
	CHECK_EQ(pipa_archive_end(w, NULL), 0);
	CHECK_EQ(pipa_outfile_commit(out, NULL), 0);
	return path;
}

static struct pipa_archive *opened(const char *path, enum pipa_archive_kind kind)
{
	struct pipa_archive *a = NULL;
	struct pipa_error err = { 0 };

	if (pipa_archive_open(path, &a, &err) < 0)
		pipa_test_fail(__FILE__, __LINE__, "%s", err.what);
	CHECK_EQ(pipa_archive_kind(a), kind);
	CHECK_STR(pipa_archive_path(a), path);
	return a;
}

/* The text of the first member of that name; "none" without one. */
static const char *text_of(const struct pipa_archive *a, const char *name)
{
	static struct pipa_buf text;
	int rc;

	pipa_buf_reset(&text);
	rc = pipa_archive_read(a, name, &text, NULL);
	CHECK(rc == 0 || rc == -ENOENT);
	return rc ? "none" : pipa_buf_str(&text);
}

TEST(files_of_a_directory_are_found_before_those_of_its_session)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	const struct pipa_archive_member *member;
	size_t at = 0;

	pipa_test_file(pipa_test_dir(), "m/attach_session/sar.txt", "of the session");
	pipa_test_file(pipa_test_dir(), "m/attach_session/stdout.txt", "out");
	pipa_test_file(pipa_test_dir(), "m/sar.txt", "own");
	pipa_test_file(pipa_test_dir(), "m/other/perf-stat.csv", "too deep");
	pipa_test_file(pipa_test_dir(), "m/.hidden", "hidden");
	a = opened(in_dir("m"), PIPA_ARCHIVE_DIRECTORY);
	CHECK_STR(text_of(a, "sar.txt"), "own");
	CHECK_STR(text_of(a, "stdout.txt"), "out");
	CHECK_STR(text_of(a, "perf-stat.csv"), "none");
	CHECK_STR(text_of(a, ".hidden"), "none");
	member = pipa_archive_find(a, "sar.txt", &at);
	CHECK_STR(member->name, "sar.txt");
	CHECK_STR(member->path, in_dir("m/sar.txt"));
	member = pipa_archive_find(a, "sar.txt", &at);
	CHECK_STR(member->name, "attach_session/sar.txt");
	CHECK(!pipa_archive_find(a, "sar.txt", &at));
	CHECK(!pipa_archive_is_truncated(a));
}

TEST(a_recording_that_is_a_directory_is_a_member)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	size_t at = 0;

	pipa_test_file(pipa_test_dir(), "m/perf.data/data", "PERFILE2");
	a = opened(in_dir("m"), PIPA_ARCHIVE_DIRECTORY);
	CHECK(pipa_archive_find(a, "perf.data", &at));
}

static void check_measurement(const char *path)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = opened(path, PIPA_ARCHIVE_TAR);
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	char bytes[16] = "";
	size_t i;

	for (i = 0; pipa_archive_member(a, i); i++)
		CHECK(!pipa_archive_member(a, i)->path);
	CHECK_EQ(i, 3);
	CHECK_STR(pipa_archive_member(a, 1)->name, "./attach_session/sar.txt");
	CHECK_STR(text_of(a, "spec_info.yaml"), "---\n");
	CHECK_STR(text_of(a, "sar.txt"), "Linux\n");
	CHECK_STR(text_of(a, "attach_session"), "none");
	CHECK(!pipa_archive_is_truncated(a));
	CHECK_EQ(pipa_archive_open_recording(a, &input, NULL), 0);
	CHECK_EQ(input->kind, PIPA_KIND_PERF_DATA);
	CHECK(!input->cut && input->pack);
	CHECK_EQ(input->bytes.read(input->bytes.ctx, bytes, sizeof(bytes), 0), 8);
	CHECK_STR(bytes, "PERFILE2");
}

TEST(members_of_a_tar_are_found_by_name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };

	add(&tar, "./spec_info.yaml", "---\n");
	add(&tar, "./attach_session/sar.txt", "Linux\n");
	add(&tar, "./attach_session/perf.data", "PERFILE2");
	pipa_buf_fill(&tar, '\0', 1024);
	check_measurement(write_file("a.tar", &tar, tar.len));
}

TEST(members_of_a_tar_that_gzip_compressed_are_found_by_name)
{
	check_measurement(write_compressed("a.tar.gz", PIPA_ARCHIVE_GZIP));
}

TEST(members_of_a_tar_that_zstd_compressed_are_found_by_name)
{
	check_measurement(write_compressed("a.tar.zst", PIPA_ARCHIVE_ZSTD));
}

TEST(an_archive_without_a_recording_is_a_tar_to_its_reader)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };

	add(&tar, "sar.txt", "Linux\n");
	pipa_buf_fill(&tar, '\0', 1024);
	a = opened(write_file("a.tar", &tar, tar.len), PIPA_ARCHIVE_TAR);
	CHECK_EQ(pipa_archive_open_recording(a, &input, NULL), 0);
	CHECK_EQ(input->kind, PIPA_KIND_TAR);
}

/* At every block: within a member, and between members, where only the end of the archive is missing. */
TEST(a_tar_truncated_anywhere_is_truncated_and_gives_the_members_before)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };
	size_t len;

	add(&tar, "a", "first");
	add(&tar, "b", "second");
	pipa_buf_fill(&tar, '\0', 1024);
	for (len = 512; len <= tar.len; len += 256) {
		PIPA_AUTO(pipa_archive_close)
		struct pipa_archive *a = opened(write_file("a.tar", &tar, len), PIPA_ARCHIVE_TAR);

		CHECK_EQ(pipa_archive_is_truncated(a), len < 2048 + 512);
		CHECK_STR(text_of(a, "a"), len >= 512 + 256 ? "first" : "");
		CHECK_STR(text_of(a, "b"), len >= 1536 + 256 ? "second" :
					   len >= 1536	     ? "" :
							       "none");
	}
}

TEST(a_compressed_tar_that_is_truncated_is_so_for_its_recording_too)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	const char *path = write_compressed("a.tar.gz", PIPA_ARCHIVE_GZIP);
	struct stat st;

	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(truncate(path, st.st_size - 8), 0); /* the checksum and the length */
	a = opened(path, PIPA_ARCHIVE_TAR);
	CHECK(pipa_archive_is_truncated(a));
	CHECK_STR(text_of(a, "sar.txt"), "Linux\n");
	CHECK_EQ(pipa_archive_open_recording(a, &input, NULL), 0);
	CHECK(input->cut);
}

TEST(of_two_members_with_one_name_the_first_is_read_and_both_are_found)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };
	const struct pipa_archive_member *member;
	size_t at = 0;

	add(&tar, "sar.txt", "one");
	add(&tar, "x", "between");
	add(&tar, "sar.txt", "three");
	pipa_buf_fill(&tar, '\0', 1024);
	a = opened(write_file("a.tar", &tar, tar.len), PIPA_ARCHIVE_TAR);
	CHECK_STR(text_of(a, "sar.txt"), "one");
	member = pipa_archive_find(a, "sar.txt", &at);
	CHECK_EQ(member->bytes.size, 3);
	member = pipa_archive_find(a, "sar.txt", &at);
	CHECK_EQ(member->bytes.size, 5);
	CHECK(!pipa_archive_find(a, "sar.txt", &at));
}

/* A name is only compared: it decides neither what is opened nor where anything is written. */
TEST(names_that_lead_out_of_the_archive_are_only_names)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };
	size_t at = 0;

	pipa_test_file(pipa_test_dir(), "outside", "of the machine");
	add(&tar, "../outside", "of the archive");
	add(&tar, "/etc/passwd", "not of the machine");
	add(&tar, "..", "dots");
	add(&tar, "sub/", "a slash at its end");
	pipa_buf_fill(&tar, '\0', 1024);
	a = opened(write_file("a.tar", &tar, tar.len), PIPA_ARCHIVE_TAR);
	CHECK_STR(text_of(a, "outside"), "of the archive");
	CHECK_STR(text_of(a, "passwd"), "not of the machine");
	CHECK_STR(text_of(a, "../outside"), "none");
	CHECK_STR(text_of(a, ".."), "dots");
	CHECK(!pipa_archive_find(a, "sub", &at));
}

TEST(a_size_past_the_end_gives_the_bytes_there_are)
{
	static const size_t sizes[] = { 513, 1 << 20, (size_t)1 << 32, 077777777777 };
	size_t i;

	for (i = 0; i < PIPA_COUNT(sizes); i++) {
		PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
		PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { 0 };

		add_claiming(&tar, "huge", "few", sizes[i]);
		a = opened(write_file("a.tar", &tar, tar.len), PIPA_ARCHIVE_TAR);
		CHECK(pipa_archive_is_truncated(a));
		CHECK_EQ(pipa_archive_member(a, 0)->bytes.size, 512);
		CHECK_STR(text_of(a, "huge"), "few");
	}
}

TEST(more_members_than_a_measurement_has_are_refused)
{
	enum { MANY = (1 << 17) + 1 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf tar = { .max = SIZE_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf one = { 0 };
	struct pipa_archive *a = NULL;
	struct pipa_error err = { 0 };
	size_t i;

	add(&one, "a", "");
	for (i = 0; i < MANY; i++)
		pipa_buf_add(&tar, one.data, one.len);
	CHECK_EQ(tar.status, 0);
	CHECK_EQ(pipa_archive_open(write_file("a.tar", &tar, tar.len), &a, &err), -EFBIG);
	CHECK_HAS(err.what, "more than 131072 members");
}

TEST(a_file_that_is_not_an_archive_has_bytes_and_no_members)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;
	struct pipa_span bytes;

	pipa_test_file(pipa_test_dir(), "sar.txt", "Linux 6.18.0\n");
	a = opened(in_dir("sar.txt"), PIPA_ARCHIVE_FILE);
	bytes = pipa_archive_bytes(a);
	CHECK_EQ(bytes.size, 13);
	CHECK(memcmp(bytes.data, "Linux", 5) == 0);
	CHECK(!pipa_archive_member(a, 0));
	CHECK(!pipa_archive_is_truncated(a));
	CHECK_STR(text_of(a, "sar.txt"), "none");
}

TEST(an_empty_file_has_no_bytes)
{
	PIPA_AUTO(pipa_archive_close) struct pipa_archive *a = NULL;

	pipa_test_file(pipa_test_dir(), "empty", "");
	a = opened(in_dir("empty"), PIPA_ARCHIVE_FILE);
	CHECK_EQ(pipa_archive_bytes(a).size, 0);
}

TEST(a_missing_path_is_named)
{
	struct pipa_archive *a = NULL;
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_archive_open(in_dir("nothing"), &a, &err), -ENOENT);
	CHECK_HAS(err.what, "nothing");
	CHECK(!a);
}
