/* A program, library or vdso, opened to be asked: its files, its names, its lines. */
#ifndef PIPA_SYMBOLIZE_CODE_FILE_H
#define PIPA_SYMBOLIZE_CODE_FILE_H

#include "base/auto.h"
#include "locate/files.h"
#include "symbolize/debug_info.h"
#include "symbolize/fde_ranges.h"

struct pipa_image;

struct pipa_code_file {
	struct pipa_located located;
	struct pipa_image *image;
	struct pipa_ranges ranges;   /* for what has no symbol */
	struct pipa_debug_info info; /* its dwarf is NULL where there are no lines */
};

/*
 * -ENOENT when there is no such file, -ESTALE when the one that is there has another build id,
 * -EBADMSG when it is no ELF image, -ENOMEM. The options must outlive it.
 */
int pipa_code_file_open(const struct pipa_locate_options *locate,
			const struct pipa_wanted_file *wanted, struct pipa_code_file **ret);
/* The same of files that were found, which it takes in any case. */
int pipa_code_file_take(const struct pipa_locate_options *locate, struct pipa_located *located,
			struct pipa_code_file **ret);
void pipa_code_file_close(struct pipa_code_file *file);
PIPA_DEFINE_AUTO(pipa_code_file_close, struct pipa_code_file *)

#endif
