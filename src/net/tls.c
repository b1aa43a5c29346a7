#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/auto.h"
#include "base/error.h"

struct pipa_tls {
	int fd;
	char alpn[16];
	BIO_METHOD *method; /* of the socket; NULL: the server's */
	SSL_CTX *ctx;	    /* NULL: the server's */
	SSL *ssl;
	struct pipa_tls_server *server; /* NULL: this is a client */
};

struct pipa_tls_server {
	unsigned int references; /* the server and its connections */
	const char *alpn;
	BIO_METHOD *method;
	SSL_CTX *ctx;
};

PIPA_DEFINE_AUTO(pipa_tls_free, struct pipa_tls *)

void pipa_tls_free(struct pipa_tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->ssl);
	SSL_CTX_free(tls->ctx);
	BIO_meth_free(tls->method);
	pipa_tls_server_free(tls->server);
	free(tls);
}

/* ---- the socket, without SIGPIPE ------------------------------------------------------------------------- */

static int send_bytes(BIO *bio, const char *bytes, int len)
{
	struct pipa_tls *tls = BIO_get_data(bio);
	ssize_t n = send(tls->fd, bytes, (size_t)len, MSG_NOSIGNAL);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_write(bio);
	return (int)n;
}

static int receive_bytes(BIO *bio, char *bytes, int size)
{
	struct pipa_tls *tls = BIO_get_data(bio);
	ssize_t n = recv(tls->fd, bytes, (size_t)size, 0);

	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		BIO_set_retry_read(bio);
	return (int)n;
}

static long control_bio(BIO *bio PIPA_UNUSED, int command, long number PIPA_UNUSED,
			void *pointer PIPA_UNUSED)
{
	return command == BIO_CTRL_FLUSH;
}

/* Make it without BIO_get_new_index(), which has only 127 indexes per process. */
static BIO_METHOD *make_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "pipa socket");

	if (method && BIO_meth_set_write(method, send_bytes) &&
	    BIO_meth_set_read(method, receive_bytes) && BIO_meth_set_ctrl(method, control_bio))
		return method;
	BIO_meth_free(method);
	return NULL;
}

static bool attach_socket(struct pipa_tls *tls, const BIO_METHOD *method)
{
	BIO *bio = method ? BIO_new(method) : NULL;

	if (!bio)
		return false;
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio); /* owned by ssl from here on */
	return true;
}

/* ---- certificates ---------------------------------------------------------------------------------------- */

/* Trust the certificates of OpenSSL's directory, $SSL_CERT_FILE and the bundles of other distributions. */
static void load_authorities(SSL_CTX *ctx)
{
	static const char *const files[] = { "/etc/ssl/certs/ca-certificates.crt",
					     "/etc/pki/tls/certs/ca-bundle.crt",
					     "/etc/ssl/ca-bundle.pem" };
	size_t i;

	SSL_CTX_set_default_verify_paths(ctx);
	for (i = 0; i < PIPA_COUNT(files); i++)
		if (!getenv("SSL_CERT_FILE") && access(files[i], R_OK) == 0)
			SSL_CTX_load_verify_locations(ctx, files[i], NULL);
	ERR_clear_error();
}

/* Refuse a file that OpenSSL could not use, with OpenSSL's reason. */
static int refuse_file(const char *what, const char *file, struct pipa_error *err)
{
	const char *reason = ERR_reason_error_string(ERR_peek_error());
	int rc = pipa_refuse(err, -EINVAL, "cannot use %s '%s': %s", what, file,
			     access(file, R_OK) < 0 ? pipa_error_text(-errno) :
			     reason		    ? reason :
						      "not PEM");

	ERR_clear_error();
	return rc;
}

static int load_files(SSL_CTX *ctx, bool server, const struct pipa_tls_options *o,
		      struct pipa_error *err)
{
	const char *key = o->key_file ? o->key_file : o->cert_file;

	ERR_clear_error();
	if (o->ca_file && !SSL_CTX_load_verify_locations(ctx, o->ca_file, NULL))
		return refuse_file("the CA file", o->ca_file, err);
	if (o->cert_file && SSL_CTX_use_certificate_chain_file(ctx, o->cert_file) != 1)
		return refuse_file(server ? "the server certificate" : "the client certificate",
				   o->cert_file, err);
	if (o->cert_file && (SSL_CTX_use_PrivateKey_file(ctx, key, SSL_FILETYPE_PEM) != 1 ||
			     SSL_CTX_check_private_key(ctx) != 1))
		return refuse_file(server ? "the server key" : "the client key", key, err);
	return 0;
}

/* Expect the host in the certificate: a name, which is sent as SNI, or an address. */
static bool expect_host(SSL *ssl, const char *host)
{
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host))
		return true;
	ERR_clear_error();
	return SSL_set1_host(ssl, host) && SSL_set_tlsext_host_name(ssl, host);
}

/* Offer one protocol. OpenSSL returns 0 on success here. */
static bool offer_alpn(struct pipa_tls *tls, const char *alpn)
{
	unsigned char list[sizeof(tls->alpn) + 1];
	size_t len = strlen(alpn);

	if (len >= sizeof(tls->alpn))
		return false;
	memcpy(tls->alpn, alpn, len + 1);
	list[0] = (unsigned char)len;
	memcpy(list + 1, alpn, len);
	return SSL_set_alpn_protos(tls->ssl, list, (unsigned int)len + 1) == 0;
}

int pipa_tls_new(int fd, const char *host, const struct pipa_tls_options *options,
		 struct pipa_tls **ret, struct pipa_error *err)
{
	static const struct pipa_tls_options none;
	const struct pipa_tls_options *o = options ? options : &none;
	PIPA_AUTO(pipa_tls_free) struct pipa_tls *tls = calloc(1, sizeof(*tls));
	int rc;

	if (!tls || !(tls->ctx = SSL_CTX_new(TLS_client_method())))
		return pipa_fail(err, -ENOMEM, "start TLS");
	tls->fd = fd;
	SSL_CTX_set_min_proto_version(tls->ctx, TLS1_2_VERSION);
	SSL_CTX_set_verify(tls->ctx, SSL_VERIFY_PEER, NULL);
	SSL_CTX_set_mode(tls->ctx,
			 SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	if (!o->ca_file)
		load_authorities(tls->ctx);
	rc = load_files(tls->ctx, false, o, err);
	if (rc < 0)
		return rc;
	tls->ssl = SSL_new(tls->ctx);
	if (tls->ssl)
		SSL_set_connect_state(tls->ssl);
	if (!tls->ssl || !expect_host(tls->ssl, host) || (o->alpn && !offer_alpn(tls, o->alpn)) ||
	    !(tls->method = make_method()) || !attach_socket(tls, tls->method))
		return pipa_fail(err, -ENOMEM, "start TLS");
	*ret = PIPA_TAKE(tls);
	return 0;
}

/* ---- servers --------------------------------------------------------------------------------------------- */

/* Select the server's protocol; a client that does not offer it is refused. */
static int select_alpn(SSL *ssl PIPA_UNUSED, const unsigned char **out, unsigned char *out_len,
		       const unsigned char *in, unsigned int in_len, void *arg)
{
	const char *alpn = arg;
	size_t len = strlen(alpn);
	unsigned int at;

	for (at = 0; at < in_len && in[at] <= in_len - at - 1; at += 1u + in[at])
		if (in[at] == len && memcmp(in + at + 1, alpn, len) == 0) {
			*out = in + at + 1;
			*out_len = in[at];
			return SSL_TLSEXT_ERR_OK;
		}
	return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void pipa_tls_server_free(struct pipa_tls_server *server)
{
	if (!server || --server->references)
		return;
	SSL_CTX_free(server->ctx);
	BIO_meth_free(server->method);
	free(server);
}

PIPA_DEFINE_AUTO(pipa_tls_server_free, struct pipa_tls_server *)

int pipa_tls_server_new(const struct pipa_tls_server_options *options, struct pipa_tls_server **ret,
			struct pipa_error *err)
{
	static const unsigned char sessions[] = "pipad";
	const struct pipa_tls_options files = { .ca_file = options->client_ca,
						.cert_file = options->cert_file,
						.key_file = options->key_file };
	PIPA_AUTO(pipa_tls_server_free)
	struct pipa_tls_server *server = calloc(1, sizeof(*server));
	int rc;

	if (!server)
		return pipa_fail(err, -ENOMEM, "start TLS");
	server->references = 1;
	server->ctx = SSL_CTX_new(TLS_server_method());
	server->method = make_method();
	server->alpn = options->alpn;
	if (!server->ctx || !server->method)
		return pipa_fail(err, -ENOMEM, "start TLS");
	SSL_CTX_set_min_proto_version(server->ctx, TLS1_2_VERSION);
	SSL_CTX_set_options(server->ctx, SSL_OP_NO_RENEGOTIATION);
	SSL_CTX_set_mode(server->ctx, SSL_MODE_ENABLE_PARTIAL_WRITE |
					      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
					      SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_id_context(server->ctx, sessions, sizeof(sessions) - 1);
	SSL_CTX_set_alpn_select_cb(server->ctx, select_alpn, (void *)server->alpn);
	rc = load_files(server->ctx, true, &files, err);
	if (rc < 0)
		return rc;
	if (options->client_ca) {
		SSL_CTX_set_verify(server->ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
				   NULL);
		SSL_CTX_set_client_CA_list(server->ctx,
					   SSL_load_client_CA_file(options->client_ca));
	}
	*ret = PIPA_TAKE(server);
	return 0;
}

int pipa_tls_accept(struct pipa_tls_server *server, int fd, struct pipa_tls **ret,
		    struct pipa_error *err)
{
	PIPA_AUTO(pipa_tls_free) struct pipa_tls *tls = calloc(1, sizeof(*tls));

	if (!tls)
		return pipa_fail(err, -ENOMEM, "start TLS");
	tls->fd = fd;
	tls->ssl = SSL_new(server->ctx);
	if (!tls->ssl || !attach_socket(tls, server->method))
		return pipa_fail(err, -ENOMEM, "start TLS");
	SSL_set_accept_state(tls->ssl);
	snprintf(tls->alpn, sizeof(tls->alpn), "%s", server->alpn);
	tls->server = server;
	server->references++;
	*ret = PIPA_TAKE(tls);
	return 0;
}

struct ssl_st *pipa_tls_server_ssl(struct pipa_tls_server *server)
{
	SSL *ssl = SSL_new(server->ctx);

	if (ssl)
		SSL_set_accept_state(ssl);
	return ssl;
}

/* ---- the connection -------------------------------------------------------------------------------------- */

/* Convert a result of OpenSSL's to an errno; 0: the peer has ended the connection. */
static int tls_error(struct pipa_tls *tls, int rc, short *ret_events)
{
	switch (SSL_get_error(tls->ssl, rc)) {
	case SSL_ERROR_WANT_READ: *ret_events = POLLIN; return -EAGAIN;
	case SSL_ERROR_WANT_WRITE: *ret_events = POLLOUT; return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN: return 0;
	default: return -ECONNRESET; /* an end without close_notify may be a truncation */
	}
}

/* Did the peer refuse our certificate, or ask for one? Alerts 40 to 49 and 116 of RFC 8446. */
static bool is_certificate_alert(unsigned long code)
{
	int alert = ERR_GET_REASON(code) - SSL_AD_REASON_OFFSET;

	return ERR_GET_LIB(code) == ERR_LIB_SSL && ((alert >= 42 && alert <= 49) || alert == 116);
}

static bool selected_alpn(const struct pipa_tls *tls)
{
	const unsigned char *name = NULL;
	unsigned int len = 0;

	if (!tls->alpn[0])
		return true;
	SSL_get0_alpn_selected(tls->ssl, &name, &len);
	return len == strlen(tls->alpn) && memcmp(name, tls->alpn, len) == 0;
}

int pipa_tls_handshake(struct pipa_tls *tls, short *ret_events, struct pipa_error *err)
{
	int rc, done;
	unsigned long code;
	const char *reason;
	long verified;

	ERR_clear_error();
	done = SSL_do_handshake(tls->ssl);
	if (done == 1)
		return selected_alpn(tls) ?
			       0 :
			       pipa_refuse(err, -EPROTO,
					   "TLS: the %s does not support the protocol '%s'",
					   tls->server ? "client" : "server", tls->alpn);
	rc = tls_error(tls, done, ret_events);
	if (rc == -EAGAIN)
		return rc;
	verified = SSL_get_verify_result(tls->ssl);
	if (verified != X509_V_OK)
		return pipa_refuse(err, -EKEYREJECTED, "invalid certificate: %s",
				   X509_verify_cert_error_string(verified));
	code = ERR_peek_error();
	reason = ERR_reason_error_string(code);
	return pipa_refuse(err, is_certificate_alert(code) ? -EKEYREJECTED : -EPROTO,
			   "TLS handshake failed%s%s", reason ? ": " : "", reason ? reason : "");
}

ssize_t pipa_tls_read(struct pipa_tls *tls, void *bytes, size_t size, short *ret_events)
{
	size_t n;
	int rc;

	ERR_clear_error();
	rc = SSL_read_ex(tls->ssl, bytes, size, &n);
	if (rc == 1)
		return (ssize_t)n;
	rc = tls_error(tls, rc, ret_events);
	/* TLS 1.3: the server checks our certificate after the handshake is complete for us */
	return rc == -ECONNRESET && is_certificate_alert(ERR_peek_error()) ? -EKEYREJECTED : rc;
}

ssize_t pipa_tls_write(struct pipa_tls *tls, const void *bytes, size_t len, short *ret_events)
{
	size_t n;
	int rc;

	ERR_clear_error();
	rc = SSL_write_ex(tls->ssl, bytes, len, &n);
	if (rc == 1)
		return (ssize_t)n;
	rc = tls_error(tls, rc, ret_events);
	return rc ? rc : -ECONNRESET;
}

bool pipa_tls_has_input(const struct pipa_tls *tls)
{
	return SSL_pending(tls->ssl) > 0;
}
