/*
 * A profile: aggregated samples with their stacks, locations and functions. Tables whose rows refer
 * to each other by index, with equal rows stored once. The profile owns everything in them.
 *
 * A sample is an aggregate of all events on one stack of one thread: its weight (sum of periods)
 * and its count. The times of samples are not stored here, see model/timeline.h.
 */
#ifndef PIPA_MODEL_PROFILE_H
#define PIPA_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file_id.h"
#include "base/strings.h"
#include "model/intern.h"
#include "model/labels.h"
#include "model/record.h"
#include "model/stack_end.h"

enum pipa_object_kind {
	PIPA_OBJECT_FILE, /* program or library */
	PIPA_OBJECT_KERNEL,
	PIPA_OBJECT_MODULE, /* kernel module */
	PIPA_OBJECT_VDSO,
	PIPA_OBJECT_KSYMBOL, /* code that the kernel generated (BPF program); its name is the path */
	PIPA_OBJECT_JIT,     /* JIT code */
	PIPA_OBJECT_ANON,    /* anonymous memory, without any symbols */
	PIPA_OBJECT_UNKNOWN, /* in no mapping of the recording */
	PIPA_OBJECT_KIND_NR,
};

/* Reason for which an address has no symbol. */
enum pipa_unresolved {
	PIPA_RESOLVED,
	PIPA_UNRESOLVED_NO_MAPPING,	   /* in no recorded mapping */
	PIPA_UNRESOLVED_NO_FILE,	   /* the file was not found */
	PIPA_UNRESOLVED_BUILD_ID_MISMATCH, /* the file has a different build id */
	PIPA_UNRESOLVED_NO_SYMBOL,	   /* the file has no symbol at the address */
	PIPA_UNRESOLVED_JIT_NO_MAP,	   /* JIT code without a perf map or jitdump */
	PIPA_UNRESOLVED_KPTR_RESTRICT,	   /* /proc/kallsyms hides addresses */
	PIPA_UNRESOLVED_OTHER_KERNEL, /* recorded with another kernel, whose symbols were not found */
	PIPA_UNRESOLVED_NR,
};

struct pipa_object {
	uint32_t path; /* a string: "/usr/lib/libc.so.6", "[kernel.kallsyms]", "[vdso]" */
	enum pipa_object_kind kind;
	struct pipa_build_id build_id;
	struct pipa_file_id file; /* if the mapping was recorded without a build id; else 0 */
	bool unverified; /* symbolized with a file that may have changed, without a build id to compare */
	uint32_t pid; /* process of JIT code; else 0 */
	/* of a foreign file: a label set, such as a build id that is not hexadecimal */
	uint32_t attributes;
	/* kernel: address of its first symbol; module or ksymbol: its start address */
	uint64_t base;
};

/* Properties of the symbols of a foreign file's mapping (pprof: has_functions ...). */
enum pipa_mapping_flags {
	PIPA_MAPPING_FUNCTIONS = 1 << 0,
	PIPA_MAPPING_FILES = 1 << 1,
	PIPA_MAPPING_LINES = 1 << 2,
	PIPA_MAPPING_INLINED = 1 << 3,
};

/*
 * An address range to which an object was mapped, as pprof and OTLP files have it. Profiles of
 * recordings have none: their locations are offsets in the object's file.
 */
struct pipa_mapping {
	uint32_t object;
	uint32_t attributes;   /* a label set */
	uint64_t start, limit; /* limit is the first address after the range; both 0: unknown */
	uint64_t file_offset;  /* of start */
	uint32_t flags;	       /* enum pipa_mapping_flags */
};

struct pipa_function {
	uint32_t name, file; /* strings; file "": unknown */
	uint32_t object;
	uint32_t system_name; /* linkage (mangled) name if different from name; else "" */
	uint32_t start_line;  /* 0: unknown */
};

/* A function and source line. A location has several if calls were inlined, innermost first. */
struct pipa_line {
	uint32_t function, line, column; /* line and column 0: unknown */
};

struct pipa_location {
	uint32_t object;
	uint32_t mapping; /* of a foreign file; 0: none */
	/* in the object's file; JIT code: in its jitdump; without a file: the address */
	uint64_t offset;
	uint64_t address;	 /* of the first occurrence */
	uint64_t symbol_offset;	 /* offset from the start of the symbol, if resolved */
	uint32_t lines, n_lines; /* index of the first line and their number; 0: unresolved */
	/* may be set in addition to lines, whose name is then not a symbol */
	enum pipa_unresolved unresolved : 8;
	enum pipa_mode mode : 8;
	bool by_lines : 1;   /* identified by its lines: see pipa_profile_location_of_lines() */
	bool folded : 1;     /* several symbols share the address (identical code folding) */
	uint32_t attributes; /* of a foreign file, a label set */
};

/* A frame and its caller. */
struct pipa_stack {
	uint32_t parent; /* PIPA_NONE: outermost */
	uint32_t location;
	uint32_t depth; /* 1 for the outermost */
	bool cut;	/* of an outermost frame: its callers are missing */
};

struct pipa_thread {
	uint32_t pid, tid;
	uint32_t comm;	  /* a string */
	uint32_t process; /* 0: unknown */
};

/* A process: one program in one PID. OTLP calls it a resource. */
struct pipa_profile_process {
	uint32_t pid;
	uint32_t exe;	    /* path of the executable, a string; "": unknown */
	uint32_t cgroup;    /* path in the cgroup file system, a string; "": unknown */
	uint32_t container; /* id from the cgroup's path, a string; "": none */
	/* of a foreign file: a label set with the other attributes of the resource (service.name) */
	uint32_t attributes;
};

/* Units of weights and counts, as in pprof. Foreign files may have others. */
#define PIPA_VALUE_NS "nanoseconds"
#define PIPA_VALUE_BYTES "bytes"
#define PIPA_VALUE_COUNT "count"

/*
 * An event. Each of its samples has a count and a weight, which are two columns of a pprof file:
 * count_name in count_unit, and the event itself in unit.
 *
 * Value columns of a foreign file that are not such a pair are events of one column group, one per
 * column: their samples have the same keys, and a writer joins them to one row. `counted` is false
 * for them.
 *
 * Weights are unsigned. Negative values of a column, as in the difference of two pprof files, are
 * positive weights of another event, whose negative_of is the column's event: a value is the weight
 * of the one minus that of the other. So sums in an analysis do not cancel out, and a writer has
 * both sides.
 *
 * The weight is the period (PERF_SAMPLE_PERIOD), not PERF_SAMPLE_WEIGHT, which is
 * pipa_rec_sample.weight.
 */
struct pipa_profile_event {
	uint32_t name;
	uint32_t unit;	     /* of weights, a string; "": unknown, plain numbers */
	uint32_t count_name; /* of counts, a string; "": samples */
	uint32_t count_unit; /* a string; "": count */
	bool counted;	     /* false: the source has only weights, counts are synthesized */
	uint64_t period;     /* distance between samples in `unit`; 0: varies or unknown */
	uint32_t period_name, period_unit; /* if different from those of the event; else "" */
	uint32_t frequency;		   /* requested samples per second; 0: none */
	uint32_t column_group;		   /* from 1 on; 0: not a column of a foreign file */
	uint32_t column;		   /* position in its group, from 0 on */
	uint32_t negative_of;	/* event from which its weights are subtracted; PIPA_NONE: none */
	uint64_t weight, count; /* sums over all samples */
	double squares; /* sum of the squared weights of single samples: see analyze/profile/diff.h */
	/* sums before samples were removed by a filter; 0: none was applied */
	uint64_t unfiltered_weight, unfiltered_count;
	uint64_t lost;	 /* records */
	uint32_t leader; /* leader of its group, itself without a group */
	uint32_t scale;	 /* factor by which weights were multiplied; 0: not scaled */
};

struct pipa_sample {
	uint32_t event, thread, stack; /* stack PIPA_NONE: not recorded */
	uint32_t cpu;		       /* PIPA_NONE unless requested */
	uint32_t labels;	       /* a label set, 0: none */
	uint64_t weight, count;
};

/* Number of truncated stacks per object and reason. */
struct pipa_truncated_stack {
	uint32_t object; /* of the last frame; PIPA_NONE: unknown */
	enum pipa_stack_end why;
	uint64_t count; /* samples */
};

struct pipa_losses {
	uint64_t lost_records, lost_samples; /* as reported by the kernel */
	uint64_t throttled;		     /* number of PERF_RECORD_THROTTLE records */
	uint64_t damaged;		     /* malformed records */
	uint64_t cut_stacks;		     /* samples skipped because their stack is truncated */
	uint64_t chains;		     /* samples with a recorded call chain */
	uint64_t unwound;		     /* samples whose stack was unwound */
	uint64_t unwound_truncated;	     /* samples with a truncated stack */
	uint64_t unwound_fp_fallback;	     /* samples with frames of the frame-pointer fallback */
	uint64_t unwound_joined; /* samples whose outer frames were joined from an earlier sample */
	/* largest stack dump that a truncated stack needed, in bytes; 0: unknown */
	uint64_t stack_needed;
	uint32_t stack_bytes; /* size of the stack dumps; 0: unknown */
};

struct pipa_profile {
	struct pipa_strings strings;
	PIPA_TABLE(pipa_object) objects;
	PIPA_TABLE(pipa_mapping) mappings; /* row 0 is reserved: none */
	PIPA_TABLE(pipa_function) functions;
	PIPA_TABLE(pipa_line) lines;
	PIPA_TABLE(pipa_location) locations;
	PIPA_TABLE(pipa_stack) stacks;
	PIPA_TABLE(pipa_thread) threads;
	PIPA_TABLE(pipa_profile_process) processes; /* row 0 is reserved: none */
	PIPA_TABLE(pipa_profile_event) events;
	PIPA_TABLE(pipa_sample) samples;
	PIPA_TABLE(pipa_truncated_stack) truncated_stacks;
	PIPA_TABLE(pipa_label) labels;
	PIPA_TABLE(pipa_label_set) label_sets; /* row 0 is the empty set */
	struct {
		uint32_t *items;
		size_t n, cap;
	} label_members; /* members of all sets: indexes of labels */
	struct pipa_losses losses;
	uint64_t start_ns;    /* wall clock, since 1970 in UTC; 0: unknown */
	uint64_t duration_ns; /* 0: unknown */

	/* The following are set for foreign files. */
	struct {
		uint32_t *items; /* strings */
		size_t n, cap;
	} comments;
	uint32_t n_column_groups;
	uint32_t default_column; /* name of the event to show first, a string; "": not given */
	/* a label set; other fields of pprof: pprof.profile.drop_frames, .keep_frames, .doc_url */
	uint32_t attributes;
};

void pipa_profile_done(struct pipa_profile *profile);

/*
 * Intern a row: return the index of an equal one, adding it if missing; PIPA_NONE on allocation
 * failure. Fields that are set later (lines, address, weights) are not compared.
 */
uint32_t pipa_profile_text(struct pipa_profile *p, const char *text); /* a string */
uint32_t pipa_profile_object(struct pipa_profile *p, const struct pipa_object *object);
uint32_t pipa_profile_function(struct pipa_profile *p, const struct pipa_function *function);
/* Like pipa_profile_function(), but also compare system_name and start_line. */
uint32_t pipa_profile_function_exact(struct pipa_profile *p, const struct pipa_function *function);
uint32_t pipa_profile_location(struct pipa_profile *p, const struct pipa_location *location);
/*
 * Intern a location that is identified by its lines, because its address has no meaning (folded
 * stacks) or several meanings (text of perf script, pprof). The lines are copied; by_lines is set.
 */
uint32_t pipa_profile_location_of_lines(struct pipa_profile *p,
					const struct pipa_location *location,
					const struct pipa_line *lines, size_t n);
uint32_t pipa_profile_mapping(struct pipa_profile *p, const struct pipa_mapping *mapping);
uint32_t pipa_profile_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/* Like pipa_profile_stack() if the depth, that of the parent plus 1, is known. */
uint32_t pipa_profile_stack_at(struct pipa_profile *p, uint32_t parent, uint32_t location,
			       uint32_t depth);
/* Prefetch the hash slot of a stack. */
void pipa_profile_prefetch_stack(const struct pipa_profile *p, uint32_t parent, uint32_t location);
/*
 * Intern a stack of a single, outermost frame. `cut`: the stack is truncated, callers are missing.
 */
uint32_t pipa_profile_root(struct pipa_profile *p, uint32_t location, bool cut);
/*
 * Append a stack without a duplicate check and without entering it into the index: later lookups do
 * not find it. PIPA_NONE on allocation failure.
 */
uint32_t pipa_profile_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location);
/*
 * Append a stack that is known to be new, because its parent is, and enter it into the index. `depth`
 * is one more than the parent's. PIPA_NONE on allocation failure.
 */
uint32_t pipa_profile_add_new_stack(struct pipa_profile *p, uint32_t parent, uint32_t location,
				    uint32_t depth);
/* Reserve memory for n stacks if there are none yet. 0 or -ENOMEM. */
int pipa_profile_expect_stacks(struct pipa_profile *p, size_t n);
/*
 * Intern a thread. Equal PIDs in different known containers, or in processes with different
 * attributes, are different threads.
 */
uint32_t pipa_profile_thread(struct pipa_profile *p, const struct pipa_thread *thread);
uint32_t pipa_profile_process(struct pipa_profile *p, const struct pipa_profile_process *process);

/* Return the first event with that name and any unit; a new one has no unit. */
uint32_t pipa_profile_event(struct pipa_profile *p, const char *name);

/* Description of an event by its source. NULL strings mean "". */
struct pipa_event_type {
	const char *name, *unit, *count_name, *count_unit;
	uint64_t period;
	const char *period_name, *period_unit;
	uint32_t frequency;
	bool uncounted; /* the source has only weights */
	uint32_t column_group, column;
};

/* Return the event with that name and unit; a new one gets all fields of the description. */
uint32_t pipa_profile_event_of(struct pipa_profile *p, const struct pipa_event_type *type);

/*
 * Return the event with the negative weights of another one; a new one is named "NAME (negative)".
 */
uint32_t pipa_profile_negative_event(struct pipa_profile *p, uint32_t event);

/* Add a comment, unless there is an equal one. 0 or -ENOMEM. */
int pipa_profile_comment(struct pipa_profile *p, const char *text);

/*
 * Add weight and count to the sample with that event, thread, stack, cpu and labels. A count above
 * 1 means that many samples of equal weight. 0 or -ENOMEM.
 */
int pipa_profile_add(struct pipa_profile *p, const struct pipa_sample *sample);

/*
 * Like pipa_profile_add() with a signed weight: a negative one is added to the event of negative
 * weights.
 */
int pipa_profile_add_signed(struct pipa_profile *p, const struct pipa_sample *sample,
			    int64_t weight);

/*
 * Intern a sample with weight 0, for pipa_profile_add_weight(). The caller updates event.squares.
 */
uint32_t pipa_profile_sample(struct pipa_profile *p, const struct pipa_sample *sample);
/* Append a sample that is known to be new, because its stack is: no duplicate check. */
uint32_t pipa_profile_new_sample(struct pipa_profile *p, const struct pipa_sample *sample);
void pipa_profile_add_weight(struct pipa_profile *p, uint32_t sample, uint64_t weight,
			     uint64_t count);
/* Like pipa_profile_add_weight(), for callers that know the event of the sample. */
void pipa_profile_add_weight_of(struct pipa_profile *p, uint32_t sample, uint32_t event,
				uint64_t weight, uint64_t count);

/* Like pipa_profile_add_weight(), and update event.squares for `count` samples of equal weight. */
void pipa_profile_add_weight_each(struct pipa_profile *p, uint32_t sample, uint64_t weight,
				  uint64_t count);

/*
 * Multiply the weights of an event, so that fractions become integers; event.scale is multiplied, too.
 * 0, or -ERANGE on overflow.
 */
int pipa_profile_scale(struct pipa_profile *p, uint32_t event, uint32_t factor);

/*
 * Can the weight be added to that of the event without overflow? Foreign files may contain any
 * number.
 */
bool pipa_profile_has_room(const struct pipa_profile *p, uint32_t event, uint64_t weight);

/* Count truncated stacks. 0 or -ENOMEM. */
int pipa_profile_truncated(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why);
int pipa_profile_truncated_many(struct pipa_profile *p, uint32_t object, enum pipa_stack_end why,
				uint64_t count);

/*
 * Append a function and line to a location, outwards of those it has, and mark it as resolved. 0 or
 * -ENOMEM.
 */
int pipa_profile_name(struct pipa_profile *p, uint32_t location, uint32_t function, uint32_t line);

/* Free the lookup indexes. The profile is read-only afterwards. */
void pipa_profile_close(struct pipa_profile *p);

/*
 * Add all rows of `from`. New rows are added in the order of `from`: merging the parts of a
 * recording in their order gives the profile of the whole recording. A location that both have
 * keeps its lines; one without lines gets those of `from`. Durations are summed, the earliest start
 * is used. 0, -ENOMEM, or -ERANGE if weights overflow; on failure p has a part of `from`.
 */
int pipa_profile_merge(struct pipa_profile *p, const struct pipa_profile *from);

/* Like pipa_profile_merge(), and store the index in p of each sample of `from` in ret_samples[]. */
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
