#include "locate/bundle_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "lib/test.h"
#include "locate/files.h"
#include "locate/kernel_files.h"
#include "locate/process_files.h"

/* "0123456789" a thousand times, in a file without a name. */
static int some_file(void)
{
	int fd = memfd_create("pack", MFD_CLOEXEC), i;

	for (i = 0; i < 1000; i++)
		CHECK_EQ(write(fd, "0123456789", 10), 10);
	return fd;
}

static void check_mapped(const struct pipa_bundle_files *pack, const char *name, const char *text)
{
	struct pipa_span span;

	CHECK(pipa_bundle_files_map(pack, name, &span));
	CHECK_EQ(span.size, strlen(text));
	CHECK(memcmp(span.data, text, span.size) == 0);
	pipa_locate_unmap(&span);
	CHECK(!span.data);
}

TEST(members_are_mapped_at_any_offset)
{
	PIPA_AUTO(pipa_fd_close) int fd = some_file();
	PIPA_AUTO(pipa_bundle_files_free)
	struct pipa_bundle_files *pack = pipa_bundle_files_new(fd);
	struct pipa_span span;

	CHECK(pack);
	CHECK_EQ(pipa_bundle_files_add(pack, "start", 0, 3), 0);
	CHECK_EQ(pipa_bundle_files_add(pack, "middle", 4095, 6), 0); /* over the end of a page */
	CHECK_EQ(pipa_bundle_files_add(pack, "end", 9999, 1), 0);
	CHECK_EQ(pipa_bundle_files_add(pack, "empty", 10, 0), 0);
	pipa_bundle_files_index(pack);
	check_mapped(pack, "start", "012");
	check_mapped(pack, "middle", "567890");
	check_mapped(pack, "end", "9");
	CHECK(!pipa_bundle_files_map(pack, "empty", &span));
	CHECK(!pipa_bundle_files_map(pack, "nothing", &span));
	CHECK(!pipa_bundle_files_map(pack, "", &span));
}

TEST(of_several_members_with_one_name_the_first_counts)
{
	PIPA_AUTO(pipa_fd_close) int fd = some_file();
	PIPA_AUTO(pipa_bundle_files_free)
	struct pipa_bundle_files *pack = pipa_bundle_files_new(fd);
	uint64_t offset, size, i;

	CHECK(pack);
	for (i = 0; i < 100; i++)
		CHECK_EQ(pipa_bundle_files_add(pack, i % 2 ? "odd" : "even", i, 1), 0);
	pipa_bundle_files_index(pack);
	CHECK(pipa_bundle_files_find(pack, "odd", &offset, &size));
	CHECK_EQ(offset, 1);
	CHECK(pipa_bundle_files_find(pack, "even", &offset, &size));
	CHECK_EQ(offset, 0);
}

TEST(names_by_build_id_are_those_of_perfs_cache)
{
	static const uint8_t bytes[] = { 0xab, 0x0c, 0xde };
	char name[100], small[20];

	CHECK(pipa_bundle_files_id_name(".debug", (struct pipa_span){ bytes, 3 }, "elf", name,
					sizeof(name)));
	CHECK_STR(name, ".debug/.build-id/ab/0cde/elf");
	CHECK(!pipa_bundle_files_id_name(".debug", (struct pipa_span){ bytes, 1 }, "elf", name,
					 sizeof(name)));
	CHECK(!pipa_bundle_files_id_name(".debug", (struct pipa_span){ bytes, 65 }, "elf", name,
					 sizeof(name)));
	CHECK(!pipa_bundle_files_id_name(".debug", (struct pipa_span){ bytes, 3 }, "elf", small,
					 sizeof(small)));
}

/* Files requested only by path come from the bundle or are missing, though the machine has them. */
TEST(a_path_without_a_build_id_is_not_looked_for_on_the_machine)
{
	PIPA_AUTO(pipa_fd_close) int fd = some_file();
	PIPA_AUTO(pipa_bundle_files_free)
	struct pipa_bundle_files *pack = pipa_bundle_files_new(fd);
	struct pipa_wanted_file wanted = { .path = "/proc/self/exe" };
	struct pipa_locate_options options = { 0 };
	struct pipa_located located;

	CHECK(pack);
	pipa_bundle_files_index(pack);
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATED);
	pipa_located_done(&located);
	options.bundle = pack;
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATE_NO_FILE);
	CHECK_EQ(pipa_bundle_files_add(pack, "root/proc/self/exe", 5, 3), 0);
	pipa_bundle_files_index(pack);
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATED);
	CHECK_EQ(located.main.size, 3);
	CHECK(memcmp(located.main.data, "567", 3) == 0);
	pipa_located_done(&located);
}

TEST(perf_maps_and_kallsyms_come_only_from_the_bundle)
{
	PIPA_AUTO(pipa_fd_close) int fd = some_file();
	PIPA_AUTO(pipa_bundle_files_free)
	struct pipa_bundle_files *pack = pipa_bundle_files_new(fd);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_locate_options options = { .bundle = pack };
	struct pipa_wanted_kernel kernel = { 0 };
	struct pipa_span dump;

	CHECK(pack);
	CHECK_EQ(pipa_bundle_files_add(pack, "root/tmp/perf-7.map", 1, 2), 0);
	CHECK_EQ(pipa_bundle_files_add(pack, "root/tmp/jit-7.dump", 3, 2), 0);
	CHECK_EQ(pipa_bundle_files_add(pack, "root/proc/kallsyms", 7, 2), 0);
	pipa_bundle_files_index(pack);
	CHECK_EQ(pipa_locate_perf_map(&options, NULL, 7, &text), 0);
	CHECK_STR(pipa_buf_str(&text), "12");
	CHECK(pipa_locate_perf_map(&options, NULL, 8, &text) < 0);
	CHECK_EQ(pipa_locate_kallsyms_packed(&options, &kernel, &text), 1);
	CHECK_STR(pipa_buf_str(&text), "1278");
	CHECK(pipa_locate_process_file(&options, "/tmp/jit-7.dump", NULL, 7, &dump));
	CHECK(memcmp(dump.data, "34", dump.size) == 0);
	pipa_locate_unmap(&dump);
	CHECK(!pipa_locate_process_file(&options, "/proc/self/exe", NULL, 7, &dump));
}
