/* The kernel's half of symbolize: its list of symbols, its image, its modules and what it made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/background_read.h"
#include "base/file.h"
#include "locate/kernel_files.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"
#include "symbolize/symbolize_own.h"

/* ---- its list of symbols ------------------------------------------------------------------------------- */

/* The kernel that was recorded, PIPA_NONE when none was seen. */
static uint32_t find_kernel(const struct pipa_symbolizer *w)
{
	uint32_t i;

	for (i = 0; i < w->p->objects.n; i++)
		if (w->p->objects.items[i].kind == PIPA_OBJECT_KERNEL)
			return i;
	return PIPA_NONE;
}

struct pipa_wanted_kernel pipa_symbolizer_wanted_kernel(const struct pipa_symbolizer *w,
							struct pipa_build_id *id)
{
	uint32_t kernel = find_kernel(w);

	*id = (struct pipa_build_id){ 0 };
	if (kernel != PIPA_NONE)
		*id = pipa_symbolizer_build_id(w, &w->p->objects.items[kernel]);
	return (struct pipa_wanted_kernel){ id->bytes, id->len,
					    pipa_recording_fact(w->recording, "os release") };
}

/* How far the list's kernel lies from the recorded one: they may be two boots of the same. */
static uint64_t kernel_slide(const struct pipa_symbolizer *w, uint32_t kernel)
{
	if (kernel == PIPA_NONE || !w->p->objects.items[kernel].base || !w->kallsyms.text)
		return 0;
	return w->kallsyms.text - w->p->objects.items[kernel].base;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* All addresses that will be asked for, as the list has them: of the rest nothing is kept. */
static int decode_list(struct pipa_symbolizer *w)
{
	const struct pipa_profile *p = w->p;
	PIPA_AUTO(free) uint64_t *addrs = malloc(p->locations.n * sizeof(*addrs) + 1);
	size_t n = 0, i;

	if (!addrs)
		return -ENOMEM;
	w->kallsyms.text = pipa_kallsyms_text(pipa_buf_str(&w->kallsyms_text),
					      w->kallsyms_text.len);
	for (i = 0; i < p->locations.n; i++) {
		const struct pipa_location *location = &p->locations.items[i];
		const struct pipa_object *object = &p->objects.items[location->object];

		if (object->kind == PIPA_OBJECT_KERNEL)
			addrs[n++] = location->offset + kernel_slide(w, location->object);
		else if (object->kind == PIPA_OBJECT_MODULE)
			addrs[n++] = location->offset;
	}
	qsort(addrs, n, sizeof(*addrs), by_value);
	return pipa_kallsyms_decode_near(pipa_buf_str(&w->kallsyms_text), w->kallsyms_text.len,
					 addrs, n, &w->kallsyms);
}

/* One list, if it was read and has addresses: 1, else 0 or -ENOMEM. Its text stays in w. */
static int take_list(struct pipa_symbolizer *w, int rc)
{
	if (rc >= 0)
		rc = decode_list(w);
	if (rc == 0 && !w->kallsyms.hidden)
		return 1;
	if (rc == 0)
		w->kernel = PIPA_UNRESOLVED_KPTR_RESTRICT;
	pipa_symbols_free(w->kallsyms.symbols);
	w->kallsyms = (struct pipa_kallsyms){ 0 };
	pipa_buf_reset(&w->kallsyms_text);
	return rc == -ENOMEM ? rc : 0;
}

static int read_running(struct pipa_symbolizer *w)
{
	if (w->o->kallsyms_read)
		return pipa_background_read_take(w->o->kallsyms_read, &w->kallsyms_text);
	return pipa_file_read("/proc/kallsyms", &w->kallsyms_text, NULL);
}

static int take_copy(struct pipa_symbolizer *w, const struct pipa_wanted_kernel *kernel)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (w->o->kallsyms_copy_read)
		return take_list(w, pipa_background_read_take(w->o->kallsyms_copy_read,
							      &w->kallsyms_text));
	fd = pipa_locate_kallsyms_copy(&w->o->locate, kernel);
	return fd < 0 ? 0 : take_list(w, pipa_file_read_fd(fd, &w->kallsyms_text));
}

static int take_packed(struct pipa_symbolizer *w, const struct pipa_wanted_kernel *kernel)
{
	int rc = pipa_locate_kallsyms_packed(&w->o->locate, kernel, &w->kallsyms_text);

	return rc ? take_list(w, rc) : 0;
}

static bool has_modules(const struct pipa_profile *p)
{
	size_t i;

	for (i = 0; i < p->locations.n; i++)
		if (p->objects.items[p->locations.items[i].object].kind == PIPA_OBJECT_MODULE)
			return true;
	return false;
}

/*
 * The list that was named, else what came along, the running kernel's if it is that one, perf's copy. As
 * long as no module is asked for the copy is as good, and a file is read in a tenth of the time.
 */
static int find_list(struct pipa_symbolizer *w)
{
	struct pipa_build_id id;
	struct pipa_wanted_kernel kernel = pipa_symbolizer_wanted_kernel(w, &id);
	bool copy_first = !has_modules(w->p);
	int rc;

	if (w->o->kallsyms)
		return take_list(w, pipa_file_read(w->o->kallsyms, &w->kallsyms_text, NULL));
	rc = take_packed(w, &kernel);
	if (!rc && copy_first)
		rc = take_copy(w, &kernel);
	if (!rc && pipa_locate_is_running(&kernel))
		rc = take_list(w, read_running(w));
	return rc || copy_first ? rc : take_copy(w, &kernel);
}

int pipa_symbolizer_list(struct pipa_symbolizer *w)
{
	int rc = 0;

	if (!w->kernel_asked) {
		w->kernel_asked = true;
		w->kernel = PIPA_UNRESOLVED_OTHER_KERNEL;
		rc = find_list(w);
		if (rc > 0)
			w->kernel = PIPA_NAMED;
	}
	return rc < 0 ? rc : w->kernel == PIPA_NAMED;
}

static int name_by_list(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch,
			uint64_t slide)
{
	size_t i;

	for (i = 0; i < batch->n; i++)
		batch->offsets[i] += slide;
	pipa_symbols_resolve(w->kallsyms.symbols, batch->offsets, batch->n, batch->found);
	return pipa_symbolizer_set_function(w, number, batch, w->kallsyms.symbols,
					    PIPA_UNRESOLVED_NO_SYMBOL);
}

/* ---- itself -------------------------------------------------------------------------------------------- */

/* How far above its image it ran is told by its first symbol. */
static uint64_t image_slide(const struct pipa_object *kernel, const struct pipa_located *located)
{
	uint64_t linked = pipa_image_find(located->main, "_text");

	if (!linked && located->debug.size)
		linked = pipa_image_find(located->debug, "_text");
	return linked && kernel->base ? kernel->base - linked : 0;
}

/* Names, and lines where they are asked for. 0, or -EBADMSG when it is no image, or -ENOMEM. */
static int name_by_image(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch,
			 const struct pipa_located *located)
{
	PIPA_AUTO(pipa_image_free) struct pipa_image *image = NULL;
	struct pipa_image_files files = { located->main, located->debug };
	uint64_t slide = image_slide(&w->p->objects.items[number], located);
	int rc = pipa_image_new(&files, &image, NULL);
	size_t i;

	if (rc < 0)
		return rc;
	pipa_image_resolve_moved(image, slide, batch->offsets, batch->n, batch->found);
	for (i = 0; i < batch->n; i++)
		batch->offsets[i] -= slide;
	if (w->o->lines != PIPA_LINES_NONE)
		return pipa_symbolizer_lines(w, number, batch, image, located);
	return pipa_symbolizer_set_function(w, number, batch, pipa_image_symbols(image),
					    PIPA_UNRESOLVED_NO_SYMBOL);
}

/* One without a build id is taken at its word. */
static bool is_image_of(struct pipa_span image, const struct pipa_wanted_kernel *kernel)
{
	struct pipa_span id;

	return !kernel->build_id_len || !pipa_locate_build_id(image, &id) ||
	       (id.size >= kernel->build_id_len &&
		memcmp(id.data, kernel->build_id, kernel->build_id_len) == 0);
}

/* By the image that was named. */
static int name_vmlinux(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch)
{
	struct pipa_build_id id;
	struct pipa_wanted_kernel kernel = pipa_symbolizer_wanted_kernel(w, &id);
	struct pipa_located located = { .state = PIPA_LOCATE_NO_FILE };
	int rc = -ENOENT;

	if (pipa_locate_map(w->o->vmlinux, &located.main))
		located.state = is_image_of(located.main, &kernel) ? PIPA_LOCATED :
								     PIPA_LOCATE_OTHER;
	if (located.state == PIPA_LOCATED)
		rc = name_by_image(w, number, batch, &located);
	if (rc < 0 && rc != -ENOMEM) {
		pipa_symbolizer_set_unresolved(w, batch, pipa_symbolizer_reason(located.state));
		rc = 0;
	}
	pipa_locate_unmap(&located.main);
	return rc;
}

/* By the image that is found: 1; 0 when there is none, or -ENOMEM. */
static int name_by_found(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch)
{
	struct pipa_build_id id;
	struct pipa_wanted_kernel kernel = pipa_symbolizer_wanted_kernel(w, &id);
	struct pipa_located located;
	int rc = -ENOENT;

	if (!w->p->objects.items[number].base)
		return 0; /* nobody knows how far it was moved */
	pipa_locate_kernel(&w->o->locate, &kernel, &located);
	if (located.state == PIPA_LOCATED)
		rc = name_by_image(w, number, batch, &located);
	pipa_located_done(&located);
	if (rc == 0)
		return 1;
	return rc == -ENOMEM ? rc : 0;
}

/* Its list has names alone and is read at once; its image has lines, and stands in for a list. */
int pipa_symbolizer_kernel(struct pipa_symbolizer *w, uint32_t number,
			   const struct pipa_batch *batch)
{
	bool lines = w->o->lines != PIPA_LINES_NONE && !w->o->kallsyms;
	int rc;

	if (w->o->vmlinux)
		return name_vmlinux(w, number, batch);
	rc = lines ? name_by_found(w, number, batch) : 0;
	if (rc)
		return rc < 0 ? rc : 0;
	rc = pipa_symbolizer_list(w);
	if (rc > 0)
		return name_by_list(w, number, batch, kernel_slide(w, number));
	if (!rc && !lines)
		rc = name_by_found(w, number, batch);
	if (!rc)
		pipa_symbolizer_set_unresolved(w, batch, w->kernel);
	return rc < 0 ? rc : 0;
}

/* ---- its modules --------------------------------------------------------------------------------------- */

/* By the module's file, where offsets are from where the module was. */
static int name_by_file(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	struct pipa_build_id kernel_id, id = pipa_symbolizer_build_id(w, object);
	struct pipa_wanted_kernel kernel = pipa_symbolizer_wanted_kernel(w, &kernel_id);
	struct pipa_wanted_file wanted = { pipa_profile_string(w->p, object->path), id.bytes,
					   id.len, object->file };
	PIPA_AUTO(pipa_image_free) struct pipa_image *image = NULL;
	struct pipa_image_files files;
	struct pipa_located located;
	size_t i;
	int rc;

	pipa_locate_module(&w->o->locate, &kernel, &wanted, &located);
	files = (struct pipa_image_files){ located.main, located.debug };
	rc = located.state == PIPA_LOCATED ? pipa_image_new(&files, &image, NULL) : -ENOENT;
	for (i = 0; rc == 0 && i < batch->n; i++)
		batch->offsets[i] -= object->base;
	if (rc == 0) {
		rc = pipa_symbolizer_image(w, number, batch, image, &located);
	} else if (rc != -ENOMEM) {
		pipa_symbolizer_set_unresolved(w, batch,
					       w->kernel == PIPA_UNRESOLVED_KPTR_RESTRICT ?
						       w->kernel :
						       pipa_symbolizer_reason(located.state));
		rc = 0;
	}
	pipa_image_free(PIPA_TAKE(image)); /* before the files it lends from */
	pipa_located_done(&located);
	return rc;
}

/* The list knows where modules are since this boot: of another one, their files have to tell. */
int pipa_symbolizer_module(struct pipa_symbolizer *w, uint32_t number,
			   const struct pipa_batch *batch)
{
	int rc = pipa_symbolizer_list(w);

	if (rc < 0)
		return rc;
	if (rc > 0 && !kernel_slide(w, find_kernel(w)))
		return name_by_list(w, number, batch, 0);
	return name_by_file(w, number, batch);
}

/* ---- what it made -------------------------------------------------------------------------------------- */

/* The kernel gave its name with it. */
int pipa_symbolizer_ksymbol(struct pipa_symbolizer *w, uint32_t number,
			    const struct pipa_batch *batch)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	struct pipa_function named = { .name = object->path, .object = number };
	uint32_t function = pipa_profile_function(w->p, &named);
	size_t i;

	for (i = 0; i < batch->n; i++) {
		w->p->locations.items[batch->locations[i]].into = batch->offsets[i] - object->base;
		if (function == PIPA_NONE ||
		    pipa_profile_name(w->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}
