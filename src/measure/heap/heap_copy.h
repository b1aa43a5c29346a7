/* A copy of the file that a measured process shares with pipa, which does not change while it is decoded. */
#ifndef PIPA_MEASURE_HEAP_HEAP_COPY_H
#define PIPA_MEASURE_HEAP_HEAP_COPY_H

#include "base/span.h"

struct pipa_error;

/*
 * Copy an open file. Only parts that were written take memory, here and in the file system: holes are not
 * read. 0 or a negative errno; end it with pipa_heap_copy_done().
 */
int pipa_heap_copy(int fd, struct pipa_span *ret, struct pipa_error *err);
void pipa_heap_copy_done(struct pipa_span *copy);

#endif
