#include "codec/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST /* it only reads what it is given */
#include <zlib.h>

#include "base/buf.h"

enum { PIECE = 16 << 10, GZIP_WINDOW = 15 + 16, MEMORY = 8 };

struct pipa_gzip {
	z_stream z;
};

struct pipa_gzip *pipa_gzip_new(int level)
{
	struct pipa_gzip *gzip = calloc(1, sizeof(*gzip));

	/* its header has no name and no time: the same bytes make the same file */
	if (gzip && deflateInit2(&gzip->z, level, Z_DEFLATED, GZIP_WINDOW, MEMORY,
				 Z_DEFAULT_STRATEGY) != Z_OK) {
		free(gzip);
		return NULL;
	}
	return gzip;
}

void pipa_gzip_free(struct pipa_gzip *gzip)
{
	if (!gzip)
		return;
	deflateEnd(&gzip->z);
	free(gzip);
}

/* As long as it fills the room it is given, there may be more. */
static int deflate_all(struct pipa_gzip *gzip, int flush, struct pipa_buf *out)
{
	unsigned char piece[PIECE];
	int said;

	do {
		gzip->z.next_out = piece;
		gzip->z.avail_out = sizeof(piece);
		said = deflate(&gzip->z, flush);
		if (said == Z_STREAM_ERROR)
			return -EIO;
		pipa_buf_add(out, piece, sizeof(piece) - gzip->z.avail_out);
	} while (gzip->z.avail_out == 0 && !out->status);
	return out->status;
}

int pipa_gzip_put(struct pipa_gzip *gzip, const void *bytes, size_t len, struct pipa_buf *out)
{
	const unsigned char *pos = bytes;
	int rc = 0;

	while (!rc && len) {
		size_t n = len < UINT_MAX ? len : UINT_MAX;

		gzip->z.next_in = pos;
		gzip->z.avail_in = (unsigned int)n;
		rc = deflate_all(gzip, Z_NO_FLUSH, out);
		pos += n;
		len -= n;
	}
	return rc;
}

int pipa_gzip_end(struct pipa_gzip *gzip, struct pipa_buf *out)
{
	gzip->z.next_in = NULL;
	gzip->z.avail_in = 0;
	return deflate_all(gzip, Z_FINISH, out);
}
