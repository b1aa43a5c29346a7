#include "base/pieces.h"

enum { PIECE = 64 << 10 }; /* bytes */

static bool pass_on(struct pipa_pieces *pieces, size_t more_than)
{
	struct pipa_buf *buf = &pieces->buf;

	if (!pieces->status)
		pieces->status = buf->status;
	if (!pieces->status && buf->len > more_than) {
		int rc = pieces->put(pieces->ctx, buf->data, buf->len);

		pieces->status = rc < 0 ? rc : 0;
		pipa_buf_reset(buf);
	}
	return !pieces->status;
}

bool pipa_pieces_flush(struct pipa_pieces *pieces)
{
	return pass_on(pieces, PIECE);
}

int pipa_pieces_end(struct pipa_pieces *pieces)
{
	pass_on(pieces, 0);
	return pieces->status;
}
