/* Archives, compressed or not: any bytes give members that lie within them, and come to an end. */
#include "base/buf.h"
#include "codec/decompress.h"
#include "codec/tar.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pipa_buf unpacked = { .max = 1 << 20 };
	const unsigned char *bytes = data;
	struct pipa_tar_member member;
	struct pipa_tar tar;
	size_t len = size, left = size;

	if (pipa_is_compressed((struct pipa_span){ data, size })) {
		MUST(pipa_decompress((struct pipa_span){ data, size }, &unpacked) <= 0);
		MUST(unpacked.len < 1 << 20);
		bytes = (const unsigned char *)pipa_buf_str(&unpacked);
		len = left = unpacked.len;
	}
	tar = (struct pipa_tar){ bytes, bytes + len, false };
	while (pipa_tar_next(&tar, &member)) {
		const unsigned char *at = member.bytes;

		MUST(at >= bytes && member.len <= (size_t)(bytes + len - at));
		MUST(strlen(member.name) < sizeof(member.name));
		MUST((size_t)(tar.end - tar.pos) < left); /* it goes on */
		left = (size_t)(tar.end - tar.pos);
	}
	pipa_buf_done(&unpacked);
	return 0;
}
