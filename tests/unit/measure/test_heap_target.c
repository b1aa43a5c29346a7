/* Programs into which the heap profiler cannot be preloaded. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "elf/program.h"
#include "lib/elf_image.h"
#include "lib/test.h"
#include "measure/heap/heap_target.h"

/* Write an executable file of these bytes below the test's directory; returns its path. */
static const char *write_program(const char *name, const void *bytes, size_t size)
{
	static char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", pipa_test_dir(), name);
	file = fopen(path, "w");
	CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
	CHECK_EQ(chmod(path, 0755), 0);
	return path;
}

static const char *write_elf(const char *name, bool is64, uint16_t machine, const char *loader,
			     bool with_malloc)
{
	struct elf_image *image = elf_image_new(is64, false, machine, ET_DYN);
	const struct elf_image_symbol symbol = {
		.name = "malloc", .value = 1, .type = STT_FUNC, .binding = STB_GLOBAL, .section = 1
	};
	struct pipa_span bytes;
	const char *path;
	uint64_t at;

	if (loader) {
		size_t size = strlen(loader) + 1;

		elf_image_section(image,
				  &(struct elf_image_section){ .name = ".interp",
							       .type = SHT_PROGBITS,
							       .bytes = loader,
							       .size = size,
							       .align = 1 },
				  &at);
		elf_image_segment(image, &(struct elf_image_segment){ PT_INTERP, PF_R, at, 0, size,
								      size, 1 });
	}
	if (with_malloc)
		elf_image_symbols(image, SHT_DYNSYM, &symbol, 1);
	bytes = elf_image_finish(image);
	path = write_program(name, bytes.data, bytes.size);
	elf_image_free(image);
	return path;
}

static void check_refused(const char *path, const char *why)
{
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_heap_target_check(path, true, &err), -ENOTSUP);
	CHECK_HAS(err.what, path);
	CHECK_HAS(err.what, why);
}

#define GLIBC "/lib64/ld-linux-x86-64.so.2"

TEST(programs_that_cannot_be_preloaded_are_refused)
{
	uint16_t own = pipa_elf_own_machine();
	uint16_t other = own == EM_AARCH64 ? EM_X86_64 : EM_AARCH64;

	CHECK_EQ(pipa_heap_target_check(write_elf("good", true, own, GLIBC, false), true, NULL), 0);
	check_refused(write_elf("static", true, own, NULL, false), "statically linked");
	check_refused(write_elf("musl", true, own, "/lib/ld-musl-x86_64.so.1", false), "musl");
	check_refused(write_elf("bionic", true, own, "/system/bin/linker64", false), "linker64");
	check_refused(write_elf("other", true, other, GLIBC, false), "and this pipa is for");
	check_refused(write_elf("small", false, own, GLIBC, false), "32-bit");
	check_refused(write_elf("own", true, own, GLIBC, true), "defines malloc");
}

TEST(a_program_with_its_own_malloc_is_accepted_for_mappings)
{
	const char *path = write_elf("own", true, pipa_elf_own_machine(), GLIBC, true);

	CHECK_EQ(pipa_heap_target_check(path, false, NULL), 0);
}

TEST(a_setuid_program_of_another_user_is_refused)
{
	const char *path = write_elf("suid", true, pipa_elf_own_machine(), GLIBC, false);

	if (geteuid() != 0)
		SKIP("only root can make a program of another user");
	CHECK_EQ(chown(path, 1, 1), 0);
	CHECK_EQ(chmod(path, 04755), 0);
	check_refused(path, "setuid");
	CHECK_EQ(chown(path, 0, 0), 0);
	CHECK_EQ(chmod(path, 04755), 0);
	CHECK_EQ(pipa_heap_target_check(path, true, NULL), 0);
}

TEST(the_interpreter_of_a_script_is_checked)
{
	char text[8192], path[4096];
	struct pipa_error err = { 0 };

	snprintf(path, sizeof(path), "%s",
		 write_elf("static", true, pipa_elf_own_machine(), NULL, false));
	snprintf(text, sizeof(text), "#!%s -x\n", path);
	snprintf(text, sizeof(text), "#!%s\n", write_program("inner", text, strlen(text)));
	CHECK_EQ(pipa_heap_target_check(write_program("outer", text, strlen(text)), true, &err),
		 -ENOTSUP);
	CHECK_HAS(err.what, path);
}

TEST(scripts_that_interpret_themselves_are_left_to_exec)
{
	char text[8192];
	const char *path = write_program("loop", "", 0);

	snprintf(text, sizeof(text), "#!%s\n", path);
	CHECK_EQ(pipa_heap_target_check(write_program("loop", text, strlen(text)), true, NULL), 0);
}

TEST(missing_files_and_text_files_are_left_to_exec)
{
	CHECK_EQ(pipa_heap_target_check("/nonexistent/program", true, NULL), 0);
	CHECK_EQ(pipa_heap_target_check("pipa-no-such-command", true, NULL), 0);
	CHECK_EQ(pipa_heap_target_check(write_program("text", "echo hi\n", 8), true, NULL), 0);
}

TEST(commands_are_found_by_path)
{
	char found[4096], dirs[8192];

	write_program("a-command", "x", 1);
	snprintf(dirs, sizeof(dirs), "/nonexistent:%s", pipa_test_dir());
	setenv("PATH", dirs, 1);
	CHECK(pipa_command_find("a-command", found, sizeof(found)));
	CHECK_HAS(found, "/a-command");
	CHECK(!pipa_command_find("another-command", found, sizeof(found)));
}
