#include "import/legacy/heap.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/legacy/draft.h"
#include "import/legacy/maps.h"

struct header {
	bool has_allocated; /* there are totals of allocations besides those in use */
	bool is_sampled;    /* values have to be scaled */
	int64_t period;
};

/* "1: 2 [ 3: 4 ]": two pairs of numbers, as text. Moves the text after them. */
static bool take_pairs(struct pipa_text *in, bool is_signed, struct pipa_text ret[static 4])
{
	struct pipa_text rest = *in;
	size_t i;

	for (i = 0; i < 4; i++) {
		const char *start = rest.at;

		if (is_signed && i < 2)
			pipa_text_skip(&rest, "-");
		ret[i] = pipa_text_digits(&rest);
		if (ret[i].at == ret[i].end)
			return false;
		ret[i].at = start;
		if (i % 2 == 0 && !pipa_text_skip(&rest, ":"))
			return false;
		pipa_text_skip_blanks(&rest);
		if (i == 1 && !pipa_text_skip(&rest, "["))
			return false;
		if (i == 1)
			pipa_text_skip_blanks(&rest);
	}
	if (!pipa_text_skip(&rest, "]"))
		return false;
	*in = rest;
	return true;
}

static bool same_text(struct pipa_text a, struct pipa_text b)
{
	return pipa_text_len(a) == pipa_text_len(b) && memcmp(a.at, b.at, pipa_text_len(a)) == 0;
}

/* "@ heap_v2/524288": the name and rate of a sampled or complete heap profile. */
static bool parse_heap_name(struct pipa_text in, struct header *h)
{
	struct pipa_text name = { 0 }, rate;
	int64_t period = 0;

	pipa_text_skip_blanks(&in);
	if (!pipa_text_skip(&in, "@"))
		return false;
	pipa_text_skip_blanks(&in);
	name.at = in.at;
	while (in.at < in.end &&
	       (*in.at == '_' || (*in.at >= 'a' && *in.at <= 'z') || pipa_is_digit(*in.at)))
		in.at++;
	name.end = in.at;
	pipa_text_skip(&in, "/");
	rate = pipa_text_digits(&in);
	if (rate.at < rate.end && !pipa_text_decimal(rate, &period))
		return false;
	h->is_sampled = !pipa_text_equals(name, "heapprofile");
	if (pipa_text_equals(name, "heap_v2") || pipa_text_equals(name, "heapz_v2"))
		h->period = period;
	else if (pipa_text_equals(name, "heapprofile"))
		h->period = 1;
	else if (pipa_text_equals(name, "heap"))
		h->period = period / 2; /* Go writes twice its rate */
	else
		return false;
	return true;
}

static bool parse_header_at(struct pipa_text in, struct header *ret)
{
	struct pipa_text numbers[4];

	*ret = (struct header){ 0 };
	pipa_text_skip_blanks(&in);
	if (!take_pairs(&in, false, numbers))
		return false;
	if (parse_heap_name(in, ret)) {
		ret->has_allocated = (!same_text(numbers[2], numbers[0]) &&
				      !pipa_text_equals(numbers[2], "0")) ||
				     (!same_text(numbers[3], numbers[1]) &&
				      !pipa_text_equals(numbers[3], "0"));
		return true;
	}
	*ret = (struct header){ .period = 1 };
	return pipa_text_starts_with(in, " @ growth") ||
	       pipa_text_starts_with(in, " @ fragmentation");
}

/* Text may precede the header. */
static bool parse_header(struct pipa_text line, struct header *ret)
{
	static const char start[] = "heap profile:";
	const char *at;

	while ((at = pipa_text_find(line, start))) {
		line.at = at + strlen(start);
		if (parse_header_at(line, ret))
			return true;
	}
	return false;
}

bool pipa_legacy_heap_is(struct pipa_text line)
{
	struct header header;

	return parse_header(line, &header);
}

/* Find the numbers of a sample and its addresses; text may precede them. */
static bool find_sample(struct pipa_text line, struct pipa_text numbers[static 4],
			struct pipa_text *ret_addresses)
{
	while (line.at < line.end) {
		struct pipa_text rest = line, digits;

		if (take_pairs(&rest, true, numbers) && pipa_text_skip(&rest, " @")) {
			*ret_addresses = pipa_text_addresses(rest);
			return true;
		}
		/* digits that are not the start of a sample are not one from their second on, either */
		digits = pipa_text_digits(&line);
		if (digits.at == digits.end)
			line.at++;
	}
	return false;
}

/* Convert a pair of numbers to a count and its bytes. *block is the size of an allocation, unchanged if there are none. */
static int convert_pair(struct pipa_draft *d, const struct pipa_line_reader *lines,
			const struct header *h, const struct pipa_text *numbers, int64_t values[2],
			int64_t *block)
{
	if (!pipa_text_decimal(numbers[0], &values[0]) ||
	    !pipa_text_decimal(numbers[1], &values[1]))
		return pipa_draft_refuse_line(d, lines, "a number exceeds 64 bits");
	if (!values[0] && values[1])
		return pipa_draft_refuse_line(d, lines, "0 allocations have %" PRId64 " bytes",
					      values[1]);
	if (!values[0])
		return 0;
	*block = values[0] == -1 ? (int64_t)(0 - (uint64_t)values[1]) : values[1] / values[0];
	if (h->is_sampled && !pipa_draft_scale_heap(&values[0], &values[1], h->period))
		return pipa_draft_refuse_line(d, lines, "the scaled values exceed 64 bits");
	return 0;
}

static int read_sample(struct pipa_draft *d, const struct pipa_line_reader *lines,
		       const struct header *h)
{
	struct pipa_text numbers[4], addresses;
	int64_t values[PIPA_DRAFT_COLUMNS_MAX], block = 0;
	int rc = 0;

	if (!find_sample(lines->line, numbers, &addresses))
		return pipa_draft_refuse_line(d, lines,
					      "expected 'COUNT: BYTES [COUNT: BYTES] @ ADDRESSES'");
	if (h->has_allocated)
		rc = convert_pair(d, lines, h, numbers + 2, values, &block);
	if (!rc)
		rc = convert_pair(d, lines, h, numbers, values + (h->has_allocated ? 2 : 0),
				  &block);
	if (!rc)
		rc = pipa_draft_frames(d, addresses, 1, false);
	if (rc == -ERANGE)
		return pipa_draft_refuse_line(d, lines, "an address exceeds 64 bits");
	return rc ? rc : pipa_draft_sample(d, values, block);
}

int pipa_legacy_heap_read(struct pipa_draft *d, struct pipa_line_reader *lines)
{
	static const struct pipa_draft_column columns[] = { { "alloc_objects", "count" },
							    { "alloc_space", "bytes" },
							    { "inuse_objects", "count" },
							    { "inuse_space", "bytes" } },
					      in_use[] = { { "objects", "count" },
							   { "space", "bytes" } };
	struct header header;
	int rc;

	if (!parse_header(lines->line, &header))
		return pipa_draft_refuse_line(d, lines, "not the header of a heap profile");
	d->has_bytes = true;
	rc = header.has_allocated ? pipa_draft_columns(d, columns, 4) :
				    pipa_draft_columns(d, in_use, 2);
	if (!rc)
		rc = pipa_draft_period(d, "space", "bytes", header.period);
	while (!rc && pipa_line_reader_next_content(lines) &&
	       !pipa_line_is_maps_heading(lines->line))
		rc = read_sample(d, lines, &header);
	return rc ? rc : pipa_maps_read(d, lines);
}
