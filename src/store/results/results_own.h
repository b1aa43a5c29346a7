/* State of the store of results on SQLite. Private to store/results/. */
#ifndef PIPA_STORE_RESULTS_RESULTS_OWN_H
#define PIPA_STORE_RESULTS_RESULTS_OWN_H

#include <pthread.h>
#include <time.h>

#include "base/thread/worker.h"
#include "store/results/results_sqlite.h"
#include "store/results/sqlite_file.h"

enum {
	PIPA_RESULTS_READERS = 8,	 /* idle connections that are kept */
	PIPA_RESULTS_DATETIME_SIZE = 32, /* "2026-11-18 20:15:00.123456" */
};

enum pipa_results_change_kind {
	PIPA_RESULTS_UPLOAD,
	PIPA_RESULTS_REMOVE,
	PIPA_RESULTS_ATTACH,
	PIPA_RESULTS_EXPIRE
};

/* A queued change: one block with copies of everything. */
struct pipa_results_change {
	struct pipa_results_change *next;
	enum pipa_results_change_kind kind;
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

struct pipa_results_reader {
	sqlite3 *db;
};

struct pipa_sqlite_results {
	struct pipa_results base; /* first member: callbacks cast it */
	char *path, *meta_path, *dir;
	int dir_fd; /* of the recordings; its lock is that of the store */
	struct pipa_sqlite_tables tables;
	uint64_t (*now_us)(void *ctx);
	void *ctx;

	pthread_mutex_t lock;	/* of the fields below it, up to the writer's */
	pthread_cond_t changed; /* a change was queued, or stopping */
	struct pipa_results_change *first, **last;
	size_t n_queued, queue_max, queued_bytes;
	bool stopping;
	int failure; /* of the last transaction */
	char failure_text[256];
	bool checkpoint_wanted, checkpoint_stopping;
	pthread_cond_t checkpoint;
	struct {
		struct pipa_results_reader *items;
		size_t n, cap;
	} readers; /* idle */

	/* of the writer thread */
	struct pipa_worker writer, checkpointer;
	sqlite3 *db, *checkpoint_db;
	sqlite3_stmt *put_label, *put_recording, *find_recording, *has_recording, *list_recordings;
	sqlite3_stmt *remove_recordings, *remove_labels, *list_expired, *remove_expired;
	uint64_t last_us;
	time_t second;					  /* whose text is kept */
	char second_text[PIPA_RESULTS_DATETIME_SIZE - 7]; /* without the fraction */
	size_t second_chars;
	sqlite3_int64 page_size;
	uint64_t wal_bytes;    /* with the last commit */
	uint64_t copied_bytes; /* of the WAL, when the checkpoint thread was last woken */
	bool has_leftovers;    /* a commit failed: there may be labels without a row */
};

static inline struct pipa_sqlite_results *pipa_sqlite_results_of(struct pipa_results *store)
{
	return (struct pipa_sqlite_results *)(void *)store;
}

/* Return the table of that name, or the default one if it is empty; NULL with -ENOENT in *err. */
struct pipa_sqlite_table *pipa_sqlite_results_table(struct pipa_sqlite_results *store,
						    struct pipa_span name, struct pipa_error *err);

/* ---- queue of changes (results_queue.c) ------------------------------------------------------------ */

/*
 * Check a change and queue a copy of it. 0, -EAGAIN if too many changes wait, -ESHUTDOWN if the store is closing, or
 * another negative errno; done() is called only after 0.
 */
int pipa_results_queue_upload(struct pipa_results *base, const struct pipa_results_upload *upload,
			      pipa_results_done done, void *ctx, struct pipa_error *err);
int pipa_results_queue_remove(struct pipa_results *base, struct pipa_span table,
			      const struct pipa_span *hashes, size_t n, pipa_results_done done,
			      void *ctx, struct pipa_error *err);
int pipa_results_queue_attach(struct pipa_results *base, struct pipa_span table,
			      struct pipa_span hash, const struct pipa_results_recording *recording,
			      const char *temporary, pipa_results_done done, void *ctx,
			      struct pipa_error *err);
int pipa_results_queue_expire(struct pipa_results *base, uint64_t before_us, pipa_results_done done,
			      void *ctx, struct pipa_error *err);

/*
 * Wait for changes and take the first ones of the queue, as many as one transaction has; NULL if the store is stopping
 * and none is left.
 */
struct pipa_results_change *pipa_results_queue_take(struct pipa_sqlite_results *store);

/* Pass the outcome of a change on, and free the change. */
void pipa_results_queue_answer(struct pipa_results_change *change);

/* ---- writing (results_write.c) --------------------------------------------------------------------- */

/* Prepare the statements of the writer. Returns SQLite's code. */
int pipa_results_write_prepare(struct pipa_sqlite_results *store);
void pipa_results_write_finalize(struct pipa_sqlite_results *store);

/* Commit queued changes until the store is stopping and the queue is empty; a thread. */
void pipa_results_write_loop(void *ctx);

/* ---- leftovers (results_leftovers.c) ---------------------------------------------------------------- */

/*
 * Refuse to open the store if one of its files is missing while another has data: -ENODATA. Without the list of
 * recordings all of their files would be removed as unused. Before the schemas are migrated.
 */
int pipa_results_leftovers_check(struct pipa_sqlite_results *store, struct pipa_error *err);

/* Remove labels without a row, of uploads whose commit failed after that of the labels. Returns SQLite's code. */
int pipa_results_leftovers_remove_labels(struct pipa_sqlite_results *store);

/* Remove temporary files and recordings without a row. Only while no upload runs. */
int pipa_results_leftovers_remove_files(struct pipa_sqlite_results *store, struct pipa_error *err);

/* Count recordings whose run is missing, as in an older copy of the database. They are kept. Returns SQLite's code. */
int pipa_results_leftovers_count(struct pipa_sqlite_results *store);

/* ---- checkpoints (results_wal.c) ------------------------------------------------------------------- */

/* Update store->wal_bytes with each commit of store->db. */
void pipa_results_wal_watch(struct pipa_sqlite_results *store);

/* Copy the WAL into the database, here or on the checkpoint thread, if it is long enough. Called after each commit. */
void pipa_results_wal_copy(struct pipa_sqlite_results *store);

/* Copy the WAL each time that pipa_results_wal_copy() requests it, until pipa_results_wal_stop(); a thread. */
void pipa_results_wal_loop(void *ctx);
void pipa_results_wal_stop(struct pipa_sqlite_results *store);

/*
 * Copy the WAL into the database and leave WAL mode, so that the database is one file. If another process has it open,
 * that fails, and the WAL and its index remain.
 */
void pipa_results_wal_leave(struct pipa_sqlite_results *store);

/* ---- reading (results_scan.c) ---------------------------------------------------------------------- */

int pipa_results_read_scan(struct pipa_results *base, const struct pipa_results_filter *filter,
			   struct pipa_results_scan **ret, struct pipa_error *err);
int pipa_results_read_next(struct pipa_results_scan *scan, const struct pipa_results_run **ret,
			   struct pipa_error *err);
void pipa_results_read_end(struct pipa_results_scan *scan);
int pipa_results_read_tables(struct pipa_results *base,
			     int (*each)(void *ctx, const struct pipa_results_table *table),
			     void *ctx, struct pipa_error *err);

#endif
