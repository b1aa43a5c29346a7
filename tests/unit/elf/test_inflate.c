/* Compressed sections, made here with the libraries' own compressors. */
#include <elf.h>
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "elf/elf.h"
#include "elf/inflate.h"
#include "lib/elf_image.h"
#include "lib/test.h"

enum { PLAIN = 20000, ROOM = 40000, HEADER_64 = 24, HEADER_32 = 12, ZDEBUG = 12, ZSTD_METHOD = 2 };

static uint8_t plain[PLAIN], packed[ROOM];

static void fill(void)
{
	size_t i;

	for (i = 0; i < PLAIN; i++)
		plain[i] = (uint8_t)(i * i >> 7);
}

static size_t pack_zlib(uint8_t *to)
{
	uLongf n = ROOM - 64;

	CHECK_EQ(compress(to, &n, plain, PLAIN), Z_OK);
	return n;
}

static struct pipa_span make(struct elf_image *image, const char *name, uint64_t flags, size_t size)
{
	elf_image_section(image,
			  &(struct elf_image_section){ .name = name,
						       .type = SHT_PROGBITS,
						       .flags = flags,
						       .bytes = packed,
						       .size = size },
			  NULL);
	return elf_image_finish(image);
}

static int inflate_named(struct pipa_span file, const char *name, size_t max,
			 struct pipa_inflated *ret, struct pipa_error *err)
{
	struct pipa_elf_section section;
	struct pipa_elf elf;

	CHECK_EQ(pipa_elf_init(&elf, file, NULL), 0);
	CHECK(pipa_elf_section_named(&elf, name, &section));
	CHECK(pipa_elf_section_compressed(&elf, &section));
	return pipa_elf_section_inflate(&elf, &section, max, ret, err);
}

static void check_plain(struct pipa_inflated *got)
{
	CHECK_EQ(got->size, PLAIN);
	CHECK(memcmp(got->data, plain, PLAIN) == 0);
	free(got->data);
}

static void check_method(bool is64, bool big, uint32_t method)
{
	struct elf_image *image = elf_image_new(is64, big, EM_X86_64, ET_DYN);
	size_t header = is64 ? HEADER_64 : HEADER_32, n;
	struct pipa_inflated got;

	fill();
	elf_image_put(image, packed, method, 4);
	elf_image_put(image, packed + (is64 ? 8 : 4), PLAIN, is64 ? 8 : 4);
	n = method == ELFCOMPRESS_ZLIB ?
		    pack_zlib(packed + header) :
		    ZSTD_compress(packed + header, ROOM - header, plain, PLAIN, 3);
	CHECK_EQ(inflate_named(make(image, ".debug_info", SHF_COMPRESSED, header + n),
			       ".debug_info", PLAIN, &got, NULL),
		 0);
	check_plain(&got);
	elf_image_free(image);
}

TEST(compressed_sections_come_out_as_they_went_in)
{
	check_method(true, false, ELFCOMPRESS_ZLIB);
	check_method(true, true, ELFCOMPRESS_ZLIB);
	check_method(false, false, ELFCOMPRESS_ZLIB);
	check_method(false, true, ELFCOMPRESS_ZLIB);
	check_method(true, false, ZSTD_METHOD);
	check_method(false, true, ZSTD_METHOD);
}

TEST(old_zdebug_sections_have_a_big_endian_size)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_inflated got;
	size_t n, i;

	fill();
	memcpy(packed, "ZLIB", 4);
	for (i = 0; i < 8; i++)
		packed[4 + i] = (uint8_t)((uint64_t)PLAIN >> (56 - 8 * i));
	n = pack_zlib(packed + ZDEBUG);
	CHECK_EQ(inflate_named(make(image, ".zdebug_line", 0, ZDEBUG + n), ".zdebug_line", 1 << 20,
			       &got, NULL),
		 0);
	check_plain(&got);
	elf_image_free(image);
}

/* Claimed sizes: too large for the caller, impossible, too small, too large, method unknown. */
TEST(invalid_sizes_are_refused)
{
	static const struct {
		uint32_t method;
		uint64_t claim;
		int want;
	} cases[] = {
		{ ELFCOMPRESS_ZLIB, 1 << 30, -EFBIG },
		{ ELFCOMPRESS_ZLIB, UINT64_MAX, -EFBIG },
		{ ELFCOMPRESS_ZLIB, 900 << 20, -EBADMSG },
		{ ELFCOMPRESS_ZLIB, PLAIN - 1, -EBADMSG },
		{ ELFCOMPRESS_ZLIB, PLAIN + 1, -EBADMSG },
		{ ELFCOMPRESS_ZLIB, 0, -EBADMSG },
		{ ZSTD_METHOD, PLAIN, -EBADMSG },
		{ 99, PLAIN, -ENOTSUP },
	};
	size_t i, n;

	fill();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
		struct pipa_inflated got = { 0 };
		struct pipa_error err = { 0 };

		elf_image_put(image, packed, cases[i].method, 4);
		elf_image_put(image, packed + 8, cases[i].claim, 8);
		n = pack_zlib(packed + HEADER_64);
		CHECK_EQ(inflate_named(make(image, ".debug_str", SHF_COMPRESSED, HEADER_64 + n),
				       ".debug_str", 1000 << 20, &got, &err),
			 cases[i].want);
		CHECK_HAS(err.what, ".debug_str");
		CHECK(!got.data);
		elf_image_free(image);
	}
}

static size_t pack_xz(void)
{
	size_t n = 0;

	CHECK_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, plain, PLAIN, packed, &n, ROOM),
		 LZMA_OK);
	return n;
}

static int unpack_mini(size_t size, size_t max, struct pipa_inflated *got)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_elf elf;
	int rc;

	CHECK_EQ(pipa_elf_init(&elf, make(image, ".gnu_debugdata", 0, size), NULL), 0);
	rc = pipa_elf_minidebug(&elf, max, got, NULL);
	elf_image_free(image);
	return rc;
}

TEST(minidebug_is_decompressed_up_to_a_limit)
{
	struct pipa_inflated got = { 0 };
	size_t n;

	fill();
	n = pack_xz();
	CHECK_EQ(unpack_mini(n, 1 << 20, &got), 0);
	check_plain(&got);
	got.data = NULL;
	CHECK_EQ(unpack_mini(n, PLAIN - 1, &got), -EFBIG);
	CHECK_EQ(unpack_mini(n - 10, 1 << 20, &got), -EBADMSG);
	packed[n / 2] ^= 0x40;
	CHECK_EQ(unpack_mini(n, 1 << 20, &got), -EBADMSG);
	CHECK(!got.data);
}

TEST(an_image_without_minidebug_returns_enoent)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	struct pipa_inflated got;
	struct pipa_elf elf;

	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	CHECK_EQ(pipa_elf_minidebug(&elf, 1 << 20, &got, NULL), -ENOENT);
	elf_image_free(image);
}
