#include "analyze/heap/heap_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/heaps.h"
#include "model/profile.h"

static const struct {
	const char *name, *unit;
} columns[PIPA_HEAP_COLUMN_NR] = {
	[PIPA_HEAP_ALLOC_OBJECTS] = { "alloc_objects", PIPA_VALUE_COUNT },
	[PIPA_HEAP_ALLOC_SPACE] = { "alloc_space", PIPA_VALUE_BYTES },
	[PIPA_HEAP_INUSE_OBJECTS] = { "inuse_objects", PIPA_VALUE_COUNT },
	[PIPA_HEAP_INUSE_SPACE] = { "inuse_space", PIPA_VALUE_BYTES },
	[PIPA_HEAP_PEAK_OBJECTS] = { "peak_objects", PIPA_VALUE_COUNT },
	[PIPA_HEAP_PEAK_SPACE] = { "peak_space", PIPA_VALUE_BYTES },
	[PIPA_HEAP_TEMPORARY_OBJECTS] = { "temporary_objects", PIPA_VALUE_COUNT },
	[PIPA_HEAP_ALLOCATOR_TIME] = { "allocator_time", PIPA_VALUE_NS },
};

const char *pipa_heap_column_name(enum pipa_heap_column column)
{
	return columns[column].name;
}

const char *pipa_heap_column_unit(enum pipa_heap_column column)
{
	return columns[column].unit;
}

static uint64_t column_value(const struct pipa_heaps_stack *stack, size_t column)
{
	switch (column) {
	case PIPA_HEAP_ALLOC_OBJECTS: return stack->alloc.objects;
	case PIPA_HEAP_ALLOC_SPACE: return stack->alloc.bytes;
	case PIPA_HEAP_INUSE_OBJECTS: return stack->inuse.objects;
	case PIPA_HEAP_INUSE_SPACE: return stack->inuse.bytes;
	case PIPA_HEAP_PEAK_OBJECTS: return stack->peak.objects;
	case PIPA_HEAP_PEAK_SPACE: return stack->peak.bytes;
	case PIPA_HEAP_TEMPORARY_OBJECTS: return stack->temporary.objects;
	default: return stack->allocator_ns;
	}
}

/* Return the object of a module. Code that is not in a file is JIT code, whose offset is its address. */
static uint32_t add_object(struct pipa_profile *p, const struct pipa_heaps *heaps,
			   const struct pipa_heaps_process *process,
			   const struct pipa_heaps_module *module)
{
	const char *path = module ? pipa_strings_get(&heaps->strings, module->path) : "[unknown]";
	struct pipa_object object = { .kind = PIPA_OBJECT_FILE };

	if (!module) {
		object.kind = PIPA_OBJECT_UNKNOWN;
	} else if (pipa_str_starts(path, "[vdso")) {
		object.kind = PIPA_OBJECT_VDSO;
	} else if (path[0] != '/' || pipa_str_starts(path, "/memfd:") ||
		   pipa_str_starts(path, "/dev/zero")) {
		object.kind = PIPA_OBJECT_JIT;
		object.pid = process->pid;
		path = "//anon";
	} else {
		object.build_id = module->build_id;
		if (!module->build_id.len)
			object.file = module->file;
	}
	object.path = pipa_profile_text(p, path);
	return object.path == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_object(p, &object);
}

/* Return the location of a return address, whose call precedes it, or of an exact address. */
static uint32_t add_location(struct pipa_profile *p, const struct pipa_heaps *heaps,
			     const struct pipa_heaps_process *process, uint32_t generation,
			     uint64_t frame)
{
	uint64_t address = frame & ~PIPA_HEAPS_EXACT;
	uint64_t inside = address && frame == address ? address - 1 : address;
	const struct pipa_heaps_module *module = pipa_heaps_module_at(heaps, process, generation,
								      inside);
	struct pipa_location location = {
		.object = add_object(p, heaps, process, module),
		.offset = inside,
		.address = address,
		.mode = PIPA_MODE_USER,
		.unresolved = module ? PIPA_UNRESOLVED_NO_SYMBOL : PIPA_UNRESOLVED_NO_MAPPING,
	};

	if (location.object == PIPA_NONE)
		return PIPA_NONE;
	if (module && p->objects.items[location.object].kind != PIPA_OBJECT_JIT)
		location.offset = inside - module->start + module->offset;
	return pipa_profile_location(p, &location);
}

static int add_stack(struct pipa_profile *p, const struct pipa_heaps *heaps,
		     const struct pipa_heaps_process *process, const struct pipa_heaps_stack *stack,
		     uint32_t *ret)
{
	uint32_t i, at = PIPA_NONE;

	for (i = stack->n_frames; i-- > 0;) {
		uint32_t location = add_location(p, heaps, process, stack->generation,
						 heaps->frames.items[stack->frames + i]);

		if (location == PIPA_NONE)
			return -ENOMEM;
		at = at == PIPA_NONE ?
			     pipa_profile_root(p, location, stack->why != PIPA_STACK_COMPLETE) :
			     pipa_profile_stack(p, at, location);
		if (at == PIPA_NONE)
			return -ENOMEM;
	}
	*ret = at;
	return 0;
}

static uint32_t add_thread(struct pipa_profile *p, const struct pipa_heaps *heaps,
			   const struct pipa_heaps_process *process)
{
	struct pipa_profile_process row = {
		.pid = process->pid,
		.exe = pipa_profile_text(p, pipa_strings_get(&heaps->strings, process->exe)),
	};
	struct pipa_thread thread = {
		.pid = process->pid,
		.tid = process->pid,
		.comm = pipa_profile_text(p, pipa_strings_get(&heaps->strings, process->comm)),
	};

	if (row.exe == PIPA_NO_STRING || thread.comm == PIPA_NO_STRING)
		return PIPA_NONE;
	thread.process = pipa_profile_process(p, &row);
	return thread.process == PIPA_NONE ? PIPA_NONE : pipa_profile_thread(p, &thread);
}

/* Add the values of a process in columns [first, end). */
static int add_samples(struct pipa_profile *p, const struct pipa_heaps *heaps,
		       const struct pipa_heaps_process *process, const uint32_t *stacks,
		       const uint32_t *events, size_t first, size_t end)
{
	uint32_t i, thread = add_thread(p, heaps, process);
	size_t column;
	int rc = thread == PIPA_NONE ? -ENOMEM : 0;

	for (i = process->stacks; !rc && i < process->stacks + process->n_stacks; i++)
		for (column = first; !rc && column < end; column++) {
			const struct pipa_heaps_stack *stack = &heaps->stacks.items[i];
			struct pipa_sample sample = {
				.event = events[column],
				.thread = thread,
				.stack = stacks[i],
				.cpu = PIPA_NONE,
				.weight = column_value(stack, column),
				.count = stack->samples ? stack->samples : 1,
			};

			if (sample.weight)
				rc = pipa_profile_add(p, &sample);
		}
	return rc;
}

static int add_events(struct pipa_profile *p, const struct pipa_heaps *heaps, size_t end,
		      uint32_t *events)
{
	size_t i;

	for (i = 0; i < end; i++) {
		struct pipa_event_type type = {
			.name = columns[i].name,
			.unit = columns[i].unit,
			.period = heaps->processes.n ? heaps->processes.items[0].rate : 0,
			.period_name = "space",
			.period_unit = PIPA_VALUE_BYTES,
			.uncounted = true,
			.column_group = 1,
			.column = (uint32_t)i,
		};

		events[i] = pipa_profile_event_of(p, &type);
		if (events[i] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* Sum what was lost, and set the time from the first start to the last end. */
static void add_losses_and_times(struct pipa_profile *p, const struct pipa_heaps *heaps)
{
	uint64_t start = UINT64_MAX, end = 0;
	size_t i;

	for (i = 0; i < heaps->processes.n; i++) {
		const struct pipa_heaps_process *process = &heaps->processes.items[i];
		const struct pipa_heaps_losses *l = &process->losses;

		p->losses.lost_samples += l->samples + l->reentries;
		p->losses.lost_records += l->blocks + l->modules + l->children + l->storage;
		p->losses.damaged += l->corrupt;
		p->losses.unwound_truncated += l->truncated_stacks;
		if (process->start_wall_ns &&
		    (!p->start_ns || process->start_wall_ns < p->start_ns))
			p->start_ns = process->start_wall_ns;
		if (process->start_ns < start)
			start = process->start_ns;
		if (process->end_ns > end)
			end = process->end_ns;
	}
	if (end > start)
		p->duration_ns = end - start;
}

int pipa_heap_profile_make(const struct pipa_heaps *heaps, struct pipa_profile *p, uint32_t *stacks)
{
	uint32_t events[PIPA_HEAP_COLUMN_NR], i;
	size_t k;
	enum pipa_heap_column shown = pipa_heaps_has_frees(heaps) ? PIPA_HEAP_INUSE_SPACE :
								    PIPA_HEAP_ALLOC_SPACE;
	int rc = add_events(p, heaps, PIPA_HEAP_PPROF_COLUMNS, events);

	p->n_column_groups = 1;
	p->default_column = pipa_profile_text(p, columns[shown].name);
	if (rc || p->default_column == PIPA_NO_STRING)
		return -ENOMEM;
	for (k = 0; !rc && k < heaps->processes.n; k++) {
		const struct pipa_heaps_process *process = &heaps->processes.items[k];

		for (i = process->stacks; !rc && i < process->stacks + process->n_stacks; i++)
			rc = add_stack(p, heaps, process, &heaps->stacks.items[i], &stacks[i]);
		if (!rc)
			rc = add_samples(p, heaps, process, stacks, events, 0,
					 PIPA_HEAP_PPROF_COLUMNS);
	}
	add_losses_and_times(p, heaps);
	return rc;
}

int pipa_heap_profile_refill(const struct pipa_heaps *heaps, const uint32_t *stacks,
			     struct pipa_profile *p)
{
	uint32_t events[PIPA_HEAP_COLUMN_NR];
	size_t i;
	int rc = add_events(p, heaps, PIPA_HEAP_PPROF_COLUMNS, events);

	p->samples.n = 0;
	pipa_index_done(&p->samples.index);
	p->samples.index = (struct pipa_index){ 0 };
	for (i = 0; i < p->events.n; i++) {
		p->events.items[i].weight = p->events.items[i].count = 0;
		p->events.items[i].squares = 0;
	}
	for (i = 0; !rc && i < heaps->processes.n; i++)
		rc = add_samples(p, heaps, &heaps->processes.items[i], stacks, events, 0,
				 PIPA_HEAP_PPROF_COLUMNS);
	return rc;
}

int pipa_heap_profile_extend(const struct pipa_heaps *heaps, const uint32_t *stacks,
			     struct pipa_profile *p)
{
	uint32_t events[PIPA_HEAP_COLUMN_NR];
	size_t k;
	int rc = add_events(p, heaps, PIPA_HEAP_COLUMN_NR, events);

	for (k = 0; !rc && k < heaps->processes.n; k++)
		rc = add_samples(p, heaps, &heaps->processes.items[k], stacks, events,
				 PIPA_HEAP_PPROF_COLUMNS, PIPA_HEAP_COLUMN_NR);
	return rc;
}
