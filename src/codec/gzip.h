/* Compress a gzip stream piece by piece. */
#ifndef PIPA_CODEC_GZIP_H
#define PIPA_CODEC_GZIP_H

#include <stddef.h>

struct pipa_buf;
struct pipa_gzip;

struct pipa_gzip *pipa_gzip_new(int level); /* 1 to 9; NULL on allocation failure */
void pipa_gzip_free(struct pipa_gzip *gzip);

/* Append the compressed bytes that are available; 0 or a negative errno. */
int pipa_gzip_put(struct pipa_gzip *gzip, const void *bytes, size_t len, struct pipa_buf *out);

/* Append the rest and the end of the stream; nothing may be added afterwards. */
int pipa_gzip_end(struct pipa_gzip *gzip, struct pipa_buf *out);

#endif
