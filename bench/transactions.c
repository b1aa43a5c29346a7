/*
 * Reads what a workload printed from stdin as `pipa run` does, looks for transactions in it and prints
 * them: the helper of transactions.sh.
 *
 *	transactions [-n] [EXPRESSION] < OUTPUT
 *
 * -n: only reads.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "import/bench/transactions.h"

enum { PIECE = 128 << 10 }; /* as cat reads */

int main(int argc, char **argv)
{
	static char bytes[PIECE];
	PIPA_AUTO(pipa_transactions_free) struct pipa_transactions *tx = NULL;
	bool only_reads = argc > 1 && strcmp(argv[1], "-n") == 0;
	struct pipa_error err;
	struct pipa_tx found;
	ssize_t n;

	if (pipa_transactions_new(argc > 1 && !only_reads ? argv[1] : NULL, &tx, &err) < 0) {
		fprintf(stderr, "%s\n", err.what);
		return 1;
	}
	while ((n = read(STDIN_FILENO, bytes, sizeof(bytes))) > 0)
		if (!only_reads)
			pipa_transactions_put(tx, PIPA_TX_STDOUT, bytes, (size_t)n);
	pipa_transactions_end(tx);
	if (pipa_transactions_get(tx, &found))
		printf("%s: %.10g %s, %.10g a second: %s\n", found.benchmark, found.count,
		       found.unit, found.rate, found.line);
	return 0;
}
