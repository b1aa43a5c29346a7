#include "base/file/file_map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/file/bytes.h"
#include "base/file/file.h"
#include "base/thread/parallel.h"
#include "lib/test.h"

enum { PAGES = 8 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Make a file of PAGES pages of 'x' in the directory of the test and open it. */
static int make_file(const char *name)
{
	char path[300];
	int fd;
	size_t i;

	snprintf(path, sizeof(path), "%s/%s", pipa_test_dir(), name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	for (i = 0; i < PAGES * page_size(); i++)
		CHECK_EQ(pwrite(fd, "x", 1, (off_t)i), 1);
	return fd;
}

struct notes {
	size_t n;
	char path[300];
};

static void add_note(void *ctx, const char *path)
{
	struct notes *notes = ctx;

	notes->n++;
	snprintf(notes->path, sizeof(notes->path), "%s", path);
}

static size_t sum(const uint8_t *data, size_t size)
{
	const volatile uint8_t *bytes = data;
	size_t i, n = 0;

	for (i = 0; i < size; i++)
		n += bytes[i] == 'x';
	return n;
}

TEST(a_truncated_file_reads_as_zeros_and_is_reported_once)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("cut");
	const size_t size = PAGES * page_size();
	const uint8_t *data, *again;
	struct notes notes = { 0 };

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	pipa_file_map_guard();
	data = pipa_file_map(fd, 0, size, MAP_PRIVATE);
	again = pipa_file_map(fd, 0, size, MAP_SHARED);
	CHECK(data && again);
	CHECK_EQ(sum(data, size), size);
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 0);
	CHECK_EQ(ftruncate(fd, (off_t)(3 * page_size())), 0);
	CHECK_EQ(sum(data, size), 3 * page_size());
	CHECK_EQ(sum(again, size), 3 * page_size());
	pipa_file_unmap(data, size);
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
	CHECK_EQ(notes.n, 1);
	CHECK_HAS(notes.path, "/cut");
	pipa_file_unmap(again, size);
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
}

TEST(a_range_may_begin_within_a_page)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("cut");
	struct notes notes = { 0 };
	const uint8_t *data;

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	CHECK_EQ(pwrite(fd, "y", 1, (off_t)page_size() + 10), 1);
	pipa_file_map_guard();
	data = pipa_file_map(fd, page_size() + 10, 2 * page_size(), MAP_PRIVATE);
	CHECK(data);
	CHECK_EQ(data[0], 'y');
	CHECK_EQ(ftruncate(fd, 10), 0);
	CHECK_EQ(sum(data, 2 * page_size()), 0);
	pipa_file_unmap(data, 2 * page_size());
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
}

TEST(many_ranges_are_kept_apart)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("whole");
	PIPA_AUTO(pipa_fd_close) int cut = make_file("cut");
	const uint8_t *data[1000], *last;
	struct notes notes = { 0 };
	size_t i, round;

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	pipa_file_map_guard();
	for (round = 0; round < 2; round++) {
		for (i = 0; i < 1000; i++)
			CHECK((data[i] = pipa_file_map(fd, 0, 2 * page_size(), MAP_PRIVATE)));
		last = pipa_file_map(cut, 0, PAGES * page_size(), MAP_PRIVATE);
		CHECK_EQ(ftruncate(cut, 0), 0);
		CHECK_EQ(sum(last, PAGES * page_size()), 0);
		for (i = 0; i < 1000; i++) {
			CHECK_EQ(sum(data[i], 2 * page_size()), 2 * page_size());
			pipa_file_unmap(data[i], 2 * page_size());
		}
		pipa_file_unmap(last, PAGES * page_size());
		CHECK_EQ(ftruncate(cut, (off_t)(PAGES * page_size())), 0);
	}
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
	CHECK_HAS(notes.path, "/cut");
}

struct shared {
	const uint8_t *data;
	size_t found[PIPA_PARALLEL_MAX];
};

static void sum_part(void *ctx, unsigned int part)
{
	struct shared *shared = ctx;

	shared->found[part] = sum(shared->data, PAGES * page_size());
}

TEST(threads_may_fault_on_the_same_truncated_page)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("cut");
	struct notes notes = { 0 };
	struct shared shared;
	unsigned int i, round;

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	pipa_file_map_guard();
	for (round = 0; round < 20; round++) {
		CHECK_EQ(ftruncate(fd, (off_t)(PAGES * page_size())), 0);
		shared.data = pipa_file_map(fd, 0, PAGES * page_size(), MAP_SHARED);
		CHECK(shared.data);
		CHECK_EQ(ftruncate(fd, (off_t)page_size()), 0);
		pipa_parallel(4, sum_part, &shared);
		for (i = 0; i < 4; i++)
			CHECK_EQ(shared.found[i], page_size());
		pipa_file_unmap(shared.data, PAGES * page_size());
	}
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
}

TEST(a_window_of_a_file_that_becomes_shorter_is_reported)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("cut");
	struct notes notes = { 0 };
	struct pipa_window window;
	struct pipa_bytes bytes;
	const uint8_t *data;

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	pipa_file_map_guard();
	pipa_file_bytes(&fd, &bytes);
	CHECK_EQ(pipa_window_init(&window, &bytes, 64 << 10), 0);
	data = pipa_window_get(&window, 0, 100);
	CHECK(data);
	if (data == window.room)
		SKIP("this kernel cannot populate mappings: files are read instead");
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(sum(data, 100), 0);
	pipa_window_done(&window);
	CHECK_EQ(pipa_file_map_truncated(add_note, &notes), 1);
	CHECK_HAS(notes.path, "/cut");
}

static int status_of(pid_t child)
{
	int status;

	CHECK_EQ(waitpid(child, &status, 0), child);
	return status;
}

static void default_action(void)
{
	signal(SIGBUS, SIG_DFL); /* a sanitizer has one of its own */
	pipa_file_map_guard();
}

TEST(a_bus_error_of_another_mapping_still_ends_the_process)
{
	PIPA_AUTO(pipa_fd_close) int fd = make_file("cut");
	int status;
	pid_t child = fork();

	NEED_REAL_KERNEL("SIGBUS of a truncated mapping");
	if (child == 0) {
		const uint8_t *data = mmap(NULL, page_size(), PROT_READ, MAP_PRIVATE, fd, 0);

		default_action();
		if (ftruncate(fd, 0) < 0)
			_exit(2);
		_exit(sum(data, page_size()) ? 3 : 4);
	}
	status = status_of(child);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGBUS);
}

TEST(a_bus_error_that_a_process_sends_still_ends_the_process)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		default_action();
		raise(SIGBUS);
		_exit(5);
	}
	status = status_of(child);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGBUS);
}

TEST(mapping_an_invalid_descriptor_is_an_error)
{
	errno = 0;
	CHECK(!pipa_file_map(-1, 0, 100, MAP_PRIVATE));
	CHECK_EQ(errno, EBADF);
	pipa_file_unmap(NULL, 0);
}
