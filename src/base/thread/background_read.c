#include "base/thread/background_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/thread/worker.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PIECE = 256 << 10, MOST = 1 << 30 };

struct pipa_background_read {
	struct pipa_worker thread;
	const char *path; /* NULL: read fd, which the thread owns */
	int fd;
	atomic_bool stop;
	struct pipa_buf text; /* with status: written by the thread until it is joined */
	int status;
};

/* Allocate the memory of a regular file at once: faults of single pages take longer than reading. */
static void reserve_text(struct pipa_buf *text, int fd)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	struct stat st;
	char *room, *start;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size < PIECE ||
	    st.st_size > MOST / 2)
		return;
	room = pipa_buf_room(text, (size_t)st.st_size + PIECE);
	if (!room)
		return;
	start = room - ((uintptr_t)room & (page - 1));
	madvise(start, (size_t)(room + st.st_size - start),
		MADV_POPULATE_WRITE); /* fails before Linux 5.14: as slow as before */
}

static int read_all(struct pipa_background_read *job)
{
	PIPA_AUTO(pipa_fd_close)
	int fd = job->path ? open(job->path, O_RDONLY | O_CLOEXEC) : job->fd;
	char *room;
	ssize_t n;

	if (fd < 0)
		return -errno;
	reserve_text(&job->text, fd);
	while ((room = pipa_buf_room(&job->text, PIECE))) {
		n = read(fd, room, PIECE);
		if (atomic_load_explicit(&job->stop, memory_order_relaxed))
			return -ECANCELED;
		if (n == 0)
			return 0;
		if (n > 0)
			pipa_buf_wrote(&job->text, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return job->text.status;
}

static void read_in_background(void *ctx)
{
	struct pipa_background_read *job = ctx;

	job->status = read_all(job);
}

static struct pipa_background_read *begin(const char *path, int fd)
{
	struct pipa_background_read *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->path = path;
	job->fd = fd;
	job->text.max = MOST;
	if (pipa_worker_start(&job->thread, "pipa-read", PIPA_WORKER_STACK_IO, read_in_background,
			      job) == 0)
		return job;
	free(job);
	return NULL;
}

struct pipa_background_read *pipa_background_read_start(const char *path)
{
	return begin(path, -1);
}

struct pipa_background_read *pipa_background_read_start_fd(int fd)
{
	struct pipa_background_read *job = begin(NULL, fd);

	if (!job)
		pipa_fd_close(fd);
	return job;
}

int pipa_background_read_take(struct pipa_background_read *job, struct pipa_buf *ret)
{
	pipa_worker_join(&job->thread);
	if (job->status < 0)
		return job->status;
	*ret = job->text;
	job->text = (struct pipa_buf){ 0 };
	return 0;
}

void pipa_background_read_free(struct pipa_background_read *job)
{
	if (!job)
		return;
	atomic_store(&job->stop, true);
	pipa_worker_join(&job->thread);
	pipa_buf_done(&job->text);
	free(job);
}
