#include "codec/tar_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"

/*
 * A block of a header: name 0..100, mode 100, uid 108, gid 116, size 124..136, mtime 136..148,
 * checksum 148..156, type 156, magic and version 257..265.
 */
enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, SUM_AT = 148, TYPE_AT = 156, MAGIC_AT = 257 };

/* Eleven octal digits, or, for what is larger than they reach, a binary number as GNU has it. */
static void set_size(unsigned char *field, uint64_t size)
{
	size_t i;

	if (size >> 33 == 0) {
		snprintf((char *)field, 12, "%011" PRIo64, size);
		return;
	}
	field[0] = 0x80;
	for (i = 11; i > 3; i--, size >>= 8)
		field[i] = (unsigned char)size;
}

static void put_block(struct pipa_buf *out, const char *name, char type, uint64_t size)
{
	static const char magic[8] = { 'u', 's', 't', 'a', 'r', '\0', '0', '0' };
	unsigned char block[BLOCK] = { 0 };
	size_t i, len = strnlen(name, NAME);
	unsigned int sum = 0;

	memcpy(block, name, len);
	memcpy(block + NAME, "0000644\0000000000\0000000000", 24);
	set_size(block + SIZE_AT, size);
	memcpy(block + 136, "00000000000", 12);
	memset(block + SUM_AT, ' ', 8);
	block[TYPE_AT] = (unsigned char)type;
	memcpy(block + MAGIC_AT, magic, sizeof(magic));
	for (i = 0; i < BLOCK; i++)
		sum += block[i];
	snprintf((char *)block + SUM_AT, 7, "%06o", sum & 0777777);
	pipa_buf_add(out, block, BLOCK);
}

/* "LEN path=NAME\n", LEN counting all of itself. */
static void put_long_name(struct pipa_buf *out, const char *name)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	size_t len = strlen(name) + strlen(" path=\n"), all = len, before;

	do {
		before = all;
		all = len + (size_t)snprintf(NULL, 0, "%zu", all);
	} while (all != before);
	pipa_buf_printf(&text, "%zu path=%s\n", all, name);
	put_block(out, "././@PaxHeader", 'x', text.len);
	pipa_buf_add(out, pipa_buf_str(&text), text.len);
	pipa_tar_put_padding(out, text.len);
	if (text.status && !out->status)
		out->status = text.status;
}

void pipa_tar_put_header(struct pipa_buf *out, const char *name, uint64_t size)
{
	if (strlen(name) > NAME)
		put_long_name(out, name);
	put_block(out, name, '0', size);
}

void pipa_tar_put_padding(struct pipa_buf *out, uint64_t size)
{
	pipa_buf_fill(out, '\0', (BLOCK - size % BLOCK) % BLOCK);
}

void pipa_tar_put_end(struct pipa_buf *out)
{
	pipa_buf_fill(out, '\0', 2 * (size_t)BLOCK);
}
