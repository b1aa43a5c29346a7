#include "symbolize/kallsyms_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/buf.h"
#include "base/file/file.h"
#include "base/thread/background_read.h"
#include "kernel/machine/root.h"
#include "locate/files.h"
#include "locate/kernel_files.h"
#include "symbol/table/table.h"

struct pipa_kallsyms_reader {
	const char *path;
	const struct pipa_locate_options *locate;
	struct pipa_root *root;
	struct pipa_root *own_root; /* opened here if none was given */
	struct pipa_background_read *running, *copy;
	struct pipa_buf text;
	struct pipa_kallsyms table;
	bool searched; /* the search has ended */
	bool found;    /* the text is set */
	bool keep;     /* the text is that of the running kernel and is not released */
	bool hidden;   /* a list without addresses was found */
};

struct pipa_kallsyms_reader *pipa_kallsyms_reader_new(const char *path,
						      const struct pipa_locate_options *locate,
						      struct pipa_root *root)
{
	struct pipa_kallsyms_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->path = path;
	r->locate = locate;
	r->root = root;
	r->text.max = 1 << 30;
	if (!root && pipa_root_open(NULL, &r->own_root, NULL) < 0) {
		free(r);
		return NULL;
	}
	if (!root)
		r->root = r->own_root;
	return r;
}

static void free_table(struct pipa_kallsyms_reader *r)
{
	pipa_symbols_free(r->table.symbols);
	r->table = (struct pipa_kallsyms){ 0 };
}

void pipa_kallsyms_reader_free(struct pipa_kallsyms_reader *r)
{
	if (!r)
		return;
	pipa_background_read_free(r->running);
	pipa_background_read_free(r->copy);
	free_table(r);
	pipa_buf_done(&r->text);
	pipa_root_close(r->own_root);
	free(r);
}

void pipa_kallsyms_reader_release(struct pipa_kallsyms_reader *r)
{
	pipa_background_read_free(PIPA_TAKE(r->running));
	pipa_background_read_free(PIPA_TAKE(r->copy));
	free_table(r);
	if (r->keep)
		return;
	pipa_buf_done(&r->text);
	r->text.max = 1 << 30;
	r->searched = r->found = r->hidden = false;
}

/* ---- read ------------------------------------------------------------------------------------ */

static int open_running(struct pipa_kallsyms_reader *r)
{
	return pipa_root_file(r->root, PIPA_PROC, O_RDONLY, "kallsyms");
}

void pipa_kallsyms_reader_preload(struct pipa_kallsyms_reader *r,
				  const struct pipa_wanted_kernel *kernel)
{
	int fd;

	if (r->path || r->locate->bundle || r->running || r->copy ||
	    !pipa_locate_is_running(kernel))
		return;
	fd = pipa_locate_kallsyms_copy(r->locate, kernel);
	if (fd >= 0) {
		r->copy = pipa_background_read_start_fd(fd);
		return;
	}
	fd = open_running(r);
	if (fd >= 0)
		r->running = pipa_background_read_start_fd(fd);
}

/* Move the result of the background read to the text. 0 or a negative errno. */
static int take_background(struct pipa_kallsyms_reader *r, struct pipa_background_read **read)
{
	int rc = pipa_background_read_take(*read, &r->text);

	pipa_background_read_free(PIPA_TAKE(*read));
	return rc;
}

static int read_running(struct pipa_kallsyms_reader *r)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (r->running)
		return take_background(r, &r->running);
	fd = open_running(r);
	return fd < 0 ? fd : pipa_file_read_fd(fd, &r->text);
}

int pipa_kallsyms_reader_use_running(struct pipa_kallsyms_reader *r)
{
	int rc = read_running(r);

	if (rc < 0) {
		pipa_buf_reset(&r->text);
		return rc;
	}
	r->searched = r->found = r->keep = true;
	return 0;
}

/* ---- decode ---------------------------------------------------------------------------------- */

static int compare_values(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t pipa_kallsyms_reader_slide(const struct pipa_kallsyms_reader *r, uint64_t base)
{
	return base && r->table.text ? r->table.text - base : 0;
}

/* Decode only the symbols of these addresses, out of more than 100,000. */
static int decode(struct pipa_kallsyms_reader *r, const struct pipa_kallsyms_address *wanted,
		  size_t n)
{
	PIPA_AUTO(free) uint64_t *addrs = malloc(n * sizeof(*addrs) + 1);
	const char *text = pipa_buf_str(&r->text);
	size_t i;

	if (!addrs)
		return -ENOMEM;
	free_table(r);
	r->table.text = pipa_kallsyms_text(text, r->text.len);
	for (i = 0; i < n; i++)
		addrs[i] = wanted[i].addr + pipa_kallsyms_reader_slide(r, wanted[i].base);
	qsort(addrs, n, sizeof(*addrs), compare_values);
	return pipa_kallsyms_decode_near(text, r->text.len, addrs, n, &r->table);
}

int pipa_kallsyms_reader_decode_running(struct pipa_kallsyms_reader *r)
{
	int rc = r->found ? 0 : pipa_kallsyms_reader_use_running(r);

	if (!rc)
		rc = pipa_kallsyms_decode(pipa_buf_str(&r->text), r->text.len, &r->table);
	if (!rc)
		r->hidden = r->table.hidden;
	return rc;
}

/* ---- search ---------------------------------------------------------------------------------- */

/* The addresses of one call, and the status of each attempt. */
struct search {
	const struct pipa_wanted_kernel *kernel;
	const struct pipa_kallsyms_address *addrs;
	size_t n;
};

/* Use a list that was read with status rc if it has addresses. 1, 0 or -ENOMEM. */
static int use_text(struct pipa_kallsyms_reader *r, const struct search *s, int rc)
{
	if (rc >= 0)
		rc = decode(r, s->addrs, s->n);
	if (rc == 0 && !r->table.hidden)
		return 1;
	r->hidden |= rc == 0;
	free_table(r);
	pipa_buf_reset(&r->text);
	return rc == -ENOMEM ? rc : 0;
}

static int use_copy(struct pipa_kallsyms_reader *r, const struct search *s)
{
	PIPA_AUTO(pipa_fd_close) int fd = -1;

	if (r->copy)
		return use_text(r, s, take_background(r, &r->copy));
	fd = pipa_locate_kallsyms_copy(r->locate, s->kernel);
	return fd < 0 ? 0 : use_text(r, s, pipa_file_read_fd(fd, &r->text));
}

/*
 * Search the sources in order: --kallsyms, the bundle, /proc/kallsyms if it is the recorded kernel,
 * perf's copy. Unless a module is wanted the copy comes before /proc/kallsyms: reading a file takes
 * a tenth of the time.
 */
static int search_list(struct pipa_kallsyms_reader *r, const struct search *s, bool modules)
{
	int rc;

	if (r->path)
		return use_text(r, s, pipa_file_read(r->path, &r->text, NULL));
	rc = pipa_locate_kallsyms_packed(r->locate, s->kernel, &r->text);
	if (rc)
		rc = use_text(r, s, rc);
	if (!rc && !modules)
		rc = use_copy(r, s);
	if (!rc && pipa_locate_is_running(s->kernel))
		rc = use_text(r, s, read_running(r));
	return rc || !modules ? rc : use_copy(r, s);
}

int pipa_kallsyms_reader_find(struct pipa_kallsyms_reader *r,
			      const struct pipa_wanted_kernel *kernel,
			      const struct pipa_kallsyms_address *addrs, size_t n, bool modules)
{
	const struct search s = { kernel, addrs, n };
	int rc;

	if (r->searched && !r->found)
		return 0;
	if (r->found) {
		rc = decode(r, addrs, n);
		r->hidden = rc == 0 && r->table.hidden;
		if (r->hidden)
			free_table(r);
		return rc < 0 ? rc : !r->hidden;
	}
	rc = search_list(r, &s, modules);
	r->searched = rc >= 0;
	r->found = rc > 0;
	if (r->found)
		r->hidden = false; /* that of another list does not matter */
	return rc;
}

const struct pipa_kallsyms *pipa_kallsyms_reader_table(const struct pipa_kallsyms_reader *r)
{
	return &r->table;
}

struct pipa_span pipa_kallsyms_reader_text(const struct pipa_kallsyms_reader *r)
{
	return r->found ? (struct pipa_span){ (const uint8_t *)r->text.data, r->text.len } :
			  (struct pipa_span){ 0 };
}

bool pipa_kallsyms_reader_hidden(const struct pipa_kallsyms_reader *r)
{
	return r->hidden;
}
