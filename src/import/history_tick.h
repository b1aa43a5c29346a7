/*
 * Decode the contents of a history's headers and chunks after their checksums. Private to import/.
 */
#ifndef PIPA_IMPORT_HISTORY_TICK_H
#define PIPA_IMPORT_HISTORY_TICK_H

#include "import/history.h"

struct pipa_history_table;

struct pipa_history_table *pipa_history_table_new(const struct pipa_history_read *read,
						  struct pipa_history_result *result);
void pipa_history_table_free(struct pipa_history_table *table);

/*
 * The body of a head: sections and columns. Its texts are the table's until the next one. -EBADMSG when
 * it makes no sense, -ENOMEM.
 */
int pipa_history_table_head(struct pipa_history_table *table, const unsigned char *bytes,
			    size_t len, struct pipa_history_head *ret);

/* What follows needs nothing of what was before. */
void pipa_history_table_forget(struct pipa_history_table *table);

/*
 * A tick, handed to the sink. *ret_bad: it made no sense, and what depends on it would not either.
 * Returns 0, -ENOMEM or what the sink returned.
 */
int pipa_history_table_tick(struct pipa_history_table *table, const unsigned char *bytes,
			    size_t len, const struct pipa_restart *restart, bool *ret_bad);

#endif
