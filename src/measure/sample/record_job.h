/*
 * State of a recording: shared by the files that set it up and run it, and by run, top and
 * collect.
 */
#ifndef PIPA_MEASURE_SAMPLE_RECORD_JOB_H
#define PIPA_MEASURE_SAMPLE_RECORD_JOB_H

#include "base/auto.h"
#include "base/buf.h"
#include "collect/count/counters.h"
#include "collect/sample/sampler.h"
#include "measure/follow.h"
#include "measure/sample/process_tree.h"
#include "measure/sample/record.h"
#include "measure/sample/record_file.h"
#include "measure/sample/record_header.h"
#include "measure/sample/record_maps.h"
#include "measure/sample/record_plan.h"
#include "measure/sample/record_print.h"
#include "measure/sample/record_unwind.h"
#include "measure/sample/rings.h"
#include "perf/split.h"

struct pipa_instrument_ops;
struct pipa_record_job;

struct pipa_record_job {
	const struct pipa_record_options *o;
	const struct pipa_host *host;
	struct pipa_record_plan plan;
	struct pipa_follow *follow; /* borrowed */
	struct pipa_target target;
	struct pipa_sampler *sampler;
	struct pipa_perf_events events;
	struct pipa_perf_splitter *tally;
	struct pipa_record_file *file;	 /* NULL: print only */
	struct pipa_record_unwind *live; /* NULL: stack dumps are written */
	struct pipa_record_maps *maps;	 /* mapped files */
	struct pipa_process_tree *tree;	 /* NULL: no filter by process tree */
	struct pipa_record_print *print;
	struct pipa_record_header about;
	struct pipa_buf tracing, round, kept;
	struct pipa_rings rings;
	uint64_t start_ns;
	uint64_t drained;   /* bytes of this drain */
	uint64_t left_out;  /* samples counted but not written, e.g. of pipa itself */
	uint64_t malformed; /* samples that could not be decoded, counted as lost */
	uint64_t *late;	    /* samples that clocks have missed, in the tally's order, or NULL */
	bool ended;	    /* no more records are wanted */
	bool by_record;	    /* records of the current ring are processed one by one */
	bool reported;	    /* progress was reported, its end was not */
	int print_status;   /* error that ended printing */
	struct pipa_record_outcome outcome; /* of the instrument, once it is finished */
	/* receives synthesized records if no file is written; may be NULL */
	int (*learn)(void *ctx, const void *bytes, size_t len);
	void *learn_ctx;
};

/* Sampling into a file as an instrument; the context is the struct pipa_record_job. */
extern const struct pipa_instrument_ops pipa_record_instrument;

/* Disable the events; the rings are read when the recording is finished. */
void pipa_record_pause(struct pipa_record_job *job);

/* Free everything. */
void pipa_record_done(struct pipa_record_job *job);

/* Add complete records as if they came from a CPU's ring. 0 or a negative errno. */
int pipa_record_put(struct pipa_record_job *job, int cpu, const uint8_t *bytes, size_t len);

/*
 * Compare the kernel's counts with the records, after the events are disabled and the rings
 * drained, and write missing samples as lost. 0 or a negative errno.
 */
int pipa_record_account(struct pipa_record_job *job, struct pipa_error *err);

/* Open the events and rings, the tally of records, and the printer. */
int pipa_record_open_sampler(struct pipa_record_job *job, struct pipa_error *err);

/* Open the output and write what precedes the records. */
int pipa_record_open_file(struct pipa_record_job *job, struct pipa_error *err);

/* Read the description of the machine: at the start for a pipe, at the end for a file. */
int pipa_record_load_header(struct pipa_record_job *job, struct pipa_error *err);

/* Synthesize records of existing state: the kernel, and all processes except a held command. */
int pipa_record_synthesize(struct pipa_record_job *job, struct pipa_error *err);

/* Note limits and missing permissions before the recording starts. */
void pipa_record_note_start(const struct pipa_record_job *job);

/* Return the events as the file has them. */
const struct pipa_perf_events *pipa_record_written(const struct pipa_record_job *job);

/* Return the first id of an event. */
uint64_t pipa_record_id(const struct pipa_record_job *job, uint32_t event);

#endif
