#include "elf/program.h"

#include <elf.h>
#include <string.h>

#include "base/auto.h"
#include "base/str.h"
#include "elf/elf.h"
#include "elf/symtab.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* Names of dynamic loaders begin with these. */
static const struct {
	const char *prefix;
	enum pipa_elf_libc libc;
} loaders[] = {
	{ "ld-linux", PIPA_ELF_LIBC_GLIBC }, /* ld-linux-x86-64.so.2, ld-linux-aarch64.so.1 */
	{ "ld64.so", PIPA_ELF_LIBC_GLIBC },  /* s390x, ppc64 */
	{ "ld.so", PIPA_ELF_LIBC_GLIBC },
	{ "ld-musl", PIPA_ELF_LIBC_MUSL },
};

static const struct {
	uint16_t machine;
	const char *name;
} machines[] = {
	{ EM_X86_64, "x86_64" }, { EM_AARCH64, "aarch64" }, { EM_RISCV, "riscv64" },
	{ EM_386, "i386" },	 { EM_ARM, "arm" },	    { EM_PPC64, "ppc64" },
	{ EM_S390, "s390x" },	 { EM_MIPS, "mips" },	    { EM_LOONGARCH, "loongarch64" },
};

const char *pipa_elf_machine_name(uint16_t machine)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(machines); i++)
		if (machines[i].machine == machine)
			return machines[i].name;
	return NULL;
}

uint16_t pipa_elf_own_machine(void)
{
#if defined(__x86_64__)
	return EM_X86_64;
#elif defined(__aarch64__)
	return EM_AARCH64;
#else
	return EM_RISCV;
#endif
}

static enum pipa_elf_libc libc_of_loader(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; i < PIPA_COUNT(loaders); i++)
		if (pipa_str_starts(name, loaders[i].prefix))
			return loaders[i].libc;
	return PIPA_ELF_LIBC_OTHER;
}

/* Return the path of the loader, NULL without one or if it is not a string within the file. */
static const char *find_loader(const struct pipa_elf *elf)
{
	struct pipa_elf_segment segment;
	struct pipa_span path;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &segment); i++)
		if (segment.type == PT_INTERP &&
		    pipa_span_cut(elf->file, segment.offset, segment.file_size, &path) &&
		    path.data && memchr(path.data, '\0', path.size))
			return (const char *)path.data;
	return NULL;
}

static bool defines_malloc(const struct pipa_elf *elf, uint32_t type)
{
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	size_t i;

	if (!pipa_elf_symtab_init(&tab, elf, type))
		return false;
	for (i = 0; pipa_elf_symtab_get(&tab, i, &symbol); i++)
		if (symbol.section != SHN_UNDEF &&
		    (symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC) &&
		    strcmp(pipa_elf_symtab_name(&tab, &symbol), "malloc") == 0)
			return true;
	return false;
}

void pipa_elf_program_read(const struct pipa_elf *elf, struct pipa_elf_program *ret)
{
	*ret = (struct pipa_elf_program){ .loader = find_loader(elf) };
	if (ret->loader)
		ret->libc = libc_of_loader(ret->loader);
	ret->has_malloc = defines_malloc(elf, SHT_DYNSYM) || defines_malloc(elf, SHT_SYMTAB);
}

bool pipa_script_interpreter(struct pipa_span start, struct pipa_span *ret)
{
	size_t from = 2, to;

	if (start.size < 3 || start.data[0] != '#' || start.data[1] != '!')
		return false;
	while (from < start.size && (start.data[from] == ' ' || start.data[from] == '\t'))
		from++;
	for (to = from; to < start.size && !memchr(" \t\n", start.data[to], 4); to++)
		;
	*ret = (struct pipa_span){ start.data + from, to - from };
	return to > from;
}
