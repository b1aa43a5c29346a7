/* Build ids, and the names of debug files. */
#include <elf.h>

#include "elf/elf.h"
#include "elf/identity.h"
#include "lib/elf_image.h"
#include "lib/test.h"

static const uint8_t id[20] = { 0xde, 0xad, 0xbe, 0xef, 5,  6,	7,  8,	9,  10,
				11,   12,   13,	  14,	15, 16, 17, 18, 19, 20 };

/* A note, padded to the alignment; returns its size. */
static size_t put_note(const struct elf_image *image, uint8_t *at, const char *name, uint32_t type,
		       const void *desc, size_t size, size_t align)
{
	uint8_t *to = at;

	to = elf_image_put(image, to, strlen(name) + 1, 4);
	to = elf_image_put(image, to, size, 4);
	to = elf_image_put(image, to, type, 4);
	memcpy(to, name, strlen(name) + 1);
	to += strlen(name) + 1;
	to += -(size_t)(to - at) & (align - 1);
	memcpy(to, desc, size);
	to += size;
	return (size_t)(to - at) + (-(size_t)(to - at) & (align - 1));
}

static void check_notes(bool is64, bool big, size_t align, bool as_segment)
{
	struct elf_image *image = elf_image_new(is64, big, EM_AARCH64, ET_DYN);
	uint8_t notes[256] = { 0 };
	struct pipa_span found;
	struct pipa_elf elf;
	uint64_t at;
	size_t n;

	n = put_note(image, notes, "Linux", 0x101, "12345", 5, align); /* others come first */
	n += put_note(image, notes + n, "GNU", NT_GNU_ABI_TAG, id, 16, align);
	n += put_note(image, notes + n, "Go", NT_GNU_BUILD_ID, id, 3, align);
	n += put_note(image, notes + n, "GNU", NT_GNU_BUILD_ID, id, sizeof(id), align);
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".note",
						       .type = as_segment ? SHT_PROGBITS : SHT_NOTE,
						       .bytes = notes,
						       .size = n,
						       .align = align },
			  &at);
	if (as_segment)
		elf_image_segment(image,
				  &(struct elf_image_segment){ PT_NOTE, PF_R, at, 0, n, n, align });
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_build_id(&elf, &found));
	CHECK_EQ(found.size, sizeof(id));
	CHECK(memcmp(found.data, id, sizeof(id)) == 0);
	elf_image_free(image);
}

TEST(the_build_id_is_found_among_notes_of_any_alignment)
{
	check_notes(true, false, 4, true);
	check_notes(true, false, 8, true);
	check_notes(true, true, 8, false);
	check_notes(false, true, 4, false);
	check_notes(false, false, 4, true);
}

TEST(notes_with_an_invalid_size_have_no_build_id)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	uint8_t notes[64] = { 0 };
	struct pipa_span found;
	size_t n = put_note(image, notes, "GNU", NT_GNU_BUILD_ID, id, sizeof(id), 4);

	CHECK(pipa_notes_build_id((struct pipa_span){ notes, n }, false, &found));
	CHECK(!pipa_notes_build_id((struct pipa_span){ notes, n - 1 }, false, &found));
	elf_image_put(image, notes, 0xfffffffd, 4);
	CHECK(!pipa_notes_build_id((struct pipa_span){ notes, n }, false, &found));
	elf_image_put(image, notes, 4, 4);
	elf_image_put(image, notes + 4, 0, 4);
	CHECK(!pipa_notes_build_id((struct pipa_span){ notes, n }, false, &found));
	elf_image_free(image);
}

static void check_links(bool is64, bool big)
{
	struct elf_image *image = elf_image_new(is64, big, EM_ARM, ET_DYN);
	uint8_t link[16] = "libx.debug", alt[40] = "dwz";
	struct pipa_elf_debuglink debuglink;
	struct pipa_elf_altlink altlink;
	struct pipa_elf elf;

	elf_image_put(image, link + 12, 0xcafe1234, 4);
	memcpy(alt + 4, id, sizeof(id));
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".gnu_debuglink",
						       .type = SHT_PROGBITS,
						       .bytes = link,
						       .size = sizeof(link) },
			  NULL);
	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".gnu_debugaltlink",
						       .type = SHT_PROGBITS,
						       .bytes = alt,
						       .size = 4 + sizeof(id) },
			  NULL);
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(pipa_elf_debuglink(&elf, &debuglink));
	CHECK_STR(debuglink.name, "libx.debug");
	CHECK_EQ(debuglink.crc, 0xcafe1234);
	CHECK(pipa_elf_altlink(&elf, &altlink));
	CHECK_STR(altlink.name, "dwz");
	CHECK_EQ(altlink.build_id.size, sizeof(id));
	CHECK(memcmp(altlink.build_id.data, id, sizeof(id)) == 0);
	elf_image_free(image);
}

TEST(links_to_debug_files_are_read_in_either_byte_order)
{
	check_links(true, false);
	check_links(true, true);
	check_links(false, false);
	check_links(false, true);
}

TEST(a_debuglink_too_short_for_its_checksum_is_ignored)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_elf_debuglink debuglink;
	struct pipa_elf elf;

	elf_image_section(image,
			  &(struct elf_image_section){ .name = ".gnu_debuglink",
						       .type = SHT_PROGBITS,
						       .bytes = "name\0\0\0\0abc",
						       .size = 11 },
			  NULL);
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK(!pipa_elf_debuglink(&elf, &debuglink));
	elf_image_free(image);
}

TEST(the_checksum_of_a_debug_file_can_be_taken_in_pieces)
{
	static const char text[] = "123456789"; /* the check value of this CRC is well known */
	uint32_t crc = pipa_elf_debuglink_crc(0, (struct pipa_span){ (const uint8_t *)text, 4 });

	crc = pipa_elf_debuglink_crc(crc, (struct pipa_span){ (const uint8_t *)text + 4, 5 });
	CHECK_EQ(crc, 0xcbf43926);
}
