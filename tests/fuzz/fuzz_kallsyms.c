/* Any text as the kernel's list: sorted symbols whose names lie in the text, or none when hidden. */
#include "fuzz.h"
#include "symbol/table/kallsyms.h"
#include "symbol/table/table.h"

static bool is_same(const struct pipa_kallsyms *a, const struct pipa_kallsyms *b, uint64_t addr)
{
	uint32_t x = pipa_symbols_find(a->symbols, addr), y = pipa_symbols_find(b->symbols, addr);
	struct pipa_symbol s, t;

	if (x == PIPA_SYMBOL_NONE || y == PIPA_SYMBOL_NONE)
		return x == y;
	s = pipa_symbols_get(a->symbols, x);
	t = pipa_symbols_get(b->symbols, y);
	return s.start == t.start && s.size == t.size && s.name == t.name;
}

/* Some addresses, here of every third symbol and after it: the results of the whole list. */
static void check_near(const char *text, size_t size, const struct pipa_kallsyms *all)
{
	enum { MOST = 64 };
	uint64_t addrs[MOST];
	struct pipa_kallsyms k;
	size_t n = 0, i;

	for (i = 0; i < pipa_symbols_count(all->symbols) && n + 2 <= MOST; i += 3) {
		struct pipa_symbol s = pipa_symbols_get(all->symbols, (uint32_t)i);

		addrs[n++] = s.start;
		if (s.size > 1)
			addrs[n++] = s.start + s.size - 1;
	}
	MUST(pipa_kallsyms_decode_near(text, size, addrs, n, &k) == 0);
	MUST(k.hidden == all->hidden && k.text == all->text);
	for (i = 0; i < n; i++)
		MUST(is_same(all, &k, addrs[i]));
	pipa_symbols_free(k.symbols);
}

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
	check_near(text, size, &k);
	pipa_symbols_free(k.symbols);
	return 0;
}
