/* Headers, segments and sections, of every class and byte order, valid and malformed. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "elf/elf.h"
#include "lib/elf_image.h"
#include "lib/test.h"

static const uint8_t code[64] = { 0x90, 0xc3 };

/* .text with its segment at 0x401000, .data at 0x600000 */
static struct elf_image *make(bool is64, bool big, uint64_t *text_at)
{
	struct elf_image *image = elf_image_new(is64, big, big ? EM_PPC : EM_386, ET_EXEC);
	uint64_t data_at;

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".text",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_EXECINSTR,
						       .addr = 0x401000,
						       .bytes = code,
						       .size = sizeof(code),
						       .align = 16 },
			  text_at);
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".data",
						       .type = SHT_PROGBITS,
						       .flags = SHF_ALLOC | SHF_WRITE,
						       .addr = 0x600000,
						       .bytes = code,
						       .size = 32 },
			  &data_at);
	elf_image_section(
		image,
		&(struct elf_image_section){
			.name = ".bss", .type = SHT_NOBITS, .addr = 0x600020, .size = 4096 },
		NULL);
	elf_image_segment(image,
			  &(struct elf_image_segment){ PT_LOAD, PF_R | PF_X, *text_at, 0x401000,
						       sizeof(code), sizeof(code), 0x1000 });
	elf_image_segment(image, &(struct elf_image_segment){ PT_LOAD, PF_R | PF_W, data_at,
							      0x600000, 32, 4128, 0x1000 });
	return image;
}

static void check_image(bool is64, bool big)
{
	struct pipa_elf_section section;
	struct pipa_elf_segment segment;
	struct pipa_elf elf;
	uint64_t text_at, place;
	struct elf_image *image = make(is64, big, &text_at);

	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK_EQ(elf.is64, is64);
	CHECK_EQ(elf.swapped, big);
	CHECK_EQ(elf.type, ET_EXEC);
	CHECK_EQ(elf.machine, big ? EM_PPC : EM_386);
	CHECK_EQ(elf.entry, 0x1234);
	CHECK_EQ(elf.n_segments, 2);
	CHECK_EQ(elf.n_sections, 5);

	CHECK(pipa_elf_segment(&elf, 1, &segment));
	CHECK_EQ(segment.flags, PF_R | PF_W);
	CHECK_EQ(segment.file_size, 32);
	CHECK_EQ(segment.mem_size, 4128);
	CHECK_EQ(segment.align, 0x1000);
	CHECK(!pipa_elf_segment(&elf, 2, &segment));

	CHECK(pipa_elf_section_named(&elf, ".text", &section));
	CHECK_EQ(section.index, 1);
	CHECK_EQ(section.addr, 0x401000);
	CHECK_EQ(section.flags, SHF_ALLOC | SHF_EXECINSTR);
	CHECK_EQ(pipa_elf_section_bytes(&elf, &section).size, sizeof(code));
	CHECK_EQ(pipa_elf_section_bytes(&elf, &section).data[1], 0xc3);
	CHECK(pipa_elf_section_typed(&elf, SHT_NOBITS, &section));
	CHECK_STR(section.name, ".bss");
	CHECK_EQ(section.size, 4096);
	CHECK_EQ(pipa_elf_section_bytes(&elf, &section).size, 0);
	CHECK(!pipa_elf_section_named(&elf, ".tex", &section));

	CHECK(pipa_elf_offset_to_addr(&elf, text_at + 5, &place));
	CHECK_EQ(place, 0x401005);
	CHECK(pipa_elf_addr_to_offset(&elf, 0x401005, &place));
	CHECK_EQ(place, text_at + 5);
	CHECK(!pipa_elf_offset_to_addr(&elf, 0, &place));
	CHECK(!pipa_elf_addr_to_offset(&elf, 0x600020, &place)); /* .bss is not in the file */
	elf_image_free(image);
}

TEST(images_of_both_classes_and_byte_orders_are_read)
{
	check_image(false, false);
	check_image(false, true);
	check_image(true, false);
	check_image(true, true);
}

TEST(an_executable_segment_wins_where_two_hold_an_offset)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_elf elf;
	uint64_t addr;

	elf_image_segment(image,
			  &(struct elf_image_segment){ PT_LOAD, PF_R, 0, 0x1000, 256, 256, 1 });
	elf_image_segment(image,
			  &(struct elf_image_segment){ PT_LOAD, PF_X, 0, 0x9000, 128, 128, 1 });
	elf_image_segment(image,
			  &(struct elf_image_segment){ PT_LOAD, PF_R, 0, 0xa000, 256, 256, 1 });
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_offset_to_addr(&elf, 100, &addr));
	CHECK_EQ(addr, 0x9064);
	CHECK(pipa_elf_offset_to_addr(&elf, 200, &addr));
	CHECK_EQ(addr, 0x10c8); /* else the first */
	elf_image_free(image);
}

TEST(files_other_than_elf_images_are_refused_with_a_reason)
{
	static const char text[] = "#!/bin/sh\necho this is a script and no image\n";
	struct pipa_error err = { 0 };
	struct pipa_elf elf;
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F', 7, 1 };

	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ (const uint8_t *)text, sizeof(text) },
			       &err),
		 -EBADMSG);
	CHECK_STR(err.what, "not an ELF file");
	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ NULL, 0 }, NULL), -EBADMSG);
	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ ident, sizeof(ident) }, &err), -EBADMSG);
	CHECK_HAS(err.what, "class 7");
	ident[EI_CLASS] = ELFCLASS64;
	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ ident, sizeof(ident) }, &err), -EBADMSG);
	CHECK_HAS(err.what, "truncated");
}

/* Cut at every length: what is found lies within. The copy makes a read past the end visible. */
TEST(a_truncated_image_gives_only_sections_within_its_bytes)
{
	uint64_t text_at;
	struct elf_image *image = make(true, false, &text_at);
	struct pipa_span whole = elf_image_finish(image);
	struct pipa_elf_section section;
	struct pipa_elf elf;
	size_t len;
	uint32_t i;

	for (len = 0; len < whole.size; len++) {
		uint8_t *copy = malloc(len ? len : 1);

		memcpy(copy, whole.data, len);
		if (pipa_elf_init(&elf, (struct pipa_span){ copy, len }, NULL) == 0)
			for (i = 0; pipa_elf_section(&elf, i, &section); i++) {
				struct pipa_span bytes = pipa_elf_section_bytes(&elf, &section);

				CHECK(bytes.size <= len && strlen(section.name) < len);
			}
		free(copy);
	}
	elf_image_free(image);
}

TEST(counts_past_the_fields_of_the_header_are_in_the_first_section)
{
	uint64_t text_at;
	struct elf_image *image = make(true, false, &text_at);
	struct pipa_span whole = elf_image_finish(image);
	uint8_t *bytes = malloc(whole.size), *first;
	struct pipa_elf_section section;
	struct pipa_elf elf;

	memcpy(bytes, whole.data, whole.size);
	CHECK_EQ(pipa_elf_init(&elf, whole, NULL), 0);
	first = bytes + elf.sections_at;
	elf_image_put(image, bytes + 60, 0, 2);		 /* e_shnum */
	elf_image_put(image, bytes + 62, SHN_XINDEX, 2); /* e_shstrndx */
	elf_image_put(image, bytes + 56, PN_XNUM, 2);	 /* e_phnum */
	elf_image_put(image, first + 32, 5, 8);		 /* sh_size: sections */
	elf_image_put(image, first + 40, 4, 4);		 /* sh_link: names */
	elf_image_put(image, first + 44, 2, 4);		 /* sh_info: segments */
	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ bytes, whole.size }, NULL), 0);
	CHECK_EQ(elf.n_sections, 5);
	CHECK_EQ(elf.n_segments, 2);
	CHECK(pipa_elf_section_named(&elf, ".data", &section));

	elf_image_put(image, first + 32, UINT64_MAX, 8); /* limited to the file */
	elf_image_put(image, first + 44, UINT32_MAX, 4);
	CHECK_EQ(pipa_elf_init(&elf, (struct pipa_span){ bytes, whole.size }, NULL), 0);
	CHECK_EQ(elf.n_sections, 5);
	CHECK(elf.n_segments < whole.size / 56);
	free(bytes);
	elf_image_free(image);
}

TEST(a_section_outside_of_the_file_is_empty_and_names_end_inside)
{
	struct elf_image *image = elf_image_new(false, true, EM_MIPS, ET_DYN);
	struct pipa_elf_section section;
	struct pipa_span strings;
	struct pipa_elf elf;

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".far",
						       .type = SHT_PROGBITS,
						       .bytes = code,
						       .size = 8,
						       .claim = 0xffffffff },
			  NULL);
	elf_image_section(
		image,
		&(struct elf_image_section){
			.name = ".open", .type = SHT_STRTAB, .bytes = "one\0two\0thr", .size = 11 },
		NULL);
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_section_named(&elf, ".far", &section));
	CHECK_EQ(pipa_elf_section_bytes(&elf, &section).size, 0);
	CHECK(pipa_elf_section_named(&elf, ".open", &section));
	strings = pipa_elf_section_strings(&elf, &section);
	CHECK_EQ(strings.size, 8);
	elf_image_free(image);
}
