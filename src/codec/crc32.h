/* The CRC-32 of gzip, PNG, Ethernet and .gnu_debuglink (polynomial 0xedb88320). */
#ifndef PIPA_CODEC_CRC32_H
#define PIPA_CODEC_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Continue `crc`, 0 at the start, with these bytes. */
uint32_t pipa_crc32(uint32_t crc, const void *bytes, size_t len);

#endif
