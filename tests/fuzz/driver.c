/* Runs a fuzz target over files and directories of files: the kept corpora as plain tests. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int run_file(const char *path)
{
	FILE *file = fopen(path, "rbe");
	uint8_t *data = malloc(1 << 20);
	size_t size;

	if (!file || !data) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	size = fread(data, 1, 1 << 20, file);
	fclose(file);
	data = realloc(data, size ? size : 1); /* exact, so that a read past the end is seen */
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static unsigned int run_path(const char *path)
{
	char name[4096];
	struct dirent *entry;
	unsigned int n = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return run_file(path);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
			n += run_path(name);
		}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	unsigned int n = 0;
	int i;

	for (i = 1; i < argc; i++)
		n += run_path(argv[i]);
	printf("%u inputs\n", n);
	return n ? 0 : 1; /* an empty corpus proves nothing */
}
