/* The half of job/answer that knows what a frame is called and writes it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"
#include "base/vec.h"
#include "job/answer_own.h"

enum {
	TEXT_SIZE = 4 << 20,	/* of answers to a large batch; there are as many as it takes */
	LONG_ANSWER = 64 << 10, /* a longer one costs a copy of those before it */
};

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Terminated and, if it is to be, readable; NULL without memory. */
static const char *make_text(struct pipa_answer_part *part, const char *name, size_t len)
{
	unsigned int flags = part->o->form == PIPA_ANSWER_ADDR2LINE ? PIPA_DEMANGLE_PARAMS : 0;
	size_t n = 0;

	if (!part->o->mangled && pipa_is_mangled(name, len))
		n = pipa_demangle(name, len, flags, part->name, sizeof(part->name));
	return n ? pipa_arena_text(&part->texts, part->name, n) :
		   pipa_arena_text(&part->texts, name, len);
}

static const char *add_name(struct pipa_answer_part *part, uint64_t hash, const char *name,
			    size_t len)
{
	struct pipa_answer_name *kept = PIPA_VEC_ADD(&part->names);
	const char *text = kept ? make_text(part, name, len) : NULL;

	if (!text || pipa_index_add(&part->index, hash, (uint32_t)part->names.n - 1) < 0) {
		part->names.n -= kept != NULL;
		part->text.status = -ENOMEM;
		return NULL;
	}
	*kept = (struct pipa_answer_name){ name, len, text };
	return text;
}

/* A batch asks for the same names again and again. */
static const char *text_of(struct pipa_answer_part *part, const char *name, size_t len)
{
	uint64_t hash = pipa_hash_u64((uint64_t)(uintptr_t)name, len);
	const struct pipa_index_slot *slot;
	const struct pipa_answer_name *known;

	for (slot = pipa_index_start(&part->index, hash); slot->id;
	     slot = pipa_index_after(&part->index, slot)) {
		known = &part->names.items[slot->id - 1];
		if (known->name == name && known->len == len)
			return known->text;
	}
	return add_name(part, hash, name, len);
}

/* Most are not, and their first character tells. */
static bool is_mangled(const char *name)
{
	return (name[0] == '_' || name[0] == '.') && pipa_is_mangled(name, strlen(name));
}

/* ---- one answer ------------------------------------------------------------------------------------------ */

static void take_frame(struct pipa_answer_part *part, struct pipa_answer_frame *to,
		       const struct pipa_dwarf_frame *frame)
{
	const char *name = frame->function;

	*to = (struct pipa_answer_frame){ .function = name,
					  .file = frame->file,
					  .line = frame->line,
					  .column = frame->column,
					  .inlined = frame->inlined };
	if (name && is_mangled(name))
		to->function = text_of(part, name, strlen(name));
}

/*
 * The outermost is called as the table of symbols has it, which tells clones and cold parts apart and is
 * what the offset counts from. addr2line calls it as the compiler wrote it, unless that is a mere
 * word where the symbol is a mangled name.
 */
static void name_outermost(struct pipa_answer_part *part, const struct pipa_resolved *row,
			   const char *written, struct pipa_answer_frame *to)
{
	if (!row->symbol || (row->by_range && part->o->form == PIPA_ANSWER_ADDR2LINE))
		return;
	if (part->o->form == PIPA_ANSWER_ADDR2LINE && written &&
	    (is_mangled(written) || !pipa_is_mangled(row->symbol, row->symbol_len)))
		return;
	to->function = row->by_range ? row->symbol : text_of(part, row->symbol, row->symbol_len);
	to->into = row->into;
	to->has_into = true;
}

/* addr2line without -i tells of the innermost function; we tell of the one that is there. */
static size_t make_frames(struct pipa_answer_part *part, const struct pipa_resolved *row)
{
	const struct pipa_dwarf_frame *frames = row->frames;
	struct pipa_answer_frame *to = part->frames;
	size_t i, n = row->n_frames;

	for (i = 0; i < n; i++)
		take_frame(part, &to[i], &frames[i]);
	if (!n) {
		to[0] = (struct pipa_answer_frame){ 0 };
		name_outermost(part, row, NULL, &to[0]);
		return to[0].function != NULL;
	}
	name_outermost(part, row, frames[n - 1].function, &to[n - 1]);
	if (!part->o->not_inlined)
		return n;
	if (part->o->form != PIPA_ANSWER_ADDR2LINE) {
		to[0].function = to[n - 1].function;
		to[0].into = to[n - 1].into;
		to[0].has_into = to[n - 1].has_into;
	}
	to[0].inlined = false;
	return 1;
}

void pipa_answer_part_add(struct pipa_answer_part *part, const struct pipa_resolved *what)
{
	struct pipa_answer one = { .address = what->address,
				   .object = what->object,
				   .frames = part->frames };

	one.n = make_frames(part, what);
	pipa_answer_write(&one, part->o->form, part->o->addresses, &part->text);
}

int pipa_answer_part_widen(struct pipa_answer_part *part)
{
	if (part->text.cap >= TEXT_SIZE)
		return 0;
	free(part->text.data);
	part->text.data = pipa_large_alloc(TEXT_SIZE);
	part->text.cap = part->text.data ? TEXT_SIZE : 0;
	pipa_buf_reset(&part->text);
	return part->text.data ? 0 : -ENOMEM;
}

int pipa_answer_part_turn(struct pipa_answer_part *part)
{
	struct pipa_buf *full;

	if (part->text.len < TEXT_SIZE - LONG_ANSWER)
		return 0;
	full = PIPA_VEC_ADD(&part->full);
	if (!full)
		return -ENOMEM;
	*full = part->text;
	part->text = (struct pipa_buf){ .max = full->max };
	return pipa_answer_part_widen(part);
}

static void drop_full(struct pipa_answer_part *part)
{
	while (part->full.n)
		pipa_buf_done(&part->full.items[--part->full.n]);
}

void pipa_answer_part_reset(struct pipa_answer_part *part)
{
	drop_full(part);
	pipa_buf_reset(&part->text);
	pipa_arena_done(&part->texts);
	pipa_index_done(&part->index);
	part->names.n = 0;
}

void pipa_answer_part_done(struct pipa_answer_part *part)
{
	pipa_answer_part_reset(part);
	pipa_buf_done(&part->text);
	free(part->full.items);
	free(part->names.items);
}
