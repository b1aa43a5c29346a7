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
	struct pipa_record_unwind *live; /* NULL: stacks are written as they are */
	struct pipa_record_maps *maps;	 /* files that are mapped */
	struct pipa_process_tree *tree;	 /* NULL: whoever is sampled is meant */
	struct pipa_record_print *print;
	struct pipa_record_header about;
	struct pipa_buf tracing, round, kept;
	struct pipa_rings rings;
	uint64_t start_ns;
	uint64_t drained;   /* bytes of this round */
	uint64_t left_out;  /* samples that were counted and not written: our own, say */
	uint64_t malformed; /* samples that could not be decoded, and are lost */
	uint64_t *late;	  /* samples that clocks have not taken, in the tally's order; NULL: none */
	bool ended;	  /* no more records are wanted */
	bool by_record;	  /* the records of the ring current are looked at one by one */
	bool reported;	  /* progress was, and its end was not */
	int print_status; /* why printing ended */
	struct pipa_record_outcome outcome; /* of the instrument, once it is finished */
	/* told of what is there already, where no file is written; NULL: nobody */
	int (*learn)(void *ctx, const void *bytes, size_t len);
	void *learn_ctx;
};

/* Sampling into a file as an instrument; the context is the struct pipa_record_job. */
extern const struct pipa_instrument_ops pipa_record_instrument;

/* Take no more samples; the rings are read when the recording is finished. */
void pipa_record_pause(struct pipa_record_job *job);

/* Free everything. */
void pipa_record_done(struct pipa_record_job *job);

/* Add whole records as if they had come out of a CPU's ring. 0 or a negative errno. */
int pipa_record_put(struct pipa_record_job *job, int cpu, const uint8_t *bytes, size_t len);

/*
 * Once sampling is off and the rings are drained: compare what the kernel counted with what came, and
 * write what is missing into the recording as lost. 0 or a negative errno.
 */
int pipa_record_account(struct pipa_record_job *job, struct pipa_error *err);

/* Open the events and their rings, a count of what they say, and where it is printed. */
int pipa_record_open_sampler(struct pipa_record_job *job, struct pipa_error *err);

/* Open the output and write what comes before any record. */
int pipa_record_open_file(struct pipa_record_job *job, struct pipa_error *err);

/* What a file says of the machine: a pipe's beginning, a file's end. */
int pipa_record_load_header(struct pipa_record_job *job, struct pipa_error *err);

/* What is there already: the kernel, and everybody but a command that is still held. */
int pipa_record_synthesize(struct pipa_record_job *job, struct pipa_error *err);

/* What the user should know before it begins. */
void pipa_record_note_start(const struct pipa_record_job *job);

/* The events as the file has them. */
const struct pipa_perf_events *pipa_record_written(const struct pipa_record_job *job);

/* The first id of an event; any will do to name it. */
uint64_t pipa_record_id(const struct pipa_record_job *job, uint32_t event);

#endif
