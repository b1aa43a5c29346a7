#include "symbolize/code_file.h"

#include <errno.h>
#include <stdlib.h>

#include "symbol/table/image.h"

static int open_parts(struct pipa_code_file *f, const struct pipa_locate_options *locate)
{
	struct pipa_image_files files = { f->located.main, f->located.debug };
	int rc;

	if (f->located.state != PIPA_LOCATED)
		return f->located.state == PIPA_LOCATE_OTHER ? -ESTALE : -ENOENT;
	rc = pipa_debug_info_open(&f->info, locate, &f->located);
	if (rc == -ENOMEM)
		return rc;
	pipa_debug_info_begin(&f->info); /* while the symbols are read */
	return pipa_image_new(&files, &f->image, NULL);
}

int pipa_code_file_open(const struct pipa_locate_options *locate,
			const struct pipa_wanted_file *wanted, struct pipa_code_file **ret)
{
	struct pipa_located located;

	pipa_locate(locate, wanted, &located);
	return pipa_code_file_take(locate, &located, ret);
}

int pipa_code_file_take(const struct pipa_locate_options *locate, struct pipa_located *located,
			struct pipa_code_file **ret)
{
	struct pipa_code_file *f = calloc(1, sizeof(*f));
	int rc;

	if (!f) {
		pipa_located_done(located);
		return -ENOMEM;
	}
	f->located = *located;
	rc = open_parts(f, locate);
	if (rc < 0)
		pipa_code_file_close(f);
	else
		*ret = f;
	return rc;
}

void pipa_code_file_close(struct pipa_code_file *file)
{
	if (!file)
		return;
	pipa_debug_info_done(&file->info);
	pipa_ranges_done(&file->ranges);
	pipa_image_free(file->image); /* before the files it lends from */
	pipa_located_done(&file->located);
	free(file);
}
