#include "perf/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum { HEADER = sizeof(struct perf_event_header) };

int pipa_perf_tally_new(const struct pipa_perf_events *events, size_t n_cpus,
			struct pipa_perf_tally **ret)
{
	struct pipa_perf_tally *t = calloc(1, sizeof(*t));

	if (t)
		t->counts = calloc(events->n * n_cpus + 1, sizeof(*t->counts));
	if (!t || !t->counts) {
		free(t);
		return -ENOMEM;
	}
	t->events = events;
	t->n_cpus = n_cpus;
	*ret = t;
	return 0;
}

void pipa_perf_tally_free(struct pipa_perf_tally *t)
{
	if (t)
		free(t->counts);
	free(t);
}

static uint64_t word_at(const struct pipa_perf_raw *raw, size_t offset)
{
	uint64_t word = 0;

	if (raw->len >= sizeof(word) && offset <= raw->len - sizeof(word))
		memcpy(&word, raw->body + offset, sizeof(word));
	return word;
}

static uint64_t last_word(const struct pipa_perf_raw *raw)
{
	return raw->len >= 8 ? word_at(raw, raw->len - 8) : 0;
}

static void count_sample(struct pipa_perf_tally *t, const struct pipa_perf_raw *raw, uint32_t event)
{
	uint64_t type = t->events->items[event].attr.sample_type, time;
	size_t at = 8 * (size_t)__builtin_popcountll(
				type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID));

	if (!(type & PERF_SAMPLE_TIME))
		return;
	time = word_at(raw, at);
	if (!t->first_ns || time < t->first_ns)
		t->first_ns = time;
	if (time > t->last_ns)
		t->last_ns = time;
}

static void count(struct pipa_perf_tally *t, int cpu, const struct pipa_perf_raw *raw)
{
	struct pipa_perf_count one = { 0 }, *cell;
	uint32_t event = PIPA_UNKNOWN32;

	switch (raw->type) {
	case PERF_RECORD_SAMPLE:
		event = pipa_perf_events_find(t->events, word_at(raw, 0));
		if (event != PIPA_UNKNOWN32)
			count_sample(t, raw, event);
		one.samples = 1;
		break;
	case PERF_RECORD_LOST:
		event = pipa_perf_events_find(t->events, word_at(raw, 0));
		one.lost = word_at(raw, 8);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		event = pipa_perf_events_find(t->events, last_word(raw));
		one.lost = word_at(raw, 0);
		break;
	case PERF_RECORD_THROTTLE:
		event = pipa_perf_events_find(t->events, word_at(raw, 8));
		one.throttled = 1;
		break;
	default: return;
	}
	t->all.samples += one.samples;
	t->all.lost += one.lost;
	t->all.throttled += one.throttled;
	if (event == PIPA_UNKNOWN32 || cpu < 0 || (size_t)cpu >= t->n_cpus)
		return;
	cell = &t->counts[event * t->n_cpus + (size_t)cpu];
	cell->samples += one.samples;
	cell->lost += one.lost;
	cell->throttled += one.throttled;
}

static int take(struct pipa_perf_tally *t, int cpu, const uint8_t *bytes)
{
	struct perf_event_header header;
	struct pipa_perf_raw raw;

	memcpy(&header, bytes, sizeof(header));
	raw = (struct pipa_perf_raw){
		.type = header.type,
		.misc = header.misc,
		.body = bytes + HEADER,
		.len = header.size > HEADER ? header.size - (size_t)HEADER : 0,
	};
	count(t, cpu, &raw);
	return t->fn ? t->fn(t->ctx, &raw) : 0;
}

/* The size of the record that begins here; 0 when not even that can be seen. */
static size_t size_of(const uint8_t *bytes, size_t len)
{
	struct perf_event_header header;

	if (len < HEADER)
		return 0;
	memcpy(&header, bytes, sizeof(header));
	return header.size < HEADER ? HEADER : header.size;
}

/* Complete the record that the last piece left; returns how much of this one that took. */
static int complete(struct pipa_perf_tally *t, int cpu, const uint8_t *bytes, size_t len,
		    size_t *ret_used)
{
	uint8_t *cut = (uint8_t *)t->cut;
	size_t used = 0, size, n;

	if (t->held < HEADER) {
		n = HEADER - t->held < len ? HEADER - t->held : len;
		memcpy(cut + t->held, bytes, n);
		t->held += n;
		used = n;
	}
	size = size_of(cut, t->held);
	if (size) {
		n = size - t->held < len - used ? size - t->held : len - used;
		memcpy(cut + t->held, bytes + used, n);
		t->held += n;
		used += n;
	}
	*ret_used = used;
	if (!size || t->held < size)
		return 0;
	t->held = 0;
	return take(t, cpu, cut);
}

int pipa_perf_tally_add(struct pipa_perf_tally *t, int cpu, const uint8_t *bytes, size_t len)
{
	size_t size, used;
	int rc = 0;

	if (t->held) {
		rc = complete(t, cpu, bytes, len, &used);
		bytes += used;
		len -= used;
	}
	while (!rc && len) {
		size = size_of(bytes, len);
		if (!size || size > len) {
			memcpy(t->cut, bytes, len);
			t->held = len;
			break;
		}
		rc = take(t, cpu, bytes);
		bytes += size;
		len -= size;
	}
	return rc;
}

struct pipa_perf_count pipa_perf_tally_of(const struct pipa_perf_tally *t, size_t event, int cpu)
{
	struct pipa_perf_count sum = { 0 };
	size_t i;

	for (i = 0; i < t->n_cpus; i++) {
		const struct pipa_perf_count *cell = &t->counts[event * t->n_cpus + i];

		if (cpu >= 0 && (size_t)cpu != i)
			continue;
		sum.samples += cell->samples;
		sum.lost += cell->lost;
		sum.throttled += cell->throttled;
	}
	return sum;
}

size_t pipa_perf_whole(const uint8_t *bytes, size_t len)
{
	size_t at = 0, size;

	while ((size = size_of(bytes + at, len - at)) && size <= len - at)
		at += size;
	return at;
}
