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
	WORDS_MAX = 8192,     /* of a chain whose outer frames are cached */
	LOCATIONS = 4096,     /* cached */
	WAYS = 4,	      /* slots of one cache line */
	STACKS_MIN = 1 << 12, /* slots of the cache of stacks */
	STACKS_MAX = 1 << 20,
};

/* A frame of the current chain that has to be looked up. */
struct frame {
	uint64_t address;
	uint32_t word; /* its place in the chain */
	uint8_t mode;
	bool caller;
};

/* Cache from the hash of outer frames to their stack. */
struct cached_stack {
	uint64_t key;
	uint32_t stack; /* its number + 1; 0: empty */
	uint32_t depth;
};

/* The location of an address. */
struct cached_location {
	uint64_t address;
	uint64_t key; /* of its address space and context; 0: empty */
	uint32_t location;
};

struct pipa_stack_builder {
	struct pipa_profile *profile;
	const struct pipa_jit_ranges *jits;
	size_t max;
	uint32_t unknown; /* the object of unmapped addresses */
	struct {
		void *memory;
		struct cached_stack *slots; /* in it, aligned to cache lines */
		size_t mask, n;		    /* slots - 1; those in use */
	} stacks;
	struct cached_location locations[LOCATIONS];
	struct frame frames[FRAMES_MAX]; /* new frames of the current chain, innermost first */
	uint64_t hashes[WORDS_MAX];
};

/* ---- cache of stacks ------------------------------------------------------------------------------ */

static struct cached_stack *line_of(const struct pipa_stack_builder *b, uint64_t key)
{
	return &b->stacks.slots[key & b->stacks.mask & ~(size_t)(WAYS - 1)];
}

static const struct cached_stack *find_cached(const struct pipa_stack_builder *b, uint64_t key)
{
	const struct cached_stack *slot = line_of(b, key);
	size_t i;

	for (i = 0; i < WAYS; i++, slot++)
		if (slot->key == key && slot->stack)
			return slot;
	return NULL;
}

/* Put it into a free slot of its line, or into one that its hash chooses. */
static void put_cached(struct pipa_stack_builder *b, const struct cached_stack *new)
{
	struct cached_stack *line = line_of(b, new->key);
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
			put_cached(b, &old[i]);
	free(old_memory);
	return 0;
}

/* Cache a stack. Grows with the number of stacks, so that most of them stay. */
static int cache_stack(struct pipa_stack_builder *b, const struct cached_stack *new)
{
	size_t slots = b->stacks.mask + 1;

	if (b->stacks.n >= slots / 4 * 3 && slots < STACKS_MAX && resize_cache(b, 2 * slots) < 0)
		return -ENOMEM;
	put_cached(b, new);
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

/* ---- locations ------------------------------------------------------------------------------------ */

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

/* Is it in JIT code? Not where a file is mapped. */
static bool locate_jit(const struct pipa_stack_builder *b, const struct pipa_where *where,
		       const struct pipa_range *range, uint64_t address,
		       struct pipa_location *location)
{
	if (range && b->profile->objects.items[range->object].kind != PIPA_OBJECT_JIT)
		return false;
	if (!pipa_jit_ranges_find(b->jits, where->jit, address, where->time, &location->object,
				  &location->offset))
		return false;
	location->nameless = PIPA_UNRESOLVED_JIT_NO_MAP;
	return true;
}

/* A return address is after its call: subtract one to look it up. */
static uint32_t locate(struct pipa_stack_builder *b, const struct pipa_where *where,
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
		location.nameless = PIPA_UNRESOLVED_NO_SYMBOL;
	} else {
		location.object = unknown_object(b);
		location.offset = inside;
		location.nameless = PIPA_UNRESOLVED_NO_MAPPING;
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
 * Look the location up in the cache first. A space that changes gets another key; but JIT-compiled code is
 * found by time, and never cached.
 */
static uint32_t find_location(struct pipa_stack_builder *b, const struct pipa_where *where,
			      const struct frame *frame)
{
	uint64_t key = location_key(where, frame);
	struct cached_location *slot = &b->locations[location_slot(frame->address, key)];

	if (where->jit != PIPA_NO_JIT)
		return locate(b, where, frame->mode, frame->address, frame->caller);
	if (slot->address != frame->address || slot->key != key) {
		*slot = (struct cached_location){ frame->address, key,
						  locate(b, where, frame->mode, frame->address,
							 frame->caller) };
		if (slot->location == PIPA_NONE)
			slot->key = 0;
	}
	return slot->location;
}

/* ---- chains --------------------------------------------------------------------------------------- */

/* How many words have the innermost frames that are kept. */
static size_t kept_words(const struct pipa_stack_builder *b, const uint64_t *words, size_t n)
{
	size_t i, frames = 0;

	if (n <= b->max)
		return n;
	for (i = 0; i < n && frames < b->max; i++)
		frames += words[i] < PIPA_CHAIN_CONTEXT;
	return i;
}

/*
 * Hash each word with all that follow: hashes[i] is the hash of the chain from word i on. Its
 * context depends on the words before, see key_of().
 */
static void hash_outer(const struct pipa_where *where, const uint64_t *words, size_t n, bool cut,
		       uint64_t *hashes)
{
	uint64_t hash = pipa_hash_u64(pipa_space_key(where->user),
				      pipa_space_key(where->kernel) << 1 | cut);

	while (n--)
		hashes[n] = hash = pipa_hash_fold(words[n] ^ hash, UINT64_C(0xa0761d6478bd642f));
}

static uint64_t key_of(const struct frame *frame, const uint64_t *hashes)
{
	return hashes[frame->word] + ((uint64_t)frame->mode << 1 | frame->caller) * PIPA_HASH_SEED;
}

/*
 * Collect the frames from the innermost one on until the stack of the outer ones is in the cache; without
 * hashes, all of them. The first frame after a context marker was interrupted there and did not call: its
 * address is exact.
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
			*ret_outer = find_cached(b, key_of(frame, hashes));
		if (*ret_outer)
			break;
		frames++;
		caller = true;
	}
	return frames;
}

/* Add the first n collected frames to a stack, from the outermost one on. */
static int add_frames(struct pipa_stack_builder *b, const struct pipa_where *where, size_t n,
		      bool cut, const uint64_t *hashes, struct cached_stack *at)
{
	while (n--) {
		const struct frame *frame = &b->frames[n];
		uint32_t location = find_location(b, where, frame), stack;

		if (location == PIPA_NONE)
			return -ENOMEM;
		stack = at->stack ? pipa_profile_stack_at(b->profile, at->stack - 1, location,
							  at->depth + 1) :
				    pipa_profile_root(b->profile, location, cut);
		if (stack == PIPA_NONE)
			return -ENOMEM;
		at->stack = stack + 1;
		at->depth++;
		if (!n || !hashes)
			continue;
		at->key = key_of(frame, hashes);
		if (cache_stack(b, at) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Is the chain of all its words truncated? */
static bool is_cut(const uint64_t *words, size_t n)
{
	return pipa_chain_end(words, n) != PIPA_STACK_COMPLETE;
}

/* JIT-compiled code is found by time: equal words may be other frames, and are not cached. */
static bool can_cache(const struct pipa_where *where, size_t n)
{
	return where->jit == PIPA_NO_JIT && n <= WORDS_MAX;
}

static int get(struct pipa_stack_builder *b, const struct pipa_where *where, const uint64_t *words,
	       size_t n, enum pipa_mode mode, bool cut, const uint64_t *hashes, uint32_t *ret)
{
	const struct cached_stack *outer;
	struct cached_stack at = { 0 };
	size_t frames = collect_new(b, words, n, mode, hashes, &outer);
	int rc;

	if (outer)
		at = *outer;
	rc = add_frames(b, where, frames, cut, hashes, &at);
	if (!rc)
		*ret = at.stack ? at.stack - 1 : PIPA_NONE;
	return rc;
}

int pipa_stack_builder_get(struct pipa_stack_builder *b, const struct pipa_where *where,
			   const uint64_t *words, size_t n, enum pipa_mode mode, uint32_t *ret)
{
	size_t kept = kept_words(b, words, n);
	bool cut = kept == n && is_cut(words, n);
	bool cached = can_cache(where, kept);

	if (cached)
		hash_outer(where, words, kept, cut, b->hashes);
	return get(b, where, words, kept, mode, cut, cached ? b->hashes : NULL, ret);
}

/* Find the innermost frame and the next one that it was called from. Returns how many there are. */
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

/* The innermost frame is never cached with its callers; the stack that it was called from mostly is. */
bool pipa_stack_builder_prefetch(const struct pipa_stack_builder *b, const struct pipa_where *where,
				 const uint64_t *words, size_t n, enum pipa_mode mode,
				 uint64_t *hashes)
{
	struct frame frames[2];

	if (!can_cache(where, n) || kept_words(b, words, n) != n)
		return false;
	hash_outer(where, words, n, is_cut(words, n), hashes);
	if (first_frames(words, n, mode, frames) == 2)
		__builtin_prefetch(line_of(b, key_of(&frames[1], hashes)), 1);
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
	outer = find_cached(b, key_of(&frames[1], hashes));
	if (outer && location->key == key && location->address == frames[0].address)
		pipa_profile_prefetch_stack(b->profile, outer->stack - 1, location->location);
}

int pipa_stack_builder_get_hashed(struct pipa_stack_builder *b, const struct pipa_where *where,
				  const uint64_t *words, size_t n, enum pipa_mode mode,
				  const uint64_t *hashes, uint32_t *ret)
{
	return get(b, where, words, n, mode, is_cut(words, n), hashes, ret);
}
