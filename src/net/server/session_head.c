/* Heads of requests: fields, and the method and limits of the call that they begin. */
#include "net/server/session_own.h"

#include <string.h>

static bool is_field(struct pipa_span name, const char *text)
{
	return name.size == strlen(text) && memcmp(name.data, text, name.size) == 0;
}

/* Copy a value; false if it is too long or has a NUL. */
static bool copy_value(struct pipa_span value, char *to, size_t size)
{
	if (value.size >= size || memchr(value.data, '\0', value.size))
		return false;
	memcpy(to, value.data, value.size);
	to[value.size] = '\0';
	return true;
}

int pipa_grpc_session_on_field(void *ctx, int32_t stream, struct pipa_span name,
			       struct pipa_span value)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_fields *head = &session->head;

	if (pipa_h2_stream(session->h2, stream))
		return 0; /* trailers of a request */
	if (head->stream != stream)
		*head = (struct pipa_grpc_fields){ .stream = stream };
	if (is_field(name, ":method"))
		head->is_post = is_field(value, "POST");
	else if (is_field(name, ":path"))
		copy_value(value, head->path, sizeof(head->path));
	else if (is_field(name, "content-type"))
		copy_value(value, head->type, sizeof(head->type));
	else if (is_field(name, "authorization"))
		head->bad_authorization = !copy_value(value, head->authorization,
						      sizeof(head->authorization));
	else if (is_field(name, "grpc-encoding"))
		head->encoding = pipa_grpc_encoding_find(value);
	else if (is_field(name, "grpc-timeout")) {
		head->has_timeout = true;
		head->bad_timeout = pipa_grpc_timeout_parse(value, &head->timeout_ns) < 0;
	}
	return 0;
}

static const struct pipa_grpc_method *find_method(const struct pipa_grpc_service *service,
						  const char *path)
{
	const struct pipa_grpc_method *const *m;

	for (m = service->methods; *m; m++)
		if (strcmp((*m)->path, path) == 0)
			return *m;
	return NULL;
}

/* Answer a request that is not gRPC. */
static void respond_http(struct pipa_grpc_call *call, const char *status, const char *text)
{
	const struct pipa_h2_field fields[] = { { ":status", status, false },
						{ "content-length", "0", false },
						{ "grpc-message", text, false } };

	call->finished = call->responded = true;
	call->code = PIPA_GRPC_UNKNOWN;
	pipa_grpc_session_note_queued(call->session,
				      pipa_h2_respond(call->session->h2, call->stream, fields,
						      PIPA_COUNT(fields), NULL, NULL, 0));
}

static bool is_grpc_type(const char *type)
{
	static const char grpc[] = "application/grpc";

	return strncmp(type, grpc, sizeof(grpc) - 1) == 0 &&
	       (!type[sizeof(grpc) - 1] || type[sizeof(grpc) - 1] == ';' ||
		strcmp(type + sizeof(grpc) - 1, "+proto") == 0);
}

static void begin_call(struct pipa_grpc_call *call, struct pipa_grpc_fields *head)
{
	const struct pipa_grpc_service *service = call->session->service;
	struct pipa_grpc_head request = { .authorization = head->authorization,
					  .peer = call->session->peer };
	enum pipa_grpc_code code;
	char text[100] = "";

	request.method = find_method(service, head->path);
	call->method = request.method;
	if (call->method && call->method->max_request)
		call->reader.max = call->method->max_request;
	call->reader.encoding = head->encoding;
	if (head->has_timeout && !head->bad_timeout)
		call->deadline_ns = head->timeout_ns >= INT64_MAX - call->begin_ns ?
					    0 :
					    call->begin_ns + head->timeout_ns;
	if (!call->method) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNIMPLEMENTED, "unknown method");
	} else if (head->bad_authorization) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNAUTHENTICATED, "the token is too long");
	} else if (head->bad_timeout) {
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "malformed grpc-timeout");
	} else if (head->encoding == PIPA_GRPC_OTHER_ENCODING) {
		pipa_grpc_call_finish(call, PIPA_GRPC_UNIMPLEMENTED,
				      "grpc-encoding: only identity, gzip and zstd are supported");
	} else if (service->admit) {
		code = service->admit(service->ctx, &request, text);
		if (code != PIPA_GRPC_OK)
			pipa_grpc_call_finish(call, code, text);
	}
	pipa_grpc_call_set_due(call);
}

void pipa_grpc_session_on_head(void *ctx, int32_t stream)
{
	struct pipa_grpc_session *session = ctx;
	struct pipa_grpc_fields *head = &session->head;
	struct pipa_grpc_call *call;

	if (pipa_h2_stream(session->h2, stream))
		return;
	if (head->stream != stream)
		*head = (struct pipa_grpc_fields){ .stream = stream };
	call = pipa_grpc_call_add(session, stream);
	if (!call) {
		pipa_grpc_session_note_queued(session, pipa_h2_reset(session->h2, stream,
								     PIPA_H2_REFUSED_STREAM));
		return;
	}
	if (pipa_h2_head_is_large(session->h2))
		respond_http(call, "431", "the head of the request is too large");
	else if (!head->is_post)
		respond_http(call, "405", "gRPC requests are POST requests");
	else if (!is_grpc_type(head->type))
		respond_http(call, "415", "content-type is not application/grpc");
	else
		begin_call(call, head);
	explicit_bzero(head->authorization, sizeof(head->authorization));
	head->stream = 0;
}
