#include "load/sadf_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/thread/parallel.h"
#include "import/sadf_csv.h"
#include "model/series_set.h"
#include "store/member_reader.h"
#include "store/text_window.h"

enum { MIN_PART = 8 << 20, MAX_HEADER = 4096, MAX_INTERVAL = 1 << 20 };

/* A range of the text and the series that were read from it. */
struct part {
	const struct pipa_sadf_input *input;
	uint64_t from, until; /* offsets in the member */
	const char *header;   /* of the table, with its newline; NULL: in the range */
	size_t header_len;
	bool is_last;
	struct pipa_series_set set;
	struct pipa_sadf_result result;
	int rc;
};

struct parts {
	struct part items[PIPA_PARALLEL_MAX];
	unsigned int n;
	char header[MAX_HEADER];
};

/* Read a range of the text. */
static int read_range(const struct part *part, struct pipa_series_set *set, size_t source,
		      struct pipa_sadf_result *result)
{
	const struct pipa_sadf_input *in = part->input;
	struct pipa_series_feed feed;
	PIPA_AUTO(pipa_sadf_reader_free) struct pipa_sadf_reader *reader = NULL;
	PIPA_AUTO(pipa_text_window_done) struct pipa_text_window r = { .member.fd = -1 };
	size_t used;
	int rc = pipa_member_reader_open(&r.member, in->archive, in->member);

	if (rc < 0)
		return rc;
	pipa_series_feed_init(&feed, set, source);
	reader = pipa_sadf_reader_new(in->zone, &feed.sink, result);
	if (!reader)
		return -ENOMEM;
	if (part->header)
		rc = pipa_sadf_reader_feed(reader, part->header, part->header_len, false, &used);
	r.member.offset += part->from;
	r.member.left = part->until < r.member.left ? part->until : r.member.left;
	r.member.left -= part->from < r.member.left ? part->from : r.member.left;
	while (!rc && !r.last) {
		rc = pipa_text_window_fill(&r);
		if (!rc)
			rc = pipa_sadf_reader_feed(reader, r.text, r.len, r.last && part->is_last,
						   &r.used);
	}
	return rc;
}

static void read_part(void *ctx, unsigned int index)
{
	struct parts *parts = ctx;
	struct part *part = &parts->items[index];

	part->rc = pipa_series_set_add_source(&part->set, "", PIPA_CLOCK_UTC) < 0 ?
			   -ENOMEM :
			   read_range(part, &part->set, 0, &part->result);
}

/* Return the length of host, interval and time of a line with their separators; 0 if it has none. */
static size_t prefix_of(const char *line, const char *end)
{
	const char *pos = line;
	int i;

	for (i = 0; i < 3; i++) {
		while (pos < end && *pos != ';' && *pos != ',' && *pos != '\n')
			pos++;
		if (pos == end || *pos == '\n')
			return 0;
		pos++;
	}
	return (size_t)(pos - line);
}

/* Find the start of the first interval after an offset. 0: there is none near. */
static uint64_t find_interval(struct pipa_member_reader reader, uint64_t offset, char *window)
{
	const char *line, *next, *end;
	size_t prefix;
	ssize_t n;

	reader.offset += offset;
	reader.left -= offset;
	n = pipa_member_reader_fill(&reader, window, MAX_INTERVAL);
	if (n <= 0)
		return 0;
	end = window + n;
	line = memchr(window, '\n', (size_t)n);
	if (!line)
		return 0;
	prefix = prefix_of(++line, end);
	for (; prefix; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next || (size_t)(end - ++next) < prefix || *next == '#')
			return 0;
		if (memcmp(line, next, prefix) != 0)
			return offset + (uint64_t)(next - window);
	}
	return 0;
}

/* Divide the member. Leaves one part if it is small or its first line is not a header. */
static int divide(const struct pipa_sadf_input *in, struct parts *ret)
{
	PIPA_AUTO(pipa_member_reader_close) struct pipa_member_reader reader = { .fd = -1 };
	PIPA_AUTO(free) char *window = malloc(MAX_INTERVAL);
	size_t min_part = in->min_part ? in->min_part : MIN_PART;
	int rc = window ? pipa_member_reader_open(&reader, in->archive, in->member) : -ENOMEM;
	unsigned int i, width = pipa_parallel_width();
	uint64_t size = reader.left;
	struct pipa_member_reader start = reader;
	const char *newline;
	ssize_t n;

	if (rc < 0)
		return rc;
	ret->n = 1;
	ret->items[0] = (struct part){ .input = in, .until = UINT64_MAX, .is_last = true };
	if (size / min_part < width)
		width = (unsigned int)(size / min_part);
	n = width > 1 ? pipa_member_reader_fill(&start, ret->header, MAX_HEADER) : 0;
	newline = n > 0 ? memchr(ret->header, '\n', (size_t)n) : NULL;
	if (!newline || ret->header[0] != '#')
		return 0;
	for (i = 1; i < width; i++) {
		struct part *last = &ret->items[ret->n - 1];
		uint64_t at = find_interval(reader, size / width * i, window);

		if (at <= last->from)
			continue;
		last->until = at;
		last->is_last = false;
		ret->items[ret->n++] = (struct part){ .input = in,
						      .from = at,
						      .until = UINT64_MAX,
						      .is_last = true,
						      .header = ret->header,
						      .header_len = (size_t)(newline + 1 -
									     ret->header) };
	}
	return 0;
}

/* Do the parts continue the source and each other, as if they had been read in one piece? */
static bool are_consecutive(const struct parts *parts, const struct pipa_series_set *set,
			    size_t source)
{
	const struct pipa_series_set *before = set;
	unsigned int i;

	for (i = 0; i < parts->n; i++) {
		const struct part *part = &parts->items[i];
		uint64_t first, last, before_first, before_last;

		if (part->rc < 0 || part->result.headers != 1 ||
		    (part->result.in_restart && !part->is_last) || part->set.groups.n != 1)
			return false;
		if (!i) { /* a later file of the same table, or the first one */
			size_t k;

			for (k = 0; k < set->groups.n; k++)
				if (set->groups.items[k].source == source &&
				    set->groups.items[k].section ==
					    part->set.groups.items[0].section)
					return false;
		} else if (!pipa_series_bounds(before, 0, &before_first, &before_last) ||
			   !pipa_series_bounds(&part->set, 0, &first, &last) ||
			   first <= before_last) {
			return false;
		}
		before = &part->set;
	}
	return true;
}

static void add_result(const struct pipa_sadf_result *part, struct pipa_sadf_result *ret)
{
	ret->rows += part->rows;
	ret->restarts += part->restarts;
	ret->skipped += part->skipped;
	ret->unknown += part->unknown;
	ret->headers += part->headers;
	if (!ret->unknown_name[0])
		memcpy(ret->unknown_name, part->unknown_name, sizeof(ret->unknown_name));
	if (!ret->host[0])
		memcpy(ret->host, part->host, sizeof(ret->host));
}

int pipa_sadf_read(const struct pipa_sadf_input *in, struct pipa_series_set *set, size_t source,
		   struct pipa_sadf_result *result)
{
	const struct part whole = { .input = in, .until = UINT64_MAX, .is_last = true };
	PIPA_AUTO(free) struct parts *parts = calloc(1, sizeof(*parts));
	unsigned int i;
	int rc = parts ? divide(in, parts) : -ENOMEM;

	if (rc < 0)
		return rc;
	if (parts->n < 2)
		return read_range(&whole, set, source, result);
	for (i = 0; i < parts->n; i++)
		parts->items[i].set.max_bytes = set->max_bytes;
	pipa_parallel(parts->n, read_part, parts);
	if (are_consecutive(parts, set, source)) {
		for (i = 0; i < parts->n; i++) {
			int failed = pipa_series_append(set, source, &parts->items[i].set, 0);

			rc = rc ? rc : failed;
			add_result(&parts->items[i].result, result);
		}
	} else {
		rc = -EAGAIN;
	}
	for (i = 0; i < parts->n; i++)
		pipa_series_set_done(&parts->items[i].set);
	return rc == -EAGAIN ? read_range(&whole, set, source, result) : rc;
}
