/*
 * A file that is large, or that the kernel takes its time to make (/proc/kallsyms), read on a thread of its
 * own while other work goes on. Inside job/ only.
 */
#ifndef PIPA_BASE_BACKGROUND_READ_H
#define PIPA_BASE_BACKGROUND_READ_H

struct pipa_background_read;
struct pipa_buf;

/* NULL when there can be no thread: whoever needs the file reads it then. The path is a loan. */
struct pipa_background_read *pipa_background_read_start(const char *path);

/* The same of an open file, which is closed when it is read, or here if NULL is returned. */
struct pipa_background_read *pipa_background_read_start_fd(int fd);

/* Wait for the rest; what was read moves to the empty buffer. 0 or a negative errno. Once only. */
int pipa_background_read_take(struct pipa_background_read *ahead, struct pipa_buf *ret);

/* Where nobody took it, the reading is given up. */
void pipa_background_read_free(struct pipa_background_read *ahead);

#endif
