/*
 * Find the file of a mapping and its separate debug file: by build id first, then by path if the
 * build id agrees or is unknown.
 */
#ifndef PIPA_LOCATE_FILES_H
#define PIPA_LOCATE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_id.h"
#include "base/span.h"

struct pipa_debuginfod;
struct pipa_mapped_files;
struct pipa_bundle_files;
struct stat;

struct pipa_locate_options {
	const char *symfs;		      /* where paths begin; NULL: at / */
	const char *debug_dir;		      /* NULL: /usr/lib/debug */
	const char *cache_dir;		      /* perf's; NULL: ~/.debug */
	const struct pipa_bundle_files *pack; /* the files of the bundle, or NULL */
	const struct pipa_bundle_files *kept; /* files that the recording holds, NULL: none */
	const struct pipa_mapped_files
		*mapped;		    /* of processes that run now, NULL: none are known */
	struct pipa_debuginfod *debuginfod; /* client for files without symbols here; or NULL */
	bool foreign;			    /* it was not this kernel: nor is its vdso ours */
	bool same_host;	   /* it was this machine: a file with another inode is another file */
	uint64_t until_ns; /* when the recording ended, since 1970; 0: not known */
};

/* Request. */
struct pipa_wanted_file {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len;	  /* 0: not known */
	struct pipa_file_id file; /* of the mapping; inode 0: not known */
};

enum pipa_located_state {
	PIPA_LOCATED,
	PIPA_LOCATE_NO_FILE, /* not found, or not readable */
	PIPA_LOCATE_OTHER,   /* a file is there, but with another build id or inode */
};

struct pipa_located {
	enum pipa_located_state state;
	struct pipa_span main, debug; /* mapped; empty if there is none */
	struct pipa_span package;     /* of its split units (.dwp), the same */
	bool borrowed;		      /* main is this process's own memory */
	bool unverified; /* main was found by its path, and neither build id nor identity confirm it */
};

/* Never fails: the state says what is missing. pipa_located_done() unmaps. */
void pipa_locate(const struct pipa_locate_options *options, const struct pipa_wanted_file *wanted,
		 struct pipa_located *ret);
void pipa_located_done(struct pipa_located *located);

/*
 * Map the dwz file (.gnu_debugaltlink) of the debug file or of the file itself; false if it names
 * none or it is missing. End it with pipa_locate_unmap().
 */
bool pipa_locate_shared(const struct pipa_locate_options *options,
			const struct pipa_located *located, struct pipa_span *ret);

/* Return the build id of an image, borrowed from it. */
bool pipa_locate_build_id(struct pipa_span image, struct pipa_span *ret);

/* Does the image name its code only as far as others may call it: no symbol table of any kind? */
bool pipa_locate_is_stripped(struct pipa_span image);

/* Open a regular file and stat it; -1 for all else. */
int pipa_locate_open(const char *path, struct stat *ret);

/* Map a whole file, if it is a regular one and not empty. */
bool pipa_locate_map(const char *path, struct pipa_span *ret);
bool pipa_locate_map_fd(int fd, struct pipa_span *ret);
void pipa_locate_unmap(struct pipa_span *span);

/* Replace a mapped file that is compressed by its content; false: that failed, and it is unmapped. */
bool pipa_locate_unpack(struct pipa_span *file);

/* Find a .dwo file by the path the compiler wrote, relative to its directory (NULL: unknown). */
bool pipa_locate_split(const struct pipa_locate_options *options, const char *comp_dir,
		       const char *name, struct pipa_span *ret);

#endif
