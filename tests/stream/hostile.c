/*
 * hostile TIMES FILE...: each recording cut at TIMES places and with bytes changed at as many,
 * always the same ones, given to report, script and fold. None may crash, hang or take memory
 * without end (the calling script checks that too); a failure has a message, and occurs only if
 * nothing can be read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file/file.h"
#include "job/view/fold.h"
#include "job/view/report.h"
#include "job/view/script.h"

enum {
	MOST_SECONDS = 60,     /* for one look at one file of some hundred kB: far too long */
	MOST_RSS_KB = 2 << 20, /* includes memory that a sanitizer keeps */
};

static int null_fd;
static const char *name, *change;
static size_t place;
static char path[64];
static bool noted;

static void on_note(void *ctx PIPA_UNUSED, enum pipa_log_level level PIPA_UNUSED, const char *text)
{
	noted |= text[0] != '\0';
}

static void fail(const char *who, const char *what)
{
	printf("%s of %s, %s at %zu: %s\n", who, name, change, place, what);
	exit(1);
}

static const struct pipa_load_options load = {
	.path = path,
	.symbols = { .symfs = "/nowhere",
		     .debug_dir = "/nowhere",
		     .cache_dir = "/nowhere",
		     .kallsyms = "/dev/null",
		     .map_dir = "/nowhere" },
};

static int report(bool stats, struct pipa_buf *out, struct pipa_error *err)
{
	const struct pipa_report_options options = {
		.load = load,
		.top = { .keys = { PIPA_KEY_COMM, PIPA_KEY_OBJECT, PIPA_KEY_SYMBOL },
			 .n_keys = 3,
			 .children = true },
		.stats = stats,
		.header = true,
		.tree = true,
	};

	return pipa_report_run(&options, out, err);
}

static int script(bool json, struct pipa_error *err)
{
	struct pipa_script_options options = { .load = load, .json = json, .out_fd = null_fd };

	options.load.log.write = on_note;
	return pipa_script_run(&options, err);
}

static int fold(struct pipa_error *err)
{
	return pipa_fold_run(&(struct pipa_fold_options){ .path = path,
							  .out_fd = null_fd,
							  .log.write = on_note },
			     err);
}

/* All of them agree on whether there is something, and a refusal has a message. */
static void agree(const char *who, int rc, int stats_rc, const struct pipa_error *err)
{
	if (rc < 0 && !err->what[0])
		fail(who, "failed without a word");
	if ((rc < 0) != (stats_rc < 0))
		fail(who, rc < 0 ? err->what : "reads what report --stats cannot");
}

static void look_at(void)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 1 << 30 };
	struct pipa_error err = { 0 };
	struct rusage usage;
	int rc;

	alarm(MOST_SECONDS);
	rc = report(true, &out, &err);
	agree("report --stats", rc, rc, &err);
	err = (struct pipa_error){ 0 };
	agree("report", report(false, &out, &err), rc, &err);
	err = (struct pipa_error){ 0 };
	agree("script", script(false, &err), rc, &err);
	err = (struct pipa_error){ 0 };
	agree("script --json", script(true, &err), rc, &err);
	err = (struct pipa_error){ 0 };
	agree("fold", fold(&err), rc, &err);
	alarm(0);
	getrusage(RUSAGE_SELF, &usage);
	if (usage.ru_maxrss > MOST_RSS_KB)
		fail("all", "took too much memory");
}

static void write_file(int fd, const void *bytes, size_t len)
{
	if (ftruncate(fd, 0) < 0 || pwrite(fd, bytes, len, 0) != (ssize_t)len)
		fail("test", "cannot be written");
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A bit, a byte or a number, for half of them in what is read first. */
static void damage(char *bytes, size_t len, uint64_t *state)
{
	static const uint64_t numbers[] = { 0, 1, 8, 0xffff, UINT32_MAX, INT64_MAX, UINT64_MAX };
	uint64_t r = next_random(state);
	size_t n = len < 600 || r & 1 ? len : 600;

	place = next_random(state) % n;
	switch (r >> 1 & 3) {
	case 0: bytes[place] = (char)(r >> 8); break;
	case 1: bytes[place] = (char)(bytes[place] ^ 1 << (r >> 8 & 7)); break;
	default:
		place &= ~(size_t)7;
		memcpy(bytes + place, &numbers[(r >> 8) % PIPA_COUNT(numbers)],
		       len - place < 8 ? len - place : 8);
	}
}

static void torture(int fd, const struct pipa_buf *whole, size_t times)
{
	uint64_t state = 0x9e3779b97f4a7c15 ^ whole->len;
	PIPA_AUTO(free) char *copy = malloc(whole->len + 1);
	size_t i, k;

	change = "cut";
	for (i = 0; i <= times; i++) {
		place = whole->len * i / times;
		write_file(fd, whole->data, place);
		look_at();
	}
	change = "changed";
	for (i = 0; i < times; i++) {
		memcpy(copy, whole->data, whole->len);
		for (k = 0; k <= i % 3; k++)
			damage(copy, whole->len, &state);
		write_file(fd, copy, whole->len);
		look_at();
	}
}

int main(int argc, char **argv)
{
	size_t times = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int fd = memfd_create("hostile", 0), i;

	null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (!times || fd < 0 || null_fd < 0)
		return 2;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (i = 2; i < argc; i++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf whole = { .max = 1 << 28 };

		name = argv[i];
		if (pipa_file_read(name, &whole, NULL) < 0 || !whole.len)
			return 2;
		torture(fd, &whole, times);
		printf("%s: survived\n", name);
	}
	close(fd);
	close(null_fd);
	return noted ? 0 : 1; /* some of the corruption must have been reported */
}
