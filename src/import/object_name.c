#include "import/object_name.h"

#include <stdbool.h>
#include <string.h>

#include "base/auto.h"

/* "/tmp/perf-4711.map" */
static bool is_perf_map(const char *name, size_t len, uint32_t *ret_pid)
{
	const char *map = memmem(name, len, "/tmp/perf-", 10), *digit;
	const char *end = name + len;
	uint32_t pid = 0;

	if (!map)
		return false;
	for (digit = map + 10; digit < end && *digit >= '0' && *digit <= '9'; digit++)
		pid = pid * 10 + (uint32_t)(*digit - '0');
	if (digit == map + 10 || end - digit < 4 || memcmp(digit, ".map", 4) != 0)
		return false;
	*ret_pid = pid;
	return true;
}

static bool starts_with(const char *name, size_t len, const char *start)
{
	return len >= strlen(start) && memcmp(name, start, strlen(start)) == 0;
}

enum pipa_object_kind pipa_object_kind_of_name(const char *name, size_t len, uint32_t *ret_pid)
{
	static const struct {
		const char *start;
		enum pipa_object_kind kind;
	} starts[] = {
		{ "[kernel", PIPA_OBJECT_KERNEL },   { "[guest.kernel", PIPA_OBJECT_KERNEL },
		{ "[vdso", PIPA_OBJECT_VDSO },	     { "[vsyscall", PIPA_OBJECT_VDSO },
		{ "[heap", PIPA_OBJECT_ANON },	     { "[stack", PIPA_OBJECT_ANON },
		{ "[anon", PIPA_OBJECT_ANON },	     { "//anon", PIPA_OBJECT_ANON },
		{ "[unknown", PIPA_OBJECT_UNKNOWN }, { "[", PIPA_OBJECT_MODULE },
	};
	size_t i;

	*ret_pid = 0;
	if (is_perf_map(name, len, ret_pid))
		return PIPA_OBJECT_JIT;
	for (i = 0; i < PIPA_COUNT(starts); i++)
		if (starts_with(name, len, starts[i].start))
			return starts[i].kind;
	if (!len || (len == 7 && memcmp(name, "inlined", 7) == 0))
		return PIPA_OBJECT_UNKNOWN;
	return len >= 7 && memcmp(name + len - 7, "vmlinux", 7) == 0 ? PIPA_OBJECT_KERNEL :
								       PIPA_OBJECT_FILE;
}

enum pipa_mode pipa_object_mode(enum pipa_object_kind kind, uint64_t address)
{
	return kind == PIPA_OBJECT_KERNEL || kind == PIPA_OBJECT_MODULE || address >> 63 ?
		       PIPA_MODE_KERNEL :
		       PIPA_MODE_USER;
}

enum pipa_unresolved pipa_object_unresolved(enum pipa_object_kind kind)
{
	return kind == PIPA_OBJECT_UNKNOWN ? PIPA_UNRESOLVED_NO_MAPPING :
	       kind == PIPA_OBJECT_JIT	   ? PIPA_UNRESOLVED_JIT_NO_MAP :
					     PIPA_UNRESOLVED_NO_SYMBOL;
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool pipa_build_id_parse(const char *text, struct pipa_build_id *ret)
{
	size_t len = strlen(text), i;
	struct pipa_build_id id = { .len = (uint8_t)(len / 2) };

	if (len % 2 || len / 2 > PIPA_BUILD_ID_MAX)
		return false;
	for (i = 0; i < len; i += 2) {
		int high = hex_digit(text[i]), low = hex_digit(text[i + 1]);

		if (high < 0 || low < 0)
			return false;
		id.bytes[i / 2] = (uint8_t)(high << 4 | low);
	}
	*ret = id;
	return true;
}
