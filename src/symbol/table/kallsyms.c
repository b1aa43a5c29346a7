#include "symbol/table/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "symbol/table/lines.h"
#include "symbol/table/table.h"
#include "symbol/table/table_build.h"

enum {
	LINE_GUESS = 48, /* bytes per line, to estimate their number */
};

/*
 * Symbols after one wanted address up to the next one: only the first and the last of them can
 * start or end a symbol that contains a wanted address.
 */
struct gap {
	struct pipa_symbol_row first, last;
	bool any;
};

struct near {
	const uint64_t *addrs;
	size_t n;
	struct gap *gaps; /* n + 1; gap i ends with address i */
	size_t at;	  /* gap of the previous line */
};

struct reader {
	const char *text;
	struct near *near; /* NULL: store all symbols */
	struct pipa_kallsyms *out;
	uint8_t pool;
	const char *module; /* of the previous line: symbols of a module are adjacent */
	size_t module_len;
	uint32_t module_id;
	bool any, all_zero;
};

struct line {
	uint64_t addr;
	char type;
	const char *name;
	size_t name_len;
	const char *module; /* NULL: the kernel itself */
	size_t module_len;
};

/* Parse "ADDR TYPE NAME[\t[MODULE]]" up to the end of the line. */
static bool parse_line(const char *pos, const char *end, struct line *ret)
{
	const char *tab;

	if (end - pos > 16 && pipa_line_hex16(pos, &ret->addr))
		pos += 16;
	else if (!pipa_line_hex(&pos, end, &ret->addr))
		return false;
	if (end - pos < 4 || pos[0] != ' ' || pos[2] != ' ')
		return false;
	ret->type = pos[1];
	ret->name = pos + 3;
	ret->name_len = (size_t)(end - ret->name);
	ret->module = NULL;
	ret->module_len = 0;
	tab = end[-1] == ']' ? memchr(ret->name, '\t', ret->name_len) : NULL;
	if (tab && end - tab > 3 && tab[1] == '[') {
		ret->name_len = (size_t)(tab - ret->name);
		ret->module = tab + 2;
		ret->module_len = (size_t)(end - ret->module) - 1;
	}
	return ret->name_len > 0;
}

static bool is_function(const struct line *line)
{
	switch (line->type) {
	case 't':
	case 'T':
	case 'w':
	case 'W':
	case 'i': break;
	default: return false;
	}
	/* mapping symbols of arm and riscv, and local labels */
	return line->name[0] != '$' &&
	       !(line->name[0] == '.' && line->name_len > 1 && line->name[1] == 'L');
}

static bool is_named(const struct line *line, const char *name)
{
	return line->name_len == strlen(name) && memcmp(line->name, name, line->name_len) == 0;
}

static int enter_module(struct reader *r, const struct line *line)
{
	if (!line->module) {
		r->module_id = 0;
		r->module = NULL;
		return 0;
	}
	if (r->module && r->module_len == line->module_len &&
	    memcmp(r->module, line->module, r->module_len) == 0)
		return 0;
	r->module = line->module;
	r->module_len = line->module_len;
	return pipa_symbols_module(r->out->symbols, line->module, line->module_len, &r->module_id);
}

static bool is_in_gap(const struct near *near, size_t i, uint64_t addr)
{
	return (i == 0 || near->addrs[i - 1] < addr) && (i == near->n || addr <= near->addrs[i]);
}

/*
 * Find the gap of an address. The list is nearly sorted: try that of the previous line and the next
 * one first.
 */
static size_t find_gap(const struct near *near, uint64_t addr)
{
	size_t low = 0, high = near->n;

	if (is_in_gap(near, near->at, addr))
		return near->at;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (near->addrs[mid] >= addr)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Store a row in its gap; of several at one address the last one, as for the whole list. */
static int store_near(struct near *near, const struct pipa_symbol_row *row)
{
	struct gap *gap;

	near->at = find_gap(near, row->start);
	gap = &near->gaps[near->at];
	if (!gap->any || row->start <= gap->first.start)
		gap->first = *row;
	if (!gap->any || row->start >= gap->last.start)
		gap->last = *row;
	gap->any = true;
	return 0;
}

static int add_near(struct reader *r)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i <= r->near->n; i++) {
		const struct gap *gap = &r->near->gaps[i];

		if (gap->any && gap->first.start != gap->last.start)
			rc = pipa_symbols_add(r->out->symbols, &gap->first);
		if (gap->any && !rc)
			rc = pipa_symbols_add(r->out->symbols, &gap->last);
	}
	return rc;
}

static int add_parsed_line(struct reader *r, const struct line *line)
{
	struct pipa_symbol_row row = { .start = line->addr, .pool = r->pool };
	int rc;

	r->any = true;
	if (line->addr)
		r->all_zero = false;
	if (!line->module && line->name[0] == '_') {
		if (is_named(line, "_text"))
			r->out->text = line->addr;
		else if (is_named(line, "_stext"))
			r->out->stext = line->addr;
	}
	rc = enter_module(r, line);
	if (rc < 0)
		return rc;
	row.module = r->module_id;
	row.name = (uint32_t)(line->name - r->text);
	row.binding = line->type == 'W' || line->type == 'w' ? PIPA_BIND_WEAK :
		      line->type == 'T'			     ? PIPA_BIND_GLOBAL :
							       PIPA_BIND_LOCAL;
	return r->near ? store_near(r->near, &row) : pipa_symbols_add(r->out->symbols, &row);
}

static int read_lines(struct reader *r, const char *pos, const char *end)
{
	struct line line;
	int rc = 0;

	while (rc == 0 && pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		const char *stop = newline ? newline : end;

		if (!parse_line(pos, stop, &line))
			r->out->skipped++;
		else if (is_function(&line))
			rc = add_parsed_line(r, &line);
		pos = stop + 1;
	}
	return rc;
}

/* Replace the symbols by an empty table if all addresses are hidden. */
static int drop_hidden_symbols(struct pipa_kallsyms *out)
{
	pipa_symbols_free(out->symbols);
	out->symbols = pipa_symbols_new();
	out->hidden = true;
	return out->symbols ? 0 : -ENOMEM;
}

static int decode(struct reader *r, size_t len)
{
	struct pipa_symbols *symbols = r->out->symbols;
	int rc = r->near ? 0 : pipa_symbols_reserve(symbols, len / LINE_GUESS + 1);

	if (rc < 0)
		return rc;
	r->pool = (uint8_t)pipa_symbols_add_pool(symbols, r->text, len, PIPA_NAME_WORD);
	rc = len ? read_lines(r, r->text, r->text + len) : 0;
	if (rc == 0 && r->near)
		rc = add_near(r);
	if (rc == 0 && r->any && r->all_zero)
		rc = drop_hidden_symbols(r->out);
	return rc < 0 ? rc : pipa_symbols_finish(r->out->symbols, PIPA_ALIAS_LAST);
}

static int decode_new(const char *text, size_t len, struct near *near, struct pipa_kallsyms *ret)
{
	struct pipa_kallsyms out = { 0 };
	struct reader r = { .text = text, .near = near, .out = &out, .all_zero = true };
	int rc;

	if (len >= UINT32_MAX)
		return -EFBIG;
	out.symbols = pipa_symbols_new();
	rc = out.symbols ? decode(&r, len) : -ENOMEM;
	if (rc < 0)
		pipa_symbols_free(out.symbols);
	else
		*ret = out;
	return rc;
}

int pipa_kallsyms_decode(const char *text, size_t len, struct pipa_kallsyms *ret)
{
	return decode_new(text, len, NULL, ret);
}

int pipa_kallsyms_decode_near(const char *text, size_t len, const uint64_t *addrs, size_t n,
			      struct pipa_kallsyms *ret)
{
	PIPA_AUTO(free) struct gap *gaps = calloc(n + 1, sizeof(*gaps));
	struct near near = { .addrs = addrs, .n = n, .gaps = gaps };

	return gaps ? decode_new(text, len, &near, ret) : -ENOMEM;
}

/* _text is in one of the first lines. */
uint64_t pipa_kallsyms_text(const char *text, size_t len)
{
	const char *pos = text, *end = text + len, *newline;
	struct line line;

	while ((newline = memchr(pos, '\n', (size_t)(end - pos)))) {
		if (parse_line(pos, newline, &line) && !line.module && is_named(&line, "_text"))
			return line.addr;
		pos = newline + 1;
	}
	return 0;
}
