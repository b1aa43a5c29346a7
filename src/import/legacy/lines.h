/*
 * Read lines and numbers of text, as the legacy forms of pprof write them. Private to import/legacy/.
 *
 * Spaces are tab, newline, form feed, carriage return and space.
 */
#ifndef PIPA_IMPORT_LEGACY_LINES_H
#define PIPA_IMPORT_LEGACY_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* Borrowed text without a terminating zero. */
struct pipa_text {
	const char *at, *end;
};

struct pipa_line_reader {
	struct pipa_text rest;
	struct pipa_text
		line;	 /* the current one, without \n or \r\n; empty at the end of the text */
	uint64_t number; /* of the current line, from 1 on */
};

static inline struct pipa_line_reader pipa_line_reader_of(struct pipa_span text)
{
	const char *start = text.size ? (const char *)text.data : "";

	return (struct pipa_line_reader){ .rest = { start, start + text.size } };
}

/* Move to the next line. Returns false at the end of the text, where the line is empty. */
bool pipa_line_reader_next(struct pipa_line_reader *lines);

/* Move to the next line that is neither empty nor a comment. */
bool pipa_line_reader_next_content(struct pipa_line_reader *lines);

/* Skip lines from the current one on, up to one that is the heading of a memory map. */
void pipa_line_reader_skip_to_maps(struct pipa_line_reader *lines);

/* Is the line empty, or is # its first character after spaces? */
bool pipa_line_is_comment(struct pipa_text line);

/* Does the line contain "--- Memory map: ---" or "MAPPED_LIBRARIES:"? */
bool pipa_line_is_maps_heading(struct pipa_text line);

static inline size_t pipa_text_len(struct pipa_text text)
{
	return (size_t)(text.end - text.at);
}

static inline bool pipa_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

static inline bool pipa_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool pipa_is_xdigit(char c);

struct pipa_text pipa_text_trim(struct pipa_text text);
bool pipa_text_equals(struct pipa_text text, const char *word);
bool pipa_text_starts_with(struct pipa_text text, const char *word);

/* Return where the text contains the word, NULL if it does not. */
const char *pipa_text_find(struct pipa_text text, const char *word);

/* Move *text after spaces, and return whether there was one. */
bool pipa_text_skip_spaces(struct pipa_text *text);

/* Move *text after blanks (only ' '), and return how many there were. */
size_t pipa_text_skip_blanks(struct pipa_text *text);

/* If the text starts with the word, move it after the word and return true. */
bool pipa_text_skip(struct pipa_text *text, const char *word);

/* Return the digits that the text starts with, and move it after them. Empty if there are none. */
struct pipa_text pipa_text_digits(struct pipa_text *text);
struct pipa_text pipa_text_xdigits(struct pipa_text *text);

/* Convert all of the text. False if it is not a number of that form, or exceeds 64 bits. */
bool pipa_text_decimal(struct pipa_text text, int64_t *ret);
bool pipa_text_hex(struct pipa_text text, uint64_t *ret);
/* The same with the prefixes 0x, 0b and 0 or 0o for octal, and with a sign. */
bool pipa_text_any_base(struct pipa_text text, int64_t *ret);

/*
 * Return the next address "0x..." of a text, and move it after the address. 1, 0 if there is none, or -ERANGE if it exceeds
 * 64 bits.
 */
int pipa_text_address(struct pipa_text *text, uint64_t *ret);

/* Return the part of the text that has only characters of a list of addresses: blanks, x and lower-case digits. */
struct pipa_text pipa_text_addresses(struct pipa_text text);

#endif
