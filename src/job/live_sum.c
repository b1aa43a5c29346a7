#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/file.h"
#include "base/vec.h"
#include "job/live_own.h"
#include "job/unwind_tables.h"

/* ---- start and end --------------------------------------------------------------------------------- */

static uint32_t event_of(void *ctx, uint32_t event)
{
	struct pipa_live_sum *sum = ctx;
	char name[64];

	if (event >= sum->events->n)
		return PIPA_NONE;
	return pipa_profile_event(&sum->profile,
				  pipa_perf_event_name(&sum->events->items[event], name));
}

static int begin(struct pipa_live_sum *sum)
{
	struct pipa_ingest_options options = {
		.live = true, .event = event_of, .ctx = sum, .by_cpu = true
	};
	struct pipa_unwind_source source;

	sum->tables = pipa_unwind_tables_new(&sum->symbols.locate, &sum->profile, NULL);
	if (!sum->tables)
		return -ENOMEM;
	source = pipa_unwind_tables_source(sum->tables);
	options.unwind = &source;
	sum->ingest = pipa_ingest_new(&sum->profile, &options);
	return sum->ingest ? 0 : -ENOMEM;
}

static void drop_last(struct pipa_live_sum *sum)
{
	free(sum->last.samples.items);
	free(sum->last.events.items);
	sum->last = (struct pipa_profile){ 0 };
}

static void end(struct pipa_live_sum *sum)
{
	drop_last(sum);
	pipa_ingest_free(sum->ingest);
	pipa_unwind_tables_free(sum->tables);
	pipa_profile_done(&sum->profile);
	sum->profile = (struct pipa_profile){ 0 };
	sum->ingest = NULL;
	sum->tables = NULL;
	sum->before.n = sum->ended.n = sum->ended.old = 0;
	sum->symbols.first = 0;
}

/* The kernel makes its list anew for each reader, which takes longer than all else: one copy will do. */
static void copy_kallsyms(struct pipa_live_sum *sum)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };

	if (sum->symbols.kallsyms || sum->symbols.vmlinux ||
	    pipa_file_read("/proc/kallsyms", &text, NULL) < 0)
		return;
	sum->kallsyms_fd = memfd_create("kallsyms", MFD_CLOEXEC);
	if (sum->kallsyms_fd < 0 || pipa_file_write(sum->kallsyms_fd, text.data, text.len) < 0)
		return;
	snprintf(sum->kallsyms, sizeof(sum->kallsyms), "/proc/self/fd/%d", sum->kallsyms_fd);
	sum->symbols.kallsyms = sum->kallsyms;
}

int pipa_live_sum_init(struct pipa_live_sum *sum, const struct pipa_perf_events *events,
		       const struct pipa_symbolize_options *symbols)
{
	*sum = (struct pipa_live_sum){ .events = events, .symbols = *symbols, .kallsyms_fd = -1 };
	copy_kallsyms(sum);
	if (pipa_perf_decoder_new(events, &sum->decoder) < 0)
		return -ENOMEM;
	return begin(sum);
}

void pipa_live_sum_done(struct pipa_live_sum *sum)
{
	end(sum);
	pipa_perf_decoder_free(sum->decoder);
	pipa_recording_done(&sum->recording);
	free(sum->before.weights);
	free(sum->before.counts);
	free(sum->ended.items);
	pipa_fd_close(sum->kallsyms_fd);
	*sum = (struct pipa_live_sum){ .kallsyms_fd = -1 };
}

int pipa_live_sum_restart(struct pipa_live_sum *sum)
{
	end(sum);
	return begin(sum);
}

size_t pipa_live_sum_size(const struct pipa_live_sum *sum)
{
	const struct pipa_profile *p = &sum->profile;

	return p->samples.n + p->stacks.n + p->locations.n + p->threads.n + p->objects.n +
	       p->strings.n;
}

/* ---- records --------------------------------------------------------------------------------------- */

/* The end of a process: what it had mapped is forgotten a round later, when its last samples are there. */
static int note_end(struct pipa_live_sum *sum, uint32_t pid, uint32_t tid, uint64_t order)
{
	struct pipa_live_ended *slot;

	if (pid != tid)
		return 0;
	slot = PIPA_VEC_ADD(&sum->ended);
	if (!slot)
		return -ENOMEM;
	*slot = (struct pipa_live_ended){ pid, order };
	return 0;
}

static int put_record(struct pipa_live_sum *sum, const struct pipa_perf_raw *raw)
{
	struct pipa_rec_id id;
	uint32_t task[3]; /* pid, parent's pid, tid */
	int rc = pipa_perf_decode_id(sum->decoder, raw, &id);

	if (!rc)
		rc = pipa_perf_decode(sum->decoder, raw, &id, pipa_ingest_sink(sum->ingest));
	if (!rc && raw->type == PERF_RECORD_EXIT && raw->len >= sizeof(task)) {
		memcpy(task, raw->body, sizeof(task));
		rc = note_end(sum, task[0], task[2], id.order);
	}
	return rc == -ENOMEM ? rc : 0; /* the kernel's own records are whole */
}

int pipa_live_sum_put(struct pipa_live_sum *sum, const void *bytes, size_t len, bool drop)
{
	const uint8_t *at = bytes;
	struct pipa_perf_raw raw = { 0 };
	uint16_t size;
	int rc = 0;

	for (; !rc && len >= 8; at += size, len -= size) {
		memcpy(&raw.type, at, 4);
		memcpy(&raw.misc, at + 4, 2);
		memcpy(&size, at + 6, 2);
		if (size < 8 || size > len)
			break;
		raw.body = at + 8;
		raw.len = size - 8;
		if (!drop || raw.type != PERF_RECORD_SAMPLE)
			rc = put_record(sum, &raw);
	}
	return rc;
}

static void forget_ended(struct pipa_live_sum *sum)
{
	size_t i;

	for (i = 0; i < sum->ended.old; i++)
		pipa_ingest_forget(sum->ingest, sum->ended.items[i].pid, sum->ended.items[i].order);
	sum->ended.n -= sum->ended.old;
	if (sum->ended.n)
		memmove(sum->ended.items, sum->ended.items + sum->ended.old,
			sum->ended.n * sizeof(*sum->ended.items));
	sum->ended.old = sum->ended.n;
}

/* ---- the last part --------------------------------------------------------------------------------- */

static int remember(struct pipa_live_sum *sum)
{
	const struct pipa_profile *p = &sum->profile;
	size_t bytes = p->samples.n * sizeof(uint64_t) + 1, i;
	uint64_t *weights = realloc(sum->before.weights, bytes);
	uint64_t *counts = realloc(sum->before.counts, bytes);

	sum->before.weights = weights ? weights : sum->before.weights;
	sum->before.counts = counts ? counts : sum->before.counts;
	if (!weights || !counts)
		return -ENOMEM;
	for (i = 0; i < p->samples.n; i++) {
		weights[i] = p->samples.items[i].weight;
		counts[i] = p->samples.items[i].count;
	}
	sum->before.n = p->samples.n;
	return 0;
}

/* What every sample has gained since. */
static int make_last(struct pipa_live_sum *sum)
{
	const struct pipa_profile *p = &sum->profile;
	struct pipa_profile last = *p;
	size_t i;

	drop_last(sum);
	last.samples.items = malloc(p->samples.n * sizeof(*last.samples.items) + 1);
	last.events.items = calloc(p->events.n + 1, sizeof(*last.events.items));
	if (!last.samples.items || !last.events.items) {
		free(last.samples.items);
		free(last.events.items);
		return -ENOMEM;
	}
	for (i = 0; i < p->events.n; i++) {
		last.events.items[i] = p->events.items[i];
		last.events.items[i].weight = last.events.items[i].count = 0;
	}
	for (last.samples.n = i = 0; i < p->samples.n; i++) {
		struct pipa_sample s = p->samples.items[i];

		s.weight -= i < sum->before.n ? sum->before.weights[i] : 0;
		s.count -= i < sum->before.n ? sum->before.counts[i] : 0;
		if (!s.count)
			continue;
		last.samples.items[last.samples.n++] = s;
		last.events.items[s.event].weight += s.weight;
		last.events.items[s.event].count += s.count;
	}
	sum->last = last;
	return remember(sum);
}

/* The same samples, in tables that may have moved. */
static void keep_last(struct pipa_live_sum *sum)
{
	struct pipa_profile last = sum->profile;

	memcpy(&last.samples, &sum->last.samples, sizeof(last.samples));
	memcpy(&last.events, &sum->last.events, sizeof(last.events));
	sum->last = last;
}

int pipa_live_sum_settle(struct pipa_live_sum *sum, bool drop, struct pipa_error *err)
{
	int rc = pipa_ingest_settle(sum->ingest);

	forget_ended(sum);
	if (!rc)
		rc = pipa_symbolize(&sum->profile, &sum->recording, &sum->symbols, err);
	sum->symbols.first = (uint32_t)sum->profile.locations.n;
	if (!rc && drop && sum->last.samples.items)
		keep_last(sum);
	else if (!rc)
		rc = make_last(sum);
	return rc < 0 ? pipa_fail(err, rc, "add up the samples") : 0;
}
