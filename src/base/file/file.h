/* Read whole files and write whole buffers. */
#ifndef PIPA_BASE_FILE_FILE_H
#define PIPA_BASE_FILE_FILE_H

#include <stddef.h>
#include <sys/types.h>

struct iovec;
struct pipa_buf;
struct pipa_bytes;
struct pipa_error;

/* Append the whole file to the buffer, whose limit applies. */
int pipa_file_read(const char *path, struct pipa_buf *ret, struct pipa_error *err);

/*
 * Read at most size - 1 bytes of the file and end them with a zero byte, without allocating memory.
 * Returns how many there are, or a negative errno.
 */
ssize_t pipa_file_read_into(const char *path, char *text, size_t size);

/* The same as pipa_file_read() from where an open file is; 0 or a negative errno. */
int pipa_file_read_fd(int fd, struct pipa_buf *ret);

/*
 * Write all of it, through interruptions and short writes; 0 or a negative errno. -PIPA_EGIVEN_UP: it blocked
 * when a stop signal came (base/interrupt.h).
 */
int pipa_file_write(int fd, const void *bytes, size_t len);

/* The same, with the number of bytes written before a failure in *ret. */
int pipa_file_write_some(int fd, const void *bytes, size_t len, size_t *ret);

/* The same for n buffers, at most IOV_MAX, one after the other. The array is modified. */
int pipa_file_write_pieces(int fd, struct iovec *pieces, size_t n);

/*
 * An open file or pipe as bytes (base/file/bytes.h): its size is that of a regular file, endless for all
 * else. fd stays the caller's, and *fd must live as long as the bytes are used.
 */
void pipa_file_bytes(int *fd, struct pipa_bytes *ret);

#endif
