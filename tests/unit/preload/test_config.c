/* The configuration in the environment. */
#include "lib/test.h"
#include "preload/config.h"

TEST(defaults_hold_for_keys_that_are_not_given)
{
	struct pipa_heap_config config;

	CHECK(pipa_heap_config_parse("dir=/tmp/a b=c", &config));
	CHECK_STR(config.dir, "/tmp/a b=c");
	CHECK_EQ(config.rate, 512 << 10);
	CHECK_EQ(config.depth, 128);
	CHECK_EQ(config.stacks, 1 << 16);
	CHECK(config.frees && config.on && config.follow);
	CHECK(!config.mmap && !config.hold);
	CHECK_EQ(config.blocks, 1 << 16);
}

TEST(each_key_is_read)
{
	struct pipa_heap_config config;

	CHECK(pipa_heap_config_parse(
		"rate=1 min=32 frees=0 mmap=1 on=0 hold=4711 follow=0 depth=9 stacks=7 blocks=11 dir=/d",
		&config));
	CHECK_EQ(config.rate, 1);
	CHECK_EQ(config.min_size, 32);
	CHECK_EQ(config.depth, 9);
	CHECK_EQ(config.stacks, 7);
	CHECK_EQ(config.blocks, 11);
	CHECK(!config.frees && !config.on && !config.follow && config.mmap);
	CHECK_EQ(config.hold, 4711);
}

TEST(invalid_configurations_are_refused)
{
	static const char *const texts[] = {
		"",
		"rate=1",
		"rate= dir=/d",
		"rate=1x dir=/d",
		"dir=d",
		"depth=0 dir=/",
		"depth=513 dir=/",
		"stacks=0 dir=/d",
		"what dir=/",
		"what=1 dir=/d",
		"frees=2 dir=/d",
		"rate=99999999999999999999 dir=/d",
		"rate=-1 dir=/d",
		"stacks=99999999 dir=/d",
	};
	struct pipa_heap_config config;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK(!pipa_heap_config_parse(texts[i], &config));
}
