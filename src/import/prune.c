#include "import/prune.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/vec.h"
#include "model/profile.h"

enum {
	EXPRESSION_MAX = 16 << 10,
	NESTING_MAX = 50, /* of parentheses: regcomp(3) calls itself for each */
	NAME_MAX_BYTES = 4096,
};

/* Effect of the expressions on a location. */
enum fate {
	KEPT,
	CALLEES_REMOVED, /* lines of functions that were inlined into it are removed, too */
	REMOVED,
};

struct pruner {
	struct pipa_profile *p;
	regex_t drop, keep;
	bool has_drop, has_keep;
	int8_t *functions;   /* [function] 1: hidden, 0: shown, -1: not matched yet */
	enum fate *fates;    /* [location] */
	uint32_t *locations; /* [location] the one without removed lines */
	size_t n_locations;  /* before new ones are added */
	struct {
		uint32_t *items;
		size_t n, cap;
	} path; /* stacks of a sample, innermost first */
};

static void pruner_done(struct pruner *r)
{
	if (r->has_drop)
		regfree(&r->drop);
	if (r->has_keep)
		regfree(&r->keep);
	free(r->functions);
	free(r->fates);
	free(r->locations);
	free(r->path.items);
}

/* ---- expressions ------------------------------------------------------------------------------- */

/* Can regcomp(3) compile any such expression in little time and memory? It has no limits of its own. */
static bool is_simple(const char *text)
{
	int depth = 0;

	if (strlen(text) > EXPRESSION_MAX)
		return false;
	for (; *text; text++) {
		if (*text == '{' || (*text == '\\' && text[1] >= '0' && text[1] <= '9'))
			return false; /* repetitions multiply, back references need time without bounds */
		if (*text == '\\' && text[1])
			text++;
		else if (*text == '(' && (++depth > NESTING_MAX || text[1] == '?'))
			return false;
		else if (*text == ')')
			depth--;
	}
	return true;
}

/* Compile the expression of an attribute, to be matched completely. 1, 0 if there is none, -EINVAL or -ENOMEM. */
static int compile(struct pipa_profile *p, const char *key, regex_t *ret)
{
	uint32_t name = pipa_profile_text(p, key);
	const struct pipa_label *label;
	const char *text;
	char *whole;
	int rc;

	if (name == PIPA_NO_STRING)
		return -ENOMEM;
	label = pipa_label_set_find(p, p->attributes, name);
	text = label && label->kind == PIPA_LABEL_TEXT ? pipa_profile_string(p, label->text) : "";
	if (!*text)
		return 0;
	if (!is_simple(text))
		return -EINVAL;
	if (asprintf(&whole, "^(%s)$", text) < 0)
		return -ENOMEM;
	rc = regcomp(ret, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	return rc == REG_ESPACE ? -ENOMEM : rc ? -EINVAL : 1;
}

/* Copy the name of a function without its parameters. */
static void copy_simple_name(const char *name, char ret[static NAME_MAX_BYTES])
{
	static const char *const kept[] = { "(anonymous namespace)", "operator()" };
	size_t n = 0, i;

	if (*name == '.') /* function descriptors of PowerPC */
		name++;
	while (*name && n < NAME_MAX_BYTES - 1) {
		size_t len = 1;

		for (i = 0; i < PIPA_COUNT(kept); i++)
			if (strncmp(name, kept[i], strlen(kept[i])) == 0)
				len = strlen(kept[i]);
		if (len == 1 && *name == '(')
			break;
		for (; len && n < NAME_MAX_BYTES - 1; len--)
			ret[n++] = *name++;
	}
	ret[n] = '\0';
}

static bool is_hidden(struct pruner *r, uint32_t function)
{
	const char *name = pipa_profile_string(r->p, r->p->functions.items[function].name);
	char simple[NAME_MAX_BYTES];

	if (r->functions[function] < 0) {
		copy_simple_name(name, simple);
		r->functions[function] = *name && regexec(&r->drop, simple, 0, NULL, 0) == 0 &&
					 !(r->has_keep &&
					   regexec(&r->keep, simple, 0, NULL, 0) == 0);
	}
	return r->functions[function] > 0;
}

/* ---- locations --------------------------------------------------------------------------------- */

/* Find the outermost hidden function of a location, and make a location of those outside of it. 0 or -ENOMEM. */
static int judge_location(struct pruner *r, uint32_t number)
{
	struct pipa_location location = r->p->locations.items[number];
	uint32_t i = location.n_lines;

	r->locations[number] = number;
	while (i > 0 && !is_hidden(r, r->p->lines.items[location.lines + i - 1].function))
		i--;
	if (!i)
		return 0;
	r->fates[number] = i == location.n_lines ? REMOVED : CALLEES_REMOVED;
	if (i < location.n_lines) {
		PIPA_AUTO(free) struct pipa_line *lines = NULL;
		size_t n = location.n_lines - i;

		lines = malloc(n * sizeof(*lines)); /* the table grows while they are added */
		if (!lines)
			return -ENOMEM;
		memcpy(lines, &r->p->lines.items[location.lines + i], n * sizeof(*lines));
		r->locations[number] = pipa_profile_location_of_lines(r->p, &location, lines, n);
		if (r->locations[number] == PIPA_NONE)
			return -ENOMEM;
	}
	return 0;
}

/* ---- samples ----------------------------------------------------------------------------------- */

/* Return the stack without the frames that are hidden in *stack. 0 or -ENOMEM. */
static int prune_stack(struct pruner *r, uint32_t *stack)
{
	uint32_t at, pruned = PIPA_NONE;
	bool found_user = false, ended = false;

	r->path.n = 0;
	for (at = *stack; at != PIPA_NONE; at = r->p->stacks.items[at].parent) {
		uint32_t *step = PIPA_VEC_ADD(&r->path);

		if (!step)
			return -ENOMEM;
		*step = at;
	}
	while (r->path.n && !ended) {
		const struct pipa_stack *frame = &r->p->stacks.items[r->path.items[--r->path.n]];
		enum fate fate = r->fates[frame->location];
		uint32_t location = r->locations[frame->location];

		if (fate == KEPT)
			found_user = true;
		ended = fate != KEPT && found_user;
		if (ended && fate == REMOVED)
			break;
		pruned = pruned == PIPA_NONE ? pipa_profile_root(r->p, location, frame->cut) :
					       pipa_profile_stack(r->p, pruned, location);
		if (pruned == PIPA_NONE)
			return -ENOMEM;
	}
	*stack = pruned;
	return 0;
}

/* Add all samples again, with their new stacks. */
static int prune_samples(struct pruner *r)
{
	struct pipa_profile *p = r->p;
	struct pipa_sample *samples = p->samples.items;
	size_t n = p->samples.n, i;
	int rc = 0;

	p->samples.items = NULL;
	p->samples.n = p->samples.cap = 0;
	pipa_index_done(&p->samples.index);
	p->samples.index = (struct pipa_index){ 0 };
	for (i = 0; i < p->events.n; i++) {
		p->events.items[i].weight = p->events.items[i].count = 0;
		p->events.items[i].squares = 0;
	}
	for (i = 0; !rc && i < n; i++) {
		rc = prune_stack(r, &samples[i].stack);
		if (!rc)
			rc = pipa_profile_add(p, &samples[i]);
	}
	free(samples);
	return rc;
}

static int prune(struct pruner *r)
{
	struct pipa_profile *p = r->p;
	bool any = false;
	size_t i;
	int rc = 0;

	r->n_locations = p->locations.n;
	r->functions = malloc(p->functions.n + 1);
	r->fates = calloc(r->n_locations + 1, sizeof(*r->fates));
	r->locations = calloc(r->n_locations + 1, sizeof(*r->locations));
	if (!r->functions || !r->fates || !r->locations)
		return -ENOMEM;
	memset(r->functions, 0xff, p->functions.n + 1);
	for (i = 0; !rc && i < r->n_locations; i++) {
		rc = judge_location(r, (uint32_t)i);
		any = any || r->fates[i] != KEPT;
	}
	return rc || !any ? rc : prune_samples(r);
}

int pipa_prune_frames(struct pipa_profile *profile)
{
	struct pruner r = { .p = profile };
	int rc = compile(profile, "pprof.profile.drop_frames", &r.drop);

	r.has_drop = rc > 0;
	if (r.has_drop) {
		rc = compile(profile, "pprof.profile.keep_frames", &r.keep);
		r.has_keep = rc > 0;
		if (rc >= 0)
			rc = prune(&r);
	}
	pruner_done(&r);
	return rc < 0 ? rc : 0;
}
