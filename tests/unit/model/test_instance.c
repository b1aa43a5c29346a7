/* Names and words of instances. */
#include <string.h>

#include "lib/test.h"
#include "model/series.h"

static char instance[PIPA_NAME_MAX];

static size_t put(const char *word)
{
	memset(instance, '#', sizeof(instance));
	return pipa_instance_put(instance, sizeof(instance), word, strlen(word));
}

TEST(a_name_that_fits_is_kept)
{
	char name[PIPA_NAME_MAX];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	CHECK_EQ(put("/srv/data"), sizeof("/srv/data"));
	CHECK_STR(instance, "/srv/data");
	CHECK_EQ(put(""), 1);
	CHECK_STR(instance, "");
	CHECK_EQ(put(name), sizeof(name));
	CHECK_STR(instance, name);
}

TEST(two_long_names_that_begin_alike_remain_two)
{
	char name[PIPA_NAME_MAX + 100], first[PIPA_NAME_MAX];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	CHECK_EQ(put(name), sizeof(instance));
	memcpy(first, instance, sizeof(first));
	CHECK_EQ(first[sizeof(first) - 10], '~');
	name[sizeof(name) - 2] = 'm';
	CHECK_EQ(put(name), sizeof(instance));
	CHECK(strcmp(first, instance) != 0);
	CHECK(memcmp(first, instance, sizeof(instance) - 10) == 0);
}

TEST(a_long_name_is_not_truncated_within_a_character)
{
	char name[2 * PIPA_NAME_MAX + 2];
	size_t i;

	for (i = 0; i + 2 < sizeof(name); i += 2)
		memcpy(name + i, "\303\251", 3); /* U+00E9 */
	for (i = 0; i < 2; i++) {		 /* the cut is before and within a character */
		size_t size = put(name + i), mark;

		mark = size - sizeof("~01234567");
		CHECK_EQ(instance[mark], '~');
		CHECK_EQ((unsigned char)instance[mark - 1], 0xa9);
	}
}

TEST(a_word_ends_at_a_nul)
{
	CHECK_EQ(pipa_instance_put(instance, sizeof(instance), "a\0b", 3), 2);
	CHECK_STR(instance, "a");
}
