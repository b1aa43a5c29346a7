/* Format the results of a lookup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"
#include "base/vec.h"
#include "job/query/addr_lookup_own.h"

enum {
	TEXT_SIZE = 4 << 20,	/* size of a text buffer of a large batch */
	LONG_RESULT = 64 << 10, /* a longer result costs a copy of those before it */
	SRCLINES = (2 << 20) / sizeof(struct pipa_symbolize_srcline), /* a page for a start */
};

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Copy a name, demangled if requested; NULL on allocation failure. */
static const char *make_text(struct pipa_addr_lookup_batch *part, const char *name, size_t len)
{
	unsigned int flags = part->o->form == PIPA_SYMBOLIZE_ADDR2LINE ? PIPA_DEMANGLE_PARAMS : 0;
	size_t n = 0;

	if (!part->o->mangled && pipa_is_mangled(name, len))
		n = pipa_demangle(name, len, flags, part->name, sizeof(part->name));
	return n ? pipa_arena_text(&part->texts, part->name, n) :
		   pipa_arena_text(&part->texts, name, len);
}

static const char *add_name(struct pipa_addr_lookup_batch *part, uint64_t hash, const char *name,
			    size_t len)
{
	struct pipa_symbolize_text_name *kept = PIPA_VEC_ADD(&part->names);
	const char *text = kept ? make_text(part, name, len) : NULL;

	if (!text || pipa_index_add(&part->index, hash, (uint32_t)part->names.n - 1) < 0) {
		part->names.n -= kept != NULL;
		part->text.status = -ENOMEM;
		return NULL;
	}
	*kept = (struct pipa_symbolize_text_name){ name, len, text };
	return text;
}

/* Return the printed text of a name, cached: a batch has the same names many times. */
static const char *text_of(struct pipa_addr_lookup_batch *part, const char *name, size_t len)
{
	uint64_t hash = pipa_hash_u64((uint64_t)(uintptr_t)name, len);
	const struct pipa_index_slot *slot;
	const struct pipa_symbolize_text_name *known;

	for (slot = pipa_index_start(&part->index, hash); slot->id;
	     slot = pipa_index_after(&part->index, slot)) {
		known = &part->names.items[slot->id - 1];
		if (known->name == name && known->len == len)
			return known->text;
	}
	return add_name(part, hash, name, len);
}

/* Is the name mangled? The first character excludes most. */
static bool is_mangled(const char *name)
{
	return (name[0] == '_' || name[0] == '.') && pipa_is_mangled(name, strlen(name));
}

static struct pipa_symbolize_text_shown *slot_of(struct pipa_symbolize_text_shown *slots,
						 const char *name)
{
	return &slots[pipa_hash_u64((uintptr_t)name, 0) % PIPA_SYMBOLIZE_SHOWN];
}

static const struct pipa_symbolize_text_shown *shown_function(struct pipa_addr_lookup_batch *part,
							      const char *name)
{
	struct pipa_symbolize_text_shown *slot = slot_of(part->functions, name);

	if (slot->name != name) {
		slot->text = is_mangled(name) ? text_of(part, name, strlen(name)) : name;
		slot->name = slot->text ? name : NULL;
		slot->len = slot->text ? strlen(slot->text) : 0;
	}
	return slot;
}

static size_t file_length(struct pipa_addr_lookup_batch *part, const char *file)
{
	struct pipa_symbolize_text_shown *slot = slot_of(part->files, file);

	if (slot->name != file)
		*slot = (struct pipa_symbolize_text_shown){ file, file, strlen(file) };
	return slot->len;
}

/* ---- one answer ------------------------------------------------------------------------------------------ */

static void make_frame(struct pipa_addr_lookup_batch *part, struct pipa_symbolize_text_frame *to,
		       const struct pipa_dwarf_frame *frame)
{
	const struct pipa_symbolize_text_shown *shown;

	to->function = NULL;
	to->function_len = 0;
	if (frame->function) {
		shown = shown_function(part, frame->function);
		to->function = shown->text;
		to->function_len = shown->len;
	}
	to->file = frame->file;
	to->file_len = frame->file ? file_length(part, frame->file) : 0;
	to->symbol_offset = 0;
	to->line = frame->line;
	to->column = frame->column;
	to->inlined = frame->inlined;
	to->has_symbol_offset = false;
}

/*
 * Is the outermost frame shown with its name in the symbol table, which distinguishes clones and cold parts, and
 * which the offset refers to? addr2line uses DWARF's name, except if only the symbol is mangled.
 */
static bool is_called_by_symbol(struct pipa_addr_lookup_batch *part,
				const struct pipa_resolved *row, const char *written)
{
	if (part->o->form != PIPA_SYMBOLIZE_ADDR2LINE)
		return true;
	if (row->by_range)
		return false;
	if (!written)
		return true;
	if (part->outermost.written != written || part->outermost.symbol != row->symbol ||
	    part->outermost.symbol_len != row->symbol_len) {
		part->outermost.written = written;
		part->outermost.symbol = row->symbol;
		part->outermost.symbol_len = row->symbol_len;
		part->outermost.is_symbol = !is_mangled(written) &&
					    pipa_is_mangled(row->symbol, row->symbol_len);
	}
	return part->outermost.is_symbol;
}

static void name_outermost(struct pipa_addr_lookup_batch *part, const struct pipa_resolved *row,
			   const char *written, struct pipa_symbolize_text_frame *to)
{
	if (!row->symbol || !is_called_by_symbol(part, row, written))
		return;
	to->function = row->by_range ? row->symbol : text_of(part, row->symbol, row->symbol_len);
	to->function_len = 0;
	to->symbol_offset = row->symbol_offset;
	to->has_symbol_offset = true;
}

/*
 * Make the frames of a result. addr2line without -i prints the innermost inlined function; here it
 * is the function that was not inlined.
 */
static size_t make_frames(struct pipa_addr_lookup_batch *part, const struct pipa_resolved *row)
{
	const struct pipa_dwarf_frame *frames = row->frames;
	struct pipa_symbolize_text_frame *to = part->frames;
	size_t i, n = row->n_frames;

	for (i = 0; i < n; i++)
		make_frame(part, &to[i], &frames[i]);
	if (!n) {
		to[0] = (struct pipa_symbolize_text_frame){ 0 };
		name_outermost(part, row, NULL, &to[0]);
		return to[0].function != NULL;
	}
	name_outermost(part, row, frames[n - 1].function, &to[n - 1]);
	if (!part->o->not_inlined)
		return n;
	if (part->o->form != PIPA_SYMBOLIZE_ADDR2LINE) {
		to[0].function = to[n - 1].function;
		to[0].function_len = to[n - 1].function_len;
		to[0].symbol_offset = to[n - 1].symbol_offset;
		to[0].has_symbol_offset = to[n - 1].has_symbol_offset;
	}
	to[0].inlined = false;
	return 1;
}

/* ---- what answers have in common ------------------------------------------------------------------------- */

/* Return the cache slot for these outer frames. */
static struct pipa_symbolize_text_tail *tail_slot(struct pipa_addr_lookup_batch *part,
						  const struct pipa_symbolize_text_frame *frames,
						  size_t n)
{
	uint64_t hash = pipa_hash_u64((uintptr_t)frames[0].file, frames[0].line);

	hash = pipa_hash_u64((uintptr_t)frames[n - 1].function, hash + n);
	return &part->tails[hash % PIPA_SYMBOLIZE_TAILS];
}

static bool is_tail(const struct pipa_symbolize_text_tail *tail,
		    const struct pipa_symbolize_text_frame *frames, size_t n)
{
	size_t i;

	if (tail->n != n)
		return false;
	for (i = 0; i < n; i++)
		if (tail->frames[i].function != frames[i].function ||
		    tail->frames[i].file != frames[i].file ||
		    tail->frames[i].line != frames[i].line)
			return false;
	return true;
}

static void keep_tail(struct pipa_symbolize_text_tail *tail,
		      const struct pipa_symbolize_text_frame *frames, size_t n)
{
	size_t i;

	tail->n = (uint32_t)n;
	for (i = 0; i < n; i++) {
		tail->frames[i].function = frames[i].function;
		tail->frames[i].file = frames[i].file;
		tail->frames[i].line = frames[i].line;
	}
}

/*
 * Write the outer frames once for all results that share them: addr2line's format has nothing in
 * them that depends on the address.
 */
static void write_tail(struct pipa_addr_lookup_batch *part, size_t n,
		       struct pipa_symbolize_srcline *ret)
{
	const struct pipa_symbolize_text_frame *frames = part->frames + 1;
	const struct pipa_symbolize_text rest = { .frames = frames, .n = n };
	struct pipa_symbolize_text_tail *tail = NULL;
	size_t at = part->text.len;

	if (n <= PIPA_COUNT(tail->frames))
		tail = tail_slot(part, frames, n);
	if (tail && is_tail(tail, frames, n)) {
		ret->tail_text = (uint16_t)tail->text;
		ret->tail_at = tail->at;
		ret->tail_len = tail->len;
		return;
	}
	pipa_symbolize_text_write(&rest, part->o->form, false, &part->text);
	if (!tail || part->text.status)
		return;
	keep_tail(tail, frames, n);
	tail->text = (uint32_t)part->full.n;
	tail->at = (uint32_t)at;
	tail->len = (uint32_t)(part->text.len - at);
}

int pipa_addr_lookup_batch_widen(struct pipa_addr_lookup_batch *part)
{
	if (!part->srclines.cap) {
		part->srclines.items = pipa_large_alloc(SRCLINES * sizeof(*part->srclines.items));
		part->srclines.cap = part->srclines.items ? SRCLINES : 0;
	}
	if (part->text.cap >= TEXT_SIZE)
		return 0;
	free(part->text.data);
	part->text.data = pipa_large_alloc(TEXT_SIZE);
	part->text.cap = part->text.data ? TEXT_SIZE : 0;
	pipa_buf_reset(&part->text);
	return part->text.data ? 0 : -ENOMEM;
}

/* Start another text buffer if this one is nearly full. */
static int switch_text(struct pipa_addr_lookup_batch *part)
{
	struct pipa_buf *full;

	if (part->text.len < TEXT_SIZE - LONG_RESULT)
		return 0;
	full = part->full.n < UINT16_MAX ? PIPA_VEC_ADD(&part->full) : NULL;
	if (!full)
		return -ENOMEM;
	*full = part->text;
	part->text = (struct pipa_buf){ .max = full->max };
	return pipa_addr_lookup_batch_widen(part);
}

int pipa_addr_lookup_batch_add(struct pipa_addr_lookup_batch *part, size_t index,
			       const struct pipa_resolved *what)
{
	struct pipa_symbolize_text one = { .address = what->address,
					   .object = what->object,
					   .frames = part->frames };
	size_t at = part->text.len, n = make_frames(part, what);
	bool parts = part->o->form == PIPA_SYMBOLIZE_ADDR2LINE && n > 1;
	struct pipa_symbolize_srcline *place = PIPA_VEC_ADD(&part->srclines);

	if (!place)
		return -ENOMEM;
	part->used = true;
	place->text = (uint16_t)part->full.n;
	place->at = (uint32_t)at;
	place->index = (uint32_t)index;
	one.n = parts ? 1 : n;
	pipa_symbolize_text_write(&one, part->o->form, part->o->addresses, &part->text);
	if (parts)
		write_tail(part, n - 1, place);
	place->len = (uint32_t)(part->text.len - at);
	return part->text.status ? part->text.status : switch_text(part);
}

static void drop_full(struct pipa_addr_lookup_batch *part)
{
	while (part->full.n)
		pipa_buf_done(&part->full.items[--part->full.n]);
}

void pipa_addr_lookup_batch_reset(struct pipa_addr_lookup_batch *part)
{
	drop_full(part);
	part->srclines.n = 0;
	pipa_buf_reset(&part->text);
	pipa_arena_done(&part->texts);
	pipa_index_done(&part->index);
	part->names.n = 0;
	if (part->used) {
		memset(part->functions, 0, sizeof(part->functions));
		memset(part->files, 0, sizeof(part->files));
		memset(part->tails, 0, sizeof(part->tails));
		memset(&part->outermost, 0, sizeof(part->outermost));
	}
	part->used = false;
}

void pipa_addr_lookup_batch_done(struct pipa_addr_lookup_batch *part)
{
	pipa_addr_lookup_batch_reset(part);
	pipa_buf_done(&part->text);
	free(part->full.items);
	free(part->srclines.items);
	free(part->names.items);
}
