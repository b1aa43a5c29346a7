#include "base/log.h"

#include <stdio.h>
#include <string.h>

#include "lib/test.h"

struct heard {
	char text[2000];
	enum pipa_log_level level;
	unsigned int n;
};

static void hear(void *ctx, enum pipa_log_level level, const char *text)
{
	struct heard *heard = ctx;

	snprintf(heard->text, sizeof(heard->text), "%s", text);
	heard->level = level;
	heard->n++;
}

TEST(a_message_reaches_the_context_of_its_log_only)
{
	struct heard a = { 0 }, b = { 0 };
	const struct pipa_log log_a = { .write = hear, .ctx = &a },
			      log_b = { .write = hear, .ctx = &b };

	pipa_log_note(&log_a, "%s: %d", "one", 1);
	pipa_log_put(&log_b, PIPA_LOG_WARN, "two");
	CHECK_STR(a.text, "one: 1");
	CHECK_EQ(a.level, PIPA_LOG_INFO);
	CHECK_EQ(a.n, 1);
	CHECK_STR(b.text, "two");
	CHECK_EQ(b.level, PIPA_LOG_WARN);
}

TEST(a_message_longer_than_a_path_is_whole)
{
	struct heard heard = { 0 };
	char text[1500];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	pipa_log_note(&(struct pipa_log){ .write = hear, .ctx = &heard }, "%s", text);
	CHECK_STR(heard.text, text);
}

TEST(messages_without_a_reader_are_discarded)
{
	pipa_log_note(NULL, "%s", "x");
	pipa_log_put(&(struct pipa_log){ 0 }, PIPA_LOG_ERROR, "%s", "x");
	CHECK(!pipa_log_on(NULL));
	CHECK(!pipa_log_on(&(struct pipa_log){ 0 }));
}
