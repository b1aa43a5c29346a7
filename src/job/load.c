#include "job/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "codec/unzstd.h"
#include "perf/file_read.h"

void pipa_loaded_done(struct pipa_loaded *loaded)
{
	pipa_profile_done(&loaded->profile);
	pipa_recording_done(&loaded->recording);
}

static ssize_t unpack(void *ctx, struct pipa_cursor *in, uint8_t *out, size_t size)
{
	return pipa_unzstd_next(ctx, in, out, size);
}

static void restart(void *ctx)
{
	pipa_unzstd_restart(ctx);
}

/* ---- perf.data ------------------------------------------------------------------------------------- */

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

static int run_perf(const struct pipa_load_options *o, const struct pipa_bytes *bytes,
		    struct pipa_unzstd *unzstd, struct pipa_loaded *ret, struct pipa_error *err)
{
	const struct pipa_unpack unpacker = { unpack, restart, unzstd };
	const struct pipa_perf_reader_options options = { .unpack = &unpacker };
	struct perf_load load = { .profile = &ret->profile };
	struct pipa_ingest_options ingest_options = o->ingest;
	PIPA_AUTO(pipa_perf_reader_close) struct pipa_perf_reader *reader = NULL;
	struct pipa_ingest *ingest;
	int rc = pipa_perf_reader_open(bytes, &options, &reader, err);

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

static int load_perf(const struct pipa_load_options *o, const struct pipa_bytes *bytes,
		     struct pipa_loaded *ret, struct pipa_error *err)
{
	struct pipa_unzstd *unzstd = pipa_unzstd_new();
	int rc = unzstd ? run_perf(o, bytes, unzstd, ret, err) : -ENOMEM;

	pipa_unzstd_free(unzstd);
	return rc;
}

/* ---- the door -------------------------------------------------------------------------------------- */

int pipa_load(const struct pipa_load_options *o, struct pipa_loaded *ret, struct pipa_error *err)
{
	struct pipa_loaded loaded = { 0 };
	bool piped = strcmp(o->path, "-") == 0;
	PIPA_AUTO(pipa_fd_close) int own = piped ? -1 : open(o->path, O_RDONLY | O_CLOEXEC);
	int fd = piped ? 0 : own, rc;
	struct pipa_bytes bytes;

	if (fd < 0)
		return pipa_fail(err, -errno, "open %s", o->path);
	pipa_file_bytes(&fd, &bytes);
	rc = load_perf(o, &bytes, &loaded, err);
	if (rc < 0) {
		pipa_loaded_done(&loaded);
		return err && err->code ? rc : pipa_fail(err, rc, "read %s", o->path);
	}
	*ret = loaded;
	return 0;
}
