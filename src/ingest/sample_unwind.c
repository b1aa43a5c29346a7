#include "ingest/sample_unwind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ingest/spaces.h"
#include "ingest/stack_join.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

enum {
	FRAMES = 8190, /* limit of a stack; a perf record cannot hold more */
	KERNEL_WORDS = 1024,
	CODES = 64,
	KNOWN_FRAMES = 4096,
	CODE_AGE = 4096, /* chains after which code read from a running process is read again */
};

/* Cache of code lookups. Small: only the end of a walk is looked up here. */
struct known_code {
	uint64_t addr, space;
	struct pipa_unwind_code code;
	bool there;
};

/*
 * Cache of the frame layout at an address of a recorded chain. Entries are small, because every
 * frame of every sample is looked up.
 */
struct known_frame {
	uint64_t key, space;
	struct pipa_unwind_frame frame;
};

struct pipa_sample_unwind {
	struct pipa_unwind_source source;
	const struct pipa_unwind_arch *arch;
	struct pipa_unwinder *unwinder; /* NULL until the first sample */
	bool arch_known;
	bool code_read;	   /* from a running process: the process may replace it */
	size_t since_read; /* chains since then */
	int status;	   /* -ENOMEM: a table is missing, and chains would end too early */
	const struct pipa_space *space; /* of the current sample */
	struct known_code codes[CODES];
	struct known_frame frames[KNOWN_FRAMES]; /* for recorded chains */
	uint64_t addrs[FRAMES];
	uint8_t flags[FRAMES];
	uint64_t lows[FRAMES];
	struct pipa_stack_join *join; /* NULL: stacks are not joined */
	uint64_t words[KERNEL_WORDS + 4 * FRAMES + 4 * PIPA_STACK_END_NR];
};

struct pipa_sample_unwind *pipa_sample_unwind_new(const struct pipa_unwind_source *source)
{
	struct pipa_sample_unwind *u = calloc(1, sizeof(*u));

	if (!u)
		return NULL;
	u->source = *source;
	u->join = source->join ? pipa_stack_join_new() : NULL;
	if (source->join && !u->join) {
		free(u);
		return NULL;
	}
	return u;
}

void pipa_sample_unwind_free(struct pipa_sample_unwind *u)
{
	if (!u)
		return;
	pipa_unwinder_free(u->unwinder);
	pipa_stack_join_free(u->join);
	free(u);
}

void pipa_sample_unwind_lost(struct pipa_sample_unwind *u)
{
	if (u->join)
		pipa_stack_join_lost(u->join);
}

static bool look_up_code(struct pipa_sample_unwind *u, uint64_t addr, struct pipa_unwind_code *ret)
{
	const struct pipa_range *range = pipa_space_at(u->space, addr);
	uint64_t linked = 0;

	if (!range)
		return false;
	ret->object = range->object;
	ret->table = u->source.table(u->source.ctx, range->object,
				     addr - range->start + range->file_offset, &linked);
	if (!ret->table && u->source.status)
		u->status = u->source.status(u->source.ctx);
	ret->bias = addr - linked;
	return true;
}

static bool find_code(void *ctx, uint64_t addr, struct pipa_unwind_code *ret)
{
	struct pipa_sample_unwind *u = ctx;
	uint64_t space = pipa_space_key(u->space);
	struct known_code *known = &u->codes[pipa_hash_u64(addr, space) % CODES];

	if (!known->there || known->addr != addr || known->space != space) {
		*known = (struct known_code){ .addr = addr, .space = space };
		known->there = look_up_code(u, addr, &known->code);
	}
	*ret = known->code;
	return known->there;
}

static bool find_function(void *ctx, uint64_t addr, const struct pipa_unwind_code *code,
			  struct pipa_unwind_function *ret)
{
	struct pipa_sample_unwind *u = ctx;
	uint64_t bias = code->table ? code->bias : 0;

	bool found;

	if (!u->source.function)
		return false;
	found = u->source.function(u->source.ctx, code->object, addr - bias, ret);
	if (!found && u->source.status && u->source.status(u->source.ctx) < 0)
		u->status = u->source.status(u->source.ctx);
	if (!found)
		return false;
	ret->start += bias;
	ret->end += bias;
	return true;
}

static size_t read_code(void *ctx, uint64_t addr, void *to, size_t size)
{
	struct pipa_sample_unwind *u = ctx;
	const struct pipa_range *range = pipa_space_at(u->space, addr);

	if (!u->source.code || !range)
		return 0;
	if (size > range->end - addr)
		size = (size_t)(range->end - addr);
	u->code_read = true;
	return u->source.code(u->source.ctx, range->object, addr, to, size);
}

static const struct pipa_unwind_ops ops = { .find = find_code,
					    .function = find_function,
					    .code = read_code };

/* Create the unwinder on the first call. 1, 0 if the architecture is unknown, or -ENOMEM. */
static int get_unwinder(struct pipa_sample_unwind *u)
{
	if (!u->arch_known) {
		u->arch = u->source.arch(u->source.ctx);
		u->unwinder = u->arch ? pipa_unwinder_new(u->arch) : NULL;
		if (u->arch && !u->unwinder)
			return -ENOMEM;
		u->arch_known = true;
	}
	return u->unwinder != NULL;
}

/*
 * Copy the kernel part of the recorded chain, or the sample's kernel address. Returns the number of
 * words.
 */
static size_t copy_kernel_part(struct pipa_sample_unwind *u, const struct pipa_rec_sample *s)
{
	enum pipa_mode mode = s->mode;
	size_t i, n = 0;

	for (i = 0; i < s->chain_len && n < KERNEL_WORDS; i++) {
		if (s->chain[i] >= PIPA_CHAIN_CONTEXT)
			mode = pipa_chain_mode(s->chain[i], mode);
		if (mode == PIPA_MODE_USER)
			break;
		u->words[n++] = s->chain[i];
	}
	if (!n && s->mode != PIPA_MODE_USER && s->ip < PIPA_CHAIN_CONTEXT)
		u->words[n++] = s->ip;
	return n;
}

/*
 * Append the unwound frames to the words. False: one of them is not a valid address, and the chain
 * ends before it.
 */
static bool append_frames(struct pipa_sample_unwind *u, size_t frames, size_t *n)
{
	bool fp_fallback = false;
	size_t i;

	for (i = 0; i < frames; i++) {
		if (u->addrs[i] >= PIPA_CHAIN_CONTEXT)
			return false;
		if (fp_fallback != !!(u->flags[i] & PIPA_FRAME_FP_FALLBACK)) {
			u->words[(*n)++] = PIPA_CHAIN_USER;
			u->words[(*n)++] = PIPA_CHAIN_USER;
			fp_fallback = !fp_fallback;
		}
		if (u->flags[i] & PIPA_FRAME_EXACT)
			u->words[(*n)++] = PIPA_CHAIN_USER;
		u->words[(*n)++] = u->addrs[i];
	}
	return true;
}

/* Return the user part of the recorded chain and its length. */
static const uint64_t *user_chain(const struct pipa_rec_sample *s, size_t *ret_n)
{
	enum pipa_mode mode = s->mode;
	size_t i, from;

	for (i = 0; i < s->chain_len; i++) {
		if (s->chain[i] >= PIPA_CHAIN_CONTEXT)
			mode = pipa_chain_mode(s->chain[i], mode);
		else if (mode == PIPA_MODE_USER)
			break;
	}
	for (from = i; i < s->chain_len && s->chain[i] < PIPA_CHAIN_CONTEXT; i++)
		;
	*ret_n = i - from;
	return s->chain + from;
}

/*
 * Compare the unwound frames with the kernel's chain, which may follow frame pointers beyond the
 * end of the dump. It is used if it contains all unwound frames, except for the caller of a leaf
 * without a frame. Returns the number of its words that the frames cover, 0 if it cannot be used.
 */
static size_t match_all_frames(const struct pipa_sample_unwind *u, size_t n, const uint64_t *words,
			       size_t len)
{
	size_t skipped, i;

	for (skipped = 0; skipped < 2; skipped++) {
		if (n < 2 + skipped || len <= n - skipped || words[0] != u->addrs[0])
			continue;
		for (i = 1 + skipped; i < n && words[i - skipped] == u->addrs[i]; i++)
			;
		if (i == n)
			return n - skipped;
	}
	return 0;
}

/*
 * Return the number of words of the kernel's chain up to and including the last unwound frame, if
 * that occurs exactly once; else 0.
 */
static size_t match_last_frame(const struct pipa_sample_unwind *u, size_t n, const uint64_t *words,
			       size_t len)
{
	size_t i, found = 0;

	for (i = n > 1; i < len; i++) {
		if (words[i] != u->addrs[n - 1])
			continue;
		if (found || n == 1)
			return n == 1 && !i;
		found = i + 1;
	}
	return found;
}

/*
 * Append frames of the kernel's frame-pointer chain and return the number of frames. If the dump
 * was too short, the chain must contain all unwound frames; if CFI was missing, only the last one.
 */
static size_t append_fp_chain(struct pipa_sample_unwind *u, const struct pipa_rec_sample *s,
			      size_t n, enum pipa_stack_end end)
{
	size_t len, at;
	const uint64_t *words = user_chain(s, &len);

	at = match_all_frames(u, n, words, len);
	if (!at && end != PIPA_STACK_TRUNCATED)
		at = match_last_frame(u, n, words, len);
	for (; at && at < len && n < FRAMES; at++, n++) {
		u->addrs[n] = words[at];
		u->flags[n] = PIPA_FRAME_FP_FALLBACK;
	}
	return n;
}

/* ---- recorded chains ------------------------------------------------------------------------- */

/* Return the frame layout at an address of a recorded chain, from the cache if possible. */
static struct pipa_unwind_frame frame_at(struct pipa_sample_unwind *u, uint64_t space, uint64_t pc,
					 bool exact)
{
	const struct pipa_unwind_input in = { .space = space, .ops = &ops, .ctx = u };
	uint64_t key = pc << 1 | exact;
	struct known_frame *known =
		&u->frames[(key ^ key >> 13) * UINT64_C(0x9e3779b97f4a7c15) >> 52];

	if (known->key != key || known->space != space)
		*known = (struct known_frame){ key, space,
					       pipa_unwinder_frame(u->unwinder, &in, pc, exact) };
	return known->frame;
}

static bool find_link_register(const struct pipa_sample_unwind *u, const struct pipa_rec_regs *regs,
			       uint64_t *ret)
{
	const uint64_t *value = regs->values;
	uint64_t left = regs->mask;

	for (; value && left; left &= left - 1, value++) {
		unsigned int perf = (unsigned int)__builtin_ctzll(left);

		if (perf < u->arch->n_perf && u->arch->perf[perf] == u->arch->link) {
			*ret = *value & u->arch->pc_mask;
			return true;
		}
	}
	return false;
}

static void append_end_markers(struct pipa_sample_unwind *u, struct pipa_unwound_chain *chain)
{
	int marks = (int)chain->end + (chain->fp_fallback ? PIPA_STACK_END_NR : 0) +
		    (chain->joined ? 2 * PIPA_STACK_END_NR : 0);

	while (marks--)
		u->words[chain->n++] = PIPA_CHAIN_USER;
}

/*
 * Copy the user part of a recorded chain. A signal trampoline is returned to at its start, so its
 * address is marked as exact.
 *
 * Returns whether callers are missing between frames: a function without a frame record leaves the
 * frame pointer at the record of its caller or further out, and the record of a signal frame has
 * the link register instead of the interrupted address.
 */
static bool copy_user_chain(struct pipa_sample_unwind *u, uint64_t space, const uint64_t *users,
			    size_t len, bool gap, size_t *n)
{
	struct pipa_unwind_frame frame;
	size_t i;

	for (i = 0; i < len; i++) {
		frame = frame_at(u, space, users[i], false);
		if (frame.signal)
			u->words[(*n)++] = PIPA_CHAIN_USER;
		if (i + 1 < len)
			gap |= frame.signal || (frame.known && !frame.has_record);
		else
			gap |= frame.signal || frame.has_caller;
		u->words[(*n)++] = users[i];
	}
	return gap;
}

/*
 * Insert the caller of a leaf function without a frame record: it is in the link register, and
 * missing in a frame-pointer chain. Returns 1 and the chain, with its end marked if it is
 * incomplete; 0 if the recorded chain is used unchanged.
 */
static int insert_leaf_caller(struct pipa_sample_unwind *u, const struct pipa_space *space,
			      const struct pipa_rec_sample *s, struct pipa_unwound_chain *ret)
{
	size_t len, before, n;
	const uint64_t *users = user_chain(s, &len);
	uint64_t key = pipa_space_key(space), link = 0;
	struct pipa_unwind_frame leaf, caller;
	bool has_link, gap;

	u->space = space;
	if (!len || u->arch->link == PIPA_UNWIND_NO_REG || s->chain_len >= FRAMES)
		return 0;
	leaf = frame_at(u, key, users[0], true);
	has_link = leaf.known && leaf.in_link && !leaf.has_record &&
		   find_link_register(u, &s->user_regs, &link) && link < PIPA_CHAIN_CONTEXT && link;
	gap = leaf.known && !leaf.has_record && !has_link && len > 1;
	before = (size_t)(users - s->chain) + 1;
	memcpy(u->words, s->chain, before * sizeof(*u->words));
	n = before;
	if (has_link) {
		caller = frame_at(u, key, link, false);
		gap = caller.known && !caller.has_record && len > 1;
		u->words[n++] = link;
	}
	gap = copy_user_chain(u, key, users + 1, len - 1, gap, &n);
	if (!has_link && !gap && n == before + len - 1)
		return 0;
	memcpy(u->words + n, users + len, (s->chain_len - before + 1 - len) * sizeof(*u->words));
	*ret = (struct pipa_unwound_chain){
		.words = u->words,
		.n = n + s->chain_len - before + 1 - len,
		.end = gap ? PIPA_STACK_NO_CFI : PIPA_STACK_COMPLETE,
		.object = PIPA_NONE,
		.recorded = true,
	};
	if (!pipa_chain_tail(ret->words, ret->n).marks)
		append_end_markers(u, ret);
	return 1;
}

/*
 * Drop cached code of running processes every CODE_AGE chains, because it may have been replaced.
 */
static void drop_old_code(struct pipa_sample_unwind *u)
{
	if (!u->code_read || ++u->since_read < CODE_AGE)
		return;
	pipa_unwinder_reset(u->unwinder);
	u->code_read = false;
	u->since_read = 0;
}

/*
 * Complete a truncated stack with the outer frames of an earlier sample of its thread, or store a
 * complete stack for later ones. Sets ret->needed and ret->joined; *result becomes that of the
 * extended dump if it was joined.
 */
static void join_stack(struct pipa_sample_unwind *u, const struct pipa_rec_id *id,
		       struct pipa_unwind_input in, struct pipa_unwind_result *result,
		       struct pipa_unwound_chain *ret)
{
	struct pipa_unwind_frames frames = { u->addrs, u->flags, FRAMES, u->lows };
	struct pipa_join_walk walk = { .thread = (uint64_t)id->pid << 32 | id->tid,
				       .space = in.space,
				       .sp = in.stack_addr,
				       .stack = in.stack,
				       .stack_len = in.stack_len,
				       .addrs = u->addrs,
				       .lows = u->lows,
				       .n = result->n };
	struct pipa_unwind_result longer;

	if (result->fp_fallback)
		return;
	if (result->end == PIPA_STACK_COMPLETE)
		pipa_stack_join_complete(u->join, &walk);
	if (result->end != PIPA_STACK_TRUNCATED)
		return;
	ret->needed = pipa_stack_join_needed(u->join, &walk);
	if (!pipa_stack_join_extend(u->join, &walk, &in.stack, &in.stack_len))
		return;
	pipa_unwind(u->unwinder, &in, &frames, &longer);
	walk.stack = in.stack;
	walk.stack_len = in.stack_len;
	walk.n = longer.n;
	ret->joined = pipa_stack_join_accept(u->join, &walk, result->n,
					     longer.end == PIPA_STACK_COMPLETE &&
						     !longer.fp_fallback);
	if (ret->joined)
		*result = longer;
}

int pipa_unwound_chain(struct pipa_sample_unwind *u, const struct pipa_space *space,
		       const struct pipa_rec_id *id, const struct pipa_rec_sample *s,
		       struct pipa_unwound_chain *ret)
{
	struct pipa_unwind_input in = { .stack = s->stack,
					.stack_len = s->stack_len,
					.space = pipa_space_key(space),
					.ops = &ops,
					.ctx = u };
	struct pipa_unwind_frames frames = { u->addrs, u->flags, FRAMES, u->join ? u->lows : NULL };
	struct pipa_unwind_result result;
	struct pipa_unwound_chain chain = { .words = u->words };
	size_t n;
	int rc;

	if (!s->user_regs.abi || (!s->stack_requested && !s->chain_len))
		return 0;
	rc = get_unwinder(u);
	if (rc > 0 && !s->stack_requested) {
		rc = insert_leaf_caller(u, space, s, ret);
		return u->status < 0 ? u->status : rc;
	}
	if (rc <= 0 || !pipa_unwind_regs_of(u->arch, &s->user_regs, &in.regs))
		return rc < 0 ? rc : 0;
	in.stack_addr = in.regs.r[u->arch->sp];
	u->space = space;
	pipa_unwind(u->unwinder, &in, &frames, &result);
	if (u->join)
		join_stack(u, id, in, &result, &chain);
	if (u->status < 0)
		return u->status;
	drop_old_code(u);
	n = result.n;
	if (result.end != PIPA_STACK_COMPLETE && result.end != PIPA_STACK_TOO_MANY)
		n = append_fp_chain(u, s, n, result.end);
	if (n > result.n && result.end != PIPA_STACK_TRUNCATED &&
	    frame_at(u, in.space, u->addrs[n - 1], false).outermost)
		result.end = PIPA_STACK_COMPLETE;
	chain.n = copy_kernel_part(u, s);
	chain.end = result.end;
	chain.object = result.object == PIPA_UNWIND_NO_OBJECT ? PIPA_NONE : result.object;
	chain.fp_fallback = result.fp_fallback + (n - result.n);
	*ret = chain;
	if (!append_frames(u, n, &ret->n))
		ret->end = PIPA_STACK_NO_MAPPING;
	append_end_markers(u, ret);
	return 1;
}

struct pipa_chain_tail pipa_chain_tail(const uint64_t *words, size_t n)
{
	struct pipa_chain_tail tail = { 0 };
	size_t marks = 0;

	while (marks < n && words[n - 1 - marks] == PIPA_CHAIN_USER)
		marks++;
	tail.marks = marks;
	if (marks < n && marks / PIPA_STACK_END_NR < 4) {
		tail.end = (enum pipa_stack_end)(marks % PIPA_STACK_END_NR);
		tail.fp_fallback = marks / PIPA_STACK_END_NR & 1;
		tail.joined = marks / PIPA_STACK_END_NR & 2;
	}
	return tail;
}
