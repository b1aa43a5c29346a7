#include "analyze/profile/label_match.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/regex.h"
#include "model/profile.h"

enum { EXPRESSIONS_MAX = 16 };

/* A bound with its unit. */
struct bound {
	double value;
	char unit[16];
	bool open, strict; /* not given; the bound itself is excluded */
};

struct pipa_label_match {
	char *key; /* NULL: any */
	char *text;
	bool is_range;
	struct bound from, to;
	regex_t regexes[EXPRESSIONS_MAX];
	size_t n;
};

/* ---- units ------------------------------------------------------------------------------------- */

/* Units of pprof: the factor to the first of the kind. Plurals and case are ignored. */
static const struct {
	const char *name;
	int kind;
	double factor;
} units[] = {
	{ "b", 1, 1 },		{ "byte", 1, 1 },	   { "kb", 1, 1024.0 },
	{ "kbyte", 1, 1024.0 }, { "kilobyte", 1, 1024.0 }, { "mb", 1, 0x1p20 },
	{ "mbyte", 1, 0x1p20 }, { "megabyte", 1, 0x1p20 }, { "gb", 1, 0x1p30 },
	{ "gbyte", 1, 0x1p30 }, { "gigabyte", 1, 0x1p30 }, { "tb", 1, 0x1p40 },
	{ "tbyte", 1, 0x1p40 }, { "terabyte", 1, 0x1p40 }, { "pb", 1, 0x1p50 },
	{ "pbyte", 1, 0x1p50 }, { "petabyte", 1, 0x1p50 }, { "ns", 2, 1 },
	{ "nanosecond", 2, 1 }, { "us", 2, 1e3 },	   { "microsecond", 2, 1e3 },
	{ "ms", 2, 1e6 },	{ "millisecond", 2, 1e6 }, { "s", 2, 1e9 },
	{ "sec", 2, 1e9 },	{ "second", 2, 1e9 },	   { "hr", 2, 3600e9 },
	{ "hour", 2, 3600e9 },
};

/* Return the index of a unit; PIPA_COUNT(units) if it is not one. */
static size_t find_unit(const char *name)
{
	size_t len = strlen(name), i;

	for (i = 0; i < PIPA_COUNT(units); i++) {
		size_t n = strlen(units[i].name);

		if (strncasecmp(units[i].name, name, n) == 0 &&
		    (len == n || (n > 2 && len == n + 1 && tolower((unsigned char)name[n]) == 's')))
			break;
	}
	return i;
}

/* Convert a value to the unit of a bound. NAN if the units are of different kinds. */
static double convert(double value, const char *from, const char *to)
{
	size_t a = find_unit(from), b = find_unit(to);

	if (!to[0] || strcasecmp(from, to) == 0)
		return value;
	if (a == PIPA_COUNT(units) || b == PIPA_COUNT(units) || units[a].kind != units[b].kind)
		return NAN;
	return value * units[a].factor / units[b].factor;
}

/* ---- parsing ----------------------------------------------------------------------------------- */

/* Parse "12kb"; return the rest of the text, NULL if it does not start with a number. */
static const char *parse_bound(const char *at, struct bound *ret)
{
	const char *digits = at + (*at == '+' || *at == '-');
	size_t n = strspn(digits, "0123456789"), letters = 0;

	if (!n || n > 18)
		return NULL;
	ret->value = strtod(at, NULL);
	at = digits + n;
	while (isalpha((unsigned char)at[letters]))
		letters++;
	if (letters >= sizeof(ret->unit))
		return NULL;
	memcpy(ret->unit, at, letters);
	ret->unit[letters] = '\0';
	ret->open = false;
	return at + letters;
}

/* Parse "12kb", ":64kb", "4mb:" and "12kb:64mb". */
static bool parse_range(const char *at, struct pipa_label_match *match)
{
	match->from.open = match->to.open = true;
	if (*at == ':') {
		at = parse_bound(at + 1, &match->to);
		return at && !*at;
	}
	at = parse_bound(at, &match->from);
	if (!at)
		return false;
	if (!*at) {
		match->to = match->from;
		return true;
	}
	if (*at++ != ':')
		return false;
	if (!*at)
		return true;
	at = parse_bound(at, &match->to);
	return at && !*at;
}

/* Parse the value after "KEY>", "KEY>=", "KEY<" or "KEY<=". */
static int parse_comparison(const char *text, size_t key, struct pipa_label_match *match,
			    struct pipa_error *err)
{
	bool less = text[key] == '<', strict = text[key + 1] != '=';
	struct bound *bound = less ? &match->to : &match->from;
	const char *end = parse_bound(text + key + 1 + !strict, bound);

	match->from.open = less;
	match->to.open = !less;
	bound->strict = strict;
	match->is_range = true;
	if (!end || *end)
		return pipa_refuse(err, -EINVAL,
				   "--label: invalid number in '%s', expected KEY%c%sN, as in "
				   "bytes%c%s4kb",
				   text, text[key], strict ? "" : "=", text[key],
				   strict ? "" : "=");
	return 0;
}

static int parse_expressions(const char *text, struct pipa_label_match *match,
			     struct pipa_error *err)
{
	PIPA_AUTO(free) char *copy = strdup(text);
	char *at = copy, *one;
	int rc = copy ? 0 : -ENOMEM;

	while (!rc && (one = strsep(&at, ",")) != NULL) {
		if (match->n == EXPRESSIONS_MAX)
			return pipa_refuse(err, -EINVAL,
					   "--label: '%s' has more than %d expressions", text,
					   EXPRESSIONS_MAX);
		rc = pipa_regex_compile("--label", one, &match->regexes[match->n], err);
		match->n += !rc;
	}
	return rc;
}

void pipa_label_match_free(struct pipa_label_match *match)
{
	size_t i;

	if (!match)
		return;
	for (i = 0; i < match->n; i++)
		regfree(&match->regexes[i]);
	free(match->key);
	free(match->text);
	free(match);
}

int pipa_label_match_new(const char *text, struct pipa_label_match **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_label_match_free) struct pipa_label_match *match = calloc(1, sizeof(*match));
	size_t key = strcspn(text, "=<>");
	const char *value = text;
	int rc = 0;

	if (!match)
		return pipa_fail(err, -ENOMEM, "parse --label");
	if (text[key] && key) {
		match->key = strndup(text, key);
		value = text + key + 1;
		if (!match->key)
			return pipa_fail(err, -ENOMEM, "parse --label");
	}
	match->text = strdup(value);
	if (!match->text)
		return pipa_fail(err, -ENOMEM, "parse --label");
	if (!*value)
		return pipa_refuse(err, -EINVAL,
				   "--label: invalid expression '%s', expected KEY=VALUE", text);
	if (match->key && text[key] != '=')
		rc = parse_comparison(text, key, match, err);
	else if (parse_range(value, match))
		match->is_range = true;
	else
		rc = parse_expressions(value, match, err);
	if (!rc)
		*ret = PIPA_TAKE(match);
	return rc == -ENOMEM ? pipa_fail(err, rc, "parse --label") : rc;
}

/* ---- matching ---------------------------------------------------------------------------------- */

/* A label of a sample, or its thread or CPU as one. */
struct value {
	const char *key, *text; /* text NULL: a number */
	double number;
	const char *unit;
};

static bool is_in_range(const struct pipa_label_match *m, const struct value *v)
{
	const struct bound *from = &m->from, *to = &m->to;
	double value;

	if (!from->open) {
		value = convert(v->number, v->unit, from->unit);
		if (!(value > from->value || (!from->strict && value == from->value)))
			return false;
	}
	if (!to->open) {
		value = convert(v->number, v->unit, to->unit);
		if (!(value < to->value || (!to->strict && value == to->value)))
			return false;
	}
	return true;
}

/* Match one value; *found has a bit per expression that matched without a key. */
static bool match_value(const struct pipa_label_match *m, const struct value *v, uint32_t *found)
{
	char text[512];
	size_t i;

	if (m->key && strcmp(m->key, v->key) != 0)
		return false;
	if (m->is_range)
		return v->text ? m->key && strcmp(v->text, m->text) == 0 : is_in_range(m, v);
	if (!v->text)
		return false;
	if (!m->key)
		snprintf(text, sizeof(text), "%s:%s", v->key, v->text);
	for (i = 0; i < m->n; i++)
		if (pipa_regex_matches(&m->regexes[i], m->key ? v->text : text))
			*found |= UINT32_C(1) << i;
	return m->key ? *found != 0 : *found == (UINT32_C(1) << m->n) - 1;
}

/* pprof's unit of a number without one: the key itself. */
static const char *number_unit(const struct pipa_profile *p, const struct pipa_label *label)
{
	const char *unit = pipa_profile_string(p, label->unit);
	const char *key = pipa_profile_string(p, label->key);

	if (unit[0])
		return unit;
	return strcmp(key, "request") == 0 || strcmp(key, "alignment") == 0 ? "bytes" : key;
}

static bool match_label(const struct pipa_label_match *m, const struct pipa_profile *p,
			const struct pipa_label *label, uint32_t *found)
{
	struct value v = { .key = pipa_profile_string(p, label->key), .unit = "" };

	switch (label->kind) {
	case PIPA_LABEL_TEXT: v.text = pipa_profile_string(p, label->text); break;
	case PIPA_LABEL_BOOL: v.text = label->number ? "true" : "false"; break;
	case PIPA_LABEL_NUMBER:
		v.number = (double)label->number;
		v.unit = number_unit(p, label);
		break;
	case PIPA_LABEL_DOUBLE:
		v.number = pipa_label_double(label);
		v.unit = number_unit(p, label);
		break;
	case PIPA_LABEL_BYTES:
	case PIPA_LABEL_OTLP: return false;
	}
	return match_value(m, &v, found);
}

static bool match_number(const struct pipa_label_match *m, const char *key, uint32_t number)
{
	const struct value v = { .key = key, .number = number, .unit = key };
	uint32_t found = 0;

	return number != PIPA_UNKNOWN32 && match_value(m, &v, &found);
}

bool pipa_label_match(const struct pipa_label_match *m, const struct pipa_profile *p,
		      const struct pipa_sample *sample)
{
	size_t i, n = pipa_label_set_size(p, sample->labels);
	uint32_t found = 0;

	for (i = 0; i < n; i++)
		if (match_label(m, p, pipa_label_set_get(p, sample->labels, i), &found))
			return true;
	if (sample->thread < p->threads.n) {
		const struct pipa_thread *thread = &p->threads.items[sample->thread];
		const struct value comm = { .key = "comm",
					    .text = pipa_profile_string(p, thread->comm) };

		if (match_number(m, "pid", thread->pid) || match_number(m, "tid", thread->tid) ||
		    match_value(m, &comm, &found))
			return true;
	}
	return match_number(m, "cpu", sample->cpu);
}
