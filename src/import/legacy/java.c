#include "import/legacy/java.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "import/legacy/draft.h"
#include "import/legacy/maps.h"

/* Average distance of heap samples in bytes: the agent does not write it. */
enum { HEAP_RATE = 524288 };

bool pipa_legacy_java_is(struct pipa_text line)
{
	return pipa_text_equals(pipa_text_trim(line), "--- heapz 1 ---");
}

/* ---- locations --------------------------------------------------------------------------------- */

/* "function (inside)" at the end of a text: the last parenthesis after a space that has something inside of it. */
static bool split_parentheses(struct pipa_text text, size_t least, struct pipa_text *ret_function,
			      struct pipa_text *ret_inside)
{
	const char *open;

	if (text.at == text.end || text.end[-1] != ')')
		return false;
	for (open = text.end - 1 - least; open > text.at; open--)
		if (open < text.end - 1 && *open == '(' && pipa_is_space(open[-1])) {
			*ret_function = (struct pipa_text){ text.at, open - 1 };
			*ret_inside = (struct pipa_text){ open + 1, text.end - 1 };
			return true;
		}
	return false;
}

/* "function (File.java:12)" */
static bool parse_file_line(struct pipa_text text, struct pipa_text *function,
			    struct pipa_text *file, int64_t *line)
{
	const char *digit = text.end - 1;
	struct pipa_text number;
	int64_t value;

	if (text.at == text.end || *digit != ')')
		return false;
	while (digit > text.at && pipa_is_digit(digit[-1]))
		digit--;
	number = (struct pipa_text){ digit, text.end - 1 };
	if (number.at == number.end)
		return false;
	if (digit > text.at && digit[-1] == '-')
		digit--;
	if (digit == text.at || digit[-1] != ':')
		return false;
	/* ":12)" and a character of the file after the parenthesis */
	if (digit - 2 < text.at ||
	    !split_parentheses(text, (size_t)(text.end - digit) + 2, function, file))
		return false;
	file->end = digit - 1;
	*line = digit == number.at && pipa_text_decimal(number, &value) ? value : 0;
	return true;
}

/* Return the last part of a path, as basename(1) does. */
static struct pipa_text base_name(struct pipa_text path)
{
	static const char dot[] = ".";
	const char *slash;

	if (path.at == path.end)
		return (struct pipa_text){ dot, dot + 1 };
	while (path.end - path.at > 1 && path.end[-1] == '/')
		path.end--;
	slash = memrchr(path.at, '/', pipa_text_len(path));
	if (slash && slash + 1 < path.end)
		path.at = slash + 1;
	return path;
}

/* Find the function of a name, or add it: the file of its first occurrence is its file. */
static uint32_t find_function(struct pipa_draft *d, struct pipa_id_map *by_name,
			      struct pipa_text name, struct pipa_text file)
{
	uint32_t string = pipa_draft_string(d, name), number;
	struct pipa_draft_function *function;

	if (string == PIPA_NO_STRING)
		return PIPA_NONE;
	number = pipa_id_map_find(by_name, string);
	if (number != PIPA_NONE)
		return number;
	function = PIPA_VEC_ADD(&d->functions);
	if (!function)
		return PIPA_NONE;
	function->name = string;
	function->file = pipa_draft_string(d, file);
	number = (uint32_t)d->functions.n;
	return function->file == PIPA_NO_STRING || pipa_id_map_add(by_name, string, number) < 0 ?
		       PIPA_NONE :
		       number;
}

/* "0x1 function (File.java:12)". Other lines, and those of locations without samples, are ignored. */
static int read_location(struct pipa_draft *d, struct pipa_id_map *by_name, struct pipa_text line)
{
	static const char stub[] = "STUB";
	struct pipa_text digits, function, file = { 0 };
	uint32_t number, name;
	uint64_t address;
	int64_t n = 0;

	if (!pipa_text_skip(&line, "0x"))
		return 0;
	digits = pipa_text_xdigits(&line);
	if (digits.at == digits.end || !pipa_text_skip_spaces(&line))
		return 0;
	if (!pipa_text_hex(digits, &address))
		return -ERANGE;
	number = pipa_id_map_find(&d->by_address, address);
	if (number == PIPA_NONE)
		return 0;
	if (!parse_file_line(line, &function, &file, &n)) {
		if (split_parentheses(line, 1, &function, &file))
			file = base_name(file);
		else if (pipa_text_find(line, "generated stub/JIT"))
			function = (struct pipa_text){ stub, stub + strlen(stub) };
		else
			function = line; /* a state of the virtual machine: "GC" */
	}
	name = find_function(d, by_name, function, file);
	if (name == PIPA_NONE)
		return -ENOMEM;
	d->locations.items[number].function = name;
	d->locations.items[number].line = n;
	return 0;
}

static int read_locations(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	struct pipa_id_map by_name = { 0 };
	size_t i;
	int rc = 0;

	while (!rc && pipa_line_reader_next(lines)) {
		rc = read_location(d, &by_name, pipa_text_trim(lines->line));
		if (rc == -ERANGE)
			rc = pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	}
	pipa_id_map_done(&by_name);
	/* a location with a name is in no mapping */
	for (i = 0; i < d->locations.n; i++)
		if (d->locations.items[i].function)
			d->locations.items[i].address = 0;
	if (!rc)
		rc = pipa_draft_number(d);
	if (!rc)
		rc = pipa_maps_assign(d);
	/* the numbers of locations have no meaning outside of this file */
	for (i = 0; i < d->locations.n; i++)
		d->locations.items[i].address = 0;
	return rc;
}

int pipa_java_locations(struct pipa_draft *d, struct pipa_span text)
{
	struct pipa_line_reader lines = pipa_line_reader_of(text);

	return read_locations(d, &lines);
}

/* ---- heap and contentions ---------------------------------------------------------------------- */

struct header {
	bool is_heap;
};

static bool is_word(char c)
{
	return c == '_' || c == ' ' || pipa_is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Find "KEY=VALUE", both of letters, digits, '_' and blanks. */
static bool find_attribute(struct pipa_text line, struct pipa_text *key, struct pipa_text *value)
{
	struct pipa_text rest = line;
	const char *equals;

	while ((equals = pipa_text_find(rest, "="))) {
		*key = (struct pipa_text){ equals, equals };
		*value = (struct pipa_text){ equals + 1, equals + 1 };
		while (key->at > rest.at && is_word(key->at[-1]))
			key->at--;
		while (value->end < line.end && is_word(*value->end))
			value->end++;
		if (key->at < key->end && value->at < value->end) {
			*key = pipa_text_trim(*key);
			*value = pipa_text_trim(*value);
			return true;
		}
		rest.at = equals + 1;
	}
	return false;
}

static int set_resolution(struct pipa_draft *d, const struct header *h, struct pipa_text unit)
{
	static const struct pipa_draft_column heap[] = { { "inuse_objects", "count" },
							 { "inuse_space", NULL } },
					      contention[] = { { "contentions", "count" },
							       { "delay", NULL } };
	int rc = pipa_draft_columns(d, h->is_heap ? heap : contention, 2);

	d->column_unit[1] = pipa_draft_string(d, unit);
	return rc || d->column_unit[1] == PIPA_NO_STRING ? -ENOMEM : 0;
}

static int read_attribute(struct pipa_draft *d, const struct pipa_line_reader *lines,
			  struct header *h, struct pipa_text key, struct pipa_text value)
{
	int64_t number;

	if (pipa_text_equals(key, "format"))
		return pipa_text_equals(value, "java") ?
			       0 :
			       pipa_draft_refuse_line(d, lines, "the format is not java");
	if (pipa_text_equals(key, "resolution"))
		return set_resolution(d, h, value);
	if (h->is_heap ||
	    (!pipa_text_equals(key, "sampling period") && !pipa_text_equals(key, "ms since reset")))
		return pipa_draft_refuse_line(
			d, lines, "unknown attribute '%.*s'",
			(int)(pipa_text_len(key) < 40 ? pipa_text_len(key) : 40), key.at);
	if (!pipa_text_any_base(value, &number))
		return pipa_draft_refuse_line(d, lines, "the value is not a number of 64 bits");
	if (pipa_text_equals(key, "sampling period"))
		return pipa_draft_period(d, "contentions", "count", number);
	if (__builtin_mul_overflow(number, 1000000, &d->duration_ns))
		return pipa_draft_refuse_line(d, lines, "the value is not a number of 64 bits");
	return 0;
}

/* "VALUE COUNT @ ": find the numbers. Text may precede them. */
static bool find_sample(struct pipa_text line, struct pipa_text *value, struct pipa_text *count,
			struct pipa_text *addresses)
{
	while (line.at < line.end) {
		struct pipa_text rest;

		*value = pipa_text_digits(&line);
		if (value->at == value->end) {
			line.at++;
			continue;
		}
		rest = line;
		if (!pipa_text_skip_blanks(&rest))
			continue;
		*count = pipa_text_digits(&rest);
		if (count->at < count->end && pipa_text_skip_blanks(&rest) &&
		    pipa_text_skip(&rest, "@") && pipa_text_skip_blanks(&rest)) {
			*addresses = pipa_text_addresses(rest);
			return true;
		}
	}
	return false;
}

static int read_sample(struct pipa_draft *d, const struct pipa_line_reader *lines,
		       const struct header *h, const struct pipa_text texts[3])
{
	int64_t values[2], bytes = 0;
	bool fits;
	int rc;

	if (!pipa_text_any_base(texts[0], &values[1]) || !pipa_text_any_base(texts[1], &values[0]))
		return pipa_draft_refuse_line(d, lines, "a value is not a number of 64 bits");
	if (h->is_heap && !values[0])
		return pipa_draft_refuse_line(d, lines, "the count is 0");
	if (h->is_heap) {
		bytes = values[1] / values[0];
		fits = pipa_draft_scale_heap(&values[0], &values[1], HEAP_RATE);
	} else {
		int64_t factor = d->period ? d->period : 1;

		fits = !__builtin_mul_overflow(values[0], factor, &values[0]) &&
		       !__builtin_mul_overflow(values[1], factor, &values[1]);
	}
	if (!fits)
		return pipa_draft_refuse_line(d, lines, "the scaled values exceed 64 bits");
	rc = pipa_draft_frames(d, texts[2], 0, false);
	if (rc == -ERANGE)
		return pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	return rc ? rc : pipa_draft_sample(d, values, bytes);
}

/*
 * Read the lines of attributes, then those of samples, and stop before the first other line. A last line that does not
 * end is one of locations.
 */
static int read_sections(struct pipa_draft *d, struct pipa_line_reader *lines, struct header *h)
{
	bool in_samples = false;
	int rc = 0;

	while (!rc) {
		struct pipa_line_reader before = *lines;
		struct pipa_text line, texts[3], key, value;

		if (!pipa_line_reader_next(lines))
			return 0;
		line = pipa_text_trim(lines->line);
		if (line.at == line.end)
			continue;
		if (!in_samples && lines->rest.at[-1] == '\n' &&
		    find_attribute(line, &key, &value)) {
			rc = read_attribute(d, lines, h, key, value);
			continue;
		}
		in_samples = true;
		if (lines->rest.at[-1] != '\n' ||
		    !find_sample(line, &texts[0], &texts[1], &texts[2])) {
			*lines = before;
			return 0;
		}
		if (!d->n_columns)
			return pipa_draft_refuse_line(d, lines, "samples without a resolution");
		rc = read_sample(d, lines, h, texts);
	}
	return rc;
}

int pipa_legacy_java_read(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	struct pipa_text first = pipa_text_trim(lines->line);
	struct header h = { .is_heap = pipa_legacy_java_is(first) };
	int rc;

	if (!h.is_heap && !pipa_text_equals(first, "--- contentionz 1 ---"))
		return pipa_draft_refuse_line(d, lines, "expected '--- contentionz 1 ---'");
	d->has_bytes = h.is_heap;
	rc = pipa_draft_period(d, "", "", 0);
	if (!rc)
		rc = read_sections(d, lines, &h);
	return rc ? rc : read_locations(d, lines);
}
