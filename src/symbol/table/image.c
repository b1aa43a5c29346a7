#include "symbol/table/image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "elf/elf.h"
#include "elf/inflate.h"
#include "elf/symtab.h"
#include "symbol/table/go_table.h"
#include "symbol/table/layout.h"
#include "symbol/table/stubs.h"
#include "symbol/table/table.h"
#include "symbol/table/table_build.h"

enum {
	MINIDEBUG_MAX = 256 << 20,
	SEGMENTS_MAX = 256, /* limit of loadable segments; real files have four or five */
};

/* A loadable segment: its position in the file and in memory. */
struct load {
	uint64_t offset, size, addr;
	bool executable;
};

struct pipa_image {
	bool relocatable;
	unsigned int sources;
	struct pipa_symbols *symbols;
	struct pipa_inflated minidebug;
	struct {
		struct load *items;
		size_t n, cap;
	} loads;
	struct pipa_layout layout; /* of ET_REL */
	struct pipa_go_table go;   /* without functions if the file has no table */
};

void pipa_image_free(struct pipa_image *object)
{
	if (!object)
		return;
	pipa_symbols_free(object->symbols);
	free(object->minidebug.data);
	free(object->loads.items);
	pipa_layout_done(&object->layout);
	free(object);
}

/*
 * Read the loadable segments. A debug file has the segments of its main file, but not their
 * contents.
 */
static int read_loads(struct pipa_image *object, const struct pipa_elf *elf, bool is_debug)
{
	struct pipa_elf_segment s;
	struct load *load;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &s) && object->loads.n < SEGMENTS_MAX; i++) {
		if (s.type != PT_LOAD)
			continue;
		load = PIPA_VEC_ADD(&object->loads);
		if (!load)
			return -ENOMEM;
		*load = (struct load){ .offset = s.offset,
				       .size = is_debug && !s.file_size ? s.mem_size : s.file_size,
				       .addr = s.addr,
				       .executable = s.flags & PF_X };
	}
	return 0;
}

/*
 * Return the difference between the link-time addresses of the two images: prelink moves a file but
 * not its debug file.
 */
static uint64_t bias_to(const struct pipa_image *object, const struct pipa_elf *elf)
{
	struct pipa_elf_segment s;
	uint32_t i;

	if (!object->loads.n || object->relocatable)
		return 0;
	for (i = 0; pipa_elf_segment(elf, i, &s); i++)
		if (s.type == PT_LOAD)
			return object->loads.items[0].addr - s.addr;
	return 0;
}

/* Compute the address of a symbol in the table; false if it is not loaded. */
static bool symbol_address(const struct pipa_image *object, const struct pipa_elf_symbol *symbol,
			   uint64_t bias, uint64_t *ret)
{
	uint64_t start;

	if (!object->relocatable) {
		*ret = symbol->value + bias;
		return true;
	}
	start = pipa_layout_start(&object->layout, symbol->section);
	if (start == PIPA_NOT_LOADED)
		return false;
	*ret = start + symbol->value;
	return true;
}

static enum pipa_binding binding_of(const struct pipa_elf_symbol *symbol)
{
	switch (symbol->binding) {
	case STB_LOCAL: return PIPA_BIND_LOCAL;
	case STB_WEAK: return PIPA_BIND_WEAK;
	default: return PIPA_BIND_GLOBAL;
	}
}

static int add_functions(struct pipa_image *object, const struct pipa_elf *elf, uint32_t type,
			 enum pipa_symbol_source source)
{
	struct pipa_symbols *symbols = object->symbols;
	uint64_t bias = bias_to(object, elf);
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_symbol_row row = { 0 };
	size_t i = 0;
	int rc;

	if (!pipa_elf_symtab_init(&tab, elf, type))
		return 0;
	rc = pipa_symbols_add_pool(symbols, tab.strings.data, tab.strings.size, PIPA_NAME_NUL);
	if (rc < 0)
		return rc;
	row.pool = (uint8_t)rc;
	rc = pipa_symbols_reserve(symbols, tab.n); /* bounded by the file's size */
	if (rc < 0)
		return rc;
	while (rc == 0 && pipa_elf_functions_next(&tab, &i, &symbol)) {
		if (!symbol_address(object, &symbol, bias, &row.start))
			continue;
		row.size = symbol.size < UINT32_MAX ? (uint32_t)symbol.size : UINT32_MAX;
		row.name = symbol.name;
		row.binding = (uint8_t)binding_of(&symbol);
		row.resolver = symbol.type == STT_GNU_IFUNC;
		object->sources |= source;
		rc = pipa_symbols_add(symbols, &row);
	}
	return rc;
}

static int add_minidebug(struct pipa_image *object, const struct pipa_elf *elf)
{
	struct pipa_elf mini;
	int rc = pipa_elf_minidebug(elf, MINIDEBUG_MAX, &object->minidebug, NULL);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0 ||
	    pipa_elf_init(&mini,
			  (struct pipa_span){ object->minidebug.data, object->minidebug.size },
			  NULL) < 0)
		return 0; /* missing or corrupt: ignored */
	return add_functions(object, &mini, SHT_SYMTAB, PIPA_FROM_MINIDEBUG);
}

/*
 * Does the image's symbol table have a function at the address? Symbols of Go's linker start with
 * the first function.
 */
static bool has_function_at(const struct pipa_elf *elf, uint64_t bias, uint64_t addr)
{
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	size_t i = 0;

	if (!pipa_elf_symtab_init(&tab, elf, SHT_SYMTAB))
		return false;
	while (pipa_elf_functions_next(&tab, &i, &symbol))
		if (symbol.value + bias == addr)
			return true;
	return false;
}

static int add_go(struct pipa_image *object, const struct pipa_elf *main,
		  const struct pipa_elf *debug)
{
	const struct pipa_go_table *go = &object->go;
	bool full = object->sources & (PIPA_FROM_DEBUG_FILE | PIPA_FROM_SYMTAB);
	struct pipa_symbol_row row = { .binding = PIPA_BIND_WEAK };
	struct pipa_go_function f;
	size_t i;
	int rc;

	if (!pipa_go_table_find(&object->go, main, !full))
		return 0;
	if (full && pipa_go_table_get(go, 0, &f) &&
	    (has_function_at(main, 0, f.start) ||
	     (debug && has_function_at(debug, bias_to(object, debug), f.start))))
		return 0;
	rc = pipa_symbols_add_pool(object->symbols, go->names.data, go->names.size, PIPA_NAME_NUL);
	if (rc < 0)
		return rc;
	row.pool = (uint8_t)rc;
	for (i = 0, rc = 0; rc == 0 && i < go->n; i++) {
		if (!pipa_go_table_get(go, i, &f))
			continue;
		row.start = f.start;
		row.size = f.size < UINT32_MAX ? (uint32_t)f.size : UINT32_MAX;
		row.name = f.name;
		object->sources |= PIPA_FROM_GO;
		rc = pipa_symbols_add(object->symbols, &row);
	}
	return rc;
}

static int add_bounds(struct pipa_image *object, const struct pipa_elf *elf)
{
	struct pipa_elf_section section;
	uint64_t start;
	uint32_t i;
	int rc = 0;

	for (i = 0; rc == 0 && pipa_elf_section(elf, i, &section); i++) {
		if (!(section.flags & SHF_EXECINSTR) || !(section.flags & SHF_ALLOC))
			continue;
		start = object->relocatable ? pipa_layout_start(&object->layout, i) : section.addr;
		if (start <= UINT64_MAX - section.size)
			rc = pipa_symbols_bound(object->symbols, start + section.size);
	}
	return rc;
}

/* Add the symbols of the best table; the others would only repeat them. */
static int add_best_symbols(struct pipa_image *object, const struct pipa_elf *main,
			    const struct pipa_elf *debug)
{
	int rc = 0;

	if (debug)
		rc = add_functions(object, debug, SHT_SYMTAB, PIPA_FROM_DEBUG_FILE);
	if (rc == 0 && main && !object->sources)
		rc = add_functions(object, main, SHT_SYMTAB, PIPA_FROM_SYMTAB);
	if (rc == 0 && main && !object->sources) {
		rc = add_minidebug(object, main);
		if (rc == 0)
			rc = add_functions(object, main, SHT_DYNSYM, PIPA_FROM_DYNSYM);
	}
	if (rc == 0 && main)
		rc = add_go(object, main, debug);
	if (rc == 0 && main)
		rc = pipa_symbols_add_stubs(object->symbols, main);
	if (rc > 0) {
		object->sources |= PIPA_FROM_PLT;
		rc = 0;
	}
	if (rc == 0)
		rc = add_bounds(object, main ? main : debug);
	return rc < 0 ? rc : pipa_symbols_finish(object->symbols, PIPA_ALIAS_BEST);
}

static int build_symbols(struct pipa_image *object, const struct pipa_elf *main,
			 const struct pipa_elf *debug)
{
	const struct pipa_elf *first = main ? main : debug;
	int rc;

	object->symbols = pipa_symbols_new();
	if (!object->symbols)
		return -ENOMEM;
	object->relocatable = first->type == ET_REL;
	rc = read_loads(object, first, !main);
	if (rc == 0 && object->relocatable)
		rc = pipa_layout_init(&object->layout, first);
	return rc < 0 ? rc : add_best_symbols(object, main, debug);
}

int pipa_image_new(const struct pipa_image_files *files, struct pipa_image **ret,
		   struct pipa_error *err)
{
	PIPA_AUTO(pipa_image_free) struct pipa_image *object = NULL;
	struct pipa_elf main, debug;
	bool has_main = pipa_elf_init(&main, files->main, err) == 0;
	bool has_debug = pipa_elf_init(&debug, files->debug, NULL) == 0;
	int rc;

	if (!has_main && !has_debug)
		return err && err->code ? err->code : -EBADMSG;
	if (has_main && has_debug && main.machine != debug.machine)
		has_debug = false; /* it does not belong to this file */
	object = calloc(1, sizeof(*object));
	if (!object)
		return pipa_fail(err, -ENOMEM, "read symbols");
	rc = build_symbols(object, has_main ? &main : NULL, has_debug ? &debug : NULL);
	if (rc < 0)
		return pipa_fail(err, rc, "read symbols");
	if (err)
		*err = (struct pipa_error){ 0 };
	*ret = PIPA_TAKE(object);
	return 0;
}

unsigned int pipa_image_sources(const struct pipa_image *object)
{
	return object->sources;
}

const struct pipa_symbols *pipa_image_symbols(const struct pipa_image *object)
{
	return object->symbols;
}

/* Find the segment with this file offset, executable ones first. */
static const struct load *find_load(const struct pipa_image *object, uint64_t offset)
{
	const struct load *load, *found = NULL;
	size_t i;

	for (i = 0; i < object->loads.n; i++) {
		load = &object->loads.items[i];
		if (offset < load->offset || offset - load->offset >= load->size)
			continue;
		if (load->executable)
			return load;
		if (!found)
			found = load;
	}
	return found;
}

bool pipa_image_addr(const struct pipa_image *object, uint64_t offset, uint64_t *ret)
{
	const struct load *load;

	if (object->relocatable) {
		*ret = offset;
		return true;
	}
	load = find_load(object, offset);
	if (load)
		*ret = load->addr + (offset - load->offset);
	return load;
}

bool pipa_image_gap(const struct pipa_image *object, uint64_t addr, uint64_t *ret_start,
		    uint64_t *ret_end)
{
	uint64_t start, end;
	size_t i;

	for (i = 0; i < object->loads.n; i++) {
		const struct load *load = &object->loads.items[i];

		if (!load->executable || addr < load->addr || addr - load->addr >= load->size)
			continue;
		pipa_symbols_gap(object->symbols, addr, &start, &end);
		*ret_start = start > load->addr ? start : load->addr;
		*ret_end = end - load->addr < load->size ? end : load->addr + load->size;
		return !object->relocatable && *ret_start <= addr && addr < *ret_end;
	}
	return false;
}

uint64_t pipa_image_find(struct pipa_span file, const char *name)
{
	struct pipa_elf elf;
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	size_t i;

	if (pipa_elf_init(&elf, file, NULL) < 0 || !pipa_elf_symtab_init(&tab, &elf, SHT_SYMTAB))
		return 0;
	for (i = 0; pipa_elf_symtab_get(&tab, i, &symbol); i++)
		if (symbol.section != SHN_UNDEF &&
		    strcmp(pipa_elf_symtab_name(&tab, &symbol), name) == 0)
			return symbol.value;
	return 0;
}

bool pipa_image_line(const struct pipa_image *object, uint64_t addr, const char **ret_file,
		     uint32_t *ret_line)
{
	return object->go.n && pipa_go_table_line(&object->go, addr, ret_file, ret_line);
}

/*
 * Addresses rise with offsets within a segment, and nearly always across segments: each run of
 * rising addresses is resolved in one pass.
 */
void pipa_image_resolve(const struct pipa_image *object, const uint64_t *offsets, size_t n,
			uint32_t *out)
{
	uint64_t run[512], last = 0;
	size_t i, start = 0, len = 0;

	for (i = 0; i <= n; i++) {
		uint64_t addr = 0;
		bool known = i < n && pipa_image_addr(object, offsets[i], &addr);

		if (len && (!known || len == PIPA_COUNT(run) || addr < last)) {
			pipa_symbols_resolve(object->symbols, run, len, out + start);
			len = 0;
		}
		if (i == n)
			break;
		if (!known) {
			out[i] = PIPA_SYMBOL_NONE;
			continue;
		}
		if (!len)
			start = i;
		run[len++] = last = addr;
	}
}

void pipa_image_resolve_moved(const struct pipa_image *object, uint64_t slide,
			      const uint64_t *addrs, size_t n, uint32_t *out)
{
	uint64_t run[512];
	size_t i, len = 0;

	for (i = 0; i < n; i++) {
		run[len++] = addrs[i] - slide;
		if (len < PIPA_COUNT(run) && i + 1 < n && addrs[i + 1] - slide >= run[len - 1])
			continue;
		pipa_symbols_resolve(object->symbols, run, len, out + (i + 1 - len));
		len = 0;
	}
}
