/*
 * Any bytes as an ELF image with DWARF, as its own shared file (dwz), split file and package: answers
 * come, and their texts can be read to the end.
 */
#include "elf/elf.h"
#include "fuzz.h"
#include "symbol/dwarf/dwarf.h"

enum { ASKED = 256 };

static bool fetch(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret)
{
	MUST(strlen(wanted->name) < SIZE_MAX);
	MUST(!wanted->comp_dir || strlen(wanted->comp_dir) < SIZE_MAX);
	*ret = *(struct pipa_span *)ctx;
	return true;
}

static int look(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	size_t i;

	MUST(index < ASKED && n <= PIPA_DWARF_FRAMES_MAX);
	for (i = 0; i < n; i++) {
		MUST(frames[i].inlined == (i + 1 < n));
		*(size_t *)ctx += frames[i].function ? strlen(frames[i].function) : 0;
		*(size_t *)ctx += frames[i].file ? strlen(frames[i].file) : 0;
	}
	return 0;
}

/* Where questions pay: spread over the sections and segments, and both ends of all. */
static void choose(struct pipa_span file, uint64_t *addrs)
{
	struct pipa_elf elf;
	struct pipa_elf_section section;
	uint32_t i = 0, k, n = 0;

	memset(addrs, 0, ASKED * sizeof(*addrs));
	addrs[n++] = UINT64_MAX;
	for (k = 0; k < 32; k++)
		addrs[n++] = k * 8;
	if (pipa_elf_init(&elf, file, NULL) < 0)
		return;
	for (; pipa_elf_section(&elf, i, &section) && n + 32 < ASKED; i++)
		if (section.flags & 4) /* executable */
			for (k = 0; k < 32; k++)
				addrs[n++] = section.addr + section.size * k / 32;
}

static void ask(const struct pipa_dwarf_files *files)
{
	struct pipa_dwarf *dwarf = NULL;
	uint64_t addrs[ASKED];
	size_t bytes = 0;

	if (pipa_dwarf_new(files, &dwarf, NULL) < 0)
		return;
	choose(files->main, addrs);
	MUST(pipa_dwarf_resolve(dwarf, addrs, ASKED, look, &bytes) == 0);
	pipa_dwarf_free(dwarf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_span file = { data, size };

	ask(&(struct pipa_dwarf_files){ .main = file, .alt = file, .fetch = fetch, .ctx = &file });
	ask(&(struct pipa_dwarf_files){ .main = file, .debug = file, .package = file });
	return 0;
}
