#include "preload/walk.h"

#include <errno.h>
#include <stddef.h>

#include "model/stack_end.h"
#include "preload/machine.h"
#include "preload/maps.h"
#include "preload/sys.h"
#include "unwind/rows.h"

/* ---- rows ------------------------------------------------------------------------------------------------ */

enum row_kind {
	/*
	 * Nearly all rows: CFA = sp + offset, and what is saved is between both. `return_at` and `fp_at` are
	 * from sp.
	 */
	ROW_NEAR = 1,
	ROW_NEAR_FP, /* the frame pointer is saved */
	ROW_CFA_SP,  /* CFA = sp + offset */
	ROW_CFA_FP,
	ROW_CFA_AT_SP, /* CFA = the word at sp + offset: the stack was realigned */
	ROW_CFA_AT_FP,
	ROW_SIGNAL,
	ROW_OUTERMOST,
	ROW_NO_CFI,
	ROW_BAD_CFI,
	ROW_NONE,
};

enum { AT_FP = INT16_MIN };

/* A row of call frame information as one word, so that it is read and written at once. */
struct row {
	uint8_t kind;
	bool fp_same : 1;
	bool is_signed : 1;
	int16_t cfa_words; /* the CFA's offset, in 8 bytes */
	int16_t return_at; /* from the CFA, in 8 bytes; see ROW_NEAR */
	int16_t fp_at;	   /* the same; AT_FP: where the frame pointer points */
};

_Static_assert(sizeof(struct row) == 8, "a word");

union row_word {
	struct row row;
	uint64_t word;
};

enum { ROW_BITS = 14, ROWS = 1 << ROW_BITS };

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

/* Add a frame to the hash of its outer ones. Both halves of the product, so that all bits depend on all. */
static uint64_t add_hash(uint64_t hash, uint64_t pc)
{
	unsigned __int128 product = (unsigned __int128)((hash ^ pc) + FACTOR) * FACTOR;

	return (uint64_t)(product >> 64) ^ (uint64_t)product;
}

/*
 * Rows by address. The key is XORed with the word, so that an entry whose two words are of
 * different writers is not found.
 */
static struct {
	uint64_t key, word;
} rows[ROWS];

/* Never 0, the key of an empty entry, also for words that are not addresses. */
static uint64_t row_key(uint64_t address, uint32_t generation)
{
	return (address ^ (uint64_t)generation << 48) | UINT64_C(1) << 63;
}

/* DW_OP_breg<n> offset, DW_OP_deref: the CFA of a function that realigns its stack. */
static bool is_breg_deref(const struct pipa_rule *rule, unsigned int *ret_reg, int64_t *ret_offset)
{
	enum { BREG0 = 0x70, BREG31 = 0x8f, DEREF = 0x06 };
	const uint8_t *at = rule->expr, *end = rule->expr + rule->size;
	unsigned int shift = 0;
	uint64_t value = 0;
	uint8_t byte;

	if (rule->size < 3 || *at < BREG0 || *at > BREG31)
		return false;
	*ret_reg = *at++ - BREG0;
	do {
		byte = *at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && at < end && shift < 35);
	if (byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	*ret_offset = (int64_t)value;
	return end - at == 1 && *at == DEREF;
}

/* Is the register saved at a multiple of 8 from the CFA? */
static bool saved_at(const struct pipa_rule *rule, int16_t *ret_words)
{
	int64_t words = rule->offset / 8;

	*ret_words = (int16_t)words;
	return rule->kind == PIPA_RULE_AT && rule->offset % 8 == 0 && words > AT_FP &&
	       words <= INT16_MAX;
}

static bool set_cfa(struct row *ret, const struct pipa_row *row)
{
	unsigned int reg = row->cfa.reg;
	int64_t offset = row->cfa.offset;
	bool at = row->cfa.kind == PIPA_RULE_EXPR_IS;

	if (at ? !is_breg_deref(&row->cfa, &reg, &offset) : row->cfa.kind != PIPA_RULE_IS)
		return false;
	if ((reg != PIPA_HEAP_ARCH.sp && reg != PIPA_HEAP_ARCH.fp) || offset % 8 ||
	    offset / 8 < INT16_MIN || offset / 8 > INT16_MAX)
		return false;
	if (reg == PIPA_HEAP_ARCH.sp)
		ret->kind = at ? ROW_CFA_AT_SP : ROW_CFA_SP;
	else
		ret->kind = at ? ROW_CFA_AT_FP : ROW_CFA_FP;
	ret->cfa_words = (int16_t)(offset / 8);
	return true;
}

/* Return ROW_NEAR or ROW_NEAR_FP, which need fewer checks, for a row of kind ROW_CFA_SP if possible. */
static struct row reduce_checks(struct row row)
{
	int return_at = row.cfa_words + row.return_at, fp_at = row.cfa_words + row.fp_at;

	if (row.is_signed || row.return_at >= 0 || return_at < 0)
		return row;
	if (!row.fp_same && (row.fp_at >= 0 || fp_at < 0))
		return row;
	row.kind = row.fp_same ? ROW_NEAR : ROW_NEAR_FP;
	row.return_at = (int16_t)return_at;
	row.fp_at = row.fp_same ? 0 : (int16_t)fp_at;
	return row;
}

static struct row compact_row(const struct pipa_row *row)
{
	const struct pipa_rule *ra = &row->regs[row->ra], *fp = &row->regs[PIPA_HEAP_ARCH.fp];
	bool has_fp_rule = row->mentioned >> PIPA_HEAP_ARCH.fp & 1;
	struct row ret = { .kind = ROW_BAD_CFI };
	int16_t words;

	if (row->signal_frame)
		return (struct row){ .kind = ROW_SIGNAL };
	if (row->mentioned >> row->ra & 1 && ra->kind == PIPA_RULE_UNDEFINED)
		return (struct row){ .kind = ROW_OUTERMOST };
	if (!(row->mentioned >> row->ra & 1) || !saved_at(ra, &words) || !set_cfa(&ret, row))
		return (struct row){ .kind = ROW_BAD_CFI };
	ret.return_at = words;
	ret.is_signed = row->ra_signed;
	ret.fp_same = !has_fp_rule || fp->kind == PIPA_RULE_SAME || fp->kind == PIPA_RULE_NONE;
	if (!ret.fp_same) {
		if (saved_at(fp, &words)) {
			ret.fp_at = words;
		} else if (fp->kind == PIPA_RULE_EXPR_AT && ret.kind != ROW_CFA_SP) {
			/* a realigned stack: the frame pointer is saved where it points */
			ret.fp_at = AT_FP;
		} else {
			ret.fp_same = true;
		}
	}
	return ret.kind == ROW_CFA_SP ? reduce_checks(ret) : ret;
}

/* Not inlined: the complete row is large, and stacks of threads may be small. */
static __attribute__((noinline)) struct row make_row(uint64_t address, bool *ret_keep)
{
	struct pipa_row row;

	*ret_keep = true;
	switch (pipa_heap_maps_row(address, &row)) {
	case PIPA_HEAP_CODE_ROW: return compact_row(&row);
	case PIPA_HEAP_CODE_NO_CFI: return (struct row){ .kind = ROW_NO_CFI };
	case PIPA_HEAP_CODE_BAD_CFI: return (struct row){ .kind = ROW_BAD_CFI };
	case PIPA_HEAP_CODE_NONE:
	case PIPA_HEAP_CODE_BUSY: break;
	}
	*ret_keep = false;
	return (struct row){ .kind = ROW_NONE };
}

static uint64_t make_and_keep_row(uint64_t address, uint64_t key, unsigned int i)
{
	union row_word made;
	bool keep;

	made.row = make_row(address, &keep);
	if (keep) {
		__atomic_store_n(&rows[i].word, made.word, __ATOMIC_RELAXED);
		__atomic_store_n(&rows[i].key, key ^ made.word, __ATOMIC_RELAXED);
	}
	return made.word;
}

static inline __attribute__((always_inline)) struct row find_row(uint64_t address,
								 uint32_t generation)
{
	uint64_t key = row_key(address, generation);
	unsigned int i = (unsigned int)(address * FACTOR >> (64 - ROW_BITS));
	union row_word found;

	found.word = __atomic_load_n(&rows[i].word, __ATOMIC_RELAXED);
	if (__builtin_expect((__atomic_load_n(&rows[i].key, __ATOMIC_RELAXED) ^ found.word) != key,
			     0))
		found.word = make_and_keep_row(address, key, i);
	return found.row;
}

/* ---- the stack ------------------------------------------------------------------------------------------- */

/* Can the word be read? The call fails in each case: with EFAULT, or because the operation is invalid. */
static bool is_mapped(uint64_t at)
{
	return PIPA_SYS4(rt_sigprocmask, ~0, at, NULL, sizeof(uint64_t)) != -EFAULT;
}

/*
 * Check the pages of the stack beyond that of `sp` from now on, before words of them are read. A frame pointer can be
 * any number, and the end of the stack that of an earlier one: coroutines unmap stacks, also by the allocator, whose
 * calls no hook sees.
 */
static void check_pages(struct pipa_heap_walk *walk, uint64_t sp)
{
	uint64_t end = ((sp - 1) | (PIPA_HEAP_PAGE - 1)) + 1;

	if (walk->is_checked)
		return;
	walk->is_checked = true;
	if (end < walk->limit)
		walk->limit = end;
}

/* Move the limit beyond a word. False if a page up to there is not mapped or not of the stack, or there are too many. */
static __attribute__((noinline)) bool move_limit(struct pipa_heap_walk *walk, uint64_t at)
{
	enum { CHECKED_MAX = 1 << 20 };

	if (at >= walk->stack_end || (at >= walk->limit && at - walk->limit > CHECKED_MAX))
		return false;
	while (walk->limit <= at) {
		if (!is_mapped(walk->limit))
			return false;
		walk->limit += PIPA_HEAP_PAGE;
	}
	if (walk->limit > walk->stack_end)
		walk->limit = walk->stack_end;
	return true;
}

/* Is the word on the stack, at or above `low`? The limit is the end of a page, 0 if not known. */
static inline __attribute__((always_inline)) bool readable(struct pipa_heap_walk *walk,
							   uint64_t low, uint64_t at)
{
	return at >= low && at % 8 == 0 &&
	       (__builtin_expect(at < walk->limit, 1) || move_limit(walk, at));
}

static uint64_t word_at(uint64_t at)
{
	return *(const volatile uint64_t *)at; // NOLINT
}

/* ---- steps ----------------------------------------------------------------------------------------------- */

/* Return addresses of some processors carry a signature in their upper bits. */
static uint64_t strip(uint64_t address)
{
#if defined(__aarch64__)
	register uint64_t x30 __asm__("x30") = address;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
#else
	return address;
#endif
}

/* The registers that the kernel saved before it called the signal handler. */
static int step_signal(struct pipa_heap_walk *walk, struct pipa_heap_frame *frame)
{
	const struct pipa_unwind_sigframe *sigframe = PIPA_HEAP_ARCH.sigframe;
	struct pipa_heap_frame next = { 0 };
	unsigned int i;
	uint64_t at;

	for (i = 0; i < sigframe->n; i++) {
		at = frame->sp + sigframe->regs[i].at;
		if (!readable(walk, frame->sp, at))
			return PIPA_STACK_TRUNCATED;
		if (sigframe->regs[i].reg == PIPA_HEAP_ARCH.sp)
			next.sp = word_at(at);
		else if (sigframe->regs[i].reg == PIPA_HEAP_ARCH.fp)
			next.fp = word_at(at);
	}
	if (!readable(walk, frame->sp, frame->sp + sigframe->pc_at))
		return PIPA_STACK_TRUNCATED;
	next.pc = word_at(frame->sp + sigframe->pc_at) | PIPA_HEAP_EXACT;
	if (next.sp <= frame->sp || next.sp >= walk->stack_end)
		return PIPA_STACK_OTHER_STACK;
	*frame = next;
	return -1;
}

static int step_fp(struct pipa_heap_walk *walk, struct pipa_heap_step *step,
		   struct pipa_heap_frame *frame)
{
	uint64_t fp_at = frame->fp + (uint64_t)(int64_t)PIPA_HEAP_ARCH.fp_saved_at;

	if (!frame->fp) /* the outermost frame, as that of the loader */
		return PIPA_STACK_COMPLETE;
	step->return_at = frame->fp + (uint64_t)(int64_t)PIPA_HEAP_ARCH.ra_saved_at;
	step->fp_at = fp_at;
	check_pages(walk, frame->sp);
	if (!readable(walk, frame->sp, step->return_at) || !readable(walk, frame->sp, fp_at))
		return PIPA_STACK_NO_CFI;
	frame->sp = PIPA_HEAP_ARCH.fp_tells_sp ?
			    frame->fp + (uint64_t)(int64_t)PIPA_HEAP_ARCH.fp_caller_sp :
			    (step->return_at > fp_at ? step->return_at : fp_at) + 8;
	step->raw_return = word_at(step->return_at);
	frame->fp = step->raw_fp = word_at(fp_at);
	frame->pc = strip(step->raw_return);
	return -1;
}

static int step_row(struct pipa_heap_walk *walk, struct row row, struct pipa_heap_step *step,
		    struct pipa_heap_frame *frame)
{
	bool by_fp = row.kind == ROW_CFA_FP || row.kind == ROW_CFA_AT_FP;
	uint64_t cfa = (by_fp ? frame->fp : frame->sp) + (uint64_t)((int64_t)row.cfa_words * 8);

	if (row.kind == ROW_CFA_AT_SP || row.kind == ROW_CFA_AT_FP) {
		if (!readable(walk, frame->sp, cfa))
			return PIPA_STACK_TRUNCATED;
		cfa = word_at(cfa);
	}
	step->return_at = cfa + (uint64_t)((int64_t)row.return_at * 8);
	if (cfa <= frame->sp || cfa % 8)
		return PIPA_STACK_NO_PROGRESS;
	if (!readable(walk, frame->sp, step->return_at))
		return PIPA_STACK_TRUNCATED;
	step->raw_return = step->raw_fp = word_at(step->return_at);
	step->fp_at = step->return_at;
	if (!row.fp_same) {
		step->fp_at = row.fp_at == AT_FP ? frame->fp :
						   cfa + (uint64_t)((int64_t)row.fp_at * 8);
		if (!readable(walk, frame->sp, step->fp_at))
			return PIPA_STACK_TRUNCATED;
		frame->fp = step->raw_fp = word_at(step->fp_at);
	}
	frame->pc = row.is_signed ? strip(step->raw_return) : step->raw_return;
	frame->sp = cfa;
	return -1;
}

/* Replace a frame by its caller's. Returns -1, or why there is none (enum pipa_stack_end). */
static __attribute__((noinline)) int step_other(struct pipa_heap_walk *walk, struct row row,
						struct pipa_heap_step *step,
						struct pipa_heap_frame *frame)
{
	switch (row.kind) {
	case ROW_CFA_AT_SP:
	case ROW_CFA_AT_FP:
		walk->reusable = false; /* it depends on a word that is not kept */
		return step_row(walk, row, step, frame);
	case ROW_CFA_SP:
	case ROW_CFA_FP: return step_row(walk, row, step, frame);
	case ROW_SIGNAL: walk->reusable = false; return step_signal(walk, frame);
	case ROW_OUTERMOST: return PIPA_STACK_COMPLETE;
	case ROW_NO_CFI: walk->fp_frames++; return step_fp(walk, step, frame);
	case ROW_BAD_CFI: return PIPA_STACK_BAD_CFI;
	default: return PIPA_STACK_NO_MAPPING;
	}
}

/* As step_other(), which is called for all but the most frequent kinds of rows. */
static inline __attribute__((always_inline)) int step_out(struct pipa_heap_walk *walk,
							  struct pipa_heap_step *step,
							  struct pipa_heap_frame *frame)
{
	bool exact = frame->pc >> 63;
	uint64_t address = (frame->pc & ~PIPA_HEAP_EXACT) - !exact, sp = frame->sp;
	struct row row = find_row(address, walk->generation);
	struct pipa_heap_frame other;
	int end;

	if (__builtin_expect(row.kind > ROW_NEAR_FP, 0)) {
		other = *frame; /* so that *frame can be kept in registers */
		end = step_other(walk, row, step, &other);
		*frame = other;
		return end;
	}
	frame->sp = sp + (uint64_t)row.cfa_words * 8;
	if (__builtin_expect(frame->sp > walk->limit, 0) && !move_limit(walk, frame->sp - 8))
		return PIPA_STACK_TRUNCATED;
	step->return_at = step->fp_at = sp + (uint64_t)row.return_at * 8;
	frame->pc = step->raw_return = step->raw_fp = word_at(step->return_at);
	if (row.kind == ROW_NEAR_FP) {
		step->fp_at = sp + (uint64_t)row.fp_at * 8;
		frame->fp = step->raw_fp = word_at(step->fp_at);
	}
	return -1;
}

/* ---- walks ----------------------------------------------------------------------------------------------- */

/*
 * Are the words by which the steps before *end found their callers unchanged on the stack? If not, *end moves to
 * the innermost step with another word. Compares from the inside out, so that each word is one that the walk would
 * read next: the stack of the last walk may be unmapped.
 */
static bool are_unchanged(struct pipa_heap_walk *walk, const struct pipa_heap_step **end)
{
	const struct pipa_heap_step *step = *end - 1;

	for (; step > walk->steps; step--) { /* the outermost has no caller */
		if (__builtin_expect(walk->is_checked, 0) &&
		    (!readable(walk, 0, step->return_at) || !readable(walk, 0, step->fp_at)))
			break;
		if ((word_at(step->return_at) ^ step->raw_return) |
		    (word_at(step->fp_at) ^ step->raw_fp))
			break;
	}
	if (step == walk->steps)
		return true;
	*end = step;
	return false;
}

/* Append the n new frames to the `kept` outer ones of the last walk. */
static void append_inner(struct pipa_heap_walk *walk, uint32_t kept, uint32_t n)
{
	uint64_t hash = kept ? walk->steps[kept - 1].hash : 0;
	const struct pipa_heap_step *from = &walk->inner[n];
	struct pipa_heap_step *to = &walk->steps[kept];

	for (; from > walk->inner; to++) {
		*to = *--from;
		hash = add_hash(hash, from->frame.pc);
		to->hash = hash;
	}
	walk->n = kept + n;
}

/*
 * Is `frame` one of the steps before *end? Moves *end after the last step whose stack pointer is not below
 * that of the frame; stack pointers of steps decrease.
 */
static bool is_step_before(const struct pipa_heap_walk *walk, const struct pipa_heap_step **end,
			   const struct pipa_heap_frame *frame)
{
	const struct pipa_heap_step *at = *end;

	while (at > walk->steps && at[-1].frame.sp < frame->sp)
		at--;
	*end = at;
	return at > walk->steps && at[-1].frame.sp == frame->sp && at[-1].frame.pc == frame->pc &&
	       at[-1].frame.fp == frame->fp;
}

bool pipa_heap_walk_from(struct pipa_heap_walk *walk, const struct pipa_heap_frame *caller,
			 uint32_t depth)
{
	struct pipa_heap_frame frame = *caller;
	uint32_t generation = pipa_heap_maps_generation(), n, last;
	const struct pipa_heap_step *kept = walk->steps;
	struct pipa_heap_step *step = walk->inner;
	uint16_t last_fp_frames = walk->fp_frames;
	int end;

	if (walk->reusable && walk->generation == generation && walk->end == PIPA_STACK_COMPLETE)
		kept = walk->steps + walk->n;
	walk->limit = walk->stack_end;
	walk->is_checked = false;
	if (last_fp_frames)
		check_pages(walk, frame.sp);
	walk->generation = generation;
	walk->fp_frames = 0;
	walk->reusable = true;
	for (;;) {
		n = (uint32_t)(step - walk->inner);
		if (kept > walk->steps && frame.sp >= kept[-1].frame.sp &&
		    is_step_before(walk, &kept, &frame) && are_unchanged(walk, &kept)) {
			last = (uint32_t)(kept - walk->steps);
			if (last + n <= depth) {
				walk->fp_frames += last_fp_frames;
				if (!n && last == walk->n)
					return true;
				append_inner(walk, last, n);
				return false;
			}
			kept = walk->steps;
		}
		if (__builtin_expect(n == depth, 0)) {
			end = PIPA_STACK_TOO_MANY;
			break;
		}
		step->frame = frame; /* the rest is for step_out() and append_inner() */
		end = step_out(walk, step, &frame);
		if (end == PIPA_STACK_NO_MAPPING && n)
			break; /* not an address of code */
		step++;
		n++;
		if (end >= 0)
			break;
		if (__builtin_expect(!(frame.pc & ~PIPA_HEAP_EXACT), 0)) {
			end = PIPA_STACK_COMPLETE; /* a thread's first function */
			break;
		}
	}
	walk->end = (uint8_t)end;
	append_inner(walk, 0, n);
	return false;
}

const uint64_t *pipa_heap_walk_pcs(struct pipa_heap_walk *walk)
{
	uint32_t i;

	for (i = 0; i < walk->n; i++)
		walk->pcs[i] = walk->steps[i].frame.pc;
	return walk->pcs;
}

uint64_t pipa_heap_walk_hash(const struct pipa_heap_walk *walk)
{
	return walk->n ? walk->steps[walk->n - 1].hash : 0;
}
