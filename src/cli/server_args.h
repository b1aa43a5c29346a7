/* Options that state which pipad server is used, and how. */
#ifndef PIPA_CLI_SERVER_ARGS_H
#define PIPA_CLI_SERVER_ARGS_H

#include "base/clock.h"
#include "job/remote/remote.h"

/* Defaults of the options, for the initializer of a command's struct. */
#define PIPA_REMOTE_ARGS_DEFAULT                                                                   \
	{                                                                                          \
		.retry_ns = 30 * PIPA_NS_PER_SEC                                                   \
	}

/* Rows of a connection; `to` is a struct pipa_remote_options, `prefix` begins the names ("", or "upload-"),
 * except that of the `timeout`. */
#define SERVER_ROWS(prefix, timeout, to)                                                            \
	FLAG(0, prefix "tls", to.tls, "use TLS; the certificate must name the server"),             \
		TEXT(0, prefix "ca", "FILE", to.ca_file,                                            \
		     "use TLS and trust the certificates in FILE (default: those of the system)"),  \
		TEXT(0, prefix "cert", "FILE", to.cert_file,                                        \
		     "use TLS with this client certificate, PEM (default: none)"),                  \
		TEXT(0, prefix "key", "FILE", to.key_file,                                          \
		     "key of the client certificate, PEM (default: that in the certificate file)"), \
		TEXT(0, prefix "token-file", "FILE", to.token_file,                                 \
		     "send the token in FILE (default: none)"),                                     \
		FLAG(0, prefix "insecure", to.insecure,                                             \
		     "send the token also without TLS (default: only to this machine)"),            \
		TIME(0, timeout, "TIME", PIPA_NS_PER_SEC, to.timeout_ns,                            \
		     "limit of an answer and of a pause in a transfer (default: 60s)"),             \
	{                                                                                           \
		.kind = PIPA_OPT_DURATION, .name = prefix "retry", .arg = "TIME",                   \
		.bare_ns = PIPA_NS_PER_SEC, AT(to.retry_ns),                                        \
		.help = "repeat failed attempts for TIME, 0 for one attempt (default: 30s)"         \
	}

struct pipa_error;

/*
 * Check the server and the output of a command that reads from one: "-" becomes NULL, standard output; a `binary` format
 * is not written to a terminal, and the output is none of the files of the credentials. `binary` is NULL for texts.
 * -EINVAL.
 */
int pipa_server_args_check(const struct pipa_remote_options *server, const char **output,
			   const char *binary, struct pipa_error *err);

#endif
