#include "codec/unzip.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#define ZLIB_CONST /* it only reads what it is given */
#include <zlib.h>

#include "base/buf.h"
#include "codec/zstd.h"

enum { PIECE = 16 << 10, GZIP_WINDOW = 15 + 16 };

static bool is_gzip(const void *bytes, size_t len)
{
	return len >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

static bool is_zstd(const void *bytes, size_t len)
{
	return len >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0;
}

bool pipa_is_zipped(const void *bytes, size_t len)
{
	return is_gzip(bytes, len) || is_zstd(bytes, len);
}

/* One member; what zlib says at its end. */
static int inflate_member(z_stream *z, struct pipa_buf *out)
{
	unsigned char piece[PIECE];
	int said;

	do {
		z->next_out = piece;
		z->avail_out = sizeof(piece);
		said = inflate(z, Z_NO_FLUSH);
		pipa_buf_add(out, piece, sizeof(piece) - z->avail_out);
	} while (said == Z_OK && !out->status);
	return said;
}

static int gunzip(const void *bytes, size_t len, struct pipa_buf *out, bool *ret_whole)
{
	z_stream z = { 0 };
	int said = Z_STREAM_END;

	if (len > UINT_MAX)
		return -EFBIG;
	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	z.next_in = bytes;
	z.avail_in = (unsigned int)len;
	while (said == Z_STREAM_END && is_gzip(z.next_in, z.avail_in) && !out->status) {
		inflateReset(&z);
		said = inflate_member(&z, out);
	}
	*ret_whole = said == Z_STREAM_END; /* zeros behind it are a tape's padding */
	inflateEnd(&z);
	return said == Z_MEM_ERROR ? -ENOMEM : out->status;
}

int pipa_unzip(const void *bytes, size_t len, struct pipa_buf *out, bool *ret_whole)
{
	struct pipa_unpacker *unpacker;
	int rc;

	if (is_gzip(bytes, len))
		return gunzip(bytes, len, out, ret_whole);
	unpacker = pipa_unpacker_new();
	if (!unpacker)
		return -ENOMEM;
	rc = pipa_unpacker_put(unpacker, bytes, len, out);
	*ret_whole = rc == 0 && pipa_unpacker_is_whole(unpacker);
	pipa_unpacker_free(unpacker);
	return rc == -EBADMSG ? 0 : rc;
}
