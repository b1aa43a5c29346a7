/*
 * Output of a workload: any bytes in any pieces give the same result, a count and a rate that are
 * numbers or not there, and a line that is plain text. The first byte chooses the pieces and
 * whether an expression is used.
 */
#include <math.h>

#include "fuzz.h"
#include "import/bench/transactions.h"

static bool hear(const char *bytes, size_t len, size_t piece, const char *expression,
		 struct pipa_tx *ret)
{
	struct pipa_transactions *tx = NULL;
	bool there;
	size_t at;

	MUST(pipa_transactions_new(expression, &tx, NULL) == 0);
	for (at = 0; at < len; at += piece)
		pipa_transactions_put(tx, PIPA_TX_STDERR, bytes + at,
				      len - at < piece ? len - at : piece);
	pipa_transactions_end(tx);
	there = pipa_transactions_get(tx, ret);
	ret->pattern = NULL; /* may be the finder's */
	pipa_transactions_free(tx);
	return there;
}

static bool sane(double value)
{
	return isnan(value) || (isfinite(value) && value >= 0);
}

static bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : a == b;
}

static void check_answer(const struct pipa_tx *tx)
{
	size_t i;

	MUST(sane(tx->count) && sane(tx->rate));
	MUST(!isnan(tx->count) || !isnan(tx->rate));
	MUST(tx->benchmark && tx->unit && tx->stream == PIPA_TX_STDERR);
	MUST(memchr(tx->line, '\0', sizeof(tx->line)));
	for (i = 0; tx->line[i]; i++)
		MUST(tx->line[i] >= ' ' && tx->line[i] <= '~');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_tx once, pieces;
	const char *expression, *bytes;
	bool there;

	if (!size)
		return 0;
	expression = data[0] & 1 ? "([0-9.,]+[kMG]?) *(ops|requests)" : NULL;
	bytes = (const char *)data + 1;
	size--;
	there = hear(bytes, size, size + 1, expression, &once);
	MUST(hear(bytes, size, (data[0] >> 1) % 16 + 1, expression, &pieces) == there);
	if (!there)
		return 0;
	check_answer(&once);
	MUST(same(once.count, pieces.count) && same(once.rate, pieces.rate));
	MUST(once.final == pieces.final && strcmp(once.line, pieces.line) == 0);
	MUST(once.benchmark == pieces.benchmark && once.unit == pieces.unit);
	return 0;
}
