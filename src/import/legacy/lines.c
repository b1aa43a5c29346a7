#include "import/legacy/lines.h"

#include <errno.h>
#include <string.h>

bool pipa_line_reader_next(struct pipa_line_reader *lines)
{
	const char *newline;

	if (lines->rest.at == lines->rest.end) {
		lines->line = lines->rest;
		return false;
	}
	newline = memchr(lines->rest.at, '\n', pipa_text_len(lines->rest));
	lines->line = (struct pipa_text){ lines->rest.at, newline ? newline : lines->rest.end };
	lines->rest.at = newline ? newline + 1 : lines->rest.end;
	if (lines->line.end > lines->line.at && lines->line.end[-1] == '\r')
		lines->line.end--;
	lines->number++;
	return true;
}

bool pipa_line_reader_next_content(struct pipa_line_reader *lines)
{
	while (pipa_line_reader_next(lines))
		if (!pipa_line_is_comment(lines->line))
			return true;
	return false;
}

void pipa_line_reader_skip_to_maps(struct pipa_line_reader *lines)
{
	while (!pipa_line_is_maps_heading(lines->line) && pipa_line_reader_next(lines))
		;
}

bool pipa_line_is_comment(struct pipa_text line)
{
	pipa_text_skip_spaces(&line);
	return line.at == line.end || *line.at == '#';
}

bool pipa_line_is_maps_heading(struct pipa_text line)
{
	return pipa_text_find(line, "--- Memory map: ---") ||
	       pipa_text_find(line, "MAPPED_LIBRARIES:");
}

bool pipa_is_xdigit(char c)
{
	return pipa_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

struct pipa_text pipa_text_trim(struct pipa_text text)
{
	pipa_text_skip_spaces(&text);
	while (text.end > text.at && pipa_is_space(text.end[-1]))
		text.end--;
	return text;
}

bool pipa_text_equals(struct pipa_text text, const char *word)
{
	return pipa_text_len(text) == strlen(word) && memcmp(text.at, word, strlen(word)) == 0;
}

bool pipa_text_starts_with(struct pipa_text text, const char *word)
{
	return pipa_text_skip(&text, word);
}

const char *pipa_text_find(struct pipa_text text, const char *word)
{
	return memmem(text.at, pipa_text_len(text), word, strlen(word));
}

bool pipa_text_skip_spaces(struct pipa_text *text)
{
	const char *from = text->at;

	while (text->at < text->end && pipa_is_space(*text->at))
		text->at++;
	return text->at > from;
}

size_t pipa_text_skip_blanks(struct pipa_text *text)
{
	const char *from = text->at;

	while (text->at < text->end && *text->at == ' ')
		text->at++;
	return (size_t)(text->at - from);
}

bool pipa_text_skip(struct pipa_text *text, const char *word)
{
	size_t len = strlen(word);

	if (pipa_text_len(*text) < len || memcmp(text->at, word, len) != 0)
		return false;
	text->at += len;
	return true;
}

struct pipa_text pipa_text_digits(struct pipa_text *text)
{
	struct pipa_text digits = { text->at, text->at };

	while (text->at < text->end && pipa_is_digit(*text->at))
		digits.end = ++text->at;
	return digits;
}

struct pipa_text pipa_text_xdigits(struct pipa_text *text)
{
	struct pipa_text digits = { text->at, text->at };

	while (text->at < text->end && pipa_is_xdigit(*text->at))
		digits.end = ++text->at;
	return digits;
}

static unsigned int digit_value(char c)
{
	return pipa_is_digit(c)	    ? (unsigned int)(c - '0') :
	       c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 :
	       c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A') + 10 :
				      99;
}

static bool convert(struct pipa_text text, unsigned int base, uint64_t *ret)
{
	uint64_t value = 0;

	if (text.at == text.end)
		return false;
	for (; text.at < text.end; text.at++)
		if (digit_value(*text.at) >= base || __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit_value(*text.at), &value))
			return false;
	*ret = value;
	return true;
}

static bool convert_signed(struct pipa_text text, unsigned int base, bool negative, int64_t *ret)
{
	uint64_t value;

	if (!convert(text, base, &value) || value > (uint64_t)INT64_MAX + negative)
		return false;
	*ret = (int64_t)(negative ? 0 - value : value);
	return true;
}

bool pipa_text_decimal(struct pipa_text text, int64_t *ret)
{
	bool negative = pipa_text_skip(&text, "-");

	return convert_signed(text, 10, negative, ret);
}

bool pipa_text_hex(struct pipa_text text, uint64_t *ret)
{
	return convert(text, 16, ret);
}

bool pipa_text_any_base(struct pipa_text text, int64_t *ret)
{
	bool negative = pipa_text_skip(&text, "-");

	if (!negative)
		pipa_text_skip(&text, "+");
	if (pipa_text_skip(&text, "0x") || pipa_text_skip(&text, "0X"))
		return convert_signed(text, 16, negative, ret);
	if (pipa_text_skip(&text, "0b") || pipa_text_skip(&text, "0B"))
		return convert_signed(text, 2, negative, ret);
	if (pipa_text_skip(&text, "0o") || pipa_text_skip(&text, "0O"))
		return convert_signed(text, 8, negative, ret);
	return convert_signed(text, pipa_text_starts_with(text, "0") ? 8 : 10, negative, ret);
}

int pipa_text_address(struct pipa_text *text, uint64_t *ret)
{
	for (; text->at < text->end; text->at++) {
		struct pipa_text rest = *text, digits;

		if (!pipa_text_skip(&rest, "0x"))
			continue;
		digits.at = rest.at;
		while (rest.at < rest.end && pipa_is_xdigit(*rest.at) &&
		       !(*rest.at >= 'A' && *rest.at <= 'F'))
			rest.at++;
		digits.end = rest.at;
		if (digits.at == digits.end)
			continue;
		*text = rest;
		return pipa_text_hex(digits, ret) ? 1 : -ERANGE;
	}
	return 0;
}

struct pipa_text pipa_text_addresses(struct pipa_text text)
{
	const char *end = text.at;

	while (end < text.end && (*end == ' ' || *end == 'x' ||
				  (pipa_is_xdigit(*end) && !(*end >= 'A' && *end <= 'F'))))
		end++;
	return (struct pipa_text){ text.at, end };
}
