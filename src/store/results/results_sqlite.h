/*
 * Store of results on an SQLite file, which PIPA's dashboard reads: one table of 58 columns (hash, upload_time, record, the
 * 55 fields) per table of results, and nothing else. Labels and the list of recordings are in a second file FILE.meta, the
 * recordings themselves in the directory FILE.recordings.
 *
 * A change is committed by one writer thread in WAL mode with synchronous=FULL, many at a time. Files of PIPA's server are
 * opened and missing columns are added. A file belongs to one process at a time.
 */
#ifndef PIPA_STORE_RESULTS_RESULTS_SQLITE_H
#define PIPA_STORE_RESULTS_RESULTS_SQLITE_H

#include "store/results/results.h"

struct pipa_results_sqlite_options {
	const char *path;
	const char *table;	       /* of uploads without a table; created if it is missing */
	size_t queue_max;	       /* changes that wait; 0: 65536 */
	uint64_t (*now_us)(void *ctx); /* NULL: the clock */
	void *ctx;
};

/*
 * Open or create the files. -EINVAL: the name of the table is not a plain identifier; -EBUSY: another process has the
 * store open; -EPROTO: not a database of results, or one of a later version; -ENODATA: FILE or FILE.meta is missing,
 * and there are recordings that it lists.
 */
int pipa_results_sqlite_open(const struct pipa_results_sqlite_options *options,
			     struct pipa_results **ret, struct pipa_error *err);

#endif
