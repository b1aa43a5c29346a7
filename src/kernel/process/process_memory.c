#include "kernel/process/process_memory.h"

#include <sys/uio.h>
#include <unistd.h>

enum { PIECES = 32, PAGE = 4096 };

/* The kernel copies whole pieces only: one per page, so that what lies before a hole is read. */
size_t pipa_process_read(uint32_t pid, uint64_t addr, void *to, size_t size)
{
	struct iovec local = { to, size }, remote[PIECES];
	size_t n = 0, asked = 0;
	ssize_t got;

	while (asked < size && n < PIECES) {
		size_t piece = PAGE - (size_t)((addr + asked) % PAGE);

		if (piece > size - asked)
			piece = size - asked;
		/* an address of the other process */
		remote[n].iov_base = (void *)(uintptr_t)(addr + asked); // NOLINT
		remote[n++].iov_len = piece;
		asked += piece;
	}
	local.iov_len = asked;
	got = process_vm_readv((pid_t)pid, &local, 1, remote, n, 0);
	return got > 0 ? (size_t)got : 0;
}
