/* Detect the kind of a file by its first bytes, not by its name. */
#ifndef PIPA_IMPORT_KIND_H
#define PIPA_IMPORT_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum pipa_kind {
	PIPA_KIND_UNKNOWN,
	PIPA_KIND_EMPTY,
	PIPA_KIND_PERF_DATA, /* either byte order, file or pipe format */
	PIPA_KIND_GZIP,
	PIPA_KIND_ZSTD,
	PIPA_KIND_TAR,
	PIPA_KIND_PERF_SCRIPT,
	PIPA_KIND_FOLDED,
	PIPA_KIND_PPROF,	/* profile.proto, not compressed */
	PIPA_KIND_PPROF_LEGACY, /* a form that pprof had before profile.proto */
	PIPA_KIND_OTLP,		/* OTLP profiles as protobuf, not compressed */
	PIPA_KIND_OTLP_JSON,
	PIPA_KIND_SPEEDSCOPE,
	PIPA_KIND_CPUPROFILE, /* of V8 */
	PIPA_KIND_NR,
};

/* Bytes needed for detection. */
#define PIPA_KIND_BYTES ((size_t)64 << 10)

/*
 * Return the number of bytes to skip before detection: comments and empty lines at the start of a
 * text, which may exceed PIPA_KIND_BYTES. `inside` is false at the start of the text and tells the
 * next call that a comment continues.
 */
size_t pipa_kind_skip(const void *bytes, size_t len, bool *inside);

/* Return the kind of a file. An incomplete last line is ignored unless it is the only one. */
enum pipa_kind pipa_kind_find(const void *bytes, size_t len);

/* Return a description, such as "a perf.data recording". */
const char *pipa_kind_name(enum pipa_kind kind);

#endif
