/* A Grafana that keeps one request and answers with a status. */
#include "serve/grafana.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/thread/worker.h"
#include "lib/test.h"
#include "net/server/listen.h"

static char request[8192];
static const char *answer;
static struct pipa_listeners listeners;

static void serve_once(void *ctx)
{
	size_t len = 0;
	ssize_t n;
	int fd;

	(void)ctx;
	do
		fd = accept(listeners.fds[0], NULL, NULL);
	while (fd < 0 && (usleep(1000), errno == EAGAIN || errno == EINTR));
	while (len < sizeof(request) - 1 && !strstr(request, "}}")) {
		n = recv(fd, request + len, sizeof(request) - 1 - len, 0);
		if (n <= 0)
			break;
		len += (size_t)n;
		request[len] = '\0';
	}
	n = send(fd, answer, strlen(answer), MSG_NOSIGNAL);
	(void)n;
	close(fd);
}

static int call_grafana(const char *reply, struct pipa_error *err)
{
	struct pipa_worker thread = { 0 };
	struct sockaddr_in address;
	socklen_t len = sizeof(address);
	char url[100];
	struct pipa_grafana grafana = { url, "secret-key", "my.db", "/srv/sqlites/my.db" };
	int rc;

	answer = reply;
	CHECK_EQ(pipa_listen("127.0.0.1", "0", &listeners, NULL), 0);
	CHECK_EQ(getsockname(listeners.fds[0], (struct sockaddr *)&address, &len), 0);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u/g//", ntohs(address.sin_port));
	CHECK_EQ(pipa_worker_start(&thread, "grafana", PIPA_WORKER_STACK_IO, serve_once, NULL), 0);
	rc = pipa_grafana_register(&grafana, err);
	pipa_worker_join(&thread);
	pipa_listeners_close(&listeners);
	return rc;
}

TEST(a_datasource_is_registered_with_a_post)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(call_grafana("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", &err), 0);
	CHECK(strncmp(request, "POST /g/api/datasources HTTP/1.1\r\n", 34) == 0);
	CHECK_HAS(request, "Bearer secret-key\r\n");
	CHECK_HAS(request, "\"type\": \"frser-sqlite-datasource\"");
	CHECK_HAS(request, "\"path\": \"/srv/sqlites/my.db\"");
}

TEST(an_existing_grafana_datasource_is_not_an_error)
{
	CHECK_EQ(call_grafana("HTTP/1.1 409 Conflict\r\nContent-Length: 0\r\n\r\n", NULL), 1);
}

TEST(other_answers_are_failures_with_their_status)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(call_grafana("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n", &err), -EREMOTEIO);
	CHECK_HAS(err.what, "Grafana answers 401");
	CHECK(!strstr(err.what, "secret"));
	CHECK(call_grafana("nonsense\r\n\r\n", &err) < 0);
	CHECK(err.what[0]);
}

TEST(an_invalid_grafana_url_is_refused)
{
	static const char *const urls[] = { "", "grafana:3000", "ftp://x", "http://" };
	struct pipa_grafana grafana = { NULL, "k", "n", "p" };
	struct pipa_error err;
	size_t i;

	for (i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		grafana.url = urls[i];
		CHECK_EQ(pipa_grafana_register(&grafana, &err), -EINVAL);
		CHECK_HAS(err.what, "--grafana-url: invalid URL");
	}
}
