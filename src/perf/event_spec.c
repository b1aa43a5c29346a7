#include "perf/event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"

#define MODIFIERS "ukhpPSDeGHIW"

enum { MAX_EVENTS = 4096 }; /* a list longer than this is a mistake or an attack */

/* Where we are in the text; `start` is kept for messages. */
struct scan {
	const char *start;
	const char *pos;
	struct pipa_error *err;
};

void pipa_spec_terms_done(struct pipa_spec_terms *terms)
{
	size_t i;

	for (i = 0; i < terms->n; i++) {
		free(terms->items[i].name);
		free(terms->items[i].value);
	}
	free(terms->items);
	*terms = (struct pipa_spec_terms){ 0 };
}

static void spec_done(struct pipa_spec *spec)
{
	free(spec->text);
	free(spec->head);
	free(spec->tail);
	pipa_spec_terms_done(&spec->terms);
}

void pipa_specs_done(struct pipa_specs *specs)
{
	size_t i;

	for (i = 0; i < specs->n; i++)
		spec_done(&specs->items[i]);
	free(specs->items);
	*specs = (struct pipa_specs){ 0 };
}

static int no_memory(struct pipa_error *err)
{
	return pipa_fail(err, -ENOMEM, "parse events");
}

/* "bad event list 'cyc{' at column 4: why" */
static int bad(struct scan *s, const char *why)
{
	pipa_refuse(s->err, -EINVAL, "invalid event list '%.80s' at column %zu: %s", s->start,
		    (size_t)(s->pos - s->start) + 1, why);
	return pipa_hint(s->err, "see EVENTS in pipa-stat(1), or list known ones with: pipa list");
}

int pipa_spec_terms_parse(const char *text, size_t len, struct pipa_spec_terms *ret,
			  struct pipa_error *err)
{
	PIPA_AUTO(pipa_spec_terms_done) struct pipa_spec_terms terms = { 0 };
	const char *end = text + len;

	while (text < end) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		const char *stop = comma ? comma : end;
		const char *equals = memchr(text, '=', (size_t)(stop - text));
		const char *name_end = equals ? equals : stop;
		struct pipa_spec_term *term;

		if (name_end == text || equals == stop - 1)
			return pipa_refuse(err, -EINVAL, "invalid PMU term '%.*s'",
					   (int)(stop - text), text);
		term = PIPA_VEC_ADD(&terms);
		if (!term || !(term->name = strndup(text, (size_t)(name_end - text))) ||
		    (equals && !(term->value = strndup(equals + 1, (size_t)(stop - equals - 1)))))
			return no_memory(err);
		text = comma ? comma + 1 : end;
	}
	*ret = terms;
	terms = (struct pipa_spec_terms){ 0 };
	return 0;
}

/* What a modifier sets; NULL for p, which is counted. */
static bool *flag_of(struct pipa_spec_mods *mods, char c)
{
	switch (c) {
	case 'u': return &mods->user;
	case 'k': return &mods->kernel;
	case 'h': return &mods->hv;
	case 'G': return &mods->guest;
	case 'H': return &mods->host;
	case 'I': return &mods->no_idle;
	case 'S': return &mods->sample_read;
	case 'D': return &mods->pinned;
	case 'e': return &mods->exclusive;
	case 'W': return &mods->weak;
	case 'P': return &mods->max_precise;
	default: return NULL;
	}
}

static int take_modifiers(struct scan *s, struct pipa_spec_mods *mods)
{
	for (; *s->pos && strchr(MODIFIERS, *s->pos); s->pos++) {
		bool *flag = flag_of(mods, *s->pos);

		if (flag)
			*flag = true;
		else if (++mods->precise > 3)
			return bad(s, "more than three p");
	}
	return 0;
}

static bool is_end(char c)
{
	return c == '\0' || c == ',' || c == '}';
}

/* Length of the modifiers at text if an event ends after them, else 0. */
static size_t modifiers_len(const char *text)
{
	size_t len = strspn(text, MODIFIERS);

	return len && is_end(text[len]) ? len : 0;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("_.*?[]!-", c));
}

static size_t name_len(const char *text)
{
	size_t len = 0;

	while (is_name_char(text[len]))
		len++;
	return len;
}

/* mem:ADDR[/LEN][:rwx][:modifiers], pos after "mem:" */
static int take_breakpoint(struct scan *s, struct pipa_spec *spec)
{
	char number[24];
	size_t len = strcspn(s->pos, "/:,}");
	uint64_t bytes;

	if (len >= sizeof(number))
		return bad(s, "address too long");
	memcpy(number, s->pos, len);
	number[len] = '\0';
	if (pipa_str_u64(number, &spec->number) < 0)
		return bad(s, "expected mem:ADDRESS[/LEN][:rwx]");
	s->pos += len;

	if (*s->pos == '/') {
		len = strspn(++s->pos, "0123456789");
		if (len != 1)
			return bad(s, "invalid breakpoint length, expected 1, 2, 4 or 8");
		bytes = (uint64_t)(*s->pos - '0');
		if (bytes == 0 || bytes > 8 || (bytes & (bytes - 1)))
			return bad(s, "invalid breakpoint length, expected 1, 2, 4 or 8");
		spec->bp_len = (unsigned int)bytes;
		s->pos++;
	}
	if (*s->pos == ':' && s->pos[1] && strchr("rwx", s->pos[1])) {
		for (s->pos++; *s->pos && strchr("rwx", *s->pos); s->pos++)
			spec->bp_type |= *s->pos == 'r' ? HW_BREAKPOINT_R :
					 *s->pos == 'w' ? HW_BREAKPOINT_W :
							  HW_BREAKPOINT_X;
	}
	if (!spec->bp_type)
		spec->bp_type = HW_BREAKPOINT_RW;
	if ((spec->bp_type & HW_BREAKPOINT_X) && (spec->bp_type & HW_BREAKPOINT_RW))
		return bad(s, "a breakpoint cannot be on both execution and data");
	return 0;
}

/* pmu/terms/ with pos at the slash */
static int take_pmu_terms(struct scan *s, struct pipa_spec *spec)
{
	const char *terms = s->pos + 1;
	size_t len = strcspn(terms, "/");
	int rc;

	if (!terms[len])
		return bad(s, "missing closing / of the PMU");
	rc = pipa_spec_terms_parse(terms, len, &spec->terms, s->err);
	if (rc == -EINVAL)
		return bad(s, "expected terms NAME=VALUE or NAME, comma-separated");
	s->pos = terms + len + 1;
	return rc;
}

/* What follows the first name decides what it was. */
static int take_kind(struct scan *s, struct pipa_spec *spec)
{
	size_t len = name_len(s->pos);

	if (!len)
		return bad(s, "missing event name");
	spec->head = strndup(s->pos, len);
	if (!spec->head)
		return no_memory(s->err);
	s->pos += len;

	if (strcmp(spec->head, "mem") == 0 && *s->pos == ':') {
		spec->kind = PIPA_SPEC_BREAKPOINT;
		s->pos++;
		return take_breakpoint(s, spec);
	}
	if (*s->pos == '/') {
		spec->kind = PIPA_SPEC_PMU;
		return take_pmu_terms(s, spec);
	}
	if (*s->pos == ':' && !modifiers_len(s->pos + 1)) {
		spec->kind = PIPA_SPEC_TRACEPOINT;
		len = name_len(++s->pos);
		if (!len)
			return bad(s, "expected SYSTEM:NAME for a tracepoint");
		spec->tail = strndup(s->pos, len);
		s->pos += len;
		return spec->tail ? 0 : no_memory(s->err);
	}
	if (spec->head[0] == 'r' && pipa_str_hex(spec->head + 1, &spec->number) == 0)
		spec->kind = PIPA_SPEC_RAW;
	return 0;
}

static int take_event(struct scan *s, struct pipa_specs *specs, size_t group)
{
	const char *start = s->pos, *mods;
	struct pipa_spec *spec;
	int rc;

	if (specs->n >= MAX_EVENTS)
		return bad(s, "too many events");
	spec = PIPA_VEC_ADD(specs);
	if (!spec)
		return no_memory(s->err);
	spec->group = group;
	rc = take_kind(s, spec);
	if (rc < 0)
		return rc;
	if (*s->pos == ':')
		s->pos++;
	mods = s->pos;
	rc = take_modifiers(s, &spec->mods);
	if (rc < 0)
		return rc;
	if (!is_end(*s->pos) || s->pos[-1] == ':')
		return bad(s, "expected modifiers of " MODIFIERS);
	spec->has_mods = s->pos > mods;
	spec->text = strndup(start, (size_t)(s->pos - start));
	return spec->text ? 0 : no_memory(s->err);
}

/* The group's modifiers are added to those of each member. */
static void merge_modifiers(struct pipa_spec_mods *to, const struct pipa_spec_mods *from)
{
	to->user |= from->user;
	to->kernel |= from->kernel;
	to->hv |= from->hv;
	to->guest |= from->guest;
	to->host |= from->host;
	to->no_idle |= from->no_idle;
	to->sample_read |= from->sample_read;
	to->pinned |= from->pinned;
	to->exclusive |= from->exclusive;
	to->weak |= from->weak;
	to->max_precise |= from->max_precise;
	if (from->precise > to->precise)
		to->precise = from->precise;
}

/*
 * Modifiers that narrow what is counted show in each member's name, after its own and none twice;
 * the others are the group's.
 */
static int show_modifiers(struct pipa_spec *spec, const char *mods, size_t len)
{
	struct pipa_spec_mods have = spec->mods;
	char shown[sizeof(MODIFIERS) + 4], *text;
	size_t i, n = 0;
	unsigned int precise = 0;
	bool colon = !spec->has_mods && spec->kind != PIPA_SPEC_PMU;

	for (i = 0; i < len; i++) {
		bool *flag = flag_of(&have, mods[i]);

		if (!strchr("ukhpPGHI", mods[i]) || (flag ? *flag : ++precise <= have.precise))
			continue;
		shown[n++] = mods[i];
		if (flag)
			*flag = true;
	}
	shown[n] = '\0';
	if (!n)
		return 0;
	if (asprintf(&text, "%s%s%s", spec->text, colon ? ":" : "", shown) < 0)
		return -ENOMEM;
	free(spec->text);
	spec->text = text;
	return 0;
}

/* {event,…}[:modifiers], pos at the brace */
static int take_group(struct scan *s, struct pipa_specs *specs)
{
	struct pipa_spec_mods mods = { 0 };
	size_t first = specs->n, group = ++specs->groups, i;
	const char *text;
	int rc;

	do {
		s->pos++;
		rc = take_event(s, specs, group);
	} while (rc == 0 && *s->pos == ',');
	if (rc < 0)
		return rc;
	if (*s->pos != '}')
		return bad(s, "missing closing } of the group");
	text = ++s->pos;
	if (*s->pos == ':') {
		text = ++s->pos;
		rc = take_modifiers(s, &mods);
		if (rc < 0)
			return rc;
		if (s->pos == text || !is_end(*s->pos))
			return bad(s, "expected modifiers of " MODIFIERS);
	}
	for (i = first; i < specs->n; i++) {
		if (show_modifiers(&specs->items[i], text, (size_t)(s->pos - text)) < 0)
			return no_memory(s->err);
		merge_modifiers(&specs->items[i].mods, &mods);
	}
	return 0;
}

int pipa_specs_parse(struct pipa_specs *specs, const char *text, struct pipa_error *err)
{
	struct scan s = { .start = text, .pos = text, .err = err };
	int rc;

	for (;;) {
		rc = *s.pos == '{' ? take_group(&s, specs) : take_event(&s, specs, 0);
		if (rc < 0)
			return rc;
		if (!*s.pos)
			return 0;
		if (*s.pos != ',')
			return bad(&s, "missing comma");
		s.pos++;
	}
}
