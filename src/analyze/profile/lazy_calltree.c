#include "analyze/profile/lazy_calltree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/rollup.h"
#include "analyze/profile/top_rows.h"
#include "base/auto.h"
#include "base/str.h"
#include "base/vec.h"

void pipa_lazy_calltree_done(struct pipa_lazy_calltree *b)
{
	free(b->items);
	free(b->steps.items);
	free(b->inner.items);
	*b = (struct pipa_lazy_calltree){ 0 };
}

/* ---- frames of a stack ----------------------------------------------------------------------------- */

static const struct pipa_location *location_of(const struct pipa_profile *p, uint32_t stack)
{
	return &p->locations.items[p->stacks.items[stack].location];
}

static uint32_t count_frames(const struct pipa_profile *p, uint32_t stack)
{
	uint32_t n = location_of(p, stack)->n_lines;

	return n ? n : 1;
}

/* Return frame k of a stack's innermost location, 0 the innermost. */
static const struct pipa_frame *frame_at(const struct pipa_top *top, uint32_t stack, uint32_t k)
{
	const struct pipa_profile *p = top->profile;
	const struct pipa_location *location = location_of(p, stack);

	return &top->frames.items[location->n_lines ? location->lines + k :
						      p->lines.n + p->stacks.items[stack].location];
}

/* ---- what was asked about --------------------------------------------------------------------------- */

/* Return the symbol without the inlined bit: an inlined function is the same function. */
static uint32_t without_inlined_bit(uint32_t symbol)
{
	return symbol & PIPA_FRAME_UNRESOLVED ? symbol : symbol & ~PIPA_FRAME_INLINED;
}

static bool is_asked(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of,
		     const struct pipa_frame *frame)
{
	uint32_t key[PIPA_KEY_NR];

	if (!of->row)
		return without_inlined_bit(frame->symbol) == without_inlined_bit(of->symbol) &&
		       (of->object == PIPA_NONE || of->object == frame->object);
	memcpy(key, of->row->key, sizeof(key));
	pipa_top_key_of_frame(top, frame, key);
	return memcmp(key, of->row->key, top->o.n_keys * sizeof(*key)) == 0;
}

/*
 * Find the innermost or outermost matching frame of a stack's innermost location; -1 if there is
 * none.
 */
static int find_frame(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of,
		      uint32_t stack)
{
	int n = (int)count_frames(top->profile, stack), k;

	for (k = 0; k < n; k++) {
		int number = of->callees ? n - 1 - k : k;

		if (is_asked(top, of, frame_at(top, stack, (uint32_t)number)))
			return number;
	}
	return -1;
}

static bool is_sample_asked(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of,
			    uint32_t sample)
{
	const struct pipa_profile *p = top->profile;
	const struct pipa_sample *s = &p->samples.items[sample];

	if (s->event != of->event || s->stack == PIPA_NONE)
		return false;
	if (top->o.comms &&
	    (s->thread == PIPA_NONE ||
	     !pipa_str_listed(top->o.comms,
			      pipa_profile_string(p, p->threads.items[s->thread].comm), false)))
		return false;
	return !of->row || pipa_top_is_of_row(top, sample, of->row);
}

/* Does the request name a function, which then is the root? */
static bool names_function(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of)
{
	size_t i;

	for (i = 0; of->row && i < top->o.n_keys; i++)
		if (top->o.keys[i] == PIPA_KEY_SYMBOL || top->o.keys[i] == PIPA_KEY_SRCLINE)
			return true;
	return !of->row;
}

/* ---- steps ------------------------------------------------------------------------------------------ */

static int add_step(struct pipa_lazy_calltree *b, const struct pipa_lazy_step *step)
{
	struct pipa_lazy_step *added = PIPA_VEC_ADD(&b->steps);

	if (!added)
		return -ENOMEM;
	*added = *step;
	return 0;
}

/* Return the next step outwards: the next frame of the same stack, or that of its caller. */
static int step_outwards(struct pipa_lazy_calltree *b, struct pipa_lazy_step step, bool *cut)
{
	const struct pipa_profile *p = b->top->profile;
	const struct pipa_stack *stack = &p->stacks.items[step.stack];

	if (++step.inlined < count_frames(p, step.stack))
		return add_step(b, &step);
	if (stack->parent == PIPA_NONE) {
		*cut |= stack->cut;
		return 0;
	}
	step.stack = stack->parent;
	step.inlined = 0;
	return add_step(b, &step);
}

static int step_inwards(struct pipa_lazy_calltree *b, struct pipa_lazy_step step)
{
	uint32_t i;
	int rc = 0;

	if (step.inlined--)
		return add_step(b, &step);
	for (i = b->inner.items[step.stack].child; !rc && i != PIPA_NONE;
	     i = b->inner.items[i].next) {
		const struct pipa_lazy_inner *inner = &b->inner.items[i];

		rc = add_step(b, &(struct pipa_lazy_step){
					 i, count_frames(b->top->profile, inner->stack) - 1,
					 inner->weight, inner->count });
	}
	return rc;
}

static int step_on(struct pipa_lazy_calltree *b, struct pipa_lazy_step step, bool *cut)
{
	return b->callees ? step_inwards(b, step) : step_outwards(b, step, cut);
}

static int by_place(const void *x, const void *y)
{
	const struct pipa_lazy_step *a = x, *b = y;

	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	return a->inlined < b->inlined ? -1 : a->inlined > b->inlined;
}

/* Merge equal steps of a node. */
static void merge_steps(struct pipa_lazy_calltree *b, size_t from)
{
	struct pipa_lazy_step *steps = b->steps.items + from;
	size_t i, n = b->steps.n - from, kept = 0;

	if (n < 2)
		return;
	qsort(steps, n, sizeof(*steps), by_place);
	for (i = 1; i < n; i++)
		if (by_place(&steps[i], &steps[kept]) == 0) {
			steps[kept].weight += steps[i].weight;
			steps[kept].count += steps[i].count;
		} else {
			steps[++kept] = steps[i];
		}
	b->steps.n = from + kept + 1;
}

/* ---- the root ------------------------------------------------------------------------------- */

/* Return the step after the function, or the function itself if no symbol is given. */
static int begin_at(struct pipa_lazy_calltree *b, const struct pipa_lazy_step *step, bool named,
		    struct pipa_lazy_node *first)
{
	first->weight += step->weight;
	first->count += step->count;
	return named ? step_on(b, *step, &first->cut) : add_step(b, step);
}

/* Add the samples at the innermost matching frame. */
static int begin_callers(struct pipa_lazy_calltree *b, const struct pipa_lazy_calltree_of *of,
			 bool named, struct pipa_lazy_node *first)
{
	const struct pipa_profile *p = b->top->profile;
	PIPA_AUTO(free) uint32_t *found = malloc(p->stacks.n * sizeof(*found) + 1);
	PIPA_AUTO(free) struct pipa_weight *sums = calloc(p->stacks.n + 1, sizeof(*sums));
	uint32_t i;
	int rc = found && sums ? 0 : -ENOMEM;

	for (i = 0; !rc && i < p->stacks.n; i++) {
		uint32_t parent = p->stacks.items[i].parent;

		found[i] = find_frame(b->top, of, i) >= 0 ? i :
			   parent == PIPA_NONE		  ? PIPA_NONE :
							    found[parent];
	}
	for (i = 0; !rc && i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];

		if (!is_sample_asked(b->top, of, i) || found[s->stack] == PIPA_NONE)
			continue;
		sums[found[s->stack]].weight += s->weight;
		sums[found[s->stack]].count += s->count;
	}
	for (i = 0; !rc && i < p->stacks.n; i++)
		if (sums[i].count || sums[i].weight)
			rc = begin_at(b,
				      &(struct pipa_lazy_step){ i,
								(uint32_t)find_frame(b->top, of, i),
								sums[i].weight, sums[i].count },
				      named, first);
	return rc;
}

static int add_inner(struct pipa_lazy_calltree *b, const struct pipa_rollup *sums, uint32_t stack,
		     uint32_t *numbers)
{
	struct pipa_lazy_inner *inner = PIPA_VEC_ADD(&b->inner);
	uint32_t parent = sums->profile->stacks.items[stack].parent;

	if (!inner)
		return -ENOMEM;
	*inner = (struct pipa_lazy_inner){ stack, PIPA_NONE, PIPA_NONE, sums->sums[stack].weight,
					   sums->sums[stack].count };
	numbers[stack] = (uint32_t)b->inner.n - 1;
	if (parent != PIPA_NONE && numbers[parent] != PIPA_NONE) {
		inner->next = b->inner.items[numbers[parent]].child;
		b->inner.items[numbers[parent]].child = numbers[stack];
	}
	return 0;
}

/*
 * Find the stacks below the function; when their links are complete, those where it is outermost.
 */
static int find_inner(struct pipa_lazy_calltree *b, const struct pipa_lazy_calltree_of *of,
		      bool named, const struct pipa_rollup *sums, struct pipa_lazy_node *first)
{
	const struct pipa_stack *stacks = b->top->profile->stacks.items;
	PIPA_AUTO(free)
	uint32_t *numbers = malloc(b->top->profile->stacks.n * sizeof(*numbers) + 1);
	int rc = numbers ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < sums->n; i++) {
		uint32_t stack = sums->stacks[i], parent = stacks[stack].parent;

		numbers[stack] = PIPA_NONE;
		if ((parent != PIPA_NONE && numbers[parent] != PIPA_NONE) ||
		    find_frame(b->top, of, stack) >= 0)
			rc = add_inner(b, sums, stack, numbers);
	}
	for (i = 0; !rc && i < b->inner.n; i++) {
		struct pipa_lazy_inner inner = b->inner.items[i];
		uint32_t parent = stacks[inner.stack].parent;

		if (parent == PIPA_NONE || numbers[parent] == PIPA_NONE)
			rc = begin_at(b,
				      &(struct pipa_lazy_step){
					      (uint32_t)i,
					      (uint32_t)find_frame(b->top, of, inner.stack),
					      inner.weight, inner.count },
				      named, first);
	}
	return rc;
}

static int begin_callees(struct pipa_lazy_calltree *b, const struct pipa_lazy_calltree_of *of,
			 bool named, struct pipa_lazy_node *first)
{
	const struct pipa_profile *p = b->top->profile;
	struct pipa_rollup sums;
	int rc = pipa_rollup_init(&sums, p);
	uint32_t i;

	for (i = 0; !rc && i < p->samples.n; i++)
		if (is_sample_asked(b->top, of, i))
			pipa_rollup_add(&sums, p->samples.items[i].stack,
					&(struct pipa_weight){ p->samples.items[i].weight,
							       p->samples.items[i].count });
	if (!rc) {
		pipa_rollup_finish(&sums);
		rc = find_inner(b, of, named, &sums, first);
	}
	pipa_rollup_done(&sums);
	return rc;
}

int pipa_lazy_calltree_make(const struct pipa_top *top, const struct pipa_lazy_calltree_of *of,
			    struct pipa_lazy_calltree *ret)
{
	struct pipa_lazy_calltree b = { .top = top, .callees = of->callees };
	struct pipa_lazy_node *first = PIPA_VEC_ADD(&b);
	bool named = names_function(top, of);
	int rc = -ENOMEM;

	if (first) {
		*first = (struct pipa_lazy_node){ .parent = PIPA_NONE,
						  .child = PIPA_NONE,
						  .next = PIPA_NONE,
						  .name = of->row ? PIPA_NONE : of->symbol,
						  .location = of->row ? of->row->location :
									PIPA_NONE };
		rc = of->callees ? begin_callees(&b, of, named, first) :
				   begin_callers(&b, of, named, first);
	}
	if (rc < 0) {
		pipa_lazy_calltree_done(&b);
		return rc;
	}
	merge_steps(&b, 0);
	first->n_steps = (uint32_t)b.steps.n;
	*ret = b;
	return 0;
}

/* ---- growing ---------------------------------------------------------------------------------------- */

static uint32_t name_of(const struct pipa_lazy_calltree *b, const struct pipa_lazy_step *step)
{
	uint32_t stack = b->callees ? b->inner.items[step->stack].stack : step->stack;

	return frame_at(b->top, stack, step->inlined)->symbol;
}

static int by_name(const void *x, const void *y, void *ctx)
{
	const struct pipa_lazy_calltree *b = ctx;
	const struct pipa_lazy_step *steps = b->steps.items;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	uint32_t one = name_of(b, &steps[i]), other = name_of(b, &steps[k]);

	if (one != other)
		return one < other ? -1 : 1;
	return i < k ? -1 : i > k;
}

/* Add a child for the steps from..to in sorted order, which all have its name. */
static int add_child(struct pipa_lazy_calltree *b, uint32_t parent, const uint32_t *order,
		     size_t from, size_t to)
{
	const struct pipa_profile *p = b->top->profile;
	const struct pipa_lazy_step *one = &b->steps.items[order[from]];
	uint32_t stack = b->callees ? b->inner.items[one->stack].stack : one->stack;
	struct pipa_lazy_node child = {
		.parent = parent,
		.child = PIPA_NONE,
		.next = PIPA_NONE,
		.name = name_of(b, one),
		.location = p->stacks.items[stack].location,
		.steps = (uint32_t)b->steps.n,
	};
	struct pipa_lazy_node *added;
	int rc = 0;

	for (; !rc && from < to; from++) {
		struct pipa_lazy_step step = b->steps.items[order[from]];

		child.weight += step.weight;
		child.count += step.count;
		rc = step_on(b, step, &child.cut);
	}
	if (rc < 0)
		return rc;
	merge_steps(b, child.steps);
	child.n_steps = (uint32_t)(b->steps.n - child.steps);
	added = PIPA_VEC_ADD(b);
	if (!added)
		return -ENOMEM;
	*added = child;
	return 0;
}

static int by_weight(const void *x, const void *y)
{
	const struct pipa_lazy_node *a = x, *b = y;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static void link_children(struct pipa_lazy_calltree *b, uint32_t parent, size_t from)
{
	size_t i;

	b->items[parent].grown = true;
	if (from == b->n)
		return;
	qsort(b->items + from, b->n - from, sizeof(*b->items), by_weight);
	b->items[parent].child = (uint32_t)from;
	for (i = from; i + 1 < b->n; i++)
		b->items[i].next = (uint32_t)i + 1;
}

static int expand_node(struct pipa_lazy_calltree *b, uint32_t node)
{
	uint32_t first = b->items[node].steps, n = b->items[node].n_steps;
	PIPA_AUTO(free) uint32_t *order = malloc(n * sizeof(*order) + 1);
	size_t before = b->n, steps = b->steps.n, from, to;
	uint32_t i;
	int rc = 0;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		order[i] = first + i;
	qsort_r(order, n, sizeof(*order), by_name, b);
	for (from = 0; !rc && from < n; from = to) {
		for (to = from + 1; to < n && name_of(b, &b->steps.items[order[to]]) ==
						      name_of(b, &b->steps.items[order[from]]);)
			to++;
		rc = add_child(b, node, order, from, to);
	}
	if (rc < 0) {
		b->n = before;
		b->steps.n = steps;
		return rc;
	}
	link_children(b, node, before);
	return 0;
}

int pipa_lazy_calltree_expand(struct pipa_lazy_calltree *b, uint32_t node)
{
	return b->items[node].grown ? 0 : expand_node(b, node);
}
