#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "lib/test.h"

TEST(failure_names_the_operation_and_the_errno)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_fail(&err, -EACCES, "open event %s on cpu %d", "cycles", 3), -EACCES);
	CHECK_EQ(err.code, -EACCES);
	CHECK_STR(err.what, "cannot open event cycles on cpu 3: Permission denied");
	CHECK_STR(err.hint, "");
}

TEST(refusal_has_only_its_own_text)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_refuse(&err, -EINVAL, "bad CPU list '%s'", "x"), -EINVAL);
	CHECK_EQ(err.code, -EINVAL);
	CHECK_STR(err.what, "bad CPU list 'x'");
}

TEST(hint_returns_the_code_of_the_failure)
{
	struct pipa_error err = { 0 };

	pipa_refuse(&err, -ENOENT, "no such thing");
	CHECK_EQ(pipa_hint(&err, "try %s", "another"), -ENOENT);
	CHECK_STR(err.hint, "try another");
}

TEST(new_failure_drops_the_old_hint)
{
	struct pipa_error err = { 0 };

	pipa_refuse(&err, -ENOENT, "first");
	pipa_hint(&err, "about the first");
	pipa_fail(&err, -EIO, "second");
	CHECK_STR(err.hint, "");
	pipa_hint(&err, "about the second");
	pipa_refuse(&err, -EIO, "third");
	CHECK_STR(err.hint, "");
}

TEST(error_argument_may_be_null)
{
	CHECK_EQ(pipa_fail(NULL, -EIO, "open %s", "x"), -EIO);
	CHECK_EQ(pipa_refuse(NULL, -ERANGE, "bad %s", "x"), -ERANGE);
	CHECK_EQ(pipa_hint(NULL, "try %s", "y"), -EINVAL);
}

TEST(too_long_text_is_truncated_and_terminated)
{
	struct pipa_error err = { 0 };
	char text[1000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	CHECK_EQ(pipa_fail(&err, -EIO, "%s", text), -EIO);
	CHECK_EQ(strlen(err.what), sizeof(err.what) - 1);
	pipa_refuse(&err, -EIO, "%s", text);
	CHECK_EQ(strlen(err.what), sizeof(err.what) - 1);
	pipa_hint(&err, "%s", text);
	CHECK_EQ(strlen(err.hint), sizeof(err.hint) - 1);
}

TEST(a_hint_is_a_sentence_after_the_failure)
{
	char text[PIPA_ERROR_LINE_MAX];
	struct pipa_error err;

	pipa_fail(&err, -ENOENT, "open x");
	CHECK_STR(pipa_error_line(&err, text), "cannot open x: No such file or directory");
	pipa_hint(&err, "use -o FILE");
	CHECK_STR(pipa_error_line(&err, text),
		  "cannot open x: No such file or directory. Use -o FILE.");
	CHECK_STR(pipa_hint_sentence("did you mean y?", text, sizeof(text)), "Did you mean y?");
	CHECK_STR(pipa_hint_sentence("pipa doctor helps", text, sizeof(text)),
		  "pipa doctor helps.");
	CHECK_STR(pipa_hint_sentence("--help lists all", text, sizeof(text)), "--help lists all.");
	CHECK_STR(pipa_hint_sentence("stop it with: kill 1", text, sizeof(text)),
		  "Stop it with: kill 1");
	CHECK_STR(pipa_hint_sentence("", text, sizeof(text)), "");
}
