#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "store/results/results_own.h"

enum {
	PAGE_ROWS = 256,
	PAGE_BYTES = 1 << 20,
	PARAMS_MAX = 3 * PIPA_RESULTS_LABELS_MAX + 8,
	AFTER = 1, /* number of the parameter: rows after this one */
	LAST = 2,  /* number of the parameter: rows up to this one */
	FIRST_FREE = 3,
};

/* A value of the query: a text, or a time. */
struct param {
	char *text;
	size_t len;
	double real;
};

/*
 * A scan reads pages of rows, each in its own transaction: a long transaction of a slow reader would let the WAL grow.
 */
struct pipa_results_scan {
	struct pipa_sqlite_results *store;
	sqlite3 *db;
	sqlite3_stmt *page, *labels, *recordings;
	const char *table;
	struct param params[PARAMS_MAX];
	int n_params;
	bool newest_first, at_end;
	sqlite3_int64 after, last;
	struct pipa_arena arena; /* of the rows of the page */
	struct pipa_results_run rows[PAGE_ROWS];
	size_t n, at;
};

/* ---- connections --------------------------------------------------------------------------------- */

static int borrow_connection(struct pipa_sqlite_results *store, sqlite3 **ret,
			     struct pipa_error *err)
{
	sqlite3 *db = NULL;
	int rc;

	pthread_mutex_lock(&store->lock);
	if (store->readers.n)
		db = store->readers.items[--store->readers.n].db;
	pthread_mutex_unlock(&store->lock);
	if (db) {
		*ret = db;
		return 0;
	}
	rc = pipa_sqlite_connect(store->path, store->meta_path, false, &db, err);
	if (!rc && pipa_sqlite_exec(db, "PRAGMA query_only = ON") != SQLITE_OK) {
		sqlite3_close_v2(db);
		rc = pipa_fail(err, -EIO, "open the database %s", store->path);
	}
	if (!rc)
		*ret = db;
	return rc;
}

static void return_connection(struct pipa_sqlite_results *store, sqlite3 *db)
{
	struct pipa_results_reader *slot = NULL;

	pthread_mutex_lock(&store->lock);
	if (store->readers.n < PIPA_RESULTS_READERS)
		slot = PIPA_VEC_ADD(&store->readers);
	if (slot)
		slot->db = db;
	pthread_mutex_unlock(&store->lock);
	if (!slot)
		sqlite3_close_v2(db);
}

/* ---- the query ----------------------------------------------------------------------------------- */

/* Append a condition with one value. */
static void add_text(struct pipa_results_scan *scan, struct pipa_buf *sql, const char *condition,
		     struct pipa_span text)
{
	struct param *param = &scan->params[scan->n_params++];

	pipa_buf_printf(sql, "%s?%d", condition, FIRST_FREE + scan->n_params - 1);
	param->text = malloc(text.size + 1);
	param->len = text.size;
	if (!param->text)
		sql->status = -ENOMEM;
	else if (text.size)
		memcpy(param->text, text.data, text.size);
}

static void add_time(struct pipa_results_scan *scan, struct pipa_buf *sql, const char *condition,
		     uint64_t us)
{
	if (!us)
		return;
	pipa_buf_printf(sql, "%s?%d", condition, FIRST_FREE + scan->n_params);
	scan->params[scan->n_params++].real = (double)us / 1e6;
}

static void put_conditions(struct pipa_results_scan *scan, const struct pipa_results_filter *filter,
			   struct pipa_buf *sql)
{
	const struct {
		const char *condition;
		struct pipa_span text;
	} equal[] = {
		{ " AND t.hash = ", filter->hash },
		{ " AND t.workload = ", filter->workload },
		{ " AND t.platform = ", filter->platform },
		{ " AND t.username = ", filter->username },
	};
	struct pipa_span table = { (const uint8_t *)scan->table, strlen(scan->table) };
	size_t i;

	for (i = 0; i < PIPA_COUNT(equal); i++)
		if (equal[i].text.size)
			add_text(scan, sql, equal[i].condition, equal[i].text);
	add_time(scan, sql, " AND t.upload_time >= ", filter->since_us);
	add_time(scan, sql, " AND t.upload_time < ", filter->until_us);
	for (i = 0; i < filter->n_labels; i++) {
		add_text(scan, sql,
			 " AND EXISTS (SELECT 1 FROM meta.labels l WHERE l.hash = t.hash AND "
			 "l.table_name = ",
			 table);
		add_text(scan, sql, " AND l.key = ", filter->labels[i].key);
		if (filter->labels[i].value.data)
			add_text(scan, sql, " AND l.value = ", filter->labels[i].value);
		pipa_buf_putc(sql, ')');
	}
}

static int prepare(struct pipa_results_scan *scan, const struct pipa_results_filter *filter)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf columns = { 0 }, conditions = { 0 };
	sqlite3_stmt *last = NULL;
	int code;

	pipa_sqlite_put_columns(&columns, "t.");
	put_conditions(scan, filter, &conditions);
	if (columns.status || conditions.status)
		return SQLITE_NOMEM;
	code = pipa_sqlite_prepare(
		scan->db, &scan->page,
		"SELECT t.rowid, %s FROM results.\"%w\" AS t WHERE t.rowid %s ?%d "
		"AND t.rowid <= ?%d%s ORDER BY t.rowid%s LIMIT %d",
		pipa_buf_str(&columns), scan->table, filter->newest_first ? "<" : ">", AFTER, LAST,
		pipa_buf_str(&conditions), filter->newest_first ? " DESC" : "", PAGE_ROWS);
	if (code == SQLITE_OK && filter->with_labels)
		code = pipa_sqlite_prepare(scan->db, &scan->labels,
					   "SELECT key, value FROM meta.labels WHERE table_name = "
					   "?1 AND hash = ?2 ORDER BY key");
	if (code == SQLITE_OK && filter->with_labels)
		code = pipa_sqlite_prepare(scan->db, &scan->recordings,
					   "SELECT id, name, size, upload_time_us FROM "
					   "meta.recordings WHERE table_name = ?1 AND hash = ?2 "
					   "ORDER BY upload_time_us, id");
	if (code == SQLITE_OK)
		code = pipa_sqlite_prepare(scan->db, &last,
					   "SELECT coalesce(max(rowid), 0) FROM results.\"%w\"",
					   scan->table);
	if (code == SQLITE_OK)
		code = sqlite3_step(last);
	if (code == SQLITE_ROW)
		scan->last = sqlite3_column_int64(last, 0);
	sqlite3_finalize(last);
	return code == SQLITE_ROW ? SQLITE_OK : code;
}

int pipa_results_read_scan(struct pipa_results *base, const struct pipa_results_filter *filter,
			   struct pipa_results_scan **ret, struct pipa_error *err)
{
	struct pipa_sqlite_results *store = pipa_sqlite_results_of(base);
	struct pipa_sqlite_table *table;
	struct pipa_results_scan *scan;
	int code, rc;

	if (filter->n_labels > PIPA_RESULTS_LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "cannot read results: more than %d labels",
				   PIPA_RESULTS_LABELS_MAX);
	table = pipa_sqlite_results_table(store, filter->table, err);
	if (!table)
		return -ENOENT;
	scan = calloc(1, sizeof(*scan));
	if (!scan)
		return pipa_fail(err, -ENOMEM, "read results");
	scan->store = store;
	scan->table = table->name;
	scan->newest_first = filter->newest_first;
	rc = borrow_connection(store, &scan->db, err);
	if (!rc) {
		code = prepare(scan, filter);
		if (code != SQLITE_OK)
			rc = pipa_sqlite_fail(scan->db, code, err, "read the database %s",
					      store->path);
	}
	scan->after = filter->after && filter->after <= INT64_MAX ? (sqlite3_int64)filter->after :
		      filter->newest_first			  ? INT64_MAX :
								    0;
	if (rc < 0)
		pipa_results_read_end(scan);
	else
		*ret = scan;
	return rc;
}

void pipa_results_read_end(struct pipa_results_scan *scan)
{
	int i;

	sqlite3_finalize(scan->page);
	sqlite3_finalize(scan->labels);
	sqlite3_finalize(scan->recordings);
	if (scan->db)
		return_connection(scan->store, scan->db);
	for (i = 0; i < scan->n_params; i++)
		free(scan->params[i].text);
	pipa_arena_done(&scan->arena);
	free(scan);
}

/* ---- rows ---------------------------------------------------------------------------------------- */

static int copy_text(struct pipa_results_scan *scan, sqlite3_stmt *row, int column,
		     struct pipa_span *ret)
{
	const void *text = sqlite3_column_text(row, column);
	size_t len = (size_t)sqlite3_column_bytes(row, column);
	char *copy;

	if (!text && sqlite3_column_type(row, column) != SQLITE_NULL)
		return SQLITE_NOMEM; /* only the conversion to a string can fail */
	copy = pipa_arena_text(&scan->arena, text ? text : "", text ? len : 0);
	if (!copy)
		return SQLITE_NOMEM;
	*ret = (struct pipa_span){ (const uint8_t *)copy, text ? len : 0 };
	return SQLITE_OK;
}

static int copy_list(struct pipa_results_scan *scan, struct pipa_span text,
		     struct pipa_result *result)
{
	uint32_t *items = NULL;
	ptrdiff_t n = pipa_result_parse_list(text, NULL, 0);

	if (n > 0) {
		items = pipa_arena_take(&scan->arena, (size_t)n * sizeof(*items));
		if (!items)
			return SQLITE_NOMEM;
		pipa_result_parse_list(text, items, (size_t)n);
	}
	pipa_result_set_list(result, items, n > 0 ? (size_t)n : 0);
	return SQLITE_OK;
}

/* Read a number; files of PIPA's server may have large ones as floating point. */
static uint64_t number_of(sqlite3_stmt *row, int column)
{
	double real;

	if (sqlite3_column_type(row, column) != SQLITE_FLOAT) {
		sqlite3_int64 number = sqlite3_column_int64(row, column);

		return number > 0 ? (uint64_t)number : 0;
	}
	real = sqlite3_column_double(row, column);
	return real >= 18446744073709551615.0 ? UINT64_MAX : real > 0 ? (uint64_t)real : 0;
}

static uint64_t us_of(double seconds)
{
	return seconds > 0 && seconds < 1e12 ? (uint64_t)(seconds * 1e6 + 0.5) : 0;
}

static int copy_row(struct pipa_results_scan *scan, struct pipa_results_run *run)
{
	sqlite3_stmt *row = scan->page;
	struct pipa_result *result = &run->result;
	struct pipa_span text;
	int code, i;

	*run = (struct pipa_results_run){ .position = (uint64_t)sqlite3_column_int64(row, 0) };
	code = copy_text(scan, row, 1, &run->hash);
	run->upload_time_us = us_of(sqlite3_column_double(row, 2));
	if (code == SQLITE_OK)
		code = copy_text(scan, row, 3, &run->record);
	for (i = 1; i <= PIPA_RESULT_FIELDS && code == SQLITE_OK; i++) {
		enum pipa_result_field field = (enum pipa_result_field)i;
		int column = 1 + PIPA_RESULTS_FIRST_FIELD + i - 1;

		if (sqlite3_column_type(row, column) == SQLITE_NULL)
			continue;
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT:
			code = copy_text(scan, row, column, &text);
			if (code == SQLITE_OK)
				pipa_result_set_text(result, field, text);
			break;
		case PIPA_RESULT_UINT64:
			pipa_result_set_number(result, field, number_of(row, column));
			break;
		case PIPA_RESULT_DOUBLE:
			pipa_result_set_real(result, field, sqlite3_column_double(row, column));
			break;
		case PIPA_RESULT_LIST:
			code = copy_text(scan, row, column, &text);
			if (code == SQLITE_OK)
				code = copy_list(scan, text, result);
		}
	}
	return code;
}

static void bind_row(struct pipa_results_scan *scan, sqlite3_stmt *query,
		     const struct pipa_results_run *run)
{
	sqlite3_bind_text(query, 1, scan->table, -1, SQLITE_STATIC);
	sqlite3_bind_text(query, 2, (const char *)run->hash.data, (int)run->hash.size,
			  SQLITE_STATIC);
}

struct label_list {
	struct pipa_results_label *items;
	size_t n, cap;
};

struct recording_list {
	struct pipa_results_recording *items;
	size_t n, cap;
};

/* Read labels and recordings of a row. The lists are scratch memory. */
static int copy_details(struct pipa_results_scan *scan, struct pipa_results_run *run,
			struct label_list *labels, struct recording_list *recordings)
{
	int code = SQLITE_OK;
	void *items;

	labels->n = recordings->n = 0;
	bind_row(scan, scan->labels, run);
	while (code == SQLITE_OK && (code = sqlite3_step(scan->labels)) == SQLITE_ROW) {
		struct pipa_results_label *label = PIPA_VEC_ADD(labels);

		code = label ? copy_text(scan, scan->labels, 0, &label->key) : SQLITE_NOMEM;
		if (code == SQLITE_OK)
			code = copy_text(scan, scan->labels, 1, &label->value);
	}
	sqlite3_reset(scan->labels);
	if (code != SQLITE_DONE)
		return code;
	code = SQLITE_OK;
	bind_row(scan, scan->recordings, run);
	while (code == SQLITE_OK && (code = sqlite3_step(scan->recordings)) == SQLITE_ROW) {
		struct pipa_results_recording *recording = PIPA_VEC_ADD(recordings);

		code = recording ? copy_text(scan, scan->recordings, 0, &recording->id) :
				   SQLITE_NOMEM;
		if (code == SQLITE_OK)
			code = copy_text(scan, scan->recordings, 1, &recording->name);
		if (code == SQLITE_OK) {
			recording->size = (uint64_t)sqlite3_column_int64(scan->recordings, 2);
			recording->upload_time_us = (uint64_t)sqlite3_column_int64(scan->recordings,
										   3);
		}
	}
	sqlite3_reset(scan->recordings);
	if (code != SQLITE_DONE)
		return code;
	if (labels->n) {
		items = pipa_arena_take(&scan->arena, labels->n * sizeof(*labels->items));
		if (!items)
			return SQLITE_NOMEM;
		run->labels = memcpy(items, labels->items, labels->n * sizeof(*labels->items));
		run->n_labels = labels->n;
	}
	if (recordings->n) {
		items = pipa_arena_take(&scan->arena, recordings->n * sizeof(*recordings->items));
		if (!items)
			return SQLITE_NOMEM;
		run->recordings = memcpy(items, recordings->items,
					 recordings->n * sizeof(*recordings->items));
		run->n_recordings = recordings->n;
	}
	return SQLITE_OK;
}

static void bind_params(struct pipa_results_scan *scan)
{
	int i;

	sqlite3_bind_int64(scan->page, AFTER, scan->after);
	sqlite3_bind_int64(scan->page, LAST, scan->last);
	for (i = 0; i < scan->n_params; i++) {
		const struct param *param = &scan->params[i];

		if (param->text)
			sqlite3_bind_text64(scan->page, FIRST_FREE + i, param->text, param->len,
					    SQLITE_STATIC, SQLITE_UTF8);
		else
			sqlite3_bind_double(scan->page, FIRST_FREE + i, param->real);
	}
}

/* Read the next rows into memory. Returns SQLITE_OK or the failure. */
static int read_page(struct pipa_results_scan *scan)
{
	struct recording_list recordings = { 0 };
	struct label_list labels = { 0 };
	int code = SQLITE_OK;
	size_t i;

	pipa_arena_done(&scan->arena);
	scan->arena = (struct pipa_arena){ 0 };
	scan->n = scan->at = 0;
	bind_params(scan);
	while (code == SQLITE_OK && scan->n < PAGE_ROWS && scan->arena.bytes < PAGE_BYTES) {
		code = sqlite3_step(scan->page);
		if (code != SQLITE_ROW)
			break;
		code = copy_row(scan, &scan->rows[scan->n]);
		scan->n += code == SQLITE_OK;
	}
	sqlite3_reset(scan->page);
	scan->at_end = code == SQLITE_DONE;
	if (code == SQLITE_DONE)
		code = SQLITE_OK;
	if (scan->n)
		scan->after = (sqlite3_int64)scan->rows[scan->n - 1].position;
	for (i = 0; i < scan->n && scan->labels && code == SQLITE_OK; i++)
		code = copy_details(scan, &scan->rows[i], &labels, &recordings);
	free(labels.items);
	free(recordings.items);
	return code;
}

int pipa_results_read_next(struct pipa_results_scan *scan, const struct pipa_results_run **ret,
			   struct pipa_error *err)
{
	while (scan->at == scan->n) {
		int code;

		if (scan->at_end)
			return 0;
		code = read_page(scan);
		if (code != SQLITE_OK)
			return pipa_sqlite_fail(scan->db, code, err, "read the database %s",
						scan->store->path);
	}
	*ret = &scan->rows[scan->at++];
	return 1;
}

/* ---- tables -------------------------------------------------------------------------------------- */

int pipa_results_read_tables(struct pipa_results *base,
			     int (*each)(void *ctx, const struct pipa_results_table *table),
			     void *ctx, struct pipa_error *err)
{
	struct pipa_sqlite_results *store = pipa_sqlite_results_of(base);
	int code = SQLITE_OK, rc;
	sqlite3 *db = NULL;
	size_t i;

	rc = borrow_connection(store, &db, err);
	if (rc < 0)
		return rc;
	for (i = 0; i < store->tables.n && rc >= 0; i++) {
		const struct pipa_sqlite_table *table = &store->tables.items[i];
		struct pipa_results_table info = { .name = table->name,
						   .is_default = table->is_default };
		sqlite3_stmt *query = NULL;

		code = pipa_sqlite_prepare(
			db, &query,
			"SELECT (SELECT count(*) FROM results.\"%w\"),"
			"(SELECT upload_time FROM results.\"%w\" ORDER BY rowid LIMIT 1),"
			"(SELECT upload_time FROM results.\"%w\" ORDER BY rowid DESC LIMIT 1)",
			table->name, table->name, table->name);
		if (code == SQLITE_OK)
			code = sqlite3_step(query);
		if (code == SQLITE_ROW) {
			info.rows = (uint64_t)sqlite3_column_int64(query, 0);
			info.first_us = us_of(sqlite3_column_double(query, 1));
			info.last_us = us_of(sqlite3_column_double(query, 2));
		}
		if (code != SQLITE_ROW)
			rc = pipa_sqlite_fail(db, code, err, "read the database %s", store->path);
		sqlite3_finalize(query);
		if (rc >= 0)
			rc = each(ctx, &info);
	}
	return_connection(store, db);
	return rc;
}
