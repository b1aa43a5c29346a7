#include "measure/sample/record_keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "lib/test.h"
#include "locate/bundle_files.h"
#include "locate/files.h"
#include "locate/kept_files.h"
#include "locate/mapped_files.h"

PIPA_DEFINE_AUTO(pipa_mapped_files_free, struct pipa_mapped_files *)

/* Add a deleted file of `size` bytes that this process has mapped; false: map_files is not for this user. */
static bool add_deleted(struct pipa_mapped_files *files, size_t size, struct pipa_file_id *ret)
{
	char path[] = "/tmp/kept.XXXXXX";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pipa_file_mapping mapping;
	const struct pipa_mapped_file *file;
	PIPA_AUTO(pipa_fd_close) int fd = mkstemp(path);
	struct stat st;
	void *base;

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, (off_t)size), 0);
	CHECK_EQ(pwrite(fd, "begins", 6, 0), 6);
	CHECK_EQ(fstat(fd, &st), 0);
	base = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(base != MAP_FAILED);
	unlink(path);
	*ret = (struct pipa_file_id){ major(st.st_dev), minor(st.st_dev), st.st_ino, 0 };
	mapping = (struct pipa_file_mapping){ .pid = (uint32_t)getpid(),
					      .start = (uint64_t)(uintptr_t)base,
					      .end = (uint64_t)(uintptr_t)base + page,
					      .path = "/in/a/container",
					      .file = *ret };
	file = pipa_mapped_files_add(files, &mapping);
	CHECK(file);
	munmap(base, page);
	return file->outside;
}

static struct pipa_bundle_files *open_kept(int fd, uint64_t at, uint64_t size,
					   struct pipa_memory *memory, struct pipa_bytes *bytes,
					   int expected)
{
	struct pipa_bundle_files *pack = NULL;

	*memory = (struct pipa_memory){ malloc(at + size), at + size };
	CHECK(memory->data);
	CHECK_EQ(pread(fd, (void *)(uintptr_t)memory->data, at + size, 0), (ssize_t)(at + size));
	*bytes = pipa_bytes_of_memory(memory);
	CHECK_EQ(pipa_kept_files_open(bytes, at, size, false, &pack), expected);
	return pack;
}

TEST(kept_file_is_read_as_it_was)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	PIPA_AUTO(pipa_fd_close) int fd = memfd_create("recording", MFD_CLOEXEC);
	struct pipa_record_keep keep = { .files = files, .max_bytes = 1 << 20 };
	struct pipa_locate_options options = { .same_host = true };
	struct pipa_wanted_file wanted = { .path = "/in/a/container" };
	struct pipa_located located;
	struct pipa_memory memory;
	struct pipa_bytes bytes;
	struct pipa_bundle_files *pack;
	uint64_t size;

	if (!add_deleted(files, 100000, &wanted.file))
		SKIP("only root may open map_files");
	CHECK(pipa_record_keep_any(&keep));
	CHECK_EQ(pipa_record_keep_write(&keep, fd, 1000, &size), 0);
	CHECK_EQ(keep.n_kept, 1);
	CHECK(size < 10000); /* compressed */
	pack = open_kept(fd, 1000, size, &memory, &bytes, 0);
	options.kept = pack;
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATED);
	CHECK_EQ(located.main.size, 100000);
	CHECK(memcmp(located.main.data, "begins", 7) == 0);
	CHECK(!located.unverified);
	pipa_located_done(&located);
	wanted.file.inode++;
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATE_NO_FILE);
	pipa_bundle_files_free(pack);
	free((void *)(uintptr_t)memory.data);
}

TEST(files_beyond_the_limit_are_counted)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	PIPA_AUTO(pipa_fd_close) int fd = memfd_create("recording", MFD_CLOEXEC);
	struct pipa_record_keep keep = { .files = files, .max_bytes = 1000 };
	const bool unused[1] = { false };
	struct pipa_file_id id;
	uint64_t size;

	if (!add_deleted(files, 1001, &id))
		SKIP("only root may open map_files");
	CHECK_EQ(pipa_record_keep_write(&keep, fd, 0, &size), 0);
	CHECK_EQ(keep.n_kept, 0);
	CHECK_EQ(keep.n_left_out, 1);
	keep.used = unused;
	CHECK(!pipa_record_keep_any(&keep));
}

TEST(malformed_section_is_refused)
{
	/* one member "x" of 4 bytes, its index and its trailer; then each number of them corrupt */
	static const struct {
		uint64_t member_offset, member_size, index_offset, n;
		int expected;
	} cases[] = {
		{ 0, 4, 4, 1, 0 },	  { 1, 4, 4, 1, -EBADMSG },
		{ 5, 0, 4, 1, -EBADMSG }, { 0, UINT64_MAX, 4, 1, -EBADMSG },
		{ 0, 4, 5, 1, -EBADMSG }, { 0, 4, UINT64_MAX, 1, -EBADMSG },
		{ 0, 4, 4, 2, -EBADMSG }, { 0, 4, 4, UINT64_MAX, -EBADMSG },
		{ 0, 4, 4, 0, 0 },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(cases); i++) {
		uint8_t section[4 + 18 + 24] = "data";
		struct pipa_memory memory = { section, sizeof(section) };
		struct pipa_bytes bytes = pipa_bytes_of_memory(&memory);
		struct pipa_bundle_files *pack = NULL;

		memcpy(section + 4, &cases[i].member_offset, 8);
		memcpy(section + 12, &cases[i].member_size, 8);
		memcpy(section + 20, "x", 2);
		memcpy(section + 22, &cases[i].index_offset, 8);
		memcpy(section + 30, &cases[i].n, 8);
		memcpy(section + 38, "PIPAFILE", 8);
		CHECK_EQ(pipa_kept_files_open(&bytes, 0, sizeof(section), false, &pack),
			 cases[i].expected);
		pipa_bundle_files_free(pack);
		pack = NULL;
		CHECK_EQ(pipa_kept_files_open(&bytes, 1, sizeof(section), false, &pack), -EBADMSG);
		CHECK_EQ(pipa_kept_files_open(&bytes, 0, 23, false, &pack), -EBADMSG);
		section[40] ^= 1;
		CHECK_EQ(pipa_kept_files_open(&bytes, 0, sizeof(section), false, &pack), -EBADMSG);
	}
}
