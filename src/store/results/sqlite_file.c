#include "store/results/sqlite_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/vec.h"
#include "model/result.h"
#include "store/results/results.h"
#include "store/results/wal_file.h"

enum {
	SCHEMA_VERSION = 1,
	META_VERSION = 1,
};

/* ---- errors -------------------------------------------------------------------------------------- */

int pipa_sqlite_errno(sqlite3 *db, int code)
{
	int system = db ? sqlite3_system_errno(db) : 0;

	switch (code & 0xff) {
	case SQLITE_FULL: return -ENOSPC;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_READONLY: return -EROFS;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return -EPROTO;
	case SQLITE_TOOBIG: return -EFBIG;
	case SQLITE_PERM:
	case SQLITE_AUTH: return -EACCES;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		if (system == EDQUOT || system == ENOSPC)
			return -ENOSPC;
		return system ? -system : -EIO;
	default: return -EIO;
	}
}

int pipa_sqlite_fail(sqlite3 *db, int code, struct pipa_error *err, const char *fmt, ...)
{
	int rc = pipa_sqlite_errno(db, code);
	char what[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	pipa_refuse(err, rc, "cannot %s: %s", what, db ? sqlite3_errmsg(db) : sqlite3_errstr(code));
	if (rc == -ENOSPC)
		pipa_hint(err, "free space on the file system of the database");
	return rc;
}

/* ---- statements ---------------------------------------------------------------------------------- */

int pipa_sqlite_exec(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

int pipa_sqlite_prepare(sqlite3 *db, sqlite3_stmt **ret, const char *fmt, ...)
{
	va_list args;
	char *sql;
	int code;

	va_start(args, fmt);
	sql = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (!sql)
		return SQLITE_NOMEM;
	code = sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret, NULL);
	sqlite3_free(sql);
	return code;
}

int pipa_sqlite_write_versions(sqlite3 *db)
{
	return pipa_sqlite_exec(db,
				"PRAGMA meta.user_version = 1; PRAGMA results.user_version = 1");
}

static int exec_format(sqlite3 *db, const char *fmt, ...)
{
	va_list args;
	char *sql;
	int code;

	va_start(args, fmt);
	sql = sqlite3_vmprintf(fmt, args);
	va_end(args);
	if (!sql)
		return SQLITE_NOMEM;
	code = pipa_sqlite_exec(db, sql);
	sqlite3_free(sql);
	return code;
}

void pipa_sqlite_put_columns(struct pipa_buf *sql, const char *prefix)
{
	static const char *const first[PIPA_RESULTS_FIRST_FIELD] = { "hash", "upload_time",
								     "record" };
	int i;

	_Static_assert(PIPA_RESULTS_FIRST_FIELD + PIPA_RESULT_FIELDS == PIPA_RESULTS_COLUMNS,
		       "columns before the fields");
	for (i = 0; i < PIPA_RESULTS_COLUMNS; i++) {
		if (i)
			pipa_buf_puts(sql, ", ");
		pipa_buf_puts(sql, prefix);
		pipa_buf_puts(sql,
			      i < PIPA_RESULTS_FIRST_FIELD ?
				      first[i] :
				      pipa_result_fields[i - PIPA_RESULTS_FIRST_FIELD + 1].name);
	}
}

bool pipa_sqlite_name_is_plain(struct pipa_span name)
{
	size_t i;

	if (!name.size || name.size > PIPA_RESULTS_NAME_MAX ||
	    (name.size >= 7 && strncasecmp((const char *)name.data, "sqlite_", 7) == 0))
		return false;
	for (i = 0; i < name.size; i++) {
		uint8_t c = name.data[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
		      (i && c >= '0' && c <= '9')))
			return false;
	}
	return !sqlite3_keyword_check((const char *)name.data, (int)name.size);
}

/* ---- opening ------------------------------------------------------------------------------------- */

/* Attach the file with the tables to a connection. Its failures have SQLite's general text: that of ATTACH is longer. */
static int attach_results(sqlite3 *db, const char *path, struct pipa_error *err)
{
	sqlite3_stmt *attach = NULL;
	int code = pipa_sqlite_prepare(db, &attach, "ATTACH ? AS results");
	int rc = 0;

	if (code == SQLITE_OK)
		code = sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
	if (code == SQLITE_OK && sqlite3_step(attach) != SQLITE_DONE)
		code = sqlite3_extended_errcode(db);
	sqlite3_finalize(attach);
	if (code != SQLITE_OK) {
		rc = pipa_sqlite_errno(db, code);
		pipa_refuse(err, rc, "cannot open the database %s: %s", path, sqlite3_errstr(code));
	}
	return rc;
}

int pipa_sqlite_connect(const char *path, const char *meta_path, bool writes, sqlite3 **ret,
			struct pipa_error *err)
{
	sqlite3 *db = NULL;
	int code, rc = 0, keep = 1;

	code = sqlite3_open_v2(meta_path, &db,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
				       (writes ? SQLITE_OPEN_CREATE : 0),
			       writes ? pipa_wal_file_vfs() : NULL);
	if (code == SQLITE_OK)
		code = sqlite3_db_config(db, SQLITE_DBCONFIG_MAINDBNAME, "meta");
	if (code == SQLITE_OK) {
		sqlite3_extended_result_codes(db, 1);
		sqlite3_busy_timeout(db, PIPA_SQLITE_LOCK_WAIT_MS);
		/* else ATTACH would report its failures */
		code = pipa_sqlite_exec(db, "PRAGMA meta.schema_version");
	}
	if (code != SQLITE_OK) {
		rc = pipa_sqlite_fail(db, code, err, "open the database %s", meta_path);
		goto out;
	}
	rc = attach_results(db, path, err);
	if (rc < 0)
		goto out;
	/*
	 * The WAL and its index stay when the last connection closes: a reader that may not create them, such as a
	 * dashboard on a read-only mount, can open the database only with them.
	 */
	sqlite3_file_control(db, "results", SQLITE_FCNTL_PERSIST_WAL, &keep);
	sqlite3_file_control(db, "meta", SQLITE_FCNTL_PERSIST_WAL, &keep);
	code = pipa_sqlite_exec(db,
				"PRAGMA results.synchronous = FULL; PRAGMA meta.synchronous = FULL;"
				"PRAGMA wal_autocheckpoint = 0; PRAGMA trusted_schema = OFF;"
				"PRAGMA temp_store = MEMORY");
	if (code != SQLITE_OK)
		rc = pipa_sqlite_fail(db, code, err, "open the database %s", path);
out:
	if (rc < 0)
		sqlite3_close_v2(db);
	else
		*ret = db;
	return rc;
}

/* ---- schema -------------------------------------------------------------------------------------- */

static void free_table(struct pipa_sqlite_table *table)
{
	sqlite3_finalize(table->insert);
	sqlite3_finalize(table->find);
	sqlite3_finalize(table->remove);
	free(table->name);
}

void pipa_sqlite_tables_done(struct pipa_sqlite_tables *tables)
{
	size_t i;

	for (i = 0; i < tables->n; i++)
		free_table(&tables->items[i]);
	free(tables->items);
	*tables = (struct pipa_sqlite_tables){ 0 };
}

int pipa_sqlite_read_number(sqlite3 *db, const char *sql, sqlite3_int64 *ret)
{
	sqlite3_stmt *query = NULL;
	int code = pipa_sqlite_prepare(db, &query, "%s", sql);

	if (code == SQLITE_OK) {
		code = sqlite3_step(query);
		if (code == SQLITE_ROW) {
			*ret = sqlite3_column_int64(query, 0);
			code = SQLITE_OK;
		}
	}
	sqlite3_finalize(query);
	return code;
}

static bool is_column(const char *name, int i)
{
	static const char *const first[] = { "hash", "upload_time", "record" };

	return strcasecmp(name,
			  i < PIPA_RESULTS_FIRST_FIELD ?
				  first[i] :
				  pipa_result_fields[i - PIPA_RESULTS_FIRST_FIELD + 1].name) == 0;
}

/* Find which of our columns a table has. `*ret_is_results`: it has the first three, and the hash is the key. */
static int read_columns(sqlite3 *db, const char *table, bool has[PIPA_RESULTS_COLUMNS],
			bool *ret_is_results)
{
	sqlite3_stmt *query = NULL;
	bool has_key = false;
	int code, i;

	memset(has, 0, PIPA_RESULTS_COLUMNS * sizeof(has[0]));
	code = pipa_sqlite_prepare(db, &query, "PRAGMA results.table_info(\"%w\")", table);
	while (code == SQLITE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(query, 1);

		for (i = 0; name && i < PIPA_RESULTS_COLUMNS; i++)
			if (is_column(name, i)) {
				has[i] = true;
				if (i == 0 && sqlite3_column_int(query, 5) == 1)
					has_key = true;
			}
		code = SQLITE_OK;
	}
	sqlite3_finalize(query);
	*ret_is_results = has[0] && has[1] && has[2] && has_key;
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int add_missing_columns(sqlite3 *db, const char *table, const bool has[PIPA_RESULTS_COLUMNS])
{
	int code = SQLITE_OK, i;

	for (i = 1; i <= PIPA_RESULT_FIELDS && code == SQLITE_OK; i++)
		if (!has[PIPA_RESULTS_FIRST_FIELD + i - 1])
			code = exec_format(db, "ALTER TABLE results.\"%w\" ADD COLUMN %s %s", table,
					   pipa_result_fields[i].name,
					   pipa_result_sqlite_type(pipa_result_fields[i].type));
	/* the dashboard looks each row up by this text, twenty times per page */
	if (code == SQLITE_OK)
		code = exec_format(
			db, "CREATE INDEX IF NOT EXISTS results.\"%w_record\" ON \"%w\"(record)",
			table, table);
	return code;
}

static int create_table(sqlite3 *db, const char *table)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf sql = { 0 };
	int i;

	pipa_buf_printf(&sql,
			"CREATE TABLE results.\"%s\" (hash TEXT PRIMARY KEY, upload_time INTEGER, "
			"record TEXT",
			table);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		pipa_buf_printf(&sql, ", %s %s", pipa_result_fields[i].name,
				pipa_result_sqlite_type(pipa_result_fields[i].type));
	pipa_buf_putc(&sql, ')');
	return sql.status ? SQLITE_NOMEM : pipa_sqlite_exec(db, pipa_buf_str(&sql));
}

/* List the names of all tables, also of those that are not tables of results. */
static int list_tables(sqlite3 *db, struct pipa_sqlite_tables *tables)
{
	sqlite3_stmt *query = NULL;
	int code = pipa_sqlite_prepare(
		db, &query,
		"SELECT name FROM results.sqlite_master WHERE type = 'table' "
		"AND name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY name");

	while (code == SQLITE_OK && (code = sqlite3_step(query)) == SQLITE_ROW) {
		struct pipa_sqlite_table *table = PIPA_VEC_ADD(tables);
		const char *name = (const char *)sqlite3_column_text(query, 0);

		if (table && name)
			table->name = strdup(name);
		code = table && table->name ? SQLITE_OK : SQLITE_NOMEM;
	}
	sqlite3_finalize(query);
	return code == SQLITE_DONE ? SQLITE_OK : code;
}

static const char meta_schema[] =
	"CREATE TABLE IF NOT EXISTS meta.labels (table_name TEXT, hash TEXT, key TEXT, value TEXT,"
	" PRIMARY KEY (table_name, hash, key)) WITHOUT ROWID;"
	"CREATE TABLE IF NOT EXISTS meta.recordings (table_name TEXT, hash TEXT, id TEXT, name TEXT,"
	" size INTEGER, upload_time_us INTEGER, PRIMARY KEY (table_name, hash, id)) WITHOUT ROWID;"
	"CREATE INDEX IF NOT EXISTS meta.recordings_id ON recordings(id);"
	"CREATE INDEX IF NOT EXISTS meta.recordings_time ON recordings(upload_time_us);"
	"PRAGMA meta.user_version = 1";

/* Make every table of results complete, drop the others from the list, create the default table. */
static int complete_tables(sqlite3 *db, const char *default_table,
			   struct pipa_sqlite_tables *tables, bool *ret_foreign)
{
	bool has[PIPA_RESULTS_COLUMNS], is_results, has_default = false;
	size_t i, n = 0, all = tables->n;
	struct pipa_sqlite_table *table;
	int code = SQLITE_OK;

	for (i = 0; i < all && code == SQLITE_OK; i++) {
		table = &tables->items[i];
		code = read_columns(db, table->name, has, &is_results);
		table->is_default = strcasecmp(table->name, default_table) == 0;
		if (code == SQLITE_OK && is_results) {
			code = add_missing_columns(db, table->name, has);
			has_default |= table->is_default;
			tables->items[n++] = *table;
		} else {
			*ret_foreign |= table->is_default;
			free_table(table);
		}
	}
	for (; i < all; i++)
		free_table(&tables->items[i]);
	tables->n = n;
	*ret_foreign |= all && !n;
	if (code != SQLITE_OK || *ret_foreign || has_default)
		return code;
	code = create_table(db, default_table);
	if (code != SQLITE_OK)
		return code;
	memset(has, 1, sizeof(has));
	table = PIPA_VEC_ADD(tables);
	if (!table)
		return SQLITE_NOMEM;
	table->is_default = true;
	table->name = strdup(default_table);
	return table->name ? add_missing_columns(db, default_table, has) : SQLITE_NOMEM;
}

static int by_name(const void *a, const void *b)
{
	const struct pipa_sqlite_table *left = a, *right = b;

	return strcmp(left->name, right->name);
}

int pipa_sqlite_migrate(sqlite3 *db, const char *path, const char *table,
			struct pipa_sqlite_tables *ret, struct pipa_error *err)
{
	struct pipa_sqlite_tables tables = { 0 };
	sqlite3_int64 version = 0, meta_version = 0;
	bool foreign = false;
	int code, rc = 0;

	code = pipa_sqlite_read_number(db, "PRAGMA results.user_version", &version);
	if (code == SQLITE_OK)
		code = pipa_sqlite_read_number(db, "PRAGMA meta.user_version", &meta_version);
	if (code == SQLITE_OK && (version > SCHEMA_VERSION || meta_version > META_VERSION)) {
		pipa_refuse(err, -EPROTO, "cannot use the database %s: it is of a later version",
			    path);
		return pipa_hint(err, "use a later version of pipad");
	}
	if (code == SQLITE_OK)
		code = pipa_sqlite_exec(db, "PRAGMA results.journal_mode = WAL;"
					    "PRAGMA meta.journal_mode = WAL; BEGIN IMMEDIATE");
	if (code == SQLITE_OK)
		code = list_tables(db, &tables);
	if (code == SQLITE_OK)
		code = complete_tables(db, table, &tables, &foreign);
	if (code == SQLITE_OK && foreign)
		rc = pipa_refuse(err, -EPROTO,
				 "cannot use the database %s: its tables are not of results", path);
	if (code == SQLITE_OK && !rc && version < SCHEMA_VERSION)
		code = pipa_sqlite_exec(db, "PRAGMA results.user_version = 1");
	if (code == SQLITE_OK && !rc && meta_version < META_VERSION)
		code = pipa_sqlite_exec(db, meta_schema);
	if (code == SQLITE_OK && !rc)
		code = pipa_sqlite_exec(db, "COMMIT");
	if (code != SQLITE_OK)
		rc = pipa_sqlite_fail(db, code, err, "prepare the database %s", path);
	if (rc < 0) {
		pipa_sqlite_exec(db, "ROLLBACK");
		pipa_sqlite_tables_done(&tables);
		return rc;
	}
	if (tables.n)
		qsort(tables.items, tables.n, sizeof(tables.items[0]), by_name);
	*ret = tables;
	return 0;
}
