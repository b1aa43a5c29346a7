/* Machine, loader and allocator of programs; interpreters of scripts. */
#include <elf.h>
#include <stdio.h>

#include "base/auto.h"
#include "elf/elf.h"
#include "elf/program.h"
#include "lib/elf_image.h"
#include "lib/test.h"

/* Read a program with a loader (NULL: none) and, in a table of that type (0: none), a symbol malloc. */
static struct pipa_elf_program read_program(const char *loader, size_t loader_size, uint32_t type,
					    uint16_t section, uint8_t symbol_type)
{
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_DYN);
	const struct elf_image_symbol symbols[] = {
		{ .name = "main",
		  .value = 1,
		  .type = STT_FUNC,
		  .binding = STB_GLOBAL,
		  .section = 1 },
		{ .name = "malloc",
		  .value = 2,
		  .type = symbol_type,
		  .binding = STB_GLOBAL,
		  .section = section },
	};
	struct pipa_elf_program program;
	static char kept[64];
	struct pipa_elf elf;
	uint64_t at;

	if (loader) {
		elf_image_section(image,
				  &(struct elf_image_section){ .name = ".interp",
							       .type = SHT_PROGBITS,
							       .bytes = loader,
							       .size = loader_size,
							       .align = 1 },
				  &at);
		elf_image_segment(image,
				  &(struct elf_image_segment){ PT_INTERP, PF_R, at, 0, loader_size,
							       loader_size, 1 });
	}
	if (type)
		elf_image_symbols(image, type, symbols, 2);
	CHECK_EQ(pipa_elf_init(&elf, elf_image_finish(image), NULL), 0);
	pipa_elf_program_read(&elf, &program);
	if (program.loader) {
		snprintf(kept, sizeof(kept), "%s", program.loader);
		program.loader = kept;
	}
	elf_image_free(image);
	return program;
}

TEST(the_c_library_is_that_of_the_dynamic_loader)
{
	static const struct {
		const char *loader;
		enum pipa_elf_libc libc;
	} cases[] = {
		{ "/lib64/ld-linux-x86-64.so.2", PIPA_ELF_LIBC_GLIBC },
		{ "/lib/ld-linux-aarch64.so.1", PIPA_ELF_LIBC_GLIBC },
		{ "/nix/store/abc/lib/ld-linux-riscv64-lp64d.so.1", PIPA_ELF_LIBC_GLIBC },
		{ "/lib/ld-musl-x86_64.so.1", PIPA_ELF_LIBC_MUSL },
		{ "/system/bin/linker64", PIPA_ELF_LIBC_OTHER },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		struct pipa_elf_program program = read_program(
			cases[i].loader, strlen(cases[i].loader) + 1, 0, 0, 0);

		CHECK_STR(program.loader, cases[i].loader);
		CHECK_EQ(program.libc, cases[i].libc);
		CHECK(!program.has_malloc);
	}
}

TEST(a_program_without_a_loader_is_static)
{
	struct pipa_elf_program program = read_program(NULL, 0, 0, 0, 0);

	CHECK(!program.loader);
	CHECK_EQ(program.libc, PIPA_ELF_LIBC_NONE);
}

TEST(a_loader_that_is_not_a_string_in_the_file_is_ignored)
{
	struct pipa_elf_program program = read_program("/lib64/ld-linux", 10, 0, 0, 0);

	CHECK(!program.loader);
}

TEST(only_a_defined_function_malloc_is_the_programs_own)
{
	CHECK(read_program(NULL, 0, SHT_DYNSYM, 1, STT_FUNC).has_malloc);
	CHECK(read_program(NULL, 0, SHT_SYMTAB, 1, STT_FUNC).has_malloc);
	CHECK(read_program(NULL, 0, SHT_SYMTAB, 1, STT_GNU_IFUNC).has_malloc);
	CHECK(!read_program(NULL, 0, SHT_DYNSYM, SHN_UNDEF, STT_FUNC).has_malloc);
	CHECK(!read_program(NULL, 0, SHT_SYMTAB, 1, STT_OBJECT).has_malloc);
}

static bool interpreter_is(const char *script, const char *want)
{
	struct pipa_span found, start = { (const uint8_t *)script, strlen(script) };

	if (!pipa_script_interpreter(start, &found))
		return !want;
	return want && found.size == strlen(want) && memcmp(found.data, want, found.size) == 0;
}

TEST(the_interpreter_of_a_script_ends_at_a_space_or_line_end)
{
	CHECK(interpreter_is("#!/bin/sh\necho\n", "/bin/sh"));
	CHECK(interpreter_is("#! \t/usr/bin/env python3\n", "/usr/bin/env"));
	CHECK(interpreter_is("#!/bin/sh", "/bin/sh"));
	CHECK(interpreter_is("#!\n", NULL));
	CHECK(interpreter_is("#!   ", NULL));
	CHECK(interpreter_is("#/bin/sh\n", NULL));
	CHECK(interpreter_is("#", NULL));
	CHECK(interpreter_is("", NULL));
}

TEST(this_machine_has_a_name)
{
	CHECK(pipa_elf_machine_name(pipa_elf_own_machine()));
	CHECK_STR(pipa_elf_machine_name(EM_AARCH64), "aarch64");
	CHECK(!pipa_elf_machine_name(0xfffe));
}
