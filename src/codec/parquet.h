/*
 * Write Parquet files: flat tables with typed columns, for DuckDB, pandas, Polars and others.
 *
 * Rows are collected into row groups of PIPA_PARQUET_GROUP_ROWS, fewer with more than 40 columns. A complete group
 * is encoded column by column (dictionary where values repeat, DELTA_BINARY_PACKED for other integers, PLAIN for other
 * values), compressed by zstd and written; memory does not grow with the number of rows, except for about 100 bytes of
 * metadata per column and group. The metadata comes last in the file: a file that was not finished cannot be read.
 *
 * By hand: Debian has no Parquet library for C.
 */
#ifndef PIPA_CODEC_PARQUET_H
#define PIPA_CODEC_PARQUET_H

#include <stdint.h>

#include "codec/frame.h"

enum { PIPA_PARQUET_GROUP_ROWS = 1 << 17 };

/*
 * Create a writer; everything in the options is borrowed until it is freed. NULL on allocation failure. Invalid UTF-8 in
 * a text is replaced by U+FFFD, because readers refuse the whole file.
 */
struct pipa_frame_writer *pipa_parquet_new(const struct pipa_frame_options *options);

/* Return the number of texts in which invalid UTF-8 was replaced. */
uint64_t pipa_parquet_replaced(const struct pipa_frame_writer *w);

#endif
