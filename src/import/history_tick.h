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
 * Decode the body of a head: sections and columns. Its strings are valid until the next one.
 * -EBADMSG if it is malformed, -ENOMEM.
 */
int pipa_history_table_head(struct pipa_history_table *table, const unsigned char *bytes,
			    size_t len, struct pipa_history_head *ret);

/* Drop all rows: the next interval depends on no earlier one. */
void pipa_history_table_forget(struct pipa_history_table *table);

/*
 * Decode an interval and pass it to the sink. *ret_bad: it is malformed, and later ones that depend
 * on it are lost. 0, -ENOMEM or the result of the sink.
 */
int pipa_history_table_tick(struct pipa_history_table *table, const unsigned char *bytes,
			    size_t len, const struct pipa_restart *restart, bool *ret_bad);

#endif
