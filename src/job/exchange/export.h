/* Write the profile of a file of any kind in a format for other tools, or send it to a receiver. */
#ifndef PIPA_JOB_EXCHANGE_EXPORT_H
#define PIPA_JOB_EXCHANGE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "ingest/ingest.h"
#include "job/view/selection.h"
#include "symbolize/symbolize.h"

struct pipa_error;
struct pipa_loaded;
struct pipa_otlp_options;

enum pipa_export_format {
	PIPA_EXPORT_PPROF, /* profile.proto, compressed with gzip */
	PIPA_EXPORT_FOLDED,
	PIPA_EXPORT_JSON, /* docs/format/profile.schema.json */
	PIPA_EXPORT_OTLP, /* OTLP profiles as protobuf */
	PIPA_EXPORT_OTLP_JSON,
	PIPA_EXPORT_CALLGRIND,
	PIPA_EXPORT_SPEEDSCOPE,
	PIPA_EXPORT_CPUPROFILE,
	PIPA_EXPORT_GRAPH_JSON,	  /* docs/format/graph.schema.json */
	PIPA_EXPORT_FLAME_CSV,	  /* stacks as CSV */
	PIPA_EXPORT_FIREFOX,	  /* processed profile of the Firefox Profiler */
	PIPA_EXPORT_CHROME_TRACE, /* slices in the Trace Event format */
	PIPA_EXPORT_FORMAT_NR,
};

struct pipa_export_options {
	const char *path;   /* NULL or "-": standard input */
	const char *output; /* a file; NULL: out_fd */
	enum pipa_export_format format;
	bool has_format;   /* the user gave it */
	const char *event; /* formats with one event: only this one; NULL: the first */
	bool not_inlined;  /* inlined functions are not frames */
	bool no_threads;   /* add up the samples of all threads */
	bool uncompressed; /* pprof: no gzip */
	struct pipa_profile_selection selection; /* its all_values is set by the job */
	bool evented;				 /* speedscope: frames with times */
	bool otlp_1_9;				 /* OTLP: layout of proto 1.9 */
	bool otlp_times;			 /* OTLP: the time of each sample */
	const char *version;			 /* of pipa, for OTLP */
	const struct pipa_otlp_options *otlp; /* send it there instead of writing it; NULL: write */
	uint64_t otlp_retry_ns; /* limit of all attempts of a request; 0: the default */
	bool owns_process;	/* while sending, signals end it after a last delivery */
	struct pipa_ingest_options ingest;
	struct pipa_symbolize_options symbols;
	int out_fd;
	struct pipa_log log;
};

/* Return the name of a format, and whether it is binary. */
const char *pipa_export_format_name(enum pipa_export_format format);
bool pipa_export_is_binary(enum pipa_export_format format);

/* Does the format write a selected event? Others write all events. */
bool pipa_export_has_event(enum pipa_export_format format);

/* Write the names of all formats for a message, "pprof, folded or json", to buf and return it. */
enum { PIPA_EXPORT_NAMES_MAX = 256 };
const char *pipa_export_format_names(char *buf, size_t size);

/* Return the format of that name; PIPA_EXPORT_FORMAT_NR if there is none. */
enum pipa_export_format pipa_export_format_find(const char *name);

/* Return the format of a file name's suffix; PIPA_EXPORT_FORMAT_NR if it has none of them. */
enum pipa_export_format pipa_export_format_of_file(const char *path);

/*
 * Write a loaded profile in the format and to the output of the options, which describe no input. 0
 * or a negative errno with err filled.
 */
int pipa_export_write(const struct pipa_export_options *options, const struct pipa_loaded *loaded,
		      struct pipa_error *err);

/* Load and write a profile. Returns 0 or a negative errno with err filled; an incomplete file is removed. */
int pipa_export_run(const struct pipa_export_options *options, struct pipa_error *err);

#endif
