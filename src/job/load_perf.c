#include "job/load_perf.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/vec.h"
#include "codec/unzstd.h"
#include "perf/file_read.h"

static ssize_t unpack(void *ctx, struct pipa_cursor *in, uint8_t *out, size_t size)
{
	return pipa_unzstd_next(ctx, in, out, size);
}

static void restart(void *ctx)
{
	pipa_unzstd_restart(ctx);
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
	struct pipa_unzstd *unzstd;
};

static int run(const struct pipa_load_options *o, const struct input *in, struct pipa_loaded *ret,
	       struct pipa_error *err)
{
	const struct pipa_unpack unpacker = { unpack, restart, in->unzstd };
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
	struct input in = { bytes, parts, n_parts, pipa_unzstd_new() };
	int rc = in.unzstd ? run(o, &in, ret, err) : -ENOMEM;

	pipa_unzstd_free(in.unzstd);
	return rc;
}
