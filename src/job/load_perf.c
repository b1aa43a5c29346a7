#include "job/load_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/vec.h"
#include "codec/zstd.h"
#include "perf/file_read.h"

/* Compressed records are one stream; what a record holds is unpacked at once and handed on in pieces. */
struct stream {
	struct pipa_unpacker *unpacker;
	struct pipa_buf bytes;
	size_t given;
};

static ssize_t unpack(void *ctx, struct pipa_cursor *in, uint8_t *out, size_t size)
{
	struct stream *s = ctx;
	size_t n = pipa_cursor_left(in);
	int rc;

	if (s->given == s->bytes.len && n) {
		s->given = 0;
		pipa_buf_reset(&s->bytes);
		rc = pipa_unpacker_put(s->unpacker, pipa_get_bytes(in, n), n, &s->bytes);
		if (rc < 0)
			return rc;
	}
	n = s->bytes.len - s->given < size ? s->bytes.len - s->given : size;
	if (n)
		memcpy(out, s->bytes.data + s->given, n);
	s->given += n;
	return (ssize_t)n;
}

static void restart(void *ctx)
{
	struct stream *s = ctx;

	pipa_unpacker_restart(s->unpacker);
	pipa_buf_reset(&s->bytes);
	s->given = 0;
}

struct perf_load {
	struct pipa_perf_reader *reader;
	struct pipa_profile *profile;
	struct {
		uint32_t *items;
		size_t n, cap;
	} events; /* the profile's number of each */
};

/* Of a pipe, events become known while it is read: they are asked for as samples need them. */
static uint32_t event_of(void *ctx, uint32_t event)
{
	struct perf_load *load = ctx;
	const struct pipa_perf_events *events = pipa_perf_reader_events(load->reader);
	char name[64];

	while (load->events.n <= event && load->events.n < events->n) {
		uint32_t *slot = PIPA_VEC_ADD(&load->events);

		if (!slot)
			return PIPA_NONE;
		*slot = pipa_profile_event(load->profile,
					   pipa_perf_event_name(&events->items[load->events.n - 1],
								name));
	}
	return event < load->events.n ? load->events.items[event] : PIPA_NONE;
}

/* Groups, as far as they are known, once all is read. */
static void set_leaders(struct perf_load *load)
{
	const struct pipa_perf_events *events = pipa_perf_reader_events(load->reader);
	size_t i;

	for (i = 0; i < load->events.n; i++) {
		uint32_t leader = events->items[i].leader;

		if (leader < load->events.n)
			load->profile->events.items[load->events.items[i]].leader =
				load->events.items[leader];
	}
}

/* What reading takes besides the options. */
struct input {
	const struct pipa_bytes *bytes, *parts;
	size_t n_parts;
	struct stream *stream;
};

static int run(const struct pipa_load_options *o, const struct input *in, struct pipa_loaded *ret,
	       struct pipa_error *err)
{
	const struct pipa_unpack unpacker = { unpack, restart, in->stream };
	const struct pipa_perf_reader_options options = { .unpack = &unpacker };
	struct perf_load load = { .profile = &ret->profile };
	struct pipa_ingest_options ingest_options = o->ingest;
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *reader = NULL;
	struct pipa_ingest *ingest;
	size_t i;
	int rc = pipa_perf_reader_open(in->bytes, &options, &reader, err);

	for (i = 0; !rc && i < in->n_parts; i++)
		rc = pipa_perf_reader_add_part(reader, &in->parts[i]);
	if (rc < 0)
		return rc;
	load.reader = reader;
	ingest_options.event = event_of;
	ingest_options.ctx = &load;
	ingest = pipa_ingest_new(&ret->profile, &ingest_options);
	rc = ingest ? pipa_perf_reader_run(reader, pipa_ingest_sink(ingest), err) : -ENOMEM;
	if (!rc) {
		event_of(&load, PIPA_UNKNOWN32 - 1); /* those without samples too */
		set_leaders(&load);
		ret->recording = *pipa_perf_reader_recording(reader);
		*pipa_perf_reader_recording(reader) = (struct pipa_recording){ 0 };
		ret->profile.losses.damaged = ret->recording.damage.count;
	}
	pipa_ingest_free(ingest);
	free(load.events.items);
	return rc;
}

int pipa_load_perf(const struct pipa_load_options *o, const struct pipa_bytes *bytes,
		   const struct pipa_bytes *parts, size_t n_parts, struct pipa_loaded *ret,
		   struct pipa_error *err)
{
	struct stream stream = { .unpacker = pipa_unpacker_new() };
	struct input in = { bytes, parts, n_parts, &stream };
	int rc = stream.unpacker ? run(o, &in, ret, err) : -ENOMEM;

	pipa_unpacker_free(stream.unpacker);
	pipa_buf_done(&stream.bytes);
	return rc;
}
