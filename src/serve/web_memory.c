#include "serve/web_memory.h"

#include <event2/event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(max_align_t) uint8_t reserve[PIPA_WEB_RESERVE_BLOCKS][PIPA_WEB_RESERVE_BLOCK];
static bool is_used[PIPA_WEB_RESERVE_BLOCKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_reserved(const void *at)
{
	return (uintptr_t)at >= (uintptr_t)reserve &&
	       (uintptr_t)at < (uintptr_t)reserve + sizeof(reserve);
}

static void *take_reserve(size_t size)
{
	void *taken = NULL;
	size_t i;

	if (size > PIPA_WEB_RESERVE_BLOCK)
		return NULL;
	pthread_mutex_lock(&lock);
	for (i = 0; i < PIPA_WEB_RESERVE_BLOCKS && !taken; i++)
		if (!is_used[i]) {
			is_used[i] = true;
			taken = reserve[i];
		}
	pthread_mutex_unlock(&lock);
	return taken;
}

void *pipa_web_memory_new(size_t size)
{
	void *at = malloc(size);

	return at || !size ? at : take_reserve(size);
}

void *pipa_web_memory_resize(void *at, size_t size)
{
	void *moved;

	if (!at)
		return pipa_web_memory_new(size);
	if (!is_reserved(at))
		return realloc(at, size);
	if (size && size <= PIPA_WEB_RESERVE_BLOCK)
		return at;
	moved = size ? malloc(size) : NULL;
	if (moved)
		memcpy(moved, at, PIPA_WEB_RESERVE_BLOCK);
	if (moved || !size)
		pipa_web_memory_free(at);
	return moved;
}

void pipa_web_memory_free(void *at)
{
	if (!is_reserved(at)) {
		free(at);
		return;
	}
	pthread_mutex_lock(&lock);
	is_used[((uintptr_t)at - (uintptr_t)reserve) / PIPA_WEB_RESERVE_BLOCK] = false;
	pthread_mutex_unlock(&lock);
}

void pipa_web_memory_use(void)
{
	event_set_mem_functions(pipa_web_memory_new, pipa_web_memory_resize, pipa_web_memory_free);
}
