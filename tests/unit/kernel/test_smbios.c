#include "kernel/text/smbios.h"

#include "lib/test.h"

/* A BIOS, a system without texts, and the end. */
static const char tables[] = "\x00\x0a\x01\x00\x01\x02\x34\x12\x00\x80"
			     "  Maker  \0"
			     "1.2\0\0"
			     "\x01\x06\x02\x00\x00\x07\0\0"
			     "\x7f\x04\x03\x00\0\0"
			     "\x00\x04\x04\x00\0\0";

static struct pipa_span span(size_t len)
{
	return (struct pipa_span){ (const uint8_t *)tables, len };
}

TEST(structures_are_walked_up_to_the_end_marker)
{
	struct pipa_span rest = span(sizeof(tables) - 1);
	struct pipa_smbios s;
	char text[64], small[4];
	uint64_t number = 77;

	CHECK(pipa_smbios_next(&rest, &s));
	CHECK_EQ(s.type, PIPA_SMBIOS_BIOS);
	CHECK_STR(pipa_smbios_text(&s, 4, text, sizeof(text)), "Maker");
	CHECK_STR(pipa_smbios_text(&s, 4, small, sizeof(small)), "Mak");
	CHECK_STR(pipa_smbios_text(&s, 5, text, sizeof(text)), "1.2");
	CHECK_STR(pipa_smbios_text(&s, 8, text, sizeof(text)), "");  /* number 0: no text */
	CHECK_STR(pipa_smbios_text(&s, 9, text, sizeof(text)), "");  /* 128th of two */
	CHECK_STR(pipa_smbios_text(&s, 10, text, sizeof(text)), ""); /* after the fields */
	CHECK(pipa_smbios_number(&s, 6, 2, &number));
	CHECK_EQ(number, 0x1234);
	CHECK(pipa_smbios_number(&s, 9, 1, &number));
	CHECK_EQ(number, 0x80);
	CHECK(!pipa_smbios_number(&s, 9, 2, &number));
	CHECK_EQ(number, 0x80);
	CHECK(pipa_smbios_next(&rest, &s));
	CHECK_EQ(s.type, PIPA_SMBIOS_SYSTEM);
	CHECK_STR(pipa_smbios_text(&s, 5, text, sizeof(text)), "");
	CHECK(!pipa_smbios_next(&rest, &s));
}

TEST(truncated_tables_give_their_complete_structures)
{
	struct pipa_smbios s;
	size_t len;

	for (len = 0; len < 33; len++) {
		struct pipa_span rest = span(len);
		size_t n = 0;

		while (pipa_smbios_next(&rest, &s))
			n++;
		CHECK_EQ(n, len < 25 ? 0 : 1);
	}
}

TEST(a_structure_shorter_than_its_header_ends_the_walk)
{
	static const uint8_t bytes[] = { 1, 3, 0, 0, 0, 0 };
	struct pipa_span rest = { bytes, sizeof(bytes) };
	struct pipa_smbios s;

	CHECK(!pipa_smbios_next(&rest, &s));
}
