/* Any bytes as a packed file: what comes out at once and piece by piece is the same. */
#include "base/buf.h"
#include "codec/decompress.h"
#include "fuzz.h"

enum { MOST = 1 << 20, PIECE = 7, ROOM = 300 };

/* Everything in pieces; false when the bytes make no sense, or too much comes out. */
static bool unzip_pieces(const uint8_t *data, size_t size, struct pipa_buf *out, bool *whole)
{
	struct pipa_unzipper *unzipper = pipa_unzipper_new(data, size);
	uint8_t room[ROOM];
	ssize_t n = 0;
	size_t at;

	MUST(unzipper);
	for (at = 0; at < size && n >= 0 && !out->status; at += PIECE) {
		const uint8_t *end = size - at < PIECE ? data + size : data + at + PIECE;
		struct pipa_cursor c = { data + at, end, false, 0 };

		do {
			n = pipa_unzipper_next(unzipper, &c, room, sizeof(room));
			MUST(n <= (ssize_t)sizeof(room) && c.pos <= end);
			if (n > 0)
				pipa_buf_add(out, room, (size_t)n);
		} while (n >= 0 && !out->status && (n == sizeof(room) || pipa_cursor_left(&c)));
	}
	*whole = n >= 0 && pipa_unzipper_is_whole(unzipper);
	pipa_unzipper_free(unzipper);
	return n >= 0 && !out->status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf once = { .max = MOST }, pieces = { .max = MOST };
	bool whole_once = false, whole_pieces;

	if (!pipa_is_zipped(data, size))
		return 0;
	if (unzip_pieces(data, size, &pieces, &whole_pieces) && whole_pieces &&
	    pipa_unzip(data, size, &once, &whole_once) == 0 && whole_once)
		MUST(once.len == pieces.len &&
		     (!once.len || memcmp(once.data, pieces.data, once.len) == 0));
	pipa_buf_done(&once);
	pipa_buf_done(&pieces);
	return 0;
}
