/* Any name: a text that fits, the same each time, with however little room. */
#include "fuzz.h"
#include "symbol/text/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char out[4096], again[4096];
	const char *name = (const char *)data;
	unsigned int flags;
	size_t n;

	for (flags = 0; flags <= PIPA_DEMANGLE_PARAMS; flags++) {
		n = pipa_demangle(name, size, flags, out, sizeof(out));
		MUST(n < sizeof(out));
		MUST(!n || (strlen(out) == n && pipa_is_mangled(name, size)));
		if (!n)
			continue;
		MUST(pipa_demangle(name, size, flags, again, n + 1) == n);
		MUST(memcmp(out, again, n + 1) == 0);
		MUST(pipa_demangle(name, size, flags, again, n) == 0);
	}
	return 0;
}
