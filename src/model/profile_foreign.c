/* Rows that only files of other profilers have, and rows that span several tables. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/profile.h"

/* Add row 0, which means none, if the table is empty. */
#define RESERVE_FIRST(table) ((table)->n || PIPA_VEC_ADD(table))

static bool same_process(const struct pipa_profile_process *a, const struct pipa_profile_process *b)
{
	return a->pid == b->pid && a->exe == b->exe && a->cgroup == b->cgroup &&
	       a->container == b->container && a->attributes == b->attributes;
}

/* The cgroup is not hashed, because it may be set later. */
uint32_t pipa_profile_process(struct pipa_profile *p, const struct pipa_profile_process *process)
{
	uint64_t hash = pipa_hash_u64((uint64_t)process->pid << 32 | process->exe, PIPA_HASH_SEED);

	if (!RESERVE_FIRST(&p->processes))
		return PIPA_NONE;
	return PIPA_INTERN(&p->processes, hash, same_process, process);
}

static bool same_mapping(const struct pipa_mapping *a, const struct pipa_mapping *b)
{
	return a->object == b->object && a->start == b->start && a->limit == b->limit &&
	       a->file_offset == b->file_offset;
}

uint32_t pipa_profile_mapping(struct pipa_profile *p, const struct pipa_mapping *mapping)
{
	uint64_t hash = pipa_hash_u64(mapping->start, mapping->object);

	if (!RESERVE_FIRST(&p->mappings))
		return PIPA_NONE;
	return PIPA_INTERN(&p->mappings, hash, same_mapping, mapping);
}

/* ---- locations identified by their lines ----------------------------------------------------- */

static bool has_lines(const struct pipa_profile *p, const struct pipa_location *row,
		      const struct pipa_location *location, const struct pipa_line *lines, size_t n)
{
	return row->by_lines && row->object == location->object &&
	       row->address == location->address && row->mode == location->mode &&
	       row->mapping == location->mapping && row->n_lines == n &&
	       (!n || memcmp(&p->lines.items[row->lines], lines, n * sizeof(*lines)) == 0);
}

static uint32_t add_location(struct pipa_profile *p, const struct pipa_location *location,
			     const struct pipa_line *lines, size_t n, uint64_t hash)
{
	struct pipa_location *row;
	struct pipa_line *line;
	size_t first = p->lines.n, i;

	for (i = 0; i < n; i++) {
		line = PIPA_VEC_ADD(&p->lines);
		if (!line)
			goto fail;
		*line = lines[i];
	}
	row = p->locations.n < PIPA_NONE - 1 && first + n < PIPA_NONE ?
		      PIPA_VEC_ADD(&p->locations) :
		      NULL;
	if (!row)
		goto fail;
	*row = *location;
	row->by_lines = true;
	row->lines = n ? (uint32_t)first : 0;
	row->n_lines = (uint32_t)n;
	if (n)
		row->unresolved = PIPA_RESOLVED;
	if (pipa_index_add(&p->locations.index, hash, (uint32_t)p->locations.n - 1) == 0)
		return (uint32_t)p->locations.n - 1;
	p->locations.n--;
fail:
	p->lines.n = first;
	return PIPA_NONE;
}

uint32_t pipa_profile_location_of_lines(struct pipa_profile *p,
					const struct pipa_location *location,
					const struct pipa_line *lines, size_t n)
{
	uint64_t seed = pipa_hash_u64(location->address, location->object);
	uint64_t hash = n ? pipa_hash_bytes(lines, n * sizeof(*lines), seed) : seed;
	const struct pipa_index_slot *slot = pipa_index_start(&p->locations.index, hash);

	for (; slot->id; slot = pipa_index_after(&p->locations.index, slot))
		if (slot->hash == (uint32_t)hash &&
		    has_lines(p, &p->locations.items[slot->id - 1], location, lines, n))
			return slot->id - 1;
	return add_location(p, location, lines, n, hash);
}

/* ---- signed values, comments ----------------------------------------------------------------- */

uint32_t pipa_profile_negative_event(struct pipa_profile *p, uint32_t event)
{
	const struct pipa_profile_event *of = &p->events.items[event];
	struct pipa_event_type type = { .unit = pipa_profile_string(p, of->unit),
					.count_name = pipa_profile_string(p, of->count_name),
					.count_unit = pipa_profile_string(p, of->count_unit),
					.period_name = pipa_profile_string(p, of->period_name),
					.period_unit = pipa_profile_string(p, of->period_unit),
					.period = of->period,
					.frequency = of->frequency,
					.uncounted = !of->counted,
					.column_group = of->column_group,
					.column = of->column };
	uint32_t number;
	char *name;

	for (number = event + 1; number < p->events.n; number++)
		if (p->events.items[number].negative_of == event)
			return number;
	if (asprintf(&name, "%s (negative)", pipa_profile_string(p, of->name)) < 0)
		return PIPA_NONE;
	type.name = name;
	number = pipa_profile_event_of(p, &type);
	free(name);
	if (number != PIPA_NONE)
		p->events.items[number].negative_of = event;
	return number;
}

int pipa_profile_add_signed(struct pipa_profile *p, const struct pipa_sample *sample,
			    int64_t weight)
{
	struct pipa_sample own = *sample;

	own.weight = weight < 0 ? 0 - (uint64_t)weight : (uint64_t)weight;
	if (weight < 0)
		own.event = pipa_profile_negative_event(p, sample->event);
	if (own.event == PIPA_NONE)
		return -ENOMEM;
	return pipa_profile_add(p, &own);
}

int pipa_profile_comment(struct pipa_profile *p, const char *text)
{
	uint32_t string = pipa_profile_text(p, text), *slot;
	size_t i;

	if (string == PIPA_NO_STRING)
		return -ENOMEM;
	for (i = 0; i < p->comments.n; i++)
		if (p->comments.items[i] == string)
			return 0;
	slot = PIPA_VEC_ADD(&p->comments);
	if (!slot)
		return -ENOMEM;
	*slot = string;
	return 0;
}
