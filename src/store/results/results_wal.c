#include <sys/statvfs.h>

#include "store/results/results_own.h"

enum {
	COPIED = 16 << 20,  /* growth of the WAL after which the checkpoint thread copies it */
	WAL_MAX = 96 << 20, /* length from which the writer copies it, so that it starts again */
};

static int note_length(void *ctx, sqlite3 *db, const char *name, int pages)
{
	struct pipa_sqlite_results *store = ctx;
	uint64_t bytes = (uint64_t)pages * (uint64_t)store->page_size;

	(void)db;
	(void)name;
	if (bytes > store->wal_bytes)
		store->wal_bytes = bytes;
	return SQLITE_OK;
}

void pipa_results_wal_watch(struct pipa_sqlite_results *store)
{
	sqlite3_wal_hook(store->db, note_length, store);
}

/* Return the free bytes of the file system of the database; UINT64_MAX if they are unknown. */
static uint64_t free_bytes(const struct pipa_sqlite_results *store)
{
	struct statvfs fs;

	if (fstatvfs(store->dir_fd, &fs) < 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

/* Copy the WAL and truncate it, unless a reader still needs it. */
static void shrink(sqlite3 *db)
{
	sqlite3_busy_timeout(db, 0);
	sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(db, PIPA_SQLITE_LOCK_WAIT_MS);
}

/*
 * The checkpoint thread copies the WAL each time that it has grown by COPIED. The WAL can start again only after a
 * complete copy, which that thread never reaches while changes keep coming. So at WAL_MAX the writer copies the rest,
 * which is COPIED and a little more. Uploads wait for that copy; WAL_MAX makes it rare enough not to change their 99th percentile. If the WAL exceeds
 * half of the free space of the disk, it is copied and truncated, while there is space for the copy.
 */
void pipa_results_wal_copy(struct pipa_sqlite_results *store)
{
	uint64_t bytes = store->wal_bytes;

	store->wal_bytes = 0;
	if (bytes < store->copied_bytes)
		store->copied_bytes = 0; /* it has started again */
	if (bytes > free_bytes(store) / 2) {
		shrink(store->db);
	} else if (bytes > WAL_MAX) {
		sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	} else if (bytes - store->copied_bytes > COPIED) {
		store->copied_bytes = bytes;
		pthread_mutex_lock(&store->lock);
		store->checkpoint_wanted = true;
		pthread_cond_signal(&store->checkpoint);
		pthread_mutex_unlock(&store->lock);
	}
}

void pipa_results_wal_loop(void *ctx)
{
	struct pipa_sqlite_results *store = ctx;

	pthread_mutex_lock(&store->lock);
	for (;;) {
		while (!store->checkpoint_wanted && !store->checkpoint_stopping)
			pthread_cond_wait(&store->checkpoint, &store->lock);
		if (store->checkpoint_stopping)
			break;
		store->checkpoint_wanted = false;
		pthread_mutex_unlock(&store->lock);
		/* a failure is tried again after one of the next commits */
		sqlite3_wal_checkpoint_v2(store->checkpoint_db, NULL, SQLITE_CHECKPOINT_PASSIVE,
					  NULL, NULL);
		pthread_mutex_lock(&store->lock);
	}
	pthread_mutex_unlock(&store->lock);
}

void pipa_results_wal_stop(struct pipa_sqlite_results *store)
{
	pthread_mutex_lock(&store->lock);
	store->checkpoint_stopping = true;
	pthread_cond_broadcast(&store->checkpoint);
	pthread_mutex_unlock(&store->lock);
}

static void leave(sqlite3 *db, const char *schema, const char *sql)
{
	int keep = 0;

	sqlite3_file_control(db, schema, SQLITE_FCNTL_PERSIST_WAL, &keep);
	if (pipa_sqlite_exec(db, sql) != SQLITE_OK) {
		keep = 1;
		sqlite3_file_control(db, schema, SQLITE_FCNTL_PERSIST_WAL, &keep);
	}
}

void pipa_results_wal_leave(struct pipa_sqlite_results *store)
{
	sqlite3_busy_timeout(store->db, 0);
	leave(store->db, "results",
	      "PRAGMA results.wal_checkpoint(TRUNCATE); PRAGMA results.journal_mode = DELETE");
	leave(store->db, "meta",
	      "PRAGMA meta.wal_checkpoint(TRUNCATE); PRAGMA meta.journal_mode = DELETE");
}
