#include "ingest/unwound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ingest/spaces.h"
#include "unwind/rows.h"
#include "unwind/table.h"
#include "unwind/unwind.h"

enum {
	FRAMES = 8190, /* of one stack; a record has no room for more */
	KERNEL_WORDS = 1024,
	CODES = 64,
};

/* the model has names of its own for these, as it does not know of unwind/ */
_Static_assert((int)PIPA_UNWIND_COMPLETE == (int)PIPA_STACK_COMPLETE &&
		       (int)PIPA_UNWIND_TRUNCATED == (int)PIPA_STACK_TRUNCATED &&
		       (int)PIPA_UNWIND_ELSEWHERE == (int)PIPA_STACK_ELSEWHERE &&
		       (int)PIPA_UNWIND_NO_REGISTERS == (int)PIPA_STACK_NO_REGISTERS &&
		       (int)PIPA_UNWIND_NO_MAPPING == (int)PIPA_STACK_NO_MAPPING &&
		       (int)PIPA_UNWIND_NO_CFI == (int)PIPA_STACK_NO_CFI &&
		       (int)PIPA_UNWIND_BAD_CFI == (int)PIPA_STACK_BAD_CFI &&
		       (int)PIPA_UNWIND_NO_PROGRESS == (int)PIPA_STACK_NO_PROGRESS &&
		       (int)PIPA_UNWIND_TOO_MANY == (int)PIPA_STACK_TOO_MANY &&
		       (int)PIPA_UNWIND_END_NR == (int)PIPA_STACK_END_NR,
	       "the ends of a walk are the same in both floors");

/* Code that was found; where walks end is asked for once a walk, and there are few such places. */
struct known_code {
	uint64_t addr, space;
	struct pipa_unwind_code code;
	bool there;
};

struct pipa_unwound {
	struct pipa_unwind_source source;
	const struct pipa_unwind_arch *arch;
	struct pipa_unwinder *unwinder; /* NULL until the first stack */
	bool asked;
	int status; /* -ENOMEM: a table is missing, and a chain would end where it is needed */
	const struct pipa_space *space; /* of the sample at hand */
	struct known_code codes[CODES];
	uint64_t addrs[FRAMES];
	uint8_t flags[FRAMES];
	uint64_t words[KERNEL_WORDS + 4 * FRAMES + 2 * PIPA_STACK_END_NR];
};

struct pipa_unwound *pipa_unwound_new(const struct pipa_unwind_source *source)
{
	struct pipa_unwound *u = calloc(1, sizeof(*u));

	if (u)
		u->source = *source;
	return u;
}

void pipa_unwound_free(struct pipa_unwound *u)
{
	if (!u)
		return;
	pipa_unwinder_free(u->unwinder);
	free(u);
}

static bool look_for_code(struct pipa_unwound *u, uint64_t addr, struct pipa_unwind_code *ret)
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
	struct pipa_unwound *u = ctx;
	uint64_t space = pipa_space_key(u->space);
	struct known_code *known = &u->codes[pipa_hash_u64(addr, space) % CODES];

	if (!known->there || known->addr != addr || known->space != space) {
		*known = (struct known_code){ .addr = addr, .space = space };
		known->there = look_for_code(u, addr, &known->code);
	}
	*ret = known->code;
	return known->there;
}

static const struct pipa_unwind_ops ops = { .find = find_code };

/* 1 when there is one for this machine. */
static int get_unwinder(struct pipa_unwound *u)
{
	if (!u->asked) {
		u->arch = u->source.arch(u->source.ctx);
		u->unwinder = u->arch ? pipa_unwinder_new(u->arch) : NULL;
		if (u->arch && !u->unwinder)
			return -ENOMEM;
		u->asked = true;
	}
	return u->unwinder != NULL;
}

/* What the sample's own chain says but for the user's part, or where it was. */
static size_t put_outside(struct pipa_unwound *u, const struct pipa_rec_sample *s)
{
	enum pipa_mode mode = s->mode;
	size_t i, n = 0;

	for (i = 0; i < s->chain_len && n < KERNEL_WORDS; i++) {
		if (s->chain[i] >= PIPA_CHAIN_MARK)
			mode = pipa_chain_mode(s->chain[i], mode);
		if (mode == PIPA_MODE_USER)
			break;
		u->words[n++] = s->chain[i];
	}
	if (!n && s->mode != PIPA_MODE_USER && s->ip < PIPA_CHAIN_MARK)
		u->words[n++] = s->ip;
	return n;
}

/* The frames; false when one of them cannot be an address, which ends it. */
static bool put_frames(struct pipa_unwound *u, size_t frames, size_t *n)
{
	bool guessed = false;
	size_t i;

	for (i = 0; i < frames; i++) {
		if (u->addrs[i] >= PIPA_CHAIN_MARK)
			return false;
		if (guessed != !!(u->flags[i] & PIPA_FRAME_GUESSED)) {
			u->words[(*n)++] = PIPA_CHAIN_USER;
			u->words[(*n)++] = PIPA_CHAIN_USER;
			guessed = !guessed;
		}
		if (u->flags[i] & PIPA_FRAME_EXACT)
			u->words[(*n)++] = PIPA_CHAIN_USER;
		u->words[(*n)++] = u->addrs[i];
	}
	return true;
}

/* What the sample's own chain says of the user: the first of its words, and how many. */
static const uint64_t *users_part(const struct pipa_rec_sample *s, size_t *ret_n)
{
	enum pipa_mode mode = s->mode;
	size_t i, from;

	for (i = 0; i < s->chain_len; i++) {
		if (s->chain[i] >= PIPA_CHAIN_MARK)
			mode = pipa_chain_mode(s->chain[i], mode);
		else if (mode == PIPA_MODE_USER)
			break;
	}
	for (from = i; i < s->chain_len && s->chain[i] < PIPA_CHAIN_MARK; i++)
		;
	*ret_n = i - from;
	return s->chain + from;
}

/*
 * Where the dump ends, the kernel may have gone on along frame pointers. It is believed where it came
 * by all the frames that were unwound, but for the caller of a leaf that makes no frame. Returns how many of
 * its words say nothing new, 0: it cannot be believed.
 */
static size_t agreed(const struct pipa_unwound *u, size_t n, const uint64_t *words, size_t len)
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

/* Go on with frame pointers; returns how many frames there are then. */
static size_t follow_on(struct pipa_unwound *u, const struct pipa_rec_sample *s, size_t n)
{
	size_t len, at;
	const uint64_t *words = users_part(s, &len);

	at = agreed(u, n, words, len);
	for (; at && at < len && n < FRAMES; at++, n++) {
		u->addrs[n] = words[at];
		u->flags[n] = PIPA_FRAME_GUESSED;
	}
	return n;
}

/* Is the return address still in the link register where the leaf was interrupted? */
static bool is_in_link(struct pipa_unwound *u, uint64_t pc)
{
	struct pipa_unwind_code code;
	struct pipa_row row;

	if (!find_code(u, pc, &code) || !code.table ||
	    pipa_unwind_table_arch(code.table) != u->arch ||
	    pipa_unwind_table_row(code.table, pc - code.bias, &row) < 0 || row.signal_frame)
		return false;
	return row.ra == u->arch->link &&
	       (row.regs[row.ra].kind == PIPA_RULE_NONE || row.regs[row.ra].kind == PIPA_RULE_SAME);
}

static bool find_link(const struct pipa_unwound *u, const struct pipa_rec_regs *regs, uint64_t *ret)
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

/* 1 and the sample's own chain with the caller of its leaf, 0 where nothing is missing. */
static int add_leafs_caller(struct pipa_unwound *u, const struct pipa_space *space,
			    const struct pipa_rec_sample *s, struct pipa_unwound_chain *ret)
{
	size_t len, before;
	const uint64_t *users = users_part(s, &len);
	uint64_t link;

	u->space = space;
	if (!len || u->arch->link == PIPA_UNWIND_NO_REG || s->chain_len >= FRAMES ||
	    !find_link(u, &s->user_regs, &link) || link >= PIPA_CHAIN_MARK ||
	    !is_in_link(u, users[0]))
		return 0;
	before = (size_t)(users - s->chain) + 1;
	memcpy(u->words, s->chain, before * sizeof(*u->words));
	u->words[before] = link;
	memcpy(u->words + before + 1, s->chain + before,
	       (s->chain_len - before) * sizeof(*u->words));
	*ret = (struct pipa_unwound_chain){
		.words = u->words, .n = s->chain_len + 1, .object = PIPA_NONE, .recorded = true
	};
	return 1;
}

static void put_tail(struct pipa_unwound *u, struct pipa_unwound_chain *chain)
{
	int marks = (int)chain->end + (chain->guessed ? PIPA_STACK_END_NR : 0);

	while (marks--)
		u->words[chain->n++] = PIPA_CHAIN_USER;
}

int pipa_unwound_chain(struct pipa_unwound *u, const struct pipa_space *space,
		       const struct pipa_rec_sample *s, struct pipa_unwound_chain *ret)
{
	struct pipa_unwind_input in = { .stack = s->stack,
					.stack_len = s->stack_len,
					.space = pipa_space_key(space),
					.ops = &ops,
					.ctx = u };
	struct pipa_unwind_frames frames = { u->addrs, u->flags, FRAMES };
	struct pipa_unwind_result result;
	size_t n;
	int rc;

	if (!s->user_regs.abi || (!s->stack_asked && !s->chain_len))
		return 0;
	rc = get_unwinder(u);
	if (rc > 0 && !s->stack_asked) {
		rc = add_leafs_caller(u, space, s, ret);
		return u->status < 0 ? u->status : rc;
	}
	if (rc <= 0 || !pipa_unwind_regs_of(u->arch, &s->user_regs, &in.regs))
		return rc < 0 ? rc : 0;
	in.stack_addr = in.regs.r[u->arch->sp];
	u->space = space;
	pipa_unwind(u->unwinder, &in, &frames, &result);
	if (u->status < 0)
		return u->status;
	n = result.end == PIPA_UNWIND_TRUNCATED ? follow_on(u, s, result.n) : result.n;
	*ret = (struct pipa_unwound_chain){
		.words = u->words,
		.n = put_outside(u, s),
		.end = (enum pipa_stack_end)result.end,
		.object = result.object == PIPA_UNWIND_NO_OBJECT ? PIPA_NONE : result.object,
		.guessed = result.guessed + (n - result.n),
	};
	if (!put_frames(u, n, &ret->n))
		ret->end = PIPA_STACK_NO_MAPPING;
	put_tail(u, ret);
	return 1;
}

struct pipa_chain_tail pipa_chain_tail(const uint64_t *words, size_t n)
{
	struct pipa_chain_tail tail = { 0 };
	size_t marks = 0;

	while (marks < n && words[n - 1 - marks] == PIPA_CHAIN_USER)
		marks++;
	tail.marks = marks;
	if (marks < n && marks / PIPA_STACK_END_NR < 2) {
		tail.end = (enum pipa_stack_end)(marks % PIPA_STACK_END_NR);
		tail.guessed = marks >= PIPA_STACK_END_NR;
	}
	return tail;
}

enum pipa_stack_end pipa_chain_end(const uint64_t *words, size_t n)
{
	return pipa_chain_tail(words, n).end;
}
