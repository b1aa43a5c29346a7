#include "codec/tar.h"

#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"

/* A member in the format of 1988. */
static void add(struct pipa_buf *tar, const char *name, char type, const char *text)
{
	unsigned char block[512] = { 0 };
	unsigned int sum = 0;
	size_t i, len = strlen(text);

	snprintf((char *)block, 100, "%s", name);
	snprintf((char *)block + 124, 12, "%011zo", len);
	block[156] = (unsigned char)type;
	memcpy(block + 257,
	       "ustar\0"
	       "00",
	       8);
	memset(block + 148, ' ', 8);
	for (i = 0; i < sizeof(block); i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
	pipa_buf_add(tar, block, sizeof(block));
	pipa_buf_add(tar, text, len);
	pipa_buf_fill(tar, '\0', (512 - len % 512) % 512);
}

static struct pipa_tar over(const struct pipa_buf *buf, size_t len)
{
	const unsigned char *bytes = (const unsigned char *)buf->data;

	return (struct pipa_tar){ bytes, bytes + len, false };
}

static void check_member(struct pipa_tar *tar, const char *name, const char *text)
{
	struct pipa_tar_member member;

	CHECK(pipa_tar_next(tar, &member));
	CHECK_STR(member.name, name);
	CHECK_EQ(member.len, strlen(text));
	CHECK(memcmp(member.bytes, text, member.len) == 0);
}

TEST(ordinary_files_of_an_archive_are_found_and_others_skipped)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	struct pipa_tar_member member;
	struct pipa_tar tar;

	add(&buf, "./", '5', "");
	add(&buf, "./a.csv", '0', "hello");
	add(&buf, "./link", '2', "");
	add(&buf, "./b.csv", '\0', "");
	pipa_buf_fill(&buf, '\0', 1024);
	CHECK(pipa_tar_is(buf.data, buf.len));
	tar = over(&buf, buf.len);
	check_member(&tar, "./a.csv", "hello");
	check_member(&tar, "./b.csv", "");
	CHECK(!pipa_tar_next(&tar, &member));
	CHECK(!tar.damaged);
}

TEST(long_names_of_gnu_and_posix_are_known)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	struct pipa_tar tar;

	add(&buf, "././@LongLink", 'L', "a/very/long/name");
	add(&buf, "a/ver", '0', "x");
	add(&buf, "pax", 'x', "11 mtime=1\n14 path=other\n");
	add(&buf, "oth", '0', "y");
	add(&buf, "plain", '0', "z");
	tar = over(&buf, buf.len);
	check_member(&tar, "a/very/long/name", "x");
	check_member(&tar, "other", "y");
	check_member(&tar, "plain", "z");
}

TEST(a_truncated_archive_gives_its_complete_members)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	struct pipa_tar_member member;
	size_t len, n;

	add(&buf, "a", '0', "hello");
	add(&buf, "b", '0', "world");
	pipa_buf_fill(&buf, '\0', 1024);
	for (len = 0; len <= buf.len; len++) {
		struct pipa_tar tar = over(&buf, len);

		for (n = 0; pipa_tar_next(&tar, &member); n++)
			CHECK(member.len <= 5);
		CHECK_EQ(n, (len >= 512) + (len >= 1024 + 512));
		CHECK_EQ(tar.damaged, len < 2048 + 512); /* one zero block is enough */
	}
}

TEST(a_header_with_a_wrong_checksum_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };

	add(&buf, "a", '0', "hello");
	buf.data[0] = 'b';
	CHECK(!pipa_tar_is(buf.data, buf.len));
	CHECK(!pipa_tar_is("# hostname", 10));
}

TEST(a_size_past_all_bounds_ends_the_archive)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	struct pipa_tar_member member;
	unsigned int sum = 0;
	struct pipa_tar tar;
	size_t i;

	add(&buf, "a", '0', "hello");
	memset(buf.data + 124, '\xff', 12);
	memset(buf.data + 148, ' ', 8);
	for (i = 0; i < 512; i++)
		sum += (unsigned char)buf.data[i];
	snprintf(buf.data + 148, 8, "%06o", sum);
	tar = over(&buf, buf.len);
	CHECK(!pipa_tar_next(&tar, &member));
	CHECK(tar.damaged);
}
