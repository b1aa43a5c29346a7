#include "codec/tar.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * A block of a header: name 0..100, mode, uid, gid, size 124..136, mtime, checksum 148..156, type 156,
 * link, magic 257.., ..., prefix of the name 345..500.
 */
enum {
	BLOCK = 512,
	NAME = 100,
	SIZE_AT = 124,
	SUM_AT = 148,
	TYPE_AT = 156,
	PREFIX_AT = 345,
	PREFIX = 155
};

/* Octal digits with spaces around, or, with the top bit, a binary number. */
static bool get_number(const unsigned char *field, size_t width, uint64_t *ret)
{
	uint64_t value = 0;
	size_t i = 0;

	if (field[0] & 0x80) {
		for (i = 0; i < width; i++) {
			if (value >> 55)
				return false;
			value = value << 8 | (i ? field[i] : field[i] & 0x7f);
		}
		*ret = value;
		return true;
	}
	while (i < width && field[i] == ' ')
		i++;
	for (; i < width && field[i] >= '0' && field[i] <= '7'; i++)
		value = value << 3 | (uint64_t)(field[i] - '0');
	*ret = value;
	return i == width || field[i] == ' ' || field[i] == '\0';
}

/* The sum of its bytes, its own field taken as spaces. */
static bool is_header(const unsigned char *block)
{
	uint64_t sum = 0, want;
	size_t i;

	for (i = 0; i < BLOCK; i++)
		sum += i >= SUM_AT && i < SUM_AT + 8 ? ' ' : block[i];
	return block[0] && get_number(block + SUM_AT, 8, &want) && sum == want;
}

bool pipa_tar_is(const void *bytes, size_t len)
{
	return len >= BLOCK && is_header(bytes);
}

static void set_name(char *name, const void *text, size_t len)
{
	len = strnlen(text, len);
	if (len >= PIPA_TAR_NAME_SIZE)
		len = PIPA_TAR_NAME_SIZE - 1;
	memcpy(name, text, len);
	name[len] = '\0';
}

static void take_name(const unsigned char *block, char *name)
{
	size_t prefix = strnlen((const char *)block + PREFIX_AT, PREFIX);

	/* GNU's old format keeps other things there, and ends its magic with spaces */
	if (memcmp(block + 257, "ustar\0", 6) != 0 || !prefix) {
		set_name(name, block, NAME);
		return;
	}
	set_name(name, block + PREFIX_AT, prefix);
	name[prefix] = '/';
	set_name(name + prefix + 1, block, NAME);
}

/* Records "LEN path=TEXT\n", LEN counting all of itself. */
static void take_extended(const char *bytes, size_t len, char *name)
{
	while (len) {
		size_t record = 0, digits = 0;

		for (; digits < len && bytes[digits] >= '0' && bytes[digits] <= '9' && digits < 9;
		     digits++)
			record = record * 10 + (size_t)(bytes[digits] - '0');
		if (record > len || record < digits + 2 || bytes[digits] != ' ')
			return;
		if (record > digits + 7 && memcmp(bytes + digits + 1, "path=", 5) == 0)
			set_name(name, bytes + digits + 6, record - digits - 7);
		bytes += record;
		len -= record;
	}
}

bool pipa_tar_next(struct pipa_tar *tar, struct pipa_tar_member *ret)
{
	char longer[PIPA_TAR_NAME_SIZE] = "";
	uint64_t size, filled;

	while (tar->end - tar->pos >= BLOCK && tar->pos[0]) {
		const unsigned char *block = tar->pos, *bytes = block + BLOCK;
		size_t left = (size_t)(tar->end - bytes);
		unsigned char type = block[TYPE_AT];

		tar->damaged = !is_header(block) || !get_number(block + SIZE_AT, 12, &size);
		if (tar->damaged)
			return false;
		filled = (size + BLOCK - 1) / BLOCK * BLOCK;
		tar->damaged = filled > left; /* what there is of it is still something */
		ret->bytes = bytes;
		ret->len = size > left ? left : size;
		tar->pos = tar->damaged ? tar->end : bytes + filled;
		if (type == 'L') {
			set_name(longer, bytes, ret->len);
		} else if (type == 'x') {
			take_extended((const char *)bytes, ret->len, longer);
		} else if (type == '0' || type == '\0' || type == '7') {
			take_name(block, ret->name);
			if (longer[0])
				set_name(ret->name, longer, sizeof(longer));
			return true;
		} else {
			longer[0] = '\0';
		}
	}
	/* an archive ends with two blocks of zeros, of which writers may leave out one */
	tar->damaged |= tar->end - tar->pos < BLOCK;
	return false;
}
