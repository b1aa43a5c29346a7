#include "locate/mapped_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "lib/test.h"
#include "locate/files.h"

PIPA_DEFINE_AUTO(pipa_mapped_files_free, struct pipa_mapped_files *)

/* A file of some bytes in a directory of its own, and its identity. */
struct own_file {
	char dir[64], path[96];
	struct pipa_file_id id;
	struct pipa_file_mapping mapping;
};

static void set_identity(struct own_file *f)
{
	struct stat st;

	CHECK_EQ(stat(f->path, &st), 0);
	f->id = (struct pipa_file_id){ major(st.st_dev), minor(st.st_dev), st.st_ino, 0 };
	f->mapping = (struct pipa_file_mapping){ .pid = (uint32_t)getpid(),
						 .start = 0x1000,
						 .end = 0x2000,
						 .path = f->path,
						 .file = f->id };
}

static void write_file(const struct own_file *f)
{
	PIPA_AUTO(pipa_fd_close) int fd = open(f->path, O_CREAT | O_EXCL | O_WRONLY, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(write(fd, "content", 7), 7);
}

static void make_file(struct own_file *f)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(f->dir, sizeof(f->dir), "%.40s/mapped.XXXXXX", tmp ? tmp : "/tmp");
	CHECK(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/file", f->dir);
	write_file(f);
	set_identity(f);
}

static void remove_file(const struct own_file *f)
{
	unlink(f->path);
	rmdir(f->dir);
}

TEST(file_at_its_path_is_verified_and_not_kept_open)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	const struct pipa_mapped_file *file;
	struct own_file own;

	make_file(&own);
	file = pipa_mapped_files_add(files, &own.mapping);
	CHECK(file);
	CHECK_EQ(file->state, PIPA_MAPPED_VERIFIED);
	CHECK(!file->outside);
	CHECK_EQ(file->fd, -1);
	CHECK_EQ(file->build_id_len, 0);
	CHECK(pipa_mapped_files_add(files, &own.mapping) == file);
	CHECK_EQ(pipa_mapped_files_count(files), 1);
	remove_file(&own);
}

TEST(another_file_at_the_path_is_not_taken_for_it)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	const struct pipa_mapped_file *file;
	struct own_file own;

	make_file(&own);
	own.mapping.file.inode++;
	file = pipa_mapped_files_add(files, &own.mapping);
	CHECK(file);
	CHECK_EQ(file->state, PIPA_MAPPED_OTHER_FILE);
	own.mapping.path = "/no/such/file";
	file = pipa_mapped_files_add(files, &own.mapping);
	CHECK(file);
	CHECK_EQ(file->state, PIPA_MAPPED_NOT_FOUND);
	CHECK_EQ(pipa_mapped_files_count(files), 2);
	remove_file(&own);
}

TEST(deleted_file_is_opened_by_its_mapping_and_stays_open)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(1);
	const struct pipa_mapped_file *file;
	struct own_file own;
	char bytes[8] = "";
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *base;
	int fd;

	if (geteuid() != 0)
		SKIP("only root may open map_files");
	make_file(&own);
	fd = open(own.path, O_RDONLY | O_CLOEXEC);
	base = mmap(NULL, page, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(base != MAP_FAILED);
	close(fd);
	unlink(own.path);
	own.mapping.start = (uint64_t)(uintptr_t)base;
	own.mapping.end = own.mapping.start + page;
	file = pipa_mapped_files_add(files, &own.mapping);
	CHECK(file);
	CHECK_EQ(file->state, PIPA_MAPPED_VERIFIED);
	CHECK(file->outside);
	munmap(base, page);
	CHECK(file->fd >= 0);
	CHECK_EQ(pread(file->fd, bytes, sizeof(bytes), 0), 7);
	CHECK_STR(bytes, "content");
	CHECK(pipa_mapped_files_find(files, own.path, (struct pipa_span){ 0 }, &own.id) == file);
	remove_file(&own);
}

TEST(ended_process_is_looked_at_through_its_parent)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	const struct pipa_mapped_file *file;
	struct own_file own;
	pid_t child;
	int status;

	make_file(&own);
	child = fork();
	if (child == 0)
		_exit(0);
	CHECK_EQ(waitpid(child, &status, 0), child);
	own.mapping.pid = (uint32_t)child;
	pipa_mapped_files_fork(files, (uint32_t)child, (uint32_t)getpid());
	file = pipa_mapped_files_add(files, &own.mapping);
	CHECK(file);
	CHECK_EQ(file->state, PIPA_MAPPED_VERIFIED);
	remove_file(&own);
}

TEST(memory_and_devices_are_not_files)
{
	static const char *const paths[] = {
		"//anon",    "[vdso]",	      "/memfd:code (deleted)",
		"/dev/zero", "/SYSV00000000", "/anon_hugepage (deleted)",
		""
	};
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	struct pipa_file_mapping mapping = { .pid = 1, .file = { .inode = 7 } };
	size_t i;

	for (i = 0; i < PIPA_COUNT(paths); i++) {
		mapping.path = paths[i];
		CHECK(!pipa_mapped_files_add(files, &mapping));
	}
	mapping.path = "/usr/bin/file";
	mapping.file.inode = 0;
	CHECK(!pipa_mapped_files_add(files, &mapping));
}

/* Look for the file of an own_file by its path and identity only. */
static struct pipa_located locate(const struct own_file *own, bool same_host)
{
	const struct pipa_locate_options options = { .same_host = same_host };
	const struct pipa_wanted_file wanted = { .path = own->path, .file = own->mapping.file };
	struct pipa_located located;

	pipa_locate(&options, &wanted, &located);
	pipa_located_done(&located);
	return located;
}

TEST(file_without_a_build_id_is_compared_by_inode)
{
	struct own_file own;

	make_file(&own);
	CHECK_EQ(locate(&own, true).state, PIPA_LOCATED);
	CHECK(!locate(&own, true).unverified);
	own.mapping.file.minor++; /* mounted again */
	CHECK_EQ(locate(&own, true).state, PIPA_LOCATED);
	CHECK(locate(&own, true).unverified);
	own.mapping.file.inode++;
	CHECK_EQ(locate(&own, true).state, PIPA_LOCATE_OTHER);
	CHECK_EQ(locate(&own, false).state, PIPA_LOCATED); /* of another machine */
	CHECK(locate(&own, false).unverified);
	own.mapping.file.inode = 0; /* nothing is known */
	CHECK_EQ(locate(&own, true).state, PIPA_LOCATED);
	remove_file(&own);
	CHECK_EQ(locate(&own, true).state, PIPA_LOCATE_NO_FILE);
}

TEST(mapped_file_takes_precedence_over_its_path)
{
	PIPA_AUTO(pipa_mapped_files_free)
	struct pipa_mapped_files *files = pipa_mapped_files_new(4);
	const struct pipa_locate_options options = { .mapped = files };
	struct pipa_wanted_file wanted = { 0 };
	struct pipa_located located;
	struct own_file own;

	make_file(&own);
	own.mapping.file.inode++;
	CHECK(pipa_mapped_files_add(files, &own.mapping));
	wanted.path = own.path;
	wanted.file = own.mapping.file;
	pipa_locate(&options, &wanted, &located);
	CHECK_EQ(located.state, PIPA_LOCATE_OTHER);
	pipa_located_done(&located);
	remove_file(&own);
}
