#include "elf/inflate.h"

#include <elf.h>
#include <errno.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/large.h"
#include "base/str.h"
#include "codec/decompress.h"
#include "elf/elf.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2 /* since glibc 2.37 */
#endif

enum {
	ZDEBUG_HEADER = 12, /* "ZLIB" and the size, big-endian in every file */
	ZLIB_RATIO = 1032,  /* the highest that deflate reaches */
};

struct packed {
	uint32_t method;
	uint64_t size; /* decompressed, as the header states it */
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

int pipa_elf_section_inflate(const struct pipa_elf *elf, const struct pipa_elf_section *section,
			     size_t max, struct pipa_inflated *ret, struct pipa_error *err)
{
	PIPA_AUTO(free) uint8_t *out = NULL;
	struct packed packed = { 0 };
	int rc = read_header(elf, section, &packed);

	if (rc < 0)
		return pipa_refuse(err, rc, "section %s: invalid compression header",
				   section->name);
	if (packed.method != ELFCOMPRESS_ZLIB && packed.method != ELFCOMPRESS_ZSTD)
		return pipa_refuse(err, -ENOTSUP, "section %s: unknown compression type %u",
				   section->name, packed.method);
	if (packed.size > max)
		return pipa_fail(err, -EFBIG, "allocate section %s of %llu bytes", section->name,
				 (unsigned long long)packed.size);
	if (packed.method == ELFCOMPRESS_ZLIB && packed.size / ZLIB_RATIO > packed.bytes.size)
		return pipa_refuse(err, -EBADMSG, "section %s claims %llu bytes out of %zu",
				   section->name, (unsigned long long)packed.size,
				   packed.bytes.size);
	out = pipa_large_alloc(packed.size);
	if (!out)
		return pipa_fail(err, -ENOMEM, "decompress section %s", section->name);
	rc = packed.method == ELFCOMPRESS_ZLIB ?
		     pipa_decompress_zlib(packed.bytes, out, packed.size) :
		     pipa_decompress_zstd(packed.bytes, out, packed.size);
	if (rc == -ENOMEM)
		return pipa_fail(err, rc, "decompress section %s", section->name);
	if (rc < 0)
		return pipa_refuse(err, -EBADMSG, "section %s is corrupt", section->name);
	ret->size = packed.size;
	ret->data = PIPA_TAKE(out);
	return 0;
}

int pipa_elf_minidebug(const struct pipa_elf *elf, size_t max, struct pipa_inflated *ret,
		       struct pipa_error *err)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = max + 1 }; /* with its NUL */
	struct pipa_elf_section section;
	int rc;

	if (!pipa_elf_section_named(elf, ".gnu_debugdata", &section))
		return pipa_refuse(err, -ENOENT, "no .gnu_debugdata");
	rc = pipa_decompress(pipa_elf_section_bytes(elf, &section), &out);
	if (rc < 0)
		return pipa_fail(err, rc == -EINVAL ? -EBADMSG : rc, "decompress .gnu_debugdata");
	ret->size = out.len;
	ret->data = (uint8_t *)PIPA_TAKE(out.data);
	return 0;
}
