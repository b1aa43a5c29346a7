#include "codec/pprof_schema.h"

#include "base/auto.h"

#define MESSAGE(name_, tag, ...)                                                                   \
	const struct pipa_proto_message pipa_pprof_##tag##_message = {                             \
		.name = name_,                                                                     \
		.fields = tag##_fields,                                                            \
		.n_fields = PIPA_COUNT(tag##_fields),                                              \
		.size = sizeof(struct pipa_pprof_##tag),                                           \
		__VA_ARGS__                                                                        \
	}

static const struct pipa_proto_field value_type_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_value_type, PIPA_PPROF_VALUE_TYPE_TYPE, INT64, type),
	PIPA_PROTO_FIELD(pipa_pprof_value_type, PIPA_PPROF_VALUE_TYPE_UNIT, INT64, unit),
};
MESSAGE("ValueType", value_type, .flat = true);

static const struct pipa_proto_field label_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_label, PIPA_PPROF_LABEL_KEY, INT64, key),
	PIPA_PROTO_FIELD(pipa_pprof_label, PIPA_PPROF_LABEL_STR, INT64, str),
	PIPA_PROTO_FIELD(pipa_pprof_label, PIPA_PPROF_LABEL_NUM, INT64, num),
	PIPA_PROTO_FIELD(pipa_pprof_label, PIPA_PPROF_LABEL_NUM_UNIT, INT64, num_unit),
};
MESSAGE("Label", label, .flat = true);

static const struct pipa_proto_field sample_fields[] = {
	PIPA_PROTO_REPEATED(pipa_pprof_sample, PIPA_PPROF_SAMPLE_LOCATION_ID, UINT64, location_id),
	PIPA_PROTO_REPEATED(pipa_pprof_sample, PIPA_PPROF_SAMPLE_VALUE, INT64, value),
	PIPA_PROTO_SUBS(pipa_pprof_sample, PIPA_PPROF_SAMPLE_LABEL, label,
			pipa_pprof_label_message),
};
MESSAGE("Sample", sample);

static const struct pipa_proto_field mapping_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_ID, UINT64, id),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_MEMORY_START, UINT64, memory_start),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_MEMORY_LIMIT, UINT64, memory_limit),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_FILE_OFFSET, UINT64, file_offset),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_FILENAME, INT64, filename),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_BUILD_ID, INT64, build_id),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_HAS_FUNCTIONS, BOOL, has_functions),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_HAS_FILENAMES, BOOL, has_filenames),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_HAS_LINE_NUMBERS, BOOL,
			 has_line_numbers),
	PIPA_PROTO_FIELD(pipa_pprof_mapping, PIPA_PPROF_MAPPING_HAS_INLINE_FRAMES, BOOL,
			 has_inline_frames),
};
MESSAGE("Mapping", mapping, .flat = true);

static const struct pipa_proto_field line_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_line, PIPA_PPROF_LINE_FUNCTION_ID, UINT64, function_id),
	PIPA_PROTO_FIELD(pipa_pprof_line, PIPA_PPROF_LINE_LINE, INT64, line),
	PIPA_PROTO_FIELD(pipa_pprof_line, PIPA_PPROF_LINE_COLUMN, INT64, column),
};
MESSAGE("Line", line, .flat = true);

static const struct pipa_proto_field location_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_location, PIPA_PPROF_LOCATION_ID, UINT64, id),
	PIPA_PROTO_FIELD(pipa_pprof_location, PIPA_PPROF_LOCATION_MAPPING_ID, UINT64, mapping_id),
	PIPA_PROTO_FIELD(pipa_pprof_location, PIPA_PPROF_LOCATION_ADDRESS, UINT64, address),
	PIPA_PROTO_SUBS(pipa_pprof_location, PIPA_PPROF_LOCATION_LINE, line,
			pipa_pprof_line_message),
	PIPA_PROTO_FIELD(pipa_pprof_location, PIPA_PPROF_LOCATION_IS_FOLDED, BOOL, is_folded),
};
MESSAGE("Location", location);

static const struct pipa_proto_field function_fields[] = {
	PIPA_PROTO_FIELD(pipa_pprof_function, PIPA_PPROF_FUNCTION_ID, UINT64, id),
	PIPA_PROTO_FIELD(pipa_pprof_function, PIPA_PPROF_FUNCTION_NAME, INT64, name),
	PIPA_PROTO_FIELD(pipa_pprof_function, PIPA_PPROF_FUNCTION_SYSTEM_NAME, INT64, system_name),
	PIPA_PROTO_FIELD(pipa_pprof_function, PIPA_PPROF_FUNCTION_FILENAME, INT64, filename),
	PIPA_PROTO_FIELD(pipa_pprof_function, PIPA_PPROF_FUNCTION_START_LINE, INT64, start_line),
};
MESSAGE("Function", function, .flat = true);

/* All fields but the types and the samples. */
#define TABLE_ROWS                                                                                 \
	PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_MAPPING, mapping,                           \
			pipa_pprof_mapping_message),                                               \
		PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_LOCATION, location,                 \
				pipa_pprof_location_message),                                      \
		PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_FUNCTION, function,                 \
				pipa_pprof_function_message),                                      \
		PIPA_PROTO_REPEATED(pipa_pprof_profile, PIPA_PPROF_STRING_TABLE, STRING,           \
				    string_table),                                                 \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_DROP_FRAMES, INT64, drop_frames),  \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_KEEP_FRAMES, INT64, keep_frames),  \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_TIME_NANOS, INT64, time_nanos),    \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_DURATION_NANOS, INT64,             \
				 duration_nanos),                                                  \
		PIPA_PROTO_SUB(pipa_pprof_profile, PIPA_PPROF_PERIOD_TYPE, period_type,            \
			       pipa_pprof_value_type_message),                                     \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_PERIOD, INT64, period),            \
		PIPA_PROTO_REPEATED(pipa_pprof_profile, PIPA_PPROF_COMMENT, INT64, comment),       \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_DEFAULT_SAMPLE_TYPE, INT64,        \
				 default_sample_type),                                             \
		PIPA_PROTO_FIELD(pipa_pprof_profile, PIPA_PPROF_DOC_URL, INT64, doc_url)

static const struct pipa_proto_field profile_fields[] = {
	PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_SAMPLE_TYPE, sample_type,
			pipa_pprof_value_type_message),
	PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_SAMPLE, sample, pipa_pprof_sample_message),
	TABLE_ROWS,
};
MESSAGE("Profile", profile);

static const struct pipa_proto_field tables_fields[] = {
	PIPA_PROTO_SUBS(pipa_pprof_profile, PIPA_PPROF_SAMPLE_TYPE, sample_type,
			pipa_pprof_value_type_message),
	TABLE_ROWS,
};
const struct pipa_proto_message pipa_pprof_tables_message = {
	.name = "Profile",
	.fields = tables_fields,
	.n_fields = PIPA_COUNT(tables_fields),
	.size = sizeof(struct pipa_pprof_profile),
};
