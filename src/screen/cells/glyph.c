#include "screen/cells/glyph.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/auto.h"

struct range {
	uint32_t first, last;
};

/* Characters that take no cell, change the direction of text, or are unassigned. */
static const struct range hidden[] = {
	{ 0x80, 0x9f },	      { 0xad, 0xad },	     { 0x300, 0x36f },	 { 0x483, 0x489 },
	{ 0x591, 0x5c7 },     { 0x600, 0x61f },	     { 0x64b, 0x65f },	 { 0x6d6, 0x6ed },
	{ 0x70f, 0x711 },     { 0x730, 0x74a },	     { 0x7a6, 0x7b0 },	 { 0x900, 0x903 },
	{ 0x93a, 0x957 },     { 0xe31, 0xe31 },	     { 0xe34, 0xe3a },	 { 0xe47, 0xe4e },
	{ 0x1160, 0x11ff },   { 0x180b, 0x180f },    { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
	{ 0x200b, 0x200f },   { 0x2028, 0x202e },    { 0x2060, 0x206f }, { 0x20d0, 0x20f0 },
	{ 0x302a, 0x302f },   { 0x3099, 0x309a },    { 0xd800, 0xf8ff }, { 0xfe00, 0xfe0f },
	{ 0xfe20, 0xfe2f },   { 0xfeff, 0xfeff },    { 0xfff0, 0xffff }, { 0x1d165, 0x1d1ad },
	{ 0x1f3fb, 0x1f3ff }, { 0xe0000, 0x10ffff },
};

static const struct range wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },	  { 0xa960, 0xa97f },
	{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },	  { 0xff00, 0xff60 },
	{ 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff },
	{ 0x20000, 0x3fffd },
};

static bool is_in(const struct range *ranges, size_t n, uint32_t ch)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ch >= ranges[i].first && ch <= ranges[i].last)
			return true;
	return false;
}

/* Decode a valid UTF-8 character. */
static uint32_t decode(const char *bytes, size_t len)
{
	uint32_t ch = (unsigned char)bytes[0];
	size_t i;

	if (len > 1)
		ch &= 0x7fu >> len;
	for (i = 1; i < len; i++)
		ch = ch << 6 | ((unsigned char)bytes[i] & 0x3f);
	return ch;
}

uint32_t pipa_glyph_next(struct pipa_glyphs *g)
{
	size_t columns;
	uint32_t ch;

	if (g->at < g->n)
		return (unsigned char)g->held[g->at++];
	g->n = pipa_visible_next(&g->text, g->held, &columns);
	g->at = 0;
	if (!g->n)
		return 0;
	if (columns == 1) {
		ch = decode(g->held, g->n);
		g->n = 0;
		if (!is_in(hidden, PIPA_COUNT(hidden), ch))
			return ch;
		g->n = pipa_visible_escape(ch, g->held);
	}
	return (unsigned char)g->held[g->at++];
}

int pipa_glyph_width(uint32_t ch)
{
	return ch >= 0x1100 && is_in(wide, PIPA_COUNT(wide), ch) ? 2 : 1;
}

int pipa_glyph_encode(uint32_t ch, char out[static 4])
{
	if (ch < 0x80) {
		out[0] = (char)ch;
		return 1;
	}
	if (ch < 0x800) {
		out[0] = (char)(0xc0 | ch >> 6);
		out[1] = (char)(0x80 | (ch & 0x3f));
		return 2;
	}
	if (ch < 0x10000) {
		out[0] = (char)(0xe0 | ch >> 12);
		out[1] = (char)(0x80 | (ch >> 6 & 0x3f));
		out[2] = (char)(0x80 | (ch & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | ch >> 18);
	out[1] = (char)(0x80 | (ch >> 12 & 0x3f));
	out[2] = (char)(0x80 | (ch >> 6 & 0x3f));
	out[3] = (char)(0x80 | (ch & 0x3f));
	return 4;
}
