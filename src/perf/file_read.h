/*
 * Read perf.data of either byte order and every version since 3.2: a file or a pipe.
 *
 * Records go to a sink, not in time order, because the rings of the CPUs were written out in turn.
 * Side-band records come before any sample that may need them, so a sink that keeps them by time
 * can resolve every sample as it comes. Time order is an option and costs memory.
 *
 * Corrupt data ends reading only if the next record cannot be found; it is noted in the recording.
 * Sizes in the file are checked before use: a record has at most 64 KiB, and a section of the
 * header must be within the file.
 */
#ifndef PIPA_PERF_FILE_READ_H
#define PIPA_PERF_FILE_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file/bytes.h"
#include "base/span.h"
#include "model/record.h"
#include "model/recording.h"
#include "perf/attr.h"

struct pipa_error;
struct pipa_perf_reader;

/* Decompressor of PERF_RECORD_COMPRESSED; one stream spans all such records. */
struct pipa_unpack {
	/*
	 * Decompress input from *in, advancing the cursor. Returns the number of bytes written to
	 * out, or a negative errno if the stream is corrupt.
	 */
	ssize_t (*unpack)(void *ctx, struct pipa_cursor *in, uint8_t *out, size_t size);
	void (*restart)(void *ctx); /* Reset: the next input is the first record again. */
	void *ctx;
};

struct pipa_perf_reader_options {
	const struct pipa_unpack *unpack; /* NULL: compressed records are noted and skipped */
	bool ordered;			  /* pass on records in time order */
	size_t window;			  /* bytes read at once, 0: 256 KiB */
};

/* Open a recording and read its header. `bytes` is borrowed and must outlive the reader. */
int pipa_perf_reader_open(const struct pipa_bytes *bytes,
			  const struct pipa_perf_reader_options *options,
			  struct pipa_perf_reader **ret, struct pipa_error *err);
void pipa_perf_reader_close(struct pipa_perf_reader *reader);

/* Add a file with records of the same recording: the directory format of perf has one per CPU. */
int pipa_perf_reader_add_part(struct pipa_perf_reader *reader, const struct pipa_bytes *bytes);

/* Return header data, borrowed; reading a pipe adds more of it. */
struct pipa_recording *pipa_perf_reader_recording(struct pipa_perf_reader *reader);
const struct pipa_perf_events *pipa_perf_reader_events(const struct pipa_perf_reader *reader);

/*
 * Return the tracing data (perf/tracing.h), empty if there is none or, in a pipe, not yet. Valid as
 * long as the reader.
 */
struct pipa_span pipa_perf_reader_tracing(const struct pipa_perf_reader *reader);

/* Pass all records to the sink, once. Returns 0, the result of the sink, or a read error. */
int pipa_perf_reader_run(struct pipa_perf_reader *reader, struct pipa_record_sink *sink,
			 struct pipa_error *err);

/*
 * Pass records in two steps, if supported (not for pipes or time order): first side-band records,
 * then samples.
 */
bool pipa_perf_reader_has_steps(const struct pipa_perf_reader *reader);
int pipa_perf_reader_run_others(struct pipa_perf_reader *reader, struct pipa_record_sink *sink,
				struct pipa_error *err);
int pipa_perf_reader_run_samples(struct pipa_perf_reader *reader, struct pipa_record_sink *sink,
				 struct pipa_error *err);

/*
 * Between the steps: divide the samples into up to n chunks in file order. The reader keeps the
 * first; `ret` receives up to n - 1 readers, each for a thread of its own, which the caller closes
 * before this reader. Corrupt data of a chunk is noted in the recording of the chunk's reader; the
 * other fields of that recording are empty. Returns the number of other readers (0 if records are
 * compressed), or -ENOMEM.
 */
int pipa_perf_reader_divide(struct pipa_perf_reader *reader, size_t n,
			    struct pipa_perf_reader **ret);

/* Return the size of all records in bytes. */
uint64_t pipa_perf_reader_size(const struct pipa_perf_reader *reader);

/* Is this the start of a perf.data file or pipe? The second: of a pipe? */
bool pipa_perf_is_recording(const uint8_t *bytes, size_t len);
bool pipa_perf_is_piped(const uint8_t *bytes, size_t len);

static inline void pipa_perf_reader_close_auto(struct pipa_perf_reader **reader)
{
	pipa_perf_reader_close(*reader);
}

#endif
