/* Set source lines and inlined functions of locations. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"
#include "symbolize/debug_info.h"
#include "symbolize/symbolize_own.h"

/* Cache entry of a function, by the addresses of its name and file strings. */
struct named {
	const char *name, *file;
	size_t len;
	uint32_t function;
};

struct lines {
	struct pipa_symbolizer *s;
	uint32_t object;
	const struct pipa_batch *batch;
	const struct pipa_symbols *symbols;
	struct {
		struct named *items;
		size_t n, cap;
	} named;
	struct pipa_index index;
};

static uint32_t add_function(struct lines *l, uint64_t hash, const char *name, size_t len,
			     const struct pipa_dwarf_frame *frame)
{
	uint32_t function = pipa_symbolizer_function(l->s, l->object, name, len, frame->file);
	struct named *new = function == PIPA_NONE ? NULL : PIPA_VEC_ADD(&l->named);

	if (!new || pipa_index_add(&l->index, hash, (uint32_t)l->named.n - 1) < 0)
		return PIPA_NONE;
	*new = (struct named){ name, frame->file, len, function };
	if (!l->s->p->functions.items[function].start_line)
		l->s->p->functions.items[function].start_line = frame->start_line;
	return function;
}

/*
 * Return the function of a frame, from the cache if possible: functions are inlined in many places,
 * and demangling them again took half of the time for a C++ program.
 */
static uint32_t function_of(struct lines *l, const char *name, size_t len,
			    const struct pipa_dwarf_frame *frame)
{
	uint64_t hash = pipa_hash_u64((uintptr_t)name, (uintptr_t)frame->file);
	const struct pipa_index_slot *slot;
	const struct named *known;

	for (slot = pipa_index_start(&l->index, hash); l->named.items && slot->id;
	     slot = pipa_index_after(&l->index, slot)) {
		known = &l->named.items[slot->id - 1];
		if (known->name == name && known->file == frame->file && known->len == len)
			return known->function;
	}
	return add_function(l, hash, name, len, frame);
}

/* Append a frame with its source line to a location. 0 or -ENOMEM. */
static int add_line(struct lines *l, uint32_t location, const char *name, size_t len,
		    const struct pipa_dwarf_frame *frame)
{
	uint32_t function = function_of(l, name, len, frame);

	if (function == PIPA_NONE)
		return -ENOMEM;
	if (pipa_profile_name(l->s->p, location, function, frame->line) < 0)
		return -ENOMEM;
	l->s->p->lines.items[l->s->p->lines.n - 1].column = frame->column;
	return 0;
}

/*
 * Add the frames of an address, innermost first. The outermost one gets the name of the symbol
 * table, which distinguishes cold parts and clones. Without inlined frames it has the line of the
 * innermost one, like addr2line.
 */
static int on_found(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct lines *l = ctx;
	uint32_t location = l->batch->locations[index], found = l->batch->found[index];
	struct pipa_location *place = &l->s->p->locations.items[location];
	struct pipa_dwarf_frame last = n ? frames[n - 1] : (struct pipa_dwarf_frame){ 0 };
	struct pipa_symbol symbol = { 0 };
	size_t i;
	int rc = 0;

	if (found != PIPA_SYMBOL_NONE) {
		symbol = pipa_symbols_get(l->symbols, found);
		place->symbol_offset = l->batch->offsets[index] - symbol.start;
	} else if (last.function) {
		symbol.name = last.function;
		symbol.name_len = strlen(last.function);
	} else {
		place->unresolved = PIPA_UNRESOLVED_NO_SYMBOL;
		return pipa_symbolizer_set_range(l->s, l->object, location,
						 l->batch->offsets[index]);
	}
	for (i = 0; !rc && l->s->lines == PIPA_LINES_INLINED && i + 1 < n; i++) {
		const char *name = frames[i].function ? frames[i].function : "[unknown]";

		rc = add_line(l, location, name, strlen(name), &frames[i]);
	}
	if (l->s->lines != PIPA_LINES_INLINED && n) {
		last.file = frames[0].file;
		last.line = frames[0].line;
		last.column = frames[0].column;
	}
	return rc ? rc : add_line(l, location, symbol.name, symbol.name_len, &last);
}

/* Set lines from tables of the image itself (Go's). */
static int own_lines(struct lines *l, const struct pipa_image *image)
{
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < l->batch->n; i++) {
		struct pipa_dwarf_frame frame = { 0 };

		pipa_image_line(image, l->batch->offsets[i], &frame.file, &frame.line);
		rc = on_found(l, i, &frame, 1);
	}
	return rc;
}

int pipa_symbolizer_open_info(const struct pipa_symbolizer *s, struct pipa_code_file *file,
			      struct pipa_debug_info **ret)
{
	int rc = pipa_code_file_debug_info(file, ret);

	if (!rc && s->o.no_places && !(*ret)->thread.running)
		pipa_dwarf_leave_lines((*ret)->dwarf);
	return rc;
}

int pipa_symbolizer_set_lines(struct pipa_symbolizer *s, uint32_t object,
			      const struct pipa_batch *batch, const struct pipa_image *image,
			      struct pipa_code_file *file)
{
	struct lines l = {
		.s = s, .object = object, .batch = batch, .symbols = pipa_image_symbols(image)
	};
	struct pipa_debug_info *info;
	int rc = pipa_symbolizer_open_info(s, file, &info);

	if (!rc) {
		pipa_debug_info_unpack(info);
		rc = pipa_dwarf_resolve(info->dwarf, batch->offsets, batch->n, on_found, &l);
	} else if (rc != -ENOMEM) {
		rc = own_lines(&l, image);
	}
	free(l.named.items);
	pipa_index_done(&l.index);
	return rc;
}
