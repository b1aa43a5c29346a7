#include "analyze/rules/rule_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"

/* ---- values -------------------------------------------------------------------------------------- */

/* Append the shortest decimal that reads back as the number, with ".0" for a whole one. */
static void write_float(double number, struct pipa_buf *out)
{
	char text[40];
	int precision = 0, exponent;

	if (!isfinite(number)) {
		pipa_buf_puts(out, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
		return;
	}
	do {
		snprintf(text, sizeof(text), "%.*e", precision, number);
	} while (strtod(text, NULL) != number && ++precision < 17);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	if (exponent < -4 || exponent >= 16)
		pipa_buf_puts(out, text);
	else
		pipa_buf_printf(out, "%.*f", precision > exponent ? precision - exponent : 1,
				number);
}

void pipa_value_write(const struct pipa_value *value, int digits, struct pipa_buf *out)
{
	switch (value->kind) {
	case PIPA_VALUE_ABSENT: pipa_buf_putc(out, '?'); return;
	case PIPA_VALUE_NONE: pipa_buf_puts(out, "None"); return;
	case PIPA_VALUE_TEXT: pipa_buf_puts(out, value->text); return;
	case PIPA_VALUE_BOOL:
		if (digits < 0) {
			pipa_buf_puts(out, value->number != 0 ? "True" : "False");
			return;
		}
		break;
	case PIPA_VALUE_INTEGER:
		if (digits < 0) {
			pipa_buf_printf(out, "%.0f", value->number);
			return;
		}
		break;
	case PIPA_VALUE_NUMBER:
		if (digits < 0) {
			write_float(value->number, out);
			return;
		}
		break;
	}
	pipa_buf_printf(out, "%.*f", digits, value->number);
}

/* ---- placeholders -------------------------------------------------------------------------------- */

/* Parse "page|pages}", the nouns after the value of a placeholder. */
static void parse_nouns(const char *text, struct pipa_placeholder *p)
{
	p->one = text;
	p->one_len = strcspn(text, "|}");
	p->other = text + p->one_len + 1;
	p->other_len = strcspn(p->other, "|}");
	if (text[p->one_len] != '|' || p->other[p->other_len] != '}' || !p->one_len ||
	    !p->other_len)
		p->fault = "invalid nouns, expected {NAME|ONE|OTHERS}";
}

/* Parse the placeholder at `text`, which starts with a brace. */
static void parse_placeholder(const char *text, struct pipa_placeholder *p)
{
	size_t len = strcspn(text + 1, "{}"), name = strcspn(text + 1, "{}:|"), i;
	const char *format = text + 1 + name;

	p->name[0] = '\0';
	p->digits = -1;
	p->one = p->other = NULL;
	p->one_len = p->other_len = 0;
	p->end = p->start + 1 + len + (text[1 + len] == '}');
	p->fault = text[1 + len] == '}' ? NULL : "missing }";
	for (i = 0; i < name; i++)
		if (!isalnum((unsigned char)text[1 + i]) && text[1 + i] != '_')
			p->fault = p->fault ? p->fault : "expected {NAME} or {NAME:.1f}";
	if (!p->fault && (!name || name >= sizeof(p->name)))
		p->fault = "expected {NAME} or {NAME:.1f}";
	if (!p->fault && *format == ':') {
		if (format[1] == '.' && isdigit((unsigned char)format[2]) && format[3] == 'f' &&
		    (format[4] == '}' || format[4] == '|')) {
			p->digits = format[2] - '0';
			format += 4;
		} else {
			p->fault = "invalid format, expected .0f to .9f";
		}
	}
	if (!p->fault && *format == '|')
		parse_nouns(format + 1, p);
	if (p->fault)
		return;
	memcpy(p->name, text + 1, name);
	p->name[name] = '\0';
}

bool pipa_placeholder_next(const char *text, size_t *offset, struct pipa_placeholder *ret)
{
	size_t at = *offset;

	for (;;) {
		at += strcspn(text + at, "{}");
		if (!text[at]) {
			*offset = at;
			return false;
		}
		if (text[at] == text[at + 1]) {
			at += 2; /* an escaped brace */
			continue;
		}
		ret->start = at;
		if (text[at] == '{') {
			parse_placeholder(text + at, ret);
		} else {
			*ret = (struct pipa_placeholder){
				.start = at, .end = at + 1, .digits = -1, .fault = "unexpected }"
			};
		}
		*offset = ret->end;
		return true;
	}
}

/* ---- markup -------------------------------------------------------------------------------------- */

enum tag {
	TAG_STRONG,
	TAG_EM,
	TAG_CODE,
	TAG_BR,
	TAG_UL,
	TAG_OL,
	TAG_LI,
	TAG_DIV,
	TAG_QUOTE,
	TAG_NR
};

static const char *const tags[TAG_NR] = { "strong", "em", "code", "br",	       "ul",
					  "ol",	    "li", "div",  "blockquote" };

enum { MAX_OPEN_TAGS = 32 };

struct text_writer {
	struct pipa_buf *out; /* of runs: the text of the current one */
	const struct pipa_context *context;
	bool html;
	struct {
		enum tag tag;
		bool is_bold; /* by asterisks */
	} open[MAX_OPEN_TAGS];
	size_t n_open;
	struct pipa_buf *runs; /* list of runs; NULL: another markup */
	size_t n_runs;
	bool is_bold;	  /* the current run is */
	bool has_text;	  /* of plain text: something is written */
	size_t new_lines; /* of plain text: to be written before the next word */
	bool blank;	  /* likewise a blank */
	bool item;	  /* likewise the dash of a list item, unless the text has one */
};

/* Append the current run to the list, then `entry` if that is not NULL. */
static void end_run(struct text_writer *w, const char *entry)
{
	if (w->out->len) {
		pipa_buf_puts(w->runs, w->n_runs++ ? "," : "");
		pipa_buf_puts(w->runs, w->is_bold ? "[\"b\"," : "");
		pipa_doc_put_quoted(w->runs, pipa_buf_str(w->out));
		pipa_buf_puts(w->runs, w->is_bold ? "]" : "");
		if (w->out->status && !w->runs->status)
			w->runs->status = w->out->status;
		pipa_buf_reset(w->out);
	}
	if (entry)
		pipa_buf_printf(w->runs, "%s%s", w->n_runs++ ? "," : "", entry);
}

static bool is_in_bold(const struct text_writer *w)
{
	size_t i;

	for (i = 0; i < w->n_open; i++)
		if (w->open[i].tag == TAG_STRONG)
			return true;
	return false;
}

/* Write pending blanks of plain text before the next character. */
static void write_pending(struct text_writer *w, char next)
{
	bool changes = w->runs && is_in_bold(w) != w->is_bold;

	if (changes && w->is_bold) /* blanks belong to the run that is not bold */
		end_run(w, NULL);
	if (w->has_text && w->new_lines && w->runs)
		end_run(w, "[\"br\"]");
	else if (w->has_text && w->new_lines)
		pipa_buf_putc(w->out, '\n');
	else if (w->has_text && w->blank)
		pipa_buf_putc(w->out, ' ');
	if (changes && !w->is_bold)
		end_run(w, NULL);
	w->is_bold ^= changes;
	w->has_text = true;
	if (w->item && next != '-')
		pipa_buf_puts(w->out, "- ");
	w->new_lines = 0;
	w->blank = w->item = false;
}

static void write_byte(struct text_writer *w, char c)
{
	static const char *const entities[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
	};

	if (!w->html && (c == ' ' || c == '\n' || c == '\t' || c == '\r')) {
		w->blank = true;
		return;
	}
	if (!w->html)
		write_pending(w, c);
	if (w->html && (unsigned char)c < PIPA_COUNT(entities) && entities[(unsigned char)c])
		pipa_buf_puts(w->out, entities[(unsigned char)c]);
	else
		pipa_buf_putc(w->out, c);
}

static bool is_block(enum tag tag)
{
	return tag >= TAG_BR;
}

static void open_tag(struct text_writer *w, enum tag tag, bool is_bold)
{
	if (!w->html) {
		w->new_lines |= is_block(tag);
		w->item |= tag == TAG_LI;
	}
	if (tag == TAG_BR) {
		if (w->html)
			pipa_buf_puts(w->out, "<br>");
		return;
	}
	if (w->n_open == MAX_OPEN_TAGS)
		return;
	w->open[w->n_open].tag = tag;
	w->open[w->n_open++].is_bold = is_bold;
	if (w->html)
		pipa_buf_printf(w->out, "<%s>", tags[tag]);
}

/* Close all tags down to number `keep`. */
static void close_tags(struct text_writer *w, size_t keep)
{
	while (w->n_open > keep) {
		enum tag tag = w->open[--w->n_open].tag;

		if (w->html)
			pipa_buf_printf(w->out, "</%s>", tags[tag]);
		else
			w->new_lines |= is_block(tag);
	}
}

/* Return the number of the innermost open tag of that kind, n_open if there is none. */
static size_t find_open(const struct text_writer *w, enum tag tag, bool is_bold)
{
	size_t i = w->n_open;

	while (i--)
		if (w->open[i].tag == tag && w->open[i].is_bold == is_bold)
			return i;
	return w->n_open;
}

/* Write the tag at `text`, which starts with "<". Returns its length, 0 if it is not one of ours. */
static size_t write_tag(struct text_writer *w, const char *text)
{
	bool closes = text[1] == '/';
	const char *name = text + 1 + closes;
	size_t len = 0, whole;
	enum tag tag;

	while (isalpha((unsigned char)name[len]))
		len++;
	for (tag = 0; tag < TAG_NR; tag++)
		if (strlen(tags[tag]) == len && strncmp(tags[tag], name, len) == 0)
			break;
	whole = strcspn(text, "<>") == 0 ? 1 + strcspn(text + 1, "<>") : 0;
	if (tag == TAG_NR || text[whole] != '>' || (name[len] && !strchr(" \t\r\n/>", name[len])))
		return 0;
	if (closes)
		close_tags(w, find_open(w, tag, false));
	else
		open_tag(w, tag, false);
	return whole + 1;
}

/* Write a placeholder: its value, or its own text if it is invalid. */
static void write_placeholder(struct text_writer *w, const char *text,
			      const struct pipa_placeholder *p)
{
	static const struct pipa_value absent = { PIPA_VALUE_ABSENT, 0, NULL };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf value = { .max = 1 << 20 };
	const struct pipa_variable *variable;
	size_t i;

	if (p->fault) {
		pipa_buf_add(&value, text + p->start, p->end - p->start);
	} else {
		variable = pipa_context_find(w->context, p->name);
		pipa_value_write(variable ? &variable->value : &absent, p->digits, &value);
		if (p->one) {
			bool is_one = strcmp(pipa_buf_str(&value), "1") == 0;

			pipa_buf_putc(&value, ' ');
			pipa_buf_add(&value, is_one ? p->one : p->other,
				     is_one ? p->one_len : p->other_len);
		}
	}
	for (i = 0; i < value.len && !w->out->status; i++)
		write_byte(w, value.data[i]);
}

void pipa_rule_text_write(const char *text, const struct pipa_context *context,
			  enum pipa_rule_markup markup, struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf run = { .max = out->max };
	bool by_runs = markup == PIPA_MARKUP_RUNS;
	struct text_writer w = { .out = by_runs ? &run : out,
				 .runs = by_runs ? out : NULL,
				 .context = context,
				 .html = markup == PIPA_MARKUP_HTML };
	struct pipa_placeholder p = { 0 };
	size_t at = 0, next, tag, bold;

	if (by_runs)
		pipa_buf_putc(out, '[');
	while (text[at] && !out->status) {
		if (text[at] == '{' || text[at] == '}') {
			if (text[at + 1] == text[at]) {
				write_byte(&w, text[at]);
				at += 2;
				continue;
			}
			next = at;
			pipa_placeholder_next(text, &next, &p);
			write_placeholder(&w, text, &p);
			at = next;
		} else if (text[at] == '<' && (tag = write_tag(&w, text + at))) {
			at += tag;
		} else if (text[at] == '*' && text[at + 1] == '*') {
			bold = find_open(&w, TAG_STRONG, true);
			if (bold < w.n_open) {
				close_tags(&w, bold);
				at += 2;
			} else if (strstr(text + at + 2, "**")) {
				open_tag(&w, TAG_STRONG, true);
				at += 2;
			} else {
				write_byte(&w, text[at++]);
				write_byte(&w, text[at++]);
			}
		} else {
			write_byte(&w, text[at++]);
		}
	}
	close_tags(&w, 0);
	if (by_runs) {
		end_run(&w, NULL);
		pipa_buf_putc(out, ']');
	}
}
