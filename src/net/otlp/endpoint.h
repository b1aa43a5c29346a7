/*
 * The server of OTLP profiles and how to reach it: from options, then OTEL_EXPORTER_OTLP_PROFILES_*, then
 * OTEL_EXPORTER_OTLP_*.
 */
#ifndef PIPA_NET_OTLP_ENDPOINT_H
#define PIPA_NET_OTLP_ENDPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/h2.h"
#include "net/tls.h"
#include "net/url.h"

struct pipa_error;
struct pipa_log;

#define PIPA_OTLP_DEFAULT_URL "http://localhost:4317"
#define PIPA_OTLP_HTTP_PATH "/v1development/profiles"
#define PIPA_OTLP_GRPC_PATH                                                                        \
	"/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"

enum pipa_otlp_protocol {
	PIPA_OTLP_GRPC,
	PIPA_OTLP_HTTP_PROTOBUF,
	PIPA_OTLP_HTTP_JSON,
	PIPA_OTLP_PROTOCOL_NR,
};

enum pipa_otlp_compression {
	PIPA_OTLP_GZIP,
	PIPA_OTLP_ZSTD,
	PIPA_OTLP_UNCOMPRESSED,
	PIPA_OTLP_COMPRESSION_NR,
};

enum { PIPA_OTLP_HEADERS_MAX = 24 };

/* Options as the user wrote them; NULL and 0: not given. */
struct pipa_otlp_options {
	const char *url;	 /* "" like NULL: from the environment, else the default */
	const char *protocol;	 /* grpc, http/protobuf, http/json */
	const char *compression; /* gzip, zstd, none */
	const char *headers[PIPA_OTLP_HEADERS_MAX]; /* "NAME=VALUE", not percent-encoded */
	size_t n_headers;
	uint64_t timeout_ns; /* of one attempt */
	const char *ca_file, *cert_file, *key_file;
	bool layout_1_9; /* payloads have the field numbers of proto 1.9 */
};

struct pipa_otlp_endpoint {
	struct pipa_url url; /* the path is used by HTTP only */
	char text[512];	     /* the URL, for messages */
	enum pipa_otlp_protocol protocol;
	enum pipa_otlp_compression compression;
	uint64_t timeout_ns;
	bool layout_1_9;
	struct pipa_tls_options tls;
	struct pipa_h2_field headers[PIPA_OTLP_HEADERS_MAX]; /* names in lower case */
	size_t n_headers;
	char *strings; /* that the fields point to */
};

const char *pipa_otlp_protocol_name(enum pipa_otlp_protocol protocol);

/*
 * Find the endpoint. -EINVAL with err filled if an option, the URL or a header of the environment is invalid; other
 * invalid values of the environment are reported to `log` and ignored. The result points into the options and the
 * environment; pipa_otlp_endpoint_done() frees it.
 */
int pipa_otlp_endpoint_init(const struct pipa_otlp_options *options, const struct pipa_log *log,
			    struct pipa_otlp_endpoint *ret, struct pipa_error *err);
void pipa_otlp_endpoint_done(struct pipa_otlp_endpoint *endpoint);

/*
 * Return the protocol for a URL without other information: HTTP for port 4318 or a path, else gRPC.
 */
enum pipa_otlp_protocol pipa_otlp_guess_protocol(const struct pipa_url *url);

#endif
