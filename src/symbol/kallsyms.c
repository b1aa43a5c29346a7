#include "symbol/kallsyms.h"

#include <errno.h>
#include <string.h>

#include "symbol/lines.h"
#include "symbol/table.h"
#include "symbol/table_build.h"

enum {
	LINE_GUESS = 48, /* bytes of a line: a guess at how many there are */
};

struct reader {
	const char *text;
	struct pipa_kallsyms *out;
	uint8_t lender;
	const char *module; /* of the line before: those of a module follow each other */
	size_t module_len;
	uint32_t module_id;
	bool any, all_zero;
};

struct line {
	uint64_t addr;
	char type;
	const char *name;
	size_t name_len;
	const char *module; /* NULL for the kernel's own */
	size_t module_len;
};

/* "ADDR TYPE NAME[\t[MODULE]]"; the end is that of the line. */
static bool split(const char *pos, const char *end, struct line *ret)
{
	const char *tab;

	if (!pipa_line_hex(&pos, end, &ret->addr) || end - pos < 4 || pos[0] != ' ' ||
	    pos[2] != ' ')
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
	/* markers of code and data on arm and riscv, and local labels */
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

static int take(struct reader *r, const struct line *line)
{
	struct pipa_symbol_row row = { .start = line->addr, .lender = r->lender };
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
	return pipa_symbols_add(r->out->symbols, &row);
}

static int read_lines(struct reader *r, const char *pos, const char *end)
{
	struct line line;
	int rc = 0;

	while (rc == 0 && pos < end) {
		const char *newline = memchr(pos, '\n', (size_t)(end - pos));
		const char *stop = newline ? newline : end;

		if (!split(pos, stop, &line))
			r->out->skipped++;
		else if (is_function(&line))
			rc = take(r, &line);
		pos = stop + 1;
	}
	return rc;
}

/* What was read when all addresses are hidden is names without a place. */
static int replace_with_nothing(struct pipa_kallsyms *out)
{
	pipa_symbols_free(out->symbols);
	out->symbols = pipa_symbols_new();
	out->hidden = true;
	return out->symbols ? 0 : -ENOMEM;
}

int pipa_kallsyms_decode(const char *text, size_t len, struct pipa_kallsyms *ret)
{
	struct pipa_kallsyms out = { .symbols = pipa_symbols_new() };
	struct reader r = { .text = text, .out = &out, .all_zero = true };
	int rc = -ENOMEM;

	if (len >= UINT32_MAX)
		rc = -EFBIG;
	else if (out.symbols && pipa_symbols_reserve(out.symbols, len / LINE_GUESS + 1) == 0) {
		r.lender = (uint8_t)pipa_symbols_lend(out.symbols, text, len, PIPA_NAME_WORD);
		rc = len ? read_lines(&r, text, text + len) : 0;
		if (rc == 0 && r.any && r.all_zero)
			rc = replace_with_nothing(&out);
		if (rc == 0)
			rc = pipa_symbols_finish(out.symbols, PIPA_ALIAS_LAST);
	}
	if (rc < 0) {
		pipa_symbols_free(out.symbols);
		return rc;
	}
	*ret = out;
	return 0;
}
