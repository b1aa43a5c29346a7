#include "base/background_read.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"

enum { PIECE = 64 << 10, MOST = 1 << 30 };

struct pipa_background_read {
	pthread_t thread;
	const char *path; /* NULL: it is open already, */
	int fd;		  /* and the thread's */
	atomic_bool stop;
	bool joined;
	struct pipa_buf text; /* the thread's until it is joined, like status */
	int status;
};

static int read_all(struct pipa_background_read *ahead)
{
	PIPA_AUTO(pipa_fd_close)
	int fd = ahead->path ? open(ahead->path, O_RDONLY | O_CLOEXEC) : ahead->fd;
	char *room;
	ssize_t n;

	if (fd < 0)
		return -errno;
	while ((room = pipa_buf_room(&ahead->text, PIECE))) {
		n = read(fd, room, PIECE);
		if (atomic_load_explicit(&ahead->stop, memory_order_relaxed))
			return -ECANCELED;
		if (n == 0)
			return 0;
		if (n > 0)
			pipa_buf_wrote(&ahead->text, (size_t)n);
		else if (errno != EINTR)
			return -errno;
	}
	return ahead->text.status;
}

static void *run(void *ctx)
{
	struct pipa_background_read *ahead = ctx;

	ahead->status = read_all(ahead);
	return NULL;
}

/* Signals are for the thread that was there before. */
static int start_thread(struct pipa_background_read *ahead)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&ahead->thread, NULL, run, ahead);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static struct pipa_background_read *begin(const char *path, int fd)
{
	struct pipa_background_read *ahead = calloc(1, sizeof(*ahead));

	if (!ahead)
		return NULL;
	ahead->path = path;
	ahead->fd = fd;
	ahead->text.max = MOST;
	if (start_thread(ahead) == 0)
		return ahead;
	free(ahead);
	return NULL;
}

struct pipa_background_read *pipa_background_read_start(const char *path)
{
	return begin(path, -1);
}

struct pipa_background_read *pipa_background_read_start_fd(int fd)
{
	struct pipa_background_read *ahead = begin(NULL, fd);

	if (!ahead)
		pipa_fd_close(fd);
	return ahead;
}

static void join(struct pipa_background_read *ahead)
{
	if (!ahead->joined)
		pthread_join(ahead->thread, NULL);
	ahead->joined = true;
}

int pipa_background_read_take(struct pipa_background_read *ahead, struct pipa_buf *ret)
{
	join(ahead);
	if (ahead->status < 0)
		return ahead->status;
	*ret = ahead->text;
	ahead->text = (struct pipa_buf){ 0 };
	return 0;
}

void pipa_background_read_free(struct pipa_background_read *ahead)
{
	if (!ahead)
		return;
	atomic_store(&ahead->stop, true);
	join(ahead);
	pipa_buf_done(&ahead->text);
	free(ahead);
}
