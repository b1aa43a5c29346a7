/* Features of a perf.data header: sections of a file, or records of a pipe. Private to perf/. */
#ifndef PIPA_PERF_FEATURES_H
#define PIPA_PERF_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"

struct pipa_perf_events;
struct pipa_recording;

enum pipa_perf_feature {
	PIPA_FEATURE_TRACING_DATA = 1,
	PIPA_FEATURE_BUILD_ID,
	PIPA_FEATURE_HOSTNAME,
	PIPA_FEATURE_OSRELEASE,
	PIPA_FEATURE_VERSION,
	PIPA_FEATURE_ARCH,
	PIPA_FEATURE_NRCPUS,
	PIPA_FEATURE_CPUDESC,
	PIPA_FEATURE_CPUID,
	PIPA_FEATURE_TOTAL_MEM,
	PIPA_FEATURE_CMDLINE,
	PIPA_FEATURE_EVENT_DESC,
	PIPA_FEATURE_CPU_TOPOLOGY,
	PIPA_FEATURE_NUMA_TOPOLOGY,
	PIPA_FEATURE_BRANCH_STACK,
	PIPA_FEATURE_PMU_MAPPINGS,
	PIPA_FEATURE_GROUP_DESC,
	PIPA_FEATURE_AUXTRACE,
	PIPA_FEATURE_STAT,
	PIPA_FEATURE_CACHE,
	PIPA_FEATURE_SAMPLE_TIME,
	PIPA_FEATURE_MEM_TOPOLOGY,
	PIPA_FEATURE_CLOCKID,
	PIPA_FEATURE_DIR_FORMAT,
	PIPA_FEATURE_BPF_PROG_INFO,
	PIPA_FEATURE_BPF_BTF,
	PIPA_FEATURE_COMPRESSED,
	PIPA_FEATURE_CPU_PMU_CAPS,
	PIPA_FEATURE_CLOCK_DATA,
	PIPA_FEATURE_HYBRID_TOPOLOGY,
	PIPA_FEATURE_PMU_CAPS,
	/* stored files: a feature of pipa, with a number that perf does not use */
	PIPA_FEATURE_KEPT_FILES = 250,
	PIPA_FEATURE_BITS = 256,
};

/*
 * Decode feature `number` into the recording, and names, ids and groups into the events. Unknown
 * features are ignored. Returns 0, -EBADMSG if the content exceeds the size, or -ENOMEM.
 */
int pipa_perf_feature_decode(unsigned int number, struct pipa_cursor *c,
			     struct pipa_recording *recording, struct pipa_perf_events *events);

/* Decode an entry of the build ids after its header. `misc` of the header has the CPU mode. */
int pipa_perf_build_id_decode(uint16_t misc, struct pipa_cursor *c,
			      struct pipa_recording *recording);

#endif
