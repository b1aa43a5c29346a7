#include "lib/golden.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"

const char *golden_data(void)
{
	return PIPA_TEST_DATA;
}

static size_t read_whole(const char *path, char *buf, size_t size)
{
	FILE *file = fopen(path, "re");
	size_t n;

	if (!file)
		pipa_test_fail(__FILE__, __LINE__, "open %s: %s (PIPA_UPDATE_GOLDEN=1 writes it)",
			       path, strerror(errno));
	n = fread(buf, 1, size - 1, file);
	if (ferror(file) || n == size - 1)
		pipa_test_fail(__FILE__, __LINE__, "read %s: too long, or an error", path);
	fclose(file);
	buf[n] = '\0';
	return n;
}

static void write_whole(const char *path, const char *text, size_t len)
{
	FILE *file = fopen(path, "we");

	if (!file || fwrite(text, 1, len, file) != len || fclose(file) != 0)
		pipa_test_fail(__FILE__, __LINE__, "write %s: %s", path, strerror(errno));
}

void golden_check(const char *name, const char *text, size_t len, const char *file, int line)
{
	static char kept[1 << 20];
	const char *update = getenv("PIPA_UPDATE_GOLDEN");
	char path[PATH_MAX];
	size_t n, i, lines = 1, start = 0;

	snprintf(path, sizeof(path), "%s/%s", golden_data(), name);
	if (update && update[0]) {
		write_whole(path, text, len);
		pipa_test_fail(file, line,
			       "%s was written; look at it, and run again without "
			       "PIPA_UPDATE_GOLDEN",
			       name);
	}
	n = read_whole(path, kept, sizeof(kept));
	if (n == len && memcmp(kept, text, n) == 0)
		return;
	for (i = 0; i < n && i < len && kept[i] == text[i]; i++)
		if (kept[i] == '\n') {
			lines++;
			start = i + 1;
		}
	pipa_test_fail(file, line,
		       "not %s from its line %zu on; there it has\n%.*s\nhere it is\n%.*s", name,
		       lines, (int)strcspn(kept + start, "\n"), kept + start,
		       (int)strcspn(text + start, "\n"), text + start);
}
