#include "serve/pages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"
#include "export/view/web.h"
#include "model/result.h"
#include "net/url.h"
#include "serve/page_style.h"
#include "store/results/results.h"

enum { PAGE_RUNS = 50, QUERY_MAX = 4000, TABLES_MAX = 200 };

/* ---- the query --------------------------------------------------------------------------------------------- */

/* Values of the form, decoded; they point into `text`. */
struct query {
	char text[QUERY_MAX];
	const char *table, *workload, *platform, *username, *label, *days, *hash, *after;
};

static void set_value(struct query *q, const char *name, const char *value)
{
	static const struct {
		const char *name;
		size_t at;
	} names[] = {
		{ "table", offsetof(struct query, table) },
		{ "workload", offsetof(struct query, workload) },
		{ "platform", offsetof(struct query, platform) },
		{ "username", offsetof(struct query, username) },
		{ "label", offsetof(struct query, label) },
		{ "days", offsetof(struct query, days) },
		{ "hash", offsetof(struct query, hash) },
		{ "after", offsetof(struct query, after) },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++)
		if (strcmp(names[i].name, name) == 0)
			*(const char **)(void *)((char *)q + names[i].at) = value;
}

/* Parse "a=b&c=d"; malformed pairs are left out. */
static void parse_query(const char *text, struct query *q)
{
	char *at, *end, *value, *p;

	memset(q, 0, sizeof(*q));
	q->table = q->workload = q->platform = q->username = q->label = q->days = q->hash =
		q->after = "";
	if (strlen(text) >= sizeof(q->text))
		return;
	snprintf(q->text, sizeof(q->text), "%s", text);
	for (at = q->text; at; at = end) {
		end = strchr(at, '&');
		if (end)
			*end++ = '\0';
		value = strchr(at, '=');
		if (!value)
			continue;
		*value++ = '\0';
		for (p = value; *p; p++)
			if (*p == '+')
				*p = ' ';
		if (pipa_percent_decode(value))
			set_value(q, at, value);
	}
}

/* ---- HTML -------------------------------------------------------------------------------------------------- */

/* Append text of any bytes: markup, control characters and invalid UTF-8 are escaped (base/visible.h). */
static void put_bytes(struct pipa_buf *out, struct pipa_span text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf visible = { .max = 1 << 20 };
	const char *at;

	pipa_visible_add(&visible, (const char *)text.data, text.size);
	if (visible.status == -ENOMEM && !out->status)
		out->status = visible.status;
	for (at = pipa_buf_str(&visible); *at; at++) {
		if (strchr("&<>\"'", *at))
			pipa_buf_printf(out, "&#%d;", *at);
		else
			pipa_buf_putc(out, *at);
	}
}

static void put_text(struct pipa_buf *out, const char *text)
{
	put_bytes(out, pipa_span_of(text));
}

/* Append text as a value in the query of a URL. */
static void put_url(struct pipa_buf *out, struct pipa_span text)
{
	size_t i;

	for (i = 0; i < text.size; i++) {
		uint8_t c = text.data[i];

		if (((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '_' || c == '.')
			pipa_buf_putc(out, (char)c);
		else
			pipa_buf_printf(out, "%%%02X", c);
	}
}

static void put_head(struct pipa_buf *out, const char *title)
{
	pipa_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
			   "<meta name=\"viewport\" content=\"width=device-width\">"
			   "<link rel=\"stylesheet\" href=\"/style.css\"><title>");
	put_text(out, title);
	pipa_buf_puts(out, " - pipad</title></head><body>\n");
}

static void put_time(struct pipa_buf *out, uint64_t us)
{
	time_t seconds = (time_t)(us / 1000000);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	pipa_buf_puts(out, text);
}

static void put_value(struct pipa_buf *out, const struct pipa_result *result,
		      enum pipa_result_field field)
{
	const union pipa_result_value *value = &result->values[field];
	size_t i;

	if (!pipa_result_has(result, field))
		return;
	switch (pipa_result_fields[field].type) {
	case PIPA_RESULT_TEXT: put_bytes(out, value->text); break;
	case PIPA_RESULT_UINT64: pipa_buf_put_u64(out, value->number); break;
	case PIPA_RESULT_DOUBLE: pipa_buf_printf(out, "%.6g", value->real); break;
	case PIPA_RESULT_LIST:
		for (i = 0; i < value->list.n; i++)
			pipa_buf_printf(out, "%s%u", i ? ", " : "", value->list.items[i]);
		break;
	}
}

/* ---- the style --------------------------------------------------------------------------------------------- */

/*
 * Append the style sheet with the colours of the browser views: their first block is the light set, the second the
 * dark one, which a script selects there and a media query here.
 */
static void put_style(struct pipa_buf *out)
{
	static const char dark[] = ":root[data-dark]";
	const char *light = strstr(pipa_web_style.bytes, ":root {");
	const char *second = light ? strstr(light, dark) : NULL;
	const char *end = second ? strchr(second, '}') : NULL;

	if (end) {
		pipa_buf_add(out, light, (size_t)(second - light));
		pipa_buf_puts(out, "@media (prefers-color-scheme: dark) {\n:root");
		second += sizeof(dark) - 1;
		pipa_buf_add(out, second, (size_t)(end + 1 - second));
		pipa_buf_puts(out, "\n}\n");
	}
	pipa_buf_add(out, pipa_page_style.bytes, pipa_page_style.len);
}

/* ---- the list ---------------------------------------------------------------------------------------------- */

static const struct {
	enum pipa_result_field field;
	const char *title;
} columns[] = {
	{ PIPA_RESULT_PLATFORM, "Platform" },
	{ PIPA_RESULT_USERNAME, "User" },
	{ PIPA_RESULT_TRANSACTIONS, "Transactions" },
	{ PIPA_RESULT_THROUGHPUT, "Throughput /s" },
	{ PIPA_RESULT_RUN_TIME, "Run time s" },
	{ PIPA_RESULT_CPI, "CPI" },
	{ PIPA_RESULT_CPU_UTIL, "CPU %" },
};

static bool is_numeric(enum pipa_result_field field)
{
	return pipa_result_fields[field].type == PIPA_RESULT_UINT64 ||
	       pipa_result_fields[field].type == PIPA_RESULT_DOUBLE;
}

static void put_row(struct pipa_buf *out, const struct query *q, const struct pipa_results_run *run)
{
	size_t i;

	pipa_buf_puts(out, "<tr><td>");
	put_time(out, run->upload_time_us);
	pipa_buf_puts(out, "</td><td><a href=\"/run?table=");
	put_url(out, pipa_span_of(q->table));
	pipa_buf_puts(out, "&amp;hash=");
	put_url(out, run->hash);
	pipa_buf_puts(out, "\">");
	if (pipa_result_has(&run->result, PIPA_RESULT_WORKLOAD))
		put_value(out, &run->result, PIPA_RESULT_WORKLOAD);
	else
		pipa_buf_puts(out, "(unnamed)");
	pipa_buf_puts(out, "</a></td>");
	for (i = 0; i < PIPA_COUNT(columns); i++) {
		pipa_buf_puts(out, is_numeric(columns[i].field) ? "<td class=\"number\">" : "<td>");
		put_value(out, &run->result, columns[i].field);
		pipa_buf_puts(out, "</td>");
	}
	pipa_buf_puts(out, "</tr>\n");
}

/* The options of the table's selection. */
struct table_list {
	struct pipa_buf *out;
	const char *selected;
	unsigned int n;
};

static int put_table(void *ctx, const struct pipa_results_table *table)
{
	struct table_list *list = ctx;
	bool selected = list->selected[0] ? strcmp(list->selected, table->name) == 0 :
					    table->is_default;

	if (list->n++ == TABLES_MAX)
		return -ECANCELED;
	pipa_buf_puts(list->out, "<option value=\"");
	put_text(list->out, table->name);
	pipa_buf_puts(list->out, selected ? "\" selected>" : "\">");
	put_text(list->out, table->name);
	pipa_buf_printf(list->out, " (%" PRIu64 ")</option>", table->rows);
	return 0;
}

static void put_input(struct pipa_buf *out, const char *title, const char *name, const char *value,
		      const char *hint)
{
	pipa_buf_printf(out, "<label>%s<input name=\"%s\" placeholder=\"%s\" value=\"", title, name,
			hint);
	put_text(out, value);
	pipa_buf_puts(out, "\"></label>");
}

static void put_form(struct pipa_results *store, const struct query *q, struct pipa_buf *out)
{
	struct table_list list = { out, q->table, 0 };

	pipa_buf_puts(out, "<form method=\"get\" action=\"/\"><label>Table<select name=\"table\">");
	pipa_results_tables(store, put_table, &list, NULL);
	pipa_buf_puts(out, "</select></label>");
	put_input(out, "Workload", "workload", q->workload, "any");
	put_input(out, "Platform", "platform", q->platform, "any");
	put_input(out, "User", "username", q->username, "any");
	put_input(out, "Label", "label", q->label, "key or key=value");
	put_input(out, "Days", "days", q->days, "all");
	pipa_buf_puts(out, "<button>Filter</button></form>\n");
}

/* Link to the next page with the same filters. */
static void put_next(struct pipa_buf *out, const struct query *q, uint64_t after)
{
	const struct {
		const char *name, *value;
	} kept[] = { { "table", q->table },	  { "workload", q->workload },
		     { "platform", q->platform }, { "username", q->username },
		     { "label", q->label },	  { "days", q->days } };
	size_t i;

	pipa_buf_printf(out, "<nav><a href=\"/?after=%" PRIu64, after);
	for (i = 0; i < PIPA_COUNT(kept); i++)
		if (kept[i].value[0]) {
			pipa_buf_printf(out, "&amp;%s=", kept[i].name);
			put_url(out, pipa_span_of(kept[i].value));
		}
	pipa_buf_puts(out, "\">Older runs</a></nav>\n");
}

/* Fill the filter of the form; -EINVAL with a text for the user. */
static int make_filter(const struct query *q, struct pipa_results_filter *filter,
		       struct pipa_results_label *label, struct pipa_error *err)
{
	const char *equals = strchr(q->label, '=');
	uint64_t days;
	struct timespec now;

	*filter = (struct pipa_results_filter){ .table = pipa_span_of(q->table),
						.workload = pipa_span_of(q->workload),
						.platform = pipa_span_of(q->platform),
						.username = pipa_span_of(q->username),
						.hash = pipa_span_of(q->hash),
						.newest_first = true };
	if (q->label[0]) {
		label->key = (struct pipa_span){ (const uint8_t *)q->label,
						 equals ? (size_t)(equals - q->label) :
							  strlen(q->label) };
		label->value = pipa_span_of(equals ? equals + 1 : NULL);
		filter->labels = label;
		filter->n_labels = 1;
	}
	if (q->after[0] && pipa_str_u64(q->after, &filter->after) < 0)
		return pipa_refuse(err, -EINVAL, "invalid page");
	if (!q->days[0])
		return 0;
	if (pipa_str_u64(q->days, &days) < 0 || days > 36500)
		return pipa_refuse(err, -EINVAL, "invalid number of days, expected 0 to 36500");
	clock_gettime(CLOCK_REALTIME, &now);
	if ((uint64_t)now.tv_sec > days * 86400)
		filter->since_us = ((uint64_t)now.tv_sec - days * 86400) * 1000000;
	return 0;
}

static void put_table_head(struct pipa_buf *out)
{
	size_t i;

	pipa_buf_puts(out, "<div class=\"scroll\"><table><thead><tr><th>Uploaded (UTC)</th>"
			   "<th>Workload</th>");
	for (i = 0; i < PIPA_COUNT(columns); i++)
		pipa_buf_printf(out, "<th%s>%s</th>",
				is_numeric(columns[i].field) ? " class=\"number\"" : "",
				columns[i].title);
	pipa_buf_puts(out, "</tr></thead><tbody>\n");
}

static void put_note(struct pipa_buf *out, const char *text)
{
	pipa_buf_puts(out, "<p class=\"note\">");
	put_text(out, text);
	pipa_buf_puts(out, "</p>");
}

static int put_runs(struct pipa_results *store, const struct query *q, struct pipa_buf *out,
		    struct pipa_error *err)
{
	struct pipa_results_scan *scan = NULL;
	const struct pipa_results_run *run;
	struct pipa_results_filter filter;
	struct pipa_results_label label;
	uint64_t last = 0;
	unsigned int n = 0;
	int rc = make_filter(q, &filter, &label, err);

	if (!rc)
		rc = pipa_results_scan(store, &filter, &scan, err);
	if (rc < 0)
		return rc;
	while (n < PAGE_RUNS && (rc = pipa_results_next(store, scan, &run, err)) > 0) {
		if (!n++)
			put_table_head(out);
		last = run->position;
		put_row(out, q, run);
	}
	if (n)
		pipa_buf_puts(out, "</tbody></table></div>\n");
	if (rc > 0 && pipa_results_next(store, scan, &run, err) > 0)
		put_next(out, q, last);
	pipa_results_end(store, scan);
	if (!n && rc >= 0)
		put_note(out, q->after[0] ? "No older runs." : "No runs match.");
	return rc < 0 ? rc : 0;
}

static int status_of(int rc)
{
	return rc == -EINVAL || rc == -ENOENT ? 404 : 503;
}

static void write_list(struct pipa_results *store, const struct query *q,
		       struct pipa_web_reply *reply)
{
	struct pipa_buf *out = &reply->body;
	struct pipa_error err = { 0 };
	int rc;

	put_head(out, "Runs");
	pipa_buf_puts(out, "<header><h1>Runs</h1><span class=\"soft\">pipad</span></header>\n");
	put_form(store, q, out);
	rc = put_runs(store, q, out, &err);
	if (rc < 0) {
		reply->status = status_of(rc);
		put_note(out, err.what);
	}
	pipa_buf_puts(out, "</body></html>\n");
}

/* ---- one run ----------------------------------------------------------------------------------------------- */

static void put_field(struct pipa_buf *out, const struct pipa_results_run *run,
		      enum pipa_result_field field)
{
	const struct pipa_result_field_info *info = &pipa_result_fields[field];

	pipa_buf_printf(out, "<tr><td>%s</td><td class=\"wrap\">", info->name);
	put_value(out, &run->result, field);
	pipa_buf_puts(out, "</td><td class=\"soft\">");
	put_text(out, info->unit);
	pipa_buf_puts(out, "</td></tr>\n");
}

static void put_labels(struct pipa_buf *out, const struct pipa_results_run *run)
{
	size_t i;

	if (!run->n_labels)
		return;
	pipa_buf_puts(out,
		      "<h2>Labels</h2><div class=\"scroll\"><table class=\"fields\"><tbody>\n");
	for (i = 0; i < run->n_labels; i++) {
		pipa_buf_puts(out, "<tr><td>");
		put_bytes(out, run->labels[i].key);
		pipa_buf_puts(out, "</td><td class=\"wrap\">");
		put_bytes(out, run->labels[i].value);
		pipa_buf_puts(out, "</td></tr>\n");
	}
	pipa_buf_puts(out, "</tbody></table></div>\n");
}

static void put_recordings(struct pipa_buf *out, const struct pipa_results_run *run)
{
	size_t i;

	if (!run->n_recordings)
		return;
	pipa_buf_puts(out,
		      "<h2>Recordings</h2><div class=\"scroll\"><table><thead><tr><th>File</th>"
		      "<th class=\"number\">Bytes</th><th>Uploaded (UTC)</th><th>SHA-256</th>"
		      "</tr></thead><tbody>\n");
	for (i = 0; i < run->n_recordings; i++) {
		pipa_buf_puts(out, "<tr><td>");
		put_bytes(out, run->recordings[i].name);
		pipa_buf_printf(out, "</td><td class=\"number\">%" PRIu64 "</td><td>",
				run->recordings[i].size);
		put_time(out, run->recordings[i].upload_time_us);
		pipa_buf_puts(out, "</td><td class=\"wrap\">");
		put_bytes(out, run->recordings[i].id);
		pipa_buf_puts(out, "</td></tr>\n");
	}
	pipa_buf_puts(out, "</tbody></table></div>\n");
}

static void put_run(struct pipa_buf *out, const struct query *q, const struct pipa_results_run *run)
{
	int field;

	pipa_buf_puts(out, "<header><h1>");
	put_bytes(out, run->record);
	pipa_buf_puts(out, "</h1><a href=\"/?table=");
	put_url(out, pipa_span_of(q->table));
	pipa_buf_puts(out, "\">All runs</a></header>\n<p class=\"soft wrap\">Uploaded ");
	put_time(out, run->upload_time_us);
	pipa_buf_puts(out, " UTC, hash ");
	put_bytes(out, run->hash);
	pipa_buf_puts(out, "</p>\n");
	put_labels(out, run);
	put_recordings(out, run);
	pipa_buf_puts(out,
		      "<h2>Values</h2><div class=\"scroll\"><table class=\"fields\"><thead><tr>"
		      "<th>Field</th><th>Value</th><th>Unit</th></tr></thead><tbody>\n");
	for (field = 1; field <= PIPA_RESULT_FIELDS; field++)
		if (pipa_result_has(&run->result, (enum pipa_result_field)field))
			put_field(out, run, (enum pipa_result_field)field);
	pipa_buf_puts(out, "</tbody></table></div>\n");
}

static void write_run(struct pipa_results *store, const struct query *q,
		      struct pipa_web_reply *reply)
{
	struct pipa_results_filter filter = { .table = pipa_span_of(q->table),
					      .hash = pipa_span_of(q->hash),
					      .with_labels = true };
	struct pipa_error err = { .what = "unknown run" };
	struct pipa_results_scan *scan = NULL;
	const struct pipa_results_run *run;
	struct pipa_buf *out = &reply->body;
	int rc = q->hash[0] ? pipa_results_scan(store, &filter, &scan, &err) : -ENOENT;

	put_head(out, "Run");
	if (!rc)
		rc = pipa_results_next(store, scan, &run, &err);
	if (rc > 0) {
		put_run(out, q, run);
	} else {
		reply->status = rc ? status_of(rc) : 404;
		put_note(out, rc ? err.what : "There is no such run.");
	}
	pipa_results_end(store, scan);
	pipa_buf_puts(out, "</body></html>\n");
}

void pipa_pages_write(struct pipa_results *store, const struct pipa_web_request *request,
		      struct pipa_web_reply *reply)
{
	struct query q;

	reply->type = "text/html; charset=utf-8";
	parse_query(request->query, &q);
	if (strcmp(request->path, "/") == 0) {
		write_list(store, &q, reply);
	} else if (strcmp(request->path, "/run") == 0) {
		write_run(store, &q, reply);
	} else if (strcmp(request->path, "/style.css") == 0) {
		reply->type = "text/css; charset=utf-8";
		put_style(&reply->body);
	} else {
		reply->status = 404;
		put_head(&reply->body, "Not found");
		put_note(&reply->body, "There is no such page.");
		pipa_buf_puts(&reply->body, "<p><a href=\"/\">All runs</a></p></body></html>\n");
	}
}
