/* Writer of a store of results: statements, changes, and the transactions that commit them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "store/results/results_own.h"

/* ---- statements ------------------------------------------------------------------------------ */

int pipa_results_write_prepare(struct pipa_sqlite_results *store)
{
	const struct {
		sqlite3_stmt **statement;
		const char *sql;
	} all[] = {
		{ &store->put_label, "INSERT INTO meta.labels VALUES (?1, ?2, ?3, ?4) ON CONFLICT "
				     "DO UPDATE SET value = excluded.value" },
		{ &store->put_recording,
		  "INSERT INTO meta.recordings VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO "
		  "UPDATE SET upload_time_us = excluded.upload_time_us" },
		{ &store->find_recording, "SELECT 1 FROM meta.recordings WHERE "
					  "table_name = ?1 AND hash = ?2 AND id = ?3" },
		{ &store->has_recording, "SELECT 1 FROM meta.recordings WHERE id = ?1 LIMIT 1" },
		{ &store->list_recordings,
		  "SELECT id FROM meta.recordings WHERE table_name = ?1 AND hash = ?2" },
		{ &store->remove_recordings,
		  "DELETE FROM meta.recordings WHERE table_name = ?1 AND hash = ?2" },
		{ &store->remove_labels,
		  "DELETE FROM meta.labels WHERE table_name = ?1 AND hash = ?2" },
		{ &store->list_expired,
		  "SELECT id FROM meta.recordings WHERE upload_time_us < ?1" },
		{ &store->remove_expired, "DELETE FROM meta.recordings WHERE upload_time_us < ?1" },
	};
	int code = SQLITE_OK;
	size_t i;

	for (i = 0; i < PIPA_COUNT(all) && code == SQLITE_OK; i++)
		code = pipa_sqlite_prepare(store->db, all[i].statement, "%s", all[i].sql);
	return code;
}

void pipa_results_write_finalize(struct pipa_sqlite_results *store)
{
	sqlite3_finalize(store->put_label);
	sqlite3_finalize(store->put_recording);
	sqlite3_finalize(store->find_recording);
	sqlite3_finalize(store->has_recording);
	sqlite3_finalize(store->list_recordings);
	sqlite3_finalize(store->remove_recordings);
	sqlite3_finalize(store->remove_labels);
	sqlite3_finalize(store->list_expired);
	sqlite3_finalize(store->remove_expired);
}

/* Prepare the statements of a table, all or none: the next change tries again. */
static int prepare_table(struct pipa_sqlite_results *store, struct pipa_sqlite_table *table)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf columns = { 0 };
	int code, i;

	if (table->remove)
		return SQLITE_OK;
	pipa_sqlite_put_columns(&columns, "");
	pipa_buf_puts(&columns, ") VALUES (");
	for (i = 0; i < PIPA_RESULTS_COLUMNS; i++)
		pipa_buf_puts(&columns, i ? ", ?" : "?");
	if (columns.status)
		return SQLITE_NOMEM;
	code = pipa_sqlite_prepare(store->db, &table->insert,
				   "INSERT INTO results.\"%w\" (%s) ON CONFLICT (hash) DO NOTHING",
				   table->name, pipa_buf_str(&columns));
	if (code == SQLITE_OK)
		code = pipa_sqlite_prepare(
			store->db, &table->find,
			"SELECT upload_time, record FROM results.\"%w\" WHERE hash = ?1",
			table->name);
	if (code == SQLITE_OK)
		code = pipa_sqlite_prepare(store->db, &table->remove,
					   "DELETE FROM results.\"%w\" WHERE hash = ?1",
					   table->name);
	if (code != SQLITE_OK) {
		sqlite3_finalize(table->insert);
		sqlite3_finalize(table->find);
		table->insert = table->find = NULL;
	}
	return code;
}

static void bind_span(sqlite3_stmt *statement, int at, struct pipa_span text)
{
	sqlite3_bind_text64(statement, at, text.data ? (const char *)text.data : "", text.size,
			    SQLITE_STATIC, SQLITE_UTF8);
}

static void bind_string(sqlite3_stmt *statement, int at, const char *text)
{
	sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

/* Run a statement without rows and clear its parameters. Returns SQLITE_OK or the failure. */
static int run_statement(sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_DONE || code == SQLITE_ROW)
		code = sqlite3_reset(statement);
	else
		sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return code;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Ids of recordings that may have lost their last row. */
struct candidates {
	char (*items)[PIPA_RESULTS_HASH_CHARS + 1];
	size_t n, cap;
};

static int add_candidate(struct candidates *candidates, const char *id)
{
	char(*item)[PIPA_RESULTS_HASH_CHARS + 1];

	if (!id || strlen(id) != PIPA_RESULTS_HASH_CHARS)
		return SQLITE_OK;
	item = PIPA_VEC_ADD(candidates);
	if (!item)
		return SQLITE_NOMEM;
	memcpy(*item, id, sizeof(*item));
	return SQLITE_OK;
}

/* Format a local time. The text of the last second is kept: changes of one second share it. */
static void format_time(struct pipa_sqlite_results *store, uint64_t us,
			char text[static PIPA_RESULTS_DATETIME_SIZE])
{
	time_t seconds = (time_t)(us / 1000000);
	uint64_t rest = us % 1000000;
	struct tm tm = { 0 };
	size_t n = store->second_chars, i;

	if (!n || seconds != store->second) {
		localtime_r(&seconds, &tm);
		n = strftime(store->second_text, sizeof(store->second_text), "%Y-%m-%d %H:%M:%S",
			     &tm);
		store->second_chars = n;
		store->second = seconds;
	}
	memcpy(text, store->second_text, n);
	text[n++] = '.';
	for (i = 6; i-- > 0; rest /= 10)
		text[n + i] = (char)('0' + rest % 10);
	text[n + 6] = '\0';
}

/*
 * Make the record, by which the dashboard looks up a row: workload, local time, and a UUID that is derived from the
 * key. Without double quotes, because the dashboard puts it into double quotes. NULL on allocation failure.
 */
static char *make_record(const struct pipa_results_change *change)
{
	static const struct {
		uint8_t from, to;
		char before[4];
	} parts[] = {
		{ 0, 8, " " }, { 8, 12, "-" }, { 12, 15, "-4" }, { 15, 18, "-a" }, { 18, 30, "-" }
	};
	struct pipa_span workload = change->result.values[PIPA_RESULT_WORKLOAD].text;
	struct pipa_buf text = { .max = SIZE_MAX };
	size_t i;

	if (pipa_result_has(&change->result, PIPA_RESULT_WORKLOAD) && workload.size) {
		pipa_buf_add(&text, workload.data, workload.size);
		for (i = 0; i < text.len; i++)
			if (text.data[i] == '"')
				text.data[i] = '\'';
			else if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
				text.data[i] = ' ';
		pipa_buf_putc(&text, ' ');
	}
	pipa_buf_puts(&text, change->datetime);
	for (i = 0; i < PIPA_COUNT(parts); i++) {
		pipa_buf_puts(&text, parts[i].before);
		pipa_buf_add(&text, change->hash + parts[i].from, parts[i].to - parts[i].from);
	}
	return pipa_buf_take(&text);
}

static int bind_result(sqlite3_stmt *insert, const struct pipa_result *result,
		       struct pipa_buf *threads)
{
	int i;

	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		const union pipa_result_value *value = &result->values[i];
		int at = PIPA_RESULTS_FIRST_FIELD + i;

		if (!pipa_result_has(result, (enum pipa_result_field)i)) {
			/* a text without presence is never NULL: the dashboard joins texts */
			if (pipa_result_fields[i].type == PIPA_RESULT_TEXT &&
			    !pipa_result_fields[i].is_explicit)
				bind_string(insert, at, "");
			continue;
		}
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT: bind_span(insert, at, value->text); break;
		case PIPA_RESULT_UINT64:
			sqlite3_bind_int64(insert, at, (sqlite3_int64)value->number);
			break;
		case PIPA_RESULT_DOUBLE: sqlite3_bind_double(insert, at, value->real); break;
		case PIPA_RESULT_LIST:
			pipa_result_put_list(threads, value->list.items, value->list.n);
			bind_string(insert, at, pipa_buf_str(threads));
		}
	}
	return threads->status ? SQLITE_NOMEM : SQLITE_OK;
}

/* Set time and record of the row that has this key. Returns SQLITE_ROW, SQLITE_DONE if there is none, or a failure. */
static int find_row(struct pipa_sqlite_results *store, struct pipa_results_change *change,
		    struct pipa_span hash)
{
	sqlite3_stmt *find = change->table->find;
	const char *record;
	int code;

	bind_span(find, 1, hash);
	code = sqlite3_step(find);
	if (code == SQLITE_ROW) {
		double seconds = sqlite3_column_double(find, 0);

		record = (const char *)sqlite3_column_text(find, 1);
		free(change->record);
		change->record = record || sqlite3_column_type(find, 1) == SQLITE_NULL ?
					 strdup(record ? record : "") :
					 NULL;
		change->outcome.upload_time_us = seconds > 0 && seconds < 1e12 ?
							 (uint64_t)(seconds * 1e6 + 0.5) :
							 0;
		format_time(store, change->outcome.upload_time_us, change->datetime);
		if (!change->record)
			code = SQLITE_NOMEM;
	}
	sqlite3_reset(find);
	return code;
}

static int do_upload(struct pipa_sqlite_results *store, struct pipa_results_change *change)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf threads = { 0 };
	sqlite3_stmt *insert = change->table->insert;
	uint64_t now = store->now_us(store->ctx);
	size_t i;
	int code;

	/* times are in the order of the rows */
	store->last_us = now > store->last_us ? now : store->last_us + 1;
	change->outcome.upload_time_us = store->last_us;
	format_time(store, store->last_us, change->datetime);
	change->record = make_record(change);
	if (!change->record)
		return SQLITE_NOMEM;
	bind_string(insert, 1, change->hash);
	sqlite3_bind_double(insert, 2, (double)store->last_us / 1e6);
	bind_string(insert, 3, change->record);
	code = bind_result(insert, &change->result, &threads);
	if (code == SQLITE_OK)
		code = run_statement(insert);
	if (code == SQLITE_OK && !sqlite3_changes(store->db)) {
		change->outcome.existed = true;
		code = find_row(store, change,
				(struct pipa_span){ (const uint8_t *)change->hash,
						    PIPA_RESULTS_HASH_CHARS });
		code = code == SQLITE_ROW ? SQLITE_OK : code;
	}
	for (i = 0; i < change->n_labels && code == SQLITE_OK; i++) {
		bind_string(store->put_label, 1, change->table->name);
		bind_string(store->put_label, 2, change->hash);
		bind_span(store->put_label, 3, change->labels[i].key);
		bind_span(store->put_label, 4, change->labels[i].value);
		code = run_statement(store->put_label);
	}
	return code;
}

static int do_remove(struct pipa_sqlite_results *store, struct pipa_results_change *change,
		     struct candidates *candidates)
{
	int code = SQLITE_OK;
	size_t i;

	for (i = 0; i < change->n_hashes && code == SQLITE_OK; i++) {
		sqlite3_stmt *list = store->list_recordings;
		sqlite3_stmt *const of_meta[] = { store->remove_recordings, store->remove_labels };
		size_t s;

		bind_string(list, 1, change->table->name);
		bind_span(list, 2, change->hashes[i]);
		while (code == SQLITE_OK && (code = sqlite3_step(list)) == SQLITE_ROW) {
			code = add_candidate(candidates,
					     (const char *)sqlite3_column_text(list, 0));
			change->outcome.recordings++;
		}
		sqlite3_reset(list);
		code = code == SQLITE_DONE ? SQLITE_OK : code;
		for (s = 0; s < PIPA_COUNT(of_meta) && code == SQLITE_OK; s++) {
			bind_string(of_meta[s], 1, change->table->name);
			bind_span(of_meta[s], 2, change->hashes[i]);
			code = run_statement(of_meta[s]);
		}
		if (code != SQLITE_OK)
			break;
		bind_span(change->table->remove, 1, change->hashes[i]);
		code = run_statement(change->table->remove);
		change->outcome.runs += (uint64_t)sqlite3_changes(store->db);
	}
	return code;
}

/* Refuse a change without failing the transaction. */
static int refuse_change(struct pipa_results_change *change, int rc, const char *what)
{
	change->outcome.status = rc;
	pipa_refuse(&change->outcome.err, rc, "%s", what);
	return SQLITE_OK;
}

static int do_attach(struct pipa_sqlite_results *store, struct pipa_results_change *change,
		     struct candidates *candidates)
{
	const struct pipa_results_recording *recording = &change->recording;
	sqlite3_stmt *put = store->put_recording, *find = store->find_recording;
	int code = find_row(store, change, change->hashes[0]);

	if (code == SQLITE_DONE)
		return refuse_change(change, -ENOENT,
				     "cannot attach a recording: no run with this hash");
	if (code != SQLITE_ROW)
		return code;
	code = add_candidate(candidates, (const char *)recording->id.data);
	if (code != SQLITE_OK)
		return code;
	/* only the writer thread removes files: none is removed between rename and commit */
	if (renameat(store->dir_fd, change->temporary, store->dir_fd,
		     (const char *)recording->id.data) < 0) {
		change->outcome.status = -errno;
		pipa_fail(&change->outcome.err, -errno, "rename a recording");
		return SQLITE_OK;
	}
	bind_string(find, 1, change->table->name);
	bind_span(find, 2, change->hashes[0]);
	bind_span(find, 3, recording->id);
	code = sqlite3_step(find);
	sqlite3_reset(find);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return code;
	change->outcome.existed = code == SQLITE_ROW;
	bind_string(put, 1, change->table->name);
	bind_span(put, 2, change->hashes[0]);
	bind_span(put, 3, recording->id);
	bind_span(put, 4, recording->name);
	sqlite3_bind_int64(put, 5, (sqlite3_int64)recording->size);
	/* also of a recording that exists: its retention starts again */
	change->outcome.upload_time_us = store->now_us(store->ctx);
	sqlite3_bind_int64(put, 6, (sqlite3_int64)change->outcome.upload_time_us);
	return run_statement(put);
}

static int do_expire(struct pipa_sqlite_results *store, struct pipa_results_change *change,
		     struct candidates *candidates)
{
	sqlite3_stmt *list = store->list_expired;
	int code = SQLITE_OK;

	sqlite3_bind_int64(list, 1, (sqlite3_int64)change->before_us);
	while (code == SQLITE_OK && (code = sqlite3_step(list)) == SQLITE_ROW)
		code = add_candidate(candidates, (const char *)sqlite3_column_text(list, 0));
	sqlite3_reset(list);
	if (code != SQLITE_DONE)
		return code;
	sqlite3_bind_int64(store->remove_expired, 1, (sqlite3_int64)change->before_us);
	code = run_statement(store->remove_expired);
	change->outcome.recordings = (uint64_t)sqlite3_changes(store->db);
	return code;
}

static int do_change(struct pipa_sqlite_results *store, struct pipa_results_change *change,
		     struct candidates *candidates)
{
	int code = prepare_table(store, change->table);

	if (code != SQLITE_OK)
		return code;
	switch (change->kind) {
	case PIPA_RESULTS_UPLOAD: return do_upload(store, change);
	case PIPA_RESULTS_REMOVE: return do_remove(store, change, candidates);
	case PIPA_RESULTS_ATTACH: return do_attach(store, change, candidates);
	default: return do_expire(store, change, candidates);
	}
}

/* ---- transactions ---------------------------------------------------------------------------- */

/* Remove the files of recordings that have lost their last row. */
static void remove_unused(struct pipa_sqlite_results *store, const struct candidates *candidates)
{
	size_t i;

	for (i = 0; i < candidates->n; i++) {
		int code;

		bind_string(store->has_recording, 1, candidates->items[i]);
		code = sqlite3_step(store->has_recording);
		sqlite3_reset(store->has_recording);
		if (code == SQLITE_DONE)
			unlinkat(store->dir_fd, candidates->items[i], 0);
	}
}

static void note_outcome(struct pipa_sqlite_results *store, int status, const char *text)
{
	struct pipa_results_counters *counters = &store->base.counters;

	pthread_mutex_lock(&store->lock);
	atomic_fetch_add(status < 0 ? &counters->failures : &counters->commits, 1);
	store->failure = status;
	snprintf(store->failure_text, sizeof(store->failure_text), "%s", text);
	pthread_mutex_unlock(&store->lock);
}

/*
 * Commit the transaction. Returns SQLite's code, and in *ret_system the errno of a limit of the disk: SQLite keeps no errno
 * of a COMMIT that has failed.
 */
static int commit(struct pipa_sqlite_results *store, int *ret_system)
{
	int code;

	errno = 0;
	code = pipa_sqlite_exec(store->db, "COMMIT");
	if ((code & 0xff) == SQLITE_IOERR && (errno == EFBIG || errno == EDQUOT))
		*ret_system = errno;
	store->has_leftovers |= code != SQLITE_OK;
	return code;
}

/* Commit changes in one transaction. All of them fail if it does. */
static void commit_batch(struct pipa_sqlite_results *store, struct pipa_results_change *batch)
{
	struct pipa_results_counters *counters = &store->base.counters;
	struct candidates candidates = { 0 };
	struct pipa_results_change *change;
	struct pipa_error err = { 0 };
	bool has_files = false;
	int code, system = 0, rc = 0;

	if (store->has_leftovers)
		store->has_leftovers = pipa_results_leftovers_remove_labels(store) != SQLITE_OK;
	code = pipa_sqlite_exec(store->db, "BEGIN IMMEDIATE");
	for (change = batch; change && code == SQLITE_OK; change = change->next) {
		code = do_change(store, change, &candidates);
		has_files |= change->kind == PIPA_RESULTS_ATTACH;
	}
	if (code == SQLITE_OK && has_files && fsync(store->dir_fd) < 0)
		rc = pipa_fail(&err, -errno, "sync %s", store->dir);
	if (code == SQLITE_OK && !rc)
		code = commit(store, &system);
	if (code != SQLITE_OK)
		rc = pipa_sqlite_fail(store->db, code, &err, "change the database %s", store->path);
	if (system)
		rc = pipa_fail(&err, -system, "change the database %s", store->path);
	if (rc < 0 && !sqlite3_get_autocommit(store->db))
		pipa_sqlite_exec(store->db, "ROLLBACK");
	note_outcome(store, rc, err.what);
	for (change = batch; !rc && change; change = change->next)
		atomic_fetch_add(&counters->changes, 1);
	remove_unused(store, &candidates);
	free(candidates.items);
	for (change = batch; rc < 0 && change; change = change->next) {
		change->outcome.status = rc;
		change->outcome.err = err;
	}
}

void pipa_results_write_loop(void *ctx)
{
	struct pipa_sqlite_results *store = ctx;
	struct pipa_results_change *batch, *next;

	pipa_results_wal_watch(store);
	while ((batch = pipa_results_queue_take(store))) {
		commit_batch(store, batch);
		for (; batch; batch = next) {
			next = batch->next;
			pipa_results_queue_answer(batch);
		}
		pipa_results_wal_copy(store);
	}
}
