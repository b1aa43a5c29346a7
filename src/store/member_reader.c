#include "store/member_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/archive.h"

void pipa_member_reader_close(struct pipa_member_reader *r)
{
	if (r->is_own && r->fd >= 0)
		close(r->fd);
	*r = (struct pipa_member_reader){ .fd = -1 };
}

int pipa_member_reader_open_path(struct pipa_member_reader *r, const char *path)
{
	struct stat st;
	int rc;

	*r = (struct pipa_member_reader){ .fd = -1 };
	/* O_NONBLOCK: a FIFO without a writer must not block */
	r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (r->fd < 0)
		return -errno;
	r->is_own = true;
	rc = fstat(r->fd, &st) < 0 ? -errno :
	     S_ISDIR(st.st_mode)   ? -EISDIR :
	     !S_ISREG(st.st_mode)  ? -EINVAL :
				     0;
	r->left = rc ? 0 : (uint64_t)st.st_size;
	return rc;
}

int pipa_member_reader_open(struct pipa_member_reader *r, const struct pipa_archive *archive,
			    const struct pipa_archive_member *member)
{
	struct pipa_span whole = pipa_archive_bytes(archive);

	*r = (struct pipa_member_reader){ .fd = -1 };
	if (member && member->path)
		return pipa_member_reader_open_path(r, member->path);
	r->fd = pipa_archive_fd(archive);
	r->offset = member ? (uint64_t)(member->bytes.data - whole.data) : 0;
	r->left = member ? member->bytes.size : whole.size;
	return r->fd < 0 ? -EBADF : 0;
}

ssize_t pipa_member_reader_fill(struct pipa_member_reader *r, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size && r->left) {
		size_t wanted = size - done < r->left ? size - done : (size_t)r->left;
		ssize_t n = pread(r->fd, (char *)buf + done, wanted, (off_t)r->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n) /* the file has become shorter */
			r->left = 0;
		done += (size_t)n;
		r->offset += (uint64_t)n;
		r->left -= r->left ? (uint64_t)n : 0;
	}
	return (ssize_t)done;
}
