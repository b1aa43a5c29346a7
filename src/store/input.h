/*
 * A file, folder, pipe or standard input that was named on the command line, opened: what kind it is
 * by its content, and its bytes from the start.
 */
#ifndef PIPA_STORE_INPUT_H
#define PIPA_STORE_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/span.h"
#include "import/kind.h"

struct pipa_error;
struct pipa_bundle_files;

struct pipa_input {
	const char *name; /* in messages; a loan of the path */
	enum pipa_kind kind;
	struct pipa_bytes bytes;
	const struct pipa_bytes *parts; /* of a recording that is a folder: its other files */
	size_t n_parts;
	bool cut;			      /* it was packed, and its end is missing or damaged */
	const struct pipa_bundle_files *pack; /* it lay in an archive: what else is in there */
};

/*
 * path NULL and "-": standard input. `again` is for those who read it more than once: what cannot go
 * back is first copied to a file without a name, in $TMPDIR or /tmp. So is what gzip or zstd has
 * packed, unpacked, as recordings are read from several places; the kind is that of what was in it.
 * Of an archive with a recording in it, it is the recording.
 */
int pipa_input_open(const char *path, bool again, struct pipa_input **ret, struct pipa_error *err);
void pipa_input_close(struct pipa_input *input);

/*
 * Map the whole file, decompressed into an unnamed temporary file if gzip or zstd has compressed it: it is in
 * the page cache and not in memory of ours. *ret_cut: its end is missing or corrupt. An empty file is an
 * empty span. The caller unmaps it: pipa_locate_unmap().
 */
int pipa_input_map(const char *path, struct pipa_span *ret, bool *ret_cut, struct pipa_error *err);

static inline void pipa_input_close_auto(struct pipa_input **input)
{
	pipa_input_close(*input);
}

#endif
