#include "elf/identity.h"

#include <elf.h>
#include <string.h>

#include "codec/crc32.h"
#include "elf/elf.h"

/*
 * A note is  namesz descsz type name… desc…  with the parts padded to 4 bytes, or to 8 in segments
 * that say so.
 */
static bool find_build_id(struct pipa_cursor c, size_t align, struct pipa_span *ret)
{
	const uint8_t *start = c.pos;

	while (!c.status) {
		uint32_t name_size = pipa_get_u32(&c);
		uint32_t desc_size = pipa_get_u32(&c);
		uint32_t type = pipa_get_u32(&c);
		const uint8_t *name = pipa_get_bytes(&c, name_size);
		const uint8_t *desc;

		pipa_skip(&c, -(size_t)(c.pos - start) & (align - 1));
		desc = pipa_get_bytes(&c, desc_size);
		if (!desc)
			return false;
		if (type == NT_GNU_BUILD_ID && name && name_size == sizeof(ELF_NOTE_GNU) &&
		    memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 && desc_size &&
		    desc_size <= PIPA_ELF_BUILD_ID_MAX) {
			*ret = (struct pipa_span){ desc, desc_size };
			return true;
		}
		pipa_skip(&c, -(size_t)(c.pos - start) & (align - 1));
	}
	return false;
}

static bool find_at_either(struct pipa_cursor c, uint64_t align, struct pipa_span *ret)
{
	return find_build_id(c, align == 8 ? 8 : 4, ret) ||
	       find_build_id(c, align == 8 ? 4 : 8, ret);
}

bool pipa_notes_build_id(struct pipa_span notes, bool swapped, struct pipa_span *ret)
{
	return find_at_either(pipa_span_cursor(notes, swapped), 4, ret);
}

static bool find_in(const struct pipa_elf *elf, struct pipa_span bytes, uint64_t align,
		    size_t *left, struct pipa_span *ret)
{
	if (!bytes.size || bytes.size > *left)
		return false;
	*left -= bytes.size;
	return find_at_either(pipa_elf_cursor(elf, bytes), align, ret);
}

bool pipa_elf_build_id(const struct pipa_elf *elf, struct pipa_span *ret)
{
	struct pipa_elf_segment segment;
	struct pipa_elf_section section;
	size_t left = elf->file.size; /* more would be the same bytes again and again */
	struct pipa_span bytes;
	uint32_t i;

	for (i = 0; pipa_elf_segment(elf, i, &segment); i++)
		if (segment.type == PT_NOTE &&
		    pipa_span_cut(elf->file, segment.offset, segment.file_size, &bytes) &&
		    find_in(elf, bytes, segment.align, &left, ret))
			return true;
	left = elf->file.size;
	for (i = 0; pipa_elf_section(elf, i, &section); i++)
		if (section.type == SHT_NOTE &&
		    find_in(elf, pipa_elf_section_bytes(elf, &section), section.align, &left, ret))
			return true;
	return false;
}

bool pipa_elf_debuglink(const struct pipa_elf *elf, struct pipa_elf_debuglink *ret)
{
	struct pipa_elf_debuglink link;
	struct pipa_elf_section section;
	const uint8_t *start;
	struct pipa_cursor c;

	if (!pipa_elf_section_named(elf, ".gnu_debuglink", &section))
		return false;
	c = pipa_elf_cursor(elf, pipa_elf_section_bytes(elf, &section));
	start = c.pos;
	link.name = pipa_get_str(&c);
	pipa_skip(&c, -(size_t)(c.pos - start) & 3);
	link.crc = pipa_get_u32(&c);
	if (c.status || !link.name || !*link.name)
		return false;
	*ret = link;
	return true;
}

uint32_t pipa_elf_debuglink_crc(uint32_t crc, struct pipa_span piece)
{
	return pipa_crc32(crc, piece.data, piece.size);
}

bool pipa_elf_altlink(const struct pipa_elf *elf, struct pipa_elf_altlink *ret)
{
	struct pipa_elf_altlink link;
	struct pipa_elf_section section;
	struct pipa_cursor c;

	if (!pipa_elf_section_named(elf, ".gnu_debugaltlink", &section))
		return false;
	c = pipa_elf_cursor(elf, pipa_elf_section_bytes(elf, &section));
	link.name = pipa_get_str(&c);
	if (c.status || !link.name || !*link.name)
		return false;
	link.build_id = (struct pipa_span){ c.pos, (size_t)(c.end - c.pos) };
	if (!link.build_id.size || link.build_id.size > PIPA_ELF_BUILD_ID_MAX)
		return false;
	*ret = link;
	return true;
}
