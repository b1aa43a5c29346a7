/* Go's tables of functions made by hand: every version, both word sizes, both byte orders. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "elf/elf.h"
#include "lib/elf_image.h"
#include "lib/test.h"
#include "symbol/table/go_table.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"

enum { TEXT = 0x401000, CODE = 0x100 };

static const uint8_t code[CODE];

struct table {
	uint8_t bytes[1024];
	size_t size;
	bool big;
	int word;
	uint32_t magic;
};

static const uint32_t magics[] = { 0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1 };

static void put_at(struct table *t, size_t at, uint64_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		t->bytes[at + (t->big ? size - 1 - i : i)] = (uint8_t)(value >> (8 * i));
}

static void put(struct table *t, uint64_t value, size_t size)
{
	put_at(t, t->size, value, size);
	t->size += size;
}

static uint32_t put_bytes(struct table *t, const void *bytes, size_t size)
{
	uint32_t at = (uint32_t)t->size;

	memcpy(t->bytes + t->size, bytes, size);
	t->size += size;
	return at;
}

static bool is_old(const struct table *t)
{
	return t->magic == magics[0];
}

static size_t pair_field(const struct table *t)
{
	return t->magic == magics[2] || t->magic == magics[3] ? 4 : (size_t)t->word;
}

/* Where a function of the list begins, as this version writes it. */
static uint64_t start(const struct table *t, uint64_t offset)
{
	return pair_field(t) == 4 && t->magic != magics[1] && !is_old(t) ? offset : TEXT + offset;
}

/* Files 0 and 1, lines 10 to 12: four units of code at line 10, four at 12, the rest at 11. */
static const uint8_t file_steps[] = { 2, 8, 2, 32, 0 };	       /* to 0, then to 1 */
static const uint8_t line_steps[] = { 22, 4, 4, 4, 1, 32, 0 }; /* -1 + 11, + 2, - 1 */
static const uint8_t old_file_steps[] = { 4, 8, 2, 32, 0 };    /* files count from 1 */

static void put_record(struct table *t, uint64_t offset, uint32_t name, uint32_t files,
		       uint32_t lines)
{
	put(t, start(t, offset), pair_field(t));
	put(t, name, 4);
	put(t, 0, 4);
	put(t, 0, 4);
	put(t, 0, 4);
	put(t, files, 4);
	put(t, lines, 4);
	put(t, 0, 4);
	put(t, 1, 4); /* its unit's files begin at the second */
}

/* main.one at 0, main.two at 0x40, the end at 0x60. Records follow the pairs. */
static void put_functions(struct table *t, size_t base, const uint32_t names[2], uint32_t files,
			  uint32_t lines)
{
	size_t field = pair_field(t), pairs = t->size, record, i;
	static const uint64_t starts[] = { 0, 0x40, 0x60 };

	t->size += 5 * field + 8; /* and the fields after them until 1.15 */
	for (i = 0; i < 2; i++) {
		record = t->size;
		put_record(t, starts[i], names[i], files, lines);
		put_at(t, pairs + 2 * i * field, start(t, starts[i]), field);
		put_at(t, pairs + (2 * i + 1) * field, record - base, field);
	}
	put_at(t, pairs + 4 * field, start(t, starts[2]), field);
}

static void put_old(struct table *t)
{
	uint32_t names[2], files[2], file, line;
	size_t head = t->size, pairs = head + (size_t)t->word, list;

	put(t, 2, (size_t)t->word);
	t->size = 400; /* texts first: records point at them */
	names[0] = put_bytes(t, "main.one", 9);
	names[1] = put_bytes(t, "main.two", 9);
	files[0] = put_bytes(t, "/src/a.go", 10);
	files[1] = put_bytes(t, "/src/b.go", 10);
	file = put_bytes(t, old_file_steps, sizeof(old_file_steps));
	line = put_bytes(t, line_steps, sizeof(line_steps));
	list = t->size;
	put(t, 3, 4);
	put(t, files[0], 4);
	put(t, files[1], 4);
	t->size = pairs;
	put_functions(t, 0, names, file, line);
	put_at(t, pairs + 5 * (size_t)t->word, list, 4);
	t->size = list + 12;
}

static void put_new(struct table *t)
{
	bool has_text = pair_field(t) == 4 && t->magic != magics[1];
	size_t word = (size_t)t->word, at;
	uint32_t names[2], file, line, parts[5], i;

	put(t, 2, word);
	put(t, 2, word);
	if (has_text)
		put(t, TEXT, word);
	at = t->size;
	t->size += 5 * word;
	parts[0] = (uint32_t)t->size;
	names[0] = put_bytes(t, "main.one", 9) - parts[0];
	names[1] = put_bytes(t, "main.two", 9) - parts[0];
	parts[1] = (uint32_t)t->size;
	put(t, 77, 4); /* of another unit */
	put(t, 0, 4);
	put(t, 10, 4);
	parts[2] = put_bytes(t, "/src/a.go", 10);
	put_bytes(t, "/src/b.go", 10);
	parts[3] = (uint32_t)t->size;
	put(t, 0, 1);
	file = put_bytes(t, file_steps, sizeof(file_steps)) - parts[3];
	line = put_bytes(t, line_steps, sizeof(line_steps)) - parts[3];
	parts[4] = (uint32_t)t->size;
	put_functions(t, parts[4], names, file, line);
	for (i = 0; i < 5; i++)
		put_at(t, at + i * word, parts[i], word);
}

static void make(struct table *t, uint32_t magic, int word, bool big)
{
	*t = (struct table){ .big = big, .word = word, .magic = magic };
	put(t, magic, 4);
	put(t, 0, 2);
	put(t, 1, 1);
	put(t, (uint64_t)word, 1);
	if (is_old(t))
		put_old(t);
	else
		put_new(t);
}

/* A copy on the heap, exact, so that a read past the end is seen. The caller frees. */
static uint8_t *exact(const struct table *t, size_t size)
{
	uint8_t *copy = malloc(size + 1);

	CHECK(copy);
	memcpy(copy, t->bytes, size);
	return copy;
}

static void check_line(const struct pipa_go_table *t, uint64_t addr, const char *file,
		       uint32_t line)
{
	const char *got = NULL;
	uint32_t number = 0;

	CHECK(pipa_go_table_line(t, addr, &got, &number));
	CHECK_STR(got, file);
	CHECK_EQ(number, line);
}

static void check_table(const struct pipa_go_table *t)
{
	struct pipa_go_function f;
	const char *file;
	uint32_t line;

	CHECK_EQ(t->n, 2);
	CHECK(pipa_go_table_get(t, 0, &f));
	CHECK_EQ(f.start, TEXT);
	CHECK_EQ(f.size, 0x40);
	CHECK_STR((const char *)t->names.data + f.name, "main.one");
	CHECK(pipa_go_table_get(t, 1, &f));
	CHECK_EQ(f.start, TEXT + 0x40);
	CHECK_EQ(f.size, 0x20);
	CHECK_STR((const char *)t->names.data + f.name, "main.two");
	CHECK(!pipa_go_table_get(t, 2, &f));
	check_line(t, TEXT, "/src/a.go", 10);
	check_line(t, TEXT + 3, "/src/a.go", 10);
	check_line(t, TEXT + 4, "/src/a.go", 12);
	check_line(t, TEXT + 8, "/src/b.go", 11);
	check_line(t, TEXT + 0x44, "/src/a.go", 12);
	CHECK(!pipa_go_table_line(t, TEXT - 1, &file, &line));
	CHECK(!pipa_go_table_line(t, TEXT + 0x60, &file, &line));
	CHECK(!pipa_go_table_line(t, TEXT + 0x30, &file, &line)); /* after its last step */
}

TEST(every_version_word_and_byte_order_of_a_go_table_is_read)
{
	struct pipa_go_table got;
	struct table t;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		uint8_t *copy;

		make(&t, magics[i % 4], i & 4 ? 8 : 4, i & 8);
		copy = exact(&t, t.size);
		CHECK(pipa_go_table_init(&got, (struct pipa_span){ copy, t.size }));
		check_table(&got);
		free(copy);
	}
}

TEST(a_truncated_go_table_is_refused_or_read_within_bounds)
{
	struct pipa_go_function f;
	struct pipa_go_table got;
	struct table t;
	unsigned int i;
	size_t size, n;

	for (i = 0; i < 16; i++) {
		make(&t, magics[i % 4], i & 4 ? 8 : 4, i & 8);
		for (size = 0; size < t.size; size++) {
			uint8_t *copy = exact(&t, size);
			const char *file;
			uint32_t line;

			if (pipa_go_table_init(&got, (struct pipa_span){ copy, size }))
				for (n = 0; n < got.n; n++)
					if (pipa_go_table_get(&got, n, &f))
						pipa_go_table_line(&got, f.start, &file, &line);
			free(copy);
		}
	}
}

TEST(a_go_table_with_absurd_counts_is_refused)
{
	struct pipa_go_table got;
	struct table t;
	unsigned int i;

	for (i = 0; i < 16; i++) {
		make(&t, magics[i % 4], i & 4 ? 8 : 4, i & 8);
		put_at(&t, 8, UINT64_MAX, (size_t)t.word);
		CHECK(!pipa_go_table_init(&got, (struct pipa_span){ t.bytes, t.size }));
		put_at(&t, 8, 1 << 20, (size_t)t.word);
		CHECK(!pipa_go_table_init(&got, (struct pipa_span){ t.bytes, t.size }));
		put_at(&t, 8, 0, (size_t)t.word);
		CHECK(!pipa_go_table_init(&got, (struct pipa_span){ t.bytes, t.size }));
		put_at(&t, 8, 2, (size_t)t.word);
		CHECK(pipa_go_table_init(&got, (struct pipa_span){ t.bytes, t.size }));
	}
}

/* ---- in images --------------------------------------------------------------------------------------------- */

struct wanted {
	const char *section; /* of the table */
	bool go;	     /* with Go's mark */
	bool sections;	     /* false: the image has none */
	uint64_t relocated;  /* text start that a relocation writes, 0: none */
	const struct elf_image_symbol *symbols;
	size_t n_symbols;
};

static struct elf_image *make_image(const struct table *t, const struct wanted *w)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	uint64_t text_at, table_at, rela[3] = { 0x500000 + 8 + 16, 8, w->relocated };

	elf_image_section(image,
			  &(struct elf_image_section){ ".text", SHT_PROGBITS,
						       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, CODE,
						       .align = 16 },
			  &text_at);
	elf_image_section(image,
			  &(struct elf_image_section){ w->section, SHT_PROGBITS, SHF_ALLOC,
						       0x500000, t->bytes, t->size, .align = 32 },
			  &table_at);
	if (w->go)
		elf_image_section(image,
				  &(struct elf_image_section){ ".go.buildinfo", SHT_PROGBITS,
							       SHF_ALLOC, 0x600000, code, 16,
							       .align = 16 },
				  NULL);
	if (w->relocated)
		elf_image_section(image,
				  &(struct elf_image_section){ ".rela.dyn", SHT_RELA, SHF_ALLOC,
							       0x700000, rela, sizeof(rela),
							       .align = 8 },
				  NULL);
	if (w->n_symbols)
		elf_image_symbols(image, SHT_SYMTAB, w->symbols, w->n_symbols);
	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_X | PF_R, text_at, TEXT,
							      CODE, CODE, 4096 });
	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_R, table_at, 0x500000,
							      t->size, t->size, 4096 });
	return image;
}

/* "name" of what is at the address, with its sources. */
static void check_names(const struct table *t, const struct wanted *w, uint64_t addr,
			const char *name, unsigned int sources)
{
	struct elf_image *image = make_image(t, w);
	struct pipa_image_files files = { elf_image_finish(image), { NULL, 0 } };
	struct pipa_image *object = NULL;
	uint8_t *bytes = malloc(files.main.size);
	struct pipa_symbol symbol;
	uint32_t found;

	CHECK(bytes);
	memcpy(bytes, files.main.data, files.main.size);
	if (!w->sections) {
		memset(bytes + 0x28, 0, 8);
		memset(bytes + 0x3c, 0, 4);
	}
	files.main.data = bytes;
	CHECK_EQ(pipa_image_new(&files, &object, NULL), 0);
	found = pipa_symbols_find(pipa_image_symbols(object), addr);
	CHECK_EQ(pipa_image_sources(object), sources);
	CHECK_EQ(found != PIPA_SYMBOL_NONE, name != NULL);
	if (name) {
		symbol = pipa_symbols_get(pipa_image_symbols(object), found);
		CHECK_EQ(symbol.name_len, strlen(name));
		CHECK(memcmp(symbol.name, name, strlen(name)) == 0);
	}
	pipa_image_free(object);
	free(bytes);
	elf_image_free(image);
}

TEST(a_stripped_go_program_is_named_by_its_own_table)
{
	struct wanted w = { .section = ".gopclntab", .sections = true };
	struct table t;

	make(&t, magics[3], 8, false);
	check_names(&t, &w, TEXT + 0x41, "main.two", PIPA_FROM_GO);
	w.section = ".data.rel.ro.gopclntab";
	check_names(&t, &w, TEXT + 0x3f, "main.one", PIPA_FROM_GO);
	check_names(&t, &w, TEXT + 0x60, NULL, PIPA_FROM_GO);
}

TEST(the_go_table_is_searched_for_in_go_programs_and_without_sections)
{
	struct wanted w = { .section = ".data.rel.ro", .sections = true };
	struct table t;

	make(&t, magics[1], 8, false);
	check_names(&t, &w, TEXT, NULL, 0); /* nothing marks it as Go's */
	w.go = true;
	check_names(&t, &w, TEXT, "main.one", PIPA_FROM_GO);
	w.go = w.sections = false;
	check_names(&t, &w, TEXT, "main.one", PIPA_FROM_GO);
}

TEST(the_symbol_table_is_preferred_to_the_go_table_where_it_has_go_functions)
{
	static const struct elf_image_symbol first = { "runtime.one", TEXT, 0x40, STT_FUNC,
						       STB_GLOBAL,    0,    1 };
	static const struct elf_image_symbol other = { "from_c",   TEXT + 0x80, 0x10, STT_FUNC,
						       STB_GLOBAL, 0,		1 };
	struct wanted w = { ".gopclntab", true, true, 0, &first, 1 };
	struct table t;

	make(&t, magics[2], 8, false);
	check_names(&t, &w, TEXT, "runtime.one", PIPA_FROM_SYMTAB);
	check_names(&t, &w, TEXT + 0x40, NULL, PIPA_FROM_SYMTAB);
	w.symbols = &other;
	check_names(&t, &w, TEXT + 0x40, "main.two", PIPA_FROM_SYMTAB | PIPA_FROM_GO);
	check_names(&t, &w, TEXT + 0x88, "from_c", PIPA_FROM_SYMTAB | PIPA_FROM_GO);
}

TEST(the_text_start_of_a_go_table_is_never_guessed)
{
	struct wanted w = { .section = ".gopclntab", .sections = true };
	struct table t;

	make(&t, magics[3], 8, false);
	put_at(&t, 8 + 16, 0, 8); /* the file leaves it to the loader */
	w.relocated = TEXT + 0x10;
	check_names(&t, &w, TEXT + 0x10, "main.one", PIPA_FROM_GO);
	w.relocated = 0;
	check_names(&t, &w, TEXT, NULL, 0); /* .text does not begin with the program's entry */
	put_at(&t, 8 + 16, 0x900000, 8);
	check_names(&t, &w, 0x900000, NULL, 0); /* no code is there */
}
