#include "lib/elf_image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

enum { MOST_BYTES = 1 << 20, MOST = 64, NAMES = 4096 };

struct elf_image {
	bool is64, big;
	uint16_t machine, type;
	uint8_t *bytes;
	size_t size;
	struct elf_image_section sections[MOST];
	uint64_t offsets[MOST];
	uint32_t name_offsets[MOST];
	uint32_t n_sections;
	struct elf_image_segment segments[MOST];
	uint32_t n_segments;
	char names[NAMES];
	size_t names_size;
};

struct elf_image *elf_image_new(bool is64, bool big, uint16_t machine, uint16_t type)
{
	struct elf_image *image = calloc(1, sizeof(*image));

	CHECK(image);
	image->bytes = calloc(1, MOST_BYTES);
	CHECK(image->bytes);
	image->is64 = is64;
	image->big = big;
	image->machine = machine;
	image->type = type;
	image->size = is64 ? 64 : 52;
	image->names_size = 1;
	image->n_sections = 1;
	return image;
}

void elf_image_free(struct elf_image *image)
{
	free(image->bytes);
	free(image);
}

uint8_t *elf_image_put(const struct elf_image *image, uint8_t *to, uint64_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		to[image->big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
	return to + size;
}

static void put(struct elf_image *image, uint64_t value, size_t size)
{
	CHECK(image->size + size <= MOST_BYTES);
	elf_image_put(image, image->bytes + image->size, value, size);
	image->size += size;
}

static void put_word(struct elf_image *image, uint64_t value)
{
	put(image, value, image->is64 ? 8 : 4);
}

uint32_t elf_image_section(struct elf_image *image, const struct elf_image_section *section,
			   uint64_t *ret_offset)
{
	uint32_t i = image->n_sections++;
	size_t len = strlen(section->name) + 1;

	CHECK(i < MOST && image->names_size + len <= NAMES);
	image->size = (image->size + 15) & ~(size_t)15;
	CHECK(image->size + section->size <= MOST_BYTES);
	image->sections[i] = *section;
	image->offsets[i] = image->size;
	image->name_offsets[i] = (uint32_t)image->names_size;
	memcpy(image->names + image->names_size, section->name, len);
	image->names_size += len;
	if (section->size && section->type != SHT_NOBITS) {
		memcpy(image->bytes + image->size, section->bytes, section->size);
		image->size += section->size;
	}
	if (ret_offset)
		*ret_offset = image->offsets[i];
	return i;
}

static uint8_t *put_symbol(const struct elf_image *image, uint8_t *to, uint32_t name,
			   const struct elf_image_symbol *s)
{
	uint8_t info = (uint8_t)(s->binding << 4 | s->type);

	to = elf_image_put(image, to, name, 4);
	if (!image->is64) {
		to = elf_image_put(image, to, s->value, 4);
		to = elf_image_put(image, to, s->size, 4);
	}
	to = elf_image_put(image, to, info, 1);
	to = elf_image_put(image, to, s->visibility, 1);
	to = elf_image_put(image, to, s->section, 2);
	if (image->is64) {
		to = elf_image_put(image, to, s->value, 8);
		to = elf_image_put(image, to, s->size, 8);
	}
	return to;
}

uint32_t elf_image_symbols(struct elf_image *image, uint32_t type,
			   const struct elf_image_symbol *symbols, size_t n)
{
	static const struct elf_image_symbol none;
	uint8_t entries[MOST * 24], *to = entries;
	char strings[NAMES] = "";
	size_t used = 1, i, len;
	uint32_t strings_index;

	CHECK(n + 1 < MOST);
	to = put_symbol(image, to, 0, &none);
	for (i = 0; i < n; i++) {
		len = strlen(symbols[i].name) + 1;
		CHECK(used + len <= sizeof(strings));
		memcpy(strings + used, symbols[i].name, len);
		to = put_symbol(image, to, (uint32_t)used, &symbols[i]);
		used += len;
	}
	strings_index = elf_image_section(
		image,
		&(struct elf_image_section){ .name = type == SHT_SYMTAB ? ".strtab" : ".dynstr",
					     .type = SHT_STRTAB,
					     .bytes = strings,
					     .size = used },
		NULL);
	return elf_image_section(
		image,
		&(struct elf_image_section){ .name = type == SHT_SYMTAB ? ".symtab" : ".dynsym",
					     .type = type,
					     .bytes = entries,
					     .size = (size_t)(to - entries),
					     .link = strings_index,
					     .entry_size = image->is64 ? 24 : 16 },
		NULL);
}

void elf_image_segment(struct elf_image *image, const struct elf_image_segment *segment)
{
	CHECK(image->n_segments < MOST);
	image->segments[image->n_segments++] = *segment;
}

static void put_segments(struct elf_image *image)
{
	uint32_t i;

	for (i = 0; i < image->n_segments; i++) {
		const struct elf_image_segment *s = &image->segments[i];

		put(image, s->type, 4);
		if (image->is64)
			put(image, s->flags, 4);
		put_word(image, s->offset);
		put_word(image, s->addr);
		put_word(image, s->addr);
		put_word(image, s->file_size);
		put_word(image, s->mem_size);
		if (!image->is64)
			put(image, s->flags, 4);
		put_word(image, s->align);
	}
}

static void put_sections(struct elf_image *image)
{
	uint32_t i;

	for (i = 0; i < image->n_sections; i++) {
		const struct elf_image_section *s = &image->sections[i];

		put(image, image->name_offsets[i], 4);
		put(image, s->type, 4);
		put_word(image, s->flags);
		put_word(image, s->addr);
		put_word(image, image->offsets[i]);
		put_word(image, s->claim ? s->claim : s->size);
		put(image, s->link, 4);
		put(image, s->info, 4);
		put_word(image, s->align);
		put_word(image, s->entry_size);
	}
}

static void put_header(struct elf_image *image, uint64_t segments_at, uint64_t sections_at)
{
	size_t size = image->size;

	image->size = 0;
	memcpy(image->bytes, ELFMAG, SELFMAG);
	image->bytes[EI_CLASS] = image->is64 ? ELFCLASS64 : ELFCLASS32;
	image->bytes[EI_DATA] = image->big ? ELFDATA2MSB : ELFDATA2LSB;
	image->bytes[EI_VERSION] = EV_CURRENT;
	image->size = EI_NIDENT;
	put(image, image->type, 2);
	put(image, image->machine, 2);
	put(image, EV_CURRENT, 4);
	put_word(image, 0x1234);
	put_word(image, segments_at);
	put_word(image, sections_at);
	put(image, 0, 4);
	put(image, image->is64 ? 64 : 52, 2);
	put(image, image->is64 ? 56 : 32, 2);
	put(image, image->n_segments, 2);
	put(image, image->is64 ? 64 : 40, 2);
	put(image, image->n_sections, 2);
	put(image, image->n_sections - 1, 2);
	image->size = size;
}

struct pipa_span elf_image_finish(struct elf_image *image)
{
	uint64_t segments_at, sections_at;
	static const char own[] = ".shstrtab";

	CHECK(image->names_size + sizeof(own) <= NAMES);
	memcpy(image->names + image->names_size, own, sizeof(own)); /* its own name is in it */
	elf_image_section(image,
			  &(struct elf_image_section){ .name = own,
						       .type = SHT_STRTAB,
						       .bytes = image->names,
						       .size = image->names_size + sizeof(own) },
			  NULL);
	image->size = (image->size + 15) & ~(size_t)15;
	segments_at = image->n_segments ? image->size : 0;
	put_segments(image);
	sections_at = image->size;
	put_sections(image);
	put_header(image, segments_at, sections_at);
	return (struct pipa_span){ image->bytes, image->size };
}
