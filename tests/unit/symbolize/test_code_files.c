/* The files of a profile's objects: located once, read on demand, released or kept. */
#include "symbolize/code_files.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file/file.h"
#include "lib/elf_image.h"
#include "lib/test.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"
#include "symbolize/debug_info.h"

static const struct pipa_build_id id = { 20, { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
					       0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
					       0x11, 0x11, 0x11, 0x11, 0x11, 0x11 } };
static struct pipa_locate_options locate;
static struct pipa_profile profile;
static struct pipa_recording recording;
static struct pipa_code_files *files;

static void start(void)
{
	locate = (struct pipa_locate_options){ .symfs = pipa_test_dir(),
					       .cache_dir = pipa_test_dir() };
	files = pipa_code_files_new(&locate, &profile, &recording);
	CHECK(files);
}

static void stop(void)
{
	pipa_code_files_free(files);
	pipa_profile_done(&profile);
	pipa_recording_done(&recording);
}

static uint32_t add_object(enum pipa_object_kind kind, const char *path,
			   const struct pipa_build_id *build_id)
{
	struct pipa_object object = { .kind = kind, .path = pipa_profile_text(&profile, path) };

	if (build_id)
		object.build_id = *build_id;
	return pipa_profile_object(&profile, &object);
}

/* This program, which has symbols, an unwind table and DWARF. */
static uint32_t add_self(void)
{
	char path[4096] = { 0 };

	locate.symfs = NULL;
	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return add_object(PIPA_OBJECT_FILE, path, NULL);
}

/* Write an image with _text and that byte as build id (0: none) below the test's directory. */
static void put_image(const char *path, uint8_t byte)
{
	static const uint8_t code[0x40],
		head[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	static const struct elf_image_symbol symbols[] = {
		{ "_text", 0x1000, 0, STT_NOTYPE, STB_GLOBAL, 0, 1 },
		{ "work", 0x1010, 8, STT_FUNC, STB_GLOBAL, 0, 1 },
	};
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_EXEC);
	struct elf_image_section text = { .name = ".text",
					  .type = SHT_PROGBITS,
					  .flags = SHF_ALLOC | SHF_EXECINSTR,
					  .addr = 0x1000,
					  .bytes = code,
					  .size = sizeof(code),
					  .align = 16 };
	uint8_t note[sizeof(head) + 20];
	struct elf_image_section build = { .name = ".note.gnu.build-id",
					   .type = SHT_NOTE,
					   .bytes = note,
					   .size = sizeof(note),
					   .align = 4 };
	struct pipa_span bytes;
	char full[4200];
	int fd;

	memcpy(note, head, sizeof(head));
	memset(note + sizeof(head), byte, 20);
	elf_image_section(image, &text, NULL);
	if (byte)
		elf_image_section(image, &build, NULL);
	elf_image_symbols(image, SHT_SYMTAB, symbols, 2);
	bytes = elf_image_finish(image);
	pipa_test_file(pipa_test_dir(), path, "");
	snprintf(full, sizeof(full), "%s/%s", pipa_test_dir(), path);
	fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, bytes.data, bytes.size), 0);
	close(fd);
	elf_image_free(image);
}

static int status_of(uint32_t object)
{
	return pipa_code_file_status(pipa_code_files_get(files, object));
}

/* ---- locating ------------------------------------------------------------------------------------ */

TEST(a_file_is_located_once)
{
	struct pipa_code_file *file;
	uint32_t object;

	start();
	put_image("bin/a", 0x11);
	object = add_object(PIPA_OBJECT_FILE, "/bin/a", &id);
	file = pipa_code_files_get(files, object);
	CHECK_EQ(pipa_code_file_status(file), 0);
	put_image("bin/a", 0x22);
	CHECK(pipa_code_files_get(files, object) == file);
	pipa_code_files_release(files, object);
	CHECK_EQ(status_of(object), -ESTALE);
	stop();
}

TEST(the_status_of_a_file_has_the_reason_it_is_missing)
{
	const struct pipa_image *image;
	uint32_t text, jit;

	start();
	put_image("bin/other", 0x22);
	pipa_test_file(pipa_test_dir(), "bin/text", "no ELF");
	CHECK_EQ(status_of(add_object(PIPA_OBJECT_FILE, "/bin/gone", NULL)), -ENOENT);
	CHECK_EQ(status_of(add_object(PIPA_OBJECT_FILE, "/bin/other", &id)), -ESTALE);
	jit = add_object(PIPA_OBJECT_JIT, "/bin/other", NULL);
	CHECK_EQ(status_of(jit), -ENOENT);
	CHECK_EQ(pipa_code_file_image(pipa_code_files_get(files, jit), &image), -ENOENT);
	text = add_object(PIPA_OBJECT_FILE, "/bin/text", NULL);
	CHECK_EQ(status_of(text), 0);
	CHECK_EQ(pipa_code_file_image(pipa_code_files_get(files, text), &image), -EBADMSG);
	stop();
}

TEST(the_list_of_the_recording_has_build_ids_of_objects_without_one)
{
	struct pipa_recorded_file file = { .build_id = id, .path = "/bin/a" };
	uint32_t object;

	start();
	put_image("bin/a", 0x22);
	object = add_object(PIPA_OBJECT_FILE, "/bin/a", NULL);
	CHECK_EQ(pipa_recording_add_file(&recording, &file), 0);
	CHECK_EQ(pipa_code_files_build_id(files, object).len, 20);
	CHECK_EQ(status_of(object), -ESTALE);
	stop();
}

/* The build ids of a pipe come last: unwinding has the file open that its path led to. */
TEST(a_build_id_that_becomes_known_later_leads_to_another_file)
{
	struct pipa_recorded_file known = { .build_id = id, .path = "/bin/a" };
	const struct pipa_located *before;
	uint32_t object;

	start();
	put_image("bin/a", 0x22);
	object = add_object(PIPA_OBJECT_FILE, "/bin/a", NULL);
	before = pipa_code_file_located(pipa_code_files_get(files, object));
	CHECK_EQ(before->state, PIPA_LOCATED);
	pipa_code_files_keep(files, object, false);
	CHECK_EQ(pipa_recording_add_file(&recording, &known), 0);
	CHECK_EQ(status_of(object), -ESTALE);
	CHECK_EQ(before->main.data[EI_MAG1], 'E'); /* still mapped */
	stop();
}

/* ---- reading ------------------------------------------------------------------------------------- */

TEST(symbols_unwind_table_and_dwarf_are_read_once_each)
{
	const struct pipa_image *image, *again;
	const struct pipa_unwind_table *table, *same;
	struct pipa_debug_info *info, *equal;
	struct pipa_code_file *file;

	start();
	file = pipa_code_files_get(files, add_self());
	CHECK_EQ(pipa_code_file_read(file, &image), 0);
	CHECK(pipa_symbols_count(pipa_image_symbols(image)) > 0);
	CHECK_EQ(pipa_code_file_image(file, &again), 0);
	CHECK(again == image);
	CHECK_EQ(pipa_code_file_unwind_table(file, &table), 0);
	CHECK_EQ(pipa_code_file_unwind_table(file, &same), 0);
	CHECK(table == same);
	CHECK_EQ(pipa_code_file_debug_info(file, &info), 0);
	CHECK_EQ(pipa_code_file_debug_info(file, &equal), 0);
	CHECK(info == equal);
	stop();
}

TEST(the_range_of_a_function_is_found_in_the_unwind_table)
{
	const struct pipa_image *image;
	const struct pipa_symbols *symbols;
	struct pipa_symbol symbol = { 0 };
	struct pipa_code_file *file;
	uint64_t from, to;
	uint32_t i;

	start();
	file = pipa_code_files_get(files, add_self());
	CHECK_EQ(pipa_code_file_image(file, &image), 0);
	symbols = pipa_image_symbols(image);
	for (i = 0; i < pipa_symbols_count(symbols); i++) {
		symbol = pipa_symbols_get(symbols, i);
		if (symbol.name_len == 4 && memcmp(symbol.name, "main", 4) == 0)
			break;
	}
	CHECK(i < pipa_symbols_count(symbols));
	CHECK_EQ(pipa_code_file_range(file, symbol.start + 1, &from, &to), 1);
	CHECK(from <= symbol.start && symbol.start < to);
	CHECK_EQ(pipa_code_file_range(file, 1, &from, &to), 0);
	stop();
}

TEST(a_file_without_an_unwind_table_has_no_ranges)
{
	uint64_t from, to;
	uint32_t object;

	start();
	put_image("bin/a", 0x11);
	object = add_object(PIPA_OBJECT_FILE, "/bin/a", &id);
	CHECK_EQ(pipa_code_file_range(pipa_code_files_get(files, object), 0x1010, &from, &to), 0);
	stop();
}

/* ---- how long ------------------------------------------------------------------------------------ */

TEST(a_kept_unwind_table_stays_when_its_file_is_released)
{
	const struct pipa_unwind_table *table, *after;
	const struct pipa_image *image, *kept;
	struct pipa_code_file *file;
	uint32_t object;

	start();
	object = add_self();
	file = pipa_code_files_get(files, object);
	CHECK_EQ(pipa_code_file_unwind_table(file, &table), 0);
	CHECK_EQ(pipa_code_file_image(file, &image), 0);
	pipa_code_files_keep(files, object, true);
	pipa_code_files_release_all(files);
	CHECK(pipa_code_files_get(files, object) == file);
	CHECK_EQ(pipa_code_file_unwind_table(file, &after), 0);
	CHECK(after == table);
	CHECK_EQ(pipa_code_file_image(file, &kept), 0);
	CHECK(kept == image);
	pipa_code_files_keep_none(files);
	CHECK(pipa_code_files_get(files, object) == file);
	pipa_code_files_release(files, object);
	CHECK_EQ(status_of(object), 0);
	stop();
}

TEST(released_files_are_read_again)
{
	const struct pipa_image *image;
	struct pipa_debug_info *info;
	struct pipa_code_file *file;
	uint32_t object;

	start();
	object = add_self();
	file = pipa_code_files_get(files, object);
	CHECK_EQ(pipa_code_file_read(file, &image), 0);
	pipa_code_file_release(file, true);
	CHECK_EQ(pipa_code_file_image(file, &image), 0);
	CHECK(pipa_symbols_count(pipa_image_symbols(image)) > 0);
	CHECK_EQ(pipa_code_file_debug_info(file, &info), 0);
	CHECK(info->dwarf);
	pipa_code_files_release(files, object);
	pipa_code_files_release(files, object + 7); /* was never requested */
	CHECK_EQ(status_of(object), 0);
	stop();
}

/* ---- the kernel ---------------------------------------------------------------------------------- */

TEST(the_image_that_the_user_named_is_outside_of_symfs)
{
	struct pipa_code_file *file;
	char path[4200];
	uint32_t kernel;

	start();
	locate.symfs = "/nowhere";
	put_image("vmlinux", 0x11);
	snprintf(path, sizeof(path), "%s/vmlinux", pipa_test_dir());
	kernel = add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", &id);
	CHECK_EQ(status_of(kernel), -ENOENT);
	pipa_code_files_release(files, kernel);
	pipa_code_files_set_vmlinux(files, path);
	file = pipa_code_files_get(files, kernel);
	CHECK_EQ(pipa_code_file_status(file), 0);
	CHECK_EQ(pipa_code_file_kernel_text(file), 0x1000);
	stop();
}

TEST(an_image_of_another_kernel_is_refused_and_one_without_a_build_id_is_not)
{
	char other[4200], unknown[4200];
	uint32_t kernel;

	start();
	put_image("other", 0x22);
	put_image("unknown", 0);
	snprintf(other, sizeof(other), "%s/other", pipa_test_dir());
	snprintf(unknown, sizeof(unknown), "%s/unknown", pipa_test_dir());
	kernel = add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", &id);
	pipa_code_files_set_vmlinux(files, other);
	CHECK_EQ(status_of(kernel), -ESTALE);
	pipa_code_files_release(files, kernel);
	pipa_code_files_set_vmlinux(files, unknown);
	CHECK_EQ(status_of(kernel), 0);
	pipa_code_files_release(files, kernel);
	pipa_code_files_set_vmlinux(files, "/nowhere/vmlinux");
	CHECK_EQ(status_of(kernel), -ENOENT);
	stop();
}
