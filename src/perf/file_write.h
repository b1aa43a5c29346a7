/*
 * Encode the header of a perf.data file and the features after its records. The records are
 * written by the caller.
 */
#ifndef PIPA_PERF_FILE_WRITE_H
#define PIPA_PERF_FILE_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/record.h"
#include "perf/attr.h"
#include "perf/features.h"

struct pipa_buf;

/*
 * Encode header, ids and attrs. The length depends only on the events: written at the start without
 * size and features, it is overwritten at the end. Returns the length, which is the offset of the
 * first record.
 */
size_t pipa_perf_put_head(struct pipa_buf *out, const struct pipa_perf_events *events,
			  uint64_t data_size, const uint64_t features[4]);

struct pipa_perf_topology {
	/* CPU lists of those that share a socket, a core, a die; no dies where none are known */
	const char *const *cores, *const *threads, *const *dies;
	size_t n_cores, n_threads, n_dies;
	const uint32_t *core_ids, *socket_ids, *die_ids; /* of each CPU; die_ids may be NULL */
	size_t n_cpus;
};

struct pipa_perf_pmu {
	uint32_t type;
	const char *name;
};

struct pipa_perf_file_build_id {
	const char *path;
	struct pipa_build_id build_id;
};

/* Description of the machine and of the recording; NULL and 0 are left out. */
struct pipa_perf_about {
	const char *hostname, *os_release, *version, *arch, *cpu, *cpu_id;
	uint32_t cpus_online, cpus_available;
	uint64_t memory_kb;
	const char *const *command; /* ours, as it was called; n_command texts */
	size_t n_command;
	struct pipa_perf_topology topology;
	const struct pipa_perf_pmu *pmus;
	size_t n_pmus;
	uint64_t first_ns, last_ns; /* of the samples */
	uint32_t clock_id;	    /* CLOCK_DATA: one moment by two clocks */
	uint64_t clock_res_ns, clock_wall_ns, clock_ns;
	const struct pipa_build_id *kernel_build_id;
	const struct pipa_perf_file_build_id *files; /* mapped files whose build id is known */
	size_t n_files;
	bool keeps_files;	/* a section of kept files will follow the features */
	const uint8_t *tracing; /* tracing data, made by the caller */
	size_t n_tracing;
	struct {
		uint32_t level, ratio, ring_bytes;
	} compressed;
};

/*
 * The features, to stand at offset `at` of the file; which there are goes into bits. The entry of kept files
 * is the last of the table: it begins where the features end, and its size, 0 here, is for the caller to set.
 */
void pipa_perf_put_features(struct pipa_buf *out, const struct pipa_perf_events *events,
			    const struct pipa_perf_about *about, uint64_t at, uint64_t bits[4]);

/*
 * Encode the start of a recording to a pipe as records: header, events with ids and names,
 * features. -E2BIG if the ids of an event do not fit into a record.
 */
int pipa_perf_put_pipe_head(struct pipa_buf *out, const struct pipa_perf_events *events,
			    const struct pipa_perf_about *about);

#endif
