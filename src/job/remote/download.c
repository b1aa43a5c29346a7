#include "job/remote/download.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/outfile.h"
#include "net/grpc.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"

struct download {
	const struct pipa_download_options *o;
	struct pipa_outfile *out;
	uint64_t bytes;
	struct pipa_proto_memory memory;
	struct pipa_error err; /* of a callback */
};

/* Write the bytes of a message. */
static int receive(void *ctx, struct pipa_span message)
{
	struct download *d = ctx;
	struct pipa_store_download_response response;
	int rc = pipa_rpc_decode(&pipa_store_download_response_message, message, &d->memory,
				 &response, &d->err);

	if (rc < 0)
		return rc;
	pipa_proto_reset(&d->memory);
	d->bytes += response.chunk.size;
	pipa_log_progress(&d->o->log, "downloading", d->bytes, 0);
	return response.chunk.size ?
		       pipa_outfile_put(d->out, response.chunk.data, response.chunk.size, &d->err) :
		       0;
}

/* Empty the file before another attempt; fails if bytes were written to standard output. */
static int restart(void *ctx)
{
	struct download *d = ctx;

	if (!d->bytes)
		return 0;
	if (!d->o->output)
		return pipa_refuse(&d->err, -ECONNRESET,
				   "the connection was lost after %" PRIu64 " bytes", d->bytes);
	pipa_outfile_free(PIPA_TAKE(d->out));
	d->bytes = 0;
	return pipa_outfile_open(d->o->output, PIPA_OUTFILE_REPLACE, &d->out, &d->err);
}

/* Download from a server of PIPA, which sends the whole table in one message. */
static int download_whole(struct download *d, struct pipa_remote *server, struct pipa_error *err)
{
	static const struct pipa_remote_method method = {
		.verb = "download the table",
		.path = "/" PIPA_PIPAD_SERVICE "/DownloadFullTable",
		.request = &pipa_pipad_download_request_message,
		.response = &pipa_pipad_download_resp_message,
	};
	static const char *const names[] = {
		[PIPA_STORE_FORMAT_CSV] = "csv", [PIPA_STORE_FORMAT_XLSX] = "xlsx"
	};
	PIPA_AUTO(pipa_buf_done) struct pipa_buf reply = { 0 };
	const struct pipa_remote_filter *f = &d->o->filter;
	struct pipa_pipad_download_request request = { 0 };
	struct pipa_pipad_download_resp response;
	int rc;

	if (d->o->format > PIPA_STORE_FORMAT_XLSX || !f->table || f->where || f->n_labels ||
	    f->since_us || f->until_us || f->workload || f->platform || f->username || f->hash)
		return pipa_hint(err, "a server of PIPA has only whole tables, by --table, as csv "
				      "or xlsx");
	request.table_name = (struct pipa_span){ (const uint8_t *)f->table, strlen(f->table) };
	request.file_option = (struct pipa_span){ (const uint8_t *)names[d->o->format],
						  strlen(names[d->o->format]) };
	rc = pipa_remote_ask(server, &method, &request, &reply, &d->memory, &response, NULL, err);
	if (!rc && !response.file_content.size)
		return pipa_refuse(err, -EREMOTEIO, "the server cannot read table %.60s", f->table);
	return rc ? rc :
		    pipa_outfile_put(d->out, response.file_content.data, response.file_content.size,
				     err);
}

static int download(struct download *d, struct pipa_remote *server, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_store_label labels[PIPA_REMOTE_LABELS_MAX];
	struct pipa_store_filter filter;
	struct pipa_store_download_request request = { .filter = &filter,
						       .format = (int32_t)d->o->format };
	struct pipa_remote_call call = {
		.verb = "download the table",
		.path = "/" PIPA_STORE_SERVICE "/Download",
		.receive = receive,
		.restart = restart,
		.ctx = d,
	};
	int rc, code = 0;

	pipa_remote_filter_message(&d->o->filter, labels, &filter);
	rc = pipa_rpc_encode(&pipa_store_download_request_message, &request, &message);
	if (rc < 0)
		return pipa_fail(err, rc, "download the table");
	call.message = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&message), message.len };
	rc = pipa_remote_call(server, &call, NULL, &code, err);
	if (rc < 0 && d->err.code) {
		*err = d->err;
		return rc;
	}
	if (code == PIPA_GRPC_NOT_FOUND && d->o->filter.table)
		return pipa_remote_hint_tables(server, d->o->filter.table, err);
	return code == PIPA_GRPC_UNIMPLEMENTED ? download_whole(d, server, err) : rc;
}

int pipa_download_run(const struct pipa_download_options *options, struct pipa_error *err)
{
	PIPA_AUTO(pipa_remote_close) struct pipa_remote *server = NULL;
	struct download d = { .o = options };
	int rc = pipa_remote_open(&options->server, options->version, &server, err);

	if (!rc)
		rc = pipa_outfile_open_or_wrap(options->output, options->out_fd, &d.out, err);
	if (!rc)
		rc = download(&d, server, err);
	pipa_log_progress_end(&options->log);
	if (!rc)
		rc = pipa_outfile_commit(d.out, err);
	pipa_outfile_free(d.out);
	pipa_proto_memory_done(&d.memory);
	return rc;
}
