#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "rpc/result_hash.h"
#include "store/results/results_own.h"

enum {
	BATCH_MAX = 1024, /* changes per transaction */
	QUEUE_BYTES_MAX = 256 << 20,
};

enum change_kind { UPLOAD, REMOVE, ATTACH, EXPIRE };

/* A queued change: one block with copies of everything. */
struct pipa_results_change {
	struct pipa_results_change *next;
	enum change_kind kind;
	size_t size; /* of the block */
	struct pipa_sqlite_table *table;
	pipa_results_done done;
	void *ctx;
	struct pipa_results_outcome outcome;
	char hash[PIPA_RESULTS_HASH_CHARS + 1];
	char datetime[PIPA_RESULTS_DATETIME_SIZE];
	char *record; /* of an upload; malloc'd by the writer */
	/* upload */
	struct pipa_result result;
	struct pipa_results_label *labels;
	size_t n_labels;
	/* remove, attach */
	struct pipa_span *hashes;
	size_t n_hashes;
	struct pipa_results_recording recording;
	char *temporary;
	/* expire */
	uint64_t before_us;
};

/* ---- queueing ------------------------------------------------------------------------------------ */

/* Memory of a change: what is copied is first measured, then placed after the struct. */
struct copier {
	char *pos; /* NULL: measuring */
	size_t size;
};

static void *copy_bytes(struct copier *c, const void *bytes, size_t size)
{
	size_t take = (size + 1 + 15) & ~(size_t)15; /* a NUL, and alignment */
	char *to = c->pos;

	c->size += take;
	if (!to)
		return NULL;
	c->pos += take;
	if (size)
		memcpy(to, bytes, size);
	to[size] = '\0';
	return to;
}

static struct pipa_span copy_span(struct copier *c, struct pipa_span span)
{
	return (struct pipa_span){ copy_bytes(c, span.data, span.size), span.size };
}

static void copy_result(struct copier *c, const struct pipa_result *from, struct pipa_result *to)
{
	int i;

	*to = *from;
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		union pipa_result_value *value = &to->values[i];

		if (!pipa_result_has(from, (enum pipa_result_field)i))
			continue;
		if (pipa_result_fields[i].type == PIPA_RESULT_TEXT)
			value->text = copy_span(c, value->text);
		else if (pipa_result_fields[i].type == PIPA_RESULT_LIST)
			value->list.items = copy_bytes(c, value->list.items,
						       value->list.n * sizeof(uint32_t));
	}
}

static void copy_labels(struct copier *c, const struct pipa_results_label *from, size_t n,
			struct pipa_results_change *to)
{
	size_t i;

	to->labels = copy_bytes(c, from, n * sizeof(*from));
	to->n_labels = n;
	for (i = 0; i < n; i++) {
		struct pipa_span key = copy_span(c, from[i].key);
		struct pipa_span value = copy_span(c, from[i].value);

		if (to->labels)
			to->labels[i] = (struct pipa_results_label){ key, value };
	}
}

static void copy_hashes(struct copier *c, const struct pipa_span *from, size_t n,
			struct pipa_results_change *to)
{
	size_t i;

	to->hashes = copy_bytes(c, from, n * sizeof(*from));
	to->n_hashes = n;
	for (i = 0; i < n; i++) {
		struct pipa_span hash = copy_span(c, from[i]);

		if (to->hashes)
			to->hashes[i] = hash;
	}
}

/* What a change is made of; unused parts are empty. */
struct draft {
	enum change_kind kind;
	struct pipa_span table;
	const struct pipa_result *result;
	const struct pipa_results_label *labels;
	size_t n_labels;
	const struct pipa_span *hashes;
	size_t n_hashes;
	const struct pipa_results_recording *recording;
	const char *temporary;
	uint64_t before_us;
	pipa_results_done done;
	void *ctx;
};

static void copy_draft(struct copier *c, const struct draft *draft, struct pipa_results_change *to)
{
	if (draft->result)
		copy_result(c, draft->result, &to->result);
	copy_labels(c, draft->labels, draft->n_labels, to);
	copy_hashes(c, draft->hashes, draft->n_hashes, to);
	if (draft->recording) {
		to->recording = *draft->recording;
		to->recording.id = copy_span(c, draft->recording->id);
		to->recording.name = copy_span(c, draft->recording->name);
		to->temporary = copy_bytes(c, draft->temporary, strlen(draft->temporary));
	}
}

static int enqueue(struct pipa_sqlite_results *store, const struct draft *draft,
		   struct pipa_error *err)
{
	struct pipa_results_change measured = { 0 }, *change;
	struct pipa_sqlite_table *table;
	struct copier c = { 0 };
	int rc = 0;

	table = pipa_sqlite_results_table(store, draft->table, err);
	if (!table)
		return -ENOENT;
	copy_draft(&c, draft, &measured);
	change = malloc(sizeof(*change) + c.size);
	if (!change)
		return pipa_fail(err, -ENOMEM, "queue a change of results");
	*change = (struct pipa_results_change){ .kind = draft->kind,
						.size = sizeof(*change) + c.size,
						.table = table,
						.before_us = draft->before_us,
						.done = draft->done,
						.ctx = draft->ctx };
	c = (struct copier){ (char *)(change + 1), 0 };
	copy_draft(&c, draft, change);
	if (draft->result)
		pipa_result_hash(&change->result, change->hash);

	pthread_mutex_lock(&store->lock);
	if (store->stopping)
		rc = -ESHUTDOWN;
	else if (store->n_queued >= store->queue_max ||
		 (store->n_queued && store->queued_bytes + change->size > QUEUE_BYTES_MAX))
		rc = -EAGAIN;
	if (!rc) {
		*store->last = change;
		store->last = &change->next;
		store->n_queued++;
		atomic_fetch_add(&store->base.counters.queued, 1);
		store->queued_bytes += change->size;
		pthread_cond_signal(&store->changed);
	}
	pthread_mutex_unlock(&store->lock);
	if (!rc)
		return 0;
	free(change);
	if (rc == -ESHUTDOWN)
		return pipa_refuse(err, rc, "cannot change results: the store is closing");
	pipa_refuse(err, rc, "cannot change results: too many changes wait for the disk");
	pipa_hint(err, "try again later");
	return rc;
}

static int check_labels(const struct pipa_results_label *labels, size_t n, struct pipa_error *err)
{
	size_t i;

	if (n > PIPA_RESULTS_LABELS_MAX)
		return pipa_refuse(err, -EINVAL, "cannot store a result: more than %d labels",
				   PIPA_RESULTS_LABELS_MAX);
	for (i = 0; i < n; i++) {
		const struct pipa_span texts[] = { labels[i].key, labels[i].value };
		size_t t;

		if (!labels[i].key.size)
			return pipa_refuse(err, -EINVAL,
					   "cannot store a result: a label has no key");
		for (t = 0; t < PIPA_COUNT(texts); t++)
			if (texts[t].size > PIPA_RESULTS_LABEL_MAX ||
			    (texts[t].size && memchr(texts[t].data, '\0', texts[t].size)) ||
			    !pipa_utf8_is_valid(texts[t].data, texts[t].size))
				return pipa_refuse(
					err, -EINVAL,
					"cannot store a result: invalid label, expected UTF-8 "
					"of at most %d bytes",
					PIPA_RESULTS_LABEL_MAX);
	}
	return 0;
}

int pipa_results_write_upload(struct pipa_results *base, const struct pipa_results_upload *upload,
			      pipa_results_done done, void *ctx, struct pipa_error *err)
{
	struct draft draft = { .kind = UPLOAD,
			       .table = upload->table,
			       .result = upload->result,
			       .labels = upload->labels,
			       .n_labels = upload->n_labels,
			       .done = done,
			       .ctx = ctx };
	int rc;

	if (!upload->result->set)
		return pipa_refuse(err, -EINVAL, "cannot store a result: it has no values");
	rc = pipa_result_check(upload->result, err);
	if (!rc)
		rc = check_labels(upload->labels, upload->n_labels, err);
	return rc < 0 ? rc : enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_write_remove(struct pipa_results *base, struct pipa_span table,
			      const struct pipa_span *hashes, size_t n, pipa_results_done done,
			      void *ctx, struct pipa_error *err)
{
	struct draft draft = { .kind = REMOVE,
			       .table = table,
			       .hashes = hashes,
			       .n_hashes = n,
			       .done = done,
			       .ctx = ctx };

	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_write_attach(struct pipa_results *base, struct pipa_span table,
			      struct pipa_span hash, const struct pipa_results_recording *recording,
			      const char *temporary, pipa_results_done done, void *ctx,
			      struct pipa_error *err)
{
	struct draft draft = { .kind = ATTACH,
			       .table = table,
			       .hashes = &hash,
			       .n_hashes = 1,
			       .recording = recording,
			       .temporary = temporary,
			       .done = done,
			       .ctx = ctx };

	if (recording->id.size != PIPA_RESULTS_HASH_CHARS ||
	    memchr(recording->id.data, '/', recording->id.size))
		return pipa_refuse(err, -EINVAL, "cannot attach a recording: invalid id");
	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

int pipa_results_write_expire(struct pipa_results *base, uint64_t before_us, pipa_results_done done,
			      void *ctx, struct pipa_error *err)
{
	struct draft draft = { .kind = EXPIRE, .before_us = before_us, .done = done, .ctx = ctx };

	return enqueue(pipa_sqlite_results_of(base), &draft, err);
}

/* ---- statements ---------------------------------------------------------------------------------- */

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
		  "NOTHING" },
		{ &store->find_recording, "SELECT upload_time_us FROM meta.recordings WHERE "
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
				   "INSERT INTO main.\"%w\" (%s) ON CONFLICT (hash) DO NOTHING",
				   table->name, pipa_buf_str(&columns));
	if (code == SQLITE_OK)
		code = pipa_sqlite_prepare(
			store->db, &table->find,
			"SELECT upload_time, record FROM main.\"%w\" WHERE hash = ?1", table->name);
	if (code == SQLITE_OK)
		code = pipa_sqlite_prepare(store->db, &table->remove,
					   "DELETE FROM main.\"%w\" WHERE hash = ?1", table->name);
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

/* Run a statement without rows, forget its values. Returns SQLITE_OK or the failure. */
static int run(sqlite3_stmt *statement)
{
	int code = sqlite3_step(statement);

	if (code == SQLITE_DONE || code == SQLITE_ROW)
		code = sqlite3_reset(statement);
	else
		sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return code;
}

/* ---- changes ------------------------------------------------------------------------------------- */

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

static void format_time(uint64_t us, char text[static PIPA_RESULTS_DATETIME_SIZE])
{
	time_t seconds = (time_t)(us / 1000000);
	struct tm tm = { 0 };
	size_t n;

	localtime_r(&seconds, &tm);
	n = strftime(text, PIPA_RESULTS_DATETIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(text + n, PIPA_RESULTS_DATETIME_SIZE - n, ".%06u", (unsigned int)(us % 1000000));
}

/*
 * Make the text by which the dashboard finds a row: workload, local time, and a UUID, which is made of the key. The
 * dashboard has it in double quotes, so there is none in it.
 */
static char *make_record(const struct pipa_results_change *change)
{
	struct pipa_span workload = change->result.values[PIPA_RESULT_WORKLOAD].text;
	const char *h = change->hash;
	char *text;
	size_t i;

	if (!pipa_result_has(&change->result, PIPA_RESULT_WORKLOAD))
		workload.size = 0;
	if (asprintf(&text, "%.*s%s%s %.8s-%.4s-4%.3s-a%.3s-%.12s", (int)workload.size,
		     workload.size ? (const char *)workload.data : "", workload.size ? " " : "",
		     change->datetime, h, h + 8, h + 12, h + 15, h + 18) < 0)
		return NULL;
	for (i = 0; i < workload.size; i++)
		if (text[i] == '"')
			text[i] = '\'';
		else if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			text[i] = ' ';
	return text;
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
static int find_row(struct pipa_results_change *change, struct pipa_span hash)
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
		format_time(change->outcome.upload_time_us, change->datetime);
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

	/* times grow with the order of the rows */
	store->last_us = now > store->last_us ? now : store->last_us + 1;
	change->outcome.upload_time_us = store->last_us;
	format_time(store->last_us, change->datetime);
	change->record = make_record(change);
	if (!change->record)
		return SQLITE_NOMEM;
	bind_string(insert, 1, change->hash);
	sqlite3_bind_double(insert, 2, (double)store->last_us / 1e6);
	bind_string(insert, 3, change->record);
	code = bind_result(insert, &change->result, &threads);
	if (code == SQLITE_OK)
		code = run(insert);
	if (code == SQLITE_OK && !sqlite3_changes(store->db)) {
		change->outcome.existed = true;
		code = find_row(change, (struct pipa_span){ (const uint8_t *)change->hash,
							    PIPA_RESULTS_HASH_CHARS });
		code = code == SQLITE_ROW ? SQLITE_OK : code;
	}
	for (i = 0; i < change->n_labels && code == SQLITE_OK; i++) {
		bind_string(store->put_label, 1, change->table->name);
		bind_string(store->put_label, 2, change->hash);
		bind_span(store->put_label, 3, change->labels[i].key);
		bind_span(store->put_label, 4, change->labels[i].value);
		code = run(store->put_label);
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
			code = run(of_meta[s]);
		}
		if (code != SQLITE_OK)
			break;
		bind_span(change->table->remove, 1, change->hashes[i]);
		code = run(change->table->remove);
		change->outcome.runs += (uint64_t)sqlite3_changes(store->db);
	}
	return code;
}

/* Refuse one change, without a failure of the transaction. */
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
	int code = find_row(change, change->hashes[0]);

	if (code == SQLITE_DONE)
		return refuse_change(change, -ENOENT,
				     "cannot attach a recording: no run with this hash");
	if (code != SQLITE_ROW)
		return code;
	code = add_candidate(candidates, (const char *)recording->id.data);
	if (code != SQLITE_OK)
		return code;
	/* the writer also removes files, so a file that gets its name here is not taken for unused */
	if (renameat(store->dir_fd, change->temporary, store->dir_fd,
		     (const char *)recording->id.data) < 0) {
		change->outcome.status = -errno;
		pipa_fail(&change->outcome.err, -errno, "rename a recording");
		return SQLITE_OK;
	}
	bind_string(put, 1, change->table->name);
	bind_span(put, 2, change->hashes[0]);
	bind_span(put, 3, recording->id);
	bind_span(put, 4, recording->name);
	sqlite3_bind_int64(put, 5, (sqlite3_int64)recording->size);
	change->outcome.upload_time_us = store->now_us(store->ctx);
	sqlite3_bind_int64(put, 6, (sqlite3_int64)change->outcome.upload_time_us);
	code = run(put);
	if (code != SQLITE_OK || sqlite3_changes(store->db))
		return code;
	change->outcome.existed = true;
	bind_string(find, 1, change->table->name);
	bind_span(find, 2, change->hashes[0]);
	bind_span(find, 3, recording->id);
	code = sqlite3_step(find);
	if (code == SQLITE_ROW)
		change->outcome.upload_time_us = (uint64_t)sqlite3_column_int64(find, 0);
	sqlite3_reset(find);
	return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
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
	code = run(store->remove_expired);
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
	case UPLOAD: return do_upload(store, change);
	case REMOVE: return do_remove(store, change, candidates);
	case ATTACH: return do_attach(store, change, candidates);
	default: return do_expire(store, change, candidates);
	}
}

/* ---- transactions -------------------------------------------------------------------------------- */

/* Remove the files of recordings that no row names any more. */
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

static void note_failure(struct pipa_sqlite_results *store, int status, const char *text)
{
	pthread_mutex_lock(&store->lock);
	store->failure = status;
	snprintf(store->failure_text, sizeof(store->failure_text), "%s", text);
	pthread_mutex_unlock(&store->lock);
}

/* Commit changes in one transaction. All of them fail if it does. */
static void commit_batch(struct pipa_sqlite_results *store, struct pipa_results_change *batch)
{
	struct pipa_results_counters *counters = &store->base.counters;
	struct candidates candidates = { 0 };
	struct pipa_results_change *change;
	struct pipa_error err = { 0 };
	bool has_files = false;
	int code, rc = 0;

	code = pipa_sqlite_exec(store->db, "BEGIN IMMEDIATE");
	for (change = batch; change && code == SQLITE_OK; change = change->next) {
		code = do_change(store, change, &candidates);
		has_files |= change->kind == ATTACH;
	}
	if (code == SQLITE_OK && has_files && fsync(store->dir_fd) < 0)
		rc = pipa_fail(&err, -errno, "sync %s", store->dir);
	if (code == SQLITE_OK && !rc)
		code = pipa_sqlite_exec(store->db, "COMMIT");
	if (code != SQLITE_OK)
		rc = pipa_sqlite_fail(store->db, code, &err, "change the database %s", store->path);
	if (rc < 0 && !sqlite3_get_autocommit(store->db))
		pipa_sqlite_exec(store->db, "ROLLBACK");
	note_failure(store, rc, err.what);
	atomic_fetch_add(rc < 0 ? &counters->failures : &counters->commits, 1);
	for (change = batch; !rc && change; change = change->next)
		atomic_fetch_add(&counters->changes, 1);
	remove_unused(store, &candidates);
	free(candidates.items);
	for (change = batch; rc < 0 && change; change = change->next) {
		change->outcome.status = rc;
		change->outcome.err = err;
	}
}

static void answer(struct pipa_results_change *change)
{
	struct pipa_results_outcome *outcome = &change->outcome;

	if (change->kind == UPLOAD && !outcome->status) {
		outcome->hash = change->hash;
		outcome->record = change->record;
		outcome->upload_datetime = change->datetime;
	}
	change->done(change->ctx, outcome);
	free(change->record);
	free(change);
}

/* Take the first changes of the queue, at most BATCH_MAX; NULL if the store is stopping and none is left. */
static struct pipa_results_change *take_batch(struct pipa_sqlite_results *store)
{
	struct pipa_results_change *batch, *change;
	size_t n = 0;

	pthread_mutex_lock(&store->lock);
	while (!store->first && !store->stopping)
		pthread_cond_wait(&store->changed, &store->lock);
	batch = store->first;
	for (change = batch; change; change = change->next) {
		store->n_queued--;
		atomic_fetch_sub(&store->base.counters.queued, 1);
		store->queued_bytes -= change->size;
		if (++n == BATCH_MAX)
			break;
	}
	store->first = change ? change->next : NULL;
	if (!store->first)
		store->last = &store->first;
	if (change)
		change->next = NULL;
	pthread_mutex_unlock(&store->lock);
	return batch;
}

void pipa_results_write_loop(void *ctx)
{
	struct pipa_sqlite_results *store = ctx;
	struct pipa_results_change *batch, *next;

	pipa_results_wal_watch(store);
	while ((batch = take_batch(store))) {
		commit_batch(store, batch);
		for (; batch; batch = next) {
			next = batch->next;
			answer(batch);
		}
		pipa_results_wal_copy(store);
	}
}
