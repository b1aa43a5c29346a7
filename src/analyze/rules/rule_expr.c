#include "analyze/rules/rule_expr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"

enum node_kind {
	NODE_LITERAL,
	NODE_NAME,
	NODE_OR,
	NODE_AND,
	NODE_NOT,
	NODE_CHAIN,   /* first: left operand; second: the first NODE_COMPARE */
	NODE_COMPARE, /* first: right operand; second: next NODE_COMPARE or NO_NODE */
	NODE_ARITHMETIC,
	NODE_NEGATE,
	NODE_CALL,     /* second: the first NODE_ARGUMENT */
	NODE_ARGUMENT, /* first: its value; second: the next NODE_ARGUMENT or NO_NODE */
};

enum { NO_NODE = UINT16_MAX, NAME_LEN = 64 };

enum compare_op { LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL };
enum function { FN_MIN, FN_MAX, FN_ABS, FN_DEFINED, FN_NR };

static const char *const functions[FN_NR] = { "min", "max", "abs", "defined" };

/* ---- parser -------------------------------------------------------------------------------------- */

struct expr_parser {
	const char *start, *pos;
	struct pipa_arena *arena;
	struct pipa_rule_fault *fault;
	struct pipa_rule_node nodes[PIPA_RULE_EXPR_NODES];
	size_t n_nodes;
	const char *names[PIPA_RULE_EXPR_NAMES];
	size_t n_names;
	unsigned int depth;
	int rc;
};

PIPA_PRINTF(3, 4)
static void set_fault(struct pipa_rule_fault *fault, size_t offset, const char *fmt, ...)
{
	va_list ap;

	if (fault->what[0])
		return; /* keep the first one */
	fault->offset = offset;
	va_start(ap, fmt);
	vsnprintf(fault->what, sizeof(fault->what), fmt, ap);
	va_end(ap);
}

/* Fail at a position; returns NO_NODE. */
static uint16_t fail_parse(struct expr_parser *p, const char *at, const char *why)
{
	if (!p->rc)
		set_fault(p->fault, (size_t)(at - p->start), "%s", why);
	p->rc = p->rc ? p->rc : -EINVAL;
	return NO_NODE;
}

static void skip_blanks(struct expr_parser *p)
{
	while (*p->pos == ' ' || *p->pos == '\t' || *p->pos == '\n' || *p->pos == '\r')
		p->pos++;
}

static uint16_t add_node(struct expr_parser *p, struct pipa_rule_node node, const char *from)
{
	if (p->rc)
		return NO_NODE;
	if (p->n_nodes == PIPA_RULE_EXPR_NODES)
		return fail_parse(p, from, "expression has too many operands");
	node.start = (uint32_t)(from - p->start);
	node.end = (uint32_t)(p->pos - p->start);
	while (node.end > node.start + 1 && strchr(" \t\r\n", p->start[node.end - 1]))
		node.end--; /* blanks that were skipped in search of an operator */
	p->nodes[p->n_nodes] = node;
	return (uint16_t)p->n_nodes++;
}

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Consume a keyword such as "and" if it is next. */
static bool take_keyword(struct expr_parser *p, const char *keyword)
{
	size_t len = strlen(keyword);

	skip_blanks(p);
	if (strncmp(p->pos, keyword, len) != 0 || is_word_byte(p->pos[len]))
		return false;
	p->pos += len;
	return true;
}

static uint16_t parse_or(struct expr_parser *p);

/* Parse a quoted string. The escapes are \\, \', \", \n and \t. */
static uint16_t parse_string(struct expr_parser *p)
{
	const char *from = p->pos, *end = from + 1;
	char quote = *p->pos++;
	char *text, *out;

	while (*end && *end != quote)
		end += *end == '\\' && end[1] ? 2 : 1;
	text = out = pipa_arena_take(p->arena, (size_t)(end - from) + 1);
	if (!text) {
		p->rc = -ENOMEM;
		return NO_NODE;
	}
	for (; *p->pos && *p->pos != quote; p->pos++) {
		static const char escapes[] = "\\\\''\"\"n\nt\t";
		const char *escape = escapes;

		if (*p->pos != '\\') {
			*out++ = *p->pos;
			continue;
		}
		p->pos++;
		while (*escape && *escape != *p->pos)
			escape += 2;
		if (!*escape)
			return fail_parse(p, p->pos - 1, "invalid escape in a string");
		*out++ = escape[1];
	}
	if (!*p->pos)
		return fail_parse(p, from, "string without an end");
	*out = '\0';
	p->pos++;
	return add_node(p,
			(struct pipa_rule_node){ .kind = NODE_LITERAL,
						 .value = { PIPA_VALUE_TEXT, 0, text } },
			from);
}

/* Parse digits with an optional fraction and exponent; no hexadecimal, infinity or NaN. */
static uint16_t parse_number(struct expr_parser *p)
{
	const char *from = p->pos, *end = from;
	enum pipa_value_kind kind = PIPA_VALUE_INTEGER;
	char digits[64], *stop;
	double number;

	while (isdigit((unsigned char)*end))
		end++;
	if (*end == '.') {
		kind = PIPA_VALUE_NUMBER;
		for (end++; isdigit((unsigned char)*end);)
			end++;
	}
	if (*end == 'e' || *end == 'E') {
		const char *exponent = end + 1 + (end[1] == '+' || end[1] == '-');

		if (isdigit((unsigned char)*exponent)) {
			kind = PIPA_VALUE_NUMBER;
			for (end = exponent; isdigit((unsigned char)*end);)
				end++;
		}
	}
	if ((size_t)(end - from) >= sizeof(digits) || is_word_byte(*end) || *end == '.')
		return fail_parse(p, from, "invalid number");
	memcpy(digits, from, (size_t)(end - from));
	digits[end - from] = '\0';
	number = strtod(digits, &stop); /* the program never leaves the "C" locale */
	if (*stop || !isfinite(number))
		return fail_parse(p, from, "invalid number");
	p->pos = end;
	return add_node(
		p, (struct pipa_rule_node){ .kind = NODE_LITERAL, .value = { kind, number, NULL } },
		from);
}

/* Parse the arguments of a function; the parenthesis is next. */
static uint16_t parse_call(struct expr_parser *p, const char *from, enum function function)
{
	uint16_t first = NO_NODE, last = NO_NODE, node;
	size_t n = 0;

	p->pos++;
	do {
		const char *start;

		skip_blanks(p);
		start = p->pos;
		node = parse_or(p);
		if (p->rc)
			return NO_NODE;
		if (function == FN_DEFINED && p->nodes[node].kind != NODE_NAME)
			return fail_parse(p, start, "defined() takes the name of a variable");
		node = add_node(p,
				(struct pipa_rule_node){
					.kind = NODE_ARGUMENT, .first = node, .second = NO_NODE },
				start);
		if (p->rc)
			return NO_NODE;
		if (last == NO_NODE)
			first = node;
		else
			p->nodes[last].second = node;
		last = node;
		n++;
		skip_blanks(p);
	} while (*p->pos == ',' && p->pos++);
	if (*p->pos != ')')
		return fail_parse(p, p->pos, "expected ) or ,");
	p->pos++;
	if (n > 1 && (function == FN_ABS || function == FN_DEFINED))
		return fail_parse(p, from, "the function takes one argument");
	return add_node(
		p, (struct pipa_rule_node){ .kind = NODE_CALL, .op = function, .second = first },
		from);
}

static uint16_t parse_word(struct expr_parser *p)
{
	static const char *const reserved[] = { "and", "or",	 "not", "in",  "is",
						"if",  "lambda", "for", "else" };
	static const struct {
		const char *word;
		struct pipa_value value;
	} literals[] = {
		{ "True", { PIPA_VALUE_BOOL, 1, NULL } },
		{ "true", { PIPA_VALUE_BOOL, 1, NULL } },
		{ "False", { PIPA_VALUE_BOOL, 0, NULL } },
		{ "false", { PIPA_VALUE_BOOL, 0, NULL } },
		{ "None", { PIPA_VALUE_NONE, 0, NULL } },
	};
	const char *from = p->pos;
	char word[NAME_LEN];
	size_t i, len;

	while (is_word_byte(*p->pos))
		p->pos++;
	len = (size_t)(p->pos - from);
	if (len >= sizeof(word))
		return fail_parse(p, from, "name is too long");
	memcpy(word, from, len);
	word[len] = '\0';
	for (i = 0; i < PIPA_COUNT(reserved); i++)
		if (strcmp(word, reserved[i]) == 0)
			return fail_parse(p, from, "expected a value");
	for (i = 0; i < PIPA_COUNT(literals); i++)
		if (strcmp(word, literals[i].word) == 0)
			return add_node(p,
					(struct pipa_rule_node){ .kind = NODE_LITERAL,
								 .value = literals[i].value },
					from);
	skip_blanks(p);
	if (*p->pos == '(') {
		for (i = 0; i < FN_NR; i++)
			if (strcmp(word, functions[i]) == 0)
				return parse_call(p, from, i);
		return fail_parse(p, from,
				  "unknown function: only min, max, abs and defined exist");
	}
	p->pos = from + len;
	for (i = 0; i < p->n_names && strcmp(p->names[i], word) != 0; i++)
		;
	if (i == PIPA_RULE_EXPR_NAMES)
		return fail_parse(p, from, "too many names");
	if (i == p->n_names) {
		p->names[i] = pipa_arena_text(p->arena, word, len);
		if (!p->names[i]) {
			p->rc = -ENOMEM;
			return NO_NODE;
		}
		p->n_names++;
	}
	return add_node(p, (struct pipa_rule_node){ .kind = NODE_NAME, .name = (uint16_t)i }, from);
}

static uint16_t parse_operand(struct expr_parser *p)
{
	uint16_t node;

	skip_blanks(p);
	if (*p->pos == '(') {
		p->pos++;
		node = parse_or(p);
		skip_blanks(p);
		if (!p->rc && *p->pos != ')')
			return fail_parse(p, p->pos,
					  *p->pos ? "expected an operator or )" : "missing )");
		p->pos += !p->rc;
		return node;
	}
	if (*p->pos == '\'' || *p->pos == '"')
		return parse_string(p);
	if (isdigit((unsigned char)*p->pos) ||
	    (*p->pos == '.' && isdigit((unsigned char)p->pos[1])))
		return parse_number(p);
	if (isalpha((unsigned char)*p->pos) || *p->pos == '_')
		return parse_word(p);
	return fail_parse(p, p->pos, *p->pos ? "expected a value" : "the expression ends early");
}

static uint16_t parse_unary(struct expr_parser *p)
{
	const char *from;
	uint16_t node;
	bool negative;

	skip_blanks(p);
	from = p->pos;
	if (*p->pos != '-' && *p->pos != '+')
		return parse_operand(p);
	negative = *p->pos++ == '-';
	if (++p->depth > PIPA_RULE_EXPR_DEPTH)
		return fail_parse(p, from, "expression is nested too deeply");
	node = parse_unary(p);
	p->depth--;
	return negative ? add_node(p, (struct pipa_rule_node){ .kind = NODE_NEGATE, .first = node },
				   from) :
			  node;
}

/* Return the operator of two classes of precedence at the position, 0: none. 'F' is //. */
static char arithmetic_op(struct expr_parser *p, bool product)
{
	skip_blanks(p);
	if (!product)
		return *p->pos == '+' || *p->pos == '-' ? *p->pos : '\0';
	if (p->pos[0] == '/' && p->pos[1] == '/')
		return 'F';
	if (p->pos[0] == '*' && p->pos[1] == '*')
		return '\0';
	return *p->pos == '*' || *p->pos == '/' || *p->pos == '%' ? *p->pos : '\0';
}

/* Parse a left-associative chain of products, or of sums of them. */
static uint16_t parse_arithmetic(struct expr_parser *p, bool product)
{
	const char *from;
	uint16_t left;
	char op;

	skip_blanks(p);
	from = p->pos;
	left = product ? parse_unary(p) : parse_arithmetic(p, true);
	while (!p->rc && (op = arithmetic_op(p, product))) {
		uint16_t right;

		p->pos += op == 'F' ? 2 : 1;
		right = product ? parse_unary(p) : parse_arithmetic(p, true);
		left = add_node(p,
				(struct pipa_rule_node){ .kind = NODE_ARITHMETIC,
							 .op = (uint8_t)op,
							 .first = left,
							 .second = right },
				from);
	}
	return left;
}

/* Consume a comparison operator; negative: none is next. */
static int take_compare_op(struct expr_parser *p)
{
	static const struct {
		const char *text;
		enum compare_op op;
	} ops[] = { { "<=", LESS_EQUAL }, { ">=", GREATER_EQUAL }, { "==", EQUAL },
		    { "!=", NOT_EQUAL },  { "<", LESS },	   { ">", GREATER } };
	size_t i;

	skip_blanks(p);
	for (i = 0; i < PIPA_COUNT(ops); i++)
		if (strncmp(p->pos, ops[i].text, strlen(ops[i].text)) == 0) {
			p->pos += strlen(ops[i].text);
			return (int)ops[i].op;
		}
	return -1;
}

/* Parse a comparison or a chain of them: a < b <= c. */
static uint16_t parse_comparison(struct expr_parser *p)
{
	uint16_t left, first = NO_NODE, last = NO_NODE;
	const char *from;
	int op;

	skip_blanks(p);
	from = p->pos;
	left = parse_arithmetic(p, false);
	while (!p->rc && (op = take_compare_op(p)) >= 0) {
		const char *start;
		uint16_t right;

		skip_blanks(p);
		start = p->pos;
		right = parse_arithmetic(p, false);
		right = add_node(p,
				 (struct pipa_rule_node){ .kind = NODE_COMPARE,
							  .op = (uint8_t)op,
							  .first = right,
							  .second = NO_NODE },
				 start);
		if (p->rc)
			return NO_NODE;
		if (last == NO_NODE)
			first = right;
		else
			p->nodes[last].second = right;
		last = right;
	}
	if (first == NO_NODE)
		return left;
	return add_node(
		p, (struct pipa_rule_node){ .kind = NODE_CHAIN, .first = left, .second = first },
		from);
}

static uint16_t parse_not(struct expr_parser *p)
{
	const char *from;
	uint16_t node;

	skip_blanks(p);
	from = p->pos;
	if (!take_keyword(p, "not"))
		return parse_comparison(p);
	if (++p->depth > PIPA_RULE_EXPR_DEPTH)
		return fail_parse(p, from, "expression is nested too deeply");
	node = parse_not(p);
	p->depth--;
	return add_node(p, (struct pipa_rule_node){ .kind = NODE_NOT, .first = node }, from);
}

/* Parse a left-associative chain of `and`. */
static uint16_t parse_and(struct expr_parser *p)
{
	const char *from;
	uint16_t left;

	skip_blanks(p);
	from = p->pos;
	left = parse_not(p);
	while (!p->rc && take_keyword(p, "and")) {
		uint16_t right = parse_not(p);

		left = add_node(
			p,
			(struct pipa_rule_node){ .kind = NODE_AND, .first = left, .second = right },
			from);
	}
	return left;
}

static uint16_t parse_or(struct expr_parser *p)
{
	const char *from;
	uint16_t left;

	skip_blanks(p);
	from = p->pos;
	if (++p->depth > PIPA_RULE_EXPR_DEPTH)
		return fail_parse(p, from, "expression is nested too deeply");
	left = parse_and(p);
	while (!p->rc && take_keyword(p, "or")) {
		uint16_t right = parse_and(p);

		left = add_node(
			p,
			(struct pipa_rule_node){ .kind = NODE_OR, .first = left, .second = right },
			from);
	}
	p->depth--;
	return left;
}

/* List the nodes that and, or and not combine, from left to right. */
static size_t list_tests(const struct expr_parser *p, uint16_t node, uint16_t *tests, size_t n)
{
	const struct pipa_rule_node *at = &p->nodes[node];

	if (at->kind != NODE_AND && at->kind != NODE_OR && at->kind != NODE_NOT) {
		tests[n++] = node;
		return n;
	}
	n = list_tests(p, at->first, tests, n);
	return at->kind == NODE_NOT ? n : list_tests(p, at->second, tests, n);
}

int pipa_rule_expr_parse(const char *text, struct pipa_arena *arena, struct pipa_rule_expr *ret,
			 struct pipa_rule_fault *fault)
{
	struct pipa_rule_fault own = { 0 };
	struct expr_parser *p = calloc(1, sizeof(*p));
	uint16_t root, *tests;
	size_t n_tests;
	void *nodes, *names;
	int rc;

	if (!p)
		return -ENOMEM;
	fault = fault ? fault : &own;
	*fault = (struct pipa_rule_fault){ 0 };
	p->start = p->pos = text;
	p->arena = arena;
	p->fault = fault;
	if (strlen(text) > PIPA_RULE_EXPR_BYTES)
		fail_parse(p, text, "expression is too long");
	root = p->rc ? NO_NODE : parse_or(p);
	skip_blanks(p);
	if (!p->rc && *p->pos)
		fail_parse(p, p->pos, *p->pos == ')' ? "unexpected )" : "expected an operator");
	tests = p->rc ? NULL : pipa_arena_take(arena, p->n_nodes * sizeof(*tests));
	nodes = p->rc ? NULL : pipa_arena_take(arena, p->n_nodes * sizeof(*p->nodes));
	names = p->rc ? NULL : pipa_arena_take(arena, (p->n_names + 1) * sizeof(*p->names));
	rc = p->rc ? p->rc : nodes && names && tests ? 0 : -ENOMEM;
	if (!rc) {
		n_tests = list_tests(p, root, tests, 0);
		memcpy(nodes, p->nodes, p->n_nodes * sizeof(*p->nodes));
		memcpy(names, p->names, p->n_names * sizeof(*p->names));
		*ret = (struct pipa_rule_expr){ nodes, p->n_nodes, names, p->n_names,
						tests, n_tests,	   root };
	}
	free(p);
	return rc;
}

/* ---- evaluation ---------------------------------------------------------------------------------- */

struct expr_run {
	const struct pipa_rule_expr *expr;
	const struct pipa_context *context;
	struct pipa_rule_fault *fault;
};

static const struct pipa_value absent = { PIPA_VALUE_ABSENT, 0, NULL };

static struct pipa_value truth_value(bool truth)
{
	return (struct pipa_value){ PIPA_VALUE_BOOL, truth, NULL };
}

static const char *kind_text(const struct pipa_value *value)
{
	static const char *const texts[] = {
		[PIPA_VALUE_ABSENT] = "an absent value", [PIPA_VALUE_NONE] = "None",
		[PIPA_VALUE_BOOL] = "a truth value",	 [PIPA_VALUE_INTEGER] = "a number",
		[PIPA_VALUE_NUMBER] = "a number",	 [PIPA_VALUE_TEXT] = "a text",
	};

	return texts[value->kind];
}

/* Python's truth of a value that is not absent. */
static bool is_true(const struct pipa_value *value)
{
	if (value->kind == PIPA_VALUE_TEXT)
		return value->text[0];
	return value->kind != PIPA_VALUE_NONE && value->number != 0;
}

static bool evaluate(const struct expr_run *run, uint16_t index, struct pipa_value *ret);

/* Compare two values that are present. False after a fault. */
static bool compare(const struct expr_run *run, const struct pipa_rule_node *node,
		    const struct pipa_value *a, const struct pipa_value *b, bool *ret)
{
	bool numeric = pipa_value_is_numeric(a) && pipa_value_is_numeric(b);
	bool texts = a->kind == PIPA_VALUE_TEXT && b->kind == PIPA_VALUE_TEXT;
	int order = 0;

	if (!numeric && !texts && node->op != EQUAL && node->op != NOT_EQUAL) {
		set_fault(run->fault, node->start, "cannot order %s and %s", kind_text(a),
			  kind_text(b));
		return false;
	}
	if (numeric)
		order = a->number < b->number ? -1 : a->number > b->number;
	else if (texts)
		order = strcmp(a->text, b->text);
	else
		order = a->kind != b->kind; /* None equals None; other types differ */
	switch ((enum compare_op)node->op) {
	case LESS: *ret = order < 0; break;
	case LESS_EQUAL: *ret = order <= 0; break;
	case GREATER: *ret = order > 0; break;
	case GREATER_EQUAL: *ret = order >= 0; break;
	case EQUAL: *ret = order == 0; break;
	case NOT_EQUAL: *ret = order != 0; break;
	}
	return true;
}

/* Evaluate a < b < c as a < b and b < c, each operand once. */
static bool evaluate_chain(const struct expr_run *run, const struct pipa_rule_node *node,
			   struct pipa_value *ret)
{
	const struct pipa_rule_node *link;
	bool unknown = false, holds = true;
	struct pipa_value left, right;
	uint16_t next;

	if (!evaluate(run, node->first, &left))
		return false;
	for (next = node->second; next != NO_NODE && holds; next = link->second) {
		link = &run->expr->nodes[next];
		if (!evaluate(run, link->first, &right))
			return false;
		if (left.kind == PIPA_VALUE_ABSENT || right.kind == PIPA_VALUE_ABSENT)
			unknown = true;
		else if (!compare(run, link, &left, &right, &holds))
			return false;
		left = right;
	}
	*ret = holds && unknown ? absent : truth_value(holds);
	return true;
}

static bool evaluate_arithmetic(const struct expr_run *run, const struct pipa_rule_node *node,
				struct pipa_value *ret)
{
	struct pipa_value a, b;
	double number = 0;
	bool whole;

	if (!evaluate(run, node->first, &a) || !evaluate(run, node->second, &b))
		return false;
	if (a.kind == PIPA_VALUE_ABSENT || b.kind == PIPA_VALUE_ABSENT) {
		*ret = absent;
		return true;
	}
	if (!pipa_value_is_numeric(&a) || !pipa_value_is_numeric(&b)) {
		set_fault(run->fault, node->start, "cannot compute with %s and %s", kind_text(&a),
			  kind_text(&b));
		return false;
	}
	if (b.number == 0 && (node->op == '/' || node->op == 'F' || node->op == '%')) {
		set_fault(run->fault, node->start, "division by zero");
		return false;
	}
	switch (node->op) {
	case '+': number = a.number + b.number; break;
	case '-': number = a.number - b.number; break;
	case '*': number = a.number * b.number; break;
	case '/': number = a.number / b.number; break;
	case 'F': number = floor(a.number / b.number); break;
	default: /* Python's %: the sign of the divisor */
		number = fmod(a.number, b.number);
		if (number != 0 && (number < 0) != (b.number < 0))
			number += b.number;
	}
	if (!isfinite(number)) {
		set_fault(run->fault, node->start, "the result is too large");
		return false;
	}
	whole = node->op != '/' && a.kind != PIPA_VALUE_NUMBER && b.kind != PIPA_VALUE_NUMBER;
	*ret = (struct pipa_value){ whole ? PIPA_VALUE_INTEGER : PIPA_VALUE_NUMBER, number, NULL };
	return true;
}

static struct pipa_value name_value(const struct expr_run *run, uint16_t node)
{
	const struct pipa_variable *variable = pipa_context_find(
		run->context, run->expr->names[run->expr->nodes[node].name]);

	return variable ? variable->value : absent;
}

static bool evaluate_call(const struct expr_run *run, const struct pipa_rule_node *node,
			  struct pipa_value *ret)
{
	const struct pipa_rule_node *argument = &run->expr->nodes[node->second];
	struct pipa_value value;
	uint16_t next;

	if (node->op == FN_DEFINED) {
		value = name_value(run, argument->first);
		*ret = truth_value(value.kind != PIPA_VALUE_ABSENT);
		return true;
	}
	for (next = node->second; next != NO_NODE; next = argument->second) {
		argument = &run->expr->nodes[next];
		if (!evaluate(run, argument->first, &value))
			return false;
		if (value.kind != PIPA_VALUE_ABSENT && !pipa_value_is_numeric(&value)) {
			set_fault(run->fault, argument->start, "%s() takes numbers, not %s",
				  functions[node->op], kind_text(&value));
			return false;
		}
		if (value.kind == PIPA_VALUE_ABSENT) {
			*ret = absent;
			return true;
		}
		if (next == node->second ||
		    (node->op == FN_MIN ? value.number < ret->number : value.number > ret->number))
			*ret = value;
	}
	if (node->op == FN_ABS)
		ret->number = fabs(ret->number);
	return true;
}

/*
 * Combine the operands of `and` or `or`. The left one decides if it can, whatever the right one is; an
 * unknown left one leaves the decision to the right one.
 */
static bool evaluate_logic(const struct expr_run *run, const struct pipa_rule_node *node,
			   struct pipa_value *ret)
{
	bool decides = node->kind == NODE_OR; /* True decides an `or`, False an `and` */
	struct pipa_value a, b;

	if (!evaluate(run, node->first, &a))
		return false;
	if (a.kind != PIPA_VALUE_ABSENT && is_true(&a) == decides) {
		*ret = truth_value(decides);
		return true;
	}
	if (!evaluate(run, node->second, &b))
		return false;
	if (b.kind != PIPA_VALUE_ABSENT && is_true(&b) == decides)
		*ret = truth_value(decides);
	else if (a.kind == PIPA_VALUE_ABSENT || b.kind == PIPA_VALUE_ABSENT)
		*ret = absent;
	else
		*ret = truth_value(!decides);
	return true;
}

/* Evaluate a node. False after a fault. Recursion is bounded by the number of nodes. */
static bool evaluate(const struct expr_run *run, uint16_t index, struct pipa_value *ret)
{
	const struct pipa_rule_node *node = &run->expr->nodes[index];

	switch ((enum node_kind)node->kind) {
	case NODE_LITERAL: *ret = node->value; return true;
	case NODE_NAME: *ret = name_value(run, index); return true;
	case NODE_OR:
	case NODE_AND: return evaluate_logic(run, node, ret);
	case NODE_CHAIN: return evaluate_chain(run, node, ret);
	case NODE_ARITHMETIC: return evaluate_arithmetic(run, node, ret);
	case NODE_CALL: return evaluate_call(run, node, ret);
	case NODE_NOT:
		if (!evaluate(run, node->first, ret))
			return false;
		if (ret->kind != PIPA_VALUE_ABSENT)
			*ret = truth_value(!is_true(ret));
		return true;
	case NODE_NEGATE:
		if (!evaluate(run, node->first, ret))
			return false;
		if (ret->kind == PIPA_VALUE_ABSENT)
			return true;
		if (!pipa_value_is_numeric(ret)) {
			set_fault(run->fault, node->start, "cannot negate %s", kind_text(ret));
			return false;
		}
		*ret = (struct pipa_value){ ret->kind == PIPA_VALUE_NUMBER ? PIPA_VALUE_NUMBER :
									     PIPA_VALUE_INTEGER,
					    -ret->number, NULL };
		return true;
	case NODE_COMPARE:
	case NODE_ARGUMENT: break; /* parts of a chain and of a call */
	}
	return false;
}

static bool evaluate_from(const struct pipa_rule_expr *expr, uint16_t node,
			  const struct pipa_context *context, struct pipa_value *ret,
			  struct pipa_rule_fault *fault)
{
	struct pipa_rule_fault own = { 0 };
	struct expr_run run = { expr, context, fault ? fault : &own };

	*run.fault = (struct pipa_rule_fault){ 0 };
	*ret = absent;
	return evaluate(&run, node, ret);
}

static enum pipa_truth truth_from(const struct pipa_rule_expr *expr, uint16_t node,
				  const struct pipa_context *context, struct pipa_rule_fault *fault)
{
	struct pipa_value value;

	if (!evaluate_from(expr, node, context, &value, fault))
		return PIPA_TRUTH_ERROR;
	if (value.kind == PIPA_VALUE_ABSENT)
		return PIPA_TRUTH_UNKNOWN;
	return is_true(&value) ? PIPA_TRUTH_TRUE : PIPA_TRUTH_FALSE;
}

bool pipa_rule_expr_value(const struct pipa_rule_expr *expr, const struct pipa_context *context,
			  struct pipa_value *ret, struct pipa_rule_fault *fault)
{
	return evaluate_from(expr, expr->root, context, ret, fault);
}

enum pipa_truth pipa_rule_expr_truth(const struct pipa_rule_expr *expr,
				     const struct pipa_context *context,
				     struct pipa_rule_fault *fault)
{
	return truth_from(expr, expr->root, context, fault);
}

enum pipa_truth pipa_rule_expr_test(const struct pipa_rule_expr *expr, size_t index,
				    const struct pipa_context *context,
				    struct pipa_rule_fault *fault)
{
	return truth_from(expr, expr->tests[index], context, fault);
}

const char *pipa_truth_text(enum pipa_truth truth)
{
	static const char *const texts[] = { "false", "true", "unknown", "error" };

	return texts[truth];
}
