#include "import/perf_script.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/str.h"
#include "base/text_chunks.h"
#include "import/script_line.h"
#include "import/script_stacks.h"
#include "model/profile.h"
#include "model/timeline.h"

struct pipa_perf_script {
	struct pipa_text_chunks feed; /* first: the callback casts it back */
	struct pipa_profile *profile;
	struct pipa_timeline *timeline; /* NULL: none */
	uint64_t from_ns, until_ns;
	struct pipa_script_stacks stacks;
	int status;
	size_t at; /* bytes of the current sample that were parsed */

	struct pipa_sample sample; /* current sample */
	uint64_t time;
	uint64_t first_ns, last_ns; /* range of the added samples; first > last: none */
	uint32_t cpu;
	bool open;	/* a sample has started */
	bool vague;	/* its header is only a word, which is accepted as comm */
	char text[256]; /* if frames follow, so that garbage does not fill the tables */
	size_t text_len;
	bool any;    /* a header has occurred */
	bool spaced; /* an empty line has ended a sample */
};

enum line_kind { LINE_FRAME, LINE_EMPTY, LINE_HEADER, LINE_COMMENT };

/*
 * Is the line a sample of its own? `perf script -F ip,sym` without call chains prints the address
 * right-aligned to column 17; a frame of a call chain has a tab before that. It becomes the
 * header's frame.
 */
static bool is_alone(const char *line, size_t len, struct pipa_script_header *header)
{
	struct pipa_parsed_frame frame;
	size_t at = 0;

	while (at < len && line[at] == ' ')
		at++;
	while (at < len && line[at] != ' ')
		at++;
	if (line[0] != ' ' || at != 17 || !pipa_script_frame_parse(line, len, &frame))
		return false;
	header->vague = false;
	header->comm.len = 0;
	header->frame = (struct pipa_text_slice){ line, len };
	return true;
}

static enum line_kind kind_of(const char *line, size_t len, bool any,
			      struct pipa_script_header *header)
{
	struct pipa_parsed_frame frame;

	if (len == 0 || (len == 1 && line[0] == '\r'))
		return LINE_EMPTY;
	if (line[0] == '\t')
		return LINE_FRAME;
	if (line[0] == '#')
		return LINE_COMMENT;
	pipa_script_header_parse(line, len, header);
	/*
	 * Without call chains perf indents comm. Old texts have spaces instead of tabs, and some
	 * have lost all indentation; srcline, registers and branches also start with a space.
	 */
	if (!header->vague)
		return LINE_HEADER;
	if (!any && is_alone(line, len, header))
		return LINE_HEADER;
	return line[0] == ' ' || pipa_script_frame_parse(line, len, &frame) ? LINE_FRAME :
									      LINE_HEADER;
}

static bool is_text(const struct pipa_profile *p, uint32_t string, struct pipa_text_slice span)
{
	const struct pipa_string *known = &p->strings.items[string];

	return known->len == span.len && memcmp(known->text, span.text, span.len) == 0;
}

/*
 * Return the thread of a header. It is usually that of the previous sample: the tables are searched
 * only otherwise.
 */
static uint32_t find_thread(struct pipa_perf_script *s, const struct pipa_script_header *h)
{
	struct pipa_profile *p = s->profile;
	struct pipa_thread thread = { .pid = h->pid, .tid = h->tid };

	if (s->sample.thread < p->threads.n) {
		const struct pipa_thread *last = &p->threads.items[s->sample.thread];

		if (last->pid == h->pid && last->tid == h->tid && is_text(p, last->comm, h->comm))
			return s->sample.thread;
	}
	thread.comm = pipa_strings_add(&p->strings, h->comm.text, h->comm.len);
	return thread.comm == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_thread(p, &thread);
}

/*
 * Return the unit of an event's weights. The text has only its name; clock events are known by it.
 */
static const char *unit_of(const char *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "duration_time" };
	size_t i, len;

	for (i = 0; i < PIPA_COUNT(clocks); i++) {
		len = strlen(clocks[i]);
		if (pipa_str_starts(event, clocks[i]) && (!event[len] || event[len] == ':'))
			return PIPA_VALUE_NS;
	}
	return event[0] ? PIPA_VALUE_COUNT : "";
}

static uint32_t find_event(struct pipa_perf_script *s, struct pipa_text_slice name)
{
	struct pipa_profile *p = s->profile;
	struct pipa_event_type type = { 0 };
	uint32_t text;

	if (s->sample.event < p->events.n &&
	    is_text(p, p->events.items[s->sample.event].name, name))
		return s->sample.event;
	text = pipa_strings_add(&p->strings, name.text, name.len);
	if (text == PIPA_NO_STRING)
		return PIPA_NONE;
	type.name = pipa_profile_string(p, text);
	type.unit = unit_of(type.name);
	return pipa_profile_event_of(p, &type);
}

static int fill_sample(struct pipa_perf_script *s, const struct pipa_script_header *h)
{
	struct pipa_text_slice event = h->event.text ? h->event : (struct pipa_text_slice){ "", 0 };

	s->sample = (struct pipa_sample){
		.thread = find_thread(s, h),
		.event = find_event(s, event),
		.cpu = PIPA_NONE,
		.stack = PIPA_NONE,
		.weight = h->period ? h->period : 1,
		.count = 1,
	};
	s->time = h->time;
	s->cpu = h->cpu;
	return s->sample.thread == PIPA_NONE || s->sample.event == PIPA_NONE ? -ENOMEM : 0;
}

static int open_sample(struct pipa_perf_script *s, const struct pipa_script_header *h)
{
	s->open = true;
	s->any = true;
	s->vague = h->vague;
	if (!h->vague)
		return fill_sample(s, h);
	s->text_len = h->comm.len < sizeof(s->text) ? h->comm.len : sizeof(s->text);
	memcpy(s->text, h->comm.text, s->text_len);
	return 0;
}

static int accept_vague(struct pipa_perf_script *s)
{
	return fill_sample(s, &(struct pipa_script_header){ .comm = { s->text, s->text_len },
							    .pid = PIPA_UNKNOWN32,
							    .tid = PIPA_UNKNOWN32,
							    .time = PIPA_UNKNOWN,
							    .cpu = PIPA_UNKNOWN32 });
}

/*
 * Start a sample for frames without any header, as printed by `perf script -F ip,sym,dso`. It has
 * no thread.
 */
static int open_without_header(struct pipa_perf_script *s)
{
	s->sample = (struct pipa_sample){
		.thread = PIPA_NONE,
		.event = pipa_profile_event(s->profile, ""),
		.cpu = PIPA_NONE,
		.stack = PIPA_NONE,
		.weight = 1,
		.count = 1,
	};
	s->time = PIPA_UNKNOWN;
	s->cpu = PIPA_UNKNOWN32;
	s->open = true;
	s->vague = false;
	return s->sample.event == PIPA_NONE ? -ENOMEM : 0;
}

/* Drop a sample whose stack is too long, and its remaining frames. */
static void drop_sample(struct pipa_text_chunks *feed)
{
	struct pipa_perf_script *s = (struct pipa_perf_script *)feed;

	s->profile->losses.cut_stacks++;
	s->at = 0;
	s->open = false;
	s->any = true;
}

static bool is_asked_for(const struct pipa_perf_script *s)
{
	return s->time == PIPA_UNKNOWN ||
	       (s->time >= s->from_ns && (!s->until_ns || s->time <= s->until_ns));
}

static int add_sample(struct pipa_perf_script *s)
{
	const struct pipa_timed_sample moment = { s->time, s->sample.weight,
						  pipa_profile_sample(s->profile, &s->sample),
						  pipa_timed_sample_cpu(s->cpu), 0 };

	if (moment.sample == PIPA_NONE)
		return -ENOMEM;
	if (!pipa_profile_has_room(s->profile, s->sample.event, s->sample.weight)) {
		s->profile->losses.damaged++;
		return 0;
	}
	pipa_profile_add_weight_each(s->profile, moment.sample, s->sample.weight, s->sample.count);
	if (s->time != PIPA_UNKNOWN) {
		s->first_ns = s->time < s->first_ns ? s->time : s->first_ns;
		s->last_ns = s->time > s->last_ns ? s->time : s->last_ns;
		s->profile->duration_ns = s->last_ns - s->first_ns;
	}
	return s->timeline ? pipa_timeline_add(s->timeline, &moment) : 0;
}

/* Add the current sample, which is complete, with these lines. */
static int close_sample(struct pipa_perf_script *s, const char *lines, size_t len)
{
	int rc = 0;

	if (len > PIPA_TEXT_CHUNKS_MAX) {
		drop_sample(&s->feed);
		return 0;
	}
	if (!s->open && len && !s->any)
		rc = open_without_header(s);
	else if (s->vague && s->open && len)
		rc = accept_vague(s);
	if (!rc && (!s->open || (s->vague && !len))) {
		s->profile->losses.damaged += s->open || len;
		s->open = false;
		return 0;
	}
	s->open = false;
	if (!rc && !is_asked_for(s))
		return 0;
	if (!rc && len)
		rc = pipa_script_stacks_find(&s->stacks, lines, len, &s->sample.stack);
	return rc ? rc : add_sample(s);
}

static int begin_sample(struct pipa_perf_script *s, const char *line,
			const struct pipa_script_header *header)
{
	int rc;

	if (header->other)
		return 0;
	rc = open_sample(s, header);
	if (header->frame.text == line) /* the whole line is the frame: there is no header */
		s->any = false;
	if (!rc && header->frame.len)
		rc = close_sample(s, header->frame.text, header->frame.len);
	return rc;
}

static size_t read_lines(struct pipa_text_chunks *feed, const char *data, size_t len)
{
	struct pipa_perf_script *s = (struct pipa_perf_script *)feed;
	size_t start = 0, at = s->at;
	const char *newline;

	while (!s->status && at < len && (newline = memchr(data + at, '\n', len - at))) {
		size_t next = (size_t)(newline - data) + 1;
		struct pipa_script_header header;
		enum line_kind kind = kind_of(data + at, next - 1 - at, s->any, &header);

		if (kind != LINE_FRAME) {
			s->spaced |= kind == LINE_EMPTY && s->open;
			s->status = close_sample(s, data + start, at - start);
			if (!s->status && kind == LINE_HEADER)
				s->status = begin_sample(s, data + at, &header);
			start = next;
		}
		at = next;
	}
	s->at = at - start;
	return start;
}

struct pipa_perf_script *pipa_perf_script_new(struct pipa_profile *profile)
{
	struct pipa_perf_script *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->feed.eat = read_lines;
	s->feed.give_up = drop_sample;
	s->first_ns = UINT64_MAX;
	s->profile = profile;
	s->stacks.profile = profile;
	s->sample.thread = s->sample.event = PIPA_NONE;
	return s;
}

void pipa_perf_script_keep_times(struct pipa_perf_script *s, struct pipa_timeline *timeline)
{
	s->timeline = timeline;
}

void pipa_perf_script_between(struct pipa_perf_script *s, uint64_t from_ns, uint64_t until_ns)
{
	s->from_ns = from_ns;
	s->until_ns = until_ns;
}

void pipa_perf_script_free(struct pipa_perf_script *s)
{
	if (!s)
		return;
	pipa_text_chunks_done(&s->feed);
	pipa_script_stacks_done(&s->stacks);
	free(s);
}

int pipa_perf_script_put(struct pipa_perf_script *s, const char *bytes, size_t len)
{
	int rc = s->status ? s->status : pipa_text_chunks_put(&s->feed, bytes, len);

	return rc ? rc : s->status;
}

int pipa_perf_script_end(struct pipa_perf_script *s)
{
	int rc = s->status ? s->status : pipa_text_chunks_end(&s->feed);

	if (rc || s->status)
		return rc ? rc : s->status;
	/* without stacks there are no empty lines: the last sample is complete */
	if (s->open && !s->feed.carry.len && !s->spaced)
		return close_sample(s, NULL, 0);
	s->profile->losses.cut_stacks += s->open || s->feed.carry.len;
	s->open = false;
	return 0;
}
