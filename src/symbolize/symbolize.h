/*
 * Symbolize a profile's locations, late and in batches: each object's files are found once, its offsets resolved
 * in one walk. A location that stays unresolved says why.
 *
 * Options are what the user wants and never change. All state is in the symbolizer of a profile: where files
 * are, those that are open, kallsyms, jitdumps and the client of debuginfod.
 */
#ifndef PIPA_SYMBOLIZE_SYMBOLIZE_H
#define PIPA_SYMBOLIZE_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/span.h"
#include "model/profile.h"
#include "model/recording.h"

struct pipa_bundle_files;
struct pipa_code_files;
struct pipa_error;
struct pipa_jitdumps;
struct pipa_locate_options;
struct pipa_log;
struct pipa_mapped_files;
struct pipa_root;
struct pipa_symbolizer;
struct pipa_unwind_tables;

/* What a location gets beside the name of its function. */
enum pipa_lines {
	PIPA_LINES_NONE,
	PIPA_LINES_STACKS,  /* as INLINED for dwarf recordings, as perf does, else as NONE */
	PIPA_LINES_PLAIN,   /* its source line */
	PIPA_LINES_INLINED, /* also the functions that were inlined there, as frames of their own */
};

struct pipa_symbolize_options {
	const char *vmlinux;   /* the kernel's image; NULL: kallsyms, or an image that is found */
	const char *kallsyms;  /* NULL: /proc/kallsyms, if the recording is of the running kernel */
	const char *symfs;     /* where paths begin; NULL: at / */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	const char *cache_dir; /* perf's; NULL: ~/.debug */
	const char *map_dir;   /* of perf-PID.map; NULL: /tmp */
	bool mangled;	       /* leave names as they are in the files */
	enum pipa_lines lines;
	bool no_places; /* of inlined functions only the names, without source lines */
};

/*
 * Make the symbolizer of a profile. The options are copied, their strings, the profile and the root are borrowed.
 * `root` is where /proc is; NULL: that of this machine. NULL on allocation failure.
 */
struct pipa_symbolizer *pipa_symbolizer_new(const struct pipa_symbolize_options *options,
					    struct pipa_profile *profile, struct pipa_root *root);
void pipa_symbolizer_free(struct pipa_symbolizer *symbolizer);
PIPA_DEFINE_AUTO(pipa_symbolizer_free, struct pipa_symbolizer *)

/*
 * Set what the profile is of, as soon and as often as more of it is known; borrowed. Without a recording it is
 * of processes that run now.
 */
void pipa_symbolizer_set_recording(struct pipa_symbolizer *symbolizer,
				   const struct pipa_recording *recording);

/* Profile and recording have moved there. */
void pipa_symbolizer_move(struct pipa_symbolizer *symbolizer, struct pipa_profile *profile,
			  const struct pipa_recording *recording);

/* Look for files in the recording's bundle first; borrowed. */
void pipa_symbolizer_set_bundle(struct pipa_symbolizer *symbolizer,
				const struct pipa_bundle_files *bundle);
/* Look for files among those that the recording holds; taken over. */
void pipa_symbolizer_set_kept(struct pipa_symbolizer *symbolizer, struct pipa_bundle_files *kept);
/* Look for files among those that running processes have mapped; borrowed. */
void pipa_symbolizer_set_mapped(struct pipa_symbolizer *symbolizer,
				const struct pipa_mapped_files *mapped);
/* Ask the servers of the environment for files that have no symbols here. The log is copied. */
void pipa_symbolizer_use_debuginfod(struct pipa_symbolizer *symbolizer, const struct pipa_log *log);

/* Start to read the recorded kernel's kallsyms in the background, if it will be needed. */
void pipa_symbolizer_preload_kallsyms(struct pipa_symbolizer *symbolizer);
/* Use the kallsyms of the running kernel, which is read now, unless the user named another list or image. */
void pipa_symbolizer_use_running_kallsyms(struct pipa_symbolizer *symbolizer);

/* The profile was emptied: its objects have no files any more. 0 or -ENOMEM. */
int pipa_symbolizer_restart(struct pipa_symbolizer *symbolizer);

/* Borrowed. The tables are made when they are first requested; NULL on allocation failure. */
const struct pipa_symbolize_options *pipa_symbolizer_options(
	const struct pipa_symbolizer *symbolizer);
const struct pipa_locate_options *pipa_symbolizer_locate(const struct pipa_symbolizer *symbolizer);
struct pipa_code_files *pipa_symbolizer_files(struct pipa_symbolizer *symbolizer);
struct pipa_jitdumps *pipa_symbolizer_jitdumps(struct pipa_symbolizer *symbolizer);
struct pipa_unwind_tables *pipa_symbolizer_tables(struct pipa_symbolizer *symbolizer);

/*
 * Free the unwind tables: no stack will be unwound any more. The files stay located until they are symbolized,
 * and are closed then.
 */
void pipa_symbolizer_end_unwinding(struct pipa_symbolizer *symbolizer);

/* Symbolize all locations that are not. 0 or -ENOMEM; a file that is not found is not an error. */
int pipa_symbolize(struct pipa_symbolizer *symbolizer, struct pipa_error *err);

/*
 * Symbolize the locations from `first` on, and n of those before it that stayed unresolved. 0 or -ENOMEM.
 */
int pipa_symbolize_new(struct pipa_symbolizer *symbolizer, uint32_t first, const uint32_t *again,
		       size_t n, struct pipa_error *err);

/*
 * Find the kallsyms of the recorded kernel: 1 and its text, borrowed; 0 and why there is none, or -ENOMEM.
 */
int pipa_symbolizer_find_kallsyms(struct pipa_symbolizer *symbolizer, struct pipa_span *ret_text,
				  enum pipa_unresolved *ret_why);

#endif
