#include "preload/config.h"

#include <stddef.h>
#include <string.h>

#include "preload/blocks.h"
#include "preload/sampling.h"

enum {
	STACKS = 1 << 16,
	STACKS_MAX = 1 << 20,
	BLOCKS_MIN = 1 << 14,
};

static bool parse_number(const char **text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0, digit;
	const char *at = *text;

	if (*at < '0' || *at > '9')
		return false;
	for (; *at >= '0' && *at <= '9'; at++) {
		digit = (uint64_t)(*at - '0');
		if (digit > max || value > (max - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*text = at;
	*ret = value;
	return *at == ' ' || !*at;
}

static bool key_is(const char **text, const char *key)
{
	const char *at = *text;

	while (*key && *at == *key) {
		at++;
		key++;
	}
	if (*key || *at != '=')
		return false;
	*text = at + 1;
	return true;
}

/* Return the number of average samples in 32 GiB, within the limits of the table. */
static uint64_t default_blocks(uint64_t rate)
{
	uint64_t blocks = (UINT64_C(1) << 35) / (rate ? rate : 1);

	if (blocks < BLOCKS_MIN)
		return BLOCKS_MIN;
	return blocks < PIPA_HEAP_BLOCKS_MAX / 2 ? blocks : PIPA_HEAP_BLOCKS_MAX / 2;
}

static bool parse_pair(const char **at, struct pipa_heap_config *ret)
{
	const struct {
		const char *key;
		uint64_t max;
		bool *flag;
		uint64_t *value;
	} keys[] = {
		{ "rate", PIPA_HEAP_RATE_MAX, NULL, &ret->rate },
		{ "min", UINT64_MAX / 2, NULL, &ret->min_size },
		{ "stacks", STACKS_MAX, NULL, &ret->stacks },
		{ "blocks", PIPA_HEAP_BLOCKS_MAX, NULL, &ret->blocks },
		{ "frees", 1, &ret->frees, NULL },
		{ "mmap", 1, &ret->mmap, NULL },
		{ "on", 1, &ret->on, NULL },
		{ "hold", INT32_MAX, NULL, &ret->hold },
		{ "follow", 1, &ret->follow, NULL },
	};
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!key_is(at, keys[i].key))
			continue;
		if (!parse_number(at, keys[i].max, &value))
			return false;
		if (keys[i].flag)
			*keys[i].flag = value;
		else
			*keys[i].value = value;
		return true;
	}
	if (!key_is(at, "depth") || !parse_number(at, PIPA_HEAP_DEPTH_MAX, &value) || !value)
		return false;
	ret->depth = (uint32_t)value;
	return true;
}

bool pipa_heap_config_parse(const char *text, struct pipa_heap_config *ret)
{
	size_t n;

	memset(ret, 0, sizeof(*ret));
	ret->rate = 512 << 10;
	ret->depth = 128;
	ret->stacks = STACKS;
	ret->frees = ret->on = ret->follow = true;
	for (;;) {
		while (*text == ' ')
			text++;
		if (key_is(&text, "dir"))
			break;
		if (!*text || !parse_pair(&text, ret))
			return false;
	}
	n = strlen(text);
	if (*text != '/' || n >= sizeof(ret->dir))
		return false;
	memcpy(ret->dir, text, n + 1);
	if (!ret->blocks)
		ret->blocks = default_blocks(ret->rate);
	return ret->stacks > 0;
}
