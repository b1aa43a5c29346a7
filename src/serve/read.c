#include "serve/read.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "job/results/results_service.h"
#include "net/server/server.h"
#include "rpc/pipad_messages.h"
#include "rpc/store_messages.h"
#include "serve/auth.h"
#include "serve/jobs.h"
#include "serve/services.h"
#include "store/results/results.h"

enum { REPLY_MAX = 256 << 20 };

typedef int (*read_fn)(struct pipa_results *store, struct pipa_span request,
		       struct pipa_buf *response, struct pipa_error *err);
typedef int (*stream_fn)(struct pipa_results *store, struct pipa_span request,
			 int (*put)(void *ctx, struct pipa_span message), void *ctx,
			 struct pipa_error *err);

/*
 * A call that reads. The thread of the server owns `call`; request, response, rc and err belong to the thread of the job
 * until its end task. Both use the members under the lock.
 */
struct read {
	struct pipa_job_item item;
	struct pipa_server_task part_task, end_task;
	struct pipa_grpc_call *call; /* NULL: the call is done */
	const struct pipa_services *services;
	struct pipa_results view; /* of the store; its scans end when the call is done */
	struct pipa_results_scan *scan;
	read_fn whole;	  /* one response, or */
	stream_fn stream; /* a stream of them */
	struct pipa_buf request, response;
	int rc;
	struct pipa_error err;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct pipa_buf part; /* of the stream, for the thread of the server */
	bool part_waits;
	atomic_bool cancelled;
};

static void free_read(struct read *read)
{
	pipa_buf_done(&read->request);
	pipa_buf_done(&read->response);
	pipa_buf_done(&read->part);
	pthread_cond_destroy(&read->changed);
	pthread_mutex_destroy(&read->lock);
	free(read);
}

/* ---- on the thread of a job: the view of the store ---------------------------------------------------------- */

static struct read *read_of(struct pipa_results *view)
{
	return (struct read *)((char *)view - offsetof(struct read, view));
}

static int view_tables(struct pipa_results *view,
		       int (*each)(void *ctx, const struct pipa_results_table *table), void *ctx,
		       struct pipa_error *err)
{
	return pipa_results_tables(read_of(view)->services->store, each, ctx, err);
}

/* Begin the only scan of a call; the call is its handle. */
static int view_scan(struct pipa_results *view, const struct pipa_results_filter *filter,
		     struct pipa_results_scan **ret, struct pipa_error *err)
{
	struct read *read = read_of(view);
	int rc;

	if (read->scan)
		return pipa_fail(err, -EBUSY, "read the store twice at once");
	rc = pipa_results_scan(read->services->store, filter, &read->scan, err);
	if (!rc)
		*ret = (struct pipa_results_scan *)(void *)read;
	return rc;
}

static int view_next(struct pipa_results_scan *scan, const struct pipa_results_run **ret,
		     struct pipa_error *err)
{
	struct read *read = (void *)scan;

	if (atomic_load_explicit(&read->cancelled, memory_order_relaxed))
		return pipa_refuse(err, -ECANCELED, "the client does not wait any more");
	return pipa_results_next(read->services->store, read->scan, ret, err);
}

static void view_end(struct pipa_results_scan *scan)
{
	struct read *read = (void *)scan;

	pipa_results_end(read->services->store, read->scan);
	read->scan = NULL;
}

/* Methods that read use no others. */
static const struct pipa_results_ops view_ops = {
	.tables = view_tables,
	.scan = view_scan,
	.next = view_next,
	.end = view_end,
};

/* ---- on the thread of a job -------------------------------------------------------------------------------- */

/* Pass a message to the server's thread when the client's window has capacity for it. */
static int put_part(void *ctx, struct pipa_span message)
{
	struct read *read = ctx;
	bool cancelled;

	pthread_mutex_lock(&read->lock);
	while (read->part_waits && !read->cancelled)
		pthread_cond_wait(&read->changed, &read->lock);
	cancelled = read->cancelled;
	if (!cancelled) {
		read->part.max = SIZE_MAX;
		pipa_buf_add(&read->part, message.data, message.size);
		read->part_waits = true;
	}
	pthread_mutex_unlock(&read->lock);
	if (cancelled)
		return -ECANCELED;
	pipa_server_post(read->services->server, &read->part_task);
	return 0;
}

static void run_read(struct pipa_job_item *item)
{
	struct read *read = (struct read *)item; /* its first member */
	struct pipa_span request = { (const uint8_t *)read->request.data, read->request.len };

	if (atomic_load_explicit(&read->cancelled, memory_order_relaxed))
		read->rc = -ECANCELED;
	else if (read->whole)
		read->rc = read->whole(&read->view, request, &read->response, &read->err);
	else
		read->rc = read->stream(&read->view, request, put_part, read, &read->err);
	if (read->rc < 0 && !read->err.code)
		pipa_fail(&read->err, read->rc, "answer the call");
	pipa_server_post(read->services->server, &read->end_task);
}

/* ---- on the thread of the server --------------------------------------------------------------------------- */

static void send_part(struct pipa_server_task *task)
{
	struct read *read = (struct read *)((char *)task - offsetof(struct read, part_task));
	struct pipa_buf part;

	pthread_mutex_lock(&read->lock);
	part = read->part;
	read->part = (struct pipa_buf){ 0 };
	pthread_mutex_unlock(&read->lock);
	if (read->call)
		pipa_grpc_call_send_buf(read->call, &part);
	else
		pipa_buf_done(&part);
}

static void end_read(struct pipa_server_task *task)
{
	struct read *read = (struct read *)((char *)task - offsetof(struct read, end_task));

	if (read->call) {
		pipa_grpc_call_set_user(read->call, NULL);
		if (read->rc < 0) {
			pipa_services_fail(read->call, pipa_services_code(read->rc), &read->err);
		} else {
			if (read->whole)
				pipa_grpc_call_send_buf(read->call, &read->response);
			pipa_grpc_call_finish(read->call, PIPA_GRPC_OK, NULL);
		}
	}
	free_read(read);
}

static void wake_job(struct read *read, bool cancelled)
{
	pthread_mutex_lock(&read->lock);
	read->part_waits = false;
	if (cancelled)
		read->cancelled = true;
	pthread_cond_signal(&read->changed);
	pthread_mutex_unlock(&read->lock);
}

static void on_ready(struct pipa_grpc_call *call)
{
	struct read *read = pipa_grpc_call_user(call);

	if (read)
		wake_job(read, false);
}

static struct pipa_jobs *jobs_of(const struct read *read)
{
	return read->stream ? read->services->downloads : read->services->jobs;
}

static void on_done(struct pipa_grpc_call *call)
{
	struct read *read = pipa_grpc_call_user(call);

	if (!read)
		return;
	read->call = NULL;
	if (pipa_jobs_remove(jobs_of(read), &read->item))
		free_read(read);
	else
		wake_job(read, true);
}

static void begin_read(struct pipa_grpc_call *call, struct pipa_span message, read_fn whole,
		       stream_fn stream)
{
	const struct pipa_services *services = pipa_grpc_call_services(call);
	struct read *read = calloc(1, sizeof(*read));

	if (!read) {
		pipa_grpc_call_finish(call, PIPA_GRPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	pthread_mutex_init(&read->lock, NULL);
	pthread_cond_init(&read->changed, NULL);
	read->item.run = run_read;
	read->part_task.fn = send_part;
	read->end_task.fn = end_read;
	read->call = call;
	read->services = services;
	read->view.ops = &view_ops;
	read->view.recordings = services->store->recordings;
	read->whole = whole;
	read->stream = stream;
	read->request.max = SIZE_MAX;
	read->response.max = REPLY_MAX;
	pipa_buf_add(&read->request, message.data, message.size);
	if (read->request.status || !pipa_jobs_put(jobs_of(read), &read->item)) {
		free_read(read);
		pipa_grpc_call_finish(call, PIPA_GRPC_UNAVAILABLE,
				      "too many queries and downloads wait");
		return;
	}
	pipa_grpc_call_set_user(call, read);
}

/* ---- methods ----------------------------------------------------------------------------------------------- */

#define READ_METHOD(name, service, method, whole, stream)                                          \
	static void on_##name(struct pipa_grpc_call *call, struct pipa_span message)               \
	{                                                                                          \
		begin_read(call, message, whole, stream);                                          \
	}                                                                                          \
	const struct pipa_grpc_method pipa_read_##name = {                                         \
		.path = "/" service "/" method,                                                    \
		.access = PIPA_ACCESS_READ,                                                        \
		.message = on_##name,                                                              \
		.ready = on_ready,                                                                 \
		.done = on_done,                                                                   \
	}

READ_METHOD(download_full_table, PIPA_PIPAD_SERVICE, "DownloadFullTable",
	    pipa_results_download_full_table, NULL);
READ_METHOD(query, PIPA_STORE_SERVICE, "Query", pipa_results_query, NULL);
READ_METHOD(query_metric, PIPA_STORE_SERVICE, "QueryMetric", pipa_results_query_metric, NULL);
READ_METHOD(list_tables, PIPA_STORE_SERVICE, "ListTables", pipa_results_list_tables, NULL);
READ_METHOD(download, PIPA_STORE_SERVICE, "Download", NULL, pipa_results_download);
READ_METHOD(download_recording, PIPA_STORE_SERVICE, "DownloadRecording", NULL,
	    pipa_results_download_recording);
