#include "ingest/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ingest/jits.h"
#include "ingest/unwound.h"

enum { MOST = 8192, PLACES = 2048 };

/* A stack taken apart, outermost first. */
struct path {
	uint64_t address[MOST];
	uint32_t stack[MOST]; /* up to and with this frame */
	uint8_t kind[MOST];   /* its mode, and is it a caller? See kind_of() */
	size_t n;
	bool cut; /* the outermost frame is not the root */
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
	struct path *now, *last;
	uint64_t last_user, last_kernel; /* keys of the spaces */
	struct place places[PLACES];
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
	p->now = calloc(1, sizeof(*p->now));
	p->last = calloc(1, sizeof(*p->last));
	if (p->now && p->last)
		return p;
	pipa_paths_free(p);
	return NULL;
}

void pipa_paths_free(struct pipa_paths *p)
{
	if (!p)
		return;
	free(p->now);
	free(p->last);
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
 * The frames that are kept, turned round. The first one behind a mark was interrupted there and did not
 * call: its address is its own. The user's mark with nothing behind it says that there is more to come.
 */
static void unfold(struct pipa_paths *p, const uint64_t *words, size_t n, enum pipa_mode mode)
{
	struct path *path = p->now;
	bool caller = false;
	size_t i, at = MOST;

	for (i = 0; i < n && MOST - at < p->max; i++) {
		if (words[i] >= PIPA_CHAIN_MARK) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			continue;
		}
		at--;
		path->address[at] = words[i];
		path->kind[at] = kind_of(mode, caller);
		caller = true;
	}
	path->n = MOST - at;
	path->cut = path->n && i == n && pipa_chain_end(words, n) != PIPA_STACK_COMPLETE;
	memmove(path->address, path->address + at, path->n * sizeof(*path->address));
	memmove(path->kind, path->kind + at, path->n * sizeof(*path->kind));
}

/* How many outer frames are the last path's. */
static size_t shared(const struct pipa_paths *p, const struct pipa_where *where)
{
	const struct path *now = p->now, *last = p->last;
	size_t most = now->n < last->n ? now->n : last->n, n = 0;

	if (where->jit != PIPA_NO_JIT || pipa_space_key(where->user) != p->last_user ||
	    pipa_space_key(where->kernel) != p->last_kernel || now->cut != last->cut)
		return 0;
	while (n < most && now->address[n] == last->address[n] && now->kind[n] == last->kind[n])
		n++;
	return n;
}

int pipa_paths_stack(struct pipa_paths *p, const struct pipa_where *where, const uint64_t *words,
		     size_t n, enum pipa_mode mode, uint32_t *ret)
{
	struct path *path = p->now;
	uint32_t stack = PIPA_NONE, location;
	size_t i;

	unfold(p, words, n, mode);
	i = shared(p, where);
	memcpy(path->stack, p->last->stack, i * sizeof(*path->stack));
	if (i)
		stack = path->stack[i - 1];
	for (; i < path->n; i++) {
		location = find_place(p, where, path->kind[i] >> 1, path->address[i],
				      path->kind[i] & 1);
		if (location != PIPA_NONE)
			stack = i ? pipa_profile_stack(p->profile, stack, location) :
				    pipa_profile_root(p->profile, location, path->cut);
		if (location == PIPA_NONE || stack == PIPA_NONE)
			return -ENOMEM;
		path->stack[i] = stack;
	}
	p->now = p->last;
	p->last = path;
	p->last_user = pipa_space_key(where->user);
	p->last_kernel = pipa_space_key(where->kernel);
	*ret = stack;
	return 0;
}
