/*
 * Memory of libevent: that of malloc(3), and a reserve for when there is none. libevent 2.1 frees a request whose
 * headers it could not allocate through a null pointer (evhttp_request_new()).
 */
#ifndef PIPA_SERVE_WEB_MEMORY_H
#define PIPA_SERVE_WEB_MEMORY_H

#include <stddef.h>

enum { PIPA_WEB_RESERVE_BLOCK = 1024, PIPA_WEB_RESERVE_BLOCKS = 64 };

/* Use it from now on. Call this before anything else of libevent. */
void pipa_web_memory_use(void);

/* The functions that libevent calls; like malloc(3), realloc(3) and free(3), from any thread. */
void *pipa_web_memory_new(size_t size);
void *pipa_web_memory_resize(void *at, size_t size);
void pipa_web_memory_free(void *at);

#endif
