/* State of a bundle: shared by the bundle_*.c files only. */
#ifndef PIPA_JOB_COLLECT_BUNDLE_OWN_H
#define PIPA_JOB_COLLECT_BUNDLE_OWN_H

#include "base/arena.h"
#include "base/buf.h"
#include "job/collect/bundle.h"
#include "locate/files.h"

struct pipa_input;
struct pipa_outfile;

struct pipa_bundle_file {
	const char *name; /* in the archive */
	const char *path; /* as recorded */
	struct pipa_build_id build_id;
	struct pipa_span bytes;
};

struct pipa_bundle_missing {
	const char *path;
	struct pipa_build_id build_id;
	const char *why;
};

/*
 * Files to archive. Strings are in the arena; the bytes of files belong to the symbolizer, or are
 * in located and texts.
 */
struct pipa_bundle {
	struct pipa_arena arena;
	struct {
		struct pipa_bundle_file *items;
		size_t n, cap;
	} files;
	struct {
		struct pipa_bundle_missing *items;
		size_t n, cap;
	} missing;
	struct {
		struct pipa_located *items;
		size_t n, cap;
	} located; /* other files, mapped until the bundle is written */
	struct {
		struct pipa_buf *items;
		size_t n, cap;
	} texts;
};

void pipa_bundle_done(struct pipa_bundle *bundle);

/*
 * Gather the files that the recording's locations need, sorted by name: valid as long as it is
 * loaded. 0 or -ENOMEM.
 */
int pipa_bundle_gather(struct pipa_bundle *bundle, struct pipa_loaded *loaded);

/* Write the archive: manifest, recording, files. */
int pipa_bundle_write(const struct pipa_bundle *bundle, const struct pipa_loaded *loaded,
		      const struct pipa_input *input, struct pipa_outfile *out,
		      struct pipa_error *err);

/* Format a build ID as hexadecimal digits, "" if there is none. */
enum { PIPA_BUNDLE_ID_SIZE = 2 * PIPA_BUILD_ID_MAX + 1 };
const char *pipa_bundle_id_text(const struct pipa_build_id *id, char text[PIPA_BUNDLE_ID_SIZE]);

#endif
