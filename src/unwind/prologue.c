#include "unwind/prologue.h"

#include <string.h>

#include "unwind/arch.h"
#include "unwind/insn.h"
#include "unwind/rows.h"

enum {
	PENDING = 96,	   /* states that wait for their turn */
	INSNS_MOST = 4096, /* decoded in one scan: about 0.2 ms at the most */
	WORD = 8,
	FAR_BELOW = 1 << 24, /* no frame is larger */
};

enum value_kind {
	UNKNOWN,
	INITIAL, /* what a register was where the scan began, plus an offset */
	LOADED,	 /* the word at that */
	NUMBER,
};

struct value {
	uint8_t kind, reg;
	int32_t offset;
};

/* The stack pointer at the begin of the scan is where slots are counted from. */
struct slot {
	bool saved;
	int32_t at;
};

struct state {
	uint64_t addr;
	struct value r[PIPA_UNWIND_REGS];
	struct slot fp, link;
	uint8_t compared, compared_with;
	uint8_t turn; /* which pending state goes first: the lower number */
};

enum turn { NOW, AFTER_CALL, AFTER_END };

struct scan {
	const struct pipa_unwind_arch *arch;
	const struct pipa_prologue_code *code;
	bool to_return; /* the begin is not a function's start: code that no path leads to is not its */
	uint64_t low, high; /* limits of what is decoded */
	struct state pending[PENDING];
	size_t n;
	struct state body; /* what code that no path leads to begins with */
	enum { NO_BODY, AT_CALL, AT_INDIRECT } has_body;
	uint8_t visited[(PIPA_PROLOGUE_BEFORE + PIPA_PROLOGUE_AFTER) / 8];
};

/* 42 KB. A program whose threads have small stacks defines it as static, and scans one thing at a time. */
#ifndef PIPA_PROLOGUE_STORAGE
#define PIPA_PROLOGUE_STORAGE
#endif

/* ---- effects --------------------------------------------------------------------------------- */

static struct value initial(uint8_t reg, int64_t offset)
{
	if (offset > FAR_BELOW || offset < -FAR_BELOW)
		return (struct value){ UNKNOWN, 0, 0 };
	return (struct value){ INITIAL, reg, (int32_t)offset };
}

static bool is_entry(const struct state *s, uint8_t reg)
{
	return s->r[reg].kind == INITIAL && s->r[reg].reg == reg && !s->r[reg].offset;
}

static struct value plus(struct value v, int64_t by)
{
	if (v.kind == INITIAL)
		return initial(v.reg, v.offset + by);
	if (v.kind == NUMBER && v.offset + by == (int32_t)(v.offset + by))
		return (struct value){ NUMBER, 0, (int32_t)(v.offset + by) };
	return (struct value){ UNKNOWN, 0, 0 };
}

static void store(const struct scan *scan, struct state *s, const struct pipa_effect *e)
{
	struct value to = plus(s->r[e->src], e->value);
	uint8_t fp = scan->arch->fp, link = scan->arch->link;
	struct slot *slot = e->reg == fp ? &s->fp : e->reg == link ? &s->link : NULL;

	if (slot && to.kind == INITIAL && to.reg == scan->arch->sp && is_entry(s, e->reg))
		*slot = (struct slot){ true, to.offset };
}

static struct value load(const struct scan *scan, const struct state *s, struct value from)
{
	if (from.kind != INITIAL)
		return (struct value){ UNKNOWN, 0, 0 };
	if (from.reg == scan->arch->sp && s->fp.saved && s->fp.at == from.offset)
		return initial(scan->arch->fp, 0);
	if (from.reg == scan->arch->sp && s->link.saved && s->link.at == from.offset)
		return initial(scan->arch->link, 0);
	return (struct value){ LOADED, from.reg, from.offset };
}

static void apply(const struct scan *scan, struct state *s, const struct pipa_effect *e)
{
	struct value *to = &s->r[e->reg];

	switch (e->kind) {
	case PIPA_EFFECT_SET: *to = plus(s->r[e->src], e->value); break;
	case PIPA_EFFECT_CONST: *to = (struct value){ NUMBER, 0, e->value }; break;
	case PIPA_EFFECT_INSERT:
		if (to->kind == NUMBER)
			to->offset = (int32_t)(((uint32_t)to->offset & ~(0xffffu << e->src)) |
					       (uint32_t)e->value << e->src);
		break;
	case PIPA_EFFECT_ADD:
		if (s->r[e->src2].kind == NUMBER)
			*to = plus(s->r[e->src], (int64_t)s->r[e->src2].offset * e->value);
		else
			to->kind = UNKNOWN;
		break;
	case PIPA_EFFECT_STORE: store(scan, s, e); break;
	case PIPA_EFFECT_LOAD: *to = load(scan, s, plus(s->r[e->src], e->value)); break;
	case PIPA_EFFECT_COMPARED:
		s->compared = e->reg;
		s->compared_with = e->src;
		break;
	default: to->kind = UNKNOWN; break;
	}
}

static void apply_all(const struct scan *scan, struct state *s, const struct pipa_insn *insn)
{
	unsigned int i;

	s->compared = insn->flow == PIPA_FLOW_BRANCH ? s->compared : PIPA_UNWIND_NO_REG;
	for (i = 0; i < insn->n; i++)
		apply(scan, s, &insn->effects[i]);
}

/* A loop that moves the stack pointer until it is where another register is (stack probes). */
static void leave_loop(const struct scan *scan, struct state *s, const struct pipa_insn *insn)
{
	if (insn->until_equal && s->compared == scan->arch->sp && insn->target < s->addr)
		s->r[s->compared] = s->r[s->compared_with];
}

/* ---- control flow ---------------------------------------------------------------------------- */

static bool decode(const struct scan *scan, uint64_t addr, struct pipa_insn *ret)
{
	uint64_t within = addr - scan->code->addr;

	return addr >= scan->low && addr < scan->high && within < scan->code->size &&
	       scan->arch->decode(scan->code->bytes + within, scan->code->size - (size_t)within,
				  addr, ret);
}

static bool visit(struct scan *scan, uint64_t addr)
{
	uint64_t at = addr - scan->low;
	uint8_t bit = (uint8_t)(1 << at % 8);

	if (scan->visited[at / 8] & bit)
		return false;
	scan->visited[at / 8] |= bit;
	return true;
}

static void push(struct scan *scan, const struct state *s, uint64_t addr, enum turn turn)
{
	struct state *to;

	if (scan->n == PENDING || addr < scan->low || addr >= scan->high)
		return;
	to = &scan->pending[scan->n++];
	*to = *s;
	to->addr = addr;
	to->turn = (uint8_t)turn;
}

/*
 * The next state to go on with. Code after a call comes late, as the call may not return and what
 * follows it belongs to another path. Code after a jump comes last, if no path leads to it (the cases of a
 * jump table, landing pads of exceptions): with the state at the jump table, or at the first call.
 */
static bool pop(struct scan *scan, struct state *ret)
{
	size_t i, best = 0;

	if (!scan->n)
		return false;
	for (i = 1; i < scan->n; i++) {
		const struct state *a = &scan->pending[i], *b = &scan->pending[best];

		if (a->turn < b->turn || (a->turn == b->turn && a->turn && a->addr < b->addr))
			best = i;
	}
	*ret = scan->pending[best];
	scan->pending[best] = scan->pending[--scan->n];
	if (ret->turn == AFTER_END) {
		uint64_t addr = ret->addr;

		if (scan->has_body == NO_BODY || scan->to_return)
			return false;
		*ret = scan->body;
		ret->addr = addr;
	}
	return true;
}

static void keep_body(struct scan *scan, const struct state *s, int where)
{
	scan->body = *s;
	scan->has_body = where;
}

/* The state at the state's address is done with: where it goes from here. False: nowhere. */
static bool advance(struct scan *scan, struct state *s, const struct pipa_insn *insn)
{
	uint64_t next = s->addr + insn->size;

	apply_all(scan, s, insn);
	switch (insn->flow) {
	case PIPA_FLOW_NEXT: s->addr = next; return true;
	case PIPA_FLOW_BRANCH:
		push(scan, s, insn->target, NOW);
		leave_loop(scan, s, insn);
		s->addr = next;
		return true;
	case PIPA_FLOW_CALL:
		if (scan->arch->link != PIPA_UNWIND_NO_REG)
			s->r[scan->arch->link].kind = UNKNOWN;
		if (scan->has_body == NO_BODY)
			keep_body(scan, s, AT_CALL);
		push(scan, s, next, AFTER_CALL);
		return false;
	case PIPA_FLOW_INDIRECT:
		if (!is_entry(s, scan->arch->sp) || scan->has_body != AT_INDIRECT)
			keep_body(scan, s, AT_INDIRECT);
		push(scan, s, next, AFTER_END);
		return false;
	case PIPA_FLOW_JUMP:
		push(scan, s, next, AFTER_END);
		s->addr = insn->target;
		return insn->target >= scan->low && insn->target < scan->high;
	default: push(scan, s, next, AFTER_END); return false;
	}
}

static void begin(struct scan *scan, struct state *s, const struct pipa_unwind_arch *arch,
		  const struct pipa_prologue_code *code)
{
	unsigned int i;

	scan->arch = arch;
	scan->code = code;
	scan->n = 0;
	scan->has_body = NO_BODY;
	scan->to_return = false;
	memset(scan->visited, 0, sizeof(scan->visited));
	memset(s, 0, sizeof(*s));
	for (i = 0; i < PIPA_UNWIND_REGS; i++)
		s->r[i] = initial((uint8_t)i, 0);
	s->compared = PIPA_UNWIND_NO_REG;
}

/* ---- from the start --------------------------------------------------------------------------- */

/* How far above the stack pointer at a function's start the CFA is: a call may have pushed. */
static int32_t pushed_by_call(const struct pipa_unwind_arch *arch)
{
	return arch->link == PIPA_UNWIND_NO_REG ? WORD : 0;
}

static bool describe(const struct scan *scan, const struct state *s, bool exact,
		     struct pipa_prologue *ret)
{
	const struct pipa_unwind_arch *arch = scan->arch;
	const struct value *sp = &s->r[arch->sp], *fp = &s->r[arch->fp];
	int32_t up = pushed_by_call(arch);

	*ret = (struct pipa_prologue){ 0 };
	ret->sp_known = sp->kind == INITIAL && sp->reg == arch->sp && sp->offset <= 0;
	ret->sp_offset = up - sp->offset;
	ret->fp_known = fp->kind == INITIAL && fp->reg == arch->sp && fp->offset <= 0;
	ret->fp_offset = up - fp->offset;
	ret->fp_same = is_entry(s, arch->fp);
	ret->fp_saved = s->fp.saved;
	ret->fp_at = s->fp.at - up;
	if (arch->link == PIPA_UNWIND_NO_REG) {
		ret->ra_saved = true;
		ret->ra_at = -up;
	} else {
		ret->ra_in_link = exact && is_entry(s, arch->link);
		ret->ra_saved = s->link.saved;
		ret->ra_at = s->link.at;
	}
	return (ret->sp_known || ret->fp_known) && (ret->ra_in_link || ret->ra_saved);
}

bool pipa_prologue_from_start(const struct pipa_unwind_arch *arch,
			      const struct pipa_prologue_code *code, uint64_t pc, bool exact,
			      struct pipa_prologue *ret)
{
	size_t left = INSNS_MOST;
	PIPA_PROLOGUE_STORAGE struct scan scan;
	struct state s;
	struct pipa_insn insn;

	if (code->start >= code->end || pc < code->start || pc - code->start > PIPA_PROLOGUE_BEFORE)
		return false;
	begin(&scan, &s, arch, code);
	scan.low = code->start;
	scan.high = code->end - code->start < sizeof(scan.visited) * 8 ?
			    code->end :
			    code->start + sizeof(scan.visited) * 8;
	push(&scan, &s, code->start, NOW);
	while (left && pop(&scan, &s)) {
		while (left && decode(&scan, s.addr, &insn) && visit(&scan, s.addr)) {
			left--;
			if (exact ? s.addr == pc : s.addr < pc && pc <= s.addr + insn.size)
				return describe(&scan, &s, exact, ret);
			if (!advance(&scan, &s, &insn))
				break;
		}
	}
	return false;
}

/* ---- to a return ------------------------------------------------------------------------------ */

/* Where a register's value at the return comes from, as an offset from the CFA. */
static bool from_cfa(const struct value *v, uint8_t base, int32_t cfa_offset, int32_t *ret)
{
	*ret = v->offset - cfa_offset;
	return v->kind == LOADED && v->reg == base && *ret < 0;
}

static bool describe_return(const struct scan *scan, const struct state *s, bool exact,
			    struct pipa_prologue *ret)
{
	const struct pipa_unwind_arch *arch = scan->arch;
	const struct value *sp = &s->r[arch->sp];
	int32_t up = pushed_by_call(arch), offset = sp->offset + up;
	bool by_sp = sp->reg == arch->sp;

	*ret = (struct pipa_prologue){ 0 };
	if (sp->kind != INITIAL || (!by_sp && sp->reg != arch->fp) || sp->offset < 0)
		return false;
	ret->sp_known = by_sp;
	ret->fp_known = !by_sp;
	ret->sp_offset = ret->fp_offset = offset;
	ret->fp_same = is_entry(s, arch->fp);
	ret->fp_saved = from_cfa(&s->r[arch->fp], sp->reg, offset, &ret->fp_at);
	if (arch->link == PIPA_UNWIND_NO_REG) {
		ret->ra_saved = true;
		ret->ra_at = -up;
	} else {
		ret->ra_in_link = exact && is_entry(s, arch->link);
		ret->ra_saved = from_cfa(&s->r[arch->link], sp->reg, offset, &ret->ra_at);
	}
	return ret->ra_in_link || ret->ra_saved;
}

/* Decode around the address from now on, but not past the limits of the function that it is in. */
static void look_around(struct scan *scan, uint64_t addr)
{
	const struct pipa_prologue_code *code = scan->code;

	scan->low = addr < PIPA_PROLOGUE_AFTER ? 0 : addr - PIPA_PROLOGUE_AFTER;
	scan->high = addr + PIPA_PROLOGUE_AFTER;
	if (addr >= code->start && addr < code->end) {
		scan->low = scan->low < code->start ? code->start : scan->low;
		scan->high = scan->high > code->end ? code->end : scan->high;
	}
	scan->n = 0;
	memset(scan->visited, 0, sizeof(scan->visited));
}

/*
 * Follow a jump out of the range: it leads into the other part of a split function, or it is a tail call
 * of a function that leaves the stack as it was. True when it leads to code that is not there, and out of
 * the function: before a tail call the frame is taken down as for a return.
 */
static bool jumps_out(struct scan *scan, struct state *s, const struct pipa_insn *insn)
{
	const struct pipa_prologue_code *code = scan->code;

	if (insn->flow != PIPA_FLOW_JUMP ||
	    (insn->target >= scan->low && insn->target < scan->high))
		return false;
	if (insn->target - code->addr >= code->size)
		return code->start < code->end &&
		       (insn->target < code->start || insn->target >= code->end);
	look_around(scan, insn->target);
	push(scan, s, insn->target, NOW);
	return false;
}

bool pipa_prologue_to_return(const struct pipa_unwind_arch *arch,
			     const struct pipa_prologue_code *code, uint64_t pc, bool exact,
			     struct pipa_prologue *ret)
{
	size_t left = INSNS_MOST;
	PIPA_PROLOGUE_STORAGE struct scan scan;
	struct state s;
	struct pipa_insn insn;

	if (code->start < code->end && (pc < code->start || pc >= code->end))
		return false; /* after a call that does not return, at the end of its function */
	begin(&scan, &s, arch, code);
	scan.to_return = true;
	look_around(&scan, pc);
	if (!exact && arch->link != PIPA_UNWIND_NO_REG)
		s.r[arch->link].kind = UNKNOWN;
	push(&scan, &s, pc, NOW);
	while (left && pop(&scan, &s)) {
		while (left && decode(&scan, s.addr, &insn) && visit(&scan, s.addr)) {
			left--;
			if ((insn.flow == PIPA_FLOW_RETURN || jumps_out(&scan, &s, &insn)) &&
			    describe_return(&scan, &s, exact, ret))
				return true;
			if (!advance(&scan, &s, &insn))
				break;
		}
	}
	return false;
}

/* ---- rows -------------------------------------------------------------------------------------- */

static void set_rule(struct pipa_row *row, uint8_t reg, enum pipa_rule_kind kind, int32_t offset)
{
	row->regs[reg] = (struct pipa_rule){ .kind = (uint8_t)kind, .offset = offset };
	row->mentioned |= UINT64_C(1) << reg;
}

bool pipa_prologue_row(const struct pipa_unwind_arch *arch, const struct pipa_prologue_code *code,
		       uint64_t pc, bool exact, struct pipa_row *ret)
{
	struct pipa_prologue p;

	if (!pipa_prologue_from_start(arch, code, pc, exact, &p) &&
	    !pipa_prologue_to_return(arch, code, pc, exact, &p))
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->start = pc;
	ret->end = pc + 1;
	ret->cfa = (struct pipa_rule){ .kind = PIPA_RULE_IS,
				       .reg = p.sp_known ? arch->sp : arch->fp,
				       .offset = p.sp_known ? p.sp_offset : p.fp_offset };
	ret->ra = arch->link == PIPA_UNWIND_NO_REG ? PIPA_UNWIND_RA : arch->link;
	ret->has_record = !p.fp_same && p.fp_known;
	ret->ra_signed = arch->sign_state != PIPA_UNWIND_NO_REG;
	if (!p.ra_in_link)
		set_rule(ret, ret->ra, PIPA_RULE_AT, p.ra_at);
	if (p.fp_saved && !p.fp_same)
		set_rule(ret, arch->fp, PIPA_RULE_AT, p.fp_at);
	else if (!p.fp_same)
		set_rule(ret, arch->fp, PIPA_RULE_UNDEFINED, 0);
	return true;
}
