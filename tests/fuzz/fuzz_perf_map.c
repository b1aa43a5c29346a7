/* Any text as a perf map: pieces in order that do not overlap, with names of the text. */
#include "fuzz.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct pipa_symbols *symbols = NULL;
	uint64_t end = 0;
	size_t skipped;
	uint32_t i;

	MUST(pipa_perf_map_decode(text, size, &symbols, &skipped) == 0);
	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		struct pipa_symbol s = pipa_symbols_get(symbols, i);

		MUST(s.name_len && s.name >= text && s.name + s.name_len <= text + size);
		MUST(s.size && s.start >= end && s.size <= UINT64_MAX - s.start);
		end = s.start + s.size;
		MUST(pipa_symbols_find(symbols, s.start) == i);
		MUST(pipa_symbols_find(symbols, end - 1) == i);
	}
	pipa_symbols_free(symbols);
	return 0;
}
