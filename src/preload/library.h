/* libpipa-heap.so as bytes in the program. */
#ifndef PIPA_PRELOAD_LIBRARY_H
#define PIPA_PRELOAD_LIBRARY_H

#include "base/span.h"

/* Return the library, to be written to a file and preloaded. */
struct pipa_span pipa_heap_library(void);

#endif
