/* Any bytes as a packed image: no more than the ceiling comes out, and the same each time. */
#include <stdlib.h>

#include "elf/inflate.h"
#include "elf/unpack.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MOST = 1 << 20 };
	struct pipa_span file = { data, size };
	struct pipa_inflated out, again;
	int rc = pipa_elf_unpack(file, MOST, &out);

	MUST(pipa_elf_is_packed(file) || rc < 0);
	if (rc < 0)
		return 0;
	MUST(out.size <= MOST);
	MUST(pipa_elf_unpack(file, MOST, &again) == 0);
	MUST(again.size == out.size && memcmp(again.data, out.data, out.size) == 0);
	free(out.data);
	free(again.data);
	return 0;
}
