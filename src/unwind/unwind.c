#include "unwind/unwind.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
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
 * Both arrays hold one row per hash. A profile has some thousands of distinct return addresses; when
 * two of them meet, the later one is computed anew.
 */
struct pipa_unwinder {
	struct pipa_hot hot[1 << HOT_BITS] __attribute__((aligned(64)));
	struct whole whole[1 << WHOLE_BITS];
	struct far_frames far[STACKS]; /* by address */
	const struct pipa_unwind_arch *arch;
};

_Static_assert(sizeof(struct pipa_hot) == 64, "a hot row is a cache line");

const char *pipa_unwind_end_text(enum pipa_unwind_end end)
{
	static const char *const texts[PIPA_UNWIND_END_NR] = {
		[PIPA_UNWIND_COMPLETE] = "complete",
		[PIPA_UNWIND_TRUNCATED] = "stack dump too short",
		[PIPA_UNWIND_ELSEWHERE] = "stack continues outside the dump",
		[PIPA_UNWIND_NO_REGISTERS] = "registers missing",
		[PIPA_UNWIND_NO_MAPPING] = "no code mapped at the address",
		[PIPA_UNWIND_NO_CFI] = "no unwind information",
		[PIPA_UNWIND_BAD_CFI] = "damaged unwind information",
		[PIPA_UNWIND_NO_PROGRESS] = "stack does not rise",
		[PIPA_UNWIND_TOO_MANY] = "too many frames",
	};

	return end < PIPA_UNWIND_END_NR ? texts[end] : "";
}

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
static void make_stub(struct pipa_hot *hot, const struct pipa_unwind_arch *arch)
{
	hot->kind = PIPA_HOT_PLAIN;
	hot->cfa_reg = arch->sp;
	hot->cfa_offset = 8;
	hot->n_saved = 1;
	hot->ra_saved = 0;
	hot->at[0] = -1;
	hot->reg[0] = PIPA_UNWIND_RA;
}

/* The row of the address and what is kept of it in the hot array. A reason, or GO. */
static int find_row(const struct pipa_walk *walk, struct pipa_hot *hot, struct pipa_row *row,
		    struct pipa_unwind_code *code)
{
	uint64_t pc = walk->regs.pc - !walk->exact;
	int rc;

	if (!walk->in->ops->find(walk->in->ctx, pc, code))
		return PIPA_UNWIND_NO_MAPPING;
	if (pipa_is_sigreturn(walk, code)) {
		hot->kind = PIPA_HOT_SIGNAL;
		return PIPA_STEP_GO;
	}
	rc = code->table && pipa_unwind_table_arch(code->table) == walk->arch ?
		     pipa_unwind_table_row(code->table, pc - code->bias, row) :
		     -ENOENT;
	if (rc == -ENOENT && pipa_is_stub(walk, code))
		make_stub(hot, walk->arch);
	else if (rc < 0)
		hot->kind = rc == -ENOENT ? PIPA_HOT_NO_CFI : PIPA_HOT_BAD_CFI;
	else if (!pipa_hot_row_make(hot, walk->arch, row))
		hot->kind = PIPA_HOT_WHOLE;
	return PIPA_STEP_GO;
}

/* Not in the hot array: put it there, and into the other one where needed. */
static int fill(struct pipa_unwinder *unwinder, const struct pipa_walk *walk, struct pipa_hot *hot)
{
	struct pipa_unwind_code code = { 0 };
	struct pipa_hot made = { .key = key_of(walk), .space = walk->in->space };
	struct pipa_row row;
	struct whole *whole;
	int rc = find_row(walk, &made, &row, &code);

	if (rc != PIPA_STEP_GO)
		return rc;
	if (made.kind == PIPA_HOT_WHOLE) {
		whole = &unwinder->whole[hash_of(made.key, made.space) >> (64 - WHOLE_BITS)];
		*whole = (struct whole){ made.key, made.space, code, row };
	}
	*hot = made;
	return PIPA_STEP_GO;
}

static int step_whole(struct pipa_unwinder *unwinder, struct pipa_walk *walk, struct pipa_hot *hot)
{
	struct whole *whole = &unwinder->whole[hash_of(hot->key, hot->space) >> (64 - WHOLE_BITS)];
	int rc;

	if (whole->key != hot->key || whole->space != hot->space) { /* another one took its place */
		rc = fill(unwinder, walk, hot);
		if (rc != PIPA_STEP_GO)
			return rc;
		if (hot->kind != PIPA_HOT_WHOLE)
			return PIPA_UNWIND_BAD_CFI;
	}
	return pipa_step_row(walk, &whole->row, &whole->code);
}

/*
 * The common case. Registers whose place is not in the dump are lost, and rarely asked for. But below the
 * stack pointer is what an epilogue has popped (compilers do not say that it did): there the register
 * has its value already.
 */
static int step_plain(struct pipa_walk *walk, const struct pipa_hot *hot)
{
	const struct pipa_unwind_arch *arch = walk->arch;
	struct pipa_unwind_regs *regs = &walk->regs;
	uint64_t cfa, pc, at;
	unsigned int i;
	int rc;

	if (!pipa_unwind_knows(regs, hot->cfa_reg))
		return PIPA_UNWIND_NO_REGISTERS;
	cfa = regs->r[hot->cfa_reg] + (uint64_t)(int64_t)hot->cfa_offset;
	if (hot->ra_saved < PIPA_HOT_SAVED) {
		at = cfa + (uint64_t)(int64_t)hot->at[hot->ra_saved] * 8;
		if (!pipa_walk_word(walk->in, at, &pc) && !pipa_walk_read(walk, at, 8, &pc))
			return (int)pipa_walk_missing(walk, at);
	} else {
		if (!walk->exact) /* the call that led here has changed the link register */
			return PIPA_UNWIND_BAD_CFI;
		if (!pipa_unwind_knows(regs, arch->link))
			return PIPA_UNWIND_NO_REGISTERS;
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

static int step(struct pipa_unwinder *unwinder, struct pipa_walk *walk)
{
	uint64_t key = key_of(walk), space = walk->in->space;
	struct pipa_hot *hot = &unwinder->hot[hash_of(key, space) >> (64 - HOT_BITS)];
	int rc;

	if (__builtin_expect(hot->key != key || hot->space != space || !hot->kind, 0)) {
		rc = fill(unwinder, walk, hot);
		if (rc != PIPA_STEP_GO)
			return rc;
	}
	walk->guessed = false;
	switch (hot->kind) {
	case PIPA_HOT_PLAIN: rc = step_plain(walk, hot); break;
	case PIPA_HOT_OUTERMOST: return PIPA_UNWIND_COMPLETE;
	case PIPA_HOT_WHOLE: rc = step_whole(unwinder, walk, hot); break;
	case PIPA_HOT_SIGNAL: rc = pipa_step_sigframe(walk); break;
	case PIPA_HOT_NO_CFI: return pipa_step_frame_pointer(walk);
	default: return PIPA_UNWIND_BAD_CFI;
	}
	/* behind a guess the stack pointer may be unknown, and the next frame is to be guessed too */
	if (rc == PIPA_UNWIND_NO_REGISTERS && pipa_unwind_knows(&walk->regs, walk->arch->fp))
		rc = pipa_step_frame_pointer(walk);
	return rc;
}

static void add_frame(const struct pipa_walk *walk, const struct pipa_unwind_frames *frames,
		      struct pipa_unwind_result *ret)
{
	frames->addrs[ret->n] = walk->regs.pc;
	if (frames->flags)
		frames->flags[ret->n] = (uint8_t)((walk->exact ? PIPA_FRAME_EXACT : 0) |
						  (walk->guessed ? PIPA_FRAME_GUESSED : 0));
	ret->guessed += walk->guessed;
	ret->n++;
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
	struct pipa_walk walk = { .arch = unwinder->arch,
				  .in = in,
				  .regs = in->regs,
				  .low = in->regs.r[unwinder->arch->sp],
				  .exact = true };
	struct pipa_unwind_result result = { .object = PIPA_UNWIND_NO_OBJECT };
	struct far_frames *far = far_of(unwinder, in->stack_addr);
	struct pipa_unwind_code code;
	int rc;

	expect_frames(far, in);
	far->n = 0;
	add_frame(&walk, frames, &result);
	while ((rc = step(unwinder, &walk)) == PIPA_STEP_GO) {
		if (!walk.regs.pc) {
			rc = PIPA_UNWIND_COMPLETE;
			break;
		}
		if (result.n == frames->max) {
			rc = PIPA_UNWIND_TOO_MANY;
			break;
		}
		if (walk.exact &&
		    frames->flags) /* behind it lies what was interrupted: a stub that */
			frames->flags[result.n - 1] |= PIPA_FRAME_EXACT; /* nobody called from */
		add_frame(&walk, frames, &result);
		if (walk.low - in->stack_addr > NEAR && far->n < FAR)
			far->at[far->n++] = walk.low - 8; /* where the return address was */
	}
	result.end = (enum pipa_unwind_end)rc;
	result.at = frames->addrs[result.n - 1];
	if (in->ops->find(in->ctx, result.at - (result.n > 1), &code))
		result.object = code.object;
	*ret = result;
}
