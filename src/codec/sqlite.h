/*
 * Write SQLite databases: one table per data frame, with typed columns, and a table `metadata` with units and facts.
 *
 * The database is built in unnamed temporary files ($TMPDIR or /tmp), so that neither a failure nor a signal leaves a
 * part of it, and then copied as bytes. SQLite itself is not permitted to open any file by name. Memory does not grow
 * with the number of rows.
 *
 * Integers of SQLite are signed: unsigned numbers from 2^63 on, such as addresses of the kernel, are stored as the
 * negative number with the same bits, which printf('%x') shows as expected.
 */
#ifndef PIPA_CODEC_SQLITE_H
#define PIPA_CODEC_SQLITE_H

#include <stdbool.h>

#include "codec/frame.h"

struct pipa_error;
struct pipa_sqlite;

/* Create an empty database. `created_by` is stored in the metadata. */
int pipa_sqlite_open(const char *created_by, struct pipa_sqlite **ret, struct pipa_error *err);
void pipa_sqlite_free(struct pipa_sqlite *db);

/*
 * Create a table and return its writer, which the caller frees; the columns are borrowed until then, put and ctx of the
 * options are not used. NULL on failure, which pipa_sqlite_check() reports. A column named "id" is the primary
 * key. Invalid UTF-8 and NULs in texts and names are replaced by U+FFFD.
 */
struct pipa_frame_writer *pipa_sqlite_table(struct pipa_sqlite *db, const char *name,
					    const struct pipa_frame_options *options);

/* Run SQL statements, separated by semicolons: for views and indexes. */
int pipa_sqlite_run(struct pipa_sqlite *db, const char *sql, struct pipa_error *err);

/* Does the query have a row? False after a failure. */
bool pipa_sqlite_has_row(struct pipa_sqlite *db, const char *query);

/* Return the first failure of the database or of a writer, with its message; 0 if there was none. */
int pipa_sqlite_check(const struct pipa_sqlite *db, struct pipa_error *err);

/* Complete the database and pass its bytes to put() in order; a return below 0 ends it and is the result. */
int pipa_sqlite_finish(struct pipa_sqlite *db, int (*put)(void *ctx, const char *bytes, size_t len),
		       void *ctx, struct pipa_error *err);

static inline void pipa_sqlite_free_auto(struct pipa_sqlite **db)
{
	pipa_sqlite_free(*db);
}

#endif
