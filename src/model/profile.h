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
	PIPA_STACK_TRUNCATED,	 /* the stack goes on after the bytes that were recorded */
	PIPA_STACK_OTHER_STACK,	 /* on another stack, which was not recorded */
	PIPA_STACK_NO_REGISTERS, /* a register that is needed was not recorded */
	PIPA_STACK_NO_MAPPING,	 /* in no code that is known */
	PIPA_STACK_NO_CFI,	 /* in code that says nothing of its callers */
	PIPA_STACK_BAD_CFI,	 /* in code that says something corrupt */
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
	uint32_t
		attributes; /* of a foreign file, a label set: a build id that is not hexadecimal... */
	uint64_t base; /* of the kernel: where its first symbol was; of a module and of what the
			  kernel made: where it was */
};

/* What a mapping of a foreign file says of the names of its locations (pprof: has_functions ...). */
enum pipa_mapping_flags {
	PIPA_MAPPING_FUNCTIONS = 1 << 0,
	PIPA_MAPPING_FILES = 1 << 1,
	PIPA_MAPPING_LINES = 1 << 2,
	PIPA_MAPPING_INLINED = 1 << 3,
};

/*
 * An address range at which an object was mapped, as pprof and OTLP files have it. Profiles of recordings have
 * none: their locations have offsets in the object's file.
 */
struct pipa_mapping {
	uint32_t object;
	uint32_t attributes;   /* a label set */
	uint64_t start, limit; /* limit is the first address after it; both 0: not known */
	uint64_t file_offset;  /* of start */
	uint32_t flags;	       /* enum pipa_mapping_flags */
};

struct pipa_function {
	uint32_t name, file; /* strings; file "" where it is not known */
	uint32_t object;
	uint32_t system_name; /* the linker's (mangled) name where it differs from name; else "" */
	uint32_t start_line;  /* 0: not known */
};

/* A function at a source line; several for one location where calls were inlined, innermost first. */
struct pipa_line {
	uint32_t function, line, column; /* line and column 0: not known */
};

struct pipa_location {
	uint32_t object;
	uint32_t mapping; /* that it was in, of a foreign file; 0: none */
	uint64_t offset;  /* in the object's file (code made at run time: in its jitdump); the
			     address itself where there is no file */
	uint64_t address; /* as it was met first */
	uint64_t into;	  /* bytes after its symbol's start, if it has a name */
	uint32_t lines, n_lines;	   /* from that number on; none: no name */
	enum pipa_unresolved nameless : 8; /* may be set beside lines: their name is not a symbol */
	enum pipa_mode mode : 8;
	bool by_lines : 1;   /* its lines are its identity: see pipa_profile_location_of_lines() */
	bool folded : 1;     /* several symbols share the address (identical code folding) */
	uint32_t attributes; /* of a foreign file, a label set */
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
	uint32_t comm;	  /* a string */
	uint32_t process; /* 0: not known */
};

/* A process: one program in a PID. It is what OTLP calls a resource. */
struct pipa_profile_process {
	uint32_t pid;
	uint32_t exe;	    /* path of the executable, a string; "": not known */
	uint32_t cgroup;    /* path in the cgroup file system; "": not known */
	uint32_t container; /* id, out of the cgroup's path; "": none */
};

/* Units of weights and counts, in the words of pprof. Foreign files may have any other. */
#define PIPA_VALUE_NS "nanoseconds"
#define PIPA_VALUE_BYTES "bytes"
#define PIPA_VALUE_COUNT "count"

/*
 * An event. Each sample of it has a count and a weight, which are two columns of a pprof file: count_name in
 * count_unit, and the event itself in unit.
 *
 * Value columns of a foreign file that are not such a pair are events of one column group, one for each column: their
 * samples have the same keys, and a writer joins them to one row. `counted` is false for them.
 *
 * Weights are unsigned. Negative values of a column, as in the difference of two pprof files, are positive weights of
 * another event, whose negative_of is the column's: a value is the weight of the one less that of the other. So every
 * analysis sees sums that do not cancel out, and a writer has both sides.
 */
struct pipa_profile_event {
	uint32_t name;
	uint32_t unit;	     /* of weights, a string; "": not known, they are plain numbers */
	uint32_t count_name; /* of counts, a string; "": samples */
	uint32_t count_unit; /* a string; "": count */
	bool counted;	     /* false: the source has only weights, counts are made up */
	uint64_t period;     /* distance of two samples in `unit`; 0: it varies or is not known */
	uint32_t period_name,
		period_unit;   /* where a foreign file has others than the event's; else "" */
	uint32_t frequency;    /* samples per second that were requested; 0: none */
	uint32_t column_group; /* from 1 on; 0: it is not a column of a foreign file */
	uint32_t column;       /* position in its group, from 0 on */
	uint32_t negative_of;  /* the event that its weights are subtracted from; PIPA_NONE: none */
	uint64_t weight, count; /* over all samples */
	double squares;	 /* sum of what each of them weighs, squared: see analyze/profile/diff.h */
	uint64_t lost;	 /* records */
	uint32_t leader; /* the event that leads its group, itself if it is alone */
	uint32_t scale;	 /* weights are this many times what was measured; 0: they are not scaled */
};

struct pipa_sample {
	uint32_t event, thread, stack; /* stack PIPA_NONE: none was recorded */
	uint32_t cpu;		       /* PIPA_NONE unless it was requested */
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
	uint64_t damaged;		     /* records that was malformed */
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
	PIPA_TABLE(pipa_mapping) mappings; /* the first one is empty, once there are any */
	PIPA_TABLE(pipa_function) functions;
	PIPA_TABLE(pipa_line) lines;
	PIPA_TABLE(pipa_location) locations;
	PIPA_TABLE(pipa_stack) stacks;
	PIPA_TABLE(pipa_thread) threads;
	PIPA_TABLE(pipa_profile_process) processes; /* the first one is empty, once there are any */
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
	uint64_t start_ns;    /* wall clock, since 1970 in UTC; 0: not known */
	uint64_t duration_ns; /* 0: not known */

	/* of foreign files */
	struct {
		uint32_t *items; /* strings */
		size_t n, cap;
	} comments;
	uint32_t n_column_groups;
	uint32_t default_column; /* name of the event to be shown first, a string; "": not said */
	uint32_t
		attributes; /* a label set; pprof's other fields are pprof.profile.drop_frames, .keep_frames, .doc_url */
};

void pipa_profile_done(struct pipa_profile *profile);

/*
 * The number of a thing, which is added when it is new; PIPA_NONE on allocation failure. Two things
 * are the same when all their fields but those found out later (lines, address, weights) are.
 */
uint32_t pipa_profile_text(struct pipa_profile *p, const char *text); /* a string */
uint32_t pipa_profile_object(struct pipa_profile *p, const struct pipa_object *object);
uint32_t pipa_profile_function(struct pipa_profile *p, const struct pipa_function *function);
/* The same, where functions that differ only in system_name or start_line are different ones. */
uint32_t pipa_profile_function_exact(struct pipa_profile *p, const struct pipa_function *function);
uint32_t pipa_profile_location(struct pipa_profile *p, const struct pipa_location *location);
/*
 * The same for a location whose lines are part of its identity, because its address has no meaning (folded stacks) or
 * several meanings (text of perf script, pprof). The lines are copied; by_lines is set.
 */
uint32_t pipa_profile_location_of_lines(struct pipa_profile *p,
					const struct pipa_location *location,
					const struct pipa_line *lines, size_t n);
uint32_t pipa_profile_mapping(struct pipa_profile *p, const struct pipa_mapping *mapping);
uint32_t pipa_profile_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/* The same where the caller knows how deep it is: one more than its parent. */
uint32_t pipa_profile_stack_at(struct pipa_profile *p, uint32_t parent, uint32_t location,
			       uint32_t depth);
/* Prefetch where it would be found. */
void pipa_profile_prefetch_stack(const struct pipa_profile *p, uint32_t parent, uint32_t location);
/* A stack of that frame alone, which is an outermost one: is it where the true root was truncated? */
uint32_t pipa_profile_root(struct pipa_profile *p, uint32_t location, bool cut);
/*
 * The same for those who know that it is new, and that nobody will look for it: no index is asked
 * or kept. PIPA_NONE on allocation failure.
 */
uint32_t pipa_profile_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/* About that many stacks will come, and there is none yet. Returns 0 or -ENOMEM. */
int pipa_profile_expect_stacks(struct pipa_profile *p, size_t n);
/* Threads of different containers are different ones, where both are known. */
uint32_t pipa_profile_thread(struct pipa_profile *p, const struct pipa_thread *thread);
uint32_t pipa_profile_process(struct pipa_profile *p, const struct pipa_profile_process *process);

/* The first event of that name, of any unit; a new one has no unit. */
uint32_t pipa_profile_event(struct pipa_profile *p, const char *name);

/* A description of an event, as its source gives it. Strings that are NULL are "". */
struct pipa_event_type {
	const char *name, *unit, *count_name, *count_unit;
	uint64_t period;
	const char *period_name, *period_unit;
	uint32_t frequency;
	bool uncounted; /* only weights are known */
	uint32_t column_group, column;
};

/* The event of that name and unit; a new one has all of the description. */
uint32_t pipa_profile_event_of(struct pipa_profile *p, const struct pipa_event_type *type);

/* The event that has the negative weights of another one; a new one is called "NAME (negative)". */
uint32_t pipa_profile_negative_event(struct pipa_profile *p, uint32_t event);

/* Add a comment, unless there is an equal one. 0 or -ENOMEM. */
int pipa_profile_comment(struct pipa_profile *p, const char *text);

/*
 * Add to the sample of that event, thread, stack, cpu and labels. Where count is not 1, each of them is taken to
 * weigh the same. 0 or -ENOMEM.
 */
int pipa_profile_add(struct pipa_profile *p, const struct pipa_sample *sample);

/* The same with a weight that may be negative, which is then added to the event's negative one. */
int pipa_profile_add_signed(struct pipa_profile *p, const struct pipa_sample *sample,
			    int64_t weight);

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
 * Add all of `from`. New rows are added in the order of `from`: parts of one recording, merged in their order, give the
 * profile of all of it. A location that both have keeps its lines; one without lines gets those of `from`. Durations add
 * up, the earliest start is kept. 0, -ENOMEM, or -ERANGE when weights would not fit; then p has a part of it.
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
