#include "codec/otlp_schema.h"

#include "base/auto.h"

#define MESSAGE(name_, tag, ...)                                                                   \
	const struct pipa_proto_message pipa_otlp_##tag##_message = {                              \
		.name = name_,                                                                     \
		.fields = tag##_fields,                                                            \
		.n_fields = PIPA_COUNT(tag##_fields),                                              \
		.size = sizeof(struct pipa_otlp_##tag),                                            \
		__VA_ARGS__                                                                        \
	}

/* ---- shared messages ---------------------------------------------------------------------------- */

static const struct pipa_proto_field any_value_fields[] = {
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_STRING_VALUE, STRING, string_value),
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_BOOL_VALUE, BOOL, bool_value),
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_INT_VALUE, INT64, int_value),
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_DOUBLE_VALUE, DOUBLE, double_value),
	PIPA_PROTO_ONEOF_SUB(pipa_otlp_any_value, PIPA_OTLP_ARRAY_VALUE, array_value,
			     pipa_otlp_array_value_message),
	PIPA_PROTO_ONEOF_SUB(pipa_otlp_any_value, PIPA_OTLP_KVLIST_VALUE, kvlist_value,
			     pipa_otlp_key_value_list_message),
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_BYTES_VALUE, BYTES, bytes_value),
	PIPA_PROTO_ONEOF(pipa_otlp_any_value, PIPA_OTLP_STRING_VALUE_STRINDEX, INT32,
			 string_value_strindex),
};
MESSAGE("AnyValue", any_value, .which = offsetof(struct pipa_otlp_any_value, which), .flat = true);

static const struct pipa_proto_field array_value_fields[] = {
	PIPA_PROTO_SUBS(pipa_otlp_array_value, PIPA_OTLP_ARRAY_VALUE_VALUES, values,
			pipa_otlp_any_value_message),
};
MESSAGE("ArrayValue", array_value);

static const struct pipa_proto_field key_value_list_fields[] = {
	PIPA_PROTO_SUBS(pipa_otlp_key_value_list, PIPA_OTLP_KEY_VALUE_LIST_VALUES, values,
			pipa_otlp_key_value_message),
};
MESSAGE("KeyValueList", key_value_list);

static const struct pipa_proto_field key_value_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_key_value, PIPA_OTLP_KEY_VALUE_KEY, STRING, key),
	PIPA_PROTO_SUB(pipa_otlp_key_value, PIPA_OTLP_KEY_VALUE_VALUE, value,
		       pipa_otlp_any_value_message),
	PIPA_PROTO_FIELD(pipa_otlp_key_value, PIPA_OTLP_KEY_VALUE_KEY_STRINDEX, INT32,
			 key_strindex),
};
MESSAGE("KeyValue", key_value, .flat = true);

static const struct pipa_proto_field entity_ref_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_entity_ref, PIPA_OTLP_ENTITY_REF_SCHEMA_URL, STRING, schema_url),
	PIPA_PROTO_FIELD(pipa_otlp_entity_ref, PIPA_OTLP_ENTITY_REF_TYPE, STRING, type),
	PIPA_PROTO_REPEATED(pipa_otlp_entity_ref, PIPA_OTLP_ENTITY_REF_ID_KEYS, STRING, id_keys),
	PIPA_PROTO_REPEATED(pipa_otlp_entity_ref, PIPA_OTLP_ENTITY_REF_DESCRIPTION_KEYS, STRING,
			    description_keys),
};
MESSAGE("EntityRef", entity_ref);

static const struct pipa_proto_field resource_fields[] = {
	PIPA_PROTO_SUBS(pipa_otlp_resource, PIPA_OTLP_RESOURCE_ATTRIBUTES, attributes,
			pipa_otlp_key_value_message),
	PIPA_PROTO_FIELD(pipa_otlp_resource, PIPA_OTLP_RESOURCE_DROPPED_ATTRIBUTES_COUNT, UINT32,
			 dropped_attributes_count),
	PIPA_PROTO_SUBS(pipa_otlp_resource, PIPA_OTLP_RESOURCE_ENTITY_REFS, entity_refs,
			pipa_otlp_entity_ref_message),
};
MESSAGE("Resource", resource);

static const struct pipa_proto_field scope_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_scope, PIPA_OTLP_SCOPE_NAME, STRING, name),
	PIPA_PROTO_FIELD(pipa_otlp_scope, PIPA_OTLP_SCOPE_VERSION, STRING, version),
	PIPA_PROTO_SUBS(pipa_otlp_scope, PIPA_OTLP_SCOPE_ATTRIBUTES, attributes,
			pipa_otlp_key_value_message),
	PIPA_PROTO_FIELD(pipa_otlp_scope, PIPA_OTLP_SCOPE_DROPPED_ATTRIBUTES_COUNT, UINT32,
			 dropped_attributes_count),
};
MESSAGE("InstrumentationScope", scope);

/* ---- the dictionary ----------------------------------------------------------------------------- */

static const struct pipa_proto_field attribute_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_attribute, PIPA_OTLP_ATTRIBUTE_KEY_STRINDEX, INT32,
			 key_strindex),
	PIPA_PROTO_SUB(pipa_otlp_attribute, PIPA_OTLP_ATTRIBUTE_VALUE, value,
		       pipa_otlp_any_value_message),
	PIPA_PROTO_FIELD(pipa_otlp_attribute, PIPA_OTLP_ATTRIBUTE_UNIT_STRINDEX, INT32,
			 unit_strindex),
};
MESSAGE("KeyValueAndUnit", attribute, .flat = true);

static const struct pipa_proto_field link_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_link, PIPA_OTLP_LINK_TRACE_ID, ID, trace_id),
	PIPA_PROTO_FIELD(pipa_otlp_link, PIPA_OTLP_LINK_SPAN_ID, ID, span_id),
};
MESSAGE("Link", link, .flat = true);

static const struct pipa_proto_field mapping_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_mapping, PIPA_OTLP_MAPPING_MEMORY_START, UINT64, memory_start),
	PIPA_PROTO_FIELD(pipa_otlp_mapping, PIPA_OTLP_MAPPING_MEMORY_LIMIT, UINT64, memory_limit),
	PIPA_PROTO_FIELD(pipa_otlp_mapping, PIPA_OTLP_MAPPING_FILE_OFFSET, UINT64, file_offset),
	PIPA_PROTO_FIELD(pipa_otlp_mapping, PIPA_OTLP_MAPPING_FILENAME_STRINDEX, INT32,
			 filename_strindex),
	PIPA_PROTO_REPEATED(pipa_otlp_mapping, PIPA_OTLP_MAPPING_ATTRIBUTE_INDICES, INT32,
			    attribute_indices),
};
MESSAGE("Mapping", mapping);

static const struct pipa_proto_field function_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_function, PIPA_OTLP_FUNCTION_NAME_STRINDEX, INT32,
			 name_strindex),
	PIPA_PROTO_FIELD(pipa_otlp_function, PIPA_OTLP_FUNCTION_SYSTEM_NAME_STRINDEX, INT32,
			 system_name_strindex),
	PIPA_PROTO_FIELD(pipa_otlp_function, PIPA_OTLP_FUNCTION_FILENAME_STRINDEX, INT32,
			 filename_strindex),
	PIPA_PROTO_FIELD(pipa_otlp_function, PIPA_OTLP_FUNCTION_START_LINE, INT64, start_line),
};
MESSAGE("Function", function, .flat = true);

static const struct pipa_proto_field line_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_line, PIPA_OTLP_LINE_FUNCTION_INDEX, INT32, function_index),
	PIPA_PROTO_FIELD(pipa_otlp_line, PIPA_OTLP_LINE_LINE, INT64, line),
	PIPA_PROTO_FIELD(pipa_otlp_line, PIPA_OTLP_LINE_COLUMN, INT64, column),
};
MESSAGE("Line", line, .flat = true);

static const struct pipa_proto_field location_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_location, PIPA_OTLP_LOCATION_MAPPING_INDEX, INT32,
			 mapping_index),
	PIPA_PROTO_FIELD(pipa_otlp_location, PIPA_OTLP_LOCATION_ADDRESS, UINT64, address),
	PIPA_PROTO_SUBS(pipa_otlp_location, PIPA_OTLP_LOCATION_LINES, lines,
			pipa_otlp_line_message),
	PIPA_PROTO_REPEATED(pipa_otlp_location, PIPA_OTLP_LOCATION_ATTRIBUTE_INDICES, INT32,
			    attribute_indices),
};
MESSAGE("Location", location);

static const struct pipa_proto_field stack_fields[] = {
	PIPA_PROTO_REPEATED(pipa_otlp_stack, PIPA_OTLP_STACK_LOCATION_INDICES, INT32,
			    location_indices),
};
MESSAGE("Stack", stack);

static const struct pipa_proto_field dictionary_fields[] = {
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_MAPPING_TABLE, mapping_table,
			pipa_otlp_mapping_message),
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_LOCATION_TABLE, location_table,
			pipa_otlp_location_message),
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_FUNCTION_TABLE, function_table,
			pipa_otlp_function_message),
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_LINK_TABLE, link_table,
			pipa_otlp_link_message),
	PIPA_PROTO_REPEATED(pipa_otlp_dictionary, PIPA_OTLP_STRING_TABLE, STRING, string_table),
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_ATTRIBUTE_TABLE, attribute_table,
			pipa_otlp_attribute_message),
	PIPA_PROTO_SUBS(pipa_otlp_dictionary, PIPA_OTLP_STACK_TABLE, stack_table,
			pipa_otlp_stack_message),
};
MESSAGE("ProfilesDictionary", dictionary);

/* ---- profiles ----------------------------------------------------------------------------------- */

static const struct pipa_proto_field value_type_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_value_type, PIPA_OTLP_VALUE_TYPE_TYPE_STRINDEX, INT32,
			 type_strindex),
	PIPA_PROTO_FIELD(pipa_otlp_value_type, PIPA_OTLP_VALUE_TYPE_UNIT_STRINDEX, INT32,
			 unit_strindex),
};
MESSAGE("ValueType", value_type, .flat = true);

/* Fields of Sample, by layout. */
static const struct pipa_proto_field sample_fields[PIPA_OTLP_LAYOUT_NR][5] = {
	[PIPA_OTLP_1_10] = {
		PIPA_PROTO_FIELD(pipa_otlp_sample, PIPA_OTLP_SAMPLE_STACK_INDEX, INT32, stack_index),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_SAMPLE_ATTRIBUTE_INDICES, INT32, attribute_indices),
		PIPA_PROTO_FIELD(pipa_otlp_sample, PIPA_OTLP_SAMPLE_LINK_INDEX, INT32, link_index),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_SAMPLE_VALUES, INT64, values),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO, FIXED64, timestamps_unix_nano),
	},
	[PIPA_OTLP_1_9] = {
		PIPA_PROTO_FIELD(pipa_otlp_sample, PIPA_OTLP_SAMPLE_STACK_INDEX, INT32, stack_index),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_1_9_SAMPLE_VALUES, INT64, values),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_1_9_SAMPLE_ATTRIBUTE_INDICES, INT32, attribute_indices),
		PIPA_PROTO_FIELD(pipa_otlp_sample, PIPA_OTLP_1_9_SAMPLE_LINK_INDEX, INT32, link_index),
		PIPA_PROTO_REPEATED(pipa_otlp_sample, PIPA_OTLP_SAMPLE_TIMESTAMPS_UNIX_NANO, FIXED64, timestamps_unix_nano),
	},
};

#define PROFILE_HEAD_ROWS                                                                          \
	PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_TIME_UNIX_NANO, FIXED64,             \
			 time_unix_nano),                                                          \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_DURATION_NANO, UINT64,       \
				 duration_nano),                                                   \
		PIPA_PROTO_SUB(pipa_otlp_profile, PIPA_OTLP_PROFILE_PERIOD_TYPE, period_type,      \
			       pipa_otlp_value_type_message),                                      \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_PERIOD, INT64, period),      \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_PROFILE_ID, BYTES,           \
				 profile_id),                                                      \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_DROPPED_ATTRIBUTES_COUNT,    \
				 UINT32, dropped_attributes_count),                                \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_ORIGINAL_PAYLOAD_FORMAT,     \
				 STRING, original_payload_format),                                 \
		PIPA_PROTO_FIELD(pipa_otlp_profile, PIPA_OTLP_PROFILE_ORIGINAL_PAYLOAD, BYTES,     \
				 original_payload),                                                \
		PIPA_PROTO_REPEATED(pipa_otlp_profile, PIPA_OTLP_PROFILE_ATTRIBUTE_INDICES, INT32, \
				    attribute_indices)

#define PROFILE_ROWS(layout)                                                                       \
	{                                                                                          \
		PIPA_PROTO_SUB(pipa_otlp_profile, PIPA_OTLP_PROFILE_SAMPLE_TYPE, sample_type,      \
			       pipa_otlp_value_type_message),                                      \
			PIPA_PROTO_SUBS(pipa_otlp_profile, PIPA_OTLP_PROFILE_SAMPLES, samples,     \
					pipa_otlp_sample_messages[layout]),                        \
			PROFILE_HEAD_ROWS                                                          \
	}

static const struct pipa_proto_field profile_fields[PIPA_OTLP_LAYOUT_NR][11] = {
	[PIPA_OTLP_1_10] = PROFILE_ROWS(PIPA_OTLP_1_10),
	[PIPA_OTLP_1_9] = PROFILE_ROWS(PIPA_OTLP_1_9),
};

static const struct pipa_proto_field profile_head_fields[] = {
	PIPA_PROTO_SUB(pipa_otlp_profile, PIPA_OTLP_PROFILE_SAMPLE_TYPE, sample_type,
		       pipa_otlp_value_type_message),
	PROFILE_HEAD_ROWS,
};
const struct pipa_proto_message pipa_otlp_profile_head_message = {
	.name = "Profile",
	.fields = profile_head_fields,
	.n_fields = PIPA_COUNT(profile_head_fields),
	.size = sizeof(struct pipa_otlp_profile),
};

#define SCOPE_PROFILES_ROWS(layout)                                                                \
	{                                                                                          \
		PIPA_PROTO_SUB(pipa_otlp_scope_profiles, PIPA_OTLP_SCOPE_PROFILES_SCOPE, scope,    \
			       pipa_otlp_scope_message),                                           \
			PIPA_PROTO_SUBS(pipa_otlp_scope_profiles,                                  \
					PIPA_OTLP_SCOPE_PROFILES_PROFILES, profiles,               \
					pipa_otlp_profile_messages[layout]),                       \
			PIPA_PROTO_FIELD(pipa_otlp_scope_profiles,                                 \
					 PIPA_OTLP_SCOPE_PROFILES_SCHEMA_URL, STRING, schema_url)  \
	}

static const struct pipa_proto_field scope_profiles_fields[PIPA_OTLP_LAYOUT_NR][3] = {
	[PIPA_OTLP_1_10] = SCOPE_PROFILES_ROWS(PIPA_OTLP_1_10),
	[PIPA_OTLP_1_9] = SCOPE_PROFILES_ROWS(PIPA_OTLP_1_9),
};

#define RESOURCE_PROFILES_ROWS(layout)                                                             \
	{                                                                                          \
		PIPA_PROTO_SUB(pipa_otlp_resource_profiles, PIPA_OTLP_RESOURCE_PROFILES_RESOURCE,  \
			       resource, pipa_otlp_resource_message),                              \
			PIPA_PROTO_SUBS(pipa_otlp_resource_profiles,                               \
					PIPA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES,                \
					scope_profiles,                                            \
					pipa_otlp_scope_profiles_messages[layout]),                \
			PIPA_PROTO_FIELD(pipa_otlp_resource_profiles,                              \
					 PIPA_OTLP_RESOURCE_PROFILES_SCHEMA_URL, STRING,           \
					 schema_url)                                               \
	}

static const struct pipa_proto_field resource_profiles_fields[PIPA_OTLP_LAYOUT_NR][3] = {
	[PIPA_OTLP_1_10] = RESOURCE_PROFILES_ROWS(PIPA_OTLP_1_10),
	[PIPA_OTLP_1_9] = RESOURCE_PROFILES_ROWS(PIPA_OTLP_1_9),
};

#define DATA_ROWS(layout)                                                                          \
	{                                                                                          \
		PIPA_PROTO_SUBS(pipa_otlp_data, PIPA_OTLP_RESOURCE_PROFILES, resource_profiles,    \
				pipa_otlp_resource_profiles_messages[layout]),                     \
			PIPA_PROTO_SUB(pipa_otlp_data, PIPA_OTLP_DICTIONARY, dictionary,           \
				       pipa_otlp_dictionary_message)                               \
	}

static const struct pipa_proto_field data_fields[PIPA_OTLP_LAYOUT_NR][2] = {
	[PIPA_OTLP_1_10] = DATA_ROWS(PIPA_OTLP_1_10),
	[PIPA_OTLP_1_9] = DATA_ROWS(PIPA_OTLP_1_9),
};

#define LAYOUT(name_, tag, layout)                                                                 \
	[layout] = { .name = name_,                                                                \
		     .fields = tag##_fields[layout],                                               \
		     .n_fields = PIPA_COUNT(tag##_fields[layout]),                                 \
		     .size = sizeof(struct pipa_otlp_##tag) }

#define MESSAGES(name_, tag)                                                                       \
	const struct pipa_proto_message pipa_otlp_##tag##_messages[PIPA_OTLP_LAYOUT_NR] = {        \
		LAYOUT(name_, tag, PIPA_OTLP_1_10), LAYOUT(name_, tag, PIPA_OTLP_1_9)              \
	}

MESSAGES("Sample", sample);
MESSAGES("Profile", profile);
MESSAGES("ScopeProfiles", scope_profiles);
MESSAGES("ResourceProfiles", resource_profiles);
MESSAGES("ProfilesData", data);

/* ---- response and errors ------------------------------------------------------------------------ */

static const struct pipa_proto_field partial_success_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_partial_success, 1, INT64, rejected_profiles),
	PIPA_PROTO_FIELD(pipa_otlp_partial_success, 2, STRING, error_message),
};
MESSAGE("ExportProfilesPartialSuccess", partial_success, .flat = true);

static const struct pipa_proto_field response_fields[] = {
	PIPA_PROTO_SUB(pipa_otlp_response, 1, partial_success, pipa_otlp_partial_success_message),
};
MESSAGE("ExportProfilesServiceResponse", response, .flat = true);

static const struct pipa_proto_field any_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_any, 1, STRING, type_url),
	PIPA_PROTO_FIELD(pipa_otlp_any, 2, BYTES, value),
};
MESSAGE("Any", any, .flat = true);

static const struct pipa_proto_field status_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_status, 1, INT32, code),
	PIPA_PROTO_FIELD(pipa_otlp_status, 2, STRING, message),
	PIPA_PROTO_SUBS(pipa_otlp_status, 3, details, pipa_otlp_any_message),
};
MESSAGE("Status", status);

static const struct pipa_proto_field duration_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_duration, 1, INT64, seconds),
	PIPA_PROTO_FIELD(pipa_otlp_duration, 2, INT32, nanos),
};
MESSAGE("Duration", duration, .flat = true);

static const struct pipa_proto_field retry_info_fields[] = {
	PIPA_PROTO_SUB(pipa_otlp_retry_info, 1, retry_delay, pipa_otlp_duration_message),
};
MESSAGE("RetryInfo", retry_info, .flat = true);

static const struct pipa_proto_field field_violation_fields[] = {
	PIPA_PROTO_FIELD(pipa_otlp_field_violation, 1, STRING, field),
	PIPA_PROTO_FIELD(pipa_otlp_field_violation, 2, STRING, description),
};
MESSAGE("FieldViolation", field_violation, .flat = true);

static const struct pipa_proto_field bad_request_fields[] = {
	PIPA_PROTO_SUBS(pipa_otlp_bad_request, 1, field_violations,
			pipa_otlp_field_violation_message),
};
MESSAGE("BadRequest", bad_request);
