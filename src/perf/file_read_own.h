/* Shared by the header reader and the record reader. */
#ifndef PIPA_PERF_FILE_READ_OWN_H
#define PIPA_PERF_FILE_READ_OWN_H

#include "base/span.h"
#include "perf/decode.h"
#include "perf/file_read.h"
#include "perf/queue.h"
#include "perf/sample.h"

enum {
	PIPA_PERF_WINDOW = 256 << 10, /* bytes read at once; a mapped window may be larger */
	PIPA_PERF_RECORD_HEADER = 8,
};

/* Records that tools write. */
enum {
	USER_ATTR = 64,
	USER_EVENT_TYPE,
	USER_TRACING_DATA,
	USER_BUILD_ID,
	USER_FINISHED_ROUND,
	USER_ID_INDEX,
	USER_AUXTRACE_INFO,
	USER_AUXTRACE,
	USER_EVENT_UPDATE = 78,
	USER_FEATURE = 80,
	USER_COMPRESSED = 81,
	USER_COMPRESSED2 = 83,
	USER_LAST = 90, /* capacity for later events */
	KERNEL_LAST = 30,
};

/* A range of records: the data of the file, or another file of the directory. */
struct part {
	const struct pipa_bytes *bytes;
	uint64_t offset, end;
	uint64_t from, until; /* range to read; other readers may read the rest */
};

/* Offset of a record at which reading can start. */
struct mark {
	uint32_t part;
	uint64_t at;
};

enum pass { PASS_ALL, PASS_OTHERS, PASS_SAMPLES };

struct pipa_perf_reader {
	const struct pipa_bytes *bytes;
	struct pipa_perf_reader_options o;
	struct pipa_window window;
	bool swapped;
	uint64_t features[4];
	struct {
		struct part *items;
		size_t n, cap;
	} parts;
	struct {
		struct mark *items;
		size_t n, cap;
	} marks;			      /* stored in the pass over side-band records */
	const struct pipa_perf_reader *whole; /* the reader with the events; NULL: not a chunk */
	struct pipa_recording recording;
	struct pipa_perf_events events;
	struct pipa_perf_decoder *decoder;
	uint8_t *tracing;
	size_t n_tracing;

	/* state while reading */
	enum pass pass;
	bool counting; /* count records and note corrupt data; true in one of the two passes */
	struct pipa_record_sink *sink;
	struct pipa_perf_queue queue;
	uint64_t round; /* of a pipe: number of the current round */
	uint64_t max_time,
		limit;	   /* in time order: records of the last round, records that are ready */
	uint8_t *unpacked; /* decompressed bytes up to a complete record */
	size_t n_unpacked;
	uint64_t *aligned; /* copy of a record that is not 8-byte aligned */
};

static inline void pipa_perf_reader_get_header(const struct pipa_perf_reader *r,
					       const uint8_t *bytes, uint64_t at,
					       struct pipa_perf_raw *raw)
{
	struct pipa_cursor c = { bytes, bytes + PIPA_PERF_RECORD_HEADER, r->swapped, 0 };

	raw->swapped = r->swapped;
	raw->at = at;
	raw->type = pipa_get_u32(&c);
	raw->misc = pipa_get_u16(&c);
	raw->len = pipa_get_u16(&c); /* including the header, until checked */
	raw->body = NULL;
}

/*
 * Note a malformed record at `at` once, and return the offset of the next record or the end of the
 * part.
 */
uint64_t pipa_perf_reader_skip_broken(struct pipa_perf_reader *reader, const struct part *part,
				      uint64_t at);

/* Read everything before the first record: byte order, events, features, parts. */
int pipa_perf_reader_load_header(struct pipa_perf_reader *reader, struct pipa_error *err);

/* Decode a record that carries header data; others are ignored. */
int pipa_perf_reader_take_header(struct pipa_perf_reader *reader, const struct pipa_perf_raw *raw);

/* Store tracing data, undecoded. -EBADMSG if it is truncated. */
int pipa_perf_reader_keep_tracing(struct pipa_perf_reader *reader, uint64_t offset, uint64_t size);

#endif
