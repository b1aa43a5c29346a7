/*
 * Escape untrusted text (names of processes, files, symbols, hosts) for a terminal or a line of
 * text: control characters, invisible characters and those that change the text direction are
 * written as escapes, so that a name stays on its line and no two names look equal. A control
 * character or a byte that is not UTF-8 becomes "\x1b", another character "\u202e" or
 * "\U000e0001".
 *
 * This is the only escaping for text; JSON and YAML escape by their own rules (codec/doc.h), SVG
 * and HTML by theirs.
 */
#ifndef PIPA_BASE_VISIBLE_H
#define PIPA_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

enum { PIPA_VISIBLE_MAX = 10 };

/*
 * Escape the character at *text and move after it: write its bytes to out, without a NUL, and
 * return their number; 0 at the end. ret_columns: its width, one per character.
 */
size_t pipa_visible_next(const char **text, char out[static PIPA_VISIBLE_MAX], size_t *ret_columns);

/* Write a character out, whatever it is. */
size_t pipa_visible_escape(uint32_t ch, char out[static PIPA_VISIBLE_MAX]);

/* How many characters at its beginning are letters and signs of ASCII: nearly always all of them. */
static inline size_t pipa_visible_plain(const char *text)
{
	size_t n = 0;

	while ((unsigned char)(text[n] - ' ') < 0x7f - ' ')
		n++;
	return n;
}

/* Return whether the text needs no escaping because it is printable ASCII. */
bool pipa_visible_is_plain(const char *text, size_t len);

/* Append all of it, escaped. */
void pipa_visible_put(struct pipa_buf *out, const char *text);
void pipa_visible_add(struct pipa_buf *out, const char *text, size_t len);

/* Write it escaped into a string of that size; what does not fit is left out. */
void pipa_visible_copy(char *out, size_t size, const char *text);

/*
 * Escape what was appended since the buffer had that length: for lines that are made by printf().
 */
void pipa_visible_since(struct pipa_buf *out, size_t start);

#endif
