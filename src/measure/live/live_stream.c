#include "measure/live/live_stream.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "collect/sample/synth.h"
#include "kernel/machine/root.h"
#include "measure/live/live_own.h"
#include "measure/sample/record_maps.h"
#include "model/timeline.h"
#include "perf/sample_chain.h"

enum {
	ENTRIES_MAX = 750000, /* 60 to 70 bytes each */
	TIMES_MAX = 1 << 20,  /* 24 bytes each, and as much again to sort */
	FINISHED_ROUND = 68, /* PERF_RECORD_FINISHED_ROUND of perf.data; others have higher types */
	RECORD_HEADER_BYTES = 8,
};

struct pipa_live_stream {
	struct pipa_live_stream_options o;
	struct pipa_root *root; /* of its own: that of the recording is used by another thread */
	struct pipa_record_maps *maps;
	struct pipa_perf_decoder *decoder; /* for the process and event of samples */
	struct pipa_live_profile sum;
	struct pipa_profile interval; /* shares the tables of `sum` */
	struct pipa_timeline times;   /* of this interval, if requested */
	struct pipa_losses before;    /* at the end of the last interval */
	uint64_t wall_ns, clock_ns;   /* start of the interval */
	struct {
		struct pair {
			uint32_t pid, event;
		} * items;
		size_t n, cap;
		struct pipa_index index;
	} pairs;	       /* of this interval */
	bool is_interval_over; /* no record has come since */
	bool is_restart_due;   /* with the next record: the last interval is in use until then */
};

static bool has_unwound_stacks(const struct pipa_perf_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (pipa_perf_attr_is_unwound(&events->items[i].attr) ||
		    events->items[i].attr.sample_type & PERF_SAMPLE_STACK_USER)
			return true;
	return false;
}

static void begin_interval(struct pipa_live_stream *s)
{
	s->clock_ns = pipa_clock_ns();
	s->wall_ns = pipa_clock_wall_ns();
	s->before = s->sum.profile.losses;
	s->pairs.n = 0;
	pipa_index_done(&s->pairs.index);
	s->pairs.index = (struct pipa_index){ 0 };
}

int pipa_live_stream_new(const struct pipa_live_stream_options *o, struct pipa_live_stream **ret,
			 struct pipa_error *err)
{
	struct pipa_live_stream *s = calloc(1, sizeof(*s));
	/* the same frames as in a report of the recording */
	struct pipa_symbolize_options symbols = {
		.lines = has_unwound_stacks(o->events) ? PIPA_LINES_INLINED : PIPA_LINES_NONE,
	};
	int rc = -ENOMEM;

	if (!s)
		return pipa_fail(err, -ENOMEM, "make profiles");
	s->o = *o;
	s->maps = pipa_record_maps_new(true); /* the recording has written build IDs */
	if (pipa_root_open(NULL, &s->root, err) == 0 && s->maps &&
	    pipa_perf_decoder_new(o->events, &s->decoder) == 0)
		rc = pipa_live_profile_init(&s->sum,
					    &(struct pipa_live_profile_options){
						    .events = o->events,
						    .symbols = &symbols,
						    .mapped = pipa_record_maps_files(s->maps),
						    .root = s->root,
						    .timeline = o->times ? &s->times : NULL,
					    });
	if (rc < 0) {
		pipa_live_stream_free(s);
		return pipa_fail(err, rc, "make profiles");
	}
	begin_interval(s);
	*ret = s;
	return 0;
}

void pipa_live_stream_free(struct pipa_live_stream *s)
{
	if (!s)
		return;
	pipa_live_profile_done(&s->sum);
	pipa_timeline_done(&s->times);
	pipa_perf_decoder_free(s->decoder);
	pipa_record_maps_free(s->maps);
	pipa_root_close(s->root);
	pipa_index_done(&s->pairs.index);
	free(s->pairs.items);
	free(s);
}

/* ---- limits --------------------------------------------------------------------------------------- */

static bool are_tables_full(const struct pipa_live_stream *s)
{
	return pipa_live_profile_size(&s->sum) >
	       (s->o.max_entries ? s->o.max_entries : ENTRIES_MAX);
}

bool pipa_live_stream_is_full(const struct pipa_live_stream *s)
{
	return are_tables_full(s) || s->times.n >= TIMES_MAX;
}

static int put_synthesized(void *ctx, void *bytes, size_t len)
{
	struct pipa_live_stream *s = ctx;

	pipa_record_maps_change(s->maps, bytes, len);
	return pipa_live_profile_put(&s->sum, bytes, len, false);
}

/* Empty the tables, then read the kernel and the running processes, which are not known any more. */
static int restart(struct pipa_live_stream *s)
{
	const struct pipa_perf_events *events = s->o.events;
	const struct perf_event_attr *side = &events->items[events->n - 1].attr;
	struct pipa_synth_options options = { .root = s->root,
					      .attr = side,
					      .data = side->mmap_data,
					      .put = put_synthesized,
					      .ctx = s };
	struct pipa_synth *synth = NULL;
	size_t i;
	int rc = pipa_live_profile_restart(&s->sum);

	s->before = (struct pipa_losses){ 0 };
	for (i = 0; i < events->ids.n && !options.id; i++)
		if (events->ids.items[i].event == events->n - 1)
			options.id = events->ids.items[i].id;
	if (!rc)
		rc = pipa_synth_new(&options, &synth);
	if (!rc) {
		rc = pipa_synth_kernel(synth);
		if (rc == -EACCES) /* hidden, as at the start */
			rc = 0;
	}
	if (!rc)
		rc = pipa_synth_tasks(synth, NULL);
	if (!rc && side->bpf_event && pipa_synth_bpf(synth) == -ENOMEM)
		rc = -ENOMEM; /* other errors: no permission, as at the start */
	pipa_synth_free(synth);
	s->is_restart_due = rc == -ENOMEM; /* tried again with the next record */
	return rc == -ENOMEM ? rc :
			       0; /* addresses of processes that cannot be read stay unresolved */
}

/* ---- records --------------------------------------------------------------------------------------- */

/* Remember the process and the event of a sample. 0 or -ENOMEM. */
static int add_pair(struct pipa_live_stream *s, const struct pipa_perf_raw *raw)
{
	const struct pipa_index_slot *slot;
	struct pipa_rec_id id;
	struct pair *pair;
	uint64_t hash;

	if (pipa_perf_decode_id(s->decoder, raw, &id) < 0)
		return 0; /* counted as malformed elsewhere */
	hash = pipa_hash_u64((uint64_t)id.pid << 32 | id.event, PIPA_HASH_SEED);
	for (slot = pipa_index_start(&s->pairs.index, hash); slot->id;
	     slot = pipa_index_after(&s->pairs.index, slot)) {
		pair = &s->pairs.items[slot->id - 1];
		if (pair->pid == id.pid && pair->event == id.event)
			return 0;
	}
	pair = PIPA_VEC_ADD(&s->pairs);
	if (!pair)
		return -ENOMEM;
	*pair = (struct pair){ id.pid, id.event };
	return pipa_index_add(&s->pairs.index, hash, (uint32_t)s->pairs.n - 1);
}

int pipa_live_stream_put(struct pipa_live_stream *s, struct pipa_span record)
{
	struct perf_event_header header;
	struct pipa_perf_raw raw;
	int rc = 0;

	if (record.size < sizeof(header))
		return 0;
	if (s->is_interval_over) {
		pipa_timeline_done(&s->times);
		s->times = (struct pipa_timeline){ 0 };
	}
	s->is_interval_over = false;
	if (s->is_restart_due)
		rc = restart(s);
	memcpy(&header, record.data, sizeof(header));
	if (!rc && header.type == FINISHED_ROUND)
		rc = pipa_live_profile_end_round(&s->sum);
	if (header.type >= FINISHED_ROUND)
		return rc; /* records of perf.data that are not the kernel's */
	raw = (struct pipa_perf_raw){ .type = header.type,
				      .misc = header.misc,
				      .body = record.data + sizeof(header),
				      .len = record.size - sizeof(header) };
	if (!rc && header.type == PERF_RECORD_SAMPLE)
		rc = add_pair(s, &raw);
	raw = pipa_record_maps_put(s->maps, &raw);
	return rc ? rc :
		    pipa_live_profile_put(&s->sum, raw.body - RECORD_HEADER_BYTES,
					  raw.len + RECORD_HEADER_BYTES, false);
}

size_t pipa_live_stream_pairs(const struct pipa_live_stream *s)
{
	return s->pairs.n;
}

void pipa_live_stream_read_dumps(struct pipa_live_stream *s)
{
	pipa_live_profile_read_dumps(&s->sum);
}

/* ---- intervals ------------------------------------------------------------------------------------- */

/* Keep the losses of this interval only. */
static void subtract_losses(struct pipa_losses *losses, const struct pipa_losses *before)
{
	losses->lost_records -= before->lost_records;
	losses->lost_samples -= before->lost_samples;
	losses->throttled -= before->throttled;
	losses->damaged -= before->damaged;
	losses->cut_stacks -= before->cut_stacks;
	losses->unwound_truncated -= before->unwound_truncated;
}

/* Let the times refer to the samples of the interval instead of those of the growing profile. 0 or -ENOMEM. */
static int renumber_times(struct pipa_live_stream *s)
{
	const struct pipa_live_spans *spans = &s->sum.spans;
	uint32_t *numbers;
	size_t i;

	if (!s->o.times)
		return 0;
	numbers = malloc(s->sum.profile.samples.n * sizeof(*numbers) + 1);
	if (!numbers)
		return -ENOMEM;
	memset(numbers, 0xff, s->sum.profile.samples.n * sizeof(*numbers));
	for (i = 0; i < spans->last.samples.n; i++)
		numbers[spans->last_origins[i]] = (uint32_t)i;
	for (i = 0; i < s->times.n; i++)
		s->times.items[i].sample = numbers[s->times.items[i].sample];
	free(numbers);
	return pipa_timeline_sort(&s->times);
}

int pipa_live_stream_take(struct pipa_live_stream *s, struct pipa_live_interval *ret,
			  struct pipa_error *err)
{
	uint64_t now = pipa_clock_ns();
	int rc = s->sum.builder ? pipa_live_profile_flush(&s->sum, now - s->clock_ns, false, err) :
				  pipa_fail(err, -ENOMEM, "make profiles");
	size_t i;

	if (rc < 0)
		return rc;
	if (renumber_times(s) < 0) { /* the interval is sent without times */
		pipa_timeline_done(&s->times);
		s->times = (struct pipa_timeline){ 0 };
	}
	s->interval = s->sum.spans.last;
	s->interval.start_ns = s->wall_ns;
	s->interval.duration_ns = now - s->clock_ns;
	subtract_losses(&s->interval.losses, &s->before);
	ret->profile = &s->interval;
	ret->times = s->o.times ? &s->times : NULL;
	ret->samples = 0;
	for (i = 0; i < s->interval.samples.n; i++)
		ret->samples += s->interval.samples.items[i].count;
	begin_interval(s);
	s->is_interval_over = true;
	s->is_restart_due = are_tables_full(s);
	return 0;
}
