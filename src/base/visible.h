/*
 * Text that nobody vouches for, so that it can be read: what a terminal would obey, what is not seen and
 * what changes the look of others is written out, so that no two names look the same. A control and a byte
 * that is no text is "\x1b", a character "\u202e" or "\U000e0001".
 */
#ifndef PIPA_BASE_VISIBLE_H
#define PIPA_BASE_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

enum { PIPA_VISIBLE_MOST = 10 };

/*
 * The character at *text, which moves on behind it, as it can be shown: its bytes go to out, without a NUL,
 * and their number is returned; 0 at the end. ret_columns: what it takes, each character taken for one.
 */
size_t pipa_visible_next(const char **text, char out[static PIPA_VISIBLE_MOST],
			 size_t *ret_columns);

/* Write a character out, whatever it is. */
size_t pipa_visible_escape(uint32_t ch, char out[static PIPA_VISIBLE_MOST]);

/* How many characters at its beginning are letters and signs of ASCII: nearly always all of them. */
static inline size_t pipa_visible_plain(const char *text)
{
	size_t n = 0;

	while ((unsigned char)(text[n] - ' ') < 0x7f - ' ')
		n++;
	return n;
}

/* All of it, appended. */
void pipa_visible_put(struct pipa_buf *out, const char *text);

#endif
