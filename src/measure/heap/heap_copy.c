#include "measure/heap/heap_copy.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file/file_map.h"
#include "base/vec.h"

#define SIZE_LIMIT (INT64_C(16) << 30) /* the process could have enlarged the file */

/* Read [from, to) of the file. A part that cannot be read stays zero. */
static void copy_range(int fd, uint8_t *data, off_t from, off_t to)
{
	while (from < to) {
		ssize_t n = pread(fd, data + from, (size_t)(to - from), from);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		from += n;
	}
}

int pipa_heap_copy_make(int fd, struct pipa_heap_copy *ret, struct pipa_error *err)
{
	struct pipa_heap_file_part *part;
	off_t data = 0, hole;
	struct stat st;
	uint8_t *to;

	if (fstat(fd, &st) < 0)
		return pipa_fail(err, -errno, "read a heap recording");
	if (!S_ISREG(st.st_mode) || st.st_size > SIZE_LIMIT)
		return pipa_refuse(
			err, -EBADMSG,
			"malformed heap recording: not a regular file of at most 16 GiB");
	*ret = (struct pipa_heap_copy){ 0 };
	if (!st.st_size)
		return 0;
	to = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (to == MAP_FAILED)
		return pipa_fail(err, -errno, "copy a heap recording");
	ret->file.bytes = (struct pipa_span){ to, (size_t)st.st_size };
	for (; data < st.st_size; data = hole) {
		data = lseek(fd, data, SEEK_DATA);
		if (data < 0 && errno == EINVAL) /* the file system has no SEEK_DATA */
			data = 0;
		if (data < 0 || data >= st.st_size)
			break;
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole <= data || hole > st.st_size)
			hole = st.st_size;
		part = PIPA_VEC_ADD(&ret->parts);
		if (!part) {
			pipa_heap_copy_done(ret);
			return pipa_fail(err, -ENOMEM, "copy a heap recording");
		}
		*part = (struct pipa_heap_file_part){ (uint64_t)data, (uint64_t)hole };
		copy_range(fd, to, data, hole);
	}
	ret->file.parts = ret->parts.items;
	ret->file.n_parts = ret->parts.n;
	return 0;
}

void pipa_heap_copy_done(struct pipa_heap_copy *copy)
{
	if (copy->file.bytes.data)
		pipa_file_unmap(copy->file.bytes.data, copy->file.bytes.size);
	free(copy->parts.items);
	*copy = (struct pipa_heap_copy){ 0 };
}
