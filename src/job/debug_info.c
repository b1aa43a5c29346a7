#include "job/debug_info.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/vec.h"
#include "locate/files.h"
#include "symbol/dwarf.h"

static bool fetch_split(void *ctx, const struct pipa_dwarf_split *wanted, struct pipa_span *ret)
{
	struct pipa_debug_info *info = ctx;
	struct pipa_span *slot = PIPA_VEC_ADD(&info->splits);

	if (slot && pipa_locate_split(info->locate, wanted->comp_dir, wanted->name, slot)) {
		*ret = *slot;
		return true;
	}
	info->splits.n -= slot != NULL;
	return false;
}

int pipa_debug_info_open(struct pipa_debug_info *info, const struct pipa_locate_options *locate,
			 const struct pipa_located *located)
{
	struct pipa_dwarf_files files = {
		.main = located->main, .debug = located->debug, .fetch = fetch_split, .ctx = info
	};

	*info = (struct pipa_debug_info){ .locate = locate };
	if (pipa_locate_shared(locate, located, &info->alt))
		files.alt = info->alt;
	return pipa_dwarf_new(&files, &info->dwarf, NULL);
}

void pipa_debug_info_done(struct pipa_debug_info *info)
{
	size_t i;

	pipa_dwarf_free(info->dwarf); /* before the files it lends from */
	for (i = 0; i < info->splits.n; i++)
		pipa_locate_unmap(&info->splits.items[i]);
	free(info->splits.items);
	pipa_locate_unmap(&info->alt);
	*info = (struct pipa_debug_info){ 0 };
}
