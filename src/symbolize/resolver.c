#include "symbolize/resolver.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/large.h"
#include "locate/kernel_files.h"
#include "symbol/table/image.h"
#include "symbol/table/table.h"
#include "symbolize/code_file.h"
#include "symbolize/debug_info.h"
#include "symbolize/fde_ranges.h"
#include "symbolize/kallsyms_reader.h"
#include "symbolize/resolver_own.h"

/* ---- lookups in one object ------------------------------------------------------------------- */

enum { SYMBOLS = 512 }; /* lookups whose symbols are searched at once */

/* A symbol table, and the symbols of the lookups of a share. */
struct names {
	const struct pipa_symbols *symbols; /* NULL: none */
	uint32_t *found;
	uint32_t last; /* index of `symbol` */
	struct pipa_symbol symbol;
};

/* The lookups of one thread in one object. */
struct share {
	struct pipa_resolver *r;
	struct pipa_code_file *file; /* NULL: none */
	const struct pipa_image *image;
	/* at link-time addresses; at run-time addresses, for those without a symbol */
	struct names names, beneath;
	const uint64_t *linked; /* address of the first lookup */
	size_t first, n;
	unsigned int part;
	uint64_t range_start;
	bool range_is_gap; /* between two symbols; else of an FDE */
	size_t range_len;  /* length of range_name; 0: no range yet */
	char range_name[PIPA_RANGE_NAME];
	struct pipa_resolved what;
};

static bool set_symbol(struct names *names, size_t index, uint64_t addr, struct pipa_resolved *what)
{
	uint32_t found = names->symbols ? names->found[index] : PIPA_SYMBOL_NONE;

	if (found == PIPA_SYMBOL_NONE)
		return false;
	if (found != names->last)
		names->symbol = pipa_symbols_get(names->symbols, found);
	names->last = found;
	what->symbol = names->symbol.name;
	what->symbol_len = names->symbol.name_len;
	what->symbol_offset = addr - names->symbol.start;
	return true;
}

/* Name code without symbol and DWARF by its FDE range, or by the gap between symbols. 0 or -ENOMEM. */
static int set_range(struct share *s, uint64_t addr)
{
	const char *path = s->what.object ? s->what.object : s->r->o.exe;
	const char *slash = strrchr(path, '/');
	uint64_t start, end;
	bool gap = false;
	int rc;

	pthread_mutex_lock(&s->r->lock); /* the first caller reads the table */
	rc = pipa_code_file_range(s->file, addr, &start, &end);
	if (!rc) {
		rc = pipa_code_file_gap(s->file, addr, &start, &end);
		gap = true;
	}
	pthread_mutex_unlock(&s->r->lock);
	if (rc <= 0)
		return rc;
	if (!s->range_len || start != s->range_start || gap != s->range_is_gap)
		s->range_len = pipa_range_name(slash ? slash + 1 : path, start, gap, s->range_name);
	s->range_is_gap = gap;
	s->range_start = start;
	s->what.symbol = s->range_name;
	s->what.symbol_len = s->range_len;
	s->what.symbol_offset = addr - start;
	s->what.by_range = true;
	return 0;
}

/*
 * Find the symbols of the next lookups, in the thread that needs them and shortly before they are
 * used.
 */
static void find_symbols(struct share *s, size_t index)
{
	size_t left = s->n - index;

	if (s->file && index % SYMBOLS == 0)
		pipa_image_resolve_moved(s->image, 0, s->linked + index,
					 left < SYMBOLS ? left : SYMBOLS, s->names.found + index);
}

/*
 * Pass on the result of one lookup, with frames if there are any. Indexes ascend
 * (pipa_dwarf_found_fn).
 */
static int pass_result(void *ctx, size_t index, const struct pipa_dwarf_frame *frames, size_t n)
{
	struct share *s = ctx;
	const struct pipa_resolver_lookup *lookups = &s->r->lookups[s->first + index];
	struct pipa_resolved *what = &s->what;
	int rc = 0;

	find_symbols(s, index);
	what->symbol = NULL;
	what->by_range = false;
	if (!set_symbol(&s->names, index, s->linked[index], what) &&
	    !set_symbol(&s->beneath, index, lookups->address, what) && s->file &&
	    !(n && frames[n - 1].function))
		rc = set_range(s, s->linked[index]);
	if (rc < 0)
		return rc;
	what->address = lookups->address;
	what->frames = frames;
	what->n_frames = n;
	return s->r->receive(s->r->ctx, s->part, lookups->index, what);
}

static struct share make_share(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			       const char *object, size_t first)
{
	return (struct share){ .r = r,
			       .names = { symbols, r->found, PIPA_SYMBOL_NONE, { 0 } },
			       .linked = r->linked,
			       .first = first,
			       .what = { .object = object } };
}

static int pass_all(struct share *share, size_t n)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++)
		rc = pass_result(share, i, NULL, 0);
	return rc;
}

int pipa_resolver_in_none(struct pipa_resolver *r, const char *object, size_t first, size_t n)
{
	struct share share = make_share(r, NULL, object, first);

	return pass_all(&share, n);
}

int pipa_resolver_in_table(struct pipa_resolver *r, const struct pipa_symbols *symbols,
			   const char *object, size_t first, size_t n)
{
	struct share share = make_share(r, symbols, object, first);
	size_t i;

	for (i = 0; i < n; i++)
		r->linked[i] = r->lookups[first + i].address;
	pipa_symbols_resolve(symbols, r->linked, n, r->found);
	return pass_all(&share, n);
}

static int resolve_lines(const struct share *whole, struct pipa_debug_info *info, size_t n)
{
	struct pipa_debug_share lookups[PIPA_PARALLEL_MAX];
	struct share shares[PIPA_PARALLEL_MAX];
	unsigned int parts = pipa_debug_info_shares(n), i;
	size_t from, to;

	for (i = 0; i < parts; i++) {
		from = n * i / parts;
		to = n * (i + 1) / parts;
		shares[i] = *whole;
		shares[i].part = i;
		shares[i].first += from;
		shares[i].linked += from;
		shares[i].n = to - from;
		shares[i].names.found += from;
		if (whole->beneath.found)
			shares[i].beneath.found += from;
		lookups[i] = (struct pipa_debug_share){ .addrs = shares[i].linked,
							.n = to - from,
							.found = pass_result,
							.ctx = &shares[i] };
	}
	return pipa_debug_info_resolve(info, lookups, parts);
}

/* Resolve lines of a file without DWARF. */
static int resolve_own_lines(struct share *share, size_t n)
{
	struct pipa_dwarf_frame frame = { 0 };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < n; i++) {
		bool known = pipa_image_line(share->image, share->linked[i], &frame.file,
					     &frame.line);

		rc = pass_result(share, i, known ? &frame : NULL, known);
	}
	return rc;
}

static int resolve_file(struct share *share, struct pipa_code_file *file,
			const struct pipa_image *image, size_t n)
{
	struct pipa_debug_info *info;
	int rc = pipa_code_file_debug_info(file, &info);

	if (rc == -ENOMEM)
		return rc;
	share->file = file;
	share->image = image;
	share->n = n;
	return rc == 0 ? resolve_lines(share, info, n) : resolve_own_lines(share, n);
}

int pipa_resolver_in_file(struct pipa_resolver *r, struct pipa_code_file *file, const char *object,
			  size_t first, size_t n)
{
	const struct pipa_image *image;
	struct share share;
	int rc = pipa_code_file_image(file, &image);

	if (rc < 0)
		return rc == -ENOMEM ? rc : pipa_resolver_in_none(r, object, first, n);
	share = make_share(r, pipa_image_symbols(image), object, first);
	return resolve_file(&share, file, image, n);
}

int pipa_resolver_in_moved(struct pipa_resolver *r, struct pipa_code_file *file, uint64_t slide,
			   const struct pipa_symbols *beneath, const char *object, size_t first,
			   size_t n)
{
	PIPA_AUTO(free) uint32_t *found = calloc(n, sizeof(*found));
	const struct pipa_image *image;
	struct share share;
	size_t i;

	if (!found || pipa_code_file_image(file, &image) < 0)
		return -ENOMEM;
	share = make_share(r, pipa_image_symbols(image), object, first);
	for (i = 0; i < n; i++)
		r->linked[i] = r->lookups[first + i].address;
	pipa_symbols_resolve(beneath, r->linked, n, found);
	share.beneath = (struct names){ beneath, found, PIPA_SYMBOL_NONE, { 0 } };
	for (i = 0; i < n; i++)
		r->linked[i] -= slide;
	return resolve_file(&share, file, image, n);
}

/* ---- batches --------------------------------------------------------------------------------------------- */

static void free_batch(struct pipa_resolver *r)
{
	free(PIPA_TAKE(r->lookups)); /* the others are in the same block */
	r->room = 0;
}

static int grow_batch(struct pipa_resolver *r, size_t n)
{
	const size_t each = sizeof(*r->lookups) + sizeof(*r->spare) + sizeof(*r->linked) +
			    sizeof(*r->found);

	if (n <= r->room)
		return 0;
	free_batch(r);
	r->lookups = n < SIZE_MAX / each ? pipa_large_alloc(n * each) : NULL;
	if (!r->lookups)
		return -ENOMEM;
	r->spare = r->lookups + n;
	r->linked = (uint64_t *)(r->spare + n);
	r->found = (uint32_t *)(r->linked + n);
	r->room = n;
	return 0;
}

static int new_batch(struct pipa_resolver *r, const uint64_t *addrs, size_t n)
{
	int rc = grow_batch(r, n);
	size_t i;

	for (i = 0; rc == 0 && i < n; i++)
		r->lookups[i] = (struct pipa_resolver_lookup){ addrs[i], i };
	if (rc == 0)
		pipa_resolver_sort(r->lookups, r->spare, n);
	return rc;
}

static int in_exe(struct pipa_resolver *r, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		r->linked[i] = r->lookups[i].address;
	return pipa_resolver_in_file(r, r->exe, NULL, 0, n);
}

int pipa_resolver_resolve(struct pipa_resolver *r, const uint64_t *addrs, size_t n,
			  pipa_resolved_fn receive, void *ctx, struct pipa_error *err)
{
	int rc = new_batch(r, addrs, n);

	r->receive = receive;
	r->ctx = ctx;
	if (!rc && !r->exe) {
		rc = pipa_resolver_read_maps(r, err);
		if (rc < 0)
			return rc;
	}
	if (!rc)
		rc = r->exe ? in_exe(r, n) : pipa_resolver_in_process(r, n);
	return rc < 0 ? pipa_fail(err, rc, "symbolize addresses") : rc;
}

bool pipa_resolver_kernel_hidden(const struct pipa_resolver *r)
{
	return pipa_kallsyms_reader_hidden(r->kallsyms);
}

/* ---- open and close -------------------------------------------------------------------------- */

int pipa_resolver_open_file(const struct pipa_locate_options *locate, const char *path,
			    struct pipa_code_file **ret)
{
	const struct pipa_wanted_file wanted = { .path = path };
	struct pipa_located located;
	struct pipa_code_file *file;

	pipa_locate(locate, &wanted, &located);
	file = pipa_code_file_new(locate, &located);
	return file ? pipa_resolver_read_file(file, ret) : -ENOMEM;
}

int pipa_resolver_read_file(struct pipa_code_file *file, struct pipa_code_file **ret)
{
	const struct pipa_image *image;
	int rc = pipa_code_file_read(file, &image);

	if (rc < 0)
		pipa_code_file_free(file);
	else
		*ret = file;
	return rc;
}

static int open_named(struct pipa_resolver *r, const char *name, struct pipa_code_file **ret,
		      struct pipa_error *err)
{
	PIPA_AUTO(free) char *path = realpath(name, NULL);
	int rc;

	if (!path)
		return pipa_fail(err, -errno, "open '%s'", name);
	rc = pipa_resolver_open_file(&r->plain, path, ret);
	if (rc == -EBADMSG)
		return pipa_refuse(err, rc, "'%s' is not an ELF file", name);
	if (rc == -ENOENT)
		return pipa_refuse(err, rc, "'%s' is not a readable file", name);
	return rc < 0 ? pipa_fail(err, rc, "open '%s'", name) : 0;
}

/* Open the kernel image. One without a build id is accepted. */
static int open_vmlinux(struct pipa_resolver *r, struct pipa_error *err)
{
	struct pipa_wanted_kernel kernel = { 0 };
	struct pipa_span id;
	int rc = open_named(r, r->o.vmlinux, &r->vmlinux, err);

	if (rc < 0 || !pipa_locate_build_id(pipa_code_file_located(r->vmlinux)->main, &id))
		return rc;
	kernel.build_id = id.data;
	kernel.build_id_len = id.size;
	if (pipa_locate_is_running(&kernel))
		return 0;
	return pipa_refuse(err, -ESTALE, "'%s' is not the vmlinux of the running kernel",
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
		return pipa_fail(err, -ENOMEM, "start symbolization");
	r->o = *options;
	pthread_mutex_init(&r->lock, NULL);
	r->jit_text.max = 1 << 30;
	r->kallsyms = pipa_kallsyms_reader_new(NULL, &r->plain, NULL);
	if (!r->kallsyms) {
		pipa_resolver_close(r);
		return pipa_fail(err, -ENOMEM, "start symbolization");
	}
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
	free_batch(r);
	pipa_code_file_free(r->exe);
	pipa_code_file_free(r->vmlinux);
	pipa_kallsyms_reader_free(r->kallsyms);
	pipa_resolver_process_done(r);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
