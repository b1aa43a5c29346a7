#include "import/bench/tx_lines.h"

#include <stdint.h>
#include <string.h>

#include "import/bench/transactions.h"

enum { BLOCK = 64, ESC = 0x1b };

/* '0' to '9', and ':' which follows them */
static bool tells(char c)
{
	return (uint8_t)(c - '0') <= ':' - '0';
}

/* The first byte that may be of a line of interest, or end. Blocks, so that it becomes vectors. */
static const char *find_telling(const char *at, const char *end)
{
	while (end - at >= BLOCK) {
		uint8_t any = 0;
		size_t i;

		for (i = 0; i < BLOCK; i++)
			any |= tells(at[i]);
		if (any)
			break;
		at += BLOCK;
	}
	while (at < end && !tells(*at))
		at++;
	return at;
}

/* Behind an escape sequence: ESC [ ... letter, ESC ] ... BEL or ESC \, or ESC and one character. */
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

/* The whole line is in buf, and is of interest. */
static void hand_out(struct pipa_tx_lines *lines)
{
	size_t len = strip(lines->buf, lines->len), blanks = 0;

	lines->len = 0;
	while (blanks < len && (lines->buf[blanks] == ' ' || lines->buf[blanks] == '\t'))
		blanks++;
	lines->buf[len] = '\0';
	lines->fn(lines->ctx, lines->buf + blanks, len - blanks);
}

/* The same of a line that came in pieces, which may be of none. */
static void finish(struct pipa_tx_lines *lines)
{
	const char *end = lines->buf + lines->len;

	if (find_telling(lines->buf, end) < end)
		hand_out(lines);
	lines->len = 0;
}

static void keep(struct pipa_tx_lines *lines, const char *bytes, size_t len)
{
	size_t room = PIPA_TX_LINE_MAX - lines->len;

	if (len > room)
		len = room;
	memcpy(lines->buf + lines->len, bytes, len);
	lines->len += len;
}

static const char *find(char c, const char *at, const char *end)
{
	const char *found = memchr(at, c, (size_t)(end - at));

	return found ? found : end;
}

/* Where the line of `at` ends; *newline is the next \n that is known, so that it is looked for once. */
static const char *line_end(const char **newline, const char *at, const char *end)
{
	if (!*newline || *newline < at)
		*newline = find('\n', at, end);
	return find('\r', at, *newline);
}

/* Where the line of `at` begins; from is the beginning of a line. */
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
		keep(lines, at, (size_t)(stop - at));
		if (stop == end)
			return;
		finish(lines);
		at = stop + 1;
	}
	while ((telling = find_telling(at, end)) < end) {
		at = line_start(at, telling);
		stop = line_end(&newline, telling, end);
		keep(lines, at, (size_t)(stop - at));
		if (stop == end)
			return;
		hand_out(lines);
		at = stop + 1;
	}
	at = line_start(at, end);
	keep(lines, at, (size_t)(end - at));
}

void pipa_tx_lines_end(struct pipa_tx_lines *lines)
{
	finish(lines);
}
