/*
 * SMBIOS tables: every structure lies within them, the walk moves on, and texts fit where they are put.
 */
#include "fuzz.h"
#include "kernel/text/smbios.h"

static void check_structure(const struct pipa_smbios *s)
{
	size_t at, bytes;
	uint64_t number;
	char text[9];

	for (at = 0; at <= s->fields.size; at++) {
		text[sizeof(text) - 1] = 0x5a;
		pipa_smbios_text(s, at, text, sizeof(text) - 1);
		MUST(strlen(text) < sizeof(text) - 1 && text[sizeof(text) - 1] == 0x5a);
		for (bytes = 1; bytes <= 8; bytes *= 2)
			MUST(pipa_smbios_number(s, at, bytes, &number) ==
			     (at + bytes <= s->fields.size));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct pipa_span rest = { copy, size };
	struct pipa_smbios s;
	size_t left = size;

	MUST(copy);
	if (size)
		memcpy(copy, data, size);
	while (pipa_smbios_next(&rest, &s)) {
		MUST(rest.size < left && s.fields.size >= 4);
		MUST(s.fields.data >= copy && s.texts.data == s.fields.data + s.fields.size);
		MUST(s.texts.data + s.texts.size == rest.data);
		left = rest.size;
		check_structure(&s);
	}
	free(copy);
	return 0;
}
