/* Arena: memory that is freed all at once. Pointers stay valid until the arena is done. */
#ifndef PIPA_BASE_ARENA_H
#define PIPA_BASE_ARENA_H

#include <stddef.h>

struct pipa_arena_block;

struct pipa_arena {
	struct pipa_arena_block *blocks; /* the one in use first */
	char *pos, *end;
	size_t bytes; /* taken from the system */
};

void pipa_arena_done(struct pipa_arena *arena);

/* Allocate `size` bytes for any type, not cleared; NULL on allocation failure. */
void *pipa_arena_take(struct pipa_arena *arena, size_t size);

/* Copy bytes and append a NUL. */
char *pipa_arena_text(struct pipa_arena *arena, const char *text, size_t len);

/* Move the memory of another arena, which is empty afterwards. */
void pipa_arena_join(struct pipa_arena *arena, struct pipa_arena *from);

#endif
