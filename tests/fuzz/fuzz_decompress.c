/* Decompress any bytes at once and in pieces: the result is the same, and not above the ceiling. */
#include "base/buf.h"
#include "codec/decompress.h"
#include "fuzz.h"

enum { MOST = 1 << 20, PIECE = 7, ROOM = 300 };

/* Everything in pieces; false when the bytes make no sense, or too much comes out. */
static bool decompress_pieces(const uint8_t *data, size_t size, struct pipa_buf *out, bool *whole)
{
	struct pipa_decompressor *decompressor = pipa_decompressor_new(
		(struct pipa_span){ data, size });
	uint8_t room[ROOM];
	ssize_t n = 0;
	size_t at;

	MUST(decompressor);
	for (at = 0; at < size && n >= 0 && !out->status; at += PIECE) {
		const uint8_t *end = size - at < PIECE ? data + size : data + at + PIECE;
		struct pipa_cursor c = { data + at, end, false, 0 };

		do {
			n = pipa_decompressor_next(decompressor, &c, room, sizeof(room));
			MUST(n <= (ssize_t)sizeof(room) && c.pos <= end);
			if (n > 0)
				pipa_buf_add(out, room, (size_t)n);
		} while (n >= 0 && !out->status && (n == sizeof(room) || pipa_cursor_left(&c)));
	}
	*whole = n >= 0 && pipa_decompressor_is_whole(decompressor);
	pipa_decompressor_free(decompressor);
	return n >= 0 && !out->status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf once = { .max = MOST }, pieces = { .max = MOST };
	struct pipa_span file = { data, size };
	bool whole = false;
	int rc = pipa_decompress(file, &once);

	MUST(pipa_is_compressed(file) || rc < 0);
	MUST(once.len < MOST);
	if (pipa_is_compressed(file) && decompress_pieces(data, size, &pieces, &whole) && whole) {
		MUST(rc == 0 && once.len == pieces.len);
		MUST(!once.len || memcmp(once.data, pieces.data, once.len) == 0);
	}
	MUST(rc < 0 || whole);
	pipa_buf_done(&once);
	pipa_buf_done(&pieces);
	return 0;
}
