#include "load/whole_file.h"

#include <errno.h>
#include <stdint.h>

#include "base/file/bytes.h"

enum { PIECE = 1 << 20 };

void pipa_whole_file_close(struct pipa_whole_file *file)
{
	if (file->mapped)
		file->mapped->unmap(file->mapped->ctx, file->span.data, file->span.size);
	pipa_buf_done(&file->copy);
	*file = (struct pipa_whole_file){ 0 };
}

static int read_all(const struct pipa_bytes *bytes, struct pipa_buf *copy)
{
	ssize_t n;

	copy->max = (size_t)1 << 30;
	do {
		char *room = pipa_buf_room(copy, PIECE);

		if (!room)
			return copy->status;
		n = bytes->read(bytes->ctx, room, PIECE, copy->len);
		if (n > 0)
			pipa_buf_wrote(copy, (size_t)n);
	} while (n > 0 || n == -EINTR);
	return (int)n;
}

int pipa_whole_file_open(const struct pipa_bytes *bytes, struct pipa_whole_file *ret)
{
	int rc;

	*ret = (struct pipa_whole_file){ 0 };
	if (bytes->map && bytes->size && bytes->size != PIPA_BYTES_ENDLESS &&
	    bytes->size <= SIZE_MAX) {
		ret->span.data = bytes->map(bytes->ctx, 0, (size_t)bytes->size);
		if (ret->span.data) {
			ret->span.size = (size_t)bytes->size;
			ret->mapped = bytes;
			return 0;
		}
	}
	rc = read_all(bytes, &ret->copy);
	if (rc)
		pipa_whole_file_close(ret);
	else
		ret->span = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&ret->copy),
						ret->copy.len };
	return rc;
}
