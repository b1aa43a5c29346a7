/* Options of pipad: of the command line and of a YAML file with the same names, which the command line overrides. */
#ifndef PIPA_SERVE_OPTIONS_H
#define PIPA_SERVE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "serve/log.h"

struct pipa_error;

struct pipa_serve_options {
	/* listening */
	const char *address, *port;
	const char *http_address, *http_port;
	bool insecure;
	/* store */
	const char *database, *table, *data_location, *store;
	uint64_t retention_ns; /* of recordings; 0: no limit */
	/* access */
	const char *tls_cert, *tls_key, *client_ca;
	const char *token_file, *read_token_file;
	uint64_t rate; /* calls per second of a token; 0: no limit */
	/* limits */
	uint64_t max_message, max_buffered, max_header;
	unsigned int max_connections, max_streams, threads;
	uint64_t idle_ns, stall_ns, handshake_ns, grace_ns;
	/* Grafana */
	const char *grafana_key, *grafana_url, *grafana_path;
	/* log */
	bool log_json;
	enum pipa_serve_level log_level;
	const char *config;
	bool version;
	struct pipa_arena arena; /* texts of the configuration file */
};

/*
 * Parse the arguments after reading the file of --config. -ECANCELED: --help was given. The options are borrowed from
 * argv.
 */
int pipa_serve_options_parse(int argc, char **argv, struct pipa_serve_options *ret,
			     struct pipa_error *err);
void pipa_serve_options_done(struct pipa_serve_options *options);

/* Path of the SQLite file, in the arena; NULL on allocation failure. */
const char *pipa_serve_options_path(struct pipa_serve_options *options);

struct pipa_buf;

/* Append the help text. */
void pipa_serve_options_help(struct pipa_buf *out);

#endif
