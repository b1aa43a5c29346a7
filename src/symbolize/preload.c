/* Decompress debug files before they are needed. */
#include <errno.h>

#include "base/thread/parallel.h"
#include "symbolize/debug_info.h"
#include "symbolize/symbolize_own.h"

enum {
	FILES_MAX = 64,		    /* limit of files open at the same time */
	DECOMPRESSED_MAX = 32 << 20 /* limit of a file's size: its content stays in memory */
};

static bool is_file(const struct pipa_symbolizer *s, uint32_t object)
{
	enum pipa_object_kind kind = s->p->objects.items[object].kind;

	return kind == PIPA_OBJECT_FILE || kind == PIPA_OBJECT_VDSO;
}

static size_t debug_size(const struct pipa_code_file *file)
{
	const struct pipa_located *located = pipa_code_file_located(file);

	return located->debug.size ? located->debug.size : located->main.size;
}

/* Return the largest file within the limit that no thread decompresses; NULL if there is none. */
static struct pipa_debug_info *find_largest(struct pipa_code_file **files, size_t n)
{
	struct pipa_debug_info *found = NULL, *info;
	size_t size = 0, i;

	for (i = 0; i < n; i++) {
		if (pipa_code_file_debug_info(files[i], &info) < 0 || info->thread.running ||
		    debug_size(files[i]) > DECOMPRESSED_MAX || !pipa_dwarf_packed(info->dwarf) ||
		    debug_size(files[i]) <= size)
			continue;
		found = info;
		size = debug_size(files[i]);
	}
	return found;
}

int pipa_symbolizer_preload(struct pipa_symbolizer *s)
{
	unsigned int threads = pipa_parallel_width() - 1;
	const struct pipa_location *all = s->p->locations.items;
	struct pipa_code_file *files[FILES_MAX];
	struct pipa_debug_info *info;
	size_t i, n = 0;

	if (!threads || s->lines == PIPA_LINES_NONE)
		return 0;
	for (i = 0; i < s->n_wanted && n < FILES_MAX; i++) {
		uint32_t object = all[s->wanted[i]].object;

		if ((i && all[s->wanted[i - 1]].object == object) || !is_file(s, object))
			continue;
		files[n] = pipa_code_files_get(s->files, object);
		if (!files[n] || pipa_symbolizer_open_info(s, files[n], &info) == -ENOMEM)
			return -ENOMEM;
		n++;
	}
	while (threads-- && (info = find_largest(files, n)))
		pipa_debug_info_begin(info);
	return 0;
}
