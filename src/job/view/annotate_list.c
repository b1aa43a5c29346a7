/* Disassemble one function and attach its samples. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "job/view/annotate_own.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/table/code.h"
#include "symbol/table/image.h"
#include "symbol/table/jitdump.h"
#include "symbol/table/table.h"
#include "symbol/text/demangle.h"
#include "symbol/text/disasm.h"
#include "symbolize/code_files.h"
#include "symbolize/debug_info.h"
#include "symbolize/jitdumps.h"

enum { FUNCTION_MAX = 16 << 20 }; /* bytes: a larger size is not that of a function */

/* ---- files ------------------------------------------------------------------------------------------------ */

static const char *problem_of_code(int code)
{
	switch (code) {
	case -ESTALE: return "no code: build ID mismatch";
	case -EBADMSG: return "no code: not an ELF file";
	default: return "no code: file not found or not readable";
	}
}

/* Open the file of an object, or set the reason. 0 or -ENOMEM. */
static int open_object(struct pipa_annotating *a, struct pipa_annotated_object *entry)
{
	const struct pipa_object *object = &a->profile->objects.items[entry->object];
	struct pipa_code_file *file;
	uint64_t linked;
	int rc;

	if (object->kind == PIPA_OBJECT_JIT)
		entry->dump = pipa_jitdumps_find(pipa_symbolizer_jitdumps(a->symbolizer),
						 pipa_profile_string(a->profile, object->path),
						 object->pid);
	if (entry->dump)
		return 0;
	if (object->kind != PIPA_OBJECT_FILE && object->kind != PIPA_OBJECT_VDSO &&
	    object->kind != PIPA_OBJECT_MODULE && object->kind != PIPA_OBJECT_KERNEL) {
		entry->problem = object->kind == PIPA_OBJECT_UNKNOWN ?
					 "no code: its address is not known, or is in no mapping" :
					 "no code: JIT-compiled code is in no file";
		return 0;
	}
	file = pipa_code_files_get(pipa_symbolizer_files(a->symbolizer), entry->object);
	rc = file ? pipa_code_file_read(file, &entry->image) : -ENOMEM;
	if (rc == -ENOMEM)
		return rc;
	if (rc == -ENOENT && object->kind == PIPA_OBJECT_KERNEL)
		entry->problem = "no code: use --vmlinux FILE for kernel code";
	else if (rc < 0)
		entry->problem = problem_of_code(rc);
	if (rc < 0)
		return 0;
	entry->file = file;
	entry->module = object->kind == PIPA_OBJECT_MODULE;
	entry->moved = entry->module || object->kind == PIPA_OBJECT_KERNEL;
	if (entry->module) {
		entry->slide = object->base;
	} else if (entry->moved) {
		linked = pipa_code_file_kernel_text(file);
		entry->slide = linked && object->base ? object->base - linked : 0;
	}
	return 0;
}

static struct pipa_annotated_object *find_object(struct pipa_annotating *a, uint32_t object)
{
	struct pipa_annotated_object *entry;
	size_t i;

	for (i = 0; i < a->objects.n; i++)
		if (a->objects.items[i].object == object)
			return &a->objects.items[i];
	entry = PIPA_VEC_ADD(&a->objects);
	if (!entry)
		return NULL;
	entry->object = object;
	if (open_object(a, entry) < 0) {
		a->objects.n--;
		return NULL;
	}
	return entry;
}

void pipa_annotate_close(struct pipa_annotating *a)
{
	size_t i;

	for (i = 0; i < a->objects.n; i++)
		pipa_code_files_release(pipa_symbolizer_files(a->symbolizer),
					a->objects.items[i].object);
	free(a->objects.items);
}

/* ---- one function ----------------------------------------------------------------------------------------- */

struct filling {
	struct pipa_annotating *a;
	const struct pipa_annotated_object *entry;
	struct pipa_listing *list;
	bool relocatable;    /* call targets are not relocated */
	const char *inlined; /* only instructions whose innermost function is this one; NULL: all */
	const struct pipa_jit_code *jit; /* the listed version of JIT-compiled code; NULL: none */
};

static uint64_t linked_at(const struct pipa_annotated_object *entry, uint64_t offset)
{
	uint64_t addr = offset;

	if (entry->moved)
		return offset - entry->slide;
	if (entry->file && !pipa_image_addr(entry->image, offset, &addr))
		addr = offset;
	return addr;
}

static int append_listing_row(struct filling *f, uint64_t addr, const char *text)
{
	struct pipa_listing_row *row = PIPA_VEC_ADD(&f->list->rows);

	if (!row)
		return -ENOMEM;
	row->addr = addr;
	row->text = text;
	return 0;
}

/* Find the symbol or the JIT-compiled function at an address. */
static bool find_target(const struct filling *f, uint64_t target, struct pipa_symbol *ret)
{
	const struct pipa_symbols *symbols = f->jit ? NULL : pipa_image_symbols(f->entry->image);
	const struct pipa_jit_code *code = f->jit ? pipa_jitdump_find(f->entry->dump, target,
								      f->jit->time) :
						    NULL;
	uint32_t found = symbols ? pipa_symbols_find(symbols, target) : PIPA_SYMBOL_NONE;

	if (code)
		*ret = (struct pipa_symbol){ .start = code->addr,
					     .size = code->size,
					     .name = code->name,
					     .name_len = strlen(code->name) };
	if (found != PIPA_SYMBOL_NONE)
		*ret = pipa_symbols_get(symbols, found);
	return code || found != PIPA_SYMBOL_NONE;
}

/* Append the symbol of a jump target, " <work+0x10>", if known. */
static void name_target(const struct filling *f, uint64_t target, char *text, size_t size)
{
	struct pipa_symbol symbol;
	char name[400];
	size_t len = 0;

	text[0] = '\0';
	if (!target || !find_target(f, target, &symbol))
		return;
	if (!pipa_symbolizer_options(f->a->symbolizer)->mangled &&
	    pipa_is_mangled(symbol.name, symbol.name_len))
		len = pipa_demangle(symbol.name, symbol.name_len, 0, name, sizeof(name));
	if (!len)
		snprintf(name, sizeof(name), "%.*s", (int)symbol.name_len, symbol.name);
	if (target == symbol.start)
		snprintf(text, size, " <%s>", name);
	else
		snprintf(text, size, " <%s+0x%" PRIx64 ">", name, target - symbol.start);
}

static int on_insn(void *ctx, const struct pipa_disasm_insn *insn)
{
	struct filling *f = ctx;
	char target[440], text[700];
	char *kept;

	if (f->relocatable &&
	    (insn->target == insn->addr || insn->target == insn->addr + insn->size))
		target[0] = '\0'; /* the relocation determines it */
	else
		name_target(f, insn->target, target, sizeof(target));
	snprintf(text, sizeof(text), "%s%s%s%s", insn->name, insn->operands[0] ? " " : "",
		 insn->operands, target);
	kept = pipa_arena_text(&f->a->texts, text, strlen(text));
	return kept ? append_listing_row(f, insn->addr, kept) : -ENOMEM;
}

/* Does this DIE name the function, as the profile does? */
static bool is_name(const struct filling *f, const char *linkage, const char *wanted)
{
	char name[400];
	size_t len = linkage ? strlen(linkage) : 0;

	if (!linkage)
		return false;
	if (!pipa_symbolizer_options(f->a->symbolizer)->mangled && pipa_is_mangled(linkage, len) &&
	    pipa_demangle(linkage, len, 0, name, sizeof(name)))
		linkage = name;
	return strcmp(linkage, wanted) == 0;
}

static int on_lines(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct filling *f = ctx;
	struct pipa_listing_row *row = &f->list->rows.items[index];

	if (n) {
		row->file = frames[0].file;
		row->line = frames[0].line;
	}
	if (f->inlined && (n < 2 || !is_name(f, frames[0].function, f->inlined)))
		row->text = NULL; /* removed by leave_out() */
	return 0;
}

/* Remove the instructions that are not of the inlined function. */
static void remove_other_code(struct filling *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->list->rows.n; i++)
		if (f->list->rows.items[i].text)
			f->list->rows.items[n++] = f->list->rows.items[i];
	f->list->rows.n = n;
}

/* Return "mix (inlined into work)"; NULL on allocation failure. */
static const char *inlined_name(const struct filling *f, const char *into)
{
	char text[900];

	snprintf(text, sizeof(text), "%.400s (inlined into %.400s)", f->inlined, into);
	return pipa_arena_text(&f->a->texts, text, strlen(text));
}

/* Add lines from a line table other than DWARF; false if there is none. */
static bool add_own_lines(struct filling *f)
{
	bool any = false;
	size_t i;

	for (i = 0; i < f->list->rows.n; i++) {
		struct pipa_listing_row *row = &f->list->rows.items[i];

		any |= pipa_image_line(f->entry->image, row->addr, &row->file, &row->line);
	}
	return any;
}

static int add_lines(struct filling *f)
{
	struct pipa_listing *list = f->list;
	PIPA_AUTO(free) uint64_t *addrs = NULL;
	struct pipa_debug_info *info;
	size_t i;

	if (pipa_code_file_debug_info(f->entry->file, &info) < 0) {
		if (!add_own_lines(f) && !list->problem && f->a->o->source)
			list->problem = "no lines: the file has no debug information";
		return 0;
	}
	addrs = calloc(list->rows.n + 1, sizeof(*addrs));
	if (!addrs)
		return -ENOMEM;
	for (i = 0; i < list->rows.n; i++)
		addrs[i] = list->rows.items[i].addr;
	pipa_debug_info_unpack(info);
	return pipa_dwarf_resolve(info->dwarf, addrs, list->rows.n, on_lines, f);
}

/* Note that the text of source lines is missing, with the first such file. */
static int note_source(struct filling *f)
{
	struct pipa_listing *list = f->list;
	const char *file = NULL;
	char text[600];
	size_t len, i;

	if (!f->a->o->source || list->problem)
		return 0;
	for (i = 0; i < list->rows.n; i++) {
		const struct pipa_listing_row *row = &list->rows.items[i];

		if (!row->file || !row->line || row->file == file)
			continue;
		file = row->file;
		if (pipa_source_texts_line(&f->a->sources, file, row->line, &len))
			continue;
		snprintf(text, sizeof(text), "no source: %.500s not found, or it has no line %u",
			 file, row->line);
		list->problem = pipa_arena_text(&f->a->texts, text, strlen(text));
		return list->problem ? 0 : -ENOMEM;
	}
	return 0;
}

/* Add the sampled addresses, if the code cannot be read. */
static int add_sampled_addresses(struct filling *f, const struct pipa_hot_symbol *symbol)
{
	const struct pipa_profile *p = f->a->profile;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < symbol->n; i++) {
		uint32_t location = f->a->hot.places[symbol->places + i].location;

		rc = append_listing_row(f, linked_at(f->entry, p->locations.items[location].offset),
					NULL);
	}
	return rc;
}

/* Find the symbol, else the range of an FDE, else the gap between symbols, that holds addr: 1, 0 or -ENOMEM. */
static int find_function(const struct pipa_annotated_object *entry, uint64_t addr,
			 struct pipa_symbol *ret)
{
	const struct pipa_symbols *symbols = pipa_image_symbols(entry->image);
	uint32_t found = pipa_symbols_find(symbols, addr);
	uint64_t end;
	int rc;

	if (found != PIPA_SYMBOL_NONE) {
		*ret = pipa_symbols_get(symbols, found);
		return 1;
	}
	*ret = (struct pipa_symbol){ 0 };
	rc = pipa_code_file_range(entry->file, addr, &ret->start, &end);
	if (!rc)
		rc = pipa_code_file_gap(entry->file, addr, &ret->start, &end);
	if (rc > 0)
		ret->size = end - ret->start;
	return rc;
}

static bool is_called(const struct pipa_symbol *symbol, const char *name)
{
	return symbol->name && strlen(name) == symbol->name_len &&
	       memcmp(symbol->name, name, symbol->name_len) == 0;
}

/* Disassemble the function: 1, or 0 with the reason if the code cannot be read. */
static int add_code(struct filling *f, uint64_t addr)
{
	struct pipa_code code;
	struct pipa_symbol symbol;
	int rc;

	rc = find_function(f->entry, addr, &symbol);
	if (rc <= 0)
		return rc;
	if (f->entry->module && !is_called(&symbol, f->list->name)) {
		f->list->problem = "no code: the module file has another function at the address";
		return 0;
	}
	if (symbol.size > FUNCTION_MAX ||
	    !pipa_code_find(pipa_code_file_located(f->entry->file)->main, symbol.start, symbol.size,
			    &code)) {
		f->list->problem = "no code: only a debug file or a corrupt file was found";
		return 0;
	}
	f->relocatable = code.relocatable;
	if (!pipa_disasm_knows(code.machine, &f->list->problem))
		return 0;
	rc = pipa_disasm(code.machine, code.bytes, symbol.start, on_insn, f);
	return rc < 0 ? rc : f->list->rows.n > 0;
}

/* ---- JIT-compiled functions ---------------------------------------------------------------------------------- */

/*
 * Find the version of a JIT-compiled function with most samples: runtimes compile a function more than once. Sets
 * *ret_other to the weight of the other versions. 0 or -ENOMEM.
 */
static int choose_version(struct filling *f, const struct pipa_hot_symbol *symbol,
			  uint64_t *ret_other)
{
	const struct pipa_profile *p = f->a->profile;
	const struct pipa_hot_place *places = &f->a->hot.places[symbol->places];
	PIPA_AUTO(free) const struct pipa_jit_code **codes = calloc(symbol->n + 1, sizeof(void *));
	uint64_t most = 0, all = 0;
	size_t i, k;

	if (!codes)
		return -ENOMEM;
	for (i = 0; i < symbol->n; i++)
		codes[i] = pipa_jitdump_at(f->entry->dump,
					   p->locations.items[places[i].location].offset);
	for (i = 0; i < symbol->n; i++) {
		uint64_t weight = 0;

		all += places[i].weight;
		for (k = i; codes[i] && k < symbol->n; k++)
			weight += codes[k] == codes[i] ? places[k].weight : 0;
		if (weight > most) {
			most = weight;
			f->jit = codes[i];
		}
	}
	*ret_other = all - most;
	return 0;
}

/* Disassemble a JIT-compiled function from its jitdump: 1, 0 with the reason, or -ENOMEM. */
static int add_jit_code(struct filling *f, const struct pipa_hot_symbol *symbol)
{
	uint64_t other = 0;
	char text[100];
	int rc = choose_version(f, symbol, &other);

	if (rc || !f->jit)
		return rc;
	if (!f->jit->bytes.size || f->jit->bytes.size > FUNCTION_MAX)
		f->list->problem = "no code: the jitdump does not contain it";
	if (f->list->problem ||
	    !pipa_disasm_knows((uint16_t)f->entry->dump->machine, &f->list->problem)) {
		f->jit = NULL;
		return 0;
	}
	rc = pipa_disasm((uint16_t)f->entry->dump->machine, f->jit->bytes, f->jit->addr, on_insn,
			 f);
	if (!rc && other) {
		snprintf(text, sizeof(text),
			 "other versions of the code have %.2f%% of its samples",
			 100 * (double)other / (double)symbol->weight);
		f->list->problem = pipa_arena_text(&f->a->texts, text, strlen(text));
		rc = f->list->problem ? 0 : -ENOMEM;
	}
	return rc < 0 ? rc : f->list->rows.n > 0;
}

/* Add the source lines of the jitdump. An entry is valid up to the next higher address. */
static void add_jit_lines(struct filling *f)
{
	struct pipa_listing *list = f->list;
	size_t i;

	for (i = 0; i < list->rows.n; i++) {
		struct pipa_cursor lines = pipa_jit_lines(f->entry->dump, f->jit);
		struct pipa_jit_line line = { 0 }, best = { 0 };

		while (pipa_jit_line_next(&lines, &line))
			if (line.addr <= list->rows.items[i].addr && line.addr >= best.addr)
				best = line;
		list->rows.items[i].file = best.file;
		list->rows.items[i].line = best.line;
	}
}

static void add_weights(struct filling *f, const struct pipa_hot_symbol *symbol)
{
	const struct pipa_profile *p = f->a->profile;
	size_t i;

	for (i = 0; i < symbol->n; i++) {
		const struct pipa_hot_place *place = &f->a->hot.places[symbol->places + i];
		uint64_t offset = p->locations.items[place->location].offset;

		if (f->jit && pipa_jitdump_at(f->entry->dump, offset) != f->jit)
			continue;
		pipa_listing_add_weight(f->list,
					f->jit ? f->jit->addr + (offset - f->jit->place) :
						 linked_at(f->entry, offset),
					place->weight, place->count);
	}
}

int pipa_annotate_list(struct pipa_annotating *a, const struct pipa_hot_symbol *symbol,
		       bool inlined, struct pipa_listing *ret)
{
	const struct pipa_profile *p = a->profile;
	const struct pipa_location *at =
		&p->locations.items[a->hot.places[symbol->places].location];
	struct filling f = { .a = a, .entry = find_object(a, symbol->object), .list = ret };
	uint64_t first = at->offset;
	int rc = f.entry ? 0 : -ENOMEM;

	*ret = (struct pipa_listing){
		.name = pipa_profile_string(p, p->functions.items[symbol->function].name),
		.object = pipa_profile_string(p, p->objects.items[symbol->object].path),
		.weight = symbol->weight,
		.count = symbol->count,
	};
	if (rc)
		return rc;
	ret->problem = f.entry->problem;
	if (f.entry->file)
		rc = add_code(&f, linked_at(f.entry, first));
	else if (f.entry->dump)
		rc = add_jit_code(&f, symbol);
	if (inlined) {
		uint32_t function = p->lines.items[at->lines].function;

		f.inlined = pipa_profile_string(p, p->functions.items[function].name);
		ret->name = inlined_name(&f, ret->name);
		if (!ret->name)
			return -ENOMEM;
	}
	if (rc == 0) {
		rc = add_sampled_addresses(&f, symbol);
		f.inlined = NULL; /* they were selected already */
	}
	if (rc >= 0 && f.entry->file)
		rc = add_lines(&f);
	else if (rc > 0 && f.jit)
		add_jit_lines(&f);
	if (rc >= 0 && f.inlined)
		remove_other_code(&f);
	if (rc >= 0)
		rc = note_source(&f);
	if (rc >= 0)
		add_weights(&f, symbol);
	return rc < 0 ? rc : 0;
}
