/*
 * Store of results: tables of rows as docs/format/results.md describes them, their labels, and recordings attached to
 * them. An interface; store/results/results_sqlite.h opens the implementation on an SQLite file. Nothing here depends on
 * SQL.
 *
 * Threads: any number may use a store at the same time; a scan and an upload of a recording belong to one thread at a time.
 * Changes (upload, remove, attach, expire) are queued for the writer thread, which commits many of them together, waits
 * for the disk once, and then calls each `done`, which must not block and may queue further changes. All other
 * functions block the caller while they use the disk.
 *
 * Errors: -EINVAL invalid name or value, -ENOENT no such table, run or recording, -ENOSPC the disk is full (a later change
 * succeeds when there is space again), -ESHUTDOWN the store is closing, -EAGAIN the queue is full, -EIO and others.
 */
#ifndef PIPA_STORE_RESULTS_RESULTS_H
#define PIPA_STORE_RESULTS_RESULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "model/result.h"

enum {
	PIPA_RESULTS_HASH_CHARS = 64,
	PIPA_RESULTS_NAME_MAX = 63, /* bytes of the name of a table */
	PIPA_RESULTS_LABELS_MAX = 64,
	PIPA_RESULTS_LABEL_MAX = 1024, /* bytes of a key or of a value */
	PIPA_RESULTS_FILE_NAME_MAX = 255,
};

/* All spans are borrowed. */
struct pipa_results_label {
	struct pipa_span key, value;
};

struct pipa_results_recording {
	struct pipa_span id;   /* SHA-256 of its bytes, hexadecimal */
	struct pipa_span name; /* of the file, without a directory */
	uint64_t size;
	uint64_t upload_time_us;
};

/* A row. */
struct pipa_results_run {
	struct pipa_span hash;
	struct pipa_span record;
	uint64_t upload_time_us; /* UTC */
	uint64_t position;	 /* in the order of the uploads; for pages */
	struct pipa_result result;
	/* only if the filter asks for them */
	const struct pipa_results_label *labels;
	size_t n_labels;
	const struct pipa_results_recording *recordings;
	size_t n_recordings;
};

struct pipa_results_table {
	const char *name;
	uint64_t rows;
	uint64_t first_us, last_us; /* oldest and newest upload; 0: no rows */
	bool is_default;
};

/* A selection of rows; an empty span and 0 select all. */
struct pipa_results_filter {
	struct pipa_span table; /* empty: the default table */
	struct pipa_span hash, workload, platform, username;
	const struct pipa_results_label
		*labels; /* a row must have all; a value without data matches any */
	size_t n_labels;
	uint64_t since_us, until_us; /* uploaded at or after; before */
	uint64_t after;		     /* position of the last row of the previous page */
	bool newest_first;
	bool with_labels; /* fill labels and recordings of each row */
};

struct pipa_results_upload {
	struct pipa_span table; /* empty: the default table */
	const struct pipa_result *result;
	const struct pipa_results_label *labels;
	size_t n_labels;
};

/* The result of a change, valid during the call of `done`. */
struct pipa_results_outcome {
	int status; /* 0, or a negative errno with the reason in err */
	struct pipa_error err;
	/* of an upload; those of the first one if the row existed */
	const char *hash, *record;
	uint64_t upload_time_us;
	const char *upload_datetime; /* local time: YYYY-MM-DD HH:MM:SS.ffffff */
	bool existed;		     /* also of an attached recording */
	/* of remove and expire */
	uint64_t runs, recordings;
};

typedef void (*pipa_results_done)(void *ctx, const struct pipa_results_outcome *outcome);

struct pipa_results;
struct pipa_results_scan;

struct pipa_results_ops {
	int (*upload)(struct pipa_results *store, const struct pipa_results_upload *upload,
		      pipa_results_done done, void *ctx, struct pipa_error *err);
	int (*remove)(struct pipa_results *store, struct pipa_span table,
		      const struct pipa_span *hashes, size_t n, pipa_results_done done, void *ctx,
		      struct pipa_error *err);
	int (*attach)(struct pipa_results *store, struct pipa_span table, struct pipa_span hash,
		      const struct pipa_results_recording *recording, const char *temporary,
		      pipa_results_done done, void *ctx, struct pipa_error *err);
	int (*expire)(struct pipa_results *store, uint64_t before_us, pipa_results_done done,
		      void *ctx, struct pipa_error *err);
	int (*tables)(struct pipa_results *store,
		      int (*each)(void *ctx, const struct pipa_results_table *table), void *ctx,
		      struct pipa_error *err);
	int (*scan)(struct pipa_results *store, const struct pipa_results_filter *filter,
		    struct pipa_results_scan **ret, struct pipa_error *err);
	int (*next)(struct pipa_results_scan *scan, const struct pipa_results_run **ret,
		    struct pipa_error *err);
	void (*end)(struct pipa_results_scan *scan);
	int (*check)(struct pipa_results *store, struct pipa_error *err);
	int (*close)(struct pipa_results *store, struct pipa_error *err);
};

/* Counters of the writer thread; any thread may read them. */
struct pipa_results_counters {
	_Atomic uint64_t queued;   /* changes in the queue now */
	_Atomic uint64_t changes;  /* committed */
	_Atomic uint64_t commits;  /* transactions, each with one wait for the disk */
	_Atomic uint64_t failures; /* transactions that failed */
};

/* Found when the store was opened. */
struct pipa_results_found {
	uint64_t recordings;	/* files of recordings */
	uint64_t removed_files; /* of interrupted uploads and of recordings without a row */
	uint64_t without_run;	/* recordings whose run is missing; they are kept */
};

/* First member of an implementation. */
struct pipa_results {
	const struct pipa_results_ops *ops;
	struct pipa_results_counters counters;
	struct pipa_results_found found;
	const char *recordings; /* directory of the recordings, owned by the implementation */
};

/*
 * Store a result. Everything in `upload` is copied. If the result is stored already, its row stays, labels are added to
 * it, and that is success. This and the other changes return 0 if they were queued; then done() is called once, from the
 * writer thread. -EINVAL, -ESHUTDOWN, -EAGAIN: not queued, and done() is not called.
 */
static inline int pipa_results_upload(struct pipa_results *store,
				      const struct pipa_results_upload *upload,
				      pipa_results_done done, void *ctx, struct pipa_error *err)
{
	return store->ops->upload(store, upload, done, ctx, err);
}

/* Remove rows with their labels and recordings. Hashes without a row are ignored; the outcome has the numbers. */
static inline int pipa_results_remove(struct pipa_results *store, struct pipa_span table,
				      const struct pipa_span *hashes, size_t n,
				      pipa_results_done done, void *ctx, struct pipa_error *err)
{
	return store->ops->remove(store, table, hashes, n, done, ctx, err);
}

/* Remove the recordings that were attached before a time. */
static inline int pipa_results_expire(struct pipa_results *store, uint64_t before_us,
				      pipa_results_done done, void *ctx, struct pipa_error *err)
{
	return store->ops->expire(store, before_us, done, ctx, err);
}

/*
 * Attach a recording to a row: the synced file `temporary` in the directory store->recordings gets its id as its name. Its owner
 * removes it after a failure. recording->upload_time_us is not used. The files of recordings are written by
 * store/results/recording_files.h.
 */
static inline int pipa_results_attach(struct pipa_results *store, struct pipa_span table,
				      struct pipa_span hash,
				      const struct pipa_results_recording *recording,
				      const char *temporary, pipa_results_done done, void *ctx,
				      struct pipa_error *err)
{
	return store->ops->attach(store, table, hash, recording, temporary, done, ctx, err);
}

/* Call each() for every table, in the order of the names; a return below 0 ends it and is the result. */
static inline int pipa_results_tables(struct pipa_results *store,
				      int (*each)(void *ctx,
						  const struct pipa_results_table *table),
				      void *ctx, struct pipa_error *err)
{
	return store->ops->tables(store, each, ctx, err);
}

/*
 * Start to read rows in the order of their upload, in memory of a fixed size. The filter is copied. Rows that are uploaded
 * later are not returned; rows that are removed meanwhile may be missing. -ENOENT: no such table.
 */
static inline int pipa_results_scan(struct pipa_results *store,
				    const struct pipa_results_filter *filter,
				    struct pipa_results_scan **ret, struct pipa_error *err)
{
	return store->ops->scan(store, filter, ret, err);
}

/* Return the next row, valid until the next call: 1, 0 at the end, or a negative errno. */
static inline int pipa_results_next(struct pipa_results *store, struct pipa_results_scan *scan,
				    const struct pipa_results_run **ret, struct pipa_error *err)
{
	return store->ops->next(scan, ret, err);
}

/* End the scan; NULL is allowed. */
static inline void pipa_results_end(struct pipa_results *store, struct pipa_results_scan *scan)
{
	if (scan)
		store->ops->end(scan);
}

/* Check for /readyz whether results can be stored: 0, or the failure of the last change or of the disk. */
static inline int pipa_results_ready(struct pipa_results *store, struct pipa_error *err)
{
	return store->ops->check(store, err);
}

/*
 * Complete all queued changes, refuse new ones, and close. All scans must have ended. The store is freed also after a
 * failure. NULL is allowed.
 */
static inline int pipa_results_close(struct pipa_results *store, struct pipa_error *err)
{
	return store ? store->ops->close(store, err) : 0;
}

/* ---- waiting for a change ------------------------------------------------------------------------ */

/* A copy of an outcome, for a caller that waits; `record` is truncated. */
struct pipa_results_answer {
	char hash[PIPA_RESULTS_HASH_CHARS + 1];
	char record[512];
	char upload_datetime[32];
	uint64_t upload_time_us;
	uint64_t runs, recordings;
	bool existed;
};

/* Make the same changes, and wait until they are on the disk. */
int pipa_results_upload_wait(struct pipa_results *store, const struct pipa_results_upload *upload,
			     struct pipa_results_answer *ret, struct pipa_error *err);
int pipa_results_remove_wait(struct pipa_results *store, struct pipa_span table,
			     const struct pipa_span *hashes, size_t n,
			     struct pipa_results_answer *ret, struct pipa_error *err);
int pipa_results_expire_wait(struct pipa_results *store, uint64_t before_us,
			     struct pipa_results_answer *ret, struct pipa_error *err);
int pipa_results_attach_wait(struct pipa_results *store, struct pipa_span table,
			     struct pipa_span hash, const struct pipa_results_recording *recording,
			     const char *temporary, struct pipa_results_answer *ret,
			     struct pipa_error *err);

#endif
