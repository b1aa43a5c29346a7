/* The half of symbolize that opens files, and has their debug information unpacked before it is needed. */
#include <errno.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "symbolize/symbolize_own.h"

enum { UNPACKED_MOST = 32 << 20 }; /* bytes of a file: what is in it waits in memory */

static bool is_file(const struct pipa_symbolizer *w, uint32_t object)
{
	enum pipa_object_kind kind = w->p->objects.items[object].kind;

	return kind == PIPA_OBJECT_FILE || kind == PIPA_OBJECT_VDSO;
}

static struct pipa_symbolizer_file *open_file(const struct pipa_symbolizer *w, uint32_t number)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	struct pipa_build_id id = pipa_symbolizer_build_id(w, object);
	struct pipa_wanted_file wanted = { pipa_profile_string(w->p, object->path), id.bytes,
					   id.len, object->file };
	struct pipa_symbolizer_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->object = number;
	file->status = -ENOENT;
	pipa_locate(&w->o->locate, &wanted, &file->located);
	if (w->o->lines != PIPA_LINES_NONE && file->located.state == PIPA_LOCATED)
		file->status = pipa_symbolizer_open_info(w, &file->info, &file->located);
	return file;
}

static void close_file(struct pipa_symbolizer_file *file)
{
	pipa_debug_info_done(&file->info);
	pipa_located_done(&file->located);
	free(file);
}

static size_t size_of(const struct pipa_symbolizer_file *file)
{
	return file->located.debug.size ? file->located.debug.size : file->located.main.size;
}

/* The largest that nobody unpacks, NULL: there is none, or it would take too much memory. */
static struct pipa_symbolizer_file *largest(const struct pipa_symbolizer *w)
{
	struct pipa_symbolizer_file *found = NULL, *file;
	size_t i;

	for (i = 0; i < w->ahead.n; i++) {
		file = w->ahead.items[i];
		if (!file->info.dwarf || file->info.thread.running ||
		    size_of(file) > UNPACKED_MOST || !pipa_dwarf_packed(file->info.dwarf))
			continue;
		if (!found || size_of(file) > size_of(found))
			found = file;
	}
	return found;
}

int pipa_symbolizer_begin(struct pipa_symbolizer *w, const uint32_t *locations, size_t n)
{
	unsigned int threads = pipa_parallel_width() - 1;
	const struct pipa_location *all = w->p->locations.items;
	struct pipa_symbolizer_file *file;
	size_t i;

	if (!threads || w->o->lines == PIPA_LINES_NONE)
		return 0;
	for (i = 0; i < n && w->ahead.n < PIPA_SYMBOLIZER_FILES; i++) {
		uint32_t object = all[locations[i]].object;

		if ((i && all[locations[i - 1]].object == object) || !is_file(w, object))
			continue;
		file = open_file(w, object);
		if (!file)
			return -ENOMEM;
		w->ahead.items[w->ahead.n++] = file;
	}
	while (threads-- && (file = largest(w)))
		pipa_debug_info_begin(&file->info);
	return 0;
}

struct pipa_symbolizer_file *pipa_symbolizer_open(struct pipa_symbolizer *w, uint32_t object)
{
	size_t i;

	for (i = 0; i < w->ahead.n; i++)
		if (w->ahead.items[i] && w->ahead.items[i]->object == object)
			return w->ahead.items[i];
	return open_file(w, object);
}

void pipa_symbolizer_close(struct pipa_symbolizer *w, struct pipa_symbolizer_file *file)
{
	size_t i;

	for (i = 0; i < w->ahead.n; i++)
		if (w->ahead.items[i] == file)
			w->ahead.items[i] = NULL;
	close_file(file);
}

void pipa_symbolizer_end(struct pipa_symbolizer *w)
{
	size_t i;

	for (i = 0; i < w->ahead.n; i++)
		if (w->ahead.items[i])
			close_file(w->ahead.items[i]);
	w->ahead.n = 0;
}
