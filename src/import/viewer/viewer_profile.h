/*
 * Build a profile from a file of a viewer: frames with a name and perhaps a file, samples whose weights are numbers of
 * JSON.
 */
#ifndef PIPA_IMPORT_VIEWER_VIEWER_PROFILE_H
#define PIPA_IMPORT_VIEWER_VIEWER_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "codec/json_pull.h"
#include "model/profile.h"

struct pipa_error;

/* A frame as it is in the file; strings that are missing have no text. */
struct pipa_viewer_frame {
	struct pipa_json_text name, file, dso;
	bool is_kernel; /* of files of pipa */
	uint64_t line;	/* of the definition, from 1; 0: unknown */
};

/* Names that pipa writes for stacks that are not complete. */
#define PIPA_VIEWER_TRUNCATED "[truncated]"
#define PIPA_VIEWER_NO_STACK "[no stack]"

/* Intern a string; PIPA_NO_STRING on allocation failure. `scratch` is reused. */
uint32_t pipa_viewer_string(struct pipa_profile *p, const struct pipa_json_text *text,
			    struct pipa_buf *scratch);

/* Intern the location of a frame; PIPA_NONE on allocation failure. */
uint32_t pipa_viewer_location(struct pipa_profile *p, const struct pipa_viewer_frame *frame,
			      struct pipa_buf *scratch);

/* A thread as pipa wrote it: {"comm":...,"pid":1,"tid":1}, other members are skipped. */
struct pipa_viewer_thread {
	struct pipa_json_text comm;
	uint64_t pid, tid; /* PIPA_UNKNOWN32: unknown */
};

/* Intern a thread; PIPA_NONE on allocation failure. */
uint32_t pipa_viewer_thread(struct pipa_profile *p, const struct pipa_viewer_thread *thread,
			    struct pipa_buf *scratch);

/* Convert a number of at least 0 to an integer of `factor` parts, rounded. False if it does not fit. */
bool pipa_viewer_scale(double number, double factor, uint64_t *ret);

/* Fill an error with the failure of the text and its offset. Returns its code. */
int pipa_viewer_fail(const struct pipa_json_pull *json, struct pipa_error *err);

#endif
