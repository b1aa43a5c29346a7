/*
 * Memory that runs out on demand: the n-th allocation of our own code fails. The linker routes malloc
 * and its kin of the floors through here (tests/CMakeLists.txt, --wrap); libc's own are untouched.
 */
#ifndef PIPA_TESTS_NOMEM_H
#define PIPA_TESTS_NOMEM_H

#include <stdbool.h>
#include <stddef.h>

/* Let n allocations pass and fail the next one; after that memory is back. */
void pipa_nomem_after(size_t n);

/* Was an allocation failed since then? Disarms. */
bool pipa_nomem_happened(void);

#endif
