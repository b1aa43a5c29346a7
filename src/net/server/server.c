#include "net/server/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/server/listen.h"
#include "net/tls.h"

enum {
	SCRATCH = 64 << 10, /* one read or write */
	READS = 4,	    /* of a connection before the others */
	TICK_BUSY_MS = 50,
	TICK_IDLE_MS = 1000,
	ACCEPTS = 64,
	LINGER_MS = 2000,
	ANNOUNCE_MS = 100, /* between the two GOAWAY frames of a graceful end */
};

enum state { HANDSHAKE, OPEN, LINGERING };

struct connection {
	struct connection *next, **link;
	struct connection *next_dirty;
	bool dirty, doomed, failed;
	int fd;
	enum state state;
	uint32_t events; /* of epoll */
	struct pipa_server *server;
	struct pipa_grpc_session *session;
	struct pipa_tls *tls;
	struct pipa_buf out; /* could not be written yet */
	size_t out_done;
	uint64_t since_ns; /* of the state; of a stall, later with each byte that is written */
	bool stuck;
	char text[64];
};

struct pipa_server {
	struct pipa_server_options options;
	struct pipa_grpc_budget budget;
	struct pipa_server_counters counters;
	struct pipa_tls_server *tls;
	int epoll, wake_fd;
	int listeners[PIPA_LISTEN_MAX];
	size_t n_listeners;
	bool accepts; /* the listeners are watched */
	uint64_t accept_again_ns;
	struct connection *connections, *dirty;
	size_t n_connections;
	pthread_mutex_t lock;
	struct pipa_server_task *tasks, **tasks_end; /* under the lock */
	_Atomic unsigned int stops;
	_Atomic uint64_t grace_ns;
	bool stopping, enforced;
	uint64_t stop_ns, stop_until_ns;
	uint8_t scratch[SCRATCH];
};

/* ---- connections ------------------------------------------------------------------------------------------- */

static void mark_dirty(struct connection *c)
{
	if (c->dirty)
		return;
	c->dirty = true;
	c->next_dirty = c->server->dirty;
	c->server->dirty = c;
}

static void wake_connection(void *peer)
{
	mark_dirty(peer);
}

static void close_connection(struct connection *c)
{
	struct pipa_server *server = c->server;

	if (c->doomed)
		return;
	c->doomed = true; /* freed when no event of this round can point to it */
	mark_dirty(c);
	pipa_grpc_session_free(c->session);
	c->session = NULL;
	pipa_tls_free(c->tls);
	c->tls = NULL;
	close(c->fd);
	c->fd = -1;
	pipa_buf_done(&c->out);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	server->n_connections--;
	atomic_fetch_sub_explicit(&server->counters.open, 1, memory_order_relaxed);
}

static void note_refused(struct connection *c, const char *why)
{
	const struct pipa_server_options *o = &c->server->options;

	if (o->refused)
		o->refused(o->ctx, c->text, why);
}

static void set_events(struct connection *c, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = c };

	if (c->events == events)
		return;
	c->events = events;
	epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

/* Read; 0: the peer has closed its side. -EAGAIN. */
static ssize_t read_some(struct connection *c, void *to, size_t size)
{
	short events = POLLIN;
	ssize_t n;

	if (c->tls) {
		n = pipa_tls_read(c->tls, to, size, &events);
		if (n == -EAGAIN && events == POLLOUT)
			set_events(c, EPOLLIN | EPOLLOUT);
		return n;
	}
	n = recv(c->fd, to, size, 0);
	return n < 0 ? -errno : n;
}

static ssize_t write_some(struct connection *c, const void *from, size_t size)
{
	short events = POLLOUT;
	ssize_t n;

	if (c->tls)
		return pipa_tls_write(c->tls, from, size, &events);
	n = send(c->fd, from, size, MSG_NOSIGNAL);
	return n < 0 ? -errno : n;
}

/* Let the peer read the last output, then close: close(2) with unread input would discard it. */
static void close_when_read(struct connection *c)
{
	if (c->state == LINGERING)
		return;
	c->state = LINGERING;
	c->since_ns = pipa_clock_ns();
	pipa_grpc_session_free(c->session);
	c->session = NULL;
	shutdown(c->fd, SHUT_WR);
	set_events(c, EPOLLIN);
}

/* Gather output of the session; returns its length. */
static size_t gather_output(struct connection *c)
{
	struct pipa_server *server = c->server;
	struct pipa_span span;
	size_t n = 0;

	while (n + (16 << 10) + 9 <= sizeof(server->scratch)) { /* the largest frame that is sent */
		if (pipa_grpc_session_output(c->session, &span) < 0) {
			c->failed = true;
			break;
		}
		if (!span.size)
			break;
		if (span.size > sizeof(server->scratch) - n) {
			c->failed = true;
			break;
		}
		memcpy(server->scratch + n, span.data, span.size);
		n += span.size;
	}
	return n;
}

/* Count output that was written, and move the begin of the stall on by the time that it may take. */
static void note_written(struct connection *c, size_t n)
{
	atomic_fetch_add_explicit(&c->server->counters.bytes_sent, n, memory_order_relaxed);
	if (c->stuck)
		c->since_ns += n * (PIPA_NS_PER_SEC / PIPA_GRPC_RATE);
}

/* Note that the peer does not take the output. */
static void note_stuck(struct connection *c)
{
	uint64_t now_ns = pipa_clock_ns();

	if (!c->stuck || c->since_ns > now_ns)
		c->since_ns = now_ns;
	c->stuck = true;
	set_events(c, EPOLLIN | EPOLLOUT);
}

/* Write pending output; returns false if the connection was closed. */
static bool flush_connection(struct connection *c)
{
	size_t len, done;
	ssize_t n;

	for (;;) {
		bool old = c->out.len > 0;
		const uint8_t *bytes = old ? (uint8_t *)c->out.data + c->out_done :
					     c->server->scratch;

		len = old ? c->out.len - c->out_done : gather_output(c);
		if (!len)
			break;
		for (done = 0; done < len; done += (size_t)n) {
			n = write_some(c, bytes + done, len - done);
			if (n < 0)
				break;
			note_written(c, (size_t)n);
		}
		if (done < len && n != -EAGAIN && n != -EINTR) {
			close_connection(c);
			return false;
		}
		if (old)
			c->out_done += done;
		else if (done < len)
			pipa_buf_add(&c->out, bytes + done, len - done);
		if (c->out.status) {
			close_connection(c);
			return false;
		}
		if (done < len) {
			note_stuck(c);
			return true;
		}
		if (old) {
			pipa_buf_done(&c->out);
			c->out_done = 0;
		}
		c->stuck = false;
	}
	set_events(c, EPOLLIN);
	if (c->failed || !pipa_grpc_session_is_alive(c->session))
		close_when_read(c);
	return true;
}

/* Discard what a connection that is being closed still receives. */
static void drain_lingering(struct connection *c)
{
	ssize_t n = recv(c->fd, c->server->scratch, sizeof(c->server->scratch), 0);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close_connection(c);
}

static void run_handshake(struct connection *c)
{
	struct pipa_error err = { 0 };
	short events = 0;
	int rc = pipa_tls_handshake(c->tls, &events, &err);

	if (rc == -EAGAIN) {
		set_events(c, events == POLLOUT ? EPOLLOUT : EPOLLIN);
		return;
	}
	if (rc < 0) {
		atomic_fetch_add_explicit(&c->server->counters.refused, 1, memory_order_relaxed);
		note_refused(c, err.what);
		close_connection(c);
		return;
	}
	c->state = OPEN;
	set_events(c, EPOLLIN);
	mark_dirty(c);
}

static void receive_bytes(struct connection *c)
{
	struct pipa_server *server = c->server;
	ssize_t n;
	int i, rc;

	for (i = 0; i < READS && !c->failed; i++) {
		n = read_some(c, server->scratch, sizeof(server->scratch));
		if (n == -EAGAIN || n == -EINTR)
			break;
		if (n <= 0) {
			close_connection(c);
			return;
		}
		atomic_fetch_add_explicit(&server->counters.bytes_received, (uint64_t)n,
					  memory_order_relaxed);
		rc = pipa_grpc_session_receive(c->session,
					       (struct pipa_span){ server->scratch, (size_t)n },
					       pipa_clock_ns());
		if (rc < 0) {
			c->failed = true;
			if (rc == -EOVERFLOW)
				atomic_fetch_add_explicit(&server->counters.flooded, 1,
							  memory_order_relaxed);
			note_refused(c, rc == -EOVERFLOW ? "flood of empty frames" :
					rc == -ENOMEM	 ? "out of memory" :
							   "invalid HTTP/2");
		}
		if ((size_t)n < sizeof(server->scratch) && !(c->tls && pipa_tls_has_input(c->tls)))
			break;
	}
	mark_dirty(c);
}

static void run_connection(struct connection *c, uint32_t events)
{
	if (c->doomed)
		return;
	if (c->state == HANDSHAKE) {
		run_handshake(c);
	} else if (c->state == LINGERING) {
		drain_lingering(c);
	} else {
		if (events & EPOLLOUT) {
			mark_dirty(c);
			if (c->out.len && !flush_connection(c))
				return;
			if (c->state != OPEN)
				return;
		}
		if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
			receive_bytes(c);
	}
}

/* Write the output of all connections that are marked. */
static void run_dirty(struct pipa_server *server)
{
	struct connection *c;

	while (server->dirty) {
		c = server->dirty;
		server->dirty = c->next_dirty;
		c->dirty = false;
		if (c->doomed) {
			free(c);
			continue;
		}
		if (c->state != OPEN || !flush_connection(c))
			continue;
		if (c->state == OPEN && !c->doomed && c->tls && pipa_tls_has_input(c->tls))
			receive_bytes(c);
	}
}

/* ---- accepting --------------------------------------------------------------------------------------------- */

static void format_peer(const struct sockaddr_storage *from, char *text, size_t size)
{
	const struct sockaddr_in *v4 = (const void *)from;
	const struct sockaddr_in6 *v6 = (const void *)from;
	char host[INET6_ADDRSTRLEN] = "";

	if (from->ss_family == AF_INET) {
		inet_ntop(AF_INET, &v4->sin_addr, host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(v4->sin_port));
	} else if (from->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof(host));
		snprintf(text, size, "[%s]:%u", host, ntohs(v6->sin6_port));
	} else {
		snprintf(text, size, "local");
	}
}

/* Refuse a connection above the limit: SETTINGS, then GOAWAY with ENHANCE_YOUR_CALM. */
static void refuse_socket(struct pipa_server *server, int fd)
{
	static const uint8_t frames[] = { 0, 0, 0, 4, 0, 0, 0, 0, 0, /* SETTINGS */
					  0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11 };
	ssize_t n = 0;

	if (!server->tls)
		n = send(fd, frames, sizeof(frames), MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)n;
	shutdown(fd, SHUT_WR);
	close(fd);
	atomic_fetch_add_explicit(&server->counters.refused, 1, memory_order_relaxed);
}

static int add_connection(struct pipa_server *server, int fd, const struct sockaddr_storage *from)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
	struct pipa_error err;
	const int on = 1;

	if (!c)
		return -ENOMEM;
	c->fd = fd;
	c->server = server;
	c->events = EPOLLIN;
	c->since_ns = pipa_clock_ns();
	c->state = server->tls ? HANDSHAKE : OPEN;
	format_peer(from, c->text, sizeof(c->text));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (server->tls && pipa_tls_accept(server->tls, fd, &c->tls, &err) < 0)
		goto fail;
	c->session = pipa_grpc_session_new(&server->options.service, c, wake_connection,
					   c->since_ns);
	if (!c->session || epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event) < 0)
		goto fail;
	c->next = server->connections;
	c->link = &server->connections;
	if (c->next)
		c->next->link = &c->next;
	server->connections = c;
	server->n_connections++;
	atomic_fetch_add_explicit(&server->counters.accepted, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&server->counters.open, 1, memory_order_relaxed);
	mark_dirty(c);
	return 0;
fail:
	pipa_grpc_session_free(c->session);
	pipa_tls_free(c->tls);
	free(c);
	return -ENOMEM;
}

static void watch_listeners(struct pipa_server *server, bool watch)
{
	size_t i;

	if (server->accepts == watch)
		return;
	server->accepts = watch;
	for (i = 0; i < server->n_listeners; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->listeners[i] };

		epoll_ctl(server->epoll, watch ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
			  server->listeners[i], &event);
	}
}

static void accept_connections(struct pipa_server *server, int listener)
{
	struct sockaddr_storage from;
	socklen_t len;
	int i, fd;

	for (i = 0; i < ACCEPTS; i++) {
		len = sizeof(from);
		memset(&from, 0, sizeof(from));
		fd = accept4(listener, (struct sockaddr *)&from, &len,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 &&
		    (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
			watch_listeners(server, false); /* try again when others have closed */
			server->accept_again_ns = pipa_clock_ns() + 200 * PIPA_NS_PER_MS;
		}
		if (fd < 0)
			return;
		if (server->n_connections >= server->options.max_connections)
			refuse_socket(server, fd);
		else if (add_connection(server, fd, &from) < 0)
			close(fd);
	}
}

/* ---- time -------------------------------------------------------------------------------------------------- */

static void close_expired(struct connection *c, const char *why)
{
	atomic_fetch_add_explicit(&c->server->counters.timed_out, 1, memory_order_relaxed);
	note_refused(c, why);
	close_connection(c);
}

static void tick_connection(struct connection *c, uint64_t now_ns)
{
	const struct pipa_grpc_limits *limits = &c->server->options.service.limits;
	uint64_t age_ns = now_ns > c->since_ns ? now_ns - c->since_ns : 0;
	int rc = 0;

	if (c->state == HANDSHAKE) {
		if (age_ns >= limits->greet_ns)
			close_expired(c, "TLS handshake timed out");
		return;
	}
	if (c->state == LINGERING) {
		if (age_ns >= LINGER_MS * PIPA_NS_PER_MS)
			close_connection(c);
		return;
	}
	if (c->stuck && age_ns >= limits->stall_ns) {
		close_expired(c, "output is not read");
		return;
	}
	pipa_grpc_session_tick(c->session, now_ns, &rc);
	if (rc < 0)
		close_expired(c, "timed out");
	else
		mark_dirty(c);
}

/* Drain and close connections while the server stops. */
static void drain_connections(struct pipa_server *server, uint64_t now_ns)
{
	struct connection *c, *next;
	bool enforce = !server->enforced &&
		       now_ns >= server->stop_ns + ANNOUNCE_MS * PIPA_NS_PER_MS;

	for (c = server->connections; c; c = next) {
		next = c->next;
		if (c->state == HANDSHAKE || now_ns >= server->stop_until_ns) {
			close_connection(c);
		} else if (c->state == OPEN && enforce) {
			pipa_grpc_session_drain(c->session);
			mark_dirty(c);
		}
	}
	server->enforced |= enforce;
}

static void begin_stop(struct pipa_server *server, uint64_t now_ns)
{
	struct connection *c;

	if (!server->stopping) {
		server->stopping = true;
		server->stop_ns = now_ns;
		server->stop_until_ns = now_ns + atomic_load_explicit(&server->grace_ns,
								      memory_order_relaxed);
		watch_listeners(server, false);
		while (server->n_listeners)
			close(server->listeners[--server->n_listeners]);
		for (c = server->connections; c; c = c->next)
			if (c->state == OPEN) {
				pipa_grpc_session_drain(c->session);
				mark_dirty(c);
			}
	}
	if (atomic_load_explicit(&server->stops, memory_order_relaxed) > 1)
		server->stop_until_ns = now_ns;
}

static int tick(struct pipa_server *server, uint64_t now_ns)
{
	struct connection *c, *next;
	bool busy = server->stopping;

	for (c = server->connections; c; c = next) {
		next = c->next;
		tick_connection(c, now_ns);
		busy |= !c->doomed &&
			(c->state != OPEN || c->stuck || pipa_grpc_session_calls(c->session));
	}
	if (server->stopping)
		drain_connections(server, now_ns);
	else if (!server->accepts && now_ns >= server->accept_again_ns)
		watch_listeners(server, true);
	return busy || !server->accepts ? TICK_BUSY_MS : server->connections ? TICK_IDLE_MS : -1;
}

/* ---- the thread -------------------------------------------------------------------------------------------- */

static void run_tasks(struct pipa_server *server)
{
	struct pipa_server_task *task, *next;

	pthread_mutex_lock(&server->lock);
	task = server->tasks;
	server->tasks = NULL;
	server->tasks_end = &server->tasks;
	pthread_mutex_unlock(&server->lock);
	for (; task; task = next) {
		next = task->next; /* the task may free itself */
		task->fn(task);
	}
}

void pipa_server_run_tasks(struct pipa_server *server)
{
	run_tasks(server);
	run_dirty(server);
}

static bool run_event(struct pipa_server *server, const struct epoll_event *event)
{
	uint64_t count;
	ssize_t n;
	int *fd = event->data.ptr;

	if (event->data.ptr == server) {
		n = read(server->wake_fd, &count, sizeof(count));
		(void)n;
		return true;
	}
	if (fd >= server->listeners && fd < server->listeners + PIPA_LISTEN_MAX) {
		if (server->accepts)
			accept_connections(server, *fd);
	} else {
		run_connection(event->data.ptr, event->events);
	}
	return false;
}

int pipa_server_run(struct pipa_server *server, struct pipa_error *err)
{
	struct epoll_event events[256];
	uint64_t ticked_ns = 0, now_ns;
	int i, n, wait_ms = 0;

	watch_listeners(server, true);
	for (;;) {
		n = epoll_wait(server->epoll, events, PIPA_COUNT(events), wait_ms);
		if (n < 0 && errno != EINTR)
			return pipa_fail(err, -errno, "wait for connections");
		for (i = 0; i < n; i++)
			run_event(server, &events[i]);
		run_tasks(server);
		now_ns = pipa_clock_ns();
		if (atomic_load_explicit(&server->stops, memory_order_acquire))
			begin_stop(server, now_ns);
		if (n == 0 || now_ns - ticked_ns >= TICK_BUSY_MS * PIPA_NS_PER_MS) {
			ticked_ns = now_ns;
			wait_ms = tick(server, now_ns);
		}
		run_dirty(server);
		if (server->stopping && !server->connections)
			return 0;
		if (wait_ms != TICK_BUSY_MS && server->connections)
			wait_ms = n > 0 ? TICK_BUSY_MS : TICK_IDLE_MS;
	}
}

void pipa_server_post(struct pipa_server *server, struct pipa_server_task *task)
{
	const uint64_t one = 1;
	bool first;
	ssize_t n = 0;

	task->next = NULL;
	pthread_mutex_lock(&server->lock);
	first = !server->tasks;
	*server->tasks_end = task;
	server->tasks_end = &task->next;
	pthread_mutex_unlock(&server->lock);
	if (first)
		n = write(server->wake_fd, &one, sizeof(one));
	(void)n;
}

void pipa_server_stop(struct pipa_server *server, uint64_t grace_ns)
{
	const uint64_t one = 1;
	ssize_t n;

	atomic_store_explicit(&server->grace_ns, grace_ns, memory_order_relaxed);
	atomic_fetch_add_explicit(&server->stops, 1, memory_order_release);
	n = write(server->wake_fd, &one, sizeof(one));
	(void)n;
}

/* ---- making it --------------------------------------------------------------------------------------------- */

int pipa_server_new(const struct pipa_server_options *options, struct pipa_server **ret,
		    struct pipa_error *err)
{
	struct pipa_server *server = calloc(1, sizeof(*server));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = server };
	int rc;

	if (!server)
		return pipa_fail(err, -ENOMEM, "start the server");
	server->options = *options;
	server->budget.max = options->max_buffered;
	server->options.service.budget = &server->budget;
	server->tasks_end = &server->tasks;
	pthread_mutex_init(&server->lock, NULL);
	server->epoll = epoll_create1(EPOLL_CLOEXEC);
	server->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->epoll < 0 || server->wake_fd < 0 ||
	    epoll_ctl(server->epoll, EPOLL_CTL_ADD, server->wake_fd, &event) < 0) {
		rc = -errno;
		pipa_server_free(server);
		return pipa_fail(err, rc, "start the server");
	}
	*ret = server;
	return 0;
}

void pipa_server_free(struct pipa_server *server)
{
	if (!server)
		return;
	while (server->connections)
		close_connection(server->connections);
	run_dirty(server);
	run_tasks(server);
	while (server->n_listeners)
		close(server->listeners[--server->n_listeners]);
	pipa_tls_server_free(server->tls);
	pipa_fd_close(server->epoll);
	pipa_fd_close(server->wake_fd);
	pthread_mutex_destroy(&server->lock);
	free(server);
}

int pipa_server_listen(struct pipa_server *server, struct pipa_listeners *listeners,
		       struct pipa_error *err)
{
	if (server->n_listeners + listeners->n > PIPA_LISTEN_MAX)
		return pipa_refuse(err, -E2BIG, "more than %d listening sockets", PIPA_LISTEN_MAX);
	while (listeners->n)
		server->listeners[server->n_listeners++] = listeners->fds[--listeners->n];
	return 0;
}

void pipa_server_set_tls(struct pipa_server *server, struct pipa_tls_server *tls)
{
	pipa_tls_server_free(server->tls);
	server->tls = tls;
}

const struct pipa_server_counters *pipa_server_counters(const struct pipa_server *server)
{
	return &server->counters;
}

const char *pipa_server_peer_text(const void *peer)
{
	const struct connection *c = peer;

	return c->text;
}
