#include "job/view/source_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "locate/files.h"

struct pipa_source_file {
	char *path;
	struct pipa_span text; /* empty: not available */
	struct {
		size_t *items;
		size_t n, cap;
	} starts; /* of lines */
};

void pipa_source_texts_done(struct pipa_source_texts *sources)
{
	size_t i;

	for (i = 0; i < sources->files.n; i++) {
		free(sources->files.items[i].path);
		free(sources->files.items[i].starts.items);
		pipa_locate_unmap(&sources->files.items[i].text);
	}
	free(sources->files.items);
	*sources = (struct pipa_source_texts){ 0 };
}

static void find_starts(struct pipa_source_file *file)
{
	const uint8_t *at = file->text.data, *end = at + file->text.size;
	size_t *slot;

	while (at && at < end) {
		slot = PIPA_VEC_ADD(&file->starts);
		if (!slot)
			return;
		*slot = (size_t)(at - file->text.data);
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : end;
	}
}

/* Map a source file. Relative paths are skipped: they refer to the compiler's directory. */
static void open_file(const struct pipa_source_texts *sources, struct pipa_source_file *file)
{
	char path[PATH_MAX];

	if (file->path[0] != '/')
		return;
	snprintf(path, sizeof(path), "%s%s", sources->symfs ? sources->symfs : "", file->path);
	if (pipa_locate_map(path, &file->text) ||
	    (sources->symfs && pipa_locate_map(file->path, &file->text)))
		find_starts(file);
}

static struct pipa_source_file *find_file(struct pipa_source_texts *sources, const char *path)
{
	struct pipa_source_file *file;
	size_t i;

	for (i = 0; i < sources->files.n; i++)
		if (strcmp(sources->files.items[i].path, path) == 0)
			return &sources->files.items[i];
	file = PIPA_VEC_ADD(&sources->files);
	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path) {
		sources->files.n--;
		return NULL;
	}
	open_file(sources, file);
	return file;
}

const char *pipa_source_texts_line(struct pipa_source_texts *sources, const char *path,
				   uint32_t number, size_t *ret_len)
{
	const struct pipa_source_file *file = find_file(sources, path);
	size_t start, end;

	if (!file || !number || number > file->starts.n)
		return NULL;
	start = file->starts.items[number - 1];
	end = number < file->starts.n ? file->starts.items[number] : file->text.size;
	while (end > start &&
	       (file->text.data[end - 1] == '\n' || file->text.data[end - 1] == '\r'))
		end--;
	*ret_len = end - start;
	return (const char *)file->text.data + start;
}
