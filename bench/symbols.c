/*
 * Builds a symbol table from a file and says how long that took: the helper of symbols.sh.
 *
 *	symbols object|kallsyms FILE [TIMES]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/file.h"
#include "symbol/table/image.h"
#include "symbol/table/kallsyms.h"
#include "symbol/table/table.h"

static size_t build_object(struct pipa_span file)
{
	PIPA_AUTO(pipa_image_free) struct pipa_image *object = NULL;

	if (pipa_image_new(&(struct pipa_image_files){ .main = file }, &object, NULL) < 0)
		return 0;
	return pipa_symbols_count(pipa_image_symbols(object));
}

static size_t build_kallsyms(struct pipa_span file)
{
	struct pipa_kallsyms kallsyms;
	size_t n;

	if (pipa_kallsyms_decode((const char *)file.data, file.size, &kallsyms) < 0)
		return 0;
	n = pipa_symbols_count(kallsyms.symbols);
	pipa_symbols_free(kallsyms.symbols);
	return n;
}

/* A map where there is one, as symbols are read; /proc/kallsyms has none. */
static struct pipa_span open_file(const char *path)
{
	static struct pipa_buf buf = { .max = 1 << 30 };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st = { 0 };
	void *map;

	if (fd < 0 || fstat(fd, &st) < 0)
		return (struct pipa_span){ NULL, 0 };
	if (st.st_size > 0) {
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED)
			return (struct pipa_span){ map, (size_t)st.st_size };
	}
	if (pipa_file_read(path, &buf, NULL) < 0)
		return (struct pipa_span){ NULL, 0 };
	return (struct pipa_span){ (const uint8_t *)buf.data, buf.len };
}

int main(int argc, char **argv)
{
	size_t (*build)(struct pipa_span);
	struct pipa_span file;
	uint64_t start, best = UINT64_MAX;
	size_t n = 0;
	long times;

	if (argc < 3) {
		fprintf(stderr, "usage: symbols object|kallsyms FILE [TIMES]\n");
		return 2;
	}
	build = strcmp(argv[1], "kallsyms") == 0 ? build_kallsyms : build_object;
	file = open_file(argv[2]);
	for (times = argc > 3 ? strtol(argv[3], NULL, 10) : 1; times > 0; times--) {
		start = pipa_clock_ns();
		n = build(file);
		start = pipa_clock_ns() - start;
		if (start < best)
			best = start;
	}
	printf("%s: %zu symbols of %zu bytes in %.2f ms\n", argv[2], n, file.size,
	       (double)best / 1e6);
	return n ? 0 : 1;
}
