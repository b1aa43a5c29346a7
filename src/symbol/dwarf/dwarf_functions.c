#include "symbol/dwarf/dwarf_functions.h"

#include <errno.h>
#include <stdlib.h>

#include "base/leb.h"
#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/dwarf_inlined.h"
#include "symbol/dwarf/dwarf_range.h"

struct pipa_dw_functions {
	struct pipa_dw_function *items;
	size_t n, cap;
	bool deep; /* the whole unit was read */
	size_t hint;
	struct pipa_intervals map;
};

static void empty(struct pipa_dw_functions *functions)
{
	free(functions->items);
	*functions = (struct pipa_dw_functions){ 0 };
}

void pipa_dw_functions_free(struct pipa_dw_functions *functions)
{
	if (!functions)
		return;
	empty(functions);
	free(functions);
}

/* May entries with this tag contain functions? Others are skipped if they have DW_AT_sibling. */
static bool is_scope(uint16_t tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_partial_unit || tag == DW_TAG_skeleton_unit;
}

static int add_function(struct pipa_dw_unit *unit, struct pipa_dw_functions *functions,
			uint64_t offset)
{
	struct pipa_dw_function *function;
	struct pipa_dw_entry entry;

	if (functions->n >= INT32_MAX || !pipa_dw_entry_read(unit, offset, &entry))
		return 0;
	function = PIPA_VEC_ADD(functions);
	if (!function)
		return -ENOMEM;
	function->entry = offset;
	return pipa_dw_entry_ranges(unit, &entry, &unit->file->work->map,
				    (uint32_t)functions->n - 1);
}

/*
 * Collect all functions that have code, entry by entry. The nesting depth does not matter, so no
 * stack is needed; the zero at the end of a list is skipped.
 */
static int scan_functions(struct pipa_dw_unit *unit, struct pipa_dw_functions *functions)
{
	const struct pipa_dw_abbrevs *table = pipa_dw_unit_abbrevs(unit);
	struct pipa_cursor c = pipa_dw_entries(unit, unit->entries);
	const uint8_t *start = c.pos;
	const struct pipa_dw_abbrev *abbrev;
	uint64_t code, at, next;
	int rc = 0;

	if (!pipa_dw_charge(unit->file->work, pipa_cursor_left(&c)))
		return 0;
	while (rc == 0 && c.pos < c.end) {
		at = unit->entries + (uint64_t)(c.pos - start);
		code = pipa_get_uleb(&c);
		if (!code)
			continue;
		abbrev = pipa_dw_abbrev_find(table, code);
		if (!abbrev)
			break;
		next = pipa_dw_entry_skip(unit, &c, abbrev);
		if (c.status)
			break;
		if (abbrev->tag == DW_TAG_subprogram && abbrev->has_code)
			rc = add_function(unit, functions, at);
		if (abbrev->has_children && next && !functions->deep && !is_scope(abbrev->tag) &&
		    next >= unit->entries + (uint64_t)(c.pos - start) && next < unit->end)
			c.pos = start + (next - unit->entries);
	}
	return rc;
}

static int read_functions(struct pipa_dw_unit *unit, struct pipa_dw_functions *functions)
{
	struct pipa_dw_work *work = unit->file->work;
	int rc;

	work->map.n = 0;
	rc = scan_functions(unit, functions);
	return rc < 0 ? rc : pipa_dw_copy_map(work, &functions->map);
}

static struct pipa_dw_functions *unit_functions(struct pipa_dw_unit *unit)
{
	int rc;

	if (unit->functions || !unit->good)
		return unit->functions;
	unit->functions = calloc(1, sizeof(*unit->functions));
	rc = unit->functions ? read_functions(unit, unit->functions) : -ENOMEM;
	if (rc < 0)
		unit->file->work->status = rc;
	return unit->functions;
}

/*
 * Find a function that the quick pass misses, because it is inside another function, a type or a
 * block (nested functions of C, Rust's methods): read the whole unit again if an address has no
 * function.
 */
static uint32_t find_deep(struct pipa_dw_unit *unit, struct pipa_dw_functions *functions,
			  uint64_t addr)
{
	int rc;

	empty(functions);
	functions->deep = true;
	rc = read_functions(unit, functions);
	if (rc < 0) {
		unit->file->work->status = rc;
		return PIPA_NO_INTERVAL;
	}
	return pipa_intervals_find(&functions->map, addr, &functions->hint);
}

struct pipa_dw_function *pipa_dw_function_at(struct pipa_dw_unit *unit, uint64_t addr)
{
	struct pipa_dw_functions *functions = unit_functions(unit);
	struct pipa_dw_function *function;
	uint32_t number;
	int rc;

	if (!functions || unit->file->work->status)
		return NULL;
	number = pipa_intervals_find(&functions->map, addr, &functions->hint);
	if (number == PIPA_NO_INTERVAL && !functions->deep)
		number = find_deep(unit, functions, addr);
	if (number == PIPA_NO_INTERVAL)
		return NULL;
	function = &functions->items[number];
	if (!function->read) {
		rc = pipa_dw_inlined_read(unit, function);
		if (rc < 0)
			unit->file->work->status = rc;
	}
	return function;
}
