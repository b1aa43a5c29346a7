/*
 * Output of a report: an open descriptor, or a file that is replaced completely or not at all.
 *
 * A regular file is written unnamed (O_TMPFILE) or under a temporary name and renamed at commit: a
 * full disk leaves the old file, a killed process leaves nothing. Only if the directory permits no
 * new file, the old one is overwritten. A stream (intervals, --append, a fifo, /dev/stdout) is
 * written in place; a partial write is truncated to the last complete one.
 */
#ifndef PIPA_BASE_FILE_OUTFILE_H
#define PIPA_BASE_FILE_OUTFILE_H

#include <stddef.h>

struct pipa_buf;
struct pipa_error;
struct pipa_outfile;

enum pipa_outfile_mode {
	PIPA_OUTFILE_REPLACE, /* appears when committed */
	PIPA_OUTFILE_PRIVATE, /* the same; a new file is readable only by its owner */
	PIPA_OUTFILE_STREAM,  /* emptied first, then grows as it is written */
	PIPA_OUTFILE_APPEND,  /* append to existing content */
};

int pipa_outfile_open(const char *path, enum pipa_outfile_mode mode, struct pipa_outfile **ret,
		      struct pipa_error *err);

/*
 * Look whether a file can be opened for writing later, without opening it: so that it is said before work is
 * done, and not after. 0, or a negative errno with the message of pipa_outfile_open().
 */
int pipa_outfile_check(const char *path, struct pipa_error *err);

/* Write to fd, which stays the caller's. `name` appears in messages. */
int pipa_outfile_wrap(int fd, const char *name, struct pipa_outfile **ret, struct pipa_error *err);

/*
 * Open the file of that path, to be replaced; if it is NULL, standard output, which is fd. For documents
 * and data: on a terminal, control characters other than tabs and ends of lines are escaped as by
 * base/visible.h, because names in them are untrusted. Text with colors is for pipa_outfile_wrap().
 */
int pipa_outfile_open_or_wrap(const char *path, int fd, struct pipa_outfile **ret,
			      struct pipa_error *err);

/* All of the bytes or none. */
int pipa_outfile_put(struct pipa_outfile *out, const void *bytes, size_t len,
		     struct pipa_error *err);

/* Write the text of a buffer and empty it. If it has failed, `what` is in the message: "write the report". */
int pipa_outfile_put_buf(struct pipa_outfile *out, struct pipa_buf *text, const char *what,
			 struct pipa_error *err);

/*
 * Wait until a regular file's bytes are on the disk: before a commit that must outlive a crash, which then
 * waits for the name too.
 */
int pipa_outfile_sync(struct pipa_outfile *out, struct pipa_error *err);

/* Make the written bytes the file's content. */
int pipa_outfile_commit(struct pipa_outfile *out, struct pipa_error *err);

/* Close; uncommitted output of PIPA_OUTFILE_REPLACE leaves no trace. NULL is allowed. */
void pipa_outfile_free(struct pipa_outfile *out);

/* pipa_outfile_open_or_wrap(), all of it in one go, and the commit. */
int pipa_outfile_write(const char *path, int fd, const void *bytes, size_t len,
		       struct pipa_error *err);

static inline void pipa_outfile_free_auto(struct pipa_outfile **out)
{
	pipa_outfile_free(*out);
}

#endif
