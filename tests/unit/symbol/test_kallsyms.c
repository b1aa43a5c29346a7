/* kallsyms: invented, hidden, malformed, and this machine's own. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file/file.h"
#include "lib/oracle.h"
#include "lib/test.h"
#include "symbol/table/kallsyms.h"
#include "symbol/table/table.h"

static struct pipa_kallsyms decode(const char *text)
{
	struct pipa_kallsyms kallsyms;

	CHECK_EQ(pipa_kallsyms_decode(text, strlen(text), &kallsyms), 0);
	return kallsyms;
}

/* "name" or "name[module]" or "-" */
static const char *at(const struct pipa_kallsyms *kallsyms, uint64_t addr)
{
	static char name[256];
	uint32_t index = pipa_symbols_find(kallsyms->symbols, addr);
	struct pipa_symbol s;

	if (index == PIPA_SYMBOL_NONE)
		return "-";
	s = pipa_symbols_get(kallsyms->symbols, index);
	if (s.module)
		snprintf(name, sizeof(name), "%.*s[%.*s]", (int)s.name_len, s.name,
			 (int)s.module_len, s.module);
	else
		snprintf(name, sizeof(name), "%.*s", (int)s.name_len, s.name);
	return name;
}

static const char listing[] = "0000000000000000 A fixed_percpu_data\n"
			      "ffffffff81000000 T startup_64\n"
			      "ffffffff81000000 T _stext\n"
			      "ffffffff81000000 T _text\n"
			      "ffffffff81000040 t helper.isra.0\n"
			      "ffffffff81000080 T strong_one\n"
			      "ffffffff81000080 W weak_one\n"
			      "ffffffff810000c0 D some_data\n"
			      "ffffffff810000d0 t $x\n"
			      "ffffffff81000100 i chosen\n"
			      "ffffffffc0001000 t ext4_init\t[ext4]\n"
			      "ffffffffc0001100 T ext4_read\t[ext4]\n"
			      "ffffffffc0003000 t nf_hook\t[nf_tables]\n"
			      "ffffffffc0004000 t bpf_prog_6deef7357e7b4530\t[bpf]";

TEST(functions_of_kernel_and_modules_are_found)
{
	struct pipa_kallsyms k = decode(listing);

	CHECK(!k.hidden);
	CHECK_EQ(k.skipped, 0);
	CHECK_EQ(k.text, 0xffffffff81000000);
	CHECK_EQ(k.stext, 0xffffffff81000000);
	CHECK_STR(at(&k, 0xffffffff8100003f), "_text"); /* the last of three, as perf has it */
	CHECK_STR(at(&k, 0xffffffff81000040), "helper.isra.0");
	CHECK_STR(at(&k, 0xffffffff810000ff), "weak_one"); /* data and markers do not count */
	CHECK_STR(at(&k, 0xffffffff81000100), "chosen");
	CHECK_STR(at(&k, 0xffffffff81002000), "-");
	CHECK_STR(at(&k, 0xffffffffc00010ff), "ext4_init[ext4]");
	CHECK_STR(at(&k, 0xffffffffc0001100), "ext4_read[ext4]");
	CHECK_STR(at(&k, 0xffffffffc0003000), "nf_hook[nf_tables]");
	CHECK_STR(at(&k, 0xffffffffc0004fff), "bpf_prog_6deef7357e7b4530[bpf]");
	CHECK_STR(at(&k, 0), "-");
	pipa_symbols_free(k.symbols);
}

TEST(of_some_addresses_the_answers_are_those_of_the_whole_list)
{
	static const uint64_t asked[] = { 0x1000,
					  0xffffffff81000000,
					  0xffffffff8100003f,
					  0xffffffff810000ff,
					  0xffffffff81002000,
					  0xffffffffc00010ff,
					  0xffffffffc0004fff };
	size_t n = sizeof(asked) / sizeof(asked[0]), from, i;
	struct pipa_kallsyms all = decode(listing), k;
	char name[256];

	for (from = 0; from < n; from++) {
		CHECK_EQ(pipa_kallsyms_decode_near(listing, strlen(listing), asked + from, n - from,
						   &k),
			 0);
		CHECK_EQ(k.text, all.text);
		for (i = from; i < n; i++) {
			snprintf(name, sizeof(name), "%s", at(&all, asked[i]));
			CHECK_STR(at(&k, asked[i]), name);
		}
		pipa_symbols_free(k.symbols);
	}
	pipa_symbols_free(all.symbols);
}

TEST(lines_with_malformed_addresses_are_skipped)
{
	struct pipa_kallsyms k = decode("ffffffff8100000: T colon\nffffffff8100000g T letter\n"
					"ffffffff8100000` T tick\nFFFFFFFF81000010 T capital\n"
					"0ffffffff81000020 T long_one\n");

	CHECK_EQ(k.skipped, 3);
	CHECK_STR(at(&k, 0xffffffff81000010), "capital");
	CHECK_STR(at(&k, 0xffffffff81000020), "long_one");
	pipa_symbols_free(k.symbols);
}

TEST(hidden_addresses_are_reported_and_not_used)
{
	struct pipa_kallsyms k = decode("0000000000000000 T _text\n"
					"0000000000000000 t helper\n"
					"0000000000000000 t ext4_init\t[ext4]\n");

	CHECK(k.hidden);
	CHECK_EQ(pipa_symbols_count(k.symbols), 0);
	CHECK_EQ(k.text, 0);
	pipa_symbols_free(k.symbols);

	k = decode("");
	CHECK(!k.hidden); /* nothing is not hidden */
	pipa_symbols_free(k.symbols);
}

TEST(lines_that_make_no_sense_are_counted)
{
	struct pipa_kallsyms k = decode("\nnothing\nffffffff81000000\nffffffff81000000 T\n"
					"ffffffff81000000 T \n11112222333344445 T too_long\n"
					"ffffffff81000010 T fine\n");

	CHECK_EQ(k.skipped, 6);
	CHECK_EQ(pipa_symbols_count(k.symbols), 1);
	CHECK_STR(at(&k, 0xffffffff81000010), "fine");
	pipa_symbols_free(k.symbols);
}

TEST(kernels_of_32_bits_have_shorter_addresses)
{
	struct pipa_kallsyms k = decode("c0008000 T _text\nC0008100 t second\n");

	CHECK_EQ(k.text, 0xc0008000);
	CHECK_STR(at(&k, 0xc0008100), "second");
	pipa_symbols_free(k.symbols);
}

/* Every function of this kernel, looked up by awk and by us. */
TEST(this_kernels_functions_are_all_found)
{
	struct pipa_buf buf = { .max = 256 << 20 };
	struct pipa_kallsyms k;
	char line[1024], name[512], type;
	unsigned long long addr;
	size_t n = 0;
	FILE *file;

	CHECK_EQ(pipa_file_read("/proc/kallsyms", &buf, NULL), 0);
	CHECK_EQ(pipa_kallsyms_decode(buf.data, buf.len, &k), 0);
	if (k.hidden || !pipa_symbols_count(k.symbols))
		SKIP("the kernel hides its addresses");
	file = fopen("/proc/kallsyms", "re");
	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		uint32_t index;

		/* NOLINTNEXTLINE(cert-err34-c) */
		if (sscanf(line, "%llx %c %511s", &addr, &type, name) != 3 ||
		    !strchr("tTwW", type) || name[0] == '$' || strncmp(name, ".L", 2) == 0 ||
		    strchr(line, '['))
			continue;
		index = pipa_symbols_find(k.symbols, addr);
		CHECK(index != PIPA_SYMBOL_NONE);
		CHECK_EQ(pipa_symbols_get(k.symbols, index).start, addr);
		n++;
	}
	fclose(file);
	CHECK(n >= pipa_symbols_count(k.symbols) / 2);
	pipa_symbols_free(k.symbols);
	pipa_buf_done(&buf);
}
