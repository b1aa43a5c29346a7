#include "model/counts.h"

#include <stdlib.h>

void pipa_counts_done(struct pipa_counts *counts)
{
	free(counts->items);
	pipa_strings_done(&counts->texts);
	*counts = (struct pipa_counts){ 0 };
}
