#include "codec/crc32.h"

#include <zlib.h>

uint32_t pipa_crc32(uint32_t crc, const void *bytes, size_t len)
{
	/* zlib takes NULL for a request of the initial value */
	return len ? (uint32_t)crc32_z(crc, bytes, len) : crc;
}
