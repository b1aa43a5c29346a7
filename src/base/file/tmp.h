/*
 * Temporary files and directories. Unnamed files are preferred: the kernel removes them when their last descriptor is
 * closed.
 */
#ifndef PIPA_BASE_FILE_TMP_H
#define PIPA_BASE_FILE_TMP_H

/* Return $TMPDIR, or "/tmp" if it is unset or empty. Borrowed from the environment. */
const char *pipa_tmp_dir(void);

/*
 * Open an unnamed file in pipa_tmp_dir() for reading and writing, close-on-exec. Where the file system has
 * no O_TMPFILE, the file is created and unlinked. Returns the descriptor or a negative errno.
 */
int pipa_tmp_open(void);

/*
 * Create a directory in pipa_tmp_dir(), accessible only to its owner. Returns its path, which the caller frees; NULL
 * with errno set on failure.
 */
char *pipa_tmp_make_dir(void);

/*
 * Remove a directory and all that it contains, relative to a directory descriptor or AT_FDCWD. Symbolic links are not
 * followed. Does not allocate a path; failures are ignored.
 */
void pipa_tmp_remove_dir(int at, const char *path);

#endif
