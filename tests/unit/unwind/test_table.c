/* Sources of the rows of a table: each kind of section, the debug file, only segments. */
#include "unwind/table.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "base/auto.h"
#include "frames.h"
#include "lib/elf_image.h"
#include "unwind/rows.h"

enum { FRAME_AT = 0x9000, HDR_AT = 0x8000 };

/* One function at 0x1000 with CFA rsp + `cfa`, as .eh_frame or .debug_frame. Where its FDE is. */
static size_t one_function(struct frames *f, bool is_eh, uint8_t cfa)
{
	size_t cie, at;

	f->n = 0;
	cie = put_cie(f, "zR", 16, CODE(0x0c, 7, 8, 0x90, 1));
	at = put_fde(f, cie, 0x1000, 0x100, CODE(0x0e, cfa));
	if (is_eh)
		return at;
	memset(f->bytes + cie + 4, 0xff, 4); /* ids of .debug_frame: -1, and the CIE's offset */
	memset(f->bytes + at + 4, 0, 4);
	return at;
}

static void add(struct elf_image *image, const char *name, const struct frames *f, uint64_t *offset)
{
	elf_image_section(image,
			  &(struct elf_image_section){ .name = name,
						       .type = SHT_PROGBITS,
						       .addr = FRAME_AT,
						       .bytes = f->bytes,
						       .size = f->n },
			  offset);
}

/* The CFA's offset that the files give the function; 0 when they give none. */
static int64_t cfa_of(struct pipa_span main, struct pipa_span debug)
{
	PIPA_AUTO(pipa_unwind_table_free) struct pipa_unwind_table *table = NULL;
	struct pipa_unwind_files files = { main, debug };
	struct pipa_row row;
	int rc;

	CHECK_EQ(pipa_unwind_table_new(&files, &table, NULL), 0);
	rc = pipa_unwind_table_row(table, 0x1010, &row);
	CHECK(rc == 0 || rc == -ENOENT);
	CHECK_EQ(pipa_unwind_table_count(table) > 0, rc == 0);
	return rc ? 0 : row.cfa.offset;
}

static struct elf_image *image_of(const char *name, uint8_t cfa)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct frames f;

	if (name) {
		one_function(&f, strcmp(name, ".eh_frame") == 0, cfa);
		add(image, name, &f, NULL);
	}
	return image;
}

TEST(rows_come_from_eh_frame_before_debug_frame)
{
	struct pipa_span none = { NULL, 0 };
	struct elf_image *eh = image_of(".eh_frame", 16), *own = image_of(".debug_frame", 24),
			 *empty = image_of(NULL, 0), *debug = image_of(".debug_frame", 32);
	struct pipa_span with_eh = elf_image_finish(eh), with_own = elf_image_finish(own),
			 with_none = elf_image_finish(empty), separate = elf_image_finish(debug);

	CHECK_EQ(cfa_of(with_eh, separate), 16);
	CHECK_EQ(cfa_of(with_own, separate), 24);
	CHECK_EQ(cfa_of(with_none, separate), 32);
	CHECK_EQ(cfa_of(none, separate), 32);
	CHECK_EQ(cfa_of(with_none, none), 0);
	elf_image_free(eh);
	elf_image_free(own);
	elf_image_free(empty);
	elf_image_free(debug);
}

TEST(rows_come_from_minidebug_where_nothing_else_has_any)
{
	static uint8_t packed[1 << 16];
	struct elf_image *inner = image_of(".debug_frame", 40), *outer = image_of(NULL, 0);
	struct pipa_span plain = elf_image_finish(inner), none = { NULL, 0 };
	size_t n = 0;

	CHECK_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, plain.data, plain.size, packed,
					 &n, sizeof(packed)),
		 LZMA_OK);
	elf_image_section(outer,
			  &(struct elf_image_section){ .name = ".gnu_debugdata",
						       .type = SHT_PROGBITS,
						       .bytes = packed,
						       .size = n },
			  NULL);
	CHECK_EQ(cfa_of(elf_image_finish(outer), none), 40);
	elf_image_free(inner);
	elf_image_free(outer);
}

/* .eh_frame_hdr over the one function: version, encodings, .eh_frame, count, the pair. */
static void make_hdr(struct frames *hdr, uint64_t fde_at)
{
	hdr->n = 0;
	put(hdr, 1, 1);
	put(hdr, PIPA_EH_PE_PCREL | PIPA_EH_PE_S4, 1);
	put(hdr, PIPA_EH_PE_U4, 1);
	put(hdr, PIPA_EH_PE_DATAREL | PIPA_EH_PE_S4, 1);
	put(hdr, FRAME_AT - (HDR_AT + 4), 4);
	put(hdr, 1, 4);
	put(hdr, (uint64_t)(0x1000 - HDR_AT), 4);
	put(hdr, FRAME_AT + fde_at - HDR_AT, 4);
}

TEST(a_file_without_section_names_is_read_by_its_segments)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_span none = { NULL, 0 };
	struct frames f, hdr;
	uint64_t frame_offset, hdr_offset;

	make_hdr(&hdr, one_function(&f, true, 48));
	add(image, "x", &f, &frame_offset);
	add(image, "y", &hdr, &hdr_offset);
	elf_image_segment(image, &(struct elf_image_segment){ .type = PT_LOAD,
							      .flags = PF_R,
							      .offset = frame_offset,
							      .addr = FRAME_AT,
							      .file_size = f.n,
							      .mem_size = f.n });
	elf_image_segment(image, &(struct elf_image_segment){ .type = PT_GNU_EH_FRAME,
							      .flags = PF_R,
							      .offset = hdr_offset,
							      .addr = HDR_AT,
							      .file_size = hdr.n,
							      .mem_size = hdr.n });
	CHECK_EQ(cfa_of(elf_image_finish(image), none), 48);
	elf_image_free(image);
}

TEST(bytes_come_from_segments_that_are_not_written_to)
{
	PIPA_AUTO(pipa_unwind_table_free) struct pipa_unwind_table *table = NULL;
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_unwind_files files = { 0 };
	struct elf_image_segment segment = { .type = PT_LOAD, .flags = PF_R, .addr = 0x4000 };
	uint8_t got[16];
	struct frames f;

	one_function(&f, true, 16);
	add(image, ".eh_frame", &f, &segment.offset);
	segment.file_size = segment.mem_size = f.n;
	elf_image_segment(image, &segment);
	segment.flags |= PF_W;
	segment.addr = 0x8000;
	elf_image_segment(image, &segment);
	files.main = elf_image_finish(image);
	CHECK_EQ(pipa_unwind_table_new(&files, &table, NULL), 0);
	CHECK_EQ(pipa_unwind_table_bytes(table, 0x4000, got, sizeof(got)), sizeof(got));
	CHECK(memcmp(got, f.bytes, sizeof(got)) == 0);
	CHECK_EQ(pipa_unwind_table_bytes(table, 0x4000 + f.n - 4, got, sizeof(got)), 4);
	CHECK_EQ(pipa_unwind_table_bytes(table, 0x8000, got, sizeof(got)), 0);
	CHECK_EQ(pipa_unwind_table_bytes(table, 0x3fff, got, sizeof(got)), 0);
	elf_image_free(image);
}
