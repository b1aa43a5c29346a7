/* Messages of pprof's profile.proto (package perftools.profiles), as codec/proto.h describes them. */
#ifndef PIPA_CODEC_PPROF_SCHEMA_H
#define PIPA_CODEC_PPROF_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/proto.h"

/* Field numbers. Strings are indices into string_table, whose first entry is "". */
enum pipa_pprof_profile_field {
	PIPA_PPROF_SAMPLE_TYPE = 1,
	PIPA_PPROF_SAMPLE = 2,
	PIPA_PPROF_MAPPING = 3,
	PIPA_PPROF_LOCATION = 4,
	PIPA_PPROF_FUNCTION = 5,
	PIPA_PPROF_STRING_TABLE = 6,
	PIPA_PPROF_DROP_FRAMES = 7,
	PIPA_PPROF_KEEP_FRAMES = 8,
	PIPA_PPROF_TIME_NANOS = 9,
	PIPA_PPROF_DURATION_NANOS = 10,
	PIPA_PPROF_PERIOD_TYPE = 11,
	PIPA_PPROF_PERIOD = 12,
	PIPA_PPROF_COMMENT = 13,
	PIPA_PPROF_DEFAULT_SAMPLE_TYPE = 14,
	PIPA_PPROF_DOC_URL = 15,
};

enum pipa_pprof_value_type_field { PIPA_PPROF_VALUE_TYPE_TYPE = 1, PIPA_PPROF_VALUE_TYPE_UNIT = 2 };

enum pipa_pprof_sample_field {
	PIPA_PPROF_SAMPLE_LOCATION_ID = 1,
	PIPA_PPROF_SAMPLE_VALUE = 2,
	PIPA_PPROF_SAMPLE_LABEL = 3,
};

enum pipa_pprof_label_field {
	PIPA_PPROF_LABEL_KEY = 1,
	PIPA_PPROF_LABEL_STR = 2,
	PIPA_PPROF_LABEL_NUM = 3,
	PIPA_PPROF_LABEL_NUM_UNIT = 4,
};

enum pipa_pprof_mapping_field {
	PIPA_PPROF_MAPPING_ID = 1,
	PIPA_PPROF_MAPPING_MEMORY_START = 2,
	PIPA_PPROF_MAPPING_MEMORY_LIMIT = 3,
	PIPA_PPROF_MAPPING_FILE_OFFSET = 4,
	PIPA_PPROF_MAPPING_FILENAME = 5,
	PIPA_PPROF_MAPPING_BUILD_ID = 6,
	PIPA_PPROF_MAPPING_HAS_FUNCTIONS = 7,
	PIPA_PPROF_MAPPING_HAS_FILENAMES = 8,
	PIPA_PPROF_MAPPING_HAS_LINE_NUMBERS = 9,
	PIPA_PPROF_MAPPING_HAS_INLINE_FRAMES = 10,
};

enum pipa_pprof_location_field {
	PIPA_PPROF_LOCATION_ID = 1,
	PIPA_PPROF_LOCATION_MAPPING_ID = 2,
	PIPA_PPROF_LOCATION_ADDRESS = 3,
	PIPA_PPROF_LOCATION_LINE = 4,
	PIPA_PPROF_LOCATION_IS_FOLDED = 5,
};

enum pipa_pprof_line_field {
	PIPA_PPROF_LINE_FUNCTION_ID = 1,
	PIPA_PPROF_LINE_LINE = 2,
	PIPA_PPROF_LINE_COLUMN = 3,
};

enum pipa_pprof_function_field {
	PIPA_PPROF_FUNCTION_ID = 1,
	PIPA_PPROF_FUNCTION_NAME = 2,
	PIPA_PPROF_FUNCTION_SYSTEM_NAME = 3,
	PIPA_PPROF_FUNCTION_FILENAME = 4,
	PIPA_PPROF_FUNCTION_START_LINE = 5,
};

/* Function name of the outermost frame of a stack whose callers are missing, in files that pipa writes. */
#define PIPA_PPROF_TRUNCATED "[truncated]"

struct pipa_pprof_value_type {
	int64_t type, unit;
};

struct pipa_pprof_label {
	int64_t key, str, num, num_unit;
};

struct pipa_pprof_sample {
	PIPA_PROTO_LIST(uint64_t) location_id; /* innermost first */
	PIPA_PROTO_LIST(int64_t) value;	       /* one per sample_type */
	PIPA_PROTO_LIST(struct pipa_pprof_label) label;
};

struct pipa_pprof_mapping {
	uint64_t id, memory_start, memory_limit, file_offset;
	int64_t filename, build_id;
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

struct pipa_pprof_line {
	uint64_t function_id;
	int64_t line, column;
};

struct pipa_pprof_location {
	uint64_t id, mapping_id, address;
	PIPA_PROTO_LIST(struct pipa_pprof_line) line; /* innermost inlined call first */
	bool is_folded;
};

struct pipa_pprof_function {
	uint64_t id;
	int64_t name, system_name, filename, start_line;
};

struct pipa_pprof_profile {
	PIPA_PROTO_LIST(struct pipa_pprof_value_type) sample_type;
	PIPA_PROTO_LIST(struct pipa_pprof_sample) sample;
	PIPA_PROTO_LIST(struct pipa_pprof_mapping) mapping;
	PIPA_PROTO_LIST(struct pipa_pprof_location) location;
	PIPA_PROTO_LIST(struct pipa_pprof_function) function;
	PIPA_PROTO_LIST(struct pipa_span) string_table;
	int64_t drop_frames, keep_frames, time_nanos, duration_nanos;
	struct pipa_pprof_value_type *period_type;
	int64_t period;
	PIPA_PROTO_LIST(int64_t) comment;
	int64_t default_sample_type, doc_url;
};

extern const struct pipa_proto_message pipa_pprof_value_type_message, pipa_pprof_label_message,
	pipa_pprof_sample_message, pipa_pprof_mapping_message, pipa_pprof_line_message,
	pipa_pprof_location_message, pipa_pprof_function_message, pipa_pprof_profile_message;

/* Profile without its samples, which are skipped. */
extern const struct pipa_proto_message pipa_pprof_tables_message;

#endif
