#include "symbolize/symbolize.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/error.h"
#include "locate/process_files.h"
#include "symbol/table/image.h"
#include "symbol/table/jitdump.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"
#include "symbolize/debug_info.h"
#include "symbolize/fde_ranges.h"
#include "symbolize/kallsyms_reader.h"
#include "symbolize/symbolize_own.h"

/* ---- functions ------------------------------------------------------------------------------- */

uint32_t pipa_symbolizer_function(struct pipa_symbolizer *s, uint32_t object, const char *name,
				  size_t name_len, const char *file)
{
	struct pipa_function function = { .object = object };
	size_t len = 0;

	if (!s->o.mangled && pipa_is_mangled(name, name_len))
		len = pipa_demangle(name, name_len, 0, s->name, sizeof(s->name));
	function.name = len ? pipa_strings_add(&s->p->strings, s->name, len) :
			      pipa_strings_add(&s->p->strings, name, name_len);
	if (len)
		function.system_name = pipa_strings_add(&s->p->strings, name, name_len);
	if (file)
		function.file = pipa_profile_text(s->p, file);
	if (function.name == PIPA_NO_STRING || function.file == PIPA_NO_STRING ||
	    function.system_name == PIPA_NO_STRING)
		return PIPA_NONE;
	return pipa_profile_function(s->p, &function);
}

int pipa_symbolizer_set_range(struct pipa_symbolizer *s, uint32_t object, uint32_t location,
			      uint64_t addr)
{
	struct pipa_location *place = &s->p->locations.items[location];
	enum pipa_unresolved why = place->unresolved;
	char name[PIPA_RANGE_NAME];
	size_t len;
	int rc;

	if (!s->file)
		return 0;
	if (addr < s->range_start || addr >= s->range_end) {
		bool gap = false;

		rc = pipa_code_file_range(s->file, addr, &s->range_start, &s->range_end);
		if (!rc) {
			rc = pipa_code_file_gap(s->file, addr, &s->range_start, &s->range_end);
			s->range_end = addr + 1; /* FDEs may follow in the gap */
			gap = true;
		}
		if (rc <= 0) {
			s->range_end = 0;
			return rc;
		}
		len = pipa_range_name(pipa_object_short(s->p, object), s->range_start, gap, name);
		s->range_function = pipa_symbolizer_function(s, object, name, len, NULL);
	}
	if (s->range_function == PIPA_NONE ||
	    pipa_profile_name(s->p, location, s->range_function, 0) < 0)
		return -ENOMEM;
	place->symbol_offset = addr - s->range_start;
	place->unresolved = why; /* the range is not a symbol */
	return 0;
}

int pipa_symbolizer_set_functions(struct pipa_symbolizer *s, uint32_t object,
				  const struct pipa_batch *batch,
				  const struct pipa_symbols *symbols, enum pipa_unresolved why)
{
	uint32_t last = PIPA_SYMBOL_NONE, function = PIPA_NONE;
	struct pipa_symbol symbol = { 0 };
	size_t i;

	for (i = 0; i < batch->n; i++) {
		struct pipa_location *location = &s->p->locations.items[batch->locations[i]];

		if (batch->found[i] == PIPA_SYMBOL_NONE) {
			location->unresolved = why;
			if (pipa_symbolizer_set_range(s, object, batch->locations[i],
						      batch->offsets[i]) < 0)
				return -ENOMEM;
			continue;
		}
		if (batch->found[i] != last) {
			symbol = pipa_symbols_get(symbols, batch->found[i]);
			function = pipa_symbolizer_function(s, object, symbol.name, symbol.name_len,
							    NULL);
			last = batch->found[i];
		}
		location->symbol_offset = batch->offsets[i] - symbol.start;
		if (function == PIPA_NONE ||
		    pipa_profile_name(s->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

void pipa_symbolizer_set_unresolved(struct pipa_symbolizer *s, const struct pipa_batch *batch,
				    enum pipa_unresolved why)
{
	size_t i;

	for (i = 0; i < batch->n; i++)
		s->p->locations.items[batch->locations[i]].unresolved = why;
}

/* ---- programs and libraries ------------------------------------------------------------------ */

enum pipa_unresolved pipa_symbolizer_file_reason(const struct pipa_code_file *file)
{
	return pipa_code_file_status(file) == -ESTALE ? PIPA_UNRESOLVED_BUILD_ID_MISMATCH :
							PIPA_UNRESOLVED_NO_FILE;
}

int pipa_symbolizer_set_found(struct pipa_symbolizer *s, uint32_t object,
			      const struct pipa_batch *batch, const struct pipa_image *image,
			      struct pipa_code_file *file)
{
	if (s->lines != PIPA_LINES_NONE)
		return pipa_symbolizer_set_lines(s, object, batch, image, file);
	return pipa_symbolizer_set_functions(s, object, batch, pipa_image_symbols(image),
					     PIPA_UNRESOLVED_NO_SYMBOL);
}

int pipa_symbolizer_resolve_file(struct pipa_symbolizer *s, uint32_t object,
				 const struct pipa_batch *batch, const struct pipa_image *image,
				 struct pipa_code_file *file)
{
	size_t i;

	pipa_image_resolve(image, batch->offsets, batch->n, batch->found);
	for (i = 0; i < batch->n; i++)
		pipa_image_addr(image, batch->offsets[i], &batch->offsets[i]);
	return pipa_symbolizer_set_found(s, object, batch, image, file);
}

static int symbolize_file(struct pipa_symbolizer *s, uint32_t number,
			  const struct pipa_batch *batch)
{
	struct pipa_code_file *file = pipa_code_files_get(s->files, number);
	const struct pipa_image *image;
	struct pipa_debug_info *info;
	int rc;

	if (!file)
		return -ENOMEM;
	s->p->objects.items[number].unverified = pipa_code_file_located(file)->unverified;
	if (s->lines != PIPA_LINES_NONE && pipa_symbolizer_open_info(s, file, &info) == 0)
		pipa_debug_info_begin(info); /* while this thread reads the symbols */
	rc = pipa_code_file_image(file, &image);
	if (rc == 0) {
		s->file = file;
		rc = pipa_symbolizer_resolve_file(s, number, batch, image, file);
		s->file = NULL;
		s->range_end = 0;
	} else if (rc != -ENOMEM) {
		pipa_symbolizer_set_unresolved(s, batch, pipa_symbolizer_file_reason(file));
		rc = 0;
	}
	pipa_code_files_release(s->files, number);
	return rc;
}

/* ---- JIT code -------------------------------------------------------------------------------- */

/* Symbolize a batch of a jitdump: an offset in it identifies the code. */
static int symbolize_jitdump(struct pipa_symbolizer *s, uint32_t number,
			     const struct pipa_batch *batch, const struct pipa_jitdump *dump)
{
	const struct pipa_jit_code *code, *last = NULL;
	uint32_t function = PIPA_NONE;
	size_t i;

	for (i = 0; i < batch->n; i++) {
		struct pipa_location *location = &s->p->locations.items[batch->locations[i]];

		code = pipa_jitdump_at(dump, batch->offsets[i]);
		if (!code)
			continue;
		if (code != last)
			function = pipa_symbolizer_function(s, number, code->name,
							    strlen(code->name), NULL);
		last = code;
		location->symbol_offset = batch->offsets[i] - code->place;
		if (function == PIPA_NONE ||
		    pipa_profile_name(s->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int symbolize_jit(struct pipa_symbolizer *s, uint32_t number, const struct pipa_batch *batch)
{
	const struct pipa_object *object = &s->p->objects.items[number];
	const char *path = pipa_profile_string(s->p, object->path);
	const struct pipa_jitdump *dump = pipa_jitdumps_find(&s->jitdumps, path, object->pid);
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 1 << 30 };
	PIPA_AUTO(pipa_symbols_free) struct pipa_symbols *symbols = NULL;
	int rc;

	if (dump)
		return symbolize_jitdump(s, number, batch, dump);
	rc = pipa_locate_perf_map(&s->locate, s->o.map_dir, object->pid, &text);
	if (!rc)
		rc = pipa_perf_map_decode(pipa_buf_str(&text), text.len, &symbols, NULL);
	if (rc < 0) {
		pipa_symbolizer_set_unresolved(s, batch, PIPA_UNRESOLVED_JIT_NO_MAP);
		return rc == -ENOMEM ? rc : 0;
	}
	pipa_symbols_resolve(symbols, batch->offsets, batch->n, batch->found);
	return pipa_symbolizer_set_functions(s, number, batch, symbols, PIPA_UNRESOLVED_JIT_NO_MAP);
}

/* ---- all objects ----------------------------------------------------------------------------- */

static int symbolize_batch(struct pipa_symbolizer *s, uint32_t object,
			   const struct pipa_batch *batch)
{
	switch (s->p->objects.items[object].kind) {
	case PIPA_OBJECT_FILE:
	case PIPA_OBJECT_VDSO: return symbolize_file(s, object, batch);
	case PIPA_OBJECT_KERNEL: return pipa_symbolizer_kernel(s, object, batch);
	case PIPA_OBJECT_MODULE: return pipa_symbolizer_module(s, object, batch);
	case PIPA_OBJECT_KSYMBOL: return pipa_symbolizer_ksymbol(s, object, batch);
	case PIPA_OBJECT_JIT: return symbolize_jit(s, object, batch);
	default: pipa_symbolizer_set_unresolved(s, batch, PIPA_UNRESOLVED_NO_MAPPING); return 0;
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

/* Symbolize the wanted locations, which are sorted by object: those of one object are a batch. */
static int symbolize_wanted(struct pipa_symbolizer *s)
{
	PIPA_AUTO(free) uint64_t *offsets = malloc(s->n_wanted * sizeof(*offsets) + 1);
	PIPA_AUTO(free) uint32_t *found = malloc(s->n_wanted * sizeof(*found) + 1);
	const struct pipa_location *all = s->p->locations.items;
	size_t i, first;
	int rc = offsets && found ? 0 : -ENOMEM;

	if (!rc)
		rc = pipa_symbolizer_preload(s);
	for (first = 0; !rc && first < s->n_wanted; first = i) {
		uint32_t object = all[s->wanted[first]].object;
		struct pipa_batch batch = { s->wanted + first, offsets, found, 0 };

		for (i = first; i < s->n_wanted && all[s->wanted[i]].object == object; i++)
			offsets[batch.n++] = all[s->wanted[i]].offset;
		rc = symbolize_batch(s, object, &batch);
	}
	return rc;
}

int pipa_symbolize_new(struct pipa_symbolizer *symbolizer, uint32_t first, const uint32_t *again,
		       size_t n, struct pipa_error *err)
{
	struct pipa_profile *p = symbolizer->p;
	PIPA_AUTO(free) uint32_t *wanted = malloc((p->locations.n + n) * sizeof(*wanted) + 1);
	uint32_t i;
	int rc;

	if (!wanted)
		return pipa_fail(err, -ENOMEM, "symbolize the profile");
	if (n)
		memcpy(wanted, again, n * sizeof(*wanted));
	for (i = first; i < p->locations.n; i++)
		if (!p->locations.items[i].n_lines)
			wanted[n++] = i;
	qsort_r(wanted, n, sizeof(*wanted), by_place, p);
	symbolizer->wanted = wanted;
	symbolizer->n_wanted = n;
	symbolizer->lines = symbolizer->o.lines;
	if (symbolizer->lines == PIPA_LINES_STACKS)
		symbolizer->lines = symbolizer->recording && symbolizer->recording->stacks ?
					    PIPA_LINES_INLINED :
					    PIPA_LINES_NONE;
	symbolizer->kallsyms_asked = symbolizer->has_kallsyms = false;
	rc = symbolize_wanted(symbolizer);
	symbolizer->wanted = NULL;
	symbolizer->n_wanted = 0;
	pipa_kallsyms_reader_release(symbolizer->kallsyms);
	pipa_code_files_release_all(
		symbolizer->files); /* files opened by pipa_symbolizer_preload(), after a failure */
	return rc < 0 ? pipa_fail(err, rc, "symbolize the profile") : 0;
}

int pipa_symbolize(struct pipa_symbolizer *symbolizer, struct pipa_error *err)
{
	return pipa_symbolize_new(symbolizer, 0, NULL, 0, err);
}
