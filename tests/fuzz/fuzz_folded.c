/* Folded stacks: any bytes can be read, and what is written of them reads back as the same text. */
#include "import/folded.h"
#include "base/buf.h"
#include "export/folded.h"
#include "fuzz.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

static uint64_t fold(const char *text, size_t len, size_t piece, struct pipa_buf *out)
{
	const struct pipa_folded_look look = { .event = PIPA_NONE, .names.raw_names = true };
	struct pipa_profile p = { 0 };
	struct pipa_folded *folded = pipa_folded_new(&p);
	uint64_t damaged;
	size_t at;

	MUST(folded);
	for (at = 0; at < len; at += piece)
		MUST(pipa_folded_put(folded, text + at, len - at < piece ? len - at : piece) == 0);
	MUST(pipa_folded_end(folded) == 0);
	pipa_folded_free(folded);
	MUST(pipa_folded_write(&p, &look, put, out) == 0);
	damaged = p.losses.damaged;
	pipa_profile_done(&p);
	return damaged;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf once = { 0 }, pieces = { 0 }, again = { 0 };
	bool special = memchr(data, '#', size) || memchr(data, '\0', size) ||
		       memchr(data, '\r', size);

	fold((const char *)data, size, size + 1, &once);
	fold((const char *)data, size, size % 5 + 1, &pieces);
	MUST(strcmp(pipa_buf_str(&once), pipa_buf_str(&pieces)) == 0);
	/* a sum may have more digits than are read, a name may come out as a comment */
	if (fold(pipa_buf_str(&once), once.len, once.len + 1, &again) == 0 && !special)
		MUST(strcmp(pipa_buf_str(&once), pipa_buf_str(&again)) == 0);
	pipa_buf_done(&once);
	pipa_buf_done(&pieces);
	pipa_buf_done(&again);
	return 0;
}
