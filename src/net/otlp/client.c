#include "net/otlp/client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "codec/gzip.h"
#include "codec/otlp_schema.h"
#include "codec/proto_json.h"
#include "codec/zstd.h"
#include "net/grpc_client.h"
#include "net/otlp/endpoint.h"
#include "net/post.h"
#include "net/retry.h"
#include "net/rpc_status.h"
#include "net/stream.h"

enum { REPLY_MAX = 4 << 20, MEMORY_MAX = 1 << 20, FIELDS_MAX = PIPA_OTLP_HEADERS_MAX + 4 };

struct pipa_otlp_client {
	const struct pipa_otlp_endpoint *endpoint;
	struct pipa_stop *stop;
	char user_agent[64];
	struct pipa_grpc_client *grpc; /* one of the two */
	struct pipa_post_client *post;
	struct pipa_buf json, packed;
};

/* Result of one attempt. */
struct attempt {
	enum { ACCEPTED, RETRY, FINAL } outcome;
	int code; /* negative errno */
	bool has_delay;
	uint64_t delay_ns; /* that the server demands */
	char reason[200];
	const char *hint; /* or NULL */
};

/* ---- delays ---------------------------------------------------------------------------------------------- */

/* Read n decimal digits; -1 if there is another character. */
static int read_digits(const char *text, size_t n)
{
	int value = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		value = value * 10 + (text[i] - '0');
	}
	return value;
}

int pipa_otlp_retry_after(const char *text, uint64_t wall_ns, uint64_t *ret_ns)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct tm tm = { 0 };
	char month[4] = "";
	const char *found;
	uint64_t seconds;
	time_t when;

	if (pipa_str_u64(text, &seconds) == 0) {
		*ret_ns = seconds > 1000000000 ? INT64_MAX : seconds * PIPA_NS_PER_SEC;
		return 0;
	}
	/* "Sun, 06 Nov 1994 08:49:37 GMT"; by hand because strptime(3) depends on the locale */
	if (strlen(text) != 29 || strcmp(text + 25, " GMT") != 0)
		return -EINVAL;
	memcpy(month, text + 8, 3);
	found = strstr(months, month);
	tm.tm_mday = read_digits(text + 5, 2);
	tm.tm_year = read_digits(text + 12, 4);
	tm.tm_hour = read_digits(text + 17, 2);
	tm.tm_min = read_digits(text + 20, 2);
	tm.tm_sec = read_digits(text + 23, 2);
	if (tm.tm_mday < 0 || tm.tm_year < 0 || tm.tm_hour < 0 || tm.tm_min < 0 || tm.tm_sec < 0 ||
	    !found || (found - months) % 3)
		return -EINVAL;
	tm.tm_mon = (int)(found - months) / 3;
	tm.tm_year -= 1900;
	when = timegm(&tm);
	if (when < 0)
		return -EINVAL;
	*ret_ns = (uint64_t)when > wall_ns / PIPA_NS_PER_SEC ?
			  (uint64_t)when * PIPA_NS_PER_SEC - wall_ns :
			  0;
	return 0;
}

/* ---- the request ----------------------------------------------------------------------------------------- */

static int append_json(void *ctx, const char *text, size_t len)
{
	struct pipa_buf *out = ctx;

	pipa_buf_add(out, text, len);
	return out->status;
}

static int compress_payload(struct pipa_otlp_client *client, struct pipa_span *payload)
{
	enum pipa_otlp_compression compression = client->endpoint->compression;
	struct pipa_zstd_compressor *zstd;
	struct pipa_gzip *gzip;
	int rc = -ENOMEM;

	if (compression == PIPA_OTLP_UNCOMPRESSED)
		return 0;
	pipa_buf_reset(&client->packed);
	client->packed.max = PIPA_OTLP_PAYLOAD_MAX + (1 << 20);
	if (compression == PIPA_OTLP_GZIP) {
		gzip = pipa_gzip_new(6);
		if (gzip)
			rc = pipa_gzip_put(gzip, payload->data, payload->size, &client->packed);
		if (!rc)
			rc = pipa_gzip_end(gzip, &client->packed);
		pipa_gzip_free(gzip);
	} else {
		zstd = pipa_zstd_compressor_new_level(3);
		if (zstd)
			rc = pipa_zstd_compressor_put(zstd, payload->data, payload->size,
						      &client->packed);
		if (!rc)
			rc = pipa_zstd_compressor_end(zstd, &client->packed);
		pipa_zstd_compressor_free(zstd);
	}
	if (!rc)
		rc = client->packed.status;
	*payload = (struct pipa_span){ (uint8_t *)client->packed.data, client->packed.len };
	return rc;
}

/* Convert the payload to JSON if requested, and compress it if requested. */
static int prepare_payload(struct pipa_otlp_client *client, struct pipa_span *payload)
{
	enum pipa_otlp_layout layout = client->endpoint->layout_1_9 ? PIPA_OTLP_1_9 :
								      PIPA_OTLP_1_10;
	struct pipa_proto_error where;
	int rc = 0;

	if (client->endpoint->protocol == PIPA_OTLP_HTTP_JSON) {
		pipa_buf_reset(&client->json);
		client->json.max = PIPA_OTLP_PAYLOAD_MAX;
		rc = pipa_proto_json_write(&pipa_otlp_data_messages[layout], *payload, append_json,
					   &client->json, &where);
		*payload = (struct pipa_span){ (uint8_t *)client->json.data, client->json.len };
	}
	return rc ? rc : compress_payload(client, payload);
}

/* ---- the response ---------------------------------------------------------------------------------------- */

static void copy_text(struct pipa_span from, char *to, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < from.size && n + 1 < size; i++)
		to[n++] = from.data[i] < ' ' || from.data[i] == 0x7f ? ' ' : (char)from.data[i];
	to[n] = '\0';
}

/* Decode the response of an accepted request. One that cannot be decoded counts as full success. */
static void decode_response(struct pipa_span bytes, bool json, struct pipa_otlp_sent *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf proto = { .max = REPLY_MAX };
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct pipa_otlp_response response;
	struct pipa_proto_error where;

	if (json) {
		if (pipa_proto_json_read(&pipa_otlp_response_message, bytes, &proto, NULL, &where))
			return;
		bytes = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&proto), proto.len };
	}
	if (pipa_proto_decode(&pipa_otlp_response_message, bytes, &memory, &response, &where) ==
		    0 &&
	    response.partial_success) {
		if (response.partial_success->rejected_profiles > 0)
			ret->rejected = (uint64_t)response.partial_success->rejected_profiles;
		copy_text(response.partial_success->error_message, ret->message,
			  sizeof(ret->message));
	}
	pipa_proto_memory_done(&memory);
}

static const char no_profiles[] =
	"the server has no profiles receiver: an OpenTelemetry Collector needs "
	"--feature-gates=+service.profilesSupport and a pipeline for profiles";
static const char too_large[] = "the server refused it for its size: export a shorter time range";

/* Set the result of an attempt without a response. */
static void set_failure(struct attempt *a, int rc, const struct pipa_error *err, bool grpc)
{
	a->code = rc;
	a->outcome = pipa_retry_is_final(rc) ? FINAL : RETRY;
	snprintf(a->reason, sizeof(a->reason), "%s", err->what);
	if (rc == -EPROTO || rc == -EBADMSG)
		a->hint = grpc ? "if the server expects HTTP, use --otlp-protocol http/protobuf" :
				 "if the server expects gRPC, use --otlp-protocol grpc";
}

static void attempt_grpc(struct pipa_otlp_client *client, struct pipa_span message,
			 uint64_t until_ns, struct attempt *a, struct pipa_otlp_sent *ret)
{
	static const enum pipa_grpc_encoding encodings[] = {
		[PIPA_OTLP_GZIP] = PIPA_GRPC_GZIP,
		[PIPA_OTLP_ZSTD] = PIPA_GRPC_ZSTD,
		[PIPA_OTLP_UNCOMPRESSED] = PIPA_GRPC_IDENTITY,
	};
	const struct pipa_grpc_request request = {
		.path = PIPA_OTLP_GRPC_PATH,
		.message = message,
		.encoding = encodings[client->endpoint->compression],
		.fields = client->endpoint->headers,
		.n_fields = client->endpoint->n_headers,
		.until_ns = until_ns,
	};
	struct pipa_grpc_reply reply = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_grpc_call(client->grpc, &request, &reply, &err);

	if (rc < 0) {
		set_failure(a, rc, &err, true);
	} else if (reply.code == PIPA_GRPC_OK) {
		decode_response((struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.message),
						    reply.message.len },
				false, ret);
	} else {
		a->outcome = pipa_retry_is_retryable(reply.code, reply.has_retry_delay) ? RETRY :
											  FINAL;
		a->code = -EREMOTEIO;
		a->has_delay = reply.has_retry_delay;
		a->delay_ns = reply.retry_delay_ns;
		snprintf(a->reason, sizeof(a->reason), "%s%s%s", pipa_grpc_code_name(reply.code),
			 reply.text[0] ? ": " : "", reply.text);
		a->hint = reply.code == PIPA_GRPC_UNIMPLEMENTED	     ? no_profiles :
			  reply.code == PIPA_GRPC_RESOURCE_EXHAUSTED ? too_large :
								       NULL;
	}
	pipa_grpc_reply_done(&reply);
}

/* Set the result of an attempt from an HTTP response with another status than 200. */
static void set_http_failure(struct attempt *a, const struct pipa_post_reply *reply)
{
	struct pipa_span body = { (const uint8_t *)pipa_buf_str(&reply->body), reply->body.len };
	struct pipa_rpc_status status = { 0 };
	int http = reply->status;

	a->code = -EREMOTEIO;
	a->outcome = http == 429 || http == 502 || http == 503 || http == 504 ? RETRY : FINAL;
	if (strncasecmp(reply->type, "application/x-protobuf", 22) == 0)
		pipa_rpc_status_decode(body, &status);
	else if (strncasecmp(reply->type, "text/plain", 10) == 0)
		copy_text(body, status.message, sizeof(status.message));
	if (reply->retry_after[0])
		a->has_delay = pipa_otlp_retry_after(reply->retry_after, pipa_clock_wall_ns(),
						     &a->delay_ns) == 0;
	else if (status.has_retry_delay) {
		a->has_delay = true;
		a->delay_ns = status.retry_delay_ns;
	}
	if (http >= 300 && http < 400)
		snprintf(status.message, sizeof(status.message), "redirects are not followed");
	snprintf(a->reason, sizeof(a->reason), "HTTP status %d%s%s", http,
		 status.message[0] ? ": " : "", status.message);
	a->hint = http == 404 ? no_profiles : http == 413 ? too_large : NULL;
}

static void attempt_http(struct pipa_otlp_client *client, struct pipa_span body, uint64_t until_ns,
			 struct attempt *a, struct pipa_otlp_sent *ret)
{
	static const char *const encodings[] = { [PIPA_OTLP_GZIP] = "gzip",
						 [PIPA_OTLP_ZSTD] = "zstd",
						 [PIPA_OTLP_UNCOMPRESSED] = NULL };
	const struct pipa_otlp_endpoint *e = client->endpoint;
	bool json = e->protocol == PIPA_OTLP_HTTP_JSON;
	struct pipa_h2_field fields[FIELDS_MAX] = {
		{ .name = "content-type",
		  .value = json ? "application/json" : "application/x-protobuf" },
		{ .name = "user-agent", .value = client->user_agent },
	};
	struct pipa_post_reply reply = { 0 };
	struct pipa_error err = { 0 };
	size_t n = 2;
	int rc;

	if (encodings[e->compression])
		fields[n++] = (struct pipa_h2_field){ .name = "content-encoding",
						      .value = encodings[e->compression] };
	memcpy(&fields[n], e->headers, e->n_headers * sizeof(fields[0]));
	rc = pipa_post(client->post, fields, n + e->n_headers, body, until_ns, &reply, &err);
	if (rc < 0)
		set_failure(a, rc, &err, false);
	else if (reply.status >= 200 && reply.status < 300)
		decode_response((struct pipa_span){ (const uint8_t *)pipa_buf_str(&reply.body),
						    reply.body.len },
				strncasecmp(reply.type, "application/json", 16) == 0, ret);
	else
		set_http_failure(a, &reply);
	pipa_post_reply_done(&reply);
}

/* ---- sending --------------------------------------------------------------------------------------------- */

static int fail_attempt(const struct pipa_otlp_client *client, const struct attempt *a,
			unsigned int attempts, bool demanded, struct pipa_error *err)
{
	char more[64] = "";
	int rc;

	if (demanded)
		snprintf(more, sizeof(more), "; the server asks to wait %llu s",
			 (unsigned long long)((a->delay_ns + PIPA_NS_PER_SEC - 1) /
					      PIPA_NS_PER_SEC));
	else if (attempts > 1)
		snprintf(more, sizeof(more), " (%u attempts)", attempts);
	rc = pipa_refuse(err, a->code, "cannot send profiles to %.80s: %s%s",
			 client->endpoint->text, a->reason, more);
	if (a->hint && err)
		pipa_hint(err, "%s", a->hint);
	return rc;
}

int pipa_otlp_send(struct pipa_otlp_client *client, struct pipa_span payload, uint64_t until_ns,
		   struct pipa_otlp_sent *ret, struct pipa_error *err)
{
	const struct pipa_otlp_endpoint *e = client->endpoint;
	uint64_t limit;
	int rc;

	*ret = (struct pipa_otlp_sent){ 0 };
	if (payload.size > PIPA_OTLP_PAYLOAD_MAX)
		return pipa_refuse(
			err, -EFBIG,
			"cannot send profiles to %.80s: %zu MiB exceed the limit of 64 MiB",
			e->text, payload.size >> 20);
	rc = prepare_payload(client, &payload);
	if (rc < 0)
		return pipa_fail(err, rc, "prepare profiles for %.80s", e->text);
	ret->wire_bytes = payload.size;
	for (;;) {
		struct attempt a = { .outcome = ACCEPTED };

		ret->attempts++;
		limit = pipa_clock_ns() + e->timeout_ns;
		limit = until_ns && until_ns < limit ? until_ns : limit;
		if (e->protocol == PIPA_OTLP_GRPC)
			attempt_grpc(client, payload, limit, &a, ret);
		else
			attempt_http(client, payload, limit, &a, ret);
		if (a.outcome == ACCEPTED)
			return 0;
		if (a.outcome == FINAL)
			return fail_attempt(client, &a, ret->attempts, false, err);
		rc = until_ns ? pipa_retry_wait(client->stop, ret->attempts,
						a.has_delay ? &a.delay_ns : NULL, until_ns) :
				-ETIMEDOUT;
		if (rc < 0)
			return fail_attempt(client, &a, ret->attempts,
					    rc == -ETIMEDOUT && a.has_delay, err);
	}
}

struct pipa_otlp_client *pipa_otlp_client_new(const struct pipa_otlp_endpoint *endpoint,
					      const char *version, struct pipa_stop *stop)
{
	struct pipa_otlp_client *client = calloc(1, sizeof(*client));

	if (!client)
		return NULL;
	client->endpoint = endpoint;
	client->stop = stop;
	snprintf(client->user_agent, sizeof(client->user_agent), "pipa OTel-OTLP-Exporter-C/%s",
		 version);
	if (endpoint->protocol == PIPA_OTLP_GRPC) {
		const struct pipa_grpc_client_options options = {
			.host = endpoint->url.host,
			.port = endpoint->url.port,
			.tls = endpoint->url.secure ? &endpoint->tls : NULL,
			.user_agent = client->user_agent,
			.stop = stop,
			.max_reply = REPLY_MAX,
		};

		client->grpc = pipa_grpc_client_new(&options);
	} else {
		const struct pipa_post_options options = {
			.url = &endpoint->url,
			.tls = &endpoint->tls,
			.stop = stop,
			.max_reply = REPLY_MAX,
		};

		client->post = pipa_post_client_new(&options);
	}
	if (!client->grpc && !client->post) {
		free(client);
		return NULL;
	}
	return client;
}

void pipa_otlp_client_free(struct pipa_otlp_client *client)
{
	if (!client)
		return;
	pipa_grpc_client_free(client->grpc);
	pipa_post_client_free(client->post);
	pipa_buf_done(&client->json);
	pipa_buf_done(&client->packed);
	free(client);
}
