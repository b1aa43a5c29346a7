/*
 * Connections to the SQLite files of a store of results: opening, schema, statements, errors. Private to store/results/.
 *
 * A connection has the file with the tables as `results` and the one with labels and recordings as `meta`. SQLite commits
 * the files of a transaction one after the other, `meta` first: if that fails, neither is changed, and a row is visible
 * only with its labels.
 */
#ifndef PIPA_STORE_RESULTS_SQLITE_FILE_H
#define PIPA_STORE_RESULTS_SQLITE_FILE_H

#include <sqlite3.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/span.h"

struct pipa_buf;

enum {
	PIPA_RESULTS_COLUMNS = 58, /* hash, upload_time, record, the 55 fields */
	PIPA_RESULTS_FIRST_FIELD = 3,
	PIPA_SQLITE_LOCK_WAIT_MS =
		5000, /* how long a connection waits for locks of other processes */
};

/* A table of results in the file. */
struct pipa_sqlite_table {
	char *name;
	bool is_default;
	/* statements of the writer; NULL until they are needed */
	sqlite3_stmt *insert, *find, *remove;
};

struct pipa_sqlite_tables {
	struct pipa_sqlite_table *items;
	size_t n, cap;
};

void pipa_sqlite_tables_done(struct pipa_sqlite_tables *tables);

/* Is the text a name that needs no quotes in SQL: letters, digits, _, not a digit first, not a keyword? */
bool pipa_sqlite_name_is_plain(struct pipa_span name);

/* Return the errno of the connection's last failure, which had this code of SQLite. */
int pipa_sqlite_errno(sqlite3 *db, int code);

/* Fill err with "cannot VERB: " and SQLite's message; returns the errno. */
int pipa_sqlite_fail(sqlite3 *db, int code, struct pipa_error *err, const char *fmt, ...)
	PIPA_PRINTF(4, 5);

/* Open a connection to both files. `writes`: it is the writer's, which creates them and gathers writes to their logs. */
int pipa_sqlite_connect(const char *path, const char *meta_path, bool writes, sqlite3 **ret,
			struct pipa_error *err);

/*
 * Create the default table, add missing columns to tables of PIPA's server, migrate both schemas, and list the tables,
 * in the order of their names. -EPROTO: not a database of results, or of a later version.
 */
int pipa_sqlite_migrate(sqlite3 *db, const char *path, const char *table,
			struct pipa_sqlite_tables *ret, struct pipa_error *err);

/* Write the versions of both schemas again, in the transaction of the caller. Returns SQLite's code. */
int pipa_sqlite_write_versions(sqlite3 *db);

/* Run statements without results. Returns SQLite's code. */
int pipa_sqlite_exec(sqlite3 *db, const char *sql);

/* Prepare a statement of printf-like SQL (%w: a quoted name inside of ""). Returns SQLite's code. */
int pipa_sqlite_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *fmt, ...);

/* Run a query that returns one integer. Returns SQLite's code. */
int pipa_sqlite_read_number(sqlite3 *db, const char *sql, sqlite3_int64 *ret);

/* Append the names of the 58 columns, separated by commas, each after the prefix. */
void pipa_sqlite_put_columns(struct pipa_buf *sql, const char *prefix);

#endif
