#include "serve/auth.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "base/span.h"
#include "base/vec.h"
#include "codec/base64.h"
#include "codec/sha256.h"

struct token {
	uint8_t sum
		[PIPA_SHA256_SIZE]; /* of the token: its length does not depend on that of the token */
	bool writes;
	double calls; /* token bucket: permitted now */
	uint64_t refilled_ns;
};

struct tokens {
	struct token *items;
	size_t n, cap;
};

struct pipa_auth {
	pthread_mutex_t lock;
	bool is_required; /* a file was given */
	double rate;
	struct tokens tokens;
	struct token anonymous; /* without token files */
};

struct pipa_auth *pipa_auth_new(void)
{
	struct pipa_auth *auth = calloc(1, sizeof(*auth));

	if (auth)
		pthread_mutex_init(&auth->lock, NULL);
	return auth;
}

void pipa_auth_free(struct pipa_auth *auth)
{
	if (!auth)
		return;
	free(auth->tokens.items);
	pthread_mutex_destroy(&auth->lock);
	free(auth);
}

/* ---- files ------------------------------------------------------------------------------------------------- */

static int add_token(struct tokens *tokens, const char *path, size_t line, const char *text,
		     bool writes, struct pipa_error *err)
{
	struct token *token;
	size_t len = strlen(text), i;

	for (i = 0; i < len && text[i] > ' ' && text[i] < 0x7f; i++)
		;
	if (i < len)
		return pipa_refuse(err, -EINVAL, "%s:%zu: invalid character in the token", path,
				   line);
	if (len < PIPA_TOKEN_MIN || len > PIPA_TOKEN_MAX) {
		pipa_refuse(err, -EINVAL,
			    "%s:%zu: invalid token of %zu characters, expected %d to %d", path,
			    line, len, PIPA_TOKEN_MIN, PIPA_TOKEN_MAX);
		return pipa_hint(err, "make one: openssl rand -hex 32");
	}
	token = PIPA_VEC_ADD(tokens);
	if (!token)
		return pipa_fail(err, -ENOMEM, "read %s", path);
	pipa_sha256(text, len, token->sum);
	token->writes = writes;
	return 0;
}

static int read_tokens(struct tokens *tokens, const char *path, bool writes, struct pipa_error *err)
{
	struct pipa_buf text = { .max = 1 << 20 };
	size_t before = tokens->n, line = 0;
	char *at, *end;
	int rc = pipa_file_read(path, &text, err);

	for (at = text.data; !rc && at && *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = '\0';
		line++;
		while (isspace((unsigned char)*at))
			at++;
		at[strcspn(at, " \t\r")] = '\0';
		if (*at && *at != '#')
			rc = add_token(tokens, path, line, at, writes, err);
	}
	if (!rc && tokens->n == before)
		rc = pipa_refuse(err, -EINVAL, "%s has no token", path);
	if (text.data)
		explicit_bzero(text.data, text.cap);
	pipa_buf_done(&text);
	return rc;
}

int pipa_auth_load(struct pipa_auth *auth, const struct pipa_auth_options *options,
		   struct pipa_error *err)
{
	struct tokens tokens = { 0 };
	size_t i;
	int rc = 0;

	if (options->token_file)
		rc = read_tokens(&tokens, options->token_file, true, err);
	if (!rc && options->read_token_file)
		rc = read_tokens(&tokens, options->read_token_file, false, err);
	if (rc < 0) {
		free(tokens.items);
		return rc;
	}
	for (i = 0; i < tokens.n; i++)
		tokens.items[i].calls = (double)options->rate;
	pthread_mutex_lock(&auth->lock);
	free(auth->tokens.items);
	auth->tokens = tokens;
	auth->is_required = options->token_file || options->read_token_file;
	auth->rate = (double)options->rate;
	auth->anonymous = (struct token){ .writes = true, .calls = (double)options->rate };
	pthread_mutex_unlock(&auth->lock);
	return 0;
}

/* ---- calls ------------------------------------------------------------------------------------------------- */

/* Compare in constant time. */
static bool is_equal(const uint8_t *a, const uint8_t *b, size_t size)
{
	uint8_t difference = 0;
	size_t i;

	for (i = 0; i < size; i++)
		difference |= a[i] ^ b[i];
	return !difference;
}

/* Find a token; compares with all of them, so the time does not depend on the result. */
static struct token *find_token(struct tokens *tokens, struct pipa_span text)
{
	uint8_t sum[PIPA_SHA256_SIZE];
	struct token *found = NULL;
	size_t i;

	pipa_sha256(text.data, text.size, sum);
	for (i = 0; i < tokens->n; i++)
		if (is_equal(tokens->items[i].sum, sum, sizeof(sum)))
			found = found && found->writes ? found : &tokens->items[i];
	explicit_bzero(sum, sizeof(sum));
	return found;
}

static bool take_call(struct token *token, double rate)
{
	uint64_t now = pipa_clock_ns();

	if (rate <= 0)
		return true;
	token->calls += (double)(now - token->refilled_ns) / 1e9 * rate;
	if (token->calls > rate || !token->refilled_ns)
		token->calls = rate;
	token->refilled_ns = now;
	if (token->calls < 1)
		return false;
	token->calls -= 1;
	return true;
}

static enum pipa_grpc_code check_token(struct pipa_auth *auth, struct token *token,
				       enum pipa_access access, const char **ret_text)
{
	if (!token) {
		*ret_text = "the token is unknown";
		return PIPA_GRPC_UNAUTHENTICATED;
	}
	if (access == PIPA_ACCESS_WRITE && !token->writes) {
		*ret_text = "the token may only read";
		return PIPA_GRPC_PERMISSION_DENIED;
	}
	if (!take_call(token, auth->rate)) {
		*ret_text = "more calls per second than the token is allowed (--rate)";
		return PIPA_GRPC_UNAVAILABLE; /* clients repeat it, other than RESOURCE_EXHAUSTED */
	}
	return PIPA_GRPC_OK;
}

/* Get the token of "Bearer TOKEN" or "Basic BASE64(user:TOKEN)". */
static struct pipa_span get_token(const char *authorization, struct pipa_buf *decoded)
{
	const char *text = authorization;
	char *colon;

	if (strncasecmp(text, "Bearer ", 7) == 0) {
		text += 7 + strspn(text + 7, " ");
		return (struct pipa_span){ (const uint8_t *)text, strlen(text) };
	}
	if (strncasecmp(text, "Basic ", 6) != 0)
		return (struct pipa_span){ 0 };
	text += 6 + strspn(text + 6, " ");
	if (!pipa_base64_take(decoded, text, strlen(text)) || decoded->status)
		return (struct pipa_span){ 0 };
	colon = decoded->data ? memchr(decoded->data, ':', decoded->len) : NULL;
	if (!colon)
		return (struct pipa_span){ 0 };
	colon++;
	return (struct pipa_span){ (const uint8_t *)colon,
				   decoded->len - (size_t)(colon - decoded->data) };
}

bool pipa_auth_is_required(struct pipa_auth *auth)
{
	bool is_required;

	pthread_mutex_lock(&auth->lock);
	is_required = auth->is_required;
	pthread_mutex_unlock(&auth->lock);
	return is_required;
}

enum pipa_grpc_code pipa_auth_check(struct pipa_auth *auth, const char *authorization,
				    enum pipa_access access, const char **ret_text)
{
	struct pipa_buf decoded = { .max = 2UL * PIPA_TOKEN_MAX };
	struct pipa_span text;
	enum pipa_grpc_code code;

	*ret_text = "";
	if (access == PIPA_ACCESS_NONE)
		return PIPA_GRPC_OK;
	text = get_token(authorization, &decoded);
	pthread_mutex_lock(&auth->lock);
	if (!auth->is_required) {
		code = check_token(auth, &auth->anonymous, access, ret_text);
	} else if (!text.data) {
		*ret_text = "a token is required (authorization: Bearer TOKEN)";
		code = PIPA_GRPC_UNAUTHENTICATED;
	} else {
		code = check_token(auth, find_token(&auth->tokens, text), access, ret_text);
	}
	pthread_mutex_unlock(&auth->lock);
	if (decoded.data)
		explicit_bzero(decoded.data, decoded.cap);
	pipa_buf_done(&decoded);
	return code;
}
