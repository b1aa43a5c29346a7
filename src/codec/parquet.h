/*
 * Write Parquet files: flat tables with typed columns, for DuckDB, pandas, Polars and others.
 *
 * Rows are collected into row groups of PIPA_PARQUET_GROUP_ROWS. A complete group is encoded column by column
 * (dictionary where values repeat, DELTA_BINARY_PACKED for other integers, PLAIN for other values), compressed by
 * zstd and written; memory does not grow with the number of rows, except for about 100 bytes of metadata per
 * column and group. The metadata comes last in the file: a file that was not finished cannot be read.
 *
 * By hand: Debian has no Parquet library for C.
 */
#ifndef PIPA_CODEC_PARQUET_H
#define PIPA_CODEC_PARQUET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_parquet;

enum { PIPA_PARQUET_GROUP_ROWS = 1 << 17 };

enum pipa_parquet_type {
	PIPA_PARQUET_BOOL,
	PIPA_PARQUET_U32,
	PIPA_PARQUET_I64,
	PIPA_PARQUET_U64,
	PIPA_PARQUET_F64,
	PIPA_PARQUET_TEXT,    /* UTF-8 */
	PIPA_PARQUET_TIME_NS, /* nanoseconds of a clock that is not UTC */
	PIPA_PARQUET_UTC_NS,  /* nanoseconds since 1970 in UTC */
};

struct pipa_parquet_column {
	const char *name;
	enum pipa_parquet_type type;
	bool optional;	  /* may be null */
	const char *unit; /* stored as the column's metadata "unit"; NULL: none */
};

struct pipa_parquet_metadata {
	const char *key, *value;
};

struct pipa_parquet_options {
	const struct pipa_parquet_column *columns;
	size_t n_columns;
	const char *created_by; /* program and version */
	int level;		/* of zstd; 0: default */
	/* Takes the file's bytes in order; a return below 0 ends the writing and is the status. */
	int (*put)(void *ctx, const char *bytes, size_t len);
	void *ctx;
};

/* Create a writer; everything in the options is borrowed until it is freed. NULL on allocation failure. */
struct pipa_parquet *pipa_parquet_new(const struct pipa_parquet_options *options);
void pipa_parquet_free(struct pipa_parquet *p);

/*
 * Set a column's value in the current row. A column without a value is null, which is -EINVAL in the status if
 * the column is not optional. Invalid UTF-8 in a text is replaced by U+FFFD, because readers refuse the
 * whole file.
 */
void pipa_parquet_put(struct pipa_parquet *p, size_t column, uint64_t value);
void pipa_parquet_put_f64(struct pipa_parquet *p, size_t column, double value);
void pipa_parquet_put_text(struct pipa_parquet *p, size_t column, const char *text, size_t len);

/* End the current row. Returns the status: 0, or the first failure. */
int pipa_parquet_end_row(struct pipa_parquet *p);

/* Write the rest and the metadata. Returns the status. */
int pipa_parquet_finish(struct pipa_parquet *p, const struct pipa_parquet_metadata *metadata,
			size_t n_metadata);

/* Return the number of texts in which invalid UTF-8 was replaced. */
uint64_t pipa_parquet_replaced(const struct pipa_parquet *p);

#endif
