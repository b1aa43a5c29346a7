/*
 * Parse the event syntax of perf without the machine:
 *
 *	cycles:u                        a name, generic or of a PMU
 *	r1a8                            a raw code of the core PMU
 *	cpu/event=0x3c,umask=0/k        a PMU with terms
 *	sched:sched_switch              a tracepoint, globs allowed
 *	mem:0x1000/8:rw                 a breakpoint
 *	{a,b,c}:S                       a group, its modifiers for all
 *
 * collect/count/resolve.h resolves the names on a machine.
 */
#ifndef PIPA_PERF_EVENT_SPEC_H
#define PIPA_PERF_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;

enum pipa_spec_kind {
	PIPA_SPEC_NAME,
	PIPA_SPEC_RAW,
	PIPA_SPEC_PMU,
	PIPA_SPEC_TRACEPOINT,
	PIPA_SPEC_BREAKPOINT,
};

/* name=value, or a bare name: a flag, an alias, or a field set to 1. */
struct pipa_spec_term {
	char *name;
	char *value; /* NULL: a bare name */
};

struct pipa_spec_terms {
	struct pipa_spec_term *items;
	size_t n, cap;
};

struct pipa_spec_mods {
	bool user, kernel, hv; /* if one is set, modes that are not set are excluded */
	bool guest, host;      /* likewise */
	bool no_idle;	       /* I */
	bool sample_read;      /* S */
	bool pinned;	       /* D */
	bool exclusive;	       /* e */
	bool weak;	       /* W */
	bool max_precise;      /* P */
	unsigned int precise;  /* number of p, at most 3 */
};

struct pipa_spec {
	enum pipa_spec_kind kind;
	char *text; /* as written, with modifiers: the displayed name */
	char *head; /* event name, PMU name or tracepoint system */
	char *tail; /* tracepoint name, else NULL */
	struct pipa_spec_terms terms;
	struct pipa_spec_mods mods;
	bool has_mods;	     /* the text ends in modifiers */
	uint64_t number;     /* raw code, or breakpoint address */
	unsigned int bp_len; /* 0: not given */
	unsigned int bp_type;
	size_t group; /* number of the {...} group, from 1 on; 0: no group */
};

struct pipa_specs {
	struct pipa_spec *items;
	size_t n, cap;
	size_t groups;
};

/*
 * Parse text and append its events to specs. On failure specs may contain some of the events, and
 * err has the position.
 */
int pipa_specs_parse(struct pipa_specs *specs, const char *text, struct pipa_error *err);
void pipa_specs_done(struct pipa_specs *specs);

/* Parse terms, "a=1,b,c=0x2"; also used for the event definitions of a PMU in /sys. */
int pipa_spec_terms_parse(const char *text, size_t len, struct pipa_spec_terms *ret,
			  struct pipa_error *err);
void pipa_spec_terms_done(struct pipa_spec_terms *terms);

static inline void pipa_specs_done_auto(struct pipa_specs *specs)
{
	pipa_specs_done(specs);
}

static inline void pipa_spec_terms_done_auto(struct pipa_spec_terms *terms)
{
	pipa_spec_terms_done(terms);
}

#endif
