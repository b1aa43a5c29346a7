#include "symbolize/symbolize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "locate/process_files.h"
#include "symbol/table/image.h"
#include "symbol/table/jitdump.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"
#include "symbolize/jitdumps.h"
#include "symbolize/symbolize_own.h"

/* ---- names into the profile -------------------------------------------------------------------------- */

uint32_t pipa_symbolizer_function(struct pipa_symbolizer *w, uint32_t object, const char *name,
				  size_t name_len, const char *file)
{
	struct pipa_function function = { .object = object };
	size_t len = 0;

	if (!w->o->mangled && pipa_is_mangled(name, name_len))
		len = pipa_demangle(name, name_len, 0, w->name, sizeof(w->name));
	function.name = len ? pipa_strings_add(&w->p->strings, w->name, len) :
			      pipa_strings_add(&w->p->strings, name, name_len);
	if (file)
		function.file = pipa_profile_text(w->p, file);
	if (function.name == PIPA_NO_STRING || function.file == PIPA_NO_STRING)
		return PIPA_NONE;
	return pipa_profile_function(w->p, &function);
}

int pipa_symbolizer_range(struct pipa_symbolizer *w, uint32_t object, uint32_t location,
			  uint64_t addr)
{
	struct pipa_location *place = &w->p->locations.items[location];
	enum pipa_unresolved why = place->nameless;
	char name[PIPA_RANGE_NAME];
	size_t len;
	int rc;

	if (!w->located)
		return 0;
	if (addr < w->range_start || addr >= w->range_end) {
		rc = pipa_ranges_find(&w->ranges, w->located, addr, &w->range_start, &w->range_end);
		if (rc <= 0) {
			w->range_end = 0;
			return rc;
		}
		len = pipa_range_name(pipa_object_short(w->p, object), w->range_start, name);
		w->range_function = pipa_symbolizer_function(w, object, name, len, NULL);
	}
	if (w->range_function == PIPA_NONE ||
	    pipa_profile_name(w->p, location, w->range_function, 0) < 0)
		return -ENOMEM;
	place->into = addr - w->range_start;
	place->nameless = why; /* it still has no symbol */
	return 0;
}

int pipa_symbolizer_set_function(struct pipa_symbolizer *w, uint32_t object,
				 const struct pipa_batch *batch, const struct pipa_symbols *symbols,
				 enum pipa_unresolved nameless)
{
	uint32_t last = PIPA_SYMBOL_NONE, function = PIPA_NONE;
	struct pipa_symbol symbol = { 0 };
	size_t i;

	for (i = 0; i < batch->n; i++) {
		struct pipa_location *location = &w->p->locations.items[batch->locations[i]];

		if (batch->found[i] == PIPA_SYMBOL_NONE) {
			location->nameless = nameless;
			if (pipa_symbolizer_range(w, object, batch->locations[i],
						  batch->offsets[i]) < 0)
				return -ENOMEM;
			continue;
		}
		if (batch->found[i] != last) {
			symbol = pipa_symbols_get(symbols, batch->found[i]);
			function = pipa_symbolizer_function(w, object, symbol.name, symbol.name_len,
							    NULL);
			last = batch->found[i];
		}
		location->into = batch->offsets[i] - symbol.start;
		if (function == PIPA_NONE ||
		    pipa_profile_name(w->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

void pipa_symbolizer_set_unresolved(struct pipa_symbolizer *w, const struct pipa_batch *batch,
				    enum pipa_unresolved why)
{
	size_t i;

	for (i = 0; i < batch->n; i++)
		w->p->locations.items[batch->locations[i]].nameless = why;
}

/* ---- programs and libraries --------------------------------------------------------------------------- */

struct pipa_build_id pipa_symbolizer_build_id(const struct pipa_symbolizer *w,
					      const struct pipa_object *object)
{
	return pipa_recording_build_id(w->recording, pipa_profile_string(w->p, object->path),
				       object->build_id);
}

enum pipa_unresolved pipa_symbolizer_reason(enum pipa_located_state state)
{
	return state == PIPA_LOCATE_OTHER ? PIPA_UNRESOLVED_BUILD_ID_MISMATCH :
					    PIPA_UNRESOLVED_NO_FILE;
}

int pipa_symbolizer_image(struct pipa_symbolizer *w, uint32_t object,
			  const struct pipa_batch *batch, const struct pipa_image *image,
			  const struct pipa_located *located)
{
	size_t i;

	pipa_image_resolve(image, batch->offsets, batch->n, batch->found);
	for (i = 0; i < batch->n; i++)
		pipa_image_addr(image, batch->offsets[i], &batch->offsets[i]);
	if (w->o->lines != PIPA_LINES_NONE)
		return pipa_symbolizer_lines(w, object, batch, image, located);
	return pipa_symbolizer_set_function(w, object, batch, pipa_image_symbols(image),
					    PIPA_UNRESOLVED_NO_SYMBOL);
}

static int name_file(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch)
{
	PIPA_AUTO(pipa_image_free) struct pipa_image *image = NULL;
	struct pipa_symbolizer_file *file = pipa_symbolizer_open(w, number);
	struct pipa_image_files files;
	int rc;

	if (!file)
		return -ENOMEM;
	w->p->objects.items[number].unverified = file->located.unverified;
	files = (struct pipa_image_files){ file->located.main, file->located.debug };
	pipa_debug_info_begin(&file->info); /* while the symbols are read */
	rc = file->located.state == PIPA_LOCATED ? pipa_image_new(&files, &image, NULL) : -ENOENT;
	if (rc == 0) {
		w->file = file;
		w->located = &file->located;
		rc = pipa_symbolizer_image(w, number, batch, image, &file->located);
		w->file = NULL;
		w->located = NULL;
		w->range_end = 0;
		pipa_ranges_done(&w->ranges);
	} else if (rc != -ENOMEM) {
		pipa_symbolizer_set_unresolved(w, batch,
					       pipa_symbolizer_reason(file->located.state));
		rc = 0;
	}
	pipa_image_free(PIPA_TAKE(image)); /* before the files it lends from */
	pipa_symbolizer_close(w, file);
	return rc;
}

/* ---- code made at run time ------------------------------------------------------------------------------ */

/* Offsets are places in the dump: each piece of code has its own. */
static int name_jitdump(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch,
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
			function = pipa_symbolizer_function(w, number, code->name,
							    strlen(code->name), NULL);
		last = code;
		location->into = batch->offsets[i] - code->place;
		if (function == PIPA_NONE ||
		    pipa_profile_name(w->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int name_jit(struct pipa_symbolizer *w, uint32_t number, const struct pipa_batch *batch)
{
	const struct pipa_object *object = &w->p->objects.items[number];
	const char *path = pipa_profile_string(w->p, object->path);
	const struct pipa_jitdump *dump = w->o->jitdumps ? pipa_jitdumps_find(w->o->jitdumps, path,
									      object->pid) :
							   NULL;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	PIPA_AUTO(pipa_symbols_free) struct pipa_symbols *symbols = NULL;
	int rc;

	if (dump)
		return name_jitdump(w, number, batch, dump);
	rc = pipa_locate_perf_map(&w->o->locate, w->o->map_dir, object->pid, &text);
	if (!rc)
		rc = pipa_perf_map_decode(pipa_buf_str(&text), text.len, &symbols, NULL);
	if (rc < 0) {
		pipa_symbolizer_set_unresolved(w, batch, PIPA_UNRESOLVED_JIT_NO_MAP);
		return rc == -ENOMEM ? rc : 0;
	}
	pipa_symbols_resolve(symbols, batch->offsets, batch->n, batch->found);
	return pipa_symbolizer_set_function(w, number, batch, symbols, PIPA_UNRESOLVED_JIT_NO_MAP);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

static int name_batch(struct pipa_symbolizer *w, uint32_t object, const struct pipa_batch *batch)
{
	switch (w->p->objects.items[object].kind) {
	case PIPA_OBJECT_FILE:
	case PIPA_OBJECT_VDSO: return name_file(w, object, batch);
	case PIPA_OBJECT_KERNEL: return pipa_symbolizer_kernel(w, object, batch);
	case PIPA_OBJECT_MODULE: return pipa_symbolizer_module(w, object, batch);
	case PIPA_OBJECT_KSYMBOL: return pipa_symbolizer_ksymbol(w, object, batch);
	case PIPA_OBJECT_JIT: return name_jit(w, object, batch);
	default: pipa_symbolizer_set_unresolved(w, batch, PIPA_UNRESOLVED_NO_MAPPING); return 0;
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
static int name_all(struct pipa_symbolizer *w, uint32_t *numbers, size_t n)
{
	PIPA_AUTO(free) uint64_t *offsets = malloc(n * sizeof(*offsets) + 1);
	PIPA_AUTO(free) uint32_t *found = malloc(n * sizeof(*found) + 1);
	size_t i, first;
	int rc = offsets && found ? 0 : -ENOMEM;

	qsort_r(numbers, n, sizeof(*numbers), by_place, w->p);
	if (!rc)
		rc = pipa_symbolizer_begin(w, numbers, n);
	for (first = 0; !rc && first < n; first = i) {
		uint32_t object = w->p->locations.items[numbers[first]].object;
		struct pipa_batch batch = { numbers + first, offsets, found, 0 };

		for (i = first; i < n && w->p->locations.items[numbers[i]].object == object; i++)
			offsets[batch.n++] = w->p->locations.items[numbers[i]].offset;
		rc = name_batch(w, object, &batch);
	}
	return rc;
}

int pipa_symbolize(struct pipa_profile *profile, const struct pipa_recording *recording,
		   const struct pipa_symbolize_options *options, struct pipa_error *err)
{
	struct pipa_symbolizer *w = calloc(1, sizeof(*w));
	uint32_t *numbers = malloc(profile->locations.n * sizeof(*numbers) + 1);
	size_t n = 0;
	uint32_t i;
	int rc = w && numbers ? 0 : -ENOMEM;

	for (i = 0; !rc && i < options->n_again; i++)
		numbers[n++] = options->again[i];
	for (i = options->first; !rc && i < profile->locations.n; i++)
		if (!profile->locations.items[i].n_lines)
			numbers[n++] = i;
	if (!rc) {
		*w = (struct pipa_symbolizer){ .p = profile, .recording = recording, .o = options };
		w->kallsyms_text.max = 1 << 30;
		rc = name_all(w, numbers, n);
		pipa_symbolizer_end(w);
		pipa_symbols_free(w->kallsyms.symbols);
		pipa_buf_done(&w->kallsyms_text);
	}
	free(numbers);
	free(w);
	return rc < 0 ? pipa_fail(err, rc, "find names") : 0;
}
