/*
 * An input of the command line (file, directory, pipe or standard input): its kind, detected by
 * content, and its bytes.
 */
#ifndef PIPA_STORE_INPUT_H
#define PIPA_STORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/file/bytes.h"
#include "import/kind.h"

struct pipa_error;
struct pipa_bundle_files;
struct pipa_tar_index;

struct pipa_input {
	const char *name; /* for messages; borrowed from the path */
	enum pipa_kind kind;
	struct pipa_bytes bytes;
	const struct pipa_bytes *parts; /* other files of a recording in directory format */
	size_t n_parts;
	bool cut;	     /* the file is truncated or corrupt */
	bool compressed_cut; /* so is its compressed form, not only a tar archive */
	const struct pipa_bundle_files *pack; /* other members of the archive of this input */
};

/*
 * Open an input. path NULL and "-": standard input. `again`: the input is read more than once, so a
 * pipe is first copied to an unnamed temporary file in $TMPDIR or /tmp. Files compressed by gzip or
 * zstd are decompressed to such a file, because reading a recording needs random access; the kind
 * is that of the content. An archive with a recording is opened as the recording.
 */
int pipa_input_open(const char *path, bool again, struct pipa_input **ret, struct pipa_error *err);
void pipa_input_close(struct pipa_input *input);

/*
 * Open the recording of an indexed archive; the index and `name` are borrowed. The kind of an
 * archive without a recording is PIPA_KIND_TAR. `cut`: the compressed archive is truncated.
 */
int pipa_input_open_index(const struct pipa_tar_index *archive, const char *name, bool cut,
			  struct pipa_input **ret, struct pipa_error *err);

/*
 * Open a whole file and return its descriptor, which the caller closes. Pipes and files compressed
 * by gzip or zstd are first copied, decompressed, to an unnamed temporary file, which uses the page
 * cache instead of process memory. *ret_cut: the compressed file is truncated or corrupt.
 */
int pipa_input_open_plain(const char *path, bool *ret_cut, struct pipa_error *err);

static inline void pipa_input_close_auto(struct pipa_input **input)
{
	pipa_input_close(*input);
}

#endif
