#include "serve/daemon.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/loop.h"
#include "base/notify.h"
#include "base/thread/worker.h"
#include "net/server/listen.h"
#include "net/server/server.h"
#include "net/tls.h"
#include "serve/auth.h"
#include "serve/grafana.h"
#include "serve/health.h"
#include "serve/jobs.h"
#include "serve/log.h"
#include "serve/metrics.h"
#include "serve/options.h"
#include "serve/pages.h"
#include "serve/reflection.h"
#include "serve/services.h"
#include "serve/web.h"
#include "store/results/results.h"
#include "store/results/results_sqlite.h"

enum {
	METHODS_MAX = 32,
	JOBS_QUEUED = 1024,
	EXPIRE_EVERY_S = 600,
	CHECK_EVERY_S = 1,
	WEB_CONNECTIONS = 128,
	WEB_IDLE_S = 10,
	WEB_HEAD_S = 10,
	WEB_AGE_S = 120,
	REFUSED_LINES = 20, /* of the log, per time below */
	REFUSED_S = 10,
};

/* Lines about refused connections, which any client can cause; for the thread of the server. */
struct refused_lines {
	uint64_t since_ns, left_out;
	unsigned int n;
};

struct daemon {
	struct pipa_serve_options *options;
	int argc;
	char **argv;
	const char *path;
	struct pipa_auth *auth;
	struct pipa_metrics *metrics;
	struct pipa_loop *loop;
	struct pipa_listeners grpc, http;
	struct pipa_web *web; /* NULL: no HTTP */
	struct pipa_worker web_thread;
	struct pipa_services services;
	struct pipa_health health;
	struct pipa_server_task stop_task, ready_task;
	atomic_bool ready;  /* changes can be stored */
	atomic_uint posted; /* is ready_task posted? riscv64 exchanges bytes only with libatomic */
	struct pipa_job_item grafana_item;
	const struct pipa_grpc_method *methods[METHODS_MAX];
	uint64_t retention_ns;
	bool needs_secret; /* it listens on an address that other machines reach, */
	bool needs_tokens; /* and there are connections without a client certificate */
	/* the thread of the server */
	struct pipa_worker thread;
	struct refused_lines refused;
	int server_rc;
	struct pipa_error server_err;
	int ended_fd;
	bool stopping;
};

/* ---- callbacks of the server ------------------------------------------------------------------------------- */

static enum pipa_grpc_code admit_call(void *ctx, const struct pipa_grpc_head *head, char text[100])
{
	struct daemon *d = ctx;
	const char *why;
	enum pipa_grpc_code code = pipa_auth_check(d->auth, head->authorization,
						   head->method->access, &why);

	if (code != PIPA_GRPC_OK)
		snprintf(text, 100, "%s", why);
	return code;
}

static void note_ended(void *ctx, const struct pipa_grpc_ended *ended)
{
	struct daemon *d = ctx;
	const struct pipa_serve_field fields[] = {
		{ "method", ended->method ? ended->method->path : "unknown", 0 },
		{ "status", pipa_grpc_code_name(ended->code), 0 },
		{ "microseconds", NULL, ended->duration_ns / 1000 },
		{ "received", NULL, ended->bytes_in },
		{ "sent", NULL, ended->bytes_out },
		{ "peer", pipa_server_peer_text(ended->peer), 0 },
		{ 0 },
	};

	pipa_metrics_count_call(d->metrics, ended);
	pipa_serve_log(PIPA_SERVE_DEBUG, "call", fields);
}

/* Log how many lines were left out, and begin the next ones. */
static void end_refused_lines(struct refused_lines *lines)
{
	const struct pipa_serve_field fields[] = { { "connections", NULL, lines->left_out },
						   { 0 } };

	if (lines->left_out)
		pipa_serve_log(PIPA_SERVE_WARN, "more connections refused", fields);
	*lines = (struct refused_lines){ .since_ns = pipa_clock_ns() };
}

static void note_refused(void *ctx, const char *peer, const char *why)
{
	struct daemon *d = ctx;
	const struct pipa_serve_field fields[] = { { "peer", peer, 0 },
						   { "reason", why, 0 },
						   { 0 } };

	if (pipa_clock_ns() - d->refused.since_ns >= REFUSED_S * PIPA_NS_PER_SEC)
		end_refused_lines(&d->refused);
	if (d->refused.n == REFUSED_LINES) {
		d->refused.left_out++;
		return;
	}
	d->refused.n++;
	pipa_serve_log(PIPA_SERVE_WARN, "connection refused", fields);
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

static void add_methods(struct daemon *d, const struct pipa_grpc_method *const *methods)
{
	size_t n = 0;

	while (d->methods[n])
		n++;
	while (*methods && n + 1 < METHODS_MAX)
		d->methods[n++] = *methods++;
}

static int load_tls(const struct pipa_serve_options *o, bool http, struct pipa_tls_server **ret,
		    struct pipa_error *err)
{
	const struct pipa_tls_server_options tls = { .cert_file = o->tls_cert,
						     .key_file = o->tls_key,
						     .client_ca = http ? NULL : o->client_ca,
						     .alpn = http ? "http/1.1" : "h2" };

	*ret = NULL;
	return o->tls_cert ? pipa_tls_server_new(&tls, ret, err) : 0;
}

static int load_tokens(struct daemon *d, const struct pipa_serve_options *o, struct pipa_error *err)
{
	const struct pipa_auth_options auth = { .token_file = o->token_file,
						.read_token_file = o->read_token_file,
						.rate = o->rate };

	return pipa_auth_load(d->auth, &auth, err);
}

/* Return the first socket that other machines reach; -1 if there is none. */
static int find_exposed(const struct pipa_listeners *listeners)
{
	size_t i;

	for (i = 0; i < listeners->n; i++)
		if (!pipa_listen_fd_is_loopback(listeners->fds[i]))
			return listeners->fds[i];
	return -1;
}

/* Refuse to listen for other machines without TLS and tokens or, if it takes them, client certificates. */
static int check_exposure(struct daemon *d, const struct pipa_listeners *listeners,
			  bool takes_certificates, struct pipa_error *err)
{
	const struct pipa_serve_options *o = d->options;
	bool certificates = takes_certificates && o->client_ca;
	char text[PIPA_LISTEN_TEXT];
	int fd = find_exposed(listeners);

	if (fd < 0 || o->insecure)
		return 0;
	if (!o->tls_cert || !(o->token_file || o->read_token_file || certificates)) {
		pipa_refuse(err, -EPERM, "refusing to listen on %s without TLS and tokens",
			    pipa_listen_text(fd, text));
		return pipa_hint(err, "give --tls-cert and --token-file, or --insecure");
	}
	d->needs_secret = true;
	d->needs_tokens |= !certificates;
	return 0;
}

static int open_listeners(struct daemon *d, struct pipa_error *err)
{
	const struct pipa_serve_options *o = d->options;
	int rc = 0;

	if (!pipa_listen_inherit("grpc", true, &d->grpc))
		rc = pipa_listen(o->address, o->port, &d->grpc, err);
	if (!rc)
		rc = check_exposure(d, &d->grpc, true, err);
	if (!rc && strcmp(o->http_port, "none") != 0 &&
	    !pipa_listen_inherit("http", false, &d->http))
		rc = pipa_listen(o->http_address, o->http_port, &d->http, err);
	return rc ? rc : check_exposure(d, &d->http, false, err);
}

static void note_listening(const struct pipa_listeners *listeners, const char *protocol)
{
	char text[PIPA_LISTEN_TEXT];
	size_t i;

	for (i = 0; i < listeners->n; i++) {
		const struct pipa_serve_field fields[] = {
			{ "protocol", protocol, 0 },
			{ "address", pipa_listen_text(listeners->fds[i], text), 0 },
			{ 0 },
		};

		pipa_serve_log(PIPA_SERVE_INFO, "listening", fields);
	}
}

static int open_server(struct daemon *d, struct pipa_error *err)
{
	const struct pipa_serve_options *o = d->options;
	const struct pipa_server_options options = {
		.service = {
			.methods = d->methods,
			.services = &d->services,
			.limits = {
				.header_bytes = (uint32_t)o->max_header,
				.streams = o->max_streams,
				.max_message = o->max_message,
				.greet_ns = o->handshake_ns,
				.stall_ns = o->stall_ns,
				.idle_ns = o->idle_ns,
			},
			.admit = admit_call,
			.ended = note_ended,
			.ctx = d,
		},
		.max_buffered = o->max_buffered,
		.max_connections = o->max_connections,
		.refused = note_refused,
		.ctx = d,
	};
	struct pipa_tls_server *tls;
	int rc = load_tls(o, false, &tls, err);

	if (rc < 0)
		return rc;
	rc = pipa_server_new(&options, &d->services.server, err);
	if (rc < 0) {
		pipa_tls_server_free(tls);
		return rc;
	}
	pipa_server_set_tls(d->services.server, tls);
	note_listening(&d->grpc, o->tls_cert ? "grpc+tls" : "grpc");
	return pipa_server_listen(d->services.server, &d->grpc, err);
}

/* ---- HTTP -------------------------------------------------------------------------------------------------- */

static void answer_ready(struct daemon *d, struct pipa_web_reply *reply)
{
	struct pipa_error err = { 0 };

	if (pipa_results_ready(d->services.store, &err) == 0) {
		pipa_buf_puts(&reply->body, "ready\n");
		return;
	}
	reply->status = 503;
	pipa_buf_printf(&reply->body, "%s\n", err.what);
}

static void answer_metrics(struct daemon *d, struct pipa_web_reply *reply)
{
	struct pipa_metrics_gauges gauges = {
		.server = pipa_server_counters(d->services.server),
		.store = &d->services.store->counters,
		.jobs_waiting = pipa_jobs_waiting(d->services.jobs) +
				pipa_jobs_waiting(d->services.downloads),
	};
	struct statvfs disk;
	struct stat file;

	if (statvfs(d->services.store->recordings, &disk) == 0 || statvfs(d->path, &disk) == 0) {
		gauges.disk_free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
		gauges.disk_bytes = (uint64_t)disk.f_blocks * disk.f_frsize;
	}
	if (stat(d->path, &file) == 0)
		gauges.database_bytes = (uint64_t)file.st_size;
	reply->type = "text/plain; version=0.0.4; charset=utf-8";
	pipa_metrics_write(d->metrics, &gauges, &reply->body);
}

/* Refuse without a token that may read. */
static bool is_refused(struct daemon *d, const struct pipa_web_request *request,
		       struct pipa_web_reply *reply)
{
	const char *why;
	enum pipa_grpc_code code = pipa_auth_check(d->auth, request->authorization,
						   PIPA_ACCESS_READ, &why);

	if (code == PIPA_GRPC_OK)
		return false;
	reply->status = code == PIPA_GRPC_UNAVAILABLE ? 429 : 401;
	if (reply->status == 401)
		reply->challenge = "Basic realm=\"pipad: the token is the password\"";
	pipa_buf_printf(&reply->body, "%s\n", why);
	return true;
}

/* Is it the name of this machine for itself, or an address, with or without a port? */
static bool is_local_name(const char *host)
{
	char name[INET6_ADDRSTRLEN];
	struct in6_addr address;
	bool six = host[0] == '[';
	size_t len;

	host += six;
	len = strcspn(host, six ? "]" : ":");
	if (len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return strcasecmp(name, "localhost") == 0 || inet_pton(AF_INET, name, &address) == 1 ||
	       inet_pton(AF_INET6, name, &address) == 1;
}

/*
 * Refuse a name that is not of this machine where nothing else keeps other pages from reading this one: a page can let its
 * own name become 127.0.0.1.
 */
static bool is_foreign(struct daemon *d, const struct pipa_web_request *request,
		       struct pipa_web_reply *reply)
{
	if (!request->host[0] || d->options->insecure || pipa_auth_is_required(d->auth) ||
	    is_local_name(request->host))
		return false;
	reply->status = 421;
	pipa_buf_puts(&reply->body, "without tokens, use localhost or an IP address in the URL\n");
	return true;
}

static void answer_web(void *ctx, const struct pipa_web_request *request,
		       struct pipa_web_reply *reply)
{
	struct daemon *d = ctx;

	if (strcmp(request->path, "/healthz") == 0)
		pipa_buf_puts(&reply->body, "ok\n");
	else if (strcmp(request->path, "/readyz") == 0)
		answer_ready(d, reply);
	else if (is_foreign(d, request, reply) || is_refused(d, request, reply))
		return;
	else if (strcmp(request->path, "/metrics") == 0)
		answer_metrics(d, reply);
	else
		pipa_pages_write(d->services.store, request, reply);
}

static int open_web(struct daemon *d, struct pipa_error *err)
{
	const struct pipa_serve_options *o = d->options;
	const struct pipa_web_options options = { .handle = answer_web,
						  .ctx = d,
						  .max_connections = WEB_CONNECTIONS,
						  .idle_s = WEB_IDLE_S,
						  .head_s = WEB_HEAD_S,
						  .max_age_s = WEB_AGE_S };
	struct pipa_tls_server *tls;
	int rc;

	if (!d->http.n)
		return 0;
	rc = load_tls(o, true, &tls, err);
	if (rc < 0)
		return rc;
	note_listening(&d->http, o->tls_cert ? "https" : "http");
	rc = pipa_web_new(&options, &d->http, &d->web, err);
	if (rc < 0) {
		pipa_tls_server_free(tls);
		return rc;
	}
	pipa_web_set_tls(d->web, tls);
	return 0;
}

static void run_web(void *ctx)
{
	struct daemon *d = ctx;

	pipa_web_run(d->web);
}

/* ---- Grafana ----------------------------------------------------------------------------------------------- */

/* Runs on a thread of the jobs, because Grafana may be slow. */
static void register_datasource(struct pipa_job_item *item)
{
	struct daemon *d = (struct daemon *)((char *)item - offsetof(struct daemon, grafana_item));
	const struct pipa_serve_options *o = d->options;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf path = { 0 };
	const char *name = strrchr(d->path, '/');
	struct pipa_grafana grafana = { o->grafana_url, o->grafana_key, name ? name + 1 : d->path,
					d->path };
	char line[PIPA_ERROR_LINE_MAX];
	struct pipa_error err = { 0 };
	int rc;

	if (o->grafana_path) {
		pipa_buf_printf(&path, "%s/%s", o->grafana_path, grafana.name);
		grafana.path = pipa_buf_str(&path);
	}
	rc = pipa_grafana_register(&grafana, &err);
	if (rc < 0)
		pipa_serve_note(PIPA_SERVE_ERROR, "%s", pipa_error_line(&err, line));
	else
		pipa_serve_note(PIPA_SERVE_INFO, "Grafana: datasource %s %s", grafana.name,
				rc ? "exists" : "added");
}

/* ---- signals ----------------------------------------------------------------------------------------------- */

/* New certificates for the thread of the server. */
struct tls_change {
	struct pipa_server_task task;
	struct pipa_server *server;
	struct pipa_tls_server *tls;
};

static void change_tls(struct pipa_server_task *task)
{
	struct tls_change *change = (struct tls_change *)task; /* its first member */

	pipa_server_set_tls(change->server, change->tls);
	free(change);
}

/* Certificates that were read, before they are used. */
struct fresh_tls {
	struct pipa_tls_server *grpc, *web;
	struct tls_change *change; /* NULL: no change */
};

/* Read the certificates of gRPC and of the pages. Free with fresh_tls_done(), also after a failure. */
static int read_tls(const struct daemon *d, const struct pipa_serve_options *o,
		    struct fresh_tls *ret, struct pipa_error *err)
{
	int rc;

	*ret = (struct fresh_tls){ 0 };
	if (!o->tls_cert || !d->options->tls_cert)
		return 0; /* a reload does not switch TLS on or off */
	rc = load_tls(o, false, &ret->grpc, err);
	if (!rc)
		rc = load_tls(o, true, &ret->web, err);
	if (!rc && !(ret->change = calloc(1, sizeof(*ret->change))))
		rc = pipa_fail(err, -ENOMEM, "reload certificates");
	return rc;
}

static void fresh_tls_done(struct fresh_tls *tls)
{
	pipa_tls_server_free(tls->grpc);
	pipa_tls_server_free(tls->web);
	free(tls->change);
}

/* Use certificates for connections from now on. Takes ownership. */
static void use_tls(struct daemon *d, struct fresh_tls *tls)
{
	if (!tls->change)
		return;
	if (d->web)
		pipa_web_set_tls(d->web, tls->web);
	else
		pipa_tls_server_free(tls->web);
	*tls->change = (struct tls_change){ { .fn = change_tls }, d->services.server, tls->grpc };
	pipa_server_post(d->services.server, &tls->change->task);
	*tls = (struct fresh_tls){ 0 };
}

/* Refuse options with which other machines would need neither token nor certificate. */
static int check_secret(const struct daemon *d, const struct pipa_serve_options *o,
			struct pipa_error *err)
{
	if (!d->needs_secret || o->token_file || o->read_token_file)
		return 0;
	if (!d->needs_tokens && o->client_ca)
		return 0;
	return pipa_refuse(err, -EPERM, "no tokens are left, and other machines reach pipad");
}

/* Read tokens, certificates, retention and log level again. If one cannot be read, all stay as they are. */
static void reload_configuration(struct daemon *d)
{
	struct fresh_tls tls = { 0 };
	struct pipa_serve_options fresh;
	struct pipa_error err = { 0 };
	char line[PIPA_ERROR_LINE_MAX];
	int rc = pipa_serve_options_parse(d->argc, d->argv, &fresh, &err);
	bool parsed = rc >= 0;

	if (parsed)
		rc = check_secret(d, &fresh, &err);
	if (rc >= 0)
		rc = read_tls(d, &fresh, &tls, &err);
	if (rc >= 0)
		rc = load_tokens(d, &fresh, &err);
	if (rc >= 0) {
		use_tls(d, &tls);
		d->needs_tokens |=
			!fresh.client_ca; /* connections from now on have no certificate */
		d->retention_ns = fresh.retention_ns;
		pipa_serve_log_set_level(fresh.log_level);
		pipa_serve_log(PIPA_SERVE_INFO, "configuration reloaded", NULL);
	} else {
		pipa_serve_note(PIPA_SERVE_ERROR, "cannot reload the configuration: %s",
				pipa_error_line(&err, line));
	}
	fresh_tls_done(&tls);
	if (parsed)
		pipa_serve_options_done(&fresh);
}

/* Runs on the thread of the server: health checks fail from now on, and calls of Watch end. */
static void end_health(struct pipa_server_task *task)
{
	struct daemon *d = (struct daemon *)((char *)task - offsetof(struct daemon, stop_task));

	pipa_health_set(&d->health, false, true);
}

static int on_signal(void *ctx, const struct signalfd_siginfo *info,
		     struct pipa_error *err PIPA_UNUSED)
{
	struct daemon *d = ctx;

	if (info->ssi_signo == SIGHUP) {
		pipa_notify("RELOADING=1");
		reload_configuration(d);
		pipa_notify("READY=1");
		return 0;
	}
	if (!d->stopping) {
		pipa_notify("STOPPING=1");
		pipa_serve_log(PIPA_SERVE_INFO, "stopping: accepted calls are finished", NULL);
		d->stop_task.fn = end_health;
		pipa_server_post(d->services.server, &d->stop_task);
	}
	d->stopping = true;
	pipa_server_stop(d->services.server, d->options->grace_ns);
	return 0;
}

/* ---- the thread of the server ------------------------------------------------------------------------------ */

static void run_server(void *ctx)
{
	struct daemon *d = ctx;
	const uint64_t one = 1;
	ssize_t n;

	d->server_rc = pipa_server_run(d->services.server, &d->server_err);
	n = write(d->ended_fd, &one, sizeof(one));
	(void)n;
}

static int on_server_end(void *ctx, struct pipa_error *err PIPA_UNUSED)
{
	struct daemon *d = ctx;

	pipa_loop_stop(d->loop);
	return 0;
}

/* ---- time -------------------------------------------------------------------------------------------------- */

static void note_expired(void *ctx PIPA_UNUSED, const struct pipa_results_outcome *outcome)
{
	const struct pipa_serve_field fields[] = { { "recordings", NULL, outcome->recordings },
						   { 0 } };

	if (outcome->status < 0)
		pipa_serve_note(PIPA_SERVE_ERROR, "cannot remove old recordings: %s",
				outcome->err.what);
	else if (outcome->recordings)
		pipa_serve_log(PIPA_SERVE_INFO, "old recordings removed", fields);
}

static int expire_recordings(void *ctx, uint64_t expirations PIPA_UNUSED,
			     struct pipa_error *err PIPA_UNUSED)
{
	struct daemon *d = ctx;
	uint64_t now = pipa_clock_wall_ns();

	if (d->retention_ns && now > d->retention_ns)
		pipa_results_expire(d->services.store, (now - d->retention_ns) / 1000, note_expired,
				    d, NULL);
	return 0;
}

/* Runs on the thread of the server: health checks follow the store. */
static void change_health(struct pipa_server_task *task)
{
	struct daemon *d = (struct daemon *)((char *)task - offsetof(struct daemon, ready_task));

	atomic_store(&d->posted, 0);
	pipa_health_set(&d->health, atomic_load(&d->ready), false);
}

/* Log whether the store is ready, and tell the health checks, after each change. Not while the server stops. */
static int check_ready(void *ctx, uint64_t expirations PIPA_UNUSED,
		       struct pipa_error *err PIPA_UNUSED)
{
	struct daemon *d = ctx;
	struct pipa_error why = { 0 };
	bool ready = pipa_results_ready(d->services.store, &why) == 0;

	if (d->stopping || ready == atomic_load(&d->ready))
		return 0;
	if (ready)
		pipa_serve_log(PIPA_SERVE_INFO, "store is ready again", NULL);
	else
		pipa_serve_note(PIPA_SERVE_ERROR, "store is not ready: %s", why.what);
	atomic_store(&d->ready, ready);
	d->ready_task.fn = change_health;
	if (!atomic_exchange(&d->posted, 1))
		pipa_server_post(d->services.server, &d->ready_task);
	return 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int watch_events(struct daemon *d, struct pipa_error *err)
{
	uint64_t now = pipa_clock_ns();
	sigset_t set;
	int rc;

	signal(SIGHUP, SIG_DFL); /* nohup(1) ignores it, and signalfd(2) gets no ignored signals */
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	rc = pipa_loop_new(&d->loop, err);
	if (!rc)
		rc = pipa_loop_signals(d->loop, &set, on_signal, d, err);
	if (!rc)
		rc = pipa_loop_watch(d->loop, d->ended_fd, on_server_end, d, err);
	if (!rc)
		rc = pipa_loop_timer(d->loop, now + PIPA_NS_PER_SEC,
				     EXPIRE_EVERY_S * PIPA_NS_PER_SEC, expire_recordings, d, err);
	if (!rc)
		rc = pipa_loop_timer(d->loop, now + PIPA_NS_PER_SEC,
				     CHECK_EVERY_S * PIPA_NS_PER_SEC, check_ready, d, err);
	return rc;
}

/* Log what was removed at the start, and what is kept although its run is missing. */
static void note_found(const struct pipa_results_found *found)
{
	const struct pipa_serve_field removed[] = { { "files", NULL, found->removed_files },
						    { 0 } };
	const struct pipa_serve_field kept[] = { { "recordings", NULL, found->without_run },
						 { 0 } };

	if (found->removed_files)
		pipa_serve_log(PIPA_SERVE_INFO, "unused files of recordings removed", removed);
	if (found->without_run)
		pipa_serve_log(PIPA_SERVE_WARN, "runs of recordings are missing", kept);
}

static int open_store(struct daemon *d, struct pipa_error *err)
{
	const struct pipa_results_sqlite_options store = { .path = d->path,
							   .table = d->options->table };
	const struct pipa_serve_field fields[] = { { "path", d->path, 0 },
						   { "table", d->options->table, 0 },
						   { 0 } };
	int rc = pipa_results_sqlite_open(&store, &d->services.store, err);

	if (rc < 0)
		return rc;
	pipa_serve_log(PIPA_SERVE_INFO, "store opened", fields);
	note_found(&d->services.store->found);
	return 0;
}

static int start_daemon(struct daemon *d, struct pipa_error *err)
{
	int rc;

	d->path = pipa_serve_options_path(d->options);
	d->auth = pipa_auth_new();
	d->metrics = pipa_metrics_new();
	d->services.jobs = pipa_jobs_new(d->options->threads, JOBS_QUEUED);
	d->services.downloads = pipa_jobs_new(d->options->threads, JOBS_QUEUED);
	d->ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!d->path || !d->auth || !d->metrics || !d->services.jobs || !d->services.downloads ||
	    d->ended_fd < 0)
		return pipa_fail(err, -ENOMEM, "start");
	add_methods(d, pipa_pipad_methods);
	add_methods(d, pipa_store_methods);
	add_methods(d, pipa_health_methods);
	add_methods(d, pipa_reflection_methods);
	d->services.health = &d->health;
	d->health.serving = true;
	d->ready = true;
	d->retention_ns = d->options->retention_ns;
	raise_descriptor_limit();
	rc = load_tokens(d, d->options, err);
	if (!rc)
		rc = open_listeners(d, err);
	if (!rc)
		rc = open_store(d, err);
	if (!rc)
		rc = open_server(d, err);
	if (!rc)
		rc = open_web(d, err);
	if (!rc)
		rc = watch_events(d, err);
	if (!rc && d->web) {
		rc = pipa_worker_start(&d->web_thread, "pipad-http", PIPA_WORKER_STACK_PARSE,
				       run_web, d);
		if (rc < 0)
			pipa_fail(err, rc, "start the thread of HTTP");
	}
	if (!rc) {
		rc = pipa_worker_start(&d->thread, "pipad-grpc", PIPA_WORKER_STACK_PARSE,
				       run_server, d);
		if (rc < 0)
			pipa_fail(err, rc, "start the thread of the server");
	}
	return rc;
}

int pipa_daemon_run(struct pipa_serve_options *options, int argc, char **argv,
		    struct pipa_error *err)
{
	struct daemon d = { .options = options, .argc = argc, .argv = argv, .ended_fd = -1 };
	struct pipa_error close_err;
	int rc = start_daemon(&d, err);

	if (!rc) {
		pipa_notify("READY=1");
		d.grafana_item.run = register_datasource;
		if (options->grafana_url)
			pipa_jobs_put(d.services.jobs, &d.grafana_item);
		rc = pipa_loop_run(d.loop, err);
		pipa_server_stop(d.services.server, 0);
		pipa_worker_join(&d.thread);
		end_refused_lines(&d.refused);
		if (!rc && d.server_rc < 0) {
			rc = d.server_rc;
			*err = d.server_err;
		}
	}
	if (d.web)
		pipa_web_stop(d.web);
	pipa_worker_join(&d.web_thread);
	pipa_web_free(d.web);
	if (d.services.downloads)
		pipa_jobs_stop(d.services.downloads);
	if (d.services.jobs)
		pipa_jobs_stop(d.services.jobs);
	if (d.services.server)
		pipa_server_run_tasks(d.services.server);
	if (pipa_results_close(d.services.store, &close_err) < 0 && !rc) {
		rc = close_err.code;
		*err = close_err;
	}
	pipa_server_free(d.services.server);
	pipa_jobs_free(d.services.jobs);
	pipa_jobs_free(d.services.downloads);
	pipa_listeners_close(&d.grpc);
	pipa_listeners_close(&d.http);
	pipa_loop_free(d.loop);
	pipa_metrics_free(d.metrics);
	pipa_auth_free(d.auth);
	pipa_fd_close(d.ended_fd);
	if (!rc)
		pipa_serve_log(PIPA_SERVE_INFO, "stopped", NULL);
	return rc;
}
