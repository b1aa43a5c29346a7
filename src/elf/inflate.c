#include "elf/inflate.h"

#include <elf.h>
#include <errno.h>
#include <lzma.h>
#ifdef PIPA_HAVE_DEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif
#include <zstd.h>
#include <zstd_errors.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/large.h"
#include "base/str.h"
#include "elf/elf.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* since glibc 2.37 */
#endif

enum {
	ZDEBUG_HEADER = 12,   /* "ZLIB" and the size, big-endian whatever the file is */
	ZLIB_RATIO = 1032,    /* deflate cannot do better */
	XZ_MEMORY = 64 << 20, /* what xz -9 files need */
	XZ_FIRST = 64 << 10,
};

struct packed {
	uint32_t method;
	uint64_t size; /* claimed, when unpacked */
	struct pipa_span bytes;
};

static bool is_zdebug(const struct pipa_elf_section *section, struct pipa_span bytes)
{
	return pipa_str_starts(section->name, ".zdebug_") && bytes.size >= ZDEBUG_HEADER &&
	       memcmp(bytes.data, "ZLIB", 4) == 0;
}

bool pipa_elf_section_compressed(const struct pipa_elf *elf, const struct pipa_elf_section *section)
{
	return (section->flags & SHF_COMPRESSED) ||
	       is_zdebug(section, pipa_elf_section_bytes(elf, section));
}

static int read_header(const struct pipa_elf *elf, const struct pipa_elf_section *section,
		       struct packed *ret)
{
	struct pipa_span bytes = pipa_elf_section_bytes(elf, section);
	struct pipa_cursor c = pipa_elf_cursor(elf, bytes);

	if (section->flags & SHF_COMPRESSED) {
		ret->method = pipa_get_u32(&c);
		if (elf->is64)
			pipa_skip(&c, sizeof(uint32_t)); /* reserved */
		ret->size = pipa_elf_word(elf, &c);
		(void)pipa_elf_word(elf, &c); /* alignment */
	} else if (is_zdebug(section, bytes)) {
		c.swapped = __BYTE_ORDER == __LITTLE_ENDIAN;
		pipa_skip(&c, 4);
		ret->method = ELFCOMPRESS_ZLIB;
		ret->size = pipa_get_u64(&c);
	} else {
		return -EINVAL;
	}
	ret->bytes = (struct pipa_span){ c.pos, (size_t)(c.end - c.pos) };
	return c.status;
}

/* libdeflate takes 26 ms for the 11 MB of a .debug_info that zlib takes 62 ms for. */
#ifdef PIPA_HAVE_DEFLATE
static int unpack_zlib(struct pipa_span in, uint8_t *out, size_t size)
{
	struct libdeflate_decompressor *z = libdeflate_alloc_decompressor();
	enum libdeflate_result result;

	if (!z)
		return -ENOMEM;
	result = libdeflate_zlib_decompress(z, in.data, in.size, out, size, NULL);
	libdeflate_free_decompressor(z);
	return result == LIBDEFLATE_SUCCESS ? 0 : -EBADMSG;
}
#else
static int unpack_zlib(struct pipa_span in, uint8_t *out, size_t size)
{
	uLongf n = size;
	int state = uncompress(out, &n, in.data, in.size);

	if (state == Z_MEM_ERROR)
		return -ENOMEM;
	return state == Z_OK && n == size ? 0 : -EBADMSG;
}
#endif

static int unpack_zstd(struct pipa_span in, uint8_t *out, size_t size)
{
	size_t n = ZSTD_decompress(out, size, in.data, in.size);

	if (ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation)
		return -ENOMEM;
	return n == size ? 0 : -EBADMSG;
}

int pipa_elf_section_inflate(const struct pipa_elf *elf, const struct pipa_elf_section *section,
			     size_t max, struct pipa_inflated *ret, struct pipa_error *err)
{
	PIPA_AUTO(free) uint8_t *out = NULL;
	struct packed packed = { 0 };
	int rc = read_header(elf, section, &packed);

	if (rc < 0)
		return pipa_refuse(err, rc, "section %s is not compressed as it should be",
				   section->name);
	if (packed.method != ELFCOMPRESS_ZLIB && packed.method != ELFCOMPRESS_ZSTD)
		return pipa_refuse(err, -ENOTSUP, "section %s: compression %u is not known",
				   section->name, packed.method);
	if (packed.size > max)
		return pipa_fail(err, -EFBIG, "section %s of %llu bytes", section->name,
				 (unsigned long long)packed.size);
	if (packed.method == ELFCOMPRESS_ZLIB && packed.size / ZLIB_RATIO > packed.bytes.size)
		return pipa_refuse(err, -EBADMSG, "section %s claims %llu bytes out of %zu",
				   section->name, (unsigned long long)packed.size,
				   packed.bytes.size);
	out = pipa_large_alloc(packed.size);
	if (!out)
		return pipa_fail(err, -ENOMEM, "unpack section %s", section->name);
	rc = packed.method == ELFCOMPRESS_ZLIB ? unpack_zlib(packed.bytes, out, packed.size) :
						 unpack_zstd(packed.bytes, out, packed.size);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "unpack section %s", section->name);
	if (rc < 0)
		return pipa_refuse(err, -EBADMSG, "section %s is damaged", section->name);
	ret->size = packed.size;
	ret->data = PIPA_TAKE(out);
	return 0;
}

/* Room for more output, twice as much each time up to max. */
static int more_room(lzma_stream *xz, uint8_t **out, size_t *cap, size_t max)
{
	size_t want = *cap ? *cap * 2 : XZ_FIRST;
	uint8_t *grown;

	if (*cap >= max)
		return -EFBIG;
	if (want > max)
		want = max;
	grown = realloc(*out, want);
	if (!grown)
		return -ENOMEM;
	xz->next_out = grown + *cap;
	xz->avail_out = want - *cap;
	*out = grown;
	*cap = want;
	return 0;
}

static int run_xz(lzma_stream *xz, uint8_t **out, size_t *cap, size_t max)
{
	lzma_ret state = LZMA_OK;
	int rc;

	while (state == LZMA_OK) {
		if (!xz->avail_out) {
			rc = more_room(xz, out, cap, max);
			if (rc < 0)
				return rc;
		}
		state = lzma_code(xz, LZMA_FINISH);
	}
	if (state == LZMA_STREAM_END)
		return 0;
	return state == LZMA_MEM_ERROR ? -ENOMEM : state == LZMA_MEMLIMIT_ERROR ? -EFBIG : -EBADMSG;
}

int pipa_elf_minidebug(const struct pipa_elf *elf, size_t max, struct pipa_inflated *ret,
		       struct pipa_error *err)
{
	PIPA_AUTO(free) uint8_t *out = NULL;
	lzma_stream xz = LZMA_STREAM_INIT;
	struct pipa_elf_section section;
	struct pipa_span bytes;
	size_t cap = 0, size;
	int rc;

	if (!pipa_elf_section_named(elf, ".gnu_debugdata", &section))
		return pipa_refuse(err, -ENOENT, "no .gnu_debugdata");
	bytes = pipa_elf_section_bytes(elf, &section);
	if (lzma_stream_decoder(&xz, XZ_MEMORY, 0) != LZMA_OK)
		return pipa_fail(err, -ENOMEM, "unpack .gnu_debugdata");
	xz.next_in = bytes.data;
	xz.avail_in = bytes.size;
	rc = run_xz(&xz, &out, &cap, max);
	size = xz.total_out;
	lzma_end(&xz);
	if (rc < 0)
		return pipa_fail(err, rc, "unpack .gnu_debugdata");
	ret->size = size;
	ret->data = PIPA_TAKE(out);
	return 0;
}
