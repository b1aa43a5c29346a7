#include "kernel/machine/reread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"

static int open_file(const char *text)
{
	char path[PATH_MAX];
	int fd;

	pipa_test_file(pipa_test_dir(), "file", text);
	snprintf(path, sizeof(path), "%s/file", pipa_test_dir());
	fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	return fd;
}

static char *letters(size_t len)
{
	char *text = malloc(len + 1);
	size_t i;

	CHECK(text);
	for (i = 0; i < len; i++)
		text[i] = (char)('a' + i % 23);
	text[len] = '\0';
	return text;
}

static void check_same(const struct pipa_reread *kept, const char *text)
{
	CHECK_EQ(kept->len, strlen(text));
	CHECK(memcmp(kept->data, text, kept->len) == 0);
}

TEST(a_file_is_read_again_from_its_start)
{
	struct pipa_reread kept;

	pipa_reread_open(&kept, open_file("first\n"), 64);
	CHECK_EQ(pipa_reread_read(&kept), 6);
	check_same(&kept, "first\n");
	pipa_test_file(pipa_test_dir(), "file", "the second\n");
	CHECK_EQ(pipa_reread_read(&kept), 11);
	check_same(&kept, "the second\n");
	pipa_test_file(pipa_test_dir(), "file", "3\n");
	CHECK_EQ(pipa_reread_read(&kept), 2);
	check_same(&kept, "3\n");
	pipa_reread_close(&kept);
	CHECK_EQ(kept.fd, -1);
}

TEST(an_empty_file_has_no_bytes)
{
	struct pipa_reread kept;

	pipa_reread_open(&kept, open_file(""), 16);
	CHECK_EQ(pipa_reread_read(&kept), 0);
	CHECK_EQ(kept.len, 0);
	pipa_reread_close(&kept);
}

TEST(the_buffer_grows_to_fit_and_then_stays)
{
	char *text = letters(1000), *data;
	struct pipa_reread kept;

	pipa_reread_open(&kept, open_file(text), 16);
	CHECK_EQ(pipa_reread_read(&kept), 1000);
	check_same(&kept, text);
	CHECK_EQ(kept.cap, 1024);
	data = kept.data;
	CHECK_EQ(pipa_reread_read(&kept), 1000);
	CHECK(kept.data == data && kept.cap == 1024);
	pipa_reread_close(&kept);
	free(text);
}

TEST(files_of_every_length_around_a_page_are_whole)
{
	static const size_t lengths[] = { 1,	3071, 3072, 3073, 3074, 4095, 4096,
					  4097, 7168, 7169, 8191, 8192, 8193, 20480 };
	static const size_t sizes[] = { 1, 128, 4096, 8192, 16384 };
	size_t i, k;

	for (i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
			char *text = letters(lengths[i]);
			struct pipa_reread kept;

			pipa_reread_open(&kept, open_file(text), sizes[k]);
			CHECK_EQ(pipa_reread_read(&kept), lengths[i]);
			check_same(&kept, text);
			pipa_reread_close(&kept);
			free(text);
		}
}

TEST(a_file_of_the_kernel_that_spans_pages_is_whole)
{
	static char expected[1 << 16]; /* not on the stack, which is a line of the file */
	struct pipa_reread kept;
	FILE *file = fopen("/proc/self/maps", "re");
	size_t n, lines = 0, i;

	if (!file)
		SKIP("no /proc/self/maps");
	n = fread(expected, 1, sizeof(expected), file);
	fclose(file);
	pipa_reread_open(&kept, open("/proc/self/maps", O_RDONLY | O_CLOEXEC), 1 << 16);
	CHECK(pipa_reread_read(&kept) > 0);
	/* the heap may have moved meanwhile: the last line is what counts */
	for (i = 0; i < kept.len; i++)
		lines += kept.data[i] == '\n';
	CHECK(lines > 1 && kept.data[kept.len - 1] == '\n');
	CHECK(n > 64 && kept.len > 64);
	CHECK(memcmp(expected + n - 64, kept.data + kept.len - 64, 64) == 0);
	pipa_reread_close(&kept);
}

TEST(reading_a_file_that_is_not_open_returns_ebadf)
{
	struct pipa_reread kept;

	pipa_reread_open(&kept, -1, 64);
	CHECK_EQ(pipa_reread_read(&kept), -EBADF);
	pipa_reread_close(&kept);
	CHECK_EQ(pipa_reread_read(&kept), -ENOMEM);
}

TEST(a_directory_cannot_be_read)
{
	struct pipa_reread kept;

	pipa_reread_open(&kept, open(pipa_test_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC), 64);
	CHECK_EQ(pipa_reread_read(&kept), -EISDIR);
	pipa_reread_close(&kept);
}
