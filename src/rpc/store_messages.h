/*
 * Messages of the service pipa.store.v1.Store (proto/pipa/store/v1/store.proto has their meaning), as codec/proto.h
 * describes them. Spans and arrays are borrowed: from the encoded bytes and the memory of the decoder, or from the caller
 * that fills a struct. Encode and decode with rpc/message.h.
 */
#ifndef PIPA_RPC_STORE_MESSAGES_H
#define PIPA_RPC_STORE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "codec/proto.h"

#define PIPA_STORE_SERVICE "pipa.store.v1.Store"

enum pipa_store_format {
	PIPA_STORE_FORMAT_UNSPECIFIED,
	PIPA_STORE_FORMAT_CSV,
	PIPA_STORE_FORMAT_XLSX,
	PIPA_STORE_FORMAT_JSON,
	PIPA_STORE_FORMAT_PARQUET,
};

/* Limits of requests. */
enum {
	PIPA_STORE_QUERY_DEFAULT = 100,
	PIPA_STORE_QUERY_MAX = 1000,
	PIPA_STORE_GROUPS_DEFAULT = 1000,
	PIPA_STORE_GROUPS_MAX = 10000,
	PIPA_STORE_CHUNK = 64 << 10, /* bytes of files per message of a stream */
};

struct pipa_store_label {
	struct pipa_span key;
	struct pipa_span value; /* without data: absent */
};

struct pipa_store_filter {
	struct pipa_span table;
	struct pipa_span hash;
	struct pipa_span workload;
	struct pipa_span platform;
	struct pipa_span username;
	PIPA_PROTO_LIST(struct pipa_store_label) labels;
	uint64_t since_us;
	uint64_t until_us;
	struct pipa_span where;
};

struct pipa_store_recording {
	struct pipa_span id;
	struct pipa_span name;
	uint64_t size;
	uint64_t upload_time_us;
};

struct pipa_store_run {
	struct pipa_span table;
	struct pipa_span hash;
	uint64_t upload_time_us;
	struct pipa_span record;
	PIPA_PROTO_LIST(struct pipa_store_label) labels;
	PIPA_PROTO_LIST(struct pipa_store_recording) recordings;
	struct pipa_span result; /* encoded; pipa_rpc_decode_result() */
};

struct pipa_store_upload_request {
	struct pipa_span table;
	struct pipa_span result; /* encoded; pipa_rpc_decode_result() */
	PIPA_PROTO_LIST(struct pipa_store_label) labels;
};

struct pipa_store_upload_response {
	struct pipa_span hash;
	uint64_t upload_time_us;
	struct pipa_span upload_datetime;
	struct pipa_span record;
	bool existed;
};

struct pipa_store_query_request {
	struct pipa_store_filter *filter;
	uint32_t limit;
	struct pipa_span page_token;
};

struct pipa_store_query_response {
	PIPA_PROTO_LIST(struct pipa_store_run) runs;
	struct pipa_span next_page_token;
};

struct pipa_store_query_metric_request {
	struct pipa_store_filter *filter;
	PIPA_PROTO_LIST(struct pipa_span) metrics;
	PIPA_PROTO_LIST(struct pipa_span) by;
	uint32_t limit;
};

struct pipa_store_metric_statistics {
	struct pipa_span metric;
	struct pipa_span unit;
	uint64_t count;
	double mean;
	double stddev;
	double min;
	double max;
	double last;
};

struct pipa_store_metric_group {
	PIPA_PROTO_LIST(struct pipa_span) by;
	uint64_t runs;
	uint64_t first_us;
	uint64_t last_us;
	PIPA_PROTO_LIST(struct pipa_store_metric_statistics) metrics;
};

struct pipa_store_query_metric_response {
	PIPA_PROTO_LIST(struct pipa_store_metric_group) groups;
	uint64_t runs;
	uint64_t dropped_runs;
};

struct pipa_store_list_tables_request {
	char nothing; /* C has no empty struct */
};

struct pipa_store_table {
	struct pipa_span name;
	uint64_t rows;
	uint64_t first_us;
	uint64_t last_us;
	bool is_default;
};

struct pipa_store_list_tables_response {
	PIPA_PROTO_LIST(struct pipa_store_table) tables;
};

struct pipa_store_download_request {
	struct pipa_store_filter *filter;
	int32_t format; /* enum pipa_store_format */
};

struct pipa_store_download_response {
	struct pipa_span chunk;
};

struct pipa_store_upload_recording_request {
	struct pipa_span table;
	struct pipa_span hash;
	struct pipa_span name;
	uint64_t size;
	struct pipa_span id;
	struct pipa_span chunk;
};

struct pipa_store_upload_recording_response {
	struct pipa_store_recording *recording;
	bool existed;
};

struct pipa_store_download_recording_request {
	struct pipa_span table;
	struct pipa_span hash;
	struct pipa_span id;
	uint64_t offset;
};

struct pipa_store_download_recording_response {
	struct pipa_store_recording *recording;
	struct pipa_span chunk;
};

struct pipa_store_delete_request {
	struct pipa_span table;
	PIPA_PROTO_LIST(struct pipa_span) hashes;
};

struct pipa_store_delete_response {
	uint64_t runs;
	uint64_t recordings;
};

extern const struct pipa_proto_message pipa_store_label_message;
extern const struct pipa_proto_message pipa_store_filter_message;
extern const struct pipa_proto_message pipa_store_recording_message;
extern const struct pipa_proto_message pipa_store_run_message;
extern const struct pipa_proto_message pipa_store_upload_request_message;
extern const struct pipa_proto_message pipa_store_upload_response_message;
extern const struct pipa_proto_message pipa_store_query_request_message;
extern const struct pipa_proto_message pipa_store_query_response_message;
extern const struct pipa_proto_message pipa_store_query_metric_request_message;
extern const struct pipa_proto_message pipa_store_metric_statistics_message;
extern const struct pipa_proto_message pipa_store_metric_group_message;
extern const struct pipa_proto_message pipa_store_query_metric_response_message;
extern const struct pipa_proto_message pipa_store_list_tables_request_message;
extern const struct pipa_proto_message pipa_store_table_message;
extern const struct pipa_proto_message pipa_store_list_tables_response_message;
extern const struct pipa_proto_message pipa_store_download_request_message;
extern const struct pipa_proto_message pipa_store_download_response_message;
extern const struct pipa_proto_message pipa_store_upload_recording_request_message;
extern const struct pipa_proto_message pipa_store_upload_recording_response_message;
extern const struct pipa_proto_message pipa_store_download_recording_request_message;
extern const struct pipa_proto_message pipa_store_download_recording_response_message;
extern const struct pipa_proto_message pipa_store_delete_request_message;
extern const struct pipa_proto_message pipa_store_delete_response_message;

#endif
