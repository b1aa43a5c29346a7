#include "serve/reflection.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "codec/proto.h"
#include "rpc/message.h"
#include "serve/auth.h"
#include "serve/descriptors.h"

enum { FILES_MAX = 16, SERVICES_MAX = 16, MEMORY_MAX = 1 << 20 };

/* ---- descriptors, as far as they are searched ---------------------------------------------------------------- */

#define MESSAGE(tag, name_)                                                                        \
	static const struct pipa_proto_message tag##_message = { .name = name_,                    \
								 .fields = tag##_fields,           \
								 .n_fields = PIPA_COUNT(           \
									 tag##_fields),            \
								 .size = sizeof(struct tag) }

struct file_set {
	PIPA_PROTO_LIST(struct pipa_span) file;
};
static const struct pipa_proto_field file_set_fields[] = {
	PIPA_PROTO_REPEATED(file_set, 1, RAW, file),
};
MESSAGE(file_set, "FileDescriptorSet");

struct named {
	struct pipa_span name;
};
static const struct pipa_proto_field named_fields[] = { PIPA_PROTO_FIELD(named, 1, STRING, name) };
MESSAGE(named, "DescriptorProto");

struct service {
	struct pipa_span name;
	PIPA_PROTO_LIST(struct named) method;
};
static const struct pipa_proto_field service_fields[] = {
	PIPA_PROTO_FIELD(service, 1, STRING, name),
	PIPA_PROTO_SUBS(service, 2, method, named_message),
};
MESSAGE(service, "ServiceDescriptorProto");

struct file {
	struct pipa_span name, package;
	PIPA_PROTO_LIST(struct pipa_span) dependency;
	PIPA_PROTO_LIST(struct named) message_type;
	PIPA_PROTO_LIST(struct named) enum_type;
	PIPA_PROTO_LIST(struct service) service;
};
static const struct pipa_proto_field file_fields[] = {
	PIPA_PROTO_FIELD(file, 1, STRING, name),
	PIPA_PROTO_FIELD(file, 2, STRING, package),
	PIPA_PROTO_REPEATED(file, 3, STRING, dependency),
	PIPA_PROTO_SUBS(file, 4, message_type, named_message),
	PIPA_PROTO_SUBS(file, 5, enum_type, named_message),
	PIPA_PROTO_SUBS(file, 6, service, service_message),
};
MESSAGE(file, "FileDescriptorProto");

/* ---- messages ------------------------------------------------------------------------------------------------ */

/* Field numbers of ServerReflectionRequest.message_request. */
enum { BY_FILENAME = 3, BY_SYMBOL, BY_EXTENSION, EXTENSION_NUMBERS, LIST_SERVICES };

struct request {
	struct pipa_span host;
	uint32_t which;
	struct pipa_span file_by_filename, file_containing_symbol, file_containing_extension,
		all_extension_numbers_of_type, list_services;
};
static const struct pipa_proto_field request_fields[] = {
	PIPA_PROTO_FIELD(request, 1, STRING, host),
	PIPA_PROTO_ONEOF(request, 3, STRING, file_by_filename),
	PIPA_PROTO_ONEOF(request, 4, STRING, file_containing_symbol),
	PIPA_PROTO_ONEOF(request, 5, RAW, file_containing_extension),
	PIPA_PROTO_ONEOF(request, 6, STRING, all_extension_numbers_of_type),
	PIPA_PROTO_ONEOF(request, 7, STRING, list_services),
};
static const struct pipa_proto_message request_message = {
	.name = "ServerReflectionRequest",
	.fields = request_fields,
	.n_fields = PIPA_COUNT(request_fields),
	.size = sizeof(struct request),
	.which = offsetof(struct request, which),
};

struct files {
	PIPA_PROTO_LIST(struct pipa_span) file_descriptor_proto;
};
static const struct pipa_proto_field files_fields[] = {
	PIPA_PROTO_REPEATED(files, 1, BYTES, file_descriptor_proto),
};
MESSAGE(files, "FileDescriptorResponse");

struct services {
	PIPA_PROTO_LIST(struct named) service;
};
static const struct pipa_proto_field services_fields[] = {
	PIPA_PROTO_SUBS(services, 1, service, named_message),
};
MESSAGE(services, "ListServiceResponse");

struct failure {
	int32_t error_code;
	struct pipa_span error_message;
};
static const struct pipa_proto_field failure_fields[] = {
	PIPA_PROTO_FIELD(failure, 1, INT32, error_code),
	PIPA_PROTO_FIELD(failure, 2, STRING, error_message),
};
MESSAGE(failure, "ErrorResponse");

struct reply {
	struct pipa_span valid_host, original_request;
	struct files *file_descriptor_response;
	struct services *list_services_response;
	struct failure *error_response;
};
static const struct pipa_proto_field reply_fields[] = {
	PIPA_PROTO_FIELD(reply, 1, STRING, valid_host),
	PIPA_PROTO_FIELD(reply, 2, RAW, original_request),
	PIPA_PROTO_SUB(reply, 4, file_descriptor_response, files_message),
	PIPA_PROTO_SUB(reply, 6, list_services_response, services_message),
	PIPA_PROTO_SUB(reply, 7, error_response, failure_message),
};
MESSAGE(reply, "ServerReflectionResponse");

/* ---- lookup -------------------------------------------------------------------------------------------------- */

/* All files, decoded; the memory holds their arrays. */
struct known {
	struct pipa_proto_memory memory;
	struct pipa_span bytes[FILES_MAX];
	struct file files[FILES_MAX];
	size_t n;
};

static int load_files(struct known *known)
{
	const struct pipa_span *set_bytes;
	struct file_set set;
	int rc = 0;

	known->memory.max = MEMORY_MAX;
	for (set_bytes = pipa_descriptors; set_bytes->data && !rc; set_bytes++) {
		rc = pipa_rpc_decode(&file_set_message, *set_bytes, &known->memory, &set, NULL);
		if (rc || !set.file.n || known->n == FILES_MAX)
			return rc;
		known->bytes[known->n] = set.file.items[0];
		rc = pipa_rpc_decode(&file_message, set.file.items[0], &known->memory,
				     &known->files[known->n], NULL);
		known->n += !rc;
	}
	return rc;
}

static bool is_equal(struct pipa_span a, struct pipa_span b)
{
	return a.size == b.size && (!a.size || memcmp(a.data, b.data, a.size) == 0);
}

/* Remove "prefix." from the start of a name. */
static bool skip_prefix(struct pipa_span *name, struct pipa_span prefix)
{
	if (name->size <= prefix.size || memcmp(name->data, prefix.data, prefix.size) != 0 ||
	    name->data[prefix.size] != '.')
		return false;
	name->data += prefix.size + 1;
	name->size -= prefix.size + 1;
	return true;
}

/* Does one of the names equal the symbol, or contain it ("HealthCheckResponse.ServingStatus")? */
static bool has_name(const struct named *items, size_t n, struct pipa_span symbol)
{
	struct pipa_span inner;
	size_t i;

	for (i = 0; i < n; i++) {
		inner = symbol;
		if (is_equal(items[i].name, symbol) || skip_prefix(&inner, items[i].name))
			return true;
	}
	return false;
}

static bool has_symbol(const struct file *file, struct pipa_span symbol)
{
	struct pipa_span method;
	size_t i;

	if (!skip_prefix(&symbol, file->package))
		return false;
	if (has_name(file->message_type.items, file->message_type.n, symbol) ||
	    has_name(file->enum_type.items, file->enum_type.n, symbol))
		return true;
	for (i = 0; i < file->service.n; i++) {
		method = symbol;
		if (is_equal(file->service.items[i].name, symbol) ||
		    (skip_prefix(&method, file->service.items[i].name) &&
		     has_name(file->service.items[i].method.items, file->service.items[i].method.n,
			      method)))
			return true;
	}
	return false;
}

/* Add a file and those that it imports. */
static void add_file(const struct known *known, size_t at, bool *added, struct pipa_span *to,
		     size_t *n)
{
	size_t i, k;

	if (added[at])
		return;
	added[at] = true;
	to[(*n)++] = known->bytes[at];
	for (i = 0; i < known->files[at].dependency.n; i++)
		for (k = 0; k < known->n; k++)
			if (is_equal(known->files[k].name, known->files[at].dependency.items[i]))
				add_file(known, k, added, to, n);
}

/* Find the file of a name or symbol; known->n if there is none. */
static size_t find_file(const struct known *known, const struct request *request)
{
	size_t i;

	for (i = 0; i < known->n; i++)
		if (request->which == BY_FILENAME ?
			    is_equal(known->files[i].name, request->file_by_filename) :
			    has_symbol(&known->files[i], request->file_containing_symbol))
			break;
	return i;
}

/* Collect "package.Service" of all files; the texts are in the memory of the caller. */
static size_t list_services(const struct known *known, char texts[SERVICES_MAX][80],
			    struct named *to)
{
	const struct file *f;
	size_t i, k, n = 0;

	for (i = 0; i < known->n; i++) {
		f = &known->files[i];
		for (k = 0; k < f->service.n && n < SERVICES_MAX; k++, n++) {
			snprintf(texts[n], 80, "%.*s.%.*s", (int)f->package.size,
				 (const char *)f->package.data, (int)f->service.items[k].name.size,
				 (const char *)f->service.items[k].name.data);
			to[n].name = (struct pipa_span){ (const uint8_t *)texts[n],
							 strlen(texts[n]) };
		}
	}
	return n;
}

static void send_reply(struct pipa_grpc_call *call, const struct known *known,
		       const struct request *request, struct pipa_span original)
{
	static const char missing[] = "not found";
	char texts[SERVICES_MAX][80];
	struct named names[SERVICES_MAX];
	struct pipa_span spans[FILES_MAX];
	bool added[FILES_MAX] = { false };
	struct files files = { { spans, 0 } };
	struct services services = { { names, 0 } };
	struct failure failure = { PIPA_GRPC_NOT_FOUND,
				   { (const uint8_t *)missing, sizeof(missing) - 1 } };
	struct reply reply = { .valid_host = request->host, .original_request = original };
	struct pipa_buf out = { 0 };
	size_t at;

	if (request->which == LIST_SERVICES) {
		services.service.n = list_services(known, texts, names);
		reply.list_services_response = &services;
	} else if (request->which == BY_FILENAME || request->which == BY_SYMBOL) {
		at = find_file(known, request);
		if (at < known->n) {
			add_file(known, at, added, spans, &files.file_descriptor_proto.n);
			reply.file_descriptor_response = &files;
		}
	} else if (!request->which) {
		failure.error_code = PIPA_GRPC_INVALID_ARGUMENT;
	}
	if (!reply.list_services_response && !reply.file_descriptor_response)
		reply.error_response = &failure;
	pipa_rpc_encode(&reply_message, &reply, &out);
	pipa_grpc_call_send_buf(call, &out);
}

/* ---- the method ---------------------------------------------------------------------------------------------- */

/* Replies that a client has not read, above which its requests wait. */
enum { BACKLOG_MAX = 16 };

static void on_request(struct pipa_grpc_call *call, struct pipa_span message)
{
	struct known known = { 0 };
	struct pipa_proto_memory memory = { .max = MEMORY_MAX };
	struct request request;

	if (load_files(&known) < 0)
		pipa_grpc_call_finish(call, PIPA_GRPC_INTERNAL, "cannot read the descriptors");
	else if (pipa_rpc_decode(&request_message, message, &memory, &request, NULL) < 0)
		pipa_grpc_call_finish(call, PIPA_GRPC_INVALID_ARGUMENT, "malformed request");
	else
		send_reply(call, &known, &request, message);
	if (pipa_grpc_call_backlog(call) >= BACKLOG_MAX)
		pipa_grpc_call_hold(call);
	pipa_proto_memory_done(&memory);
	pipa_proto_memory_done(&known.memory);
}

static void on_ready(struct pipa_grpc_call *call)
{
	pipa_grpc_call_release(call);
}

static void on_end(struct pipa_grpc_call *call)
{
	pipa_grpc_call_finish(call, PIPA_GRPC_OK, NULL);
}

#define REFLECTION_METHOD(version)                                                                 \
	{                                                                                          \
		.path = "/grpc.reflection." version ".ServerReflection/ServerReflectionInfo",      \
		.requests = true, .replies = true, .access = PIPA_ACCESS_READ,                     \
		.message = on_request, .end = on_end, .ready = on_ready                            \
	}

static const struct pipa_grpc_method v1 = REFLECTION_METHOD("v1");
static const struct pipa_grpc_method v1alpha = REFLECTION_METHOD("v1alpha");

const struct pipa_grpc_method *const pipa_reflection_methods[] = { &v1, &v1alpha, NULL };
