#include "rpc/store_messages.h"

#include "base/auto.h"

#define MESSAGE(tag, name_, flat_)                                                                 \
	const struct pipa_proto_message tag##_message = { .name = name_,                           \
							  .fields = tag##_fields,                  \
							  .n_fields = PIPA_COUNT(tag##_fields),    \
							  .size = sizeof(struct tag),              \
							  .flat = flat_ }

static const struct pipa_proto_field pipa_store_label_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_label, 1, STRING, key),
	PIPA_PROTO_OPTIONAL(pipa_store_label, 2, STRING, value),
};
MESSAGE(pipa_store_label, "Label", true);

static const struct pipa_proto_field pipa_store_filter_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_filter, 1, STRING, table),
	PIPA_PROTO_FIELD(pipa_store_filter, 2, STRING, hash),
	PIPA_PROTO_FIELD(pipa_store_filter, 3, STRING, workload),
	PIPA_PROTO_FIELD(pipa_store_filter, 4, STRING, platform),
	PIPA_PROTO_FIELD(pipa_store_filter, 5, STRING, username),
	PIPA_PROTO_SUBS(pipa_store_filter, 6, labels, pipa_store_label_message),
	PIPA_PROTO_FIELD(pipa_store_filter, 7, UINT64, since_us),
	PIPA_PROTO_FIELD(pipa_store_filter, 8, UINT64, until_us),
	PIPA_PROTO_FIELD(pipa_store_filter, 9, STRING, where),
};
MESSAGE(pipa_store_filter, "Filter", false);

static const struct pipa_proto_field pipa_store_recording_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_recording, 1, STRING, id),
	PIPA_PROTO_FIELD(pipa_store_recording, 2, STRING, name),
	PIPA_PROTO_FIELD(pipa_store_recording, 3, UINT64, size),
	PIPA_PROTO_FIELD(pipa_store_recording, 4, UINT64, upload_time_us),
};
MESSAGE(pipa_store_recording, "Recording", true);

static const struct pipa_proto_field pipa_store_run_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_run, 1, STRING, table),
	PIPA_PROTO_FIELD(pipa_store_run, 2, STRING, hash),
	PIPA_PROTO_FIELD(pipa_store_run, 3, UINT64, upload_time_us),
	PIPA_PROTO_FIELD(pipa_store_run, 4, STRING, record),
	PIPA_PROTO_SUBS(pipa_store_run, 5, labels, pipa_store_label_message),
	PIPA_PROTO_SUBS(pipa_store_run, 6, recordings, pipa_store_recording_message),
	PIPA_PROTO_FIELD(pipa_store_run, 7, RAW, result),
};
MESSAGE(pipa_store_run, "Run", false);

static const struct pipa_proto_field pipa_store_upload_request_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_upload_request, 1, STRING, table),
	PIPA_PROTO_FIELD(pipa_store_upload_request, 2, RAW, result),
	PIPA_PROTO_SUBS(pipa_store_upload_request, 3, labels, pipa_store_label_message),
};
MESSAGE(pipa_store_upload_request, "UploadRequest", false);

static const struct pipa_proto_field pipa_store_upload_response_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_upload_response, 1, STRING, hash),
	PIPA_PROTO_FIELD(pipa_store_upload_response, 2, UINT64, upload_time_us),
	PIPA_PROTO_FIELD(pipa_store_upload_response, 3, STRING, upload_datetime),
	PIPA_PROTO_FIELD(pipa_store_upload_response, 4, STRING, record),
	PIPA_PROTO_FIELD(pipa_store_upload_response, 5, BOOL, existed),
};
MESSAGE(pipa_store_upload_response, "UploadResponse", true);

static const struct pipa_proto_field pipa_store_query_request_fields[] = {
	PIPA_PROTO_SUB(pipa_store_query_request, 1, filter, pipa_store_filter_message),
	PIPA_PROTO_FIELD(pipa_store_query_request, 2, UINT32, limit),
	PIPA_PROTO_FIELD(pipa_store_query_request, 3, STRING, page_token),
};
MESSAGE(pipa_store_query_request, "QueryRequest", true);

static const struct pipa_proto_field pipa_store_query_response_fields[] = {
	PIPA_PROTO_SUBS(pipa_store_query_response, 1, runs, pipa_store_run_message),
	PIPA_PROTO_FIELD(pipa_store_query_response, 2, STRING, next_page_token),
};
MESSAGE(pipa_store_query_response, "QueryResponse", false);

static const struct pipa_proto_field pipa_store_query_metric_request_fields[] = {
	PIPA_PROTO_SUB(pipa_store_query_metric_request, 1, filter, pipa_store_filter_message),
	PIPA_PROTO_REPEATED(pipa_store_query_metric_request, 2, STRING, metrics),
	PIPA_PROTO_REPEATED(pipa_store_query_metric_request, 3, STRING, by),
	PIPA_PROTO_FIELD(pipa_store_query_metric_request, 4, UINT32, limit),
};
MESSAGE(pipa_store_query_metric_request, "QueryMetricRequest", false);

static const struct pipa_proto_field pipa_store_metric_statistics_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 1, STRING, metric),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 2, STRING, unit),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 3, UINT64, count),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 4, DOUBLE, mean),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 5, DOUBLE, stddev),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 6, DOUBLE, min),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 7, DOUBLE, max),
	PIPA_PROTO_FIELD(pipa_store_metric_statistics, 8, DOUBLE, last),
};
MESSAGE(pipa_store_metric_statistics, "MetricStatistics", true);

static const struct pipa_proto_field pipa_store_metric_group_fields[] = {
	PIPA_PROTO_REPEATED(pipa_store_metric_group, 1, STRING, by),
	PIPA_PROTO_FIELD(pipa_store_metric_group, 2, UINT64, runs),
	PIPA_PROTO_FIELD(pipa_store_metric_group, 3, UINT64, first_us),
	PIPA_PROTO_FIELD(pipa_store_metric_group, 4, UINT64, last_us),
	PIPA_PROTO_SUBS(pipa_store_metric_group, 5, metrics, pipa_store_metric_statistics_message),
};
MESSAGE(pipa_store_metric_group, "MetricGroup", false);

static const struct pipa_proto_field pipa_store_query_metric_response_fields[] = {
	PIPA_PROTO_SUBS(pipa_store_query_metric_response, 1, groups,
			pipa_store_metric_group_message),
	PIPA_PROTO_FIELD(pipa_store_query_metric_response, 2, UINT64, runs),
	PIPA_PROTO_FIELD(pipa_store_query_metric_response, 3, UINT64, dropped_runs),
};
MESSAGE(pipa_store_query_metric_response, "QueryMetricResponse", false);

const struct pipa_proto_message pipa_store_list_tables_request_message = {
	.name = "ListTablesRequest",
	.size = sizeof(struct pipa_store_list_tables_request),
	.flat = true
};

static const struct pipa_proto_field pipa_store_table_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_table, 1, STRING, name),
	PIPA_PROTO_FIELD(pipa_store_table, 2, UINT64, rows),
	PIPA_PROTO_FIELD(pipa_store_table, 3, UINT64, first_us),
	PIPA_PROTO_FIELD(pipa_store_table, 4, UINT64, last_us),
	PIPA_PROTO_FIELD(pipa_store_table, 5, BOOL, is_default),
};
MESSAGE(pipa_store_table, "Table", true);

static const struct pipa_proto_field pipa_store_list_tables_response_fields[] = {
	PIPA_PROTO_SUBS(pipa_store_list_tables_response, 1, tables, pipa_store_table_message),
};
MESSAGE(pipa_store_list_tables_response, "ListTablesResponse", false);

static const struct pipa_proto_field pipa_store_download_request_fields[] = {
	PIPA_PROTO_SUB(pipa_store_download_request, 1, filter, pipa_store_filter_message),
	PIPA_PROTO_FIELD(pipa_store_download_request, 2, INT32, format),
};
MESSAGE(pipa_store_download_request, "DownloadRequest", true);

static const struct pipa_proto_field pipa_store_download_response_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_download_response, 1, BYTES, chunk),
};
MESSAGE(pipa_store_download_response, "DownloadResponse", true);

static const struct pipa_proto_field pipa_store_upload_recording_request_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 1, STRING, table),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 2, STRING, hash),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 3, STRING, name),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 4, UINT64, size),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 5, STRING, id),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_request, 6, BYTES, chunk),
};
MESSAGE(pipa_store_upload_recording_request, "UploadRecordingRequest", true);

static const struct pipa_proto_field pipa_store_upload_recording_response_fields[] = {
	PIPA_PROTO_SUB(pipa_store_upload_recording_response, 1, recording,
		       pipa_store_recording_message),
	PIPA_PROTO_FIELD(pipa_store_upload_recording_response, 2, BOOL, existed),
};
MESSAGE(pipa_store_upload_recording_response, "UploadRecordingResponse", true);

static const struct pipa_proto_field pipa_store_download_recording_request_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_download_recording_request, 1, STRING, table),
	PIPA_PROTO_FIELD(pipa_store_download_recording_request, 2, STRING, hash),
	PIPA_PROTO_FIELD(pipa_store_download_recording_request, 3, STRING, id),
	PIPA_PROTO_FIELD(pipa_store_download_recording_request, 4, UINT64, offset),
};
MESSAGE(pipa_store_download_recording_request, "DownloadRecordingRequest", true);

static const struct pipa_proto_field pipa_store_download_recording_response_fields[] = {
	PIPA_PROTO_SUB(pipa_store_download_recording_response, 1, recording,
		       pipa_store_recording_message),
	PIPA_PROTO_FIELD(pipa_store_download_recording_response, 2, BYTES, chunk),
};
MESSAGE(pipa_store_download_recording_response, "DownloadRecordingResponse", true);

static const struct pipa_proto_field pipa_store_delete_request_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_delete_request, 1, STRING, table),
	PIPA_PROTO_REPEATED(pipa_store_delete_request, 2, STRING, hashes),
};
MESSAGE(pipa_store_delete_request, "DeleteRequest", false);

static const struct pipa_proto_field pipa_store_delete_response_fields[] = {
	PIPA_PROTO_FIELD(pipa_store_delete_response, 1, UINT64, runs),
	PIPA_PROTO_FIELD(pipa_store_delete_response, 2, UINT64, recordings),
};
MESSAGE(pipa_store_delete_response, "DeleteResponse", true);
