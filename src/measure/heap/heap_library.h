/*
 * The library that is preloaded, as a file that the measured processes can open: a memfd, or a temporary
 * file that every user can read where the command may run as another user.
 */
#ifndef PIPA_MEASURE_HEAP_HEAP_LIBRARY_H
#define PIPA_MEASURE_HEAP_HEAP_LIBRARY_H

#include <limits.h>
#include <stdbool.h>

#include "base/span.h"

struct pipa_error;

struct pipa_heap_library {
	char path[PATH_MAX]; /* "" before the file exists */
	int fd;		     /* of a memfd; -1: none */
	bool is_file;	     /* path is a temporary file, in a directory of its own */
};

/*
 * Write the library. With `as_file`, and where memfds do not exist or cannot be executed, it is a
 * temporary file. 0 or a negative errno.
 */
int pipa_heap_library_open(bool as_file, struct pipa_heap_library *ret, struct pipa_error *err);
void pipa_heap_library_close(struct pipa_heap_library *library);

/* Return the image of the library in this program. */
struct pipa_span pipa_heap_library_image(void);

#endif
