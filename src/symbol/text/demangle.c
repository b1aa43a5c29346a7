#include "symbol/text/demangle.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/auto.h"

enum { D_GROWTH = 4 << 20 }; /* limit of the estimated output of a D name */

static const char plt[] = "@plt";

/* Output buffer of libiberty's callback. */
struct page {
	char *out;
	size_t len, room;
	jmp_buf full;
};

static bool starts(const char *name, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len > n && memcmp(name, prefix, n) == 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool pipa_is_mangled(const char *name, size_t len)
{
	if (len < 3 || (name[0] != '_' && name[0] != '.'))
		return false;
	return starts(name, len, "_Z") || starts(name, len, "_R") || starts(name, len, "__Z") ||
	       starts(name, len, "___Z") || (starts(name, len, "_D") && is_digit(name[2])) ||
	       starts(name, len, "_GLOBAL_") || starts(name, len, "._Z") ||
	       (len == 6 && memcmp(name, "_Dmain", 6) == 0);
}

static bool is_ascii(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/*
 * Append a piece of output. Substitutions can expand without bounds, and the only way to stop
 * libiberty is longjmp() out of the callback. It owns no memory while it prints, with one
 * exception: a decoded identifier of Rust, which is never plain ASCII. Those pieces are dropped,
 * and the jump happens at the next piece.
 */
static void print_piece(const char *text, size_t len, void *opaque)
{
	struct page *page = opaque;

	if (!len)
		return;
	if (len < page->room - page->len) {
		memcpy(page->out + page->len, text, len);
		page->len += len;
		return;
	}
	page->room = page->len; /* the buffer is full */
	if (is_ascii(text, len))
		longjmp(page->full, 1);
}

static bool print_into(struct page *page, const char *name, int options)
{
	if (setjmp(page->full))
		return false;
	if (rust_demangle_callback(name, options, print_piece, page))
		return page->len < page->room;
	if (page->room == page->len)
		return false;
	page->len = 0; /* drop partial output of the Rust demangler */
	return cplus_demangle_v3_callback(name, options, print_piece, page) &&
	       page->len < page->room;
}

/*
 * Is the estimated output of a D name within the limit? Back references can double a name
 * repeatedly, and libiberty allocates all of it. The bound needs no parsing: at most the text
 * between a reference and its target is repeated. Letters that only look like references make the
 * bound larger, never smaller.
 */
static bool d_stays_small(const char *name, size_t len)
{
	uint32_t grown[PIPA_DEMANGLE_MAX + 1] = { 0 }; /* bound of the output for name[0, i) */
	size_t i, j;

	for (i = 0; i < len; i++) {
		uint64_t back = 0, sum = (uint64_t)grown[i] + 1;

		if (name[i] == 'Q') {
			for (j = i + 1; j < len && name[j] >= 'A' && name[j] <= 'Z'; j++)
				back = back > len ? back : back * 26 + (uint64_t)(name[j] - 'A');
			if (j < len && name[j] >= 'a' && name[j] <= 'z')
				back = back * 26 + (uint64_t)(name[j] - 'a');
			if (back <= i)
				sum += grown[i] - grown[i - back];
		}
		if (sum > D_GROWTH)
			return false;
		grown[i + 1] = (uint32_t)sum;
	}
	return true;
}

static size_t demangle_d(const char *name, size_t len, int options, char *out, size_t room)
{
	PIPA_AUTO(free) char *text = NULL;
	size_t n;

	if (!d_stays_small(name, len))
		return 0;
	text = dlang_demangle(name, options);
	n = text ? strlen(text) : 0;
	if (!n || n >= room)
		return 0;
	memcpy(out, text, n + 1);
	return n;
}

static size_t demangle_text(const char *name, size_t len, unsigned int flags, char *out,
			    size_t room)
{
	int options = flags & PIPA_DEMANGLE_PARAMS ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS;
	struct page page = { .out = out, .room = room };

	if (name[0] == '_' && name[1] == 'D')
		return demangle_d(name, len, options, out, room);
	if (!print_into(&page, name, options))
		return 0;
	out[page.len] = '\0';
	return page.len;
}

size_t pipa_demangle(const char *name, size_t len, unsigned int flags, char *out, size_t room)
{
	const size_t plt_len = sizeof(plt) - 1;
	char text[PIPA_DEMANGLE_MAX + 1];
	size_t n, suffix = 0;

	if (!pipa_is_mangled(name, len) || len > PIPA_DEMANGLE_MAX || !room)
		return 0;
	if (len > plt_len && memcmp(name + len - plt_len, plt, plt_len) == 0)
		suffix = plt_len;
	memcpy(text, name, len - suffix);
	text[len - suffix] = '\0';
	if (strlen(text) != len - suffix || suffix >= room)
		return 0;
	n = demangle_text(text, len - suffix, flags, out, room - suffix);
	if (n && suffix) {
		memcpy(out + n, plt, sizeof(plt));
		n += plt_len;
	}
	return n;
}
