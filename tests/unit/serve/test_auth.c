#include "serve/auth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "lib/test.h"

static struct pipa_auth *auth;

static const char *path_of(const char *name)
{
	static char path[2][300];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", pipa_test_dir(), name);
	return path[turn];
}

/* Load files with these texts; NULL: no such file is given. */
static int load(const char *writers, const char *readers, uint64_t rate, struct pipa_error *err)
{
	const struct pipa_auth_options options = {
		.token_file = writers ? path_of("writers") : NULL,
		.read_token_file = readers ? path_of("readers") : NULL,
		.rate = rate,
	};

	if (!auth)
		auth = pipa_auth_new();
	if (writers)
		pipa_test_file(pipa_test_dir(), "writers", writers);
	if (readers)
		pipa_test_file(pipa_test_dir(), "readers", readers);
	return pipa_auth_load(auth, &options, err);
}

static enum pipa_grpc_code judge(const char *authorization, enum pipa_access access)
{
	const char *why = NULL;
	enum pipa_grpc_code code = pipa_auth_check(auth, authorization, access, &why);

	CHECK(why && !why[0] == (code == PIPA_GRPC_OK));
	return code;
}

TEST(without_token_files_every_call_is_admitted)
{
	CHECK_EQ(load(NULL, NULL, 0, NULL), 0);
	CHECK_EQ(judge("", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	CHECK_EQ(judge("Bearer anything", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	pipa_auth_free(auth);
}

TEST(tokens_write_or_only_read)
{
	CHECK_EQ(load("# comment\n\n  0123456789abcdef\t# ann\r\nsecond-token-of-writers\n",
		      "reader-0123456789\n", 0, NULL),
		 0);
	CHECK_EQ(judge("", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("", PIPA_ACCESS_NONE), PIPA_GRPC_OK);
	CHECK_EQ(judge("Bearer 0123456789abcdef", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	CHECK_EQ(judge("bearer   second-token-of-writers", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	CHECK_EQ(judge("Bearer reader-0123456789", PIPA_ACCESS_READ), PIPA_GRPC_OK);
	CHECK_EQ(judge("Bearer reader-0123456789", PIPA_ACCESS_WRITE), PIPA_GRPC_PERMISSION_DENIED);
	CHECK_EQ(judge("Bearer 0123456789abcde", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Bearer 0123456789abcdeff", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Bearer # comment", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Bearer ", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Digest 0123456789abcdef", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	pipa_auth_free(auth);
}

TEST(a_token_in_both_files_writes)
{
	CHECK_EQ(load("in-both-files-012345\n", "in-both-files-012345\n", 0, NULL), 0);
	CHECK_EQ(judge("Bearer in-both-files-012345", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	pipa_auth_free(auth);
}

TEST(browsers_send_the_token_as_the_password)
{
	CHECK_EQ(load(NULL, "0123456789abcdef\n", 0, NULL), 0);
	/* user:0123456789abcdef, :0123456789abcdef, user, a character that is not base64 */
	CHECK_EQ(judge("Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVm", PIPA_ACCESS_READ), PIPA_GRPC_OK);
	CHECK_EQ(judge("basic OjAxMjM0NTY3ODlhYmNkZWY=", PIPA_ACCESS_READ), PIPA_GRPC_OK);
	CHECK_EQ(judge("Basic dXNlcg==", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Basic dXN*cjow", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	CHECK_EQ(judge("Basic", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	pipa_auth_free(auth);
}

TEST(a_file_that_cannot_be_used_leaves_the_earlier_tokens)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "short\n", ":1: invalid token of 5 characters" },
		{ "0123456789abcdef\n\xc3\xa4 0123456789abcdef\n", ":2: invalid character" },
		{ "# nothing\n\n", "has no token" },
		{ "", "has no token" },
	};
	struct pipa_error err;
	size_t i;

	CHECK_EQ(load("0123456789abcdef\n", NULL, 0, NULL), 0);
	for (i = 0; i < PIPA_COUNT(bad); i++) {
		CHECK_EQ(load(bad[i].text, NULL, 0, &err), -EINVAL);
		CHECK_HAS(err.what, bad[i].why);
		CHECK_EQ(judge("Bearer 0123456789abcdef", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
		CHECK_EQ(judge("", PIPA_ACCESS_READ), PIPA_GRPC_UNAUTHENTICATED);
	}
	CHECK_EQ(pipa_auth_load(auth, &(struct pipa_auth_options){ .token_file = "/none" }, &err),
		 -ENOENT);
	CHECK_EQ(judge("Bearer 0123456789abcdef", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	pipa_auth_free(auth);
}

TEST(a_token_of_the_longest_length_is_taken_and_a_longer_one_refused)
{
	char text[PIPA_TOKEN_MAX + 3], authorization[PIPA_TOKEN_MAX + 20];
	struct pipa_error err;

	memset(text, 'x', sizeof(text));
	text[PIPA_TOKEN_MAX] = '\n';
	text[PIPA_TOKEN_MAX + 1] = '\0';
	CHECK_EQ(load(text, NULL, 0, NULL), 0);
	snprintf(authorization, sizeof(authorization), "Bearer %.*s", PIPA_TOKEN_MAX, text);
	CHECK_EQ(judge(authorization, PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	text[PIPA_TOKEN_MAX] = 'x';
	CHECK_EQ(load(text, NULL, 0, &err), -EINVAL);
	pipa_auth_free(auth);
}

TEST(calls_per_second_are_counted_for_each_token)
{
	int i, admitted = 0;

	CHECK_EQ(load("0123456789abcdef\nfedcba9876543210\n", NULL, 5, NULL), 0);
	for (i = 0; i < 5; i++)
		CHECK_EQ(judge("Bearer 0123456789abcdef", PIPA_ACCESS_WRITE), PIPA_GRPC_OK);
	for (i = 0; i < 100; i++)
		admitted += judge("Bearer 0123456789abcdef", PIPA_ACCESS_READ) == PIPA_GRPC_OK;
	CHECK(admitted < 100);
	CHECK_EQ(judge("Bearer 0123456789abcdef", PIPA_ACCESS_READ), PIPA_GRPC_UNAVAILABLE);
	CHECK_EQ(judge("Bearer fedcba9876543210", PIPA_ACCESS_READ), PIPA_GRPC_OK);
	CHECK_EQ(judge("", PIPA_ACCESS_NONE), PIPA_GRPC_OK);
	pipa_auth_free(auth);
}
