/*
 * Symbols of loaded objects, found in their dynamic symbol tables as the loader does it. dlsym(3)
 * allocates memory, takes locks, and is in another library depending on the libc.
 */
#ifndef PIPA_PRELOAD_SYMBOLS_H
#define PIPA_PRELOAD_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Return the function of that name in the first object after this library in the order of the loader; NULL
 * if there is none. *ret_object, if not NULL, becomes an identifier of the object.
 */
void *pipa_heap_symbol_next(const char *name, const void **ret_object);

/* The addresses of an object. */
void pipa_heap_symbol_extent(const void *object, uint64_t *ret_start, uint64_t *ret_end);

/* Does the program itself define the function, so that this library's is never called? */
bool pipa_heap_symbol_in_program(const char *name);

/* The path of this library; "" if it does not fit. */
void pipa_heap_symbol_own_path(char *ret, size_t size);

/* Return a function of the vdso; NULL if there is none. */
void *pipa_heap_symbol_vdso(const char *name);

#endif
