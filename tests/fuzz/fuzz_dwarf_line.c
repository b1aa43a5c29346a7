/*
 * Any bytes as .debug_line of a unit that covers all addresses: the program ends, and the line of
 * an address does not depend on earlier queries, nor on when it is run.
 */
#include <elf.h>

#include "base/hash.h"
#include "fuzz.h"
#include "symbol/dwarf/dwarf.h"

enum { ASKED = 128, NAMES = 64, SECTIONS = 5 };

/* stmt_list 0, low_pc 1, high_pc the highest address, comp_dir "/d" */
static const uint8_t abbrev[] = { 1,	0x11, 0,    0x10, 0x17, 0x11, 0x01,
				  0x12, 0x01, 0x1b, 0x08, 0,	0,    0 };
static const uint8_t info[] = { 31,   0,    0,	  0,	4,    0,    0,	  0,	0,   0,	  8, 1,
				0,    0,    0,	  0,	1,    0,    0,	  0,	0,   0,	  0, 0,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, '/', 'd', 0 };
static const char names[NAMES] = "\0.debug_abbrev\0.debug_info\0.debug_line\0.shstrtab";

static size_t put(uint8_t *image, size_t at, Elf64_Shdr *header, uint32_t name, const void *bytes,
		  size_t size)
{
	*header = (Elf64_Shdr){
		.sh_name = name, .sh_type = SHT_PROGBITS, .sh_offset = at, .sh_size = size
	};
	if (size)
		memcpy(image + at, bytes, size);
	return at + size;
}

/* The caller frees. */
static uint8_t *wrap(const uint8_t *data, size_t size, size_t *ret_size)
{
	size_t at = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
	size_t all = at + sizeof(abbrev) + sizeof(info) + sizeof(names) + size;
	Elf64_Ehdr head = { .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head),
			    .e_shoff = sizeof(head),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = SECTIONS,
			    .e_shstrndx = 4 };
	Elf64_Shdr headers[SECTIONS] = { 0 };
	uint8_t *image = malloc(all);

	MUST(image);
	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	head.e_ident[EI_VERSION] = EV_CURRENT;
	at = put(image, at, &headers[1], 1, abbrev, sizeof(abbrev));
	at = put(image, at, &headers[2], 15, info, sizeof(info));
	at = put(image, at, &headers[4], 39, names, sizeof(names));
	put(image, at, &headers[3], 27, data, size); /* last: a read past its end is seen */
	memcpy(image, &head, sizeof(head));
	memcpy(image + sizeof(head), headers, sizeof(headers));
	*ret_size = all;
	return image;
}

static int look(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	uint64_t *sums = ctx;
	const char *file = n && frames[0].file ? frames[0].file : "";

	MUST(n <= 1);
	sums[index] = pipa_hash_bytes(file, strlen(file), n ? frames[0].line + UINT64_C(1) : 0);
	return 0;
}

static bool go_on(void *ctx)
{
	return (*(unsigned int *)ctx)++ < 1;
}

/* The table is made before the unit is known. */
static void ask_ahead(const struct pipa_dwarf_files *files, const uint64_t *addrs, uint64_t *sums)
{
	struct pipa_dwarf *dwarf = NULL;
	unsigned int n = 0;

	MUST(pipa_dwarf_new(files, &dwarf, NULL) == 0);
	pipa_dwarf_preload_lines(dwarf, go_on, &n);
	MUST(pipa_dwarf_resolve(dwarf, addrs, ASKED, look, sums) == 0);
	pipa_dwarf_free(dwarf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t addrs[ASKED], there[ASKED], back[ASKED], ahead[ASKED];
	struct pipa_dwarf_files files = { 0 };
	struct pipa_dwarf *dwarf = NULL;
	size_t all, i;
	uint8_t *image = wrap(data, size, &all);

	files.main = (struct pipa_span){ image, all };
	for (i = 0; i < ASKED; i++)
		addrs[i] = i < 64 ? i + 1 : UINT64_C(0x401000) + (i - 64) * 4;
	MUST(pipa_dwarf_new(&files, &dwarf, NULL) == 0);
	MUST(pipa_dwarf_resolve(dwarf, addrs, ASKED, look, there) == 0);
	for (i = ASKED; i > 0; i--)
		MUST(pipa_dwarf_resolve(dwarf, &addrs[i - 1], 1, look, &back[i - 1]) == 0);
	ask_ahead(&files, addrs, ahead);
	for (i = 0; i < ASKED; i++)
		MUST(there[i] == back[i] && there[i] == ahead[i]);
	pipa_dwarf_free(dwarf);
	free(image);
	return 0;
}
