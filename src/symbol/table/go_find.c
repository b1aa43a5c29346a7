/* Find Go's function table in an image, and the base address of its functions. */
#include <elf.h>
#include <string.h>

#include "elf/elf.h"
#include "symbol/table/go_table.h"

enum { TABLE_ALIGN = 8 };

static bool is_code(const struct pipa_elf *elf, uint64_t addr)
{
	struct pipa_elf_segment s;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &s); i++)
		if (s.type == PT_LOAD && (s.flags & PF_X) && addr >= s.addr &&
		    addr - s.addr < s.mem_size)
			return true;
	return false;
}

/*
 * Return the value that the loader stores at an address by a relative relocation; 0 if there is
 * none.
 */
static uint64_t relocated_value(const struct pipa_elf *elf, uint64_t place)
{
	struct pipa_elf_section section;
	struct pipa_cursor c;
	uint32_t i;

	for (i = 0; pipa_elf_section(elf, i, &section); i++) {
		if (section.type != SHT_RELA || !(section.flags & SHF_ALLOC))
			continue;
		c = pipa_elf_cursor(elf, pipa_elf_section_bytes(elf, &section));
		while (!c.status) {
			uint64_t offset = pipa_elf_word(elf, &c), addend;

			pipa_elf_word(elf, &c);
			addend = pipa_elf_word(elf, &c);
			if (!c.status && offset == place)
				return addend;
		}
	}
	return 0;
}

/* Is the address the start of a function of the table? */
static bool is_function_start(const struct pipa_go_table *t, uint64_t addr)
{
	struct pipa_go_function f;
	size_t low = 0, high = t->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (!pipa_go_table_get(t, middle, &f))
			return false;
		if (f.start == addr)
			return true;
		if (f.start < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/*
 * Set the base address of function offsets. The table has it; in a position-independent program a
 * relocation does. From Go 1.26 on it is the start of .text, if no C code precedes Go's: then the
 * program's entry is a function of the table. False if the base is unknown.
 */
static bool set_text_base(struct pipa_go_table *t, const struct pipa_elf *elf, uint64_t addr)
{
	struct pipa_elf_section section;

	if (t->version != PIPA_GO_1_18 || t->text)
		return true;
	t->text = relocated_value(elf, addr + 8 + 2 * (uint64_t)t->word);
	if (t->text)
		return true;
	if (!pipa_elf_section_named(elf, ".text", &section))
		return false;
	t->text = section.addr;
	return is_function_start(t, elf->entry);
}

static bool accept_table(struct pipa_go_table *ret, const struct pipa_elf *elf,
			 struct pipa_span bytes, uint64_t addr)
{
	struct pipa_go_table t;
	struct pipa_go_function first;

	if (!pipa_go_table_init(&t, bytes) || !set_text_base(&t, elf, addr) ||
	    !pipa_go_table_get(&t, 0, &first) || !is_code(elf, first.start))
		return false;
	*ret = t;
	return true;
}

/*
 * Does this look like the first eight bytes of a table? Cheap, because every aligned position is
 * tested.
 */
static bool looks_like_table(const uint8_t *p)
{
	static const uint8_t marks[] = { 0xfb, 0xfa, 0xf0, 0xf1 };
	bool little = p[1] == 0xff && p[2] == 0xff && p[3] == 0xff && memchr(marks, p[0], 4);
	bool big = p[0] == 0xff && p[1] == 0xff && p[2] == 0xff && memchr(marks, p[3], 4);

	return (little || big) && !p[4] && !p[5];
}

static bool search_segment(struct pipa_go_table *t, const struct pipa_elf *elf,
			   const struct pipa_elf_segment *s)
{
	struct pipa_span bytes, rest;
	uint64_t i;

	if (!pipa_span_cut(elf->file, s->offset, s->file_size, &bytes) || !bytes.data)
		return false;
	for (i = -s->addr % TABLE_ALIGN; i + 16 <= bytes.size; i += TABLE_ALIGN)
		if (looks_like_table(bytes.data + i) &&
		    pipa_span_cut(bytes, i, bytes.size - i, &rest) &&
		    accept_table(t, elf, rest, s->addr + i))
			return true;
	return false;
}

/* Other linkers than Go's store the table among other data. */
static bool is_go(const struct pipa_elf *elf)
{
	struct pipa_elf_section section;

	return !elf->n_sections || pipa_elf_section_named(elf, ".go.buildinfo", &section) ||
	       pipa_elf_section_named(elf, ".note.go.buildid", &section);
}

bool pipa_go_table_find(struct pipa_go_table *ret, const struct pipa_elf *elf, bool search)
{
	struct pipa_elf_section section;
	struct pipa_elf_segment s;
	uint32_t i;

	if (pipa_elf_section_named(elf, ".gopclntab", &section) ||
	    pipa_elf_section_named(elf, ".data.rel.ro.gopclntab", &section))
		return accept_table(ret, elf, pipa_elf_section_bytes(elf, &section), section.addr);
	if (!search || !is_go(elf))
		return false;
	for (i = 0; pipa_elf_segment(elf, i, &s); i++)
		if (s.type == PT_LOAD && !(s.flags & PF_X) && search_segment(ret, elf, &s))
			return true;
	return false;
}

bool pipa_go_table_find_in(struct pipa_go_table *ret, struct pipa_span file)
{
	struct pipa_elf elf;

	return pipa_elf_init(&elf, file, NULL) == 0 && pipa_go_table_find(ret, &elf, true);
}
