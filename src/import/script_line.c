#include "import/script_line.h"

#include <string.h>

#include "model/record.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct pipa_text_slice trimmed(const char *text, const char *end)
{
	while (text < end && is_blank(*text))
		text++;
	while (end > text && is_blank(end[-1]))
		end--;
	return (struct pipa_text_slice){ text, (size_t)(end - text) };
}

static bool span_is(struct pipa_text_slice span, const char *text)
{
	return span.len == strlen(text) && memcmp(span.text, text, span.len) == 0;
}

/* Return the next word at or after *pos, and move *pos after it; empty at the end. */
static struct pipa_text_slice next_word(const char **pos, const char *end)
{
	const char *start = *pos;

	while (start < end && is_blank(*start))
		start++;
	*pos = start;
	while (*pos < end && !is_blank(**pos))
		(*pos)++;
	return (struct pipa_text_slice){ start, (size_t)(*pos - start) };
}

/* Limits. The kernel's comm has 15 bytes; other tools may write more. */
enum { COMM_MAX = 256 };

/* Parse a complete text as a decimal number of at most `most`. */
static bool get_number(const char *text, size_t len, uint64_t most, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!is_digit(text[i]) || value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(text[i] - '0');
	}
	*ret = value;
	return len && value <= most;
}

static bool get_id(const char *text, size_t len, uint32_t *ret)
{
	uint64_t value;

	if (len == 2 && memcmp(text, "-1", 2) == 0) { /* unknown to perf */
		*ret = PIPA_UNKNOWN32;
		return true;
	}
	if (!get_number(text, len, INT32_MAX, &value))
		return false;
	*ret = (uint32_t)value;
	return true;
}

/* Parse "4711", the tid, or "4711/4712". */
static bool get_ids(struct pipa_text_slice word, struct pipa_script_header *h)
{
	const char *slash = memchr(word.text, '/', word.len);
	size_t before = slash ? (size_t)(slash - word.text) : 0;

	if (!slash) {
		h->pid = PIPA_UNKNOWN32;
		return get_id(word.text, word.len, &h->tid);
	}
	return get_id(word.text, before, &h->pid) &&
	       get_id(slash + 1, word.len - before - 1, &h->tid);
}

/* Parse "[003]". */
static bool get_cpu(struct pipa_text_slice word, uint32_t *ret)
{
	uint64_t cpu;
	bool found = word.len > 2 && word.text[0] == '[' && word.text[word.len - 1] == ']' &&
		     get_number(word.text + 1, word.len - 2, UINT32_MAX, &cpu);

	*ret = found ? (uint32_t)cpu : PIPA_UNKNOWN32;
	return found;
}

/* Parse "1234.567890:" with any number of digits, which depends on options and version. */
static bool get_time(struct pipa_text_slice word, uint64_t *ret)
{
	const char *dot = word.len ? memchr(word.text, '.', word.len) : NULL;
	uint64_t seconds, part;
	size_t before, digits;

	if (!dot && word.len) /* decimal comma of some locales */
		dot = memchr(word.text, ',', word.len);

	*ret = PIPA_UNKNOWN;
	if (!dot || word.text[word.len - 1] != ':')
		return false;
	before = (size_t)(dot - word.text);
	digits = word.len - before - 2;
	if (!get_number(word.text, before, UINT64_MAX, &seconds) ||
	    !get_number(dot + 1, digits, UINT64_MAX, &part))
		return false;
	for (; digits > 9; digits--)
		part /= 10;
	for (; digits < 9; digits++)
		part *= 10;
	if (seconds < UINT64_MAX / 1000000000 - 1) /* else not a clock */
		*ret = seconds * 1000000000 + part;
	return true;
}

static bool is_event(struct pipa_text_slice word)
{
	return word.len > 1 && word.text[word.len - 1] == ':';
}

/* Is it the field of -F misc: letters for the mode and flags of the record, "U" or "KE"? */
static bool is_misc(struct pipa_text_slice word)
{
	size_t i;

	for (i = 0; i < word.len; i++)
		if (!word.text[i] || !strchr("KUHGgMESpFTB", word.text[i]))
			return false;
	return word.len > 0 && word.len <= 5;
}

/* Is it the first word of -F tod: "2026-11-15 22:18:30.123456"? */
static bool is_date(struct pipa_text_slice word)
{
	return word.len == 10 && word.text[4] == '-' && word.text[7] == '-' &&
	       is_digit(word.text[0]) && is_digit(word.text[9]);
}

/*
 * Parse the only frame of a sample without a call chain, from `pos`, the end of the previous field.
 * perf prints an address at least 16 characters wide. Otherwise the fields of a tracepoint follow
 * the event, and are ignored.
 */
static bool parse_frame(struct pipa_script_header *h, const char *pos, const char *end)
{
	const char *after = pos;
	struct pipa_text_slice word = next_word(&after, end);
	struct pipa_parsed_frame frame;

	if (after - pos < 16 || !word.len)
		return false;
	if (!pipa_script_frame_parse(pos, (size_t)(end - pos), &frame))
		return false;
	h->frame = (struct pipa_text_slice){ pos, (size_t)(end - pos) };
	return true;
}

/*
 * Parse the fields after time or CPU: [period] [event:] [frame]. Returns whether all of the line
 * was parsed; the fields of a tracepoint need not be.
 */
static bool parse_rest(struct pipa_script_header *h, const char *pos, const char *end)
{
	const char *at = pos;
	struct pipa_text_slice word = next_word(&at, end);
	bool has_period = get_number(word.text, word.len, UINT64_MAX, &h->period);

	h->event = (struct pipa_text_slice){ word.text, 0 };
	if (!has_period) {
		h->period = 0;
		at = pos;
	}
	if (!word.len)
		return true;
	if (has_period || is_event(word)) {
		const char *after = at;

		word = next_word(&after, end);
		if (is_event(word)) {
			h->event = (struct pipa_text_slice){ word.text, word.len - 1 };
			return parse_frame(h, after, end) || !trimmed(after, end).len;
		}
		if (!word.len || parse_frame(h, at, end))
			return true;
		h->period = 0; /* it is an address of digits */
	}
	return parse_frame(h, pos, end);
}

/*
 * Parse the fields after comm, at least one of which is present: [pid/]tid [cpu] misc date time:
 * and the rest. `first`: there is no comm before them, and more fields are required.
 */
static bool parse_fields(struct pipa_script_header *h, const char *pos, const char *end, bool first)
{
	const char *after = pos, *before = pos;
	struct pipa_text_slice word = next_word(&after, end);
	bool has_ids = get_ids(word, h), has_cpu, whole;

	h->frame = (struct pipa_text_slice){ 0 };
	if (!first && parse_frame(h, pos, end)) { /* too wide for an id: only comm and frame */
		h->pid = h->tid = PIPA_UNKNOWN32;
		return true;
	}
	if (has_ids) {
		before = after;
		word = next_word(&after, end);
	} else {
		h->pid = h->tid = PIPA_UNKNOWN32;
	}
	has_cpu = get_cpu(word, &h->cpu);
	if (has_cpu) {
		before = after;
		word = next_word(&after, end);
	}
	if ((has_ids || has_cpu) && is_misc(word)) {
		before = after;
		word = next_word(&after, end);
	}
	if (is_date(word)) {
		next_word(&after, end);
		before = after;
		word = next_word(&after, end);
	}
	h->timed = get_time(word, &h->time);
	if (h->timed) {
		before = after;
		word = next_word(&after, end);
	}
	h->other = (h->timed || has_ids) && word.len > 12 &&
		   memcmp(word.text, "PERF_RECORD_", 12) == 0;
	whole = parse_rest(h, before, end);
	if (h->timed || h->other)
		return true;
	if (h->event.len)
		return whole || (has_ids && !first);
	if (h->frame.len)
		return has_ids || has_cpu || !first;
	return whole && (has_ids || has_cpu) && (!first || is_blank(end[-1])); /* "4711 " */
}

void pipa_script_header_parse(const char *line, size_t len, struct pipa_script_header *ret)
{
	const char *pos = line, *end = line + len;
	struct pipa_text_slice first = next_word(&pos, end);
	const char *comm = first.text;

	*ret = (struct pipa_script_header){
		.pid = PIPA_UNKNOWN32,
		.tid = PIPA_UNKNOWN32,
		.time = PIPA_UNKNOWN,
		.cpu = PIPA_UNKNOWN32,
	};
	if ((is_event(first) || get_cpu(first, &ret->cpu)) && parse_fields(ret, line, end, true)) {
		ret->comm = (struct pipa_text_slice){ line, 0 };
		return;
	}
	/* comm may contain spaces: it ends where the rest can be parsed */
	while (pos < end && pos - comm < COMM_MAX) {
		const char *before = pos;

		if (parse_fields(ret, pos, end, false)) {
			ret->comm = trimmed(comm, before);
			return;
		}
		next_word(&pos, end);
	}
	if (parse_fields(ret, line, end, true)) {
		ret->comm = (struct pipa_text_slice){ line, 0 };
		return;
	}
	*ret = (struct pipa_script_header){
		.pid = PIPA_UNKNOWN32,
		.tid = PIPA_UNKNOWN32,
		.comm = trimmed(line, end),
		.time = PIPA_UNKNOWN,
		.cpu = PIPA_UNKNOWN32,
		.vague = true,
	};
	ret->other = ret->comm.len > 12 && memcmp(ret->comm.text, "PERF_RECORD_", 12) == 0;
}

/* Find the opening parenthesis of the dso at the end of the line; a dso may contain parentheses. */
static const char *find_dso(const char *pos, const char *end)
{
	const char *open;
	int depth = 0;

	for (open = end; open > pos; open--) {
		depth += open[-1] == ')';
		depth -= open[-1] == '(';
		if (depth == 0)
			break;
	}
	if (open > pos + 1 && is_blank(open[-2]))
		return open - 1;
	for (open = end; open - 1 > pos; open--) /* unbalanced: the last one after a space */
		if (open[-1] == '(' && is_blank(open[-2]))
			return open - 1;
	return NULL;
}

/* Remove "+0x1f" from the end. */
static struct pipa_text_slice without_offset(struct pipa_text_slice span)
{
	size_t i = span.len;

	while (i > 0 && hex_value(span.text[i - 1]) >= 0)
		i--;
	if (i < span.len && i >= 3 && memcmp(span.text + i - 3, "+0x", 3) == 0)
		span.len = i - 3;
	return span;
}

static bool get_address(struct pipa_text_slice word, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i;

	if (!word.len || word.len > 16)
		return false;
	for (i = 0; i < word.len; i++) {
		int digit = hex_value(word.text[i]);

		if (digit < 0)
			return false;
		value = value << 4 | (uint64_t)digit;
	}
	*ret = value;
	return true;
}

/* Is it a frame without a dso: indented and 16 characters wide, or not indented and with a name? */
static bool is_frame_without_dso(const char *line, struct pipa_text_slice whole, const char *after)
{
	const char *end = whole.text + whole.len;

	if (is_blank(line[0]))
		return after - line >= 17 && !(end - after > 6 && !memcmp(after, "\tinsn:", 6));
	return after < end && (after - line >= 2 || span_is(trimmed(after, end), "[unknown]"));
}

bool pipa_script_frame_parse(const char *line, size_t len, struct pipa_parsed_frame *ret)
{
	struct pipa_parsed_frame frame = { .dso = { "", 0 } };
	const char *pos, *end, *dso = NULL;
	struct pipa_text_slice whole;

	if (!line || !len)
		return false;
	whole = trimmed(line, line + len);
	pos = whole.text;
	end = pos + whole.len;
	if (!get_address(next_word(&pos, end), &frame.address))
		return false;
	if (pos < end && end[-1] == ')')
		dso = find_dso(pos, end);
	if (!dso && !is_frame_without_dso(line, whole, pos))
		return false;
	frame.symbol = without_offset(trimmed(pos, dso ? dso : end));
	if (span_is(frame.symbol, "[unknown]"))
		frame.symbol.len = 0;
	if (dso) {
		frame.dso = (struct pipa_text_slice){ dso + 1, (size_t)(end - dso) - 2 };
		frame.inlined = span_is(frame.dso, "inlined");
		frame.dso = without_offset(frame.dso); /* -F dsoff */
	}
	*ret = frame;
	return true;
}
