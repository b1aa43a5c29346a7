#include "job/results/results_service.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/results/result_groups.h"
#include "analyze/results/result_where.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/vec.h"
#include "codec/parquet.h"
#include "export/frame/frame_text.h"
#include "export/frame/result_frame.h"
#include "export/frame/xlsx.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"
#include "store/results/recording_files.h"
#include "store/results/results.h"

enum { REQUEST_MEMORY = 16 << 20 };

/* ---- rows that a filter selects ------------------------------------------------------------------ */

/* A scan with the expression of the filter. */
struct selection {
	struct pipa_results *store;
	struct pipa_results_scan *scan;
	struct pipa_result_where *where;
	const struct pipa_results_run *run; /* the current row */
};

static void selection_done(struct selection *s)
{
	pipa_results_end(s->store, s->scan);
	pipa_result_where_free(s->where);
}

static void selection_done_auto(struct selection *s)
{
	selection_done(s);
}

static int select_rows(struct pipa_results *store, const struct pipa_store_filter *filter,
		       struct pipa_results_filter rows, struct selection *ret,
		       struct pipa_error *err)
{
	struct selection s = { .store = store };
	struct pipa_results_label labels[PIPA_RESULTS_LABELS_MAX];
	size_t i;
	int rc;

	if (filter) {
		if (filter->labels.n > PIPA_RESULTS_LABELS_MAX)
			return pipa_refuse(err, -EINVAL,
					   "cannot select results: more than %d labels",
					   PIPA_RESULTS_LABELS_MAX);
		for (i = 0; i < filter->labels.n; i++)
			labels[i] = (struct pipa_results_label){ filter->labels.items[i].key,
								 filter->labels.items[i].value };
		rows.table = filter->table;
		rows.hash = filter->hash;
		rows.workload = filter->workload;
		rows.platform = filter->platform;
		rows.username = filter->username;
		rows.labels = labels;
		rows.n_labels = filter->labels.n;
		rows.since_us = filter->since_us;
		rows.until_us = filter->until_us;
		if (filter->where.size) {
			rc = pipa_result_where_new(filter->where, &s.where, err);
			if (rc < 0)
				return rc;
		}
	}
	rc = pipa_results_scan(store, &rows, &s.scan, err);
	if (rc < 0)
		pipa_result_where_free(s.where);
	else
		*ret = s;
	return rc;
}

static struct pipa_span find_label(const void *ctx, struct pipa_span key)
{
	const struct pipa_results_run *run = ctx;
	size_t i;

	for (i = 0; i < run->n_labels; i++)
		if (run->labels[i].key.size == key.size &&
		    memcmp(run->labels[i].key.data, key.data, key.size) == 0)
			return run->labels[i].value;
	return (struct pipa_span){ 0 };
}

static struct pipa_result_row row_of(const struct pipa_results_run *run)
{
	return (struct pipa_result_row){ .result = &run->result,
					 .hash = run->hash,
					 .record = run->record,
					 .upload_time_us = run->upload_time_us,
					 .label = find_label,
					 .ctx = run };
}

/* Go to the next row that matches: 1, 0 at the end, or a failure. */
static int next_row(struct selection *s, struct pipa_error *err)
{
	struct pipa_result_row row;
	int rc;

	while ((rc = pipa_results_next(s->store, s->scan, &s->run, err)) > 0) {
		if (!s->where)
			return 1;
		row = row_of(s->run);
		rc = pipa_result_where_matches(s->where, &row, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* ---- Query --------------------------------------------------------------------------------------- */

/* Rows of a response: copies, in an arena. */
struct run_list {
	struct pipa_arena arena;
	struct pipa_store_run *items;
	size_t n, cap;
	size_t bytes; /* approximate size of the encoded runs */
};

static void run_list_done(struct run_list *list)
{
	pipa_arena_done(&list->arena);
	free(list->items);
}

static void run_list_done_auto(struct run_list *list)
{
	run_list_done(list);
}

static struct pipa_span copy_span(struct run_list *list, struct pipa_span span, int *status)
{
	const char *copy = pipa_arena_text(&list->arena, span.size ? (const char *)span.data : "",
					   span.size);

	if (!copy)
		*status = -ENOMEM;
	list->bytes += span.size + 4;
	return (struct pipa_span){ (const uint8_t *)copy, copy ? span.size : 0 };
}

static int copy_labels(struct run_list *list, const struct pipa_results_run *run,
		       struct pipa_store_run *to)
{
	struct pipa_store_label *labels;
	struct pipa_store_recording *recordings;
	int status = 0;
	size_t i;

	labels = pipa_arena_take(&list->arena, (run->n_labels + 1) * sizeof(*labels));
	recordings = pipa_arena_take(&list->arena, (run->n_recordings + 1) * sizeof(*recordings));
	if (!labels || !recordings)
		return -ENOMEM;
	for (i = 0; i < run->n_labels; i++)
		labels[i] = (struct pipa_store_label){
			copy_span(list, run->labels[i].key, &status),
			copy_span(list, run->labels[i].value, &status),
		};
	for (i = 0; i < run->n_recordings; i++)
		recordings[i] = (struct pipa_store_recording){
			.id = copy_span(list, run->recordings[i].id, &status),
			.name = copy_span(list, run->recordings[i].name, &status),
			.size = run->recordings[i].size,
			.upload_time_us = run->recordings[i].upload_time_us,
		};
	to->labels.items = labels;
	to->labels.n = run->n_labels;
	to->recordings.items = recordings;
	to->recordings.n = run->n_recordings;
	return status;
}

static int add_run(struct run_list *list, struct pipa_span table,
		   const struct pipa_results_run *run)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf result = { 0 };
	struct pipa_store_run *to = PIPA_VEC_ADD(list);
	int status;

	if (!to)
		return -ENOMEM;
	status = pipa_rpc_encode_result(&run->result, &result);
	if (status < 0)
		return status;
	to->table = table;
	to->upload_time_us = run->upload_time_us;
	to->hash = copy_span(list, run->hash, &status);
	to->record = copy_span(list, run->record, &status);
	to->result = copy_span(
		list, (struct pipa_span){ (const uint8_t *)pipa_buf_str(&result), result.len },
		&status);
	list->bytes += table.size + 64;
	return status ? status : copy_labels(list, run, to);
}

static int parse_token(struct pipa_span token, uint64_t *ret, struct pipa_error *err)
{
	char text[24];

	*ret = 0;
	if (!token.size)
		return 0;
	snprintf(text, sizeof(text), "%.*s", (int)(token.size < 23 ? token.size : 23),
		 (const char *)token.data);
	if (token.size > 20 || pipa_str_u64(text, ret) < 0 || !*ret || *ret > INT64_MAX)
		return pipa_refuse(err, -EINVAL, "invalid page token");
	return 0;
}

/* The name of the table of the rows: that of the filter, or that of the default table. */
struct default_name {
	char text[PIPA_RESULTS_NAME_MAX + 1];
};

static int note_default(void *ctx, const struct pipa_results_table *table)
{
	struct default_name *name = ctx;

	if (table->is_default)
		snprintf(name->text, sizeof(name->text), "%s", table->name);
	return 0;
}

int pipa_results_query(struct pipa_results *store, struct pipa_span bytes,
		       struct pipa_buf *response, struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	struct pipa_results_filter rows = { .newest_first = true, .with_labels = true };
	PIPA_AUTO(run_list_done) struct run_list runs = { 0 };
	PIPA_AUTO(selection_done) struct selection s = { .store = store };
	struct pipa_store_query_response answer = { 0 };
	struct pipa_store_query_request request;
	struct default_name table = { "" };
	struct pipa_span name = { 0 };
	char token[24] = "";
	uint32_t limit;
	int rc;

	rc = pipa_rpc_decode(&pipa_store_query_request_message, bytes, &memory, &request, err);
	if (!rc)
		rc = parse_token(request.page_token, &rows.after, err);
	if (!rc)
		rc = select_rows(store, request.filter, rows, &s, err);
	if (rc < 0)
		goto out;
	limit = request.limit ? request.limit : PIPA_STORE_QUERY_DEFAULT;
	if (limit > PIPA_STORE_QUERY_MAX)
		limit = PIPA_STORE_QUERY_MAX;
	if (request.filter)
		name = request.filter->table;
	if (!name.size) {
		rc = pipa_results_tables(store, note_default, &table, err);
		name = (struct pipa_span){ (const uint8_t *)table.text, strlen(table.text) };
	}
	while (rc >= 0 && (rc = next_row(&s, err)) > 0) {
		/* one more row than the page has: there is a next page */
		if (runs.n == limit ||
		    (response->max && runs.n && runs.bytes > response->max / 2)) {
			answer.next_page_token = (struct pipa_span){ (const uint8_t *)token,
								     strlen(token) };
			break;
		}
		rc = add_run(&runs, name, s.run);
		if (rc < 0)
			pipa_fail(err, rc, "answer a query");
		snprintf(token, sizeof(token), "%" PRIu64, s.run->position);
	}
	if (rc < 0)
		goto out;
	answer.runs.items = runs.items;
	answer.runs.n = runs.n;
	rc = pipa_rpc_encode(&pipa_store_query_response_message, &answer, response);
	if (rc < 0)
		pipa_fail(err, rc, "answer a query");
out:
	pipa_proto_memory_done(&memory);
	return rc;
}

/* ---- QueryMetric --------------------------------------------------------------------------------- */

static int encode_groups(struct pipa_result_groups *groups,
			 const struct pipa_store_query_metric_request *request, uint64_t runs,
			 struct pipa_buf *response)
{
	struct pipa_store_query_metric_response answer = {
		.runs = runs, .dropped_runs = pipa_result_groups_dropped(groups)
	};
	struct pipa_store_metric_statistics *statistics;
	const struct pipa_result_group *all;
	size_t n, g, m, n_metrics = request->metrics.n;
	int rc = -ENOMEM;

	all = pipa_result_groups_all(groups, &n);
	answer.groups.n = n;
	answer.groups.items = calloc(n + 1, sizeof(*answer.groups.items));
	statistics = calloc(n * n_metrics + 1, sizeof(*statistics));
	if (!answer.groups.items || !statistics)
		goto out;
	for (g = 0; g < n; g++) {
		struct pipa_store_metric_group *group = &answer.groups.items[g];

		group->by.items = all[g].by;
		group->by.n = request->by.n;
		group->runs = all[g].runs;
		group->first_us = all[g].first_us;
		group->last_us = all[g].last_us;
		group->metrics.items = statistics + g * n_metrics;
		group->metrics.n = n_metrics;
		for (m = 0; m < n_metrics; m++) {
			const struct pipa_result_statistics *from = &all[g].metrics[m];
			enum pipa_result_field field = pipa_result_groups_metric(groups, m);

			group->metrics.items[m] = (struct pipa_store_metric_statistics){
				.metric = pipa_span_of(pipa_result_fields[field].name),
				.unit = pipa_span_of(pipa_result_fields[field].unit),
				.count = from->count,
				.mean = from->mean,
				.stddev = pipa_result_statistics_sd(from),
				.min = from->min,
				.max = from->max,
				.last = from->last,
			};
		}
	}
	rc = pipa_rpc_encode(&pipa_store_query_metric_response_message, &answer, response);
out:
	free(statistics);
	free(answer.groups.items);
	return rc;
}

static bool needs_labels(const struct pipa_store_query_metric_request *request)
{
	size_t i;

	for (i = 0; i < request->by.n; i++)
		if (request->by.items[i].size > 6 &&
		    memcmp(request->by.items[i].data, "label:", 6) == 0)
			return true;
	return false;
}

int pipa_results_query_metric(struct pipa_results *store, struct pipa_span bytes,
			      struct pipa_buf *response, struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	PIPA_AUTO(pipa_result_groups_free) struct pipa_result_groups *groups = NULL;
	PIPA_AUTO(selection_done) struct selection s = { .store = store };
	struct pipa_store_query_metric_request request;
	/* groups beyond the limit are old */
	struct pipa_results_filter rows = { .newest_first = true };
	struct pipa_result_row row;
	uint64_t runs = 0;
	size_t limit;
	int rc;

	rc = pipa_rpc_decode(&pipa_store_query_metric_request_message, bytes, &memory, &request,
			     err);
	if (rc < 0)
		goto out;
	limit = request.limit ? request.limit : PIPA_STORE_GROUPS_DEFAULT;
	if (limit > PIPA_STORE_GROUPS_MAX)
		limit = PIPA_STORE_GROUPS_MAX;
	rc = pipa_result_groups_new(request.metrics.items, request.metrics.n, request.by.items,
				    request.by.n, limit, &groups, err);
	rows.with_labels = needs_labels(&request);
	if (!rc)
		rc = select_rows(store, request.filter, rows, &s, err);
	while (!rc && (rc = next_row(&s, err)) > 0) {
		runs++;
		row = row_of(s.run);
		rc = pipa_result_groups_add(groups, &row);
		if (rc < 0)
			pipa_fail(err, rc, "answer a query");
	}
	if (rc < 0)
		goto out;
	rc = encode_groups(groups, &request, runs, response);
	if (rc < 0)
		pipa_fail(err, rc, "answer a query");
out:
	pipa_proto_memory_done(&memory);
	return rc;
}

/* ---- ListTables ---------------------------------------------------------------------------------- */

struct table_list {
	struct pipa_store_table *items;
	size_t n, cap;
};

static int add_table(void *ctx, const struct pipa_results_table *table)
{
	struct pipa_store_table *item = PIPA_VEC_ADD((struct table_list *)ctx);

	if (!item)
		return -ENOMEM;
	*item = (struct pipa_store_table){ .name = pipa_span_of(table->name),
					   .rows = table->rows,
					   .first_us = table->first_us,
					   .last_us = table->last_us,
					   .is_default = table->is_default };
	return 0;
}

int pipa_results_list_tables(struct pipa_results *store, struct pipa_span bytes,
			     struct pipa_buf *response, struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	struct pipa_store_list_tables_response answer = { 0 };
	struct pipa_store_list_tables_request request;
	struct table_list tables = { 0 };
	int rc;

	rc = pipa_rpc_decode(&pipa_store_list_tables_request_message, bytes, &memory, &request,
			     err);
	if (!rc)
		rc = pipa_results_tables(store, add_table, &tables, err);
	if (!rc) {
		answer.tables.items = tables.items;
		answer.tables.n = tables.n;
		rc = pipa_rpc_encode(&pipa_store_list_tables_response_message, &answer, response);
	}
	free(tables.items);
	pipa_proto_memory_done(&memory);
	return rc;
}

/* ---- files --------------------------------------------------------------------------------------- */

static struct pipa_frame_writer *new_writer(int format, const struct pipa_frame_options *options)
{
	switch (format) {
	case PIPA_STORE_FORMAT_XLSX: return pipa_xlsx_new(options);
	case PIPA_STORE_FORMAT_JSON: return pipa_frame_json_new(options);
	case PIPA_STORE_FORMAT_PARQUET: return pipa_parquet_new(options);
	default: return pipa_frame_csv_new(options);
	}
}

static int fail_file(int rc, int format, const struct pipa_frame_writer *writer,
		     const struct pipa_results_run *run, struct pipa_error *err)
{
	const char *field = format == PIPA_STORE_FORMAT_XLSX ? pipa_xlsx_long_column(writer) : NULL;

	if (rc == -EFBIG && field && run) {
		pipa_refuse(err, rc, "cannot write the table: %s of run %.*s exceeds %d characters",
			    field, (int)(run->hash.size < 64 ? run->hash.size : 64),
			    run->hash.size ? (const char *)run->hash.data : "", PIPA_XLSX_TEXT_MAX);
		return pipa_hint(err, "use csv, json or parquet");
	}
	pipa_fail(err, rc, "write the table");
	if (rc == -EFBIG && format == PIPA_STORE_FORMAT_XLSX)
		pipa_hint(err, "the table exceeds the limits of .xlsx; use csv, json or parquet");
	return rc;
}

/* Write the selected rows as a file. */
static int write_file(struct pipa_results *store, const struct pipa_store_filter *filter,
		      int format, int (*put)(void *ctx, const char *bytes, size_t len), void *ctx,
		      struct pipa_error *err)
{
	struct pipa_frame_columns columns = pipa_result_frame_columns();
	struct pipa_frame_options options = { columns.items, columns.n, "pipa", put, ctx };
	PIPA_AUTO(selection_done) struct selection s = { .store = store };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_results_filter rows = { 0 };
	struct pipa_frame_writer *writer;
	int rc, written = 0;

	rc = select_rows(store, filter, rows, &s, err);
	if (rc < 0)
		return rc;
	writer = new_writer(format, &options);
	if (!writer)
		return pipa_fail(err, -ENOMEM, "write the table");
	while (written >= 0 && (rc = next_row(&s, err)) > 0)
		written = pipa_result_frame_put(writer, s.run->hash, s.run->upload_time_us,
						s.run->record, &s.run->result, &text);
	if (rc >= 0 && written >= 0)
		written = writer->finish(writer, NULL, 0);
	if (rc >= 0 && written < 0)
		rc = fail_file(written, format, writer, s.run, err);
	writer->free(writer);
	return rc;
}

/* A stream of messages with a chunk each. */
struct chunks {
	int (*put)(void *ctx, struct pipa_span message);
	void *ctx;
	struct pipa_buf message;
};

static int put_chunks(void *ctx, const char *bytes, size_t len)
{
	struct chunks *chunks = ctx;
	int rc = 0;

	while (len && rc >= 0) {
		size_t n = len < PIPA_STORE_CHUNK ? len : PIPA_STORE_CHUNK;
		struct pipa_store_download_response response = { .chunk = { (const uint8_t *)bytes,
									    n } };

		pipa_buf_reset(&chunks->message);
		rc = pipa_rpc_encode(&pipa_store_download_response_message, &response,
				     &chunks->message);
		if (rc >= 0)
			rc = chunks->put(
				chunks->ctx,
				(struct pipa_span){ (const uint8_t *)pipa_buf_str(&chunks->message),
						    chunks->message.len });
		bytes += n;
		len -= n;
	}
	return rc < 0 ? rc : 0;
}

int pipa_results_download(struct pipa_results *store, struct pipa_span bytes,
			  int (*put)(void *ctx, struct pipa_span message), void *ctx,
			  struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	struct chunks chunks = { .put = put, .ctx = ctx };
	struct pipa_store_download_request request;
	int rc;

	rc = pipa_rpc_decode(&pipa_store_download_request_message, bytes, &memory, &request, err);
	if (!rc && (request.format < 0 || request.format > PIPA_STORE_FORMAT_PARQUET))
		rc = pipa_refuse(err, -EINVAL, "invalid format %d", request.format);
	if (!rc)
		rc = write_file(store, request.filter, request.format, put_chunks, &chunks, err);
	pipa_buf_done(&chunks.message);
	pipa_proto_memory_done(&memory);
	return rc;
}

static int append(void *ctx, const char *bytes, size_t len)
{
	struct pipa_buf *file = ctx;

	pipa_buf_add(file, bytes, len);
	return file->status;
}

int pipa_results_download_full_table(struct pipa_results *store, struct pipa_span bytes,
				     struct pipa_buf *response, struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { .max = response->max };
	struct pipa_pipad_download_request request;
	struct pipa_pipad_download_resp answer = { 0 };
	struct pipa_store_filter filter = { 0 };
	int format = 0, rc;

	rc = pipa_rpc_decode(&pipa_pipad_download_request_message, bytes, &memory, &request, err);
	if (!rc) {
		const struct pipa_span option = request.file_option;

		filter.table = request.table_name;
		if (option.size == 3 && memcmp(option.data, "csv", 3) == 0)
			format = PIPA_STORE_FORMAT_CSV;
		else if (option.size == 4 && memcmp(option.data, "xlsx", 4) == 0)
			format = PIPA_STORE_FORMAT_XLSX;
		else
			rc = pipa_refuse(err, -EINVAL, "invalid file_option, expected csv or xlsx");
	}
	if (!rc)
		rc = write_file(store, &filter, format, append, &file, err);
	if (rc == -EFBIG && file.status == -EFBIG) {
		pipa_refuse(err, rc, "cannot return the table: it exceeds the limit of a message");
		pipa_hint(err, "use the method Download of pipa.store.v1.Store");
	}
	if (!rc) {
		answer.file_content = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&file),
							  file.len };
		rc = pipa_rpc_encode(&pipa_pipad_download_resp_message, &answer, response);
		if (rc < 0)
			pipa_fail(err, rc, "return the table");
	}
	pipa_proto_memory_done(&memory);
	return rc;
}

/* ---- recordings ---------------------------------------------------------------------------------- */

static int put_message(struct chunks *chunks,
		       const struct pipa_store_download_recording_response *response)
{
	int rc;

	pipa_buf_reset(&chunks->message);
	rc = pipa_rpc_encode(&pipa_store_download_recording_response_message, response,
			     &chunks->message);
	if (rc < 0)
		return rc;
	return chunks->put(chunks->ctx,
			   (struct pipa_span){ (const uint8_t *)pipa_buf_str(&chunks->message),
					       chunks->message.len });
}

static int put_recording(struct chunks *chunks, int fd, const struct pipa_recording_info *info,
			 uint64_t offset, struct pipa_error *err)
{
	struct pipa_store_recording recording = { .id = pipa_span_of(info->id),
						  .name = pipa_span_of(info->name),
						  .size = info->size,
						  .upload_time_us = info->upload_time_us };
	struct pipa_store_download_recording_response response = { .recording = &recording };
	PIPA_AUTO(free) uint8_t *bytes = malloc(PIPA_STORE_CHUNK);
	ssize_t n;
	int rc;

	if (!bytes)
		return pipa_fail(err, -ENOMEM, "read a recording");
	if (offset > info->size)
		return pipa_refuse(err, -EINVAL, "the offset is beyond the end of the recording");
	rc = put_message(chunks, &response);
	response.recording = NULL;
	while (rc >= 0) {
		n = pread(fd, bytes, PIPA_STORE_CHUNK, (off_t)offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pipa_fail(err, -errno, "read a recording");
		if (n == 0)
			break;
		offset += (uint64_t)n;
		response.chunk = (struct pipa_span){ bytes, (size_t)n };
		rc = put_message(chunks, &response);
	}
	if (rc < 0)
		return pipa_fail(err, rc, "send a recording");
	return offset == info->size ? 0 : pipa_fail(err, -EIO, "read a recording");
}

int pipa_results_download_recording(struct pipa_results *store, struct pipa_span bytes,
				    int (*put)(void *ctx, struct pipa_span message), void *ctx,
				    struct pipa_error *err)
{
	struct pipa_proto_memory memory = { .max = REQUEST_MEMORY };
	struct pipa_store_download_recording_request request;
	struct chunks chunks = { .put = put, .ctx = ctx };
	struct pipa_recording_info info;
	int fd, rc;

	rc = pipa_rpc_decode(&pipa_store_download_recording_request_message, bytes, &memory,
			     &request, err);
	if (!rc) {
		fd = pipa_recording_open(store, request.table, request.hash, request.id, &info,
					 err);
		rc = fd < 0 ? fd : put_recording(&chunks, fd, &info, request.offset, err);
		pipa_fd_close(fd);
	}
	pipa_buf_done(&chunks.message);
	pipa_proto_memory_done(&memory);
	return rc;
}
