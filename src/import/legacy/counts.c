#include "import/legacy/counts.h"

#include <errno.h>
#include <string.h>

#include "import/legacy/draft.h"
#include "import/legacy/maps.h"

/* ---- counts ------------------------------------------------------------------------------------ */

/* "goroutine profile: total 4" */
static bool parse_count_header(struct pipa_text line, struct pipa_text *ret_name)
{
	struct pipa_text digits;

	ret_name->at = line.at;
	while (line.at < line.end && !pipa_is_space(*line.at))
		line.at++;
	ret_name->end = line.at;
	if (ret_name->at == ret_name->end || !pipa_text_skip(&line, " profile: total "))
		return false;
	digits = pipa_text_digits(&line);
	return digits.at < digits.end && line.at == line.end;
}

bool pipa_legacy_count_is(struct pipa_text line)
{
	struct pipa_text name;

	return parse_count_header(line, &name);
}

/* "4 @ 0x1 0x2". Go writes "4 @" for threads without a stack. */
static bool parse_count(struct pipa_text line, int64_t *ret_count, struct pipa_text *ret_addresses)
{
	struct pipa_text count = pipa_text_digits(&line), rest;

	if (!pipa_text_any_base(count, ret_count) || !pipa_text_skip(&line, " @"))
		return false;
	*ret_addresses = rest = line;
	while (rest.at < rest.end) {
		const char *digit;

		if (!pipa_text_skip(&rest, " 0x"))
			return false;
		for (digit = rest.at; rest.at < rest.end && *rest.at != ' '; rest.at++)
			if (!pipa_is_xdigit(*rest.at) || (*rest.at >= 'A' && *rest.at <= 'F'))
				return false;
		if (digit == rest.at)
			return false;
	}
	return true;
}

static int read_count(struct pipa_draft *d, const struct pipa_line_reader *lines)
{
	struct pipa_text addresses;
	int64_t count;
	int rc;

	if (!parse_count(lines->line, &count, &addresses))
		return pipa_draft_refuse_line(d, lines, "expected 'COUNT @ ADDRESSES'");
	rc = pipa_draft_frames(d, addresses, 1, false);
	if (rc == -ERANGE)
		return pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	return rc ? rc : pipa_draft_sample(d, &count, 0);
}

int pipa_legacy_count_read(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	struct pipa_draft_column column = { "", "count" };
	struct pipa_text name;
	int rc;

	if (!parse_count_header(lines->line, &name))
		return pipa_draft_refuse_line(d, lines, "expected 'NAME profile: total COUNT'");
	rc = pipa_draft_columns(d, &column, 1);
	if (!rc)
		rc = pipa_draft_period(d, "", "count", 1);
	if (!rc)
		d->column_name[0] = d->period_name = pipa_draft_string(d, name);
	if (d->column_name[0] == PIPA_NO_STRING)
		return -ENOMEM;
	while (!rc && pipa_line_reader_next_content(lines) &&
	       !pipa_text_starts_with(lines->line, "---"))
		rc = read_count(d, lines);
	if (rc)
		return rc;
	pipa_line_reader_skip_to_maps(lines);
	return pipa_maps_read(d, lines);
}

/* ---- threads ----------------------------------------------------------------------------------- */

/* "--- threadz 1 ---", anywhere in the line */
static bool is_threadz_heading(struct pipa_text line)
{
	static const char start[] = "--- threadz ";
	const char *at;

	while ((at = pipa_text_find(line, start))) {
		struct pipa_text rest = { at + strlen(start), line.end };
		struct pipa_text digits = pipa_text_digits(&rest);

		if (digits.at < digits.end && pipa_text_skip(&rest, " ---"))
			return true;
		line.at = at + 1;
	}
	return false;
}

/* "NAME/TID) stack: ---" with any characters in the name. */
static bool has_thread_end(struct pipa_text line)
{
	static const char end[] = ") stack: ---";
	const char *at, *digit;

	while ((at = pipa_text_find(line, end))) {
		for (digit = at; digit > line.at && pipa_is_digit(digit[-1]);)
			digit--;
		if (digit < at && digit > line.at && digit[-1] == '/')
			return true;
		line.at = at + 1;
	}
	return false;
}

/* "--- Thread 7f5 (name: main/17) stack: ---", anywhere in the line */
static bool is_thread_heading(struct pipa_text line)
{
	static const char start[] = "--- Thread ";
	const char *at;

	while ((at = pipa_text_find(line, start))) {
		struct pipa_text rest = { at + strlen(start), line.end };
		struct pipa_text digits = pipa_text_xdigits(&rest);

		if (digits.at < digits.end && pipa_text_skip(&rest, " (name: ") &&
		    has_thread_end(rest))
			return true;
		line.at = at + 1;
	}
	return false;
}

bool pipa_legacy_threadz_is(struct pipa_text line)
{
	return is_threadz_heading(line) || is_thread_heading(line);
}

/*
 * Read the stack of a thread, up to the next line that starts with "---". A thread without addresses has the stack of the
 * one before it.
 */
static int read_thread(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	static const int64_t one = 1;
	bool same = false, ended = false;
	size_t first = d->frames.n;
	int rc = 0;

	while (!rc && !ended && pipa_line_reader_next(lines)) {
		struct pipa_text line = pipa_text_trim(lines->line);

		ended = pipa_text_starts_with(line, "---") || pipa_line_is_maps_heading(line);
		if (ended || line.at == line.end)
			continue;
		if (pipa_text_find(line, "same as previous thread"))
			same = true;
		else
			rc = pipa_draft_frames(d, line, 1, true);
	}
	if (rc == -ERANGE)
		return pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	if (rc)
		return rc;
	if (!ended)
		d->damaged++; /* the file ends in the stack */
	if (same)
		d->frames.n = first;
	if (d->frames.n > first)
		return pipa_draft_sample(d, &one, 0);
	if (d->samples.n)
		d->samples.items[d->samples.n - 1].values[0]++;
	return 0;
}

/* Skip the lines between the heading of the profile and the first thread. */
static void skip_to_threads(struct pipa_line_reader *lines)
{
	while (pipa_line_reader_next(lines))
		if (pipa_line_is_maps_heading(lines->line) ||
		    pipa_text_starts_with(lines->line, "-"))
			return;
}

int pipa_legacy_threadz_read(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	static const struct pipa_draft_column column = { "thread", "count" };
	int rc = pipa_draft_columns(d, &column, 1);

	if (!rc)
		rc = pipa_draft_period(d, "thread", "count", 1);
	if (is_threadz_heading(lines->line))
		skip_to_threads(lines);
	while (!rc && lines->line.at < lines->line.end && !pipa_line_is_maps_heading(lines->line) &&
	       !pipa_text_starts_with(lines->line, "---- no stack trace for")) {
		if (!is_thread_heading(lines->line))
			return pipa_draft_refuse_line(
				d, lines, "expected '--- Thread ID (name: NAME/TID) stack: ---'");
		rc = read_thread(d, lines);
	}
	if (rc)
		return rc;
	pipa_line_reader_skip_to_maps(lines);
	rc = pipa_maps_read(d, lines);
	if (!rc)
		pipa_draft_remove_repeated_leaves(d);
	return rc;
}
