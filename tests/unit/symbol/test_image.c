/* Whole files: which table is taken, from offsets to names, and every symbol against nm. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

#include <lzma.h>

#include "base/error.h"
#include "lib/elf_image.h"
#include "lib/oracle.h"
#include "lib/test.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"

static const uint8_t code[256];

static struct pipa_image *open_files(struct pipa_span main, struct pipa_span debug)
{
	struct pipa_image *object = NULL;
	struct pipa_image_files files = { main, debug };

	CHECK_EQ(pipa_image_new(&files, &object, NULL), 0);
	return object;
}

static const char *name_of(const struct pipa_image *object, uint32_t index)
{
	static char name[65536];
	struct pipa_symbol s;

	if (index == PIPA_SYMBOL_NONE)
		return "-";
	s = pipa_symbols_get(pipa_image_symbols(object), index);
	snprintf(name, sizeof(name), "%.*s", (int)s.name_len, s.name);
	return name;
}

static const char *at(const struct pipa_image *object, uint64_t offset)
{
	uint32_t index;

	pipa_image_resolve(object, &offset, 1, &index);
	return name_of(object, index);
}

/* .text at 0x401000 with its segment, and these symbols in a table of this type. */
static struct elf_image *make(const struct elf_image_symbol *symbols, size_t n, uint32_t type,
			      uint64_t base, uint64_t *text_at)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = base,
						       .bytes = code,
						       .size = sizeof(code) },
			  text_at);
	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_X, *text_at, base,
							      sizeof(code), sizeof(code), 4096 });
	if (n)
		elf_image_symbols(image, type, symbols, n);
	return image;
}

static const struct elf_image_symbol full[] = {
	{ "inner", 0x401010, 0x10, STT_FUNC, STB_LOCAL, 0, 1 },
	{ "outer", 0x401000, 0x10, STT_FUNC, STB_GLOBAL, 0, 1 },
	{ "label", 0x401040, 0, STT_NOTYPE, STB_LOCAL, 0, 1 },
};

static const struct elf_image_symbol exported[] = {
	{ "outer_exported", 0x401000, 0x10, STT_FUNC, STB_GLOBAL, 0, 1 },
};

TEST(file_offsets_become_names_in_one_walk)
{
	uint64_t text_at, offsets[6];
	struct elf_image *image = make(full, 3, SHT_SYMTAB, 0x401000, &text_at);
	struct pipa_image *object = open_files(elf_image_finish(image), (struct pipa_span){ 0 });
	uint32_t out[6];
	size_t i;

	static const uint64_t places[] = { 0, 0xf, 0x10, 0x20, 0x40, 0xff };
	static const char *const want[] = { "outer", "outer", "inner", "-", "label", "label" };

	for (i = 0; i < 6; i++)
		offsets[i] = text_at + places[i];
	pipa_image_resolve(object, offsets, 6, out);
	for (i = 0; i < 6; i++)
		CHECK_STR(name_of(object, out[i]), want[i]);
	CHECK_STR(at(object, 0), "-"); /* the header is in no segment */
	CHECK_STR(at(object, text_at + 0x100), "-");
	CHECK_EQ(pipa_image_sources(object), PIPA_FROM_SYMTAB);
	pipa_image_free(object);
	elf_image_free(image);
}

TEST(long_batches_are_resolved_like_single_offsets)
{
	enum { N = 1500 };
	static uint64_t offsets[N];
	static uint32_t out[N];
	uint64_t text_at;
	struct elf_image *image = make(full, 3, SHT_SYMTAB, 0x401000, &text_at);
	struct pipa_image *object = open_files(elf_image_finish(image), (struct pipa_span){ 0 });
	uint32_t single;
	size_t i;

	for (i = 0; i < N; i++)
		offsets[i] = i / 4; /* before, within and after the code, each several times */
	pipa_image_resolve(object, offsets, N, out);
	for (i = 0; i < N; i++) {
		pipa_image_resolve(object, &offsets[i], 1, &single);
		CHECK_EQ(out[i], single);
	}
	pipa_image_free(object);
	elf_image_free(image);
}

/* The segment that comes later in the file is linked lower. */
TEST(segments_in_another_order_than_their_addresses_are_resolved)
{
	static const struct elf_image_symbol symbols[] = {
		{ "high", 0x401000, 0x10, STT_FUNC, STB_GLOBAL, 0, 1 },
		{ "low", 0x1000, 0x10, STT_FUNC, STB_GLOBAL, 0, 1 },
	};
	uint64_t text_at, offsets[4];
	struct elf_image *image = make(symbols, 2, SHT_SYMTAB, 0x401000, &text_at);
	struct pipa_image *object;
	uint32_t out[4];

	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_X, text_at + 0x100,
							      0x1000, 0x80, 0x80, 4096 });
	object = open_files(elf_image_finish(image), (struct pipa_span){ 0 });
	offsets[0] = text_at;
	offsets[1] = text_at + 0x20;
	offsets[2] = text_at + 0x100;
	offsets[3] = text_at + 0x110;
	pipa_image_resolve(object, offsets, 4, out);
	CHECK_STR(name_of(object, out[0]), "high");
	CHECK_STR(name_of(object, out[1]), "-");
	CHECK_STR(name_of(object, out[2]), "low");
	CHECK_STR(name_of(object, out[3]), "-");
	pipa_image_free(object);
	elf_image_free(image);
}

TEST(the_debug_files_table_comes_first_and_may_be_linked_elsewhere)
{
	uint64_t text_at, debug_at;
	struct elf_image *main = make(exported, 1, SHT_DYNSYM, 0x3f401000,
				      &text_at); /* prelinked */
	struct elf_image *debug = make(full, 3, SHT_SYMTAB, 0x401000, &debug_at);
	struct pipa_image *object = open_files(elf_image_finish(main), elf_image_finish(debug));

	CHECK_EQ(pipa_image_sources(object), PIPA_FROM_DEBUG_FILE);
	CHECK_STR(at(object, text_at + 0x12), "inner");
	CHECK_STR(at(object, text_at), "outer");
	pipa_image_free(object);
	elf_image_free(main);
	elf_image_free(debug);
}

TEST(a_debug_file_of_another_machine_or_no_file_is_done_without)
{
	struct elf_image *other = elf_image_new(true, false, EM_AARCH64, ET_DYN);
	uint64_t text_at;
	struct elf_image *main = make(exported, 1, SHT_DYNSYM, 0x401000, &text_at);
	struct pipa_image *object;

	elf_image_symbols(other, SHT_SYMTAB, full, 3);
	object = open_files(elf_image_finish(main), elf_image_finish(other));
	CHECK_EQ(pipa_image_sources(object), PIPA_FROM_DYNSYM);
	pipa_image_free(object);
	object = open_files(elf_image_finish(main), (struct pipa_span){ code, sizeof(code) });
	CHECK_STR(at(object, text_at), "outer_exported");
	pipa_image_free(object);
	elf_image_free(main);
	elf_image_free(other);
}

TEST(minidebug_and_exported_names_are_put_together)
{
	static uint8_t packed[1 << 16];
	static const struct elf_image_symbol hidden[] = {
		{ "inner", 0x401010, 0x10, STT_FUNC, STB_LOCAL, 0, 1 },
	};
	uint64_t text_at, mini_at;
	struct elf_image *main = make(exported, 1, SHT_DYNSYM, 0x401000, &text_at);
	struct elf_image *mini = make(hidden, 1, SHT_SYMTAB, 0x401000, &mini_at);
	struct pipa_span bytes = elf_image_finish(mini);
	struct pipa_image *object;
	size_t n = 0;

	CHECK_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, bytes.data, bytes.size, packed,
					 &n, sizeof(packed)),
		 LZMA_OK);
	elf_image_section(main,
			  &(struct elf_image_section){ .name = ".gnu_debugdata",
						       .type = SHT_PROGBITS,
						       .bytes = packed,
						       .size = n },
			  NULL);
	object = open_files(elf_image_finish(main), (struct pipa_span){ 0 });
	elf_image_free(mini);
	CHECK_EQ(pipa_image_sources(object), PIPA_FROM_MINIDEBUG | PIPA_FROM_DYNSYM);
	CHECK_STR(at(object, text_at), "outer_exported");
	CHECK_STR(at(object, text_at + 0x10), "inner");
	pipa_image_free(object);
	elf_image_free(main);
}

TEST(a_moved_kernel_is_asked_with_its_slide)
{
	static const struct elf_image_symbol kernel[] = {
		{ "_text", 0xffffffff81000000, 0, STT_NOTYPE, STB_GLOBAL, 0, 1 },
		{ "do_work", 0xffffffff81000010, 0x20, STT_FUNC, STB_GLOBAL, 0, 1 },
	};
	static const uint64_t addrs[] = { 0xffffffff9a000000, 0xffffffff9a000011,
					  0xffffffff9a000030 };
	uint64_t text_at;
	struct elf_image *image = make(kernel, 2, SHT_SYMTAB, 0xffffffff81000000, &text_at);
	struct pipa_image *object = open_files(elf_image_finish(image), (struct pipa_span){ 0 });
	uint32_t out[3];

	pipa_image_resolve_moved(object, 0x19000000, addrs, 3, out);
	CHECK_STR(name_of(object, out[0]), "_text");
	CHECK_STR(name_of(object, out[1]), "do_work");
	CHECK_STR(name_of(object, out[2]), "-");
	pipa_image_free(object);
	elf_image_free(image);
}

/* .init.text is elsewhere and goes; the others follow each other at their alignment. */
TEST(kernel_modules_lie_as_the_kernel_loads_them)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_REL);
	static const struct elf_image_symbol symbols[] = {
		{ "start_up", 0, 8, STT_FUNC, STB_LOCAL, 0, 1 },
		{ "work", 0x20, 8, STT_FUNC, STB_LOCAL, 0, 2 },
		{ "rare", 4, 8, STT_FUNC, STB_LOCAL, 0, 4 },
		{ "leave", 0, 8, STT_FUNC, STB_GLOBAL, 0, 5 },
	};
	static const struct {
		const char *name;
		uint64_t flags, align;
		size_t size;
	} sections[] = {
		{ ".init.text", SHF_ALLOC | SHF_EXECINSTR, 16, 64 },
		{ ".text", SHF_ALLOC | SHF_EXECINSTR, 16, 0x31 },
		{ ".data", SHF_ALLOC | SHF_WRITE, 8, 64 },
		{ ".text.unlikely", SHF_ALLOC | SHF_EXECINSTR, 16, 0x20 },
		{ ".exit.text", SHF_ALLOC | SHF_EXECINSTR, 1, 16 },
	};
	struct pipa_image *object;
	size_t i;

	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		elf_image_section(image,
				  &(struct elf_image_section){ .name = sections[i].name,
							       .type = SHT_PROGBITS,
							       .flags = sections[i].flags,
							       .bytes = code,
							       .size = sections[i].size,
							       .align = sections[i].align },
				  NULL);
	elf_image_symbols(image, SHT_SYMTAB, symbols, 4);
	object = open_files(elf_image_finish(image), (struct pipa_span){ 0 });
	CHECK_STR(at(object, 0x20), "work");
	CHECK_STR(at(object, 0x44), "rare"); /* 0x31 up to 0x40, and 4 */
	CHECK_STR(at(object, 0x60), "leave");
	CHECK_STR(at(object, 0), "-");
	CHECK_EQ(pipa_symbols_count(pipa_image_symbols(object)), 3);
	pipa_image_free(object);
	elf_image_free(image);
}

TEST(non_elf_files_are_refused_and_images_without_symbols_are_empty)
{
	struct elf_image *image = elf_image_new(false, true, EM_PPC, ET_EXEC);
	struct pipa_image_files files = { { code, sizeof(code) }, { NULL, 0 } };
	struct pipa_error err = { 0 };
	struct pipa_image *object = NULL;

	CHECK(pipa_image_new(&files, &object, &err) < 0);
	CHECK_STR(err.what, "not an ELF file");
	CHECK(!object);
	files.main = elf_image_finish(image);
	CHECK_EQ(pipa_image_new(&files, &object, NULL), 0);
	CHECK_EQ(pipa_image_sources(object), 0);
	CHECK_STR(at(object, 0), "-");
	pipa_image_free(object);
	elf_image_free(image);
}

/* --- the measure: nm --- */

struct line {
	uint64_t addr, size;
	char *name;
};

static struct line *lines;
static size_t n_lines;

static int by_addr(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static void read_nm(const char *nm, const char *options, const char *path)
{
	FILE *out = oracle_read("LC_ALL=C %s %s --defined-only --without-symbol-versions -f posix "
				"%s 2> /dev/null",
				nm, options, path);
	static char text[65536], name[65536];
	unsigned long long addr, size;
	size_t cap = 0;
	char type;

	n_lines = 0;
	while (fgets(text, sizeof(text), out)) {
		size = 0;
		/* NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(text, "%65535s %c %llx %llx", name, &type, &addr, &size) < 3 ||
		    !strchr("tTwWiu", type))
			continue;
		if (n_lines == cap) {
			cap = cap ? cap * 2 : 1024;
			lines = realloc(lines, cap * sizeof(*lines));
			CHECK(lines);
		}
		lines[n_lines++] = (struct line){ addr, size, strdup(name) };
	}
	pclose(out);
	if (n_lines)
		qsort(lines, n_lines, sizeof(*lines), by_addr);
}

static const struct line *first_at(uint64_t addr);

/*
 * nm calls tables that assembly keeps among the code, and weak variables of threads, code too: readelf knows them, and
 * they do not count.
 */
static void leave_out_data(const char *path)
{
	FILE *out = oracle_read("LC_ALL=C readelf -sW %s 2> /dev/null | "
				"awk '$4 == \"OBJECT\" || $4 == \"TLS\" { print $2 }'",
				path);
	struct line *line;
	char text[64];

	while (fgets(text, sizeof(text), out)) {
		uint64_t addr = strtoull(text, NULL, 16);

		line = lines + (first_at(addr) ? first_at(addr) - lines : (ptrdiff_t)n_lines);
		for (; line < lines + n_lines && line->addr == addr; line++)
			line->size = 0;
	}
	pclose(out);
}

static const struct line *first_at(uint64_t addr)
{
	size_t low = 0, high = n_lines;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (lines[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n_lines && lines[low].addr == addr ? &lines[low] : NULL;
}

/*
 * Each symbol of ours is one of nm's, name, start and size. Without versions nm ends every name at the
 * first @, that of a linker's veneer too (e843419@0005_00000029_1000).
 */
static void check_ours(const struct pipa_symbols *symbols)
{
	const struct line *line;
	uint32_t i;

	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		struct pipa_symbol s = pipa_symbols_get(symbols, i);
		const char *at = memchr(s.name, '@', s.name_len);
		size_t len = at ? (size_t)(at - s.name) : s.name_len;

		if (s.name_len > 4 && memcmp(s.name + s.name_len - 4, "@plt", 4) == 0)
			continue;
		for (line = first_at(s.start);
		     line && line < lines + n_lines && line->addr == s.start; line++)
			if (strncmp(line->name, s.name, len) == 0 &&
			    (!line->name[len] || line->name[len] == '@') &&
			    (!line->size || line->size == s.size))
				break;
		if (!line || line == lines + n_lines || line->addr != s.start)
			pipa_test_fail(__FILE__, __LINE__, "nm has no %.*s at %#llx of %llu bytes",
				       (int)s.name_len, s.name, (unsigned long long)s.start,
				       (unsigned long long)s.size);
	}
}

/* Each sized symbol of nm's is found by its first and its last byte's address. */
static void check_theirs(const struct pipa_symbols *symbols)
{
	size_t i;

	for (i = 0; i < n_lines; i++) {
		uint32_t index = pipa_symbols_find(symbols, lines[i].addr);

		if (!lines[i].size)
			continue; /* hidden labels are left out */
		if (index == PIPA_SYMBOL_NONE ||
		    pipa_symbols_get(symbols, index).start != lines[i].addr)
			pipa_test_fail(__FILE__, __LINE__, "%s at %#llx is not found",
				       lines[i].name, (unsigned long long)lines[i].addr);
		CHECK(pipa_symbols_find(symbols, lines[i].addr + lines[i].size - 1) !=
		      PIPA_SYMBOL_NONE);
	}
}

static void check_with(const char *nm, const char *options, const char *path, unsigned int sources)
{
	struct pipa_span file = oracle_map(path);
	struct pipa_image *object;

	if (!file.size)
		SKIP("no %s", path);
	object = open_files(file, (struct pipa_span){ 0 });
	CHECK_EQ(pipa_image_sources(object) & ~(unsigned int)PIPA_FROM_PLT, sources);
	read_nm(nm, options, path);
	CHECK(n_lines > 0);
	leave_out_data(path);
	check_ours(pipa_image_symbols(object));
	check_theirs(pipa_image_symbols(object));
	pipa_image_free(object);
}

static int keep_path(struct dl_phdr_info *info, size_t size, void *data)
{
	const char **want = data;
	static char path[4096];

	(void)size;
	if (strstr(info->dlpi_name, *want)) {
		snprintf(path, sizeof(path), "%s", info->dlpi_name);
		want[1] = path;
	}
	return 0;
}

static void check_library(const char *name)
{
	const char *want[2] = { name, NULL };

	NEED("nm");
	dl_iterate_phdr(keep_path, want);
	if (!want[1])
		SKIP("%s is not in use here", name);
	check_with("nm", "-D", want[1], PIPA_FROM_DYNSYM);
}

TEST(every_exported_function_of_libc_is_the_one_that_nm_shows)
{
	check_library("libc.so");
}

TEST(every_exported_function_of_the_loader_is_the_one_that_nm_shows)
{
	check_library("ld-linux");
}

TEST(every_function_of_a_program_is_the_one_that_nm_shows)
{
	NEED("nm");
	check_with("nm", "", oracle_self(), PIPA_FROM_SYMTAB);
}

TEST(every_function_of_a_static_program_is_the_one_that_nm_shows)
{
	const char *pipa = getenv("PIPA");

	NEED("nm");
	if (!pipa)
		SKIP("PIPA does not name a program");
	check_with("nm", "", pipa, PIPA_FROM_SYMTAB);
}

/* Stripped, with its debug file beside it: the same names at the same offsets as before. */
TEST(a_stripped_program_with_its_debug_file_has_all_its_names)
{
	char stripped[4096], debug[4096];
	struct pipa_image *whole, *parted, *alone;
	const struct pipa_symbols *a, *b;
	uint32_t i;

	NEED("strip");
	NEED("objcopy");
	snprintf(stripped, sizeof(stripped), "%s/stripped", pipa_test_dir());
	snprintf(debug, sizeof(debug), "%s/debug", pipa_test_dir());
	CHECK_EQ(oracle_run("%s -o %s %s", oracle_native("strip"), stripped, oracle_self()), 0);
	CHECK_EQ(oracle_run("%s --only-keep-debug %s %s", oracle_native("objcopy"), oracle_self(),
			    debug),
		 0);
	whole = open_files(oracle_map(oracle_self()), (struct pipa_span){ 0 });
	parted = open_files(oracle_map(stripped), oracle_map(debug));
	alone = open_files(oracle_map(stripped), (struct pipa_span){ 0 });
	CHECK(pipa_image_sources(parted) & PIPA_FROM_DEBUG_FILE);
	CHECK(!(pipa_image_sources(alone) & PIPA_FROM_SYMTAB));
	a = pipa_image_symbols(whole);
	b = pipa_image_symbols(parted);
	CHECK_EQ(pipa_symbols_count(a), pipa_symbols_count(b));
	for (i = 0; i < pipa_symbols_count(a); i++) {
		struct pipa_symbol x = pipa_symbols_get(a, i), y = pipa_symbols_get(b, i);

		CHECK_EQ(x.start, y.start);
		CHECK_EQ(x.size, y.size);
		CHECK(x.name_len == y.name_len && memcmp(x.name, y.name, x.name_len) == 0);
	}
	CHECK(pipa_symbols_count(pipa_image_symbols(alone)) < pipa_symbols_count(a));
	pipa_image_free(whole);
	pipa_image_free(parted);
	pipa_image_free(alone);
}

static const char program[] =
	"#include <stdio.h>\nstatic int inner(int n) { return puts(\"x\") + n; }\n"
	"int outer(int n) { return inner(n) * inner(n + 1); }\n"
	"int main(int n, char **v) { return outer(n) + !v; }\n";

static void check_cross(const char *triplet)
{
	char cc[64], nm[64], binary[4096];

	snprintf(cc, sizeof(cc), "%s-gcc", triplet);
	snprintf(nm, sizeof(nm), "%s-nm", triplet);
	NEED(cc);
	NEED(nm);
	pipa_test_file(pipa_test_dir(), "cross.c", program);
	snprintf(binary, sizeof(binary), "%s/cross", pipa_test_dir());
	if (oracle_run("%s -O0 -g -static -o %s %s/cross.c 2> /dev/null", cc, binary,
		       pipa_test_dir()) != 0)
		SKIP("%s cannot link a static program", cc);
	check_with(nm, "", binary, PIPA_FROM_SYMTAB);
}

TEST(every_function_of_an_aarch64_program_is_the_one_that_nm_shows)
{
	check_cross("aarch64-linux-gnu");
}

/* A load from a page address at the end of a page: ld moves it to a veneer (Cortex-A53 erratum 843419). */
static const char veneer_program[] =
	"int datum = 1;\n"
	"int work(long *);\n"
	"__asm__(\".text\\n.balign 4096\\n.type work, %function\\nwork: .skip 0xff8\\n\"\n"
	"\"adrp x2, datum\\nldr x1, [x0]\\nldr w0, [x2, :lo12:datum]\\nret\\n.size work, .-work\\n\");\n"
	"int main(void) { long x = 0; return work(&x); }\n";

TEST(veneers_of_the_linker_are_those_that_nm_shows)
{
	const struct pipa_symbols *symbols;
	struct pipa_image *object;
	char binary[4096];
	bool found = false;
	uint32_t i;

	NEED("aarch64-linux-gnu-gcc");
	NEED("aarch64-linux-gnu-nm");
	pipa_test_file(pipa_test_dir(), "veneer.c", veneer_program);
	snprintf(binary, sizeof(binary), "%s/veneer", pipa_test_dir());
	if (oracle_run("aarch64-linux-gnu-gcc -static -Wl,--fix-cortex-a53-843419=adrp -o %s "
		       "%s/veneer.c 2> /dev/null",
		       binary, pipa_test_dir()) != 0)
		SKIP("aarch64-linux-gnu-gcc cannot link a static program");
	check_with("aarch64-linux-gnu-nm", "", binary, PIPA_FROM_SYMTAB);
	object = open_files(oracle_map(binary), (struct pipa_span){ 0 });
	symbols = pipa_image_symbols(object);
	for (i = 0; i < pipa_symbols_count(symbols); i++)
		found |= strncmp(pipa_symbols_get(symbols, i).name, "e843419@", 8) == 0;
	CHECK(found);
	pipa_image_free(object);
}

TEST(every_function_of_a_riscv64_program_is_the_one_that_nm_shows)
{
	check_cross("riscv64-linux-gnu");
}

/* Stubs through which this very program calls. The static library of a sanitizer defines many, but not this one. */
TEST(plt_stubs_are_named_after_their_functions)
{
	struct pipa_image *object = open_files(oracle_map(oracle_self()), (struct pipa_span){ 0 });
	const struct pipa_symbols *symbols = pipa_image_symbols(object);
	bool found = false;
	uint32_t i;

	if (!(pipa_image_sources(object) & PIPA_FROM_PLT))
		SKIP("this program has no stubs that are known");
	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		struct pipa_symbol s = pipa_symbols_get(symbols, i);

		if (s.name_len == 10 && memcmp(s.name, "getenv@plt", 10) == 0)
			found = true;
	}
	CHECK(found);
	pipa_image_free(object);
}

TEST(a_symbol_at_the_address_of_a_function_is_found_by_its_name)
{
	static const struct elf_image_symbol symbols[] = {
		{ "startup", 0x401000, 0x10, STT_FUNC, STB_GLOBAL, 0, 1 },
		{ "_text", 0x401000, 0, STT_NOTYPE, STB_GLOBAL, 0, 1 },
		{ "fixed", 0x77, 0, STT_NOTYPE, STB_GLOBAL, 0, SHN_ABS },
		{ "wanted", 0x99, 0, STT_NOTYPE, STB_GLOBAL, 0, SHN_UNDEF },
	};
	uint64_t text_at;
	struct elf_image *image = make(symbols, 4, SHT_SYMTAB, 0x401000, &text_at);
	struct pipa_span file = elf_image_finish(image);
	struct pipa_image *object = open_files(file, (struct pipa_span){ NULL, 0 });

	CHECK_STR(at(object, text_at), "startup");
	CHECK_EQ(pipa_image_find(file, "_text"), 0x401000);
	CHECK_EQ(pipa_image_find(file, "fixed"), 0x77);
	CHECK_EQ(pipa_image_find(file, "wanted"), 0);
	CHECK_EQ(pipa_image_find(file, "nothing"), 0);
	CHECK_EQ(pipa_image_find((struct pipa_span){ code, sizeof(code) }, "_text"), 0);
	pipa_image_free(object);
	elf_image_free(image);
}
