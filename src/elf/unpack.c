#include "elf/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/auto.h"
#include "elf/inflate.h"

enum { FIRST = 256 << 10, XZ_MEMORY = 64 << 20, ZSTD_WINDOW_LOG = 27 };

struct output {
	uint8_t *data;
	size_t size, cap, max;
};

/* Room for more; twice as much each time, up to the ceiling. */
static int more_room(struct output *out)
{
	size_t want = out->cap ? out->cap * 2 : FIRST;
	uint8_t *grown;

	if (out->size < out->cap)
		return 0;
	if (out->cap >= out->max)
		return -EFBIG;
	if (want > out->max)
		want = out->max;
	grown = realloc(out->data, want);
	if (!grown)
		return -ENOMEM;
	out->data = grown;
	out->cap = want;
	return 0;
}

static int unpack_xz(struct pipa_span in, struct output *out)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret state = LZMA_OK;
	int rc = 0;

	if (lzma_stream_decoder(&xz, XZ_MEMORY, 0) != LZMA_OK)
		return -ENOMEM;
	xz.next_in = in.data;
	xz.avail_in = in.size;
	while (!rc && state == LZMA_OK) {
		rc = more_room(out);
		if (rc < 0)
			break;
		xz.next_out = out->data + out->size;
		xz.avail_out = out->cap - out->size;
		state = lzma_code(&xz, LZMA_FINISH);
		out->size = out->cap - xz.avail_out;
	}
	lzma_end(&xz);
	if (rc < 0)
		return rc;
	return state == LZMA_STREAM_END ? 0 : state == LZMA_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int unpack_gzip(struct pipa_span in, struct output *out)
{
	enum { GZIP = 16 };
	z_stream z = { 0 };
	int rc = 0, state = Z_OK;

	if (in.size > UINT32_MAX || inflateInit2(&z, GZIP + MAX_WBITS) != Z_OK)
		return in.size > UINT32_MAX ? -EFBIG : -ENOMEM;
	memcpy(&z.next_in, &in.data, sizeof(z.next_in)); /* it does not write there */
	z.avail_in = (uInt)in.size;
	while (!rc && state == Z_OK) {
		rc = more_room(out);
		if (rc < 0)
			break;
		z.next_out = out->data + out->size;
		z.avail_out = (uInt)(out->cap - out->size < UINT32_MAX ? out->cap - out->size :
									 UINT32_MAX);
		state = inflate(&z, Z_NO_FLUSH);
		out->size = (size_t)(z.next_out - out->data);
	}
	inflateEnd(&z);
	if (rc < 0)
		return rc;
	return state == Z_STREAM_END ? 0 : state == Z_MEM_ERROR ? -ENOMEM : -EBADMSG;
}

static int unpack_zstd(struct pipa_span in, struct output *out)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	ZSTD_inBuffer from = { in.data, in.size, 0 };
	size_t left = 1, before;
	int rc = zstd ? 0 : -ENOMEM;

	if (zstd)
		ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	while (!rc && left) {
		ZSTD_outBuffer to;

		rc = more_room(out);
		if (rc < 0)
			break;
		to = (ZSTD_outBuffer){ out->data, out->cap, out->size };
		before = from.pos;
		left = ZSTD_decompressStream(zstd, &to, &from);
		if (ZSTD_isError(left) ||
		    (left && from.pos == before && to.pos == out->size)) /* cut */
			rc = -EBADMSG;
		out->size = to.pos;
	}
	ZSTD_freeDCtx(zstd);
	return rc;
}

static const struct {
	uint8_t magic[6];
	size_t size;
	int (*unpack)(struct pipa_span in, struct output *out);
} kinds[] = {
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, unpack_xz },
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, unpack_zstd },
	{ { 0x1f, 0x8b }, 2, unpack_gzip },
};

static size_t kind_of(struct pipa_span file)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(kinds); i++)
		if (file.size >= kinds[i].size &&
		    memcmp(file.data, kinds[i].magic, kinds[i].size) == 0)
			break;
	return i;
}

bool pipa_elf_is_packed(struct pipa_span file)
{
	return kind_of(file) < PIPA_COUNT(kinds);
}

int pipa_elf_unpack(struct pipa_span file, size_t max, struct pipa_inflated *ret)
{
	struct output out = { .max = max };
	size_t kind = kind_of(file);
	int rc = kind < PIPA_COUNT(kinds) ? kinds[kind].unpack(file, &out) : -EINVAL;

	if (rc < 0) {
		free(out.data);
		return rc;
	}
	*ret = (struct pipa_inflated){ out.data, out.size };
	return 0;
}
