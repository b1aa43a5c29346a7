/* Merge profiles. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "model/profile.h"

/* Indexes that the rows of one profile have in another. */
struct numbers {
	uint32_t *objects, *mappings, *functions, *locations, *stacks, *processes, *threads;
	uint32_t *events, *label_sets;
	uint32_t *factors; /* of the weights of each event */
};

static void numbers_done(struct numbers *of)
{
	free(of->objects);
	free(of->mappings);
	free(of->functions);
	free(of->locations);
	free(of->stacks);
	free(of->processes);
	free(of->threads);
	free(of->events);
	free(of->label_sets);
	free(of->factors);
}

/* Row 0 may be requested in an empty table: 0 is none in some of them. */
static uint32_t *make_list(size_t n)
{
	return calloc(n + 1, sizeof(uint32_t));
}

static bool numbers_init(struct numbers *of, const struct pipa_profile *from)
{
	*of = (struct numbers){
		.objects = make_list(from->objects.n),
		.mappings = make_list(from->mappings.n),
		.functions = make_list(from->functions.n),
		.locations = make_list(from->locations.n),
		.stacks = make_list(from->stacks.n),
		.processes = make_list(from->processes.n),
		.threads = make_list(from->threads.n),
		.events = make_list(from->events.n),
		.label_sets = make_list(from->label_sets.n),
		.factors = make_list(from->events.n),
	};
	return of->objects && of->mappings && of->functions && of->locations && of->stacks &&
	       of->processes && of->threads && of->events && of->label_sets && of->factors;
}

static uint32_t text_of(struct pipa_profile *p, const struct pipa_profile *from, uint32_t number)
{
	return number < from->strings.n ?
		       pipa_strings_add(&p->strings, from->strings.items[number].text,
					from->strings.items[number].len) :
		       0;
}

static int merge_label_sets(struct pipa_profile *p, const struct pipa_profile *from,
			    struct numbers *of)
{
	uint32_t i;

	for (i = 1; i < from->label_sets.n; i++) {
		of->label_sets[i] = pipa_label_set_copy(p, from, i);
		if (of->label_sets[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- code ------------------------------------------------------------------------------------------------ */

static int merge_objects(struct pipa_profile *p, const struct pipa_profile *from,
			 struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->objects.n; i++) {
		struct pipa_object object = from->objects.items[i];

		object.path = text_of(p, from, object.path);
		if (object.path == PIPA_NO_STRING)
			return -ENOMEM;
		object.attributes = of->label_sets[object.attributes];
		of->objects[i] = pipa_profile_object(p, &object);
		if (of->objects[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_mappings(struct pipa_profile *p, const struct pipa_profile *from,
			  struct numbers *of)
{
	size_t i;

	for (i = 1; i < from->mappings.n; i++) {
		struct pipa_mapping mapping = from->mappings.items[i];

		mapping.object = of->objects[mapping.object];
		mapping.attributes = of->label_sets[mapping.attributes];
		of->mappings[i] = pipa_profile_mapping(p, &mapping);
		if (of->mappings[i] == PIPA_NONE)
			return -ENOMEM;
		/* complete only if it is so in both */
		p->mappings.items[of->mappings[i]].flags &= mapping.flags;
	}
	return 0;
}

static int merge_functions(struct pipa_profile *p, const struct pipa_profile *from,
			   struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->functions.n; i++) {
		struct pipa_function function = from->functions.items[i];

		function.name = text_of(p, from, function.name);
		function.file = text_of(p, from, function.file);
		function.system_name = text_of(p, from, function.system_name);
		function.object = of->objects[function.object];
		if (function.name == PIPA_NO_STRING || function.file == PIPA_NO_STRING ||
		    function.system_name == PIPA_NO_STRING)
			return -ENOMEM;
		of->functions[i] = pipa_profile_function_exact(p, &function);
		if (of->functions[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Return copies of a location's lines with the functions of p, which the caller frees; NULL on failure. */
static struct pipa_line *copy_lines(const struct pipa_profile *from, const struct numbers *of,
				    const struct pipa_location *location)
{
	struct pipa_line *lines = calloc((size_t)location->n_lines + 1, sizeof(*lines));
	uint32_t i;

	for (i = 0; lines && i < location->n_lines; i++) {
		lines[i] = from->lines.items[location->lines + i];
		lines[i].function = of->functions[lines[i].function];
	}
	return lines;
}

/* Give a location of p, which has no lines, those of a location of `from`. 0 or -ENOMEM. */
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
	row->into = location->into;
	row->nameless = location->nameless;
	row->folded = location->folded;
	return 0;
}

static int merge_location(struct pipa_profile *p, const struct pipa_profile *from,
			  struct numbers *of, size_t i)
{
	const struct pipa_location *known = &from->locations.items[i];
	PIPA_AUTO(free) struct pipa_line *lines = NULL;
	struct pipa_location location = *known;

	location.object = of->objects[location.object];
	location.mapping = of->mappings[location.mapping];
	location.attributes = of->label_sets[location.attributes];
	location.lines = location.n_lines = 0;
	if (known->n_lines) {
		lines = copy_lines(from, of, known);
		if (!lines)
			return -ENOMEM;
	}
	of->locations[i] = known->by_lines ? pipa_profile_location_of_lines(p, &location, lines,
									    known->n_lines) :
					     pipa_profile_location(p, &location);
	if (of->locations[i] == PIPA_NONE)
		return -ENOMEM;
	if (!known->n_lines || p->locations.items[of->locations[i]].n_lines)
		return 0;
	return add_lines(p, of->locations[i], known, lines);
}

static int merge_locations(struct pipa_profile *p, const struct pipa_profile *from,
			   struct numbers *of)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->locations.n; i++)
		rc = merge_location(p, from, of, i);
	return rc;
}

/* A stack's parent is before it. */
static int merge_stacks(struct pipa_profile *p, const struct pipa_profile *from, struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->stacks.n; i++) {
		const struct pipa_stack *stack = &from->stacks.items[i];
		uint32_t location = of->locations[stack->location];

		of->stacks[i] = stack->parent == PIPA_NONE ?
					pipa_profile_root(p, location, stack->cut) :
					pipa_profile_stack(p, of->stacks[stack->parent], location);
		if (of->stacks[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- threads and events ------------------------------------------------------------------------------------ */

static int merge_processes(struct pipa_profile *p, const struct pipa_profile *from,
			   struct numbers *of)
{
	size_t i;

	for (i = 1; i < from->processes.n; i++) {
		struct pipa_profile_process process = from->processes.items[i];

		process.exe = text_of(p, from, process.exe);
		process.cgroup = text_of(p, from, process.cgroup);
		process.container = text_of(p, from, process.container);
		if (process.exe == PIPA_NO_STRING || process.cgroup == PIPA_NO_STRING ||
		    process.container == PIPA_NO_STRING)
			return -ENOMEM;
		of->processes[i] = pipa_profile_process(p, &process);
		if (of->processes[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int merge_threads(struct pipa_profile *p, const struct pipa_profile *from,
			 struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->threads.n; i++) {
		struct pipa_thread thread = from->threads.items[i];

		thread.comm = text_of(p, from, thread.comm);
		if (thread.comm == PIPA_NO_STRING)
			return -ENOMEM;
		thread.process = of->processes[thread.process];
		of->threads[i] = pipa_profile_thread(p, &thread);
		if (of->threads[i] == PIPA_NONE)
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

/* Bring the weights of both to one scale, and check that they fit. 0 or -ERANGE. */
static int match_scales(struct pipa_profile *p, uint32_t number,
			const struct pipa_profile_event *event, uint32_t *ret_factor)
{
	uint32_t own = p->events.items[number].scale ? p->events.items[number].scale : 1;
	uint32_t other = event->scale ? event->scale : 1, both = common_scale(own, other);
	uint64_t weight;

	if (both != own) {
		if (pipa_profile_scale(p, number, both / own) < 0)
			return -ERANGE;
		p->events.items[number].scale = both;
	}
	*ret_factor = both / other;
	if (__builtin_mul_overflow(event->weight, (uint64_t)*ret_factor, &weight) ||
	    !pipa_profile_has_room(p, number, weight))
		return -ERANGE;
	return 0;
}

/* Return the column group of p that an event's group becomes: that of its columns that p has, or a new one. */
static uint32_t merge_group(struct pipa_profile *p, const struct pipa_profile *from,
			    const struct numbers *of, size_t before, uint32_t group)
{
	size_t i;

	if (!group)
		return 0;
	for (i = 0; i < from->events.n; i++)
		if (from->events.items[i].column_group == group && of->events[i] < before &&
		    p->events.items[of->events[i]].column_group)
			return p->events.items[of->events[i]].column_group;
	return ++p->n_column_groups;
}

/* Set the fields of new events that refer to other events. */
static void link_events(struct pipa_profile *p, const struct pipa_profile *from,
			const struct numbers *of, size_t before)
{
	size_t i, k;

	for (i = 0; i < from->events.n; i++) {
		const struct pipa_profile_event *event = &from->events.items[i];
		struct pipa_profile_event *new = &p->events.items[of->events[i]];

		if (of->events[i] < before)
			continue;
		new->leader = event->leader < from->events.n ? of->events[event->leader] :
							       of->events[i];
		new->negative_of = event->negative_of < from->events.n ?
					   of->events[event->negative_of] :
					   PIPA_NONE;
		for (k = 0; k < i && from->events.items[k].column_group != event->column_group; k++)
			;
		new->column_group = k < i && of->events[k] >= before ?
					    p->events.items[of->events[k]].column_group :
					    merge_group(p, from, of, before, event->column_group);
	}
}

static int merge_events(struct pipa_profile *p, const struct pipa_profile *from, struct numbers *of)
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

		of->events[i] = pipa_profile_event_of(p, &type);
		if (of->events[i] == PIPA_NONE)
			return -ENOMEM;
		rc = match_scales(p, of->events[i], event, &of->factors[i]);
		if (rc < 0)
			return rc;
		to = &p->events.items[of->events[i]];
		to->lost += event->lost;
		to->squares += event->squares * of->factors[i] * of->factors[i];
		to->counted &= event->counted;
		if (to->period < event->period) /* as pprof does */
			to->period = event->period;
	}
	link_events(p, from, of, before);
	return 0;
}

/* ---- samples ------------------------------------------------------------------------------------------------ */

/* Samples with their weights, which the events sum up. */
static int merge_samples(struct pipa_profile *p, const struct pipa_profile *from,
			 const struct numbers *of, uint32_t *ret_samples)
{
	uint32_t number;
	size_t i;

	for (i = 0; i < from->samples.n; i++) {
		struct pipa_sample sample = from->samples.items[i];
		uint64_t weight = sample.weight * of->factors[sample.event];

		sample.event = of->events[sample.event];
		if (sample.thread != PIPA_NONE)
			sample.thread = of->threads[sample.thread];
		if (sample.stack != PIPA_NONE)
			sample.stack = of->stacks[sample.stack];
		sample.labels = of->label_sets[sample.labels];
		number = pipa_profile_sample(p, &sample);
		if (number == PIPA_NONE)
			return -ENOMEM;
		pipa_profile_add_weight(p, number, weight, sample.count);
		if (ret_samples)
			ret_samples[i] = number;
	}
	return 0;
}

static int merge_cuts(struct pipa_profile *p, const struct pipa_profile *from,
		      const struct numbers *of)
{
	size_t i;

	for (i = 0; i < from->cuts.n; i++) {
		const struct pipa_truncated_stack *cut = &from->cuts.items[i];

		if (pipa_profile_truncated_many(
			    p, cut->object == PIPA_NONE ? PIPA_NONE : of->objects[cut->object],
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
	to->unwound_guessed += from->unwound_guessed;
	to->unwound_joined += from->unwound_joined;
	if (to->stack_needed < from->stack_needed)
		to->stack_needed = from->stack_needed;
	if (to->stack_bytes < from->stack_bytes)
		to->stack_bytes = from->stack_bytes;
}

/* Merge what describes a profile as a whole. 0 or -ENOMEM. */
static int merge_whole(struct pipa_profile *p, const struct pipa_profile *from,
		       const struct numbers *of)
{
	size_t i;

	if (from->start_ns && (!p->start_ns || from->start_ns < p->start_ns))
		p->start_ns = from->start_ns;
	p->duration_ns += from->duration_ns;
	for (i = 0; i < from->comments.n; i++)
		if (pipa_profile_comment(p, pipa_profile_string(from, from->comments.items[i])) < 0)
			return -ENOMEM;
	if (!p->default_column)
		p->default_column = text_of(p, from, from->default_column);
	p->attributes = pipa_label_set_join(p, p->attributes, of->label_sets[from->attributes]);
	return p->default_column == PIPA_NO_STRING || p->attributes == PIPA_NONE ? -ENOMEM : 0;
}

int pipa_profile_merge_numbered(struct pipa_profile *p, const struct pipa_profile *from,
				uint32_t *ret_samples)
{
	static int (*const steps[])(struct pipa_profile *, const struct pipa_profile *,
				    struct numbers *) = {
		merge_label_sets, merge_objects,   merge_mappings, merge_functions, merge_locations,
		merge_stacks,	  merge_processes, merge_threads,  merge_events,
	};
	struct numbers of;
	int rc = numbers_init(&of, from) ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < PIPA_COUNT(steps); i++)
		rc = steps[i](p, from, &of);
	if (!rc)
		rc = merge_samples(p, from, &of, ret_samples);
	if (!rc)
		rc = merge_cuts(p, from, &of);
	if (!rc)
		rc = merge_whole(p, from, &of);
	if (!rc)
		merge_losses(&p->losses, &from->losses);
	numbers_done(&of);
	return rc;
}

int pipa_profile_merge(struct pipa_profile *p, const struct pipa_profile *from)
{
	return pipa_profile_merge_numbered(p, from, NULL);
}
