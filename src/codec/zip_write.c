#include "codec/zip_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* it only reads what it is given */
#include <zlib.h>

#include "base/buf.h"
#include "base/vec.h"
#include "codec/crc32.h"
#include "codec/varint.h"

enum {
	LOCAL_HEADER = 0x04034b50,
	DESCRIPTOR = 0x08074b50,
	DIRECTORY_ENTRY = 0x02014b50,
	DIRECTORY_END = 0x06054b50,
	VERSION = 20,
	FLAGS = 1 << 3 | 1 << 11, /* sizes follow the member; names are UTF-8 */
	DEFLATE = 8,
	DATE = 1 << 5 | 1, /* 1980-01-01, the earliest: archives of equal content are equal */
	PIECE = 64 << 10,
	LEVEL = 1, /* for speed */
	MEMBERS_MAX = 65535,
};

struct member {
	char *name;
	uint64_t offset, size, compressed;
	uint32_t crc;
};

struct pipa_zip {
	int (*put)(void *ctx, const char *bytes, size_t len);
	void *ctx;
	z_stream deflate;
	int status;
	uint64_t offset; /* bytes passed to put() */
	struct {
		struct member *items;
		size_t n, cap;
	} members;
	unsigned char piece[PIECE];
};

struct pipa_zip *pipa_zip_new(int (*put)(void *ctx, const char *bytes, size_t len), void *ctx)
{
	struct pipa_zip *zip = calloc(1, sizeof(*zip));

	if (!zip)
		return NULL;
	zip->put = put;
	zip->ctx = ctx;
	if (deflateInit2(&zip->deflate, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) ==
	    Z_OK)
		return zip;
	free(zip);
	return NULL;
}

void pipa_zip_free(struct pipa_zip *zip)
{
	size_t i;

	if (!zip)
		return;
	for (i = 0; i < zip->members.n; i++)
		free(zip->members.items[i].name);
	free(zip->members.items);
	deflateEnd(&zip->deflate);
	free(zip);
}

static struct member *current(const struct pipa_zip *zip)
{
	return &zip->members.items[zip->members.n - 1];
}

uint64_t pipa_zip_size(const struct pipa_zip *zip)
{
	return zip->members.n ? current(zip)->size : 0;
}

static int write_bytes(struct pipa_zip *zip, const void *bytes, size_t len)
{
	int rc;

	if (zip->status)
		return zip->status;
	if (zip->offset + len > UINT32_MAX)
		return zip->status = -EFBIG;
	rc = len ? zip->put(zip->ctx, bytes, len) : 0;
	zip->offset += len;
	return zip->status = rc < 0 ? rc : 0;
}

/* Write numbers of 2 and 4 bytes, given as pairs of value and size, and then bytes. */
struct number {
	uint64_t value;
	size_t bytes;
};

static int write_numbers(struct pipa_zip *zip, const struct number *numbers, size_t n,
			 const char *name)
{
	unsigned char bytes[64];
	size_t len = 0, i;

	for (i = 0; i < n; i++) {
		pipa_le_put(bytes + len, numbers[i].value, numbers[i].bytes);
		len += numbers[i].bytes;
	}
	write_bytes(zip, bytes, len);
	return write_bytes(zip, name, strlen(name));
}

int pipa_zip_begin(struct pipa_zip *zip, const char *name)
{
	const struct number header[] = {
		{ LOCAL_HEADER, 4 },
		{ VERSION, 2 },
		{ FLAGS, 2 },
		{ DEFLATE, 2 },
		{ 0, 2 }, /* time */
		{ DATE, 2 },
		{ 0, 4 }, /* checksum and sizes follow the member */
		{ 0, 4 },
		{ 0, 4 },
		{ strlen(name), 2 },
		{ 0, 2 },
	};
	struct member *member;

	if (zip->status)
		return zip->status;
	if (zip->members.n == MEMBERS_MAX)
		return zip->status = -EFBIG;
	member = PIPA_VEC_ADD(&zip->members);
	if (member)
		member->name = strdup(name);
	if (!member || !member->name)
		return zip->status = -ENOMEM;
	member->offset = zip->offset;
	deflateReset(&zip->deflate);
	return write_numbers(zip, header, PIPA_COUNT(header), name);
}

/* Compress bytes; all that is left if `flush` is Z_FINISH. */
static int compress_bytes(struct pipa_zip *zip, const void *bytes, size_t len, int flush)
{
	struct member *member = current(zip);
	int rc = Z_OK;

	zip->deflate.next_in = bytes;
	zip->deflate.avail_in = (uInt)len;
	do {
		size_t n;

		zip->deflate.next_out = zip->piece;
		zip->deflate.avail_out = PIECE;
		rc = deflate(&zip->deflate, flush);
		n = PIECE - zip->deflate.avail_out;
		member->compressed += n;
		if (write_bytes(zip, zip->piece, n) < 0)
			return zip->status;
	} while (zip->deflate.avail_out == 0 && rc != Z_STREAM_END);
	return 0;
}

int pipa_zip_add(struct pipa_zip *zip, const void *bytes, size_t len)
{
	struct member *member;

	if (zip->status || !len)
		return zip->status;
	member = current(zip);
	if (len > UINT32_MAX - member->size)
		return zip->status = -EFBIG;
	member->crc = pipa_crc32(member->crc, bytes, len);
	member->size += len;
	return compress_bytes(zip, bytes, len, Z_NO_FLUSH);
}

int pipa_zip_end(struct pipa_zip *zip)
{
	const struct member *member;

	if (zip->status || compress_bytes(zip, "", 0, Z_FINISH) < 0)
		return zip->status;
	member = current(zip);
	return write_numbers(zip,
			     (const struct number[]){ { DESCRIPTOR, 4 },
						      { member->crc, 4 },
						      { member->compressed, 4 },
						      { member->size, 4 } },
			     4, "");
}

static int write_entry(struct pipa_zip *zip, const struct member *member)
{
	const struct number entry[] = {
		{ DIRECTORY_ENTRY, 4 },
		{ VERSION, 2 },
		{ VERSION, 2 },
		{ FLAGS, 2 },
		{ DEFLATE, 2 },
		{ 0, 2 },
		{ DATE, 2 },
		{ member->crc, 4 },
		{ member->compressed, 4 },
		{ member->size, 4 },
		{ strlen(member->name), 2 },
		{ 0, 2 }, /* extra field, comment, disk, attributes */
		{ 0, 2 },
		{ 0, 2 },
		{ 0, 2 },
		{ 0, 4 },
		{ member->offset, 4 },
	};

	return write_numbers(zip, entry, PIPA_COUNT(entry), member->name);
}

int pipa_zip_finish(struct pipa_zip *zip)
{
	uint64_t start = zip->offset;
	size_t i;

	for (i = 0; i < zip->members.n; i++)
		write_entry(zip, &zip->members.items[i]);
	return write_numbers(zip,
			     (const struct number[]){ { DIRECTORY_END, 4 },
						      { 0, 2 },
						      { 0, 2 },
						      { zip->members.n, 2 },
						      { zip->members.n, 2 },
						      { zip->offset - start, 4 },
						      { start, 4 },
						      { 0, 2 } },
			     8, "");
}
