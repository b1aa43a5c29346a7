#include "rpc/result_hash.h"

#include <string.h>

#include "codec/sha256.h"
#include "codec/varint.h"

/* Bytes on their way to the sum: a record has two numbers for each of its fields. */
struct writer {
	struct pipa_sha256 sha;
	size_t n;
	unsigned char bytes[512];
};

static void flush(struct writer *w)
{
	pipa_sha256_add(&w->sha, w->bytes, w->n);
	w->n = 0;
}

static void add_number(struct writer *w, uint64_t value, size_t size)
{
	if (w->n + size > sizeof(w->bytes))
		flush(w);
	pipa_le_put(w->bytes + w->n, value, size);
	w->n += size;
}

static void add_text(struct writer *w, struct pipa_span text)
{
	add_number(w, text.size, sizeof(uint64_t));
	if (text.size > sizeof(w->bytes) - w->n) {
		flush(w);
		pipa_sha256_add(&w->sha, text.data, text.size);
	} else if (text.size) {
		memcpy(w->bytes + w->n, text.data, text.size);
		w->n += text.size;
	}
}

static void add_field(struct writer *w, enum pipa_result_type type,
		      const union pipa_result_value *value)
{
	uint64_t bits;
	size_t i;

	switch (type) {
	case PIPA_RESULT_TEXT: add_text(w, value->text); break;
	case PIPA_RESULT_UINT64: add_number(w, value->number, sizeof(uint64_t)); break;
	case PIPA_RESULT_DOUBLE:
		memcpy(&bits, &value->real, sizeof(bits));
		add_number(w, bits, sizeof(bits));
		break;
	case PIPA_RESULT_LIST:
		add_number(w, value->list.n, sizeof(uint64_t));
		for (i = 0; i < value->list.n; i++)
			add_number(w, value->list.items[i], sizeof(uint32_t));
		break;
	}
}

const char *pipa_result_hash(const struct pipa_result *result,
			     char ret[static PIPA_RESULT_HASH_CHARS + 1])
{
	static const char start[] = "pipa-result/1"; /* with its NUL */
	uint8_t digest[PIPA_SHA256_SIZE];
	struct writer w;
	int i;

	pipa_sha256_init(&w.sha);
	memcpy(w.bytes, start, sizeof(start));
	w.n = sizeof(start);
	for (i = 1; i <= PIPA_RESULT_FIELDS; i++) {
		if (!pipa_result_has(result, (enum pipa_result_field)i))
			continue;
		add_number(&w, (uint64_t)i, 1);
		add_field(&w, pipa_result_fields[i].type, &result->values[i]);
	}
	flush(&w);
	pipa_sha256_end(&w.sha, digest);
	return pipa_sha256_hex(digest, ret);
}
