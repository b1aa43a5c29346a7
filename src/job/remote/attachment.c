#include "job/remote/attachment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/tmp.h"
#include "job/collect/bundle.h"
#include "job/remote/remote.h"
#include "rpc/message.h"
#include "rpc/store_messages.h"
#include "store/input.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- opening --------------------------------------------------------------------------------------------- */

/* Must the binaries of the recording be sent with it? Archives have them already. */
static int needs_bundle(const char *path, bool *ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_input_close) struct pipa_input *input = NULL;
	int rc = pipa_input_open(path, true, &input, err);

	if (rc < 0)
		return rc;
	*ret = input->kind == PIPA_KIND_PERF_DATA && !input->pack;
	return 0;
}

static int make_bundle(const char *path, const struct pipa_log *log, struct pipa_attachment *ret,
		       struct pipa_error *err)
{
	struct pipa_bundle_options o = { .load = { .path = path }, .output = "-" };

	o.load.log.progress = log->progress;
	o.load.log.ctx = log->ctx;
	ret->fd = pipa_tmp_open();
	if (ret->fd < 0)
		return pipa_fail(err, ret->fd, "create a temporary file in %s", pipa_tmp_dir());
	o.out_fd = ret->fd;
	snprintf(ret->name, sizeof(ret->name), "%.240s.tar.zst", base_name(path));
	return pipa_bundle_run(&o, err);
}

static int sum_bytes(struct pipa_attachment *file, const char *path, struct pipa_error *err)
{
	PIPA_AUTO(free) char *piece = malloc(PIPA_STORE_CHUNK);
	uint8_t sum[PIPA_SHA256_SIZE];
	struct pipa_sha256 sha;
	ssize_t n;

	if (!piece)
		return pipa_fail(err, -ENOMEM, "read %s", path);
	pipa_sha256_init(&sha);
	while ((n = pread(file->fd, piece, PIPA_STORE_CHUNK, (off_t)file->size)) > 0) {
		pipa_sha256_add(&sha, piece, (size_t)n);
		file->size += (uint64_t)n;
	}
	if (n < 0)
		return pipa_fail(err, -errno, "read %s", path);
	pipa_sha256_end(&sha, sum);
	pipa_sha256_hex(sum, file->id);
	return 0;
}

int pipa_attachment_open(const char *path, const struct pipa_log *log, struct pipa_attachment *ret,
			 struct pipa_error *err)
{
	bool bundle = false;
	struct stat st;
	int rc = needs_bundle(path, &bundle, err);

	*ret = (struct pipa_attachment){ .fd = -1 };
	if (rc < 0)
		return rc;
	if (bundle) {
		rc = make_bundle(path, log, ret, err);
	} else {
		ret->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (ret->fd < 0 || fstat(ret->fd, &st) < 0)
			rc = pipa_fail(err, -errno, "open %s", path);
		else if (!S_ISREG(st.st_mode))
			rc = pipa_refuse(err, -EINVAL, "%s is not a regular file", path);
		snprintf(ret->name, sizeof(ret->name), "%.250s", base_name(path));
	}
	if (!rc)
		rc = sum_bytes(ret, path, err);
	if (rc < 0)
		pipa_attachment_close(ret);
	return rc;
}

void pipa_attachment_close(struct pipa_attachment *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* ---- sending --------------------------------------------------------------------------------------------- */

struct transfer {
	struct pipa_attachment *file;
	const struct pipa_log *log;
	struct pipa_store_upload_recording_request first;
	uint64_t offset;
	bool begun;
	char *piece;
	struct pipa_buf message;
	struct pipa_error err;
};

/* Make the next message: the first one describes the file. */
static int next_message(void *ctx, struct pipa_span *ret)
{
	struct transfer *t = ctx;
	struct pipa_store_upload_recording_request request = { 0 };
	ssize_t n = pread(t->file->fd, t->piece, PIPA_STORE_CHUNK, (off_t)t->offset);
	int rc;

	if (n < 0)
		return pipa_fail(&t->err, -errno, "read %s", t->file->name);
	if (!n && t->begun) {
		if (t->offset != t->file->size)
			return pipa_refuse(&t->err, -EIO, "%s has changed while it was sent",
					   t->file->name);
		return 0;
	}
	if (!t->begun)
		request = t->first;
	request.chunk = (struct pipa_span){ (uint8_t *)t->piece, (size_t)n };
	t->begun = true;
	t->offset += (uint64_t)n;
	pipa_log_progress(t->log, "sending the recording", t->offset, t->file->size);
	pipa_buf_reset(&t->message);
	rc = pipa_rpc_encode(&pipa_store_upload_recording_request_message, &request, &t->message);
	if (rc < 0)
		return pipa_fail(&t->err, rc, "send %s", t->file->name);
	*ret = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&t->message), t->message.len };
	return 1;
}

static int restart(void *ctx)
{
	struct transfer *t = ctx;

	t->offset = 0;
	t->begun = false;
	return 0;
}

int pipa_attachment_send(struct pipa_remote *server, const char *table, const char *hash,
			 struct pipa_attachment *file, const struct pipa_log *log,
			 bool *ret_existed, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf reply = { 0 };
	PIPA_AUTO(free) char *piece = malloc(PIPA_STORE_CHUNK);
	struct pipa_proto_memory memory = { 0 };
	struct pipa_store_upload_recording_response response;
	struct transfer t = { .file = file, .log = log, .piece = piece };
	const struct pipa_remote_call call = {
		.verb = "store the recording",
		.path = "/" PIPA_STORE_SERVICE "/UploadRecording",
		.next = next_message,
		.restart = restart,
		.ctx = &t,
	};
	struct pipa_error why = { 0 };
	int rc;

	if (!piece)
		return pipa_fail(err, -ENOMEM, "send %s", file->name);
	t.first.table = pipa_span_of(table);
	t.first.hash = pipa_span_of(hash);
	t.first.name = pipa_span_of(file->name);
	t.first.size = file->size;
	t.first.id = pipa_span_of(file->id);
	rc = pipa_remote_call(server, &call, &reply, NULL, err);
	pipa_log_progress_end(log);
	if (rc < 0 && t.err.code)
		rc = pipa_refuse(err, t.err.code, "%s", t.err.what);
	if (!rc) {
		rc = pipa_rpc_decode(&pipa_store_upload_recording_response_message,
				     (struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply),
							 reply.len },
				     &memory, &response, &why);
		if (rc < 0)
			pipa_refuse(err, rc, "cannot store the recording at %.100s: %.120s",
				    pipa_remote_name(server), why.what);
		else
			*ret_existed = response.existed;
	}
	pipa_proto_memory_done(&memory);
	pipa_buf_done(&t.message);
	return rc;
}
