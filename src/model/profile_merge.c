/* Merge profiles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "model/profile.h"

/* New index of each row of the merged profile, per table. */
struct index_map {
	uint32_t *objects, *mappings, *functions, *locations, *stacks, *processes, *threads;
	uint32_t *events, *label_sets;
	uint32_t *factors; /* by which the weights of each event are multiplied */
};

static void index_map_done(struct index_map *map)
{
	free(map->objects);
	free(map->mappings);
	free(map->functions);
	free(map->locations);
	free(map->stacks);
	free(map->processes);
	free(map->threads);
	free(map->events);
	free(map->label_sets);
	free(map->factors);
}

/*
 * Allocate a list of indexes. One more than n, because row 0 may be used for an empty table, where
 * it means none.
 */
static uint32_t *make_index_list(size_t n)
{
	return calloc(n + 1, sizeof(uint32_t));
}

static bool index_map_init(struct index_map *map, const struct pipa_profile *from)
{
	*map = (struct index_map){
		.objects = make_index_list(from->objects.n),
		.mappings = make_index_list(from->mappings.n),
		.functions = make_index_list(from->functions.n),
		.locations = make_index_list(from->locations.n),
		.stacks = make_index_list(from->stacks.n),
		.processes = make_index_list(from->processes.n),
		.threads = make_index_list(from->threads.n),
		.events = make_index_list(from->events.n),
		.label_sets = make_index_list(from->label_sets.n),
		.factors = make_index_list(from->events.n),
	};
	return map->objects && map->mappings && map->functions && map->locations && map->stacks &&
	       map->processes && map->threads && map->events && map->label_sets && map->factors;
}

static uint32_t copy_string(struct pipa_profile *p, const struct pipa_profile *from,
			    uint32_t number)
{
	return number < from->strings.n ?
		       pipa_strings_add(&p->strings, from->strings.items[number].text,
					from->strings.items[number].len) :
		       0;
}

static int merge_label_sets(struct pipa_profile *p, const struct pipa_profile *from,
			    struct index_map *map)
{
	uint32_t i;

	for (i = 1; i < from->label_sets.n; i++) {
		map->label_sets[i] = pipa_label_set_copy(p, from, i);
		if (map->label_sets[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- code ------------------------------------------------------------------------------------------------ */

static int merge_objects(struct pipa_profile *p, const struct pipa_profile *from,
			 struct index_map *map)
{
	size_t i;

	for (i = 0; i < from->objects.n; i++) {
		struct pipa_object object = from->objects.items[i];

		object.path = copy_string(p, from, object.path);
		if (object.path == PIPA_NO_STRING)
			return -ENOMEM;
		object.attributes = map->label_sets[object.attributes];
		map->objects[i] = pipa_profile_object(p, &object);
		if (map->objects[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_mappings(struct pipa_profile *p, const struct pipa_profile *from,
			  struct index_map *map)
{
	size_t i;

	for (i = 1; i < from->mappings.n; i++) {
		struct pipa_mapping mapping = from->mappings.items[i];

		mapping.object = map->objects[mapping.object];
		mapping.attributes = map->label_sets[mapping.attributes];
		map->mappings[i] = pipa_profile_mapping(p, &mapping);
		if (map->mappings[i] == PIPA_NONE)
			return -ENOMEM;
		/* a property holds only if it holds for both */
		p->mappings.items[map->mappings[i]].flags &= mapping.flags;
	}
	return 0;
}

static int merge_functions(struct pipa_profile *p, const struct pipa_profile *from,
			   struct index_map *map)
{
	size_t i;

	for (i = 0; i < from->functions.n; i++) {
		struct pipa_function function = from->functions.items[i];

		function.name = copy_string(p, from, function.name);
		function.file = copy_string(p, from, function.file);
		function.system_name = copy_string(p, from, function.system_name);
		function.object = map->objects[function.object];
		if (function.name == PIPA_NO_STRING || function.file == PIPA_NO_STRING ||
		    function.system_name == PIPA_NO_STRING)
			return -ENOMEM;
		map->functions[i] = pipa_profile_function_exact(p, &function);
		if (map->functions[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/*
 * Return a copy of a location's lines with the function indexes of p. The caller frees it. NULL on
 * allocation failure.
 */
static struct pipa_line *copy_lines(const struct pipa_profile *from, const struct index_map *map,
				    const struct pipa_location *location)
{
	struct pipa_line *lines = calloc((size_t)location->n_lines + 1, sizeof(*lines));
	uint32_t i;

	for (i = 0; lines && i < location->n_lines; i++) {
		lines[i] = from->lines.items[location->lines + i];
		lines[i].function = map->functions[lines[i].function];
	}
	return lines;
}

/* Copy the lines of a location of `from` to a location of p without lines. 0 or -ENOMEM. */
static int add_lines(struct pipa_profile *p, uint32_t number, const struct pipa_location *location,
		     const struct pipa_line *lines)
{
	struct pipa_location *row = &p->locations.items[number];
	uint32_t i;

	for (i = 0; i < location->n_lines; i++) {
		if (pipa_profile_name(p, number, lines[i].function, lines[i].line) < 0)
			return -ENOMEM;
		p->lines.items[p->lines.n - 1].column = lines[i].column;
	}
	row->symbol_offset = location->symbol_offset;
	row->unresolved = location->unresolved;
	row->folded = location->folded;
	return 0;
}

static int merge_location(struct pipa_profile *p, const struct pipa_profile *from,
			  struct index_map *map, size_t i)
{
	const struct pipa_location *known = &from->locations.items[i];
	PIPA_AUTO(free) struct pipa_line *lines = NULL;
	struct pipa_location location = *known;

	location.object = map->objects[location.object];
	location.mapping = map->mappings[location.mapping];
	location.attributes = map->label_sets[location.attributes];
	location.lines = location.n_lines = 0;
	if (known->n_lines) {
		lines = copy_lines(from, map, known);
		if (!lines)
			return -ENOMEM;
	}
	map->locations[i] = known->by_lines ? pipa_profile_location_of_lines(p, &location, lines,
									     known->n_lines) :
					      pipa_profile_location(p, &location);
	if (map->locations[i] == PIPA_NONE)
		return -ENOMEM;
	if (!known->n_lines || p->locations.items[map->locations[i]].n_lines)
		return 0;
	return add_lines(p, map->locations[i], known, lines);
}

static int merge_locations(struct pipa_profile *p, const struct pipa_profile *from,
			   struct index_map *map)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->locations.n; i++)
		rc = merge_location(p, from, map, i);
	return rc;
}

/* A parent always precedes its stacks. */
static int merge_stacks(struct pipa_profile *p, const struct pipa_profile *from,
			struct index_map *map)
{
	size_t i;

	for (i = 0; i < from->stacks.n; i++) {
		const struct pipa_stack *stack = &from->stacks.items[i];
		uint32_t location = map->locations[stack->location];

		map->stacks[i] = stack->parent == PIPA_NONE ?
					 pipa_profile_root(p, location, stack->cut) :
					 pipa_profile_stack(p, map->stacks[stack->parent],
							    location);
		if (map->stacks[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- threads and events ------------------------------------------------------------------------------------ */

static int merge_processes(struct pipa_profile *p, const struct pipa_profile *from,
			   struct index_map *map)
{
	size_t i;

	for (i = 1; i < from->processes.n; i++) {
		struct pipa_profile_process process = from->processes.items[i];

		process.exe = copy_string(p, from, process.exe);
		process.cgroup = copy_string(p, from, process.cgroup);
		process.container = copy_string(p, from, process.container);
		process.attributes = map->label_sets[process.attributes];
		if (process.exe == PIPA_NO_STRING || process.cgroup == PIPA_NO_STRING ||
		    process.container == PIPA_NO_STRING)
			return -ENOMEM;
		map->processes[i] = pipa_profile_process(p, &process);
		if (map->processes[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_threads(struct pipa_profile *p, const struct pipa_profile *from,
			 struct index_map *map)
{
	size_t i;

	for (i = 0; i < from->threads.n; i++) {
		struct pipa_thread thread = from->threads.items[i];

		thread.comm = copy_string(p, from, thread.comm);
		if (thread.comm == PIPA_NO_STRING)
			return -ENOMEM;
		thread.process = map->processes[thread.process];
		map->threads[i] = pipa_profile_thread(p, &thread);
		if (map->threads[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static uint32_t common_scale(uint32_t a, uint32_t b)
{
	uint32_t x = a, y = b, rest;

	for (; y; y = rest) {
		rest = x % y;
		x = y;
	}
	return a / x * b;
}

/* Scale the weights of both events to a common factor. 0, or -ERANGE on overflow. */
static int match_scales(struct pipa_profile *p, uint32_t number,
			const struct pipa_profile_event *event, uint32_t *ret_factor)
{
	uint32_t own = p->events.items[number].scale ? p->events.items[number].scale : 1;
	uint32_t other = event->scale ? event->scale : 1, both = common_scale(own, other);
	uint64_t weight;

	if (both != own && pipa_profile_scale(p, number, both / own) < 0)
		return -ERANGE;
	*ret_factor = both / other;
	if (__builtin_mul_overflow(event->weight, (uint64_t)*ret_factor, &weight) ||
	    !pipa_profile_has_room(p, number, weight))
		return -ERANGE;
	return 0;
}

/*
 * Return the column group in p for a group of `from`: the one of its columns that p had before, or
 * a new one.
 */
static uint32_t merge_group(struct pipa_profile *p, const struct pipa_profile *from,
			    const struct index_map *map, size_t before, uint32_t group)
{
	size_t i;

	if (!group)
		return 0;
	for (i = 0; i < from->events.n; i++)
		if (from->events.items[i].column_group == group && map->events[i] < before &&
		    p->events.items[map->events[i]].column_group)
			return p->events.items[map->events[i]].column_group;
	return ++p->n_column_groups;
}

/* Set the fields of new events that refer to other events. */
static void link_events(struct pipa_profile *p, const struct pipa_profile *from,
			const struct index_map *map, size_t before)
{
	size_t i, k;

	for (i = 0; i < from->events.n; i++) {
		const struct pipa_profile_event *event = &from->events.items[i];
		struct pipa_profile_event *new = &p->events.items[map->events[i]];

		if (map->events[i] < before)
			continue;
		new->leader = event->leader < from->events.n ? map->events[event->leader] :
							       map->events[i];
		new->negative_of = event->negative_of < from->events.n ?
					   map->events[event->negative_of] :
					   PIPA_NONE;
		for (k = 0; k < i && from->events.items[k].column_group != event->column_group; k++)
			;
		new->column_group = k < i && map->events[k] >= before ?
					    p->events.items[map->events[k]].column_group :
					    merge_group(p, from, map, before, event->column_group);
	}
}

static int merge_events(struct pipa_profile *p, const struct pipa_profile *from,
			struct index_map *map)
{
	size_t before = p->events.n, i;
	int rc;

	for (i = 0; i < from->events.n; i++) {
		const struct pipa_profile_event *event = &from->events.items[i];
		const struct pipa_event_type type = {
			.name = pipa_profile_string(from, event->name),
			.unit = pipa_profile_string(from, event->unit),
			.count_name = pipa_profile_string(from, event->count_name),
			.count_unit = pipa_profile_string(from, event->count_unit),
			.period_name = pipa_profile_string(from, event->period_name),
			.period_unit = pipa_profile_string(from, event->period_unit),
			.period = event->period,
			.frequency = event->frequency,
			.uncounted = !event->counted,
			.column = event->column,
		};
		struct pipa_profile_event *to;

		map->events[i] = pipa_profile_event_of(p, &type);
		if (map->events[i] == PIPA_NONE)
			return -ENOMEM;
		rc = match_scales(p, map->events[i], event, &map->factors[i]);
		if (rc < 0)
			return rc;
		to = &p->events.items[map->events[i]];
		to->lost += event->lost;
		to->squares += event->squares * map->factors[i] * map->factors[i];
		to->counted &= event->counted;
		if (to->period < event->period) /* like pprof */
			to->period = event->period;
	}
	link_events(p, from, map, before);
	return 0;
}

/* ---- samples ------------------------------------------------------------------------------------------------ */

/* Merge the samples. The weights of events are the sums over samples. */
static int merge_samples(struct pipa_profile *p, const struct pipa_profile *from,
			 const struct index_map *map, uint32_t *ret_samples)
{
	uint32_t number;
	size_t i;

	for (i = 0; i < from->samples.n; i++) {
		struct pipa_sample sample = from->samples.items[i];
		uint64_t weight = sample.weight * map->factors[sample.event];

		sample.event = map->events[sample.event];
		if (sample.thread != PIPA_NONE)
			sample.thread = map->threads[sample.thread];
		if (sample.stack != PIPA_NONE)
			sample.stack = map->stacks[sample.stack];
		sample.labels = map->label_sets[sample.labels];
		number = pipa_profile_sample(p, &sample);
		if (number == PIPA_NONE)
			return -ENOMEM;
		pipa_profile_add_weight(p, number, weight, sample.count);
		if (ret_samples)
			ret_samples[i] = number;
	}
	return 0;
}

static int merge_truncated_stacks(struct pipa_profile *p, const struct pipa_profile *from,
				  const struct index_map *map)
{
	size_t i;

	for (i = 0; i < from->truncated_stacks.n; i++) {
		const struct pipa_truncated_stack *cut = &from->truncated_stacks.items[i];

		if (pipa_profile_truncated_many(
			    p, cut->object == PIPA_NONE ? PIPA_NONE : map->objects[cut->object],
			    cut->why, cut->count) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void merge_losses(struct pipa_losses *to, const struct pipa_losses *from)
{
	to->lost_records += from->lost_records;
	to->lost_samples += from->lost_samples;
	to->throttled += from->throttled;
	to->damaged += from->damaged;
	to->cut_stacks += from->cut_stacks;
	to->chains += from->chains;
	to->unwound += from->unwound;
	to->unwound_truncated += from->unwound_truncated;
	to->unwound_fp_fallback += from->unwound_fp_fallback;
	to->unwound_joined += from->unwound_joined;
	if (to->stack_needed < from->stack_needed)
		to->stack_needed = from->stack_needed;
	if (to->stack_bytes < from->stack_bytes)
		to->stack_bytes = from->stack_bytes;
}

/* Merge the fields of the profile itself. 0 or -ENOMEM. */
static int merge_profile_fields(struct pipa_profile *p, const struct pipa_profile *from,
				const struct index_map *map)
{
	size_t i;

	if (from->start_ns && (!p->start_ns || from->start_ns < p->start_ns))
		p->start_ns = from->start_ns;
	p->duration_ns += from->duration_ns;
	for (i = 0; i < from->comments.n; i++)
		if (pipa_profile_comment(p, pipa_profile_string(from, from->comments.items[i])) < 0)
			return -ENOMEM;
	if (!p->default_column)
		p->default_column = copy_string(p, from, from->default_column);
	p->attributes = pipa_label_set_join(p, p->attributes, map->label_sets[from->attributes]);
	return p->default_column == PIPA_NO_STRING || p->attributes == PIPA_NONE ? -ENOMEM : 0;
}

int pipa_profile_merge_numbered(struct pipa_profile *p, const struct pipa_profile *from,
				uint32_t *ret_samples)
{
	static int (*const steps[])(struct pipa_profile *, const struct pipa_profile *,
				    struct index_map *) = {
		merge_label_sets, merge_objects,   merge_mappings, merge_functions, merge_locations,
		merge_stacks,	  merge_processes, merge_threads,  merge_events,
	};
	struct index_map map;
	int rc = index_map_init(&map, from) ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < PIPA_COUNT(steps); i++)
		rc = steps[i](p, from, &map);
	if (!rc)
		rc = merge_samples(p, from, &map, ret_samples);
	if (!rc)
		rc = merge_truncated_stacks(p, from, &map);
	if (!rc)
		rc = merge_profile_fields(p, from, &map);
	if (!rc)
		merge_losses(&p->losses, &from->losses);
	index_map_done(&map);
	return rc;
}

int pipa_profile_merge(struct pipa_profile *p, const struct pipa_profile *from)
{
	return pipa_profile_merge_numbered(p, from, NULL);
}
