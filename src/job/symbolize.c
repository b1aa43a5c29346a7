#include "job/symbolize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/file.h"
#include "job/jitdumps.h"
#include "locate/process_files.h"
#include "symbol/demangle.h"
#include "symbol/image.h"
#include "symbol/jitdump.h"
#include "symbol/kallsyms.h"
#include "symbol/perf_map.h"
#include "symbol/table.h"

/* The locations of one object, by rising offset. */
struct batch {
	const uint32_t *locations; /* numbers */
	uint64_t *offsets;
	uint32_t *found; /* symbols */
	size_t n;
};

struct work {
	struct pipa_profile *p;
	const struct pipa_recording *recording;
	const struct pipa_symbolize_options *o;
	struct pipa_buf kallsyms_text;
	struct pipa_kallsyms kallsyms;
	bool has_kallsyms;
	char name[PIPA_DEMANGLE_MAX + 1];
};

/* ---- names into the profile -------------------------------------------------------------------------- */

/* The function of that name, PIPA_NONE without memory. */
static uint32_t function_of(struct work *w, uint32_t object, const char *name, size_t name_len)
{
	struct pipa_function function = { .object = object };
	size_t len = 0;

	if (!w->o->mangled && pipa_is_mangled(name, name_len))
		len = pipa_demangle(name, name_len, 0, w->name, sizeof(w->name));
	function.name = len ? pipa_strings_add(&w->p->strings, w->name, len) :
			      pipa_strings_add(&w->p->strings, name, name_len);
	return function.name == PIPA_NO_STRING ? PIPA_NONE : pipa_profile_function(w->p, &function);
}

/*
 * What resolve() found, given to the locations; equal symbols follow each other. The batch's offsets
 * are addresses as the symbols have them.
 */
static int give_names(struct work *w, uint32_t object, const struct batch *batch,
		      const struct pipa_symbols *symbols, enum pipa_nameless nameless)
{
	uint32_t last = PIPA_SYMBOL_NONE, function = PIPA_NONE;
	struct pipa_symbol symbol = { 0 };
	size_t i;

	for (i = 0; i < batch->n; i++) {
		struct pipa_location *location = &w->p->locations.items[batch->locations[i]];

		if (batch->found[i] == PIPA_SYMBOL_NONE) {
			location->nameless = nameless;
			continue;
		}
		if (batch->found[i] != last) {
			symbol = pipa_symbols_get(symbols, batch->found[i]);
			function = function_of(w, object, symbol.name, symbol.name_len);
			last = batch->found[i];
		}
		location->into = batch->offsets[i] - symbol.start;
		if (function == PIPA_NONE ||
		    pipa_profile_name(w->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

static void leave_nameless(struct work *w, const struct batch *batch, enum pipa_nameless why)
{
	size_t i;

	for (i = 0; i < batch->n; i++)
		w->p->locations.items[batch->locations[i]].nameless = why;
}

/* ---- programs and libraries --------------------------------------------------------------------------- */

/* Its own build id, or the one the recording's list has for that path. */
static struct pipa_build_id build_id_of(const struct work *w, const struct pipa_object *object)
{
	const char *path = pipa_profile_string(w->p, object->path);
	size_t i;

	if (object->build_id.len)
		return object->build_id;
	for (i = 0; i < w->recording->files.n; i++)
		if (strcmp(w->recording->files.items[i].path, path) == 0)
			return w->recording->files.items[i].build_id;
	return object->build_id;
}

static int name_file(struct work *w, uint32_t number, const struct batch *batch)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	struct pipa_build_id id = build_id_of(w, object);
	struct pipa_wanted_file wanted = { pipa_profile_string(w->p, object->path), id.bytes,
					   id.len };
	PIPA_AUTO(pipa_image_free) struct pipa_image *image = NULL;
	struct pipa_image_files files;
	struct pipa_located located;
	size_t i;
	int rc;

	pipa_locate(&w->o->locate, &wanted, &located);
	files = (struct pipa_image_files){ located.main, located.debug };
	rc = located.state == PIPA_LOCATED ? pipa_image_new(&files, &image, NULL) : -ENOENT;
	if (rc == 0) {
		pipa_image_resolve(image, batch->offsets, batch->n, batch->found);
		for (i = 0; i < batch->n; i++)
			pipa_image_addr(image, batch->offsets[i], &batch->offsets[i]);
		rc = give_names(w, number, batch, pipa_image_symbols(image),
				PIPA_NAMELESS_NO_SYMBOL);
	} else if (rc != -ENOMEM) {
		leave_nameless(w, batch, PIPA_NAMELESS_NO_FILE);
		rc = 0;
	}
	pipa_image_free(PIPA_TAKE(image)); /* before the files it lends from */
	pipa_located_done(&located);
	return rc;
}

/* ---- the kernel ---------------------------------------------------------------------------------------- */

/* Only of the kernel that runs here can its own list speak. */
static bool is_running_kernel(const struct work *w)
{
	const char *release = pipa_recording_fact(w->recording, "os release");
	struct utsname name;

	return release && uname(&name) == 0 && strcmp(name.release, release) == 0;
}

static void load_kallsyms(struct work *w)
{
	const char *path = w->o->kallsyms;

	if (!path && !is_running_kernel(w))
		return;
	if (pipa_file_read(path ? path : "/proc/kallsyms", &w->kallsyms_text, NULL) < 0)
		return;
	w->has_kallsyms = pipa_kallsyms_decode(pipa_buf_str(&w->kallsyms_text),
					       w->kallsyms_text.len, &w->kallsyms) == 0;
}

/* How far the list's kernel lies from the recorded one: they may be two boots of the same. */
static uint64_t kernel_slide(const struct work *w, const struct pipa_object *object)
{
	if (object->kind != PIPA_OBJECT_KERNEL || !object->base || !w->kallsyms.text)
		return 0;
	return w->kallsyms.text - object->base;
}

static int name_kernel(struct work *w, uint32_t number, const struct batch *batch)
{
	uint64_t slide;
	size_t i;

	if (!w->has_kallsyms && !w->kallsyms_text.len)
		load_kallsyms(w);
	if (!w->has_kallsyms || w->kallsyms.hidden) {
		leave_nameless(w, batch, PIPA_NAMELESS_KERNEL);
		return 0;
	}
	slide = kernel_slide(w, &w->p->objects.items[number]);
	for (i = 0; i < batch->n; i++)
		batch->offsets[i] += slide;
	pipa_symbols_resolve(w->kallsyms.symbols, batch->offsets, batch->n, batch->found);
	return give_names(w, number, batch, w->kallsyms.symbols, PIPA_NAMELESS_NO_SYMBOL);
}

static int name_vmlinux(struct work *w, uint32_t number, const struct batch *batch)
{
	PIPA_AUTO(pipa_image_free) struct pipa_image *image = NULL;
	struct pipa_image_files files = { 0 };
	uint64_t linked = 0, slide;
	uint32_t i;
	int rc = -ENOENT;

	if (pipa_locate_map(w->o->vmlinux, &files.main))
		rc = pipa_image_new(&files, &image, NULL);
	if (rc == 0) {
		const struct pipa_symbols *symbols = pipa_image_symbols(image);

		for (i = 0; i < pipa_symbols_count(symbols) && !linked; i++) {
			struct pipa_symbol symbol = pipa_symbols_get(symbols, i);

			if (symbol.name_len == 5 && memcmp(symbol.name, "_text", 5) == 0)
				linked = symbol.start;
		}
		slide = linked ? w->p->objects.items[number].base - linked : 0;
		pipa_image_resolve_moved(image, slide, batch->offsets, batch->n, batch->found);
		for (i = 0; i < batch->n; i++)
			batch->offsets[i] -= slide;
		rc = give_names(w, number, batch, symbols, PIPA_NAMELESS_NO_SYMBOL);
	} else if (rc != -ENOMEM) {
		leave_nameless(w, batch, PIPA_NAMELESS_NO_FILE);
		rc = 0;
	}
	pipa_image_free(PIPA_TAKE(image));
	pipa_locate_unmap(&files.main);
	return rc;
}

/* The kernel gave its name with it. */
static int name_ksymbol(struct work *w, uint32_t number, const struct batch *batch)
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

/* ---- code made at run time ------------------------------------------------------------------------------ */

/* Offsets are places in the dump: each piece of code has its own. */
static int name_jitdump(struct work *w, uint32_t number, const struct batch *batch,
			const struct pipa_jitdump *dump)
{
	const struct pipa_jit_code *code, *last = NULL;
	uint32_t function = PIPA_NONE;
	size_t i;

	for (i = 0; i < batch->n; i++) {
		struct pipa_location *location = &w->p->locations.items[batch->locations[i]];

		code = pipa_jitdump_at(dump, batch->offsets[i]);
		if (!code)
			continue;
		if (code != last)
			function = function_of(w, number, code->name, strlen(code->name));
		last = code;
		location->into = batch->offsets[i] - code->place;
		if (function == PIPA_NONE ||
		    pipa_profile_name(w->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int name_jit(struct work *w, uint32_t number, const struct batch *batch)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	const char *path = pipa_profile_string(w->p, object->path);
	const struct pipa_jitdump *dump = w->o->jitdumps ? pipa_jitdumps_find(w->o->jitdumps, path,
									      object->pid) :
							   NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	PIPA_AUTO(pipa_symbols_free) struct pipa_symbols *symbols = NULL;
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (dump)
		return name_jitdump(w, number, batch, dump);
	fd = pipa_locate_perf_map(&w->o->locate, w->o->map_dir, object->pid);
	if (fd < 0 || pipa_file_read_fd(fd, &text) < 0 ||
	    pipa_perf_map_decode(pipa_buf_str(&text), text.len, &symbols, NULL) < 0) {
		leave_nameless(w, batch, PIPA_NAMELESS_JIT);
		return 0;
	}
	pipa_symbols_resolve(symbols, batch->offsets, batch->n, batch->found);
	return give_names(w, number, batch, symbols, PIPA_NAMELESS_JIT);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static int name_batch(struct work *w, uint32_t object, const struct batch *batch)
{
	switch (w->p->objects.items[object].kind) {
	case PIPA_OBJECT_FILE:
	case PIPA_OBJECT_VDSO: return name_file(w, object, batch);
	case PIPA_OBJECT_KERNEL:
		return w->o->vmlinux ? name_vmlinux(w, object, batch) :
				       name_kernel(w, object, batch);
	case PIPA_OBJECT_MODULE: return name_kernel(w, object, batch);
	case PIPA_OBJECT_KSYMBOL: return name_ksymbol(w, object, batch);
	case PIPA_OBJECT_JIT: return name_jit(w, object, batch);
	default: leave_nameless(w, batch, PIPA_NAMELESS_NO_MAPPING); return 0;
	}
}

static int by_place(const void *a, const void *b, void *ctx)
{
	const struct pipa_profile *p = ctx;
	const struct pipa_location *x = &p->locations.items[*(const uint32_t *)a];
	const struct pipa_location *y = &p->locations.items[*(const uint32_t *)b];

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Locations that have no name yet, by object and offset: each stretch of one object is a batch. */
static int name_all(struct work *w, uint32_t *numbers, size_t n)
{
	PIPA_AUTO(free) uint64_t *offsets = malloc(n * sizeof(*offsets) + 1);
	PIPA_AUTO(free) uint32_t *found = malloc(n * sizeof(*found) + 1);
	size_t i, first;
	int rc = offsets && found ? 0 : -ENOMEM;

	qsort_r(numbers, n, sizeof(*numbers), by_place, w->p);
	for (first = 0; !rc && first < n; first = i) {
		uint32_t object = w->p->locations.items[numbers[first]].object;
		struct batch batch = { numbers + first, offsets, found, 0 };

		for (i = first; i < n && w->p->locations.items[numbers[i]].object == object; i++)
			offsets[batch.n++] = w->p->locations.items[numbers[i]].offset;
		rc = name_batch(w, object, &batch);
	}
	return rc;
}

int pipa_symbolize(struct pipa_profile *profile, const struct pipa_recording *recording,
		   const struct pipa_symbolize_options *options, struct pipa_error *err)
{
	struct work *w = calloc(1, sizeof(*w));
	uint32_t *numbers = malloc(profile->locations.n * sizeof(*numbers) + 1);
	size_t n = 0;
	uint32_t i;
	int rc = w && numbers ? 0 : -ENOMEM;

	for (i = 0; !rc && i < profile->locations.n; i++)
		if (!profile->locations.items[i].n_lines)
			numbers[n++] = i;
	if (!rc) {
		*w = (struct work){ .p = profile, .recording = recording, .o = options };
		w->kallsyms_text.max = 1 << 30;
		rc = name_all(w, numbers, n);
		pipa_symbols_free(w->kallsyms.symbols);
		pipa_buf_done(&w->kallsyms_text);
	}
	free(numbers);
	free(w);
	return rc < 0 ? pipa_fail(err, rc, "find names") : 0;
}
