#include "codec/json_pull.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum {
	DEPTH_MAX = 512,
	NUMBER_MAX = 64, /* characters of a number */
};

void pipa_json_pull_init(struct pipa_json_pull *json, struct pipa_span text)
{
	const char *start = text.data ? (const char *)text.data : "";

	*json = (struct pipa_json_pull){ .at = start, .start = start, .end = start + text.size };
	/* a byte order mark is not part of the text */
	if (text.size >= 3 && memcmp(start, "\xef\xbb\xbf", 3) == 0)
		json->at += 3;
}

bool pipa_json_pull_fail(struct pipa_json_pull *json, const char *what)
{
	if (!json->status) {
		json->status = -EBADMSG;
		json->what = what;
	}
	return false;
}

static void skip_space(struct pipa_json_pull *json)
{
	while (json->at < json->end &&
	       (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
		json->at++;
}

char pipa_json_pull_peek(struct pipa_json_pull *json)
{
	skip_space(json);
	return json->status || json->at == json->end ? '\0' : *json->at;
}

bool pipa_json_pull_open(struct pipa_json_pull *json, char bracket)
{
	if (pipa_json_pull_peek(json) != bracket)
		return pipa_json_pull_fail(json, bracket == '{' ? "an object is expected" :
								  "an array is expected");
	json->at++;
	return true;
}

/* Move over the comma before the next entry; false after the closing bracket, which is left. */
static bool next_entry(struct pipa_json_pull *json, bool *first, char bracket)
{
	char c = pipa_json_pull_peek(json);

	if (json->status)
		return false;
	if (c == bracket) {
		json->at++;
		return false;
	}
	if (!c)
		return pipa_json_pull_fail(json, "the text is truncated");
	if (!*first) {
		if (c != ',')
			return pipa_json_pull_fail(json, "a comma is expected");
		json->at++;
		skip_space(json);
	}
	*first = false;
	return true;
}

bool pipa_json_pull_element(struct pipa_json_pull *json, bool *first)
{
	return next_entry(json, first, ']');
}

bool pipa_json_pull_member(struct pipa_json_pull *json, bool *first, struct pipa_json_text *key)
{
	if (!next_entry(json, first, '}') || !pipa_json_pull_string(json, key))
		return false;
	if (pipa_json_pull_peek(json) != ':')
		return pipa_json_pull_fail(json, "a colon is expected");
	json->at++;
	return true;
}

bool pipa_json_pull_string(struct pipa_json_pull *json, struct pipa_json_text *ret)
{
	const char *p;

	if (pipa_json_pull_peek(json) != '"')
		return pipa_json_pull_fail(json, "a string is expected");
	*ret = (struct pipa_json_text){ .text = json->at + 1 };
	for (p = json->at + 1; p < json->end && *p != '"'; p++)
		if (*p == '\\') {
			ret->escaped = true;
			p++;
		}
	if (p >= json->end)
		return pipa_json_pull_fail(json, "a string has no end");
	ret->len = (size_t)(p - ret->text);
	json->at = p + 1;
	return true;
}

/* Return the end of a number. */
static const char *number_end(const struct pipa_json_pull *json)
{
	const char *p = json->at;

	while (p < json->end && ((*p >= '0' && *p <= '9') || *p == '.' || *p == '-' || *p == '+' ||
				 *p == 'e' || *p == 'E'))
		p++;
	return p;
}

bool pipa_json_pull_double(struct pipa_json_pull *json, double *ret)
{
	const char *end;
	char text[NUMBER_MAX + 1], *stop;
	size_t len;

	pipa_json_pull_peek(json);
	end = number_end(json);
	len = (size_t)(end - json->at);
	if (json->status || !len || len > NUMBER_MAX)
		return pipa_json_pull_fail(json, "a number is expected");
	memcpy(text, json->at, len);
	text[len] = '\0';
	*ret = strtod(text, &stop);
	if (*stop || !isfinite(*ret))
		return pipa_json_pull_fail(json, "a number is malformed");
	json->at = end;
	return true;
}

bool pipa_json_pull_u64(struct pipa_json_pull *json, uint64_t *ret)
{
	uint64_t value = 0;
	const char *p;
	double number;

	pipa_json_pull_peek(json);
	for (p = json->at; p < json->end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return pipa_json_pull_fail(json, "a number exceeds 64 bits");
	if (json->status)
		return false;
	if (p > json->at && (p == json->end || (*p != '.' && *p != 'e' && *p != 'E'))) {
		json->at = p;
		*ret = value;
		return true;
	}
	/* 1e3 and 2.0 are integers too */
	if (!pipa_json_pull_double(json, &number))
		return false;
	if (number < 0 || number >= 9007199254740992.0 || number != floor(number))
		return pipa_json_pull_fail(json, "an integer of at least 0 is expected");
	*ret = (uint64_t)number;
	return true;
}

static bool skip_word(struct pipa_json_pull *json)
{
	static const char *const words[] = { "true", "false", "null" };
	size_t i, len;

	for (i = 0; i < 3; i++) {
		len = strlen(words[i]);
		if ((size_t)(json->end - json->at) >= len && memcmp(json->at, words[i], len) == 0) {
			json->at += len;
			return true;
		}
	}
	return pipa_json_pull_fail(json, "a value is expected");
}

/*
 * Skip brackets and strings without a check of the commas between them: a part that is not read does not have to be
 * valid, but its end must be found.
 */
static bool skip_nested(struct pipa_json_pull *json)
{
	struct pipa_json_text text;
	size_t depth = 0;

	while (json->at < json->end) {
		switch (*json->at) {
		case '"':
			if (!pipa_json_pull_string(json, &text))
				return false;
			continue;
		case '{':
		case '[':
			if (++depth > DEPTH_MAX)
				return pipa_json_pull_fail(json, "values are nested too deeply");
			break;
		case '}':
		case ']':
			if (--depth == 0) {
				json->at++;
				return true;
			}
			break;
		default: break;
		}
		json->at++;
	}
	return pipa_json_pull_fail(json, "the text is truncated");
}

bool pipa_json_pull_skip(struct pipa_json_pull *json)
{
	struct pipa_json_text text;
	double number;

	switch (pipa_json_pull_peek(json)) {
	case '{':
	case '[': return skip_nested(json);
	case '"': return pipa_json_pull_string(json, &text);
	case 't':
	case 'f':
	case 'n': return skip_word(json);
	case '\0': return pipa_json_pull_fail(json, "the text is truncated");
	default: return pipa_json_pull_double(json, &number);
	}
}

bool pipa_json_text_is(const struct pipa_json_text *text, const char *word)
{
	return !text->escaped && strlen(word) == text->len &&
	       memcmp(text->text, word, text->len) == 0;
}

/* Parse four hexadecimal digits; UINT32_MAX if they are none. */
static uint32_t parse_hex(const char *p, const char *end)
{
	uint32_t value = 0;
	int i;

	if (end - p < 4)
		return UINT32_MAX;
	for (i = 0; i < 4; i++) {
		char c = p[i];
		int digit = c >= '0' && c <= '9' ? c - '0' :
			    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
			    c >= 'A' && c <= 'F' ? c - 'A' + 10 :
						   -1;

		if (digit < 0)
			return UINT32_MAX;
		value = value << 4 | (uint32_t)digit;
	}
	return value;
}

static void put_utf8(struct pipa_buf *out, uint32_t ch)
{
	if (ch == 0 || (ch >= 0xd800 && ch < 0xe000) || ch > 0x10ffff)
		ch = 0xfffd;
	if (ch < 0x80) {
		pipa_buf_putc(out, (char)ch);
		return;
	}
	if (ch < 0x800) {
		pipa_buf_putc(out, (char)(0xc0 | ch >> 6));
	} else {
		if (ch < 0x10000) {
			pipa_buf_putc(out, (char)(0xe0 | ch >> 12));
		} else {
			pipa_buf_putc(out, (char)(0xf0 | ch >> 18));
			pipa_buf_putc(out, (char)(0x80 | (ch >> 12 & 0x3f)));
		}
		pipa_buf_putc(out, (char)(0x80 | (ch >> 6 & 0x3f)));
	}
	pipa_buf_putc(out, (char)(0x80 | (ch & 0x3f)));
}

/* Decode \uXXXX at p, after the u, with a second one if it is half of a pair. Returns its end. */
static const char *put_escaped_char(const char *p, const char *end, struct pipa_buf *out)
{
	uint32_t ch = parse_hex(p, end), low;

	if (ch == UINT32_MAX) {
		put_utf8(out, 0xfffd);
		return p;
	}
	p += 4;
	if (ch >= 0xd800 && ch < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
		low = parse_hex(p + 2, end);
		if (low >= 0xdc00 && low < 0xe000) {
			ch = 0x10000 + ((ch - 0xd800) << 10) + (low - 0xdc00);
			p += 6;
		}
	}
	put_utf8(out, ch);
	return p;
}

void pipa_json_text_put(const struct pipa_json_text *text, struct pipa_buf *out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	const char *p = text->text, *end = p + text->len, *escape, *known;

	while (p < end) {
		escape = text->escaped ? memchr(p, '\\', (size_t)(end - p)) : NULL;
		pipa_buf_add(out, p, (size_t)((escape ? escape : end) - p));
		if (!escape || escape + 1 >= end)
			break;
		p = escape + 2;
		known = strchr(from, escape[1]);
		if (escape[1] == 'u')
			p = put_escaped_char(p, end, out);
		else
			pipa_buf_putc(out, escape[1] && known ? to[known - from] : escape[1]);
	}
}
