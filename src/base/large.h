/*
 * Memory for something large that is filled from one end to the other. Past some MiB it comes in large
 * pages where the kernel has them: 12 MiB in small ones take 4.6 ms to be handed out, in large ones 1.4.
 */
#ifndef PIPA_BASE_LARGE_H
#define PIPA_BASE_LARGE_H

#include <stddef.h>

/* At least one byte, not cleared; given back with free(). NULL without memory. */
void *pipa_large_alloc(size_t size);

#endif
