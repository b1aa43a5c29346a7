/* The files of an SQLite database as unnamed temporary files. Private to codec/sqlite.c. */
#ifndef PIPA_CODEC_SQLITE_VFS_H
#define PIPA_CODEC_SQLITE_VFS_H

#include <sqlite3.h>

/* A virtual file system whose files exist as long as they are open. */
struct pipa_sqlite_vfs {
	sqlite3_vfs vfs; /* first member: callbacks cast it */
	char name[40];
	int fd;	   /* of the database, -1 until it is open; the caller closes it */
	int error; /* negative errno of the first failed call, 0: none */
};

/* Register the file system under its name; 0 or -ENOMEM. It must not move until it is done. */
int pipa_sqlite_vfs_init(struct pipa_sqlite_vfs *vfs);
void pipa_sqlite_vfs_done(struct pipa_sqlite_vfs *vfs);

#endif
