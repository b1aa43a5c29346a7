/*
 * What an earlier measurement left behind, by its name: the files of a folder, or the members of an
 * archive, which may be packed by gzip or zstd. An archive has them below a folder of their own, and so
 * has one that was unpacked. Inside job/ only.
 */
#ifndef PIPA_STORE_MEASUREMENT_FILES_H
#define PIPA_STORE_MEASUREMENT_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct pipa_error;

struct pipa_run_files {
	const char *path;	/* a loan */
	bool is_folder;		/* else an archive */
	bool cut;		/* the archive was cut off or damaged */
	struct pipa_span bytes; /* of the archive, decompressed; mapped */
};

/* A path that is neither is refused. */
int pipa_run_files_open(const char *path, struct pipa_run_files *ret, struct pipa_error *err);
void pipa_run_files_close(struct pipa_run_files *files);

/* Append the text of that name; -ENOENT where there is none, without a message. */
int pipa_run_files_read(const struct pipa_run_files *files, const char *name, struct pipa_buf *ret,
			struct pipa_error *err);

/* Where that file lies; false: it is not there, or not in a folder. */
bool pipa_run_files_find(const struct pipa_run_files *files, const char *name, char *ret,
			 size_t size);

static inline void pipa_run_files_close_auto(struct pipa_run_files *files)
{
	pipa_run_files_close(files);
}

#endif
