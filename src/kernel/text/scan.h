/*
 * Scan text from the left by line, word and number, without reading past its end. Private to
 * kernel/.
 */
#ifndef PIPA_KERNEL_TEXT_SCAN_H
#define PIPA_KERNEL_TEXT_SCAN_H

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "kernel/text/raw.h"

/* The rest of a text that is scanned. */
struct scan {
	const char *pos, *end;
};

static inline bool next_line(struct scan *text, struct scan *line)
{
	const char *newline;

	if (text->pos >= text->end)
		return false;
	newline = memchr(text->pos, '\n', (size_t)(text->end - text->pos));
	line->pos = text->pos;
	line->end = newline ? newline : text->end;
	text->pos = newline ? newline + 1 : text->end;
	return true;
}

static inline void skip_blanks(struct scan *s)
{
	while (s->pos < s->end && (*s->pos == ' ' || *s->pos == '\t'))
		s->pos++;
}

/* Return the next space-separated word; false at the end. */
static inline bool next_word(struct scan *s, struct scan *word)
{
	skip_blanks(s);
	word->pos = s->pos;
	while (s->pos < s->end && *s->pos != ' ' && *s->pos != '\t')
		s->pos++;
	word->end = s->pos;
	return word->end > word->pos;
}

static inline size_t word_len(const struct scan *word)
{
	return (size_t)(word->end - word->pos);
}

static inline bool is_word(const struct scan *word, const char *text)
{
	size_t len = strlen(text);

	return word_len(word) == len && memcmp(word->pos, text, len) == 0;
}

/* Parse digits of the given base at the front of s; missing if there are none. Wraps past 2^64. */
static inline uint64_t take_digits(struct scan *s, unsigned int base)
{
	const char *start = s->pos;
	uint64_t value = 0;

	for (; s->pos < s->end; s->pos++) {
		unsigned int c = (unsigned char)*s->pos;
		unsigned int digit = c - '0' < 10	  ? c - '0' :
				     (c | 0x20) - 'a' < 6 ? (c | 0x20) - 'a' + 10 :
							    99;

		if (digit >= base)
			break;
		value = value * base + digit;
	}
	return s->pos > start ? value : PIPA_RAW_MISSING;
}

static inline uint64_t next_number(struct scan *s)
{
	skip_blanks(s);
	return take_digits(s, 10);
}

/* Parse "12.34" as 1234: load averages have two decimal places. */
static inline uint64_t next_hundredths(struct scan *s)
{
	uint64_t whole = next_number(s);
	unsigned int i, digit;

	if (whole == PIPA_RAW_MISSING)
		return whole;
	if (s->pos < s->end && *s->pos == '.')
		s->pos++;
	for (i = 0; i < 2; i++) {
		digit = s->pos < s->end && isdigit((unsigned char)*s->pos) ?
				(unsigned int)(*s->pos++ - '0') :
				0;
		whole = whole * 10 + digit;
	}
	while (s->pos < s->end && isdigit((unsigned char)*s->pos))
		s->pos++;
	return whole;
}

/* Fill fields from the left; fields after the end of the line are set to missing. */
static inline void take_numbers(struct scan *line, uint64_t *fields, size_t n)
{
	size_t i;

	for (i = 0; fields && i < n; i++)
		fields[i] = next_number(line);
}

static inline void add_fields(uint64_t *to, const uint64_t *from, size_t n)
{
	size_t i;

	for (i = 0; to && from && i < n; i++)
		if (from[i] != PIPA_RAW_MISSING)
			to[i] = (to[i] == PIPA_RAW_MISSING ? 0 : to[i]) + from[i];
}

static inline void strip_colon(struct scan *word)
{
	if (word->end > word->pos && word->end[-1] == ':')
		word->end--;
}

#endif
