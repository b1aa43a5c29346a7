/*
 * Description of a recording: where, when and how it was made, its mapped files, and the part of it
 * that could be read. Strings are in the arena.
 */
#ifndef PIPA_MODEL_RECORDING_H
#define PIPA_MODEL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/record.h"

enum { PIPA_RECORD_TYPES = 128 };

/* A fact, such as "hostname" and "box". */
struct pipa_recorded_fact {
	const char *name, *text;
};

/* A mapped file and its build id. */
struct pipa_recorded_file {
	struct pipa_build_id build_id;
	enum pipa_mode mode;
	const char *path;
};

struct pipa_damage {
	uint64_t count;	 /* malformed records */
	uint64_t at;	 /* position of the first one */
	char what[120];	 /* description of the first one */
	bool incomplete; /* the end of the file was not reached */
};

struct pipa_recording {
	struct pipa_arena arena;
	struct {
		struct pipa_recorded_fact *items;
		size_t n, cap;
	} facts;
	struct {
		struct pipa_recorded_file *items;
		size_t n, cap;
	} files;
	const char *arch;	    /* "x86_64"; NULL: unknown */
	uint64_t first_ns, last_ns; /* first and last sample; 0: unknown */
	bool has_clock;		    /* the next three are known */
	uint32_t clock_id;
	uint64_t clock_wall_ns, clock_ns; /* the same time by both clocks */
	bool piped, swapped, compressed;
	/* position and size of the section with kept files; size 0: none */
	uint64_t kept_at, kept_size;
	bool stacks;				/* samples have stack dumps */
	uint64_t counts[PIPA_RECORD_TYPES + 1]; /* records per type; last: all higher types */
	uint64_t records;
	struct pipa_damage damage;
};

void pipa_recording_done(struct pipa_recording *recording);

/* Append a fact or a file; strings are copied. 0 or -ENOMEM. */
int pipa_recording_add_fact(struct pipa_recording *recording, const char *name, const char *text);
int pipa_recording_add_file(struct pipa_recording *recording,
			    const struct pipa_recorded_file *file);

/* Return the text of a fact, NULL if there is none. */
const char *pipa_recording_fact(const struct pipa_recording *recording, const char *name);

/* Return `own` if it is set, else the build id that the recording has for the path. */
struct pipa_build_id pipa_recording_build_id(const struct pipa_recording *recording,
					     const char *path, struct pipa_build_id own);

/* Count n records of a type. */
void pipa_recording_count(struct pipa_recording *recording, uint32_t type, uint64_t n);
void pipa_recording_note_damage(struct pipa_recording *recording, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
