#include "analyze/profile/filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/profile/label_match.h"
#include "base/auto.h"
#include "base/error.h"
#include "base/regex.h"
#include "base/str.h"
#include "model/profile.h"
#include "model/timeline.h"

enum { FOCUS, IGNORE, HIDE, SHOW, SHOW_FROM, EXPRESSIONS };

static const char truncated_frame[] = "[truncated]"; /* outermost frame of an incomplete stack */

/* An expression and the rows that it matches. */
struct expression {
	bool given, matched;
	regex_t regex;
	bool *functions, *objects;
	bool truncated;
};

/* Result of the expressions for a location. */
struct location_state {
	bool focused : 1, ignored : 1, hidden : 1, shown_from : 1;
};

struct filter {
	const struct pipa_filter_options *o;
	struct pipa_profile *p;
	struct expression expressions[EXPRESSIONS];
	struct pipa_label_match *labels[PIPA_FILTER_LABELS_MAX];
	struct location_state *locations; /* NULL: no expression given */
	struct location_state truncated;
	struct location_state *stacks; /* [stack] of all its frames */
	uint32_t *new_stacks;	       /* [stack] its index after the filter, PIPA_NONE: no frame */
	uint32_t *new_samples;	       /* [sample] likewise, PIPA_NONE: removed */
	uint8_t trace_id[16];
};

static void filter_done(struct filter *f)
{
	size_t i;

	for (i = 0; i < EXPRESSIONS; i++) {
		if (f->expressions[i].given)
			regfree(&f->expressions[i].regex);
		free(f->expressions[i].functions);
		free(f->expressions[i].objects);
	}
	for (i = 0; i < PIPA_FILTER_LABELS_MAX; i++)
		pipa_label_match_free(f->labels[i]);
	free(f->locations);
	free(f->stacks);
	free(f->new_stacks);
	free(f->new_samples);
}

/* ---- options ----------------------------------------------------------------------------------- */

bool pipa_filter_is_set(const struct pipa_filter_options *o)
{
	return o->focus || o->ignore || o->hide || o->show || o->show_from || o->pids || o->tids ||
	       o->cpus || o->comms || o->labels.n || o->trace_id || o->from_ns || o->until_ns;
}

/* Parse one range of a list, "7" or "12-15"; return the rest, NULL if it is invalid. */
static const char *next_range(const char *at, uint32_t *ret_low, uint32_t *ret_high)
{
	uint64_t number[2] = { 0 };
	size_t i;

	for (i = 0; i < 2; i++) {
		if (!isdigit((unsigned char)*at))
			return NULL;
		for (; isdigit((unsigned char)*at) && number[i] < UINT32_MAX; at++)
			number[i] = number[i] * 10 + (uint64_t)(*at - '0');
		if (i || *at != '-')
			break;
		at++;
	}
	*ret_low = (uint32_t)number[0];
	*ret_high = (uint32_t)(i ? number[1] : number[0]);
	if (number[0] >= UINT32_MAX || number[1] >= UINT32_MAX || *ret_high < *ret_low)
		return NULL;
	return *at == ',' && at[1] ? at + 1 : *at ? NULL : at;
}

static bool has_number(const char *list, uint32_t number)
{
	uint32_t low, high;

	while (list && *list) {
		list = next_range(list, &low, &high);
		if (list && number >= low && number <= high && number != PIPA_UNKNOWN32)
			return true;
	}
	return false;
}

static int check_numbers(const char *option, const char *list, struct pipa_error *err)
{
	const char *at = list;
	uint32_t low, high;

	if (!list)
		return 0;
	do
		at = next_range(at, &low, &high);
	while (at && *at);
	return at ? 0 :
		    pipa_refuse(
			    err, -EINVAL,
			    "%s: invalid list '%s', expected numbers and ranges such as 7,12-15",
			    option, list);
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static int parse_trace_id(const char *text, uint8_t ret[static 16], struct pipa_error *err)
{
	size_t i, n = strspn(text, "0123456789abcdefABCDEF");

	if (n != 32 || text[n])
		return pipa_refuse(err, -EINVAL,
				   "--trace-id: invalid id '%s', expected 32 hexadecimal digits",
				   text);
	for (i = 0; i < 16; i++)
		ret[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
	return 0;
}

static int parse_options(struct filter *f, struct pipa_error *err)
{
	const struct pipa_filter_options *o = f->o;
	const struct {
		const char *option, *text;
	} texts[EXPRESSIONS] = {
		[FOCUS] = { "--focus", o->focus },
		[IGNORE] = { "--ignore", o->ignore },
		[HIDE] = { "--hide", o->hide },
		[SHOW] = { "--show", o->show },
		[SHOW_FROM] = { "--show-from", o->show_from },
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < EXPRESSIONS; i++) {
		if (!texts[i].text)
			continue;
		rc = pipa_regex_compile(texts[i].option, texts[i].text, &f->expressions[i].regex,
					err);
		f->expressions[i].given = !rc;
	}
	for (i = 0; !rc && i < o->labels.n; i++)
		rc = pipa_label_match_new(o->labels.items[i], &f->labels[i], err);
	if (!rc)
		rc = check_numbers("--pid", o->pids, err);
	if (!rc)
		rc = check_numbers("--tid", o->tids, err);
	if (!rc)
		rc = check_numbers("--cpu", o->cpus, err);
	if (!rc && o->trace_id)
		rc = parse_trace_id(o->trace_id, f->trace_id, err);
	return rc;
}

int pipa_filter_check(const struct pipa_filter_options *options, struct pipa_error *err)
{
	struct filter f = { .o = options };
	int rc = parse_options(&f, err);

	filter_done(&f);
	return rc;
}

/* ---- frames ------------------------------------------------------------------------------------ */

/* Search the names of all functions, files and objects once. */
static int match_names(struct filter *f, struct expression *e)
{
	const struct pipa_profile *p = f->p;
	size_t i;

	e->functions = calloc(p->functions.n + 1, sizeof(*e->functions));
	e->objects = calloc(p->objects.n + 1, sizeof(*e->objects));
	if (!e->functions || !e->objects)
		return -ENOMEM;
	for (i = 0; i < p->functions.n; i++) {
		const struct pipa_function *function = &p->functions.items[i];

		e->functions[i] =
			pipa_regex_matches(&e->regex, pipa_profile_string(p, function->name)) ||
			pipa_regex_matches(&e->regex, pipa_profile_string(p, function->file));
	}
	for (i = 0; i < p->objects.n; i++)
		e->objects[i] = p->objects.items[i].kind != PIPA_OBJECT_UNKNOWN &&
				pipa_regex_matches(&e->regex, pipa_profile_string(
								      p, p->objects.items[i].path));
	e->truncated = pipa_regex_matches(&e->regex, truncated_frame);
	return 0;
}

static bool matches_object(const struct expression *e, const struct filter *f,
			   const struct pipa_location *location)
{
	return location->object < f->p->objects.n && e->objects[location->object];
}

static bool matches_line(const struct expression *e, const struct filter *f, uint32_t line)
{
	return e->functions[f->p->lines.items[line].function];
}

static bool matches_location(const struct expression *e, const struct filter *f,
			     const struct pipa_location *location)
{
	uint32_t i;

	for (i = 0; i < location->n_lines; i++)
		if (matches_line(e, f, location->lines + i))
			return true;
	return matches_object(e, f, location);
}

/* Keep the lines of a location that match, or those that do not. */
static void keep_lines(const struct expression *e, struct filter *f, struct pipa_location *location,
		       bool matching)
{
	struct pipa_line *lines = f->p->lines.items;
	uint32_t i, n = 0;

	if (matches_object(e, f, location)) {
		location->n_lines = matching ? location->n_lines : 0;
		return;
	}
	for (i = location->lines; i < location->lines + location->n_lines; i++)
		if (matches_line(e, f, i) == matching)
			lines[location->lines + n++] = lines[i];
	location->n_lines = n;
}

/* Remove the callers, by inlining, of the outermost line that matches. False if none does. */
static bool cut_lines(const struct expression *e, struct filter *f, struct pipa_location *location)
{
	uint32_t n = location->n_lines;

	if (matches_object(e, f, location))
		return true;
	while (n && !matches_line(e, f, location->lines + n - 1))
		n--;
	if (!n)
		return false;
	location->n_lines = n;
	return true;
}

static void judge_location(struct filter *f, struct pipa_location *location,
			   struct location_state *state)
{
	struct expression *e = f->expressions;

	if (e[IGNORE].given && matches_location(&e[IGNORE], f, location))
		state->ignored = e[IGNORE].matched = true;
	else if (!e[FOCUS].given || matches_location(&e[FOCUS], f, location))
		state->focused = e[FOCUS].matched = true;
	if (e[HIDE].given && matches_location(&e[HIDE], f, location)) {
		e[HIDE].matched = true;
		keep_lines(&e[HIDE], f, location, false);
		state->hidden = !location->n_lines;
	}
	if (e[SHOW].given) {
		keep_lines(&e[SHOW], f, location, true);
		state->hidden |= !location->n_lines;
		e[SHOW].matched |= location->n_lines > 0;
	}
	if (e[SHOW_FROM].given && !state->hidden && cut_lines(&e[SHOW_FROM], f, location))
		state->shown_from = e[SHOW_FROM].matched = true;
}

static void judge_truncated_frame(struct filter *f)
{
	const struct expression *e = f->expressions;

	f->truncated = (struct location_state){
		.ignored = e[IGNORE].truncated,
		.focused = !e[IGNORE].truncated && (!e[FOCUS].given || e[FOCUS].truncated),
		.hidden = e[HIDE].truncated || (e[SHOW].given && !e[SHOW].truncated),
		.shown_from = e[SHOW_FROM].truncated,
	};
}

static void add_state(struct location_state *to, const struct location_state *state)
{
	to->focused |= state->focused;
	to->ignored |= state->ignored;
	to->shown_from |= state->shown_from;
}

/* Judge all locations, then each stack by its own frame and its caller, which precedes it. */
static int judge_stacks(struct filter *f)
{
	struct pipa_profile *p = f->p;
	bool any = false;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < EXPRESSIONS; i++)
		if (f->expressions[i].given) {
			any = true;
			rc = match_names(f, &f->expressions[i]);
		}
	if (rc || !any)
		return rc;
	f->locations = calloc(p->locations.n + 1, sizeof(*f->locations));
	f->stacks = calloc(p->stacks.n + 1, sizeof(*f->stacks));
	if (!f->locations || !f->stacks)
		return -ENOMEM;
	for (i = 0; i < p->locations.n; i++)
		judge_location(f, &p->locations.items[i], &f->locations[i]);
	judge_truncated_frame(f);
	for (i = 0; i < p->stacks.n; i++) {
		const struct pipa_stack *stack = &p->stacks.items[i];

		if (stack->parent != PIPA_NONE)
			f->stacks[i] = f->stacks[stack->parent];
		else if (stack->cut)
			f->stacks[i] = f->truncated;
		f->stacks[i].hidden = false;
		add_state(&f->stacks[i], &f->locations[stack->location]);
	}
	return 0;
}

/* Is the stack selected by focus, ignore and show_from? */
static bool is_stack_selected(const struct filter *f, uint32_t stack)
{
	const struct location_state *state;

	if (!f->locations)
		return true;
	if (stack == PIPA_NONE)
		return false;
	state = &f->stacks[stack];
	return state->focused && !state->ignored &&
	       (!f->expressions[SHOW_FROM].given || state->shown_from);
}

/*
 * Build the stacks of the selected samples without removed frames. A stack whose outermost frames
 * are hidden stays truncated if it was; below show_from it is complete.
 */
static int rebuild_stacks(struct filter *f)
{
	struct pipa_profile *p = f->p;
	__typeof__(p->stacks) old = p->stacks;
	PIPA_AUTO(free) bool *cut = calloc(old.n + 1, sizeof(*cut));
	PIPA_AUTO(free) bool *used = calloc(old.n + 1, sizeof(*used));
	bool from = f->expressions[SHOW_FROM].given;
	size_t i;
	int rc = 0;

	f->new_stacks = malloc(old.n * sizeof(*f->new_stacks) + 1);
	if (!cut || !used || !f->new_stacks)
		return -ENOMEM;
	for (i = 0; i < p->samples.n; i++)
		if (f->new_samples[i] != PIPA_NONE && p->samples.items[i].stack != PIPA_NONE)
			used[p->samples.items[i].stack] = true;
	for (i = old.n; i-- > 0;)
		if (used[i] && old.items[i].parent != PIPA_NONE)
			used[old.items[i].parent] = true;
	p->stacks = (__typeof__(p->stacks)){ 0 };
	for (i = 0; !rc && i < old.n; i++) {
		const struct pipa_stack *stack = &old.items[i];
		bool is_root = stack->parent == PIPA_NONE;
		uint32_t caller = is_root ? PIPA_NONE : f->new_stacks[stack->parent];

		f->new_stacks[i] = caller;
		cut[i] = is_root ? stack->cut && !f->truncated.hidden : cut[stack->parent];
		if (!used[i] || f->locations[stack->location].hidden ||
		    (from && !f->stacks[i].shown_from))
			continue;
		if (caller == PIPA_NONE && !(from && !f->truncated.shown_from))
			f->new_stacks[i] = pipa_profile_root(p, stack->location, cut[i]);
		else
			f->new_stacks[i] = pipa_profile_stack(p, caller, stack->location);
		rc = f->new_stacks[i] == PIPA_NONE ? -ENOMEM : 0;
	}
	free(old.items);
	pipa_index_done(&old.index);
	return rc;
}

/* ---- samples ----------------------------------------------------------------------------------- */

static bool is_sample_selected(const struct filter *f, const struct pipa_sample *s)
{
	const struct pipa_filter_options *o = f->o;
	const struct pipa_profile *p = f->p;
	const struct pipa_thread *thread = s->thread < p->threads.n ? &p->threads.items[s->thread] :
								      NULL;
	size_t i;

	if ((o->pids && !(thread && has_number(o->pids, thread->pid))) ||
	    (o->tids && !(thread && has_number(o->tids, thread->tid))) ||
	    (o->cpus && !has_number(o->cpus, s->cpu)) ||
	    (o->comms &&
	     !(thread && pipa_str_listed(o->comms, pipa_profile_string(p, thread->comm), false))))
		return false;
	for (i = 0; i < o->labels.n; i++)
		if (!pipa_label_match(f->labels[i], p, s))
			return false;
	return is_stack_selected(f, s->stack);
}

/* Has the sample the label trace_id of that value, as Pyroscope's have? */
static bool has_trace_label(const struct filter *f, const struct pipa_sample *s, bool *ret_has_one)
{
	size_t i, n = pipa_label_set_size(f->p, s->labels);

	for (i = 0; i < n; i++) {
		const struct pipa_label *label = pipa_label_set_get(f->p, s->labels, i);

		if (label->kind != PIPA_LABEL_TEXT ||
		    strcmp(pipa_profile_string(f->p, label->key), "trace_id") != 0)
			continue;
		*ret_has_one = true;
		if (strcasecmp(pipa_profile_string(f->p, label->text), f->o->trace_id) == 0)
			return true;
	}
	return false;
}

static bool is_entry_selected(const struct filter *f, const struct pipa_timeline *t, size_t entry,
			      const bool *labelled)
{
	const struct pipa_filter_options *o = f->o;
	const struct pipa_trace_link *link = pipa_timeline_link_of(t, entry);
	uint64_t time = t->items[entry].time;

	if (time < o->from_ns || (o->until_ns && time > o->until_ns))
		return false;
	return !o->trace_id || labelled[t->items[entry].sample] ||
	       (link && memcmp(link->trace_id, f->trace_id, sizeof(f->trace_id)) == 0);
}

/*
 * Set the weights of samples to those of the selected entries of the timeline. A sample that is
 * selected by its label keeps its weight if no time is given.
 */
static int select_by_timeline(struct filter *f, struct pipa_timeline *t,
			      struct pipa_filter_result *ret)
{
	struct pipa_profile *p = f->p;
	bool timed = f->o->from_ns || f->o->until_ns;
	PIPA_AUTO(free) bool *labelled = calloc(p->samples.n + 1, sizeof(*labelled));
	size_t i, n = 0;

	if (!labelled)
		return -ENOMEM;
	for (i = 0; i < p->samples.n; i++) {
		struct pipa_sample *s = &p->samples.items[i];

		labelled[i] = f->o->trace_id && has_trace_label(f, s, &ret->has_trace_ids);
		if (!labelled[i] || timed)
			s->weight = s->count = 0;
	}
	ret->has_trace_ids |= t->link_table.n > 0;
	for (i = 0; i < t->n; i++) {
		const struct pipa_timed_sample *entry = &t->items[i];
		struct pipa_sample *s = &p->samples.items[entry->sample];

		if (!is_entry_selected(f, t, i, labelled))
			continue;
		if (!labelled[entry->sample] || timed) {
			s->weight += entry->weight;
			s->count += (uint64_t)entry->more + 1;
		}
		if (t->links)
			t->links[n] = t->links[i];
		t->items[n++] = *entry;
	}
	t->n = n;
	for (i = 0; i < p->samples.n; i++)
		if (!p->samples.items[i].weight && !p->samples.items[i].count)
			f->new_samples[i] = PIPA_NONE;
	return 0;
}

/* Rebuild the table of samples with the new stacks. Samples that have become equal are added. */
static int rebuild_samples(struct filter *f)
{
	struct pipa_profile *p = f->p;
	__typeof__(p->samples) old = p->samples;
	size_t i;
	int rc = 0;

	p->samples = (__typeof__(p->samples)){ 0 };
	for (i = 0; i < p->events.n; i++)
		p->events.items[i].weight = p->events.items[i].count = 0;
	for (i = 0; !rc && i < old.n; i++) {
		struct pipa_sample sample = old.items[i];

		if (f->new_samples[i] == PIPA_NONE)
			continue;
		if (f->new_stacks && sample.stack != PIPA_NONE)
			sample.stack = f->new_stacks[sample.stack];
		f->new_samples[i] = PIPA_NONE;
		if (f->new_stacks && sample.stack == PIPA_NONE)
			continue; /* all frames are hidden */
		f->new_samples[i] = pipa_profile_sample(p, &sample);
		if (f->new_samples[i] == PIPA_NONE)
			rc = -ENOMEM;
		else
			pipa_profile_add_weight(p, f->new_samples[i], sample.weight, sample.count);
	}
	free(old.items);
	pipa_index_done(&old.index);
	return rc;
}

/* Remove the entries of removed samples from the timeline and renumber the others. */
static void renumber_timeline(const struct filter *f, struct pipa_timeline *t)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		struct pipa_timed_sample entry = t->items[i];

		entry.sample = f->new_samples[entry.sample];
		if (entry.sample == PIPA_NONE)
			continue;
		if (t->links)
			t->links[n] = t->links[i];
		t->items[n++] = entry;
	}
	t->n = n;
}

/* Keep the unfiltered sums. */
static void save_sums(struct pipa_profile *p, struct pipa_filter_result *ret)
{
	size_t i;

	for (i = 0; i < p->events.n; i++) {
		struct pipa_profile_event *event = &p->events.items[i];

		event->unfiltered_weight = event->weight;
		event->unfiltered_count = event->count;
		ret->before += event->count;
	}
}

static void finish_sums(struct filter *f, struct pipa_filter_result *ret)
{
	size_t i;

	for (i = 0; i < f->p->events.n; i++) {
		struct pipa_profile_event *event = &f->p->events.items[i];

		ret->after += event->count;
		/* the weights of single samples are not known: those of removed ones are similar */
		if (event->unfiltered_weight)
			event->squares *= (double)event->weight / (double)event->unfiltered_weight;
	}
	ret->focus = f->expressions[FOCUS].matched;
	ret->ignore = f->expressions[IGNORE].matched;
	ret->hide = f->expressions[HIDE].matched;
	ret->show = f->expressions[SHOW].matched;
	ret->show_from = f->expressions[SHOW_FROM].matched;
}

static int apply(struct filter *f, struct pipa_timeline *timeline, struct pipa_filter_result *ret)
{
	struct pipa_profile *p = f->p;
	size_t i;
	int rc;

	save_sums(p, ret);
	f->new_samples = calloc(p->samples.n + 1, sizeof(*f->new_samples));
	rc = f->new_samples ? judge_stacks(f) : -ENOMEM;
	for (i = 0; !rc && i < p->samples.n; i++)
		if (!is_sample_selected(f, &p->samples.items[i]))
			f->new_samples[i] = PIPA_NONE;
	if (!rc && (f->o->trace_id || f->o->from_ns || f->o->until_ns))
		rc = select_by_timeline(f, timeline, ret);
	if (!rc && f->locations)
		rc = rebuild_stacks(f);
	if (!rc)
		rc = rebuild_samples(f);
	if (rc < 0)
		return rc;
	renumber_timeline(f, timeline);
	finish_sums(f, ret);
	return 0;
}

int pipa_filter_apply(const struct pipa_filter_options *options, struct pipa_profile *profile,
		      struct pipa_timeline *timeline, struct pipa_filter_result *ret,
		      struct pipa_error *err)
{
	struct filter f = { .o = options, .p = profile };
	int rc = parse_options(&f, err);

	*ret = (struct pipa_filter_result){ 0 };
	if (!rc) {
		rc = apply(&f, timeline, ret);
		if (rc < 0)
			pipa_fail(err, rc, "filter the samples");
	}
	filter_done(&f);
	return rc;
}
