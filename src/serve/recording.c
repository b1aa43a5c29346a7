#include "serve/recording.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "codec/proto.h"
#include "net/server/server.h"
#include "rpc/message.h"
#include "rpc/store_messages.h"
#include "serve/auth.h"
#include "serve/jobs.h"
#include "serve/services.h"
#include "store/results/recording_files.h"

enum { MEMORY_MAX = 1 << 20 };

/*
 * A file that is being received. While a job runs the call is held, so the threads never use it at the same time. Only
 * the server's thread uses `call`.
 */
struct receiving {
	struct pipa_job_item item;
	struct pipa_server_task task;
	struct pipa_grpc_call *call; /* NULL: the call is done */
	const struct pipa_services *services;
	bool busy, commits;
	struct pipa_buf message;
	struct pipa_recording_upload *upload;
	char expected_id[PIPA_RESULTS_HASH_CHARS + 1];
	uint64_t expected_size;
	struct pipa_recording_info info;
	int rc;
	struct pipa_error err;
};

/* ---- on the thread of a job -------------------------------------------------------------------------------- */

static int begin_upload(struct receiving *r,
			const struct pipa_store_upload_recording_request *request)
{
	if (request->id.size && request->id.size != PIPA_RESULTS_HASH_CHARS)
		return pipa_refuse(&r->err, -EINVAL, "id: expected %d hexadecimal digits",
				   PIPA_RESULTS_HASH_CHARS);
	if (request->id.size)
		memcpy(r->expected_id, request->id.data, request->id.size);
	r->expected_size = request->size;
	return pipa_recording_begin(r->services->store, request->table, request->hash,
				    request->name, &r->upload, &r->err);
}

static int add_message(struct receiving *r)
{
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	const struct pipa_span bytes = { (const uint8_t *)r->message.data, r->message.len };
	struct pipa_store_upload_recording_request request;
	int rc = pipa_rpc_decode(&pipa_store_upload_recording_request_message, bytes, &memory,
				 &request, &r->err);

	if (!rc && !r->upload)
		rc = begin_upload(r, &request);
	if (!rc && request.chunk.size)
		rc = pipa_recording_add(r->upload, request.chunk, &r->err);
	pipa_proto_memory_done(&memory);
	return rc;
}

static void run_message(struct pipa_job_item *item)
{
	struct receiving *r = (struct receiving *)item; /* its first member */

	if (r->commits)
		r->rc = pipa_recording_commit(r->upload,
					      (struct pipa_span){ (uint8_t *)r->expected_id,
								  strlen(r->expected_id) },
					      r->expected_size, &r->info, &r->err);
	else
		r->rc = add_message(r);
	if (r->commits || r->rc < 0) {
		pipa_recording_end(r->upload);
		r->upload = NULL;
	}
	pipa_server_post(r->services->server, &r->task);
}

/* The client is gone: remove the file. */
static void run_end(struct pipa_job_item *item)
{
	struct receiving *r = (struct receiving *)item;

	pipa_recording_end(r->upload);
	pipa_buf_done(&r->message);
	free(r);
}

/* ---- on the thread of the server --------------------------------------------------------------------------- */

static void end_receiving(struct receiving *r)
{
	r->item.run = run_end;
	if (!r->upload || !pipa_jobs_put(r->services->jobs, &r->item))
		run_end(&r->item);
}

static void send_info(struct receiving *r)
{
	struct pipa_store_recording recording = {
		.id = { (uint8_t *)r->info.id, strlen(r->info.id) },
		.name = { (uint8_t *)r->info.name, strlen(r->info.name) },
		.size = r->info.size,
		.upload_time_us = r->info.upload_time_us,
	};
	const struct pipa_store_upload_recording_response response = { &recording,
								       r->info.existed };
	struct pipa_buf out = { 0 };

	pipa_rpc_encode(&pipa_store_upload_recording_response_message, &response, &out);
	pipa_grpc_call_send_buf(r->call, &out);
	pipa_grpc_call_finish(r->call, PIPA_GRPC_OK, NULL);
}

static void finish_message(struct pipa_server_task *task)
{
	struct receiving *r = (struct receiving *)((char *)task - offsetof(struct receiving, task));

	r->busy = false;
	if (!r->call) {
		end_receiving(r);
		return;
	}
	if (r->rc < 0)
		pipa_services_fail(r->call,
				   r->rc == -EBADMSG && r->commits ? PIPA_GRPC_DATA_LOSS :
								     pipa_services_code(r->rc),
				   &r->err);
	else if (r->commits)
		send_info(r);
	else
		pipa_grpc_call_release(r->call); /* may pass the next message */
}

static void put_job(struct receiving *r)
{
	r->busy = true;
	pipa_grpc_call_hold(r->call);
	if (!pipa_jobs_put(r->services->jobs, &r->item)) {
		r->busy = false;
		pipa_grpc_call_finish(r->call, PIPA_GRPC_UNAVAILABLE,
				      "too many queries and downloads wait");
	}
}

static void on_message(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct receiving *r = pipa_grpc_call_user(call);

	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r) {
			pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
			return;
		}
		r->item.run = run_message;
		r->task.fn = finish_message;
		r->call = call;
		r->services = pipa_grpc_call_services(call);
		r->message.max = SIZE_MAX;
		pipa_grpc_call_set_user(call, r);
	}
	pipa_buf_reset(&r->message);
	pipa_buf_add(&r->message, message.data, message.size);
	if (r->message.status)
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
	else
		put_job(r);
}

static void on_end(struct pipa_grpc_call *call)
{
	struct receiving *r = pipa_grpc_call_user(call);

	if (!r) {
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "the request is missing");
		return;
	}
	r->commits = true;
	put_job(r);
}

static void on_done(struct pipa_grpc_call *call)
{
	struct receiving *r = pipa_grpc_call_user(call);

	if (!r)
		return;
	r->call = NULL;
	if (!r->busy)
		end_receiving(r);
}

const struct pipa_grpc_method pipa_recording_upload_method = {
	.path = "/" PIPA_STORE_SERVICE "/UploadRecording",
	.requests = true,
	.paced = true,
	.access = PIPA_ACCESS_WRITE,
	.message = on_message,
	.end = on_end,
	.done = on_done,
};
