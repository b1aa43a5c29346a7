#include "codec/tar_write.h"

#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/tar.h"
#include "lib/test.h"

static void add(struct pipa_buf *tar, const char *name, const char *text)
{
	pipa_tar_put_header(tar, name, strlen(text));
	pipa_buf_add(tar, text, strlen(text));
	pipa_tar_put_padding(tar, strlen(text));
}

static void check_member(struct pipa_tar *tar, const char *name, const char *text)
{
	struct pipa_tar_member member;

	CHECK(pipa_tar_next(tar, &member));
	CHECK_STR(member.name, name);
	CHECK_EQ(member.len, strlen(text));
	CHECK(memcmp(member.bytes, text, member.len) == 0);
}

TEST(members_are_read_back)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	struct pipa_tar_member member;
	char name[1001], text[1025];
	struct pipa_tar tar;
	size_t len;

	memset(name, 'n', sizeof(name) - 1);
	memset(text, 't', sizeof(text) - 1);
	name[1000] = text[1024] = '\0';
	add(&buf, "a", "hello");
	add(&buf, "empty", "");
	add(&buf, "two blocks", text);
	for (len = 80; len <= 110; len++) /* short ones are in the header, long ones before it */
		add(&buf, name + 1000 - len, "x");
	add(&buf, name, "y");
	pipa_tar_put_end(&buf);
	CHECK_EQ(buf.status, 0);
	CHECK_EQ(buf.len % 512, 0);
	tar = (struct pipa_tar){ (unsigned char *)buf.data, (unsigned char *)buf.data + buf.len,
				 false };
	check_member(&tar, "a", "hello");
	check_member(&tar, "empty", "");
	check_member(&tar, "two blocks", text);
	for (len = 80; len <= 110; len++)
		check_member(&tar, name + 1000 - len, "x");
	check_member(&tar, name, "y");
	CHECK(!pipa_tar_next(&tar, &member));
	CHECK(!tar.damaged);
}

TEST(a_size_beyond_octal_digits_has_the_gnu_encoding)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf buf = { 0 };
	const unsigned char *size;

	pipa_tar_put_header(&buf, "huge", UINT64_C(0x123456789a));
	CHECK(pipa_tar_is(buf.data, buf.len));
	size = (unsigned char *)buf.data + 124;
	CHECK(memcmp(size, "\x80\0\0\0\0\0\0\x12\x34\x56\x78\x9a", 12) == 0);
	pipa_buf_reset(&buf);
	pipa_tar_put_header(&buf, "large", (UINT64_C(1) << 33) - 1);
	CHECK_STR(buf.data + 124, "77777777777");
}

TEST(the_same_members_make_the_same_archive)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf one = { 0 }, other = { 0 };

	add(&one, "a", "hello");
	add(&other, "a", "hello");
	CHECK_EQ(one.len, other.len);
	CHECK(memcmp(one.data, other.data, one.len) == 0);
}
