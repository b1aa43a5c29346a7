/*
 * Add the dictionary of OTLP profiles to a profile: strings, attributes, mappings, functions, locations and stacks.
 *
 * Entries keep the number of their row in the profile, so that each is interned once. Attributes and locations are added
 * when the dictionary is read, strings, functions and stacks when they are first referred to.
 */
#ifndef PIPA_IMPORT_OTLP_DICTIONARY_H
#define PIPA_IMPORT_OTLP_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "codec/otlp_schema.h"
#include "codec/proto.h"
#include "import/location_lines.h"
#include "import/otlp/attributes.h"
#include "import/otlp/source.h"
#include "model/profile.h"

struct pipa_otlp_rows {
	struct pipa_profile *p;
	struct pipa_otlp_source source;
	struct pipa_otlp_dictionary tables;
	struct pipa_proto_memory memory; /* of tables */
	uint32_t *strings;		 /* [entry] string of the profile, PIPA_NONE: not yet */
	uint32_t *functions; /* [entry] function of the last object, PIPA_NONE: not yet */
	uint32_t *mappings;  /* [entry] mapping of the profile */
	uint32_t *locations; /* [entry] location of the profile */
	uint32_t *stacks;    /* [entry] stack of the profile + 1; PIPA_NONE: not yet */
	struct pipa_otlp_attribute_labels *attributes; /* [entry] */
	struct pipa_otlp_label_list labels;	       /* of attributes */
	uint32_t truncated; /* location of PIPA_PPROF_TRUNCATED, PIPA_NONE: there is none */
	struct pipa_otlp_label_list list; /* of the current sample or other message */
	struct pipa_location_lines lines; /* of the current location */
};

/*
 * Find the dictionary of the source and read its tables. Returns 0, -EBADMSG if it breaks a rule of the format, or
 * -ENOMEM. The caller sets p and source before, and calls pipa_otlp_rows_done() in any case.
 */
int pipa_otlp_read_dictionary(struct pipa_otlp_rows *rows);

void pipa_otlp_rows_done(struct pipa_otlp_rows *rows);

/*
 * Return the stack of an entry; PIPA_NONE if it has no frames. `offset` is that of the message with the index. 0, -EBADMSG
 * or -ENOMEM.
 */
int pipa_otlp_find_stack(struct pipa_otlp_rows *rows, int32_t index, uint64_t offset,
			 uint32_t *ret);

#endif
