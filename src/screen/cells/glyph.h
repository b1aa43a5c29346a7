/*
 * Split untrusted text into printable characters. Others, control and formatting characters
 * included, are escaped (base/visible.h) and never reach a terminal.
 */
#ifndef PIPA_SCREEN_CELLS_GLYPH_H
#define PIPA_SCREEN_CELLS_GLYPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/visible.h"

struct pipa_glyphs {
	const char *text;	     /* input: the remaining text */
	char held[PIPA_VISIBLE_MAX]; /* the escaped character */
	size_t at, n;
};

/* Return the next character, 0 at the end. */
uint32_t pipa_glyph_next(struct pipa_glyphs *glyphs);

/* Does another character follow? */
static inline bool pipa_glyph_follows(const struct pipa_glyphs *glyphs)
{
	return glyphs->at < glyphs->n || *glyphs->text;
}

/* Return the cells, 1 or 2, of a character returned by pipa_glyph_next(). */
int pipa_glyph_width(uint32_t ch);

/* Write 1 to 4 bytes of UTF-8 without a NUL; returns their number. */
int pipa_glyph_encode(uint32_t ch, char out[static 4]);

#endif
