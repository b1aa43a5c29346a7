#include "codec/unzstd.h"

#include <errno.h>
#include <zstd.h>

struct pipa_unzstd *pipa_unzstd_new(void)
{
	ZSTD_DStream *stream = ZSTD_createDStream();

	/* a window of more than 128 MiB is no recording's */
	if (stream)
		ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27);
	return (struct pipa_unzstd *)(void *)stream;
}

static ZSTD_DStream *zstd_of(struct pipa_unzstd *stream)
{
	return (ZSTD_DStream *)(void *)stream;
}

void pipa_unzstd_free(struct pipa_unzstd *stream)
{
	ZSTD_freeDStream(zstd_of(stream));
}

void pipa_unzstd_restart(struct pipa_unzstd *stream)
{
	ZSTD_DCtx_reset(zstd_of(stream), ZSTD_reset_session_only);
}

ssize_t pipa_unzstd_next(struct pipa_unzstd *stream, struct pipa_cursor *in, void *out, size_t size)
{
	ZSTD_inBuffer from = { in->pos, pipa_cursor_left(in), 0 };
	ZSTD_outBuffer to = { out, size, 0 };
	size_t before, rc;

	do {
		before = from.pos + to.pos;
		rc = ZSTD_decompressStream(zstd_of(stream), &to, &from);
		if (ZSTD_isError(rc))
			return -EBADMSG;
	} while (to.pos < to.size && from.pos + to.pos > before);
	in->pos += from.pos;
	return (ssize_t)to.pos;
}
