/*
 * The least that a monitor can do: keep files open and pread() them whole at every tick.
 *
 *	bare_pread MILLISECONDS TICKS FILE...
 *
 * Buffers are as large as the files were at first, with some room; reads that would only say "end" are
 * not made. Files that are not there are passed over.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FILES = 64, MOST = 1 << 24 };

struct file {
	int fd;
	char *data;
	size_t size;
	unsigned int calls; /* that return something */
};

/* How long it is and how many calls that takes; false where nothing can be read. */
static int size_up(struct file *file, const char *path)
{
	static char all[MOST];
	size_t total = 0;
	ssize_t n;

	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return 0;
	while ((n = pread(file->fd, all + total, sizeof(all) - total, (off_t)total)) > 0) {
		total += (size_t)n;
		file->calls++;
	}
	file->size = total + total / 4 + 128;
	file->data = malloc(file->size);
	return n == 0 && total > 0 && file->data;
}

static void read_whole(struct file *file)
{
	size_t total = 0;
	unsigned int i;
	ssize_t n = 1;

	for (i = 0; i < file->calls && n > 0 && total < file->size; i++) {
		n = pread(file->fd, file->data + total, file->size - total, (off_t)total);
		total += n > 0 ? (size_t)n : 0;
	}
}

static void sleep_until(struct timespec *when, long ms)
{
	when->tv_nsec += ms % 1000 * 1000000;
	when->tv_sec += ms / 1000 + when->tv_nsec / 1000000000;
	when->tv_nsec %= 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, when, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	static struct file files[MAX_FILES];
	struct timespec when;
	long ms = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
	long ticks = argc > 3 ? strtol(argv[2], NULL, 10) : 0, tick;
	size_t n = 0, k;
	int i;

	if (ms <= 0 || ticks <= 0) {
		fprintf(stderr, "usage: bare_pread MILLISECONDS TICKS FILE...\n");
		return 2;
	}
	for (i = 3; i < argc && n < MAX_FILES; i++) {
		files[n] = (struct file){ 0 };
		n += size_up(&files[n], argv[i]) != 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &when);
	for (tick = 0; tick < ticks; tick++) {
		sleep_until(&when, ms);
		for (k = 0; k < n; k++)
			read_whole(&files[k]);
	}
	return 0;
}
