/*
 * Symbolize the locations of a profile in batches: the files of each object are located once, its
 * offsets resolved in one pass. A location that stays unresolved has the reason.
 *
 * Options are set by the user and never change. All state is in the symbolizer of a profile:
 * located and open files, kallsyms, jitdumps and the debuginfod client.
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

/* Line information of a location in addition to the name of its function. */
enum pipa_lines {
	PIPA_LINES_NONE,
	PIPA_LINES_STACKS,  /* like perf: INLINED for dwarf recordings, else NONE */
	PIPA_LINES_PLAIN,   /* its source line */
	PIPA_LINES_INLINED, /* also inlined functions, as separate frames */
};

struct pipa_symbolize_options {
	const char *vmlinux;   /* kernel image; NULL: kallsyms, or an image that is found */
	const char *kallsyms;  /* NULL: /proc/kallsyms, if the recording is of the running kernel */
	const char *symfs;     /* prefix of paths; NULL: none */
	const char *debug_dir; /* NULL: /usr/lib/debug */
	const char *cache_dir; /* perf's cache; NULL: ~/.debug */
	const char *map_dir;   /* directory of perf-PID.map; NULL: /tmp */
	bool mangled;	       /* do not demangle */
	enum pipa_lines lines;
	bool no_places; /* only names of inlined functions, no source lines */
};

/*
 * Create the symbolizer of a profile. The options are copied; their strings, the profile and the
 * root are borrowed. `root` has /proc; NULL: that of this machine. NULL on allocation failure.
 */
struct pipa_symbolizer *pipa_symbolizer_new(const struct pipa_symbolize_options *options,
					    struct pipa_profile *profile, struct pipa_root *root);
void pipa_symbolizer_free(struct pipa_symbolizer *symbolizer);
PIPA_DEFINE_AUTO(pipa_symbolizer_free, struct pipa_symbolizer *)

/*
 * Set the recording of the profile, again whenever more of it is known; borrowed. Without one the
 * profile is of running processes.
 */
void pipa_symbolizer_set_recording(struct pipa_symbolizer *symbolizer,
				   const struct pipa_recording *recording);

/* Set the new addresses of a moved profile and recording. */
void pipa_symbolizer_move(struct pipa_symbolizer *symbolizer, struct pipa_profile *profile,
			  const struct pipa_recording *recording);

/* Search the recording's bundle first; borrowed. */
void pipa_symbolizer_set_bundle(struct pipa_symbolizer *symbolizer,
				const struct pipa_bundle_files *bundle);
/* Search the kept files of the recording; takes ownership. */
void pipa_symbolizer_set_kept(struct pipa_symbolizer *symbolizer, struct pipa_bundle_files *kept);
/* Search files that running processes have mapped; borrowed. */
void pipa_symbolizer_set_mapped(struct pipa_symbolizer *symbolizer,
				const struct pipa_mapped_files *mapped);
/*
 * Request files without symbols from the debuginfod servers of the environment. The log is copied.
 */
void pipa_symbolizer_use_debuginfod(struct pipa_symbolizer *symbolizer, const struct pipa_log *log);

/* Start to read the recorded kernel's kallsyms in the background, if it will be needed. */
void pipa_symbolizer_preload_kallsyms(struct pipa_symbolizer *symbolizer);
/* Read the kallsyms of the running kernel now and use it, unless the user gave a list or image. */
void pipa_symbolizer_use_running_kallsyms(struct pipa_symbolizer *symbolizer);

/* Close all files after the profile was emptied. 0 or -ENOMEM. */
int pipa_symbolizer_restart(struct pipa_symbolizer *symbolizer);

/*
 * Return parts of the state, borrowed. Unwind tables are created by the first call; NULL on
 * allocation failure.
 */
const struct pipa_symbolize_options *pipa_symbolizer_options(
	const struct pipa_symbolizer *symbolizer);
const struct pipa_locate_options *pipa_symbolizer_locate(const struct pipa_symbolizer *symbolizer);
struct pipa_code_files *pipa_symbolizer_files(struct pipa_symbolizer *symbolizer);
struct pipa_jitdumps *pipa_symbolizer_jitdumps(struct pipa_symbolizer *symbolizer);
struct pipa_unwind_tables *pipa_symbolizer_tables(struct pipa_symbolizer *symbolizer);

/*
 * Free the unwind tables after the last stack was unwound. The files stay located until they are
 * symbolized.
 */
void pipa_symbolizer_end_unwinding(struct pipa_symbolizer *symbolizer);

/* Symbolize all unresolved locations. 0 or -ENOMEM; a file that is not found is not an error. */
int pipa_symbolize(struct pipa_symbolizer *symbolizer, struct pipa_error *err);

/*
 * Symbolize the locations from `first` on, and again[0..n), earlier ones that stayed unresolved. 0
 * or -ENOMEM.
 */
int pipa_symbolize_new(struct pipa_symbolizer *symbolizer, uint32_t first, const uint32_t *again,
		       size_t n, struct pipa_error *err);

/*
 * Find the kallsyms of the recorded kernel. 1 and its text, borrowed; 0 and the reason if there is
 * none, or -ENOMEM.
 */
int pipa_symbolizer_find_kallsyms(struct pipa_symbolizer *symbolizer, struct pipa_span *ret_text,
				  enum pipa_unresolved *ret_why);

#endif
