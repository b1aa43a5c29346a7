#include "cli/report_args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/str.h"

/* ---- -g -------------------------------------------------------------------------------------------- */

/* Words of perf report -g; those that are not supported name the way of pipa. */
enum word { GRAPH, FRACTAL, NONE, CALLER, CALLEE, FUNCTION, PERCENT, PERIOD, COUNT, OTHER };

static const struct {
	const char *name;
	enum word word;
	const char *instead; /* of OTHER */
} words[] = {
	{ "graph", GRAPH, NULL },
	{ "fractal", FRACTAL, NULL },
	{ "flat", OTHER, "pipa fold prints one line per stack" },
	{ "folded", OTHER, "pipa fold prints folded stacks" },
	{ "none", NONE, NULL },
	{ "caller", CALLER, NULL },
	{ "callee", CALLEE, NULL },
	{ "function", FUNCTION, NULL },
	{ "address", OTHER, "pipa script prints the addresses of stacks" },
	{ "srcline", OTHER, "--sort srcline has one row per source line" },
	{ "branch", OTHER, "pipa script -F +brstack prints branch stacks" },
	{ "percent", PERCENT, NULL },
	{ "period", PERIOD, NULL },
	{ "count", COUNT, NULL },
};

/* Return the index of a word, or that of the end. */
static size_t find_word(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(words); i++)
		if (strlen(words[i].name) == len && memcmp(words[i].name, text, len) == 0)
			break;
	return i;
}

static bool parse_number(const char *text, size_t len, double *ret)
{
	char number[32];

	if (!len || len >= sizeof(number))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	return pipa_str_double(number, ret) == 0 && *ret >= 0;
}

bool pipa_call_graph_is_spec(const char *text)
{
	double number;

	do {
		size_t len = strcspn(text, ",");

		if (find_word(text, len) == PIPA_COUNT(words) && !parse_number(text, len, &number))
			return false;
		text += len + (text[len] == ',');
	} while (*text);
	return true;
}

static int set_word(size_t at, struct pipa_call_graph_args *args, struct pipa_report_options *job,
		    struct pipa_error *err)
{
	switch (words[at].word) {
	case GRAPH: break;
	case FRACTAL: job->fractal = true; break;
	case NONE: args->none = true; break;
	case CALLER:
	case CALLEE:
		args->has_order = true;
		args->callees = words[at].word == CALLER;
		break;
	case FUNCTION: break;
	case PERCENT: job->branch = PIPA_BRANCH_PERCENT; break;
	case PERIOD: job->branch = PIPA_BRANCH_PERIOD; break;
	case COUNT: job->branch = PIPA_BRANCH_COUNT; break;
	case OTHER:
		pipa_refuse(err, -EINVAL, "-g: '%s' is not supported", words[at].name);
		return pipa_hint(err, "%s", words[at].instead);
	}
	return 0;
}

/* The first number is the threshold in percent, the second the most lines of a tree. */
static int set_number(double number, size_t nth, struct pipa_call_graph_args *args,
		      struct pipa_report_options *job, struct pipa_error *err)
{
	if (nth == 0 && number <= 100) {
		args->has_threshold = true;
		args->threshold = number;
		return 0;
	}
	if (nth == 1 && number <= 1e9) {
		job->max_branch = (size_t)number;
		return 0;
	}
	return pipa_refuse(err, -EINVAL, "-g: invalid number '%g', expected %s", number,
			   nth ? "a threshold and a limit" : "a threshold from 0 to 100");
}

int pipa_call_graph_parse(const char *text, struct pipa_call_graph_args *ret,
			  struct pipa_report_options *job, struct pipa_error *err)
{
	size_t numbers = 0;
	int rc = 0;

	*ret = (struct pipa_call_graph_args){ .given = true };
	job->fractal = false;
	job->branch = PIPA_BRANCH_PERCENT;
	job->max_branch = 0;
	while (!rc && text && *text) {
		size_t len = strcspn(text, ","), at = find_word(text, len);
		double number;

		if (at < PIPA_COUNT(words))
			rc = set_word(at, ret, job, err);
		else if (parse_number(text, len, &number))
			rc = set_number(number, numbers++, ret, job, err);
		else
			rc = pipa_refuse(err, -EINVAL,
					 "-g: invalid value '%.*s', expected graph, fractal, none, "
					 "caller, callee, percent, period, count or a threshold",
					 (int)len, text);
		text += len + (text[len] == ',');
	}
	return rc;
}

/* ---- -s and -F ------------------------------------------------------------------------------------- */

static int refuse_key(const struct pipa_top_options *top, const char *text, size_t len,
		      struct pipa_error *err)
{
	char name[PIPA_NEAREST_LEN], hint[200];
	struct pipa_nearest near = { .wanted = name };
	enum pipa_key key;

	snprintf(name, sizeof(name), "%.*s", (int)(len < sizeof(name) ? len : 0), text);
	for (key = 0; name[0] && top->n_keys < PIPA_KEY_NR && key < PIPA_KEY_LABEL; key++)
		pipa_nearest_offer(&near, pipa_key_name(top, key));
	pipa_refuse(err, -EINVAL,
		    "--sort: invalid key '%.*s', expected comm, pid, tid, dso, symbol, srcline, "
		    "cpu, event, parent or label:NAME",
		    (int)len, text);
	if (pipa_nearest_hint(&near, hint, sizeof(hint))[0])
		pipa_hint(err, "%s", hint);
	return -EINVAL;
}

int pipa_sort_keys_parse(const char *text, struct pipa_top_options *top, struct pipa_error *err)
{
	top->n_keys = 0;
	memset(top->labels, 0, sizeof(top->labels));
	do {
		size_t len = strcspn(text, ",");
		enum pipa_key key = pipa_key_find(text, len);

		if (key == PIPA_KEY_NR)
			key = pipa_top_label_key(top, text, len);
		if (key == PIPA_KEY_NR || top->n_keys == PIPA_KEY_NR)
			return refuse_key(top, text, len, err);
		top->keys[top->n_keys++] = key;
		text += len + (text[len] == ',');
	} while (*text);
	return 0;
}

int pipa_report_fields_parse(const char *text, struct pipa_report_fields *ret, bool *ret_more,
			     struct pipa_error *err)
{
	ret->n = 0;
	*ret_more = text[0] == '+';
	text += *ret_more;
	do {
		size_t len = strcspn(text, ",");
		enum pipa_report_value value = pipa_report_value_find(text, len);
		enum pipa_key key = pipa_key_find(text, len);

		if (value == PIPA_REPORT_KEY && key == PIPA_KEY_NR) {
			return pipa_refuse(err, -EINVAL,
					   "--fields: invalid field '%.*s', expected overhead, "
					   "overhead_children, overhead_sys, overhead_us, sample, "
					   "period or a sort key",
					   (int)len, text);
		}
		pipa_report_fields_add(ret, value, key == PIPA_KEY_NR ? 0 : key);
		text += len + (text[len] == ',');
	} while (*text);
	return 0;
}

static void add_key(struct pipa_top_options *top, enum pipa_key key)
{
	if (!pipa_top_has_key(top, key))
		top->keys[top->n_keys++] = key;
}

/* Are rows ordered by self: does a value of self precede that of children? */
static bool starts_with_self(const struct pipa_report_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n && fields->items[i].value == PIPA_REPORT_KEY;)
		i++;
	return i == fields->n || fields->items[i].value != PIPA_REPORT_OVERHEAD_CHILDREN;
}

void pipa_report_fields_finish(struct pipa_report_options *job, bool more, bool sorted)
{
	struct pipa_report_fields given = job->fields, *fields = &job->fields;
	struct pipa_top_options *top = &job->top;
	size_t i;

	if (!given.n)
		return;
	if (!more && !sorted)
		top->n_keys = 0;
	if (more) { /* new values follow the default ones, as in perf */
		fields->n = 0;
		pipa_report_fields_default(fields,
					   &(struct pipa_top_options){ .children = top->children },
					   job->samples);
		for (i = 0; i < given.n; i++)
			if (given.items[i].value != PIPA_REPORT_KEY)
				pipa_report_fields_add(fields, given.items[i].value, 0);
	}
	for (i = 0; i < given.n; i++)
		if (given.items[i].value == PIPA_REPORT_KEY)
			add_key(top, given.items[i].key);
	for (i = 0; i < top->n_keys; i++)
		pipa_report_fields_add(fields, PIPA_REPORT_KEY, top->keys[i]);
	if (!more && job->samples)
		pipa_report_fields_add(fields, PIPA_REPORT_SAMPLE, 0);
	top->children = pipa_report_fields_has(fields, PIPA_REPORT_OVERHEAD_CHILDREN);
	top->by_self = starts_with_self(fields);
}
