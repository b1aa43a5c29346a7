/*
 * Characters out of text that nobody vouches for, a process name say. What is not printable, control
 * and formatting characters included, comes out as '?': none of it may reach a terminal.
 */
#ifndef PIPA_SCREEN_GLYPH_H
#define PIPA_SCREEN_GLYPH_H

#include <stdint.h>

/* The character at *text, which moves on behind it; 0 at the end. */
uint32_t pipa_glyph_next(const char **text);

/* Cells it takes, 1 or 2, for what pipa_glyph_next() lets through. */
int pipa_glyph_width(uint32_t ch);

/* Writes 1 to 4 bytes of UTF-8 and returns how many; no NUL. */
int pipa_glyph_encode(uint32_t ch, char out[static 4]);

#endif
