#include "serve/options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/str.h"
#include "import/flat_yaml.h"
#include "option/opt.h"

#define args pipa_serve_options /* the struct that the rows refer to */
#include "option/opt_rows.h"

enum {
	CONFIG_MAX = 1 << 20,
	CONFIG_ARGS_MAX = 200,
};

static int set_size(void *to, const char *text, const char *name, uint64_t most,
		    struct pipa_error *err)
{
	uint64_t size;

	if (pipa_str_size(text, 1, &size) < 0 || !size || size > most)
		return pipa_refuse(err, -EINVAL,
				   "--%s: invalid size '%s', expected 1 to %llu bytes (64M, 1G)",
				   name, text, (unsigned long long)most);
	*(uint64_t *)to = size;
	return 0;
}

static int set_max_message(void *to, const char *text, struct pipa_error *err)
{
	return set_size(to, text, "max-message", 2000000000, err);
}

static int set_max_buffered(void *to, const char *text, struct pipa_error *err)
{
	return set_size(to, text, "max-buffered", UINT64_C(1) << 40, err);
}

static int set_max_header(void *to, const char *text, struct pipa_error *err)
{
	return set_size(to, text, "max-header", 1 << 20, err);
}

static int set_level(void *to, const char *text, struct pipa_error *err)
{
	if (pipa_serve_log_level_find(text, to) < 0)
		return pipa_refuse(
			err, -EINVAL,
			"--log-level: invalid level '%s', expected debug, info, warning or error",
			text);
	return 0;
}

static int set_retention(void *to, const char *text, struct pipa_error *err)
{
	uint64_t number, ns;
	size_t len = strlen(text);
	char days[24];

	if (len && len < sizeof(days) && text[len - 1] == 'd') {
		memcpy(days, text, len - 1);
		days[len - 1] = '\0';
		if (pipa_str_u64(days, &number) == 0 && number < 100000) {
			*(uint64_t *)to = number * 86400 * PIPA_NS_PER_SEC;
			return 0;
		}
	} else if (pipa_str_duration(text, 86400 * PIPA_NS_PER_SEC, &ns) == 0) {
		*(uint64_t *)to = ns;
		return 0;
	}
	return pipa_refuse(err, -EINVAL,
			   "--retention: invalid duration '%s', expected days (90d) or hours (36h)",
			   text);
}

#define FIELD(text, what, to, fn, about)                                                           \
	{                                                                                          \
		.kind = PIPA_OPT_FIELD, .name = text, .arg = what, AT(to), .set = fn,              \
		.help = about                                                                      \
	}
#define NUMBER(text, what, to, about)                                                              \
	{                                                                                          \
		.kind = PIPA_OPT_UINT, .name = text, .arg = what, AT(to), .above_zero = true,      \
		.help = about                                                                      \
	}

static const struct pipa_opt opts[] = {
	TITLE("Listening"),
	TEXT('a', "address", "ADDR", address,
	     "gRPC address: an IP address or localhost (default: 127.0.0.1)"),
	TEXT('p', "port", "PORT", port, "gRPC port (default: 50051)"),
	TEXT(0, "http-address", "ADDR", http_address, "HTTP address (default: 127.0.0.1)"),
	TEXT(0, "http-port", "PORT", http_port,
	     "HTTP port of the pages, /healthz, /readyz and /metrics (default: 8080); none: no HTTP"),
	FLAG(0, "insecure", insecure, "listen beyond loopback without TLS or without tokens"),

	TITLE("Store"),
	TEXT('d', "database", "FILE", database,
	     "SQLite file, relative to --data-location (default: example.db)"),
	TEXT('t', "table", "NAME", table, "table of uploads that name none (default: example)"),
	TEXT('l', "data-location", "DIR", data_location, "directory of the file (default: ./)"),
	TEXT(0, "store", "sqlite:PATH", store, "SQLite file, instead of -d and -l"),
	FIELD("retention", "TIME", retention_ns, set_retention,
	      "remove recordings after TIME: 90d, 36h (default: keep them)"),

	TITLE("Access"),
	TEXT(0, "tls-cert", "FILE", tls_cert, "certificate chain of the server, PEM; enables TLS"),
	TEXT(0, "tls-key", "FILE", tls_key, "key of the certificate, PEM (default: that file)"),
	TEXT(0, "client-ca", "FILE", client_ca,
	     "require certificates from gRPC clients, signed by these authorities, PEM"),
	TEXT(0, "token-file", "FILE", token_file, "tokens for reading and writing, one per line"),
	TEXT(0, "read-token-file", "FILE", read_token_file,
	     "tokens only for reading, one per line"),

	TITLE("Limits"),
	FIELD("max-message", "SIZE", max_message, set_max_message,
	      "largest gRPC request (default: 16Mi)"),
	FIELD("max-buffered", "SIZE", max_buffered, set_max_buffered,
	      "memory for requests of all clients (default: 256Mi)"),
	FIELD("max-header", "SIZE", max_header, set_max_header,
	      "largest header of a request (default: 16Ki)"),
	NUMBER("max-connections", "N", max_connections, "gRPC connections at once (default: 4096)"),
	NUMBER("max-streams", "N", max_streams, "calls at once per connection (default: 128)"),
	{ .kind = PIPA_OPT_U64,
	  .name = "rate",
	  .arg = "N",
	  AT(rate),
	  .help = "calls per second of a token, 0: no limit (default: 0)" },
	NUMBER("threads", "N", threads, "queries at once, and as many downloads (default: 16)"),
	TIME(0, "idle", "TIME", PIPA_NS_PER_SEC, idle_ns,
	     "probe silent clients after TIME (default: 2m)"),
	TIME(0, "stall", "TIME", PIPA_NS_PER_SEC, stall_ns,
	     "close connections that do not read or send for TIME (default: 30s)"),
	TIME(0, "handshake", "TIME", PIPA_NS_PER_SEC, handshake_ns,
	     "time for TLS and the start of HTTP/2 (default: 10s)"),
	TIME(0, "grace", "TIME", PIPA_NS_PER_SEC, grace_ns,
	     "time for accepted calls after SIGTERM (default: 5s)"),

	TITLE("Grafana"),
	TEXT(0, "grafana-url", "URL", grafana_url,
	     "register the database as a datasource of this Grafana"),
	TEXT(0, "grafana-key", "KEY", grafana_key, "token of a Grafana service account"),
	TEXT(0, "grafana-path", "DIR", grafana_path,
	     "directory of the database as Grafana sees it (default: the path of pipad)"),

	TITLE("Running"),
	TEXT(0, "config", "FILE", config, "YAML file with options by their long names"),
	FLAG(0, "log-json", log_json, "log JSON objects (default: text)"),
	FIELD("log-level", "LEVEL", log_level, set_level,
	      "debug, info, warning or error (default: info)"),
	FLAG(0, "version", version, "print the version"),
};

#undef args

/* ---- the configuration file -------------------------------------------------------------------------------- */

/* Options of the file as arguments, "--name=value". */
struct from_file {
	struct pipa_arena *arena;
	char *argv[CONFIG_ARGS_MAX];
	int argc;
};

static bool is_flag(const char *name)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(opts); i++)
		if (opts[i].name && strcmp(opts[i].name, name) == 0)
			return opts[i].kind == PIPA_OPT_FLAG;
	return false;
}

static int add_argument(void *ctx, const char *name, const char *value, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct from_file *file = ctx;

	if (file->argc + 1 >= CONFIG_ARGS_MAX)
		return pipa_refuse(err, -E2BIG, "too many options");
	if (strcmp(name, "config") == 0 || strcmp(name, "help") == 0 ||
	    strcmp(name, "version") == 0)
		return pipa_refuse(err, -EINVAL, "%s cannot be set in a configuration file", name);
	if (is_flag(name)) {
		if (strcmp(value, "false") == 0)
			return 0;
		if (strcmp(value, "true") != 0)
			return pipa_refuse(err, -EINVAL,
					   "%s: invalid value '%s', expected true or false", name,
					   value);
		pipa_buf_printf(&text, "--%s", name);
	} else {
		pipa_buf_printf(&text, "--%s=%s", name, value);
	}
	file->argv[file->argc] = pipa_arena_text(file->arena, pipa_buf_str(&text), text.len);
	if (!file->argv[file->argc])
		return pipa_fail(err, -ENOMEM, "read the configuration");
	file->argc++;
	return 0;
}

static int read_config(struct pipa_serve_options *options, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = CONFIG_MAX };
	struct from_file file = { .arena = &options->arena, .argv = { "pipad" }, .argc = 1 };
	const char *words[1];
	int rc = pipa_file_read(options->config, &text, err);

	if (!rc)
		rc = pipa_flat_yaml_decode(pipa_buf_str(&text), text.len, options->config,
					   add_argument, &file, err);
	if (rc < 0)
		return rc;
	rc = pipa_opt_words(opts, PIPA_COUNT(opts), file.argc, file.argv, options, words, 0, err);
	if (rc < 0 && err && !strstr(err->what, options->config)) {
		struct pipa_error inner = *err;

		pipa_refuse(err, rc, "%s: %.200s", options->config, inner.what);
		memcpy(err->hint, inner.hint, sizeof(err->hint));
	}
	return rc;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static const struct pipa_serve_options defaults = {
	.address = "127.0.0.1",
	.port = "50051",
	.http_address = "127.0.0.1",
	.http_port = "8080",
	.database = "example.db",
	.table = "example",
	.data_location = "./",
	.max_message = 16 << 20,
	.max_buffered = 256 << 20,
	.max_header = 16 << 10,
	.max_connections = 4096,
	.max_streams = 128,
	.threads = 16,
	.idle_ns = 120 * PIPA_NS_PER_SEC,
	.stall_ns = 30 * PIPA_NS_PER_SEC,
	.handshake_ns = 10 * PIPA_NS_PER_SEC,
	.grace_ns = 5 * PIPA_NS_PER_SEC,
	.log_level = PIPA_SERVE_INFO,
};

/* Refuse names with which SQLite would make a database that is gone when pipad ends. */
static int check_path(const struct pipa_serve_options *o, struct pipa_error *err)
{
	const char *path = o->store ? o->store + strlen("sqlite:") : o->database;
	bool is_joined = !o->store && o->data_location[0];

	if (path[0] && (is_joined || strcmp(path, ":memory:") != 0))
		return 0;
	return pipa_refuse(err, -EINVAL, "--%s: invalid path '%s', expected a file",
			   o->store ? "store" : "database", path);
}

static int check_options(const struct pipa_serve_options *o, struct pipa_error *err)
{
	if (o->store && strncmp(o->store, "sqlite:", 7) != 0)
		return pipa_refuse(err, -EINVAL,
				   "--store: invalid store '%s', expected sqlite:PATH", o->store);
	if ((o->tls_key || o->client_ca) && !o->tls_cert)
		return pipa_refuse(err, -EINVAL, "%s requires --tls-cert",
				   o->tls_key ? "--tls-key" : "--client-ca");
	if (o->grafana_path && !o->grafana_url)
		return pipa_refuse(err, -EINVAL, "--grafana-path requires --grafana-url");
	if (!o->grafana_url != !o->grafana_key)
		return pipa_refuse(err, -EINVAL,
				   "--grafana-url and --grafana-key require each other");
	return check_path(o, err);
}

int pipa_serve_options_parse(int argc, char **argv, struct pipa_serve_options *ret,
			     struct pipa_error *err)
{
	struct pipa_serve_options first = defaults;
	const char *words[1];
	int rc;

	/* once for --config, then again to override the values of the file */
	rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, &first, words, 0, err);
	if (rc < 0)
		return rc;
	*ret = defaults;
	ret->config = first.config;
	if (ret->config && !first.version)
		rc = read_config(ret, err);
	if (rc >= 0)
		rc = pipa_opt_words(opts, PIPA_COUNT(opts), argc, argv, ret, words, 0, err);
	if (rc >= 0)
		rc = check_options(ret, err);
	if (rc < 0)
		pipa_serve_options_done(ret);
	return rc;
}

void pipa_serve_options_done(struct pipa_serve_options *options)
{
	pipa_arena_done(&options->arena);
}

const char *pipa_serve_options_path(struct pipa_serve_options *o)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf path = { 0 };
	size_t len = strlen(o->data_location);

	if (o->store)
		return o->store + strlen("sqlite:");
	if (o->database[0] == '/')
		return o->database;
	pipa_buf_puts(&path, o->data_location);
	if (len && o->data_location[len - 1] != '/')
		pipa_buf_putc(&path, '/');
	pipa_buf_puts(&path, o->database);
	return path.status ? NULL : pipa_arena_text(&o->arena, pipa_buf_str(&path), path.len);
}

void pipa_serve_options_help(struct pipa_buf *out)
{
	pipa_buf_puts(out, "usage: pipad [OPTIONS]\n\n"
			   "Store results of pipa and serve them: gRPC (PIPA's service and pipa's "
			   "own), pages and metrics\nover HTTP.\n");
	pipa_opt_help(opts, PIPA_COUNT(opts), out);
	pipa_buf_puts(out,
		      "\nSIGHUP reads tokens, certificates, --retention and --log-level again. "
		      "SIGTERM ends after the accepted\ncalls, a second one at once. See "
		      "pipad(1).\n");
}
