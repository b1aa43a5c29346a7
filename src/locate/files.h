/*
 * Find the file of a mapping and its separate debug file: by build id first, then by path if the
 * build id agrees or is unknown.
 */
#ifndef PIPA_LOCATE_FILES_H
#define PIPA_LOCATE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/file_id.h"
#include "base/span.h"

struct pipa_debuginfod;
struct pipa_mapped_files;
struct pipa_bundle_files;
struct stat;

struct pipa_locate_options {
	const char *symfs;			/* prefix of paths; NULL: none */
	const char *debug_dir;			/* NULL: /usr/lib/debug */
	const char *cache_dir;			/* perf's cache; NULL: ~/.debug */
	const struct pipa_bundle_files *bundle; /* the files of the bundle, or NULL */
	const struct pipa_bundle_files *kept;	/* kept files of the recording, NULL: none */
	const struct pipa_mapped_files *mapped; /* files of running processes, NULL: none */
	struct pipa_debuginfod *debuginfod;	/* client for files without symbols, or NULL */
	bool foreign;	   /* recorded with another kernel: its vdso differs from ours */
	bool same_host;	   /* recorded on this machine: another inode means another file */
	uint64_t until_ns; /* end of the recording, since 1970; 0: unknown */
};

/* A file to locate. */
struct pipa_wanted_file {
	const char *path;
	const uint8_t *build_id;
	size_t build_id_len;	  /* 0: unknown */
	struct pipa_file_id file; /* of the mapping; inode 0: unknown */
};

enum pipa_located_state {
	PIPA_LOCATED,
	PIPA_LOCATE_NO_FILE, /* not found, or not readable */
	PIPA_LOCATE_OTHER,   /* the file has another build id or inode */
};

struct pipa_located {
	enum pipa_located_state state;
	struct pipa_span main, debug; /* mapped; empty if missing */
	struct pipa_span package;     /* split units (.dwp), mapped; empty if missing */
	bool borrowed;		      /* main is memory of this process */
	bool unverified; /* main was found by its path and confirmed neither by build id nor by identity */
};

/*
 * Locate a file and its debug file. Never fails: ret->state describes what is missing. Free with
 * pipa_located_done().
 */
void pipa_locate(const struct pipa_locate_options *options, const struct pipa_wanted_file *wanted,
		 struct pipa_located *ret);
void pipa_located_done(struct pipa_located *located);

/*
 * Map the dwz file (.gnu_debugaltlink) of the debug file or of the file itself; false if it names
 * none or it is missing. End it with pipa_locate_unmap().
 */
bool pipa_locate_shared(const struct pipa_locate_options *options,
			const struct pipa_located *located, struct pipa_span *ret);

/* Return the build id of an image, borrowed from it; false if there is none. */
bool pipa_locate_build_id(struct pipa_span image, struct pipa_span *ret);

/* Has the image no symbol table other than .dynsym? */
bool pipa_locate_is_stripped(struct pipa_span image);

/* Open a regular file and stat it; -1 for other files and on failure. */
int pipa_locate_open(const char *path, struct stat *ret);

/* Map a file; false unless it is regular and not empty. */
bool pipa_locate_map(const char *path, struct pipa_span *ret);
bool pipa_locate_map_fd(int fd, struct pipa_span *ret);
void pipa_locate_unmap(struct pipa_span *span);

/* Replace a mapped compressed file by its content. False on failure: it is unmapped. */
bool pipa_locate_unpack(struct pipa_span *file);

/* Find a .dwo file by its path, relative to the compilation directory (NULL: unknown). */
bool pipa_locate_split(const struct pipa_locate_options *options, const char *comp_dir,
		       const char *name, struct pipa_span *ret);

#endif
