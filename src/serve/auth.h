/*
 * Authorize calls by the tokens of files, compared in constant time, and limit the calls per second of each token. A
 * reload replaces all tokens. Any thread.
 */
#ifndef PIPA_SERVE_AUTH_H
#define PIPA_SERVE_AUTH_H

#include <stdbool.h>
#include <stdint.h>

#include "net/grpc.h"

struct pipa_auth;
struct pipa_error;

/* Access that a method requires. */
enum pipa_access {
	PIPA_ACCESS_NONE, /* health checks */
	PIPA_ACCESS_READ,
	PIPA_ACCESS_WRITE,
};

enum { PIPA_TOKEN_MIN = 16, PIPA_TOKEN_MAX = 512 };

struct pipa_auth_options {
	const char *token_file;	     /* tokens for reading and writing, one per line; NULL: none */
	const char *read_token_file; /* tokens only for reading */
	uint64_t rate;		     /* calls per second of a token; 0: no limit */
};

/* NULL on allocation failure. */
struct pipa_auth *pipa_auth_new(void);
void pipa_auth_free(struct pipa_auth *auth);

/* Read the files. After a failure the earlier tokens stay valid. -EINVAL: a file has no or an invalid token. */
int pipa_auth_load(struct pipa_auth *auth, const struct pipa_auth_options *options,
		   struct pipa_error *err);

/* Are there tokens? Without them every client may call every method. */
bool pipa_auth_is_required(struct pipa_auth *auth);

/*
 * Check the value of an authorization field, "Bearer TOKEN" or "Basic" with the token as the password. PIPA_GRPC_OK,
 * UNAUTHENTICATED, PERMISSION_DENIED or UNAVAILABLE (--rate) with the reason in *ret_text.
 */
enum pipa_grpc_code pipa_auth_check(struct pipa_auth *auth, const char *authorization,
				    enum pipa_access access, const char **ret_text);

#endif
