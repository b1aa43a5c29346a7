/* The HTTP server on a loopback socket, with a handler that returns what it was asked. */
#include "serve/web.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/thread/worker.h"
#include "lib/test.h"
#include "net/server/listen.h"

static struct pipa_web *web;
static struct pipa_worker thread;
static in_port_t port;

static void echo(void *ctx, const struct pipa_web_request *request, struct pipa_web_reply *reply)
{
	(void)ctx;
	if (strcmp(request->path, "/starved") == 0) {
		reply->body.status = -ENOMEM;
	} else if (strcmp(request->path, "/secret") == 0) {
		reply->status = 401;
		reply->challenge = "Basic realm=\"x\"";
	} else {
		pipa_buf_printf(&reply->body, "path=%s query=%s authorization=%s.", request->path,
				request->query, request->authorization);
	}
}

static void run(void *ctx)
{
	pipa_web_run(ctx);
}

static void start(unsigned int connections, unsigned int max_age_s)
{
	const struct pipa_web_options options = { .handle = echo,
						  .max_connections = connections,
						  .idle_s = 10,
						  .head_s = 10,
						  .max_age_s = max_age_s };
	struct pipa_listeners listeners = { .n = 0 };
	struct sockaddr_in address;
	socklen_t len = sizeof(address);

	CHECK_EQ(pipa_listen("127.0.0.1", "0", &listeners, NULL), 0);
	CHECK_EQ(getsockname(listeners.fds[0], (struct sockaddr *)&address, &len), 0);
	port = address.sin_port;
	CHECK_EQ(pipa_web_new(&options, &listeners, &web, NULL), 0);
	CHECK_EQ(listeners.n, 0);
	CHECK_EQ(pipa_worker_start(&thread, "web", PIPA_WORKER_STACK_IO, run, web), 0);
}

static void stop(void)
{
	pipa_web_stop(web);
	pipa_worker_join(&thread);
	pipa_web_free(web);
}

static int connect_web(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET,
					     .sin_port = port,
					     .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK_EQ(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Read until the server closes, or a complete page has come if it does not; valid until the next call. */
static const char *read_reply(int fd, int ms)
{
	static char text[70000];
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (len < sizeof(text) - 1 && poll(&poll_fd, 1, ms) > 0) {
		n = recv(fd, text + len, sizeof(text) - 1 - len, 0);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = '\0';
	return text;
}

static const char *ask(const char *request, size_t len)
{
	int fd = connect_web();
	const char *reply;

	CHECK_EQ(send(fd, request, len, MSG_NOSIGNAL), (ssize_t)len);
	shutdown(fd, SHUT_WR);
	reply = read_reply(fd, 20000);
	close(fd);
	return reply;
}

#define ASK(request)                                                                               \
	ask(request "\r\nConnection: close\r\n\r\n",                                               \
	    sizeof(request "\r\nConnection: close\r\n\r\n") - 1)

TEST(requests_reach_the_handler_decoded)
{
	start(10, 60);
	CHECK_HAS(ASK("GET /a%20b?c=%20&d=1 HTTP/1.1\r\nHost: x"),
		  "path=/a b query=c=%20&d=1 authorization=.");
	CHECK_HAS(ASK("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t"),
		  "authorization=Bearer t.");
	CHECK_HAS(ASK("GET http://other/x HTTP/1.1\r\nHost: x"), "path=/x");
	stop();
}

TEST(replies_keep_pages_from_doing_anything_else)
{
	const char *reply;

	start(10, 60);
	reply = ASK("GET / HTTP/1.1\r\nHost: x");
	CHECK_HAS(reply, "HTTP/1.1 200 ");
	CHECK_HAS(reply, "Content-Security-Policy: default-src 'none'");
	CHECK_HAS(reply, "X-Content-Type-Options: nosniff");
	CHECK_HAS(reply, "Cache-Control: no-store");
	reply = ASK("GET /secret HTTP/1.1\r\nHost: x");
	CHECK_HAS(reply, "HTTP/1.1 401 ");
	CHECK_HAS(reply, "WWW-Authenticate: Basic realm=\"x\"");
	CHECK_HAS(ASK("GET /starved HTTP/1.1\r\nHost: x"), "HTTP/1.1 500 ");
	reply = ASK("HEAD /x HTTP/1.1\r\nHost: x");
	CHECK_HAS(reply, "Content-Length: 30\r\n");
	CHECK(!strstr(reply, "path="));
	stop();
}

TEST(malformed_requests_do_not_reach_the_handler)
{
	static const char *const refused[] = {
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx",
		"DELETE / HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
		"GET\r\n\r\n",
		"\r\n\r\n\r\n\r\n",
		"\x16\x03\x01\x02\x01\x01\xfc\x03\x03",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n:\r\nx\r\n\r\n",
	};
	size_t i;

	start(20, 60);
	for (i = 0; i < PIPA_COUNT(refused); i++)
		if (strstr(ask(refused[i], strlen(refused[i])), "path="))
			pipa_test_fail(__FILE__, __LINE__, "accepted: %s", refused[i]);
	CHECK_HAS(ASK("GET / HTTP/1.1\r\nHost: x"), "path=/");
	stop();
}

TEST(large_heads_are_refused)
{
	static char head[60000];
	size_t n = (size_t)snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: x\r\nX: ");

	memset(head + n, 'x', 40000);
	memcpy(head + n + 40000, "\r\n\r\n", 5);
	start(10, 60);
	CHECK(!strstr(ask(head, n + 40004), "path="));
	CHECK_HAS(ASK("GET / HTTP/1.1\r\nHost: x"), "path=/");
	stop();
}

TEST(connections_above_the_limit_wait_until_slow_ones_are_ended)
{
	int fds[5], late;
	size_t i;

	start(5, 1);
	for (i = 0; i < PIPA_COUNT(fds); i++) {
		fds[i] = connect_web();
		CHECK_EQ(send(fds[i], "GET / HT", 8, MSG_NOSIGNAL), 8); /* and no more */
	}
	usleep(100000);
	late = connect_web(); /* in the queue of the kernel */
	CHECK_EQ(send(late, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n", 31, MSG_NOSIGNAL), 31);
	CHECK_HAS(read_reply(late, 15000), "path=/late");
	for (i = 0; i < PIPA_COUNT(fds); i++) {
		CHECK(!strstr(read_reply(fds[i], 15000), "path="));
		close(fds[i]);
	}
	close(late);
	stop();
}

TEST(heads_that_come_byte_by_byte_do_not_occupy_all_connections)
{
	struct pollfd late = { .events = POLLIN };
	int fds[5], i, k;

	start(PIPA_COUNT(fds), 300);
	for (i = 0; i < (int)PIPA_COUNT(fds); i++) {
		fds[i] = connect_web();
		CHECK_EQ(send(fds[i], "GET / HTTP/1.1\r\nX: ", 19, MSG_NOSIGNAL), 19);
	}
	usleep(100000);
	late.fd = connect_web();
	CHECK_EQ(send(late.fd, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n", 31, MSG_NOSIGNAL), 31);
	for (k = 0; k < 40 && poll(&late, 1, 200) <= 0; k++) /* 8 s */
		for (i = 0; i < (int)PIPA_COUNT(fds); i++)
			send(fds[i], "a", 1, MSG_NOSIGNAL);
	CHECK(k < 40);
	CHECK_HAS(read_reply(late.fd, 15000), "path=/late");
	for (i = 0; i < (int)PIPA_COUNT(fds); i++)
		close(fds[i]);
	close(late.fd);
	stop();
}

/* CPU time of the process. */
static double used_s(void)
{
	struct rusage use;

	CHECK_EQ(getrusage(RUSAGE_SELF, &use), 0);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

TEST(without_descriptors_connections_wait_and_the_server_rests)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	const char *const last = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	struct rlimit limit, few;
	double before;
	int fds[20];
	size_t i;

	start(100, 60);
	to.sin_port = port;
	for (i = 0; i < PIPA_COUNT(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		CHECK(fds[i] >= 0);
	}
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = (struct rlimit){ (rlim_t)fds[19] + 5, limit.rlim_max };
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (i = 0; i < PIPA_COUNT(fds); i++)
		CHECK_EQ(connect(fds[i], (const struct sockaddr *)&to, sizeof(to)), 0);
	before = used_s();
	usleep(1500000);
	CHECK(used_s() - before < 0.1);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
	CHECK_EQ(send(fds[19], last, strlen(last), MSG_NOSIGNAL), (ssize_t)strlen(last));
	CHECK_HAS(read_reply(fds[19], 20000), "path=/last");
	for (i = 0; i < PIPA_COUNT(fds); i++)
		close(fds[i]);
	stop();
}
