#include "symbolize/code_file.h"

#include <errno.h>
#include <stdlib.h>

#include "symbol/table/image.h"
#include "symbolize/debug_info.h"
#include "unwind/table.h"

enum { UNREAD = 1 }; /* status before the first read */

struct pipa_code_file {
	const struct pipa_locate_options *locate;
	struct pipa_located located;
	int image_status, table_status, info_status;
	struct pipa_image *image;
	struct pipa_unwind_table *table;
	struct pipa_debug_info info;
};

struct pipa_code_file *pipa_code_file_new(const struct pipa_locate_options *locate,
					  struct pipa_located *located)
{
	struct pipa_code_file *f = calloc(1, sizeof(*f));

	if (!f) {
		pipa_located_done(located);
		return NULL;
	}
	f->locate = locate;
	f->located = *located;
	f->image_status = f->table_status = f->info_status = UNREAD;
	return f;
}

void pipa_code_file_free(struct pipa_code_file *f)
{
	if (!f)
		return;
	pipa_code_file_release(f, true);
	pipa_unwind_table_free(f->table);
	pipa_located_done(&f->located); /* last: everything else borrows from it */
	free(f);
}

void pipa_code_file_release(struct pipa_code_file *f, bool image)
{
	if (f->info_status != UNREAD)
		pipa_debug_info_done(&f->info);
	f->info_status = UNREAD;
	if (image) {
		pipa_image_free(PIPA_TAKE(f->image));
		f->image_status = UNREAD;
	}
}

const struct pipa_located *pipa_code_file_located(const struct pipa_code_file *f)
{
	return &f->located;
}

int pipa_code_file_status(const struct pipa_code_file *f)
{
	switch (f->located.state) {
	case PIPA_LOCATED: return 0;
	case PIPA_LOCATE_OTHER: return -ESTALE;
	default: return -ENOENT;
	}
}

int pipa_code_file_image(struct pipa_code_file *f, const struct pipa_image **ret)
{
	const struct pipa_image_files files = { f->located.main, f->located.debug };

	if (f->image_status == UNREAD)
		f->image_status = pipa_code_file_status(f);
	if (!f->image_status && !f->image)
		f->image_status = pipa_image_new(&files, &f->image, NULL);
	if (f->image_status < 0)
		f->image = NULL;
	else
		*ret = f->image;
	return f->image_status;
}

int pipa_code_file_unwind_table(struct pipa_code_file *f, const struct pipa_unwind_table **ret)
{
	const struct pipa_unwind_files files = { f->located.main, f->located.debug };

	if (f->table_status == UNREAD)
		f->table_status = pipa_code_file_status(f);
	if (!f->table_status && !f->table)
		f->table_status = pipa_unwind_table_new(&files, &f->table, NULL);
	if (f->table_status < 0)
		f->table = NULL;
	else
		*ret = f->table;
	return f->table_status;
}

int pipa_code_file_debug_info(struct pipa_code_file *f, struct pipa_debug_info **ret)
{
	if (f->info_status == UNREAD) {
		f->info_status = pipa_code_file_status(f);
		if (!f->info_status)
			f->info_status = pipa_debug_info_open(&f->info, f->locate, &f->located);
	}
	if (!f->info_status)
		*ret = &f->info;
	return f->info_status;
}

int pipa_code_file_read(struct pipa_code_file *f, const struct pipa_image **ret)
{
	struct pipa_debug_info *info;
	int rc = pipa_code_file_debug_info(f, &info);

	if (rc == -ENOMEM)
		return rc;
	if (rc == 0)
		pipa_debug_info_begin(info);
	return pipa_code_file_image(f, ret);
}

int pipa_code_file_range(struct pipa_code_file *f, uint64_t addr, uint64_t *ret_start,
			 uint64_t *ret_end)
{
	const struct pipa_unwind_table *table;
	int rc = pipa_code_file_unwind_table(f, &table);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	return pipa_unwind_range(table, addr, ret_start, ret_end) && *ret_start < *ret_end;
}

int pipa_code_file_gap(struct pipa_code_file *f, uint64_t addr, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	const struct pipa_image *image;
	int rc = pipa_code_file_image(f, &image);

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	return pipa_image_gap(image, addr, ret_start, ret_end);
}

uint64_t pipa_code_file_kernel_text(const struct pipa_code_file *f)
{
	uint64_t linked = pipa_image_find(f->located.main, "_text");

	return linked || !f->located.debug.size ? linked :
						  pipa_image_find(f->located.debug, "_text");
}
