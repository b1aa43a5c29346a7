/*
 * Write a tar archive piece by piece: header of a member, its bytes, padding. Owner and time are
 * constant, so that the same members give the same archive.
 */
#ifndef PIPA_CODEC_TAR_WRITE_H
#define PIPA_CODEC_TAR_WRITE_H

#include <stdint.h>

struct pipa_buf;

/* Append the header of an ordinary file; so many bytes are to follow. Any length of name will do. */
void pipa_tar_put_header(struct pipa_buf *out, const char *name, uint64_t size);

/* Append what a member of that size lacks to whole blocks. */
void pipa_tar_put_padding(struct pipa_buf *out, uint64_t size);

/* Append the end of the archive. */
void pipa_tar_put_end(struct pipa_buf *out);

#endif
