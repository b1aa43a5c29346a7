/*
 * Messages of the OpenTelemetry profiles signal (packages opentelemetry.proto.profiles.v1development and
 * opentelemetry.proto.collector.profiles.v1development), as codec/proto.h describes them.
 *
 * The signal is in development, and its field numbers changed under the same package name. Two layouts are in use:
 * that of proto 1.10 and later, and that of 1.9. They differ in the numbers of Sample, and in key_strindex and
 * string_value_strindex, which 1.9 does not have. Structs are common to both layouts.
 *
 * Fields whose names end in strindex, index or indices refer to tables of the dictionary. Entry 0 of each table is empty
 * and means "not set".
 */
#ifndef PIPA_CODEC_OTLP_SCHEMA_H
#define PIPA_CODEC_OTLP_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

#include "codec/proto.h"

enum pipa_otlp_layout {
	PIPA_OTLP_1_10, /* proto 1.10 and later */
	PIPA_OTLP_1_9,
	PIPA_OTLP_LAYOUT_NR,
};

/* ---- field numbers ----------------------------------------------------------------------------- */

/* ExportProfilesServiceRequest is the same as ProfilesData. */
enum pipa_otlp_data_field { PIPA_OTLP_RESOURCE_PROFILES = 1, PIPA_OTLP_DICTIONARY = 2 };

enum pipa_otlp_resource_profiles_field {
	PIPA_OTLP_RESOURCE_PROFILES_RESOURCE = 1,
	PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES = 2,
	PIPA_OTLP_RESOURCE_PROFILES_SCHEMA_URL = 3,
};

enum pipa_otlp_scope_profiles_field {
	PIPA_OTLP_SCOPE_PROFILES_SCOPE = 1,
	PIPA_OTLP_SCOPE_PROFILES_PROFILES = 2,
	PIPA_OTLP_SCOPE_PROFILES_SCHEMA_URL = 3,
};

enum pipa_otlp_dictionary_field {
	PIPA_OTLP_MAPPING_TABLE = 1,
	PIPA_OTLP_LOCATION_TABLE = 2,
	PIPA_OTLP_FUNCTION_TABLE = 3,
	PIPA_OTLP_LINK_TABLE = 4,
	PIPA_OTLP_STRING_TABLE = 5,
	PIPA_OTLP_ATTRIBUTE_TABLE = 6,
	PIPA_OTLP_STACK_TABLE = 7,
};

enum pipa_otlp_profile_field {
	PIPA_OTLP_PROFILE_SAMPLE_TYPE = 1,
	PIPA_OTLP_PROFILE_SAMPLES = 2,
	PIPA_OTLP_PROFILE_TIME_UNIX_NANO = 3,
	PIPA_OTLP_PROFILE_DURATION_NANO = 4,
	PIPA_OTLP_PROFILE_PERIOD_TYPE = 5,
	PIPA_OTLP_PROFILE_PERIOD = 6,
	PIPA_OTLP_PROFILE_PROFILE_ID = 7,
	PIPA_OTLP_PROFILE_DROPPED_ATTRIBUTES_COUNT = 8,
	PIPA_OTLP_PROFILE_ORIGINAL_PAYLOAD_FORMAT = 9,
	PIPA_OTLP_PROFILE_ORIGINAL_PAYLOAD = 10,
	PIPA_OTLP_PROFILE_ATTRIBUTE_INDICES = 11,
};

enum pipa_otlp_value_type_field {
	PIPA_OTLP_VALUE_TYPE_TYPE_STRINDEX = 1,
	PIPA_OTLP_VALUE_TYPE_UNIT_STRINDEX = 2,
};

/* Numbers of Sample by layout; stack_index and timestamps_unix_nano are the same in both. */
enum pipa_otlp_sample_field {
	PIPA_OTLP_SAMPLE_STACK_INDEX = 1,
	PIPA_OTLP_SAMPLE_ATTRIBUTE_INDICES = 2,
	PIPA_OTLP_SAMPLE_LINK_INDEX = 3,
	PIPA_OTLP_SAMPLE_VALUES = 4,
	PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO = 5,
};
enum pipa_otlp_1_9_sample_field {
	PIPA_OTLP_1_9_SAMPLE_VALUES = 2,
	PIPA_OTLP_1_9_SAMPLE_ATTRIBUTE_INDICES = 3,
	PIPA_OTLP_1_9_SAMPLE_LINK_INDEX = 4,
};

enum pipa_otlp_stack_field { PIPA_OTLP_STACK_LOCATION_INDICES = 1 };

enum pipa_otlp_location_field {
	PIPA_OTLP_LOCATION_MAPPING_INDEX = 1,
	PIPA_OTLP_LOCATION_ADDRESS = 2,
	PIPA_OTLP_LOCATION_LINES = 3,
	PIPA_OTLP_LOCATION_ATTRIBUTE_INDICES = 4,
};

enum pipa_otlp_line_field {
	PIPA_OTLP_LINE_FUNCTION_INDEX = 1,
	PIPA_OTLP_LINE_LINE = 2,
	PIPA_OTLP_LINE_COLUMN = 3,
};

enum pipa_otlp_function_field {
	PIPA_OTLP_FUNCTION_NAME_STRINDEX = 1,
	PIPA_OTLP_FUNCTION_SYSTEM_NAME_STRINDEX = 2,
	PIPA_OTLP_FUNCTION_FILENAME_STRINDEX = 3,
	PIPA_OTLP_FUNCTION_START_LINE = 4,
};

enum pipa_otlp_mapping_field {
	PIPA_OTLP_MAPPING_MEMORY_START = 1,
	PIPA_OTLP_MAPPING_MEMORY_LIMIT = 2,
	PIPA_OTLP_MAPPING_FILE_OFFSET = 3,
	PIPA_OTLP_MAPPING_FILENAME_STRINDEX = 4,
	PIPA_OTLP_MAPPING_ATTRIBUTE_INDICES = 5,
};

enum pipa_otlp_link_field { PIPA_OTLP_LINK_TRACE_ID = 1, PIPA_OTLP_LINK_SPAN_ID = 2 };

enum pipa_otlp_attribute_field {
	PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX = 1,
	PIPA_OTLP_ATTRIBUTE_VALUE = 2,
	PIPA_OTLP_ATTRIBUTE_UNIT_STRINDEX = 3,
};

enum pipa_otlp_resource_field {
	PIPA_OTLP_RESOURCE_ATTRIBUTES = 1,
	PIPA_OTLP_RESOURCE_DROPPED_ATTRIBUTES_COUNT = 2,
	PIPA_OTLP_RESOURCE_ENTITY_REFS = 3,
};

enum pipa_otlp_entity_ref_field {
	PIPA_OTLP_ENTITY_REF_SCHEMA_URL = 1,
	PIPA_OTLP_ENTITY_REF_TYPE = 2,
	PIPA_OTLP_ENTITY_REF_ID_KEYS = 3,
	PIPA_OTLP_ENTITY_REF_DESCRIPTION_KEYS = 4,
};

enum pipa_otlp_scope_field {
	PIPA_OTLP_SCOPE_NAME = 1,
	PIPA_OTLP_SCOPE_VERSION = 2,
	PIPA_OTLP_SCOPE_ATTRIBUTES = 3,
	PIPA_OTLP_SCOPE_DROPPED_ATTRIBUTES_COUNT = 4,
};

enum pipa_otlp_key_value_field {
	PIPA_OTLP_KEY_VALUE_KEY = 1,
	PIPA_OTLP_KEY_VALUE_VALUE = 2,
	PIPA_OTLP_KEY_VALUE_KEY_STRINDEX = 3, /* since 1.10 */
};

enum pipa_otlp_any_value_field {
	PIPA_OTLP_STRING_VALUE = 1,
	PIPA_OTLP_BOOL_VALUE = 2,
	PIPA_OTLP_INT_VALUE = 3,
	PIPA_OTLP_DOUBLE_VALUE = 4,
	PIPA_OTLP_ARRAY_VALUE = 5,
	PIPA_OTLP_KVLIST_VALUE = 6,
	PIPA_OTLP_BYTES_VALUE = 7,
	PIPA_OTLP_STRING_VALUE_STRINDEX = 8, /* since 1.10 */
};

enum { PIPA_OTLP_ARRAY_VALUE_VALUES = 1, PIPA_OTLP_KEY_VALUE_LIST_VALUES = 1 };

/* ---- shared messages --------------------------------------------------------------------------- */

struct pipa_otlp_array_value;
struct pipa_otlp_key_value_list;

struct pipa_otlp_any_value {
	uint32_t which; /* enum pipa_otlp_any_value_field; 0: no value */
	bool bool_value;
	int32_t string_value_strindex;
	struct pipa_span string_value, bytes_value;
	int64_t int_value;
	double double_value;
	struct pipa_otlp_array_value *array_value;
	struct pipa_otlp_key_value_list *kvlist_value;
};

struct pipa_otlp_key_value {
	struct pipa_span key;
	struct pipa_otlp_any_value *value;
	int32_t key_strindex; /* instead of key */
};

struct pipa_otlp_array_value {
	PIPA_PROTO_LIST(struct pipa_otlp_any_value) values;
};

struct pipa_otlp_key_value_list {
	PIPA_PROTO_LIST(struct pipa_otlp_key_value) values;
};

struct pipa_otlp_entity_ref {
	struct pipa_span schema_url, type;
	PIPA_PROTO_LIST(struct pipa_span) id_keys;
	PIPA_PROTO_LIST(struct pipa_span) description_keys;
};

struct pipa_otlp_resource {
	PIPA_PROTO_LIST(struct pipa_otlp_key_value) attributes;
	uint32_t dropped_attributes_count;
	PIPA_PROTO_LIST(struct pipa_otlp_entity_ref) entity_refs;
};

struct pipa_otlp_scope { /* InstrumentationScope */
	struct pipa_span name, version;
	PIPA_PROTO_LIST(struct pipa_otlp_key_value) attributes;
	uint32_t dropped_attributes_count;
};

/* ---- the dictionary ---------------------------------------------------------------------------- */

struct pipa_otlp_attribute { /* KeyValueAndUnit */
	int32_t key_strindex, unit_strindex;
	struct pipa_otlp_any_value *value;
};

struct pipa_otlp_link {
	struct pipa_span trace_id, span_id; /* 16 and 8 bytes, or none */
};

struct pipa_otlp_mapping {
	uint64_t memory_start, memory_limit, file_offset;
	int32_t filename_strindex;
	PIPA_PROTO_LIST(int32_t) attribute_indices;
};

struct pipa_otlp_function {
	int32_t name_strindex, system_name_strindex, filename_strindex;
	int64_t start_line;
};

struct pipa_otlp_line {
	int32_t function_index;
	int64_t line, column;
};

struct pipa_otlp_location {
	int32_t mapping_index;
	uint64_t address;
	PIPA_PROTO_LIST(struct pipa_otlp_line) lines; /* innermost inlined call first */
	PIPA_PROTO_LIST(int32_t) attribute_indices;
};

struct pipa_otlp_stack {
	PIPA_PROTO_LIST(int32_t) location_indices; /* innermost first */
};

struct pipa_otlp_dictionary {
	PIPA_PROTO_LIST(struct pipa_otlp_mapping) mapping_table;
	PIPA_PROTO_LIST(struct pipa_otlp_location) location_table;
	PIPA_PROTO_LIST(struct pipa_otlp_function) function_table;
	PIPA_PROTO_LIST(struct pipa_otlp_link) link_table;
	PIPA_PROTO_LIST(struct pipa_span) string_table;
	PIPA_PROTO_LIST(struct pipa_otlp_attribute) attribute_table;
	PIPA_PROTO_LIST(struct pipa_otlp_stack) stack_table;
};

/* ---- profiles ---------------------------------------------------------------------------------- */

struct pipa_otlp_value_type {
	int32_t type_strindex, unit_strindex;
};

struct pipa_otlp_sample {
	int32_t stack_index, link_index;
	PIPA_PROTO_LIST(int32_t) attribute_indices;
	PIPA_PROTO_LIST(int64_t) values;
	PIPA_PROTO_LIST(uint64_t) timestamps_unix_nano;
};

struct pipa_otlp_profile {
	struct pipa_otlp_value_type *sample_type;
	PIPA_PROTO_LIST(struct pipa_otlp_sample) samples;
	uint64_t time_unix_nano, duration_nano;
	struct pipa_otlp_value_type *period_type;
	int64_t period;
	struct pipa_span profile_id;
	uint32_t dropped_attributes_count;
	struct pipa_span original_payload_format, original_payload;
	PIPA_PROTO_LIST(int32_t) attribute_indices;
};

struct pipa_otlp_scope_profiles {
	struct pipa_otlp_scope *scope;
	PIPA_PROTO_LIST(struct pipa_otlp_profile) profiles;
	struct pipa_span schema_url;
};

struct pipa_otlp_resource_profiles {
	struct pipa_otlp_resource *resource;
	PIPA_PROTO_LIST(struct pipa_otlp_scope_profiles) scope_profiles;
	struct pipa_span schema_url;
};

struct pipa_otlp_data { /* ProfilesData, ExportProfilesServiceRequest */
	PIPA_PROTO_LIST(struct pipa_otlp_resource_profiles) resource_profiles;
	struct pipa_otlp_dictionary *dictionary;
};

/* ---- response and errors ----------------------------------------------------------------------- */

struct pipa_otlp_partial_success { /* ExportProfilesPartialSuccess */
	int64_t rejected_profiles; /* 0 with an error_message: a warning */
	struct pipa_span error_message;
};

struct pipa_otlp_response {				   /* ExportProfilesServiceResponse */
	struct pipa_otlp_partial_success *partial_success; /* NULL or empty: full success */
};

/* type_url of the detail of a google.rpc.Status that has a RetryInfo or a BadRequest */
#define PIPA_OTLP_RETRY_INFO_URL "type.googleapis.com/google.rpc.RetryInfo"
#define PIPA_OTLP_BAD_REQUEST_URL "type.googleapis.com/google.rpc.BadRequest"

struct pipa_otlp_any { /* google.protobuf.Any */
	struct pipa_span type_url, value;
};

struct pipa_otlp_status { /* google.rpc.Status */
	int32_t code;
	struct pipa_span message;
	PIPA_PROTO_LIST(struct pipa_otlp_any) details;
};

struct pipa_otlp_duration { /* google.protobuf.Duration */
	int64_t seconds;
	int32_t nanos;
};

struct pipa_otlp_retry_info { /* google.rpc.RetryInfo */
	struct pipa_otlp_duration *retry_delay;
};

struct pipa_otlp_field_violation { /* google.rpc.BadRequest.FieldViolation */
	struct pipa_span field, description;
};

struct pipa_otlp_bad_request { /* google.rpc.BadRequest */
	PIPA_PROTO_LIST(struct pipa_otlp_field_violation) field_violations;
};

/* ---- descriptors ------------------------------------------------------------------------------- */

extern const struct pipa_proto_message pipa_otlp_any_value_message, pipa_otlp_array_value_message,
	pipa_otlp_key_value_list_message, pipa_otlp_key_value_message, pipa_otlp_entity_ref_message,
	pipa_otlp_resource_message, pipa_otlp_scope_message;

extern const struct pipa_proto_message pipa_otlp_attribute_message, pipa_otlp_link_message,
	pipa_otlp_mapping_message, pipa_otlp_function_message, pipa_otlp_line_message,
	pipa_otlp_location_message, pipa_otlp_stack_message, pipa_otlp_dictionary_message;

extern const struct pipa_proto_message pipa_otlp_value_type_message;

/* [layout]: all messages around Sample */
extern const struct pipa_proto_message pipa_otlp_sample_messages[PIPA_OTLP_LAYOUT_NR],
	pipa_otlp_profile_messages[PIPA_OTLP_LAYOUT_NR],
	pipa_otlp_scope_profiles_messages[PIPA_OTLP_LAYOUT_NR],
	pipa_otlp_resource_profiles_messages[PIPA_OTLP_LAYOUT_NR],
	pipa_otlp_data_messages[PIPA_OTLP_LAYOUT_NR];

/* Profile without its samples, which are skipped; the same in both layouts. */
extern const struct pipa_proto_message pipa_otlp_profile_head_message;

extern const struct pipa_proto_message pipa_otlp_partial_success_message,
	pipa_otlp_response_message, pipa_otlp_any_message, pipa_otlp_status_message,
	pipa_otlp_duration_message, pipa_otlp_retry_info_message, pipa_otlp_field_violation_message,
	pipa_otlp_bad_request_message;

#endif
