#include "perf/file_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "perf/file_read_own.h"

enum { MARK_EVERY = 64 << 10 };

void pipa_perf_reader_close(struct pipa_perf_reader *r)
{
	if (!r)
		return;
	pipa_window_done(&r->window);
	free(r->parts.items);
	free(r->marks.items);
	pipa_recording_done(&r->recording);
	pipa_perf_events_done(&r->events);
	pipa_perf_decoder_free(r->decoder);
	free(r->tracing);
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
	return &(r->whole ? r->whole : r)->events;
}

struct pipa_span pipa_perf_reader_tracing(const struct pipa_perf_reader *r)
{
	return (struct pipa_span){ r->tracing, r->n_tracing };
}

int pipa_perf_reader_add_part(struct pipa_perf_reader *r, const struct pipa_bytes *bytes)
{
	struct part *part = PIPA_VEC_ADD(&r->parts);

	if (!part)
		return -ENOMEM;
	*part = (struct part){ bytes, 0, bytes->size, 0, bytes->size };
	return 0;
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
	rc = pipa_window_init(&r->window, bytes, r->o.window ? r->o.window : PIPA_PERF_WINDOW);
	if (!rc)
		rc = pipa_perf_decoder_new(&r->events, &r->decoder);
	if (!rc) {
		r->unpacked = malloc((size_t)2 * PIPA_PERF_RECORD_MAX);
		r->aligned = malloc(PIPA_PERF_RECORD_MAX);
		rc = r->unpacked && r->aligned ? 0 : -ENOMEM;
	}
	if (rc < 0)
		return pipa_fail(err, rc, "read the recording");
	rc = pipa_perf_reader_load_header(r, err);
	if (rc < 0)
		return rc;
	*ret = PIPA_TAKE(r);
	return 0;
}

enum { HELD_MAX = 128 << 20 };

/* ---- handing out --------------------------------------------------------------------------------- */

static void note_record(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw,
			const char *what)
{
	char name[24];

	pipa_recording_note_damage(&r->recording, raw->at, "%s record: %s",
				   pipa_perf_record_name(raw->type, name), what);
}

static int pass_header(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	char name[24];
	const struct pipa_rec_header header = { .type = raw->type,
						.size = (uint32_t)raw->len +
							PIPA_PERF_RECORD_HEADER,
						.misc = raw->misc,
						.name = pipa_perf_record_name(raw->type, name) };

	return r->sink->header(r->sink, &header);
}

static int pass_malformed(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	const struct pipa_rec_id id = { .pid = PIPA_UNKNOWN32,
					.tid = PIPA_UNKNOWN32,
					.time = PIPA_UNKNOWN,
					.id = PIPA_UNKNOWN,
					.stream_id = PIPA_UNKNOWN,
					.cpu = PIPA_UNKNOWN32,
					.event = PIPA_UNKNOWN32,
					.at = raw->at };

	note_record(r, raw, "content does not match the record size");
	return pipa_perf_decode_other(r->decoder, raw, &id, true, r->sink);
}

static int hand_out(void *ctx, const struct pipa_perf_raw *raw)
{
	struct pipa_perf_reader *r = ctx;
	int rc = r->sink->header ? pass_header(r, raw) : 0;

	if (!rc)
		rc = pipa_perf_decode_record(r->decoder, raw, r->sink);
	return rc == -EBADMSG ? pass_malformed(r, raw) : rc;
}

/* Pass a record that perf or pipa wrote, in the first pass. */
static int pass_user_record(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	return r->sink->other && r->counting ? hand_out(r, raw) : 0;
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

/*
 * Keep it for its turn: by its time, or until the round after its own is over. A stream whose rounds do not
 * end would take memory without bound: beyond what the rings of a large machine hold, no round is waited for.
 */
static int hold(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw)
{
	struct pipa_rec_id id;
	int rc;

	if (!r->o.ordered) {
		rc = pipa_perf_queue_add(&r->queue, raw, r->round);
		if (!rc && r->queue.used > HELD_MAX)
			rc = pipa_perf_queue_flush(&r->queue, UINT64_MAX, hand_out, r);
		return rc;
	}
	rc = pipa_perf_decode_id(r->decoder, raw, &id);
	if (rc < 0) {
		if (r->sink->header && (rc = pass_header(r, raw)) < 0)
			return rc;
		return pass_malformed(r, raw);
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

	if (raw->type >= PIPA_PERF_USER_TYPES) {
		rc = pass_user_record(r, raw);
		if (rc < 0)
			return rc;
	}
	if (raw->type == USER_FINISHED_ROUND)
		return r->pass == PASS_SAMPLES ? 0 : end_round(r);
	if (raw->type >= PIPA_PERF_USER_TYPES) {
		rc = r->counting ? pipa_perf_reader_take_header(r, raw) : 0;
		if (rc == -EBADMSG)
			note_record(r, raw, "content does not match the record size");
		return rc == -EBADMSG ? 0 : rc;
	}
	if ((r->pass == PASS_OTHERS && sample) || (r->pass == PASS_SAMPLES && !sample))
		return 0;
	if (r->o.ordered || (r->recording.piped && sample))
		return hold(r, raw);
	return hand_out(r, raw);
}

/* ---- walking ------------------------------------------------------------------------------------- */

static int take_compressed(struct pipa_perf_reader *r, const struct pipa_perf_raw *raw);

static int take_raw(struct pipa_perf_reader *r, struct pipa_perf_raw *raw, const uint8_t *bytes)
{
	raw->len -= PIPA_PERF_RECORD_HEADER;
	raw->body = bytes + PIPA_PERF_RECORD_HEADER;
	if (r->counting)
		pipa_recording_count(&r->recording, raw->type, 1);
	if (raw->type == USER_COMPRESSED || raw->type == USER_COMPRESSED2) {
		int rc = pass_user_record(r, raw);

		return rc < 0 ? rc : take_compressed(r, raw);
	}
	if ((uintptr_t)raw->body % 8 && raw->len) {
		memcpy(r->aligned, raw->body, raw->len);
		raw->body = (const uint8_t *)r->aligned;
	}
	return take_record(r, raw);
}

/* Whole records out of what was decompressed; what is left waits for the next compressed record. */
static int take_unpacked(struct pipa_perf_reader *r, uint64_t at, bool *broken)
{
	size_t pos = 0;
	int rc = 0;

	while (!rc && r->n_unpacked - pos >= PIPA_PERF_RECORD_HEADER) {
		struct pipa_perf_raw raw;
		size_t size;

		pipa_perf_reader_get_header(r, r->unpacked + pos, at, &raw);
		size = raw.len;
		if (size < PIPA_PERF_RECORD_HEADER) {
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
			note_record(r, raw, "compressed records are not supported here");
		return 0;
	}
	for (;;) {
		size_t room = (size_t)2 * PIPA_PERF_RECORD_MAX - r->n_unpacked;
		ssize_t n = r->o.unpack->unpack(r->o.unpack->ctx, &in, r->unpacked + r->n_unpacked,
						room);

		if (n < 0 || broken) {
			if (r->counting)
				note_record(r, raw, "cannot decompress its content");
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
	struct pipa_cursor c = { bytes + PIPA_PERF_RECORD_HEADER, bytes + raw->len, raw->swapped,
				 0 };

	if (raw->type == USER_AUXTRACE)
		return pipa_get_u64(&c);
	if (raw->type == USER_TRACING_DATA)
		return (pipa_get_u32(&c) + UINT64_C(7)) & ~UINT64_C(7);
	return 0;
}

/*
 * A record with a piece of a stack is long, and what is looked at in it is at its beginning and
 * end: prefetch that of the next one while this one is decoded. It is mostly as long. Inlined, as
 * gcc treats a function that only prefetches as pure and drops it.
 */
static inline __attribute__((always_inline)) void expect_next(const struct pipa_perf_reader *r,
							      const uint8_t *next, size_t size)
{
	enum { LINE = 64, LONG = 4096, FIRST = 1024 };
	const uint8_t *end = r->window.data + r->window.len;
	size_t i;

	if (size < LONG || size > (size_t)(end - next))
		return;
	if (r->pass == PASS_OTHERS) /* see skip_samples() */
		return;
	__builtin_prefetch(next + size - 8);
	for (i = 0; i < FIRST; i += LINE)
		__builtin_prefetch(next + i);
}

/* Note a record at which a walk could begin, one every 64 KiB. */
static inline int note_mark(struct pipa_perf_reader *r, const struct part *part, uint64_t at)
{
	uint32_t number = (uint32_t)(part - r->parts.items);
	struct mark *last = r->marks.n ? &r->marks.items[r->marks.n - 1] : NULL;

	if (last && last->part == number && at - last->at < MARK_EVERY)
		return 0;
	last = PIPA_VEC_ADD(&r->marks);
	if (!last)
		return -ENOMEM;
	*last = (struct mark){ number, at };
	return 0;
}

/*
 * Pass over samples that are whole in the window: the first pass wants the other records, and nearly all are
 * samples. Moves *at to the first record that is something else or not whole. Returns 0 or -ENOMEM.
 */
static int skip_samples(struct pipa_perf_reader *r, const struct part *part, uint64_t *at)
{
	enum { LONG = 4096, AHEAD = 2048, LATER = 4 };
	uint64_t end = r->window.start + r->window.len, pos = *at, n = 0;
	int rc = 0;

	end = end < part->end ? end : part->end;
	while (!rc && pos < part->until && pos >= r->window.start && pos < end &&
	       end - pos >= PIPA_PERF_RECORD_HEADER) {
		const uint8_t *bytes = r->window.data + (pos - r->window.start);
		uint32_t type;
		uint16_t size;

		memcpy(&type, bytes, sizeof(type));
		memcpy(&size, bytes + 6, sizeof(size));
		if (type != PERF_RECORD_SAMPLE || size < PIPA_PERF_RECORD_HEADER ||
		    size > end - pos)
			break;
		__builtin_prefetch(bytes + (size < LONG ? AHEAD : LATER * size));
		rc = note_mark(r, part, pos);
		pos += size;
		n++;
	}
	if (r->counting && n)
		pipa_recording_count(&r->recording, PERF_RECORD_SAMPLE, n);
	*at = pos;
	return rc;
}

/*
 * Decode samples that are whole in the window, and pass over side-band records, which were read
 * before. Moves *at to the first record that needs more: one that a tool wrote, or one that is
 * malformed, misaligned or not whole. Returns 0 or the result of the sink.
 */
static int decode_samples(struct pipa_perf_reader *r, const struct part *part, uint64_t *at)
{
	uint64_t end = r->window.start + r->window.len, pos = *at;
	struct pipa_perf_raw raw = { .swapped = false };
	int rc = 0;

	end = end < part->end ? end : part->end;
	while (!rc && pos < part->until && pos >= r->window.start && pos < end &&
	       end - pos >= PIPA_PERF_RECORD_HEADER) {
		const uint8_t *bytes = r->window.data + (pos - r->window.start);
		uint16_t size;

		memcpy(&raw.type, bytes, sizeof(raw.type));
		memcpy(&raw.misc, bytes + 4, sizeof(raw.misc));
		memcpy(&size, bytes + 6, sizeof(size));
		if (raw.type >= PIPA_PERF_USER_TYPES || size < PIPA_PERF_RECORD_HEADER ||
		    size > end - pos || (uintptr_t)bytes % 8)
			break;
		raw.at = pos;
		raw.body = bytes + PIPA_PERF_RECORD_HEADER;
		raw.len = size - (size_t)PIPA_PERF_RECORD_HEADER;
		expect_next(r, bytes + size, size);
		if (raw.type == PERF_RECORD_SAMPLE)
			rc = hand_out(r, &raw);
		pos += size;
	}
	*at = pos;
	return rc;
}

static int walk_part(struct pipa_perf_reader *r, const struct part *part, struct pipa_error *err)
{
	uint64_t at = part->from, payload;
	struct pipa_perf_raw raw;
	const uint8_t *bytes;
	size_t size;
	int rc = 0;

	r->n_unpacked = 0;
	while (!rc && at < part->until) {
		if (r->pass == PASS_OTHERS && !r->swapped) {
			rc = skip_samples(r, part, &at);
			if (rc < 0 || at >= part->until)
				return rc;
		} else if (r->pass == PASS_SAMPLES && !r->swapped) {
			rc = decode_samples(r, part, &at);
			if (rc || at >= part->until)
				return rc;
		}
		bytes = pipa_window_get(&r->window, at, PIPA_PERF_RECORD_HEADER);
		if (!bytes && part->end == PIPA_BYTES_ENDLESS &&
		    r->window.len <= at - r->window.start)
			break; /* the pipe's end */
		if (bytes)
			pipa_perf_reader_get_header(r, bytes, at, &raw);
		else
			raw.len = 0;
		size = raw.len;
		bytes = bytes && size >= PIPA_PERF_RECORD_HEADER && size <= part->end - at ?
				pipa_window_get(&r->window, at, size) :
				NULL;
		if (r->window.status < 0)
			return pipa_fail(err, r->window.status, "read the recording at %llu",
					 (unsigned long long)at);
		if (!bytes) {
			at = pipa_perf_reader_skip_broken(r, part, at);
			continue;
		}
		if (r->pass == PASS_OTHERS && (rc = note_mark(r, part, at)) < 0)
			return rc;
		payload = payload_of(&raw, bytes);
		expect_next(r, bytes + size, size);
		rc = take_raw(r, &raw, bytes);
		at += size;
		if (!rc && raw.type == USER_TRACING_DATA && r->counting)
			rc = pipa_perf_reader_keep_tracing(r, at, payload);
		rc = rc == -EBADMSG ? 0 : rc; /* cut: the walk finds that too */
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
		if (r->window.bytes != r->parts.items[i].bytes) {
			size_t size = r->window.cap;

			pipa_window_done(&r->window);
			rc = pipa_window_init(&r->window, r->parts.items[i].bytes,
					      size > PIPA_PERF_WINDOW ? size : PIPA_PERF_WINDOW);
			if (rc < 0)
				return pipa_fail(err, rc, "read the recording");
		}
		rc = walk_part(r, &r->parts.items[i], err);
	}
	return rc;
}

int pipa_perf_reader_run_others(struct pipa_perf_reader *r, struct pipa_record_sink *sink,
				struct pipa_error *err)
{
	r->sink = sink;
	r->marks.n = 0;
	return walk(r, PASS_OTHERS, true, err);
}

int pipa_perf_reader_run_samples(struct pipa_perf_reader *r, struct pipa_record_sink *sink,
				 struct pipa_error *err)
{
	r->sink = sink;
	return sink->sample ? walk(r, PASS_SAMPLES, false, err) : 0;
}

bool pipa_perf_reader_has_steps(const struct pipa_perf_reader *r)
{
	return !r->o.ordered && !r->recording.piped;
}

int pipa_perf_reader_run(struct pipa_perf_reader *r, struct pipa_record_sink *sink,
			 struct pipa_error *err)
{
	int rc;

	if (pipa_perf_reader_has_steps(r)) {
		rc = pipa_perf_reader_run_others(r, sink, err);
		return rc ? rc : pipa_perf_reader_run_samples(r, sink, err);
	}
	r->sink = sink;
	rc = walk(r, PASS_ALL, true, err);
	return rc ? rc : pipa_perf_queue_flush(&r->queue, UINT64_MAX, hand_out, r);
}
