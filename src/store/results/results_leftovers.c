/* Parts of a store of results that no longer belong to a run: labels, and files of recordings. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "store/results/results_own.h"

static bool is_id(const char *name)
{
	return strspn(name, "0123456789abcdef") == PIPA_RESULTS_HASH_CHARS &&
	       !name[PIPA_RESULTS_HASH_CHARS];
}

/* Call each() for every file in the directory of the recordings. */
static int list_files(struct pipa_sqlite_results *store,
		      void (*each)(struct pipa_sqlite_results *store, const char *name),
		      struct pipa_error *err)
{
	int fd = openat(store->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!dir) {
		int rc = pipa_fail(err, -errno, "read %s", store->dir);

		pipa_fd_close(fd);
		return rc;
	}
	while ((entry = readdir(dir)))
		each(store, entry->d_name);
	closedir(dir);
	return 0;
}

/* ---- missing files ------------------------------------------------------------------------------- */

static void count_recording(struct pipa_sqlite_results *store, const char *name)
{
	store->base.found.recordings += is_id(name);
}

static int refuse_meta(struct pipa_sqlite_results *store, struct pipa_error *err)
{
	pipa_refuse(
		err, -ENODATA,
		"cannot open the database %s: %s is missing or empty, and %s has %llu recordings",
		store->path, store->meta_path, store->dir,
		(unsigned long long)store->base.found.recordings);
	return pipa_hint(err, "restore the file, or move the directory away");
}

static int refuse_results(struct pipa_sqlite_results *store, struct pipa_error *err)
{
	pipa_refuse(
		err, -ENODATA,
		"cannot open the database %s: it is missing or empty, and %s has labels or recordings",
		store->path, store->meta_path);
	return pipa_hint(err, "restore the database, or move %s and %s away", store->meta_path,
			 store->dir);
}

int pipa_results_leftovers_check(struct pipa_sqlite_results *store, struct pipa_error *err)
{
	sqlite3_int64 version = 0, meta_version = 0, n = 0;
	int code, rc;

	rc = list_files(store, count_recording, err);
	if (rc < 0)
		return rc;
	code = pipa_sqlite_read_number(store->db, "PRAGMA results.user_version", &version);
	if (code == SQLITE_OK)
		code = pipa_sqlite_read_number(store->db, "PRAGMA meta.user_version",
					       &meta_version);
	if (code == SQLITE_OK && !version && meta_version)
		code = pipa_sqlite_read_number(store->db,
					       "SELECT EXISTS (SELECT 1 FROM meta.labels) OR "
					       "EXISTS (SELECT 1 FROM meta.recordings)",
					       &n);
	if (code != SQLITE_OK)
		return pipa_sqlite_fail(store->db, code, err, "open the database %s", store->path);
	if (!meta_version && store->base.found.recordings)
		return refuse_meta(store, err);
	return n ? refuse_results(store, err) : 0;
}

/* ---- removal ------------------------------------------------------------------------------------- */

int pipa_results_leftovers_remove_labels(struct pipa_sqlite_results *store)
{
	int code = SQLITE_OK;
	size_t i;

	for (i = 0; i < store->tables.n && code == SQLITE_OK; i++) {
		const char *table = store->tables.items[i].name;
		sqlite3_stmt *remove = NULL;

		code = pipa_sqlite_prepare(
			store->db, &remove,
			"DELETE FROM meta.labels AS l WHERE table_name = ?1 AND NOT EXISTS "
			"(SELECT 1 FROM results.\"%w\" t WHERE t.hash = l.hash)",
			table);
		if (code == SQLITE_OK) {
			sqlite3_bind_text(remove, 1, table, -1, SQLITE_STATIC);
			sqlite3_step(remove);
		}
		if (sqlite3_finalize(remove) != SQLITE_OK)
			code = sqlite3_extended_errcode(store->db);
	}
	return code;
}

static void remove_file(struct pipa_sqlite_results *store, const char *name)
{
	bool unused = strncmp(name, "tmp.", 4) == 0;

	if (is_id(name)) {
		sqlite3_bind_text(store->has_recording, 1, name, -1, SQLITE_STATIC);
		unused = sqlite3_step(store->has_recording) == SQLITE_DONE;
		sqlite3_reset(store->has_recording);
	}
	if (unused && unlinkat(store->dir_fd, name, 0) == 0)
		store->base.found.removed_files++;
}

int pipa_results_leftovers_remove_files(struct pipa_sqlite_results *store, struct pipa_error *err)
{
	return list_files(store, remove_file, err);
}

int pipa_results_leftovers_count(struct pipa_sqlite_results *store)
{
	int code = SQLITE_OK;
	size_t i;

	for (i = 0; i < store->tables.n && code == SQLITE_OK; i++) {
		const char *table = store->tables.items[i].name;
		sqlite3_stmt *query = NULL;

		code = pipa_sqlite_prepare(
			store->db, &query,
			"SELECT count(*) FROM meta.recordings AS r WHERE table_name = ?1 AND NOT "
			"EXISTS (SELECT 1 FROM results.\"%w\" t WHERE t.hash = r.hash)",
			table);
		if (code == SQLITE_OK) {
			sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
			if (sqlite3_step(query) == SQLITE_ROW)
				store->base.found.without_run += (uint64_t)sqlite3_column_int64(
					query, 0);
		}
		if (sqlite3_finalize(query) != SQLITE_OK)
			code = sqlite3_extended_errcode(store->db);
	}
	return code;
}
