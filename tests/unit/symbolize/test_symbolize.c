/* Names of places in invented recordings: whose files are where, and why there are none. */
#include "symbolize/symbolize.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zstd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "base/span.h"
#include "elf/identity.h"
#include "lib/elf_image.h"
#include "lib/test.h"
#include "symbol/table/image.h"
#include "symbolize/code_files.h"

#define KERNEL_AT UINT64_C(0xffffffff90000000)
#define MODULE_AT UINT64_C(0xffffffffc0100000)
#define LIST                                                                                       \
	"ffffffff81000000 T _text\nffffffff81000010 T do_work\nffffffff81000020 T do_rest\n"       \
	"ffffffffc0000000 t of_this_boot\t[mod_a]\n"
#define ID "1111111111111111111111111111111111111111"

static const struct pipa_build_id id = { 20, { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
					       0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
					       0x11, 0x11, 0x11, 0x11, 0x11, 0x11 } };
static struct pipa_profile profile;
static struct pipa_recording recording;

static uint32_t add_object(enum pipa_object_kind kind, const char *path, uint64_t base,
			   const struct pipa_build_id *build_id)
{
	struct pipa_object object = { .kind = kind,
				      .path = pipa_profile_text(&profile, path),
				      .base = base };

	if (build_id)
		object.build_id = *build_id;
	return pipa_profile_object(&profile, &object);
}

static uint32_t add_place(uint32_t object, uint64_t offset)
{
	struct pipa_location at = { .object = object,
				    .offset = offset,
				    .unresolved = PIPA_UNRESOLVED_NO_SYMBOL };

	return pipa_profile_location(&profile, &at);
}

static void symbolize(struct pipa_symbolize_options options)
{
	struct pipa_symbolizer *symbolizer;

	options.cache_dir = pipa_test_dir();
	symbolizer = pipa_symbolizer_new(&options, &profile, NULL);
	CHECK(symbolizer);
	pipa_symbolizer_set_recording(symbolizer, &recording);
	CHECK_EQ(pipa_symbolize(symbolizer, NULL), 0);
	pipa_symbolizer_free(symbolizer);
}

/* "name+into", or why there is none. */
static const char *named(uint32_t number)
{
	static const char *const why[PIPA_UNRESOLVED_NR] = {
		[PIPA_UNRESOLVED_NO_MAPPING] = "no mapping",
		[PIPA_UNRESOLVED_NO_FILE] = "no file",
		[PIPA_UNRESOLVED_BUILD_ID_MISMATCH] = "other file",
		[PIPA_UNRESOLVED_NO_SYMBOL] = "no symbol",
		[PIPA_UNRESOLVED_JIT_NO_MAP] = "jit",
		[PIPA_UNRESOLVED_KPTR_RESTRICT] = "hidden",
		[PIPA_UNRESOLVED_OTHER_KERNEL] = "other kernel",
	};
	static char text[200];
	const struct pipa_location *at = &profile.locations.items[number];
	const struct pipa_line *line = &profile.lines.items[at->lines];

	if (!at->n_lines)
		return why[at->unresolved];
	snprintf(text, sizeof(text), "%s+%llx",
		 pipa_profile_string(&profile, profile.functions.items[line->function].name),
		 (unsigned long long)at->symbol_offset);
	return text;
}

static void done(void)
{
	pipa_profile_done(&profile);
	pipa_recording_done(&recording);
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

TEST(perfs_copy_of_the_list_names_another_boot_of_a_kernel)
{
	uint32_t work, rest;

	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	work = add_place(0, KERNEL_AT + 0x14);
	rest = add_place(0, KERNEL_AT + 0x20);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(work), "do_work+4");
	CHECK_STR(named(rest), "do_rest+0");
	done();
}

/* The release is the same, the build id is not: the running kernel is not used for it. */
TEST(the_running_kernels_list_is_not_another_kernels)
{
	struct utsname running;
	uint32_t place;

	CHECK_EQ(uname(&running), 0);
	CHECK_EQ(pipa_recording_add_fact(&recording, "os release", running.release), 0);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	place = add_place(0, KERNEL_AT + 0x14);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "other kernel");
	done();
}

/* The same, with the build id only in the recording's list of files. */
TEST(the_build_id_list_of_the_recording_identifies_the_kernel)
{
	struct pipa_recorded_file file = { .build_id = id, .path = "[kernel.kallsyms]" };
	uint32_t place;

	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST);
	CHECK_EQ(pipa_recording_add_file(&recording, &file), 0);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, NULL);
	place = add_place(0, KERNEL_AT + 0x14);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "do_work+4");
	done();
}

TEST(the_running_kernel_is_known_by_its_build_id)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf notes = { 0 }, list = { 0 };
	struct pipa_build_id running = { 0 };
	struct pipa_span found;
	uint64_t text;
	const char *line;
	uint32_t place;

	if (pipa_file_read("/sys/kernel/notes", &notes, NULL) < 0 ||
	    !pipa_notes_build_id((struct pipa_span){ (const uint8_t *)notes.data, notes.len },
				 false, &found) ||
	    found.size > PIPA_BUILD_ID_MAX)
		SKIP("the kernel tells no build id");
	CHECK_EQ(pipa_file_read("/proc/kallsyms", &list, NULL), 0);
	line = strstr(pipa_buf_str(&list), " T _text\n");
	if (!line || line - pipa_buf_str(&list) < 16 || !(text = strtoull(line - 16, NULL, 16)))
		SKIP("the kernel hides its symbols");
	running.len = (uint8_t)found.size;
	memcpy(running.bytes, found.data, found.size);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", text, &running);
	place = add_place(0, text + 0x100000);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_EQ(profile.locations.items[place].n_lines, 1);
	done();
}

TEST(kallsyms_without_addresses_are_reported_as_hidden)
{
	uint32_t place;
	char path[4200];

	pipa_test_file(pipa_test_dir(), "hidden",
		       "0000000000000000 T _text\n0000000000000000 T a\n");
	snprintf(path, sizeof(path), "%s/hidden", pipa_test_dir());
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	place = add_place(0, KERNEL_AT + 0x14);
	symbolize((struct pipa_symbolize_options){ .kallsyms = path });
	CHECK_STR(named(place), "hidden");
	done();
}

/* A list of symbols of the recorded kernel as bundles take it along, and why there is none. */
TEST(the_text_of_kallsyms_is_found_for_a_bundle)
{
	struct pipa_symbolize_options options = { .cache_dir = pipa_test_dir() };
	struct pipa_symbolizer *symbolizer = pipa_symbolizer_new(&options, &profile, NULL);
	enum pipa_unresolved why = PIPA_RESOLVED;
	struct pipa_span text = { 0 };

	CHECK(symbolizer);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	add_place(0, KERNEL_AT + 0x14);
	CHECK_EQ(pipa_symbolizer_find_kallsyms(symbolizer, &text, &why), 0);
	CHECK_EQ(why, PIPA_UNRESOLVED_OTHER_KERNEL);
	pipa_symbolizer_free(symbolizer);
	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST);
	symbolizer = pipa_symbolizer_new(&options, &profile, NULL);
	CHECK_EQ(pipa_symbolizer_find_kallsyms(symbolizer, &text, &why), 1);
	CHECK_EQ(text.size, strlen(LIST));
	pipa_symbolizer_free(symbolizer);
	done();
}

TEST(bpf_programs_are_resolved_by_their_ksymbol_records)
{
	uint32_t place;

	add_object(PIPA_OBJECT_KSYMBOL, "bpf_prog_0123_probe", MODULE_AT, NULL);
	place = add_place(0, MODULE_AT + 9);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "bpf_prog_0123_probe+9");
	done();
}

/* ---- its modules --------------------------------------------------------------------------------------- */

/* "GNU" note of 20 times that byte. */
static size_t make_note(uint8_t byte, uint8_t *note)
{
	static const uint8_t head[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };

	memcpy(note, head, sizeof(head));
	memset(note + sizeof(head), byte, 20);
	return sizeof(head) + 20;
}

/* A module with mod_work at 0x20 of its code and that build id. */
static struct elf_image *make_module(uint8_t byte)
{
	static const uint8_t code[0x40];
	static const struct elf_image_symbol symbols[] = { { "mod_work", 0x20, 8, STT_FUNC,
							     STB_GLOBAL, 0, 1 } };
	struct elf_image *image = elf_image_new(true, false, EM_X86_64, ET_REL);
	struct elf_image_section text = { .name = ".text",
					  .type = SHT_PROGBITS,
					  .flags = SHF_ALLOC | SHF_EXECINSTR,
					  .bytes = code,
					  .size = sizeof(code),
					  .align = 16 };
	uint8_t note[64];
	struct elf_image_section build = { .name = ".note.gnu.build-id",
					   .type = SHT_NOTE,
					   .bytes = note,
					   .size = make_note(byte, note),
					   .align = 4 };

	elf_image_section(image, &text, NULL);
	elf_image_section(image, &build, NULL);
	elf_image_symbols(image, SHT_SYMTAB, symbols, 1);
	return image;
}

static void put_file(const char *path, const void *bytes, size_t len)
{
	char full[4200];
	int fd;

	pipa_test_file(pipa_test_dir(), path, "");
	snprintf(full, sizeof(full), "%s/%s", pipa_test_dir(), path);
	fd = open(full, O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK_EQ(pipa_file_write(fd, bytes, len), 0);
	close(fd);
}

static void put_module(const char *path, uint8_t byte, bool packed)
{
	struct elf_image *image = make_module(byte);
	struct pipa_span file = elf_image_finish(image);
	uint8_t room[8192];
	size_t n = packed ? ZSTD_compress(room, sizeof(room), file.data, file.size, 1) : 0;

	put_file(path, packed ? room : file.data, packed ? n : file.size);
	elf_image_free(image);
}

static const char *name_in_module(const char *path, struct pipa_symbolize_options options)
{
	uint32_t module, place;

	CHECK_EQ(pipa_recording_add_fact(&recording, "os release", "9.9-else"), 0);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	module = add_object(PIPA_OBJECT_MODULE, path, MODULE_AT, &id);
	place = add_place(module, MODULE_AT + 0x24);
	options.symfs = pipa_test_dir();
	symbolize(options);
	return named(place);
}

TEST(a_module_of_another_machine_is_named_by_its_file)
{
	put_module("lib/modules/9.9-else/kernel/mod-a.ko", 0x11, false);
	CHECK_STR(name_in_module("/lib/modules/9.9-else/kernel/mod-a.ko",
				 (struct pipa_symbolize_options){ 0 }),
		  "mod_work+4");
	done();
}

TEST(a_compressed_module_is_opened)
{
	put_module("lib/modules/9.9-else/kernel/mod-a.ko.zst", 0x11, true);
	CHECK_STR(name_in_module("/lib/modules/9.9-else/kernel/mod-a.ko.zst",
				 (struct pipa_symbolize_options){ 0 }),
		  "mod_work+4");
	done();
}

TEST(a_module_without_a_path_is_found_in_the_list_of_its_release)
{
	put_module("lib/modules/9.9-else/kernel/mod-a.ko.zst", 0x11, true);
	pipa_test_file(pipa_test_dir(), "lib/modules/9.9-else/modules.dep",
		       "kernel/mod-a-b.ko:\nkernel/mod-a.ko.zst: kernel/x.ko\n");
	CHECK_STR(name_in_module("[mod_a]", (struct pipa_symbolize_options){ 0 }), "mod_work+4");
	done();
}

TEST(a_module_with_another_build_id_is_another_file)
{
	put_module("lib/modules/9.9-else/kernel/mod-a.ko", 0x22, false);
	CHECK_STR(name_in_module("/lib/modules/9.9-else/kernel/mod-a.ko",
				 (struct pipa_symbolize_options){ 0 }),
		  "other file");
	done();
}

TEST(a_module_that_is_nowhere_has_no_file)
{
	CHECK_STR(name_in_module("[mod_a]", (struct pipa_symbolize_options){ 0 }), "no file");
	done();
}

/* The list has modules where this boot put them; the recording is of another one. */
TEST(the_list_of_another_boot_names_no_modules)
{
	uint32_t module, place;

	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", KERNEL_AT, &id);
	module = add_object(PIPA_OBJECT_MODULE, "[mod_a]", 0xffffffffc0000000, NULL);
	place = add_place(module, 0xffffffffc0000004);
	symbolize((struct pipa_symbolize_options){ .symfs = pipa_test_dir() });
	CHECK_STR(named(place), "no file");
	done();
}

TEST(the_list_of_the_same_boot_names_modules)
{
	uint32_t module, place;

	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST);
	add_object(PIPA_OBJECT_KERNEL, "[kernel.kallsyms]", 0xffffffff81000000, &id);
	module = add_object(PIPA_OBJECT_MODULE, "[mod_a]", 0xffffffffc0000000, NULL);
	place = add_place(module, 0xffffffffc0000004);
	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "of_this_boot+4");
	done();
}

/* ---- programs ------------------------------------------------------------------------------------------ */

TEST(missing_and_changed_files_have_distinct_reasons)
{
	uint32_t gone, changed;

	put_module("usr/bin/changed", 0x22, false);
	gone = add_place(add_object(PIPA_OBJECT_FILE, "/usr/bin/gone", 0, &id), 0x10);
	changed = add_place(add_object(PIPA_OBJECT_FILE, "/usr/bin/changed", 0, &id), 0x10);
	symbolize((struct pipa_symbolize_options){ .symfs = pipa_test_dir() });
	CHECK_STR(named(gone), "no file");
	CHECK_STR(named(changed), "other file");
	done();
}

TEST(the_vdso_is_our_own_if_its_build_id_is)
{
	uint32_t ours = add_object(PIPA_OBJECT_VDSO, "[vdso]", 0, NULL);
	uint32_t other = add_object(PIPA_OBJECT_VDSO, "[vdso]", 0, &id), place;
	uint64_t offset, names = 0;

	if (!getauxval(AT_SYSINFO_EHDR))
		SKIP("no vdso here, as under user-mode emulation");
	place = add_place(other, 0x800);
	for (offset = 0; offset < 0x4000; offset += 0x20)
		add_place(ours, offset);
	symbolize((struct pipa_symbolize_options){ .symfs = pipa_test_dir() });
	for (offset = 0; offset < profile.locations.n; offset++)
		names += profile.locations.items[offset].n_lines;
	CHECK(names > 0);
	CHECK_STR(named(place), "no file");
	done();
}

/* This program, by its own path. */
static uint32_t add_self(void)
{
	char path[4096] = { 0 };

	CHECK(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	return add_object(PIPA_OBJECT_FILE, path, 0, NULL);
}

/* The offset in this program's file of a function of it, by the symbols of its image. */
static uint64_t offset_of(uint32_t object, const char *name)
{
	static const struct pipa_locate_options locate;
	struct pipa_code_files *files = pipa_code_files_new(&locate, &profile, NULL);
	const struct pipa_image *image;
	uint64_t wanted, at, addr, found = 0;
	struct pipa_code_file *file = pipa_code_files_get(files, object);

	CHECK_EQ(pipa_code_file_image(file, &image), 0);
	wanted = pipa_image_find(pipa_code_file_located(file)->main, name);
	CHECK(wanted);
	for (at = 0; !found && at < pipa_code_file_located(file)->main.size; at += 4)
		if (pipa_image_addr(image, at, &addr) && addr <= wanted && wanted < addr + 4)
			found = at + (wanted - addr);
	pipa_code_files_free(files);
	CHECK(found);
	return found;
}

TEST(a_program_is_symbolized_with_source_lines_only_if_they_are_wanted)
{
	uint32_t self = add_self(), place = add_place(self, offset_of(self, "main"));
	const struct pipa_line *line;

	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "main+0");
	CHECK_EQ(profile.lines.items[profile.locations.items[place].lines].line, 0);
	done();
	profile = (struct pipa_profile){ 0 };
	recording = (struct pipa_recording){ 0 };
	self = add_self();
	place = add_place(self, offset_of(self, "main"));
	symbolize((struct pipa_symbolize_options){ .lines = PIPA_LINES_PLAIN });
	CHECK_STR(named(place), "main+0");
	line = &profile.lines.items[profile.locations.items[place].lines];
	CHECK(line->line > 0);
	CHECK_HAS(pipa_profile_string(&profile, profile.functions.items[line->function].file),
		  "test.c");
	done();
}

TEST(lines_of_dwarf_recordings_are_left_out_for_others)
{
	uint32_t self = add_self(), place = add_place(self, offset_of(self, "main"));

	symbolize((struct pipa_symbolize_options){ .lines = PIPA_LINES_STACKS });
	CHECK_EQ(profile.lines.items[profile.locations.items[place].lines].line, 0);
	done();
	profile = (struct pipa_profile){ 0 };
	self = add_self();
	place = add_place(self, offset_of(self, "main"));
	recording = (struct pipa_recording){ .stacks = true };
	symbolize((struct pipa_symbolize_options){ .lines = PIPA_LINES_STACKS });
	CHECK(profile.lines.items[profile.locations.items[place].lines].line > 0);
	done();
}

TEST(an_address_without_a_mapping_has_that_reason)
{
	uint32_t place = add_place(add_object(PIPA_OBJECT_UNKNOWN, "[unknown]", 0, NULL), 0x10);

	symbolize((struct pipa_symbolize_options){ 0 });
	CHECK_STR(named(place), "no mapping");
	done();
}

TEST(an_address_beyond_the_symbols_has_that_reason)
{
	uint32_t place;

	put_module("usr/bin/program", 0x11, false);
	place = add_place(add_object(PIPA_OBJECT_FILE, "/usr/bin/program", 0, &id), 0x100000);
	symbolize((struct pipa_symbolize_options){ .symfs = pipa_test_dir() });
	CHECK_STR(named(place), "no symbol");
	done();
}

/* ---- a profile that grows ------------------------------------------------------------------------------ */

/* Locations before the first new one are unchanged, except those requested again. */
TEST(only_new_locations_and_some_earlier_ones_are_symbolized)
{
	const struct pipa_symbolize_options options = { .symfs = pipa_test_dir() };
	struct pipa_symbolizer *symbolizer = pipa_symbolizer_new(&options, &profile, NULL);
	struct pipa_object object = { .kind = PIPA_OBJECT_JIT,
				      .path = pipa_profile_text(&profile, "//anon"),
				      .pid = 77 };
	uint32_t first, second, third, jit = pipa_profile_object(&profile, &object);

	CHECK(symbolizer);
	first = add_place(jit, 0x1010);
	second = add_place(jit, 0x1020);
	CHECK_EQ(pipa_symbolize(symbolizer, NULL), 0);
	CHECK_STR(named(first), "jit");
	pipa_test_file(pipa_test_dir(), "tmp/perf-77.map", "1000 40 made\n");
	third = add_place(jit, 0x1030);
	CHECK_EQ(pipa_symbolize_new(symbolizer, third, &second, 1, NULL), 0);
	CHECK_STR(named(first), "jit");
	CHECK_STR(named(second), "made+20");
	CHECK_STR(named(third), "made+30");
	pipa_symbolizer_free(symbolizer);
	done();
}

TEST(a_symbolizer_outlives_the_content_of_its_profile)
{
	const struct pipa_symbolize_options options = { .symfs = pipa_test_dir() };
	struct pipa_symbolizer *symbolizer = pipa_symbolizer_new(&options, &profile, NULL);
	uint32_t place;

	CHECK(symbolizer);
	put_module("usr/bin/a", 0x22, false);
	put_module("usr/bin/b", 0x11, false);
	place = add_place(add_object(PIPA_OBJECT_FILE, "/usr/bin/a", 0, &id), 0x10);
	CHECK_EQ(pipa_symbolize(symbolizer, NULL), 0);
	CHECK_STR(named(place), "other file");
	pipa_profile_done(&profile);
	profile = (struct pipa_profile){ 0 };
	CHECK_EQ(pipa_symbolizer_restart(symbolizer), 0);
	place = add_place(add_object(PIPA_OBJECT_FILE, "/usr/bin/b", 0, &id), 0x10);
	CHECK_EQ(pipa_symbolize(symbolizer, NULL), 0);
	CHECK_STR(named(place), "no symbol");
	pipa_symbolizer_free(symbolizer);
	done();
}

TEST(a_symbolizer_follows_a_profile_that_has_moved)
{
	const struct pipa_symbolize_options options = { .symfs = pipa_test_dir() };
	struct pipa_profile before = { 0 };
	struct pipa_symbolizer *symbolizer = pipa_symbolizer_new(&options, &before, NULL);
	uint32_t place;

	CHECK(symbolizer);
	add_object(PIPA_OBJECT_KSYMBOL, "bpf_prog", MODULE_AT, NULL);
	place = add_place(0, MODULE_AT + 9);
	pipa_symbolizer_move(symbolizer, &profile, &recording);
	CHECK_EQ(pipa_symbolize(symbolizer, NULL), 0);
	CHECK_STR(named(place), "bpf_prog+9");
	CHECK_STR(pipa_symbolizer_options(symbolizer)->symfs, pipa_test_dir());
	pipa_symbolizer_free(symbolizer);
	done();
}

/* ---- perf maps ----------------------------------------------------------------------------------------- */

static const char *name_in_map(uint32_t pid, struct pipa_symbolize_options options)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_JIT,
				      .path = pipa_profile_text(&profile, "//anon"),
				      .pid = pid };
	uint32_t place = add_place(pipa_profile_object(&profile, &object), 0x1010);

	symbolize(options);
	return named(place);
}

TEST(a_perf_map_is_looked_for_below_symfs)
{
	struct pipa_symbolize_options options = { .symfs = pipa_test_dir() };

	pipa_test_file(pipa_test_dir(), "tmp/perf-77.map", "1000 20 made\n");
	CHECK_STR(name_in_map(77, options), "made+10");
	CHECK_STR(name_in_map(78, options), "jit");
	done();
}

/* In /tmp everybody may write: what a stranger has put there is not believed. */
TEST(a_perf_map_of_another_user_is_ignored)
{
	uint32_t pid = 4190000000; /* no process has such a number */
	char path[64];
	bool left_alone, taken;
	FILE *map;

	if (geteuid() != 0)
		SKIP("only root can give a file away");
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	map = fopen(path, "we");
	CHECK(map);
	fputs("1000 20 made\n", map);
	fclose(map);
	left_alone = chown(path, 12345, 12345) == 0 &&
		     strcmp(name_in_map(pid, (struct pipa_symbolize_options){ 0 }), "jit") == 0;
	taken = chown(path, 0, 0) == 0 &&
		strcmp(name_in_map(pid, (struct pipa_symbolize_options){ 0 }), "made+10") == 0;
	unlink(path);
	CHECK(left_alone);
	CHECK(taken);
	done();
}
