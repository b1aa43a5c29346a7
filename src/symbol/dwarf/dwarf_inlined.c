#include "symbol/dwarf/dwarf_inlined.h"

#include <errno.h>
#include <stdlib.h>

#include "base/auto.h"
#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_range.h"

enum { DEPTH_MAX = 1024 }; /* limit of nested entries below a function; some 100 were seen */

#define ELSEWHERE UINT32_MAX /* parent of entries that belong to a nested function */

struct walk {
	struct pipa_dw_unit *unit;
	struct pipa_cursor c;
	const uint8_t *start; /* start of the unit's entries */
	uint32_t parents[DEPTH_MAX];
	unsigned int depth;
};

/* Add the inlined function at an entry and move the cursor after it. */
static int add_inlined(struct walk *w, uint64_t at, uint32_t parent)
{
	struct pipa_dw_work *work = w->unit->file->work;
	struct pipa_dw_inlined *inlined;
	struct pipa_dw_entry entry;

	if (work->inlined.n >= INT32_MAX || !pipa_dw_entry_read(w->unit, at, &entry))
		return 1;
	w->c.pos = w->start + (entry.next - w->unit->entries);
	inlined = PIPA_VEC_ADD(&work->inlined);
	if (!inlined)
		return -ENOMEM;
	inlined->parent = parent;
	inlined->call_file = pipa_dw_entry_number(&entry, PIPA_DW_CALL_FILE);
	inlined->call_line = pipa_dw_entry_number(&entry, PIPA_DW_CALL_LINE);
	inlined->call_column = pipa_dw_entry_number(&entry, PIPA_DW_CALL_COLUMN);
	if (!pipa_dw_entry_has(&entry, PIPA_DW_ORIGIN) ||
	    !pipa_dw_value_ref(w->unit, &entry.values[PIPA_DW_ORIGIN], &inlined->origin,
			       &inlined->origin_at)) {
		inlined->origin = NULL;
		inlined->name = pipa_dw_entry_name(w->unit, &entry, &inlined->decl_line);
	}
	return pipa_dw_entry_ranges(w->unit, &entry, &work->map, (uint32_t)work->inlined.n - 1);
}

/* Move to the next entry of this level. True if the children were skipped. */
static bool skip_to_sibling(struct walk *w, uint64_t next)
{
	uint64_t here = w->unit->entries + (uint64_t)(w->c.pos - w->start);

	if (next < here || next >= w->unit->end)
		return false;
	w->c.pos = w->start + (next - w->unit->entries);
	return true;
}

/* Push the parent of the entries below this one. 0, or 1 to stop. */
static int push_parent(struct walk *w, const struct pipa_dw_abbrev *abbrev, uint32_t parent)
{
	if (!abbrev->has_children)
		return 0;
	if (w->depth == DEPTH_MAX)
		return 1;
	w->parents[w->depth++] = parent;
	return 0;
}

/*
 * Process an entry that is not an inlined function: descend into blocks, skip others if possible.
 */
static int walk_other(struct walk *w, const struct pipa_dw_abbrev *abbrev, uint32_t parent)
{
	uint64_t next = pipa_dw_entry_skip(w->unit, &w->c, abbrev);

	if (w->c.status || !pipa_dw_charge(w->unit->file->work, 1))
		return 1;
	if (!abbrev->has_children || abbrev->tag == DW_TAG_lexical_block ||
	    abbrev->tag == DW_TAG_try_block || abbrev->tag == DW_TAG_catch_block)
		return push_parent(w, abbrev, parent);
	if (next && skip_to_sibling(w, next))
		return 0;
	return push_parent(w, abbrev, abbrev->tag == DW_TAG_subprogram ? ELSEWHERE : parent);
}

static int walk_children(struct walk *w)
{
	const struct pipa_dw_abbrevs *table = pipa_dw_unit_abbrevs(w->unit);
	const struct pipa_dw_abbrev *abbrev;
	uint32_t parent;
	uint64_t code, at;
	int rc = 0;

	while (rc == 0 && w->depth && w->c.pos < w->c.end) {
		at = w->unit->entries + (uint64_t)(w->c.pos - w->start);
		code = pipa_get_uleb(&w->c);
		if (!code) {
			w->depth--;
			continue;
		}
		abbrev = pipa_dw_abbrev_find(table, code);
		if (!abbrev)
			break;
		parent = w->parents[w->depth - 1];
		if (abbrev->tag == DW_TAG_inlined_subroutine && parent != ELSEWHERE) {
			rc = add_inlined(w, at, parent);
			if (rc == 0)
				rc = push_parent(w, abbrev,
						 (uint32_t)w->unit->file->work->inlined.n);
		} else {
			rc = walk_other(w, abbrev, parent);
		}
	}
	return rc < 0 ? rc : 0;
}

int pipa_dw_inlined_read(struct pipa_dw_unit *unit, struct pipa_dw_function *function)
{
	struct pipa_dw_work *work = unit->file->work;
	struct pipa_dw_entry entry;
	struct walk w;
	int rc = 0;

	function->read = true;
	work->map.n = work->inlined.n = 0;
	if (!pipa_dw_entry_read(unit, function->entry, &entry))
		return 0;
	function->name = pipa_dw_entry_name(unit, &entry, &function->decl_line);
	if (entry.abbrev->has_children) {
		w.unit = unit;
		w.depth = 1;
		w.parents[0] = 0;
		w.c = pipa_dw_entries(unit, entry.next);
		w.start = pipa_dw_entries(unit, unit->entries).pos;
		rc = walk_children(&w);
	}
	if (rc < 0 || !work->inlined.n)
		return rc;
	function->inlined = pipa_dw_copy(work, work->inlined.items,
					 work->inlined.n * sizeof(*function->inlined));
	return function->inlined ? pipa_dw_copy_map(work, &function->map) : -ENOMEM;
}

const char *pipa_dw_inlined_name(struct pipa_dw_inlined *inlined)
{
	if (inlined->origin) {
		inlined->name = pipa_dw_name_at(inlined->origin, inlined->origin_at,
						&inlined->decl_line);
		inlined->origin = NULL;
	}
	return inlined->name;
}
