#include "elf/elf.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>

#include "base/error.h"

enum {
	SEGMENT_SIZE_32 = 32,
	SEGMENT_SIZE_64 = 56,
	SECTION_SIZE_32 = 40,
	SECTION_SIZE_64 = 64,
};

/* How many entries of a table are within the file, at most n. */
static uint32_t fitting(const struct pipa_elf *elf, uint64_t at, uint32_t size, uint32_t least,
			uint32_t n)
{
	uint64_t room;

	if (!at || at >= elf->file.size || size < least)
		return 0;
	room = (elf->file.size - at) / size;
	return n < room ? n : (uint32_t)room;
}

static int check_ident(struct pipa_elf *elf, struct pipa_error *err)
{
	const uint8_t *ident = elf->file.data;

	if (elf->file.size < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return pipa_refuse(err, -EBADMSG, "not an ELF file");
	if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64)
		return pipa_refuse(err, -EBADMSG, "ELF class %u is neither 32 nor 64 bit",
				   ident[EI_CLASS]);
	if (ident[EI_DATA] != ELFDATA2LSB && ident[EI_DATA] != ELFDATA2MSB)
		return pipa_refuse(err, -EBADMSG, "unknown ELF byte order %u", ident[EI_DATA]);

	elf->is64 = ident[EI_CLASS] == ELFCLASS64;
	elf->swapped = (ident[EI_DATA] == ELFDATA2LSB) != (__BYTE_ORDER == __LITTLE_ENDIAN);
	return 0;
}

/*
 * More than 0xff00 sections, more than 0xffff segments: the true numbers are in the first section
 * header, and the places in the ELF header hold 0 or an escape.
 */
static void read_counts(struct pipa_elf *elf, uint32_t segments, uint32_t sections, uint32_t *names)
{
	struct pipa_elf_section first;

	elf->n_sections = 1; /* for a look at the first */
	if (fitting(elf, elf->sections_at, elf->section_size,
		    elf->is64 ? SECTION_SIZE_64 : SECTION_SIZE_32, 1) &&
	    pipa_elf_section(elf, 0, &first)) {
		if (!sections)
			sections = first.size < UINT32_MAX ? (uint32_t)first.size : UINT32_MAX;
		if (*names == SHN_XINDEX)
			*names = first.link;
		if (segments == PN_XNUM)
			segments = first.info;
	}
	elf->n_sections = fitting(elf, elf->sections_at, elf->section_size,
				  elf->is64 ? SECTION_SIZE_64 : SECTION_SIZE_32, sections);
	elf->n_segments = fitting(elf, elf->segments_at, elf->segment_size,
				  elf->is64 ? SEGMENT_SIZE_64 : SEGMENT_SIZE_32, segments);
}

int pipa_elf_init(struct pipa_elf *ret, struct pipa_span file, struct pipa_error *err)
{
	struct pipa_elf elf = { .file = file };
	struct pipa_elf_section names_section;
	uint32_t segments, sections, names;
	struct pipa_cursor c;
	int rc = check_ident(&elf, err);

	if (rc < 0)
		return rc;
	c = pipa_elf_cursor(&elf, file);
	pipa_skip(&c, EI_NIDENT);
	elf.type = pipa_get_u16(&c);
	elf.machine = pipa_get_u16(&c);
	pipa_skip(&c, sizeof(uint32_t)); /* version */
	elf.entry = pipa_elf_word(&elf, &c);
	elf.segments_at = pipa_elf_word(&elf, &c);
	elf.sections_at = pipa_elf_word(&elf, &c);
	pipa_skip(&c, sizeof(uint32_t) + sizeof(uint16_t)); /* flags, own size */
	elf.segment_size = pipa_get_u16(&c);
	segments = pipa_get_u16(&c);
	elf.section_size = pipa_get_u16(&c);
	sections = pipa_get_u16(&c);
	names = pipa_get_u16(&c);
	if (c.status)
		return pipa_refuse(err, c.status, "truncated ELF header: %zu bytes", file.size);

	read_counts(&elf, segments, sections, &names);
	if (pipa_elf_section(&elf, names, &names_section))
		elf.section_names = pipa_elf_section_strings(&elf, &names_section);
	*ret = elf;
	return 0;
}

static struct pipa_cursor entry_at(const struct pipa_elf *elf, uint64_t at, uint32_t size,
				   uint32_t index)
{
	struct pipa_span entry = { elf->file.data, 0 };

	pipa_span_cut(elf->file, at + (uint64_t)index * size, size, &entry);
	return pipa_elf_cursor(elf, entry);
}

bool pipa_elf_segment(const struct pipa_elf *elf, uint32_t index, struct pipa_elf_segment *ret)
{
	struct pipa_elf_segment s = { 0 };
	struct pipa_cursor c;

	if (index >= elf->n_segments)
		return false;
	c = entry_at(elf, elf->segments_at, elf->segment_size, index);
	s.type = pipa_get_u32(&c);
	if (elf->is64)
		s.flags = pipa_get_u32(&c);
	s.offset = pipa_elf_word(elf, &c);
	s.addr = pipa_elf_word(elf, &c);
	(void)pipa_elf_word(elf, &c); /* physical address */
	s.file_size = pipa_elf_word(elf, &c);
	s.mem_size = pipa_elf_word(elf, &c);
	if (!elf->is64)
		s.flags = pipa_get_u32(&c);
	s.align = pipa_elf_word(elf, &c);
	if (c.status)
		return false;
	*ret = s;
	return true;
}

bool pipa_elf_section(const struct pipa_elf *elf, uint32_t index, struct pipa_elf_section *ret)
{
	struct pipa_elf_section s = { .name = "", .index = index };
	struct pipa_cursor c;
	uint32_t name;

	if (index >= elf->n_sections)
		return false;
	c = entry_at(elf, elf->sections_at, elf->section_size, index);
	name = pipa_get_u32(&c);
	s.type = pipa_get_u32(&c);
	s.flags = pipa_elf_word(elf, &c);
	s.addr = pipa_elf_word(elf, &c);
	s.offset = pipa_elf_word(elf, &c);
	s.size = pipa_elf_word(elf, &c);
	s.link = pipa_get_u32(&c);
	s.info = pipa_get_u32(&c);
	s.align = pipa_elf_word(elf, &c);
	s.entry_size = pipa_elf_word(elf, &c);
	if (c.status)
		return false;
	if (name < elf->section_names.size)
		s.name = (const char *)elf->section_names.data + name;
	*ret = s;
	return true;
}

bool pipa_elf_section_named(const struct pipa_elf *elf, const char *name,
			    struct pipa_elf_section *ret)
{
	uint32_t i;

	for (i = 0; pipa_elf_section(elf, i, ret); i++)
		if (strcmp(ret->name, name) == 0)
			return true;
	return false;
}

bool pipa_elf_section_typed(const struct pipa_elf *elf, uint32_t type, struct pipa_elf_section *ret)
{
	uint32_t i;

	for (i = 0; pipa_elf_section(elf, i, ret); i++)
		if (ret->type == type)
			return true;
	return false;
}

struct pipa_span pipa_elf_section_bytes(const struct pipa_elf *elf,
					const struct pipa_elf_section *section)
{
	struct pipa_span bytes = { NULL, 0 };

	if (section->type != SHT_NOBITS)
		pipa_span_cut(elf->file, section->offset, section->size, &bytes);
	return bytes;
}

struct pipa_span pipa_elf_section_strings(const struct pipa_elf *elf,
					  const struct pipa_elf_section *section)
{
	struct pipa_span bytes = pipa_elf_section_bytes(elf, section);
	const uint8_t *last = bytes.data ? memrchr(bytes.data, '\0', bytes.size) : NULL;

	bytes.size = last ? (size_t)(last - bytes.data) + 1 : 0;
	return bytes;
}

bool pipa_elf_offset_to_addr(const struct pipa_elf *elf, uint64_t offset, uint64_t *ret_addr)
{
	struct pipa_elf_segment s;
	bool found = false;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &s); i++) {
		if (s.type != PT_LOAD || offset < s.offset || offset - s.offset >= s.file_size)
			continue;
		if (found && !(s.flags & PF_X))
			continue;
		*ret_addr = s.addr + (offset - s.offset);
		if (s.flags & PF_X)
			return true;
		found = true;
	}
	return found;
}

bool pipa_elf_addr_to_offset(const struct pipa_elf *elf, uint64_t addr, uint64_t *ret_offset)
{
	struct pipa_elf_segment s;
	bool found = false;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &s); i++) {
		if (s.type != PT_LOAD || addr < s.addr || addr - s.addr >= s.file_size)
			continue;
		if (found && !(s.flags & PF_X))
			continue;
		*ret_offset = s.offset + (addr - s.addr);
		if (s.flags & PF_X)
			return true;
		found = true;
	}
	return found;
}
