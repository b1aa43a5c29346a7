#include "symbol/dwarf/dwarf_range.h"

#include <errno.h>

#include "base/leb.h"
#include "symbol/dwarf/dwarf_const.h"
#include "symbol/dwarf/dwarf_entry.h"
#include "symbol/dwarf/intervals.h"

enum { COST = 32 }; /* work per entry of a list; lists may be shared */

/* State of reading a list. */
struct list {
	struct pipa_dw_unit *unit;
	struct pipa_intervals *map;
	uint32_t id;
	uint64_t base;	/* base address of offsets */
	uint64_t limit; /* highest possible address */
};

/* Add a range, unless the linker dropped the code and left zero or nearly UINT64_MAX. */
static int add_range(const struct list *list, uint64_t low, uint64_t high)
{
	if (low > list->limit || (!low && !list->unit->code->zero_is_code))
		return 0;
	return pipa_intervals_add(list->map, low, high, list->id);
}

/* Read a list of DWARF 2 to 4: pairs of addresses. */
static int read_pairs(struct list *list, struct pipa_cursor *c)
{
	uint8_t size = list->unit->sizes.addr;
	uint64_t low, high;
	int rc = 0;

	while (rc == 0) {
		low = pipa_dw_get_addr(c, size);
		high = pipa_dw_get_addr(c, size);
		if (c->status || (!low && !high) || !pipa_dw_charge(list->unit->file->work, COST))
			break;
		if (low == list->limit)
			list->base = high;
		else
			rc = add_range(list, list->base + low, list->base + high);
	}
	return rc;
}

/* Read one entry of a DWARF 5 list. 0, 1 at the end, or a negative errno. */
static int read_item(struct list *list, struct pipa_cursor *c, uint8_t kind)
{
	struct pipa_dw_unit *unit = list->unit;
	uint64_t low = 0, high = 0;
	bool good = true;

	switch (kind) {
	case DW_RLE_base_addressx:
		return pipa_dw_indexed_addr(unit, pipa_get_uleb(c), &list->base) ? 0 : 1;
	case DW_RLE_startx_endx:
		good = pipa_dw_indexed_addr(unit, pipa_get_uleb(c), &low);
		good = pipa_dw_indexed_addr(unit, pipa_get_uleb(c), &high) && good;
		break;
	case DW_RLE_startx_length:
		good = pipa_dw_indexed_addr(unit, pipa_get_uleb(c), &low);
		high = low + pipa_get_uleb(c);
		break;
	case DW_RLE_offset_pair:
		low = list->base + pipa_get_uleb(c);
		high = list->base + pipa_get_uleb(c);
		break;
	case DW_RLE_base_address: list->base = pipa_dw_get_addr(c, unit->sizes.addr); return 0;
	case DW_RLE_start_end:
		low = pipa_dw_get_addr(c, unit->sizes.addr);
		high = pipa_dw_get_addr(c, unit->sizes.addr);
		break;
	case DW_RLE_start_length:
		low = pipa_dw_get_addr(c, unit->sizes.addr);
		high = low + pipa_get_uleb(c);
		break;
	default: return 1;
	}
	if (c->status || !good)
		return 1;
	return add_range(list, low, high);
}

static int read_rnglist(struct list *list, struct pipa_cursor *c)
{
	int rc = 0;

	while (rc == 0 && pipa_dw_charge(list->unit->file->work, COST)) {
		rc = read_item(list, c, pipa_get_u8(c));
		if (c->status)
			break;
	}
	return rc < 0 ? rc : 0;
}

/* Return the offset of a DWARF 5 list. */
static bool rnglist_at(struct pipa_dw_unit *unit, uint16_t form, uint64_t number, uint64_t *ret)
{
	struct pipa_cursor c;

	*ret = number;
	if (form != DW_FORM_rnglistx)
		return true;
	if (number > UINT32_MAX || unit->rnglists_base > UINT64_MAX / 2)
		return false;
	c = pipa_dw_cursor(unit->file, PIPA_DW_RNGLISTS,
			   unit->rnglists_base + number * unit->sizes.offset);
	*ret = unit->rnglists_base + pipa_dw_get_addr(&c, unit->sizes.offset);
	return !c.status;
}

static int read_list(struct pipa_dw_unit *unit, uint16_t form, uint64_t number,
		     struct pipa_intervals *map, uint32_t id)
{
	uint64_t limit = UINT64_MAX >> (64 - 8 * unit->sizes.addr);
	struct list list = { unit, map, id, unit->low_pc, limit };
	struct pipa_cursor c;

	if (unit->sizes.version >= 5) {
		if (!rnglist_at(unit, form, number, &number))
			return 0;
		c = pipa_dw_cursor(unit->file, PIPA_DW_RNGLISTS, number);
		return read_rnglist(&list, &c);
	}
	if (unit->file != unit->code) /* a split unit's lists are in the skeleton's file */
		number += unit->gnu_ranges_base;
	c = pipa_dw_cursor(unit->code, PIPA_DW_RANGES, number);
	return read_pairs(&list, &c);
}

int pipa_dw_entry_ranges(struct pipa_dw_unit *unit, const struct pipa_dw_entry *entry,
			 struct pipa_intervals *map, uint32_t id)
{
	const struct pipa_dw_value *list = &entry->values[PIPA_DW_RANGE_LIST];
	uint64_t low, high;

	if (pipa_dw_entry_has(entry, PIPA_DW_RANGE_LIST))
		return read_list(unit, list->form, list->number, map, id);
	if (pipa_dw_entry_pc(unit, entry, &low, &high))
		return pipa_intervals_add(map, low, high, id);
	return 0;
}

int pipa_dw_unit_places(struct pipa_dw_unit *unit, struct pipa_intervals *map, uint32_t id)
{
	if (unit->has_list)
		return read_list(unit, unit->range_form, unit->range_list, map, id);
	if (unit->has_pc)
		return pipa_intervals_add(map, unit->low_pc, unit->high_pc, id);
	return 0;
}

/* Read one set of .debug_aranges: the ranges of one unit. */
static int read_set(struct pipa_dw_file *file, struct pipa_cursor *c, const uint8_t *start,
		    bool is_64, struct pipa_intervals *map)
{
	uint16_t version = pipa_get_u16(c);
	uint64_t offset = is_64 ? pipa_get_u64(c) : pipa_get_u32(c), low, high;
	uint8_t size = pipa_get_u8(c), segment = pipa_get_u8(c);
	struct pipa_dw_unit *unit = pipa_dw_unit_at(file, offset);
	size_t off;
	uint32_t id;
	int rc = 0;

	if (c->status || version != 2 || !unit || unit->offset != offset || segment ||
	    (size != 4 && size != 8))
		return 0;
	off = (size_t)(c->pos - start) % ((size_t)2 * size); /* pairs are aligned to their size */
	if (off)
		pipa_skip(c, (size_t)2 * size - off);
	id = (uint32_t)(unit - file->units.items);
	while (rc == 0) {
		low = pipa_dw_get_addr(c, size);
		high = low + pipa_dw_get_addr(c, size);
		if (c->status || (!low && !high))
			break;
		unit->in_aranges = true;
		if (low || file->zero_is_code)
			rc = pipa_intervals_add(map, low, high, id);
	}
	return rc;
}

int pipa_dw_aranges_add(struct pipa_dw_file *file, struct pipa_intervals *map)
{
	struct pipa_cursor c = pipa_dw_cursor(file, PIPA_DW_ARANGES, 0), set;
	const uint8_t *start;
	uint64_t length;
	bool is_64;
	int rc = 0;

	while (rc == 0 && pipa_cursor_left(&c)) {
		start = c.pos;
		length = pipa_get_u32(&c);
		is_64 = length == UINT32_MAX;
		if (is_64)
			length = pipa_get_u64(&c);
		if (c.status || length > pipa_cursor_left(&c))
			break;
		set = c;
		set.end = c.pos + length;
		c.pos = set.end;
		rc = read_set(file, &set, start, is_64, map);
	}
	return rc;
}
