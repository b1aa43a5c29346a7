#include "symbolize/fde_ranges.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "locate/files.h"
#include "unwind/table.h"

int pipa_ranges_find(struct pipa_ranges *r, const struct pipa_located *file, uint64_t addr,
		     uint64_t *ret_start, uint64_t *ret_end)
{
	const struct pipa_unwind_files files = { file->main, file->debug };

	int rc = r->asked ? 0 : pipa_unwind_table_new(&files, &r->table, NULL);

	if (rc == -ENOMEM)
		return rc;
	if (rc < 0)
		r->table = NULL;
	r->asked = true;
	return r->table && pipa_unwind_range(r->table, addr, ret_start, ret_end) &&
	       *ret_start < *ret_end;
}

void pipa_ranges_done(struct pipa_ranges *r)
{
	pipa_unwind_table_free(r->table);
	*r = (struct pipa_ranges){ 0 };
}

size_t pipa_range_name(const char *object, uint64_t start, char name[static PIPA_RANGE_NAME])
{
	return (size_t)snprintf(name, PIPA_RANGE_NAME, "%.256s!fn@0x%" PRIx64, object, start);
}
