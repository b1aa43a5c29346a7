/*
 * Any bytes as an ELF image, without and with itself as the debug file: all returned spans are
 * within the bytes, strings end, tables are sorted, and all lookups give the same result.
 */
#include <elf.h>

#include "elf/elf.h"
#include "elf/identity.h"
#include "elf/inflate.h"
#include "elf/plt.h"
#include "elf/symtab.h"
#include "fuzz.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"

enum { INFLATED_MAX = 1 << 16, ASKED = 64 };

static void within(struct pipa_span file, struct pipa_span part)
{
	MUST(!part.size || (part.data >= file.data && part.size <= file.size &&
			    (size_t)(part.data - file.data) <= file.size - part.size));
}

static void look_at_sections(const struct pipa_elf *elf)
{
	struct pipa_elf_section section;
	struct pipa_inflated inflated;
	struct pipa_span strings;
	unsigned int budget = 16; /* enough to try them, not to spend the day */
	uint32_t i;

	for (i = 0; pipa_elf_section(elf, i, &section); i++) {
		MUST(strlen(section.name) < elf->file.size);
		within(elf->file, pipa_elf_section_bytes(elf, &section));
		strings = pipa_elf_section_strings(elf, &section);
		within(elf->file, strings);
		MUST(!strings.size || strings.data[strings.size - 1] == '\0');
		if (budget && pipa_elf_section_compressed(elf, &section)) {
			budget--;
			if (pipa_elf_section_inflate(elf, &section, INFLATED_MAX, &inflated,
						     NULL) == 0) {
				MUST(inflated.size <= INFLATED_MAX);
				free(inflated.data);
			}
		}
	}
	if (pipa_elf_minidebug(elf, INFLATED_MAX, &inflated, NULL) == 0) {
		MUST(inflated.size <= INFLATED_MAX);
		free(inflated.data);
	}
}

static void look_at_identity(const struct pipa_elf *elf)
{
	struct pipa_elf_debuglink link;
	struct pipa_elf_altlink alt;
	struct pipa_span id;

	if (pipa_elf_build_id(elf, &id)) {
		within(elf->file, id);
		MUST(id.size && id.size <= PIPA_ELF_BUILD_ID_MAX);
	}
	if (pipa_elf_debuglink(elf, &link))
		MUST(strlen(link.name) < elf->file.size);
	if (pipa_elf_altlink(elf, &alt))
		within(elf->file, alt.build_id);
}

static void look_at_symbols(const struct pipa_elf *elf, uint32_t type)
{
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf_stub *stubs = NULL;
	size_t i = 0, n = 0;

	if (pipa_elf_symtab_init(&tab, elf, type))
		while (pipa_elf_functions_next(&tab, &i, &symbol))
			MUST(memchr(pipa_elf_symtab_name(&tab, &symbol), '\0', elf->file.size));
	MUST(pipa_elf_stubs(elf, &stubs, &n) == 0);
	for (i = 1; i < n; i++)
		MUST(stubs[i - 1].addr <= stubs[i].addr);
	free(stubs);
}

static void ask(const struct pipa_image *object, size_t size)
{
	const struct pipa_symbols *symbols = pipa_image_symbols(object);
	uint64_t offsets[ASKED], addr;
	uint32_t out[ASKED], i;

	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		struct pipa_symbol s = pipa_symbols_get(symbols, i);

		MUST(s.name && s.name_len <= 1 << 16);
		MUST(!i || pipa_symbols_get(symbols, i - 1).start < s.start);
	}
	for (i = 0; i < ASKED; i++)
		offsets[i] = (uint64_t)size * i / ASKED;
	pipa_image_resolve(object, offsets, ASKED, out);
	for (i = 0; i < ASKED; i++) {
		uint32_t one = pipa_image_addr(object, offsets[i], &addr) ?
				       pipa_symbols_find(symbols, addr) :
				       PIPA_SYMBOL_NONE;

		MUST(out[i] == one);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_span file = { data, size };
	struct pipa_image_files files = { .main = file };
	struct pipa_image *object = NULL;
	struct pipa_elf elf;

	if (pipa_elf_init(&elf, file, NULL) < 0) {
		MUST(pipa_image_new(&files, &object, NULL) < 0);
		return 0;
	}
	look_at_sections(&elf);
	look_at_identity(&elf);
	look_at_symbols(&elf, SHT_SYMTAB);
	look_at_symbols(&elf, SHT_DYNSYM);

	MUST(pipa_image_new(&files, &object, NULL) == 0);
	ask(object, size);
	pipa_image_free(object);
	files.debug = file;
	MUST(pipa_image_new(&files, &object, NULL) == 0);
	ask(object, size);
	pipa_image_free(object);
	return 0;
}
