#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "base/file/file_map.h"
#include "base/interrupt.h"

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

/*
 * Is a write that was interrupted, or that took only part of the bytes, to be given up? A pipe or a terminal waits
 * for its reader, which may have stopped. A regular file waits for a disk: it is given up only after a second signal,
 * and only where a signal can interrupt it at all (FUSE, NFS). It is never given up because this process
 * did not run for a second.
 */
static bool is_to_be_given_up(int fd, bool interrupted)
{
	struct stat st;

	if (!(interrupted ? pipa_interrupt_expired() : pipa_interrupt_count() > 1))
		return false;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return true;
	return interrupted && pipa_interrupt_count() > 1;
}

/*
 * Write once, where a stop signal can interrupt it. 0: nothing was written, try again. O_NONBLOCK may have
 * been set by another process that shares the open file description.
 */
static ssize_t write_once(int fd, const struct iovec *pieces, int n)
{
	struct pollfd writable = { .fd = fd, .events = POLLOUT };
	sigset_t old;
	ssize_t rc;

	pipa_interrupt_enter(&old);
	rc = n == 1 ? write(fd, pieces->iov_base, pieces->iov_len) : writev(fd, pieces, n);
	if (rc < 0 && errno == EAGAIN)
		writable.revents = poll(&writable, 1, -1) > 0;
	pipa_interrupt_leave(&old);
	if (rc > 0)
		pipa_interrupt_progress();
	if (rc >= 0)
		return rc ? rc : -EIO;
	if (writable.revents)
		return 0;
	if (errno != EINTR)
		return -errno;
	if (!is_to_be_given_up(fd, true))
		return 0;
	pipa_interrupt_give_up();
	return -PIPA_EGIVEN_UP;
}

int pipa_file_write_some(int fd, const void *bytes, size_t len, size_t *ret)
{
	*ret = 0;
	while (*ret < len) {
		const struct iovec rest = { (char *)bytes + *ret, len - *ret };
		ssize_t n = write_once(fd, &rest, 1);

		if (n < 0)
			return (int)n;
		*ret += (size_t)n;
		if (*ret < len && n > 0 && is_to_be_given_up(fd, false)) {
			pipa_interrupt_give_up();
			return -PIPA_EGIVEN_UP; /* it blocked after all that it took */
		}
	}
	return 0;
}

int pipa_file_write(int fd, const void *bytes, size_t len)
{
	size_t written;

	return pipa_file_write_some(fd, bytes, len, &written);
}

int pipa_file_write_pieces(int fd, struct iovec *pieces, size_t n)
{
	size_t wrote;
	ssize_t rc;

	for (; n && !pieces->iov_len; pieces++)
		n--;
	while (n) {
		rc = write_once(fd, pieces, (int)n);
		if (rc < 0)
			return (int)rc;
		wrote = (size_t)rc;
		for (; n && wrote >= pieces->iov_len; pieces++, n--)
			wrote -= pieces->iov_len;
		if (!n)
			break;
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
 * Map a range and read all of its pages, so that a failure to read the disk, or a file that has become shorter,
 * is an error here: later it would be a loss (base/file/file_map.h). Before Linux 5.14 that is not available.
 */
static const uint8_t *map_at(void *ctx, uint64_t offset, size_t size)
{
	int fd = *(const int *)ctx;
	struct stat st;
	const uint8_t *data;

	/* after its end a page's rest reads as zeros, and an emulated kernel only says that it has looked */
	if (fstat(fd, &st) < 0 || offset + size > (uint64_t)st.st_size)
		return NULL;
	data = pipa_file_map(fd, offset, size, MAP_SHARED);
	if (!data || madvise((void *)data, size, MADV_POPULATE_READ) == 0)
		return data;
	pipa_file_unmap(data, size);
	return NULL;
}

static void unmap(void *ctx PIPA_UNUSED, const uint8_t *data, size_t size)
{
	pipa_file_unmap(data, size);
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
