/*
 * Frames found by decoding code, against the call frame information of the same code: every instruction
 * of real objects, as if it had been interrupted there, and every return address.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "lib/oracle.h"
#include "lib/test.h"
#include "unwind/arch.h"
#include "unwind/cfi.h"
#include "unwind/insn.h"
#include "unwind/prologue.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum { LARGE = 4096, STRIDE = 13 };

enum outcome { RIGHT, WRONG, NONE, OUTCOMES };

struct tally {
	const struct pipa_unwind_table *table;
	const struct pipa_unwind_arch *arch;
	const char *path;
	size_t start[OUTCOMES], forward[OUTCOMES], both[OUTCOMES];
	size_t shown;
};

/* Can a scan compute this row? */
static bool is_plain(const struct pipa_unwind_arch *arch, const struct pipa_row *row)
{
	return row->cfa.kind == PIPA_RULE_IS && !row->signal_frame &&
	       row->regs[row->ra].kind != PIPA_RULE_UNDEFINED &&
	       (row->cfa.reg == arch->sp || row->cfa.reg == arch->fp);
}

/* Is this where a function starts, and not a part of one that was split off? */
static bool is_entry(const struct pipa_unwind_arch *arch, const struct pipa_row *row)
{
	return row->cfa.kind == PIPA_RULE_IS && row->cfa.reg == arch->sp &&
	       row->cfa.offset == (arch->link == PIPA_UNWIND_NO_REG ? 8 : 0);
}

static enum outcome judge(const struct pipa_unwind_arch *arch, const struct pipa_row *row,
			  bool found, const struct pipa_prologue *p)
{
	const struct pipa_rule *ra = &row->regs[row->ra];
	bool cfa;

	if (!found)
		return NONE;
	if (row->cfa.reg == arch->sp)
		cfa = p->sp_known ? p->sp_offset == row->cfa.offset : p->fp_known;
	else
		cfa = p->fp_known ? p->fp_offset == row->cfa.offset : p->sp_known;
	if (!cfa)
		return WRONG;
	if (ra->kind == PIPA_RULE_AT)
		return p->ra_in_link || (p->ra_saved && p->ra_at == ra->offset) ? RIGHT : WRONG;
	return p->ra_in_link ? RIGHT : WRONG;
}

static void show(struct tally *t, const char *what, uint64_t pc, bool exact,
		 const struct pipa_row *row, const struct pipa_prologue *p)
{
	if (!getenv("PIPA_TEST_SHOW") || t->shown++ >= 8)
		return;
	printf("# %s %s %" PRIx64 " exact %d: cfa r%u%+" PRId64 ", sp%+d/%d fp%+d/%d ra %d/%d\n",
	       t->path, what, pc, exact, row->cfa.reg, row->cfa.offset, p->sp_offset, p->sp_known,
	       p->fp_offset, p->fp_known, p->ra_in_link, p->ra_at);
}

static void compare(struct tally *t, const struct pipa_prologue_code *code, bool entry, uint64_t pc,
		    bool exact)
{
	struct pipa_prologue p = { 0 };
	enum outcome start = NONE, forward;
	struct pipa_row row;
	bool found;

	if (pipa_unwind_table_row(t->table, pc - !exact, &row) < 0 || !is_plain(t->arch, &row))
		return;
	if (entry) {
		found = pipa_prologue_from_start(t->arch, code, pc, exact, &p);
		start = judge(t->arch, &row, found, &p);
		t->start[start]++;
		if (start == WRONG)
			show(t, "start", pc, exact, &row, &p);
	}
	found = pipa_prologue_to_return(t->arch, code, pc, exact, &p);
	forward = judge(t->arch, &row, found, &p);
	t->forward[forward]++;
	if (forward == WRONG)
		show(t, "forward", pc, exact, &row, &p);
	t->both[start != NONE ? start : forward]++;
}

/* x86_64: the padding before an aligned instruction, which nothing runs if a jump precedes it. */
static bool is_padding(const uint8_t *code)
{
	while (*code == 0x66 || *code == 0x2e)
		code++;
	return *code == 0x90 || (code[0] == 0x0f && code[1] == 0x1f);
}

static int on_fde(void *ctx, const struct pipa_cfi *cfi, const struct pipa_fde *fde)
{
	struct tally *t = ctx;
	struct pipa_prologue_code code = { .start = fde->start, .end = fde->end };
	uint64_t at = fde->start, n = 0;
	struct pipa_insn insn;
	struct pipa_row row;
	bool entry, ended = false;

	(void)cfi;
	code.addr = fde->start;
	code.bytes = pipa_unwind_table_span(t->table, fde->start, &code.size);
	if (!code.bytes || fde->cie.signal_frame ||
	    pipa_unwind_table_row(t->table, fde->start, &row) < 0)
		return 0;
	entry = is_entry(t->arch, &row);
	if (!entry) /* a part of a function: the rest may be anywhere */
		code.start = code.end = 0;
	for (; at < fde->end; at += insn.size, n++) {
		if (!t->arch->decode(code.bytes + (at - code.addr), code.size - (at - code.addr),
				     at, &insn))
			break;
		ended = ended && t->arch->link == PIPA_UNWIND_NO_REG &&
			is_padding(code.bytes + (at - code.addr));
		if (ended || (fde->end - fde->start > LARGE && n % STRIDE)) {
			ended |= insn.flow >= PIPA_FLOW_JUMP;
			continue;
		}
		ended = insn.flow >= PIPA_FLOW_JUMP;
		compare(t, &code, entry, at, true);
		if (insn.flow == PIPA_FLOW_CALL)
			compare(t, &code, entry, at + insn.size, false);
	}
	return 0;
}

static double percent(const size_t *counts, enum outcome outcome)
{
	size_t all = counts[RIGHT] + counts[WRONG] + counts[NONE];

	return all ? 100.0 * (double)counts[outcome] / (double)all : 0;
}

static void print(const char *what, const size_t *counts)
{
	printf("#   %-12s right %6.2f %%, wrong %5.2f %%, none %5.2f %% of %zu\n", what,
	       percent(counts, RIGHT), percent(counts, WRONG), percent(counts, NONE),
	       counts[RIGHT] + counts[WRONG] + counts[NONE]);
}

/* False when there is no such file. */
static bool compare_file(const char *path, uint16_t machine, double right, double wrong)
{
	PIPA_AUTO(pipa_unwind_table_free) struct pipa_unwind_table *table = NULL;
	struct pipa_unwind_files files = { .main = oracle_map(path) };
	struct tally t = { .path = path };

	if (!files.main.size || pipa_unwind_table_new(&files, &table, NULL) < 0)
		return false;
	t.table = table;
	t.arch = pipa_unwind_table_arch(table);
	if (t.arch->machine != machine)
		return false;
#ifdef __SANITIZE_ADDRESS__
	const size_t functions = 60; /* 12 s of CPU time for 200 */
#else
	const size_t functions = 200;
#endif
	pipa_unwind_table_each(table, pipa_unwind_table_count(table) / functions + 1, on_fde, &t);
	printf("# %s\n", path);
	print("from start", t.start);
	print("to return", t.forward);
	print("together", t.both);
	CHECK(percent(t.both, RIGHT) >= right);
	CHECK(percent(t.both, WRONG) <= wrong);
	return true;
}

static void compare_files(const char *const *paths, uint16_t machine, double right, double wrong)
{
	bool any = false;

	for (; *paths; paths++)
		any |= compare_file(*paths, machine, right, wrong);
	CHECK(!getenv("PIPA_TEST_SHOW")); /* the output of a test is shown when it fails */
	if (!any)
		SKIP("none of the files is here");
}

TEST(scanned_frames_of_x86_64_are_those_of_its_call_frame_information)
{
	static const char *const paths[] = { "/lib/x86_64-linux-gnu/libc.so.6",
					     "/lib64/ld-linux-x86-64.so.2",
					     "/usr/bin/python3",
					     "/lib/x86_64-linux-gnu/libcrypto.so.3",
					     "/lib/x86_64-linux-gnu/libstdc++.so.6",
					     "/usr/x86_64-linux-gnu/lib/libc.so.6",
					     NULL };

	compare_files(paths, EM_X86_64, 95, 1);
}

TEST(scanned_frames_of_aarch64_are_those_of_its_call_frame_information)
{
	static const char *const paths[] = { "/usr/aarch64-linux-gnu/lib/libc.so.6",
					     "/usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1",
					     "/lib/aarch64-linux-gnu/libc.so.6",
					     "/lib/ld-linux-aarch64.so.1",
					     "/lib/aarch64-linux-gnu/libcrypto.so.3",
					     "/usr/bin/python3",
					     NULL };

	compare_files(paths, EM_AARCH64, 97, 1);
}

TEST(scanned_frames_of_riscv64_are_those_of_its_call_frame_information)
{
	static const char *const paths[] = {
		"/usr/riscv64-linux-gnu/lib/libc.so.6",
		"/usr/riscv64-linux-gnu/lib/ld-linux-riscv64-lp64d.so.1",
		"/lib/riscv64-linux-gnu/libc.so.6", NULL
	};

	compare_files(paths, EM_RISCV, 96, 3);
}
