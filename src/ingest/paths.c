#include "ingest/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ingest/jits.h"
#include "ingest/unwound.h"

enum { MOST = 8192, PLACES = 4096, KNOWN = 8192 };

/* A stack taken apart, innermost first. */
struct path {
	uint64_t address[MOST];
	uint64_t hash[MOST]; /* of this frame and all outer ones */
	uint8_t kind[MOST];  /* its mode, and is it a caller? See kind_of() */
	size_t n;
	bool cut; /* the outermost frame is not the root */
};

/* The stack that outer frames were found to be. As with whole chains, their hash stands for them. */
struct known {
	uint64_t hash;
	uint32_t stack; /* its number + 1; 0: nothing here */
};

/* Where an address was found. */
struct place {
	uint64_t address;
	uint64_t key; /* of its space, with what else tells it apart; 0: nothing here */
	uint32_t location;
};

struct pipa_paths {
	struct pipa_profile *profile;
	const struct pipa_jits *jits;
	size_t max;
	uint32_t unknown; /* the object of addresses that nothing was mapped at */
	struct path path; /* the one at hand */
	struct place places[PLACES];
	struct known known[KNOWN];
};

struct pipa_paths *pipa_paths_new(struct pipa_profile *profile, const struct pipa_jits *jits,
				  uint32_t max)
{
	struct pipa_paths *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->profile = profile;
	p->jits = jits;
	p->max = max && max < MOST ? max : MOST;
	p->unknown = PIPA_NONE;
	return p;
}

void pipa_paths_free(struct pipa_paths *p)
{
	free(p);
}

/* ---- places -------------------------------------------------------------------------------------------- */

static uint32_t unknown_object(struct pipa_paths *p)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_UNKNOWN };

	if (p->unknown == PIPA_NONE) {
		object.path = pipa_profile_text(p->profile, "[unknown]");
		if (object.path != PIPA_NO_STRING)
			p->unknown = pipa_profile_object(p->profile, &object);
	}
	return p->unknown;
}

/* Is it in code that a runtime told of? Where a file is mapped, nothing was made. */
static bool locate_jit(const struct pipa_paths *p, const struct pipa_where *where,
		       const struct pipa_range *range, uint64_t address,
		       struct pipa_location *location)
{
	if (range && p->profile->objects.items[range->object].kind != PIPA_OBJECT_JIT)
		return false;
	if (!pipa_jits_find(p->jits, where->jit, address, where->time, &location->object,
			    &location->offset))
		return false;
	location->nameless = PIPA_NAMELESS_JIT;
	return true;
}

/* A caller's address is behind its call: one less lies in it. */
static uint32_t locate(struct pipa_paths *p, const struct pipa_where *where, enum pipa_mode mode,
		       uint64_t address, bool caller)
{
	uint64_t inside = address - (caller && address ? 1 : 0);
	const struct pipa_range *range = pipa_space_at(
		mode == PIPA_MODE_KERNEL ? where->kernel : where->user, inside);
	struct pipa_location location = { .address = address, .mode = mode };

	if (mode != PIPA_MODE_KERNEL && where->jit != PIPA_NO_JIT &&
	    locate_jit(p, where, range, inside, &location))
		return pipa_profile_location(p->profile, &location);
	if (range) {
		location.object = range->object;
		location.offset = inside - range->start + range->file_offset;
		location.nameless = PIPA_NAMELESS_NO_SYMBOL;
	} else {
		location.object = unknown_object(p);
		location.offset = inside;
		location.nameless = PIPA_NAMELESS_NO_MAPPING;
	}
	return location.object == PIPA_NONE ? PIPA_NONE :
					      pipa_profile_location(p->profile, &location);
}

/*
 * The same by memory. A space that changes has another key from then on; but what a runtime made in it
 * goes by time, and is always looked for.
 */
static uint32_t find_place(struct pipa_paths *p, const struct pipa_where *where,
			   enum pipa_mode mode, uint64_t address, bool caller)
{
	const struct pipa_space *space = mode == PIPA_MODE_KERNEL ? where->kernel : where->user;
	uint64_t key = pipa_space_key(space) << 8 | (uint64_t)mode << 2 | caller << 1 | 1;
	struct place *place = &p->places[pipa_hash_u64(address, key) % PLACES];

	if (where->jit != PIPA_NO_JIT)
		return locate(p, where, mode, address, caller);
	if (place->address != address || place->key != key) {
		*place = (struct place){ address, key, locate(p, where, mode, address, caller) };
		if (place->location == PIPA_NONE)
			place->key = 0;
	}
	return place->location;
}

/* ---- paths ---------------------------------------------------------------------------------------------- */

static uint8_t kind_of(enum pipa_mode mode, bool caller)
{
	return (uint8_t)(mode << 1 | caller);
}

/*
 * The frames that are kept. The first one behind a mark was interrupted there and did not call: its address
 * is its own. The user's mark with nothing behind it says that there is more to come.
 */
static void unfold(struct pipa_paths *p, const uint64_t *words, size_t n, enum pipa_mode mode)
{
	struct path *path = &p->path;
	bool caller = false;
	size_t i, frames = 0;

	for (i = 0; i < n && frames < p->max; i++) {
		if (words[i] >= PIPA_CHAIN_MARK) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			continue;
		}
		path->address[frames] = words[i];
		path->kind[frames++] = kind_of(mode, caller);
		caller = true;
	}
	path->n = frames;
	path->cut = frames && i == n && pipa_chain_end(words, n) != PIPA_STACK_COMPLETE;
}

static struct known *known_of(struct pipa_paths *p, uint64_t hash)
{
	return &p->known[hash % KNOWN];
}

/*
 * How many of the inner frames are new, and the stack of those behind them. A new stack mostly ends in an old one's
 * caller, but rarely in that of the one before: several threads and processes come by turns.
 */
static size_t find_known(struct pipa_paths *p, const struct pipa_where *where, uint32_t *ret)
{
	struct path *path = &p->path;
	uint64_t hash = pipa_hash_u64(pipa_space_key(where->user),
				      pipa_space_key(where->kernel) << 1 | path->cut);
	size_t i;

	for (i = path->n; i-- > 1;) {
		hash = pipa_hash_fold(path->address[i] ^ hash,
				      UINT64_C(0xa0761d6478bd642f) + path->kind[i]);
		path->hash[i] = hash;
	}
	for (i = 1; i < path->n; i++) {
		const struct known *known = known_of(p, path->hash[i]);

		if (known->stack && known->hash == path->hash[i]) {
			*ret = known->stack - 1;
			break;
		}
	}
	return i;
}

int pipa_paths_stack(struct pipa_paths *p, const struct pipa_where *where, const uint64_t *words,
		     size_t n, enum pipa_mode mode, uint32_t *ret)
{
	const struct path *path = &p->path;
	bool lasting = where->jit == PIPA_NO_JIT; /* else places go by time */
	uint32_t stack = PIPA_NONE, location;
	size_t i;

	unfold(p, words, n, mode);
	for (i = lasting && path->n ? find_known(p, where, &stack) : path->n; i-- > 0;) {
		location = find_place(p, where, path->kind[i] >> 1, path->address[i],
				      path->kind[i] & 1);
		if (location != PIPA_NONE)
			stack = i + 1 < path->n ?
					pipa_profile_stack(p->profile, stack, location) :
					pipa_profile_root(p->profile, location, path->cut);
		if (location == PIPA_NONE || stack == PIPA_NONE)
			return -ENOMEM;
		if (i && lasting)
			*known_of(p, path->hash[i]) = (struct known){ path->hash[i], stack + 1 };
	}
	*ret = stack;
	return 0;
}
