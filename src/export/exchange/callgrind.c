#include "export/exchange/callgrind.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/frames.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "base/visible.h"
#include "model/profile.h"

struct function {
	uint32_t object, symbol; /* as in analyze/profile/frames.h */
	uint32_t file;		 /* a string; 0: unknown */
	uint32_t start_line;	 /* 0: unknown */
	uint32_t on_path;	 /* number of its frames on the path */
};

/* A line of the file: self cost, or a call. Its values are in writer.values. */
struct cost {
	uint32_t function, line;
	uint32_t callee; /* PIPA_NONE: self cost */
};

/* A frame between the root of the tree of stacks and the stack that is visited. */
struct path_frame {
	uint32_t function, line;
};

struct writer {
	const struct pipa_profile *p;
	struct pipa_frames frames;
	struct {
		struct function *items;
		size_t n, cap;
		struct pipa_index index;
	} functions;
	uint32_t root;	       /* function that calls the outermost ones */
	uint32_t *function_of; /* [frame] */
	struct {
		struct cost *items;
		size_t n, cap;
		struct pipa_index index;
	} costs;
	struct {
		uint64_t *items; /* [cost * events + event] */
		size_t n, cap;
	} values;
	uint64_t *sums; /* [stack * events + event] of the stack and those that extend it */
	bool *sampled;	/* [stack] it or one that extends it has samples */
	struct {
		uint32_t child, next;
	} * tree; /* [stack] PIPA_NONE: none */
	struct {
		struct path_frame *items;
		size_t n, cap;
	} path;
	uint32_t *column_of; /* [event] PIPA_NONE: has no samples and no column */
	size_t events;	     /* columns, at least 1 */
	uint32_t *ids;	     /* [string of the profile] number of a file, 0: none yet */
	uint32_t files;	     /* numbers given to files */
	bool *defined;	     /* [function] its name was written */
	bool *objects;	     /* [object] its name was written, last: unknown */
	struct pipa_pieces to;
};

static void writer_done(struct writer *w)
{
	pipa_frames_done(&w->frames);
	free(w->functions.items);
	pipa_index_done(&w->functions.index);
	free(w->function_of);
	free(w->costs.items);
	pipa_index_done(&w->costs.index);
	free(w->values.items);
	free(w->sums);
	free(w->column_of);
	free(w->sampled);
	free(w->tree);
	free(w->path.items);
	free(w->ids);
	free(w->defined);
	free(w->objects);
	pipa_buf_done(&w->to.buf);
}

/* ---- functions --------------------------------------------------------------------------------- */

/* Find a function, adding it if missing; PIPA_NONE on allocation failure. */
static uint32_t find_function(struct writer *w, const struct function *wanted)
{
	const uint64_t words[] = { (uint64_t)wanted->object << 32 | wanted->symbol, wanted->file };
	uint64_t hash = pipa_hash_words(words, PIPA_COUNT(words), PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&w->functions.index, hash);
	struct function *f;

	for (; w->functions.items && slot->id; slot = pipa_index_after(&w->functions.index, slot)) {
		f = &w->functions.items[slot->id - 1];
		if (f->object == wanted->object && f->symbol == wanted->symbol &&
		    f->file == wanted->file) {
			if (!f->start_line)
				f->start_line = wanted->start_line;
			return slot->id - 1;
		}
	}
	f = PIPA_VEC_ADD(&w->functions);
	if (!f || pipa_index_add(&w->functions.index, hash, (uint32_t)w->functions.n - 1) < 0)
		return PIPA_NONE;
	*f = *wanted;
	return (uint32_t)w->functions.n - 1;
}

/* Assign each frame to its function. */
static int classify_frames(struct writer *w)
{
	const struct pipa_profile *p = w->p;
	size_t i;

	w->function_of = malloc((w->frames.n + 1) * sizeof(*w->function_of));
	if (!w->function_of)
		return -ENOMEM;
	for (i = 0; i < w->frames.n; i++) {
		struct function f = { .object = w->frames.items[i].object,
				      .symbol = w->frames.items[i].symbol };

		if (i < p->lines.n) {
			const struct pipa_function *function =
				&p->functions.items[p->lines.items[i].function];

			f.file = function->file;
			f.start_line = function->start_line;
		}
		w->function_of[i] = find_function(w, &f);
		if (w->function_of[i] == PIPA_NONE)
			return -ENOMEM;
	}
	w->root = find_function(w, &(struct function){ .object = PIPA_NONE, .symbol = PIPA_NONE });
	return w->root == PIPA_NONE ? -ENOMEM : 0;
}

/* ---- costs ------------------------------------------------------------------------------------- */

/* Return the values of a line of the file, adding the line if missing; NULL on allocation failure. */
static uint64_t *find_cost(struct writer *w, const struct cost *wanted)
{
	const uint64_t words[] = { (uint64_t)wanted->function << 32 | wanted->line,
				   wanted->callee };
	uint64_t hash = pipa_hash_words(words, PIPA_COUNT(words), PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&w->costs.index, hash);
	struct cost *cost;
	size_t k;

	for (; w->costs.items && slot->id; slot = pipa_index_after(&w->costs.index, slot)) {
		cost = &w->costs.items[slot->id - 1];
		if (cost->function == wanted->function && cost->line == wanted->line &&
		    cost->callee == wanted->callee)
			return &w->values.items[(slot->id - 1) * w->events];
	}
	if (w->costs.n >= PIPA_NONE / 2)
		return NULL;
	cost = PIPA_VEC_ADD(&w->costs);
	for (k = 0; cost && k < w->events; k++)
		if (!PIPA_VEC_ADD(&w->values))
			return NULL;
	if (!cost || pipa_index_add(&w->costs.index, hash, (uint32_t)w->costs.n - 1) < 0)
		return NULL;
	*cost = *wanted;
	return &w->values.items[(w->costs.n - 1) * w->events];
}

static uint32_t line_of(const struct writer *w, uint32_t frame)
{
	return frame < w->p->lines.n ? w->p->lines.items[frame].line : 0;
}

/* Add the samples to the self costs and to the sums of their stacks. */
static int add_samples(struct writer *w)
{
	const struct pipa_profile *p = w->p;
	size_t i;

	for (i = 0; i < p->samples.n; i++) {
		const struct pipa_sample *s = &p->samples.items[i];
		struct cost self = { .callee = PIPA_NONE };
		uint64_t *values;
		uint32_t frame, column = w->column_of[s->event];

		if (column == PIPA_NONE)
			continue;
		if (s->stack == PIPA_NONE) {
			self.function = find_function(w, &(struct function){ .object = PIPA_NONE,
									     .symbol = PIPA_NONE });
		} else {
			frame = pipa_frame_innermost(&w->frames, s->stack);
			self.function = w->function_of[frame];
			self.line = line_of(w, frame);
			w->sums[s->stack * w->events + column] += s->weight;
			w->sampled[s->stack] = true;
		}
		values = find_cost(w, &self);
		if (!values)
			return -ENOMEM;
		values[column] += s->weight;
	}
	return 0;
}

/* Add sums to those of the callers and link children: a stack's index is larger than its parent's. */
static void link_stacks(struct writer *w)
{
	const struct pipa_stack *stacks = w->p->stacks.items;
	size_t i = w->p->stacks.n, k;

	memset(w->tree, 0xff, i * sizeof(*w->tree));
	while (i--) {
		uint32_t parent = stacks[i].parent;

		if (parent == PIPA_NONE || !w->sampled[i])
			continue;
		for (k = 0; k < w->events; k++)
			w->sums[parent * w->events + k] += w->sums[i * w->events + k];
		w->sampled[parent] = true;
		w->tree[i].next = w->tree[parent].child;
		w->tree[parent].child = (uint32_t)i;
	}
}

/* ---- calls ------------------------------------------------------------------------------------- */

/* Put a frame on the path, and add the sums of its stack to the call unless it is recursion. */
static int enter_frame(struct writer *w, uint32_t frame, const uint64_t *sums)
{
	const struct path_frame *caller = w->path.n ? &w->path.items[w->path.n - 1] : NULL;
	struct cost call = { .function = caller ? caller->function : w->root,
			     .line = caller ? caller->line : 0,
			     .callee = w->function_of[frame] };
	uint64_t *values = find_cost(w, &call);
	struct path_frame *top = PIPA_VEC_ADD(&w->path);
	size_t k;

	if (!values || !top)
		return -ENOMEM;
	*top = (struct path_frame){ call.callee, line_of(w, frame) };
	for (k = 0; !w->functions.items[call.callee].on_path && k < w->events; k++)
		values[k] += sums[k];
	w->functions.items[call.callee].on_path++;
	return 0;
}

static uint32_t frames_of(const struct writer *w, uint32_t stack)
{
	uint32_t n = w->p->locations.items[w->p->stacks.items[stack].location].n_lines;

	return n ? n : 1;
}

static int enter_stack(struct writer *w, uint32_t stack)
{
	uint32_t first = pipa_frame_innermost(&w->frames, stack), k = frames_of(w, stack);
	int rc = 0;

	while (!rc && k--) /* callers first */
		rc = enter_frame(w, first + k, &w->sums[stack * w->events]);
	return rc;
}

static void leave_stack(struct writer *w, uint32_t stack)
{
	uint32_t k = frames_of(w, stack);

	while (k--)
		w->functions.items[w->path.items[--w->path.n].function].on_path--;
}

/* Visit a root and all stacks that extend it, callers before callees. */
static int add_calls_of_root(struct writer *w, uint32_t root)
{
	uint32_t stack = root;
	int rc = enter_stack(w, stack);

	while (!rc) {
		if (w->tree[stack].child != PIPA_NONE) {
			stack = w->tree[stack].child;
		} else {
			while (stack != root && w->tree[stack].next == PIPA_NONE) {
				leave_stack(w, stack);
				stack = w->p->stacks.items[stack].parent;
			}
			leave_stack(w, stack);
			if (stack == root)
				break;
			stack = w->tree[stack].next;
		}
		rc = enter_stack(w, stack);
	}
	return rc;
}

static int add_calls(struct writer *w)
{
	uint32_t i;
	int rc = 0;

	link_stacks(w);
	for (i = 0; !rc && i < w->p->stacks.n; i++)
		if (w->p->stacks.items[i].parent == PIPA_NONE && w->sampled[i])
			rc = add_calls_of_root(w, i);
	return rc;
}

/* ---- text -------------------------------------------------------------------------------------- */

/* Write "KEY=(ID)", and the name if it is new. */
static void put_id(struct writer *w, const char *key, uint32_t id, const char *new_name,
		   const char *mark)
{
	pipa_buf_puts(&w->to.buf, key);
	pipa_buf_puts(&w->to.buf, "=(");
	pipa_buf_put_u64(&w->to.buf, id);
	pipa_buf_putc(&w->to.buf, ')');
	if (new_name) {
		pipa_buf_putc(&w->to.buf, ' ');
		pipa_visible_put(&w->to.buf, new_name);
		pipa_buf_puts(&w->to.buf, mark);
	}
	pipa_buf_putc(&w->to.buf, '\n');
}

/* Write object, file and name of a function, or of the callee of a call. */
static void put_function(struct writer *w, uint32_t number, bool called)
{
	const struct function *f = &w->functions.items[number];
	uint32_t object = f->object < w->p->objects.n ? f->object : (uint32_t)w->p->objects.n;
	bool new_file = !w->ids[f->file];
	const char *name;
	char buf[64];

	name = object == w->p->objects.n ?
		       "???" :
		       pipa_profile_string(w->p, w->p->objects.items[object].path);
	put_id(w, called ? "cob" : "ob", object + 1,
	       w->objects[object] ? NULL :
	       *name		  ? name :
				    "???",
	       "");
	w->objects[object] = true;
	if (new_file)
		w->ids[f->file] = ++w->files;
	name = pipa_profile_string(w->p, f->file);
	put_id(w, called ? "cfi" : "fl", w->ids[f->file],
	       !new_file ? NULL :
	       *name	 ? name :
			   "???",
	       "");
	name = number == w->root ? "(root)" : pipa_frame_text(w->p, f->symbol, buf);
	put_id(w, called ? "cfn" : "fn", number + 1,
	       w->defined[number] ? NULL :
	       *name		  ? name :
				    "[unknown]",
	       pipa_frame_mark(f->symbol));
	w->defined[number] = true;
}

static void put_values(struct writer *w, const uint64_t *values)
{
	size_t k;

	for (k = 0; k < w->events; k++) {
		if (k)
			pipa_buf_putc(&w->to.buf, ' ');
		pipa_buf_put_u64(&w->to.buf, values[k]);
	}
	pipa_buf_putc(&w->to.buf, '\n');
}

/* Write the name of a column: without spaces, and different from those before it. */
static void put_event(struct writer *w, uint32_t event)
{
	const struct pipa_profile_event *e = &w->p->events.items[event];
	size_t start = w->to.buf.len, i;
	uint32_t k;

	pipa_visible_put(&w->to.buf, e->name ? pipa_profile_string(w->p, e->name) : "samples");
	for (i = start; i < w->to.buf.len; i++)
		if (w->to.buf.data[i] == ' ')
			w->to.buf.data[i] = '_';
	if (e->scale > 1)
		pipa_buf_printf(&w->to.buf, "_x%u", e->scale);
	for (k = 0; k < event; k++)
		if (w->p->events.items[k].name == e->name) {
			pipa_buf_printf(&w->to.buf, "_%u", event + 1);
			break;
		}
}

static void put_loss(struct writer *w, const char *what, uint64_t n)
{
	if (!n)
		return;
	pipa_buf_printf(&w->to.buf, "desc: %s: ", what);
	pipa_buf_put_u64(&w->to.buf, n);
	pipa_buf_putc(&w->to.buf, '\n');
}

static void put_head(struct writer *w, const struct pipa_callgrind_format *format, uint64_t *totals)
{
	const struct pipa_losses *losses = &w->p->losses;
	uint32_t i;
	size_t k;

	pipa_buf_puts(&w->to.buf, "# callgrind format\nversion: 1\ncreator: pipa");
	if (format->version)
		pipa_buf_printf(&w->to.buf, "-%s", format->version);
	pipa_buf_puts(&w->to.buf, "\ncmd: ");
	pipa_visible_put(&w->to.buf, format->command ? format->command : "");
	pipa_buf_putc(&w->to.buf, '\n');
	put_loss(w, "Lost samples", losses->lost_samples);
	put_loss(w, "Lost records", losses->lost_records);
	put_loss(w, "Throttled", losses->throttled);
	put_loss(w, "Truncated stacks", losses->cut_stacks + losses->unwound_truncated);
	pipa_buf_puts(&w->to.buf, "positions: line\nevents:");
	for (i = 0, k = 0; i < w->p->events.n; i++) {
		if (w->column_of[i] == PIPA_NONE)
			continue;
		pipa_buf_putc(&w->to.buf, ' ');
		put_event(w, i);
		k++;
	}
	if (!k) /* readers need a column */
		pipa_buf_puts(&w->to.buf, " samples");
	pipa_buf_puts(&w->to.buf, "\nsummary: ");
	for (i = 0; i < w->costs.n; i++) {
		for (k = 0; w->costs.items[i].callee == PIPA_NONE && k < w->events; k++)
			totals[k] += w->values.items[i * w->events + k];
	}
	put_values(w, totals);
}

/* Order costs by function; self costs first, then by line and callee. */
static int by_function(const void *a_, const void *b_, void *costs)
{
	const struct cost *a = (const struct cost *)costs + *(const uint32_t *)a_;
	const struct cost *b = (const struct cost *)costs + *(const uint32_t *)b_;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if ((a->callee == PIPA_NONE) != (b->callee == PIPA_NONE))
		return a->callee == PIPA_NONE ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->callee < b->callee ? -1 : a->callee > b->callee;
}

static int put_costs(struct writer *w)
{
	uint32_t *order = malloc((w->costs.n + 1) * sizeof(*order)), last = PIPA_NONE;
	size_t i;

	if (!order)
		return -ENOMEM;
	for (i = 0; i < w->costs.n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, w->costs.n, sizeof(*order), by_function, w->costs.items);
	for (i = 0; i < w->costs.n && pipa_pieces_flush(&w->to); i++) {
		const struct cost *cost = &w->costs.items[order[i]];

		if (cost->function != last) {
			pipa_buf_putc(&w->to.buf, '\n');
			put_function(w, cost->function, false);
		}
		last = cost->function;
		if (cost->callee != PIPA_NONE) {
			put_function(w, cost->callee, true);
			pipa_buf_puts(&w->to.buf, "calls=1 ");
			pipa_buf_put_u64(&w->to.buf, w->functions.items[cost->callee].start_line);
			pipa_buf_putc(&w->to.buf, '\n');
		}
		pipa_buf_put_u64(&w->to.buf, cost->line);
		pipa_buf_putc(&w->to.buf, ' ');
		put_values(w, &w->values.items[order[i] * w->events]);
	}
	free(order);
	return 0;
}

static int allocate_tables(struct writer *w)
{
	size_t stacks = w->p->stacks.n + 1, i, n = 0;

	w->column_of = malloc((w->p->events.n + 1) * sizeof(*w->column_of));
	for (i = 0; w->column_of && i < w->p->events.n; i++) {
		const struct pipa_profile_event *event = &w->p->events.items[i];

		/* the event of the side-band records has no samples; a column of a foreign file stays */
		w->column_of[i] = event->count || event->column_group || !w->p->samples.n ?
					  (uint32_t)n++ :
					  PIPA_NONE;
	}
	w->events = n ? n : 1;
	w->sums = calloc(stacks * w->events, sizeof(*w->sums));
	w->sampled = calloc(stacks, sizeof(*w->sampled));
	w->tree = malloc(stacks * sizeof(*w->tree));
	w->ids = calloc(w->p->strings.n + 1, sizeof(*w->ids));
	w->objects = calloc(w->p->objects.n + 1, sizeof(*w->objects));
	return w->column_of && w->sums && w->sampled && w->tree && w->ids && w->objects ? 0 :
											  -ENOMEM;
}

static int write_all(struct writer *w, const struct pipa_callgrind_format *format)
{
	uint64_t *totals;
	int rc = add_samples(w);

	if (!rc)
		rc = add_calls(w);
	if (rc < 0)
		return rc;
	w->defined = calloc(w->functions.n + 1, sizeof(*w->defined));
	totals = calloc(w->events, sizeof(*totals));
	if (w->defined && totals) {
		put_head(w, format, totals);
		rc = put_costs(w);
		pipa_buf_puts(&w->to.buf, "\ntotals: ");
		put_values(w, totals);
		pipa_pieces_end(&w->to);
	} else {
		rc = -ENOMEM;
	}
	free(totals);
	return rc ? rc : w->to.status;
}

int pipa_callgrind_write(const struct pipa_profile *profile,
			 const struct pipa_callgrind_format *format, pipa_put_fn *put, void *ctx)
{
	struct writer w = { .p = profile, .to = { .put = put, .ctx = ctx } };
	int rc = allocate_tables(&w);

	if (!rc)
		rc = pipa_frames_make(profile, false, &w.frames);
	if (!rc)
		rc = classify_frames(&w);
	if (!rc)
		rc = write_all(&w, format);
	writer_done(&w);
	return rc;
}
