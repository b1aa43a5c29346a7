/*
 * Any bytes as call frame information of every architecture and section: rows are in order, without
 * gaps, and the same whichever way they are asked for; expressions lie within the bytes.
 */
#include "fuzz.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/index.h"
#include "unwind/rows.h"

struct look {
	const struct pipa_unwind_arch *arch;
	const struct pipa_cfi *cfi;
	const struct pipa_fde *fde;
	uint64_t at;
	unsigned int rows;
};

enum { ROWS_ASKED = 64 };

static void look_at_rule(const struct look *look, const struct pipa_rule *rule)
{
	const uint8_t *bytes = look->cfi->bytes.data;

	MUST(rule->kind <= PIPA_RULE_EXPR_IS);
	if (rule->kind == PIPA_RULE_EXPR_AT || rule->kind == PIPA_RULE_EXPR_IS)
		MUST(rule->expr >= bytes &&
		     rule->size <= look->cfi->bytes.size - (size_t)(rule->expr - bytes));
}

static int look_at_row(void *ctx, const struct pipa_row *row)
{
	struct look *look = ctx;
	struct pipa_row again;
	unsigned int i;

	MUST(row->start == look->at && row->start < row->end && row->end <= look->fde->end);
	MUST(row->ra < PIPA_UNWIND_REGS);
	look->at = row->end;
	look_at_rule(look, &row->cfa);
	for (i = 0; i < PIPA_UNWIND_REGS; i++) {
		MUST(row->regs[i].kind == PIPA_RULE_NONE || row->mentioned >> i & 1);
		look_at_rule(look, &row->regs[i]);
	}
	if (look->rows++ < ROWS_ASKED) {
		MUST(pipa_row_find(look->arch, look->cfi, look->fde, row->end - 1, &again) == 0);
		MUST(again.start == row->start && again.end == row->end);
		MUST(again.mentioned == row->mentioned && again.cfa.kind == row->cfa.kind);
	}
	return 0;
}

static void look_at(const struct pipa_unwind_arch *arch, const struct pipa_cfi *cfi)
{
	struct pipa_fde_index index;
	struct pipa_fde fde = { 0 }, found;
	uint64_t at, next;

	for (at = 0; at < cfi->bytes.size; at = next) {
		enum pipa_cfi_kind kind = pipa_cfi_next(cfi, at, &next, &fde);
		struct look look = { arch, cfi, &fde, fde.start, 0 };

		MUST(next > at && next <= cfi->bytes.size);
		if (kind != PIPA_CFI_FDE)
			continue;
		MUST(fde.start < fde.end);
		MUST(pipa_cfi_at(cfi, at, &next, &found) == PIPA_CFI_FDE);
		MUST(found.start == fde.start && found.code.data == fde.code.data);
		if (pipa_rows_each(arch, cfi, &fde, look_at_row, &look) == 0)
			MUST(look.at == fde.end);
	}
	MUST(pipa_fde_index_build(&index, cfi) == 0);
	for (at = 0; at < index.n; at++) {
		struct pipa_fde_place place = pipa_fde_index_get(&index, at, cfi);

		if (pipa_fde_index_find(&index, cfi, place.start, &found))
			MUST(found.start == place.start);
		MUST(!at || index.places[at - 1].start <= place.start);
	}
	pipa_fde_index_done(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_cfi cfi = { .bytes = { data, size }, .addr = 0x2000, .is64 = true };
	struct pipa_fde_index index;
	struct pipa_fde fde;
	uint64_t frame;
	size_t i;

	if (!size)
		return 0;
	for (i = 0; i < 2; i++) {
		cfi.is_eh = i == 0;
		look_at(&pipa_unwind_x86_64, &cfi);
		look_at(&pipa_unwind_aarch64, &cfi);
		look_at(&pipa_unwind_riscv64, &cfi);
	}
	/* and as a linker's index over itself */
	cfi.is_eh = true;
	if (pipa_fde_index_linked(&index, cfi.bytes, cfi.addr, true, false, &frame))
		for (i = 0; i < index.n && i < ROWS_ASKED; i++)
			pipa_fde_index_find(&index, &cfi, pipa_fde_index_get(&index, i, &cfi).start,
					    &fde);
	return 0;
}
