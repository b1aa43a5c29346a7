#include "model/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"
#include "base/large.h"
#include "base/vec.h"

#define FREE_TABLE(table)                                                                          \
	do {                                                                                       \
		free((table)->items);                                                              \
		pipa_index_done(&(table)->index);                                                  \
	} while (0)

void pipa_profile_done(struct pipa_profile *p)
{
	pipa_strings_done(&p->strings);
	FREE_TABLE(&p->objects);
	FREE_TABLE(&p->functions);
	FREE_TABLE(&p->lines);
	FREE_TABLE(&p->locations);
	FREE_TABLE(&p->stacks);
	FREE_TABLE(&p->threads);
	FREE_TABLE(&p->events);
	FREE_TABLE(&p->samples);
	FREE_TABLE(&p->truncated_stacks);
	FREE_TABLE(&p->labels);
	FREE_TABLE(&p->label_sets);
	FREE_TABLE(&p->mappings);
	FREE_TABLE(&p->processes);
	free(p->comments.items);
	free(p->label_members.items);
	*p = (struct pipa_profile){ 0 };
}

void pipa_profile_close(struct pipa_profile *p)
{
	pipa_index_done(&p->strings.index);
	pipa_index_done(&p->objects.index);
	pipa_index_done(&p->functions.index);
	pipa_index_done(&p->locations.index);
	pipa_index_done(&p->stacks.index);
	pipa_index_done(&p->threads.index);
	pipa_index_done(&p->events.index);
	pipa_index_done(&p->samples.index);
	pipa_index_done(&p->truncated_stacks.index);
	pipa_index_done(&p->labels.index);
	pipa_index_done(&p->label_sets.index);
	pipa_index_done(&p->mappings.index);
	pipa_index_done(&p->processes.index);
}

uint32_t pipa_profile_text(struct pipa_profile *p, const char *text)
{
	return pipa_strings_add(&p->strings, text, strlen(text));
}

static bool same_object(const struct pipa_object *a, const struct pipa_object *b)
{
	return a->path == b->path && a->kind == b->kind && a->pid == b->pid && a->base == b->base &&
	       a->build_id.len == b->build_id.len && pipa_file_id_equal(&a->file, &b->file) &&
	       memcmp(a->build_id.bytes, b->build_id.bytes, a->build_id.len) == 0;
}

uint32_t pipa_profile_object(struct pipa_profile *p, const struct pipa_object *object)
{
	uint64_t hash = pipa_hash_bytes(object->build_id.bytes, object->build_id.len,
					((uint64_t)object->pid << 32 | object->path) ^
						object->file.inode << 16);

	return PIPA_INTERN(&p->objects, hash, same_object, object);
}

static bool same_function(const struct pipa_function *a, const struct pipa_function *b)
{
	return a->name == b->name && a->file == b->file && a->object == b->object;
}

static bool same_function_exactly(const struct pipa_function *a, const struct pipa_function *b)
{
	return same_function(a, b) && a->system_name == b->system_name &&
	       a->start_line == b->start_line;
}

/* Hash the fields that both lookups compare. */
static uint64_t hash_function(const struct pipa_function *function)
{
	return pipa_hash_u64((uint64_t)function->name << 32 | function->object, function->file);
}

uint32_t pipa_profile_function(struct pipa_profile *p, const struct pipa_function *function)
{
	return PIPA_INTERN(&p->functions, hash_function(function), same_function, function);
}

uint32_t pipa_profile_function_exact(struct pipa_profile *p, const struct pipa_function *function)
{
	return PIPA_INTERN(&p->functions, hash_function(function), same_function_exactly, function);
}

static bool same_location(const struct pipa_location *a, const struct pipa_location *b)
{
	return a->object == b->object && a->offset == b->offset && a->mode == b->mode &&
	       a->mapping == b->mapping && !a->by_lines;
}

uint32_t pipa_profile_location(struct pipa_profile *p, const struct pipa_location *location)
{
	uint64_t hash = pipa_hash_u64(location->offset, location->object);

	return PIPA_INTERN(&p->locations, hash, same_location, location);
}

static bool same_stack(const struct pipa_stack *a, const struct pipa_stack *b)
{
	return a->parent == b->parent && a->location == b->location && a->cut == b->cut;
}

static uint64_t hash_stack(uint32_t parent, uint32_t location, bool cut)
{
	return pipa_hash_u64((uint64_t)parent << 32 | location, PIPA_HASH_SEED + cut);
}

static uint32_t find_stack(struct pipa_profile *p, const struct pipa_stack *stack)
{
	uint64_t hash = hash_stack(stack->parent, stack->location, stack->cut);

	return PIPA_INTERN(&p->stacks, hash, same_stack, stack);
}

void pipa_profile_prefetch_stack(const struct pipa_profile *p, uint32_t parent, uint32_t location)
{
	__builtin_prefetch(pipa_index_start(&p->stacks.index, hash_stack(parent, location, false)),
			   1);
}

uint32_t pipa_profile_root(struct pipa_profile *p, uint32_t location, bool cut)
{
	struct pipa_stack stack = {
		.parent = PIPA_NONE, .location = location, .depth = 1, .cut = cut
	};

	return find_stack(p, &stack);
}

uint32_t pipa_profile_stack_at(struct pipa_profile *p, uint32_t parent, uint32_t location,
			       uint32_t depth)
{
	struct pipa_stack stack = { .parent = parent, .location = location, .depth = depth };

	return find_stack(p, &stack);
}

uint32_t pipa_profile_stack(struct pipa_profile *p, uint32_t parent, uint32_t location)
{
	return pipa_profile_stack_at(p, parent, location,
				     parent == PIPA_NONE ? 1 : p->stacks.items[parent].depth + 1);
}

uint32_t pipa_profile_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location)
{
	struct pipa_stack *stack;

	if (p->stacks.n >= PIPA_NONE - 1)
		return PIPA_NONE;
	stack = PIPA_VEC_ADD(&p->stacks);
	if (!stack)
		return PIPA_NONE;
	*stack = (struct pipa_stack){
		.parent = parent,
		.location = location,
		.depth = parent == PIPA_NONE ? 1 : p->stacks.items[parent].depth + 1,
	};
	return (uint32_t)p->stacks.n - 1;
}

uint32_t pipa_profile_add_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location,
				    uint32_t depth)
{
	uint32_t number = (uint32_t)p->stacks.n;
	struct pipa_stack *stack = p->stacks.n < PIPA_NONE - 1 ? PIPA_VEC_ADD(&p->stacks) : NULL;

	if (!stack)
		return PIPA_NONE;
	*stack = (struct pipa_stack){ .parent = parent, .location = location, .depth = depth };
	if (pipa_index_add(&p->stacks.index, hash_stack(parent, location, false), number) == 0)
		return number;
	p->stacks.n--;
	return PIPA_NONE;
}

int pipa_profile_expect_stacks(struct pipa_profile *p, size_t n)
{
	if (p->stacks.items || !n || n >= PIPA_NONE)
		return 0;
	p->stacks.items = pipa_large_alloc(n * sizeof(*p->stacks.items));
	p->stacks.cap = p->stacks.items ? n : 0;
	return p->stacks.items ? 0 : -ENOMEM;
}

static bool same_thread(const struct pipa_thread *a, const struct pipa_thread *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->comm == b->comm;
}

/*
 * Intern a thread whose process is known: threads of different known containers differ. PIPA_NONE
 * on allocation failure.
 */
static uint32_t find_thread_in(struct pipa_profile *p, const struct pipa_thread *thread,
			       uint64_t hash)
{
	const struct pipa_profile_process *processes = p->processes.items;
	const struct pipa_index_slot *slot = pipa_index_start(&p->threads.index, hash);
	struct pipa_thread *new;

	for (; slot->id; slot = pipa_index_after(&p->threads.index, slot)) {
		const struct pipa_thread *known = &p->threads.items[slot->id - 1];

		uint32_t container = processes[thread->process].container;
		uint32_t other = processes[known->process].container;

		if (same_thread(known, thread) && (!container || !other || container == other) &&
		    (!known->process ||
		     processes[known->process].attributes == processes[thread->process].attributes))
			return slot->id - 1;
	}
	new = p->threads.n < PIPA_NONE - 1 ? PIPA_VEC_ADD(&p->threads) : NULL;
	if (!new)
		return PIPA_NONE;
	*new = *thread;
	if (pipa_index_add(&p->threads.index, hash, (uint32_t)p->threads.n - 1) == 0)
		return (uint32_t)p->threads.n - 1;
	p->threads.n--;
	return PIPA_NONE;
}

uint32_t pipa_profile_thread(struct pipa_profile *p, const struct pipa_thread *thread)
{
	uint64_t hash = pipa_hash_u64((uint64_t)thread->pid << 32 | thread->tid, thread->comm);
	uint32_t number;

	if (!thread->process)
		return PIPA_INTERN(&p->threads, hash, same_thread, thread);
	number = find_thread_in(p, thread, hash);
	if (number != PIPA_NONE && !p->threads.items[number].process)
		p->threads.items[number].process = thread->process;
	return number;
}

static bool same_event_name(const struct pipa_profile_event *a, const struct pipa_profile_event *b)
{
	return a->name == b->name;
}

static bool same_event(const struct pipa_profile_event *a, const struct pipa_profile_event *b)
{
	return a->name == b->name && a->unit == b->unit;
}

/* Hash only the name: events are looked up with and without their unit. */
static uint64_t hash_event(const struct pipa_profile_event *event)
{
	return pipa_hash_u64(event->name, PIPA_HASH_SEED);
}

uint32_t pipa_profile_event(struct pipa_profile *p, const char *name)
{
	struct pipa_profile_event event = { .name = pipa_profile_text(p, name),
					    .counted = true,
					    .negative_of = PIPA_NONE,
					    .leader = (uint32_t)p->events.n };

	if (event.name == PIPA_NO_STRING)
		return PIPA_NONE;
	return PIPA_INTERN(&p->events, hash_event(&event), same_event_name, &event);
}

uint32_t pipa_profile_event_of(struct pipa_profile *p, const struct pipa_event_type *type)
{
	const char *texts[] = { type->name,	  type->unit,	     type->count_name,
				type->count_unit, type->period_name, type->period_unit };
	uint32_t strings[PIPA_COUNT(texts)];
	struct pipa_profile_event event;
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++) {
		strings[i] = pipa_profile_text(p, texts[i] ? texts[i] : "");
		if (strings[i] == PIPA_NO_STRING)
			return PIPA_NONE;
	}
	event = (struct pipa_profile_event){
		.name = strings[0],
		.unit = strings[1],
		.count_name = strings[2],
		.count_unit = strings[3],
		.period_name = strings[4],
		.period_unit = strings[5],
		.period = type->period,
		.frequency = type->frequency,
		.counted = !type->uncounted,
		.column_group = type->column_group,
		.column = type->column,
		.negative_of = PIPA_NONE,
		.leader = (uint32_t)p->events.n,
	};
	return PIPA_INTERN(&p->events, hash_event(&event), same_event, &event);
}

static bool same_sample(const struct pipa_sample *a, const struct pipa_sample *b)
{
	return a->stack == b->stack && a->thread == b->thread && a->event == b->event &&
	       a->cpu == b->cpu && a->labels == b->labels;
}

static uint64_t hash_sample(const struct pipa_sample *sample)
{
	return pipa_hash_u64((uint64_t)sample->stack << 32 | sample->thread,
			     ((uint64_t)sample->event << 32 | sample->cpu) +
				     sample->labels * PIPA_HASH_SEED);
}

/* Enter samples that were appended by pipa_profile_new_sample() into the index. 0 or -ENOMEM. */
static int index_samples(struct pipa_profile *p)
{
	struct pipa_index *index = &p->samples.index;
	int rc = 0;

	while (!rc && index->n < p->samples.n)
		rc = pipa_index_add(index, hash_sample(&p->samples.items[index->n]), index->n);
	return rc;
}

uint32_t pipa_profile_sample(struct pipa_profile *p, const struct pipa_sample *sample)
{
	struct pipa_sample empty = *sample;

	empty.weight = empty.count = 0;
	if (index_samples(p) < 0)
		return PIPA_NONE;
	return PIPA_INTERN(&p->samples, hash_sample(sample), same_sample, &empty);
}

uint32_t pipa_profile_new_sample(struct pipa_profile *p, const struct pipa_sample *sample)
{
	struct pipa_sample *new;

	if (p->samples.n >= PIPA_NONE - 1)
		return PIPA_NONE;
	new = PIPA_VEC_ADD(&p->samples);
	if (!new)
		return PIPA_NONE;
	*new = *sample;
	new->weight = new->count = 0;
	return (uint32_t)p->samples.n - 1;
}

void pipa_profile_add_weight_of(struct pipa_profile *p, uint32_t sample, uint32_t event,
				uint64_t weight, uint64_t count)
{
	struct pipa_sample *s = &p->samples.items[sample];

	s->weight += weight;
	s->count += count;
	if (event < p->events.n) {
		p->events.items[event].weight += weight;
		p->events.items[event].count += count;
	}
}

void pipa_profile_add_weight(struct pipa_profile *p, uint32_t sample, uint64_t weight,
			     uint64_t count)
{
	pipa_profile_add_weight_of(p, sample, p->samples.items[sample].event, weight, count);
}

void pipa_profile_add_weight_each(struct pipa_profile *p, uint32_t sample, uint64_t weight,
				  uint64_t count)
{
	uint32_t event = p->samples.items[sample].event;

	pipa_profile_add_weight(p, sample, weight, count);
	if (count && event < p->events.n)
		p->events.items[event].squares += (double)weight * (double)weight / (double)count;
}

int pipa_profile_scale(struct pipa_profile *p, uint32_t event, uint32_t factor)
{
	struct pipa_profile_event *e = &p->events.items[event];
	size_t i;

	if (e->weight > UINT64_MAX / factor)
		return -ERANGE;
	e->weight *= factor;
	e->squares *= (double)factor * (double)factor;
	e->scale = (e->scale ? e->scale : 1) * factor;
	for (i = 0; i < p->samples.n; i++)
		if (p->samples.items[i].event == event)
			p->samples.items[i].weight *= factor;
	return 0;
}

bool pipa_profile_has_room(const struct pipa_profile *p, uint32_t event, uint64_t weight)
{
	return event >= p->events.n || p->events.items[event].weight + weight >= weight;
}

int pipa_profile_add(struct pipa_profile *p, const struct pipa_sample *sample)
{
	uint32_t number = pipa_profile_sample(p, sample);

	if (number == PIPA_NONE)
		return -ENOMEM;
	pipa_profile_add_weight_each(p, number, sample->weight, sample->count);
	return 0;
}

static bool same_truncated_stack(const struct pipa_truncated_stack *a,
				 const struct pipa_truncated_stack *b)
{
	return a->object == b->object && a->why == b->why;
}

int pipa_profile_truncated(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why)
{
	return pipa_profile_truncated_many(p, object, why, 1);
}

int pipa_profile_truncated_many(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why,
				uint64_t count)
{
	struct pipa_truncated_stack cut = { .object = object, .why = why };
	uint32_t number = PIPA_INTERN(&p->truncated_stacks, pipa_hash_u64(object, (uint64_t)why),
				      same_truncated_stack, &cut);

	if (number == PIPA_NONE)
		return -ENOMEM;
	p->truncated_stacks.items[number].count += count;
	return 0;
}

int pipa_profile_name(struct pipa_profile *p, uint32_t location, uint32_t function, uint32_t line)
{
	struct pipa_location *row = &p->locations.items[location];
	struct pipa_line *new = PIPA_VEC_ADD(&p->lines);

	if (!new)
		return -ENOMEM;
	*new = (struct pipa_line){ .function = function, .line = line };
	if (!row->n_lines)
		row->lines = (uint32_t)(p->lines.n - 1);
	row->n_lines++;
	row->unresolved = PIPA_RESOLVED;
	return 0;
}

const char *pipa_object_short(const struct pipa_profile *p, uint32_t object)
{
	const char *path = object < p->objects.n ?
				   pipa_profile_string(p, p->objects.items[object].path) :
				   "[unknown]";
	const char *slash = path[0] == '[' ? NULL : strrchr(path, '/');

	if (!path[0])
		return "[unknown]";
	return slash && slash[1] ? slash + 1 : path;
}
