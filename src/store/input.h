/*
 * A file, directory, pipe or standard input that was named on the command line, opened: what kind
 * it is by its content, and its bytes from the start.
 */
#ifndef PIPA_STORE_INPUT_H
#define PIPA_STORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "import/kind.h"

struct pipa_error;
struct pipa_bundle_files;
struct pipa_tar_index;

struct pipa_input {
	const char *name; /* in messages; borrowed from the path */
	enum pipa_kind kind;
	struct pipa_bytes bytes;
	const struct pipa_bytes *parts; /* of a recording that is a directory: its other files */
	size_t n_parts;
	bool cut; /* it was compressed, and its end is missing or corrupt */
	const struct pipa_bundle_files *pack; /* it lay in an archive: what else is in there */
};

/*
 * path NULL and "-": standard input. `again` is for those who read it more than once: what cannot
 * go back is first copied to a file without a symbol, in $TMPDIR or /tmp. So is what gzip or zstd
 * has compressed, decompressed, as recordings are read from several places; the kind is that of
 * what was in it. Of an archive with a recording in it, it is the recording.
 */
int pipa_input_open(const char *path, bool again, struct pipa_input **ret, struct pipa_error *err);
void pipa_input_close(struct pipa_input *input);

/*
 * Open the recording of an archive that is indexed already; the index and `name` are borrowed. The kind of
 * an archive without a recording is PIPA_KIND_TAR. `cut`: its end was missing when it was decompressed.
 */
int pipa_input_open_index(const struct pipa_tar_index *archive, const char *name, bool cut,
			  struct pipa_input **ret, struct pipa_error *err);

/*
 * Open the whole file and return its descriptor, which the caller closes. A pipe, and what gzip or zstd has
 * compressed, are first copied, decompressed, to an unnamed temporary file: in the page cache, not in our
 * memory. *ret_cut: its end is missing or corrupt.
 */
int pipa_input_open_plain(const char *path, bool *ret_cut, struct pipa_error *err);

static inline void pipa_input_close_auto(struct pipa_input **input)
{
	pipa_input_close(*input);
}

#endif
