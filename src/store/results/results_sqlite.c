#include "store/results/results_sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/results/results_own.h"

enum {
	QUEUE_MAX = 65536,
	FREE_MIN = 1 << 20, /* a disk with fewer free bytes is full */
};

static uint64_t clock_us(void *ctx)
{
	(void)ctx;
	return pipa_clock_wall_ns() / 1000;
}

struct pipa_sqlite_table *pipa_sqlite_results_table(struct pipa_sqlite_results *store,
						    struct pipa_span name, struct pipa_error *err)
{
	size_t i;

	for (i = 0; i < store->tables.n; i++) {
		struct pipa_sqlite_table *table = &store->tables.items[i];

		if (name.size ? strlen(table->name) == name.size &&
					strncasecmp(table->name, (const char *)name.data,
						    name.size) == 0 :
				table->is_default)
			return table;
	}
	pipa_refuse(err, -ENOENT, "cannot find table '%.*s'",
		    (int)(name.size < PIPA_RESULTS_NAME_MAX ? name.size : PIPA_RESULTS_NAME_MAX),
		    name.size ? (const char *)name.data : "");
	return NULL;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static int open_directory(struct pipa_sqlite_results *store, struct pipa_error *err)
{
	if (mkdir(store->dir, 0777) < 0 && errno != EEXIST)
		return pipa_fail(err, -errno, "create %s", store->dir);
	store->dir_fd = open(store->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (store->dir_fd < 0)
		return pipa_fail(err, -errno, "open %s", store->dir);
	if (flock(store->dir_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return pipa_fail(err, -errno, "lock %s", store->dir);
		pipa_refuse(err, -EBUSY, "cannot open the database %s: another process uses it",
			    store->path);
		return pipa_hint(err, "stop the other pipad or use another database");
	}
	return 0;
}

static int open_files(struct pipa_sqlite_results *store, const char *table, struct pipa_error *err)
{
	int code, rc;

	rc = pipa_sqlite_connect(store->path, store->meta_path, true, &store->db, err);
	if (!rc)
		rc = pipa_results_leftovers_check(store, err);
	if (!rc)
		rc = pipa_sqlite_migrate(store->db, store->path, table, &store->tables, err);
	if (rc < 0)
		return rc;
	/*
	 * Changed pages are written to the log only by a commit: those of a transaction that is rolled back must not
	 * be gathered (wal_file.h). A transaction is small enough (results_queue.c).
	 */
	code = pipa_sqlite_exec(store->db, "PRAGMA cache_spill = OFF");
	if (code == SQLITE_OK)
		code = pipa_results_write_prepare(store);
	if (code == SQLITE_OK)
		code = pipa_results_leftovers_remove_labels(store);
	if (code == SQLITE_OK)
		code = pipa_results_leftovers_count(store);
	if (code != SQLITE_OK)
		return pipa_sqlite_fail(store->db, code, err, "open the database %s", store->path);
	code = pipa_sqlite_read_number(store->db, "PRAGMA results.page_size", &store->page_size);
	if (code != SQLITE_OK)
		return pipa_sqlite_fail(store->db, code, err, "read the page size of %s",
					store->path);
	/* files without a row, of interrupted uploads and of rows whose commit failed */
	rc = pipa_results_leftovers_remove_files(store, err);
	if (!rc)
		rc = pipa_sqlite_connect(store->path, store->meta_path, false,
					 &store->checkpoint_db, err);
	return rc;
}

/* ---- closing ------------------------------------------------------------------------------------- */

static void free_store(struct pipa_sqlite_results *store)
{
	size_t i;

	for (i = 0; i < store->readers.n; i++)
		sqlite3_close_v2(store->readers.items[i].db);
	free(store->readers.items);
	sqlite3_close_v2(store->checkpoint_db);
	pipa_results_write_finalize(store);
	pipa_sqlite_tables_done(&store->tables);
	if (store->db) {
		pipa_results_wal_leave(store);
		sqlite3_close_v2(store->db);
	}
	pipa_fd_close(store->dir_fd);
	pthread_cond_destroy(&store->checkpoint);
	pthread_cond_destroy(&store->changed);
	pthread_mutex_destroy(&store->lock);
	free(store->path);
	free(store->meta_path);
	free(store->dir);
	free(store);
}

static int close_store(struct pipa_results *base, struct pipa_error *err)
{
	struct pipa_sqlite_results *store = pipa_sqlite_results_of(base);
	int rc;

	pthread_mutex_lock(&store->lock);
	store->stopping = true;
	pthread_cond_broadcast(&store->changed);
	pthread_mutex_unlock(&store->lock);
	pipa_worker_join(&store->writer);
	pipa_results_wal_stop(store);
	pipa_worker_join(&store->checkpointer);
	rc = store->failure;
	if (rc < 0)
		pipa_refuse(err, rc, "%s", store->failure_text);
	free_store(store);
	return rc;
}

/*
 * Can changes be committed again, after this failure? After a lock of another process or a lack of memory a transaction
 * has to begin. After other failures of the disk one has to be committed to both files; it changes nothing.
 */
static bool can_commit(const struct pipa_sqlite_results *store, int failure)
{
	bool writes = failure != -EBUSY && failure != -ENOMEM;
	sqlite3 *db = NULL;
	bool can;

	if (pipa_sqlite_connect(store->path, store->meta_path, false, &db, NULL) < 0)
		return false;
	sqlite3_busy_timeout(db, 0);
	can = pipa_sqlite_exec(db, "BEGIN IMMEDIATE") == SQLITE_OK;
	if (can && writes)
		can = pipa_sqlite_write_versions(db) == SQLITE_OK;
	if (can)
		can = pipa_sqlite_exec(db, "COMMIT") == SQLITE_OK;
	sqlite3_close_v2(db);
	return can;
}

/* Forget the failure of the last transaction, unless another one has failed since `failures` was read. */
static void forget_failure(struct pipa_sqlite_results *store, uint64_t failures)
{
	pthread_mutex_lock(&store->lock);
	if (atomic_load(&store->base.counters.failures) == failures)
		store->failure = 0;
	pthread_mutex_unlock(&store->lock);
}

static int check_store(struct pipa_results *base, struct pipa_error *err)
{
	struct pipa_sqlite_results *store = pipa_sqlite_results_of(base);
	char text[sizeof(store->failure_text)];
	struct statvfs fs;
	uint64_t failures;
	int rc;

	pthread_mutex_lock(&store->lock);
	rc = store->failure;
	failures = atomic_load(&base->counters.failures);
	memcpy(text, store->failure_text, sizeof(text));
	pthread_mutex_unlock(&store->lock);
	/* without an upload, which a load balancer sends only to a server that is ready */
	if (rc == -ENOSPC) {
		if (fstatvfs(store->dir_fd, &fs) == 0 &&
		    (uint64_t)fs.f_bavail * fs.f_frsize >= FREE_MIN)
			rc = 0;
	} else if (rc < 0 && rc != -EPROTO && can_commit(store, rc)) {
		forget_failure(store, failures);
		rc = 0;
	}
	return rc < 0 ? pipa_refuse(err, rc, "%s", text) : 0;
}

/* ---- the interface ------------------------------------------------------------------------------- */

static const struct pipa_results_ops ops = {
	.upload = pipa_results_queue_upload,
	.remove = pipa_results_queue_remove,
	.attach = pipa_results_queue_attach,
	.expire = pipa_results_queue_expire,
	.tables = pipa_results_read_tables,
	.scan = pipa_results_read_scan,
	.next = pipa_results_read_next,
	.end = pipa_results_read_end,
	.check = check_store,
	.close = close_store,
};

static struct pipa_sqlite_results *new_store(const struct pipa_results_sqlite_options *options)
{
	struct pipa_sqlite_results *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	pthread_mutex_init(&store->lock, NULL);
	pthread_cond_init(&store->changed, NULL);
	pthread_cond_init(&store->checkpoint, NULL);
	store->base.ops = &ops;
	store->dir_fd = -1;
	store->last = &store->first;
	store->queue_max = options->queue_max ? options->queue_max : QUEUE_MAX;
	store->now_us = options->now_us ? options->now_us : clock_us;
	store->ctx = options->ctx;
	store->path = strdup(options->path);
	if (asprintf(&store->meta_path, "%s.meta", options->path) < 0)
		store->meta_path = NULL;
	if (asprintf(&store->dir, "%s.recordings", options->path) < 0)
		store->dir = NULL;
	store->base.recordings = store->dir;
	if (store->path && store->meta_path && store->dir)
		return store;
	free_store(store);
	return NULL;
}

int pipa_results_sqlite_open(const struct pipa_results_sqlite_options *options,
			     struct pipa_results **ret, struct pipa_error *err)
{
	struct pipa_span table = { (const uint8_t *)options->table, strlen(options->table) };
	struct pipa_sqlite_results *store;
	int rc;

	if (!pipa_sqlite_name_is_plain(table)) {
		pipa_refuse(err, -EINVAL,
			    "invalid name of a table '%.64s', expected letters, digits and _, and "
			    "not a keyword of SQL",
			    options->table);
		return pipa_hint(err, "the dashboard uses the name without quotes");
	}
	tzset(); /* localtime_r() need not look at TZ */
	/* nobody reads the statistics, for which each allocation would take a lock; refused if SQLite is in use already */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	store = new_store(options);
	if (!store)
		return pipa_fail(err, -ENOMEM, "open the database %s", options->path);
	rc = open_directory(store, err);
	if (!rc)
		rc = open_files(store, options->table, err);
	if (!rc)
		rc = pipa_worker_start(&store->checkpointer, "pipa-checkpoint",
				       PIPA_WORKER_STACK_IO, pipa_results_wal_loop, store);
	if (!rc)
		rc = pipa_worker_start(&store->writer, "pipa-results", PIPA_WORKER_STACK_PARSE,
				       pipa_results_write_loop, store);
	if (rc < 0) {
		if (store->checkpointer.running)
			close_store(&store->base, NULL);
		else
			free_store(store);
		return rc;
	}
	*ret = &store->base;
	return 0;
}
