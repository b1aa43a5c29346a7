#include "import/legacy/cpu.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/error.h"
#include "import/legacy/draft.h"
#include "import/legacy/java.h"
#include "import/legacy/maps.h"

struct reader {
	struct pipa_draft *draft;
	struct pipa_span file;
	struct pipa_cursor
		in; /* `swapped` if the words are big-endian on a little-endian machine */
	bool wide;  /* words have 64 bits */
	bool is_java;
	uint64_t period_us;
};

static size_t word_size(const struct reader *r)
{
	return r->wide ? 8 : 4;
}

static uint64_t get_word(struct reader *r)
{
	return r->wide ? pipa_get_u64(&r->in) : pipa_get_u32(&r->in);
}

/* Find the word size and byte order whose header fits, and move after the header. */
static bool find_header(struct reader *r)
{
	const bool host_is_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	int i;

	for (i = 0; i < 4; i++) {
		uint64_t words[5];
		size_t k;

		r->wide = i >= 2;
		r->in = pipa_span_cursor(r->file, (i % 2 == 1) != host_is_big);
		for (k = 0; k < PIPA_COUNT(words); k++)
			words[k] = get_word(r);
		r->is_java = words[2] == 1;
		r->period_us = words[3];
		if (!r->in.status && words[0] == 0 && words[1] == 3 && words[2] <= 1 &&
		    words[3] > 0 && words[4] == 0)
			return true;
	}
	return false;
}

bool pipa_legacy_cpu_is(struct pipa_span start)
{
	struct reader r = { .file = start };

	return find_header(&r);
}

static int refuse_record(struct reader *r, const uint8_t *at, const char *what)
{
	return pipa_refuse(r->draft->err, -EBADMSG,
			   "malformed pprof profile: the record at offset %" PRIu64 " %s",
			   (uint64_t)(at - r->file.data), what);
}

/* Read a record. Returns 1, 0 after the trailer, or an error. */
static int read_record(struct reader *r)
{
	const uint8_t *start = r->in.pos;
	uint64_t count = get_word(r), depth = get_word(r), i;
	int64_t values[2];
	int rc = 0;

	if (r->in.status)
		return refuse_record(r, start, "is truncated");
	/* pprof compares the depth with the number of 32-bit words that follow, also in files of 64-bit words */
	if (depth > pipa_cursor_left(&r->in) / 4)
		return refuse_record(r, start, "has more addresses than the file");
	if (count == 0 && depth == 1 && pipa_cursor_left(&r->in) >= word_size(r)) {
		struct pipa_cursor back = r->in;

		if (get_word(r) == 0)
			return 0;
		r->in = back;
	}
	for (i = 0; !rc && i < depth; i++) {
		uint64_t address;

		if (pipa_cursor_left(&r->in) < word_size(r)) {
			r->draft->damaged++; /* the file ends in the record: its inner frames are kept */
			r->in.pos = r->in.end;
			break;
		}
		address = get_word(r);
		rc = pipa_draft_frame(r->draft, address - (i > 0 && !r->is_java));
	}
	if (count > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)count, r->draft->period, &values[1]))
		return refuse_record(r, start, "has a count that exceeds 63 bits");
	values[0] = (int64_t)count;
	if (!rc)
		rc = pipa_draft_sample(r->draft, values, 0);
	return rc ? rc : 1;
}

/*
 * Remove the second frame if nearly all samples have the same one: it is then a frame that the signal handler has pushed.
 * Returns whether it was removed.
 */
static int remove_signal_frame(struct pipa_draft *d)
{
	PIPA_AUTO(free) uint32_t *counts = calloc(d->locations.n + 1, sizeof(*counts));
	size_t most = d->samples.n - d->samples.n / 32, i;
	uint32_t found = PIPA_NONE;

	if (!counts)
		return -ENOMEM;
	for (i = 0; i < d->samples.n; i++) {
		const struct pipa_draft_sample *s = &d->samples.items[i];

		if (s->n > 1 && ++counts[d->frames.items[s->first + 1]] >= most)
			found = d->frames.items[s->first + 1];
	}
	for (i = 0; found != PIPA_NONE && i < d->samples.n; i++) {
		struct pipa_draft_sample *s = &d->samples.items[i];

		if (s->n > 1 && d->frames.items[s->first + 1] == found)
			pipa_draft_remove_frame(d, s, 1);
	}
	return found != PIPA_NONE;
}

static int read_maps(struct reader *r, struct pipa_span text)
{
	struct pipa_line_reader lines = pipa_line_reader_of(text);
	int rc = remove_signal_frame(r->draft);

	if (rc > 0)
		rc = remove_signal_frame(r->draft);
	if (rc >= 0)
		rc = pipa_maps_read(r->draft, &lines);
	if (!rc)
		pipa_draft_remove_repeated_leaves(r->draft);
	return rc;
}

int pipa_legacy_cpu_read(struct pipa_draft *draft, struct pipa_span file)
{
	static const struct pipa_draft_column columns[] = { { "samples", "count" },
							    { "cpu", "nanoseconds" } };
	struct reader r = { .draft = draft, .file = file };
	struct pipa_span text;
	int64_t period;
	int rc;

	if (!find_header(&r))
		return pipa_refuse(draft->err, -EBADMSG,
				   "malformed pprof profile: its header has no valid period");
	if (r.period_us > INT64_MAX / 1000)
		return pipa_refuse(draft->err, -EBADMSG,
				   "malformed pprof profile: the period of %" PRIu64
				   " us exceeds 63 bits of nanoseconds",
				   r.period_us);
	period = (int64_t)r.period_us * 1000;
	rc = pipa_draft_columns(draft, columns, PIPA_COUNT(columns));
	if (!rc)
		rc = pipa_draft_period(draft, "cpu", "nanoseconds", period);
	while (!rc && r.in.pos < r.in.end) {
		rc = read_record(&r);
		if (rc == 0)
			break;
		rc = rc > 0 ? 0 : rc;
	}
	if (rc)
		return rc;
	text = (struct pipa_span){ r.in.pos, pipa_cursor_left(&r.in) };
	return r.is_java ? pipa_java_locations(draft, text) : read_maps(&r, text);
}
