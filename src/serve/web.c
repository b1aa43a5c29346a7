#include "serve/web.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#ifdef PIPA_HAVE_EVENT_TLS
#include <event2/bufferevent_ssl.h>
#endif

#include "base/auto.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/vec.h"
#include "net/server/listen.h"
#include "net/tls.h"
#include "serve/log.h"
#include "serve/web_memory.h"

enum {
	HEAD_MAX = 16 << 10,
	BODY_MAX = 1 << 10, /* of a request: GET has none */
	HEAD_FULL_S = 2,    /* for a head, while others wait for a connection */
};

/* A connection, with a reference of our own, because evhttp has no callback for its end. */
struct pipa_web_connection {
	struct bufferevent *event;
	uint64_t since_ns;
	uint64_t head_ns; /* since when it waits for the head of a request */
};

struct pipa_web {
	struct pipa_web_options options;
	struct event_base *base;
	struct evhttp *http;
	struct evconnlistener *listeners[PIPA_LISTEN_MAX];
	size_t n_listeners;
	struct {
		struct pipa_web_connection *items;
		size_t n, cap;
	} connections;
	bool paused; /* too many connections */
	struct event *stop, *sweep;
	int stop_fd;
	pthread_mutex_t lock;
	struct pipa_tls_server *tls; /* under the lock */
};

/* ---- connections ------------------------------------------------------------------------------------------- */

static void set_accepting(struct pipa_web *web, bool accepts)
{
	size_t i;

	for (i = 0; i < web->n_listeners; i++) {
		if (accepts)
			evconnlistener_enable(web->listeners[i]);
		else
			evconnlistener_disable(web->listeners[i]);
	}
}

/* Stop accepting until the next sweep when no descriptor is left. Otherwise libevent would retry and log in a loop. */
static void pause_accepting(struct evconnlistener *listener, void *ctx PIPA_UNUSED)
{
	evconnlistener_disable(listener);
}

/* Has evhttp freed it? It then removes its callbacks. */
static bool has_ended(struct bufferevent *event)
{
	bufferevent_data_cb on_read, on_write;
	bufferevent_event_cb on_event;

	bufferevent_getcb(event, &on_read, &on_write, &on_event, NULL);
	return !on_read && !on_write && !on_event;
}

/* Does a connection last too long, or the head that it waits for? */
static bool is_stale(const struct pipa_web *web, struct pipa_web_connection *c, uint64_t now)
{
	uint64_t head_s = web->options.head_s;

	if (web->paused && head_s > HEAD_FULL_S)
		head_s = HEAD_FULL_S;
	if (evbuffer_get_length(bufferevent_get_output(c->event)))
		c->head_ns = now; /* the reply is being sent */
	return now - c->since_ns >= web->options.max_age_s * PIPA_NS_PER_SEC ||
	       now - c->head_ns >= head_s * PIPA_NS_PER_SEC;
}

/* Once per second: free connections that have ended, and end stale ones. */
static void end_stale_connections(evutil_socket_t none PIPA_UNUSED, short what PIPA_UNUSED,
				  void *ctx)
{
	struct pipa_web *web = ctx;
	uint64_t now = pipa_clock_ns();
	size_t i, kept = 0;

	for (i = 0; i < web->connections.n; i++) {
		struct pipa_web_connection *c = &web->connections.items[i];

		if (has_ended(c->event)) {
			bufferevent_decref(c->event);
			continue;
		}
		if (is_stale(web, c, now) && bufferevent_getfd(c->event) >= 0)
			shutdown(bufferevent_getfd(c->event), SHUT_RDWR); /* evhttp sees the end */
		web->connections.items[kept++] = *c;
	}
	web->connections.n = kept;
	if (web->paused && kept < web->options.max_connections)
		web->paused = false;
	if (!web->paused)
		set_accepting(web, true);
}

/* A new bufferevent without a socket, with TLS if it is on. */
static struct bufferevent *new_transport(struct pipa_web *web)
{
	struct bufferevent *event = NULL;
	bool secure;

	pthread_mutex_lock(&web->lock);
	secure = web->tls != NULL;
#ifdef PIPA_HAVE_EVENT_TLS
	if (secure) {
		struct ssl_st *ssl = pipa_tls_server_ssl(web->tls);

		if (ssl)
			event = bufferevent_openssl_socket_new(web->base, -1, ssl,
							       BUFFEREVENT_SSL_ACCEPTING,
							       BEV_OPT_CLOSE_ON_FREE);
	}
#endif
	pthread_mutex_unlock(&web->lock);
	if (!secure)
		event = bufferevent_socket_new(web->base, -1, BEV_OPT_CLOSE_ON_FREE);
	return event;
}

static struct bufferevent *begin_connection(struct event_base *base PIPA_UNUSED, void *ctx)
{
	struct pipa_web *web = ctx;
	struct bufferevent *event = new_transport(web);
	struct pipa_web_connection *c = event ? PIPA_VEC_ADD(&web->connections) : NULL;

	if (!c) {
		if (event)
			bufferevent_free(event);
		return NULL;
	}
	bufferevent_incref(event);
	*c = (struct pipa_web_connection){ .event = event, .since_ns = pipa_clock_ns() };
	c->head_ns = c->since_ns;
	if (web->connections.n >= web->options.max_connections && !web->paused) {
		web->paused = true;
		set_accepting(web, false);
	}
	return event;
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

/* Add header fields. They forbid scripts, frames and requests to other servers. */
static void add_fields(struct evkeyvalq *fields, const struct pipa_web_reply *reply)
{
	evhttp_add_header(fields, "Content-Type", reply->type ? reply->type : "text/plain");
	evhttp_add_header(fields, "Cache-Control", "no-store");
	evhttp_add_header(fields, "X-Content-Type-Options", "nosniff");
	evhttp_add_header(fields, "Referrer-Policy", "no-referrer");
	evhttp_add_header(fields, "Content-Security-Policy",
			  "default-src 'none'; style-src 'self'; form-action 'self'; "
			  "base-uri 'none'; frame-ancestors 'none'");
	if (reply->challenge)
		evhttp_add_header(fields, "WWW-Authenticate", reply->challenge);
}

static void free_body(const void *bytes, size_t len PIPA_UNUSED, void *ctx PIPA_UNUSED)
{
	free((void *)bytes);
}

/* Find the connection. NULL: not made by begin_connection(), but by evhttp itself on allocation failure, without TLS. */
static struct pipa_web_connection *find_connection(const struct pipa_web *web,
						   struct evhttp_request *req)
{
	struct evhttp_connection *connection = evhttp_request_get_connection(req);
	struct bufferevent *event = connection ? evhttp_connection_get_bufferevent(connection) :
						 NULL;
	size_t i;

	for (i = 0; i < web->connections.n; i++)
		if (web->connections.items[i].event == event)
			return &web->connections.items[i];
	return NULL;
}

/* Add the body, for HEAD only its length: evhttp would send it. False on allocation failure. */
static bool add_body(struct evhttp_request *req, struct pipa_buf *from)
{
	struct evbuffer *out = evhttp_request_get_output_buffer(req);
	size_t len = from->len;
	char *body, text[24];

	if (evhttp_request_get_command(req) == EVHTTP_REQ_HEAD) {
		snprintf(text, sizeof(text), "%zu", len);
		return evhttp_add_header(evhttp_request_get_output_headers(req), "Content-Length",
					 text) == 0;
	}
	body = pipa_buf_take(from);
	if (body && evbuffer_add_reference(out, body, len, free_body, NULL) < 0) {
		free(body);
		return false;
	}
	return true;
}

static void handle_request(struct evhttp_request *req, void *ctx)
{
	struct pipa_web *web = ctx;
	struct pipa_web_connection *c = find_connection(web, req);
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(req);
	const char *path = uri ? evhttp_uri_get_path(uri) : NULL;
	const char *query = uri ? evhttp_uri_get_query(uri) : NULL;
	const char *authorization = evhttp_find_header(evhttp_request_get_input_headers(req),
						       "Authorization");
	const char *host = evhttp_find_header(evhttp_request_get_input_headers(req), "Host");
	size_t path_len = 0;
	char *decoded = evhttp_uridecode(path && *path ? path : "/", 0, &path_len);
	struct pipa_web_reply reply = { .status = 200, .body = { .max = 16 << 20 } };
	const struct pipa_web_request request = { decoded, query ? query : "",
						  authorization ? authorization : "",
						  host ? host : "" };

	if (c)
		c->head_ns = pipa_clock_ns();
	if (!decoded || !c)
		reply.status = 503; /* out of memory */
	else if (strlen(decoded) == path_len)
		web->options.handle(web->options.ctx, &request, &reply);
	else
		reply.status = 404; /* a NUL in the path */
	if (reply.body.status) {
		reply.status = 500;
		pipa_buf_reset(&reply.body);
	}
	add_fields(evhttp_request_get_output_headers(req), &reply);
	if (!add_body(req, &reply.body))
		reply.status = 503;
	evhttp_send_reply(req, reply.status, NULL, evhttp_request_get_output_buffer(req));
	pipa_web_memory_free(decoded);
	pipa_buf_done(&reply.body);
}

/* ---- the server -------------------------------------------------------------------------------------------- */

static void on_stop(evutil_socket_t fd PIPA_UNUSED, short what PIPA_UNUSED, void *ctx)
{
	event_base_loopbreak(((struct pipa_web *)ctx)->base);
}

static void log_event(int severity, const char *text)
{
	if (severity >= EVENT_LOG_WARN)
		pipa_serve_note(PIPA_SERVE_WARN, "HTTP: %s", text);
}

static int add_listeners(struct pipa_web *web, struct pipa_listeners *listeners)
{
	struct evconnlistener *listener;
	int fd;

	while (listeners->n) {
		fd = listeners->fds[listeners->n - 1];
		listener = evconnlistener_new(web->base, NULL, NULL,
					      LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 0, fd);
		if (!listener)
			return -ENOMEM;
		listeners->n--;
		if (!evhttp_bind_listener(web->http, listener)) {
			evconnlistener_free(listener);
			return -ENOMEM;
		}
		evconnlistener_set_error_cb(listener, pause_accepting);
		web->listeners[web->n_listeners++] = listener; /* freed with the server */
	}
	return 0;
}

int pipa_web_new(const struct pipa_web_options *options, struct pipa_listeners *listeners,
		 struct pipa_web **ret, struct pipa_error *err)
{
	const struct timeval second = { .tv_sec = 1 };
	struct pipa_web *web = calloc(1, sizeof(*web));

	if (!web)
		return pipa_fail(err, -ENOMEM, "start the HTTP server");
	pipa_web_memory_use();
	event_set_log_callback(log_event);
	web->options = *options;
	pthread_mutex_init(&web->lock, NULL);
	web->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	web->base = event_base_new();
	web->http = web->base ? evhttp_new(web->base) : NULL;
	web->stop = web->base ? event_new(web->base, web->stop_fd, EV_READ, on_stop, web) : NULL;
	web->sweep = web->base ? event_new(web->base, -1, EV_PERSIST, end_stale_connections, web) :
				 NULL;
	if (web->stop_fd < 0 || !web->http || !web->stop || !web->sweep ||
	    event_add(web->stop, NULL) < 0 || event_add(web->sweep, &second) < 0 ||
	    add_listeners(web, listeners) < 0) {
		pipa_web_free(web);
		return pipa_fail(err, -ENOMEM, "start the HTTP server");
	}
	evhttp_set_allowed_methods(web->http, EVHTTP_REQ_GET | EVHTTP_REQ_HEAD);
	evhttp_set_max_headers_size(web->http, HEAD_MAX);
	evhttp_set_max_body_size(web->http, BODY_MAX);
	evhttp_set_timeout(web->http, (int)options->idle_s);
	evhttp_set_bevcb(web->http, begin_connection, web);
	evhttp_set_gencb(web->http, handle_request, web);
	*ret = web;
	return 0;
}

void pipa_web_free(struct pipa_web *web)
{
	if (!web)
		return;
	if (web->http)
		evhttp_free(web->http);
	while (web->connections.n)
		bufferevent_decref(web->connections.items[--web->connections.n].event);
	free(web->connections.items);
	if (web->stop)
		event_free(web->stop);
	if (web->sweep)
		event_free(web->sweep);
	if (web->base) {
		event_base_loop(web->base,
				EVLOOP_NONBLOCK); /* deferred callbacks of bufferevents */
		event_base_free(web->base);
	}
	pipa_tls_server_free(web->tls);
	pipa_fd_close(web->stop_fd);
	pthread_mutex_destroy(&web->lock);
	free(web);
}

void pipa_web_set_tls(struct pipa_web *web, struct pipa_tls_server *tls)
{
	struct pipa_tls_server *old;

	pthread_mutex_lock(&web->lock);
	old = web->tls;
	web->tls = tls;
	pipa_tls_server_free(old); /* connections keep what OpenSSL needs */
	pthread_mutex_unlock(&web->lock);
}

void pipa_web_run(struct pipa_web *web)
{
	event_base_dispatch(web->base);
}

void pipa_web_stop(struct pipa_web *web)
{
	const uint64_t one = 1;
	ssize_t n = write(web->stop_fd, &one, sizeof(one));

	(void)n;
}
