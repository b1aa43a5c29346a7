/*
 * Call a gRPC method with messages in a file, for tests:
 *
 *	grpc_call HOST PORT PATH [token=T] [ca=FILE] [cert=FILE] [key=FILE] [ms=N] [times=N] [gzip] < MESSAGES > REPLIES
 *
 * MESSAGES are messages with a prefix of gRPC each, a stream; without input the request is one empty message. REPLIES
 * have prefixes, too. Prints the status and its text to standard error; exits with the code, 99 without an answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/file/file.h"
#include "net/grpc_client.h"
#include "net/tls.h"

enum { NO_ANSWER = 99 };

struct messages {
	struct pipa_grpc_reader reader;
	struct pipa_cursor in;
};

static int next_message(void *ctx, struct pipa_span *ret)
{
	struct messages *m = ctx;

	return pipa_grpc_next(&m->reader, &m->in, ret);
}

static int print_message(void *ctx, struct pipa_span message)
{
	uint8_t prefix[PIPA_GRPC_PREFIX];

	(void)ctx;
	pipa_grpc_prefix(prefix, false, (uint32_t)message.size);
	fwrite(prefix, 1, sizeof(prefix), stdout);
	fwrite(message.data, 1, message.size, stdout);
	fflush(stdout); /* of a call that goes on, too */
	return 0;
}

static const char *option(int argc, char **argv, const char *name)
{
	size_t len = strlen(name);
	int i;

	for (i = 4; i < argc; i++)
		if (strncmp(argv[i], name, len) == 0 && argv[i][len] == '=')
			return argv[i] + len + 1;
	return NULL;
}

int main(int argc, char **argv)
{
	static const uint8_t empty[PIPA_GRPC_PREFIX];
	struct pipa_tls_options tls = { .alpn = "h2" };
	struct pipa_grpc_client_options options = { .max_reply = 1 << 30, .user_agent = "test" };
	struct pipa_h2_field field = { "authorization", NULL, true };
	struct pipa_grpc_request request = { .next = next_message, .receive = print_message };
	struct pipa_grpc_client *client;
	struct pipa_buf input = { .max = 1 << 30 };
	struct pipa_error err = { 0 };
	char bearer[600];
	const char *token, *ms, *times;
	int rc = 0, i, n, code = NO_ANSWER;

	if (argc < 4)
		return 2;
	options.host = argv[1];
	options.port = argv[2];
	request.path = argv[3];
	tls.ca_file = option(argc, argv, "ca");
	tls.cert_file = option(argc, argv, "cert");
	tls.key_file = option(argc, argv, "key");
	if (tls.ca_file)
		options.tls = &tls;
	token = option(argc, argv, "token");
	if (token) {
		snprintf(bearer, sizeof(bearer), "Bearer %s", token);
		field.value = bearer;
		request.fields = &field;
		request.n_fields = 1;
	}
	ms = option(argc, argv, "ms");
	times = option(argc, argv, "times");
	if (pipa_file_read_fd(STDIN_FILENO, &input) < 0)
		return 2;
	client = pipa_grpc_client_new(&options);
	for (i = 0, n = times ? atoi(times) : 1; client && i < n && rc >= 0; i++) {
		struct messages m = { .reader = { .max = 1 << 30 } };
		struct pipa_grpc_reply reply = { 0 };

		m.in = pipa_span_cursor(input.len ? (struct pipa_span){ (uint8_t *)input.data,
									input.len } :
						    (struct pipa_span){ empty, sizeof(empty) },
					false);
		request.ctx = &m;
		request.until_ns = pipa_clock_ns() +
				   (ms ? strtoull(ms, NULL, 10) : 60000) * PIPA_NS_PER_MS;
		rc = pipa_grpc_call(client, &request, &reply, &err);
		if (rc < 0) {
			fprintf(stderr, "no answer: %s\n", err.what);
		} else {
			code = reply.code;
			fprintf(stderr, "%s %s\n", pipa_grpc_code_name(code), reply.text);
		}
		pipa_grpc_reply_done(&reply);
		pipa_grpc_reader_done(&m.reader);
	}
	pipa_grpc_client_free(client);
	pipa_buf_done(&input);
	return rc < 0 ? NO_ANSWER : code;
}
