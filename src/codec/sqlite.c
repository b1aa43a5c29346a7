#include "codec/sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/tmp.h"
#include "base/utf8.h"
#include "codec/sqlite_vfs.h"

enum {
	COPY = 1 << 20,
	APPLICATION = 0x50495041, /* "PIPA" */
	TEXT_MAX = 512 << 20,	  /* SQLite's own limit is 1e9 bytes */
};

struct pipa_sqlite {
	struct pipa_sqlite_vfs vfs;
	sqlite3 *db;
	sqlite3_stmt *fact; /* inserts into the metadata */
	int status;	    /* first failure, a negative errno */
	char what[200];	    /* its message */
};

struct table {
	struct pipa_frame_writer writer; /* first member: callbacks cast it */
	struct pipa_sqlite *db;
	const struct pipa_frame_column *columns;
	size_t n_columns;
	char *name;
	sqlite3_stmt *insert;
	bool *is_set;
	struct pipa_buf clean;
};

/* Keep the first failure: the errno of the file if there was one, else by SQLite's code. */
static int keep_failure(struct pipa_sqlite *db, int code)
{
	if (db->status)
		return db->status;
	db->status = db->vfs.error ? db->vfs.error : code == SQLITE_NOMEM ? -ENOMEM : -EIO;
	snprintf(db->what, sizeof(db->what), "%s", db->db ? sqlite3_errmsg(db->db) : "");
	return db->status;
}

static int run(struct pipa_sqlite *db, const char *sql)
{
	int code = db->status ? SQLITE_OK : sqlite3_exec(db->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? db->status : keep_failure(db, code);
}

static int prepare(struct pipa_sqlite *db, const char *sql, sqlite3_stmt **ret)
{
	int code = db->status ? SQLITE_OK : sqlite3_prepare_v2(db->db, sql, -1, ret, NULL);

	return code == SQLITE_OK ? db->status : keep_failure(db, code);
}

/* Insert a row of the bound values and forget them. */
static int insert(struct pipa_sqlite *db, sqlite3_stmt *statement)
{
	int code = db->status ? SQLITE_DONE : sqlite3_step(statement);

	if (code != SQLITE_DONE)
		keep_failure(db, code);
	sqlite3_reset(statement);
	return db->status;
}

/* ---- the database --------------------------------------------------------------------------- */

/* Store a fact about a table and column, which may be NULL. */
static void put_fact(struct pipa_sqlite *db, const char *table, const char *column, const char *key,
		     const char *value)
{
	const char *const texts[] = { table, column, key, value };
	size_t i;

	if (db->status)
		return;
	for (i = 0; i < PIPA_COUNT(texts); i++) {
		if (texts[i])
			sqlite3_bind_text(db->fact, (int)i + 1, texts[i], -1, SQLITE_TRANSIENT);
		else
			sqlite3_bind_null(db->fact, (int)i + 1);
	}
	insert(db, db->fact);
}

int pipa_sqlite_open(const char *created_by, struct pipa_sqlite **ret, struct pipa_error *err)
{
	static const char begin[] =
		"PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		"PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8192; PRAGMA temp_store = FILE;"
		"PRAGMA application_id = 1346981953; PRAGMA user_version = 1;"
		"BEGIN;"
		"CREATE TABLE metadata (\"table\" TEXT, \"column\" TEXT, key TEXT NOT NULL, value TEXT);";
	PIPA_AUTO(pipa_sqlite_free) struct pipa_sqlite *db = calloc(1, sizeof(*db));
	int rc;

	_Static_assert(APPLICATION == 1346981953, "the id in the text above");
	if (!db)
		return pipa_fail(err, -ENOMEM, "create a database");
	rc = pipa_sqlite_vfs_init(&db->vfs);
	if (!rc && sqlite3_open_v2("export", &db->db,
				   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
				   db->vfs.name) != SQLITE_OK)
		rc = keep_failure(db, SQLITE_CANTOPEN);
	if (!rc)
		rc = run(db, begin);
	if (!rc)
		rc = prepare(db, "INSERT INTO metadata VALUES (?, ?, ?, ?)", &db->fact);
	if (rc < 0) {
		pipa_fail(err, rc, "create a database in %s", pipa_tmp_dir());
		return pipa_hint(err, "set TMPDIR to a writable directory");
	}
	put_fact(db, NULL, NULL, "created_by", created_by);
	*ret = db;
	db = NULL;
	return 0;
}

void pipa_sqlite_free(struct pipa_sqlite *db)
{
	if (!db)
		return;
	sqlite3_finalize(db->fact);
	sqlite3_close_v2(db->db);
	pipa_sqlite_vfs_done(&db->vfs);
	free(db);
}

int pipa_sqlite_run(struct pipa_sqlite *db, const char *sql, struct pipa_error *err)
{
	run(db, sql);
	return pipa_sqlite_check(db, err);
}

bool pipa_sqlite_has_row(struct pipa_sqlite *db, const char *query)
{
	sqlite3_stmt *statement = NULL;
	int code = prepare(db, query, &statement) == 0 ? sqlite3_step(statement) : SQLITE_DONE;

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		keep_failure(db, code);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW;
}

int pipa_sqlite_check(const struct pipa_sqlite *db, struct pipa_error *err)
{
	if (!db->status)
		return 0;
	if (!db->vfs.error)
		return pipa_refuse(err, db->status, "cannot write the database: %s", db->what);
	pipa_fail(err, db->status, "write the database in %s", pipa_tmp_dir());
	return pipa_hint(err, "set TMPDIR to a directory with free space");
}

int pipa_sqlite_finish(struct pipa_sqlite *db, int (*put)(void *ctx, const char *bytes, size_t len),
		       void *ctx, struct pipa_error *err)
{
	PIPA_AUTO(free) char *bytes = malloc(COPY);
	off_t offset = 0;
	ssize_t n;
	int rc;

	sqlite3_finalize(db->fact);
	db->fact = NULL;
	run(db, "COMMIT");
	rc = pipa_sqlite_check(db, err);
	if (rc < 0)
		return rc;
	if (!bytes)
		return pipa_fail(err, -ENOMEM, "copy the database");
	do {
		n = pread(db->vfs.fd, bytes, COPY, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pipa_fail(err, -errno, "read the database in %s", pipa_tmp_dir());
		rc = n ? put(ctx, bytes, (size_t)n) : 0;
		offset += n;
	} while (n && rc >= 0);
	return rc;
}

/* ---- tables --------------------------------------------------------------------------------- */

static struct table *table_of(struct pipa_frame_writer *w)
{
	return (struct table *)(void *)w;
}

static void put_number(struct pipa_frame_writer *w, size_t column, uint64_t value)
{
	struct table *t = table_of(w);

	t->is_set[column] = true;
	sqlite3_bind_int64(t->insert, (int)column + 1, (sqlite3_int64)value);
}

static void put_f64(struct pipa_frame_writer *w, size_t column, double value)
{
	struct table *t = table_of(w);

	t->is_set[column] = true;
	sqlite3_bind_double(t->insert, (int)column + 1, value);
}

static void put_text(struct pipa_frame_writer *w, size_t column, const char *text, size_t len)
{
	struct table *t = table_of(w);

	pipa_buf_reset(&t->clean);
	pipa_utf8_put_clean(&t->clean, text, len);
	if (t->clean.status) {
		keep_failure(t->db, SQLITE_NOMEM);
		return;
	}
	t->is_set[column] = true;
	if (sqlite3_bind_text(t->insert, (int)column + 1, pipa_buf_str(&t->clean),
			      (int)t->clean.len, SQLITE_TRANSIENT) != SQLITE_OK)
		keep_failure(t->db, SQLITE_NOMEM);
}

static int end_row(struct pipa_frame_writer *w)
{
	struct table *t = table_of(w);
	size_t i;

	for (i = 0; i < t->n_columns; i++) {
		if (!t->is_set[i]) {
			if (!t->columns[i].optional && !t->db->status)
				t->db->status = -EINVAL;
			sqlite3_bind_null(t->insert, (int)i + 1);
		}
		t->is_set[i] = false;
	}
	return insert(t->db, t->insert);
}

static int finish(struct pipa_frame_writer *w, const struct pipa_frame_fact *facts, size_t n)
{
	struct table *t = table_of(w);
	size_t i;

	for (i = 0; i < n; i++)
		put_fact(t->db, t->name, NULL, facts[i].key, facts[i].value);
	for (i = 0; i < t->n_columns; i++)
		if (t->columns[i].unit)
			put_fact(t->db, t->name, t->columns[i].name, "unit", t->columns[i].unit);
	return t->db->status;
}

static void table_free(struct pipa_frame_writer *w)
{
	struct table *t = table_of(w);

	sqlite3_finalize(t->insert);
	pipa_buf_done(&t->clean);
	free(t->name);
	free(t->is_set);
	free(t);
}

/* Append a quoted name. */
static void put_name(struct pipa_buf *sql, const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf clean = { .max = TEXT_MAX };
	const char *at;

	pipa_utf8_put_clean(&clean, name, strlen(name));
	pipa_buf_putc(sql, '"');
	for (at = pipa_buf_str(&clean); *at; at++) {
		if (*at == '"')
			pipa_buf_putc(sql, '"');
		pipa_buf_putc(sql, *at);
	}
	pipa_buf_putc(sql, '"');
}

static const char *type_name(enum pipa_frame_type type)
{
	switch (type) {
	case PIPA_FRAME_F64: return "REAL";
	case PIPA_FRAME_TEXT: return "TEXT";
	default: return "INTEGER";
	}
}

static int create_table(struct table *t)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf create = { .max = TEXT_MAX };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf values = { .max = TEXT_MAX };
	size_t i;

	pipa_buf_puts(&create, "CREATE TABLE ");
	put_name(&create, t->name);
	pipa_buf_puts(&values, "INSERT INTO ");
	put_name(&values, t->name);
	pipa_buf_puts(&values, " VALUES (");
	for (i = 0; i < t->n_columns; i++) {
		const struct pipa_frame_column *c = &t->columns[i];

		pipa_buf_puts(&create, i ? ", " : " (");
		put_name(&create, c->name);
		pipa_buf_printf(&create, " %s", type_name(c->type));
		if (strcmp(c->name, "id") == 0)
			pipa_buf_puts(&create, " PRIMARY KEY");
		else if (!c->optional)
			pipa_buf_puts(&create, " NOT NULL");
		pipa_buf_puts(&values, i ? ", ?" : "?");
	}
	pipa_buf_puts(&create, ")");
	pipa_buf_puts(&values, ")");
	if (create.status || values.status)
		return keep_failure(t->db, SQLITE_NOMEM);
	if (run(t->db, pipa_buf_str(&create)) < 0)
		return t->db->status;
	return prepare(t->db, pipa_buf_str(&values), &t->insert);
}

struct pipa_frame_writer *pipa_sqlite_table(struct pipa_sqlite *db, const char *name,
					    const struct pipa_frame_options *options)
{
	struct table *t = calloc(1, sizeof(*t));

	if (!t) {
		keep_failure(db, SQLITE_NOMEM);
		return NULL;
	}
	*t = (struct table){
		.writer = { put_number, put_f64, put_text, end_row, finish, table_free },
		.db = db,
		.columns = options->columns,
		.n_columns = options->n_columns,
		.name = strdup(name),
		.is_set = calloc(options->n_columns, sizeof(bool)),
		.clean = { .max = TEXT_MAX },
	};
	if (!t->name || !t->is_set)
		keep_failure(db, SQLITE_NOMEM);
	else
		create_table(t);
	if (!db->status)
		return &t->writer;
	table_free(&t->writer);
	return NULL;
}
