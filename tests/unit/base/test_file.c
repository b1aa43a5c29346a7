#include "base/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "lib/test.h"

TEST(a_file_is_appended_whole)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	char path[300];

	pipa_test_file(pipa_test_dir(), "a", "one\ntwo\n");
	snprintf(path, sizeof(path), "%s/a", pipa_test_dir());
	pipa_buf_puts(&text, "zero\n");
	CHECK_EQ(pipa_file_read(path, &text, NULL), 0);
	CHECK_STR(pipa_buf_str(&text), "zero\none\ntwo\n");
}

TEST(a_file_past_the_ceiling_is_refused)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1000 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_file_read("/dev/zero", &text, &err), -EFBIG);
	CHECK_HAS(err.what, "cannot read /dev/zero: File too large");
}

TEST(a_missing_file_is_named)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_file_read("/nowhere/at/all", &text, &err), -ENOENT);
	CHECK_HAS(err.what, "open /nowhere/at/all");
	CHECK_EQ(pipa_file_read("/", &text, &err), -EISDIR);
	CHECK_HAS(err.what, "cannot read /: Is a directory");
}

TEST(a_failed_write_returns_its_errno)
{
	PIPA_AUTO(pipa_fd_close) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	if (full < 0)
		SKIP("no /dev/full");
	CHECK_EQ(pipa_file_write(full, "x", 1), -ENOSPC);
	CHECK_EQ(pipa_file_write(-1, "x", 1), -EBADF);
	CHECK_EQ(pipa_file_write(-1, "", 0), 0);
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Reads all, and stops the writer in the middle of its work. */
static void read_all(int from, pid_t writer, size_t *ret)
{
	unsigned char bytes[4096];
	size_t at = 0;
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		ssize_t i;

		if (at == 0)
			kill(writer, SIGUSR1);
		for (i = 0; i < n; i++, at++)
			if (bytes[i] != (unsigned char)(at % 251))
				_exit(1);
	}
	*ret = at;
}

TEST(pieces_are_written_whole_through_short_writes)
{
	enum { PIECES = 100, SIZE = 9973 };
	static unsigned char bytes[PIECES * SIZE];
	struct sigaction stop = { .sa_handler = on_signal }; /* write() is not begun again */
	struct iovec pieces[PIECES + 1];
	pid_t writer = getpid(), reader;
	int ends[2], status;
	size_t i, n = 0;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i % 251);
	for (i = 0; i < PIECES; i++)
		pieces[i] = (struct iovec){ bytes + i * SIZE, SIZE };
	pieces[PIECES] = (struct iovec){ bytes, 0 };
	CHECK_EQ(sigaction(SIGUSR1, &stop, NULL), 0);
	CHECK_EQ(pipe(ends), 0);
	reader = fork();
	CHECK(reader >= 0);
	if (!reader) {
		close(ends[1]);
		read_all(ends[0], writer, &n);
		_exit(n == sizeof(bytes) ? 0 : 2);
	}
	close(ends[0]);
	CHECK_EQ(pipa_file_write_pieces(ends[1], pieces, PIECES + 1), 0);
	close(ends[1]);
	CHECK_EQ(waitpid(reader, &status, 0), reader);
	CHECK_EQ(status, 0);
}

TEST(a_failed_write_of_pieces_returns_its_errno)
{
	PIPA_AUTO(pipa_fd_close) int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	char byte = 'x';
	struct iovec piece = { &byte, 1 };

	if (full < 0)
		SKIP("no /dev/full");
	CHECK_EQ(pipa_file_write_pieces(full, &piece, 1), -ENOSPC);
	CHECK_EQ(pipa_file_write_pieces(-1, &piece, 1), -EBADF);
	CHECK_EQ(pipa_file_write_pieces(-1, NULL, 0), 0);
}
