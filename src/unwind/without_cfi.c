/* Hot rows of code without call frame information: by a table of stack depths, or by decoding code. */
#include <string.h>

#include "unwind/prologue.h"
#include "unwind/rows.h"
#include "unwind/step.h"
#include "unwind/table.h"

enum {
	JIT_WINDOW = 4096,   /* bytes to decode where a function's start is not known */
	DEPTH_MOST = 200000, /* of frames whose depth a table has: offsets are 16 bits of words */
};

/* A table has the depth of the stack: the return address lies on top of the frame or at its lower end. */
static void make_depth(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch,
		       uint32_t depth)
{
	bool pushed = arch->link == PIPA_UNWIND_NO_REG;

	hot->kind = PIPA_HOT_PLAIN;
	hot->cfa_reg = arch->sp;
	hot->cfa_offset = (int32_t)(depth + (pushed ? 8 : 0));
	hot->ra_saved = PIPA_HOT_SAVED;
	hot->flags = PIPA_HOT_SIGNED | PIPA_HOT_DEPTH;
	if (!pushed && !depth)
		return;
	hot->ra_saved = 0;
	hot->n_saved = 1;
	hot->flags |= PIPA_HOT_QUICK;
	hot->at[0] = (int16_t)(pushed ? -1 : -(int32_t)depth / 8);
	hot->reg[0] = pushed ? PIPA_UNWIND_RA : arch->link;
	if (pushed && depth < 8)
		return;
	hot->n_saved = 2; /* the caller's frame pointer is right below the return address */
	hot->flags |= PIPA_HOT_FP;
	hot->at[1] = (int16_t)(hot->at[0] - 1);
	hot->reg[1] = arch->fp;
}

/* Bytes of JIT-compiled code, copied. */
static void copy_code(uint8_t *room, const struct pipa_walk *walk, uint64_t pc,
		      struct pipa_prologue_code *code)
{
	const struct pipa_unwind_input *in = walk->in;
	uint64_t size = PIPA_PROLOGUE_BEFORE;

	if (!in->ops->code)
		return;
	code->addr = code->start < code->end ? code->start : pc;
	if (code->start < code->end && code->end - code->start < size)
		size = code->end - code->start;
	else if (code->start >= code->end)
		size = JIT_WINDOW;
	code->bytes = room;
	code->size = in->ops->code(in->ctx, code->addr, room, (size_t)size);
}

/* Decode the code around the address. True and a hot row if its frame can be told. */
static bool scan_code(uint8_t *room, const struct pipa_walk *walk,
		      const struct pipa_unwind_code *code,
		      const struct pipa_unwind_function *function, struct pipa_row_cache *hot)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	uint64_t pc = walk->regs.pc, from = function->start;
	struct pipa_prologue_code bytes = { .start = function->start, .end = function->end };
	struct pipa_row row;
	bool fp_lost;

	if (from == function->end)
		from = pc < PIPA_PROLOGUE_AFTER ? pc : pc - PIPA_PROLOGUE_AFTER;
	if (code->table && pipa_unwind_table_arch(code->table) == arch) {
		bytes.addr = from;
		bytes.bytes = pipa_unwind_table_span(code->table, from - code->bias, &bytes.size);
		if (!bytes.bytes) {
			bytes.addr = pc;
			bytes.bytes = pipa_unwind_table_span(code->table, pc - code->bias,
							     &bytes.size);
		}
	}
	if (!bytes.bytes)
		copy_code(room, walk, pc, &bytes);
	if (!bytes.bytes || !pipa_prologue_row(arch, &bytes, pc, walk->exact, &row))
		return false;
	fp_lost = row.regs[arch->fp].kind == PIPA_RULE_UNDEFINED;
	if (fp_lost) {
		row.regs[arch->fp].kind = PIPA_RULE_NONE;
		row.mentioned &= ~(UINT64_C(1) << arch->fp);
	}
	if (!pipa_hot_row_make(hot, arch, &row))
		return false;
	hot->flags = (uint8_t)((hot->flags & ~PIPA_HOT_QUICK) | PIPA_HOT_SCANNED |
			       (fp_lost ? PIPA_HOT_FP_LOST : 0) |
			       (row.has_record ? PIPA_HOT_HAS_RECORD : 0));
	return true;
}

void pipa_hot_without_cfi(struct pipa_row_cache *hot, const struct pipa_walk *walk,
			  const struct pipa_unwind_code *code, uint8_t *room)
{
	const struct pipa_unwind_input *in = walk->in;
	uint64_t pc = walk->regs.pc - !walk->exact;
	struct pipa_unwind_function function = { .start = 0 };
	struct pipa_hot_limits limits;

	if (in->ops->function && !in->ops->function(in->ctx, pc, code, &function))
		function = (struct pipa_unwind_function){ .start = 0 };
	if (function.outermost) {
		hot->kind = PIPA_HOT_OUTERMOST;
		hot->flags = PIPA_HOT_QUICK;
	} else if (function.has_depth && function.depth < DEPTH_MOST) {
		make_depth(hot, walk->arch, function.depth);
	} else if (!scan_code(room, walk, code, &function, hot)) {
		*hot = (struct pipa_row_cache){ .key = hot->key,
						.space = hot->space,
						.kind = PIPA_HOT_NO_CFI };
		if (pc >= function.start && pc < function.end &&
		    function.end - function.start <= UINT32_MAX) {
			limits.back = (uint32_t)(walk->regs.pc - function.start);
			limits.ahead = (uint32_t)(function.end - walk->regs.pc);
			memcpy(hot->at, &limits, sizeof(limits));
		}
	}
}
