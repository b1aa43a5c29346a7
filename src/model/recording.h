/*
 * What a recording says of itself: where, when and how it was made, which files were mapped, and how
 * much of it could be read. Texts live in its arena.
 */
#ifndef PIPA_MODEL_RECORDING_H
#define PIPA_MODEL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/record.h"

enum { PIPA_RECORD_TYPES = 128 };

/* "hostname", "box" */
struct pipa_recorded_fact {
	const char *name, *text;
};

/* The build id of a file that was mapped. */
struct pipa_recorded_file {
	struct pipa_build_id build_id;
	enum pipa_mode mode;
	const char *path;
};

struct pipa_damage {
	uint64_t count;	 /* records that was malformed */
	uint64_t at;	 /* where the first stood */
	char what[120];	 /* of the first: what is wrong with it */
	bool incomplete; /* reading ended before the end */
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
	const char *arch;	    /* "x86_64", NULL: not said */
	uint64_t first_ns, last_ns; /* of its samples, 0: not said */
	bool has_clock;		    /* the next three are known */
	uint32_t clock_id;
	uint64_t clock_wall_ns, clock_ns; /* one moment by both clocks */
	bool piped, swapped, compressed;
	uint64_t kept_at, kept_size; /* of the section of files that it holds; size 0: none */
	bool stacks;		     /* samples carry a piece of the stack, which tells callers */
	uint64_t counts[PIPA_RECORD_TYPES + 1]; /* records by type; the last: all higher ones */
	uint64_t records;
	struct pipa_damage damage;
};

void pipa_recording_done(struct pipa_recording *recording);

/* All copy their texts. 0 or -ENOMEM. */
int pipa_recording_add_fact(struct pipa_recording *recording, const char *name, const char *text);
int pipa_recording_add_file(struct pipa_recording *recording,
			    const struct pipa_recorded_file *file);

/* The text of a fact, NULL when it is not among them. */
const char *pipa_recording_fact(const struct pipa_recording *recording, const char *name);

/* `own`, or if that is not known the build id that the recording has for the path. */
struct pipa_build_id pipa_recording_build_id(const struct pipa_recording *recording,
					     const char *path, struct pipa_build_id own);

/* Count n records of a type. */
void pipa_recording_count(struct pipa_recording *recording, uint32_t type, uint64_t n);
void pipa_recording_note_damage(struct pipa_recording *recording, uint64_t at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
