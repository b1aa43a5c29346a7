#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "unwind/prologue.h"
#include "unwind/rows.h"
#include "unwind/step.h"
#include "unwind/table.h"

enum {
	HOT_BITS = 13, /* 8192 rows of 64 bytes */
	WHOLE_BITS = 6,
	STACKS = 4, /* of which it is remembered */
	FAR = 12,   /* where frames were that lie further up than */
	NEAR = 1024,
};

struct whole {
	uint64_t key, space;
	struct pipa_unwind_code code;
	struct pipa_row row;
};

/*
 * Where frames of the last sample from a stack were. Outer frames stay while inner ones come and go, so the
 * next sample's are there too, and their memory can come while the inner ones are unwound.
 */
struct far_frames {
	uint64_t at[FAR];
	size_t n;
};

/*
 * Both arrays hold one row per hash. A profile has some thousands of distinct return addresses;
 * when two of them meet, the later one is computed again.
 */
struct pipa_unwinder {
	struct pipa_row_cache hot[1 << HOT_BITS] __attribute__((aligned(64)));
	struct whole whole[1 << WHOLE_BITS];
	struct far_frames far[STACKS]; /* by address */
	const struct pipa_unwind_arch *arch;
	uint8_t code[PIPA_PROLOGUE_BEFORE]; /* room for code that is in no file */
};

_Static_assert(sizeof(struct pipa_row_cache) == 64, "a hot row is a cache line");

struct pipa_unwinder *pipa_unwinder_new(const struct pipa_unwind_arch *arch)
{
	struct pipa_unwinder *unwinder = aligned_alloc(64, sizeof(*unwinder));

	if (!unwinder)
		return NULL;
	unwinder->arch = arch;
	pipa_unwinder_reset(unwinder);
	return unwinder;
}

void pipa_unwinder_free(struct pipa_unwinder *unwinder)
{
	free(unwinder);
}

void pipa_unwinder_reset(struct pipa_unwinder *unwinder)
{
	memset(unwinder->hot, 0, sizeof(unwinder->hot));
	memset(unwinder->whole, 0, sizeof(unwinder->whole));
	memset(unwinder->far, 0, sizeof(unwinder->far));
}

static uint64_t key_of(const struct pipa_walk *walk)
{
	return walk->regs.pc << 1 | walk->exact;
}

static uint64_t hash_of(uint64_t key, uint64_t space)
{
	return (key ^ space * PIPA_HASH_SEED) * UINT64_C(0xd6e8feb86659fd93);
}

/* As if it had been said: the return address is on top of the stack. */
static void make_stub(struct pipa_row_cache *hot, const struct pipa_unwind_arch *arch)
{
	hot->kind = PIPA_HOT_PLAIN;
	hot->cfa_reg = arch->sp;
	hot->cfa_offset = 8;
	hot->n_saved = 1;
	hot->ra_saved = 0;
	hot->at[0] = -1;
	hot->reg[0] = PIPA_UNWIND_RA;
	hot->flags = PIPA_HOT_QUICK;
}

/* The row of the address and what is kept of it in the hot array. A reason, or GO. */
static int find_row(struct pipa_unwinder *unwinder, const struct pipa_walk *walk,
		    struct pipa_row_cache *hot, struct pipa_row *row, struct pipa_unwind_code *code)
{
	uint64_t pc = walk->regs.pc - !walk->exact;
	bool mapped = walk->in->ops->find(walk->in->ctx, pc, code);
	int rc;

	/* the stub may begin where its object does, and is returned to at its begin */
	if (!mapped && (walk->exact || !walk->in->ops->find(walk->in->ctx, pc + 1, code)))
		return PIPA_STACK_NO_MAPPING;
	if (pipa_is_sigreturn(walk, code)) {
		hot->kind = PIPA_HOT_SIGNAL;
		return PIPA_STEP_GO;
	}
	if (!mapped)
		return PIPA_STACK_NO_MAPPING;
	rc = code->table && pipa_unwind_table_arch(code->table) == walk->arch ?
		     pipa_unwind_table_row(code->table, pc - code->bias, row) :
		     -ENOENT;
	if (rc == -ENOENT && pipa_is_stub(walk, code))
		make_stub(hot, walk->arch);
	else if (rc == -ENOENT)
		pipa_hot_without_cfi(hot, walk, code, unwinder->code);
	else if (rc < 0)
		hot->kind = PIPA_HOT_BAD_CFI;
	else if (!pipa_hot_row_make(hot, walk->arch, row))
		hot->kind = PIPA_HOT_WHOLE;
	return PIPA_STEP_GO;
}

/* Not in the hot array: put it there, and into the other one where needed. */
static int fill(struct pipa_unwinder *unwinder, const struct pipa_walk *walk,
		struct pipa_row_cache *hot)
{
	struct pipa_unwind_code code = { 0 };
	struct pipa_row_cache made = { .key = key_of(walk), .space = walk->in->space };
	struct pipa_row row;
	struct whole *whole;
	int rc = find_row(unwinder, walk, &made, &row, &code);

	if (rc != PIPA_STEP_GO)
		return rc;
	if (made.kind == PIPA_HOT_WHOLE) {
		whole = &unwinder->whole[hash_of(made.key, made.space) >> (64 - WHOLE_BITS)];
		*whole = (struct whole){ made.key, made.space, code, row };
	}
	*hot = made;
	return PIPA_STEP_GO;
}

static int step_whole(struct pipa_unwinder *unwinder, struct pipa_walk *walk,
		      struct pipa_row_cache *hot)
{
	struct whole *whole = &unwinder->whole[hash_of(hot->key, hot->space) >> (64 - WHOLE_BITS)];
	int rc;

	if (whole->key != hot->key || whole->space != hot->space) { /* another one took its place */
		rc = fill(unwinder, walk, hot);
		if (rc != PIPA_STEP_GO)
			return rc;
		if (hot->kind != PIPA_HOT_WHOLE)
			return PIPA_STACK_BAD_CFI;
	}
	return pipa_step_row(walk, &whole->row, &whole->code);
}

/*
 * The common case. Registers whose place is not in the dump are lost, and rarely requested. But
 * below the stack pointer is what an epilogue has popped (compilers do not say that it did): there
 * the register has its value already.
 */
static int step_plain(struct pipa_walk *walk, const struct pipa_row_cache *hot)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	struct pipa_unwind_regs *regs = &walk->regs;
	uint64_t cfa, pc, at;
	unsigned int i;
	int rc;

	if (!pipa_unwind_knows(regs, hot->cfa_reg))
		return PIPA_STACK_NO_REGISTERS;
	cfa = regs->r[hot->cfa_reg] + (uint64_t)(int64_t)hot->cfa_offset;
	if (hot->ra_saved < PIPA_HOT_SAVED) {
		at = cfa + (uint64_t)(int64_t)hot->at[hot->ra_saved] * 8;
		if (!pipa_walk_word(walk->in, at, &pc) && !pipa_walk_read(walk, at, 8, &pc))
			return (int)pipa_walk_missing(walk, at);
	} else {
		if (!walk->exact) /* the call that led here has changed the link register */
			return PIPA_STACK_BAD_CFI;
		if (!pipa_unwind_knows(regs, arch->link))
			return PIPA_STACK_NO_REGISTERS;
		pc = regs->r[arch->link];
	}
	if (hot->flags & PIPA_HOT_SIGNED)
		pc &= arch->pc_mask;
	rc = pipa_walk_rise(walk, cfa);
	if (rc != PIPA_STEP_GO)
		return rc;
	for (i = 0; i < hot->n_saved; i++) {
		at = cfa + (uint64_t)(int64_t)hot->at[i] * 8;
		if (pipa_walk_word(walk->in, at, &regs->r[hot->reg[i]]))
			regs->known |= UINT64_C(1) << hot->reg[i];
		else if (!walk->exact || at >= walk->in->stack_addr)
			pipa_unwind_forget(regs, hot->reg[i]);
	}
	pipa_unwind_set(regs, arch->sp, cfa);
	regs->pc = pc;
	walk->exact = false;
	return PIPA_STEP_GO;
}

/* A row that was made by decoding code: what it leads to must be code, else the frame pointer may do. */
static int step_scanned(struct pipa_walk *walk, const struct pipa_row_cache *hot)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	const struct pipa_walk before = *walk;
	int rc = step_plain(walk, hot);

	if (rc == PIPA_STEP_GO && walk->regs.pc && !pipa_walk_is_code(walk, walk->regs.pc - 1) &&
	    !pipa_walk_is_code(walk, walk->regs.pc))
		rc = PIPA_STACK_NO_CFI;
	if (rc == PIPA_STACK_TRUNCATED)
		return rc;
	if (rc != PIPA_STEP_GO) {
		*walk = before;
		return pipa_step_frame_pointer(walk, 0, 0);
	}
	if (hot->flags & PIPA_HOT_FP_LOST)
		pipa_unwind_forget(&walk->regs, arch->fp);
	walk->regs.known &= UINT64_C(1) << arch->sp | UINT64_C(1) << arch->fp;
	walk->fp_fallback = true;
	return rc;
}

/*
 * After a step along the frame pointer the stack pointer may be unknown. Where a function saves the frame
 * pointer and the return address as a frame record, its own frame pointer leads there, so the CFA is as far
 * from it as the row tells.
 */
static bool find_sp(struct pipa_walk *walk, const struct pipa_row_cache *hot)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	uint64_t cfa, sp;

	if (hot->kind != PIPA_HOT_PLAIN || hot->cfa_reg != arch->sp || hot->ra_saved ||
	    !(hot->flags & PIPA_HOT_FP) || !pipa_unwind_knows(&walk->regs, arch->fp) ||
	    (hot->at[0] - hot->at[1]) * 8 != arch->ra_saved_at - arch->fp_saved_at)
		return false;
	cfa = walk->regs.r[arch->fp] + (uint64_t)(int64_t)arch->fp_saved_at -
	      (uint64_t)(int64_t)hot->at[1] * 8;
	sp = cfa - (uint64_t)(int64_t)hot->cfa_offset;
	if (sp < walk->low || sp % 8)
		return false;
	pipa_unwind_set(&walk->regs, arch->sp, sp);
	return true;
}

static int step(struct pipa_unwinder *unwinder, struct pipa_walk *walk)
{
	uint64_t key = key_of(walk), space = walk->in->space;
	struct pipa_row_cache *hot = &unwinder->hot[hash_of(key, space) >> (64 - HOT_BITS)];
	struct pipa_hot_limits limits;
	int rc;

	if (__builtin_expect(hot->key != key || hot->space != space || !hot->kind, 0)) {
		rc = fill(unwinder, walk, hot);
		if (rc != PIPA_STEP_GO)
			return rc;
	}
	walk->fp_fallback = false;
	walk->at_stub = hot->kind == PIPA_HOT_SIGNAL;
	if (!pipa_unwind_knows(&walk->regs, walk->arch->sp) && find_sp(walk, hot))
		walk->fp_fallback = true;
	switch (hot->kind) {
	case PIPA_HOT_PLAIN:
		if (hot->flags & PIPA_HOT_SCANNED)
			return step_scanned(walk, hot);
		rc = step_plain(walk, hot);
		break;
	case PIPA_HOT_OUTERMOST: return PIPA_STACK_COMPLETE;
	case PIPA_HOT_WHOLE: rc = step_whole(unwinder, walk, hot); break;
	case PIPA_HOT_SIGNAL: rc = pipa_step_sigframe(walk); break;
	case PIPA_HOT_NO_CFI:
		memcpy(&limits, hot->at, sizeof(limits));
		return pipa_step_frame_pointer(walk, walk->regs.pc - limits.back,
					       walk->regs.pc + limits.ahead);
	default: return PIPA_STACK_BAD_CFI;
	}
	/* where every function with a frame pointer also keeps the stack pointer by it, it leads on */
	if (rc == PIPA_STACK_NO_REGISTERS && walk->arch->fp_tells_sp &&
	    pipa_unwind_knows(&walk->regs, walk->arch->fp))
		rc = pipa_step_frame_pointer(walk, 0, 0);
	return rc;
}

struct pipa_unwind_frame pipa_unwinder_frame(struct pipa_unwinder *unwinder,
					     const struct pipa_unwind_input *in, uint64_t pc,
					     bool exact)
{
	const struct pipa_unwind_arch *arch = unwinder->arch;
	const struct pipa_walk walk = { .arch = arch, .in = in, .regs.pc = pc, .exact = exact };
	struct pipa_unwind_frame frame = { .known = false };
	uint64_t key = key_of(&walk);
	struct pipa_row_cache *hot = &unwinder->hot[hash_of(key, in->space) >> (64 - HOT_BITS)];

	if ((hot->key != key || hot->space != in->space || !hot->kind) &&
	    fill(unwinder, &walk, hot) != PIPA_STEP_GO)
		return frame;
	frame.signal = hot->kind == PIPA_HOT_SIGNAL;
	frame.outermost = hot->kind == PIPA_HOT_OUTERMOST;
	if (hot->kind != PIPA_HOT_PLAIN)
		return frame;
	frame.known = true;
	frame.has_caller = hot->flags & PIPA_HOT_DEPTH;
	frame.in_link = hot->ra_saved == PIPA_HOT_SAVED;
	if (hot->flags & PIPA_HOT_SCANNED)
		frame.has_record = hot->flags & PIPA_HOT_HAS_RECORD;
	else if (hot->cfa_reg == arch->fp)
		frame.has_record = true;
	else
		frame.has_record = hot->flags & PIPA_HOT_FP && !hot->ra_saved &&
				   (hot->at[0] - hot->at[1]) * 8 ==
					   arch->ra_saved_at - arch->fp_saved_at;
	return frame;
}

/* ---- frames ------------------------------------------------------------------------------------------ */

/* Those of a walk, as they are found. */
struct found {
	const struct pipa_unwind_input *in;
	const struct pipa_unwind_frames *frames;
	struct far_frames *far;
	size_t n, fp_fallback;
};

/* The caller was found. PIPA_STEP_GO, or why the walk ends before it. */
static inline int add_frame(struct found *found, uint64_t pc, uint64_t low, unsigned int flags)
{
	if (!pc)
		return PIPA_STACK_COMPLETE;
	if (found->n == found->frames->max)
		return PIPA_STACK_TOO_MANY;
	found->frames->addrs[found->n] = pc;
	if (found->frames->flags)
		found->frames->flags[found->n] = (uint8_t)flags;
	if (found->frames->lows)
		found->frames->lows[found->n] = low;
	found->n++;
	if (low - found->in->stack_addr > NEAR && found->far->n < FAR)
		found->far->at[found->far->n++] = low - 8; /* where the return address was */
	return PIPA_STEP_GO;
}

/* ---- a walk with few registers --------------------------------------------------------------------- */

enum { STUCK = -2 }; /* all registers are needed to go on */

/* What most rows need of the registers. */
struct few {
	uint64_t pc, sp, fp;
	uint64_t low;
	uint64_t exact;	    /* 0 or 1 */
	unsigned int jumps; /* before it */
};

/* The return address is not in the dump. It may be elsewhere. */
static __attribute__((noinline)) int miss(const struct found *found, const struct few *few,
					  uint64_t at)
{
	const struct pipa_walk walk = { .in = found->in, .jumps = few->jumps };
	uint64_t word;

	return pipa_walk_read(&walk, at, 8, &word) ? STUCK : (int)pipa_walk_missing(&walk, at);
}

/*
 * As far as all rows are known and need no more than the stack and the frame pointer. Most walks are done
 * with that, in a third of the time that the other takes. What is rare is left to that one, such as a saved
 * frame pointer outside of the dump.
 */
static int walk_quickly(const struct pipa_unwinder *unwinder, struct few few, struct found *found)
{
	const struct pipa_unwind_arch *arch = unwinder->arch;
	const struct pipa_unwind_input *in = found->in;
	const struct pipa_row_cache *hot;
	uint64_t key, cfa, at;
	int rc;

	do {
		key = few.pc << 1 | few.exact;
		hot = &unwinder->hot[hash_of(key, in->space) >> (64 - HOT_BITS)];
		if (hot->key != key || hot->space != in->space || !(hot->flags & PIPA_HOT_QUICK))
			return STUCK;
		if (hot->kind == PIPA_HOT_OUTERMOST)
			return PIPA_STACK_COMPLETE;
		cfa = (hot->cfa_reg == arch->sp ? few.sp : few.fp) +
		      (uint64_t)(int64_t)hot->cfa_offset;
		at = cfa + (uint64_t)(int64_t)hot->at[0] * 8;
		if (!pipa_walk_word(in, at, &few.pc))
			return miss(found, &few, at);
		if (cfa + few.exact <= few.low) /* it has to rise, but from a leaf */
			return STUCK;
		if (hot->flags & PIPA_HOT_FP &&
		    !pipa_walk_word(in, cfa + (uint64_t)(int64_t)hot->at[1] * 8, &few.fp))
			return STUCK;
		if (hot->flags & PIPA_HOT_SIGNED)
			few.pc &= arch->pc_mask;
		few.low = few.sp = cfa;
		few.exact = 0;
		rc = add_frame(found, few.pc, few.low, 0);
	} while (rc == PIPA_STEP_GO);
	return rc;
}

/* ---- and with all of them --------------------------------------------------------------------------- */

static int walk_one(struct pipa_unwinder *unwinder, struct pipa_walk *walk, struct found *found)
{
	unsigned int flags;
	uint8_t *stub = found->frames->flags ? &found->frames->flags[found->n - 1] : NULL;
	int rc = step(unwinder, walk);

	if (walk->at_stub && stub) /* the handler returns to its begin: nobody called from it */
		*stub |= PIPA_FRAME_EXACT;
	if (rc != PIPA_STEP_GO)
		return rc;
	flags = (walk->exact ? PIPA_FRAME_EXACT : 0) |
		(walk->fp_fallback ? PIPA_FRAME_FP_FALLBACK : 0);
	rc = add_frame(found, walk->regs.pc, walk->low, flags);
	if (rc != PIPA_STEP_GO)
		return rc;
	if (walk->exact && stub) /* after it lies what was interrupted: nobody called from it */
		*stub |= PIPA_FRAME_EXACT;
	found->fp_fallback += walk->fp_fallback;
	return rc;
}

/* Is there all that the quick walk starts from? */
static bool has_few(const struct pipa_unwind_arch *arch, const struct pipa_unwind_regs *regs)
{
	return pipa_unwind_knows(regs, arch->sp) && pipa_unwind_knows(regs, arch->fp);
}

/* Quickly again from where the walk is now. */
static int try_quickly(const struct pipa_unwinder *unwinder, const struct pipa_walk *walk,
		       struct found *found)
{
	const struct pipa_unwind_arch *arch = unwinder->arch;
	const struct few few = { .pc = walk->regs.pc,
				 .sp = walk->regs.r[arch->sp],
				 .fp = walk->regs.r[arch->fp],
				 .low = walk->low,
				 .exact = walk->exact,
				 .jumps = walk->jumps };

	return has_few(arch, &walk->regs) ? walk_quickly(unwinder, few, found) : STUCK;
}

/* The quick walk is stuck: what it found is found again with all registers, and one frame more. */
static __attribute__((noinline)) int walk_on(struct pipa_unwinder *unwinder, struct found *found)
{
	struct pipa_walk walk = { .arch = unwinder->arch,
				  .in = found->in,
				  .regs = found->in->regs,
				  .low = found->in->regs.r[unwinder->arch->sp],
				  .exact = true };
	size_t n = 1, far = 0, until;
	int rc;

	do {
		until = found->n + 1;
		found->n = n;
		found->far->n = far;
		do
			rc = walk_one(unwinder, &walk, found);
		while (rc == PIPA_STEP_GO && found->n < until);
		n = found->n;
		far = found->far->n;
		if (rc == PIPA_STEP_GO)
			rc = try_quickly(unwinder, &walk, found);
	} while (rc == STUCK);
	return rc;
}

static struct far_frames *far_of(struct pipa_unwinder *unwinder, uint64_t stack_addr)
{
	return &unwinder->far[(stack_addr >> 20) % STACKS];
}

/* Inlined, as gcc takes a function that does nothing else for one without effect. */
static inline __attribute__((always_inline)) void expect_frames(const struct far_frames *far,
								const struct pipa_unwind_input *in)
{
	size_t i;

	for (i = 0; i < far->n; i++)
		if (far->at[i] - in->stack_addr < in->stack_len)
			__builtin_prefetch(in->stack + (far->at[i] - in->stack_addr));
}

void pipa_unwind(struct pipa_unwinder *unwinder, const struct pipa_unwind_input *in,
		 const struct pipa_unwind_frames *frames, struct pipa_unwind_result *ret)
{
	const struct pipa_unwind_arch *arch = unwinder->arch;
	const struct few few = { .pc = in->regs.pc,
				 .sp = in->regs.r[arch->sp],
				 .fp = in->regs.r[arch->fp],
				 .low = in->regs.r[arch->sp],
				 .exact = 1 };
	struct found found = { in, frames, far_of(unwinder, in->stack_addr), 1, 0 };
	struct pipa_unwind_code code;
	int rc = STUCK;

	expect_frames(found.far, in);
	found.far->n = 0;
	frames->addrs[0] = few.pc;
	if (frames->flags)
		frames->flags[0] = PIPA_FRAME_EXACT;
	if (frames->lows)
		frames->lows[0] = few.low;
	if (has_few(arch, &in->regs))
		rc = walk_quickly(unwinder, few, &found);
	if (rc == STUCK)
		rc = walk_on(unwinder, &found);
	*ret = (struct pipa_unwind_result){ .n = found.n,
					    .end = (enum pipa_stack_end)rc,
					    .fp_fallback = found.fp_fallback,
					    .at = frames->addrs[found.n - 1],
					    .object = PIPA_UNWIND_NO_OBJECT };
	if (in->ops->find(in->ctx, ret->at - (ret->n > 1), &code))
		ret->object = code.object;
}
