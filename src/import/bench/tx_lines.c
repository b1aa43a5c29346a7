#include "import/bench/tx_lines.h"

#include <stdint.h>
#include <string.h>

#include "import/bench/transactions.h"

enum { BLOCK = 64, ESC = 0x1b };

/* Is it '0' to '9' or ':', which follows them in ASCII? */
static bool is_digit_or_colon(char c)
{
	return (uint8_t)(c - '0') <= ':' - '0';
}

/* Return the first digit or colon, or end. Works on blocks, so that the compiler vectorizes it. */
static const char *find_digit_or_colon(const char *at, const char *end)
{
	while (end - at >= BLOCK) {
		uint8_t any = 0;
		size_t i;

		for (i = 0; i < BLOCK; i++)
			any |= is_digit_or_colon(at[i]);
		if (any)
			break;
		at += BLOCK;
	}
	while (at < end && !is_digit_or_colon(*at))
		at++;
	return at;
}

/*
 * Return the position after an escape sequence: ESC [ ... letter, ESC ] ... BEL or ESC \, or ESC
 * and one character.
 */
static const char *after_escape(const char *at, const char *end)
{
	if (++at == end)
		return end;
	if (*at == ']') {
		while (at < end && *at != '\a' && *at != ESC)
			at++;
		if (at < end && *at == ESC)
			at++;
	} else if (*at == '[') {
		for (at++; at < end && (uint8_t)*at >= 0x20 && (uint8_t)*at <= 0x3f;)
			at++;
	}
	return at < end ? at + 1 : end;
}

static size_t strip(char *line, size_t len)
{
	const char *from = line, *end = line + len;
	char *to = line;

	if (!memchr(line, ESC, len))
		return len;
	while (from < end)
		if (*from == ESC)
			from = after_escape(from, end);
		else
			*to++ = *from++;
	return (size_t)(to - line);
}

/* Pass on the complete line in buf. */
static void pass_line(struct pipa_tx_lines *lines)
{
	size_t len = strip(lines->buf, lines->len), blanks = 0;

	lines->len = 0;
	while (blanks < len && (lines->buf[blanks] == ' ' || lines->buf[blanks] == '\t'))
		blanks++;
	lines->buf[len] = '\0';
	lines->fn(lines->ctx, lines->buf + blanks, len - blanks);
}

/* Pass on a line that came in pieces, if it has a digit or a colon. */
static void finish_line(struct pipa_tx_lines *lines)
{
	const char *end = lines->buf + lines->len;

	if (find_digit_or_colon(lines->buf, end) < end)
		pass_line(lines);
	lines->len = 0;
}

static void append_bytes(struct pipa_tx_lines *lines, const char *bytes, size_t len)
{
	size_t room = PIPA_TX_LINE_MAX - lines->len;

	if (len > room)
		len = room;
	memcpy(lines->buf + lines->len, bytes, len);
	lines->len += len;
}

static const char *find_lines(char c, const char *at, const char *end)
{
	const char *found = memchr(at, c, (size_t)(end - at));

	return found ? found : end;
}

/* Return the end of the line at `at`. *newline caches the next \n, so that it is searched once. */
static const char *line_end(const char **newline, const char *at, const char *end)
{
	if (!*newline || *newline < at)
		*newline = find_lines('\n', at, end);
	return find_lines('\r', at, *newline);
}

/* Return the start of the line at `at`; `from` is the start of a line. */
static const char *line_start(const char *from, const char *at)
{
	const char *newline = memrchr(from, '\n', (size_t)(at - from)), *carriage;

	if (newline)
		from = newline + 1;
	carriage = memrchr(from, '\r', (size_t)(at - from));
	return carriage ? carriage + 1 : from;
}

void pipa_tx_lines_put(struct pipa_tx_lines *lines, const char *bytes, size_t len)
{
	const char *at = bytes, *end = bytes + len, *newline = NULL, *telling, *stop;

	if (!len)
		return;
	if (lines->len) {
		stop = line_end(&newline, at, end);
		append_bytes(lines, at, (size_t)(stop - at));
		if (stop == end)
			return;
		finish_line(lines);
		at = stop + 1;
	}
	while ((telling = find_digit_or_colon(at, end)) < end) {
		at = line_start(at, telling);
		stop = line_end(&newline, telling, end);
		append_bytes(lines, at, (size_t)(stop - at));
		if (stop == end)
			return;
		pass_line(lines);
		at = stop + 1;
	}
	at = line_start(at, end);
	append_bytes(lines, at, (size_t)(end - at));
}

void pipa_tx_lines_end(struct pipa_tx_lines *lines)
{
	finish_line(lines);
}
