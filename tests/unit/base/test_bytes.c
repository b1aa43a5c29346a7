#include "base/file/bytes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/file.h"
#include "lib/test.h"

enum { SIZE = 3000000, WINDOW = 256 << 10 };

static uint8_t byte_at(uint64_t offset)
{
	return (uint8_t)(offset * 2654435761u >> 13);
}

/* Create an unnamed temporary file of SIZE bytes. */
static int make_file(void)
{
	static uint8_t bytes[SIZE];
	char path[300];
	size_t i;
	int fd;

	snprintf(path, sizeof(path), "%s/bytes", pipa_test_dir());
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	for (i = 0; i < SIZE; i++)
		bytes[i] = byte_at(i);
	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, bytes, SIZE), 0);
	return fd;
}

static void check_bytes(struct pipa_window *w, uint64_t offset, size_t len)
{
	const uint8_t *got = pipa_window_get(w, offset, len);
	size_t i;

	CHECK(got != NULL);
	for (i = 0; i < len; i++)
		CHECK_EQ(got[i], byte_at(offset + i));
}

/* How often bytes were mapped and read. */
static size_t n_lent, n_given_back, n_read;
static uint64_t lent_from, lent_until; /* the last */
static struct pipa_bytes counted;

static const uint8_t *count_lent(void *ctx, uint64_t offset, size_t size)
{
	CHECK_EQ(offset % PIPA_BYTES_ALIGN, 0);
	CHECK(size <= counted.size - offset);
	n_lent++;
	lent_from = offset;
	lent_until = offset + size;
	return counted.map(ctx, offset, size);
}

static void count_given_back(void *ctx, const uint8_t *data, size_t size)
{
	n_given_back++;
	counted.unmap(ctx, data, size);
}

static const uint8_t *lend_nothing(void *ctx PIPA_UNUSED, uint64_t offset PIPA_UNUSED,
				   size_t size PIPA_UNUSED)
{
	return NULL;
}

static ssize_t count_read(void *ctx, void *buf, size_t size, uint64_t offset)
{
	n_read++;
	return counted.read(ctx, buf, size, offset);
}

static struct pipa_bytes count(int *fd)
{
	pipa_file_bytes(fd, &counted);
	CHECK(counted.map && counted.unmap);
	return (struct pipa_bytes){ .read = count_read,
				    .ctx = fd,
				    .size = counted.size,
				    .map = count_lent,
				    .unmap = count_given_back };
}

/* Can this kernel populate mappings? Linux 5.14 and later. */
static bool lends(int *fd)
{
	struct pipa_bytes bytes;
	const uint8_t *data;

	pipa_file_bytes(fd, &bytes);
	data = bytes.map(bytes.ctx, 0, 4096);
	if (data)
		bytes.unmap(bytes.ctx, data, 4096);
	return data != NULL;
}

static void look_everywhere(const struct pipa_bytes *bytes)
{
	struct pipa_window w;
	uint64_t at;

	CHECK_EQ(pipa_window_init(&w, bytes, WINDOW), 0);
	for (at = 0; at + 9000 <= SIZE; at += 8191)
		check_bytes(&w, at, 9000);
	check_bytes(&w, SIZE - 5, 5);
	check_bytes(&w, 0, 100);
	check_bytes(&w, 1234567, WINDOW / 2);
	CHECK(!pipa_window_get(&w, SIZE - 5, 6));
	check_bytes(&w, SIZE - 5, 5);
	CHECK(!pipa_window_get(&w, SIZE + 5, 1));
	CHECK(!pipa_window_get(&w, UINT64_MAX - 1, 8));
	CHECK_EQ(w.status, 0);
	pipa_window_done(&w);
}

TEST(windows_show_the_same_bytes_mapped_or_read)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file();
	struct pipa_bytes bytes;

	pipa_file_bytes(&fd, &bytes);
	look_everywhere(&bytes);
	bytes.map = lend_nothing;
	look_everywhere(&bytes);
	bytes.map = NULL;
	look_everywhere(&bytes);
}

TEST(a_file_is_mapped_in_growing_ranges_and_never_read)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file();
	struct pipa_bytes bytes = count(&fd);
	struct pipa_window w;
	uint64_t at;

	if (!lends(&fd))
		SKIP("this kernel cannot populate a mapping on demand");
	CHECK_EQ(pipa_window_init(&w, &bytes, WINDOW), 0);
	for (at = 0; at + 8 <= SIZE; at += 1000)
		check_bytes(&w, at, 8);
	CHECK_EQ(n_read, 0);
	CHECK(n_lent <= 5); /* 256 KiB, 512 KiB, 1 MiB, the rest */
	pipa_window_done(&w);
	CHECK_EQ(n_given_back, n_lent);
}

TEST(long_ranges_end_at_large_page_boundaries)
{
	enum { LARGE = 2 << 20, WHOLE = 9 * LARGE + 5000 };
	PIPA_AUTO(pipa_fd_close) int fd = make_file();
	struct pipa_bytes bytes;
	struct pipa_window w;
	size_t n_long = 0;
	uint64_t at;

	CHECK_EQ(ftruncate(fd, WHOLE), 0);
	bytes = count(&fd);
	if (!lends(&fd))
		SKIP("this kernel cannot populate a mapping on demand");
	CHECK_EQ(pipa_window_init(&w, &bytes, WINDOW), 0);
	for (at = 4000; at + 9000 <= WHOLE; at += 9000) {
		CHECK(pipa_window_get(&w, at, 9000) != NULL);
		if (lent_until - lent_from < LARGE || lent_until == WHOLE)
			continue;
		CHECK_EQ(lent_until % LARGE, 0);
		n_long++;
	}
	CHECK(n_long > 0);
	pipa_window_done(&w);
	CHECK_EQ(n_read, 0);
}

TEST(a_file_truncated_while_mapped_ends_at_its_new_size)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file();
	struct pipa_bytes bytes;
	struct pipa_window w;

	pipa_file_bytes(&fd, &bytes);
	CHECK_EQ(pipa_window_init(&w, &bytes, WINDOW), 0);
	check_bytes(&w, 0, 8);
	CHECK_EQ(ftruncate(fd, 1000000), 0);
	check_bytes(&w, 999992, 8);
	CHECK(!pipa_window_get(&w, 999992, 16));
	CHECK(!pipa_window_get(&w, 2000000, 8));
	CHECK_EQ(w.status, 0);
	pipa_window_done(&w);
}

TEST(a_window_on_a_pipe_goes_forwards)
{
	struct pipa_bytes bytes;
	struct pipa_window w;
	uint8_t some[256];
	size_t i;
	int ends[2];

	for (i = 0; i < sizeof(some); i++)
		some[i] = byte_at(i);
	CHECK_EQ(pipe(ends), 0);
	CHECK_EQ(pipa_file_write(ends[1], some, sizeof(some)), 0);
	close(ends[1]);
	pipa_file_bytes(&ends[0], &bytes);
	CHECK(!bytes.map);
	CHECK_EQ(pipa_window_init(&w, &bytes, 64), 0);
	check_bytes(&w, 0, 8);
	check_bytes(&w, 203, 20);
	CHECK(!pipa_window_get(&w, 0, 8));
	CHECK(!pipa_window_get(&w, 250, 8));
	pipa_window_done(&w);
	close(ends[0]);
}
