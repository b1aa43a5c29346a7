/*
 * The write-ahead log of an SQLite database, whose frames are written to the file together. Private to store/results/.
 *
 * SQLite writes each frame in two parts, a head of 24 bytes and a page: two system calls for each changed page are a
 * tenth of the CPU time of an upload. Here they are gathered until SQLite syncs the log, which it does before other
 * connections and processes may read the frames. So a commit is as durable as without.
 *
 * The connection must have synchronous=FULL and cache_spill=OFF: pages that are written before the commit, without a
 * sync, would still be gathered after a rollback, when other connections write to the same place.
 */
#ifndef PIPA_STORE_RESULTS_WAL_FILE_H
#define PIPA_STORE_RESULTS_WAL_FILE_H

/*
 * Return the name of the virtual file system for sqlite3_open_v2(), which is SQLite's own but for logs that are
 * written; NULL, for SQLite's own, if it cannot be registered.
 */
const char *pipa_wal_file_vfs(void);

#endif
