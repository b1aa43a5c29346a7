/* Which kallsyms is found for a kernel, and what is decoded of it. */
#include "symbolize/kallsyms_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "kernel/machine/root.h"
#include "lib/test.h"
#include "locate/files.h"
#include "symbol/table/table.h"
#include "symbolize/recorded_kernel.h"

#define ID "1111111111111111111111111111111111111111"
#define TEXT_AT UINT64_C(0xffffffff81000000)
#define LIST(name) "ffffffff81000000 T _text\nffffffff81000010 T " name "\n"
#define HIDDEN "0000000000000000 T _text\n0000000000000000 T secret\n"

static struct pipa_locate_options locate;
static struct pipa_kallsyms_reader *reader;
static struct pipa_root *root;
static struct utsname machine;

/* A machine whose /proc/kallsyms is that text. */
static void start(const char *path, const char *running)
{
	if (running)
		pipa_test_file(pipa_test_dir(), "proc/kallsyms", running);
	CHECK_EQ(uname(&machine), 0);
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	locate = (struct pipa_locate_options){ .cache_dir = pipa_test_dir() };
	reader = pipa_kallsyms_reader_new(path, &locate, root);
	CHECK(reader);
}

static void stop(void)
{
	pipa_kallsyms_reader_free(reader);
	pipa_root_close(root);
}

/* A kernel that is known by its release, and one that is known by its build id. */
static struct pipa_wanted_kernel running_kernel(void)
{
	return (struct pipa_wanted_kernel){ .release = machine.release };
}

static struct pipa_wanted_kernel other_kernel(void)
{
	static uint8_t id[20];

	memset(id, 0x11, sizeof(id));
	return (struct pipa_wanted_kernel){ .build_id = id, .build_id_len = sizeof(id) };
}

/* The symbol at 0x14 of a kernel with _text at `base`, or "". */
static const char *find(const struct pipa_wanted_kernel *kernel, uint64_t base, bool modules)
{
	const struct pipa_kallsyms_address addr = { base + 0x14, base };
	static char name[40];
	struct pipa_symbol symbol;
	uint32_t found;
	int rc = pipa_kallsyms_reader_find(reader, kernel, &addr, 1, modules);

	CHECK(rc >= 0);
	if (!rc)
		return "";
	found = pipa_symbols_find(pipa_kallsyms_reader_table(reader)->symbols,
				  addr.addr + pipa_kallsyms_reader_slide(reader, base));
	CHECK(found != PIPA_SYMBOL_NONE);
	symbol = pipa_symbols_get(pipa_kallsyms_reader_table(reader)->symbols, found);
	snprintf(name, sizeof(name), "%.*s", (int)symbol.name_len, symbol.name);
	return name;
}

TEST(the_file_that_the_user_named_is_used_for_any_kernel)
{
	struct pipa_wanted_kernel kernel;
	char path[4200];

	pipa_test_file(pipa_test_dir(), "named", LIST("of_user"));
	snprintf(path, sizeof(path), "%s/named", pipa_test_dir());
	start(path, LIST("of_running"));
	kernel = running_kernel();
	CHECK_STR(find(&kernel, TEXT_AT, false), "of_user");
	stop();
}

TEST(the_list_of_the_running_kernel_is_read_below_the_root)
{
	struct pipa_wanted_kernel kernel;

	start(NULL, LIST("of_running"));
	kernel = running_kernel();
	CHECK_STR(find(&kernel, TEXT_AT, false), "of_running");
	CHECK_EQ(pipa_kallsyms_reader_text(reader).size, strlen(LIST("of_running")));
	stop();
}

TEST(a_list_that_is_read_in_the_background_is_the_same)
{
	struct pipa_wanted_kernel kernel;

	start(NULL, LIST("of_running"));
	kernel = running_kernel();
	pipa_kallsyms_reader_preload(reader, &kernel);
	pipa_test_file(pipa_test_dir(), "other", "");
	CHECK_STR(find(&kernel, TEXT_AT, false), "of_running");
	stop();
}

TEST(another_kernel_has_only_the_copy_of_perf)
{
	const struct pipa_wanted_kernel kernel = other_kernel();

	start(NULL, LIST("of_running"));
	CHECK_STR(find(&kernel, TEXT_AT, false), "");
	CHECK(!pipa_kallsyms_reader_hidden(reader));
	CHECK_EQ(pipa_kallsyms_reader_text(reader).size, 0);
	pipa_kallsyms_reader_release(reader);
	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST("of_copy"));
	CHECK_STR(find(&kernel, TEXT_AT, false), "of_copy");
	stop();
}

TEST(a_kernel_that_was_elsewhere_in_another_boot_is_moved)
{
	const struct pipa_wanted_kernel kernel = other_kernel();

	start(NULL, NULL);
	pipa_test_file(pipa_test_dir(), "[kernel.kallsyms]/" ID "/kallsyms", LIST("of_copy"));
	CHECK_STR(find(&kernel, TEXT_AT + 0x4000000, false), "of_copy");
	CHECK_EQ(pipa_kallsyms_reader_slide(reader, TEXT_AT + 0x4000000), UINT64_C(0) - 0x4000000);
	CHECK_EQ(pipa_kallsyms_reader_slide(reader, 0), 0);
	stop();
}

TEST(a_list_without_addresses_is_hidden)
{
	struct pipa_wanted_kernel kernel;

	start(NULL, HIDDEN);
	kernel = running_kernel();
	CHECK_STR(find(&kernel, TEXT_AT, false), "");
	CHECK(pipa_kallsyms_reader_hidden(reader));
	stop();
}

TEST(a_live_profile_keeps_the_list_that_was_read_first)
{
	const struct pipa_wanted_kernel kernel = other_kernel();

	start(NULL, LIST("of_running"));
	CHECK_EQ(pipa_kallsyms_reader_use_running(reader), 0);
	CHECK_STR(find(&kernel, TEXT_AT, true), "of_running");
	pipa_kallsyms_reader_release(reader);
	pipa_test_file(pipa_test_dir(), "proc/kallsyms", LIST("of_later"));
	CHECK_STR(find(&kernel, TEXT_AT, true), "of_running");
	stop();
}

TEST(a_machine_without_kallsyms_has_none)
{
	struct pipa_wanted_kernel kernel;

	start(NULL, NULL);
	kernel = running_kernel();
	CHECK(pipa_kallsyms_reader_use_running(reader) < 0);
	CHECK(pipa_kallsyms_reader_decode_running(reader) < 0);
	pipa_kallsyms_reader_preload(reader, &kernel);
	CHECK_STR(find(&kernel, TEXT_AT, false), "");
	CHECK(!pipa_kallsyms_reader_hidden(reader));
	stop();
}

TEST(the_whole_list_is_decoded_for_a_running_process)
{
	start(NULL, LIST("first") "ffffffff81000020 T second\n");
	CHECK_EQ(pipa_kallsyms_reader_decode_running(reader), 0);
	CHECK_EQ(pipa_symbols_count(pipa_kallsyms_reader_table(reader)->symbols), 3);
	CHECK_EQ(pipa_kallsyms_reader_table(reader)->text, TEXT_AT);
	stop();
}

/* ---- which kernel -------------------------------------------------------------------------------- */

TEST(the_recorded_kernel_is_known_by_its_object_or_by_the_list_of_build_ids)
{
	const struct pipa_build_id of_object = { 2, { 1, 2 } }, of_list = { 2, { 3, 4 } };
	struct pipa_recorded_file file = { .build_id = of_list, .path = "[kernel.kallsyms]" };
	struct pipa_object object = { .kind = PIPA_OBJECT_KERNEL, .build_id = of_object };
	struct pipa_recording recording = { 0 };
	struct pipa_profile profile = { 0 };
	struct pipa_recorded_kernel kernel;

	pipa_recorded_kernel_find(NULL, NULL, &kernel);
	CHECK_EQ(kernel.id.len, 0);
	CHECK(!kernel.release);
	CHECK_EQ(pipa_recording_add_file(&recording, &file), 0);
	CHECK_EQ(pipa_recording_add_fact(&recording, "os release", "9.9"), 0);
	CHECK_EQ(pipa_recorded_kernel_object(&profile), PIPA_NONE);
	pipa_recorded_kernel_find(&recording, &profile, &kernel);
	CHECK_EQ(kernel.id.bytes[0], 3);
	CHECK_STR(kernel.release, "9.9");
	object.path = pipa_profile_text(&profile, "[kernel.kallsyms]");
	CHECK_EQ(pipa_profile_object(&profile, &object), 0);
	pipa_recorded_kernel_find(&recording, &profile, &kernel);
	CHECK_EQ(kernel.id.bytes[0], 1);
	CHECK_EQ(pipa_recorded_kernel_wanted(&kernel).build_id_len, 2);
	pipa_profile_done(&profile);
	pipa_recording_done(&recording);
}
