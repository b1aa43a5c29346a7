#include "job/resolver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "job/code_file.h"
#include "job/resolver_own.h"
#include "locate/kernel_files.h"
#include "symbol/image.h"
#include "symbol/table.h"

/* ---- answers of one object ----------------------------------------------------------------------------- */

static void take_symbol(struct pipa_resolved *row, const struct pipa_symbols *symbols,
			uint32_t found, uint64_t addr)
{
	struct pipa_symbol symbol;

	if (found == PIPA_SYMBOL_NONE)
		return;
	symbol = pipa_symbols_get(symbols, found);
	row->symbol = symbol.name;
	row->symbol_len = symbol.name_len;
	row->into = addr - symbol.start;
}

void pipa_resolver_in_table(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			    size_t first, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		r->linked[i] = r->rows[first + i].answer.address;
	pipa_symbols_resolve(symbols, r->linked, n, r->found);
	for (i = 0; i < n; i++)
		take_symbol(&r->rows[first + i].answer, symbols, r->found[i], r->linked[i]);
}

struct lines {
	struct pipa_resolver *r;
	size_t first;
};

static int keep_frames(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct lines *l = ctx;
	struct pipa_resolver *r = l->r;
	struct pipa_resolved *row = &r->rows[l->first + index].answer;
	struct pipa_dwarf_frame *slot;
	size_t i;

	row->frames = r->frames.n;
	for (i = 0; i < n; i++) {
		slot = PIPA_VEC_ADD(&r->frames);
		if (!slot)
			return -ENOMEM;
		*slot = frames[i];
	}
	row->n_frames = n;
	return 0;
}

/* What a file without DWARF knows of lines. */
static int keep_own_lines(struct lines *l, const struct pipa_image *image, size_t n)
{
	struct pipa_dwarf_frame frame = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < n; i++)
		if (pipa_image_line(image, l->r->linked[i], &frame.file, &frame.line))
			rc = keep_frames(l, i, &frame, 1);
	return rc;
}

static const struct pipa_dwarf_frame *outermost_of(const struct pipa_resolver *r,
						   const struct pipa_resolved *row)
{
	return &r->frames.items[row->frames + row->n_frames - 1];
}

/* What neither symbols nor DWARF name is called by its stretch of unwind information. */
static int take_range(struct pipa_resolver *r, struct pipa_code_file *file,
		      struct pipa_resolved *row, uint64_t addr)
{
	const char *path = row->object ? row->object : r->o.exe, *slash = strrchr(path, '/');
	char name[PIPA_RANGE_NAME];
	uint64_t start, end;
	uint32_t kept;

	if (row->symbol || (row->n_frames && outermost_of(r, row)->function) ||
	    !pipa_ranges_find(&file->ranges, &file->located, addr, &start, &end))
		return 0;
	row->symbol_len = pipa_range_name(slash ? slash + 1 : path, start, name);
	kept = pipa_strings_add(&r->range_names, name, row->symbol_len);
	if (kept == PIPA_NO_STRING)
		return -ENOMEM;
	row->symbol = pipa_strings_get(&r->range_names, kept);
	row->into = addr - start;
	row->by_range = true;
	return 0;
}

int pipa_resolver_in_file(struct pipa_resolver *r, struct pipa_code_file *file, size_t first,
			  size_t n)
{
	const struct pipa_symbols *symbols = pipa_image_symbols(file->image);
	struct lines l = { r, first };
	size_t i;
	int rc;

	pipa_image_resolve_moved(file->image, 0, r->linked, n, r->found);
	for (i = 0; i < n; i++)
		take_symbol(&r->rows[first + i].answer, symbols, r->found[i], r->linked[i]);
	if (!file->info.dwarf)
		rc = keep_own_lines(&l, file->image, n);
	else
		rc = pipa_dwarf_resolve(file->info.dwarf, r->linked, n, keep_frames, &l);
	for (i = 0; !rc && i < n; i++)
		rc = take_range(r, file, &r->rows[first + i].answer, r->linked[i]);
	return rc;
}

/* ---- batches --------------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct pipa_resolver_row *x = a, *y = b;

	if (x->answer.address != y->answer.address)
		return x->answer.address < y->answer.address ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void drop_batch(struct pipa_resolver *r)
{
	free(PIPA_TAKE(r->rows));
	free(PIPA_TAKE(r->answers));
	free(PIPA_TAKE(r->linked));
	free(PIPA_TAKE(r->found));
	r->frames.n = 0;
}

static int new_batch(struct pipa_resolver *r, const uint64_t *addrs, size_t n)
{
	size_t i;

	drop_batch(r);
	r->rows = calloc(n + 1, sizeof(*r->rows));
	r->answers = calloc(n + 1, sizeof(*r->answers));
	r->linked = calloc(n + 1, sizeof(*r->linked));
	r->found = calloc(n + 1, sizeof(*r->found));
	if (!r->rows || !r->answers || !r->linked || !r->found)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		r->rows[i] = (struct pipa_resolver_row){ { .address = addrs[i] }, i };
	qsort(r->rows, n, sizeof(*r->rows), by_address);
	return 0;
}

static int in_exe(struct pipa_resolver *r, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		r->linked[i] = r->rows[i].answer.address;
	return pipa_resolver_in_file(r, r->exe, 0, n);
}

int pipa_resolver_ask(struct pipa_resolver *r, const uint64_t *addrs, size_t n,
		      struct pipa_resolved_batch *ret, struct pipa_error *err)
{
	int rc = new_batch(r, addrs, n);
	size_t i;

	if (!rc && !r->exe) {
		rc = pipa_resolver_read_maps(r, err);
		if (rc < 0)
			return rc;
	}
	if (!rc)
		rc = r->exe ? in_exe(r, n) : pipa_resolver_in_process(r, n);
	if (rc < 0)
		return pipa_fail(err, rc, "find what is at the addresses");
	for (i = 0; i < n; i++)
		r->answers[r->rows[i].index] = r->rows[i].answer;
	*ret = (struct pipa_resolved_batch){ r->answers, r->frames.items, r->kallsyms.hidden };
	return 0;
}

/* ---- open and close ------------------------------------------------------------------------------------- */

static int open_named(struct pipa_resolver *r, const char *name, struct pipa_code_file **ret,
		      struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = realpath(name, NULL);
	struct pipa_wanted_file wanted = { .path = path };
	int rc;

	if (!path)
		return pipa_fail(err, -errno, "open '%s'", name);
	rc = pipa_code_file_open(&r->plain, &wanted, ret);
	if (rc == -EBADMSG)
		return pipa_refuse(err, rc, "'%s' is no ELF file", name);
	if (rc == -ENOENT)
		return pipa_refuse(err, rc, "'%s' cannot be read, or is no file", name);
	return rc < 0 ? pipa_fail(err, rc, "open '%s'", name) : 0;
}

/* An image without a build id is taken at its word. */
static int open_vmlinux(struct pipa_resolver *r, struct pipa_error *err)
{
	struct pipa_wanted_kernel kernel = { 0 };
	struct pipa_span id;
	int rc = open_named(r, r->o.vmlinux, &r->vmlinux, err);

	if (rc < 0 || !pipa_locate_build_id(r->vmlinux->located.main, &id))
		return rc;
	kernel.build_id = id.data;
	kernel.build_id_len = id.size;
	if (pipa_locate_is_running(&kernel))
		return 0;
	return pipa_refuse(err, -ESTALE, "'%s' is the image of another kernel than the running one",
			   r->o.vmlinux);
}

static int open_process(struct pipa_resolver *r, struct pipa_error *err)
{
	int rc = r->o.vmlinux ? open_vmlinux(r, err) : 0;

	if (rc < 0)
		return rc;
	snprintf(r->root, sizeof(r->root), "/proc/%u/root", r->o.pid);
	r->locate.symfs = r->root;
	return pipa_resolver_read_maps(r, err);
}

int pipa_resolver_open(const struct pipa_resolver_options *options, struct pipa_resolver **ret,
		       struct pipa_error *err)
{
	struct pipa_resolver *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return pipa_fail(err, -ENOMEM, "begin to look for names");
	r->o = *options;
	r->kallsyms_text.max = r->jit_text.max = 1 << 30;
	rc = options->exe ? open_named(r, options->exe, &r->exe, err) : open_process(r, err);
	if (rc < 0)
		pipa_resolver_close(r);
	else
		*ret = r;
	return rc;
}

void pipa_resolver_close(struct pipa_resolver *r)
{
	if (!r)
		return;
	drop_batch(r);
	free(r->frames.items);
	pipa_strings_done(&r->range_names);
	pipa_code_file_close(r->exe);
	pipa_code_file_close(r->vmlinux);
	pipa_resolver_process_done(r);
	free(r);
}
