/* Symbolize the kernel: kallsyms, vmlinux, modules and generated code. */
#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"
#include "symbolize/kallsyms_reader.h"
#include "symbolize/recorded_kernel.h"
#include "symbolize/symbolize_own.h"

/* ---- kallsyms ------------------------------------------------------------------------------------------ */

/* Collect the wanted addresses of the kernel and its modules. Returns their number. */
static size_t get_addresses(const struct pipa_symbolizer *s, struct pipa_kallsyms_address *addrs,
			    bool *ret_modules)
{
	size_t n = 0, i;

	*ret_modules = false;
	for (i = 0; i < s->n_wanted; i++) {
		const struct pipa_location *location = &s->p->locations.items[s->wanted[i]];
		const struct pipa_object *object = &s->p->objects.items[location->object];
		bool module = object->kind == PIPA_OBJECT_MODULE;

		if (object->kind != PIPA_OBJECT_KERNEL && !module)
			continue;
		*ret_modules |= module;
		addrs[n++] = (struct pipa_kallsyms_address){ location->offset,
							     module ? 0 : object->base };
	}
	return n;
}

int pipa_symbolizer_read_kallsyms(struct pipa_symbolizer *s)
{
	PIPA_AUTO(free) struct pipa_kallsyms_address *addrs = NULL;
	struct pipa_recorded_kernel recorded;
	struct pipa_wanted_kernel kernel;
	bool modules;
	size_t n;
	int rc;

	if (s->kallsyms_asked)
		return s->has_kallsyms;
	addrs = malloc(s->n_wanted * sizeof(*addrs) + 1);
	if (!addrs)
		return -ENOMEM;
	pipa_recorded_kernel_find(s->recording, s->p, &recorded);
	kernel = pipa_recorded_kernel_wanted(&recorded);
	n = get_addresses(s, addrs, &modules);
	rc = pipa_kallsyms_reader_find(s->kallsyms, &kernel, addrs, n, modules);
	s->kallsyms_asked = true;
	s->has_kallsyms = rc > 0;
	return rc;
}

/* Return the reason for which there is no kallsyms. */
static enum pipa_unresolved kallsyms_reason(const struct pipa_symbolizer *s)
{
	return pipa_kallsyms_reader_hidden(s->kallsyms) ? PIPA_UNRESOLVED_KPTR_RESTRICT :
							  PIPA_UNRESOLVED_OTHER_KERNEL;
}

int pipa_symbolizer_find_kallsyms(struct pipa_symbolizer *symbolizer, struct pipa_span *ret_text,
				  enum pipa_unresolved *ret_why)
{
	struct pipa_recorded_kernel recorded;
	struct pipa_wanted_kernel kernel;
	uint32_t i;
	bool modules = false;
	int rc;

	for (i = 0; i < symbolizer->p->locations.n && !modules; i++)
		modules = symbolizer->p->objects.items[symbolizer->p->locations.items[i].object]
				  .kind == PIPA_OBJECT_MODULE;
	pipa_recorded_kernel_find(symbolizer->recording, symbolizer->p, &recorded);
	kernel = pipa_recorded_kernel_wanted(&recorded);
	rc = pipa_kallsyms_reader_find(symbolizer->kallsyms, &kernel, NULL, 0, modules);
	if (rc > 0)
		*ret_text = pipa_kallsyms_reader_text(symbolizer->kallsyms);
	else if (rc == 0)
		*ret_why = kallsyms_reason(symbolizer);
	return rc;
}

static int resolve_by_kallsyms(struct pipa_symbolizer *s, uint32_t number,
			       const struct pipa_batch *batch, uint64_t slide)
{
	const struct pipa_symbols *symbols = pipa_kallsyms_reader_table(s->kallsyms)->symbols;
	size_t i;

	for (i = 0; i < batch->n; i++)
		batch->offsets[i] += slide;
	pipa_symbols_resolve(symbols, batch->offsets, batch->n, batch->found);
	return pipa_symbolizer_set_functions(s, number, batch, symbols, PIPA_UNRESOLVED_NO_SYMBOL);
}

/* ---- kernel image ---------------------------------------------------------------------------- */

/*
 * Resolve a batch with the kernel image. 1, 0 if there is none (*ret_why has the reason), or
 * -ENOMEM.
 */
static int resolve_by_image(struct pipa_symbolizer *s, uint32_t number,
			    const struct pipa_batch *batch, enum pipa_unresolved *ret_why)
{
	struct pipa_code_file *file = pipa_code_files_get(s->files, number);
	uint64_t base = s->p->objects.items[number].base, linked, slide;
	const struct pipa_image *image;
	size_t i;
	int rc;

	if (!file)
		return -ENOMEM;
	rc = pipa_code_file_image(file, &image);
	if (rc == 0) {
		linked = pipa_code_file_kernel_text(file);
		slide = linked && base ? base - linked : 0;
		pipa_image_resolve_moved(image, slide, batch->offsets, batch->n, batch->found);
		for (i = 0; i < batch->n; i++)
			batch->offsets[i] -= slide;
		rc = pipa_symbolizer_set_found(s, number, batch, image, file);
		rc = rc < 0 ? rc : 1;
	} else if (rc != -ENOMEM) {
		*ret_why = pipa_symbolizer_file_reason(file);
		rc = 0;
	}
	pipa_code_files_release(s->files, number);
	return rc;
}

/*
 * The image given by the user comes first. kallsyms has only names but is read quickly; an image
 * that is found has lines, and is used if there is no kallsyms. Its slide is unknown without the
 * kernel's base.
 */
int pipa_symbolizer_kernel(struct pipa_symbolizer *s, uint32_t number,
			   const struct pipa_batch *batch)
{
	uint64_t base = s->p->objects.items[number].base;
	bool lines = s->lines != PIPA_LINES_NONE && !s->o.kallsyms;
	enum pipa_unresolved why = PIPA_UNRESOLVED_NO_FILE;
	int rc = 0;

	if (s->o.vmlinux) {
		rc = resolve_by_image(s, number, batch, &why);
		if (!rc)
			pipa_symbolizer_set_unresolved(s, batch, why);
		return rc < 0 ? rc : 0;
	}
	if (lines && base)
		rc = resolve_by_image(s, number, batch, &why);
	if (rc)
		return rc < 0 ? rc : 0;
	rc = pipa_symbolizer_read_kallsyms(s);
	if (rc > 0)
		return resolve_by_kallsyms(s, number, batch,
					   pipa_kallsyms_reader_slide(s->kallsyms, base));
	if (!rc && !lines && base)
		rc = resolve_by_image(s, number, batch, &why);
	if (!rc)
		pipa_symbolizer_set_unresolved(s, batch, kallsyms_reason(s));
	return rc < 0 ? rc : 0;
}

/* ---- modules --------------------------------------------------------------------------------- */

/* Resolve a batch with the file of the module; offsets are relative to the module's base. */
static int resolve_by_module(struct pipa_symbolizer *s, uint32_t number,
			     const struct pipa_batch *batch)
{
	struct pipa_code_file *file = pipa_code_files_get(s->files, number);
	const struct pipa_image *image;
	size_t i;
	int rc;

	if (!file)
		return -ENOMEM;
	rc = pipa_code_file_image(file, &image);
	if (rc == 0) {
		for (i = 0; i < batch->n; i++)
			batch->offsets[i] -= s->p->objects.items[number].base;
		rc = pipa_symbolizer_resolve_file(s, number, batch, image, file);
	} else if (rc != -ENOMEM) {
		pipa_symbolizer_set_unresolved(s, batch,
					       pipa_kallsyms_reader_hidden(s->kallsyms) ?
						       PIPA_UNRESOLVED_KPTR_RESTRICT :
						       pipa_symbolizer_file_reason(file));
		rc = 0;
	}
	pipa_code_files_release(s->files, number);
	return rc;
}

/*
 * kallsyms has the module addresses of this boot: modules of another boot are resolved with their
 * files.
 */
int pipa_symbolizer_module(struct pipa_symbolizer *s, uint32_t number,
			   const struct pipa_batch *batch)
{
	uint32_t kernel = pipa_recorded_kernel_object(s->p);
	uint64_t base = kernel == PIPA_NONE ? 0 : s->p->objects.items[kernel].base;
	int rc = pipa_symbolizer_read_kallsyms(s);

	if (rc < 0)
		return rc;
	if (rc > 0 && !pipa_kallsyms_reader_slide(s->kallsyms, base))
		return resolve_by_kallsyms(s, number, batch, 0);
	return resolve_by_module(s, number, batch);
}

/* ---- generated code -------------------------------------------------------------------------- */

/* The ksymbol record has the name. */
int pipa_symbolizer_ksymbol(struct pipa_symbolizer *s, uint32_t number,
			    const struct pipa_batch *batch)
{
	const struct pipa_object *object = &s->p->objects.items[number];
	struct pipa_function named = { .name = object->path, .object = number };
	uint32_t function = pipa_profile_function(s->p, &named);
	size_t i;

	for (i = 0; i < batch->n; i++) {
		s->p->locations.items[batch->locations[i]].symbol_offset = batch->offsets[i] -
									   object->base;
		if (function == PIPA_NONE ||
		    pipa_profile_name(s->p, batch->locations[i], function, 0) < 0)
			return -ENOMEM;
	}
	return 0;
}
