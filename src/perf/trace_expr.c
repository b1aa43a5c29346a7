#include "perf/trace_expr.h"

#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "perf/tracing.h"

enum { MAX_DEPTH = 48 };

static bool get_ternary(struct pipa_trace_expr *e, struct pipa_trace_value *ret);

/* ---- words -------------------------------------------------------------------------------------------- */

static void skip_space(struct pipa_trace_expr *e)
{
	while (e->pos < e->end && *e->pos == ' ')
		e->pos++;
}

static bool take(struct pipa_trace_expr *e, const char *text)
{
	size_t len = strlen(text);

	skip_space(e);
	if ((size_t)(e->end - e->pos) < len || memcmp(e->pos, text, len) != 0)
		return false;
	e->pos += len;
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static struct pipa_span take_word(struct pipa_trace_expr *e)
{
	const char *start;

	skip_space(e);
	start = e->pos;
	while (e->pos < e->end && is_word(*e->pos))
		e->pos++;
	return (struct pipa_span){ (const uint8_t *)start, (size_t)(e->pos - start) };
}

static bool is(struct pipa_span word, const char *text)
{
	return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

/* "text" without anything that would have to be turned into something else */
static bool take_string(struct pipa_trace_expr *e, struct pipa_span *ret)
{
	const char *end;

	if (!take(e, "\""))
		return false;
	end = memchr(e->pos, '"', (size_t)(e->end - e->pos));
	if (!end || memchr(e->pos, '\\', (size_t)(end - e->pos)))
		return false;
	*ret = (struct pipa_span){ (const uint8_t *)e->pos, (size_t)(end - e->pos) };
	e->pos = end + 1;
	return true;
}

static unsigned int digit_of(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10u : c >= 'A' && c <= 'F' ? c - 'A' + 10u : 99;
}

/* 12, 0x1f, 3UL */
static bool get_literal(struct pipa_span word, uint64_t *ret)
{
	unsigned int base = 10;
	size_t i = 0;

	if (word.size > 2 && word.data[0] == '0' && (word.data[1] | 0x20) == 'x') {
		base = 16;
		i = 2;
	}
	for (*ret = 0; i < word.size && digit_of(word.data[i]) < base; i++)
		*ret = *ret * base + digit_of(word.data[i]);
	while (i < word.size && (word.data[i] == 'U' || word.data[i] == 'L'))
		i++;
	return word.size && i == word.size;
}

/* ---- fields ------------------------------------------------------------------------------------------- */

static const struct pipa_trace_field *find_field(const struct pipa_trace_expr *e,
						 struct pipa_span name)
{
	uint32_t i;

	for (i = 0; i < e->event->n; i++) {
		const struct pipa_trace_field *f = &e->tracing->fields.items[e->event->first + i];

		if (f->name.size == name.size && name.size &&
		    memcmp(f->name.data, name.data, name.size) == 0)
			return f;
	}
	return NULL;
}

/* "[2]" after an array's name */
static bool get_element(struct pipa_trace_expr *e, const struct pipa_trace_field *f, uint64_t *ret)
{
	uint32_t size = f->count ? f->size / f->count : 0;
	uint64_t i;

	if (!size || size > 8 || !take(e, "[") || !get_literal(take_word(e), &i) || !take(e, "]") ||
	    i >= f->count)
		return false;
	*ret = pipa_trace_number_at(e->tracing, e->raw, f->offset + (uint32_t)i * size, size);
	return true;
}

static bool get_field(struct pipa_trace_expr *e, struct pipa_trace_value *ret)
{
	const struct pipa_trace_field *f = find_field(e, take_word(e));

	if (f && f->kind == PIPA_TRACE_ARRAY)
		return get_element(e, f, &ret->number);
	if (!f)
		return false;
	ret->is_text = pipa_trace_is_text(f);
	if (ret->is_text)
		ret->text = pipa_trace_bytes(e->tracing, f, e->raw);
	else
		ret->number = pipa_trace_number(e->tracing, f, e->raw);
	return true;
}

/* ---- names of numbers --------------------------------------------------------------------------------- */

static void make(struct pipa_trace_expr *e, struct pipa_span text)
{
	size_t room = sizeof(e->made) - e->n_made, n = text.size < room ? text.size : room;

	if (n)
		memcpy(e->made + e->n_made, text.data, n);
	e->n_made += n;
}

static void make_hex(struct pipa_trace_expr *e, uint64_t value)
{
	char text[24];
	int n = snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);

	make(e, (struct pipa_span){ (const uint8_t *)text, (size_t)n });
}

/* ", { 0x1, "S" }": one name; false after the last */
static bool take_name(struct pipa_trace_expr *e, uint64_t *value, struct pipa_span *name)
{
	struct pipa_trace_value v = { 0 };

	if (!take(e, ",") || !take(e, "{") || !get_ternary(e, &v) || v.is_text || !take(e, ","))
		return false;
	*value = v.number;
	return take_string(e, name) && take(e, "}");
}

/* __print_flags(value, "|", {...}, ...), __print_symbolic(value, {...}, ...) after the bracket */
static bool get_names(struct pipa_trace_expr *e, bool flags, struct pipa_trace_value *ret)
{
	struct pipa_span between = { 0 }, name;
	struct pipa_trace_value of = { 0 };
	size_t start = e->n_made;
	bool found = false;
	uint64_t value, left;

	if (!get_ternary(e, &of) || of.is_text)
		return false;
	if (flags && (!take(e, ",") || !take_string(e, &between)))
		return false;
	left = of.number;
	while (take_name(e, &value, &name)) {
		if (flags ? !value || (left & value) != value : found || left != value)
			continue;
		if (found)
			make(e, between);
		make(e, name);
		found = true;
		left = flags ? left & ~value : left;
	}
	if (flags && left && found)
		make(e, between);
	if (flags ? left > 0 : !found)
		make_hex(e, left);
	*ret = (struct pipa_trace_value){
		.is_text = true, .text = { (const uint8_t *)e->made + start, e->n_made - start }
	};
	return take(e, ")");
}

/* ---- expressions -------------------------------------------------------------------------------------- */

/* "(unsigned long)": nothing but the words of a type in brackets. Where it is none, nothing is taken. */
static bool take_cast(struct pipa_trace_expr *e)
{
	const char *before = e->pos;
	struct pipa_span word;
	uint64_t number;
	size_t words = 0;

	if (!take(e, "("))
		return false;
	while ((word = take_word(e)).size && !is(word, "REC") && !get_literal(word, &number) &&
	       word.data[0] != '_')
		words++;
	while (words && !word.size && take(e, "*"))
		;
	if (words && !word.size && take(e, ")"))
		return true;
	e->pos = before;
	return false;
}

static bool get_primary(struct pipa_trace_expr *e, struct pipa_trace_value *ret)
{
	const char *before;
	struct pipa_span word;

	*ret = (struct pipa_trace_value){ 0 };
	if (take(e, "("))
		return get_ternary(e, ret) && take(e, ")");
	if (take_string(e, &ret->text))
		return ret->is_text = true;
	before = e->pos;
	word = take_word(e);
	if (is(word, "REC") && take(e, "->"))
		return get_field(e, ret);
	if ((is(word, "__get_str") || is(word, "__get_rel_str")) && take(e, "("))
		return get_field(e, ret) && take(e, ")");
	if (is(word, "__print_flags") && take(e, "("))
		return get_names(e, true, ret);
	if (is(word, "__print_symbolic") && take(e, "("))
		return get_names(e, false, ret);
	e->pos = before;
	return get_literal(take_word(e), &ret->number);
}

static bool get_unary(struct pipa_trace_expr *e, struct pipa_trace_value *ret)
{
	char sign = '+';
	bool good;

	if (++e->depth > MAX_DEPTH)
		return false;
	while (take_cast(e))
		;
	if (take(e, "!"))
		sign = '!';
	else if (take(e, "~"))
		sign = '~';
	else if (take(e, "-"))
		sign = '-';
	good = sign == '+' ? get_primary(e, ret) : get_unary(e, ret) && !ret->is_text;
	if (good && sign != '+')
		ret->number = sign == '!' ? !ret->number :
			      sign == '~' ? ~ret->number :
					    -ret->number;
	e->depth--;
	return good;
}

/* The longer ones first where one begins another. */
static const struct operator
{
	char text[3];
	unsigned int binds;
}
operators[] = {
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 }, { ">>", 8 },
	{ "<=", 7 }, { ">=", 7 }, { "|", 3 },  { "^", 4 },  { "&", 5 },	 { "<", 7 },
	{ ">", 7 },  { "+", 9 },  { "-", 9 },  { "*", 10 }, { "/", 10 }, { "%", 10 },
};

/* Two letters as one number, to choose by. */
#define OP(a, b) ((unsigned int)(a) << 8 | (unsigned char)(b))

static bool work_out(const struct operator* op, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (OP(op->text[0], op->text[1])) {
	case OP('|', '|'): *ret = a || b; return true;
	case OP('&', '&'): *ret = a && b; return true;
	case OP('=', '='): *ret = a == b; return true;
	case OP('!', '='): *ret = a != b; return true;
	case OP('<', '='): *ret = x <= y; return true;
	case OP('>', '='): *ret = x >= y; return true;
	case OP('<', 0): *ret = x < y; return true;
	case OP('>', 0): *ret = x > y; return true;
	case OP('<', '<'): *ret = b < 64 ? a << b : 0; return true;
	case OP('>', '>'): *ret = b < 64 ? a >> b : 0; return true;
	case OP('|', 0): *ret = a | b; return true;
	case OP('^', 0): *ret = a ^ b; return true;
	case OP('&', 0): *ret = a & b; return true;
	case OP('+', 0): *ret = a + b; return true;
	case OP('-', 0): *ret = a - b; return true;
	case OP('*', 0): *ret = a * b; return true;
	case OP('/', 0): *ret = b ? a / b : 0; return b != 0;
	default: *ret = b ? a % b : 0; return b != 0;
	}
}

static bool get_binary(struct pipa_trace_expr *e, unsigned int binds, struct pipa_trace_value *ret)
{
	size_t i = 0;

	if (!get_unary(e, ret))
		return false;
	while (i < PIPA_COUNT(operators)) {
		const struct operator* op = & operators[i++];
		struct pipa_trace_value right;

		if (op->binds < binds || !take(e, op->text))
			continue;
		if (!get_binary(e, op->binds + 1, &right) || ret->is_text || right.is_text ||
		    !work_out(op, ret->number, right.number, &ret->number))
			return false;
		i = 0;
	}
	return true;
}

static bool get_ternary(struct pipa_trace_expr *e, struct pipa_trace_value *ret)
{
	struct pipa_trace_value yes, no;
	bool good;

	if (++e->depth > MAX_DEPTH)
		return false;
	good = get_binary(e, 1, ret);
	if (good && take(e, "?")) {
		good = !ret->is_text && get_ternary(e, &yes) && take(e, ":") && get_ternary(e, &no);
		if (good)
			*ret = ret->number ? yes : no;
	}
	e->depth--;
	return good;
}

bool pipa_trace_expr_next(struct pipa_trace_expr *e, struct pipa_trace_value *ret)
{
	e->depth = 0;
	e->n_made = 0;
	if (!get_ternary(e, ret))
		return false;
	skip_space(e);
	return e->pos == e->end || *e->pos == ',';
}
