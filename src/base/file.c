#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

int pipa_file_read_fd(int fd, struct pipa_buf *ret)
{
	char chunk[16384];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0 && !ret->status) {
		if (n > 0)
			pipa_buf_add(ret, chunk, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return ret->status;
}

int pipa_file_read(const char *path, struct pipa_buf *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	rc = pipa_file_read_fd(fd, ret);
	return rc < 0 ? pipa_fail(err, rc, "read %s", path) : 0;
}

ssize_t pipa_file_read_into(const char *path, char *text, size_t size)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) != 0) {
		if (n > 0)
			len += (size_t)n;
		else if (errno != EINTR)
			return -errno;
	}
	text[len] = '\0';
	return (ssize_t)len;
}

int pipa_file_write(int fd, const void *bytes, size_t len)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

int pipa_file_write_pieces(int fd, struct iovec *pieces, size_t n)
{
	size_t wrote;
	ssize_t rc;

	while (n) {
		rc = writev(fd, pieces, (int)n);
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc < 0)
			return -errno;
		wrote = (size_t)rc;
		for (; n && wrote >= pieces->iov_len; pieces++, n--)
			wrote -= pieces->iov_len;
		if (!n)
			break;
		if (!rc)
			return -EIO;
		pieces->iov_base = (char *)pieces->iov_base + wrote;
		pieces->iov_len -= wrote;
	}
	return 0;
}

static ssize_t read_at(void *ctx, void *buf, size_t size, uint64_t offset)
{
	ssize_t n = pread(*(const int *)ctx, buf, size, (off_t)offset);

	return n < 0 ? -errno : n;
}

static ssize_t read_next(void *ctx, void *buf, size_t size, uint64_t offset PIPA_UNUSED)
{
	ssize_t n = read(*(const int *)ctx, buf, size);

	return n < 0 ? -errno : n;
}

/*
 * All of them are looked at once here, where a failure to read them from the disk, or a file that has become
 * shorter, is an answer: later it would be a SIGBUS. Before Linux 5.14 that cannot be asked for.
 */
static const uint8_t *map_at(void *ctx, uint64_t offset, size_t size)
{
	int fd = *(const int *)ctx;
	struct stat st;
	void *data;

	/* behind its end a page's rest reads as zeros, and an emulated kernel only says that it has looked */
	if (fstat(fd, &st) < 0 || offset + size > (uint64_t)st.st_size)
		return NULL;
	data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (data == MAP_FAILED)
		return NULL;
	if (madvise(data, size, MADV_POPULATE_READ) == 0)
		return data;
	munmap(data, size);
	return NULL;
}

static void unmap(void *ctx PIPA_UNUSED, const uint8_t *data, size_t size)
{
	munmap((void *)data, size);
}

void pipa_file_bytes(int *fd, struct pipa_bytes *ret)
{
	struct stat st;

	*ret = (struct pipa_bytes){ .read = read_next, .ctx = fd, .size = PIPA_BYTES_ENDLESS };
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode)) {
		ret->read = read_at;
		ret->map = map_at;
		ret->unmap = unmap;
		ret->size = (uint64_t)st.st_size;
	}
}
