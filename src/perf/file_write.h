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
	/* CPU lists of sockets, cores and dies; n_dies 0: unknown */
	const char *const *cores, *const *threads, *const *dies;
	size_t n_cores, n_threads, n_dies;
	const uint32_t *core_ids, *socket_ids, *die_ids; /* by CPU; die_ids may be NULL */
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

/* Description of the machine and of the recording. Fields that are NULL or 0 are not written. */
struct pipa_perf_about {
	const char *hostname, *os_release, *version, *arch, *cpu, *cpu_id;
	uint32_t cpus_online, cpus_available;
	uint64_t memory_kb;
	const char *const *command; /* command line of pipa, n_command strings */
	size_t n_command;
	struct pipa_perf_topology topology;
	const struct pipa_perf_pmu *pmus;
	size_t n_pmus;
	uint64_t first_ns, last_ns; /* times of the first and last sample */
	uint32_t clock_id;	    /* CLOCK_DATA: the same time by two clocks */
	uint64_t clock_res_ns, clock_wall_ns, clock_ns;
	const struct pipa_build_id *kernel_build_id;
	const struct pipa_perf_file_build_id *files; /* mapped files with a known build id */
	size_t n_files;
	bool keeps_files;	/* a section of stored files follows the features */
	const uint8_t *tracing; /* encoded tracing data */
	size_t n_tracing;
	struct {
		uint32_t level, ratio, ring_bytes;
	} compressed;
};

/*
 * Encode the features for offset `at` of the file and set their bits. The entry of stored files is
 * the last one of the table: its section begins where the features end. Its size is 0; the caller
 * sets it.
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
