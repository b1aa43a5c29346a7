/* Read the header of a perf.data file. */
#include "perf/file_read_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "perf/features.h"

/*
 * A file:
 *
 *	magic  size=104  attr_size  attrs{offset,size}  data{offset,size}  event_types{offset,size}
 *	features[4 x u64] | ids | attrs, each with ids{offset,size} | data: records |
 *	{offset,size} of each feature | the features
 *
 * A pipe: magic  size=16, then records, of which some say what a file's header would.
 */
enum {
	FILE_HEADER = 104,
	PIPE_HEADER = 16,
	MAX_FEATURE = 64 << 20, /* of a section that is read into memory; build ids can be many */
	MAX_EVENTS = 1 << 20,
};

struct section {
	uint64_t offset, size;
};

bool pipa_perf_is_recording(const uint8_t *bytes, size_t len)
{
	return len >= 8 && (memcmp(bytes, "PERFILE2", 8) == 0 || memcmp(bytes, "2ELIFREP", 8) == 0);
}

bool pipa_perf_is_piped(const uint8_t *bytes, size_t len)
{
	struct pipa_cursor c = { bytes + 8, bytes + len, false, 0 };
	uint64_t size;

	if (len < PIPE_HEADER || !pipa_perf_is_recording(bytes, len))
		return false;
	c.swapped = bytes[0] == '2';
	size = pipa_get_u64(&c);
	return size == PIPE_HEADER;
}

static struct section get_section(struct pipa_cursor *c)
{
	struct section s;

	s.offset = pipa_get_u64(c);
	s.size = pipa_get_u64(c);
	return s;
}

static bool any_feature(const uint64_t features[4])
{
	return features[0] | features[1] | features[2] | features[3];
}

/*
 * The bit map of features was written as longs. In the other byte order it cannot be known of which
 * size; a hostname is always among them, so it tells. Without it only build ids can be.
 */
static void get_features(struct pipa_cursor *c, uint64_t features[4])
{
	size_t i;

	for (i = 0; i < 4; i++)
		features[i] = pipa_get_u64(c);
	if (!c->swapped || features[0] >> PIPA_FEATURE_HOSTNAME & 1 || !any_feature(features))
		return;
	for (i = 0; i < 4; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
	if (!(features[0] >> PIPA_FEATURE_HOSTNAME & 1)) {
		memset(features, 0, 4 * sizeof(*features));
		features[0] = UINT64_C(1) << PIPA_FEATURE_BUILD_ID;
	}
}

/* A section's bytes in memory, freed by the caller. -EBADMSG when they are not (all) there. */
static int load_section(struct pipa_perf_reader *r, struct section s, uint8_t **ret)
{
	PIPA_AUTO(free) uint8_t *copy = NULL;
	size_t done = 0, piece;
	const uint8_t *bytes;

	if (s.size > MAX_FEATURE || s.size > r->bytes->size || s.offset > r->bytes->size - s.size)
		return -EBADMSG;
	copy = malloc(s.size ? (size_t)s.size : 1);
	if (!copy)
		return -ENOMEM;
	while (done < s.size) {
		piece = s.size - done < 65536 ? (size_t)s.size - done : 65536;
		bytes = pipa_window_get(&r->window, s.offset + done, piece);
		if (!bytes)
			return -EBADMSG;
		memcpy(copy + done, bytes, piece);
		done += piece;
	}
	*ret = PIPA_TAKE(copy);
	return 0;
}

static int load_ids(struct pipa_perf_reader *r, struct section s, uint32_t event)
{
	PIPA_AUTO(free) uint8_t *bytes = NULL;
	int rc = s.size ? load_section(r, s, &bytes) : 0;
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, (size_t)s.size },
						r->swapped);

	if (rc == -EBADMSG) {
		pipa_recording_note_damage(&r->recording, s.offset,
					   "the IDs of event %u are missing", event);
		return 0;
	}
	while (!rc && bytes && pipa_cursor_left(&c) >= 8)
		rc = pipa_perf_events_add_id(&r->events, pipa_get_u64(&c), event);
	return rc;
}

static int load_attrs(struct pipa_perf_reader *r, struct section s, uint64_t attr_size)
{
	PIPA_AUTO(free) uint8_t *bytes = NULL;
	int rc = load_section(r, s, &bytes);
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, (size_t)s.size },
						r->swapped);
	struct perf_event_attr attr;

	if (!rc && (attr_size < PERF_ATTR_SIZE_VER0 + 16 || attr_size > 4096))
		return -EBADMSG;
	while (!rc && pipa_cursor_left(&c) >= attr_size && r->events.n < MAX_EVENTS) {
		rc = pipa_perf_attr_decode(&c, (size_t)attr_size - 16, &attr);
		if (!rc)
			rc = pipa_perf_events_add(&r->events, &attr);
		if (!rc)
			rc = load_ids(r, get_section(&c), (uint32_t)r->events.n - 1);
	}
	return rc;
}

int pipa_perf_reader_keep_tracing(struct pipa_perf_reader *r, uint64_t offset, uint64_t size)
{
	int rc;

	if (r->tracing || !size)
		return 0;
	rc = load_section(r, (struct section){ offset, size }, &r->tracing);
	r->n_tracing = rc ? 0 : (size_t)size;
	return rc;
}

static int load_feature(struct pipa_perf_reader *r, unsigned int number, struct section s)
{
	PIPA_AUTO(free) uint8_t *bytes = NULL;
	bool tracing = number == PIPA_FEATURE_TRACING_DATA;
	bool kept = number == PIPA_FEATURE_KEPT_FILES;
	int rc = kept	 ? 0 :
		 tracing ? pipa_perf_reader_keep_tracing(r, s.offset, s.size) :
			   load_section(r, s, &bytes);
	struct pipa_cursor c = pipa_span_cursor(
		(struct pipa_span){ bytes, bytes ? (size_t)s.size : 0 }, r->swapped);

	if (kept) {
		r->recording.kept_at = s.offset;
		r->recording.kept_size = s.size;
		return 0;
	}
	if (!rc && !tracing)
		rc = pipa_perf_feature_decode(number, &c, &r->recording, &r->events);
	if (rc != -EBADMSG)
		return rc;
	pipa_recording_note_damage(&r->recording, s.offset, "truncated feature %u of the header",
				   number);
	return 0;
}

/* Behind the data stands where each feature is, in the order of their numbers. */
static int load_features(struct pipa_perf_reader *r, uint64_t at)
{
	unsigned int number;
	const uint8_t *bytes;
	int rc = 0;

	for (number = 0; !rc && number < PIPA_FEATURE_BITS; number++) {
		if (!(r->features[number / 64] >> number % 64 & 1))
			continue;
		bytes = pipa_window_get(&r->window, at, 16);
		if (!bytes) {
			pipa_recording_note_damage(&r->recording, at,
						   "the header features are missing");
			return 0;
		}
		struct pipa_cursor c = { bytes, bytes + 16, r->swapped, 0 };

		rc = load_feature(r, number, get_section(&c));
		at += 16;
	}
	return rc;
}

/*
 * Is there a table of features where the records would be? Then the file is complete and holds no record. The bits
 * of features do not show it: perf writes them before the first record.
 */
static bool is_complete_without_records(struct pipa_perf_reader *r, uint64_t at)
{
	uint64_t table = 0;
	const uint8_t *bytes;
	size_t i;

	for (i = 0; i < 4; i++)
		table += 16 * (uint64_t)__builtin_popcountll(r->features[i]);
	bytes = table ? pipa_window_get(&r->window, at, 16) : NULL;
	if (!bytes)
		return false;
	struct pipa_cursor c = { bytes, bytes + 16, r->swapped, 0 };

	return get_section(&c).offset == at + table;
}

static int open_file(struct pipa_perf_reader *r, struct pipa_cursor *c, struct pipa_error *err)
{
	uint64_t attr_size = pipa_get_u64(c);
	struct section attrs = get_section(c), data = get_section(c);
	struct part part = { r->bytes, data.offset, data.offset + data.size, data.offset, 0 };
	int rc;

	get_section(c); /* event types: nobody writes them any more */
	get_features(c, r->features);
	if ((!data.size && !is_complete_without_records(r, data.offset)) ||
	    part.end < data.offset || part.end > r->bytes->size) {
		/* the writer was ended: all that is in the file is data */
		part.end = r->bytes->size;
		pipa_recording_note_damage(
			&r->recording, data.offset,
			data.size ? "the file is truncated: it ends before its header says" :
				    "incomplete recording: the header was not finished");
		memset(r->features, 0, sizeof(r->features));
	}
	rc = load_attrs(r, attrs, attr_size);
	if (rc == -EBADMSG || (!rc && !r->events.n)) {
		pipa_refuse(err, -EBADMSG, "invalid list of events at offset %llu",
			    (unsigned long long)attrs.offset);
		return -EBADMSG;
	}
	if (!rc)
		rc = load_features(r, part.end);
	if (rc < 0)
		return pipa_fail(err, rc, "read the header");
	if (!PIPA_VEC_ADD(&r->parts))
		return pipa_fail(err, -ENOMEM, "read the header");
	part.until = part.end;
	r->parts.items[0] = part;
	return 0;
}

static int open_pipe(struct pipa_perf_reader *r, uint64_t size, struct pipa_error *err)
{
	r->recording.piped = true;
	if (!PIPA_VEC_ADD(&r->parts))
		return pipa_fail(err, -ENOMEM, "read the header");
	r->parts.items[0] = (struct part){ r->bytes, size, r->bytes->size, size, r->bytes->size };
	return 0;
}

int pipa_perf_reader_load_header(struct pipa_perf_reader *r, struct pipa_error *err)
{
	const uint8_t *bytes = pipa_window_get(&r->window, 0, PIPE_HEADER);
	struct pipa_cursor c;
	uint64_t size;

	if (!bytes && r->window.status)
		return pipa_fail(err, r->window.status, "read the header");
	if (!bytes || !pipa_perf_is_recording(bytes, PIPE_HEADER))
		return pipa_refuse(err, -EBADMSG, "not a perf.data file");
	r->swapped = r->recording.swapped = memcmp(bytes, "2ELIFREP", 8) == 0;
	c = (struct pipa_cursor){ bytes + 8, bytes + 16, r->swapped, 0 };
	size = pipa_get_u64(&c);
	if (size == PIPE_HEADER)
		return open_pipe(r, PIPE_HEADER, err);
	if (r->bytes->size == PIPA_BYTES_ENDLESS)
		return pipa_refuse(err, -ESPIPE, "seekable perf.data cannot be read from a pipe");
	bytes = pipa_window_get(&r->window, 0, FILE_HEADER);
	if (!bytes || size < FILE_HEADER - 32)
		return pipa_refuse(err, -EBADMSG, "truncated header");
	c = (struct pipa_cursor){ bytes + 16, bytes + FILE_HEADER, r->swapped, 0 };
	return open_file(r, &c, err);
}

/* ---- records that say what a file's header would --------------------------------------------- */

static int take_attr(struct pipa_perf_reader *r, struct pipa_cursor *c)
{
	struct pipa_cursor peek = *c;
	struct perf_event_attr attr;
	uint32_t size, event = (uint32_t)r->events.n;
	int rc;

	pipa_skip(&peek, 4);
	size = pipa_get_u32(&peek);
	size = size ? size : PERF_ATTR_SIZE_VER0; /* as the first kernels had it */
	rc = pipa_perf_attr_decode(c, size, &attr);
	if (!rc && event >= MAX_EVENTS)
		rc = -EBADMSG;
	if (!rc)
		rc = pipa_perf_events_add(&r->events, &attr);
	while (!rc && pipa_cursor_left(c) >= 8)
		rc = pipa_perf_events_add_id(&r->events, pipa_get_u64(c), event);
	return rc;
}

/* "u64 what | u64 id | ..."; what 2 is the name */
static int take_event_update(struct pipa_perf_reader *r, struct pipa_cursor *c)
{
	enum { EVENT_NAME = 2 };
	uint64_t what = pipa_get_u64(c), id = pipa_get_u64(c);
	const char *name = what == EVENT_NAME ? pipa_get_str(c) : NULL;

	if (c->status || !name)
		return c->status;
	return pipa_perf_events_rename(&r->events, pipa_perf_events_find(&r->events, id), name);
}

int pipa_perf_reader_take_header(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	struct pipa_cursor c = { raw->body, raw->body + raw->len, r->swapped, 0 };

	switch (raw->type) {
	case USER_ATTR: return take_attr(r, &c);
	case USER_EVENT_UPDATE: return take_event_update(r, &c);
	case USER_BUILD_ID: return pipa_perf_build_id_decode(raw->misc, &c, &r->recording);
	case USER_FEATURE:
		return pipa_perf_feature_decode((unsigned int)pipa_get_u64(&c), &c, &r->recording,
						&r->events);
	default: return 0;
	}
}
