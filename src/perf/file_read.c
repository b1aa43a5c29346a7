#include "perf/file_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/span.h"
#include "base/vec.h"
#include "perf/decode.h"
#include "perf/features.h"
#include "perf/queue.h"
#include "perf/sample.h"

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
	RECORD_HEADER = 8,
	WINDOW = 4 << 20,
	MAX_FEATURE = 64 << 20, /* of a section that is read into memory; build ids can be many */
	MAX_EVENTS = 1 << 20,
};

/* Records that tools write. */
enum {
	USER_ATTR = 64,
	USER_EVENT_TYPE,
	USER_TRACING_DATA,
	USER_BUILD_ID,
	USER_FINISHED_ROUND,
	USER_ID_INDEX,
	USER_AUXTRACE_INFO,
	USER_AUXTRACE,
	USER_EVENT_UPDATE = 78,
	USER_FEATURE = 80,
	USER_COMPRESSED = 81,
	USER_COMPRESSED2 = 83,
	USER_LAST = 90, /* some room for what is still to come */
	KERNEL_LAST = 30,
};

struct section {
	uint64_t offset, size;
};

/* A stretch of records: the data of the file, or another file of the directory. */
struct part {
	const struct pipa_bytes *bytes;
	uint64_t offset, end;
};

enum pass { PASS_ALL, PASS_OTHERS, PASS_SAMPLES };

struct pipa_perf_reader {
	const struct pipa_bytes *bytes;
	struct pipa_perf_reader_options o;
	struct pipa_window window;
	bool swapped;
	uint64_t features[4];
	struct {
		struct part *items;
		size_t n, cap;
	} parts;
	struct pipa_recording recording;
	struct pipa_perf_events events;
	struct pipa_perf_decoder *decoder;

	/* while it runs */
	enum pass pass;
	bool counting; /* records are counted and damage noted in one pass of two */
	struct pipa_record_sink *sink;
	struct pipa_perf_queue queue;
	uint64_t round; /* of a pipe: number of this one */
	uint64_t max_time,
		limit;	   /* in order: what the last round brought, what may be handed out */
	uint8_t *unpacked; /* records out of compressed ones, up to a whole one */
	size_t n_unpacked;
	uint64_t *aligned; /* a record that does not stand on a multiple of 8 */
};

void pipa_perf_reader_close(struct pipa_perf_reader *r)
{
	if (!r)
		return;
	pipa_window_done(&r->window);
	free(r->parts.items);
	pipa_recording_done(&r->recording);
	pipa_perf_events_done(&r->events);
	pipa_perf_decoder_free(r->decoder);
	pipa_perf_queue_done(&r->queue);
	free(r->unpacked);
	free(r->aligned);
	free(r);
}

struct pipa_recording *pipa_perf_reader_recording(struct pipa_perf_reader *r)
{
	return &r->recording;
}

const struct pipa_perf_events *pipa_perf_reader_events(const struct pipa_perf_reader *r)
{
	return &r->events;
}

int pipa_perf_reader_add_part(struct pipa_perf_reader *r, const struct pipa_bytes *bytes)
{
	struct part *part = PIPA_VEC_ADD(&r->parts);

	if (!part)
		return -ENOMEM;
	*part = (struct part){ bytes, 0, bytes->size };
	return 0;
}

/* ---- the header --------------------------------------------------------------------------------- */

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

/*
 * The bit map of features was written as longs. In the other byte order it cannot be known of which
 * size; a hostname is always among them, so it tells. Without it only build ids can be.
 */
static void get_features(struct pipa_cursor *c, uint64_t features[4])
{
	size_t i;

	for (i = 0; i < 4; i++)
		features[i] = pipa_get_u64(c);
	if (!c->swapped || features[0] >> PIPA_FEATURE_HOSTNAME & 1)
		return;
	for (i = 0; i < 4; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
	if (!(features[0] >> PIPA_FEATURE_HOSTNAME & 1)) {
		memset(features, 0, 4 * sizeof(*features));
		features[0] = UINT64_C(1) << PIPA_FEATURE_BUILD_ID;
	}
}

/* A section's bytes in memory, freed by the caller; NULL when they are not (all) there. */
static uint8_t *load_section(struct pipa_perf_reader *r, struct section s)
{
	size_t done = 0, piece;
	const uint8_t *bytes;
	uint8_t *copy;

	if (s.size > MAX_FEATURE || s.size > r->bytes->size || s.offset > r->bytes->size - s.size)
		return NULL;
	copy = malloc(s.size ? (size_t)s.size : 1);
	while (copy && done < s.size) {
		piece = s.size - done < 65536 ? (size_t)s.size - done : 65536;
		bytes = pipa_window_get(&r->window, s.offset + done, piece);
		if (!bytes) {
			free(copy);
			return NULL;
		}
		memcpy(copy + done, bytes, piece);
		done += piece;
	}
	return copy;
}

static int load_ids(struct pipa_perf_reader *r, struct section s, uint32_t event)
{
	PIPA_AUTO(free) uint8_t *bytes = s.size ? load_section(r, s) : NULL;
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, (size_t)s.size },
						r->swapped);
	int rc = 0;

	if (s.size && !bytes) {
		pipa_recording_note_damage(&r->recording, s.offset,
					   "the ids of event %u are not there", event);
		return 0;
	}
	while (!rc && bytes && pipa_cursor_left(&c) >= 8)
		rc = pipa_perf_events_add_id(&r->events, pipa_get_u64(&c), event);
	return rc;
}

static int load_attrs(struct pipa_perf_reader *r, struct section s, uint64_t attr_size)
{
	PIPA_AUTO(free) uint8_t *bytes = load_section(r, s);
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, (size_t)s.size },
						r->swapped);
	struct perf_event_attr attr;
	int rc = 0;

	if (!bytes || attr_size < PERF_ATTR_SIZE_VER0 + 16 || attr_size > 4096)
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

static int load_feature(struct pipa_perf_reader *r, unsigned int number, struct section s)
{
	PIPA_AUTO(free) uint8_t *bytes = load_section(r, s);
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, (size_t)s.size },
						r->swapped);
	int rc = bytes ? pipa_perf_feature_decode(number, &c, &r->recording, &r->events) : -EBADMSG;

	if (rc != -EBADMSG)
		return rc;
	pipa_recording_note_damage(&r->recording, s.offset, "feature %u of the header is cut",
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
						   "the header's features are not there");
			return 0;
		}
		struct pipa_cursor c = { bytes, bytes + 16, r->swapped, 0 };

		rc = load_feature(r, number, get_section(&c));
		at += 16;
	}
	return rc;
}

static int open_file(struct pipa_perf_reader *r, struct pipa_cursor *c, struct pipa_error *err)
{
	uint64_t attr_size = pipa_get_u64(c);
	struct section attrs = get_section(c), data = get_section(c);
	struct part part = { r->bytes, data.offset, data.offset + data.size };
	int rc;

	get_section(c); /* event types: nobody writes them any more */
	get_features(c, r->features);
	if (!data.size || part.end < data.offset || part.end > r->bytes->size) {
		/* whoever wrote it did not end properly: all that is there is data */
		part.end = r->bytes->size;
		pipa_recording_note_damage(&r->recording, data.offset,
					   "the recording was not finished");
		memset(r->features, 0, sizeof(r->features));
	}
	rc = load_attrs(r, attrs, attr_size);
	if (rc == -EBADMSG || (!rc && !r->events.n)) {
		pipa_refuse(err, -EBADMSG, "the file's list of events (at %llu) makes no sense",
			    (unsigned long long)attrs.offset);
		return -EBADMSG;
	}
	if (!rc)
		rc = load_features(r, part.end);
	if (rc < 0)
		return pipa_fail(err, rc, "read the header");
	if (!PIPA_VEC_ADD(&r->parts))
		return pipa_fail(err, -ENOMEM, "read the header");
	r->parts.items[0] = part;
	return 0;
}

static int open_pipe(struct pipa_perf_reader *r, uint64_t size, struct pipa_error *err)
{
	r->recording.piped = true;
	if (!PIPA_VEC_ADD(&r->parts))
		return pipa_fail(err, -ENOMEM, "read the header");
	r->parts.items[0] = (struct part){ r->bytes, size, r->bytes->size };
	return 0;
}

static int open_header(struct pipa_perf_reader *r, struct pipa_error *err)
{
	const uint8_t *bytes = pipa_window_get(&r->window, 0, PIPE_HEADER);
	struct pipa_cursor c;
	uint64_t size;

	if (!bytes && r->window.status)
		return pipa_fail(err, r->window.status, "read the header");
	if (!bytes || !pipa_perf_is_recording(bytes, PIPE_HEADER))
		return pipa_refuse(err, -EBADMSG, "it is no perf.data");
	r->swapped = r->recording.swapped = memcmp(bytes, "2ELIFREP", 8) == 0;
	c = (struct pipa_cursor){ bytes + 8, bytes + 16, r->swapped, 0 };
	size = pipa_get_u64(&c);
	if (size == PIPE_HEADER)
		return open_pipe(r, PIPE_HEADER, err);
	if (r->bytes->size == PIPA_BYTES_ENDLESS)
		return pipa_refuse(err, -ESPIPE, "a file is not read through a pipe");
	bytes = pipa_window_get(&r->window, 0, FILE_HEADER);
	if (!bytes || size < FILE_HEADER - 32)
		return pipa_refuse(err, -EBADMSG, "its header is cut");
	c = (struct pipa_cursor){ bytes + 16, bytes + FILE_HEADER, r->swapped, 0 };
	return open_file(r, &c, err);
}

int pipa_perf_reader_open(const struct pipa_bytes *bytes,
			  const struct pipa_perf_reader_options *options,
			  struct pipa_perf_reader **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pipa_fail(err, -ENOMEM, "read the recording");
	r->bytes = bytes;
	r->o = *options;
	rc = pipa_window_init(&r->window, bytes, r->o.window ? r->o.window : WINDOW);
	if (!rc)
		rc = pipa_perf_decoder_new(&r->events, &r->decoder);
	if (!rc) {
		r->unpacked = malloc((size_t)2 * PIPA_PERF_RECORD_MAX);
		r->aligned = malloc(PIPA_PERF_RECORD_MAX);
		rc = r->unpacked && r->aligned ? 0 : -ENOMEM;
	}
	if (rc < 0)
		return pipa_fail(err, rc, "read the recording");
	rc = open_header(r, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(r);
	return 0;
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

static int take_header_record(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
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

/* ---- handing out --------------------------------------------------------------------------------- */

static void note_record(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw,
			const char *what)
{
	char name[24];

	pipa_recording_note_damage(&r->recording, raw->at, "%s record: %s",
				   pipa_perf_record_name(raw->type, name), what);
}

static int hand_out(void *ctx, const struct pipa_perf_raw *raw)
{
	struct pipa_perf_reader *r = ctx;
	struct pipa_rec_id id;
	int rc = pipa_perf_decode_id(r->decoder, raw, &id);

	if (!rc)
		rc = pipa_perf_decode(r->decoder, raw, &id, r->sink);
	if (rc != -EBADMSG)
		return rc;
	note_record(r, raw, "its content does not fit its size");
	return 0;
}

static int end_round(struct pipa_perf_reader *r)
{
	int rc = 0;

	if (r->o.ordered) {
		rc = pipa_perf_queue_flush(&r->queue, r->limit, hand_out, r);
		r->limit = r->max_time;
	} else if (r->recording.piped) {
		rc = r->round ? pipa_perf_queue_flush(&r->queue, r->round - 1, hand_out, r) : 0;
		r->round++;
	}
	return rc ? rc : r->sink->round ? r->sink->round(r->sink) : 0;
}

/* Keep it for its turn: by its time, or until the round after its own is over. */
static int hold(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	struct pipa_rec_id id;
	int rc;

	if (!r->o.ordered)
		return pipa_perf_queue_add(&r->queue, raw, r->round);
	rc = pipa_perf_decode_id(r->decoder, raw, &id);
	if (rc < 0) {
		note_record(r, raw, "its content does not fit its size");
		return 0;
	}
	if (id.time == PIPA_UNKNOWN)
		id.time = raw->type == PERF_RECORD_SAMPLE ? r->max_time : 0;
	if (id.time > r->max_time)
		r->max_time = id.time;
	return pipa_perf_queue_add(&r->queue, raw, id.time);
}

static int take_record(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	bool sample = raw->type == PERF_RECORD_SAMPLE;
	int rc;

	if (raw->type == USER_FINISHED_ROUND)
		return r->pass == PASS_SAMPLES ? 0 : end_round(r);
	if (raw->type >= PIPA_PERF_USER_TYPES) {
		rc = r->counting ? take_header_record(r, raw) : 0;
		if (rc == -EBADMSG)
			note_record(r, raw, "its content does not fit its size");
		return rc == -EBADMSG ? 0 : rc;
	}
	if ((r->pass == PASS_OTHERS && sample) || (r->pass == PASS_SAMPLES && !sample))
		return 0;
	if (r->o.ordered || (r->recording.piped && sample))
		return hold(r, raw);
	return hand_out(r, raw);
}

/* ---- walking ------------------------------------------------------------------------------------- */

static struct pipa_perf_raw read_header(const struct pipa_perf_reader *r, const uint8_t *bytes,
					uint64_t at)
{
	struct pipa_cursor c = { bytes, bytes + RECORD_HEADER, r->swapped, 0 };
	struct pipa_perf_raw raw = { .swapped = r->swapped, .at = at };

	raw.type = pipa_get_u32(&c);
	raw.misc = pipa_get_u16(&c);
	raw.len = pipa_get_u16(&c); /* with the header, until it is checked */
	return raw;
}

static int take_compressed(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw);

static int take_raw(struct pipa_perf_reader *r, struct pipa_perf_raw *raw, const uint8_t *bytes)
{
	raw->len -= RECORD_HEADER;
	raw->body = bytes + RECORD_HEADER;
	if (r->counting)
		pipa_recording_count(&r->recording, raw->type);
	if (raw->type == USER_COMPRESSED || raw->type == USER_COMPRESSED2)
		return take_compressed(r, raw);
	if ((uintptr_t)raw->body % 8 && raw->len) {
		memcpy(r->aligned, raw->body, raw->len);
		raw->body = (const uint8_t *)r->aligned;
	}
	return take_record(r, raw);
}

/* Whole records out of what was unpacked; what is left waits for the next compressed record. */
static int take_unpacked(struct pipa_perf_reader *r, uint64_t at, bool *broken)
{
	size_t pos = 0;
	int rc = 0;

	while (!rc && r->n_unpacked - pos >= RECORD_HEADER) {
		struct pipa_perf_raw raw = read_header(r, r->unpacked + pos, at);
		size_t size = raw.len;

		if (size < RECORD_HEADER) {
			*broken = true;
			break;
		}
		if (size > r->n_unpacked - pos)
			break;
		if (raw.type == USER_COMPRESSED || raw.type == USER_COMPRESSED2)
			*broken = true; /* none is inside another */
		else
			rc = take_raw(r, &raw, r->unpacked + pos);
		if (*broken)
			break;
		pos += size;
	}
	memmove(r->unpacked, r->unpacked + pos, r->n_unpacked - pos);
	r->n_unpacked -= pos;
	return rc;
}

static int take_compressed(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	struct pipa_cursor in = { raw->body, raw->body + raw->len, r->swapped, 0 };
	uint64_t size;
	bool broken = false;
	int rc = 0;

	if (raw->type == USER_COMPRESSED2) {
		size = pipa_get_u64(&in);
		if (size < pipa_cursor_left(&in))
			in.end = in.pos + size;
	}
	r->recording.compressed = true;
	if (!r->o.unpack) {
		if (r->counting)
			note_record(r, raw, "compressed records are not read here");
		return 0;
	}
	for (;;) {
		size_t room = (size_t)2 * PIPA_PERF_RECORD_MAX - r->n_unpacked;
		ssize_t n = r->o.unpack->unpack(r->o.unpack->ctx, &in, r->unpacked + r->n_unpacked,
						room);

		if (n < 0 || broken) {
			if (r->counting)
				note_record(r, raw, "what it holds cannot be unpacked");
			r->n_unpacked = 0;
			return 0;
		}
		r->n_unpacked += (size_t)n;
		rc = take_unpacked(r, raw->at, &broken);
		if (rc || (!broken && (size_t)n < room))
			return rc;
	}
}

/* Bytes that follow a record without being in its size. */
static uint64_t payload_of(const struct pipa_perf_raw *raw, const uint8_t *bytes)
{
	struct pipa_cursor c = { bytes + RECORD_HEADER, bytes + raw->len, raw->swapped, 0 };

	if (raw->type == USER_AUXTRACE)
		return pipa_get_u64(&c);
	if (raw->type == USER_TRACING_DATA)
		return (pipa_get_u32(&c) + UINT64_C(7)) & ~UINT64_C(7);
	return 0;
}

/* Could a record stand there? Its size, or 0. */
static size_t plausible(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	const uint8_t *bytes = at < part->end ? pipa_window_get(&r->window, at, RECORD_HEADER) :
						NULL;
	struct pipa_perf_raw raw;

	if (!bytes)
		return 0;
	raw = read_header(r, bytes, at);
	if (raw.len < RECORD_HEADER || raw.len % 8 || raw.len > part->end - at || !raw.type ||
	    raw.type > USER_LAST || (raw.type > KERNEL_LAST && raw.type < PIPA_PERF_USER_TYPES))
		return 0;
	return raw.len;
}

/*
 * Behind a broken record: the next place from which several records follow each other, or the end of
 * the part. Of a pipe no further than the window reaches, as it cannot go back.
 */
static uint64_t find_next(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	enum { FAR = 1 << 20, ENOUGH = 4 };
	uint64_t end = part->end - at < FAR ? part->end : at + FAR, next;
	size_t size;
	int found;

	if (part->bytes->size == PIPA_BYTES_ENDLESS)
		return part->end;
	for (at += 8; at < end; at += 8) {
		next = at;
		for (found = 0; found < ENOUGH && (size = plausible(r, part, next)); found++)
			next += size;
		if (found == ENOUGH || (found && next == part->end))
			return at;
	}
	return part->end;
}

/* The record at `at` is none: noted, once for each such place. */
static uint64_t skip_broken(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	uint64_t next = find_next(r, part, at);

	if (!r->counting)
		return next;
	if (next < part->end) {
		pipa_recording_note_damage(&r->recording, at, "no record; skipped %llu bytes",
					   (unsigned long long)(next - at));
	} else {
		pipa_recording_note_damage(&r->recording, at, "no record, nor is there one behind");
		r->recording.damage.incomplete = true;
	}
	return next;
}

static int walk_part(struct pipa_perf_reader *r, const struct part *part, struct pipa_error *err)
{
	uint64_t at = part->offset, payload;
	struct pipa_perf_raw raw;
	const uint8_t *bytes;
	size_t size;
	int rc = 0;

	r->n_unpacked = 0;
	while (!rc && at < part->end) {
		bytes = pipa_window_get(&r->window, at, RECORD_HEADER);
		if (!bytes && part->end == PIPA_BYTES_ENDLESS &&
		    r->window.len <= at - r->window.start)
			break; /* the pipe's end */
		raw = bytes ? read_header(r, bytes, at) : (struct pipa_perf_raw){ 0 };
		size = raw.len;
		bytes = bytes && size >= RECORD_HEADER && size <= part->end - at ?
				pipa_window_get(&r->window, at, size) :
				NULL;
		if (r->window.status < 0)
			return pipa_fail(err, r->window.status, "read the recording at %llu",
					 (unsigned long long)at);
		if (!bytes) {
			at = skip_broken(r, part, at);
			continue;
		}
		payload = payload_of(&raw, bytes);
		rc = take_raw(r, &raw, bytes);
		at += size;
		at = payload < part->end - at ? at + payload : part->end;
	}
	return rc;
}

static int walk(struct pipa_perf_reader *r, enum pass pass, bool counting, struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	r->pass = pass;
	r->counting = counting;
	if (r->o.unpack && r->o.unpack->restart)
		r->o.unpack->restart(r->o.unpack->ctx);
	for (i = 0; !rc && i < r->parts.n; i++) {
		if (i || r->parts.n > 1) {
			size_t size = r->window.cap;

			pipa_window_done(&r->window);
			rc = pipa_window_init(&r->window, r->parts.items[i].bytes,
					      size > WINDOW ? size : WINDOW);
			if (rc < 0)
				return pipa_fail(err, rc, "read the recording");
		}
		rc = walk_part(r, &r->parts.items[i], err);
	}
	return rc;
}

int pipa_perf_reader_run(struct pipa_perf_reader *r, struct pipa_record_sink *sink,
			 struct pipa_error *err)
{
	int rc;

	r->sink = sink;
	if (r->o.ordered || r->recording.piped) {
		rc = walk(r, PASS_ALL, true, err);
		return rc ? rc : pipa_perf_queue_flush(&r->queue, UINT64_MAX, hand_out, r);
	}
	rc = walk(r, PASS_OTHERS, true, err);
	return rc || !sink->sample ? rc : walk(r, PASS_SAMPLES, false, err);
}
