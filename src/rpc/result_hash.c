#include "rpc/result_hash.h"

#include <string.h>

#include "codec/sha256.h"
#include "codec/varint.h"

static void add_u32(struct pipa_sha256 *sha, uint64_t value)
{
	unsigned char bytes[4];

	pipa_le_put(bytes, value, sizeof(bytes));
	pipa_sha256_add(sha, bytes, sizeof(bytes));
}

static void add_u64(struct pipa_sha256 *sha, uint64_t value)
{
	unsigned char bytes[8];

	pipa_le_put(bytes, value, sizeof(bytes));
	pipa_sha256_add(sha, bytes, sizeof(bytes));
}

static void add_field(struct pipa_sha256 *sha, enum pipa_result_type type,
		      const union pipa_result_value *value)
{
	uint64_t bits;
	size_t i;

	switch (type) {
	case PIPA_RESULT_TEXT:
		add_u64(sha, value->text.size);
		pipa_sha256_add(sha, value->text.data, value->text.size);
		break;
	case PIPA_RESULT_UINT64: add_u64(sha, value->number); break;
	case PIPA_RESULT_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		add_u64(sha, bits);
		break;
	case PIPA_RESULT_LIST:
		add_u64(sha, value->list.n);
		for (i = 0; i < value->list.n; i++)
			add_u32(sha, value->list.items[i]);
		break;
	}
}

const char *pipa_result_hash(const struct pipa_result *result,
			     char ret[static PIPA_RESULT_HASH_CHARS + 1])
{
	static const char start[] = "pipa-result/1"; /* with its NUL */
	uint8_t digest[PIPA_SHA256_SIZE];
	struct pipa_sha256 sha;
	unsigned char number;
	int i;

	pipa_sha256_init(&sha);
	pipa_sha256_add(&sha, start, sizeof(start));
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		if (!pipa_result_has(result, (enum pipa_result_field)i))
			continue;
		number = (unsigned char)i;
		pipa_sha256_add(&sha, &number, 1);
		add_field(&sha, pipa_result_fields[i].type, &result->values[i]);
	}
	pipa_sha256_end(&sha, digest);
	return pipa_sha256_hex(digest, ret);
}
