/* Comparison with readelf and objdump on real files, of this machine and of others. */
#include <elf.h>
#include <link.h>

#include "elf/elf.h"
#include "elf/identity.h"
#include "elf/plt.h"
#include "elf/symtab.h"
#include "lib/oracle.h"
#include "lib/test.h"

static int keep_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	if (strstr(info->dlpi_name, "libc.so"))
		snprintf(data, 4096, "%s", info->dlpi_name);
	return 0;
}

/* A library with everything: the C library in use, else the shell. */
static const char *some_file(void)
{
	static char path[4096];

	dl_iterate_phdr(keep_libc, path);
	if (!path[0])
		snprintf(path, sizeof(path), "/bin/sh");
	return path;
}

static void check_sections(const char *path)
{
	FILE *out = oracle_read(
		"LC_ALL=C readelf -SW %s | sed -n 's/^ *\\[ *\\([0-9]*\\)\\] /\\1 /p'", path);
	struct pipa_elf_section section;
	struct pipa_elf elf;
	char line[4096], name[512], type[64];
	unsigned long long addr, offset, size;
	unsigned int index, n = 0;

	CHECK_EQ(pipa_elf_init(&elf, oracle_map(path), NULL), 0);
	while (fgets(line, sizeof(line), out)) {
		/* NOLINTNEXTLINE(cert-err34-c): readelf's own numbers */
		if (sscanf(line, "%u %511s %63s %llx %llx %llx", &index, name, type, &addr, &offset,
			   &size) != 6 ||
		    !index)
			continue;
		CHECK(pipa_elf_section(&elf, index, &section));
		CHECK_STR(section.name, name);
		CHECK_EQ(section.addr, addr);
		CHECK_EQ(section.offset, offset);
		CHECK_EQ(section.size, size);
		n++;
	}
	pclose(out);
	CHECK_EQ(elf.n_sections, n + 1);
}

static void check_build_id(const char *path)
{
	FILE *out = oracle_read("LC_ALL=C readelf -n %s | sed -n 's/.*Build ID: //p'", path);
	struct pipa_span id = { NULL, 0 };
	struct pipa_elf elf;
	char want[256] = "", got[256] = "";
	size_t i;

	CHECK_EQ(pipa_elf_init(&elf, oracle_map(path), NULL), 0);
	if (fgets(want, sizeof(want), out))
		want[strcspn(want, "\n")] = '\0';
	pclose(out);
	pipa_elf_build_id(&elf, &id);
	for (i = 0; i < id.size; i++)
		snprintf(got + 2 * i, 3, "%02x", id.data[i]);
	CHECK_STR(got, want);
}

/* Every symbol of every table, field by field; "value size type bind vis index name". */
static void check_symbols(const char *path, uint32_t type, const char *table)
{
	FILE *out = oracle_read("LC_ALL=C readelf -sW %s | awk -v t=\"'%s'\" '/^Symbol table/ "
				"{ on = index($0, t) } on && $1 ~ /^[0-9]+:$/'",
				path, table);
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;
	char line[65536], size[32], kind[32], bind[32], name[32768];
	unsigned long long value;
	unsigned int index;
	size_t n = 0;

	CHECK_EQ(pipa_elf_init(&elf, oracle_map(path), NULL), 0);
	if (!pipa_elf_symtab_init(&tab, &elf, type))
		tab.n = 0;
	while (fgets(line, sizeof(line), out)) {
		name[0] = '\0';
		/* NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(line, " %u: %llx %31s %31s %31s %*s %*s %32767s", &index, &value, size,
			   kind, bind, name) < 5)
			continue;
		CHECK(pipa_elf_symtab_get(&tab, index, &symbol));
		CHECK_EQ(symbol.value, value);
		CHECK_EQ(symbol.size, strtoull(size, NULL, 0));
		CHECK_EQ(symbol.type == STT_FUNC, strcmp(kind, "FUNC") == 0);
		CHECK_EQ(symbol.type == STT_GNU_IFUNC, strcmp(kind, "IFUNC") == 0);
		CHECK_EQ(symbol.binding == STB_WEAK, strcmp(bind, "WEAK") == 0);
		name[strcspn(name, "@")] = '\0'; /* readelf adds the version */
		if (symbol.type != STT_SECTION && symbol.name &&
		    !strchr(pipa_elf_symtab_name(&tab, &symbol), '@'))
			CHECK_STR(pipa_elf_symtab_name(&tab, &symbol), name);
		n++;
	}
	pclose(out);
	CHECK_EQ(tab.n, n);
}

TEST(sections_are_those_that_readelf_shows)
{
	NEED("readelf");
	check_sections(some_file());
	check_sections(oracle_self());
}

TEST(the_build_id_is_the_one_that_readelf_shows)
{
	NEED("readelf");
	check_build_id(some_file());
	check_build_id(oracle_self());
}

TEST(every_symbol_is_the_one_that_readelf_shows)
{
	NEED("readelf");
	NEED("awk");
	check_symbols(some_file(), SHT_DYNSYM, ".dynsym");
	check_symbols(oracle_self(), SHT_SYMTAB, ".symtab");
	check_symbols(oracle_self(), SHT_DYNSYM, ".dynsym");
}

static const char program[] = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
			      "int main(int n, char **v) { printf(\"%d\", n); puts(v[0]);\n"
			      "return (int)strlen(getenv(\"HOME\")) + atoi(v[0]); }\n";

/* Each stub that objdump names is found with that name, and no other one. */
static void check_stubs(const char *objdump, const char *path)
{
	FILE *out = oracle_read("LC_ALL=C %s -d %s 2> /dev/null | sed -n 's/^\\([0-9a-f]*\\) "
				"<\\(.*\\)@plt>:$/\\1 \\2/p'",
				objdump, path);
	struct pipa_elf_stub *stubs = NULL;
	struct pipa_elf_symtab tab;
	struct pipa_elf_symbol symbol;
	struct pipa_elf elf;
	char name[4096];
	unsigned long long addr;
	size_t n = 0, i, found = 0;

	CHECK_EQ(pipa_elf_init(&elf, oracle_map(path), NULL), 0);
	CHECK_EQ(pipa_elf_stubs(&elf, &stubs, &n), 0);
	CHECK(pipa_elf_symtab_init(&tab, &elf, SHT_DYNSYM));
	while (fscanf(out, "%llx %4095s", &addr, name) == 2) { /* NOLINT(cert-err34-c) */
		if (strstr(name, "*ABS*"))
			continue; /* those are named by what they choose */
		name[strcspn(name, "@")] = '\0';
		for (i = 0; i < n && stubs[i].addr != addr; i++)
			;
		if (i == n)
			pipa_test_fail(__FILE__, __LINE__, "%s: no stub at %#llx, %s", path, addr,
				       name);
		CHECK(pipa_elf_symtab_get(&tab, stubs[i].symbol, &symbol));
		CHECK_STR(pipa_elf_symtab_name(&tab, &symbol), name);
		found++;
	}
	pclose(out);
	for (i = 0; i < n; i++)
		found += !stubs[i].symbol;
	CHECK_EQ(found, n);
	free(stubs);
}

static void check_compiled_stubs(const char *cc, const char *flags, const char *objdump)
{
	char source[4096], binary[4096];

	NEED(cc);
	NEED(objdump);
	pipa_test_file(pipa_test_dir(), "stubs.c", program);
	snprintf(source, sizeof(source), "%s/stubs.c", pipa_test_dir());
	snprintf(binary, sizeof(binary), "%s/stubs", pipa_test_dir());
	if (oracle_run("%s %s -w -o %s %s 2> /dev/null", cc, flags, binary, source) != 0)
		SKIP("%s %s cannot link a program", cc, flags);
	check_stubs(objdump, binary);
	check_symbols(binary, SHT_SYMTAB, ".symtab");
	check_sections(binary);
	check_build_id(binary);
}

TEST(stubs_are_those_that_objdump_names)
{
	NEED("objdump");
	check_stubs(oracle_native("objdump"), some_file());
}

TEST(lazily_bound_stubs_are_those_that_objdump_names)
{
	check_compiled_stubs("gcc", "-O1 -Wl,-z,lazy", "objdump");
}

TEST(early_bound_stubs_are_those_that_objdump_names)
{
	check_compiled_stubs("gcc", "-O1 -Wl,-z,now -fcf-protection=full", "objdump");
}

TEST(aarch64_stubs_are_those_that_objdump_names)
{
	check_compiled_stubs("aarch64-linux-gnu-gcc", "-O1 -Wl,-z,lazy",
			     "aarch64-linux-gnu-objdump");
}

TEST(aarch64_stubs_with_landing_pads_are_those_that_objdump_names)
{
	check_compiled_stubs("aarch64-linux-gnu-gcc",
			     "-O1 -mbranch-protection=standard -Wl,-z,force-bti",
			     "aarch64-linux-gnu-objdump");
}

TEST(riscv64_stubs_are_those_that_objdump_names)
{
	check_compiled_stubs("riscv64-linux-gnu-gcc", "-O1", "riscv64-linux-gnu-objdump");
}

static void check_foreign(const char *target)
{
	char path[4096];

	NEED("clang");
	NEED("readelf");
	snprintf(path, sizeof(path), "%s/foreign.o", pipa_test_dir());
	if (oracle_run("echo 'int shared; static int inner(int a) { return a * shared; }"
		       "int outer(int a) { return inner(a) + inner(a + 1); }' |"
		       " clang --target=%s -O0 -x c -c -o %s - 2> /dev/null",
		       target, path) != 0)
		SKIP("clang cannot compile for %s", target);
	check_sections(path);
	check_symbols(path, SHT_SYMTAB, ".symtab");
}

#define FOREIGN(id, target)                                                                        \
	TEST(objects_for_##id##_are_what_readelf_shows)                                            \
	{                                                                                          \
		check_foreign(target);                                                             \
	}

FOREIGN(i386, "i386-linux-gnu")
FOREIGN(arm, "armv7-linux-gnueabihf")
FOREIGN(big_endian_arm, "armebv7-linux-gnueabihf")
FOREIGN(big_endian_aarch64, "aarch64_be-linux-gnu")
FOREIGN(riscv32, "riscv32-linux-gnu")
FOREIGN(powerpc64, "powerpc64-linux-gnu")
FOREIGN(mips, "mips-linux-gnu")
FOREIGN(s390x, "s390x-linux-gnu")
