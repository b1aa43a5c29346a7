/*
 * Data frames: tables with typed, named columns, for pandas, Polars, DuckDB and others. A producer writes rows to a
 * pipa_frame_writer; each file format is an implementation of it.
 */
#ifndef PIPA_CODEC_FRAME_H
#define PIPA_CODEC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum pipa_frame_type {
	PIPA_FRAME_BOOL,
	PIPA_FRAME_U32,
	PIPA_FRAME_I64,
	PIPA_FRAME_U64,
	PIPA_FRAME_F64,
	PIPA_FRAME_TEXT,    /* UTF-8 */
	PIPA_FRAME_TIME_NS, /* nanoseconds of a clock that is not UTC */
	PIPA_FRAME_UTC_NS,  /* nanoseconds since 1970 in UTC */
};

struct pipa_frame_column {
	const char *name;
	enum pipa_frame_type type;
	bool optional;	  /* may be null */
	const char *unit; /* NULL: none */
};

/* A fact about the whole table. */
struct pipa_frame_fact {
	const char *key, *value;
};

/*
 * Writer of one table. Values of a row are set in any order; a column without a value is null. The first failure
 * stays in the status that end_row() and finish() return; the row of a required column without a value is
 * -EINVAL.
 */
struct pipa_frame_writer {
	void (*put)(struct pipa_frame_writer *w, size_t column, uint64_t value);
	void (*put_f64)(struct pipa_frame_writer *w, size_t column, double value);
	void (*put_text)(struct pipa_frame_writer *w, size_t column, const char *text, size_t len);
	int (*end_row)(struct pipa_frame_writer *w);
	int (*finish)(struct pipa_frame_writer *w, const struct pipa_frame_fact *facts, size_t n);
	void (*free)(struct pipa_frame_writer *w);
};

struct pipa_frame_options {
	const struct pipa_frame_column *columns;
	size_t n_columns;
	const char *created_by; /* program and version */
	/* Takes the file's bytes in order; a return below 0 ends the writing and is the status. */
	int (*put)(void *ctx, const char *bytes, size_t len);
	void *ctx;
};

static inline void pipa_frame_put_string(struct pipa_frame_writer *w, size_t column,
					 const char *text)
{
	w->put_text(w, column, text, strlen(text));
}

#endif
