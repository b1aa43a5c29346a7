#include "import/rules.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/rules.h"

struct rules_reader {
	yaml_parser_t parser;
	yaml_event_t event; /* current event */
	const char *name;   /* of the file, in the arena */
	struct pipa_rules *rules;
	const char *raw; /* bytes of the file, in the arena */
	const char *at;	 /* position in raw of character number `at_index` */
	size_t at_index;
	size_t first_constant; /* of this file */
	struct pipa_error *err;
};

/* ---- messages ------------------------------------------------------------------------------------ */

PIPA_PRINTF(3, 4)
static int refuse_file(struct rules_reader *r, yaml_mark_t mark, const char *fmt, ...)
{
	char text[200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_refuse(r->err, -EINVAL, "%s:%zu:%zu: %s", r->name, mark.line + 1,
			   mark.column + 1, text);
}

static int no_memory(struct rules_reader *r)
{
	return pipa_fail(r->err, -ENOMEM, "read %s", r->name);
}

/* Add a problem at the current event. */
PIPA_PRINTF(3, 4)
static int note_problem(struct rules_reader *r, ptrdiff_t rule, const char *fmt, ...)
{
	char text[256];
	struct pipa_rule_problem problem = { .file = r->name,
					     .what = text,
					     .line = r->event.start_mark.line + 1,
					     .column = r->event.start_mark.column + 1,
					     .rule = rule };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return pipa_rules_add_problem(r->rules, &problem) < 0 ? no_memory(r) : 0;
}

/* Note an unknown key, with the nearest of the valid ones. */
static int note_unknown_key(struct rules_reader *r, ptrdiff_t rule, const char *const *keys,
			    size_t n)
{
	const char *word = (const char *)r->event.data.scalar.value;
	struct pipa_nearest near = { .wanted = word };
	char hint[120];
	size_t i;

	for (i = 0; i < n; i++)
		pipa_nearest_offer(&near, keys[i]);
	pipa_nearest_hint(&near, hint, sizeof(hint));
	return note_problem(r, rule, "unknown key '%.60s'%s%s", word, hint[0] ? ", " : "", hint);
}

/* ---- events -------------------------------------------------------------------------------------- */

/* Read the next event to r->event and free the previous one. Aliases are refused. */
static int read_event(struct rules_reader *r)
{
	yaml_parser_t *p = &r->parser;

	yaml_event_delete(&r->event);
	if (!yaml_parser_parse(p, &r->event)) {
		memset(&r->event, 0, sizeof(r->event));
		if (p->error == YAML_MEMORY_ERROR)
			return no_memory(r);
		return refuse_file(r, p->problem_mark, "%s", p->problem ? p->problem : "not YAML");
	}
	if (r->event.type == YAML_ALIAS_EVENT)
		return refuse_file(r, r->event.start_mark, "aliases are not supported");
	return 0;
}

/* Skip the value that starts with the current event, however deep: libyaml bounds the nesting. */
static int skip_value(struct rules_reader *r)
{
	size_t depth = 0;
	int rc = 0;

	for (;;) {
		switch (r->event.type) {
		case YAML_MAPPING_START_EVENT:
		case YAML_SEQUENCE_START_EVENT: depth++; break;
		case YAML_MAPPING_END_EVENT:
		case YAML_SEQUENCE_END_EVENT: depth--; break;
		default: break;
		}
		if (!depth)
			return 0;
		rc = read_event(r);
		if (rc < 0)
			return rc;
	}
}

static const char *word_of(const struct rules_reader *r)
{
	return (const char *)r->event.data.scalar.value;
}

static bool is_plain(const struct rules_reader *r)
{
	return r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

/* Return the bytes of the file at a character index; indexes do not decrease. */
static const char *raw_at(struct rules_reader *r, size_t index)
{
	for (; r->at_index < index && *r->at; r->at_index++)
		for (r->at++; ((unsigned char)*r->at & 0xc0) == 0x80;)
			r->at++;
	return r->at;
}

/* Copy the scalar of the current event. */
static int copy_scalar(struct rules_reader *r, struct pipa_rule_scalar *ret)
{
	const char *text = pipa_arena_text(&r->rules->arena, word_of(r), strlen(word_of(r)));

	if (!text)
		return no_memory(r);
	*ret = (struct pipa_rule_scalar){ .text = text,
					  .raw = raw_at(r, r->event.start_mark.index),
					  .line = r->event.start_mark.line + 1,
					  .column = r->event.start_mark.column + 1 };
	return 0;
}

/* Is the value a scalar without NULs? A problem is noted, and the value skipped, if it is not. */
static int check_scalar(struct rules_reader *r, ptrdiff_t rule, const char *key, bool *ret)
{
	*ret = r->event.type == YAML_SCALAR_EVENT &&
	       strlen(word_of(r)) == r->event.data.scalar.length;
	if (*ret)
		return 0;
	if (note_problem(r, rule, "%s: expected a text", key) < 0)
		return -ENOMEM;
	return skip_value(r);
}

/*
 * Read the next key of a map to r->event. 1, 0 at the end of the map, or a negative errno. A key that is not
 * a scalar is noted and skipped with its value.
 */
static int next_key(struct rules_reader *r, ptrdiff_t rule)
{
	for (;;) {
		int rc = read_event(r);

		if (rc < 0 || r->event.type == YAML_MAPPING_END_EVENT)
			return rc;
		if (r->event.type == YAML_SCALAR_EVENT)
			return 1;
		rc = note_problem(r, rule, "a key must be a word");
		if (!rc)
			rc = skip_value(r);
		if (!rc)
			rc = read_event(r);
		if (!rc)
			rc = skip_value(r);
		if (rc < 0)
			return rc;
	}
}

/* ---- values -------------------------------------------------------------------------------------- */

/* Convert a plain scalar as YAML does: true, false, null, integers, numbers; else a text. */
static struct pipa_value scalar_value(const struct rules_reader *r, const char *text)
{
	static const struct {
		const char *word;
		struct pipa_value value;
	} words[] = {
		{ "true", { PIPA_VALUE_BOOL, 1, NULL } },
		{ "True", { PIPA_VALUE_BOOL, 1, NULL } },
		{ "false", { PIPA_VALUE_BOOL, 0, NULL } },
		{ "False", { PIPA_VALUE_BOOL, 0, NULL } },
		{ "null", { PIPA_VALUE_NONE, 0, NULL } },
		{ "~", { PIPA_VALUE_NONE, 0, NULL } },
		{ "", { PIPA_VALUE_NONE, 0, NULL } },
	};
	double number;
	size_t i;

	for (i = 0; is_plain(r) && i < PIPA_COUNT(words); i++)
		if (strcmp(text, words[i].word) == 0)
			return words[i].value;
	if (is_plain(r) && pipa_str_double(text, &number) == 0)
		return (struct pipa_value){ strpbrk(text, ".eE") ? PIPA_VALUE_NUMBER :
								   PIPA_VALUE_INTEGER,
					    number, NULL };
	return (struct pipa_value){ PIPA_VALUE_TEXT, 0, text };
}

/* Read a text: a scalar for all languages, or a map from languages to scalars. */
static int read_words(struct rules_reader *r, ptrdiff_t rule, const char *key,
		      struct pipa_rule_words *ret)
{
	static const char *const codes[] = { "en", "zh" };
	enum pipa_language i;
	bool is_scalar;
	int rc;

	if (r->event.type != YAML_MAPPING_START_EVENT) {
		rc = check_scalar(r, rule, key, &is_scalar);
		if (rc < 0 || !is_scalar)
			return rc;
		rc = copy_scalar(r, &ret->in[0]);
		for (i = 1; i < PIPA_LANGUAGE_NR; i++)
			ret->in[i] = ret->in[0];
		return rc;
	}
	while ((rc = next_key(r, rule)) > 0) {
		for (i = 0; i < PIPA_LANGUAGE_NR; i++)
			if (strcmp(pipa_language_code(i), word_of(r)) == 0)
				break;
		if (i == PIPA_LANGUAGE_NR) {
			rc = note_unknown_key(r, rule, codes, PIPA_COUNT(codes));
			if (!rc)
				rc = read_event(r);
			if (!rc)
				rc = skip_value(r);
		} else {
			rc = read_event(r);
			if (!rc)
				rc = check_scalar(r, rule, key, &is_scalar);
			if (!rc && is_scalar)
				rc = copy_scalar(r, &ret->in[i]);
		}
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* ---- thresholds ---------------------------------------------------------------------------------- */

static void set_constant(const struct rules_reader *r, const char *text,
			 struct pipa_rule_constant *c)
{
	if (is_plain(r) && !*text)
		return; /* nothing is written, unlike null */
	c->value = scalar_value(r, text);
	c->is_quoted = !is_plain(r);
}

/* Read a threshold: its value, or a map with value, unit and reason. */
static int read_constant(struct rules_reader *r, struct pipa_rule_constant *c)
{
	static const char *const keys[] = { "value", "unit", "reason" };
	const ptrdiff_t none = PIPA_RULE_NO_PARENT;
	struct pipa_rule_scalar scalar = { 0 };
	bool is_scalar;
	int rc;

	if (r->event.type != YAML_MAPPING_START_EVENT) {
		rc = check_scalar(r, none, c->name, &is_scalar);
		if (!rc && is_scalar)
			rc = copy_scalar(r, &scalar);
		if (!rc && is_scalar)
			set_constant(r, scalar.text, c);
		return rc;
	}
	while ((rc = next_key(r, none)) > 0) {
		size_t i;

		for (i = 0; i < PIPA_COUNT(keys) && strcmp(keys[i], word_of(r)) != 0; i++)
			;
		rc = i == PIPA_COUNT(keys) ? note_unknown_key(r, none, keys, PIPA_COUNT(keys)) : 0;
		if (!rc)
			rc = read_event(r);
		if (!rc && i == PIPA_COUNT(keys)) {
			rc = skip_value(r);
		} else if (!rc && strcmp(keys[i], "reason") == 0) {
			rc = read_words(r, none, keys[i], &c->reason);
		} else if (!rc) {
			rc = check_scalar(r, none, keys[i], &is_scalar);
			if (!rc && is_scalar)
				rc = copy_scalar(r, &scalar);
			if (!rc && is_scalar && strcmp(keys[i], "value") == 0)
				set_constant(r, scalar.text, c);
			else if (!rc && is_scalar)
				c->unit = scalar.text;
		}
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* Note a threshold that has no usable value. */
static int check_constant(struct rules_reader *r, const struct pipa_rule_constant *c)
{
	char text[200];
	struct pipa_rule_problem problem = { .file = c->file,
					     .what = text,
					     .line = c->line,
					     .column = c->column,
					     .rule = PIPA_RULE_NO_PARENT };

	if (c->value.kind == PIPA_VALUE_ABSENT)
		snprintf(text, sizeof(text), "threshold '%.60s' has no value", c->name);
	else if (c->value.kind == PIPA_VALUE_TEXT && !c->is_quoted)
		snprintf(text, sizeof(text),
			 "threshold '%.60s': '%.40s' is not a number; a text needs quotes", c->name,
			 c->value.text);
	else
		return 0;
	return pipa_rules_add_problem(r->rules, &problem) < 0 ? no_memory(r) : 0;
}

/* Read the map `config`. The last threshold of a name counts. */
static int read_constants(struct rules_reader *r)
{
	int rc;

	if (r->event.type != YAML_MAPPING_START_EVENT) {
		if (r->event.type == YAML_SCALAR_EVENT && !word_of(r)[0])
			return 0;
		rc = note_problem(r, PIPA_RULE_NO_PARENT, "config: expected 'NAME: VALUE' lines");
		return rc ? rc : skip_value(r);
	}
	while ((rc = next_key(r, PIPA_RULE_NO_PARENT)) > 0) {
		struct pipa_rule_constant constant = { .unit = "",
						       .file = r->name,
						       .line = r->event.start_mark.line + 1,
						       .column = r->event.start_mark.column + 1 };
		struct pipa_rule_constant *item;
		size_t i;

		constant.name = pipa_arena_text(&r->rules->arena, word_of(r), strlen(word_of(r)));
		if (!constant.name)
			return no_memory(r);
		for (i = r->first_constant; i < r->rules->constants.n; i++)
			if (strcmp(r->rules->constants.items[i].name, constant.name) == 0)
				break;
		if (r->rules->constants.n == PIPA_RULES_MAX)
			return refuse_file(r, r->event.start_mark, "more than %d thresholds",
					   PIPA_RULES_MAX);
		rc = i == r->rules->constants.n ?
			     0 :
			     note_problem(r, PIPA_RULE_NO_PARENT,
					  "duplicate threshold '%.60s', first in line %zu",
					  constant.name, r->rules->constants.items[i].line);
		if (!rc)
			rc = read_event(r);
		if (!rc)
			rc = read_constant(r, &constant);
		if (!rc)
			rc = check_constant(r, &constant);
		if (rc < 0)
			return rc;
		item = PIPA_VEC_ADD(&r->rules->constants);
		if (!item)
			return no_memory(r);
		*item = constant;
	}
	return rc;
}

/* ---- rules --------------------------------------------------------------------------------------- */

static const char *const rule_keys[] = { "name", "precondition", "finding",    "sub_rules",
					 "id",	 "severity",	 "confidence", "evidence",
					 "next", "audit" };
enum rule_key {
	KEY_NAME,
	KEY_PRECONDITION,
	KEY_FINDING,
	KEY_SUB_RULES,
	KEY_ID,
	KEY_SEVERITY,
	KEY_CONFIDENCE,
	KEY_EVIDENCE,
	KEY_NEXT,
	KEY_AUDIT,
	RULE_KEYS
};

/* The name by which PIPA selects the rule of its configuration audit. */
#define PIPA_AUDIT_RULE "配置合规性检查"

static int read_rules(struct rules_reader *r, ptrdiff_t parent, unsigned int depth);

static int set_severity(struct rules_reader *r, ptrdiff_t rule)
{
	enum pipa_severity i;

	for (i = 0; i < PIPA_SEVERITY_NR; i++)
		if (strcmp(pipa_severity_text(i), word_of(r)) == 0) {
			r->rules->items[rule].severity = i;
			return 0;
		}
	return note_problem(r, rule,
			    "severity: invalid '%.40s', expected info, notice, warning or critical",
			    word_of(r));
}

static int set_confidence(struct rules_reader *r, ptrdiff_t rule)
{
	static const struct {
		const char *word;
		double value;
	} words[] = { { "low", 0.4 }, { "medium", 0.7 }, { "high", 0.9 } };
	double value;
	size_t i;

	for (i = 0; i < PIPA_COUNT(words); i++)
		if (strcmp(words[i].word, word_of(r)) == 0) {
			r->rules->items[rule].confidence = words[i].value;
			return 0;
		}
	if (pipa_str_double(word_of(r), &value) < 0 || value < 0 || value > 1)
		return note_problem(
			r, rule,
			"confidence: invalid '%.40s', expected low, medium, high or 0 to 1",
			word_of(r));
	r->rules->items[rule].confidence = value;
	return 0;
}

static int set_audit(struct rules_reader *r, ptrdiff_t rule)
{
	const char *word = word_of(r);
	bool is_true = strcmp(word, "true") == 0 || strcmp(word, "True") == 0;

	if (!is_true && strcmp(word, "false") != 0 && strcmp(word, "False") != 0)
		return note_problem(r, rule, "audit: invalid '%.40s', expected true or false",
				    word);
	r->rules->items[rule].is_audit = is_true;
	return 0;
}

/* Read the list of variables. */
static int read_evidence(struct rules_reader *r, ptrdiff_t rule)
{
	struct pipa_rule_scalar some[64];
	size_t n = 0;
	bool is_scalar;
	int rc;

	if (r->event.type != YAML_SEQUENCE_START_EVENT) {
		rc = note_problem(r, rule, "evidence: expected a list of variables");
		return rc ? rc : skip_value(r);
	}
	while (!(rc = read_event(r)) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		rc = check_scalar(r, rule, "evidence", &is_scalar);
		if (!rc && is_scalar && n == PIPA_COUNT(some))
			rc = note_problem(r, rule, "evidence: more than %zu variables",
					  PIPA_COUNT(some));
		else if (!rc && is_scalar)
			rc = copy_scalar(r, &some[n++]);
		if (rc < 0)
			return rc;
	}
	if (!rc && n) {
		struct pipa_rule_scalar *copy = pipa_arena_take(&r->rules->arena,
								n * sizeof(*copy));

		if (!copy)
			return no_memory(r);
		memcpy(copy, some, n * sizeof(*copy));
		r->rules->items[rule].evidence = copy;
		r->rules->items[rule].n_evidence = n;
	}
	return rc;
}

/* Read the value of a key, which is the current event. */
static int read_rule_value(struct rules_reader *r, ptrdiff_t rule, enum rule_key key)
{
	struct pipa_rule_scalar scalar;
	struct pipa_rule_words words = { 0 };
	bool is_scalar;
	int rc;

	switch (key) {
	case KEY_SUB_RULES: return read_rules(r, rule, r->rules->items[rule].depth + 1);
	case KEY_EVIDENCE: return read_evidence(r, rule);
	case KEY_NAME:
	case KEY_FINDING:
	case KEY_NEXT:
		rc = read_words(r, rule, rule_keys[key], &words);
		if (rc < 0)
			return rc;
		if (key == KEY_NAME)
			r->rules->items[rule].name = words;
		else if (key == KEY_FINDING)
			r->rules->items[rule].finding = words;
		else
			r->rules->items[rule].next = words;
		return 0;
	default: break;
	}
	rc = check_scalar(r, rule, rule_keys[key], &is_scalar);
	if (rc < 0 || !is_scalar)
		return rc;
	switch (key) {
	case KEY_SEVERITY: return set_severity(r, rule);
	case KEY_CONFIDENCE: return set_confidence(r, rule);
	case KEY_AUDIT: return set_audit(r, rule);
	default: break;
	}
	rc = copy_scalar(r, &scalar);
	if (!rc && key == KEY_ID)
		r->rules->items[rule].id = scalar.text;
	else if (!rc)
		r->rules->items[rule].precondition = scalar;
	return rc;
}

/* Read the map of a rule; the current event is its start. */
static int read_rule(struct rules_reader *r, ptrdiff_t parent, unsigned int depth)
{
	struct pipa_rule_entry *rule;
	const struct pipa_rule_scalar *name;
	bool seen[RULE_KEYS] = { false };
	ptrdiff_t index = (ptrdiff_t)r->rules->n;
	int rc;

	if (r->event.type != YAML_MAPPING_START_EVENT) {
		rc = note_problem(r, parent, "expected a rule: 'name', 'precondition', 'finding'");
		return rc ? rc : skip_value(r);
	}
	if (r->rules->n == PIPA_RULES_MAX)
		return refuse_file(r, r->event.start_mark, "more than %d rules", PIPA_RULES_MAX);
	rule = PIPA_VEC_ADD(r->rules);
	if (!rule)
		return no_memory(r);
	*rule = (struct pipa_rule_entry){ .confidence = NAN,
					  .parent = parent,
					  .depth = depth,
					  .file = r->name,
					  .line = r->event.start_mark.line + 1,
					  .column = r->event.start_mark.column + 1 };
	while ((rc = next_key(r, index)) > 0) {
		enum rule_key key;

		for (key = 0; key < RULE_KEYS && strcmp(rule_keys[key], word_of(r)) != 0; key++)
			;
		if (key == RULE_KEYS)
			rc = note_unknown_key(r, index, rule_keys, RULE_KEYS);
		else if (seen[key])
			rc = note_problem(r, index, "duplicate key '%s'", rule_keys[key]);
		else
			rc = 0;
		if (!rc)
			rc = read_event(r);
		if (!rc && key < RULE_KEYS && !seen[key]) {
			seen[key] = true;
			rc = read_rule_value(r, index, key);
		} else if (!rc) {
			rc = skip_value(r);
		}
		if (rc < 0)
			return rc;
	}
	rule = &r->rules->items[index];
	name = pipa_rule_words_in(&rule->name, PIPA_LANGUAGE_ZH);
	if (!rc && name && strcmp(name->text, PIPA_AUDIT_RULE) == 0)
		rule->is_audit = true;
	if (!rc && parent >= 0)
		rule->is_audit |= r->rules->items[parent].is_audit;
	return !rc && !name ? note_problem(r, index, "missing name of the rule that ends here") :
			      rc;
}

/* Read a list of rules; the current event is its start. */
static int read_rules(struct rules_reader *r, ptrdiff_t parent, unsigned int depth)
{
	int rc;

	if (r->event.type != YAML_SEQUENCE_START_EVENT) {
		if (r->event.type == YAML_SCALAR_EVENT && !word_of(r)[0])
			return 0;
		rc = note_problem(r, parent, "expected a list of rules");
		return rc ? rc : skip_value(r);
	}
	if (depth > PIPA_RULES_DEPTH)
		return refuse_file(r, r->event.start_mark, "rules are nested too deeply");
	while (!(rc = read_event(r)) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		rc = read_rule(r, parent, depth);
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* ---- document ------------------------------------------------------------------------------------ */

/* Check the value of `version`. */
static int read_version(struct rules_reader *r)
{
	const ptrdiff_t none = PIPA_RULE_NO_PARENT;
	bool is_scalar;
	int rc = check_scalar(r, none, "version", &is_scalar);

	if (rc < 0 || !is_scalar || strcmp(word_of(r), "1") == 0)
		return rc;
	return note_problem(r, none, "unsupported version '%.40s', expected 1", word_of(r));
}

static int read_top(struct rules_reader *r)
{
	static const char *const keys[] = { "config", "rules", "version" };
	bool seen[PIPA_COUNT(keys)] = { false };
	int rc;

	if (r->event.type != YAML_MAPPING_START_EVENT)
		return refuse_file(r, r->event.start_mark,
				   "expected the keys 'config' and 'rules'");
	while ((rc = next_key(r, PIPA_RULE_NO_PARENT)) > 0) {
		size_t i;

		for (i = 0; i < PIPA_COUNT(keys) && strcmp(keys[i], word_of(r)) != 0; i++)
			;
		rc = i == PIPA_COUNT(keys) ?
			     note_unknown_key(r, PIPA_RULE_NO_PARENT, keys, PIPA_COUNT(keys)) :
		     seen[i] ? note_problem(r, PIPA_RULE_NO_PARENT, "duplicate key '%s'", keys[i]) :
			       0;
		if (!rc)
			rc = read_event(r);
		if (!rc && (i == PIPA_COUNT(keys) || seen[i]))
			rc = skip_value(r);
		else if (!rc)
			rc = i == 0 ? read_constants(r) :
			     i == 1 ? read_rules(r, PIPA_RULE_NO_PARENT, 0) :
				      read_version(r);
		if (i < PIPA_COUNT(keys))
			seen[i] = true;
		if (rc < 0)
			return rc;
	}
	return rc;
}

/* Read the stream: its start, one document, its end. */
static int read_document(struct rules_reader *r)
{
	int rc = read_event(r);

	if (!rc)
		rc = read_event(r);
	if (!rc && r->event.type == YAML_STREAM_END_EVENT)
		return refuse_file(r, r->event.start_mark, "the file holds no rules");
	if (!rc)
		rc = read_event(r);
	if (!rc)
		rc = read_top(r);
	if (!rc)
		rc = read_event(r); /* end of the document */
	if (!rc)
		rc = read_event(r);
	if (!rc && r->event.type != YAML_STREAM_END_EVENT)
		rc = refuse_file(r, r->event.start_mark, "a second document begins here");
	return rc;
}

int pipa_rules_decode(const char *text, size_t len, const char *name, struct pipa_rules *rules,
		      struct pipa_error *err)
{
	struct rules_reader r = { .rules = rules,
				  .err = err,
				  .first_constant = rules->constants.n };
	size_t n = rules->n, n_constants = rules->constants.n, n_problems = rules->problems.n;
	size_t all_problems = rules->n_problems;
	int rc;

	if (len > PIPA_RULES_BYTES)
		return pipa_refuse(err, -EFBIG, "cannot read %s: it is larger than %d MiB", name,
				   PIPA_RULES_BYTES >> 20);
	r.name = pipa_arena_text(&rules->arena, name, strlen(name));
	r.raw = r.at = pipa_arena_text(&rules->arena, text, len);
	if (!r.name || !r.raw || !yaml_parser_initialize(&r.parser))
		return pipa_fail(err, -ENOMEM, "read %s", name);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING); /* positions are those of `raw` */
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.raw, len);
	rc = read_document(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	if (rc < 0) {
		rules->n = n;
		rules->constants.n = n_constants;
		rules->problems.n = n_problems;
		rules->n_problems = all_problems;
	}
	return rc;
}
