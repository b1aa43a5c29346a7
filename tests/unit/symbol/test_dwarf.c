/*
 * Images of tests/data/dwarf: answers compared with llvm-symbolizer's that were kept, and those of
 * images that hold the same code in another form compared with each other.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file/file.h"
#include "elf/elf.h"
#include "elf/symtab.h"
#include "lib/test.h"
#include "symbol/dwarf/dwarf.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"

static const char *package; /* a file with the split units of all images, or NULL */

struct opened {
	struct pipa_buf file, alt, split, package;
	struct pipa_elf elf;
	struct pipa_dwarf *dwarf;
	unsigned int fetched;
};

static void data_path(char *path, size_t size, const char *name)
{
	const char *source = getenv("PIPA_SOURCE");

	if (!source)
		SKIP("PIPA_SOURCE is not set: run through ctest");
	snprintf(path, size, "%s/tests/data/dwarf/%s", source, name);
}

static void read_data(const char *name, struct pipa_buf *ret)
{
	char path[4096];

	data_path(path, sizeof(path), name);
	CHECK_EQ(pipa_file_read(path, ret, NULL), 0);
}

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)buf->data, buf->len };
}

static bool fetch(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret)
{
	struct opened *o = ctx;

	CHECK(!package);
	CHECK_STR(wanted->comp_dir, "/src");
	CHECK_EQ(o->fetched++, 0); /* requested once */
	read_data(wanted->name, &o->split);
	*ret = span_of(&o->split);
	return true;
}

static void open_image(struct opened *o, const char *name, const char *alt)
{
	struct pipa_dwarf_files files = { .fetch = fetch, .ctx = o };

	*o = (struct opened){ 0 };
	read_data(name, &o->file);
	if (alt)
		read_data(alt, &o->alt);
	if (package)
		read_data(package, &o->package);
	files.main = span_of(&o->file);
	files.alt = span_of(&o->alt);
	files.package = span_of(&o->package);
	CHECK_EQ(pipa_elf_init(&o->elf, files.main, NULL), 0);
	CHECK_EQ(pipa_dwarf_new(&files, &o->dwarf, NULL), 0);
}

static void close_image(struct opened *o)
{
	pipa_dwarf_free(o->dwarf);
	pipa_buf_done(&o->file);
	pipa_buf_done(&o->alt);
	pipa_buf_done(&o->split);
	pipa_buf_done(&o->package);
}

/* As addr2line prints it. */
static int print(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct pipa_buf *out = ctx;
	size_t i;

	(void)index;
	for (i = 0; i < n; i++) {
		CHECK_EQ(frames[i].inlined, i + 1 < n);
		pipa_buf_printf(out, "%s\n%s:", frames[i].function ? frames[i].function : "??",
				frames[i].file ? frames[i].file : "??");
		if (frames[i].line)
			pipa_buf_printf(out, "%u\n", frames[i].line);
		else
			pipa_buf_puts(out, "?\n");
	}
	if (!n)
		pipa_buf_puts(out, "??\n??:?\n");
	return 0;
}

static void ask(struct opened *o, uint64_t addr, struct pipa_buf *out)
{
	pipa_buf_reset(out);
	CHECK_EQ(pipa_dwarf_resolve(o->dwarf, &addr, 1, print, out), 0);
}

/* The lines up to the next address, with their ends. */
static bool next_block(const char **pos, struct pipa_buf *ret)
{
	const char *block, *end;

	if (strncmp(*pos, "0x", 2) != 0)
		return false;
	block = strchr(*pos, '\n') + 1;
	end = strstr(block, "\n0x");
	*pos = end ? end + 1 : strchr(block, '\0');
	pipa_buf_reset(ret);
	pipa_buf_add(ret, block, (size_t)(*pos - block));
	return true;
}

static unsigned int agree(const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf kept = { 0 }, out = { 0 }, want = { 0 };
	struct pipa_elf_section text;
	const char *pos;
	char path[256];
	unsigned int n = 0;
	struct opened o;

	snprintf(path, sizeof(path), "%s.lines", name);
	read_data(path, &kept);
	open_image(&o, name, NULL);
	CHECK(pipa_elf_section_named(&o.elf, ".text", &text));
	for (pos = pipa_buf_str(&kept); next_block(&pos, &want); n++) {
		ask(&o, text.addr + 3 * (uint64_t)n, &out);
		CHECK_STR(pipa_buf_str(&out), pipa_buf_str(&want));
	}
	close_image(&o);
	return n;
}

/* Find a function with its address range, as queried. */
static bool find_function(const struct pipa_image *image, const char *name, struct pipa_symbol *ret)
{
	const struct pipa_symbols *symbols = pipa_image_symbols(image);
	uint32_t i;

	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		*ret = pipa_symbols_get(symbols, i);
		if (ret->name_len == strlen(name) && memcmp(ret->name, name, ret->name_len) == 0)
			return true;
	}
	return false;
}

/* Do the bytes of functions that both have mean the same in both? The number of bytes compared. */
static uint64_t same(const char *one, const char *alt, const char *two)
{
	static const char *const names[] = { "outer", "rare", "main" };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf x = { 0 }, y = { 0 };
	struct pipa_image *image_a = NULL, *image_b = NULL;
	struct pipa_symbol at_a, at_b;
	struct opened a, b;
	uint64_t k, n = 0;
	size_t i;

	open_image(&a, one, alt);
	open_image(&b, two, NULL);
	CHECK_EQ(pipa_image_new(&(struct pipa_image_files){ .main = span_of(&a.file) }, &image_a,
				NULL),
		 0);
	CHECK_EQ(pipa_image_new(&(struct pipa_image_files){ .main = span_of(&b.file) }, &image_b,
				NULL),
		 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK(find_function(image_a, names[i], &at_a));
		CHECK(find_function(image_b, names[i], &at_b));
		for (k = 0; at_a.size == at_b.size && k < at_a.size; k++, n++) {
			ask(&a, at_a.start + k, &x);
			ask(&b, at_b.start + k, &y);
			CHECK_HAS(pipa_buf_str(&x), names[i]);
			CHECK_STR(pipa_buf_str(&x), pipa_buf_str(&y));
		}
	}
	pipa_image_free(image_a);
	pipa_image_free(image_b);
	close_image(&a);
	close_image(&b);
	return n;
}

TEST(lines_and_inlined_functions_of_dwarf_2_to_5_are_those_of_llvm)
{
	CHECK(agree("gcc2.elf") > 20);
	CHECK(agree("gcc3.elf") > 20);
	CHECK(agree("gcc4.elf") > 20);
	CHECK(agree("gcc5.elf") > 20);
	CHECK(agree("clang4.elf") > 20);
	CHECK(agree("clang5.elf") > 20);
}

TEST(lines_and_inlined_functions_of_other_machines_are_those_of_llvm)
{
	CHECK(agree("aarch64.elf") > 20);
	CHECK(agree("riscv64.elf") > 20);
}

/* Check the line on which each function is defined, and count those that were seen in *ctx. */
static int check_start(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	static const struct {
		const char *name;
		uint32_t line;
	} starts[] = {
		{ "inner", 2 }, { "middle", 9 }, { "outer", 16 }, { "rare", 25 }, { "main", 30 }
	};
	unsigned int *seen = ctx;
	size_t i, k;

	(void)index;
	for (i = 0; i < n; i++)
		for (k = 0; frames[i].function && k < PIPA_COUNT(starts); k++)
			if (strcmp(frames[i].function, starts[k].name) == 0) {
				CHECK_EQ(frames[i].start_line, starts[k].line);
				*seen |= 1U << k;
			}
	return 0;
}

TEST(functions_have_the_line_of_their_definition)
{
	static const char *const names[] = { "gcc2.elf",   "gcc4.elf",	  "gcc5.elf",
					     "clang5.elf", "riscv64.elf", "aarch64.elf" };
	size_t i;

	for (i = 0; i < PIPA_COUNT(names); i++) {
		unsigned int seen = 0;
		struct opened o;
		struct pipa_elf_segment s;
		uint64_t addr;
		uint32_t k;

		open_image(&o, names[i], NULL);
		for (k = 0; pipa_elf_segment(&o.elf, k, &s); k++)
			for (addr = s.addr;
			     s.type == PT_LOAD && s.flags & PF_X && addr < s.addr + s.mem_size;
			     addr += 2)
				CHECK_EQ(pipa_dwarf_resolve(o.dwarf, &addr, 1, check_start, &seen),
					 0);
		CHECK_EQ(seen, 31);
		close_image(&o);
	}
}

TEST(functions_within_functions_are_found)
{
	CHECK(agree("nested.elf") > 20);
}

TEST(dwarf64_gives_the_same_lines_as_dwarf32)
{
	CHECK(same("wide.elf", NULL, "gcc5.elf") > 60);
}

TEST(compressed_sections_give_the_same_lines)
{
	CHECK(same("zlib.elf", NULL, "gcc4.elf") > 60);
	CHECK(same("zlib-gnu.elf", NULL, "gcc4.elf") > 60);
	CHECK(same("zstd.elf", NULL, "gcc4.elf") > 60);
}

TEST(names_in_the_shared_file_of_dwz_are_found)
{
	CHECK(same("dwz.elf", "dwz.alt", "gcc4.elf") > 60);
}

TEST(split_units_give_the_same_lines)
{
	CHECK(same("split4.elf", NULL, "gcc4.elf") > 60);
	CHECK(same("split5.elf", NULL, "gcc5.elf") > 60);
	CHECK(same("csplit4.elf", NULL, "clang4.elf") > 60);
	CHECK(same("csplit5.elf", NULL, "clang5.elf") > 60);
}

TEST(split_units_in_a_package_give_the_same_lines)
{
	package = "package4.dwp"; /* with GNU's index */
	CHECK(same("split4.elf", NULL, "gcc4.elf") > 60);
	CHECK(same("csplit4.elf", NULL, "clang4.elf") > 60);
	package = "package5.dwp";
	CHECK(same("split5.elf", NULL, "gcc5.elf") > 60);
	CHECK(same("csplit5.elf", NULL, "clang5.elf") > 60);
	package = NULL;
}

/* Where the index of a package begins, in its bytes. */
static size_t index_at(struct pipa_span file, size_t *ret_size)
{
	struct pipa_elf_section section;
	struct pipa_elf elf;

	CHECK_EQ(pipa_elf_init(&elf, file, NULL), 0);
	CHECK(pipa_elf_section_named(&elf, ".debug_cu_index", &section));
	*ret_size = (size_t)section.size;
	return (size_t)section.offset;
}

/* Each byte of the index is changed: lines are found all the same, and no read is out of bounds. */
TEST(a_package_with_a_corrupt_index_loses_only_names)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 }, packed = { 0 }, out = { 0 };
	struct pipa_dwarf_files files;
	struct pipa_elf_section text;
	struct pipa_elf elf;
	size_t start, size, i;

	read_data("csplit5.elf", &file);
	read_data("package5.dwp", &packed);
	CHECK_EQ(pipa_elf_init(&elf, span_of(&file), NULL), 0);
	CHECK(pipa_elf_section_named(&elf, ".text", &text));
	files = (struct pipa_dwarf_files){ .main = span_of(&file), .package = span_of(&packed) };
	start = index_at(files.package, &size);
	for (i = 0; i < 2 * size; i++) {
		PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = NULL;
		char *byte = &packed.data[start + i / 2], kept = *byte;
		uint64_t addr = text.addr + text.size - 8;

		*byte = (char)(i % 2 ? 0xff : kept ^ 1);
		pipa_buf_reset(&out);
		CHECK_EQ(pipa_dwarf_new(&files, &dwarf, NULL), 0);
		CHECK_EQ(pipa_dwarf_resolve(dwarf, &addr, 1, print, &out), 0);
		CHECK_HAS(pipa_buf_str(&out), "/src/tiny.c:");
		*byte = kept;
	}
}

TEST(relocatable_files_give_the_same_lines)
{
	CHECK(same("x86_64.o", NULL, "gcc5.elf") > 40);
	CHECK(same("aarch64.o", NULL, "aarch64.elf") > 40);
	CHECK(same("riscv64.o", NULL, "riscv64.elf") > 40);
}

TEST(a_split_unit_that_is_not_found_still_has_lines)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf file = { 0 }, out = { 0 };
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = NULL;
	struct pipa_elf_section text;
	struct pipa_elf elf;

	read_data("split5.elf", &file);
	CHECK_EQ(pipa_elf_init(&elf, span_of(&file), NULL), 0);
	CHECK(pipa_elf_section_named(&elf, ".text", &text));
	CHECK_EQ(pipa_dwarf_new(&(struct pipa_dwarf_files){ .main = span_of(&file) }, &dwarf, NULL),
		 0);
	CHECK_EQ(pipa_dwarf_resolve(dwarf, &text.addr, 1, print, &out), 0);
	CHECK_HAS(pipa_buf_str(&out), "??\n/src/parts/first.c:");
}

/* A reader on a thread of its own. */
struct reader {
	struct pipa_dwarf *dwarf;
	uint64_t addrs[4096];
	size_t n;
	struct pipa_buf out;
};

static void *read_on(void *ctx)
{
	struct reader *reader = ctx;

	CHECK_EQ(pipa_dwarf_resolve(reader->dwarf, reader->addrs, reader->n, print, &reader->out),
		 0);
	return NULL;
}

static void *unpack_second(void *ctx)
{
	pipa_dwarf_unpack(ctx, 1);
	return NULL;
}

/* As many times as there are. */
static bool count_down(void *ctx)
{
	unsigned int *left = ctx;

	return *left && (*left)--;
}

/*
 * Two readers of one file at the same time, and a single one, give the same lines of all its code.
 * The two have some line tables preloaded.
 */
static size_t twins_agree(const char *name, const char *alt, unsigned int ahead)
{
	static struct reader readers[3];
	pthread_t thread;
	struct pipa_elf_section text;
	struct opened o, alone;
	size_t i, len;

	open_image(&o, name, alt);
	open_image(&alone, name, alt);
	CHECK(pipa_elf_section_named(&o.elf, ".text", &text));
	CHECK_EQ(pthread_create(&thread, NULL, unpack_second, o.dwarf), 0);
	pipa_dwarf_unpack(o.dwarf, 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	pipa_dwarf_preload_lines(o.dwarf, count_down, &ahead);
	readers[0].dwarf = o.dwarf;
	CHECK_EQ(pipa_dwarf_clone(o.dwarf, &readers[1].dwarf, NULL), 0);
	readers[2].dwarf = alone.dwarf;
	for (i = 0; i < 3; i++) {
		readers[i].n = 0;
		pipa_buf_reset(&readers[i].out);
		while (readers[i].n < text.size && readers[i].n < 4096) {
			readers[i].addrs[readers[i].n] = text.addr + readers[i].n;
			readers[i].n++;
		}
	}
	CHECK_EQ(pthread_create(&thread, NULL, read_on, &readers[1]), 0);
	read_on(&readers[0]);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	read_on(&readers[2]);
	CHECK_STR(pipa_buf_str(&readers[0].out), pipa_buf_str(&readers[2].out));
	CHECK_STR(pipa_buf_str(&readers[1].out), pipa_buf_str(&readers[2].out));
	pipa_dwarf_free(readers[1].dwarf);
	close_image(&o);
	close_image(&alone);
	CHECK_HAS(pipa_buf_str(&readers[1].out), "outer");
	len = readers[1].out.len;
	for (i = 0; i < 3; i++)
		pipa_buf_done(&readers[i].out);
	return len;
}

TEST(a_clone_on_another_thread_gives_the_same_lines)
{
	CHECK(twins_agree("gcc5.elf", NULL, 0) > 1000);
	CHECK(twins_agree("clang5.elf", NULL, 0) > 1000);
	CHECK(twins_agree("zlib.elf", NULL, 0) > 1000);
	CHECK(twins_agree("zstd.elf", NULL, 0) > 1000);
	CHECK(twins_agree("dwz.elf", "dwz.alt", 0) > 1000);
	CHECK(twins_agree("x86_64.o", NULL, 0) > 1000);
}

TEST(preloaded_line_tables_give_the_same_lines)
{
	CHECK(twins_agree("gcc5.elf", NULL, UINT_MAX) > 1000);
	CHECK(twins_agree("gcc5.elf", NULL, 1) > 1000);
	CHECK(twins_agree("gcc2.elf", NULL, UINT_MAX) > 1000);
	CHECK(twins_agree("clang5.elf", NULL, UINT_MAX) > 1000);
	CHECK(twins_agree("wide.elf", NULL, UINT_MAX) > 1000);
	CHECK(twins_agree("zlib.elf", NULL, UINT_MAX) > 1000);
	CHECK(twins_agree("dwz.elf", "dwz.alt", UINT_MAX) > 1000);
	CHECK(twins_agree("x86_64.o", NULL, UINT_MAX) > 1000);
}

/* None may be requested after the last one, or where there are none. */
TEST(line_tables_are_preloaded_until_the_last_one)
{
	unsigned int left = 1000;
	struct opened o;

	open_image(&o, "gcc5.elf", NULL);
	pipa_dwarf_preload_lines(o.dwarf, count_down, &left);
	CHECK(left > 900);
	CHECK(left < 999);
	close_image(&o);
}

/* The functions at an address, one below the other. */
static int print_names(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct pipa_buf *out = ctx;
	size_t i;

	(void)index;
	for (i = 0; i < n; i++)
		if (frames[i].function)
			pipa_buf_printf(out, "%s%s ", frames[i].function,
					frames[i].inlined ? "*" : "");
	pipa_buf_putc(out, '\n');
	return 0;
}

static int has_no_file(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	(void)ctx;
	(void)index;
	while (n--)
		CHECK(!frames[n].file);
	return 0;
}

static void names_agree(const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf all = { 0 }, names = { 0 };
	struct pipa_elf_section text;
	struct opened with, without;
	uint64_t i, addr;

	open_image(&with, name, NULL);
	open_image(&without, name, NULL);
	pipa_dwarf_leave_lines(without.dwarf);
	pipa_dwarf_unpack(without.dwarf, 0);
	pipa_dwarf_unpack(without.dwarf, 1);
	CHECK(pipa_elf_section_named(&with.elf, ".text", &text));
	for (i = 0; i < text.size; i++) {
		addr = text.addr + i;
		CHECK_EQ(pipa_dwarf_resolve(with.dwarf, &addr, 1, print_names, &all), 0);
		CHECK_EQ(pipa_dwarf_resolve(without.dwarf, &addr, 1, print_names, &names), 0);
		CHECK_EQ(pipa_dwarf_resolve(without.dwarf, &addr, 1, has_no_file, NULL), 0);
	}
	CHECK_STR(pipa_buf_str(&names), pipa_buf_str(&all));
	CHECK_HAS(pipa_buf_str(&names), "* ");
	close_image(&with);
	close_image(&without);
}

TEST(without_lines_the_functions_are_the_same)
{
	names_agree("gcc5.elf");
	names_agree("zlib.elf");
	names_agree("clang4.elf");
}

TEST(only_compressed_debug_sections_are_worth_a_thread)
{
	struct opened packed, plain;

	open_image(&packed, "zlib.elf", NULL);
	open_image(&plain, "gcc4.elf", NULL);
	CHECK(pipa_dwarf_packed(packed.dwarf));
	CHECK(!pipa_dwarf_packed(plain.dwarf));
	close_image(&packed);
	close_image(&plain);
}

TEST(the_debug_file_is_taken_where_it_has_dwarf)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf main = { 0 }, debug = { 0 };
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *dwarf = NULL;
	PIPA_AUTO(pipa_dwarf_free) struct pipa_dwarf *alone = NULL;
	struct pipa_dwarf_files files = { 0 };

	read_data("dwz.alt", &debug); /* has no code, but DWARF */
	read_data("tiny.c", &main);
	files.main = span_of(&main);
	CHECK_EQ(pipa_dwarf_new(&files, &alone, NULL), -EBADMSG);
	files.debug = span_of(&debug);
	CHECK_EQ(pipa_dwarf_new(&files, &dwarf, NULL), 0);
}

TEST(addresses_outside_of_all_units_have_no_frames)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct opened o;

	open_image(&o, "gcc4.elf", NULL);
	ask(&o, 0, &out);
	CHECK_STR(pipa_buf_str(&out), "??\n??:?\n");
	ask(&o, UINT64_MAX, &out);
	CHECK_STR(pipa_buf_str(&out), "??\n??:?\n");
	close_image(&o);
}

static int refuse(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	(void)ctx;
	(void)frames;
	(void)n;
	return index == 1 ? -EINTR : 0;
}

TEST(an_error_of_the_callback_ends_the_resolution)
{
	static const uint64_t addrs[3];
	struct opened o;

	open_image(&o, "gcc4.elf", NULL);
	CHECK_EQ(pipa_dwarf_resolve(o.dwarf, addrs, 3, refuse, NULL), -EINTR);
	close_image(&o);
}
