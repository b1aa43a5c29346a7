#include "serve/upload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "codec/proto.h"
#include "net/server/server.h"
#include "rpc/message.h"
#include "rpc/pipad_messages.h"
#include "rpc/result_message.h"
#include "rpc/store_messages.h"
#include "serve/auth.h"
#include "serve/services.h"
#include "store/results/results.h"

enum {
	PENDING_MAX = 64, /* changes of one call that are not acknowledged */
	MEMORY_MAX = 8 << 20,
};

/* The changes of a call. It lives until the call is done and its last change is committed. */
struct changes {
	struct pipa_grpc_call *call; /* NULL: the call is done */
	const struct pipa_services *services;
	unsigned int pending;
	bool ended;		  /* the client has sent all requests */
	enum pipa_grpc_code code; /* how the call ends after the pending changes */
	struct pipa_error err;
};

enum kind { DEPLOY, UPLOAD, REMOVE };

/* A change that is being committed. */
struct change {
	struct pipa_server_task task;
	struct changes *changes;
	enum kind kind;
	char *username;
	/* of the outcome */
	struct pipa_results_answer answer;
	int status;
	struct pipa_error err;
};

static void free_change(struct change *change)
{
	free(change->username);
	free(change);
}

/* ---- answers ----------------------------------------------------------------------------------------------- */

static void send_message(struct pipa_grpc_call *call, const struct pipa_proto_message *message,
			 const void *from)
{
	struct pipa_buf out = { 0 };

	pipa_rpc_encode(message, from, &out);
	pipa_grpc_call_send_buf(call, &out);
}

/* Acknowledge as PIPA's server does: the hash is in quotes, the time is seconds with a fraction. */
static void acknowledge_deploy(struct pipa_grpc_call *call, const struct change *change)
{
	const struct pipa_results_answer *a = &change->answer;
	struct pipa_pipad_deploy_resp resp = { 0 };
	char text[PIPA_ERROR_LINE_MAX + 20], hash[80], time[40];

	if (change->status < 0) {
		snprintf(text, sizeof(text), "deploy failed: %s", change->err.what);
		resp.message = pipa_span_of(text);
		resp.status_code = PIPA_PIPAD_FAILURE;
	} else {
		snprintf(hash, sizeof(hash), "'%s'", a->hash);
		snprintf(time, sizeof(time), "%" PRIu64 ".%06" PRIu64, a->upload_time_us / 1000000,
			 a->upload_time_us % 1000000);
		resp.message = pipa_span_of("deploy success");
		resp.username = pipa_span_of(change->username ? change->username : "");
		resp.time = pipa_span_of(time);
		resp.hash = pipa_span_of(hash);
		resp.upload_datetime = pipa_span_of(a->upload_datetime);
		resp.status_code = PIPA_PIPAD_SUCCESS;
	}
	send_message(call, &pipa_pipad_deploy_resp_message, &resp);
}

static void acknowledge(struct pipa_grpc_call *call, const struct change *change)
{
	const struct pipa_results_answer *a = &change->answer;
	const struct pipa_store_upload_response uploaded = {
		.hash = pipa_span_of(a->hash),
		.upload_time_us = a->upload_time_us,
		.upload_datetime = pipa_span_of(a->upload_datetime),
		.record = pipa_span_of(a->record),
		.existed = a->existed,
	};
	const struct pipa_store_delete_response removed = { .runs = a->runs,
							    .recordings = a->recordings };

	if (change->kind == DEPLOY)
		acknowledge_deploy(call, change);
	else if (change->status < 0)
		pipa_services_fail(call, pipa_services_code(change->status), &change->err);
	else if (change->kind == UPLOAD)
		send_message(call, &pipa_store_upload_response_message, &uploaded);
	else
		send_message(call, &pipa_store_delete_response_message, &removed);
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

static void end_if_complete(struct changes *changes)
{
	if (!changes->call || changes->pending)
		return;
	if (changes->code != PIPA_GRPC_OK)
		pipa_services_fail(changes->call, changes->code, &changes->err);
	else if (changes->ended)
		pipa_grpc_call_finish(changes->call, PIPA_GRPC_OK, NULL);
}

/* On the thread of the server: a change has been committed. */
static void finish_change(struct pipa_server_task *task)
{
	struct change *change = (struct change *)task; /* its first member */
	struct changes *changes = change->changes;

	changes->pending--;
	if (changes->call) {
		acknowledge(changes->call, change);
		if (changes->pending < PENDING_MAX && changes->code == PIPA_GRPC_OK &&
		    pipa_grpc_call_backlog(changes->call) < PENDING_MAX)
			pipa_grpc_call_release(changes->call);
		end_if_complete(changes);
	} else if (!changes->pending) {
		free(changes);
	}
	free_change(change);
}

/* Copy a string, "" for NULL, as far as there is space for it. */
static void copy_text(char *to, size_t size, const char *from)
{
	size_t len = from ? strnlen(from, size - 1) : 0;

	if (len)
		memcpy(to, from, len);
	to[len] = '\0';
}

/* On the writer thread of the store. */
static void keep_outcome(void *ctx, const struct pipa_results_outcome *outcome)
{
	struct change *change = ctx;
	struct pipa_results_answer *a = &change->answer;

	change->status = outcome->status;
	if (outcome->status < 0) {
		change->err = outcome->err;
	} else {
		copy_text(a->hash, sizeof(a->hash), outcome->hash);
		copy_text(a->record, sizeof(a->record), outcome->record);
		copy_text(a->upload_datetime, sizeof(a->upload_datetime), outcome->upload_datetime);
		a->upload_time_us = outcome->upload_time_us;
		a->existed = outcome->existed;
		a->runs = outcome->runs;
		a->recordings = outcome->recordings;
	}
	pipa_server_post(change->changes->services->server, &change->task);
}

/* Get or make the changes of a call; NULL after a failure, which ends the call. */
static struct changes *changes_of(struct pipa_grpc_call *call)
{
	struct changes *changes = pipa_grpc_call_user(call);

	if (changes)
		return changes;
	changes = calloc(1, sizeof(*changes));
	if (!changes) {
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
		return NULL;
	}
	changes->call = call;
	changes->services = pipa_grpc_call_services(call);
	pipa_grpc_call_set_user(call, changes);
	return changes;
}

/* End the call with a failure after the acknowledgements of earlier requests. */
static void fail_call(struct changes *changes, int rc, const struct pipa_error *err)
{
	changes->code = rc == -EBADMSG || rc == -E2BIG ? PIPA_GRPC_INVALID_ARGUMENT :
							 pipa_services_code(rc);
	changes->err = *err;
	pipa_grpc_call_hold(changes->call);
	end_if_complete(changes);
}

static struct change *add_change(struct changes *changes, enum kind kind)
{
	struct change *change = calloc(1, sizeof(*change));

	if (!change)
		return NULL;
	change->task.fn = finish_change;
	change->changes = changes;
	change->kind = kind;
	return change;
}

/*
 * Count a change that was queued. If it was not, the call fails; Deploy acknowledges failures of the store instead,
 * unless earlier acknowledgements are pending.
 */
static void queue_change(struct changes *changes, struct change *change, int rc)
{
	if (rc < 0) {
		change->status = rc;
		if (change->kind == DEPLOY && rc != -EINVAL && !changes->pending)
			acknowledge(changes->call, change);
		else
			fail_call(changes, rc, &change->err);
		free_change(change);
		return;
	}
	changes->pending++;
	if (changes->pending >= PENDING_MAX || pipa_grpc_call_backlog(changes->call) >= PENDING_MAX)
		pipa_grpc_call_hold(changes->call);
}

static void out_of_memory(struct changes *changes)
{
	struct pipa_error err;

	fail_call(changes, -ENOMEM, (pipa_fail(&err, -ENOMEM, "store the result"), &err));
}

static void store_result(struct changes *changes, enum kind kind,
			 const struct pipa_results_upload *upload)
{
	struct change *change = add_change(changes, kind);
	struct pipa_span username = { 0 };

	if (pipa_result_has(upload->result, PIPA_RESULT_USERNAME))
		username = upload->result->values[PIPA_RESULT_USERNAME].text;
	if (change && kind == DEPLOY && username.size) {
		change->username = strndup((const char *)username.data, username.size);
		if (!change->username)
			free_change(PIPA_TAKE(change));
	}
	if (!change) {
		out_of_memory(changes);
		return;
	}
	queue_change(changes, change,
		     pipa_results_upload(changes->services->store, upload, keep_outcome, change,
					 &change->err));
}

static void on_deploy(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct changes *changes = changes_of(call);
	struct pipa_result result;
	struct pipa_error err;
	int rc;

	if (!changes || changes->code != PIPA_GRPC_OK)
		return;
	rc = pipa_rpc_decode_result(message, &memory, &result, &err);
	if (rc < 0)
		fail_call(changes, rc, &err);
	else
		store_result(changes, DEPLOY, &(struct pipa_results_upload){ .result = &result });
	pipa_proto_memory_done(&memory);
}

static void on_upload(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX }, of_result = { .max = MEMORY_MAX };
	struct pipa_results_label labels[PIPA_RESULTS_LABELS_MAX];
	struct pipa_store_upload_request request;
	struct pipa_results_upload upload = { .labels = labels };
	struct changes *changes = changes_of(call);
	struct pipa_result result;
	struct pipa_error err;
	size_t i;
	int rc;

	if (!changes)
		return;
	rc = pipa_rpc_decode(&pipa_store_upload_request_message, message, &memory, &request, &err);
	if (!rc)
		rc = pipa_rpc_decode_result(request.result, &of_result, &result, &err);
	if (!rc && request.labels.n > PIPA_RESULTS_LABELS_MAX)
		rc = pipa_refuse(&err, -EINVAL, "labels: more than %d", PIPA_RESULTS_LABELS_MAX);
	if (!rc) {
		for (i = 0; i < request.labels.n; i++)
			labels[i] = (struct pipa_results_label){ request.labels.items[i].key,
								 request.labels.items[i].value };
		upload.table = request.table;
		upload.result = &result;
		upload.n_labels = request.labels.n;
		store_result(changes, UPLOAD, &upload);
	} else {
		fail_call(changes, rc, &err);
	}
	pipa_proto_memory_done(&of_result);
	pipa_proto_memory_done(&memory);
}

static void on_delete(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct pipa_store_delete_request request;
	struct changes *changes = changes_of(call);
	struct change *change;
	struct pipa_error err;
	int rc;

	if (!changes)
		return;
	rc = pipa_rpc_decode(&pipa_store_delete_request_message, message, &memory, &request, &err);
	change = rc ? NULL : add_change(changes, REMOVE);
	if (rc < 0)
		fail_call(changes, rc, &err);
	else if (!change)
		out_of_memory(changes);
	else
		queue_change(changes, change,
			     pipa_results_remove(changes->services->store, request.table,
						 request.hashes.items, request.hashes.n,
						 keep_outcome, change, &change->err));
	pipa_proto_memory_done(&memory);
}

static void on_end(struct pipa_grpc_call *call)
{
	struct changes *changes = changes_of(call);

	if (!changes)
		return;
	changes->ended = true;
	end_if_complete(changes);
}

/* Receive more requests after acknowledgements were sent. */
static void on_ready(struct pipa_grpc_call *call)
{
	struct changes *changes = pipa_grpc_call_user(call);

	if (changes && changes->pending < PENDING_MAX && changes->code == PIPA_GRPC_OK)
		pipa_grpc_call_release(call);
}

static void on_done(struct pipa_grpc_call *call)
{
	struct changes *changes = pipa_grpc_call_user(call);

	if (!changes)
		return;
	changes->call = NULL;
	if (!changes->pending)
		free(changes);
}

#define DEPLOY_METHOD(method, in, out)                                                             \
	{                                                                                          \
		.path = "/" PIPA_PIPAD_SERVICE "/" method, .requests = in, .replies = out,         \
		.access = PIPA_ACCESS_WRITE, .message = on_deploy, .end = on_end,                  \
		.ready = on_ready, .done = on_done                                                 \
	}

const struct pipa_grpc_method pipa_upload_deploy = DEPLOY_METHOD("Deploy", false, false);
const struct pipa_grpc_method pipa_upload_deploy_stream_reply = DEPLOY_METHOD("DeployStreamReply",
									      false, true);
const struct pipa_grpc_method pipa_upload_deploy_bidi_stream = DEPLOY_METHOD("DeployBidiStream",
									     true, true);

const struct pipa_grpc_method pipa_upload_upload = {
	.path = "/" PIPA_STORE_SERVICE "/Upload",
	.access = PIPA_ACCESS_WRITE,
	.message = on_upload,
	.end = on_end,
	.done = on_done,
};

const struct pipa_grpc_method pipa_upload_delete = {
	.path = "/" PIPA_STORE_SERVICE "/Delete",
	.access = PIPA_ACCESS_WRITE,
	.message = on_delete,
	.end = on_end,
	.done = on_done,
};
