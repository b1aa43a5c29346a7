/* Any text as the kernel's list: sorted symbols whose names lie in the text, or none when hidden. */
#include "fuzz.h"
#include "symbol/kallsyms.h"
#include "symbol/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct pipa_kallsyms k;
	uint32_t i;

	MUST(pipa_kallsyms_decode(text, size, &k) == 0);
	MUST(!k.hidden || pipa_symbols_count(k.symbols) == 0);
	for (i = 0; i < pipa_symbols_count(k.symbols); i++) {
		struct pipa_symbol s = pipa_symbols_get(k.symbols, i);

		MUST(s.name >= text && s.name + s.name_len <= text + size);
		MUST(!memchr(s.name, '\n', s.name_len));
		MUST(!s.module || (s.module >= text && s.module + s.module_len <= text + size));
		MUST(!i || pipa_symbols_get(k.symbols, i - 1).start < s.start);
		MUST(s.start == UINT64_MAX || pipa_symbols_find(k.symbols, s.start) == i);
	}
	pipa_symbols_free(k.symbols);
	return 0;
}
