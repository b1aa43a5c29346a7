/*
 * A profile: who used how much, and on which call stack. Tables that point at each other by number,
 * each thing kept once; what is in them belongs to the profile and dies with it.
 *
 * A sample is an aggregate: everything that happened on one stack of one thread by one event, its
 * weight (period) and its count. Time is not kept here.
 */
#ifndef PIPA_MODEL_PROFILE_H
#define PIPA_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"
#include "base/strings.h"
#include "model/intern.h"
#include "model/labels.h"
#include "model/record.h"

enum pipa_object_kind {
	PIPA_OBJECT_FILE,    /* a program or library */
	PIPA_OBJECT_KERNEL,  /* the kernel itself */
	PIPA_OBJECT_MODULE,  /* of the kernel */
	PIPA_OBJECT_VDSO,    /* what the kernel maps into everyone */
	PIPA_OBJECT_KSYMBOL, /* code that the kernel made (BPF); its name is the path */
	PIPA_OBJECT_JIT,     /* code made at run time */
	PIPA_OBJECT_ANON,    /* memory without a file, no symbols to hope for */
	PIPA_OBJECT_UNKNOWN, /* nothing was mapped there, as far as the recording says */
	PIPA_OBJECT_KIND_NR,
};

/* Why a frame has no name. */
enum pipa_unresolved {
	PIPA_NAMED,
	PIPA_UNRESOLVED_NO_MAPPING,	   /* the address is in no mapping that was recorded */
	PIPA_UNRESOLVED_NO_FILE,	   /* the file is not there (any more) */
	PIPA_UNRESOLVED_BUILD_ID_MISMATCH, /* the file that is there has another build id */
	PIPA_UNRESOLVED_NO_SYMBOL,	   /* the file has no symbol there */
	PIPA_UNRESOLVED_JIT_NO_MAP,	   /* code made at run time, and no map of it */
	PIPA_UNRESOLVED_KPTR_RESTRICT,	   /* kernel symbols are hidden */
	PIPA_UNRESOLVED_OTHER_KERNEL, /* it is not the kernel that runs, and no symbols of it are there */
	PIPA_UNRESOLVED_NR,
};

/* How the walk up a stack that was recorded as bytes ended. Recordings have these numbers. */
enum pipa_stack_end {
	PIPA_STACK_COMPLETE,	 /* at the outermost frame */
	PIPA_STACK_TRUNCATED,	 /* the stack goes on behind the bytes that were recorded */
	PIPA_STACK_OTHER_STACK,	 /* on another stack, which was not recorded */
	PIPA_STACK_NO_REGISTERS, /* a register that is needed was not recorded */
	PIPA_STACK_NO_MAPPING,	 /* in no code that is known */
	PIPA_STACK_NO_CFI,	 /* in code that says nothing of its callers */
	PIPA_STACK_BAD_CFI,	 /* in code that says something damaged */
	PIPA_STACK_NO_PROGRESS,	 /* it would have gone in circles */
	PIPA_STACK_TOO_MANY,	 /* more frames than anybody keeps */
	PIPA_STACK_END_NR,
};

struct pipa_object {
	uint32_t path; /* a string: "/usr/lib/libc.so.6", "[kernel.kallsyms]", "[vdso]" */
	enum pipa_object_kind kind;
	struct pipa_build_id build_id;
	struct pipa_file_id file; /* where no build id was recorded with the mapping; else 0 */
	bool unverified; /* named by a file that may have changed: nothing to compare it with */
	uint32_t pid;	 /* whose it is: code made at run time has no meaning elsewhere; else 0 */
	uint64_t base;	 /* of the kernel: where its first symbol was; of a module and of what the
			  kernel made: where it was */
};

struct pipa_function {
	uint32_t name, file; /* strings; file "" where it is not known */
	uint32_t object;
};

/* A function at a place; several for one location where calls were inlined, innermost first. */
struct pipa_line {
	uint32_t function, line;
};

struct pipa_location {
	uint32_t object;
	uint64_t offset;  /* in the object's file (code made at run time: in its jitdump); the
			     address itself where there is no file */
	uint64_t address; /* as it was met first */
	uint64_t into;	  /* bytes behind its symbol's start, if it has a name */
	uint32_t lines, n_lines;       /* from that number on; none: no name */
	enum pipa_unresolved nameless; /* may be set beside lines: what they call it is no symbol */
	enum pipa_mode mode;
};

/* A frame and where it was called from. */
struct pipa_stack {
	uint32_t parent; /* PIPA_NONE: outermost */
	uint32_t location;
	uint32_t depth; /* 1 for the outermost */
	bool cut;	/* of an outermost one: the true root lies beyond what was recorded */
};

struct pipa_thread {
	uint32_t pid, tid;
	uint32_t comm; /* a string */
};

/* Units of weights and counts, in the words of pprof. Foreign files may have any other. */
#define PIPA_VALUE_NS "nanoseconds"
#define PIPA_VALUE_BYTES "bytes"
#define PIPA_VALUE_COUNT "count"

/*
 * An event. Each sample of it has a count and a weight, which are two columns of a pprof file: "samples" in
 * count_unit, and the event itself in unit.
 */
struct pipa_profile_event {
	uint32_t name;
	uint32_t unit;	     /* of weights, a string; "": not known, they are plain numbers */
	uint32_t count_unit; /* of counts, a string; "": samples */
	bool counted;	     /* false: the source has only weights, counts are made up */
	uint64_t period;     /* distance of two samples in `unit`; 0: it varies or is not known */
	uint32_t frequency;  /* samples per second that were asked for; 0: none */
	uint64_t weight, count; /* over all samples */
	double squares;	 /* sum of what each of them weighs, squared: see analyze/profile/diff.h */
	uint64_t lost;	 /* records */
	uint32_t leader; /* the event that leads its group, itself if it is alone */
	uint32_t scale;	 /* weights are this many times what was measured; 0: they are not scaled */
};

struct pipa_sample {
	uint32_t event, thread, stack; /* stack PIPA_NONE: none was recorded */
	uint32_t cpu;		       /* PIPA_NONE unless it was asked for */
	uint32_t labels;	       /* a label set, 0: none */
	uint64_t weight, count;
};

/* Stacks that are not whole: where they end, why, and how many. */
struct pipa_truncated_stack {
	uint32_t object; /* of the last frame; PIPA_NONE: in none */
	enum pipa_stack_end why;
	uint64_t count; /* samples */
};

struct pipa_losses {
	uint64_t lost_records, lost_samples; /* as the kernel said */
	uint64_t throttled;		     /* times that an event was held back */
	uint64_t damaged;		     /* records that made no sense */
	uint64_t cut_stacks;		     /* samples whose stack is not whole, left out */
	uint64_t chains;		     /* samples whose stack was recorded as a chain */
	uint64_t unwound;		     /* samples whose stack was found in its bytes, */
	uint64_t unwound_truncated;	     /* and how many of them are not whole, */
	uint64_t unwound_guessed;	     /* or have frames that may be wrong */
	uint64_t unwound_joined; /* samples whose outer frames are those of an earlier sample */
	uint64_t
		stack_needed; /* bytes of stack that the deepest truncated one needed; 0: unknown */
	uint32_t stack_bytes; /* that samples had of their stacks; 0: unknown */
};

struct pipa_profile {
	struct pipa_strings strings;
	PIPA_TABLE(pipa_object) objects;
	PIPA_TABLE(pipa_function) functions;
	PIPA_TABLE(pipa_line) lines;
	PIPA_TABLE(pipa_location) locations;
	PIPA_TABLE(pipa_stack) stacks;
	PIPA_TABLE(pipa_thread) threads;
	PIPA_TABLE(pipa_profile_event) events;
	PIPA_TABLE(pipa_sample) samples;
	PIPA_TABLE(pipa_truncated_stack) cuts;
	PIPA_TABLE(pipa_label) labels;
	PIPA_TABLE(pipa_label_set) label_sets; /* the first one is empty, once there are any */
	struct {
		uint32_t *items;
		size_t n, cap;
	} label_members; /* labels of the sets */
	struct pipa_losses losses;
};

void pipa_profile_done(struct pipa_profile *profile);

/*
 * The number of a thing, which is added when it is new; PIPA_NONE without memory. Two things are the
 * same when all their fields but those found out later (lines, address, weights) are.
 */
uint32_t pipa_profile_text(struct pipa_profile *p, const char *text); /* a string */
uint32_t pipa_profile_object(struct pipa_profile *p, const struct pipa_object *object);
uint32_t pipa_profile_function(struct pipa_profile *p, const struct pipa_function *function);
uint32_t pipa_profile_location(struct pipa_profile *p, const struct pipa_location *location);
uint32_t pipa_profile_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/* The same where the caller knows how deep it is: one more than its parent. */
uint32_t pipa_profile_stack_at(struct pipa_profile *p, uint32_t parent, uint32_t location,
			       uint32_t depth);
/* Prefetch where it would be found. */
void pipa_profile_prefetch_stack(const struct pipa_profile *p, uint32_t parent, uint32_t location);
/* A stack of that frame alone, which is an outermost one: is it where the true root was cut off? */
uint32_t pipa_profile_root(struct pipa_profile *p, uint32_t location, bool cut);
/*
 * The same for those who know that it is new, and that nobody will look for it: no index is asked or kept.
 * PIPA_NONE without memory.
 */
uint32_t pipa_profile_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/* About so many stacks will come, and there is none yet. Returns 0 or -ENOMEM. */
int pipa_profile_expect_stacks(struct pipa_profile *p, size_t n);
uint32_t pipa_profile_thread(struct pipa_profile *p, const struct pipa_thread *thread);

/* The first event of that name, of any unit; a new one has no unit. */
uint32_t pipa_profile_event(struct pipa_profile *p, const char *name);

/* A description of an event, as its source gives it. Strings that are NULL are "". */
struct pipa_event_type {
	const char *name, *unit, *count_unit;
	uint64_t period;
	uint32_t frequency;
	bool uncounted; /* only weights are known */
};

/* The event of that name and unit; a new one has all of the description. */
uint32_t pipa_profile_event_of(struct pipa_profile *p, const struct pipa_event_type *type);

/*
 * Add to the sample of that event, thread, stack, cpu and labels. Where count is not 1, each of them is taken to
 * weigh the same. 0 or -ENOMEM.
 */
int pipa_profile_add(struct pipa_profile *p, const struct pipa_sample *sample);

/*
 * The same in two steps, for those who add often: its number (new: as above), then what it weighs. They
 * tell the event of squares themselves.
 */
uint32_t pipa_profile_sample(struct pipa_profile *p, const struct pipa_sample *sample);
/* The same where the caller knows that it is new, as its stack is: nothing is searched. */
uint32_t pipa_profile_new_sample(struct pipa_profile *p, const struct pipa_sample *sample);
void pipa_profile_add_weight(struct pipa_profile *p, uint32_t sample, uint64_t weight,
			     uint64_t count);

/* And the event is told of squares, where each of `count` weighs the same. */
void pipa_profile_add_weight_each(struct pipa_profile *p, uint32_t sample, uint64_t weight,
				  uint64_t count);

/*
 * Multiply the event's weights, of which some have fractions, so that they are whole numbers. 0, or
 * -ERANGE when they would not fit.
 */
int pipa_profile_scale(struct pipa_profile *p, uint32_t event, uint32_t factor);

/* Can the event's weight grow by that much? What foreign text says may be any number. */
bool pipa_profile_has_room(const struct pipa_profile *p, uint32_t event, uint64_t weight);

/* One more stack that ended there, or many. 0 or -ENOMEM. */
int pipa_profile_truncated(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why);
int pipa_profile_truncated_many(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why,
				uint64_t count);

/* Give a location its function, as the only or one more caller outwards. 0 or -ENOMEM. */
int pipa_profile_name(struct pipa_profile *p, uint32_t location, uint32_t function, uint32_t line);

/* Nothing is added any more: what finds equal things goes. */
void pipa_profile_close(struct pipa_profile *p);

/*
 * Add all of `from`, whose places have no names yet. What is new gets its number in the order of `from`: of
 * stretches of one recording, put together in their order, comes the profile of all of it. 0 or
 * -ENOMEM, which leaves a profile that has a part of it.
 */
int pipa_profile_merge(struct pipa_profile *p, const struct pipa_profile *from);

/* The same, and what the number of each sample of `from` is now: room for all of them. */
int pipa_profile_merge_numbered(struct pipa_profile *p, const struct pipa_profile *from,
				uint32_t *ret_samples);

static inline const char *pipa_profile_string(const struct pipa_profile *p, uint32_t number)
{
	return pipa_strings_get(&p->strings, number);
}

static inline void pipa_profile_done_auto(struct pipa_profile *profile)
{
	pipa_profile_done(profile);
}

/* Return the file name of an object without its directories, "[unknown]" if it has none. */
const char *pipa_object_short(const struct pipa_profile *profile, uint32_t object);

#endif
