/*
 * Files of /sys, /proc/cpuinfo, /proc/mounts and mountinfo. The first byte chooses the parser, the
 * rest is its text. Nothing is read after its end, and mounts are copied within the capacity.
 */
#include "fuzz.h"
#include "kernel/text/mounts.h"
#include "kernel/text/sys_text.h"

static void check_node(const char *text, size_t len,
		       void (*parse)(const char *text, size_t len, uint64_t *fields))
{
	uint64_t fields[NODE_FIELDS + 1];

	memset(fields, 0xff, sizeof(fields));
	parse(text, len, fields);
	MUST(fields[NODE_FIELDS] == PIPA_RAW_MISSING);
}

static void check_temperature(const char *text, size_t len)
{
	uint64_t kelvin = 0;

	pipa_sys_millikelvin(text, len, &kelvin);
	MUST(kelvin == PIPA_RAW_MISSING || kelvin <= 10273150);
	pipa_sys_number(text, len, &kelvin);
}

static void check_cpuinfo(const char *text, size_t len)
{
	struct pipa_raw raw;
	int i;

	pipa_raw_init(&raw, 1);
	raw.cpus = true;
	for (i = 0; i < 2; i++) {
		pipa_raw_begin(&raw);
		pipa_sys_cpuinfo(text, len / (i + 1), &raw);
		pipa_raw_end(&raw);
		MUST(raw.status == 0 && raw.n <= len);
	}
	pipa_raw_done(&raw);
}

static void check_mounts(const char *text, size_t len,
			 bool (*next)(const char **pos, const char *end, struct pipa_mount *ret),
			 int fields)
{
	const char *pos = text, *end = text + len, *before = text;
	struct pipa_mount mount;
	char copy[17];
	int i;

	while (next(&pos, end, &mount)) {
		MUST(pos > before && pos <= end);
		before = pos;
		for (i = 0; i < fields; i++) {
			MUST(mount.len[i] && mount.field[i] >= text &&
			     mount.field[i] + mount.len[i] <= end);
			memset(copy, 0x5a, sizeof(copy));
			if (pipa_mount_copy(&mount, i, copy, sizeof(copy) - 1))
				MUST(strlen(copy) <= mount.len[i]);
			MUST(copy[sizeof(copy) - 1] == 0x5a && memchr(copy, '\0', sizeof(copy)));
		}
		pipa_mount_is(&mount, PIPA_MOUNT_TYPE, "ext4");
	}
	MUST(pos == end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? size - 1 : 0;
	char *text = malloc(len ? len : 1);

	MUST(text);
	if (len)
		memcpy(text, data + 1, len);
	switch (!size ? 0 : data[0] == 0xff ? 5 : data[0] % 5) {
	case 0: check_node(text, len, pipa_sys_numastat); break;
	case 1: check_node(text, len, pipa_sys_node_memory); break;
	case 2: check_temperature(text, len); break;
	case 3: check_cpuinfo(text, len); break;
	case 4: check_mounts(text, len, pipa_mount_next, PIPA_MOUNT_FIELDS); break;
	case 5: check_mounts(text, len, pipa_mountinfo_next, PIPA_MOUNT_ALL_FIELDS); break;
	}
	free(text);
	return 0;
}
