#include "kernel/text/raw.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pipa_raw_init(struct pipa_raw *raw, size_t fields)
{
	*raw = (struct pipa_raw){ .fields = fields };
}

void pipa_raw_done(struct pipa_raw *raw)
{
	free(raw->rows);
	free(raw->now);
	free(raw->previous);
	free(raw->grown);
	free(raw->total);
	free(raw->sum);
	*raw = (struct pipa_raw){ .fields = raw->fields, .cpus = raw->cpus, .grow = raw->grow };
}

void pipa_raw_begin(struct pipa_raw *raw)
{
	uint64_t *previous = raw->previous;

	raw->previous = raw->now;
	raw->now = previous;
	raw->next = 0;
	raw->status = 0;
	raw->tick++;
}

/* Room for cap rows of size bytes, or the array as it was and *ok false. */
static void *resize(void *array, size_t cap, size_t size, bool *ok)
{
	void *bigger = realloc(array, cap * size);

	*ok = *ok && bigger;
	return bigger ? bigger : array;
}

static bool grow(struct pipa_raw *raw)
{
	size_t cap = raw->cap ? raw->cap * 2 : 4;
	bool ok = true;

	raw->rows = resize(raw->rows, cap, sizeof(*raw->rows), &ok);
	raw->now = resize(raw->now, cap, raw->fields * sizeof(*raw->now), &ok);
	raw->previous = resize(raw->previous, cap, raw->fields * sizeof(*raw->previous), &ok);
	raw->grown = resize(raw->grown, cap, raw->fields * sizeof(*raw->grown), &ok);
	raw->total = resize(raw->total, cap, raw->fields * sizeof(*raw->total), &ok);
	raw->sum = resize(raw->sum, cap, raw->fields * sizeof(*raw->sum), &ok);
	if (ok)
		raw->cap = cap;
	else
		raw->status = -ENOMEM;
	return ok;
}

static bool is_row(const struct pipa_raw *raw, size_t row, const char *name, size_t len)
{
	return memcmp(raw->rows[row].name, name, len) == 0 && !raw->rows[row].name[len];
}

static size_t find_row(const struct pipa_raw *raw, const char *name, size_t len)
{
	size_t i;

	if (raw->next < raw->n && is_row(raw, raw->next, name, len))
		return raw->next;
	for (i = 0; i < raw->n && !is_row(raw, i, name, len); i++)
		;
	return i;
}

static void add_row(struct pipa_raw *raw, const char *name, size_t len)
{
	size_t at = raw->n * raw->fields;

	memset(&raw->rows[raw->n], 0, sizeof(raw->rows[raw->n]));
	memcpy(raw->rows[raw->n].name, name, len);
	memset(&raw->previous[at], 0, raw->fields * sizeof(*raw->previous));
	memset(&raw->total[at], 0, raw->fields * sizeof(*raw->total));
	memset(&raw->sum[at], 0, raw->fields * sizeof(*raw->sum));
	raw->n++;
}

uint64_t *pipa_raw_put(struct pipa_raw *raw, const char *name, size_t len)
{
	size_t row, i;

	if (len >= PIPA_RAW_NAME)
		len = PIPA_RAW_NAME - 1;
	row = find_row(raw, name, len);
	if (row == raw->n) {
		if (raw->n == raw->cap && !grow(raw))
			return NULL;
		add_row(raw, name, len);
	}
	raw->next = row + 1;
	if (raw->rows[row].seen != raw->tick) {
		raw->rows[row].known = raw->rows[row].seen != 0;
		raw->rows[row].seen = raw->tick;
		for (i = 0; i < raw->fields; i++)
			raw->now[row * raw->fields + i] = PIPA_RAW_MISSING;
	}
	return &raw->now[row * raw->fields];
}

/* ---- the end of a tick -------------------------------------------------------------------------- */

/* Can it be said what the row grew by? What has just come grew from zero, unless it may be older. */
static bool has_grown(const struct pipa_raw *raw, size_t row)
{
	return raw->rows[row].known || (raw->tick > 1 && !raw->cpus && !raw->older);
}

static void grow_row(struct pipa_raw *raw, size_t row)
{
	size_t i, at = row * raw->fields;

	if (!has_grown(raw, row))
		memset(&raw->grown[at], 0xff, raw->fields * sizeof(*raw->grown));
	else if (raw->grow)
		raw->grow(&raw->previous[at], &raw->now[at], &raw->grown[at]);
	else
		for (i = 0; i < raw->fields; i++)
			raw->grown[at + i] = pipa_counter_delta(raw->previous[at + i],
								raw->now[at + i]);
}

/*
 * What the kernel sums up changes when a CPU comes or goes; what those that are there have grown by
 * does not. A field that one of them lacks is left as the kernel summed it.
 */
static void grow_all(struct pipa_raw *raw)
{
	size_t i, row, known;
	uint64_t sum;

	for (i = 0; i < raw->fields; i++) {
		sum = known = 0;
		for (row = 1; row < raw->n && sum != PIPA_RAW_MISSING; row++) {
			uint64_t grown = raw->grown[row * raw->fields + i];

			if (!pipa_raw_is_here(raw, row) || !raw->rows[row].known)
				continue;
			sum = grown == PIPA_RAW_MISSING ? grown : sum + grown;
			known++;
		}
		if (known && sum != PIPA_RAW_MISSING)
			raw->grown[i] = sum;
	}
}

/* Keep what is needed to speak of the whole time later. */
static void remember(struct pipa_raw *raw, size_t row)
{
	size_t i, at = row * raw->fields;

	if (raw->tick == 1)
		return;
	raw->rows[row].ticks++;
	for (i = at; i < at + raw->fields; i++) {
		raw->sum[i] += raw->now[i] == PIPA_RAW_MISSING ? NAN : (double)raw->now[i];
		if (!has_grown(raw, row) || raw->total[i] == PIPA_RAW_MISSING)
			continue;
		raw->total[i] = raw->grown[i] == PIPA_RAW_MISSING ? PIPA_RAW_MISSING :
								    raw->total[i] + raw->grown[i];
	}
}

static void move_row(struct pipa_raw *raw, size_t to, size_t from)
{
	size_t n = raw->fields;

	if (to == from)
		return;
	raw->rows[to] = raw->rows[from];
	memcpy(&raw->now[to * n], &raw->now[from * n], n * sizeof(*raw->now));
	memcpy(&raw->previous[to * n], &raw->previous[from * n], n * sizeof(*raw->previous));
	memcpy(&raw->total[to * n], &raw->total[from * n], n * sizeof(*raw->total));
	memcpy(&raw->sum[to * n], &raw->sum[from * n], n * sizeof(*raw->sum));
}

/* Drop the rows that are gone; of a CPU that is, the next reading will be compared with its last. */
static void drop_gone(struct pipa_raw *raw)
{
	size_t i, kept = 0, n = raw->fields;

	for (i = 0; i < raw->n; i++) {
		if (!pipa_raw_is_here(raw, i) && raw->cpus)
			memcpy(&raw->now[i * n], &raw->previous[i * n], n * sizeof(*raw->now));
		else if (!pipa_raw_is_here(raw, i))
			continue;
		move_row(raw, kept++, i);
	}
	raw->n = kept;
}

void pipa_raw_end(struct pipa_raw *raw)
{
	size_t i;

	drop_gone(raw);
	for (i = 0; i < raw->n; i++)
		grow_row(raw, i);
	if (raw->cpus && raw->n && strcmp(raw->rows[0].name, "all") == 0)
		grow_all(raw);
	for (i = 0; i < raw->n; i++)
		if (pipa_raw_is_here(raw, i))
			remember(raw, i);
}

void pipa_raw_mean(const struct pipa_raw *raw, size_t row, uint64_t *ret)
{
	size_t i, ticks = raw->rows[row].ticks;

	for (i = 0; i < raw->fields; i++) {
		double mean = raw->sum[row * raw->fields + i] / (double)ticks + 0.5;

		/* NaN, or more than a number holds: missing */
		ret[i] = ticks && mean < 0x1p64 ? (uint64_t)mean : PIPA_RAW_MISSING;
	}
}
