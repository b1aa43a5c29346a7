#include "symbolize/profile_builder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/vec.h"
#include "perf/attr.h"
#include "symbol/table/jitdump.h"
#include "symbolize/jitdumps.h"
#include "symbolize/unwind_tables.h"

struct pipa_profile_builder {
	struct pipa_profile_builder_options o;
	struct pipa_profile *profile;
	struct pipa_ingest *ingest;
	struct {
		uint32_t *items;
		size_t n, cap;
	} events; /* index in the profile of each event */
};

/* Return the profile's index of an event. The events of a pipe become known while it is read. */
static uint32_t get_event(void *ctx, uint32_t event)
{
	struct pipa_profile_builder *b = ctx;
	char name[64];

	while (b->events.n <= event && b->events.n < b->o.events->n) {
		const struct pipa_perf_event *known = &b->o.events->items[b->events.n];
		struct pipa_event_type type;
		uint32_t number, *slot;

		pipa_perf_event_type(known, name, &type);
		number = pipa_profile_event_of(b->profile, &type);
		slot = number == PIPA_NONE ? NULL : PIPA_VEC_ADD(&b->events);
		if (!slot)
			return PIPA_NONE;
		*slot = number;
	}
	return event < b->events.n ? b->events.items[event] : PIPA_NONE;
}

static bool open_jitdump(void *ctx, const struct pipa_rec_map *map, struct pipa_ingest_code *ret)
{
	struct pipa_profile_builder *b = ctx;

	return pipa_jitdump_is_name(map->path) &&
	       pipa_jitdumps_open(b->o.jitdumps, b->o.locate,
				  pipa_perf_events_use_monotonic(b->o.events), map, ret);
}

struct pipa_profile_builder *pipa_profile_builder_new(
	struct pipa_profile *profile, const struct pipa_profile_builder_options *options)
{
	struct pipa_profile_builder *b = calloc(1, sizeof(*b));
	struct pipa_ingest_options ingest = options->ingest;
	struct pipa_unwind_source source;

	if (!b)
		return NULL;
	pipa_unwind_tables_use_jitdumps(options->tables, options->jitdumps);
	source = pipa_unwind_tables_source(options->tables);
	b->o = *options;
	b->profile = profile;
	source.join = options->join;
	ingest.unwind = &source;
	ingest.event = options->events ? get_event : NULL;
	ingest.code = options->jitdumps ? open_jitdump : NULL;
	ingest.ctx = b;
	b->ingest = pipa_ingest_new(profile, &ingest);
	if (!b->ingest) {
		free(b);
		return NULL;
	}
	return b;
}

void pipa_profile_builder_free(struct pipa_profile_builder *b)
{
	if (!b)
		return;
	pipa_ingest_free(b->ingest);
	free(b->events.items);
	free(b);
}

struct pipa_ingest *pipa_profile_builder_ingest(struct pipa_profile_builder *b)
{
	return b->ingest;
}

struct pipa_ingest *pipa_profile_builder_take(struct pipa_profile_builder *b)
{
	pipa_ingest_forget_events(b->ingest);
	return PIPA_TAKE(b->ingest);
}

int pipa_profile_builder_add_events(struct pipa_profile_builder *b)
{
	const struct pipa_perf_events *events = b->o.events;
	size_t i;

	get_event(b, PIPA_UNKNOWN32 - 1);
	if (b->events.n < events->n)
		return -ENOMEM;
	for (i = 0; i < b->events.n; i++) {
		uint32_t leader = events->items[i].leader;

		if (leader < b->events.n)
			b->profile->events.items[b->events.items[i]].leader =
				b->events.items[leader];
	}
	return 0;
}
