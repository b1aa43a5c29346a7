/*
 * Write samples one by one, as `perf script` does or as JSON lines. A set of fields selects what
 * is written; symbols are those of the profile's locations.
 */
#ifndef PIPA_EXPORT_TABLE_SCRIPT_H
#define PIPA_EXPORT_TABLE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

struct pipa_buf;
struct pipa_error;

enum pipa_script_field {
	PIPA_SCRIPT_COMM,
	PIPA_SCRIPT_PID,
	PIPA_SCRIPT_TID,
	PIPA_SCRIPT_CPU,
	PIPA_SCRIPT_TIME,
	PIPA_SCRIPT_PERIOD,
	PIPA_SCRIPT_EVENT,
	PIPA_SCRIPT_TRACE,
	PIPA_SCRIPT_ADDR,
	PIPA_SCRIPT_IP,
	PIPA_SCRIPT_SYM,
	PIPA_SCRIPT_SYMOFF,
	PIPA_SCRIPT_DSO,
	PIPA_SCRIPT_BRSTACK,
	PIPA_SCRIPT_SRCLINE, /* a known name, but never written */
	PIPA_SCRIPT_FIELD_NR,
};

#define PIPA_SCRIPT_BIT(field) (1u << PIPA_SCRIPT_##field)
/* Fields that need IP. */
#define PIPA_SCRIPT_OF_IP                                                                          \
	(PIPA_SCRIPT_BIT(SYM) | PIPA_SCRIPT_BIT(SYMOFF) | PIPA_SCRIPT_BIT(DSO) |                   \
	 PIPA_SCRIPT_BIT(SRCLINE))

/*
 * Selected fields: exactly these (`all`), or the event's default fields plus some and minus some.
 * All zero: the default fields.
 */
struct pipa_script_fields {
	bool all;
	uint32_t these, more, less;
};

/* Parse "comm,tid,ip" or "+pid,-period". -EINVAL for an unknown field. */
int pipa_script_fields_parse(const char *text, struct pipa_script_fields *ret,
			     struct pipa_error *err);

/* Return the fields of an event as bits. */
uint32_t pipa_script_fields_of(const struct pipa_script_fields *fields, uint32_t own);

const char *pipa_script_field_name(enum pipa_script_field field);

/* A frame of a sample's stack: the recorded address and its location. */
struct pipa_script_frame {
	uint64_t address;
	uint32_t location;
	bool caller;	  /* a return address: its location is that of the call */
	bool fp_fallback; /* found by frame-pointer fallback */
};

struct pipa_script_sample {
	uint32_t fields; /* bits */
	const char *comm, *event;
	const char *trace; /* fields of a tracepoint, or NULL */
	uint32_t pid, tid, cpu;
	uint64_t time_ns, period, addr;
	bool chain;   /* the event records call chains, though this one may be empty */
	int name_len; /* length of the longest event name of the recording */
	const struct pipa_script_frame *frames; /* innermost first */
	size_t n_frames;
	enum pipa_stack_end end;	    /* why the stack ends */
	bool joined;			    /* the outer frames are those of an earlier sample */
	const struct pipa_branch *branches; /* latest first */
	size_t n_branches;
};

void pipa_script_text(const struct pipa_profile *profile, const struct pipa_script_sample *sample,
		      struct pipa_buf *out);
void pipa_script_json(const struct pipa_profile *profile, const struct pipa_script_sample *sample,
		      struct pipa_buf *out);

#endif
