#include "symbol/dwarf/dwarf_unit.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/dwarf_functions.h"
#include "symbol/dwarf/dwarf_line.h"

/* Read the initial length of a unit, line program or list; false if it exceeds the section. */
static bool read_length(struct pipa_cursor *c, uint8_t *ret_offset_size)
{
	uint64_t length = pipa_get_u32(c);

	*ret_offset_size = 4;
	if (length == UINT32_MAX) {
		length = pipa_get_u64(c);
		*ret_offset_size = 8;
	}
	if (c->status || length > pipa_cursor_left(c))
		return false;
	c->end = c->pos + length;
	return true;
}

static uint64_t get_offset(struct pipa_cursor *c, uint8_t size)
{
	return size == 8 ? pipa_get_u64(c) : pipa_get_u32(c);
}

static bool is_good_size(uint8_t size)
{
	return size == 2 || size == 4 || size == 8;
}

/* Read the unit header after the length; false for an unknown version. */
static bool read_header(struct pipa_cursor *c, struct pipa_dw_unit *unit)
{
	unit->sizes.version = (uint8_t)pipa_get_u16(c);
	unit->type = DW_UT_compile;
	if (unit->sizes.version < 2 || unit->sizes.version > 5)
		return false;
	if (unit->sizes.version == 5) {
		unit->type = pipa_get_u8(c);
		unit->sizes.addr = pipa_get_u8(c);
		unit->abbrevs_at = get_offset(c, unit->sizes.offset);
		if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) {
			unit->id = pipa_get_u64(c);
		} else if (unit->type == DW_UT_type || unit->type == DW_UT_split_type) {
			pipa_skip(c, 8); /* signature */
			pipa_skip(c, unit->sizes.offset);
		}
	} else {
		unit->abbrevs_at = get_offset(c, unit->sizes.offset);
		unit->sizes.addr = pipa_get_u8(c);
	}
	return !c->status && is_good_size(unit->sizes.addr);
}

void pipa_dw_units_read(struct pipa_dw_file *file)
{
	struct pipa_span info = pipa_dw_bytes(file, PIPA_DW_INFO);
	struct pipa_cursor c = pipa_span_cursor(info, file->elf.swapped), body;
	struct pipa_dw_unit unit, *kept;

	if (file->units.ready)
		return;
	file->units.ready = true;
	while (pipa_cursor_left(&c)) {
		unit = (struct pipa_dw_unit){ .file = file, .code = file };
		unit.offset = (uint64_t)(c.pos - info.data);
		body = c;
		if (!read_length(&body, &unit.sizes.offset))
			return;
		c.pos = body.end;
		unit.end = (uint64_t)(body.end - info.data);
		if (!read_header(&body, &unit))
			continue;
		unit.entries = (uint64_t)(body.pos - info.data);
		kept = PIPA_VEC_ADD(&file->units);
		if (!kept) {
			file->work->status = -ENOMEM;
			return;
		}
		*kept = unit;
	}
}

void pipa_dw_units_done(struct pipa_dw_file *file)
{
	size_t i;

	for (i = 0; i < file->units.n; i++) {
		pipa_dw_lines_free(file->units.items[i].lines);
		pipa_dw_functions_free(file->units.items[i].functions);
	}
	free(file->units.items);
}

struct pipa_dw_unit *pipa_dw_unit_at(struct pipa_dw_file *file, uint64_t offset)
{
	size_t low = 0, high, middle;

	pipa_dw_units_read(file);
	high = file->units.n;
	while (low < high) {
		middle = low + (high - low) / 2;
		if (file->units.items[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == file->units.n || offset < file->units.items[low].offset)
		return NULL;
	return &file->units.items[low];
}

/*
 * Set the bases of indexed forms; without an attribute they follow the first header of their
 * section.
 */
static void set_bases(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry)
{
	bool is_5 = unit->sizes.version >= 5;
	uint64_t length = unit->sizes.offset == 8 ? 12 : 4;

	unit->str_base = is_5 ? length + 4 : 0;
	unit->rnglists_base = is_5 ? length + 8 : 0;
	unit->addr_base = is_5 ? length + 4 : 0;
	if (pipa_dw_entry_has(entry, PIPA_DW_STR_BASE))
		unit->str_base = entry->values[PIPA_DW_STR_BASE].number;
	if (pipa_dw_entry_has(entry, PIPA_DW_RNGLISTS_BASE))
		unit->rnglists_base = entry->values[PIPA_DW_RNGLISTS_BASE].number;
	if (pipa_dw_entry_has(entry, PIPA_DW_ADDR_BASE))
		unit->addr_base = entry->values[PIPA_DW_ADDR_BASE].number;
	if (pipa_dw_entry_has(entry, PIPA_DW_GNU_RANGES_BASE))
		unit->gnu_ranges_base = entry->values[PIPA_DW_GNU_RANGES_BASE].number;
}

static void set_places(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry)
{
	const struct pipa_dw_value *list = &entry->values[PIPA_DW_RANGE_LIST];

	if (pipa_dw_entry_has(entry, PIPA_DW_LOW_PC))
		pipa_dw_value_addr(unit, &entry->values[PIPA_DW_LOW_PC], &unit->low_pc);
	unit->has_pc = pipa_dw_entry_pc(unit, entry, &unit->low_pc, &unit->high_pc);
	unit->has_list = pipa_dw_entry_has(entry, PIPA_DW_RANGE_LIST);
	if (unit->has_list) {
		unit->range_list = list->number;
		unit->range_form = list->form;
	}
	unit->has_lines = pipa_dw_entry_has(entry, PIPA_DW_STMT_LIST);
	if (unit->has_lines)
		unit->stmt_list = entry->values[PIPA_DW_STMT_LIST].number;
}

static bool read_first_entry(struct pipa_dw_unit *unit, struct pipa_dw_entry *ret)
{
	int number = pipa_dw_abbrevs_get(unit->file, unit->abbrevs_at, unit->sizes);

	unit->opened = true;
	if (number < 0)
		return false;
	unit->abbrevs = (uint32_t)number;
	return pipa_dw_entry_read(unit, unit->entries, ret);
}

bool pipa_dw_unit_open(struct pipa_dw_unit *unit)
{
	struct pipa_dw_entry entry;

	if (unit->opened)
		return unit->good;
	if (!read_first_entry(unit, &entry))
		return false;
	set_bases(unit, &entry);
	set_places(unit, &entry);
	unit->comp_dir = pipa_dw_entry_text(unit, &entry, PIPA_DW_COMP_DIR);
	unit->split_name = pipa_dw_entry_text(unit, &entry, PIPA_DW_SPLIT_NAME);
	if (pipa_dw_entry_has(&entry, PIPA_DW_SPLIT_ID))
		unit->id = entry.values[PIPA_DW_SPLIT_ID].number;
	unit->good = true;
	return true;
}

bool pipa_dw_unit_open_split(struct pipa_dw_unit *split, const struct pipa_dw_unit *skeleton)
{
	struct pipa_dw_entry entry;

	if (split->opened)
		return split->good;
	if (!read_first_entry(split, &entry))
		return false;
	set_bases(split, &entry);
	if (pipa_dw_entry_has(&entry, PIPA_DW_SPLIT_ID))
		split->id = entry.values[PIPA_DW_SPLIT_ID].number;
	split->code = skeleton->file;
	split->addr_base = skeleton->addr_base;
	split->gnu_ranges_base = skeleton->gnu_ranges_base;
	split->low_pc = skeleton->low_pc;
	split->good = true;
	return true;
}
