#include "job/load_perf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "job/ahead.h"
#include "job/input.h"
#include "job/perf_source.h"
#include "job/unwind_tables.h"
#include "locate/kernel_files.h"
#include "perf/file_read.h"
#include "perf/sample_chain.h"
#include "symbol/jitdump.h"

struct perf_load {
	const struct pipa_locate_options *locate;
	struct pipa_jitdumps *jitdumps;
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
		const struct pipa_perf_event *known = &events->items[load->events.n];
		uint32_t number = pipa_profile_event(load->profile,
						     pipa_perf_event_name(known, name));
		uint32_t *slot = number == PIPA_NONE ? NULL : PIPA_VEC_ADD(&load->events);

		if (!slot)
			return PIPA_NONE;
		*slot = number;
	}
	return event < load->events.n ? load->events.items[event] : PIPA_NONE;
}

/* Do all events have the clock that runtimes use? */
static bool is_monotonic(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (!events->items[i].attr.use_clockid ||
		    events->items[i].attr.clockid != CLOCK_MONOTONIC)
			return false;
	return events->n > 0;
}

static bool code_of(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret)
{
	struct perf_load *load = ctx;

	return pipa_jitdump_is_name(map->path) &&
	       pipa_jitdumps_open(load->jitdumps, load->locate,
				  is_monotonic(pipa_perf_reader_events(load->reader)), map, ret);
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

/* Pieces of the stack, or chains that were unwound out of them. */
static bool has_stacks(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (events->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER ||
		    pipa_perf_attr_is_unwound(&events->items[i].attr))
			return true;
	return false;
}

/* Chains that were unwound while recording are as good as those that we unwind. */
static void count_live(const struct perf_load *load, struct pipa_losses *losses)
{
	const struct pipa_perf_events *events = pipa_perf_reader_events(load->reader);
	size_t i;

	for (i = 0; i < events->n; i++)
		if (pipa_perf_attr_is_unwound(&events->items[i].attr)) {
			losses->unwound += losses->chains;
			return;
		}
}

/* What was read, out of the reader. */
static int take_recording(struct perf_load *load, struct pipa_loaded *ret)
{
	struct pipa_recording *recording = pipa_perf_reader_recording(load->reader);

	event_of(load, PIPA_UNKNOWN32 - 1); /* those without samples too */
	if (load->events.n < pipa_perf_reader_events(load->reader)->n)
		return -ENOMEM;
	set_leaders(load);
	ret->recording = *recording;
	ret->recording.stacks = has_stacks(pipa_perf_reader_events(load->reader));
	*recording = (struct pipa_recording){ 0 };
	count_live(load, &ret->profile.losses);
	pipa_unwind_tables_moved(ret->tables, &ret->recording);
	ret->profile.losses.damaged = ret->recording.damage.count;
	return 0;
}

/* Damage is no failure, unless there is nothing else. */
static int check(const struct pipa_recording *recording, const struct pipa_input *input,
		 struct pipa_error *err)
{
	const struct pipa_damage *damage = &recording->damage;

	if (recording->records || !damage->count)
		return 0;
	return pipa_refuse(err, -EBADMSG, "nothing of %s could be read: at byte %" PRIu64 ": %s",
			   input->name, damage->at, damage->what);
}

static struct pipa_wanted_kernel recorded_kernel(const struct pipa_recording *recording)
{
	struct pipa_wanted_kernel kernel = { .release = pipa_recording_fact(recording,
									    "os release") };
	size_t i;

	for (i = 0; i < recording->files.n; i++)
		if (pipa_str_starts(recording->files.items[i].path, "[kernel.kallsyms]")) {
			kernel.build_id = recording->files.items[i].build_id.bytes;
			kernel.build_id_len = recording->files.items[i].build_id.len;
		}
	return kernel;
}

/* The list of the running kernel will be asked for if it was recorded, and perf kept no copy. */
static struct pipa_ahead *begin_kallsyms(const struct pipa_load_options *o,
					 struct pipa_perf_reader *reader)
{
	const struct pipa_perf_events *events = pipa_perf_reader_events(reader);
	struct pipa_wanted_kernel kernel = recorded_kernel(pipa_perf_reader_recording(reader));
	PIPA_AUTO(pipa_fd_close) int copy = -1;
	bool kernel_too = false;
	size_t i;

	for (i = 0; i < events->n; i++)
		kernel_too |= !events->items[i].attr.exclude_kernel;
	if (o->no_names || o->symbols.locate.pack || o->symbols.vmlinux || o->symbols.kallsyms ||
	    !kernel_too || !pipa_locate_is_running(&kernel))
		return NULL;
	copy = pipa_locate_kallsyms_copy(&o->symbols.locate, &kernel);
	return copy >= 0 ? NULL : pipa_ahead_start("/proc/kallsyms");
}

/* Where records become a profile; NULL without memory. */
static struct pipa_ingest *make_ingest(struct perf_load *load, const struct pipa_load_options *o,
				       struct pipa_loaded *ret)
{
	struct pipa_ingest_options options = o->ingest;
	struct pipa_unwind_source source;

	ret->tables = pipa_unwind_tables_new(&o->symbols.locate, &ret->profile,
					     pipa_perf_reader_recording(load->reader));
	if (!ret->tables)
		return NULL;
	source = pipa_unwind_tables_source(ret->tables);
	options.unwind = &source;
	options.event = event_of;
	options.code = code_of;
	options.ctx = load;
	return pipa_ingest_new(&ret->profile, &options);
}

int pipa_load_perf(const struct pipa_load_options *o, const struct pipa_input *input,
		   struct pipa_loaded *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_perf_source_close) struct pipa_perf_source *source = NULL;
	struct perf_load load = { .profile = &ret->profile,
				  .locate = &o->symbols.locate,
				  .jitdumps = &ret->jitdumps };
	struct pipa_ingest *ingest;
	int rc = pipa_perf_source_open(input, false, &source, err);

	if (rc < 0)
		return rc;
	load.reader = pipa_perf_source_reader(source);
	ret->kallsyms_ahead = begin_kallsyms(o, load.reader);
	ingest = make_ingest(&load, o, ret);
	rc = ingest ? pipa_perf_reader_run(load.reader, pipa_ingest_sink(ingest), err) : -ENOMEM;
	if (!rc)
		rc = pipa_ingest_settle(ingest);
	if (!rc) {
		pipa_ingest_forget_events(ingest);
		rc = take_recording(&load, ret);
	}
	if (!rc)
		rc = check(&ret->recording, input, err);
	if (!rc && o->keep_ingest)
		ret->ingest = PIPA_TAKE(ingest);
	pipa_ingest_free(ingest);
	free(load.events.items);
	return rc;
}
