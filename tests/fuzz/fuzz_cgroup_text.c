/*
 * Files of a control group and about them. The first byte chooses the file, the rest is its text. A
 * file sets only what it may; swap is never more than both together; our own path fits its room.
 */
#include "base/counter.h"
#include "fuzz.h"
#include "kernel/machine/cgroup.h"
#include "kernel/text/cgroup_text.h"

static void check_file(const struct pipa_cgroup_file *file, const char *text, size_t len)
{
	uint64_t fields[CG_FIELDS], again[CG_FIELDS];
	size_t i, set = 0;

	pipa_cgroup_fields_init(fields);
	pipa_cgroup_parse(file, text, len, fields);
	memcpy(again, fields, sizeof(again));
	for (i = 0; i < CG_FIELDS; i++)
		set += fields[i] != PIPA_COUNTER_MISSING;
	MUST(set <= 5); /* fields of cpu.stat */
	pipa_cgroup_parse(file, text, len, again);
	MUST(memcmp(again, fields, sizeof(again)) == 0); /* parsing twice changes nothing */
	if (fields[CG_CPUS] != PIPA_COUNTER_MISSING)
		MUST(fields[CG_CPUS] > 0 && fields[CG_CPUS] <= 65536);

	fields[CG_SWAP_MAX] = PIPA_COUNTER_MISSING;
	fields[CG_MEMSW_MAX] = len;
	pipa_cgroup_fields_finish(fields);
	if (fields[CG_SWAP_MAX] != PIPA_COUNTER_MISSING)
		MUST(fields[CG_SWAP_MAX] <= len);
}

static void check_own(const char *text, size_t len)
{
	char path[32];

	memset(path, 0x5a, sizeof(path));
	if (pipa_cgroup_own(text, len, NULL, path, sizeof(path)) == 0)
		MUST(path[0] == '/' && memchr(path, '\0', sizeof(path)));
	else
		MUST(path[0] == 0x5a);
	if (pipa_cgroup_own(text, len, "memory", path, sizeof(path)) == 0)
		MUST(path[0] == '/' && memchr(path, '\0', sizeof(path)));
}

static void check_places(const uint8_t *data, size_t size)
{
	char *text = fuzz_text(data, size);
	const char *rest = text;
	struct pipa_cgroup_place place;

	while (pipa_cgroup_next_place(&rest, &place)) {
		MUST(memchr(place.path, '\0', sizeof(place.path)));
		MUST(place.options >= text && place.options + place.options_len <= rest);
		pipa_cgroup_place_has(&place, "memory");
	}
	MUST(!*rest);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t len = size ? size - 1 : 0;
	char *text = malloc(len ? len : 1); /* exact, so that a read past the end is seen */

	MUST(text);
	if (len)
		memcpy(text, data + 1, len);
	if (size) {
		check_file(&pipa_cgroup_files[data[0] % pipa_n_cgroup_files], text, len);
		check_own(text, len);
		pipa_cgroup_count(text, len);
		check_places(data + 1, len);
	}
	free(text);
	return 0;
}
