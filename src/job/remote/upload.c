#include "job/remote/upload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/vec.h"
#include "codec/doc.h"
#include "import/result_json.h"
#include "job/remote/attachment.h"
#include "job/remote/machine.h"
#include "job/run/run.h"
#include "kernel/event/host.h"
#include "model/config.h"
#include "net/grpc.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_hash.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"

enum { REPORT_MAX = 64 << 20, LABELS_MAX = 100 };

struct upload {
	const struct pipa_host *host;
	const struct pipa_upload_options *o;
	struct pipa_remote *server; /* NULL: a dry run */
	bool is_pipas;		    /* the server has only PIPA's methods */
	size_t done, failed;	    /* results and recordings */
	struct pipa_error first;    /* failure */
	int stopped;		    /* failure of the output: nothing more is sent */
};

/* A result that was stored, for its recordings. */
struct stored {
	char hash[PIPA_RESULT_HASH_CHARS + 1];
};

static const char *span_text(struct pipa_span span, char *to, size_t size)
{
	snprintf(to, size, "%.*s", (int)span.size, (const char *)span.data);
	return to;
}

PIPA_PRINTF(2, 3)
static void print_line(struct upload *u, const char *fmt, ...)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf line = { 0 };
	va_list ap;
	int rc;

	va_start(ap, fmt);
	pipa_buf_vprintf(&line, fmt, ap);
	va_end(ap);
	u->done++;
	rc = line.status ? line.status : u->o->print(u->o->ctx, pipa_buf_str(&line));
	if (rc < 0)
		u->stopped = rc;
}

/* Count a failure and continue with the next path. */
static void note_failure(struct upload *u, const char *name, const struct pipa_error *err)
{
	char line[PIPA_ERROR_LINE_MAX];

	if (!u->failed++)
		u->first = *err;
	if (u->o->n_paths > 1)
		pipa_log_put(&u->o->log, PIPA_LOG_ERROR, "%s: %s", name,
			     pipa_error_line(err, line));
}

/* ---- completing a result --------------------------------------------------------------------------------- */

static void set_default(struct pipa_result *result, enum pipa_result_field field, const char *text)
{
	if (text && (!pipa_result_has(result, field) || !result->values[field].text.size))
		pipa_result_set_string(result, field, text);
}

static double real_of(const struct pipa_result *result, enum pipa_result_field field)
{
	if (!pipa_result_has(result, field))
		return NAN;
	return pipa_result_fields[field].type == PIPA_RESULT_UINT64 ?
		       (double)result->values[field].number :
		       result->values[field].real;
}

static void set_ratio(struct pipa_result *result, enum pipa_result_field field,
		      enum pipa_result_field above, double below)
{
	double value = real_of(result, above) / below;

	if (isfinite(value))
		pipa_result_set_real(result, field, value);
}

/* Set the number of transactions from the configuration if the report has none, and the metrics per transaction. */
static void apply_transactions(const struct pipa_config *config, struct pipa_result *result)
{
	double n = (double)config->transaction;

	if (!pipa_config_has(config, PIPA_CONFIG_TRANSACTION) ||
	    pipa_result_has(result, PIPA_RESULT_TRANSACTIONS))
		return;
	pipa_result_set_number(result, PIPA_RESULT_TRANSACTIONS, config->transaction);
	if (real_of(result, PIPA_RESULT_RUN_TIME) > 0)
		pipa_result_set_real(result, PIPA_RESULT_THROUGHPUT,
				     n / real_of(result, PIPA_RESULT_RUN_TIME));
	set_ratio(result, PIPA_RESULT_CYCLES_PER_REQUESTS, PIPA_RESULT_CYCLES, n);
	set_ratio(result, PIPA_RESULT_PATH_LENGTH, PIPA_RESULT_INSTRUCTIONS, n);
}

static void apply_config(const struct pipa_config *config, struct pipa_result *result)
{
	const struct {
		enum pipa_result_field field;
		const char *text;
	} texts[] = {
		{ PIPA_RESULT_WORKLOAD, config->workload },
		{ PIPA_RESULT_HW_INFO, config->hw_info },
		{ PIPA_RESULT_SW_INFO, config->sw_info },
		{ PIPA_RESULT_PLATFORM, config->platform },
		{ PIPA_RESULT_COMMENT, config->comment },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		if (texts[i].text)
			pipa_result_set_string(result, texts[i].field, texts[i].text);
	if (config->cpu_frequency_mhz > 0 &&
	    !pipa_result_has(result, PIPA_RESULT_CPU_FREQUENCY_MHZ))
		pipa_result_set_real(result, PIPA_RESULT_CPU_FREQUENCY_MHZ,
				     config->cpu_frequency_mhz);
	apply_transactions(config, result);
}

/* ---- results --------------------------------------------------------------------------------------------- */

/* Split "KEY=VALUE"s, which the front end has checked. */
static size_t make_labels(const struct pipa_upload_options *o, struct pipa_store_label *labels)
{
	size_t i;

	for (i = 0; i < o->n_labels && i < LABELS_MAX; i++) {
		const char *equal = strchr(o->labels[i], '=');

		labels[i].key = (struct pipa_span){ (const uint8_t *)o->labels[i],
						    (size_t)(equal - o->labels[i]) };
		labels[i].value = pipa_span_of(equal + 1);
	}
	return i;
}

static void print_stored(struct upload *u, const char *name, bool existed, const char *hash,
			 const char *time)
{
	print_line(u, "%s %s %s %s", existed ? "already stored" : "stored", hash, time, name);
}

/* Store a result by PIPA's method, which reports failures in the response. */
static int deploy(struct upload *u, const char *name, struct pipa_span message, struct stored *ret,
		  struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf reply = { 0 };
	const struct pipa_remote_call call = { .verb = "store the result",
					       .path = "/" PIPA_PIPAD_SERVICE "/Deploy",
					       .message = message };
	struct pipa_pipad_deploy_resp response;
	struct pipa_proto_memory memory = { 0 };
	struct pipa_error why = { 0 };
	char text[140], when[64];
	int rc = pipa_remote_call(u->server, &call, &reply, NULL, err);

	if (rc < 0)
		return rc;
	rc = pipa_rpc_decode(&pipa_pipad_deploy_resp_message,
			     (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply), reply.len },
			     &memory, &response, &why);
	pipa_proto_memory_done(&memory);
	if (rc < 0)
		return pipa_refuse(err, rc, "cannot store the result at %.100s: %.120s",
				   pipa_remote_name(u->server), why.what);
	if (response.status_code != PIPA_PIPAD_SUCCESS)
		return pipa_refuse(err, -EREMOTEIO, "cannot store the result at %.100s: %s",
				   pipa_remote_name(u->server),
				   span_text(response.message, text, sizeof(text)));
	span_text(response.hash, text, sizeof(text));
	if (text[0] == '\'') /* PIPA's servers quote it */
		memmove(text, text + 1, strlen(text));
	text[strcspn(text, "'")] = '\0';
	snprintf(ret->hash, sizeof(ret->hash), "%.64s", text);
	print_stored(u, name, false, ret->hash,
		     span_text(response.upload_datetime, when, sizeof(when)));
	return 0;
}

static int store_result(struct upload *u, const char *name, const struct pipa_result *result,
			struct stored *ret, struct pipa_error *err)
{
	static const struct pipa_remote_method method = {
		.verb = "store the result",
		.path = "/" PIPA_STORE_SERVICE "/Upload",
		.request = &pipa_store_upload_request_message,
		.response = &pipa_store_upload_response_message,
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 }, reply = { 0 };
	struct pipa_store_label labels[LABELS_MAX];
	struct pipa_store_upload_request request = { .table = pipa_span_of(u->o->table) };
	struct pipa_store_upload_response response;
	struct pipa_proto_memory memory = { 0 };
	char when[64];
	int rc = pipa_rpc_encode_result(result, &message), code = 0;

	if (rc < 0)
		return pipa_fail(err, rc, "encode the result");
	request.result = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&message), message.len };
	request.labels.items = labels;
	request.labels.n = make_labels(u->o, labels);
	if (u->is_pipas)
		return deploy(u, name, request.result, ret, err);
	rc = pipa_remote_ask(u->server, &method, &request, &reply, &memory, &response, &code, err);
	if (!rc) {
		span_text(response.hash, ret->hash, sizeof(ret->hash));
		print_stored(u, name, response.existed, ret->hash,
			     span_text(response.upload_datetime, when, sizeof(when)));
	}
	pipa_proto_memory_done(&memory);
	if (code != PIPA_GRPC_UNIMPLEMENTED || u->o->table || u->o->n_labels)
		return rc;
	u->is_pipas = true;
	return deploy(u, name, request.result, ret, err);
}

/* Print a value as YAML. */
static void put_value(struct pipa_doc *doc, const struct pipa_result *result,
		      enum pipa_result_field field)
{
	const struct pipa_result_field_info *info = &pipa_result_fields[field];
	const union pipa_result_value *value = &result->values[field];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	switch (info->type) {
	case PIPA_RESULT_TEXT:
		pipa_buf_add(&text, value->text.data, value->text.size);
		pipa_doc_str(doc, info->name, pipa_buf_str(&text));
		break;
	case PIPA_RESULT_UINT64: pipa_doc_u64(doc, info->name, value->number); break;
	case PIPA_RESULT_DOUBLE: pipa_doc_double(doc, info->name, value->real); break;
	case PIPA_RESULT_LIST:
		pipa_result_put_list(&text, value->list.items, value->list.n);
		pipa_doc_json(doc, info->name, pipa_buf_str(&text), text.len);
		break;
	}
}

/* Print the fields of a result that would be sent. */
static int print_result(struct upload *u, const char *name, const struct pipa_result *result,
			struct stored *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_doc doc;
	int field;
	size_t i;

	pipa_result_hash(result, ret->hash);
	pipa_doc_begin(&doc, PIPA_DOC_YAML, &text);
	pipa_doc_str(&doc, "source", name);
	pipa_doc_str(&doc, "hash", ret->hash);
	if (u->o->table)
		pipa_doc_str(&doc, "table", u->o->table);
	if (u->o->n_labels) {
		pipa_doc_list(&doc, "labels");
		for (i = 0; i < u->o->n_labels; i++)
			pipa_doc_str(&doc, NULL, u->o->labels[i]);
		pipa_doc_end(&doc);
	}
	pipa_doc_map(&doc, "result");
	for (field = 1; field <= PIPA_RESULT_FIELDS; field++)
		if (pipa_result_has(result, (enum pipa_result_field)field))
			put_value(&doc, result, (enum pipa_result_field)field);
	pipa_doc_end(&doc);
	pipa_doc_finish(&doc);
	if (text.status)
		return pipa_fail(err, text.status, "print the result");
	while (text.len && text.data[text.len - 1] == '\n')
		text.data[--text.len] = '\0';
	print_line(u, "%s%s", u->done ? "---\n" : "", pipa_buf_str(&text));
	return 0;
}

/* Complete a result and send it, or print it. */
static int send_result(struct upload *u, const struct pipa_upload_report *report, const char *name,
		       struct pipa_result *result, struct stored *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_machine_texts_done) struct pipa_machine_texts here = { 0 };
	int rc;

	if (u->o->config)
		apply_config(u->o->config, result);
	set_default(result, PIPA_RESULT_USERNAME, u->o->username);
	if (report->data_location)
		pipa_result_set_string(result, PIPA_RESULT_DATA_LOCATION, report->data_location);
	if (report->measured_here) {
		rc = pipa_machine_texts_read(u->host->root, &here);
		if (rc < 0)
			return pipa_fail(err, rc, "describe this machine");
		set_default(result, PIPA_RESULT_HW_INFO, here.hw_info);
		set_default(result, PIPA_RESULT_PLATFORM, here.platform);
	}
	rc = pipa_result_check(result, err);
	if (rc < 0)
		return rc;
	return u->server ? store_result(u, name, result, ret, err) :
			   print_result(u, name, result, ret, err);
}

/* Numbers of results. */
struct counts {
	size_t given, stored;
};

static int send_report(struct upload *u, const struct pipa_upload_report *report,
		       struct stored *ret, struct counts *ret_counts, struct pipa_error *err)
{
	PIPA_AUTO(pipa_result_document_done) struct pipa_result_document document = { 0 };
	struct pipa_error why = { 0 };
	char name[PATH_MAX + 256];
	size_t i;
	int rc = pipa_result_json_decode(pipa_buf_str(report->document), report->document->len,
					 &document, err);

	*ret_counts = (struct counts){ .given = document.n };
	for (i = 0; !rc && i < document.n && !u->stopped; i++) {
		snprintf(name, sizeof(name), "%s%s%.200s%s", report->name,
			 document.items[i].command ? " (" : "",
			 document.items[i].command ? document.items[i].command : "",
			 document.items[i].command ? ")" : "");
		if (send_result(u, report, name, &document.items[i].result, ret, &why) < 0)
			note_failure(u, name, &why);
		else
			ret_counts->stored++;
	}
	return rc;
}

/* ---- recordings ------------------------------------------------------------------------------------------ */

static void send_recording(struct upload *u, const char *path, const struct stored *row)
{
	PIPA_AUTO(pipa_attachment_close) struct pipa_attachment file = { .fd = -1 };
	struct pipa_error err = { 0 };
	bool existed = false;
	struct stat st;
	int rc = 0;

	if (!u->server) {
		if (stat(path, &st) < 0)
			rc = pipa_fail(&err, -errno, "open %s", path);
		else
			print_line(u, "recording: %s", path);
	} else {
		if (u->is_pipas)
			rc = pipa_refuse(&err, -EOPNOTSUPP,
					 "cannot store the recording at %.100s: the server stores "
					 "no recordings",
					 pipa_remote_name(u->server));
		if (!rc)
			rc = pipa_attachment_open(path, &u->o->log, &file, &err);
		if (!rc)
			rc = pipa_attachment_send(u->server, u->o->table, row->hash, &file,
						  &u->o->log, &existed, &err);
		if (!rc)
			print_line(u, "%s recording %s %" PRIu64 " bytes %s",
				   existed ? "already stored" : "stored", file.id, file.size, path);
	}
	if (rc < 0)
		note_failure(u, path, &err);
}

/* ---- paths ----------------------------------------------------------------------------------------------- */

/* Measure a directory, an archive or a recording as `pipa run --from` does. */
static int measure(struct upload *u, const char *from, const struct pipa_config *config,
		   struct pipa_buf *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf cores = { 0 };
	struct pipa_run_outcome outcome = { 0 };
	struct pipa_run_options o = { .from = from,
				      .username = u->o->username,
				      .transactions = NAN,
				      .fail_above = NAN,
				      .mhz = NAN,
				      .out_fd = -1,
				      .document = ret,
				      .version = u->o->version };
	size_t i;

	if (config) {
		for (i = 0; i < config->cores.n; i++)
			pipa_buf_printf(&cores, "%s%d", i ? "," : "", config->cores.items[i]);
		if (cores.status)
			return pipa_fail(err, cores.status, "measure %s", from);
		o.cores = cores.len ? pipa_buf_str(&cores) : NULL;
		o.dev = config->dev;
		o.workload = config->workload;
		o.from_stat = config->perf_stat_path;
		o.from_sar = config->sar_path;
		if (pipa_config_has(config, PIPA_CONFIG_TRANSACTION)) {
			o.transactions = (double)config->transaction;
			o.given_by = "transaction of --config";
		}
		if (config->cpu_frequency_mhz > 0)
			o.mhz = config->cpu_frequency_mhz;
		o.hw_info = config->hw_info;
		o.sw_info = config->sw_info;
		o.platform = config->platform;
		o.comment = config->comment;
	}
	return pipa_run_run(u->host, &o, &outcome, err);
}

/* Is it a report? Other files are measurements. */
static int read_report(const char *path, struct pipa_buf *ret, bool *ret_is_report,
		       struct pipa_error *err)
{
	const char *at;
	struct stat st;
	int fd, rc = 0;
	char head[512] = "";

	*ret_is_report = false;
	if (stat(path, &st) < 0)
		return pipa_fail(err, -errno, "open %s", path);
	if (S_ISDIR(st.st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return pipa_fail(err, -errno, "open %s", path);
	if (!S_ISREG(st.st_mode))
		rc = pipa_refuse(err, -EINVAL, "%s is not a regular file or directory", path);
	else if (pread(fd, head, sizeof(head) - 1, 0) < 0)
		rc = pipa_fail(err, -errno, "read %s", path);
	at = head + strspn(head, " \t\r\n");
	*ret_is_report = !rc && *at == '{' && strstr(at, "\"pipa-");
	if (*ret_is_report) {
		rc = pipa_file_read_fd(fd, ret);
		if (rc < 0)
			pipa_fail(err, rc, "read %s", path);
	}
	close(fd);
	return rc;
}

/* Find the recording of a directory, which may have none: *ret is NULL then. */
static int find_recording(const char *directory, char **ret)
{
	struct stat st;
	char *path;

	*ret = NULL;
	if (asprintf(&path, "%s/perf.data", directory) < 0)
		return -ENOMEM;
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
		*ret = path;
	else
		free(path);
	return 0;
}

/* Send the result of a directory, an archive or a recording, and the recording itself. */
static void send_measurement(struct upload *u, const char *path)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf document = { .max = REPORT_MAX };
	PIPA_AUTO(free) char *recording = NULL, *location = realpath(path, NULL);
	struct pipa_upload_report report = { .name = path,
					     .document = &document,
					     .data_location = location };
	struct pipa_error err = { 0 };
	struct stored row = { 0 };
	struct counts counts = { 0 };
	struct stat st;
	int rc = location ? measure(u, path, u->o->config, &document, &err) :
			    pipa_fail(&err, -errno, "open %s", path);

	if (!rc)
		rc = send_report(u, &report, &row, &counts, &err);
	if (rc < 0) {
		note_failure(u, path, &err);
		return;
	}
	if (!counts.stored || u->stopped)
		return;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
		rc = find_recording(path, &recording);
	} else {
		recording = strdup(path);
		rc = recording ? 0 : -ENOMEM;
	}
	if (rc < 0) {
		pipa_fail(&err, rc, "send the recording of %s", path);
		note_failure(u, path, &err);
	}
	if (recording)
		send_recording(u, recording, &row);
}

/* ---- the upload ------------------------------------------------------------------------------------------ */

struct sorted {
	const char **recordings;
	size_t n_recordings;
	struct counts results;
	struct stored row; /* of the only result */
};

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Is a file that cannot be read a report, by its name? */
static bool is_report_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && strcmp(dot, ".json") == 0;
}

/* Send a report; one that cannot be read has one result. */
static int send_path_report(struct upload *u, const char *path, struct pipa_buf *document,
			    struct sorted *s, struct pipa_error *err)
{
	const struct pipa_upload_report report = { .name = path, .document = document };
	struct counts counts;
	int rc = send_report(u, &report, &s->row, &counts, err);

	s->results.given += rc < 0 ? 1 : counts.given;
	s->results.stored += counts.stored;
	return rc;
}

/* Send reports and directories, and collect the recordings. */
static void send_results(struct upload *u, struct sorted *s)
{
	size_t i;

	for (i = 0; i < u->o->n_paths && !u->stopped; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf document = { .max = REPORT_MAX };
		const char *path = u->o->paths[i];
		struct pipa_error err = { 0 };
		bool is_report = false;
		int rc = read_report(path, &document, &is_report, &err);

		if (rc < 0) {
			s->results.given += is_report || is_report_name(path);
		} else if (is_report) {
			rc = send_path_report(u, path, &document, s, &err);
		} else if (is_directory(path)) {
			send_measurement(u, path);
			s->results.given += 2; /* recordings are not attached to it */
		} else {
			s->recordings[s->n_recordings++] = path;
		}
		if (rc < 0)
			note_failure(u, path, &err);
	}
}

/* Send a recording with the only result that was given, or without a result as a measurement. */
static void send_path_recording(struct upload *u, const char *path, const struct sorted *s)
{
	struct pipa_error err = { 0 };

	if (!s->results.given) {
		send_measurement(u, path);
	} else if (s->results.given == 1 && s->results.stored) {
		send_recording(u, path, &s->row);
	} else {
		if (s->results.given == 1) {
			pipa_refuse(&err, -EINVAL,
				    "cannot assign the recording to a result: its report was not "
				    "uploaded");
		} else {
			pipa_refuse(&err, -EINVAL,
				    "cannot assign the recording to one of several results");
			pipa_hint(&err, "upload it with exactly one report");
		}
		note_failure(u, path, &err);
	}
}

static void send_paths(struct upload *u)
{
	struct sorted s = { .recordings = calloc(u->o->n_paths + 1, sizeof(char *)) };
	struct pipa_error err = { 0 };
	size_t i;

	if (!s.recordings) {
		pipa_fail(&err, -ENOMEM, "upload");
		note_failure(u, u->o->paths[0], &err);
		return;
	}
	send_results(u, &s);
	for (i = 0; i < s.n_recordings && !u->stopped; i++)
		send_path_recording(u, s.recordings[i], &s);
	free(s.recordings);
}

static int open_server(struct upload *u, struct pipa_error *err)
{
	return u->o->dry_run ? 0 : pipa_remote_open(&u->o->server, u->o->version, &u->server, err);
}

/* Return the failure of a single path, or the number of failures. */
static int finish(struct upload *u, struct pipa_error *err)
{
	size_t all = u->done + u->failed;

	pipa_remote_close(u->server);
	if (u->stopped)
		return pipa_fail(err, u->stopped, "print what was stored");
	if (!u->failed)
		return 0;
	if (all == 1 || u->o->n_paths <= 1) {
		*err = u->first;
		return err->code;
	}
	return pipa_refuse(err, -EREMOTEIO, "%zu of %zu uploads failed", u->failed, all);
}

int pipa_upload_run(const struct pipa_host *host, const struct pipa_upload_options *options,
		    struct pipa_error *err)
{
	struct upload u = { .host = host, .o = options };
	const struct pipa_config *config = options->config;
	PIPA_AUTO(free) char *copy = NULL;
	struct pipa_error why = { 0 };
	int rc = open_server(&u, err);

	if (rc < 0)
		return rc;
	if (options->n_paths) {
		send_paths(&u);
	} else if (config && config->data_location) {
		send_measurement(&u, config->data_location);
	} else if (config && (config->perf_stat_path || config->sar_path)) {
		copy = strdup(config->perf_stat_path ? config->perf_stat_path : config->sar_path);
		if (copy) {
			send_measurement(&u, dirname(copy));
		} else {
			pipa_fail(&why, -ENOMEM, "upload");
			note_failure(&u, "the configuration", &why);
		}
	}
	return finish(&u, err);
}

int pipa_upload_report(const struct pipa_host *host, const struct pipa_upload_options *options,
		       const struct pipa_upload_report *report, struct pipa_error *err)
{
	struct upload u = { .host = host, .o = options };
	struct stored row = { 0 };
	struct counts counts = { 0 };
	int rc = open_server(&u, err);

	if (rc < 0)
		return rc;
	rc = send_report(&u, report, &row, &counts, err);
	if (!rc && counts.given == 1 && counts.stored && report->recording && !u.stopped)
		send_recording(&u, report->recording, &row);
	if (rc < 0) {
		pipa_remote_close(u.server);
		return rc;
	}
	return finish(&u, err);
}
