#include "analyze/profile/short_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

enum { DOTS = 3 };

static const char anonymous[] = "(anonymous namespace)";

/* Return the length of operator<, operator->, operator() at the start of the text, where no bracket opens; or 0. */
static size_t operator_len(const char *text)
{
	static const char word[] = "operator";
	const char *sign = text + sizeof(word) - 1;

	if (*text != 'o' || strncmp(text, word, sizeof(word) - 1) != 0)
		return 0;
	return sizeof(word) - 1 + (strncmp(sign, "()", 2) == 0 ? 2 : strspn(sign, "<>=-"));
}

/* Return the length of what is copied as it is although it has brackets; or 0. */
static size_t atom_len(const char *text)
{
	if (*text == '(' && strncmp(text, anonymous, sizeof(anonymous) - 1) == 0)
		return sizeof(anonymous) - 1;
	if (*text == '.' && text[1] == '(' && text[2] == '*') /* Go: pkg.(*Type).Method */
		return strcspn(text, ")");
	return operator_len(text);
}

/* ---- brackets ------------------------------------------------------------------------------------------ */

#define CLOSES UINT32_MAX /* the entry of a closing bracket */

/*
 * Find the pairs of brackets whose content is longer than the dots. The entry of an opening one becomes the index
 * after the closing one, that of the closing one CLOSES, all others are not larger than their own index. One pass:
 * a bracket that is open holds one plus the index of the one that was open before it.
 */
static void match_brackets(const char *text, uint32_t *ends)
{
	uint32_t open = 0, i, before;
	size_t skip;

	for (i = 0; text[i]; i++) {
		skip = atom_len(text + i);
		if (skip) {
			i += (uint32_t)skip - 1;
		} else if (text[i] == '<' || text[i] == '(') {
			ends[i] = open;
			open = i + 1;
		} else if ((text[i] == '>' || text[i] == ')') && open) {
			bool long_enough = i - open > DOTS;

			before = ends[open - 1];
			ends[open - 1] = long_enough ? i + 1 : 0;
			ends[i] = long_enough ? CLOSES : 0;
			open = before;
		}
	}
}

/*
 * Return in how many brackets a character may be and still be kept, so that the name has at most `columns` bytes;
 * 0 if that is not possible. `sums` has room for two numbers per character.
 */
static uint32_t kept_depth(const uint32_t *ends, size_t n, size_t columns, uint32_t *sums)
{
	uint32_t i, depth = 0, deepest = 0, kept = 0;
	size_t width = 0;

	for (i = 0; i < n; i++) {
		if (ends[i] == CLOSES)
			depth--;
		sums[(size_t)2 * depth]++;
		if (ends[i] != CLOSES && ends[i] > i) {
			sums[(size_t)2 * depth + 1] += DOTS;
			depth++;
			deepest = depth > deepest ? depth : deepest;
		}
	}
	for (i = 0; i <= deepest; i++) {
		width += sums[(size_t)2 * i];
		if (width + sums[(size_t)2 * i + 1] <= columns)
			kept = i;
	}
	return kept;
}

/* Append the name with dots for what is in more than a number of brackets, chosen by the columns. */
static void put_folded(const char *symbol, size_t columns, struct pipa_buf *out)
{
	size_t n = strlen(symbol);
	PIPA_AUTO(free) uint32_t *ends = n < CLOSES / 2 ? calloc(3 * n + 3, sizeof(*ends)) : NULL;
	uint32_t i, depth = 0, kept, from = 0;

	if (!ends) {
		out->status = out->status ? out->status : -ENOMEM;
		return;
	}
	match_brackets(symbol, ends);
	kept = kept_depth(ends, n, columns, ends + n + 1);
	for (i = 0; i < n; i++) {
		if (ends[i] == CLOSES) {
			depth--;
		} else if (ends[i] > i && depth < kept) {
			depth++;
		} else if (ends[i] > i) {
			pipa_buf_add(out, symbol + from, i + 1 - from);
			pipa_buf_puts(out, "...");
			from = ends[i] - 1;
			i = from;
		}
	}
	pipa_buf_add(out, symbol + from, n - from);
}

void pipa_short_name_fold(const char *symbol, struct pipa_buf *out)
{
	put_folded(symbol, 0, out);
}

/* ---- parts of a name ------------------------------------------------------------------------------------- */

/* Append the name with std::string for its template, as long as libstdc++ and libc++ write it. */
static void put_strings(const char *symbol, struct pipa_buf *out)
{
	static const char *const templates[] = {
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>",
		"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >",
		"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>",
		"std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	};
	const char *from = symbol, *at = symbol;
	size_t i;

	while ((at = strstr(at, "std::"))) {
		for (i = 0; i < PIPA_COUNT(templates); i++)
			if (strncmp(at, templates[i], strlen(templates[i])) == 0)
				break;
		if (i == PIPA_COUNT(templates)) {
			at += 5;
			continue;
		}
		pipa_buf_add(out, from, (size_t)(at - from));
		pipa_buf_puts(out, "std::string");
		from = at += strlen(templates[i]);
	}
	pipa_buf_puts(out, from);
}

/* Return where the parameters of a folded name begin: the last "(" outside of all other brackets; or its end. */
static size_t parameters_at(const char *text)
{
	size_t i, len, depth = 0, found = strlen(text);

	for (i = 0; text[i]; i += len) {
		len = atom_len(text + i);
		if (len)
			continue;
		len = 1;
		if (text[i] == '(' && !depth && i)
			found = i;
		if (text[i] == '(' || text[i] == '<')
			depth++;
		else if ((text[i] == ')' || text[i] == '>') && depth)
			depth--;
	}
	return found;
}

/*
 * Return the part of a name after its first scope: after "::", after the "!" of code without a symbol, or after a
 * directory of a Go package. NULL if there is none.
 */
static const char *after_scope(const char *text)
{
	size_t i, len, depth = 0;
	bool plain = true; /* no space and no colon yet: a '/' may be in the path of a package */

	for (i = 0; text[i]; i += len) {
		len = atom_len(text + i);
		if (len)
			continue;
		len = 1;
		if (!depth && text[i] == ':' && text[i + 1] == ':' && text[i + 2])
			return text + i + 2;
		if (!depth && text[i] == '!' && text[i + 1])
			return text + i + 1;
		if (!depth && plain && i && text[i] == '/' && strchr(text + i, '.') && text[i + 1])
			return text + i + 1;
		plain &= text[i] != ' ' && text[i] != ':';
		if (text[i] == '(' || text[i] == '<')
			depth++;
		else if ((text[i] == ')' || text[i] == '>') && depth)
			depth--;
	}
	return NULL;
}

void pipa_short_name(const char *symbol, size_t columns, enum pipa_short_form form,
		     struct pipa_buf *out)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf plain = { 0 }, folded = { 0 };
	const char *mark = form == PIPA_SHORT_COLUMN ? "..." : "", *text, *next;
	size_t len, start;

	if (strnlen(symbol, columns + 1) <= columns) {
		pipa_buf_puts(out, symbol);
		return;
	}
	put_strings(symbol, &plain);
	put_folded(pipa_buf_str(&plain), columns, &folded);
	if (plain.status || folded.status) {
		out->status = out->status ? out->status : -ENOMEM;
		return;
	}
	text = pipa_buf_str(&folded);
	len = strlen(text);
	if (len > columns)
		len = parameters_at(text);
	start = 0;
	while (start + len > columns && (next = after_scope(text)) && next < text + len) {
		len -= (size_t)(next - text);
		text = next;
		start = strlen(mark);
	}
	pipa_buf_puts(out, start ? mark : "");
	pipa_buf_add(out, text, len);
}

const char *pipa_short_name_in(const char *symbol, const char *object)
{
	size_t n = strlen(object);

	return strncmp(symbol, object, n) == 0 && symbol[n] == '!' && symbol[n + 1] ?
		       symbol + n + 1 :
		       symbol;
}
