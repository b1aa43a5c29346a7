/* Replacement of tls.c for builds without OpenSSL: every call fails. */
#include <errno.h>

#include "base/auto.h"
#include "base/error.h"
#include "net/tls.h"

int pipa_tls_new(int fd PIPA_UNUSED, const char *host,
		 const struct pipa_tls_options *options PIPA_UNUSED,
		 struct pipa_tls **ret PIPA_UNUSED, struct pipa_error *err)
{
	return pipa_refuse(err, -EPROTONOSUPPORT, "https://%s: this pipa was built without HTTPS",
			   host);
}

void pipa_tls_free(struct pipa_tls *tls PIPA_UNUSED)
{
}

int pipa_tls_handshake(struct pipa_tls *tls PIPA_UNUSED, short *ret_events PIPA_UNUSED,
		       struct pipa_error *err)
{
	return pipa_fail(err, -EPROTONOSUPPORT, "use TLS");
}

ssize_t pipa_tls_read(struct pipa_tls *tls PIPA_UNUSED, void *bytes PIPA_UNUSED,
		      size_t size PIPA_UNUSED, short *ret_events PIPA_UNUSED)
{
	return -EPROTONOSUPPORT;
}

ssize_t pipa_tls_write(struct pipa_tls *tls PIPA_UNUSED, const void *bytes PIPA_UNUSED,
		       size_t len PIPA_UNUSED, short *ret_events PIPA_UNUSED)
{
	return -EPROTONOSUPPORT;
}

bool pipa_tls_has_input(const struct pipa_tls *tls PIPA_UNUSED)
{
	return false;
}

int pipa_tls_server_new(const struct pipa_tls_server_options *options PIPA_UNUSED,
			struct pipa_tls_server **ret PIPA_UNUSED, struct pipa_error *err)
{
	return pipa_refuse(err, -EPROTONOSUPPORT, "this pipad was built without TLS");
}

void pipa_tls_server_free(struct pipa_tls_server *server PIPA_UNUSED)
{
}

int pipa_tls_accept(struct pipa_tls_server *server PIPA_UNUSED, int fd PIPA_UNUSED,
		    struct pipa_tls **ret PIPA_UNUSED, struct pipa_error *err)
{
	return pipa_fail(err, -EPROTONOSUPPORT, "use TLS");
}

struct ssl_st *pipa_tls_server_ssl(struct pipa_tls_server *server PIPA_UNUSED)
{
	return NULL;
}
