/*
 * Write a tar archive piece by piece: header of a member, its bytes, padding. Owner and time are
 * constant, so that the same members give the same archive.
 */
#ifndef PIPA_CODEC_TAR_WRITE_H
#define PIPA_CODEC_TAR_WRITE_H

#include <stdint.h>

struct pipa_buf;

/* Append the header of a regular file of this size. Names may have any length. */
void pipa_tar_put_header(struct pipa_buf *out, const char *name, uint64_t size);

/* Append the padding of a member of that size. */
void pipa_tar_put_padding(struct pipa_buf *out, uint64_t size);

/* Append the end of the archive. */
void pipa_tar_put_end(struct pipa_buf *out);

#endif
