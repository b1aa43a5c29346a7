/* A copy of the file that a measured process shares with pipa, which does not change while it is decoded. */
#ifndef PIPA_MEASURE_HEAP_HEAP_COPY_H
#define PIPA_MEASURE_HEAP_HEAP_COPY_H

#include "collect/heap/heap_file.h"

struct pipa_error;

struct pipa_heap_copy {
	struct pipa_heap_file file;
	struct {
		struct pipa_heap_file_part *items;
		size_t n, cap;
	} parts;
};

/*
 * Copy an open file. Only parts that were written take memory, here and in the file system: holes are not
 * read. 0 or a negative errno; end it with pipa_heap_copy_done().
 */
int pipa_heap_copy_make(int fd, struct pipa_heap_copy *ret, struct pipa_error *err);
void pipa_heap_copy_done(struct pipa_heap_copy *copy);

#endif
