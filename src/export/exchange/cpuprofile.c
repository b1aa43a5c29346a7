#include "export/exchange/cpuprofile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/hash.h"
#include "codec/doc.h"
#include "export/exchange/tracks.h"

enum {
	NODE_ROOT = 0, /* of nodes.items; ids are one higher */
	NODE_IDLE = 1,
};

/* A node: a function, or a track at the top; both PIPA_NONE for the root and "(idle)". */
struct node {
	uint32_t parent, function, track;
	uint32_t child, last, next; /* first and last child, next sibling; PIPA_NONE: none */
	uint32_t ticks;		    /* first of its lines; PIPA_NONE: none */
	uint64_t hits;
};

/* Samples of a node at a source line. */
struct line_ticks {
	uint32_t line, next;
	uint64_t ticks;
};

struct writer {
	const struct pipa_tracks *t;
	uint64_t factor; /* nanoseconds per unit of weight, without times */
	PIPA_TABLE(node) nodes;
	struct {
		struct line_ticks *items;
		size_t n, cap;
	} ticks;
	uint32_t *stack_nodes;	/* [stack] its node in the current track */
	uint32_t *stack_tracks; /* [stack] the track for which that is valid */
	struct pipa_track_stack stack;
	struct pipa_pieces to;
};

/* ---- the tree ---------------------------------------------------------------------------------- */

static bool same_node(const struct node *a, const struct node *b)
{
	return a && a->parent == b->parent && a->function == b->function && a->track == b->track;
}

static uint32_t add_node(struct writer *w, uint32_t parent, uint32_t function, uint32_t track)
{
	const struct node row = { parent,    function,	track,	   PIPA_NONE,
				  PIPA_NONE, PIPA_NONE, PIPA_NONE, 0 };
	uint64_t hash = pipa_hash_u64((uint64_t)parent << 32 | function, track);
	size_t known = w->nodes.n;
	uint32_t number = PIPA_INTERN(&w->nodes, hash, same_node, &row);
	struct node *up;

	if (number == PIPA_NONE)
		w->to.status = -ENOMEM;
	if (number == PIPA_NONE || number < known || parent == PIPA_NONE)
		return number;
	up = &w->nodes.items[parent];
	if (up->child == PIPA_NONE)
		up->child = number;
	else
		w->nodes.items[up->last].next = number;
	up->last = number;
	return number;
}

/* Return the node of a stack; PIPA_NONE on allocation failure. */
static uint32_t node_of(struct writer *w, uint32_t track, uint32_t stack)
{
	bool is_known = stack != PIPA_NONE;
	uint32_t node = NODE_ROOT;
	size_t i;

	if (is_known && w->stack_tracks[stack] == track)
		return w->stack_nodes[stack];
	if (pipa_tracks_stack(w->t, stack, &w->stack) < 0) {
		w->to.status = -ENOMEM;
		return PIPA_NONE;
	}
	if (w->t->n > 1)
		node = add_node(w, node, PIPA_NONE, track);
	for (i = 0; i < w->stack.n && node != PIPA_NONE; i++)
		node = add_node(w, node, w->stack.items[i].function, PIPA_NONE);
	if (is_known && node != PIPA_NONE) {
		w->stack_nodes[stack] = node;
		w->stack_tracks[stack] = track;
	}
	return node;
}

/* Return the source line of the innermost frame of a stack; 0: unknown. */
static uint32_t line_of(const struct writer *w, uint32_t stack)
{
	const struct pipa_profile *p = w->t->profile;
	uint32_t frame;

	if (stack == PIPA_NONE)
		return 0;
	frame = pipa_frame_innermost(&w->t->frames, stack);
	return frame < p->lines.n ? p->lines.items[frame].line : 0;
}

static void add_ticks(struct writer *w, struct node *node, uint32_t line, uint64_t count)
{
	struct line_ticks *row;
	uint32_t i;

	node->hits += count;
	if (!line)
		return;
	for (i = node->ticks; i != PIPA_NONE; i = w->ticks.items[i].next)
		if (w->ticks.items[i].line == line) {
			w->ticks.items[i].ticks += count;
			return;
		}
	row = PIPA_VEC_ADD(&w->ticks);
	if (!row) {
		w->to.status = -ENOMEM;
		return;
	}
	*row = (struct line_ticks){ line, node->ticks, count };
	node->ticks = (uint32_t)(w->ticks.n - 1);
}

static void build_tree(struct writer *w)
{
	struct pipa_track_sample sample;
	uint32_t i, node;
	size_t k;

	add_node(w, PIPA_NONE, PIPA_NONE, PIPA_NONE);
	add_node(w, NODE_ROOT, PIPA_NONE, PIPA_NONE);
	for (i = 0; i < w->t->n && !w->to.status; i++)
		for (k = 0; k < w->t->items[i].n && !w->to.status; k++) {
			pipa_tracks_sample(w->t, &w->t->items[i], k, &sample);
			node = node_of(w, i, sample.stack);
			if (node != PIPA_NONE)
				add_ticks(w, &w->nodes.items[node], line_of(w, sample.stack),
					  sample.count);
		}
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void put_call_frame(struct writer *w, uint32_t number)
{
	const struct pipa_profile *p = w->t->profile;
	const struct node *node = &w->nodes.items[number];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	const char *file = "", *dso = "";
	int64_t line = -1;

	if (node->track != PIPA_NONE) {
		pipa_tracks_put_name(w->t, &w->t->items[node->track], &name);
	} else if (node->function == PIPA_NONE) {
		pipa_buf_puts(&name, number == NODE_ROOT ? "(root)" : "(idle)");
	} else {
		const struct pipa_track_function *f = &w->t->functions.items[node->function];

		pipa_buf_puts(&name, pipa_tracks_name(w->t, node->function));
		file = pipa_profile_string(p, f->file);
		dso = f->object < p->objects.n ?
			      pipa_profile_string(p, p->objects.items[f->object].path) :
			      "";
		line = (int64_t)f->start_line - 1;
	}
	if (name.status && !w->to.buf.status)
		w->to.buf.status = name.status;
	pipa_buf_puts(&w->to.buf, "\"callFrame\":{\"functionName\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_buf_str(&name));
	pipa_buf_puts(&w->to.buf, ",\"scriptId\":\"0\",\"url\":");
	pipa_doc_put_quoted(&w->to.buf, file[0] ? file : dso);
	pipa_buf_printf(&w->to.buf, ",\"lineNumber\":%" PRId64 ",\"columnNumber\":-1", line);
	if (dso[0]) {
		pipa_buf_puts(&w->to.buf, ",\"dso\":");
		pipa_doc_put_quoted(&w->to.buf, dso);
	}
	if (node->function != PIPA_NONE && w->t->functions.items[node->function].is_kernel)
		pipa_buf_puts(&w->to.buf, ",\"kernel\":true");
	pipa_buf_putc(&w->to.buf, '}');
}

/* Write the thread of a track, for readers of pipa. */
static void put_thread(struct writer *w, const struct pipa_track *track)
{
	const struct pipa_profile *p = w->t->profile;
	const struct pipa_thread *thread;

	if (track->thread == PIPA_NONE)
		return;
	thread = &p->threads.items[track->thread];
	pipa_buf_puts(&w->to.buf, ",\"thread\":{\"comm\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_profile_string(p, thread->comm));
	if (thread->pid != PIPA_UNKNOWN32)
		pipa_buf_printf(&w->to.buf, ",\"pid\":%" PRIu32, thread->pid);
	if (thread->tid != PIPA_UNKNOWN32)
		pipa_buf_printf(&w->to.buf, ",\"tid\":%" PRIu32, thread->tid);
	pipa_buf_putc(&w->to.buf, '}');
}

static void put_nodes(struct writer *w)
{
	const char *comma;
	uint32_t i, k;

	pipa_buf_puts(&w->to.buf, "{\"nodes\":[");
	for (i = 0; i < w->nodes.n && pipa_pieces_flush(&w->to); i++) {
		const struct node *node = &w->nodes.items[i];

		pipa_buf_printf(&w->to.buf, "%s\n{\"id\":%" PRIu32 ",", i ? "," : "", i + 1);
		put_call_frame(w, i);
		pipa_buf_printf(&w->to.buf, ",\"hitCount\":%" PRIu64, node->hits);
		if (node->track != PIPA_NONE || (i == NODE_ROOT && w->t->n == 1))
			put_thread(w, &w->t->items[i == NODE_ROOT ? 0 : node->track]);
		if (node->child != PIPA_NONE) {
			pipa_buf_puts(&w->to.buf, ",\"children\":");
			comma = "[";
			for (k = node->child; k != PIPA_NONE; k = w->nodes.items[k].next) {
				pipa_buf_printf(&w->to.buf, "%s%" PRIu32, comma, k + 1);
				comma = ",";
			}
			pipa_buf_putc(&w->to.buf, ']');
		}
		if (node->ticks != PIPA_NONE) {
			pipa_buf_puts(&w->to.buf, ",\"positionTicks\":");
			comma = "[";
			for (k = node->ticks; k != PIPA_NONE; k = w->ticks.items[k].next) {
				pipa_buf_printf(&w->to.buf,
						"%s{\"line\":%" PRIu32 ",\"ticks\":%" PRIu64 "}",
						comma, w->ticks.items[k].line,
						w->ticks.items[k].ticks);
				comma = ",";
			}
			pipa_buf_putc(&w->to.buf, ']');
		}
		pipa_buf_putc(&w->to.buf, '}');
	}
	pipa_buf_puts(&w->to.buf, "],\n");
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Write nanoseconds as microseconds, exactly. */
static void put_us(struct writer *w, uint64_t ns)
{
	char digits[4] = { (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10),
			   (char)('0' + ns % 10), '\0' };
	size_t n = 3;

	pipa_buf_put_u64(&w->to.buf, ns / 1000);
	while (n && digits[n - 1] == '0')
		digits[--n] = '\0';
	if (n)
		pipa_buf_printf(&w->to.buf, ".%s", digits);
}

/* Entries of the lists: what is written of each. */
struct entries {
	struct writer *w;
	bool times;	/* write the times, else the nodes */
	uint64_t start; /* of the first entry */
	uint64_t at;	/* of the last one */
	bool any;
};

static void put_entry(struct entries *e, uint32_t node, uint64_t at)
{
	if (e->any)
		pipa_buf_putc(&e->w->to.buf, ',');
	else
		e->start = e->at = at;
	if (e->times)
		put_us(e->w, at - e->at);
	else
		pipa_buf_put_u64(&e->w->to.buf, (uint64_t)node + 1);
	e->any = true;
	e->at = at;
}

/* Write the entries of a track with times; `shift` is added to them. */
static void put_timed(struct entries *e, uint32_t number, uint64_t shift)
{
	const struct pipa_tracks *t = e->w->t;
	const struct pipa_track *track = &t->items[number];
	struct pipa_track_sample sample;
	uint64_t start, end = 0;
	size_t i;

	for (i = 0; i < track->n && pipa_pieces_flush(&e->w->to); i++) {
		pipa_tracks_sample(t, track, i, &sample);
		start = pipa_tracks_sample_start(t, track, &sample, end);
		if (i && start > end)
			put_entry(e, NODE_IDLE, end + shift);
		put_entry(e, node_of(e->w, number, sample.stack), start + shift);
		end = sample.time;
	}
}

static void put_sums(struct entries *e, uint32_t number, uint64_t *at)
{
	const struct pipa_tracks *t = e->w->t;
	struct pipa_track_sample sample;
	size_t i;

	for (i = 0; i < t->items[number].n && pipa_pieces_flush(&e->w->to); i++) {
		pipa_tracks_sample(t, &t->items[number], i, &sample);
		put_entry(e, node_of(e->w, number, sample.stack), *at);
		*at += sample.weight * e->w->factor;
	}
}

/* Write a list of nodes or times. Tracks follow each other. */
static void put_entries(struct writer *w, bool times, struct entries *e)
{
	const struct pipa_tracks *t = w->t;
	struct pipa_track_sample sample;
	uint64_t at = 0, first;
	uint32_t i;

	*e = (struct entries){ .w = w, .times = times };
	for (i = 0; i < t->n && !w->to.status; i++) {
		if (!t->timed) {
			put_sums(e, i, &at);
			continue;
		}
		pipa_tracks_sample(t, &t->items[i], 0, &sample);
		first = pipa_tracks_sample_start(t, &t->items[i], &sample, 0);
		at = i ? at : first;
		put_timed(e, i, at - first);
		at += t->items[i].end - first;
	}
	put_entry(e, NODE_ROOT, at); /* ends the last one */
}

/* Write the event, for readers of pipa. */
static void put_event(struct writer *w)
{
	const struct pipa_profile *p = w->t->profile;
	const struct pipa_profile_event *event;

	if (!w->t->n)
		return;
	event = &p->events.items[w->t->items[0].event];
	pipa_buf_puts(&w->to.buf, ",\n\"pipa\":{\"event\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_profile_string(p, event->name));
	pipa_buf_puts(&w->to.buf, ",\"unit\":");
	pipa_doc_put_quoted(&w->to.buf, pipa_profile_string(p, event->unit));
	pipa_buf_putc(&w->to.buf, '}');
}

int pipa_cpuprofile_write(const struct pipa_tracks *tracks, pipa_put_fn *put, void *ctx)
{
	const struct pipa_profile *p = tracks->profile;
	struct writer w = { .t = tracks, .to = { .put = put, .ctx = ctx } };
	uint64_t total = 0;
	bool is_time = false;
	struct entries e;
	size_t i;

	for (i = 0; i < tracks->n; i++)
		total += tracks->items[i].weight;
	if (tracks->n)
		is_time = strcmp(pipa_profile_string(p,
						     p->events.items[tracks->items[0].event].unit),
				 PIPA_VALUE_NS) == 0;
	w.factor = is_time || total > INT64_MAX / 1000 ? 1 : 1000;
	w.stack_nodes = malloc((p->stacks.n + 1) * sizeof(*w.stack_nodes));
	w.stack_tracks = malloc((p->stacks.n + 1) * sizeof(*w.stack_tracks));
	if (!w.stack_nodes || !w.stack_tracks)
		w.to.status = -ENOMEM;
	else
		memset(w.stack_tracks, 0xff, (p->stacks.n + 1) * sizeof(*w.stack_tracks));
	if (!w.to.status)
		build_tree(&w);
	if (!w.to.status) {
		put_nodes(&w);
		pipa_buf_puts(&w.to.buf, "\"samples\":[");
		put_entries(&w, false, &e);
		pipa_buf_puts(&w.to.buf, "],\n\"timeDeltas\":[");
		put_entries(&w, true, &e);
		pipa_buf_puts(&w.to.buf, "],\n\"startTime\":");
		put_us(&w, e.start);
		pipa_buf_puts(&w.to.buf, ",\"endTime\":");
		put_us(&w, e.at);
		put_event(&w);
		pipa_buf_puts(&w.to.buf, "}\n");
		pipa_pieces_end(&w.to);
	}
	free(w.nodes.items);
	pipa_index_done(&w.nodes.index);
	free(w.ticks.items);
	free(w.stack_nodes);
	free(w.stack_tracks);
	free(w.stack.items);
	pipa_buf_done(&w.to.buf);
	return w.to.status;
}
