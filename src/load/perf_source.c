#include "load/perf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/bytes.h"
#include "base/error.h"
#include "codec/zstd.h"
#include "perf/file_read.h"
#include "store/input.h"

/*
 * State of compressed records, which are one stream: the content of a record is decompressed at
 * once and passed on in pieces.
 */
struct stream {
	struct pipa_zstd_decompressor *unpacker;
	struct pipa_buf bytes;
	size_t given;
};

static ssize_t unpack(void *ctx, struct pipa_cursor *in, uint8_t *out, size_t size)
{
	struct stream *s = ctx;
	size_t n = pipa_cursor_left(in);
	int rc;

	if (s->given == s->bytes.len && n) {
		s->given = 0;
		pipa_buf_reset(&s->bytes);
		rc = pipa_zstd_decompressor_put(s->unpacker, pipa_get_bytes(in, n), n, &s->bytes);
		if (rc < 0)
			return rc;
	}
	n = s->bytes.len - s->given < size ? s->bytes.len - s->given : size;
	if (n)
		memcpy(out, s->bytes.data + s->given, n);
	s->given += n;
	return (ssize_t)n;
}

static void restart(void *ctx)
{
	struct stream *s = ctx;

	pipa_zstd_decompressor_restart(s->unpacker);
	pipa_buf_reset(&s->bytes);
	s->given = 0;
}

struct pipa_perf_source {
	struct stream stream;
	struct pipa_unpack unpack;
	struct pipa_perf_reader *reader;
};

void pipa_perf_source_close(struct pipa_perf_source *source)
{
	if (!source)
		return;
	pipa_perf_reader_close(source->reader);
	pipa_zstd_decompressor_free(source->stream.unpacker);
	pipa_buf_done(&source->stream.bytes);
	free(source);
}

struct pipa_perf_reader *pipa_perf_source_reader(struct pipa_perf_source *source)
{
	return source->reader;
}

/* Add the name of the input to an error of the reader. */
static int name_input(const struct pipa_input *input, int rc, struct pipa_error *err)
{
	struct pipa_error why;

	if (!err)
		return rc;
	why = *err;
	pipa_refuse(err, rc, "%.80s: %s", input->name, why.what);
	return why.hint[0] ? pipa_hint(err, "%s", why.hint) : rc;
}

int pipa_perf_source_open(const struct pipa_input *input, bool ordered,
			  struct pipa_perf_source **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_perf_source_close)
	struct pipa_perf_source *source = calloc(1, sizeof(*source));
	struct pipa_perf_reader_options options = { .ordered = ordered };
	size_t i;
	int rc;

	if (!source)
		return pipa_fail(err, -ENOMEM, "read %s", input->name);
	source->stream.unpacker = pipa_zstd_decompressor_new();
	if (!source->stream.unpacker)
		return pipa_fail(err, -ENOMEM, "read %s", input->name);
	source->unpack = (struct pipa_unpack){ unpack, restart, &source->stream };
	options.unpack = &source->unpack;
	rc = pipa_perf_reader_open(&input->bytes, &options, &source->reader, err);
	if (rc < 0)
		return name_input(input, rc, err);
	for (i = 0; !rc && i < input->n_parts; i++)
		rc = pipa_perf_reader_add_part(source->reader, &input->parts[i]);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(source);
	return 0;
}
