/*
 * Read a file on a thread of its own: a large one, or one that the kernel takes long to generate
 * (/proc/kallsyms).
 */
#ifndef PIPA_BASE_THREAD_BACKGROUND_READ_H
#define PIPA_BASE_THREAD_BACKGROUND_READ_H

struct pipa_background_read;
struct pipa_buf;

/*
 * Start to read the file. The path must outlive the reader. Returns NULL if there is no thread or no
 * memory; the caller then reads the file itself.
 */
struct pipa_background_read *pipa_background_read_start(const char *path);

/* Start to read an open file. Takes ownership of fd, also when NULL is returned. */
struct pipa_background_read *pipa_background_read_start_fd(int fd);

/* Wait for the end of the file and move its content to the empty buffer. Call it at most once. */
int pipa_background_read_take(struct pipa_background_read *job, struct pipa_buf *ret);

/* Stop reading if the content was not taken, and free the reader. */
void pipa_background_read_free(struct pipa_background_read *job);

#endif
