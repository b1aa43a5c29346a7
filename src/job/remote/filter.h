/* Select rows of a pipad server by conditions, all of which must match. */
#ifndef PIPA_JOB_REMOTE_FILTER_H
#define PIPA_JOB_REMOTE_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "rpc/store_messages.h"

struct pipa_error;
struct pipa_remote;

enum { PIPA_REMOTE_LABELS_MAX = 100 };

/* NULL and 0: no condition. */
struct pipa_remote_filter {
	const char *table; /* NULL: that of the server */
	const char *hash, *workload, *platform, *username;
	const char *labels[PIPA_REMOTE_LABELS_MAX]; /* "KEY=VALUE", or "KEY" for any value */
	size_t n_labels;
	uint64_t since_us, until_us; /* of the upload, since 1970 */
	const char *where;	     /* expression on the fields */
};

/* Make the message, which borrows the texts. `labels` has as many entries as the filter. */
void pipa_remote_filter_message(const struct pipa_remote_filter *filter,
				struct pipa_store_label *labels, struct pipa_store_filter *ret);

/* Add the tables of the server whose names are nearest to `table` to the hint of `err`; returns err->code. */
int pipa_remote_hint_tables(struct pipa_remote *server, const char *table, struct pipa_error *err);

#endif
