/* Unnamed temporary files: the kernel removes them when their last descriptor is closed. */
#ifndef PIPA_BASE_TMP_H
#define PIPA_BASE_TMP_H

/* Return $TMPDIR, or "/tmp" if it is unset or empty. Borrowed from the environment. */
const char *pipa_tmp_dir(void);

/*
 * Open an unnamed file in pipa_tmp_dir() for reading and writing, close-on-exec. Where the file system has
 * no O_TMPFILE, the file is created and unlinked. Returns the descriptor or a negative errno.
 */
int pipa_tmp_open(void);

#endif
