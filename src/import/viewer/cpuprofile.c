#include "import/viewer/cpuprofile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "import/id_map.h"
#include "import/viewer/viewer_profile.h"
#include "model/timeline.h"

enum node_kind { NODE_FRAME, NODE_ROOT, NODE_IDLE, NODE_THREAD, NODE_TRUNCATED, NODE_NO_STACK };

struct node {
	enum node_kind kind;
	bool is_done;	 /* stack and thread are known */
	uint32_t parent; /* PIPA_NONE: none */
	uint32_t location;
	uint32_t stack, thread; /* with its callers; PIPA_NONE: none */
	uint64_t hits;
	struct pipa_json_pull children;
	bool has_children;
};

struct reader {
	struct pipa_profile *p;
	struct pipa_timeline *timeline;
	struct pipa_buf scratch;
	struct {
		struct node *items;
		size_t n, cap;
	} nodes;
	struct pipa_id_map ids;
	struct {
		uint32_t *items;
		size_t n, cap;
	} path;	    /* nodes from one without a stack to one with a stack */
	int status; /* -ENOMEM */
};

/* Positions of the parts of the file. */
struct parts {
	struct pipa_json_pull nodes, samples, deltas;
	bool has_nodes, has_samples, has_deltas, has_end;
	double start, end; /* us */
	bool is_own;
	struct pipa_json_text event, unit;
};

bool pipa_cpuprofile_is(struct pipa_span start)
{
	struct pipa_json_pull json;
	struct pipa_json_text key;
	bool first = true, element = true, member = true;

	pipa_json_pull_init(&json, start);
	if (!start.size || !pipa_json_pull_open(&json, '{'))
		return false;
	while (pipa_json_pull_member(&json, &first, &key)) {
		if (!pipa_json_text_is(&key, "nodes")) {
			if (!pipa_json_pull_skip(&json))
				return false;
			continue;
		}
		if (pipa_json_pull_peek(&json) != '[' || !pipa_json_pull_open(&json, '[') ||
		    !pipa_json_pull_element(&json, &element) || !pipa_json_pull_open(&json, '{'))
			return false;
		while (pipa_json_pull_member(&json, &member, &key)) {
			if (pipa_json_text_is(&key, "callFrame"))
				return true;
			if (!pipa_json_pull_skip(&json))
				return false;
		}
		return false;
	}
	return false;
}

/* ---- nodes ------------------------------------------------------------------------------------- */

static void read_call_frame(struct pipa_json_pull *json, struct pipa_viewer_frame *ret)
{
	struct pipa_json_text key;
	bool first = true;
	double line;

	if (!pipa_json_pull_open(json, '{'))
		return;
	while (pipa_json_pull_member(json, &first, &key)) {
		char c = pipa_json_pull_peek(json);

		if (pipa_json_text_is(&key, "functionName") && c == '"') {
			pipa_json_pull_string(json, &ret->name);
		} else if (pipa_json_text_is(&key, "url") && c == '"') {
			pipa_json_pull_string(json, &ret->file);
		} else if (pipa_json_text_is(&key, "dso") && c == '"') {
			pipa_json_pull_string(json, &ret->dso);
		} else if (pipa_json_text_is(&key, "kernel") && c == 't') {
			ret->is_kernel = pipa_json_pull_skip(json);
		} else if (pipa_json_text_is(&key, "lineNumber") &&
			   (c == '-' || (c >= '0' && c <= '9'))) {
			/* from 0; -1: unknown */
			if (pipa_json_pull_double(json, &line) && line >= 0 && line < UINT32_MAX)
				ret->line = (uint64_t)line + 1;
		} else {
			pipa_json_pull_skip(json);
		}
	}
}

static void read_thread(struct pipa_json_pull *json, struct pipa_viewer_thread *ret)
{
	struct pipa_json_text key;
	bool first = true;

	if (!pipa_json_pull_open(json, '{'))
		return;
	while (pipa_json_pull_member(json, &first, &key)) {
		if (pipa_json_text_is(&key, "comm"))
			pipa_json_pull_string(json, &ret->comm);
		else if (pipa_json_text_is(&key, "pid"))
			pipa_json_pull_u64(json, &ret->pid);
		else if (pipa_json_text_is(&key, "tid"))
			pipa_json_pull_u64(json, &ret->tid);
		else
			pipa_json_pull_skip(json);
	}
}

static enum node_kind kind_of(const struct pipa_json_text *name)
{
	return pipa_json_text_is(name, "(root)")	      ? NODE_ROOT :
	       pipa_json_text_is(name, "(idle)")	      ? NODE_IDLE :
	       pipa_json_text_is(name, PIPA_VIEWER_TRUNCATED) ? NODE_TRUNCATED :
	       pipa_json_text_is(name, PIPA_VIEWER_NO_STACK)  ? NODE_NO_STACK :
								NODE_FRAME;
}

/* Ids are numbers; old files have them as strings. */
static bool read_id(struct pipa_json_pull *json, uint64_t *ret)
{
	struct pipa_json_text text;
	struct pipa_json_pull number;

	if (pipa_json_pull_peek(json) != '"')
		return pipa_json_pull_u64(json, ret);
	if (!pipa_json_pull_string(json, &text))
		return false;
	number = *json;
	number.at = text.text;
	number.end = text.text + text.len;
	return pipa_json_pull_u64(&number, ret) ||
	       pipa_json_pull_fail(json, "an id is not a number");
}

static bool read_node(struct reader *r, struct pipa_json_pull *json, uint64_t *parent)
{
	struct node row = { .parent = PIPA_NONE, .stack = PIPA_NONE, .thread = PIPA_NONE };
	struct pipa_viewer_thread thread = { .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 };
	struct pipa_viewer_frame frame = { 0 };
	struct pipa_json_text key;
	bool first = true, has_id = false, has_thread = false;
	struct node *slot;
	uint64_t id = 0;
	int rc;

	*parent = UINT64_MAX;
	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		char c = pipa_json_pull_peek(json);

		if (pipa_json_text_is(&key, "id")) {
			has_id = read_id(json, &id);
		} else if (pipa_json_text_is(&key, "parent") && c != 'n') {
			read_id(json, parent);
		} else if (pipa_json_text_is(&key, "callFrame")) {
			read_call_frame(json, &frame);
		} else if (pipa_json_text_is(&key, "hitCount") && c != 'n') {
			pipa_json_pull_u64(json, &row.hits);
		} else if (pipa_json_text_is(&key, "thread") && c == '{') {
			read_thread(json, &thread);
			has_thread = true;
		} else {
			if (pipa_json_text_is(&key, "children") && c == '[') {
				row.children = *json;
				row.has_children = true;
			}
			pipa_json_pull_skip(json);
		}
	}
	if (json->status)
		return false;
	if (!has_id)
		return pipa_json_pull_fail(json, "a node has no id");
	row.kind = kind_of(&frame.name);
	if (has_thread) {
		row.kind = row.kind == NODE_ROOT ? NODE_ROOT : NODE_THREAD;
		row.thread = pipa_viewer_thread(r->p, &thread, &r->scratch);
	}
	if (row.kind == NODE_FRAME)
		row.location = pipa_viewer_location(r->p, &frame, &r->scratch);
	slot = PIPA_VEC_ADD(&r->nodes);
	if (!slot || row.location == PIPA_NONE || (has_thread && row.thread == PIPA_NONE)) {
		r->status = -ENOMEM;
		return false;
	}
	*slot = row;
	rc = pipa_id_map_add(&r->ids, id, (uint32_t)(r->nodes.n - 1));
	if (rc == -EEXIST)
		return pipa_json_pull_fail(json, "two nodes have the same id");
	r->status = rc;
	return !rc;
}

static bool set_parent(struct pipa_json_pull *json, struct reader *r, uint32_t child,
		       uint32_t parent)
{
	if (child == PIPA_NONE || parent == PIPA_NONE)
		return pipa_json_pull_fail(json, "a node is not in the list of nodes");
	if (r->nodes.items[child].parent != PIPA_NONE && r->nodes.items[child].parent != parent)
		return pipa_json_pull_fail(json, "a node has two parents");
	r->nodes.items[child].parent = parent;
	return true;
}

static bool read_nodes(struct reader *r, struct pipa_json_pull *json)
{
	struct pipa_json_pull again = *json;
	bool first = true;
	uint64_t parent, child;
	uint32_t i;

	if (!pipa_json_pull_open(json, '['))
		return false;
	while (pipa_json_pull_element(json, &first))
		if (!read_node(r, json, &parent))
			return false;
	if (json->status)
		return false;
	/* parents may come after their children */
	pipa_json_pull_open(&again, '[');
	first = true;
	for (i = 0; i < r->nodes.n && pipa_json_pull_element(&again, &first); i++) {
		struct pipa_json_pull list = r->nodes.items[i].children;
		struct pipa_json_text key;
		bool member = true, element = true;

		pipa_json_pull_open(&again, '{');
		while (pipa_json_pull_member(&again, &member, &key)) {
			if (!pipa_json_text_is(&key, "parent") ||
			    pipa_json_pull_peek(&again) == 'n') {
				pipa_json_pull_skip(&again);
				continue;
			}
			if (read_id(&again, &parent))
				set_parent(&again, r, i, pipa_id_map_find(&r->ids, parent));
		}
		if (!again.status && r->nodes.items[i].has_children &&
		    pipa_json_pull_open(&list, '['))
			while (pipa_json_pull_element(&list, &element))
				if (!read_id(&list, &child) ||
				    !set_parent(&list, r, pipa_id_map_find(&r->ids, child), i))
					break;
		if (!again.status && list.status)
			again = list;
		if (again.status)
			break;
	}
	*json = again;
	return !again.status;
}

/* Set stack and thread of a node whose parent has them. False on allocation failure. */
static bool finish_node(struct reader *r, struct node *node)
{
	const struct node *up = node->parent == PIPA_NONE ? NULL : &r->nodes.items[node->parent];

	node->is_done = true;
	if (up && node->thread == PIPA_NONE)
		node->thread = up->thread;
	node->stack = up ? up->stack : PIPA_NONE;
	if (node->kind != NODE_FRAME)
		return true;
	node->stack = node->stack != PIPA_NONE ?
			      pipa_profile_stack(r->p, node->stack, node->location) :
			      pipa_profile_root(r->p, node->location,
						up && up->kind == NODE_TRUNCATED);
	return node->stack != PIPA_NONE;
}

/* Make the stacks of all nodes. Fails if a node is its own caller. */
static bool make_stacks(struct reader *r, struct pipa_json_pull *json)
{
	uint32_t i, at, *slot;

	for (i = 0; i < r->nodes.n; i++) {
		r->path.n = 0;
		for (at = i; at != PIPA_NONE && !r->nodes.items[at].is_done;
		     at = r->nodes.items[at].parent) {
			slot = r->path.n < r->nodes.n ? PIPA_VEC_ADD(&r->path) : NULL;
			if (!slot && r->path.n >= r->nodes.n)
				return pipa_json_pull_fail(json, "a node is its own caller");
			if (!slot) {
				r->status = -ENOMEM;
				return false;
			}
			*slot = at;
		}
		while (r->path.n) {
			r->path.n--;
			if (!finish_node(r, &r->nodes.items[r->path.items[r->path.n]])) {
				r->status = -ENOMEM;
				return false;
			}
		}
	}
	return true;
}

/* ---- samples ----------------------------------------------------------------------------------- */

static bool add_sample(struct reader *r, struct pipa_json_pull *json, uint32_t event,
		       const struct node *node, uint64_t weight, uint64_t count, uint64_t end)
{
	const struct pipa_sample sample = {
		.event = event, .thread = node->thread, .stack = node->stack, .cpu = PIPA_NONE
	};
	struct pipa_timed_sample timed = { .time = end,
					   .weight = weight,
					   .cpu = PIPA_TIMED_NO_CPU };

	if (node->kind == NODE_ROOT || node->kind == NODE_IDLE || node->kind == NODE_THREAD)
		return true;
	if (!pipa_profile_has_room(r->p, event, weight))
		return pipa_json_pull_fail(json, "the sum of the times exceeds 64 bits");
	timed.sample = pipa_profile_sample(r->p, &sample);
	if (timed.sample == PIPA_NONE ||
	    (r->timeline && pipa_timeline_add(r->timeline, &timed) < 0)) {
		r->status = -ENOMEM;
		return false;
	}
	pipa_profile_add_weight_each(r->p, timed.sample, weight, count);
	return true;
}

static bool read_samples(struct reader *r, const struct parts *parts, uint32_t event,
			 struct pipa_json_pull *json)
{
	struct pipa_json_pull deltas = parts->deltas, *samples = json;
	bool first_sample = true, first_delta = true, more;
	uint64_t id, time, start, next;
	int64_t at; /* ns; may be before the sample before */
	double delta;
	const struct node *node = NULL;
	uint32_t number;

	*samples = parts->samples;
	pipa_json_pull_open(samples, '[');
	pipa_json_pull_open(&deltas, '[');
	if (!pipa_viewer_scale(parts->start, 1e3, &start))
		return pipa_json_pull_fail(samples, "startTime is negative or too large");
	time = start;
	at = (int64_t)start;
	while (!samples->status && !deltas.status) {
		more = pipa_json_pull_element(samples, &first_sample);
		if (more != pipa_json_pull_element(&deltas, &first_delta) && !samples->status &&
		    !deltas.status)
			pipa_json_pull_fail(samples, "samples and timeDeltas differ in number");
		if (!more || !read_id(samples, &id) || !pipa_json_pull_double(&deltas, &delta))
			break;
		number = pipa_id_map_find(&r->ids, id);
		if (number == PIPA_NONE) {
			pipa_json_pull_fail(samples, "a sample is not in the list of nodes");
			break;
		}
		/* clocks of V8 go back at times: such a sample is at the time of the one before */
		if (!(fabs(delta) < 9e15) ||
		    __builtin_add_overflow(at, llround(delta * 1e3), &at)) {
			pipa_json_pull_fail(samples, "a time exceeds 63 bits");
			break;
		}
		next = at > (int64_t)time ? (uint64_t)at : time;
		if (node && !add_sample(r, samples, event, node, next - time, 1, next))
			break;
		node = &r->nodes.items[number];
		time = next;
	}
	if (!samples->status && deltas.status)
		*samples = deltas;
	if (samples->status || r->status)
		return false;
	if (!node)
		return true;
	/* the difference is exact where nanoseconds since 1970 are not */
	if (!parts->has_end || !pipa_viewer_scale(parts->end - parts->start, 1e3, &next) ||
	    __builtin_add_overflow(start, next, &next) || next < time)
		next = time;
	return add_sample(r, samples, event, node, next - time, 1, next);
}

/* Use the hit counts of nodes, for files without times. */
static bool read_hits(struct reader *r, struct pipa_json_pull *json, uint32_t event)
{
	size_t i;

	for (i = 0; i < r->nodes.n; i++) {
		const struct node *node = &r->nodes.items[i];

		if (node->hits &&
		    !add_sample(r, json, event, node, node->hits, node->hits, PIPA_UNKNOWN))
			return false;
	}
	return true;
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void read_own(struct pipa_json_pull *json, struct parts *parts)
{
	struct pipa_json_text key;
	bool first = true;

	if (!pipa_json_pull_open(json, '{'))
		return;
	parts->is_own = true;
	while (pipa_json_pull_member(json, &first, &key)) {
		if (pipa_json_text_is(&key, "event"))
			pipa_json_pull_string(json, &parts->event);
		else if (pipa_json_text_is(&key, "unit"))
			pipa_json_pull_string(json, &parts->unit);
		else
			pipa_json_pull_skip(json);
	}
}

static bool find_parts(struct pipa_json_pull *json, struct parts *ret)
{
	struct pipa_json_text key;
	bool first = true;

	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		char c = pipa_json_pull_peek(json);

		if (pipa_json_text_is(&key, "startTime") && c != 'n') {
			pipa_json_pull_double(json, &ret->start);
		} else if (pipa_json_text_is(&key, "endTime") && c != 'n') {
			ret->has_end = pipa_json_pull_double(json, &ret->end);
		} else if (pipa_json_text_is(&key, "pipa") && c == '{') {
			read_own(json, ret);
		} else {
			if (pipa_json_text_is(&key, "nodes")) {
				ret->nodes = *json;
				ret->has_nodes = true;
			} else if (pipa_json_text_is(&key, "samples") && c == '[') {
				ret->samples = *json;
				ret->has_samples = true;
			} else if (pipa_json_text_is(&key, "timeDeltas") && c == '[') {
				ret->deltas = *json;
				ret->has_deltas = true;
			}
			pipa_json_pull_skip(json);
		}
	}
	if (!json->status && pipa_json_pull_peek(json))
		pipa_json_pull_fail(json, "text after the end of the object");
	if (!json->status && !ret->has_nodes)
		pipa_json_pull_fail(json, "the file has no nodes");
	return !json->status;
}

static bool read_file(struct reader *r, struct pipa_json_pull *json)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf name = { 0 };
	struct pipa_event_type type = { .name = "time", .unit = PIPA_VALUE_NS, .uncounted = true };
	struct parts parts = { 0 };
	bool timed;
	uint32_t event;

	if (!find_parts(json, &parts))
		return false;
	*json = parts.nodes;
	if (!read_nodes(r, json) || !make_stacks(r, json))
		return false;
	timed = parts.has_samples && parts.has_deltas;
	if (timed && parts.is_own && pipa_json_text_is(&parts.unit, PIPA_VALUE_NS)) {
		pipa_json_text_put(&parts.event, &name);
		type.name = pipa_buf_str(&name);
		type.uncounted = false;
	}
	if (!timed)
		type = (struct pipa_event_type){ .name = "samples", .unit = PIPA_VALUE_COUNT };
	event = pipa_profile_event_of(r->p, &type);
	if (event == PIPA_NONE) {
		r->status = -ENOMEM;
		return false;
	}
	return timed ? read_samples(r, &parts, event, json) : read_hits(r, json, event);
}

int pipa_cpuprofile_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			 struct pipa_span text, struct pipa_error *err)
{
	struct reader r = { .p = profile, .timeline = timeline };
	struct pipa_json_pull json;
	int rc = 0;

	pipa_json_pull_init(&json, text);
	if (!read_file(&r, &json))
		rc = json.status ? pipa_viewer_fail(&json, err) : r.status;
	free(r.nodes.items);
	free(r.path.items);
	pipa_id_map_done(&r.ids);
	pipa_buf_done(&r.scratch);
	return rc;
}
