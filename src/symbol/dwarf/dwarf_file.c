#include "symbol/dwarf/dwarf_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/large.h"
#include "base/str.h"
#include "elf/inflate.h"
#include "symbol/dwarf/dwarf_abbrev.h"
#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_reloc.h"
#include "symbol/dwarf/dwarf_unit.h"

enum {
	INFLATED_MAX = 1 << 30, /* limit of a section; the largest real ones have some 100 MiB */
	WORK_PER_BYTE = 32,	/* a valid file takes two or three */
	SMALL_MAX = 256 << 10,	/* size up to which memory is allocated in small pages */
	BLOCK = 2 << 20,
	ALIGN = 16,
};

static const char *const names[PIPA_DW_SECTION_NR] = {
	[PIPA_DW_INFO] = "info",	 [PIPA_DW_ABBREV] = "abbrev",
	[PIPA_DW_STR] = "str",		 [PIPA_DW_LINE] = "line",
	[PIPA_DW_LINE_STR] = "line_str", [PIPA_DW_ARANGES] = "aranges",
	[PIPA_DW_RANGES] = "ranges",	 [PIPA_DW_RNGLISTS] = "rnglists",
	[PIPA_DW_ADDR] = "addr",	 [PIPA_DW_STR_OFFSETS] = "str_offsets",
};

struct pipa_dw_block {
	struct pipa_dw_block *next;
	_Alignas(ALIGN) char bytes[];
};

void pipa_dw_work_done(struct pipa_dw_work *work)
{
	struct pipa_dw_block *block;

	while ((block = work->blocks)) {
		work->blocks = block->next;
		free(block);
	}
	pipa_arena_done(&work->arena);
	pipa_intervals_done(&work->map);
	free(work->rows.items);
	free(work->inlined.items);
}

static void *alloc_large(struct pipa_dw_work *work, size_t size)
{
	struct pipa_dw_block *block;
	void *taken;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = ((size ? size : 1) + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if ((size_t)(work->end - work->pos) < size) {
		size_t whole = sizeof(*block) + size;

		whole = whole < BLOCK ? BLOCK : whole;
		block = pipa_large_alloc(whole);
		if (!block)
			return NULL;
		block->next = work->blocks;
		work->blocks = block;
		work->pos = block->bytes;
		work->end = (char *)block + whole;
	}
	taken = work->pos;
	work->pos += size;
	return taken;
}

/*
 * Larger amounts use huge pages: faults of small pages took a tenth of the time for python3.11,
 * which needs 10 MB.
 */
void *pipa_dw_alloc(struct pipa_dw_work *work, size_t size)
{
	void *taken = work->arena.bytes < SMALL_MAX ? pipa_arena_take(&work->arena, size) :
						      alloc_large(work, size);

	if (!taken)
		work->status = -ENOMEM;
	return taken;
}

void *pipa_dw_copy(struct pipa_dw_work *work, const void *items, size_t size)
{
	void *kept = pipa_dw_alloc(work, size);

	if (kept && size)
		memcpy(kept, items, size);
	return kept;
}

int pipa_dw_copy_map(struct pipa_dw_work *work, struct pipa_intervals *ret)
{
	struct pipa_intervals *map = &work->map;
	int rc = pipa_intervals_make(map);

	*ret = (struct pipa_intervals){ 0 };
	if (rc < 0 || !map->n_pieces)
		return rc;
	ret->starts = pipa_dw_copy(work, map->starts, map->n_pieces * sizeof(*map->starts));
	ret->ids = pipa_dw_copy(work, map->ids, map->n_pieces * sizeof(*map->ids));
	if (!ret->starts || !ret->ids)
		return -ENOMEM;
	ret->n_pieces = map->n_pieces;
	return 0;
}

/*
 * Return the index of a section by the middle of its name: .debug_NAME, .zdebug_NAME or
 * .debug_NAME.dwo.
 */
static int name_number(const char *name, bool is_split)
{
	size_t len;
	int i;

	if (pipa_str_starts(name, ".debug_"))
		name += strlen(".debug_");
	else if (pipa_str_starts(name, ".zdebug_"))
		name += strlen(".zdebug_");
	else
		return -1;
	len = strlen(name);
	if ((len > 4 && strcmp(name + len - 4, ".dwo") == 0) != is_split)
		return -1;
	if (is_split)
		len -= 4;
	for (i = 0; i < PIPA_DW_SECTION_NR; i++)
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return i;
	return -1;
}

static void find_sections(struct pipa_dw_file *file)
{
	struct pipa_elf_section section;
	uint32_t i;
	int number;

	for (i = 1; i < file->elf.n_sections && pipa_elf_section(&file->elf, i, &section); i++) {
		if ((section.flags & SHF_EXECINSTR) && section.size && !section.addr)
			file->zero_is_code = true;
		number = name_number(section.name, file->is_split);
		if (number >= 0 && !file->sections[number].index && section.type != SHT_NOBITS)
			file->sections[number].index = i;
	}
}

/* Place debug sections at 0: references between them are relative to a section's start. */
static void lay_out_debug(struct pipa_dw_file *file)
{
	struct pipa_elf_section section;
	uint32_t i;

	for (i = 0; i < file->layout.n; i++)
		if (pipa_elf_section(&file->elf, i, &section) && !(section.flags & SHF_ALLOC))
			file->layout.starts[i] = 0;
}

int pipa_dw_file_init(struct pipa_dw_file *ret, struct pipa_span bytes, bool is_split,
		      struct pipa_dw_work *work)
{
	int rc;

	*ret = (struct pipa_dw_file){ .work = work, .is_split = is_split };
	rc = pipa_elf_init(&ret->elf, bytes, NULL);
	if (rc < 0)
		return rc;
	find_sections(ret);
	if (!ret->sections[PIPA_DW_INFO].index || !ret->sections[PIPA_DW_ABBREV].index)
		return -ENOENT;
	work->left += bytes.size * WORK_PER_BYTE;
	if (ret->elf.type != ET_REL || is_split) /* a split file has no relocations */
		return 0;
	ret->zero_is_code = true;
	rc = pipa_layout_init(&ret->layout, &ret->elf);
	if (rc == 0)
		lay_out_debug(ret);
	return rc;
}

void pipa_dw_file_done(struct pipa_dw_file *file)
{
	size_t i;

	pipa_dw_units_done(file); /* before the tables that they borrow from */
	pipa_dw_lines_made_done(file);
	for (i = 0; i < PIPA_DW_SECTION_NR; i++)
		free(file->sections[i].own);
	pipa_dw_abbrevs_done(file);
	free(file->named);
	pipa_layout_done(&file->layout);
	*file = (struct pipa_dw_file){ 0 };
}

static int inflate(const struct pipa_dw_file *file, const struct pipa_elf_section *header,
		   struct pipa_dw_section *section)
{
	struct pipa_inflated inflated;
	int rc = pipa_elf_section_inflate(&file->elf, header, INFLATED_MAX, &inflated, NULL);

	if (rc < 0)
		return rc;
	section->own = inflated.data;
	section->bytes = (struct pipa_span){ inflated.data, inflated.size };
	return 0;
}

/* Make a writable copy of the bytes. 0 or -ENOMEM. */
static int copy_section(struct pipa_dw_section *section)
{
	if (section->own || !section->bytes.data)
		return 0;
	section->own = malloc(section->bytes.size);
	if (!section->own)
		return -ENOMEM;
	memcpy(section->own, section->bytes.data, section->bytes.size);
	section->bytes.data = section->own;
	return 0;
}

/* Decompress and relocate a section. 0 or a negative errno. */
static int load_bytes(const struct pipa_dw_file *file, struct pipa_dw_section *section)
{
	struct pipa_elf_section header;
	int rc = 0;

	if (!section->index || !pipa_elf_section(&file->elf, section->index, &header))
		return 0;
	if (pipa_elf_section_compressed(&file->elf, &header))
		rc = inflate(file, &header, section);
	else
		section->bytes = pipa_elf_section_bytes(&file->elf, &header);
	if (rc == 0 && file->layout.n) {
		rc = copy_section(section);
		if (rc == 0)
			pipa_dw_relocate(&file->elf, &file->layout, section->index, section->own,
					 section->bytes.size);
	}
	if (rc < 0)
		section->bytes = (struct pipa_span){ 0 };
	return rc;
}

void pipa_dw_section_unpack(struct pipa_dw_file *file, enum pipa_dw_section_name name)
{
	struct pipa_dw_section *section = &file->sections[name];

	if (section->ready || section->unpacked)
		return;
	section->status = load_bytes(file, section);
	section->unpacked = true;
}

struct pipa_span pipa_dw_section_load(struct pipa_dw_file *file, enum pipa_dw_section_name name)
{
	struct pipa_dw_section *section = &file->sections[name];

	pipa_dw_section_unpack(file, name);
	section->ready = true;
	if (section->own)
		file->work->left += (uint64_t)section->bytes.size * WORK_PER_BYTE;
	if (section->status == -ENOMEM)
		file->work->status = -ENOMEM;
	return section->bytes;
}

void pipa_dw_file_lend(struct pipa_dw_file *file, struct pipa_dw_work *work,
		       struct pipa_dw_file *ret)
{
	size_t i;

	*ret = (struct pipa_dw_file){ .elf = file->elf,
				      .work = work,
				      .zero_is_code = file->zero_is_code,
				      .made = file->made };
	ret->made.borrowed = true;
	for (i = 0; i < PIPA_DW_SECTION_NR; i++)
		ret->sections[i] = (struct pipa_dw_section){ .ready = true,
							     .bytes = pipa_dw_bytes(file, i) };
}

struct pipa_cursor pipa_dw_cursor(struct pipa_dw_file *file, enum pipa_dw_section_name name,
				  uint64_t offset)
{
	struct pipa_span bytes = pipa_dw_bytes(file, name), part = { 0 };

	if (offset < bytes.size)
		pipa_span_cut(bytes, offset, bytes.size - offset, &part);
	return pipa_span_cursor(part, file->elf.swapped);
}

const char *pipa_dw_text(struct pipa_dw_file *file, enum pipa_dw_section_name name, uint64_t offset)
{
	struct pipa_span bytes = pipa_dw_bytes(file, name);

	if (offset >= bytes.size)
		return NULL;
	if (bytes.data[bytes.size - 1] && /* the last string must be terminated */
	    !memchr(bytes.data + offset, '\0', (size_t)(bytes.size - offset)))
		return NULL;
	return (const char *)bytes.data + offset;
}
