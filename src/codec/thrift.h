/*
 * Write structs in Thrift's compact protocol: the metadata of Parquet files. Fields are written in rising order
 * of their ids. Failures stay in the buffer's status.
 *
 * By hand: Debian's Thrift library is written in C++, and a file needs a dozen structs.
 */
#ifndef PIPA_CODEC_THRIFT_H
#define PIPA_CODEC_THRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum pipa_thrift_type {
	PIPA_THRIFT_TRUE = 1,
	PIPA_THRIFT_FALSE = 2,
	PIPA_THRIFT_I8 = 3,
	PIPA_THRIFT_I16 = 4,
	PIPA_THRIFT_I32 = 5,
	PIPA_THRIFT_I64 = 6,
	PIPA_THRIFT_BINARY = 8,
	PIPA_THRIFT_LIST = 9,
	PIPA_THRIFT_STRUCT = 12,
};

enum { PIPA_THRIFT_DEPTH_MAX = 8 };

struct pipa_thrift {
	struct pipa_buf *out;
	int last[PIPA_THRIFT_DEPTH_MAX]; /* id of the last field of each open struct */
	unsigned int depth;		 /* of the innermost open struct, from 0 on */
};

/* Fields of the innermost open struct. An integer's type is I16, I32 or I64; an enum is an I32. */
void pipa_thrift_int(struct pipa_thrift *t, int id, enum pipa_thrift_type type, int64_t value);
void pipa_thrift_i8(struct pipa_thrift *t, int id, int8_t value);
void pipa_thrift_bool(struct pipa_thrift *t, int id, bool value);
void pipa_thrift_binary(struct pipa_thrift *t, int id, const void *bytes, size_t len);
void pipa_thrift_string(struct pipa_thrift *t, int id, const char *text);

/* Open a field that is a struct; close it with pipa_thrift_end(), as the outermost struct. */
void pipa_thrift_begin(struct pipa_thrift *t, int id);
void pipa_thrift_end(struct pipa_thrift *t);

/* Write an empty struct. */
void pipa_thrift_empty(struct pipa_thrift *t, int id);

/* Begin a list; n elements follow: integers, strings, or structs between element and end. */
void pipa_thrift_list(struct pipa_thrift *t, int id, enum pipa_thrift_type type, size_t n);
void pipa_thrift_element_int(struct pipa_thrift *t, int64_t value);
void pipa_thrift_element_string(struct pipa_thrift *t, const char *text);
void pipa_thrift_element(struct pipa_thrift *t); /* a struct */

#endif
