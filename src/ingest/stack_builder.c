#include "ingest/stack_builder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/large.h"
#include "ingest/jit_ranges.h"
#include "ingest/sample_unwind.h"

enum {
	FRAMES_MAX = 8192,
	WORDS_MAX = 8192,     /* limit of a chain whose outer frames are cached */
	LOCATIONS = 4096,     /* slots of the cache */
	WAYS = 4,	      /* slots per cache line */
	STACKS_MIN = 1 << 12, /* slots of the cache of stacks */
	STACKS_SMALL = 1 << 16,
	STACKS_MAX = 1 << 20,
};

/* A frame of the current chain that has to be looked up. */
struct frame {
	uint64_t address;
	uint32_t word; /* index in the chain */
	uint8_t mode;
	bool caller;
};

/* Entry of the cache from the hash of outer frames to their stack. */
struct cached_stack {
	uint64_t key;
	uint32_t stack; /* index + 1; 0: empty */
	uint32_t depth;
};

/* Entry of the cache from an address to its location. */
struct cached_location {
	uint64_t address;
	uint64_t key; /* of the address space and mode; 0: empty */
	uint32_t location;
};

struct pipa_stack_builder {
	struct pipa_profile *profile;
	const struct pipa_jit_ranges *jits;
	size_t max;
	uint32_t unknown; /* the object of unmapped addresses */
	struct {
		void *memory;
		struct cached_stack *slots; /* in `memory`, aligned to cache lines */
		size_t mask, n;		    /* number of slots - 1; slots in use */
	} stacks;
	struct cached_location locations[LOCATIONS];
	struct frame frames[FRAMES_MAX]; /* new frames of the current chain, innermost first */
	uint64_t hashes[WORDS_MAX];
};

/* ---- cache of stacks ------------------------------------------------------------------------- */

static struct cached_stack *cache_line_of(const struct pipa_stack_builder *b, uint64_t key)
{
	return &b->stacks.slots[key & b->stacks.mask & ~(size_t)(WAYS - 1)];
}

static const struct cached_stack *find_cached(const struct pipa_stack_builder *b, uint64_t key)
{
	const struct cached_stack *slot = cache_line_of(b, key);
	size_t i;

	for (i = 0; i < WAYS; i++, slot++)
		if (slot->key == key && slot->stack)
			return slot;
	return NULL;
}

/* Store an entry in a free slot of its cache line, or in one that the hash selects. */
static void store_cached(struct pipa_stack_builder *b, const struct cached_stack *new)
{
	struct cached_stack *line = cache_line_of(b, new->key);
	size_t i;

	for (i = 0; i < WAYS && line[i].stack; i++)
		;
	if (i == WAYS)
		i = new->key >> 32 & (WAYS - 1);
	else
		b->stacks.n++;
	line[i] = *new;
}

static int resize_cache(struct pipa_stack_builder *b, size_t slots)
{
	enum { LINE = 64 };
	size_t size = slots * sizeof(*b->stacks.slots), old_n = b->stacks.mask + 1, i;
	const struct cached_stack *old = b->stacks.slots;
	void *old_memory = b->stacks.memory, *memory = pipa_large_alloc(size + LINE);

	if (!memory)
		return -ENOMEM;
	memset(memory, 0, size + LINE);
	b->stacks.memory = memory;
	b->stacks.slots = (void *)((char *)memory + (-(uintptr_t)memory & (LINE - 1)));
	b->stacks.mask = slots - 1;
	b->stacks.n = 0;
	for (i = 0; old && i < old_n; i++)
		if (old[i].stack)
			store_cached(b, &old[i]);
	free(old_memory);
	return 0;
}

/* Cache a stack. The cache grows with the number of stacks up to STACKS_MAX. 0 or -ENOMEM. */
static int cache_stack(struct pipa_stack_builder *b, const struct cached_stack *new)
{
	size_t slots = b->stacks.mask + 1, factor = slots < STACKS_SMALL ? 4 : 2;

	if (b->stacks.n >= slots / 4 * 3 && slots < STACKS_MAX &&
	    resize_cache(b, factor * slots) < 0)
		return -ENOMEM;
	store_cached(b, new);
	return 0;
}

struct pipa_stack_builder *pipa_stack_builder_new(struct pipa_profile *profile,
						  const struct pipa_jit_ranges *jits, uint32_t max)
{
	struct pipa_stack_builder *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->profile = profile;
	b->jits = jits;
	b->max = max && max < FRAMES_MAX ? max : FRAMES_MAX;
	b->unknown = PIPA_NONE;
	if (resize_cache(b, STACKS_MIN) < 0) {
		free(b);
		return NULL;
	}
	return b;
}

void pipa_stack_builder_free(struct pipa_stack_builder *b)
{
	if (b)
		free(b->stacks.memory);
	free(b);
}

/* ---- locations ------------------------------------------------------------------------------- */

static uint32_t unknown_object(struct pipa_stack_builder *b)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };

	if (b->unknown == PIPA_NONE) {
		object.path = pipa_profile_text(b->profile, "[unknown]");
		if (object.path != PIPA_NO_STRING)
			b->unknown = pipa_profile_object(b->profile, &object);
	}
	return b->unknown;
}

/* Find an address in JIT code. Returns false for an address in a mapped file. */
static bool locate_jit(const struct pipa_stack_builder *b, const struct pipa_where *where,
		       const struct pipa_range *range, uint64_t address,
		       struct pipa_location *location)
{
	if (range && b->profile->objects.items[range->object].kind != PIPA_OBJECT_JIT)
		return false;
	if (!pipa_jit_ranges_find(b->jits, where->jit, address, where->time, &location->object,
				  &location->offset))
		return false;
	location->unresolved = PIPA_UNRESOLVED_JIT_NO_MAP;
	return true;
}

/*
 * Return the location of an address; PIPA_NONE on allocation failure. A return address points after
 * its call: subtract one to look it up.
 */
static uint32_t resolve_address(struct pipa_stack_builder *b, const struct pipa_where *where,
				enum pipa_mode mode, uint64_t address, bool caller)
{
	uint64_t inside = address - (caller && address ? 1 : 0);
	const struct pipa_range *range = pipa_space_at(
		mode == PIPA_MODE_KERNEL ? where->kernel : where->user, inside);
	struct pipa_location location = { .address = address, .mode = mode };

	if (mode != PIPA_MODE_KERNEL && where->jit != PIPA_NO_JIT &&
	    locate_jit(b, where, range, inside, &location))
		return pipa_profile_location(b->profile, &location);
	if (range) {
		location.object = range->object;
		location.offset = inside - range->start + range->file_offset;
		location.unresolved = PIPA_UNRESOLVED_NO_SYMBOL;
	} else {
		location.object = unknown_object(b);
		location.offset = inside;
		location.unresolved = PIPA_UNRESOLVED_NO_MAPPING;
	}
	return location.object == PIPA_NONE ? PIPA_NONE :
					      pipa_profile_location(b->profile, &location);
}

static uint64_t location_key(const struct pipa_where *where, const struct frame *frame)
{
	const struct pipa_space *space = frame->mode == PIPA_MODE_KERNEL ? where->kernel :
									   where->user;

	return pipa_space_key(space) << 8 | (uint64_t)frame->mode << 2 |
	       (uint64_t)frame->caller << 1 | 1;
}

static size_t location_slot(uint64_t address, uint64_t key)
{
	return pipa_hash_u64(address, key) % LOCATIONS;
}

/*
 * Return the location of a frame, from the cache if possible. An address space that changes gets
 * another key. JIT code is never cached, because it is found by time.
 */
static uint32_t find_location(struct pipa_stack_builder *b, const struct pipa_where *where,
			      const struct frame *frame)
{
	uint64_t key = location_key(where, frame);
	struct cached_location *slot = &b->locations[location_slot(frame->address, key)];

	if (where->jit != PIPA_NO_JIT)
		return resolve_address(b, where, frame->mode, frame->address, frame->caller);
	if (slot->address != frame->address || slot->key != key) {
		*slot = (struct cached_location){ frame->address, key,
						  resolve_address(b, where, frame->mode,
								  frame->address, frame->caller) };
		if (slot->location == PIPA_NONE)
			slot->key = 0;
	}
	return slot->location;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* Return the number of words up to the limit of frames. */
static size_t limit_words(const struct pipa_stack_builder *b, const uint64_t *words, size_t n)
{
	size_t i, frames = 0;

	if (n <= b->max)
		return n;
	for (i = 0; i < n && frames < b->max; i++)
		frames += words[i] < PIPA_CHAIN_CONTEXT;
	return i;
}

/*
 * Compute hashes[i], the hash of the chain from word i on. The context of word i depends on earlier
 * words and is added by outer_key(). It is a sum of hashes by position, so that the multiplications
 * do not depend on each other.
 */
static void hash_outer(const struct pipa_where *where, const uint64_t *words, size_t n,
		       bool truncated, uint64_t *hashes)
{
	uint64_t hash = pipa_hash_u64(pipa_space_key(where->user),
				      pipa_space_key(where->kernel) << 1 | truncated);
	uint64_t position = UINT64_C(0xe7037ed1a0b428db);

	for (; n--; position += PIPA_HASH_SEED)
		hashes[n] = hash += pipa_hash_fold(words[n] ^ UINT64_C(0xa0761d6478bd642f),
						   position);
}

static uint64_t outer_key(const struct frame *frame, const uint64_t *hashes)
{
	return hashes[frame->word] + ((uint64_t)frame->mode << 1 | frame->caller) * PIPA_HASH_SEED;
}

/*
 * Collect the frames from the innermost one on, until the stack of the outer ones is found in the
 * cache; without hashes, collect all. The first frame after a context marker is exact: it was
 * interrupted there and did not call.
 */
static size_t collect_new(struct pipa_stack_builder *b, const uint64_t *words, size_t n,
			  enum pipa_mode mode, const uint64_t *hashes,
			  const struct cached_stack **ret_outer)
{
	bool caller = false;
	size_t i, frames = 0;

	*ret_outer = NULL;
	for (i = 0; i < n; i++) {
		struct frame *frame = &b->frames[frames];

		if (words[i] >= PIPA_CHAIN_CONTEXT) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			continue;
		}
		*frame = (struct frame){ words[i], (uint32_t)i, (uint8_t)mode, caller };
		if (hashes && frames)
			*ret_outer = find_cached(b, outer_key(frame, hashes));
		if (*ret_outer)
			break;
		frames++;
		caller = true;
	}
	return frames;
}

/* Add the first n collected frames to a stack, starting with the outermost. 0 or -ENOMEM. */
static int add_frames(struct pipa_stack_builder *b, const struct pipa_where *where, size_t n,
		      bool truncated, const uint64_t *hashes, struct cached_stack *at)
{
	while (n--) {
		const struct frame *frame = &b->frames[n];
		uint32_t location = find_location(b, where, frame), stack;

		if (location == PIPA_NONE)
			return -ENOMEM;
		stack = at->stack ? pipa_profile_stack_at(b->profile, at->stack - 1, location,
							  at->depth + 1) :
				    pipa_profile_root(b->profile, location, truncated);
		if (stack == PIPA_NONE)
			return -ENOMEM;
		at->stack = stack + 1;
		at->depth++;
		if (!n || !hashes)
			continue;
		at->key = outer_key(frame, hashes);
		if (cache_stack(b, at) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Does the chain end with markers for a truncated stack? */
static bool is_truncated(const uint64_t *words, size_t n)
{
	return pipa_chain_end(words, n) != PIPA_STACK_COMPLETE;
}

/*
 * Can stacks of this chain be cached? Not with JIT code: it is found by time, so equal words may be
 * different frames.
 */
static bool can_cache(const struct pipa_where *where, size_t n)
{
	return where->jit == PIPA_NO_JIT && n <= WORDS_MAX;
}

static int intern_chain(struct pipa_stack_builder *b, const struct pipa_where *where,
			const uint64_t *words, size_t n, enum pipa_mode mode, bool truncated,
			const uint64_t *hashes, uint32_t *ret)
{
	const struct cached_stack *outer;
	struct cached_stack at = { 0 };
	size_t frames = collect_new(b, words, n, mode, hashes, &outer);
	int rc;

	if (outer)
		at = *outer;
	rc = add_frames(b, where, frames, truncated, hashes, &at);
	if (!rc)
		*ret = at.stack ? at.stack - 1 : PIPA_NONE;
	return rc;
}

int pipa_stack_builder_get(struct pipa_stack_builder *b, const struct pipa_where *where,
			   const uint64_t *words, size_t n, enum pipa_mode mode, uint32_t *ret)
{
	size_t limited = limit_words(b, words, n);
	bool truncated = limited == n && is_truncated(words, n);
	bool cached = can_cache(where, limited);

	if (cached)
		hash_outer(where, words, limited, truncated, b->hashes);
	return intern_chain(b, where, words, limited, mode, truncated, cached ? b->hashes : NULL,
			    ret);
}

/* Find the innermost frame and its caller. Returns the number of frames found. */
static size_t first_frames(const uint64_t *words, size_t n, enum pipa_mode mode,
			   struct frame frames[static 2])
{
	bool caller = false;
	size_t i, found = 0;

	for (i = 0; i < n && found < 2; i++) {
		if (words[i] >= PIPA_CHAIN_CONTEXT) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			continue;
		}
		frames[found++] = (struct frame){ words[i], (uint32_t)i, (uint8_t)mode, caller };
		caller = true;
	}
	return found;
}

/*
 * Prefetch the stack of the caller: the stack with the innermost frame is never cached, that of its
 * caller mostly is.
 */
bool pipa_stack_builder_prefetch(const struct pipa_stack_builder *b, const struct pipa_where *where,
				 const uint64_t *words, size_t n, enum pipa_mode mode,
				 uint64_t *hashes)
{
	struct frame frames[2];

	if (!can_cache(where, n) || limit_words(b, words, n) != n)
		return false;
	hash_outer(where, words, n, is_truncated(words, n), hashes);
	if (first_frames(words, n, mode, frames) == 2)
		__builtin_prefetch(cache_line_of(b, outer_key(&frames[1], hashes)), 1);
	return true;
}

void pipa_stack_builder_prefetch_stack(const struct pipa_stack_builder *b,
				       const struct pipa_where *where, const uint64_t *words,
				       size_t n, enum pipa_mode mode, const uint64_t *hashes)
{
	const struct cached_location *location;
	const struct cached_stack *outer;
	struct frame frames[2];
	uint64_t key;

	if (first_frames(words, n, mode, frames) < 2)
		return;
	key = location_key(where, &frames[0]);
	location = &b->locations[location_slot(frames[0].address, key)];
	outer = find_cached(b, outer_key(&frames[1], hashes));
	if (outer && location->key == key && location->address == frames[0].address)
		pipa_profile_prefetch_stack(b->profile, outer->stack - 1, location->location);
}

int pipa_stack_builder_get_hashed(struct pipa_stack_builder *b, const struct pipa_where *where,
				  const uint64_t *words, size_t n, enum pipa_mode mode,
				  const uint64_t *hashes, uint32_t *ret)
{
	return intern_chain(b, where, words, n, mode, is_truncated(words, n), hashes, ret);
}
