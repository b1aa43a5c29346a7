/* Options that state where and how OTLP profiles are sent. */
#ifndef PIPA_CLI_OTLP_ARGS_H
#define PIPA_CLI_OTLP_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "net/otlp/endpoint.h"

struct pipa_error;

struct pipa_otlp_args {
	bool on; /* --otlp was given */
	struct pipa_otlp_options options;
	bool timestamps;
	uint64_t retry_ns; /* 0: the default of the command */
};

/* Handlers of options; `field` is a struct pipa_otlp_args. */
int pipa_cli_set_otlp(void *field, const char *text, struct pipa_error *err);
int pipa_cli_set_otlp_layout(void *field, const char *text, struct pipa_error *err);
int pipa_cli_add_otlp_header(void *field, const char *text, struct pipa_error *err);

/* Is the argument after --otlp its URL? */
bool pipa_cli_is_otlp_url(const char *text);

/* Check that no option of them was given without --otlp. */
int pipa_cli_check_otlp(const struct pipa_otlp_args *args, struct pipa_error *err);

/* Rows for --otlp and the options of a connection; `to` is a struct pipa_otlp_args. */
#define OTLP_URL_ROW(to, about)                                                                    \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = "otlp", .arg = "URL", .optional = true,            \
		.takes = pipa_cli_is_otlp_url, AT(to), .set = pipa_cli_set_otlp, .help = about     \
	}
#define OTLP_ROWS(to, timeout)                                                                     \
	TEXT(0, "otlp-protocol", "NAME", to.options.protocol,                                      \
	     "grpc, http/protobuf or http/json (default: by the URL)"),                            \
		TEXT(0, "otlp-compression", "NAME", to.options.compression,                        \
		     "gzip, zstd or none (default: gzip)"),                                        \
		{ .kind = PIPA_OPT_FIELD,                                                          \
		  .name = "otlp-header",                                                           \
		  .arg = "NAME=VALUE",                                                             \
		  AT(to),                                                                          \
		  .set = pipa_cli_add_otlp_header,                                                 \
		  .help = "add a header to each request (repeatable), a token for example" },      \
		TIME(0, "otlp-timeout", "TIME", PIPA_NS_PER_SEC, to.options.timeout_ns,            \
		     "limit of one attempt (default: " timeout ")"),                               \
		TEXT(0, "otlp-ca", "FILE", to.options.ca_file,                                     \
		     "trust the certificates in FILE (default: those of the system)"),             \
		TEXT(0, "otlp-cert", "FILE", to.options.cert_file,                                 \
		     "client certificate, PEM (default: none)"),                                   \
		TEXT(0, "otlp-key", "FILE", to.options.key_file,                                   \
		     "key of the client certificate (default: that in --otlp-cert)")
#define OTLP_LAYOUT_ROW(to)                                                                        \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = "otlp-layout", .arg = "VERSION", AT(to),           \
		.set = pipa_cli_set_otlp_layout,                                                   \
		.help = "field numbers of OTLP proto 1.10 or 1.9 (default: 1.10)"                  \
	}
#define OTLP_TIMESTAMPS_ROW(to)                                                                    \
	FLAG(0, "otlp-timestamps", to.timestamps,                                                  \
	     "write the timestamp of each sample into OTLP profiles (default: counts)")
#define OTLP_RETRY_ROW(to, retry)                                                                  \
	TIME(0, "otlp-retry", "TIME", PIPA_NS_PER_SEC, to.retry_ns,                                \
	     "limit of all attempts of a request (default: " retry ")")

#endif
