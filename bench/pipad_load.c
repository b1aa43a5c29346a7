/*
 * Load on a server of results: each of N connections (HTTP/2 without TLS) uploads distinct results with all 55 fields by
 * pipa.PIPAD/Deploy, the next one after the acknowledgement of the last. Or it only keeps idle connections open.
 *
 *	pipad_load PORT CONNECTIONS SECONDS     prints: uploads per second, median and 99th percentile in us, failures
 *	pipad_load PORT CONNECTIONS idle        prints "ready", and waits for the end of standard input
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "model/result.h"
#include "net/grpc.h"
#include "net/h2.h"
#include "rpc/result_message.h"

enum { SAMPLES_MAX = 4 << 20 };

struct connection {
	int fd;
	struct pipa_h2 *h2;
	struct pipa_h2_body body;
	uint8_t prefix[PIPA_GRPC_PREFIX];
	struct pipa_buf message, out;
	size_t out_done;
	uint64_t begin_ns;
	bool ok, blocked;
};

static uint64_t run_id, serial, until_ns, failures;
static struct pipa_buf template;
static uint32_t *samples; /* us */
static size_t n_samples;

/* Fill all fields but the transactions, which are appended to each message: no two are equal. */
static void make_template(void)
{
	struct pipa_result result = { 0 };
	static const char text[] = "a text of a field";
	uint32_t threads[] = { 0, 1, 2, 3 };
	int i;

	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		union pipa_result_value *value = &result.values[i];

		if (i == PIPA_RESULT_TRANSACTIONS)
			continue;
		result.set |= UINT64_C(1) << i;
		switch (pipa_result_fields[i].type) {
		case PIPA_RESULT_TEXT:
			value->text = (struct pipa_span){ (const uint8_t *)text, sizeof(text) - 1 };
			break;
		case PIPA_RESULT_UINT64: value->number = run_id / (uint64_t)i; break;
		case PIPA_RESULT_DOUBLE: value->real = (double)run_id / i; break;
		case PIPA_RESULT_LIST:
			value->list.items = threads;
			value->list.n = PIPA_COUNT(threads);
			break;
		}
	}
	if (pipa_rpc_encode_result(&result, &template) < 0)
		exit(1);
}

static void make_message(struct connection *c)
{
	struct pipa_result result = { .set = UINT64_C(1) << PIPA_RESULT_TRANSACTIONS };

	result.values[PIPA_RESULT_TRANSACTIONS].number = run_id + ++serial;
	pipa_buf_reset(&c->message);
	pipa_buf_add(&c->message, template.data, template.len);
	if (pipa_rpc_encode_result(&result, &c->message) < 0)
		exit(1);
}

static void begin_call(struct connection *c)
{
	static const struct pipa_h2_field fields[] = {
		{ ":method", "POST", false },
		{ ":scheme", "http", false },
		{ ":path", "/pipa.PIPAD/Deploy", false },
		{ ":authority", "localhost", false },
		{ "content-type", "application/grpc", false },
		{ "te", "trailers", false },
	};

	make_message(c);
	pipa_grpc_prefix(c->prefix, false, (uint32_t)c->message.len);
	c->body = (struct pipa_h2_body){ .pieces = {
						 { c->prefix, sizeof(c->prefix) },
						 { (uint8_t *)c->message.data, c->message.len } } };
	c->ok = false;
	c->begin_ns = pipa_clock_ns();
	if (pipa_h2_request(c->h2, fields, PIPA_COUNT(fields), &c->body) < 0)
		exit(1);
}

static int on_field(void *ctx, int32_t stream, struct pipa_span name, struct pipa_span value)
{
	struct connection *c = ctx;

	(void)stream;
	if (name.size == 11 && memcmp(name.data, "grpc-status", 11) == 0)
		c->ok = value.size == 1 && value.data[0] == '0';
	return 0;
}

static int on_data(void *ctx, int32_t stream, struct pipa_span bytes)
{
	(void)ctx;
	(void)stream;
	(void)bytes;
	return 0;
}

static void on_closed(void *ctx, int32_t stream, uint32_t code)
{
	struct connection *c = ctx;
	uint64_t now = pipa_clock_ns();

	(void)stream;
	(void)code;
	failures += !c->ok;
	if (n_samples < SAMPLES_MAX)
		samples[n_samples++] = (uint32_t)((now - c->begin_ns) / 1000);
	if (now < until_ns)
		begin_call(c);
}

static void flush(int epoll, struct connection *c)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
	struct pipa_span span;
	ssize_t n;

	for (;;) {
		if (c->out_done == c->out.len) {
			pipa_buf_reset(&c->out);
			c->out_done = 0;
			while (pipa_h2_output(c->h2, &span) == 0 && span.size)
				pipa_buf_add(&c->out, span.data, span.size);
			if (!c->out.len)
				break;
		}
		n = send(c->fd, c->out.data + c->out_done, c->out.len - c->out_done, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			exit(1);
		if (n < 0) {
			event.events |= EPOLLOUT;
			break;
		}
		c->out_done += (size_t)n;
	}
	if (c->blocked != (event.events != EPOLLIN))
		epoll_ctl(epoll, EPOLL_CTL_MOD, c->fd, &event);
	c->blocked = event.events != EPOLLIN;
}

static void connect_to(struct connection *c, int port, int epoll)
{
	static const struct pipa_h2_events events = { .field = on_field,
						      .data = on_data,
						      .closed = on_closed };
	const struct pipa_h2_limits limits = { .header_bytes = 65536, .streams = 10 };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = c };
	const int on = 1;

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	c->h2 = pipa_h2_new(PIPA_H2_CLIENT, &limits, &events, c);
	if (!c->h2 || connect(c->fd, (struct sockaddr *)&to, sizeof(to)) < 0) {
		perror("pipad_load: connect");
		exit(1);
	}
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	epoll_ctl(epoll, EPOLL_CTL_ADD, c->fd, &event);
}

static void receive(struct connection *c)
{
	static uint8_t bytes[65536];
	ssize_t n = recv(c->fd, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN) ||
	    (n > 0 && pipa_h2_receive(c->h2, (struct pipa_span){ bytes, (size_t)n }) < 0)) {
		fprintf(stderr, "pipad_load: the server closed a connection\n");
		exit(1);
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct epoll_event events[64];
	struct connection *connections;
	uint64_t begin, seconds;
	int epoll = epoll_create1(0), i, k, n = argc > 2 ? atoi(argv[2]) : 0;
	bool idle = argc > 3 && strcmp(argv[3], "idle") == 0;

	if (argc < 4 || n < 1)
		return 2;
	seconds = idle ? 1 : strtoull(argv[3], NULL, 10);
	run_id = pipa_clock_wall_ns() >> 4;
	make_template();
	samples = malloc(SAMPLES_MAX * sizeof(*samples));
	connections = calloc((size_t)n, sizeof(*connections));
	if (!connections || !samples)
		return 1;
	for (i = 0; i < n; i++)
		connect_to(&connections[i], atoi(argv[1]), epoll);
	begin = pipa_clock_ns();
	until_ns = begin + seconds * PIPA_NS_PER_SEC;
	for (i = 0; i < n; i++) {
		if (!idle)
			begin_call(&connections[i]);
		flush(epoll, &connections[i]);
	}
	while (pipa_clock_ns() < until_ns) {
		k = epoll_wait(epoll, events, PIPA_COUNT(events), 100);
		for (i = 0; i < k; i++) {
			if (events[i].events & EPOLLIN)
				receive(events[i].data.ptr);
			flush(epoll, events[i].data.ptr);
		}
	}
	if (idle) {
		puts("ready");
		fflush(stdout);
		while (read(STDIN_FILENO, events, sizeof(events)) > 0)
			;
		return 0;
	}
	qsort(samples, n_samples, sizeof(*samples), compare);
	printf("%.1f %u %u %llu\n", (double)n_samples * 1e9 / (double)(pipa_clock_ns() - begin),
	       n_samples ? samples[n_samples / 2] : 0,
	       n_samples ? samples[n_samples * 99 / 100] : 0, (unsigned long long)failures);
	return 0;
}
