#include "job/remote/remote.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "net/grpc_client.h"
#include "net/retry.h"
#include "net/tls.h"
#include "net/url.h"
#include "rpc/message.h"

enum { TOKEN_MAX = 4096, REPLY_MAX = 64 << 20 };

#define TIMEOUT_NS (60 * PIPA_NS_PER_SEC)
#define CONNECT_NS (10 * PIPA_NS_PER_SEC)

struct pipa_remote {
	struct pipa_remote_options o;
	struct pipa_url url;
	char name[300], user_agent[64];
	struct pipa_tls_options tls;
	char *authorization; /* "Bearer TOKEN", or NULL */
	struct pipa_grpc_client *client;
};

const char *pipa_remote_name(const struct pipa_remote *server)
{
	return server->name;
}

/* ---- options --------------------------------------------------------------------------------------------- */

static int parse_address(struct pipa_remote *server, struct pipa_error *err)
{
	const char *text = server->o.address, *colon;
	char url[400];
	bool six, bare;

	/* an IPv6 address without brackets and port */
	colon = strchr(text, ':');
	bare = !strstr(text, "://");
	six = bare && colon && strchr(colon + 1, ':') && text[0] != '[';
	if (strlen(text) > 300 || (bare && strchr(text, '/')) ||
	    snprintf(url, sizeof(url), "%s%s%s%s", bare ? "http://" : "", six ? "[" : "", text,
		     six ? "]" : "") < 0 ||
	    pipa_url_parse(url, &server->url) < 0 || strcmp(server->url.path, "/") != 0) {
		pipa_refuse(err, -EINVAL, "--server: invalid address '%.100s', expected HOST:PORT",
			    text);
		return -EINVAL;
	}
	if (!server->url.has_port)
		snprintf(server->url.port, sizeof(server->url.port), PIPA_REMOTE_PORT);
	server->o.tls |= server->url.secure || server->o.ca_file || server->o.cert_file ||
			 server->o.key_file;
	six = strchr(server->url.host, ':');
	snprintf(server->name, sizeof(server->name), "%s%s%s:%s", six ? "[" : "", server->url.host,
		 six ? "]" : "", server->url.port);
	return 0;
}

static int check_options(struct pipa_remote *server, struct pipa_error *err)
{
	int rc = parse_address(server, err);

	if (!rc && server->o.key_file && !server->o.cert_file)
		rc = pipa_refuse(err, -EINVAL, "--key requires --cert");
	return rc;
}

int pipa_remote_check(const struct pipa_remote_options *options, struct pipa_error *err)
{
	struct pipa_remote server = { .o = *options };

	return check_options(&server, err);
}

static bool is_loopback(const char *host)
{
	return strcasecmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       (strncmp(host, "127.", 4) == 0 && !host[strspn(host, "0123456789.")]);
}

/* Read the token: one line of printable characters. */
static int read_token(struct pipa_remote *server, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = TOKEN_MAX };
	const char *path = server->o.token_file, *token;
	size_t len, i;
	int rc;

	if (!path)
		return 0;
	rc = pipa_file_read(path, &text, err);
	if (rc == -EFBIG)
		return pipa_refuse(err, -EINVAL, "%s: a token has at most %d bytes", path,
				   TOKEN_MAX);
	if (rc < 0)
		return rc;
	token = pipa_buf_str(&text);
	len = text.len;
	while (len && (token[len - 1] == '\n' || token[len - 1] == '\r'))
		len--;
	for (i = 0; i < len; i++)
		if (token[i] <= ' ' || token[i] > '~')
			return pipa_refuse(err, -EINVAL,
					   "%s: expected one token of printable characters", path);
	if (!len)
		return pipa_refuse(err, -EINVAL, "%s: there is no token in the file", path);
	if (!server->o.tls && !server->o.insecure && !is_loopback(server->url.host)) {
		pipa_refuse(err, -EINVAL, "the token would be sent to %s without encryption",
			    server->name);
		return pipa_hint(err, "use --tls, or --insecure to send it in plain text");
	}
	if (asprintf(&server->authorization, "Bearer %.*s", (int)len, token) < 0) {
		server->authorization = NULL;
		return pipa_fail(err, -ENOMEM, "read %s", path);
	}
	return 0;
}

int pipa_remote_open(const struct pipa_remote_options *options, const char *version,
		     struct pipa_remote **ret, struct pipa_error *err)
{
	struct pipa_remote *server = calloc(1, sizeof(*server));
	int rc;

	if (!server)
		return pipa_fail(err, -ENOMEM, "connect to %s", options->address);
	server->o = *options;
	if (!server->o.timeout_ns)
		server->o.timeout_ns = TIMEOUT_NS;
	rc = check_options(server, err);
	if (!rc)
		rc = read_token(server, err);
	if (!rc) {
		server->tls = (struct pipa_tls_options){ .ca_file = server->o.ca_file,
							 .cert_file = server->o.cert_file,
							 .key_file = server->o.key_file,
							 .alpn = "h2" };
		snprintf(server->user_agent, sizeof(server->user_agent), "%.60s", version);
		server->client = pipa_grpc_client_new(&(struct pipa_grpc_client_options){
			.host = server->url.host,
			.port = server->url.port,
			.tls = server->o.tls ? &server->tls : NULL,
			.user_agent = server->user_agent,
			.max_reply = REPLY_MAX,
		});
		if (!server->client)
			rc = pipa_fail(err, -ENOMEM, "connect to %s", server->name);
	}
	if (rc < 0) {
		pipa_remote_close(server);
		return rc;
	}
	*ret = server;
	return 0;
}

void pipa_remote_close(struct pipa_remote *server)
{
	if (!server)
		return;
	pipa_grpc_client_free(server->client);
	free(server->authorization);
	free(server);
}

/* ---- failures -------------------------------------------------------------------------------------------- */

/* Fill err for a connection that failed. `why` is the error of the lower layer, which names the host. */
static int fail_connection(const struct pipa_remote *server, const struct pipa_remote_call *call,
			   int rc, unsigned int attempts, const struct pipa_error *why,
			   struct pipa_error *err)
{
	char more[40] = "";

	if (attempts > 1)
		snprintf(more, sizeof(more), " (%u attempts)", attempts);
	pipa_refuse(err, rc, "cannot %s at %.100s: %.140s%s", call->verb, server->name, why->what,
		    more);
	if (why->hint[0])
		return pipa_hint(err, "%s", why->hint);
	if (rc == -ECONNREFUSED)
		return pipa_hint(err, "check that pipad is running there; its default port is %s",
				 PIPA_REMOTE_PORT);
	if ((rc == -EPROTO || rc == -ECONNRESET) && server->o.tls)
		return pipa_hint(err,
				 "if the server does not use TLS, leave out --tls; it may also "
				 "not be pipad");
	if (rc == -EPROTO || rc == -ECONNRESET)
		return pipa_hint(err, "if the server requires TLS, use --tls");
	if (rc == -EKEYREJECTED)
		return pipa_hint(err, "--ca names the certificates to trust, --cert and --key the "
				      "certificate of this client");
	return rc;
}

/* Does the text end with a hint of the server, which is a sentence? */
static bool ends_in_sentence(const char *text)
{
	size_t len = strlen(text);

	return len && (text[len - 1] == '.' || text[len - 1] == '?');
}

/* Fill err for a reply that is not OK. */
static int fail_answer(const struct pipa_remote *server, const struct pipa_remote_call *call,
		       const struct pipa_grpc_reply *reply, unsigned int attempts,
		       struct pipa_error *err)
{
	char more[40] = "";

	if (attempts > 1)
		snprintf(more, sizeof(more), " (%u attempts)", attempts);
	pipa_refuse(err, -EREMOTEIO, "cannot %s at %.100s: %.180s%s", call->verb, server->name,
		    reply->text[0] ? reply->text : pipa_grpc_code_name(reply->code), more);
	switch (reply->code) {
	case PIPA_GRPC_UNAUTHENTICATED:
		return server->authorization ?
			       pipa_hint(err, "the token in %.100s is not one of the server's",
					 server->o.token_file) :
			       pipa_hint(err, "the server requires a token: use --token-file FILE");
	case PIPA_GRPC_PERMISSION_DENIED:
		return pipa_hint(err, "this method requires a token that may write");
	case PIPA_GRPC_UNIMPLEMENTED:
		return pipa_hint(err,
				 "the server is another program, or an older version of pipad");
	case PIPA_GRPC_RESOURCE_EXHAUSTED:
		if (ends_in_sentence(reply->text))
			return -EREMOTEIO;
		return pipa_hint(err, "the disk of the server is full, or a limit was exceeded");
	default: return -EREMOTEIO;
	}
}

/* ---- calls ----------------------------------------------------------------------------------------------- */

static void note_retry(const struct pipa_remote *server, const char *why)
{
	pipa_log_note(&server->o.log, "%s: %s; trying again for up to %llu s", server->name, why,
		      (unsigned long long)(server->o.retry_ns / PIPA_NS_PER_SEC));
}

/* Call once; sets answer->code to the code of the reply, or fills *why after a failure. */
static int attempt(struct pipa_remote *server, const struct pipa_remote_call *call,
		   struct pipa_grpc_reply *answer, struct pipa_error *why)
{
	const struct pipa_h2_field token = { .name = "authorization",
					     .value = server->authorization,
					     .secret = true };
	bool streams = call->next || call->receive;
	const struct pipa_grpc_request request = {
		.path = call->path,
		.message = call->message,
		.fields = &token,
		.n_fields = server->authorization ? 1 : 0,
		.until_ns = pipa_clock_ns() + (streams ? CONNECT_NS : server->o.timeout_ns),
		.idle_ns = streams ? server->o.timeout_ns : 0,
		.next = call->next,
		.receive = call->receive,
		.ctx = call->ctx,
	};

	return pipa_grpc_call(server->client, &request, answer, why);
}

/* Is there another attempt after the n-th? Waits until it is due. */
static bool wait_for_next(const struct pipa_remote *server, const struct pipa_grpc_reply *answer,
			  int rc, const struct pipa_error *why, unsigned int n, uint64_t until_ns)
{
	bool final = rc < 0 ? pipa_retry_is_final(rc) :
			      !pipa_retry_is_retryable(answer->code, answer->has_retry_delay);
	const char *reason = answer->text[0] ? answer->text : pipa_grpc_code_name(answer->code);

	if (final || !server->o.retry_ns)
		return false;
	if (n == 1)
		note_retry(server, rc < 0 ? why->what : reason);
	return pipa_retry_wait(NULL, n, answer->has_retry_delay ? &answer->retry_delay_ns : NULL,
			       until_ns) == 0;
}

int pipa_remote_call(struct pipa_remote *server, const struct pipa_remote_call *call,
		     struct pipa_buf *reply, int *ret_code, struct pipa_error *err)
{
	uint64_t until_ns = pipa_clock_ns() + server->o.retry_ns;
	unsigned int n = 0;
	int rc;

	for (;;) {
		PIPA_AUTO(pipa_grpc_reply_done) struct pipa_grpc_reply answer = { 0 };
		struct pipa_error why = { 0 };

		rc = n++ && call->restart ? call->restart(call->ctx) : 0;
		if (rc < 0)
			return rc;
		rc = attempt(server, call, &answer, &why);
		if (rc < 0 && !why.code) /* a callback failed */
			return rc;
		if (ret_code)
			*ret_code = rc < 0 ? 0 : answer.code;
		if (!rc && answer.code == PIPA_GRPC_OK) {
			if (reply)
				pipa_buf_add(reply, pipa_buf_str(&answer.message),
					     answer.message.len);
			return reply && reply->status ?
				       pipa_fail(err, reply->status, "%s", call->verb) :
				       0;
		}
		if (!wait_for_next(server, &answer, rc, &why, n, until_ns))
			return rc < 0 ? fail_connection(server, call, rc, n, &why, err) :
					fail_answer(server, call, &answer, n, err);
	}
}

int pipa_remote_ask(struct pipa_remote *server, const struct pipa_remote_method *method,
		    const void *from, struct pipa_buf *reply, struct pipa_proto_memory *memory,
		    void *ret, int *ret_code, struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf message = { 0 };
	struct pipa_error why = { 0 };
	struct pipa_remote_call call = { .verb = method->verb, .path = method->path };
	int rc = pipa_rpc_encode(method->request, from, &message);

	if (ret_code)
		*ret_code = 0;
	if (rc < 0)
		return pipa_fail(err, rc, "%s", method->verb);
	call.message = (struct pipa_span){ (const uint8_t *)pipa_buf_str(&message), message.len };
	pipa_buf_reset(reply);
	rc = pipa_remote_call(server, &call, reply, ret_code, err);
	if (rc < 0)
		return rc;
	rc = pipa_rpc_decode(method->response,
			     (struct pipa_span){ (const uint8_t *)pipa_buf_str(reply), reply->len },
			     memory, ret, &why);
	if (rc < 0)
		return pipa_refuse(err, rc, "cannot %s at %.100s: invalid response: %.120s",
				   method->verb, server->name, why.what);
	return 0;
}
