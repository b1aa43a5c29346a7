/*
 * Write a ZIP archive piece by piece, each member compressed by deflate while it is written. Members and archive end at
 * 4 GiB: there is no ZIP64.
 */
#ifndef PIPA_CODEC_ZIP_WRITE_H
#define PIPA_CODEC_ZIP_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct pipa_zip;

/* put() takes the bytes of the archive in order; a return below 0 ends the writing. NULL on allocation failure. */
struct pipa_zip *pipa_zip_new(int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);
void pipa_zip_free(struct pipa_zip *zip);

/* Start a member; the name is copied. The functions below return 0 or the first failure: -EFBIG past 4 GiB. */
int pipa_zip_begin(struct pipa_zip *zip, const char *name);
int pipa_zip_add(struct pipa_zip *zip, const void *bytes, size_t len);
int pipa_zip_end(struct pipa_zip *zip);

/* Return the bytes of the current member so far, not compressed. */
uint64_t pipa_zip_size(const struct pipa_zip *zip);

/* Write the directory. Nothing follows. */
int pipa_zip_finish(struct pipa_zip *zip);

#endif
