/* BTF: any bytes are refused, or members are found at their described offsets. */
#include <errno.h>

#include "fuzz.h"
#include "kernel/bpf/btf.h"

static void look(const struct pipa_btf *btf, uint32_t type)
{
	static const char *const paths[] = {
		"pid", "se.sum_exec_runtime", "rss_stat[1].count", "a", "in[3].b", ""
	};
	struct pipa_btf_place place;
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int rc = pipa_btf_find(btf, type, paths[i], &place);

		MUST(rc == 0 || rc == -ENOENT);
		if (!rc)
			MUST(pipa_btf_pointee(btf, place.type) < btf->n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_btf btf;
	uint8_t *bytes = malloc(size ? size : 1);
	uint32_t type;
	int rc;

	MUST(bytes);
	memcpy(bytes, data, size);
	rc = pipa_btf_init(&btf, bytes, size);
	MUST(rc == 0 || rc == -EBADMSG);
	for (type = 0; !rc && type < btf.n && type < 64; type++)
		look(&btf, type);
	if (!rc)
		MUST(pipa_btf_struct(&btf, "outer") < btf.n);
	pipa_btf_done(&btf);
	free(bytes);
	return 0;
}
