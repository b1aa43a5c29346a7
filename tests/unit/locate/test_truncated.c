#include "locate/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file/file_map.h"
#include "elf/elf.h"
#include "elf/identity.h"
#include "lib/elf_image.h"
#include "lib/test.h"

static void count_path(void *ctx, const char *path)
{
	*(size_t *)ctx += strstr(path, "/program") != NULL;
}

/* An ELF file whose headers are parsed while it is truncated: sections, symbols and build id are missing. */
TEST(an_elf_file_that_is_truncated_while_it_is_read_loses_its_sections)
{
	static const uint8_t code[256 << 10];
	struct elf_image *image = elf_image_new(true, false, 62, 2);
	struct pipa_elf_section section;
	struct pipa_span file, whole, id;
	size_t reported = 0;
	struct pipa_elf elf;
	char path[300];
	FILE *out;

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	elf_image_section(image,
			  &(struct elf_image_section){
				  .name = ".text", .type = 1, .bytes = code, .size = sizeof(code) },
			  NULL);
	whole = elf_image_finish(image);
	snprintf(path, sizeof(path), "%s/program", pipa_test_dir());
	out = fopen(path, "we");
	CHECK(out && fwrite(whole.data, 1, whole.size, out) == whole.size && fclose(out) == 0);
	elf_image_free(image);

	pipa_file_map_guard();
	CHECK(pipa_locate_map(path, &file));
	CHECK_EQ(pipa_elf_init(&elf, file, NULL), 0);
	CHECK(pipa_elf_section_named(&elf, ".text", &section));
	pipa_locate_unmap(&file);

	CHECK(pipa_locate_map(path, &file));
	CHECK_EQ(pipa_elf_init(&elf, file, NULL), 0);
	CHECK_EQ(truncate(path, 100), 0);
	CHECK(!pipa_elf_section_named(&elf, ".text", &section));
	CHECK(!pipa_elf_build_id(&elf, &id));
	CHECK(pipa_locate_is_stripped(file));
	pipa_locate_unmap(&file);
	pipa_file_map_truncated(count_path, &reported);
	CHECK_EQ(reported, 1);
}
