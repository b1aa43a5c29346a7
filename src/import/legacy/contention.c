#include "import/legacy/contention.h"

#include <errno.h>

#include "import/legacy/draft.h"
#include "import/legacy/maps.h"

bool pipa_legacy_contention_is(struct pipa_text line)
{
	return pipa_text_starts_with(line, "--- contentionz ") ||
	       pipa_text_starts_with(line, "--- mutex:") ||
	       pipa_text_starts_with(line, "--- contention:");
}

static int refuse_number(struct pipa_draft *d, const struct pipa_line_reader *lines)
{
	return pipa_draft_refuse_line(d, lines, "the value is not a number of 64 bits");
}

/* Read an attribute. Returns 1 if it is one of Java's. */
static int read_attribute(struct pipa_draft *d, const struct pipa_line_reader *lines,
			  struct pipa_text key, struct pipa_text value, int64_t *hz)
{
	int64_t ms;

	if (pipa_text_equals(key, "format") || pipa_text_equals(key, "resolution"))
		return 1;
	if (pipa_text_equals(key, "cycles/second"))
		return pipa_text_any_base(value, hz) ? 0 : refuse_number(d, lines);
	if (pipa_text_equals(key, "sampling period"))
		return pipa_text_any_base(value, &d->period) ? 0 : refuse_number(d, lines);
	if (pipa_text_equals(key, "ms since reset"))
		return pipa_text_any_base(value, &ms) &&
				       !__builtin_mul_overflow(ms, 1000000, &d->duration_ns) ?
			       0 :
			       refuse_number(d, lines);
	if (pipa_text_equals(key, "discarded samples"))
		return 0;
	return pipa_draft_refuse_line(d, lines, "unknown attribute '%.*s'",
				      (int)(pipa_text_len(key) < 40 ? pipa_text_len(key) : 40),
				      key.at);
}

/*
 * Read the attributes. Afterwards the current line is the first one that is none. Returns 1 if they are those of Java.
 */
static int read_attributes(struct pipa_draft *d, struct pipa_line_reader *lines, int64_t *hz)
{
	while (pipa_line_reader_next_content(lines)) {
		struct pipa_text line = pipa_text_trim(lines->line);
		const char *equals = pipa_text_find(line, "=");
		int rc;

		if (!equals || pipa_text_starts_with(line, "---"))
			break;
		rc = read_attribute(d, lines, pipa_text_trim((struct pipa_text){ line.at, equals }),
				    pipa_text_trim((struct pipa_text){ equals + 1, line.end }), hz);
		if (rc)
			return rc;
	}
	return 0;
}

/*
 * "DELAY COUNT @": find the two numbers. Text may precede them. Nothing has to be between the two: the last digit of a
 * single number is then the count.
 */
static bool find_sample(struct pipa_text line, struct pipa_text *delay, struct pipa_text *count,
			struct pipa_text *addresses)
{
	while (line.at < line.end) {
		struct pipa_text rest;

		*delay = pipa_text_digits(&line);
		if (delay->at == delay->end) {
			line.at++;
			continue;
		}
		rest = line;
		pipa_text_skip_blanks(&rest);
		*count = pipa_text_digits(&rest);
		if (count->at == count->end) {
			rest = line;
			*count = (struct pipa_text){ delay->end - 1, delay->end };
			delay->end--;
		}
		if (delay->at < delay->end && pipa_text_skip(&rest, " @")) {
			*addresses = pipa_text_addresses(rest);
			return true;
		}
	}
	return false;
}

/* Convert cycles to nanoseconds, and scale both values by the period. False if they exceed 64 bits. */
static bool scale_values(const struct pipa_draft *d, int64_t hz, int64_t *delay, int64_t *count)
{
	double ns;

	if (d->period <= 0)
		return true;
	if (hz > 0) {
		ns = (double)*delay * (double)d->period / ((double)hz / 1e9);
		if (!(ns < 0x1p63))
			return false;
		*delay = (int64_t)ns;
	}
	return !__builtin_mul_overflow(*count, d->period, count);
}

static int read_sample(struct pipa_draft *d, const struct pipa_line_reader *lines, int64_t hz)
{
	struct pipa_text delay_text, count_text, addresses;
	int64_t delay, count;
	int rc;

	if (!find_sample(lines->line, &delay_text, &count_text, &addresses))
		return pipa_draft_refuse_line(d, lines, "expected 'DELAY COUNT @ ADDRESSES'");
	if (!pipa_text_decimal(delay_text, &delay) || !pipa_text_decimal(count_text, &count) ||
	    !scale_values(d, hz, &delay, &count))
		return pipa_draft_refuse_line(d, lines, "a value exceeds 64 bits");
	rc = pipa_draft_frames(d, addresses, 1, false);
	if (rc == -ERANGE)
		return pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	return rc ? rc : pipa_draft_sample(d, (const int64_t[]){ count, delay }, 0);
}

int pipa_legacy_contention_read(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	static const struct pipa_draft_column columns[] = { { "contentions", "count" },
							    { "delay", "nanoseconds" } };
	int64_t hz = 0;
	int rc = pipa_draft_columns(d, columns, PIPA_COUNT(columns));

	if (!rc)
		rc = pipa_draft_period(d, "contentions", "count", 1);
	if (!rc)
		rc = read_attributes(d, lines, &hz);
	if (rc)
		return rc;
	while (!rc && lines->line.at < lines->line.end &&
	       !pipa_text_starts_with(pipa_text_trim(lines->line), "---")) {
		rc = read_sample(d, lines, hz);
		if (!rc)
			pipa_line_reader_next_content(lines);
	}
	if (rc)
		return rc;
	pipa_line_reader_skip_to_maps(lines);
	return pipa_maps_read(d, lines);
}
