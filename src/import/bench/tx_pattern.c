#include "import/bench/tx_pattern.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "import/bench/transactions.h"

enum field {
	COUNT,
	PLAIN,
	RATE,
	US_EACH,
	SECS,
	MS,
	TIMES,
	SKIP,
	LAST_NUMBER = SKIP,
	K,
	KI,
	WORD,
	GAP,
	ANY,
	LAST,
	END,
	HOLE_NR
};

static const char *const hole_names[HOLE_NR] = {
	[COUNT] = "count", [PLAIN] = "plain", [RATE] = "rate",	 [US_EACH] = "us_each",
	[SECS] = "secs",   [MS] = "ms",	      [TIMES] = "times", [SKIP] = "skip",
	[K] = "k",	   [KI] = "Ki",	      [WORD] = "word",	 [GAP] = "gap",
	[ANY] = "any",	   [LAST] = "last",   [END] = "end",
};

/* State of a match. */
struct walk {
	const char *pattern, *at, *end;
	struct pipa_tx_values values;
	double *number, value; /* destination of the last number, and its value */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

/* Copy the digits of "1,234,567" without the commas; at most three before the first. */
static const char *ungroup(const char *at, const char *end, char *digits, size_t size, size_t *n)
{
	while (at < end && is_digit(*at) && *n < size)
		digits[(*n)++] = *at++;
	if (*n > 3)
		return at;
	while (end - at >= 4 && at[0] == ',' && is_digit(at[1]) && is_digit(at[2]) &&
	       is_digit(at[3]) && (end - at == 4 || !is_digit(at[4])) && *n + 3 <= size) {
		memcpy(digits + *n, at + 1, 3);
		*n += 3;
		at += 4;
	}
	return at;
}

/* Return the end of an unsigned number: 12, 0.5, 1.2E7. */
static const char *number_end(const char *at, const char *end)
{
	const char *exponent;

	while (at < end && is_digit(*at))
		at++;
	if (at < end && *at == '.')
		for (at++; at < end && is_digit(*at);)
			at++;
	if (at == end || (*at != 'e' && *at != 'E'))
		return at;
	exponent = at + 1;
	if (exponent < end && (*exponent == '+' || *exponent == '-'))
		exponent++;
	if (exponent == end || !is_digit(*exponent))
		return at;
	while (exponent < end && is_digit(*exponent))
		exponent++;
	return exponent;
}

/* Parse a number at *at and move *at after it. */
static bool read_number(const char **at, const char *end, bool grouped, double *ret)
{
	char text[64];
	const char *p = *at, *stop;
	size_t n = 0, rest;

	if (p == end || !is_digit(*p))
		return false;
	if (grouped)
		p = ungroup(p, end, text, sizeof(text) / 2, &n);
	stop = number_end(p, end);
	rest = (size_t)(stop - p);
	if (rest >= sizeof(text) - n)
		return false;
	memcpy(text + n, p, rest);
	text[n + rest] = '\0';
	if (pipa_str_double(text, ret) < 0)
		return false;
	*at = stop;
	return true;
}

/* Parse k, M or G after a number, unless it starts a word. */
static double read_suffix(const char **at, const char *end)
{
	double factor = 1;

	if (*at == end || (*at + 1 < end && isalpha((unsigned char)(*at)[1])))
		return 1;
	if (**at == 'k' || **at == 'K')
		factor = 1e3;
	else if (**at == 'M')
		factor = 1e6;
	else if (**at == 'G')
		factor = 1e9;
	if (factor > 1)
		(*at)++;
	return factor;
}

int pipa_tx_number(const char *text, size_t len, double *ret)
{
	const char *end = text + len;
	double value;

	text = skip_blanks(text, end);
	while (end > text && is_blank(end[-1]))
		end--;
	if (!read_number(&text, end, true, &value))
		return -EINVAL;
	value *= read_suffix(&text, end);
	if (text != end || !isfinite(value))
		return -EINVAL;
	*ret = value;
	return 0;
}

static void add_value(struct walk *walk, double *number, double value)
{
	*number = isnan(*number) ? value : *number + value;
	walk->number = number;
	walk->value = value;
}

static bool match_number(struct walk *walk, enum field field)
{
	struct pipa_tx_values *values = &walk->values;
	double value;

	walk->at = skip_blanks(walk->at, walk->end);
	if (!read_number(&walk->at, walk->end, field != PLAIN && field != SKIP, &value))
		return false;
	walk->number = NULL;
	if (field == COUNT || field == PLAIN)
		add_value(walk, &values->count, value * read_suffix(&walk->at, walk->end));
	else if (field == RATE)
		add_value(walk, &values->rate, value * read_suffix(&walk->at, walk->end));
	else if (field == US_EACH && value > 0)
		add_value(walk, &values->rate, 1e6 / value);
	else if (field == SECS || field == MS)
		add_value(walk, &values->secs, field == MS ? value / 1e3 : value);
	else if (field == TIMES)
		values->times = isnan(values->times) ? value : values->times * value;
	return field != US_EACH || value > 0;
}

static bool match_scale(struct walk *walk, double base)
{
	static const char letters[] = "KMGT";
	const char *letter = walk->at < walk->end ? strchr(letters, *walk->at) : NULL;

	if (!letter || !*letter)
		return true;
	walk->at++;
	if (walk->number)
		*walk->number += walk->value * pow(base, (double)(letter - letters + 1)) -
				 walk->value;
	return true;
}

static size_t text_len(const char *pattern)
{
	return strcspn(pattern, "{");
}

static bool match_any(struct walk *walk, bool last)
{
	size_t len = text_len(walk->pattern);
	const char *found = NULL, *at = walk->at;

	while ((at = memmem(at, (size_t)(walk->end - at), walk->pattern, len))) {
		found = at++;
		if (!last)
			break;
	}
	if (!found)
		return false;
	walk->at = found;
	return true;
}

static bool match_field(struct walk *walk, enum field field)
{
	if (field <= LAST_NUMBER)
		return match_number(walk, field);
	if (field == K || field == KI)
		return match_scale(walk, field == K ? 1000 : 1024);
	if (field == ANY || field == LAST)
		return match_any(walk, field == LAST);
	walk->at = skip_blanks(walk->at, walk->end);
	if (field == END)
		return walk->at == walk->end;
	if (field == WORD)
		while (walk->at < walk->end && !is_blank(*walk->at))
			walk->at++;
	return true;
}

/* Parse "{name}" of a pattern. The table has only known names. */
static enum field read_field(const char **pattern)
{
	size_t len = strcspn(*pattern, "}") - 1;
	enum field field = 0;

	while (field < END &&
	       (strncmp(hole_names[field], *pattern + 1, len) != 0 || hole_names[field][len]))
		field++;
	*pattern += len + 2;
	return field;
}

bool pipa_tx_match(const char *pattern, const char *line, size_t len, struct pipa_tx_values *ret)
{
	struct walk walk = {
		.pattern = pattern, .at = line, .end = line + len, .values = { NAN, NAN, NAN, NAN }
	};
	size_t text;

	while (*walk.pattern) {
		text = text_len(walk.pattern);
		if (text > (size_t)(walk.end - walk.at) || memcmp(walk.pattern, walk.at, text) != 0)
			return false;
		walk.pattern += text;
		walk.at += text;
		if (*walk.pattern && !match_field(&walk, read_field(&walk.pattern)))
			return false;
	}
	*ret = walk.values;
	return true;
}

size_t pipa_tx_head(const char *pattern)
{
	return text_len(pattern);
}

size_t pipa_tx_needle(const char *pattern, const char **ret)
{
	size_t longest = 0, len;

	while (*pattern) {
		len = text_len(pattern);
		if (len > longest) {
			longest = len;
			*ret = pattern;
		}
		pattern += len;
		if (*pattern)
			read_field(&pattern);
	}
	return longest;
}
