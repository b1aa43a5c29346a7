#include "codec/decompress.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
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
	struct pipa_zstd_decompressor *unpacker;
	int rc;

	if (is_gzip(bytes, len))
		return gunzip(bytes, len, out, ret_whole);
	unpacker = pipa_zstd_decompressor_new();
	if (!unpacker)
		return -ENOMEM;
	rc = pipa_zstd_decompressor_put(unpacker, bytes, len, out);
	*ret_whole = rc == 0 && pipa_zstd_decompressor_is_whole(unpacker);
	pipa_zstd_decompressor_free(unpacker);
	return rc == -EBADMSG ? 0 : rc;
}

/* ---- piece by piece -------------------------------------------------------------------------------------- */

struct pipa_unzipper {
	struct pipa_zstd_decompressor *zstd; /* NULL: gzip */
	z_stream gzip;
	bool begun;   /* the stream above is to be ended */
	bool between; /* one member has ended, the next one has not begun */
	bool padding; /* behind the last one: a tape's */
};

struct pipa_unzipper *pipa_unzipper_new(const void *bytes, size_t len)
{
	struct pipa_unzipper *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	if (is_zstd(bytes, len))
		u->zstd = pipa_zstd_decompressor_new();
	else
		u->begun = inflateInit2(&u->gzip, GZIP_WINDOW) == Z_OK;
	if (u->zstd || u->begun)
		return u;
	pipa_unzipper_free(u);
	return NULL;
}

void pipa_unzipper_free(struct pipa_unzipper *u)
{
	if (!u)
		return;
	if (u->begun)
		inflateEnd(&u->gzip);
	pipa_zstd_decompressor_free(u->zstd);
	free(u);
}

/* One call's worth of one member. */
static ssize_t gunzip_next(struct pipa_unzipper *u, struct pipa_cursor *in, void *out, size_t size)
{
	size_t left = pipa_cursor_left(in) < UINT_MAX ? pipa_cursor_left(in) : UINT_MAX;
	size_t room = size < UINT_MAX ? size : UINT_MAX;
	int said;

	u->gzip.next_in = in->pos;
	u->gzip.avail_in = (unsigned int)left;
	u->gzip.next_out = out;
	u->gzip.avail_out = (unsigned int)room;
	said = inflate(&u->gzip, Z_NO_FLUSH);
	in->pos += left - u->gzip.avail_in;
	u->between = said == Z_STREAM_END;
	if (said == Z_MEM_ERROR)
		return -ENOMEM;
	if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
		return -EBADMSG;
	return (ssize_t)(room - u->gzip.avail_out);
}

ssize_t pipa_unzipper_next(struct pipa_unzipper *u, struct pipa_cursor *in, void *out, size_t size)
{
	size_t done = 0;
	ssize_t n;

	if (u->zstd)
		return pipa_zstd_decompressor_next(u->zstd, in, out, size);
	do {
		if (u->between && pipa_cursor_left(in)) {
			u->padding |= *in->pos != 0x1f;
			inflateReset(&u->gzip);
			u->between = u->padding;
		}
		if (u->between) {
			in->pos = in->end;
			break;
		}
		n = gunzip_next(u, in, (char *)out + done, size - done);
		if (n < 0)
			return n;
		done += (size_t)n;
	} while (u->between && pipa_cursor_left(in) && done < size);
	return (ssize_t)done;
}

bool pipa_unzipper_is_whole(const struct pipa_unzipper *u)
{
	return u->zstd ? pipa_zstd_decompressor_is_whole(u->zstd) : u->between;
}
