#include "ingest/stack_join.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 32,	   /* threads with truncated stacks that are stored at a time */
	IMAGE = 256 << 10, /* bytes of a stack that are stored */
	FRAMES = 2048,	   /* limit of its frames */
	MARGIN = 1024,	   /* bytes above the outermost frame, which unwinding it may need */
	AGE = 256,   /* complete stacks after which the deeper stack of a thread is replaced */
	IDLE = 4096, /* complete stacks without a truncated one after which a thread is dropped */
	FAR = 64 << 20, /* stack pointers further apart are of different stacks */
	WORD = 8,
};

/* A stack that was complete or joined. */
struct image {
	uint64_t low, top; /* address range of the stored bytes; equal: none */
	uint64_t root;	   /* stack pointer of the outermost frame; 0: unknown */
	uint32_t n;	   /* number of stored frames */
	uint64_t addrs[FRAMES], lows[FRAMES];
	uint8_t bytes[IMAGE]; /* address `a` is at index IMAGE - (top - a) */
};

/*
 * State of a thread: its last stack, with which truncated ones are joined, and a deeper one from
 * before frames returned. Only the deeper one shows that frames that were called again from
 * elsewhere have equal bytes.
 */
struct slot {
	uint64_t thread, space;
	uint64_t used;	 /* time of the last use, for replacing the oldest; 0: free */
	uint32_t agreed; /* complete stacks that confirmed the rule */
	uint32_t idle;	 /* complete stacks since the last truncated one */
	uint32_t age;	 /* complete stacks since the deeper one was stored */
	bool ambiguous;	 /* equal bytes were seen below different callers */
	uint8_t last;	 /* index of the last stack */
	struct image images[2];
};

struct pipa_stack_join {
	uint64_t clock;
	size_t n; /* slots in use */
	struct slot slots[SLOTS];
};

struct pipa_stack_join *pipa_stack_join_new(void)
{
	return calloc(1, sizeof(struct pipa_stack_join));
}

void pipa_stack_join_free(struct pipa_stack_join *join)
{
	free(join);
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct slot *find_slot(const struct pipa_stack_join *join, uint64_t thread)
{
	size_t i;

	for (i = 0; i < join->n; i++)
		if (join->slots[i].used && join->slots[i].thread == thread)
			return (struct slot *)&join->slots[i];
	return NULL;
}

static struct image *last_stack(const struct slot *slot)
{
	return (struct image *)&slot->images[slot->last];
}

static struct image *deeper_stack(const struct slot *slot)
{
	return (struct image *)&slot->images[!slot->last];
}

static void drop_stack(struct image *image)
{
	image->low = image->top = image->root = 0;
	image->n = 0;
}

/*
 * Return the slot of a thread with a truncated stack. A new thread replaces the one that was not
 * used for the longest time.
 */
static struct slot *take_slot(struct pipa_stack_join *join, uint64_t thread)
{
	struct slot *slot = find_slot(join, thread);
	size_t i;

	if (!slot) {
		slot = &join->slots[0];
		for (i = 1; i < SLOTS && slot->used; i++)
			if (join->slots[i].used < slot->used)
				slot = &join->slots[i];
		drop_stack(last_stack(slot));
		drop_stack(deeper_stack(slot));
		slot->thread = thread;
		slot->agreed = slot->age = 0;
		slot->ambiguous = false;
		if (join->n <= (size_t)(slot - join->slots))
			join->n = (size_t)(slot - join->slots) + 1;
	}
	slot->used = ++join->clock;
	return slot;
}

static uint8_t *byte_at(struct image *image, uint64_t addr)
{
	return image->bytes + IMAGE - (image->top - addr);
}

/*
 * Are the stored bytes and those of the dump equal in [from, to)? False unless both contain the
 * range.
 */
static bool is_equal(struct image *image, const struct pipa_join_walk *walk, uint64_t from,
		     uint64_t to)
{
	return from >= image->low && to <= image->top && from >= walk->sp &&
	       to - walk->sp <= walk->stack_len && from <= to &&
	       memcmp(byte_at(image, from), walk->stack + (from - walk->sp), to - from) == 0;
}

/* ---- complete stacks ------------------------------------------------------------------------- */

/*
 * Do all frames belong to one stack that grows down from the stack pointer and fits into a slot?
 * False for a signal handler that runs on another stack.
 */
static bool is_single_stack(const struct pipa_join_walk *walk)
{
	uint64_t low = walk->sp;
	size_t i;

	if (walk->n < 2 || walk->n - 1 > FRAMES)
		return false;
	for (i = 1; i < walk->n; low = walk->lows[i++])
		if (walk->lows[i] < low || walk->lows[i] - walk->sp > walk->stack_len)
			return false;
	return low - walk->sp + MARGIN <= IMAGE;
}

/* A run of frames that two stacks have in common, from the innermost to the outermost. */
struct run {
	bool going;	/* the previous frame was equal in both */
	uint64_t low;	/* stack pointer of that frame */
	uint64_t bytes; /* equal bytes up to that frame without a gap, */
	size_t frames;	/* and the frames in them */
	bool joinable;	/* the bytes sufficed for joining at some point of the run */
	bool doubtful;	/* the bytes sufficed to end joining if the callers differ */
};

static void extend_run(struct run *run, struct image *image, const struct pipa_join_walk *walk,
		       uint64_t low)
{
	if (!run->going)
		*run = (struct run){ .going = true };
	else if (is_equal(image, walk, run->low, low)) {
		run->bytes += low - run->low;
		run->frames++;
	} else {
		run->bytes = 0;
		run->frames = 0;
	}
	run->low = low;
	run->joinable |= run->bytes >= PIPA_JOIN_BYTES && run->frames >= PIPA_JOIN_FRAMES;
	run->doubtful |= run->bytes >= PIPA_DOUBT_BYTES && run->frames >= PIPA_DOUBT_FRAMES;
}

/*
 * Test the rule: would a dump that ended within this complete stack have been joined correctly with
 * the stored one? Equal inner frames with equal bytes below different callers show that it would
 * not, and end joining for the thread. Returns true if it would have been joined, and correctly.
 */
static bool test_rule(struct slot *slot, struct image *image, const struct pipa_join_walk *walk)
{
	struct run run = { 0 };
	size_t i = 1, k = 0;

	while (i < walk->n && k < image->n) {
		bool same = walk->lows[i] == image->lows[k] && walk->addrs[i] == image->addrs[k];
		uint64_t new = walk->lows[i], old = image->lows[k];

		if (same) {
			extend_run(&run, image, walk, new);
		} else {
			slot->ambiguous |= run.doubtful;
			run = (struct run){ 0 };
		}
		i += new <= old;
		k += old <= new;
	}
	if (i == walk->n && k == image->n)
		return run.joinable;
	slot->ambiguous |= run.doubtful;
	return false;
}

/* Store the frames of a stack whose bytes are stored. */
static void store_frames(struct image *image, const struct pipa_join_walk *walk)
{
	image->n = (uint32_t)walk->n - 1;
	memcpy(image->addrs, walk->addrs + 1, image->n * sizeof(*image->addrs));
	memcpy(image->lows, walk->lows + 1, image->n * sizeof(*image->lows));
	image->root = walk->lows[walk->n - 1];
}

/*
 * Store a complete stack as the last one. If frames of the previous one have returned, that becomes
 * the deeper one, unless there is a deeper one that is not older than AGE.
 */
static void store_stack(struct slot *slot, const struct pipa_join_walk *walk)
{
	uint64_t len = walk->lows[walk->n - 1] - walk->sp + MARGIN;
	struct image *image = last_stack(slot);
	const struct image *deeper = deeper_stack(slot);

	if (image->n && walk->sp >= image->low + PIPA_DOUBT_BYTES &&
	    (!deeper->n || image->low <= deeper->low || slot->age > AGE)) {
		slot->last = !slot->last;
		slot->age = 0;
		image = last_stack(slot);
	}
	slot->age++;
	len = len < walk->stack_len ? len : walk->stack_len;
	image->low = walk->sp;
	image->top = walk->sp + len;
	memcpy(byte_at(image, image->low), walk->stack, len);
	store_frames(image, walk);
}

/* Is more than half of the dump in use, so that the next one may be truncated? */
static bool uses_half(const struct pipa_join_walk *walk)
{
	return walk->n > 1 && walk->lows[walk->n - 1] - walk->sp > walk->stack_len / 2;
}

void pipa_stack_join_complete(struct pipa_stack_join *join, const struct pipa_join_walk *walk)
{
	struct slot *slot = join->n ? find_slot(join, walk->thread) : NULL;

	if (!slot && uses_half(walk))
		slot = take_slot(join, walk->thread);
	if (!slot || slot->ambiguous)
		return;
	if (++slot->idle > IDLE) {
		slot->used = 0;
		return;
	}
	if (!is_single_stack(walk))
		return;
	if (slot->space != walk->space) {
		drop_stack(last_stack(slot));
		drop_stack(deeper_stack(slot));
		slot->agreed = 0;
		slot->space = walk->space;
	}
	if (last_stack(slot)->n)
		slot->agreed += test_rule(slot, last_stack(slot), walk);
	if (deeper_stack(slot)->n)
		test_rule(slot, deeper_stack(slot), walk);
	store_stack(slot, walk);
}

void pipa_stack_join_lost(struct pipa_stack_join *join)
{
	size_t i;

	for (i = 0; i < join->n; i++) {
		struct slot *slot = &join->slots[i];

		if (!deeper_stack(slot)->n || last_stack(slot)->low <= deeper_stack(slot)->low)
			slot->last = !slot->last;
		drop_stack(last_stack(slot));
	}
}

/* ---- truncated stacks ------------------------------------------------------------------------ */

/* Return the start of the bytes that must be equal up to the end of the dump; 0: too few frames. */
static uint64_t window_of(const struct pipa_join_walk *walk)
{
	uint64_t end = walk->sp + walk->stack_len;
	size_t i;

	for (i = walk->n; i-- > 1;)
		if (walk->n - i > PIPA_JOIN_FRAMES && end - walk->lows[i] >= PIPA_JOIN_BYTES)
			return walk->lows[i];
	return 0;
}

/*
 * Does the stored stack have all frames of the dump from `window` on, with the same stack pointers
 * and return addresses, and no others between them?
 */
static bool has_frames(const struct image *image, const struct pipa_join_walk *walk,
		       uint64_t window)
{
	size_t i, k;

	for (i = 1; i < walk->n && walk->lows[i] < window; i++)
		;
	for (k = 0; k < image->n && image->lows[k] < window; k++)
		;
	for (; i < walk->n; i++, k++)
		if (k == image->n || walk->lows[i] != image->lows[k] ||
		    walk->addrs[i] != image->addrs[k])
			return false;
	return true;
}

bool pipa_stack_join_extend(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    const uint8_t **ret_stack, size_t *ret_len)
{
	struct slot *slot = take_slot(join, walk->thread);
	struct image *image = last_stack(slot);
	uint64_t end = walk->sp + walk->stack_len, window;

	slot->idle = 0;
	if (!image->n || slot->ambiguous || slot->agreed < PIPA_JOIN_TRUSTED ||
	    slot->space != walk->space || end <= image->low || end >= image->root ||
	    image->top - walk->sp > IMAGE || !is_single_stack(walk))
		return false;
	window = window_of(walk);
	if (!window || !is_equal(image, walk, window, end) || !has_frames(image, walk, window))
		return false;
	image->low = walk->sp;
	memcpy(byte_at(image, walk->sp), walk->stack, walk->stack_len);
	*ret_stack = byte_at(image, walk->sp);
	*ret_len = image->top - walk->sp;
	return true;
}

/* Are the added frames the stored ones? */
static bool is_stored(const struct image *image, const struct pipa_join_walk *walk, size_t n)
{
	size_t added = walk->n - n;

	return added <= image->n &&
	       memcmp(image->addrs + image->n - added, walk->addrs + n,
		      added * sizeof(*image->addrs)) == 0 &&
	       memcmp(image->lows + image->n - added, walk->lows + n,
		      added * sizeof(*image->lows)) == 0;
}

bool pipa_stack_join_accept(struct pipa_stack_join *join, const struct pipa_join_walk *walk,
			    size_t n, bool complete)
{
	struct slot *slot = find_slot(join, walk->thread);

	if (!slot)
		return false;
	if (!complete || walk->n <= n || !is_single_stack(walk) ||
	    !is_stored(last_stack(slot), walk, n)) {
		drop_stack(last_stack(slot));
		return false;
	}
	store_frames(last_stack(slot), walk);
	return true;
}

uint64_t pipa_stack_join_needed(const struct pipa_stack_join *join,
				const struct pipa_join_walk *walk)
{
	const struct slot *slot = find_slot(join, walk->thread);
	uint64_t root = slot ? last_stack(slot)->root : 0;

	if (!root || root <= walk->sp || root - walk->sp > FAR)
		return 0;
	return root - walk->sp + (uint64_t)2 * WORD;
}
