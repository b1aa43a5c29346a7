#include "perf/split.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum { HEADER = sizeof(struct perf_event_header) };

int pipa_perf_splitter_new(const struct pipa_perf_events *events, size_t n_cpus,
			   struct pipa_perf_splitter **ret)
{
	struct pipa_perf_splitter *t = calloc(1, sizeof(*t));

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

void pipa_perf_splitter_free(struct pipa_perf_splitter *t)
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

/* Where a field of 8 bytes is in a sample: after those of its type that come before it. */
static size_t offset_of(uint64_t type, uint64_t before)
{
	return 8 * (size_t)__builtin_popcountll(type & before);
}

static void count_sample(struct pipa_perf_splitter *t, const struct pipa_perf_raw *raw,
			 uint32_t event, struct pipa_perf_count *one)
{
	const uint64_t before_time = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t before_period = before_time | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				       PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU;
	uint64_t type = t->events->items[event].attr.sample_type, time;

	if (type & PERF_SAMPLE_PERIOD)
		one->weight = word_at(raw, offset_of(type, before_period));
	if (!(type & PERF_SAMPLE_TIME))
		return;
	time = word_at(raw, offset_of(type, before_time));
	if (!t->first_ns || time < t->first_ns)
		t->first_ns = time;
	if (time > t->last_ns)
		t->last_ns = time;
}

static void begin_throttle(struct pipa_perf_splitter *t, uint32_t event, int cpu, uint64_t ns)
{
	if (t->n_throttles < PIPA_PERF_THROTTLES)
		t->throttles[t->n_throttles++] =
			(struct pipa_perf_throttle){ .event = event, .cpu = cpu, .from_ns = ns };
}

/* Returns how long it was; 0 where its beginning is not known. */
static uint64_t end_throttle(struct pipa_perf_splitter *t, uint32_t event, int cpu, uint64_t ns)
{
	size_t i;

	for (i = t->n_throttles; i-- > 0;) {
		struct pipa_perf_throttle *one = &t->throttles[i];

		if (one->event != event || one->cpu != cpu || one->to_ns || ns < one->from_ns)
			continue;
		one->to_ns = ns;
		return ns - one->from_ns;
	}
	return 0;
}

static void add(struct pipa_perf_count *sum, const struct pipa_perf_count *one)
{
	sum->samples += one->samples;
	sum->lost += one->lost;
	sum->throttled += one->throttled;
	sum->weight += one->weight;
	sum->throttled_ns += one->throttled_ns;
}

static void count(struct pipa_perf_splitter *t, int cpu, const struct pipa_perf_raw *raw)
{
	struct pipa_perf_count one = { 0 }, *cell;
	uint32_t event = PIPA_UNKNOWN32;

	switch (raw->type) {
	case PERF_RECORD_SAMPLE:
		event = pipa_perf_events_find(t->events, word_at(raw, 0));
		if (event != PIPA_UNKNOWN32)
			count_sample(t, raw, event, &one);
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
		begin_throttle(t, event, cpu, word_at(raw, 0));
		break;
	case PERF_RECORD_UNTHROTTLE:
		event = pipa_perf_events_find(t->events, word_at(raw, 8));
		one.throttled_ns = end_throttle(t, event, cpu, word_at(raw, 0));
		break;
	case PERF_RECORD_FORK: t->forks++; return;
	default: return;
	}
	add(&t->all, &one);
	if (event == PIPA_UNKNOWN32 || cpu < 0 || (size_t)cpu >= t->n_cpus)
		return;
	cell = &t->counts[event * t->n_cpus + (size_t)cpu];
	add(cell, &one);
}

static int take(struct pipa_perf_splitter *t, int cpu, const uint8_t *bytes)
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
static int complete(struct pipa_perf_splitter *t, int cpu, const uint8_t *bytes, size_t len,
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

int pipa_perf_splitter_add(struct pipa_perf_splitter *t, int cpu, const uint8_t *bytes, size_t len)
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

struct pipa_perf_count pipa_perf_splitter_of(const struct pipa_perf_splitter *t, size_t event,
					     int cpu)
{
	struct pipa_perf_count sum = { 0 };
	size_t i;

	for (i = 0; i < t->n_cpus; i++) {
		const struct pipa_perf_count *cell = &t->counts[event * t->n_cpus + i];

		if (cpu >= 0 && (size_t)cpu != i)
			continue;
		add(&sum, cell);
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
