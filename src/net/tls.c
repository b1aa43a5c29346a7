#include "net/tls.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/error.h"

struct pipa_tls {
	SSL_CTX *ctx;
	SSL *ssl;
};

PIPA_DEFINE_AUTO(pipa_tls_free, struct pipa_tls *)

void pipa_tls_free(struct pipa_tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->ssl);
	SSL_CTX_free(tls->ctx);
	free(tls);
}

/* Those of OpenSSL's own directory and of $SSL_CERT_FILE, and where other distributions have them. */
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

/* A name, or an address, which a certificate has elsewhere. */
static bool expect(SSL *ssl, const char *host)
{
	if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host))
		return true;
	ERR_clear_error();
	return SSL_set1_host(ssl, host) && SSL_set_tlsext_host_name(ssl, host);
}

int pipa_tls_new(int fd, const char *host, struct pipa_tls **ret, struct pipa_error *err)
{
	PIPA_AUTO(pipa_tls_free) struct pipa_tls *tls = calloc(1, sizeof(*tls));

	if (!tls || !(tls->ctx = SSL_CTX_new(TLS_client_method())))
		return pipa_fail(err, -ENOMEM, "start TLS");
	SSL_CTX_set_min_proto_version(tls->ctx, TLS1_2_VERSION);
	SSL_CTX_set_verify(tls->ctx, SSL_VERIFY_PEER, NULL);
	load_authorities(tls->ctx);
	tls->ssl = SSL_new(tls->ctx);
	if (!tls->ssl || !expect(tls->ssl, host) || !SSL_set_fd(tls->ssl, fd))
		return pipa_fail(err, -ENOMEM, "start TLS");
	*ret = PIPA_TAKE(tls);
	return 0;
}

/* What a result of OpenSSL's means; 0: the other side has ended it. */
static int outcome(struct pipa_tls *tls, int rc, short *ret_events)
{
	switch (SSL_get_error(tls->ssl, rc)) {
	case SSL_ERROR_WANT_READ: *ret_events = POLLIN; return -EAGAIN;
	case SSL_ERROR_WANT_WRITE: *ret_events = POLLOUT; return -EAGAIN;
	case SSL_ERROR_ZERO_RETURN: return 0;
	default: return -ECONNRESET; /* an end without its farewell may be one that was truncated */
	}
}

int pipa_tls_handshake(struct pipa_tls *tls, short *ret_events, struct pipa_error *err)
{
	int rc, done;
	long verified;

	ERR_clear_error();
	done = SSL_connect(tls->ssl);
	if (done == 1)
		return 0;
	rc = outcome(tls, done, ret_events);
	if (rc == -EAGAIN)
		return rc;
	verified = SSL_get_verify_result(tls->ssl);
	if (verified != X509_V_OK)
		return pipa_refuse(err, -EKEYREJECTED, "invalid certificate: %s",
				   X509_verify_cert_error_string(verified));
	return pipa_refuse(err, -EPROTO, "TLS handshake failed");
}

ssize_t pipa_tls_read(struct pipa_tls *tls, void *bytes, size_t size, short *ret_events)
{
	size_t n;
	int rc;

	ERR_clear_error();
	rc = SSL_read_ex(tls->ssl, bytes, size, &n);
	return rc == 1 ? (ssize_t)n : outcome(tls, rc, ret_events);
}

ssize_t pipa_tls_write(struct pipa_tls *tls, const void *bytes, size_t len, short *ret_events)
{
	size_t n;
	int rc;

	ERR_clear_error();
	rc = SSL_write_ex(tls->ssl, bytes, len, &n);
	if (rc == 1)
		return (ssize_t)n;
	rc = outcome(tls, rc, ret_events);
	return rc ? rc : -ECONNRESET;
}
