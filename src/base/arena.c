#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 16 << 10, LAST_BLOCK = 1 << 20, ALIGN = 16 };

struct pipa_arena_block {
	struct pipa_arena_block *next;
	_Alignas(ALIGN) char bytes[];
};

void pipa_arena_done(struct pipa_arena *arena)
{
	struct pipa_arena_block *block, *next;

	for (block = arena->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	*arena = (struct pipa_arena){ 0 };
}

/* Blocks grow with what was taken so far: small arenas stay small. */
static size_t block_size(const struct pipa_arena *arena, size_t wanted)
{
	size_t size = arena->bytes < FIRST_BLOCK ? FIRST_BLOCK : arena->bytes;

	if (size > LAST_BLOCK)
		size = LAST_BLOCK;
	return size < wanted ? wanted : size;
}

void *pipa_arena_take(struct pipa_arena *arena, size_t size)
{
	struct pipa_arena_block *block;
	void *taken;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = ((size ? size : 1) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if ((size_t)(arena->end - arena->pos) < size) {
		size_t room = block_size(arena, size);

		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		arena->blocks = block;
		arena->bytes += room;
		arena->pos = block->bytes;
		arena->end = block->bytes + room;
	}
	taken = arena->pos;
	arena->pos += size;
	return taken;
}

void pipa_arena_join(struct pipa_arena *arena, struct pipa_arena *from)
{
	struct pipa_arena_block **end = &arena->blocks;

	while (*end)
		end = &(*end)->next;
	*end = from->blocks;
	if (arena->blocks == from->blocks) { /* it was empty: the free space is that of the other */
		arena->pos = from->pos;
		arena->end = from->end;
	}
	arena->bytes += from->bytes;
	*from = (struct pipa_arena){ 0 };
}

char *pipa_arena_text(struct pipa_arena *arena, const char *text, size_t len)
{
	char *copy = pipa_arena_take(arena, len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}
