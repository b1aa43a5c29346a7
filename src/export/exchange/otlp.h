/*
 * Write a profile as OTLP profiles: ProfilesData, which is the same as the body of an export request.
 *
 * There is one ResourceProfiles per process with its process.* attributes, and one Profile per value column: of each
 * event its samples in "count" and itself in its unit, as in pprof files (export/exchange/pprof.h). A Sample has one value
 * (an aggregate), the attributes thread.id, thread.name and cpu.logical_number, the labels as attributes, and a link if it has
 * the labels trace_id and span_id. A stack whose callers are missing gets the outermost frame "[truncated]".
 *
 * With times, the samples of a profile of counts have timestamps_unix_nano instead of a value: each counts 1, as the
 * profiles of opentelemetry-ebpf-profiler. The other profile of the event keeps aggregates: Pyroscope refuses several
 * values per sample, and all samples of a profile should have one form.
 *
 * The dictionary has no equal and no unused entries. The output is what receivers accept: Parca needs a period_type and no
 * empty Profile, Pyroscope one value per sample and a mapping whose locations all have symbols or all have none; both
 * need an empty first link, and keys and strings of resources that are not references.
 */
#ifndef PIPA_EXPORT_EXCHANGE_OTLP_H
#define PIPA_EXPORT_EXCHANGE_OTLP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/otlp_schema.h"

struct pipa_profile;
struct pipa_timeline;

struct pipa_otlp_resource_text {
	const char *key, *text;
};

struct pipa_otlp_format {
	enum pipa_otlp_layout layout;
	bool no_threads; /* leave out thread.id and thread.name: add up the samples of a process */
	const char *version; /* of pipa, for the scope; NULL: none */
	/* attributes of each resource that does not have them, such as service.name and host.name */
	const struct pipa_otlp_resource_text *resource;
	size_t n_resource;
	/*
	 * times of the samples, by their index, of a clock to which utc_offset_ns is added to get UTC; NULL, or some samples without a
	 * time: no timestamps
	 */
	const struct pipa_timeline *times;
	uint64_t utc_offset_ns;
	/* only the samples [from, until) of the profile, for requests of a limited size; until 0: all */
	size_t from, until;
};

/*
 * Pass the bytes to put() in pieces that end anywhere; a return below 0 ends it and is returned. Else 0, -ENOMEM, or
 * -ERANGE if a value exceeds 63 bits. Memory beside the profile: a window of 64 KiB, the encoded mappings, functions,
 * locations and attributes, and a number per string, location, stack and sample.
 */
int pipa_otlp_write(const struct pipa_profile *profile, const struct pipa_otlp_format *format,
		    int (*put)(void *ctx, const char *bytes, size_t len), void *ctx);

#endif
