#include "kernel/raw.h"

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
	free(raw->first);
	free(raw->sum);
	pipa_raw_init(raw, raw->fields);
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
	raw->first = resize(raw->first, cap, raw->fields * sizeof(*raw->first), &ok);
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

uint64_t *pipa_raw_put(struct pipa_raw *raw, const char *name, size_t len)
{
	size_t row, i;

	if (len >= PIPA_RAW_NAME)
		len = PIPA_RAW_NAME - 1;
	row = find_row(raw, name, len);
	if (row == raw->n) {
		if (raw->n == raw->cap && !grow(raw))
			return NULL;
		memset(&raw->rows[row], 0, sizeof(raw->rows[row]));
		memcpy(raw->rows[row].name, name, len);
		memset(&raw->previous[row * raw->fields], 0, raw->fields * sizeof(*raw->now));
		memset(&raw->sum[row * raw->fields], 0, raw->fields * sizeof(*raw->sum));
		raw->n++;
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

static void move_row(struct pipa_raw *raw, size_t to, size_t from)
{
	size_t n = raw->fields;

	if (to == from)
		return;
	raw->rows[to] = raw->rows[from];
	memcpy(&raw->now[to * n], &raw->now[from * n], n * sizeof(*raw->now));
	memcpy(&raw->previous[to * n], &raw->previous[from * n], n * sizeof(*raw->now));
	memcpy(&raw->first[to * n], &raw->first[from * n], n * sizeof(*raw->now));
	memcpy(&raw->sum[to * n], &raw->sum[from * n], n * sizeof(*raw->sum));
}

/* Keep what is needed to speak of the whole time later. */
static void remember(struct pipa_raw *raw, size_t row)
{
	size_t i, at = row * raw->fields;

	if (!raw->rows[row].settled) {
		if (raw->tick == 1 || raw->resumes)
			memcpy(&raw->first[at], &raw->now[at], raw->fields * sizeof(*raw->now));
		else
			memset(&raw->first[at], 0, raw->fields * sizeof(*raw->now));
		raw->rows[row].settled = true;
	}
	if (raw->tick == 1)
		return;
	raw->rows[row].ticks++;
	for (i = 0; i < raw->fields; i++)
		raw->sum[at + i] += raw->now[at + i] == PIPA_RAW_MISSING ? NAN :
									   (double)raw->now[at + i];
}

void pipa_raw_end(struct pipa_raw *raw)
{
	size_t i, kept = 0;

	for (i = 0; i < raw->n; i++) {
		if (raw->rows[i].seen != raw->tick)
			continue;
		remember(raw, i);
		move_row(raw, kept++, i);
	}
	raw->n = kept;
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
