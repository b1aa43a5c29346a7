/* State of an annotation: shared by the annotate_*.c files only. */
#ifndef PIPA_JOB_VIEW_ANNOTATE_OWN_H
#define PIPA_JOB_VIEW_ANNOTATE_OWN_H

#include "analyze/profile/hot.h"
#include "analyze/profile/listing.h"
#include "base/arena.h"
#include "job/view/annotate.h"
#include "job/view/source_text.h"

struct pipa_code_file;
struct pipa_image;
struct pipa_jitdump;

/* An object's file, opened once for all of its functions. */
struct pipa_annotated_object {
	uint32_t object;
	struct pipa_code_file *file; /* owned by the symbolizer; NULL: not available */
	const struct pipa_image *image;
	const struct pipa_jitdump *dump; /* of JIT-compiled code; NULL: none */
	const char *problem;		 /* why it is not available */
	uint64_t slide; /* KASLR offset of the kernel, or load address of a module */
	bool moved;	/* offsets are run-time addresses: subtract the slide */
	bool module;
};

struct pipa_annotating {
	const struct pipa_annotate_options *o;
	const struct pipa_profile *profile;
	struct pipa_symbolizer *symbolizer;
	struct pipa_hot hot;
	struct pipa_source_texts sources;
	struct pipa_arena texts;
	struct {
		struct pipa_annotated_object *items;
		size_t n, cap;
	} objects;
};

/*
 * List a function, or with `inlined` only the instructions of that inlined function. Call
 * pipa_listing_done() also after a failure. 0 or -ENOMEM.
 */
int pipa_annotate_list(struct pipa_annotating *a, const struct pipa_hot_symbol *symbol,
		       bool inlined, struct pipa_listing *ret);

/*
 * Find the code of the function that the options name, in an object by its short name: the function
 * itself, else the largest one that it is inlined into. False if neither has samples.
 */
bool pipa_annotate_find(struct pipa_annotating *a, const char *object, struct pipa_hot_symbol *ret,
			bool *ret_inlined);

/* Close the files of all objects. */
void pipa_annotate_close(struct pipa_annotating *a);

#endif
