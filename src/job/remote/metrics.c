#include "job/remote/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/file/outfile.h"
#include "base/time/zone.h"
#include "base/visible.h"
#include "codec/parquet.h"
#include "export/frame/frame_text.h"
#include "model/result.h"
#include "net/grpc.h"

struct query {
	const struct pipa_metrics_options *o;
	char *texts[2]; /* copies of the lists, split */
	struct pipa_span metrics[PIPA_METRICS_MAX];
	struct pipa_span by[PIPA_METRICS_BY_MAX];
	const char *by_names[PIPA_METRICS_BY_MAX];
	size_t n_metrics, n_by;
	struct pipa_outfile *out;
	struct pipa_error err; /* of a callback */
};

/* ---- the request ----------------------------------------------------------------------------------------- */

/* Check a name of a metric, which may be that of a report ("%usr"), and return the name of the field. */
static const char *find_metric(const char *name, struct pipa_error *err)
{
	enum pipa_result_field field = pipa_result_field_find(name);
	struct pipa_nearest near = { .wanted = name };
	char hint[256];
	int i;

	if (field && pipa_result_fields[field].type != PIPA_RESULT_TEXT &&
	    pipa_result_fields[field].type != PIPA_RESULT_LIST)
		return pipa_result_fields[field].name;
	if (field) {
		pipa_refuse(err, -EINVAL, "--metric: %s is not a number", name);
		return NULL;
	}
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		if (pipa_result_fields[i].type == PIPA_RESULT_UINT64 ||
		    pipa_result_fields[i].type == PIPA_RESULT_DOUBLE)
			pipa_nearest_offer(&near, pipa_result_fields[i].name);
	pipa_refuse(err, -EINVAL, "--metric: unknown metric '%.60s'", name);
	if (pipa_nearest_hint(&near, hint, sizeof(hint))[0])
		pipa_hint(err, "%s", hint);
	return NULL;
}

static const char *find_group(const char *name, struct pipa_error *err)
{
	enum pipa_result_field field = pipa_result_field_find(name);
	struct pipa_nearest near = { .wanted = name };
	char hint[256];
	int i;

	if (field)
		return pipa_result_fields[field].name;
	if (strcmp(name, "day") == 0 || (strncmp(name, "label:", 6) == 0 && name[6]))
		return name;
	pipa_nearest_offer(&near, "day");
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++)
		pipa_nearest_offer(&near, pipa_result_fields[i].name);
	pipa_refuse(err, -EINVAL, "--by: unknown field '%.60s', expected a field, day or label:KEY",
		    name);
	if (pipa_nearest_hint(&near, hint, sizeof(hint))[0])
		pipa_hint(err, "%s", hint);
	return NULL;
}

/* Split a comma-separated list and look up each name. */
static int split_names(const char *option, const char *list, char **copy, struct pipa_span *ret,
		       const char **ret_names, size_t max, size_t *ret_n,
		       const char *(*find)(const char *name, struct pipa_error *err),
		       struct pipa_error *err)
{
	char *rest = NULL, *word;
	const char *name;

	*copy = strdup(list);
	if (!*copy)
		return pipa_fail(err, -ENOMEM, "parse options");
	for (word = strtok_r(*copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (*ret_n == max)
			return pipa_refuse(err, -EINVAL, "%s: more than %zu names", option, max);
		name = find(word, err);
		if (!name)
			return -EINVAL;
		if (ret_names)
			ret_names[*ret_n] = name;
		ret[(*ret_n)++] = (struct pipa_span){ (const uint8_t *)name, strlen(name) };
	}
	return *ret_n ? 0 : pipa_refuse(err, -EINVAL, "%s: no names given", option);
}

static int parse_names(struct query *q, struct pipa_error *err)
{
	int rc = split_names("--metric", q->o->metrics, &q->texts[0], q->metrics, NULL,
			     PIPA_METRICS_MAX, &q->n_metrics, find_metric, err);

	if (!rc && q->o->by)
		rc = split_names("--by", q->o->by, &q->texts[1], q->by, q->by_names,
				 PIPA_METRICS_BY_MAX, &q->n_by, find_group, err);
	return rc;
}

static void free_names(struct query *q)
{
	free(q->texts[0]);
	free(q->texts[1]);
}

int pipa_metrics_check(const struct pipa_metrics_options *options, struct pipa_error *err)
{
	struct query q = { .o = options };
	int rc = parse_names(&q, err);

	free_names(&q);
	return rc;
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

static int put_bytes(void *ctx, const char *bytes, size_t len)
{
	struct query *q = ctx;

	return pipa_outfile_put(q->out, bytes, len, &q->err);
}

enum { METRIC, UNIT, RUNS, COUNT, MEAN, STDDEV, MIN, MAX, LAST, FIRST_UPLOAD, LAST_UPLOAD, FIXED };

static const struct pipa_frame_column fixed[FIXED] = {
	[METRIC] = { .name = "metric", .type = PIPA_FRAME_TEXT },
	[UNIT] = { .name = "unit", .type = PIPA_FRAME_TEXT },
	[RUNS] = { .name = "runs", .type = PIPA_FRAME_U64 },
	[COUNT] = { .name = "count", .type = PIPA_FRAME_U64 },
	[MEAN] = { .name = "mean", .type = PIPA_FRAME_F64, .optional = true },
	[STDDEV] = { .name = "stddev", .type = PIPA_FRAME_F64, .optional = true },
	[MIN] = { .name = "min", .type = PIPA_FRAME_F64, .optional = true },
	[MAX] = { .name = "max", .type = PIPA_FRAME_F64, .optional = true },
	[LAST] = { .name = "last", .type = PIPA_FRAME_F64, .optional = true },
	[FIRST_UPLOAD] = { .name = "first_upload", .type = PIPA_FRAME_UTC_NS },
	[LAST_UPLOAD] = { .name = "last_upload", .type = PIPA_FRAME_UTC_NS },
};

static int put_row(const struct query *q, struct pipa_frame_writer *w,
		   const struct pipa_store_metric_group *group,
		   const struct pipa_store_metric_statistics *m)
{
	const double values[] = { m->mean, m->stddev, m->min, m->max, m->last };
	size_t i, at = q->n_by;

	for (i = 0; i < q->n_by && i < group->by.n; i++)
		if (group->by.items[i].size)
			w->put_text(w, i, (const char *)group->by.items[i].data,
				    group->by.items[i].size);
	w->put_text(w, at + METRIC, (const char *)m->metric.data, m->metric.size);
	w->put_text(w, at + UNIT, (const char *)m->unit.data, m->unit.size);
	w->put(w, at + RUNS, group->runs);
	w->put(w, at + COUNT, m->count);
	for (i = 0; i < PIPA_COUNT(values); i++)
		if (m->count >= (i + MEAN == STDDEV ? 2 : 1)) /* no standard deviation of one run */
			w->put_f64(w, at + MEAN + i, values[i]);
	w->put(w, at + FIRST_UPLOAD, group->first_us * 1000);
	w->put(w, at + LAST_UPLOAD, group->last_us * 1000);
	return w->end_row(w);
}

static int write_frame(struct query *q, const struct pipa_store_query_metric_response *response,
		       struct pipa_error *err)
{
	static struct pipa_frame_writer *(*const make[PIPA_METRICS_FORM_NR])(
		const struct pipa_frame_options *) = {
		[PIPA_METRICS_CSV] = pipa_frame_csv_new,
		[PIPA_METRICS_JSON] = pipa_frame_json_new,
		[PIPA_METRICS_PARQUET] = pipa_parquet_new,
	};
	struct pipa_frame_column columns[PIPA_METRICS_BY_MAX + FIXED];
	const struct pipa_frame_options options = { .columns = columns,
						    .n_columns = q->n_by + FIXED,
						    .created_by = q->o->version,
						    .put = put_bytes,
						    .ctx = q };
	struct pipa_frame_writer *w;
	size_t i, k;
	int rc = 0;

	for (i = 0; i < q->n_by; i++)
		columns[i] = (struct pipa_frame_column){ .name = q->by_names[i],
							 .type = PIPA_FRAME_TEXT,
							 .optional = true };
	memcpy(&columns[q->n_by], fixed, sizeof(fixed));
	w = make[q->o->form](&options);
	if (!w)
		return pipa_fail(err, -ENOMEM, "write the table");
	for (i = 0; !rc && i < response->groups.n; i++)
		for (k = 0; !rc && k < response->groups.items[i].metrics.n; k++)
			rc = put_row(q, w, &response->groups.items[i],
				     &response->groups.items[i].metrics.items[k]);
	if (!rc)
		rc = w->finish(w, NULL, 0);
	w->free(w);
	if (rc < 0 && q->err.code)
		*err = q->err;
	else if (rc < 0)
		pipa_fail(err, rc, "write the table");
	return rc;
}

/* ---- text ------------------------------------------------------------------------------------------------ */

/* The cells of a row, separated by NUL, in columns that are measured first. */
struct text_table {
	struct pipa_buf cells;
	size_t columns, rows;
	size_t *widths;
};

static void end_cell(struct text_table *t, size_t start)
{
	pipa_visible_since(&t->cells, start);
	pipa_buf_putc(&t->cells, '\0');
}

static void put_cell(struct text_table *t, const char *text, size_t len)
{
	size_t start = t->cells.len;

	pipa_buf_add(&t->cells, text, len);
	end_cell(t, start);
}

static void put_number(struct text_table *t, double value, bool known)
{
	size_t start = t->cells.len;

	if (known)
		pipa_buf_printf(&t->cells, fabs(value) >= 1e6 ? "%.0f" : "%.6g", value);
	else
		pipa_buf_putc(&t->cells, '-');
	end_cell(t, start);
}

static void put_day(struct text_table *t, uint64_t us)
{
	struct pipa_date date = pipa_date_at((int64_t)(us / 1000000));
	char text[80];

	snprintf(text, sizeof(text), "%04d-%02d-%02d", date.year, date.month, date.day);
	put_cell(t, us ? text : "-", us ? 10 : 1);
}

static void put_text_row(struct text_table *t, const struct query *q,
			 const struct pipa_store_metric_group *group,
			 const struct pipa_store_metric_statistics *m)
{
	size_t i, start;

	for (i = 0; i < q->n_by; i++) {
		bool known = i < group->by.n && group->by.items[i].size;

		put_cell(t, known ? (const char *)group->by.items[i].data : "-",
			 known ? group->by.items[i].size : 1);
	}
	put_cell(t, (const char *)m->metric.data, m->metric.size);
	start = t->cells.len;
	pipa_buf_put_u64(&t->cells, m->count);
	end_cell(t, start);
	put_number(t, m->mean, m->count);
	put_number(t, m->stddev, m->count > 1);
	put_number(t, m->min, m->count);
	put_number(t, m->max, m->count);
	put_number(t, m->last, m->count);
	put_cell(t, m->unit.size ? (const char *)m->unit.data : "-",
		 m->unit.size ? m->unit.size : 1);
	put_day(t, group->last_us);
	t->rows++;
}

/* Return the width of a text on the screen. */
static size_t width_of(const char *text)
{
	char out[PIPA_VISIBLE_MAX];
	size_t width = 0, columns = 0;

	while (*text) {
		pipa_visible_next(&text, out, &columns);
		width += columns;
	}
	return width;
}

/* Lay out the cells: texts left, numbers right. */
static void lay_out(const struct text_table *t, size_t n_left, struct pipa_buf *out)
{
	const char *cell = pipa_buf_str(&t->cells);
	size_t row, column;

	for (row = 0; row < t->rows; row++) {
		for (column = 0; column < t->columns; column++) {
			size_t len = strlen(cell), width = width_of(cell);
			size_t fill = t->widths[column] > width ? t->widths[column] - width : 0;
			bool left = column < n_left || column + 2 >= t->columns;

			if (column)
				pipa_buf_puts(out, "  ");
			if (!left)
				pipa_buf_fill(out, ' ', fill);
			pipa_buf_add(out, cell, len);
			if (left && column + 1 < t->columns)
				pipa_buf_fill(out, ' ', fill);
			cell += len + 1;
		}
		pipa_buf_putc(out, '\n');
	}
}

static int write_text(struct query *q, const struct pipa_store_query_metric_response *response,
		      struct pipa_error *err)
{
	static const char *const heads[] = { "metric", "runs", "mean", "stddev", "min",
					     "max",    "last", "unit", "newest" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	size_t widths[PIPA_METRICS_BY_MAX + PIPA_COUNT(heads)] = { 0 };
	struct text_table t = { .columns = q->n_by + PIPA_COUNT(heads),
				.rows = 1,
				.widths = widths };
	size_t i, k;
	int rc;

	for (i = 0; i < q->n_by; i++)
		put_cell(&t, q->by_names[i], strlen(q->by_names[i]));
	for (i = 0; i < PIPA_COUNT(heads); i++)
		put_cell(&t, heads[i], strlen(heads[i]));
	for (i = 0; i < response->groups.n; i++)
		for (k = 0; k < response->groups.items[i].metrics.n; k++)
			put_text_row(&t, q, &response->groups.items[i],
				     &response->groups.items[i].metrics.items[k]);
	if (!t.cells.status) {
		const char *cell = pipa_buf_str(&t.cells);

		for (i = 0; i < t.rows * t.columns; i++, cell += strlen(cell) + 1) {
			size_t width = width_of(cell);

			if (width > widths[i % t.columns])
				widths[i % t.columns] = width;
		}
		lay_out(&t, q->n_by + 1, &out);
	}
	rc = t.cells.status ? t.cells.status : out.status;
	pipa_buf_done(&t.cells);
	if (rc < 0)
		return pipa_fail(err, rc, "write the table");
	return pipa_outfile_put(q->out, pipa_buf_str(&out), out.len, err);
}

/* ---- the query ------------------------------------------------------------------------------------------- */

static int ask_server(struct query *q, struct pipa_remote *server, struct pipa_error *err)
{
	static const struct pipa_remote_method method = {
		.verb = "query metrics",
		.path = "/" PIPA_STORE_SERVICE "/QueryMetric",
		.request = &pipa_store_query_metric_request_message,
		.response = &pipa_store_query_metric_response_message,
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf reply = { 0 };
	struct pipa_store_label labels[PIPA_REMOTE_LABELS_MAX];
	struct pipa_store_filter filter;
	struct pipa_store_query_metric_request request = { .filter = &filter,
							   .limit = q->o->limit };
	struct pipa_store_query_metric_response response;
	struct pipa_proto_memory memory = { 0 };
	int rc, code = 0;

	pipa_remote_filter_message(&q->o->filter, labels, &filter);
	request.metrics.items = q->metrics;
	request.metrics.n = q->n_metrics;
	request.by.items = q->by;
	request.by.n = q->n_by;
	rc = pipa_remote_ask(server, &method, &request, &reply, &memory, &response, &code, err);
	if (code == PIPA_GRPC_NOT_FOUND && q->o->filter.table)
		pipa_remote_hint_tables(server, q->o->filter.table, err);
	if (!rc)
		rc = q->o->form == PIPA_METRICS_TEXT ? write_text(q, &response, err) :
						       write_frame(q, &response, err);
	if (!rc && response.dropped_runs)
		pipa_log_put(&q->o->log, PIPA_LOG_WARN,
			     "%" PRIu64 " of %" PRIu64 " runs are in groups beyond the limit; see "
			     "--limit",
			     response.dropped_runs, response.runs);
	else if (!rc && !response.runs)
		pipa_log_note(&q->o->log, "no run matches");
	pipa_proto_memory_done(&memory);
	return rc;
}

int pipa_metrics_run(const struct pipa_metrics_options *options, struct pipa_error *err)
{
	PIPA_AUTO(pipa_remote_close) struct pipa_remote *server = NULL;
	struct query q = { .o = options };
	int rc = parse_names(&q, err);

	if (!rc)
		rc = pipa_remote_open(&options->server, options->version, &server, err);
	if (!rc)
		rc = pipa_outfile_open_or_wrap(options->output, options->out_fd, &q.out, err);
	if (!rc)
		rc = ask_server(&q, server, err);
	if (!rc)
		rc = pipa_outfile_commit(q.out, err);
	pipa_outfile_free(q.out);
	free_names(&q);
	return rc;
}
