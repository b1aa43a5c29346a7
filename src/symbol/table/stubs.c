#include "symbol/table/stubs.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "elf/elf.h"
#include "elf/plt.h"
#include "elf/symtab.h"
#include "symbol/table/table_build.h"

enum { CALLEE_MAX = 4096 }; /* limit of a stub's name */

/* Callee of a stub: a name in a string table. */
struct callee {
	const char *name;
	const struct pipa_elf_stub *stub;
};

static int by_target(const void *a, const void *b)
{
	uint64_t x = ((const struct callee *)a)->stub->target;
	uint64_t y = ((const struct callee *)b)->stub->target;

	return (x > y) - (x < y);
}

/*
 * Name the callees of slots without a symbol. They are set at start by an IFUNC resolver, whose
 * address is the value of the IFUNC symbol; use its name. Of several symbols the first without a
 * leading underscore is used, else the first.
 */
static void name_chosen(struct callee *callees, size_t n, struct pipa_elf_symtab *tab)
{
	struct pipa_elf_symbol symbol;
	struct pipa_elf_stub stub;
	struct callee key = { .stub = &stub }, *found;
	const char *name;
	size_t i = 0;

	qsort(callees, n, sizeof(*callees), by_target);
	while (pipa_elf_functions_next(tab, &i, &symbol)) {
		if (symbol.type != STT_GNU_IFUNC)
			continue;
		stub.target = symbol.value;
		found = bsearch(&key, callees, n, sizeof(*callees), by_target);
		if (!found || found->stub->symbol)
			continue;
		name = pipa_elf_symtab_name(tab, &symbol);
		if (!found->name || (found->name[0] == '_' && name[0] != '_'))
			found->name = name;
	}
	for (i = 1; i < n; i++) /* bsearch() returned one of several with the same target */
		if (!callees[i].name && callees[i].stub->target == callees[i - 1].stub->target)
			callees[i].name = callees[i - 1].name;
	for (i = n - 1; i > 0; i--)
		if (!callees[i - 1].name && callees[i].stub->target == callees[i - 1].stub->target)
			callees[i - 1].name = callees[i].name;
}

static int add_callees(struct pipa_symbols *symbols, const struct callee *callees, size_t n)
{
	size_t i, len;
	int rc = 0, any = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		struct pipa_symbol_row row = { .start = callees[i].stub->addr,
					       .size = callees[i].stub->size };

		len = callees[i].name ? strnlen(callees[i].name, CALLEE_MAX) : 0;
		if (!len)
			continue;
		any = 1;
		rc = pipa_symbols_add_copy(symbols, &row, callees[i].name, len, "@plt");
	}
	return rc && rc != -EFBIG ? rc : any; /* too many stubs: corrupt */
}

int pipa_symbols_add_stubs(struct pipa_symbols *symbols, const struct pipa_elf *elf)
{
	PIPA_AUTO(free) struct pipa_elf_stub *stubs = NULL;
	PIPA_AUTO(free) struct callee *callees = NULL;
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	size_t i, n = 0, chosen = 0;
	int rc = pipa_elf_stubs(elf, &stubs, &n);

	if (rc < 0 || !n)
		return rc;
	callees = calloc(n, sizeof(*callees));
	if (!callees)
		return -ENOMEM;
	if (!pipa_elf_symtab_init(&tab, elf, SHT_DYNSYM))
		tab.n = 0; /* static program: only slots of IFUNCs */
	for (i = 0; i < n; i++) {
		callees[i].stub = &stubs[i];
		if (!stubs[i].symbol)
			chosen++;
		else if (pipa_elf_symtab_get(&tab, stubs[i].symbol, &symbol))
			callees[i].name = pipa_elf_symtab_name(&tab, &symbol);
	}
	if (chosen && (pipa_elf_symtab_init(&tab, elf, SHT_SYMTAB) || tab.n))
		name_chosen(callees, n, &tab);
	return add_callees(symbols, callees, n);
}
