/*
 * Line counters of a coverage build, kept in one file per program.
 *
 * At its end, a program with gcc's counters opens, locks, reads and writes a file for each of its source files: with
 * 660 of them that was 40 of the 100 ms of `pipa --version` under sanitizers, and tests run thousands of programs.
 * Here the counters are added to one file that all processes of a program map. tools/coverage then runs
 * each program once with PIPA_COVERAGE_WRITE set, which writes the files that gcov expects.
 *
 * The structures are those of libgcov in gcc 12 and 13 (gcc/libgcc, gcov-io.h); cmake/options.cmake leaves this
 * file out with other compilers, whose programs write all their files themselves.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct gcov_counters {
	unsigned int n;
	int64_t *values;
};

struct gcov_function {
	const struct gcov_file *key;
	unsigned int ident, line_checksum, graph_checksum;
	struct gcov_counters arcs;
};

struct gcov_file {
	unsigned int version;
	const struct gcov_file *next;
	unsigned int stamp, checksum;
	const char *name;
	void (*merge[8])(int64_t *counters, unsigned int n);
	unsigned int n_functions;
	const struct gcov_function *const *functions;
};

/* of libgcov; `dumped` makes the end of the program write nothing */
extern struct {
	const struct gcov_file *files;
	unsigned int dumped : 1;
	unsigned int run_counted : 1;
} __gcov_root __attribute__((visibility("hidden")));

void __gcov_dump(void);

/* A linker option requires it, so that this file is part of each program. */
extern const char pipa_coverage_counts;
const char pipa_coverage_counts;

typedef void (*visit_fn)(const struct gcov_counters *counters, void *context);

/* Visit the counters of all functions, in the same order in all processes of a program. */
static void each_function(visit_fn visit, void *context)
{
	const struct gcov_file *file;
	unsigned int i;

	for (file = __gcov_root.files; file; file = file->next)
		for (i = 0; i < file->n_functions; i++)
			/* a function that is in several objects is counted in one of them */
			if (file->functions[i] && file->functions[i]->key == file)
				visit(&file->functions[i]->arcs, context);
}

static void add_size(const struct gcov_counters *counters, void *context)
{
	*(size_t *)context += counters->n;
}

static void add_to_file(const struct gcov_counters *counters, void *context)
{
	int64_t **kept = context;
	unsigned int i;

	for (i = 0; i < counters->n; i++, (*kept)++)
		if (counters->values[i])
			__atomic_fetch_add(*kept, counters->values[i], __ATOMIC_RELAXED);
}

static void add_from_file(const struct gcov_counters *counters, void *context)
{
	int64_t **kept = context;
	unsigned int i;

	for (i = 0; i < counters->n; i++)
		counters->values[i] += *(*kept)++;
}

/* Map the file of this program, named by a hash of what it was built from; NULL without one. */
static int64_t *map_counts(size_t n, int flags)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	const struct gcov_file *file;
	void *counts = MAP_FAILED;
	char path[4096];
	int fd;

	for (file = __gcov_root.files; file; file = file->next) {
		hash = (hash ^ file->stamp) * UINT64_C(1099511628211);
		hash = (hash ^ file->checksum) * UINT64_C(1099511628211);
	}
	snprintf(path, sizeof(path), "%s/%016llx.counts", PIPA_COVERAGE_DIR,
		 (unsigned long long)hash);
	fd = open(path, O_RDWR | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return NULL;
	if (!(flags & O_CREAT) || ftruncate(fd, (off_t)(n * sizeof(int64_t))) == 0)
		counts = mmap(NULL, n * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return counts == MAP_FAILED ? NULL : counts;
}

/* Before main: all source files have registered their counters by then. */
__attribute__((constructor(101))) static void write_counts(void)
{
	int64_t *counts;
	size_t n = 0;

	if (!getenv("PIPA_COVERAGE_WRITE"))
		return;
	each_function(add_size, &n);
	counts = n ? map_counts(n, 0) : NULL;
	if (counts) {
		each_function(add_from_file, &counts);
		__gcov_dump();
	}
	_exit(0);
}

/* After all other destructors, before those of libgcov. What cannot be kept here is written as ever. */
__attribute__((destructor(101))) static void keep_counts(void)
{
	int64_t *counts, *next;
	size_t n = 0;

	each_function(add_size, &n);
	counts = n ? map_counts(n, O_CREAT) : NULL;
	if (!counts)
		return;
	next = counts;
	each_function(add_to_file, &next);
	munmap(counts, n * sizeof(int64_t));
	__gcov_root.dumped = 1;
}
