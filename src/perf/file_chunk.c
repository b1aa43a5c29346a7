/* Divide the samples of a recording among readers. */
#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/vec.h"
#include "perf/file_read_own.h"

/*
 * Add the range from a mark to the next one, merged with the previous range if it is adjacent. 0 or
 * -ENOMEM.
 */
static int add_range(struct pipa_perf_reader *chunk, const struct pipa_perf_reader *whole,
		     size_t mark)
{
	const struct mark *from = &whole->marks.items[mark], *to = from + 1;
	struct part range = whole->parts.items[from->part], *last;

	if (mark + 1 < whole->marks.n && to->part == from->part)
		range.until = to->at;
	range.from = from->at;
	last = chunk->parts.n ? &chunk->parts.items[chunk->parts.n - 1] : NULL;
	if (last && last->bytes == range.bytes && last->until == range.from) {
		last->until = range.until;
		return 0;
	}
	last = PIPA_VEC_ADD(&chunk->parts);
	if (!last)
		return -ENOMEM;
	*last = range;
	return 0;
}

/* Open a reader of the records between two marks. 0 or a negative errno. */
static int open_chunk(const struct pipa_perf_reader *whole, size_t mark, size_t until,
		      struct pipa_perf_reader **ret)
{
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *r = calloc(1, sizeof(*r));
	int rc = r ? 0 : -ENOMEM;

	if (rc < 0)
		return rc;
	r->whole = whole;
	r->bytes = whole->bytes;
	r->o = whole->o;
	r->o.unpack = NULL;
	r->swapped = whole->swapped;
	r->aligned = malloc(PIPA_PERF_RECORD_MAX);
	if (!r->aligned)
		return -ENOMEM;
	rc = pipa_perf_decoder_new(&whole->events, &r->decoder);
	for (; !rc && mark < until; mark++)
		rc = add_range(r, whole, mark);
	if (!rc)
		rc = pipa_window_init(&r->window, r->parts.items[0].bytes, PIPA_PERF_WINDOW);
	if (!rc)
		*ret = PIPA_TAKE(r);
	return rc;
}

/* Limit the first reader to the records before a mark: the others read the rest. */
static void limit_first(struct pipa_perf_reader *r, size_t until)
{
	const struct mark *end = &r->marks.items[until];

	if (end->at > r->parts.items[end->part].from) {
		r->parts.items[end->part].until = end->at;
		r->parts.n = end->part + 1;
	} else {
		r->parts.n = end->part;
	}
}

int pipa_perf_reader_divide(struct pipa_perf_reader *r, size_t n, struct pipa_perf_reader **ret)
{
	size_t marks = r->marks.n, i;
	int rc = 0;

	if (r->recording.compressed || marks < 2 || n < 2)
		return 0;
	n = n < marks ? n : marks;
	for (i = 1; i < n; i++) {
		rc = open_chunk(r, i * marks / n, (i + 1) * marks / n, &ret[i - 1]);
		if (rc < 0)
			break;
	}
	while (rc < 0 && i-- > 1)
		pipa_perf_reader_close(ret[i - 1]);
	if (rc < 0)
		return rc;
	limit_first(r, marks / n);
	return (int)n - 1;
}

uint64_t pipa_perf_reader_size(const struct pipa_perf_reader *r)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < r->parts.n; i++)
		size += r->parts.items[i].end - r->parts.items[i].offset;
	return size;
}
