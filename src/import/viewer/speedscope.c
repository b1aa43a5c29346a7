#include "import/viewer/speedscope.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/vec.h"
#include "import/viewer/viewer_profile.h"
#include "model/timeline.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct frame_row {
	uint32_t location;
	bool is_truncated, is_no_stack; /* of pipa: not frames */
};

/* A frame of the current stack and the stack of the profile up to it. */
struct open_frame {
	uint32_t frame, stack;
};

struct reader {
	struct pipa_profile *p;
	struct pipa_timeline *timeline;
	struct pipa_buf scratch;
	struct {
		struct frame_row *items;
		size_t n, cap;
	} frames;
	struct {
		struct open_frame *items;
		size_t n, cap;
	} open;
	int status; /* -ENOMEM */
};

/* A profile of the file: positions of its parts. */
struct part {
	struct pipa_json_text type, name, unit;
	struct pipa_json_pull samples, weights, events, counts;
	bool has_samples, has_weights, has_events, has_counts;
	double start;
	/* of pipa */
	bool is_own;
	struct pipa_json_text event, own_unit;
	struct pipa_viewer_thread thread;
};

/* Is it an object whose first member is a list of frames? */
static bool has_frames(struct pipa_json_pull json)
{
	struct pipa_json_text key;
	bool first = true;

	return pipa_json_pull_open(&json, '{') && pipa_json_pull_member(&json, &first, &key) &&
	       pipa_json_text_is(&key, "frames") && pipa_json_pull_peek(&json) == '[';
}

bool pipa_speedscope_is(struct pipa_span start)
{
	struct pipa_json_pull json;
	struct pipa_json_text key, value;
	bool first = true;

	pipa_json_pull_init(&json, start);
	if (!start.size || !pipa_json_pull_open(&json, '{'))
		return false;
	while (pipa_json_pull_member(&json, &first, &key)) {
		if (pipa_json_text_is(&key, "$schema") && pipa_json_pull_peek(&json) == '"')
			return pipa_json_pull_string(&json, &value) &&
			       pipa_json_text_is(&value, SCHEMA);
		if (pipa_json_text_is(&key, "shared") && has_frames(json))
			return true;
		if (!pipa_json_pull_skip(&json))
			break;
	}
	/* the key may come after the profiles; only its value is in no other file */
	return memmem(start.data, start.size, "\"" SCHEMA "\"", strlen(SCHEMA) + 2) != NULL;
}

/* ---- frames ------------------------------------------------------------------------------------ */

static bool read_frame(struct reader *r, struct pipa_json_pull *json)
{
	struct pipa_viewer_frame frame = { 0 };
	struct pipa_json_text key;
	struct frame_row *row;
	bool first = true, named = false;

	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		char c = pipa_json_pull_peek(json);

		if (pipa_json_text_is(&key, "name"))
			named = pipa_json_pull_string(json, &frame.name);
		else if (pipa_json_text_is(&key, "file") && c == '"')
			pipa_json_pull_string(json, &frame.file);
		else if (pipa_json_text_is(&key, "dso") && c == '"')
			pipa_json_pull_string(json, &frame.dso);
		else if (pipa_json_text_is(&key, "kernel") && c == 't')
			frame.is_kernel = pipa_json_pull_skip(json);
		else if (pipa_json_text_is(&key, "line") && c >= '0' && c <= '9')
			pipa_json_pull_u64(json, &frame.line);
		else
			pipa_json_pull_skip(json);
	}
	if (json->status)
		return false;
	if (!named)
		return pipa_json_pull_fail(json, "a frame lacks its name");
	row = PIPA_VEC_ADD(&r->frames);
	if (row)
		*row = (struct frame_row){
			.is_truncated = pipa_json_text_is(&frame.name, PIPA_VIEWER_TRUNCATED),
			.is_no_stack = pipa_json_text_is(&frame.name, PIPA_VIEWER_NO_STACK),
		};
	if (row && !row->is_truncated && !row->is_no_stack)
		row->location = pipa_viewer_location(r->p, &frame, &r->scratch);
	if (!row || row->location == PIPA_NONE)
		r->status = -ENOMEM;
	return !r->status;
}

static bool read_shared(struct reader *r, struct pipa_json_pull json, struct pipa_json_pull *failed)
{
	struct pipa_json_text key;
	bool first = true, element;

	if (pipa_json_pull_open(&json, '{'))
		while (!r->status && pipa_json_pull_member(&json, &first, &key)) {
			if (!pipa_json_text_is(&key, "frames")) {
				pipa_json_pull_skip(&json);
				continue;
			}
			element = true;
			if (pipa_json_pull_open(&json, '['))
				while (!r->status && pipa_json_pull_element(&json, &element))
					read_frame(r, &json);
		}
	*failed = json;
	return !json.status && !r->status;
}

/* ---- stacks ------------------------------------------------------------------------------------ */

/* Open a frame on top of the current stack. False on allocation failure. */
static bool push_frame(struct reader *r, uint32_t frame)
{
	const struct open_frame *below = r->open.n ? &r->open.items[r->open.n - 1] : NULL;
	const struct frame_row *row = &r->frames.items[frame];
	uint32_t stack = below ? below->stack : PIPA_NONE;
	struct open_frame *slot;

	if (row->is_truncated || row->is_no_stack) {
		/* not a frame: the stack stays */
	} else if (stack != PIPA_NONE) {
		stack = pipa_profile_stack(r->p, stack, row->location);
	} else {
		stack = pipa_profile_root(r->p, row->location,
					  below && r->frames.items[below->frame].is_truncated);
	}
	slot = PIPA_VEC_ADD(&r->open);
	if (!slot || (stack == PIPA_NONE && !row->is_truncated && !row->is_no_stack)) {
		r->status = -ENOMEM;
		return false;
	}
	*slot = (struct open_frame){ frame, stack };
	return true;
}

static uint32_t current_stack(const struct reader *r)
{
	return r->open.n ? r->open.items[r->open.n - 1].stack : PIPA_NONE;
}

static bool read_frame_number(struct reader *r, struct pipa_json_pull *json, uint64_t *ret)
{
	if (!pipa_json_pull_u64(json, ret))
		return false;
	return *ret < r->frames.n ||
	       pipa_json_pull_fail(json, "a frame is not in the list of frames");
}

/* Read the frames of a sample, outermost first; frames that the sample before had are reused. */
static bool read_stack(struct reader *r, struct pipa_json_pull *json)
{
	bool first = true;
	uint64_t frame;
	size_t n = 0;

	if (!pipa_json_pull_open(json, '['))
		return false;
	while (pipa_json_pull_element(json, &first)) {
		if (!read_frame_number(r, json, &frame))
			return false;
		if (n < r->open.n && r->open.items[n].frame != frame)
			r->open.n = n;
		if (n >= r->open.n && !push_frame(r, (uint32_t)frame))
			return false;
		n++;
	}
	r->open.n = n < r->open.n ? n : r->open.n;
	return !json->status;
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Time units and their length in nanoseconds. */
static double unit_ns(const struct pipa_json_text *unit)
{
	return pipa_json_text_is(unit, "nanoseconds")  ? 1 :
	       pipa_json_text_is(unit, "microseconds") ? 1e3 :
	       pipa_json_text_is(unit, "milliseconds") ? 1e6 :
	       pipa_json_text_is(unit, "seconds")      ? 1e9 :
							 0;
}

/* The event and thread of a part, and how its numbers become weights. */
struct column {
	struct pipa_sample sample;
	double factor;
	bool has_times; /* weights are times that follow each other */
	uint64_t start; /* ns */
};

/* Has a list of numbers fractions? Looks at its text, so that lists of integers stay exact. */
static bool has_fractions(struct pipa_json_pull list)
{
	const char *start = list.at;

	if (!pipa_json_pull_skip(&list))
		return false;
	for (; start < list.at; start++)
		if (*start == '.' || *start == 'e' || *start == 'E')
			return true;
	return false;
}

/* An event of an evented profile. */
struct event {
	struct pipa_json_text type;
	uint64_t frame;
	double at;
};

static bool read_event(struct reader *r, struct pipa_json_pull *json, struct event *ret)
{
	bool first = true, has_type = false, has_frame = false, has_at = false;
	struct pipa_json_text key;

	*ret = (struct event){ 0 };
	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		if (pipa_json_text_is(&key, "type"))
			has_type = pipa_json_pull_string(json, &ret->type);
		else if (pipa_json_text_is(&key, "frame"))
			has_frame = read_frame_number(r, json, &ret->frame);
		else if (pipa_json_text_is(&key, "at"))
			has_at = pipa_json_pull_double(json, &ret->at);
		else
			pipa_json_pull_skip(json);
	}
	if (json->status)
		return false;
	return (has_type && has_frame && has_at) ||
	       pipa_json_pull_fail(json, "an event has no type, frame or time");
}

/* Has a list of events times with fractions? */
static bool has_event_fractions(struct reader *r, struct pipa_json_pull list)
{
	struct event event;
	bool first = true;

	if (!pipa_json_pull_open(&list, '['))
		return false;
	while (pipa_json_pull_element(&list, &first) && read_event(r, &list, &event))
		if (event.at != floor(event.at))
			return true;
	return false;
}

/* Has a profile weights or times with fractions? */
static bool has_part_fractions(struct reader *r, const struct part *part, bool evented)
{
	return evented ? has_event_fractions(r, part->events) : has_fractions(part->weights);
}

static bool make_column(struct reader *r, const struct part *part, bool evented, struct column *ret)
{
	enum { FRACTION = 1000 };
	double ns = unit_ns(&part->unit);
	struct pipa_event_type type = { .uncounted = evented || !part->is_own };
	struct pipa_viewer_thread thread = part->thread;
	char *name = NULL, *unit = NULL;
	bool fractions = false;

	*ret = (struct column){ .factor = ns ? ns : 1 };
	if (part->is_own) {
		struct pipa_buf text = { 0 };

		pipa_json_text_put(&part->event, &text);
		name = pipa_buf_take(&text);
		pipa_json_text_put(&part->own_unit, &text);
		unit = pipa_buf_take(&text);
		if (!name || !unit) {
			free(name);
			free(unit);
			r->status = -ENOMEM;
			return false;
		}
	}
	type.name = name && !(evented && unit && strcmp(unit, PIPA_VALUE_NS) != 0) ? name :
		    ns								   ? "time" :
		    pipa_json_text_is(&part->unit, "bytes")			   ? "space" :
										     "samples";
	type.unit = unit && !evented			    ? unit :
		    ns					    ? PIPA_VALUE_NS :
		    pipa_json_text_is(&part->unit, "bytes") ? PIPA_VALUE_BYTES :
							      PIPA_VALUE_COUNT;
	if (part->is_own && !evented)
		ret->factor = 1; /* in the unit of the event */
	if (!ns && strcmp(type.unit, PIPA_VALUE_BYTES) != 0)
		fractions = has_part_fractions(r, part, evented);
	ret->sample.event = pipa_profile_event_of(r->p, &type);
	free(name);
	free(unit);
	if (ret->sample.event == PIPA_NONE) {
		r->status = -ENOMEM;
		return false;
	}
	if (fractions && !r->p->events.items[ret->sample.event].scale &&
	    pipa_profile_scale(r->p, ret->sample.event, FRACTION) < 0)
		return false;
	if (r->p->events.items[ret->sample.event].scale)
		ret->factor *= r->p->events.items[ret->sample.event].scale;
	if (!part->is_own)
		thread.comm = part->name;
	ret->sample.thread = thread.comm.len ? pipa_viewer_thread(r->p, &thread, &r->scratch) :
					       PIPA_NONE;
	if (thread.comm.len && ret->sample.thread == PIPA_NONE)
		r->status = -ENOMEM;
	ret->sample.cpu = PIPA_NONE;
	ret->has_times = ns && (evented || !part->is_own);
	if (ret->has_times &&
	    !pipa_viewer_scale(part->start < 0 ? 0 : part->start, ns, &ret->start))
		ret->has_times = false;
	return !r->status;
}

/* Add a weight on the current stack; `end` is the time at which it ends. */
static bool add_sample(struct reader *r, struct pipa_json_pull *json, const struct column *column,
		       uint64_t weight, uint64_t count, uint64_t end)
{
	struct pipa_sample sample = column->sample;
	struct pipa_timed_sample timed = { .time = column->has_times ? end : PIPA_UNKNOWN,
					   .weight = weight,
					   .cpu = PIPA_TIMED_NO_CPU };

	sample.stack = current_stack(r);
	if (!pipa_profile_has_room(r->p, sample.event, weight))
		return pipa_json_pull_fail(json, "the sum of the weights exceeds 64 bits");
	if (r->p->events.items[sample.event].count > UINT64_MAX - count)
		return pipa_json_pull_fail(json, "the sum of the counts exceeds 64 bits");
	timed.sample = pipa_profile_sample(r->p, &sample);
	if (timed.sample == PIPA_NONE ||
	    (r->timeline && pipa_timeline_add(r->timeline, &timed) < 0)) {
		r->status = -ENOMEM;
		return false;
	}
	pipa_profile_add_weight_each(r->p, timed.sample, weight, count);
	return true;
}

static bool read_weight(struct pipa_json_pull *json, double factor, uint64_t *ret)
{
	double number;

	/* exact if it is an integer in the unit of the event */
	if (factor == 1 && pipa_json_pull_peek(json) != '-') {
		struct pipa_json_pull whole = *json;

		if (pipa_json_pull_u64(&whole, ret)) {
			*json = whole;
			return true;
		}
	}
	if (!pipa_json_pull_double(json, &number))
		return false;
	return pipa_viewer_scale(number, factor, ret) ||
	       pipa_json_pull_fail(json, "a weight is negative or exceeds 63 bits");
}

static bool read_sampled(struct reader *r, struct part *part, struct pipa_json_pull *failed)
{
	struct pipa_json_pull *samples = &part->samples, *weights = &part->weights;
	bool first_sample = true, first_weight = true, first_count = true, more;
	uint64_t weight, count = 1, at;
	struct column column;

	*failed = *samples;
	if (!part->has_samples || !part->has_weights)
		return pipa_json_pull_fail(failed, "a profile has no samples or no weights");
	if (!make_column(r, part, false, &column))
		return false;
	at = column.start;
	r->open.n = 0;
	pipa_json_pull_open(samples, '[');
	pipa_json_pull_open(weights, '[');
	if (part->has_counts)
		pipa_json_pull_open(&part->counts, '[');
	while (!samples->status && !weights->status) {
		more = pipa_json_pull_element(samples, &first_sample);
		if (more != pipa_json_pull_element(weights, &first_weight) && !samples->status &&
		    !weights->status)
			pipa_json_pull_fail(samples, "samples and weights differ in number");
		if (!more || !read_stack(r, samples) ||
		    !read_weight(weights, column.factor, &weight))
			break;
		if (part->has_counts && (!pipa_json_pull_element(&part->counts, &first_count) ||
					 !pipa_json_pull_u64(&part->counts, &count) || !count))
			count = 1; /* a weight is that of at least one sample */
		/* an empty stack of a foreign file is time in which nothing ran */
		if (__builtin_add_overflow(at, weight, &at))
			pipa_json_pull_fail(weights, "times exceed 64 bits");
		else if ((r->open.n || part->is_own) &&
			 !add_sample(r, weights, &column, weight, count, at))
			break;
	}
	*failed = samples->status ? *samples : *weights;
	return !failed->status && !r->status;
}

/* Apply an event to the open frames. */
static bool apply_event(struct reader *r, struct pipa_json_pull *json, const struct event *event)
{
	if (pipa_json_text_is(&event->type, "O"))
		return push_frame(r, (uint32_t)event->frame);
	if (!pipa_json_text_is(&event->type, "C"))
		return pipa_json_pull_fail(json, "an event is neither O nor C");
	if (!r->open.n || r->open.items[r->open.n - 1].frame != event->frame)
		return pipa_json_pull_fail(json, "a frame is closed that was not opened last");
	r->open.n--;
	return true;
}

static bool read_evented(struct reader *r, struct part *part, struct pipa_json_pull *failed)
{
	struct pipa_json_pull *json = &part->events;
	uint64_t now, before;
	struct column column;
	struct event event;
	bool first = true;

	*failed = *json;
	if (!part->has_events)
		return pipa_json_pull_fail(failed, "a profile has no events");
	if (!make_column(r, part, true, &column))
		return false;
	before = 0;
	r->open.n = 0;
	pipa_json_pull_open(json, '[');
	while (!r->status && pipa_json_pull_element(json, &first)) {
		if (!read_event(r, json, &event))
			break;
		if (!pipa_viewer_scale(event.at, column.factor, &now)) {
			pipa_json_pull_fail(json, "a time is negative or exceeds 63 bits");
			break;
		}
		if (now < before) {
			pipa_json_pull_fail(json, "a time is before the one of the last event");
			break;
		}
		if (r->open.n && now > before &&
		    !add_sample(r, json, &column, now - before, 1, now))
			break;
		before = now;
		if (!apply_event(r, json, &event))
			break;
	}
	if (!json->status && !r->status && r->open.n)
		pipa_json_pull_fail(json, "a frame is not closed");
	*failed = *json;
	return !failed->status && !r->status;
}

/* ---- profiles ---------------------------------------------------------------------------------- */

/* Read what pipa added to a profile. */
static void read_own_part(struct pipa_json_pull *json, struct part *part)
{
	struct pipa_json_text key;
	bool first = true;

	if (!pipa_json_pull_open(json, '{'))
		return;
	part->is_own = true;
	while (pipa_json_pull_member(json, &first, &key)) {
		if (pipa_json_text_is(&key, "event")) {
			pipa_json_pull_string(json, &part->event);
		} else if (pipa_json_text_is(&key, "unit")) {
			pipa_json_pull_string(json, &part->own_unit);
		} else if (pipa_json_text_is(&key, "comm")) {
			pipa_json_pull_string(json, &part->thread.comm);
		} else if (pipa_json_text_is(&key, "pid")) {
			pipa_json_pull_u64(json, &part->thread.pid);
		} else if (pipa_json_text_is(&key, "tid")) {
			pipa_json_pull_u64(json, &part->thread.tid);
		} else {
			if (pipa_json_text_is(&key, "counts")) {
				part->counts = *json;
				part->has_counts = true;
			}
			pipa_json_pull_skip(json);
		}
	}
}

static bool read_profile(struct reader *r, struct pipa_json_pull *json)
{
	struct part part = { .thread = { .pid = PIPA_UNKNOWN32, .tid = PIPA_UNKNOWN32 } };
	struct pipa_json_pull failed = { 0 };
	struct pipa_json_text key;
	bool first = true, evented;

	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		char c = pipa_json_pull_peek(json);

		if (pipa_json_text_is(&key, "type") && c == '"') {
			pipa_json_pull_string(json, &part.type);
		} else if (pipa_json_text_is(&key, "name") && c == '"') {
			pipa_json_pull_string(json, &part.name);
		} else if (pipa_json_text_is(&key, "unit") && c == '"') {
			pipa_json_pull_string(json, &part.unit);
		} else if (pipa_json_text_is(&key, "startValue") && c != 'n') {
			pipa_json_pull_double(json, &part.start);
		} else if (pipa_json_text_is(&key, "pipa") && c == '{') {
			read_own_part(json, &part);
		} else {
			if (pipa_json_text_is(&key, "samples")) {
				part.samples = *json;
				part.has_samples = true;
			} else if (pipa_json_text_is(&key, "weights")) {
				part.weights = *json;
				part.has_weights = true;
			} else if (pipa_json_text_is(&key, "events")) {
				part.events = *json;
				part.has_events = true;
			}
			pipa_json_pull_skip(json);
		}
	}
	if (json->status)
		return false;
	evented = pipa_json_text_is(&part.type, "evented");
	if (!evented && !pipa_json_text_is(&part.type, "sampled"))
		return pipa_json_pull_fail(json, "a profile is neither sampled nor evented");
	if (!(evented ? read_evented : read_sampled)(r, &part, &failed)) {
		if (failed.status)
			*json = failed;
		return false;
	}
	return true;
}

/* Read the losses that pipa wrote. */
static void read_losses(struct pipa_json_pull json, struct pipa_losses *losses)
{
	struct pipa_json_text key;
	bool first = true;
	uint64_t number;

	if (!pipa_json_pull_open(&json, '{'))
		return;
	while (pipa_json_pull_member(&json, &first, &key) && pipa_json_pull_u64(&json, &number)) {
		if (pipa_json_text_is(&key, "lost_samples"))
			losses->lost_samples = number;
		else if (pipa_json_text_is(&key, "lost_records"))
			losses->lost_records = number;
		else if (pipa_json_text_is(&key, "throttled"))
			losses->throttled = number;
	}
}

static bool read_file(struct reader *r, struct pipa_json_pull *json)
{
	struct pipa_json_pull shared = { 0 }, profiles = { 0 };
	bool first = true, has_shared = false, has_profiles = false;
	struct pipa_json_text key;

	if (!pipa_json_pull_open(json, '{'))
		return false;
	while (pipa_json_pull_member(json, &first, &key)) {
		if (pipa_json_text_is(&key, "shared")) {
			shared = *json;
			has_shared = true;
		} else if (pipa_json_text_is(&key, "profiles")) {
			profiles = *json;
			has_profiles = true;
		} else if (pipa_json_text_is(&key, "pipa")) {
			read_losses(*json, &r->p->losses);
		}
		pipa_json_pull_skip(json);
	}
	if (!json->status && pipa_json_pull_peek(json))
		pipa_json_pull_fail(json, "text after the end of the object");
	if (!json->status && (!has_shared || !has_profiles))
		pipa_json_pull_fail(json, "the file has no frames or no profiles");
	if (json->status || !read_shared(r, shared, json) || json->status)
		return false;
	*json = profiles;
	first = true;
	if (pipa_json_pull_open(json, '['))
		while (pipa_json_pull_element(json, &first))
			if (!read_profile(r, json))
				return false;
	return !json->status;
}

int pipa_speedscope_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			 struct pipa_span text, struct pipa_error *err)
{
	struct reader r = { .p = profile, .timeline = timeline };
	struct pipa_json_pull json;
	int rc = 0;

	pipa_json_pull_init(&json, text);
	if (!read_file(&r, &json))
		rc = r.status	 ? r.status :
		     json.status ? pipa_viewer_fail(&json, err) :
				   pipa_refuse(err, -EBADMSG, "weights exceed 64 bits");
	free(r.frames.items);
	free(r.open.items);
	pipa_buf_done(&r.scratch);
	return rc;
}
