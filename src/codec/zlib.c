#include "codec/zlib.h"

#include "base/buf.h"
#include "codec/deflate.h"

uint32_t pipa_adler32(uint32_t adler, const void *bytes, size_t len)
{
	enum { MODULUS = 65521, RUN = 5552 }; /* so many sums of bytes fit into 32 bits */
	const unsigned char *byte = bytes;
	uint32_t a = adler & 0xffff, b = adler >> 16;

	while (len) {
		size_t n = len < RUN ? len : RUN;

		len -= n;
		for (; n; n--) {
			a += *byte++;
			b += a;
		}
		a %= MODULUS;
		b %= MODULUS;
	}
	return b << 16 | a;
}

int pipa_zlib_compress(const void *bytes, size_t len, struct pipa_buf *out)
{
	static const unsigned char header[] = { 0x78, 0x01 }; /* 32 KiB window, fastest */
	uint32_t adler = pipa_adler32(1, bytes, len);
	const unsigned char trailer[] = { (unsigned char)(adler >> 24),
					  (unsigned char)(adler >> 16), (unsigned char)(adler >> 8),
					  (unsigned char)adler };
	int rc;

	pipa_buf_add(out, header, sizeof(header));
	rc = pipa_deflate(bytes, len, out);
	if (rc < 0)
		return rc;
	pipa_buf_add(out, trailer, sizeof(trailer));
	return out->status;
}
