/*
 * How many frames a second one core unwinds: the helper of unwind.sh.
 *
 *	unwind FOLDER ARCH [SECONDS]    the stops of tests/data/unwind, again and again
 *	unwind FILE                     opening a file, its first row, and all of its rows once
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "lib/unwind_fixture.h"
#include "unwind/cfi.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum { MOST = 256 };

/* Of this thread: others are not to be counted. */
static uint64_t cpu_ns(void)
{
	return pipa_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

static size_t walk_all(struct unwind_fixture *f, struct pipa_unwinder *unwinder)
{
	static uint64_t addrs[MOST];
	static uint8_t flags[MOST];
	struct pipa_unwind_frames frames = { .addrs = addrs, .flags = flags, .max = MOST };
	struct pipa_unwind_result result;
	size_t i, n = 0;

	for (i = 0; i < f->stops.n; i++) {
		struct pipa_unwind_input in = unwind_fixture_input(f, &f->stops.items[i]);

		pipa_unwind(unwinder, &in, &frames, &result);
		n += result.n;
	}
	return n;
}

static int bench_fixture(const char *folder, const char *name, double seconds)
{
	const struct pipa_unwind_arch *arch = pipa_unwind_arch_named(name);
	struct pipa_unwinder *unwinder = arch ? pipa_unwinder_new(arch) : NULL;
	struct unwind_fixture f;
	uint64_t start, first, took = 0;
	size_t once, frames = 0;

	if (!unwinder) {
		fprintf(stderr, "unwind: no architecture %s\n", name);
		return 2;
	}
	unwind_fixture_read(&f, folder, arch);
	start = cpu_ns();
	once = walk_all(&f, unwinder);
	first = cpu_ns() - start;
	start = cpu_ns();
	while ((double)took < seconds * 1e9) {
		frames += walk_all(&f, unwinder);
		took = cpu_ns() - start;
	}
	printf("%s: %.1f million frames a second (%zu stops, %zu frames; the first time %.1f)\n",
	       name, (double)frames * 1e3 / (double)took, f.stops.n, once,
	       (double)once * 1e3 / (double)first);
	unwind_fixture_done(&f);
	pipa_unwinder_free(unwinder);
	return 0;
}

struct rows {
	const struct pipa_unwind_arch *arch;
	uint64_t middle;
	size_t n;
};

static int count_row(void *ctx, const struct pipa_row *row)
{
	struct rows *rows = ctx;

	(void)row;
	rows->n++;
	return 0;
}

static int count_rows(void *ctx, const struct pipa_cfi *cfi, const struct pipa_fde *fde)
{
	struct rows *rows = ctx;

	rows->middle = fde->start + (fde->end - fde->start) / 2;
	pipa_rows_each(rows->arch, cfi, fde, count_row, rows);
	return 0;
}

static int bench_file(const char *path)
{
	struct pipa_unwind_files files = { 0 };
	struct pipa_unwind_table *table = NULL;
	struct rows rows = { 0 };
	struct pipa_row row;
	uint64_t start, opened, walked, asked;
	struct stat st = { 0 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &st) == 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		perror(path);
		return 1;
	}
	files.main = (struct pipa_span){ map, (size_t)st.st_size };
	start = cpu_ns();
	if (pipa_unwind_table_new(&files, &table, NULL) < 0)
		return 1;
	opened = cpu_ns() - start;
	rows.arch = pipa_unwind_table_arch(table);
	start = cpu_ns();
	pipa_unwind_table_each(table, 1, count_rows, &rows);
	walked = cpu_ns() - start;
	start = cpu_ns();
	pipa_unwind_table_row(table, rows.middle, &row);
	asked = cpu_ns() - start;
	printf("%s: opened in %.3f ms, a row in %.3f us, all %zu rows of %zu FDEs in %.1f ms\n",
	       path, (double)opened / 1e6, (double)asked / 1e3, rows.n,
	       pipa_unwind_table_count(table), (double)walked / 1e6);
	pipa_unwind_table_free(table);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2)
		return bench_file(argv[1]);
	if (argc < 3) {
		fprintf(stderr, "usage: unwind FOLDER ARCH [SECONDS] | unwind FILE\n");
		return 2;
	}
	return bench_fixture(argv[1], argv[2], argc > 3 ? strtod(argv[3], NULL) : 1);
}
